"""Bids that mean two things at one place: what is told, what is not, and of which line."""

import pytest

from bidcascade.systems import named_systems, open_system
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.checking.double_meanings import DoubleMeaning, double_meanings
from bidcascade.systems.language.reader import read_text
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.system import System
from tests.support.examples import rows_in_check, some_in_check
from tests.support.options import BLOCKS

WEAK = "2D = Weak two: 6+ diamonds, 5-10 points"
MULTI = "2D = Multi: 6+ hearts or 6+ spades, 5-10 points"
ARTIFICIAL = f"{MULTI}; artificial"
RELAY = "1S = Relay: 8+ points; artificial"
LONG = "define long X = 6+ X\n"
EACH = [pytest.param(*key) for key in BLOCKS]
EARLY = "opening, 1st or 2nd seat:"


def found(text: str) -> list[DoubleMeaning]:
    return double_meanings(read_text(text, "mine"))


def lines(*written: str) -> str:
    """A text of lines; those without a colon at the end stand below the header before."""
    return "".join(f"{one}\n" if one.endswith(":") else f"  {one}\n" for one in written)


@pytest.mark.parametrize(
    ("text", "call", "where"),
    [
        (lines("opening:", WEAK, ARTIFICIAL), "2D", (3, 2)),
        # the suit that is bid is shown by one alone
        (lines("opening:", WEAK, MULTI), "2D", (3, 2)),
        (lines("opening:", MULTI, WEAK), "2D", (3, 2)),
        (lines("opening:", WEAK, "2D = Strong: 20+ points"), "2D", (3, 2)),
        # as hand types, by a name for a condition, and by a suit of a role
        (
            lines("opening:", WEAK, "2D = Multi", "  either One: 6+ hearts", "  or Two: 6+ spades"),
            "2D",
            (3, 2),
        ),
        (lines("opening:", "2M = Weak two: 6+ M", "2H = Both: 5+ spades, 4+ clubs"), "2H", (3, 2)),
        (LONG + lines("opening:", "2D = Weak: long diamonds", MULTI), "2D", (4, 3)),
        (lines("opening:", "2NT = Strong: balanced", "2NT = Minors: 5+ clubs"), "2NT", (3, 2)),
        # in two blocks of one place
        (lines("opening:", WEAK, "opening:", ARTIFICIAL), "2D", (4, 2)),
        (lines("opening:", WEAK, "opening, vulnerable:", ARTIFICIAL), "2D", (4, 2)),
        (lines(EARLY, WEAK, "opening, 2nd or 3rd seat:", ARTIFICIAL), "2D", (4, 2)),
        # one hides the other in some seats
        (lines(EARLY, WEAK, "opening:", ARTIFICIAL), "2D", (4, 2)),
        (lines("opening:", ARTIFICIAL, EARLY, WEAK), "2D", (4, 2)),
        (lines("opening:", "1NT = Strong: 15-17 points, balanced", "  2D = Natural: 5+ diamonds",
               "after 1NT:", "2D = Hearts: 5+ hearts; transfer"), "2D", (5, 3)),
        (lines("after 1D or 1H:", "1S = Suit: 4+ spades", "after 1H:", RELAY), "1S", (4, 2)),
    ],
)  # fmt: skip
def test_two_meanings_are_told(text, call, where):
    (one,) = found(text)
    assert one.call == call
    assert (one.where.line, one.other.line) == where
    assert f"mine:{where[0]} " in str(one)
    assert f"(mine:{where[1]})" in str(one)


