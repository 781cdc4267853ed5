"""The auction against a second rule check that judges the whole list of calls from scratch."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    CALL_COUNT,
    DOUBLE,
    FIRST_BID,
    PASS,
    REDOUBLE,
    Auction,
    IllegalCall,
    InvalidCall,
    Seat,
    first_illegal_call,
    format_calls,
    parse_calls,
    seat_of_call,
)
from tests.support.bridge import CALLS, SEATS_DRAWN


def judged_legal(calls: Sequence[int]) -> bool:
    """Whether a list of calls obeys Laws 17-22, found by looking back from every call."""
    for number, call in enumerate(calls):
        before = calls[:number]
        if over(before):
            return False
        spoken = [(place, past) for place, past in enumerate(before) if past != PASS]
        bids = [past for _, past in spoken if past >= FIRST_BID]
        if call >= FIRST_BID and bids and call <= max(bids):
            return False
        if call in (DOUBLE, REDOUBLE):
            if not spoken:
                return False
            place, past = spoken[-1]
            wanted = past >= FIRST_BID if call == DOUBLE else past == DOUBLE
            by_opponent = number - place in (1, 3)
            if not wanted or not by_opponent:
                return False
    return True


def over(calls: Sequence[int]) -> bool:
    """Whether three passes follow a bid, or four opened, judged on the text of the auction."""
    text = format_calls(calls)
    return text == "P P P P" or (text.endswith(" P P P") and any(call > PASS for call in calls))


def judged_contract(calls: Sequence[int], dealer: Seat) -> str | None:
    """Contract of a legal auction, by splitting it into the two sides' calls."""
    texts = format_calls(calls).split()
    bids = [(number, text) for number, text in enumerate(texts) if text[0].isdigit()]
    if not bids:
        return None
    last, bid = bids[-1]
    doubles = [text for text in texts[last + 1 :] if text != "P"]
    side = [(number, text) for number, text in bids if number % 2 == last % 2]
    first = next(number for number, text in side if text[1] == bid[1])
    return (
        bid + (doubles[-1] if doubles else "") + "NESW"[("NESW".index(dealer.letter) + first) % 4]
    )


