"""Lines of the table-manager protocol, version 18, that programs in computer matches speak.

Its author's page (http://www.bluechipbridge.co.uk/protocol.htm) describes it in words; what is
written here follows the sessions that programs which speak it show (OpenSpiel's
``bluechip_bridge.py``, verified with WBridge5). Readers take lines in any case, with any blanks.
Lines of claims are ours, for programs that have agreed on them.
"""

import re
from typing import Final, NamedTuple

from bidcascade.bridge import (
    CALL_TEXTS,
    DOUBLE,
    PASS,
    RANKS,
    REDOUBLE,
    SUITS,
    EngineFailed,
    InvalidCall,
    Seat,
    Vulnerability,
    format_card,
    parse_call,
    parse_card,
    suit_holding,
    visible,
)

VERSION: Final = 18
NAMES: Final = ("NORTH", "EAST", "SOUTH", "WEST")
START: Final = "Start of board"
END: Final = "End of session"
CLAIM_ACCEPTED: Final = "Claim accepted"
CLAIM_REFUSED: Final = "Claim refused"
_SIDES: Final = ("Neither", "N/S", "E/W", "Both")
_VERBS: Final = {PASS: "passes", DOUBLE: "doubles", REDOUBLE: "redoubles"}
_CALL_OF_VERB: Final = {verb: call for call, verb in _VERBS.items()}
_SEAT: Final = r"(?P<seat>north|east|south|west)"
_SHOWN: Final = 80
# programs write remarks, which are no alerts: "passes Infos. 0-11 points"
_REMARK: Final = r"[^\w].*"
_TEAM: Final = re.compile(r"[^\w .,()&+-]")


class Connecting(NamedTuple):
    """A client's first line: its team, and its seat, None for any."""

    team: str
    seat: Seat | None


class BoardLine(NamedTuple):
    """Number, dealer and vulnerability of a board."""

    number: int
    dealer: Seat
    vulnerability: Vulnerability


class CallLine(NamedTuple):
    """A call; ``alert`` is None without an alert, else its text, which may be empty."""

    seat: Seat
    call: int
    alert: str | None = None


class CardLine(NamedTuple):
    """A card that somebody plays, or declarer from dummy; None as seat is ``dummy``."""

    seat: Seat | None
    card: int


class ClaimLine(NamedTuple):
    """A claim of so many of the tricks that are left, the one under way among them, for a side."""

    seat: Seat
    tricks: int


# words of the protocol: without ASCII, a long s would be an s in another case
_IN_ANY_CASE: Final = re.IGNORECASE | re.ASCII


def _read(pattern: str, line: str, expected: str) -> "re.Match[str]":
    found = re.fullmatch(pattern, " ".join(line.split()), _IN_ANY_CASE)
    if found is None:
        raise EngineFailed(f"expected {expected}, got {visible(line[:_SHOWN])!r}")
    return found


def _seat(text: str) -> Seat:
    return Seat(NAMES.index(text.upper()))


def format_connecting(request: Connecting) -> str:
    """Write a client's first line.

    Examples
    --------
    >>> format_connecting(Connecting("bidcascade", Seat.WEST))
    'Connecting "bidcascade" as WEST using protocol version 18'
    """
    seat = "ANYPL" if request.seat is None else NAMES[request.seat]
    return f'Connecting "{_TEAM.sub(" ", request.team)}" as {seat} using protocol version {VERSION}'


def parse_connecting(line: str) -> Connecting:
    """Read a client's first line.

    Examples
    --------
    >>> parse_connecting('Connecting "WBridge5" as ANYPL using protocol version 18')
    Connecting(team='WBridge5', seat=None)
    """
    found = _read(
        rf'connecting "(?P<team>[^"]{{0,80}})" as ({_SEAT}|anypl) using protocol version \d+ ?\.?',
        line,
        "a line such as 'Connecting \"TEAM\" as NORTH using protocol version 18'",
    )
    return Connecting(found["team"], None if found["seat"] is None else _seat(found["seat"]))


def format_seated(seat: Seat, team: str) -> str:
    """Write the answer to a client's first line."""
    return f'{NAMES[seat]} ("{_TEAM.sub(" ", team)}") seated'


def parse_seated(line: str) -> Seat:
    """Read which seat a client has got."""
    return _seat(_read(rf'{_SEAT} \(?".*"\)? ?seated\.?', line, "a line '… seated'")["seat"])


def format_teams(north_south: str, east_west: str) -> str:
    """Write the names of both teams."""
    names = (_TEAM.sub(" ", one) for one in (north_south, east_west))
    return 'Teams : N/S : "{}" E/W : "{}"'.format(*names)


