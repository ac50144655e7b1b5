SELECT concat('a',NULL,1,2.5), concat_ws('-','a',NULL,'b',3), concat_ws(NULL,'a'), concat(NULL), concat_ws(',')

SELECT concat()

SELECT printf('%d|%5d|%-5d|%05d|%+d|% d|%x|%X|%o|%u', 42, 42, 42, 42, 42, 42, 255, 255, 8, -1)

SELECT printf('%f|%.2f|%10.3f|%e|%g|%G|%.0f', 3.14159, 3.14159, 3.14159, 31415.9, 0.00001, 1e20, 2.5)

SELECT printf('%s|%10s|%-10s|%.2s|%c|%5c', 'abc', 'abc', 'abc', 'abc', 'xyz', 'q')

SELECT printf('%q|%Q|%w|%Q', 'it''s', 'it''s', 'a"b', NULL)

SELECT printf('%,d|%,.2f|%%|%!.15g|%!.20f', 1234567, 1234567.891, 0.1, 0.1)

SELECT printf('%*d|%-*d|%.*f', 6, 42, 6, 42, 2, 3.14159), printf('%d', 'abc'), printf('%s'), printf('%d %d', 1)

SELECT format('%lld|%i|%p|%z|%r', 9223372036854775807, 3, 255, 1, 2)

SELECT printf(NULL), printf(''), printf('no args'), printf('%5.1f|%+.3e', -0.05, 12345.678)

SELECT printf('%08.3f|%+08d|%-8d|%#x|%#o', 3.14159, 42, 42, 255, 8)

SELECT printf('%s %s', X'414243', 1.0), printf('%d', 1e20), printf('%d', -1.9), printf('%.3d', 5)
