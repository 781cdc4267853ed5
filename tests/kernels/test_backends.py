"""Every backend gives the bits of ``reference``: one body for all of them."""

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.kernels import (
    BACKENDS,
    NO_ENTRY,
    Backend,
    DealArrays,
    Postfix,
    cpu,
    get_backend,
    why_unavailable,
)
from bidcascade.kernels.cuda import CudaBackend
from bidcascade.kernels.cuda_device import cupy_device, default_device_number
from tests.kernels.emulator.backend import EmulatedBackend
from tests.support.backends import (
    SIZES,
    SOME,
    assert_same_answers,
    assert_same_lists,
    expression_plan,
    merged,
    reference,
)
from tests.support.examples import examples
from tests.support.plans import AskingCase, atoms, deal_arrays, expressions, random_plan

FAST = [
    pytest.param(
        name,
        marks=[
            *([pytest.mark.gpu] if name == "cuda" else []),
            pytest.mark.skipif(
                why_unavailable(name) is not None, reason=str(why_unavailable(name))
            ),
        ],
    )
    for name in BACKENDS
    if name != "reference"
]


@pytest.fixture(params=[*FAST, pytest.param("emulator", marks=pytest.mark.slow)])
def backend(request) -> Backend:
    if request.param == "emulator":
        return EmulatedBackend(request.getfixturevalue("emulator_folder"))
    if request.param == "cuda":
        return CudaBackend(cupy_device(default_device_number()))
    return get_backend(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("backend_name", FAST)
@given(
    expression_list=st.lists(expressions(), min_size=1, max_size=12),
    seed=st.integers(0, 2**32),
    profile=st.sampled_from(["gib", "mlbridge"]),
)
def test_expressions_equal_reference(backend_name, expression_list, seed, profile):
    plan = expression_plan(expression_list, profile)
    deals = deal_arrays(np.random.default_rng(seed), 70)
    backend = get_backend(backend_name)
    np.testing.assert_array_equal(backend.features(plan, deals), reference.features(plan, deals))
    np.testing.assert_array_equal(
        backend.evaluate(plan, deals).words, reference.evaluate(plan, deals).words
    )


@pytest.mark.slow
@pytest.mark.parametrize("backend_name", FAST)
@examples(40)
@given(
    expression_list=st.lists(st.one_of(atoms(), expressions()), max_size=10),
    seed=st.integers(0, 2**32),
    count=st.sampled_from((0, 1, 5, 33, 64, 65)),
    undescribed=st.sampled_from(("allow", "pass", "reject")),
)
def test_cascade_equals_reference(backend_name, expression_list, seed, count, undescribed):
    rng = np.random.default_rng(seed)
    plan = random_plan(rng, expression_list, undescribed=undescribed)
    assert_same_answers(get_backend(backend_name), plan, deal_arrays(rng, count))


@pytest.mark.parametrize("count", SIZES)
def test_sizes(backend, count):
    plan, deals = AskingCase(count, count // 2 + 1).made()
    held = reference.cascade_counts(plan, deals)
    assert count < 3 or count // 2 + 1 in held
    assert_same_answers(backend, plan, deals)


@pytest.mark.parametrize("block", [64, 128])
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_a_block_and_one_more_or_less(backend, monkeypatch, block, off):
    monkeypatch.setattr(backend, "BLOCK_DEALS", block)
    rng = np.random.default_rng(block + off)
    assert_same_answers(backend, random_plan(rng, SOME), deal_arrays(rng, 2 * block + off))


@pytest.mark.parametrize("threshold", [0, 1, 8, 1000])
def test_bits_and_lists_agree(backend, monkeypatch, threshold):
    if backend.NAME != "cpu":
        pytest.skip("the threshold between bits and lists belongs to cpu")
    monkeypatch.setattr(backend, "LIST_THRESHOLD", threshold)
    rng = np.random.default_rng(threshold)
    assert_same_answers(backend, random_plan(rng, SOME), deal_arrays(rng, 150))


def test_pairs_that_do_not_fit_are_split(backend, monkeypatch):
    if backend.NAME != "cpu":
        pytest.skip("the pair buffer belongs to cpu")
    monkeypatch.setattr(backend, "pairs_that_fit", lambda *_, **__: 50)
    rng = np.random.default_rng(3)
    plan, deals = random_plan(rng, SOME, nodes=200), deal_arrays(rng, 150)
    chunks = list(backend.cascade_all(plan, deals))
    assert len(chunks) > 4
    assert_same_lists(chunks, reference.cascade_all(plan, deals))


@pytest.mark.slow
def test_many_lanes_and_flag_words(backend):
    many: list[Postfix] = [
        (name, value, ">=")
        for name in ("HCP", "Total_Points", "QT", "Losers", "Controls", "Aces", "Kings", "Tens",
                     "Rule_Of_20", "Rule_Of_15", "Keycards_S", "SL_S", "HCP_S", "Top5_H", "Top4_D")
        for value in range(1, 8)
    ]  # fmt: skip
    many += [(f"C_{suit}{rank}",) for suit in "CDHS" for rank in "23456789TJQKA"]
    rng = np.random.default_rng(5)
    plan = random_plan(rng, many, nodes=200)
    assert plan.packing.lane_words > 1
    assert plan.packing.flag_words > 1
    assert_same_answers(backend, plan, deal_arrays(rng, 100))


def test_an_empty_table(backend):
    plan, deals = expression_plan([]), deal_arrays(np.random.default_rng(0), 5)
    assert_same_answers(backend, plan, deals)
    first = backend.cascade_first(plan, deals)
    assert first.entry.tolist() == [NO_ENTRY] * 5
    assert first.passes.tolist() == [4] * 5


def test_bits_beyond_the_deals_are_zero(backend):
    plan = expression_plan([("HCP", 0, ">="), ("Balanced", "not"), ("HCP", 40, "<", "not", "not")])
    words = backend.evaluate(plan, deal_arrays(np.random.default_rng(1), 65)).words
    assert (words[:, :, 1] >> np.uint64(1) == 0).all()


def test_views_and_read_only_deals(backend):
    rng = np.random.default_rng(11)
    plan, deals = random_plan(rng, SOME), deal_arrays(rng, 130)
    view = DealArrays(
        deals.hands[:, ::-1][:, 5:125], deals.dealer[::-1][5:125], deals.vulnerability[::-1][5:125]
    )
    for array in (view.hands, view.dealer, view.vulnerability):
        array.flags.writeable = False
    assert_same_answers(backend, plan, view)


def test_several_callers_at_once(backend):
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(9)
    plan, deals = random_plan(rng, SOME, nodes=100), deal_arrays(rng, 130)
    wanted = reference.cascade_counts(plan, deals)
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: backend.cascade_counts(plan, deals), range(24)):
            np.testing.assert_array_equal(got, wanted)


def test_several_callers_list_one_deal_and_many(backend):
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(9)
    plan, deals = random_plan(rng, SOME, nodes=100), deal_arrays(rng, 70)
    some = [deals.slice(0, 1), deals, deals.slice(1, 2)]
    wanted = [merged(reference.cascade_all(plan, one)).entries for one in some]

    def ask(number: int) -> None:
        got = merged(backend.cascade_all(plan, some[number % 3])).entries
        np.testing.assert_array_equal(got, wanted[number % 3])

    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(ask, range(120)):
            pass


@pytest.mark.parametrize("backend", [cpu, CudaBackend], ids=["cpu", "cuda"])
@pytest.mark.parametrize(
    "operation",
    ["features", "evaluate", "cascade_counts", "cascade_all", "cascade_first", "members"],
)
def test_signatures_are_the_same(backend, operation):
    def parameters(owner: Any) -> list[tuple[Any, ...]]:
        # without annotations: a backend may take more kinds of deals
        given = inspect.signature(getattr(owner, operation)).parameters.values()
        return [(one.name, one.kind, one.default) for one in given if one.name != "self"]

    assert parameters(backend) == parameters(reference)
