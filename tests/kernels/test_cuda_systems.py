"""Systems bid on a device as on the processor: the same places, and deals go the same ways.

Both bid with the same programs, so that even the numbers of entries are the same; the device bids
first, and so asks for all that is to be learned.
"""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bidcascade.bridge import DeviceFault, InvalidSystem, OutOfDeviceMemory, parse_calls
from bidcascade.kernels import DealArrays, cuda
from bidcascade.kernels.core import rows
from bidcascade.kernels.core.rows import WORDS
from bidcascade.kernels.cuda import CudaBackend
from bidcascade.kernels.cuda_device import cupy_device, default_device_number
from bidcascade.kernels.device_frames import uploaded
from bidcascade.kernels.gpu.systems import system_places
from bidcascade.kernels.gpu.systems import systems as gpu_systems
from bidcascade.kernels.gpu.systems.system_places import PlaceWorker
from bidcascade.kernels.gpu.systems.systems import DevicePlaces
from bidcascade.systems.auctions.allowed import ListingBounds, count_allowed, list_allowed, members
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.auctions.program import SystemProgram, opened_programs
from bidcascade.systems.places.knowledge import term_range
from bidcascade.systems.system import System
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.workshop.boards.compare import SystemMatch
from tests.kernels.emulator.backend import EmulatedBackend
from tests.kernels.emulator.device import Checks, EmulatorFault
from tests.kernels.test_cuda_mutants import Change
from tests.support.deals import mixed_deals
from tests.support.examples import examples, rows_in_check, sized, some_in_check
from tests.support.systems import OTHER, SMALL, bid_call_by_call, systems

GPU = pytest.param(
    "cuda",
    marks=[
        pytest.mark.gpu,
        pytest.mark.skipif(cuda.why_unavailable() is not None, reason=str(cuda.why_unavailable())),
    ],
)
Calls = tuple[int, ...]


@pytest.fixture(params=["emulator", GPU])
def device_backend(request):
    """Make a backend; options of the device are for the emulator."""
    folder = None
    if request.param == "emulator":
        folder = request.getfixturevalue("emulator_folder")

    def make(device_options: dict[str, Any] | None = None, **options: Any) -> CudaBackend:
        if folder is not None:
            return EmulatedBackend(folder, device_options=device_options, **options)
        return CudaBackend(cupy_device(default_device_number()), **options)

    return make


def assert_same_bids(
    backend: CudaBackend,
    programs: list[SystemProgram],
    deals: DealArrays,
    calls: Calls = (),
    **options: Any,
) -> Bidder:
    """Deals are bid alike; the bidder that bid them on the device."""
    there, here = Bidder(*programs, **options), Bidder(*programs, **options)
    found = there.bid(deals, calls, backend=backend)
    expected = here.bid(deals, calls)
    for one, other in zip(there.endings(found.place), here.endings(expected.place), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found.entry, expected.entry)
    np.testing.assert_array_equal(found.defaults, expected.defaults)
    assert_same_places(there, here, backend)
    return there


def rows_of(bidder: Bidder, device: DevicePlaces | None) -> tuple[Any, Any, Any]:
    """Row of each place, the sets that rows name, and their ranges, on a device and here."""
    store, count = bidder._store, bidder.count
    worker = None if device is None else device._worker
    number = np.full(count, -1) if worker is None else worker.rows_of(store)[:count]
    is_there = number >= 0 if worker is not None and worker.stored else np.zeros(count, np.bool_)
    # what the device has let go for want of memory is worked out here when it is asked for
    bidder._load_rows(np.flatnonzero(~is_there).astype(np.int32))
    set_count = int(store.counts[rows.SETS])
    found, sets, ranges = store.rows[store.row[:count]], store.sets[:set_count], store.ranges
    if worker is not None and is_there.any():
        counts = {"rows": worker._row_count, "sets": worker._set_count}
        kept = {
            name: worker._session.download(array[: counts.get(name, worker._set_count)])
            for name, array in worker.stored.items()
        }
        row = kept["rows"].view(rows.PLACE)[:, 0][number[is_there]]
        found["known"] += len(kept["sets"])
        found[is_there] = row
        sets = np.concatenate([kept["sets"], sets])
        ranges = np.concatenate([kept["ranges"].reshape(-1, rows.RANGES, 2), ranges])
    return found, sets, ranges


