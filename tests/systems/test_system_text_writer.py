"""Trees written as text: reading the text gives the tree."""

import pytest

from bidcascade.bridge import InvalidSystem
from bidcascade.systems import named_systems
from bidcascade.systems.language import reader
from bidcascade.systems.language.reader import read_system, read_text
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.writer import write_system_text

SYSTEM = """\
-- What it plays.
--
-- Not much.

system Small, with a comma

define good X = two of the top three in X or three of the top five in X

convention raise(call 2H, least 6):
  call = Raise: least-9 support points, 3+ hearts
option weak-notrump, on:
  opening, 1st or 2nd seat:
    1NT = Weak: 12-14 points, balanced; limited, announce "12 to 14"  -- the range
opening:
  2D = Multi; artificial, #multi
    either Weak: 5-10 points, 6+-card major "as ever"; preemptive  -- mostly
    or 20-22 points, 4-4-4-1
    2H = Pass or correct: any hand
      (Double or 3C):
        Redouble = 12+ points
    2S = Spades, 5+ of them:
  2M = Weak two: 5-10 points, 6 M and good M or 7 M, not (4+ oM or void in oM)
after 1H or 1m (1NT), partner opened:
  use raise(least 7)
over (1M) … 4NT (any bid):
  cheapest X = no aces, {HCP > 3}
general:
  when they bid X, X is not a major:
    Pass = "nothing to say"
"""


def test_a_written_system_reads_as_the_same():
    system = read_text(SYSTEM)
    again = read_text(write_system_text(system))
    assert again.blocks == system.blocks
    assert again.title == system.title == "Small, with a comma"
    assert again.prose == system.prose
    assert {name: (define.suits, define.condition) for name, define in again.defines.items()} == {
        name: (define.suits, define.condition) for name, define in system.defines.items()
    }
    assert write_system_text(again) == write_system_text(system)


@pytest.mark.slow
def test_shipped_systems_written_and_read(monkeypatch):
    # lines of a convention may never come up at one of its places, those of a text have to
    monkeypatch.setattr(reader, "check_system", lambda *_: None)
    found = 0
    for path in sorted(shipped_folder().rglob("*.bidding")):
        try:
            system = read_system(path)
        except InvalidSystem:
            continue  # a part that needs the words of the systems that include it
        found += 1
        again = read_text(write_system_text(system))
        assert again.blocks == system.blocks, path.name
    assert found >= len(named_systems())
