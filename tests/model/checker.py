"""A breadth-first checker for models of interchangeable processes.

A model's state is `(processes, part, part, ...)`: a tuple of equal processes and some hashable parts that all share.  Two
states that differ only in which process is which are one state: the processes are sorted before a state is looked up
(symmetry reduction).  A state is kept as one integer, 24 bits for the number of each component in a table (what SPIN calls
collapse compression), with its predecessor, so that the first violation found has a shortest trace.

    model.initial()          the first state
    model.successors(state)  (label, state) pairs; a label is (process or -1, step name, argument)
    model.violation(state)   '' or what is wrong
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

State = tuple[Any, ...]
Label = tuple[int, str, Any]

_BITS = 24


class Model(Protocol):
    """See the module docstring."""

    name: str
    bounds: Any

    def initial(self) -> State:
        """Returns the first state."""

    def successors(self, state: State) -> Iterator[tuple[Label, State]]:
        """Yields what may happen next."""

    def violation(self, state: State) -> str:
        """Returns '' for a state that keeps the invariants."""


@dataclass
class Result:
    """What a search found: counts, and the trace to the first violation, if any."""

    n_states: int
    n_transitions: int
    depth: int
    violation: str = ""
    trace: list[Label] = field(default_factory=list)
    is_complete: bool = True


class _Table:
    """Numbers components of states as they turn up."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.items: list[Hashable] = []

    def number(self, item: Hashable) -> int:
        number = self.numbers.get(item)
        if number is None:
            number = self.numbers[item] = len(self.items)
            self.items.append(item)
        return number


class Encoder:
    """Turns states into integers and back."""

    def __init__(self, n_processes: int, n_parts: int) -> None:
        self.processes = _Table()
        self.parts = [_Table() for _ in range(n_parts)]
        self.n_processes = n_processes

    def encode(self, state: State) -> int:
        """Returns the same number for states that are alike but for the order of the processes."""
        code = 0
        number = self.processes.number
        for item in sorted([number(process) for process in state[0]]):
            code = code << _BITS | item
        for table, part in zip(self.parts, state[1:]):
            code = code << _BITS | table.number(part)
        return code

    def decode(self, code: int) -> State:
        """Returns a state for a number."""
        mask = (1 << _BITS) - 1
        parts = []
        for table in reversed(self.parts):
            parts.append(table.items[code & mask])
            code >>= _BITS
        processes = []
        for _ in range(self.n_processes):
            processes.append(self.processes.items[code & mask])
            code >>= _BITS
        return (tuple(reversed(processes)), *reversed(parts))


def search(model: Model, max_states: int = 0, seen: set[str] | None = None) -> Result:
    """Visits every state, or the first `max_states`; stops at the first violation.  Adds the names of steps taken to `seen`."""
    first = model.initial()
    encoder = Encoder(len(first[0]), len(first) - 1)
    encode, decode = encoder.encode, encoder.decode
    start = encode(first)
    parents: dict[int, int] = {start: -1}
    frontier = [start]
    n_transitions = depth = 0
    successors, violation = model.successors, model.violation
    while frontier:
        following: list[int] = []
        for code in frontier:
            for label, state in successors(decode(code)):
                n_transitions += 1
                if seen is not None:
                    seen.add(label[1])
                new = encode(state)
                if new not in parents:
                    parents[new] = code
                    wrong = violation(state)
                    if wrong:
                        trace = trace_to(model, encoder, parents, new)
                        return Result(len(parents), n_transitions, depth + 1, wrong, trace, False)
                    following.append(new)
            if max_states and len(parents) >= max_states:
                return Result(len(parents), n_transitions, depth, is_complete=False)
        frontier = following
        depth += bool(frontier)
    return Result(len(parents), n_transitions, depth)


def trace_to(model: Model, encoder: Encoder, parents: dict[int, int], code: int) -> list[Label]:
    """Returns the labels on the way to a state, with processes numbered as in the initial state."""
    path = [code]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    state = model.initial()
    labels: list[Label] = []
    for wanted in reversed(path[:-1]):
        label, state = next((label, new) for label, new in model.successors(state) if encoder.encode(new) == wanted)
        labels.append(label)
    return labels


def describe(trace: Iterable[Label]) -> str:
    """Returns a trace as text, one step a line."""
    lines = []
    for i, (process, step, argument) in enumerate(trace):
        who = f"process {process}" if process >= 0 else "machine"
        lines.append(f"{i + 1:4}  {who:10} {step}{'' if argument is None else f' {argument}'}")
    return "\n".join(lines)
