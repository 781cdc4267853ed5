"""The checkout itself: sizes, what must not be written into it, links and lists that must agree."""

import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path, PurePosixPath

import pytest

from tests.support_layers import BELOW, libraries_of

ROOT = Path(__file__).parents[1]
SOURCE_SUFFIXES = {".py", ".cu", ".cuh", ".lark"}

FORBIDDEN = {
    "a path of one machine": r"(?<![\w.*/~-])/(?:work|tmp|root|home|opt|mnt|Users)(?:/|\b(?!\.))",
    "a package registry's host": (
        r"(?:pypi|test\.pypi|npmjs|crates|anaconda|pythonhosted|golang)\.(?:org|com|io)\b"
    ),
    "how the work is organised": (
        r"(?i)(?<!user-)\bagents?\b|\bclaude|\banthropic|\bchatgpt|\bopenai\b|\bcopilot\b"
        r"|\blanguage model|\bbrief\.md|\bissue #\d|\bhelper session"
    ),
    "unfinished work": r"\bTODO\b|\bFIXME\b|\bNotImplementedError\b",
}
"""What no tracked file may say, as regular expressions that do not match their own text."""


COMES_WITH = {
    "starlette": "fastapi",
    "pydantic": "fastapi",
    "pydantic_core": "fastapi",
    "anyio": "fastapi",
    "dask": "distributed",
}
"""Libraries that may be imported because another one that is declared is built on them."""

README_COMMANDS = {
    "serve": "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/bidcascade serve",
    "test": ("python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest"),
}


def tracked_files() -> list[PurePosixPath]:
    """Paths of the tracked files; skips where the tests do not lie in a git checkout."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout (or no git), as when the installed wheel is tested")
    listing = subprocess.run(
        [git, "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True, text=True
    )
    paths = [PurePosixPath(path) for path in listing.stdout.split("\0") if path]
    return [path for path in paths if (ROOT / path).exists() or (ROOT / path).is_symlink()]


def complaints(text: str) -> list[tuple[int, str, str]]:
    """Line number, what is wrong and the offending text, for every forbidden thing in a text."""
    return [
        (text.count("\n", 0, match.start()) + 1, what, match[0])
        for what, pattern in FORBIDDEN.items()
        for match in re.finditer(pattern, text)
    ]


@pytest.mark.slow
def test_nothing_forbidden_is_written():
    found = []
    for path in tracked_files():
        if (ROOT / path).is_symlink():
            continue
        try:
            text = (ROOT / path).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path}:{line}: {what}: {hit!r}" for line, what, hit in complaints(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "see {}tmp/x", "DATA = '{}work'", "cd {}root", "\n{}home/me/data", "https://pypi{}org/simple",
        "files.pythonhosted{}org", "an a{}gent did it", "TO{}DO: later", "as issue {}3 says",
    ],
)  # fmt: skip
def test_forbidden_things_are_caught(text):
    fillers = {"{}gent": "", "TO{}": "", "pypi{}": ".", "hosted{}": ".", "issue {}": "#"}
    filler = next((filler for key, filler in fillers.items() if key in text), "/")
    assert len(complaints(text.format(filler))) == 1


@pytest.mark.parametrize(
    "text",
    ["/v1/auctions", "tests/home/x", "the User-agent header", "../work/x", "1N-P", "agenda",
     "XXX", "bridge/table/work", "$HOME/tmp"],
)  # fmt: skip
def test_ordinary_text_passes(text):
    assert complaints(text) == []


def test_links_for_type_checkers_resolve():
    links = [path for path in tracked_files() if path.parts[0] == ".typings"]
    names = {path.name for path in links}
    # what lies in the folder of bidcascade itself is linked file by file
    own = {path.name for path in tracked_files() if path.parts[0] == "package"}
    for path in links:
        assert (ROOT / path).is_symlink(), path
        target = ROOT / "package" / path.name if path.name in own else ROOT / path.name
        assert (ROOT / path).resolve() == target
        assert path.name in own or (ROOT / path / "py.typed").is_file(), path
    assert "py.typed" in own
    assert names == own | {name for name in BELOW if (ROOT / name / "__init__.py").exists()}


def test_every_package_is_listed():
    folders = sorted(
        path.parent
        for path in tracked_files()
        if path.name == "__init__.py" and path.parts[0] not in {"tests", "benchmarks", ".typings"}
    )
    ours = [str(folder) for folder in folders if len(folder.parts) == 1]
    assert set(ours) <= {"package", *BELOW}, "a package that the layers do not know"
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    expected = {
        ".".join(["bidcascade", *(part for part in folder.parts if part != "package")]): str(folder)
        for folder in folders
    }
    assert sorted(tool["setuptools"]["packages"]) == sorted(expected)
    assert tool["setuptools"]["package-dir"] == expected
    checked = sorted("__init__.py" if name == "package" else name for name in ours)
    assert sorted(tool["mypy"]["files"]) == [f".typings/bidcascade/{name}" for name in checked]


def test_every_library_is_declared():
    files = [path for path in tracked_files() if path.parts[0] in BELOW and path.suffix == ".py"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked_for = (extras[name] for name in ("gpu", "client", "dask", "dask-gpu"))
    requirements = [*project["dependencies"], *chain.from_iterable(asked_for)]
    # "cupy-cuda13x[ctk]>=14" is imported as cupy, "pydantic-settings>=2" as pydantic_settings
    names = (re.match(r"[\w-]+", requirement) for requirement in requirements)
    declared = {
        re.sub(r"_(cuda\d+x|cu\d+)$", "", name[0].replace("-", "_")) for name in names if name
    }
    undeclared = {
        f"{library} in {path}"
        for path in files
        for library in libraries_of((ROOT / path).read_text("utf-8"))
        if library not in sys.stdlib_module_names
        and library != "bidcascade"
        and COMES_WITH.get(library, library) not in declared
    }
    assert not undeclared


@pytest.mark.parametrize("name", README_COMMANDS)
def test_readme_has_the_commands_that_ci_runs(name):
    tracked_files()
    readme = (ROOT / "README.md").read_text("utf-8")
    assert readme.count(f"<!-- ci:{name} -->\n```sh\n{README_COMMANDS[name]}\n```\n") == 1


def test_files_beside_the_code_are_packaged():
    """Every tracked file in a package's folder that is no module is named as package data."""
    files = tracked_files()
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    patterns = tool["setuptools"]["package-data"]
    missing = []
    for path in files:
        name = path.parts[0]
        if name not in BELOW or path.suffix == ".py":
            continue
        # a pattern of a package counts from its folder: the file's own, or one above
        matched = False
        for depth in range(1, len(path.parts)):
            package = "bidcascade." + ".".join(path.parts[:depth])
            inside = PurePosixPath(*path.parts[depth:])
            globs = [*patterns.get("*", ()), *patterns.get(package, ())]
            matched |= any(
                len(PurePosixPath(glob).parts) == len(inside.parts) and inside.match(glob)
                for glob in globs
            )
        if not matched:
            missing.append(str(path))
    assert not missing, f"not in the wheel: {missing}"


def test_no_case_is_named_by_its_bytes(request):
    """Packed bytes differ from second to second; processes that share the tests compare names."""
    for item in request.session.items:
        cases = getattr(item, "callspec", None)
        for value in cases.params.values() if cases else ():
            if isinstance(value, bytes | bytearray) and len(value) > 16:
                assert repr(bytes(value))[2:-1] not in item.nodeid
