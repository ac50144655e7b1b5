SELECT abs(-5), abs(5.5), abs('-3'), abs('x'), abs(NULL), abs(X'31')

SELECT sign(-3), sign(0), sign(2.5), sign('x'), sign(NULL), sign('4')

SELECT round(2.5), round(-2.5), round(1.234567,3), round(1e20,2), round('3.7'), round(5), round(1.005,2), round(NULL), round(123.456,-1)

SELECT ceil(1.2), ceiling(-1.2), floor(1.8), floor(-1.8), trunc(1.9), trunc(-1.9), ceil(5), typeof(ceil(5)), ceil('x')

SELECT min(1,2,'a'), max(1,2,'a'), min(NULL,1), max(1,NULL), min('b','a'), max(X'00','z'), min(1.5)

SELECT nullif(1,1), nullif(1,2), nullif('a','A'), nullif(NULL,1)

SELECT coalesce(NULL,NULL,3), coalesce(1,2), ifnull(NULL,'x'), ifnull(0,1)

SELECT coalesce(1)

SELECT ifnull(1)

SELECT nullif(1)

SELECT abs()

SELECT abs(1,2)

SELECT nosuch(1)

SELECT min()

SELECT round(9007199254740993), round(0.5), round(1.5), round(-0.4), round(1e300), round(2.675,2)
