"""What can be asked to be solved double dummy."""

from typing import Annotated, Final

from .bids import DealRequest
from .fields import Of, question, question_field
from .texts import EXAMPLE_DEAL, LONGEST_AUCTION, CallText

MOST_AUCTIONS: Final = 8
MOST_BOARDS: Final = 100
_MOST_CONTRACTS: Final = 20


@question
class DoubleDummyRequest:
    """A deal, and auctions on it that are compared."""

    deal: DealRequest = question_field(
        description="The deal.", examples=[{"deal": EXAMPLE_DEAL, "dealer": "N"}]
    )
    auctions: tuple[Annotated[tuple[CallText, ...], Of(max_length=LONGEST_AUCTION)], ...] = (
        question_field(
            default=(),
            max_length=MOST_AUCTIONS,
            description="Auctions that are over, from the dealer on.",
            examples=[[["1N", "P", "3N", "P", "P", "P"]]],
        )
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
