CREATE TABLE t(a,b,c)

INSERT INTO t VALUES(1,2,'x'),(1,3,'y'),(2,5,'z'),(2,1,'w'),(NULL,9,'n'),(3,NULL,'q')

SELECT a, count(*), sum(b), min(c), max(c) FROM t GROUP BY a

SELECT a, b FROM t GROUP BY a

SELECT a, c, max(b) FROM t GROUP BY a

SELECT a, c, min(b) FROM t GROUP BY a

SELECT c, max(b) FROM t

SELECT a FROM t GROUP BY a HAVING count(*)>1

SELECT count(*) FROM t HAVING count(*)>100

SELECT count(*) FROM t HAVING count(*)>1

SELECT a+1 AS k, count(*) FROM t GROUP BY k

SELECT a, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1

SELECT a%2, group_concat(c) FROM t GROUP BY a%2

SELECT a FROM t HAVING a>1

SELECT sum(b) FROM t WHERE 0

SELECT sum(b), a FROM t WHERE 0 GROUP BY a

SELECT count(DISTINCT a), sum(DISTINCT b), group_concat(DISTINCT a) FROM t

SELECT a, b FROM t GROUP BY a, b HAVING b>1 ORDER BY b

SELECT a FROM t GROUP BY 5

SELECT sum(sum(a)) FROM t

SELECT a FROM t WHERE count(*)>1

SELECT max(a), min(a), c FROM t

SELECT avg(a), total(a), sum(a) FROM t

SELECT c COLLATE NOCASE FROM t GROUP BY c COLLATE NOCASE

SELECT count(a), count(*) FROM t

SELECT a, count(*) FILTER (WHERE b>2) FROM t GROUP BY a

SELECT (SELECT count(*) FROM t AS u WHERE u.a=t.a) AS n, a FROM t GROUP BY a

SELECT max(b)-min(b) AS spread FROM t GROUP BY a HAVING spread>=0

SELECT a AS b, sum(b) FROM t GROUP BY b

SELECT DISTINCT a FROM t

SELECT DISTINCT a, b>2 FROM t

SELECT count(*) FROM (SELECT DISTINCT a FROM t)
