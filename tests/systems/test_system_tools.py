"""What is done with systems: cases, check, diff, explanation, compilation."""

import re

import numpy as np
import pytest

from bidcascade.bridge import FIRST_BID, PASS, InvalidInput
from bidcascade.inference import interpret
from bidcascade.systems import named_systems, open_system
from bidcascade.systems.checking.cases import CaseReport, parse_cases, read_cases, run_cases
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.checking.diff import diff_systems
from bidcascade.systems.checking.long_conditions import long_condition, long_conditions, parts_of
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.reading.layout import logical_lines
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.tree.statements import HeaderStatement
from bidcascade.systems.language.tree.syntax_tree import Define, Line, Variant, Where
from bidcascade.systems.system import System
from bidcascade.systems.tables.compile import Sample, compile_system
from bidcascade.systems.words.explanation import explain_auction
from bidcascade.table.term_values import term_values
from tests.support.examples import rows_in_check
from tests.support.systems import BY_SIDES

EXAMPLE = """
system Five-card majors, strong notrump

opening:
  2C  = Strong: 22+ points; artificial, forcing to game
  1NT = Strong notrump: 15-17 points, balanced; limited
  1S  = Five-card major: 12-21 points, 5+ spades, spades at least as long as hearts
  1H  = Five-card major: 12-21 points, 5+ hearts
  1D  = Better minor: 12-21 points, 4+ diamonds, diamonds at least as long as clubs
  1C  = Better minor: 12-21 points, 3+ clubs
  1D  = Forced one diamond: 12-21 points, 4=4=3=2; alert
  when not vulnerable:
    2M = Weak two: 5-10 points, 6 M, at most 3 oM
  when vulnerable:
    2M = Sound weak two: 7-10 points, 6 M, two of the top three in M, at most 3 oM

after 1NT:
  transfer to 2M = Transfer: 5+ M, M longer than oM; artificial, forcing, announce
    3M = Super-accept: 17 points, 4+ M; invitational
    2M = Transfer completed: any hand
  2C = Stayman: 8+ points, 4 hearts or 4 spades; artificial, forcing, asks for a major
    2H = Four hearts: 4+ hearts
    2S = Four spades: 4+ spades
    2D = No major: any other hand; artificial
  3NT = To play: 10-15 points; sign-off
"""


@pytest.fixture(scope="module")
def example() -> System:
    return System.parse(EXAMPLE, name="example")


def test_shares_of_openings_are_those_that_were_worked_out_elsewhere(example):
    """The design's figures: percent of random hands that choose, and that fit, each opening."""
    wanted = {
        ("2C", "Strong"): (0.43, 0.43), ("1N", "Strong notrump"): (4.90, 4.90),
        ("1S", "Five-card major"): (5.65, 6.04), ("1H", "Five-card major"): (5.41, 6.11),
        ("1D", "Better minor"): (9.02, 13.33), ("1D", "Forced one diamond"): (0.45, 0.63),
        ("1C", "Better minor"): (8.96, 24.01), ("2H", "Weak two"): (0.85, 0.85),
        ("2S", "Weak two"): (0.85, 0.85), ("2H", "Sound weak two"): (0.24, 0.24),
        ("2S", "Sound weak two"): (0.23, 0.23),
    }  # fmt: skip
    deals = 200_000
    place = check_system(example, deals=deals, least=deals).places[0]
    assert place.auction == ""
    assert place.deals == deals
    found = {(line.call, line.name): (line.chosen, line.fits) for line in place.lines}
    assert found.keys() == wanted.keys()
    for key, (chosen, fits) in wanted.items():
        # four standard errors of a share measured on 200,000 hands, and the design's rounding
        for got, share in zip(found[key], (chosen, fits), strict=True):
            error = 4 * (share * (100 - share) / deals) ** 0.5 + 0.02
            assert abs(100 * got / deals - share) < error + 0.04, (key, got)
    assert abs(100 * place.default_pass / deals - 63.03) < 0.5


def test_overlap_names_the_line_that_takes_the_hands(example):
    place = check_system(example, deals=20_000, least=20_000).places[0]
    by_name = {(line.call, line.name): line for line in place.lines}
    one_club = by_name["1C", "Better minor"]
    assert set(one_club.taken) >= {"1N Strong notrump", "1S Five-card major", "1D Better minor"}
    assert one_club.fits == one_club.chosen + sum(one_club.taken.values())
    assert sum(line.chosen for line in place.lines) + place.default_pass == place.deals


