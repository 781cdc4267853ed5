"""Cards chosen by layouts: by the laws, by what is seen and nothing else, with a reason."""

from threading import Event
from time import perf_counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bidcascade.bridge import (
    Auction,
    BackendUnavailable,
    Cancelled,
    InvalidInput,
    NoSuchDeal,
    Seat,
    Vulnerability,
    cards_of,
    format_card,
    parse_calls,
    parse_card,
    parse_hand,
)
from bidcascade.inference.card_play.choosing import CardPlayer, _groups, play_values
from bidcascade.inference.card_play.likelihood import (
    CardInference,
    hidden_choices,
    likelihoods,
)
from bidcascade.inference.card_play.next_choice import value_with_next_choice
from bidcascade.inference.card_play.rules_of_thumb import legal_cards, usual_cards
from bidcascade.inference.card_play.sight import Sight, give_to_seats
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD
from bidcascade.inference.layouts.sampling import deal_where
from bidcascade.inference.layouts.searching import SearchLimits
from bidcascade.inference.single_dummy import EndingSolver, Ties
from bidcascade.inference.single_dummy.views import all_layouts
from bidcascade.loaders.frames.play import count_tricks
from bidcascade.seats.foreign.bidding import bid_out, call_of
from bidcascade.seats.foreign.protocol import Turn
from bidcascade.systems import System
from tests.support.deals import deals_in_turn, plain_deals
from tests.support.examples import examples
from tests.support.systems import OTHER, SMALL

NONE = Vulnerability.NONE


def player(meanings=None, **options):
    return CardPlayer(meanings, **{"budget_ms": None, "layouts": 4, **options})


def sight_of(auction, hands, played, vulnerability=NONE):
    """What the player sees who is to choose, of a whole deal."""
    contract = auction.contract
    turn, dummy = give_to_seats(played, contract).turn, (contract.declarer + 2) % 4
    seat = contract.declarer if turn == dummy else turn
    return Sight(
        auction,
        vulnerability,
        Seat(seat),
        int(hands[seat]),
        int(hands[dummy]) if played else None,
        tuple(played),
    )


def played_by_chance(contract, hands, count, generator):
    """Legal cards, the opening lead first."""
    played = []
    while len(played) < count:
        state = give_to_seats(played, contract)
        left = int(hands[state.turn]) & ~state.hands[state.turn]
        played.append(int(generator.choice(legal_cards(left, state.trick))))
    return played


def auction_to(text):
    """North deals and bids a contract at once."""
    return Auction.of(parse_calls(f"{text} P P P"))


# --- what is seen ---------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(0, 51), st.sampled_from(["1C", "3D", "4H", "4S", "3N"]))
def test_cards_go_to_the_seats_that_played_them(seed, count, bid):
    contract = auction_to(bid).contract
    hands = plain_deals(1, seed).hands[:, 0].tolist()
    played = played_by_chance(contract, hands, count, np.random.default_rng(seed))
    state = give_to_seats(played, contract)
    for seat in Seat:
        assert state.hands[seat] & ~hands[seat] == 0
        assert state.voids[seat] & hands[seat] & ~state.hands[seat] == 0
    tricks = count_tricks(played, 1, contract.strain)
    assert state.declarer_tricks == tricks[0] + tricks[2]
    sight = sight_of(auction_to(bid), hands, played)
    for seat, known in sight.known().items():
        assert known.cards & ~hands[seat] == 0
        assert known.forbidden & hands[seat] == 0
        for suit, (low, high) in enumerate(known.lengths):
            assert low <= (hands[seat] >> 13 * suit & 0x1FFF).bit_count() <= high


HAND, DUMMY = parse_hand("A43.KJ3.A964.Q93"), parse_hand("K2.AQT8.QJ5.K742")
GAME = auction_to("3N")


