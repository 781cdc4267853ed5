"""What the nodes of many auctions are worth: tricks, par, contracts, hands, what comes next.

A *node* is how an auction begins, the root (no call yet) and whole auctions among them. Boards are
sorted by their auctions, so that those of a node stand together; then every statistic of all nodes
with as many calls is a count of small numbers. No board is looked at in Python.

Numbers are those of the side that made a node's last call, at the root of the dealer's side.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import (
    CALL_COUNT,
    CALL_TEXTS,
    PASS,
    STRAINS,
    SUITS,
    InvalidInput,
    format_calls,
)
from bidcascade.inference.auction_ends import (
    NO_CALL,
    contract_number,
    contract_of,
    contracts_by_compass,
    keys_of,
)
from bidcascade.inference.board_scores import imps_of, scores_of
from bidcascade.inference.double_dummy.abstract_solver import TABLE_SIZE
from bidcascade.inference.double_dummy.known_tables import known_tables
from bidcascade.inference.hand_pictures import MOST_POINTS, named_shapes
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I8, I64, U8, Bools
from bidcascade.loaders import HAND_COLUMNS, deal_arrays
from bidcascade.loaders.pbn.pbn_double_dummy import PAR_COLUMN
from bidcascade.table import Vocabulary
from bidcascade.table.term_values import term_values

MOST_CONTRACTS: Final = 5
MOST_SHAPES: Final = 5

_FIRST: Final = "first"
_WORST: Final = -13
"""Tricks beyond a contract of seven of which none is made."""
_NO_SCORE: Final = -(2**31)
"""Stands for a score that is not known, below all others."""

_NUMBER: Final = pl.Float64()
_RANGE: Final = pl.Struct(
    {
        "least": pl.UInt8(),
        "low": pl.UInt8(),
        "mean": _NUMBER,
        "high": pl.UInt8(),
        "most": pl.UInt8(),
    }
)
_CALLS: Final = pl.List(pl.Struct({"call": pl.String(), "share": _NUMBER}))
_SHAPES: Final = pl.List(pl.Struct({"shape": pl.String(), "share": _NUMBER}))
_CONTRACTS: Final = pl.List(
    pl.Struct({"contract": pl.String(), "is_own": pl.Boolean(), "share": _NUMBER, "score": _NUMBER})
)
_RESULTS: Final = pl.List(pl.Struct({"over": pl.Int8(), "share": _NUMBER}))
_PARS: Final = pl.List(pl.Struct({"par": pl.Int32(), "share": _NUMBER}))
_RANGES: Final = {f"HCP_{place}": ("HCP", place - 1) for place in range(1, 5)} | {
    f"SL_{place}_{suit}": (f"SL_{suit}", place - 1) for place in range(1, 5) for suit in SUITS
}
"""Term and player (0-3 from the dealer on) of each column of a range."""

NODE_SCHEMA: Final = pl.Schema(
    {
        "auction": pl.String(),
        "boards": pl.UInt32(),
        "share": _NUMBER,
        "share_of_all": _NUMBER,
        # of boards with double-dummy tables
        "solved": pl.UInt32(),
        **{f"tricks_{strain}": _NUMBER for strain in STRAINS},
        **{f"other_tricks_{strain}": _NUMBER for strain in STRAINS},
        "par": _NUMBER,
        "pars": _PARS,
        # of the contracts that the auctions end in
        "finished": pl.UInt32(),
        "contracts": _CONTRACTS,
        "results": _RESULTS,
        "score": _NUMBER,
        "imps_par": _NUMBER,
        # of what was scored at the table
        "table_score": _NUMBER,
        "table_imps_par": _NUMBER,
        "table_imps_room": _NUMBER,
        **dict.fromkeys(_RANGES, _RANGE),
        **{f"shapes_{place}": _SHAPES for place in range(1, 5)},
        "next_calls": _CALLS,
        "humans": pl.UInt32(),
        "humans_same": _NUMBER,
        "humans_instead": _CALLS,
    }
)
"""Columns of :func:`node_statistics`; ``docs/node-statistics.md`` says what each is."""


def node_statistics(
    boards: pl.DataFrame,
    auction: pl.Series,
    *,
    least: int = 50,
    humans: pl.Series | None = None,
    max_depth: int | None = None,
) -> pl.DataFrame:
    """Statistics of every node that enough boards come to.

    Parameters
    ----------
    boards : polars.DataFrame
        Deal frame. With the columns of ``augment --dd`` tricks and par are told, of the boards
        where none of them is null; with ``score`` what was scored at the table; with ``room`` too
        what that is against the other room: a deal of one ``source`` must have a score of each
        room just once.
    auction : polars.Series
        List(UInt8): the auctions by which boards are grouped, really bid or those of a system,
        legal ones from the dealer on. A board without one (null or empty) counts at the root only.
    least : int
        Fewest boards of a node.
    humans : polars.Series, optional
        List(UInt8): what was really bid on the same boards, null where that is not known.
    max_depth : int, optional
        Most calls of a node.

    Returns
    -------
    polars.DataFrame
        :data:`NODE_SCHEMA`: a row a node, in the order of calls, a node before its continuations.

    Raises
    ------
    InvalidInput
        If there are no boards, columns are missing or hold something else, lengths differ, or a
        number asked for is too small.

    Examples
    --------
    >>> from bidcascade.bridge import parse_calls
    >>> from bidcascade.loaders import random_deals
    >>> bid = [parse_calls(text) for text in ("1N P 3N P P P", "1N P 2C P", "P 1N")]
    >>> found = node_statistics(
    ...     random_deals(3, 1), pl.Series(bid, dtype=pl.List(pl.UInt8)), least=2)
    >>> found.select("auction", "boards", "share").rows()
    [('', 3, 1.0), ('1N', 2, 0.6666666666666666), ('1N P', 2, 1.0)]
    >>> found["next_calls"][0].to_list()
    [{'call': '1N', 'share': 0.6666666666666666}, {'call': 'P', 'share': 0.3333333333333333}]
    """
    if least < 1:
        raise InvalidInput(f"expected at least one board a node, got {least!r}")
    if max_depth is not None and max_depth < 0:
        raise InvalidInput(f"expected nodes of no or more calls at most, got {max_depth!r}")
    deals = deal_arrays(boards)
    if not len(deals):
        raise InvalidInput("expected boards, got none")
    given = _Auctions.of(auction, "auction", len(deals))
    real = None if humans is None else _Auctions.of(humans, "humans", len(deals))
    order = np.argsort(keys_of(given.calls), kind="stable")
    facts = _Facts.of(boards, deals, given, real, order)
    frames = [_frame(nodes, facts) for nodes in _levels(facts, least, max_depth)]
    none = pl.DataFrame(schema={**NODE_SCHEMA, _FIRST: pl.Int64()})
    # of nodes with the same first board the longer one is the continuation
    return pl.concat([none, *frames]).sort(_FIRST, maintain_order=True).drop(_FIRST)


# --- what is known of boards ----------------------------------------------------------------------


class _Auctions(NamedTuple):
    """``calls``, uint8 [n, longest], with :data:`NO_CALL` behind the end; ``lengths``, int64."""

    calls: U8
    lengths: I64

    @classmethod
    def of(cls, auction: pl.Series, what: str, boards: int) -> "_Auctions":
        if len(auction) != boards:
            raise InvalidInput(f"expected {boards} auctions in {what!r}, got {len(auction)}")
        # of nothing but nulls or empty lists polars does not know the type
        is_bare = auction.dtype in (pl.Null, pl.List(pl.Null))
        lists = auction.cast(pl.List(pl.UInt8)) if is_bare else auction
        if not (isinstance(lists.dtype, pl.List) and lists.dtype.inner.is_integer()):
            raise InvalidInput(f"expected call codes (List(UInt8)) in {what!r}, got {lists.dtype}")
        lengths = lists.list.len().fill_null(0).cast(pl.Int64).to_numpy()
        flat = lists.filter(pl.Series(lengths > 0)).explode()
        outside = flat.filter(flat.is_null() | ~flat.is_between(0, CALL_COUNT - 1))
        if outside.len():
            raise InvalidInput(f"expected call codes 0-37 in {what!r}, got {outside[0]!r}")
        # a column at least: nothing at all cannot be sorted
        calls = np.full((boards, max(1, int(lengths.max()))), NO_CALL, np.uint8)
        calls[np.arange(calls.shape[1]) < lengths[:, np.newaxis]] = flat.to_numpy()
        return cls(calls, lengths)

    def agree(self, others: "_Auctions") -> I64:
        """How many calls from the start on are the same, board by board."""
        width = min(self.calls.shape[1], others.calls.shape[1])
        differ = self.calls[:, :width] != others.calls[:, :width]
        shorter = np.minimum(self.lengths, others.lengths)
        return np.where(differ.any(axis=1), np.minimum(differ.argmax(axis=1), shorter), shorter)

    def contracts(self) -> I64:
        """Contract numbers, -1 where an auction is not over; equal ones stand together."""
        numbers = np.full(len(self.lengths), -1)
        last = self.lengths[:, np.newaxis] - np.arange(1, 4)
        passes = np.take_along_axis(self.calls, np.maximum(last, 0), axis=1) == PASS
        over = np.flatnonzero((self.lengths >= 4) & passes.all(axis=1))
        if len(over):
            keys = keys_of(self.calls[over])
            first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
            different = [
                contract_number(self.calls[one, : self.lengths[one]].tolist())
                for one in over[first].tolist()
            ]
            numbers[over] = np.repeat(different, np.diff(np.append(first, len(over))))
        return numbers

    def taken(self, order: I64) -> "_Auctions":
        return _Auctions(self.calls[order], self.lengths[order])


class _Known(NamedTuple):
    """A number of each board, int [n], as the dealer's side sees it, and where it is known."""

    values: NDArray[np.integer]
    there: Bools


