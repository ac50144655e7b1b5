"""Display: the settings of an output mode, and the table of modes.

A mode is a set of changes to the settings; what it does not name stays as it was, so that `.mode box` keeps a width that
`.width` has set.  `describe` writes the settings as the options that would make them again, as `.mode` alone prints them.

Source: https://www.sqlite.org/cli.html#changing_output_formats and `.help .mode`.
"""

from __future__ import annotations

from typing import Any

COLUMNAR = frozenset({"box", "column", "markdown", "psql", "qbox", "split", "table"})
# Modes that do not show titles, or show the names with each row.
_UNTITLED = frozenset({"count", "jobject", "json", "line", "off"})
_SEPARATED = frozenset({"ascii", "c", "csv", "jatom", "list", "quote", "tabs", "tcl"})

DEFAULTS: dict[str, Any] = {
    "alignment": "",
    "has_border": True,
    "blob_quote": "auto",
    "column_separator": "|",
    "escape": "auto",
    "real_format": "auto",
    "integer_format": "auto",
    "line_limit": 0,
    "char_limit": 0,
    "title_limit": 0,
    "multi_insert": 0,
    "null_text": "",
    "quote": "off",
    "shows_row_count": False,
    "row_separator": "\n",
    "screen_width": 0,
    "table_name": "",
    "is_textjsonb": False,
    "titles": "off",
    "widths": [],
    "word_wrap": None,
    "wrap": 0,
}

_PLAIN: dict[str, Any] = {"null_text": "", "quote": "off", "blob_quote": "auto", "has_border": True, "shows_row_count": False}
_GRID: dict[str, Any] = {**_PLAIN, "titles": "always"}

_C: dict[str, Any] = {"quote": "tcl", "blob_quote": "tcl", "titles": "off"}

MODES: dict[str, dict[str, Any]] = {
    "ascii": {**_PLAIN, "column_separator": "\x1f", "row_separator": "\x1e", "titles": "off"},
    "box": _GRID,
    "c": {**_PLAIN, "column_separator": ",", "row_separator": "\n", "null_text": "NULL", **_C},
    "column": _GRID,
    "count": _PLAIN,
    "csv": {**_PLAIN, "column_separator": ",", "row_separator": "\r\n", "quote": "csv", "titles": "off"},
    "html": {**_PLAIN, "quote": "html", "titles": "always"},
    "insert": {**_PLAIN, "null_text": "NULL", "quote": "sql", "titles": "off"},
    "jatom": {**_PLAIN, "column_separator": ",", "row_separator": "\n", "null_text": "null", "quote": "json", "titles": "off"},
    "jobject": {**_PLAIN, "null_text": "null", "quote": "json"},
    "json": {**_PLAIN, "null_text": "null", "quote": "json"},
    "line": {**_PLAIN, "column_separator": ": ", "row_separator": "\n"},
    "list": {**_PLAIN, "column_separator": "|", "row_separator": "\n", "titles": "off"},
    "markdown": _GRID,
    "off": _PLAIN,
    "psql": {**_GRID, "has_border": False, "shows_row_count": True},
    "qbox": {**_GRID, "null_text": "NULL", "quote": "sql"},
    "quote": {**_PLAIN, "column_separator": ",", "row_separator": "\n", "null_text": "NULL", "quote": "sql", "titles": "off"},
    "split": {**_PLAIN, "titles": "off", "screen_width": "auto"},
    "table": _GRID,
    "tabs": {**_PLAIN, "column_separator": "\t", "row_separator": "\n", "quote": "csv", "titles": "off"},
    "tcl": {**_PLAIN, "column_separator": " ", "row_separator": "\n", "null_text": '""', **_C},
}  # fmt: skip
_TERMINAL = {
    "null_text": "NULL", "quote": "relaxed", "line_limit": 5, "char_limit": 300, "title_limit": 20,
    "screen_width": "auto", "is_textjsonb": True, "multi_insert": 3000, "column_separator": "", "row_separator": "",
}  # fmt: skip
# Names that stand for a mode with every other setting made anew.
PRESETS: dict[str, tuple[str, dict[str, Any]]] = {"batch": ("list", {}), "tty": ("qbox", _TERMINAL)}


