"""The core's shared library: built, found, checked, loaded, and refused where it must be."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bidcascade.bridge import BackendUnavailable
from bidcascade.kernels.core import build, library
from bidcascade.kernels.core.build import BuildError, Target

HERE = Target.here()
COMPILER = build.find_compiler()

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="as it is on Linux")


INTERFACE = """
#include "memory.hpp"
#define EXPORT extern "C" __attribute__((visibility("default")))
extern "C" {
void* calloc(decltype(sizeof(0)) count, decltype(sizeof(0)) bytes);
void free(void* memory);
}
namespace core {
void* allocate(u64 bytes) { return calloc(1, bytes); }
void release(void* memory, u64) { free(memory); }
}
EXPORT u64 core_version() { return CORE_VERSION; }
"""


def small_sources(folder: Path) -> Path:
    """Write a core that compiles in no time, without a checkout around it, as when installed."""
    sources = folder / "kernels" / "core"
    sources.mkdir(parents=True)
    for name in ("base.hpp", "memory.hpp"):
        shutil.copy(build.SOURCES / name, sources)
    (sources / "interface.cpp").write_text(INTERFACE)
    return sources


@pytest.fixture
def installed(tmp_path) -> Path:
    return small_sources(tmp_path / "installed")


@pytest.fixture
def checkout(tmp_path) -> Path:
    sources = small_sources(tmp_path / "checkout")
    for name in ("setup.py", "pyproject.toml"):
        (sources.parents[1] / name).touch()
    return sources


@pytest.fixture
def no_compiler(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(build, "find_spec", lambda name: None)


def edit(file: Path) -> None:
    with file.open("a") as text:
        text.write("// edited\n")


def name_of(loaded: ctypes.CDLL) -> str:
    return Path(loaded._name).name


@pytest.fixture
def old_processor(monkeypatch, tmp_path) -> None:
    told = tmp_path / "cpuinfo"
    told.write_text("processor\t: 0\nflags\t\t: fpu sse2 avx bmi1 bmi2 abm fma f16c movbe\n")
    monkeypatch.setattr(library, "_PROCESSOR", told)


@pytest.mark.skipif(COMPILER is None and library.load() is None, reason="no library")
class TestLoaded:
    def test_it_is_loaded_once_and_of_the_version_of_its_sources(self):
        loaded = library.load()
        assert loaded is library.load()
        assert loaded.core_version() == library.expected_version() == build.source_version()

    @pytest.mark.parametrize("name", HERE.builds())
    def test_every_build_that_the_processor_runs_loads(self, name):
        if not library.runs_here(name):
            pytest.skip("the processor does not run it")
        loaded = library.open_library(name)
        assert name_of(loaded) == HERE.library_name(name)
        assert loaded.core_version() == library.expected_version()

    @needs_linux
    @pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf")
    @pytest.mark.parametrize("name", HERE.builds())
    def test_it_needs_the_c_library_alone_and_shows_its_interface_alone(self, name):
        if not library.runs_here(name):
            pytest.skip("the processor does not run it")
        path = library.open_library(name)._name

        def told(option: str) -> str:
            return subprocess.run(
                ["readelf", "-W", option, path], check=True, capture_output=True, text=True
            ).stdout

        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told("-d"))
        assert [one for one in needed if not one.startswith("libc.")] == []
        shown = re.findall(r"GLOBAL\s+DEFAULT\s+\d+\s+(\w+)", told("--dyn-syms"))
        assert {"core_version", "core_layout"} <= set(shown)
        assert [one for one in shown if not one.startswith("core_")] == []


@pytest.mark.parametrize("name", ["fast", "cuda", "../baseline"])
def test_another_build_is_an_error(name):
    with pytest.raises(BackendUnavailable, match=r"expected BIDCASCADE_CORE as one of baseline, "):
        library.open_library(name)


class TestInstalled:
    def test_nothing_is_compiled_and_one_warning_says_what_to_do(
        self, installed, caplog, monkeypatch
    ):
        monkeypatch.setattr(library, "build_libraries", None)
        assert library.open_library(sources=installed) is None
        (record,) = caplog.records
        message = record.getMessage()
        assert record.levelname == "WARNING"
        assert str(installed / "bidcascade-core-") in message
        assert "install a wheel of bidcascade for this machine" in message

    def test_what_is_no_library_counts_as_missing(self, installed, caplog):
        for name in HERE.builds():
            (installed / HERE.library_name(name)).write_bytes(b"no library")
        assert library.open_library(sources=installed) is None
        assert "cannot be loaded" in caplog.text

    @needs_compiler
    def test_a_library_of_another_version_is_refused(self, installed):
        build.build_libraries(installed, sources=installed)
        before = build.source_version(installed)
        assert library.open_library(sources=installed).core_version() == before
        edit(installed / "base.hpp")
        after = build.source_version(installed)
        with pytest.raises(BackendUnavailable) as caught:
            library.open_library(sources=installed)
        assert f"expected version {after:016x}" in str(caught.value)
        assert f"got {before:016x} in {installed}" in str(caught.value)
        assert "pip install --force-reinstall" in str(caught.value)

    @needs_compiler
    @pytest.mark.skipif(HERE.machine != "x86_64", reason="has one build")
    def test_a_processor_without_avx2_takes_the_baseline(self, installed, old_processor):
        build.build_libraries(installed, sources=installed)
        assert name_of(library.open_library(sources=installed)) == HERE.library_name("baseline")
        with pytest.raises(BackendUnavailable, match="expected a processor with avx2 for"):
            library.open_library("x86-64-v3", sources=installed)


class TestCheckout:
    @needs_compiler
    def test_changed_sources_are_built_anew(self, checkout):
        first = library.open_library(sources=checkout)
        assert first.core_version() == build.source_version(checkout)
        edit(checkout / "memory.hpp")
        second = library.open_library(sources=checkout)
        assert second.core_version() == build.source_version(checkout) != first.core_version()
        assert Path(second._name).parents[3] == checkout.parents[1]

    @needs_compiler
    def test_few_old_versions_are_kept(self, checkout):
        built = checkout.parents[1] / "build" / "core"
        for number in range(20):
            (built / f"old-{number}").mkdir(parents=True)
            # also by a clock that was set back since
            os.utime(built / f"old-{number}", (4e9, 4e9))
        loaded = library.open_library(sources=checkout)
        assert len(list(built.iterdir())) == 8
        assert Path(loaded._name).exists()

    @needs_compiler
    def test_sources_that_do_not_compile_are_an_error_with_the_compilers_words(self, checkout):
        with (checkout / "memory.hpp").open("a") as header:
            header.write("int wrong = undeclared;\n")
        with pytest.raises(BackendUnavailable, match=r"does not compile[^$]*memory.hpp:\d+"):
            library.open_library(sources=checkout)
        assert not list((checkout.parents[1] / "build" / "core").glob("*/*.so"))

    def test_without_a_compiler_a_warning_says_what_to_install(self, checkout, caplog, no_compiler):
        assert library.open_library(sources=checkout) is None
        (record,) = caplog.records
        assert "no C++ compiler is found to build" in record.getMessage()
        assert "install g++ or clang++, or `pip install 'ziglang" in record.getMessage()

    @needs_linux
    @pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
    def test_processes_that_start_together_build_once(self, checkout, tmp_path):
        compiler, log = tmp_path / "compiler", tmp_path / "log"
        compiler.write_text(f'#!/bin/sh\necho . >> {log}\nsleep 0.2\nexec g++ "$@"\n')
        compiler.chmod(0o755)
        code = (
            "from pathlib import Path; from bidcascade.kernels.core.library import open_library;"
            f"assert open_library(sources=Path({str(checkout)!r})).core_version()"
        )
        path = os.pathsep.join(sys.path)
        environment = {**os.environ, "CXX": str(compiler), "PYTHONPATH": path}
        running = [
            subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(4)
        ]
        assert [one.wait() for one in running] == [0] * 4
        assert len(log.read_text().splitlines()) == 1


class TestCompilers:
    def test_the_one_of_the_environment_is_taken_as_it_is(self, monkeypatch, tmp_path):
        monkeypatch.setenv("CXX", "no-such-compiler --fast")
        found = build.find_compiler()
        assert found.command == ("no-such-compiler", "--fast")
        with pytest.raises(BuildError, match=r"expected a C\+\+ compiler, got 'no-such-compiler'"):
            build.build_libraries(tmp_path, compiler=found)
        assert list(tmp_path.iterdir()) == []

    @needs_linux
    def test_a_name_without_a_working_compiler_is_passed_over(self, monkeypatch, tmp_path):
        monkeypatch.delenv("CXX", raising=False)
        for name in ("c++", "g++"):
            (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(build, "find_spec", lambda name: name)
        assert build.find_compiler().is_zig
        assert build.find_compiler().target == HERE

    def test_there_may_be_none(self, no_compiler, tmp_path):
        assert build.find_compiler() is None
        with pytest.raises(BuildError, match=r"expected a C\+\+ compiler: \$CXX, c\+\+, g\+\+"):
            build.build_libraries(tmp_path)

    def test_for_another_target_it_is_zig(self, monkeypatch):
        monkeypatch.setattr(build, "find_spec", lambda name: name)
        target = Target.parse("aarch64-linux-gnu.2.17")
        found = build.find_compiler(target)
        assert (found.is_zig, found.target) == (True, target)


@pytest.mark.parametrize(
    ("text", "platform", "names"),
    [
        (
            "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64",
            ["bidcascade-core-baseline.so", "bidcascade-core-x86-64-v3.so",
             "bidcascade-core-x86-64-v4.so"],
        ),
        ("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", ["bidcascade-core-baseline.so"]),
        ("aarch64-linux-musl", "musllinux_1_2_aarch64", ["bidcascade-core-baseline.so"]),
        ("riscv64-linux-gnu", None, ["bidcascade-core-baseline.so"]),
        ("aarch64-macos.11.0", "macosx_11_0_arm64", ["bidcascade-core-baseline.dylib"]),
        ("x86_64-macos.11.0", "macosx_11_0_x86_64", ["bidcascade-core-baseline.dylib"]),
        ("x86_64-windows-gnu", "win_amd64", ["bidcascade-core-baseline.dll"]),
    ],
)  # fmt: skip
def test_targets(text, platform, names):
    target = Target.parse(text)
    assert str(target) == text
    assert target.wheel_platform() == platform
    assert [target.library_name(one) for one in target.builds()] == names


@pytest.mark.slow
@pytest.mark.full
@pytest.mark.skipif(build.find_zig() is None, reason="zig is not installed")
@pytest.mark.parametrize(
    ("text", "head", "processor"),
    [
        ("x86_64-windows-gnu", b"MZ", b"PE\0\0\x64\x86"),
        ("aarch64-macos.11.0", b"\xcf\xfa\xed\xfe", b"\xcf\xfa\xed\xfe\x0c\0\0\x01"),
        ("x86_64-macos.11.0", b"\xcf\xfa\xed\xfe", b"\xcf\xfa\xed\xfe\x07\0\0\x01"),
    ],
)
def test_a_library_for_another_system_is_one_of_it(text, head, processor, tmp_path, monkeypatch):
    """It is run nowhere here: its format, its processor, its interface and what it needs."""
    monkeypatch.delenv(build.CACHE_VARIABLE, raising=False)
    found = build.find_compiler(Target.parse(text))
    (path,) = build.build_libraries(tmp_path, compiler=found)
    content = path.read_bytes()
    assert content.startswith(head)
    assert processor in content[:512]
    assert b"core_version\0" in content
    # it shows nothing of the machine that built it
    for place in (build.SOURCES, Path.home(), tmp_path):
        assert str(place).encode() not in content
    needs = set(re.findall(rb"[\w.-]+\.(?:dll|DLL)\0|/[\w./-]+\.dylib\0", content))
    own = {f"{path.name}\0".encode()}
    allowed = rb"(?i)kernel32\.dll|ntdll\.dll|msvcrt\.dll|api-ms-win-crt-[\w-]+\.dll|/usr/lib/.*"
    assert all(re.fullmatch(allowed, one[:-1]) for one in needs - own), needs


@pytest.mark.parametrize("text", ["", "x86_64", "x86_64-linux", "x86_64-plan9-gnu", "-linux-gnu"])
def test_what_is_no_target_is_an_error(text):
    with pytest.raises(BuildError, match="expected a target such as x86_64-linux-gnu"):
        Target.parse(text)


FAULTS = """
EXPORT i32 core_reads(i32 at) {
    core::Vec<i32> items;
    items.resize(16);
    return items.data[at];
}
EXPORT i32 core_looks_up(i32 at) {
    core::Vec<i32> items;
    items.resize(16);
    return items[static_cast<u64>(at)];
}
EXPORT i32 core_adds(i32 more) { return 2147483647 + more; }
#ifndef CORE_CHECKED
#error "expected CORE_CHECKED"
#endif
"""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory) -> Path:
    sources = small_sources(tmp_path_factory.mktemp("faulty"))
    with (sources / "interface.cpp").open("a") as file:
        file.write(FAULTS)
    compiler = build.Compiler(("g++",), HERE)
    (built,) = build.build_libraries(sources, ["sanitized"], compiler, sources)
    return built


@needs_linux
@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
class TestSanitized:
    @pytest.mark.parametrize(
        ("call", "found"),
        [
            ("core_reads(3)", None),
            ("core_reads(20)", "heap-buffer-overflow"),
            ("core_looks_up(3)", None),
            ("core_looks_up(20)", ""),  # ends at once
            ("core_adds(0)", None),
            ("core_adds(1)", "signed integer overflow"),
        ],
    )
    def test_faults_are_found(self, faulty, call, found):
        runtime = subprocess.check_output(["g++", "-print-file-name=libasan.so"], text=True)
        ran = subprocess.run(
            [sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(faulty)!r}).{call}"],
            env={**os.environ, "LD_PRELOAD": runtime.strip(), "ASAN_OPTIONS": "detect_leaks=0"},
            capture_output=True,
            text=True,
        )
        if found is None:
            assert (ran.returncode, ran.stderr) == (0, "")
        else:
            assert ran.returncode != 0
            assert found in ran.stderr

    def test_it_is_refused_where_its_runtime_is_not_loaded(self, monkeypatch):
        monkeypatch.setenv("LD_PRELOAD", "")
        with pytest.raises(BackendUnavailable, match="expected libasan in LD_PRELOAD"):
            library.open_library("sanitized")


class TestCache:
    """What was built once for an installation is copied for the next."""

    @needs_compiler
    def test_the_same_sources_are_compiled_once(self, monkeypatch, tmp_path, installed):
        monkeypatch.setenv(build.CACHE_VARIABLE, str(tmp_path / "cache"))
        (first,) = build.build_libraries(tmp_path / "one", ["baseline"], COMPILER, installed)
        monkeypatch.setattr(build, "_compile", None)
        elsewhere = shutil.copytree(installed, tmp_path / "elsewhere")
        (second,) = build.build_libraries(tmp_path / "two", ["baseline"], COMPILER, elsewhere)
        assert second.read_bytes() == first.read_bytes()

    @needs_compiler
    def test_other_sources_and_other_builds_are_not_taken_for_them(
        self, monkeypatch, tmp_path, installed
    ):
        monkeypatch.setenv(build.CACHE_VARIABLE, str(tmp_path / "cache"))
        build.build_libraries(tmp_path / "one", ["baseline"], COMPILER, installed)
        (installed / "interface.cpp").write_text(INTERFACE + "// changed\n")
        build.build_libraries(tmp_path / "two", ["baseline"], COMPILER, installed)
        build.build_libraries(tmp_path / "two", COMPILER.target.builds()[:2], COMPILER, installed)
        assert len(list((tmp_path / "cache").iterdir())) == 1 + len(COMPILER.target.builds()[:2])
