"""Index of mode ``all``: the same answers as a full pass, small, and right after a change."""

import functools
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, IllegalCall, InvalidInput, InvalidSystem, parse_calls
from bidcascade.kernels import DealArrays, get_backend
from bidcascade.systems import allowed_index, open_system
from bidcascade.systems.allowed_index import AllowedNode, allowed_nodes, allowed_rows
from bidcascade.systems.auctions.allowed import ListingBounds, members
from bidcascade.systems.auctions.bidder import Bidder
from bidcascade.systems.bidding.allowed_calls import SystemCalls, TableCalls
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.reference.allowed_auctions import allowed_auctions
from bidcascade.systems.row_sets import decode_rows, encode_rows
from bidcascade.systems.system import System
from bidcascade.table import build_table
from tests.support.deals import mixed_deals
from tests.support.examples import examples, rows_in_check
from tests.support.systems import OTHER, SMALL, SMALL_SYSTEM, definition_of
from tests.support.tables import made_up_rows

SIZES = [0, 1, 63, 64, 65]
ENDLESS = System.parse("general:\n  when at most 6-level:\n    cheapest X = Any: any hand; forcing")
ROWS = [
    {"prior": "", "call": "P", "criteria": ["HCP <= 12"]},
    {"prior": "", "call": "1N", "criteria": ["HCP >= 10 or SL_S >= 5"]},
    {"prior": "", "call": "1C", "criteria": ["HCP >= 12"]},
    {"prior": "", "call": "1C", "criteria": ["SL_C >= 4", "HCP >= 8"]},
    {"prior": "", "call": "7N", "criteria": ["HCP >= 38"]},
    {"prior": "1N", "call": "P"},
    {"prior": "1N", "call": "X", "criteria": ["HCP >= 14"]},
    {"prior": "1N", "call": "2C", "criteria": ["SL_C >= 5"]},
    {"prior": "1N P", "call": "2H", "criteria": ["SL_H >= 5 or SL_D >= 5", "HCP < 9"]},
    {"prior": "1N P", "call": "P", "criteria": ["HCP < 9"]},
    {"prior": "1C", "call": "1S", "criteria": ["SL_S >= 4"]},
]


@functools.cache
def table_of(policy="allow", changed=None):
    rows = [dict(row) for row in ROWS]
    if changed is not None:
        number, criteria = changed
        rows[number] = {**rows[number], "criteria": [criteria]}
    return build_table(rows, undescribed=policy)[0]


@functools.cache
def made_up_table():
    return build_table(made_up_rows(2000, seed=3), undescribed="allow")[0]


def of_system(system: System):
    return lambda deals: SystemCalls(system.bidder(), deals)


def of_table(table):
    return lambda deals: TableCalls(table, deals)


def asked(calls_of, nodes, deals: DealArrays, auction) -> list[int]:
    found = allowed_rows(nodes, bytes(auction), lambda rows: calls_of(deals.take(rows)))
    return found.tolist()


def by_definition(
    system: System, deals: DealArrays, depth: int
) -> dict[tuple[int, ...], list[int]]:
    reached: dict[tuple[int, ...], list[int]] = {}
    for deal in range(len(deals)):
        bounds = ListingBounds(1 << 20, depth, 1 << 20)
        for one in allowed_auctions(definition_of(system), deals, deal, bounds)[0]:
            if len(one.calls) <= depth:
                reached.setdefault(one.calls, []).append(deal)
    return reached


@pytest.mark.parametrize("share", [0, 0.2, 1])
@pytest.mark.parametrize("count", SIZES)
def test_answers_are_those_of_the_definition(count, share):
    deals, calls_of = mixed_deals(count, count), of_system(SMALL)
    nodes = allowed_nodes(calls_of(deals), share=share)
    assert nodes[b""].boards == count
    assert nodes[b""].expanded is (count >= 64)
    for calls, expected in by_definition(SMALL, deals, 3).items():
        assert asked(calls_of, nodes, deals, calls) == expected
    assert asked(calls_of, nodes, deals, parse_calls("7C X XX 7D")) == []
    assert asked(calls_of, nodes, deals, ()) == list(range(count))


@examples(30)
@given(st.integers(0, 1 << 30), st.sampled_from([0, 0.05, 0.3, 1]), st.sampled_from([SMALL, OTHER]))
def test_random_auctions_of_systems(seed, share, system):
    deals, calls_of = mixed_deals(150, seed), of_system(system)
    nodes = allowed_nodes(calls_of(deals), share=share)
    auctions = random_auctions(system, deals, seed)
    for calls, column in zip(auctions, members(system.bidder(), deals, auctions), strict=True):
        assert asked(calls_of, nodes, deals, calls) == np.flatnonzero(column).tolist()


