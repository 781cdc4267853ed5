"""Parts that several answers have: what they come from, and how layouts were found."""

from typing import Final, Literal

from .answer_fields import ABSENT, answer, answer_field

BackendName = Literal["reference", "cpu", "cuda"]
EXAMPLE_DIGEST: Final = "5b866c75b9cdc816293e976051f726f88c0544924cfec14bc8c5a833625a4710"


@answer
class OverlayName:
    """A file of rules laid over a table."""

    name: str = answer_field(description="Name of the file.", examples=["fixes.jsonl"])
    sha256: str = answer_field(description="SHA-256 of the file.", examples=[EXAMPLE_DIGEST])


@answer
class TableName:
    """Which bidding table an answer comes from."""

    name: str = answer_field(description="Its name in this service.", examples=["sayc"])
    digest: str = answer_field(
        description="SHA-256 of all that the table, or the text of the system, says; equal ones "
        "have equal digests.",
        examples=[EXAMPLE_DIGEST],
    )
    profile: Literal["gib", "mlbridge"] = answer_field(
        description="Definitions of the terms that are used.", examples=["gib"]
    )
    undescribed: Literal["allow", "pass", "reject"] = answer_field(
        description="What holds where an entry has no criteria: every call, only a pass, none.",
        examples=["pass"],
    )
    overlays: tuple[OverlayName, ...] = answer_field(
        default=ABSENT,
        schema_default=[],
        description="Rules laid over the table, in their order; absent if there are none.",
        examples=[[]],
    )


@answer
class OfTable:
    """What stands behind an answer about a table."""

    table: TableName = answer_field(description="The table that tells what calls mean.")


@answer
class FromTable(OfTable):
    """What stands behind every answer that a table gives."""

    backend: BackendName = answer_field(
        description="Engine that worked the answer out; all of them give the same.",
        examples=["cpu"],
    )


@answer
class Warming:
    """What a service adds to answers that get better with time."""

    warming: bool = answer_field(
        description="Whether the service was still warming up: fewer deals are solved in the same "
        "time then.",
        examples=[False],
    )


@answer
class LayoutReport:
    """How layouts were found."""

    proposals: int = answer_field(description="Deals that were looked at.", examples=[4096])
    accepted: int = answer_field(description="Those that fit.", examples=[100])
    acceptance: float = answer_field(
        description="Share of them that fit.", examples=[0.024], digits=8
    )
    effective_size: float = answer_field(
        description="As many layouts of equal weight tell as much.", examples=[100.0], digits=2
    )
    relaxed: tuple[str, ...] = answer_field(
        description="Conditions that were given up because too few deals meet them, in that order.",
        examples=[["call 1, 4C by N: no line of the system makes this call"]],
    )
    notes: tuple[str, ...] = answer_field(
        description="Known hands that would not have made their own calls.", examples=[[]]
    )
    stopped_because: Literal["count", "proposals", "time", "cancelled"] = answer_field(
        description="`count`: enough were found; `proposals`, `time`: a limit was reached first.",
        examples=["count"],
    )
    seed: int = answer_field(description="Of the random numbers.", examples=[0])
    seconds: float = answer_field(description="Time it took.", examples=[0.012], digits=4)


@answer
class OptionAnswer:
    """An option of a system's text, in players' words."""

    name: str = answer_field(
        description="Its name, for `options` of requests.", examples=["weak-notrump"]
    )
    title: str = answer_field(description="What players call it.", examples=["Weak notrump"])
    about: str = answer_field(
        description="A line of what it is; may be empty.",
        examples=["One notrump opens 12-14 balanced; 15-17 rebid in notrump"],
    )
    on: bool = answer_field(
        description="Whether it holds: it is on, and its lines count.", examples=[False]
    )
    within: dict[str, bool] = answer_field(
        description="Options that its lines stand in, and whether each has to be on for that. Who "
        "turns the option on turns them with it.",
        examples=[{}],
    )
