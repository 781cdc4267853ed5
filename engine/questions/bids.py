"""What can be asked about deals and hands: auctions, who reaches them, one call."""

from typing import Annotated, Any, Final, Literal

from bidcascade.bridge import (
    Auction,
    IllegalCall,
    InvalidInput,
    Seat,
    Vulnerability,
    first_illegal_call,
    parse_call,
    parse_hand,
    parse_seat,
    parse_vulnerability,
)

from .fields import (
    Flag,
    Of,
    exactly_one,
    invalid_value,
    question,
    question_field,
    read_each,
    read_field,
)
from .texts import (
    DEALER_FLAG,
    EXAMPLE_DEAL,
    LONGEST_AUCTION,
    MOST_LAYOUTS,
    CallText,
    HandText,
    SeatText,
    ThirteenCards,
    VulnerabilityText,
    Word,
    sides_field,
    table_field,
)

MOST_ENTRIES: Final = 100
_LONGEST_AUCTION_TEXT: Final = 2000
_LONGEST_LIN: Final = 1 << 14
"""Characters of LIN text of one board: with its explanations, notes and play."""
_UNLIMITED: Final = 2**31 - 1
_MOST_AHEAD: Final = 100
"""IMPs, or standard errors, that no call is ahead by: the system's own always stands."""


def _search_wanted(text: str) -> bool | int:
    """Read the value of ``--search``: how many layouts, or nothing."""
    if not text:
        return True
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise InvalidInput(f"expected --search alone or with a number of deals from 1, got {text!r}")


@question
class DealRequest:
    """One deal; its cards stand in exactly one of `deal`, `hands` and `lin`."""

    described = exactly_one(deal="string", hands="array", lin="string")

    deal: HandText | None = question_field(
        default=None,
        description="PBN text: a seat, a colon and four hands `S.H.D.C` clockwise from that seat, "
        "divided by blanks. One hand may be `-`: it gets the other cards.",
        examples=[EXAMPLE_DEAL],
    )
    hands: tuple[HandText, ...] | None = question_field(
        default=None,
        max_length=4,
        json_schema_extra={"minItems": 4},
        description="The hands of North, East, South and West, each as `S.H.D.C`.",
        examples=[EXAMPLE_DEAL[2:].split()],
    )
    lin: Annotated[str, Of(max_length=_LONGEST_LIN)] | None = question_field(
        default=None,
        description="LIN text of one board, or only the value of its `md` token.",
        examples=["md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|sv|o|"],
    )
    dealer: SeatText | None = question_field(
        default=None,
        description="`N`, `E`, `S` or `W`. If not given: the one LIN text names, the first hand's "
        "seat in PBN text, else North.",
        examples=["N"],
    )
    vulnerability: VulnerabilityText | None = question_field(
        default=None,
        description="`None`, `NS`, `EW` or `Both`. If not given: the one LIN text names, else "
        "`None`.",
        examples=["None"],
    )


@question
class DealsRequest:
    """A request about deals, of which there may be many."""

    # lists where one at least is wanted: pydantic calls a tuple too short, too, if an item is wrong
    deals: Annotated[list[DealRequest], Of(fail_fast=True)] = question_field(
        min_length=1,
        description="The deals, numbered from 0 in this order; each has a result.",
        examples=[[{"deal": EXAMPLE_DEAL, "dealer": "N", "vulnerability": "None"}]],
    )


@question
class AuctionsRequest(DealsRequest):
    """Deals, and which of their auctions to list."""

    table: Word | None = table_field()
    mode: Literal["all", "first"] = question_field(
        default="all",
        description="`all`: every auction that the table or system allows. `first`: the one that "
        "it bids, where of the calls that hold the first is made, and a pass where none holds.",
        examples=["first"],
        flag=Flag("every auction that holds, or the one that is bid (default: all)"),
    )
    completed_only: bool = question_field(
        default=False,
        description="Mode `all`: list and count only auctions that are complete. The auction of "
        "mode `first` always is.",
        examples=[False],
        flag=Flag("only complete auctions", name="--completed"),
    )
    limit: int = question_field(
        default=100,
        ge=1,
        description="Mode `all`: list at most so many auctions of a deal; `total` counts all, of a "
        "system only those that were met.",
        examples=[100],
        flag=Flag(
            "list at most so many auctions of a deal", "K", default=None, bounds=(1, _UNLIMITED)
        ),
    )


