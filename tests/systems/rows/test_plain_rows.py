"""Rows of a table as a system's text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidTable
from bidcascade.systems import export_table, import_table
from bidcascade.systems.system import System
from bidcascade.systems.tables.plain_rows import rows_of_text, text_of_rows
from bidcascade.table import Row, build_table
from tests.support.examples import examples


def kept(row: Row) -> tuple[object, ...]:
    """What a text keeps of a row."""
    return row.prior, row.call, row.name, row.description, row.criteria, row.tags


@pytest.mark.slow
@pytest.mark.real_data
def test_the_published_table_is_the_same_behind_a_text(shared_data, tmp_path):
    table, _ = import_table(shared_data / "table" / "bbo_bidding_sequences_table.py.txt")
    rows = list(table.rows())
    text = "\n".join(text_of_rows(rows))
    assert "  1C = 3+ clubs, 11-21 points, 12-22 total points" in text
    again = list(rows_of_text(System.parse(text)))
    assert len(rows) == 1026
    assert list(map(kept, again)) == list(map(kept, rows))
    export_table(table, tmp_path / "published.bidding")
    imported, _ = import_table(tmp_path / "published.bidding")
    assert len(imported) == len(table)
    assert list(map(kept, imported.rows())) == list(map(kept, rows))


_EXPRESSIONS = st.sampled_from(
    [
        "HCP >= 15", "HCP <= 17", "HCP == 12", "SL_S >= 5", "SL_S <= 3", "SL_H == 4", "Balanced",
        "not Balanced", "Total_Points >= 20", "15 <= HCP <= 17", "SL_S >= SL_H",
        "SL_H >= 4 or SL_S >= 4", "Stopper_D", "HCP + SL_S >= 15", "Pattern == '4432'",
    ]
)  # fmt: skip
_PRIORS = st.sampled_from([b"", b"\0", b"\7\0", b"\0\7\0\x08\0", b"\5", b"\0\0\0\3\1", b"\3\1\2"])


@examples(25, 100)
@given(
    st.lists(
        st.tuples(
            _PRIORS,
            st.integers(20, 37),
            st.lists(_EXPRESSIONS, max_size=4, unique=True),
            st.sampled_from(["", "Strong", "One notrump, balanced"]),
            st.sampled_from(["", "15-17 -- balanced", "♥ suit; forcing"]),
            st.sampled_from([(), ("forcing",), ("artificial", "#stayman")]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_any_rows_are_the_same_behind_a_text(written):
    rows = [
        {"prior": list(map(_text, prior)), "call": _text(call), "criteria": criteria, "name": name,
         "description": description, "tags": list(tags)}
        for prior, call, criteria, name, description, tags in written
    ]  # fmt: skip
    table, _ = build_table(rows)
    before = list(table.rows())
    after = list(rows_of_text(System.parse("\n".join(text_of_rows(before)))))
    assert list(map(kept, after)) == list(map(kept, before))


def _text(call: int) -> str:
    from bidcascade.bridge import format_call

    return format_call(call)


def test_what_a_text_cannot_hold_is_an_error():
    with pytest.raises(InvalidTable, match="1N: expected a name that begins with a capital"):
        list(text_of_rows([Row(b"", 7, name="strong")]))
    with pytest.raises(InvalidTable, match="without quotes"):
        list(text_of_rows([Row(b"", 7, 'the "strong" one')]))


def test_a_text_longer_than_a_system_may_be_is_not_written(tmp_path, monkeypatch):
    table, _ = build_table(
        [{"prior": prior, "call": "P"} for prior in ("", "P", "1C", "1C P", "1D", "1D P")]
    )
    path = tmp_path / "long.bidding"
    lines = sum(1 for _ in text_of_rows(table.rows()))
    # as a file ends with a line break, readers count an empty line more
    for module in ("tables.plain_rows", "language.reading.sources"):
        monkeypatch.setattr(f"bidcascade.systems.{module}.MOST_LINES", lines + 1)
    export_table(table, path)
    assert len(import_table(path)[0]) == len(table)
    written = path.read_text()
    for module in ("tables.plain_rows", "language.reading.sources"):
        monkeypatch.setattr(f"bidcascade.systems.{module}.MOST_LINES", lines)
    with pytest.raises(InvalidTable, match=r"a table that a system's text of at most \d+ lines"):
        export_table(table, path)
    # what was there stays
    assert path.read_text() == written
    assert [one.name for one in tmp_path.iterdir()] == ["long.bidding"]


def test_patterns_are_compiled_not_imported(tmp_path):
    path = tmp_path / "pattern.bidding"
    path.write_text("opening, 1st seat:\n  1M = Major: 5+ M\n", encoding="utf-8")
    with pytest.raises(InvalidTable, match=r"pattern\.bidding:2: expected one call"):
        import_table(path)