def cards(text):
    return tuple(map(parse_card, text.split()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"auction": Auction.of(parse_calls("3N P P"))}, "an auction that ended in a contract"),
        ({"auction": Auction.of((0, 0, 0, 0))}, "an auction that ended in a contract"),
        ({"dummy": None}, "dummy behind the opening lead"),
        ({"played": ()}, "dummy behind the opening lead"),
        ({"seat": Seat.SOUTH}, "declarer or a defender to choose, got dummy, S"),
        ({"hand": HAND & HAND - 1}, "13 cards that N was dealt, got 12"),
        ({"hand": 1 << 60}, "13 cards that N was dealt"),
        ({"dummy": HAND}, "different cards in hand and dummy, got C3"),
        ({"played": cards("SQ S2 SQ")}, "each card once, got SQ again as card 3"),
        ({"played": cards("SQ S2")}, "a question of W, who is to play, got one of N"),
        ({"played": cards("SA")}, "expected cards of E's hand, got SA played by E"),
        ({"played": cards("SQ DQ S5 SA")}, "expected S to follow suit, got a revoke with S2"),
        ({"played": cards("SQ S2 H9 SA D4 D2 DJ D3 SK SJ")}, "a suit that W has shown out of"),
        ({"played": tuple(range(52))}, "expected"),
    ],
)
def test_sights_that_cannot_be(change, message):
    given_ = {
        "auction": GAME, "vulnerability": NONE, "seat": Seat.NORTH, "hand": HAND,
        "dummy": DUMMY, "played": cards("SQ"), **change,
    }  # fmt: skip
    with pytest.raises(InvalidInput, match=message):
        Sight(**given_)


# --- whole deals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(2))
def test_whole_deals_are_played_by_the_laws(number):
    """Four players choose every card from what they see: no revoke, all 52 cards once."""
    deals = deals_in_turn(6, 21).slice(number, number + 1)
    auction = Auction.of(bid_out(SMALL, SMALL, deals)[0], int(deals.dealer[0]))
    hands = deals.hands[:, 0].tolist()
    if auction.contract is None:
        pytest.skip("passed out")
    played = []
    while len(played) < 52:
        sight = sight_of(auction, hands, played)
        chosen = player(SMALL).choose(sight)
        assert chosen.card in sight.legal
        assert chosen.why
        if len(sight.legal) == 1:
            assert chosen.origin == "only card"
        else:
            assert chosen.origin in ("layouts", "equal cards")
        played.append(chosen.card)
    assert sorted(played) == list(range(52))


# --- nothing but what is seen ---------------------------------------------------------------------


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(20, 50), st.integers(0, 10))
def test_the_card_hangs_on_nothing_hidden(seed, count, other):
    """Deal the hidden cards anew behind the same sight: seats that fit choose the same."""
    hands = plain_deals(1, seed).hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, count, np.random.default_rng(seed))
    sight = sight_of(GAME, hands, played)
    anew = next(deal_where((), count=1, seed=other, known=sight.known()))[0][:, 0].tolist()
    assume(anew != hands)
    assert sight_of(GAME, anew, played) == sight
    assert player().choose(sight) == player().choose(sight_of(GAME, anew, played))


