"""A card for who is to play: double dummy over layouts of the cards that he does not see.

Layouts of the hidden hands fit the auction and each card played: nobody holds a card of a suit that
he has shown out of. Where few enough are left, they are all looked at; else they are drawn. All
legal cards are measured on the same layouts (Ginsberg: GIB, Imperfect information in a
computationally challenging game, 2001), by the mean score of the contract, then by mean tricks. Of
cards that are equally good the one is played that a player would play. In each layout all cards are
seen from the next card on, so a guess that can be put off is taken for none; where there is time,
declarer's next choice is therefore made for all layouts alike (:mod:`.next_choice`).

The same sight, seed and budget give the same card: the budget is turned into a number of layouts
beforehand. Where the machine is so slow that the clock ends the work before, ``notes`` say so; no
layout is waited for behind the end of the budget.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from functools import partial
from itertools import islice
from threading import Event, Thread
from time import perf_counter
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from bidcascade.bridge import (
    FULL_DECK,
    BackendUnavailable,
    InvalidDeal,
    InvalidInput,
    NoSuchDeal,
    ShownAnswer,
    TimedOut,
    format_card,
)
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD, SolvesPlays
from bidcascade.inference.layouts.fitting import fitting
from bidcascade.inference.layouts.meanings import MeaningSource
from bidcascade.inference.layouts.sampling import deal_where, sample_layouts
from bidcascade.inference.layouts.searching import SearchLimits
from bidcascade.inference.lead_carding import usual_leads
from bidcascade.inference.leads import study_leads, touching_cards
from bidcascade.inference.single_dummy.endings import EndingSolver
from bidcascade.inference.single_dummy.views import all_layouts, layout_count
from bidcascade.inference.weighted import weighted_mean
from bidcascade.kernels.types import F64, I8, U64
from bidcascade.systems import System

from .likelihood import CardChoice, CardInference, hidden_choices, likelihoods
from .next_choice import SOLVED, PlayedValue, points_by_tricks, value_with_next_choice
from .rules_of_thumb import is_master, usual_cards
from .sight import Sight

DEFAULT_BUDGET_MS: Final = 1000
"""For a card."""
MOST_LAYOUTS: Final = 60
"""Behind a card."""
FEWEST_LAYOUTS: Final = 4
"""With fewer, what is seen in a layout would count for too much."""
_MOST_PROPOSALS: Final = 50_000
_MOST_IN_ALL: Final = 1000
"""Layouts of an ending that are all looked at: six cards a hand have 924."""
_CARDS_GONE: Final = (1, 5, 9, 13, 17, 21, 25, 29, 33, 37)
_MS_A_LAYOUT: Final = (60.0, 20.0, 12.0, 6.0, 2.5, 1.0, 0.4, 0.2, 0.07, 0.03, 0.01)
"""To solve one for all cards of a hand, on one core, before so many cards are gone (measured)."""
_SHARE_OF_SOLVING: Final = 0.6
_SHARE_OF_AHEAD: Final = 0.25
_MOST_AHEAD: Final = 4
"""Cards whose next choice is looked at, the best ones double dummy."""
_FEWEST_AHEAD: Final = 12
_BETWEEN_LOOKS_MS: Final = 20.0
"""Of work between two looks at the clock, if a layout takes no more."""
_DIGITS: Final = 6
"""Nothing hangs on the last digits of a mean."""
_NO_AUCTION: Final = "layouts say nothing of the auction: its calls have no known meaning"
_SUIT: Final = 13
_BOOK: Final = 6

_CORE: Final = EndingSolver()
_Found = TypeVar("_Found")

Origin: TypeAlias = Literal["layouts", "only card", "equal cards", "rules of thumb"]


class PlayValue(NamedTuple):
    """What cards that touch are worth over the layouts.

    Parameters
    ----------
    cards : tuple of int
        Highest first.
    holds : float
        Share of layouts (0-1) in which the contract is made.
    tricks : float
        Mean tricks of the player's side in the whole play.
    points : float
        Mean duplicate score of the player's side.
    """

    cards: tuple[int, ...]
    holds: float
    tricks: float
    points: float


@dataclass(frozen=True, slots=True, repr=False)
class ChosenCard(ShownAnswer):
    """A card to play, and why.

    Parameters
    ----------
    card : int
    origin : {"layouts", "only card", "equal cards", "rules of thumb"}
        What it was chosen by.
    why : str
        In words.
    values : tuple of PlayValue
        Of all legal cards, from the best on; none where no layouts stand behind the card.
    layouts : int
        How many stand behind it.
    notes : tuple of str
        What was given up: conditions of calls, the auction, layouts that there was no time for.
    """

    card: int
    origin: Origin
    why: str
    values: tuple[PlayValue, ...] = ()
    layouts: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CardPlayer:
    """Chooses cards for declarer, dummy and defenders.

    Parameters
    ----------
    meanings : System, table or None
        What the calls of the auction are read by. None reads nothing from the auction.
    opponents : System, optional
        System of the other side, if it is another; ``meanings`` is a system then.
    budget_ms : int or None
        For a card. With 0, and where it is too short for four layouts, cards are those of
        :mod:`.rules_of_thumb`. With None there are as many layouts as ``layouts`` says, however
        long they take, so that the clock changes nothing.
    layouts : int
        How many are drawn at most; an ending that has up to a thousand is looked at in all of
        them.
    seed : int
        From 0 to ``2**64 - 1``.
    inference : CardInference, optional
        A layout counts by how likely others would have played their cards in it
        (:mod:`.likelihood`); without it each one counts that the cards leave possible.
    looks_ahead : bool
        Whether declarer's cards are judged by the next choice that they leave him, where there is
        time for it.
    solver : SolvesPlays

    Raises
    ------
    InvalidInput
        If a number is out of bounds, or there are opponents of no system.

    Examples
    --------
    >>> from bidcascade.bridge import Auction, Seat, Vulnerability, parse_calls, parse_hand
    >>> from bidcascade.bridge import parse_card
    >>> sight = Sight(
    ...     Auction.of(parse_calls("1N P 3N P P P")), Vulnerability.NONE, Seat.NORTH,
    ...     parse_hand("AQ4.KJ3.K876.Q52"), parse_hand("K2.AQ8.QJ53.K743"),
    ...     (parse_card("SJ"),))
    >>> chosen = CardPlayer(None, budget_ms=0).choose(sight)
    >>> format_card(chosen.card), chosen.origin
    ('S2', 'rules of thumb')
    """

    meanings: MeaningSource | None
    opponents: System | None = None
    budget_ms: int | None = DEFAULT_BUDGET_MS
    layouts: int = MOST_LAYOUTS
    seed: int = 0
    inference: CardInference | None = None
    looks_ahead: bool = True
    solver: SolvesPlays = _CORE

    def __post_init__(self) -> None:
        if self.opponents is not None and not isinstance(self.meanings, System):
            raise InvalidInput("expected a system whose opponents play another, got none")
        if self.budget_ms is not None and self.budget_ms < 0:
            raise InvalidInput(f"expected a budget from 0 ms, got {self.budget_ms!r}")
        if not 0 <= self.seed < 1 << 64:
            raise InvalidInput(f"expected a seed from 0 to 2**64 - 1, got {self.seed!r}")
        if self.layouts < FEWEST_LAYOUTS:
            raise InvalidInput(f"expected at least {FEWEST_LAYOUTS} layouts, got {self.layouts!r}")

    def choose(self, sight: Sight, *, cancel: Event | None = None) -> ChosenCard:
        """Choose a card.

        Parameters
        ----------
        sight : Sight
        cancel : threading.Event, optional

        Raises
        ------
        Cancelled, DoubleDummyFailed
            As the solver does.
        """
        legal = sight.legal
        if len(legal) == 1:
            return ChosenCard(legal[0], "only card", "the only card that may be played")
        if len(groups := _groups(sight)) == 1:
            reason = "all cards that may be played are equal: they touch"
            return ChosenCard(_usual(sight, groups[0]), "equal cards", reason)
        choices = hidden_choices(sight, self.inference) if self.inference else []
        # layouts that there is time for, in the usual budget where there is no end
        budget_ms = DEFAULT_BUDGET_MS if self.budget_ms is None else self.budget_ms
        room = int(_SHARE_OF_SOLVING * budget_ms / self._ms_a_layout(sight, choices))
        if self.budget_ms is not None and room < FEWEST_LAYOUTS:
            return _by_rules(sight, (f"a budget of {self.budget_ms} ms is too short for layouts",))
        deadline = math.inf if self.budget_ms is None else perf_counter() + self.budget_ms / 1000
        late = f"no time for layouts in {self.budget_ms} ms"
        try:
            drawn = _within(deadline, partial(self._drawn, sight, room, deadline, cancel))
        except TimedOut:
            return _by_rules(sight, (late,))
        except (NoSuchDeal, InvalidDeal) as error:
            return _by_rules(sight, (f"no layout fits the cards played: {error}",))
        notes = drawn.notes
        try:
            tricks = self._solved(sight, drawn.hands, deadline, cancel)
        except BackendUnavailable as error:
            return _by_rules(sight, (*notes, str(error)))
        solved, requested = len(tricks), len(drawn.weights)
        if solved < min(FEWEST_LAYOUTS, requested):
            return _by_rules(sight, (*notes, late))
        if solved < requested:
            notes = (
                *notes,
                f"{solved} of {requested} layouts solved in {self.budget_ms} ms: with more "
                "time it may be another card",
            )
        hands, counts = drawn.hands[:, :solved], drawn.weights[:solved]
        weights, given_up = self._weighed(sight, hands, counts, choices, deadline, cancel)
        notes = (*notes, *given_up)
        values = play_values(sight, weights, tricks)
        if not sight.played:
            study = study_leads(
                tricks,
                hands,
                sight.contract,
                weights=weights,
                vulnerability=sight.vulnerability,
                scoring="imps",
            )
            card = study.card
        else:
            good = _equal_to_best(values)
            if sight.declares and self.looks_ahead and len(values) > 1:
                drawn = drawn._replace(hands=hands, weights=weights)
                good = (
                    self._with_next_choice(sight, drawn, tricks, budget_ms, deadline, cancel)
                    or good
                )
            card = _usual(sight, [card for one in good for card in one.cards])
        # those that came several times count as often
        count = round(float(counts[weights > 0].sum()))
        return ChosenCard(card, "layouts", _why(sight, card, values, count), values, count, notes)

    def _ms_a_layout(self, sight: Sight, choices: Sequence[CardChoice]) -> float:
        """How long it takes to solve a layout, and to weigh the cards of others in it."""
        weighed = 0.0
        if self.inference is not None:
            weighed = sum(
                _ms_a_layout(one.gone.bit_count()) * self.inference.imagined(one) for one in choices
            )
        return _ms_a_layout(len(sight.played)) + weighed

    def _drawn(self, sight: Sight, room: int, deadline: float, cancel: Event | None) -> "_Drawn":
        """All layouts that fit, where there is time for them, or some; with what was given up."""
        view = sight.view()
        if layout_count(view) > min(room, _MOST_IN_ALL):
            count = self.layouts if self.budget_ms is None else min(self.layouts, room)
            return self._some(sight, count, deadline, cancel)
        hands = all_layouts(view)
        for seat, played in enumerate(sight.state.hands):
            hands[seat] |= np.uint64(played)
        # who has no time for all of them looks at some of each kind
        order = np.random.Generator(np.random.Philox(key=(self.seed, 0)))
        hands = hands[:, order.permutation(hands.shape[1])]
        notes: tuple[str, ...] = (_NO_AUCTION,)
        if (sources := self._sources(sight)) is not None:
            fits, relaxed = fitting(
                sources[0],
                sight.auction.calls,
                hands,
                dealer=sight.auction.dealer,
                vulnerability=sight.vulnerability,
                seen=sight.seen,
                opponents=sources[1],
            )
            hands, notes = hands[:, fits], tuple(map(str, relaxed))
        return _Drawn(np.ascontiguousarray(hands), np.ones(hands.shape[1]), notes)

    def _sources(self, sight: Sight) -> tuple[MeaningSource, System | None] | None:
        """Tell what calls of the dealer's side are read by, and those of the other."""
        source, others = self.meanings, self.opponents
        if source is None:
            return None
        if others is not None and (sight.seat - sight.auction.dealer) % 2:
            assert isinstance(source, System)
            return others, source
        return source, others

    def _some(self, sight: Sight, count: int, deadline: float, cancel: Event | None) -> "_Drawn":
        """Draw layouts that fit, those that are the same as one."""
        notes = list[str]()
        known, dealer = sight.known(), sight.auction.dealer
        hands, weights = np.empty((4, 0), np.uint64), np.empty(0)
        # half of what there is, so that a strange auction leaves time to play without it
        half_s = max((deadline - perf_counter()) / 2, 1e-3)
        if (sources := self._sources(sight)) is None:
            notes.append(_NO_AUCTION)
        else:
            try:
                found = sample_layouts(
                    sources[0],
                    sight.auction.calls,
                    count=count,
                    dealer=dealer,
                    vulnerability=sight.vulnerability,
                    known=known,
                    seed=self.seed,
                    opponents=sources[1],
                    time_limit_s=half_s,
                    max_proposals=_MOST_PROPOSALS,
                    cancel=cancel,
                )
            except (NoSuchDeal, TimedOut) as error:
                notes.append(f"layouts say nothing of the auction: {error}")
            else:
                hands, weights = found.hands, found.weights
                notes += map(str, found.report.relaxed)
                if found.report.stopped_because == "time":
                    notes.append("fewer layouts drawn than asked for: the time was over")
        if not len(weights):
            limits = SearchLimits(_MOST_PROPOSALS, perf_counter() + half_s, cancel)
            parts = deal_where(
                (), count=count, seed=self.seed, known=known, dealer=dealer, limits=limits
            )
            hands = np.concatenate([part for part, _ in islice(parts, count)], axis=1)
            weights = np.ones(hands.shape[1])
        return _Drawn(*_merged(hands, weights), tuple(notes))

    def _solved(self, sight: Sight, hands: U64, deadline: float, cancel: Event | None) -> I8:
        """Tricks of the actor's side from here on by card, of as many layouts as time allows."""
        state, contract = sight.state, sight.contract
        left = hands & ~np.uint64(sight.gone)
        trick = np.full(3, NO_CARD, np.uint8)
        trick[: len(state.trick)] = state.trick
        parts = list[I8]()
        for piece in _pieces(hands.shape[1], _ms_a_layout(len(sight.played))):
            part = left[:, piece]
            on_table = np.broadcast_to(trick, (part.shape[1], 3)).copy()
            solve = partial(
                self.solver.plays, part, contract.strain, state.leader, on_table, cancel=cancel
            )
            try:
                parts.append(_within(deadline, solve))
            except TimedOut:
                break
        return np.concatenate(parts) if parts else np.empty((0, 52), np.int8)

    def _with_next_choice(
        self,
        sight: Sight,
        drawn: "_Drawn",
        tricks: I8,
        budget_ms: float,
        deadline: float,
        cancel: Event | None,
    ) -> list[PlayValue]:
        """Cards that are best with a next choice for all layouts alike; none without time."""
        cost = SOLVED * _MOST_AHEAD * _ms_a_layout(len(sight.played) + 1)
        count = min(len(tricks), int(_SHARE_OF_AHEAD * budget_ms / cost))
        weights = drawn.weights[:count]
        if count < min(_FEWEST_AHEAD, len(tricks)) or not weights.any():
            return []
        found = list[tuple[PlayedValue, PlayValue]]()
        for value in play_values(sight, weights, tricks[:count])[:_MOST_AHEAD]:
            # a card is worth no more than it is double dummy
            if found and value.points < max(played for played, _ in found).points:
                break
            look = partial(
                value_with_next_choice,
                sight,
                value.cards[0],
                drawn.hands[:, :count],
                weights,
                self.solver,
                cancel=cancel,
            )
            try:
                found.append((_within(deadline, look), value))
            except TimedOut:
                return []
        best = max(played for played, _ in found)
        return [value for played, value in found if played == best]

    def _weighed(
        self,
        sight: Sight,
        hands: U64,
        counts: F64,
        choices: Sequence[CardChoice],
        deadline: float,
        cancel: Event | None,
    ) -> tuple[F64, list[str]]:
        """Weights by how likely others would have played their cards, and what was given up."""
        weights, notes = counts, list[str]()
        # the latest first, as they tell most of what is left
        for done, choice in enumerate(reversed(choices)):
            assert self.inference is not None
            cost = _ms_a_layout(choice.gone.bit_count()) * self.inference.imagined(choice)
            chances = list[F64]()
            try:
                for piece in _pieces(hands.shape[1], cost):
                    weigh = partial(
                        likelihoods,
                        sight,
                        hands[:, piece],
                        choice,
                        self.inference,
                        self.solver,
                        seed=self.seed,
                        cancel=cancel,
                    )
                    chances.append(_within(deadline, weigh))
            except TimedOut:
                notes.append(f"{done} of {len(choices)} cards of others weighed: no more time")
                break
            weights = weights * np.concatenate(chances)
        if not weights.any():
            notes.append("others would have played other cards in all layouts: all count alike")
            return counts, notes
        return weights, notes


