"""The toy kernels of the emulator's tests, as text for any device."""

from pathlib import Path

from bidcascade.kernels import cuda_device

TOYS = Path(__file__).parents[1] / "kernels" / "emulator" / "toys.cu"
_INCLUDE = '#include "device.cuh"'
_source_text = cuda_device.source_text


def toy_text(file: str) -> str:
    """Text of ``toys.cu`` with what it includes in place."""
    assert file == TOYS.name
    text = TOYS.read_text("utf-8")
    assert _INCLUDE in text
    return f'{_source_text("device.cuh")}#line 1 "{file}"\n{text.replace(_INCLUDE, "")}'
