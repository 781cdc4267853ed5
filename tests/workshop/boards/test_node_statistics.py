"""Statistics by node: equal to a plain definition, hand-made boards, bad input."""

import math
import re
from collections import Counter
from statistics import fmean

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    PASS,
    STRAINS,
    SUITS,
    Auction,
    Deal,
    InvalidInput,
    Seat,
    format_calls,
    imps,
    parse_calls,
    parse_deal,
    score,
    suit_holding,
)
from bidcascade.inference.double_dummy.par import par
from bidcascade.loaders import deal_arrays, deal_frame, random_deals
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.workshop.boards.node_statistics import (
    MOST_CONTRACTS,
    MOST_SHAPES,
    NODE_SCHEMA,
    node_statistics,
)
from tests.support.deals import possible
from tests.support.docs import page_text
from tests.support.examples import examples

CALLS = pl.List(pl.UInt8)
FEW = [[], [PASS], [PASS] * 4, *map(parse_calls, (
    "1N P", "1N P 2C", "1N P 3N P P P", "1N P 2C P 2D P 2N P P P", "1N X XX P P P",
    "P 1S 2H P P P", "1S P 2S P 4S P P P", "1N P P P", "2S X P 4H X P P P", "1H 1S 2H 2S P P P",
    "P P 1C P 1S P 2S P P P", "1C P 1S P 2S P P P",
))]  # fmt: skip
"""Beginnings and whole auctions that part early and late."""


def auctions(*texts):
    """Auctions from texts; None is none."""
    return pl.Series([None if one is None else parse_calls(one) for one in texts], dtype=CALLS)


def solved(boards, tables):
    """Boards with tricks; par is worked out, null for tables that are None."""
    deals = deal_arrays(boards)
    numbers = np.array([[0] * 20 if one is None else one for one in tables])
    there = possible(numbers, deals.hands).tolist()
    tables = [None if one is None else table for one, table in zip(tables, there, strict=True)]
    columns = [
        pl.Series(name, [None if one is None else one[place] for one in tables], pl.UInt8)
        for place, name in enumerate(DOUBLE_DUMMY_COLUMNS)
    ]
    scores = [
        None if one is None else par(one, int(dealer), int(sides)).score
        for one, dealer, sides in zip(tables, deals.dealer, deals.vulnerability, strict=True)
    ]
    return boards.with_columns(*columns, pl.Series("Par_NS", scores, pl.Int16))


# --- the definition: one board after the other ----------------------------------------------------


def mean(values):
    known = [one for one in values if one is not None]
    return fmean(known) if known else None


def commonest(names, of):
    """Names with their share, the most frequent first, in order among equals."""
    ranked = sorted(Counter(names).items(), key=lambda one: (-one[1], one[0]))
    return [(name, count / of) for name, count in ranked]


def spread(values):
    ordered = sorted(values)
    return {
        "least": ordered[0], "low": ordered[math.ceil(len(ordered) / 20) - 1],
        "mean": fmean(ordered), "high": ordered[math.ceil(19 * len(ordered) / 20) - 1],
        "most": ordered[-1],
    }  # fmt: skip


class Board:
    """One row: what can be said of it."""

    def __init__(self, row, calls, human):
        self.calls, self.human = tuple(calls or ()), human and tuple(human)
        self.dealer = Seat("NESW".index(row["dealer"]))
        self.sides = ("None", "NS", "EW", "Both").index(row["vulnerability"])
        hands = [row[name] for name in ("north", "east", "south", "west")]
        self.hands = [hands[(self.dealer + place) % 4] for place in range(4)]
        self.key = (*hands, self.dealer, self.sides, row.get("source"))
        self.room, self.score = row.get("room"), row.get("score")
        tricks = [row.get(name) for name in DOUBLE_DUMMY_COLUMNS]
        self.par = row.get("Par_NS")
        self.tricks = None if self.par is None or None in tricks else tricks
        self.par = None if self.tricks is None else self.par
        self.end = Auction.of(self.calls, self.dealer)

    def contract(self, own):
        """Contract and whether it is of the own side; its order among equally frequent ones."""
        one = self.end.contract
        if one is None:
            return (0,), "Pass", None
        by = (one.declarer - self.dealer) % 2
        return (one.level, one.strain, one.doubling, by), one.name, by == own

    def over(self):
        """Tricks beyond the contract, double dummy; None where nobody plays one."""
        one = self.end.contract if self.end.is_complete else None
        if self.tricks is None or one is None:
            return None
        return self.tricks[5 * one.declarer + one.strain] - 6 - one.level

    def worth(self):
        """Points of North-South in the contract."""
        if self.tricks is None or not self.end.is_complete:
            return None
        one = self.end.contract
        if one is None:
            return 0
        taken = self.tricks[5 * one.declarer + one.strain]
        points = score(one, taken, vulnerable=bool(self.sides >> one.declarer % 2 & 1))
        return -points if one.declarer % 2 else points

    def other_room(self, boards):
        """Score in the other room, if each room has just one."""
        there = [one for one in boards if one.key == self.key]
        there = [one for one in there if one.score is not None and one.room is not None]
        if self not in there or sorted(one.room for one in there) != ["closed", "open"]:
            return None
        return next(one.score for one in there if one is not self)


