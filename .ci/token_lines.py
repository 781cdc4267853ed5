"""Print the lines of code by room, and what they changed by since the last landed commit.

Usage: ``token_lines.py [COMMIT]``, from the root of a checkout. A line counts if it holds at least
one token that is no comment and no docstring: blank lines, comments and prose are free. COMMIT is
compared with; without it that is where this work left ``origin/main``. A checkout that is
``origin/main`` itself, or has none, is compared with the last commit of an earlier day. Where there
is none (no git, a shallow clone) sizes stand alone.
"""

import ast
import functools
import io
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = (
    "bridge",
    "kernels",
    "loaders",
    "table",
    "systems",
    "inference",
    "page",
    "engine",
    "seats",
    "workshop",
    "service",
    "package",
)
ROOMS = (*PRODUCT, "benchmarks", "tests", "docs")

_QUOTED = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_LONG = r"/\*.*?(?:\*/|\Z)"
_SHORT = r"//[^\n]*"
_REGEX = r"(?<=[=(,:\[!&|?{};\s])/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+/"
# what may hold the signs of a comment without being one, and comments, in a group of their own
_PATTERNS = {
    kinds: re.compile(f"{kept}|(?P<comment>{comment})", re.DOTALL)
    for kinds, kept, comment in (
        ((".cu", ".cuh", ".cpp", ".hpp", ".h"), _QUOTED, f"{_SHORT}|{_LONG}"),
        ((".js",), rf"{_QUOTED}|`(?:\\.|[^`\\])*`|{_REGEX}", f"{_SHORT}|{_LONG}"),
        ((".lark",), f"{_QUOTED}|{_REGEX}", _SHORT),
        ((".css",), _QUOTED, _LONG),
        ((".html",), _QUOTED, r"<!--.*?(?:-->|\Z)"),
    )
}
_COMMENTS = {kind: pattern for kinds, pattern in _PATTERNS.items() for kind in kinds}
_PYTHON = {".py", ".pyi"}


# most files of a commit are those of the checkout
@functools.cache
def token_lines(kind: str, text: str) -> int:
    """Count the lines of a text that hold code.

    Parameters
    ----------
    kind : str
        Ending of the file's name, which tells its language.
    text : str

    Returns
    -------
    int
        0 where the language is none of those that are known.
    """
    if kind in _PYTHON:
        return _python_lines(text)
    if kind not in _COMMENTS:
        return 0
    code = _COMMENTS[kind].sub(_without_comment, text)
    return sum(bool(line.strip()) for line in code.split("\n"))


def _without_comment(found: re.Match[str]) -> str:
    comment: str | None = found["comment"]
    return found[0] if comment is None else " " + "\n" * comment.count("\n")


def _python_lines(text: str) -> int:
    # form feeds and the like end no line here
    lines = [line.strip() for line in text.split("\n")]
    held = {number for number, line in enumerate(lines, 1) if line and line[0] != "#"}
    prose: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            # a statement that is a string and nothing else: it tells and does nothing
            case ast.Expr(ast.Constant(str())):
                prose.update(_lines_of(node))
            # in a long string every line counts
            case ast.Constant(str() | bytes()) | ast.JoinedStr() if _is_long(node, lines):
                held.update(_lines_of(node))
    return len(held - prose)


def _is_long(node: ast.expr, lines: list[str]) -> bool:
    first = lines[node.lineno - 1]
    return len(_lines_of(node)) > 1 and ('"""' in first or "'''" in first)


def _lines_of(node: ast.expr | ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def by_room(files: Iterable[tuple[str, str]]) -> Counter[str]:
    """Add up the lines of files, given by path and text, for each room."""
    found: Counter[str] = Counter()
    for path, text in files:
        found[path.partition("/")[0]] += token_lines(Path(path).suffix, text)
    return found


def counted(path: str) -> bool:
    """Whether a file is code of a room."""
    return path.partition("/")[0] in ROOMS and Path(path).suffix in {*_PYTHON, *_COMMENTS}


def files_here() -> Iterator[tuple[str, str]]:
    """Code as it lies in the checkout, without what git leaves out because it is written."""
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    here = (file for room in ROOMS for file in (ROOT / room).rglob("*"))
    paths = listed.split("\0") if listed else (file.relative_to(ROOT).as_posix() for file in here)
    for path in sorted(paths):
        if counted(path) and (ROOT / path).is_file():
            yield path, (ROOT / path).read_text("utf-8")


def files_of(commit: str) -> Iterator[tuple[str, str]]:
    """Code as a commit has it."""
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for one in archive:
            if counted(one.name) and (file := archive.extractfile(one)):
                yield one.name, file.read().decode("utf-8")


def last_landed() -> str | None:
    """Commit to compare with: see above."""
    head, landed = _git("rev-parse", "HEAD"), _git("rev-parse", "--verify", "origin/main")
    if landed and landed != head:
        return _git("merge-base", "HEAD", "origin/main")
    day = _git("show", "-s", "--format=%cs", "HEAD")
    return _git("log", "-1", "--format=%H", f"--before={day}T00:00:00") if day else None


def _git(*words: str) -> str | None:
    """Ask git; ``None`` where it says nothing, fails or is not there."""
    try:
        said = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.decode("utf-8").strip() or None


def main(arguments: list[str]) -> None:
    """Print the table."""
    commit = _git("rev-parse", "--verify", f"{arguments[0]}^{{}}") if arguments else last_landed()
    if arguments and commit is None:
        sys.exit(f"expected a commit, got {arguments[0]!r}")
    now, before = by_room(files_here()), by_room(files_of(commit)) if commit else Counter()
    print("lines of code" + (f", and what was added since {commit[:7]}" if commit else ""))
    sums = {**{room: (room,) for room in ROOMS}, "product": PRODUCT, "all": ROOMS}
    for name, rooms in sums.items():
        lines, earlier = (sum(one[room] for room in rooms) for one in (now, before))
        print(f"{name:12}{lines:9,}" + (f"{lines - earlier:+9,}" if commit else ""))


if __name__ == "__main__":
    main(sys.argv[1:])
