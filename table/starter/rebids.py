"""Starter table: opener's second call after a suit opening, and responder's answer to it.

Content: ACBL SAYC booklet.
"""

from .book import Book, Line, cheapest, game, strain_rank


def _new_suits(opening: str, response: str, prior: str) -> list[str]:
    """List opener's second suits after a one-level response: new suit, reverse, jump shift."""
    lines = []
    answered = response[1]
    for suit in "SHDC":
        if suit in (opening, answered):
            continue
        call = cheapest(prior, suit)
        held = f"SL_{suit} >= 4; SL_{suit} <= SL_{opening}"
        if call[0] == "1":
            lines.append(f"{call} | New suit | Natural | SL_{suit} >= 4; HCP <= 18")
            lines.append(
                f"{cheapest(prior, suit, jump=1)} | Jump shift | Game-forcing | "
                f"SL_{suit} >= 4; HCP >= 19"
            )
        elif strain_rank(suit) > strain_rank(opening):
            lines.append(f"{call} | Reverse | Forcing, extra values | {held}; HCP >= 17")
        else:
            jump = cheapest(prior, suit, jump=1)
            lines.append(f"{jump} | Jump shift | Game-forcing | {held}; HCP >= 19")
            lines.append(f"{call} | New suit | Natural | {held}; HCP <= 18")
    return lines


def write_rebids(book: Book, opening: str, response: str) -> None:
    """Write opener's second call after a response at the one level, and what follows."""
    prior = f"1{opening} P {response} P"
    suit = response[1]
    best = game(suit) if suit in "HS" else "3N"
    new_suits = _new_suits(opening, response, prior)
    one_level = "".join(f"{line}\n" for line in new_suits if line.startswith("1"))
    higher = "".join(f"{line}\n" for line in new_suits if not line.startswith("1"))
    book.at(
        prior,
        """\
{best} | Game raise | Enough for game | SL_{s} >= 4; Total_Points >= 19
3{s} | Jump raise | Invites game | SL_{s} >= 4; Total_Points >= 16; Total_Points <= 18
2N | Balanced | Too strong for one notrump | Balanced; HCP >= 18; HCP <= 19
2{s} | Raise | Four cards, minimum | SL_{s} >= 4; Total_Points <= 15
"""
        + one_level
        + "1N | Balanced | A minimum | Balanced; HCP <= 14\n"
        + higher
        + """\
3{o} | Jump rebid | Six cards, invitational | SL_{o} >= 6; HCP >= 16
2{o} | Rebid | A minimum with a long suit | SL_{o} >= 5; HCP <= 16
1N | One notrump | Nothing better to say | HCP <= 16
2N | Two notrump | Strong, nothing better to say | HCP >= 17
""",
        best=best,
        s=suit,
        o=opening,
    )
    _responder_rebids(book, prior, opening, suit)


