"""Hands that tell whether an option of a shipped system is played."""

from typing import NamedTuple

_ROWS = """
sayc weak-notrump K52.AJ4.Q873.KJ5 -> 1D | 1N
sayc strong-jump-overcalls 93.AKJ985.KQ4.Q5 : 1C -> 1H | 2H
sayc gambling-notrump 54.83.AKQJ974.86 -> 3D | 3N
sayc smolen AQ843.KJ52.T4.83 : 1N P 2C P 2D P -> 3S | 3H
sayc support-doubles AQ4.85.A6.KJ9732 : 1C P 1S 2H -> 2S | X
sayc new-minor KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 2N | 2D
sayc lebensohl 83.54.KJ9742.T96 : 1N 2H -> P | 2N
sayc lebensohl-doubles 83.754.KJ974.T96 : 2H X P -> 3D | 2N
sayc leaping-michaels AKJ84.5.AQ9742.6 : 2H -> 2S | 4D
sayc landy AQJ84.KJ974.42.6 : 1N -> 2D | 2C
sayc keycards AK842.KQ5.K3.K96 : 1S P 3S P 4N P -> 5D | 5H
sayc drury Q842.KQ5.K93.J96 : P P 1S P -> 3S | 2C
sayc inverted-minors Q84.K5.93.AQJ962 : 1C P -> 3C | 2C
sayc keycards-3014 KQ9842.KQJ.K3.Q2 : 1S P 2N P 3S P 4N P -> 5C | 5D
sayc queen-ask AT75.A5.KQ63.AK4 : 1S P 2N P 3S P 4N P 5C P -> 6S | 5D
two-over-one weak-notrump K52.AJ4.Q873.KJ5 -> 1D | 1N
two-over-one strong-jump-overcalls 93.AKJ985.KQ4.Q5 : 1C -> 1H | 2H
two-over-one gambling-notrump 54.83.AKQJ974.86 -> 3D | 3N
two-over-one smolen AQ843.KJ52.T4.83 : 1N P 2C P 2D P -> 3H | 3S
two-over-one support-doubles AQ4.85.A6.KJ9732 : 1C P 1S 2H -> X | 2S
two-over-one new-minor KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 2D | 2N
two-over-one lebensohl 83.54.KJ9742.T96 : 1N 2H -> 2N | P
two-over-one lebensohl-doubles 83.754.KJ974.T96 : 2H X P -> 2N | 3D
two-over-one leaping-michaels AKJ84.5.AQ9742.6 : 2H -> 4D | 2S
two-over-one landy AQJ84.KJ974.42.6 : 1N -> 2C | 2D
two-over-one keycards AK842.KQ5.K3.K96 : 1S P 2N P 3S P 4N P -> 5H | 5D
two-over-one keycards-3014 A9842.KQ5.KQ.KJ6 : 1S P 2N P 3S P 4N P -> 5C | 5D
two-over-one queen-ask AT75.A5.KQ63.AK4 : 1S P 2N P 3S P 4N P 5C P -> 5D | 6S
two-over-one drury Q842.KQ5.K93.J96 : P P 1S P -> 2C | 3S
two-over-one inverted-minors Q84.K5.93.AQJ962 : 1C P -> 2C | 3C
two-over-one splinters Q842.KQ52.AJ93.5 : 1S P -> 4C | 2N
acol strong-notrump K52.AJ4.Q873.KJ5 -> 1N | 1D
acol strong-jump-overcalls 93.AKJ985.KQ4.Q5 : 1C -> 1H | 2H
acol gambling-notrump 54.83.AKQJ974.86 -> 3D | 3N
acol smolen AQ843.KQ52.K4.83 : 1N P 2C P 2D P -> 3S | 3H
acol support-doubles AQ4.85.A6.KJ9732 : 1C P 1S 2H -> 2S | X
acol lebensohl 83.54.KQJ742.T96 : 1N 2H -> P | 2N
acol lebensohl-doubles 83.754.KJ974.T96 : 2H X P -> 3D | 2N
acol leaping-michaels AKJ84.5.AQ9742.6 : 2H -> 2S | 4D
acol landy AQJ84.KJ974.42.6 : 1N -> 2D | 2C
acol keycards AK842.KQ5.K3.K96 : 1S P 3S P 4N P -> 5D | 5H
acol keycards-3014 K94.4.JT9863.J85 : 1S P 3S P 4N P -> 5C | 5D
acol queen-ask AT75.A5.KQ63.AK4 : 1S P 3S P 4N P 5C P -> 6S | 5D
precision strong-jump-overcalls 93.AKJ985.KQ4.Q5 : 1C -> 1H | 2H
light-openings strong-jump-overcalls 93.AKJ985.KQ4.Q5 : 1C -> 1H | 2H
"""
"""System, option, hand and auction; then the call as the system is played and with one click."""


class Probe(NamedTuple):
    """A hand at a place; ``other`` is its call once the option is turned."""

    system: str
    option: str
    hand: str
    auction: tuple[str, ...]
    call: str
    other: str


def _probe(row: str) -> Probe:
    place, _, calls = row.partition(" -> ")
    system, option, asked = place.split(" ", 2)
    hand, _, auction = asked.partition(" : ")
    call, _, other = calls.partition(" | ")
    return Probe(system, option, hand, tuple(auction.split()), call, other)


PROBES = tuple(map(_probe, _ROWS.strip().splitlines()))
