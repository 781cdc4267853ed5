"""What was said and shown on the way to places of a bidder, each different place worked out once.

Whoever asks holds the bidder's lock, and has the places from it.
"""

from bidcascade.kernels.types import U8

from .bidder import I32, Bidder


def names_along(bidder: Bidder, places: I32) -> list[list[str]]:
    """Name each call on the way to places.

    Parameters
    ----------
    places : int32 [n]
        Different ones, ascending.

    Returns
    -------
    list of list of str
        A text a call: names of the rules that make it there, divided by `` / ``; empty where none
        has a name or makes it.
    """
    store = bidder._store
    found: dict[int, list[str]] = {0: []}
    said: dict[tuple[int, int, int], str] = {}
    for place in map(int, places):
        way = []
        while place not in found:
            way.append(place)
            place = int(store.parent[place])
        names = found[place]
        for here in reversed(way):
            number, call = int(store.chosen[store.parent[here]]), int(store.call[here])
            key = (len(names) & 1, number, call)
            if key not in said:
                said[key] = _names(bidder, *key)
            names = found[here] = [*names, said[key]]
    return [found[int(place)] for place in places]


def _names(bidder: Bidder, side: int, number: int, call: int) -> str:
    program = bidder.sides[side]
    calls = program.entries.array["call"]
    names = (program.name(one) for one in bidder.entries_of_list(number) if calls[one] == call)
    return " / ".join(dict.fromkeys(name for name in names if name))


def shown_at(bidder: Bidder, places: I32) -> U8:
    """Bounds of what each player has shown where auctions stand.

    Returns
    -------
    uint8 [n, 4, 5, 2]
        By position from the dealer: least and most high-card points, clubs, diamonds, hearts and
        spades.
    """
    bidder._need_rows(places)
    store = bidder._store
    hulls: U8 = store.rows["hull"][store.row[places]]
    return hulls
