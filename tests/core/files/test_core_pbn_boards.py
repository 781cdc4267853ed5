"""The core's reader of PBN for the page against its definition, on texts of every kind."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import HAND_COLUMNS, QUOTED, join
from bidcascade.loaders.pbn.pbn import read_pbn_text
from tests.core.files.pbn_boards import NO_PBN, WRONG_DEAL, board_of, core_records, reason_of
from tests.support.examples import examples
from tests.support.mutants import mutated

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
DEAL = f'[Deal "N:{" ".join(HANDS)}"]\n'
QUIZ = f'[Deal "N:{HANDS[0]} - {HANDS[2]} -"]\n'
LIN_DEAL = f'[Deal "3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,{HANDS[0]},"]\n'
GAME = (
    f'[Event "##Club"]\n[Board "1"]\n[Vulnerable "NS"]\n{DEAL}[Dealer "N"]\n[North "Ann"]\n'
    '[Auction "N"]\n1NT =1= Pass 2C $1 =2= Pass\n2D Pass 3NT {why?} AP\n[Note "1:15 to 17"]\n'
    '[Note "2:Stayman"]\n[Contract "3NT"]\n[Declarer "N"]\n[Result "9"]\n[Score "NS 400"]\n'
    '[Play "E"]\nS5 S6 ST S4\nH7 H5 H9 HJ\n*\n'
    '[ScoreTable "Names_NS\\20L;Contract;Declarer;Result;Score_NS;Lead"]\n'
    '"Ann - Bob" 4S N = 420 -\nCay & Dan            3NTX S -1 - HK\n\n'
)
PIECES = (
    "1C", "1NT", "Pass", "X", "XX", "AP", "All Pass", "*", "**", "+", "^", "^S", "^I", "^2", "=1",
    "=2=", "= 1 =", "=1=2", "= 1 =2", "=", "!", "?", "-", "$3", "$", "#", "(1)", "1♠", "7NT",
    "2\u017f", "{", "}", ";", "%", '"', "\\", '\\"', "[", "]", ":", "\n", "\n\n", "\n \t\n", " ",
    "\t", "\x1c", "\x85", "\xa0", "\u2028", "\u3000", "é", "\0", "\r\n", "\r", "\ufeff",
    DEAL, QUIZ, LIN_DEAL, '[Deal "#"]', '[Deal "-"]', '[Deal "W:- ... - -"]', '[Deal "x"]',
    '[Deal\xa0"N : SAQ4HKJ3DK876CQ52 K95.Q872.A54.K103 - ..."]',
    '[Board "1"]', '[Board "2"]', '[Board "02"]', '[Board\n"2"]', '[Board "x 3 4"]', '[Board "É"]',
    '[Event "x"]', '[Event "#"]', '[Event "##y"]', '[Event "\\#z"]', '[Site "s"]', '[Foo "\n#"]',
    '[Dealer "N"]', '[Dealer "West"]', '[Dealer "?"]', '[Dealer "4"]', '[Dealer "\u017f"]',
    '[Vulnerable "Both"]', '[Vulnerable "x"]', '[Vulnerable ""]', '[Room "Open"]', '[Room "x"]',
    '[North "-"]', '[East "Zoë"]', '[South "?"]', '[West "---"]',
    '[Auction "N"]', '[Auction "#"]', '[Auction "^E"]', '[Auction ""]', '[Play "E"]', '[Play "#"]',
    '[Play "W"]', '[Contract "4H"]', '[Contract "2S*"]', '[Contract "3NT x x"]', '[Contract "ap"]',
    '[Contract "8C"]', '[Declarer "N"]', '[Declarer "^S"]', '[Declarer "?"]',
    '[Result "-1"]', '[Result "EW 4"]', '[Result "NS ^0009 EW 4"]', '[Result "+99"]',
    '[Result "="]',
    '[Score "NS 50"]', '[Score "-50"]', '[Score "ew 0"]', '[Score "NS 50 EW -50"]', '[Score "9 x"]',
    '[Note "1:a; b"]', '[Note " 2 : two "]', '[Note "x"]', '[AlertedCalls "1 3 009 x 0"]',
    '[ScoreTable "Contract;Names_NS"]', '[ScoreTable "Names_EW\\5R;Contract;Declarer"]',
    '[ScoreTable "+Score_NS;-Score_EW;PairId_NS;Section;Multiplicity"]', '[ScoreTable "#"]',
    '[TotalScoreTable "Rank"]', '4S "a;b"', "4S Ann - Bob", '"x', "A-B 3NT S", "50 0 7 B 2",
    '4H "A - B - C"', "- ?? 4S", "C3", "CA", "c10", "D♠", "♠T", "SA DA HA", "\n  [North \"-\"]",
    "md|1", "[Foo", '[Foo "', '[Foo "a" b"]\n', '[Foo "a\n b"]', "12",
)  # fmt: skip


def definition(text: str) -> tuple[list[dict[str, Any]], list[tuple[int, str, str]]]:
    """Boards and rejects of the loaders, by the plain readers of sections."""
    deals, rejects = join(list(read_pbn_text(text, plain=True)))
    boards = []
    for row in deals.iter_rows(named=True):
        hands = [row[name] or 0 for name in HAND_COLUMNS]
        empty = {name: row[name] or [] for name in ("illegal_tail", "announcements", "commentary")}
        boards.append({**row, **empty, "hands": hands})
    listed = rejects.select("record", "reason", "text").rows()
    return boards, listed


def assert_same(text: str) -> int:
    """Compare all that the core reads of a text with its definition; the number of records."""
    boards, rejects = definition(text)
    records = list(core_records(text.encode()))
    found = [board_of(record) for record in records if record.kind == 0]
    for mine, expected in zip(found, boards, strict=True):
        assert mine == {name: expected[name] for name in mine}
    refused = [record for record in records if record.kind != 0]
    for record, (number, reason, quoted) in zip(refused, rejects, strict=True):
        assert record.number == number
        mine = reason_of(record)
        assert mine is None or reason.startswith(mine)
        if record.kind == WRONG_DEAL:
            assert quoted
        elif record.kind == NO_PBN:
            assert record.texts[0][:QUOTED] == quoted
    return len(records)


@given(st.integers(1, 3), st.randoms(use_true_random=False))
@examples(300)
def test_changed_games(games, random):
    pieces = tuple(piece.encode() for piece in PIECES)
    assert_same(mutated((GAME * games).encode(), pieces, random).decode("utf-8", "replace"))


@given(
    st.sampled_from([DEAL, QUIZ, LIN_DEAL, GAME, ""]),
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.sampled_from([" ", "\n", ""]),
)
@examples(600)
def test_any_pieces(start, pieces, between):
    assert_same(start + between.join(pieces))


@given(st.text(st.sampled_from('[]"\\{};%\n \tAx1=:.,-#\xa0é'), max_size=60))
@examples(300)
def test_any_signs(text):
    assert_same(DEAL + text)
    assert_same(text)


TABLE = '[ScoreTable "Names_NS;Contract;Declarer;Result"]\n'


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"{DEAL}{'{x} ' * 20_001}\n\n{DEAL}", [5, 0]),
        (f"{DEAL}{'{' * 3}\n{'x' * (1 << 20)}\n\n{DEAL}", [1, 4, 0]),
        (f'{DEAL}[Event "{"é" * 1001}"]\n\n{DEAL}[Event "{"é" * 1000}"]', [6, 0]),
        (f'{DEAL}[Foo "{"x" * 1001}"]', [0]),
        (f'{DEAL}[ScoreTable "{"x;" * 2501}"]\n4S N', [0, 7]),
        (f"{DEAL}{TABLE}a b c\nbye - - -\nx 4S N =\n", [0, 8, 9, 0]),
        (f'[Deal "?"]\n{TABLE}a 4S N =\n', [2, 2]),
        ('[Deal "N:x"]\n\n{a}\n', [3]),
        ("{a: [1, 2]}", [1]),
        ("", []),
        (" \n{}\n%x\n", []),
        (f"{DEAL}" + '[Foo "' * 3000, [0, 1]),
        (f'{DEAL}[Foo "{"[" * 1001}" x"]\n', [0, 1]),
        (f'{DEAL}[Foo "a{chr(10)}b{" c" * 9}{(chr(10) + "d") * 1000}"]\n', [0, 1]),
        (f'{DEAL}[ScoreTable ""]\n{chr(34) * 5000}\n{{x}}\n', [0, 8]),
        (f"{DEAL}[Auction \"N\"]\n{'P P P ' + '1C X XX ' * 200}", [0]),
        (f'{DEAL}[Auction "N"]\n{"1C " + "=x= =2= ^ " * 900}AP\n[Note "2:two"]', [0]),
    ],
)  # fmt: skip
def test_limits_and_ends(text, kinds):
    assert [record.kind for record in core_records(text.encode())] == kinds
    assert_same(text)


@pytest.mark.parametrize("number", ["0" * 5000 + "9", "9" * 5000, "٩", "²"])
def test_numbers_of_any_length(number):
    assert_same(
        f'{DEAL}[Board "{number}"]\n[Auction "N"]\n1C ={number}= AP\n[Note "{number}:x"]\n'
        f'[AlertedCalls "{number} 000{number}"]\n'
        f'[ScoreTable "Contract;Declarer;Result;Multiplicity"]\n4S N NS{number} {number}\n'
    )


def test_texts_of_the_page_are_told_apart():
    """What a caller has to know of a record to say what is wrong."""
    (record,) = core_records(b'[Deal "N:x"]\n[Board "7"]\n')
    assert (record.number, record.board, record.texts) == (1, 7, ["N:x"])


@pytest.mark.real_data
def test_real_files(shared_data):
    random = Random(3)
    pieces = tuple(piece.encode() for piece in PIECES)
    records = 0
    for file in sorted((shared_data / "pbn").rglob("*.pbn"))[::5]:
        text, _ = decode_text(file.read_bytes()[:60_000])
        records += assert_same(text)
        for _ in range(3):
            changed = mutated(text[:8000].encode(), pieces, random)
            assert_same(changed.decode("utf-8", "replace"))
    assert records > 300
