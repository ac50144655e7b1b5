-- what lang_corefunc.html, lang_aggfunc.html, lang_createtrigger.html, lang_altertable.html and lang_createtable.html say
.each
select abs(null),abs('x'),abs('-5'),abs(-5.5),abs(x'2d35'),changes(),char(65,0x1F600,-1,1114112,null,'66'),length(char(0,65))
select coalesce(null,null,3),ifnull(null,1),nullif(1,1),nullif(1,2),nullif(null,1),nullif(1,'1')
select coalesce(1)
select concat(1,null,'a',2.5,x'41'),concat(null),concat_ws(',',1,null,'a'),concat_ws(null,1,2),concat_ws(',',null),concat_ws('')
select concat_ws(',')
select concat()
select format('%d|%5d|%-5d|%05d|%+d|% d|%,d|%x|%X|%o|%#x|%#o',42,42,42,42,42,42,1234567,255,255,8,255,8)
select format('%f|%.2f|%10.3f|%-10.1f|%e|%E|%g|%G|%!g|%!.20f|%+.1f|%010.2f',3.14159,3.14159,3.14159,3.14159,31415.9,31415.9,0.00001234,1e20,3.1415926535897932,0.1,2.25,-3.5)
select format('%s|%10s|%-10s|%.2s|%!.2s|%c|%5c|%q|%Q|%w|%%|%z|%Q',  'abc','abc','abc','abc','éàü','xyz','x','it''s','it''s','a"b','zz',null)
select format('%s %s','only'),format('%d'),format('%s'),format('%d','abc'),format('%d','12abc'),format('%d',1e18),format('%d',9.9),format('%s',1.0),format('%x',-1),format('%y'),format('%'),format(null),format('%*d|%-*d|%.*f',5,42,5,42,2,3.14159),format('%lld %ld',1,2),format('%i %u',-1,-1),format('%p',255),format('%n'),format('%5%')
select format('%d',9223372036854775807),format('%u',-1),format('%,d',-1234567),format('%,.2f',1234567.891),format('%.0f',0.5),format('%.0f',1.5),format('%.0f',2.5),format('%f',1e300) like '1000%',format('%.3d',5),format('%+.3e',12345.678),format('%#.0f',3.0),format('%g',100000.0),format('%g',1000000.0),format('%.10g',1.0/3),format('%f',9e999),format('%e',-9e999),format('%d',9e999),format('%010d',-42),format('%-010d|',42)
select glob('*','x'),hex('abc'),hex(x'00ff'),hex(12),hex(null),hex(''),instr('hello','l'),instr('hello','z'),instr('',''),instr('a',''),instr(null,'a'),instr(x'0102',x'02'),instr('é','é')
select iif(null,1,2),last_insert_rowid(),length('é'),length(x'0011'),length(12.5),length(null),length(''),like('A','a'),lower('ÀB'),upper('àb'),ltrim('  x '),ltrim('xxyx','xy'),rtrim(' x  '),trim('--x-','-'),trim('x',null),trim('abc','')
select max(1,2,3),max('a',1),max(1,null),min(1,'a',x'00'),min(null,1),max(1),min(1.0,1),max(1,1.0),typeof(max(1,1.0)),max('a','B' collate nocase)
select max()
select octet_length('é'),octet_length(12),octet_length(null),octet_length(x'001122'),quote('a''b'),quote(null),quote(1.0),quote(x'ab'),quote(1e999),quote(-1e999),quote('a'||char(0)||'b'),quote(0.1),quote(1e100),quote(9007199254740993)
select replace('abcabc','b','x'),replace('abc','','x'),replace(null,'a','b'),replace('aaa','a','aa'),replace('abc','abc',''),replace(123,2,'x'),replace('abc','b',null)
select round(2.5),round(-2.5),round(0.5),round(1.005,2),round(123.456,-1),round(123.456,1),round('2.567',2),round(1e20),round(null),round(1.5,null),round(9007199254740993),round(0.49999999999999994),round(-0.4),typeof(round(1)),round(5,30),round(1234.5678,40)
select sign(5),sign(-2.5),sign(0),sign('x'),sign(null),sign('5'),soundex is null from (select 1 soundex)
select substr('hello',2),substr('hello',2,3),substr('hello',-3),substr('hello',-3,2),substr('hello',0),substr('hello',0,2),substr('hello',2,-1),substr('hello',-2,-2),substr('hello',10),substr('hello',1,0),substr('héllo',2,1),substr(x'010203',2,1),substr(12345,2,2),substr('hello',null),substr('hello',2,null),substr('hello',1.9),substr('hello','2'),substring('abc',2),substr('hello',-10,7)
select unistr('\u0041\U00000042\0043\+000044\\'),unistr('x'),unistr(null),unistr_quote('a'||char(10)),unistr_quote(null),unistr_quote('plain'),unistr_quote(5)
select unistr('\q')
select unistr('\u00')
select likely(5),unlikely(null),likelihood(3,0.5),typeof(null),typeof(1),typeof(1.0),typeof('a'),typeof(x'00'),sqlite_version()>'3.5',sqlite_compileoption_used('nosuch')
select if(1,2,3),if(0,1),iif(0,1,1,5)
select acos(2),acos(1),asin(1),atan(1),atan2(1,2),atanh(0.5),ceil(1.2),ceiling(-1.2),cos(0),cosh(0),degrees(pi()),exp(1),floor(-1.5),ln(0),ln(-1),ln(1),log(100),log10(1000),log(2,8),log2(8),mod(7,3),mod(-7.5,2),mod(1,0),pi(),pow(2,10),power(2,0.5),pow(0,0),pow(-1,0.5),radians(180),sin(0),sinh(1),sqrt(2),sqrt(-1),tan(1),tanh(1),trunc(-1.7),trunc('1.5'),ceil('x'),typeof(ceil(1)),typeof(floor(1.0)),log(-1,2),log(1,2),log(0,2),exp('1'),ceil(9223372036854775807)
create table a(x,y)
insert into a values(1,'a'),(2,null),(null,'c'),('3','a'),(2.5,x'00')
select avg(x),count(x),count(*),group_concat(y),group_concat(y,'-'),max(x),min(x),sum(x),total(x),string_agg(y,','),typeof(sum(x)) from a
select avg(x),count(x),count(*),group_concat(y),max(x),min(x),sum(x),total(x) from a where 0
select sum(distinct x),count(distinct y),group_concat(distinct y),avg(distinct x) from a
select group_concat(y order by x desc),group_concat(y,'+' order by y),string_agg(y,null) from a
select sum(9223372036854775807) from (select 1 union all select 2)
select total(9223372036854775807),avg(9223372036854775807) from (select 1 union all select 2)
select sum(x) from (select 9223372036854775807 x union all select 1 union all select -1)
select sum(x) from (select 1e308 x union all select 1e308 union all select -1e308)
select sum(x),typeof(sum(x)) from (select '1' x union all select '2')
select sum(x),typeof(sum(x)) from (select 'abc' x union all select 1)
select max(x), y from a
select min(x), y from a
select max(x), min(x), y from a
select y, max(x) from a group by y order by 1
select median(x),percentile(x,50),percentile_cont(x,0.5),percentile_disc(x,0.5) from a where typeof(x)<>'text'
select count(*) filter (where x>1), sum(x) filter (where y is not null) from a
select count() from a
select count(x,y) from a
select sum(*) from a
select group_concat(x,y,1) from a

