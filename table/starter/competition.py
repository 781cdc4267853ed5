"""Starter table, both sides bidding: overcalls, doubles and what partners do about them.

Content: ACBL SAYC booklet.
"""

from .book import Book, cheapest, game, strain_rank
from .notrump import write_after_one_notrump

_SUITS = "CDHS"


def write_competition(book: Book) -> None:
    """Write the places where the other side enters, directly over the opening."""
    for suit in _SUITS:
        _over_one_of_a_suit(book, suit)
        _after_two_suiter(book, suit)
        _after_takeout_double(book, suit)
        _after_their_double(book, suit)
        write_after_one_notrump(book, f"1{suit} 1N P")
        for overcall in _overcalls(suit):
            _after_partners_overcall(book, suit, overcall)
            _after_their_overcall(book, suit, overcall)
    _over_one_notrump(book)
    for suit in "DHS":
        _over_weak_two(book, suit)


def _overcalls(opening: str) -> list[str]:
    """Cheapest overcalls in the other three suits."""
    return [cheapest(f"1{opening}", suit) for suit in "SHDC" if suit != opening]


def _shortest_first(unbid: str, least: int) -> str:
    return "; ".join(f"SL_{suit} >= {least}" for suit in unbid)


def _over_one_of_a_suit(book: Book, opening: str) -> None:
    unbid = [suit for suit in _SUITS if suit != opening]
    low, middle = unbid[0], unbid[1]
    cue_suits = "HS" if opening in "CD" else ("S" if opening == "H" else "H")
    if opening in "CD":
        michaels = "SL_H >= 5; SL_S >= 5; HCP >= 8; HCP <= 11 or HCP >= 16"
    else:
        michaels = f"SL_{cue_suits} >= 5; SL_C >= 5 or SL_D >= 5; HCP >= 8; HCP <= 11 or HCP >= 16"
    lines = [
        f"2{opening} | Michaels | Artificial, two five-card suits | {michaels}",
        f"2N | Unusual notrump | The two lowest unbid suits | "
        f"SL_{low} >= 5; SL_{middle} >= 5; HCP >= 8",
        "X | Strong double | Too strong for anything else | HCP >= 19",
        f"1N | Strong overcall | Balanced with a stopper | Balanced; Stopper_{opening}; "
        "HCP >= 15; HCP <= 18",
        "X | Strong double | Too strong for an overcall | HCP >= 17",
    ]
    for overcall in _overcalls(opening):
        suit = overcall[1]
        longest = "; ".join(
            f"SL_{suit} {'>=' if strain_rank(suit) > strain_rank(other) else '>'} SL_{other}"
            for other in unbid
            if other != suit
        )
        if overcall[0] == "1":
            needs = f"SL_{suit} >= 5; HCP >= 8; HCP <= 16; HCP_{suit} >= 3; {longest}"
        else:
            needs = (
                f"SL_{suit} >= 6 or SL_{suit} == 5 and Top2of4_{suit}; "
                f"HCP >= 11; HCP <= 16; {longest}"
            )
        lines.append(f"{overcall} | Overcall | Natural | {needs}")
    for suit in unbid:
        jump = cheapest(f"1{opening}", suit, jump=1)
        lines.append(
            f"{jump} | Weak jump overcall | A long suit and little else | "
            f"SL_{suit} >= {6 if jump[0] == '2' else 7}; HCP >= 5; HCP <= 10; Top2of4_{suit}"
        )
    lines.append(
        f"X | Takeout double | Short in their suit | SL_{opening} <= 2; "
        f"HCP >= 12; {_shortest_first(''.join(unbid), 3)}"
    )
    book.at(f"1{opening}", "\n".join(lines))
    balancing = [
        f"1N | Balancing notrump | Balanced with a stopper | Balanced; "
        f"Likely_Stopper_{opening}; HCP >= 10; HCP <= 14",
        "X | Balancing double | A strong hand | HCP >= 16",
    ]
    for overcall in _overcalls(opening):
        suit = overcall[1]
        least = 7 if overcall[0] == "1" else 9
        balancing.append(
            f"{overcall} | Balancing overcall | Natural, may be light | "
            f"SL_{suit} >= 5; HCP >= {least}; HCP <= 15"
        )
    balancing.append(
        f"X | Balancing double | Short in their suit | SL_{opening} <= 3; HCP >= 9; "
        f"{_shortest_first(''.join(unbid), 3)}"
    )
    book.at(f"1{opening} P P", "\n".join(balancing))


