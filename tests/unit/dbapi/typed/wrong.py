"""A client with a mistake in every line but the first."""

import minisql

c = minisql.connect(5)
c.execute(5)
c.create_function("f", "x", len)
c.nothing()
