"""Duplicate scoring: what a contract is worth to declarer's side, and differences as IMPs.

Laws of Duplicate Bridge 2017, Law 77 (scoring table) and Law 78B (International Match Points).
"""

from bisect import bisect_right

from .contract import Contract
from .errors import InvalidContract

_NOTRUMP = 4
_FIRST_MAJOR = 2

_IMP_STEPS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750,
    2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""Smallest difference in points that is worth 1, 2, … 24 IMPs."""


def score(contract: Contract, tricks: int, *, vulnerable: bool) -> int:
    """Score of a played contract from the view of declarer's side (Law 77).

    Parameters
    ----------
    contract : Contract
        Level, strain and doubling; the declarer does not matter.
    tricks : int
        Tricks that declarer's side took, 0-13.
    vulnerable : bool
        Whether declarer's side is vulnerable.

    Returns
    -------
    int
        Points; negative if the contract went down.

    Raises
    ------
    InvalidContract
        If the tricks are not 0-13.

    Examples
    --------
    >>> from bidcascade.bridge import Contract, Seat
    >>> four_spades = Contract(level=4, strain=3, doubling=0, declarer=Seat.SOUTH)
    >>> score(four_spades, 10, vulnerable=True), score(four_spades, 8, vulnerable=False)
    (620, -100)
    """
    if not 0 <= tricks <= 13:
        raise InvalidContract(f"expected 0-13 tricks, got {tricks!r}")
    over = tricks - 6 - contract.level
    if over < 0:
        return -_penalty(-over, contract.doubling, vulnerable=vulnerable)
    per_trick = 30 if contract.strain >= _FIRST_MAJOR else 20
    trick_score = contract.level * per_trick
    if contract.strain == _NOTRUMP:
        trick_score += 10
    trick_score <<= contract.doubling
    points = trick_score + 50 * contract.doubling
    if contract.doubling:
        points += over * 100 * contract.doubling * (2 if vulnerable else 1)
    else:
        points += over * per_trick
    if trick_score >= 100:
        points += 500 if vulnerable else 300
    else:
        points += 50
    if contract.level == 6:
        points += 750 if vulnerable else 500
    elif contract.level == 7:
        points += 1500 if vulnerable else 1000
    return points


def _penalty(down: int, doubling: int, *, vulnerable: bool) -> int:
    """Points for undertricks, positive."""
    if not doubling:
        return down * (100 if vulnerable else 50)
    # first undertrick 200 vulnerable, else 100; every later one 300, but only 200 for the
    # second and third when not vulnerable
    first, later_ones_less = (200, 0) if vulnerable else (100, 100 * min(2, down - 1))
    return (first + 300 * (down - 1) - later_ones_less) * doubling


def imps(difference: int) -> int:
    """International Match Points for a difference in points (Law 78B), with its sign.

    Parameters
    ----------
    difference : int
        Own score minus the score at the other table.

    Returns
    -------
    int
        -24 to 24.

    Examples
    --------
    >>> imps(620 - 170), imps(-10), imps(-20)
    (10, 0, -1)
    """
    amount = bisect_right(_IMP_STEPS, abs(difference))
    return amount if difference >= 0 else -amount