def test_findings_on_deals(example):
    broken = System.parse(
        EXAMPLE
        + "  4NT = Never: 37 points\n"
        + "after 1H:\n  2H = Raise: 6-10 points, 3+ hearts\n"
        + "after 1S:\n  2S = Simple raise: 6-10 points, 3+ spades\n"
        + "  2S = Other raise: 8+ points, 4+ spades\n"
    )
    found = check_system(broken, deals=20_000).findings
    kinds = {finding.kind for finding in found}
    assert {"gap", "double claim", "dead line", "asymmetry"} <= kinds
    gap = next(finding for finding in found if finding.kind == "gap")
    assert "Strong" in gap.text
    assert "2C P" in gap.examples
    assert any("Never" in finding.text for finding in found if finding.kind == "dead line")
    claim = next(finding for finding in found if finding.kind == "double claim")
    assert claim.text.startswith("2S means two things")
    assert claim.deals > 0
    asymmetry = next(finding for finding in found if finding.kind == "asymmetry")
    assert "raise" in asymmetry.text.lower()
    assert "gap" in {finding.kind for finding in check_system(example, deals=20_000).findings}


LONG = """
define some suit = 5+ clubs and 8+ points or
    5+ diamonds and 8+ points or
    5+ hearts and 8+ points or
    5+ spades and 8+ points or 25+ points

opening:
  1NT = Alternatives: 15-17 points or 5+ clubs or 5+ diamonds or 12+ points and balanced
  1C = Enough said: some suit, 12+ points or 5+ clubs or 5+ spades
  2C = Hand types
    either Many: 20+ points or 5+ clubs and 8+ points or (5+ hearts, 5+ spades or 9+ points)
    or Few: 22+ points
after 1NT, not vulnerable, my first call, RHO passed, partner has shown 12+ points,
    not partner has shown 6+ clubs, not partner has shown 6+ diamonds, uncontested,
    at most the 2-level:
  2C = Answer: 8+ points
"""


def test_long_conditions_are_found():
    found = check_system(System.parse(LONG, name="long"), deals=50).findings
    texts = [finding.text for finding in found if finding.kind == "long condition"]
    assert [text.partition(" (")[0] for text in texts] == [
        'long:8 Alternatives: a condition of 66 characters, 3 "or"',
        'long:11 Many: a condition of 78 characters, 3 "or"',
        "long:13 header: a condition of 172 characters",
    ]
    assert all("define a name for a part" in text for text in texts)
    assert all(finding.deals == 0 for finding in found if finding.kind == "long condition")


@pytest.mark.parametrize("name", sorted(named_systems()))
def test_shipped_systems_have_no_long_condition(name):
    assert long_conditions(open_system(name).text) == []


SHIPPED = sorted(shipped_folder().rglob("*.bidding"), key=lambda path: path.name)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_texts_have_no_braces_and_no_long_condition(path):
    """Lines of options that are off too."""
    text = path.read_text("utf-8")
    assert not re.search(r"[{}]", text)
    for line in logical_lines(text.splitlines(), path.name, lambda *_: None):
        where = Where(path.name, line.where(0).line)
        match parse_statement(line.text).statement:
            case HeaderStatement(header=header):
                asked = [(header.condition, where, "header")]
            case Line(condition=condition, name=name) | Variant(condition=condition, name=name):
                asked = [(condition, where, name)]
            case Define() as define:
                asked = parts_of(define)
            case _:
                asked = []
        assert [long_condition(*one) for one in asked] == [None] * len(asked)


MINE = """
opening:
  1C = Club: 10+ points; forcing
  4S = Never: 37 points
over (1D):
  Double = Diamonds are theirs: 12+ points
over (1C):
  1H = Over our own club: 5+ hearts
"""
THEIRS = """
opening:
  1D = Diamond: 10+ points; forcing
over (1C):
  2D = Not mine: any hand
"""


def test_findings_against_other_opponents_are_of_the_system_alone():
    mine, theirs = System.parse(MINE, name="mine"), System.parse(THEIRS, name="theirs")
    found = check_system(mine, deals=4_000, opponents=theirs, auctions=["", "1D", "P", "1C"])
    texts = [one.text for one in found.findings]
    # their lines are named where hands pass over them, and nowhere else
    assert not [text for text in texts if "(theirs" in text and " over " not in text]
    # whoever deals: the place over their diamond comes up, the one over our club does not
    assert any("Over our own club: its place never came up" in f"{text}" for text in texts)
    assert any("Never: never chosen" in text for text in texts)
    assert [place.auction for place in found.places] == ["", "P", "1D"]
    assert [line.name for line in found.places[2].lines] == ["Diamonds are theirs"]
    # each deal is bid twice, and the first player is one of the system once
    assert found.by_depth[0] == found.places[0].deals == 4_000