def _after_two_suiter(book: Book, opening: str) -> None:
    """Advances of Michaels and the unusual notrump."""
    unbid = [suit for suit in _SUITS if suit != opening]
    low, middle = unbid[0], unbid[1]
    prior = f"1{opening} 2{opening} P"
    if opening in "CD":
        book.at(
            prior,
            """
            4S | To play | A fit and game | SL_S >= 3; HCP >= 13; SL_S >= SL_H
            4H | To play | A fit and game | SL_H >= 3; HCP >= 13; SL_H > SL_S
            2S | Preference | The longer major | SL_S >= SL_H
            2H | Preference | The longer major | SL_H > SL_S
            """,
        )
    else:
        other = "S" if opening == "H" else "H"
        book.at(
            prior,
            """
            4{o} | To play | A fit and game | SL_{o} >= 3; HCP >= 12
            {two} | Preference | Three cards | SL_{o} >= 3
            2N | Asks for the minor | No fit for the major | SL_{o} <= 2
            """,
            o=other,
            two=cheapest(prior, other),
        )
        book.at(
            f"{prior} 2N P",
            """
            3C | Clubs | Five clubs | SL_C >= 5; SL_C >= SL_D
            3D | Diamonds | Five diamonds | SL_D >= 5; SL_D > SL_C
            """,
        )
    book.at(
        f"1{opening} 2N P",
        """
        {game} | To play | A fit and game | SL_{m} >= 4; HCP >= 13
        3{m} | Preference | The longer of the two suits | SL_{m} >= SL_{l}
        3{l} | Preference | The longer of the two suits | SL_{l} > SL_{m}
        """,
        l=low,
        m=middle,
        game=game(middle),
    )


def _after_new_suit(book: Book, prior: str, opening: str, call: str, theirs: str) -> None:
    """Write opener's rebid after responder's forcing new suit over an overcall."""
    place = f"{prior} {call} P"
    suit = call[1]
    best = game(suit) if suit in "HS" else "3N"
    held = 4 if call[0] == "1" else 3
    notrump = cheapest(place, "N")
    lines = [
        f"{best} | Game raise | Enough for game | SL_{suit} >= {held}; Total_Points >= 19",
        f"{cheapest(place, suit)} | Raise | A fit | SL_{suit} >= {held}; Total_Points <= 18",
        f"3N | To play | Strong with a stopper | Balanced; HCP >= 18; Stopper_{theirs}",
        f"{notrump} | Natural | Balanced with a stopper | Stopper_{theirs}; Balanced",
    ]
    for other in "SHDC":
        second = cheapest(place, other)
        if other not in (opening, suit, theirs) and second[0] in "12":
            lines.append(f"{second} | New suit | Natural | SL_{other} >= 4")
    lines.append(f"{cheapest(place, opening)} | Rebid | Nothing better to say |")
    book.at(place, "\n".join(lines))
    _close_to_game(book, place, opening, suit, theirs, 12 if call[0] == "2" else 13)


def _close_to_game(
    book: Book, place: str, opening: str, suit: str, theirs: str, enough: int
) -> None:
    """Responder's last word: game with the values for it, else a pass."""
    for call in {line.call: None for line in book.places[tuple(place.split())]}:
        if call == "P" or call in ("3N", "4H", "4S") or call[0] in "45":
            continue
        shown = call[1]
        lines = []
        if shown in "HS" and shown != opening:
            held = 4 if shown != suit else 1
            lines.append(
                f"4{shown} | To play | A fit and game | SL_{shown} >= {held}; HCP >= {enough}"
            )
        if suit in "HS" and shown != suit:
            lines.append(f"4{suit} | To play | A long suit | SL_{suit} >= 6; HCP >= {enough}")
        if opening in "HS":
            lines.append(f"4{opening} | To play | A fit | SL_{opening} >= 3; HCP >= {enough}")
        if shown != "N":
            lines.append(
                f"3N | To play | Stopper and game values | Stopper_{theirs}; HCP >= {enough}"
            )
            lines.append(f"3N | To play | Strong, hopes for a stopper | HCP >= {enough + 2}")
        else:
            lines.append(f"3N | To play | Enough for game | HCP >= {enough}")
        lines.append(f"P | Pass | No game | HCP <= {enough + 1}")
        book.at(f"{place} {call} P", "\n".join(lines))


