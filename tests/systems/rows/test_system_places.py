"""Where lines of a system apply: patterns, specificity, lines below lines, facts."""

import pytest

from bidcascade.bridge import InvalidSystem, format_call
from bidcascade.systems.system import System

OPENINGS = """
opening:
  2C  = Strong: 22+ points; artificial, forcing to game
  1NT = Strong notrump: 15-17 points, balanced; #notrump
  1S  = Major: 12-21 points, 5+ spades
  1H  = Major: 12-21 points, 5+ hearts
  1D  = Minor: 12-21 points, 4+ diamonds
  1C  = Minor: 12-21 points, 3+ clubs
over (1X):
  Double = Takeout: 12+ points; takeout, forcing
  1Y = Overcall: 8-16 points, 5+ Y
  2Y = Overcall: 10-16 points, 5+ Y
"""


def calls_at(system: System, auction: str) -> list[str]:
    """Calls and names of a place, in order."""
    return [f"{format_call(e.call)} {e.name}".strip() for e in system.expand(auction).entries]


def system_with(text: str) -> System:
    return System.parse(OPENINGS + text)


@pytest.mark.parametrize(
    ("header", "auctions", "others"),
    [
        ("after 1NT", ["1N P", "P P 1N P"], ["1N", "1N X", "1N P 2C P", "P 1N"]),
        ("after 1NT (Double)", ["1N X"], ["1N P", "1N 2C"]),
        ("after 1m (P) 1M", ["1C P 1H P", "P 1D P 1S P"], ["1C P 1D P", "1C P 1H", "1C P 2H P"]),
        ("after 1m 1M", ["1C P 1H P"], ["1C X 1H P"]),
        ("after 1M (2X)", ["1H 2C", "1S 2H"], ["1H 1S", "1C 2H", "1H P"]),
        ("after (1C) P (P)", ["1C P P"], ["1C", "1C P 1H", "P 1C P"]),
        ("over (1M)", ["1H", "P P P 1S"], ["1H P", "1C"]),
        ("after 1C or 1D", ["1C P", "1D P"], ["1H P"]),
        ("after 1C/1D", ["1C P", "1D P"], ["1H P"]),
        ("after … 4NT", ["1S P 3S P 4N P", "4N P"], ["4N", "1S P 4S P"]),
        ("after 1X (any bid)", ["1C 1H", "1S 2N"], ["1C X", "1C P"]),
        ("after 1X (any)", ["1C 1H", "1S X", "1H P"], ["1C P 1H P"]),
        ("after 1M 3M", ["1H P 3H P", "1S P 3S P"], ["1H P 3S P", "1S P 3H P"]),
        ("after 1M 2oM", ["1S P 2H P"], ["1S P 2S P", "1H P 2H P"]),
    ],
)
def test_auction_patterns(header, auctions, others):
    system = system_with(f"{header}:\n  7NT = Found: any hand\n")
    for auction in auctions:
        assert "7N Found" in calls_at(system, auction), auction
    for auction in others:
        assert "7N Found" not in calls_at(system, auction), auction


