"""R-Tree: rectangles in up to five dimensions, in SQLite's on-disk format.

    nodes       cells of a node, coordinates as 32-bit numbers
    tree        search, insertion, deletion over %_node, %_rowid and %_parent
    table       the virtual table; geometry callbacks
    functions   rtreecheck(), rtreenode(), rtreedepth()
    geopoly, polygons   the geopoly module and its functions

Source: https://www.sqlite.org/rtree.html.
"""
