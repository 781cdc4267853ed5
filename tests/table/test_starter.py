"""The table that comes along: sound as a table, and sensible on hands and deals."""

import random
from collections import Counter, defaultdict

import pytest

from bidcascade.bridge import Auction, IllegalCall, parse_calls, parse_hand
from bidcascade.kernels import Context
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.explain import holds
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.starter import starter_rows
from bidcascade.table.starter.book import Book, independent, lines_of

GIB = Vocabulary()


@pytest.fixture(scope="module")
def rows():
    return list(starter_rows())


@pytest.fixture(scope="module")
def children(rows):
    places = defaultdict(list)
    for row in rows:
        places[tuple(row["prior"])].append(row)
    return places


class Hand:
    """A hand that remembers which expressions hold for it."""

    def __init__(self, mask):
        self.mask = mask
        self.known = {}

    def fits(self, row, seat=1):
        return all(self._holds(text, seat) for text in row["criteria"])

    def _holds(self, text, seat):
        if text not in self.known:
            expression = parse_expression(text)
            self.known[text] = holds(self.mask, expression, GIB, Context(seat))
        return self.known[text]


def chosen(children, prior, hand):
    """First row that holds, as mode ``first`` chooses."""
    return next((row for row in children[prior] if hand.fits(row)), None)


def random_deal(chooser):
    cards = chooser.sample(range(52), 52)
    return [Hand(sum(1 << card for card in cards[13 * n : 13 * n + 13])) for n in range(4)]


def bid_out(children, hands):
    """Calls of mode ``first`` until the table ends; how often the pass was by default."""
    calls, defaults = (), 0
    while children.get(calls):
        row = chosen(children, calls, hands[len(calls) % 4])
        defaults += row is None
        calls += (row["call"] if row else "P",)
    return calls, defaults


# --- sound as a table ----------------------------------------------------------------------------


def test_parents_come_first_and_are_entries(rows):
    seen = {()}
    for row in rows:
        assert tuple(row["prior"]) in seen
        seen.add((*row["prior"], row["call"]))


def test_siblings_stand_together(rows):
    priors = [tuple(row["prior"]) for row in rows]
    blocks = [
        prior for place, prior in enumerate(priors) if place == 0 or priors[place - 1] != prior
    ]
    assert len(blocks) == len(set(blocks))


def test_every_auction_is_legal_and_runs_to_its_end(rows, children):
    for calls in {(*row["prior"], row["call"]) for row in rows}:
        auction = Auction.of(parse_calls(" ".join(calls)))
        assert auction.is_complete == (calls not in children), calls


def test_every_entry_can_be_chosen_by_some_hand(rows):
    for criteria in {tuple(row["criteria"]) for row in rows}:
        assert is_satisfiable([parse_expression(text) for text in criteria], GIB) is None


def test_every_entry_is_described(rows):
    for row in rows:
        assert set(row) == {"prior", "call", "name", "description", "criteria"}
        assert row["name"]
        assert row["description"]
        assert row["criteria"]
        for text in row["criteria"]:
            assert str(parse_expression(text)) == text


def test_all_four_seats_open(children):
    first = [row["call"] for row in children[()]]
    third = [row["call"] for row in children[("P", "P")]]
    fourth = [row["call"] for row in children[("P", "P", "P")]]
    assert first == [row["call"] for row in children[("P",)]]
    assert {"2C", "2N", "1N", "1S", "1H", "1D", "1C", "2S", "3C", "4H", "P"} <= set(first)
    assert Counter(third)["1S"] == 2  # a light variant
    assert not {"2S", "3C", "4H"} & set(fourth)
    assert ("P",) * 4 not in children