@pytest.mark.parametrize(
    ("fact", "auctions", "others"),
    [
        ("forced", ["2C P", "1H X P"], ["1C P", "2C", "1H X XX"]),
        ("game forced", ["2C P", "2C P 2D P"], ["1C P", "2C"]),
        ("they opened", ["1C", "1C P P"], ["P", "1C P"]),
        ("we opened 1M", ["1H P", "1S P 2S P"], ["1C P", "1H"]),
        ("partner opened", ["1C P", "1C 1H"], ["1C P 1H P", "1C"]),
        ("nobody has opened", ["", "P P"], ["1C"]),
        ("they bid X", ["1H", "1C P 1H"], ["1N", "P"]),
        ("they bid spades", ["1S"], ["1H"]),
        # a bid of a suit that we have shown is a cue-bid, unless it shows cards there
        ("they bid hearts", ["1C P 1H"], ["1C P 1H P 1S 2H", "1H P P 2H"]),
        ("partner bid 1NT", ["1N P"], ["1C P"]),
        ("RHO doubled", ["1H X"], ["1H P", "1H 1S"]),
        ("RHO passed", ["1H P"], ["1H X"]),
        ("partner's last call was a double", ["1H X P"], ["1H 1S P"]),
        ("partner's last call was a takeout", ["1H X P"], ["1H 1S P"]),
        ("partner's last call was #notrump", ["1N P"], ["1C P"]),
        ("partner has called #notrump", ["1N P", "1N P 2C P 2D P"], ["1C P"]),
        ("my last call was a bid", ["1C P 1H P"], ["P 1C P"]),
        ("balancing", ["1C P P", "1C P 1H P P"], ["1C P", "1C"]),
        ("contested", ["1C 1H"], ["1C P"]),
        ("uncontested", ["1C P"], ["1C 1H"]),
        ("I am a passed hand", ["P 1C P 1H", "P P P 1C"], ["1C P", ""]),
        ("partner is a passed hand", ["P P", "P P 1C"], ["1C P"]),
        ("in 3rd seat", ["P P", "1C P"], ["P", ""]),
        ("at most 2-level", ["1C P", "1C 2H", ""], ["3C"]),
        ("at least 3-level", ["3C"], ["2C"]),
        ("last bid was theirs", ["1C", "1C 1H"], ["1C P"]),
        ("last bid was ours", ["1C P", "1C X"], ["1C 1H"]),
        ("game reached", ["4S P", "3N", "5C"], ["4C", "1C"]),
        ("partner has shown 5+ spades", ["1S P"], ["1H P"]),
        ("partner has shown 12+ points", ["1S P", "1C P"], ["2D P", ""]),
        ("partner has shown at most 17 points", ["1N P"], ["1S P"]),
        ("partner may have 4+ spades", ["1N P", "1C P"], []),
        ("we have an 8-card fit in M", ["1S P 2S P"], ["1S P 1N P"]),
        ("my second call", ["1C P 1H P"], ["1C P"]),
        ("unbid major M, we opened", ["1S P", "1C P"], ["1H 1S"]),
        ("X is the fourth suit", ["1D P 1H P 1S P"], ["1D P 1H P"]),
        ("partner bid X, I bid Y, X ranks above Y", ["1C P 1H P"], ["1H P 2C P"]),
    ],
)
def test_facts(fact, auctions, others):
    system = system_with(
        f"when {fact}:\n  7NT = Found: any hand\n"
        "after 1S:\n  2S = Raise: 6-10 points, 3+ spades\n  1NT = Answer: 6-10 points\n"
    )
    for auction in auctions:
        assert "7N Found" in calls_at(system, auction), auction
    for auction in others:
        assert "7N Found" not in calls_at(system, auction), auction


def test_vulnerability_becomes_a_condition_of_the_hand():
    system = System.parse("opening, not vulnerable:\n  2H = Weak: 5-10 points, 6 hearts\n")
    criteria = [str(one) for one in system.expand("").entries[0].criteria]
    assert "not Vul_We" in criteria or "Vul_We == 0" in criteria
    weak = "2.KQ9874.QT8.932"
    assert system.bid(weak, vulnerability="EW").call == 10
    assert system.bid(weak, vulnerability="NS").entry is None


def test_the_more_specific_context_comes_first_and_hides_its_calls():
    system = system_with(
        "general:\n  2C = General: any hand\n  2D = General: any hand\n"
        "when partner opened:\n  2D = By fact: any hand\n"
        "after 1X:\n  2D = By class: any hand\n  2H = By class: any hand\n"
        "after 1NT:\n  2H = Literal: any hand\n"
    )
    assert calls_at(system, "1N P") == ["2H Literal", "2D By fact", "2C General"]
    assert calls_at(system, "1S P") == ["2D By class", "2H By class", "2C General"]


def test_lines_below_a_line_follow_it_wherever_it_was_used():
    system = system_with(
        "when partner opened, RHO passed:\n"
        "  4NT = Blackwood: 16+ points; artificial, forcing\n"
        "    5C = None or four: 0 or 4 aces\n"
        "    5D = One: 1 ace\n"
        "      5NT = Kings: any hand; forcing\n"
        "    (Double):\n"
        "      Redouble = Business: any hand\n"
    )
    for opening in ("1C", "1S", "1N"):
        assert calls_at(system, f"{opening} P 4N P")[:2] == ["5C None or four", "5D One"]
        assert calls_at(system, f"{opening} P 4N X")[0] == "XX Business"
        assert calls_at(system, f"{opening} P 4N P 5D P")[0] == "5N Kings"


