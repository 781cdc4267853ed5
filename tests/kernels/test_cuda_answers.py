"""The CUDA backend, kernels and host code, gives the bits of ``reference``.

One body for the emulator and for a real device (``-m gpu``).
Chunks, windows of nodes, items and tiles are drawn as small as they go, so that small plans go the
ways that large ones take.
"""

import contextlib
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bidcascade.bridge import DeviceFault, OutOfDeviceMemory
from bidcascade.kernels import DealArrays, EntryLists, Plan, Postfix, cuda
from bidcascade.kernels.cuda_device import DeviceLimits, cupy_device, default_device_number
from bidcascade.kernels.dealing import deal_hands_reference
from bidcascade.kernels.device_frames import DeviceDeals
from bidcascade.kernels.gpu import lending
from bidcascade.kernels.gpu.session import RunningSums, Session
from bidcascade.kernels.gpu.tables import bits, first, lists, node_windows
from bidcascade.kernels.gpu.tables import counts as counts_module
from tests.kernels.emulator.backend import EmulatedBackend
from tests.kernels.emulator.device import Checks
from tests.support.backends import (
    SIZES,
    SOME,
    Remembered,
    assert_same_answers,
    assert_same_lists,
    expression_plan,
    merged,
    reference,
)
from tests.support.examples import is_full_run, sized
from tests.support.plans import (
    ASKING_CASES,
    AskingCase,
    atoms,
    deal_arrays,
    expressions,
    random_plan,
)

pytestmark = pytest.mark.slow

EMULATED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
LEAST_SHARED = DeviceLimits(
    multiprocessors=1,
    shared_bytes=18 << 10,
    shared_bytes_per_multiprocessor=20 << 10,
    threads_per_multiprocessor=512,
)
MANY: list[Postfix] = [
    *(
        (name, value, ">=")
        for name in (
            "HCP",
            "Total_Points",
            "QT",
            "Losers",
            "Controls",
            "Aces",
            "Kings",
            "Tens",
            "Rule_Of_20",
            "Rule_Of_15",
            "Keycards_S",
            "SL_S",
            "HCP_S",
            "Top5_H",
            "Top4_D",
        )
        for value in range(1, 8)
    ),
    *((f"C_{suit}{rank}",) for suit in "CDHS" for rank in "23456789TJQKA"),
]


@dataclass(frozen=True)
class Ways:
    """What decides which way a plan and its deals take through the backend."""

    schedule: int = 0
    architecture: int = 750
    most_deals: int | None = None
    node_bytes: int | None = None
    most_entries: int | None = None
    item_nodes: int = 64
    words_a_lane: int = 1
    members_at_once: int = 1024
    staged: bool = True
    least_lent: int = 1 << 20

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        with (
            mock.patch.object(node_windows, "SMALLEST_ITEM", self.item_nodes),
            mock.patch.object(node_windows, "ITEMS", 1 << 20),
            mock.patch.object(counts_module, "words_a_lane", return_value=self.words_a_lane),
            mock.patch.object(bits, "MEMBERS_AT_ONCE", self.members_at_once),
            mock.patch.object(lending, "LEAST_BYTES", self.least_lent),
            mock.patch.object(counts_module, "PAIRS_FROM", 1),
            contextlib.ExitStack() as more,
        ):
            for module in () if self.staged else (first, lists):
                # as where a hand has more words than a block has shared memory for
                more.enter_context(
                    mock.patch.object(module, "thread_staging", return_value=(128, 0))
                )
            yield

    @property
    def options(self) -> dict[str, Any]:
        """For the backend."""
        return {
            "most_deals": self.most_deals,
            "node_bytes": self.node_bytes,
            "most_entries": self.most_entries,
        }

    @property
    def device_options(self) -> dict[str, Any]:
        """For an emulated device."""
        return {"schedule": self.schedule, "architecture": self.architecture}


WAYS = st.builds(
    Ways,
    schedule=st.integers(0, 9),
    architecture=st.sampled_from((750, 900)),
    most_deals=st.sampled_from((None, 64, 128)),
    node_bytes=st.sampled_from((None, 16, 160, 800)),
    most_entries=st.sampled_from((None, 20, 1000)),
    item_nodes=st.sampled_from((1, 2, 7, 64)),
    words_a_lane=st.sampled_from((1, 2, 4)),
    members_at_once=st.sampled_from((1, 5, 1024)),
    staged=st.booleans(),
    least_lent=st.sampled_from((1, 1 << 20)),
)
PROFILES = st.sampled_from(("gib", "mlbridge"))


