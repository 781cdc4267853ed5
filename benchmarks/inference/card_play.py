"""Tricks a deal that our card players lose to double dummy.

Run ``python -m benchmarks.inference.card_play``.

Random deals are bid by sayc, and played by four players of one kind who see what players see. A
card's loss is how many tricks fewer its side takes double dummy, with the cards as they lie, than
with the best card. Layouts are as many as :data:`LAYOUTS` says, however long they take, so other
work on the machine changes nothing.

Deals are played in order until the time is over, and a run goes on from what one before it played
with the same numbers. Processes may share the work: each is one of ``--parts`` and writes a file of
its own into the folder ``--state``, and the report sums up all that lie there.

``--timed`` deals are played by the player that a table gets, with the clock, for the time a card.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.tools.machine import environment
from benchmarks.tools.programs import options, table, write_report
from bidcascade.bridge import Auction, Seat, Vulnerability
from bidcascade.inference.card_play.choosing import DEFAULT_BUDGET_MS, CardPlayer, ChosenCard
from bidcascade.inference.card_play.likelihood import CardInference, hidden_choices
from bidcascade.inference.card_play.sight import Sight, give_to_seats
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD
from bidcascade.inference.single_dummy import EndingSolver
from bidcascade.inference.weighted import margins
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I8, U8, U64
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.seats.foreign.bidding import bid_out
from bidcascade.systems import open_system

NAME = "card_play"
AUCTION, PLAIN, RULES = "layouts of the auction", "layouts without it", "rules of thumb"
WEIGHED = "layouts of the auction, by the cards of others"
AHEAD = "layouts of the auction, with declarer's next choice"
KINDS = (AUCTION, PLAIN, WEIGHED, AHEAD, RULES)
PARTS = ("opening lead", "declarer", "defence")
TAKEN = "declarer's tricks"
STATE = Path("out") / "card_play"
LAYOUTS = (8, 8, 12, 16, 24, 32)
"""In the first tricks; in later ones as many as in the last of these."""
_SAVED_EVERY_S = 60.0
_KEPT_FROM = 7
"""Cards a hand of layouts that are kept; those with fewer are solved in no time."""


def players() -> dict[str, CardPlayer]:
    """Players by kind; those that read the auction do it by sayc."""
    plain = CardPlayer(None, budget_ms=None, looks_ahead=False)
    auction = replace(plain, meanings=open_system("sayc"))
    return {
        AUCTION: auction,
        PLAIN: plain,
        WEIGHED: replace(auction, inference=CardInference()),
        AHEAD: replace(auction, looks_ahead=True),
        RULES: CardPlayer(None, budget_ms=0),
    }


class Remembering:
    """A solver that keeps the answers for a deal: kinds look at the same layouts."""

    def __init__(self) -> None:
        self._solver = EndingSolver()
        self._answers: dict[tuple[int, ...], I8] = {}

    def plays(
        self,
        hands: U64,
        strain: ArrayLike,
        first: ArrayLike,
        trick: U8,
        *,
        cancel: Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Answer as the solver does; all questions are of one strain."""
        count = hands.shape[1]
        if not count or int(hands[0, 0]).bit_count() < _KEPT_FROM:
            return self._solver.plays(hands, strain, first, trick, cancel=cancel)
        leaders = np.broadcast_to(np.asarray(first, np.uint64), count)
        rows = np.vstack([hands, leaders, trick.T.astype(np.uint64)]).T.tolist()
        keys = [tuple(row) for row in rows]
        new = [number for number, key in enumerate(keys) if key not in self._answers]
        if new:
            found = self._solver.plays(hands[:, new], strain, leaders[new], trick[new])
            self._answers.update(
                (keys[number], row) for number, row in zip(new, found, strict=True)
            )
        return np.array([self._answers[key] for key in keys], np.int8)


