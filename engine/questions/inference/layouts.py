"""Hands that are not seen: layouts that fit an auction, and what the auction shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from bidcascade.bridge import (
    InvalidDeal,
    Seat,
    Vulnerability,
    format_calls,
    format_hand,
    parse_seat,
    parse_vulnerability,
)
from bidcascade.engine.questions.bidding.explaining import ExplainedCallAnswer
from bidcascade.engine.questions.parts.answer_fields import answer, answer_field, answer_of
from bidcascade.engine.questions.parts.answer_parts import LayoutReport
from bidcascade.engine.questions.parts.fields import (
    Flag,
    invalid_value,
    question,
    question_field,
    read_field,
)
from bidcascade.engine.questions.parts.resources import LEAST_S, Resources
from bidcascade.engine.questions.parts.texts import (
    DEALER_FLAG,
    AuctionCalls,
    Condition,
    HandText,
    SeatText,
    VulnerabilityText,
    Word,
    legal_calls,
    seed_field,
    sides_field,
    strict_field,
    table_field,
    where_field,
)

if TYPE_CHECKING:
    from bidcascade.inference.interpretation import Interpretation
    from bidcascade.inference.layouts.known import KnownCards
    from bidcascade.inference.layouts.result import LayoutReport as FoundReport
    from bidcascade.inference.layouts.result import Layouts


def _known(texts: Sequence[str]) -> Mapping[str, str]:
    """Hands by seat, of the texts of the command line."""
    # loads arrays, which help does without
    from bidcascade.inference.layouts.known import known_texts

    return known_texts(texts)


KNOWN_FLAG: Final = Flag(
    "what is known of a hand: 'E:QJ98.54.K732.T65', 'N:AKxx.Qx.xxx.K432' (x is a card below the "
    "ten), 'W:A+.+.+.-' (+ is any more); may be given several times",
    "SEAT:HAND",
    read=_known,
)


@question
class AuctionRequest:
    """An auction, and what else is known."""

    auction: AuctionCalls = question_field(
        default=(),
        description="The calls, from the dealer on; it may go on or be over.",
        examples=[["1N", "P", "2C", "P"]],
        flag=Flag(
            "the calls, from the dealer on: '1N P 2C P'; it may go on or be over",
            "AUCTION",
            name="auction",
            many="words",
        ),
    )
    dealer: SeatText = question_field(
        default="N", description="`N`, `E`, `S` or `W`.", examples=["N"], flag=DEALER_FLAG
    )
    vulnerability: VulnerabilityText = sides_field()
    known: dict[Word, HandText] = question_field(
        default={},
        max_length=4,
        description="What is known of hands, by seat, as `S.H.D.C`: `x` is a card below the ten, "
        "`+` behind a suit any further cards.",
        examples=[{"E": "QJ98.54.K732.T65"}],
        flag=KNOWN_FLAG,
    )
    where: tuple[Condition, ...] = where_field("HCP_N + HCP_S >= 25")
    strict: bool = strict_field()
    seed: int = seed_field()
    table: Word | None = table_field()


@question
class LayoutsRequest(AuctionRequest):
    """Layouts asked for."""

    count: int = question_field(
        default=100,
        ge=1,
        description="Layouts wanted.",
        examples=[100],
        flag=Flag("deals wanted (default: 10)", "N", default=10),
    )


@question
class InterpretRequest(AuctionRequest):
    """An auction to interpret."""

    layouts: int = question_field(
        default=500,
        ge=1,
        description="Layouts that chances are counted over.",
        examples=[500],
        flag=Flag("deals that chances are counted over (default: 500)", "N"),
    )


# --- answers --------------------------------------------------------------------------------------


@answer
class AboutAuction:
    """What is answered about any auction."""

    auction: tuple[str, ...] = answer_field(
        description="The calls.", examples=[["1N", "P", "2C", "P"]]
    )
    dealer: str = answer_field(description="Who dealt.", examples=["N"])
    vulnerability: str = answer_field(description="Who is vulnerable.", examples=["None"])


@answer
class Layout:
    """One deal."""

    deal: str = answer_field(
        description="PBN text, North's hand first.",
        examples=["N:A65.AJ72.AQT.974 QJ98.54.K732.T65 KT73.KT9.985.AK2 42.Q863.J64.QJ83"],
    )
    weight: float = answer_field(description="Mean 1 over all layouts.", examples=[1.0], digits=6)


@answer
class LayoutsAnswer(AboutAuction):
    """Deals that fit an auction and what is known."""

    layouts: tuple[Layout, ...] = answer_field(description="The deals.")
    report: LayoutReport = answer_field(description="How the layouts were found.")


@answer
class Shown:
    """What a player's calls have shown by the system."""

    points: tuple[int, ...] = answer_field(
        description="Least and most points that are promised.", examples=[[15, 17]]
    )
    lengths: dict[str, tuple[int, ...]] = answer_field(
        description="Least and most cards by suit.", examples=[{"S": [2, 5]}]
    )
    also: dict[str, tuple[int, ...]] = answer_field(
        description="Bounds of further terms.", examples=[{}]
    )
    calls: tuple[str, ...] = answer_field(
        description="The player's calls in words.", examples=[["1N Strong notrump: 15-17 points"]]
    )
    every_points: tuple[int, ...] = answer_field(
        description="Least and most points of all hands that call so.", examples=[[15, 17]]
    )