class Places:
    """Where a test runs: makes backends there."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self.name = request.param
        self.folder: Path | None = None
        if self.name == "emulator":
            self.folder = request.getfixturevalue("emulator_folder")

    def backend(
        self, ways: Ways, *, device_options: dict[str, Any] | None = None, **options: Any
    ) -> cuda.CudaBackend:
        options = ways.options | options
        if self.folder is not None:
            return EmulatedBackend(
                self.folder, device_options=ways.device_options | (device_options or {}), **options
            )
        return cuda.CudaBackend(cupy_device(default_device_number()), **options)

    def compare(self, ways: Ways, plan: Plan, deals: DealArrays, **more: Any) -> None:
        with ways.taken():
            assert_same_answers(self.backend(ways, **more), plan, deals)


GPU = pytest.param(
    "cuda",
    marks=[
        pytest.mark.gpu,
        pytest.mark.skipif(cuda.why_unavailable() is not None, reason=str(cuda.why_unavailable())),
    ],
)


@pytest.fixture(params=["emulator", GPU])
def places(request) -> Places:
    return Places(request)


@pytest.fixture(params=["emulator"])
def emulator(request) -> Places:
    """For what only the emulator shows."""
    return Places(request)


@settings(EMULATED, max_examples=sized(12, 40))
@given(
    expression_list=st.lists(expressions(), min_size=1, max_size=12),
    seed=st.integers(0, 2**32),
    profile=PROFILES,
    ways=WAYS,
)
def test_expressions_equal_reference(places, expression_list, seed, profile, ways):
    plan = expression_plan(expression_list, profile)
    deals = deal_arrays(np.random.default_rng(seed), 70)
    with ways.taken():
        backend = places.backend(ways)
        np.testing.assert_array_equal(
            backend.features(plan, deals), reference.features(plan, deals)
        )
        np.testing.assert_array_equal(
            backend.evaluate(plan, deals).words, reference.evaluate(plan, deals).words
        )


@settings(EMULATED, max_examples=sized(12, 40))
@given(
    expression_list=st.lists(st.one_of(atoms(), expressions()), max_size=10),
    seed=st.integers(0, 2**32),
    count=st.sampled_from((0, 1, 5, 33, 64, 65, 130)),
    undescribed=st.sampled_from(("allow", "pass", "reject")),
    ways=WAYS,
)
def test_cascade_equals_reference(places, expression_list, seed, count, undescribed, ways):
    rng = np.random.default_rng(seed)
    plan = random_plan(rng, expression_list, undescribed=undescribed)
    places.compare(ways, plan, deal_arrays(rng, count))


EDGE_WAYS = (
    Ways(item_nodes=4, words_a_lane=2, schedule=2, architecture=900, least_lent=1),
    Ways(),
    Ways(
        most_deals=64, node_bytes=160, most_entries=100, item_nodes=1, members_at_once=5,
        staged=False, words_a_lane=4,
    ),
)  # fmt: skip


EDGES = [
    (case, ways)
    for number, case in enumerate(ASKING_CASES)
    for way, ways in enumerate(EDGE_WAYS)
    # the check asks larger cases, but for the largest, in one way each; test_cuda_mutants.py shows
    # that this finds every change
    if is_full_run() or number < 6 or (case.deals < 1000 and (number + way) % 3 == 0)
]
"""Cases with the ways that they take."""


def asked(case: AskingCase) -> tuple[Plan, DealArrays, Remembered]:
    """Plan and deals of a case, on no device yet, and what the definition answers."""
    answers = _remembered(case)
    answers.plan.cache.clear()
    return answers.plan, answers.deals, answers


@cache
def _remembered(case: AskingCase) -> Remembered:
    return Remembered(*case.made())


@pytest.mark.parametrize(
    ("case", "ways"),
    EDGES,
    ids=[f"{case}-{('top', 'whole', 'parts')[EDGE_WAYS.index(ways)]}" for case, ways in EDGES],
)
def test_edges_of_warps_and_words(places, case, ways):
    plan, deals, answers = asked(case)
    first = np.flatnonzero(answers.cascade_counts(plan, deals) == case.vulnerable)
    assert 0 in first  # the first call holds for as many as it says
    with ways.taken():
        assert_same_answers(places.backend(ways), plan, deals, answers)


@settings(EMULATED, max_examples=sized(5, 12))
@given(
    deals=st.sampled_from(SIZES),
    vulnerable=st.sampled_from((*SIZES, 1000)),
    wide=st.booleans(),
    seed=st.integers(0, 2**32),
    nodes=st.integers(1, 60),
    ways=WAYS,
)
def test_nodes_that_ask(places, deals, vulnerable, wide, seed, nodes, ways):
    case = AskingCase(deals, min(deals, vulnerable), wide, seed, nodes)
    places.compare(ways, *case.made())


@pytest.mark.parametrize("schedule", range(6))
def test_a_block_of_columns_and_one_more(places, schedule):
    # more than a block of 1,024 deals, and more than a tile of 256; every order of threads
    rng = np.random.default_rng(schedule)
    plan, deals = random_plan(rng, SOME, nodes=30, asking=True), deal_arrays(rng, 300)
    many = DealArrays(
        np.tile(deals.hands, 4)[:, :1025],
        np.tile(deals.dealer, 4)[:1025],
        np.tile(deals.vulnerability, 4)[:1025],
    )
    backend = places.backend(Ways(schedule=schedule))
    times, rest = divmod(1025, 300)
    wanted = reference.cascade_counts(plan, deals) * np.uint64(times)
    wanted += reference.cascade_counts(plan, deals.slice(0, rest))
    np.testing.assert_array_equal(backend.cascade_counts(plan, many), wanted)


def test_least_shared_memory(emulator):
    # a block of threads stages fewer deals
    rng = np.random.default_rng(6)
    emulator.compare(
        Ways(item_nodes=5),
        random_plan(rng, MANY, nodes=150),
        deal_arrays(rng, 140),
        device_options={"limits": LEAST_SHARED},
    )


@settings(EMULATED, max_examples=sized(4, 8))
@given(seed=st.integers(0, 2**32), count=st.sampled_from((1, 64, 65, 130)), ways=WAYS)
def test_deals_and_answers_that_stay_on_the_device(places, seed, count, ways):
    rng = np.random.default_rng(seed)
    plan, deals = random_plan(rng, SOME), deal_arrays(rng, count)
    with ways.taken():
        backend = places.backend(ways)
        device = backend.session.device
        there = DeviceDeals(
            device,
            device.upload(deals.hands),
            device.upload(deals.dealer),
            device.upload(deals.vulnerability),
        )
        device.synchronize()
        words = device.download(backend.evaluate_on_device(plan, there))
        np.testing.assert_array_equal(words.view(np.uint64), reference.evaluate(plan, deals).words)
        counts = reference.cascade_counts(plan, deals)
        np.testing.assert_array_equal(backend.cascade_counts(plan, there), counts)
        np.testing.assert_array_equal(
            device.download(backend.counts_on_device(plan, there)), counts
        )
        wanted = reference.cascade_first(plan, deals)
        first = backend.cascade_first(plan, there)
        np.testing.assert_array_equal(first.entry, wanted.entry)
        three = backend.first_on_device(plan, there)
        for got, right in zip(three, (wanted.entry, wanted.passes, wanted.defaults), strict=True):
            np.testing.assert_array_equal(device.download(got), right)
        for options in ({}, {"limit": 2}, {"completed_only": True, "max_depth": 3}):
            right = reference.cascade_all(plan, deals, **options)
            assert_same_lists(backend.cascade_all(plan, there, **options), right)
            parts = [
                EntryLists(
                    part.first_deal,
                    device.download(part.offsets),
                    device.download(part.entries),
                    device.download(part.totals),
                )
                for part in backend.lists_on_device(plan, there, **options)
            ]
            assert_same_lists(parts, reference.cascade_all(plan, deals, **options))
        chosen = range(0, plan.node_count, 3)
        np.testing.assert_array_equal(
            backend.members(plan, there, chosen).words, reference.members(plan, deals, chosen).words
        )


# --- memory ---


OPERATIONS = ("features", "evaluate", "cascade_counts", "cascade_all", "cascade_first", "members")


def answer(backend: EmulatedBackend, operation: str, plan: Plan, deals: DealArrays) -> list[Any]:
    more = [range(0, plan.node_count, 2)] if operation == "members" else []
    found = getattr(backend, operation)(plan, deals, *more)
    if operation == "cascade_all":
        found = merged(found)
        return [found.totals, found.offsets, found.entries]
    if operation == "cascade_first":
        return [found.entry, found.passes, found.defaults]
    return [found.words if hasattr(found, "words") else found]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_short_memory_halves_the_chunks(emulator, caplog, operation):
    rng = np.random.default_rng(7)
    plan, deals = random_plan(rng, SOME), deal_arrays(rng, 1000)
    whole = emulator.backend(Ways())
    wanted = answer(whole, operation, plan, deals)
    parts = emulator.backend(Ways(most_deals=64))
    answer(parts, operation, plan, deals)
    needs = [backend.device.most_live_bytes for backend in (parts, whole)]
    assert needs[0] < needs[1]
    # the device shows more memory than it then has to give
    short = emulator.backend(Ways(), device_options={"memory_bytes": sum(needs) // 2})
    with mock.patch.object(short.device, "free_bytes", whole.device.free_bytes):
        for found, right in zip(answer(short, operation, plan, deals), wanted, strict=True):
            np.testing.assert_array_equal(found, right)
    assert "from now on: out of device memory" in caplog.text


def test_bits_that_do_not_fit_as_a_whole_come_in_chunks(emulator):
    rng = np.random.default_rng(19)
    plan, deals = random_plan(rng, SOME), deal_arrays(rng, 300)
    which = np.arange(3200) % len(deals)
    many, wanted = deals.take(which), reference.evaluate(plan, deals)
    checks = {"checks": Checks.BOUNDS}
    parts = emulator.backend(Ways(most_deals=64), device_options=checks)
    parts.evaluate(plan, many)
    needs = parts.device.most_live_bytes
    with mock.patch.object(lending, "LEAST_BYTES", 1):
        for told in (10_000, 1 << 30):
            # where the device shows more memory than it has, it is tried and does not work out
            short = emulator.backend(
                Ways(most_deals=64), device_options=checks | {"memory_bytes": needs}
            )
            with mock.patch.object(short.device, "free_bytes", return_value=told):
                found = short.evaluate(plan, many)
            buffers = short.session.lender._buffers
            assert len(buffers) == 1
            assert not np.shares_memory(found.words, buffers[0][0])
            for column in range(len(found.words)):
                for seat in range(4):
                    right = wanted.to_bools(column, seat)[which]
                    np.testing.assert_array_equal(found.to_bools(column, seat), right)


def test_memory_comes_back(emulator):
    rng = np.random.default_rng(9)
    plan, deals = random_plan(rng, SOME, nodes=200), deal_arrays(rng, 150)
    backend = emulator.backend(Ways(most_deals=64))
    assert_same_answers(backend, plan, deals)
    kept = backend.device.live_bytes
    assert_same_answers(backend, plan, deals)
    assert backend.device.live_bytes == kept
    backend.tables(plan).let_go()
    assert backend.device.live_bytes == 0


def test_a_long_job_takes_page_locked_memory_once(emulator):
    """Chunks and lists of ever new sizes pass the same buffers, whoever keeps the answers."""
    rng = np.random.default_rng(12)
    plan = random_plan(rng, SOME, nodes=100)
    backend = emulator.backend(Ways(most_deals=64, most_entries=300))
    answers = []

    def work(deals: DealArrays) -> None:
        found = list(backend.cascade_all(plan, deals))
        assert_same_lists(iter(found), reference.cascade_all(plan, deals))
        answers.extend(found)
        backend.cascade_first(plan, deals)

    work(deal_arrays(rng, 300))
    taken = backend.device.pinned_bytes
    assert taken > 0
    for count in range(20, 300, 23):
        work(deal_arrays(rng, count))
    assert backend.device.pinned_bytes == taken
    kept = [part.entries.copy() for part in answers]
    work(deal_arrays(rng, 300))
    for part, entries in zip(answers, kept, strict=False):
        np.testing.assert_array_equal(part.entries, entries)


@pytest.mark.parametrize("least_lent", [1, 1 << 20])
def test_answers_are_lent_as_long_as_somebody_keeps_them(emulator, least_lent):
    """Two at most are out of page-locked buffers; those that nobody keeps come back."""
    rng = np.random.default_rng(17)
    plan, deals = random_plan(rng, SOME, nodes=100), deal_arrays(rng, 300)
    backend = emulator.backend(Ways(most_deals=64))
    buffers = backend.session.lender._buffers

    def is_lent(array: np.ndarray) -> bool:
        return any(np.shares_memory(array, buffer) for buffer, _ in buffers)

    wanted = merged(reference.cascade_all(plan, deals))
    with mock.patch.object(lending, "LEAST_BYTES", least_lent):
        for _ in range(3):
            one, *rest = backend.cascade_all(plan, deals)
            lent = [is_lent(part.entries) for part in (one, *rest)]
            assert lent == [least_lent == 1] * 2 + [False] * 3
            kept = one.entries[3:9].view(np.uint16)
            del one, rest
            bits = backend.evaluate(plan, deals)
            assert is_lent(bits.words) == (least_lent == 1)
            np.testing.assert_array_equal(bits.words, reference.evaluate(plan, deals).words)
            copied = backend.evaluate(plan, deals)
            assert not is_lent(copied.words)
            np.testing.assert_array_equal(copied.words, bits.words)
            np.testing.assert_array_equal(kept, wanted.entries[3:9].view(np.uint16))
            del bits
            counts = backend.cascade_counts(plan, deals)
            assert is_lent(counts) == (least_lent == 1)
            np.testing.assert_array_equal(counts, reference.cascade_counts(plan, deals))
            del counts, copied, kept
    assert len(buffers) == 2 * (least_lent == 1)


def test_a_buffer_that_is_too_small_goes_before_a_larger_comes(emulator):
    backend = emulator.backend(Ways())
    lender = backend.session.lender

    def lengths() -> list[int]:
        return [len(buffer) for buffer, _ in lender._buffers]

    with (
        mock.patch.object(lending, "LEAST_BYTES", 8),
        mock.patch.object(lending, "MOST_BYTES", 1 << 10),
    ):
        small = lender.take(16, np.uint32)
        assert lengths() == [64]
        middle = lender.take(17, np.uint32)
        assert lender.take(16, np.uint32) is None
        assert lengths() == [64, 128]
        del small
        large = lender.take(100, np.uint64)
        assert large is not None
        assert lengths() == [128, 1024]
        assert lender.take(1, np.uint64) is None
        del middle, large
        # the smallest that fits
        assert lender.take(3, np.uint64) is not None
        assert lengths() == [1024, 128]
        assert lender.take(129, np.uint64) is None
        assert lender.take(1, np.uint32) is None
        full = mock.patch.object(backend.device, "pinned", side_effect=OutOfDeviceMemory("full"))
        lender._buffers.pop()
        lender._buffers.pop()
        with full:
            assert lender.take(2, np.uint64) is None
        assert lender.take(2, np.uint64) is not None


@pytest.mark.parametrize("share", [0.5, 1e-9])
@pytest.mark.parametrize("pairs_from", [1, 1 << 17])
def test_counts_come_as_they_are_fewer_bytes(emulator, share, pairs_from):
    rng = np.random.default_rng(18)
    plan, deals = random_plan(rng, SOME, nodes=200, asking=True), deal_arrays(rng, 60)
    backend = emulator.backend(Ways(), device_options={"checks": Checks.BOUNDS})
    seen = set()
    # in parts of a few entries where the memory is short
    with (
        mock.patch.object(counts_module, "SPREAD_SHARE", share),
        mock.patch.object(counts_module, "PAIRS_FROM", pairs_from),
    ):
        for some in (deals, deals.slice(0, 1)):
            wanted = reference.cascade_counts(plan, some)
            backend.cascade_counts(plan, some)
            with backend.device.timings() as timings:
                np.testing.assert_array_equal(backend.cascade_counts(plan, some), wanted)
            pairs = 12 * np.count_nonzero(wanted)
            seen.add(pairs < wanted.nbytes)
            copied = sum(one.copied_bytes for one in timings if one.name == "copy out")
            if pairs_from > 1:
                assert copied == wanted.nbytes
            elif share == 0.5:
                # and the sum that says how many
                assert copied == 8 + min(pairs, wanted.nbytes)
    assert seen == {True, False}


def test_lists_of_two_chunks_are_on_the_device_at_once(emulator):
    rng = np.random.default_rng(16)
    plan, deals = random_plan(rng, SOME, nodes=100), deal_arrays(rng, 300)
    written: list[weakref.ref[Any]] = []
    write = lists._Lister._write

    def counted(lister: Any, *arguments: Any) -> Any:
        assert sum(one() is not None for one in written) <= 1
        made = write(lister, *arguments)
        written.append(weakref.ref(made.entries))
        return made

    with mock.patch.object(lists._Lister, "_write", counted):
        for _ in emulator.backend(Ways(most_deals=64)).cascade_all(plan, deals):
            pass
    assert len(written) == 5


def test_no_memory_is_no_answer(emulator):
    rng = np.random.default_rng(10)
    plan, deals = random_plan(rng, SOME), deal_arrays(rng, 100)
    backend = emulator.backend(Ways(), device_options={"memory_bytes": 10_000})
    with pytest.raises(OutOfDeviceMemory):
        backend.cascade_counts(plan, deals)


@pytest.mark.parametrize("count", [1, 2, 1023, 1024, 1025, 5000, (1 << 20) + 1])
def test_running_sums(places, count):
    # tiles of 1,024: one, two and three levels of them
    checks = Checks.ALL if count < 1 << 20 else Checks.BOUNDS
    backend = places.backend(Ways(), device_options={"checks": checks})
    session: Session = backend.session
    values = np.random.default_rng(count).integers(0, 1 << 40, count).astype(np.uint64)
    array = session.upload(values)
    assert RunningSums(session, count).run(array) == int(values.sum())
    np.testing.assert_array_equal(session.download(array), np.cumsum(values) - values)


# --- the rest of the contract ---


def test_several_plans_on_one_device(places):
    backend = places.backend(Ways(most_deals=64))
    rng = np.random.default_rng(13)
    plans = [random_plan(rng, SOME, nodes=size) for size in (10, 60, 200)]
    deals = deal_arrays(rng, 100)
    for plan in (*plans, *plans[::-1]):
        np.testing.assert_array_equal(
            backend.cascade_counts(plan, deals), reference.cascade_counts(plan, deals)
        )


def test_lists_that_nobody_reads_to_the_end(places):
    rng = np.random.default_rng(14)
    plan, deals = random_plan(rng, SOME), deal_arrays(rng, 300)
    backend = places.backend(Ways(most_deals=64))
    chunks = backend.cascade_all(plan, deals)
    next(chunks)
    del chunks
    assert_same_lists(backend.cascade_all(plan, deals), reference.cascade_all(plan, deals))


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
@pytest.mark.parametrize("first", [0, 1000, 2**58 - 200])
def test_random_deals(places, seed, first):
    backend = places.backend(Ways(schedule=seed % 5, most_deals=64))
    hands = backend.deal_hands(seed, first, 130)
    for number in (0, 1, 63, 64, 65, 127, 128, 129):
        assert tuple(hands[:, number].tolist()) == deal_hands_reference(seed, first + number)
    assert backend.deal_hands(seed, first, 0).shape == (4, 0)


def test_a_device_that_failed_answers_no_more(emulator):
    rng = np.random.default_rng(15)
    plan, deals = random_plan(rng, SOME), deal_arrays(rng, 40)
    backend = emulator.backend(Ways())
    assert_same_answers(backend, plan, deals)
    backend.device.failure = "a cosmic ray"
    for ask in (backend.features, backend.evaluate, backend.cascade_counts, backend.cascade_first):
        with pytest.raises(DeviceFault, match="cosmic ray"):
            ask(plan, deals)
    with pytest.raises(DeviceFault, match="cosmic ray"):
        list(backend.cascade_all(plan, deals))
