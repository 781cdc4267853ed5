"""Kinds of tests: every file of tests and every room has its own, and changes wake them."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.check.kinds import (
    BROWSER,
    KINDS,
    ROWS,
    STEPS,
    TESTS,
    VARIABLE,
    changed_paths,
    is_passed_over,
    kind_of,
    runs,
    woken,
)

WOKEN = {
    "docs/web.md": {"site", "docs/web.md"},
    "README.md": {"site", "README.md"},
    "docs/site_rest.py": {"docs", "site"},
    "systems/texts/sayc.bidding": {"systems", "docs"},
    "service/api/http/limits.py": {"service", "docs", "site", "recorded"},
    "service/jobs/queue.py": {"service", "kills", "docs", "site", "bombs", "recorded"},
    "docs/pictures/call-desk-light.png": {"docs", "site", "pictures"},
    "page/static/bridge/deal_value.js": {"page", "browser", "pictures", "docs", "site"},
    "kernels/core/rows.hpp": {
        "core",
        "kernels",
        "loaders",
        "builds",
        "page",
        "table",
        "systems",
        "inference",
        "engine",
        "docs",
        "site",
        "bombs",
        "recorded",
    },
    "tests/recorded/digests.txt": {"recorded"},
    "engine/questions/inference/leads.py": {
        "engine",
        "service",
        "client",
        "docs",
        "site",
        "recorded",
    },
    "tests/bridge/test_cards.py": {"bridge/test_cards.py"},
    "tests/durations.json": set(),
    "kernels/gpu/tables/columns.cu": {"kernels", "emulator"},
}


@pytest.mark.parametrize("path", WOKEN)
def test_what_a_path_wakes(path):
    assert woken([path]) == WOKEN[path]


@pytest.mark.parametrize(
    "path",
    [
        ".ci/run", "noxfile.py", "pyproject.toml", "constraints.txt", "bridge/cards.py", "setup.py",
        "build_backend/language_data.py", "tests/conftest.py", "tests/check/durations.py",
        "Dockerfile", "a-new-folder/one.py",
    ],
)  # fmt: skip
def test_paths_that_no_row_names_wake_everything(path):
    assert woken(["docs/web.md", path, "page/bundle.py"]) is None


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("systems/language/words/phrases.py", "systems/system.py"),
        ("table/language/expressions.lark", "table/judging.py"),
    ],
)
def test_what_the_data_of_the_page_is_made_of_wakes_the_browser(path, beside):
    assert woken([path]) == woken([beside]) | {"page", BROWSER}


def test_means_of_tests_wake_the_files_that_stand_on_them():
    found = woken(["tests/page/boards/support_archives.py"])
    assert "page/boards/test_page_archives.py" in found
    assert not {"page/test_bid.py", "table/test_storage.py", *KINDS} & found
    # by way of others, and of programs that tests start
    found = woken(["tests/service/jobs/support_killed_job.py"])
    assert "service/jobs/test_disturbed_jobs.py" in found
    assert "benchmarks" in woken(["tests/support/deals.py"])
    found = woken(["tests/page/support_browser.py"])
    assert {"page/test_bid.py", "page/engine/test_engine_rows.py"} <= found
    assert woken(["tests/bombs/support_child.py"]) >= {"bombs/test_bombs.py"}
    found = woken(["tests/core/hands/criteria.py"])
    assert "core/hands/test_core_lowering.py" in found
    assert "systems/words/test_criterion_words.py" not in found
    # the check itself stands on some, and nothing names others
    assert woken(["tests/check/missing.py"]) is None
    assert woken(["tests/soak.py"]) is None


def test_changes_add_up():
    assert woken(["docs/web.md", "service/jobs/queue.py"]) == {
        "docs/web.md",
        "docs",
        "site",
        "service",
        "kills",
        "bombs",
        "recorded",
    }
    assert woken([]) == set()


def test_every_kind_is_that_of_a_test_and_is_woken_by_a_row():
    of_tests = {kind_of(file.relative_to(TESTS).as_posix()) for file in TESTS.rglob("test_*.py")}
    assert set(KINDS) | {None} == of_tests
    by_rows = {kind for _, kinds in ROWS for kind in kinds.split()}
    # what lies deepest is under everything: a change of bridge runs it all, one of the extras, and
    # one of the means of tests
    assert by_rows | {"bridge", "extras", "tests"} == {*KINDS, BROWSER, *STEPS.values()}


@pytest.mark.parametrize(
    ("file", "fixtures", "is_property", "wanted"),
    [
        ("systems/shipped/test_sayc.py", [], False, True),
        ("table/test_storage.py", [], False, True),
        ("table/test_trie_properties.py", [], False, False),
        ("table/test_trie_properties.py", [], True, True),
        ("test_repository.py", [], False, True),
        ("page/test_bid.py", ["browser"], False, False),
        ("page/test_page_engine.py", ["visit", "browser"], True, False),
        ("kernels/test_cuda_answers.py", [], True, False),
    ],
)
def test_which_tests_run(monkeypatch, file, fixtures, is_property, wanted):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert runs(file, fixtures, is_property=is_property)
    monkeypatch.setenv(VARIABLE, "docs systems table/test_storage.py")
    assert runs(file, fixtures, is_property=is_property) is wanted


@pytest.mark.parametrize(("wanted", "is_run"), [("README.md", False), ("docs/jobs.md", True)])
def test_a_page_wakes_its_own_examples(monkeypatch, wanted, is_run):
    monkeypatch.setenv(VARIABLE, wanted)
    file = "docs/examples/test_examples.py"
    assert runs(file, (), is_property=False, page="docs/jobs.md") is is_run
    assert not is_passed_over(file)


def test_who_reads_a_page_is_woken_by_it():
    for file in TESTS.rglob("test_*.py"):
        if kind_of(file.relative_to(TESTS).as_posix()) is not None:
            text = file.read_text("utf-8")
            pages = set(re.findall(r'(?:page_text|run_page)\("([^"]+)"\)', text))
            assert pages <= set(re.findall(r'mark\.page\("([^"]+)"\)', text)), file


@pytest.mark.parametrize(
    ("file", "wanted", "is_left"),
    [
        ("service/cli/test_cli_errors.py", "docs", True),
        ("service/cli/test_cli_errors.py", "docs service", False),
        ("service/cli/test_cli_errors.py", "service/cli/test_cli_errors.py", False),
        # any file may have tests in the browser, properties run always, files without a kind too
        ("service/cli/test_cli_errors.py", "browser", False),
        ("service/cli/test_cli_errors.py", "docs/jobs.md", True),
        ("table/test_trie_properties.py", "docs", False),
        ("test_repository.py", "", False),
    ],
)
def test_files_that_are_not_even_imported(monkeypatch, file, wanted, is_left):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert not is_passed_over(file)
    monkeypatch.setenv(VARIABLE, wanted)
    assert is_passed_over(file) is is_left


def test_files_without_a_test_of_the_checkout_are_not_imported_for_those(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert is_passed_over("table/test_storage.py", "checkout")
    assert not is_passed_over("table/test_storage.py", "not checkout")
    assert not is_passed_over("docs/test_docs.py", "checkout")


def git(folder: Path, *words: str) -> str:
    names = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    told = subprocess.run(
        ["git", "-C", str(folder), *names, *words], capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


@pytest.fixture
def checkout(tmp_path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-q")
    for name in ("first", "moved"):
        (folder / name).write_text(f"{name}\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "passed everything")
    (folder / "checked").write_text(git(folder, "rev-parse", "HEAD"))
    git(folder, "mv", "moved", "new name")
    git(folder, "commit", "-q", "-m", "moved")
    return folder


def test_changes_since_the_commit_that_passed(checkout):
    (checkout / "first").write_text("not committed\n")
    assert changed_paths(checkout, checkout / "checked") == ["first", "moved", "new name"]


@pytest.mark.parametrize("content", ["", "0" * 40, "--help", "HEAD~7", "é"])
def test_a_base_that_is_none(checkout, content):
    (checkout / "checked").write_text(content, "utf-8")
    assert changed_paths(checkout, checkout / "checked") is None
    assert changed_paths(checkout, checkout / "missing") is None


def test_a_clone_without_history(checkout, tmp_path):
    shallow = tmp_path / "shallow"
    git(checkout, "clone", "-q", "--depth", "1", f"file://{checkout}", str(shallow))
    assert changed_paths(shallow, checkout / "checked") is None
    assert changed_paths(tmp_path, checkout / "checked") is None