class Display:
    """The settings of the output; attributes as in DEFAULTS.  `own_titles` is what the user chose for every mode."""

    alignment: str
    has_border: bool
    blob_quote: str
    column_separator: str
    escape: str
    real_format: str
    integer_format: str
    line_limit: int
    char_limit: int
    title_limit: int
    multi_insert: int
    null_text: str
    quote: str
    shows_row_count: bool
    row_separator: str
    screen_width: int | str
    table_name: str
    is_textjsonb: bool
    titles: str
    widths: list[int]
    word_wrap: bool | None
    wrap: int

    def __init__(self) -> None:
        self.saved_modes: dict[str, dict[str, Any]] = {}
        self.mode = "list"
        self.own_titles: str | None = None
        self.reset()

    def reset(self) -> None:
        """Sets everything but the mode as it is at the start, then as the mode wants it."""
        for name, value in DEFAULTS.items():
            setattr(self, name, list(value) if isinstance(value, list) else value)
        self.own_titles = None
        self._apply(MODES[self.mode])

    def set_mode(self, name: str, *, is_fresh: bool = False) -> None:
        """Changes the mode: a name of MODES, of PRESETS or of a mode saved with `--tag`.

        The separators of the mode that is set already stay, unless `is_fresh`.
        """
        if name in self.saved_modes:
            self.restore(self.saved_modes[name])
        elif name in PRESETS:
            self.mode, changes = PRESETS[name]
            self.reset()
            self._apply(changes)
        else:
            changes = MODES[name]
            if name == self.mode and not is_fresh:
                changes = {key: value for key, value in changes.items() if not key.endswith("_separator")}
            self.mode = name
            self._apply(changes)

    def _apply(self, changes: dict[str, Any]) -> None:
        for name, value in changes.items():
            setattr(self, name, value if name != "titles" or self.own_titles is None else self.own_titles)

    def set_titles(self, titles: str) -> None:
        """Chooses the titles for this and every later mode."""
        self.titles = self.own_titles = titles

    def copy_settings(self) -> dict[str, Any]:
        """The settings as a dictionary, for `restore`."""
        settings = {name: getattr(self, name) for name in DEFAULTS}
        return {**settings, "widths": list(self.widths), "mode": self.mode, "own_titles": self.own_titles}

    def restore(self, settings: dict[str, Any]) -> None:
        """Brings back what `copy_settings` returned."""
        for name, value in settings.items():
            setattr(self, name, list(value) if isinstance(value, list) else value)


def known_modes(display: Display) -> list[str]:
    """The names that `.mode` takes, in the order in which it lists them."""
    return sorted(MODES) + sorted(display.saved_modes) + sorted(PRESETS)


def describe(display: Display, is_verbose: bool) -> str:
    """The `.mode` command that makes the current settings; `is_verbose` shows those that are at their defaults too."""
    mode = display.mode
    usual = {**DEFAULTS, **MODES[mode]}
    usual["blob_quote"], usual["screen_width"] = DEFAULTS["blob_quote"], DEFAULTS["screen_width"]
    pieces = [f".mode {mode}"]
    for option, names, text in _options(display):
        is_shown = is_verbose or (option == "tablename" and mode == "insert")
        if not is_shown and (all(getattr(display, name) == usual[name] for name in names) or _is_idle(mode, names[0])):
            continue
        if option == "titles" and mode in _UNTITLED:
            continue
        if option == "wrap" and not display.wrap:
            continue
        if not is_verbose and option in ("wordwrap", "wrap"):
            # A width alone is not shown, and with whole words both are, in this order.
            if option == "wordwrap" and display.word_wrap and display.wrap:
                pieces.append(f"--wrap {display.wrap} --ww")
            continue
        pieces.append(f"--{option} {text}")
    return " ".join(pieces)


def _is_idle(mode: str, name: str) -> bool:
    if name in ("widths", "alignment", "wrap", "word_wrap", "has_border", "screen_width"):
        return mode not in COLUMNAR
    if name == "shows_row_count":
        return mode in ("off", "count")
    if name == "column_separator":
        return mode not in _SEPARATED and mode != "line"
    if name == "row_separator":
        return mode not in _SEPARATED
    if name in ("table_name", "multi_insert"):
        return mode != "insert"
    return False


def _options(display: Display) -> list[tuple[str, tuple[str, ...], str]]:
    """(option, settings, text) in the order in which `.mode -v` shows them."""
    return [
        ("align", ("alignment",), _quoted(display.alignment)),
        ("border", ("has_border",), _on(display.has_border)),
        ("blob-quote", ("blob_quote",), display.blob_quote),
        ("colsep", ("column_separator",), _quoted(display.column_separator)),
        ("escape", ("escape",), display.escape),
        ("fpfmt", ("real_format",), display.real_format),
        ("ifmt", ("integer_format",), display.integer_format),
        ("limits", ("line_limit", "char_limit", "title_limit"), _limits(display)),
        ("multiinsert", ("multi_insert",), str(display.multi_insert)),
        ("null", ("null_text",), _quoted(display.null_text)),
        ("quote", ("quote",), display.quote),
        ("rowcount", ("shows_row_count",), _on(display.shows_row_count)),
        ("rowsep", ("row_separator",), _quoted(display.row_separator)),
        ("sw", ("screen_width",), str(display.screen_width)),
        ("tablename", ("table_name",), _quoted(display.table_name)),
        ("textjsonb", ("is_textjsonb",), _on(display.is_textjsonb)),
        ("titles", ("titles",), display.titles),
        ("widths", ("widths",), ",".join(map(str, display.widths)) or '""'),
        ("wordwrap", ("word_wrap",), _on(bool(display.word_wrap))),
        ("wrap", ("wrap",), str(display.wrap)),
    ]


def _on(value: bool) -> str:
    return "on" if value else "off"


def _limits(display: Display) -> str:
    limits = (display.line_limit, display.char_limit, display.title_limit)
    if limits == (5, 300, 20):
        return "on"
    return ",".join(map(str, limits)) if any(limits) else "off"


_C_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\\": "\\\\", '"': '\\"'}


def c_string(text: str) -> str:
    """Text as the inside of a C string: control characters are backslash escapes."""
    return "".join(_C_ESCAPES.get(c) or (f"\\{ord(c):03o}" if c < " " else c) for c in text)


def _quoted(text: str) -> str:
    return f'"{c_string(text)}"'
