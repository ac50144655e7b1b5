"""Storage: bytes, journals, locks and recovery below; b-trees and cursors on top.

What comes in is a path and a VFS; what goes out are rows and index entries as plain tuples.  Nothing here knows SQL text,
an AST or a schema: the caller says which root page it means and which `RowShape` or `KeyShape` its records have.

Source: https://www.sqlite.org/fileformat2.html.
"""
