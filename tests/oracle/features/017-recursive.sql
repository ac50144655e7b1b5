WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x<5) SELECT x FROM c

WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT (x%3)+1 FROM c) SELECT x FROM c

WITH c(x) AS (SELECT 1 UNION ALL SELECT x*2 FROM c LIMIT 6) SELECT x FROM c

WITH RECURSIVE f(a,b) AS (SELECT 0,1 UNION ALL SELECT b,a+b FROM f LIMIT 10) SELECT a FROM f

CREATE TABLE org(name TEXT PRIMARY KEY, boss TEXT)

INSERT INTO org VALUES('Alice',NULL),('Bob','Alice'),('Cindy','Alice'),('Dave','Bob'),('Emma','Bob'),('Fred','Cindy'),('Gail','Cindy')

WITH RECURSIVE under(name,level) AS (VALUES('Alice',0) UNION ALL SELECT org.name, under.level+1 FROM org JOIN under ON org.boss=under.name ORDER BY 2) SELECT substr('..........',1,level*3)||name FROM under

WITH RECURSIVE under(name,level) AS (VALUES('Alice',0) UNION ALL SELECT org.name, under.level+1 FROM org JOIN under ON org.boss=under.name ORDER BY 2 DESC) SELECT substr('..........',1,level*3)||name FROM under

WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c LIMIT 3

WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<3 UNION ALL SELECT x+10 FROM c WHERE x<3) SELECT x FROM c

WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 3 OFFSET 2) SELECT x FROM c

WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT count(*) FROM c) SELECT x FROM c

WITH RECURSIVE c(x) AS (SELECT x FROM c UNION ALL SELECT 1) SELECT x FROM c

WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT a.x+b.x FROM c AS a, c AS b WHERE a.x<3) SELECT x FROM c

WITH RECURSIVE xaxis(x) AS (VALUES(-2.0) UNION ALL SELECT x+0.5 FROM xaxis WHERE x<1.2), yaxis(y) AS (VALUES(-1.0) UNION ALL SELECT y+0.5 FROM yaxis WHERE y<1.0), m(iter, cx, cy, x, y) AS (SELECT 0, x, y, 0.0, 0.0 FROM xaxis, yaxis UNION ALL SELECT iter+1, cx, cy, x*x-y*y + cx, 2.0*x*y + cy FROM m WHERE (x*x + y*y) < 4.0 AND iter<28), m2(iter, cx, cy) AS (SELECT max(iter), cx, cy FROM m GROUP BY cx, cy), a(t) AS (SELECT group_concat( substr(' .+*#', 1+min(iter/7,4), 1), '') FROM m2 GROUP BY cy) SELECT group_concat(rtrim(t),x'0a') FROM a
