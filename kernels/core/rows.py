"""The rows that bidding by a system works on, as the core's ``rows.hpp`` has them.

    Program     what was compiled of one system: questions, decisions, forest, lines, entries, needs
    Store       the places that were worked out: a trie of (parent, call), their lists of entries,
                and for as many as fit the memory the row of what is known there
    PlaceBlock  what one thread works out before it is taken in

A *decision* is a node that asks one question and has an answer for an edge; an edge leads to a node
(>= 0), to a result (<= LEAF, see :data:`LEAF`), or is not known yet (UNKNOWN).
"""

from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .groups import ArrayGroup, Field

Rows: TypeAlias = NDArray[Any]
"""An array of one of the row types below."""

UNKNOWN: Final = -1
LEAF: Final = -2
"""An edge of ``LEAF - n`` is result n."""
ANY_HAND: Final = 0
NEVER: Final = 1
"""Results of conditions: needs 0 hold for every hand, needs 1 for none."""

SHAPES: Final = 560
POINTS: Final = 38
SET_WORDS: Final = -(-SHAPES * POINTS // 64)
"""Words of a set of cells: bit ``shape * 38 + points``."""
TAG_WORDS: Final = 4
CALLS: Final = 38

TERMS: Final = (
    "HCP", "SL_C", "SL_D", "SL_H", "SL_S", "Total_Points", "Aces", "Kings", "Controls", "Losers",
    "HCP_C", "HCP_D", "HCP_H", "HCP_S", "Keycards_C", "Keycards_D", "Keycards_H", "Keycards_S",
)  # fmt: skip
"""Terms of which a text may ask what a player has shown; the first five are read off the hull."""
HULL_TERMS: Final = 5
RANGES: Final = len(TERMS) - HULL_TERMS
WIDEST: Final = 32767
"""Bound of a term of which nothing was said."""

PLACE: Final = np.dtype(
    [
        ("parent", "i4"),  # number of the place before, -1 for the root
        ("length", "i4"),  # calls so far
        ("opening", "i4"),  # number of the call that opened, -1 before
        ("pattern", "i4", 2),  # state of each side's automaton of auction patterns
        ("known", "i4", 4),  # number of the set of cells that each position has shown
        ("kinds", "u4", 4),  # kinds of agreements of each position's last call
        ("made", "u8", 4),  # calls that each position has made, a bit each
        ("tags", "u8", (4, TAG_WORDS)),  # of each position's last call
        ("tags_ever", "u8", (4, TAG_WORDS)),  # of all its calls
        ("last_bid_tags", "u8", TAG_WORDS),
        ("terms", "i2", (4, len(TERMS), 2)),  # bounds that were shown beside the cells
        ("hull", "u1", (4, HULL_TERMS, 2)),  # least and most HCP and cards, from the cells
        ("suits", "u2", 4),  # suits shown, in order: 3 bits each, 1-4 = C D H S
        ("call", "u1", 4),  # last call of each position, NO_CALL before it
        ("call_kind", "u1", 4),  # how that stood to the calls before: CALL_KIND_...
        ("jump", "i1", 4),  # levels above the cheapest bid
        ("notrump", "u1", 4),  # whether the position has bid notrump naturally
        ("agreed", "u1", 2),  # by side, 0 or 1-4
        ("game_forced", "u1", 2),
        ("acted", "u1", 2),  # by side: has bid, doubled or redoubled
        ("opening_call", "u1"),
        ("last_bid", "u1"),  # code of the last bid, 0 before
        ("last_bidder", "u1"),  # its position
        ("doubled", "u1"),  # 1 doubled, 2 redoubled
        ("passes", "u1"),  # at the end
    ],
    align=True,
)
"""What is known where a player is to call. Position p is the player p places behind the dealer."""

NO_CALL: Final = 255
CALL_KIND_RAISE, CALL_KIND_NEW_SUIT, CALL_KIND_CUE_BID, CALL_KIND_REVERSE = 1, 2, 4, 8

QUESTION: Final = np.dtype(
    [
        ("kind", "i4"),  # in KINDS
        ("who", "i4"),  # bits of positions relative to the player: 1 me, 2 LHO, 4 partner, 8 RHO
        ("suits", "i4", 2),  # operands: >= 0 packed letters, < 0 role ``-1 - number``
        ("count", "i4"),
        ("low", "i4"),
        ("high", "i4"),  # WIDEST where there is no bound
        ("also", "u8"),  # further values, a bit each
        ("calls", "u8"),  # calls that a pattern stands for, a bit each
        ("number", "i4"),  # tag, term, word, kind of bid: by kind
        ("negated", "u1"),
    ],
    align=True,
)

AGREEMENT_KINDS: Final = (
    "forcing", "forcing to game", "not forcing", "invitational", "sign-off", "limited", "natural",
    "artificial", "alert", "announce", "relay", "transfer", "puppet", "preemptive", "penalty",
    "takeout", "asks", "shows", "denies", "agrees", "tag",
)  # fmt: skip
"""Agreements of a call, a bit each in ``kinds``."""

ROLES: Final = (
    "their suits", "RHO's suit", "LHO's suit", "partner's suit", "my suit", "our suit",
    "unbid suits", "unbid majors", "unbid minors",
)  # fmt: skip
"""Suits that depend on the auction, by number."""

KINDS: Final = (
    "suits", "shown", "level of bid", "last bid's code", "weighed", "passed hand", "opened",
    "nobody opened", "only passed", "made", "named", "last call", "last call's tag",
    "last call's kinds", "last call in words", "has called", "unbid", "fourth suit", "fit",
    "forced", "game forced", "balancing", "contested", "level", "last bid", "has shown",
    "may have", "ranks above", "same suit", "available", "nth call", "seat", "game reached",
)  # fmt: skip
"""Kinds of questions by number; the first five have more answers than no and yes."""
MANY_ANSWERS: Final = 5
"""Kinds below this have answers other than no and yes."""

WORDS: Final = (
    "natural", "bid", "raise", "jump", "double jump", "jump raise", "new suit", "suit", "notrump",
    "cue-bid", "reverse", "jump shift", "artificial",
)  # fmt: skip
"""What a call may be beside its agreements, by number."""

BID_KINDS: Final = ("bid", "cheapest", "jump", "double jump", "game", "transfer")
"""How the level of a bid is found."""

NOTRUMP: Final = 5
"""Stands for notrump among packed suits (1-4 = C D H S)."""

DECISION: Final = np.dtype([("question", "i4"), ("no", "i4"), ("yes", "i4")])
"""Of a question with many answers ``no`` is the first that was given, and ``yes`` its edge; the
others are found in a hash table by (decision, answer)."""
TREE: Final = np.dtype(
    [
        ("root", "i4"),  # number of the decision that must not say NEVER, -1 for no condition
        ("child", "i4"), ("sibling", "i4"),  # -1 for none
        ("group", "i4"), ("bindings", "i4"),  # what applies then, group -1 for nothing yet
    ],
    align=True,
)  # fmt: skip
"""Node of the forest of headers: groups apply below a chain of conditions that hold."""
GROUP: Final = np.dtype(
    [("turn", "i4"), ("specificity", "i4"), ("first", "i4"), ("end", "i4")], align=True
)
LINE: Final = np.dtype(
    [
        ("call", "i4"),  # code where it is the same everywhere, else -1
        ("pattern", "i4"),  # subject that gives its calls then
        ("condition", "i4"),  # subject, -1 for any hand
        ("first", "i4"),
        ("end", "i4"),  # its variants
    ],
    align=True,
)
VARIANT: Final = np.dtype(
    [
        ("line", "i4"),
        ("condition", "i4"),
        ("kinds", "u4"),  # kinds of agreements
        ("first_promise", "i4"), ("end_promise", "i4"),
        ("first_agreed", "i4"), ("end_agreed", "i4"),
        ("tags", "u8", TAG_WORDS),
    ],
    align=True,
)  # fmt: skip
ENTRY: Final = np.dtype(
    [
        ("call", "i4"),
        ("needs", "i4"),
        ("variant", "i4"),
        ("bindings", "i4"),
        ("test", "i4"),  # first test of the needs, which are not looked at to choose
    ],
    align=True,
)
NEEDS: Final = np.dtype(
    [
        ("test", "i4"),  # first test, HOLDS or FAILS
        ("can", "i4"),
        ("must", "i4"),  # sets of cells
        ("certain", "u1"),  # whether ``must`` is not empty
        ("can_hull", "u1", (HULL_TERMS, 2)),  # least and most HCP and cards in these sets
        ("must_hull", "u1", (HULL_TERMS, 2)),
        ("terms", "i2", (len(TERMS), 2)),  # bounds beside the cells
        ("promised", "i2", (len(TERMS), 2)),  # those that ``shows`` would put on terms
    ],
    align=True,
)
TEST: Final = np.dtype(
    [
        ("word", "i4"), ("shift", "u1"), ("mask", "u1"), ("low", "u1"), ("high", "u1"),
        ("yes", "i4"), ("no", "i4"),
    ],
    align=True,
)  # fmt: skip
"""Test of one lane or flag of a packed hand, and which test is next: all of a line's conditions."""
HOLDS: Final = -1
FAILS: Final = -2

SLOT: Final = np.dtype([("key", "u8"), ("value", "i4")], align=True)
"""Of a hash table with open addressing; the number of slots is a power of two."""
EMPTY: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


LEVELS: Final = 324
"""Calls of an auction for which a walk has room."""
LEVEL_BYTES: Final = 2 + CALLS
"""Of the calls that are allowed at a place of the way: how many, the next, and they."""
WALK: Final = np.dtype(
    [
        ("deal", "i4"), ("here", "i4"), ("level", "i4"), ("visited", "i4"),
        # the auction that is bid, and how many of those that lead to it come before it if it is cut
        ("own", "i4"), ("own_level", "i4"), ("before", "i4"),
        ("is_own", "u1"), ("is_new", "u1"), ("is_lost", "u1"),
        ("cut_depth", "u1"), ("cut_places", "u1"),
    ], align=True,
)  # fmt: skip
"""Where a walk stands, which goes on there when it was left for a place to be worked out."""


class Program(ArrayGroup):
    """One system for the kernels; grows as places ask what nobody asked before."""

    fields: ClassVar[dict[str, Field]] = {
        "questions": (QUESTION,),
        "decisions": (DECISION,),
        "answers": (SLOT,),  # (decision, answer) -> edge
        "roots": ("i4",),  # edge to the first decision of a (subject, bindings), by number
        "root_numbers": (SLOT,),  # (subject, bindings) -> number
        "calls_first": ("i4",),  # results of call patterns: calls with their bindings
        "calls_code": ("i4",),
        "calls_bindings": ("i4",),
        "forest": (TREE,),
        "anywhere": ("i4",),  # [1] first tree of the groups that may apply everywhere
        "heads": ("i4",),  # first tree of each state of the pattern automaton
        "moves": (SLOT,),  # (state, call) -> state
        "below": (SLOT,),  # (line, bindings, their call) -> first tree, LEAF for none
        "groups": (GROUP,),
        "group_lines": ("i4",),
        "lines": (LINE,),
        "variants": (VARIANT,),
        "promises": ("i4",),  # subjects
        "agreed": ("i4", 2),  # number of the agreement, word
        "joined": (SLOT,),  # (needs, needs) -> needs
        "entry_numbers": (SLOT,),  # (variant, needs, call, bindings) -> entry
        "entries": (ENTRY,),
        "needs": (NEEDS,),
        "cells": ("u8", SET_WORDS),
        "tests": (TEST,),
        "bindings": ("u4",),  # packed, 3 bits a variable
    }


class Store(ArrayGroup):
    """Places that were worked out. The first eight arrays are what working out a place reads."""

    fields: ClassVar[dict[str, Field]] = {
        "list_first": ("i8",),
        "list_items": ("i4",),  # entry << 1 | whether it begins a new rank
        "rows": (PLACE,),
        "sets": ("u8", SET_WORDS),
        "ranges": ("i1", RANGES, 2),  # -1 low until worked out
        "reach": ("u8", SET_WORDS),  # cells where a term's least is a value, then the most
        "reach_first": ("i4",),  # [RANGES + 1] first of each term's values, from 0
        "lengths": ("u1", 4),  # [SHAPES]
        "children": (SLOT,),  # (place, call) -> place
        "parent": ("i4",),
        "call": ("u1",),
        "list": ("i4",),  # its entries, UNKNOWN until the place is expanded
        "chosen": ("i4",),  # what is chosen from: its entries, or what overlays make of them
        "row": ("i4",),  # number of its row, -1 where it has none (any more)
        "list_numbers": (SLOT,),
        "set_numbers": (SLOT,),
        "hulls": ("u1", HULL_TERMS, 2),
        "counts": ("i8",),  # places, lists, list items, rows, sets
    }


PLACES, LISTS, ITEMS, ROWS, SETS = range(5)


class PlaceBlock(ArrayGroup):
    """What a thread works out: new places with their rows, sets and entries."""

    fields: ClassVar[dict[str, Field]] = {
        "status": ("i4",),  # DONE, or LEARN where something is missing
        "rows": (PLACE,),  # a new set in ``known`` is -1 - its item
        "sets": ("u8", SET_WORDS),
        "hulls": ("u1", HULL_TERMS, 2),
        "ranges": ("i1", RANGES, 2),
        "first": ("i8",),
        "items": ("i4",),
        "misses": ("i8", 5),  # kind, item (-1 - item: of the row before), and what is missing
        "found": ("i4", 4),  # groups that apply: turn, group, bindings, needs
        "stack": ("i4", 2),
        "owners": ("i4",),  # [CALLS] specificity of the context that has a call
        "sizes": ("i8",),  # misses so far
    }


class Listed(ArrayGroup):
    """Auctions that systems allow for deals, one behind the other, and room for the walk."""

    fields: ClassVar[dict[str, Field]] = {
        "end": ("i8",),  # [deals + 1] where each deal's auctions end
        "cut": ("u1",),  # [deals] what kept the list from being whole, see :data:`CUTS`
        "place": ("i4",),  # where the last call of each auction is made
        "call": ("u1",),
        "completed": ("u1",),
        "held_end": ("i8",),  # [auctions + 1] where the entries end that make its last call
        "held": ("i4",),
        "levels": ("u1", LEVEL_BYTES),  # [LEVELS]
        "at": (WALK,),  # [1]
    }


LAYOUT: Final = (
    PLACE,
    QUESTION,
    DECISION,
    TREE,
    GROUP,
    LINE,
    VARIANT,
    ENTRY,
    NEEDS,
    TEST,
    SLOT,
    WALK,
)
"""Row types that the library tells the sizes of, in its order."""