def two_way_guess(queen, declarer_leads="S4"):
    """AJ4 opposite KT5 of spades for the last three tricks, with the queen at a seat.

    North has cashed ten clubs in 3N, on which all others threw what they had but spades.
    """
    east, west = parse_hand("632.87654.K32.32"), parse_hand("Q987.AKQJT92.4.4")
    if queen == Seat.EAST:
        swap = (1 << parse_card("SQ")) | (1 << parse_card("S6"))
        east, west = east ^ swap, west ^ swap
    north, south = parse_hand("AJ4...AKQJT98765"), parse_hand("KT5.3.AQJT98765.")
    # what each discards after the first trick, spades of West last
    rest = [
        [card for card in cards_of(hand) if card // 13 != 3] for hand in (east, south, west, north)
    ]
    spare = [parse_card("S7")]
    played = list(cards("C2 DA C4 C5"))
    hands = {1: rest[0], 2: rest[1], 3: rest[2] + spare, 0: rest[3]}
    for seat in hands:
        hands[seat] = [card for card in hands[seat] if card not in played]
    clubs = sorted(hands[0], reverse=True)
    # East keeps the king of diamonds to the last club, and South a diamond below it
    hands[1].sort(key=lambda card: card == parse_card("DK"))
    hands[2].sort(reverse=True)
    for round_ in range(9):
        played.append(clubs[round_])
        for seat in (1, 2, 3):
            follows = [card for card in hands[seat] if card // 13 == 0]
            card = follows[0] if follows else hands[seat][0]
            hands[seat].remove(card)
            played.append(card)
    played.append(parse_card(declarer_leads))
    played.append(parse_card("S2"))
    return (north, east, south, west), played


def test_a_two_way_finesse_is_a_guess_wherever_the_queen_lies():
    chosen = []
    for queen in (Seat.WEST, Seat.EAST):
        hands, played = two_way_guess(queen)
        chosen.append(player(layouts=40).choose(sight_of(GAME, hands, played)))
    assert chosen[0] == chosen[1]
    # neither the king nor the ten takes all three for sure
    best = chosen[0].values[0]
    assert 12 < best.tricks < 13


def test_a_guess_is_put_off_while_there_are_tricks_to_cash():
    """North has a club left: double dummy a spade now is as good, but the club tells more."""
    hands, played = two_way_guess(Seat.WEST)
    before = played[:-6]
    sight = sight_of(GAME, hands, before)
    assert (sight.actor, sight.state.trick) == (Seat.NORTH, ())
    chosen = player(layouts=40).choose(sight)
    equal = [one.cards for one in chosen.values if one[1:] == chosen.values[0][1:]]
    assert (parse_card("S4"),) in equal
    assert format_card(chosen.card) == "C6"
    # the spade leaves a guess for the next card, which is right in some layouts only
    every = all_layouts(sight.view())
    for seat in Seat:
        every[seat] |= np.uint64(sight.state.hands[seat])
    even = np.ones(every.shape[1])
    worth = {
        name: value_with_next_choice(sight, parse_card(name), every, even, EndingSolver())
        for name in ("S4", "C6")
    }
    assert worth["C6"].tricks == 13 > worth["S4"].tricks


def safety_play():
    """AQ92 opposite KT43 for all tricks, with jack, eight, seven, six and five out of sight.

    North has won nine tricks, to which all have followed.
    """
    north, south = parse_hand("AQ92.AKQ.AKQ.AKQ"), parse_hand("KT43.432.432.432")
    east, west = parse_hand("J865.JT9.JT9.JT9"), parse_hand("7.8765.8765.8765")
    played = cards(
        "HJ H2 H8 HA HK HT H3 H7 HQ H9 H4 H6 DA DJ D2 D8 DK DT D3 D7 DQ D9 D4 D6 "
        "CA CJ C2 C8 CK CT C3 C7 CQ C9 C4 C6"
    )
    return (north, east, south, west), played


def test_a_suit_is_played_so_that_it_cannot_be_guessed_wrong():
    """Ace or queen first: if East shows out or West does, the jack can be caught either way.

    The deuce to the king or the ten is as good double dummy, since it is known who has the jack.
    """
    hands, played = safety_play()
    auction = auction_to("7N")
    sight = sight_of(auction, hands, played)
    assert (sight.actor, sight.state.trick) == (Seat.NORTH, ())
    blind = player(looks_ahead=False).choose(sight)
    chosen = player().choose(sight)
    equal = {card for one in blind.values if one[1:] == blind.values[0][1:] for card in one.cards}
    assert parse_card("S2") in equal
    assert chosen.card != parse_card("S2")
    every = all_layouts(sight.view())
    for seat in Seat:
        every[seat] |= np.uint64(sight.state.hands[seat])
    even = np.ones(every.shape[1])

    def worth(name):
        return value_with_next_choice(sight, parse_card(name), every, even, EndingSolver())

    assert worth("S2") < worth(format_card(chosen.card))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(28, 46))
def test_no_card_is_worth_more_than_double_dummy(seed, count):
    """With the next choice for all layouts alike it is as much at most, and as much with one."""
    hands = plain_deals(1, seed).hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, count, np.random.default_rng(seed))
    sight = sight_of(GAME, hands, played)
    assume(sight.declares)
    every = all_layouts(sight.view())
    for seat in Seat:
        every[seat] |= np.uint64(sight.state.hands[seat])
    every = np.ascontiguousarray(every[:, :30])
    left = every & ~np.uint64(sight.gone)
    on_table = np.full((every.shape[1], 3), NO_CARD, np.uint8)
    on_table[:, : len(sight.state.trick)] = sight.state.trick
    tricks = EndingSolver().plays(left, 4, sight.state.leader, on_table)
    weights = np.ones(every.shape[1])
    for one in play_values(sight, weights, tricks):
        worth = value_with_next_choice(sight, one.cards[0], every, weights, EndingSolver())
        assert worth.points <= one.points
        alone = [
            value_with_next_choice(
                sight, one.cards[0], every[:, [place]], weights[:1], EndingSolver()
            )
            for place in range(min(5, every.shape[1]))
        ]
        for place, single in enumerate(alone):
            own = play_values(sight, weights[:1], tricks[[place]])
            (same,) = [value for value in own if value.cards == one.cards]
            assert tuple(single) == (same.points, same.tricks)


