"""The process that a bomb is read in: what came of it, how long it took and what it needed.

``python support_child.py READER FOLDER KIND=FILE …`` prints a line of JSON for each file.
"""

import contextlib
import io
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

HAND = "AKQJT98765432..."


def _command(*words: str) -> tuple[int, str]:
    from bidcascade.service.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(words))
    lines = (err.getvalue() or out.getvalue()).strip().splitlines()
    return code, lines[-1][:300] if lines else ""


def _load(path: Path, folder: Path) -> tuple[int, str]:
    rejects = str(folder / "rejects.parquet")
    words = ("load", str(path), "--out", str(folder / "out.parquet"), "--rejects", rejects)
    return _command(*words, "--jobs", "1")


def _rows(path: Path, folder: Path) -> tuple[int, str]:
    return _command("table", "import", str(path), "--out", str(folder / "table"), "--force")


def _system(path: Path, folder: Path) -> tuple[int, str]:
    return _command("bid", HAND, "--table", str(path))


def _system_rows(path: Path, folder: Path) -> tuple[int, str]:
    return _rows(path, folder)


def _notes(path: Path, folder: Path) -> tuple[int, str]:
    return _command("system", "import", str(path), "--out", str(folder / "out.bidding"))


def _script(path: Path, folder: Path) -> tuple[int, str]:
    return _command("deals", "--script", str(path), "--seed", "1")


def _cases(path: Path, folder: Path) -> tuple[int, str]:
    return _command("system", "test", "sayc", str(path))


def _announcements(path: Path, folder: Path) -> tuple[int, str]:
    return _command("table", "announcements", str(path))


def _small_rows(folder: Path) -> Path:
    rows = folder / "small.jsonl"
    rows.write_text('{"prior": [], "call": "1N", "criteria": ["15 <= HCP <= 17"]}\n')
    return rows


def _user_terms(path: Path, folder: Path) -> tuple[int, str]:
    rows, table = str(_small_rows(folder)), str(folder / "table")
    return _command("table", "import", rows, "--out", table, "--force", "--user-terms", str(path))


def _overlay(path: Path, folder: Path) -> tuple[int, str]:
    return _command("bid", HAND, "--table", str(_small_rows(folder)), "--overlay", str(path))


def _manifest(path: Path, folder: Path) -> tuple[int, str]:
    run = folder / "run"
    run.mkdir(exist_ok=True)
    path.replace(run / "manifest.json")
    deals = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    return _command("batch", deals, "--out", str(run), "--resume")


READERS: dict[str, Callable[[Path, Path], tuple[int, str]]] = {
    "lin": _load,
    "lin lines": _load,
    "pbn": _load,
    "pbn results": _load,
    "rbn": _load,
    "hands": _load,
    "links": _load,
    "rows": _rows,
    "literal rows": _rows,
    "system": _system,
    "system rows": _system_rows,
    "notes": _notes,
    "card": _notes,
    "script": _script,
    "cases": _cases,
    "announcements": _announcements,
    "user terms": _user_terms,
    "overlay": _overlay,
    "manifest": _manifest,
}


def peak() -> int:
    """Most memory that the process has had, in MB."""
    # what the kernel tells of resources goes back to before the program was started
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) >> 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def main() -> None:
    reader, folder = sys.argv[1], Path(sys.argv[2])
    for given in sys.argv[3:]:
        kind, _, path = given.partition("=")
        begun = time.process_time()
        code, said = READERS[reader](Path(path), folder)
        seconds = round(time.process_time() - begun, 2)
        found = {"kind": kind, "code": code, "said": said, "peak": peak(), "seconds": seconds}
        print(json.dumps(found), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    main()
