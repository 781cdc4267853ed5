"""The four row formats: what goes out comes back, and bad files are refused with the place."""

import ast
import io
import json
import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bidcascade.bridge import BidcascadeError, InvalidExpression, InvalidTable, UnknownTerm
from bidcascade.systems import export_table, import_table, read_rows, sniff_format
from bidcascade.systems.tables.row_files import format_by_name
from bidcascade.table import Row, build_table
from bidcascade.table.formats.published import rows_of_literal, tuple_of
from tests.support.examples import examples

PUBLISHED = [
    (0, (), ("1C",), "3+ ♣; 11-21 HCP ", ["SL_C >= 3", "HCP >= 11", "HCP <= 21"]),
    (1, (), ("p",), "", []),
    (4, ("1C",), ("d",), "Takeout -- it's 'short'", ["SL_C <= 2"]),
    (5, ("1C", "d"), ("r",), "both \" and ' and \\ and \n", ["HCP >= 10"]),
    (9, ("1C", "d", "r"), ("1N",), "(brackets], # no comment", ["Balanced"]),
    (461_681_309, ("1C", "d", "r", "1N"), ("p",), "inserted", []),
]
ENDINGS = {"jsonl": "t.jsonl", "python": "t.py", "pickle": "t.pkl", "parquet": "t.parquet"}
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


def literal(rows: list[Any]) -> str:
    return (
        "'''head: x = [1, 2]'''\n# rows\ntable = [\n"
        + "".join(f"    {row!r},\n" for row in rows)
        + "]\n"
    )


def triple_quoted(text: str) -> str:
    return "'''" + text.replace("\\", "\\\\").replace("'", "\\'") + "'''"


def import_text(folder: Path, text: str, name: str = "rows.jsonl", **options: Any) -> Any:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return import_table(path, **options)


@pytest.mark.parametrize("format", ENDINGS)
def test_export_and_import_give_the_same_table(tmp_path, format):
    table, _ = build_table(PUBLISHED)
    path = tmp_path / ENDINGS[format]
    export_table(table, path)
    assert sniff_format(path) == format == format_by_name(path)
    again, report = import_table(path)
    assert again == table
    assert report.rows == len(PUBLISHED)
    assert [tuple_of(row) for row in read_rows(path)] == [tuple_of(row) for row in table.rows()]
    assert sorted(tuple_of(row) for row in table.rows()) == PUBLISHED


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_all_that_a_row_says_is_kept(tmp_path, format):
    rows = [
        Row(b"", 7, "text", ("HCP >= 15",), 3, "Strong", 2, ("Alert", "Forcing"), "s.bidding:4"),
        Row(b"", 7, "other", ("HCP >= 20",), None, "Stronger", 1, (), "s.bidding:5", 17, "note"),
        Row(b"\x07", 0, count=0, source="undescribed"),
    ]
    table, _ = build_table(rows)
    path = tmp_path / ENDINGS[format]
    export_table(table, path)
    again, _ = import_table(path)
    assert again == table
    assert list(again.rows()) == [rows[1], rows[0], rows[2]]


