"""How questions are written down: a field, its bounds, its description and its flag.

pydantic takes the bounds and the description from the metadata of a dataclass's fields; see
https://docs.pydantic.dev/latest/concepts/dataclasses/.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from bidcascade.bridge import BidcascadeError, InvalidInput

_Class = TypeVar("_Class", bound=type)
_Value = TypeVar("_Value")
_Result = TypeVar("_Result")

_FLAG: Final = "flag"
MOST_ERRORS: Final = 20
"""Fields at fault that an error names; a whole file of the wrong kind needs no longer list."""


class InvalidFields(InvalidInput):
    """A question with several fields at fault.

    Attributes
    ----------
    errors : sequence of BidcascadeError
        One a field, each with the field and its value; one more than are named if there are more.
    """

    def __init__(self, errors: Sequence[BidcascadeError]) -> None:
        super().__init__(f"{errors[0].field}: {errors[0]}")
        self.errors = tuple(errors)


class Of:
    """Bounds of a type, for ``Annotated``.

    Parameters
    ----------
    spelled : str, optional
        Pattern for the description alone: the readers of the game say better what is wrong.
    **bounds
        ``ge``, ``le``, ``max_length``, ``pattern``, ``fail_fast``, as pydantic's core has them.

    Examples
    --------
    >>> from pydantic import TypeAdapter
    >>> described = TypeAdapter(Annotated[str, Of("[NESW]", max_length=9)]).json_schema()
    >>> described["maxLength"], described["pattern"]
    (9, '[NESW]')
    """

    def __init__(self, spelled: str | None = None, **bounds: Any) -> None:
        self.spelled = spelled
        self.bounds = bounds

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Bound the type for pydantic."""
        return {**handler(source), **self.bounds}

    def __get_pydantic_json_schema__(self, schema: Any, handler: Callable[[Any], Any]) -> Any:
        """Describe the spelling."""
        described = handler(schema)
        return described if self.spelled is None else {**described, "pattern": self.spelled}


@dataclass(frozen=True, slots=True)
class Flag:
    """How the command line takes a field.

    Parameters
    ----------
    help : str, optional
        What ``--help`` says of it.
    metavar : str, optional
        Name of its value there.
    name : str, optional
        The flag; else the field's name with two dashes. Without dashes it is an argument by place.
    default : object
        What stands for a flag that is not given: the field's own default (``...``), or another;
        ``None`` lets the command choose.
    many : {"again", "behind", "words"}
        Whether the flag of a list is given again for each value, takes all behind it, or takes the
        words of one text.
    turns_off : bool
        Whether a flag without a value makes the field false.
    bounds : tuple of int, optional
        Least and most, where a command need not keep to those of the service.
    given_alone : object, optional
        The value of a flag that is given without one.
    values : mapping of str to object, optional
        What the words that it takes stand for.
    read : callable, optional
        Makes the field's value of the flag's.
    """

    help: str | None = None
    metavar: str | None = None
    name: str | None = None
    default: object = ...
    many: Literal["again", "behind", "words"] = "again"
    turns_off: bool = False
    bounds: tuple[int, int | None] | None = None
    given_alone: object = None
    values: Mapping[str, object] | None = None
    read: Callable[[Any], Any] | None = None


def question_field(
    *, default: object = MISSING, flag: Flag | None = None, **described: Any
) -> Any:  # what a field specifier returns is of the type of the field
    """Write down a field of a question.

    Parameters
    ----------
    default : object, optional
        None at all makes the field required.
    flag : Flag, optional
        How a command takes it; without one it is asked over REST alone.
    **described
        ``description``, ``examples`` and bounds, by the names of ``pydantic.Field``.
    """
    metadata = {**described, _FLAG: flag}
    if isinstance(default, dict):
        metadata["json_schema_extra"] = {"default": default}
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(question_field,))
def question(cls: _Class) -> _Class:
    """Make a class a question: a frozen dataclass that takes JSON's own types and no other field.

    Examples
    --------
    >>> @question
    ... class Sample:
    ...     limit: int = question_field(default=100, ge=1, description="Boards at most.")
    >>> Sample(limit=3)
    Sample(limit=3)
    """
    # keys and values of a pydantic.ConfigDict
    config = {"strict": True, "extra": "forbid", **getattr(cls, "described", {})}
    cls.__pydantic_config__ = config  # type: ignore[attr-defined]
    made: Any = dataclass(frozen=True)(cls)
    typed: _Class = made
    return typed


def exactly_one(**types: str | list[str]) -> dict[str, Any]:
    """Describe that one of some fields is given, with its JSON type or types, and no other one."""
    ways = [
        {"required": [name], "properties": {name: {"type": kind}}} for name, kind in types.items()
    ]
    return {"json_schema_extra": {"oneOf": ways}}


# --- what a field takes ---------------------------------------------------------------------------


class Taken(NamedTuple):
    """What a field takes.

    Attributes
    ----------
    name : str
    kind : type
        ``str``, ``int``, ``bool``, or ``tuple`` of texts.
    choices : tuple of str
        All values, where they are few.
    bounds : mapping of str to object
        ``ge``, ``le``, ``max_length``, ``pattern``.
    default : object
    flag : Flag or None
    """

    name: str
    kind: type
    choices: tuple[str, ...]
    bounds: Mapping[str, Any]
    default: object
    flag: Flag | None


