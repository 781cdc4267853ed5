"""Starter table, our side alone: openings, responses, rebids (content: ACBL SAYC booklet)."""

from functools import cache
from typing import Final

from .book import SUIT_WORDS, Book, Line, cheapest, game, independent, lines_of
from .notrump import write_after_one_notrump, write_after_two_notrump
from .rebids import (
    write_rebids,
    write_rebids_after_one_notrump,
    write_rebids_after_two_over_one,
)

_OTHER_MAJOR: Final = {"H": "S", "S": "H"}

_NOTRUMP_OPENINGS: Final = """
2C | Strong two clubs | Artificial and forcing | HCP >= 22
2N | Strong two notrump | Balanced | Balanced; HCP >= 20; HCP <= 21
1N | Strong notrump | Balanced, may hold a five-card major | Balanced; HCP >= 15; HCP <= 17
"""

_LONGEST_MAJOR: Final = {
    "S": "SL_S >= 5; SL_S >= SL_H; SL_S >= SL_D; SL_S >= SL_C",
    "H": "SL_H >= 5; SL_H > SL_S; SL_H >= SL_D; SL_H >= SL_C",
}
_MINOR: Final = {
    "D": "SL_D > SL_C and SL_D >= 3 or SL_D == SL_C and SL_D >= 4; "
    "SL_S <= 4 or SL_D > SL_S; SL_H <= 4 or SL_D > SL_H",
    "C": "SL_C > SL_D and SL_C >= 3 or SL_C == 3 and SL_D == 3; "
    "SL_S <= 4 or SL_C > SL_S; SL_H <= 4 or SL_C > SL_H",
}
_ENOUGH_TO_OPEN: Final = {
    1: "HCP >= 12 or HCP >= 10 and Rule_Of_20 >= 20; HCP <= 21",
    2: "HCP >= 12 or HCP >= 10 and Rule_Of_20 >= 20; HCP <= 21",
    3: "HCP >= 12 or HCP >= 10 and Rule_Of_20 >= 20; HCP <= 21",
    4: "HCP >= 13 or HCP >= 10 and Rule_Of_15 >= 15; HCP <= 21",
}
_PASS: Final = {
    1: "HCP <= 11; HCP <= 9 or Rule_Of_20 <= 19",
    2: "HCP <= 11; HCP <= 9 or Rule_Of_20 <= 19",
    3: "HCP <= 11; HCP <= 9 or Rule_Of_20 <= 19",
    4: "HCP <= 12; HCP <= 9 or Rule_Of_15 <= 14",
}
_WEAK_TWO: Final = """
2{M} | Weak two | Six good cards, no side suit | SL_{M} == 6; HCP >= 5; HCP <= 10; \
Top2of3_{M} or Top3of5_{M}; {others}
"""
_PREEMPTS: Final = """
4{M} | Preempt | Eight cards | SL_{M} >= 8; HCP >= 5; HCP <= 10
3{M} | Preempt | Seven good cards | SL_{M} == 7; HCP >= 5; HCP <= 9; Top2of4_{M}
"""
_MINOR_PREEMPT: Final = """
3{M} | Preempt | Seven good cards | SL_{M} >= 7; HCP >= 5; HCP <= 9; Top2of4_{M}
"""
_LIGHT_THIRD: Final = """
1{M} | Light major | A good five-card suit opposite a passed hand | SL_{M} >= 5; \
HCP >= 9; HCP <= 11; Top2of4_{M}; SL_{M} >= SL_{oM}
"""


