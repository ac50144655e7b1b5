"""`python -m minisql [FILE] [SQL ...]`: the command line."""

import sys

from minisql.shell.main import main

if __name__ == "__main__":
    sys.exit(main())