# --- sensible on hands ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        # openings
        ("KQ5.A93.KJ72.Q84", "", "1N"),
        ("AKQ74.AJ3.KQ2.A5", "", "2C"),
        ("KQJ.AJ3.KQ72.AJ5", "", "2N"),
        ("AQ975.K3.QJ84.72", "", "1S"),
        ("K4.AQ863.K985.J2", "", "1H"),
        ("K42.A86.KJ9.Q842", "", "1C"),
        ("KQ42.A863.KJ9.84", "", "1D"),
        ("KQJ874.83.942.75", "", "2S"),
        ("4.83.KQJ9742.J95", "", "3D"),
        ("Q874.83.K942.J75", "", "P"),
        ("AQJ84.842.K9.842", "P P", "1S"),
        ("42.KQ86.KQ94.J52", "P P P", "P"),
        ("AJ42.K863.Q942.J", "P P P", "1D"),
        # opposite one notrump
        ("KJ84.A5.Q963.842", "1N P", "2C"),
        ("K5.QJ863.842.975", "1N P", "2D"),
        ("QJ8642.5.842.975", "1N P", "2H"),
        ("K5.QJ8.K842.QJ75", "1N P", "3N"),
        ("K5.QJ8.Q842.T975", "1N P", "2N"),
        ("AQ52.KJ3.K84.KJ7", "1N P 2C P", "2S"),
        ("A52.KJ3.KQ84.KJ7", "1N P 2D P", "2H"),
        ("A52.KQJ3.K84.AJ7", "1N P 2D P", "3H"),
        ("KJ84.Q5.Q963.842", "1N P 2C P 2S P", "3S"),
        ("AQ52.KJ3.K84.KJ7", "1N P 2C P 2S P 3S P", "4S"),
        # one of a suit
        ("K964.AQ.KQ63.842", "1S P", "2N"),
        ("K96.A5.Q9632.842", "1S P", "2S"),
        ("96.A5.KQ963.K842", "1S P", "2D"),
        ("96.AJ5.Q9632.842", "1S P", "1N"),
        ("KJ96.A542.Q96.82", "1C P", "1H"),
        ("KQ964.A54.K3.J82", "1H P", "1S"),
        ("AQ5.K9.KJ74.9842", "1D P 1H P", "1N"),
        ("K5.KQ94.AJ.AQ842", "1C P 1H P", "4H"),
        ("5.KQ94.A973.QJ82", "1D P 1H P", "2H"),
        ("A5.KQ842.AKQ84.7", "1H P 2N P", "3C"),
        # forcing openings and preempts
        ("Q874.83.K942.J75", "2C P", "2D"),
        ("KQJ87.83.K42.J75", "2C P", "2S"),
        ("K87.AK3.A942.Q75", "2S P", "4S"),
        ("K874.83.A942.Q75", "2H P", "P"),
        # competition
        ("AQJ84.842.K9.842", "1H", "1S"),
        ("KJ84.2.KQ94.A842", "1H", "X"),
        ("KJ4.AQ2.KQ94.J84", "1H", "1N"),
        ("AQJ84.AJT94.5.84", "1C", "1S"),
        ("KQJ84.QJT94.5.84", "1C", "2C"),
        ("K5.QJ84.K942.874", "1C 1S", "X"),
        ("5.AJ84.842.KQJ74", "1C 1S X P", "2H"),
        ("KJ84.842.Q94.872", "1H X P", "1S"),
        ("KQ84.A42.J94.Q72", "1H 1S P", "2H"),
        ("Q8.K942.J94.AQ72", "1H X", "2N"),
    ],
)  # fmt: skip
def test_chosen_call(children, hand, auction, call):
    row = chosen(children, tuple(auction.split()), Hand(parse_hand(hand)))
    assert (row["call"] if row else "P") == call


def test_joining_the_lines_of_a_call_changes_no_choice(children):
    """A table joins the lines of one call (OR) at the first one's place."""
    chooser = random.Random(6)
    hands = [Hand(sum(1 << card for card in chooser.sample(range(52), 13))) for _ in range(40)]
    seen = 0
    for prior, rows in children.items():
        calls = list(dict.fromkeys(row["call"] for row in rows))
        if len(calls) == len(rows) or (prior[:1] == ("P",) and prior != ("P", "P")):
            continue
        seen += 1
        for hand in hands:
            fitting = [row["call"] for row in rows if hand.fits(row)]
            by_place = next((call for call in calls if call in fitting), None)
            assert by_place == (fitting[0] if fitting else None), prior
    assert seen > 50