@pytest.mark.parametrize("name", ["t.py", "t.pkl"])
def test_the_tuple_formats_refuse_what_they_cannot_hold(tmp_path, name):
    table, _ = build_table([Row(b"", 7, name="Strong", rank=3)])
    with pytest.raises(InvalidTable, match="without name, rank for the format"):
        export_table(table, tmp_path / name)
    table, _ = build_table([Row(b"", 7, count=3, source="note"), Row(b"", 7, "again")])
    with pytest.raises(InvalidTable, match="without count, source for the format"):
        export_table(table, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@settings(examples(25, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**9),
            st.sampled_from([(), ("1C",), ("1C", "p")]),
            st.sampled_from([("1S",), ("2N",), ("p",)]),
            TEXTS,
            st.lists(st.sampled_from(["HCP >= 3", "Balanced", "Pattern == '5332'"]), max_size=3),
        ),
        max_size=8,
    ),
    st.sampled_from(["jsonl", "python", "pickle", "parquet"]),
)
def test_any_text_survives_any_format(tmp_path, rows, format) -> None:
    table, _ = build_table(rows)
    path = tmp_path / ENDINGS[format]
    if not rows and format == "jsonl":
        return
    export_table(table, path)
    assert import_table(path)[0] == table
    if format == "python":
        text = path.read_text(encoding="utf-8")
        assert ast.literal_eval(text[text.index("= [") + 2 :]) == [
            tuple_of(row) for row in table.rows()
        ]
    if format == "pickle":
        assert pickle.loads(path.read_bytes()) == [tuple_of(row) for row in table.rows()]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 99), st.just(()), st.just(("1C",)), TEXTS, st.lists(TEXTS, max_size=3)
        ),
        max_size=6,
    ),
    st.integers(1, 80),
    st.sampled_from(["rows", "one line", "triple quotes"]),
)
def test_a_literal_is_read_alike_in_pieces_of_any_size(rows, size, layout):
    if layout == "triple quotes":
        rows = [(*row[:3], row[3].replace("\r", " ").replace("\0", " "), row[4]) for row in rows]
        written = [
            f"({row[0]}, (), ('1C',), {triple_quoted(row[3])}, # ' (\n{row[4]!r})" for row in rows
        ]
        text = f"t = [{', '.join(written)}]"
    else:
        text = literal(rows) if layout == "rows" else f"t=[{', '.join(map(repr, rows))}]"

    class Slow(io.StringIO):
        def read(self, _size: int | None = -1) -> str:
            return super().read(size)

    found = [tuple_of(row) for row in rows_of_literal(Slow(text), "t.py")]
    assert found == rows


def test_a_literal_with_comments_line_breaks_and_long_strings(tmp_path):
    text = '''"""doc with ' and [ and = ["""
# a comment: x = [
rows = [  # first
    (
        0, (), ("1C",),  # a ) and a ' in a comment
        """three
"quotes" ) ]""",
        ["HCP >= 12", ],
    ),
    (1, ("1C",), ("p",), 'a' 'b', []) ,  # last
]
# the end'''
    table, report = import_text(tmp_path, text, "rows.py")
    assert [row.description for row in table.rows()] == ['three\n"quotes" ) ]', "ab"]
    assert report.rows == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "expected a Python file with 'name = \\['"),
        ("import os\nrows = [(0, (), ('1C',), '', [])]", "expected a Python file"),
        ("rows = [(0, (), ('1C',), '', [])", "row 1: expected , or \\]"),
        ("rows = [(0, (), ('1C',), '', []),", "row 2: expected a row or the closing"),
        ("rows = [(0, (), ('1C',), 'cut", "row 1: expected the end of the row, got the end"),
        ("rows = [(0, (), ('1C',), '', [])] + other", "expected the end of the file behind"),
        ("rows = [{'a': 1}]", "row 1: expected a row in parentheses"),
        ("rows = [(0, (), (f(),), '', [])]", "row 1: expected a tuple of plain values"),
        ("rows = [(0, (), (('1C',),), '', [])]", "row 1: expected a call as text"),
        ("rows = [((((((0))))))]", "row 1: expected lists and tuples in a row"),
        ("rows = [(0, (), ('1C', '1D'), '', [])]", "row 1: expected one call"),
        ("rows = [(0, (), ('8C',), '', [])]", "row 1: expected a call .* got '8C'"),
        ("rows = [(0, (), ('1C',), '')]", "row 1: expected 5 items"),
        ("rows = [(-1, (), ('1C',), '', [])]", "row 1: expected a whole number 0 to"),
        ("rows = [(0, (), ('1C',), 5, [])]", "row 1: expected a text as description, got 5"),
        ("rows = [(0, (), ('1C',), '', 'HCP')]", "row 1: expected a list of texts as expressions"),
        ("rows = [(0, (), ('1C',), '', [], 0, 0, (), 0)]", "row 1: expected passes, completed"),
        ("rows = [(0, " + "('p'," * 50 + ")]", "row 1: expected lists and tuples in a row"),
    ],
)
def test_a_bad_literal_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(InvalidTable, match=message):
        import_text(tmp_path, text, "rows.py")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"prior": [], "call": "1C"', "line 2: expected a JSON object"),
        ('{"prior": [], "call": "1C", "rank": NaN}', "line 2: .*NaN is no JSON"),
        (
            '{"prior": [], "call": "1C", "criteria": ["HCP >= 9"], "criteria": []}',
            "line 2: expected a JSON object.*the key 'criteria' is there twice",
        ),
        ('{"prior": [], "call": "1C", "index": 1.5}', "line 2: expected a whole number"),
        ('{"prior": [], "call": "1C", "index": true}', "line 2: expected a whole number"),
        ('{"prior": [], "call": "1C", "index": 4294967295}', "line 2: expected a whole number"),
        ('{"prior": [], "call": 3}', "line 2: expected a call as text, got 3"),
        ('{"prior": [true], "call": "1C"}', "line 2: expected a call as text, got True"),
        ('{"prior": [[]], "call": "1C"}', "line 2: expected a call as text"),
        ('{"prior": {}, "call": "1C"}', "line 2: expected a list of calls, got {}"),
        ('{"prior": "1C-9D", "call": "1C"}', "line 2: expected a call .* got '9D'"),
        ('{"call": "1C"}', "line 2: expected a key 'prior'"),
        ('{"prior": [], "call": "1C", "critera": []}', "line 2: expected only the keys .*critera"),
        ('{"prior": [], "call": "1C", "criteria": [1]}', "line 2: expected a list of texts"),
        (
            '{"prior": [], "call": "1C", "description": "\\ud800"}',
            "row 2: expected text that UTF-8",
        ),
        ("[" * 200_000, "line 2: expected one object, got one nested too deeply"),
        ('{"prior": [], "call": "1C", "name": "' + "x" * 1_000_001, "line 2: expected a line of"),
        ("5", "line 2: expected a tuple or an object, got 5"),
        (json.dumps({"prior": ["P"] * 319, "call": "P"}), "line 2: expected an auction of at most"),
    ],
)
def test_a_bad_json_line_is_refused_with_its_place(tmp_path, line, message):
    with pytest.raises(InvalidTable, match=message):
        import_text(tmp_path, '{"prior": [], "call": "1D"}\n' + line + "\n")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"prior": [], "call": "1\xff"}\n')
    with pytest.raises(InvalidTable, match="line 1: expected UTF-8, got byte 0xff"):
        import_table(path)
    path = tmp_path / "rows.py"
    path.write_bytes(b"rows = [(0, (), ('1\xff',), '', [])]")
    with pytest.raises(InvalidTable, match="expected UTF-8"):
        import_table(path)


