"""Runs the clients' own suites with sqlite3 and with minisql in its place: `python -m tests.clients [--only NAME] [--write]`.

Everything is made under .build/clients: a virtual environment, the source distributions, and one JSON file of results per client
and module, so a long run can be stopped and taken up again (`--minutes N` starts nothing after N minutes).  A result of minisql
counts for the engine's source that made it: a changed engine runs again, and so does everything with `--again`.  Each run
notes which engine its processes loaded, and fails if it was the other one.  `--write` puts the table into docs/clients.md, where
the rows of clients without results of this engine stay as they are.  The
exit status is 1 if a test passes with the standard module and fails with ours, but for those that `programs` excepts with a
reason.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import venv
from pathlib import Path
from xml.etree import ElementTree

from tests.clients.programs import CLIENTS, Client

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build" / "clients"
SITECUSTOMIZE = """import atexit
import os
import sys
import minisql
from minisql.dbapi.connection import engine
if os.environ.get("CLIENT_MODULE") == "minisql":
    minisql.install()

def note():
    built_in = sys.modules.get("_sqlite3")
    with open(os.environ["CLIENT_NOTES"], "a") as notes:
        if "open_session" in vars(engine):
            notes.write("minisql\\n")
        if getattr(built_in, "__file__", None) is not None:
            notes.write("sqlite3\\n")

if "CLIENT_NOTES" in os.environ:
    atexit.register(note)
"""
MODULES = ("sqlite3", "minisql")
Outcome = dict[str, object]


def interpreter() -> Path:
    """The Python of the clients' environment, made on first use."""
    python = BUILD / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(BUILD / "venv", with_pip=True)
    return python


def module_path() -> Path:
    """The folder that goes into PYTHONPATH: links to the packages, the sitecustomize, and the entry point of the dialect.

    Not the project's folder itself, whose metadata would register its pytest plugin with the clients.
    """
    folder = BUILD / "path"
    metadata = folder / "pyminisql-0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
    for name in ("minisql", "minisql_sqlalchemy"):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(ROOT / name)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    group = "sqlalchemy.dialects"
    lines = [f"{name} = {target}" for name, target in project["entry-points"][group].items()]
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pyminisql\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    return folder


def install(packages: tuple[str, ...]) -> None:
    """Installs packages that are not there yet."""
    python = interpreter()
    done = subprocess.run([python, "-m", "pip", "freeze", "--all"], capture_output=True, text=True, check=True)
    there = {re.split(r"[ =@]", line)[0].lower().replace("_", "-") for line in done.stdout.splitlines()}
    missing = [name for name in packages if name not in there]
    if missing:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *missing], check=True)


def source_folder(project: str) -> Path:
    """The source distribution of the installed version of a project, unpacked afresh."""
    python = interpreter()
    code = f"from importlib.metadata import version; print(version({project!r}))"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    stem = f"{project.replace('-', '_')}-{found}"
    folder = BUILD / "src" / stem
    archive = BUILD / "src" / f"{stem}.tar.gz"
    if not archive.exists():
        command = [
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            project,
            "--dest",
            str(archive.parent),
            f"{project}=={found}",
        ]
        subprocess.run([python, "-m", "pip", *command], check=True)
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(archive) as opened:
        opened.extractall(archive.parent, filter="data")
    return folder


def engine_source() -> str:
    """Names the engine's source: a digest of all its files."""
    digest = hashlib.sha256()
    for package in ("minisql", "minisql_sqlalchemy"):
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def result_path(client: Client, module: str) -> Path:
    return BUILD / "results" / f"{re.sub(r'[^a-z0-9]+', '-', client.name.lower())}.{module}.json"


