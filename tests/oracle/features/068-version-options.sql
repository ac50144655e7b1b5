SELECT sqlite_version()

SELECT compileoption_used('nonsense'), compileoption_get(-1), compileoption_get(100000)

SELECT sqlite_version(1)
