"""Archives of ours with announcements, to mine."""

import random
from pathlib import Path

from tests.support.lin import hand_text, shuffled_hands

AUCTIONS = [
    (("1N", "Notrump opener -- 2-5 !C; 2-5 !D; 2-5 !H; 2-5 !S; 15-17 HCP"), ("p", ""),
     ("2C", "Stayman -- 8+ HCP"), ("p", ""), ("2D", "2-3 !H; 2-3 !S"), ("p", ""),
     ("3N", "could be light"), ("p", ""), ("p", ""), ("p", "")),
    (("p", ""), ("1C", "Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total poi"), ("p", "")),
    (("p", ""), ("1C", "Minor suit opening -- 3+ !C; 11-21 HCP; 12-22 total points"),
     ("d", "mindestens 4-4, evtl. stärker"), ("r", "10+ HCP"), ("1S", ""), ("p", "")),
    (("1S", "Major suit opening -- 5+ !S; 11-21 HCP"), ("p", ""), ("2S", "3+ !S; 6-10 HCP"),
     ("p", ""), ("p", ""), ("p", "")),
    (("1S", "5+ !S; 10-21 HCP"), ("2S", "Michaels, прибл. 5-5")),
    ((), ("p", "")),
]  # fmt: skip
"""Calls with announcements; the empty tuple makes a board without an auction."""


def lin_board(seed: int) -> str:
    """One board of LIN: hands and auction by the seed; one in nine has a card twice."""
    hands = [hand_text(cards, 1) for cards in shuffled_hands(seed)]
    if seed % 9 == 8:
        hands[1] = hands[0]
    record = [f"md|{'1234'[seed % 4]}{','.join(hands[:3])},|"]
    calls = AUCTIONS[random.Random(seed).randrange(len(AUCTIONS))]
    for made in calls if calls[0] else ():
        call, text = made
        record.append(f"mb|{call}|" + (f"an|{text}|" if text else ""))
    return "".join(record) + "pg||\n"


def pbn_board(number: int) -> str:
    """One board of PBN with notes."""
    return (
        f'[Event "ours"]\n[Board "{number}"]\n[Dealer "N"]\n[Vulnerable "None"]\n'
        '[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"]\n'
        '[Auction "N"]\n1S =1= Pass 2S =2= AP\n'
        '[Note "1:Major suit opening -- 5+ !S; 11-21 HCP; 12-22 total points"]\n'
        '[Note "2:constructive"]\n\n'
    )


def write_archives(folder: Path) -> list[Path]:
    """Four files: two of LIN, one of PBN, one without announcements."""
    files = [folder / name for name in ("a.lin", "b.lin", "c.pbn", "d.lin")]
    files[0].write_text("".join(map(lin_board, range(40))), encoding="utf-8")
    files[1].write_text("".join(map(lin_board, range(40, 100))), encoding="utf-8")
    files[2].write_text("".join(map(pbn_board, range(1, 6))), encoding="utf-8")
    plain = "".join(map(lin_board, range(100, 115)))
    files[3].write_text(
        "".join(
            part.partition("an|")[0] if "an|" in part else part
            for part in plain.splitlines(keepends=True)
        ),
        encoding="utf-8",
    )
    return files
