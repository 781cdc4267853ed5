"""What a vetting found, as frames with documented columns; :data:`COLUMNS` says what each means."""

import re
from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import CALL_TEXTS, SEATS, format_call
from bidcascade.table import NONE_U32, BiddingTable
from bidcascade.table.vetting.judging import UNDESCRIBED
from bidcascade.table.vetting.rates import wilson_interval
from bidcascade.table.vetting.vetting import NEVER, WHOLE, Vetting

I64 = NDArray[np.int64]

_SUIT: Final = re.compile(r"_[CDHS](?=[2-9TJQKA]?\b)")
_NUMBER: Final = re.compile(r"(?<![\w])\d+(\.\d+)?(?!\w)")

_PLACE: Final = {
    "place": "entry of the auction before the call; null at the opening",
    "auction": "the calls before, such as `1N P`; empty at the opening",
}

COLUMNS: Final[dict[str, dict[str, str]]] = {
    "places": {
        **_PLACE,
        "decisions": "calls made there, where the table has calls",
        "agrees": "of them, calls that the table makes too",
        "allowed": "calls that hold, behind another one that the table makes",
        "fails": "calls that the table has and whose conditions do not hold on the hand",
        "missing": "calls that the table does not have, though it has others",
        "wrong": "`allowed + fails + missing`",
        "wrong_share": "`wrong / decisions`",
        "wrong_low": "lower end of its 95 % interval (Wilson)",
        "wrong_high": "upper end",
        "held": "calls whose conditions hold on the hand",
        "silent": "decisions at which no call of the table holds: it passes",
        "several": "decisions at which more than one holds",
        "ended": "calls made there where the table has none",
    },
    "calls": {
        **_PLACE,
        "call": "the call that was made",
        "entry": "its entry; null if the table has no such call there",
        "description": "what the table says of it",
        "made": "how often it was made",
        "held": "how often its conditions held on the hand",
        "agrees": "how often it is what the table calls",
        "instead": "what the table calls most often where it differs; null if it never does",
        "instead_count": "how often",
    },
    "instead": {
        **_PLACE,
        "call": "the call that was made",
        "instead": "what the table calls",
        "decisions": "how often",
    },
    "blocking": {
        "entry": "entry of the call that was made",
        "auction": "the auction up to this call",
        "call": "the call",
        "made": "how often it was made",
        "blocked": "how often it did not hold",
        "expression": "condition that failed; null where the entry is undescribed and may not hold",
        "failed": "how often it failed",
        "failed_share": "`failed / made`",
        "only": "how often it was the only one that failed",
        "decides": "auctions that would hold to the last call but for it",
    },
    "expressions": {
        "expression": "condition; null stands for undescribed calls that may not hold",
        "kind": "the condition without its suits and numbers: `SL_x >= n`",
        "entries": "different calls made that have it",
        "made": "how often they were made",
        "failed": "how often it failed there; 0 for those that never did",
        "failed_share": "`failed / made`",
        "only": "how often it was the only one that failed",
        "decides": "auctions that would hold to the last call but for it",
    },
    "overlaps": {
        **_PLACE,
        "first": "a call that the table has there",
        "second": "a later one",
        "decisions": "calls made there",
        "both": "how often both held",
        "both_share": "`both / decisions`",
    },
    "entries": {
        "entry": "an entry at a place where a call was made",
        "auction": "the auction up to its call",
        "offered": "calls made at its place",
        "held": "how often it held on the hand",
        "first": "how often it was the first to hold, so that the table calls it",
        "made": "how often it was made",
    },
    "auctions": {
        "auction": "the calls made, as far as the table has them",
        "leaves": "the call with which it leaves the table; null if only passes follow, or nothing",
        "deals": "how many deals went so",
        "held": "how many of them hold from the first to the last call",
        "stop": "the first call that does not hold, as an auction, where most of them stop",
        "stop_deals": "how many stop there",
    },
    "stops": {
        **_PLACE,
        "call": "the first call of an auction that does not hold",
        "known": "whether the table has it",
        "deals": "auctions that stop to hold here",
        "behind": "their calls behind it",
    },
    "depths": {
        "depth": "calls before",
        "agrees": "calls that the table makes too",
        "allowed": "calls that hold behind another one",
        "fails": "calls whose conditions do not hold",
        "missing": "calls that the table does not have, though it has others",
        "ended": "calls where the table has none",
    },
    "seats": {
        "seat": "who called: N, E, S, W",
        "agrees": "calls that the table makes too",
        "allowed": "calls that hold behind another one",
        "fails": "calls whose conditions do not hold",
        "missing": "calls that the table does not have, though it has others",
        "ended": "calls where the table has none",
        "described": "calls for which the table has conditions",
        "described_held": "how many of them hold",
    },
    "holding": {
        "holding": "how many calls of the table hold",
        "decisions": "at how many decisions",
    },
}
"""Frames of :func:`vetting_frames`: their columns, and what each means."""


