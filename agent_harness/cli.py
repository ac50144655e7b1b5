"""The command line: which commands there are, where each one lives, and what every ending means.

Commands load on first use, so that `--help` is quick and a missing extra hurts only who needs it.  stdout is data, stderr is
progress; a command never asks when there is no terminal.  Exit codes: 0 contract green, 1 error, 2 limit, 3 rejected by a
gate, 4 configuration, 130 interrupted; every error is one line.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from agent_harness.commands.session import Session
from agent_harness.errors import EXIT_CONFIGURATION, EXIT_ERROR, EXIT_INTERRUPTED, HarnessError

COMMANDS: dict[str, tuple[str, str, str]] = {
    "init": ("setup", "init", "Write a configuration file for this checkout."),
    "doctor": ("setup", "doctor", "Check programs, packages, the checkout and the configuration."),
    "demo": ("setup", "demo", "Plant a fault in a scratch clone and watch the loop repair it."),
    "backends": ("setup", "backends", "List the backends and what each one is missing."),
    "gc": ("setup", "gc", "Remove workspaces whose work is merged or archived."),
    "contract": ("contracts", "contract", "Check, freeze and compare the acceptance contract."),
    "cluster": ("contracts", "cluster", "Group the failing cases by cause."),
    "minimize": ("contracts", "minimize", "Make a failing case small, with SQLite's answer beside the engine's."),
    "locate": ("contracts", "locate", "Rank the functions that a failing case makes suspicious."),
    "evolve": ("contracts", "evolve", "Take statements from production into the contract."),
    "run": ("work", "run", "Go round until no case fails or a limit is reached."),
    "resume": ("work", "resume", "Go on with a run that was stopped or killed."),
    "stop": ("work", "stop", "Ask a run to end after the attempts in flight."),
    "status": ("overview", "status", "Say where the contract and the tasks stand."),
    "tasks": ("overview", "tasks", "List the tasks."),
    "attempts": ("overview", "attempts", "Show, compare and replay attempts."),
    "costs": ("overview", "costs", "Add up tokens and money by role, backend and model."),
    "report": ("overview", "report", "Write one self-contained HTML page about the runs."),
    "perf": ("performance", "perf", "Make the engine faster: what wins beyond noise is kept, the rest rolled back."),
    "verify": ("work", "verify", "Run the gates on a commit."),
    "merge": ("work", "merge", "Merge verified attempts through preview merges."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(import_module(f"agent_harness.commands.{entry[0]}"), entry[1])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list for --help, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=LazyGroup)
@click.version_option(package_name="pyminisql")
@click.option("-c", "--config", "path", type=click.Path(path_type=Path), help="Configuration file [agent-harness.toml].")
@click.option("-C", "--checkout", type=click.Path(path_type=Path), help="The checkout to work on [current folder].")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a setting, as loop.builders=4.")
@click.option("--json", "is_json", is_flag=True, help="Write data as one JSON document.")
@click.pass_context
def command_line(
    context: click.Context, path: Path | None, checkout: Path | None, settings: tuple[str, ...], is_json: bool
) -> None:
    """Grow a program until its acceptance contract is green, by agents that cannot talk their way past the gates."""
    context.obj = Session(path, checkout, settings, is_json)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code; what goes wrong is one line on stderr."""
    try:
        code = command_line.main(args=arguments, prog_name="agent-harness", standalone_mode=False)
    except click.exceptions.Abort:
        return _fail("interrupted", EXIT_INTERRUPTED)
    except KeyboardInterrupt:
        return _fail("interrupted", EXIT_INTERRUPTED)
    except click.ClickException as error:
        return _fail(error.format_message(), EXIT_CONFIGURATION)
    except HarnessError as error:
        return _fail(str(error), error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_ERROR
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _fail(f"{place}{error.strerror or error}", EXIT_ERROR)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "agent_harness":
            raise
        return _fail(f"{error.name}: package not installed (pip install 'pyminisql[tools]')", EXIT_CONFIGURATION)
    return code if isinstance(code, int) else 0


def _fail(text: str, code: int) -> int:
    print("agent-harness: " + " ".join(text.split()), file=sys.stderr)
    return code
