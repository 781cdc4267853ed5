"""Tests that CI tries again: those that are named, which are there, and no others."""

import ast
from types import SimpleNamespace

import pytest

from tests.check.second_tries import FLAKY, FOLDER, allow_second_tries


@pytest.mark.parametrize("entry", FLAKY)
def test_what_is_named_is_there(entry):
    file, _, function = entry.partition("::")
    tree = ast.parse((FOLDER / file).read_text("utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert not function or function in functions


@pytest.mark.parametrize(
    ("file", "name", "fixtures", "again"),
    [
        ("service/jobs/test_kills.py", "test_the_service[first]", [], True),
        (
            "engine/runs/test_augment_dd.py",
            "test_a_killed_run_is_resumed_with_the_same_bytes[a]",
            [],
            True,
        ),
        ("workshop/evidence/test_mine_run.py", "test_nothing_is_lost", ["tmp_path"], False),
        ("bridge/test_laws.py", "test_killed_at_any_moment", [], False),
        ("page/systems/test_page_systems.py", "test_leads", ["visit", "browser"], True),
        ("page/sites/test_page_routes.py", "test_leads", ["service"], False),
    ],
)
def test_only_what_is_named_is_tried_again_and_in_ci_alone(
    file, name, fixtures, again, monkeypatch
):
    marks = []
    item = SimpleNamespace(
        path=FOLDER / file, name=name, fixturenames=fixtures, add_marker=marks.append
    )
    monkeypatch.delenv("CI", raising=False)
    allow_second_tries([item])
    assert marks == []
    monkeypatch.setenv("CI", "true")
    allow_second_tries([item])
    assert [mark.name for mark in marks] == ["flaky"] * again
