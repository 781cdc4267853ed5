"""What a search proposes to a system's author, against single searches."""

from threading import Event

import pytest

from bidcascade.bridge import Cancelled, Seat, Vulnerability, format_call
from bidcascade.inference.search import SearchRules
from bidcascade.seats.foreign.protocol import Turn
from bidcascade.seats.search_player import SearchPlayer
from bidcascade.workshop.tuning.search_proposals import propose
from tests.inference.test_search import CAUTIOUS
from tests.seats.test_search_player import SMALL, some_deals


def test_proposals_are_the_decisions_in_which_single_searches_differ():
    deals = some_deals(24)
    player = SearchPlayer(SMALL, layouts=24)
    told = []
    found = propose(player, deals, progress=lambda done, total: told.append((done, total)))
    assert told == [(number + 1, 24) for number in range(24)]
    expected: dict[tuple[str, str], list[float]] = {}
    decisions = 0
    for deal in range(24):
        dealer, sides = Seat(deals.dealer[deal]), Vulnerability(deals.vulnerability[deal])
        calls: tuple[int, ...] = ()
        while len(calls) < 4 or any(calls[-3:]):
            hand = int(deals.hands[(dealer + len(calls)) % 4, deal])
            turn = Turn(hand, dealer, sides, calls)
            one = player.search(turn, None, is_first=len(calls) % 2 == 0)
            decisions += 1
            if one.differs:
                key = format_call(one.own), format_call(one.call)
                gain = max(each.gain for each in one.candidates)
                expected.setdefault(key, []).append(gain)
            calls = (*calls, one.own)
    assert (found.deals, found.decisions) == (24, decisions)
    assert found.differing == sum(map(len, expected.values())) > 0
    gained: dict[tuple[str, str], list[float]] = {}
    for proposal in found.proposals:
        key = proposal.own, proposal.instead
        gained.setdefault(key, []).append(proposal.gain * proposal.decisions)
        assert proposal.imps == pytest.approx(proposal.gain * proposal.decisions / 24)
        assert proposal.example.gain >= proposal.gain
        assert proposal.example.auction in proposal.places or proposal.decisions > 3
    assert {key: pytest.approx(sum(gains)) for key, gains in expected.items()} == {
        key: sum(gains) for key, gains in gained.items()
    }
    worth = [one.imps for one in found.proposals]
    assert worth == sorted(worth, reverse=True)


def test_a_line_that_is_too_cautious_is_named():
    deals, rules = some_deals(60), SearchRules(kinds=("uncontested",))
    player = SearchPlayer(CAUTIOUS, layouts=24, rules=rules)
    found = propose(player, deals)
    assert {(one.line.name, one.own, one.instead) for one in found.proposals} == {
        ("Too cautious", "P", "3N")
    }
    [proposal] = found.proposals
    assert set(proposal.places) <= {"1N P", "P 1N P", "P P 1N P", "P P P 1N P"}
    assert not propose(player, deals, least=proposal.decisions + 1).proposals
    never = SearchPlayer(CAUTIOUS, layouts=24, rules=SearchRules(margin=1000.0))
    assert propose(never, deals).differing == 0


def test_it_can_be_cancelled():
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        propose(SearchPlayer(CAUTIOUS), some_deals(1), cancel=stop)
