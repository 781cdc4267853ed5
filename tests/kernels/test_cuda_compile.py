"""Every kernel compiles to machine code of every generation of cards, without a warning."""

import os
from collections.abc import Mapping

import pytest

from bidcascade.bridge import FULL_DECK
from bidcascade.kernels.cuda_device import SOURCES, compiler_options, source_text
from bidcascade.kernels.gpu.tables import kernel_variants
from tests.support_nvrtc import ARCHITECTURES, CompileError, Nvrtc, libraries, why_unavailable

WORDS = ((1, 1), (3, 6))
"""Lane and flag words of a hand: the least, and more than the published tables need."""

REGISTERS = 65536
"""Of a multiprocessor, on all of these cards."""

Defines = Mapping[str, int]


def variants() -> list[tuple[str, Defines]]:
    distinct: dict[tuple[str, tuple[tuple[str, int], ...]], Defines] = {}
    for words in WORDS:
        for file, defines in kernel_variants(*words):
            distinct.setdefault((file, tuple(sorted(defines.items()))), defines)
    return [(file, defines) for (file, _), defines in distinct.items()] + [
        ("frames.cu", {"FULL_DECK": FULL_DECK})
    ]


def spelled(file: str, defines: Defines) -> str:
    numbers = [f"{name}={value}" for name, value in defines.items() if not name.startswith("OP_")]
    return " ".join([file, *numbers])


@pytest.fixture(scope="module")
def compilers() -> tuple[Nvrtc, ...]:
    reason = why_unavailable()
    if reason is not None:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return libraries()


def test_no_file_is_left_out() -> None:
    assert {file for file, _ in variants()} == {path.name for path in SOURCES.glob("*.cu")}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    ("file", "defines"), [pytest.param(*variant, id=spelled(*variant)) for variant in variants()]
)
def test_compiles_without_a_warning(
    compilers: tuple[Nvrtc, ...], file: str, defines: Defines, architecture: int
) -> None:
    options = [*compiler_options(defines), f"--gpu-architecture=sm_{architecture}"]
    able = [compiler for compiler in compilers if compiler.supports(architecture)]
    assert able
    for compiler in able:
        usage = compiler.compile(file, source_text(file), options)
        assert usage
        for entry, used in usage.items():
            assert used.shared_bytes <= 48 << 10, entry


def test_a_warning_is_told_with_its_place(compilers: tuple[Nvrtc, ...]) -> None:
    text = (
        '#line 1 "device.cuh"\n#line 7 "some.cu"\n'
        'extern "C" __global__ void kernel(int* out) {\n  int unused;\n  *out = 1;\n}\n'
    )
    for compiler in compilers:
        with pytest.raises(CompileError, match=r'some.cu\(8\): warning .*"unused"'):
            compiler.compile("some.cu", text, ["--gpu-architecture=sm_80"])


def test_an_error_is_told_with_its_place(compilers: tuple[Nvrtc, ...]) -> None:
    file = "features.cu"
    text = source_text(file).replace("__popc(holding)", "__popcount(holding)", 1)
    line = next(
        number
        for number, line in enumerate((SOURCES / file).read_text("utf-8").splitlines(), start=1)
        if "__popc(holding)" in line
    )
    defines = next(defines for name, defines in variants() if name == file)
    options = [*compiler_options(defines), "--gpu-architecture=sm_80"]
    for compiler in compilers:
        with pytest.raises(CompileError, match=rf"features.cu\({line}\): error"):
            compiler.compile(file, text, options)
