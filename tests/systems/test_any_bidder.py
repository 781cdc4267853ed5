"""A table, a system and a system with overlays, asked in one way; what they are is theirs alone."""

import gc
import inspect
import json
import threading
import weakref

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    Cancelled,
    InvalidInput,
    InvalidTable,
    NoSystem,
    UnknownAuction,
    format_calls,
    parse_calls,
)
from bidcascade.engine.answers import CountFrames, EntryColumns, FrameWriter
from bidcascade.kernels import DealArrays
from bidcascade.systems import open_system
from bidcascade.systems.any_bidder import bidder_of
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.bidding.bidder_protocol import AnyBidder, Query
from bidcascade.systems.bidding.overlaid_bidder import OverlaidBidder
from bidcascade.systems.bidding.system_bidder import SystemBidder
from bidcascade.systems.bidding.table_bidder import TableBidder
from bidcascade.systems.book import system_topics, topic_cache
from bidcascade.systems.book.system_book import book_of
from bidcascade.systems.book.system_topics import topics_of_system
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import Sample, compile_system
from bidcascade.systems.tables.overlaid_system import OverlaidSystem
from bidcascade.table import build_table
from bidcascade.table.overlays.applying import apply_overlays
from bidcascade.table.real_calls import CallLists
from tests.support.deals import mixed_deals
from tests.support.examples import examples, some_in_check
from tests.support.systems import (
    SMALL_SYSTEM,
    choices_call_by_call,
    compile_few,
    definition_of,
)
from tests.support.tables import made_up_rows

RULES = [
    {"rule": "replace", "at": "1N P 2C", "criteria": ["HCP >= 12"]},
    {"rule": "add", "at": "2D", "name": "Weak", "criteria": ["SL_D >= 6"], "rank": 0},
]
KINDS = ("table", "system", "overlaid")


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """What bidders are made of, by kind, each made anew."""
    file = tmp_path_factory.mktemp("rules") / "rules.jsonl"
    file.write_text("".join(json.dumps(rule) + "\n" for rule in RULES))
    rows = compile_system(System.parse(SMALL_SYSTEM), deals=300, least=2)

    def make(kind):
        system = System.parse(SMALL_SYSTEM, name="small")
        return {
            "table": lambda: build_table(rows.rows(), undescribed="allow")[0],
            "system": lambda: system,
            "overlaid": lambda: OverlaidSystem(system, apply_overlays(rows, [file])),
        }[kind]()

    return make


@pytest.mark.parametrize("made", [TableBidder, SystemBidder, OverlaidBidder])
def test_all_have_what_is_asked(made):
    for name, member in inspect.getmembers(AnyBidder):
        if name.startswith("_"):
            continue
        assert hasattr(made, name) or name == "table", name
        if inspect.isfunction(member):
            asked, given = (
                inspect.signature(one).parameters for one in (member, getattr(made, name))
            )
            assert list(asked) == list(given), name
            assert [one.kind for one in asked.values()] == [one.kind for one in given.values()]


