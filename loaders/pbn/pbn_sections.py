"""The auction and play sections of PBN and the tags about them, read one at a time.

Portable Bridge Notation 2.1, chapters 3.5 (auction section), 3.6 (play section), 3.7 (glyphs)
and 3.9 (irregularities). This is the definition; the core (``pbn.hpp``) does the plain cases
in bulk and must agree with it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from bidcascade.bridge import (
    CALL_TEXTS,
    FIRST_BID,
    PASS,
    SEATS,
    STRAINS,
    Auction,
    Contract,
    InvalidCall,
    InvalidCard,
    Seat,
    bid_level,
    bid_strain,
    parse_call,
    parse_card,
)
from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.loaders.frames.frame import UNREADABLE
from bidcascade.loaders.frames.play import trick_winner

_TOKEN = re.compile(
    r"=[ \t]*[0-9]+[ \t]*=(?![0-9])|=[0-9]*=?|\$[0-9]+|\^(?:[A-Za-z]|[0-9]+)?|[!?]+|[*+]+|-"
    r"|[^\s=$^!?*+-]+|."
)
_MARKS = "=$^!?*+-"
"""What tokens of a section begin with that are no call and no card."""
_CALL_IN_CONTRACT = re.compile(r"([1-7])(NT|[CDHSN])(X|XX|D|R|\*|\*\*)?", re.IGNORECASE | re.ASCII)
_RELATIVE = re.compile(r"=|[+-][0-9]{1,2}")
_NUMBER = re.compile(r"0*([0-9]+)")
_SCORE = re.compile(
    r"([Nn][Ss]|[Ee][Ww])?\s*([+-]?[0-9]+)(?:\s+(?:[Nn][Ss]|[Ee][Ww])\s*[+-]?[0-9]+)?"
)


def _tokens(text: str) -> tuple[list[str], int]:
    """Tokens of a section, and the place of the last that is a call, a card or none of PBN's."""
    tokens = [token for token in _TOKEN.findall(text) if not token.isspace()]
    played = (place for place in range(len(tokens) - 1, -1, -1) if tokens[place][0] not in _MARKS)
    return tokens, next(played, -1)


class AuctionText(NamedTuple):
    """What an auction section says."""

    calls: list[int]
    """Legal calls from the opener on."""
    notes: list[list[str]]
    """Per call the numbers of its notes."""
    status: str
    """``complete``, ``unfinished``, ``illegal`` or ``none``."""
    tail: list[int]
    """Calls from the first illegal one on; a token that is no call ends it as UNREADABLE."""
    padding: int
    """Number of ``-`` before the first call."""


def read_auction(text: str, opener: int = 0) -> AuctionText:
    """Read an auction section.

    ``AP`` (also ``All Pass`` and ``AC``) stands for the passes that end the auction; ``*`` and
    ``+`` end the section if no call stands behind them; ``!``, ``?``, ``$n`` and ``^I`` are no
    part of the call. Programs have alerts of their own: ``*`` and ``**`` at a call or before
    another one, and a bare ``^``; a note without a number stands for them. ``=1`` and ``^1`` are
    notes like ``=1=``. A player who was skipped (``^S``, or ``-`` between calls) or a token that
    is no call makes the auction illegal from that place on.

    Parameters
    ----------
    text : str
        What stands behind the ``Auction`` tag, without comments.
    opener : int
        Seat code of the first caller.
    """
    auction = Auction(Seat(opener))
    calls: list[int] = []
    notes: list[list[str]] = []
    tail: list[int] = []
    illegal = False
    padding = 0
    skipped = all_word = False
    tokens, last = _tokens(text)
    for place, token in enumerate(tokens):
        first = token[0]
        if first in "$!?":
            continue
        if first in "*+" and place > last:
            break
        if first in "=^*+" and not token[1:].isalpha():
            if illegal:
                continue
            if notes:
                number = token.strip("=^*+ \t")
                if number or first != "=":
                    notes[-1].append(number)
                continue
            if first == "=":
                continue
        if first == "^" and token[1:].isalpha():
            skipped = token[1:] in "Ss"
            continue
        if first == "-":
            if not calls and not illegal:
                padding += 1
            else:
                # this player's call is not there: what follows, if anything, is out of place
                skipped = True
            continue
        word = token.lower()
        if word == "all" and not all_word:
            all_word = True
            continue
        if word in ("ap", "ac", "allpass") or (all_word and word == "pass"):
            while not illegal and not auction.is_complete:
                auction = auction.add(PASS)
                calls.append(PASS)
                notes.append([])
            break
        try:
            call = parse_call(token)
        except InvalidCall:
            illegal = True
            tail.append(UNREADABLE)
            break
        if skipped or illegal or not auction.is_legal(call):
            illegal = True
            tail.append(call)
        else:
            auction = auction.add(call)
            calls.append(call)
            notes.append([])
    if illegal:
        status = "illegal"
    elif not calls:
        status = "none"
    else:
        status = "complete" if auction.is_complete else "unfinished"
    return AuctionText(calls, notes, status, tail, padding)


