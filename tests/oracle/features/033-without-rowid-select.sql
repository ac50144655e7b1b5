CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID

INSERT INTO w VALUES('b',2),('a',1),('c',3)

SELECT * FROM w

SELECT v FROM w WHERE k='b'

SELECT * FROM w WHERE k>'a' ORDER BY k DESC

SELECT count(*), max(k), min(k) FROM w

INSERT INTO w VALUES('a',9)

INSERT INTO w(v) VALUES(1)

SELECT x.k, y.v FROM w AS x JOIN w AS y ON x.v=y.v-1

SELECT last_insert_rowid()