.reset

.each
create table t(a integer primary key,b,c)
create table log(id integer primary key,msg)
create trigger b1 before insert on t begin insert into log(msg) values('b '||coalesce(new.a,'null')||new.b); end
create trigger a1 after insert on t for each row begin insert into log(msg) values('a '||new.a||new.b); end
create trigger u1 update of b on t when old.b<>new.b begin insert into log(msg) values(old.b||'->'||new.b); end
create trigger d1 delete on t begin insert into log(msg) values('d '||old.a); end
insert into t(b) values('x'),('y')
insert into t values(10,'z',1)
update t set b=b
update t set b='q' where a=1
update t set c=5
update or ignore t set a=2 where a=1
delete from t where a=10
replace into t values(1,'r',2)
select * from log
create trigger bad1 after insert on t begin select nosuch; end
insert into t values(50,1,1)
drop trigger bad1
create trigger bad2 after insert on nosuch begin select 1; end
create trigger bad3 instead of insert on t begin select 1; end
create view v as select a,b from t
create trigger bad4 after insert on v begin select 1; end
create trigger iv instead of insert on v begin insert into t(a,b) values(new.a,new.b); end
create trigger iu instead of update of a on v begin update t set a=new.a where a=old.a; end
create trigger idl instead of delete on v begin delete from t where a=old.a; end
insert into v values(77,'v')
update v set a=78 where a=77
update v set b=1 where a=78
delete from v where a=78
select * from t
create trigger r1 before update on t begin select raise(ignore) where new.c=99; select raise(abort,'no '||new.c) where new.c=98; select raise(fail,'fail') where new.c=97; select raise(rollback,'rb') where new.c=96; end
update t set c=99
update t set c=98
update t set c=97
begin
update t set c=96
commit
select a,c from t
create trigger bad5 after insert on t begin insert into main.log values(1,2); end
create trigger bad6 after insert on t begin update t indexed by x set a=1; end
create trigger bad7 after insert on t begin insert into log default values; end
create trigger bad8 after insert on t begin delete from log order by id limit 1; end
create trigger bad9 after insert on t begin with q as (select 1) insert into log select 1,2; end
create trigger bad10 after insert on t begin insert into log(msg) values(?1); end
create trigger bad11 after insert on t begin insert into log(msg) values(old.a); end
create trigger bad12 after delete on t begin insert into log(msg) values(new.a); end
create trigger bad13 after update of nosuch on t begin select 1; end
create trigger bad14 after insert on t for each statement begin select 1; end
create trigger bad15 after insert on t begin select 1 end
create trigger bad16 after insert on t begin end
create trigger bad17 after insert on sqlite_master begin select 1; end
create temp trigger tt after insert on t begin insert into log(msg) values('temp'); end
insert into t values(90,1,1)
select msg from log order by id desc limit 3
create trigger if not exists tt after insert on t begin select 1; end
create trigger tt after insert on t begin select 1; end
drop trigger tt
drop trigger tt
drop trigger tt
drop trigger if exists tt
select raise(abort,'x')
create trigger up after insert on t begin insert into log(id,msg) values(1,'c') on conflict(id) do update set msg=msg||excluded.msg; end
insert into t values(91,1,1)
select msg from log where id=1
drop table t
select name from sqlite_master

