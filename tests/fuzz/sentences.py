"""`python -m tests.fuzz.sentences --sentences 20000`: sentences of the grammar, and damaged ones, before three judges.

Every alternative of every rule is a target in turn: the sentence leads there by the shortest way and goes on at random.  Damage
deletes, swaps, inserts and duplicates tokens.  minisql's parser, the grammar and SQLite have to accept and refuse the same
sentences, and the parser refuses with SQLite's words at SQLite's place.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import apsw
from lark.grammar import NonTerminal, Rule, Symbol

from tests.fuzz.grammar import ALTERNATIVES, RULES, WORDS, Coverage, alternatives_used, tokens_of
from tests.oracle.test_parser_oracle import CHECKED_AT_ONCE, SYNTAX_TEXTS, own_outcome

Item = TypeVar("Item")
Choose = Callable[[Sequence[Item]], Item]

SAMPLES = {
    "NAME": (
        "a", "b", "d", "T", "u", "rowid", '"q ""x"', "[b c]", "`d`", "é$1", "abort", "Begin", "key", "replace", "temp", "window",
        "over", "filter", "first", "match", "generated", "always", "strict", "stored", "current", "raise", "if", "offset", "view",
        "abs", "count", "column", "rows", "end", "do", "no", "with", "glob", "of",
    ),
    "STRING": ("''", "'it''s'", "'é'"),
    "BLOB": ("x''", "X'0aFF'"),
    "NUMBER": ("0", "12", "1.5", ".5e-3", "0x1F", "9223372036854775808", "2."),
    "GROUPED": ("1_000", "0xF_F", "1_0.5e1_0"),
    "PARAMETER": ("?", "?2", ":a", "@b", "$c::d(e)"),
    "ANY": ("a", "'x'", "=", "1", "select", "+"),
}  # fmt: skip
SPOILT = (
    "'",
    '"',
    "[",
    "x'1'",
    "12a",
    "1__0",
    "$",
    "?0",
    "#1",
    "!",
    "/* end",
    "-- end\n",
    "0x",
    ":a(",
    "\\",
    "(",
    ")",
    ",",
    ";",
)
"""Tokens that are none, or that a sentence seldom survives."""


def _shortest() -> dict[str, int]:
    """symbol -> the least number of tokens that it can be."""
    lengths = dict.fromkeys(ALTERNATIVES, 1_000)
    while True:
        better = {
            name: min(sum(lengths.get(symbol.name, 1) for symbol in rule.expansion) for rule in rules)
            for name, rules in ALTERNATIVES.items()
        }
        if better == lengths:
            return lengths
        lengths = better


LENGTHS = _shortest()


def _length(rule: Rule) -> int:
    return sum(LENGTHS.get(symbol.name, 1) for symbol in rule.expansion)


def _ways() -> dict[str, list[tuple[Rule, int]]]:
    """rule -> the alternatives from "start" that lead to it, each with which of its symbols to follow."""
    ways: dict[str, list[tuple[Rule, int]]] = {"start": []}
    pending = ["start"]
    for name in pending:
        for rule in ALTERNATIVES[name]:
            for place, symbol in enumerate(rule.expansion):
                if isinstance(symbol, NonTerminal) and symbol.name not in ways:
                    ways[symbol.name] = [*ways[name], (rule, place)]
                    pending.append(symbol.name)
    return ways


WAYS = _ways()


def derived(name: str, way: Sequence[tuple[Rule, int]], size: int, choose: Choose[object]) -> str:
    """A text of a rule that begins by a way down the grammar; from `size` tokens on everything ends as soon as it can."""
    words: list[str] = []
    pending: list[tuple[Symbol, Sequence[tuple[Rule, int]]]] = [(NonTerminal(name), way)]
    owed = 1
    while pending:
        symbol, way = pending.pop()
        if not isinstance(symbol, NonTerminal):
            words.append(WORDS.get(symbol.name) or str(choose(SAMPLES[symbol.name])))
            continue
        place = -1
        if way:
            rule, place = way[0]
        else:
            rules = ALTERNATIVES[symbol.name]
            if len(words) + owed >= size:
                least = min(map(_length, rules))
                rules = [rule for rule in rules if _length(rule) == least]
            rule = choose(rules)  # type: ignore[assignment]
        pending += reversed([(part, way[1:] if i == place else ()) for i, part in enumerate(rule.expansion)])
        owed = sum(LENGTHS.get(part.name, 1) for part, _ in pending)
    return " ".join(words)


def sentences(dice: random.Random, targets: Sequence[Rule] = tuple(RULES)) -> Iterator[str]:
    """One sentence for each alternative."""
    for target in targets:
        yield derived("start", (*WAYS[target.origin.name], (target, -1)), dice.choice((5, 12, 25, 40)), dice.choice)


def damaged(sql: str, dice: random.Random) -> str:
    """The sentence with one or two tokens deleted, swapped, doubled, or with others put in."""
    words = [token.text for token in tokens_of(sql) or ()]
    for _ in range(dice.choice((1, 1, 1, 2))):
        i = dice.randrange(len(words) or 1)
        form = dice.randrange(6)
        if form == 0:
            del words[i : i + 1]
        elif form == 1 and i + 1 < len(words):
            words[i], words[i + 1] = words[i + 1], words[i]
        elif form == 2:
            words[i:i] = words[i : i + 1]
        elif form == 3:
            words.insert(i, dice.choice(dice.choice(((*WORDS.values(),), (*SAMPLES["NAME"], "1", "'x'"), SPOILT))))
        elif form == 4:
            words[i : i + 1] = [dice.choice((*WORDS.values(),))]
        else:
            words.insert(i, dice.choice(words or ["1"]))
    return " ".join(words)


class Judges:
    """The three judges, what they agreed on, and what they did not."""

    def __init__(self) -> None:
        self.coverage = Coverage()
        self.verdicts: Counter[str] = Counter()
        self.differences: list[str] = []
        self.connection = apsw.Connection(":memory:")
        self.connection.execute("create table t(a, b, c); create table u(a, d)")
        self.connection.exec_trace = lambda cursor, text, bindings: False

    def sqlite(self, sql: str) -> tuple[str, int] | None:
        """SQLite's error with its place, None if there is none."""
        try:
            self.connection.execute(sql)
        except (apsw.ExecTraceAbort, apsw.BindingsError):
            return None
        except apsw.Error as error:
            return str(error), getattr(error, "error_offset", -1)
        return None

    def ask(self, sql: str) -> None:
        """Puts a sentence before the judges.  What SQLite stops early for a name, only the other two judge."""
        expected, own, used = self.sqlite(sql), own_outcome(sql), alternatives_used(sql)
        if expected is not None and LIMITED.match(sql) and expected[0].lower().startswith(('near "limit"', 'near "order"')):
            self.verdicts["undecided"] += 1
            return
        takes = None if own is not None and not is_about_syntax(own[0]) else own is None
        if expected is None or (not is_about_syntax(expected[0]) and is_read_to_the_end(sql, expected[0])):
            verdict, agrees = "accepted", takes is not False and used is not None
        elif is_about_syntax(expected[0]):
            verdict, agrees = "refused", used is None and own is not None
            agrees &= expected == own or any(text in str(own) for text in CHECKED_AT_ONCE_TOO)
        else:
            verdict, agrees = "undecided", takes in (None, used is not None)
        self.verdicts[verdict] += 1
        if not agrees:
            self.differences.append(
                f"{sql}\n  SQLite {expected}, parser {own}, grammar {'refuses' if used is None else 'accepts'}"
            )
        elif used is not None:
            self.coverage.counts.update(set(used))

    def report(self) -> list[str]:
        """The counts, and what is not covered."""
        counts = ", ".join(f"{count} {name}" for name, count in sorted(self.verdicts.items()))
        return [*self.coverage.report(), f"sentences: {counts}; {len(self.differences)} differences"]


