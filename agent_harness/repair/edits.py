"""Edit operators: small changes of a source text, as byte splices at the positions of its tree.

Each operator undoes one kind of slip: a wrong comparison, arithmetic or boolean operator, a constant off by one, a condition
turned round, arguments or branches swapped, a name for its counterpart, a statement too many, `break` for `continue`, an
exception that nobody raises, a loop over nothing.  A splice never adds or removes a line, so that line numbers stay true.
`weight` says how often this kind of slip is the cause, before anything is known about the line.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from agent_harness.repair.formatted import expressions_in

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
ORDERING = ("<", "<=", ">", ">=", "==", "!=")
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "is": "is not", "is not": "is"}
NEGATED |= {"in": "not in", "not in": "in"}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
COUNTERPART = {
    "+": "-",
    "-": "+",
    "*": "//",
    "/": "//",
    "//": "/",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "%": "//",
}
UNUSUAL = ("**", "^", "/", "<<", ">>")
NAME_PAIRS = (
    *(("left", "right"), ("first", "last"), ("min", "max"), ("lower", "upper"), ("start", "end"), ("any", "all")),
    *(("append", "extend"), ("lstrip", "rstrip"), ("startswith", "endswith"), ("floor", "ceil"), ("inner", "outer")),
    *(
        ("source", "target"),
        ("key", "value"),
        ("row", "column"),
        ("before", "after"),
        ("find", "rfind"),
        ("low", "high"),
    ),
)
PAIRS = {**dict(NAME_PAIRS), **{right: left for left, right in NAME_PAIRS}}
EXCEPTIONS = (
    *("ValueError", "KeyError", "IndexError", "TypeError", "OverflowError", "AttributeError", "StopIteration"),
    *("ZeroDivisionError", "OSError", "RecursionError", "UnicodeDecodeError", "UnicodeEncodeError", "Exception"),
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Edit:
    """One candidate: `file` with bytes `start`..`end` replaced; `lines` are those whose running makes it relevant."""

    file: str
    start: int
    end: int
    replacement: str
    operator: str
    weight: float
    line: int
    lines: range

    def apply(self, text: bytes) -> bytes:
        """The edited text."""
        return text[: self.start] + self.replacement.encode() + text[self.end :]

    def splice(self) -> list[list[object]]:
        """The form that the evaluator takes."""
        return [[self.start, self.end, self.replacement]]


class Source:
    """A file's text with its tree and byte offsets."""

    def __init__(self, file: str, text: bytes) -> None:
        self.file = file
        self.text = text
        self.tree = ast.parse(text)
        self._starts = [0]
        for line in text.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self.loads = [(n.id, n.lineno) for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        self.module_names = list(_module_names(self.tree))
        self.names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        self.defined = _defined(self.tree)

    def is_in_function(self, line: int) -> bool:
        """Whether a line belongs to the body of a function or method."""
        return any(
            node.body[0].lineno <= line <= (node.end_lineno or 0)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a tree position."""
        return self._starts[line - 1] + column

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Where a node begins."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Where a node ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """A node's text."""
        return self.text[self.start(node) : self.end(node)].decode()


def _module_names(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """The names that assignments at the top of the module bind, with the lines of the assignment."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node.lineno, node.end_lineno or node.lineno


def _defined(tree: ast.Module) -> set[str]:
    """Every name that the module binds anywhere, and the built-in ones."""
    names = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def all_edits(source: Source, wanted: AbstractSet[int] | None = None) -> Iterator[Edit]:
    """Every edit of a file's statements (those with a wanted line; None: all), in their order."""
    for scope, statement in _statements(source.tree, None):
        first, last = _own_lines(statement)
        lines = range(first, last + 1)
        if wanted is not None and wanted.isdisjoint(lines):
            continue
        for start, end, replacement, operator, weight, line in _statement_edits(source, scope, statement):
            text = source.text[start:end]
            replacement += "\n" * (text.count(b"\n") - replacement.count("\n"))
            if replacement.encode() != text:
                yield Edit(source.file, start, end, replacement, operator, weight, line, lines)


Splice = tuple[int, int, str, str, float, int]
Scope = ast.FunctionDef | ast.AsyncFunctionDef | None


def _statements(node: ast.AST, scope: Scope) -> Iterator[tuple[Scope, ast.stmt | ast.ExceptHandler]]:
    """All statements and except clauses with the function that they stand in."""
    pending: list[tuple[ast.AST, Scope]] = [(node, scope)]
    while pending:
        parent, inside = pending.pop()
        found = [
            child for child in ast.iter_child_nodes(parent) if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]
        for child in reversed(found):
            pending.append((child, child if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else inside))
        if isinstance(parent, ast.stmt | ast.ExceptHandler):
            yield inside, parent


def _own_lines(statement: ast.stmt | ast.ExceptHandler) -> tuple[int, int]:
    """The lines of a statement without the statements inside it."""
    inner = [child.lineno for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]
    last = statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, min(inner) - 1) if inner else last


def _expressions(source: Source, statement: ast.stmt | ast.ExceptHandler) -> Iterator[ast.expr]:
    """The expressions of a statement without those of inner statements and annotations."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr):
            yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_comment"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.JoinedStr):
                    yield from expressions_in(source.segment(child), child.lineno, child.col_offset)
                elif isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                    pending.append(child)


def _statement_edits(source: Source, scope: Scope, statement: ast.stmt | ast.ExceptHandler) -> Iterator[Splice]:
    if isinstance(statement, ast.stmt):
        yield from _whole_statement(source, statement)
    if isinstance(statement, ast.If | ast.While | ast.Assert):
        yield from _negated(source, statement.test, 0.6)
    elif isinstance(statement, ast.Return) and statement.value is not None:
        yield from _negated(source, statement.value, 0.15)
    elif isinstance(statement, ast.For):
        yield from _loop_over(source, scope, statement)
    elif isinstance(statement, ast.ExceptHandler):
        yield from _exceptions(source, statement)
        return
    elif isinstance(statement, ast.AugAssign):
        yield from _augmented(source, statement)
    for expression in _expressions(source, statement):
        yield from _expression_edits(source, expression)


def _whole_statement(source: Source, statement: ast.stmt) -> Iterator[Splice]:
    start, end, line = source.start(statement), source.end(statement), statement.lineno
    if isinstance(statement, ast.Break):
        yield start, end, "continue", "break to continue", 1.0, line
    elif isinstance(statement, ast.Continue):
        yield start, end, "break", "continue to break", 1.0, line
        yield start, end, "pass", "delete statement", 0.3, line
    elif (isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant | ast.Yield)) or isinstance(
        statement, ast.AugAssign
    ):
        yield start, end, "pass", "delete statement", 0.25, line
    elif isinstance(statement, ast.If) and not statement.orelse:
        yield source.start(statement.test), source.end(statement.test), "False", "condition off", 0.3, line
        yield source.start(statement.test), source.end(statement.test), "True", "condition on", 0.2, line


def _is_deletable(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant | ast.Yield)
    return isinstance(statement, ast.AugAssign)


def _negated(source: Source, test: ast.expr, weight: float) -> Iterator[Splice]:
    """`test` turned round; a single comparison or a `not` has operators of its own for that."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return
    if isinstance(test, ast.Constant | ast.JoinedStr | ast.Tuple | ast.List | ast.Dict | ast.Lambda):
        return
    start, end = source.start(test), source.end(test)
    yield start, end, f"(not ({source.segment(test)}))", "negate", weight, test.lineno


def _loop_over(source: Source, scope: Scope, statement: ast.For) -> Iterator[Splice]:
    """A loop over an empty literal never runs: give it what the function knows."""
    if not isinstance(statement.iter, ast.List | ast.Tuple) or statement.iter.elts:
        return
    start, end, line = source.start(statement.iter), source.end(statement.iter), statement.lineno
    known = _known_values(source, scope, line)
    forms = ["{}", "enumerate({})", "{}.items()", "range(len({}))", "range({})", "reversed({})", "{}.values()"]
    pairs = [f"zip({one}, {other})" for one in known[:12] for other in known[:12] if one != other]
    texts = [form.format(name) for form in forms for name in known]
    for text in texts + (pairs if isinstance(statement.target, ast.Tuple) else []):
        yield start, end, text, "loop over nothing", 3.0, line


def _known_values(source: Source, scope: Scope, line: int) -> list[str]:
    """Names and attributes that a function uses, those it never reads first."""
    if scope is None:
        return []
    arguments = [argument.arg for argument in (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs)]
    loads: dict[str, int] = {name: 0 for name in arguments}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and node.id not in dir(builtins):
            loads[node.id] = loads.get(node.id, 0) + isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
            text = source.segment(node)
            loads[text] = loads.get(text, 0) + 1
    return sorted(loads, key=lambda name: loads[name])[:40]


def _exceptions(source: Source, clause: ast.ExceptHandler) -> Iterator[Splice]:
    names = clause.type.elts if isinstance(clause.type, ast.Tuple) else [clause.type]
    for node in names:
        if not isinstance(node, ast.Name | ast.Attribute):
            continue
        is_unknown = isinstance(node, ast.Name) and node.id not in source.defined
        used = sorted(name for name in source.names if name.endswith(("Error", "Exception")) and name in source.defined)
        for name in dict.fromkeys([*used, *EXCEPTIONS]):
            yield source.start(node), source.end(node), name, "exception", 5.0 if is_unknown else 0.1, node.lineno


def _augmented(source: Source, statement: ast.AugAssign) -> Iterator[Splice]:
    old = ARITHMETIC.get(type(statement.op))
    if old is not None:
        yield from _swap(
            source,
            source.end(statement.target),
            source.start(statement.value),
            old + "=",
            (
                (new + "=", 0.7 if COUNTERPART.get(old) == new else 0.2)
                for new in ARITHMETIC.values()
                if new != old and new != "@"
            ),
            "arithmetic",
            statement.lineno,
        )


def _expression_edits(source: Source, node: ast.expr) -> Iterator[Splice]:
    if isinstance(node, ast.Compare):
        yield from _comparisons(source, node)
    elif isinstance(node, ast.BoolOp):
        yield from _boolean(source, node)
    elif isinstance(node, ast.BinOp):
        yield from _arithmetic(source, node)
    elif isinstance(node, ast.UnaryOp):
        yield from _unary(source, node)
    elif isinstance(node, ast.Constant):
        yield from _constants(source, node)
    elif isinstance(node, ast.IfExp):
        yield from _negated(source, node.test, 0.6)
        yield from _alike_branches(source, node)
    elif isinstance(node, ast.Call):
        yield from _arguments(source, node)
    elif isinstance(node, ast.Name | ast.Attribute):
        yield from _names(source, node)
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for generator in node.generators:
            for test in generator.ifs:
                yield from _negated(source, test, 0.5)
    yield from _lost_signs(source, node)


def _lost_signs(source: Source, node: ast.expr) -> Iterator[Splice]:
    """A minus in front of what stands where a number may stand."""
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.Call):
        parts = node.args
    elif isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    else:
        return
    for part in parts:
        text = source.segment(part)
        if isinstance(part, ast.Name | ast.Attribute | ast.Call | ast.Subscript) and "\n" not in text:
            yield source.start(part), source.end(part), f"-{text}", "sign", 0.08, part.lineno


def _alike_branches(source: Source, node: ast.IfExp) -> Iterator[Splice]:
    """A condition that decides between the same and the same: one of them must have meant something else."""
    text = source.segment(node.body)
    if text == source.segment(node.orelse) and "\n" not in text:
        for branch in (node.orelse, node.body):
            for sign in ("-", "not ", "~"):
                yield source.start(branch), source.end(branch), sign + text, "alike branches", 2.0, branch.lineno


def _swap(
    source: Source, start: int, end: int, old: str, new: Iterator[tuple[str, float]], operator: str, line: int
) -> Iterator[Splice]:
    """The operator `old` between two operands, replaced by each of `new`."""
    pattern = r"\s+".join(map(re.escape, old.split()))
    pattern = rf"\b{pattern}\b" if old[0].isalpha() else pattern
    between = re.sub(rb"#[^\n]*", lambda match: b" " * len(match.group()), source.text[start:end])
    match = re.search(pattern.encode(), between)
    if match is None:
        return
    for text, weight in new:
        yield start + match.start(), start + match.end(), text, operator, weight, line


def _comparisons(source: Source, node: ast.Compare) -> Iterator[Splice]:
    left = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        old = COMPARISONS[type(op)]
        others = [new for new in COMPARISONS.values() if new != old]
        # Identity with anything but None, a class or a named constant is rarely meant.
        factor = 2.5 if old.startswith("is") and not _may_be_identical(right) else 1.0
        weights = ((new, _comparison_weight(old, new) * factor) for new in others)
        yield from _swap(source, source.end(left), source.start(right), old, weights, "comparison", node.lineno)
        left = right


def _may_be_identical(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, bool)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name[:1].isupper() or name.lstrip("_")[:1].isupper() or name in ("int", "str", "float", "bytes", "bool")


def _comparison_weight(old: str, new: str) -> float:
    if NEGATED[old] == new or BOUNDARY.get(old) == new:
        return 1.0
    if old in ORDERING and new in ORDERING:
        return 0.7
    return 0.35


def _boolean(source: Source, node: ast.BoolOp) -> Iterator[Splice]:
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield from _swap(source, source.end(left), source.start(right), old, iter([(new, 0.9)]), "boolean", left.lineno)
    for value in node.values:
        yield from _negated(source, value, 0.5)


def _arithmetic(source: Source, node: ast.BinOp) -> Iterator[Splice]:
    old = ARITHMETIC.get(type(node.op))
    if old is None or (old == "%" and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
        return
    factor = 1.5 if old in UNUSUAL else 1.0
    weights = (
        (new, (0.8 if COUNTERPART.get(old) == new or (factor > 1 and new in "+-*") else 0.4) * factor)
        for new in ARITHMETIC.values()
        if new != old
    )
    yield from _swap(source, source.end(node.left), source.start(node.right), old, weights, "arithmetic", node.lineno)


def _unary(source: Source, node: ast.UnaryOp) -> Iterator[Splice]:
    start, operand = source.start(node), source.start(node.operand)
    if isinstance(node.op, ast.Not):
        inner = source.text[start + 3 : operand].decode()
        yield start, operand, inner.lstrip(), "negate", 0.9, node.lineno
        return
    signs = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
    odd = 1.2 if isinstance(node.op, ast.UAdd | ast.Invert) else 0.6
    for new in ("", "-", "+", "~", "not "):
        if new != signs[type(node.op)]:
            yield start, start + 1, new, "sign", odd if new in ("", "-", "not ") else 0.3, node.lineno


def _constants(source: Source, node: ast.Constant) -> Iterator[Splice]:
    start, end, value = source.start(node), source.end(node), node.value
    if isinstance(value, bool):
        yield start, end, str(not value), "truth value", 0.9, node.lineno
    elif isinstance(value, int | float) and source.text[start:end][:1].isdigit():
        for new in dict.fromkeys([value - 1, value + 1]):
            text = repr(new) if new >= 0 else f"({new!r})"
            yield start, end, text, "constant", 0.8 if isinstance(value, int) else 0.4, node.lineno
    elif value is None:
        yield start, end, "0", "constant", 0.05, node.lineno


def _arguments(source: Source, node: ast.Call) -> Iterator[Splice]:
    for left, right in zip(node.args, node.args[1:], strict=False):
        first, second = source.segment(left), source.segment(right)
        if isinstance(left, ast.Starred) or isinstance(right, ast.Starred) or "\n" in first + second:
            continue
        between = source.text[source.end(left) : source.start(right)].decode()
        yield source.start(left), source.end(right), second + between + first, "arguments", 0.3, node.lineno


def _names(source: Source, node: ast.Name | ast.Attribute) -> Iterator[Splice]:
    name = node.id if isinstance(node, ast.Name) else node.attr
    for one, other in PAIRS.items():
        if name == one or re.search(rf"(^|_){one}(_|$)", name):
            new = re.sub(rf"(^|_){one}(?=_|$)", rf"\g<1>{other}", name)
            if isinstance(node, ast.Name) and new not in source.defined:
                continue
            yield source.end(node) - len(name.encode()), source.end(node), new, "name", 0.25, node.lineno
