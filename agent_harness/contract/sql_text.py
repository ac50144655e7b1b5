"""SQL as tokens and as a set of features, without parsing it.

Clusters, twins, the hold-out and the gates look at SQL that may be wrong, unusual or not SQLite's at all, so they work on a
flat list of tokens: nothing is lost, the text can be put together again, and nothing is refused.  A feature is a short word
such as `full join`, `group by`, `window`, `lower()`: what a record needs from an engine.

Source: SQLite's documentation, lang_keywords.html and the syntax diagrams.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Token = tuple[str, str]

TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<blob>[xX]'[0-9a-fA-F]*')
    |(?P<string>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |(?P<number>0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)
    |(?P<word>[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*)
    |(?P<variable>\?\d*|[:@$]\w+)
    |(?P<operator>->>|\|\||<=|>=|<>|!=|==|<<|>>|->|.)""",
    re.X | re.S,
)
KEYWORDS = frozenset(
    [
        "abort",
        "action",
        "add",
        "after",
        "all",
        "alter",
        "always",
        "analyze",
        "and",
        "as",
        "asc",
        "attach",
        "autoincrement",
        "before",
        "begin",
        "between",
        "by",
        "cascade",
        "case",
        "cast",
        "check",
        "collate",
        "column",
        "commit",
        "conflict",
        "constraint",
        "create",
        "cross",
        "current",
        "current_date",
        "current_time",
        "current_timestamp",
        "database",
        "default",
        "deferrable",
        "deferred",
        "delete",
        "desc",
        "detach",
        "distinct",
        "do",
        "drop",
        "each",
        "else",
        "end",
        "escape",
        "except",
        "exclude",
        "exclusive",
        "exists",
        "explain",
        "fail",
        "filter",
        "first",
        "following",
        "for",
        "foreign",
        "from",
        "full",
        "generated",
        "glob",
        "group",
        "groups",
        "having",
        "if",
        "ignore",
        "immediate",
        "in",
        "index",
        "indexed",
        "initially",
        "inner",
        "insert",
        "instead",
        "intersect",
        "into",
        "is",
        "isnull",
        "join",
        "key",
        "last",
        "left",
        "like",
        "limit",
        "match",
        "materialized",
        "natural",
        "no",
        "not",
        "nothing",
        "notnull",
        "null",
        "nulls",
        "of",
        "offset",
        "on",
        "or",
        "order",
        "others",
        "outer",
        "over",
        "partition",
        "plan",
        "pragma",
        "preceding",
        "primary",
        "query",
        "raise",
        "range",
        "recursive",
        "references",
        "regexp",
        "reindex",
        "release",
        "rename",
        "replace",
        "restrict",
        "returning",
        "right",
        "rollback",
        "row",
        "rows",
        "savepoint",
        "select",
        "set",
        "table",
        "temp",
        "temporary",
        "then",
        "ties",
        "to",
        "transaction",
        "trigger",
        "unbounded",
        "union",
        "unique",
        "update",
        "using",
        "vacuum",
        "values",
        "view",
        "virtual",
        "when",
        "where",
        "window",
        "with",
        "without",
    ]
)
_DATE_FUNCTIONS = frozenset(("date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"))
_PHRASES = {
    "full join": r"\bfull (?:outer )?join\b",
    "left join": r"\bleft (?:outer )?join\b",
    "right join": r"\bright (?:outer )?join\b",
    "natural join": r"\bnatural\b",
    "cross join": r"\bcross join\b",
    "join": r"\bjoin\b",
    "using": r"\bjoin\b.*\busing \(",
    "group by": r"\bgroup by\b",
    "having": r"\bhaving\b",
    "distinct": r"\bdistinct\b",
    "order by": r"\border by\b",
    "nulls first or last": r"\bnulls (?:first|last)\b",
    "limit": r"\blimit\b",
    "union all": r"\bunion all\b",
    "union": r"\bunion (?!all\b)",
    "intersect": r"\bintersect\b",
    "except": r"\bexcept (?:select|values)\b",
    "window": r"\bover\b",
    "window frame": r"\b(?:rows|range|groups) (?:between|unbounded|current|\d)",
    "filter": r"\bfilter \(",
    "common table expression": r"^(?:explain )?with\b|\( with\b",
    "recursive": r"\bwith recursive\b",
    "subquery": r"\( (?:select|with|values)\b",
    "exists": r"\bexists \(",
    "in": r"\bin \(|\bin [a-z_]",
    "between": r"\bbetween\b",
    "like": r"\blike\b",
    "glob": r"\bglob\b",
    "case": r"\bcase\b",
    "cast": r"\bcast \(",
    "collate": r"\bcollate\b",
    "is": r"\bis\b|\bisnull\b|\bnotnull\b",
    "values": r"^values\b|\( values\b",
    "insert select": r"^(?:insert|replace) .*\bselect\b",
    "upsert": r"\bon conflict\b.*\bdo\b",
    "returning": r"\breturning\b",
    "conflict clause": r"\bor (?:ignore|replace|abort|fail|rollback)\b|\bon conflict (?:ignore|replace|abort|fail|rollback)\b",
    "foreign key": r"\breferences\b",
    "check": r"\bcheck \(",
    "unique": r"\bunique\b",
    "primary key": r"\bprimary key\b",
    "autoincrement": r"\bautoincrement\b",
    "without rowid": r"\bwithout rowid\b",
    "strict": r"\) strict\b",
    "generated column": r"\bgenerated always\b|\bas \(.*\) (?:stored|virtual)\b",
    "default": r"\bdefault\b",
    "partial index": r"^create (?:unique )?index .*\bwhere\b",
    "virtual table": r"^create virtual table\b",
    "savepoint": r"^(?:savepoint|release|rollback to)\b",
    "transaction": r"^(?:begin|commit|end|rollback)\b",
    "concatenation": r"\|\|",
    "json": r"\bjsonb?_|->",
}
_FEATURES = {name: re.compile(pattern, re.S) for name, pattern in _PHRASES.items()}
_STATEMENT = re.compile(
    r"^(?:explain (?:query plan )?)?(create (?:temp |temporary |unique |virtual )*(?:table|view|index|trigger)"
    r"|drop \w+|alter table|insert|replace|update|delete|pragma|vacuum|reindex|analyze|attach|detach)\b"
)


