"""Functions that apsw cannot judge: soundex (as the standard library's module has it), LIKE with a bound pattern."""

from __future__ import annotations

import random

import pytest

from minisql.errors import OperationalError
from minisql.functions import scalar
from minisql.functions.registry import FunctionRegistry, ScalarFunction, set_case_sensitive_like


@pytest.mark.parametrize(
    ("text", "code"),
    [("Robert", "R163"), ("Rupert", "R163"), ("Ashcraft", "A226"), ("Tymczak", "T522"), ("Pfister", "P236"), ("a\u00e9", "A200"),
     ("", "?000"), (None, "?000"), ("123", "?000"), ("  x", "X000"), (5, "?000"), ("b b", "B100")],
)  # fmt: skip
def test_soundex(text: object, code: str) -> None:
    assert scalar.soundex(text) == code


@pytest.mark.parametrize("name", ["like", "glob"])
def test_a_bound_pattern_matches_as_the_function_does(name: str) -> None:
    function = FunctionRegistry().find(name, 2)
    assert isinstance(function, ScalarFunction) and function.bind_pattern is not None
    source = random.Random(name)
    texts = [None, 5, 1.5, b"a", "", *("".join(source.choices("abAB\0é", k=source.randrange(6))) for _ in range(200))]
    for _ in range(300):
        pattern = "".join(source.choices("abA%_*?[]é", k=source.randrange(5)))
        bound = function.bind_pattern(pattern)
        assert bound is not None and bound.matches is not None
        for text in texts:
            expected = function.call(pattern, text)
            assert bound.call(text) == expected, (pattern, text)
            assert not isinstance(text, str) or bound.matches(text) == (expected == 1), (pattern, text)
    assert function.bind_pattern(None) is None


def test_a_pattern_that_is_too_long_raises_when_it_runs() -> None:
    function = FunctionRegistry().find("like", 2)
    assert isinstance(function, ScalarFunction) and function.bind_pattern is not None
    assert function.bind_pattern("a" * 50_001) is None
    with pytest.raises(OperationalError, match="LIKE or GLOB pattern too complex"):
        function.call("a" * 50_001, "a")


def test_case_sensitive_like_comes_and_goes() -> None:
    registry = FunctionRegistry()
    for is_on, expected in ((True, 0), (False, 1)):
        set_case_sensitive_like(registry, is_on)
        function = registry.find("like", 2)
        assert isinstance(function, ScalarFunction)
        assert function.call("A%", "abc") == expected
