"""The page docs/performance/comparison.md and its plots, made from the measurements.

The plots are SVG by a Jinja template: a bar for each workload on a logarithmic axis; to the left of 1 minisql is faster.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import jinja2

from comparison.running import geometric_mean
from comparison.workload import CLASSES

BARS = {"olap": 0.9, "fetch": 0.3, "udf": 0.9, "oltp": 1.5}
"""What the geometric mean of a class is to stay under."""
MEANINGS = {
    "oltp": "small prepared statements and bulk changes, in memory",
    "olap": "one query over the whole shop, prepared",
    "fetch": "many rows handed out",
    "udf": "functions written in Python",
    "file": "opening, cold reads, loading, commits",
    "front": "statements never seen before, DDL",
}
_COLOURS = {
    "oltp": "#4269d0", "olap": "#efb118", "fetch": "#3ca951", "udf": "#ff725c", "file": "#6cc5b0", "front": "#97bbf5",
}  # fmt: skip
_WIDTH, _LEFT, _ROW, _TOP = 860, 240, 18, 40


def class_means(entries: list[dict[str, Any]]) -> dict[str, float]:
    """The geometric mean of the ratios of each class that was measured, and of `all`."""
    means = {}
    for group in CLASSES:
        ratios = [entry["ratio"] for entry in entries if entry["group"] == group and "ratio" in entry]
        if ratios:
            means[group] = geometric_mean(ratios)
    if means:
        means["all"] = geometric_mean([entry["ratio"] for entry in entries if "ratio" in entry])
    return means


def summary(entries: list[dict[str, Any]]) -> str:
    """The classes as lines of text."""
    lines = []
    for group, mean in class_means(entries).items():
        bar = BARS.get(group, 1.0 if group == "all" else None)
        n = sum(1 for entry in entries if group in ("all", entry["group"]) and "ratio" in entry)
        lines.append(f"{group:6} {n:3} workloads   geometric mean {mean:5.2f}" + (f"   (bar {bar})" if bar else ""))
    return "\n".join(lines)


def write_page(document: dict[str, Any], folder: Path) -> None:
    """Writes the page and its plots into a folder."""
    entries = [entry for entry in document["entries"] if "ratio" in entry]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "comparison.md").write_text(render_page(document), encoding="utf-8")
    means = class_means(entries)
    (folder / "classes.svg").write_text(plot([(name, ratio, name) for name, ratio in means.items()]), encoding="utf-8")
    bars = [(entry["name"], entry["ratio"], entry["group"]) for entry in entries]
    (folder / "workloads.svg").write_text(plot(bars), encoding="utf-8")


def render_page(document: dict[str, Any]) -> str:
    """The page as Markdown."""
    reference = document["reference"]
    lines = [
        f"# minisql and {reference}",
        "",
        f"Measured by `python benchmarks/compare.py --vs {reference} --write docs/performance`: one process an engine, rounds",
        f"interleaved, medians of {document['rounds']} rounds; CPU time, wall time where the disk is waited for. A ratio below",
        "1 means that minisql is faster. `floor` is the same work by a loop written by hand in Python.",
        "",
        *[f"- {engine}: {version}" for engine, version in document["versions"].items()],
        "",
        "| class | workloads | geometric mean | what it is |",
        "| --- | --- | --- | --- |",
    ]
    for group, mean in class_means(document["entries"]).items():
        n = sum(1 for entry in document["entries"] if group in ("all", entry["group"]) and "ratio" in entry)
        lines.append(f"| {group} | {n} | {mean:.2f} | {MEANINGS.get(group, 'every workload')} |")
    lines += ["", "![Geometric means of the classes](classes.svg)", ""]
    others = [engine for engine in document["versions"] if engine not in ("minisql", reference)]
    heads = ["workload", "class", "ratio", "of rounds", "minisql ms", f"{reference} ms", *[f"{engine} ms" for engine in others]]
    lines += [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for entry in document["entries"]:
        if "ratio" not in entry:
            lines.append(f"| {entry['name']} | {entry['group']} | failed | " + "| " * (len(heads) - 4) + "|")
            continue
        seconds = entry["seconds"]
        cells = [
            entry["name"] + (" (wall)" if entry["clock"] == "wall" else ""),
            entry["group"],
            f"{entry['ratio']:.2f}" + ("" if entry["agrees"] else ", results differ"),
            f"{entry['spread'][0]:.2f} to {entry['spread'][1]:.2f}",
            *[f"{1e3 * seconds[engine]:.2f}" if engine in seconds else "" for engine in ("minisql", reference, *others)],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "![Ratios of the workloads](workloads.svg)", ""]
    return "\n".join(lines)


def plot(bars: list[tuple[str, float, str]]) -> str:
    """Bars (label, ratio, class) on a logarithmic axis as SVG."""
    low = min(-1.0, *[math.floor(math.log10(ratio)) for _, ratio, _ in bars])
    high = max(1.0, *[math.ceil(math.log10(ratio)) for _, ratio, _ in bars])
    scale = (_WIDTH - _LEFT - 70) / (high - low)

    def place(ratio: float) -> float:
        return _LEFT + (math.log10(ratio) - low) * scale

    ticks = [factor * 10.0**power for power in range(int(low), int(high) + 1) for factor in (1, 2, 5)]
    template = jinja2.Template(Path(__file__).with_name("plot.svg.j2").read_text(encoding="utf-8"), autoescape=True)
    return template.render(
        width=_WIDTH,
        height=_TOP + _ROW * len(bars) + 20,
        top=_TOP,
        one=round(place(1), 1),
        ticks=[(f"{tick:g}", round(place(tick), 1)) for tick in ticks if tick <= 10**high],
        bars=[
            {
                "label": label,
                "text": f"{ratio:.2f}",
                "y": _TOP + _ROW * number,
                "x": round(min(place(ratio), place(1)), 1),
                "length": round(max(abs(place(ratio) - place(1)), 1), 1),
                "end": round(max(place(ratio), place(1)) + 5, 1),
                "colour": _COLOURS.get(group, "#666666"),
            }
            for number, (label, ratio, group) in enumerate(bars)
        ],
        left=_LEFT,
    )
