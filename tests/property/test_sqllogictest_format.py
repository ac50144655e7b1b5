"""The file format under generated files: formatting keeps every record, and completing twice changes nothing."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sqllogictest import Condition, Record, RunOptions, format_records, make_engine, parse_records, run_text
from sqllogictest.completion import complete_text

LINE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12).filter(
    lambda line: not line.startswith(("#", "----", "halt", "query", "statement", "skipif", "onlyif", "hash-threshold"))
)
SQL = st.lists(LINE, min_size=1, max_size=3).map("\n".join)
CONDITIONS = st.lists(
    st.builds(Condition, st.booleans(), st.sampled_from(["sqlite", "mysql"]), st.sampled_from(["", "why not"])), max_size=2
).map(tuple)
QUERIES = st.builds(
    Record,
    st.just(0),
    st.just("query"),
    SQL,
    st.text("ITR", min_size=1, max_size=4),
    st.sampled_from(["nosort", "rowsort", "valuesort"]),
    st.sampled_from(["", "label-1", "x"]),
    st.one_of(st.none(), st.lists(LINE, max_size=4).map("\n".join)),
    CONDITIONS,
)
STATEMENTS = st.builds(
    Record, st.just(0), st.just("statement"), SQL, st.sampled_from(["ok", ""]), st.just(""), st.just(""), st.none(), CONDITIONS
)
RECORDS = st.lists(st.one_of(QUERIES, STATEMENTS), max_size=6)


@given(RECORDS)
def test_formatted_records_are_read_back(records: list[Record]) -> None:
    assert [record._replace(line=0) for record in parse_records(format_records(records))] == records


@given(RECORDS, st.sampled_from(["\n", "\r\n"]), st.integers(0, 3))
def test_line_ends_and_extra_blank_lines_mean_nothing(records: list[Record], line_end: str, n_blank: int) -> None:
    text = format_records(records).replace("\n\n", "\n" * (2 + n_blank)).replace("\n", line_end)
    again = parse_records(text.replace("\r\n", "\n"))
    assert [record._replace(line=0) for record in again] == records


VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)


def literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return f"CAST(x'{value.encode().hex()}' AS TEXT)"
    return f"({value!r})" if value != -(2**63) else "(-9223372036854775807-1)"


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[VALUES] * n), min_size=1, max_size=5)),
    st.sampled_from(["nosort", "rowsort", "valuesort"]),
    st.sampled_from([0, 4]),
    st.data(),
)
def test_completed_query_passes_and_stays(
    rows: list[tuple[object, ...]], sort: str, threshold: int, data: st.DataObject
) -> None:
    types = data.draw(st.text("ITR", min_size=len(rows[0]), max_size=len(rows[0])))
    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    completed, problems = complete_text(
        f"hash-threshold {threshold}\n\nquery {types} {sort}\nVALUES {values}\n", make_engine("sqlite3")
    )
    assert problems == []
    assert run_text(completed, make_engine("sqlite3"), RunOptions("sqlite3")).n_passed == 1
    assert complete_text(completed, make_engine("sqlite3"))[0] == completed