@cache
def openings(seat: int) -> tuple[Line, ...]:
    """Lines of the first call that is not a pass, by the seat that makes it (1 to 4).

    Examples
    --------
    >>> [line.call for line in openings(4)][:4]
    ['2C', '2N', '1N', '1S']
    """
    lines = list(lines_of(_NOTRUMP_OPENINGS))
    for suit in "SH":
        needs = f"{_LONGEST_MAJOR[suit]}; {_ENOUGH_TO_OPEN[seat]}"
        lines += lines_of(f"1{suit} | Five-card major | Natural | {needs}")
    for suit in "DC":
        needs = f"{_MINOR[suit]}; {_ENOUGH_TO_OPEN[seat]}"
        lines += lines_of(f"1{suit} | Better minor | Natural | {needs}")
    if seat == 3:
        for suit in "SH":
            lines += lines_of(_LIGHT_THIRD, M=suit, oM=_OTHER_MAJOR[suit])
    if seat < 4:
        for suit in "SH":
            lines += lines_of(_PREEMPTS, M=suit)
        for suit in "DC":
            lines += lines_of(_MINOR_PREEMPT, M=suit)
        for suit in "SHD":
            side = [f"SL_{other} <= 3" for other in "SH" if other != suit]
            side += [f"SL_{other} >= 1" for other in "SHDC" if other != suit]
            lines += lines_of(_WEAK_TWO, M=suit, others="; ".join(side))
    lines += lines_of(f"P | Pass | Not enough to open | {_PASS[seat]}")
    return independent(tuple(lines))


def write_uncontested(book: Book) -> None:
    """Write all places after an opening where only our side bids."""
    write_after_one_notrump(book, "1N P")
    write_after_two_notrump(book, "2N P")
    _after_two_clubs(book)
    for major in "HS":
        _after_one_major(book, major)
    for minor in "CD":
        _after_one_minor(book, minor)
    for suit in "DHS":
        _after_weak_two(book, suit)
    for suit in "CDHS":
        book.at(
            f"3{suit} P",
            """
            {game} | To play | {why} | {needs}
            3N | To play | Stoppers and a fit for tricks | HCP >= 16; SL_{s} >= 2
            P | Pass | No game opposite a preempt |
            """,
            s=suit,
            game=game(suit),
            why="Support and tricks" if suit in "HS" else "A fit and a strong hand",
            needs=f"SL_{suit} >= 2; HCP >= 15" if suit in "HS" else f"SL_{suit} >= 3; HCP >= 19",
        )


# --- two clubs, weak twos ----------------------------------------------------------------------


def _after_two_clubs(book: Book) -> None:
    book.at(
        "2C P",
        """
        2H | Positive | Five good hearts | SL_H >= 5; HCP >= 8; Top2of3_H; SL_H > SL_S
        2S | Positive | Five good spades | SL_S >= 5; HCP >= 8; Top2of3_S
        3C | Positive | Five good clubs | SL_C >= 5; HCP >= 8; Top2of3_C
        3D | Positive | Six good diamonds | SL_D >= 6; HCP >= 8; Top2of3_D
        2N | Positive | Balanced | Balanced; HCP >= 8
        2D | Waiting | Artificial, any other hand |
        """,
    )
    book.at(
        "2C P 2D P",
        """
        2N | Balanced | Not forcing | Balanced; HCP >= 22; HCP <= 24
        3N | Balanced | To play | Balanced; HCP >= 25; HCP <= 27
        2S | Natural | Forcing | SL_S >= 5; SL_S >= SL_H; SL_S >= SL_D; SL_S >= SL_C
        2H | Natural | Forcing | SL_H >= 5; SL_H >= SL_D; SL_H >= SL_C
        3D | Natural | Forcing | SL_D >= 5; SL_D >= SL_C
        3C | Natural | Forcing | SL_C >= 5
        2N | Three-suiter | Best description of a singleton | HCP >= 22
        """,
    )
    write_after_two_notrump(book, "2C P 2D P 2N P")
    _after_positive(book)
    for major in "HS":
        other = _OTHER_MAJOR[major]
        book.at(
            f"2C P 2D P 2{major} P",
            """
            3{M} | Support | Forcing, some values | SL_{M} >= 3; HCP >= 5
            4{M} | Weak support | Nothing else | SL_{M} >= 3; HCP <= 4
            {oM} | Natural | Five cards | SL_{o} >= 5; HCP >= 4
            3N | Values | Scattered points, no fit | HCP >= 7
            2N | Weak | No fit | SL_{M} <= 2
            """,
            M=major,
            o=other,
            oM=cheapest(f"2{major}", other),
        )
        book.at(
            f"2C P 2D P 2{major} P 3{major} P",
            """
            6{M} | To play | Far more than promised | HCP >= 26
            4{M} | To play | Nothing extra | HCP <= 25
            """,
            M=major,
        )
        book.at(
            f"2C P 2D P 2{major} P 2N P",
            """
            4{M} | To play | Six cards | SL_{M} >= 6
            3N | To play | Five cards | SL_{M} == 5
            """,
            M=major,
        )