def test_blank_lines_byte_order_marks_and_list_rows_are_read(tmp_path):
    text = '\ufeff\n{"prior": "", "call": "1C"}\n\n  \n[1, ["1C"], ["P"], "", []]'
    table, report = import_text(tmp_path, text)
    assert (report.rows, len(table)) == (2, 2)


class RunsACommand:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.marker),))


def test_a_pickle_with_code_is_refused_and_not_run(tmp_path):
    marker = tmp_path / "ran"
    path = tmp_path / "rows.pkl"
    path.write_bytes(pickle.dumps([(0, (), ("1C",), "", []), RunsACommand(marker)]))
    with pytest.raises(InvalidTable, match=r"got one that asks for \w+\.mkdir"):
        import_table(path)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pickle.dumps([(0, (), ("1C",), "", [])])[:-9], "expected a whole pickle"),
        (b"\x80\x04\x95", "expected a whole pickle"),
        (b"\x80\xff.", "expected a whole pickle"),
        (b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", "expected a whole pickle"),
        (b"\x80\x04.", "expected a whole pickle"),
        (pickle.dumps({"a": 1}), "expected a list of rows, got a dict"),
        (pickle.dumps([5]), "row 1: expected a tuple or an object, got 5"),
        (pickle.dumps([(0, (), ("1C",), "", [1.5])]), "row 1: expected a list of texts"),
        (pickle.dumps([{1, 2}]), "row 1: expected a tuple or an object"),
        (pickle.dumps([b"x"]), "row 1: expected a tuple or an object"),
        # a registered extension
        (b"\x80\x02\x82\x01.", "got one with extension 1"),
    ],
)
def test_a_damaged_pickle_is_refused(tmp_path, data, message):
    path = tmp_path / "rows.pkl"
    path.write_bytes(data)
    with pytest.raises(InvalidTable, match=message):
        import_table(path)


