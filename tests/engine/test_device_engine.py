"""Deals and answers that stay on the device, short memory and faults: the engine on the backend
``cuda`` over an emulated device, against ``reference``."""

import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest import mock

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from bidcascade.bridge import (
    BackendUnavailable,
    DeviceFault,
    InvalidInput,
    OutOfDeviceMemory,
    format_calls,
)
from bidcascade.engine import Engine, device_engine
from bidcascade.engine.runs.batches.batch import run_batch
from bidcascade.engine.runs.manifest import Manifest
from bidcascade.kernels import NO_ENTRY, backend, cuda, device_frames
from bidcascade.kernels.gpu.systems import systems
from bidcascade.loaders import deal_arrays, random_deals, write_deal_parquet
from bidcascade.systems.bidding import table_bidder
from bidcascade.systems.system import System
from bidcascade.table import build_table
from tests.support.device_frames import DataFrame, DeviceSeries, fake_cudf, fake_pylibcudf
from tests.support.emulator import emulated_device
from tests.support.examples import some_in_check
from tests.support.service import GOOD, ask, loaded_app, post, problem_of
from tests.support.systems import SMALL_SYSTEM, compile_few

ROWS = [
    {"prior": "", "call": "P", "criteria": ["HCP <= 11"]},
    {"prior": "", "call": "1C", "criteria": ["HCP >= 12"]},
    {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17", "Balanced"]},
    {"prior": "1C", "call": "P"},
    {"prior": "1C P", "call": "1H", "criteria": ["SL_H >= 4", "HCP >= 6"]},
    {"prior": "1C P", "call": "1S", "criteria": ["SL_S >= 4 or SL_H >= 5", "HCP >= 6"]},
    {"prior": "1C P", "call": "P", "criteria": ["HCP < 6"]},
    {"prior": "P", "call": "1D", "criteria": ["HCP >= 11"]},
]
EXPRESSIONS = ["HCP >= 12", "Balanced", "SL_S > SL_H"]


@pytest.fixture
def emulated(request, monkeypatch):
    """Make ``cuda`` work on the processor, with as much memory as is asked for."""

    def make(memory_bytes=1 << 28, **options):
        device = emulated_device(request, memory_bytes=memory_bytes)
        made = cuda.CudaBackend(device, **options)
        monkeypatch.setattr(cuda, "backend_here", lambda: made)
        monkeypatch.setattr(cuda, "why_unavailable", lambda: device.failure)
        monkeypatch.setattr(backend, "find_spec", lambda name: name)
        return device

    return make


@pytest.fixture(scope="module")
def table():
    return build_table(ROWS, undescribed="allow")[0]


@pytest.fixture(scope="module")
def reference(table):
    return Engine(table, "reference")


@pytest.fixture
def frame():
    return random_deals(150, seed=4)


def columns_of(frame, device):
    """Columns of a polars deal frame as arrays on the device."""
    deals = deal_arrays(frame)
    arrays = dict(zip(("north", "east", "south", "west"), deals.hands, strict=True))
    arrays |= {"dealer": deals.dealer, "vulnerability": deals.vulnerability}
    return {name: device.upload(array) for name, array in arrays.items()}


def as_given(kind, frame, device):
    """Deals in one of the forms that the engine takes."""
    if kind == "polars":
        return frame
    columns = columns_of(frame, device)
    if kind == "arrays":
        return columns
    return DataFrame({name: DeviceSeries(array, device) for name, array in columns.items()})


@pytest.mark.parametrize("kind", ["polars", "arrays", "cudf"])
def test_answers_are_those_of_the_definition(emulated, table, reference, frame, kind):
    device = emulated()
    engine = Engine(table, "cuda").on_device()
    deals = engine.deals(as_given(kind, frame, device))
    assert len(deals) == 150
    assert engine.deals(deals) is deals

    counts = engine.counts(deals).to_polars()
    assert counts["count"].to_list() == reference.count_entries(frame).tolist()

    first = engine.first(deals)
    assert first.columns == ["entry", "passes", "defaults"]
    assert len(first) == 150
    wanted = reference.auctions(frame, mode="first")
    found = first.to_polars()
    entries = pl.select(pl.when(found["entry"] != NO_ENTRY).then(found["entry"])).to_series()
    assert entries.to_list() == wanted["entry"].to_list()
    assert found["defaults"].to_list() == wanted["defaults"].to_list()

    for options in ({}, {"max_depth": 2}, {"limit": 1}):
        parts = [part.to_polars() for part in engine.entries(deals, **options)]
        listed = reference.auctions(frame, **options).select("deal", "entry")
        assert pl.concat(parts).rows() == listed.rows()

    members = engine.members(deals, ["1C", "1C P 1S", 0]).to_polars()
    assert members.equals(reference.members(frame, ["1C", "1C P 1S", 0]))

    truths = engine.evaluate(deals, EXPRESSIONS)
    assert truths.to_polars().equals(reference.evaluate(frame, EXPRESSIONS))


def test_lists_come_in_parts_that_fit(emulated, table, reference, frame):
    emulated(most_deals=64, most_entries=40)
    parts = [part.to_polars() for part in Engine(table, "cuda").on_device().entries(frame)]
    assert len(parts) > 3
    wanted = reference.auctions(frame).select("deal", "entry")
    assert pl.concat(parts).rows() == wanted.rows()


def test_answers_become_cudf_frames_over_the_same_memory(
    emulated, table, reference, frame, monkeypatch
):
    device = emulated()
    monkeypatch.setattr(device_frames, "why_no_cudf", lambda: None)
    monkeypatch.setattr(device_frames, "_cudf", fake_cudf)
    engine = Engine(table, "cuda").on_device()
    first = engine.first(frame)
    made = first.to_cudf()
    assert made.columns == first.columns
    assert made["entry"].interface["data"][0] == first["entry"].address
    truths = engine.evaluate(frame, EXPRESSIONS)
    wanted = reference.evaluate(frame, EXPRESSIONS)
    for name in wanted.columns:
        values = truths.to_cudf()[name].values(device)
        assert values.dtype == np.bool_
        assert values.tolist() == wanted[name].to_list()


def test_without_cudf_only_its_frames_are_missing(emulated, table, frame):
    emulated()
    first = Engine(table, "cuda").on_device().first(frame)
    assert first.to_polars().height == 150
    with pytest.raises(BackendUnavailable, match="cudf is not installed"):
        first.to_cudf()


def test_several_threads_ask_one_engine(emulated, table, reference, frame, monkeypatch):
    """The emulator's judgement: memory that one thread let go of is not another's too early."""
    device = emulated()
    take = device.take

    def take_slowly(*arguments):
        # another thread's turn
        time.sleep(0.001)
        return take(*arguments)

    monkeypatch.setattr(device, "take", take_slowly)
    engine = Engine(table, "cuda").on_device()

    def ask_engine(number):
        if number % 2:
            found = engine.members(frame, ["1C", 0]).to_polars()
            return found.equals(reference.members(frame, ["1C", 0]))
        found = engine.evaluate(frame, EXPRESSIONS).to_polars()
        return found.equals(reference.evaluate(frame, EXPRESSIONS))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask_engine, range(60)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["table", "system"])
