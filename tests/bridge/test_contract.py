"""Contracts: text to value and back, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Contract, InvalidContract, Seat, parse_contract
from tests.support.bridge import SEATS_DRAWN

CONTRACTS = st.builds(
    Contract, st.integers(1, 7), st.integers(0, 4), st.integers(0, 2), SEATS_DRAWN
)


@given(CONTRACTS)
def test_round_trip(contract):
    assert parse_contract(str(contract)) == contract
    assert parse_contract(str(contract).lower()) == contract
    assert str(contract) == contract.name + contract.declarer.letter


def test_text():
    assert str(Contract(3, 4, 2, Seat.EAST)) == "3NXXE"
    assert Contract(4, 3, 1, Seat.SOUTH).name == "4SX"


@pytest.mark.parametrize("text", ["", "4S", "0SN", "8SN", "4SXXXN", "4PN", "Pass", "4S XN"])
def test_no_contract(text):
    with pytest.raises(InvalidContract, match="expected a contract"):
        parse_contract(text)


@pytest.mark.parametrize(
    "values", [(0, 0, 0), (8, 0, 0), (1, -1, 0), (1, 5, 0), (1, 0, -1), (1, 0, 3)]
)
def test_values_out_of_range(values):
    with pytest.raises(InvalidContract, match="expected level 1-7, strain 0-4 and doubling 0-2"):
        Contract(*values, Seat.NORTH)