class Deal:
    """One deal in its contract, and what was worked out for it, which kinds share."""

    def __init__(self, deals: DealArrays, number: int, auction: Auction) -> None:
        assert auction.contract is not None
        self.auction, self.contract = auction, auction.contract
        self.hands = [int(hand) for hand in deals.hands[:, number]]
        self.vulnerability = Vulnerability(int(deals.vulnerability[number]))
        self._solver = Remembering()
        self._solved: dict[tuple[int, ...], I8] = {}
        self._chosen: dict[tuple[str, tuple[int, ...]], ChosenCard] = {}

    def sight(self, cards: Sequence[int]) -> Sight:
        """What who is to choose sees."""
        turn = give_to_seats(cards, self.contract).turn
        declarer = self.contract.declarer
        dummy = Seat((declarer + 2) % 4)
        seat = declarer if turn == dummy else turn
        return Sight(
            self.auction,
            self.vulnerability,
            seat,
            self.hands[seat],
            self.hands[dummy] if cards else None,
            tuple(cards),
        )

    def tricks(self, cards: tuple[int, ...]) -> I8:
        """Tricks of the side to play by card, double dummy."""
        if cards not in self._solved:
            state = give_to_seats(cards, self.contract)
            gone = sum(1 << card for card in cards)
            on_table = np.full((1, 3), NO_CARD, np.uint8)
            on_table[0, : len(state.trick)] = state.trick
            left = np.array([[hand & ~gone] for hand in self.hands], np.uint64)
            found = self._solver.plays(left, self.contract.strain, state.leader, on_table)
            self._solved[cards] = found[0]
        return self._solved[cards]

    def card(self, kind: str, player: CardPlayer, sight: Sight) -> tuple[int, str]:
        """Card of a kind of player, and what it was chosen by."""
        inference = player.inference
        if (inference is not None and not hidden_choices(sight, inference)) or (
            player.looks_ahead and player.meanings is not None and not sight.declares
        ):
            # nothing makes a difference here
            kind = AUCTION
        key = kind, sight.played
        if key not in self._chosen:
            trick = len(sight.played) // 4
            layouts = LAYOUTS[min(trick, len(LAYOUTS) - 1)]
            self._chosen[key] = replace(player, layouts=layouts, solver=self._solver).choose(sight)
        chosen = self._chosen[key]
        return chosen.card, chosen.origin


def play(kind: str, player: CardPlayer, deal: Deal) -> dict[str, Any]:
    """Tricks lost by part of :data:`PARTS`, and what declarer took, of what there was."""
    cards, parts = tuple[int, ...](), [0, 0, 0]
    while len(cards) < 52:
        sight = deal.sight(cards)
        card, origin = deal.card(kind, player, sight)
        if card not in sight.legal:
            raise AssertionError(f"expected one of {sight.legal}, got {card}")
        if origin not in ("only card", "equal cards"):
            tricks = deal.tricks(cards)
            parts[0 if not cards else 1 if sight.declares else 2] += int(
                tricks.max() - tricks[card]
            )
        cards = (*cards, card)
    taken = give_to_seats(cards, deal.contract).declarer_tricks
    return {"lost": parts, "tricks": taken, "double dummy": 13 - int(deal.tricks(()).max())}


def contracts(count: int, seed: int) -> Iterable[tuple[int, Deal]]:
    """Deals of random ones that are not passed out, bid by sayc, with their numbers."""
    system = open_system("sayc")
    deals = deal_arrays(random_deals(count, seed))
    for number, calls in enumerate(bid_out(system, system, deals)):
        auction = Auction.of(calls, Seat(int(deals.dealer[number])))
        if auction.contract is not None:
            yield number, Deal(deals, number, auction)


def times(count: int, seed: int) -> dict[str, Any]:
    """Milliseconds a card of the player that a table gets, by the clock and of the processor."""
    player = CardPlayer(open_system("sayc"))
    clock, processor = list[float](), list[float]()
    for _, deal in contracts(count, seed):
        cards = tuple[int, ...]()
        while len(cards) < 52:
            sight = deal.sight(cards)
            began, worked = perf_counter(), process_time()
            card = player.choose(sight).card
            clock.append(1000 * (perf_counter() - began))
            processor.append(1000 * (process_time() - worked))
            cards = (*cards, card)
    return {
        "cards": len(clock),
        **{
            name: [round(float(one), 1) for one in (*np.quantile(ms, (0.5, 0.99)), max(ms))]
            for name, ms in (("clock", clock), ("processor", processor))
        },
    }


def summary(deals: dict[str, Any]) -> dict[str, Any]:
    """Means and half intervals of 95 % by kind of player, and how much more than by layouts.

    Parameters
    ----------
    deals : dict
        By number, what :func:`play` gave for each kind.
    """
    players, more = {}, {}
    for kind in players_of(deals):
        own = [one for one in deals.values() if kind in one]
        lost = np.array([one[kind]["lost"] for one in own], np.float64)
        gain = np.array(
            [one[kind]["tricks"] - one[kind]["double dummy"] for one in own], np.float64
        )
        players[kind] = {"deals": len(own), **_by_part(lost), TAKEN: _estimate(gain)}
        both = [one for one in own if AUCTION in one]
        if kind != AUCTION and both:
            differences = [np.subtract(one[kind]["lost"], one[AUCTION]["lost"]) for one in both]
            more[kind] = {"deals": len(both), **_by_part(np.array(differences, np.float64))}
    return {"players": players, "more": more}