def test_what_was_warmed_up_compiles_nothing_more(emulated, table, kind):
    """The first request waits for no compiler, whatever it asks and of how many deals."""
    device = emulated()
    engine = Engine(table if kind == "table" else System.parse(SMALL_SYSTEM), "cuda")
    engine.warm_up()
    there = set(device.requested)
    for count in (1, 2, 70, 300):
        deals = random_deals(count, seed=count)
        engine.auctions(deals, mode="first")
        engine.auctions(deals, mode="all", limit=3)
        engine.members(deals, ["1C"])
        if kind == "table":
            engine.auctions(deals)
            engine.auctions(deals, completed_only=True, max_depth=2, limit=3)
            engine.count_entries(deals)
            engine.members(deals, ["1C", 0])
        engine.evaluate(deals, EXPRESSIONS)
    assert [one[:2] for one in device.requested if one not in there] == []


def test_no_deals_have_no_answers(emulated, table):
    emulated()
    engine = Engine(table, "cuda").on_device()
    none = random_deals(0, seed=1)
    assert engine.counts(none).to_polars()["count"].to_list() == [0] * len(table)
    assert engine.first(none).to_polars().height == 0
    assert list(engine.entries(none)) == []
    assert engine.evaluate(none, EXPRESSIONS).to_polars().height == 0