def random_auctions(system: System, deals: DealArrays, seed: int) -> list[tuple[int, ...]]:
    """Auctions that some board may bid, of any length, and calls that none may make."""
    rng = np.random.default_rng(seed)
    auctions = []
    for deal in rng.integers(0, len(deals), 8).tolist():
        calls: tuple[int, ...] = ()
        few = SystemCalls(system.bidder(), deals.slice(deal, deal + 1))
        while not Auction.of(calls).is_complete and len(calls) < 12:
            options = [call for call, _ in few.behind(bytes(calls), np.zeros(1, np.uint32))]
            calls = (*calls, int(rng.choice(options)))
            auctions.append(calls)
        going_on = Auction.of(calls[:-1])
        auctions.append((*calls[:-1], int(rng.choice(list(going_on.legal_calls())))))
    return auctions


@pytest.mark.parametrize("system", [SMALL, ENDLESS])
def test_what_is_expanded_has_all_that_is_behind_it(system, monkeypatch):
    monkeypatch.setattr(allowed_index, "MOST_NODES", 800)
    deals = mixed_deals(400, 5)
    nodes = allowed_nodes(SystemCalls(system.bidder(), deals), share=0.25)
    assert list(nodes) == sorted(nodes)
    behind: dict[bytes, int] = {}
    for auction, node in nodes.items():
        assert node.auction == auction
        assert node.boards == len(decode_rows(node.rows, 400)) > 0
        assert node.expanded is (len(node.digest) == 16)
        if auction:
            assert nodes[auction[:-1]].expanded
            behind[auction[:-1]] = behind.get(auction[:-1], 0) + 1
    for auction, node in nodes.items():
        over = Auction.of(auction).is_complete
        assert node.expanded is (auction in behind)
        if system is SMALL:
            assert node.expanded is (node.boards >= 100 and not over)
    # a call more than the bound allows may have been followed, and no more
    assert len(nodes) < 800 + 38


def test_pairs_are_bounded(monkeypatch):
    calls_of, deals = of_system(ENDLESS), mixed_deals(200, 5)
    monkeypatch.setattr(allowed_index, "MOST_PAIRS", 5000)
    nodes = allowed_nodes(calls_of(deals), share=0.25)
    assert 4000 < sum(one.boards for one in nodes.values()) < 5000 + 6 * 200
    for text in ("1C P 1D P 1H P 2C", "1C 1D 1H 1S 2C 2D 2H P P 2S", "P P 7C"):
        calls = tuple(parse_calls(text))
        (column,) = members(ENDLESS.bidder(), deals, [calls])
        assert asked(calls_of, nodes, deals, calls) == np.flatnonzero(column).tolist()


@pytest.mark.parametrize("count", [*SIZES, 300])
@pytest.mark.parametrize("policy", ["allow", "pass", "reject"])
def test_answers_of_tables_are_those_of_the_reference(count, policy):
    check_table(table_of(policy), mixed_deals(count, 3), [0, 0.1, 1], every=1)


def test_a_made_up_table():
    check_table(made_up_table(), mixed_deals(130, 4), [0, 0.3], every=31)


def check_table(table, deals, shares, *, every):
    entries = range(0, len(table), every)
    expected = get_backend("reference").members(table.plan(), deals, entries)
    for share in shares:
        nodes = allowed_nodes(TableCalls(table, deals), share=share)
        for column, entry in enumerate(entries):
            rows = np.flatnonzero(expected.to_bools(column)).tolist()
            assert asked(of_table(table), nodes, deals, table.auction_of(entry)) == rows
        assert asked(of_table(table), nodes, deals, parse_calls("6N X XX 7C")) == []
        assert asked(of_table(table), nodes, deals, ()) == list(range(len(deals)))


def test_a_pattern_is_the_auctions_that_it_stands_for():
    """``1NT P 2C P 2M P``, which has a node for each major, against every board."""
    deals, calls_of = mixed_deals(3000, 8), of_system(SMALL)
    nodes = allowed_nodes(calls_of(deals))
    found = set()
    auctions = [tuple(parse_calls(f"1N P 2C P 2{major} P")) for major in "HS"]
    for calls in auctions:
        found |= set(asked(calls_of, nodes, deals, calls))
    columns = members(SMALL.bidder(), deals, auctions)
    assert found == set(np.flatnonzero(columns[0] | columns[1]).tolist())
    assert found


