"""Starter table: Stayman, Jacoby transfers and invitations (content: ACBL SAYC booklet)."""

from .book import Book


def write_after_one_notrump(book: Book, prior: str) -> None:
    """Stayman, Jacoby transfers, invitations; also used where a one-notrump overcall is passed."""
    book.at(
        prior,
        """
        3S | Slam try | Six good spades | SL_S >= 6; HCP >= 15; SL_S > SL_H
        3H | Slam try | Six good hearts | SL_H >= 6; HCP >= 15; SL_H > SL_S
        2D | Transfer to hearts | Asks opener to bid hearts | SL_H >= 5; SL_H > SL_S
        2H | Transfer to spades | Asks opener to bid spades | SL_S >= 5
        2C | Stayman | Asks for a four-card major | HCP >= 8; SL_H == 4 or SL_S == 4
        6N | To play | Slam on points | HCP >= 18
        4N | Quantitative | Invites six notrump | HCP >= 16; HCP <= 17
        3N | To play | Game on points, no major | HCP >= 10; HCP <= 15
        3C | Invitation | Six good clubs | SL_C >= 6; HCP >= 6; Top2of3_C
        3D | Invitation | Six good diamonds | SL_D >= 6; HCP >= 6; Top2of3_D
        2S | Relay to clubs | Wants to play three of a minor | SL_C >= 6 or SL_D >= 6; HCP <= 7
        2N | Invitation | Balanced, no major | HCP >= 8; HCP <= 9
        P | Pass | No game, no long suit | HCP <= 7
        """,
    )
    book.at(
        f"{prior} 4N P",
        """
        6N | Accept | A maximum | HCP >= 17
        P | Decline | Not a maximum | HCP <= 16
        """,
    )
    book.at(
        f"{prior} 2N P",
        """
        3N | Accept | More than a minimum | HCP >= 16
        P | Decline | A minimum | HCP <= 15
        """,
    )
    book.at(f"{prior} 2S P", "3C | Relay | Forced | ")
    book.at(
        f"{prior} 2S P 3C P",
        """
        3D | To play | Six diamonds | SL_D >= 6; SL_D > SL_C
        P | To play | Six clubs | SL_C >= 6
        """,
    )
    for minor in "CD":
        book.at(
            f"{prior} 3{minor} P",
            """
            3N | Accept | A fitting honour | C_{m}A or C_{m}K or C_{m}Q; SL_{m} >= 2
            P | Decline | No fitting honour |
            """,
            m=minor,
        )
    for major in "HS":
        book.at(
            f"{prior} 3{major} P",
            """
            4{M} | Support | A fit | SL_{M} >= 3
            3N | No support | Two cards only | SL_{M} == 2
            """,
            M=major,
        )
        _after_transfer(book, prior, major)
    _after_stayman(book, prior)


def _after_stayman(book: Book, prior: str) -> None:
    book.at(
        f"{prior} 2C P",
        """
        2H | Four hearts | May hold four spades too | SL_H >= 4
        2S | Four spades | Denies four hearts | SL_S >= 4; SL_H <= 3
        2D | No major | Artificial | SL_H <= 3; SL_S <= 3
        """,
    )
    book.at(
        f"{prior} 2C P 2D P",
        """
        6N | To play | Slam on points | HCP >= 18
        4N | Quantitative | Invites six notrump | HCP >= 16; HCP <= 17
        3N | To play | Game without a major fit | HCP >= 10
        2N | Invitation | No major fit | HCP >= 8; HCP <= 9
        """,
    )
    for major in "HS":
        book.at(
            f"{prior} 2C P 2{major} P",
            """
            6{M} | To play | A fit and a slam on points | SL_{M} >= 4; HCP >= 18
            4{M} | To play | A fit and game | SL_{M} >= 4; HCP >= 10
            3{M} | Invitation | A fit | SL_{M} >= 4; HCP >= 8; HCP <= 9
            6N | To play | Slam on points, no fit | HCP >= 18
            4N | Quantitative | No fit, invites six notrump | HCP >= 16; HCP <= 17
            3N | To play | No fit for the major | HCP >= 10; HCP <= 15; SL_{M} <= 3
            2N | Invitation | No fit for the major | HCP >= 8; HCP <= 9; SL_{M} <= 3
            """,
            M=major,
        )
        book.at(
            f"{prior} 2C P 2{major} P 3{major} P",
            """
            4{M} | Accept | More than a minimum | HCP >= 16
            P | Decline | A minimum | HCP <= 15
            """,
            M=major,
        )
    for call in ("2D", "2H", "2S"):
        four_spades = "4S | Spade fit | Partner must hold four spades | SL_S >= 4"
        book.at(
            f"{prior} 2C P {call} P 2N P",
            (
                "3S | Spade fit | A minimum with four spades | SL_S >= 4; HCP <= 15\n"
                "4S | Spade fit | More than a minimum | SL_S >= 4\n"
                if call == "2H"
                else ""
            )
            + "3N | Accept | More than a minimum | HCP >= 16\n"
            + "P | Decline | A minimum | HCP <= 15",
        )
        if call == "2H":
            book.at(
                f"{prior} 2C P 2H P 3N P", f"{four_spades}\nP | Pass | No spade fit | SL_S <= 3"
            )


