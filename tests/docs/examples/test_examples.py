"""Examples of the pages run, and print what is shown."""

import re

import polars as pl
import pytest

from bidcascade.loaders import REJECT_SCHEMA
from bidcascade.service.cli import COMMANDS, main
from tests.support.docs import CHECKOUT, blocks_of, page_text, run_page

pytestmark = [pytest.mark.checkout, pytest.mark.slow]

PAGES = sorted(
    page.stem
    for page in (CHECKOUT / "docs").glob("*.md")
    if any(
        block.language in ("sh", "python", "pycon") for block in blocks_of(page.read_text("utf-8"))
    )
)
RUN_ELSEWHERE = {"clients", "command-line"}
"""Pages that need more: the first one asks a running service (``test_client_service.py``)."""


@pytest.fixture(scope="module", autouse=True)
def new_cache(tmp_path_factory):
    """Let examples find nothing that earlier runs left on this machine: they show a first run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDCASCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.page("docs/command-line.md")
def test_every_command_has_its_example_and_files_of_a_batch_are_as_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert set(COMMANDS) <= set(run_page("docs/command-line.md"))
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


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.page(f"docs/{name}.md"))
        for name in sorted({*PAGES} - RUN_ELSEWHERE)
    ],
)
def test_examples_run_and_print_what_is_shown(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(f"docs/{name}.md")


@pytest.mark.page("README.md")
def test_examples_of_the_readme_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run_page("README.md")
    assert {"curl", "python", "load", "augment", "batch", "table", "bid"} <= set(ran)
    assert (tmp_path / "answers" / "manifest.json").is_file()