def test_only_what_goes_beyond_the_index_is_asked():
    nodes = built(SMALL_SYSTEM)
    questions = []

    class Asked(SystemCalls):
        def members(self, auction, *, known=0):
            questions.append((len(self), known))
            return super().members(auction, known=known)

    def rows_of(auction):
        return allowed_rows(nodes, auction, lambda rows: Asked(SMALL.bidder(), DEALS.take(rows)))

    end = next(
        node
        for node in nodes.values()
        if len(node.auction) == 4
        and node.boards
        and not node.expanded
        and not Auction.of(node.auction).is_complete
    )
    assert len(rows_of(end.auction)) == end.boards
    assert len(rows_of(bytes(parse_calls("7N X")))) == 0
    assert questions == []
    assert len(rows_of(end.auction + bytes(2))) <= end.boards
    assert questions == [(end.boards, 4)]


# --- after a change -------------------------------------------------------------------------------


class Watched:
    """Calls that count how often they were asked what is behind an auction."""

    def __init__(self, calls) -> None:
        self._calls = calls
        self.asked: list[bytes] = []

    def __len__(self) -> int:
        return len(self._calls)

    def digests(self, auctions):
        return self._calls.digests(auctions)

    def behind(self, auction, rows):
        self.asked.append(auction)
        return self._calls.behind(auction, rows)


LINES = SMALL_SYSTEM.strip().splitlines()
ADDED = [
    "  3X = Preempt: at most 9 points, 7+ X",
    "  2NT = Notrump: 20-22 points, balanced",
    "  Double = Anything: any hand",
    "  Pass = Nothing: at most 5 points",
    "-- a remark",
]
DEALS = mixed_deals(400, 12)


@functools.cache
def built(text: str) -> dict[bytes, AllowedNode]:
    return allowed_nodes(SystemCalls(System.parse(text).bidder(), DEALS), share=0.05)


@examples(40)
@given(
    st.integers(2, len(LINES) - 1),
    st.one_of(
        st.just(("delete", "")),
        st.sampled_from(ADDED).map(lambda line: ("insert", line)),
        st.sampled_from([("12", "13"), ("4+", "5+"), ("any hand", "8+ points"), ("1", "2"),
                         ("; forcing", ""), ("; artificial", ""), ("2", "3")]),
    ),
)  # fmt: skip
def test_an_index_after_a_change_is_the_one_built_anew(number, change):
    changed = list(LINES)
    if change[0] == "delete":
        del changed[number]
    elif change[0] == "insert":
        changed.insert(number, change[1])
    else:
        changed[number] = changed[number].replace(*change)
    text = "\n".join(changed)
    try:
        system = System.parse(text)
    except InvalidSystem:
        assume(False)
    before = built("\n".join(LINES))
    after = allowed_nodes(SystemCalls(system.bidder(), DEALS), share=0.05, cached=before)
    assert after == built(text)
    back = allowed_nodes(SystemCalls(SMALL.bidder(), DEALS), share=0.05, cached=after)
    assert back == before


def test_what_did_not_change_is_not_asked_again():
    before = built(SMALL_SYSTEM)
    expanded = {auction for auction, node in before.items() if node.expanded}
    for old, new, changed in (
        ("-- A natural", "-- An unnatural", ""),
        # another name, and lines in another order
        ("Diamonds: 12-21 points, 4+ diamonds\n  1C  = Clubs: 12-21 points",
         "Diamonds: 12-21 points, 4+ diamonds\n  1C  = Any: 12-21 points", ""),
        ("No major: any hand", "No major: at most 11 points", "1N P 2C P"),
    ):  # fmt: skip
        assert old in SMALL_SYSTEM
        calls = Watched(SystemCalls(System.parse(SMALL_SYSTEM.replace(old, new)).bidder(), DEALS))
        allowed_nodes(calls, share=0.05, cached=before)
        assert all(one.startswith(bytes(parse_calls(changed))) for one in calls.asked)
        assert changed or not calls.asked
    # an opening changed: behind those that the same boards make all stays
    text = SMALL_SYSTEM.replace("2C  = Strong: 22+ points", "2C  = Strong: 8+ points")
    calls = Watched(SystemCalls(System.parse(text).bidder(), DEALS))
    allowed_nodes(calls, share=0.05, cached=before)
    assert 0 < len(set(calls.asked) & expanded) < len(expanded) / 2


def test_another_share_takes_what_it_can():
    small, large = (
        allowed_nodes(SystemCalls(SMALL.bidder(), DEALS), share=share) for share in (0.3, 0.1)
    )
    assert len(small) < len(large)
    for share, kept, expected in ((0.3, large, small), (0.1, small, large)):
        calls = Watched(SystemCalls(SMALL.bidder(), DEALS))
        assert allowed_nodes(calls, share=share, cached=kept) == expected
        assert bool(calls.asked) is (kept is small)


