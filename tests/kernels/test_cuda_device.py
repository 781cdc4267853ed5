"""What only a real device can show: sizes, streams, memory, faults. Run with ``-m gpu``."""

import gc
import logging
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import OutOfDeviceMemory
from bidcascade.kernels import DealArrays, Plan, cuda
from bidcascade.kernels.cuda_device import Device, cupy_device, default_device_number
from bidcascade.kernels.dealing import deal_hands_reference
from tests.support.backends import SOME, assert_same_answers, merged, reference
from tests.support.plans import deal_arrays, random_plan

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(cuda.why_unavailable() is not None, reason=str(cuda.why_unavailable())),
]

BASE = 257
"""Deals that ``reference`` answers for; larger sizes repeat them."""
MIB = 1 << 20


@pytest.fixture
def device() -> Device:
    return cupy_device(default_device_number())


@pytest.fixture
def poison(device) -> Callable[[], None]:
    """Fills the memory that comes next with a pattern, as buffers of others before would."""

    def fill() -> None:
        # of many sizes: the pool gives back what fits best
        held = [
            device.upload(np.full(size, 0xA5, np.uint8)) for size in (1 << n for n in range(9, 26))
        ]
        device.synchronize()
        del held

    return fill


@pytest.fixture(scope="module")
def case() -> tuple[Plan, DealArrays]:
    rng = np.random.default_rng(41)
    return random_plan(rng, SOME, nodes=200), deal_arrays(rng, BASE)


