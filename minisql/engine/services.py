"""The services that programs call by name (opcodes HostCall and HostRows): the names, and who serves them.

`call` services return one value, `rows` services an iterable of row tuples.  Constants stand in the program, arguments are
register values.

    call                      constants                                   arguments
    attach                    ()                                          [file, name, key]
    detach                    ()                                          [name]
    vacuum                    (database or -1, )                          [] or [file] for INTO
    analyze                   (schema name or None, name or None)         []
    reindex                   (schema name or None, name or None)         []
    read_cookie               (database, header field)                    []
    create_virtual_table      (database, name, module, arguments)         []
    destroy_virtual_table     (database, name)                            []

    rows                      constants                                   arguments
    pragma                    (schema name or None, name, value or None)  []      PRAGMA as a statement
    pragma_table              (pragma name,)                              [value or None, schema or None]   pragma_x(...)

`pragma_columns` tells the planner nothing at run time: result column names of a PRAGMA come from `engine.pragma_table`,
which the planner reaches through `PlanContext.pragma_columns(name, has_value)`.

Source: https://www.sqlite.org/pragma.html, lang_attach.html, lang_vacuum.html, lang_analyze.html, lang_reindex.html.
"""
