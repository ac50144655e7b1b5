SELECT 'a' REGEXP 'a'

SELECT 'a' NOT REGEXP 'a'

SELECT 'a' MATCH 'a'

SELECT regexp('a','b')

SELECT 'a' LIKE 'a' AND 'b' GLOB 'b'
