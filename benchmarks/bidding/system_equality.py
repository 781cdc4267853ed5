"""Whether the core says at every place that deals reach what the definition says there.

Run ``python -m benchmarks.bidding.system_equality sayc [acol] --deals 100000 --out FOLDER``. The
deals are bid by the core; then each place is compared whole: entries in order with their criteria,
what each player has shown, agreements, suits, forcing. What was compared is noted in the folder
every few hundred places, so that a run that was ended goes on; ``--part 1/2`` compares every other
place.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bidcascade.bridge import format_calls
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core import rows
from bidcascade.kernels.core.rows import AGREEMENT_KINDS
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders.files.whole_files import write_json
from bidcascade.systems import System
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.auctions.program import unpacked
from bidcascade.systems.places.places import Place
from bidcascade.systems.reference.place_entries import Expander

SEED = 20_261_126
_AT_ONCE = 250
_DEEDS = ("raise", "new suit", "cue-bid", "reverse")


def told(place: Place) -> list[object]:
    """All that entries say; needs are equal if their criteria are."""
    return [
        (one.call, one.rank, one.name, one.where, one.criteria, one.place,
         dict(one.bindings), one.specificity, one.agreements, one.condition)
        for one in place.entries
    ]  # fmt: skip


def differences(bidder: Bidder, expander: Expander, number: int) -> list[str]:
    """What the core says otherwise than the definition at a place, by its number."""
    return [what for what, one, other in _pairs(bidder, expander, number) if one != other]


def _pairs(bidder: Bidder, expander: Expander, number: int) -> Iterator[tuple[str, object, object]]:
    calls = bidder.auction_of(number)
    found, expected, state = bidder.place(calls), expander.place(calls), expander.state(calls)
    yield "entries", told(found), told(expected)
    yield "forced", found.forced, expected.forced
    yield "cells", found.cells, expected.cells
    row = bidder.row(number)
    for position, known in enumerate(state.knowledge):
        who = f"of player {position}"
        yield f"cells {who}", bidder.cells(int(row["known"][position])), known.cells
        hull = state.hulls[position]
        ends = [list(one) for one in (hull.points, *hull.lengths)]
        yield f"hull {who}", row["hull"][position].tolist(), ends
        for term, name in enumerate(rows.TERMS):
            bounds = known.terms.get(name, (-rows.WIDEST, rows.WIDEST))
            yield f"{name} {who}", tuple(row["terms"][position, term].tolist()), bounds
        suits = "".join(unpacked(int(row["suits"][position])))
        yield f"suits {who}", suits, state.suits[position]
    agreed = tuple(("", "C", "D", "H", "S", "N")[suit] or None for suit in row["agreed"])
    yield "agreed", agreed, state.agreed
    yield "game forced", tuple(map(bool, row["game_forced"])), state.game_forced
    yield "contested", tuple(map(bool, row["acted"])), state.contested
    if calls:
        caller, meaning, call_kind = (len(calls) - 1) % 4, state.meanings[-1], state.call_kinds[-1]
        kinds = {one for bit, one in enumerate(AGREEMENT_KINDS) if row["kinds"][caller] >> bit & 1}
        yield "kinds", kinds, {one.kind for one in meaning.agreements}
        for bit, word in enumerate(_DEEDS):
            yield word, bool(row["call_kind"][caller] >> bit & 1), word in call_kind
        jumps = ("jump" in call_kind) + ("double jump" in call_kind)
        yield "jump", max(0, min(int(row["jump"][caller]), 2)), jumps


def deals_of(count: int) -> DealArrays:
    """Random deals with all dealers and vulnerabilities."""
    numbers = np.arange(count)
    sides = (numbers // 4 % 4).astype(np.uint8)
    return DealArrays(deal_hands(SEED, 0, count), (numbers % 4).astype(np.uint8), sides)


def compare(names: Sequence[str], deals: int, folder: Path, part: str = "1/1") -> dict[str, Any]:
    """Compare all places, or every n-th one, that deals reach; what was found."""
    which, parts = map(int, part.split("/"))
    first, other = System.open(names[0]), System.open(names[-1])
    file = folder / f"{'-'.join(names)}-{deals}-{which}of{parts}.json"
    found: dict[str, Any] = {"compared": 0, "seconds": 0.0, "differences": []}
    if file.exists():
        found = json.loads(file.read_text())
    bidder = Bidder(first.rules, other.rules)
    bidder.bid(deals_of(deals))
    found["systems"], found["deals"], found["places"] = list(names), deals, bidder.count
    # neighbours share what the definition keeps
    auctions = sorted(bidder.auction_of(place) for place in range(bidder.count))[which - 1 :: parts]
    expander = Expander(first.rules, other.rules, most_cached=4000)
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(found["compared"], len(auctions), _AT_ONCE):
        began = time.process_time()
        for calls in auctions[start : start + _AT_ONCE]:
            for what in differences(bidder, expander, bidder.reach(calls)):
                found["differences"].append(f"{format_calls(calls)}: {what}")
        found["compared"] = min(start + _AT_ONCE, len(auctions))
        found["seconds"] += time.process_time() - began
        write_json(found, file)
    return found


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("systems", nargs="+", help="one system, or two against each other")
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", default="1/1")
    options = parser.parse_args()
    found = compare(options.systems, options.deals, options.out, options.part)
    print(json.dumps({**found, "differences": found["differences"][:20]}, indent=1))


if __name__ == "__main__":
    main()
