"""The page docs/opcodes.md, made from the operand contracts: `python -m minisql.bytecode.opcode_page > docs/opcodes.md`.

Source: https://www.sqlite.org/opcode.html, whose form it follows.
"""

from __future__ import annotations

import sys

from minisql.bytecode.opcodes import CONTRACTS

_HEAD = """# Opcodes

The instruction set of the virtual machine, generated from `minisql/bytecode/opcodes.py`. An instruction is
`(opcode, p1, p2, p3, p4, p5)`; `r[x]` is register x, `r[a..n]` are n registers from a. Opcodes that
may jump have their target in p2. `EXPLAIN` prints programs; `minisql.bytecode.listing` prints them with their
constants and loops.
"""


def opcode_page() -> str:
    """Returns the page as Markdown, one section per opcode in alphabetical order.

    Source: the contracts in minisql.bytecode.opcodes
    """
    parts = [_HEAD]
    for contract in sorted(CONTRACTS, key=lambda contract: contract.name.lower()):
        jump = " *May jump.*" if contract.jumps else ""
        parts.append(f"\n### {contract.name}\n\n{contract.text}{jump}\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(opcode_page())
