"""Calls that count from the last bid: ``step 1``, ``cheapest suit``."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, InvalidSystem, format_call, parse_calls
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.language.editing.formatter import format_system_text
from bidcascade.systems.language.reader import read_text
from bidcascade.systems.language.tree import steps
from bidcascade.systems.system import System
from tests.support.examples import examples

RELAYS = """
opening:
  1C = Strong: 16+ points; artificial, forcing
  1M = Five-card major: 11-15 points, 5+ M
  2D = Multi: 5-10 points, 6 hearts or 6 spades; artificial
after 1C:
  step 1 = Negative: 0-7 points; artificial
    cheapest suit = Waiting: any hand; artificial
  step 2 = Hearts: 8+ points, 5+ hearts; artificial, forcing to game
    step 1 = Relay: any hand; artificial, forcing
      first step = Short clubs: at most 1 club
      step 2 = Short diamonds: at most 1 diamond
      step 7 = Seven: 7+ hearts
  (1S):
    step 1 = Negative: 0-7 points
  (1X):
    second step = Positive: 8+ points
      step 1 = Relay: any hand
after 1M:
  2M = Raise: 6+ points, 3+ M; forcing
    cheapest suit = Ask; artificial, forcing
      either Balanced: 14-15 points, balanced
      or Short: 12+ points, unbalanced
      step 1 = Minimum: at most 8 points
      step 2 = Maximum: 9+ points
after 2D:
  2NT = Ask: 15+ points; artificial, forcing
    step 1 = Hearts: 6 hearts
    step 2 = Spades: 6 spades
"""


@pytest.mark.parametrize(
    ("auction", "lines"),
    [
        ("1C P", ["1D Negative", "1H Hearts"]),
        ("1C P 1D P", ["1H Waiting"]),
        ("1C P 1H P", ["1S Relay"]),
        ("1C P 1H P 1S P", ["1N Short clubs", "2C Short diamonds", "3C Seven"]),
        ("1C 1S", ["1N Negative", "2C Positive"]),
        ("1C 1D", ["1S Positive"]),
        ("1C 1H", ["1N Positive"]),
        ("1C 1D 1S P", ["1N Relay"]),
        ("1H P 2H P", ["2S Balanced", "2S Short"]),
        ("1S P 2S P", ["3C Balanced", "3C Short"]),
        ("1H P 2H P 2S P", ["2N Minimum", "3C Maximum"]),
        ("1S P 2S P 3C P", ["3D Minimum", "3H Maximum"]),
        ("2D P 2N P", ["3C Hearts", "3D Spades"]),
    ],
)
def test_steps_are_bids_at_their_place(auction, lines):
    place = System.parse(RELAYS).expand(auction)
    found = [f"{format_call(entry.call)} {entry.kind or entry.name}" for entry in place.entries]
    assert found == lines


CALLS = [format_call(call) for call in range(3, 38)]


def parsed(text: str, *, may_fail: bool) -> System | None:
    """Parse a text, of which a step beyond seven notrump is an error."""
    try:
        return System.parse(text)
    except InvalidSystem as error:
        if may_fail and "no bid of it is enough" in str(error):
            return None
        raise


@examples(25, 100)
@given(st.sampled_from(CALLS[:-1]), st.integers(1, 15))
def test_a_step_is_so_many_bids_above_the_last_one(bid, number):
    """Whether the text says which bid is the last one or not."""
    wanted = CALLS[CALLS.index(bid) + number :][:1]
    for header in (f"after {bid}", f"after {bid[0]}X" if bid[1] != "N" else f"after {bid}",
                   "after n" + bid[1], "when partner's last call was a bid"):  # fmt: skip
        system = parsed(f"{header}:\n  step {number} = Answer: any hand\n", may_fail=not wanted)
        if system is None:
            continue
        assert [format_call(one.call) for one in system.expand(f"{bid} P").entries] == wanted


@given(st.sampled_from(CALLS[:-1]))
def test_the_cheapest_suit_is_the_first_step_that_is_not_notrump(bid):
    above = [one for one in CALLS[CALLS.index(bid) + 1 :] if one[1] != "N"]
    for header in (f"after {bid}", "when partner's last call was a bid"):
        system = parsed(f"{header}:\n  cheapest suit = Relay: any hand\n", may_fail=not above)
        if system is None:
            continue
        assert [format_call(one.call) for one in system.expand(f"{bid} P").entries] == above[:1]


def test_a_relay_is_bid_to_the_end():
    system = System.parse(RELAYS)
    calls = parse_calls("1C P 1H P 1S P")
    assert format_call(system.bid("A432.AK543.4.K32", "1C P").call) == "1H"
    assert format_call(system.bid("A432.AK543.4.K32", calls).call) == "2C"
    assert Auction.of(calls)


def test_steps_are_laid_out_as_other_calls():
    laid = format_system_text("after 1C:\n  step 1   =  Negative: 0-7 points\n")
    assert laid == "after 1C:\n  step 1 = Negative: 0-7 points\n"


def test_a_step_over_any_bid_is_one_line_to_look_at():
    text = "opening:\n  1C = Club: 12+ points\nwhen partner's last call was a bid:\n"
    system = System.parse(f"{text}  step 1 = Answer: 8+ points\n  step 2 = Never: 37 points\n")
    found = check_system(system, deals=1_000).findings
    told = [one.text for one in found if one.kind in ("dead line", "unreached line")]
    assert len(told) == 1
    assert "Never" in told[0]


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("opening:\n  step 1 = Pass: any hand\n", "nobody has bid", "write a bid"),
        ("opening:\n  cheapest suit = Any: any hand\n", "nobody has bid", "write a bid"),
        ("after 1C:\n  step 0 = Zero: any hand\n", "from 1 to 15", ""),
        ("after 1C:\n  step 16 = Far: any hand\n", "from 1 to 15", ""),
        ("after 1C:\n  step = What: any hand\n", "a number", ""),
        ("after 1C:\n  cheapest bid = Next: any hand\n", "a suit or NT", '"step 1"'),
        ("after 1C:\n  next step = Next: any hand\n", 'I read "next"', "step 1"),
        ("after 1C step 1:\n  2C = Next: any hand\n", 'I read "step"', ""),
    ],
)
def test_what_is_no_step(text, message, advice):
    with pytest.raises(InvalidSystem) as caught:
        read_text(text)
    (found,) = caught.value.complaints
    assert message in found.message
    assert advice in found.advice


def test_steps_over_any_bid_that_multiply_without_end(monkeypatch):
    monkeypatch.setattr(steps, "MOST_MADE", 50)
    lines = ["when they bid X:"]
    for depth in range(0, 12, 2):
        lines += ["  " * (depth + 1) + "step 1 = Any: any hand", "  " * (depth + 2) + "(any bid):"]
    lines.append("  " * 14 + "step 1 = Any: any hand")
    with pytest.raises(InvalidSystem, match="at most 50 lines, five for a step"):
        read_text("\n".join((*lines, "")))
