"""The calls of an auction as conditions on hands: what must hold that the system makes each call.

A *step* is one call with the lines (*options*) that were looked at when it was made, in order. The
system makes the call with a hand if the first option that holds is one of this call; where none
holds it passes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from bidcascade.bridge import PASS, Seat
from bidcascade.systems.places.knowledge import EVERYTHING, Bounds, bounds
from bidcascade.table import Vocabulary
from bidcascade.table.language.expression_tree import And, Expression, Truth

Reading: TypeAlias = Literal["first", "any", "nothing"]
"""How a call is read: the system makes it; one of its lines holds, and earlier ones are not denied;
it says nothing."""


@dataclass(frozen=True, slots=True)
class Option:
    """One line of a place, of the call that was made or another; all criteria must hold."""

    is_made: bool
    name: str
    criteria: tuple[Expression, ...]
    reach: Bounds
    """Shapes and points with which a hand can, and must, meet the criteria."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of an auction, with the lines in the order in which they are tried."""

    number: int
    call: int
    seat: Seat
    options: tuple[Option, ...]
    vocabulary: Vocabulary
    reading: Reading = "first"
    dropped: int = 0
    """Conditions that were given up."""

    @property
    def is_known(self) -> bool:
        """Whether some hand makes the call: there is a line for it, or it is a pass by default."""
        return self.call == PASS or self.has_line

    @property
    def has_line(self) -> bool:
        """Whether there is a line for the call."""
        return any(option.is_made for option in self.options)

    def cells(self) -> int:
        """Set of shapes and points of the hands that may make the call, as it is read."""
        if self.reading == "nothing":
            return EVERYTHING
        denied = self.reading == "first"
        taken = shown = every = 0
        for option in self.options:
            every |= option.reach.must
            if option.is_made:
                shown |= option.reach.can & ~taken
            elif denied:
                taken |= option.reach.must
        # by default, where no line holds
        return shown | EVERYTHING & ~every if self.call == PASS else shown

    def narrowed(self, cells: int) -> "Step":
        """Step without the options that no hand of some cells meets, or that decide nothing."""
        left = [option for option in self.options if option.reach.can & cells]
        while left and self.call != PASS and not left[-1].is_made:
            left.pop()
        return replace(self, options=tuple(left))


def bounds_of(criteria: Sequence[Expression], vocabulary: Vocabulary) -> Bounds:
    """Shapes and points with which a hand can, and must, meet criteria that must all hold."""
    criteria = [one for one in criteria if not isinstance(one, Truth) or not one.value]
    if not criteria:
        return Bounds(EVERYTHING, EVERYTHING)
    if any(isinstance(one, Truth) for one in criteria):
        return Bounds(0, 0)
    return bounds(criteria[0] if len(criteria) == 1 else And(tuple(criteria)), vocabulary)
