"""Systems measured on archives of real boards: how far from par they end, and why.

Each system bids the boards of an archive at all four seats; its contracts and those that the
players reached are scored double dummy and set against par. A board's *loss* is the IMPs between
its score and par, whichever side they belong to: 0 is bidding without a fault. Both rooms of a deal
are boards of their own; the system bids the deal once.

Every loss has one cause (:mod:`.loss_causes`), and that of a system the line of its text that made
the decisive call. The interval of a difference is from a bootstrap over deals
(:mod:`.scored_boards`); the rooms of a deal go together.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Event
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from bidcascade.bridge import (
    PASS,
    SEATS,
    VULNERABILITIES,
    Cancelled,
    InvalidInput,
    ShownAnswer,
    format_call,
    format_calls,
    format_deal,
)
from bidcascade.inference.auction_ends import (
    ContractParts,
    contract_number,
)
from bidcascade.inference.board_scores import imps_of, scores_of
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.double_dummy.par import par_contracts
from bidcascade.inference.double_dummy.table_cache import TableCache, solved_tables, user_tables
from bidcascade.kernels import DealArrays
from bidcascade.kernels.types import I8, I32, I64, Bools
from bidcascade.loaders import HAND_COLUMNS, Batch, deal_arrays, play_disagrees
from bidcascade.loaders.frames.frame import deal_at
from bidcascade.seats.foreign.bidding import EngineFault, Player, bid_out
from bidcascade.systems import System
from bidcascade.systems.auctions.bidder import Bidder

from .call_by_call import CallByCall, LineName
from .call_signs import call_signs
from .loss_causes import (
    CAUSES,
    MADE_BY_A_BID,
    MADE_BY_A_DOUBLE,
    Ending,
    ParOfDeals,
    cause_of,
    decisive_calls,
    highest_bid,
)
from .sanity import Sign, sanity_of
from .scored_boards import (
    BidBoards,
    BoardContracts,
    Difference,
    MatchProgress,
    bootstrap,
    category_of,
    contract_text,
)

Calls = tuple[int, ...]

PLAYERS: Final = "players"
MOST_EXAMPLES: Final = 3
_LINES_WITH_EXAMPLES: Final = 6
"""So many of each cause."""
_GAME: Final = 2
_SLAM: Final = 3
_NO_CAUSE: Final = len(CAUSES)
_CAUSE_NUMBERS: Final = {name: number for number, name in enumerate(CAUSES)}
_SAME_RECORD: Final = (
    *HAND_COLUMNS,
    "dealer",
    "vulnerability",
    "room",
    "auction",
    "players",
    "tricks",
    "play",
)


class MeasuredBoards(NamedTuple):
    """Boards of an archive that can be measured.

    Parameters
    ----------
    boards : polars.DataFrame
        Deal frame of them, in the order of the archive.
    deals : DealArrays
        The different deals, with dealer and vulnerability.
    deal : int64 [boards]
        Which of them a board is.
    left_out : dict of str to int
        How many records were not usable, by what is wrong with them.
    whose : str
        Who bid the auctions of ``boards``.
    """

    boards: pl.DataFrame
    deals: DealArrays
    deal: I64
    left_out: dict[str, int]
    whose: str = PLAYERS


def archive_of(batch: Batch) -> MeasuredBoards:
    """Take the boards of :func:`bidcascade.loaders.read_deals` that have a complete auction.

    Boards whose play is not of their hands (:func:`bidcascade.loaders.play_disagrees`) are left
    out.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    frame = batch.deals
    status = frame["auction_status"].cast(pl.String)
    complete = frame.filter(status == "complete")
    played = complete.filter(~play_disagrees(complete))
    boards = played.unique(_SAME_RECORD, keep="first", maintain_order=True)
    left_out = {
        "unreadable record": batch.refused,
        "no auction": int((status == "none").sum()),
        "unfinished auction": int((status == "unfinished").sum()),
        "illegal auction": int((status == "illegal").sum()),
        "play disagrees": complete.height - played.height,
        "repeated record": played.height - boards.height,
    }
    if not boards.height:
        why = ", ".join(f"{reason}: {count:,}" for reason, count in left_out.items() if count)
        raise InvalidInput(
            f"expected boards with complete auctions, got none ({why or 'no board'})"
        )
    every = deal_arrays(boards)
    keys = np.vstack([every.hands, every.dealer.astype(np.uint64), every.vulnerability])
    _, first, deal = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    deals = DealArrays(
        np.ascontiguousarray(every.hands[:, first]), every.dealer[first], every.vulnerability[first]
    )
    return MeasuredBoards(boards, deals, deal.ravel(), left_out)


