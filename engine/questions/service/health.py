"""What is told of a service itself, and of requests that it refuses."""

from typing import Any, Literal

from bidcascade.engine.questions.parts.answer_fields import answer, answer_field
from bidcascade.engine.questions.parts.answer_parts import BackendName


@answer
class HealthAnswer:
    """The process is there."""

    status: Literal["ok"] = answer_field(description="Always `ok`.", examples=["ok"])
    version: str = answer_field(description="Version of bidcascade.", examples=["0.1.0"])


@answer
class ReadyAnswer:
    """The service answers, and answers right."""

    status: Literal["ready"] = answer_field(description="Always `ready`.", examples=["ready"])
    backend: BackendName = answer_field(
        description="Engine that gave the known answer.", examples=["cpu"]
    )
    tables: tuple[str, ...] = answer_field(
        description="Tables that are loaded.", examples=[["sayc"]]
    )
    started_in_ms: int = answer_field(
        description="From the start of loading to ready, in milliseconds.", examples=[2150]
    )
    warm: bool = answer_field(
        description="Whether each kind of question was answered once. Until then answers may take "
        "a little longer; on a GPU some wait for its kernels to be compiled.",
        examples=[True],
    )
    warmed: int = answer_field(
        description="How many of the tables answer at full speed already.", examples=[1]
    )
    reload_errors: dict[str, tuple[str, ...]] = answer_field(
        description="Tables that could not be loaded anew, with the reasons; their last good "
        "versions answer.",
        examples=[{}],
    )


@answer
class FieldErrorAnswer:
    """One field at fault."""

    field: str = answer_field(description="Where it stands.", examples=["deals[0].hands[2]"])
    value: Any = answer_field(description="What it holds, shortened.", examples=["AKQ.AKQ.AKQ.AKQ"])
    reason: str = answer_field(
        description="Why that is wrong.",
        examples=["expected 13 cards, got 12 in hand 'AKQ.AKQ.AKQ.AKQ'"],
    )


@answer
class ProblemAnswer:
    """An error (RFC 9457)."""

    type: str = answer_field(
        description="Kind of problem.", examples=["urn:bidcascade:problem:invalid-request"]
    )
    title: str = answer_field(
        description="The kind in words.", examples=["Something in the request is wrong"]
    )
    status: int = answer_field(description="The HTTP status.", examples=[422])
    detail: str = answer_field(
        description="What went wrong this time.",
        examples=["deals[0].hands[2]: expected 13 cards, got 12 in hand 'AKQ.AKQ.AKQ.AKQ'"],
    )
    instance: str = answer_field(description="Path of the request.", examples=["/v1/auctions"])
    request_id: str = answer_field(
        description="Header `X-Request-Id` of request or answer.", examples=["8f2c1e0a9b7d6c54"]
    )
    errors: tuple[FieldErrorAnswer, ...] = answer_field(
        description="The fields at fault, at most 20; empty where no field is."
    )