def swing(ours, theirs):
    return None if ours is None or theirs is None else imps(ours - theirs)


def defined(frame, auction, least, humans, max_depth):
    """Rows of the statistics, found with dictionaries."""
    known = [None] * frame.height if humans is None else humans.to_list()
    rows = zip(frame.iter_rows(named=True), auction.to_list(), known, strict=True)
    boards = [Board(*row) for row in rows]
    nodes = {}
    for board in boards:
        for depth in range(len(board.calls) + 1):
            nodes.setdefault(board.calls[:depth], []).append(board)
    deepest = math.inf if max_depth is None else max_depth
    return [
        row_of(node, there, boards, nodes, humans is not None)
        for node, there in sorted(nodes.items())
        if len(there) >= least and len(node) <= deepest
    ]


def row_of(node, there, boards, nodes, is_compared):
    depth = len(node)
    own = (depth - 1) % 2 if node else 0
    # sides by compass differ from board to board
    sign = {one: -1 if (one.dealer + own) % 2 else 1 for one in there}
    is_solved = [one for one in there if one.tricks is not None]
    over = [one for one in there if one.end.is_complete]
    row = {
        "auction": format_calls(node), "boards": len(there),
        "share": len(there) / len(nodes[node[:-1]]), "share_of_all": len(there) / len(boards),
        "solved": len(is_solved), "finished": len(over),
        "par": mean(sign[one] * one.par for one in is_solved),
    }  # fmt: skip
    if not node:
        row["share"] = 1.0
    for name, side in (("tricks", own), ("other_tricks", 1 - own)):
        for strain, letter in enumerate(STRAINS):
            row[f"{name}_{letter}"] = mean(
                max(one.tricks[5 * ((one.dealer + seat) % 4) + strain] for seat in (side, side + 2))
                for one in is_solved
            )

    def signed(values):
        return mean(None if value is None else sign[one] * value for one, value in values)

    contracts = [(one.contract(own), one) for one in over]
    row["contracts"] = [
        {
            "contract": key[1],
            "is_own": key[2],
            "share": share,
            "score": signed((one, one.worth()) for found, one in contracts if found == key),
        }
        for key, share in commonest([key for key, _ in contracts], len(over))[:MOST_CONTRACTS]
    ]
    row["pars"] = [
        {"par": points, "share": share}
        for points, share in commonest([sign[one] * one.par for one in is_solved], len(is_solved))
    ]
    results = [one.over() for one in there if one.over() is not None]
    row["results"] = [
        {"over": over, "share": share} for over, share in commonest(results, len(results))
    ]
    row["score"] = signed((one, one.worth()) for one in there)
    row["imps_par"] = signed((one, swing(one.worth(), one.par)) for one in there)
    row["table_score"] = signed((one, one.score) for one in there)
    row["table_imps_par"] = signed((one, swing(one.score, one.par)) for one in there)
    row["table_imps_room"] = signed(
        (one, swing(one.score, one.other_room(boards))) for one in there
    )
    for place in range(4):
        hands = [one.hands[place] for one in there]
        lengths = {
            suit: [suit_holding(hand, number).bit_count() for hand in hands]
            for number, suit in enumerate(SUITS)
        }
        row[f"HCP_{place + 1}"] = spread(
            sum(max(0, card % 13 - 8) for card in range(52) if hand >> card & 1) for hand in hands
        )
        for suit in SUITS:
            row[f"SL_{place + 1}_{suit}"] = spread(lengths[suit])
        shapes = list(zip(*(lengths[suit] for suit in "SHDC"), strict=True))
        row[f"shapes_{place + 1}"] = [
            {"shape": "=".join(map(str, shape)), "share": share}
            for shape, share in commonest(shapes, len(there))[:MOST_SHAPES]
        ]
    following = [one.calls[depth] for one in there if len(one.calls) > depth]
    row["next_calls"] = calls_of(following, len(there))
    row |= dict.fromkeys(("humans", "humans_same", "humans_instead"))
    if is_compared and node:
        theirs = [
            one.human[depth - 1]
            for one in there
            if one.human is not None
            and len(one.human) >= depth
            and one.human[: depth - 1] == node[:-1]
        ]
        row["humans"] = len(theirs)
        row["humans_same"] = mean(float(call == node[-1]) for call in theirs)
        row["humans_instead"] = calls_of([call for call in theirs if call != node[-1]], len(theirs))
    return row


