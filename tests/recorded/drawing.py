"""Draws that are the same for every version of Python, and deals and hands made with them.

Nothing here comes from the program that is asked: what it is asked must not change with it.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

_Value = TypeVar("_Value")

SUITS = "SHDC"
RANKS = "AKQJT98765432"
SEATS = "NESW"
VULNERABILITIES = ("None", "NS", "EW", "Both")


class Draw:
    """Draws from a seed; only ``random()`` is the same for every version of Python."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def below(self, count: int) -> int:
        return int(self._random() * count)

    def one(self, values: Sequence[_Value]) -> _Value:
        return values[self.below(len(values))]

    def some(self, values: Sequence[_Value], count: int) -> list[_Value]:
        left = list(values)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def hand(self) -> str:
        return self.hands()[0]

    def hands(self) -> list[str]:
        """Four hands, spades first."""
        cards = self.some([suit + rank for suit in SUITS for rank in RANKS], 52)
        return [_hand_text(cards[seat * 13 : seat * 13 + 13]) for seat in range(4)]

    def deal(self) -> str:
        return f"{self.one(SEATS)}:{' '.join(self.hands())}"

    def calm_deal(self) -> str:
        """Deal that is solved double dummy at once: most tricks are the highest cards of a suit."""
        # each player has one suit but for two cards, which go on to the next player
        suits = self.some(SUITS, 4)
        cards = [[suit + rank for rank in RANKS] for suit in suits]
        given = [[hand.pop(self.below(len(hand))) for _ in range(2)] for hand in cards]
        turn = 1 + self.below(3)
        hands = [hand + given[(number + turn) % 4] for number, hand in enumerate(cards)]
        return f"{self.one(SEATS)}:{' '.join(_hand_text(hand) for hand in hands)}"

    def deal_request(self, *, calm: bool = False) -> dict[str, object]:
        """Deal as a request of the service has it, in one of its forms."""
        form, hands = self.below(4), self.calm_deal()[2:].split() if calm else self.hands()
        found: dict[str, object]
        if form == 0:
            found = {"hands": hands}
        elif form == 1:
            lin = ",".join(map(lin_hand, hands))
            found = {"lin": f"md|{1 + self.below(4)}{lin}|sv|{self.one('onbe')}|"}
        else:
            found = {"deal": f"{self.one(SEATS)}:{' '.join(hands)}"}
        if form != 1 and self.below(3):
            found["dealer"] = self.one(SEATS)
            found["vulnerability"] = self.one(VULNERABILITIES)
        return found


def _hand_text(cards: Sequence[str]) -> str:
    return ".".join(
        "".join(rank for rank in RANKS if suit + rank in cards) or "-" for suit in SUITS
    ).replace("-", "")


def lin_hand(hand: str) -> str:
    return "".join(suit + ranks for suit, ranks in zip(SUITS, hand.split("."), strict=True))
