"""Questions to an archive: boards by auction, hands, players and results; sampled, in equal shares.

Boards are looked at part by part, in the order in which they came, and in pieces, until there are
enough: what is asked for last costs only as much as it has to.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np
import polars as pl

from bidcascade.bridge import (
    CALL_TEXTS,
    InvalidContract,
    InvalidInput,
    format_call,
    parse_seat,
    parse_vulnerability,
)
from bidcascade.engine.questions.archives import (
    BoardConditions,
    BoardsQuestion,
    NodeQuestion,
)
from bidcascade.engine.questions.parts.fields import (
    check_values,
    invalid_value,
    read_each,
    read_field,
)
from bidcascade.kernels import get_backend
from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.kernels.types import U32, U64, Bools
from bidcascade.loaders.pbn.pbn_sections import contract_name, read_contract
from bidcascade.systems.words.auction_patterns import WrittenAuction, read_auction
from bidcascade.table import Vocabulary
from bidcascade.table.deal_conditions import DealCondition

from .archive import BOARD_SCHEMA, Archive, ArchivePart
from .catalogue import OWN

_Conditions = TypeVar("_Conditions", bound=BoardConditions)
MOST_BOARDS: Final = 1_000_000
"""Boards that one question may ask for."""
MOST_NAMED: Final = 200
"""Auctions of one pattern in mode ``all``."""
_PIECE: Final = 1 << 14
"""Boards that are looked at first; twice as many each time after that."""
_LARGEST_PIECE: Final = 1 << 18
LEVELS: Final = ("next", "contract", "dealer", "vulnerability")
"""Classes that equal shares may be taken of, beside conditions."""


@dataclass(frozen=True, slots=True)
class FoundBoards:
    """Boards that a question found.

    Parameters
    ----------
    boards : polars.DataFrame
        Columns of :data:`.archive.BOARD_SCHEMA`; then ``bid``: what ``by`` bids, null for ``own``;
        with a level ``class``.
    total
        How many boards fit; None where not all were looked at.
    """

    boards: pl.DataFrame
    total: int | None


def _checked(archive: Archive, question: _Conditions) -> _Conditions:
    """Check all that a question says; dealer, vulnerability, contract as boards have them."""
    check_values(question)
    read_field(archive.bidder, question.by, "by")
    read_field(lambda text: read_auction(text, exact=question.exact), question.auction, "auction")
    read_each(_condition, question.where, "where")
    spelled: dict[str, Any] = {}
    if question.dealer is not None:
        spelled["dealer"] = read_field(parse_seat, question.dealer, "dealer").letter
    if question.contract is not None:
        spelled["contract"] = read_field(_contract, question.contract, "contract")
    if question.vulnerability is not None:
        sides = read_field(parse_vulnerability, question.vulnerability, "vulnerability")
        spelled["vulnerability"] = sides.text
    if question.exact and question.mode == "all":
        reason = "expected mode first for auctions that end there (exact), got 'all'"
        raise invalid_value("mode", question.mode, reason)
    if isinstance(question, BoardsQuestion):
        if question.limit > MOST_BOARDS:
            read_field(_within_limit, question.limit, "limit")
        if question.level and question.sort is not None:
            reason = "expected equal shares (level) or an order (sort), got both"
            raise invalid_value("sort", question.sort, reason)
        if question.descending and question.sort is None:
            reason = "expected a column to put boards in order by (sort) with descending, got none"
            raise invalid_value("descending", question.descending, reason)
        if len(question.level) != 1 or question.level[0] not in LEVELS:
            read_each(_condition, question.level, "level")
    return replace(question, **spelled) if spelled else question


def _contract(text: str) -> str:
    """Read a contract in any spelling; as boards have it."""
    name = contract_name(read_contract(text))
    if name is None:
        raise InvalidContract(f"expected a contract such as 4S, 3NX or Pass, got {text!r}")
    return name


def _within_limit(limit: int) -> None:
    if limit > MOST_BOARDS:
        raise InvalidInput(f"expected a limit from 1 to {MOST_BOARDS:,}, got {limit!r}")


def find_boards(archive: Archive, question: BoardsQuestion) -> FoundBoards:
    """Find boards of an archive.

    Raises
    ------
    InvalidInput
        If the question, or who it asks about, does not fit the archive; says why.
    InvalidContract
        If the contract is none.
    InvalidCall, IllegalCall
        If the auction is none.
    InvalidExpression, UnknownTerm
        If a condition is none.
    """
    checked = _checked(archive, question)
    way = _Search.first
    if question.level:
        way = _Search.in_equal_shares
    elif question.sort is not None:
        way = _Search.in_order
    elif question.seed is not None:
        way = _Search.by_chance
    return archive.unless_overtaken(lambda: way(_Search(archive, checked)))


def count_boards(archive: Archive, question: BoardConditions) -> int:
    """How many boards of an archive fit a question; its limit has no part in that.

    Raises
    ------
    InvalidInput, InvalidContract, InvalidCall, IllegalCall, InvalidExpression, UnknownTerm
        As :func:`find_boards`.
    """
    checked = BoardsQuestion(**vars(_checked(archive, question)))
    return archive.unless_overtaken(lambda: _Search(archive, checked).count())


def next_calls(archive: Archive, question: NodeQuestion) -> list[tuple[str, int]]:
    """Find the calls that follow an auction, and how many boards go on so, commonest first.

    Raises
    ------
    InvalidInput
        If it leaves calls open; and as :func:`find_boards`.
    """
    check_values(question)
    read_field(archive.bidder, question.by, "by")
    prefix = read_field(_whole_auction, question.auction, "auction")
    found = archive.unless_overtaken(lambda: _next_calls(archive, prefix, question.by))
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [(format_call(call), boards) for call, boards in ordered]


def _whole_auction(text: str) -> bytes:
    written = read_auction(text)
    if written.regex is not None:
        raise InvalidInput(f"expected an auction with all its calls, got the pattern {text!r}")
    return written.prefix


def _next_calls(archive: Archive, prefix: bytes, by: str) -> dict[int, int]:
    digest = archive.digest(by)
    found: dict[int, int] = {}
    for part in archive.parts:
        if part.files.boards:
            for call, boards in part.postings(by, digest).next_calls(prefix).items():
                found[call] = found.get(call, 0) + boards
    return found


@bounded_cache(256)
def _condition(text: str) -> DealCondition:
    return DealCondition(text, Vocabulary("gib"))


class _Search:
    """One question, asked of the parts."""

    def __init__(self, archive: Archive, question: BoardsQuestion) -> None:
        self._archive = archive
        self._question = question
        self._written: WrittenAuction = read_auction(question.auction, exact=question.exact)
        self._digest = archive.digest(question.by)
        self._parts = [part for part in archive.parts if part.files.boards]
        self._conditions = [_condition(text) for text in question.where]
        self._backend = get_backend("cpu")
        self._named: list[bytes] = []
        if question.mode == "all":
            self._named = self._auctions_to_try()

    def _auctions_to_try(self) -> list[bytes]:
        question = self._question
        bidder = self._archive.bidder(question.by)
        if bidder is None or "all" not in bidder.modes:
            reason = f"expected who bids the archive with mode all, got {question.by!r}"
            if bidder is not None:
                reason += ": archive bid with --all makes its index"
            raise invalid_value("by", question.by, reason)
        named = self._written.named(MOST_NAMED)
        if named is None:
            reason = f"expected at most {MOST_NAMED} auctions with all their calls for mode all"
            reason += f", got the pattern {question.auction!r}"
            raise invalid_value("auction", question.auction, reason)
        return named

    # --- rows of a part ---------------------------------------------------------------------------

    def _rows(self, part: ArchivePart) -> U32:
        """Rows whose auction is asked for, ascending."""
        if self._question.mode == "all":
            sets = [
                self._archive.allowed_rows(part, self._question.by, auction)
                for auction in self._named
            ]
            return sets[0] if len(sets) == 1 else np.unique(np.concatenate([_NONE, *sets]))
        if not self._written.prefix and self._written.regex is None:
            return np.arange(part.files.boards, dtype=np.uint32)
        return part.postings(self._question.by, self._digest).rows_of(self._written)

    def _count(self, part: ArchivePart) -> int:
        """How many rows have an auction that is asked for."""
        if self._question.mode == "all":
            return len(self._rows(part))
        if not self._written.prefix and self._written.regex is None:
            return part.files.boards
        return part.postings(self._question.by, self._digest).count(self._written)

    def _fitting(self, part: ArchivePart, rows: U32) -> U32:
        """Those of some rows that all conditions hold for, in their order."""
        question = self._question
        for name, value in (("dealer", question.dealer), ("vulnerability", question.vulnerability)):
            if value is not None:
                rows = rows[(part.boards[name][rows] == value).to_numpy()]
        for test in self._tests():
            if len(rows):
                rows = rows[test(part, rows)]
        for condition in self._conditions:
            if len(rows):
                rows = rows[condition.holds(self._backend, part.deals(rows, condition.seats))]
        return rows

    def _tests(self) -> Iterator[Callable[[ArchivePart, U32], Bools]]:
        """Give the tests of what is said about boards."""
        question = self._question

        def has_text(name: str, wanted: str) -> Callable[[ArchivePart, U32], Bools]:
            def test(part: ArchivePart, rows: U32) -> Bools:
                if name not in part.boards.columns:
                    return np.zeros(len(rows), np.bool_)
                column = part.boards[name][rows]
                if column.dtype == pl.List(pl.String):
                    column = column.list.join("\0", ignore_nulls=True)
                low = column.str.to_lowercase()
                found = low.str.contains(wanted.lower(), literal=True).fill_null(value=False)
                return found.to_numpy()

            return test

        for name, wanted in (
            ("players", question.player),
            ("event", question.event),
            ("source", question.source),
        ):
            if wanted is not None:
                yield has_text(name, wanted)
        if question.contract is not None:
            yield lambda part, rows: _is(_contracts(part, rows), question.contract)
        if question.result is not None:
            made = question.result == "made"
            yield lambda part, rows: _is(_made(part, rows), made)

    def _pieces(self, rows: U32) -> Iterator[U32]:
        size, start = _PIECE, 0
        while start < len(rows):
            yield rows[start : start + size]
            start, size = start + size, min(2 * size, _LARGEST_PIECE)

    def _fitting_in_pieces(self, part: ArchivePart, rows: U32) -> U32:
        if not self._question.has_conditions:
            return rows
        found = [self._fitting(part, piece) for piece in self._pieces(rows)]
        return np.concatenate([_NONE, *found])

    # --- ways to choose ---------------------------------------------------------------------------

    def count(self) -> int:
        """How many boards fit."""
        if not self._question.has_conditions:
            return sum(map(self._count, self._parts))
        return sum(len(self._fitting_in_pieces(part, self._rows(part))) for part in self._parts)

    def _total(self) -> int | None:
        """How many have an auction that is asked for; None where boards must be looked at."""
        if self._question.mode == "first":
            return self.count()
        total = 0
        for part in self._parts if len(self._named) == 1 else ():
            nodes, auction = part.allowed(self._question.by, self._digest), self._named[0]
            before = nodes.get(auction[:-1])
            if auction not in nodes and (before is None or not before.expanded):
                return None
            total += nodes[auction].boards if auction in nodes else 0
        return total if len(self._named) == 1 else None

    def first(self) -> FoundBoards:
        """Boards in the order in which they came."""
        question = self._question
        left = question.limit
        taken: list[tuple[ArchivePart, U32]] = []
        is_whole = True
        for part in self._parts:
            if left <= 0:
                is_whole = False
                break
            rows = self._rows(part)
            for piece in self._pieces(rows) if question.has_conditions else (rows,):
                if left <= 0:
                    is_whole = False
                    break
                found = self._fitting(part, piece) if question.has_conditions else piece
                is_whole = is_whole and len(found) <= left
                taken.append((part, found[:left]))
                left -= len(found)
        total: int | None = None
        if is_whole:
            total = sum(len(rows) for _, rows in taken)
        elif not question.has_conditions:
            total = self._total()
        return FoundBoards(self._frame(taken), total)

    def by_chance(self) -> FoundBoards:
        """Boards in the order of numbers that seed and board alone decide."""
        seed, limit = self._question.seed, self._question.limit
        assert seed is not None
        total = 0
        candidates: list[tuple[ArchivePart, U32, U64]] = []
        for part in self._parts:
            rows = self._rows(part)
            total += len(rows)
            candidates.append((part, rows, _lots(part.ids[rows], seed)))
        every = np.concatenate([np.zeros(0, np.uint64), *(lots for _, _, lots in candidates)])
        wanted = limit
        while True:
            # the lots below this are drawn; more of them where conditions leave too few boards
            enough = min(len(every), max(wanted, 1))
            bound = np.partition(every, enough - 1)[enough - 1] if len(every) else 0
            taken = []
            for part, rows, lots in candidates:
                chosen = np.flatnonzero(lots <= bound)
                order = chosen[np.argsort(lots[chosen])]
                taken.append((part, self._fitting_in_pieces(part, rows[order])))
            found = sum(len(rows) for _, rows in taken)
            if found >= limit or enough == len(every):
                break
            wanted = 4 * wanted if not found else max(2 * wanted, 2 * wanted * limit // found)
        drawn = np.concatenate(
            [np.zeros(0, np.uint64), *(_lots(part.ids[rows], seed) for part, rows in taken)]
        )
        last = np.sort(drawn)[:limit][-1] if len(drawn) else 0
        taken = [(part, rows[_lots(part.ids[rows], seed) <= last]) for part, rows in taken]
        boards = self._frame(taken)
        order = np.argsort(_lots(boards["id"].to_numpy(), seed))[:limit]
        whole = not self._question.has_conditions or enough == len(every)
        fit = total if not self._question.has_conditions else found
        return FoundBoards(boards[order], fit if whole else None)

    def in_order(self) -> FoundBoards:
        """Boards in the order of a column."""
        name = self._question.sort
        assert name is not None
        taken = [(part, self._fitting_in_pieces(part, self._rows(part))) for part in self._parts]
        keys = []
        for number, (part, rows) in enumerate(taken):
            if name in part.boards.columns:
                column = part.boards[name][rows]
            elif name in _sortable():
                column = pl.Series(name, [None], dtype=_sortable()[name]).new_from_index(
                    0, len(rows)
                )
            else:
                known = ", ".join(_sortable())
                reason = f"expected a column to sort by ({known}), got {name!r}"
                raise invalid_value("sort", name, reason)
            if column.dtype.is_nested():
                reason = f"expected a column of single values to sort by, got {name!r}"
                raise invalid_value("sort", name, reason)
            keys.append(
                pl.DataFrame({"key": column, "id": part.ids[rows], "row": rows}).with_columns(
                    part=pl.lit(number, pl.UInt32)
                )
            )
        total = sum(one.height for one in keys)
        if not total:
            return FoundBoards(self._frame([]), 0)
        chosen = (
            pl.concat(keys)
            .sort("key", "id", descending=[self._question.descending, False], nulls_last=True)
            .head(self._question.limit)
        )
        chosen = chosen.with_row_index("place")
        taken, places = [], []
        for (number,), group in chosen.group_by("part", maintain_order=True):
            part = self._parts[number]
            taken.append((part, group["row"].to_numpy()))
            places.append(group["place"])
        boards = self._frame(taken)
        order = np.argsort(pl.concat(places).to_numpy())
        return FoundBoards(boards[order], total)

    def in_equal_shares(self) -> FoundBoards:
        """Boards in equal shares of classes, by chance; a class of fewer gives all that it has."""
        question = self._question
        seed = question.seed or 0
        parts = []
        for number, part in enumerate(self._parts):
            rows = self._fitting_in_pieces(part, self._rows(part))
            frame = pl.DataFrame(
                {
                    "lot": _lots(part.ids[rows], seed),
                    "row": rows,
                    "class": self._classes(part, rows),
                }
            )
            parts.append(frame.with_columns(part=pl.lit(number, pl.UInt32)))
        none = pl.DataFrame(
            schema={"lot": pl.UInt64, "row": pl.UInt32, "class": pl.String, "part": pl.UInt32}
        )
        every = pl.concat([none, *parts]).drop_nulls("class")
        shares = _shares(dict(every.group_by("class").len().iter_rows()), question.limit)
        chosen = (
            every.sort("lot")
            .with_columns(rank=pl.int_range(pl.len()).over("class"))
            .filter(pl.col("rank") < pl.col("class").replace_strict(shares, return_dtype=pl.Int64))
            if shares
            else every
        )
        taken, classes = [], []
        for (number,), group in chosen.group_by("part", maintain_order=True):
            taken.append((self._parts[number], group["row"].to_numpy()))
            classes.append(group.select("class", "lot"))
        boards = self._frame(taken)
        labels = pl.concat([none.select("class", "lot"), *classes])
        boards = pl.concat([boards, labels], how="horizontal").sort("lot").drop("lot")
        return FoundBoards(boards, every.height)

    def _classes(self, part: ArchivePart, rows: U32) -> pl.Series:
        """Class of each row by name; null where it has none."""
        level = self._question.level
        if level == ("next",):
            postings = part.postings(self._question.by, self._digest)
            if self._written.regex is not None or self._question.mode == "all":
                raise InvalidInput(
                    "expected an auction with all its calls, of mode first, for equal shares of "
                    f"the next call, got {self._question.auction!r}"
                )
            depth = len(self._written.prefix)
            start, stop = postings.span(self._written.prefix)
            calls = [
                CALL_TEXTS[one[depth]] if len(one) > depth else None
                for one in postings.auctions.slice(start, stop - start)
            ]
            # the last is for boards without an auction, whose number is -1
            texts = pl.Series("class", [*calls, None], pl.String)
            numbers = postings.numbers[rows].astype(np.int64)
            return texts.gather(np.where(numbers < 0, len(calls), numbers - start))
        if len(level) == 1 and level[0] in LEVELS:
            if level[0] != "contract":
                return part.boards[level[0]][rows].cast(pl.String)
            if self._question.by == OWN:
                return _contracts(part, rows)
            return self._archive.contracts(part, self._question.by)[rows]
        found = np.full(len(rows), -1, np.int64)
        for number, text in enumerate(level):
            open_ = np.flatnonzero(found < 0)
            condition = _condition(text)
            holds = condition.holds(self._backend, part.deals(rows[open_], condition.seats))
            found[open_[holds]] = number
        return pl.Series("class", [*level, None], pl.String).gather(
            np.where(found < 0, len(level), found)
        )

    # --- what is found ----------------------------------------------------------------------------

    def _frame(self, taken: Sequence[tuple[ArchivePart, U32]]) -> pl.DataFrame:
        """Boards of some rows, with what is bid on them."""
        frames = []
        for part, rows in taken:
            boards = part.frame(rows)
            bid = pl.Series("bid", [None], pl.List(pl.UInt8)).new_from_index(0, len(rows))
            if self._question.by != OWN:
                bid = part.postings(self._question.by, self._digest).auctions_of(rows)
            frames.append(boards.with_columns(bid.alias("bid")))
        if not frames:
            return pl.DataFrame(schema={**BOARD_SCHEMA, "bid": pl.List(pl.UInt8())})
        return pl.concat(frames)


_NONE: Final = np.zeros(0, np.uint32)


def _sortable() -> dict[str, pl.DataType]:
    return {name: dtype for name, dtype in BOARD_SCHEMA.items() if not dtype.is_nested()}


def _contracts(part: ArchivePart, rows: U32) -> pl.Series:
    if "contract" not in part.boards.columns:
        return pl.Series("contract", [None], pl.String).new_from_index(0, len(rows))
    return part.boards["contract"][rows]


def _is(column: pl.Series, value: object) -> Bools:
    found: Bools = (column == value).fill_null(value=False).to_numpy()
    return found


def _made(part: ArchivePart, rows: U32) -> pl.Series:
    """Whether declarer took the tricks of the contract; null where the board does not say."""
    if not {"contract", "tricks"} <= {*part.boards.columns}:
        return pl.Series("made", [None], pl.Boolean).new_from_index(0, len(rows))
    level = _contracts(part, rows).str.head(1).cast(pl.Int16, strict=False)
    return part.boards["tricks"][rows].cast(pl.Int16) >= level + 6


def _lots(ids: U64, seed: int) -> U64:
    """Numbers that seed and board alone decide, spread over all 64 bits (Steele et al. 2014)."""
    mixed = ids * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed * 0xD1342543DE82EF95 % (1 << 64))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    lots: U64 = mixed ^ (mixed >> np.uint64(31))
    return lots


def _shares(sizes: dict[str, int], limit: int) -> dict[str, int]:
    """Deal a number out to classes as equally as their sizes let it."""
    shares: dict[str, int] = {}
    left = limit
    ordered = sorted(sizes.items(), key=lambda item: (item[1], item[0]))
    for place, (name, size) in enumerate(ordered):
        shares[name] = min(size, -(-left // (len(ordered) - place)) if size else 0)
        left -= shares[name]
    return shares
