"""The own format: what is saved is opened, damage is named, nothing is left half-written."""

import errno
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidTable
from bidcascade.kernels.machine.npy_files import write_npy
from bidcascade.table import BiddingTable, Row, build_table, save
from bidcascade.table.stored import storage
from tests.support.examples import examples

ROWS = [
    Row(b"", 7, "15-17 ♣♦", ("HCP >= 15", "HCP <= 17"), 0, "Strong", 1, ("Alert",), "a.bidding:3"),
    Row(b"", 7, "20-22", ("HCP >= 20",), 1),
    Row(b"\x07\x00", 8, "asks", ("SL_H >= 4",), 2),
    Row(b"", 0),
]


@pytest.fixture
def table() -> BiddingTable:
    return build_table(
        ROWS, user_terms={"Long": "SL_S + SL_H"}, profile="mlbridge", undescribed="reject"
    )[0]


@pytest.fixture
def folder(table, tmp_path) -> Path:
    table.save(tmp_path / "saved")
    return tmp_path / "saved"


def change_manifest(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_what_is_saved_is_opened(table, folder):
    opened = BiddingTable.open(folder, verify=True)
    assert opened == table
    assert opened.info() == table.info()
    assert opened.imported == table.imported
    assert list(opened.rows()) == list(table.rows())
    assert opened.compute_digest() == table.digest
    assert not opened.call.flags.writeable


def test_columns_are_mapped_and_reach_the_plan_uncopied(folder):
    opened = BiddingTable.open(folder)
    plan = opened.plan()
    for column in ("first_child", "child_count", "call", "flags"):
        assert np.shares_memory(getattr(plan, column), opened.columns[column])
        base = opened.columns[column].base
        assert isinstance(base, np.memmap)


def test_an_empty_table_is_saved_and_opened(tmp_path):
    table, _ = build_table([])
    table.save(tmp_path / "empty")
    assert BiddingTable.open(tmp_path / "empty", verify=True) == table


def test_nothing_that_is_there_is_overwritten_unasked(folder, tmp_path):
    other, _ = build_table(ROWS[3:])
    with pytest.raises(InvalidTable, match="which is there already"):
        other.save(folder)
    other.save(folder, overwrite=True)
    assert BiddingTable.open(folder, verify=True) == other
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep me")
    with pytest.raises(InvalidTable, match="which is no bidding table"):
        other.save(tmp_path / "mine", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "saved"]


def test_a_table_may_replace_the_folder_it_is_mapped_from(folder):
    opened = BiddingTable.open(folder)
    opened.save(folder, overwrite=True)
    assert BiddingTable.open(folder, verify=True) == opened
    assert len(list(opened.rows())) == len(ROWS)


@pytest.mark.parametrize("exists", [False, True])
def test_a_full_disk_leaves_what_was_there(table, tmp_path, monkeypatch, exists):
    before = build_table(ROWS[3:])[0]
    place = tmp_path / "place"
    if exists:
        before.save(place)
    written = 0

    def full(file: Any, array: Any) -> None:
        nonlocal written
        written += 1
        if written == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        write_npy(file, array)

    monkeypatch.setattr(storage, "write_npy", full)
    with pytest.raises(InvalidTable, match=r"could not write the table to .*: No space left"):
        save(table, place, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == (["place"] if exists else [])
    if exists:
        assert BiddingTable.open(place, verify=True) == before


def test_a_rename_that_fails_leaves_what_was_there(table, folder, monkeypatch):
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.suffix == ".partial":
            raise PermissionError(errno.EACCES, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr(storage, "_exchange", lambda *_: False)
    with pytest.raises(InvalidTable, match="Permission denied"):
        save(build_table([])[0], folder, overwrite=True)
    assert BiddingTable.open(folder, verify=True) == table
    assert [path.name for path in folder.parent.iterdir()] == ["saved"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected the format 'bidcascade bidding table'"),
        ({"profile": "acol"}, "expected 'profile' as one of gib, mlbridge, got 'acol'"),
        ({"undescribed": "maybe"}, "expected 'undescribed' as one of allow, pass, reject"),
        ({"entries": "4"}, "expected 'entries' as int"),
        ({"entries": 5}, "expected 5 values in column 'call', got 4"),
        ({"columns": {}}, "expected the columns of a table, got none too many and call"),
        ({"digest": None}, "expected 'digest' as str"),
        ({"version": 2}, "expected format version 1, got '2'; export the table"),
        *(
            ({"extras": extras}, "expected")
            for extras in (
                [],
                {"../../rates": {}},
                {"rates": None},
                {"rates": {"bytes": 4, "sha256": "../"}},
            )
        ),
    ],
)
def test_a_wrong_manifest_is_refused(folder, change, message):
    change_manifest(folder, **change)
    with pytest.raises(InvalidTable, match=message):
        BiddingTable.open(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000])
def test_a_manifest_that_is_none_is_refused(folder, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(InvalidTable, match=r"manifest\.json: expected"):
        BiddingTable.open(folder)


def test_a_foreign_folder_is_refused(tmp_path):
    with pytest.raises(InvalidTable, match=r"expected a folder of a bidding table with a manifest"):
        BiddingTable.open(tmp_path)
    with pytest.raises(InvalidTable, match="No such file"):
        BiddingTable.open(tmp_path / "absent")


def test_a_missing_or_cut_column_is_named(folder):
    file = folder / "first_child.npy"
    whole = file.read_bytes()
    for size in (0, 20, len(whole) - 1):
        file.write_bytes(whole[:size])
        with pytest.raises(InvalidTable, match=r"first_child\.npy: expected \d+ bytes, got"):
            BiddingTable.open(folder)
    file.unlink()
    with pytest.raises(InvalidTable, match=r"expected a file first_child\.npy, got none"):
        BiddingTable.open(folder)


def test_a_column_of_another_kind_is_named(folder):
    file = folder / "call.npy"
    size = file.stat().st_size
    file.write_bytes(b"x" * size)
    with pytest.raises(InvalidTable, match=r"call\.npy: expected a column"):
        BiddingTable.open(folder)
    np.save(file, np.zeros(4, dtype=np.int8))
    with pytest.raises(InvalidTable, match=r"call\.npy: expected 4 values of uint8"):
        BiddingTable.open(folder)


def test_a_column_that_would_run_code_is_refused(folder):
    file = folder / "call.npy"
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["columns"]["call"]["bytes"] = file.stat().st_size
    change_manifest(folder, columns=manifest["columns"])
    with pytest.raises(InvalidTable, match=r"call\.npy: expected a column"):
        BiddingTable.open(folder)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("call", 99, "expected values below 38"),
        ("description", 9_999, "expected values below"),
        ("child_count", 60_000, "expected children below"),
        ("variant_entry", 4, "expected values below 4"),
        ("text_offsets", 9, "expected ascending text_offsets"),
    ],
)
def test_changed_values_are_found(folder, column, value, message):
    file = folder / f"{column}.npy"
    values = np.load(file)
    values[0] = value
    np.save(file, values)
    with pytest.raises(InvalidTable, match=r"expected the digest .*damaged or was changed"):
        BiddingTable.open(folder)
    unread = BiddingTable.open(folder, verify=False)
    assert len(unread) == 4
    # whoever made it wrong may have made the digest anew
    change_manifest(folder, digest=unread.compute_digest())
    with pytest.raises(InvalidTable, match=message):
        BiddingTable.open(folder)


