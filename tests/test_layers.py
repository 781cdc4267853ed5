"""No import runs up: the layers of the code, read from the imports of every file.

And what ``import bidcascade`` offers without loading it.
"""

import os
import subprocess
import sys

import pytest

import bidcascade
from bidcascade.loaders import read_deals
from bidcascade.service.engine import Engine
from bidcascade.service.version import package_version
from tests.support_layers import BELOW, IN_ONE_FILE, libraries_of, offences, package_folder

FOLDERS = {name: folder for name in BELOW if (folder := package_folder(name)) is not None}


@pytest.mark.parametrize("name", FOLDERS)
def test_imports_run_down(name):
    files = sorted(FOLDERS[name].rglob("*.py"))
    assert files
    found = [
        offence
        for file in files
        for offence in offences(
            name, file.relative_to(FOLDERS[name]).as_posix(), file.read_text("utf-8")
        )
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("libraries", IN_ONE_FILE, ids=" ".join)
def test_one_file_knows_the_library(libraries):
    for name, folder in FOLDERS.items():
        users = [
            f"{name}/{file.relative_to(folder).as_posix()}"
            for file in folder.rglob("*.py")
            if libraries & libraries_of(file.read_text("utf-8"))
        ]
        assert len(users) <= 1, users


def test_the_packages_are_found():
    assert {"bridge", "kernels", "loaders", "table", "service"} <= FOLDERS.keys()


@pytest.mark.parametrize(
    ("folder", "source", "reason"),
    [
        ("kernels", "from bidcascade.table import BiddingTable", "kernels may not import table"),
        ("bridge", "import bidcascade.kernels.types", "bridge may not import kernels"),
        ("table", "def f():\n    from bidcascade.loaders import x", "table may not import loaders"),
        ("loaders", "from bidcascade import table", "loaders may not import table"),
        ("table", "from bidcascade.service.app import make", "table may not import service"),
        ("inference", "import bidcascade.service", "inference may not import service"),
        ("service", "import bidcascade", "service may not import bidcascade"),
        ("service", "from bidcascade.service import app", "import relatively"),
        ("service", "from table import BiddingTable", "'table' is no importable package"),
        ("service", "from tests.support_layers import BELOW", "'tests' is no importable package"),
        ("service", "import benchmarks", "'benchmarks' is no importable package"),
        ("kernels", "from ..bridge import Deal", "leaves the folder"),
        ("kernels", "import polars as pl", "polars belongs in inference and loaders"),
        ("kernels", "import pyarrow", "kernels may not import pyarrow"),
        ("bridge", "import numpy", "bridge may not import numpy"),
        ("loaders", "from starlette.responses import Response", "starlette belongs in service"),
        ("table", "import uvicorn", "uvicorn belongs in service"),
        ("table", "from fastapi import FastAPI", "fastapi belongs in service"),
        ("table", "import endplay.types", "endplay belongs in inference and loaders"),
        ("service", "import cupy", "cupy belongs in kernels"),
        ("table", "import importlib\nimportlib.import_module('cudf')", "cudf belongs in kernels"),
        ("bridge", "if TYPE_CHECKING:\n    import polars", "polars belongs in"),
    ],
)
def test_a_bad_import_is_caught(folder, source, reason):
    (offence,) = offences(folder, "bad.py", source)
    assert offence.startswith(f"{folder}/bad.py:{source.count(chr(10)) + 1}: ")
    assert reason in offence


@pytest.mark.parametrize(
    ("folder", "path", "source"),
    [
        ("bridge", "deals.py", "import re\nfrom .cards import FULL_DECK\nfrom . import hands"),
        (
            "kernels",
            "cuda.py",
            "import numpy as np\nimport cupy\nfrom bidcascade.bridge import Seat",
        ),
        ("table", "systems/reader.py", "from ..entries import Entry\nimport lark, polars"),
        ("service", "app.py", "import fastapi\nfrom bidcascade.loaders import read_deals"),
        ("loaders", "dd.py", "import endplay\nfrom bidcascade.kernels.types import U64"),
    ],
)
def test_a_good_import_passes(folder, path, source):
    assert offences(folder, path, source) == []


def modules_after(code):
    """Names of the modules that a new process has loaded after some code."""
    answer = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return set(answer.stdout.split())


def test_names_of_the_package_are_those_of_their_homes():
    assert bidcascade.Engine is Engine
    assert bidcascade.read_deals is read_deals
    assert bidcascade.__version__ == package_version()
    assert (
        {"Engine", "read_deals", "__version__"} == set(bidcascade.__all__) <= set(dir(bidcascade))
    )


def test_another_name_of_the_package_is_an_error():
    with pytest.raises(AttributeError, match="module 'bidcascade' has no attribute 'Motor'"):
        _ = bidcascade.Motor


@pytest.mark.parametrize("code", ["import bidcascade", "from bidcascade import __version__"])
def test_the_package_loads_nothing_heavy(code):
    heavy = {"numba", "numpy", "polars", "lark", "fastapi", "rich"}
    assert not heavy & modules_after(code)