@pytest.mark.parametrize(
    "text",
    [
        lines("opening:", WEAK, "2H = Weak two: 6+ hearts"),
        # one meaning, in parts
        lines("opening:", WEAK, "2D = Weak two: 5 diamonds, 4+ clubs, 5-10 points"),
        lines("opening:", WEAK, "2D = Weak, short in a major: 5+ diamonds, 7-10 points"),
        lines("opening:", f"{ARTIFICIAL}, #two", "2D = Strong: 20+ points; artificial, #two"),
        lines("opening:", "1D = Diamonds: 4+ diamonds", "1D = Three suits: 4=4=4=1"),
        lines("opening:", "2D = Two", "  either Weak: 6+ diamonds", "  or Multi: 6+ hearts"),
        # one of them alone counts, or neither there
        lines("opening, vulnerable:", WEAK, "opening, not vulnerable:", ARTIFICIAL),
        lines(EARLY, WEAK, "opening, 3rd seat:", ARTIFICIAL),
        lines("after 1C:", WEAK, "after 1C (1D):", ARTIFICIAL),
        lines("after 1H:", RELAY, "after 1D:", "1S = Suit: 4+ spades"),
        lines("when RHO doubled:", WEAK, "when RHO passed:", ARTIFICIAL),
        # what is left for all other hands
        lines("opening:", "2D = Weak two: 6+ diamonds", "2D = Anything: any hand; artificial"),
        lines("opening:", WEAK, "general:", ARTIFICIAL),
        lines("opening:", WEAK, "last resort:", ARTIFICIAL),
        # no bids
        lines("after (1H):", "Double = Takeout: 12+ points", "Double = Ask: 19+ points; asks aces"),
    ],
)  # fmt: skip
def test_what_is_no_second_meaning(text):
    assert found(text) == []


def test_answers_are_of_one_of_them():
    (one,) = found(
        "opening:\n"
        f"  {WEAK}\n    2NT = Ask: 15+ points; asks range\n"
        "    (Double):\n      3D = Raise: 3+ diamonds\n"
        f"  {ARTIFICIAL}\n    2H = Pass or correct: any hand\n"
        "after 2D:\n  2S = Try: 12+ points\nafter 2D (2H):\n  Double = Takeout: 12+ points\n"
        "after 2X, partner's last call was artificial:\n  3C = Own suit: 6+ clubs\n"
    )
    parts = (one.answers, one.other_answers, one.both)
    assert [[(answer.call, answer.where.line) for answer in some] for some in parts] == [
        [("2H", 7), ("3C", 13)],
        [("2NT", 3), ("3D", 5)],
        [("2S", 9), ("Double", 11)],
    ]
    assert (one.name, one.other_name, one.answers[0].name) == (
        "Multi",
        "Weak two",
        "Pass or correct",
    )


@pytest.mark.parametrize("name", some_in_check(2, *sorted(named_systems())))
def test_shipped_systems_have_none(name):
    system = open_system(name)
    assert double_meanings(system.text, system.rules.places) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), rows_in_check(range(0, len(EACH), 12), *EACH))
def test_options_of_shipped_systems_bring_none(name, option):
    needed, _ = BLOCKS[name, option]
    for is_on in (True, False):
        chosen = {option: is_on} | dict.fromkeys(needed, True)
        assert double_meanings(open_system(name, options=chosen).text) == []


def test_a_convention_in_a_shipped_system():
    text = (shipped_folder() / "sayc.bidding").read_text("utf-8")
    one, *others = found(f"{text}\nopening:\n  {ARTIFICIAL}\n    2H = Pass or correct: any hand\n")
    assert (one.call, one.name, others) == ("2D", "Multi", [])
    assert "Weak two" in one.other_name
    assert {answer.where.file for answer in one.answers} == {"mine"}
    assert {answer.where.file for answer in one.other_answers} == {"preempts.bidding"}


def test_lint_tells_them():
    system = System.parse(lines("opening:", WEAK, ARTIFICIAL), name="own")
    texts = [
        one.text for one in check_system(system, deals=50).findings if one.kind == "double meaning"
    ]
    assert texts == [
        "own:3 Multi: 2D is also Weak two (own:2) "
        "(take one of them out, or say by headers when each is meant)"
    ]
