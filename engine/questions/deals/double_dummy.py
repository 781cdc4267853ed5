"""Deals solved double dummy: every contract, par, auctions compared; contracts of many deals.

Of a deal that takes longer than there is time, the answer is what is solved: the rest is null, and
named.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from bidcascade.bridge import (
    SEATS,
    STRAINS,
    Auction,
    IllegalCall,
    Seat,
    format_calls,
    imps,
    is_vulnerable,
    parse_calls,
    score,
)
from bidcascade.engine.questions.parts.answer_fields import answer, answer_field
from bidcascade.engine.questions.parts.fields import Of, question, question_field, read_field
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.engine.questions.parts.texts import EXAMPLE_DEAL, AuctionCalls

from .auctions import DealRequest

if TYPE_CHECKING:
    from bidcascade.bridge import Deal

MOST_AUCTIONS: Final = 8
MOST_BOARDS: Final = 100
_MOST_CONTRACTS: Final = 20


@question
class DoubleDummyRequest:
    """A deal, and auctions on it that are compared."""

    deal: DealRequest = question_field(
        description="The deal.", examples=[{"deal": EXAMPLE_DEAL, "dealer": "N"}]
    )
    auctions: tuple[AuctionCalls, ...] = question_field(
        default=(),
        max_length=MOST_AUCTIONS,
        description="Auctions that are over, from the dealer on.",
        examples=[[["1N", "P", "3N", "P", "P", "P"]]],
    )


@question
class BoardContracts:
    """A deal, and contracts whose tricks are wanted."""

    deal: DealRequest = question_field(
        description="The deal.", examples=[{"deal": EXAMPLE_DEAL, "dealer": "N"}]
    )
    contracts: tuple[Annotated[str, Of(max_length=8)], ...] = question_field(
        max_length=_MOST_CONTRACTS,
        description="Contracts with their declarers.",
        examples=[["3NN", "4SXE"]],
    )


@question
class ContractTricksRequest:
    """Contracts of many deals."""

    boards: list[BoardContracts] = question_field(
        min_length=1,
        max_length=MOST_BOARDS,
        description="Deals with contracts.",
        examples=[[{"deal": {"deal": EXAMPLE_DEAL}, "contracts": ["3NN"]}]],
    )


# --- answers --------------------------------------------------------------------------------------


@answer
class ParAnswer:
    """What the deal is worth when both sides bid and play without a fault."""

    score: int = answer_field(description="Points of North-South.", examples=[110])
    contracts: tuple[str, ...] = answer_field(
        description="Contracts that reach it, with declarers and result; empty if passed out.",
        examples=[["2S-NS="]],
    )


@answer
class AuctionValue:
    """What an auction is worth double dummy."""

    contract: str = answer_field(
        description="With its declarer; `Pass` if passed out.", examples=["3NN"]
    )
    tricks: int | None = answer_field(
        description="Declarer's tricks; null if passed out or missing.", examples=[9]
    )
    score: int | None = answer_field(
        description="Points of North-South; null if declarer's tricks are missing.", examples=[400]
    )
    imps_to_par: int | None = answer_field(
        description="IMPs of North-South against par at the other table; null if one is missing.",
        examples=[7],
    )
    imps: tuple[int | None, ...] = answer_field(
        description="IMPs of North-South against each auction of the request at the other table; "
        "null if either score is missing.",
        examples=[[0]],
    )


@answer
class MissingResult:
    """A result that was not solved in time."""

    declarer: str = answer_field(description="Seat letter.", examples=["N"])
    strain: str = answer_field(description="Letter of the strain.", examples=["S"])


@answer
class DoubleDummyAnswer:
    """A deal solved double dummy, or what of it was solved in time."""

    tricks: dict[str, dict[str, int | None]] = answer_field(
        description="Tricks by declarer and strain; null where `missing`.",
        examples=[{"N": {"C": 6, "D": 7, "H": 8, "S": 8, "N": 7}}],
    )
    par: ParAnswer | None = answer_field(
        description="Par of the deal; null if a result is missing."
    )
    auctions: tuple[AuctionValue, ...] = answer_field(description="In the order of the request.")
    missing: tuple[MissingResult, ...] = answer_field(
        description="Results that were not solved in the time for a request; empty with status "
        "200.",
        examples=[[]],
    )
    goes_on: bool = answer_field(
        description="Whether missing results are still being solved: ask again.", examples=[False]
    )


@answer
class ContractTricksAnswer:
    """Tricks of contracts, or what of them was solved in time."""

    tricks: tuple[tuple[int | None, ...], ...] = answer_field(
        description="Declarer's tricks by board and contract; null if not solved in the time for a "
        "request.",
        examples=[[[9]]],
    )
    solved_before: int = answer_field(
        description="How many boards have a table that was kept from earlier work.", examples=[0]
    )
    missing: int = answer_field(
        description="How many contracts were not solved in time.", examples=[0]
    )


# --- what is asked, read --------------------------------------------------------------------------


@dataclass(frozen=True)
class DoubleDummyQuestion:
    """A deal, and auctions on it that are over, its dealer first."""

    deal: "Deal"
    auctions: tuple[Auction, ...] = ()


def read_double_dummy(request: DoubleDummyRequest) -> DoubleDummyQuestion:
    """Read a question about a deal; the error of what is none names the field."""
    # loads frames, which help does without
    from .deal_reading import deal_of

    deal = deal_of(request.deal, "deal")
    return DoubleDummyQuestion(
        deal,
        tuple(
            read_field(partial(_over, dealer=deal.dealer), " ".join(calls), f"auctions[{number}]")
            for number, calls in enumerate(request.auctions)
        ),
    )


def _over(text: str, dealer: Seat) -> Auction:
    """Read an auction that is over."""
    auction = Auction.of(parse_calls(text), dealer)
    if not auction.is_complete:
        raise IllegalCall(f"expected an auction that is over, got {format_calls(auction.calls)!r}")
    return auction


# --- answering ------------------------------------------------------------------------------------


def answer_double_dummy(question: DoubleDummyQuestion, by: Resources) -> DoubleDummyAnswer:
    """Solve a deal: the tricks of all twenty declarers and strains, and par.

    Of each auction the contract is scored with its double-dummy tricks, and compared in IMPs with
    par and with the other auctions.

    A deal that takes longer than the time for a request is answered with what is solved by then.
    The rest is solved on for whoever asks again, of a few deals at a time (setting
    `dd_going_on`); what was solved once is not solved again.
    """
    # load arrays, which help does without
    import numpy as np

    from bidcascade.inference.double_dummy.abstract_solver import SolvedInPart, table_place
    from bidcascade.inference.double_dummy.par import par

    deal, auctions = question.deal, question.auctions
    hands = np.array(deal.hands, np.uint64)[:, None]
    goes_on = False
    try:
        table = by.solver().tables(hands, cancel=by.cancel, timeout_s=by.time_limit_s)
    except SolvedInPart as error:
        if not error.goes_on and (error.answers < 0).all():
            raise
        table, goes_on = error.answers, error.goes_on
    solved = [None if one < 0 else one for one in table[0].tolist()]
    tricks = {
        seat: {strain: solved[table_place(declarer, place)] for place, strain in enumerate(STRAINS)}
        for declarer, seat in enumerate(SEATS)
    }
    known = [one for one in solved if one is not None]
    found = par(known, deal.dealer, deal.vulnerability) if len(known) == len(solved) else None
    scores = [_points(auction, deal, _tricks(auction, tricks)) for auction in auctions]
    return DoubleDummyAnswer(
        tricks=tricks,
        par=None
        if found is None
        else ParAnswer(score=found.score, contracts=tuple(map(str, found.contracts))),
        auctions=tuple(
            AuctionValue(
                contract=str(auction.contract or "Pass"),
                tricks=_tricks(auction, tricks),
                score=points,
                imps_to_par=_imps(points, None if found is None else found.score),
                imps=tuple(_imps(points, other) for other in scores),
            )
            for auction, points in zip(auctions, scores, strict=True)
        ),
        missing=tuple(
            MissingResult(declarer=seat, strain=strain)
            for seat, row in tricks.items()
            for strain, taken in row.items()
            if taken is None
        ),
        goes_on=goes_on,
    )


def _imps(points: int | None, other: int | None) -> int | None:
    return None if points is None or other is None else imps(points - other)


def _tricks(auction: Auction, tricks: dict[str, dict[str, int | None]]) -> int | None:
    contract = auction.contract
    return None if contract is None else tricks[SEATS[contract.declarer]][STRAINS[contract.strain]]


def _points(auction: Auction, deal: "Deal", tricks: int | None) -> int | None:
    """Points of North-South; None where declarer's tricks are missing."""
    contract = auction.contract
    if contract is None:
        return 0
    if tricks is None:
        return None
    vulnerable = is_vulnerable(deal.vulnerability, contract.declarer)
    points = score(contract, tricks, vulnerable=vulnerable)
    return -points if contract.declarer % 2 else points