def _responder_rebids(book: Book, prior: str, opening: str, suit: str) -> None:
    major = suit in "HS"
    best = game(suit) if major else "3N"
    book.at(
        f"{prior} 1N P",
        """
        {best} | To play | Six cards and game | SL_{s} >= 6; HCP >= 12
        3{s} | Invitation | Six cards | SL_{s} >= 6; HCP >= 10; HCP <= 11
        6N | To play | Slam on points | HCP >= 20
        3N | To play | Enough for game | HCP >= 13
        2N | Invitation | Asks for a maximum | HCP >= 11; HCP <= 12
        2{s} | To play | A long suit, no game | SL_{s} >= 5; HCP <= 10
        P | Pass | No game | HCP <= 10
        """,
        s=suit,
        best=best,
    )
    book.at(
        f"{prior} 1N P 2N P",
        "3N | Accept | A maximum | HCP >= 13\nP | Decline | A minimum | HCP <= 12",
    )
    book.at(
        f"{prior} 2{suit} P",
        """
        {best} | To play | Enough for game | Total_Points >= 13
        3{s} | Invitation | Asks for a maximum | Total_Points >= 11; Total_Points <= 12
        P | Pass | No game | Total_Points <= 10
        """,
        s=suit,
        best=best,
    )
    book.at(
        f"{prior} 2{suit} P 3{suit} P",
        """
        {best} | Accept | A maximum | Total_Points >= 14
        P | Decline | A minimum | Total_Points <= 13
        """,
        best=best,
    )
    book.at(
        f"{prior} 3{suit} P",
        """
        {best} | Accept | Enough opposite extra values | Total_Points >= 8
        P | Decline | A minimum | Total_Points <= 7
        """,
        best=best,
    )
    book.at(
        f"{prior} 2{opening} P",
        """
        {best} | To play | Six cards and game | SL_{s} >= 6; HCP >= 12
        3N | To play | Enough for game | HCP >= 13
        2N | Invitation | Asks for a maximum | HCP >= 11; HCP <= 12
        3{o} | Invitation | A fit | SL_{o} >= 3; HCP >= 10; HCP <= 12
        2{s} | To play | Six cards, no game | SL_{s} >= 6; HCP <= 10
        P | Pass | No game | HCP <= 10
        """
        if strain_rank(suit) > strain_rank(opening)
        else """
        3N | To play | Enough for game | HCP >= 13
        2N | Invitation | Asks for a maximum | HCP >= 11; HCP <= 12
        P | Pass | No game | HCP <= 10
        """,
        s=suit,
        o=opening,
        best=best,
    )
    book.at(
        f"{prior} 2{opening} P 2N P",
        "3N | Accept | More than a minimum | HCP >= 14\nP | Decline | A minimum | HCP <= 13",
    )
    book.at(
        f"{prior} 2N P",
        """
        {best} | To play | Six cards | SL_{s} >= 6; HCP >= 5
        6N | To play | Slam on points | HCP >= 15
        3N | To play | Game | HCP >= 6
        P | Pass | Nothing to spare | HCP <= 5
        """,
        s=suit,
        best=best,
    )
    book.at(
        f"{prior} 3{opening} P",
        """
        3N | To play | Enough for game | HCP >= 8
        P | Pass | A minimum | HCP <= 7
        """,
    )
    for line in book.places[tuple(prior.split())]:
        if line.name in ("New suit", "Reverse", "Jump shift"):
            _after_second_suit(book, f"{prior} {line.call} P", opening, suit, line)


def _after_second_suit(book: Book, prior: str, opening: str, suit: str, rebid: Line) -> None:
    """Responder places the contract after opener has shown two suits."""
    second = rebid.call[1]
    need = {"New suit": (13, 11), "Reverse": (9, 7), "Jump shift": (6, 6)}[rebid.name]
    level = int(rebid.call[0])
    fit = game(second) if second in "HS" else "3N"
    lines = []
    if fit != rebid.call:
        lines.append(f"{fit} | To play | A fit and game | SL_{second} >= 4; HCP >= {need[0]}")
    lines.append(f"3N | To play | Enough for game | HCP >= {need[0]}")
    if level == 1:
        lines.append(
            f"3{second} | Invitation | A fit | SL_{second} >= 4; HCP >= {need[1]}; "
            f"HCP <= {need[0] - 1}"
        )
        lines.append(f"2{second} | Raise | A fit | SL_{second} >= 4; HCP <= {need[1] - 1}")
    if level <= 2 and need[1] < need[0]:
        lines.append(f"2N | Invitation | No fit | HCP >= {need[1]}; HCP <= {need[0] - 1}")
    own = cheapest(prior, suit)
    lines.append(f"{own} | To play | A long suit | SL_{suit} >= 6")
    back = cheapest(prior, opening)
    lines.append(f"{back} | Preference | Three cards | SL_{opening} >= 3")
    if level == 1:
        lines.append("1N | To play | No fit | HCP <= 10")
    elif rebid.name == "New suit":
        lines.append(f"P | Pass | A fit, no game | SL_{second} >= 3")
        lines.append(f"{back} | Preference | Two cards |")
    else:
        lines.append(f"{back} | Preference | Nothing better |")
    book.at(prior, "\n".join(lines))
    if any(text.startswith("2N") for text in lines):
        book.at(
            f"{prior} 2N P",
            "3N | Accept | A maximum | HCP >= 14\nP | Decline | A minimum | HCP <= 13",
        )


