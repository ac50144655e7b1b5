"""sqlite.lark as a judge of sentences: it accepts or refuses a statement, and says which of its alternatives the statement uses.

Lark makes the LALR table; a small driver walks it, because SQLite's tokens are not lark's: a keyword that the place has no use
for is a name (as in https://www.sqlite.org/lang_keywords.html), WINDOW, OVER and FILTER are keywords only before and behind
certain tokens, and the arguments of a virtual table are any tokens.  A state's most frequent reduction is its default, so that
a name is preferred to a keyword that would only end the rule before it: `a GENERATED` declares a type.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import lark
from lark.grammar import NonTerminal, Rule
from lark.parsers.lalr_analysis import Reduce, Shift

TEXT = (Path(__file__).parent / "sqlite.lark").read_text(encoding="utf-8")
GRAMMAR = lark.Lark(TEXT, parser="lalr", lexer="basic")
ALTERNATIVES: dict[str, list[Rule]] = {}
"""rule -> its alternatives; lark makes a rule of its own, with a name that begins with an underscore, for every repetition."""
RULES = [rule for rule in GRAMMAR.rules if all(symbol.name != "NEVER" for symbol in rule.expansion)]
for _rule in RULES:
    ALTERNATIVES.setdefault(_rule.origin.name, []).append(_rule)
_PATTERNS = {terminal.name: terminal.pattern for terminal in GRAMMAR.terminals}
WORDS = {name: str(pattern.value) for name, pattern in _PATTERNS.items() if pattern.type == "str"}
"""terminal -> its keyword or sign"""
_TERMINALS = {word: name for name, word in WORDS.items()}
_SOFT = set(re.findall(r'"(\w+)"', TEXT[TEXT.index("SOFT_KEYWORD:") :]))

_BLANK = re.compile(r"(?:[ \t\n\f\r]+|--[^\n]*|/\*(?=.)(?:.*?\*/|.*))+", re.S)
_TOKEN = re.compile(
    "|".join(
        [f"(?P<{name}>{_PATTERNS[name].value})" for name in ("BLOB", "NAME", "STRING", "GROUPED", "PARAMETER")]
        + [
            f"(?P<SIGN>{'|'.join(re.escape(sign) for sign in sorted(_TERMINALS, key=len, reverse=True) if not sign[0].isalpha())})"
        ]
    )
)
_MISPLACED = re.compile(r"\d[\d_]*(?:__|_(?!\d))[\d_]*|\?0+(?!\d)|#\d[\w$]*")
"""A number with separators in wrong places, ?0 and #1, which only the reader of an operand refuses: arguments of a module they may be."""
_GOES_ON = re.compile(r"[\w$\x80-\U0010FFFF]")


class Token(NamedTuple):
    """A token: the name of its terminal, and its text."""

    terminal: str
    text: str


def tokens_of(sql: str) -> list[Token] | None:
    """The tokens of a text, None if one is not recognized."""
    made: list[Token] = []
    position = 0
    while True:
        if blank := _BLANK.match(sql, position):
            position = blank.end()
        if position == len(sql):
            return _with_windows(made)
        match = _TOKEN.match(sql, position)
        if misplaced := _MISPLACED.match(sql, position):
            made.append(Token("MISPLACED", misplaced[0]))
            position = misplaced.end()
            continue
        if match is None or _is_broken(match, sql):
            return None
        text = match[0]
        kind = match.lastgroup or ""
        if kind == "SIGN":
            kind = _TERMINALS[text]
        elif kind == "NAME" and text.upper() in _TERMINALS:
            kind = _TERMINALS[text.upper()]
        elif kind == "GROUPED" and "_" not in text:
            kind = "NUMBER"
        made.append(Token(kind, text))
        position = match.end()


def _is_broken(match: re.Match[str], sql: str) -> bool:
    """Whether what follows spoils a token: a name right behind a number, an open bracket behind a parameter, x'1'."""
    text, rest = match[0], sql[match.end() : match.end() + 1]
    if match.lastgroup == "GROUPED":
        return _GOES_ON.match(rest) is not None
    if match.lastgroup == "PARAMETER":
        number = text[1:]
        if text[0] == "?":
            return number != "" and int(number) > 32_766
        return rest == "("
    return text in ("x", "X") and rest == "'"


