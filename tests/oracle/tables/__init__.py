"""Tables of statements made by rule, one module a subject; `tests/oracle/features_runner.py` runs them."""