def test_variables_are_bound_once_per_branch():
    system = system_with(
        "after 1NT:\n"
        "  transfer to 2M = Transfer: 5+ M; artificial, forcing\n"
        "    3M = Super-accept: 17 points, 4+ M\n"
        "    2M = Completed: any hand\n"
        "      2oM = Both majors: 5+ oM\n"
    )
    assert calls_at(system, "1N P") == ["2D Transfer", "2H Transfer"]
    assert calls_at(system, "1N P 2D P") == ["3H Super-accept", "2H Completed"]
    assert calls_at(system, "1N P 2H P") == ["3S Super-accept", "2S Completed"]
    assert calls_at(system, "1N P 2D P 2H P") == ["2S Both majors"]
    # two hearts is no longer there over two spades
    assert calls_at(system, "1N P 2H P 2S P") == []
    entry = system.expand("1N P 2H P").entries[0]
    assert [str(one) for one in entry.criteria] == ["HCP == 17", "SL_S >= 4"]


def test_levels_and_relative_calls():
    system = system_with(
        "after 1M (2X):\n"
        "  3M = Law: law of total tricks at 3M\n"
        "  cheapest X = Cue-bid: 10+ points\n"
        "  jump NT = Notrump: 12+ points\n"
        "  game in M = Game: 4+ M\n"
        "  nX = Any level: 5+ X\n"
    )
    assert calls_at(system, "1H 2C")[:4] == ["3H Law", "3C Cue-bid", "3N Notrump", "4H Game"]
    assert [c.split()[0] for c in calls_at(system, "1H 2C")[4:]] == [f"{n}C" for n in range(3, 8)]


def test_an_unbound_variable_is_an_error_with_its_place():
    with pytest.raises(InvalidSystem, match=r":3"):
        System.parse("opening:\n  1C = Natural: 3+ clubs\n  1D = Natural: 4+ M\n")


def test_foremost_lines_come_before_the_most_specific_ones():
    system = system_with(
        "after 1S:\n  4S = Game: any hand\n"
        "foremost, partner opened 1S:\n  4NT = Aces: 20+ points; artificial, forcing\n"
        "    5C = None: no aces\n"
    )
    assert calls_at(system, "1S P") == ["4N Aces", "4S Game"]
    assert calls_at(system, "1S P 4N P")[0] == "5C None"


def test_a_last_resort_stands_behind_all_other_lines_and_none_hides_its_calls():
    system = system_with(
        "last   resort, forced:\n  1NT = Nothing else: any hand\n    3NT = Game: any hand\n"
        "last resort:\n  when they bid X:\n    cheapest X = Cue-bid: 20+ points\n"
        "  3C = Clubs: 8+ clubs\n"
        "general:\n  1NT = Hidden: any hand\n  3D = Diamonds: 8+ diamonds\n"
        "after (1X) Double:\n  1NT = Stopped: 6-10 points, stopper in X\n"
        "  2X = Good hand: 13+ points\n"
    )
    assert calls_at(system, "1S X P") == [
        "1N Stopped",
        "2S Good hand",
        "3D Diamonds",
        "1N Nothing else",
        "2S Cue-bid",
        "3C Clubs",
    ]
    # where both lines may have made it, partner's call has both meanings
    assert calls_at(system, "1S X P 1N P")[0] == "3N Game"
    for hand, name in (("K32.432.432.KJ32", "Stopped"), ("432.432.432.5432", "Nothing else")):
        entry = system.bid(hand, "1S X P").entry
        assert entry is not None
        assert entry.name == name


@pytest.mark.parametrize(
    ("header", "calls"),
    [
        ("foremost", ["3D Inside", "2C Inside", "3C Everywhere"]),
        ("general", ["2C Stayman", "3C Everywhere", "3D Inside"]),
        ("last resort", ["2C Stayman", "3C Everywhere", "3D Inside", "2C Inside"]),
    ],
)
@pytest.mark.parametrize("inside", ["after 1NT", "after 1NT, uncontested", "after … 1NT"])
def test_headers_inside_a_block_stand_where_the_block_does(header, calls, inside):
    system = system_with(
        f"{header}:\n  {inside}:\n    3D = Inside: 8+ diamonds\n    2C = Inside: 8+ clubs\n"
        "after 1NT:\n  2C = Stayman: 8+ points\n"
        "when partner opened 1NT:\n  3C = Everywhere: 8+ clubs\n"
    )
    assert calls_at(system, "1N P") == calls
