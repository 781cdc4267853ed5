"""What `import bidcascade` offers, and what it does not load."""

import os
import subprocess
import sys

import pytest

import bidcascade
from bidcascade.loaders import read_deals
from bidcascade.service.engine import Engine
from bidcascade.service.version import package_version


def modules_after(code):
    """Names of the modules that a new process has loaded after some code."""
    answer = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return set(answer.stdout.split())


def test_the_names_are_those_of_their_homes():
    assert bidcascade.Engine is Engine
    assert bidcascade.read_deals is read_deals
    assert bidcascade.__version__ == package_version()
    assert (
        {"Engine", "read_deals", "__version__"} == set(bidcascade.__all__) <= set(dir(bidcascade))
    )


def test_another_name_is_an_error():
    with pytest.raises(AttributeError, match="module 'bidcascade' has no attribute 'Motor'"):
        _ = bidcascade.Motor


@pytest.mark.parametrize("code", ["import bidcascade", "from bidcascade import __version__"])
def test_nothing_heavy_is_loaded(code):
    heavy = {"numba", "numpy", "polars", "lark", "fastapi", "rich"}
    assert not heavy & modules_after(code)
