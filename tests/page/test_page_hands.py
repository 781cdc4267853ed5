"""Hands as people print them, pasted: diagrams, a hand a line; and links that say nothing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import format_hand
from bidcascade.loaders import HAND_COLUMNS, random_deals

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
CLASSIC = """Board 7. South deals. N-S vulnerable.
          NORTH
          ♠ A Q 4
          ♥ K J 3
          ♦ K 8 7 6
          ♣ Q 5 2
WEST                EAST
♠ 10 3 2            ♠ K 9 5
♥ 10 9 4            ♥ Q 8 7 2
♦ J 10 2            ♦ A 5 4
♣ A 8 7 6           ♣ K 10 3
          SOUTH (D)
          ♠ J 8 7 6
          ♥ A 6 5
          ♦ Q 9 3
          ♣ J 9 4
The bidding:
South  West  North  East
1 ♠    Pass  2 ♣    Pass
Opening lead — ♥ 10"""
COMPASS = """Dlr: North      S AQ4
Vul: None       H KJ3
                D K876
                C Q52
S 1032      N       S K95
H 1094    W   E     H Q872
D J102      S       D A54
C A876              C K103
                S J876
                H A65
                D Q93
                C J94"""
PLAIN = "\n".join(line[9:] for line in CLASSIC.splitlines()[2:6])
VOIDS = [".765432.JT98765.", "..432.JT98765432", "AKQJT98765432...", ".AKQJT98.AKQ.AKQ"]
SIGNS: dict[str, dict[str, str]] = {
    "signs": dict(zip("SHDC", "♠♥♦♣", strict=True)),
    "signs and blanks": {"S": "♠ ", "H": "♥ ", "D": "♦ ", "C": "♣ "},
    "coloured signs": {"S": "♠\ufe0f", "H": "♥\ufe0f", "D": "♦\ufe0f", "C": "♣\ufe0f"},
    "white signs": dict(zip("SHDC", "♤♡♢♧", strict=True)),
    "letters": {suit: f"{suit} " for suit in "SHDC"},
    "small letters": {suit: f"{suit.lower()} " for suit in "SHDC"},
    "letters at the cards": {suit: suit for suit in "SHDC"},
    "letters and colons": {suit: f"{suit}: " for suit in "SHDC"},
    "words": {"S": "Spades: ", "H": "Hearts: ", "D": "Diamonds: ", "C": "Clubs: "},
    "forum": {suit: f"!{suit} " for suit in "SHDC"},
    "none": dict.fromkeys("SHDC", ""),
}
NAMES: dict[str, list[str] | None] = {
    "words": ["North", "East", "South", "West"], "capitals": ["NORTH", "EAST", "SOUTH", "WEST"],
    "letters": ["N", "E", "S", "W"], "none": None,
}  # fmt: skip
AROUND: dict[str, tuple[int | None, str | None]] = {
    "": (None, None), "Dealer: South": (2, None), "West deals. Both vulnerable": (3, "Both"),
    "Dlr W   Vul: E-W": (3, "EW"), "Love all. Dealer East.": (1, "None"), "Board 10": (1, "Both"),
    "Game all, dealer S": (2, "Both"), "Neither side vulnerable": (None, "None"),
    "North-South vulnerable\nSouth dealer": (2, "NS"), "E-W game. Dealer: N": (0, "EW"),
    "Both sides were vulnerable": (None, "Both"), "Vulnerable: None   Dealer: E": (1, "None"),
}  # fmt: skip


def read(module: Any, text: str) -> dict[str, Any]:
    """The one board of a pasted text."""
    answer = module("deal/pasting", "readPasted", text)
    assert "value" in answer, f"{answer['error']}\n{text}"
    (board,) = answer["value"]["boards"]
    found: dict[str, Any] = board
    return found


@st.composite
def printed(draw: Any) -> tuple[str, list[str], int | None, str | None]:
    """A deal as somebody prints it, with its hands, dealer and vulnerability."""
    row = random_deals(1, seed=draw(st.integers(0, 10**6))).select(*HAND_COLUMNS)
    hands = draw(st.sampled_from([[format_hand(hand) for hand in row.row(0)], VOIDS]))
    signs = SIGNS[style := draw(st.sampled_from(sorted(SIGNS)))]
    names = NAMES[draw(st.sampled_from(sorted(NAMES)))]
    ten, apart = draw(st.sampled_from(["10", "T"])), draw(st.sampled_from(["", " "]))
    void = draw(st.sampled_from(["-", "—"] if style == "none" else ["-", "—", "–", "void", ""]))

    def holdings(hand: str) -> list[str]:
        told = [apart.join(ten if card == "T" else card for card in one) for one in hand.split(".")]
        return [
            f"{signs[suit]}{one or void}".rstrip() for suit, one in zip("SHDC", told, strict=True)
        ]

    tabs = draw(st.booleans())
    edge = "\t" if tabs else " " * 12

    def beside(left: str, right: str, middle: str = "") -> str:
        return f"{left}\t\t{right}" if tabs else f"{left:<28}{middle:<8}{right}"

    forms = ["diagram", "lines", *(["one below the other"] if names else [])]
    form = draw(st.sampled_from(forms))
    if form == "diagram":
        compass = ["", "N", "W   E", "S"] if draw(st.booleans()) and not tabs else [""] * 4
        north, east, south, west = map(holdings, hands)
        lines = [edge + names[0]] if names else []
        lines += [edge + one for one in north]
        lines += [beside(names[3], names[1])] if names else []
        lines += [beside(*both) for both in zip(west, east, compass, strict=True)]
        lines += [edge + names[2]] if names else []
        lines += [edge + one for one in south]
    elif form == "lines":
        order = draw(st.permutations(range(4))) if names else range(4)
        mark = draw(st.sampled_from([": ", " ", "\t", " - "]))
        between = draw(st.sampled_from(["  ", *([" ", ", "] if style != "none" else [])]))
        lines = [
            (names[seat] + mark if names else "") + between.join(holdings(hands[seat]))
            for seat in order
        ]
    else:
        assert names is not None
        lines = [
            line
            for seat in draw(st.permutations(range(4)))
            for line in (names[seat], *holdings(hands[seat]), "")
        ]
    around = draw(st.sampled_from(sorted(AROUND)))
    text = "\n".join([around, *lines] if draw(st.booleans()) else [*lines, around])
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return text.replace("\n", end), hands, *AROUND[around]


@settings(deadline=None)
@given(printed())
def test_hands_are_read_however_they_are_printed(module, one):
    text, hands, dealer, sides = one
    board = read(module, text)
    assert board["hands"] == hands, text
    assert (board["dealer"], board["vulnerability"]) == (dealer, sides), text


def test_a_newspapers_diagram_is_read(module):
    board = read(module, CLASSIC)
    assert board["hands"] == HANDS
    assert (board["number"], board["dealer"], board["vulnerability"]) == (7, 2, "NS")
    board = read(module, COMPASS)
    assert board["hands"] == HANDS
    assert (board["number"], board["dealer"], board["vulnerability"]) == (None, 0, "None")


BOXED = """South was in four spades: a hand from the club's championship that all misplayed.
               ♠AQ4
               ♥KJ3
               ♦K876
               ♣Q52
