"""Kinds of tests, and which of them a change can break: the check of a change runs those.

``.ci/checked`` names a commit that passed everything. ``nox -s changed`` compares with it, and runs
the steps and tests of the kinds that ``ROWS`` gives for the changed paths. Properties and tests
without a kind run always. A path that no row names, or no such commit, means everything.

A room is tested with those that stand on it, but for what takes long and rarely breaks from below:
a change of a text does not run the browser, one of a service's route does not kill jobs. Whether
the service answers as before when a room below it changes, the recorded answers tell. Properties of
rooms that are not woken run with a quarter of their inputs.
``nox -s full``, which runs everything, finds what that passes over.
"""

import os
import re
import subprocess
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

VARIABLE = "CHECK_KINDS"
"""Environment variable with the kinds and the files of tests that run; all run without it."""

TESTS = Path(__file__).resolve().parents[1]
CHECKOUT = "checkout"
"""Mark of what reads the checkout; files that have no such test do not name it."""
PAGE = "page"
"""Mark of what runs the examples of one page, whose path it names."""
BROWSER = "browser"
"""Kind of what has the fixture of this name; all other kinds are told by paths."""

KINDS = {
    "emulator": (
        "kernels/test_cu*", "kernels/test_device_frames.py", "kernels/emulator/*", "service/gpu/*",
        "benchmarks/test_cud*", "benchmarks/test_gpu_command.py", "benchmarks/test_roofline.py",
        "engine/test_device_engine.py",
    ),
    "dask": ("engine/runs/test_scale_out.py",),
    "kills": (
        "engine/archive/test_interruptions.py", "engine/runs/test_runs_killed.py",
        "service/jobs/test_*kills.py", "service/jobs/test_disturbed_jobs.py",
        "service/jobs/test_job_server.py", "service/jobs/test_store.py",
        "service/test_disturbed_import.py", "service/cli/test_interrupted_commands.py",
        "inference/double_dummy/test_double_dummy_pool.py",
    ),
    "client": ("service/client/*",),
    "bombs": ("bombs/*",),
    "recorded": ("recorded/*", "test_other_systems.py"),
    # a change of what they test runs everything
    "tests": ("check/test_two_sizes.py", "check/test_durations.py", "check/test_second_tries.py"),
    "docs": ("docs/examples/*", "docs/notebook/*", "docs/test_docstrings.py"),
    "site": ("docs/site/*", "docs/test_pictures.py"),
    **{
        room: (f"{room}/*",)
        for room in (
            "bridge", "core", "kernels", "loaders", "table", "systems", "inference", "engine",
            "seats", "workshop", "service", "page", "benchmarks",
        )
    },
}  # fmt: skip
"""Paths below ``tests`` by kind; the first kind that fits is a test's."""

STEPS = {
    "sanitize": "core",
    "bare": "builds",
    "gpu": "extras",
    "rehearse": "emulator",
    "pictures": "pictures",
}
"""Steps of ``noxfile.py`` that one kind alone wants; all others run always. Only a change of
``pyproject.toml`` or the constraints wakes ``extras``, and it runs everything."""

_ABOVE_CORE = "table systems inference engine docs site bombs recorded"
_ABOVE_LOADERS = f"{_ABOVE_CORE} seats workshop"
ROWS = (
    ("docs/make_pictures.py docs/site_hooks.py docs/pictures/*", "docs site pictures"),
    ("docs/*.md docs/*.ipynb README.md CONTRIBUTING.md CHANGELOG.md LICENSE", "site"),
    ("docs/* mkdocs.yml editors/*", "docs site"),
    ("systems/texts/*", "systems docs"),
    ("page/*", "page browser pictures docs site"),
    ("service/jobs/*", "service kills docs site bombs recorded"),
    ("service/client/* client/*", "service client docs site"),
    ("service/*", "service docs site recorded"),
    ("engine/runs/* engine/archive/*", "engine dask kills workshop service docs site recorded"),
    ("engine/questions/*", "engine service client docs site recorded"),
    ("workshop/*", "workshop kills service docs site recorded"),
    ("seats/*", "seats workshop service docs site recorded"),
    ("engine/*", "engine workshop service docs site recorded"),
    ("inference/*", "inference engine seats workshop docs site bombs recorded"),
    (
        "systems/language/grammar/* systems/language/words/* systems/language/tree/* "
        "systems/rows/*",
        "systems inference engine seats workshop page browser docs site bombs recorded",
    ),
    ("systems/*", "systems inference engine seats workshop page docs site bombs recorded"),
    ("table/language/*", f"page browser {_ABOVE_LOADERS}"),
    ("table/*", _ABOVE_LOADERS),
    ("loaders/*", f"loaders {_ABOVE_LOADERS}"),
    ("kernels/core/*", f"core kernels loaders builds page {_ABOVE_CORE}"),
    ("kernels/gpu/* kernels/cu*", "kernels emulator"),
    ("benchmarks/gpu/*", "kernels emulator benchmarks"),
    ("kernels/*", f"core kernels emulator builds loaders {_ABOVE_CORE}"),
    ("benchmarks/*", "benchmarks docs site"),
    ("tests/recorded/*", "recorded"),
    (".ci/checked tests/durations.json", ""),
)
"""Patterns of changed paths, and the kinds that they wake; the first row that fits is a path's."""


