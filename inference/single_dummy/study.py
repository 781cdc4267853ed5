"""What a card says about the hands that were not seen: single dummy with inference.

The weight of a layout after a card is its weight before, times the chance that its player would
have chosen the card with that hand: w(h | a) ∝ w(h) · π(a | h). That chance comes from the player's
own single-dummy decision: over all layouts that *he* thinks possible, the card with the best mean
of double-dummy tricks. Then the observer's cards are judged over the layouts with their new
weights.

Two assumptions, as everywhere in single-dummy studies: behind the decision the play goes on double
dummy, and the actor draws no conclusions of his own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from threading import Event
from typing import Final

import numpy as np

from bidcascade.bridge import InvalidInput, Seat, ShownAnswer, cards_of, parse_card
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD, SolvesPlays
from bidcascade.kernels.types import I8, U64

from .endings import EndingSolver
from .position import Position, View
from .ties import Ties
from .views import (
    MOST_LAYOUTS,
    all_layouts,
    card_keys,
    layout_count,
    rows_wanted,
    sampled_layouts,
    settled,
)

MOST_ENDINGS: Final = 2_000_000
"""Endings that an exact study may solve: five cards a hand take 32,000, six 430,000."""
_BATCH: Final = 16_384


@dataclass(frozen=True, slots=True, repr=False)
class Decision(ShownAnswer):
    """A player's cards, judged over layouts.

    Parameters
    ----------
    seat : Seat
        Whose cards they are; declarer chooses for dummy.
    layouts : int
        How many layouts have a weight.
    weight : Fraction
        Sum of their weights.
    totals : mapping of int to Fraction
        By card number the tricks of declarer's side, summed over the layouts with their weights.
    maximises : bool
        Whether the player wants many of them.
    exact : bool
        Whether these are all layouts there are, not a sample.

    Examples
    --------
    >>> totals = {0: Fraction(3), 13: Fraction(1)}
    >>> decision = Decision(Seat.WEST, 2, Fraction(2), totals, maximises=False, exact=True)
    >>> decision.best, decision.means[0]
    ((13,), Fraction(3, 2))
    """

    seat: Seat
    layouts: int
    weight: Fraction
    totals: Mapping[int, Fraction]
    maximises: bool
    exact: bool

    @property
    def means(self) -> dict[int, Fraction]:
        """Mean tricks of declarer's side by card."""
        return {card: total / self.weight for card, total in self.totals.items()}

    @property
    def card_values(self) -> dict[int, Fraction]:
        """Mean tricks by card from the player's view: more is better."""
        return {card: mean if self.maximises else -mean for card, mean in self.means.items()}

    @property
    def best(self) -> tuple[int, ...]:
        """Cards with the best mean, ascending."""
        values = self.card_values
        top = max(values.values())
        return tuple(sorted(card for card, value in values.items() if value == top))


@dataclass(frozen=True, slots=True, repr=False)
class Study(ShownAnswer):
    """What :func:`infer` found.

    Parameters
    ----------
    position : Position
        Before the action.
    action : int
        The card.
    then : tuple of int
        Cards played after it, before the observer's turn.
    ties : Ties
    actor : Decision
        The actor's cards with the hand that he has.
    before : Decision
        The observer's cards over all layouts, without inference.
    after : Decision or None
        With inference; None if no layout explains the action.
    layouts : uint64 [4, n]
        As the observer sees them: hands behind the action and the cards after it.
    chances : tuple of n Fraction
        Chance of the action in each layout.
    weights : tuple of n Fraction
        Weight before the action, times its chance.
    endings : int
        Double-dummy problems that were solved.
    """

    position: Position
    action: int
    then: tuple[int, ...]
    ties: Ties
    actor: Decision
    before: Decision
    after: Decision | None
    layouts: U64
    chances: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    endings: int

    @property
    def possible_layouts(self) -> int:
        """Layouts in which the action has a chance."""
        return sum(1 for weight in self.weights if weight)

    @property
    def changes_play(self) -> bool:
        """Whether inference makes another card best: none is best both with and without it."""
        return self.after is not None and not set(self.after.best) & set(self.before.best)