def auctions_of(bidder, deals):
    query = Query("first")
    writer = FrameWriter(EntryColumns(bidder), query)
    return [tuple(one) for one in bidder.first(deals, writer)["auction"].to_list()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_to_bid_makes_the_same_calls(held, kind):
    bidder, deals = bidder_of(held(kind), "cpu"), mixed_deals(40, 3)
    auctions = auctions_of(bidder, deals)
    found, which = bidder.bid_from((), deals)
    assert [found[number] for number in which.tolist()] == auctions
    lists = CallLists.of(pl.Series(auctions, dtype=pl.List(pl.UInt8)))
    depth = np.concatenate([np.arange(len(one)) for one in auctions])
    along = bidder.calls_along(deals, lists, depth, meanings=True)
    assert (along.allowed >> lists.calls.astype(np.uint64) & np.uint64(1)).all()
    assert along.names is not None
    assert along.names.list.len().to_list() == depth.tolist()
    for deal, calls in enumerate(auctions):
        dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
        for number, call in enumerate(calls):
            hand = int(deals.hands[(dealer + number) % 4, deal])
            answer = bidder.call(hand, calls[:number], "NESW"[dealer], _SIDES[sides])
            assert answer.call == format_calls([call])
    notes = bidder.notes(deals, auctions)
    assert [len(one) for one in notes] == list(map(len, auctions))
    said = {text for texts in notes for text in texts}
    assert any("Five-card major" in text for text in said)


@pytest.mark.parametrize("kind", KINDS)
def test_a_renewed_bidder_makes_the_same_calls(held, kind):
    bidder, deals = bidder_of(held(kind), "cpu"), mixed_deals(40, 3)
    before = bidder.learned_bytes
    auctions = auctions_of(bidder, deals)
    assert bidder.learned_bytes > before or kind == "table"
    renewed = bidder.renewed()
    assert renewed.learned_bytes <= before
    assert renewed.digest == bidder.digest
    assert auctions_of(renewed, deals) == auctions


_SIDES = ("None", "NS", "EW", "Both")


@pytest.mark.parametrize("kind", KINDS)
def test_counts_and_members_agree_with_what_is_listed(held, kind):
    bidder, deals = bidder_of(held(kind), "cpu"), mixed_deals(60, 4)
    columns = EntryColumns(bidder)
    query = Query("all", max_depth=2, limit=1 << 20)
    listed = pl.concat(list(bidder.all(deals, query, FrameWriter(columns, query))))
    listed = listed.filter(pl.col("calls").str.count_matches(" ") < 2)
    counted = bidder.counts(deals, 0.0, 2, CountFrames(columns))
    counted = counted.filter(pl.col("calls").str.count_matches(" ") < 2)
    expected = listed.group_by("calls").len("count").sort("calls")
    assert counted.select("calls", pl.col("count").cast(pl.UInt32)).sort("calls").equals(expected)
    members = bidder.members(deals, expected["calls"].to_list())
    assert [format_calls(calls) for calls, _ in members] == expected["calls"].to_list()
    assert [int(column.sum()) for _, column in members] == expected["count"].to_list()


def test_what_is_of_which(held):
    table, system, overlaid = (bidder_of(held(kind), "cpu") for kind in KINDS)
    assert (table.title, system.title, overlaid.title) == (None, "Small natural", "Small natural")
    assert len({one.digest for one in (table, system, overlaid)}) == 3
    assert system.digest == bidder_of(held("system")).digest == system.system.digest
    assert [len(one.overlays) for one in (table, system, overlaid)] == [0, 0, 1]
    assert overlaid.overlay_notes[0] == "2 rules, 1 entry added, 1 changed, 0 removed"
    assert table.overlay_notes == system.overlay_notes == ()
    assert system.numbers()["entries"] is None
    assert overlaid.numbers()["entries"] == len(overlaid.table)
    assert system.plain_system is system.system
    for asked in (
        lambda: table.system,
        lambda: table.plain_system,
        lambda: table.explain("1N"),
        lambda: overlaid.plain_system,
    ):
        with pytest.raises(NoSystem, match="expected a system"):
            asked()
    assert overlaid.explain("1N").calls == system.explain("1N").calls


def test_where_overlays_changed_something_the_table_answers(held):
    system, overlaid = (bidder_of(held(kind), "cpu") for kind in ("system", "overlaid"))
    hand = "K2.Q32.KJ9876.32"
    assert [one.call(hand, "", "N", "None").call for one in (system, overlaid)] == ["P", "2D"]
    changed, same = tuple(parse_calls("1N P")), tuple(parse_calls("1N P 2C P"))
    assert (overlaid.next(changed).forced, overlaid.next(same).forced) == (None, True)
    without = [
        [(one.call, one.variants) for one in each.next(same).entries] for each in (system, overlaid)
    ]
    assert without[0] == without[1]
    # numbers are there, since the table is
    entry = overlaid.table.find((*changed, 8))
    assert overlaid.next(same).entry == overlaid.entry_of(same)
    assert (overlaid.entry_of((*changed, 8)), overlaid.auction_of(entry)) == (entry, (*changed, 8))
    behind = {one.call: one.next for one in overlaid.next(()).entries}
    assert behind["1N"] == len(overlaid.next(tuple(parse_calls("1N"))).entries)
    assert {topic.name for topic in overlaid.topics()} >= {"Weak", "Stayman"}


def test_entries_and_auctions_that_are_none(held):
    table, system, overlaid = (bidder_of(held(kind), "cpu") for kind in KINDS)
    for bidder in (table, overlaid):
        assert bidder.auction_of(0) == bidder.table.auction_of(0)
        with pytest.raises(InvalidTable, match="expected an entry below"):
            bidder.auction_of(1 << 30)
    with pytest.raises(InvalidTable, match="expected an auction of a system, got the number 0"):
        system.auction_of(0)
    with pytest.raises(UnknownAuction, match="expected an auction of the table, got '7N X'"):
        table.next(tuple(parse_calls("7N X")))
    assert system.next(tuple(parse_calls("7N X"))).entries
    with pytest.raises(InvalidInput, match="a system opened by its name or path"):
        system.save(None)


def test_changes_are_told(held, tmp_path):
    table, system, overlaid = (bidder_of(held(kind), "cpu") for kind in KINDS)
    assert system.changes_since(bidder_of(System.parse("opening:\n  1C = Any: any hand"))) == (
        "its text has changed"
    )
    file = tmp_path / "other.jsonl"
    file.write_text('{"rule": "replace", "at": "2C", "criteria": ["HCP >= 20"]}\n')
    other = apply_overlays(table.table, [file])
    changed = bidder_of(other).changes_since(table)
    assert changed.endswith(f" of {len(other):,} entries hold for other hands")
    both = OverlaidSystem(system.system, apply_overlays(overlaid.table, [file]))
    assert bidder_of(both).changes_since(overlaid).endswith("entries hold for other hands")


def test_topics_are_kept_and_depend_on_nothing_that_was_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    made = []

    def look(places, **options):
        made.append(places)
        return topics_of_system(places, **options)

    monkeypatch.setattr(topic_cache, "topics_of_system", look)
    first = bidder_of(System.parse(SMALL_SYSTEM))
    first.places.reach(parse_calls("1N P 2C P"))
    found = first.topics()
    done, of = first.topics_progress
    assert 0 < done < of
    again = bidder_of(System.parse(SMALL_SYSTEM))
    assert again.topics() == found
    assert len(made) == 1, "read, and not looked for again"
    assert made[0] is not first.places
    (place,) = (tmp_path / topic_cache.FOLDER).iterdir()
    place.write_bytes(place.read_bytes()[:-1])
    assert bidder_of(System.parse(SMALL_SYSTEM)).topics() == found
    bidder_of(System.parse(SMALL_SYSTEM + "  3C = Long clubs: 7+ clubs\n")).topics()
    assert len(made) == 3


def test_examples_are_the_first_deals_whatever_was_bid_before(monkeypatch):
    monkeypatch.setattr(system_topics, "MOST_DEALS", 1000)

    def used() -> Bidder:
        """One whose places and entries have other numbers."""
        bidder = System.parse(SMALL_SYSTEM).bidder()
        with bidder.lock:
            assert [*bidder.steps(Sample.random(300, seed=9).deals)]
        return bidder

    fresh = System.parse(SMALL_SYSTEM)
    assert topics_of_system(used(), deals=500) == topics_of_system(fresh.bidder(), deals=500)
    book = book_of(open_system("acol"), deals=200)
    make = System.bidder

    def used_before(*systems: System, **options: bool) -> Bidder:
        found = make(*systems, **options)
        with found.lock:
            assert [*found.steps(Sample.random(300, seed=9).deals)]
        return found

    monkeypatch.setattr(System, "bidder", used_before)
    again = book_of(open_system("acol"), deals=200)
    assert (again.places, again.uses) == (book.places, book.uses)


def test_a_search_for_topics_can_be_ended(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    bidder, given_up = bidder_of(System.parse(SMALL_SYSTEM)), threading.Event()
    given_up.set()
    with pytest.raises(Cancelled):
        bidder.topics(cancel=given_up)
    assert not (tmp_path / topic_cache.FOLDER).exists()
    assert bidder.topics()


def test_topics_of_a_system_are_those_of_its_table():
    system = System.parse(SMALL_SYSTEM)
    table = compile_system(system, deals=3000, seed=1)
    of_rows = {one.name: one for one in bidder_of(table).topics()}
    of_system = {one.name: one for one in topics_of_system(system.bidder(), deals=3000)}
    # a pass by default has a row in a table, and no line in a system
    assert of_system.keys() == of_rows.keys() - {"Pass"}
    for name, topic in of_system.items():
        assert topic.calls == of_rows[name].calls
        assert topic.places
    first = topics_of_system(system.bidder(), deals=3000, most_places=2)
    assert all(len(one.places) <= 2 for one in first)
    assert list(of_system) == sorted(of_system)


def test_places_of_a_topic_are_those_where_it_is_chosen():
    """Over one heart every hand passes the jump by: nobody can practise it there."""
    system = System.parse(
        "opening:\n  1H = Hearts: 12-21 points, 5+ hearts\n  1S = Spades: 12-21 points, 5+ spades\n"
        "  4S = Never: 12-21 points, 5+ spades\n"
        "after 1H:\n  2H = Single: 0+ points\n  3H = Jump: 10+ points; #jump\n"
        "after 1S:\n  3S = Jump: 10+ points; #jump\n"
    )
    found = {one.name: one for one in topics_of_system(system.bidder(), deals=3000)}
    places = {tuple(one) for one in found["#jump"].places}
    assert parse_calls("1S P") in places
    assert parse_calls("1H P") not in places
    # what no deal chose keeps the places where it is offered
    assert found["Never"].places[0] == b""
    assert found["Never"].examples == ()
    # and what deals chose has some of them
    assert found["#jump"].examples
    definition = definition_of(system)
    for hands, vulnerability, calls in found["#jump"].examples:
        assert tuple(calls) in places
        deal = DealArrays(
            np.array(hands, np.uint64)[:, None],
            np.zeros(1, np.uint8),
            np.array([vulnerability], np.uint8),
        )
        choices = choices_call_by_call(definition, deal, 0)
        made = [one.call for one in choices[: len(calls) + 1]]
        assert made[:-1] == list(calls)
        assert format_calls(made[-3:]) == "1S P 3S"


@pytest.mark.slow
@pytest.mark.parametrize("name", some_in_check(1, "sayc", "acol", "two-over-one"))
def test_every_tag_of_a_shipped_system_has_deals(name):
    """Nobody is offered a convention to practise that no hand comes up for."""
    topics = topics_of_system(open_system(name).bidder())
    tags = [one for one in topics if one.name.startswith("#")]
    assert len(tags) >= 45
    assert [one.name for one in tags if not one.examples] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_bidder_that_nobody_needs_is_gone_at_once(held, kind, tmp_path, monkeypatch):
    """The service freezes what it has loaded: what referred to itself would stay for ever."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    compile_few(monkeypatch)
    gc.collect()
    gc.disable()
    try:
        bidder, deals = bidder_of(held(kind), "cpu"), mixed_deals(5, 1)
        auctions = auctions_of(bidder, deals)
        bidder.notes(deals, auctions)
        bidder.bid_from((), deals)
        lists = CallLists.of(pl.Series(auctions, dtype=pl.List(pl.UInt8)))
        depth = np.concatenate([np.arange(len(one)) for one in auctions])
        bidder.calls_along(deals, lists, depth, meanings=True)
        bidder.next(())
        alive = [weakref.ref(one) for one in (bidder, bidder.table)]
        del bidder
        assert [one() for one in alive] == [None, None]
    finally:
        gc.enable()


@examples(10)
@given(st.integers(1, 8), st.sampled_from(["allow", "pass"]))
def test_tables_bid_at_once_as_call_by_call(seed, policy):
    table, _ = build_table(made_up_rows(2000, seed), undescribed=policy)
    bidder, deals = bidder_of(table), mixed_deals(6, seed)
    for deal, calls in enumerate(auctions_of(bidder, deals)):
        dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
        for number, call in enumerate(calls):
            hand = int(deals.hands[(dealer + number) % 4, deal])
            answer = bidder.call(hand, calls[:number], "NESW"[dealer], _SIDES[sides])
            assert answer.call == format_calls([call])


def test_no_deals(held):
    none = DealArrays(np.zeros((4, 0), np.uint64), np.zeros(0, np.uint8), np.zeros(0, np.uint8))
    for kind in KINDS:
        bidder = bidder_of(held(kind), "cpu")
        query = Query("all")
        (listed,) = bidder.all(none, query, FrameWriter(EntryColumns(bidder), query))
        assert listed.height == len(auctions_of(bidder, none)) == 0
        assert bidder.counts(none, 0.01, None, CountFrames(EntryColumns(bidder))).height == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_bidder_is_free_while_no_other_thread_works_with_it(held, kind):
    bidder = bidder_of(held(kind), "cpu")
    with bidder.if_free() as is_free:
        assert is_free
        with bidder.if_free() as again:
            assert again, "a thread does not wait for itself"
    if kind == "table":
        return
    entered, leave = threading.Event(), threading.Event()

    def work():
        with bidder.bidding.lock:
            entered.set()
            leave.wait(20)

    other = threading.Thread(target=work)
    other.start()
    assert entered.wait(20)
    with bidder.if_free() as is_free:
        assert not is_free
    leave.set()
    other.join()
    with bidder.if_free() as is_free:
        assert is_free