# --- partner has acted over their opening --------------------------------------------------------


def _after_partners_overcall(book: Book, opening: str, overcall: str) -> None:
    prior = f"1{opening} {overcall} P"
    suit = overcall[1]
    cue = cheapest(prior, opening)
    jump = f"{int(overcall[0]) + 2}{suit}"
    single = f"{int(overcall[0]) + 1}{suit}"
    best = game(suit) if suit in "HS" else "3N"
    lines = []
    if suit in "HS":
        lines.append(
            f"{best} | To play | A fit and game values | SL_{suit} >= 3; Total_Points >= 14"
        )
        lines.append(f"{best} | Preemptive raise | Five-card support | SL_{suit} >= 5; HCP <= 9")
    lines += [
        f"{cue} | Cue bid | A limit raise or better | SL_{suit} >= 3; Total_Points >= 11",
        f"{jump} | Preemptive raise | Four-card support | SL_{suit} >= 4; HCP <= 8"
        if jump[0] in "34" and jump != best
        else "",
        f"{single} | Raise | Three cards | SL_{suit} >= 3; Total_Points >= 7; Total_Points <= 10",
    ]
    for other in "SHDC":
        if other in (opening, suit):
            continue
        call = cheapest(prior, other)
        if call[0] in "12":
            least = 8 if call[0] == "1" else 10
            lines.append(f"{call} | New suit | Natural | SL_{other} >= 5; HCP >= {least}")
    stopper = f"Stopper_{opening}"
    lines.append(f"3N | To play | Stopper and game values | {stopper}; HCP >= 15")
    if overcall[0] == "1":
        lines.append(f"2N | Invitation | Stopper | {stopper}; HCP >= 12; HCP <= 14")
        lines.append(f"1N | Natural | Stopper | {stopper}; HCP >= 8; HCP <= 11")
    else:
        lines.append(f"2N | Invitation | Stopper | {stopper}; HCP >= 11; HCP <= 14")
    lines.append("P | Pass | No fit, or too weak | HCP <= 14")
    book.at(prior, "\n".join(line for line in lines if line))
    lowest = cheapest(f"{prior} {cue} P", suit)
    book.at(
        f"{prior} {cue} P",
        """
        {best} | To play | Enough for game | HCP >= 13{stop}
        {lowest} | Minimum | No game opposite a limit raise | HCP <= 16
        """,
        best=best,
        stop="" if suit in "HS" else f"; {stopper}",
        lowest=lowest,
    )
    if lowest != best:
        back = "HCP >= 13" if suit in "HS" else f"HCP >= 14; {stopper}"
        book.at(
            f"{prior} {cue} P {lowest} P",
            f"{best} | To play | Game opposite a minimum | {back}\n"
            "P | Pass | A limit raise only | HCP <= 15",
        )