class StatedContract(NamedTuple):
    """Contract of a board: code ``3 * bid + doubling``, 0 passed out, -1 unknown."""

    code: int
    declarer: int
    """Seat code, -1 if unknown or passed out."""


PASSED_OUT = 0
UNKNOWN = -1


def outcome_of(calls: list[int], opener: int) -> StatedContract:
    """Contract of a complete auction."""
    contract = Auction.of(calls, opener).contract
    if contract is None:
        return StatedContract(PASSED_OUT, -1)
    bid = FIRST_BID + 5 * (contract.level - 1) + contract.strain
    return StatedContract(3 * bid + contract.doubling, int(contract.declarer))


def omitted_passes(
    calls: list[int], outcome: StatedContract, tag_code: int, tag_declarer: int, play_leader: int
) -> int:
    """Count the opening passes that the auction section leaves out.

    Some programs write auctions from the first bid on although ``Auction`` names the dealer.
    That is taken as proven when the auction opens with a bid and makes the contract of the
    tags, and both ``Declarer`` and ``Play`` say that it was bought one to three seats later.
    """
    if (
        tag_declarer < 0
        or play_leader != (tag_declarer + 1) % 4
        or outcome.code <= PASSED_OUT
        or outcome.code // 3 != tag_code // 3
        or calls[0] == PASS
    ):
        return 0
    return (tag_declarer - outcome.declarer) % 4


def contract_of(code: int, declarer: int) -> Contract | None:
    """Contract of an outcome code, ``None`` if there is none or no declarer."""
    if code <= PASSED_OUT or declarer < 0:
        return None
    bid, doubling = divmod(code, 3)
    return Contract(bid_level(bid), bid_strain(bid), doubling, Seat(declarer))


@bounded_cache(4096)
def read_contract(text: str) -> int:
    """Outcome code of a ``Contract`` tag: ``4SX``, ``4S*``, ``3NT``, ``Pass``; -1 if it is none."""
    text = text.strip().lstrip("^").replace(" ", "")
    if text.lower() in ("pass", "p", "passed", "ap", "allpass", "passedout", "passout"):
        return PASSED_OUT
    match = _CALL_IN_CONTRACT.fullmatch(text)
    if match is None:
        return UNKNOWN
    bid = FIRST_BID + 5 * (int(match[1]) - 1) + STRAINS.index(match[2][0].upper())
    doubled = (match[3] or "").upper()
    return 3 * bid + (2 if doubled in ("XX", "R", "**") else 1 if doubled else 0)


