"""A contract: level, strain, doubling and declarer; read from and written as ``4SXW``."""

import re
from dataclasses import dataclass

from .calls import STRAINS
from .errors import InvalidContract
from .seats import Seat, parse_seat

_CONTRACT = re.compile(r"([1-7])([CDHSN])(X{0,2})([NESW])")


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

    Raises
    ------
    InvalidContract
        If a value is outside its range.

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

    def __post_init__(self) -> None:
        if not (1 <= self.level <= 7 and 0 <= self.strain <= 4 and 0 <= self.doubling <= 2):
            raise InvalidContract(
                "expected level 1-7, strain 0-4 and doubling 0-2, got "
                f"{self.level!r}, {self.strain!r} and {self.doubling!r}"
            )

    @property
    def name(self) -> str:
        """Level, strain and doubling without the declarer: ``4SX``."""
        return f"{self.level}{STRAINS[self.strain]}{'X' * self.doubling}"

    def __str__(self) -> str:
        return self.name + self.declarer.letter


def parse_contract(text: str) -> Contract:
    """Read a contract as :class:`Contract` prints it: level, strain, doubling, declarer.

    Raises
    ------
    InvalidContract
        If the text is no contract.

    Examples
    --------
    >>> parse_contract("3NXXE").name, parse_contract("1cs").declarer.letter
    ('3NXX', 'S')
    """
    match = _CONTRACT.fullmatch(text.strip().upper()) if isinstance(text, str) else None
    if match is None:
        raise InvalidContract(f"expected a contract such as '4SXW', got {text!r}")
    level, strain, doubling, declarer = match.groups()
    return Contract(int(level), STRAINS.index(strain), len(doubling), parse_seat(declarer))
