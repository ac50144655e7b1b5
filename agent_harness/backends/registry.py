"""Finds backends by name: the built-in kinds, and more by the entry-point group `agent_harness.backends`.

An entry point names a factory `(BackendConfig, Config) -> Backend`.  A kind that is not known is a configuration error;
whether its program, package or key is there is the backend's own word (`available`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from agent_harness.backends.base import Backend
from agent_harness.backends.openai_chat import OpenAIChatBackend
from agent_harness.backends.programs import DIALECTS, ProgramBackend
from agent_harness.backends.replay import ReplayBackend
from agent_harness.config import BackendConfig, Config
from agent_harness.contract.configured import make_contract
from agent_harness.errors import ConfigurationError

GROUP = "agent_harness.backends"
Factory = Callable[[BackendConfig, Config], Backend]


def _embedded(chosen: BackendConfig, config: Config) -> Backend:
    # The repair agent is large and only this kind needs it.
    module = import_module("agent_harness.backends.embedded")
    return module.EmbeddedBackend(lambda: make_contract(config), **dict(chosen.options))  # type: ignore[no-any-return]


def _program(chosen: BackendConfig, config: Config) -> Backend:
    settings = chosen.options.get("environment", {})
    if not isinstance(settings, dict) or not all(isinstance(value, str) for value in settings.values()):
        raise ConfigurationError(f"backends.{chosen.name}.environment: must be a table of texts")
    _no_more(chosen, {"environment"})
    return ProgramBackend(DIALECTS[chosen.kind], chosen.model or "default", settings)


def _openai(chosen: BackendConfig, config: Config) -> Backend:
    if not chosen.model:
        raise ConfigurationError(f"backends.{chosen.name}.model: must be given")
    return OpenAIChatBackend(
        chosen.model, **_known(chosen, ("base_url", "key_variable", "price_in", "price_cached", "price_out"))
    )


def _replay(chosen: BackendConfig, config: Config) -> Backend:
    folder = _known(chosen, ("folder",)).get("folder")
    if not isinstance(folder, str):
        raise ConfigurationError(f"backends.{chosen.name}.folder: the recording's folder must be given")
    return ReplayBackend(config.checkout / folder, chosen.model or "recorded")


def _known(chosen: BackendConfig, names: tuple[str, ...]) -> dict[str, Any]:
    _no_more(chosen, set(names))
    return dict(chosen.options)


def _no_more(chosen: BackendConfig, names: set[str]) -> None:
    unknown = set(chosen.options) - names
    if unknown:
        raise ConfigurationError(f"backends.{chosen.name}.{min(unknown)}: unknown key")


BUILT_IN: dict[str, Factory] = {
    "embedded": _embedded,
    "openai": _openai,
    "replay": _replay,
    **{name: _program for name in DIALECTS},
}


def known_kinds() -> list[str]:
    """All kinds: built in, then by entry points."""
    return [*BUILT_IN, *sorted({point.name for point in entry_points(group=GROUP)} - set(BUILT_IN))]


def make_backend(name: str, config: Config) -> Backend:
    """The backend `name` of the configuration.  Raises ConfigurationError for an unknown kind or a bad option."""
    chosen = config.backend(name)
    factory = BUILT_IN.get(chosen.kind)
    if factory is None:
        points = [point for point in entry_points(group=GROUP) if point.name == chosen.kind]
        if not points:
            raise ConfigurationError(f"backend {name}: unknown kind {chosen.kind!r}; known are {', '.join(known_kinds())}")
        factory = points[0].load()
    try:
        return factory(chosen, config)
    except TypeError as error:
        raise ConfigurationError(f"backend {name}: {error}") from error
