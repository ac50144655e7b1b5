-- what stands beside a false term of AND
.each
select +0 AND nosuch
select -0 AND nosuch
select 0_0 AND nosuch
select 0 AND nosuch
select 00 AND nosuch
select 0x0 AND nosuch
select 0.0 AND nosuch
select (0) AND nosuch
select nosuch AND 0
select nosuch AND +0
select 1 OR nosuch
select +1 OR nosuch
select 1.0 OR nosuch
select true or nosuch
select false and nosuch
select 0 AND nosuch()
select 0 AND abs(1,2)
select 0 AND (select nosuch)
select not 0 or nosuch
select null and nosuch
select '0' and nosuch
select 0 and 0 and nosuch
select 1 and 0 and nosuch
