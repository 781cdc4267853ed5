"""A system whose table has overlays, as it is opened and as bidders take it."""

from typing import NamedTuple

from bidcascade.systems.system import System
from bidcascade.table.bidding_table import BiddingTable


class OverlaidSystem(NamedTuple):
    """A system, and the table with overlays that was compiled from it."""

    system: System
    table: BiddingTable
