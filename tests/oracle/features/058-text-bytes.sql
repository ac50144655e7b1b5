SELECT CAST(X'80FF41' AS TEXT)=CAST(X'80FF41' AS TEXT), length(CAST(X'C3A9' AS TEXT)), hex(CAST(X'80FF41' AS TEXT))

SELECT length(CAST(X'410042' AS TEXT)), hex(CAST(X'410042' AS TEXT)), octet_length(CAST(X'410042' AS TEXT))

SELECT hex('é'), unicode('é'), char(233), length('日本'), octet_length('日本'), hex(char(0)), length(char(65,0,66))

CREATE TABLE t(a TEXT)

INSERT INTO t VALUES(CAST(X'ff' AS TEXT)),('é'),(CAST(X'EFBFBF' AS TEXT)),('😀'),('z')

SELECT hex(a) FROM t ORDER BY a

CREATE INDEX ta ON t(a)

SELECT hex(a) FROM t ORDER BY a DESC

SELECT hex(a) FROM t WHERE a>'é' ORDER BY a

PRAGMA integrity_check

SELECT upper('straße'), lower('ÀB'), instr('日本語','本'), substr('日本語',2,1), replace('日本','本','x')

SELECT hex(substr(CAST(X'80FF41' AS TEXT),1,1)), hex(CAST(X'80FF41' AS TEXT)||'x')
