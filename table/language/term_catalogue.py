"""What every term means, in words: the text behind the vocabulary and the page of terms.

The kernels define the values; this file explains them. ``x`` in a name stands for a suit letter,
L for the length of that suit, h for the HCP in it.
"""

from dataclasses import dataclass
from typing import Final

from bidcascade.bridge import RANKS, SUITS

GIB_PAGES: Final = 'BBO, "GIB Bid Descriptions" and "GIB System Notes"'
MLBRIDGE: Final = "mlBridge column definitions of the published GIB tables"
COMMON: Final = "common usage"
SUIT_NAMES: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


@dataclass(frozen=True, slots=True)
class TermFamily:
    """A term, or the terms that differ only in the suit (and rank) they speak of.

    Parameters
    ----------
    stem : str
        Name without the suit: ``SL`` for ``SL_C`` to ``SL_S``.
    names : tuple of str
        All terms of the family.
    meaning : str
        What the value is under the gib profile; ``{suit}`` is replaced by a suit's name.
    mlbridge : str
        How the mlbridge profile differs; empty where it does not.
    source : str
        Where the definition comes from.
    """

    stem: str
    names: tuple[str, ...]
    meaning: str
    mlbridge: str = ""
    source: str = GIB_PAGES

    @property
    def pattern(self) -> str:
        """Name with ``x`` for the suit and ``R`` for the rank, as documentation writes it."""
        if self.stem == "C":
            return "C_xR"
        return self.stem if self.names == (self.stem,) else f"{self.stem}_x"


def _one(name: str, meaning: str, mlbridge: str = "", source: str = GIB_PAGES) -> TermFamily:
    return TermFamily(name, (name,), meaning, mlbridge, source)


def _suits(stem: str, meaning: str, mlbridge: str = "", source: str = GIB_PAGES) -> TermFamily:
    return TermFamily(stem, tuple(f"{stem}_{suit}" for suit in SUITS), meaning, mlbridge, source)


