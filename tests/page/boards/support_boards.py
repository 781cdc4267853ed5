"""Boards as the page reads them, made of the loaders' frames."""

from typing import Any

import polars as pl

from bidcascade.bridge import format_call, format_card, format_hand
from bidcascade.loaders import HAND_COLUMNS
from bidcascade.loaders.frames.frame import UNREADABLE

SAME = (
    "vulnerability", "room", "record", "alerts", "announcements", "commentary", "contract",
    "declarer", "tricks", "score", "players", "event",
)  # fmt: skip


def boards_of(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows of a deal frame in the page's form."""
    boards = []
    for row in frame.iter_rows(named=True):
        told = {name: row[name] for name in SAME}
        boards.append(
            {
                **told,
                "hand": None,
                "hands": [
                    "" if row[name] is None else format_hand(row[name]) for name in HAND_COLUMNS
                ],
                "dealer": "NESW".index(row["dealer"]),
                "number": row["board"],
                "calls": [format_call(call) for call in row["auction"] or ()],
                "tail": [
                    None if call == UNREADABLE else format_call(call)
                    for call in row["illegal_tail"] or ()
                ],
                "play": [format_card(card) for card in row["play"] or ()],
            }
        )
        for name in ("alerts", "announcements", "commentary"):
            boards[-1][name] = boards[-1][name] or []
    return boards
