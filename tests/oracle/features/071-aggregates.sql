CREATE TABLE t(a,b)

INSERT INTO t VALUES(1,'x'),(2,'y'),(NULL,'z'),(2.5,NULL),('7abc','q'),(X'31','blob')

SELECT count(*), count(a), sum(a), total(a), avg(a), min(a), max(a), group_concat(b), string_agg(b,'|') FROM t

SELECT count(*), count(a), sum(a), total(a), avg(a), min(a), max(a), group_concat(b) FROM t WHERE 0

SELECT sum(9223372036854775807), sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1.0)

SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)

SELECT total(x), avg(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)

SELECT sum(x) FROM (SELECT 1e308 AS x UNION ALL SELECT 1e308)

SELECT sum(x), avg(x) FROM (SELECT 0.1 AS x UNION ALL SELECT 0.2 UNION ALL SELECT 0.3 UNION ALL SELECT 1e16 UNION ALL SELECT -1e16)

SELECT typeof(sum(a)), typeof(total(a)), typeof(avg(a)), typeof(count(a)) FROM t WHERE a IN (1,2)

SELECT count(DISTINCT a), sum(DISTINCT a), avg(DISTINCT a), max(DISTINCT a), group_concat(DISTINCT b) FROM t

SELECT group_concat(a,NULL), group_concat(a,''), group_concat(NULL) FROM t

SELECT sum('abc'), sum('5'), sum('5.5x'), sum(X'35'), avg('x'), typeof(sum('5'))

SELECT count(a,b) FROM t

SELECT sum(DISTINCT *) FROM t

SELECT string_agg(a) FROM t

SELECT group_concat(a,b) FROM t WHERE a<3

SELECT min(a,b), max(a) FROM t

SELECT median(a) FROM t WHERE typeof(a) IN ('integer','real')

SELECT percentile(a,25), percentile_cont(a,0.25), percentile_disc(a,0.25) FROM t WHERE typeof(a) IN ('integer','real')

SELECT percentile(a,101) FROM t

SELECT median('x')