DAMAGES = st.sampled_from(["flip", "cut", "grow", "zero", "gone", "folder", "swap", "value", "key"])
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.sampled_from([1e300, -1, 1 << 70]),
    st.just({"a": {"b": 1}}),
)


@examples(25, 100)
@given(st.data())
def test_whatever_is_damaged_is_refused_or_the_same(saved_once, tmp_path_factory, data):
    good, before = saved_once
    folder = tmp_path_factory.mktemp("damaged") / "saved"
    shutil.copytree(good, folder)
    names = sorted(path.name for path in folder.iterdir())
    for _ in range(data.draw(st.integers(1, 2))):
        file = folder / data.draw(st.sampled_from(names))
        damage(data, file, folder / data.draw(st.sampled_from(names)))
    try:
        opened = BiddingTable.open(folder)
        told = opened.info(), list(opened.rows())
    except InvalidTable:
        pass
    else:
        assert opened == before
        assert told[1] == list(before.rows())


@pytest.fixture(scope="module")
def saved_once(tmp_path_factory):
    table, _ = build_table(ROWS, user_terms={"Long": "SL_S + SL_H"}, undescribed="reject")
    table.save(tmp_path_factory.mktemp("good") / "saved")
    return tmp_path_factory.getbasetemp() / "good0" / "saved", table