@answer
class InterpretedHand:
    """One hand: what was shown, and chances over the layouts."""

    shown: Shown = answer_field(description="By the system.")
    points: tuple[float, ...] = answer_field(
        description="Chance of 0, 1, … 37 points.", examples=[[0.0, 0.02]], digits=4
    )
    mean_points: float = answer_field(description="Their mean.", examples=[15.8], digits=4)
    points_range: tuple[int, ...] = answer_field(
        description="Least and most that came up.", examples=[[15, 17]]
    )
    lengths: dict[str, tuple[float, ...]] = answer_field(
        description="Chance of 0 … 13 cards, by suit.", examples=[{"S": [0.0, 0.01]}], digits=4
    )
    mean_lengths: dict[str, float] = answer_field(
        description="Mean length, by suit.", examples=[{"S": 3.2}], digits=4
    )
    length_ranges: dict[str, tuple[int, ...]] = answer_field(
        description="Least and most cards that came up.", examples=[{"S": [2, 5]}]
    )
    shapes: tuple[tuple[str, float], ...] = answer_field(
        description="Commonest shapes, spades first, with their chance.",
        examples=[[("4=3=3=3", 0.08)]],
        digits=4,
    )
    cards: dict[str, float] = answer_field(
        description="Chance of every card.", examples=[{"SA": 0.35}], digits=4
    )
    stoppers: dict[str, float] = answer_field(
        description="Chance of a stopper, by suit.", examples=[{"S": 0.7}], digits=4
    )
    keycards: tuple[float, ...] | None = answer_field(
        description="Chance of 0 … 5 keycards of the agreed suit; null where none is agreed.",
        examples=[None],
        digits=4,
    )
    honours: dict[str, dict[str, float]] = answer_field(
        description="Chance of A K Q J T, by suit.", examples=[{"S": {"A": 0.35}}], digits=4
    )


@answer
class NextCall:
    """A call that may come next."""

    call: str = answer_field(description="Text.", examples=["2H"])
    name: str = answer_field(description="Of its line.", examples=["Four-card major"])
    chance: float = answer_field(
        description="Share of the layouts in which it is made.", examples=[0.3], digits=4
    )


@answer
class Agreed:
    """Trumps as far as agreed."""

    NS: str | None = answer_field(description="Of North-South.", examples=["H"])
    EW: str | None = answer_field(description="Of East-West.", examples=[None])


@answer
class InterpretAnswer(AboutAuction):
    """What an auction shows."""

    known: tuple[str, ...] = answer_field(
        description="Seats whose hand is known in whole.", examples=[["E"]]
    )
    calls: tuple[ExplainedCallAnswer, ...] = answer_field(
        description="Call by call; empty for a table of no system."
    )
    forced: bool = answer_field(
        description="Whether the next player may not pass.", examples=[False]
    )
    game_forced: bool = answer_field(
        description="Whether that side must reach game.", examples=[False]
    )
    agreed: Agreed = answer_field(description="Trumps.")
    hands: dict[str, InterpretedHand] = answer_field(description="By seat.")
    next_player: str | None = answer_field(
        description="Who calls next; null after the end.", examples=["S"]
    )
    next_calls: tuple[NextCall, ...] = answer_field(
        description="What that player calls, likeliest first."
    )
    report: LayoutReport = answer_field(description="How the layouts were found.")


# --- what is asked, read --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class AuctionQuestion:
    """What is asked about an auction: what it shows, or layouts that fit it.

    Parameters
    ----------
    calls : tuple of int
    dealer, vulnerability
    known : mapping of Seat to KnownCards
    where : sequence of str
        Conditions on whole deals.
    layouts : int
        How many.
    seed : int
    strict : bool
        Every call is the one that the system makes; else it is among those that hold.
    """

    calls: tuple[int, ...] = ()
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    known: "Mapping[Seat, KnownCards]" = field(default_factory=dict)
    where: Sequence[str] = ()
    layouts: int = 100
    seed: int = 0
    strict: bool = True

    @property
    def circumstances(self) -> dict[str, Any]:
        """All but the calls and the number, as what samples layouts takes it."""
        names = ("dealer", "vulnerability", "known", "where", "seed", "strict")
        return {name: getattr(self, name) for name in names}


def read_layouts(request: LayoutsRequest) -> AuctionQuestion:
    """Read a question about layouts; the error of what is none names the field."""
    return read_auction_question(request, request.count)


def read_interpret(request: InterpretRequest) -> AuctionQuestion:
    """Read a question about what an auction shows; the error of what is none names the field."""
    return read_auction_question(request, request.layouts)


