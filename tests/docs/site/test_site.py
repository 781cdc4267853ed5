"""The site of the pages builds without a warning, is whole, and needs no other host."""

import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.check.kinds import is_woken
from tests.check.missing import missing
from tests.support.docs import CHECKOUT

pytestmark = [pytest.mark.checkout, pytest.mark.slow]
TOOLS = ("mkdocs", "material", "mkdocstrings", "mkdocstrings_handlers.python")
FETCHED = {"preconnect", "prefetch", "preload", "modulepreload", "stylesheet", "icon", "manifest"}
"""Kinds of links that a browser follows by itself."""


class ReadPage(HTMLParser):
    """What a page of the site names, leads to and fetches."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.schemes: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])
        if values.get("src"):
            self.fetched.add(values["src"])
        if tag == "link" and FETCHED & set((values.get("rel") or "").split()):
            self.fetched.add(values["href"])
        if values.get("data-md-color-scheme"):
            self.schemes.add(values["data-md-color-scheme"])


def mkdocs(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Build with MkDocs in the checkout; a missing tool skips, in CI it fails."""
    for tool in TOOLS:
        try:
            found = importlib.util.find_spec(tool) is not None
        except ModuleNotFoundError:
            found = False
        if not found:
            missing(f"no {tool}: the extra 'docs' is not installed")
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", *arguments],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"},
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Folder with the built site."""
    folder = tmp_path_factory.mktemp("site")
    built = mkdocs("--site-dir", str(folder))
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, ReadPage]:
    return {file.relative_to(site): ReadPage(file) for file in sorted(site.rglob("*.html"))}


def test_every_page_is_built_and_in_the_navigation(site, pages):
    names = [path.stem for path in (CHECKOUT / "docs").glob("*.md") if path.stem != "README"]
    expected = {f"{name}.html" for name in names} | {"index.html", "CHANGELOG.html"}
    assert len(expected) > 25
    assert expected <= {str(path) for path in pages}
    navigation = set(
        re.findall(
            r'href="([\w./-]+\.html)" class="md-nav__link"',
            (site / "tutorial.html").read_text("utf-8"),
        )
    )
    results = {
        path.relative_to(CHECKOUT).with_suffix(".html").as_posix()
        for path in (CHECKOUT / "benchmarks" / "results").rglob("*.md")
    }
    assert results
    assert (expected | results) - {"tutorial.html"} <= navigation | {"index.html"}


def test_links_lead_to_pages_and_headings(pages, site):
    broken = []
    checked = 0
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links | page.fetched:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (site / path.parent / unquote(parts.path)).resolve() if parts.path else None
            target = site / path if target is None else target
            if target.is_dir():
                target /= "index.html"
            checked += 1
            if not target.is_file():
                broken.append(f"{path}: {link}")
            elif parts.fragment and target.suffix == ".html":
                anchors = pages[target.relative_to(site)].anchors
                if unquote(parts.fragment) not in anchors:
                    broken.append(f"{path}: {link}: no such heading")
    assert not broken
    assert checked > 5000


def test_nothing_is_fetched_from_other_hosts(pages, site):
    assert all(
        not urlsplit(link).netloc and urlsplit(link).scheme in ("", "data")
        for page in pages.values()
        for link in page.fetched
    )
    for file in site.rglob("*.css"):
        text = file.read_text("utf-8")
        outside = re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\"']*", text)
        assert not outside, file.name
    home = (site / "index.html").read_text("utf-8")
    assert "fonts.g" not in home
    # dark and light, and a search that works with what was built
    assert pages[Path("index.html")].schemes == {"default", "slate"}
    assert (site / "search" / "search_index.json").is_file()


def test_what_the_code_says_is_there(site, pages):
    table = pages[Path("python/table.html")]
    assert "bidcascade.table.BiddingTable" in table.anchors
    assert "bidcascade.systems.import_table" in pages[Path("python/systems.html")].anchors
    assert "bidcascade.bridge.parse_deal" in pages[Path("python/bridge.html")].anchors
    rest = (site / "rest-api.html").read_text("utf-8")
    for route in ("/v1/auctions", "/v1/bid", "/v1/jobs/{id}", "/metrics"):
        assert f" {route}<" in rest
    assert "Stayman" in (site / "systems" / "texts" / "sayc.bidding.html").read_text("utf-8")


def test_all_pictures_are_shown(site, pages):
    """Every view of the page, on a desk and a phone, light and dark."""
    if not (CHECKOUT / "build" / "pictures" / "pictures.md").is_file():
        if not is_woken("pictures"):
            pytest.skip("no pictures are made for a change that does not touch the page")
        missing("no pictures: python -m docs.make_pictures")
    shown = {one for one in pages[Path("pictures.html")].fetched if one.startswith("pictures/")}
    kinds = [f"{of}-{scheme}.png" for of in ("desk", "phone") for scheme in ("light", "dark")]
    views = {one.removeprefix("pictures/").partition("-")[0] for one in shown}
    assert shown == {f"pictures/{view}-{kind}" for view in views for kind in kinds}
    assert len(views) >= 12
    for one in shown:
        assert (site / one).read_bytes().startswith(b"\x89PNG")


def test_names_of_files_in_links_become_titles(site):
    home = (site / "index.html").read_text("utf-8")
    assert '<a href="systems.html">Bidding systems as text</a>' in home
    assert ">systems.md<" not in home
    # the file's name stands above a block that is to be saved
    assert '<span class="filename">ours.bidding</span>' in (site / "tutorial.html").read_text()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[there](nowhere.md)", "nowhere.md"),
        ("[there](#no-such-heading)", "no-such-heading"),
        ("[there](other.md)", 'not included in the "nav"'),
    ],
)
def test_a_fault_ends_the_build(text, complaint, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Start\n\n{text}\n", "utf-8")
    if "other" in text:
        (tmp_path / "docs" / "other.md").write_text("# Other\n", "utf-8")
    (tmp_path / "mkdocs.yml").write_text(
        f"INHERIT: {CHECKOUT / 'mkdocs.yml'}\ndocs_dir: docs\nhooks: []\nplugins: []\n"
        "nav: [index.md]\nextra_css: []\n",
        "utf-8",
    )
    built = mkdocs("-f", str(tmp_path / "mkdocs.yml"), "--site-dir", str(tmp_path / "site"))
    assert built.returncode == 1
    assert complaint in built.stderr