def write_rebids_after_one_notrump(book: Book, opening: str) -> None:
    """Write opener's second call after a one-notrump response, and what follows."""
    prior = f"1{opening} P 1N P"
    lines = ["3N | To play | Balanced and strong | Balanced; HCP >= 19"]
    lines += ["2N | Invitation | Balanced | Balanced; HCP >= 17; HCP <= 18"]
    for suit in "SHDC":
        if suit == opening:
            continue
        held = f"SL_{suit} >= 4; SL_{suit} <= SL_{opening}"
        if strain_rank(suit) < strain_rank(opening):
            lines.append(f"3{suit} | Jump shift | Game-forcing | {held}; HCP >= 19")
            lines.append(f"2{suit} | New suit | Natural | {held}; HCP <= 18")
        elif suit != "S" or opening != "H":  # responder denied four spades
            lines.append(f"2{suit} | Reverse | Forcing, extra values | {held}; HCP >= 17")
    lines += [
        f"3{opening} | Jump rebid | Six cards, invitational | SL_{opening} >= 6; HCP >= 16",
        f"2{opening} | Rebid | Six cards, minimum | SL_{opening} >= 6; HCP <= 15",
        "2N | Invitation | Extra values | HCP >= 17",
        "P | Pass | A minimum, nothing better | HCP <= 16",
    ]
    book.at(prior, "\n".join(lines))
    book.at(
        f"{prior} 2N P",
        "3N | Accept | A maximum | HCP >= 8\nP | Decline | A minimum | HCP <= 7",
    )
    for line in book.places[tuple(prior.split())]:
        second = line.call[-1]
        if line.name == "Reverse":
            after = ["3N | To play | Enough for game | HCP >= 9"]
        elif line.name == "Jump shift":
            after = ["3N | To play | Game |"]
        else:
            continue
        if opening in "HS":
            after.insert(0, f"4{opening} | To play | Two cards | SL_{opening} >= 2; HCP >= 8")
        if second in "HS":
            after.insert(0, f"4{second} | To play | A fit | SL_{second} >= 4; HCP >= 8")
        if line.name == "Reverse":
            back = cheapest(f"{prior} {line.call} P", opening)
            after.append(f"{back} | Preference | No game opposite a minimum reverse |")
        book.at(f"{prior} {line.call} P", "\n".join(after))


def write_rebids_after_two_over_one(book: Book, opening: str, response: str) -> None:
    """Write natural rebids after a two-over-one, which promises ten points."""
    prior = f"1{opening} P {response} P"
    suit = response[1]
    lines = ["3N | Balanced | Extra values | Balanced; HCP >= 18; HCP <= 19"]
    for other in "SHDC":
        if other in (opening, suit):
            continue
        call = cheapest(prior, other)
        reverse = call[0] == "3" or strain_rank(other) > strain_rank(opening)
        extra = "; HCP >= 15" if reverse else ""
        lines.append(
            f"{call} | New suit | Natural and forcing | "
            f"SL_{other} >= 4; SL_{other} <= SL_{opening}{extra}"
        )
    lines += [
        f"3{opening} | Jump rebid | Six good cards, extra values | "
        f"SL_{opening} >= 6; HCP >= 16; Top2of3_{opening}",
        f"2{opening} | Rebid | Six cards | SL_{opening} >= 6",
        f"3{suit} | Raise | A fit | SL_{suit} >= 4",
        "2N | Balanced | No second suit | Balanced",
        f"2{opening} | Rebid | Nothing better to say | SL_{opening} >= 5",
        "2N | Balanced | Nothing better to say |",
    ]
    book.at(prior, "\n".join(lines))
    best = game(opening) if opening in "HS" else "3N"
    for line in {line.call: line for line in book.places[tuple(prior.split())]}.values():
        if line.call in ("3N", best):
            continue
        answers = []
        if opening in "HS":
            answers.append(f"{best} | To play | A fit | SL_{opening} >= 3; HCP >= 12")
            answers.append(
                f"{best} | To play | Eight cards together | SL_{opening} >= 2; HCP >= 12"
            )
            if line.call != f"2{opening}":
                answers.pop()
        answers.append("3N | To play | Enough for game | HCP >= 12")
        low = cheapest(f"{prior} {line.call} P", opening)
        if low[0] in "23" and line.call != low:
            answers.append(f"{low} | Preference | A minimum | SL_{opening} >= 2")
        if line.call == f"2{opening}":
            answers.append("2N | Invitation | A minimum | HCP <= 11")
        else:
            answers.append("P | Pass | A minimum | HCP <= 11")
        book.at(f"{prior} {line.call} P", "\n".join(answers))
