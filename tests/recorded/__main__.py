"""Record all answers, compare two records, or renew the digests.

OUT.jsonl gets a line a question: its number, the operation, what is asked, the status and the
answer, without what differs from run to run.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

PARTS = ("requests", "commands")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    add = parser.add_argument
    add("out", nargs="?", type=Path, metavar="OUT.jsonl", help="the record that is written")
    add(
        "--systems",
        default="",
        metavar="HOME,AWAY",
        help="two systems of the package to ask (default: small ones that come with these tests)",
    )
    add("--part", choices=PARTS, help="REST or the command line alone")
    add("--only", default="", metavar="OPERATIONS", help="some operations, separated by commas")
    add("--took", action="store_true", help="print seconds by operation")
    add("--compare", nargs=2, type=Path, metavar="RECORD", help="print what differs in two records")
    add("--write", action="store_true", help="renew the digests that the tests compare with")
    add("--check", action="store_true", help="compare with the digests")
    options = parser.parse_args()
    if options.compare:
        from .comparing import compare

        return compare(*options.compare)
    if not (options.out or options.write or options.check):
        parser.error("expected OUT.jsonl, --compare, --write or --check")
    parts = (options.part,) if options.part else PARTS
    if options.write and (options.part or options.only or options.systems):
        parser.error("expected --write with all answers of the own systems")
    only = {one for one in options.only.split(",") if one}
    systems = dict(zip(("home", "away"), filter(None, options.systems.split(",")), strict=False))
    with tempfile.TemporaryDirectory() as folder:
        found = list(lines(Path(folder), parts, only, systems=systems, told=options.took))
    if options.out:
        text = (json.dumps(line, ensure_ascii=False) + "\n" for line in found)
        options.out.write_text("".join(text), "utf-8")
    from . import digests

    if options.write:
        digests.write(found)
    if options.check:
        told = "".join(
            digests.differences([one for one in found if one["part"] == part], part, only)
            for part in parts
        )
        print(told)
        return int(bool(told))
    return 0


def lines(
    folder: Path,
    parts: tuple[str, ...],
    only: Set[str] = frozenset(),
    *,
    systems: Mapping[str, str],
    told: bool = False,
) -> Iterator[dict[str, Any]]:
    """Lines of the record, numbered."""
    prepare(folder)
    from .asking import record_requests
    from .commands import record_commands

    recorders = {"requests": record_requests, "commands": record_commands}
    took: dict[str, list[float]] = {}
    number = 0
    for part in parts:
        (folder / part).mkdir()
        for line in recorders[part](folder / part, only, systems=systems):
            seconds = line.pop("took")
            took.setdefault(line["operation"], []).append(seconds)
            if told and seconds > 1:
                print(f"{seconds:7.2f} s {line['request'][:150]}", flush=True)
            yield {"part": part, "number": number, **line}
            number += 1
    for operation, times in sorted(took.items(), key=lambda one: -sum(one[1])) if told else ():
        print(f"{sum(times):7.2f} s {len(times):5} {max(times):6.2f} {operation}")


def prepare(folder: Path) -> None:
    """Set what answers depend on beside the questions; nothing of the program is loaded yet."""
    for name in [name for name in os.environ if name.startswith("BIDCASCADE_")]:
        if name != "BIDCASCADE_CORE":
            del os.environ[name]
    os.environ |= {
        "BIDCASCADE_CACHE": str(folder / "cache"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "home"),
        "HOME": str(folder / "home"),
        "COLUMNS": "140",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "TZ": "UTC",
        "CUDA_VISIBLE_DEVICES": "",
    }


if __name__ == "__main__":
    sys.exit(main())
