"""LIN documents to flat arrays, by the core's token machine (``lin.hpp``)."""

from functools import cache
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from bidcascade.bridge import VULNERABILITY_WORDS
from bidcascade.kernels.core.functions import call_core
from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.types import I64, U8

# Columns of ``LinBoards.boards``. The *_END are ends in the flat arrays of calls, tail, play and
# commentary; a board's part starts where that of the board before ends. An unknown hand is 0.
DOCUMENT, RECORD, NORTH, EAST, SOUTH, WEST, DEALER, VULNERABILITY, BOARD, ROOM = range(10)
BID, DOUBLING, DECLARER, TRICKS, STATUS, ILLEGAL = range(10, 16)
NAMES_START, NAMES_END, EVENT_START, EVENT_END = range(16, 20)
CALLS_END, TAIL_END, PLAY_END, COMMENTARY_END = range(20, 24)
# what is no vulnerability, no cards (or their number) and no claim; -1 where there is no such word
SIDES_START, SIDES_END, CARDS_START, CARDS_END, CLAIM_START, CLAIM_END = range(24, 30)
_BOARD_COLUMNS: Final = 30
_REJECT_COLUMNS: Final = 7
_LONGEST_WORD: Final = 16
_ANY: Final = 1 << 62
"""No limit."""


class LinBoards(NamedTuple):
    """Flat arrays of all boards of some documents."""

    boards: I64
    """[boards, 30]; contract codes as the deal frame has them, -1 for what is not known."""
    rejects: I64
    """Document, record, why it is none (an ``enum`` of ``lin.hpp``), start and end of the text to
    quote, number and room."""
    calls: U8
    alerts: U8
    announcements: U8
    announcement_ends: I64
    tail: U8
    play: U8
    commentary: U8
    """Remarks, each with a ``|`` behind it, which no value can hold."""
    lasting: I64
    """Start and end, -1 if none, of the last ``vg``, ``rs`` and ``pn``, and of an ``ah`` and ``sv``
    that wait for the next board, [5, 2]."""


class _LinArrays(ArrayGroup):
    fields: ClassVar[dict[str, Field]] = {
        "text": ("u1",),
        "ends": ("i8",),
        "words": ("u1", _LONGEST_WORD),
        "word_lengths": ("u1",),
        "word_sides": ("u1",),
        "boards": ("i8", _BOARD_COLUMNS),
        "rejects": ("i8", _REJECT_COLUMNS),
        "calls": ("u1",),
        "alerts": ("u1",),
        "announcements": ("u1",),
        "announcement_ends": ("i8",),
        "tail": ("u1",),
        "play": ("u1",),
        "commentary": ("u1",),
        "lasting": ("i8", 5, 2),
        "counts": ("i8",),
        "limits": ("i8",),
    }


@cache
def _side_words() -> dict[str, Any]:
    # by length, so that the usual letters come first
    words = sorted(filter(None, VULNERABILITY_WORDS), key=len)
    letters = b"".join(word.upper().encode().ljust(_LONGEST_WORD) for word in words)
    return {
        "words": np.frombuffer(letters, np.uint8).reshape(-1, _LONGEST_WORD),
        "word_lengths": np.array(list(map(len, words)), np.uint8),
        "word_sides": np.array([VULNERABILITY_WORDS[word] for word in words], np.uint8),
    }


def read_lin_documents(
    text: bytes, ends: I64, *, most_tokens: int = _ANY, longest_record: int = _ANY
) -> LinBoards:
    """Read the boards of several LIN documents that lie one behind the other.

    Parameters
    ----------
    text : bytes
        All documents, UTF-8.
    ends : int64 [documents]
        Where each document ends.
    most_tokens, longest_record : int
        Tokens and bytes that a record may have; one with more is refused. Any by default.

    Raises
    ------
    ValueError
        If the ends do not go up, or lie beyond the text.
    BackendUnavailable
        If there is no core.

    Examples
    --------
    >>> text = b"md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|mb|7S|"
    >>> found = read_lin_documents(text, np.array([len(text)]))
    >>> found.boards[:, [RECORD, DEALER, STATUS]].tolist(), found.calls.tolist()
    ([[1, 0, 1]], [36])
    """
    room = len(text) + 1
    # each takes a key and a value
    most = text.count(b"|") // 2 + len(ends) + 1
    counts, lasting = np.zeros(7, np.int64), np.zeros((1, 5, 2), np.int64)
    boards = np.empty((most, _BOARD_COLUMNS), np.int64)
    rejects = np.empty((most, _REJECT_COLUMNS), np.int64)
    calls, alerts, announcements, tail, play, commentary = np.empty((6, room), np.uint8)
    announcement_ends = np.empty(room, np.int64)
    arrays = _LinArrays(
        text=np.frombuffer(text, np.uint8),
        ends=ends,
        boards=boards,
        rejects=rejects,
        calls=calls,
        alerts=alerts,
        announcements=announcements,
        announcement_ends=announcement_ends,
        tail=tail,
        play=play,
        commentary=commentary,
        lasting=lasting,
        counts=counts,
        limits=np.array([most_tokens, longest_record], np.int64),
        **_side_words(),
    )
    call_core("core_read_lin", arrays)
    board_count, reject_count, call_count, announced, tail_count, cards, remarked = counts.tolist()
    return LinBoards(
        boards[:board_count],
        rejects[:reject_count],
        calls[:call_count],
        alerts[:call_count],
        announcements[:announced],
        announcement_ends[:call_count],
        tail[:tail_count],
        play[:cards],
        commentary[:remarked],
        lasting[0],
    )