def run(client: Client, module: str) -> Outcome:
    """Runs a suite with one module and stores what came out: passed, failed, skipped, the names of failures, the version."""
    python = interpreter()
    path = result_path(client, module)
    path.parent.mkdir(parents=True, exist_ok=True)
    report, notes = path.with_suffix(".xml"), path.with_suffix(".notes")
    report.unlink(missing_ok=True)
    notes.write_text("")
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True, check=True
    ).stdout.strip()
    command = [str(python), *[argument.format(site=site, root=ROOT) for argument in client.arguments]]
    is_installed = module == "minisql" and not client.named_arguments
    if module == "minisql":
        command += client.named_arguments
    if client.format == "junit":
        command += [f"--junitxml={report}"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(module_path()),
        "CLIENT_MODULE": "minisql" if is_installed else "sqlite3",
        "CLIENT_NOTES": str(notes),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    folder = source_folder(client.source) / client.folder if client.source else BUILD
    started = time.monotonic()
    with path.with_suffix(".log").open("w") as log:
        try:
            subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=60 * client.n_minutes,
                check=False,
            )
        except subprocess.TimeoutExpired:
            log.write("\ntimeout\n")
    text = path.with_suffix(".log").read_text(errors="replace")
    outcome = junit_outcome(report) if client.format == "junit" else unittest_outcome(text)
    outcome["version"] = version(python, client.packages[0])
    outcome["seconds"] = round(time.monotonic() - started)
    outcome["engine"] = engine_source() if module == "minisql" else ""
    loaded = set(notes.read_text().split())
    if loaded != {module} and not (client.named_arguments and module in loaded):
        outcome["failed"] = int(str(outcome["failed"])) + 1
        outcome["failures"] = {**dict(outcome["failures"]), "the engine": f"loaded: {sorted(loaded)}"}  # type: ignore[call-overload]
    path.write_text(json.dumps(outcome, indent=1))
    return outcome


def is_current(client: Client, module: str, source: str) -> bool:
    """Tells whether there is a result, of this engine if it is one of ours."""
    path = result_path(client, module)
    return path.exists() and (module == "sqlite3" or json.loads(path.read_text()).get("engine") == source)


def version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def junit_outcome(report: Path) -> Outcome:
    """Counts and failures of a pytest run; a run that left no report counts as one failure."""
    if not report.exists():
        return {"passed": 0, "failed": 1, "skipped": 0, "failures": {"the run": "no report"}}
    failures: dict[str, str] = {}
    passed = skipped = 0
    for case in ElementTree.parse(report).iter("testcase"):
        # SQLAlchemy puts the library's version into the names of its classes.
        name = re.sub(r"(pysqlite|minisql)_\d+_\d+_\d+", "", f"{case.get('classname')}.{case.get('name')}")
        problem = case.find("failure")
        if problem is None:
            problem = case.find("error")
        if problem is not None:
            failures[name] = (problem.get("message") or "").splitlines()[0][:200] if problem.get("message") else ""
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return {"passed": passed, "failed": len(failures), "skipped": skipped, "failures": failures}


def unittest_outcome(text: str) -> Outcome:
    """Counts and failures from the summary of a unittest run."""
    ran = re.findall(r"^Ran (\d+) tests?", text, re.M)
    if not ran:
        return {"passed": 0, "failed": 1, "skipped": 0, "failures": {"the run": "no summary"}}
    numbers = {word: int(number) for word, number in re.findall(r"([a-z ]+)=(\d+)", text.rpartition("\nRan ")[2])}
    failures = {match[1].strip(): match[0] for match in re.findall(r"^(FAIL|ERROR): (.*)$", text, re.M)}
    skipped = numbers.get("skipped", 0) + numbers.get(", skipped", 0)
    failed = numbers.get("failures", 0) + numbers.get("errors", 0)
    return {"passed": int(ran[-1]) - failed - skipped, "failed": failed, "skipped": skipped, "failures": failures}


def differences(client: Client, outcomes: dict[str, Outcome]) -> dict[str, str]:
    """What fails with minisql and not with sqlite3."""
    standard, ours = (outcomes[module]["failures"] for module in MODULES)
    assert isinstance(standard, dict) and isinstance(ours, dict)
    return {name: why for name, why in ours.items() if name not in standard}


