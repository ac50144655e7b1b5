"""The harness uses public names of the runner only, so that each can change inside without the other."""

import ast
from pathlib import Path

import agent_harness

PACKAGE = Path(agent_harness.__file__).parent


def test_only_public_names_are_imported() -> None:
    private = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("sqllogictest", "minisql"):
                words = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                private += [f"{path.name}: {node.module} {word}" for word in words if word.startswith("_")]
    assert private == []
