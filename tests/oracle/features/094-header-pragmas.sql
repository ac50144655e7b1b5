PRAGMA user_version

PRAGMA user_version=42

PRAGMA user_version

PRAGMA application_id=-5

PRAGMA application_id

CREATE TABLE t(a)

PRAGMA schema_version

PRAGMA encoding

PRAGMA page_size

PRAGMA page_count

PRAGMA freelist_count

PRAGMA max_page_count

PRAGMA main.user_version

PRAGMA nodb.user_version

PRAGMA user_version='7x'

PRAGMA user_version