def table(results: list[tuple[Client, dict[str, Outcome]]], known: dict[str, str]) -> str:
    """The page docs/clients.md; `known` are the rows that it has, by client."""
    lines = [
        "# Clients",
        "",
        "Their own test suites, with the standard library's `sqlite3` and with minisql in its place (`minisql.install()`);",
        "passed / failed / skipped. Made by `python -m tests.clients --write`, which installs each project from the package index.",
        "What fails with both is not about the module: the wheel of pandas, for one, lacks the data files of some of its tests.",
        "",
        "Datasette's tests are not in its distribution; a program of ours searches with it. The engine is named by a digest of its",
        "source, the same in all rows of one run.",
        "",
        "| client | version | sqlite3 | minisql | fail with minisql only | engine |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    rows = dict(known)
    for client, outcomes in results:
        cells = ["{passed} / {failed} / {skipped}".format(**outcomes[module]) for module in MODULES]
        mine = outcomes["minisql"]
        rows[client.name] = (
            f"| {client.name} | {mine['version']} | {cells[0]} | {cells[1]} | {reasons(client, outcomes)} | {mine['engine']} |"
        )
    lines += [rows[client.name] for client in CLIENTS if client.name in rows]
    return "\n".join([*lines, ""])


def known_rows(page: Path) -> dict[str, str]:
    """The rows of the page as it stands, by client."""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][2:]
    return {line.split(" | ")[0].removeprefix("| "): line if line.count("|") == 7 else f"{line} |" for line in lines}


def reasons(client: Client, outcomes: dict[str, Outcome]) -> str:
    """The differences of a client, counted by reason."""
    counts: dict[str, int] = {}
    for name in differences(client, outcomes):
        why = excepted(client, name) or "to mend"
        counts[why] = counts.get(why, 0) + 1
    return "; ".join(f"{n}: {why}" for why, n in counts.items())


def excepted(client: Client, name: str) -> str | None:
    """Why a test may fail with minisql."""
    return next((why for part, why in (client.why or {}).items() if re.search(part, name)), None)


def main() -> int:
    """Runs, prints the table and the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", help="clients whose name contains this")
    parser.add_argument("--again", action="store_true", help="run what has a result, too")
    parser.add_argument("--minutes", type=float, default=10_000.0, help="start no further run after so many minutes")
    parser.add_argument("--write", action="store_true", help="write docs/clients.md")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    results = []
    n_bad = 0
    source, started = engine_source(), time.monotonic()
    for client in CLIENTS:
        is_chosen = not options.only or any(part.lower() in client.name.lower() for part in options.only)
        outcomes: dict[str, Outcome] = {}
        for module in MODULES:
            is_due = options.again or not is_current(client, module, source)
            if is_chosen and is_due and time.monotonic() - started < 60 * options.minutes:
                install(client.packages)
                run(client, module)
            if is_current(client, module, source):
                outcomes[module] = json.loads(result_path(client, module).read_text())
        if len(outcomes) < len(MODULES):
            continue
        results.append((client, outcomes))
        bad = {name: why for name, why in differences(client, outcomes).items() if excepted(client, name) is None}
        n_bad += len(bad)
        if is_chosen:
            cells = ["{passed}/{failed}/{skipped}".format(**outcomes[module]) for module in MODULES]
            print(f"{client.name}: sqlite3 {cells[0]}, minisql {cells[1]}", flush=True)
            for name, why in bad.items():
                print(f"  {name}: {why}", flush=True)
    if options.write:
        page = ROOT / "docs" / "clients.md"
        page.write_text(table(results, known_rows(page)), encoding="utf-8")
    waiting = [client.name for client in CLIENTS if client.name not in {chosen.name for chosen, _ in results}]
    print(f"engine {source}: {len(results)} clients with both results; without: {', '.join(waiting) or 'none'}")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
