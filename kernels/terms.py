"""The terms of the bidding language: what HCP, Stopper_C, Balanced … mean, in plain Python.

A term is a small integer function of a hand (a truth value is 0 or 1). Almost all are sums over
the four suits of a function of that suit's 13-bit holding; the rest depend on the four lengths
only, or on who bids at which vulnerability. So every term is *separable*,

    value = Σ by_suit[s](holding of suit s) + by_lengths(lengths) + by_context(context)

which is why look-up tables of 8,192 holdings and 2,744 shapes evaluate any of them.

Two profiles: ``gib`` follows BBO's pages "GIB Bid Descriptions" and "GIB System Notes";
``mlbridge`` follows the column definitions with which the large published GIB tables were
evaluated. Suits are numbered C D H S = 0-3; ``_x`` in a name stands for the suit's letter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

HoldingFunction = Callable[[int], int]
Lengths = tuple[int, int, int, int]

PROFILES = ("gib", "mlbridge")
SUIT_LETTERS = "CDHS"
RANK_LETTERS = "23456789TJQKA"
TEN, JACK, QUEEN, KING, ACE = range(8, 13)


class Context(NamedTuple):
    """What a term may know besides the cards.

    Parameters
    ----------
    seat : int
        Dealer-relative seat of the bidder, 1 (dealer) to 4.
    vul_we, vul_they : int
        1 if the bidder's side, or the other side, is vulnerable.

    Examples
    --------
    >>> Context(seat=3, vul_we=1)
    Context(seat=3, vul_we=1, vul_they=0)
    """

    seat: int = 1
    vul_we: int = 0
    vul_they: int = 0

    @property
    def number(self) -> int:
        """Its place among the 16 contexts, as tables of terms have them."""
        return self.seat - 1 + 4 * self.vul_we + 8 * self.vul_they


@dataclass(frozen=True, slots=True)
class Term:
    """One term; its value is the sum of the parts that are there.

    Parameters
    ----------
    low, high : int
        Smallest and largest value a hand can give.
    boolean : bool
        Whether the value is a truth value.
    by_suit : tuple of four functions or None
        Contribution of the holdings in clubs, diamonds, hearts, spades.
    by_lengths, by_context : function, optional
        Contribution of the lengths (C, D, H, S), and of the :class:`Context`.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> terms("gib")["Losers"].value(parse_hand("K52.AQ3.9876.KJ2"), Context())
    8
    """

    name: str
    low: int
    high: int
    boolean: bool = False
    by_suit: tuple[HoldingFunction | None, ...] = (None, None, None, None)
    by_lengths: Callable[[Lengths], int] | None = None
    by_context: Callable[[Context], int] | None = None

    def value(self, hand: int, context: Context) -> int:
        """Value of the term for a hand mask."""
        holdings = [hand >> 13 * suit & 0x1FFF for suit in range(4)]
        total = 0
        for function, holding in zip(self.by_suit, holdings, strict=True):
            if function is not None:
                total += function(holding)
        if self.by_lengths is not None:
            clubs, diamonds, hearts, spades = (holding.bit_count() for holding in holdings)
            total += self.by_lengths((clubs, diamonds, hearts, spades))
        if self.by_context is not None:
            total += self.by_context(context)
        return total


# --- functions of one suit's holding -----------------------------------------------------------


def length(holding: int) -> int:
    """Count the cards of the suit."""
    return holding.bit_count()


def high_card_points(holding: int) -> int:
    """Milton Work count: ace 4, king 3, queen 2, jack 1."""
    return (
        4 * has(holding, ACE)
        + 3 * has(holding, KING)
        + 2 * has(holding, QUEEN)
        + has(holding, JACK)
    )


def has(holding: int, rank: int) -> bool:
    """Tell whether the holding contains the card of that rank (0-12 = two-ace)."""
    return bool(holding >> rank & 1)


def count_top(cards: int, holding: int) -> int:
    """Count how many of the ``cards`` highest cards of the suit are held."""
    return (holding >> (13 - cards)).bit_count()


def losers(holding: int) -> int:
    """Count the losing tricks of a suit: missing ace, king and queen, up to its length."""
    missing = [not has(holding, ACE), not has(holding, KING), not has(holding, QUEEN)]
    return sum(missing[: min(3, length(holding))])


def short_suit_points(holding: int) -> int:
    """Void 3, singleton 2, doubleton 1."""
    return max(0, 3 - length(holding))


def total_points_gib(holding: int) -> int:
    """HCP and distribution; a short suit that holds an honour counts one less for its shortness."""
    shortness = short_suit_points(holding)
    if shortness and count_top(4, holding):
        shortness -= 1
    return high_card_points(holding) + shortness


def total_points_mlbridge(holding: int) -> int:
    """HCP and distribution without the correction for short honours."""
    return high_card_points(holding) + short_suit_points(holding)


def quick_tricks_doubled_gib(holding: int) -> int:
    """Twice the quick tricks: AK 2, AQ 1½, A 1, KQ 1, Kx ½; a bare king counts nothing."""
    if has(holding, ACE):
        return 4 if has(holding, KING) else 3 if has(holding, QUEEN) else 2
    if has(holding, KING):
        return 2 if has(holding, QUEEN) else 1 if length(holding) > 1 else 0
    return 0


def quick_tricks_doubled_mlbridge(holding: int) -> int:
    """Count as the gib profile does, but a bare king counts ½."""
    return max(quick_tricks_doubled_gib(holding), int(has(holding, KING)))


def playing_tricks_doubled(holding: int) -> int:
    """Twice the tricks a suit takes opposite little help, after the count of Acol's textbooks.

    In a suit of four or more cards the top honours count AKQ 3, AKJ and AQJ 2½, AK, AQT and KQJ 2,
    AQ, AJT and KQ 1½, A, KJ and QJT 1, K and QJ ½, and each card beyond the third counts one if
    there are any of these. A shorter suit: AKQ 3, AK, AQJ and KQJ 2, AQ 1½, A, KQ and QJT 1, Kx ½.
    """
    ace, king, queen, jack, ten = (has(holding, rank) for rank in (ACE, KING, QUEEN, JACK, TEN))
    cards = length(holding)
    long = cards >= 4
    if ace and king:
        top = 6 if queen else 5 if jack and long else 4
    elif ace and queen:
        top = 5 if jack and long else 4 if jack or (ten and long) else 3
    elif ace:
        top = 3 if jack and ten and long else 2
    elif king and queen:
        top = 4 if jack else 3 if long else 2
    elif king:
        top = 2 if jack and long else 1 if cards > 1 else 0
    elif queen and jack:
        top = 2 if ten else 1 if long else 0
    else:
        return 0
    return top + 2 * max(0, cards - 3) if top else 0


def decent_suit_gib(holding: int) -> bool:
    """Ace, king, or three of A K Q J T."""
    return has(holding, ACE) or has(holding, KING) or count_top(5, holding) >= 3


def decent_suit_mlbridge(holding: int) -> bool:
    """Three HCP in the suit."""
    return high_card_points(holding) >= 3


def strong_rebiddable_gib(holding: int) -> int:
    """Twice rebiddable and four of A K Q J T, or A K Q."""
    good = count_top(5, holding) >= 4 or count_top(3, holding) == 3
    return int(_biddable(6, decent_suit_gib, holding) and good)


def strong_rebiddable_mlbridge(holding: int) -> int:
    """Six cards and nine HCP."""
    return int(length(holding) >= 6 and high_card_points(holding) >= 9)


def solid_gib(holding: int) -> int:
    """6 cards with AKQT or AKQJ, 7 with AKQ, 8 with AKQ or AKJ, 9 or more with AK."""
    if count_top(2, holding) < 2:
        return 0
    queen, jack, ten = (has(holding, rank) for rank in (QUEEN, JACK, TEN))
    cards = length(holding)
    if cards >= 9:
        return 1
    if cards == 8:
        return int(queen or jack)
    if cards == 7:
        return int(queen)
    return int(cards == 6 and queen and (jack or ten))


def solid_mlbridge(holding: int) -> int:
    """Nine HCP, whatever the length."""
    return int(high_card_points(holding) >= 9)


def stopper_strength(holding: int) -> int:
    """Length plus HCP, the measure behind all stopper classes."""
    return length(holding) + high_card_points(holding)


def stopper_gib(holding: int) -> int:
    """Ace, or QJx, or five HCP, or length plus HCP of seven."""
    queen_jack_third = has(holding, QUEEN) and has(holding, JACK) and length(holding) >= 3
    return int(
        has(holding, ACE)
        or queen_jack_third
        or high_card_points(holding) >= 5
        or stopper_strength(holding) >= 7
    )


def stopper_mlbridge(holding: int) -> int:
    """Four HCP, or length plus HCP of six."""
    return int(high_card_points(holding) >= 4 or stopper_strength(holding) >= 6)


def _biddable(cards: int, decent: Callable[[int], bool], holding: int) -> int:
    return int(length(holding) > cards or (length(holding) == cards and decent(holding)))


# --- functions of the lengths ------------------------------------------------------------------


def pattern(lengths: Lengths) -> int:
    """Lengths sorted downwards, read as hexadecimal digits: 5332 is ``0x5332``."""
    first, second, third, fourth = sorted(lengths, reverse=True)
    return first << 12 | second << 8 | third << 4 | fourth


def balanced_gib(lengths: Lengths) -> int:
    """Hand pattern 4333, 4432 or 5332."""
    return int(pattern(lengths) in (0x4333, 0x4432, 0x5332))


def balanced_mlbridge(lengths: Lengths) -> int:
    """4333, 4432, and 5332 or 5422 whose five-card suit is a minor."""
    if pattern(lengths) in (0x4333, 0x4432):
        return 1
    return int(pattern(lengths) in (0x5332, 0x5422) and 5 in lengths[:2])


def longest_two(lengths: Lengths) -> int:
    """Count the cards of the two longest suits."""
    return sum(sorted(lengths)[2:])


def trump_shortness(trumps: int, lengths: Lengths) -> int:
    """Points for shortness with support: 5, 3, 1 (void to doubleton) with four or more trumps.

    With three trumps 3, 2, 1, with fewer nothing. ``trumps`` is the number of the trump suit.
    """
    support = lengths[trumps]
    if support < 3:
        return 0
    points = (5, 3, 1) if support > 3 else (3, 2, 1)
    return sum(points[cards] for suit, cards in enumerate(lengths) if suit != trumps and cards < 3)


# --- the catalogue ----------------------------------------------------------------------------


def _everywhere(function: HoldingFunction) -> tuple[HoldingFunction, ...]:
    return (function,) * 4


def _only(suit: int, function: HoldingFunction) -> tuple[HoldingFunction | None, ...]:
    return tuple(function if other == suit else None for other in range(4))


def _catalogue(profile: str) -> list[Term]:
    gib = profile == "gib"
    total_points = total_points_gib if gib else total_points_mlbridge
    quick_tricks = quick_tricks_doubled_gib if gib else quick_tricks_doubled_mlbridge
    balanced = balanced_gib if gib else balanced_mlbridge
    decent = decent_suit_gib if gib else decent_suit_mlbridge

    def controls(holding: int) -> int:
        return 2 * has(holding, ACE) + has(holding, KING)

    def rank_counter(rank: int) -> HoldingFunction:
        return lambda holding: int(has(holding, rank))

    def ace_and_king(holding: int) -> int:
        return count_top(2, holding)

    def points_and_length(holding: int) -> int:
        return high_card_points(holding) + length(holding)

    ace = rank_counter(ACE)
    terms = [
        Term("HCP", 0, 37, by_suit=_everywhere(high_card_points)),
        Term("Total_Points", 0, 37, by_suit=_everywhere(total_points)),
        Term("QT", 0, 16, by_suit=_everywhere(quick_tricks)),
        Term("Playing_Tricks", 0, 26, by_suit=_everywhere(playing_tricks_doubled)),
        Term("Losers", 0, 12, by_suit=_everywhere(losers)),
        Term("Controls", 0, 12, by_suit=_everywhere(controls)),
        Term("Aces", 0, 4, by_suit=_everywhere(ace)),
        Term("Kings", 0, 4, by_suit=_everywhere(rank_counter(KING))),
        Term("Queens", 0, 4, by_suit=_everywhere(rank_counter(QUEEN))),
        Term("Tens", 0, 4, by_suit=_everywhere(rank_counter(TEN))),
        Term("Balanced", 0, 1, boolean=True, by_lengths=balanced),
        Term("Longest_Suit", 4, 13, by_lengths=max),
        Term("Second_Suit", 0, 6, by_lengths=lambda lengths: sorted(lengths)[2]),
        Term("Pattern", 0x4333, 0xD000, by_lengths=pattern),
        Term("Rule_Of_20", 7, 44, by_suit=_everywhere(high_card_points), by_lengths=longest_two),
        Term(
            "Rule_Of_15",
            0,
            41,
            by_suit=(high_card_points, high_card_points, high_card_points, points_and_length),
        ),
        Term("Vul_We", 0, 1, boolean=True, by_context=lambda context: context.vul_we),
        Term("Vul_They", 0, 1, boolean=True, by_context=lambda context: context.vul_they),
        Term("Seat", 1, 4, by_context=lambda context: context.seat),
    ]

    # one list of (stem, high, boolean, function) serves the four suits
    def at_least(level: int) -> HoldingFunction:
        return lambda holding: int(stopper_strength(holding) >= level)

    def at_most(level: int) -> HoldingFunction:
        return lambda holding: int(stopper_strength(holding) <= level)

    def biddable(cards: int) -> HoldingFunction:
        return lambda holding: _biddable(cards, decent, holding)

    def top(cards: int) -> HoldingFunction:
        return lambda holding: count_top(cards, holding)

    stems: list[tuple[str, int, bool, HoldingFunction]] = [
        ("HCP", 10, False, high_card_points),
        ("SL", 13, False, length),
        *((f"Top{cards}", cards, False, top(cards)) for cards in (2, 3, 4, 5)),
        ("Biddable", 1, True, biddable(4)),
        ("Rebiddable", 1, True, biddable(5)),
        ("Twice_Rebiddable", 1, True, biddable(6)),
        (
            "Strong_Rebiddable",
            1,
            True,
            strong_rebiddable_gib if gib else strong_rebiddable_mlbridge,
        ),
        ("Solid", 1, True, solid_gib if gib else solid_mlbridge),
        ("Partial_Stopper", 1, True, at_least(4)),
        ("Likely_Stopper", 1, True, at_least(5)),
        ("Stopper", 1, True, stopper_gib if gib else stopper_mlbridge),
        ("Two_Stoppers", 1, True, at_least(8)),
        ("At_Best_Partial_Stopper", 1, True, at_most(4 if gib else 3)),
        ("At_Best_Likely_Stopper", 1, True, at_most(5)),
        # mlbridge's sense looks inverted; kept so that its published bitmaps can be compared
        ("At_Best_Stopper", 1, True, at_most(7) if gib else at_least(7)),
    ]

    def shortness_with(trumps: int) -> Callable[[Lengths], int]:
        return lambda lengths: trump_shortness(trumps, lengths)

    for suit, letter in enumerate(SUIT_LETTERS):
        terms += (
            Term(f"{stem}_{letter}", 0, high, boolean=boolean, by_suit=_only(suit, function))
            for stem, high, boolean, function in stems
        )
        keycards = [ace] * 4
        keycards[suit] = ace_and_king
        terms.append(Term(f"Keycards_{letter}", 0, 5, by_suit=tuple(keycards)))
        terms.append(
            Term(
                f"Support_Points_{letter}",
                0,
                37,
                by_suit=_everywhere(high_card_points),
                by_lengths=shortness_with(suit),
            )
        )
        terms += (
            Term(
                f"C_{letter}{rank_letter}",
                0,
                1,
                boolean=True,
                by_suit=_only(suit, rank_counter(rank)),
            )
            for rank, rank_letter in enumerate(RANK_LETTERS)
        )
    return terms


@cache
def terms(profile: str) -> dict[str, Term]:
    """All terms of a profile by name.

    Raises
    ------
    ValueError
        If the profile is neither ``gib`` nor ``mlbridge``.

    Examples
    --------
    >>> terms("gib")["Stopper_S"].boolean
    True
    """
    if profile not in PROFILES:
        raise ValueError(f"expected a profile of {', '.join(PROFILES)}, got {profile!r}")
    return {term.name: term for term in _catalogue(profile)}


def term_names(profile: str = "gib") -> tuple[str, ...]:
    """Names of all terms that kernels define (aliases and tags belong to the vocabulary).

    Examples
    --------
    >>> "Rule_Of_20" in term_names()
    True
    """
    return tuple(terms(profile))


def term_range(name: str, profile: str = "gib") -> tuple[int, int]:
    """Smallest and largest value of a term; ``QT`` counts half tricks.

    Examples
    --------
    >>> term_range("HCP"), term_range("Seat")
    ((0, 37), (1, 4))
    """
    term = terms(profile)[name]
    return term.low, term.high


def term_is_boolean(name: str) -> bool:
    """Tell whether a term is a truth value.

    Examples
    --------
    >>> term_is_boolean("Balanced"), term_is_boolean("HCP")
    (True, False)
    """
    return terms("gib")[name].boolean


def all_lengths() -> list[Lengths]:
    """All 560 ordered length distributions of a hand (clubs, diamonds, hearts, spades)."""
    distributions: list[Lengths] = []
    for bars in combinations(range(16), 3):  # stars and bars
        first, second, third = bars
        distributions.append((first, second - first - 1, third - second - 1, 15 - third))
    return distributions