class _Drawn(NamedTuple):
    """Layouts as they were dealt, how many times each counts, and what was given up."""

    hands: U64
    weights: F64
    notes: tuple[str, ...]


def _within(deadline: float, work: Callable[[], _Found]) -> _Found:
    """Do a piece of work, or leave it to end by itself where it is not done in time."""
    # the solver cannot be stopped within a layout, and one may take as long as dozens of others;
    # the deadline is a value of ``perf_counter``
    if deadline == math.inf:
        return work()
    left = deadline - perf_counter()
    if left <= 0:
        raise TimedOut("expected time for another piece of work, got none")
    done: Future[_Found] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            # raised again by who waits
            done.set_exception(error)

    # no daemon: the interpreter may not end while the core is at work
    Thread(target=run, name="card").start()
    try:
        return done.result(left)
    except FutureTimeout:
        raise TimedOut("expected a piece of work to be done in time, got none") from None


def _ms_a_layout(gone: int) -> float:
    return _MS_A_LAYOUT[bisect_right(_CARDS_GONE, gone)]


def _pieces(count: int, ms_each: float) -> list[slice]:
    """Parts of some layouts, between which the clock is looked at."""
    step = max(1, int(_BETWEEN_LOOKS_MS / ms_each))
    return [slice(first, first + step) for first in range(0, count, step)]


