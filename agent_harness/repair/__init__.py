"""The embedded repair agent's parts: edits of source text, candidates in forked children, suspicion, search, regressions."""
