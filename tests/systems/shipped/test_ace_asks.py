"""Asks for aces, key cards and kings: whatever else a place has, they are answered first."""

import pytest

from bidcascade.bridge import FIRST_BID, PASS, bid_level, format_calls, parse_calls
from bidcascade.systems import open_system
from tests.support.examples import sized

ASKS = {"blackwood", "gerber", "king-ask"}
ANSWERS = {"ace-answer", "keycard-answer", "king-answer"}
SYSTEMS = ["sayc", "acol", "two-over-one", "precision", "light-openings"]


def tags(entry):
    return {one.text for one in entry.agreements if one.kind == "tag"}


def asks_behind(system, auction, depth):
    """Auctions of one side alone that end with an ask, and of how many calls they are at most."""
    waiting = [auction]
    for _ in range(depth):
        behind = []
        for calls in waiting:
            made = {}
            for entry in system.place(calls).entries:
                if entry.call >= FIRST_BID:
                    made.setdefault(entry.call, set()).update(tags(entry))
            for call, said in made.items():
                if said & ASKS:
                    yield (*calls, call, PASS)
                else:
                    behind.append((*calls, call, PASS))
        waiting = behind


def is_answered(system, calls):
    """Whether lines that answer stand before all others, each number of aces having one."""
    answers = [bool(tags(one) & ANSWERS) for one in system.place(calls).entries]
    return any(answers) and answers == sorted(answers, reverse=True)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_ask_is_answered(name):
    system = open_system(name)
    asks = list(asks_behind(system, (), sized(3, 4)))
    assert len(asks) > 100
    assert [format_calls(one) for one in asks if not is_answered(system, one)] == []


def test_key_cards_are_answered_where_they_are_an_option():
    system = open_system("acol", options={"keycards": True})
    asks = list(asks_behind(system, (), 3))
    assert [format_calls(one) for one in asks if not is_answered(system, one)] == []
    raised = system.place(parse_calls("1H P 3H P 4N P")).entries[0]
    assert "keycard-answer" in tags(raised)


def jump_shifts():
    """Openings of a suit and jumps in another one."""
    for opening in range(FIRST_BID, FIRST_BID + 4):
        for answer in range(opening + 6, opening + 10):
            # no jump in the same suit, none in notrump
            if (answer - opening) % 5 and (answer - FIRST_BID) % 5 != 4 and bid_level(answer) <= 3:
                yield opening, PASS, answer, PASS


def test_every_ask_after_a_jump_shift_is_answered_by_aces():
    system = open_system("acol")
    asks = [
        one
        for before in jump_shifts()
        for one in asks_behind(system, before, sized(2, 3))
        # the opener asks
        if len(one) % 4 == 2
    ]
    assert len(list(jump_shifts())) == 12
    assert len(asks) >= 12
    assert [format_calls(one) for one in asks if not is_answered(system, one)] == []
    told = system.bid("AQJ3.AQT864.A7.3", "1C P 2H P 4N P")
    assert told.entry.name == "Three aces"
