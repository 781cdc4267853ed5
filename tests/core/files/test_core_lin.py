"""The core's LIN reader against its definition, on texts of every kind; and what it refuses."""

import ctypes
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.kernels.core.files.lin import CALLS_END, DOCUMENT, LinBoards, read_lin_documents
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.lin import lin, lin_reference
from bidcascade.loaders.lin.lin import LinDocument, parse_lin
from bidcascade.loaders.lin.lin_reference import read_lin_reference
from tests.core.probes import build_probe
from tests.support.examples import examples
from tests.support.lin import LIN_TEXTS, played_boards
from tests.support.mutants import mutated

PIECES = tuple(
    b"| || \n %% md| qx|o1| mb|p| an|x\r\ny| up|3| rs|3NE=,PASS,4HSX-1,| vg|a,b,1,2,3,4,5,6| sv|b| "
    b"sv|zz| ah|B7| , 10 - ! ? \xc3 \0 mc|12| pc|SAS10| st|| pn|a,b| pw|| nt|n| pg|| \x0b "
    b"pc|SAZZ\xc3\xa9| up|x| up|| mc|=| mc|?| mc|14|".split(b" ")
)
TEXTS = st.lists(st.one_of(played_boards(), LIN_TEXTS), max_size=4).map("".join)


def assert_same(text: str) -> None:
    fast = parse_lin([LinDocument(text.encode(), "a", "utf-8")], [])
    plain = read_lin_reference(text, "a")
    assert_frame_equal(fast.deals, plain.deals)
    assert_frame_equal(fast.rejects, plain.rejects)
    assert lin.lasting_tokens(text.encode()).decode() == lin_reference.lasting_tokens(text)


@given(TEXTS, st.randoms(use_true_random=False))
@examples(150)
def test_changed_bytes(text, random):
    data = mutated(text.encode(), PIECES, random)
    assert_same(data.decode("utf-8", "replace"))


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
@examples(150)
def test_pieces_of_tokens(data):
    assert_same(data.decode("utf-8", "replace"))


@given(st.binary(max_size=80), st.data())
def test_any_bytes_in_any_documents(data, draw):
    # no UTF-8 either: nothing is read beyond a document
    cuts = draw.draw(st.lists(st.integers(0, len(data)), max_size=3).map(sorted))
    whole = read_lin_documents(data, np.array([*cuts, len(data)]))
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(data)], strict=True)):
        alone = read_lin_documents(data[start:end], np.array([end - start]))
        assert (whole.boards[:, DOCUMENT] == number).sum() == len(alone.boards)
        assert (whole.rejects[:, 0] == number).sum() == len(alone.rejects)


GUARD = 64
ANY = 1 << 62


def read_block(
    data: bytes, most: int, tokens: int = ANY, longest: int = ANY
) -> tuple[LinBoards, int]:
    """What the page's reader finds in a text, in a block with guards around it; and its size."""
    probe = build_probe("lin_block", "-DCORE_CHECKED")
    probe.block_size.restype = ctypes.c_uint64
    probe.block_size.argtypes = [ctypes.c_uint64] * 2
    size = probe.block_size(len(data), most)
    # an odd pattern: nothing is zero that the reader does not write
    room = np.full(size + 2 * GUARD, 0xA5, np.uint8)
    block = room[GUARD : GUARD + size]
    block[: len(data)] = np.frombuffer(data, np.uint8)
    counts, places = np.zeros(7, np.int64), np.zeros(9, np.int64)
    probe.read_block.argtypes = [
        ctypes.c_void_p,
        *[ctypes.c_uint64] * 2,
        *[ctypes.c_int64] * 2,
        *[ctypes.c_void_p] * 2,
    ]
    given = [block.ctypes.data, len(data), most, tokens, longest]
    probe.read_block(*given, counts.ctypes.data, places.ctypes.data)
    assert (room[:GUARD] == 0xA5).all()
    assert (room[GUARD + size :] == 0xA5).all()
    assert block[: len(data)].tobytes() == data
    boards, rejects, calls, announced, tail, cards, remarked = map(int, counts)
    sizes = (240 * boards, 56 * rejects, calls, calls, announced, 8 * calls, tail, cards, remarked)
    found = [block[at : at + n] for at, n in zip(places.tolist(), sizes, strict=True)]
    rows = [found[0].view(np.int64).reshape(-1, 30), found[1].view(np.int64).reshape(-1, 7)]
    flat = (found[2], found[3], found[4], found[5].view(np.int64), *found[6:])
    return LinBoards(*rows, *flat, np.zeros((5, 2), np.int64)), size


