"""Dot commands that change how the shell behaves and shows things.

Source: https://www.sqlite.org/cli.html.
"""

from __future__ import annotations

from collections.abc import Callable

from minisql.shell.commands import boolean, command, number
from minisql.shell.display import c_string, describe, known_modes
from minisql.shell.dot_line import DotError, unescape
from minisql.shell.output import complain
from minisql.shell.state import DEFAULT_PROMPTS, ShellState

_MORE_INFO = 'Use ".help .mode" for more info'


def _switch(name: str, usage: str, store: Callable[[ShellState, bool], None]) -> None:
    """Enters a command that takes on or off."""

    def action(state: ShellState, words: list[str]) -> None:
        if len(words) != 1:
            raise DotError(f"Usage: .{name} {usage}")
        store(state, boolean(words[0]))

    command(name)(action)


_switch("bail", "on|off", lambda state, value: setattr(state, "bails", value))
_switch("echo", "on|off", lambda state, value: setattr(state, "echoes", value))
_switch("changes", "on|off", lambda state, value: setattr(state, "shows_changes", value))


@command("headers")
def _headers(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .headers off|on|always")
    is_always = words[0].lower() == "always"
    state.display.set_titles("always" if is_always else "on" if boolean(words[0]) else "off")


@command("timer")
def _timer(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .timer on|off|once")
    state.timer = "once" if words[0] == "once" else "on" if boolean(words[0]) else "off"


@command("eqp")
def _eqp(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .eqp off|on|trace|trigger|full")
    word = words[0]
    state.query_plan = word if word in ("full", "trigger") else "on" if boolean(word) else "off"


@command("explain")
def _explain(state: ShellState, words: list[str]) -> None:
    word = words[0] if words else "on"
    state.explain = "auto" if word == "auto" else "on" if boolean(word) else "off"
    if not words:
        state.explain = "auto"


@command("crlf")
def _crlf(state: ShellState, words: list[str]) -> None:
    if words and words[0].lower() in ("on", "off", "yes", "no", "true", "false", "0", "1"):
        state.output.uses_crlf = boolean(words[0])
    complain(f"crlf is {'ON' if state.output.uses_crlf else 'OFF'}")


@command("nullvalue")
def _nullvalue(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .nullvalue STRING")
    state.display.null_text = words[0]


@command("separator")
def _separator(state: ShellState, words: list[str]) -> None:
    if not 1 <= len(words) <= 2:
        raise DotError("Usage: .separator COL ?ROW?")
    state.display.column_separator = words[0]
    if len(words) > 1:
        state.display.row_separator = words[1]


@command("width")
def _width(state: ShellState, words: list[str]) -> None:
    state.display.widths = [number(word) for word in words]


@command("prompt")
def _prompt(state: ShellState, words: list[str]) -> None:
    if words and words[0] == "--show":
        state.output.line(f"Main prompt:  '{state.prompts[0]}'")
        state.output.line(f"Continuation: '{state.prompts[1]}'")
        return
    if words and words[0] in ("--reset", "--hard-reset"):
        state.prompts = DEFAULT_PROMPTS
        return
    texts = [word for word in words if word not in ("--", "--no-color", "--color")]
    state.prompts = (texts[0] if texts else state.prompts[0], texts[1] if len(texts) > 1 else state.prompts[1])


@command("nonce")
def _nonce(state: ShellState, words: list[str]) -> None:
    if len(words) != 1:
        raise DotError("Usage: .nonce NONCE")
    if words[0] != state.nonce:
        state.wants_exit = True
        state.exit_code = 1
        raise DotError("incorrect nonce", has_place=True)
    state.is_unsafe_once = True


@command("show")
def _show(state: ShellState, words: list[str]) -> None:
    display = state.display
    settings = (
        ("echo", "on" if state.echoes else "off"),
        ("eqp", state.query_plan),
        ("explain", state.explain),
        ("headers", display.titles if display.titles in ("off", "always") else "on"),
        ("mode", display.mode),
        ("nullvalue", f'"{c_string(display.null_text)}"'),
        ("output", state.output.name),
        ("colseparator", f'"{c_string(display.column_separator)}"'),
        ("rowseparator", f'"{c_string(display.row_separator)}"'),
        ("stats", " ".join(state.stats) or "off"),
        ("width", "".join(f"{width} " for width in display.widths)),
        ("filename", state.filename),
    )
    for name, value in settings:
        state.output.line(f"{name:>12}: {value}")


@command("mode")
def _mode(state: ShellState, words: list[str]) -> None:
    display = state.display
    if not words:
        state.output.line(describe(display, False))
        return
    has_mode = has_table = False
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-"):
            if has_mode and has_table:
                raise DotError("bad argument", _MORE_INFO, word=at)
            if has_mode:
                display.table_name = word
                has_table = True
                continue
            _choose_mode(state, word, at)
            has_mode = True
            continue
        option = word.lstrip("-")
        if option in _FLAGS:
            _FLAGS[option](state)
            continue
        if option == "quote" and at == len(words):
            _quote(state, "on", at)
            continue
        setter = _OPTIONS.get(option)
        if setter is None:
            raise DotError("bad option", _MORE_INFO, word=at)
        if at == len(words):
            raise DotError("missing argument", word=at)
        setter(state, words[at], at + 1)
        at += 1


def _choose_mode(state: ShellState, word: str, place: int) -> None:
    modes = known_modes(state.display)
    found = word if word in modes else next((mode for mode in modes if mode.startswith(word)), None)
    if found is None:
        raise DotError("unknown mode", _MORE_INFO, word=place)
    state.display.set_mode(found)


def _begin_once(state: ShellState) -> None:
    state.once_settings = state.display.copy_settings()


def _wrap_words(state: ShellState) -> None:
    state.display.word_wrap = True


def _show_as_is(state: ShellState) -> None:
    state.display.quote = "off"


_FLAGS: dict[str, Callable[[ShellState], None]] = {
    "noquote": _show_as_is,
    "list": lambda state: state.output.line("available modes: " + " ".join(known_modes(state.display))),
    "once": _begin_once,
    "reset": lambda state: state.display.reset(),
    "v": lambda state: state.output.line(describe(state.display, True)),
    "verbose": lambda state: state.output.line(describe(state.display, True)),
    "ww": _wrap_words,
}
Setter = Callable[[ShellState, str, int], None]


def _text(name: str, *, is_escaped: bool = False) -> Setter:
    def store(state: ShellState, value: str, place: int) -> None:
        setattr(state.display, name, unescape(value) if is_escaped else value)

    return store


def _integer(name: str) -> Setter:
    return lambda state, value, place: setattr(state.display, name, number(value))


def _boolean(name: str) -> Setter:
    return lambda state, value, place: setattr(state.display, name, boolean(value))


def _choice(name: str, choices: dict[str, str]) -> Setter:
    def store(state: ShellState, value: str, place: int) -> None:
        if value not in choices:
            raise DotError("bad argument", f"Available choices: {' '.join(choices)}", word=place)
        setattr(state.display, name, choices[value])

    return store


def _quote(state: ShellState, value: str, place: int) -> None:
    _choose_quote(state, value, place)
    if value == "on":
        state.display.null_text = "NULL"


def _align(state: ShellState, value: str, place: int) -> None:
    if value.upper().strip("LCR"):
        raise DotError("bad alignment string", "Should contain only characters L, C, and R.", word=place)
    state.display.alignment = value


def _titles(state: ShellState, value: str, place: int) -> None:
    if value not in ("off", "on", "always", "sql", "csv", "html", "tcl", "json"):
        value = "on" if boolean(value) else "off"
    state.display.titles = value


def _limits(state: ShellState, value: str, place: int) -> None:
    display = state.display
    if value in ("on", "off"):
        display.line_limit, display.char_limit, display.title_limit = (5, 300, 20) if value == "on" else (0, 0, 0)
        return
    parts = [number(part) for part in value.split(",")]
    if len(parts) not in (2, 3):
        raise DotError("bad argument", word=place)
    display.line_limit, display.char_limit = parts[:2]
    if len(parts) == 3:
        display.title_limit = parts[2]


def _widths(state: ShellState, value: str, place: int) -> None:
    state.display.widths = [number(part) for part in value.replace(",", " ").split()]


def _screen_width(state: ShellState, value: str, place: int) -> None:
    state.display.screen_width = "auto" if value == "auto" else number(value)


def _tag(state: ShellState, value: str, place: int) -> None:
    state.display.saved_modes[value] = state.display.copy_settings()


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_choose_quote = _choice("quote", {**_same("off", "sql", "relaxed", "csv", "html", "tcl", "json"), "on": "sql"})
_OPTIONS: dict[str, Setter] = {
    "align": _align,
    "blob-quote": _choice("blob_quote", _same("auto", "text", "sql", "hex", "tcl", "json", "size")),
    "border": _boolean("has_border"),
    "charlimit": _integer("char_limit"),
    "colsep": _text("column_separator"),
    "escape": _choice("escape", _same("auto", "off", "ascii", "symbol")),
    "fpfmt": _text("real_format"),
    "ifmt": _text("integer_format"),
    "linelimit": _integer("line_limit"),
    "limits": _limits,
    "multiinsert": _integer("multi_insert"),
    "null": _text("null_text"),
    "quote": _quote,
    "rowcount": _boolean("shows_row_count"),
    "rowsep": _text("row_separator"),
    "screenwidth": _screen_width,
    "sw": _screen_width,
    "tablename": _text("table_name"),
    "tag": _tag,
    "textjsonb": _boolean("is_textjsonb"),
    "title": _titles,
    "titlelimit": _integer("title_limit"),
    "titles": _titles,
    "width": _widths,
    "widths": _widths,
    "wordwrap": _boolean("word_wrap"),
    "wrap": _integer("wrap"),
}