def _after_takeout_double(book: Book, opening: str) -> None:
    prior = f"1{opening} X P"
    unbid = [suit for suit in "SHDC" if suit != opening]
    lines = [
        f"P | Penalty pass | Long and strong in their suit | SL_{opening} >= 5; Top3of5_{opening}; "
        "HCP >= 8"
    ]
    for suit in "SH":
        if suit != opening:
            lines.append(
                f"4{suit} | To play | Game in a major | SL_{suit} >= 4; HCP >= 12; "
                f"{'SL_S >= SL_H' if suit == 'S' and opening != 'H' else f'SL_{suit} >= 4'}"
            )
    lines.append(f"3N | To play | Stopper and game values | Stopper_{opening}; HCP >= 13")
    lines.append(f"2{opening} | Cue bid | Game values without a clear bid | HCP >= 12")
    lines.append(f"2N | Natural | Stopper, invitational | Stopper_{opening}; HCP >= 11")
    for suit in unbid:
        jump = cheapest(prior, suit, jump=1)
        lines.append(
            f"{jump} | Jump advance | Invitational | SL_{suit} >= 4; HCP >= 9; HCP <= 11"
            + _best_of(suit, unbid)
        )
    lines.append(f"1N | Natural | Stopper | Stopper_{opening}; HCP >= 6; HCP <= 10; "
                 + "; ".join(f"SL_{suit} <= 4" for suit in unbid))  # fmt: skip
    for suit in unbid:
        lines.append(
            f"{cheapest(prior, suit)} | Advance | May be very weak | HCP <= 11"
            + _best_of(suit, unbid)
        )
    book.at(prior, "\n".join(lines))
    for suit in unbid:
        advance = cheapest(prior, suit)
        best = game(suit) if suit in "HS" else "3N"
        raised = f"{int(advance[0]) + 1}{suit}"
        after = [
            f"{best} | To play | Enough for game alone | SL_{suit} >= 4; HCP >= 20",
            f"{raised} | Raise | Invites game | SL_{suit} >= 4; HCP >= 16; HCP <= 19",
            f"{cheapest(f'{prior} {advance} P', 'N')} | Strong notrump | "
            f"Too strong to overcall one notrump | Balanced; HCP >= 18; Stopper_{opening}",
        ]
        for other in unbid:
            call = cheapest(f"{prior} {advance} P", other)
            if other != suit and call[0] in "12":
                after.append(f"{call} | Strong suit | Too strong to overcall | "
                             f"SL_{other} >= 5; HCP >= 17")  # fmt: skip
        after.append("P | Pass | Nothing extra | HCP <= 18")
        book.at(f"{prior} {advance} P", "\n".join(after))
    book.at(
        f"{prior} 2{opening} P",
        "\n".join(
            f"{cheapest(f'{prior} 2{opening} P', suit)} | Best suit | Answers the cue bid | "
            f"SL_{suit} >= 4"
            for suit in unbid
        )
        + "\n2N | Balanced | No four-card suit to show | ",
    )
    _after_cue_bid_answers(book, prior, opening, unbid)


def _after_cue_bid_answers(book: Book, prior: str, opening: str, unbid: list[str]) -> None:
    cue = f"{prior} 2{opening} P"
    for answer in [*(cheapest(cue, suit) for suit in unbid), "2N"]:
        suit = answer[1]
        lines = [f"{game(suit)} | To play | A fit | SL_{suit} >= 4"] if suit in "HS" else []
        lines.append("3N | To play | No major fit | ")
        book.at(f"{cue} {answer} P", "\n".join(lines))


def _best_of(suit: str, unbid: list[str]) -> str:
    """Longest of the unbid suits, the higher of equals."""
    return "".join(
        f"; SL_{suit} {'>=' if strain_rank(suit) > strain_rank(other) else '>'} SL_{other}"
        for other in unbid
        if other != suit
    )


# --- they have acted over our opening ------------------------------------------------------------


