"""Record all answers, compare two records, or renew the digests; see ``--help``."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--systems", choices=("own", "shipped"), default="own")
    parser.add_argument("--part", choices=("all", "requests", "commands"), default="all")
    parser.add_argument("--only", default="", help="operations alone, separated by commas")
    parser.add_argument("--compare", nargs=2, type=Path)
    parser.add_argument("--took", action="store_true", help="seconds by operation")
    options = parser.parse_args()
    if options.compare:
        from .comparing import compare

        return compare(*options.compare)
    took: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, options.out.open("w", encoding="utf-8") as out:
        only = {one for one in options.only.split(",") if one}
        for line in lines(Path(folder), options.part, only, shipped=options.systems == "shipped"):
            seconds = line.pop("took")
            took.setdefault(line["operation"], []).append(seconds)
            if options.took and seconds > 1:
                print(f"{seconds:7.2f} s {line['request'][:150]}", flush=True)
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    if options.took:
        for operation, seconds in sorted(took.items(), key=lambda one: -sum(one[1])):
            print(f"{sum(seconds):7.2f} s {len(seconds):5} {max(seconds):6.2f} {operation}")
    return 0


def lines(folder: Path, part: str, only: Set[str] = frozenset(), *, shipped: bool) -> Iterator[dict[str, Any]]:
    """Lines of the record, numbered."""
    prepare(folder)
    from .asking import record_requests
    from .commands import record_commands

    recorders = {"requests": record_requests, "commands": record_commands}
    number = 0
    for name, record in recorders.items():
        if part not in (name, "all"):
            continue
        (folder / name).mkdir()
        for line in record(folder / name, only, shipped=shipped):
            yield {"number": number, **line}
            number += 1


def prepare(folder: Path) -> None:
    """Set what answers depend on beside the questions; nothing of the program is loaded yet."""
    for name in [name for name in os.environ if name.startswith("BIDCASCADE_") and name != "BIDCASCADE_CORE"]:
        del os.environ[name]
    os.environ |= {
        "BIDCASCADE_CACHE": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "home"), "HOME": str(folder / "home"),
        "XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "140", "NO_COLOR": "1", "TERM": "dumb", "TZ": "UTC", "CUDA_VISIBLE_DEVICES": "",
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
