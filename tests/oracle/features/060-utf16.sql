PRAGMA encoding='UTF-16le'

CREATE TABLE t(a TEXT)

INSERT INTO t VALUES('héllo'),('日本'),('😀'),('z'),('')

PRAGMA encoding

SELECT a, length(a), hex(a), octet_length(a), unicode(a) FROM t ORDER BY a

CREATE INDEX ta ON t(a)

SELECT a FROM t WHERE a>'h' ORDER BY a DESC

SELECT CAST(a AS BLOB), upper(a), substr(a,2) FROM t

SELECT hex(CAST('a' AS BLOB)), CAST(X'6100' AS TEXT)

PRAGMA integrity_check

.reset

PRAGMA encoding='UTF-16be'

CREATE TABLE t(a)

INSERT INTO t VALUES('abc')

SELECT hex(CAST(a AS BLOB)) FROM t

PRAGMA encoding='UTF-8'

PRAGMA encoding
