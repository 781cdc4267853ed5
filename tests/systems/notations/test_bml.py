"""Notes in BML become systems and systems become notes: what is understood, what is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput, InvalidSystem, format_call
from bidcascade.systems.checking.diff import diff_systems
from bidcascade.systems.language.reader import read_system, read_text
from bidcascade.systems.notations.bml_prose import read_prose
from bidcascade.systems.notations.bml_reader import read_bml
from bidcascade.systems.notations.bml_writer import write_bml
from bidcascade.systems.system import System
from tests.support.examples import some_in_check

NOTES = r"""#+TITLE: Everything once
#+AUTHOR: Ours

* Openings

  Prose goes on
  over lines.

// no part of the system
1C  16+ hcp
  1D  Artificial. 0--7 hcp
    1H  20+ hcp
  1HS 5+ suit, forcing to game (8+ hcp)
  2red = 5+ suit, 8+ pts
1M  5+ suit, 11--15 hcp
  2M  Raise. 3+ suit, 6--9
  2oM 5+ suit, 10+
1N  14--16 hcp,
    bal
2C  One of two:
    a) 20--21 bal
    b) 22+ hcp and 5+!c
2X  Weak. 6+ suit, 5--10

#CUT transfer
2\R Transfer. 5+\S
  2\M 2+\S
  3\M 4+\S, 16+
#ENDCUT

1N---
2C Stayman
  2D 2--3!h, 2--3!s
#PASTE transfer \R=D \M=H \S=!h
#PASTE transfer \R=H \M=S \S=!s

1N-2C;
2H 4+!h

#VUL N0
#SEAT 12

#HIDE
2N  20--21 bal

#VUL 00
#SEAT 0

(1NT)---
#COPY defence
D   15+
2C  5+!h, 4+!s
  (D)
    P  5+!c, suggestion to play
  (P)
    2D any hand
2HS 6+ suit, 8--14
#ENDCOPY

(1N)-P-(P)---
#PASTE defence

1C-(1D)---
D  4+!h
2M 5+ suit, 8+
1step 5+!h
"""
TEXT = """\
-- Everything once
system Everything once

-- * Openings

-- Prose goes on
-- over lines.

opening:
  1C = 16+ hcp
    1D = 0-7 hcp; artificial
      1H = 20+ hcp
    1H = 5+ hearts, 8+ hcp; forcing to game
    1S = 5+ spades, 8+ hcp; forcing to game
    2D = 5+ diamonds, 8+ points
    2H = 5+ hearts, 8+ points
  1M = 5+ M, 11-15 hcp
    2M = Raise: 3+ M, 6-9 points
    2oM = 5+ oM, 10+ points
  1NT = 14-16 hcp, balanced
  2C = One of two
    either 20-21 points, balanced
    or 22+ hcp and 5+ clubs
  2D = Weak: 6+ diamonds, 5-10 points
  2H = Weak: 6+ hearts, 5-10 points
  2S = Weak: 6+ spades, 5-10 points

after 1NT:
  -- 2C Stayman
  2D = 5+ hearts; transfer
    2H = 2+ hearts
    3H = 4+ hearts, 16+ points
  2H = 5+ spades; transfer
    2S = 2+ spades
    3S = 4+ spades, 16+ points

after 1NT 2C:
  2D = 2-3 hearts, 2-3 spades

after 1NT 2C:
  2H = 4+ hearts

opening, 1st or 2nd seat, not vulnerable:
  2NT = 20-21 points, balanced

over (1NT):
  Double = 15+ points
  2C = 5+ hearts, 4+ spades
    (Double):
      Pass = 5+ clubs, "suggestion to play"
    2D = any hand
  2H = 6+ hearts, 8-14 points
  2S = 6+ spades, 8-14 points

over (1NT) Pass (Pass):
  Double = 15+ points
  2C = 5+ hearts, 4+ spades
    (Double):
      Pass = 5+ clubs, "suggestion to play"
    2D = any hand
  2H = 6+ hearts, 8-14 points
  2S = 6+ spades, 8-14 points

after 1C (1D):
  Double = 4+ hearts
  2M = 5+ M, 8+ points
  step 1 = 5+ hearts
