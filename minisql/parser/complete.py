"""Tells whether a text ends with a complete statement, as the shell asks before it runs what was typed.

Source: https://www.sqlite.org/c3ref/complete.html.
"""

from __future__ import annotations

from minisql.parser import tokens as k
from minisql.parser.tokenizer import kind_of, tokenize

# States: nothing but complete statements so far; within a statement; after EXPLAIN; after CREATE [TEMP]; within a trigger;
# after a semicolon of a trigger; after END behind such a semicolon.
_INVALID, _START, _NORMAL, _EXPLAIN, _CREATE, _TRIGGER, _TRIGGER_SEMI, _TRIGGER_END = range(8)

_NEXT: dict[int, dict[int, int]] = {
    _INVALID: {k.SEMI: _START, k.EXPLAIN: _EXPLAIN, k.CREATE: _CREATE},
    _START: {k.SEMI: _START, k.EXPLAIN: _EXPLAIN, k.CREATE: _CREATE},
    _NORMAL: {k.SEMI: _START},
    _EXPLAIN: {k.SEMI: _START, k.EXPLAIN: _EXPLAIN, k.CREATE: _CREATE, k.TRIGGER: _NORMAL, k.END: _NORMAL},
    _CREATE: {k.SEMI: _START, k.TEMP: _CREATE, k.TEMPORARY: _CREATE, k.TRIGGER: _TRIGGER},
    _TRIGGER: {k.SEMI: _TRIGGER_SEMI},
    _TRIGGER_SEMI: {k.SEMI: _TRIGGER_SEMI, k.END: _TRIGGER_END},
    _TRIGGER_END: {k.SEMI: _START},
}
_OTHERWISE = {_EXPLAIN: _EXPLAIN, _TRIGGER: _TRIGGER, _TRIGGER_SEMI: _TRIGGER, _TRIGGER_END: _TRIGGER}


def is_complete(sql: str) -> bool:
    """Tells whether the text ends in a semicolon that ends a statement; a trigger's own semicolons do not."""
    state = _INVALID
    words = tokenize(sql, 0, len(sql))
    if words and words[-1].startswith("--") and not sql.endswith("\n"):
        return False
    for word in words:
        kind = kind_of(word)
        if kind == k.COMMENT:
            if word.startswith("/*") and not word.endswith("*/"):
                return False
        elif kind == k.END_OF_INPUT:
            break
        elif kind == k.ILLEGAL and word[0] in "'\"`[":
            return False
        else:
            state = _NEXT[state].get(kind, _OTHERWISE.get(state, _NORMAL))
    return state == _START
