"""Headers and lines that come up are read; those that never can are errors at their place."""

import pytest

from bidcascade.bridge import InvalidSystem, parse_calls
from bidcascade.systems import System
from bidcascade.systems.language.reader import read_text

OPENINGS = "opening:\n  1NT = Strong: 15-17 points, balanced\n  1M = Major: 12+ points, 5+ M\n"
LINE = "  3NT = Game: any hand\n"

READ = [
    ("after 1NT P 2C P", "1N P 2C P"),
    ("after 1N Pass 2C pass", "P 1N P 2C P"),
    ("after 1NT P 2C", "1N P 2C P"),
    ("after 1NT (P) 2C P", "1N P 2C P"),
    ("after P P 1NT P", "P P 1N P"),
    ("after P 1NT P 2C P", "P 1N P 2C P"),
    ("after (P) P 1NT", "P P P 1N P"),
    ("after P (P) 1NT", "P P 1N P"),
    ("after 1C (1H) P P", "1C 1H P P"),
    ("over (1C) P (1H)", "1C P 1H"),
    ("after … 1NT P 2C P", "1H P 1N P 2C P"),
]
"""Headers, each with an auction at which its line is bid."""

NEVER = [
    ("after 1C 1H P 2H:\n" + LINE, 4, 'write "after 1C (1H) Pass (2H)", or "after 1C 1H 2H"'),
    ("after P 1NT:\n" + LINE, 4, 'write "after (Pass) 1NT", or "after Pass (Pass) 1NT"'),
    ("after P P:\n" + LINE, 4, 'write "opening, 3rd seat:"'),
    ("after P P P P 1NT:\n" + LINE, 4, "at most three passes in front"),
    ("after P … 1NT:\n" + LINE, 4, '"after … 1NT"'),
    ("over 1C P 1H:\n" + LINE, 4, 'write "over (1C) Pass (1H)"'),
    ("after 1NT Pass Pass:\n" + LINE, 4, "the auction is over behind 1NT (Pass) Pass (Pass)"),
    ("after (1NT) P P P:\n" + LINE, 4, "three passes end the auction"),
    ("after 2M 1M:\n" + LINE, 4, "1M cannot follow 2M (Pass)"),
    ("after 1M 1M:\n" + LINE, 4, "1M cannot follow 1M (Pass)"),
    ("after 1C Double:\n" + LINE, 4, 'stands in parentheses: "(Double)"'),
    ("after 1C (Redouble):\n" + LINE, 4, "there is no double"),
    ("after 1C (1H) cheapest their suit:\n" + LINE, 4, "names no suit in an auction"),
    ("after 1NT/P:\n" + LINE, 4, "Pass can never be made"),
    ("after 2NT:\n  1M = Low: 5+ M\n", 5, "1M cannot follow 2NT (Pass)"),
    ("after 1NT or 2NT:\n  1H = Low: 5+ hearts\n", 5, "1H cannot follow 1NT (Pass)"),
    ("after 1NT:\n  Pass = No: 5 points\n    2H = Yes: 5 points\n", 6, "nothing can follow"),
    ("over (1C):\n  (1H):\n    1S = Yes: 5 points\n", 5, "ends with a call of theirs already"),
    ("after 1C, partner opened 1NT:\n" + LINE, 4, "can never hold after 1C (Pass)"),
    ("after 1C, RHO doubled:\n" + LINE, 4, '"RHO doubled" can never hold'),
    ("opening, 4th seat, I am a passed hand:\n" + LINE, 4, "can never hold at the opening"),
    ("when vulnerable, not vulnerable:\n" + LINE, 4, "can never hold together"),
    ("opening, vulnerable:\n  2M = Not vulnerable: not vulnerable, 6 M\n", 5, "hold together"),
    ("opening, 2nd seat:\n  2M = Other: 1st seat, 6 M\n", 5, "nobody sits in 2nd seat and"),
    ("after 1NT:\n  2C = All: any hand\n  2D = Rest: 5+ hearts\n", 6, "any hand makes 2C All"),
    ("after 1NT:\n  2C = No: 15+ points, at most 10 points\n", 5, "no hand has"),
    ("after 1NT:\n  2C = No: 5+ hearts, 5+ spades, 4+ clubs\n", 5, "14 cards together"),
]
"""Texts behind the openings, the line and a part of what is said of it."""


@pytest.mark.parametrize(("header", "auction"), READ)
def test_a_header_that_comes_up(header, auction):
    system = System.parse(f"{OPENINGS}{header}:\n{LINE}")
    entries = system.expand(tuple(parse_calls(auction))).entries
    assert "Game" in [entry.name for entry in entries]


@pytest.mark.parametrize(("text", "line", "said"), NEVER)
def test_what_never_comes_up(text, line, said):
    with pytest.raises(InvalidSystem) as raised:
        read_text(OPENINGS + text)
    (complaint,) = raised.value.complaints
    assert complaint.where.line == line
    assert said in f"{complaint.message} ({complaint.advice})"


def test_passes_in_front_say_the_seat():
    system = System.parse(f"{OPENINGS}after P P 1NT P:\n{LINE}")
    for auction in ("1N P", "P 1N P", "P P P 1N P"):
        entries = system.expand(tuple(parse_calls(auction))).entries
        assert "Game" not in [entry.name for entry in entries]


def test_a_convention_may_hold_lines_that_fit_some_of_its_uses():
    used = "convention low:\n  1H = Low: 5+ hearts\nafter 1C:\n  use low\nafter 1NT:\n  use low\n"
    with pytest.raises(InvalidSystem):  # a literal call is looked at wherever it stands
        read_text(used)
    assert read_text(used.replace("1H", "1M").replace("5+ hearts", "5+ M")).blocks


def test_a_suit_by_its_role_may_be_any():
    text = "over (1X):\n  cheapest their suit = Cue: 16+ points\n    3NT = Game: 13+ points\n"
    assert read_text(text).blocks
