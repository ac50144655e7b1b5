CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x', c REFERENCES t)

CREATE INDEX tb ON t(b)

SELECT name, type, pk FROM pragma_table_info('t')

SELECT * FROM pragma_index_list('t')

SELECT * FROM pragma_index_info('tb')

SELECT * FROM pragma_foreign_key_list('t')

SELECT name FROM pragma_database_list

SELECT m.name, c.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type='table'

SELECT user_version FROM pragma_user_version

SELECT * FROM pragma_table_info('nope')

SELECT * FROM pragma_nope

SELECT name FROM pragma_table_xinfo WHERE arg='t'

SELECT count(*)>0 FROM pragma_function_list WHERE name='abs'

SELECT seq, name FROM pragma_collation_list ORDER BY name