# --- what is told ---------------------------------------------------------------------------------


class BidCount(NamedTuple):
    """How many contracts of a kind were bid, and how many of them are made double dummy."""

    bid: int
    made: int

    @property
    def failing(self) -> int:
        """How many go down."""
        return self.bid - self.made


class Reached(NamedTuple):
    """Par contracts of a kind: how many that side bid at that level, of how many there are."""

    reached: int
    par: int


class Loss(NamedTuple):
    """What one cause costs: boards, IMPs, and IMPs a board of the archive."""

    boards: int
    imps: int
    per_board: float


class BoardExample(NamedTuple):
    """One board, as a system and the players bid it; ``deal`` is PBN, scores North-South's."""

    deal: str
    dealer: str
    vulnerability: str
    where: str
    """Source, record and room."""
    auction: Calls
    contract: str
    score: int
    imps: int
    players_auction: Calls
    players_contract: str
    players_score: int
    players_imps: int
    par_score: int
    par_contracts: str


_NO_LINE: Final = LineName("", "")


class Decisive(NamedTuple):
    """What made the decisive call of a loss.

    ``line`` is none where a player passed because no line held. ``behind`` is there for passes: the
    line of the last bid or double before, of the own side if it made one, else of the opponents
    (``over_them``); none where nobody has.
    """

    line: LineName
    behind: LineName
    over_them: bool


