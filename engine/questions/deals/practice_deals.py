"""What can be asked about deals for practice."""

from typing import Annotated, Final

from bidcascade.engine.questions.parts.answer_fields import answer, answer_field
from bidcascade.engine.questions.parts.fields import Of, exactly_one, question, question_field
from bidcascade.engine.questions.parts.texts import SeatText, Word, seed_field

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


# --- answers --------------------------------------------------------------------------------------


@answer
class ThemeAnswer:
    """What is practised with some deals."""

    name: str = answer_field(description="Its name in a request.", examples=["stayman"])
    title: str = answer_field(description="Its title.", examples=["Stayman"])
    practises: str = answer_field(
        description="What is practised.",
        examples=["North opens one notrump; South has a four-card major and asks for one."],
    )


@answer
class ThemesAnswer:
    """All themes."""

    themes: tuple[ThemeAnswer, ...] = answer_field(description="By their names.")


@answer
class PracticeDeal:
    """A deal for practice."""

    deal: str = answer_field(
        description="PBN text, North's hand first.",
        examples=["N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"],
    )
    dealer: str = answer_field(description="Who deals.", examples=["N"])
    vulnerability: str = answer_field(
        description="`None`, `NS`, `EW` or `Both`.", examples=["None"]
    )
    theme: str = answer_field(
        description="Name of the theme that it is of; `script` for one of a script.",
        examples=["stayman"],
    )


@answer
class PracticeDealsAnswer:
    """Deals for practice, of each kind its share."""

    deals: tuple[PracticeDeal, ...] = answer_field(description="As many as the request wants.")
    looked_at: int = answer_field(description="Deals that were looked at.", examples=[4096])
