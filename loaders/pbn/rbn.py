"""RBN and RBX files to a deal frame.

Cut into records by :mod:`.rbn_records`, which names the definition. What is said about a board is
brought into the words of PBN, whose decoder makes the frame.
"""

import re
from collections.abc import Iterator
from typing import Final

from bidcascade.kernels.machine.forks import check_not_forked
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import QUOTED, Batch, join
from bidcascade.loaders.limits import BOARDS_PER_BATCH
from bidcascade.loaders.text.hand_text import read_hands

from .pbn_columns import BoardColumns
from .pbn_tokens import Game
from .rbn_records import Heading, Record, split_records

_DEALER = re.compile(r"([NESW])([A-Z?]?)(?::|\Z)", re.IGNORECASE)
_CALL = re.compile(r"([1-7])([CDHSN])|([PXRAY])|\^([0-9]?)|([*!?:;\s])|.", re.IGNORECASE)
_CALL_WORDS: Final = {"P": "Pass", "X": "X", "R": "XX", "A": "AP", "Y": "+"}
_CARD = re.compile(r"([SHDC]?)(10|[AKQJT2-9])|\^[0-9]?|[*!?\s]|(.)", re.IGNORECASE)
_RESULT = re.compile(r"(\d{1,2}|\?)?([+-]\d{1,6})?(?::.*)?")
_VULNERABLE: Final = {"Z": "None", "N": "NS", "E": "EW", "B": "All", "?": ""}
_ROOMS: Final = {"O": "Open", "C": "Closed"}


def read_rbn(data: bytes, source: str = "") -> Batch:
    r"""Read an RBN or RBX file.

    Every record with hands or with something played is a board; labels D T L E S F K N B H hold for
    the records to come, so that a second table of a board needs no hands. Lines that are neither
    label nor text in braces are a record of their own, and a reject. A record that names another
    board but gives no hands has none. Notes behind ``A`` explain calls (``^1``), ``*`` alerts;
    texts in braces are commentary. The dealer is that of ``A``, else that of the board's number;
    the score of ``R`` is taken as North-South's.

    Parameters
    ----------
    data : bytes
        The file; the encoding is detected.
    source : str
        Name for the columns ``source``.

    Returns
    -------
    Batch
        Deal frame and rejects frame.

    Examples
    --------
    >>> batch = read_rbn(b"B 3\nH W:76.AKQ.T98.98765:AKQ.T98.AKQ.AKQJ:JT98.765.765.432:\nA SE:A")
    >>> batch.deals.select("board", "dealer", "vulnerability", "contract").row(0)
    (3, 'S', 'EW', 'Pass')
    """
    text, encoding = decode_text(data)
    return join(list(read_rbn_text(text, source=source, encoding=encoding)))


def read_rbn_text(
    text: str,
    *,
    source: str = "",
    encoding: str = "utf-8",
    boards_per_batch: int = BOARDS_PER_BATCH,
    before: Heading | None = None,
    goes_on: bool = False,
) -> Iterator[Batch]:
    """Read RBN text that is decoded already, in batches that bound the memory needed.

    Parameters are those of :func:`.pbn.read_pbn_text`; ``before`` and ``goes_on`` as for
    :func:`.split_records`.
    """
    check_not_forked()
    boards = BoardColumns(source, encoding)
    for record in split_records(text, before, goes_on=goes_on):
        if record.foreign:
            line = record.foreign.partition("\n")[0]
            shown = line if len(line) <= 60 else f"{line[:60]}…"
            reason = f"expected a line that begins with a label, such as 'H W:…', got {shown!r}"
            boards.reject(record.number, reason, record.foreign[:QUOTED])
            continue
        if record.refusal:
            boards.reject(record.number, record.refusal, _written(record))
            continue
        deal = _deal_text(record.labels.get("H", ""))
        hands = read_hands(deal) if deal else "expected four hands behind the label H, got none"
        if isinstance(hands, str):
            boards.reject(record.number, hands, record.labels.get("H") or _written(record))
            continue
        boards.add(_as_pbn(record, deal), hands)
        if len(boards) >= boards_per_batch:
            yield boards.batch(plain=False)
            boards = BoardColumns(source, encoding)
    yield boards.batch(plain=False)


