"""Texts that questions are made of, and the fields that several of them have."""

from collections.abc import Callable
from typing import Annotated, Any, Final

from bidcascade.bridge import Auction, Seat, parse_calls, split_calls

from .fields import Flag, Of, question_field

LONGEST_TEXT: Final = 200
"""Characters of the text of a hand, a deal, or what is known of a hand."""
_LONGEST_WORD: Final = 64
LONGEST_AUCTION: Final = 319
"""Calls of the longest legal auction."""
LONGEST_AUCTION_TEXT: Final = 2000
"""Characters of an auction that is written as one text."""
MOST_LAYOUTS: Final = 1000
"""Deals that a call or a lead is simulated on."""
MOST_CONDITIONS: Final = 32
EXAMPLE_DEAL: Final = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"

Word = Annotated[str, Of(max_length=_LONGEST_WORD)]
"""A call, a seat, a vulnerability, a contract or a name."""
HandText = Annotated[str, Of(max_length=LONGEST_TEXT)]

SeatText = Annotated[
    str, Of("^(?:[NESWnesw]|[Nn]orth|[Ee]ast|[Ss]outh|[Ww]est)$", max_length=_LONGEST_WORD)
]
VulnerabilityText = Annotated[
    str,
    Of(
        "^(?:[Nn]one|[Ll]ove|[Oo0-]|[NSEWnsew]|[Nn]-?[Ss]|[Ee]-?[Ww]|[Bb]oth|[Aa]ll|[Bb])$",
        max_length=_LONGEST_WORD,
    ),
]
CallText = Annotated[
    str,
    Of(
        "^(?:[Pp](?:ass|ASS)?|[Dd](?:bl|ouble)?|[Rr](?:d|dbl|edouble)?|[Xx]{1,2}"
        "|[1-7](?:[CDHScdhs♣♦♥♠]|[Nn][Tt]?))$",
        max_length=_LONGEST_WORD,
    ),
]


class _AlsoOneText:
    """A list of calls that may also be written as one text, as ``1N P`` or ``1N-P``."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        split = {"type": "no-info", "function": _calls_apart}
        return {"type": "function-before", "function": split, "schema": handler(source)}

    def __get_pydantic_json_schema__(self, schema: Any, handler: Callable[[Any], Any]) -> Any:
        calls = handler(schema)
        one_text = {"type": "string", "maxLength": LONGEST_AUCTION_TEXT}
        return {"anyOf": [calls, one_text]}


def _calls_apart(value: object) -> object:
    if isinstance(value, str):
        return tuple(split_calls(value))
    # pydantic takes a list of JSON for a tuple only where no function stands before
    return tuple(value) if isinstance(value, list) else value


AuctionCalls = Annotated[tuple[CallText, ...], Of(max_length=LONGEST_AUCTION), _AlsoOneText()]
"""An auction of a request: its calls, or one text of them."""
ThirteenCards = Annotated[
    str,
    Of(r"^(?:(?:[AKQJTakqjt0-9-]*\.){3}[AKQJTakqjt0-9-]*|[^.]{14,})$", max_length=LONGEST_TEXT),
]
Condition = Annotated[str, Of(max_length=1000)]

TABLE_TEXT: Final = (
    "Name of a bidding table (see `GET /v1/tables`); the service's default table if not given."
)
DEALER_FLAG: Final = Flag("who dealt (default: N)", "SEAT")


def sides_field() -> Any:
    """Vulnerability of the board."""
    return question_field(
        default="None",
        description="`None`, `NS`, `EW` or `Both`.",
        examples=["None"],
        flag=Flag("None, NS, EW or Both", "V", name="--vul"),
    )


def table_field() -> Any:
    """Table or system that is asked."""
    return question_field(
        default=None,
        description=TABLE_TEXT,
        examples=["sayc"],
    )


def where_field(example: str) -> Any:
    """Conditions on the deal."""
    return question_field(
        default=(),
        max_length=MOST_CONDITIONS,
        description="Conditions on the deal; terms carry a seat.",
        examples=[[example]],
        flag=Flag(
            "condition on the deal, as for deals: 'HCP_E >= 10'; may be given several times",
            "EXPR",
        ),
    )


def strict_field() -> Any:
    """Whether calls are those that the table makes."""
    return question_field(
        default=True,
        description="Every call is the one that the table makes; else it is among those whose "
        "conditions hold.",
        examples=[True],
        flag=Flag(
            "calls need only be among those that hold, not the ones that the system makes",
            name="--loose",
            turns_off=True,
        ),
    )


def seed_field() -> Any:
    """Seed of layouts."""
    return question_field(
        default=0,
        ge=0,
        le=2**53,
        description="The same seed gives the same layouts.",
        examples=[0],
        flag=Flag("the same seed gives the same layouts (default: 0)", "S", bounds=(0, 2**64 - 1)),
    )


def legal_calls(text: str, dealer: Seat = Seat.NORTH) -> tuple[int, ...]:
    """Read an auction and check that it is legal."""
    return Auction.of(parse_calls(text), dealer).calls
