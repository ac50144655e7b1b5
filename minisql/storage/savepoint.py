"""A savepoint of the pager: what it takes to go back to the moment when it was opened.

Source: https://www.sqlite.org/lang_savepoint.html.
"""

from __future__ import annotations

from minisql.storage.node import Node


class Savepoint:
    """What it takes to go back: the header, the number of pages, and pages as they were.

    `mapped` are b-tree pages whose pointer map entries were set within it: who goes back has to set them again.
    """

    __slots__ = ("header", "mapped", "n_pages", "saved")

    def __init__(self, header: bytes, n_pages: int) -> None:
        self.header = header
        self.n_pages = n_pages
        self.saved: dict[int, tuple[Node, tuple[object, ...]] | None] = {}
        self.mapped: set[int] = set()
