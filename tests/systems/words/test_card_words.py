"""Words of convention cards: short, of what a call shows, and of nothing else."""

import pytest

from bidcascade.bridge import parse_calls
from bidcascade.systems.system import System
from bidcascade.systems.words.card_words import (
    LONGEST_LINE,
    call_sign,
    card_words,
    points_range,
)

LINES = """system Words
opening:
  1C = Strong club: 16+ points; artificial, forcing
  1D = Prepared diamond: 11-15 points, 2+ diamonds
  1H = Hearts: 11-15 points, 5+ hearts; shows 11+ points
  1S = Spades: 11-15 points, 5+ spades, spades longer than hearts
  1NT = Weak notrump: 12-14 points, balanced
  2C = Two suits: 5-10 points, 5+ clubs, 5+ spades
  2D = Multi: 5-10 points, exactly 6 hearts or exactly 6 spades; artificial
  2H = Weak two: 5-9 points, exactly 6 hearts; preemptive
  2S = An opening of two spades with a name as long as nobody would ever give to one: 6 spades
after 1H:
  2H = Simple raise: 6-9 points, 3+ hearts; limited, agrees hearts
  2NT = Jacoby: 12+ points, 4+ hearts; artificial, forcing to game, forcing, agrees hearts
  3H = Invitation: 10-11 points, exactly 4 hearts; invitational
  3NT = Game: 12-15 points; sign-off
  1S = Long: 6+ points, 5+ spades; forcing
  1S = Short: 6+ points, 4 spades; forcing
after 1NT:
  2C = Stayman: 8+ points; artificial, forcing, asks for a four-card major
  2S = Relay: at most 7 points, 6+ clubs or 6+ diamonds; puppet to 3C
after 2H:
  2NT = Asking: 15+ points, worth a try; artificial, forcing
define worth a try = 2+ hearts or 3+ aces
over (1S):
  Double = Strong takeout double: 17+ points; takeout, forcing
  Double = Takeout double: 12+ points, at most 2 spades; takeout, forcing
over (1NT):
  Double = Penalty double: 15+ points; penalty
"""


@pytest.fixture(scope="module")
def system():
    return System.parse(LINES)


@pytest.mark.parametrize(
    ("auction", "points", "words"),
    [
        ("1C", "16+", "Strong club: forcing, artificial"),
        ("1D", "11-15", "Prepared diamond: 2+ cards"),
        ("1H", "11-15", "Hearts: 5+ cards"),
        ("1S", "11-15", "Spades: 5+ cards"),
        ("1N", "12-14", "Weak notrump: balanced"),
        ("2C", "5-10", "Two suits: 5+ cards, 5+ ♠"),
        ("2D", "5-10", "Multi: 6 in a major, artificial"),
        ("2H", "5-9", "Weak two: 6 cards"),
        ("1H P 2H", "6-9", "Simple raise: 3+ support"),
        ("1H P 2N", "12+", "Jacoby: 4+ support, game forcing, artificial"),
        ("1H P 3H", "10-11", "Invitation: 4-card support"),
        ("1H P 3N", "12-15", "Game: to play"),
        # two lines of a natural bid are neither's name
        ("1H P 1S", "6+", "4+ cards, forcing"),
        ("1N P 2C", "8+", "Stayman: asks for a 4-card major, forcing, artificial"),
        ("1N P 2S", "0-7", "Relay: 6+ in a minor"),
        # a condition without short words is left to the name
        ("2H P 2N", "15+", "Asking: forcing, artificial"),
        ("1S X", "12+", "Takeout double"),
        ("1N X", "15+", "Penalty double"),
    ],
)
def test_a_call_in_the_words_of_cards(system, auction, points, words):
    calls = parse_calls(auction)
    said = card_words(system.reader(first=len(calls) % 2 == 1).state(calls))
    assert (said.points, said.words) == (points, words)


def test_a_name_that_is_too_long_ends_with_a_word(system):
    words = card_words(system.reader().state(parse_calls("2S"))).words
    assert len(words) <= LONGEST_LINE
    assert words.endswith("…")
    assert f"{words[:-1]} " in LINES


def test_a_call_without_agreement_is_natural(system):
    assert card_words(system.reader().state(parse_calls("1H P 4D"))).words


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ((15, 17), "15-17"),
        ((12, 12), "12"),
        ((0, 7), "0-7"),
        ((16, 37), "16+"),
        ((8, 23), "8+"),
        ((12, 21), "12-21"),
        ((1, 37), ""),
        ((0, 37), ""),
    ],
)
def test_ranges_are_written_as_players_name_them(points, text):
    assert points_range(points) == text


def test_calls_are_written_with_signs():
    assert [call_sign(call) for call in parse_calls("1C P 1S X 3N")] == [
        "1♣",
        "P",
        "1♠",
        "X",
        "3NT",
    ]
