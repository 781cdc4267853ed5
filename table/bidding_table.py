"""A bidding table: all entries of a trie of auctions, as arrays that may be memory-mapped."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidTable, parse_calls
from bidcascade.kernels import Plan
from bidcascade.kernels.number_ranges import numbers_of_ranges, parents_of
from bidcascade.kernels.types import U8, U16, U32

from .columns import (
    CAN_COMPLETE,
    COMPLETED,
    INSERTED,
    LABEL_COLUMNS,
    NO_RANK,
    NONE_U32,
    Columns,
    TextPool,
    UndescribedPolicy,
    digest_of,
    list_at,
)
from .language.vocabulary import Vocabulary
from .row import Row
from .stored.extras import Extra, FrameExtra
from .stored.own_folder import OwnFolder
from .stored.storage import Stored, read_folder, write_folder
from .table_plan import make_plan
from .value_cache import ValueCache

if TYPE_CHECKING:
    import polars as pl

    from .overlays.rules import OverlayMark


class BiddingTable:
    """All entries of a bidding table, read-only.

    Entries are numbered from 0: first the opening calls; the children of one entry stand together
    in priority order (rank, then the order of the rows); blocks of children follow one another in
    depth-first order of their parents, so that everything below an entry is one run of numbers.
    A table is made by :func:`build_table`, :func:`open_table` or :meth:`open`.

    Parameters
    ----------
    columns : dict of str to array
        The arrays of :mod:`.columns`.
    profile : {"gib", "mlbridge"}
        Definitions of the terms.
    undescribed : {"allow", "pass", "reject"}
        What holds where an entry has no criteria.
    user_terms : mapping of str to str
        Terms of one's own and their formulas.
    source : str
        Where the rows are from, for people; no part of the digest.
    imported : mapping of str to int
        Counts of the import's findings; no part of the digest.
    digest : str, optional
        The digest, where it is known already.
    extras : mapping of str to Extra, optional
        Frames that go with the table, by name; no part of the digest.
    made_in : OwnFolder, optional
        Has files ``NAME.npy`` of some of the columns, which are of no use to anybody else.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17"]},
    ...     {"prior": "1N P", "call": "2C", "name": "Stayman", "criteria": ["SL_H >= 4"]},
    ... ])
    >>> entry = table.find(parse_calls("1N P 2C"))
    >>> table.name(entry), table.row(entry).criteria
    ('Stayman', ('SL_H >= 4',))
    """

    def __init__(
        self,
        columns: Columns,
        *,
        profile: str,
        undescribed: UndescribedPolicy,
        user_terms: Mapping[str, str] | None = None,
        source: str = "",
        imported: Mapping[str, int] | None = None,
        digest: str | None = None,
        extras: "Mapping[str, Extra] | None" = None,
        made_in: OwnFolder | None = None,
    ) -> None:
        self.columns = columns
        self.profile = profile
        self.undescribed: UndescribedPolicy = undescribed
        self.user_terms: dict[str, str] = dict(sorted((user_terms or {}).items()))
        self.source = source
        self.imported: dict[str, int] = dict(imported or {})
        self._digest = digest
        self._extras: dict[str, Extra] = dict(sorted((extras or {}).items()))
        self._made_in = made_in
        self._plan: Plan | None = None
        self.expressions = TextPool(columns["expression_offsets"], columns["expression_bytes"])
        """Distinct expressions in canonical text, by number."""
        self.texts = TextPool(columns["text_offsets"], columns["text_bytes"])
        """Descriptions, names, tags and places, by number; number 0 is empty."""

    @property
    def overlays(self) -> "tuple[OverlayMark, ...]":
        """Overlays that were laid over the table, in their order; none for a table as it is kept.

        See :func:`bidcascade.table.overlays.applying.apply_overlays`.
        """
        return ()

    @property
    def overlay_notes(self) -> tuple[str, ...]:
        """What rules that were laid over the table did, in lines; none for a table as it is."""
        return ()

    @property
    def changed_places(self) -> frozenset[int]:
        """Entries behind which overlays added, changed or removed a call; -1 for the opening."""
        return frozenset()

    def settled(self) -> "BiddingTable":
        """Give the table as one that can be kept: with overlays, a table of the rows as they are.

        Examples
        --------
        >>> from bidcascade.table.build import build_table
        >>> table, _ = build_table([{"prior": "", "call": "1C"}])
        >>> table.settled() is table
        True
        """
        return self

    @classmethod
    def open(cls, path: "Path | str", *, verify: bool = True) -> "BiddingTable":
        """Open a table that :meth:`save` wrote; its columns are mapped into memory.

        Parameters
        ----------
        verify : bool
            Whether to read everything once (a GB a second), compare the digest and check that
            numbers point where something is. What is damaged may end the process without.

        Raises
        ------
        InvalidTable
            If the folder is no table, of another version, incomplete or damaged.

        Examples
        --------
        >>> import tempfile
        >>> from bidcascade.table import build_table
        >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17"]}])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table.save(Path(folder) / "notrump")
        ...     opened = BiddingTable.open(Path(folder) / "notrump")
        ...     opened.digest == table.digest
        True
        """
        return BiddingTable(**read_folder(Path(path), verify=verify)._asdict())

    def save(self, path: "Path | str", *, overwrite: bool = False) -> None:
        """Write the table to a folder; with overlays, a table of the rows as they are with them.

        Parameters
        ----------
        overwrite : bool
            Whether a table that is there already is replaced. Anything else that is there never is.

        Raises
        ------
        InvalidTable
            If something is in the way, or the folder cannot be written; nothing is left behind.
        """
        table = self.settled()
        stored = Stored(
            table.columns,
            table.profile,
            table.undescribed,
            table.user_terms,
            table.source,
            table.imported,
            table.digest,
            table._extras,
            table._made_in,
        )
        write_folder(stored, Path(path), overwrite=overwrite)

    def __len__(self) -> int:
        return len(self.columns["call"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BiddingTable) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<BiddingTable of {len(self):,} entries, {self.profile}, {self.digest[:12]}>"

    # --- arrays, one value an entry ---------------------------------------------------------

    @property
    def call(self) -> U8:
        """Call codes, uint8[entries]."""
        return self.columns["call"]

    @property
    def flags(self) -> U8:
        """Bits :data:`COMPLETED`, :data:`CAN_COMPLETE` and :data:`INSERTED`, uint8[entries]."""
        return self.columns["flags"]

    @property
    def child_count(self) -> U16:
        """Number of children, uint16[entries]."""
        return self.columns["child_count"]

    @property
    def first_child(self) -> U32:
        """Where the children stand, or would stand if there were any, uint32[entries]."""
        return self.columns["first_child"]

    @property
    def variant_set(self) -> U32:
        """Number of each entry's set of criteria lists, uint32[entries]; 0 is undescribed."""
        return self.columns["variant_set"]

    @cached_property
    def root_count(self) -> int:
        """Number of opening calls; they are the entries from 0."""
        # the first opening's children (or their place) come right behind the openings
        return int(self.first_child[0]) if len(self) else 0

    @cached_property
    def parents(self) -> U32:
        """Parent of each entry, uint32[entries], 0xFFFFFFFF for opening calls; made when asked."""
        return parents_of(self.first_child, self.child_count, NONE_U32)

    @cached_property
    def depths(self) -> U16:
        """Number of calls before each entry's own, uint16[entries]; made when asked."""
        depths = np.zeros(len(self), dtype=np.uint16)
        level = np.arange(self.root_count, dtype=np.int64)
        depth = 0
        while len(level):
            depths[level] = depth
            level = numbers_of_ranges(self.first_child[level], self.child_count[level])
            depth += 1
        return depths

    # --- places in the trie -------------------------------------------------------------------

    def children(self, entry: int | None = None) -> range:
        """Numbers of the entries that may follow an entry (or open), in priority order.

        Examples
        --------
        >>> from bidcascade.table.build import build_table
        >>> table, _ = build_table([{"prior": "", "call": "1C"}, {"prior": "1C", "call": "1D"}])
        >>> table.children(), table.children(0), table.children(1)
        (range(0, 1), range(1, 2), range(2, 2))
        """
        if entry is None:
            return range(self.root_count)
        first = int(self.first_child[self._checked(entry)])
        return range(first, first + int(self.child_count[entry]))

    def find(self, auction: "Iterable[int] | str") -> int | None:
        """Entry of an auction as call codes or text; ``None`` if the table has none."""
        entry: int | None = None
        for call in parse_calls(auction) if isinstance(auction, str) else auction:
            siblings = self.children(entry)
            found = np.flatnonzero(self.call[siblings.start : siblings.stop] == call)
            if not len(found):
                return None
            entry = siblings.start + int(found[0])
        return entry

    def entry_number(self, entry: "int | str") -> int:
        """Find an entry given by number or auction.

        Raises
        ------
        InvalidTable
            If the table has no such entry.
        """
        if isinstance(entry, str):
            found = self.find(entry)
            if found is None:
                raise InvalidTable(f"expected an auction of the table, got {entry!r}")
            return found
        if not 0 <= entry < len(self):
            raise InvalidTable(f"expected an entry below {len(self)}, got {entry!r}")
        return entry

    def entry_numbers(self, entries: "Iterable[int | str]") -> list[int]:
        """Distinct numbers of entries given by number or auction, in that order."""
        return list(dict.fromkeys(map(self.entry_number, entries)))

    def auction_of(self, entry: int) -> tuple[int, ...]:
        """Auction that ends with an entry, as call codes.

        Goes down from the openings: among siblings the one whose run of entries holds the number.
        """
        self._checked(entry)
        calls: list[int] = []
        siblings = range(self.root_count)
        while entry not in siblings:
            firsts = self.first_child[siblings.start : siblings.stop]
            above = siblings.start + int(np.searchsorted(firsts, entry, side="right")) - 1
            calls.append(int(self.call[above]))
            siblings = self.children(above)
        calls.append(int(self.call[entry]))
        return tuple(calls)

    def auctions_of(self, entries: "NDArray[Any] | Iterable[int]") -> list[bytes]:
        """Auctions of many entries, each as bytes of call codes; makes :attr:`parents` once."""
        calls, lengths = self.calls_of(entries)
        text, ends = calls.tobytes(), np.cumsum(lengths)
        return [text[b:e] for b, e in zip((ends - lengths).tolist(), ends.tolist(), strict=True)]

    def calls_of(self, entries: "NDArray[Any] | Iterable[int]") -> tuple[U8, U16]:
        """Give the calls of many entries' auctions behind one another, and how many each has."""
        current = np.array(
            entries if isinstance(entries, np.ndarray) else list(entries), dtype=np.int64
        )
        if len(current) and not (current.min() >= 0 and current.max() < len(self)):
            raise InvalidTable(f"expected entries below {len(self)}, got {current.max()}")
        depths = np.zeros(len(current), dtype=np.int64)
        above = self.parents[current]
        while (deeper := above != NONE_U32).any():
            depths += deeper
            above[deeper] = self.parents[above[deeper]]
        ends = np.cumsum(depths + 1)
        calls = np.zeros(ends[-1] if len(ends) else 0, dtype=np.uint8)
        place = ends - 1
        while len(current):
            calls[place] = self.call[current]
            above = self.parents[current]
            deeper = above != NONE_U32
            current, place = above[deeper].astype(np.int64), place[deeper] - 1
        return calls, (depths + 1).astype(np.uint16)

    def below(self, entry: int) -> range:
        """Numbers of all entries below an entry: one run, by the order of the table."""
        self._checked(entry)
        siblings, end = range(self.root_count), len(self)
        while True:
            firsts = self.first_child[siblings.start : siblings.stop]
            if entry in siblings:
                above = entry
            else:
                above = siblings.start + int(np.searchsorted(firsts, entry, side="right")) - 1
            if above + 1 < siblings.stop:
                end = int(self.first_child[above + 1])
            if above == entry:
                return range(int(self.first_child[entry]), end)
            siblings = self.children(above)

    def is_completed(self, entry: int) -> bool:
        """Whether the auction that ends with this entry is complete."""
        return bool(self.flags[self._checked(entry)] & COMPLETED)

    def can_complete(self, entry: int) -> bool:
        """Whether the table goes on from this entry to the end of some auction."""
        return bool(self.flags[self._checked(entry)] & CAN_COMPLETE)

    def is_inserted(self, entry: int) -> bool:
        """Whether the entry is a missing parent that no row stood for."""
        return bool(self.flags[self._checked(entry)] & INSERTED)

    def _checked(self, entry: int) -> int:
        if not 0 <= entry < len(self):
            raise InvalidTable(f"expected an entry below {len(self)}, got {entry!r}")
        return entry

    # --- what entries say ---------------------------------------------------------------------

    def criteria(self, number: int) -> tuple[str, ...]:
        """Expressions of a criteria list, by its number."""
        return tuple(
            self.expressions[expression]
            for expression in list_at(
                self.columns["criteria_offsets"], self.columns["criteria_expressions"], number
            )
        )

    def criteria_of_set(self, variant_set: int) -> list[int]:
        """Numbers of the criteria lists of a variant set, one of which must hold."""
        return list_at(self.columns["set_offsets"], self.columns["set_criteria"], variant_set)

    def description(self, entry: int) -> str:
        """Text that describes an entry (its first variant)."""
        text: str = self.texts[self.columns["description"][self._checked(entry)]]
        return text

    def name(self, entry: int) -> str:
        """Name of an entry (of its first variant), empty if it has none."""
        if "name" not in self.columns:
            return ""
        text: str = self.texts[self.columns["name"][self._checked(entry)]]
        return text

    def row(self, entry: int) -> Row:
        """First (mostly only) variant of an entry as a row."""
        return self.variants(entry)[0]

    def variants(self, entry: int) -> list[Row]:
        """All variants of an entry as rows; an entry holds if one of them does."""
        prior = bytes(self.auction_of(entry)[:-1])
        rows = [self._first_row(entry, prior)]
        begin, end = np.searchsorted(self.columns["variant_entry"], [entry, entry + 1])
        rows += [self._further_row(number, rows[0]) for number in range(begin, end)]
        return rows

    def rows(self) -> Iterator[Row]:
        """All rows in table order, without the inserted entries; read one at a time.

        Made into a table again they give an equal one.
        """
        further = self.columns["variant_entry"]
        next_further = 0
        flags = self.flags
        # an entry's prior is known when the block of children it stands in is opened
        open_blocks: list[tuple[int, int, bytes]] = [(0, self.root_count, b"")]
        while open_blocks:
            begin, end, prior = open_blocks.pop()
            pending = []
            for entry in range(begin, end):
                call = int(self.call[entry])
                row = None
                if not flags[entry] & INSERTED:
                    row = self._first_row(entry, prior)
                    yield row
                while next_further < len(further) and further[next_further] == entry:
                    if row is not None:
                        yield self._further_row(next_further, row)
                    next_further += 1
                if self.child_count[entry]:
                    first = int(self.first_child[entry])
                    auction = prior + bytes((call,))
                    pending.append((first, first + int(self.child_count[entry]), auction))
            open_blocks.extend(reversed(pending))

    def _first_row(self, entry: int, prior: bytes) -> Row:
        columns = self.columns
        criteria = int(
            columns["set_criteria"][int(columns["set_offsets"][self.variant_set[entry]])]
        )
        labels = [
            int(columns[name][entry]) if name in columns else missing
            for name, (_, missing) in LABEL_COLUMNS.items()
        ]
        return self._make_row(
            prior, int(self.call[entry]), criteria, int(columns["description"][entry]), labels
        )

    def _further_row(self, number: int, first: Row) -> Row:
        columns = self.columns
        return self._make_row(
            first.prior,
            first.call,
            int(columns["variant_criteria"][number]),
            int(columns["variant_description"][number]),
            [
                int(columns[f"variant_{name}"][number]) if f"variant_{name}" in columns else missing
                for name, (_, missing) in LABEL_COLUMNS.items()
            ],
        )

    def _make_row(
        self, prior: bytes, call: int, criteria: int, description: int, labels: list[int]
    ) -> Row:
        index, rank, name, tags, where, count, source = labels
        texts = self._text_cache
        return Row(
            prior,
            call,
            texts[description],
            self._criteria_cache[criteria],
            None if index == NONE_U32 else index,
            texts[name],
            None if rank == NO_RANK else rank,
            self.tags(tags),
            texts[where],
            None if count == NONE_U32 else count,
            texts[source],
        )

    def tags(self, number: int) -> tuple[str, ...]:
        """Tags of a set, by its number."""
        if not number:
            return ()
        numbers = list_at(self.columns["tag_offsets"], self.columns["tag_texts"], number)
        return tuple(self._text_cache[text] for text in numbers)

    @cached_property
    def _text_cache(self) -> ValueCache:
        return ValueCache(self.texts.__getitem__)

    @cached_property
    def _criteria_cache(self) -> ValueCache:
        return ValueCache(self.criteria)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The terms of the table's profile, with the user's own."""
        return Vocabulary(self.profile, self.user_terms)

    # --- what goes with the table ---------------------------------------------------------------

    @property
    def extras(self) -> tuple[str, ...]:
        """Names of the frames that go with the table, sorted."""
        return tuple(self._extras)

    def extra(self, name: str) -> "pl.DataFrame | None":
        """Read a frame that goes with the table; ``None`` if there is none of this name.

        Raises
        ------
        InvalidTable
            If its file is gone or is not what was written.
        """
        found = self._extras.get(name)
        return None if found is None else found.frame()

    def extra_content(self, name: str) -> bytes:
        """Give the Parquet file of a frame that goes with the table."""
        return self._extras[name].content()

    def with_extra(self, name: str, frame: "pl.DataFrame") -> "BiddingTable":
        """Give the same table with a frame of further values of entries, kept when it is saved.

        Parameters
        ----------
        name : str
            Small letters, digits and ``_``; one of the same name is replaced.
        frame : polars.DataFrame
            Its first column is ``entry``, UInt32: the entry that the row is about, null if it is
            about none. Rows are put in the order of entries.

        Raises
        ------
        InvalidTable
            If the name or the column ``entry`` is not as said, or an entry is none of the table.

        Examples
        --------
        >>> import polars as pl
        >>> from bidcascade.table.build import build_table
        >>> table, _ = build_table([{"prior": "", "call": "1C"}])
        >>> schema = {"entry": pl.UInt32, "rate": pl.Float64}
        >>> rates = pl.DataFrame({"entry": [0], "rate": [0.2]}, schema)
        >>> with_rates = table.with_extra("rates", rates)
        >>> with_rates.extras, with_rates.extra("rates").columns, with_rates == table
        (('rates',), ['entry', 'rate'], True)
        """
        return self._with_extras({**self._extras, name: FrameExtra.of(name, frame, len(self))})

    def without_extra(self, name: str) -> "BiddingTable":
        """Give the same table without a frame that goes with it; itself if there is none.

        Examples
        --------
        >>> import polars as pl
        >>> from bidcascade.table.build import build_table
        >>> table, _ = build_table([{"prior": "", "call": "1C"}])
        >>> with_rates = table.with_extra("rates", pl.DataFrame(schema={"entry": pl.UInt32}))
        >>> with_rates.without_extra("rates").extras
        ()
        """
        if name not in self._extras:
            return self
        return self._with_extras(
            {other: extra for other, extra in self._extras.items() if other != name}
        )

    def _with_extras(self, extras: "Mapping[str, Extra]") -> "BiddingTable":
        return BiddingTable(
            self.columns,
            profile=self.profile,
            undescribed=self.undescribed,
            user_terms=self.user_terms,
            source=self.source,
            imported=self.imported,
            digest=self._digest,
            extras=extras,
            made_in=self._made_in,
        )

    # --- the table as a whole -----------------------------------------------------------------

    @property
    def digest(self) -> str:
        """SHA-256 of all that the table says, in hexadecimal; worked out once.

        Rows, descriptions, criteria, order, profile, policy and user terms count; the file
        format, the source, the import's findings and the extras do not.
        """
        if self._digest is None:
            self._digest = self.compute_digest()
        return self._digest

    def compute_digest(self) -> str:
        """Work the digest out from the columns, whatever was known before."""
        return digest_of(self.columns, self.profile, self.undescribed, self.user_terms)

    def plan(self) -> "Plan":
        """Plan for the kernels; made once."""
        if self._plan is None:
            self._plan = make_plan(
                self.columns, self.expressions, self.vocabulary, self.undescribed, self.root_count
            )
        return self._plan

    def info(self) -> dict[str, Any]:
        """Describe the table in plain values for JSON."""
        flags = self.flags
        undescribed = int(np.count_nonzero(self.variant_set == 0))
        return {
            "entries": len(self),
            "openings": self.root_count,
            "variants": len(self.columns["variant_entry"]),
            "described": len(self) - undescribed,
            "undescribed_entries": undescribed,
            "inserted": int(np.count_nonzero(flags & INSERTED)),
            "completed": int(np.count_nonzero(flags & COMPLETED)),
            "criteria_lists": len(self.columns["criteria_offsets"]) - 2,
            "expressions": len(self.expressions),
            "texts": len(self.texts) - 1,
            "bytes": sum(column.nbytes for column in self.columns.values()),
            "extras": list(self.extras),
            "profile": self.profile,
            "undescribed": self.undescribed,
            "user_terms": dict(self.user_terms),
            "source": self.source,
            "digest": self.digest,
        }


open_folder = BiddingTable.open
save = BiddingTable.save
