"""Bodies of ``GET /v1/themes`` and ``POST /v1/practice-deals``, field by field."""

from pydantic import Field

from .models import Body


class ThemeAnswer(Body):
    """What is practised with some deals."""

    name: str = Field(description="Its name in a request.", examples=["stayman"])
    title: str = Field(description="Its title.", examples=["Stayman"])
    practises: str = Field(
        description="What is practised.",
        examples=["North opens one notrump; South has a four-card major and asks for one."],
    )


class ThemesAnswer(Body):
    """All themes."""

    themes: list[ThemeAnswer] = Field(description="By their names.")


class PracticeDeal(Body):
    """A deal for practice."""

    deal: str = Field(
        description="PBN text, North's hand first.",
        examples=["N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"],
    )
    dealer: str = Field(description="Who deals.", examples=["N"])
    vulnerability: str = Field(description="`None`, `NS`, `EW` or `Both`.", examples=["None"])
    theme: str = Field(
        description="Name of the theme that it is of; `script` for one of a script.",
        examples=["stayman"],
    )


class PracticeDealsAnswer(Body):
    """Deals for practice, of each kind its share."""

    deals: list[PracticeDeal] = Field(description="As many as the request wants.")
    looked_at: int = Field(description="Deals that were looked at.", examples=[4096])