def test_opponents_that_the_text_names_are_those_of_findings(tmp_path):
    (tmp_path / "theirs.bidding").write_text(THEIRS)
    (tmp_path / "mine.bidding").write_text(f'opponents play "theirs.bidding"\n{MINE}')
    named = check_system(System.open(tmp_path / "mine.bidding"), deals=500)
    theirs = System.open(tmp_path / "theirs.bidding")
    (tmp_path / "mine.bidding").write_text(f"-- theirs\n{MINE}")
    given = check_system(System.open(tmp_path / "mine.bidding"), deals=500, opponents=theirs)
    assert named == given


CLUB = "opening, 1st seat:\n  1C = Club: {needs}\n  4S = Preempt: any hand\nafter 1C:\n  {answer}\n"
ENOUGH = "Pass = Enough: any hand"


@pytest.mark.parametrize(
    ("needs", "answer", "least"),
    rows_in_check(
        (0, 2, 7),
        *[
            # partner may hold as much, so sixteen points are strong
            ("0+ points", ENOUGH, 16),
            ("0+ points", "Pass = Enough: 3+ spades or at most 2 spades", 16),
            # nothing above ten points is left to partner
            ("at most 10 points", ENOUGH, 25),
            ("0+ points; limited", ENOUGH, 25),
            ("at least 12 points", ENOUGH, 13),
            ("at least 12 points; limited", ENOUGH, 13),
            # the line sets a limit, or the place is game
            ("at least 12 points", "Pass = Enough: at most 20 points", 21),
            ("at most 10 points", "Pass = Enough: at most 20 points", 25),
        ],
    ),
)
def test_strong_hands_that_pass_below_game(needs, answer, least):
    """Counted from the cards: the dealer's partner passes, over one club or with no line."""
    system = System.parse(CLUB.format(needs=needs, answer=answer), name="club")
    deals = Sample.random(4_000, seed=5).deals
    points = [term_values("HCP", seat, deals, system.vocabulary) for seat in range(4)]
    found = check_system(system, deals=4_000, seed=5).findings
    told = [
        one for one in found if one.kind == "strong pass" and one.examples[0].endswith(" : 1C P")
    ]
    opens = np.array([system.bid(hand).call == FIRST_BID for hand in deals.hands[0].tolist()])
    wanted = int((opens & (points[2] >= least)).sum())
    assert sum(one.deals for one in told) == wanted
    for one in told:
        assert "after Club (club:2)" in one.text
        assert one.text.startswith("no line" if "20 points" in answer else "Enough (club:5)")
        hand = one.examples[0].split(" : ")[0]
        assert system.bid(hand, "1C P").call == PASS


def test_no_pass_is_strong_once_game_is_bid_or_doubled():
    game = System.parse("opening:\n  4S = Game: any hand\nover (4S):\n  Double = No: 12+ points")
    found = check_system(game, deals=2_000).findings
    (told,) = (one for one in found if one.kind == "strong pass")
    # the fourth player, whose partner has passed and so has limited his hand
    assert told.text == "no line passes strong hands over Game (<text>:2)"
    assert told.examples[0].endswith(" : 4S P P")
    deals = Sample.random(2_000).deals
    east, west = (term_values("HCP", seat, deals, game.vocabulary) for seat in (1, 3))
    assert told.deals == ((east < 12) & (west >= 25)).sum() > 0


def test_diff_lists_what_changed_and_how_often(example):
    weaker = System.parse(EXAMPLE.replace("15-17 points, balanced", "14-16 points, balanced"))
    found = diff_systems(example, weaker, deals=20_000)
    assert found.deals == 20_000
    opening = {(change.old, change.new) for change in found.changes if change.auction == ""}
    assert ("1N", "1C") in opening
    assert ("1C", "1N") in opening
    assert found.changed == sum(change.deals for change in found.changes)
    first = found.changes[0]
    assert first.examples
    assert "Strong notrump" in first.old_rule + first.new_rule
    assert diff_systems(example, example, deals=2_000).changes == ()


