"""What can be asked about deals for practice."""

from typing import Annotated, Final

from .fields import Of, exactly_one, question, question_field
from .texts import SeatText, Word, seed_field

MOST_PRACTISED: Final = 1000
_LONGEST_SCRIPT: Final = 50_000
_MOST_THEMES: Final = 10


@question
class PracticeDealsRequest:
    """Deals of themes, or of a script."""

    described = exactly_one(themes="array", script="string")

    themes: tuple[Word, ...] | None = question_field(
        default=None,
        max_length=_MOST_THEMES,
        description="Names of themes (see `GET /v1/themes`); several are mixed in equal parts.",
        examples=[["stayman", "jacoby-transfers"]],
    )
    script: Annotated[str, Of(max_length=_LONGEST_SCRIPT)] | None = question_field(
        default=None,
        description="A script of the program `dealer`; its actions are not done, and it may not "
        "ask for tricks.",
        examples=["hcp(south) >= 20"],
    )
    count: int = question_field(
        default=10, ge=1, le=MOST_PRACTISED, description="Deals wanted.", examples=[10]
    )
    seat: SeatText = question_field(
        default="S",
        description="Who gets what themes and scripts say of South: the deals are turned.",
        examples=["N"],
    )
    seed: int = seed_field()
