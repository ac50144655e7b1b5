SELECT 'abc' LIKE 'A%', 'abc' LIKE '_b_', 'abc' LIKE 'b%', 'abc' NOT LIKE '%c', 'a%c' LIKE 'a\%c' ESCAPE '\', 'abc' LIKE 'a\%c' ESCAPE '\'

SELECT 'ABC' GLOB 'a*', 'abc' GLOB 'a?c', 'abc' GLOB '[a-c]bc', 'abc' GLOB '[^a]bc', 'a]c' GLOB 'a[]]c', 'abc' NOT GLOB '*z'

SELECT NULL LIKE 'a', 'a' LIKE NULL, 12 LIKE '1%', 1.5 LIKE '1.%', X'61' LIKE 'a', 'É' LIKE 'é', '' LIKE '', '' LIKE '%'

SELECT 'abc' LIKE 'abc' ESCAPE 'xx'

SELECT 'a' LIKE 'b' ESCAPE NULL, like('a%','abc'), like('a\%','a%','\'), glob('a*','abc')

SELECT 'a' REGEXP 'b'

SELECT 'a' MATCH 'b'

CREATE TABLE t(a TEXT, b)

CREATE INDEX ta ON t(a COLLATE NOCASE)

CREATE INDEX tb ON t(a)

INSERT INTO t VALUES('apple',1),('Apricot',2),('banana',3),('apx',4),(5,5),(NULL,6)

SELECT a FROM t WHERE a LIKE 'ap%' ORDER BY b

SELECT a FROM t WHERE a GLOB 'ap*' ORDER BY b

SELECT a FROM t WHERE a LIKE '5%'

SELECT a FROM t WHERE b LIKE 5

PRAGMA case_sensitive_like=ON

SELECT 'ABC' LIKE 'abc', 'abc' LIKE 'a%'

SELECT a FROM t WHERE a LIKE 'ap%' ORDER BY b

SELECT 'a_c' LIKE 'a__c', 'a\c' LIKE 'a\\c' ESCAPE '\', '%' LIKE '\%' ESCAPE '\', 'ab' LIKE 'a%%b', 'aXbXc' LIKE 'a%b%c'

SELECT 'a*c' GLOB 'a[*]c', 'a-c' GLOB 'a[-x]c', 'abc' GLOB 'a[b', '[' GLOB '[[]', 'x' GLOB '[!x]'