def parse_teams(line: str) -> tuple[str, str]:
    """Read the names of both teams.

    Examples
    --------
    >>> parse_teams(format_teams("home", "away")), parse_teams('Teams: N/S "a" E/W "b"')
    (('home', 'away'), ('a', 'b'))
    """
    found = _read(
        r'teams ?: ?n/s ?:? ?"(?P<ns>.*)" ?[.,;-]? ?e/w ?:? ?"(?P<ew>.*)"\.?',
        line,
        "a line 'Teams : …'",
    )
    return found["ns"], found["ew"]


def format_board(board: BoardLine) -> str:
    """Write number, dealer and vulnerability.

    Examples
    --------
    >>> format_board(BoardLine(8, Seat.WEST, Vulnerability.NONE))
    'Board number 8. Dealer WEST. Neither vulnerable.'
    """
    return (
        f"Board number {board.number}. Dealer {NAMES[board.dealer]}. "
        f"{_SIDES[board.vulnerability]} vulnerable."
    )


def parse_board(line: str) -> BoardLine:
    """Read number, dealer and vulnerability."""
    found = _read(
        rf"board number (?P<number>\d{{1,9}})\. ?dealer {_SEAT}\. "
        r"?(?P<sides>neither|n/s|e/w|both) vulnerable\.?",
        line,
        "a line 'Board number N. Dealer SEAT. SIDES vulnerable.'",
    )
    sides = [one.lower() for one in _SIDES].index(found["sides"].lower())
    return BoardLine(int(found["number"]), _seat(found["seat"]), Vulnerability(sides))


def format_cards(whose: str, hand: int) -> str:
    """Write a hand, or what is left of it.

    Examples
    --------
    >>> from bidcascade.bridge import parse_hand
    >>> format_cards("WEST's", parse_hand("AT95.K65.QJ8762."))
    "WEST's cards : S A T 9 5. H K 6 5. D Q J 8 7 6 2. C -."
    """
    suits = []
    for suit in (3, 2, 1, 0):
        holding = suit_holding(hand, suit)
        ranks = [RANKS[rank] for rank in range(12, -1, -1) if holding >> rank & 1]
        suits.append(f"{SUITS[suit]} {' '.join(ranks) or '-'}.")
    return f"{whose} cards : {' '.join(suits)}"


def parse_cards(line: str, count: int = 13) -> int:
    """Read a hand of so many cards, whoever's.

    Examples
    --------
    >>> from bidcascade.bridge import format_hand
    >>> format_hand(parse_cards("Dummy's cards: S A T 9 5. H K 6 5. D QJ8762. C -."))
    'AT95.K65.QJ8762.'
    """
    expected = f'a line "SEAT\'s cards : S …. H …. D …. C …." of {count} cards'
    found = _read(
        r"\w+'s cards ?: ?s ?(?P<s>[^.]*)\. ?h ?(?P<h>[^.]*)\. ?d ?(?P<d>[^.]*)\. "
        r"?c ?(?P<c>[^.]*)\.?",
        line,
        expected,
    )
    hand = 0
    for suit in SUITS:
        for rank in found[suit.lower()].upper().replace("10", "T").replace("-", "").split():
            for one in rank:
                if one not in RANKS or hand >> parse_card(suit + one) & 1:
                    raise EngineFailed(f"expected {expected}, got {visible(line[:_SHOWN])!r}")
                hand |= 1 << parse_card(suit + one)
    if hand.bit_count() != count:
        raise EngineFailed(f"expected {expected}, got {hand.bit_count()} cards")
    return hand


def format_call_line(made: CallLine) -> str:
    """Write a call.

    Examples
    --------
    >>> format_call_line(CallLine(Seat.NORTH, 7))
    'NORTH bids 1NT'
    >>> format_call_line(CallLine(Seat.EAST, 1, "takeout"))
    'EAST doubles Alert. takeout'
    """
    text = CALL_TEXTS[made.call].replace("N", "NT")
    alert = "" if made.alert is None else f" Alert. {' '.join(visible(made.alert).split())}"
    return f"{NAMES[made.seat]} {_VERBS.get(made.call, f'bids {text}')}{alert}".rstrip()


def parse_call_line(line: str) -> CallLine:
    """Read a call.

    Examples
    --------
    >>> parse_call_line("WEST PASSES").call, parse_call_line("EAST bids 1C Alert.").alert
    (0, '')
    >>> parse_call_line("WEST passes Infos. 0-11 points")
    CallLine(seat=<Seat.WEST: 3>, call=0, alert=None)
    >>> parse_call_line("WEST bids 2C! Stayman").alert
    'Stayman'
    """
    expected = "a line 'SEAT passes', 'doubles', 'redoubles' or 'bids 1C' … 'bids 7NT'"
    found = _read(
        rf"{_SEAT} (?P<verb>passes|doubles|redoubles|bids (?P<bid>[1-7] (?:nt?|[cdhs])\b|\w+))"
        rf"(?: ?\.? ?(?P<alert>alert(?:s|ed)?\b[.:]?|[!*]+)(?P<text>.*)|{_REMARK})?",
        line,
        expected,
    )
    if found["bid"] is None:
        call = _CALL_OF_VERB[found["verb"].lower()]
    else:
        try:
            call = parse_call(found["bid"].replace(" ", ""))
        except InvalidCall:
            call = PASS
        if call in _VERBS:
            raise EngineFailed(f"expected {expected}, got {visible(line[:_SHOWN])!r}")
    alert = None if found["alert"] is None else visible((found["text"] or "").strip())
    return CallLine(_seat(found["seat"]), call, alert)


