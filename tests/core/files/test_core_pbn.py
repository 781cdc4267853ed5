"""PBN sections read by the core against their definition, and what it refuses."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.kernels.core.files.pbn import MAX_CALLS, PbnSections, read_pbn_sections
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.pbn import pbn_columns
from bidcascade.loaders.pbn.pbn import read_pbn_text
from tests.support.examples import examples
from tests.support.mutants import mutated

HANDS = "AKQJT98.AKQJT9.. ..AKQJT98.AKQJT9 765432.8765432.. ..765432.8765432"
BOARD = f"""[Deal "N:{HANDS}"][Contract "3SX"][Declarer "N"]
[Auction "N"]
1S Pass 2S =1= AP
[Note "1:weak"]
[Play "E"]
DA S2 CA SA
- HA
*
"""
PIECES = tuple(
    b"P|X|XX|1C|7NT|1nt|AP|*|+|=1=|=0=|=255=|=256=|=01=|==|-|\n|SA|HT|R|d|pass|PASS|x|xx|^1|\xc3|\0"
    b'|[Declarer "^S"]\n|[Play "N"]\n|[Auction "S"]\n|[Contract "?"]\n|"|]|P P P|SA DA'.split(b"|")
)


def assert_same(text: str) -> None:
    (fast,), (plain,) = read_pbn_text(text), read_pbn_text(text, plain=True)
    assert_frame_equal(fast.deals, plain.deals)
    assert_frame_equal(fast.rejects, plain.rejects)


@given(st.integers(1, 3), st.randoms(use_true_random=False))
@examples(200)
def test_changed_bytes(boards, random):
    data = mutated((BOARD * boards).encode(), PIECES, random)
    assert_same(data.decode("utf-8", "replace"))


@pytest.mark.parametrize("sign", [chr(code) for code in range(33)] + ["\x7f", "\x85", "\xa0"])
def test_control_signs(sign):
    for old in ("1S", "2S", "DA", "AP"):
        assert_same(BOARD.replace(old, sign + old))
        assert_same(BOARD.replace(old, old + sign))


@given(*[st.lists(st.sampled_from(PIECES), max_size=110) for _ in "ap"])
@examples(200)
def test_any_tokens(calls, cards):
    sections = [b" ".join(tokens).decode("utf-8", "replace") for tokens in (calls, cards)]
    assert_same(f'[Deal "N:{HANDS}"]\n[Auction "N"]\n{sections[0]}\n[Play "E"]\n{sections[1]}\n')


@pytest.mark.real_data
def test_changed_files(shared_data):
    random = Random(2)
    for file in sorted((shared_data / "pbn").rglob("*.pbn"))[::5]:
        text, _ = decode_text(file.read_bytes()[:8000])
        for _ in range(3):
            assert_same(mutated(text.encode(), PIECES, random).decode("utf-8", "replace"))


def sections_of(size: int, **others: object) -> PbnSections:
    numbers = [np.full(size, -1, np.int64) for _ in range(9)]
    opener, code, declarer, leader, count, status, cards, tricks, outcome = numbers
    opener[:] = 0
    return PbnSections(
        opener=opener,
        hands=np.ascontiguousarray(deal_hands(1, 0, size).T),
        tag_code=code,
        tag_declarer=declarer,
        is_irregular=np.zeros(size, np.bool_),
        play_leader=leader,
        calls=np.zeros((size, MAX_CALLS), np.uint8),
        notes=np.zeros((size, MAX_CALLS), np.uint8),
        call_count=count,
        status=status,
        cards=np.zeros((size, 52), np.uint8),
        card_count=cards,
        code=outcome,
        declarer=outcome.copy(),
        tricks=tricks,
        odd=np.zeros(size, np.bool_),
    )._replace(**others)


TEXT = b"1S P P P"
WHOLE = np.array([[0, 8]])
NONE = np.array([[8, 8]])


def test_one_section():
    found = sections_of(1)
    read_pbn_sections(TEXT, WHOLE, NONE, found)
    assert found.calls[0, :5].tolist() == [6, 0, 0, 0, 0]
    assert (found.code[0], found.declarer[0], found.odd[0]) == (18, 0, False)


def test_no_boards():
    read_pbn_sections(b"", np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64), sections_of(0))


@pytest.mark.parametrize("part", [(0, 9), (-1, 3), (5, 4), (1 << 62, (1 << 62) + 1)])
def test_parts_outside_the_text_are_refused(part):
    for auction, play in ((np.array([part]), NONE), (WHOLE, np.array([part]))):
        with pytest.raises(ValueError, match="expected numbers within the arrays"):
            read_pbn_sections(TEXT, auction, play, sections_of(1))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("opener", 4),
        ("opener", -2),
        ("tag_declarer", 4),
        ("play_leader", 7),
        ("tag_code", 114),
        ("tag_code", -2),
    ],
)
def test_seats_and_contracts_that_there_are_not_are_refused(name, value):
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        read_pbn_sections(TEXT, WHOLE, NONE, sections_of(1, **{name: np.array([value])}))


def test_arrays_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        read_pbn_sections(TEXT, WHOLE, NONE, sections_of(1, tricks=np.zeros(2, np.int64)))
    with pytest.raises(TypeError, match="expected calls as uint8"):
        read_pbn_sections(TEXT, WHOLE, NONE, sections_of(1, calls=np.zeros((1, 9), np.uint8)))


def test_hands_that_are_no_deal_do_no_harm():
    for hands in (np.zeros((1, 4), np.uint64), np.full((1, 4), (1 << 64) - 1, np.uint64)):
        found = sections_of(1, hands=hands)
        text = TEXT + b" SA SK SQ SJ " + b"HA " * 60
        read_pbn_sections(text, WHOLE, np.array([[8, len(text)]]), found)
        assert found.card_count[0] < 53


def test_without_a_core_the_definition_reads(monkeypatch):
    monkeypatch.setattr(pbn_columns, "has_core", lambda: False)
    monkeypatch.setattr(pbn_columns, "read_pbn_sections", None)
    (batch,) = read_pbn_text(BOARD)
    assert batch.deals["contract"].to_list() == ["2S"]
