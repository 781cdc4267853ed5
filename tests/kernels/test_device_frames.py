"""Deals that lie on a device go in, results come out where they are; the kernels are emulated."""

import importlib.util
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.tables.seeded import numpy_hands
from bidcascade.bridge import (
    SEATS,
    VULNERABILITIES,
    BackendUnavailable,
    InvalidInput,
)
from bidcascade.kernels import device_frames
from bidcascade.kernels.device_frames import (
    HAND_NAMES,
    bits_on_device,
    cudf_frame,
    deals_of_cudf,
    deals_on_device,
    is_cudf_frame,
    list_numbers_on_device,
)
from tests.kernels.emulator.device import EmulatedDevice
from tests.support.device_frames import DataFrame, DeviceSeries, fake_cudf

SIZES = (0, 1, 7, 8, 63, 64, 65, 255, 256, 257, 1000)
EMULATED = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@pytest.fixture
def device(emulator_folder):
    return EmulatedDevice(emulator_folder)


def host_columns(count, seed=3):
    """Columns of a deal frame as arrays."""
    hands = numpy_hands(count, seed)
    rng = np.random.default_rng(seed)
    codes = {
        name: rng.integers(0, 4, count).astype(np.uint8) for name in ("dealer", "vulnerability")
    }
    return {**dict(zip(HAND_NAMES, hands, strict=True)), **codes}


def on_device(device, columns):
    return {name: device.upload(column) for name, column in columns.items()}


@pytest.mark.parametrize("count", SIZES)
def test_columns_become_deals(device, count):
    columns = host_columns(count)
    deals = deals_on_device(device, on_device(device, columns))
    assert len(deals) == count
    hands = device.download(deals.hands)
    assert hands.shape == (4, count)
    for seat, name in enumerate(HAND_NAMES):
        np.testing.assert_array_equal(hands[seat], columns[name])
    np.testing.assert_array_equal(device.download(deals.dealer), columns["dealer"])
    np.testing.assert_array_equal(device.download(deals.vulnerability), columns["vulnerability"])


@pytest.mark.parametrize(
    ("column", "value"),
    [("east", 0), ("west", 1 << 52), ("south", "north"), ("dealer", 4), ("vulnerability", 255)],
)
@pytest.mark.parametrize("row", [0, 300, 499])
def test_the_first_row_that_is_no_deal_is_named(device, column, value, row):
    columns = host_columns(500)
    for bad in (row, 499):
        columns[column][bad] = columns[value][bad] if isinstance(value, str) else value
    with pytest.raises(InvalidInput, match=rf"four disjoint hands .* in row {row}$"):
        deals_on_device(device, on_device(device, columns))


def test_codes_of_other_orders(device):
    columns = host_columns(300)
    order = ["Both", "None", "EW", "NS"]
    coded = {
        **columns,
        "vulnerability": np.array(
            [order.index(VULNERABILITIES[code]) for code in columns["vulnerability"]], np.uint8
        ),
    }
    deals = deals_on_device(device, on_device(device, coded), categories={"vulnerability": order})
    np.testing.assert_array_equal(device.download(deals.vulnerability), columns["vulnerability"])
    with pytest.raises(InvalidInput, match="expected N, E, S, W in column 'dealer', got 'X'"):
        deals_on_device(device, on_device(device, columns), categories={"dealer": ["N", "X"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"north": None}, "none named 'north'"),
        ({"north": np.zeros(3, np.int64)}, r"expected uint64\[n\] in 'north', got int64\[3\]"),
        ({"dealer": np.zeros((3, 1), np.uint8)}, r"uint8\[n\] in 'dealer', got uint8\[3, 1\]"),
        ({"east": np.zeros(2, np.uint64)}, r"one length, got 3 in 'north' and \(2,\) in 'east'"),
    ],
)
def test_columns_that_are_none(device, change, message):
    columns = on_device(device, host_columns(3))
    for name, array in change.items():
        if array is None:
            del columns[name]
        else:
            columns[name] = device.upload(array)
    with pytest.raises(InvalidInput, match=message):
        deals_on_device(device, columns)


def test_host_arrays_are_refused(device):
    with pytest.raises(InvalidInput, match="column 'north': expected a device array"):
        deals_on_device(device, host_columns(3))


