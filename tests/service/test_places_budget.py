"""The memory of places: one variable for commands and the service, and longest auctions there."""

import gc
import json
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest

from benchmarks.service.requests import deal_objects
from bidcascade.bridge import InvalidInput
from bidcascade.engine.engine import Engine
from bidcascade.engine.settings import Settings, read_settings
from bidcascade.kernels.machine import memory
from bidcascade.service.api.app import create_app
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main
from bidcascade.systems.auctions import bidder as bidder_module
from bidcascade.systems.auctions import budget
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.auctions.budget import (
    BIDDER_BUDGET,
    BUDGET_VARIABLE,
    SharedBudget,
    places_budget,
    shared_budget,
)
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.system import System
from tests.support.cli import environment
from tests.support.deals import mixed_deals
from tests.support.service import loaded_app, post
from tests.support.systems import LONGEST, SMALL_SYSTEM

TEXT = """opening:
  1NT = Strong notrump: 15-17 points, balanced
general:
  Pass = Enough: at most 9 points
  Double = Doubled: 10+ points
"""
HAND = "AK52.AQ3.976.KJ2"


@pytest.fixture
def tiny(tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "tiny.bidding"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("written", ["lots", "-1", "1023", "1.5e9"])
def test_a_wrong_budget_is_told(written, tiny, monkeypatch, capsys):
    monkeypatch.setenv(BUDGET_VARIABLE, written)
    told = f"expected 0 or a whole number of bytes from 1024, got {written!r}"
    with pytest.raises(InvalidInput) as caught:
        read_settings()
    assert str(caught.value) == f"setting 'places_bytes' ({BUDGET_VARIABLE}): {told}"
    assert main(["system", "check", tiny, "--deals", "10"]) == BAD_INPUT
    assert f"{BUDGET_VARIABLE}: {told}" in capsys.readouterr().err


def test_the_budget_reaches_bidders(monkeypatch):
    monkeypatch.delenv(BUDGET_VARIABLE, raising=False)
    by_default = places_budget()
    assert Settings().places_bytes == 0
    assert min(BIDDER_BUDGET, shared_budget()) <= by_default <= shared_budget()
    for written, expected in (("", by_default), ("0", by_default), ("70000", 70_000)):
        monkeypatch.setenv(BUDGET_VARIABLE, written)
        assert Settings().places_bytes == int(written or 0)
        assert System.parse(TEXT).bidder().budget == expected
    create_app(read_settings({"places_bytes": "80000", "backend": "reference"}))
    assert os.environ[BUDGET_VARIABLE] == "80000", "processes of jobs are told"
    assert System.parse(TEXT).bidder().budget == 80_000


def test_a_call_after_317_calls(tiny, capsys):
    assert len(LONGEST.split()) == 317
    answer = Engine.open(tiny, "cpu").bid(HAND, LONGEST)
    assert (answer.call, answer.default_pass) == ("P", True)
    assert main(["bid", HAND, "--auction", LONGEST, "--table", tiny, "--json"]) == DONE
    assert json.loads(capsys.readouterr().out)["call"] == "P"
    assert main(["bid", HAND, "--auction", f"{LONGEST} P P", "--table", tiny]) == BAD_ARGUMENTS
    assert "expected an auction that goes on" in capsys.readouterr().err
    app = loaded_app(table=tiny, backend="cpu")
    asked = {"hand": HAND, "auction": LONGEST.split()}
    assert post(app, "/v1/bid", asked).json()["call"] == "P"
    asked["auction"] = [*LONGEST.split(), "P", "P"]
    answer = post(app, "/v1/bid", asked)
    assert answer.status_code == 422
    assert "expected an auction that goes on" in answer.json()["detail"]


def test_a_check_ends_where_places_take_more_than_the_budget(monkeypatch):
    """It walks through places and must forget none of them meanwhile."""
    whole = check_system(System.parse(SMALL_SYSTEM), deals=50, seed=1)
    monkeypatch.setenv(BUDGET_VARIABLE, "1024")
    assert check_system(System.parse(SMALL_SYSTEM), deals=50, seed=1) == whole


@pytest.mark.parametrize(
    ("memory_bytes", "expected", "of_one"),
    [
        (None, 512 << 20, 384 << 20), (64 << 30, 8 << 30, 1 << 30), (8 << 30, 1 << 30, 384 << 20),
        (2 << 30, 256 << 20, 256 << 20), (128 << 20, 32 << 20, 32 << 20),
    ],
)  # fmt: skip
def test_the_default_is_a_share_of_the_memory(memory_bytes, expected, of_one, monkeypatch):
    monkeypatch.delenv(BUDGET_VARIABLE, raising=False)
    monkeypatch.setattr(budget, "memory_bytes", lambda: memory_bytes)
    budget._default.cache_clear()
    try:
        assert shared_budget() == expected
        assert places_budget() == of_one
    finally:
        budget._default.cache_clear()


def test_the_memory_of_a_control_group(tmp_path, monkeypatch):
    groups, own, machine = tmp_path / "groups", tmp_path / "own", tmp_path / "meminfo"
    monkeypatch.setattr(memory, "_GROUPS", groups)
    monkeypatch.setattr(memory, "_OWN_GROUPS", own)
    monkeypatch.setattr(memory, "_MACHINE", machine)
    assert memory.memory_bytes() is None
    machine.write_text("MemFree: 1 kB\nMemTotal:       4096 kB\n")
    assert memory.memory_bytes() == 4096 << 10
    (groups / "outer" / "inner").mkdir(parents=True)
    own.write_text("0::/outer/inner\n")
    (groups / "outer" / "inner" / "memory.max").write_text("max\n")
    assert memory.memory_bytes() == 4096 << 10
    (groups / "outer" / "memory.max").write_text("3000000\n")
    assert memory.memory_bytes() == 3_000_000
    # in a container ours is the root
    own.write_text("0::/unseen\n")
    (groups / "memory.max").write_text("2000000\n")
    assert memory.memory_bytes() == 2_000_000
    # the older version of control groups
    own.write_text("5:cpu,memory:/here\n4:pids:/\n")
    (groups / "memory" / "here").mkdir(parents=True)
    (groups / "memory" / "here" / "memory.limit_in_bytes").write_text("1000000\n")
    assert memory.memory_bytes() == 1_000_000


class Holding:
    """Somebody who takes memory."""

    def __init__(self, shared, held):
        self.held_bytes = held
        self.lock = threading.Lock()
        shared.add(self)

    @property
    def spare_bytes(self):
        return self.held_bytes

    def give_back(self):
        with self.lock:
            self.held_bytes //= 2


def test_who_takes_most_gives_back():
    shared = SharedBudget(lambda: 100)
    small, large = Holding(shared, 20), Holding(shared, 60)
    shared.enforce(small)
    assert (small.held_bytes, large.held_bytes) == (20, 60)
    large.held_bytes = 90
    shared.enforce(large)
    assert (small.held_bytes, large.held_bytes) == (20, 45)
    # one who is busy is waited for, by nobody who asks and only once
    large.held_bytes = 90
    with large.lock:
        shared.enforce(small)
        shared.enforce(small)
        assert large.held_bytes == 90
    for thread in threading.enumerate():
        if thread.name == "bidder-memory":
            thread.join(30)
    assert (small.held_bytes, large.held_bytes) == (20, 45)
    # who is gone is not counted
    del large
    small.held_bytes = 90
    shared.enforce(small)
    assert small.held_bytes == 90


def test_bidders_keep_to_the_memory_that_they_share(monkeypatch):
    """What is bid stays the same, whatever they drop meanwhile."""
    monkeypatch.setattr(bidder_module, "_LOOK_SETS", 16)
    rules = [System.open(name).rules for name in ("sayc", "acol")]
    expected, many = [], [mixed_deals(150, seed) for seed in range(8)]

    def bid_all(shared):
        """Auctions of all deals by two bidders in turn, and these."""
        monkeypatch.setattr(bidder_module, "SHARED_BUDGET", shared)
        bidders = [Bidder(one) for one in rules]
        auctions = []
        for deals in many:
            for one in bidders:
                auctions.append([one.auction_of(place) for place in one.bid(deals).place])
            for thread in threading.enumerate():
                if thread.name == "bidder-memory":
                    thread.join(30)
        return auctions, bidders

    expected, alone = bid_all(SharedBudget(lambda: 1 << 40))
    known = sum(one.bytes for one in alone)
    learned = sum(one.held_bytes for one in alone) - known
    assert known > 20 << 20
    assert learned > 10 << 20
    most = learned + known // 2
    found, bidders = bid_all(SharedBudget(lambda: most))
    assert found == expected
    # what the last question reached comes on top
    assert sum(one.held_bytes for one in bidders) < most + known // 4


HELD = """
import gc, re
from pathlib import Path
from bidcascade.loaders import random_deals
from bidcascade.engine.engine import Engine

def taken():
    gc.collect()
    status = Path("/proc/self/status").read_text("ascii")
    return int(re.search(r"RssAnon:\\s+(\\d+)", status)[1]) << 10

engine = Engine.open("sayc", "cpu")
engine.auctions(random_deals(1, seed=1), mode="all")
places = engine.bidder.places
taken_before, held_before = taken(), places.held_bytes
for seed in range(20):
    engine.auctions(random_deals(8, seed=seed), mode="all")
print(taken() - taken_before, places.held_bytes - held_before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_what_a_bidder_says_it_holds_is_what_the_process_took():
    """Sets of cells were there twice, and the budget knew of one."""
    run = subprocess.run(
        [sys.executable, "-c", HELD], capture_output=True, text=True, check=True, env=environment()
    )
    taken, held = map(int, run.stdout.split())
    assert held > 60 << 20
    assert 0.8 < taken / held < 1.25


def test_a_system_that_has_learned_too_much_begins_anew(monkeypatch):
    app = loaded_app(table="sayc", extra_tables="acol", backend="cpu")
    tables = app.state.own.tables
    asked = {"deals": deal_objects(40, seed=5), "mode": "all"}
    before = post(app, "/v1/auctions", {"table": "acol", **asked}).json()
    tables.is_warm = True
    assert tables.forget_learned() is None, "there is memory enough"
    learned = {one.name: one.engine.bidder.learned_bytes for one in tables.all()}
    assert learned["acol"] > learned["sayc"]
    monkeypatch.setenv(BUDGET_VARIABLE, str(sum(learned.values())))
    old = weakref.ref(tables.get("acol").engine.bidder.places)
    gc.collect()
    gc.freeze()
    try:
        assert tables.forget_learned() == "acol"
        assert old() is None, "it goes without a collection"
    finally:
        gc.unfreeze()
    assert tables.get("acol").engine.bidder.learned_bytes < learned["acol"] / 2
    assert tables.forget_learned() is None, "nobody has learned much since"
    assert post(app, "/v1/auctions", {"table": "acol", **asked}).json() == before
