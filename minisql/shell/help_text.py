"""Help: a line for each dot command, and lines about its options.

Source: https://www.sqlite.org/cli.html.
"""

from __future__ import annotations

# The line of `.help`, then those of `.help COMMAND`.
HELP: tuple[tuple[str, ...], ...] = (
    (".auth ON|OFF             Show authorizer callbacks",),
    ('.backup ?DB? FILE        Backup DB (default "main") to FILE',),
    (".bail on|off             Stop after hitting an error.  Default OFF",),
    (".cd DIRECTORY            Change the working directory to DIRECTORY",),
    (".changes on|off          Show number of rows changed by SQL",),
    (
        ".check OPTIONS ...       Verify the results of a .testcase",
        "   --exact                 Compare with leading and trailing blanks",
        "   --glob, --notglob       PATTERN is a GLOB that must (not) match",
        "   --keep                  More .check commands will follow",
        "   --show                  Write the captured output too",
        "   PATTERN <<LABEL stands for the lines up to one that begins with LABEL",
    ),
    (".clone NEWDB             Clone data into NEWDB from the existing database",),
    (".connection [close] [#]  Open or close an auxiliary database connection",),
    (".crlf ?on|off?           Whether or not to use \\r\\n line endings",),
    (".databases               List names and files of attached databases",),
    (".dbconfig ?op? ?val?     List or change sqlite3_db_config() options",),
    (".dbtotxt                 Hex dump of the database file",),
    (".diskused ?SCHEMA?       Report database space and size stats",),
    (
        ".dump ?OBJECTS?          Render database content as SQL",
        "   --data-only             Output only INSERT statements",
        "   --newlines              Allow unescaped newline characters in output",
        '   --nosys                 Omit system tables (ex: "sqlite_stat1")',
        "   --preserve-rowids       Include ROWID values in the output",
        "   OBJECTS are LIKE patterns for tables, indexes, triggers or views",
    ),
    (".echo on|off             Turn command echo on or off",),
    (".eqp on|off|full|...     Enable or disable automatic EXPLAIN QUERY PLAN",),
    (".exit ?CODE?             Exit this program with return-code CODE",),
    (".explain ?on|off|auto?   Change the EXPLAIN formatting mode.  Default: auto",),
    (".fullschema ?--indent?   Show schema and the content of sqlite_stat tables",),
    (".headers on|off          Turn display of headers on or off",),
    (".help ?-all? ?PATTERN?   Show help text for PATTERN",),
    (
        ".import FILE TABLE       Import data from FILE into TABLE",
        "   FILE may be |COMMAND, or <<LABEL for the lines up to LABEL",
        "   --ascii                 Use \\037 and \\036 as column and row separators",
        "   --colsep CHAR           Use CHAR as the column separator",
        "   --csv                   Use , and \\n as column and row separators",
        "   --esc CHAR              CHAR escapes a separator in unquoted fields",
        "   --rowsep CHAR           Use CHAR as the row separator",
        "   --schema S              When creating TABLE, put it in schema S",
        "   --skip N                Ignore the first N rows of input",
        "   -v                      Verbose mode",
    ),
    (
        ".indexes ?PATTERN?       Show names of indexes matching PATTERN",
        "   -a|--all                Also show system-generated indexes",
        "   --expr                  Show only expression indexes",
        "   --sys                   Show only system-generated indexes",
    ),
    (".intck ?STEPS?           Run an incremental integrity check on the db",),
    (".limit ?LIMIT? ?VAL?     Display or change the value of an SQLITE_LIMIT",),
    (
        ".lint OPTIONS            Report potential schema issues.",
        "   fkey-indexes            Find missing foreign key indexes",
    ),
    (
        ".mode ?MODE? ?OPTIONS?   Set output mode",
        "   --list shows the modes, -v every setting; the options:",
        "   --align STRING          L, C or R for each column of a columnar mode",
        "   --blob-quote ARG        auto, text, sql, hex, tcl, json or size",
        "   --border on|off         Outer border of box and table",
        "   --charlimit N, --linelimit N, --titlelimit N, --limits L,C,T|on|off",
        "   --colsep STRING, --rowsep STRING",
        "   --escape ESC            auto, off, ascii or symbol for control characters",
        "   --fpfmt STRING, --ifmt STRING   printf formats of reals and integers",
        "   --multiinsert N         Rows up to N bytes in one INSERT",
        "   --null STRING           Show NULL as STRING",
        "   --once                  What follows is for one command",
        "   --quote ARG             off, on, sql, relaxed, csv, html, tcl or json",
        "   --reset                 Everything back to the mode's defaults",
        '   --rowcount on|off       Show "(N rows)"',
        "   --sw N|auto             The width of the screen",
        "   --tablename NAME        The table of mode insert",
        "   --tag NAME              Save the settings as a mode NAME",
        "   --textjsonb on|off      Show JSONB as JSON text",
        "   --title ARG             off, on, always, sql, csv, html, tcl or json",
        "   --widths LIST, --wrap N, --wordwrap on|off, --ww",
    ),
    (".nonce STRING            Suspend safe mode for one command if nonce matches",),
    (".nullvalue STRING        Use STRING in place of NULL values",),
    (".once ?OPTIONS? ?FILE?   Output for the next SQL command only to FILE",),
    (
        ".open ?OPTIONS? ?FILE?   Close existing database and reopen FILE",
        "   --ifexist               Only open if FILE already exists",
        "   --new                   Initialize FILE to an empty database",
        "   --readonly              Open FILE readonly",
    ),
    (".output ?FILE?           Send output to FILE or stdout if FILE is omitted",),
    (
        ".parameter CMD ...       Manage SQL parameter bindings",
        "   clear                   Erase all bindings",
        "   init                    Initialize the TEMP table that holds bindings",
        "   list                    List the current parameter bindings",
        "   set PARAMETER VALUE     Given SQL parameter PARAMETER a value of VALUE",
        "                           PARAMETER should start with one of: $ : @ ?",
        "   unset PARAMETER         Remove PARAMETER from the binding table",
    ),
    (".print STRING...         Print literal STRING",),
    (
        ".profile ?--opcodes? SQL Run a statement; show time, loops and rows by plan line",
        "   --opcodes               Also those of each instruction",
    ),
    (
        ".progress N              Invoke progress handler after every N opcodes",
        "   --limit N               Interrupt after N progress callbacks",
        "   --quiet|-q              No output except at interrupts",
    ),
    (
        ".prompt MAIN CONTINUE    Replace the standard prompts",
        "   --reset                 Revert to default prompts",
        "   --show                  Show the current prompt strings",
    ),
    (".quit                    Stop interpreting input stream, exit if primary.",),
    (
        ".read FILE               Read input from FILE or command output",
        '   If FILE begins with "|", it is a command that generates the input.',
    ),
    ('.restore ?DB? FILE       Restore content of DB (default "main") from FILE',),
    (".save ?OPTIONS? FILE     Write database to FILE (an alias for .backup ...)",),
    (
        ".schema ?PATTERN?        Show the CREATE statements matching PATTERN",
        "   --indent                Try to pretty-print the schema",
        '   --nosys                 Omit objects whose names start with "sqlite_"',
    ),
    (".separator COL ?ROW?     Change the column and row separators",),
    (
        ".sha3sum ...             Compute a SHA3 hash of database content",
        "   --schema                Also hash the sqlite_schema table",
        "   --sha3-224, --sha3-256, --sha3-384, --sha3-512",
        "   Any other argument is a LIKE pattern for tables to hash",
    ),
    (".shell CMD ARGS...       Run CMD ARGS... in a system shell",),
    (".source SQL              Show the Python source made of a statement",),
    (".stats ?ARG?             Show stats or turn stats on or off",),
    (".system CMD ARGS...      Run CMD ARGS... in a system shell",),
    (".tables ?TABLE?          List names of tables matching LIKE pattern TABLE",),
    (".testcase NAME           Begin a test case.",),
    (".timeout MS              Try opening locked tables for MS milliseconds",),
    (".timer on|off|once       Turn SQL timer on or off.",),
    (
        ".trace ?OPTIONS?         Output each SQL statement as it is run",
        "   FILE, stdout, stderr or off",
    ),
    (".version                 Show source, library and compiler versions",),
    (".vfsinfo ?AUX?           Information about the top-level VFS",),
    (".vfslist                 List all available VFSes",),
    (".vfsname ?AUX?           Print the name of the VFS stack",),
    (".width NUM1 NUM2 ...     Set minimum column widths for columnar output",),
)


def help_lines(pattern: str) -> list[str]:
    """The lines about the command of that name, else about those that begin so, else about those whose help has the word."""
    lowered = pattern.lower()
    for matches in (
        [entry for entry in HELP if _name(entry) == lowered],
        [entry for entry in HELP if _name(entry).startswith(lowered)],
        [entry for entry in HELP if lowered in "\n".join(entry).lower()],
    ):
        if matches:
            return [line for entry in matches for line in entry]
    return []


def _name(entry: tuple[str, ...]) -> str:
    return entry[0].split()[0][1:]
