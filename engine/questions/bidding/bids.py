"""The call for one hand: by the system, by simulation, by search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

from bidcascade.bridge import (
    Auction,
    IllegalCall,
    InvalidInput,
    Seat,
    Vulnerability,
    first_illegal_call,
    format_call,
    parse_call,
    parse_hand,
    parse_seat,
    parse_vulnerability,
)
from bidcascade.engine.questions.parts.answer_fields import ABSENT, answer, answer_field, answer_of
from bidcascade.engine.questions.parts.fields import (
    Flag,
    Of,
    invalid_value,
    question,
    question_field,
    read_each,
    read_field,
)
from bidcascade.engine.questions.parts.texts import (
    DEALER_FLAG,
    LONGEST_AUCTION_TEXT,
    MOST_LAYOUTS,
    AuctionCalls,
    SeatText,
    ThirteenCards,
    VulnerabilityText,
    Word,
    sides_field,
    table_field,
)

if TYPE_CHECKING:
    from bidcascade.inference.search import Search
    from bidcascade.inference.simulate import Simulation
    from bidcascade.systems.bidding.bid_answer import BidAnswer as FoundBid

_MOST_AHEAD: Final = 100
"""IMPs, or standard errors, that no call is ahead by: the system's own always stands."""


def _search_wanted(text: str) -> bool | int:
    """Read the value of ``--search``: how many layouts, or nothing."""
    if not text:
        return True
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise InvalidInput(f"expected --search alone or with a number of deals from 1, got {text!r}")


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
        max_length=LONGEST_AUCTION_TEXT,
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
    auction: AuctionCalls = question_field(
        default=(),
        description="The calls so far, from the dealer on; input also takes `Pass`, `D`, `1NT` …",
        examples=[["1N", "P"]],
        flag=Flag(
            "calls so far, from the dealer on: '1N P'; of a deal: an auction that the calls of the "
            "unknown hands are taken from",
            "AUCTION",
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
    candidates: bool = question_field(
        default=False,
        description="Whether all meanings of the calls at this place are told, and which of their "
        "conditions the hand meets.",
        examples=[True],
    )
    words: bool = question_field(
        default=False,
        description="Whether conditions of a system have the phrases of its lines that they are "
        "made of, such as `good hearts`, beside their formulas, and a call that is made for want "
        "of others has those `nearest` to the hand.",
        examples=[False],
    )


# --- answers --------------------------------------------------------------------------------------


@answer
class ContractShare:
    """A contract that a call leads to."""

    contract: str = answer_field(
        description="With its declarer; `Pass` if passed out.", examples=["4SN"]
    )
    share: float = answer_field(description="Share of the layouts.", examples=[0.62], digits=4)


@answer
class SimulatedCall:
    """What one call is worth."""

    call: str = answer_field(description="The call.", examples=["2C"])
    line: bool = answer_field(
        description="Whether a line of the system makes it with this hand; else it is a natural "
        "call.",
        examples=[True],
    )
    mean: float = answer_field(description="Its worth by the scoring.", examples=[1.25], digits=4)
    low: float | None = answer_field(
        description="The worth is between `low` and `high` with 95 %; null from fewer than two "
        "layouts.",
        examples=[0.4],
        digits=4,
    )
    high: float | None = answer_field(description="See `low`.", examples=[2.1], digits=4)
    behind: float = answer_field(
        description="How much less it is worth than the best call, on the layouts that both were "
        "tried on.",
        examples=[0.0],
        digits=4,
    )
    behind_error: float | None = answer_field(
        description="Half the width of the interval of `behind`.", examples=[0.0], digits=4
    )
    points: float = answer_field(
        description="Mean score of the caller's side.", examples=[420.0], digits=4
    )
    best_share: float = answer_field(
        description="Share of its layouts in which no other call scores more.",
        examples=[0.7],
        digits=4,
    )
    layouts: int = answer_field(
        description="How many it was tried on: fewer than others if it was surely behind.",
        examples=[100],
    )
    contracts: tuple[ContractShare, ...] = answer_field(description="The commonest contracts.")


@answer
class SimulatedLayouts:
    """The layouts behind a simulation."""

    asked: int = answer_field(description="How many were asked for.", examples=[100])
    found: int = answer_field(description="How many were found.", examples=[100])
    used: int = answer_field(description="On how many the best call was scored.", examples=[100])
    effective_size: float = answer_field(
        description="As many layouts of equal weight tell as much.", examples=[100.0], digits=2
    )
    acceptance: float = answer_field(
        description="Share of dealt layouts that fit.", examples=[0.31]
    )
    relaxed: tuple[str, ...] = answer_field(
        description="What was given up to find them.", examples=[[]]
    )
    notes: tuple[str, ...] = answer_field(
        description="Calls that the known hand would not have made.", examples=[[]]
    )
    seed: int = answer_field(description="Which random numbers.", examples=[0])


@answer
class SimulationAnswer:
    """Calls from best to worst, by simulation."""

    best: str = answer_field(description="The best call.", examples=["2C"])
    compared_with: str = answer_field(
        description="The call that `imps` and `matchpoints` are against: the system's own, or a "
        "pass.",
        examples=["2C"],
    )
    scoring: Literal["imps", "matchpoints", "points"] = answer_field(
        description="What calls are judged by.", examples=["imps"]
    )
    tricks_by: Literal["double dummy", "table of tricks"] = answer_field(
        description="Where the tricks come from.", examples=["double dummy"]
    )
    stopped_because: Literal["layouts", "decided", "time"] = answer_field(
        description="All layouts were used, one call is clear of all others, or time was over.",
        examples=["layouts"],
    )
    solved: int = answer_field(
        description="Contracts that were solved double dummy.", examples=[126]
    )
    candidates: tuple[SimulatedCall, ...] = answer_field(description="The calls that were tried.")
    layouts: SimulatedLayouts = answer_field(description="The layouts behind it.")
    elapsed_ms: int = answer_field(description="Time that it took.", examples=[950])


@answer
class SearchOutcome:
    """A contract that a searched call ends in."""

    contract: str = answer_field(
        description="With its declarer; `Pass` if passed out.", examples=["4SN"]
    )
    layouts: float = answer_field(
        description="In how many layouts, by weight.", examples=[80.0], digits=4
    )
    made: float = answer_field(
        description="In how many of them it is made; by the table of tricks what may be expected.",
        examples=[61.4],
        digits=4,
    )


@answer
class SearchedCallAnswer:
    """What one call is worth against the system's own."""

    call: str = answer_field(description="The call.", examples=["4S"])
    missed: int | None = answer_field(
        description="Points by which the hand misses its line: 0 if one holds; null for a pass "
        "that no line makes.",
        examples=[1],
    )
    gain: float = answer_field(
        description="IMPs a layout more than the system's own call.", examples=[1.24], digits=4
    )
    error: float | None = answer_field(
        description="Standard error of that; null from fewer than two layouts.",
        examples=[0.31],
        digits=4,
    )
    points: float = answer_field(
        description="Mean score of the caller's side.", examples=[310.0], digits=4
    )
    outcomes: tuple[SearchOutcome, ...] = answer_field(description="The commonest contracts.")


@answer
class SearchedLayouts:
    """The layouts behind a search."""

    asked: int = answer_field(description="How many at most.", examples=[100])
    used: int = answer_field(description="How many were used.", examples=[100])
    seed: int = answer_field(description="Which random numbers.", examples=[0])


@answer
class SearchAnswer:
    """The call that a search makes, and why."""

    call: str = answer_field(description="The call to make.", examples=["4S"])
    own: str = answer_field(description="The system's call.", examples=["3S"])
    kind: Literal["opening", "uncontested", "slam", "competitive", "defensive"] = answer_field(
        description="What kind of decision it is.", examples=["uncontested"]
    )
    why: str = answer_field(
        description="In plain words: what both calls are worth, or why nothing was searched.",
        examples=["not searched: no other line is near"],
    )
    candidates: tuple[SearchedCallAnswer, ...] = answer_field(
        description="The system's call, then the others from best to worst; none if nothing was "
        "searched."
    )
    layouts: SearchedLayouts = answer_field(description="The layouts behind it.")
    solved: int = answer_field(
        description="Layouts of which contracts were solved double dummy.", examples=[0]
    )
    stopped_because: Literal["layouts", "decided", "time", "not searched"] = answer_field(
        description="All layouts were used, no other call could come out ahead, time was over, or "
        "there was nothing to search.",
        examples=["layouts"],
    )
    elapsed_ms: int = answer_field(description="Time that it took.", examples=[180])


@answer
class PhraseWords:
    """A phrase of a system's line, and the expression that it became."""

    text: str = answer_field(
        description="The phrase with its suit put in.", examples=["good hearts"]
    )
    expression: str = answer_field(
        description="What it became: the condition, a part of it, or several conditions together.",
        examples=["Top3_H >= 2 or Top5_H >= 3"],
    )


@answer
class CriterionCheck:
    """One condition, with the hand's own value."""

    expression: str = answer_field(description="The condition.", examples=["SL_H >= 4"])
    value: Any = answer_field(
        description="The hand's value of the term; where the condition names several, each by "
        "name; null where there is nothing to measure.",
        examples=[3],
    )
    holds: bool = answer_field(description="Whether the hand meets it.", examples=[False])
    words: tuple[PhraseWords, ...] = answer_field(
        default=ABSENT,
        description="Phrases of the line that the condition is made of, the longest ones that have "
        "a name; absent where `words` was not asked for and where there are none.",
    )


@answer
class CandidateAnswer:
    """One meaning of a call that may be made here."""

    call: str = answer_field(description="The call.", examples=["2C"])
    entry: int | None = answer_field(
        description="Entry of the table; null for a line of a system.",
        examples=[534],
    )
    name: str = answer_field(description="Its name, empty if it has none.", examples=["Stayman"])
    description: str = answer_field(
        description="What it means.", examples=["Asks for a four-card major; 8+ HCP"]
    )
    where: str = answer_field(
        description="File and line of the text or rules that it is from, else empty.",
        examples=["sayc.bidding:31"],
    )
    holds: bool = answer_field(
        description="Whether the hand meets all conditions.", examples=[False]
    )
    criteria: tuple[CriterionCheck, ...] = answer_field(
        description="Its conditions, joined by AND."
    )
    agreements: tuple[str, ...] = answer_field(
        description="What is agreed about it: `forcing`, `artificial`, `#stayman` …; in a table "
        "of no system the row's tags.",
        examples=[["artificial", "forcing", "#stayman"]],
    )
    taken_by: str | None = answer_field(
        description="The earlier candidate that makes the call although this one holds as well; "
        "else null.",
        examples=["1N Strong notrump (sayc.bidding:12)"],
    )


@answer
class MissingConditionAnswer:
    """A condition that the hand does not meet, in words."""

    expression: str = answer_field(description="The condition.", examples=["HCP >= 12"])
    wanted: str = answer_field(description="What it asks for.", examples=["12+ points"])
    has: str = answer_field(description="What of it the hand has.", examples=["you have 6"])


@answer
class NearestCallAnswer:
    """A call that the hand nearly makes."""

    call: str = answer_field(description="The call.", examples=["1C"])
    name: str = answer_field(
        description="Name of the meaning that is missed by least, empty if it has none.",
        examples=["Better minor"],
    )
    needs: str = answer_field(
        description="What is missing, in words.", examples=["12+ points (you have 6)"]
    )
    missing: tuple[MissingConditionAnswer, ...] = answer_field(
        description="All conditions that the hand does not meet, the hardest of each kind."
    )


@answer
class BidAnswer:
    """The call that the table or its system makes, and the candidates with their conditions."""

    call: str = answer_field(description="The call.", examples=["3N"])
    entry: int | None = answer_field(
        description="Entry of the table; null where the table does not have the call, and of a "
        "system.",
        examples=[537],
    )
    name: str = answer_field(description="Name of the rule, empty if none.", examples=["To play"])
    description: str = answer_field(
        description="What the rule says.", examples=["Game on points, no major; 10-15 HCP"]
    )
    where: str = answer_field(
        description="File and line of the text or rules that it is from, else empty.",
        examples=["sayc.bidding:31"],
    )
    candidates: tuple[CandidateAnswer, ...] = answer_field(
        default=ABSENT,
        description="All meanings of the calls at this place, in order of priority: the first one "
        "that holds is made. Absent where they were not asked for.",
    )
    default_pass: bool = answer_field(
        description="Whether it is a pass because no candidate holds.", examples=[False]
    )
    note: str = answer_field(description="Why it is a pass by default, else empty.", examples=[""])
    agreements: tuple[str, ...] = answer_field(
        description="What is agreed about the call: `forcing`, `artificial`, `#stayman` …; in a "
        "table of no system the row's tags.",
        examples=[["artificial", "forcing", "#stayman"]],
    )
    forced: bool | None = answer_field(
        description="Whether partner's call asks for an answer; null where the table is of no "
        "system.",
        examples=[False],
    )
    nearest: tuple[NearestCallAnswer, ...] = answer_field(
        default=ABSENT,
        description="What is missing to other calls: of those tried before the call, at most three "
        "that the hand misses by least. Absent where `words` was not asked for, where the call "
        "asks for something that the hand has, and where it was simulated or searched.",
    )
    simulation: SimulationAnswer | None = answer_field(
        default=ABSENT,
        description="How the call was simulated; absent where it was not. `call` is then the best "
        "one, and `note` says so.",
    )
    search: SearchAnswer | None = answer_field(
        default=ABSENT,
        description="How the call was searched; absent where it was not. `call` is then the one "
        "that the search makes, and `note` says why.",
    )


# --- what is asked, read --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class BidQuestion:
    """Which call to make.

    Parameters
    ----------
    hand : int
        Mask of the cards of the player to call.
    calls : tuple of int
    dealer : Seat
    vulnerability : Vulnerability
    trial : SimulateRequest or SearchRequest, optional
        How calls are tried over layouts; without it the call is the system's own.
    candidates : bool
        Whether the answer has all meanings at the place.
    words : bool
        Whether conditions have the phrases that they are made of, and a call for want of others
        has those nearest.
    """

    hand: int
    calls: tuple[int, ...]
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    trial: SimulateRequest | SearchRequest | None = None
    candidates: bool = False
    words: bool = False


def read_bid(request: BidRequest) -> BidQuestion:
    """Read a question for one call.

    Raises
    ------
    BidcascadeError
        That names the field at fault.

    Examples
    --------
    >>> read_bid(BidRequest("K52.AQ3.9876.KJ2", ("1N", "P"))).calls
    (7, 0)
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
    if request.simulate and request.search:
        reason = "expected a call to be simulated or searched, not both"
        raise invalid_value("search", request.search, reason)
    return BidQuestion(
        hand=hand,
        calls=auction.calls,
        dealer=dealer,
        vulnerability=sides,
        trial=_wished(SimulateRequest, request.simulate) or _wished(SearchRequest, request.search),
        candidates=request.candidates,
        words=request.words,
    )


_Trial = TypeVar("_Trial", SimulateRequest, SearchRequest)


def _wished(kind: type[_Trial], wish: object) -> _Trial | None:
    """Give how to try calls; `true` is the usual way, a number so many layouts."""
    if isinstance(wish, kind):
        return wish
    if not isinstance(wish, int) or not wish:
        return None
    return kind() if wish is True else kind(layouts=wish)


# --- answering ------------------------------------------------------------------------------------


def bid_answer(
    question: BidQuestion,
    found: "FoundBid",
    *,
    simulation: "Simulation | None" = None,
    search: "Search | None" = None,
) -> BidAnswer:
    """Make an answer to a question of a bid, with the simulation or search that made the call."""
    parts: dict[str, Any] = {} if question.candidates else {"candidates": ABSENT}
    return answer_of(
        BidAnswer,
        found,
        **parts,
        nearest=_nearest(question, found),
        simulation=ABSENT if simulation is None else simulation_answer(simulation),
        search=ABSENT if search is None else search_answer(search),
    )


def _nearest(question: BidQuestion, found: "FoundBid") -> Any:
    if not question.words or question.trial is not None:
        return ABSENT
    # the trees of conditions are of no use to who asks for a call alone
    from bidcascade.systems.words.missing_words import is_for_want_of_others, nearest_calls

    if not is_for_want_of_others(found.candidates):
        return ABSENT
    nearest = nearest_calls(found.candidates)
    return tuple(answer_of(NearestCallAnswer, near) for near in nearest)


def simulation_answer(found: "Simulation") -> SimulationAnswer:
    """Make an answer of a simulation."""
    report = found.report
    return answer_of(
        SimulationAnswer,
        found,
        best=format_call(found.best.call),
        compared_with=format_call(found.compared_with),
        candidates=tuple(
            answer_of(
                SimulatedCall,
                one,
                call=format_call(one.call),
                line=one.is_line,
                contracts=tuple(
                    ContractShare(contract=name, share=share) for name, share in one.contracts
                ),
            )
            for one in found.candidates
        ),
        layouts=SimulatedLayouts(
            asked=found.requested,
            found=report.accepted,
            used=found.layouts,
            effective_size=found.effective_size,
            acceptance=report.acceptance,
            relaxed=tuple(map(str, report.relaxed)),
            notes=report.notes,
            seed=report.seed,
        ),
        elapsed_ms=round(1000 * found.seconds),
    )


def search_answer(found: "Search") -> SearchAnswer:
    """Make an answer of a search."""
    return answer_of(
        SearchAnswer,
        found,
        call=format_call(found.call),
        own=format_call(found.own),
        candidates=tuple(
            answer_of(SearchedCallAnswer, one, call=format_call(one.call))
            for one in found.candidates
        ),
        layouts=SearchedLayouts(asked=found.requested, used=found.layouts, seed=found.seed),
        elapsed_ms=round(1000 * found.seconds),
    )