def _after_their_overcall(book: Book, opening: str, overcall: str) -> None:
    prior = f"1{opening} {overcall}"
    theirs = overcall[1]
    majors = [suit for suit in "SH" if suit not in (opening, theirs)]
    cue = cheapest(prior, theirs)
    support = 3 if opening in "HS" else 4 if opening == "D" else 5
    raised = cheapest(prior, opening)
    jump = cheapest(prior, opening, jump=1)
    best = game(opening) if opening in "HS" else "3N"
    lines = []
    if opening in "HS":
        lines.append(f"{best} | Preemptive raise | Five-card support | SL_{opening} >= 5; HCP <= 9")
    lines.append(
        f"{cue} | Cue bid | A fit and game values | SL_{opening} >= {support}; Total_Points >= 13"
    )
    lines.append(
        f"{jump} | Limit raise | Invites game | SL_{opening} >= {support}; "
        "Total_Points >= 11; Total_Points <= 12"
    )
    if opening in "HS":
        lines.append(
            f"{raised} | Raise | Competitive | SL_{opening} >= {support}; "
            "Total_Points >= 6; Total_Points <= 10"
        )
    for suit in "SHDC":
        if suit in (opening, theirs):
            continue
        call = cheapest(prior, suit)
        if call[0] == "1":
            # over one heart, one spade shows five: with four there is the double
            held = 5 if suit == "S" and theirs == "H" else 4
            lines.append(f"{call} | New suit | Natural and forcing | SL_{suit} >= {held}; HCP >= 6")
        elif call[0] == "2":
            lines.append(f"{call} | New suit | Natural and forcing | SL_{suit} >= 5; HCP >= 11")
    if majors:
        shown = " or ".join(f"SL_{suit} >= 4" for suit in majors)
        least = 6 if overcall[0] == "1" else 8
        lines.append(f"X | Negative double | Four cards in an unbid major | {shown}; "
                     f"HCP >= {least}")  # fmt: skip
    stop = f"Stopper_{theirs}"
    lines.append(f"3N | To play | Stopper and game values | {stop}; HCP >= 13")
    lines.append(f"2N | Invitation | Stopper | {stop}; HCP >= 11; HCP <= 12")
    if overcall[0] == "1":
        lines.append(f"1N | Natural | Stopper | {stop}; HCP >= 6; HCP <= 10")
    if opening in "CD":
        lines.append(
            f"{raised} | Raise | Competitive | SL_{opening} >= {support}; HCP >= 6; HCP <= 10"
        )
    lines.append("X | Negative double | Values, nothing better to say | HCP >= 11")
    lines.append("P | Pass | Too weak, or waiting for partner's double | HCP <= 10")
    book.at(prior, "\n".join(lines))
    _after_negative_double(book, prior, opening, theirs, majors)
    for line in lines:
        call, name = (part.strip() for part in line.split("|")[:2])
        if name == "New suit":
            _after_new_suit(book, prior, opening, call, theirs)
    if best != jump:
        book.at(
            f"{prior} {cue} P",
            f"{best} | To play | Game |" if opening in "HS" else
            f"3N | To play | Stopper | {stop}\n"
            f"{cheapest(f'{prior} {cue} P', opening)} | Rebid | No stopper |",
        )  # fmt: skip
        book.at(
            f"{prior} {jump} P",
            f"{best} | Accept | More than a minimum | Total_Points >= 14"
            + ("" if opening in "HS" else f"; {stop}")
            + "\nP | Decline | A minimum | HCP <= 15",
        )


def _after_negative_double(
    book: Book, prior: str, opening: str, theirs: str, majors: list[str]
) -> None:
    place = f"{prior} X P"
    lines = []
    for major in majors:
        call = cheapest(place, major)
        lines.append(f"{game(major)} | Game | A fit and a strong hand | SL_{major} >= 4; HCP >= 19")
        jump = f"{int(call[0]) + 1}{major}"
        if jump != game(major):
            lines.append(f"{jump} | Jump | Invites game | SL_{major} >= 4; HCP >= 16; HCP <= 18")
        lines.append(f"{call} | Fit | A minimum | SL_{major} >= 4; HCP <= 15")
    low = cheapest(place, "N")
    lines += [
        f"3N | To play | Long suit and a stopper | Stopper_{theirs}; HCP >= 19",
        f"{low} | Natural | Balanced with a stopper | Balanced; Stopper_{theirs}; HCP <= 18",
        f"{cheapest(place, opening, jump=1)} | Jump rebid | Six cards, invitational | "
        f"SL_{opening} >= 6; HCP >= 16",
    ]
    for suit in "SHDC":
        call = cheapest(place, suit)
        if suit not in (opening, theirs, *majors) and call[0] in "12":
            lines.append(f"{call} | New suit | Natural | SL_{suit} >= 4; HCP <= 18")
    lines.append(f"{cheapest(place, opening)} | Rebid | Nothing better to say |")
    book.at(place, "\n".join(lines))
    _close_to_game(book, place, opening, majors[0] if majors else opening, theirs, 13)


