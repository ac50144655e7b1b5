"""Where one SQL statement of a record ends and the next begins.

Records usually hold one statement; some hold several, with `;` between them, and a CREATE TRIGGER holds semicolons of
its own. The rules are those of `sqlite3_complete`: strings, quoted names and comments hide a semicolon, and a trigger
ends at `END;` that stands right after a semicolon.
Source: https://www.sqlite.org/c3ref/complete.html
"""

import re

_TOKEN = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|;|[A-Za-z_][A-Za-z0-9_$]*|\s+|.""",
    re.DOTALL,
)


def split_statements(sql: str) -> list[str]:
    """Return the statements of a text in order, without the semicolons; blank ones and lone comments are dropped."""
    statements: list[str] = []
    words: list[str] = []
    start, is_trigger, after_semicolon, has_content = 0, False, False, False
    for match in _TOKEN.finditer(sql):
        token = match[0]
        if token.isspace() or token.startswith(("--", "/*")):
            continue
        if token != ";":
            word = token.lower()
            has_content = True
            if len(words) < 4:
                words.append(word)
                is_trigger = _opens_trigger(words)
            ends_trigger = after_semicolon and word == "end"
            after_semicolon = False
            if ends_trigger:
                is_trigger = False
            continue
        if is_trigger:
            after_semicolon = True
            continue
        if has_content:
            statements.append(sql[start : match.start()].strip())
        start, words, after_semicolon, has_content = match.end(), [], False, False
    if has_content:
        statements.append(sql[start:].strip())
    return statements


def _opens_trigger(words: list[str]) -> bool:
    """Whether the first words of a statement are CREATE [TEMP|TEMPORARY] TRIGGER, perhaps after EXPLAIN."""
    rest = words[1:] if words[0] == "explain" else words
    return rest[:2] == ["create", "trigger"] or (rest[:1] == ["create"] and rest[2:3] == ["trigger"] and rest[1] in _TEMP)


_TEMP = ("temp", "temporary")