# --- the same again -------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_card():
    deals = deals_in_turn(1, 5)
    hands = deals.hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, 13, np.random.default_rng(1))
    sight = sight_of(GAME, hands, played)
    one = player(layouts=20, seed=3).choose(sight)
    assert one == player(layouts=20, seed=3).choose(sight)
    other = player(layouts=20, seed=4).choose(sight)
    assert one.values != other.values


# --- what players play ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "lead"),
    [("KQJT9.32.432.432", "SK"), ("Q9742.32.432.432", "S4")],
    ids=["top of a sequence", "fourth best"],
)
def test_leads(hand, lead):
    sight = Sight(GAME, NONE, Seat.EAST, parse_hand(hand))
    assert format_card(player(layouts=8).choose(sight).card) == lead


def test_the_lowest_of_equal_cards_is_played_and_no_honour_wasted():
    """North has all tricks but follows and discards with what is worth least."""
    hands, played = two_way_guess(Seat.WEST)
    # South discards on the last club: a diamond or a spade
    before = played[:-4]
    state = give_to_seats(before, GAME.contract)
    while state.turn != Seat.SOUTH:
        before = before[:-1]
        state = give_to_seats(before, GAME.contract)
    sight = sight_of(GAME, hands, before)
    chosen = player(layouts=8).choose(sight)
    good = [card for one in chosen.values if one[1:] == chosen.values[0][1:] for card in one.cards]
    assert chosen.card % 13 == min(card % 13 for card in good)


# --- endings --------------------------------------------------------------------------------------


@examples(25, 100)
@given(st.integers(0, 10**6), st.integers(28, 50))
def test_an_ending_is_looked_at_in_all_its_layouts(seed, count):
    """As many as the cards that are left and the suits that were shown out of leave."""
    hands = plain_deals(1, seed).hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, count, np.random.default_rng(seed))
    sight = sight_of(GAME, hands, played)
    view, known = sight.view(), sight.known()
    every = all_layouts(view)
    assert len(set(map(tuple, every.T.tolist()))) == every.shape[1]
    for seat in Seat:
        dealt = every[seat] | np.uint64(sight.state.hands[seat])
        assert (np.bitwise_count(dealt) == 13).all()
        for suit, (low, high) in enumerate(known[seat].lengths):
            lengths = np.bitwise_count(dealt >> np.uint64(13 * suit) & np.uint64(0x1FFF))
            assert ((lengths >= low) & (lengths <= high)).all()
    assert [int(hand) & ~sight.gone for hand in hands] in every.T.tolist()
    chosen = player().choose(sight)
    if chosen.origin == "layouts":
        assert chosen.layouts == every.shape[1]
        # nothing is drawn; of many layouts declarer's next choice sees some, by the seed
        double_dummy = player(looks_ahead=False).choose(sight)
        assert double_dummy == player(looks_ahead=False, seed=1).choose(sight)


def ending_of_the_study():
    """The first ending of ``docs/single-dummy.md``, with nine tricks to which E and S follow."""
    north, east, south, west = (
        parse_hand(text)
        for text in ("KJT32.Q432.A432.", "Q54.65.K65.QJT98", "A98.K87.J87.K765", "76.AJT9.QT9.A432")
    )
    played = cards(
        "C2 S2 CT C5 C9 C6 C3 H2 C8 C7 C4 D2 D5 D7 DT D3 D9 D4 D6 D8 HT H3 H5 H7 H9 H4 H6 H8 "
        "S6 ST S4 S8 S3 S5 S9 S7 SA"
    )
    return north, east, south, west, played