def test_a_row_that_is_no_deal_is_named(emulated, table, frame):
    device = emulated()
    columns = columns_of(frame, device)
    west = frame["west"].to_numpy().copy()
    west[77] ^= np.uint64(3)
    columns["west"] = device.upload(west)
    with pytest.raises(InvalidInput, match=r"in row 77$"):
        Engine(table, "cuda").on_device().deals(columns)


def test_another_backend_has_no_device(reference):
    with pytest.raises(BackendUnavailable, match=r"'cuda' for frames .* got 'reference'"):
        reference.on_device()


@pytest.mark.parametrize("options", [{"most_deals": 64}, {"memory_bytes": 1_050_000}])
def test_expressions_come_in_chunks(emulated, table, reference, options, caplog):
    frame = random_deals(4000, seed=5)
    device = emulated(**options)
    engine = Engine(table, "cuda").on_device()
    columns = columns_of(frame, device)
    device.free_bytes = lambda: 1 << 30
    found = engine.evaluate(columns, EXPRESSIONS).to_polars()
    assert found.equals(reference.evaluate(frame, EXPRESSIONS))
    assert ("from now on" in caplog.text) == ("memory_bytes" in options)


@pytest.mark.slow
def test_short_memory_halves_and_says_so(emulated, table, reference, caplog):
    """Chunks get smaller until they fit; the answer is the same."""
    frame = random_deals(4000, seed=9)
    device = emulated(memory_bytes=700_000, node_bytes=1 << 12)
    # what the backend plans with is more than there is, as when others take memory meanwhile
    device.free_bytes = lambda: 1 << 30
    engine = Engine(table, "cuda")
    with caplog.at_level(logging.WARNING, "bidcascade.kernels"):
        assert (engine.count_entries(frame) == reference.count_entries(frame)).all()
        wanted = reference.auctions(frame, mode="first")
        assert engine.auctions(frame, mode="first").equals(wanted)
    halved = [line.getMessage() for line in caplog.records if "from now on" in line.getMessage()]
    assert halved
    assert all("out of device memory" in line for line in halved)
    assert device.most_live_bytes <= 700_000


def test_memory_for_not_even_the_smallest_chunk(emulated, table):
    device = emulated(memory_bytes=150_000)
    device.free_bytes = lambda: 1 << 30
    with pytest.raises(OutOfDeviceMemory, match="out of device memory"):
        Engine(table, "cuda").count_entries(random_deals(100, seed=1))


@pytest.fixture
def service(emulated, tmp_path):
    """The service on the emulated device, and the device."""
    device = emulated()
    return loaded_app(tmp_path, backend="cuda"), device


def test_the_service_runs_on_the_device(service, tmp_path):
    app, device = service
    assert ask(app, "GET", "/readyz").json()["backend"] == "cuda"
    before = device.launches
    answer = post(app, "/v1/auctions", GOOD)
    assert answer.status_code == 200
    assert device.launches > before
    plain = post(loaded_app(tmp_path), "/v1/auctions", GOOD)
    assert answer.json()["results"] == plain.json()["results"]


def test_a_fault_of_the_device_ends_readiness(service):
    app, device = service
    device.failure = "the device failed: count_nodes: an illegal memory access"
    body = problem_of(post(app, "/v1/auctions", GOOD), 503, "device-fault")
    assert body["detail"] == device.failure
    reason = device.failure
    device.failure = None
    assert problem_of(ask(app, "GET", "/readyz"), 503, "not-ready")["detail"] == reason
    # and whoever asks for the backend anew is told, too
    device.failure = reason
    assert backend.why_unavailable("cuda") == reason
    with pytest.raises(BackendUnavailable, match="an illegal memory access"):
        backend.get_backend("cuda")
    assert table_bidder.get_backend is backend.get_backend


def test_a_fault_is_raised_not_answered(emulated, table, frame):
    device = emulated()
    engine = Engine(table, "cuda")
    device.failure = "the device failed"
    for ask_engine in (
        lambda: engine.count_entries(frame), lambda: engine.auctions(frame),
        lambda: engine.auctions(frame, mode="first"), lambda: engine.members(frame, ["1C"]),
        lambda: engine.evaluate(frame, EXPRESSIONS), lambda: engine.on_device().deals(frame),
    ):  # fmt: skip
        with pytest.raises(DeviceFault, match="the device failed"):
            ask_engine()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["polars", "arrays", "cudf"])
