"""Every example in a docstring runs, and ``import bidcascade`` offers its names unloaded."""

import doctest
import importlib
import pkgutil

import pytest

import bidcascade
from bidcascade.engine.engine import Engine
from bidcascade.loaders import read_deals
from bidcascade.version import package_version
from tests.support.cli import run_python

MODULES = ["bidcascade"] + [
    module.name
    # a package that cannot be imported fails in its own test
    for module in pkgutil.walk_packages(bidcascade.__path__, "bidcascade.", lambda name: None)
    if not module.name.endswith(".__main__")
    # the core's libraries look like modules of Python
    and "-" not in module.name
]


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name), name):
        runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_all_packages_are_found():
    packages = {
        "bridge", "kernels", "loaders", "table", "systems", "inference", "page", "engine",
        "seats", "workshop",
        "service", "version",
    }  # fmt: skip
    assert packages == {name.split(".")[1] for name in MODULES[1:]}


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
    ran = run_python(f"{code}; import sys; print(*sys.modules)")
    loaded = ran.out.split()
    assert "bidcascade" in loaded, ran.err
    heavy = {"numpy", "polars", "lark", "fastapi", "rich", "pygls", "lsprotocol", "mcp"}
    assert not heavy & set(loaded)
