"""What calls have shown: auctions that are explained, and the answers."""

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from bidcascade.bridge import Seat, Vulnerability, parse_seat, parse_vulnerability
from bidcascade.engine.questions.parts.answer_fields import answer, answer_field, answer_of
from bidcascade.engine.questions.parts.fields import Flag, question, question_field, read_field
from bidcascade.engine.questions.parts.texts import (
    DEALER_FLAG,
    SeatText,
    VulnerabilityText,
    legal_calls,
)

from .bids import PlaceQuestion

if TYPE_CHECKING:
    from bidcascade.systems.words.explanation import AuctionExplanation

_POINTS: Final = [15, 17]
_LENGTHS: Final = {"C": [2, 5], "D": [2, 5], "H": [2, 5], "S": [2, 5]}


@question
class ExplainQuestion(PlaceQuestion):
    """An auction whose calls are explained, and where they were made."""

    dealer: SeatText = question_field(
        default="N", description="`N`, `E`, `S` or `W`.", examples=["N"], flag=DEALER_FLAG
    )
    vulnerability: VulnerabilityText | None = question_field(
        default=None,
        description="`None`, `NS`, `EW` or `Both`: calls are told as they are meant there. If not "
        "given: as they are meant at each, where that differs.",
        examples=["None"],
        flag=Flag("None, NS, EW or Both (default: each, where calls differ)", "V", name="--vul"),
    )


class ExplainedAt(NamedTuple):
    """An auction and where it was bid; without a vulnerability calls are told as at each."""

    calls: tuple[int, ...]
    dealer: Seat
    vulnerability: Vulnerability | None


def read_explain(question: ExplainQuestion) -> ExplainedAt:
    """Read what is explained; the error of what is wrong names the field."""
    dealer = read_field(parse_seat, question.dealer, "dealer")
    vulnerability = None
    if question.vulnerability is not None:
        vulnerability = read_field(parse_vulnerability, question.vulnerability, "vulnerability")
    calls = read_field(partial(legal_calls, dealer=dealer), question.auction, "auction")
    return ExplainedAt(calls, dealer, vulnerability)


@answer
class HandTypeAnswer:
    """One kind of hand that makes a call."""

    name: str = answer_field(description="Of its line, empty if none.", examples=["Strong notrump"])
    where: str = answer_field(description="File and line.", examples=["sayc.bidding:12"])
    share: float = answer_field(
        description="Part of the hands that fit what the player has shown, 0 to 1.", examples=[1.0]
    )
    points: tuple[int, ...] = answer_field(description="Least and most points.", examples=[_POINTS])
    lengths: dict[str, tuple[int, ...]] = answer_field(
        description="Least and most cards of each suit.", examples=[_LENGTHS]
    )


@answer
class ExplainedCallAnswer:
    """One call, and what its player has shown with it and before."""

    call: str = answer_field(description="The call.", examples=["1N"])
    player: int = answer_field(description="Who made it, counted from the dealer.", examples=[0])
    sentence: str = answer_field(
        description="What a player would say if asked.",
        examples=["Strong notrump: 15-17 points, balanced"],
    )
    known: bool = answer_field(description="Whether the system has a line for it.", examples=[True])
    agreements: tuple[str, ...] = answer_field(
        description="`forcing`, `artificial`, `#stayman` …", examples=[["limited"]]
    )
    hand_types: tuple[HandTypeAnswer, ...] = answer_field(
        description="The kinds of hand that make this call."
    )
    points: tuple[int, ...] = answer_field(
        description="Least and most points that are promised now.", examples=[_POINTS]
    )
    every_points: tuple[int, ...] = answer_field(
        description="Least and most points of all hands that call so, of light ones with long "
        "suits too.",
        examples=[_POINTS],
    )
    lengths: dict[str, tuple[int, ...]] = answer_field(
        description="Least and most cards of each suit that are known now.", examples=[_LENGTHS]
    )
    also: dict[str, tuple[int, ...]] = answer_field(
        description="Bounds of further terms.", examples=[{"Aces": [1, 1]}]
    )
    share: float = answer_field(
        description="Part of all hands that fit what the player has shown, 0 to 1.", examples=[0.04]
    )


@answer
class OfferedCallAnswer:
    """One call that the next player may choose."""

    call: str = answer_field(description="The call.", examples=["2C"])
    name: str = answer_field(description="Of its first line.", examples=["Stayman"])
    where: str = answer_field(description="File and line.", examples=["notrump.bidding:8"])


@answer
class ExplainAnswer:
    """An auction explained call by call."""

    auction: tuple[str, ...] = answer_field(description="The calls.", examples=[["1N", "P"]])
    calls: tuple[ExplainedCallAnswer, ...] = answer_field(
        description="Each with what it has shown."
    )
    forced: bool = answer_field(
        description="Whether the next player may not pass.", examples=[False]
    )
    game_forced: bool = answer_field(
        description="Whether the next player's side has to reach game.", examples=[False]
    )
    agreed_suit: str | None = answer_field(
        description="Trumps of the next player's side as far as agreed, `C D H S`.", examples=["H"]
    )
    next_calls: tuple[OfferedCallAnswer, ...] = answer_field(
        description="What the next player has to choose from, in order of priority."
    )


def explain_answer(found: "AuctionExplanation") -> ExplainAnswer:
    """Make an answer of an explanation."""
    return answer_of(ExplainAnswer, found, auction=tuple(found.auction.split()))
