"""complete_statement: whether a text ends with a finished statement.

It looks at words, quotes and comments only, as SQLite's does, and not through the parser.

Source: https://www.sqlite.org/c3ref/complete.html.
"""

from __future__ import annotations

from minisql.dbapi.arguments import checked_function

_INVALID, _START, _NORMAL, _EXPLAIN, _CREATE, _TRIGGER, _SEMI, _END = range(8)
_SEMICOLON, _OTHER, _WORD_EXPLAIN, _WORD_CREATE, _WORD_TEMP, _WORD_TRIGGER, _WORD_END = range(7)
_WORDS = {
    "explain": _WORD_EXPLAIN,
    "create": _WORD_CREATE,
    "temp": _WORD_TEMP,
    "temporary": _WORD_TEMP,
    "trigger": _WORD_TRIGGER,
    "end": _WORD_END,
}
_CLOSING = {"'": "'", '"': '"', "`": "`", "[": "]"}
_WORD_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")
# Rows: state; columns: ; other EXPLAIN CREATE TEMP TRIGGER END.  Only ";" behind END ends a CREATE TRIGGER.
_NEXT = (
    (_START, _NORMAL, _EXPLAIN, _CREATE, _NORMAL, _NORMAL, _NORMAL),
    (_START, _NORMAL, _EXPLAIN, _CREATE, _NORMAL, _NORMAL, _NORMAL),
    (_START, _NORMAL, _NORMAL, _NORMAL, _NORMAL, _NORMAL, _NORMAL),
    (_START, _EXPLAIN, _NORMAL, _CREATE, _NORMAL, _NORMAL, _NORMAL),
    (_START, _NORMAL, _NORMAL, _NORMAL, _CREATE, _TRIGGER, _NORMAL),
    (_SEMI, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER),
    (_SEMI, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER, _END),
    (_START, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER, _TRIGGER),
)


@checked_function()
def complete_statement(statement: str) -> bool:
    """True if the text ends with a semicolon that ends a statement; a trigger ends behind its END."""
    state = _INVALID
    at = 0
    n = len(statement)
    while at < n:
        character = statement[at]
        start = at
        at += 1
        if character in " \t\n\r\f":
            continue
        token = _OTHER
        if character == ";":
            token = _SEMICOLON
        elif character in _CLOSING:
            at = statement.find(_CLOSING[character], at) + 1
            if not at:
                return False
        elif statement.startswith("--", start):
            at = statement.find("\n", start) + 1
            if not at:
                return False
            continue
        elif statement.startswith("/*", start):
            at = statement.find("*/", start + 2) + 2
            if at < 2:
                return False
            continue
        elif _is_in_word(character):
            while at < n and _is_in_word(statement[at]):
                at += 1
            token = _WORDS.get(statement[start:at].lower(), _OTHER)
        state = _NEXT[state][token]
    return state == _START


def _is_in_word(character: str) -> bool:
    return character in _WORD_CHARACTERS or character >= "\x80"
