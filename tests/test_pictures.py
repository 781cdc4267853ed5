"""The pictures of the page in the documentation: all there, as wide as they say, and shown."""

import importlib.util
import struct

import pytest

from tests.support_docs import CHECKOUT, page_text


@pytest.fixture(scope="module")
def maker():
    page_text("docs/make_pictures.py")
    spec = importlib.util.spec_from_file_location(
        "make_pictures", CHECKOUT / "docs/make_pictures.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_all_pictures(maker):
    assert page_text("docs/pictures.md") == maker.pictures_page(), "run docs.make_pictures"


def test_all_pictures_are_there_as_wide_as_their_screens(maker):
    named = {
        maker.picture_name(view.__name__, of, scheme): width
        for view in maker.VIEWS
        for of, width in maker.WIDTHS.items()
        for scheme in maker.SCHEMES
    }
    assert {file.name for file in maker.PICTURES.iterdir()} == set(named)
    sizes = []
    for name, width in named.items():
        content = (maker.PICTURES / name).read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        pixels, height = struct.unpack(">II", content[16:24])
        assert pixels == width.pixels
        assert 0 < height <= width.most
        sizes.append(len(content))
    assert sum(sizes) <= maker.MOST_BYTES
