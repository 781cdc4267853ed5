"""Time and acceptance of layouts after typical auctions, unseen and seen from the opening leader.

Run ``python -m benchmarks.inference.layouts`` from the root, with the packages on the path. For
each auction 200 layouts of SAYC are sampled: once cold (its lines are read and lowered), then again
and again with other seeds. The leader's hand is one that fits.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.tools.machine import environment
from benchmarks.tools.programs import named, options, table, timed, write_report
from bidcascade.bridge import Auction, Seat, parse_calls
from bidcascade.inference import sample_layouts
from bidcascade.systems import System, open_system

LAYOUTS = 200

AUCTIONS = (
    "1N P 2C P 2H P 3N P P P",
    "1N P 3N P P P",
    "1N P 2D P 2H P 3N P 4H P P P",
    "1S P 2S P P P",
    "1S P 2S P 4S P P P",
    "1H P 1S P 2H P 4H P P P",
    "1D P 1H P 1N P P P",
    "1C P 1H P 1S P 2N P 3N P P P",
    "1D P 2N P 3N P P P",
    "2N P 3C P 3S P 4S P P P",
    "2C P 2D P 2N P 3N P P P",
    "2H P P P",
    "3D P P X P 4S P P P",
    "1H 1S 2H 2S P P P",
    "1S X P 2H P P P",
    "1H 2C 2H 3C 3H P P P",
    "1C 1D X 2D P P X P P P",
    "P P 1S P 2S P P P",
    "1N P 4N P 6N P P P",
    "1S P 3S P 4N P 5D P 6S P P P",
)


def measure(system: System, auction: str, repeat: int) -> dict[str, Any]:
    """Measure one auction."""
    calls = parse_calls(auction)
    contract = Auction.of(calls).contract
    assert contract is not None
    leader = Seat((contract.declarer + 1) % 4)
    cold, first = timed(lambda: sample_layouts(system, auction, count=LAYOUTS, seed=1))
    found: dict[str, Any] = {
        "auction": auction,
        "first_ms": 1000 * cold,
        "relaxed": [str(one) for one in first.report.relaxed],
    }
    hand = int(first.hands[leader, 0])
    for name, known in (("unseen", {}), ("leader", {leader: hand})):
        # the first of these is not counted
        seconds, layouts = zip(
            *(
                timed(
                    partial(sample_layouts, system, auction, count=LAYOUTS, seed=seed, known=known)
                )
                for seed in range(2, 3 + repeat)
            ),
            strict=True,
        )
        seconds, reports = seconds[1:], [one.report for one in layouts[1:]]
        found[name] = {
            "min_ms": 1000 * min(seconds),
            "median_ms": 1000 * float(np.median(seconds)),
            "max_ms": 1000 * max(seconds),
            "proposals": float(np.median([one.proposals for one in reports])),
            "acceptance": float(np.median([one.acceptance for one in reports])),
            "effective_size": float(np.median([one.effective_size for one in reports])),
            "accepted": min(one.accepted for one in reports),
        }
    return found


def page(found: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    rows, relaxed = [], []
    for row in found["auctions"]:
        star = ""
        if row["relaxed"]:
            star = " \\*"
            relaxed.append(f"* `{row['auction']}`: {'; '.join(row['relaxed'])}")
        cells = [f"`{row['auction']}`{star}", f"{row['first_ms']:.0f}"]
        for one in (row["unseen"], row["leader"]):
            cells += [
                f"{one['median_ms']:.1f}",
                f"{100 * one['acceptance']:.2g} %",
                f"{one['effective_size']:.0f}",
            ]
        rows.append(cells)
    heads = ("auction", "first", "unseen", "accepted", "size", "seen", "accepted", "size")
    return [
        "# Layouts after typical auctions",
        "",
        f"{LAYOUTS} layouts of SAYC, median of {found['repeat']} seeds, milliseconds; *first*: the "
        "first time that the auction comes up. *Seen*: the opening leader's hand is known. "
        "*Accepted*: share of the deals looked at that fit; *size*: the effective one.",
        "",
        *table(heads, rows),
        *(["", "\\* conditions were relaxed:", "", *relaxed] if relaxed else []),
        "",
        named(found["environment"]),
    ]


def main() -> None:
    given = options(__doc__, subject="inference", repeat=15)
    system = open_system("sayc")
    # libraries are loaded before anything is measured
    sample_layouts(system, "1H 1S 2H 2S P P P", count=50, seed=1)
    fresh = open_system("sayc")
    found = {
        "repeat": given.repeat,
        "layouts": LAYOUTS,
        "auctions": [measure(fresh, auction, given.repeat) for auction in AUCTIONS],
        "environment": environment(),
    }
    write_report(given.out, "layouts", found, page(found))


if __name__ == "__main__":
    main()