def test_openings_are_about_as_frequent_as_known(children):
    chooser = random.Random(3)
    count = 4_000
    shares = Counter()
    for _ in range(count):
        hand = Hand(sum(1 << card for card in chooser.sample(range(52), 13)))
        row = chosen(children, (), hand)
        shares[row["call"] if row else "none"] += 1 / count
    # shares of five-card-major openings on random hands, give or take the sample
    for call, low, high in [
        ("P", 0.50, 0.60), ("1N", 0.040, 0.058), ("1S", 0.055, 0.080), ("1H", 0.050, 0.075),
        ("1D", 0.085, 0.125), ("1C", 0.085, 0.125), ("2C", 0.002, 0.010), ("2N", 0.004, 0.012),
        ("2S", 0.005, 0.014), ("none", 0, 0),
    ]:  # fmt: skip
        assert low <= shares[call] <= high, (call, shares[call])


def test_auctions_end_and_say_what_they_hold(children):
    chooser = random.Random(4)
    contracts, defaults = Counter(), 0
    games, points_in_games = 0, 0
    for _ in range(400):
        hands = random_deal(chooser)
        calls, silent = bid_out(children, hands)
        assert Auction.of(parse_calls(" ".join(calls))).is_complete
        defaults += silent
        bids = [(place, call) for place, call in enumerate(calls) if call[0].isdigit()]
        if not bids:
            contracts["passed out"] += 1
            continue
        place, last = bids[-1]
        contracts["contract"] += 1
        if last in ("3N", "4H", "4S"):
            ours = (hands[place % 4].mask, hands[(place + 2) % 4].mask)
            games += 1
            points_in_games += sum(high_card_points(mask) for mask in ours)
    assert defaults <= 4
    assert contracts["passed out"] <= 20
    assert 60 <= games <= 180
    assert 24.5 <= points_in_games / games <= 28


def high_card_points(mask):
    return sum(
        (mask >> 13 * suit + 9 + rank & 1) * (rank + 1) for suit in range(4) for rank in range(4)
    )


# --- the notation -----------------------------------------------------------------------------


def test_lines_speak_bounds():
    (line,) = lines_of("2{M} | Raise | Support | SL_{M} >= 3; HCP >= 6; HCP <= 9; Balanced", M="H")
    assert line.criteria == ("SL_H >= 3", "HCP >= 6", "HCP <= 9", "Balanced")
    assert line.description == "Support; 3+ hearts, 6-9 HCP"
    (line,) = lines_of("P | Pass | Nothing | HCP <= 5; SL_S == 3")
    assert line.description == "Nothing; at most 5 HCP, 3 spades"
    (line,) = lines_of("3C | Splinter | Short | SL_C <= 1")
    assert line.description == "Short; at most 1 club"
    (line,) = lines_of("2D | Waiting | Artificial |")
    assert line.criteria == ("True",)


def test_book_refuses_what_does_not_fit():
    book = Book()
    with pytest.raises(IllegalCall):
        book.at("1S P", "1H | New suit | Natural | SL_H >= 4")
    book.at("1S P", "2S | Raise | Support | SL_S >= 3")
    with pytest.raises(ValueError, match="'1S P' is written twice"):
        book.at("1S P", "3S | Raise | Support | SL_S >= 3")
    book.at("1S P 3S P", "4S | Accept | More | HCP >= 14")
    assert [line.call for line in book.places[("1S", "P")]] == ["2S"]
    with pytest.raises(ValueError, match="no line leads from '1S P' to '3S'"):
        book.close()


def test_later_lines_of_a_call_exclude_what_stands_between():
    lines = independent(
        lines_of(
            """
            2N | Balanced | Good | Balanced; HCP >= 18
            1N | Balanced | Minimum | HCP <= 11
            2S | Long suit | Spades | SL_S >= 6; HCP >= 12 or Solid_S
            2H | Long suit | Hearts | SL_H >= 6
            2N | Any other | Strong | HCP >= 15
            """
        )
    )
    assert lines[-1].criteria == (
        "HCP >= 15",
        "not (SL_S >= 6 and (HCP >= 12 or Solid_S))",
        "not SL_H >= 6",
    )
    assert [line.criteria for line in lines[:-1]] == [
        ("Balanced", "HCP >= 18"),
        ("HCP <= 11",),
        ("SL_S >= 6", "HCP >= 12 or Solid_S"),
        ("SL_H >= 6",),
    ]
