"""Virtual tables: the protocol for modules written in Python, and the built-in modules.

    from minisql.vtab import Cursor, Module, VirtualTable

    connection.create_module("name", module)

Source: https://www.sqlite.org/vtab.html.
"""

from minisql.vtab.protocol import *  # noqa: F403
from minisql.vtab.protocol import __all__ as __all__