@dataclass(frozen=True, slots=True, repr=False)
class LineLoss(ShownAnswer):
    """What decisive calls of one kind cost by one cause.

    ``players_imps`` is what the players lost on the same boards, by whatever cause. Examples are
    boards of different deals, those first where the players did better by most.
    """

    cause: str
    decisive: Decisive
    boards: int
    imps: int
    players_imps: int
    examples: tuple[BoardExample, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class BoardTally(ShownAnswer):
    """What a system, or the players, did on the boards of an archive."""

    name: str
    imps: float
    """IMPs from par, a board."""
    difference: Difference | None
    """IMPs from par less the players', a board; below zero the system is closer. None for them."""
    less_first: Difference | None
    """The same against the first system, None for that and the players."""
    games: BidCount
    slams: BidCount
    par_games: Reached
    par_slams: Reached
    doubled: float
    """Part of the boards with a doubled or redoubled final contract."""
    passed_out: int
    causes: dict[str, Loss]
    sanity: tuple[Sign, ...]
    lines: tuple[LineLoss, ...]
    """Most IMPs first; empty for the players."""


@dataclass(frozen=True, slots=True, repr=False)
class Yardstick(ShownAnswer):
    """Systems and players on the same boards."""

    boards: int
    deals: int
    left_out: dict[str, int]
    players: BoardTally
    systems: tuple[BoardTally, ...]
    seconds: dict[str, float]


# --- measuring ------------------------------------------------------------------------------------


class _Bidding(NamedTuple):
    """Auctions of some boards, what came of them, and why: arrays by board."""

    auctions: Sequence[Sequence[int]]
    contracts: BoardContracts
    scores: I32
    imps: I8
    loser: I64
    """0 North-South, 1 East-West; -1 at par."""
    cause: I64
    made: Bools
    tricks: I8
    signs: Bools | None = None
    """As :class:`.sanity.BidBoards` has it; None for the players."""

    def of(self, boards: I64) -> "_Bidding":
        """Pick some of the boards, each any number of times."""
        return _Bidding(
            [self.auctions[one] for one in boards.tolist()],
            BoardContracts(
                ContractParts(*(part[boards] for part in self.contracts.parts)),
                self.contracts.played[boards],
            ),
            self.scores[boards],
            self.imps[boards],
            self.loser[boards],
            self.cause[boards],
            self.made[boards],
            self.tricks[boards],
            None if self.signs is None else self.signs[..., boards],
        )


def measure_archive(
    systems: Sequence[Player],
    archive: MeasuredBoards,
    solver: DoubleDummy,
    *,
    cache: TableCache | None = None,
    seed: int = 1,
    faults: list[EngineFault] | None = None,
    progress: MatchProgress | None = None,
    cancel: Event | None = None,
) -> tuple[Yardstick, pl.DataFrame]:
    """Measure systems on the boards of an archive.

    Parameters
    ----------
    systems
        At least one. Each bids for both sides. Where a foreign engine's call is decisive, its line
        is the call, and where that stands the auction before.
    archive
        As :func:`archive_of` gives it.
    solver
        For the double-dummy tables that are not kept.
    cache
        Tables solved before; by default the user's own.
    seed
        Of the bootstrap.
    faults
        As :func:`.foreign.bidding.bid_out` has it, by the different deals.
    progress, cancel
        As :class:`.compare.SystemMatch` has them.

    Returns
    -------
    Yardstick, polars.DataFrame
        The frame has a row for each board: the deal, ``board``, ``room``, ``source``, ``record``,
        ``par_score``, ``par_contracts``; then for the players and each system, its name at the
        end (``imps_sayc``), ``auction``, ``contract``, ``score``, ``imps`` from par, ``cause``, and
        of the systems ``line`` and ``behind``, as :class:`Decisive` has them.

    Raises
    ------
    DoubleDummyFailed, BackendUnavailable, Cancelled
        As the solver does.
    """
    report: MatchProgress = progress or (lambda what, done, total: None)
    started = perf_counter()
    deals = archive.deals
    tables = solved_tables(
        deals.hands,
        solver,
        user_tables() if cache is None else cache,
        cancel=cancel,
        progress=lambda done, total: report("double dummy", done, total),
    )
    par = ParOfDeals.of(tables, deals.dealer, deals.vulnerability)
    seconds = {"double dummy": perf_counter() - started}
    started = perf_counter()
    every = np.arange(len(deals))
    names = _different([archive.whose, *(one.name for one in systems)])[1:]
    players = _bidding(archive.boards["auction"].to_list(), archive.deal, archive, tables, par)
    found = []
    for number, system in enumerate(systems):
        report("bidding", number, len(systems))
        if cancel is not None and cancel.is_set():
            raise Cancelled("the measurement was cancelled")
        # also where the text names other opponents: it is all four seats that are measured
        if not isinstance(system, System):
            auctions = bid_out(system, system, deals, faults=faults)
            bidding = _bidding(auctions, every, archive, tables, par)
            found.append((bidding.of(archive.deal), _decisive_of_engine(bidding, deals)))
            continue
        bidder = system.bidder(system)
        with bidder.lock:
            steps = _Steps(bidder, deals)
            bidding = _bidding(steps.auctions, every, archive, tables, par)
            bidding = bidding._replace(signs=steps.signs)
            found.append((bidding.of(archive.deal), steps.decisive(bidding)))
    report("bidding", len(systems), len(systems))
    tallies = [_tally(archive.whose, players, archive, par)]
    for name, (bidding, decisive) in zip(names, found, strict=True):
        difference, less_first = (
            bootstrap(bidding.imps.astype(np.float64) - other.imps, archive.deal, seed)
            for other in (players, found[0][0])
        )
        lines = _lines(bidding, players, decisive, archive, tables, par)
        tallies.append(
            replace(
                _tally(name, bidding, archive, par),
                difference=difference,
                lines=lines,
                less_first=None if bidding is found[0][0] else less_first,
            )
        )
    columns = _columns(archive.whose, players, archive)
    for name, (bidding, decisive) in zip(names, found, strict=True):
        made = [decisive.get(one) for one in archive.deal.tolist()]
        columns += [
            *_columns(name, bidding, archive),
            pl.Series(f"line_{name}", [one and one.line.where for one in made], pl.String),
            pl.Series(f"behind_{name}", [one and one.behind.where for one in made], pl.String),
        ]
    frame = _frame(archive, tables, par).with_columns(columns)
    seconds["bidding"] = perf_counter() - started
    yardstick = Yardstick(
        archive.boards.height, len(deals), archive.left_out, tallies[0], tuple(tallies[1:]), seconds
    )
    return yardstick, frame


def _different(names: Sequence[str]) -> list[str]:
    """Names with a number behind those that come again."""
    found: list[str] = []
    for name in names:
        number = 1 + sum(one == name for one in names[: len(found)])
        found.append(name if number == 1 else f"{name}-{number}")
    return found


def _bidding(
    auctions: Sequence[Sequence[int]],
    deal: I64,
    archive: MeasuredBoards,
    tables: I8,
    par: ParOfDeals,
) -> _Bidding:
    """Score auctions of some deals, and tell the causes of losses."""
    deals = archive.deals
    dealer, vulnerability = deals.dealer[deal], deals.vulnerability[deal]
    contracts = BoardContracts.of_auctions(auctions, dealer)
    parts, played = contracts
    tricks = contracts.tricks_in(tables[deal])
    scores = contracts.scores(vulnerability, tricks)
    # the same contracts, doubled where they were not and undoubled where they were
    other = parts._replace(doubling=np.where(parts.doubling > 0, 0, 1))
    other_scores = scores_of(other, played, vulnerability, tricks)
    swings = scores - par.scores[deal].astype(np.int32)
    imps = np.abs(imps_of(swings))
    loser = np.where(imps == 0, -1, (swings > 0).astype(np.int64))
    made = played & (tricks >= parts.level + 6)
    cause = np.full(len(deal), _NO_CAUSE, np.int64)
    for board in np.flatnonzero(loser >= 0).tolist():
        side, number = int(loser[board]), int(deal[board])
        sign = 1 - 2 * side
        declares = bool(played[board]) and int(parts.declarer[board]) % 2 == side
        bid = 5 * (int(parts.level[board]) - 1) + int(parts.strain[board])
        ending = Ending(
            bid if played[board] else -1,
            declares,
            bool(made[board]),
            int(parts.doubling[board]),
            sign * int(scores[board]),
            sign * int(other_scores[board]),
        )
        name = cause_of(
            ending,
            sign * int(par.scores[number]),
            np.flatnonzero(par.own[number, side]).tolist(),
            highest_bid(auctions[board], (side + int(dealer[board])) % 2),
        )
        cause[board] = _CAUSE_NUMBERS[name]
    return _Bidding(auctions, contracts, scores, imps, loser, cause, made, tricks)


class _Steps:
    """How one system bid deals, call by call, and where it stood at each."""

    def __init__(self, bidder: Bidder, deals: DealArrays) -> None:
        """Bid deals; whoever calls this holds the bidder's lock until it is done with them."""
        self._bidder, self._deals = bidder, deals
        bid = CallByCall.of(bidder, deals)
        self._place, self._entry, self.auctions = bid.place, bid.entry, bid.auctions
        self.signs = call_signs(bid, bidder, deals)
        self._choices: dict[int, bool] = {}

    def decisive(self, bidding: _Bidding) -> dict[int, Decisive]:
        """Tell by deal what made the decisive call of a loss."""
        return {deal: self._decisive(deal, *why) for deal, why in _losses(bidding, self._deals)}

    def _decisive(self, deal: int, cause: str, parity: int) -> Decisive:
        candidates = decisive_calls(cause, self.auctions[deal], parity)
        is_made = cause in MADE_BY_A_BID or cause == MADE_BY_A_DOUBLE
        at = candidates[0]
        if not is_made:
            at = next((one for one in candidates if self._is_choice(deal, one)), at)
        calls, line = self.auctions[deal], self._line(deal, at)
        if calls[at] != PASS:
            return Decisive(line, _NO_LINE, over_them=False)
        earlier = [one for one in range(at - 1, -1, -1) if calls[one] != PASS]
        own = [one for one in earlier if one % 2 == parity]
        behind = self._line(deal, (own or earlier)[0]) if earlier else _NO_LINE
        return Decisive(line, behind, over_them=bool(earlier) and not own)

    def _line(self, deal: int, at: int) -> LineName:
        """Line that made a call; none for a pass by default."""
        entry = int(self._entry[deal, at])
        if entry < 0:
            return _NO_LINE
        return LineName.of_entry(self._bidder, at % 2, entry)

    def _is_choice(self, deal: int, at: int) -> bool:
        """Whether a place has more than one call for some hand."""
        number = int(self._place[deal, at])
        if number not in self._choices:
            place, _ = self._bidder.place_with_numbers(number)
            calls = {entry.call for entry in place.entries}
            self._choices[number] = len(calls | (set() if place.forced else {PASS})) > 1
        return self._choices[number]


def _losses(bidding: _Bidding, deals: DealArrays) -> Iterator[tuple[int, tuple[str, int]]]:
    """Deals that somebody lost on: each with its cause, and where the loser's calls stand."""
    names = tuple(CAUSES)
    for deal in np.flatnonzero(bidding.loser >= 0).tolist():
        parity = (int(bidding.loser[deal]) + int(deals.dealer[deal])) % 2
        yield deal, (names[bidding.cause[deal]], parity)


def _decisive_of_engine(bidding: _Bidding, deals: DealArrays) -> dict[int, Decisive]:
    """Tell by deal which call of a foreign engine was decisive, and after which others."""
    found = {}
    for deal, (cause, parity) in _losses(bidding, deals):
        calls = bidding.auctions[deal]
        at = decisive_calls(cause, calls, parity)[0]
        before = f"after {format_calls(calls[:at])}" if at else "opening"
        line = LineName(f"{before}:", format_call(calls[at]))
        found[deal] = Decisive(line, _NO_LINE, over_them=False)
    return found


# --- summing up -----------------------------------------------------------------------------------


def _tally(name: str, bidding: _Bidding, archive: MeasuredBoards, par: ParOfDeals) -> BoardTally:
    """Sum up what was bid, without differences and lines."""
    boards = len(bidding.imps)
    (parts, played), category = bidding.contracts, bidding.contracts.category
    side = parts.declarer % 2
    bids = np.arange(35)
    of_bid = category_of(bids // 5 + 1, bids % 5)
    stands = (par.best & par.makes)[archive.deal]

    def bid(where: Bools) -> BidCount:
        return BidCount(int(where.sum()), int((where & bidding.made).sum()))

    def reached(least: int, most: int) -> Reached:
        wanted = stands[:, (of_bid >= least) & (of_bid <= most)]
        count = there = 0
        for one in range(2):
            is_par = wanted[:, :, one::2].any(axis=(1, 2))
            at_level = played & (side == one) & (category >= least) & (category <= most)
            count += int(is_par.sum())
            there += int((is_par & at_level).sum())
        return Reached(there, count)

    amounts = np.bincount(bidding.cause, minlength=_NO_CAUSE)
    losses = np.bincount(bidding.cause, bidding.imps, minlength=_NO_CAUSE).astype(np.int64)
    return BoardTally(
        name,
        float(bidding.imps.mean()),
        None,
        None,
        bid(category == _GAME),
        bid(category >= _SLAM),
        reached(_GAME, _GAME),
        reached(_SLAM, _SLAM + 1),
        float((played & (parts.doubling > 0)).mean()),
        int((~played).sum()),
        {
            cause: Loss(int(amounts[number]), int(losses[number]), float(losses[number] / boards))
            for cause, number in _CAUSE_NUMBERS.items()
        },
        tuple(
            sanity_of(
                BidBoards(
                    deal_arrays(archive.boards),
                    bidding.auctions,
                    bidding.contracts,
                    bidding.tricks,
                    bidding.signs,
                ),
                archive.deal,
            )
        ),
        (),
    )


def _lines(
    bidding: _Bidding,
    players: _Bidding,
    decisive: dict[int, Decisive],
    archive: MeasuredBoards,
    tables: I8,
    par: ParOfDeals,
) -> tuple[LineLoss, ...]:
    """Rank lines by the IMPs that their calls lost, for each cause."""
    boards: dict[tuple[int, Decisive], list[int]] = defaultdict(list)
    for board in np.flatnonzero(bidding.loser >= 0).tolist():
        boards[int(bidding.cause[board]), decisive[int(archive.deal[board])]].append(board)
    names = tuple(CAUSES)
    ranked = sorted(
        ((int(bidding.imps[held].sum(dtype=np.int64)), key, held) for key, held in boards.items()),
        key=lambda one: (-one[0], one[1]),
    )
    found = []
    so_far: Counter[int] = Counter()
    for imps, (cause, line), held in ranked:
        so_far[cause] += 1
        worse = bidding.imps[held].astype(np.int64) - players.imps[held]
        shown = [held[one] for one in np.argsort(-worse, kind="stable").tolist()]
        # the other room shows the same auction of the system
        different = list({int(archive.deal[one]): one for one in reversed(shown)}.values())[::-1]
        examples = tuple(
            _example(one, bidding, players, archive, tables, par)
            for one in different[: MOST_EXAMPLES if so_far[cause] <= _LINES_WITH_EXAMPLES else 0]
        )
        lost = int(players.imps[held].sum(dtype=np.int64))
        found.append(LineLoss(names[cause], line, len(held), imps, lost, examples))
    return tuple(found)


def _example(
    board: int,
    bidding: _Bidding,
    players: _Bidding,
    archive: MeasuredBoards,
    tables: I8,
    par: ParOfDeals,
) -> BoardExample:
    number = int(archive.deal[board])
    deals = archive.deals
    dealer, sides = int(deals.dealer[number]), int(deals.vulnerability[number])
    row = archive.boards.row(board, named=True)
    both = [
        (
            tuple(one.auctions[board]),
            _contract(one, board, dealer),
            int(one.scores[board]),
            int(one.imps[board]),
        )
        for one in (bidding, players)
    ]
    return BoardExample(
        format_deal(deal_at(deals, number)),
        SEATS[dealer],
        VULNERABILITIES[sides],
        " ".join(str(row[name]) for name in ("source", "record", "room") if row[name] is not None),
        *both[0],
        *both[1],
        int(par.scores[number]),
        _par_texts(tables[[number]], par.best[[number]])[0],
    )


def _contract(bidding: _Bidding, board: int, dealer: int) -> str:
    return contract_text(contract_number(bidding.auctions[board]), dealer)


def _par_texts(tables: I8, best: Bools) -> list[str]:
    return [" ".join(map(str, own)) or "Pass" for own in par_contracts(tables, best)]


def _frame(archive: MeasuredBoards, tables: I8, par: ParOfDeals) -> pl.DataFrame:
    texts = pl.Series(_par_texts(tables, par.best))
    return archive.boards.select(
        *HAND_COLUMNS, "dealer", "vulnerability", "board", "room", "source", "record"
    ).with_columns(
        deal=pl.Series(archive.deal.astype(np.uint32)),
        par_score=pl.Series(par.scores[archive.deal]),
        par_contracts=texts.gather(archive.deal),
    )


def _columns(name: str, bidding: _Bidding, archive: MeasuredBoards) -> list[pl.Series]:
    dealers = archive.deals.dealer[archive.deal].tolist()
    contracts = [_contract(bidding, board, dealer) for board, dealer in enumerate(dealers)]
    causes = pl.Series([*CAUSES, None], dtype=pl.Enum(list(CAUSES)))
    return [
        pl.Series(f"auction_{name}", [list(one) for one in bidding.auctions], pl.List(pl.UInt8)),
        pl.Series(f"contract_{name}", contracts),
        pl.Series(f"score_{name}", bidding.scores),
        pl.Series(f"imps_{name}", bidding.imps),
        causes.gather(bidding.cause).alias(f"cause_{name}"),
    ]
