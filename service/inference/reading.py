"""Fields of requests read by the parsers of the packages below; what is wrong names the field."""

from collections.abc import Callable
from typing import TypeVar

from bidcascade.bridge import BidcascadeError
from bidcascade.service.problems import problem_of

_Value = TypeVar("_Value")
_Result = TypeVar("_Result")


def read_field(parse: Callable[[_Value], _Result], value: _Value, field: str) -> _Result:
    """Read one field.

    Raises
    ------
    Problem
        422 that names the field.

    Examples
    --------
    >>> from bidcascade.bridge import parse_seat
    >>> read_field(parse_seat, "w", "dealer").letter
    'W'
    """
    try:
        return parse(value)
    except BidcascadeError as error:
        raise problem_of(error, field=field, value=value) from None
