"""From a run of counted auctions to a bidding table with its texts, and back.

Which of the texts that a call was given with describes it: texts fall into classes, the better ones
first: complete; cut off or with a part that is no phrase; human; no text that can be read. Of the
complete ones, and of the damaged ones, the longest is kept, because BBO cuts texts and GIB says no
more than it means. Of human texts the most frequent is: how long a remark is says nothing. What is
equal in that is chosen by frequency, then as text.

Priority of the calls that may follow one another, by rank: ``specificity``: described calls first,
those that fewest hands fit before the others; a call that says more about its hand is then not
taken away by one that says little. ``frequency``: described calls first, the most frequent before
the others. ``file``: as the published tables stand, by the text of the call as their files spell it
(``1C 1D 1H 1N 1S 2C … 7S d p r``). How many hands fit is counted on the hands of fixed random
deals, the same for every table.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from bidcascade.bridge import InvalidInput, InvalidTable
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.kernels.dealing import deal_hands
from bidcascade.kernels.packing.intervals import left_by, narrow
from bidcascade.kernels.plan import expressions_plan
from bidcascade.kernels.types import I64, U8, U16, U32, Bools
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.building.canonical import renumber
from bidcascade.table.building.interning import CriteriaInterner, TagInterner, TextInterner
from bidcascade.table.columns import (
    CAN_COMPLETE,
    COMPLETED,
    INSERTED,
    REQUIRED_COLUMNS,
    VARIANT_COLUMNS,
    Columns,
    offsets_of,
)
from bidcascade.table.formats.published import FILE_CALLS
from bidcascade.table.inspection.announcements import lin_length, read_announcement
from bidcascade.table.language.expression_tree import Comparison, Number, TermName
from bidcascade.table.language.expressions import parse_expression, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

Rank: TypeAlias = Literal["file", "frequency", "specificity"]
RANKS: Final[tuple[Rank, ...]] = ("file", "frequency", "specificity")

ANNOUNCEMENTS: Final = "announcements"
"""Extra with all texts of all entries."""
INPUTS: Final = "mined_inputs"
"""Extra with the files that a table was mined from."""

ANNOUNCEMENT_SCHEMA: Final = pl.Schema(
    {"entry": pl.UInt32(), "text": pl.String(), "count": pl.UInt32(), "notes": pl.UInt32()}
    | dict.fromkeys(("complete", "truncated", "human", "kept"), pl.Boolean())
)
"""``count``: how often the call was given with the text; ``notes``: how often of these in a note;
``kept``: whether it describes the entry."""

MINED_SOURCES: Final = ("undescribed", "announcement", "note")
"""Sources of mined entries: no text; a text of the record; a text of a note."""

SAMPLE_DEALS: Final = 1 << 14
"""Random deals whose hands are counted."""
SAMPLE_SEED: Final = 2026
_EXPRESSIONS_AT_ONCE: Final = 256

COMPLETE, DAMAGED, HUMAN, REJECTED = range(4)


class MinedRun(NamedTuple):
    """Every prefix of some auctions in sorted order: four columns of nodes, two of texts.

    Texts stand node by node, ascending by ``text``: twice the number of a text, plus 1 where it
    stood in a note and not in the record.
    """

    depth: U16  # calls before the node's own
    call: U8
    auctions: U32  # how many go through the node
    texts: U32  # how many different ones were given with the call
    text: U32
    times: U32  # how often each was given

    @classmethod
    def empty(cls) -> "MinedRun":
        """Run without a node."""
        return cls(*(np.zeros(0, kind) for kind in RUN_COLUMNS.values()))


RUN_COLUMNS: Final = {
    "depth": np.uint16, "call": np.uint8, "auctions": np.uint32, "texts": np.uint32,
    "text": np.uint32, "times": np.uint32,
}  # fmt: skip


def sorted_run(
    parent: U32, call: U8, count: U32, pair_node: U32, pair_text: U32, pair_times: U32
) -> MinedRun:
    """Sort a trie into a run; ``parent`` and ``pair_node`` are numbers of nodes plus 1, 0 is none.

    A pair is a text at a node.
    """
    from bidcascade.kernels.core.tables.auctions import write_preorder

    nodes = len(parent)
    children = np.argsort(parent.astype(np.int64) << 6 | call, kind="stable") + 1
    depth, sorted_call = np.empty(nodes, np.uint16), np.empty(nodes, np.uint8)
    node = np.empty(nodes, np.uint32)
    write_preorder(
        children,
        _child_starts(parent),
        np.append(np.zeros(1, np.uint8), call),
        depth,
        sorted_call,
        node,
    )
    place = np.empty(nodes + 1, np.int64)
    place[node] = np.arange(nodes)
    pair_place = place[pair_node]
    order = np.argsort(pair_place << 32 | pair_text, kind="stable")
    texts = np.bincount(pair_place, minlength=nodes).astype(np.uint32)
    return MinedRun(
        depth, sorted_call, count[node - np.uint32(1)], texts, pair_text[order], pair_times[order]
    )


def _child_starts(parent: U32) -> I64:
    """Where the children of each node begin among those of all nodes."""
    return offsets_of(np.bincount(parent, minlength=len(parent) + 1), np.int64)


def make_mined_table(
    run: MinedRun,
    texts: Sequence[str],
    *,
    rank: Rank,
    profile: str,
    source: str,
    imported: Mapping[str, int],
) -> BiddingTable:
    """Make a table of which every node of a run is an entry; its texts are in an extra.

    Parameters
    ----------
    run : MinedRun
    texts : sequence of str
        Texts by number, number 1 first.
    rank : {"file", "frequency", "specificity"}
        Priority of siblings.
    profile : {"gib", "mlbridge"}
        Definitions of the terms.
    source : str
        Where the auctions are from, for people.
    imported : mapping of str to int
        Counts of what was read.
    """
    from bidcascade.kernels.core.tables.auctions import describe_run, number_entries

    readings = Readings(texts)
    chosen = choose_texts(run, readings)
    nodes = len(run.depth)
    parent, flags = np.empty(nodes, np.uint32), np.empty((2, nodes), np.uint8)
    describe_run(run.depth, run.call, parent, *flags)

    vocabulary = Vocabulary(profile)
    lists, pool = CriteriaInterner(vocabulary, "error"), TextInterner()
    tag_sets = TagInterner(pool)
    list_of = _numbers(lists.number(one.expressions, n) for n, one in enumerate(readings.found))
    lists.finish()
    description_of = _numbers(pool.number(text, n) for n, text in enumerate(readings.texts))
    source_of = _numbers(pool.number(name, 0) for name in MINED_SOURCES)

    chosen_text = np.zeros(nodes, np.int64)
    chosen_text[chosen.node[chosen.describes]] = chosen.text[chosen.describes]
    is_note = np.zeros(nodes, np.bool_)
    is_note[chosen.node[chosen.describes]] = (2 * chosen.notes > chosen.times)[chosen.describes]
    tagged = 2 * chosen_text + chosen.contradicted
    tags_of = np.zeros(2 * len(readings.texts), np.int64)
    for number in np.unique(tagged).tolist():
        tags = (*readings.tags(number >> 1), *["contradicted"] * (number & 1))
        tags_of[number] = tag_sets.number(tags, number >> 1)

    criteria = list_of[chosen_text]
    hands = fitting_hands(list(lists.lists), list(lists.expressions), vocabulary)
    children = sibling_order(rank, parent, run.call, run.auctions, criteria, hands)
    starts = _child_starts(parent)
    entry, first_child = np.empty(nodes, np.uint32), np.empty(nodes, np.uint32)
    number_entries(children, starts, entry, first_child)

    node_of = np.empty(nodes, np.int64)
    node_of[entry] = np.arange(nodes)
    sources = np.where(chosen_text == 0, 0, np.where(is_note, 2, 1))
    columns: Columns = {
        "call": run.call[node_of],
        "flags": (COMPLETED * flags[0] | CAN_COMPLETE * flags[1]).astype(np.uint8)[node_of],
        "child_count": np.diff(starts)[1:].astype(np.uint16)[node_of],
        "first_child": first_child[node_of],
        # the first criteria list; sets are made in renumber
        "variant_set": criteria[node_of].astype(np.uint32),
        "description": description_of[chosen_text][node_of].astype(np.uint32),
        "tags": tags_of[tagged][node_of].astype(np.uint32),
        "count": run.auctions[node_of],
        "source": source_of[sources][node_of].astype(np.uint32),
    }
    if not columns["tags"].any():
        del columns["tags"]
    if not nodes:
        del columns["count"], columns["source"]
    for name, kind in VARIANT_COLUMNS.items():
        if name in REQUIRED_COLUMNS:
            columns[name] = np.zeros(0, kind)
    renumber(columns, lists, pool, tag_sets)
    table = BiddingTable(
        columns, profile=profile, undescribed="pass", source=source, imported=imported
    )
    return table.with_extra(ANNOUNCEMENTS, _announcements(chosen, readings, entry))


def _numbers(values: Iterable[int]) -> I64:
    return np.fromiter(values, np.int64)


def _announcements(chosen: "Chosen", readings: "Readings", entry: U32) -> pl.DataFrame:
    by_text = pl.DataFrame(
        [(one.complete, one.truncated, one.human) for one in readings.found],
        schema=["complete", "truncated", "human"],
        orient="row",
    ).with_columns(text=pl.Series(readings.texts))
    frame = pl.DataFrame(
        {
            "entry": entry[chosen.node],
            "count": chosen.times,
            "notes": chosen.notes,
            "kept": chosen.describes,
        }
    )
    return (
        frame.hstack(by_text[chosen.text.astype(np.int64)])
        .select(ANNOUNCEMENT_SCHEMA.names())
        .cast(ANNOUNCEMENT_SCHEMA)
        .sort("entry", maintain_order=True)
    )


def run_of_table(table: BiddingTable, number: Callable[[Iterable[str]], list[int]]) -> MinedRun:
    """Turn a mined table back into the run that it was made of; ``number`` numbers the texts.

    Raises
    ------
    InvalidTable
        If the table was not mined, or holds what mining does not make.
    """
    announcements = _check_mined(table)
    if not len(table):
        return MinedRun.empty()
    distinct = announcements["text"].unique(maintain_order=True)
    known = pl.DataFrame({"text": distinct, "number": pl.Series(number(distinct), dtype=pl.UInt32)})
    joined = announcements.join(known, on="text", how="left", maintain_order="left")
    text, entry, notes, times = (
        joined[name].to_numpy() for name in ("number", "entry", "notes", "count")
    )
    records = times - notes
    in_record, in_note = records > 0, notes > 0
    # places before the first call have number 0; the openings' parent is none, which becomes that
    one = np.uint32(1)
    return sorted_run(
        table.parents + one,
        table.call,
        table.columns["count"],
        np.concatenate([entry[in_record], entry[in_note]]) + one,
        np.concatenate([text[in_record] * 2, text[in_note] * 2 + one]).astype(np.uint32),
        np.concatenate([records[in_record], notes[in_note]]),
    )


def _check_mined(table: BiddingTable) -> pl.DataFrame:
    announcements = table.extra(ANNOUNCEMENTS)
    missing = [name for name in ("count", "source") if name not in table.columns and len(table)]
    if announcements is None or missing or announcements.schema != ANNOUNCEMENT_SCHEMA:
        raise InvalidTable("expected a table that was mined, got one without counts and texts")
    if len(table.columns["variant_entry"]) or (table.flags & INSERTED).any():
        raise InvalidTable("expected a table as it was mined, got one with variants or other rows")
    sources = np.unique(table.columns["source"]).tolist() if len(table) else []
    strangers = sorted({table.texts[number] for number in sources} - set(MINED_SOURCES))
    if strangers:
        raise InvalidTable(
            f"expected a table as it was mined, got one with entries of source {strangers[0]!r}"
        )
    return announcements


# --- the text that describes a call --------------------------------------------------------------


class Readings:
    """Distinct texts, number 1 first, each read once; number 0 is no text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = ["", *texts]
        self.found = [read_announcement(text) for text in self.texts]
        self.kind: U8 = np.array(
            [
                COMPLETE
                if one.complete
                else REJECTED
                if one.rejected or not one.source_text.strip()
                else HUMAN
                if one.human
                else DAMAGED
                for one in self.found
            ],
            np.uint8,
        )
        self.length = _numbers(map(lin_length, self.texts))
        self.place: I64 = np.empty(len(self.texts), np.int64)
        """Place of each text among all of them, sorted."""
        in_order = sorted(range(len(self.texts)), key=self.texts.__getitem__)
        self.place[in_order] = np.arange(len(self.texts))

    def tags(self, number: int) -> tuple[str, ...]:
        """Tags of an entry that a text describes: its own, and what is the matter with it."""
        found = self.found[number]
        flaws = ("truncated", "dropped", "human", "rejected")
        present = [flaw for flaw in flaws if getattr(found, flaw)]
        return tuple(dict.fromkeys([*found.tags, *present]))

    def excludes(self, one: int, other: int) -> bool:
        """Whether no hand can be what both texts say, by the bounds of some term."""
        bounds, others = (_bounds_of(self.found[number].expressions) for number in (one, other))
        return any(
            term in bounds and (bounds[term][0] > high or low > bounds[term][1])
            for term, (low, high) in others.items()
        )