def _groups(sight: Sight) -> list[tuple[int, ...]]:
    """Cards that may be played, those that touch together."""
    own = sight.seen[sight.actor] & ~sight.gone
    # cards on the table still part others
    in_play = FULL_DECK & ~sight.gone | sum(1 << card for card in sight.state.trick)
    legal = set(sight.legal)
    return [cards for cards in touching_cards(own, in_play) if cards[0] in legal]


def _merged(hands: U64, weights: F64) -> tuple[U64, F64]:
    """Layouts without those that come twice, in the order in which they came first."""
    _, first, which = np.unique(hands, axis=1, return_index=True, return_inverse=True)
    together: F64 = np.bincount(which.ravel(), weights, len(first)).astype(np.float64)
    order = np.argsort(first)
    return np.ascontiguousarray(hands[:, first[order]]), together[order]


def play_values(sight: Sight, weights: F64, tricks: I8) -> tuple[PlayValue, ...]:
    """Work out what cards are worth from solved layouts, the best one first.

    Parameters
    ----------
    sight : Sight
    weights : float64 [n]
        Of the layouts.
    tricks : int8 [n, 52]
        Tricks of the side to play from here on, as
        :meth:`~bidcascade.inference.double_dummy.abstract_solver.SolvesPlays.plays` gives them.
    """
    state, contract = sight.state, sight.contract
    points = points_by_tricks(sight)
    done = sum(one.bit_count() for one in state.hands) // 4
    won = state.declarer_tricks if sight.declares else done - state.declarer_tricks
    found = []
    for cards in _groups(sight):
        own = won + tricks[:, cards[0]].astype(np.int64)
        declarers = own if sight.declares else 13 - own
        sign = 1 if sight.declares else -1
        holds, mean, score = (
            round(float(weighted_mean(one.astype(np.float64), weights)), _DIGITS)
            for one in (declarers >= contract.level + _BOOK, own, sign * points[declarers])
        )
        found.append(PlayValue(cards, holds, mean, score))
    # a stable order: equal ones stay as they are
    return tuple(sorted(found, key=lambda one: (-one.points, -one.tricks)))