@given(st.one_of(st.binary(max_size=80), TEXTS.map(str.encode)))
@examples(150)
def test_the_page_reads_the_same_in_its_block(data):
    found, _ = read_block(data, 1000)
    expected = read_lin_documents(data, np.array([len(data)]))
    for name in ("rejects", "calls", "alerts", "announcements", "announcement_ends", "tail",
                 "play", "commentary"):  # fmt: skip
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
    same = np.ones(30, np.bool_)
    # words for vulnerabilities are the caller's: each that is given stands as it was written
    same[[7, 24, 25]] = False
    assert found.boards[:, same].tolist() == expected.boards[:, same].tolist()


def test_the_page_reads_no_more_boards_than_it_asked_for():
    data = b"qx|o1|md|1SAKQJT98765432HDC,,,|" * 5 + b"qx|o2|" * 5
    assert [len(one) for one in read_block(data, 3)[0][:2]] == [3, 0]
    assert [len(one) for one in read_block(data, 7)[0][:2]] == [5, 5]
    assert len(read_block(b"qx||" * 50, 20)[0].rejects) == 20
    assert len(read_block(b"qx||" * 50, 60)[0].rejects) == 50
    # what is refused for its length says why, and its number and room
    rejects = read_block(b"qx|c7|" + b"nt|x|" * 9, 9, tokens=5)[0].rejects
    assert rejects[:, [2, 5, 6]].tolist() == [[2, 7, 1]]
    assert read_block(b"qx|c7|" + b"nt|x|" * 9, 9, longest=20)[0].rejects[0, 2] == 3


def test_the_room_for_a_text_grows_with_it():
    assert read_block(b"", 0)[1] < 200
    # the page's largest file stays within what a browser gives
    probe = build_probe("lin_block", "-DCORE_CHECKED")
    assert probe.block_size(48_000_000, 20_000) < 1 << 30


@pytest.mark.real_data
def test_changed_files(shared_data):
    random = Random(1)
    for file in sorted((shared_data / "lin").rglob("*.lin"))[::25]:
        text = decode_text(file.read_bytes())[0].encode()
        start = random.randrange(len(text) // 2 + 1)
        changed = mutated(text[start : start + 4000], PIECES, random)
        assert_same(changed.decode("utf-8", "replace"))


def test_as_many_boards_as_bars_allow():
    text = b"qx|" + b"|qx|" * 99
    found = read_lin_documents(text, np.array([len(text)]))
    assert len(found.rejects) == 100
    ends = np.arange(3, 3 * 50 + 1, 3)
    assert len(read_lin_documents(b"qx|" * 50, ends).rejects) == 50


def test_no_text():
    assert len(read_lin_documents(b"", np.zeros(0, np.int64)).boards) == 0
    found = read_lin_documents(b"", np.zeros(3, np.int64))
    assert len(found.boards) == 0
    assert (found.lasting == -1).all()


@pytest.mark.parametrize("ends", [[-1], [4], [2, 1], [1, 1 << 62], [3, -(1 << 63)]])
def test_wrong_ends_are_refused(ends):
    with pytest.raises(ValueError, match="expected numbers within the arrays"):
        read_lin_documents(b"qx|", np.array(ends))


def test_ends_of_another_type_are_refused():
    with pytest.raises(TypeError, match="expected ends as int64"):
        read_lin_documents(b"qx|", np.array([3], np.int32))


def test_columns_are_those_of_the_boards():
    text = b"md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|mb|7Spp!p|"
    found = read_lin_documents(text, np.array([len(text)]))
    assert found.boards.shape == (1, 30)
    assert found.boards[0, CALLS_END] == 4
    assert found.alerts.tolist() == [0, 0, 1, 0]
    assert found.calls.tolist() == [36, 0, 0, 0]


def test_without_a_core_the_definition_reads(monkeypatch):
    text = "vg|Cup,a,b,1,2,3,4,5|qx|o1|md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|"
    documents = [LinDocument((text + "sv|n|").encode(), "a", "utf-8", 7)] * 2
    fast, tokens = parse_lin(documents, []), lin.lasting_tokens(text.encode())
    monkeypatch.setattr(lin, "has_core", lambda: False)
    plain = parse_lin(documents, [])
    assert_frame_equal(fast.deals, plain.deals)
    assert plain.deals["record"].to_list() == [8, 9]
    assert lin.lasting_tokens(text.encode()) == tokens
