"""What a vetting found, as frames with documented columns; :data:`COLUMNS` says what each means."""

import re
from typing import Final

import numpy as np
import polars as pl

from bidcascade.bridge import CALL_TEXTS, SEATS
from bidcascade.inference.quantiles import wilson_interval
from bidcascade.kernels.number_ranges import numbers_of_ranges
from bidcascade.table import NONE_U32, BiddingTable
from bidcascade.table.judging import UNDESCRIBED, blocks_at

from .vetting import NEVER, Vetting

_SUIT: Final = re.compile(r"_[CDHS](?=[2-9TJQKA]?\b)")
_NUMBER: Final = re.compile(r"(?<![\w])\d+(\.\d+)?(?!\w)")

_PLACE: Final = {
    "place": "entry of the auction before the call; null at the opening",
    "auction": "the calls before, such as `1N P`; empty at the opening",
}
_STATUS: Final = {
    "agrees": "calls that the table makes too",
    "allowed": "calls that hold behind another one",
    "fails": "calls whose conditions do not hold",
    "missing": "calls that the table does not have, though it has others",
    "ended": "calls where the table has none",
}
_FAILED: Final = {
    "failed_share": "`failed / made`",
    "only": "how often it was the only one that failed",
    "decides": "auctions that would hold to the last call but for it",
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
        **_FAILED,
    },
    "expressions": {
        "expression": "condition; null stands for undescribed calls that may not hold",
        "kind": "the condition without its suits and numbers: `SL_x >= n`",
        "entries": "different calls made that have it",
        "made": "how often they were made",
        "failed": "how often it failed there; 0 for those that never did",
        **_FAILED,
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
    "depths": {"depth": "calls before", **_STATUS},
    "seats": {
        "seat": "who called: N, E, S, W",
        **_STATUS,
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
    >>> from bidcascade.table.real_calls import CallLists
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["HCP >= 38"]}])
    >>> vetting = Vetting(table)
    >>> deals = DealArrays(deal_hands(1, 0, 1), np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    >>> vetting.add(deals, CallLists.of(pl.Series([[7]], dtype=pl.List(pl.UInt8))))
    >>> vetting_frames(vetting)["blocking"].select("auction", "expression", "failed").row(0)
    ('1N', 'HCP >= 38', 1)
    """
    made = {
        "places": (_places(vetting), ["wrong_low", "wrong"]),
        "calls": (_calls(vetting), ["made"]),
        "instead": (vetting.instead.frame.with_columns(_texts("call", "instead")), ["decisions"]),
        "blocking": (_blocking(vetting), ["failed", "only"]),
        "expressions": (_expressions(vetting), ["failed", "only"]),
        "overlaps": (_overlaps(vetting), ["both"]),
        "entries": (_entries(vetting), []),
        "auctions": (_auctions(vetting), ["deals"]),
        "stops": (_stops(vetting), ["deals", "behind"]),
        "depths": (vetting.depths.frame, []),
        "seats": (_seats(vetting), []),
        "holding": (vetting.holding.frame, []),
    }
    # what is equal in the counts that it is sorted by stays in the order of the table
    return {
        name: _readable(
            vetting, frame.sort(order, descending=True, maintain_order=True) if order else frame
        ).select(COLUMNS[name].keys())
        for name, (frame, order) in made.items()
    }


def _places(vetting: Vetting) -> pl.DataFrame:
    frame = vetting.places.frame.with_columns(decisions=_DECISIONS)
    frame = frame.with_columns(wrong=pl.col.decisions - pl.col.agrees)
    low, high = wilson_interval(frame["wrong"], frame["decisions"])
    return frame.with_columns(
        _share("wrong", "decisions"), wrong_low=pl.Series(low), wrong_high=pl.Series(high)
    )


def _calls(vetting: Vetting) -> pl.DataFrame:
    frame = _with_entries(vetting.table, vetting.calls.frame)
    most = vetting.instead.frame.sort("decisions", descending=True, maintain_order=True)
    most = most.group_by("place", "call", maintain_order=True).first()
    most = most.rename({"decisions": "instead_count"})
    describe = vetting.table.description
    descriptions = [describe(entry) if entry >= 0 else None for entry in frame["entry"]]
    frame = frame.join(most, on=["place", "call"], how="left", maintain_order="left")
    return frame.with_columns(
        _texts("call", "instead"),
        pl.col.instead_count.fill_null(0),
        description=pl.Series(descriptions, dtype=pl.String),
    )


def _blocking(vetting: Vetting) -> pl.DataFrame:
    frame = vetting.blocking.frame.join(
        _made(vetting), on="entry", how="left", maintain_order="left"
    )
    calls = pl.Series(vetting.table.call[frame["entry"].to_numpy()])
    return frame.with_columns(
        _share("failed", "made"), call=calls, expression=_expression_texts(vetting, frame)
    ).with_columns(_texts("call"))


def _expressions(vetting: Vetting) -> pl.DataFrame:
    judge, made = vetting.judge, _made(vetting)
    sets = pl.Series(judge.variant_set[made["entry"].to_numpy()])
    by_set = made.group_by(set=sets).agg(entries=pl.len().cast(pl.Int64), made=pl.col.made.sum())
    expressions = [judge.set_expressions[one] if one else [UNDESCRIBED] for one in by_set["set"]]
    by_set = by_set.with_columns(expression=pl.Series(expressions, dtype=pl.List(pl.Int64)))
    failed = vetting.blocking.frame.group_by("expression").agg(
        pl.col("failed", "only", "decides").sum()
    )
    frame = by_set.explode("expression").group_by("expression").agg(pl.col("entries", "made").sum())
    frame = frame.join(failed, on="expression", how="left").sort("expression").fill_null(0)
    texts = _expression_texts(vetting, frame)
    kinds = [text and kind_of(text) for text in texts]
    return frame.with_columns(
        _share("failed", "made"), expression=texts, kind=pl.Series(kinds, dtype=pl.String)
    )


def kind_of(expression: str) -> str:
    """Condition without its suits and numbers, so that alike ones can be counted together."""
    return _NUMBER.sub("n", _SUIT.sub("_x", expression))


def _overlaps(vetting: Vetting) -> pl.DataFrame:
    frame, call = vetting.overlaps.frame, vetting.table.call
    ends = {name: pl.Series(call[frame[name].to_numpy()]) for name in ("first", "second")}
    frame = _with_decisions(vetting, frame, frame["first"])
    return frame.with_columns(_share("both", "decisions"), **ends).with_columns(
        _texts("first", "second")
    )


def _entries(vetting: Vetting) -> pl.DataFrame:
    frame = vetting.siblings.frame
    frame = frame.join(_made(vetting), on="entry", how="left", maintain_order="left")
    frame = _with_decisions(vetting, frame.fill_null(0), frame["entry"])
    return frame.drop("place").rename({"decisions": "offered"})


def _auctions(vetting: Vetting) -> pl.DataFrame:
    by_stop, keys = vetting.auctions.frame, ["entry", "leaves"]
    stops = pl.col.stop_at != NEVER
    # of equals the earlier call
    most = by_stop.filter(stops).sort("deals", descending=True, maintain_order=True)
    most = most.group_by(keys, maintain_order=True).first().rename({"deals": "stop_deals"})
    frame = by_stop.group_by(keys, maintain_order=True).agg(
        pl.col.deals.sum(), held=pl.col.deals.filter(~stops).sum()
    )
    frame = frame.join(most, on=keys, how="left", maintain_order="left")
    frame = frame.with_columns(pl.col.stop_deals.fill_null(0), _texts("leaves"))
    stop_texts = [
        None if at is None else " ".join([*calls.split(), *([out] if out else [])][: at + 1])
        for calls, out, at in zip(
            _auctions_of(vetting, frame["entry"]), frame["leaves"], frame["stop_at"], strict=True
        )
    ]
    return frame.with_columns(stop=pl.Series(stop_texts, dtype=pl.String))


def _stops(vetting: Vetting) -> pl.DataFrame:
    frame = _with_entries(vetting.table, vetting.stops.frame)
    return frame.with_columns(_texts("call"), known=pl.col.entry >= 0)


def _seats(vetting: Vetting) -> pl.DataFrame:
    frame = vetting.seats.frame
    return frame.with_columns(pl.Series("seat", [SEATS[seat] for seat in frame["seat"]], pl.String))


# --- places, entries, texts, shares --------------------------------------------------------------

_DECISIONS: Final = pl.sum_horizontal("agrees", "allowed", "fails", "missing")


def _readable(vetting: Vetting, frame: pl.DataFrame) -> pl.DataFrame:
    """Write auctions of places (or entries), null for what is no entry, and counts unsigned."""
    numbers = [name for name in ("place", "entry") if name in frame.columns]
    if numbers:
        auctions = _auctions_of(vetting, frame[numbers[0]])
        frame = frame.with_columns(pl.Series("auction", auctions, pl.String))
    known = (
        pl.when(pl.col(name) >= 0).then(pl.col(name).cast(pl.UInt32, strict=False)).alias(name)
        for name in numbers
    )
    return frame.with_columns(known).with_columns(pl.col(pl.Int64).cast(pl.UInt64))


def _auctions_of(vetting: Vetting, entries: pl.Series) -> list[str]:
    """Auctions that end with entries; -1 is the empty one."""
    texts = vetting.auction_texts
    new = np.array([entry for entry in entries.unique() if entry not in texts], np.int64)
    for entry, calls in zip(new.tolist(), vetting.table.auctions_of(new), strict=True):
        texts[entry] = " ".join([CALL_TEXTS[call] for call in calls])
    return [texts[entry] for entry in entries]


def _texts(*names: str) -> pl.Expr:
    """Texts of calls in place of their codes; null for what is none."""
    codes = list(range(len(CALL_TEXTS)))
    return pl.col(*names).replace_strict(codes, CALL_TEXTS, default=None, return_dtype=pl.String)


def _expression_texts(vetting: Vetting, frame: pl.DataFrame) -> pl.Series:
    texts = vetting.judge.expressions
    found = [None if one == UNDESCRIBED else texts[one] for one in frame["expression"]]
    return pl.Series(found, dtype=pl.String)


def _with_entries(table: BiddingTable, frame: pl.DataFrame) -> pl.DataFrame:
    """Add the entry of each call at its place, -1 if there is none."""
    places, calls = frame["place"].to_numpy(), frame["call"].to_numpy()
    first, count = blocks_at(table, places)
    siblings = numbers_of_ranges(first, count)
    which = np.repeat(np.arange(len(places)), count)
    found = table.call[siblings] == calls[which]
    entries = np.full(len(places), -1, np.int64)
    entries[which[found]] = siblings[found]
    return frame.with_columns(entry=pl.Series(entries))


def _made(vetting: Vetting) -> pl.DataFrame:
    """Entries of calls that were made, how often they were and how often they did not hold."""
    frame = _with_entries(vetting.table, vetting.calls.frame).filter(pl.col.entry >= 0)
    return frame.select("entry", "made", blocked=pl.col.made - pl.col.held)


def _with_decisions(vetting: Vetting, frame: pl.DataFrame, entries: pl.Series) -> pl.DataFrame:
    """Add the place of entries, and how many calls were judged there."""
    above = vetting.table.parents[entries.to_numpy()]
    places = np.where(above == NONE_U32, -1, above.astype(np.int64))
    decisions = vetting.places.frame.select("place", decisions=_DECISIONS)
    return frame.with_columns(place=pl.Series(places)).join(
        decisions, on="place", how="left", maintain_order="left"
    )


def _share(part: str, whole: str) -> pl.Expr:
    share = pl.when(pl.col(whole) > 0).then(pl.col(part) / pl.col(whole)).otherwise(0.0)
    return share.alias(f"{part}_share")