def vetting_frames(vetting: Vetting) -> dict[str, pl.DataFrame]:
    """All frames of :data:`COLUMNS`, worst or most frequent rows first.

    Examples
    --------
    >>> from bidcascade.kernels import DealArrays
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table.build import build_table
    >>> from bidcascade.table.decisions import CallLists
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 38"]}])
    >>> vetting = Vetting(table)
    >>> deals = DealArrays(deal_hands(1, 0, 1), np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    >>> vetting.add(deals, CallLists.of(pl.Series([[7]], dtype=pl.List(pl.UInt8))))
    >>> vetting_frames(vetting)["blocking"].select("auction", "expression", "failed").row(0)
    ('1N', 'HCP >= 38', 1)
    """
    makers: dict[str, Callable[[Vetting], pl.DataFrame]] = {
        "places": places_frame,
        "calls": calls_frame,
        "instead": instead_frame,
        "blocking": blocking_frame,
        "expressions": expressions_frame,
        "overlaps": overlaps_frame,
        "entries": entries_frame,
        "auctions": auctions_frame,
        "stops": stops_frame,
        "depths": depths_frame,
        "seats": seats_frame,
        "holding": holding_frame,
    }
    return {name: make(vetting).select(COLUMNS[name].keys()) for name, make in makers.items()}


def places_frame(vetting: Vetting) -> pl.DataFrame:
    """Places, those first that are surely worst: by the lower end of the interval."""
    tally = vetting.places
    fields = ("agrees", "allowed", "fails", "missing", "held", "silent", "several", "ended")
    counts = {name: tally[name] for name in fields}
    decisions = counts["agrees"] + counts["allowed"] + counts["fails"] + counts["missing"]
    wrong = decisions - counts["agrees"]
    low, high = wilson_interval(wrong, decisions)
    share = _share(wrong, decisions)
    frame = pl.DataFrame(
        [
            *_place_columns(vetting, tally.keys[0]),
            pl.Series("decisions", decisions),
            *(pl.Series(name, counts[name]) for name in fields),
            pl.Series("wrong", wrong),
            pl.Series("wrong_share", share),
            pl.Series("wrong_low", low),
            pl.Series("wrong_high", high),
        ]
    )
    frame = _whole_numbers(frame)
    return frame.sort("wrong_low", "wrong", descending=True, maintain_order=True)


def calls_frame(vetting: Vetting) -> pl.DataFrame:
    """Tell of each call made at a place how it fared, the most frequent ones first."""
    table, tally = vetting.table, vetting.calls
    places, calls = tally.keys
    entries = _entries_of(table, places, calls)
    used = np.unique(entries[entries >= 0])
    texts = dict(zip(used.tolist(), map(table.description, used.tolist()), strict=True))
    frame = pl.DataFrame(
        [
            *_place_columns(vetting, places),
            _call_texts("call", calls),
            _entry_column("entry", entries),
            pl.Series("description", [texts.get(entry) for entry in entries.tolist()], pl.String),
            *(pl.Series(name, tally[name]) for name in ("made", "held", "agrees")),
        ]
    )
    most = instead_frame(vetting).group_by("auction", "call", maintain_order=True).first()
    most = most.select("auction", "call", "instead", instead_count="decisions")
    frame = frame.join(most, on=["auction", "call"], how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("instead_count").fill_null(0))
    return _whole_numbers(frame).sort("made", descending=True, maintain_order=True)