def test_cases_in_words_and_as_json(example):
    text = (
        "-- openings\n"
        "group Openings\n"
        "AK5.Q32.KJ52.Q97 -> 1N -- balanced\n"
        "AKQ52.32.KQJ5.97 (EW, dealer E) : P -> 1S\n"
        "2.KQ9874.QT8.932 (EW) -> 2H\n"
        "2.KQ9874.QT8.932 (None) -> P -- wrong on purpose\n"
        "group Answers\n"
        "K5.AQ982.T52.976 : 1N P -> 2D\n"
        '{"hand": "AK5.Q32.KJ52.Q97", "auction": ["P"], "expected": "1N", "group": "Answers"}\n'
        "N:AK5.Q32.KJ52.Q97 432.KJ5.AQ97.T43 QJ9.A987.T3.KJ85 T876.T64.864.A62"
        " -> 1N P 2C P 2D P P P\n"
    )
    cases = parse_cases(text, "own.cases")
    assert [case.group for case in cases[:5]] == ["Openings"] * 4 + ["Answers"]
    report = CaseReport(tuple(run_cases(example, cases)))
    assert report.groups() == {"Openings": (3, 4), "Answers": (3, 3)}
    misses = [line for line in report.lines() if "expected" in line]
    assert len(misses) == 1
    assert "expected P, bid 2H by Weak two (example:13)" in misses[0]
    assert "[own.cases:6]" in misses[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("AK5.Q32.KJ52.Q97 1N", "expected HAND"),
        ("AK5.Q32.KJ52 -> 1N", "expected four suits"),
        ("AK5.Q32.KJ52.Q97 -> 1N P", "one call"),
        ("AK5.Q32.KJ52.Q97 : 1N -> 1C", "illegal"),
        ('{"auction": []}', "expected a key 'hand'"),
    ],
)
def test_bad_cases_are_listed_with_their_place(line, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        parse_cases(f"group One\n{line}\n", "bad.cases")
    assert str(caught.value).startswith("bad.cases:2:")


def test_cases_that_are_not_utf8(tmp_path):
    path = tmp_path / "bad.cases"
    path.write_bytes(b"group \xff\n")
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_cases(path)


def test_explanation_says_what_a_player_would(example):
    found = explain_auction(example, "1N P 2D P")
    first, _, transfer, _ = found.calls
    assert first.sentence.startswith("Strong notrump: 15-17 points")
    assert transfer.sentence == (
        "Transfer: 5+ hearts, at most 6 diamonds, at most 6 spades; artificial, forcing, announce"
    ) or transfer.lengths["H"] == (5, 13)
    assert found.forced
    assert not found.game_forced
    assert [one["call"] for one in found.next_calls] == ["3H", "2H"]
    assert first.points == (15, 17)
    assert 0.04 < first.share < 0.06
    assert first.call == "1N"


def test_compiled_table_has_places_names_and_lines(example):
    table = compile_system(example, deals=2_000)
    entry = table.find([7, 0, 9])
    assert entry is not None
    assert table.name(entry) == "Transfer"
    row = table.row(entry)
    assert row.where == "example:18"
    assert "forcing" in row.tags
    assert compile_system(example, deals=2_000).digest == table.digest


LIGHT = """
opening:
  1NT = Strong notrump: 15-17 points, balanced
  1S  = Spades: rule of 20 and 9+ points or 12+ points, at most 21 points, 5+ spades; \
shows 12-21 points

after 1NT:
  2C = Stayman; artificial, forcing
    either A major: 8+ points, 4 hearts or 4 spades
    or Escape: at most 7 points, at most 1 club
    2H = Hearts: 4+ hearts
  Pass = Enough: at most 7 points
  Pass = No interest: any hand
"""


@pytest.mark.parametrize(
    ("auction", "sentence"),
    [
        # one word, not four ranges; and of a balanced hand only what is more or less than usual
        ("1N", "Strong notrump: 15-17 points, balanced"),
        ("1N P 2C P 2H", "Hearts: 15-17 points, balanced, 4-5 hearts"),
        # the name that players use, and not those of its kinds of hand
        ("1N P 2C", "Stayman: 8+ points, 4 hearts or 4 spades;"),
        # what is promised, and what hands that bid it have
        ("1S", "Spades: 12-21 points (light hands from 9), 5+ spades"),
        # several reasons to pass are a pass
        ("1N P P", "Pass"),
    ],
)
def test_sentences_are_those_of_players(auction, sentence):
    system = System.parse(LIGHT)
    last = explain_auction(system, auction).calls[-1]
    assert last.sentence.startswith(sentence)
    assert " or " not in last.sentence.split(":")[0]


def test_the_name_of_a_call_is_that_of_its_line():
    system = System.parse(LIGHT)
    answer = system.bid("K52.AQ32.J876.Q2", "1N P")
    assert answer.entry.name == "Stayman"
    assert answer.entry.kind == "A major"
    kinds = explain_auction(system, "1N P 2C").calls[-1].hand_types
    assert [one.name for one in kinds] == ["A major", "Escape"]


def test_points_that_hands_have_beside_those_that_are_promised():
    call = explain_auction(System.parse(LIGHT), "1S").calls[-1]
    assert call.points == (12, 21)
    assert call.every_points == (9, 21)


@pytest.mark.parametrize(
    ("auction", "dealer", "vulnerability", "told"),
    [
        ("1N", "N", "None", "Notrump: 12-14 points, balanced; limited"),
        ("1N", "N", "NS", "Notrump: 15-17 points, balanced; limited"),
        ("1N", "N", "EW", "Notrump: 12-14 points, balanced; limited"),
        ("1N", "E", "EW", "Notrump: 15-17 points, balanced; limited"),
        ("P 1N", "N", "EW", "Notrump: 15-17 points, balanced; limited"),
        ("1N", "N", None, "Notrump: 15-17 points vulnerable, 12-14 not, balanced; limited"),
        ("P P 1N", "E", None, "Notrump: 15-17 points vulnerable, 12-14 not, balanced; limited"),
        ("1N P 2N", "N", "Both", "Invitation: 8-9 points"),
        ("1N P 2N", "N", None, "Invitation: 8-9 points vulnerable, 11-12 not"),
        ("1S", "N", None, "Spades: 10+ points, 5+ spades"),
        (
            "1H", "N", None,
            "vulnerable: Hearts: 12+ points, 6+ hearts; or not: Light hearts: 9+ points, 5+ hearts",
        ),
        ("1H", "N", "Both", "Hearts: 12+ points, 6+ hearts"),
        ("1D", "N", None, "Brave: 8+ points against vulnerable opponents, 11+ else, 6+ diamonds"),
        ("1D", "N", "NS", "Brave: 11+ points, 6+ diamonds"),
        ("3C", "N", None, "Preempt: 6-9 points, 7+ clubs (not vulnerable)"),
        ("3C", "N", "NS", "No agreement about this call"),
        ("3C", "N", "EW", "Preempt: 6-9 points, 7+ clubs"),
    ],
)  # fmt: skip
def test_calls_are_explained_as_they_are_meant_at_a_vulnerability(
    auction, dealer, vulnerability, told
):
    found = explain_auction(BY_SIDES, auction, dealer=dealer, vulnerability=vulnerability)
    assert found.calls[-1].sentence == told


def test_numbers_are_those_of_the_vulnerability():
    for sides, points in (("NS", (15, 17)), ("None", (12, 14)), (None, (12, 17))):
        call = explain_auction(BY_SIDES, "1N", vulnerability=sides).calls[0]
        assert call.points == call.every_points == points
    # what nobody bids there is not offered
    offered = explain_auction(BY_SIDES, "", vulnerability="NS").next_calls
    assert [one["call"] for one in offered] == ["1N", "1D", "1H", "1S"]
    assert len(explain_auction(BY_SIDES, "", vulnerability="EW").next_calls) == 5


def test_words_and_layouts_hold_at_one_vulnerability():
    for sides, points in (("Both", (15, 17)), ("None", (12, 14))):
        found = interpret(BY_SIDES, "1N", vulnerability=sides, layouts=60)
        assert found.shown["N"].points == points
        assert f"{points[0]}-{points[1]} points," in found.explanation.calls[0].sentence


@pytest.mark.parametrize(
    ("auction", "told"),
    [
        # said by the text, and in the words of the reason for a call
        ("2H", "Weak two: 5-10 points, 6 hearts, 2 of the top 3 in hearts; preemptive"),
        ("2S", "Weak two: 5-10 points, 6 spades, good spades; preemptive"),
        # the other kind of hand has none
        ("2D", "Weak or strong: 5-10 or 20+ points, 6+ diamonds"),
        ("3S", "Preempt: 3+ points, 7+ spades, good spades or ace of spades"),
        ("4C", "Preempt: 3-28 points, 8+ clubs, king of clubs"),
    ],
)
def test_honours_that_a_call_shows_are_told(auction, told):
    system = System.parse("""
include "words.bidding"
opening:
  2H = Weak two: 5-10 points, 6 hearts, two of the top three in hearts; preemptive
  2S = Weak two: 5-10 points, 6 spades, good spades; preemptive
  2D = Weak or strong
    either Weak: 5-10 points, 6+ diamonds, two of the top three in diamonds
    or Strong: 20+ points, 6+ diamonds
  3S = Preempt: 7+ spades, good spades or ace of spades and vulnerable
  4C = Preempt: 8+ clubs, king of clubs, ace of clubs or 9+ clubs
""")
    assert explain_auction(system, auction).calls[0].sentence == told