def test_counts_and_members_of_a_system_are_those_of_the_engine(emulated, frame, kind):
    device = emulated()
    system = Engine(System.parse(SMALL_SYSTEM), "cuda")
    plain, engine = Engine(System.parse(SMALL_SYSTEM), "reference"), system.on_device()
    deals = engine.deals(as_given(kind, frame, device))
    for options in ({}, {"share": 0.0, "max_depth": 4}, {"share": 1.0}):
        counts, expected = engine.counts(deals, **options), plain.counts(frame, **options)
        assert counts.to_polars().equals(expected)
        assert system.counts(frame, **options).equals(expected)
        assert len(counts) == expected.height
        assert device.download(counts["count"]).tolist() == expected["count"].to_list()
    auctions = ["1C", "P P", "1N P"]
    assert engine.members(deals, auctions).to_polars().equals(plain.members(frame, auctions))
    for options in ({"share": 1.5}, {"max_depth": 0}):
        with pytest.raises(ValueError, match="expected a "):
            engine.counts(deals, **options)
    none = engine.deals(frame.head(0))
    assert engine.counts(none).to_polars().equals(plain.counts(frame.head(0)))


def test_counts_of_a_system_as_a_frame_of_cudf(emulated, frame, monkeypatch):
    device = emulated()
    monkeypatch.setattr(device_frames, "why_no_cudf", lambda: None)
    monkeypatch.setattr(device_frames, "_cudf", fake_cudf)
    monkeypatch.setitem(sys.modules, "pylibcudf", fake_pylibcudf())
    found = Engine(System.parse(SMALL_SYSTEM), "cuda").on_device().counts(frame, share=0.2)
    there, wanted = found.to_cudf(), found.to_polars()
    assert there.columns == ["auction", "count"]
    assert [format_calls(calls) for calls in there["auction"].values(device)] == (
        wanted["calls"].to_list()
    )
    assert [*there["count"].values(device)] == wanted["count"].to_list()


def test_answers_name_the_backend_that_worked(emulated, table, tmp_path):
    emulated()
    system = Engine(System.parse(SMALL_SYSTEM), "cuda")
    worked = {one: system.backend_for(one) for one in ("first", "all", "counts", "members")}
    assert worked == dict.fromkeys(("first", "all", "counts", "members"), "cuda")
    assert {Engine(table, "cuda").backend_for(one) for one in worked} == {"cuda"}
    assert Engine(System.parse(SMALL_SYSTEM), "reference").backend_for("all") == "reference"
    (tmp_path / "small.bidding").write_text(SMALL_SYSTEM)
    app = loaded_app(table=f"small={tmp_path / 'small.bidding'}", backend="cuda")
    # so many deals are one part, however slow the emulator is
    app.state.own.tables.get("small").seconds_a_deal.update(first=1e-6, all=1e-6)
    # few deals of a system are answered by the core
    for count, worked_by in ((1, "cpu"), (64, "cpu"), (65, "cuda")):
        some = {"deals": count * GOOD["deals"]}
        assert system.backend_for("all", count) == worked_by
        requests = [("/v1/auctions", {**some, "mode": mode}) for mode in ("first", "all")]
        for path, body in [*requests, ("/v1/members", {**some, "entries": ["1C"]})]:
            answer = post(app, path, body)
            assert answer.json()["backend"] == answer.headers["bidcascade-backend"] == worked_by
    write_deal_parquet(random_deals(200, seed=1), tmp_path / "deals.parquet")
    for mode in ("first", "all"):
        run_batch(system, tmp_path / "deals.parquet", tmp_path / mode, mode=mode)
        parts = [(part.boards > 64, part.backend) for part in Manifest.read(tmp_path / mode).parts]
        assert {*parts} == {(False, "cpu"), (True, "cuda")}