def instead_frame(vetting: Vetting) -> pl.DataFrame:
    """Confront calls that were made with those of the table, where they differ."""
    places, changed = vetting.instead.keys
    frame = pl.DataFrame(
        [
            *_place_columns(vetting, places),
            _call_texts("call", changed // 64),
            _call_texts("instead", changed % 64),
            pl.Series("decisions", vetting.instead["decisions"]),
        ]
    )
    return _whole_numbers(frame).sort("decisions", descending=True, maintain_order=True)


def blocking_frame(vetting: Vetting) -> pl.DataFrame:
    """Tell what was in the way of calls that were made, by call; most frequent first."""
    table, tally = vetting.table, vetting.blocking
    entries, expressions = tally.keys
    made, held = _made_and_held(vetting, entries)
    frame = pl.DataFrame(
        [
            _entry_column("entry", entries),
            pl.Series("auction", _auctions(vetting, entries), pl.String),
            _call_texts("call", table.call[entries].astype(np.int64)),
            pl.Series("made", made),
            pl.Series("blocked", made - held),
            _expression_texts(vetting, expressions),
            pl.Series("failed", tally["failed"]),
            pl.Series("failed_share", _share(tally["failed"], made)),
            pl.Series("only", tally["only"]),
            pl.Series("decides", tally["decides"]),
        ]
    )
    return _whole_numbers(frame).sort("failed", "only", descending=True, maintain_order=True)


def expressions_frame(vetting: Vetting) -> pl.DataFrame:
    """Tell how often each condition of calls that were made failed; most frequent first."""
    judge, tally = vetting.judge, vetting.blocking
    entries, made = _made_entries(vetting)
    sets, set_of_entry = np.unique(judge.variant_set[entries], return_inverse=True)
    size = len(judge.expressions)
    # the last one stands for undescribed calls
    in_entries, in_made, failed, only, decides = np.zeros((5, size + 1), np.int64)
    set_entries = np.bincount(set_of_entry, minlength=len(sets))
    set_made = np.zeros(len(sets), np.int64)
    np.add.at(set_made, set_of_entry, made)
    for number, entry_count, made_count in zip(
        sets.tolist(), set_entries.tolist(), set_made.tolist(), strict=True
    ):
        for expression in judge.set_expressions[number] if number else [size]:
            in_entries[expression] += entry_count
            in_made[expression] += made_count
    failing = np.minimum(tally.keys[1], size)
    np.add.at(failed, failing, tally["failed"])
    np.add.at(only, failing, tally["only"])
    np.add.at(decides, failing, tally["decides"])
    asked = np.flatnonzero(in_entries)
    texts = _expression_texts(vetting, np.where(asked == size, UNDESCRIBED, asked))
    frame = pl.DataFrame(
        [
            texts,
            pl.Series("kind", [one and kind_of(one) for one in texts.to_list()], pl.String),
            pl.Series("entries", in_entries[asked]),
            pl.Series("made", in_made[asked]),
            pl.Series("failed", failed[asked]),
            pl.Series("failed_share", _share(failed[asked], in_made[asked])),
            pl.Series("only", only[asked]),
            pl.Series("decides", decides[asked]),
        ]
    )
    return _whole_numbers(frame).sort("failed", "only", descending=True, maintain_order=True)


def kind_of(expression: str) -> str:
    """Condition without its suits and numbers, so that alike ones can be counted together.

    Examples
    --------
    >>> kind_of("SL_S >= 5"), kind_of("C_HQ and Top3_H >= 2"), kind_of("Pattern == '4432'")
    ('SL_x >= n', 'C_xQ and Top3_x >= n', "Pattern == 'n'")
    """
    return _NUMBER.sub("n", _SUIT.sub("_x", expression))


def overlaps_frame(vetting: Vetting) -> pl.DataFrame:
    """Pairs of calls at one place that held together, the most frequent first."""
    table, tally = vetting.table, vetting.overlaps
    first, second = tally.keys
    places = _places_of(table, first)
    decisions = _decisions_at(vetting, places)
    frame = pl.DataFrame(
        [
            *_place_columns(vetting, places),
            _call_texts("first", table.call[first].astype(np.int64)),
            _call_texts("second", table.call[second].astype(np.int64)),
            pl.Series("decisions", decisions),
            pl.Series("both", tally["both"]),
            pl.Series("both_share", _share(tally["both"], decisions)),
        ]
    )
    return _whole_numbers(frame).sort("both", descending=True, maintain_order=True)


def entries_frame(vetting: Vetting) -> pl.DataFrame:
    """Entries at places where calls were made, in the order of the table."""
    tally = vetting.siblings
    entries = tally.keys[0]
    made, _ = _made_and_held(vetting, entries)
    return _whole_numbers(
        pl.DataFrame(
            [
                _entry_column("entry", entries),
                pl.Series("auction", _auctions(vetting, entries), pl.String),
                pl.Series("offered", _decisions_at(vetting, _places_of(vetting.table, entries))),
                pl.Series("held", tally["held"]),
                pl.Series("first", tally["first"]),
                pl.Series("made", made),
            ]
        )
    )


def auctions_frame(vetting: Vetting) -> pl.DataFrame:
    """Whole auctions, the most frequent ones first."""
    tally = vetting.auctions
    keys, stops = tally.keys
    by_stop = pl.DataFrame({"key": keys, "stop_at": stops, "deals": tally["deals"]})
    stopped = by_stop.filter(pl.col("stop_at") != NEVER)
    # of equals the earlier call
    most = stopped.sort("key", "deals", "stop_at", descending=[False, True, False])
    most = most.group_by("key", maintain_order=True).first()
    held = pl.when(pl.col("stop_at") == NEVER).then("deals").otherwise(0).sum().alias("held")
    frame = by_stop.group_by("key", maintain_order=True).agg(pl.col("deals").sum(), held)
    frame = frame.join(
        most.rename({"deals": "stop_deals"}), on="key", how="left", maintain_order="left"
    )
    key = frame["key"].to_numpy()
    auctions = _auctions(vetting, key // 64 - 1)
    leaves = [None if call == WHOLE else format_call(call) for call in (key % 64).tolist()]
    stop_texts = [
        None if at is None else " ".join([*calls.split(), *([out] if out else [])][: at + 1])
        for calls, out, at in zip(auctions, leaves, frame["stop_at"].to_list(), strict=True)
    ]
    frame = frame.with_columns(
        pl.Series("auction", auctions, pl.String),
        pl.Series("leaves", leaves, pl.String),
        pl.Series("stop", stop_texts, pl.String),
        pl.col("stop_deals").fill_null(0),
    ).drop("key", "stop_at")
    return _whole_numbers(frame).sort("deals", descending=True, maintain_order=True)


def stops_frame(vetting: Vetting) -> pl.DataFrame:
    """Tell at which calls auctions stop to hold, the most frequent ones first."""
    table, tally = vetting.table, vetting.stops
    places, calls = tally.keys
    frame = pl.DataFrame(
        [
            *_place_columns(vetting, places),
            _call_texts("call", calls),
            pl.Series("known", _entries_of(table, places, calls) >= 0),
            pl.Series("deals", tally["deals"]),
            pl.Series("behind", tally["behind"]),
        ]
    )
    return _whole_numbers(frame).sort("deals", "behind", descending=True, maintain_order=True)


def depths_frame(vetting: Vetting) -> pl.DataFrame:
    """Tell what the table says of calls, by the number of calls before."""
    tally = vetting.depths
    names = ("agrees", "allowed", "fails", "missing", "ended")
    return _whole_numbers(
        pl.DataFrame({"depth": tally.keys[0], **{name: tally[name] for name in names}})
    )


def seats_frame(vetting: Vetting) -> pl.DataFrame:
    """Tell what the table says of the calls of each player."""
    tally = vetting.seats
    names = ("agrees", "allowed", "fails", "missing", "ended", "described", "described_held")
    seats = pl.Series("seat", [SEATS[seat] for seat in tally.keys[0].tolist()], pl.String)
    return _whole_numbers(pl.DataFrame([seats, *(pl.Series(one, tally[one]) for one in names)]))


def holding_frame(vetting: Vetting) -> pl.DataFrame:
    """How many calls of the table hold at decisions."""
    tally = vetting.holding
    return _whole_numbers(pl.DataFrame({"holding": tally.keys[0], "decisions": tally["decisions"]}))


# --- places, entries, texts ---------------------------------------------------------------------


def _share(part: I64, whole: I64) -> NDArray[np.float64]:
    share: NDArray[np.float64] = np.where(whole > 0, part / np.maximum(whole, 1), 0.0)
    return share


def _whole_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Make counts unsigned numbers."""
    return frame.with_columns(pl.col(pl.Int64).cast(pl.UInt64))


def _auctions(vetting: Vetting, entries: I64) -> list[str]:
    """Auctions that end with entries; -1 is the empty one."""
    texts = vetting.auction_texts
    used = np.unique(entries)
    new = np.array([entry for entry in used.tolist() if entry not in texts], np.int64)
    for entry, calls in zip(new.tolist(), vetting.table.auctions_of(new), strict=True):
        texts[entry] = " ".join([CALL_TEXTS[call] for call in calls])
    return [texts[entry] for entry in entries.tolist()]


def _place_columns(vetting: Vetting, places: I64) -> list[pl.Series]:
    return [
        _entry_column("place", places - 1),
        pl.Series("auction", _auctions(vetting, places - 1), pl.String),
    ]


def _entry_column(name: str, entries: I64) -> pl.Series:
    known = pl.Series(entries >= 0)
    numbers = pl.Series(name, np.maximum(entries, 0).astype(np.uint32))
    return pl.select(pl.when(known).then(numbers).alias(name)).to_series()


def _call_texts(name: str, calls: I64) -> pl.Series:
    return pl.Series(name, [CALL_TEXTS[call] for call in calls.tolist()], pl.String)


def _expression_texts(vetting: Vetting, expressions: I64) -> pl.Series:
    texts = vetting.judge.expressions
    found = [None if one == UNDESCRIBED else texts[one] for one in expressions.tolist()]
    return pl.Series("expression", found, pl.String)


def _entries_of(table: BiddingTable, places: I64, calls: I64) -> I64:
    """Entry of a call at a place, -1 if there is none."""
    entries = np.full(len(places), -1, np.int64)
    if not len(table):
        return entries
    opening = places == 0
    above = np.where(opening, 0, places - 1)
    first = np.where(opening, 0, table.first_child[above].astype(np.int64))
    count = np.where(opening, table.root_count, table.child_count[above].astype(np.int64))
    begins = np.cumsum(count) - count
    siblings = np.repeat(first - begins, count) + np.arange(int(count.sum()))
    asked = np.repeat(np.arange(len(places)), count)
    found = table.call[siblings] == calls[asked]
    entries[asked[found]] = siblings[found]
    return entries


def _places_of(table: BiddingTable, entries: I64) -> I64:
    above = table.parents[entries]
    places: I64 = np.where(above == NONE_U32, 0, above.astype(np.int64) + 1)
    return places


def _at(keys: I64, counts: I64, wanted: I64) -> I64:
    """Look up counts of keys, 0 where a key is not there."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64)
    position = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: I64 = np.where(keys[position] == wanted, counts[position], 0)
    return found


def _decisions_at(vetting: Vetting, places: I64) -> I64:
    tally = vetting.places
    decisions = tally["agrees"] + tally["allowed"] + tally["fails"] + tally["missing"]
    return _at(tally.keys[0], decisions, places)


def _made_and_held(vetting: Vetting, entries: I64) -> tuple[I64, I64]:
    tally = vetting.calls
    keys = 64 * tally.keys[0] + tally.keys[1]
    wanted = 64 * _places_of(vetting.table, entries) + vetting.table.call[entries]
    return _at(keys, tally["made"], wanted), _at(keys, tally["held"], wanted)


def _made_entries(vetting: Vetting) -> tuple[I64, I64]:
    """Entries that were made, and how often."""
    places, calls = vetting.calls.keys
    entries = _entries_of(vetting.table, places, calls)
    known = entries >= 0
    return entries[known], vetting.calls["made"][known]