@lru_cache(maxsize=1 << 16)
def _bounds_of(expressions: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Least and greatest value of each term that is compared with numbers, in halves."""
    bounds: dict[str, tuple[int, int]] = {}
    for text in expressions:
        match parse_expression(text):
            case Comparison(
                TermName(name), ((("<=" | ">=" | "==") as operator, Number() as number),)
            ):
                narrow(bounds, name, left_by(operator, number.halves))
    return bounds


class Chosen(NamedTuple):
    """Texts of calls, each once for a call, by node; the kept one first, then the more frequent."""

    node: I64
    text: U32
    times: U32
    notes: U32  # in how many of these times it stood in a note
    describes: Bools  # whether it describes the call
    contradicted: Bools  # of nodes: whether another complete text excludes the one kept


def choose_texts(run: MinedRun, readings: Readings) -> Chosen:
    """Choose the text that describes each call of a run."""
    coded_node = np.repeat(np.arange(len(run.texts), dtype=np.int64), run.texts)
    coded = run.text
    is_new = np.ones(len(coded), np.bool_)
    is_new[1:] = (coded_node[1:] != coded_node[:-1]) | (coded[1:] >> 1 != coded[:-1] >> 1)
    starts = np.flatnonzero(is_new)
    node, text = coded_node[starts], (coded[starts] >> 1).astype(np.uint32)
    times = np.add.reduceat(run.times.astype(np.int64), starts)
    notes = np.add.reduceat(run.times.astype(np.int64) * (coded & 1), starts)

    kind, length = readings.kind[text], readings.length[text]
    by_length = kind <= DAMAGED
    order = np.lexsort(
        (
            readings.place[text],
            np.where(by_length, -times, -length),
            np.where(by_length, -length, -times),
            kind,
            node,
        )
    )
    describes = np.zeros(len(node), np.bool_)
    describes[order[np.flatnonzero(np.diff(node[order], prepend=-1))]] = True
    order = np.lexsort((readings.place[text], -times, ~describes, node))
    node, text, describes = node[order], text[order], describes[order]
    contradicted = _contradicted(node, text, describes, len(run.texts), readings)
    return Chosen(
        node,
        text,
        times[order].astype(np.uint32),
        notes[order].astype(np.uint32),
        describes,
        contradicted,
    )


def _contradicted(node: I64, text: U32, describes: Bools, nodes: int, readings: Readings) -> Bools:
    found = np.zeros(nodes, np.bool_)
    # the kept text of a node stands before its others
    starts = np.maximum.accumulate(np.where(describes, np.arange(len(node)), 0))
    is_complete = readings.kind[text] == COMPLETE
    others = np.flatnonzero(~describes & is_complete)
    others = others[is_complete[starts[others]]]
    # the same two texts meet at many places
    pairs = text[starts[others]].astype(np.int64) << 32 | text[others]
    distinct, which = np.unique(pairs, return_inverse=True)
    excludes = np.array(
        [readings.excludes(pair >> 32, pair & 0xFFFFFFFF) for pair in distinct.tolist()], np.bool_
    )
    found[node[others[excludes[which]]]] = True
    return found


# --- order of the calls at a place ---------------------------------------------------------------


def sibling_order(rank: Rank, parent: U32, call: U8, count: U32, criteria: I64, hands: I64) -> I64:
    """Sort the nodes of a trie by parent, and those of one parent by priority.

    ``criteria`` are numbers of criteria lists, 0 for none; ``hands`` how many fit each list.
    """
    if rank not in RANKS:
        raise InvalidInput(f"expected a rank of {', '.join(RANKS)}, got {rank!r}")
    text_place = np.argsort(np.argsort(np.array(FILE_CALLS)))[call]
    if rank == "file":
        order: I64 = np.lexsort((text_place, parent))
        return order
    undescribed = criteria == 0
    fitting = np.where(undescribed, 0, hands[criteria])
    rarer = -count.astype(np.int64)
    keys = (rarer, fitting) if rank == "specificity" else (fitting, rarer)
    return np.lexsort((text_place, *keys, undescribed, parent))


def fitting_hands(
    lists: Sequence[Sequence[int]], expressions: Sequence[str], vocabulary: Vocabulary
) -> I64:
    """Count the hands of the sample that fit each list of numbers of expressions."""
    words = SAMPLE_DEALS // 64 * 4
    columns = np.empty((len(expressions), words), np.uint64)
    codes = [to_postfix(parse_expression(text), vocabulary) for text in expressions]
    backend = get_backend()
    for first in range(0, len(codes), _EXPRESSIONS_AT_ONCE):
        some = codes[first : first + _EXPRESSIONS_AT_ONCE]
        # different texts may mean the same test, which a plan has once
        distinct = tuple(dict.fromkeys(some))
        bits = backend.evaluate(expressions_plan(distinct, vocabulary.profile), _sample()).words
        places = [distinct.index(code) for code in some]
        columns[first : first + len(some)] = bits.reshape(len(distinct), words)[places]
    counts = np.full(len(lists), 4 * SAMPLE_DEALS, np.int64)
    for number, numbers in enumerate(lists):
        if numbers:
            every = np.bitwise_and.reduce(columns[list(numbers)], axis=0)
            counts[number] = np.bitwise_count(every).sum(dtype=np.int64)
    return counts


@lru_cache(maxsize=1)
def _sample() -> DealArrays:
    hands = deal_hands(SAMPLE_SEED, 0, SAMPLE_DEALS)
    nobody = np.zeros(SAMPLE_DEALS, np.uint8)
    return DealArrays(hands, nobody, nobody)