def calls_of(calls, of):
    return [{"call": format_calls([call]), "share": share} for call, share in commonest(calls, of)]


# --- equal to the definition ----------------------------------------------------------------------


def legal(choices):
    """A legal auction: from each number one of the calls, as they come."""
    auction = Auction()
    for choice in choices:
        calls = list(auction.legal_calls())
        if not calls:
            break
        auction = auction.add(calls[choice % min(len(calls), 8)])
    return list(auction.calls)


some_auctions = st.lists(
    st.none() | st.sampled_from(FEW) | st.lists(st.integers(0, 7), max_size=9).map(legal),
    min_size=1,
    max_size=24,
)
tables = st.none() | st.lists(st.integers(0, 13), min_size=20, max_size=20)


@st.composite
def questions(draw):
    own = draw(some_auctions)
    count = len(own)

    def rows(of):
        return draw(st.lists(of, min_size=count, max_size=count))

    # few deals, so that there are other rooms
    frame = random_deals(6, seed=draw(st.integers(0, 99)))[rows(st.integers(0, 5))]
    frame = frame.with_columns(
        pl.Series("room", rows(st.sampled_from(["open", "closed", None])), frame["room"].dtype),
        pl.Series(
            "score", rows(st.none() | st.integers(-20, 20).map(lambda one: 10 * one)), pl.Int32
        ),
        pl.Series("source", rows(st.sampled_from(["a", "b"]))),
    )
    if draw(st.booleans()):
        frame = solved(frame, rows(tables))
    frame = frame.drop(draw(st.sets(st.sampled_from(["room", "score", "source"]))))
    humans = None
    if draw(st.booleans()):
        theirs = rows(st.none() | st.sampled_from(FEW))
        bid = [a if draw(st.booleans()) else b for a, b in zip(own, theirs, strict=True)]
        humans = pl.Series(bid, dtype=CALLS)
    return (
        frame,
        pl.Series(own, dtype=CALLS),
        draw(st.integers(1, 4)),
        humans,
        draw(st.none() | st.integers(0, 5)),
    )


def check(found, expected):
    """Compare rows; means may be added up in another order."""
    assert found["auction"].to_list() == [row["auction"] for row in expected]
    for row, wanted in zip(found.iter_rows(named=True), expected, strict=True):
        assert set(row) == set(wanted)
        for name, value in row.items():
            close = isinstance(value, float) and value == pytest.approx(wanted[name], rel=1e-12)
            assert close or value == wanted[name], (row["auction"], name)


@examples(25, 100)
@given(questions())
def test_statistics_are_those_of_the_definition(question):
    frame, auction, least, humans, depth = question
    found = node_statistics(frame, auction, least=least, humans=humans, max_depth=depth)
    assert found.schema == NODE_SCHEMA
    check(found, defined(*question))


def test_many_boards_of_few_nodes_are_those_of_the_definition():
    chance = np.random.default_rng(3)
    frame = solved(random_deals(300, seed=3), chance.integers(0, 14, (300, 20)).tolist())
    bid, humans = (
        pl.Series([FEW[one] for one in chance.integers(0, len(FEW), 300)], dtype=CALLS)
        for _ in range(2)
    )
    found = node_statistics(frame, bid, least=20, humans=humans)
    assert found.height > 10
    check(found, defined(frame, bid, 20, humans, None))


# --- told by hand ---------------------------------------------------------------------------------

DEAL = parse_deal("N:AQ4.KJ3.K876.Q52 K95.Q872.A54.T93 J876.A65.Q93.AK4 T32.T94.JT2.J876")
NORTH_SOUTH_9 = [9] * 5 + [3] * 5 + [8] * 5 + [4] * 5
"""North takes nine tricks, South eight; East three, West four."""