def players_of(deals: dict[str, Any]) -> list[str]:
    """Kinds of players that have played a deal, in their order."""
    return [kind for kind in KINDS if any(kind in one for one in deals.values())]


def _by_part(values: np.ndarray) -> dict[str, list[float | None]]:
    return {name: _estimate(values[:, part]) for part, name in enumerate(PARTS)}


def _estimate(values: np.ndarray) -> list[float | None]:
    """Mean, and half of its interval of 95 %, None where one value has none."""
    width = margins(values, np.ones(len(values)))
    return [float(values.mean()), None if width is None else float(width)]


def page(found: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    rows = [
        [kind, one["deals"], *(_told(one[part]) for part in PARTS), _told(one[TAKEN], sign=True)]
        for kind, one in found["players"].items()
    ]
    differences = [
        [kind, one["deals"], *(_told(one[part], sign=True) for part in PARTS)]
        for kind, one in found["more"].items()
    ]
    lines = [
        "# Cards against double dummy", "",
        "Tricks a deal that cards lost to double dummy, and what declarer took more than double "
        "dummy at the opening lead; ± is half of an interval of 95 %.", "",
        *table(("players", "deals", *PARTS, TAKEN), rows), "",
        f"More than with {AUCTION}, on the same deals:", "",
        *table(("players", "deals", *PARTS), differences), "",
        f"Layouts a card by trick: {', '.join(map(str, LAYOUTS))} and so on.",
    ]  # fmt: skip
    if (timed := found.get("times")) is not None:
        heads = ("ms a card", "median", "99 %", "longest")
        lines += [
            "", f"{timed['cards']:,} cards with the clock, {DEFAULT_BUDGET_MS} ms a card at most:",
            "", *table(heads, [(name, *timed[name]) for name in ("clock", "processor")]),
        ]  # fmt: skip
    return lines


def _told(estimate: Sequence[float | None], *, sign: bool = False) -> str:
    mean, width = estimate
    told = f"{mean:+.2f}" if sign else f"{mean:.2f}"
    return told if width is None else f"{told} ± {width:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play until the time is over, and write what was lost."""
    given = options(
        __doc__,
        arguments,
        subject="inference",
        deals=1000,
        seed=1,
        budget_s=(240.0, "how long to play"),
        ahead=(0, "deals to play with declarer's next choice too"),
        timed=(0, "deals to measure the time a card on"),
        parts=(1, "how many processes share the deals"),
        part=(0, "which of them this one is"),
        state=(STATE, "folder that keeps each deal that was played"),
    )
    kinds = players()
    settings = {"seed": given.seed, "layouts": list(LAYOUTS)}
    own = given.state / f"part-{given.part}.json"
    found = _read(own, settings)
    known = _all_parts(given.state, settings)["deals"]
    found |= {"environment": environment(), "settings": settings}
    if given.timed:
        found["times"] = times(given.timed, given.seed)
    ends = perf_counter() + given.budget_s
    saved = perf_counter()
    for number, deal in contracts(given.deals, given.seed):
        if perf_counter() > ends:
            break
        if number % given.parts != given.part:
            continue
        for kind in [kind for kind in kinds if kind not in known.get(str(number), {})]:
            if kind != AHEAD or number < given.ahead:
                found["deals"].setdefault(str(number), {})[kind] = play(kind, kinds[kind], deal)
        if perf_counter() - saved > _SAVED_EVERY_S:
            _write(own, found)
            saved = perf_counter()
    _write(own, found)
    found = _all_parts(given.state, settings)
    if not (deals := found.pop("deals")):
        return 1
    found |= summary(deals)
    write_report(given.out, NAME, found, page(found))
    return 0


def _all_parts(folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """What all processes have played, and the environment of the last of them."""
    found: dict[str, Any] = {"deals": {}}
    for path in sorted(folder.glob("part-*.json")):
        one = _read(path, settings)
        deals = found["deals"]
        for number, played in one.pop("deals").items():
            deals[number] = deals.get(number, {}) | played
        found |= one
    return found


def _read(path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    if not path.exists():
        return {"deals": {}}
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if found["settings"] != settings:
        raise SystemExit(f"{path}: expected results of {settings}, got {found['settings']}")
    return found


def _write(path: Path, found: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".new")
    partial.write_text(json.dumps(found) + "\n", "utf-8")
    partial.replace(path)


if __name__ == "__main__":
    sys.exit(main())