def test_an_ending_of_the_study_is_played_as_it_was_studied():
    """16 of 35 layouts are left behind the ace of spades, and the ace of clubs takes 3.4375."""
    north, _, _, west, played = ending_of_the_study()
    auction = Auction.of(parse_calls("1N P P P"), Seat.SOUTH)
    sight = Sight(auction, NONE, Seat.WEST, west, north, played)
    assert sight.actor == Seat.WEST
    plain = player().choose(sight)
    assert plain.layouts == 35
    won = sight.state.declarer_tricks

    def tricks(chosen):
        return {
            format_card(card): 13 - one.tricks - won for one in chosen.values for card in one.cards
        }

    assert tricks(plain) == pytest.approx(
        {"CA": 119 / 35, "DQ": 98 / 35, "HJ": 102 / 35, "HA": 117 / 35}, abs=1e-5
    )
    how = CardInference(choices=1, ties=Ties("strict"), hypotheses=70)
    strict = player(inference=how).choose(sight)
    assert strict.layouts == 16
    assert tricks(strict) == {"CA": 3.4375, "DQ": 2.5, "HJ": 2.75, "HA": 3.3125}
    shared = player(inference=CardInference(1, Ties("share"), 70)).choose(sight)
    assert tricks(shared) == pytest.approx(
        {"CA": 106 / 31, "DQ": 8 / 3, "HJ": 88 / 31, "HA": 10 / 3}, abs=1e-5
    )


def test_layouts_of_an_ending_fit_the_auction():
    """South opened 1NT and East passed: with the hands of each layout they would again."""
    weak = System.parse("opening:\n  1NT = Weak: 10-11 points\n")
    north, _, _, west, played = ending_of_the_study()
    auction = Auction.of(parse_calls("1N P P P"), Seat.SOUTH)
    sight = Sight(auction, NONE, Seat.WEST, west, north, played)
    dealt = all_layouts(sight.view())
    for seat in Seat:
        dealt[seat] |= np.uint64(sight.state.hands[seat])
    fit = sum(
        all(
            call_of(weak, Turn(int(layout[seat]), Seat.SOUTH, NONE, auction.calls[:number])).call
            == auction.calls[number]
            for number, seat in ((0, Seat.SOUTH), (3, Seat.EAST))
        )
        for layout in dealt.T
    )
    assert 0 < fit < 35
    assert player(weak).choose(sight).layouts == fit
    strong = player(SMALL).choose(sight)
    # nobody has 15 points
    assert strong.layouts > 0
    assert "1N by S" in strong.notes[0]


def test_equal_cards_are_not_weighed():
    """Queen and jack of the suit led, and no card between: either is played, without layouts."""
    hands, played = two_way_guess(Seat.WEST)
    before = played[:-2]
    solver = Solver()
    while True:
        sight = sight_of(GAME, hands, before)
        if len(_groups(sight)) == 1 and len(sight.legal) > 1:
            break
        before = before[:-1]
    chosen = player(solver=solver).choose(sight)
    assert (chosen.origin, solver.asked) == ("equal cards", 0)
    assert "equal" in chosen.why


# --- what others' cards tell ----------------------------------------------------------------------


def test_of_two_touching_honours_each_is_half_as_likely():
    """East plays second to the four, with queen and jack, or with the bare jack."""
    hands, played = two_way_guess(Seat.WEST)
    sight = sight_of(GAME, hands, played)
    choice = hidden_choices(sight)[-1]
    assert (choice.seat, format_card(choice.card)) == (Seat.EAST, "S2")

    def chance(east, west, card):
        texts = ("A54...", east, "KT6...", west)
        layout = np.array([[parse_hand(text, cards=None)] for text in texts], np.uint64)
        # hearts that were discarded make up the hands
        gone = choice.gone & ~parse_hand(".32..", cards=None)
        one = choice._replace(card=parse_card(card), gone=gone)
        how = CardInference(hypotheses=0)
        return likelihoods(sight, layout, one, how, EndingSolver())[0]

    assert chance("QJ.3..", "982...", "SJ") == chance("QJ.3..", "982...", "SQ") == 0.5
    assert chance("J.32..", "Q98...", "SJ") == 1
    # a card that costs a trick is rarer, and all together are sure
    every = [chance("QJ3...", "982...", card) for card in ("SQ", "SJ", "S3")]
    assert sum(every) == pytest.approx(1)
    assert every[2] < 0.5