def test_a_small_pickle_cannot_take_much_memory(tmp_path):
    path = tmp_path / "rows.pkl"
    path.write_bytes(b"\x80\x02]r\xff\xff\xff\x7f.")
    tracemalloc.start()
    try:
        table, _ = import_table(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(table) == 0
    assert peak < 10_000_000


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_every_protocol_are_read(tmp_path, protocol):
    path = tmp_path / "rows.pkl"
    path.write_bytes(pickle.dumps(PUBLISHED, protocol=protocol))
    assert sniff_format(path) == "pickle"
    assert import_table(path)[0] == build_table(PUBLISHED)[0]


def test_a_truncated_parquet_file_is_refused(tmp_path):
    path = tmp_path / "rows.parquet"
    export_table(build_table(PUBLISHED)[0], path)
    whole = path.read_bytes()
    for size in (4, 100, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(
            InvalidTable, match=r"rows\.parquet: (expected a|cannot be read as) Parquet"
        ):
            import_table(path)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [1]}, "expected columns of index, prior"),
        ({"prior": [["1C"]], "call": ["P"], "extra": [1]}, "expected columns of .* got .*extra"),
        ({"prior": [["1C"]], "call": [5]}, "row 1: expected a call as text, got 5"),
        ({"prior": [["1C"]], "call": [None]}, "row 1: expected a call as text, got None"),
        ({"prior": [[None]], "call": ["P"]}, "row 1: expected a call as text, got None"),
        ({"prior": [1], "call": ["P"]}, "row 1: expected a list of calls, got 1"),
    ],
)
def test_a_parquet_file_of_something_else_is_refused(tmp_path, frame, message):
    path = tmp_path / "rows.parquet"
    pl.DataFrame(frame).write_parquet(path)
    with pytest.raises(InvalidTable, match=message):
        import_table(path)


def test_a_parquet_file_written_elsewhere_is_read(tmp_path):
    path = tmp_path / "rows.parquet"
    frame = {
        "call": ["1NT", "Pass"],
        "prior": ["", "1N"],
        "index": pl.Series([4, None], dtype=pl.Int64),
    }
    pl.DataFrame(frame).write_parquet(path)
    table, _ = import_table(path)
    assert [row.source_index for row in table.rows()] == [4, None]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.py", "rows.pkl", "rows.parquet"])
@pytest.mark.parametrize("content", [b"", b" \n\t\n"])
def test_an_empty_file_is_refused(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidTable, match="which is empty"):
        import_table(path)


