"""Two systems bid the same deals both ways, as in a team match: who wins, by how much, and where.

At one table the first system sits North-South and the second one East-West, at the other table the
other way round. Each side plays its own system and knows what the other side's calls mean. Results
are those of double-dummy play; differences are International Match Points (Laws 2017, Law 78B).

Every deal is bid to its end at both tables. Deals with the *same* contract are flat; those whose
contracts *differ* are worked out in random order until a budget is used up. What that says about
all deals is in :mod:`.compare_summary`.
"""

from collections.abc import Sequence
from functools import partial
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import Cancelled, InvalidInput, Seat, Vulnerability
from bidcascade.inference.auction_ends import (
    PASSED_OUT,
    DistinctAuctions,
    contract_of,
    contracts_by_compass,
    merged,
)
from bidcascade.inference.double_dummy.abstract_solver import TABLE_SIZE, DoubleDummy
from bidcascade.kernels import Backend, DealArrays
from bidcascade.kernels.machine.threads import side_by_side
from bidcascade.kernels.types import I8, I32, I64, U8, Bools
from bidcascade.seats.foreign.bidding import EngineFault, Player, SystemPlayer, bid_out
from bidcascade.systems import System

from .blind_leads import BlindLeader
from .scored_boards import NO_TRICKS, BoardContracts, Budget, MatchProgress, imps_between

if TYPE_CHECKING:
    from bidcascade.kernels.cuda import CudaBackend
    from bidcascade.kernels.device_frames import DeviceDeals
    from bidcascade.systems.auctions.bidder import Bidder

SAME: Final = 0
DIFFERS: Final = 1
KINDS: Final = ("same", "differs")

_CHUNK: Final = 1 << 17
"""Most deals that are bid at once."""
_FOREIGN_CHUNK: Final = 1 << 10
"""The same where a foreign engine is asked: so often what is done is told."""
_SEARCHED_CHUNK: Final = 1 << 4
"""The same where a side searches its decisions."""


