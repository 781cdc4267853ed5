"""Values by number, made when they are first asked for."""

import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any, Final

_LIMIT: Final = 1 << 20


class ValueCache(dict[int, Any]):
    """Values by number, made when first asked for and kept up to a limit.

    Parameters
    ----------
    make : callable
        Gives the value of a number. Of a bound method no more than a weak reference is kept: its
        owner, which keeps these values, would otherwise refer to itself and outlive its last use
        until the garbage collector looks at it.
    """

    def __init__(self, make: Callable[[int], Any]) -> None:
        super().__init__()
        self._make = _weakly(make) if isinstance(make, MethodType) else make

    def __missing__(self, number: int) -> Any:
        value = self._make(number)
        if len(self) < _LIMIT:
            self[number] = value
        return value


def _weakly(method: MethodType) -> Callable[[int], Any]:
    owner = weakref.ref(method.__self__)
    function = method.__func__
    return lambda number: function(owner(), number)
