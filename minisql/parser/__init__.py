"""SQL text to syntax trees: tokenizer, recursive descent with an explicit stack for expressions, and trees back to text.

`parse_one`, `parse_script` and `parse_expression` read; `unparse` writes; `minisql.parser.ast` has the nodes.  Nothing here
knows a schema.
"""

from minisql.parser.parse import Parsed, parse_expression, parse_one, parse_script
from minisql.parser.recent_conditions import RecentConditions
from minisql.parser.tokenizer import Source

__all__ = ["Parsed", "RecentConditions", "Source", "parse_expression", "parse_one", "parse_script"]
