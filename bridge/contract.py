"""A contract: level, strain, doubling and declarer."""

from dataclasses import dataclass

from .calls import STRAINS
from .seats import Seat


@dataclass(frozen=True, slots=True)
class Contract:
    """What an auction ended in; a passed-out board has none.

    Parameters
    ----------
    level : int
        1-7.
    strain : int
        0-4 = clubs, diamonds, hearts, spades, notrump.
    doubling : int
        0 undoubled, 1 doubled, 2 redoubled.
    declarer : Seat

    Examples
    --------
    >>> from bidcascade.bridge import Contract, Seat
    >>> str(Contract(4, 3, 1, Seat.WEST))
    '4SXW'
    """

    level: int
    strain: int
    doubling: int
    declarer: Seat

    @property
    def name(self) -> str:
        """Level, strain and doubling without the declarer: ``4SX``."""
        return f"{self.level}{STRAINS[self.strain]}{'X' * self.doubling}"

    def __str__(self) -> str:
        return self.name + self.declarer.letter
