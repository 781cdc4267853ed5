"""The opening lead: one card for all layouts that the leader cannot tell apart.

Every layout is solved for every lead; what counts is the mean over layouts, by weight. A lead is
never chosen layout by layout: the leader has one hand and one decision.

Scorings:

``tricks``
    Mean tricks of the defenders.
``set``
    Share of layouts in which the contract goes down.
``matchpoints``
    Share of other tables beaten, half for equal scores, where each other table leads another card
    of the same hand, each card as often.
``imps``
    Mean IMPs against those other tables.

Touching cards, with no card in play between them, are one lead. All leads are measured on the same
layouts, so that differences between them are known far better than each value. Which of a suit's
cards are named where the layouts do not tell them apart says :mod:`.lead_carding`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from threading import Event
from time import monotonic
from typing import Final, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import (
    Contract,
    InvalidDeal,
    InvalidInput,
    Seat,
    ShownAnswer,
    Vulnerability,
    cards_of,
    format_card,
    imps,
    is_vulnerable,
    score,
)
from bidcascade.kernels.types import F64, I8, U64

from .double_dummy.abstract_solver import DoubleDummy, SolvedInPart
from .lead_carding import usual_leads
from .quantiles import NORMAL
from .weighted import margins, weighted_mean

LeadScoring: TypeAlias = Literal["tricks", "set", "matchpoints", "imps"]
LEAD_SCORINGS: Final[tuple[LeadScoring, ...]] = get_args(LeadScoring)

LEAST_DIFFERENT: Final = 6
"""Layouts in which two leads differ that tell them apart at least: where one is better in all of
five, chance would do that in one of sixteen cases (sign test, both sides)."""
FIRST_LAYOUTS: Final = 6
"""Layouts behind the first answer."""
STEP_LAYOUTS: Final = 30
"""Layouts by which later answers grow at most."""
_NOTRUMP: Final = 4


@dataclass(frozen=True, slots=True, repr=False)
class Lead(ShownAnswer):
    """What one lead is worth over all layouts.

    Parameters
    ----------
    card : int
        The highest of its touching cards.
    cards : tuple of int
        All of them, highest first.
    value : float
        By the scoring asked for; tricks, set, matchpoints (0-1) and imps stand beside it.
    low, high : float or None
        Interval of confidence of the value; none from fewer than two layouts.
    behind : float
        How much less the value is than that of the best lead, measured on the same layouts.
    behind_error : float or None
        Half the width of the interval of confidence of ``behind``.
    differs : int
        In how many layouts it is worth more or less than the best lead.
    best_share : float
        Share of layouts in which no lead takes more tricks.
    """

    card: int
    cards: tuple[int, ...]
    value: float
    low: float | None
    high: float | None
    behind: float
    behind_error: float | None
    differs: int
    tricks: float
    set: float
    matchpoints: float
    imps: float
    best_share: float

    @property
    def names(self) -> str:
        """The cards as text: ``SK SQ``."""
        return " ".join(format_card(card) for card in self.cards)

    @property
    def is_close(self) -> bool:
        """Whether it may be as good as the best lead, as far as the layouts tell."""
        return is_close(self)


class ComparedLead(Protocol):
    """A lead as it stands against the best one; see :class:`Lead`."""

    @property
    def behind(self) -> float: ...  # noqa: D102
    @property
    def behind_error(self) -> float | None: ...  # noqa: D102
    @property
    def differs(self) -> int: ...  # noqa: D102


def is_close(lead: ComparedLead) -> bool:
    """Whether a lead may be as good as the best one, as far as the layouts tell."""
    error = lead.behind_error
    return error is None or lead.behind <= error or lead.differs < LEAST_DIFFERENT


@dataclass(frozen=True, slots=True, repr=False)
class LeadStudy(ShownAnswer):
    """Leads from best to worst.

    Parameters
    ----------
    leads : tuple of Lead
    contract : Contract
    scoring : str
    layouts, requested : int
        How many were solved, and how many there are.
    effective_size : float
        (Σw)² / Σw² of the solved ones' weights.
    seconds : float
    partner_suits : tuple of int
        Suits that the leader's partner has bid, clubs 0 to spades 3: a lead of one goes before
        others that may be as good.
    """

    leads: tuple[Lead, ...]
    contract: Contract
    scoring: LeadScoring
    layouts: int
    requested: int
    effective_size: float
    seconds: float
    partner_suits: tuple[int, ...] = ()

    @property
    def best(self) -> Lead:
        """The best lead; of equal ones that with more tricks, then the first in clubs upwards."""
        return self.leads[0]

    @property
    def card(self) -> int:
        """The card to lead: of the leads that may be as good as the best, the usual one.

        It is of a suit of partner's where one of these is, else of the best lead's suit: where
        the layouts do not tell two leads apart, partner's bid does.
        """
        return self._good_cards()[0]

    @property
    def undecided(self) -> tuple[int, ...]:
        """Other cards that may be as good: partner's suits, then as the best of each suit come.

        Which of a suit's cards are named is a matter of carding: those that players lead.
        """
        return self._good_cards()[1:]

    @property
    def is_partners(self) -> bool:
        """Whether the card to lead is of a suit that partner has bid."""
        return self.card // 13 in self.partner_suits

    def _good_cards(self) -> tuple[int, ...]:
        suits = dict.fromkeys(lead.card // 13 for lead in self.leads if self._is_good(lead))
        ordered = sorted(suits, key=lambda suit: suit not in self.partner_suits)
        return tuple(card for suit in ordered for card in self._named(suit))

    @property
    def is_decided(self) -> bool:
        """Whether no other card that players lead may be as good."""
        return not self.undecided

    def _is_good(self, lead: Lead) -> bool:
        return lead is self.best or lead.is_close

    def _named(self, suit: int) -> list[int]:
        """Cards of a suit that may be as good as the best and that players lead."""
        # the better one where they lead none of those: it is no matter of carding then
        leads = [lead for lead in self.leads if lead.card // 13 == suit]
        held = [card for lead in leads for card in lead.cards]
        good = [lead for lead in leads if self._is_good(lead)]
        named = [
            card
            for card in usual_leads(held, trumps=self.contract.strain != _NOTRUMP)
            if any(card in lead.cards for lead in good)
        ]
        return named or [good[0].card]

    @property
    def is_complete(self) -> bool:
        """Whether all layouts were solved."""
        return self.layouts == self.requested


def refine_leads(
    hands: U64,
    contract: Contract,
    solver: DoubleDummy,
    *,
    weights: F64 | None = None,
    vulnerability: Vulnerability = Vulnerability.NONE,
    scoring: LeadScoring = "tricks",
    time_limit_s: float | None = None,
    patience_s: float | None = None,
    cancel: Event | None = None,
    first: int = FIRST_LAYOUTS,
    step: int = STEP_LAYOUTS,
) -> Iterator[LeadStudy]:
    """Find the best leads against a contract again and again, over more and more of the layouts.

    Parameters
    ----------
    hands : uint64 [4, n]
        Layouts by compass seat; the hand of the leader, on declarer's left, is the same in all.
    contract : Contract
    solver : DoubleDummy
    weights : float64 [n], optional
        All the same if not given.
    vulnerability : Vulnerability
    scoring : {"tricks", "set", "matchpoints", "imps"}
    time_limit_s : float, optional
        Answer with what is solved by then.
    patience_s : float, optional
        How long to wait for the first layout where that is longer than the time limit: an answer
        from one layout, late, is better than none.
    cancel : threading.Event, optional
    first, step : int
        Layouts behind the first answer, and by how many later ones grow at most.

    Yields
    ------
    LeadStudy
        At least one; the last is over all layouts, or over those solved in time.

    Raises
    ------
    InvalidInput, InvalidDeal
        If there is no layout, or the leader's hand is not the same in all.
    TimedOut
        If not even the first layouts were solved in time.
    DoubleDummyFailed, Cancelled, BackendUnavailable
        As the solver does.
    """
    started = monotonic()
    leader = Seat((contract.declarer + 1) % 4)
    count = _check(hands, weights, leader, scoring, first, step)
    weights = np.ones(count) if weights is None else weights
    tricks = np.empty((0, 52), np.int8)
    requested, solved = 0, np.empty(0, np.intp)
    waits = time_limit_s is not None and patience_s is not None and patience_s > time_limit_s
    # many who have little time get one layout each before anyone gets more
    size = 1 if waits else first
    is_over = False
    while requested < count and not is_over:
        limit = patience_s if waits and not requested else time_limit_s
        left = None if limit is None else max(0.0, started + limit - monotonic())
        if left == 0.0 and requested:
            return
        part = np.arange(requested, min(requested + size, count))
        try:
            found = solver.leads(
                hands[:, part], contract.strain, leader, cancel=cancel, timeout_s=left
            )
        except SolvedInPart as error:
            # those who were being solved are the slow ones, but they are one for each process
            is_done = (error.answers >= 0).any(axis=1)
            found, part, is_over = error.answers[is_done], part[is_done], True
            if not len(solved) and not len(part):
                raise
        if len(part):
            tricks, solved = np.concatenate([tricks, found]), np.concatenate([solved, part])
            study = study_leads(
                tricks,
                hands[:, solved],
                contract,
                weights=weights[solved],
                vulnerability=vulnerability,
                scoring=scoring,
            )
            yield replace(study, requested=count, seconds=monotonic() - started)
        requested += size
        size = min(max(first, 2 * size), step)


def study_leads(
    tricks: I8,
    hands: U64,
    contract: Contract,
    *,
    weights: F64 | None = None,
    vulnerability: Vulnerability = Vulnerability.NONE,
    scoring: LeadScoring = "tricks",
) -> LeadStudy:
    """Work out the leads from solved layouts.

    Parameters
    ----------
    tricks : int8 [n, 52]
        Tricks of the defenders by lead, as :meth:`.protocol.DoubleDummy.leads` gives them.
    hands : uint64 [4, n]
        The layouts.
    """
    leader = Seat((contract.declarer + 1) % 4)
    count = _check(hands, weights, leader, scoring, 1, 1)
    weights = np.ones(count) if weights is None else weights
    groups = touching_cards(int(hands[leader, 0]), int(np.bitwise_or.reduce(hands[:, 0])))
    held = tricks[:, [card for group in groups for card in group]].astype(np.int64)
    heads = tricks[:, [group[0] for group in groups]].astype(np.int64)
    values = _values(heads, held, contract, vulnerability)
    chosen = values[scoring]
    means = {name: weighted_mean(value, weights) for name, value in values.items()}
    best_share = weighted_mean(
        (heads == held.max(axis=1, keepdims=True)).astype(np.float64), weights
    )
    # equal ones by tricks, then as they stand; nothing hangs on the last digits of a sum
    order = np.lexsort((-means["tricks"].round(9), -means[scoring].round(9))).tolist()
    best = order[0]
    size = float(weights.sum() ** 2 / (weights**2).sum())
    errors = margins(chosen, weights)
    behind = chosen[:, [best]] - chosen
    behind_errors = margins(behind, weights)
    differs = ((behind != 0) & (weights > 0)[:, None]).sum(axis=0)
    leads = []
    for place, group in enumerate(groups):
        value = float(means[scoring][place])
        low, high = _interval(value, errors, place, size, scoring)
        leads.append(
            Lead(
                card=group[0],
                cards=group,
                value=value,
                low=low,
                high=high,
                behind=max(0.0, float(weighted_mean(behind[:, [place]], weights)[0])),
                behind_error=None if behind_errors is None else float(behind_errors[place]),
                differs=int(differs[place]),
                tricks=float(means["tricks"][place]),
                set=float(means["set"][place]),
                matchpoints=float(means["matchpoints"][place]),
                imps=float(means["imps"][place]),
                best_share=float(best_share[place]),
            )
        )
    return LeadStudy(
        tuple(leads[place] for place in order), contract, scoring, count, count, size, 0.0
    )


def touching_cards(own: int, in_play: int) -> list[tuple[int, ...]]:
    """Cards of a hand that are the same: with none between them that is still in play.

    Parameters
    ----------
    own : int
        Mask of the hand.
    in_play : int
        Mask of the cards of all hands and on the table.

    Returns
    -------
    list of tuple of int
        Highest first in each; clubs first, high cards before low ones.

    Examples
    --------
    >>> touching_cards(0b110101, 0b111101)
    [(5, 4), (2, 0)]
    """
    groups: list[list[int]] = []
    for suit in range(4):
        open_group = False
        for card in sorted(cards_of(in_play & 0x1FFF << 13 * suit), reverse=True):
            if not own >> card & 1:
                open_group = False
            elif open_group:
                groups[-1].append(card)
            else:
                groups.append([card])
                open_group = True
    return [tuple(group) for group in groups]


def _check(
    hands: U64, weights: F64 | None, leader: Seat, scoring: str, first: int, step: int
) -> int:
    if scoring not in LEAD_SCORINGS:
        raise InvalidInput(f"expected a scoring of {', '.join(LEAD_SCORINGS)}, got {scoring!r}")
    if hands.ndim != 2 or len(hands) != 4:
        raise ValueError(f"expected hands as uint64[4, n], got {hands.dtype}{hands.shape}")
    count: int = hands.shape[1]
    if not count:
        raise InvalidInput("expected at least one layout, got none")
    if first < 1 or step < 1:
        raise ValueError(f"expected first and step from 1 on, got {first!r} and {step!r}")
    if (hands[leader] != hands[leader, 0]).any():
        raise InvalidDeal(f"expected the same hand of {leader.letter} in all layouts")
    cards = int(hands[leader, 0]).bit_count()
    if cards != 13:
        raise InvalidDeal(f"expected 13 cards in the hand of {leader.letter}, got {cards}")
    if weights is not None and (
        weights.shape != (count,) or not (weights >= 0).all() or not weights.sum() > 0
    ):
        raise InvalidInput(f"expected {count} weights from 0 on, and not all 0")
    return count


def _values(
    heads: NDArray[np.int64],
    held: NDArray[np.int64],
    contract: Contract,
    vulnerability: Vulnerability,
) -> dict[LeadScoring, F64]:
    """Worth of each lead in each layout: float64 [n, leads] by scoring."""
    vulnerable = is_vulnerable(vulnerability, contract.declarer)
    points = np.array([-score(contract, 13 - taken, vulnerable=vulnerable) for taken in range(14)])
    difference = points[:, None] - points[None, :]
    beats = np.sign(difference) / 2 + 0.5
    as_imps = np.array([[imps(int(one)) for one in row] for row in difference], np.float64)
    counts = (held[:, :, None] == np.arange(14)).sum(axis=1)
    others = held.shape[1] - 1
    # the other tables: every card of the hand but the one that is led
    field_beaten = (counts @ beats.T - 0.5) / others
    field_imps = counts @ as_imps.T / others
    rows = np.arange(len(heads))[:, None]
    return {
        "tricks": heads.astype(np.float64),
        "set": (points[heads] > 0).astype(np.float64),
        "matchpoints": field_beaten[rows, heads]
        if held.shape[1] > 1
        else np.full(heads.shape, 0.5),
        "imps": field_imps[rows, heads],
    }


def _interval(
    value: float, errors: F64 | None, place: int, size: float, scoring: LeadScoring
) -> tuple[float | None, float | None]:
    if errors is None:
        return None, None
    if scoring == "set":
        # Wilson's interval: a share that was never met is not known to be nil
        square = NORMAL**2 / size
        centre = (value + square / 2) / (1 + square)
        width = NORMAL * sqrt(value * (1 - value) / size + square / (4 * size)) / (1 + square)
        return max(0.0, centre - width), min(1.0, centre + width)
    return value - float(errors[place]), value + float(errors[place])