@pytest.mark.parametrize("mode", ["all", "first", "counts"])
def test_a_device_that_is_taken_away_in_the_middle_of_a_batch(
    emulated, table, reference, tmp_path, mode
):
    """Nothing half written is left, and the processor goes on where the device was lost."""
    device = emulated()
    write_deal_parquet(random_deals(400, seed=6), tmp_path / "deals.parquet")
    options = {"mode": mode, "part_deals": 50, "show_progress": False}
    device_launch, most = device._launch, 20

    def launch(*arguments):
        if device.launches >= most:
            device.failure = "the device failed: unspecified launch failure"
        device._check_failure()
        device_launch(*arguments)

    device._launch = launch
    folder = tmp_path / "out"
    with pytest.raises(DeviceFault, match="unspecified launch failure"):
        run_batch(Engine(table, "cuda"), tmp_path / "deals.parquet", folder, **options)
    manifest = Manifest.read(folder)
    assert not manifest.finished
    assert not [*folder.glob("*.partial")]
    if mode != "counts":
        assert 0 < len(manifest.parts) < 8
    run_batch(reference, tmp_path / "deals.parquet", folder, resume=True, **options)
    run_batch(reference, tmp_path / "deals.parquet", tmp_path / "whole", **options)
    for path in (tmp_path / "whole").glob("*.parquet"):
        assert pl.read_parquet(folder / path.name).equals(pl.read_parquet(path)), path.name


def test_a_system_is_bid_on_the_device(emulated, table):
    device, deals = emulated(), random_deals(150, seed=5)
    system = System.parse(SMALL_SYSTEM)
    there = Engine(system, "cuda").auctions(deals, mode="first")
    assert device.launches > 0
    here = Engine(System(system.text), "cpu").auctions(deals, mode="first")
    assert_frame_equal(there, here)


def test_all_auctions_of_a_system_are_listed_on_the_device(emulated, table, monkeypatch):
    """In chunks, of engine and device; the frame is that of the core and of the definition."""
    device, deals = emulated(most_deals=64), random_deals(150, seed=5)
    monkeypatch.setattr("bidcascade.systems.bidding.system_bidder.DEVICE_CHUNK", 80)
    options = {"mode": "all", "limit": 12, "max_depth": 5}
    system = System.parse(SMALL_SYSTEM)
    before = device.launches
    found = Engine(system, "cuda").auctions(deals, **options)
    assert device.launches > before
    assert_frame_equal(found, Engine(System(system.text), "cpu").auctions(deals, **options))
    few = Engine(System(system.text), "reference").auctions(deals.head(20), **options)
    assert_frame_equal(found.filter(found["deal"] < 20), few)


def test_counts_and_members_of_a_system_ask_the_device(emulated, table):
    device, deals = emulated(), random_deals(150, seed=5)
    there, here = (Engine(System.parse(SMALL_SYSTEM), name) for name in ("cuda", "cpu"))
    auctions = ["1C", "P P", "P 1N P", "P"]
    for ask_engine in (
        lambda engine: engine.counts(deals, share=0.01, max_depth=4),
        lambda engine: engine.members(deals, auctions),
    ):
        before = device.launches
        assert_frame_equal(ask_engine(there), ask_engine(here))
        assert device.launches > before


@pytest.mark.parametrize("kind", ["polars", "arrays", "cudf"])
def test_auctions_of_a_system_stay_on_the_device(emulated, table, monkeypatch, kind):
    """Whole auctions, in chunks; what crosses to the host goes by places, not by deals."""
    device, frame = emulated(most_deals=64), random_deals(150, seed=5)
    system = System.parse(SMALL_SYSTEM)
    engine = Engine(system, "cuda").on_device()
    deals = engine.deals(as_given(kind, frame, device))
    found = engine.first(deals)
    crossed = []
    for fewer in (frame, frame.head(130)):
        again = engine.deals(fewer)
        with device.timings() as copies:
            engine.first(again)
        crossed.append([one.copied_bytes for one in copies if one.copied_bytes])
    # once all places are known: numbers for each of three chunks
    assert crossed[0] == crossed[1]
    assert sum(crossed[0]) < 1000
    assert len(found) == 150
    wanted = Engine(System(system.text), "cpu").auctions(frame, mode="first")
    assert_frame_equal(found.to_polars(), wanted)

    monkeypatch.setattr(device_frames, "why_no_cudf", lambda: None)
    monkeypatch.setattr(device_frames, "_cudf", fake_cudf)
    monkeypatch.setitem(sys.modules, "pylibcudf", fake_pylibcudf())
    there = found.to_cudf()
    assert there.columns == ["auction", "defaults", "contract", "declarer"]
    for name in there.columns:
        assert [*there[name].values(device)] == wanted[name].to_list(), name
    assert there["auction"].items.interface["data"][0] == found["calls"].address


