"""A contract as it is led against at the table: by who sees one hand and has heard the auction.

Layouts of the unseen cards that fit the auction are drawn, each of them is solved for every lead,
and the lead that is worth most over all of them is made (:mod:`.leads`, by IMPs). From there on all
play double dummy, with the cards as they lie. Plain double dummy always finds the lead that beats a
contract; a leader finds it the more often the more the auction has told him.
"""

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import Contract, NoSuchDeal, Seat, TimedOut, Vulnerability
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.double_dummy.record_cache import RecordCache, of_user
from bidcascade.inference.layouts.known import KnownCards
from bidcascade.inference.layouts.result import Layouts
from bidcascade.inference.layouts.sampling import sample_layouts
from bidcascade.inference.leads import study_leads
from bidcascade.kernels.types import U64
from bidcascade.systems import System

LEAD_LAYOUTS: Final = 10
"""Layouts behind a lead, if nothing else is asked for."""
_MOST_PROPOSALS: Final = 200_000
_TIME_LIMIT_S: Final = 60.0
"""So long that the number of proposals is the limit: the same layouts on any machine."""
_KEY: Final = 16


class Led(NamedTuple):
    """A lead, and the tricks of declarer's side behind it."""

    card: int
    tricks: int


class LeadCache(RecordCache):
    """Leads that were solved before, by the deal, its contract and the leader's layouts.

    Since the layouts say what the auction told the leader, a lead is found again after a text has
    changed, wherever the change tells him nothing else.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path, key=_KEY, value=2, what="leads")


def user_leads() -> LeadCache:
    """Leads in the user's cache, for all commands."""
    return of_user("leads.bin", LeadCache)


@dataclass(frozen=True, slots=True)
class BlindLeader:
    """Leads against contracts.

    Parameters
    ----------
    solver : DoubleDummy
    cache : LeadCache
    layouts : int
        How many stand behind a lead, from 1.
    cancel : Event, optional
        Set it from another thread to stop.
    """

    solver: DoubleDummy
    cache: LeadCache
    layouts: int = LEAD_LAYOUTS
    cancel: Event | None = None

    def lead(
        self,
        sides: tuple[System, System],
        calls: tuple[int, ...],
        contract: Contract,
        hands: U64,
        *,
        dealer: Seat,
        vulnerability: Vulnerability,
    ) -> Led:
        """Lead against the contract that an auction ended in.

        Parameters
        ----------
        sides : tuple of System
            What the dealer's side plays, and the other one.
        calls : tuple of int
            The whole auction, from the dealer on.
        contract : Contract
        hands : uint64 [4]
            The deal, by compass seat.

        Raises
        ------
        DoubleDummyFailed, Cancelled, BackendUnavailable
            As the solver does.
        """
        leader = Seat((contract.declarer + 1) % 4)
        found = self._drawn(sides, calls, leader, int(hands[leader]), dealer, vulnerability)
        boards = np.column_stack([found.hands, hands])
        key = _key(boards, found, contract, vulnerability)
        known = self.cache.get(key)
        if known is not None:
            return Led(*known)
        tricks = self.solver.leads(boards, contract.strain, leader, cancel=self.cancel)
        study = study_leads(
            tricks[:-1],
            found.hands,
            contract,
            weights=found.weights,
            vulnerability=vulnerability,
            scoring="imps",
        )
        led = Led(study.card, 13 - int(tricks[-1, study.card]))
        self.cache.put({key: bytes(led)})
        return led

    def _drawn(
        self,
        sides: tuple[System, System],
        calls: tuple[int, ...],
        leader: Seat,
        hand: int,
        dealer: Seat,
        vulnerability: Vulnerability,
    ) -> Layouts:
        """Draw what the leader thinks of: deals that fit the auction, if there are any."""

        def drawn(calls: tuple[int, ...]) -> Layouts:
            return sample_layouts(
                sides[0],
                calls,
                count=self.layouts,
                dealer=dealer,
                vulnerability=vulnerability,
                known={leader: KnownCards(hand)},
                opponents=sides[1],
                cancel=self.cancel,
                time_limit_s=_TIME_LIMIT_S,
                max_proposals=_MOST_PROPOSALS,
            )

        try:
            return drawn(calls)
        except (NoSuchDeal, TimedOut):
            # who cannot make sense of the auction leads from his hand
            return drawn(())


def _key(boards: U64, found: Layouts, contract: Contract, vulnerability: Vulnerability) -> bytes:
    content = blake2b(str(contract).encode(), digest_size=_KEY)
    for part in (np.array([vulnerability], "<u8"), boards.astype("<u8"), found.weights):
        content.update(np.ascontiguousarray(part).tobytes())
    return content.digest()
