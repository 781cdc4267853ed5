"""Frames on a GPU as users have them: polars, device arrays and cudf in, device and cudf out.

``-m gpu`` runs them on a GPU; ``python -m benchmarks gpu --emulator`` where the emulator stands for
one and for cudf.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine import Engine
from bidcascade.kernels import NO_ENTRY, why_unavailable
from bidcascade.kernels.device_frames import HAND_NAMES
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.table import build_table

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(why_unavailable("cuda") is not None, reason=str(why_unavailable("cuda"))),
]

ROWS = [
    {"prior": "", "call": "P", "criteria": ["HCP <= 11"]},
    {"prior": "", "call": "1C", "criteria": ["HCP >= 12"]},
    {"prior": "1C", "call": "P"},
    {"prior": "1C P", "call": "1H", "criteria": ["SL_H >= 4", "HCP >= 6"]},
    {"prior": "1C P", "call": "P", "criteria": ["HCP < 6"]},
    {"prior": "P", "call": "1D", "criteria": ["HCP >= 11"]},
]
EXPRESSIONS = ["HCP >= 12", "Balanced", "SL_S > SL_H"]
CHOSEN = ["1C", "1C P 1H", 0]
FORMS = ("polars", "arrays", "cudf", "cudf texts")


@pytest.fixture(scope="module")
def cupy():
    import cupy

    return cupy


@pytest.fixture(scope="module")
def frame(cupy):
    # a GPU gets several chunks and odd ends of words
    return random_deals(300 if cupy.__version__ == "emulator" else 2_500_001, seed=7)


@pytest.fixture(scope="module")
def table():
    return build_table(ROWS, undescribed="allow")[0]


@pytest.fixture(scope="module")
def plain(table):
    return Engine(table, "cpu")


@pytest.fixture
def engine(table):
    return Engine(table, "cuda").on_device()


def columns_of(frame, cupy):
    """Columns of a deal frame as device arrays."""
    deals = deal_arrays(frame)
    arrays = dict(zip(HAND_NAMES, map(cupy.asarray, deals.hands), strict=True))
    codes = {"dealer": deals.dealer, "vulnerability": deals.vulnerability}
    return arrays | {name: cupy.asarray(array) for name, array in codes.items()}


def as_given(form, frame, cupy):
    """Deals in one of the forms that the engine takes."""
    if form == "polars":
        return frame
    columns = columns_of(frame, cupy)
    if form == "arrays":
        return columns
    cudf = pytest.importorskip("cudf")
    if form == "cudf texts":
        columns |= {name: frame[name].to_list() for name in ("dealer", "vulnerability")}
    return cudf.DataFrame(columns)


def of_cudf(frame, name):
    """A column of a cudf frame, on the host."""
    return frame[name].to_arrow().to_pylist()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_deals_is_answered_alike(engine, plain, frame, cupy, form):
    some = frame.head(200_000)
    deals = engine.deals(as_given(form, some, cupy))
    assert len(deals) == len(some)
    counts = engine.counts(deals)
    assert cupy.asnumpy(counts["count"]).tolist() == plain.count_entries(some).tolist()
    found = engine.first(deals).to_polars()
    wanted = plain.auctions(some, mode="first")
    entry = pl.select(pl.when(found["entry"] != NO_ENTRY).then(found["entry"])).to_series()
    assert entry.to_list() == wanted["entry"].to_list()
    assert found["defaults"].to_list() == wanted["defaults"].to_list()


def test_more_deals_than_a_chunk(engine, plain, frame, cupy):
    deals = engine.deals(columns_of(frame, cupy))
    counts = engine.counts(deals).to_polars()["count"]
    assert counts.to_list() == plain.count_entries(frame).tolist()
    truths = engine.evaluate(deals, EXPRESSIONS)
    assert truths.to_polars().equals(plain.evaluate(frame, EXPRESSIONS))
    parts = [part.to_polars() for part in engine.entries(deals)]
    assert pl.concat(parts).equals(plain.auctions(frame).select("deal", "entry"))


def test_columns_are_named_as_on_the_host(engine, plain, frame):
    some = frame.head(1000)
    wanted = plain.evaluate(some, EXPRESSIONS)
    assert engine.evaluate(some, EXPRESSIONS).columns == wanted.columns
    found = engine.members(some, CHOSEN)
    assert found.columns == plain.members(some, CHOSEN).columns
    assert found.to_polars().equals(plain.members(some, CHOSEN))


def test_answers_become_cudf_frames_over_the_same_memory(engine, plain, frame, cupy):
    pytest.importorskip("cudf")
    some = frame.head(5000)
    counts = engine.counts(some)
    made = counts.to_cudf()
    there = [one.__cuda_array_interface__["data"][0] for one in (counts["count"], made["count"])]
    assert there[0] == there[1]
    assert of_cudf(made, "count") == plain.count_entries(some).tolist()
    truths, wanted = engine.evaluate(some, EXPRESSIONS), plain.evaluate(some, EXPRESSIONS)
    made = truths.to_cudf()
    for name in wanted.columns:
        assert of_cudf(made, name) == wanted[name].to_list(), name


def test_auctions_of_a_system_become_frames(frame, cupy):
    some = frame.head(3000)
    wanted = Engine.open("sayc", "cpu").auctions(some, mode="first")
    found = Engine.open("sayc", "cuda").on_device().first(some)
    shown = found.to_polars()
    for name in ("auction", "defaults", "contract", "declarer"):
        assert shown[name].to_list() == wanted[name].to_list(), name
    pytest.importorskip("cudf")
    made = found.to_cudf()
    for name in ("auction", "defaults", "contract", "declarer"):
        values = wanted[name].to_list()
        if name == "auction":
            values = [list(one) for one in values]
        assert of_cudf(made, name) == values, name


@pytest.mark.parametrize("form", ["arrays", "cudf"])
def test_a_row_that_is_no_deal_is_named(engine, frame, cupy, form):
    hands = frame["west"].to_numpy().copy()
    hands[77] ^= np.uint64(3)
    bad = frame.with_columns(pl.Series("west", hands))
    columns = columns_of(frame, cupy) | {"west": cupy.asarray(bad["west"].to_numpy())}
    source = columns
    if form == "cudf":
        source = pytest.importorskip("cudf").DataFrame(columns)
    with pytest.raises(InvalidInput, match=r"in row 77$"):
        engine.deals(source)


def test_several_threads_ask_one_engine(engine, plain, frame):
    some = frame.head(500)
    wanted = plain.members(some, CHOSEN)

    def ask(number):
        if number % 2:
            return engine.members(some, CHOSEN).to_polars().equals(wanted)
        found = engine.evaluate(some, EXPRESSIONS).to_polars()
        return found.equals(plain.evaluate(some, EXPRESSIONS))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(16)))