class _Humans(NamedTuple):
    """What was really bid, and how many calls of it are those of the auction."""

    bid: _Auctions
    same: I64


class _Facts(NamedTuple):
    """Everything that is counted, board by board in the order of their auctions."""

    auctions: _Auctions
    starts: I64
    """Calls that an auction has in common with the one before, -1 for the first."""
    humans: _Humans | None
    tricks: I8
    """[2, 5, n]: the better hand's of the dealer's side and of the other, by strain."""
    par: _Known
    contracts: I64
    """Contract numbers, declarers by side alone: 0 the dealer's; -1 not over."""
    over: I64
    """Tricks double dummy beyond the contract, from :data:`_WORST` on; -1 where there is none."""
    values: dict[str, _Known]
    """Columns of scores and IMPs."""
    ranges: dict[str, I64]
    shapes: tuple[tuple[list[str], I64], ...]

    @classmethod
    def of(
        cls,
        boards: pl.DataFrame,
        deals: DealArrays,
        auctions: _Auctions,
        humans: _Auctions | None,
        order: I64,
    ) -> "_Facts":
        par, tables = _solved(boards)
        scores, others = _at_the_table(boards)
        # from here on in the order of the auctions
        auctions, dealer = auctions.taken(order), deals.dealer[order].astype(np.int64)
        real = None if humans is None else humans.taken(order)
        sign = 1 - 2 * (dealer % 2)
        tables, vulnerability = tables[order], deals.vulnerability[order]
        par, scores, others = (
            _Known(sign * one.values[order], one.there[order]) for one in (par, scores, others)
        )
        by_side = tables.reshape(-1, 2, 2, 5).max(axis=1)
        numbers = auctions.contracts()
        parts, played = contracts_by_compass(numbers, deals.dealer[order])
        played &= numbers >= 0
        taken = tables[np.arange(len(dealer)), 5 * parts.declarer + parts.strain]
        over = taken.astype(np.int64) - 6 - parts.level - _WORST
        bid = _Known(
            sign * scores_of(parts, played, vulnerability, taken), par.there & (numbers >= 0)
        )
        hands = deals.hands[(np.arange(4)[:, np.newaxis] + dealer) % 4, order]
        nothing = np.zeros(len(dealer), np.uint8)
        seated, vocabulary = DealArrays(hands, nothing, nothing), Vocabulary()
        ranges = {
            name: term_values(term, player, seated, vocabulary)
            for name, (term, player) in _RANGES.items()
        }
        return cls(
            auctions,
            _common_calls(auctions),
            None if real is None else _Humans(real, real.agree(auctions)),
            np.stack([by_side[np.arange(len(dealer)), (dealer + side) % 2].T for side in range(2)]),
            par,
            np.where(numbers > 0, numbers - (numbers - 1) % 4 // 2 * 2, numbers),
            np.where(played & par.there, over, -1),
            {
                "score": bid,
                "imps_par": _imps(bid, par),
                "table_score": scores,
                "table_imps_par": _imps(scores, par),
                "table_imps_room": _imps(scores, others),
            },
            ranges,
            tuple(
                named_shapes(np.stack([ranges[f"SL_{place}_{suit}"] for suit in SUITS]))
                for place in range(1, 5)
            ),
        )


def _common_calls(auctions: _Auctions) -> I64:
    """Count the calls that an auction has in common with the one before; -1 for the first."""
    before = _Auctions(auctions.calls[:-1], auctions.lengths[:-1])
    behind = _Auctions(auctions.calls[1:], auctions.lengths[1:])
    return np.append(-1, behind.agree(before))


def _imps(ours: _Known, theirs: _Known) -> _Known:
    swings = (ours.values - theirs.values).astype(np.int32)
    return _Known(imps_of(swings), ours.there & theirs.there)


def _solved(boards: pl.DataFrame) -> tuple[_Known, I8]:
    """Par of North-South, and tables of tricks [n, 20]."""
    tables = known_tables(boards)
    if tables is None:
        nothing = np.zeros(boards.height, np.int64)
        return _Known(nothing, nothing > 0), np.zeros((boards.height, TABLE_SIZE), np.int8)
    if PAR_COLUMN not in boards.columns:
        raise InvalidInput(f"expected the column {PAR_COLUMN} beside those of tricks, got none")
    par = _whole_numbers(boards, PAR_COLUMN)
    return par._replace(there=par.there & (tables >= 0).all(axis=1)), tables


def _at_the_table(boards: pl.DataFrame) -> tuple[_Known, _Known]:
    """Scores of North-South at the table, and those of the other room."""
    if "score" not in boards.columns:
        nothing = _Known(np.zeros(boards.height, np.int64), np.zeros(boards.height, np.bool_))
        return nothing, nothing
    scores = _whole_numbers(boards, "score")
    if "room" not in boards.columns:
        return scores, scores._replace(there=np.zeros_like(scores.there))
    deal = [*HAND_COLUMNS, "dealer", "vulnerability"]
    deal += ["source"] if "source" in boards.columns else []
    counted = pl.col("score").is_not_null() & pl.col("room").is_not_null()
    is_open = pl.col("room").cast(pl.String) == "open"
    other = boards.select(
        pl.when(
            counted
            & ((counted & is_open).sum().over(deal) == 1)
            & ((counted & ~is_open).sum().over(deal) == 1)
        ).then(pl.when(counted).then("score").sum().over(deal) - pl.col("score"))
    )
    return scores, _whole_numbers(other, "score")


def _whole_numbers(frame: pl.DataFrame, name: str) -> _Known:
    column = frame[name]
    if not column.dtype.is_integer() and column.dtype != pl.Null:
        raise InvalidInput(f"expected whole numbers in column {name}, got {column.dtype}")
    values = column.cast(pl.Int64).fill_null(0).to_numpy()
    return _Known(values, column.is_not_null().to_numpy())


# --- nodes ----------------------------------------------------------------------------------------


class _DepthNodes(NamedTuple):
    """The nodes of one depth that enough boards come to, each with its boards."""

    # rows: boards by place in the facts; node: the number of the node each comes to, ascending

    depth: int
    rows: I64
    node: I64
    boards: I64
    above: I64
    """Boards of the node before."""

    @property
    def first(self) -> I64:
        """First board of each."""
        first: I64 = self.rows[np.cumsum(self.boards) - self.boards]
        return first

    @property
    def side(self) -> int:
        """Whose numbers are told: 0 the dealer's side."""
        return max(self.depth - 1, 0) % 2

    def number(self, where: Bools) -> I64:
        """Count the boards of each of which something is true."""
        return np.bincount(self.node[where[self.rows]], minlength=len(self.boards))

    def mean(self, known: _Known, *, sign: int = 1) -> pl.Series:
        """Means, null where nothing is known."""
        rows = known.there[self.rows]
        values = sign * known.values[self.rows[rows]]
        total = np.bincount(self.node[rows], values, len(self.boards))
        return _ratio(total, self.number(known.there))

    def ranges(self, values: I64, size: int) -> pl.Series:
        """Ranges of values from 0 to ``size - 1``."""
        cells = np.bincount(
            self.node * size + values[self.rows], minlength=size * len(self.boards)
        ).reshape(-1, size)
        upto, boards = cells.cumsum(axis=1), self.boards[:, np.newaxis]
        return pl.DataFrame(
            {
                "least": (upto > 0).argmax(axis=1),
                "low": (20 * upto >= boards).argmax(axis=1),
                "mean": cells @ np.arange(size) / self.boards,
                "high": (20 * upto >= 19 * boards).argmax(axis=1),
                "most": (upto == boards).argmax(axis=1),
            },
            schema=_RANGE.to_schema(),
        ).to_struct()

    def shares(
        self,
        keys: I64,
        names: pl.DataFrame,
        of: I64,
        *,
        most: int = CALL_COUNT,
        value: _Known | None = None,
    ) -> pl.Series:
        """List the commonest things, with their share of ``of``; a key of -1 is nothing."""
        # keys are rows of ``names``; of ``value`` the mean is listed too, as ``score``
        there = keys[self.rows] >= 0
        rows, node = self.rows[there], self.node[there]
        score = None
        if value is not None:
            score = pl.Series(value.values[rows]).set(pl.Series(~value.there[rows]), None)
        found = (
            pl.DataFrame({"node": node, "key": keys[rows]})
            .with_columns(score=score)
            .group_by("node", "key")
            .agg(pl.len().cast(pl.Int64).alias("boards"), pl.mean("score"))
            .sort("node", -pl.col("boards"), "key")
        )
        shares = found["boards"].to_numpy() / of[found["node"].to_numpy()]
        named = names[found["key"]].with_columns(share=shares)
        if value is not None:
            named = named.with_columns(found["score"])
        listed = (
            found.select("node", listed=named.to_struct())
            .group_by("node", maintain_order=True)
            .agg(pl.col("listed").head(most))
        )
        every = pl.DataFrame({"node": np.arange(len(self.boards))})
        return every.join(listed, "node", "left", maintain_order="left")["listed"].fill_null([])


def _ratio(part: NDArray[Any], whole: I64) -> pl.Series:
    """Parts of a whole, null where there is none."""
    share = part / np.maximum(whole, 1)
    return pl.Series(share).set(pl.Series(whole == 0), None)


def _levels(facts: _Facts, least: int, max_depth: int | None) -> Iterator[_DepthNodes]:
    """Nodes by depth, the root first."""
    boards = len(facts.starts)
    rows = np.arange(boards)
    # boards of the last node that a board came to
    last = np.full(boards, boards)
    for depth in count() if max_depth is None else range(max_depth + 1):
        rows = rows[facts.auctions.lengths[rows] >= depth]
        node = np.cumsum(facts.starts[rows] < depth) - 1
        enough = np.bincount(node) >= least
        rows, node = rows[enough[node]], (np.cumsum(enough) - 1)[node[enough[node]]]
        if not len(rows):
            return
        nodes = _DepthNodes(depth, rows, node, np.bincount(node), last)
        yield nodes._replace(above=last[nodes.first])
        last[rows] = nodes.boards[node]


def _frame(nodes: _DepthNodes, facts: _Facts) -> pl.DataFrame:
    """Rows of :data:`NODE_SCHEMA`, and the first board of each."""
    depth, side, boards = nodes.depth, nodes.side, nodes.boards
    sign = 1 - 2 * side
    solved, finished = nodes.number(facts.par.there), nodes.number(facts.contracts >= 0)
    calls, score = facts.auctions.calls, facts.values["score"]
    par = np.where(facts.par.there, sign * facts.par.values, _NO_SCORE)
    scores, which_par = np.unique(np.append(_NO_SCORE, par), return_inverse=True)
    columns = {
        "auction": [format_calls(one) for one in calls[nodes.first, :depth].tolist()],
        "boards": boards,
        "share": boards / nodes.above,
        "share_of_all": boards / len(calls),
        "solved": solved,
        **{
            f"{whose}tricks_{name}": nodes.mean(facts.par._replace(values=of_strain))
            for whose, of_side in (("", side), ("other_", 1 - side))
            for name, of_strain in zip(STRAINS, facts.tricks[of_side], strict=True)
        },
        "par": nodes.mean(facts.par, sign=sign),
        "pars": nodes.shares(
            which_par[1:] - 1, pl.DataFrame({"par": scores[1:]}), solved, most=len(scores)
        ),
        "finished": finished,
        "contracts": nodes.shares(
            facts.contracts,
            _CONTRACT_NAMES.select("contract", is_own=pl.col("side") == side),
            finished,
            most=MOST_CONTRACTS,
            value=score._replace(values=sign * score.values),
        ),
        "results": nodes.shares(facts.over, _RESULT_NAMES, nodes.number(facts.over >= 0)),
        **{name: nodes.mean(known, sign=sign) for name, known in facts.values.items()},
        **{
            name: nodes.ranges(values, MOST_POINTS + 1 if name.startswith("HCP") else 14)
            for name, values in facts.ranges.items()
        },
        **{
            f"shapes_{place}": nodes.shares(
                which, pl.DataFrame({"shape": texts}), boards, most=MOST_SHAPES
            )
            for place, (texts, which) in enumerate(facts.shapes, 1)
        },
        "next_calls": nodes.shares(_call_at(facts.auctions, depth), _CALL_NAMES, boards),
        **_humans(nodes, facts.humans),
    }
    frame = pl.DataFrame(columns, strict=False).cast(NODE_SCHEMA)
    return frame.select(*NODE_SCHEMA, pl.Series(_FIRST, nodes.first))


def _humans(nodes: _DepthNodes, humans: _Humans | None) -> dict[str, Any]:
    """Tell what was really bid where the auction was the same up to the node before."""
    if humans is None or not nodes.depth:
        return dict.fromkeys(("humans", "humans_same", "humans_instead"))
    before = nodes.depth - 1
    there = (humans.same >= before) & (humans.bid.lengths > before)
    others = np.where(there & (humans.same == before), _call_at(humans.bid, before), -1)
    number = nodes.number(there)
    return {
        "humans": number,
        "humans_same": _ratio(nodes.number(humans.same > before), number),
        "humans_instead": nodes.shares(others, _CALL_NAMES, number),
    }


def _call_at(auctions: _Auctions, place: int) -> I64:
    """Give the calls at a place, -1 where an auction has no more."""
    if place >= auctions.calls.shape[1]:
        return np.full(len(auctions.lengths), -1)
    calls = auctions.calls[:, place].astype(np.int64)
    return np.where(calls == NO_CALL, -1, calls)


def _contract_names() -> pl.DataFrame:
    """Name and declarer's side of contract numbers."""
    found = [contract_of(number, 0) for number in range(1 + 4 * 7 * 5 * 3)]
    return pl.DataFrame(
        {
            "contract": ["Pass" if one is None else one.name for one in found],
            "side": [None if one is None else one.declarer % 2 for one in found],
        }
    )


_RESULT_NAMES: Final = pl.DataFrame({"over": range(_WORST, 7)})
_CALL_NAMES: Final = pl.DataFrame({"call": CALL_TEXTS})
_CONTRACT_NAMES: Final = _contract_names()