def taken(kind: type) -> dict[str, Taken]:
    """Fields of a question by name.

    Examples
    --------
    >>> @question
    ... class Sample:
    ...     mode: Literal["first", "all"] = question_field(default="first", description="Which.")
    >>> taken(Sample)["mode"].choices
    ('first', 'all')
    """
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: _taken(one, hints[one.name]) for one in fields(kind)}


def names_at(kind: Any, location: Iterable[str | int]) -> list[str]:
    """Fields of the part of a question that stands at a place of its JSON.

    Parameters
    ----------
    kind : type
        The question.
    location : iterable of str or int
        As errors of pydantic have it: a name of a type may stand between fields.

    Examples
    --------
    >>> @question
    ... class Inner:
    ...     low: int = question_field(default=0, description="Least.")
    >>> @question
    ... class Outer:
    ...     parts: tuple[Inner, ...] = question_field(default=(), description="Parts.")
    >>> names_at(Outer, ()), names_at(Outer, ("parts", 3))
    (['parts'], ['low'])
    """
    parts = _questions_in(kind)
    for step in location:
        inside = [
            hint for one in parts for name, hint in get_type_hints(one).items() if name == step
        ]
        named = [one for one in parts if one.__name__ == step]
        parts = [found for hint in inside for found in _questions_in(hint)] or named or parts
    return [one.name for part in parts for one in fields(part)]


def _questions_in(hint: Any) -> list[Any]:
    """Dataclasses of a type, and of those that it is made of."""
    if is_dataclass(hint):
        return [hint]
    return [found for inner in get_args(hint) for found in _questions_in(inner)]


def _taken(one: "Field[Any]", hint: Any) -> Taken:
    bounds = {
        name: one.metadata[name]
        for name in ("ge", "le", "max_length", "pattern")
        if name in one.metadata
    }
    kind = _without_none(hint)
    if get_origin(kind) is Annotated:
        kind, *extras = get_args(kind)
        for extra in extras:
            bounds |= extra.bounds if isinstance(extra, Of) else {}
    kind = _without_none(kind)
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    kind = str if choices else (get_origin(kind) or kind)
    return Taken(one.name, kind, choices, bounds, one.default, one.metadata.get(_FLAG))


def _without_none(hint: Any) -> Any:
    """Type without ``None`` beside it."""
    if get_origin(hint) in (Union, UnionType):
        left = [one for one in get_args(hint) if one is not type(None)]
        return left[0] if len(left) == 1 else hint
    return hint


def check_values(question: object) -> None:
    """Check what each field holds by itself, for those that pydantic has not checked.

    Raises
    ------
    InvalidInput
        That names the first field at fault.

    Examples
    --------
    >>> @question
    ... class Sample:
    ...     limit: int = question_field(default=100, ge=1, description="Boards at most.")
    >>> check_values(Sample(limit=0))
    Traceback (most recent call last):
        ...
    bidcascade.bridge.errors.InvalidInput: expected a limit from 1, got 0
    """
    for name, one in taken(type(question)).items():
        value = getattr(question, name)
        if value is not None:
            read_field(lambda value, one=one: _check(one, value), value, name)  # type: ignore[misc]


def _check(one: Taken, value: Any) -> None:
    low, high, most = (one.bounds.get(name) for name in ("ge", "le", "max_length"))
    if one.choices and value not in one.choices:
        raise InvalidInput(f"expected a {one.name} of {', '.join(one.choices)}, got {value!r}")
    if (low is not None and value < low) or (high is not None and value > high):
        wanted = f"from {low}" if high is None else f"from {low} to {high:,}"
        raise InvalidInput(f"expected a {one.name} {wanted}, got {value!r}")
    # how long a text may be is a matter of requests: it bounds what they cost
    if one.kind is tuple and most is not None and len(value) > most:
        raise InvalidInput(f"expected at most {most} of {one.name}, got {len(value)}")
    pattern = one.bounds.get("pattern")
    if pattern is not None and not re.search(pattern, value):
        raise InvalidInput(f"expected a {one.name} that fits {pattern}, got {value!r}")


def read_field(parse: Callable[[_Value], _Result], value: _Value, field: str) -> _Result:
    """Read one field of a question with a reader of the packages below.

    Raises
    ------
    BidcascadeError
        The reader's own, which then knows the field and the value.

    Examples
    --------
    >>> from bidcascade.bridge import parse_seat
    >>> read_field(parse_seat, "north", "dealer").letter
    'N'
    >>> try:
    ...     read_field(parse_seat, "Q", "dealer")
    ... except BidcascadeError as error:
    ...     print(error.field, error.value)
    dealer Q
    """
    try:
        return parse(value)
    except BidcascadeError as error:
        error.field, error.value = field, value
        raise


def invalid_value(
    field: str, value: object, reason: str, kind: type[BidcascadeError] = InvalidInput
) -> BidcascadeError:
    """Error of a question that does not hold together, with one field at fault."""
    error = kind(reason)
    error.field, error.value = field, value
    return error


def read_each(
    parse: Callable[[_Value], _Result], values: Sequence[_Value], field: str
) -> list[_Result]:
    """Read the values of a list with :func:`read_field`; an error names the place in the list."""
    return [read_field(parse, one, f"{field}[{place}]") for place, one in enumerate(values)]
