"""From a run of counted auctions to a bidding table with its texts, and back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidTable
from bidcascade.kernels.types import U32
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.canonical import renumber
from bidcascade.table.columns import (
    CAN_COMPLETE,
    COMPLETED,
    INSERTED,
    REQUIRED_COLUMNS,
    VARIANT_COLUMNS,
    Columns,
)
from bidcascade.table.interning import CriteriaInterner, TagInterner, TextInterner
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.mining.choice import Chosen, Readings, choose_texts
from bidcascade.table.mining.prefix_counts import sorted_run
from bidcascade.table.mining.ranking import Rank, fitting_hands, sibling_order
from bidcascade.table.mining.runs import Run
from bidcascade.table.mining.text_numbers import TextNumbers

I64 = NDArray[np.int64]

ANNOUNCEMENTS: Final = "announcements"
"""Extra with all texts of all entries."""
INPUTS: Final = "mined_inputs"
"""Extra with the files that a table was mined from."""

ANNOUNCEMENT_SCHEMA: Final = pl.Schema(
    {
        "entry": pl.UInt32(),
        "text": pl.String(),
        # how often the call was given with it, and how often of these it stood in a note
        "count": pl.UInt32(),
        "notes": pl.UInt32(),
        "complete": pl.Boolean(),
        "truncated": pl.Boolean(),
        "human": pl.Boolean(),
        # whether it describes the entry
        "kept": pl.Boolean(),
    }
)

MINED_SOURCES: Final = ("undescribed", "announcement", "note")
"""Sources of mined entries: no text; a text of the record; a text of a note."""


def make_mined_table(
    run: Run,
    texts: Sequence[str],
    *,
    rank: Rank = "specificity",
    profile: str = "gib",
    source: str = "",
    imported: Mapping[str, int] | None = None,
) -> BiddingTable:
    """Make a table of which every node of a run is an entry.

    Parameters
    ----------
    run : Run
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

    Returns
    -------
    BiddingTable
        With its texts as extra ``announcements``.

    Examples
    --------
    >>> one = np.ones(1, np.uint32)
    >>> run = Run(np.zeros(1, np.uint16), np.array([7], np.uint8), 3 * one, one, 2 * one, one)
    >>> table = make_mined_table(run, ["Notrump opener -- 15-17 HCP"])
    >>> row = table.row(0)
    >>> row.criteria, row.count, row.source
    (('HCP >= 15', 'HCP <= 17'), 3, 'announcement')
    """
    from bidcascade.kernels.auctions.prefix_trie import describe_run, number_entries

    vocabulary = Vocabulary(profile)
    readings = Readings(texts)
    chosen = choose_texts(run, readings)
    nodes = len(run.depth)
    parent, flags = np.empty(nodes, np.uint32), np.empty((2, nodes), np.uint8)
    describe_run(run.depth, run.call, parent, *flags)

    labels = _Labels(readings, vocabulary)
    kept_text = np.zeros(nodes, np.int64)
    kept_text[chosen.node[chosen.kept]] = chosen.text[chosen.kept]
    criteria = labels.criteria[kept_text]
    hands = fitting_hands(list(labels.lists.lists), list(labels.lists.expressions), vocabulary)
    children = sibling_order(rank, parent, run.call, run.auctions, criteria, hands)
    starts = np.zeros(nodes + 2, np.int64)
    np.cumsum(np.bincount(parent, minlength=nodes + 1), out=starts[1:])
    entry, first_child = np.empty(nodes, np.uint32), np.empty(nodes, np.uint32)
    number_entries(children, starts, entry, first_child)

    node_of = np.empty(nodes, np.int64)
    node_of[entry] = np.arange(nodes)
    is_note = np.zeros(nodes, np.bool_)
    is_note[chosen.node[chosen.kept]] = (2 * chosen.notes > chosen.times)[chosen.kept]
    sources = np.where(kept_text == 0, 0, np.where(is_note, 2, 1))
    columns: Columns = {
        "call": run.call[node_of],
        "flags": (COMPLETED * flags[0] | CAN_COMPLETE * flags[1]).astype(np.uint8)[node_of],
        "child_count": np.diff(starts)[1:].astype(np.uint16)[node_of],
        "first_child": first_child[node_of],
        # the first criteria list; sets are made in renumber
        "variant_set": criteria[node_of].astype(np.uint32),
        "description": labels.descriptions[kept_text][node_of].astype(np.uint32),
        "tags": labels.tag_sets(kept_text, chosen.contradicted)[node_of].astype(np.uint32),
        "count": run.auctions[node_of],
        "source": labels.sources[sources][node_of].astype(np.uint32),
    }
    if not columns["tags"].any():
        del columns["tags"]
    if not nodes:
        del columns["count"], columns["source"]
    for name, kind in VARIANT_COLUMNS.items():
        if name in REQUIRED_COLUMNS:
            columns[name] = np.zeros(0, kind)
    renumber(columns, labels.lists, labels.texts, labels.tags)
    table = BiddingTable(
        columns, profile=profile, undescribed="pass", source=source, imported=imported
    )
    return table.with_extra(ANNOUNCEMENTS, _announcements(chosen, readings, entry))


class _Labels:
    """What each text puts into an entry, as numbers of what is interned."""

    def __init__(self, readings: Readings, vocabulary: Vocabulary) -> None:
        self._readings = readings
        self.lists = CriteriaInterner(vocabulary, "error")
        self.texts = TextInterner()
        self.tags = TagInterner(self.texts)
        self.criteria = self._numbers(
            self.lists.number(found.expressions, number)
            for number, found in enumerate(readings.found)
        )
        """Number of the criteria list of each text."""
        self.lists.finish()
        self.descriptions = self._numbers(
            self.texts.number(text, number) for number, text in enumerate(readings.texts)
        )
        self.sources = self._numbers(self.texts.number(source, 0) for source in MINED_SOURCES)

    @staticmethod
    def _numbers(values: Iterable[int]) -> I64:
        return np.fromiter(values, dtype=np.int64)

    def tag_sets(self, text: I64, contradicted: "NDArray[np.bool_]") -> I64:
        """Intern the tags of each node with its kept text, and give their numbers."""
        readings = self._readings
        plain = np.zeros(len(readings.texts), np.int64)
        against = np.zeros(len(readings.texts), np.int64)
        for number in np.unique(text[text > 0]).tolist():
            plain[number] = self.tags.number(readings.tags(number), number)
        for number in np.unique(text[contradicted]).tolist():
            tags = (*readings.tags(number), "contradicted")
            against[number] = self.tags.number(tags, number)
        return np.where(contradicted, against[text], plain[text])


def _announcements(chosen: Chosen, readings: Readings, entry: U32) -> pl.DataFrame:
    found = readings.found
    by_text = pl.DataFrame(
        {
            "text": readings.texts,
            "complete": [one.complete for one in found],
            "truncated": [one.truncated for one in found],
            "human": [one.human for one in found],
        }
    )
    frame = pl.DataFrame(
        {
            "entry": entry[chosen.node],
            "count": chosen.times,
            "notes": chosen.notes,
            "kept": chosen.kept,
        }
    )
    return (
        frame.hstack(by_text[chosen.text.astype(np.int64)])
        .select(ANNOUNCEMENT_SCHEMA.names())
        .cast(ANNOUNCEMENT_SCHEMA)
        .sort("entry", maintain_order=True)
    )


def run_of_table(table: BiddingTable, texts: TextNumbers) -> Run:
    """Turn a mined table back into the run that it was made of.

    Parameters
    ----------
    table : BiddingTable
    texts : TextNumbers
        Gives the numbers of the texts.

    Raises
    ------
    InvalidTable
        If the table was not mined, or holds what mining does not make.

    Examples
    --------
    >>> one = np.ones(1, np.uint32)
    >>> run = Run(np.zeros(1, np.uint16), np.array([7], np.uint8), 3 * one, one, 2 * one, one)
    >>> table = make_mined_table(run, ["15-17"])
    >>> again = run_of_table(table, TextNumbers())
    >>> all(np.array_equal(*columns) for columns in zip(run, again))
    True
    """
    announcements = _check_mined(table)
    if not len(table):
        return Run.empty()
    pairs = announcements.select("entry", "count", "notes", "text")
    distinct = pairs["text"].unique(maintain_order=True)
    known = pl.DataFrame(
        {"text": distinct, "number": pl.Series(texts.number(distinct), dtype=pl.UInt32)}
    )
    numbers = pairs.join(known, on="text", how="left", maintain_order="left")
    number: U32 = numbers["number"].to_numpy()
    entry: U32 = numbers["entry"].to_numpy()
    notes: U32 = numbers["notes"].to_numpy()
    records: U32 = numbers["count"].to_numpy() - notes
    in_record, in_note = records > 0, notes > 0
    # places before the first call have number 0; the openings' parent is none, which becomes that
    one = np.uint32(1)
    return sorted_run(
        table.parents + one, table.call, table.columns["count"],
        np.concatenate([entry[in_record], entry[in_note]]) + one,
        np.concatenate([number[in_record] * 2, number[in_note] * 2 + one]).astype(np.uint32),
        np.concatenate([records[in_record], notes[in_note]]),
    )  # fmt: skip


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
