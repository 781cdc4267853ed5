"""The run over a table of the published size, small: its rows, its parts, windows of a device."""

import hashlib
import json

import numpy as np
import polars as pl
import pytest

from benchmarks.tables import scale
from benchmarks.tables.large_rows import HEAD_LEVELS, row_frames
from benchmarks.tables.seeded import OPENINGS, level_sizes, random_deals
from bidcascade.bridge import Auction, parse_calls
from bidcascade.kernels import cuda
from bidcascade.kernels.gpu.tables import node_windows
from bidcascade.table import BiddingTable
from tests.support.emulator import emulated_device

ENTRIES, DEALS = 6_000, 300
DENSE_DEALS = DEALS // scale.DENSE_SHARE
NODE_BYTES = 3_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale")
    scale.run(folder, ENTRIES, DEALS, rows_in_memory=2_000, part_rows=1_000)
    return folder


@pytest.fixture(scope="module")
def parts(folder):
    return json.loads((folder / "parts.json").read_text("utf-8"))


def test_rows_have_the_published_shape(folder):
    rows = pl.read_parquet(folder / "rows.parquet").to_dicts()
    assert [row["index"] for row in rows] == list(range(len(rows)))
    seen = set()
    for row in rows:
        prior = tuple(row["prior"])
        assert not prior or prior in seen
        seen.add((*prior, row["call"]))
        # raises at a call that may not be made
        Auction.of(parse_calls(" ".join([*prior, row["call"]])))
        assert bool(row["criteria"]) == bool(row["description"])
        assert row["call"] != "P" or not row["criteria"]
    assert len(seen) == len(rows) == pytest.approx(ENTRIES, rel=0.02)
    depths = np.bincount([len(row["prior"]) for row in rows])
    assert depths[0] == OPENINGS
    np.testing.assert_allclose(depths, level_sizes(ENTRIES), rtol=0.2, atol=25)


def test_a_part_depends_on_the_seed_and_its_number(folder):
    def marks(entries, seed):
        frames = row_frames(entries, seed, part_rows=1_000)
        return [hashlib.sha256(repr(one.rows()).encode()).hexdigest() for one in frames]

    once = marks(ENTRIES, 1)
    assert marks(ENTRIES, 1) == once
    assert len(set(once)) == 1 + ENTRIES // 1_000
    assert not set(marks(ENTRIES, 2)) & set(once[1:])
    assert len(level_sizes(ENTRIES)) > HEAD_LEVELS


def test_all_parts_tell_what_they_found_and_took(folder, parts):
    table = BiddingTable.open(folder / "table", verify=True)
    assert len(table) == parts["rows"]["found"]["rows"] == parts["import"]["found"]["entries"]
    assert table.digest == parts["import"]["found"]["digest"]
    assert set(parts["import"]["found"]["found"].values()) == {0, len(table)}
    for name in scale.PARTS:
        part = parts[name]
        assert part["peak"] >= part["anonymous"] > 0
        assert part["disk"] > 0
    assert not list(folder.glob(".rows*"))
    told = {"environment": scale.environment(), "deals": DEALS, **parts}
    page = "\n".join(scale.page(told))
    assert f"{len(table):,} entries, {DEALS} random deals" in page
    assert "map and plan" in page


def test_what_is_done_is_not_done_again(folder, parts, monkeypatch, capsys):
    monkeypatch.setattr(scale, "in_a_process", None)
    found = scale.run(folder, ENTRIES, DEALS)
    assert found == {name: parts[name] for name in scale.PARTS}
    with pytest.raises(SystemExit, match="expected another folder"):
        scale.run(folder, ENTRIES, DEALS + 1)


def test_a_part_that_was_stopped_begins_anew(folder, parts):
    """What it left is removed."""
    known = {name: part for name, part in parts.items() if name != "import"}
    (folder / "parts.json").write_text(json.dumps(known), "utf-8")
    (folder / ".rows-left").mkdir()
    (folder / ".rows.parquet.left").touch()
    found = scale.run(folder, ENTRIES, DEALS, rows_in_memory=1_000)
    assert found["import"]["found"] == parts["import"]["found"]
    assert not list(folder.glob(".rows*"))


def test_windows_of_a_device_give_the_same(folder, parts, request, monkeypatch):
    monkeypatch.setattr(node_windows, "ITEMS", 1 << 20)
    device = cuda.CudaBackend(emulated_device(request), node_bytes=NODE_BYTES)
    room = NODE_BYTES // node_windows.RECORD_BYTES
    for name, policy in (("counts", "pass"), ("dense", "allow")):
        plan = scale.plan_of(folder, policy)
        assert len(node_windows.windows_of(device.tables(plan).forest(), room)) > 2
        deals = random_deals(DEALS if name == "counts" else DENSE_DEALS, seed=scale.SEED)
        counted = scale.told_of_counts(plan, device.cascade_counts(plan, deals), len(deals))
        assert counted == parts[name]["found"]
        assert counted["reached"] > 100
    plan = scale.plan_of(folder, "pass")
    bid = device.cascade_first(plan, random_deals(DEALS, seed=scale.SEED))
    assert scale.told_of_auctions(bid) == parts["first"]["found"]
