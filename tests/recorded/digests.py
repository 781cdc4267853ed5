"""The record as a small file: a line an operation, with a short digest of each of its answers."""

import hashlib
import json
import re
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("digests.txt")
_SHOWN = 5
_LONG = re.compile(r"\b\d+\.\d{11,}(?:e-?\d+)?\b")
"""Numbers that are not rounded: their last digits may be others with another C library."""
_HOW = """
to see what differs, record with the version before and with this one, and compare:
  python -m tests.recorded BEFORE.jsonl --only {operations}
  python -m tests.recorded AFTER.jsonl --only {operations}
  python -m tests.recorded --compare BEFORE.jsonl AFTER.jsonl
if the difference is wanted, `python -m tests.recorded --write` renews {file}"""


def digest(line: dict[str, Any]) -> str:
    """Digest of a question and its answer."""
    asked_and_answered = [line[name] for name in ("request", "status", "kind")]
    asked_and_answered.append(_LONG.sub(lambda one: f"{float(one[0]):.9g}", line["body"]))
    return hashlib.sha256(json.dumps(asked_and_answered).encode()).hexdigest()[:8]


def by_operation(lines: Iterable[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Lines of a record by part and operation."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in lines:
        found.setdefault((line["part"], line["operation"]), []).append(line)
    return found


def read() -> dict[tuple[str, str], list[str]]:
    """Read the digests that are kept."""
    kept = {}
    for line in KEPT.read_text("utf-8").splitlines():
        part, operation, digests = line.split(": ")
        kept[part, operation] = digests.split()
    return kept


def write(lines: Iterable[dict[str, Any]]) -> None:
    """Write the digests of a whole record."""
    KEPT.write_text(
        "".join(
            f"{part}: {operation}: {' '.join(map(digest, some))}\n"
            for (part, operation), some in by_operation(lines).items()
        ),
        "utf-8",
    )


def differences(lines: Iterable[dict[str, Any]], part: str, only: Set[str]) -> str:
    """Tell which answers have other digests than the ones kept; empty if none has.

    Parameters
    ----------
    lines : iterable of dict
        Record of the part.
    part : str
    only : set of str
        Operations that were asked; all of the part if empty.
    """
    found = by_operation(lines)
    kept = {
        key: digests
        for key, digests in read().items()
        if key[0] == part and (not only or key[1] in only)
    }
    told, operations = [], []
    for key in dict.fromkeys([*kept, *found]):
        some, digests = found.get(key, []), kept.get(key, [])
        other = [line for line, one in zip(some, digests, strict=False) if digest(line) != one]
        if not other and len(some) == len(digests):
            continue
        operations.append(key[1])
        told.append(
            f"{key[1]}: {len(other)} of {len(some)} answers differ, {len(digests)} are kept"
        )
        told += [
            f"  {one['number']} {one['request'][:300]}\n    {one['status']} {one['body'][:300]!r}"
            for one in other[:_SHOWN]
        ]
    if not told:
        return ""
    names = ",".join(f'"{name}"' if " " in name else name for name in operations)
    return "\n".join(told) + _HOW.format(operations=names, file=KEPT.name)
