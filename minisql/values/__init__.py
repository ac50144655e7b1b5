"""What an SQL value is and how values behave: the one place where SQLite's value semantics live.

A value is `None`, `int` (64 bits signed), `float` (never NaN), `str` or `bytes`; `bool` is never a value.  Both VM tiers, the
constant folder, index keys and the SQL functions call the plain functions of these modules; a fast path elsewhere may skip a
call, it never decides differently.

- `storage_class`: the `Value` type, storage class names, text encodings
- `affinity`: column affinity, comparison affinity and how they are applied
- `collation`: BINARY, NOCASE, RTRIM and user-defined collating sequences
- `compare`: the total order, the SQL comparison operators, sort keys
- `arithmetic`: operators with int64 overflow, bits, concatenation, three-valued logic
- `cast`: CAST and the conversions between storage classes
- `number_text`: REAL to text and text to number, digit for digit as SQLite does it

Source: https://www.sqlite.org/datatype3.html.
"""
