"""Parts of a large corpus: every n-th file, named samples, and shards for several machines.

A sample is a fixed choice: the same files and records every time, whichever engine runs. `foundation` is all of the groups
`evidence` and `select` and of each other group, names sorted, the files 1, 11, 21 and so on. `ci` takes the same files and of
each group about one query in fifty, so that every group is seen within minutes; statements run always, since queries stand on
them.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sqllogictest.sources import TestFile

WHOLE_GROUPS = ("evidence", "select")
FOUNDATION_STEP = 10
SAMPLES = ("foundation", "ci")
CI_SHARE = 0.02


def every_nth(files: Sequence[TestFile], step: int, whole_groups: Sequence[str] = ()) -> list[TestFile]:
    """Return files 1, 1 + step, 1 + 2 step, ... of each group, names sorted; groups in `whole_groups` stay whole."""
    chosen: list[TestFile] = []
    for group, members in sorted(_by_group(files).items()):
        chosen += members if group in whole_groups else members[::step]
    return chosen


def choose_sample(files: Sequence[TestFile], sample: str) -> list[TestFile]:
    """Return the files of a named sample; for `ci` each carries the stride at which its queries run."""
    chosen = every_nth(files, FOUNDATION_STEP, WHOLE_GROUPS)
    if sample == "foundation":
        return chosen
    if sample != "ci":
        raise ValueError(f"no sample {sample!r}: use {' or '.join(SAMPLES)}")
    sizes = {group: sum(file.size for file in members) for group, members in _by_group(files).items()}
    chosen_sizes = {group: sum(file.size for file in members) for group, members in _by_group(chosen).items()}
    return [
        file
        if file.group in WHOLE_GROUPS
        else replace(file, query_stride=max(1, round(chosen_sizes[file.group] / (CI_SHARE * sizes[file.group]))))
        for file in chosen
    ]


def take_shard(files: Sequence[TestFile], number: int, count: int) -> list[TestFile]:
    """Return shard `number` (from one) of `count`: files dealt out by falling size, so that shards are of like size."""
    return longest_first(files)[number - 1 :: count]


def longest_first(files: Sequence[TestFile]) -> list[TestFile]:
    """Return the files in the order in which a pool finishes them soonest."""
    return sorted(files, key=lambda file: (-file.size // file.query_stride, file.name))


def _by_group(files: Sequence[TestFile]) -> dict[str, list[TestFile]]:
    groups: dict[str, list[TestFile]] = defaultdict(list)
    for file in sorted(files, key=lambda file: file.name):
        groups[file.group].append(file)
    return groups
