"""Deals as a system bids them at all four seats, call by call; whoever asks holds its lock."""

from typing import NamedTuple

import numpy as np

from bidcascade.bridge import DOUBLE, PASS, REDOUBLE
from bidcascade.kernels import DealArrays
from bidcascade.kernels.core.functions import forced
from bidcascade.kernels.core.rows import ANY_HAND
from bidcascade.kernels.types import I64, Bools
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.auctions.program import SystemProgram


class CallByCall(NamedTuple):
    """Where each call was made, by which entry, and which one: int64 [deals, calls].

    Behind the end of an auction all are -1, and so is the entry of a pass by default.
    """

    place: I64
    entry: I64
    call: I64

    @classmethod
    def of(cls, bidder: Bidder, deals: DealArrays) -> "CallByCall":
        """Bid deals to the end."""
        levels = []
        for step in bidder.steps(deals):
            level = np.full((3, len(deals)), -1, np.int64)
            level[:, step.deals] = step.place, step.entry, step.call
            levels.append(level)
        return cls(*np.stack(levels, axis=2))

    @property
    def auctions(self) -> list[list[int]]:
        """Calls of each deal."""
        lengths = (self.call >= 0).sum(axis=1).tolist()
        return [row[:length] for row, length in zip(self.call.tolist(), lengths, strict=True)]

    def forced(self, bidder: Bidder) -> tuple[Bools, Bools]:
        """Tell on which deals a player was forced to call, and on which one passed then.

        No such pass is one that the text lists below the forcing call, among the answers to it, and
        none with conditions that leaves a double in.
        """
        due, passed = np.zeros((2, len(self.call)), np.bool_)
        for depth in range(2, self.call.shape[1]):
            # nobody is forced where the player before has called
            here = np.flatnonzero((self.call[:, depth] >= 0) & (self.call[:, depth - 1] == PASS))
            places, which = np.unique(self.place[here, depth], return_inverse=True)
            is_forced = [bool(forced(bidder.row(one))) for one in places.tolist()]
            here = here[np.array(is_forced, np.bool_)[which]]
            due[here] = True
            here = here[self.call[here, depth] == PASS]
            program = bidder.sides[depth & 1]
            asking, call = self.entry[here, depth - 2], self.call[here, depth - 2]
            passing = zip(
                self.entry[here, depth].tolist(), asking.tolist(), call.tolist(), strict=True
            )
            answers = [_is_answer(program, *one) for one in passing]
            passed[here[~np.array(answers, np.bool_)]] = True
        return due, passed


def _is_answer(program: SystemProgram, passing: int, asking: int, call: int) -> bool:
    """Whether the entry of a pass is meant as an answer to partner's call, by its entry."""
    if passing < 0 or asking < 0:
        return False
    if call in (DOUBLE, REDOUBLE) and program.core.rows("entries")[passing]["needs"] != ANY_HAND:
        return True
    # two lines of a call may use one convention below them: where it stands tells its lines apart
    where = program.entry(passing, 0).line.where
    below = program.rules.places.lines[program.entry(asking, 0).place].below
    return any(where == one.line.where for group in below for one in group.lines)


class LineName(NamedTuple):
    """A line of a system: file and line, and its name; both empty for none."""

    where: str
    name: str

    @classmethod
    def of_entry(cls, bidder: Bidder, side: int, entry: int) -> "LineName":
        """Name the line of an entry of either side."""
        found = bidder.sides[side].entry(entry, 0)
        return cls(str(found.where), found.name)
