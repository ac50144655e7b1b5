"""FTS5: full-text search in SQLite's on-disk format.

    tokenizers, unicode_tables    text -> tokens
    configuration                 the arguments of CREATE VIRTUAL TABLE, the %_config table
    formats, segment_writer       structure record, pages of segment b-trees
    index, merging                pending terms, segments and levels, doclists
    expression, matching          the query language, its parser and evaluation
    auxiliary, snippets           rank functions, highlight, snippet, and the interface for user functions
    content, table, commands      the shadow tables, the virtual table, INSERT INTO ft(ft) commands
    integrity, vocabulary         the integrity check; fts5vocab

Source: https://www.sqlite.org/fts5.html.
"""
