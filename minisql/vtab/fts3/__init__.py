"""FTS3 and FTS4, the older full-text indexes, in SQLite's on-disk format.

`table` is the module, `configuration` its arguments, `tokenizers` the words of a text, `formats` the bytes, `segments` the
index in %_segments and %_segdir, `content` the rows, `expression` and `matching` the queries, `matchinfo` and `snippets` the
functions on a row, `commands` what INSERT into the hidden column runs, `terms` and `tokenize_table` two small tables about
the index and the tokenizers.

Source: https://www.sqlite.org/fts3.html.
"""