def infer(
    position: Position,
    action: "int | str",
    *,
    actor: Seat | None = None,
    observer: Seat | None = None,
    then: Sequence["int | str"] = (),
    ties: "Ties | str" = "share",
    double_dummy: SolvesPlays | None = None,
    layouts: int | None = None,
    hypotheses: int | None = None,
    seed: int = 0,
    prior: "tuple[U64, Sequence[Fraction]] | None" = None,
    cancel: Event | None = None,
) -> Study:
    """Work out what a card tells the next player, and what that player then does best.

    Parameters
    ----------
    position : Position
        Before the action.
    action : int or str
        Card that the player to act plays: number or text (``SA``).
    actor, observer : Seat, optional
        Who plays the card, and whose turn it is afterwards; they follow from the position and are
        only checked.
    then : sequence of int or str
        Cards played after the action, before the observer's turn; nothing is inferred from them.
    ties : Ties or str
        What the actor does with equally good cards.
    double_dummy : SolvesPlays, optional
        By default the search of :mod:`.endings`, which is meant for few cards.
    layouts : int, optional
        Sample so many of the observer's layouts; without it all of them are taken.
    hypotheses : int, optional
        Sample so many of the actor's layouts for each of them; without it all of them are taken.
    seed : int
        Of the samples.
    prior : (uint64 [4, n], n Fraction), optional
        Layouts before the action with their weights, where more is known than the position says,
        as by an auction. Those that do not agree with what the observer sees are left out.
    cancel : Event, optional
        Ends the work early, with the error of the solver.

    Returns
    -------
    Study

    Raises
    ------
    InvalidHand
        If the action, or a card after it, cannot be played.
    InvalidInput
        If the actor is not to play, the observer has no turn, or there are too many layouts for an
        exact study.
    InvalidDeal
        If no layout agrees with the position.

    Examples
    --------
    >>> position = Position.parse(
    ...     "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A", "N", declarer="S", leader="S")
    >>> study = infer(position, "SA")
    >>> study.possible_layouts, study.after.weight, study.after.means[parse_card("HA")]
    (35, Fraction(93, 4), Fraction(10, 3))
    """
    policy = Ties.parse(ties) if isinstance(ties, str) else ties
    card = _card(action)
    who = position.turn
    if actor is not None and actor != who:
        raise InvalidInput(f"expected an action of {who.letter}, whose turn it is, got {actor!r}")
    later = tuple(map(_card, then))
    seen = position.after(card)
    for one in later:
        seen = seen.after(one)
    if observer is not None and observer != seen.turn:
        raise InvalidInput(
            f"expected {seen.turn.letter} as observer, whose turn it then is, got {observer!r}"
        )
    solver = _Counting(double_dummy or EndingSolver(), cancel)
    draws = _Draws(layouts, hypotheses, seed)
    _check_size(position, seen, draws)
    real = _own_decision(position, position.hands, solver, draws)
    views, weights = _observed(position, seen, (card, *later), draws, prior)
    before_action = views.copy()
    turn = position
    for one in (card, *later):
        before_action[turn.turn] |= np.uint64(1 << one)
        turn = turn.after(one)
    decided = _decisions(position, before_action, solver, draws)
    chances = tuple(policy.chance(decision.card_values, card) for decision in decided)
    tricks = _tricks(seen, views, solver)
    exact = layouts is None and prior is None
    posterior = tuple(weight * chance for weight, chance in zip(weights, chances, strict=True))
    return Study(
        position,
        card,
        later,
        policy,
        real,
        _judged(seen, tricks, weights, exact=exact),
        _judged(seen, tricks, posterior, exact=exact) if any(posterior) else None,
        views,
        chances,
        posterior,
        solver.endings,
    )