def _equal_to_best(values: Sequence[PlayValue]) -> list[PlayValue]:
    best = values[0]
    return [one for one in values if (one.points, one.tricks) == (best.points, best.tricks)]


def _usual(sight: Sight, good: Sequence[int]) -> int:
    """Card that a player plays of those that are equally good."""
    # the rules of thumb first: they draw trumps, lead from the top of a sequence and win cheaply;
    # else declarer cashes a trick, and defenders lead as is usual from the suit; from any other
    # hand it is the lowest card, which wastes no honour and keeps what may be an entry
    usual = _usual_order(sight)
    if usual[0] in good:
        return usual[0]
    if sight.declares and not sight.state.trick:
        # a guess can wait while there are tricks to cash
        unseen = FULL_DECK & ~sight.gone
        for cards in sight.seen.values():
            unseen &= ~cards
        if winners := [card for card in good if is_master(card, unseen)]:
            return max(winners, key=lambda card: card % _SUIT)
    low = next(card for card in usual if card in good)
    if sight.state.trick or sight.declares:
        return low
    held = [card for card in sight.legal if card // _SUIT == low // _SUIT]
    led = usual_leads(held, trumps=sight.contract.strain < 4)
    return next((card for card in led if card in good), low)


def _usual_order(sight: Sight) -> list[int]:
    seen = {seat: cards & ~sight.gone for seat, cards in sight.seen.items()}
    hand = seen.pop(sight.actor)
    return usual_cards(
        hand,
        sight.state.trick,
        sight.contract.strain,
        sight.gone,
        declares=sight.declares,
        other=next(iter(seen.values()), 0),
    )


def _by_rules(sight: Sight, notes: tuple[str, ...]) -> ChosenCard:
    return ChosenCard(_usual_order(sight)[0], "rules of thumb", "by rules of thumb", notes=notes)


def _why(sight: Sight, card: int, values: Sequence[PlayValue], count: int) -> str:
    """Say what speaks for a card: the contract, else tricks, against the best of the others."""
    own = next(one for one in values if card in one.cards)
    others = [one for one in values if one is not own]
    verb = "holds" if sight.declares else "beats"

    def layouts(one: PlayValue) -> int:
        return round(count * (one.holds if sight.declares else 1 - one.holds))

    text = f"{verb} the contract in {layouts(own)} of {count} layouts"
    if not others:
        return f"{text}, as all cards that may be played"
    other = others[0]
    name = format_card(other.cards[0])
    if layouts(own) != layouts(other):
        text += f", {name} in {layouts(other)}"
    else:
        text += f" as {name} does"
        if own.tricks != other.tricks:
            text += f", and takes {own.tricks:.2f} tricks in all, {name} {other.tricks:.2f}"
    if (own.points, own.tricks) < (other.points, other.tricks):
        text += "; better by the next choice, which is made without seeing hands"
    elif (own.points, own.tricks) == (other.points, other.tricks):
        text += "; as good as far as layouts tell, and more usual"
    return text
