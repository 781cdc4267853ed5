"""What can be asked about opening leads."""

from typing import Literal

from .fields import Flag, exactly_one, question, question_field
from .layouts import KNOWN_FLAG
from .texts import (
    DEALER_FLAG,
    LONGEST_AUCTION,
    MOST_LAYOUTS,
    CallText,
    Condition,
    HandText,
    SeatText,
    ThirteenCards,
    VulnerabilityText,
    Word,
    seed_field,
    sides_field,
    strict_field,
    table_field,
    where_field,
)


@question
class LeadsRequest:
    """A hand on lead, and the auction or contract."""

    described = exactly_one(auction="array", contract="string")

    hand: ThirteenCards = question_field(
        description="The 13 cards of the leader, as `S.H.D.C`.",
        examples=["K52.AQ3.9876.KJ2"],
        flag=Flag("13 cards of the leader: 'K52.AQ3.9876.KJ2' (S.H.D.C)", "HAND", name="hand"),
    )
    auction: tuple[CallText, ...] | None = question_field(
        default=None,
        max_length=LONGEST_AUCTION,
        description="The calls, from the dealer on; the passes that end it may be left out, "
        "all of them.",
        examples=[["1N", "P", "3N"]],
        flag=Flag(
            "the calls, from the dealer on: '1N P 3N'; the passes that end it may be left out, all "
            "of them",
            "AUCTION",
            name="auction",
            many="words",
        ),
    )
    contract: Word | None = question_field(
        default=None,
        description="A contract with its declarer, in place of an auction: the other hands are any "
        "then.",
        examples=["3NE"],
        flag=Flag(
            "a contract such as 3NS in place of an auction: the other hands are any then", "C"
        ),
    )
    dealer: SeatText = question_field(
        default="N", description="`N`, `E`, `S` or `W`.", examples=["E"], flag=DEALER_FLAG
    )
    vulnerability: VulnerabilityText = sides_field()
    scoring: Literal["tricks", "set", "matchpoints", "imps"] = question_field(
        default="tricks",
        description="What leads are judged by: the mean of the defenders' tricks; the chance that "
        "the contract goes down; matchpoints or IMPs against tables where each other card of the "
        "hand is led.",
        examples=["imps"],
        flag=Flag("what a lead is judged by (default: tricks, the mean of the defenders' tricks)"),
    )
    layouts: int = question_field(
        default=100,
        ge=1,
        le=MOST_LAYOUTS,
        description="Deals of the unseen cards that agree with the auction.",
        examples=[100],
        flag=Flag(
            "deals of the unseen cards that are solved (default: 100)", "N", bounds=(1, None)
        ),
    )
    known: dict[Word, HandText] = question_field(
        default={},
        max_length=3,
        description="What is known of other hands, by seat: `x` is a card below the ten, `+` "
        "behind a suit any further cards.",
        examples=[{"W": "AKx+.+.+.-"}],
        flag=KNOWN_FLAG,
    )
    where: tuple[Condition, ...] = where_field("HCP_E >= 15")
    strict: bool = strict_field()
    seed: int = seed_field()
    budget_ms: int | None = question_field(
        default=None,
        ge=1,
        description="Answer after so long with what is solved by then, or when one deal is; most "
        "of the service's time for a request if not given.",
        examples=[2000],
        flag=Flag("answer after so long with what is solved by then", "MS"),
    )
    table: Word | None = table_field()
