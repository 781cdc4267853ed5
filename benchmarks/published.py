"""349 expressions like those of the published list, made by rule; and a plan without entries."""

import numpy as np

from bidcascade.kernels import Plan, Postfix, build_plan

_SUIT_QUALITIES = (
    "Biddable", "Rebiddable", "Twice_Rebiddable", "Strong_Rebiddable", "Solid",
    "Partial_Stopper", "Likely_Stopper", "Stopper", "Two_Stoppers",
    "At_Best_Partial_Stopper", "At_Best_Stopper",
)  # fmt: skip

# term: highest value compared with ==, from 0 on; with <= and with >=, from 1 on
_BOUNDS = {"HCP": (33, 35, 35), "Total_Points": (32, 33, 35)}
_LENGTH_BOUNDS = (7, 7, 9)


def published_expressions() -> list[Postfix]:
    """104 on HCP, 101 on total points, 24 on each suit's length, 44 suit qualities, 4 queens."""
    bounds = {**_BOUNDS, **{f"SL_{suit}": _LENGTH_BOUNDS for suit in "CDHS"}}
    expressions: list[Postfix] = []
    for term, (equal, at_most, at_least) in bounds.items():
        expressions += [(term, value, "==") for value in range(equal + 1)]
        expressions += [(term, value, "<=") for value in range(1, at_most + 1)]
        expressions += [(term, value, ">=") for value in range(1, at_least + 1)]
    expressions += [(f"{quality}_{suit}",) for quality in _SUIT_QUALITIES for suit in "CDHS"]
    expressions += [(f"C_{suit}Q",) for suit in "CDHS"]
    return expressions


def expression_plan() -> Plan:
    """Plan of a table without entries that has the published expressions."""
    none = np.zeros(0, np.uint32)
    return build_plan(
        expressions=published_expressions(), criteria=[], variant_sets=[[]], first_child=none,
        child_count=none.astype(np.uint16), call=none.astype(np.uint8),
        flags=none.astype(np.uint8), variant_set=none, root_count=0,
    )  # fmt: skip