def _written(record: Record) -> str:
    """Beginning of a record's labels as they are written."""
    return "\n".join(f"{label} {value[:QUOTED]}" for label, value in record.labels.items())


def _deal_text(value: str) -> str:
    """Write the hands as PBN does; empty if there are none."""
    first, *parts = re.split("[:;]", value.upper())
    if not parts:
        return value
    hands = ["".join(part.split()) or "-" for part in parts]
    if len(hands) == 5 and hands[4] == "-":
        hands.pop()
    hands += ["-"] * (4 - len(hands))
    return f"{first.strip()}:{' '.join(hands)}"


def _as_pbn(record: Record, deal: str) -> Game:
    """Say in the words of PBN what a record says."""
    get = record.labels.get
    tags = {"Deal": deal, "Board": get("B", ""), "Event": _joined(get("E", ""))}
    sections = {}
    auction = get("A", "")
    if auction:
        match = _DEALER.match(auction)
        # version 3.2: West deals where the auction does not say
        tags["Dealer"] = match[1] if match else "W"
        # a letter that is none of these is told by the decoder
        tags["Vulnerable"] = _VULNERABLE.get(match[2].upper(), match[2]) if match else ""
        calls, starred = _auction(auction[match.end() :] if match else auction)
        if calls:
            tags["Auction"], sections["Auction"] = tags["Dealer"], calls
        if starred:
            tags["AlertedCalls"] = starred
    contract, declarer, *leader = [*(part.strip() for part in get("C", "").split(":")), ""][:3]
    tags["Contract"], tags["Declarer"] = contract, declarer
    if play := get("P", ""):
        sections["Play"] = _play(play)
        tags["Play"] = leader[0] if leader else ""
    written = "".join(get("R", "").split())
    tags["Result"] = written
    if result := _RESULT.fullmatch(written):
        tags["Result"] = result[1] or ""
        tags["Score"] = f"NS {result[2]}" if result[2] else ""
    north_south, west_east, room, *_ = [*get("N", "").split(":"), "", ""]
    tags["Room"] = _ROOMS.get(room.strip().upper(), "")
    for names, seats in ((north_south, ("North", "South")), (west_east, ("West", "East"))):
        both = (name.strip() for name in (*names.split("+", 1), ""))
        tags |= dict(zip(seats, both, strict=False))
    comments = [text for note, text in record.notes.items() if note == "0" and text]
    return Game(record.number, tags, sections, record.notes, [*comments, *record.comments])


def _joined(value: str) -> str:
    """Parts of a text at its colons; two colons are one that belongs to it."""
    parts = (part.replace("\0", ":").strip() for part in value.replace("::", "\0").split(":"))
    return ": ".join(part for part in parts if part)


def _auction(text: str) -> tuple[str, str]:
    """Give calls with notes as PBN writes them, and the numbers of the calls that are alerted."""
    words: list[str] = []
    alerted: list[int] = []
    count = 0
    has_star = False
    for match in _CALL.finditer(text):
        level, strain, other, note, mark = match.groups()
        if level or other:
            count += 1
            words.append(
                level + strain.upper().replace("N", "NT") if level else _CALL_WORDS[other.upper()]
            )
        elif note is not None or mark == "*":
            alerted.append(count)
            has_star |= not note
            if note:
                words.append(f"={note}=")
        elif mark is None:
            # our writer's sign for what is out of place
            words.append("^S" if match[0] == "-" else "#")
    # alerts are the calls with a note, unless others are named
    return " ".join(words), " ".join(map(str, alerted)) if has_star else ""


def _play(text: str) -> str:
    """Cards as rows of four; a card without a suit is of the suit led."""
    rows = []
    for trick in re.split("[:;]", text):
        led = ""
        row: list[str] = []
        for match in _CARD.finditer(trick):
            suit, rank, other = match.groups()
            if rank:
                led = led or suit
                row.append((suit or led) + rank)
            elif other:
                row.append("#")
        rows.append(" ".join((row + ["-"] * 4)[: max(4, len(row))]))
    return "\n".join(rows)
