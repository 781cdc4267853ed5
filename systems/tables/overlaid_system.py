"""A system whose table has overlays, and its places, of which the table answers some."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bidcascade.bridge import Seat, Vulnerability
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import Condition
from bidcascade.systems.places.places import Place, Rules
from bidcascade.systems.places.state import State
from bidcascade.systems.system import System
from bidcascade.systems.words.explanation import StatesAndPlaces
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.language.expression_tree import Expression


class OverlaidSystem(NamedTuple):
    """A system, and the table with overlays that was compiled from it."""

    system: System
    table: BiddingTable


@dataclass(frozen=True)
class OverlaidPlaces:
    """A system's places where overlays on its table changed nothing, the table where they did.

    Changed are the entries behind which something was changed, -1 for the opening.
    """

    places: StatesAndPlaces
    table: BiddingTable
    changed: frozenset[int]

    @property
    def sides(self) -> tuple[Rules, Rules]:
        """Systems of the dealer's side and of the other one."""
        return self.places.sides

    def place(self, calls: Sequence[int]) -> Place:
        """Entries of the system after a legal auction that goes on."""
        return self.places.place(calls)

    def state(self, calls: Sequence[int]) -> State:
        """State after a legal auction, as the system knows it."""
        return self.places.state(calls)

    def lowered(self, condition: Condition, calls: Sequence[int], bindings: Bindings) -> Expression:
        """Find what a condition of the system's text becomes behind calls."""
        return self.places.lowered(condition, calls, bindings)

    def at(self, dealer: Seat, vulnerability: Vulnerability) -> "OverlaidPlaces":
        """Places by what the system's calls mean at a vulnerability."""
        return replace(self, places=self.places.at(dealer, vulnerability))

    def is_changed(self, calls: Sequence[int]) -> bool:
        """Whether the table says what follows an auction."""
        entry = self.table.find(calls) if calls else -1
        return entry in self.changed