def assert_same_places(there: Bidder, here: Bidder, backend: CudaBackend) -> None:
    """All that is known at each place, by the auctions that lead there."""
    one, other, count = there._store, here._store, there.count
    assert here.count == count
    behind = {
        (int(other.parent[place]), int(other.call[place])): place for place in range(1, count)
    }
    same = np.zeros(count, np.int64)
    for place in range(1, count):
        same[place] = behind[same[one.parent[place]], int(one.call[place])]
    found, sets, ranges = rows_of(there, backend.places_of(one))
    expected, expected_sets, _ = rows_of(here, None)
    expected = expected[same]
    for name in rows.PLACE.names or ():
        if name not in ("parent", "known"):
            np.testing.assert_array_equal(found[name], expected[name], name)
    np.testing.assert_array_equal(sets[found["known"]], expected_sets[expected["known"]])
    for number in range(1, min(200, len(sets))):
        cells = int.from_bytes(sets[number].tobytes(), "little")
        wanted = [term_range(cells, name, Vocabulary()) for name in rows.TERMS[rows.HULL_TERMS :]]
        # those that are there; the processor works out only what is asked for
        known = ranges[number, :, 0] >= 0
        np.testing.assert_array_equal(ranges[number][known], np.array(wanted)[known])
    for place in range(count):
        mine, his = one.list[place], other.list[same[place]]
        np.testing.assert_array_equal(
            one.list_items[one.list_first[mine] : one.list_first[mine + 1]],
            other.list_items[other.list_first[his] : other.list_first[his + 1]],
        )


def programs_of(*sides: System) -> list[SystemProgram]:
    """New programs, which have learned nothing."""
    rules = [side.rules for side in sides]
    return list(opened_programs(rules[0], rules[-1]))[: len(sides)]


