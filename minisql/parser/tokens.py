"""Token kinds: small integers, numbered so that one comparison answers the parser's questions.

SQLite lets 81 of its 147 keywords fall back to plain identifiers where no rule wants the keyword, and more in some places.
The numbers put identifiers, those keywords, INDEXED, the join keywords and strings in this order, so that each of SQLite's
four notions of a name (ID, id, idj, nm) is an upper bound.  `PRECEDENCE` is indexed by kind.

Source: https://www.sqlite.org/lang_keywords.html, https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes.
"""

from __future__ import annotations

# Names: `kind <= LAST_FALLBACK` is SQLite's ID, `<= INDEXED` its id, `<= LAST_JOIN_KEYWORD` its idj, `<= STRING` its nm.
ID = 0
QUOTED_ID = 1
ABORT = 2
ACTION = 3
AFTER = 4
ALWAYS = 5
ANALYZE = 6
ASC = 7
ATTACH = 8
BEFORE = 9
BEGIN = 10
BY = 11
CASCADE = 12
COLUMN = 13
CONFLICT = 14
CURRENT = 15
DATABASE = 16
DEFERRED = 17
DESC = 18
DETACH = 19
DO = 20
EACH = 21
END = 22
EXCLUDE = 23
EXCLUSIVE = 24
EXPLAIN = 25
FAIL = 26
FIRST = 27
FOLLOWING = 28
FOR = 29
GENERATED = 30
GROUPS = 31
IF = 32
IGNORE = 33
IMMEDIATE = 34
INITIALLY = 35
INSTEAD = 36
KEY = 37
LAST = 38
MATERIALIZED = 39
NO = 40
NULLS = 41
OF = 42
OFFSET = 43
OTHERS = 44
PARTITION = 45
PLAN = 46
PRAGMA = 47
PRECEDING = 48
QUERY = 49
RANGE = 50
RECURSIVE = 51
REINDEX = 52
RELEASE = 53
RENAME = 54
REPLACE = 55
RESTRICT = 56
ROLLBACK = 57
ROW = 58
ROWS = 59
SAVEPOINT = 60
TEMP = 61
TEMPORARY = 62
TIES = 63
TRIGGER = 64
UNBOUNDED = 65
VACUUM = 66
VIEW = 67
VIRTUAL = 68
WITH = 69
WITHOUT = 70
GLOB = 71
LIKE = 72
MATCH = 73
REGEXP = 74
WINDOW = 75
FILTER = 76
OVER = 77
CAST = 78
RAISE = 79
CURRENT_DATE = 80
CURRENT_TIME = 81
CURRENT_TIMESTAMP = 82
LAST_FALLBACK = CURRENT_TIMESTAMP
INDEXED = 83
CROSS = 84
FULL = 85
INNER = 86
LEFT = 87
NATURAL = 88
OUTER = 89
RIGHT = 90
LAST_JOIN_KEYWORD = RIGHT
STRING = 91

# Literals (STRING too) and parameters.
NUMBER = 92
BLOB = 93
VARIABLE = 94

# Operators with two operands that need no other care: AND and OR first.
OR = 95
AND = 96
EQ = 97
NE = 98
LT = 99
LE = 100
GT = 101
GE = 102
BITAND = 103
BITOR = 104
LSHIFT = 105
RSHIFT = 106
PLUS = 107
MINUS = 108
STAR = 109
SLASH = 110
REM = 111
CONCAT = 112
ARROW = 113
LONGARROW = 114

# Operators with a syntax of their own (GLOB, LIKE, MATCH and REGEXP stand among the names).
IS = 115
NOT = 116
IN = 117
BETWEEN = 118
ISNULL = 119
NOTNULL = 120
COLLATE = 121
ESCAPE = 122

# Punctuation, other tokens, and keywords that are never names.
LP = 123
RP = 124
COMMA = 125
DOT = 126
SEMI = 127
TILDE = 128
END_OF_INPUT = 129
ILLEGAL = 130
REGISTER = 131
COMMENT = 132
ADD = 133
ALL = 134
ALTER = 135
AS = 136
AUTOINCREMENT = 137
CASE = 138
CHECK = 139
COMMIT = 140
CONSTRAINT = 141
CREATE = 142
DEFAULT = 143
DEFERRABLE = 144
DELETE = 145
DISTINCT = 146
DROP = 147
ELSE = 148
EXCEPT = 149
EXISTS = 150
FOREIGN = 151
FROM = 152
GROUP = 153
HAVING = 154
INDEX = 155
INSERT = 156
INTERSECT = 157
INTO = 158
JOIN = 159
LIMIT = 160
NOTHING = 161
NULL = 162
ON = 163
ORDER = 164
PRIMARY = 165
REFERENCES = 166
RETURNING = 167
SELECT = 168
SET = 169
TABLE = 170
THEN = 171
TO = 172
TRANSACTION = 173
UNION = 174
UNIQUE = 175
UPDATE = 176
USING = 177
VALUES = 178
WHEN = 179
WHERE = 180

N_KINDS = 181

_KEYWORD_NAMES = """
    ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN
    BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT
    CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH
    DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST
    FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX
    INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH
    MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER OTHERS OUTER OVER
    PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX
    RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP
    TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW
    VIRTUAL WHEN WHERE WINDOW WITH WITHOUT
"""

KEYWORDS: dict[str, int] = {name: globals()[name] for name in _KEYWORD_NAMES.split()}
"""All 147 keywords, upper case, with their kinds."""

OPERATORS: dict[str, int] = {
    "=": EQ,
    "<>": NE,
    "<": LT,
    "<=": LE,
    ">": GT,
    ">=": GE,
    "&": BITAND,
    "|": BITOR,
    "<<": LSHIFT,
    ">>": RSHIFT,
    "+": PLUS,
    "-": MINUS,
    "*": STAR,
    "/": SLASH,
    "%": REM,
    "||": CONCAT,
    "->": ARROW,
    "->>": LONGARROW,
    "==": EQ,
    "!=": NE,
    "~": TILDE,
    "(": LP,
    ")": RP,
    ",": COMMA,
    ".": DOT,
    ";": SEMI,
}

OPERATOR_TEXT: list[str] = [""] * N_KINDS
"""How the tree spells an operator, by kind."""

for _text, _kind in (("OR", OR), ("AND", AND), ("IS", IS), *OPERATORS.items()):
    OPERATOR_TEXT[_kind] = OPERATOR_TEXT[_kind] or _text

# Levels of precedence, from loose to tight.  NOT as a prefix binds at PRECEDENCE_NOT; as part of NOT IN and the like it
# is as tight as `=`.  Prefix - + ~ bind tighter than everything.
PRECEDENCE_NOT = 3
PRECEDENCE_EQUALITY = 4
PRECEDENCE_PREFIX = 12

PRECEDENCE: list[int] = [0] * N_KINDS
"""Precedence of a kind after an operand; 0 if it does not continue an expression."""

for _kinds, _level in (
    ((OR,), 1),
    ((AND,), 2),
    ((EQ, NE, IS, NOT, IN, BETWEEN, ISNULL, NOTNULL, GLOB, LIKE, MATCH, REGEXP), PRECEDENCE_EQUALITY),
    ((LT, LE, GT, GE), 5),
    ((ESCAPE,), 6),
    ((BITAND, BITOR, LSHIFT, RSHIFT), 7),
    ((PLUS, MINUS), 8),
    ((STAR, SLASH, REM), 9),
    ((CONCAT, ARROW, LONGARROW), 10),
    ((COLLATE,), 11),
):
    for _operator in _kinds:
        PRECEDENCE[_operator] = _level
