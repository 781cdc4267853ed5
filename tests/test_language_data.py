"""What ``build_backend/language_data.py`` writes: of the language as it is, by each build."""

import re
import runpy
import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.support.docs import CHECKOUT

pytestmark = pytest.mark.checkout
WRITER = "build_backend/language_data.py"
SOURCES = ("build_backend", "bridge", "kernels", "systems", "table")
ROW = 'PhraseKind("queens", "range MEASURE{queens|queen}", 4, term="Queens"),'
ADDED = 'PhraseKind("tens", "range MEASURE{tens|ten}", 4, term="Tens"),'
MADE = {
    "page/static/engine/language/grammar_data.js",
    "page/static/engine/language/phrases_data.js",
    "systems/language/grammar/bidding.json",
}
"""What is made of a row of the catalogue of phrases, where there are no editors."""


@pytest.fixture(scope="module")
def names():
    """Paths of the files that are written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CHECKOUT / "build_backend")
        return sorted(runpy.run_path(str(CHECKOUT / WRITER))["written_files"]())


@pytest.fixture
def sources(tmp_path, names):
    """Copy of the sources as an sdist has them, without what is written."""
    made = {str(CHECKOUT / name) for name in names}

    def left_out(folder, inside):
        return {name for name in inside if f"{folder}/{name}" in made or name == "__pycache__"}

    for folder in SOURCES:
        shutil.copytree(CHECKOUT / folder, tmp_path / folder, ignore=left_out)
    for name in names:
        if name.startswith("page/"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    return tmp_path


def write(folder, *flags):
    command = [sys.executable, *flags, "-B", str(folder / WRITER)]
    return subprocess.run(command, capture_output=True, text=True)


def contents(folder, names):
    return {name: (folder / name).read_bytes() for name in names if (folder / name).exists()}


def test_git_leaves_out_what_is_written(names):
    ignored = (CHECKOUT / ".gitignore").read_text("utf-8").splitlines()
    assert {f"/{name}" for name in names} <= set(ignored)


def test_a_copy_without_editors_has_all_else(sources, names):
    ran = write(sources)
    assert ran.returncode == 0, ran.stderr
    wanted = [name for name in names if not name.startswith("editors/")]
    assert len(wanted) == len(names) - 1
    assert contents(sources, names) == contents(CHECKOUT, wanted)
    assert not (sources / "editors").exists()


def test_a_further_phrase_is_in_what_is_written(sources, names):
    catalogue = sources / "systems/language/words/phrases.py"
    text = catalogue.read_text("utf-8")
    assert text.count(ROW) == 1
    catalogue.write_text(text.replace(ROW, f"{ROW}\n    {ADDED}"), "utf-8")
    ran = write(sources)
    assert ran.returncode == 0, ran.stderr
    here, there = contents(CHECKOUT, names), contents(sources, names)
    assert {name for name, text in there.items() if text != here[name]} == MADE
    assert all(b"tens" in there[name] and b"tens" not in here[name] for name in MADE)


def test_what_did_not_change_is_not_written_again(sources, names):
    write(sources)
    kept = sources / "systems/language/grammar/bidding.json"
    before = kept.stat().st_mtime_ns
    assert write(sources).returncode == 0
    assert kept.stat().st_mtime_ns == before


def test_a_build_asks_for_what_making_them_needs():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
    required = {re.split("[<>=]", one)[0] for one in project["build-system"]["requires"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CHECKOUT / "build_backend")
        needed = runpy.run_path(str(CHECKOUT / WRITER))["NEEDED"]
    assert required == {"setuptools", *(one.replace("_", "-") for one in needed)}


def test_without_lark_it_says_what_is_expected(sources):
    # without the folders of installed packages
    ran = write(sources, "-S")
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: expected lark, lazy_loader, numpy, which make the tables of the "
        "grammars, got no lark, lazy_loader, numpy; without build isolation install what "
        "[build-system] in pyproject.toml requires first"
    )
    assert not (sources / "systems/language/grammar/bidding.json").exists()