def damage(data: st.DataObject, file: Path, other: Path) -> None:
    """Damage a file in one of many ways, where it is one."""
    how = data.draw(DAMAGES)
    if not file.is_file():
        return
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, max(0, len(content) - 1)))
    if how == "flip" and content:
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    elif how == "cut":
        del content[place:]
    elif how == "grow":
        content += data.draw(st.binary(min_size=1, max_size=9))
    elif how == "zero":
        content[place:] = bytes(len(content) - place)
    elif how in ("gone", "folder"):
        file.unlink()
        if how == "folder":
            file.mkdir()
        return
    elif how == "swap" and other.is_file():
        content = bytearray(other.read_bytes())
    elif how in ("value", "key"):
        key = data.draw(st.sampled_from(["columns", "user_terms", "imported"]))
        try:
            manifest = json.loads((file.parent / "manifest.json").read_text())
            below = manifest[key] if how == "key" else manifest
        except (OSError, ValueError, KeyError, TypeError):
            # damaged before
            return
        if isinstance(below, dict):
            names = [*map(str, below), "strange"]
            below[data.draw(st.sampled_from(names))] = data.draw(VALUES)
        content = bytearray(json.dumps(manifest).encode())
        file = file.parent / "manifest.json"
    file.write_bytes(content)


def test_saving_below_a_file_is_refused(table, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidTable, match="could not write the table"):
        save(table, tmp_path / "file" / "table")


def test_a_copied_folder_is_the_same_table(table, folder):
    copied = shutil.copytree(folder, folder.with_name("copy"))
    assert BiddingTable.open(copied) == table


# --- frames that go with a table -----------------------------------------------------------------

RATES = pl.DataFrame(
    {"entry": [3, 0, 0], "rate": [0.5, 0.25, 1.0]}, {"entry": pl.UInt32, "rate": pl.Float64}
)


@pytest.fixture
def with_rates(table, tmp_path) -> Path:
    notes = RATES.select("entry", text=pl.lit("♣Q"))
    table.with_extra("rates", RATES).with_extra("notes", notes).save(tmp_path / "rich")
    return tmp_path / "rich"


def test_extras_are_kept_beside_the_table(table, with_rates):
    opened = BiddingTable.open(with_rates, verify=True)
    assert opened.extras == ("notes", "rates") == tuple(opened.info()["extras"])
    rates = opened.extra("rates")
    assert rates is not None
    assert rates.rows() == [(0, 0.25), (0, 1.0), (3, 0.5)]
    assert opened.extra("bounds") is None
    # evidence beside the table, no part of what it says
    assert opened == table
    assert table.extras == ()
    # saved from where it lies, replaced by name
    again = opened.with_extra("rates", RATES.head(0))
    again.save(with_rates, overwrite=True)
    reopened = BiddingTable.open(with_rates, verify=True)
    rates, notes = reopened.extra("rates"), reopened.extra("notes")
    assert rates is not None
    assert rates.is_empty()
    assert notes is not None
    assert notes["text"].to_list() == ["♣Q"] * 3


@pytest.mark.parametrize(
    ("name", "frame", "message"),
    [
        ("Rates", RATES, "expected a name of small letters, digits and _"),
        ("../rates", RATES, "expected a name of small letters"),
        ("", RATES, "expected a name of small letters"),
        ("rates", RATES.select("rate"), "expected 'entry' of type UInt32 as first column"),
        ("rates", RATES.select("rate", "entry"), "expected 'entry' of type UInt32 as first"),
        ("rates", RATES.cast({"entry": pl.Int64}), "expected 'entry' of type UInt32 as first"),
        ("rates", RATES.with_columns(entry=pl.lit(4, pl.UInt32)), "expected entries below 4"),
    ],
)
def test_what_is_no_extra_is_refused(table, name, frame, message):
    with pytest.raises(InvalidTable, match=message):
        table.with_extra(name, frame)


def test_a_damaged_extra_is_named_when_it_is_read(with_rates):
    file = with_rates / "extras" / "rates.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + b"X")
    opened = BiddingTable.open(with_rates)
    assert opened.extra("notes") is not None
    with pytest.raises(InvalidTable, match=r"rich/extras/rates\.parquet: expected the SHA-256"):
        opened.extra("rates")


# --- counts and sources --------------------------------------------------------------------------


def test_counts_and_sources_come_back(tmp_path):
    rows = [
        Row(b"", 7, "15-17", ("HCP >= 15",), count=412, source="announcement"),
        Row(b"", 7, "20-22", ("HCP >= 20",), count=0),
        Row(b"", 0, source="undescribed"),
    ]
    table, _ = build_table(rows)
    table.save(tmp_path / "mined")
    assert list(BiddingTable.open(tmp_path / "mined", verify=True).rows()) == rows
    plain, _ = build_table([row._replace(count=None, source="") for row in rows])
    assert plain != table
    # a table without them has no such columns, and so the digest that it always had
    assert not {name for name in plain.columns if name.endswith(("count", "source"))} - {
        "child_count"
    }
    assert plain.digest == "608e304b5719803e5d07991cb3880097f2e008a1938cbfadf27855f575bdcc7d"
