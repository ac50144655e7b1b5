CREATE TABLE p(id INTEGER PRIMARY KEY)

CREATE TABLE c(x REFERENCES p, y REFERENCES missing)

INSERT INTO c VALUES(1,NULL),(NULL,2)

PRAGMA foreign_key_check

PRAGMA foreign_key_check(c)

PRAGMA foreign_key_check(nope)

INSERT INTO p VALUES(1)

PRAGMA foreign_key_check
