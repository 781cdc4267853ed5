"""What rules may be made of: the expressions of a table, of a file, or a grid over the terms.

The grid follows the published list of 349 expressions of GIB's announcements: HCP, total points and
lengths with ``>=``, ``<=`` and ``==`` at every number, and the truth values of suits. It is made
from the catalogue of terms and is complete where the published list has gaps.
"""

from collections.abc import Iterable
from typing import Final

from bidcascade.bridge import InvalidInput
from bidcascade.table.language.expressions import parse_expression, to_postfix
from bidcascade.table.language.term_catalogue import FAMILIES
from bidcascade.table.language.vocabulary import Vocabulary

GRID_NUMBERS: Final = ("HCP", "Total_Points", "SL_C", "SL_D", "SL_H", "SL_S")
"""Terms compared with every number."""

GRID_STEMS: Final = (
    "Balanced", "Biddable", "Rebiddable", "Twice_Rebiddable", "Strong_Rebiddable", "Solid",
    "Partial_Stopper", "Likely_Stopper", "Stopper", "Two_Stoppers", "At_Best_Partial_Stopper",
    "At_Best_Likely_Stopper", "At_Best_Stopper",
)  # fmt: skip
"""Families of truth values that stand on their own."""


def expression_grid(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Every comparison of the grid's numbers that some hands pass and some do not, then its truths.

    Examples
    --------
    >>> grid = expression_grid(Vocabulary())
    >>> len(grid), grid[0], grid[-1]
    (433, 'HCP >= 1', 'At_Best_Stopper_S')
    """
    grid = []
    for name in GRID_NUMBERS:
        low, high = vocabulary.range(name)
        grid += [f"{name} >= {number}" for number in range(low + 1, high + 1)]
        grid += [f"{name} <= {number}" for number in range(low, high)]
        grid += [f"{name} == {number}" for number in range(low, high + 1)]
    for stem in GRID_STEMS:
        family = next(one for one in FAMILIES if one.stem == stem)
        grid += family.names
    return tuple(grid)


def read_expression_lines(lines: Iterable[str], source: str, vocabulary: Vocabulary) -> list[str]:
    """Read expressions, one a line; empty lines and those that begin with ``#`` are passed over.

    Raises
    ------
    InvalidInput
        If a line is no expression of the vocabulary; names source and line.

    Examples
    --------
    >>> read_expression_lines(["# points", "HCP>=15"], "file", Vocabulary())
    ['HCP >= 15']
    """
    from bidcascade.bridge import InvalidExpression

    found = []
    for number, line in enumerate(lines, start=1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        try:
            expression = parse_expression(content)
            to_postfix(expression, vocabulary)
        except InvalidExpression as error:
            reason = str(error).partition("\n")[0]
            raise InvalidInput(f"{source}, line {number}: {reason}") from None
        found.append(str(expression))
    return found