def _after_positive(book: Book) -> None:
    """Write opener's answer to a positive response to two clubs, and responder's choice."""
    for response in ("2H", "2S", "3C", "3D", "2N"):
        suit = response[1]
        prior = f"2C P {response} P"
        fit = f"SL_{suit} >= 3; " if suit != "N" else ""
        best = game(suit)
        lines = [f"6{suit} | To play | Slam opposite a positive | {fit}HCP >= 24"]
        if suit in "HS":
            lines.append(f"{best} | To play | A fit, no extra values | {fit}HCP <= 23")
        lines.append("6N | To play | Slam opposite a positive, no fit | HCP >= 26")
        lines.append("3N | To play | No fit | HCP >= 22")
        book.at(prior, "\n".join(lines))
        book.at(
            f"{prior} 3N P",
            "6N | To play | Enough for slam | HCP >= 12\nP | To play | No slam | HCP <= 11",
        )
    for minor in "CD":
        book.at(
            f"2C P 2D P 3{minor} P",
            """
            6{m} | To play | A fit and values | SL_{m} >= 4; HCP >= 7
            5{m} | To play | A fit, no stoppers to show | SL_{m} >= 4; HCP <= 6; Kings == 0
            3N | To play | Any other hand |
            """,
            m=minor,
        )


def _after_weak_two(book: Book, suit: str) -> None:
    major = suit in "HS"
    raise_to_game = (
        "{game} | To play | A fit and tricks | SL_{s} >= 3; HCP >= 15\n"
        "{game} | Preemptive raise | A ten-card fit | SL_{s} >= 4; HCP <= 10\n"
    )
    book.at(
        f"2{suit} P",
        (raise_to_game if major else "")
        + """\
2N | Asks for a feature | Game interest | HCP >= 15; SL_{s} >= 2
3N | To play | A long minor or stoppers everywhere | HCP >= 17
3{s} | Preemptive raise | Three cards, no game | SL_{s} >= 3; HCP <= 14
P | Pass | No game, no fit | HCP <= 16
""",
        s=suit,
        game=game(suit),
    )
    features = "\n".join(
        f"3{other} | Feature | A maximum with an honour in {SUIT_WORDS[other]} | "
        f"HCP >= 8; C_{other}A or C_{other}K"
        for other in "CDHS"
        if other != suit
    )
    book.at(
        f"2{suit} P 2N P",
        "3N | Running suit | Ace, king and queen of the suit | Top3of3_{s}\n"
        + features
        + "\n3{s} | No feature | A minimum, or nothing outside | HCP <= 10",
        s=suit,
    )
    for answer in (f"3{other}" for other in "CDHS" if f"3{other}" != f"3{suit}"):
        best = game(suit) if major else "3N"
        book.at(
            f"2{suit} P 2N P {answer} P",
            "{best} | To play | Game opposite a maximum |",
            best=best,
        )
    best = (
        f"{game(suit)} | To play | Enough anyway | HCP >= 17"
        if major
        else ("3N | To play | Enough anyway | HCP >= 18")
    )
    book.at(f"2{suit} P 2N P 3{suit} P", f"{best}\nP | To play | No game | HCP <= 17")


# --- one of a suit -----------------------------------------------------------------------------


