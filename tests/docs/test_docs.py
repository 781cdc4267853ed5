"""Tables of the pages say what the code does."""

import configparser
import re

import polars as pl
import pytest
import yaml

from bidcascade.engine.runs.batches.batch import LEAST_PART_DEALS
from bidcascade.engine.settings import Settings
from bidcascade.loaders import DEAL_SCHEMA, REJECT_SCHEMA
from bidcascade.service.api.app import create_app
from bidcascade.service.api.http.problems import KINDS as PROBLEMS
from bidcascade.service.cli import make_parser
from bidcascade.table.import_report import FINDINGS
from bidcascade.table.inspection.linting import KINDS
from tests.support.docs import blocks_of, page_text

pytestmark = pytest.mark.checkout


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
