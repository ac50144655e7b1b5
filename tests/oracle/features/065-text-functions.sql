SELECT hex('abc'), hex(X'00ff'), hex(12), hex(NULL), unhex('4142'), unhex('41 42',' '), unhex('4'), unhex('zz')

SELECT length('abc'), length(X'0102'), length(12.5), length(NULL), octet_length('é'), octet_length(12), length('')

SELECT substr('hello',2), substr('hello',2,3), substr('hello',-3), substr('hello',-3,2), substr('hello',0,3), substr('hello',2,-1), substr('hello',10), substr('hello',-10,7), substr(X'010203',2,1), substring('abc',2), substr(12345,2,2), substr('abc',NULL)

SELECT instr('hello','l'), instr('hello','z'), instr('hello',''), instr(X'0102',X'02'), instr(NULL,'a'), instr(12345,34)

SELECT replace('aXbX','X','yy'), replace('abc','','x'), replace('abc','b',NULL), replace(12321,2,'z')

SELECT trim('  a '), ltrim('xxaxx','x'), rtrim('xxaxx','x'), trim('abcba','ab'), trim('a',''), trim(NULL), trim('  a ', NULL)

SELECT upper('abcÉ'), lower('ABCÉ'), upper(NULL), upper(12), lower(X'41')

SELECT char(65,66,NULL,8364), char(), unicode('A'), unicode(''), unicode(NULL), char(-1), char(1114112)

SELECT substr()

SELECT length(1,2)

SELECT replace('a','b')

SELECT quote('it''s'), quote(NULL), quote(1.5), quote(X'00ff'), quote(12), quote(1e999), quote(0.1)

SELECT unistr('a\u00e9\U0001F600\\b'), unistr_quote('a' || char(10)), unistr_quote('plain'), unistr('\zz')

SELECT likely(5), unlikely(0), likelihood(3,0.5), typeof(1), typeof(1.0), typeof('a'), typeof(NULL), typeof(X'')

SELECT likelihood(1,2)

SELECT zeroblob(3), length(zeroblob(10)), typeof(randomblob(4)), length(randomblob(5)), typeof(random()), zeroblob(-1)

SELECT sqlite_version(), compileoption_used('nonsense'), changes(), total_changes(), last_insert_rowid()

SELECT load_extension('x')
