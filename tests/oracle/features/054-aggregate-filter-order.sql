CREATE TABLE t(g,x,y)

INSERT INTO t VALUES(1,3,'c'),(1,1,'a'),(1,2,'b'),(2,9,'z'),(2,NULL,'n')

SELECT group_concat(y ORDER BY x), group_concat(y ORDER BY x DESC), group_concat(y, '-' ORDER BY y DESC) FROM t

SELECT g, string_agg(y, ',' ORDER BY x DESC NULLS FIRST) FROM t GROUP BY g

SELECT g, sum(x) FILTER (WHERE x>1), count(*) FILTER (WHERE y<'c') FROM t GROUP BY g

SELECT json_group_array(x ORDER BY x), json_group_object(y, x ORDER BY y) FROM t

SELECT count(DISTINCT g ORDER BY g) FROM t

SELECT group_concat(DISTINCT g ORDER BY g DESC) FROM t

SELECT abs(x ORDER BY x) FROM t

SELECT abs(x) FILTER (WHERE x>1) FROM t

SELECT sum(x ORDER BY y) FROM t

SELECT max(x) FILTER (WHERE g=1), min(x) FILTER (WHERE 0) FROM t

SELECT group_concat(DISTINCT y, '-') FROM t

SELECT total(x) FILTER (WHERE x IS NULL), avg(x) FILTER (WHERE g=2) FROM t

SELECT median(x), percentile(x,50), percentile_cont(x,0.5), percentile_disc(x,0.5) FROM t

SELECT g FROM t GROUP BY g HAVING count(*) FILTER (WHERE x>2)>0
