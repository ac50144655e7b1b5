SELECT date('2024-02-29'), time('12:34:56.789'), datetime('2024-02-29T12:34:56Z'), julianday('2000-01-01'), unixepoch('1970-01-02'), strftime('%Y','2024-01-01')

SELECT date('2024-02-30'), date('2024-13-01'), date('24-01-01'), date('2024-1-1'), time('25:00'), datetime('2024-01-01 24:00:00')

SELECT datetime('2024-01-01 12:00+05:30'), datetime('2024-01-01 12:00-08:00'), datetime(2460000.5), datetime(1700000000,'unixepoch'), datetime(1700000000.5,'unixepoch','subsec'), date(0)

SELECT date('2024-01-31','+1 month'), date('2024-01-31','+1 month','floor'), date('2024-01-31','+1 month','ceiling'), date('2024-03-31','-1 month'), date('2024-02-29','+1 year')

SELECT datetime('2024-01-15 12:34:56','start of month','start of day'), date('2024-05-15','start of year'), date('2024-05-15','weekday 0'), date('2024-05-15','weekday 3'), date('2024-05-15','+7 days','-3 hours','10 minutes','5.5 seconds')

SELECT datetime('2024-01-01','+1-02-03 04:05:06'), datetime('2024-01-01','-0001-00-00'), datetime('2024-01-01','+12:30'), datetime('2024-01-01','-00:00:01')

SELECT datetime(1700000000,'auto'), datetime(2460000,'auto'), datetime('2024-01-01','julianday'), datetime(2460000,'julianday'), datetime('nonsense'), date(NULL), datetime('2024-01-01','nonsense')

SELECT strftime('%d %e %f %F %G %g %H %I %j %J %k %l %m %M %p %P %R %s %S %T %u %U %V %w %W %Y %%','2024-02-03 04:05:06.789')

SELECT strftime('%q','2024-01-01'), strftime('abc'), strftime('%H:%M','14:30'), strftime('%s','2024-01-01','+1 day')

SELECT timediff('2024-03-01','2024-02-28'), timediff('2023-01-01','2024-06-15 12:30:00'), timediff('2024-01-01','nope')

SELECT unixepoch('2024-01-01 00:00:00.5','subsec'), time('12:00','subsecond'), julianday('2024-01-01 12:00'), typeof(unixepoch('2024-01-01'))

SELECT date('-4713-11-24'), date('9999-12-31'), date('9999-12-31','+1 day'), date('0000-01-01'), datetime(-1,'unixepoch')

SELECT date('now')=date(), typeof(julianday()), datetime('now','start of day')=date('now')||' 00:00:00'

SELECT date('2024-01-01',NULL), date('2024-01-01','+1 days','+ 1 day'), date('2024-01-01','1 day'), date('2024-01-01','+1 fortnight'), date(' 2024-01-01')

SELECT strftime('%G-W%V-%u','2021-01-03'), strftime('%U %W','2023-01-01'), strftime('%j','2024-12-31')
SELECT strftime(1, '2000-01-01'), strftime(1.0, '2000-01-01'), strftime(x'31', '2000-01-01'), strftime(1, '2000-01-01');
SELECT date(0), date(0.0), date(-0.0), julianday(1), julianday(1.0), unixepoch(2460000), unixepoch(2460000.0), strftime('%f', 2460000), strftime('%f', 2460000.0);
