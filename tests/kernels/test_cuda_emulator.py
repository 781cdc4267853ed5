"""The device that stands in for a GPU: right kernels give right answers, wrong ones are found."""

import gc
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

from bidcascade.bridge import DeviceFault, OutOfDeviceMemory
from bidcascade.kernels import cuda_device
from bidcascade.kernels.cuda_device import CupyDevice
from tests.kernels.emulator.build import BuildError, kernel_library
from tests.kernels.emulator.device import Checks, EmulatedDevice, EmulatorFault
from tests.support.toys import TOYS, toy_text

SCHEDULES = (0, 1, 2, 3)


class ToyLaunches:
    """A device whose kernels are the toys."""

    kernel: Any

    def toy(
        self, entry: str, *arguments: Any, blocks: int = 1, threads: int = 32, **more: Any
    ) -> None:
        self.kernel("toys.cu", entry, {})(blocks, threads, arguments, **more)


class ToyDevice(ToyLaunches, EmulatedDevice):
    """The emulator with the toys."""

    def source(self, file: str) -> str:
        return toy_text(file)


class RealToyDevice(ToyLaunches, CupyDevice):
    """A real device with the toys: it must give the emulator's answers."""

    def kernel(self, file: str, entry: str, defines: Any) -> Any:
        with mock.patch.object(cuda_device, "source_text", toy_text):
            return super().kernel(file, entry, defines)


@pytest.fixture
def toys(emulator_folder) -> Callable[..., ToyDevice]:
    def make(**options: Any) -> ToyDevice:
        return ToyDevice(emulator_folder, **options)

    return make


Toys = Callable[..., ToyDevice]


@pytest.fixture(params=SCHEDULES)
def device(toys, request) -> ToyDevice:
    return toys(schedule=request.param)


NO_DEVICE = cuda_device.why_no_device()


@pytest.fixture(
    params=[
        *SCHEDULES,
        pytest.param(
            "cuda",
            marks=[
                pytest.mark.gpu,
                pytest.mark.skipif(NO_DEVICE is not None, reason=str(NO_DEVICE)),
            ],
        ),
    ]
)
def any_device(request) -> Any:
    if request.param == "cuda":
        return RealToyDevice(cuda_device.default_device_number())
    return ToyDevice(request.getfixturevalue("emulator_folder"), schedule=request.param)


# --- right kernels ---