class SystemMatch:
    """A match of two systems, bid at once; contracts are worked out step by step.

    Either may be a foreign engine (:mod:`.foreign`), which is asked for its calls; ``faults`` then
    takes those that cannot be used, by the deals at one table after those at the other. Either may
    be a system that searches its decisions (:class:`.search_player.SearchPlayer`).

    ``seed`` is of the order in which deals are worked out; setting ``cancel`` stops it; deals are
    bid on the processor, or where ``backend`` is. Arrays of results go by deal, those of two rows
    by table: ``ending`` (a number of ``endings``), ``tricks`` of declarer's side, ``scores`` of
    North-South; ``imps`` are for the first system, 0 where the result is not ``done``.
    ``defended_imps`` are those of a perfect defence, which doubles each contract that fails: plain
    double dummy asks nothing for a contract that is bid too high in peace. ``blind_imps`` are those
    of leads made by who sees one hand, of the deals that were ``led`` (:meth:`lead_out`), with
    their ``leads`` and ``led_tricks`` by table.

    Raises
    ------
    InvalidInput
        If there are no deals.
    Cancelled
        If ``cancel`` was set.
    """

    def __init__(
        self,
        first: Player,
        second: Player,
        deals: DealArrays,
        *,
        seed: int = 0,
        faults: list[EngineFault] | None = None,
        progress: MatchProgress | None = None,
        cancel: Event | None = None,
        backend: Backend | None = None,
    ) -> None:
        if not len(deals):
            raise InvalidInput("expected deals to compare systems on, got none")
        self._report: MatchProgress = progress or (lambda what, done, total: None)
        self._cancel = cancel
        started = perf_counter()
        count = len(deals)
        self.names = first.name, second.name
        if first.name == second.name:
            self.names = f"{first.name} (1)", f"{second.name} (2)"
        self._systems = first, second
        self.deals = deals
        # [2, n]: where the first system sat North-South, and where it sat East-West
        self.endings, self.ending = self._bid(first, second, backend, faults)
        differs = self.contracts[0] != self.contracts[1]
        self.kind: U8 = np.where(differs, DIFFERS, SAME).astype(np.uint8)
        self.done: Bools = ~differs
        self.tricks: I8 = np.full((2, count), NO_TRICKS, np.int8)
        self.scores: I32 = np.zeros((2, count), np.int32)
        self.imps: I8 = np.zeros(count, np.int8)
        self.defended_imps: I8 = np.zeros(count, np.int8)
        self.led: Bools = np.zeros(count, np.bool_)
        self.leads: I8 = np.full((2, count), NO_TRICKS, np.int8)
        self.led_tricks: I8 = np.full((2, count), NO_TRICKS, np.int8)
        self.blind_imps: I8 = np.zeros(count, np.int8)
        self.order: I64 = np.flatnonzero(differs)
        # who leads has heard the auction, so the same contract is led against in two ways
        self._to_lead: I64 = np.flatnonzero(self.ending[0] != self.ending[1])
        for order in self.order, self._to_lead:
            np.random.Generator(np.random.Philox(key=(seed, count))).shuffle(order)
        self.seconds = {"bidding": perf_counter() - started, "double dummy": 0.0, "leads": 0.0}
        self.solved = 0

    def __len__(self) -> int:
        return len(self.deals)

    @property
    def sampled(self) -> int:
        """Deals with different contracts whose result is known."""
        return int(self.done[self.order].sum())

    @property
    def contracts(self) -> I64:
        """Contract numbers at both tables, int64 [2, n]."""
        return self.endings.contracts[self.ending]

    @property
    def weights(self) -> NDArray[np.float64]:
        """For how many deals each one stands, 0 where its result is not known."""
        differs = self.kind == DIFFERS
        weight = differs.sum() / max(self.sampled, 1)
        return np.where(self.done, np.where(differs, weight, 1.0), 0.0)

    def _bid(
        self,
        first: Player,
        second: Player,
        backend: Backend | None,
        faults: list[EngineFault] | None,
    ) -> tuple[DistinctAuctions, I64]:
        """Bid all deals at both tables."""
        deals, count = self.deals, len(self.deals)
        by_dealer = np.empty((2, count), np.int64)
        parts: list[DistinctAuctions] = []
        so_far = 0
        on_device = cast("CudaBackend", backend) if backend and backend.NAME == "cuda" else None
        bidders: tuple[Bidder, Bidder] | None = None
        if isinstance(first, System) and isinstance(second, System):
            # a place belongs to who deals, so there is one bidder for either dealer
            bidders = first.bidder(second), second.bidder(first)
        chunk_size = _CHUNK if bidders else _FOREIGN_CHUNK
        if isinstance(first, SystemPlayer) or isinstance(second, SystemPlayer):
            chunk_size = _SEARCHED_CHUNK
        for start in range(0, count, chunk_size):
            chunk = deals.slice(start, min(start + chunk_size, count))
            there = None if on_device is None else (on_device.bring(chunk), on_device)
            self._go_on("bidding", 2 * start, 2 * count)
            found: Sequence[tuple[DistinctAuctions, NDArray[np.integer[Any]]]]
            if bidders is None:
                # an engine answers one question after the other
                found = [
                    DistinctAuctions.of_auctions(
                        bid_out(*pair, chunk, faults=faults, first_deal=start)
                    )
                    for pair in ((first, second), (second, first))
                ]
            else:
                # learning is work of one thread for each bidder, so two at once keep two busy
                tables = [partial(_ends, bidder, chunk, there) for bidder in bidders]
                if there is None:
                    found = side_by_side(*tables, interrupted=Event())
                else:
                    found = [one() for one in tables]
            for pair, (endings, which) in enumerate(found):
                parts.append(endings)
                by_dealer[pair, start : start + len(chunk)] = so_far + which.astype(np.int64)
                so_far += len(endings.contracts)
        self._report("bidding", 2 * count, 2 * count)
        endings, number = merged(parts)
        # North-South deal at one table as the first system, at the other as the second one
        crossed = deals.dealer % 2 == 1
        return endings, number[np.where(crossed, by_dealer[::-1], by_dealer)]

    def _go_on(self, what: str, done: int, total: int) -> None:
        self._report(what, done, total)
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled("the comparison was cancelled")

    def take_over(self, deals: I64, tricks: I8) -> None:
        """Take over tricks [2, m] at either table of deals that were worked out before.

        Raises
        ------
        InvalidInput
            If the results are not those of these deals and systems.
        """
        outside = deals[(deals < 0) | (deals >= len(self))]
        if len(outside):
            raise InvalidInput(f"expected a deal below {len(self)}, got {outside[0]}")
        played = self.contracts[:, deals] != PASSED_OUT
        right = np.where(played, (tricks >= 0) & (tricks <= 13), tricks == NO_TRICKS).all(axis=0)
        mismatched = deals[~right | (self.kind[deals] != DIFFERS)]
        if len(mismatched):
            raise InvalidInput(
                f"expected results of this match, got others of deal {mismatched[0]}"
            )
        self._score(deals, tricks)

    def work_out(
        self, double_dummy: DoubleDummy | None, budget: Budget, known: I8 | None = None
    ) -> None:
        """Go on with the deals whose contracts differ until the budget is spent.

        What was worked out before counts against a budget of deals, not against one of seconds.
        ``known``, int8 [n, 20], are double-dummy tables of the deals at ``5 * declarer + strain``,
        -1 for what is not known; the rest is solved, which needs ``double_dummy``.

        Raises
        ------
        InvalidInput
            If there is no way to tell the tricks of a contract.
        Cancelled
            If ``cancel`` was set.
        """
        if known is not None and known.shape != (len(self), TABLE_SIZE):
            raise InvalidInput(f"expected tables int8[{len(self)}, 20], got {known.shape}")
        started = perf_counter()
        before = self.seconds["double dummy"]
        waiting = budget.first_of(self.order[~self.done[self.order]], self.sampled)
        total = len(waiting) + self.sampled
        for chosen in budget.batches(waiting):
            self._go_on("working out", self.sampled, total)
            self._score(chosen, self._solve(chosen, double_dummy, known))
            self.seconds["double dummy"] = before + perf_counter() - started
        self._report("working out", self.sampled, total)

    def _solve(self, chosen: I64, double_dummy: DoubleDummy | None, known: I8 | None) -> I8:
        """Tricks at both tables, int8 [2, m]: looked up, or solved."""
        contracts = self._contracts(chosen)
        tricks = np.full(contracts.played.shape, NO_TRICKS, np.int8)
        if known is not None:
            tricks = contracts.tricks_in(known[chosen])
        missing = contracts.played & (tricks == NO_TRICKS)
        if missing.any():
            if double_dummy is None:
                raise InvalidInput("expected a double-dummy solver or known tricks, got neither")
            hands = self.deals.hands[:, chosen]
            tricks[missing], solved = contracts.solve(missing, hands, double_dummy, self._cancel)
            self.solved += solved
        return tricks

    def _score(self, chosen: I64, tricks: I8) -> None:
        """Take tricks of some deals in."""
        contracts, vulnerability = self._contracts(chosen), self.deals.vulnerability[chosen]
        self.tricks[:, chosen] = tricks
        self.scores[:, chosen] = contracts.scores(vulnerability, tricks)
        # the first system sits North-South at the one table, the second one at the other
        self.imps[chosen] = imps_between(self.scores[:, chosen])
        defended = contracts.defended_scores(vulnerability, tricks)
        self.defended_imps[chosen] = imps_between(defended)
        self.done[chosen] = True

    def lead_out(self, leader: BlindLeader, budget: Budget) -> None:
        """Have deals led against by who sees one hand, in random order, until the budget is spent.

        Only deals with different auctions are, whose results are known: where the auctions are the
        same, so are the leads. What was led before counts against a budget of deals.

        Raises
        ------
        InvalidInput
            If a foreign engine plays: what its auctions tell the leader is not known.
        Cancelled
            If ``cancel`` was set.
        """
        started = perf_counter()
        before, so_far = self.seconds["leads"], int(self.led.sum())
        waiting = self._to_lead[(self.done & ~self.led)[self._to_lead]]
        waiting = budget.first_of(waiting, so_far)
        first, second = self._systems
        if not len(waiting):
            return
        if not (isinstance(first, System) and isinstance(second, System)):
            raise InvalidInput(
                f"expected two systems for blind leads, got {' and '.join(self.names)}"
            )
        total = so_far + len(waiting)
        for number, chosen in enumerate(budget.batches(waiting, 1), so_far):
            self._go_on("leading", number, total)
            self._lead(int(chosen[0]), leader, (first, second))
            self.seconds["leads"] = before + perf_counter() - started
        self._report("leading", int(self.led.sum()), total)

    def _lead(self, deal: int, leader: BlindLeader, systems: tuple[System, System]) -> None:
        """Take in what one deal is worth with a blind lead at either table."""
        chosen = np.array([deal])
        tricks = np.full((2, 1), NO_TRICKS, np.int8)
        dealer = Seat(self.deals.dealer[deal])
        for table in range(2):
            ending = int(self.ending[table, deal])
            contract = contract_of(int(self.endings.contracts[ending]), dealer)
            if contract is not None:
                sides = systems if table == dealer % 2 else systems[::-1]
                self.leads[table, deal], tricks[table] = leader.lead(
                    sides,
                    self.endings.auction(ending),
                    contract,
                    self.deals.hands[:, deal],
                    dealer=dealer,
                    vulnerability=Vulnerability(self.deals.vulnerability[deal]),
                )
        scores = self._contracts(chosen).scores(self.deals.vulnerability[chosen], tricks)
        self.led_tricks[:, deal] = tricks[:, 0]
        self.blind_imps[deal] = imps_between(scores)[0]
        self.led[deal] = True

    def _contracts(self, chosen: I64) -> BoardContracts:
        """Contracts [2, m] of some deals."""
        numbers = self.endings.contracts[self.ending[:, chosen]]
        return BoardContracts(*contracts_by_compass(numbers, self.deals.dealer[chosen]))


def _ends(
    bidder: "Bidder", deals: DealArrays, there: "tuple[DeviceDeals, CudaBackend] | None"
) -> tuple[DistinctAuctions, NDArray[np.integer[Any]]]:
    """Bid deals: the ends of auctions, and which one each deal has."""
    which: NDArray[np.integer[Any]]
    with bidder.lock:
        if there is not None:
            places, which = bidder.ends_on_device(*there)
        else:
            places, which = np.unique(bidder.bid(deals).place, return_inverse=True)
        return DistinctAuctions.of(bidder.endings(places)), which
