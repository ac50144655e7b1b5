"""The built-in window functions by name and arity; planner and VM give them their meaning.

Source: https://www.sqlite.org/windowfunctions.html section 3.
"""

from __future__ import annotations

from minisql.functions.registry import WindowFunction

FUNCTIONS = (
    WindowFunction("row_number", 0, 0),
    WindowFunction("rank", 0, 0),
    WindowFunction("dense_rank", 0, 0),
    WindowFunction("percent_rank", 0, 0),
    WindowFunction("cume_dist", 0, 0),
    WindowFunction("ntile", 1, 1),
    WindowFunction("lag", 1, 3),
    WindowFunction("lead", 1, 3),
    WindowFunction("first_value", 1, 1),
    WindowFunction("last_value", 1, 1),
    WindowFunction("nth_value", 2, 2),
)