def decisions(
    position: Position,
    hands: U64,
    *,
    double_dummy: SolvesPlays | None = None,
    hypotheses: int | None = None,
    seed: int = 0,
    cancel: Event | None = None,
) -> list[Decision]:
    """Judge the cards of who is to play as he does himself, in each of some layouts.

    Parameters
    ----------
    position : Position
        Whose turn it is, and what everybody knows; of its hands only the numbers of cards count.
    hands : uint64 [4, n]
        Layouts. In each the player sees his own hand and dummy, and nothing else of it.
    double_dummy, hypotheses, seed, cancel
        As :func:`infer` has them.

    Returns
    -------
    list of Decision
        One a layout; those with the same hand in sight are the same.

    Raises
    ------
    InvalidDeal
        If a layout is none of the position.

    Examples
    --------
    >>> position = Position.parse(
    ...     "N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A", "N", declarer="S", leader="S")
    >>> layout = np.array(position.hands, np.uint64)[:, np.newaxis]
    >>> [(one.layouts, one.best) for one in decisions(position, layout)]
    [(70, (51,))]
    """
    solver = _Counting(double_dummy or EndingSolver(), cancel)
    return _decisions(position, hands, solver, _Draws(None, hypotheses, seed))


@dataclass(frozen=True, slots=True)
class _Draws:
    """How many layouts are drawn, None for all."""

    layouts: int | None
    hypotheses: int | None
    seed: int

    def observed(self, view: View) -> U64:
        """Layouts of the observer."""
        return _drawn(view, self.layouts, self.seed, 0)

    def imagined(self, view: View) -> U64:
        """Layouts of the actor."""
        return _drawn(view, self.hypotheses, self.seed, 1)


def _drawn(view: View, count: int | None, seed: int, stream: int) -> U64:
    if count is None or layout_count(view) <= count:
        return all_layouts(view)
    keys = card_keys(seed, rows_wanted(view, count), stream=stream)
    return sampled_layouts(view, keys, count)


class _Counting:
    """A solver that counts what it was asked."""

    def __init__(self, solver: SolvesPlays, cancel: Event | None) -> None:
        self._solver = solver
        self._cancel = cancel
        self.endings = 0

    def plays(self, position: Position, hands: U64) -> I8:
        """Tricks of the side to move in every layout of a position."""
        count = hands.shape[1]
        trick = np.full((count, 3), NO_CARD, np.uint8)
        trick[:, : len(position.trick)] = position.trick
        self.endings += count
        return self._solver.plays(
            hands, position.strain, int(position.leader), trick, cancel=self._cancel
        )


def _card(card: "int | str") -> int:
    return parse_card(card) if isinstance(card, str) else int(card)


def _check_size(position: Position, seen: Position, draws: _Draws) -> None:
    """Refuse a study that would not come to an end."""
    mine = layout_count(seen.view(seen.turn))
    his = layout_count(position.view(position.turn))
    mine = mine if draws.layouts is None else min(mine, draws.layouts)
    his = his if draws.hypotheses is None else min(his, draws.hypotheses)
    if mine > MOST_LAYOUTS or his > MOST_LAYOUTS or mine * his > MOST_ENDINGS:
        raise InvalidInput(
            f"expected at most {MOST_ENDINGS} endings in a study, got {mine} layouts of the "
            f"observer with {his} of the actor for each: ask for a sample"
        )


def _own_decision(
    position: Position, hands: Sequence[int], solver: _Counting, draws: _Draws
) -> Decision:
    imagined = draws.imagined(position.with_hands(hands).view(position.turn))
    return _judged(
        position,
        _tricks(position, imagined, solver),
        (Fraction(1),) * imagined.shape[1],
        exact=draws.hypotheses is None,
    )