def _with_windows(made: list[Token]) -> list[Token]:
    """WINDOW, OVER and FILTER are keywords only in their places."""
    for i, token in enumerate(made):
        if token.terminal in ("WINDOW", "OVER", "FILTER"):
            following = [_as_name(other.terminal) for other in made[i + 1 : i + 3]] + ["", ""]
            behind_call = i > 0 and made[i - 1].text == ")"
            is_keyword = {
                "WINDOW": following[0] == "NAME" and following[1] == "AS",
                "OVER": behind_call and following[0] in ("NAME", _TERMINALS["("]),
                "FILTER": behind_call and following[0] == _TERMINALS["("],
            }[token.terminal]
            made[i] = token if is_keyword else Token("NAME", token.text)
    return made


_NAMES = _SOFT | {"STRING", "WINDOW", "OVER", "CROSS", "FULL", "INNER", "LEFT", "NATURAL", "OUTER", "RIGHT"}


def _as_name(terminal: str) -> str:
    return "NAME" if terminal in _NAMES else terminal


Action = tuple[type[Shift] | type[Reduce], object]


def _with_default(actions: dict[str, Action]) -> tuple[dict[str, Action], Rule | None]:
    """A state's actions without its most frequent reduction, and that."""
    counts = Counter(rule for kind, rule in actions.values() if kind is Reduce)
    if not counts or "ANY" in actions:
        return actions, None
    default = counts.most_common(1)[0][0]
    return {name: action for name, action in actions.items() if action != (Reduce, default)}, default  # type: ignore[return-value]


_TABLE = GRAMMAR.parser.parser._parse_table  # type: ignore[union-attr]
_STATES = {state: _with_default(actions) for state, actions in _TABLE.states.items()}
_START = _TABLE.start_states["start"]


def _action(state: object, terminal: str) -> Action | None:
    actions, default = _STATES[state]  # type: ignore[index]
    for name in (terminal, "NAME" if terminal in _SOFT else "", "" if terminal in ("LPAR", "RPAR", "$END") else "ANY"):
        if name in actions:
            return actions[name]
    return None if default is None else (Reduce, default)


def alternatives_used(sql: str) -> list[Rule] | None:
    """The alternatives with which the grammar accepts the first statement of a text; None if it refuses it."""
    tokens = tokens_of(sql)
    if tokens is None:
        return None
    while tokens and tokens[0].text == ";":
        del tokens[0]
    states: list[object] = [_START]
    used: list[Rule] = []
    for token in tokens:
        if not _run(states, token.terminal, used):
            return None
        if token.text == ";" and _run([*states], "$END", rules := [*used]):
            return rules
    return used if not tokens or _run(states, "$END", used) else None


def _run(states: list[object], terminal: str, used: list[Rule]) -> bool:
    """Takes one token: reduces, and shifts it.  Whether it fits; $END fits where the whole is a statement."""
    while True:
        action = _action(states[-1], terminal)
        if action is None:
            return False
        kind, argument = action
        if kind is Shift:
            states.append(argument)
            return True
        assert isinstance(argument, Rule)
        used.append(argument)
        if argument.expansion:
            del states[-len(argument.expansion) :]
        if argument.origin.name == "start" and terminal == "$END":
            return True
        following = _TABLE.states[states[-1]].get(argument.origin.name)
        if following is None:
            return False
        states.append(following[1])


def shown(rule: Rule) -> str:
    """An alternative as it stands in the grammar."""
    parts = [
        symbol.name if isinstance(symbol, NonTerminal) else WORDS.get(symbol.name, symbol.name) for symbol in rule.expansion
    ]
    return f"{rule.origin.name}: {' '.join(parts) or '(nothing)'}"


class Coverage:
    """The alternatives that accepted sentences have used."""

    def __init__(self) -> None:
        self.counts: Counter[Rule] = Counter()

    def missing(self) -> Iterator[Rule]:
        """The alternatives that no sentence has used."""
        return (rule for rule in RULES if not self.counts[rule])

    def report(self) -> list[str]:
        """Lines for a person: how many rules and alternatives are covered, and which are not."""
        missing = list(self.missing())
        rules = sum(any(self.counts[rule] for rule in alternatives) for alternatives in ALTERNATIVES.values())
        total = len(RULES)
        head = f"grammar: {rules} of {len(ALTERNATIVES)} rules, {total - len(missing)} of {total} alternatives"
        return [head, *(f"  not met: {shown(rule)}" for rule in missing)]