def _after_their_double(book: Book, opening: str) -> None:
    prior = f"1{opening} X"
    support = 3 if opening in "HS" else 4 if opening == "D" else 5
    lines = [
        f"2N | Jordan | A limit raise or better | SL_{opening} >= {support + 1}; HCP >= 10",
        f"3{opening} | Preemptive raise | A long fit and little else | "
        f"SL_{opening} >= {support + 1}; HCP <= 9; Total_Points >= 5",
        f"2{opening} | Raise | Competitive | SL_{opening} >= {support}; HCP >= 6; HCP <= 9",
        "XX | Redouble | Strength, usually no fit | HCP >= 10",
    ]
    for suit in "SHDC":
        if suit == opening:
            continue
        call = cheapest(prior, suit)
        held, least = (4, 6) if call[0] == "1" else (6, 6)
        lines.append(f"{call} | New suit | Natural | SL_{suit} >= {held}; HCP >= {least}; HCP <= 9")
    lines.append("1N | Natural | No fit | HCP >= 7; HCP <= 9")
    lines.append("P | Pass | Too weak | HCP <= 9")
    book.at(prior, "\n".join(lines))
    best = game(opening) if opening in "HS" else "3N"
    book.at(
        f"{prior} 2N P",
        f"{best} | To play | Enough opposite a limit raise | Total_Points >= 14\n"
        f"3{opening} | Minimum | No game | Total_Points <= 13",
    )


# --- over their notrump and weak two -----------------------------------------------------------


def _over_one_notrump(book: Book) -> None:
    lines = ["X | Penalty double | As strong as the opening | HCP >= 16"]
    for suit in "SHDC":
        lines.append(
            f"2{suit} | Overcall | Natural, a good suit | SL_{suit} >= 6 or "
            f"SL_{suit} == 5 and Top3of5_{suit}; HCP >= 8; HCP <= 15"
        )
    book.at("1N", "\n".join(lines))
    for suit in "SHDC":
        natural = [
            f"4{major} | To play | A six-card suit and game | SL_{major} >= 6; HCP >= 9"
            for major in "SH"
            if major != suit
        ]
        natural += [
            f"X | Penalty double | Strength and their suit | SL_{suit} >= 4; HCP >= 8",
            f"3N | To play | Stopper and game values | Stopper_{suit}; HCP >= 10",
            "2N | Invitation | Balanced values | HCP >= 8; HCP <= 9",
        ]
        for own in "SHD":
            if strain_rank(own) > strain_rank(suit):
                natural.append(f"2{own} | To play | A five-card suit | SL_{own} >= 5; HCP <= 8")
        natural += [
            "3N | To play | Hopes for a stopper | HCP >= 10",
            "P | Pass | Too weak | HCP <= 7",
        ]
        book.at(f"1N 2{suit}", "\n".join(natural))


def _over_weak_two(book: Book, suit: str) -> None:
    unbid = [other for other in "SHDC" if other != suit]
    prior = f"2{suit}"
    lines = [
        "X | Strong double | Too strong for an overcall | HCP >= 19",
        f"2N | Strong overcall | Balanced with a stopper | Balanced; Stopper_{suit}; "
        "HCP >= 15; HCP <= 18",
    ]
    for other in unbid:
        call = cheapest(prior, other)
        least = 11 if call[0] == "2" else 13
        lines.append(
            f"{call} | Overcall | Natural, a good suit | SL_{other} >= 6 or "
            f"SL_{other} == 5 and Top2of4_{other}; HCP >= {least}; HCP <= 18"
        )
    lines.append(
        f"X | Takeout double | Short in their suit | SL_{suit} <= 2; HCP >= 12; "
        f"{_shortest_first(''.join(unbid), 3)}"
    )
    book.at(prior, "\n".join(lines))
    advance = [
        f"4{major} | To play | Game in a major | SL_{major} >= 4; HCP >= 11"
        for major in "SH"
        if major != suit
    ]
    advance.append(f"3N | To play | Stopper and game values | Stopper_{suit}; HCP >= 12")
    for other in unbid:
        advance.append(
            f"{cheapest(f'{prior} X P', other)} | Advance | Longest suit | SL_{other} >= 3"
            + _best_of(other, unbid)
        )
    advance.append(f"P | Penalty pass | Long in their suit | SL_{suit} >= 5")
    book.at(f"{prior} X P", "\n".join(advance))
    book.at(
        f"{prior} 2N P",
        "\n".join(
            f"4{major} | To play | Six cards | SL_{major} >= 6; HCP >= 8"
            for major in "SH"
            if major != suit
        )
        + "\n3N | To play | Enough for game | HCP >= 9\nP | Pass | No game | HCP <= 8",
    )