def test_layouts_count_by_the_cards_of_others():
    hands = plain_deals(1, 8).hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, 25, np.random.default_rng(0))
    sight = sight_of(GAME, hands, played)
    how = CardInference(choices=5)
    choices = hidden_choices(sight, how)
    assert 0 < len(choices) <= 5
    assert all(one.seat not in sight.seen for one in choices)
    assert [one.gone for one in choices] == sorted(one.gone for one in choices)
    plain = player(layouts=20).choose(sight)
    weighed = player(layouts=20, inference=how).choose(sight)
    assert weighed == player(layouts=20, inference=how).choose(sight)
    assert plain.values != weighed.values


def test_cards_that_there_was_no_time_to_weigh_are_told(monkeypatch):
    solver = Solver(takes_s=10.0**6)
    monkeypatch.setattr(
        "bidcascade.inference.card_play.choosing.perf_counter",
        lambda: perf_counter() + solver.taken_s,
    )
    hands = plain_deals(1, 8).hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, 25, np.random.default_rng(0))
    chosen = player(solver=solver, budget_ms=10**7, inference=CardInference()).choose(
        sight_of(GAME, hands, played)
    )
    assert any(note.startswith("0 of ") and "weighed" in note for note in chosen.notes)


# --- what cannot be had ---------------------------------------------------------------------------


def test_an_auction_that_no_hand_fits_is_relaxed_and_said():
    """West opened a strong notrump, and then plays one ace and king after the other."""
    auction = Auction.of(parse_calls("1N P 3N P P P"), Seat.WEST)
    hands = [
        parse_hand("432.432.5432.432"), parse_hand("AKQJ.AKQ.AKQ.AKQ"),
        parse_hand("765.765.J876.765"), parse_hand("T98.JT98.T9.JT98"),
    ]  # fmt: skip
    played = []
    while len(played) < 25:
        state = give_to_seats(played, auction.contract)
        left = hands[state.turn] & ~state.hands[state.turn]
        played.append(legal_cards(left, state.trick)[-1])
    chosen = player(SMALL).choose(sight_of(auction, hands, played))
    assert chosen.origin == "layouts"
    assert any("1N by W" in note for note in chosen.notes)


def test_cards_that_both_hidden_hands_deny_leave_the_rules():
    """East and West have shown out of spades, which are not all in sight: somebody revoked."""
    played = cards("DT DJ D2 D4 SK H9 S3 H7")
    sight = Sight(GAME, NONE, Seat.NORTH, HAND, DUMMY, played)
    chosen = player().choose(sight)
    assert chosen.origin == "rules of thumb"
    assert "no layout fits the cards played" in chosen.notes[0]


def test_calls_of_no_known_meaning_say_nothing_and_that_is_told():
    hands = plain_deals(1, 8).hands[:, 0].tolist()
    played = played_by_chance(GAME.contract, hands, 21, np.random.default_rng(0))
    chosen = player().choose(sight_of(GAME, hands, played))
    assert any("nothing of the auction" in note for note in chosen.notes)


@pytest.mark.parametrize("budget_ms", [0, 1])
def test_without_time_cards_are_those_of_the_rules(budget_ms):
    hand = parse_hand("KQJT9.32.432.432")
    chosen = CardPlayer(SMALL, budget_ms=budget_ms).choose(Sight(GAME, NONE, Seat.EAST, hand))
    assert chosen.origin == "rules of thumb"
    assert chosen.card == usual_cards(hand, [], 4, 0, declares=False)[0]
    assert f"a budget of {budget_ms} ms" in chosen.notes[0]


class Solver:
    """Fails, or says that all cards take a trick, after some time."""

    def __init__(self, error=None, takes_s=0.0):
        self.error, self.takes_s = error, takes_s
        self.asked, self.taken_s = 0, 0.0

    def plays(self, hands, strain, first, trick, *, cancel=None, timeout_s=None):
        self.taken_s += self.takes_s
        self.asked += hands.shape[1]
        if self.error is not None:
            raise self.error
        return np.ones((hands.shape[1], 52), np.int8)


