"""Questions that are asked in the query of an address."""

from collections.abc import Awaitable, Callable
from dataclasses import MISSING, fields
from typing import Annotated, Any, TypeVar, get_type_hints

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

_Question = TypeVar("_Question")


class _Parameters(BaseModel):
    """Parameters of a request; what is empty counts as not given."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in given.items() if value not in ("", [""])}


def query_of(question: type[_Question]) -> Callable[..., Awaitable[_Question]]:
    """Make the dependency of a route that reads a question from the query.

    FastAPI takes a model of pydantic alone for that, so one is made of the question's fields.
    """
    hints = get_type_hints(question, include_extras=True)
    parameters: dict[str, Any] = {}
    for one in fields(question):  # type: ignore[arg-type]
        described = {name: value for name, value in one.metadata.items() if name != "flag"}
        default = ... if one.default is MISSING else one.default
        parameters[one.name] = (hints[one.name], Field(default, **described))
    model = create_model(question.__name__, __base__=_Parameters, **parameters)

    # a coroutine, which FastAPI starts no thread for
    async def read(given: Any) -> _Question:
        return question(**{name: getattr(given, name) for name in parameters})

    read.__annotations__["given"] = Annotated[model, Query()]
    return read
