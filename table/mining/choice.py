"""Which of the texts that a call was given with describes it, and what that text says.

Texts fall into classes, the better ones first: complete; cut off or with a part that is no phrase;
human; no text that can be read. Of the complete ones, and of the damaged ones, the longest is kept,
because BBO cuts texts and GIB says no more than it means. Of human texts the most frequent is: how
long a remark is says nothing. What is equal in that is chosen by frequency, then as text.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.types import U8, U32
from bidcascade.table.announcements.announcement import Announcement, lin_length, read_announcement
from bidcascade.table.language.expression_tree import Comparison, Number, Term
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.mining.runs import Run

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

COMPLETE: Final = 0
DAMAGED: Final = 1
HUMAN: Final = 2
REJECTED: Final = 3


class Readings:
    """Distinct texts, each read once.

    Parameters
    ----------
    texts : sequence of str
        Number 1 comes first.

    Examples
    --------
    >>> readings = Readings(["could be short", "Limit raise -- 4+ !S; 10-12 HCP"])
    >>> readings.kind.tolist()
    [3, 2, 0]
    >>> readings.excludes(2, 2)
    False
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = ["", *texts]
        self.found: list[Announcement] = [read_announcement(text) for text in self.texts]
        self.kind: U8 = np.array([_kind(one) for one in self.found], np.uint8)
        self.length: I64 = np.array([lin_length(text) for text in self.texts], np.int64)
        self.place: I64 = np.empty(len(self.texts), np.int64)
        """Place of each text among all of them, sorted."""
        self.place[sorted(range(len(self.texts)), key=self.texts.__getitem__)] = np.arange(
            len(self.texts)
        )
        self._bounds: dict[int, dict[str, tuple[int, int]]] = {}

    def tags(self, number: int) -> tuple[str, ...]:
        """Tags of an entry that a text describes: its own, and what is the matter with it."""
        found = self.found[number]
        flaws = [
            name
            for name, present in (
                ("truncated", found.truncated),
                ("dropped", bool(found.dropped)),
                ("human", found.human),
                ("rejected", found.rejected),
            )
            if present
        ]
        return tuple(dict.fromkeys([*found.tags, *flaws]))

    def excludes(self, one: int, other: int) -> bool:
        """Whether no hand can be what both texts say, by the bounds of some term."""
        bounds = self._bounds_of(one)
        for term, (low, high) in self._bounds_of(other).items():
            if term in bounds and (bounds[term][0] > high or low > bounds[term][1]):
                return True
        return False

    def _bounds_of(self, number: int) -> dict[str, tuple[int, int]]:
        if number not in self._bounds:
            self._bounds[number] = bounds_of(self.found[number].expressions)
        return self._bounds[number]


def _kind(found: Announcement) -> int:
    if found.complete:
        return COMPLETE
    if found.rejected or not found.source_text.strip():
        return REJECTED
    return HUMAN if found.human else DAMAGED


def bounds_of(expressions: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Least and greatest value of each term that is compared with numbers, in halves.

    Examples
    --------
    >>> bounds_of(["HCP >= 11", "HCP <= 21", "SL_C == 3", "Balanced"])
    {'HCP': (22, 42), 'SL_C': (6, 6)}
    """
    bounds: dict[str, tuple[int, int]] = {}
    for text in expressions:
        match parse_expression(text):
            case Comparison(Term(name), ((("<=" | ">=" | "==") as operator, Number() as number),)):
                low, high = bounds.get(name, (-(1 << 40), 1 << 40))
                if operator != "<=":
                    low = max(low, number.halves)
                if operator != ">=":
                    high = min(high, number.halves)
                bounds[name] = (low, high)
    return bounds


class Chosen(NamedTuple):
    """Texts of calls, each once for a call, and the one that is kept.

    Parameters
    ----------
    node : int64 [texts]
        Node of the run, ascending; the kept text of a node comes first, then the more frequent.
    text : uint32 [texts]
        Its number.
    times : uint32 [texts]
        How often it was given there.
    notes : uint32 [texts]
        In how many of these it stood in a note.
    kept : bool [texts]
        Whether it describes the call.
    contradicted : bool [nodes]
        Whether another complete text of the call excludes the one kept.
    """

    node: I64
    text: U32
    times: U32
    notes: U32
    kept: Bools
    contradicted: Bools


def choose_texts(run: Run, readings: Readings) -> Chosen:
    """Choose the text that describes each call of a run.

    Examples
    --------
    >>> one = np.ones(1, np.uint32)
    >>> run = Run(np.zeros(1, np.uint16), np.array([7], np.uint8), 3 * one, 2 * one,
    ...     np.array([2, 4], np.uint32), np.array([2, 1], np.uint32))
    >>> chosen = choose_texts(run, Readings(["15-17 H", "Notrump opener -- 15-17 HCP"]))
    >>> chosen.text.tolist(), chosen.times.tolist(), chosen.kept.tolist()
    ([2, 1], [1, 2], [True, False])
    """
    coded_node = np.repeat(np.arange(len(run.texts), dtype=np.int64), run.texts)
    coded = run.text
    is_new = np.ones(len(coded), np.bool_)
    is_new[1:] = (coded_node[1:] != coded_node[:-1]) | (coded[1:] >> 1 != coded[:-1] >> 1)
    starts = np.flatnonzero(is_new)
    node, text = coded_node[starts], (coded[starts] >> 1).astype(np.uint32)
    if not len(starts):
        none = np.zeros(0, np.uint32)
        return Chosen(node, none, none, none, np.zeros(0, np.bool_),
                      np.zeros(len(run.texts), np.bool_))  # fmt: skip
    times = np.add.reduceat(run.times.astype(np.int64), starts)
    notes = np.add.reduceat(run.times.astype(np.int64) * (coded & 1), starts)

    kind = readings.kind[text]
    length = readings.length[text]
    by_length = kind <= DAMAGED
    order = np.lexsort(
        (
            readings.place[text],
            np.where(by_length, -times, -length),
            np.where(by_length, -length, -times),
            kind,
            node,
        )
    )
    first = order[np.flatnonzero(np.diff(node[order], prepend=-1))]
    kept = np.zeros(len(node), np.bool_)
    kept[first] = True
    order = np.lexsort((readings.place[text], -times, ~kept, node))
    node, text, kept = node[order], text[order], kept[order]
    contradicted = _contradicted(node, text, kept, len(run.texts), readings)
    return Chosen(
        node, text, times[order].astype(np.uint32), notes[order].astype(np.uint32), kept,
        contradicted,
    )  # fmt: skip


def _contradicted(node: I64, text: U32, kept: Bools, nodes: int, readings: Readings) -> Bools:
    found = np.zeros(nodes, np.bool_)
    # the kept text of a node stands before its others
    starts = np.maximum.accumulate(np.where(kept, np.arange(len(node)), 0))
    is_complete = readings.kind[text] == COMPLETE
    others = np.flatnonzero(~kept & is_complete)
    others = others[is_complete[starts[others]]]
    if not len(others):
        return found
    # the same two texts meet at many places
    pairs = text[starts[others]].astype(np.int64) << 32 | text[others]
    distinct, which = np.unique(pairs, return_inverse=True)
    excludes = np.array(
        [readings.excludes(pair >> 32, pair & 0xFFFFFFFF) for pair in distinct.tolist()], np.bool_
    )
    found[node[others[excludes[which]]]] = True
    return found