def read_auction_question(request: AuctionRequest, layouts: int) -> AuctionQuestion:
    """Read a question about an auction, and how many layouts it takes.

    Raises
    ------
    BidcascadeError
        That names the field at fault.
    """
    circumstances = read_circumstances(request)
    calls = read_field(
        partial(legal_calls, dealer=circumstances["dealer"]), " ".join(request.auction), "auction"
    )
    return AuctionQuestion(calls=calls, layouts=layouts, **circumstances)


class _Circumstances(Protocol):
    """What all questions about hands that are not seen have."""

    @property
    def dealer(self) -> str: ...
    @property
    def vulnerability(self) -> str: ...
    @property
    def known(self) -> dict[str, str]: ...
    @property
    def where(self) -> tuple[str, ...]: ...
    @property
    def strict(self) -> bool: ...
    @property
    def seed(self) -> int: ...


def read_circumstances(
    request: _Circumstances,
    besides: Mapping[Seat, int] = MappingProxyType({}),
    reason: str = "each seat once",
) -> dict[str, Any]:
    """Read what all questions have; nothing more may be known of the hands ``besides``."""
    # loads arrays, which help does without
    from bidcascade.inference.layouts.known import KnownCards, known_by_seat

    known: dict[Seat, KnownCards] = {}
    for letter, text in request.known.items():
        place = f"known.{letter}"
        seat = read_field(parse_seat, letter, place)
        if seat in known or seat in besides:
            raise invalid_value(place, text, f"expected {reason}", InvalidDeal)
        known[seat] = read_field(KnownCards.parse, text, place)
    read_field(lambda _: known_by_seat({**known, **besides}), dict(request.known), "known")
    return {
        "dealer": read_field(parse_seat, request.dealer, "dealer"),
        "vulnerability": read_field(parse_vulnerability, request.vulnerability, "vulnerability"),
        "known": known,
        "where": tuple(request.where),
        "seed": request.seed,
        "strict": request.strict,
    }


# --- answering ------------------------------------------------------------------------------------


def answer_layouts(question: AuctionQuestion, by: Resources) -> LayoutsAnswer:
    """Deals in which every call of the auction is the one that the table makes.

    Hands may be known in whole or in part. Where too few deals fit, conditions of calls are given
    up, the least likely first; the report names them.
    """
    return layouts_answer(question, find_layouts(question, by))


def find_layouts(question: AuctionQuestion, by: Resources) -> "Layouts":
    """Deals that fit an auction; errors are those of ``sample_layouts``."""
    from bidcascade.inference.layouts.sampling import DEFAULT_TIME_LIMIT_S, sample_layouts

    limit = DEFAULT_TIME_LIMIT_S if by.time_limit_s is None else by.time_limit_s
    return sample_layouts(
        by.source,
        question.calls,
        count=question.layouts,
        time_limit_s=max(LEAST_S, limit),
        cancel=by.cancel,
        **question.circumstances,
    )


def layouts_answer(question: AuctionQuestion, layouts: "Layouts") -> LayoutsAnswer:
    """Layouts as an answer, each as PBN text with its weight."""
    return LayoutsAnswer(
        auction=tuple(format_calls(question.calls).split()),
        dealer=layouts.dealer.letter,
        vulnerability=layouts.vulnerability.text,
        layouts=tuple(
            Layout(deal=deal_text(hands), weight=weight)
            for hands, weight in zip(
                layouts.hands.T.tolist(), layouts.weights.tolist(), strict=True
            )
        ),
        report=report_answer(layouts.report),
    )


def report_answer(report: "FoundReport") -> LayoutReport:
    """Report with what was relaxed as sentences."""
    return answer_of(LayoutReport, report, relaxed=tuple(map(str, report.relaxed)))


def deal_text(hands: Sequence[int]) -> str:
    """PBN text of four hands, North's first."""
    return "N:" + " ".join(map(format_hand, hands))


def answer_interpret(question: AuctionQuestion, by: Resources) -> InterpretAnswer:
    """Interpret an auction: what it shows of all four hands, and what may be called next.

    Bounds are those of the system; chances of points, lengths, cards, stoppers, keycards and next
    calls are counted over deals that fit the auction and what is known.
    """
    from bidcascade.inference.interpretation import interpret
    from bidcascade.inference.layouts.sampling import DEFAULT_TIME_LIMIT_S

    limit = DEFAULT_TIME_LIMIT_S if by.time_limit_s is None else by.time_limit_s
    found = interpret(
        by.source,
        question.calls,
        layouts=question.layouts,
        time_limit_s=max(LEAST_S, limit),
        cancel=by.cancel,
        **question.circumstances,
    )
    return _interpretation(found)


def _interpretation(found: "Interpretation") -> InterpretAnswer:
    north_south, east_west = found.agreed
    return answer_of(
        InterpretAnswer,
        found,
        auction=tuple(found.auction.split()),
        calls=tuple(answer_of(ExplainedCallAnswer, one) for one in found.explanation.calls),
        forced=found.explanation.forced,
        game_forced=found.explanation.game_forced,
        agreed=Agreed(NS=north_south, EW=east_west),
        hands={
            seat: answer_of(InterpretedHand, picture, shown=answer_of(Shown, found.shown[seat]))
            for seat, picture in found.hands.items()
        },
        report=report_answer(found.report),
    )