@pytest.mark.parametrize(
    ("changed", "asked_again"),
    [
        # behind a call that other boards make it is asked as well, but not behind the same boards
        ((0, "HCP <= 9"), ["", "P"]),
        ((8, "SL_H >= 6"), ["1N P"]),
        ((5, "HCP >= 0"), ["1N"]),
        (None, []),
    ],
)
def test_a_table_after_a_change(changed, asked_again):
    before = allowed_nodes(TableCalls(table_of(), DEALS))
    table = table_of("allow", changed)
    calls = Watched(TableCalls(table, DEALS))
    assert allowed_nodes(calls, cached=before) == allowed_nodes(TableCalls(table, DEALS))
    assert calls.asked == [bytes(parse_calls(auction)) for auction in asked_again]


def test_digests_do_not_depend_on_what_was_asked_before():
    """Arrays of places grow while they are read."""
    auctions = [bytes(calls) for calls in product(range(0, 36, 7), repeat=4) if is_legal(calls)]
    auctions += [
        bytes((*calls, more))
        for calls in auctions
        for more in range(38)
        if is_legal((*calls, more))
    ]
    first, again = (Bidder(System.parse(SMALL_SYSTEM).rules) for _ in range(2))
    digests = SystemCalls(first, DEALS).digests(auctions)
    assert first.count > 1024
    assert SystemCalls(first, DEALS).digests(auctions) == digests
    one_by_one = [SystemCalls(again, DEALS).digests([one])[0] for one in reversed(auctions)]
    assert one_by_one[::-1] == digests


def is_legal(calls) -> bool:
    try:
        return not Auction.of(calls).is_complete
    except IllegalCall:
        return False


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [-0.1, 1.01, float("nan")])
def test_a_share_is_a_part(share):
    with pytest.raises(ValueError, match=f"^expected a share from 0 to 1, got {share}$"):
        allowed_nodes(SystemCalls(SMALL.bidder(), DEALS), share=share)


def test_damaged_indexes():
    nodes = built(SMALL_SYSTEM)
    calls_of = of_system(SMALL)
    with pytest.raises(IllegalCall):
        asked(calls_of, nodes, DEALS, parse_calls("1N 1C"))
    with pytest.raises(
        InvalidInput, match=r"^expected an index that has the auction without a call$"
    ):
        asked(calls_of, {}, DEALS, (3,))
    few = nodes | {b"\3": nodes[b"\3"]._replace(rows=encode_rows(np.zeros(1, np.uint32)))}
    with pytest.raises(
        InvalidInput, match=r"^expected [0-9]+ boards in a set of the index, got 1$"
    ):
        asked(calls_of, few, DEALS, (3,))
    cut = nodes | {b"\3": nodes[b"\3"]._replace(rows=nodes[b"\3"].rows[:-1])}
    with pytest.raises(InvalidInput, match=r"^expected a set of rows"):
        asked(calls_of, cut, DEALS, (3,))
    beyond = nodes | {b"\3": nodes[b"\3"]._replace(rows=encode_rows(np.array([400], np.uint32)))}
    with pytest.raises(InvalidInput, match=r"^expected rows below 400, got 400$"):
        asked(calls_of, beyond, DEALS, (3,))


# --- the shipped system ---------------------------------------------------------------------------


@pytest.mark.slow
def test_sayc():
    system = open_system("sayc")
    deals, calls_of = mixed_deals(4000, 31), of_system(system)
    nodes = allowed_nodes(calls_of(deals))
    auctions = random_auctions(system, deals, 5)
    for calls, column in zip(auctions, members(system.bidder(), deals, auctions), strict=True):
        assert asked(calls_of, nodes, deals, calls) == np.flatnonzero(column).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    rows_in_check(1, ("15-17 points, balanced", "14-17 points, balanced"), ("4+ ", "5+ ")),
)
def test_one_changed_line_of_sayc(old, new):
    text = (shipped_folder() / "sayc.bidding").read_text()
    deals = mixed_deals(3000, 32)
    before = allowed_nodes(SystemCalls(open_system("sayc").bidder(), deals))
    assert old in text
    changed = System.parse(text.replace(old, new, 1))
    after = allowed_nodes(SystemCalls(changed.bidder(), deals), cached=before)
    assert after == allowed_nodes(SystemCalls(changed.bidder(), deals))
    assert after != before
