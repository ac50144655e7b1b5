"""A connection's core: sessions, transactions, pragmas, and everything that needs both the planner and a file."""