@question
class MembersRequest(DealsRequest):
    """Deals, and the auctions that they may or may not reach."""

    entries: list[
        Annotated[int, Of(ge=0)] | Annotated[str, Of(max_length=_LONGEST_AUCTION_TEXT)]
    ] = question_field(
        min_length=1,
        max_length=MOST_ENTRIES,
        description="Auctions as text, or numbers of entries; of a table those that it has, of a "
        "system any legal auction. One that is given twice is answered once.",
        examples=[["1N", "1N P 2C"]],
    )
    table: Word | None = table_field()


_BUDGET_FLAG: Final = Flag(
    "end a simulation or search after so long, with what is known by then", "MS", bounds=(0, None)
)
_TRICKS_FLAG: Final = Flag(
    "where a simulation or search has its tricks from: double dummy (dd), the default of "
    "--simulate, or a table (table) that was fitted to it, which takes no time, the default of "
    "--search",
    name="--tricks",
    default=None,
    values={"dd": True, "table": False},
)


def _trial_seed() -> Any:
    """Seed of the layouts on which calls are tried."""
    return question_field(
        default=0,
        ge=0,
        lt=1 << 64,
        description="The same seed, the same layouts.",
        examples=[0],
        flag=Flag(
            "the same seed simulates and searches the same deals (default: 0)",
            "S",
            bounds=(0, 2**64 - 1),
        ),
    )


@question
class SimulateRequest:
    """How the call is to be simulated."""

    layouts: int = question_field(
        default=100,
        ge=1,
        le=MOST_LAYOUTS,
        description="Deals of the unseen cards that agree with the auction.",
        examples=[100],
        flag=Flag(
            "choose the call that scores best over N deals which agree with the auction (default: "
            "100); without it the system's own call, a pass where it has no line",
            "N",
            name="--simulate",
            default=None,
            given_alone=100,
            bounds=(1, None),
        ),
    )
    scoring: Literal["imps", "matchpoints", "points"] = question_field(
        default="imps",
        description="What calls are judged by: IMPs or matchpoints against a table with the same "
        "cards where the system's own call is made, or the mean score.",
        examples=["imps"],
        flag=Flag("what simulated calls are judged by (default: imps)"),
    )
    budget_ms: int | None = question_field(
        default=None,
        ge=1,
        description="Answer after so long with what is known by then.",
        examples=[2000],
        flag=_BUDGET_FLAG,
    )
    double_dummy: bool = question_field(
        default=True,
        description="Solve contracts double dummy; else tricks are by the table of tricks.",
        examples=[True],
        flag=_TRICKS_FLAG,
    )
    seed: int = _trial_seed()


@question
class SearchRequest:
    """How the call is to be searched: the system's own, unless another one is clearly better."""

    layouts: int | None = question_field(
        default=None,
        ge=1,
        le=MOST_LAYOUTS,
        description="Deals of the unseen cards that agree with the auction, at most; 100 if not "
        "given. With this number and no budget the answer depends on the seed alone.",
        examples=[100],
    )
    budget_ms: int | None = question_field(
        default=None,
        ge=0,
        description="Answer after so long with what is known by then; 1000 if no number of layouts "
        "is given.",
        examples=[1000],
        flag=_BUDGET_FLAG,
    )
    kinds: (
        tuple[Literal["opening", "uncontested", "slam", "competitive", "defensive"], ...] | None
    ) = question_field(
        default=None,
        description="Decisions that are searched, by what has happened: nobody has bid, only this "
        "side has, it has and may reach a slam, both sides have, only the other side has. All but "
        "`defensive` if not given.",
        examples=[["uncontested", "slam"]],
        flag=Flag(
            "decisions that are searched: opening, uncontested, slam, competitive, defensive "
            "(default: all but defensive)",
            "KIND",
            name="--search-kinds",
            many="behind",
        ),
    )
    margin: float | None = question_field(
        default=None,
        ge=0,
        le=_MOST_AHEAD,
        description="IMPs a deal by which another call must be ahead of the system's own.",
        examples=[0.5],
        flag=Flag("IMPs a deal by which a searched call must be ahead of the system's own", "IMPS"),
    )
    errors: float | None = question_field(
        default=None,
        ge=0,
        le=_MOST_AHEAD,
        description="Standard errors by which it must be ahead beyond the margin.",
        examples=[1.0],
        flag=Flag("standard errors by which it must be ahead beyond the margin", "N"),
    )
    doubled: bool = question_field(
        default=False,
        description="Score contracts that fail as if they were doubled.",
        examples=[False],
        flag=Flag("score contracts that fail as if they were doubled, where calls are searched"),
    )
    double_dummy: bool = question_field(
        default=False,
        description="Solve contracts double dummy where a call may come out ahead by the table of "
        "tricks; else only the table is asked.",
        examples=[False],
        flag=_TRICKS_FLAG,
    )
    seed: int = _trial_seed()


