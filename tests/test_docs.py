"""The pages are true: examples run and print what is shown, tables say what the code does."""

import configparser
import re

import polars as pl
import pytest
import yaml

from bidcascade.engine.runs.batch import LEAST_PART_DEALS
from bidcascade.engine.settings import Settings
from bidcascade.loaders import DEAL_SCHEMA, REJECT_SCHEMA
from bidcascade.service.api.app import create_app
from bidcascade.service.api.http.problems import KINDS as PROBLEMS
from bidcascade.service.cli import COMMANDS, main, make_parser
from bidcascade.table.import_report import FINDINGS
from bidcascade.table.inspection.linting import KINDS
from tests.support_docs import CHECKOUT, blocks_of, page_text, run_page

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


@pytest.mark.parametrize("name", sorted({*PAGES} - RUN_ELSEWHERE))
def test_examples_run_and_print_what_is_shown(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(f"docs/{name}.md")


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


def test_parts_that_adapt_are_as_small_as_the_pages_say():
    assert f"`--part-deals` of at most {LEAST_PART_DEALS} the" in page_text("docs/scale-out.md")
    assert f"at least {LEAST_PART_DEALS} and" in page_text("docs/command-line.md")


def test_files_for_a_machine_name_what_there_is():
    files = {one.language: one.body for one in blocks_of(page_text("docs/operations.md"))}
    unit = configparser.RawConfigParser(strict=False)
    unit.read_string(files["ini"])
    _, _, words = unit["Service"]["ExecStart"].partition(" ")
    assert make_parser(("serve",)).parse_args(words.split()).log_format == "json"
    composed = yaml.safe_load(files["yaml"])
    variables = set(re.findall(r"BIDCASCADE_\w+", files["ini"] + files["yaml"]))
    assert variables >= {*composed["services"]["bidcascade"]["environment"], "BIDCASCADE_CACHE"}
    known = page_text("docs/settings.md")
    assert [name for name in variables if f"`{name}`" not in known] == []
    assert {*composed["volumes"], *composed["secrets"]} == {"cache", "data", "keys"}


def test_paths_of_the_service_are_named():
    served = set(create_app(Settings(host="127.0.0.1", api_keys_file="")).openapi()["paths"])
    rest = page_text("docs/rest.md")
    named = set(re.findall(r"`(?:GET |POST )?(/v1/[\w/{}-]+|/\w+z|/metrics)", rest))
    named |= set(re.findall(r"get \"?(/v1/(?:auctions|bid))", rest))
    assert named == served
