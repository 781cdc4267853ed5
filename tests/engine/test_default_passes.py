"""``defaults``: passes of an auction that no entry made, as many as ``bid`` says of its calls."""

import pytest

from bidcascade.bridge import format_calls
from bidcascade.engine import Engine
from bidcascade.loaders import HAND_COLUMNS, random_deals
from bidcascade.systems.system import System
from bidcascade.table import build_table
from tests.support.systems import SMALL_SYSTEM

ROWS = [
    {"prior": "", "call": "1N", "criteria": ["14 <= HCP <= 17"]},
    {"prior": "", "call": "1C", "criteria": ["HCP >= 12"]},
    {"prior": "1N", "call": "P", "criteria": ["HCP <= 12"]},
    {"prior": "1N P", "call": "P", "criteria": ["HCP <= 7"]},
    {"prior": "1N P", "call": "3N", "criteria": ["HCP >= 10"]},
    {"prior": "", "call": "P", "criteria": ["HCP <= 10"]},
]

HELD = {
    "table": lambda: build_table(ROWS)[0],
    "small": lambda: System.parse(SMALL_SYSTEM),
}


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_passes_for_want_of_an_entry_are_counted(held, backend):
    engine = Engine(HELD[held](), backend)
    deals = random_deals(60, seed=5)
    bid = engine.auctions(deals, mode="first")
    counted = bid["defaults"].to_list()
    for row, deal in zip(bid.iter_rows(named=True), deals.iter_rows(named=True), strict=True):
        calls, first = row["auction"], "NESW".index(deal["dealer"])
        made_by_default = sum(
            engine.bid(
                deal[HAND_COLUMNS[(first + number) % 4]],
                calls[:number],
                dealer=deal["dealer"],
                vulnerability=deal["vulnerability"],
            ).default_pass
            for number in range(len(calls))
        )
        assert row["defaults"] == made_by_default, format_calls(calls)
    assert any(counted)
    # on few deals and on many it is the same
    few = (engine.auctions(deals[deal], mode="first") for deal in range(9))
    assert [one["defaults"].item() for one in few] == counted[:9]
