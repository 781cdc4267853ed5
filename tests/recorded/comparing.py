"""Two records compared: which answers differ, by operation, and where each differs first."""

import json
from collections import Counter
from itertools import takewhile
from pathlib import Path
from typing import Any

_AROUND = 60
_SHOWN = 5


def compare(before: Path, after: Path) -> int:
    """Print the differences; 1 if there are any."""
    old, new = _read(before), _read(after)
    differing: dict[str, list[str]] = {}
    # a record of some operations says nothing about the others
    both = {key[:2] for key in old} & {key[:2] for key in new}
    for key in dict.fromkeys(key for key in (*old, *new) if key[:2] in both):
        one, other = old.get(key), new.get(key)
        if one is None or other is None:
            text = f"only {'after' if one is None else 'before'}"
        elif (
            one["status"] != other["status"]
            or one["kind"] != other["kind"]
            or one["body"] != other["body"]
        ):
            text = _first_difference(one, other)
        else:
            continue
        number = (one or other or {})["number"]
        differing.setdefault(f"{key[0]}: {key[1]}", []).append(f"  {number} {key[2][:200]}\n{text}")
    for operation, texts in differing.items():
        print(f"{operation}: {len(texts)} differ")
        print("\n".join(texts[:_SHOWN]))
        if len(texts) > _SHOWN:
            print(f"  … and {len(texts) - _SHOWN} more")
    for name, one in (("before", old), ("after", new)):
        if missing := {key[:2] for key in one} - both:
            print(f"not compared, only {name}: {', '.join(sorted(part[1] for part in missing))}")
    print(
        f"{len(old)} answers before, {len(new)} after, {sum(map(len, differing.values()))} differ"
    )
    return int(bool(differing))


def _read(path: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Lines by operation and request; what is asked several times counts one by one."""
    found, times = {}, Counter[tuple[str, ...]]()
    for line in path.read_text("utf-8").splitlines():
        one = json.loads(line)
        asked = (one["part"], one["operation"], one["request"])
        found[(*asked, str(times[asked]))] = one
        times[asked] += 1
    return found


def _first_difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    for name in ("status", "kind"):
        if one[name] != other[name]:
            bodies = "".join(f"\n    {line['body'][:300]}" for line in (one, other))
            return f"    {name}: {one[name]} -> {other[name]}{bodies}"
    before, after = one["body"], other["body"]
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    )
    start = max(0, same - _AROUND)
    return "\n".join(
        f"    {sign} {text[start : same + _AROUND]!r}"
        for sign, text in (("-", before), ("+", after))
    )
