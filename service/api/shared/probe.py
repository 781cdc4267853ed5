"""A small question whose answer is known: whether what answers for tables still does so rightly."""

from typing import Final, NamedTuple

import numpy as np

from bidcascade.bridge import parse_deal
from bidcascade.engine.engine import Engine
from bidcascade.engine.questions.parts.texts import EXAMPLE_DEAL
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems.system import System
from bidcascade.table import build_table

_PROBE_ROWS: Final = (
    {"prior": "", "call": "1N", "name": "probe", "criteria": ["Balanced", "15 <= HCP <= 17"]},
    {"prior": "1N", "call": "P", "name": "probe", "criteria": ["HCP < 15"]},
    {"prior": "1N P", "call": "2C", "name": "probe", "criteria": ["SL_H >= 4"]},
    {"prior": "1N P", "call": "P", "name": "probe", "criteria": ["HCP <= 8", "SL_S == 4"]},
)
_PROBE_ANSWER: Final = [("1N",), ("1N", "P"), ("1N", "P", "P")]
"""What the example deal answers: South has four spades, three hearts and 8 HCP."""
_PROBE_TEXT: Final = """
opening:
  1NT = Probe: 15-17 points, balanced
after 1NT:
  2C = Probe: 4+ hearts
  Pass = Probe: at most 8 points, 4 spades
"""
_PROBE_TEXT_ANSWER: Final = [
    *_PROBE_ANSWER,
    ("1N", "P", "P", "P"),
    *(("P",) * calls for calls in range(1, 5)),
]
"""The same of the same lines as a system: any player may pass where no line says more."""


class Probe(NamedTuple):
    """A small question with its answer, the auctions that deals allow."""

    engine: Engine
    deals: DealArrays
    answer: list[tuple[str, ...]]


def probe_of(backend: str, *, are_systems: bool) -> Probe:
    """Probe of what answers: tables on the backend, or the core alone where it bids systems."""
    if backend == "cpu" and are_systems:
        system = System.parse(_PROBE_TEXT, name="probe")
        return Probe(Engine(system, backend, name="probe"), example_deal(), _PROBE_TEXT_ANSWER)
    table, _ = build_table(_PROBE_ROWS, undescribed="reject")
    return Probe(Engine(table, backend, name="probe"), example_deal(), _PROBE_ANSWER)


def random_deals(count: int, seed: int = 1) -> DealArrays:
    """Deal cards, dealer North, nobody vulnerable."""
    zero = np.zeros(count, np.uint8)
    return DealArrays(deal_hands(seed, 0, count), zero, zero)


def example_deal() -> DealArrays:
    """Give the deal that stands in the examples of questions."""
    zero = np.zeros(1, np.uint8)
    hands = np.array(parse_deal(EXAMPLE_DEAL).hands, np.uint64).reshape(4, 1)
    return DealArrays(hands, zero, zero)