def contract_name(code: int) -> str | None:
    """Contract of an outcome code as the deal frame has it, ``None`` if it is unknown.

    Examples
    --------
    >>> contract_name(read_contract("3nt x")), contract_name(read_contract("AP"))
    ('3NX', 'Pass')
    """
    if code <= PASSED_OUT:
        return "Pass" if code == PASSED_OUT else None
    return CALL_TEXTS[code // 3] + "X" * (code % 3)


@bounded_cache(4096)
def read_seat(text: str) -> int:
    """Seat code of a tag value such as ``N``, ``^S``, ``West`` or ``1`` as in LIN; -1 if none."""
    text = text.strip().lstrip("^")
    # some letters beyond ASCII have a capital that is none
    text = text.upper() if text.isascii() else ""
    if text in ("NORTH", "EAST", "SOUTH", "WEST"):
        text = text[0]
    if len(text) != 1:
        return -1
    return "3412".find(text) if text.isdigit() else SEATS.find(text)


@bounded_cache(4096)
def read_result(text: str, declarer: int, code: int) -> int:
    """Tricks of declarer from a ``Result`` tag; -1 if the tag does not say.

    ``9``, ``^9`` (irregular), ``NS 9``, ``EW 4`` and ``EW 9 NS 4``; the tricks of the other
    side are counted down from 13. ``=``, ``+1`` and ``-2`` are counted from the contract, whose
    outcome code is ``code``.
    """
    text = text.strip().lstrip("^")
    side = text[:2].upper() if text[:2].isascii() else ""
    if _RELATIVE.fullmatch(text):
        if code <= PASSED_OUT:
            return -1
        tricks = bid_level(code // 3) + 6 + int(text.replace("=", "0"))
        return tricks if 0 <= tricks <= 13 else -1
    if side in ("NS", "EW"):
        if declarer < 0:
            return -1
        match = _NUMBER.match(text[2:].strip().lstrip("^"))
        tricks = int(match[1][:3]) if match else 99
        if tricks <= 13 and (side == "EW") != (declarer % 2 == 1):
            tricks = 13 - tricks
    else:
        tricks = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 99
    return tricks if tricks <= 13 else -1


@bounded_cache(4096)
def read_score(text: str, declarer: int) -> int | None:
    """Score from the view of North-South from a ``Score`` tag; ``None`` if it does not say.

    ``NS 50``, ``EW -50``, ``NS 50 EW -50``; a bare number is from the view of declarer.
    """
    match = _SCORE.fullmatch(text.strip().lstrip("^"))
    if match is None or len(match[2]) > 7:
        return None
    value = int(match[2])
    if match[1]:
        return value if match[1].upper() == "NS" else -value
    if value == 0:
        return 0
    if declarer < 0:
        return None
    return -value if declarer % 2 else value


class PlayText(NamedTuple):
    """What a play section says."""

    cards: list[int]
    """Card numbers ``13 * suit + rank`` in the order played."""
    unread: str = ""
    """The section from a token that is no card on."""


def read_play(text: str, hands: Sequence[int], leader: int, strain: int) -> PlayText:
    """Read a play section.

    Every row is a trick, its columns are the seats from the opening leader on, whoever led to
    that trick; so the winner of each trick has to be worked out to know the order of the next.
    Each card is given to the seat that holds it, so rows written in the order of play are
    read as well. Reading stops at a ``*`` or ``+`` behind the last card, at the first card that
    is not known (``-`` in the column of the seat to play), at a token that is no card, and at a
    card that cannot be played now (played before, or its holder has already played to the trick).
    Irregularities (``^R``), notes and glyphs are skipped. Such a card in the first row is kept,
    behind what stands before it there: for :func:`.play.play_disagrees` it tells that these are
    other hands.

    Parameters
    ----------
    text : str
        What stands behind the ``Play`` tag, without comments.
    hands : sequence of four int
        Hand masks of North, East, South and West.
    leader : int
        Seat code of the opening leader.
    strain : int
        0-4 = clubs, diamonds, hearts, spades, notrump.

    Returns
    -------
    PlayText
    """
    played: list[int] = []
    unread = ""
    seen = 0
    trick = [-1] * 4
    row: list[int] = []
    columns = 0
    tokens, last = _tokens(text)
    for place, token in enumerate(tokens):
        first = token[0]
        if first in "*+" and place > last:
            break
        if first in "=$!?^*+":
            continue
        if first != "-":
            try:
                card = parse_card(token)
            except InvalidCard:
                unread = " ".join(tokens[place:])
                break
            owner = next(seat for seat in range(4) if hands[seat] >> card & 1)
            row.append(card)
            if seen >> card & 1 or trick[owner] >= 0:
                if not played:
                    return PlayText(row)
                break
            seen |= 1 << card
            trick[owner] = card
        columns += 1
        if columns == 4:
            leader, complete = _finish(trick, leader, strain, played)
            if not complete:
                return PlayText(played)
            trick = [-1] * 4
            columns = 0
    _finish(trick, leader, strain, played)
    return PlayText(played, unread)


def _finish(trick: list[int], leader: int, strain: int, played: list[int]) -> tuple[int, bool]:
    """Append a trick in order; return its winner and whether all four cards were there."""
    cards = [trick[(leader + offset) % 4] for offset in range(4)]
    if -1 in cards:
        played.extend(cards[: cards.index(-1)])
        return leader, False
    played.extend(cards)
    return (leader + trick_winner(cards, strain)) % 4, True