def test_files_of_no_format_are_refused(tmp_path):
    path = tmp_path / "rows.bin"
    path.write_bytes(b"\x00\x01\x02")
    with pytest.raises(InvalidTable, match="expected JSON Lines, a Python literal"):
        import_table(path)
    with pytest.raises(InvalidTable, match="which is no file"):
        import_table(tmp_path / "absent.jsonl")
    with pytest.raises(InvalidTable, match="expected a file name ending in"):
        export_table(build_table(PUBLISHED)[0], path)


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    table, _ = build_table(PUBLISHED)
    with pytest.raises(InvalidTable, match="could not write"):
        export_table(table, tmp_path / "absent" / "rows.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InvalidTable, match="could not write"):
        export_table(table, tmp_path / "folder.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.jsonl"]


@given(st.binary(max_size=200), st.sampled_from(["", "\x80\x04", "rows = [(0, ", "{", "PAR1"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_raise_anything_but_our_errors(tmp_path, tail, head) -> None:
    path = tmp_path / "rows"
    path.write_bytes(head.encode("latin-1") + tail)
    try:
        import_table(path)
    except BidcascadeError:
        return
    # what was taken for a table reads the same way again
    assert import_table(path)[0] == import_table(path)[0]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["python", "pickle", "jsonl"])
@given(data=st.data())
@settings(examples(25, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_changed_bytes_raise_nothing_but_our_errors(tmp_path, format, data) -> None:
    path = tmp_path / ENDINGS[format]
    export_table(build_table(PUBLISHED)[0], path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        table, report = import_table(path, format=format)
    except BidcascadeError:
        return
    assert report.rows >= len(list(table.rows()))


MALFORMED = [
    {"prior": "", "call": "1C", "criteria": ["HCP >= 12"]},
    {"prior": "", "call": "1D", "criteria": ["HCP >= 12", "HCP >> 3"]},
]
UNKNOWN = [
    {"prior": "", "call": "1C", "criteria": ["HPC >= 12", "SL_C >= 3"]},
    {"prior": "1C", "call": "P", "criteria": ["HPC < 9 or Balancd"]},
    {"prior": "1C", "call": "1D", "criteria": ["SL_D >= 4"]},
    {"prior": "", "call": "1D", "criteria": ["SL_D >= 4"]},
    {"prior": "", "call": "1D", "criteria": ["Foo"]},
]


def test_a_malformed_expression_names_its_row():
    with pytest.raises(InvalidExpression, match="row 2: expected"):
        build_table(MALFORMED)


def test_unknown_terms_are_all_named():
    with pytest.raises(UnknownTerm) as caught:
        build_table(UNKNOWN)
    message = str(caught.value)
    assert "'HPC' (rows: 2, first row 1, did you mean 'HCP'?)" in message
    assert "'Balancd' (rows: 1, first row 2, did you mean 'Balanced'?)" in message
    assert "'Foo'" in message


def test_unknown_terms_can_be_dropped():
    table, report = build_table(UNKNOWN, unknown="drop")
    assert [row.criteria for row in table.rows()] == [
        ("SL_C >= 3",),
        ("SL_D >= 4",),
        (),
        (),
        ("SL_D >= 4",),
    ]
    assert report.unknown_terms == {"HPC": 2, "Balancd": 1, "Foo": 1}
    counts = report.counts()
    assert (counts["unknown_terms"], counts["expressions_dropped"], counts["rejected"]) == (3, 3, 0)


def test_rows_with_unknown_terms_can_be_rejected_with_what_is_below():
    table, report = build_table(UNKNOWN, unknown="reject-entry")
    assert [(row.call, row.criteria) for row in table.rows()] == [(4, ("SL_D >= 4",))]
    counts = report.counts()
    assert (counts["rejected"], counts["below_rejected"], counts["missing_parents"]) == (2, 2, 0)
    assert report.findings["below_rejected"].examples == [
        "row 2: 1C P: below a dropped row",
        "row 3: 1C 1D: below a dropped row",
    ]


def test_illegal_rows_are_dropped_and_reported_with_the_reason():
    rows = [
        {"prior": "1S P", "call": "1H"},
        {"prior": "P", "call": "X"},
        {"prior": "1S X", "call": "X"},
        {"prior": "1S", "call": "XX"},
        {"prior": "1S P P P", "call": "P"},
        {"prior": "1H 1C 2C", "call": "P"},
        {"prior": "", "call": "P"},
    ]
    table, report = build_table(rows)
    assert [row.call for row in table.rows()] == [0]
    assert len(table) == 1
    assert report.findings["illegal_calls"].examples == [
        "row 1: 1S P 1H: call 3, '1H', is illegal after 1S P: insufficient: not above 1S",
        "row 6: 1H 1C 2C P: call 2, '1C', is illegal after 1H: insufficient: not above 1H",
        "row 2: P X: call 2, 'X', is illegal after P: there is no bid to double",
        "row 3: 1S X X: call 3, 'X', is illegal after 1S X: the last bid is by the caller's own "
        "side",
        "row 4: 1S XX: call 2, 'XX', is illegal after 1S: there is no double to redouble",
    ]
    assert report.findings["below_completed"].examples == [
        "row 5: 1S P P P P: call 5, 'P', is illegal after 1S P P P: the auction is over"
    ]
    assert report.findings["illegal_calls"].count == 5


def test_augmented_rows_are_checked():
    right = [
        (7, (), ("p",), "", [], 0, False, (), 0),
        (8, ("p",), ("1C",), "", [], 1, False, (7,), 1),
        (9, ("p", "1C"), ("p",), "", [], 1, False, (7, 8), 2),
        (11, ("p", "1C", "p", "p"), ("p",), "", [], 1, True, (7, 8, 9, 10), 0),
    ]
    _, report = build_table(right)
    assert report.counts()["disagreements"] == 0
    for item, wrong, times in ((5, 0, 1), (6, True, 1), (7, (7, 9), 1), (7, (7,), 2), (8, 3, 1)):
        row = list(right[2])
        row[item] = wrong
        _, report = build_table([*right[:2], tuple(row), right[3]])
        assert report.counts()["disagreements"] == times, (item, wrong)
        assert report.findings["disagreements"].examples[0].startswith("row 3: ")