@settings(examples(4, 10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(systems(), systems(), st.integers(0, 1000), st.integers(0, 9))
def test_made_systems(device_backend, one, other, seed, schedule):
    backend = device_backend({"schedule": schedule}, most_deals=64)
    deals = mixed_deals(70, seed)
    try:
        assert_same_bids(backend, programs_of(one, other), deals)
    except InvalidSystem as error:
        with pytest.raises(InvalidSystem, match=re.escape(str(error))):
            Bidder(*programs_of(one, other)).bid(deals)


@pytest.mark.parametrize(
    ("sides", "most_deals"),
    rows_in_check((1,), ((SMALL,), None), ((SMALL, OTHER), 64), ((OTHER, SMALL), None)),
)
def test_small_systems(device_backend, sides, most_deals):
    deals = mixed_deals(150, 1)
    backend = device_backend(most_deals=most_deals)
    assert assert_same_bids(backend, programs_of(*sides), deals).count > 200


def test_words_for_calls(device_backend):
    """Every word that a header has for somebody's last call, with calls of all kinds to meet it."""
    lines = ["opening:", "  3X = Three: 8-9 points, 6+ X", "  2X = Two: 5-9 points, 5+ X"]
    lines += ["  1X = One: 10+ points, 4+ X", "general:"]
    for who in ("partner's", "LHO's"):
        for number, word in enumerate(WORDS):
            lines += [
                f"  when {who} last call was {word}:",
                f"    cheapest X = Next: {4 + number % 3}+ X, {number}+ points",
                f"    jump X = Jump: {5 - number % 2}+ X, {number}+ points",
                "    double jump X = Far: 6+ X",
            ]
    system = System.parse("\n".join(lines))
    backend = device_backend({"checks": Checks.NONE})
    assert assert_same_bids(backend, programs_of(system), mixed_deals(80, 1)).count > 1000


def test_they_bid_as_the_definition_does(device_backend):
    deals = mixed_deals(65, 5)
    bidder = SMALL.bidder()
    bid = bidder.bid(deals, backend=device_backend())
    for deal in range(65):
        calls = (*bidder.auction_of(bid.place[deal]), 0)
        assert calls == bid_call_by_call(SMALL, deals, deal)


def test_deals_go_on_from_anywhere(device_backend):
    calls = tuple(parse_calls("P 1N P"))
    assert_same_bids(device_backend(), programs_of(SMALL, OTHER), mixed_deals(100, 2), calls)


def test_what_overlays_say_is_bid(device_backend):
    criteria = SMALL.expand().entries[0].criteria
    instead = {(): [(7, criteria, "x")], tuple(parse_calls("1N P")): [(20, (), "Overlaid")]}
    programs = programs_of(SMALL)
    there = assert_same_bids(device_backend(), programs, mixed_deals(80, 1), instead=instead)
    behind = there.reach(tuple(parse_calls("1N P 4H")))
    assert there.place_with_numbers(behind)[0].calls == tuple(parse_calls("1N P 4H"))


def test_rows_stay_on_the_device(device_backend):
    """The host has the places and their entries, and works out rows that it is asked for."""
    there, here = Bidder(*programs_of(SMALL, OTHER)), Bidder(*programs_of(SMALL, OTHER))
    empty = there.bytes
    deals = mixed_deals(2000, 4)
    there.bid(deals, backend=device_backend({"checks": Checks.NONE}))
    here.bid(deals)
    assert there.count == here.count > 800
    assert there._store.counts[rows.ROWS] == there._store.counts[rows.SETS] == 1
    assert 10 * (there.bytes - empty) < here.bytes - empty
    calls = there.auction_of(there.count - 1)
    assert there.place(calls) == here.place(calls)


@pytest.fixture
def poor_digests(monkeypatch):
    """Let many sets have the same digest."""
    number_sets = system_places.walk.number_sets
    monkeypatch.setattr(
        system_places.walk,
        "number_sets",
        lambda table, digests, *others: number_sets(table, digests % 40, *others),
    )


@pytest.mark.usefixtures("poor_digests")
def test_sets_with_one_digest_are_kept_apart(device_backend):
    assert_same_bids(device_backend(), programs_of(SMALL), mixed_deals(150, 1))


@pytest.mark.usefixtures("poor_digests")
@pytest.mark.parametrize(
    ("old", "new"),
    rows_in_check(
        2,
        ("is_other |= kept_sets", "is_other &= kept_sets"),
        ("word == named ?", "word == named + 1 ?"),
        ("kept_sets[number][word] = sets[item][word]", "kept_sets[number][word] = sets[0][word]"),
        ("= ranges[item][term][end]", "= ranges[item][term][0]"),
        ("if (number < count) to[number]", "if (number < count / 2) to[number]"),
    ),
)
def test_rows_that_are_kept_wrongly_are_seen(emulator_folder, old, new):
    backend = EmulatedBackend(emulator_folder)
    source, change = backend.device.source, Change("system_places.cu", old, new)
    backend.device.source = lambda file: (
        change.applied(source(file)) if file == change.place else source(file)
    )
    with pytest.raises((AssertionError, EmulatorFault, DeviceFault)):
        assert_same_bids(backend, programs_of(SMALL), mixed_deals(150, 1))


def test_places_are_worked_out_once(device_backend):
    backend, deals = device_backend({"schedule": 3}), mixed_deals(200, 4)
    bidder = Bidder(*programs_of(SMALL))
    first = bidder.bid(deals, backend=backend)
    count = bidder.count
    with backend.session.device.timings() as timings:
        again = bidder.bid(deals, backend=backend)
    assert bidder.count == count
    assert again.place.tolist() == first.place.tolist()
    # sort, pack, bid: nothing has to be worked out
    assert 0 < sum(timing.copied_bytes == 0 for timing in timings) < 8


def test_new_conditions_widen_hands(device_backend):
    """What is learned half-way asks for more of a hand than was packed."""
    programs, backend = programs_of(SMALL), device_backend()
    core = programs[0].core
    narrow = core.packing_version
    assert_same_bids(backend, programs, mixed_deals(150, 6))
    assert core.packing_version != narrow


def test_what_has_no_room_there_is_worked_out_here(device_backend, monkeypatch):
    """More entries than fit take the processor's way, and more that is missing comes up again."""
    for name, size, array, width in (("ITEMS", 8, "items", 8), ("MISSES", 1, "misses", 5)):
        monkeypatch.setattr(system_places, f"MOST_{name}", size)
        monkeypatch.setitem(system_places.PLACES_DEFINES, f"MOST_{name}", size)
        kind = system_places._BLOCK[array][1]
        monkeypatch.setitem(system_places._BLOCK, array, (width, kind))
    there = assert_same_bids(device_backend(), programs_of(SMALL, OTHER), mixed_deals(100, 9))
    lengths = np.diff(there._store.list_first[: there._store.counts[rows.LISTS] + 1])
    assert lengths.min() <= 8 < lengths.max()


def test_what_is_dropped_is_worked_out_again(device_backend):
    deals, backend = mixed_deals(100, 4), device_backend()
    free, tight = Bidder(SMALL.rules), Bidder(SMALL.rules, budget=1 << 16)
    expected = [free.auction_of(place) for place in free.bid(deals).place]
    for _ in range(3):
        bid = tight.bid(deals, backend=backend)
        assert [tight.auction_of(place) for place in bid.place] == expected
    free.forget_rows()
    more = mixed_deals(100, 5)
    again = [free.auction_of(place) for place in free.bid(more, backend=backend).place]
    assert again == [tight.auction_of(place) for place in tight.bid(more).place]


def test_memory_that_is_short_halves_the_chunks(device_backend, caplog):
    deals = mixed_deals(1000, 3)
    backend = device_backend({"memory_bytes": 5 << 20})
    if not isinstance(backend, EmulatedBackend):
        pytest.skip("a device has more memory than that")
    assert_same_bids(backend, programs_of(SMALL), deals)
    backend = device_backend({"memory_bytes": 1 << 12})
    with pytest.raises(OutOfDeviceMemory):
        Bidder(*programs_of(SMALL)).bid(deals, backend=backend)


def test_places_that_do_not_fit_are_worked_out_here(device_backend, caplog, monkeypatch):
    """First fewer at once, then none there; the answers are the same."""
    work_out, tried = PlaceWorker.work_out, []

    def with_room_for(most):
        def run(self, sides, tables, store, block, places):
            tried.append(len(places))
            done = work_out(self, sides, tables, store, block, places)
            if len(places) > most:
                raise OutOfDeviceMemory("out of device memory")
            return done

        monkeypatch.setattr(PlaceWorker, "work_out", run)

    programs, deals = programs_of(SMALL, OTHER), mixed_deals(1000, 3)
    Bidder(*programs).bid(deals)  # where nothing has to be learned, many places come at once
    with_room_for(64)
    assert_same_bids(device_backend({"checks": Checks.NONE}), programs, deals)
    cut = tried.index(max(tried))
    assert max(tried[: cut + 1]) > 64 >= max(tried[cut + 1 :])
    assert "chunks of 64 places" in caplog.text
    tried.clear()
    with_room_for(0)
    assert_same_bids(device_backend(), programs_of(SMALL), mixed_deals(100, 3))
    assert len(tried) == 1
    assert "on the processor from now on" in caplog.text


def test_what_the_processor_drops_meanwhile_is_no_matter(device_backend, monkeypatch):
    """Where no place fits there, rows are here, and go where they are too many."""

    def run(*_):
        raise OutOfDeviceMemory("out of device memory")

    monkeypatch.setattr(PlaceWorker, "work_out", run)
    forget, dropped = Bidder.forget_rows, []
    monkeypatch.setattr(
        Bidder,
        "forget_rows",
        lambda self, *arguments: dropped.append(self) or forget(self, *arguments),
    )
    backend, deals = device_backend({"checks": Checks.NONE}), mixed_deals(400, 3)
    # more places than the arrays of a new store have room for, so that they move
    bounds = ListingBounds(80, 14, 150)
    there = assert_same_lists(backend, programs_of(SMALL, OTHER), deals, bounds, budget=1 << 16)
    assert there in dropped


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            Change("system_walk.cu", "chosen[child] < 0", "chosen[child] < 1 << 30"),
            "expected deals to go on",
        ),
        (
            Change("system_places.cu", "is_done ? DONE", "is_done && count == 0 ? DONE"),
            "expected what is missing",
        ),
        (
            Change("system_places.cu", "root >= 0 ? decide", "root == NEVER ? decide"),
            "expected that the device knows",
        ),
    ],
)
def test_a_device_that_learns_nothing_is_a_fault(emulator_folder, change, message):
    """It would ask for the same for ever."""
    backend = EmulatedBackend(emulator_folder)
    source = backend.device.source
    backend.device.source = lambda file: (
        change.applied(source(file)) if file == change.place else source(file)
    )
    bidder = Bidder(*programs_of(SMALL))
    with pytest.raises(DeviceFault, match=message):
        bidder.bid(mixed_deals(100, 3), backend=backend)
    assert bidder.count == 1