@EMULATED
@given(bits=st.lists(st.booleans(), max_size=400))
def test_bits_become_bytes(device, bits):
    words = np.zeros((len(bits) + 63) // 64, np.uint64)
    packed = np.packbits(np.array(bits, np.bool_), bitorder="little")
    words.view(np.uint8)[: len(packed)] = packed
    found = bits_on_device(device, device.upload(words), len(bits))
    assert found.shape == (len(bits),)
    assert device.download(found).tolist() == [int(bit) for bit in bits]


@EMULATED
@given(
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=60), first=st.sampled_from([0, 1 << 31])
)
def test_items_know_their_lists(device, sizes, first):
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    found = list_numbers_on_device(device, device.upload(offsets), sum(sizes), first=first)
    wanted = np.repeat(np.arange(first, first + len(sizes), dtype=np.uint32), sizes)
    np.testing.assert_array_equal(device.download(found), wanted)


def cudf_columns(device, columns, kind):
    """Columns of a cudf deal frame with codes in one of three forms."""
    made = {name: DeviceSeries(device.upload(columns[name]), device) for name in HAND_NAMES}
    for name, texts in (("dealer", SEATS), ("vulnerability", VULNERABILITIES)):
        codes = columns[name]
        if kind == "codes":
            made[name] = DeviceSeries(device.upload(codes), device)
        elif kind == "categories":
            order = sorted(texts)
            turned = np.array([order.index(texts[code]) for code in codes], np.int8)
            made[name] = DeviceSeries(device.upload(turned), device, categories=order)
        else:
            none = device.upload(np.zeros(1, np.uint8))
            made[name] = DeviceSeries(none, device, texts=[texts[code] for code in codes])
    return made


@pytest.mark.parametrize("kind", ["codes", "categories", "texts"])
def test_cudf_frames_become_deals(device, kind):
    columns = host_columns(70)
    deals = deals_of_cudf(device, DataFrame(cudf_columns(device, columns, kind)))
    np.testing.assert_array_equal(device.download(deals.hands)[2], columns["south"])
    np.testing.assert_array_equal(device.download(deals.dealer), columns["dealer"])
    np.testing.assert_array_equal(device.download(deals.vulnerability), columns["vulnerability"])


def test_cudf_frames_that_are_none(device):
    columns = cudf_columns(device, host_columns(5), "codes")
    some = {name: column for name, column in columns.items() if name != "west"}
    with pytest.raises(InvalidInput, match="none named 'west'"):
        deals_of_cudf(device, DataFrame(some))
    columns["east"].null_count = 2
    with pytest.raises(InvalidInput, match="expected no nulls in 'east', got 2"):
        deals_of_cudf(device, DataFrame(columns))


def test_cudf_columns_of_other_types(device):
    columns = cudf_columns(device, host_columns(5), "codes")
    for name, dtype, message in (
        ("south", np.int64, "expected uint64 in 'south', got int64"),
        ("dealer", np.float32, "expected codes or texts in 'dealer', got float32"),
    ):
        other = DeviceSeries(device.upload(np.zeros(5, dtype)), device)
        other.astype = mock.Mock(side_effect=TypeError("no categories of these"))
        with pytest.raises(InvalidInput, match=message):
            deals_of_cudf(device, DataFrame({**columns, name: other}))


def test_results_become_a_cudf_frame(device, monkeypatch):
    monkeypatch.setattr(device_frames, "why_no_cudf", lambda: None)
    monkeypatch.setattr(device_frames, "_cudf", fake_cudf)
    counts = device.upload(np.array([3, 1, 2], np.uint64))
    truths = device.upload(np.array([1, 0, 1], np.uint8))
    frame = cudf_frame({"count": counts, "1N": truths}, booleans=["1N"])
    assert is_cudf_frame(frame)
    assert not is_cudf_frame({"count": counts})
    # the very memory of the kernels, not a copy
    assert frame["count"].interface["data"][0] == counts.address
    assert frame["count"].values(device).tolist() == [3, 1, 2]
    assert frame["1N"].values(device).tolist() == [True, False, True]


@pytest.mark.skipif(importlib.util.find_spec("cudf") is not None, reason="cudf is installed")
def test_without_cudf_the_reason_is_told():
    assert device_frames.why_no_cudf() == "cudf is not installed"
    with pytest.raises(BackendUnavailable, match="frame on the device: cudf is not installed"):
        cudf_frame({})
