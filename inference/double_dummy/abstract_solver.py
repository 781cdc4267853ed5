"""What a double-dummy solver does, whoever does it, and the tests that its questions must pass.

Double dummy: how many tricks each side takes when all four hands are seen and nobody errs.

Seats are 0-3 = N E S W, strains 0-4 = C D H S N, cards ``13 * suit + rank``. Hands are masks by
compass seat, as in :class:`bidcascade.kernels.DealArrays`; they may be those of an ending with
fewer than thirteen cards.
"""

from threading import Event
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidcascade.bridge import FULL_DECK, InvalidDeal, TimedOut
from bidcascade.kernels.types import I8, U8, U64

NO_CARD: Final = 255
"""Stands in a trick for a card not yet played."""
NOT_HELD: Final = -1
"""Stands in an answer for a card that the player does not hold."""
TABLE_SIZE: Final = 20
"""Results of a deal: declarers N E S W, for each strains C D H S N; see :func:`table_place`."""


class SolvedInPart(TimedOut):
    """Time was over before all was solved.

    ``answers`` is what the call would have returned, with -1 for all of a deal that was not solved;
    ``goes_on`` tells whether the rest is still being solved, for whoever asks again.
    """

    def __init__(self, message: str, answers: I8, *, goes_on: bool = False) -> None:
        super().__init__(message)
        self.answers = answers
        self.goes_on = goes_on


class SolvesPlays(Protocol):
    """Solves endings, in the middle of a trick too; see :class:`DoubleDummy`."""

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
        """Tricks, from here on, of the side whose turn it is, after each card it may play.

        Parameters
        ----------
        hands : uint64 [4, n]
            Cards still held: one less in the hands that have played to the trick.
        strain : uint8 [n] or one number for all
        first : uint8 [n] or one number for all
            Who led to the trick, or is to lead.
        trick : uint8 [n, 3]
            Cards played to the trick from ``first`` on, 255 where none.

        Returns
        -------
        int8 [n, 52]
            By card; -1 where the player does not hold it or must follow suit. The trick under way
            counts.
        """
        ...


