WITH c(x) AS (VALUES(1e16),(1.0),(-1e16),(1.0)) SELECT sum(x), total(x), avg(x) FROM c

WITH c(x) AS (VALUES(0.1),(0.2),(0.3),(0.4),(0.5),(0.6),(0.7)) SELECT sum(x), avg(x) FROM c

WITH c(x) AS (VALUES(9223372036854775807),(1),(-1)) SELECT sum(x) FROM c

WITH c(x) AS (VALUES(9223372036854775807),(1),(-1.0)) SELECT sum(x) FROM c

WITH c(x) AS (VALUES(9223372036854775807),(-1),(1)) SELECT sum(x), typeof(sum(x)) FROM c

WITH c(x) AS (VALUES(1e308),(1e308),(-1e308)) SELECT sum(x), total(x) FROM c

WITH c(x) AS (VALUES(1e999),(-1e999)) SELECT sum(x), avg(x) FROM c
