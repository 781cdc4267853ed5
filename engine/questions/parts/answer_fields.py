"""How answers are written down: a frozen dataclass, its fields described as those of a question.

JSON, OpenAPI, the types of the clients and the tools of assistants all follow from it.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, make_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

_Class = TypeVar("_Class", bound=type)
_Answer = TypeVar("_Answer")

_DIGITS: Final = "digits"
_ALIAS: Final = "alias"
"""The name by which pydantic knows it too."""


class Absent(Enum):
    """The value of a field that an answer leaves out."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


def answer_field(
    *,
    description: str,
    examples: list[Any] | None = None,
    digits: int | None = None,
    json_name: str | None = None,
    default: object = MISSING,
    schema_default: object = None,
) -> Any:  # what a field specifier returns is of the type of the field
    """Write down a field of an answer.

    Parameters
    ----------
    description : str
    examples : list, optional
    digits : int, optional
        Places that its numbers are rounded to in JSON, in lists and mappings too.
    json_name : str, optional
        Its name in JSON, where Python takes no such name.
    default : object, optional
        What it is unless it is given; :data:`ABSENT` leaves it out of JSON.
    schema_default : object
        What a field that is left out stands for.
    """
    metadata: dict[str, Any] = {"description": description, _DIGITS: digits}
    if examples is not None:
        metadata["examples"] = examples
    if json_name is not None:
        metadata[_ALIAS] = json_name
    if default is ABSENT:
        # what is told of it to readers of the schema
        metadata["json_schema_extra"] = {"default": schema_default}
        return field(default_factory=lambda: ABSENT, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(answer_field,))
def answer(cls: _Class) -> _Class:
    """Make a class an answer, or a part of one: a frozen dataclass.

    Its fields stand in JSON in their order.

    Raises
    ------
    TypeError
        For a field without a description.

    Examples
    --------
    >>> @answer
    ... class Sample:
    ...     value: float = answer_field(description="Mean.", digits=2)
    ...     note: str | None = answer_field(description="Absent if none.", default=ABSENT)
    >>> plain(Sample(value=1 / 3))
    {'value': 0.33}
    """
    # keys and values of a pydantic.ConfigDict
    cls.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]
    made: Any = dataclass(frozen=True, kw_only=True)(cls)
    for one in fields(made):
        if "description" not in one.metadata:
            raise TypeError(f"expected a description of {cls.__name__}.{one.name}")
    typed: _Class = made
    return typed


def with_fields(kind: type, *others: type) -> type:
    """Type of an answer with further fields behind its own, for who describes it.

    Parameters
    ----------
    kind, *others : type
        Answers; the fields of the others come last, and the name is that of ``kind``.
    """
    columns = []
    for one in (kind, *others):
        hints = get_type_hints(one, include_extras=True)
        columns += [(each.name, hints[each.name], _copy(each)) for each in fields(one)]
    made = make_dataclass(
        kind.__name__,
        columns,
        frozen=True,
        kw_only=True,
        namespace={"__doc__": kind.__doc__},
    )
    made.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]
    return made


def _copy(one: "Field[Any]") -> Any:
    """Field that another class may have too."""
    if one.default_factory is not MISSING:
        return field(default_factory=one.default_factory, metadata=one.metadata)
    return field(default=one.default, metadata=one.metadata)


# --- plain values ---------------------------------------------------------------------------------


def plain(value: object, digits: int | None = None) -> Any:
    """Answer as plain values for JSON: the one writer of all answers.

    Parameters
    ----------
    value : object
        An answer or another record, which is a dataclass or a named tuple, or what stands in one.
    digits : int, optional
        Places that numbers are rounded to, whole ones too: 0 and -0.0 become 0.0.

    Examples
    --------
    >>> plain({"chances": (1 / 3, 2 / 3)}, digits=4)
    {'chances': [0.3333, 0.6667]}
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)):
        return value if digits is None else round(value, digits) + 0.0
    if isinstance(value, (tuple, list)):
        if hasattr(value, "_fields"):
            return {
                name: plain(one, digits) for name, one in zip(value._fields, value, strict=True)
            }
        return [plain(one, digits) for one in value]
    if isinstance(value, Mapping):
        return {key: plain(one, digits) for key, one in value.items()}
    if is_dataclass(value):
        found = (
            (key, getattr(value, name), places)
            for name, key, places in _written(cast(Any, type(value)))
        )
        return {key: plain(one, places) for key, one, places in found if one is not ABSENT}
    raise TypeError(f"expected an answer or a value of JSON, got {type(value).__name__}")


@cache
def _written(kind: Hashable) -> tuple[tuple[str, str, int | None], ...]:
    """Fields by name, with their names in JSON and the places of their numbers."""
    return tuple(
        (one.name, one.metadata.get(_ALIAS, one.name), one.metadata.get(_DIGITS))
        for one in fields(cast(Any, kind))
    )


# --- answers of what was found --------------------------------------------------------------------


def answer_of(kind: type[_Answer], found: object, /, **own: Any) -> _Answer:
    """Make an answer of what was found: each field of the attribute of its name.

    Parts that are answers themselves are made in the same way.

    Parameters
    ----------
    kind : type
    found : object
        With attributes, or keys, named like the fields.
    **own
        Values of fields that it has not, or has otherwise.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> @answer
    ... class Sample:
    ...     value: float = answer_field(description="Mean.")
    ...     name: str = answer_field(description="Of the line.")
    >>> answer_of(Sample, SimpleNamespace(value=0.5, other=1), name="Stayman")
    Sample(value=0.5, name='Stayman')
    """
    is_mapping = isinstance(found, Mapping)
    values = {}
    for name, convert, optional in _converters(cast(Any, kind)):
        if name in own:
            values[name] = own[name]
        elif is_mapping:
            if not optional or name in found:  # type: ignore[operator]
                values[name] = convert(found[name])  # type: ignore[index]
        elif not optional or hasattr(found, name):
            values[name] = convert(getattr(found, name))
    return kind(**values)


@cache
def _converters(kind: Hashable) -> tuple[tuple[str, Callable[[Any], Any], bool], ...]:
    """Fields with what makes their values, and whether they have a default."""
    of: Any = kind
    hints = get_type_hints(of)
    return tuple(
        (
            one.name,
            _converter(hints[one.name]),
            one.default is not MISSING or one.default_factory is not MISSING,
        )
        for one in fields(of)
    )


def _same(value: Any) -> Any:
    return value


def _converter(hint: Any) -> Callable[[Any], Any]:
    """Make a value of a type of what was found."""
    if is_dataclass(hint):
        kind: Any = hint
        return lambda value: value if isinstance(value, kind) else answer_of(kind, value)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _converter(inner[0])
    if origin in (Union, UnionType):
        converted = [make for make in map(_converter, inner) if make is not _same]
        if len(converted) != 1:
            return _same
        (some,) = converted
        return lambda value: None if value is None else some(value)
    if origin is tuple and inner[1:] == (...,):
        each = _converter(inner[0])
        return _same if each is _same else lambda values: _all(each, values)
    if origin is dict:
        of = _converter(inner[1])
        if of is not _same:
            return lambda values: {key: of(one) for key, one in values.items()}
    return _same


def _all(make: Callable[[Any], Any], values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(make, values))
