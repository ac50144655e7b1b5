VALUES(1,'a'),(2,'b')

SELECT * FROM (VALUES(1,'a'),(2,'b'))

SELECT column1+1, column2 FROM (VALUES(1,'a'),(2,'b')) AS v

SELECT v.column2 FROM (VALUES(1,'a'),(2,'b')) AS v WHERE v.column1=2

VALUES(1),(2,3)

VALUES(1),(2) ORDER BY 1 DESC

VALUES(3),(1),(2) LIMIT 2

WITH v(x,y) AS (VALUES(1,2),(3,4)) SELECT x*y FROM v

SELECT 5 IN (VALUES(4),(5))

SELECT (VALUES(7))

SELECT * FROM (VALUES(1),(2)) JOIN (VALUES(3),(4))

VALUES(abs(-1), NULL, 1.5, X'01')

SELECT typeof(column1) FROM (VALUES(1),('x'),(NULL),(2.5))