def _after_one_major(book: Book, major: str) -> None:
    prior = f"1{major} P"
    one_spade = "1S | New suit | Natural and forcing | SL_S >= 4; HCP >= 6\n"
    two_hearts = "2H | New suit | Natural and forcing | SL_H >= 5; HCP >= 10\n"
    book.at(
        prior,
        """\
2N | Jacoby raise | Game-forcing, four-card support | SL_{M} >= 4; HCP >= 12; Total_Points >= 13
4{M} | Preemptive raise | Five cards and a short suit | SL_{M} >= 5; HCP <= 9; \
SL_C <= 1 or SL_D <= 1 or SL_{o} <= 1
3{M} | Limit raise | Invites game | SL_{M} >= 3; Total_Points >= 11; Total_Points <= 12; HCP <= 11
2{M} | Single raise | Three cards or more | SL_{M} >= 3; Total_Points >= 6; Total_Points <= 10
"""
        + (two_hearts if major == "S" else one_spade)
        + """\
3N | Balanced | Game, two-card support | Balanced; SL_{M} == 2; HCP >= 15; HCP <= 17
2D | New suit | Natural and forcing | SL_D >= 4; HCP >= 10; SL_D > SL_C
2C | New suit | Natural and forcing | HCP >= 10; SL_C >= 3
2D | New suit | Natural and forcing, may be three cards | HCP >= 10; SL_D >= 3
1N | One notrump | No fit, not enough for two of a suit | HCP >= 6; HCP <= 10
P | Pass | Too weak to respond | HCP <= 5
""",
        M=major,
        o=_OTHER_MAJOR[major],
    )
    book.at(
        f"{prior} 2{major} P",
        """
        4{M} | To play | Enough for game | Total_Points >= 19
        3{M} | Invitation | Asks for a maximum | Total_Points >= 16; Total_Points <= 18
        P | Pass | No game | Total_Points <= 15
        """,
        M=major,
    )
    book.at(
        f"{prior} 2{major} P 3{major} P",
        """
        4{M} | Accept | A maximum | Total_Points >= 8
        P | Decline | A minimum | Total_Points <= 7
        """,
        M=major,
    )
    book.at(
        f"{prior} 3{major} P",
        """
        4{M} | Accept | More than a minimum | Total_Points >= 14
        P | Decline | A minimum | Total_Points <= 13
        """,
        M=major,
    )
    _after_jacoby(book, major)
    for response in ("1S",) if major == "H" else ():
        write_rebids(book, major, response)
    for response in ("2C", "2D", *(("2H",) if major == "S" else ())):
        write_rebids_after_two_over_one(book, major, response)
    write_rebids_after_one_notrump(book, major)


def _after_jacoby(book: Book, major: str) -> None:
    prior = f"1{major} P 2N P"
    short = "\n".join(
        f"3{suit} | Short suit | At most one {SUIT_WORDS[suit][:-1]} | SL_{suit} <= 1"
        for suit in "CDHS"
        if suit != major
    )
    book.at(
        prior,
        short
        + """
        3{M} | Extra values | No short suit, slam interest | HCP >= 17
        3N | Some extra values | No short suit | HCP >= 15; HCP <= 16
        4{M} | Minimum | No short suit | HCP <= 14
        """,
        M=major,
    )
    rebids = [f"3{suit}" for suit in "CDHS"] + ["3N"]
    for rebid in rebids:
        book.at(
            f"{prior} {rebid} P",
            """
            4N | Blackwood | Asks for aces | HCP >= 16
            4{M} | To play | No slam interest | HCP <= 15
            """,
            M=major,
        )
        _blackwood(book, f"{prior} {rebid} P 4N P", major)