"""


def test_notes_with_every_feature_become_a_system():
    found = read_bml(NOTES)
    assert found.text == TEXT.replace("-- Everything once\n", "-- Ours\n", 1)
    assert [(one.text, one.reason) for one in found.unread] == [
        ("2C Stayman", "no condition was read")
    ]
    assert found.rows == found.understood + 1
    read_text(found.text)


def test_a_system_made_of_notes_bids():
    system = System.parse(read_bml(NOTES).text)
    assert [format_call(one) for one in (
        system.bid("AK5.Q32.KJ52.Q97").call, system.bid("KQJ962.43.K87.52").call,
        system.bid("42.K8752.Q4.J853", "1N P").call, system.bid("K53.KQ8752.94.A5", "1N").call,
    )] == ["1N", "2S", "2D", "2H"]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Any hand with 16+ hcp", "any hand, 16+ hcp"),
        ("Game forcing with 6+!h", "6+ hearts; game forcing"),
        ("Minimum with 2--3!h", None),
        ("6!h, about 11--12 hcp", "6 hearts, 11-12 hcp"),
        ("Transfer. 4+ major", "4+ spades; transfer"),
        ("15--17 NT", "15-17 points, balanced"),
        ("Natural. 5+!c, 5--9", "5+ clubs, 5-9 points; natural"),
        ("Weak. 5--9, 6+!h", "Weak: 5-9 points, 6+ hearts"),
        # a word of strength alone says nothing that can be counted
        ("Weak, 6+!h", None),
        ("4+!h, asking for a major", "4+ hearts; asks for a major"),
        ("4+!h, unless minimum", None),
        ("4+!h, suggestion to play", '4+ hearts, "suggestion to play"'),
        (
            "Ours: 15-17 points, balanced; limited, #nt",
            "Ours: 15-17 points, balanced; limited, #nt",
        ),
        ("5+ of our suit", None),
        ("", None),
    ],
)
def test_prose_is_taken_where_all_of_it_is_understood(said, words):
    assert read_prose([said], "hearts").words == words


def test_a_range_of_notrump_is_one_of_balanced_hands():
    assert read_prose(["12--14"], "NT").words == "12-14 points, balanced"
    assert read_prose(["12--14"], "hearts").words == "12-14 points"


def test_a_row_without_a_meaning_has_answers():
    found = read_bml("1C-2S;\n3D\n  3H 5+!h\n  4m 5+ suit, 12+\n  3m 5+ suit\n")
    # all minors were bid, so either may be bid again where it is enough
    assert found.text.endswith("after 1C 2S 3D:\n  3H = 5+ hearts\n  4m = 5+ m, 12+ points\n")
    assert (found.rows, found.understood) == (3, 2)
    assert [one.reason for one in found.unread] == ["no suit is left for it"]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("#SEAT 4\nP   Too weak: at most 15 points", 1),
        ("P at most 11 points\n1C 3+ clubs, 12+", 2),
        ("Pass  at most 11 points", 1),
        ("P is a pass, D a double.", 0),
        ("P = pass\nD = double", 0),
        ("Doubles are for takeout.", 0),
    ],
)
def test_a_table_may_begin_with_a_pass(text, rows):
    found = read_bml(f"{text}\n\n1D 4+ diamonds, 12+\n")
    assert (found.rows, found.understood, found.unread) == (rows + 1, rows + 1, ())
    assert ("-- P" in found.text) == (rows == 0 and text.startswith("P"))


@pytest.mark.parametrize("name", some_in_check((1,), "sayc", "precision"))
def test_what_is_written_reads_back_as_it_was(name):
    written = write_bml(read_system(name))
    assert written.lines > 100
    assert written.lost
    found = read_bml(written.text)
    # all that was written is understood, but for a line that only follows some of the calls above
    assert {one.reason.rpartition(" ")[0] for one in found.unread} <= {
        "3X cannot follow (1X) 1NT (3X): no bid of it is",
        '"RHO doubled" can never hold after 1m (Pass) 2NT',
    }
    assert found.rows == written.lines
    # and written again the same
    again = write_bml(read_text(found.text))
    assert again.lost == ()
    read = read_bml(again.text)
    assert read.unread == ()
    assert read.rows == read.understood == again.lines
    assert write_bml(read_text(read.text)) == again


SYSTEM = """\
define good X = two of the top three in X

