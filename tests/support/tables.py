"""Bidding tables for tests: a made-up one of any size in the shape of the large published ones."""

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from bidcascade.bridge import CALL_TEXTS

# share of entries at each depth in the published excerpt, from depth 4 on
_DEPTH_SHARES = (19, 19, 45, 75, 106, 129, 126, 109, 90, 62, 45, 30, 20, 13, 10, 7, 2, 2, 2)
_OPENING_LEVELS = (36, 540, 5_000, 30_000)
_SUITS = "CDHS"


def made_up_rows(count: int, seed: int) -> Iterator[dict[str, object]]:
    """Rows of a made-up table, about ``count``, each below a row of the table, by depth.

    84 of 100 rows are undescribed, as in the published table; the others draw one of up to
    20,000 criteria lists.
    """
    rng = random.Random(seed)
    meanings = [_meaning(rng) for _ in range(min(20_000, count))]
    # auction, last bid, whether the side to call made it, doubling, trailing passes
    level: list[tuple[bytes, int, bool, int, int]] = [(b"", 0, False, 0, 0)]
    made = 0
    for target in _level_sizes(count):
        rng.shuffle(level)
        parents, level = level, []
        for number, (auction, last, ours, doubling, passes) in enumerate(parents):
            wanted = (target - len(level)) / (len(parents) - number)
            children = int(wanted) + (rng.random() < wanted % 1)
            calls = _calls(rng, children, last, ours, doubling, final=passes == 2)
            prior = [CALL_TEXTS[call] for call in auction]
            for call in calls:
                row: dict[str, object] = {
                    "index": made,
                    "prior": prior,
                    "call": CALL_TEXTS[call],
                    "description": "inserted",
                }
                if call and rng.random() < 0.25:
                    row["description"], row["criteria"] = rng.choice(meanings)
                yield row
                made += 1
                after = auction + bytes((call,))
                if call >= 3:
                    level.append((after, call, False, 0, 0))
                elif call:
                    level.append((after, last, not ours, call, 0))
                elif passes < 2 or (passes == 2 and not last):
                    level.append((after, last, not ours, doubling, passes + 1))
        if not level:
            return


def _level_sizes(count: int) -> list[int]:
    sizes = [min(size, count) for size in _OPENING_LEVELS]
    rest = max(0, count - sum(sizes))
    sizes += [rest * share // sum(_DEPTH_SHARES) for share in _DEPTH_SHARES]
    # a level cannot be much larger than the one before
    for place, (before, size) in enumerate(pairwise(sizes)):
        sizes[place + 1] = min(size, 15 * before)
    return [size for size in sizes if size]


def _calls(
    rng: random.Random, wanted: int, last: int, ours: bool, doubling: int, *, final: bool
) -> list[int]:
    possible = list(range(max(3, last + 1), 38))
    if last and not ours and not doubling:
        possible.append(1)
    if ours and doubling == 1:
        possible.append(2)
    chosen = rng.sample(possible, min(max(0, wanted - 1), len(possible))) if wanted > 1 else []
    return [*chosen, 0] if wanted else []


def _meaning(rng: random.Random) -> tuple[str, list[str]]:
    low = rng.randrange(0, 20)
    suit = rng.choice(_SUITS)
    length = rng.randrange(2, 7)
    points = rng.randrange(0, 25)
    criteria = [f"SL_{suit} >= {length}", f"HCP >= {low}", f"HCP <= {low + rng.randrange(2, 12)}"]
    if rng.random() < 0.6:
        criteria.append(f"Total_Points >= {points}")
    if rng.random() < 0.3:
        criteria.append(f"Stopper_{rng.choice(_SUITS)}")
    other = rng.choice(_SUITS)
    if other != suit:
        criteria.append(f"SL_{other} <= {rng.randrange(2, 6)}")
    return f"{length}+ {suit}; {low}+ HCP; number {rng.randrange(10**6)}", criteria


def write_made_up_table(path: Path, count: int, seed: int = 1) -> int:
    """Write a made-up table as JSON Lines and return how many rows it has."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for row in made_up_rows(count, seed):
            file.write(json.dumps(row) + "\n")
            written += 1
    return written