def _blackwood(book: Book, prior: str, trumps: str) -> None:
    """Aces by steps; partner bids slam unless two are missing."""
    book.at(
        prior,
        """
        5C | No ace or four | Answer to Blackwood | Aces == 0 or Aces == 4
        5D | One ace | Answer to Blackwood | Aces == 1
        5H | Two aces | Answer to Blackwood | Aces == 2
        5S | Three aces | Answer to Blackwood | Aces == 3
        """,
    )
    for aces, answer in ((0, "5C"), (1, "5D"), (2, "5H"), (3, "5S")):
        stop = f"5{trumps}" if f"5{trumps}" != answer else "P"
        if answer == "5S" and trumps == "H":
            stop = "6H"
        book.at(
            f"{prior} {answer} P",
            "7{t} | To play | All aces, slam to spare | Aces >= {all}; HCP >= 21\n"
            "6{t} | To play | At most one ace is missing | Aces >= {most}\n"
            + ("{stop} | To play | Two aces are missing | Aces <= {few}" if aces < 3 else ""),
            t=trumps,
            stop=stop,
            all=str(4 - aces),
            most=str(max(0, 3 - aces)),
            few=str(max(0, 2 - aces)),
        )


def _after_one_minor(book: Book, minor: str) -> None:
    prior = f"1{minor} P"
    diamonds_first = (
        "1D | New suit | Natural and forcing, may hold a major too | "
        "SL_D >= 4; SL_D >= SL_H; SL_D >= SL_S; HCP >= 6; SL_H >= 4 or SL_S >= 4\n"
    )
    one_diamond = "1D | New suit | Natural and forcing, no four-card major | SL_D >= 4; HCP >= 6\n"
    two_clubs = "2C | New suit | Natural and forcing | SL_C >= 4; HCP >= 10\n"
    support = 5 if minor == "C" else 4
    book.at(
        prior,
        """\
2S | Strong jump shift | Slam interest | SL_S >= 5; HCP >= 17
2H | Strong jump shift | Slam interest | SL_H >= 5; HCP >= 17
"""
        + (diamonds_first if minor == "C" else "")
        + """\
1H | New suit | Natural and forcing | SL_H >= 4; HCP >= 6; SL_H > SL_S or SL_S == 4
1S | New suit | Natural and forcing | SL_S >= 4; HCP >= 6
3N | Balanced | Game, no major | Balanced; HCP >= 16; HCP <= 18
2N | Balanced | Game-forcing, no major | Balanced; HCP >= 13; HCP <= 15
"""
        + (one_diamond if minor == "C" else two_clubs)
        + """\
3{m} | Limit raise | Invites game | SL_{m} >= {n}; HCP >= 10; HCP <= 12
2{m} | Single raise | No major | SL_{m} >= {n}; HCP >= 6; HCP <= 9
1N | One notrump | No major, no fit | HCP >= 6; HCP <= 10
2N | Balanced | Near enough balanced | HCP >= 11; HCP <= 15
3N | Balanced | Near enough balanced | HCP >= 16
P | Pass | Too weak to respond | HCP <= 5
""",
        m=minor,
        n=str(support),
    )
    for response in ("1D", "1H", "1S") if minor == "C" else ("1H", "1S"):
        write_rebids(book, minor, response)
    if minor == "D":
        write_rebids_after_two_over_one(book, "D", "2C")
    write_rebids_after_one_notrump(book, minor)
    book.at(
        f"{prior} 2{minor} P",
        """
        3N | To play | Balanced and strong | Balanced; HCP >= 18
        2N | Invitation | Balanced | Balanced; HCP >= 16
        3{m} | Invitation | Long suit | SL_{m} >= 5; HCP >= 16
        P | Pass | No game | HCP <= 17
        """,
        m=minor,
    )
    book.at(
        f"{prior} 3{minor} P",
        """
        3N | To play | Enough for game | HCP >= 14
        5{m} | To play | Shapely | SL_{m} >= 6; HCP >= 15
        P | Pass | A minimum | HCP <= 14
        """,
        m=minor,
    )
    book.at(
        f"{prior} 2N P",
        """
        6N | To play | Slam on points | HCP >= 20
        3N | To play | Game |
        """,
    )
