"""Python text of LIKE and GLOB with a constant pattern of literals and runs, over text that is all ASCII.

    'x%'          T[:n].lower() == K
    '%x%y%'       K in (t := T.lower()) and L in t and (p := t.find(K, 0)) >= 0 and (p := t.find(L, p + n)) >= 0
                  and t.find("\\0", 0, p) < 0
    'x%y%z'       the same, up to the place of z, if the text has no NUL; else the matcher

SQLite reads text up to its first NUL.  GLOB does without `lower`.  Literals are passed as objects.

Source: DESIGN, "A VM of two tiers"; https://www.sqlite.org/lang_expr.html section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.functions.like import Runs
from minisql.functions.registry import ScalarFunction
from minisql.vm.python_text import Operand, bound

if TYPE_CHECKING:
    from minisql.vm.translator import Translator


def match_text(translator: Translator, function: ScalarFunction, operand: Operand) -> str:
    """The boolean text that ASCII text matches the pattern of a function with `matches`."""
    runs = function.runs
    if runs is None:
        return f"{_matches(translator, function)}({operand.text})"
    if not runs.middle and not (runs.first and runs.last):
        return _one_end(translator, runs, function, operand)
    first, text = bound(translator, operand)
    if runs.folds:
        text = translator.temporary()
        first = f"({text} := {operand.text}.lower())"
    if not runs.last:
        return f"({' and '.join(_tests(translator, runs, function, text, first))})"
    tests = " and ".join(_tests(translator, runs, function, text, text))
    return f'({tests} if "\\0" not in {first} else {_matches(translator, function)}({text}))'


def _matches(translator: Translator, function: ScalarFunction) -> str:
    return translator.object_name(("object", function.matches))


def _one_end(translator: Translator, runs: Runs, function: ScalarFunction, operand: Operand) -> str:
    """The test of a literal at one end of the text."""
    literal = translator.object_name(("object", runs.first or runs.last))
    size = len(runs.first or runs.last)
    if runs.first:
        return f"({operand.text}[:{size}].lower() == {literal})" if runs.folds else f"{operand.text}.startswith({literal})"
    first, text = bound(translator, operand)
    test = f"{text}[-{size}:].lower() == {literal}" if runs.folds else f"{text}.endswith({literal})"
    return f'({test} if "\\0" not in {first} else {_matches(translator, function)}({text}))'


def _tests(translator: Translator, runs: Runs, function: ScalarFunction, text: str, first: str) -> list[str]:
    """The tests one after the other; `first` stands for the text in the first of them.

    That a literal is there at all is the cheapest test, and mostly enough.
    """
    tests = []
    if runs.first:
        tests.append(f"{first}.startswith({translator.object_name(('object', runs.first))})")
        first = text
    if runs.last:
        tests.append(f"{first}.endswith({translator.object_name(('object', runs.last))})")
        first = text
        if not runs.middle:
            tests.append(f"len({text}) >= {len(runs.first) + len(runs.last)}")
            return tests
    for literal in runs.middle:
        tests.append(f"{translator.object_name(('object', literal))} in {first}")
        first = text
    if len(runs.middle) == 1 and not runs.first and not runs.last:
        tests.append(f'("\\0" not in {text} or {_matches(translator, function)}({text}))')
        return tests
    start, end = str(len(runs.first)), f", -{len(runs.last)}" if runs.last else ""
    place = translator.temporary()
    for literal in runs.middle:
        name = translator.object_name(("object", literal))
        tests.append(f"({place} := {text}.find({name}, {start}{end})) >= 0")
        start = f"{place} + {len(literal)}"
    if runs.middle and not runs.last:
        tests.append(f'{text}.find("\\0", 0, {place}) < 0')
    return tests
