"""Shapes of stored records: what a cursor must know to turn a record into a row and back.

The catalog builds shapes from the schema, programs carry them, storage obeys them; so none of the three has to know the
others.  A row is a plain tuple with one value per stored column; an index entry is a plain tuple that ends with the rowid
(or, in a WITHOUT ROWID table's index, with the primary-key columns).

Source: https://www.sqlite.org/fileformat2.html, sections 2.1 to 2.4.
"""

from __future__ import annotations

from minisql.values.collation import Collation


class RowShape:
    """The shape of a rowid table's rows.

    `n_columns` stored columns; `rowid_column` is the position that holds the rowid (INTEGER PRIMARY KEY; stored as NULL,
    read as the rowid) or -1; `defaults` has one value per column for records that are too short; `real_columns` lists the
    positions with REAL affinity, whose integral values are stored as integers and come back as floats.
    """

    __slots__ = ("defaults", "n_columns", "real_columns", "rowid_column")

    def __init__(
        self, n_columns: int, rowid_column: int = -1, defaults: tuple[object, ...] = (), real_columns: tuple[int, ...] = ()
    ) -> None:
        self.n_columns = n_columns
        self.rowid_column = rowid_column
        self.defaults = defaults or (None,) * n_columns
        self.real_columns = real_columns

    def same_as(self, other: RowShape) -> bool:
        """Tells whether rows decoded for one shape serve the other."""
        return (
            self.n_columns == other.n_columns
            and self.rowid_column == other.rowid_column
            and self.defaults == other.defaults
            and self.real_columns == other.real_columns
        )


class KeyShape:
    """The shape of entries in an index b-tree (an index, or a WITHOUT ROWID table).

    `n_fields` values an entry, of which the first `n_key_fields` order the tree (for an ordinary index: all of them, rowid
    included); `collations` and `descending` have one item per key field; `real_fields` as in `RowShape.real_columns`;
    `defaults` fills short records of WITHOUT ROWID tables.  `ends_with_rowid` says that the last field is the rowid.
    """

    __slots__ = ("collations", "defaults", "descending", "ends_with_rowid", "n_fields", "n_key_fields", "real_fields")

    def __init__(
        self,
        n_fields: int,
        n_key_fields: int,
        collations: tuple[Collation, ...],
        descending: tuple[bool, ...],
        real_fields: tuple[int, ...] = (),
        defaults: tuple[object, ...] = (),
        ends_with_rowid: bool = False,
    ) -> None:
        self.ends_with_rowid = ends_with_rowid
        self.n_fields = n_fields
        self.n_key_fields = n_key_fields
        self.collations = collations
        self.descending = descending
        self.real_fields = real_fields
        self.defaults = defaults or (None,) * n_fields