def tiled(deals: DealArrays, count: int) -> DealArrays:
    times = -(-count // len(deals))
    return DealArrays(
        np.ascontiguousarray(np.tile(deals.hands, times)[:, :count]),
        np.tile(deals.dealer, times)[:count],
        np.tile(deals.vulnerability, times)[:count],
    )


def bools(words: Any, count: int) -> Any:
    return np.unpackbits(words.view(np.uint8), axis=-1, count=count, bitorder="little")


# more than a grid of any of these cards runs at once, with 0, 1 and odd tails of words and tiles
@pytest.mark.parametrize("count", [1 << 20, (1 << 20) + 1, (1 << 21) - 31, 3_000_017])
def test_more_deals_than_run_at_once(device, poison, case, count):
    plan, base = case
    deals = tiled(base, count)
    times, rest = divmod(count, BASE)
    backend = cuda.CudaBackend(device)
    poison()
    wanted = reference.cascade_counts(plan, base) * np.uint64(times)
    wanted += reference.cascade_counts(plan, base.slice(0, rest))
    np.testing.assert_array_equal(backend.cascade_counts(plan, deals), wanted)

    source = np.arange(count) % BASE
    poison()
    right = reference.cascade_first(plan, base)
    got = backend.cascade_first(plan, deals)
    np.testing.assert_array_equal(got.entry, right.entry[source])
    np.testing.assert_array_equal(got.passes, right.passes[source])
    np.testing.assert_array_equal(got.defaults, right.defaults[source])

    poison()
    np.testing.assert_array_equal(
        backend.features(plan, deals), reference.features(plan, base)[:, source]
    )
    poison()
    right_bits = bools(reference.evaluate(plan, base).words, BASE)
    got_words = backend.evaluate(plan, deals).words
    np.testing.assert_array_equal(bools(got_words, count), right_bits[..., source])
    padding = bools(got_words, got_words.shape[-1] * 64)[..., count:]
    assert not padding.any()

    poison()
    chosen = range(0, plan.node_count, 5)
    right_bits = bools(reference.members(plan, base, chosen).words, BASE)
    np.testing.assert_array_equal(
        bools(backend.members(plan, deals, chosen).words, count), right_bits[..., source]
    )


@pytest.mark.parametrize("limit", [None, 2])
def test_lists_of_more_deals_than_run_at_once(device, poison, case, limit):
    plan, base = case
    count = 700_001
    right = merged(reference.cascade_all(plan, base, limit=limit))
    source = np.arange(count) % BASE
    poison()
    first = 0
    for part in cuda.CudaBackend(device).cascade_all(plan, tiled(base, count), limit=limit):
        assert part.first_deal == first
        here = source[first : first + len(part.totals)]
        first += len(part.totals)
        np.testing.assert_array_equal(part.totals, right.totals[here])
        lengths = np.diff(right.offsets.astype(np.int64))[here]
        ends = np.cumsum(lengths)
        np.testing.assert_array_equal(part.offsets, np.concatenate([[0], ends]))
        steps = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
        wanted = right.entries[np.repeat(right.offsets[here].astype(np.int64), lengths) + steps]
        np.testing.assert_array_equal(part.entries, wanted)
    assert first == count


def test_fresh_random_inputs(device, poison):
    seed = int.from_bytes(os.urandom(8), "little")
    print(f"seed {seed}")  # shown when the test fails
    rng = np.random.default_rng(seed)
    for _ in range(5):
        plan = random_plan(rng, SOME, nodes=int(rng.integers(1, 400)))
        poison()
        deals = deal_arrays(rng, int(rng.integers(1, 200)))
        assert_same_answers(cuda.CudaBackend(device), plan, deals)


def test_a_large_table(device, poison):
    rng = np.random.default_rng(23)
    plan, base = random_plan(rng, SOME, nodes=60_000), deal_arrays(rng, 12)
    assert plan.node_count > 7_000
    count = 300_007
    times, rest = divmod(count, len(base))
    wanted = reference.cascade_counts(plan, base) * np.uint64(times)
    wanted += reference.cascade_counts(plan, base.slice(0, rest))
    deals = tiled(base, count)
    for node_bytes in (None, plan.node_count // 3 * 16):
        poison()
        backend = cuda.CudaBackend(device, node_bytes=node_bytes)
        np.testing.assert_array_equal(backend.cascade_counts(plan, deals), wanted)
        got = backend.cascade_first(plan, deals)
        source = np.arange(count) % len(base)
        np.testing.assert_array_equal(got.entry, reference.cascade_first(plan, base).entry[source])


def test_random_deals(device, poison):
    poison()
    hands = cuda.CudaBackend(device).deal_hands(20240229, 5, 2_500_001)
    deck = np.bitwise_or.reduce(hands, axis=0)
    assert (deck == (1 << 52) - 1).all()
    assert (np.bitwise_count(hands) == 13).all()
    for number in (0, 1, 127, 128, 1 << 20, 2_500_000):
        assert tuple(hands[:, number].tolist()) == deal_hands_reference(20240229, 5 + number)


def test_several_callers_at_once(case, device):
    plan, base = case
    # one backend that all share, and one for each: streams beside streams
    shared = cuda.CudaBackend(device, most_deals=64)
    wanted = reference.cascade_counts(plan, base)
    first = reference.cascade_first(plan, base).entry

    def ask(number: int) -> None:
        backend = shared if number % 2 else cuda.CudaBackend(device, most_deals=128)
        np.testing.assert_array_equal(backend.cascade_counts(plan, base), wanted)
        np.testing.assert_array_equal(backend.cascade_first(plan, base).entry, first)

    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(ask, range(32)):
            pass


# --- memory ---


@pytest.fixture
def pool(device) -> Iterator[Any]:
    before = device.pool.get_limit()
    yield device.pool
    device.pool.set_limit(size=before)


def test_memory_that_is_less_than_it_seems(device, case, pool, caplog, monkeypatch):
    if os.environ.get("BIDCASCADE_TEST_WITHOUT_POOL"):
        pytest.skip("the limit is the pool's")
    plan, base = case
    count = 2_000_003
    deals = tiled(base, count)
    times, rest = divmod(count, BASE)
    wanted = reference.cascade_counts(plan, base) * np.uint64(times)
    wanted += reference.cascade_counts(plan, base.slice(0, rest))

    def in_use() -> int:
        plan.cache.clear()
        gc.collect()
        device.release()
        return int(pool.total_bytes())

    before = in_use()
    np.testing.assert_array_equal(cuda.CudaBackend(device).cascade_counts(plan, deals), wanted)
    needed = pool.total_bytes() - before
    # the limit leaves half of what it takes, and nobody is told
    monkeypatch.setattr(type(device), "free_bytes", lambda _: 1 << 34)
    pool.set_limit(size=in_use() + needed // 2)
    caplog.set_level(logging.WARNING, "bidcascade.kernels")
    np.testing.assert_array_equal(cuda.CudaBackend(device).cascade_counts(plan, deals), wanted)
    assert "chunks of" in caplog.text


def test_a_table_larger_than_the_free_memory(device, case):
    cupy = pytest.importorskip("cupy")
    rng = np.random.default_rng(4)
    plan, base = random_plan(rng, SOME, nodes=60_000), deal_arrays(rng, 12)
    wanted = reference.cascade_counts(plan, base)
    # all but a little of the device is taken by somebody else
    device.release()
    free, _ = cupy.cuda.runtime.memGetInfo()
    left = 192 * MIB
    if free <= left:
        pytest.skip(f"only {free} bytes are free")
    taken = cupy.cuda.runtime.malloc(free - left)
    try:
        # nodes get less than they need
        backend = cuda.CudaBackend(device, node_bytes=plan.node_count * 4)
        np.testing.assert_array_equal(backend.cascade_counts(plan, base), wanted)
        many = tiled(base, 1_200_000)
        one = cuda.CudaBackend(device)
        np.testing.assert_array_equal(one.cascade_counts(plan, many), wanted * np.uint64(100_000))
    finally:
        cupy.cuda.runtime.free(taken)


def test_memory_comes_back(device, case):
    cupy = pytest.importorskip("cupy")
    plan, base = case
    deals = tiled(base, 1_000_001)
    backend = cuda.CudaBackend(device)
    gc.collect()
    before = device.pool.used_bytes()  # what tests before this one still have

    def free_after() -> int:
        backend.cascade_counts(plan, deals)
        backend.cascade_first(plan, deals)
        backend.evaluate(plan, deals)
        list(backend.cascade_all(plan, deals))
        backend.tables(plan).let_go()
        gc.collect()
        device.release()
        return int(cupy.cuda.runtime.memGetInfo()[0])

    first = free_after()  # the code of the kernels stays
    assert device.pool.used_bytes() <= before
    for _ in range(3):
        assert free_after() >= first - 4 * MIB


def test_memory_beside_a_pool_of_rmm(device, case):
    """RMM's pool has half the memory, and raises plain MemoryError: neither is ours."""
    cupy, rmm = pytest.importorskip("cupy"), pytest.importorskip("rmm")
    from rmm.allocators.cupy import rmm_cupy_allocator

    plan, base = case
    device.release()
    before, _ = cupy.cuda.runtime.memGetInfo()
    size = before // 2 // 256 * 256
    rmm.reinitialize(pool_allocator=True, initial_pool_size=size, maximum_pool_size=size)
    cupy.cuda.set_allocator(rmm_cupy_allocator)
    try:
        assert device.free_bytes() <= before - size
        backend = cuda.CudaBackend(device)
        wanted = reference.cascade_counts(plan, base)
        np.testing.assert_array_equal(backend.cascade_counts(plan, base), wanted)
        with pytest.raises(OutOfDeviceMemory):
            device.empty(before, np.uint8)
    finally:
        cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)
        rmm.reinitialize()


# --- time and faults ---


def test_launches_and_copies_are_timed(device, case):
    plan, base = case
    deals = tiled(base, 1_000_000)
    backend = cuda.CudaBackend(device)
    backend.cascade_counts(plan, deals)
    with device.timings() as timings:
        backend.cascade_counts(plan, deals)
    names = {timing.name for timing in timings}
    assert {"copy in", "pack_hands", "bit_columns", "walk_top", "count_nodes"} <= names
    assert all(timing.seconds >= 0 for timing in timings)
    assert sum(timing.seconds for timing in timings) > 0
    brought = sum(timing.copied_bytes for timing in timings if timing.name == "copy in")
    assert brought >= 34 * len(deals)


FAULTY = """
    import numpy as np
    from unittest import mock
    from bidcascade.bridge import DeviceFault
    from bidcascade.kernels import cuda, cuda_device
    from tests.support.toys import toy_text

    device = cuda.backend_here().session.device
    with mock.patch.object(cuda_device, "source_text", toy_text):
        kernel = device.kernel("toys.cu", "writes_far_beyond", {})
    out = device.zeros(1, np.uint32)
    # far beyond any buffer: an offset that no mapping has
    kernel(1, 1, [out])
    for _ in range(2):
        try:
            device.synchronize()
        except DeviceFault as fault:
            print("fault:", fault)
    print("reason:", cuda.why_unavailable())
"""


def test_a_fault_is_for_good():
    # in a process of its own, whose device is of no use afterwards
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FAULTY)],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=root,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(root), *sys.path])},
    )
    assert done.stdout.count("fault: ") == 2, done.stdout + done.stderr
    assert "reason: the device failed" in done.stdout
