"""How a player chooses among cards: what a card says where several are equally good.

With ``k`` best cards of which the action is one, its chance is 1 (``any``), 1/k (``share``), 1 if
it stands first in an order that everybody knows (``first``), 1 only if k = 1 (``strict``). With
``softmax`` worse cards are played as well, the less often the more they cost: chances go with
exp(mean tricks / temperature).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from bidcascade.bridge import InvalidInput

KINDS: Final = ("any", "share", "strict", "first", "softmax")
_SUITS: Final = "CDHS"


@dataclass(frozen=True, slots=True)
class Ties:
    """A policy for equally good cards.

    Parameters
    ----------
    kind : {"any", "share", "strict", "first", "softmax"}
    suits : str
        For ``first``: the suits in the order in which they are played.
    upwards : bool
        For ``first``: whether the lowest card of a suit comes first.
    temperature : float
        For ``softmax``: tricks that a card may cost to be chosen e times less often; above 0.

    Raises
    ------
    InvalidInput
        If there is no such policy.

    Examples
    --------
    >>> means = {0: Fraction(2), 13: Fraction(2), 26: Fraction(1)}
    >>> [str(Ties(kind).chance(means, 13)) for kind in ("any", "share", "strict", "first")]
    ['1', '1/2', '0', '0']
    """

    kind: str = "share"
    suits: str = _SUITS
    upwards: bool = True
    temperature: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidInput(f"expected ties as {', '.join(KINDS)}, got {self.kind!r}")
        if sorted(self.suits) != sorted(_SUITS):
            raise InvalidInput(f"expected the four suits in some order, got {self.suits!r}")
        if self.kind == "softmax" and not (
            self.temperature > 0 and math.isfinite(self.temperature)
        ):
            raise InvalidInput(f"expected a temperature above 0, got {self.temperature!r}")

    @classmethod
    def parse(cls, text: str) -> "Ties":
        """Read a policy as :meth:`__str__` prints it.

        ``any``, ``share``, ``strict``, ``first`` (clubs before diamonds before hearts before
        spades, low cards before high ones), ``first:SHDC-`` (spades first, high cards before low
        ones), ``softmax:0.5``.

        Examples
        --------
        >>> Ties.parse("first:SHDC-"), str(Ties.parse("softmax:0.5"))
        (Ties(kind='first', suits='SHDC', upwards=False, temperature=0.0), 'softmax:0.5')
        """
        kind, colon, value = text.strip().partition(":")
        kind = kind.lower()
        if kind == "first" and colon:
            order = value.upper()
            if len(order) != 5 or order[4] not in "+-":
                raise InvalidInput(f"expected an order such as 'first:SHDC-', got {text!r}")
            return cls(kind, order[:4], order[4] == "+")
        if kind == "softmax":
            try:
                temperature = float(value)
            except ValueError:
                raise InvalidInput(
                    f"expected a temperature such as 'softmax:0.5', got {text!r}"
                ) from None
            return cls(kind, temperature=temperature)
        if colon:
            raise InvalidInput(f"expected ties as {', '.join(KINDS)}, got {text!r}")
        return cls(kind)

    def __str__(self) -> str:
        if self.kind == "first" and (self.suits != _SUITS or not self.upwards):
            return f"first:{self.suits}{'+' if self.upwards else '-'}"
        return f"softmax:{self.temperature:g}" if self.kind == "softmax" else self.kind

    def chance(self, means: Mapping[int, Fraction], action: int) -> Fraction:
        """Chance that a player chooses a card.

        Parameters
        ----------
        means : mapping of int to Fraction
            By card what it is worth to the player, in tricks: more is better.
        action : int
            One of the cards.

        Returns
        -------
        Fraction
            Exact but for ``softmax``, where it is the fraction of a rounded number.
        """
        if self.kind == "softmax":
            top = max(means.values())
            weights = {
                card: math.exp(float(mean - top) / self.temperature) for card, mean in means.items()
            }
            return Fraction(weights[action] / math.fsum(weights.values()))
        top = max(means.values())
        best = [card for card, mean in means.items() if mean == top]
        if action not in best:
            return Fraction(0)
        if self.kind == "any":
            return Fraction(1)
        if self.kind == "share":
            return Fraction(1, len(best))
        if self.kind == "strict":
            return Fraction(len(best) == 1)
        return Fraction(min(best, key=self._place) == action)

    def _place(self, card: int) -> tuple[int, int]:
        suit = self.suits.index(_SUITS[card // 13])
        return suit, card % 13 if self.upwards else -(card % 13)