def of_east(deal: Deal) -> Deal:
    return Deal(deal.hands, dealer=Seat.EAST, vulnerability=deal.vulnerability)


def test_numbers_are_those_of_the_side_that_called_last():
    boards = solved(deal_frame([DEAL, of_east(DEAL)]), [NORTH_SOUTH_9] * 2)
    found = node_statistics(boards, auctions("1N P 3N P P P", "P 1N P P P"), least=1)
    rows = {row["auction"]: row for row in found.to_dicts()}
    # North deals and plays three notrump; after East's pass South plays one notrump, made with one
    assert rows["1N"]["score"] == rows["1N P 3N"]["score"] == 400
    assert rows["1N P"]["score"] == -400
    assert rows["P"]["score"] == -120
    assert rows["P 1N"]["score"] == 120
    assert rows["P 1N"]["par"] == -rows["P"]["par"] == 400
    assert rows["P 1N"]["imps_par"] == imps(120 - 400)
    assert (rows["1N"]["tricks_N"], rows["1N"]["other_tricks_N"]) == (9, 4)
    assert (rows["P"]["tricks_N"], rows["P"]["other_tricks_N"]) == (4, 9)
    assert rows["1N P"]["contracts"] == [
        {"contract": "3N", "is_own": False, "share": 1.0, "score": -400.0}
    ]
    # at the root there is no last call: the dealer's side
    assert rows[""]["score"] == (400 - 120) / 2
    # the dealer first: North with 15 points, then East with 9
    assert rows["1N"]["HCP_1"]["mean"] == 15
    assert rows["P"]["HCP_1"]["mean"] == 9
    assert rows["1N"]["SL_1_D"] == {"least": 4, "low": 4, "mean": 4.0, "high": 4, "most": 4}
    assert rows["1N"]["shapes_1"] == [{"shape": "3=3=4=3", "share": 1.0}]


def test_an_auction_that_is_not_over_has_no_contract():
    boards = solved(deal_frame([DEAL] * 3), [NORTH_SOUTH_9] * 3)
    found = node_statistics(boards, auctions("1N P 3N P P P", "1N P 3N P P", "1N"), least=1)
    rows = {row["auction"]: row for row in found.to_dicts()}
    assert (rows["1N"]["boards"], rows["1N"]["finished"], rows["1N"]["score"]) == (3, 1, 400)
    assert rows["1N"]["next_calls"] == [{"call": "P", "share": 2 / 3}]


def test_a_table_that_lacks_a_result_is_not_solved():
    boards = solved(deal_frame([DEAL] * 3), [NORTH_SOUTH_9] * 3).with_columns(
        DD_W_C=pl.Series([4, None, 4], dtype=pl.UInt8),
        Par_NS=pl.Series([400, 400, None], dtype=pl.Int16),
    )
    found = node_statistics(boards, auctions(*["1N P 3N P P P"] * 3), least=3)
    assert found["solved"].to_list() == [1] * 7
    assert found["par"].to_list() == [400, 400, -400, 400, -400, 400, -400]


def test_a_room_is_set_against_the_other_one_of_its_source():
    boards = deal_frame([DEAL] * 9).with_columns(
        room=pl.Series(
            ["open", "closed", *["open", "closed", "open"], None, *["open", "closed", "closed"]]
        ),
        source=pl.Series(list("aabbbcddd")),
        score=pl.Series([620, 170, *[100] * 7]),
    )
    bid = auctions("1N", "P", "2C", "2C", "2C", "2D", "2C", "2C", "2C")
    rows = {row["auction"]: row for row in node_statistics(boards, bid, least=1).to_dicts()}
    assert (rows["1N"]["table_imps_room"], rows["P"]["table_imps_room"]) == (10, -10)
    # a room twice: which of the two is meant is not known
    assert rows["2C"]["table_imps_room"] is None
    assert (rows["2C"]["table_score"], rows["2D"]["table_imps_room"]) == (100, None)


