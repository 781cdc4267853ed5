"""What is made of the checkout: the page of the package and the image of the service."""

import ast
import re
import runpy
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]

_ROWS = (ast.Tuple, ast.List, ast.Dict, ast.Call)
_FMT_SKIP = "# fmt: skip"

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


def test_images_of_others_are_named_by_digest():
    """A tag may stand for another image tomorrow."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = re.findall(r"^FROM +(\S+)(?: +AS +(\S+))?", text, re.MULTILINE | re.IGNORECASE)
    stages = {name for _, name in lines if name}
    others = [image for image, _ in lines if re.sub(r"\$\{GPU\}", "0", image) not in stages]
    others += re.findall(r"^COPY.* --from=(?!build )(\S+)", text, re.MULTILINE)
    assert len(others) == 2
    for image in others:
        assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image


def test_the_client_alone_is_of_the_same_sources():
    whole, alone = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder in ("", "client")
    )
    for name in ("version", "requires-python", "license"):
        assert alone[name] == whole[name], name
    asked = {*whole["dependencies"], *whole["optional-dependencies"]["client"]}
    assert set(alone["dependencies"]) <= asked
    links = {
        link.relative_to(ROOT / "client").as_posix(): link.resolve().relative_to(ROOT).as_posix()
        for link in (ROOT / "client").rglob("*")
        if link.is_symlink()
    }
    assert links.pop("LICENSE") == "LICENSE"
    for name, source in links.items():
        inside = name.removeprefix("bidcascade/")
        assert source in (inside, f"package/{inside}"), name
    assert {
        "bidcascade/bridge", "bidcascade/service/client",
        "build_backend/client_backend.py", "build_backend/client_types.py",
    } <= set(links)  # fmt: skip


def test_the_client_alone_says_that_it_has_no_engine(monkeypatch):
    import bidcascade

    # what is absent where only the client is installed
    for name in ("bidcascade.engine.engine", "bidcascade.loaders"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("Engine", "read_deals"):
        with pytest.raises(ImportError, match="expected the distribution bidcascade for"):
            bidcascade.__getattr__(name)


def _table_lines(tree: ast.AST) -> set[int]:
    """Lines at which a display of rows may end: two lines or more with several values each."""
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            continue
        values = node.values if isinstance(node, ast.Dict) else node.elts
        starts = Counter(value.lineno for value in values)
        is_rows = all(
            isinstance(value, ast.Tuple | ast.List | ast.Dict | ast.Call) for value in values
        )
        if sum(count > 1 for count in starts.values()) > 1 or (
            is_rows and len(starts) == len(values) > 1
        ):
            found.update(range(node.lineno, (node.end_lineno or 0) + 4))
    return found


def test_only_tables_are_kept_from_the_formatter():
    unmeant = []
    for path in sorted(ROOT.rglob("*.py")):
        folder = path.relative_to(ROOT).parts[0]
        if folder in {"build", "client", "docs"} or folder.startswith("."):
            continue
        text = path.read_text("utf-8")
        lines = [
            number for number, line in enumerate(text.splitlines(), 1) if line.endswith(_FMT_SKIP)
        ]
        if lines:
            tables = _table_lines(ast.parse(text))
            unmeant += [f"{path.relative_to(ROOT)}:{line}" for line in lines if line not in tables]
    assert not unmeant, "lines that are no table's: let the formatter write them"


def test_who_may_write_no_long_file_writes_no_bytecode():
    limit, means = "RLIMIT_" + "FSIZE", "NO_BYTECODE"
    texts = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    limited = {path for path, text in texts.items() if limit in text}
    assert limited
    assert all(f"environment(**{means})" in texts[path] for path in limited)
