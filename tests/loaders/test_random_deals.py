"""Random deal frames: numbering, rotation of dealer and vulnerability, refusals."""

import pytest

from bidcascade.bridge import Seat, Vulnerability, board_dealer, board_vulnerability
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, HAND_COLUMNS
from bidcascade.loaders.frames.random_deals import random_deals


def test_schema_and_cards():
    frame = random_deals(100, seed=9)
    assert frame.schema == DEAL_SCHEMA
    assert frame.select(HAND_COLUMNS).to_numpy().T.tolist() == deal_hands(9, 0, 100).tolist()
    assert frame["source"].unique().to_list() == ["random:9"]
    assert frame["record"].to_list() == frame["board"].to_list() == list(range(1, 101))


def test_dealer_and_vulnerability_rotate_as_on_boards():
    frame = random_deals(40, seed=1, first=7)
    boards = frame["board"].to_list()
    assert frame["dealer"].to_list() == [board_dealer(board).letter for board in boards]
    assert frame["vulnerability"].to_list() == [board_vulnerability(board).text for board in boards]


def test_fixed_dealer_and_vulnerability():
    frame = random_deals(5, seed=1, dealer=Seat.SOUTH, vulnerability=Vulnerability.EW)
    assert frame["dealer"].to_list() == ["S"] * 5
    assert frame["vulnerability"].to_list() == ["EW"] * 5


def test_parts_are_the_whole():
    whole = random_deals(50, seed=3)
    assert whole[20:].equals(random_deals(30, seed=3, first=21))


def test_no_deals():
    frame = random_deals(0, seed=1)
    assert frame.height == 0
    assert frame.schema == DEAL_SCHEMA


@pytest.mark.parametrize(
    ("count", "seed", "first"),
    [(1, -1, 1), (1, 1 << 64, 1), (1, 1, 0), (-1, 1, 1), (1, 1, 1 << 31)],
)
def test_out_of_range(count, seed, first):
    with pytest.raises(ValueError, match="expected"):
        random_deals(count, seed, first=first)
