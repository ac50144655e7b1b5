"""Tokens and money of one or many backend calls, in one normal form; "unknown" is a value of its own, never zero.

Vendors differ on whether "input" includes cached tokens: here `input_uncached` never does.  `reasoning_in_output` is the
part of `output` that was reasoning.  The raw JSON is kept next to it, in the attempt's folder.
"""

from __future__ import annotations

from typing import Any

FIELDS = ("input_uncached", "cache_read", "cache_write", "output", "reasoning_in_output", "requests")


class Usage:
    """Counts of tokens and requests; None in a field means unknown.  `cost_usd` None means the price is unknown."""

    __slots__ = ("cache_read", "cache_write", "cost_usd", "input_uncached", "output", "reasoning_in_output", "requests")

    def __init__(
        self,
        input_uncached: int | None = 0,
        cache_read: int | None = 0,
        cache_write: int | None = 0,
        output: int | None = 0,
        reasoning_in_output: int | None = 0,
        requests: int | None = 0,
        cost_usd: float | None = 0.0,
    ) -> None:
        self.input_uncached = input_uncached
        self.cache_read = cache_read
        self.cache_write = cache_write
        self.output = output
        self.reasoning_in_output = reasoning_in_output
        self.requests = requests
        self.cost_usd = cost_usd

    @classmethod
    def unknown(cls) -> Usage:
        """Nothing is known: the program did not say."""
        return cls(None, None, None, None, None, None, None)

    def __add__(self, other: Usage) -> Usage:
        """Sums field by field; unknown plus anything is unknown."""
        sums = [_plus(getattr(self, name), getattr(other, name)) for name in (*FIELDS, "cost_usd")]
        return Usage(*sums)

    def total_tokens(self) -> int | None:
        """All tokens that were processed, or None if a part is unknown."""
        parts = (self.input_uncached, self.cache_read, self.cache_write, self.output)
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None

    def as_dict(self) -> dict[str, Any]:
        """A JSON form; unknown is null."""
        return {name: getattr(self, name) for name in (*FIELDS, "cost_usd")}

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Usage:
        """The inverse of `as_dict`; missing fields are unknown."""
        return cls(*[raw.get(name) for name in (*FIELDS, "cost_usd")])


def _plus(left: Any, right: Any) -> Any:
    return None if left is None or right is None else left + right
