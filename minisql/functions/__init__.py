"""The SQL functions: scalar, aggregate and window, behind one registry.

`registry` says what exists and finds a function by name and number of arguments; `context` is what functions may ask of the
connection.  The functions live in one module per family, loaded when a name of the family is first looked up.  They take and
give values (`minisql.values`), raise SQLite's errors and know neither schema nor pages.

Source: https://www.sqlite.org/lang_corefunc.html, lang_aggfunc.html, lang_mathfunc.html, lang_datefunc.html, json1.html.
"""
