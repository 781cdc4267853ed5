"""What calls show: needs without what earlier lines take, promises, forcing states, passes."""

import random

import pytest

from bidcascade.bridge import Auction, format_calls
from bidcascade.systems.places.knowledge import hull, share
from bidcascade.systems.places.state import shown
from bidcascade.systems.system import System

SYSTEM = System.parse("""
opening:
  2C  = Strong: 22+ points; artificial, forcing to game
  1NT = Strong notrump: 15-17 points, balanced; limited
  1S  = Major: 12-21 points, 5+ spades, spades at least as long as hearts
  1H  = Major: 12-21 points, 5+ hearts
  1D  = Minor: 12-21 points, 4+ diamonds, diamonds at least as long as clubs
  1C  = Minor: 12-21 points, 3+ clubs
after 1M:
  2M = Raise: 6-10 points, 3+ M
  1NT = Answer: 6-10 points; limited
  2X = New suit: 11+ points, 4+ X; forcing
after 1NT:
  transfer to 2M = Transfer: 5+ M; artificial, forcing
    2M = Completed: any hand
over (1m):
  2m = Two suits; artificial
    either Weak: 6-9 points, 5+ hearts, 5+ spades
    or Strong: 17+ points, 5+ hearts, 5+ spades
after … 4NT:
  5C = None or four: 0 or 4 aces; artificial
  5D = One: 1 ace; artificial
when partner opened:
  4NT = Blackwood: 16+ points; artificial, forcing, #blackwood
""")


def points(auction: str, position: int) -> tuple[int, int]:
    return hull(SYSTEM.state(auction).knowledge[position].cells).points


def lengths(auction: str, position: int) -> dict[str, tuple[int, int]]:
    return dict(
        zip("CDHS", hull(SYSTEM.state(auction).knowledge[position].cells).lengths, strict=True)
    )


def test_a_call_shows_its_needs():
    assert points("1N", 0) == (15, 17)
    assert set(lengths("1N", 0).values()) == {(2, 5)}
    assert points("2C", 0) == (22, 37)


def test_earlier_lines_are_denied():
    # one club has no five-card major, and no four diamonds unless clubs are longer
    shape = lengths("1C", 0)
    assert shape["H"] == (0, 4)
    assert shape["S"] == (0, 4)
    assert shape["C"][0] == 3
    assert shape["D"] == (0, 6)
    # a balanced hand of 15-17 would have opened one notrump
    cells = SYSTEM.state("1C").knowledge[0].cells
    balanced = SYSTEM.state("1N").knowledge[0].cells
    assert cells & balanced == 0


def test_a_pass_denies_every_line():
    strong_notrump = SYSTEM.state("1N").knowledge[0].cells
    assert SYSTEM.state("P").knowledge[0].cells & strong_notrump == 0
    # it keeps the hands that no line opens: 4=4=3=2 outside the range of one notrump
    assert hull(SYSTEM.state("P").knowledge[0].cells).points[1] == 21


def test_knowledge_narrows_along_the_auction():
    assert points("1S P 2S", 2) == (6, 10)
    assert lengths("1S P 2S", 2)["S"][0] == 3
    assert points("1S P 1N", 2) == (6, 10)
    assert lengths("1S P 1N", 2)["S"] == (0, 2)


def test_variants_are_alternatives_with_a_gap_between():
    meaning = SYSTEM.state("1C 2C").meanings[-1]
    assert [one.kind for one in meaning.alternatives] == ["Weak", "Strong"]
    assert {one.name for one in meaning.alternatives} == {"Two suits"}
    shares = [share(one.cells) for one in meaning.alternatives]
    assert shares[0] > 5 * shares[1] > 0
    cells = SYSTEM.state("1C 2C").knowledge[1].cells
    assert hull(cells).points[0] == 6
    assert all(not _has_points(cells, value) for value in range(10, 17))


def _has_points(cells: int, value: int) -> bool:
    from bidcascade.systems.places.knowledge import bounds
    from bidcascade.table.language.expressions import parse_expression

    return bool(bounds(parse_expression(f"HCP == {value}"), SYSTEM.vocabulary).can & cells)


def test_terms_beyond_shape_and_points_are_kept():
    state = SYSTEM.state("1S P 4N P 5D")
    assert shown(state, 0, "Aces") == (1, 1)
    assert shown(SYSTEM.state("1S P 4N P 5C"), 0, "Aces") == (0, 4)
    # an opening of five cards and 12 points cannot have more than four aces; nothing is known
    assert shown(SYSTEM.state("1S"), 0, "Aces") == (0, 4)