PARSER_TEXTS = tuple(text for text in SYNTAX_TEXTS if text != "error in generated column")
"""What SQLite's parser says by itself.  A generated column is in error for its keyword, but also for its DEFAULT."""
CHECKED_AT_ONCE_TOO = (*CHECKED_AT_ONCE, "variable number must be", 'near "#1"', 'unrecognized token: "1__0"')
"""Of these SQLite thinks better when the next token is wrong."""
WHOLE = re.compile(r"(explain (query plan )?)?(select|with|values|insert|replace|update|delete)\b", re.I)
LIMITED = re.compile(r"(explain (query plan )?)?(with|update|delete)\b", re.I)
"""UPDATE and DELETE with ORDER BY and LIMIT need an option of SQLite's build that the judge has not."""
AT_THE_END = (
    "no such table", "no such column", "no tables specified", "row value misused", "wrong number of arguments", "misuse of", "ambiguous", "sub-select returns",
    "SELECTs to the", "1st ", "2nd ", "DISTINCT", "HAVING", "no query solution", "circular reference",
)  # fmt: skip
"""Errors that SQLite meets in a query or a change only when it has read the whole of it."""


def is_about_syntax(text: str) -> bool:
    """Whether an error comes from the parser alone."""
    return any(part in text for part in PARSER_TEXTS)


def is_read_to_the_end(sql: str, text: str) -> bool:
    """Whether SQLite's error about a name says that it found the statement whole."""
    return WHOLE.match(sql) is not None and text.startswith(AT_THE_END)


def run(judges: Judges, dice: random.Random, n_sentences: int) -> None:
    """Puts so many sentences before the judges: all alternatives again and again, and for each a damaged one."""
    while True:
        for sql in sentences(dice):
            for each in (sql, damaged(sql, dice)):
                if each.strip(" ;"):
                    judges.ask(each)
                if judges.verdicts.total() >= n_sentences:
                    return


def main() -> int:
    """Runs the judges."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.sentences", description=__doc__)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    judges = Judges()
    started = time.monotonic()
    run(judges, random.Random(options.seed), options.sentences)
    print("\n".join([*judges.differences[:40], *judges.report(), f"seed {options.seed}, {time.monotonic() - started:.0f} s"]))
    return int(bool(judges.differences) or any(judges.coverage.missing()))


if __name__ == "__main__":
    sys.exit(main())