class DoubleDummy(SolvesPlays, Protocol):
    """Solves deals and endings; every method may be called from many threads at once.

    Common to all: ``cancel``, when set by another thread, ends the call with ``Cancelled``;
    ``timeout_s`` ends it with :class:`SolvedInPart`, which carries what is solved. A deal that
    cannot be solved ends it with ``DoubleDummyFailed``, which names the deal and carries the
    answers of all others.
    """

    def tricks(
        self,
        hands: U64,
        strain: ArrayLike,
        declarer: ArrayLike,
        *,
        cancel: Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks of declarer's side.

        Parameters
        ----------
        hands : uint64 [4, n]
            Masks by compass seat; as many cards in each hand of a deal.
        strain, declarer : uint8 [n] or one number for all

        Returns
        -------
        int8 [n]
        """
        ...

    def leads(
        self,
        hands: U64,
        strain: ArrayLike,
        leader: ArrayLike,
        *,
        cancel: Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks of the leader's side after each lead.

        Parameters
        ----------
        hands : uint64 [4, n]
        strain, leader : uint8 [n] or one number for all

        Returns
        -------
        int8 [n, 52]
            By card; -1 where the leader does not hold it.
        """
        ...

    def tables(
        self, hands: U64, *, cancel: Event | None = None, timeout_s: float | None = None
    ) -> I8:
        """Tricks of every declarer in every strain.

        Parameters
        ----------
        hands : uint64 [4, n]

        Returns
        -------
        int8 [n, 20]
            At ``5 * declarer + strain``, as :func:`bidcascade.loaders.parse_double_dummy_tricks`
            has them.
        """
        ...


def table_place(declarer: int, strain: int) -> int:
    """Place of a result in a table of twenty.

    Examples
    --------
    >>> table_place(1, 4)
    9
    """
    return 5 * declarer + strain


class SolverBoards(NamedTuple):
    """Questions for a solver, one a row, all of the same length.

    hands : uint64 [4, n]; strain, first : uint8 [n]; trick : uint8 [n, 3].
    """

    hands: U64
    strain: U8
    first: U8
    trick: U8


def check_boards(
    hands: U64, strain: ArrayLike, first: ArrayLike, trick: U8 | None = None
) -> SolverBoards:
    """Check questions for a solver and give them their types.

    Parameters
    ----------
    hands : uint64 [4, n]
    strain : int [n] or one for all
    first : int [n] or one for all
        Who led, or is to lead, to the trick under way.
    trick : uint8 [n, 3], optional

    Raises
    ------
    ValueError
        If a shape or type does not fit.
    InvalidDeal
        If hands overlap or have not the right numbers of cards, or a strain, seat or trick does
        not exist; names the deal.
    """
    hands = np.asarray(hands)
    if hands.dtype != np.uint64 or hands.ndim != 2 or len(hands) != 4:
        raise ValueError(f"expected hands as uint64[4, n], got {hands.dtype}{hands.shape}")
    count = hands.shape[1]
    strains = _numbers("strain", strain, 4, count)
    leaders = _numbers("a seat", first, 3, count)
    if trick is None:
        trick = np.full((count, 3), NO_CARD, np.uint8)
    trick = np.asarray(trick)
    if trick.dtype != np.uint8 or trick.shape != (count, 3):
        raise ValueError(f"expected a trick as uint8[{count}, 3], got {trick.dtype}{trick.shape}")
    _check_cards(hands, leaders, trick)
    return SolverBoards(hands, strains, leaders, trick)


def _numbers(what: str, given: ArrayLike, most: int, count: int) -> U8:
    numbers = np.asarray(given)
    if not np.issubdtype(numbers.dtype, np.integer) and numbers.size:
        raise ValueError(f"expected {what} as whole numbers, got {numbers.dtype}")
    if numbers.shape not in ((), (count,)):
        raise ValueError(f"expected {what} for {count} deals or one for all, got {numbers.shape}")
    outside = (numbers < 0) | (numbers > most)
    if outside.any():
        raise InvalidDeal(
            f"expected {what} of 0-{most}, got {int(numbers[outside].ravel()[0])}"
            + (f" in deal {int(np.argmax(outside))}" if numbers.ndim else "")
        )
    return np.broadcast_to(numbers.astype(np.uint8), (count,))


def _check_cards(hands: U64, first: U8, trick: U8) -> None:
    count = hands.shape[1]
    played = trick != NO_CARD
    _refuse((played[:, 1:] & ~played[:, :-1]).any(axis=1), "a trick without gaps")
    _refuse((played & (trick >= 52)).any(axis=1), "cards of 0-51 in the trick")
    # one bit a card, and none above the deck
    on_table = np.where(played, np.uint64(1) << (trick % 64).astype(np.uint64), np.uint64(0))
    everything = np.concatenate([hands, on_table.T])
    union = np.bitwise_or.reduce(everything, axis=0)
    _refuse(union > FULL_DECK, "hands of the 52 cards")
    sizes = np.bitwise_count(everything)
    _refuse(np.bitwise_count(union) != sizes.sum(axis=0), "a card in one hand only")
    # who has played to the trick has one card less
    seats = (np.arange(3)[None, :] + first[:, None]) % 4
    held = sizes[:4].astype(np.int64)
    np.add.at(held, (seats, np.arange(count)[:, None]), played)
    _refuse((held != held[0]).any(axis=0), "as many cards in each hand")
    _refuse((held[0] < 1) | (held[0] > 13), "hands of 1-13 cards")


def _refuse(outside: NDArray[np.bool_], expected: str) -> None:
    if outside.any():
        raise InvalidDeal(f"expected {expected}, in deal {int(np.argmax(outside))}")