♠T32         +-------+     ♠K95
♥T94         |   N   |     ♥Q872
♦JT2         | W   E |     ♦A54
♣A876        |   S   |     ♣KT3
             +-------+
               ♠J876
               ♥A65
               ♦Q93
               ♣J94"""
SIGNED = [
    " ".join(f"{sign}{cards}" for sign, cards in zip("♠♥♦♣", hand.split("."), strict=True))
    for hand in HANDS
]


@pytest.mark.parametrize(
    "text",
    [
        BOXED,
        "North {} East {} South {} West {}".format(*SIGNED),
        "N {}   E {}\nS {}   W {}".format(*SIGNED),
        "North: {}; East: {}; South: {}; West: {}".format(*SIGNED),
        "\n\n".join(one.replace(" ♦", "\n♦") for one in SIGNED),
        "\n".join(
            f"{name} | {hand.replace('.', ' | ')}" for name, hand in zip("NESW", HANDS, strict=True)
        ),
        "\n".join(
            f"{name}: {hand.replace('.', ', ').replace('T', '10')}"
            for name, hand in zip("NESW", HANDS, strict=True)
        ),
    ],
)
def test_all_four_hands_are_read(module, text):
    assert read(module, text)["hands"] == HANDS


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        (f"South - {HANDS[2]}\nNorth - {HANDS[0]}", [HANDS[0], "", HANDS[2], ""]),
        (f"N: {HANDS[0]}", [HANDS[0], "", "", ""]),
        (f"{HANDS[0]}\n{HANDS[2]}", [HANDS[0], "", HANDS[2], ""]),
        ("West        East\nAQ4         K95\nKJ3         Q872\nK876        A54\nQ52         KT3",
         ["", HANDS[1], "", HANDS[0]]),
        ("East (Smith)\n♠K95 ♥Q872\n♦A54 ♣K103\nNorth 15 HCP\n♠AQ4 ♥KJ3\n♦K876 ♣Q52",
         [HANDS[0], HANDS[1], "", ""]),
        ("North: AQ4/KJ3/K876/Q52\nEast: K95 / Q872 / A54 / K103", [HANDS[0], HANDS[1], "", ""]),
        ("North\nS AKQJT98765432\nWest\nH AKQJT98\nD AKQ\nC AKQ", [VOIDS[2], "", "", VOIDS[3]]),
    ],
)  # fmt: skip
def test_some_of_the_hands_are_read(module, text, hands):
    assert read(module, text)["hands"] == hands


@pytest.mark.parametrize(
    "text", [PLAIN, PLAIN.replace("\n", " "), "S AQ4\nH KJ3\nD K876\nC Q52", "AQ4;KJ3;K876;Q52"]
)
def test_one_hand_is_read_however_it_is_printed(module, text):
    assert read(module, text)["hand"] == HANDS[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("North\n♠ A K Q x\n♥ KJ3\n♦ K876\n♣ Q52", "diagram: North: “X” is no card of spades"),
        ("North\n♠ A K Q 4\n♥ KJ3\n♦ K876\n♣ Q52", "North: A hand has 13 cards"),
        ("North\n♠AQ4\n♥KJ3\n♦K876\n♣Q52\nNorth\n♠T32\n♥T94\n♦JT2\n♣A876",
         "two hands of North"),
        (f"N: {HANDS[0]}\nN: {HANDS[1]}", "one a line: There are two hands of North"),
        ("https://tinyurl.com/2p8abc", "This is a short link"),
        ("look at tinyurl.com/2p8abc", "paste the address that it leads to"),
        ("https://www.bridgebase.com/tools/handviewer.html?bbo=y&myhand=M-1234-5678",
         "let the hand viewer export the deal"),
        ("https://www.bridgebase.com/myhands/fetchlin.php?id=1&when_played=2", "paste the LIN"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(module, text, told):
    answer = module("deal/pasting", "readPasted", text)
    assert told in answer["error"]
