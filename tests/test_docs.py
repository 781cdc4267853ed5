"""The pages are true: links lead somewhere, examples run and print what is shown."""

import importlib
import json
import re
from pathlib import Path

import polars as pl
import pytest

from bidcascade.loaders import DEAL_SCHEMA, REJECT_SCHEMA
from bidcascade.service.cli import COMMANDS, main
from bidcascade.service.problems import KINDS as PROBLEMS
from bidcascade.table.import_report import FINDINGS
from bidcascade.table.lint import KINDS
from tests.support_docs import CHECKOUT, blocks_of, page_text, run_page

pytestmark = pytest.mark.slow

PAGES = (
    "announcements", "augmented-columns", "clients", "command-line", "compare", "deal-frame",
    "double-dummy", "engine", "expressions", "gpu", "inference", "jobs", "learning", "mining",
    "operations", "overlays", "rest", "scale-out", "semantics", "simulation",
    "single-dummy", "systems", "tables", "tutorial", "vetting",
)  # fmt: skip
RUN_ELSEWHERE = {"clients", "command-line"}
"""Pages that need more: the first one asks a running service (``test_client_service.py``)."""
GENERATED = {"terms", "settings"}
OTHERS = {"README", "decisions", "system-program", "web"}
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def all_pages() -> list[Path]:
    """Markdown files of the checkout; skips where there is none."""
    page_text("docs/README.md")
    folders = ("", "docs", "benchmarks")
    return [page for folder in folders for page in sorted((CHECKOUT / folder).glob("*.md"))]


def headings(page: Path) -> set[str]:
    """Anchors of a page as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_pages_are_those_that_are_tested():
    names = {page.stem for page in all_pages() if page.parent.name == "docs"}
    assert names == {*PAGES, *GENERATED, *OTHERS}


def test_index_names_every_page():
    index = page_text("docs/README.md")
    linked = set(re.findall(r"\]\((\w[\w-]*)\.md\)", index))
    assert linked == {*PAGES, *GENERATED, *OTHERS} - {"README"}


def test_links_lead_somewhere():
    broken = []
    for page in all_pages():
        text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in _LINK.findall(text):
            if target.startswith(("http://", "https://")):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists() or not file.is_relative_to(CHECKOUT):
                broken.append(f"{page.name}: {target}")
            elif anchor and anchor not in headings(file):
                broken.append(f"{page.name}: {target}: no such heading")
    assert not broken


@pytest.mark.parametrize("name", [name for name in PAGES if name not in RUN_ELSEWHERE])
def test_examples_run_and_print_what_is_shown(name, tmp_path, monkeypatch):
    page = f"docs/{name}.md"
    page_text(page)
    monkeypatch.chdir(tmp_path)
    assert run_page(page)


@pytest.mark.parametrize("name", PAGES)
def test_few_blocks_are_not_run(name):
    marks = [block.mark for block in blocks_of(page_text(f"docs/{name}.md"))]
    assert marks.count("not run") <= 1


@pytest.fixture(scope="module")
def command_line(tmp_path_factory):
    """Folder in which the page of the command line was run, and the commands that ran."""
    page_text("docs/command-line.md")
    folder = tmp_path_factory.mktemp("command-line")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder, run_page("docs/command-line.md")


def test_every_command_has_its_example(command_line):
    _, ran = command_line
    assert set(COMMANDS) <= set(ran)


def test_files_of_a_batch_are_as_listed(command_line, monkeypatch):
    folder, _ = command_line
    monkeypatch.chdir(folder)
    listed = {
        (file.replace("*", "00000"), mode.split()[0].strip("`")): columns
        for file, mode, columns in re.findall(
            r"^\| `([\w*-]+\.parquet)` \| (.*?) \| `(.*?)`", page_text("docs/command-line.md"), re.M
        )
    }
    assert len(listed) == 6
    for mode in ("first", "counts"):
        assert main(["batch", "deals.parquet", "--out", mode, "--mode", mode]) == 0
    for (file, mode), columns in listed.items():
        if mode == "each":
            assert columns.split() == REJECT_SCHEMA.names()
            continue
        answers = "answers" if mode == "all" else mode
        assert list(pl.read_parquet_schema(f"{answers}/{file}")) == columns.split(), file


def test_every_column_of_the_deal_frame_is_explained():
    text = page_text("docs/deal-frame.md")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (.*?) \|", text, re.MULTILINE)
    explained = [(name, kind) for names, kind in rows for name in re.findall(r"`(\w+)`", names)]
    deals = explained[: len(DEAL_SCHEMA)]
    assert [name for name, _ in deals] == DEAL_SCHEMA.names()
    for name, kind in deals:
        assert kind == kind_of(DEAL_SCHEMA[name]), name
    rejects = explained[len(DEAL_SCHEMA) : len(DEAL_SCHEMA) + len(REJECT_SCHEMA)]
    assert [(name, kind) for name, kind in rejects] == [
        (name, kind_of(dtype)) for name, dtype in REJECT_SCHEMA.items()
    ]


def kind_of(dtype: pl.DataType) -> str:
    """Type as the page writes it."""
    if isinstance(dtype, pl.Enum):
        return "Enum " + " ".join(dtype.categories)
    if isinstance(dtype, pl.List):
        return f"List({dtype.inner})"
    return str(dtype)


def test_findings_and_problems_are_explained():
    tables, rest = page_text("docs/tables.md"), page_text("docs/rest.md")
    for kinds in (FINDINGS, KINDS):
        for kind, meaning in kinds.items():
            assert f"| `{kind}` | {meaning}" in tables, kind
    for kind, problem in PROBLEMS.items():
        assert f"| {problem.status} | `{kind}` |" in rest, kind


def test_changes_name_all_that_is_public():
    text = page_text("CHANGELOG.md")
    sections = dict(re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", text, re.M | re.S))
    for package in ("bridge", "kernels", "loaders", "table", "inference", "service"):
        named = set(re.findall(r"`(\w+)`", sections[f"`bidcascade.{package}`"]))
        public = set(importlib.import_module(f"bidcascade.{package}").__all__)
        assert public <= named, sorted(public - named)
    commands = re.findall(r"^- `([a-z][\w-]*)", sections["Command line"], re.M)
    assert set(commands) == set(COMMANDS)


def test_paths_of_the_service_are_named():
    served = set(json.loads(page_text("docs/openapi.json"))["paths"])
    for page in ("README.md", "docs/rest.md"):
        named = set(re.findall(r"`(?:GET |POST )?(/v1/[\w/{}]+|/\w+z|/metrics)", page_text(page)))
        named |= set(re.findall(r"get \"?(/v1/(?:auctions|bid))", page_text(page)))
        assert named == served, page