def tokens(sql: str) -> list[Token]:
    """The statement as (kind, text) pairs; their texts put together are the statement.

    Kinds: space, comment, blob, string, quoted, number, word, variable, operator.
    """
    return [(match.lastgroup or "operator", match.group()) for match in TOKEN.finditer(sql)]


def solid(found: Iterable[Token]) -> list[Token]:
    """The tokens without spaces and comments."""
    return [token for token in found if token[0] not in ("space", "comment")]


def normalised(sql: str) -> str:
    """One line in lower case, one space between tokens, literals kept: two spellings of a statement become one text."""
    return " ".join(text.lower() if kind == "word" else text for kind, text in solid(tokens(sql)))


def features(sql: str) -> frozenset[str]:
    """The SQL features of one statement."""
    parts = solid(tokens(sql))
    text = " ".join("''" if kind == "string" else '""' if kind == "quoted" else part.lower() for kind, part in parts)
    found = {name for name, pattern in _FEATURES.items() if pattern.search(text)}
    statement = _STATEMENT.match(text)
    if statement is not None:
        found.add(re.sub(r"\b(?:temp|temporary|unique|virtual) ", "", statement.group(1)))
    return frozenset(found | _function_features(parts))


def _function_features(parts: Sequence[Token]) -> set[str]:
    found: set[str] = set()
    for position, (kind, text) in enumerate(parts[:-1]):
        word = text.lower()
        if kind != "word" or parts[position + 1][1] != "(":
            continue
        before = parts[position - 1][1].lower() if position else ""
        is_name = before in ("table", "exists", "into", "index", "view", "on", "references", "as", "with", "recursive", ",")
        if word in _DATE_FUNCTIONS:
            found.add("date functions")
        elif word in ("replace", "like", "glob", "if") or (word not in KEYWORDS and not (is_name and before != ",")):
            found.add(f"{word}()")
    return found


def script_features(script: Sequence[str]) -> frozenset[str]:
    """The features of a script's last statement, and those of the schema statements before it."""
    found = set(features(script[-1])) if script else set()
    for sql in script[:-1]:
        if sql.lstrip()[:6].lower() in ("create", "alter "):
            found |= features(sql)
    return frozenset(found)