@pytest.mark.parametrize("count", [1, 127, 128, 129, 1000])
def test_shared_memory_and_barriers(any_device, count):
    values = np.arange(count, dtype=np.uint32)
    out = any_device.empty(count, np.uint32)
    blocks = -(-count // 128)
    any_device.toy(
        "reverse_in_block",
        out,
        any_device.upload(values),
        np.uint32(count),
        blocks=blocks,
        threads=128,
    )
    padded = np.zeros(blocks * 128, np.uint32)
    padded[:count] = values
    np.testing.assert_array_equal(
        any_device.download(out), padded.reshape(-1, 128)[:, ::-1].ravel()[:count]
    )


def test_shuffles(any_device):
    values = np.random.default_rng(1).integers(0, 99, 1024).astype(np.uint32)
    out = any_device.empty(1024, np.uint32)
    any_device.toy("prefix_sum", out, any_device.upload(values), threads=1024)
    np.testing.assert_array_equal(any_device.download(out), np.cumsum(values) - values)


def test_ballots_and_atomics(any_device):
    values = np.random.default_rng(2).integers(0, 99, 333).astype(np.uint32)
    out, kept = any_device.empty(333, np.uint32), any_device.zeros(1, np.uint32)
    any_device.toy(
        "keep_odd", out, kept, any_device.upload(values), np.uint32(333), blocks=6, threads=64
    )
    odd = values[values % 2 == 1]
    assert any_device.download(kept).tolist() == [len(odd)]
    np.testing.assert_array_equal(np.sort(any_device.download(out[: len(odd)])), np.sort(odd))


@pytest.mark.parametrize("mask", [0xFFFFFFFF, 0x0000FFFF, 0xFF0000FF])
def test_votes(any_device, mask):
    out = any_device.upload(np.zeros((32, 6), np.uint32))
    lanes = [lane for lane in range(32) if mask >> lane & 1]

    def voted(those: list[int]) -> int:
        return sum(1 << lane for lane in those)

    any_device.toy("votes", out, np.uint32(mask))
    rows = any_device.download(out)
    for lane in lanes:
        down = lane + 2 if lane % 8 < 6 else lane
        assert rows[lane].tolist() == [
            voted([one for one in lanes if one % 3 == 0]), int(31 in lanes), int(31 not in lanes),
            100 + (lane ^ 1), 100 + down, voted([one for one in lanes if one // 4 == lane // 4]),
        ]  # fmt: skip


def test_reductions(toys):
    values = np.random.default_rng(4).integers(0, 2**27, 32).astype(np.uint32)
    device = toys(architecture=900)
    out = device.empty(6, np.uint32)
    device.toy("reductions", out, device.upload(values))
    assert device.download(out).tolist() == [
        values.sum(), values.min(), values.max(), np.bitwise_and.reduce(values),
        np.bitwise_or.reduce(values), np.bitwise_xor.reduce(values),
    ]  # fmt: skip
    with pytest.raises(EmulatorFault, match="expected an entry 'reductions'"):
        toys(architecture=750).toy("reductions", out, out)


def test_block_votes(any_device):
    out = any_device.empty(3, np.uint32)
    any_device.toy("block_votes", out, threads=50)
    assert any_device.download(out).tolist() == [3, 0, 1]


def test_parts_of_warps(any_device):
    out = any_device.empty(96, np.uint32)
    any_device.toy("swap_in_half_warps", out, threads=96, shared_bytes=4 * 96)
    assert any_device.download(out).tolist() == [7 * (thread ^ 1) for thread in range(96)]


def test_a_histogram(any_device):
    values = np.random.default_rng(3).integers(0, 16, 999).astype(np.uint8)
    counts = any_device.zeros(16, np.uint32)
    any_device.toy(
        "histogram", counts, any_device.upload(values), np.uint32(999), blocks=3, threads=64
    )
    np.testing.assert_array_equal(any_device.download(counts), np.bincount(values, minlength=16))


def test_intrinsics(toys):
    device = toys()
    word, narrow = 0xF123456789ABCDE0, 0x00012340
    low, high = word & 0xFFFFFFFF, word >> 32
    out = device.empty(15, np.uint64)
    device.toy("intrinsics", out, np.uint64(word), np.int32(narrow), threads=1)
    assert device.download(out).tolist() == [
        low.bit_count(), word.bit_count(), 7, 6, 32 - narrow.bit_length(), 0,
        int(f"{low:032b}"[::-1], 2), int(f"{word:064b}"[::-1], 2), low * high >> 32,
        word * word >> 64, word << 5 >> 32 & 0xFFFFFFFF, word >> 5 & 0xFFFFFFFF,
        # bytes 0, 6, 1, 7 of the word
        sum((word >> 8 * byte & 255) << 8 * place for place, byte in enumerate((0, 6, 1, 7))),
        min(low, high), word,
    ]  # fmt: skip


def test_unchecked_kernels_give_the_same(toys):
    values = np.arange(1000, dtype=np.uint64)
    for checks in Checks:
        device = toys(checks=checks)
        out = device.empty(1000, np.uint64)
        device.toy(
            "add",
            out,
            device.upload(values),
            np.uint64(1 << 40),
            np.uint32(1000),
            blocks=4,
            threads=256,
        )
        np.testing.assert_array_equal(device.download(out), values + np.uint64(1 << 40))


# --- wrong kernels ---

WRONG = [
    ("forgets_a_barrier", 64, "race: .* no barrier between", {}),
    ("trusts_a_vote_to_order", 32, "race: .* no barrier between", {}),
    ("overwrites_too_early", 64, "race: .* no barrier between", {}),
    ("blocks_meet", 32, "race: .* which (thread|another block)", {"blocks": 2}),
    ("writes_far_beyond", 1, "neither device memory, shared memory nor", {}),
    ("reads_unwritten_shared", 32, "which nothing has written", {}),
    ("shared_beyond", 32, "at .32 of dynamic shared memory", {"shared_bytes": 32}),
    ("divides_at_a_barrier", 64, "is stuck: threads 0-31 wait in __syncthreads", {}),
    ("leaves_before_a_vote", 32, "is stuck: .*threads 5-5 have left", {}),
    ("votes_outside_its_mask", 32, "does not name its own lane", {}),
    ("shuffles_from_outside", 32, "reads lane 20, which its mask", {}),
    ("mixes_plain_and_atomic", 2, "race: ", {}),
]


@pytest.mark.parametrize(("entry", "threads", "message", "options"), WRONG)
def test_mistakes_are_found(device, entry, threads, message, options):
    out = device.zeros(64, np.uint32)
    device.toy(entry, out, threads=threads, **options)
    with pytest.raises(EmulatorFault, match=message):
        device.synchronize()
    with pytest.raises(DeviceFault, match=message):
        device.empty(1, np.uint8)


def test_a_mistake_is_told_with_its_line(toys):
    device = toys()
    out = device.zeros(64, np.uint32)
    device.toy("forgets_a_barrier", out, threads=64)
    line = next(
        number
        for number, text in enumerate(TOYS.read_text("utf-8").splitlines(), start=1)
        if "forgets_a_barrier" in text
    )
    with pytest.raises(EmulatorFault, match=r"thread \(\d+, 0, 0\) of block \(0, 0, 0\)") as error:
        device.synchronize()
    assert f"writes byte 644 of static shared memory at toys.cu:{line + 4}," in str(error.value)
    assert f"thread 31 read at toys.cu:{line + 5} " in str(error.value)


def test_a_write_beyond_the_end(device):
    out = device.empty(100, np.uint32)
    device.toy("writes_beyond", out, np.uint32(99), blocks=4)
    device.synchronize()
    device.toy("writes_beyond", out, np.uint32(100), blocks=4)
    with pytest.raises(EmulatorFault, match=r"at \+400 of device buffer \d+, which has 400"):
        device.synchronize()


def test_a_write_beyond_the_end_is_found_unchecked_too(toys):
    device = toys(checks=Checks.NONE)
    device.toy("writes_beyond", device.empty(100, np.uint32), np.uint32(100), blocks=4)
    with pytest.raises(EmulatorFault, match="a write beyond device buffer"):
        device.synchronize()


@pytest.mark.parametrize(
    ("entry", "out", "given", "message"),
    [
        ("reads_before", np.uint32, ("zeros", 4, np.uint32),
         r"reads 4 bytes .* at -4 of device buffer"),
        ("reads_unwritten", np.uint32, ("empty", 4, np.uint32),
         r"reads byte 4 .* which nothing has written"),
        ("reads_askew", np.uint64, ("zeros", 64, np.uint8), "no multiple of 8"),
    ],
)  # fmt: skip
def test_reads_of_nothing(device, entry, out, given, message):
    made, size, kind = given
    device.toy(entry, device.empty(1, out), getattr(device, made)(size, kind), threads=1)
    with pytest.raises(EmulatorFault, match=message):
        device.synchronize()


def test_an_output_that_is_not_filled(device):
    out = device.empty(64, np.uint32)
    device.toy("leaves_half_unwritten", out, threads=64)
    with pytest.raises(EmulatorFault, match="nothing has written its byte 4"):
        device.download(out)


def test_threads_that_leave_before_a_barrier(toys):
    device = toys()
    out = device.zeros(64, np.uint32)
    device.toy("leaves_before_a_barrier", out, np.uint32(64), threads=64)
    device.toy("leaves_before_a_barrier", out, np.uint32(40), threads=64)
    with pytest.raises(EmulatorFault, match="threads 40-63 have left"):
        device.synchronize()


def test_a_kernel_that_does_not_end(toys, monkeypatch):
    monkeypatch.setattr("tests.kernels.emulator.kernel.LIMIT_SECONDS", 0.2)
    device = toys()
    device.toy("spins", device.zeros(1, np.uint32), threads=1)
    with pytest.raises(EmulatorFault, match="still running after"):
        device.synchronize()


def test_traps(toys):
    device = toys()
    device.toy("traps", device.upload(np.array([3], np.uint32)))
    with pytest.raises(EmulatorFault, match=r"__trap\(\) at .*:\d+"):
        device.synchronize()


def test_launches_that_a_device_refuses(toys):
    device = toys()
    small = toys(limits=cuda_device.DeviceLimits(shared_bytes=100))
    small.toy(
        "reverse_in_block", small.empty(1, np.uint32), small.zeros(1, np.uint32), np.uint32(1)
    )
    with pytest.raises(EmulatorFault, match="100 bytes of shared memory"):
        small.synchronize()
    device.toy(
        "add",
        device.empty(1, np.uint64),
        device.zeros(1, np.uint64),
        np.uint64(1),
        np.uint32(1),
        threads=1025,
    )
    with pytest.raises(EmulatorFault, match="cannot be launched"):
        device.synchronize()


# --- arguments ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda out: (out, out, np.uint64(1)), "takes 4 arguments"),
        (lambda out: (out, out, np.uint64(1), 5), "expected a numpy scalar"),
        (lambda out: (out, out, np.uint64(1), np.int32(5)), "expected u4 as argument 3"),
        (lambda out: (out, out, np.uint32(1), np.uint32(5)), "expected u8 as argument 2"),
        (lambda out: (out, np.zeros(3, np.uint64), np.uint64(1), np.uint32(5)), "device array"),
    ],
)
def test_arguments_must_fit(toys, arguments, message):
    device = toys()
    with pytest.raises(EmulatorFault, match=message):
        device.toy("add", *arguments(device.zeros(3, np.uint64)))


def test_arrays_must_be_of_the_kernels_type(toys):
    device = toys()
    with pytest.raises(EmulatorFault, match="points to 8 bytes, got an array of uint32"):
        device.toy(
            "add",
            device.zeros(3, np.uint64),
            device.zeros(3, np.uint32),
            np.uint64(1),
            np.uint32(3),
        )


def test_unknown_entries(toys):
    with pytest.raises(EmulatorFault, match="expected an entry 'absent'"):
        toys().toy("absent")


# --- streams ---


def added(device: ToyDevice, out: Any, into: Any, stream: Any) -> None:
    device.toy("add", out, into, np.uint64(1), np.uint32(out.size), stream=stream)


def test_streams_that_wait_for_each_other(toys):
    device = toys()
    one, two = device.stream(), device.stream()
    first, second = (
        device.upload(np.arange(8, dtype=np.uint64), stream=one),
        device.empty(8, np.uint64),
    )
    added(device, second, first, one)
    device.wait(two, device.record(one))
    added(device, first, second, two)
    assert device.download(first, stream=two).tolist() == list(range(2, 10))


def test_streams_that_do_not_wait(toys):
    device = toys()
    one, two = device.stream(), device.stream()
    values, out = device.zeros(8, np.uint64, stream=one), device.empty(8, np.uint64)
    with pytest.raises(EmulatorFault, match="add in stream 2 and clear in stream 1"):
        added(device, out, values, two)


def test_kernels_of_two_streams_that_do_not_wait(toys):
    device = toys()
    one, two = device.stream(), device.stream()
    values, out = device.zeros(8, np.uint64), device.zeros(16, np.uint64)
    device.synchronize()
    # different parts of a buffer are no conflict
    added(device, out[:8], values, one)
    added(device, out[8:], values, two)
    device.synchronize(one)
    device.synchronize(two)
    added(device, out[:8], values, one)
    added(device, out[4:12], values, two)
    device.synchronize(one)
    with pytest.raises(EmulatorFault, match="which a launch in another stream wrote"):
        device.synchronize(two)


def test_memory_freed_under_a_stream(toys):
    device = toys()
    one, two = device.stream(), device.stream()
    values = device.zeros(8, np.uint64, stream=one)
    out = device.empty(8, np.uint64)
    added(device, out, values, one)
    del values
    gc.collect()
    # the same stream may use the memory again, another must wait
    device.zeros(8, np.uint64, stream=one)
    with pytest.raises(EmulatorFault, match="memory that was freed while"):
        device.zeros(8, np.uint64, stream=two)


def test_nothing_arrives_before_it_is_waited_for(toys):
    device = toys()
    stream = device.stream()
    host = device.pinned(8, np.uint64)
    host[:] = 5
    target = device.empty(8, np.uint64)
    device.copy_in(target, host, stream=stream)
    host[:] = 6  # too early: the copy may not have begun
    back = np.zeros(8, np.uint64)
    device.copy_out(back, target, stream=stream)
    assert back.tolist() == [0] * 8
    device.synchronize(stream)
    assert back.tolist() == [6] * 8
    del host
    pinned = device.pinned(8, np.uint64)
    device.copy_in(target, pinned, stream=stream)
    del pinned
    with pytest.raises(EmulatorFault, match="let go before"):
        device.synchronize(stream)


def test_memory_is_counted(toys):
    device = toys(memory_bytes=1000)
    one = device.zeros(100, np.uint64)
    with pytest.raises(OutOfDeviceMemory, match="300 of 200 bytes"):
        device.empty(300, np.uint8)
    assert device.free_bytes() == 200
    view = one[10:20]
    del one
    assert device.free_bytes() == 200
    assert view.shape == (10,)
    del view
    assert device.free_bytes() == 1000


def test_device_arrays_are_taken_over(toys):
    device = toys()

    class Foreign:
        def __init__(self, owner: Any) -> None:
            self.owner = owner
            self.__cuda_array_interface__ = owner.__cuda_array_interface__

    array = device.upload(np.arange(12, dtype=np.uint16).reshape(3, 4))
    assert device.download(device.adopt(Foreign(array[1:]))).tolist() == [
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]
    with pytest.raises(TypeError, match="expected a device array, got 'ndarray'"):
        device.adopt(np.zeros(3))


def test_launches_are_timed(toys):
    device = toys()
    with device.timings() as found:
        values = device.upload(np.zeros(8, np.uint64))
        added(device, device.empty(8, np.uint64), values, None)
    assert [(timing.name, timing.copied_bytes) for timing in found] == [("copy in", 64), ("add", 0)]
    assert all(timing.seconds > 0 for timing in found)


# --- building ---


def test_a_warning_refuses_a_kernel(emulator_folder):
    text = '#line 1 "some.cu"\nextern "C" __global__ void kernel(int* out) {\n int unused;\n}\n'
    with pytest.raises(BuildError, match=r"some.cu:2:6: error: unused variable"):
        kernel_library(emulator_folder, "some.cu", text, {})


def test_a_file_without_kernels_is_refused(emulator_folder):
    with pytest.raises(BuildError, match="expected an entry point"):
        kernel_library(emulator_folder, "some.cu", "static const int none = 0;\n", {})
