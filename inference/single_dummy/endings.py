"""Double dummy for endings: exact tricks by alpha-beta over a few cards a hand.

A study of an ending asks for tens of thousands of positions of four or five cards. A general solver
spends more on taking each of them in than on solving it, so endings have a search of their own. The
game is that of the Laws of Duplicate Bridge (Law 44: follow suit, the highest trump or card of the
suit led wins, the winner leads); the search is the core's (``core/double_dummy.hpp``).
"""

from threading import Event
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from bidcascade.bridge import Cancelled
from bidcascade.inference.double_dummy.abstract_solver import NOT_HELD, check_boards
from bidcascade.kernels.core.functions import solve_plays
from bidcascade.kernels.types import I8, U8, U64

MOST_CARDS: Final = 7
"""Cards a hand up to which the search is meant; beyond, a general solver is faster."""


class EndingSolver:
    """Solves endings in the process itself, as ``plays`` of the double-dummy protocol does.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> from bidcascade.inference.double_dummy.abstract_solver import NO_CARD
    >>> hands = [parse_hand(text, cards=2) for text in ("AK...", "QJ...", "32...", "54...")]
    >>> tricks = EndingSolver().plays(
    ...     np.array(hands, np.uint64).reshape(4, 1), strain=4, first=1,
    ...     trick=np.full((1, 3), NO_CARD, np.uint8))
    >>> tricks[0, [48, 49]].tolist(), int(tricks.max())
    ([0, 0], 0)
    """

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
        """Tricks of the side to move, from the current trick on, for each card it may play.

        Parameters
        ----------
        hands, strain, first, trick
            As in :class:`bidcascade.inference.double_dummy.abstract_solver.DoubleDummy`.
        cancel, timeout_s
            Looked at before the work begins: a few thousand endings are solved in a moment.

        Returns
        -------
        int8 [n, 52]
            -1 where a card is not held or would revoke.

        Raises
        ------
        InvalidDeal
            If hands overlap, or their numbers of cards make no trick.
        Cancelled
            If ``cancel`` was set before.
        BackendUnavailable
            If there is no core.
        """
        boards = check_boards(hands, strain, first, trick)
        if cancel is not None and cancel.is_set():
            raise Cancelled("the work was cancelled")
        count = boards.hands.shape[1]
        tricks = np.full((count, 52), NOT_HELD, np.int8)
        solve_plays(
            np.ascontiguousarray(boards.hands),
            boards.strain.astype(np.int64),
            boards.first.astype(np.int64),
            np.ascontiguousarray(boards.trick),
            tricks,
        )
        return tricks