@pytest.mark.parametrize("narrow", [1 << 16, 20])
def test_a_match_on_the_device(device_backend, monkeypatch, narrow):
    monkeypatch.setattr(gpu_systems, "MOST_NARROW", narrow)
    deals = mixed_deals(150, 8)
    there = SystemMatch(SMALL, OTHER, deals, backend=device_backend())
    here = SystemMatch(System(SMALL.text), System(OTHER.text), deals)
    assert len(here.endings.calls) > 2 * 20
    for one, other in zip(there.endings, here.endings, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(there.ending, here.ending)
    assert there.kind.tolist() == here.kind.tolist()


def test_what_of_a_match_crosses(device_backend):
    """Deals come once for both rooms, and the number of an auction leaves for each of them."""
    backend, crossed = device_backend(), []
    once = mixed_deals(150, 8)
    columns = (once.hands, once.dealer, once.vulnerability)
    twice = DealArrays(*(np.concatenate([one, one], axis=-1) for one in columns))
    for deals in (once, once, twice):
        with backend.session.device.timings() as copies:
            SystemMatch(SMALL, OTHER, deals, backend=backend)
        crossed.append(
            [
                sum(copy.copied_bytes for copy in copies if copy.name == way)
                for way in ("copy in", "copy out")
            ]
        )
    _, first, second = crossed
    assert [more - few for more, few in zip(second, first, strict=True)] == [34 * 150, 4 * 150]


def assert_same_auctions_there(bidder: Bidder, backend: CudaBackend, deals: DealArrays) -> None:
    """Auctions that stay on the device are those that the processor gives."""
    device = backend.session.device
    found, passes = bidder.auctions_on_device(uploaded(device, deals), backend)
    calls, ends, contract, declarer = (device.download(array) for array in found)
    places, which = bidder.ends_on_device(uploaded(device, deals), backend)
    bid = bidder.bid(deals)
    wanted = bidder.endings(bid.place)
    np.testing.assert_array_equal(places[which], bid.place)
    assert (np.diff(places) > 0).all()
    np.testing.assert_array_equal(device.download(passes), bid.defaults)
    np.testing.assert_array_equal(ends, wanted.offsets)
    np.testing.assert_array_equal(calls, wanted.calls)
    np.testing.assert_array_equal(contract, wanted.contract)
    by_compass = np.where(wanted.declarer == 4, 4, (wanted.declarer + deals.dealer) % 4)
    np.testing.assert_array_equal(declarer, by_compass)


DOUBLERS = System.parse(
    """
opening:
  1X = Opening: 10+ points, 4+ X
over (1X):
  Double = Penalty: 10+ points
when RHO doubled:
  Redouble = Strength: 10+ points
after 1C … Redouble:
  2X = Rescue: 5+ X
"""
)


@pytest.mark.parametrize("sides", [(SMALL, OTHER), (DOUBLERS,)])
def test_auctions_stay_on_the_device(device_backend, sides):
    backend, deals = device_backend({"schedule": 5}, most_deals=64), mixed_deals(300, 4)
    bidder = Bidder(*programs_of(*sides))
    assert_same_auctions_there(bidder, backend, deals)
    contracts = bidder.endings(bidder.bid(deals).place).contract
    if sides == (DOUBLERS,):
        assert {*((contracts - 1) % 3).tolist()} == {0, 1, 2}
    else:
        assert (contracts == 0).any()


@pytest.mark.parametrize(
    "change",
    some_in_check(
        2,
        ("bid == 0 && made < 3 && made > doubling", "made < 3 && made > doubling"),
        ("bid == 0 && made < 3 && made > doubling", "bid == 0 && made < 3"),
        ("bid == 0 && made >= 3", "made >= 3"),
        (" && (at & 1u) == (first & 1u)", ""),
        ("made % 5 == bid % 5 && ", ""),
        ("(first + dealer[deal]) & 3u", "(first + dealer[0]) & 3u"),
        ("depth[deal] + 1u", "depth[deal]"),
        ("calls[start + length] = 0;", ""),
        ("if (deal == 0) ends[0] = 0;", "if (deal == 0) ends[0] = 1;"),
        ("place[deal] = from;", "place[deal] = 0 * from;"),
        ("if (next != number) listed", "if (next >= number) listed"),
        ("const u64 number = sums[place[deal]];", "const u64 number = sums[place[deal]] + 1;"),
        ("0ull, 1ull)", "0ull, 2ull)"),
    ),
)
def test_auctions_that_are_written_wrongly_are_seen(emulator_folder, change):
    old, new = change
    backend = EmulatedBackend(emulator_folder)
    source, change = backend.device.source, Change("system_walk.cu", old, new)
    backend.device.source = lambda file: (
        change.applied(source(file)) if file == change.place else source(file)
    )
    deals, calls = mixed_deals(300, 4), tuple(parse_calls("1C"))

    def is_right(*sides: System) -> bool:
        bidder = Bidder(*programs_of(*sides))
        wanted = bidder.bid(deals, calls).place
        try:
            found = bidder.bid(deals, calls, backend=backend).place
            assert_same_auctions_there(bidder, backend, deals)
        except (AssertionError, IndexError, EmulatorFault):
            return False
        return bool((found == wanted).all())

    assert not (is_right(SMALL, OTHER) and is_right(DOUBLERS))


def assert_same_lists(
    backend: CudaBackend,
    programs: list[SystemProgram],
    deals: DealArrays,
    bounds: ListingBounds,
    **options: Any,
) -> Bidder:
    """All auctions of deals are alike; the bidder that listed them on the device."""
    there, here = Bidder(*programs, **options), Bidder(*programs, **options)
    found = list_allowed(there, deals, bounds, backend=backend)
    wanted = list_allowed(here, deals, bounds)
    for name in ("offsets", "cut", "call", "completed", "held_offsets", "held"):
        one, other = getattr(found, name), getattr(wanted, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, name)
    auctions = [
        bidder.ending_with(listing.place, listing.call)
        for bidder, listing in ((there, found), (here, wanted))
    ]
    assert auctions[0] == auctions[1]
    return there


ALL_BOUNDS = st.builds(
    ListingBounds, st.integers(1, 12), st.integers(1, 14), st.integers(1, 12), st.booleans()
)


@settings(examples(4, 10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(systems(), systems(), ALL_BOUNDS, st.integers(0, 1000), st.integers(0, 9))
def test_all_auctions_of_made_systems(device_backend, one, other, bounds, seed, schedule):
    backend = device_backend({"schedule": schedule}, most_deals=64)
    deals = mixed_deals(70, seed)
    try:
        assert_same_lists(backend, programs_of(one, other), deals, bounds)
    except InvalidSystem as error:
        with pytest.raises(InvalidSystem, match=re.escape(str(error))):
            list_allowed(Bidder(*programs_of(one, other)), deals, bounds)


@pytest.mark.parametrize(
    "bounds",
    some_in_check(
        (0, 4),
        ListingBounds(20),
        ListingBounds(20, completed_only=True),
        ListingBounds(40, 3),
        ListingBounds(1),
        ListingBounds(30, 9, 5),
        ListingBounds(2, 1, 1, completed_only=True),
    ),
)
def test_all_auctions_within_bounds(device_backend, bounds):
    backend, deals = device_backend({"checks": Checks.NONE}), mixed_deals(150, 2)
    assert_same_lists(backend, programs_of(SMALL, OTHER), deals, bounds)


@pytest.mark.parametrize(
    "change",
    some_in_check(
        2,
        ("if (child >= 0) return DONE;", "if (child >= 0 || place > 9) return DONE;"),
        ("missing = key_behind(place, call);", "missing = key_behind(place, call) ^ 1;"),
        ("number - begin);", "number);"),
        ("out.held + held;", "out.held;"),
        ("out.completed[number] = ends(places, place, call);", "out.completed[number] = !call;"),
        ("static_cast<i64>(held);", "static_cast<i64>(number);"),
        ("static_cast<u64>(level & 3)", "static_cast<u64>(level & 1)"),
        ("is_counted ? 0 : found[deal]", "found[deal]"),
        ("if (is_counted) {", "if (true) {"),
        ("    walks[at] = walk;", "    walks[at] = walk_from_root(walk.deal);"),
        ("at.level >= before", "at.level > before"),
        ("way.count() == at.before", "way.count() == at.before + 1"),
        ("seen == 0 || !has_pass", "!has_pass"),
        ("at.visited < bounds[VISITS]", "at.visited <= bounds[VISITS]"),
    ),
)
def test_lists_that_are_written_wrongly_are_seen(emulator_folder, change):
    old, new = change
    backend = EmulatedBackend(emulator_folder)
    source, change = backend.device.source, Change("system_lists.cu", old, new)
    backend.device.source = lambda file: (
        change.applied(source(file)) if file == change.place else source(file)
    )

    def is_right(bounds: ListingBounds) -> bool:
        try:
            assert_same_lists(backend, programs_of(SMALL, OTHER), mixed_deals(90, 2), bounds)
        except (AssertionError, ValueError, IndexError, EmulatorFault, DeviceFault):
            return False
        return True

    assert not all(is_right(bounds) for bounds in (ListingBounds(12), ListingBounds(20, 4, 6)))


@pytest.mark.slow
def test_all_auctions_of_sayc(device_backend):
    programs = [System.open("sayc").bidder().sides[0]]
    deals = sized(60, 200)
    backend, dealt = device_backend({"checks": Checks.NONE}), mixed_deals(deals, 3)
    found = assert_same_lists(backend, programs, dealt, ListingBounds(12, 5, 12))
    assert found.count > 5 * deals


@settings(examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(systems(), systems(), st.integers(1, 9), st.integers(1, 5), st.integers(0, 1000))
def test_counts_and_members_of_made_systems(device_backend, one, other, least, depth, seed):
    backend, deals = device_backend(), mixed_deals(70, seed)
    programs = programs_of(one, other)
    there, here = Bidder(*programs), Bidder(*programs)
    try:
        found = count_allowed(there, deals, least=least, depth=depth, backend=backend)
        wanted = count_allowed(here, deals, least=least, depth=depth)
    except InvalidSystem:
        return
    assert found.calls == wanted.calls
    assert found.cut == wanted.cut
    np.testing.assert_array_equal(found.counts, wanted.counts)
    auctions = [tuple(calls) for calls in found.calls[::3]]
    for mine, his, count in zip(
        members(there, deals, auctions, backend=backend),
        members(here, deals, auctions),
        found.counts[::3],
        strict=True,
    ):
        np.testing.assert_array_equal(mine, his)
        assert mine.sum() == count


@pytest.mark.parametrize(
    ("old", "new"),
    rows_in_check(
        1,
        ("words + deals[pair], packed", "words + deals[pair] / 2, packed"),
        ("place[pair], words", "place[0], words"),
        ("seen == 0 || !has_pass", "!has_pass"),
    ),
)
def test_masks_that_are_found_wrongly_are_seen(emulator_folder, old, new):
    backend = EmulatedBackend(emulator_folder)
    source, change = backend.device.source, Change("system_lists.cu", old, new)
    backend.device.source = lambda file: (
        change.applied(source(file)) if file == change.place else source(file)
    )
    deals = mixed_deals(150, 2)
    wanted = count_allowed(Bidder(*programs_of(SMALL, OTHER)), deals, least=2, depth=5)
    try:
        found = count_allowed(
            Bidder(*programs_of(SMALL, OTHER)), deals, least=2, depth=5, backend=backend
        )
    except EmulatorFault:
        return
    assert found.calls != wanted.calls or (found.counts != wanted.counts).any()


@pytest.mark.slow
def test_many_places_of_sayc(device_backend):
    """Ten thousand in the full run."""
    deals = sized(100, 3000)
    programs = [System.open("sayc").bidder().sides[0]]
    backend = device_backend({"checks": Checks.NONE})
    assert assert_same_bids(backend, programs, mixed_deals(deals, 3)).count > 3.4 * deals


@pytest.mark.parametrize(
    "names",
    some_in_check(1, ("sayc", "acol"), ("two-over-one",), ("sayc",), ("acol",)),
    ids=" ".join,
)
def test_shipped_systems(device_backend, names):
    programs = [System.open(name).bidder().sides[0] for name in names]
    # small systems have each access judged
    backend, deals = device_backend({"checks": Checks.NONE}), mixed_deals(100, 7)
    there = assert_same_bids(backend, programs, deals)
    assert there.count > 500
    assert_same_auctions_there(there, backend, deals)
