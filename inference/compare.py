"""Two systems bid the same deals both ways, as in a team match: who wins, by how much, and where.

At one table the first system sits North-South and the second one East-West, at the other table the
other way round. Each side plays its own system and knows what the other side's calls mean. Results
are those of double-dummy play; differences are International Match Points (Laws 2017, Law 78B).

What is known of a deal comes in three kinds. *Same*: both auctions end inside the compiled tables,
in one contract: 0 IMPs, without any play. *Differs*: both end inside the tables, in different
contracts. *Left*: an auction leaves the tables, and would have to be bid on by the systems. Deals
of the last two kinds are worked out in random order until a budget is used up. All means come from
stratified sampling without replacement (Cochran: Sampling Techniques, 3rd ed. 1977, chapters 2 and
5): each kind is estimated by its own sample, and the standard error accounts for what was not
looked at.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from time import perf_counter
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidcascade.bridge import Cancelled, Contract, InvalidInput, imps, score
from bidcascade.kernels import NO_ENTRY, DealArrays, get_backend
from bidcascade.kernels.types import U8, U32, U64
from bidcascade.table import BiddingTable, System
from bidcascade.table.compiled import ON_REQUEST, Growth
from bidcascade.table.system.expansion import Expander
from bidcascade.table.system.on_demand import SharedExpander, bid_on

from .auction_ends import I64, Endings, contract_of
from .double_dummy.protocol import I8
from .pair_tables import pair_table

SAME: Final = 0
DIFFERS: Final = 1
LEFT: Final = 2
KINDS: Final = ("same", "differs", "left")

NOT_BID: Final = -1
"""Stands for the ending of an auction that was not bid to its end."""
NO_TRICKS: Final = -1
"""Stands for tricks that were not asked for: passed out, or the same contract at both tables."""

_BATCH: Final = 64
_KEPT_PLACES: Final = 20_000
"""Places that are remembered for either dealer, of about 16 KB each."""
_NS: Final = 0
Bools: TypeAlias = NDArray[np.bool_]
Cell: TypeAlias = tuple[int, int, int]
"""Deal, strain and declarer: what one double-dummy result is of."""
Progress: TypeAlias = Callable[[str, int, int], None]
"""Takes what is done, how many deals of how many."""


class SolvesTricks(Protocol):
    """What a comparison needs of double dummy."""

    def tricks(
        self,
        hands: U64,
        strain: ArrayLike,
        declarer: ArrayLike,
        *,
        cancel: Event | None = None,
        timeout_s: float | None = None,
    ) -> I8:
        """Tricks of declarer's side, int8 [n]."""
        ...


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of what differs, or is not known, is worked out.

    Parameters
    ----------
    seconds : float, optional
        Begin no more deals after so long.
    deals : int, optional
        At most so many.

    Examples
    --------
    >>> Budget.parse("90s"), Budget.parse("2000"), Budget.parse("all")
    (Budget(seconds=90.0, deals=None), Budget(seconds=None, deals=2000), Budget(seconds=None, \
deals=None))
    """

    seconds: float | None = None
    deals: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Read seconds (``90s``, ``5m``), a number of deals, or ``all``.

        Raises
        ------
        InvalidInput
            If it is none of these.
        """
        word = text.strip().lower()
        if word == "all":
            return cls()
        unit = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(word[-1:])
        try:
            if unit is None:
                number = int(word)
                if number >= 0:
                    return cls(deals=number)
            else:
                seconds = float(word[:-1]) * unit
                if 0 <= seconds < float("inf"):
                    return cls(seconds=seconds)
        except ValueError:
            pass
        raise InvalidInput(f"expected a budget such as '90s', '2000' or 'all', got {text!r}")


