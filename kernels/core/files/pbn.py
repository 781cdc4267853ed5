"""Auction and play sections of PBN to arrays, by the core (``pbn.hpp``)."""

from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels.core.functions import call_core
from bidcascade.kernels.core.groups import ArrayGroup, Field
from bidcascade.kernels.types import I64, U8, U64

Flags = NDArray[np.bool_]

MAX_CALLS: Final = 96
"""Auctions with more calls (the longest possible has 319) are marked odd."""

COMPLETE, UNFINISHED, ILLEGAL, NONE = range(4)
"""How an auction stands, in the order of the deal frame's enum."""


class PbnSections(NamedTuple):
    """What is known of ``n`` boards beside their sections, and what comes out of these."""

    opener: I64
    """Seat of the first caller, [n]."""
    hands: U64
    """Hand masks of North, East, South and West, a whole deck, [n, 4]."""
    tag_code: I64
    tag_declarer: I64
    """Contract (``3 * bid + doubling``, 0 passed out) and declarer as the tags say, for auctions
    that do not; -1 unknown."""
    is_irregular: Flags
    """Whether the tag's declarer stands even against the auction."""
    play_leader: I64
    """Seat of the opening leader for boards without declarer; -1 unknown."""
    calls: U8
    notes: U8
    """Calls and the numbers of their notes, out, [n, 96]."""
    call_count: I64
    status: I64
    cards: U8
    """In the order played, out, [n, 52]."""
    card_count: I64
    code: I64
    declarer: I64
    tricks: I64
    """-1 unless the cards say."""
    odd: Flags
    """Boards that need the plain reader, in and out."""


class _Sections(ArrayGroup):
    fields: ClassVar[dict[str, Field]] = {
        "text": ("u1",),
        "auctions": ("i8", 2),
        "plays": ("i8", 2),
        "opener": ("i8",),
        "hands": ("u8", 4),
        "tag_code": ("i8",),
        "tag_declarer": ("i8",),
        "is_irregular": ("?",),
        "play_leader": ("i8",),
        "calls": ("u1", MAX_CALLS),
        "notes": ("u1", MAX_CALLS),
        "call_count": ("i8",),
        "status": ("i8",),
        "cards": ("u1", 52),
        "card_count": ("i8",),
        "code": ("i8",),
        "declarer": ("i8",),
        "tricks": ("i8",),
        "odd": ("?",),
    }


def read_pbn_sections(text: bytes, auctions: I64, plays: I64, sections: PbnSections) -> None:
    """Read the sections of boards that are not odd; those that are found to be are marked.

    Parameters
    ----------
    text : bytes
        All sections.
    auctions, plays : int64 [n, 2]
        Start and end of each section in ``text``.
    sections : PbnSections

    Raises
    ------
    ValueError
        If a section lies outside the text, or there is no such seat or contract.
    BackendUnavailable
        If there is no core.
    """
    arrays = _Sections(
        text=np.frombuffer(text, np.uint8), auctions=auctions, plays=plays, **sections._asdict()
    )
    call_core("core_read_pbn", arrays)
