"""What the device can do at most, measured in the run: memory bandwidth and integer operations."""

from pathlib import Path

import numpy as np

from bidcascade.kernels.cuda_device import Device, KernelArgument

from .roofline import Ceilings

_FILE = str(Path(__file__).with_name("ceilings.cu"))
_THREADS = 256
_COPY_BYTES = 1 << 30
_ROUNDS = 1024
OPERATIONS_A_ROUND = 16 * 8 * 2
"""Of ``integer_mix``: steps, chains, and two instructions each."""
_REPEAT = 5


def measure_ceilings(
    device: Device, *, copy_bytes: int | None = None, rounds: int | None = None
) -> Ceilings:
    """Time a copy that is far larger than the caches, and a chain of integer operations."""
    return Ceilings(
        _copy_rate(device, min(copy_bytes or _COPY_BYTES, device.free_bytes() // 4)),
        _integer_rate(device, rounds or _ROUNDS),
        f"measured on {device.name}",
    )


def _copy_rate(device: Device, size: int) -> float:
    pairs = size // 32  # 16 bytes each, in two buffers
    # complex stands for 16 bytes an element
    source, target = (device.zeros(pairs, np.complex128) for _ in range(2))
    blocks = max(1, min(-(-pairs // _THREADS), 4 * device.limits.blocks_to_fill(_THREADS)))
    seconds = _least_seconds(
        device, "copy_pairs", blocks, [source, target, np.int64(pairs)]
    )  # fmt: skip
    return 2 * 16 * pairs / seconds


def _integer_rate(device: Device, rounds: int) -> float:
    blocks = device.limits.blocks_to_fill(_THREADS)
    out = device.empty(blocks * _THREADS, np.uint32)
    seconds = _least_seconds(
        device, "integer_mix", blocks, [out, np.uint32(1), np.int32(rounds)]
    )  # fmt: skip
    return blocks * _THREADS * rounds * OPERATIONS_A_ROUND / seconds


def _least_seconds(
    device: Device, entry: str, blocks: int, arguments: list[KernelArgument]
) -> float:
    """Least of some runs: a ceiling is what can be had."""
    kernel = device.kernel(_FILE, entry, {})
    kernel(blocks, _THREADS, arguments)
    with device.timings() as found:
        for _ in range(_REPEAT):
            kernel(blocks, _THREADS, arguments)
    return min(timing.seconds for timing in found)