def changed_paths(root: Path, checked: Path) -> list[str] | None:
    """Paths that changed since the commit that passed everything, both names of what was moved.

    Parameters
    ----------
    root : Path
        The checkout; what is not committed yet counts too, if git knows the file.
    checked : Path
        The file that names the commit.

    Returns
    -------
    list of str or None
        ``None`` where there is no such file, commit or history, or no git.
    """
    git = ("git", "-C", str(root))
    try:
        commit = checked.read_text("ascii").strip()
        subprocess.run(
            [*git, "merge-base", "--is-ancestor", f"{commit}^{{commit}}", "HEAD"],
            capture_output=True,
            check=True,
        )
        done = subprocess.run(
            [*git, "diff", "--name-only", "--no-renames", "-z", commit],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    return done.stdout.split("\0")[:-1]


def kind_of(file: str) -> str | None:
    """Kind of a file of tests, given below ``tests``; ``None`` for one that always runs.

    Examples
    --------
    >>> kind_of("kernels/test_cuda_systems.py"), kind_of("kernels/test_plan.py")
    ('emulator', 'kernels')
    >>> kind_of("test_repository.py") is None
    True
    """
    for kind, patterns in KINDS.items():
        if any(fnmatchcase(file, pattern) for pattern in patterns):
            return kind
    return None


def woken(paths: Iterable[str]) -> set[str] | None:
    """Kinds that changed paths wake, and changed files of tests; ``None`` for everything.

    A file of means for tests wakes the files that name it, a page its own examples.

    Parameters
    ----------
    paths : iterable of str
        From the root of the checkout.

    Examples
    --------
    >>> sorted(woken(["systems/texts/sayc.bidding", "tests/table/test_storage.py"]))
    ['docs', 'systems', 'table/test_storage.py']
    >>> sorted(woken(["docs/tables.md"]))
    ['docs/tables.md', 'site']
    >>> woken(["pyproject.toml"]) is None
    True
    """
    found: set[str] = set()
    for path in paths:
        folder, _, file = path.partition("/")
        if folder == "tests" and file.rpartition("/")[2].startswith("test_"):
            found.add(file)
            continue
        if _is_page(path):
            found.add(path)
        for patterns, kinds in ROWS:
            if any(fnmatchcase(path, pattern) for pattern in patterns.split()):
                found.update(kinds.split())
                break
        else:
            if folder != "tests" or (wanted := _files_that_name(file)) is None:
                return None
            found |= wanted
    return found


def _files_that_name(means: str) -> set[str] | None:
    """List the files of tests that stand on one; ``None`` where all do, or nobody names it."""
    texts = {
        path.relative_to(TESTS.parent): path.read_text("utf-8")
        for folder in (TESTS, TESTS.parent / "benchmarks")
        for path in folder.rglob("*.py")
    }
    found, files = {means}, [Path("tests", means)]
    while files:
        file = files.pop()
        folder, name = ".".join(file.parts[:-1]), file.stem
        named = [rf"\b{folder}\.{name}\b", rf"^from {folder} import [^\n]*\b{name}\b"]
        if name.startswith("support_"):  # tests start it as a program, by the name of its file
            named.append(rf"\b{name}\b")
        pattern = re.compile("|".join(named), re.MULTILINE)
        for path in [path for path, text in texts.items() if pattern.search(text)]:
            del texts[path]
            below = path.relative_to(path.parts[0]).as_posix()
            if path.parts[0] == "benchmarks":
                found.add("benchmarks")
            elif path.name.startswith("test_"):
                found.add(below)
            elif below == "conftest.py" or path.is_relative_to("tests/check"):
                return None
            elif path.name == "conftest.py":
                found |= {
                    one.relative_to(TESTS).as_posix()
                    for one in (TESTS.parent / path.parent).rglob("test_*")
                }
            else:
                files.append(path)
    return found if len(found) > 1 else None


def is_woken(kind: str) -> bool:
    """Whether a kind, or a file of tests, runs: all do where nobody has chosen."""
    return kind in os.environ.get(VARIABLE, kind).split()


def runs(file: str, fixtures: Iterable[str], *, is_property: bool, page: str = "") -> bool:
    """Whether a test runs: everything does where the variable is not set."""
    kind = BROWSER if BROWSER in fixtures else kind_of(file)
    always = kind is None or (is_property and kind not in (BROWSER, "emulator"))
    return always or is_woken(kind) or is_woken(file) or is_woken(page)


def is_passed_over(file: str, marks: str = "") -> bool:
    """Whether no test of a file can run, told without importing it; ``marks`` as behind ``-m``."""
    if marks == CHECKOUT and CHECKOUT not in (TESTS / file).read_text("utf-8"):
        return True
    if runs(file, (), is_property=False) or runs(file, (BROWSER,), is_property=False):
        return False
    text = (TESTS / file).read_text("utf-8")
    if f"mark.{PAGE}(" in text and any(map(_is_page, os.environ[VARIABLE].split())):
        return False
    return not has_properties(TESTS / file)


def _is_page(path: str) -> bool:
    return not path.startswith("tests/") and path.endswith((".md", ".ipynb"))


def has_properties(path: Path) -> bool:
    """Whether a file may have properties: all of them are written with hypothesis by name."""
    return "hypothesis" in path.read_text("utf-8")