opening:
  2C = Strong: 22+ points; artificial, forcing to game
    2D = Waiting: any hand; artificial
      2NT = Balanced: 22-24 points, balanced
  1NT = Strong notrump: 15-17 points, balanced; limited
  1M = Five-card major: 12-21 points, 5+ M
    2M = Raise: 6-9 points, 3+ M
    3M = Limit raise: 10-12 points, 4+ M
    (Double):
      Redouble = Values: 10+ points
      2M = Raise: 4-9 points, 3+ M
    2oM = New suit: 10+ points, 5+ oM
  1m = Better minor: 12-21 points, 3+ m
  when not vulnerable:
    2M = Weak two: 5-10 points, 6 M, good M
after 1NT:
  transfer to 2M = Transfer: 5+ M; artificial, forcing
    3M = Super-accept: 17 points, 4+ M
    2M = Done: any hand
  3NT = To play: 10-15 points
over (1M):
  2M = Michaels; artificial
    either Weak: 6-9 points, 5+ oM, 5+-card minor
    or Strong: 17+ points, 5+ oM, 5+-card minor
  Double = Takeout: 12+ points, 3+ oM
over (1NT) Pass (Pass):
  Double = Values: 15+ points
"""


def test_a_system_bids_the_same_after_it_was_notes():
    before = System.parse(SYSTEM)
    written = write_bml(before.text)
    assert not written.lost
    after = System.parse(read_bml(written.text).text)
    assert diff_systems(before, after, deals=1500).changed == 0


def test_lines_keep_their_order_around_a_vulnerability():
    # a balanced hand with a four-card major opens one notrump: that line stands first
    before = System.parse(
        "opening:\n  2C = Strong: 21+ points; artificial, forcing\n"
        "  when vulnerable:\n    1NT = Strong notrump: 15-17 points, balanced\n"
        "  when not vulnerable:\n    1NT = Weak notrump: 12-14 points, balanced\n"
        "  1M = Four-card major: 11-20 points, 4+ M\n"
        "  when not vulnerable:\n    2M = Weak two: 5-9 points, 6 M\n"
    )
    written = write_bml(before.text)
    assert (written.lost, written.lines) == ((), 5)
    assert written.text.index("1N Weak") < written.text.index("1M Four")
    read = read_bml(written.text)
    assert read.unread == ()
    assert diff_systems(before, System.parse(read.text), deals=1500).changed == 0


def test_what_notes_cannot_say_is_told():
    system = read_text(
        "opening:\n  1NT = Strong: 15-17 points, balanced\n    nX = Any: 5+ X\n"
        "  1NT = Other: 5+ clubs\n"
        "after 1NT, forced:\n  2C = Club: 5+ clubs\n"
        "general:\n  game in M = Game: 5+ M\n"
    )
    assert write_bml(system).lost == (
        "<text>:3: nX Any",
        "<text>:4: 1NT Other",
        "<text>:5: after 1NT, forced:",
        "<text>:7: general:",
    )


def test_a_transfer_is_written_for_each_suit():
    system = read_text(
        "after 1NT:\n  transfer to 2M = Transfer: 5+ M\n    2M = Done: 2+ M\n    2NT = No: 5+ oM\n"
    )
    assert write_bml(system).text == (
        "1N;\n2D Transfer: 5+ hearts\n  2H Done: 2+ hearts\n  2N No: 5+ spades\n"
        "2H Transfer: 5+ spades\n  2S Done: 2+ spades\n  2N No: 5+ hearts\n"
    )


@pytest.mark.parametrize(
    ("notes", "text", "reason"),
    [
        ("#PASTE none\n", "#PASTE none", "nothing of this name was cut or copied before"),
        ("#INCLUDE none.bml\n", "#INCLUDE none.bml", "the file cannot be read"),
        ("#SEAT 9\n", "#SEAT 9", "the command is not known"),
        ("1N-8C;\n2D 5+!d\n", "1N-8C;", "its calls were not read"),
        ("1C 16+\n  Q what\n", None, None),
        ("1oM 5+ suit, 12+\n", "1oM 5+ suit, 12+", "no suit is left for it"),
        ("1N 15-17\n1N 12-14\n", "1N 12-14", "1NT was defined before"),
        ("1N-2C;\n1D 5+!d\n", "1D 5+!d", None),
    ],
)
def test_what_cannot_be_is_told_and_the_rest_read(notes, text, reason):
    found = read_bml(f"{notes}\n2N 20-21 bal\n")
    assert "2NT = 20-21 points, balanced" in found.text
    read_text(found.text)
    if text is not None:
        assert any(one.text == text and reason in (None, one.reason) for one in found.unread)


@pytest.mark.parametrize(
    ("notes", "header"),
    [
        ("1N 15--17 bal\n1N-2C---\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1N 15--17 bal\n  2C Stayman\n1N-2C;\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("Openings\n1N-2C---\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1C-1D;\n1N 15-17\n(1N)-P-(P)---\n2H 4+!h\n2S 4+!s\n", "over (1NT) Pass (Pass):"),
        ("1N 15--17 bal\n1N - 2C ---\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1N 15--17 bal\n1N-2C\n  2H 4+!h\n  2S 4+!s\n", "after 1NT 2C:"),
        ("1N 15--17 bal\nAfter 1nt-2!c:\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1N 15--17 bal\n1N\u20132\u2663:\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1N 15--17 bal\n1N 2C\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1N 15--17 bal\nRebids after 1N-2C (Stayman)\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1N 15--17 bal\n1C-1D;1H---\n2H 4+!h\n2S 4+!s\n", "after 1C 1D 1H:"),
        ("1C-(1D)-X-(XX)---\n2H 4+!h\n2S 4+!s\n", "after 1C (1D) Double (Redouble):"),
        ("1N-2C---\n\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("1N-2C---\n\nAs usual.\n\n  2H 4+!h\n  2S 4+!s\n", "after 1NT 2C:"),
        ("* Openings\n\n1N 15-17\n\n** After 1N-2C\n\n2H 4+!h\n2S 4+!s\n", "after 1NT 2C:"),
        ("    1N-2C---\n    2H 4+!h\n    2S 4+!s\n1C 3+!c\n", "after 1NT 2C:"),
        # and what is none
        ("1N-2C are Stayman and 1N-2D a transfer\n2H 4+!h\n2S 4+!s\n", "opening:"),
        ("* After 1N-2C\n\n1N 15-17\n\n2H 4+!h\n2S 4+!s\n", "opening:"),
        ("1N-2C---\n2D 4+!d\n\n2H 4+!h\n2S 4+!s\n", "opening:"),
    ],
)
def test_a_sequence_under_a_table_begins_another(notes, header):
    found = read_bml(notes)
    assert f"\n{header}\n  2H = 4+ hearts\n  2S = 4+ spades\n" in f"\n{found.text}"
    assert not any("begins with no bid" in one.reason for one in found.unread)


def test_rows_below_a_sequence_that_was_not_read_become_no_lines():
    found = read_bml(
        "1N 15--17 bal\n1N-8C---\n2H 4+!h\n\n1N-8C;\n2S 4+!s\n1N-2C;\n2D 4+!d\n"
        "\n1N-9C---\n\n3H 6+!h\n\n  1N-9C;\n  3S 6+!s\n1C 3+!c\n"
    )
    assert all(one not in found.text for one in ("2H", "2S", "3H", "3S"))
    assert "opening:\n  1C = 3+ clubs" in found.text
    assert "after 1NT 2C:\n  2D = 4+ diamonds" in found.text
    assert [one.text for one in found.unread].count("1N-8C---") == 1


def test_files_are_included_and_not_without_end():
    files = {"a.bml": "#INCLUDE b.bml\n", "b.bml": "2N 20-21 bal\n", "c.bml": "#INCLUDE c.bml\n"}
    assert "2NT" in read_bml("#INCLUDE a.bml\n", files.__getitem__).text
    with pytest.raises(InvalidInput, match="at most 20 files"):
        read_bml("#INCLUDE c.bml\n", files.__getitem__)


def test_pasting_ends():
    lines = ["#COPY a", "1C 16+", "#ENDCOPY"]
    for name, before in zip("bcdefghijklmnopq", "abcdefghijklmnop", strict=True):
        lines += [f"#CUT {name}", f"#PASTE {before}", f"#PASTE {before}", "#ENDCUT"]
    with pytest.raises(InvalidInput, match="lines of notes"):
        read_bml("\n".join([*lines, *["#PASTE q"] * 9]))


@given(st.text(alphabet="1234N CDHSMmXo()-;#=!hcp+\n ab.,PASTEUV", max_size=200))
def test_any_text_gives_a_system_that_reads(notes):
    found = read_bml(notes)
    if found.understood:
        read_text(found.text)
    else:
        with pytest.raises(InvalidSystem, match="the text has no line of a system"):
            read_text(found.text)