.reset

.each
create table t(a integer primary key autoincrement,b default 5,c text collate nocase,check(b>0))
insert into t(b) values(1),(2)
delete from t where a=2
insert into t(b) values(3)
select * from t
select * from sqlite_sequence
update sqlite_sequence set seq=100
insert into t(b) values(4)
select max(a) from t
insert into t values(9223372036854775807,1,1)
insert into t(b) values(1)
delete from sqlite_sequence
insert into t(b) values(1)
drop table sqlite_sequence
create table sqlite_foo(a)
create table e(a int primary key autoincrement)
create table e(a text primary key autoincrement)
create table e(a integer primary key desc autoincrement)
alter table t add d
alter table t add column e text default 'x' not null
alter table t add column f not null
alter table t add column g primary key
alter table t add column h unique
alter table t add column i default current_timestamp
alter table t add column j default (1+1)
alter table t add column k check(k<5) default 3
alter table t add column l check(l<5) default 7
alter table t add column m references t(a) default 1
alter table t rename column b to bb
alter table t rename bb to "b b"
select sql from sqlite_master where name='t'
alter table t drop column c
alter table t drop column "b b"
alter table t drop column a
create view v(x,y) as select a,e from t
create view v2(x) as select a,e from t
select * from v2
create view v3 as select 1 as a, 2 as a
select * from v3
create view v4(a,a) as select 1,2
create view v5 as select * from nosuch
select * from v5
create temp view v6 as select * from main.t
insert into v values(1,2)
update v set x=1
delete from v
drop table v
drop view t
alter table v rename to v9
alter table t rename to t9
select sql from sqlite_master where type='view' order by name
select sql from sqlite_temp_master
drop view v
drop view if exists v
create index i on v6(a)
create table t5 as select a,e,a+1 as s,'x' as lit,null as n,1.5 as r,cast(1 as text) as ct from t9
pragma table_info(t5)
select sql from sqlite_master where name='t5'
create table t6(a,a)
create table t7(a,b,primary key(a),primary key(b))
create table t8(a primary key,b primary key)
create table t10(a check(a>0) check(a<10), constraint c1 check(a<>5), constraint c1 unique(a))
insert into t10 values(0)
insert into t10 values(11)
insert into t10 values(5)
insert into t10 values(7),(7)
create table t11(a int default 5 default 6, b int default (a), c default "abc")
create table t11(a int default 5 default 6, c default 'abc', d default -5, e default +5.5, f default null, g default true, h default x'00', i default current_date)
insert into t11 default values
select a,c,d,e,f,g,h,length(i) from t11
create table t12(a, constraint)
create table t13(a constraint pk primary key constraint nn not null constraint uq unique on conflict replace)
insert into t13 values(1),(1)
insert into t13 values(null)
create unique index ui on t10(a)
create index ui on t10(a)
create index if not exists ui on t10(a)
create index i2 on t10(nosuch)
create index i3 on t10(a,a)
create index i4 on t10(a) where a>5
create index i5 on t10(a) where a>(select 1)
create index i6 on t10(a) where random()>0
create index i7 on t10(a+1,abs(a) desc)
create index i8 on t10(a) where b>5
create index i9 on sqlite_master(name)
drop index sqlite_autoindex_t10_1
drop index nosuch
drop index if exists nosuch
reindex i7
reindex nosuch
pragma index_list(t10)
pragma index_xinfo(i7)