def _after_transfer(book: Book, prior: str, major: str) -> None:
    transfer = f"{prior} 2{'D' if major == 'H' else 'H'} P"
    book.at(
        transfer,
        """
        3{M} | Super-accept | A maximum with four cards | SL_{M} >= 4; HCP >= 17
        2{M} | Transfer completed | Any other hand | HCP <= 18
        """,
        M=major,
    )
    book.at(
        f"{transfer} 3{major} P",
        """
        4{M} | To play | Enough for game | HCP >= 5
        P | Pass | Nothing | HCP <= 4
        """,
        M=major,
    )
    book.at(
        f"{transfer} 2{major} P",
        """
        6{M} | To play | Slam on points | SL_{M} >= 6; HCP >= 17
        4{M} | To play | Six cards and game | SL_{M} >= 6; HCP >= 9
        3{M} | Invitation | Six cards | SL_{M} >= 6; HCP >= 7; HCP <= 8
        4N | Quantitative | Five cards, invites six notrump | SL_{M} == 5; HCP >= 16
        3N | Choice of games | Five cards | SL_{M} == 5; HCP >= 10; HCP <= 15
        2N | Invitation | Five cards | SL_{M} == 5; HCP >= 8; HCP <= 9
        P | Pass | No game | HCP <= 7
        """,
        M=major,
    )
    book.at(
        f"{transfer} 2{major} P 2N P",
        """
        4{M} | Accept | A fit and more than a minimum | SL_{M} >= 3; HCP >= 16
        3N | Accept | No fit, more than a minimum | SL_{M} <= 2; HCP >= 16
        3{M} | Decline | A fit, minimum | SL_{M} >= 3; HCP <= 15
        P | Decline | No fit, minimum | SL_{M} <= 2; HCP <= 15
        """,
        M=major,
    )
    book.at(
        f"{transfer} 2{major} P 3{major} P",
        """
        4{M} | Accept | More than a minimum | HCP >= 16
        P | Decline | A minimum | HCP <= 15
        """,
        M=major,
    )
    book.at(
        f"{transfer} 2{major} P 3N P",
        """
        4{M} | Correct | A fit | SL_{M} >= 3
        P | Pass | Two cards only | SL_{M} == 2
        """,
        M=major,
    )


def write_after_two_notrump(book: Book, prior: str) -> None:
    """Stayman and Jacoby transfers one level higher; also after 2C 2D 2N."""
    book.at(
        prior,
        """
        3D | Transfer to hearts | Asks opener to bid hearts | SL_H >= 5; SL_H > SL_S
        3H | Transfer to spades | Asks opener to bid spades | SL_S >= 5
        3C | Stayman | Asks for a four-card major | HCP >= 5; SL_H == 4 or SL_S == 4
        6N | To play | Slam on points | HCP >= 13
        4N | Quantitative | Invites six notrump | HCP >= 11; HCP <= 12
        3N | To play | Game, no major | HCP >= 5; HCP <= 10
        P | Pass | Nothing | HCP <= 4
        """,
    )
    book.at(
        f"{prior} 3C P",
        """
        3H | Four hearts | May hold four spades too | SL_H >= 4
        3S | Four spades | Denies four hearts | SL_S >= 4; SL_H <= 3
        3D | No major | Artificial | SL_H <= 3; SL_S <= 3
        """,
    )
    book.at(
        f"{prior} 3C P 3D P",
        """
        6N | To play | Slam on points | HCP >= 13
        3N | To play | No major fit | HCP <= 12
        """,
    )
    for major in "HS":
        book.at(
            f"{prior} 3C P 3{major} P",
            """
            6{M} | To play | A fit and a slam | SL_{M} >= 4; HCP >= 13
            4{M} | To play | A fit | SL_{M} >= 4
            6N | To play | Slam on points | HCP >= 13
            3N | To play | No fit | HCP <= 12; SL_{M} <= 3
            """,
            M=major,
        )
        transfer = f"{prior} 3{'D' if major == 'H' else 'H'} P"
        book.at(transfer, "3{M} | Transfer completed | Any hand |", M=major)
        book.at(
            f"{transfer} 3{major} P",
            """
            4{M} | To play | Six cards | SL_{M} >= 6; HCP >= 3
            3N | Choice of games | Five cards | SL_{M} == 5; HCP >= 5
            P | Pass | Nothing | HCP <= 4
            """,
            M=major,
        )
        book.at(
            f"{transfer} 3{major} P 3N P",
            """
            4{M} | Correct | A fit | SL_{M} >= 3
            P | Pass | Two cards only | SL_{M} <= 2
            """,
            M=major,
        )
