"""Questions and answers as the solver's own structures of C ints; see ``solver_process``.

DDS numbers suits S H D C, strains S H D C N and seats N E S W; a holding has the two at bit 2.
"""

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import HOLDING_MASK
from bidcascade.kernels.types import I8

from .abstract_solver import NO_CARD, NOT_HELD, SolverBoards
from .solver_process import ANSWER_INTS, DEAL_INTS

_STRAINS = np.array([3, 2, 1, 0, 4], np.int32)
_RANK_BASE = 2


def deal_records(boards: SolverBoards) -> NDArray[np.int32]:
    """Write questions as ``deal`` structures.

    Returns
    -------
    int32 [n, 24]
    """
    records = np.zeros((len(boards.strain), DEAL_INTS), np.int32)
    records[:, 0] = _STRAINS[boards.strain]
    records[:, 1] = boards.first
    played = boards.trick != NO_CARD
    records[:, 2:5] = np.where(played, 3 - boards.trick // 13, 0)
    records[:, 5:8] = np.where(played, boards.trick % 13 + _RANK_BASE, 0)
    for seat in range(4):
        for suit in range(4):
            holding = boards.hands[seat] >> np.uint64(13 * suit) & np.uint64(HOLDING_MASK)
            records[:, 8 + 4 * seat + 3 - suit] = holding << np.uint64(_RANK_BASE)
    return records


def read_answers(records: NDArray[np.int32]) -> I8:
    """Read ``futureTricks`` structures behind their return codes.

    Parameters
    ----------
    records : int32 [n, 55]

    Returns
    -------
    int8 [n, 52]
        Tricks by card; -1 for cards without an answer.
    """
    slots = records[:, 3:].reshape(-1, 4, 13)
    suit, rank, equals, score = (slots[:, part] for part in range(4))
    used = np.arange(13) < records[:, 2:3]
    bits = equals >> _RANK_BASE | np.where(used, 1 << np.maximum(rank - _RANK_BASE, 0), 0)
    rows, places, ranks = np.nonzero((bits[:, :, None] >> np.arange(13) & 1) * used[:, :, None])
    answers = np.full((len(records), 52), NOT_HELD, np.int8)
    answers[rows, 13 * (3 - suit[rows, places]) + ranks] = score[rows, places]
    return answers


def read_values(records: NDArray[np.int32]) -> I8:
    """Read the best score of each answer; see :func:`read_answers`."""
    return records[:, 3 + 39].astype(np.int8)


assert ANSWER_INTS == 3 + 4 * 13