def _observed(
    position: Position,
    seen: Position,
    cards: tuple[int, ...],
    draws: _Draws,
    prior: "tuple[U64, Sequence[Fraction]] | None",
) -> tuple[U64, tuple[Fraction, ...]]:
    """Layouts behind the action from the observer's view, with their weights before it."""
    view = seen.view(seen.turn)
    if prior is None:
        hands = draws.observed(view)
        return hands, (Fraction(1),) * hands.shape[1]
    hands, weights = np.array(prior[0], np.uint64), list(prior[1])
    if hands.ndim != 2 or len(hands) != 4 or hands.shape[1] != len(weights):
        raise InvalidInput(
            f"expected layouts uint64[4, n] with n weights, got {hands.shape} and {len(weights)}"
        )
    turn = position
    good = np.ones(len(weights), np.bool_)
    for card in cards:
        bit = np.uint64(1 << card)
        good &= hands[turn.turn] & bit != 0
        hands[turn.turn] &= ~bit
        turn = turn.after(card)
    for seat in Seat:
        known = np.uint64(view.known[seat])
        good &= hands[seat] & known == known
        good &= hands[seat] & ~(known | np.uint64(view.unseen)) == 0
        good &= hands[seat] & np.uint64(view.denied[seat]) == 0
        good &= np.bitwise_count(hands[seat]) == seen.counts[seat]
    chosen = np.flatnonzero(good).tolist()
    if not any(weights[number] for number in chosen):
        raise InvalidInput("expected a layout of the prior that agrees with the play, got none")
    return np.ascontiguousarray(hands[:, good]), tuple(weights[number] for number in chosen)


def _decisions(position: Position, hands: U64, solver: _Counting, draws: _Draws) -> list[Decision]:
    """Decision of the actor in each of some layouts; equal hands are asked once."""
    found: dict[View, Decision] = {}
    views = [
        settled(position.with_hands(hands[:, number].tolist()).view(position.turn))
        for number in range(hands.shape[1])
    ]
    waiting: list[tuple[View, Position, U64]] = []
    size = 0
    for view, number in {view: number for number, view in enumerate(views)}.items():
        imagined = draws.imagined(view)
        waiting.append((view, position.with_hands(hands[:, number].tolist()), imagined))
        size += imagined.shape[1]
        if size >= _BATCH:
            found |= _decided(position, waiting, solver, draws)
            waiting, size = [], 0
    found |= _decided(position, waiting, solver, draws)
    return [found[view] for view in views]


def _decided(
    position: Position,
    waiting: Sequence[tuple[View, Position, U64]],
    solver: _Counting,
    draws: _Draws,
) -> dict[View, Decision]:
    """Solve the layouts of several hands at once."""
    if not waiting:
        return {}
    tricks = solver.plays(
        position, np.concatenate([imagined for _, _, imagined in waiting], axis=1)
    )
    found = {}
    start = 0
    for view, own, imagined in waiting:
        end = start + imagined.shape[1]
        found[view] = _judged(
            own,
            _of_declarer(own, tricks[start:end]),
            (Fraction(1),) * (end - start),
            exact=draws.hypotheses is None,
        )
        start = end
    return found


def _tricks(position: Position, hands: U64, solver: _Counting) -> I8:
    return _of_declarer(position, solver.plays(position, hands))


def _of_declarer(position: Position, tricks: I8) -> I8:
    """Turn tricks of the side to move into tricks of declarer's side."""
    if position.maximises(position.turn):
        return tricks
    return np.where(tricks < 0, tricks, position.counts[position.turn] - tricks).astype(np.int8)


def _judged(
    position: Position, tricks: I8, weights: Sequence[Fraction], *, exact: bool
) -> Decision:
    """Sum up what each card that may be played brings."""
    cards = list(cards_of(position.legal_cards()))
    totals = dict.fromkeys(cards, Fraction(0))
    groups: dict[Fraction, list[int]] = {}
    for number, weight in enumerate(weights):
        if weight:
            groups.setdefault(weight, []).append(number)
    for weight, numbers in groups.items():
        sums = tricks[numbers][:, cards].sum(axis=0, dtype=np.int64).tolist()
        for card, total in zip(cards, sums, strict=True):
            totals[card] += weight * total
    return Decision(
        position.turn,
        sum(map(len, groups.values())),
        sum((weight * len(numbers) for weight, numbers in groups.items()), Fraction(0)),
        totals,
        position.maximises(position.turn),
        exact,
    )