@dataclass(slots=True)
class Comparison:
    """A match of two systems, as far as it was worked out; arrays go by deal.

    Parameters
    ----------
    names : (str, str)
        First and second system.
    deals : DealArrays
    kind : uint8 [n]
        :data:`SAME`, :data:`DIFFERS` or :data:`LEFT`.
    endings : Endings
    ending : int64 [2, n]
        How the auction ended where the first system sat North-South, and where it sat East-West;
        :data:`NOT_BID` where that is not known.
    done : bool [n]
        Whether the result is known.
    tricks : int8 [2, n]
        Of declarer's side, :data:`NO_TRICKS` where nothing was played.
    scores : int32 [2, n]
        From the view of North-South.
    imps : int8 [n]
        For the first system; 0 where not known.
    order : int64 [m]
        Deals of the kinds that are sampled, in the order in which they are worked out.
    seconds : dict of str to float
        What took how long.
    solved : int
        Double-dummy results that were asked for.
    """

    names: tuple[str, str]
    deals: DealArrays
    kind: U8
    endings: Endings
    ending: I64
    done: Bools
    tricks: I8
    scores: NDArray[np.int32]
    imps: I8
    order: I64
    seconds: dict[str, float] = field(default_factory=dict)
    solved: int = 0

    def __len__(self) -> int:
        return len(self.deals)

    @property
    def sampled(self) -> int:
        """Deals of the sampled kinds whose result is known."""
        return int(self.done[self.order].sum())

    @property
    def weights(self) -> NDArray[np.float64]:
        """For how many deals each one stands, 0 where its result is not known."""
        weights = np.zeros(len(self))
        for kind in range(len(KINDS)):
            of_kind = self.kind == kind
            known = of_kind & self.done
            if known.any():
                weights[known] = of_kind.sum() / known.sum()
        return weights


def compare_systems(
    first: System,
    second: System,
    deals: DealArrays,
    *,
    double_dummy: SolvesTricks | None = None,
    budget: Budget | None = None,
    known: I8 | None = None,
    seed: int = 0,
    growth: Growth = ON_REQUEST,
    tables: "tuple[BiddingTable, BiddingTable] | None" = None,
    backend: str = "cpu",
    progress: Progress | None = None,
    cancel: Event | None = None,
) -> Comparison:
    """Play a match of two systems over some deals.

    Parameters
    ----------
    first, second : System
    deals : DealArrays
    double_dummy : SolvesTricks, optional
        Solves contracts; without it, contracts that ``known`` does not tell cannot be scored.
    budget : Budget, optional
        How many of the deals that may differ are worked out; all of them if not given.
    known : int8 [n, 20], optional
        Double-dummy tables of the deals at ``5 * declarer + strain``, -1 for what is not known.
    seed : int
        Of the order in which deals are worked out.
    growth : Growth
        How far the tables of the pair are grown.
    tables : (BiddingTable, BiddingTable), optional
        Tables of the pair, the first system dealing and the second one dealing; from the cache or
        compiled if not given.
    backend : str
        What bids inside the tables.
    progress : callable, optional
    cancel : Event, optional

    Raises
    ------
    InvalidInput
        If there are no deals, or no way to tell their tricks.
    Cancelled
        If ``cancel`` was set.

    Examples
    --------
    >>> from bidcascade.kernels.dealing import deal_hands
    >>> from bidcascade.table import compile_system
    >>> one = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> other = System.parse("opening:" + chr(10) + "  1S = Any: 0+ points")
    >>> zeros = np.zeros(3, np.uint8)
    >>> deals = DealArrays(deal_hands(1, 0, 3), zeros, zeros)
    >>> match = compare_systems(one, other, deals, known=np.full((3, 20), 7, np.int8),
    ...     tables=(compile_system(one, opponents=other, deals=50),
    ...             compile_system(other, opponents=one, deals=50)))
    >>> [match.endings.calls[number] for number in match.ending[:, 0].tolist()]
    [(7, 0, 0, 0), (6, 0, 0, 0)]
    >>> match.scores[:, 0].tolist(), match.imps.tolist()
    ([90, 80], [0, 0, 0])
    """
    match = SystemMatch(
        first, second, deals, growth=growth, tables=tables, backend=backend, seed=seed,
        progress=progress, cancel=cancel,
    )  # fmt: skip
    match.work_out(double_dummy, budget or Budget(), known)
    return match.result


