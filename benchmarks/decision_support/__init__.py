"""Decision support: TPC-H and the Star Schema Benchmark, with data made here, answered by minisql and by SQLite."""
