"""``python -m benchmarks.card_play``: tricks a deal that our card players lose to double dummy.

Random deals are bid by sayc, and played by four players of one kind who see what players see. A
card's loss is how many tricks fewer its side takes double dummy, with the cards as they lie, than
with the best card. Kinds: layouts that fit the auction, layouts without it, layouts that count by
the cards of others, rules of thumb. Means a deal with 95 % intervals, and differences on the same
deals.
"""

import argparse
import sys
from collections import defaultdict
from time import perf_counter

import numpy as np

from bidcascade.bridge import Auction, Contract, Seat, Vulnerability
from bidcascade.inference.card_play.choosing import CardPlayer
from bidcascade.inference.card_play.sight import Sight, give_to_seats
from bidcascade.inference.double_dummy.protocol import NO_CARD
from bidcascade.inference.foreign.bidding import bid_out
from bidcascade.inference.single_dummy.endings import EndingSolver
from bidcascade.inference.weighted import margins
from bidcascade.kernels import DealArrays
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.systems import open_system

PLAIN, RULES = "layouts without the auction", "rules of thumb"
AUCTION, WEIGHED = "layouts of the auction", "layouts counted by cards"
_PARTS = ("opening lead", "declarer", "defence")
_SOLVER = EndingSolver()


def main() -> int:
    """Play until the time is over, and print what was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.card_play", description=__doc__)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--card-ms", type=int, default=500)
    parser.add_argument("--layouts", type=int, default=30)
    parser.add_argument("--budget", type=float, default=240.0, metavar="SECONDS")
    options = parser.parse_args()
    system = open_system("sayc")
    common = {"budget_ms": options.card_ms, "layouts": options.layouts}
    players = {
        AUCTION: CardPlayer(system, **common),
        PLAIN: CardPlayer(None, **common),
        WEIGHED: CardPlayer(system, weighs_cards=True, **common),
        RULES: CardPlayer(None, budget_ms=0),
    }
    deals = deal_arrays(random_deals(options.deals, options.seed))
    auctions = bid_out(system, system, deals)
    lost: dict[tuple[str, str], list[int]] = defaultdict(list)
    started, slowest, played = perf_counter(), 0.0, 0
    for number, calls in enumerate(auctions):
        if perf_counter() - started > options.budget:
            break
        auction = Auction.of(calls, Seat(int(deals.dealer[number])))
        if auction.contract is None:
            continue
        played += 1
        for kind, player in players.items():
            parts, took = play(player, deals, number, auction, auction.contract)
            slowest = max(slowest, took)
            for part, tricks in zip(_PARTS, parts, strict=True):
                lost[kind, part].append(tricks)
    print(f"{played} deals, slowest card {slowest:.2f} s")
    if not played:
        return 1
    for kind in players:
        shown(kind, {part: np.array(lost[kind, part], np.float64) for part in _PARTS})
    for kind in (PLAIN, WEIGHED, RULES):
        differences = {
            part: np.array(lost[kind, part], np.float64) - np.array(lost[AUCTION, part])
            for part in _PARTS
        }
        shown(f"{kind}, more than {AUCTION}", differences)
    return 0


def play(
    player: CardPlayer, deals: DealArrays, number: int, auction: Auction, contract: Contract
) -> tuple[list[int], float]:
    """Tricks lost by part of :data:`_PARTS`, and seconds of the slowest card."""
    hands = [int(hand) for hand in deals.hands[:, number]]
    dummy = (contract.declarer + 2) % 4
    cards, parts, slowest = list[int](), [0, 0, 0], 0.0
    while len(cards) < 52:
        state = give_to_seats(cards, contract)
        seat = contract.declarer if state.turn == dummy else state.turn
        sight = Sight(
            auction, Vulnerability(int(deals.vulnerability[number])), seat, hands[seat],
            hands[dummy] if cards else None, tuple(cards),
        )  # fmt: skip
        began = perf_counter()
        card = player.choose(sight).card
        slowest = max(slowest, perf_counter() - began)
        if card not in sight.legal:
            raise AssertionError(f"expected one of {sight.legal}, got {card}")
        on_table = np.full((1, 3), NO_CARD, np.uint8)
        on_table[0, : len(state.trick)] = state.trick
        left = np.array([[hand & ~sight.gone] for hand in hands], np.uint64)
        tricks = _SOLVER.plays(left, contract.strain, state.leader, on_table)[0]
        parts[0 if not cards else 1 if sight.declares else 2] += int(tricks.max() - tricks[card])
        cards.append(card)
    return parts, slowest


def shown(name: str, tricks: dict[str, np.ndarray]) -> None:
    """Print means with their intervals."""
    texts = []
    for part, found in tricks.items():
        width = margins(found, np.ones(len(found)))
        interval = "" if width is None else f" ± {float(width):.2f}"
        texts.append(f"{part} {found.mean():+.2f}{interval}")
    print(f"{name}: {', '.join(texts)}")


if __name__ == "__main__":
    sys.exit(main())
