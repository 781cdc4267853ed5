"""The core as a module of WebAssembly: what is built, and by whom."""

import logging
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from bidcascade.kernels.core import build, library
from bidcascade.kernels.core.build import MODULE, SOURCES, BuildError
from tests.check.missing import missing

needs_zig = pytest.mark.usefixtures("zig")


@pytest.fixture
def zig() -> None:
    if find_spec("ziglang") is None:
        missing("needs ziglang")


@needs_zig
@pytest.mark.slow
@pytest.mark.checkout
def test_the_same_bytes_wherever_it_is_built(tmp_path):
    sources = tmp_path / "some" / "where else"
    shutil.copytree(SOURCES, sources, ignore=shutil.ignore_patterns("__pycache__"))
    built = build.build_module(tmp_path / "out", sources).read_bytes()
    assert built[:8] == b"\0asm\1\0\0\0"
    assert built == library.read_module()
    # nothing that a browser would have to give but one function
    assert built.count(b"no_memory") == 1
    assert str(tmp_path).encode() not in built
    assert [path.name for path in (tmp_path / "out").iterdir()] == [MODULE]


def test_without_zig_it_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    monkeypatch.delenv(build.CACHE_VARIABLE, raising=False)
    with pytest.raises(BuildError, match="expected zig for the core of the page's engine"):
        build.build_module(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_zig_is_asked_for_once_for_the_same_sources(monkeypatch, tmp_path):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "browser.cpp").write_text("// one version\n")
    compiler = build.Compiler(("g++",), build.Target.here())
    monkeypatch.setattr(build, "find_compiler", lambda target=None: compiler)
    monkeypatch.setenv(build.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(build, "find_zig", lambda: ("zig",))
    monkeypatch.setattr(build, "_compile", _write_what_is_built)
    assert build.needs_zig(sources=sources)
    first = build.build_module(tmp_path / "one", sources).read_bytes()
    monkeypatch.setattr(build, "find_zig", lambda: None)
    monkeypatch.setattr(build, "_compile", None)
    assert not build.needs_zig(sources=sources)
    assert build.build_module(tmp_path / "two", sources).read_bytes() == first
    # for the library where there is no other compiler, and for other sources
    monkeypatch.setattr(build, "find_compiler", lambda target=None: None)
    assert build.needs_zig(sources=sources)
    monkeypatch.setattr(build, "find_compiler", lambda target=None: compiler)
    (sources / "browser.cpp").write_text("// another version\n")
    assert build.needs_zig(sources=sources)


def _write_what_is_built(command, scratch):
    (Path(scratch) / MODULE).write_text(" ".join(command[-2:]))


def test_a_service_without_the_module_goes_on(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    monkeypatch.setattr(library, "_checkout", lambda sources: None)
    with caplog.at_level(logging.WARNING, "bidcascade.kernels"):
        assert library.read_module(tmp_path) is None
    (record,) = caplog.records
    assert "the page asks the service" in record.getMessage()


@needs_zig
@pytest.mark.slow
@pytest.mark.checkout
def test_sources_that_zig_refuses(tmp_path):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "browser.cpp").write_text("no C++")
    with pytest.raises(BuildError, match="failed"):
        build.build_module(tmp_path / "out", sources)
    assert list((tmp_path / "out").iterdir()) == []
