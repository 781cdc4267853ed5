"""The pictures that git keeps: few, as wide as they say, and each shown by a page."""

import re
import struct

import pytest

from tests.support.docs import CHECKOUT, page_text

pytestmark = pytest.mark.checkout

FEW = 4
PAGES = ("README.md", "docs/web.md")
DESK, MOST = 1280, 900


def kept():
    """Pictures in ``docs``, by their paths there."""
    folder = CHECKOUT / "docs"
    return {
        file.relative_to(folder).as_posix(): file
        for kind in ("svg", "png")
        for file in folder.rglob(f"*.{kind}")
    }


def test_few_pictures_are_kept_and_all_are_shown():
    shown = {
        name.removeprefix("docs/")
        for page in PAGES
        for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page_text(page))
    }
    assert shown == set(kept())
    assert len(shown) <= FEW


def test_kept_pictures_are_those_of_a_desk():
    pictures = [file for name, file in kept().items() if name.endswith(".png")]
    assert pictures
    for file in pictures:
        content = file.read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        pixels, height = struct.unpack(">II", content[16:24])
        assert pixels == DESK
        assert 0 < height <= MOST
        # few colours: a page is read over slow lines too
        assert len(content) < 60_000
