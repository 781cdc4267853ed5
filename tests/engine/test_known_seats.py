"""A deal of known and unknown hands: the known hands bid, the others dealt."""

import json

import pytest

from bidcascade.bridge import Seat, format_calls, format_hand, parse_calls, parse_hand
from bidcascade.engine.engine import Engine
from bidcascade.engine.known_seats import bid_known
from bidcascade.inference import parse_known, sample_layouts
from bidcascade.loaders import read_hands
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, main
from bidcascade.systems import open_system

NORTH, SOUTH = "AQ4.KJ3.K876.Q52", "9762.865.Q93.J94"
DEAL = f"N:{NORTH} - {SOUTH} -"
HANDS = (parse_hand(NORTH), 0, parse_hand(SOUTH), 0)


@pytest.fixture(scope="module")
def engine():
    return Engine.open("sayc")


@pytest.mark.parametrize(
    ("given", "auction", "stops_at"),
    [
        ("", "1N", "E"),
        ("1N P", "1N P P", "W"),
        ("P P P P", "1N P P P", None),
        # the calls of an auction that the known hands do not bid: as far as they are legal
        ("1N 2C P P P", "1N 2C P P P", None),
        ("1N P 2N P 3N P P P", "1N P P P", None),
        ("P 1C P P P", "1N", "E"),
    ],
)
def test_known_hands_bid_and_unknown_ones_are_given(engine, given, auction, stops_at):
    found = bid_known(engine, HANDS, parse_calls(given))
    assert format_calls([one.call for one in found.calls]) == auction
    assert (found.stops_at and found.stops_at.letter) == stops_at
    assert [one.answer is None for one in found.calls] == [one.seat % 2 == 1 for one in found.calls]


def test_all_hands_known_are_bid_to_the_end(engine):
    hands = read_hands(f"N:{NORTH} {SOUTH} T98.T98.T54.T863 J53.Q742.AJ2.AK7")
    assert isinstance(hands, str) or bid_known(engine, hands, dealer=Seat.EAST).stops_at is None


def test_bid_of_a_deal(capfd):
    assert main(["bid", DEAL, "--auction", "1N P"]) == 0
    out = capfd.readouterr().out.splitlines()
    assert out[0].startswith("N  1N  ")
    assert out[1] == "E  P   given"
    assert out[-1] == "W is to call, whose hand is unknown"
    assert main(["bid", DEAL, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["auction"], told["stops_at"]) == (["1N"], "E")
    assert told["calls"][0]["from"] == "system"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["N:- - - -"], BAD_ARGUMENTS, "expected a known hand, got four unknown ones"),
        ([f"N:{NORTH} - {NORTH} -"], BAD_ARGUMENTS, "in two"),
        (
            [DEAL, "--explain"],
            BAD_ARGUMENTS,
            "expected one hand with --explain, --simulate or --search",
        ),
        ([DEAL, "--auction", "2C 1C"], BAD_ARGUMENTS, "1C"),
    ],
)
def test_wrong_deals_are_told(capfd, words, code, said):
    assert main(["bid", *words]) == code
    assert said in capfd.readouterr().err


def test_unknown_hands_are_dealt():
    known = parse_known([DEAL])
    assert list(known) == [Seat.NORTH, Seat.SOUTH]
    layouts = sample_layouts(open_system("sayc"), "1N P P P", known=known, count=20, seed=1)
    assert {format_hand(int(hand)) for hand in layouts.hands[2]} == {SOUTH}
    assert len({int(hand) for hand in layouts.hands[1]}) > 10


def test_work_on_files_tells_of_them(capfd, tmp_path):
    quiz = tmp_path / "quiz.pbn"
    quiz.write_text(f'[Board "1"]\n[Dealer "N"]\n[Deal "{DEAL}"]\n\n')
    for words in (["auctions", quiz], ["augment", quiz, "--out", tmp_path / "out.parquet"]):
        assert main([str(word) for word in words]) == BAD_INPUT
        assert "expected four known hands, got those of N and S" in capfd.readouterr().err
    assert main(["load", str(quiz), "--out", str(tmp_path / "again.pbn")]) == 0
    assert f'[Deal "{DEAL}"]' in (tmp_path / "again.pbn").read_text()
