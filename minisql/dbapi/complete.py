"""complete_statement: whether a text ends with a finished statement.

Source: https://www.sqlite.org/c3ref/complete.html.
"""

from __future__ import annotations

from minisql.dbapi.arguments import checked_function
from minisql.parser.tokenizer import kind_of, tokenize
from minisql.parser.tokens import COMMENT

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
    for word in tokenize(statement, 0, len(statement)):
        if word[:2] == "/*" and not (word.endswith("*/") and len(word) >= 4):
            return False
        if kind_of(word) == COMMENT:
            continue
        if word[0] in "'\"`[" and not (len(word) > 1 and word[-1] == ("]" if word[0] == "[" else word[0])):
            return False
        token = _SEMICOLON if word == ";" else _WORDS.get(word.lower(), _OTHER)
        state = _NEXT[state][token]
    return state == _START
