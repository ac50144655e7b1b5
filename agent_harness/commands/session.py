"""What every command shares: the configuration as asked for on the command line, and one way to give out data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from agent_harness.config import Config, load
from agent_harness.errors import ConfigurationError


class Session:
    """One call of the command line."""

    def __init__(self, path: Path | None, checkout: Path | None, settings: tuple[str, ...], is_json: bool) -> None:
        self.is_json = is_json
        self._path = path
        self._checkout = checkout
        self._settings = dict(_setting(text) for text in settings)

    @property
    def root(self) -> Path:
        """The checkout's folder."""
        return (self._checkout or (self._path.parent if self._path else Path.cwd())).resolve()

    def config(self, overrides: Mapping[str, Any] | None = None) -> Config:
        """The configuration with `--set` and then `overrides` over it.  Raises ConfigurationError."""
        if not self.root.is_dir():
            raise ConfigurationError(f"{self.root}: not a folder")
        given = {key: value for key, value in (overrides or {}).items() if value is not None}
        return load(self._path, {**self._settings, **given}, checkout=self.root)

    def emit(self, data: object, lines: Iterable[str]) -> None:
        """Writes `data` as JSON when asked for, else `lines`."""
        if self.is_json:
            click.echo(json.dumps(data, indent=2, default=str, ensure_ascii=True))
            return
        for line in lines:
            click.echo(line.encode("utf-8", "replace").decode("utf-8"))

    def say(self, text: str) -> None:
        """Progress, on stderr."""
        print(text, file=sys.stderr)


def _ask_for_json(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        context.find_object(Session).is_json = True  # type: ignore[union-attr]


def data_command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command its Session as first argument and the option --json."""
    option = click.option(
        "--json", is_flag=True, expose_value=False, callback=_ask_for_json, help="Write data as one JSON document."
    )
    return option(click.pass_obj(function))


def _setting(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ConfigurationError(f"--set takes KEY=VALUE, not {text!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