def test_a_missing_solver_is_told():
    solver = Solver(BackendUnavailable("expected a core, got none"))
    chosen = player(solver=solver).choose(Sight(GAME, NONE, Seat.EAST, HAND))
    assert (chosen.origin, chosen.notes[-1]) == ("rules of thumb", "expected a core, got none")


@pytest.mark.parametrize(
    ("takes_s", "solved", "origin", "note"),
    [
        (0.3, 4, "layouts", "4 of 10 layouts solved in 1000 ms"),
        (2.0, 1, "rules of thumb", "no time for layouts in 1000 ms"),
    ],
)
def test_layouts_that_there_was_no_time_for_are_told(monkeypatch, takes_s, solved, origin, note):
    """A clock that goes on only while layouts are solved ends the work."""
    solver = Solver(takes_s=takes_s)
    monkeypatch.setattr(
        "bidcascade.inference.card_play.choosing.perf_counter", lambda: solver.taken_s
    )
    monkeypatch.setattr(
        "bidcascade.inference.card_play.choosing.SearchLimits", lambda *_: SearchLimits()
    )
    chosen = player(solver=solver, layouts=20, budget_ms=1000).choose(
        Sight(GAME, NONE, Seat.EAST, HAND)
    )
    assert (solver.asked, chosen.origin) == (solved, origin)
    assert any(note in one for one in chosen.notes)


class Hanging(Solver):
    """Does not come back with a layout before it is let go."""

    def __init__(self):
        super().__init__()
        self.let_go = Event()

    def plays(self, hands, *others, **options):
        if self.asked >= 5:
            self.let_go.wait(60)
        return super().plays(hands, *others, **options)


@pytest.mark.parametrize(("before", "origin"), [(0, "layouts"), (5, "rules of thumb")])
def test_no_layout_is_waited_for_behind_the_end_of_the_budget(before, origin):
    """The card comes while the sixth layout, or the first one, is still being solved."""
    solver = Hanging()
    solver.asked = before
    chosen = player(solver=solver, layouts=20, budget_ms=1500).choose(
        Sight(GAME, NONE, Seat.EAST, HAND)
    )
    assert not solver.let_go.is_set()
    assert chosen.origin == origin
    assert any("1500 ms" in note for note in chosen.notes)
    solver.let_go.set()


def test_a_question_that_is_given_up_ends():
    solver = Solver(Cancelled("the work was cancelled"))
    with pytest.raises(Cancelled):
        player(solver=solver).choose(Sight(GAME, NONE, Seat.EAST, HAND))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget_ms": -1}, "a budget from 0 ms"),
        ({"layouts": 3}, "at least 4 layouts"),
        ({"seed": -1}, "a seed from 0"),
        ({"opponents": OTHER}, "a system whose opponents"),
    ],
)
def test_players_that_cannot_be(options, message):
    with pytest.raises(InvalidInput, match=message):
        CardPlayer(None, **options)


# --- both systems ---------------------------------------------------------------------------------


def test_each_side_is_read_by_its_own_system(monkeypatch):
    """The dealer's side has one text and the others another, whoever of them plays."""
    read = []

    def sample(source, calls, *, opponents, **others):
        read.append((source, opponents))
        raise NoSuchDeal("none")

    monkeypatch.setattr("bidcascade.inference.card_play.choosing.sample_layouts", sample)
    hands = plain_deals(1, 8).hands[:, 0].tolist()
    for dealer in (Seat.NORTH, Seat.EAST):
        calls = parse_calls("3N P P P" if dealer == Seat.NORTH else "P P P 3N P P P")
        auction = Auction.of(calls, dealer)
        for count in range(20, 24):
            played = played_by_chance(GAME.contract, hands, count, np.random.default_rng(0))
            sight = sight_of(auction, hands, played)
            own, theirs = (SMALL, OTHER) if sight.seat % 2 == dealer % 2 else (OTHER, SMALL)
            player(own, opponents=theirs).choose(sight)
    assert read
    assert set(read) == {(SMALL, OTHER)}
