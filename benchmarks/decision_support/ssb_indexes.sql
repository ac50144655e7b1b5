-- Indexes on foreign keys.
CREATE INDEX lineorder_customer ON lineorder(lo_custkey);
CREATE INDEX lineorder_part ON lineorder(lo_partkey);
CREATE INDEX lineorder_supplier ON lineorder(lo_suppkey);
CREATE INDEX lineorder_date ON lineorder(lo_orderdate);