class SystemMatch:
    """A match that is bid at once inside the tables, and worked out further step by step.

    Parameters are those of :func:`compare_systems`.

    Examples
    --------
    >>> from bidcascade.table import compile_system
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Any: 0+ points")
    >>> table = compile_system(system, deals=50)
    >>> zeros = np.zeros(2, np.uint8)
    >>> deals = DealArrays(np.array([[1], [2], [4], [8]], np.uint64).repeat(2, 1), zeros, zeros)
    >>> match = SystemMatch(system, system, deals, tables=(table, table))
    >>> match.result.kind.tolist(), match.result.done.all()
    ([0, 0], np.True_)
    """

    def __init__(
        self,
        first: System,
        second: System,
        deals: DealArrays,
        *,
        growth: Growth = ON_REQUEST,
        tables: "tuple[BiddingTable, BiddingTable] | None" = None,
        backend: str = "cpu",
        seed: int = 0,
        progress: Progress | None = None,
        cancel: Event | None = None,
    ) -> None:
        if not len(deals):
            raise InvalidInput("expected deals to compare systems on, got none")
        self._report: Progress = progress or (lambda what, done, total: None)
        self._cancel = cancel
        self._backend = get_backend(backend)
        pairs = ((first, second), (second, first))
        started = perf_counter()
        if tables is None:
            self._report("compiling", 0, 2)
            one = pair_table(*pairs[0], growth=growth)
            self._report("compiling", 1, 2)
            tables = one, pair_table(*pairs[1], growth=growth)
        compiled = perf_counter()
        self._tables = tables
        # a place belongs to who deals, so there is one expander for either dealer
        self._places = [
            SharedExpander(Expander(one.rules, other.rules, keep=_KEPT_PLACES))
            for one, other in pairs
        ]
        self.result = self._bid(first, second, deals, seed)
        self.result.seconds |= {
            "tables": compiled - started, "bidding": perf_counter() - compiled, "sample": 0.0,
        }  # fmt: skip

    # --- inside the tables ------------------------------------------------------------------------

    def _bid(self, first: System, second: System, deals: DealArrays, seed: int) -> Comparison:
        count = len(deals)
        endings = Endings()
        by_dealer = np.full((2, count), NOT_BID, np.int64)
        self._entries: list[U32] = []
        for pair, table in enumerate(self._tables):
            self._report("bidding", pair * count, 2 * count)
            found = self._backend.cascade_first(table.plan(), deals)
            inside = np.flatnonzero(found.passes == 0)
            distinct, place = np.unique(found.entry[inside], return_inverse=True)
            by_dealer[pair, inside] = endings.add(table.auctions_of(distinct))[place]
            self._entries.append(found.entry)
        self._report("bidding", 2 * count, 2 * count)
        ending = _by_table(by_dealer, deals.dealer)
        unknown = (ending == NOT_BID).any(axis=0)
        contracts = endings.contracts
        same = ~unknown & (contracts[ending[0]] == contracts[ending[1]])
        kind = np.full(count, DIFFERS, np.uint8)
        kind[same] = SAME
        kind[unknown] = LEFT
        order = np.flatnonzero(~same)
        np.random.Generator(np.random.Philox(key=(seed, count))).shuffle(order)
        return Comparison(
            (first.name, second.name), deals, kind, endings, ending, same.copy(),
            np.full((2, count), NO_TRICKS, np.int8), np.zeros((2, count), np.int32),
            np.zeros(count, np.int8), order,
        )  # fmt: skip

    # --- beyond them ------------------------------------------------------------------------------

    def take_over(
        self, deals: I64, auctions: Sequence[tuple[Sequence[int], Sequence[int]]], tricks: I8
    ) -> None:
        """Take over results of deals that were worked out before.

        Parameters
        ----------
        deals : int64 [m]
            Numbers of deals whose kind is not :data:`SAME`.
        auctions : sequence of m pairs
            Complete auctions at either table.
        tricks : int8 [2, m]
            Of declarer's side at either table, :data:`NO_TRICKS` where nothing was played.

        Raises
        ------
        InvalidInput
            If the results are not those of these deals and systems.
        """
        result = self.result
        for number, deal in enumerate(deals.tolist()):
            if not 0 <= deal < len(result):
                raise InvalidInput(f"expected a deal below {len(result)}, got {deal}")
            endings = result.endings.add(auctions[number])
            known = result.ending[:, deal] != NOT_BID
            if result.kind[deal] == SAME or (result.ending[known, deal] != endings[known]).any():
                raise InvalidInput(f"expected results of this match, got others of deal {deal}")
            result.ending[:, deal] = endings
            contracts = [self._contract(table, deal) for table in range(2)]
            if contracts[0] != contracts[1]:
                cells: dict[Cell, int] = {}
                for contract, taken in zip(contracts, tricks[:, number].tolist(), strict=True):
                    if contract is not None:
                        cells[deal, contract.strain, int(contract.declarer)] = taken
                if not all(0 <= taken <= 13 for taken in cells.values()):
                    raise InvalidInput(f"expected tricks of deal {deal}, got none")
                self._score_deal(deal, cells)
            result.done[deal] = True

    def work_out(
        self, double_dummy: SolvesTricks | None, budget: Budget, known: I8 | None = None
    ) -> None:
        """Go on with the deals that may differ until the budget is spent.

        What was worked out before counts against a budget of deals, not against one of seconds.

        Raises
        ------
        InvalidInput, Cancelled
            See :func:`compare_systems`.
        """
        for _ in self.steps(double_dummy, budget, known):
            pass

    def steps(
        self, double_dummy: SolvesTricks | None, budget: Budget, known: I8 | None = None
    ) -> Iterator[I64]:
        """Do what :meth:`work_out` does, and give the deals of each step."""
        result = self.result
        if known is not None and known.shape != (len(result), 20):
            raise InvalidInput(f"expected tables int8[{len(result)}, 20], got {known.shape}")
        started = perf_counter()
        waiting = result.order[~result.done[result.order]]
        most = len(waiting) if budget.deals is None else max(0, budget.deals - result.sampled)
        waiting = waiting[:most]
        total = len(waiting) + result.sampled
        spent_before = result.seconds["sample"]
        pending: deque[_Asked] = deque()
        # while other processes solve the contracts of a batch, the next one is bid here
        with ThreadPoolExecutor(max_workers=1) as solving:
            place = 0
            while place < len(waiting) or pending:
                self._report("working out", result.sampled, total)
                if self._cancel is not None and self._cancel.is_set():
                    raise Cancelled("the comparison was cancelled")
                spent = perf_counter() - started
                if budget.seconds is not None and spent >= budget.seconds:
                    place = len(waiting)
                if place < len(waiting):
                    chosen = np.sort(waiting[place : place + _BATCH])
                    place += len(chosen)
                    self._bid_out(chosen)
                    pending.append(self._ask(chosen, double_dummy, known, solving))
                if pending and (len(pending) > 1 or place >= len(waiting)):
                    asked = pending.popleft()
                    self._settle(asked)
                    result.seconds["sample"] = spent_before + perf_counter() - started
                    yield asked.deals
        self._report("working out", result.sampled, total)

    def _bid_out(self, chosen: I64) -> None:
        """Bid deals to the end that left a table."""
        result = self.result
        dealer = result.deals.dealer[chosen]
        by_dealer = _by_table(result.ending[:, chosen], dealer)
        for pair, table in enumerate(self._tables):
            open_ = np.flatnonzero(by_dealer[pair] == NOT_BID)
            if not len(open_):
                continue
            numbers = chosen[open_]
            front: dict[tuple[int, ...], list[int]] = {}
            for place, entry in enumerate(self._entries[pair][numbers].tolist()):
                calls = () if entry == NO_ENTRY else tuple(table.auction_of(entry))
                front.setdefault(calls, []).append(place)
            bid = bid_on(
                self._places[pair], _picked(result.deals, numbers),
                {calls: np.array(places) for calls, places in front.items()},
                backend=self._backend,
            )  # fmt: skip
            own = result.endings.add(one.calls for one in bid.endings)
            by_dealer[pair, open_] = own[bid.ending]
        result.ending[:, chosen] = _by_table(by_dealer, dealer)

    def _ask(
        self,
        chosen: I64,
        double_dummy: SolvesTricks | None,
        known: I8 | None,
        solving: ThreadPoolExecutor,
    ) -> "_Asked":
        """Look up the contracts of deals that were bid to the end, or have them solved."""
        result = self.result
        contracts = result.endings.contracts[result.ending[:, chosen]]
        played = chosen[contracts[0] != contracts[1]]
        cells: dict[Cell, int] = {}
        for deal in played.tolist():
            for table in range(2):
                contract = self._contract(table, deal)
                if contract is not None:
                    cells[deal, contract.strain, int(contract.declarer)] = NO_TRICKS
        if known is not None:
            for deal, strain, declarer in cells:
                cells[deal, strain, declarer] = int(known[deal, 5 * declarer + strain])
        asked = [cell for cell, tricks in cells.items() if tricks == NO_TRICKS]
        answer = None
        if asked:
            if double_dummy is None:
                raise InvalidInput("expected a double-dummy solver or known tricks, got neither")
            deals, strains, declarers = (np.array(part) for part in zip(*asked, strict=True))
            answer = solving.submit(
                double_dummy.tricks, np.ascontiguousarray(result.deals.hands[:, deals]),
                strains.astype(np.uint8), declarers.astype(np.uint8), cancel=self._cancel,
            )  # fmt: skip
        return _Asked(chosen, played, cells, asked, answer)

    def _settle(self, asked: "_Asked") -> None:
        """Wait for the tricks of some deals, and score them."""
        result = self.result
        cells = asked.cells
        if asked.answer is not None:
            cells |= zip(asked.cells_asked, asked.answer.result().tolist(), strict=True)
            result.solved += len(asked.cells_asked)
        for deal in asked.played.tolist():
            self._score_deal(deal, cells)
        result.done[asked.deals] = True

    def _contract(self, table: int, deal: int) -> Contract | None:
        result = self.result
        number = result.endings.contract_number(int(result.ending[table, deal]))
        return contract_of(number, int(result.deals.dealer[deal]))

    def _score_deal(self, deal: int, cells: "dict[Cell, int]") -> None:
        result = self.result
        sides = int(result.deals.vulnerability[deal])
        for table in range(2):
            contract = self._contract(table, deal)
            if contract is None:
                continue
            tricks = cells[deal, contract.strain, int(contract.declarer)]
            side = contract.declarer % 2
            points = score(contract, tricks, vulnerable=bool(sides >> side & 1))
            result.tricks[table, deal] = tricks
            result.scores[table, deal] = points if side == _NS else -points
        # the first system sits North-South at the one table, the second one at the other
        result.imps[deal] = imps(int(result.scores[0, deal]) - int(result.scores[1, deal]))


class _Asked(NamedTuple):
    """Deals that were bid to the end, and what was asked about them."""

    deals: I64
    played: I64
    cells: "dict[Cell, int]"
    cells_asked: "list[Cell]"
    answer: "Future[I8] | None"


def _by_table(by_dealer: I64, dealer: U8) -> I64:
    """Swap rows where East or West deals: from who deals to who sits North-South, or back."""
    crossed = dealer % 2 == 1
    return np.where(crossed, by_dealer[::-1], by_dealer)


def _picked(deals: DealArrays, numbers: I64) -> DealArrays:
    return DealArrays(
        np.ascontiguousarray(deals.hands[:, numbers]), deals.dealer[numbers],
        deals.vulnerability[numbers],
    )  # fmt: skip
