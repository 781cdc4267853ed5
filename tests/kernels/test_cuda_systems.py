"""Deals that systems bid on a device go the ways that they go on the processor.

Both bid with the same programs, so that even the numbers of entries are the same; the device bids
first, and so asks for all that is to be learned.
"""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem, OutOfDeviceMemory, parse_calls
from bidcascade.inference.compare import SystemMatch
from bidcascade.kernels import DealArrays, cuda
from bidcascade.kernels.cuda import CudaBackend
from bidcascade.kernels.cuda_device import cupy_device, default_device_number
from bidcascade.systems.bidder import Bidder
from bidcascade.systems.program import SystemProgram
from bidcascade.systems.system import System
from tests.kernels.emulator.backend import EmulatedBackend
from tests.support_deals import mixed_deals
from tests.support_examples import examples
from tests.support_systems import OTHER, SMALL, bid_call_by_call, systems

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
    backend: CudaBackend, programs: list[SystemProgram], deals: DealArrays, calls: Calls = (),
    **options: Any,
) -> Bidder:  # fmt: skip
    """Deals are bid alike; the bidder that bid them on the device."""
    there, here = Bidder(*programs, **options), Bidder(*programs, **options)
    found = there.bid(deals, calls, backend=backend)
    expected = here.bid(deals, calls)
    for one, other in zip(there.endings(found.place), here.endings(expected.place), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found.entry, expected.entry)
    np.testing.assert_array_equal(found.defaults, expected.defaults)
    assert there.count == here.count
    return there


def programs_of(*sides: System) -> list[SystemProgram]:
    """New programs, which have learned nothing."""
    return [SystemProgram(side.rules) for side in sides]


@settings(examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(systems(), systems(), st.integers(0, 1000), st.integers(0, 9))
def test_made_systems(device_backend, one, other, seed, schedule):
    backend = device_backend({"schedule": schedule}, most_deals=64)
    deals = mixed_deals(70, seed)
    try:
        assert_same_bids(backend, programs_of(one, other), deals)
    except InvalidSystem as error:
        with pytest.raises(InvalidSystem, match=re.escape(str(error))):
            Bidder(*programs_of(one, other)).bid(deals)


@pytest.mark.parametrize("sides", [(SMALL,), (SMALL, OTHER), (OTHER, SMALL)])
@pytest.mark.parametrize("most_deals", [None, 64])
def test_small_systems(device_backend, sides, most_deals):
    deals = mixed_deals(150, 1)
    backend = device_backend(most_deals=most_deals)
    assert assert_same_bids(backend, programs_of(*sides), deals).count > 200


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


def test_places_are_worked_out_once(device_backend):
    backend, deals = device_backend({"schedule": 3}), mixed_deals(200, 4)
    bidder = Bidder(*programs_of(SMALL))
    first = bidder.bid(deals, backend=backend)
    count, launches = bidder.count, backend.session.device.launches
    again = bidder.bid(deals, backend=backend)
    assert bidder.count == count
    assert again.place.tolist() == first.place.tolist()
    # sort, pack, bid: nothing has to be asked of the host
    assert backend.session.device.launches - launches < 8


def test_new_conditions_widen_hands(device_backend):
    """What is learned half-way asks for more of a hand than was packed."""
    programs, backend = programs_of(SMALL), device_backend()
    narrow = programs[0].packing
    assert_same_bids(backend, programs, mixed_deals(150, 6))
    wide = programs[0].packing
    assert (len(wide.lane_forms), len(wide.flag_trees)) > (
        len(narrow.lane_forms), len(narrow.flag_trees),
    )  # fmt: skip


def test_memory_that_is_short_halves_the_chunks(device_backend, caplog):
    deals = mixed_deals(1000, 3)
    backend = device_backend({"memory_bytes": 5 << 20})
    if not isinstance(backend, EmulatedBackend):
        pytest.skip("a device has more memory than that")
    assert_same_bids(backend, programs_of(SMALL), deals)
    backend = device_backend({"memory_bytes": 1 << 12})
    with pytest.raises(OutOfDeviceMemory):
        Bidder(*programs_of(SMALL)).bid(deals, backend=backend)


def test_a_match_on_the_device(device_backend):
    deals = mixed_deals(150, 8)
    there = SystemMatch(SMALL, OTHER, deals, backend=device_backend())
    here = SystemMatch(System(SMALL.text), System(OTHER.text), deals)
    np.testing.assert_array_equal(there.contracts, here.contracts)
    assert there.kind.tolist() == here.kind.tolist()


@pytest.mark.slow
def test_ten_thousand_places_of_sayc(device_backend):
    programs = [System.open("sayc").bidder().sides[0]]
    assert assert_same_bids(device_backend(), programs, mixed_deals(3000, 3)).count > 10_000


@pytest.mark.parametrize(
    "names", [("sayc",), ("acol",), ("two-over-one",), ("sayc", "acol")], ids=" ".join
)
def test_shipped_systems(device_backend, names):
    programs = [System.open(name).bidder().sides[0] for name in names]
    assert assert_same_bids(device_backend(), programs, mixed_deals(150, 7)).count > 700
