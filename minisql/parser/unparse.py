"""Trees back to canonical SQL text: parsing the text gives an equal tree.

Source: https://www.sqlite.org/lang.html.
"""

from __future__ import annotations

from minisql.parser import schema_writer, writer
from minisql.parser.writer import literal_text, quote_name

__all__ = ["literal_text", "quote_name", "unparse"]

writer.WRITERS.update(schema_writer.WRITERS)


def unparse(node: object) -> str:
    """Returns the SQL text of a statement, an expression or another node."""
    return writer.write(node, 0)