@pytest.mark.slow
@pytest.mark.parametrize("name", some_in_check(1, "two-over-one", "sayc", "acol"))
def test_shipped_systems_by_name(emulated, monkeypatch, name):
    emulated()
    compile_few(monkeypatch)
    frame = random_deals(120, seed=8)
    found = Engine.open(name, "cuda").on_device().first(frame)
    wanted = Engine.open(name, "cpu").auctions(frame, mode="first")
    assert_frame_equal(found.to_polars(), wanted)


@pytest.mark.slow
def test_overlays_are_bid_on_the_device(emulated, monkeypatch, tmp_path):
    emulated()
    compile_few(monkeypatch)
    overlay = tmp_path / "weak.csv"
    overlay.write_text("rule,at,criteria\nreplace,P* 1N,12 <= HCP <= 14; Balanced\n")
    frame = random_deals(120, seed=8)
    options = {"overlays": [str(overlay)]}
    found = Engine.open("sayc", "cuda", **options).on_device().first(frame)
    wanted = Engine.open("sayc", "cpu", **options).auctions(frame, mode="first")
    assert_frame_equal(found.to_polars(), wanted)
    plain = Engine.open("sayc", "cpu").auctions(frame, mode="first")
    assert wanted["auction"].to_list() != plain["auction"].to_list()


def test_a_system_bids_no_deals_and_too_many(emulated, table, monkeypatch):
    emulated()
    engine = Engine(System.parse(SMALL_SYSTEM), "cuda")
    none = random_deals(0, seed=1)
    assert_frame_equal(
        engine.on_device().first(none).to_polars(), engine.auctions(none, mode="first")
    )
    monkeypatch.setattr(systems, "MOST_CALLS", 100)
    with pytest.raises(InvalidInput, match="at most 100 calls in a frame, got"):
        engine.on_device().first(random_deals(50, seed=1))


@pytest.mark.parametrize("of", ["frame", "auctions", "deals"])
def test_cudf_gets_the_memory_that_is_held_for_reuse(emulated, table, monkeypatch, of):
    """What RMM raises where there is none is a MemoryError and no more."""
    device, frame = emulated(), random_deals(70, seed=5)
    system = System.parse(SMALL_SYSTEM) if of == "auctions" else None
    engine = Engine(table if system is None else system, "cuda").on_device()
    full: list[MemoryError] = []

    def with_little_memory(make):
        def made(*arguments, **options):
            if full:
                raise full.pop()
            return make(*arguments, **options)

        return made

    for name in ("cudf_frame", "deals_of_cudf"):
        monkeypatch.setattr(device_engine, name, with_little_memory(getattr(device_frames, name)))
    monkeypatch.setattr(device_frames, "why_no_cudf", lambda: None)
    monkeypatch.setattr(device_frames, "_cudf", fake_cudf)
    monkeypatch.setitem(sys.modules, "pylibcudf", fake_pylibcudf())
    first, deals = engine.first(frame), as_given("cudf", frame, device)
    take = partial(engine.deals, deals) if of == "deals" else first.to_cudf
    with mock.patch.object(device, "release", wraps=device.release) as release:
        full += [MemoryError("std::bad_alloc")]
        assert take() is not None
        release.assert_called_once_with()
        full += 2 * [MemoryError("std::bad_alloc")]
        with pytest.raises(OutOfDeviceMemory, match="memory: cudf: std::bad_alloc"):
            take()


def test_a_system_bids_on_in_halves_where_memory_is_short(emulated, table, caplog):
    frame = random_deals(8000, seed=5)
    system = System.parse(SMALL_SYSTEM)
    wanted = Engine(System(system.text), "cpu").auctions(frame, mode="first")
    device = emulated(memory_bytes=3 << 19)
    device.free_bytes = lambda: 1 << 30
    engine = Engine(system, "cuda").on_device()
    assert_frame_equal(engine.first(frame).to_polars(), wanted)
    assert "deals from now on: out of device memory" in caplog.text
