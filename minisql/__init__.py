"""A SQLite-compatible database engine in pure Python."""