def test_humans_are_those_who_came_to_the_node_before():
    boards = deal_frame([DEAL] * 5)
    humans = auctions("1N P 3N", "1N P 2C P", "1C P 1S", "1N P", None)
    found = node_statistics(boards, auctions(*["1N P 3N"] * 5), least=1, humans=humans)
    rows = {row["auction"]: row for row in found.to_dicts()}
    told = {
        name: (row["humans"], row["humans_same"], row["humans_instead"])
        for name, row in rows.items()
    }
    assert told == {
        "": (None, None, None),
        "1N": (4, 0.75, [{"call": "1C", "share": 0.25}]),
        "1N P": (3, 1.0, []),
        "1N P 3N": (2, 0.5, [{"call": "2C", "share": 0.5}]),
    }


def test_nodes_of_too_few_boards_are_left_out():
    bid = auctions("1N P 3N", "1N P 2C", "1N", None)
    found = node_statistics(deal_frame([DEAL] * 4), bid, least=2)
    assert found.select("auction", "boards").rows() == [("", 4), ("1N", 3), ("1N P", 2)]
    assert node_statistics(deal_frame([DEAL] * 4), bid, least=5).schema == NODE_SCHEMA
    assert node_statistics(deal_frame([DEAL] * 4), bid, least=1, max_depth=0).height == 1
    for nothing in (pl.Series([None] * 4), pl.Series([[]] * 4)):
        assert node_statistics(deal_frame([DEAL] * 4), nothing, least=1)["boards"].to_list() == [4]


# --- bad input ------------------------------------------------------------------------------------

TWENTY = dict.fromkeys(DOUBLE_DUMMY_COLUMNS, 7)


@pytest.mark.parametrize(
    ("columns", "asked", "message"),
    [
        ({}, {"least": 0}, "expected at least one board a node, got 0"),
        ({}, {"max_depth": -1}, "expected nodes of no or more calls at most, got -1"),
        ({}, {"auction": auctions("P")}, "expected 2 auctions in 'auction', got 1"),
        ({}, {"humans": auctions("P", "P", "P")}, "expected 2 auctions in 'humans', got 3"),
        ({}, {"auction": pl.Series(["1N", "P"])},
         r"expected call codes \(List\(UInt8\)\) in 'auction', got String"),
        ({}, {"auction": pl.Series([[7, 0], [38]])},
         "expected call codes 0-37 in 'auction', got 38"),
        ({}, {"auction": pl.Series([[7], [None, 0]], dtype=CALLS)},
         "expected call codes 0-37 in 'auction', got None"),
        ({}, {"humans": pl.Series([[7], [300]])}, "expected call codes 0-37 in 'humans', got 300"),
        ({}, {"humans": pl.Series([[7.5], [0.0]])},
         r"expected call codes \(List\(UInt8\)\) in 'humans', got List\(Float64\)"),
        ({"DD_N_C": 7}, {}, "expected all 20 columns of tricks, got DD_N_C without DD_N_D"),
        (TWENTY | {"DD_S_H": 14, "Par_NS": 0}, {}, "0 to 13 in column DD_S_H, got 14"),
        (TWENTY | {"Par_NS": 0.5}, {}, "expected whole numbers in column Par_NS, got Float64"),
        (TWENTY, {}, "expected the column Par_NS beside those of tricks, got none"),
        ({"score": "+420"}, {}, "expected whole numbers in column score, got String"),
    ],
)  # fmt: skip
def test_bad_input_is_named(columns, asked, message):
    boards = deal_frame([DEAL] * 2).with_columns(
        pl.lit(value).alias(name) for name, value in columns.items()
    )
    given = {"auction": auctions("1N P", "P")} | asked
    with pytest.raises(InvalidInput, match=message):
        node_statistics(boards, **given)


def test_boards_are_needed_and_their_columns():
    boards = deal_frame([DEAL])
    with pytest.raises(InvalidInput, match="expected boards, got none"):
        node_statistics(boards.clear(), auctions())
    with pytest.raises(InvalidInput, match=r"got none named \['dealer'\]"):
        node_statistics(boards.drop("dealer"), auctions("P"))


@pytest.mark.checkout
@pytest.mark.page("docs/node-statistics.md")
def test_the_page_names_every_column():
    told = set(re.findall(r"`(\w+)`", page_text("docs/node-statistics.md").split("## Columns")[1]))
    families = {"tricks_C", "tricks_N", "other_tricks_C", "other_tricks_N", "HCP_1", "HCP_4",
                "SL_1_C", "SL_4_S", "shapes_1", "shapes_4"}  # fmt: skip
    alone = {name for name in NODE_SCHEMA if not re.search(r"_([1-4](_.)?|[CDHSN])$", name)}
    assert alone | families <= told