def test_forcing_states():
    assert SYSTEM.state("2C P").forced
    assert SYSTEM.state("2C P 2D P").forced
    assert not SYSTEM.state("2C P 2D P 4S P").forced
    assert not SYSTEM.state("2C X").forced
    assert SYSTEM.state("1S P 2H P").forced
    assert not SYSTEM.state("1S P 2S P").forced


def test_what_forces_to_game_forces_in_game_too_where_no_suit_is_named():
    system = System.parse(
        "opening:\n  1S = Spades: 5+ spades; forcing to game\n"
        "after 1S:\n"
        "  4C = Splinter: 13+ points, shortness in clubs; artificial, forcing to game\n"
        "  4H = Splinter: 13+ points, shortness in hearts; artificial, forcing to game\n"
        "  4S = Game: 4+ spades; forcing to game\n"
        "  2S = Raise: 3+ spades\n"
        "when last bid was theirs, they bid hearts:\n"
        "  Double = Penalty: any hand; penalty\n"
        "when last bid was theirs, they bid clubs:\n"
        "  Double = Takeout: any hand; takeout\n"
    )
    assert system.state("1S P 4C P").forced
    assert system.state("1S P 4H P").forced
    assert not system.state("1S P 4S P").forced
    assert not system.state("1S P 4H X").forced
    # below game a double for penalties may be left in, another one not
    assert system.state("1S P 2S 3C X P").forced
    assert not system.state("1S P 2S 3H X P").forced


def test_suits_that_were_shown():
    assert SYSTEM.state("1S P 2H").suits == ("S", "", "H", "")
    # a transfer shows the suit above, an artificial bid not the one it names
    assert SYSTEM.state("1N P 2D").suits[2] == "H"
    assert SYSTEM.state("2C").suits[0] == ""
    assert set(SYSTEM.state("1C 2C").suits[1]) == {"H", "S"}


def test_a_raise_agrees_the_suit():
    assert SYSTEM.state("1S P 2S").agreed == ("S", None)


def test_a_call_that_nobody_makes_is_taken_at_face_value():
    # partner limited his hand to ten points and then asks for aces
    state = SYSTEM.state("1S P 2S P 3S P 4N P")
    assert state.meanings[-2].known
    assert points("1S P 2S P 3S P 4N", 2)[0] >= 6


def test_a_promise_counts_for_partner_but_not_for_the_hands():
    system = System.parse(
        "opening:\n  1S = Light: rule of 20, 8+ points, 5+ spades; shows 12-21 points\n"
        "after 1S:\n  3NT = Game: 25+ combined points\n"
    )
    state = system.state("1S")
    assert hull(state.knowledge[0].cells).points[0] == 8
    assert shown(state, 0, "HCP") == (12, 21)
    assert [str(one) for one in system.expand("1S P").entries[0].criteria] == ["HCP >= 13"]


def test_each_side_reads_the_other_by_its_own_system():
    weak = System.parse(
        "opening:\n  1NT = Weak: 12-14 points, balanced\n"
        "over (1NT):\n  Double = Strong: 15+ points\n"
    )
    ours = SYSTEM.state("1N", opponents=weak)
    assert hull(ours.knowledge[0].cells).points == (12, 14)
    assert hull(weak.state("1N", opponents=SYSTEM).knowledge[0].cells).points == (15, 17)


@pytest.mark.parametrize("seed", range(20))
def test_any_auction_expands_to_legal_calls(seed):
    chooser = random.Random(seed)
    auction = Auction()
    while not auction.is_complete and len(auction.calls) < 40:
        place = SYSTEM.expand(auction.calls)
        for entry in place.entries:
            assert auction.is_legal(entry.call), format_calls((*auction.calls, entry.call))
        legal = list(auction.legal_calls())
        auction = auction.add(chooser.choice(legal if chooser.random() < 0.5 else [0, *legal[:6]]))
    assert len(SYSTEM.state(auction.calls).meanings) == len(auction.calls)


def test_a_text_may_name_what_the_opponents_play(tmp_path):
    (tmp_path / "weak.bidding").write_text(
        "opening:\n  1NT = Weak: 12-14 points, balanced\n", encoding="utf-8"
    )
    (tmp_path / "ours.bidding").write_text(
        'opponents play "weak.bidding"\n'
        "opening:\n  1NT = Strong: 15-17 points, balanced\n"
        "over (1NT):\n  Double = Penalty: 15+ points\n",
        encoding="utf-8",
    )
    ours = System.open(tmp_path / "ours.bidding")
    assert hull(ours.state("1N").knowledge[0].cells).points == (12, 14)
    assert hull(ours.state("1N P").knowledge[0].cells).points == (15, 17)
    assert [entry.name for entry in ours.expand("1N").entries] == ["Penalty"]
