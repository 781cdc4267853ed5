"""The engine in the browser and the core in Python find the same places, calls and auctions."""

import hashlib
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import settings

from bidcascade.kernels.core import rows
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.language.text_cache import rows_of_tree
from bidcascade.systems.system import System
from tests.page.engine.support_engine import as_hex, as_holdings
from tests.support.deals import mixed_deals
from tests.support.systems import one_system

pytestmark = pytest.mark.slow

DEALS = 100 * settings.default.max_examples // 100
"""Deals of each system; with the profile ``thorough`` they are 2,000, at some 8,000 places."""

FIND = """async (load, [rows, deals]) => {
    const { systemOfRows } = await load("language/rows");
    const { Rules } = await load("places/places");
    const { Bidder } = await load("bidding/bidder");
    const bidder = new Bidder(new Rules(systemOfRows(rows)));
    const auctions = deals.map(([hands, dealer, sides]) => {
        const { calls, entry } = bidder.bid(hands, dealer, sides);
        return [calls, entry?.line.number ?? -1];
    });
    const hex = (bytes) => Array.from(bytes, one => one.toString(16).padStart(2, "0")).join("");
    const inCells = (cells) => hex(new Uint8Array(cells.buffer)).slice(0, 560 * 38 / 4);
    const places = new Map();
    for (const [calls] of auctions) {
        for (let depth = 0; depth < calls.length; depth += 1) {
            const before = calls.slice(0, depth);
            if (places.has(before.join())) continue;
            const { entries, forced, agreed, gameForced, cells } = bidder.place(before);
            const told = JSON.stringify([
                entries.map(one => [
                    one.call, one.rank, one.line.number, Object.entries(one.bindings).sort(),
                    one.criteria.map(String),
                ]),
                forced, agreed, gameForced, cells.map(inCells),
            ]);
            const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(told));
            places.set(before.join(), hex(new Uint8Array(bytes)));
        }
    }
    return [auctions, [...places]];
}"""


def told(bidder: Bidder, number: int) -> str:
    place, _ = bidder.place_with_numbers(number)
    row = bidder.row(number)
    entries = [
        [
            one.call,
            one.rank,
            one.place,
            sorted(one.bindings.items()),
            list(one.constraint.texts()),
        ]
        for one in place.entries
    ]
    game_forced = [one != 0 for one in row["game_forced"].tolist()]
    found = [
        entries,
        place.forced,
        row["agreed"].tolist(),
        game_forced,
        [as_hex(bidder.cells(int(known))) for known in row["known"]],
    ]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", one_system("sayc"))
def test_places_and_auctions_are_those_of_the_core(engine, name):
    system, deals = System.open(name), mixed_deals(DEALS, 17)
    bidder = Bidder(system.rules)
    bids = bidder.bid(deals)
    ends = bidder.endings(bids.place)
    program = bidder.sides[0]
    auctions = [
        [
            ends.calls[start:stop].tolist(),
            -1 if entry < 0 else program.entry(int(entry), 0).place,
        ]
        for (start, stop), entry in zip(pairwise(ends.offsets.tolist()), bids.entry, strict=True)
    ]
    given = [
        [
            [as_holdings(int(hand)) for hand in deals.hands[:, deal]],
            int(deals.dealer[deal]),
            int(deals.vulnerability[deal]),
        ]
        for deal in range(DEALS)
    ]
    found, places = engine(FIND, [rows_of_tree(system.text), given])
    assert found == auctions
    keys = {key for calls, _ in auctions for key in _beginnings(calls)}
    assert {key for key, _ in places} == keys
    for key, digest in places:
        calls = tuple(map(int, key.split(","))) if key else ()
        number = bidder.reach(calls)
        assert bidder.store.list[number] != rows.UNKNOWN
        assert digest == told(bidder, number), key
    assert len(places) > 3 * np.sqrt(DEALS)


def _beginnings(calls):
    return [",".join(map(str, calls[:depth])) for depth in range(len(calls))]
