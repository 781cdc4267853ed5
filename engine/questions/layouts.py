"""What can be asked about hands that are not seen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from .fields import Flag, question, question_field
from .texts import (
    DEALER_FLAG,
    LONGEST_AUCTION,
    MOST_LAYOUTS,
    CallText,
    Condition,
    HandText,
    SeatText,
    VulnerabilityText,
    Word,
    seed_field,
    sides_field,
    strict_field,
    table_field,
    where_field,
)

MOST_DEALT: Final = 100_000


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

    auction: tuple[CallText, ...] = question_field(
        default=(),
        max_length=LONGEST_AUCTION,
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
        flag=replace(KNOWN_FLAG, also=("--hand",)),
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


@question
class InferRequest(AuctionRequest):
    """An auction, and what is to be told of the layouts that fit it."""

    layouts: int = question_field(
        default=100, ge=1, le=MOST_LAYOUTS, description="Layouts wanted.", examples=[100]
    )
    deals: int = question_field(
        default=10_000,
        ge=0,
        le=MOST_DEALT,
        description="Deals that agree with what is known, dealt to count how many do not fit the "
        "auction and why; 0 for none.",
        examples=[10_000],
    )
    contract: Word | None = question_field(
        default=None,
        description="A contract with its declarer, whose worth is asked for; that of the auction "
        "if it is over.",
        examples=["4SN"],
    )
    lead: Word | None = question_field(
        default=None,
        description="Card that is led against it, which `known` gives to the leader; the best lead "
        "of each layout if not given.",
        examples=["HQ"],
    )
    against: Word | None = question_field(
        default=None,
        description="Contract at the other table, by either side, or `Pass`: what `imps` and "
        "`matchpoints` are against.",
        examples=["3NN"],
    )
    scoring: Literal["points", "imps", "matchpoints"] = question_field(
        default="points",
        description="What `value` is in; `imps` and `matchpoints` need `against`.",
        examples=["imps"],
    )
    budget_ms: int | None = question_field(
        default=None,
        ge=1,
        description="Answer after so long with what is known by then.",
        examples=[5000],
    )