@question
class PlaceQuestion:
    """A place of a table: what may follow there, what has been shown."""

    auction: str = question_field(
        default="",
        max_length=_LONGEST_AUCTION_TEXT,
        description="The calls so far, divided by hyphens; none for the opening.",
        examples=["1N-P"],
        flag=Flag("such as '1N P 2D P'", "AUCTION", name="auction"),
    )


@question
class BidRequest:
    """A hand and the auction so far."""

    hand: ThirteenCards = question_field(
        description="The 13 cards of the player to call, as `S.H.D.C`.",
        examples=["K52.AQ3.9876.KJ2"],
        flag=Flag(
            "13 cards: 'K52.AQ3.9876.KJ2' (S.H.D.C); or a deal, - for an unknown hand: "
            "'N:K52.AQ3.9876.KJ2 - AQ4.KJ2.K32.Q543 -', whose known hands are bid",
            "HAND",
            name="hand",
        ),
    )
    auction: tuple[CallText, ...] = question_field(
        default=(),
        max_length=LONGEST_AUCTION,
        description="The calls so far, from the dealer on; input also takes `Pass`, `D`, `1NT` …",
        examples=[["1N", "P"]],
        flag=Flag(
            "calls so far, from the dealer on: '1N P'; of a deal: an auction that the calls of the "
            "unknown hands are taken from",
            "CALLS",
            many="words",
        ),
    )
    dealer: SeatText = question_field(
        default="N", description="`N`, `E`, `S` or `W`.", examples=["N"], flag=DEALER_FLAG
    )
    vulnerability: VulnerabilityText = sides_field()
    table: Word | None = table_field()
    simulate: SimulateRequest | bool | Annotated[int, Of(ge=1, le=MOST_LAYOUTS)] | None = (
        question_field(
            default=None,
            description="`true`, a number of layouts or an object: choose the call by simulation. "
            "Else the system's own call, a pass where it has no line for the place.",
            examples=[None],
        )
    )
    search: SearchRequest | bool | Annotated[int, Of(ge=1, le=MOST_LAYOUTS)] | None = (
        question_field(
            default=None,
            description="`true`, a number of layouts or an object: look for a better call than the "
            "system's own among those whose lines the hand meets or misses by little. Not together "
            "with `simulate`.",
            examples=[None],
            flag=Flag(
                "make another call than the system's own where one of those whose lines the hand "
                "meets or misses by little is clearly better over deals which agree with the "
                "auction: within a second, or over N deals",
                "N",
                given_alone="",
                read=_search_wanted,
            ),
        )
    )


def read_bid(request: BidRequest) -> tuple[int, tuple[int, ...], Seat, Vulnerability]:
    """Read hand, calls, dealer and vulnerability of a question for one call.

    Raises
    ------
    BidcascadeError
        That names the field at fault.

    Examples
    --------
    >>> read_bid(BidRequest("K52.AQ3.9876.KJ2", ("1N", "P")))[1:3]
    ((7, 0), <Seat.NORTH: 0>)
    """
    hand = read_field(parse_hand, request.hand, "hand")
    dealer = read_field(parse_seat, request.dealer, "dealer")
    sides = read_field(parse_vulnerability, request.vulnerability, "vulnerability")
    calls = read_each(lambda text: parse_call(text.strip()), request.auction, "auction")
    try:
        auction = Auction.of(calls, dealer)
    except IllegalCall as error:
        # looked for afterwards: every request comes here
        number = first_illegal_call(calls, dealer) or 0
        error.field, error.value = f"auction[{number}]", request.auction[number]
        raise
    if auction.is_complete:
        reason = f"expected an auction that goes on, got {' '.join(request.auction)!r}"
        raise invalid_value("auction", list(request.auction), reason, IllegalCall)
    return hand, auction.calls, dealer, sides


def search_wished(wish: SearchRequest | int) -> SearchRequest:
    """Give how to search; `true` is the usual way, a number so many layouts.

    Examples
    --------
    >>> search_wished(40).layouts, search_wished(True).layouts
    (40, None)
    """
    if isinstance(wish, SearchRequest):
        return wish
    return SearchRequest() if wish is True else SearchRequest(layouts=wish)
