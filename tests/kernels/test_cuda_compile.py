"""Every kernel compiles to machine code of every generation of cards, without a warning."""

import numpy as np
import pytest

from bidcascade.kernels import Postfix
from bidcascade.kernels.cuda import CudaBackend
from bidcascade.kernels.cuda_device import SOURCES, compiler_options, source_path, source_text
from tests.check.missing import missing
from tests.kernels.compiled_kernels import SYSTEMS, spelled, variants
from tests.kernels.emulator.device import Checks, EmulatedDevice
from tests.support.backends import SOME, assert_same_answers
from tests.support.examples import some_in_check
from tests.support.nvrtc import ARCHITECTURES, CompileError, Nvrtc, libraries, why_unavailable
from tests.support.plans import deal_arrays, random_plan

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compilers() -> tuple[Nvrtc, ...]:
    reason = why_unavailable()
    if reason is not None:
        missing(reason)
    return libraries()


def test_no_file_is_left_out():
    assert {file for file, _ in variants()} == {path.name for path in SOURCES.rglob("*.cu")}


def test_a_file_is_found_by_its_name_alone():
    files = [*SOURCES.rglob("*.cu"), *SOURCES.rglob("*.cuh")]
    assert [source_path(file.name) for file in files] == files
    with pytest.raises(FileNotFoundError, match=r"none\.cu"):
        source_path("none.cu")


def test_a_file_that_lies_elsewhere_is_named_by_its_path(tmp_path):
    file = tmp_path / "elsewhere.cu"
    file.write_text("int one;\n")
    assert source_path(str(file)) == file
    assert source_text(str(file)).endswith("int one;\n")


@pytest.mark.parametrize(
    "architecture", some_in_check(1, ARCHITECTURES[0], ARCHITECTURES[-1], *ARCHITECTURES[1:-1])
)
@pytest.mark.parametrize(
    ("file", "defines"), [pytest.param(*variant, id=spelled(*variant)) for variant in variants()]
)
def test_compiles_without_a_warning(compilers, file, defines, architecture):
    options = [*compiler_options(defines), f"--gpu-architecture=sm_{architecture}"]
    able = [compiler for compiler in compilers if compiler.supports(architecture)]
    assert able
    # the least words with every compiler, more with the newest
    least = all(defines.get(name, 1) == 1 for name in ("LANE_WORDS", "FLAG_WORDS"))
    for compiler in able if least else able[-1:]:
        usage = compiler.compile(file, source_text(file), options)
        assert usage
        for entry, used in usage.items():
            assert used.shared_bytes <= 48 << 10, entry
            assert used.spilled_bytes == 0, entry


def test_what_the_backend_asks_for_compiles(compilers, emulator_folder):
    device = EmulatedDevice(emulator_folder, checks=Checks.NONE)
    rng = np.random.default_rng(2)
    # with a program (an or over two suits), with more than a word of flags, and with neither
    cards: list[Postfix] = [(f"C_{suit}{rank}",) for suit in "CDHS" for rank in "23456789TJQKA"]
    product: Postfix = ("SL_S", "SL_H", "*", 12, ">=")
    for asked in (SOME, [*cards, *SOME, *((f"Top{n}_S", 2, ">=") for n in (3, 5))], [product]):
        plan, deals = random_plan(rng, asked), deal_arrays(rng, 20)
        backend = CudaBackend(device)
        assert_same_answers(backend, plan, deals)
        backend.deal_hands(1, 0, 10)
    newest = compilers[-1]
    built: dict[tuple[str, tuple[tuple[str, int], ...]], set[str]] = {}
    for file, entry, defines in device.requested:
        if (file, defines) not in built:
            options = [*compiler_options(dict(defines)), "--gpu-architecture=sm_90"]
            built[file, defines] = set(newest.compile(file, source_text(file), options))
        assert entry in built[file, defines]
    assert {file for file, _, _ in device.requested} == {
        path.name for path in SOURCES.rglob("*.cu")
    } - {"frames.cu", *dict(SYSTEMS)}


def test_a_warning_is_told_with_its_place(compilers):
    text = (
        '#line 1 "device.cuh"\n#line 7 "some.cu"\n'
        'extern "C" __global__ void kernel(int* out) {\n  int unused;\n  *out = 1;\n}\n'
    )
    for compiler in compilers:
        with pytest.raises(CompileError, match=r'some.cu\(8\): warning .*"unused"'):
            compiler.compile("some.cu", text, ["--gpu-architecture=sm_80"])


def test_what_a_called_function_spills_counts(compilers):
    values = range(60)
    text = (
        "__device__ __noinline__ int called(const volatile int* from, int sum) {\n"
        + "".join(f"  const int v{one} = from[{one}];\n" for one in values)
        + "".join(f"  sum = sum * v{one} ^ sum;\n" for one in reversed(values))
        + "  return sum;\n}\n"
        'extern "C" __global__ void __launch_bounds__(1024, 2) kernel(int* out) {\n'
        "  out[0] = called(out, 1) + called(out, 2);\n}\n"
    )
    for compiler in compilers:
        used = compiler.compile("some.cu", text, ["--gpu-architecture=sm_80"])["kernel"]
        assert used.registers <= 32
        assert used.spilled_bytes > 100


def test_an_error_is_told_with_its_place(compilers):
    file = "features.cu"
    text = source_text(file).replace("__popc(hand.suit[0])", "__popcount(hand.suit[0])", 1)
    line = next(
        number
        for number, line in enumerate(source_path(file).read_text("utf-8").splitlines(), start=1)
        if "__popc(hand.suit[0])" in line
    )
    defines = next(defines for name, defines in variants() if name == file)
    options = [*compiler_options(defines), "--gpu-architecture=sm_80"]
    for compiler in compilers:
        with pytest.raises(CompileError, match=rf"features.cu\({line}\): error"):
            compiler.compile(file, text, options)
