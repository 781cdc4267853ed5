"""Compiled code in numba's cache: damaged, cut off, of another version, nowhere to be kept."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support_cli import Ran, environment, run_python

PROGRAM = """
import numpy as np
from bidcascade.table.spilled.sorted_rows import in_order, is_sorted
calls, offsets = np.array([2, 1], np.uint8), np.arange(3)
there = np.zeros(2, np.uint8)
in_order(calls, offsets, np.array([1, 0]), there)
print(there.tolist(), is_sorted(calls, offsets), is_sorted(there, offsets))
"""


def dealt(cache: Path, program: str = PROGRAM, **more: str) -> Ran:
    return run_python(program, **{"NUMBA_CACHE_DIR": str(cache), **more})


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> tuple[Path, str, dict[Path, bytes]]:
    """Folder of a cache, what the program prints, and the files that it leaves there."""
    folder = tmp_path_factory.mktemp("compiled")
    answer = dealt(folder)
    assert answer.code == 0, answer.err
    files = {path: path.read_bytes() for path in folder.rglob("*.nb?")}
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    return folder, answer.out, files


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :]


DAMAGE = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "without its end": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "other file": lambda content: b"no pickle at all",
    **{
        f"bit at {share:.0%}": lambda content, share=share: flipped(
            content, int(share * (len(content) - 1))
        )
        for share in (0, 0.02, 0.3, 0.55, 0.8, 1)
    },
}


SUFFIXES = (".nbi", ".nbc")
SMALL_MODULE = """
from bidcascade.kernels.compiled import compiled

@compiled
def double(number):
    return 2 * number

@compiled
def quadruple(number):
    return double(double(number))
"""
RUN_TWICE = """
import importlib, json, pathlib, sys
from numba import config
def loaded(folder):
    config.CACHE_DIR = folder
    importlib.reload(small_module)
    answer = small_module.quadruple(3)
    files = pathlib.Path(folder).rglob("*.nb?")
    return answer, {path.name: path.stat().st_mtime_ns for path in files}
config.CACHE_DIR = sys.argv[1]
import small_module
for folder in sys.argv[1:]:
    print(json.dumps([loaded(folder), loaded(folder)]), flush=True)
"""


@pytest.fixture(scope="module")
def damaged(tmp_path_factory) -> dict[tuple[str, str], tuple[Path, Path, Any]]:
    """Copies of a cache, damaged in each way, and what became of them; one process runs all."""
    base = tmp_path_factory.mktemp("damaged")
    (base / "small_module.py").write_text(SMALL_MODULE)
    more = {"PYTHONPATH": os.pathsep.join([str(base), environment()["PYTHONPATH"]])}
    whole = base / "whole"
    assert run_python(RUN_TWICE, whole, **more).code == 0
    cases = {(how, suffix): base / f"{how}{suffix}" for how in DAMAGE for suffix in SUFFIXES}
    for (how, suffix), folder in cases.items():
        shutil.copytree(whole, folder)
        for path in folder.rglob(f"*{suffix}"):
            path.write_bytes(DAMAGE[how](path.read_bytes()))
    lines = run_python(RUN_TWICE, *cases.values(), **more).out.splitlines()
    # where damage ends the process there are fewer lines
    return {
        case: (whole, folder, json.loads(line))
        for (case, folder), line in zip(cases.items(), lines, strict=False)
    }


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_code_is_compiled_anew(damaged, suffix, how):
    whole, folder, ((answer, written), (again, kept)) = damaged[how, suffix]
    assert (answer, again) == (12, 12)
    assert {name[-4:] for name in written} == {*SUFFIXES}
    # all files are whole again: nothing is compiled the next time
    assert kept == written
    for path in whole.rglob("*.nbi"):
        assert (folder / path.relative_to(whole)).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_a_file_of_another_function_is_not_run(kept):
    folder, expected, files = kept
    one, *others = [path for path in files if path.suffix == ".nbc"]
    for path, content in files.items():
        path.write_bytes(files[one] if path in others else content)
    assert dealt(folder) == (0, expected, "")


@pytest.mark.slow
def test_whole_code_is_not_compiled_again(kept):
    folder, expected, files = kept
    for path, content in files.items():
        path.write_bytes(content)
    times = {path: path.stat().st_mtime_ns for path in files}
    assert dealt(folder).out == expected
    assert {path: path.stat().st_mtime_ns for path in files} == times


@pytest.mark.slow
def test_nothing_is_left_beside_the_modules(tmp_path, kept):
    # pip does not remove it, and what is left hides the package that is installed next
    answer = dealt(Path(), NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path))
    assert (answer.code, answer.out) == (0, kept[1])
    assert {path.name for path in kept[2]} == {path.name for path in tmp_path.rglob("*.nb?")}


@pytest.mark.slow
def test_no_place_for_a_cache(tmp_path, kept):
    # a file is where the folder should be, and no other place is tried
    place = tmp_path / "file"
    place.touch()
    answer = dealt(place / "folder", NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator")
    assert answer == (0, kept[1], "")


@pytest.mark.slow
def test_a_full_disk(tmp_path, kept):
    # numba takes such a folder as one that can be written, as it does a full disk
    program = PROGRAM.replace("\n", """
import errno, tempfile
from numba.core.caching import IndexDataCacheFile
def full(self, filepath):
    raise OSError(errno.ENOSPC, "No space left on device")
IndexDataCacheFile._open_for_write = full
""", 1)  # fmt: skip
    assert dealt(tmp_path, program) == (0, kept[1], "")


EVERY_FUNCTION = """
import importlib, pkgutil, sys
from numba.core.dispatcher import Dispatcher
for folder in ("kernels", "loaders", "table", "systems", "inference"):
    package = importlib.import_module(f"bidcascade.{folder}")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if "-" not in found.name:  # a library of the core
            importlib.import_module(found.name)
print({
    type(one._cache).__name__
    for name, module in list(sys.modules.items()) if name.startswith("bidcascade.")
    for one in vars(module).values() if isinstance(one, Dispatcher)
})
"""


@pytest.mark.slow
def test_every_function_is_checked():
    assert run_python(EVERY_FUNCTION).out == "{'_CheckedCache'}\n"


def test_numba_is_not_loaded_for_it():
    program = "import sys, bidcascade.kernels; print('numba' in sys.modules)"
    assert run_python(program).out == "False\n"