@st.composite
def legal_auctions(draw: st.DrawFn) -> tuple[Auction, list[Auction]]:
    """A random legal auction and its states; passes and doubles are made likely."""
    auction = Auction(draw(SEATS_DRAWN))
    states = [auction]
    for _ in range(draw(st.integers(0, 40))):
        legal = list(auction.legal_calls())
        if not legal:
            break
        few = st.sampled_from([call for call in legal if call < FIRST_BID])
        near = st.sampled_from(legal[: len(legal) // 3 + 1])
        auction = auction.add(draw(few | near | st.sampled_from(legal)))
        states.append(auction)
    return auction, states


@given(legal_auctions())
def test_legal_calls_are_those_of_the_second_check(drawn):
    auction, states = drawn
    for state in states:
        expected = [call for call in range(CALL_COUNT) if judged_legal((*state.calls, call))]
        assert list(state.legal_calls()) == expected
        assert state.is_complete == over(state.calls) == (not expected)
        for call in range(CALL_COUNT):
            assert (state.why_illegal(call) is None) == state.is_legal(call) == (call in expected)
    assert first_illegal_call(auction.calls, auction.dealer) is None


@given(legal_auctions())
def test_contract_and_declarer_are_those_of_the_second_check(drawn):
    for state in drawn[1]:
        contract = judged_contract(state.calls, state.dealer)
        assert (state.contract and str(state.contract)) == contract
        declarer = None if state.declarer is None else state.declarer.letter
        assert declarer == (contract and contract[-1])


@given(legal_auctions())
def test_turns(drawn):
    auction, states = drawn
    for number, state in enumerate(states):
        assert state.seat_to_act == seat_of_call(auction.dealer, number)


@given(st.lists(CALLS, max_size=8), SEATS_DRAWN)
def test_first_illegal_call_of_any_calls(calls, dealer):
    illegal = first_illegal_call(calls, dealer)
    if illegal is None:
        assert judged_legal(calls)
        assert Auction.of(calls, dealer).calls == tuple(calls)
    else:
        assert judged_legal(calls[:illegal])
        assert not judged_legal(calls[: illegal + 1])
        with pytest.raises(IllegalCall, match=f"call {illegal + 1}, "):
            Auction.of(calls, dealer)


@given(legal_auctions())
def test_built_from_its_calls_at_once(drawn):
    auction, _ = drawn
    same = Auction(auction.dealer, auction.calls)
    assert same == auction == Auction.of(auction.calls, auction.dealer)
    assert hash(same) == hash(auction)
    assert list(same.legal_calls()) == list(auction.legal_calls())
    assert (same.is_complete, same.contract) == (auction.is_complete, auction.contract)


def test_built_from_illegal_calls():
    with pytest.raises(IllegalCall, match="insufficient"):
        Auction(Seat.NORTH, parse_calls("1S 1H"))


@pytest.mark.parametrize(
    ("calls", "dealer", "contract"),
    [
        ("P P P P", "N", None),
        ("1N P 3N P P P", "S", "3NS"),
        ("1H P 2H P 4H P P P", "E", "4HE"),
        # responder named the strain first
        ("1D P 1S P 2S P 4S P P P", "N", "4SS"),
        # the other side named it too, and earlier
        ("1S 2H 2S 3S P 4H X P P XX P P P", "W", "4HXXN"),
        ("1S 1N P 3N X P P P", "N", "3NXE"),
        ("1C P 1N 2C P 3C P P P", "N", "3CW"),
        # a later bid takes the double away
        ("1S X 2S P P P", "N", "2SN"),
    ],
)
def test_contracts(calls, dealer, contract):
    auction = Auction.of(parse_calls(calls), Seat("NESW".index(dealer)))
    assert auction.is_complete
    assert (auction.contract and str(auction.contract)) == contract


@pytest.mark.parametrize(
    ("calls", "call", "reason"),
    [
        ("", "X", "no bid to double"),
        ("P P", "X", "no bid to double"),
        ("", "XX", "no double to redouble"),
        ("1C", "XX", "no double to redouble"),
        ("1C P", "X", "caller's own side"),
        ("1C X", "X", "caller's own side"),
        ("1C X P", "X", "doubled already"),
        ("1C X P", "XX", "double is by the caller's own side"),
        ("1C X XX", "X", "redoubled already"),
        ("1C X XX P", "XX", "redoubled already"),
        ("1C X XX", "XX", "redoubled already"),
        ("1C X 1D", "XX", "no double to redouble"),
        ("1S", "1H", "insufficient: not above 1S"),
        ("7N", "7N", "insufficient: not above 7N"),
        ("P P P P", "1C", "auction is over"),
        ("1C P P P", "P", "auction is over"),
        ("1C X P P P", "1D", "auction is over"),
    ],
)
def test_why_a_call_is_illegal(calls, call, reason):
    auction = Auction.of(parse_calls(calls))
    (code,) = parse_calls(call)
    assert reason in (auction.why_illegal(code) or "")
    with pytest.raises(IllegalCall, match=reason):
        auction.add(code)


def test_message_names_call_and_place():
    with pytest.raises(IllegalCall, match=r"call 3, '1H', is illegal after 1S P: insufficient"):
        Auction.of(parse_calls("1S P 1H"))
    with pytest.raises(IllegalCall, match=r"call 1, 'X', is illegal as opening call"):
        Auction.of(parse_calls("X"))


@pytest.mark.parametrize("calls", ["", "1C", "7N X XX", "P P P P", "1C P P P"])
@pytest.mark.parametrize("code", [-1, 38, 255])
def test_codes_that_are_no_calls(calls, code):
    with pytest.raises(InvalidCall, match=f"expected a call code 0-37, got {code}"):
        Auction.of(parse_calls(calls)).why_illegal(code)


def test_three_opening_passes_are_not_the_end():
    auction = Auction.of(parse_calls("P P P"))
    assert not auction.is_complete
    assert auction.seat_to_act == Seat.WEST
    assert auction.contract is None
    assert auction.declarer is None


def test_longest_auction():
    """319 calls: every bid doubled and redoubled, with as many passes as can be."""
    auction = Auction.of(parse_calls("P P P"))
    for bid in range(FIRST_BID, CALL_COUNT):
        auction = auction.add(bid)
        for call in parse_calls("P P X P P XX"):
            auction = auction.add(call)
        passes = 3 if bid == CALL_COUNT - 1 else 2
        auction = Auction.of((*auction.calls, *[PASS] * passes), auction.dealer)
    assert auction.is_complete
    assert len(auction.calls) == 319
