"""What is made of the checkout: the page of the package and the image of the service."""

import re
import runpy
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.checkout


def test_links_of_the_package_page_lead_somewhere(monkeypatch):
    given = {}
    monkeypatch.setitem(
        sys.modules, "setuptools", SimpleNamespace(setup=lambda **said: given.update(said))
    )
    runpy.run_path(str(ROOT / "setup.py"))
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    source = urls["Source"]
    assert all(url.startswith("https://") for url in urls.values())
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", given["long_description"])
    assert len(links) > 20
    for image, target in links:
        assert re.match(r"https?://", target), target
        if target.startswith(source):
            path = target.removeprefix(f"{source}/{'raw' if image else 'blob'}/main/")
            assert (ROOT / path).exists(), target


def test_the_image_has_what_it_is_built_of_and_time_to_start():
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {"!pyproject.toml", "!setup.py", "!README.md"} <= set(ignored)
    waits = re.search(r"^READY_S = (\d+)$", (ROOT / "noxfile.py").read_text("utf-8"), re.MULTILINE)
    period = re.search(r"--start-period=(\d+)s", (ROOT / "Dockerfile").read_text("utf-8"))
    # as long as a start on a bare machine may take elsewhere
    assert int(period[1]) >= int(waits[1])
