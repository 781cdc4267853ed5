"""Time of endings and of exact studies, and what inference changes in random endings.

Run ``python -m benchmarks.inference.single_dummy`` from the repository's root with the packages on
the path. One core; processor time, so that other work on the machine does not count.
"""

import time
from typing import Any

import numpy as np

from benchmarks.tools.machine import environment
from benchmarks.tools.programs import options, table, write_report
from bidcascade.bridge import Seat, cards_of
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD
from bidcascade.inference.single_dummy import EndingSolver, Position, infer

NOTRUMP = 4


def endings(random: np.random.Generator, cards: int, count: int) -> dict[str, float]:
    """Time of all cards of the player to lead, over random endings in random strains."""
    dealt = random.permuted(np.tile(np.arange(52), (count, 1)), axis=1)[:, : 4 * cards]
    bits = (np.uint64(1) << dealt.astype(np.uint64)).reshape(count, 4, cards)
    hands = np.ascontiguousarray(bits.sum(axis=2, dtype=np.uint64).T)
    trick = np.full((count, 3), NO_CARD, np.uint8)
    strains = random.integers(0, 5, count).astype(np.uint8)
    solver = EndingSolver()
    solver.plays(hands[:, :1], strains[:1], 0, trick[:1])
    started = time.process_time()
    solver.plays(hands, strains, 0, trick)
    return {"cards": cards, "us": 1e6 * (time.process_time() - started) / count}


def random_position(random: np.random.Generator, cards: int) -> Position:
    """Random ending in notrump, South on lead."""
    dealt = random.permutation(52)[: 4 * cards].reshape(4, cards).tolist()
    north, east, south, west = (sum(1 << card for card in hand) for hand in dealt)
    return Position((north, east, south, west), NOTRUMP, Seat.SOUTH, Seat.SOUTH)


def study(random: np.random.Generator, cards: int) -> dict[str, float]:
    """Time of one exact study."""
    position = random_position(random, cards)
    started = time.process_time()
    found = infer(position, next(cards_of(position.hands[2])))
    return {"cards": cards, "endings": found.endings, "s": time.process_time() - started}


def effect(random: np.random.Generator, count: int) -> dict[str, int]:
    """What the best card of South tells West, in random endings of four cards."""
    removed = changed = 0
    for _ in range(count):
        position = random_position(random, 4)
        found = infer(position, next(cards_of(position.hands[2])))
        if found.action != found.actor.best[0]:
            found = infer(position, found.actor.best[0])
        removed += found.possible_layouts < len(found.weights)
        changed += found.changes_play
    return {"endings": count, "removed": removed, "changed": changed}


def page(found: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    seen, studies = found["effect"], found["studies"]
    endings = [(one["cards"], f"{one['us']:.0f}") for one in found["endings"]]
    exact = [(one["cards"], one["endings"], f"{one['s']:.2f}") for one in studies]
    return [
        "# Single dummy", "",
        *table(("cards a hand", "all cards of the player to lead, µs"), endings, left=0), "",
        *table(("cards a hand", "endings of an exact study", "seconds"), exact, left=0), "",
        f"In {seen['endings']:,} random notrump endings of four cards, South leading his best "
        f"card, inference removed layouts in {seen['removed']:,} and left West another best card "
        f"in {seen['changed']:,}.",
    ]  # fmt: skip


def main() -> None:
    """Measure and write the results."""
    given = options(__doc__, subject="inference", endings=700)
    random = np.random.default_rng(1)
    found: dict[str, Any] = {
        "environment": environment(),
        "endings": [
            endings(random, cards, count)
            for cards, count in ((4, 20_000), (5, 5_000), (6, 1_000), (7, 100))
        ],
        "studies": [study(random, cards) for cards in (4, 5, 6)],
        "effect": effect(random, given.endings),
    }
    write_report(given.out, "single_dummy", found, page(found))


if __name__ == "__main__":
    main()
