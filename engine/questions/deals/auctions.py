"""Deals, and what a table says of them: their auctions, and which of them reach an auction."""

from typing import Annotated, Final, Literal

from bidcascade.engine.questions.parts.answer_fields import ABSENT, answer, answer_field
from bidcascade.engine.questions.parts.fields import Flag, Of, exactly_one, question, question_field
from bidcascade.engine.questions.parts.texts import (
    EXAMPLE_DEAL,
    LONGEST_AUCTION_TEXT,
    HandText,
    SeatText,
    VulnerabilityText,
    Word,
    table_field,
)

MOST_ENTRIES: Final = 100
_LONGEST_LIN: Final = 1 << 14
"""Characters of LIN text of one board: with its explanations, notes and play."""
_UNLIMITED: Final = 2**31 - 1


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
    board: int | None = question_field(
        default=None,
        description="Number of the board. It changes no answer, as little as `event`: lines of "
        "`bidcascade deals --out deals.jsonl` are deals of a request as they are.",
        examples=[1],
    )
    event: Annotated[str, Of(max_length=_LONGEST_LIN)] | None = question_field(
        default=None, description="What was played.", examples=["Thursday"]
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
        Annotated[int, Of(ge=0)] | Annotated[str, Of(max_length=LONGEST_AUCTION_TEXT)]
    ] = question_field(
        min_length=1,
        max_length=MOST_ENTRIES,
        description="Auctions as text, or numbers of entries; of a table those that it has, of a "
        "system any legal auction. One that is given twice is answered once.",
        examples=[["1N", "1N P 2C"]],
    )
    table: Word | None = table_field()


# --- answers --------------------------------------------------------------------------------------


@answer
class AuctionAnswer:
    """One auction of a deal."""

    calls: tuple[str, ...] = answer_field(
        description="The calls from the dealer on: `P X XX 1C … 7N`.",
        examples=[["1N", "P", "3N", "P", "P", "P"]],
    )
    completed: bool = answer_field(description="Whether the auction is over.", examples=[True])
    entry: int | None = answer_field(
        description="Entry of the table that the auction ends with; null for systems. In mode "
        "`first` passes by default may follow it; null if the first call already is such a pass.",
        examples=[4711],
    )
    variants: tuple[str, ...] = answer_field(
        description="Names (or else descriptions) of the entry's meanings that fit the hand.",
        examples=[["Strong notrump"]],
    )


@answer
class DealResult:
    """The auctions of one deal."""

    total: int = answer_field(
        description="How many auctions there are; with `cut` at least so many.", examples=[12]
    )
    truncated: bool = answer_field(
        description="Whether more auctions hold than are listed.", examples=[False]
    )
    cut: Literal["limit", "depth", "places"] | None = answer_field(
        default=ABSENT,
        description="Mode `all`: why auctions are not listed. `limit`: there are more than that. "
        "`places`, of a system: not every place that they lead to was looked at; there the auction "
        "of mode `first` is listed all the same.",
        examples=[None],
    )
    auctions: tuple[AuctionAnswer, ...] = answer_field(
        description="An auction before its continuations, calls in the table's order of priority."
    )


@answer
class AuctionsAnswer:
    """One result for each deal asked about."""

    results: tuple[DealResult, ...] = answer_field(description="In the order of the deals.")


@answer
class EntryMembers:
    """The deals that reach one auction."""

    auction: tuple[str, ...] = answer_field(description="Its calls.", examples=[["1N", "P", "2C"]])
    total: int = answer_field(description="How many deals reach it.", examples=[2])
    deals: tuple[int, ...] = answer_field(description="Their numbers, from 0.", examples=[[0, 3]])


@answer
class MembersAnswer:
    """For each auction the deals that reach it."""

    members: tuple[EntryMembers, ...] = answer_field(description="In the order of the entries.")
