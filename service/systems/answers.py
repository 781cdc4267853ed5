"""What a system says of a place or an auction, as the REST API answers it."""

from typing import Any, Final

from bidcascade.bridge import PASS, Auction, format_call
from bidcascade.service.engine import Engine
from bidcascade.systems.describing import agreements_of, description_of
from bidcascade.systems.expansion import PlaceEntry
from bidcascade.systems.explanation import AuctionExplanation
from bidcascade.table import format_expression

_PASS: Final[dict[str, Any]] = {
    "name": "Pass", "description": "", "criteria": [], "rank": None, "tags": [], "where": "",
    "source_index": None,
    "count": None,
    "source": "",
}  # fmt: skip


def next_of_system(engine: Engine, calls: tuple[int, ...]) -> dict[str, Any]:
    """Answer what may follow an auction, with the numbers of the compiled table where it has them.

    Where no line of the system passes, a pass stands behind all others: it is made if none holds.
    """
    table = engine.table
    auction = Auction.of(calls)
    parent = table.find(calls) if calls else None
    answer: dict[str, Any] = {
        "auction": [format_call(call) for call in calls],
        "entry": parent,
        "completed": auction.is_complete,
        "forced": False,
        "entries": [],
        "table": engine.table_info(),
    }
    place = None if auction.is_complete else engine.expand(calls)
    if place is None:
        return answer
    numbers: dict[int, int] = {}
    if parent is not None or not calls:
        numbers = {int(table.call[child]): child for child in table.children(parent)}
    variants: dict[int, list[dict[str, Any]]] = {}
    for entry in place.entries:
        variants.setdefault(entry.call, []).append(_variant(entry))
    variants.setdefault(PASS, [_PASS])
    answer["forced"] = place.forced
    answer["entries"] = [
        {
            "call": format_call(call),
            "entry": numbers.get(call),
            "completed": auction.add(call).is_complete,
            "can_complete": True,
            "inserted": False,
            "next": int(table.child_count[numbers[call]]) if call in numbers else 0,
            "variants": found,
        }
        for call, found in variants.items()
    ]
    return answer


def _variant(entry: PlaceEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "description": description_of(entry),
        "criteria": [format_expression(one) for one in entry.criteria],
        "rank": entry.rank,
        "tags": list(agreements_of(entry)),
        "where": str(entry.where),
        "source_index": None,
        "count": None,
        "source": "",
    }


def explained_auction(explained: AuctionExplanation) -> dict[str, Any]:
    """Write an explanation with its calls in a list, as the API writes auctions."""
    return {**explained.to_dict(), "auction": explained.auction.split()}
