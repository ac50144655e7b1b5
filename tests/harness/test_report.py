"""The report: one page that needs nothing else, right with no run, with an unfinished one, and as a browser shows it."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_harness.reports import write_report
from agent_harness.state.folders import Folders, write_json, write_whole
from agent_harness.state.journal import Journal
from agent_harness.usage import Usage


def made_state(folder: Path) -> Path:
    """A run with a rejected and a merged attempt, and one task still open."""
    folders = Folders(folder / "state")
    journal = Journal(folders)
    journal.record("run.started", branch="main", base="b" * 40, contract="c", builders=1, backends=["embedded"])
    for n_failed, tree in ((3, "t1"), (1, "t2")):
        journal.record("evaluation.started", tree=tree, commit="x", contract="c")
        journal.record(
            "evaluation.finished",
            tree=tree,
            commit="x",
            contract="c",
            n_passed=9 - n_failed,
            n_failed=n_failed,
            cpu_seconds=1.0,
        )
        if tree == "t1":
            work(journal, folders)
    journal.close()
    return folders.root


def work(journal: Journal, folders: Folders) -> None:
    for task, title in (("t1", "compare: 1 < 2 & <b>"), ("t2", "crash: KeyError")):
        journal.record(
            "task.created",
            task=task,
            key=task,
            title=title,
            case_ids=[task + "a"],
            suspects=["f.py:g"],
            features=["max()"],
        )
    brief = {"script": "SELECT 1 < 2", "expected": "1", "actual": "0", "error": ""}
    write_json(folders.task("t1") / "brief.json", brief)
    usage = Usage(1000, 0, 0, 50, 0, 2, 0.25).as_dict()
    for number, result in ((1, "rejected"), (2, "green")):
        name = f"t1-{number}"
        journal.record(
            "attempt.started",
            **{
                "attempt": name,
                "task": "t1",
                "number": number,
                "start": 0,
                "base": "b",
                "backend": "claude",
                "model": "m",
            },
            **{"max_seconds": 1.0, "max_tokens": 0, "max_usd": 0.0},
        )
        write_whole(folders.attempt(name) / "patch.diff", "--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-a < b\n+a <= b\n")
        journal.record("attempt.built", attempt=name, end="finished", detail="", head="h", tree="t", usage=usage, seconds=2.0)
        gates = [{"gate": "target", "passed": number == 2, "evidence": "1 of 1", "signature": "target", "seconds": 0.1}]
        journal.record("attempt.verified", attempt=name, passed=number == 2, gates=gates, contract="c")
        journal.record("attempt.finished", attempt=name, result=result, signature="target", evidence="1 of 1")
    journal.record("merge.started", merge="m1", attempts=["t1-2"], old="b" * 40)
    journal.record("merge.previewed", merge="m1", new="n" * 40, attempts=["t1-2"])
    journal.record("merge.finished", merge="m1", new="n" * 40)


def test_page_needs_nothing_else(tmp_path: Path) -> None:
    text = write_report(made_state(tmp_path), tmp_path / "report.html").read_text()
    assert not re.search(r"<(?:script|link|iframe)|https?://|url\(|@import", text)
    assert "compare: 1 &lt; 2 &amp; &lt;b&gt;" in text
    assert '<span class="added">+a &lt;= b</span>' in text
    assert text.count("<rect") == 2
    assert text.count("<circle") == 2


def test_costs_are_by_model_and_by_record_closed(tmp_path: Path) -> None:
    text = write_report(made_state(tmp_path), tmp_path / "report.html").read_text()
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", text[text.index("Tokens and costs") :])
    assert cells[:8] == ["build", "claude", "m", "2", "2,100", "0.5000", "1", "0.5000"]


def test_unknown_price_is_not_zero(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "state")
    journal = Journal(folders)
    journal.record("role.asked", role="decide", backend="x", model="y", task="", text="1", usage=Usage.unknown().as_dict())
    journal.close()
    text = write_report(folders.root, tmp_path / "report.html").read_text()
    assert text.count("unknown") >= 2


def test_page_without_any_run(tmp_path: Path) -> None:
    text = write_report(tmp_path / "nothing", tmp_path / "report.html").read_text()
    assert "No run yet" in text and "The contract was not run yet" in text


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def launched(machine: Any, error: type[Exception]) -> Any:
    """A headless browser of the system, else the one that playwright brought."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    try:
        return machine.chromium.launch(executable_path=found, args=arguments)
    except error as problem:
        pytest.skip(f"no headless browser (tried {', '.join(BROWSERS)}): {str(problem).splitlines()[0]}")


def test_browser_shows_the_page(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs pip install 'pyminisql[browser]'")
    path = write_report(made_state(tmp_path), tmp_path / "report.html")
    with playwright.sync_playwright() as machine:
        browser = launched(machine, playwright.Error)
        view = browser.new_page(viewport={"width": 900, "height": 1200})
        requests: list[str] = []
        view.on("request", lambda request: requests.append(request.url))
        view.goto(path.as_uri())
        assert view.locator("#failing").inner_text() == "1"
        assert view.locator("svg").count() == 2
        assert view.locator("svg .line").bounding_box()["height"] > 20
        view.locator("details.attempt").last.locator("summary").click()
        assert view.locator("details.attempt").last.locator(".added").first.is_visible()
        assert view.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert requests == [path.as_uri()]
        browser.close()