def format_card_line(seat: Seat, card: int) -> str:
    """Write a card.

    Examples
    --------
    >>> format_card_line(Seat.NORTH, parse_card("SA"))
    'NORTH plays AS'
    """
    return f"{NAMES[seat]} plays {format_card(card)[::-1]}"


def parse_card_line(line: str) -> CardLine:
    """Read a card, its rank first or its suit.

    Examples
    --------
    >>> parse_card_line("NORTH plays as") == CardLine(Seat.NORTH, parse_card("SA"))
    True
    """
    found = _read(
        rf"({_SEAT}|dummy) plays (?P<card>(?:[2-9tjqka]|10)[cdhs]|[cdhs](?:[2-9tjqka]|10))"
        rf"(?:{_REMARK})?",
        line,
        "a line 'SEAT plays AS'",
    )
    card = found["card"].upper().replace("10", "T")
    if card[0] in RANKS:
        card = card[::-1]
    return CardLine(None if found["seat"] is None else _seat(found["seat"]), parse_card(card))


def check_ready(line: str, seat: Seat, what: str) -> None:
    """Check that a client is ready for something, which is a regular expression.

    Raises
    ------
    EngineFailed
        If it says anything else.

    Examples
    --------
    >>> check_ready("WEST ready for  NORTH's bid", Seat.WEST, "for .*'s bid")
    """
    _read(rf"{NAMES[seat]} ready {what} ?[.!]?", line, f"a line '{NAMES[seat]} ready {what}'")


# --- claims ---------------------------------------------------------------------------------------


def is_claim(line: str) -> bool:
    """Whether a line means to claim, however it goes on.

    Examples
    --------
    >>> is_claim("south  CLAIMS the rest"), is_claim("SOUTH plays AS")
    (True, False)
    """
    return re.match(rf"\s*{_SEAT}\s+claims\b", line, _IN_ANY_CASE) is not None


def format_claim(claim: ClaimLine) -> str:
    """Write a claim.

    Examples
    --------
    >>> format_claim(ClaimLine(Seat.SOUTH, 5))
    'SOUTH claims 5'
    """
    return f"{NAMES[claim.seat]} claims {claim.tricks}"


def parse_claim(line: str) -> ClaimLine:
    """Read a claim.

    Examples
    --------
    >>> parse_claim("South claims 5 tricks.")
    ClaimLine(seat=<Seat.SOUTH: 2>, tricks=5)
    """
    found = _read(
        rf"{_SEAT} claims (?P<tricks>\d{{1,2}})( tricks?)?\.?", line, "a line 'SEAT claims N'"
    )
    return ClaimLine(_seat(found["seat"]), int(found["tricks"]))


def format_verdict(seat: Seat, *, accepts: bool) -> str:
    """Write what a player says of another's claim.

    Examples
    --------
    >>> format_verdict(Seat.WEST, accepts=False)
    'WEST refuses the claim'
    """
    return f"{NAMES[seat]} {'accepts' if accepts else 'refuses'} the claim"


def parse_verdict(line: str, seat: Seat) -> bool:
    """Read whether a player accepts a claim.

    Examples
    --------
    >>> parse_verdict("West accepts the claim", Seat.WEST)
    True
    """
    found = _read(
        rf"{NAMES[seat]} (?P<verb>accepts|refuses) the claim\.?",
        line,
        f"a line '{NAMES[seat]} accepts the claim' or '… refuses the claim'",
    )
    return found["verb"].lower() == "accepts"


def parse_outcome(line: str) -> bool:
    """Read what became of a claim.

    Examples
    --------
    >>> parse_outcome(CLAIM_ACCEPTED), parse_outcome(f"{CLAIM_REFUSED}: out of turn")
    (True, False)
    """
    found = _read(
        rf"(?P<what>{CLAIM_ACCEPTED}|{CLAIM_REFUSED})(: .*)?\.?",
        line,
        f"a line '{CLAIM_ACCEPTED}' or '{CLAIM_REFUSED}'",
    )
    return found["what"].lower() == CLAIM_ACCEPTED.lower()
