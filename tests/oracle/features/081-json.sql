SELECT json('{"a":[1,2,{"b":null}],"c":"x"}'), json(' [ 1 , 2.50, true ] '), json('{a:1,''b'':2,}'), json('nope')

SELECT json('[1,2')

SELECT json_valid('{"a":1}'), json_valid('{a:1}'), json_valid('{a:1}',2), json_valid('x'), json_valid(NULL), json_valid('[1]',6), json_error_position('[1,,2]'), json_error_position('[1]')

SELECT json_extract('{"a":{"b":[1,2,3]}}','$.a.b[1]'), json_extract('{"a":1}','$.z'), json_extract('[1,"x",null,true,1.5]','$[1]','$[3]'), json_extract('[1,2,3]','$[#-1]'), json_extract('{"a b":1}','$."a b"'), json_extract('{"a":[1]}','$.a')

SELECT '{"a":[1,2]}'->'a', '{"a":[1,2]}'->'$.a[0]', '{"a":"x"}'->>'a', '[1,2,3]'->1, '[1,2,3]'->>-1, '{"a":null}'->>'a', '{"a":null}'->'a', '[1]'->'x'

SELECT json_set('{"a":1}','$.a',2,'$.b','x'), json_insert('{"a":1}','$.a',2,'$.b',3), json_replace('{"a":1}','$.a',2,'$.b',3), json_remove('{"a":1,"b":2}','$.a'), json_remove('[1,2,3]','$[0]','$[0]'), json_set('[1,2]','$[#]',3), json_set('{}','$.a.b',1)

SELECT json_patch('{"a":1,"b":{"c":2}}','{"a":null,"b":{"d":3}}'), json_patch('[1]','{"a":1}')

SELECT json_quote('a"b'), json_quote(1.0), json_quote(NULL), json_quote(json('[1]')), json_type('{"a":[1]}'), json_type('[1,2.5,"x",null,true]','$[1]'), json_type('[1]','$[9]'), json_array_length('[1,2,3]'), json_array_length('{"a":[1,2]}','$.a'), json_array_length('1')

SELECT json_array(1,'a',NULL,2.5,json('{"x":1}')), json_object('a',1,'b',json_array(1,2)), json_array(), json_object()

SELECT json_object('a')

SELECT json_object(1,2)

SELECT json_array(X'00')

SELECT json_pretty('{"a":[1,2],"b":{}}'), json_pretty('[]'), json_pretty('{"a":1}','  ')

SELECT hex(jsonb('{"a":[1,2.5,"x",null,true]}')), json(jsonb('[1,2]')), hex(jsonb_array(1,'é')), hex(jsonb_set('{"a":1}','$.b',X'1301')), json_extract(jsonb('{"a":5}'),'$.a')

SELECT key, value, type, atom, id, parent, fullkey, path FROM json_each('{"a":1,"b":[2,3],"c":null}')

SELECT key, value, type, atom, id, parent, fullkey, path FROM json_tree('{"a":{"b":[1,"x"]}}')

SELECT key, value FROM json_each('[10,20,30]','$[1]')

SELECT value FROM json_each('{"a":[5,6]}','$.a') WHERE value>5

SELECT t.x, e.value FROM (SELECT '[1,2]' AS x UNION ALL SELECT '[3]') AS t, json_each(t.x) AS e

SELECT json_group_array(value), json_group_object(key,value) FROM json_each('{"a":1,"b":[2]}')

SELECT hex(jsonb_group_array(1)), json_group_array(json('{"z":1}')), json_group_array(NULL)

SELECT json_extract('{"a":1}','a')

SELECT json_extract('{"a":1}','$.')

SELECT json_set('{"a":1}','$.a')

SELECT json('{"a":1e5,"b":-0,"c":0.10,"d":"\u00e9\n","e":+1,"f":.5,"g":0x1F,"h":Infinity,"i":NaN}')

SELECT json_array_insert('[1,2,3]','$[1]',99), json_array_insert('[1]','$[#]','e')

SELECT json_each.key FROM json_each('[1]')

SELECT * FROM json_each('bad')

SELECT key, typeof(value) FROM jsonb_each('{"a":[1]}')