FAMILIES: Final = (
    _one("HCP", "high card points: ace 4, king 3, queen 2, jack 1"),
    _suits("HCP", "high card points in {suit}"),
    _one(
        "Total_Points",
        "HCP plus 3 for a void, 2 for a singleton, 1 for a doubleton; a short suit that holds an "
        "ace, king, queen or jack counts one less for its shortness",
        "no reduction for honours in short suits",
    ),
    _suits("SL", "number of cards in {suit}"),
    _one(
        "QT",
        "quick tricks: AK 2, AQ 1½, A 1, KQ 1, K with a small card ½; compared in halves, "
        "such as QT >= 2.5",
        "a bare king counts ½ too",
        COMMON,
    ),
    _one(
        "Playing_Tricks",
        "tricks from one's own hand with a long suit as trumps: in suits of four or more cards the "
        "top honours AKQ 3, AKJ and AQJ 2½, AK, AQT and KQJ 2, AQ, AJT and KQ 1½, A, KJ and QJT 1, "
        "K and QJ ½, with a trick for each card beyond the third; in shorter suits AKQ 3, AK, AQJ "
        "and KQJ 2, AQ 1½, A, KQ and QJT 1, Kx ½; compared in halves",
        source="Acol textbooks' count; the details are bidcascade's own",
    ),
    _one(
        "Losers",
        "losing trick count: in each suit the missing ace, king and queen, "
        "but no more than the suit has cards",
        source=GIB_PAGES + "; counting as is " + COMMON,
    ),
    _one("Controls", "aces count 2, kings 1", source=COMMON),
    _one("Aces", "number of aces", source=COMMON),
    _one("Kings", "number of kings", source=COMMON),
    _one("Queens", "number of queens", source=COMMON),
    _one("Tens", "number of tens", source=COMMON),
    _suits("Keycards", "number of aces, plus one for the king of {suit}", source=COMMON),
    _suits(
        "Support_Points",
        "support points with {suit} as trumps: HCP plus, with four or more trumps, 5 for a void, 3 "
        "for a singleton, 1 for a doubleton; with three trumps 3, 2, 1; with fewer nothing",
        source="dummy points, " + COMMON,
    ),
    *(
        _suits(f"Top{cards}", f"how many of the {cards} highest cards of {{suit}}", source=COMMON)
        for cards in (2, 3, 4, 5)
    ),
    _one("Longest_Suit", "cards in the longest suit", source=COMMON),
    _one("Second_Suit", "cards in the second longest suit", source=COMMON),
    _one(
        "Pattern",
        "the four lengths, longest first, compared as text: Pattern == '5332' "
        "(A to D for 10 to 13)",
        source=COMMON,
    ),
    _one(
        "Balanced",
        "4333, 4432 or 5332, whichever suit is long",
        "4333, 4432, and 5332 or 5422 whose five-card suit is a minor",
        COMMON,
    ),
    _suits(
        "Biddable",
        "biddable {suit}: L >= 5, or L = 4 with the ace, the king or three of A K Q J T",
        "L >= 5, or L = 4 with h >= 3",
    ),
    _suits(
        "Rebiddable",
        "rebiddable {suit}, biddable and a card more: L >= 6, or L = 5 with the ace, the king or "
        "three of A K Q J T",
        "L >= 6, or L = 5 with h >= 3",
    ),
    _suits(
        "Twice_Rebiddable",
        "twice rebiddable {suit}, rebiddable and a card more: L >= 7, or L = 6 with the "
        "ace, the king or three of A K Q J T",
        "L >= 7, or L = 6 with h >= 3",
    ),
    _suits(
        "Strong_Rebiddable",
        "twice rebiddable {suit} with A K Q or four of A K Q J T",
        "L >= 6 and h >= 9",
    ),
    _suits(
        "Solid",
        "solid {suit}: 6 cards with AKQJ or AKQT, 7 with AKQ, 8 with AK and queen or jack, "
        "9 or more with AK",
        "h >= 9, whatever the length",
    ),
    _suits("Partial_Stopper", "half a stopper in {suit} or better (Qx, Jxx): L + h >= 4"),
    _suits("Likely_Stopper", "a likely stopper in {suit} or better (Kx, Qxx): L + h >= 5"),
    _suits(
        "Stopper",
        "a stopper in {suit}: the ace, QJx, h >= 5, or L + h >= 7",
        "h >= 4 or L + h >= 6",
    ),
    _suits("Two_Stoppers", "two stoppers in {suit}: L + h >= 8"),
    _suits(
        "At_Best_Partial_Stopper", "no more than half a stopper in {suit}: L + h <= 4", "L + h < 4"
    ),
    _suits("At_Best_Likely_Stopper", "no more than a likely stopper in {suit}: L + h <= 5"),
    _suits(
        "At_Best_Stopper",
        "no more than one stopper in {suit}: L + h <= 7",
        "L + h >= 7 (looks inverted; kept for comparison with published columns)",
    ),
    TermFamily(
        "C",
        tuple(f"C_{suit}{rank}" for suit in SUITS for rank in RANKS),
        "holds that card of {suit}; R is a rank, T for the ten",
    ),
    _one("Rule_Of_20", "HCP plus the lengths of the two longest suits", source=COMMON),
    _one("Rule_Of_15", "HCP plus the number of spades", source=COMMON),
    _one("Vul_We", "the bidder's side is vulnerable", source="the deal"),
    _one("Vul_They", "the other side is vulnerable", source="the deal"),
    _one("Seat", "the bidder's seat counted from the dealer, 1 to 4", source="the deal"),
)
"""Every term that reads the hand or the deal, in the order of the page of terms."""


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name for an expression over terms; ``x`` in both stands for a suit letter."""

    pattern: str
    formula: str
    source: str = MLBRIDGE

    def spelled_out(self) -> dict[str, str]:
        """Names with their formulas, one per suit where the pattern speaks of a suit."""
        if not self.pattern.endswith("_x"):
            return {self.pattern: self.formula}
        return {
            f"{self.pattern[:-1]}{suit}": self.formula.replace("_x", f"_{suit}") for suit in SUITS
        }


ALIASES: Final = (
    Alias("Partial_Stop_In_x", "Partial_Stopper_x"),
    Alias("Likely_Stop_In_x", "Likely_Stopper_x"),
    Alias("Stop_In_x", "Stopper_x"),
    Alias("Two_Stops_In_x", "Two_Stoppers_x"),
    Alias("At_Best_Partial_Stop_In_x", "At_Best_Partial_Stopper_x"),
    Alias("At_Best_Likely_Stop_In_x", "At_Best_Likely_Stopper_x"),
    Alias("At_Best_Stop_In_x", "At_Best_Stopper_x"),
    Alias("Partial_Stop_Likely_Stop_In_x", "Partial_Stopper_x and At_Best_Likely_Stopper_x"),
    Alias("Likely_Stop_Stop_In_x", "Likely_Stopper_x and At_Best_Stopper_x"),
    Alias("DP", "Total_Points - HCP"),
    Alias("LTC", "Losers", COMMON),
    *(
        Alias(f"Top{held}of{cards}_x", f"Top{cards}_x >= {held}", COMMON)
        for cards in (2, 3, 4, 5)
        for held in range(1, cards + 1)
    ),
)
"""Names that load and mean an expression over the terms above."""

TAG_MEANINGS: Final = {
    "Opponents_Cannot_Play_Undoubled_Below_<bid>": (
        "the auction forces us on: the opponents may not play undoubled below that bid (1C to 7N)"
    ),
    "Forcing, Forcing_One_Round, Forcing_To_<bid>, Forcing_…": "how far the auction is forcing",
}
"""Remarks about the auction; an entry carries them, no hand is tested by them."""
