"""Values of terms by look-up of holdings, for the engines that are not the project's own."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bidcascade.kernels import Postfix, terms

HOLDINGS = 1 << 13


@cache
def holding_tables(term: str, profile: str = "gib") -> tuple[tuple[int, NDArray[np.uint8]], ...]:
    """Suits that count for a term, and what each of the 8,192 holdings is worth.

    Raises
    ------
    ValueError
        If the term is not a sum over suits.
    """
    definition = terms(profile)[term]
    if definition.by_lengths is not None or definition.by_context is not None:
        raise ValueError(f"expected a term that is a sum over suits, got {term!r}")
    return tuple(
        (suit, np.array([value(holding) for holding in range(HOLDINGS)], np.uint8))
        for suit, value in enumerate(definition.by_suit)
        if value is not None
    )


def atom(postfix: Postfix) -> tuple[str, str, int]:
    """Term, operator and bound of an expression; a truth value stands for ``!= 0``.

    Raises
    ------
    ValueError
        If it is no comparison of one term with a number.
    """
    if len(postfix) == 1 and isinstance(postfix[0], str):
        return postfix[0], "!=", 0
    if (
        len(postfix) == 3
        and isinstance(postfix[0], str)
        and isinstance(postfix[1], int)
        and postfix[2] in ("<", "<=", "==", "!=", ">=", ">")
    ):
        return postfix[0], str(postfix[2]), postfix[1]
    raise ValueError(f"expected a term compared with a number, got {postfix!r}")
