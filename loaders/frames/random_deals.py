"""Uniform random deals as a deal frame, numbered like the boards of a session."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import SEATS, VULNERABILITIES, Seat, Vulnerability
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.machine.forks import check_not_forked

from .frame import HAND_COLUMNS, SEAT_ENUM, VULNERABILITY_ENUM, bare_deals

_LAST_BOARD = np.iinfo(np.int32).max


def random_deals(
    count: int,
    seed: int,
    *,
    first: int = 1,
    dealer: Seat | None = None,
    vulnerability: Vulnerability | None = None,
) -> pl.DataFrame:
    """Deal random boards; board ``n`` of a seed holds the same cards however it is asked for.

    Parameters
    ----------
    count : int
        How many boards.
    seed : int
        0 to ``2**64 - 1``.
    first : int
        Number of the first board, from 1.
    dealer : Seat, optional
        Who deals; without it, the dealer of the board number (Laws of Duplicate Bridge, Law 2).
    vulnerability : Vulnerability, optional
        Without it, the vulnerability of the board number (same law).

    Returns
    -------
    polars.DataFrame
        Deal frame; ``source`` is ``random:SEED``, ``record`` and ``board`` are the board number.

    Raises
    ------
    ValueError
        If the seed, the count or the first board is out of range.

    Examples
    --------
    >>> random_deals(2, seed=1, first=4).select("board", "dealer", "vulnerability").rows()
    [(4, 'W', 'Both'), (5, 'N', 'NS')]
    """
    if first < 1:
        raise ValueError(f"expected a first board from 1 on, got {first!r}")
    if first - 1 + count > _LAST_BOARD:
        raise ValueError(
            f"expected board numbers up to {_LAST_BOARD}, got {count!r} boards from {first!r} on"
        )
    return board_frame(
        deal_hands(seed, first - 1, count),
        f"random:{seed}",
        first=first,
        dealer=dealer,
        vulnerability=vulnerability,
    )


def board_frame(
    hands: NDArray[np.uint64],
    source: str,
    *,
    first: int = 1,
    dealer: Seat | NDArray[np.int64] | None = None,
    vulnerability: Vulnerability | NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    """Make a deal frame of hands as boards of a session, numbered from ``first`` on.

    Parameters
    ----------
    hands : uint64[4, n]
        Hand masks of North, East, South and West.
    source : str
        What the column ``source`` says.
    dealer, vulnerability
        Of all boards, or int64[n] of each; without them, and for -1, those of the board number.

    Examples
    --------
    >>> hands = deal_hands(1, 0, 2)
    >>> board_frame(hands, "mine", dealer=Seat.SOUTH).select("board", "dealer", "source").rows()
    [(1, 'S', 'mine'), (2, 'S', 'mine')]
    """
    check_not_forked()
    count = hands.shape[1]
    boards = np.arange(first, first + count, dtype=np.int32)
    index = (boards - 1) % 16
    # the two rotations of the law, as bridge.board_dealer and board_vulnerability give them
    dealers = _given(dealer, index % 4)
    sides = _given(vulnerability, (index + index // 4) % 4)
    return bare_deals(
        {
            **{name: pl.Series(masks) for name, masks in zip(HAND_COLUMNS, hands, strict=True)},
            "dealer": pl.Series(list(SEATS), dtype=SEAT_ENUM).gather(dealers.astype(np.uint32)),
            "vulnerability": pl.Series(list(VULNERABILITIES), dtype=VULNERABILITY_ENUM).gather(
                sides.astype(np.uint32)
            ),
            "board": pl.Series(boards),
            "source": pl.repeat(source, count, dtype=pl.String, eager=True),
            "record": pl.Series(boards),
        }
    )


def _given(value: int | NDArray[np.int64] | None, by_board: NDArray[np.int32]) -> NDArray[np.int64]:
    """Give each board its own value, or that of its number."""
    values = np.broadcast_to(np.asarray(-1 if value is None else value, np.int64), by_board.shape)
    return np.where(values < 0, by_board, values)
