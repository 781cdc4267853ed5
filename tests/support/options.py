"""Options of the shipped systems, each with hands that tell whether it is played."""

from typing import NamedTuple

_CASES = """
sayc weak-notrump
K52.AJ4.Q873.KJ5 -> 1N | 1D
AQ84.K5.QJ73.A96 -> 1D | 1N
K92.AJ43.Q87.KJ5 : P P P -> 1N | 1C
A84.K5.AQ73.QJ96 : 1D P 1H P -> 1N | 1N
KJ84.Q53.K7.T963 : 1C P 1S P 1N P -> 3N | P
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 3S | 2N
A65.J73.KQ42.Q95 : 1N P -> 2N | 3N
AQJ84.K5.Q73.A96 : 1S P 2C P -> 2N | 2N
K4.AQ5.K973.KJ96 : 1D 1H 1S P -> 1N | 2C
sayc strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.KQJ985.854.J5 : 1C -> P | 2H
93.AKQ985.K54.Q5 : 1S -> 3H | 2H
9.KQJ9852.854.J5 : 1C -> 3H | 3H
K84.Q53.A9732.96 : 1C 2H P -> 4H | P
K84.Q5.Q9732.965 : 1C 2H P -> 3H | P
sayc gambling-notrump
54.83.AKQJ974.86 -> 3N | 3D
AKQ.KQ5.AKJ4.A92 -> 2C | 3N
AJ4.KQ73.K85.J74 : 3N P -> P | 7N
J764.Q732.85.A74 : 3N P -> 4C | 4C
54.83.AKQJ974.86 : 3N P 4C P -> 4D | 4D
54.83.86.AKQJ974 : 3N P 4C P -> P | 4D
AQ42.8.8532.AK74 : 3N P -> 5C | 7N
sayc smolen
AQ843.KJ52.T4.83 : 1N P 2C P 2D P -> 3H | 3S
sayc support-doubles
AQ4.85.A6.KJ9732 : 1C P 1S 2H -> X | 2S
AQ4.85.A6.KJ9732 : 1C P 1S X -> XX | 2C
sayc new-minor
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 2D | 2N
sayc lebensohl
83.54.KJ9742.T96 : 1N 2H -> 2N | P
sayc lebensohl-doubles
83.754.KJ974.T96 : 2H X P -> 2N | 3D
sayc leaping-michaels
AKJ84.5.AQ9742.6 : 2H -> 4D | 2S
sayc landy
AQJ84.KJ974.42.6 : 1N -> 2C | 2D
sayc keycards
AK842.KQ5.K3.K96 : 1S P 3S P 4N P -> 5H | 5D
sayc drury
Q842.KQ5.K93.J96 : P P 1S P -> 2C | 3S
sayc inverted-minors
Q84.K5.93.AQJ962 : 1C P -> 2C | 3C
sayc keycards-3014 keycards
KQ9842.KQJ.K3.Q2 : 1S P 2N P 3S P 4N P -> 5D | 5C
QJ9842.KQJ.KQ.KQ : 1S P 2N P 3S P 4N P -> 5C | 5D
sayc queen-ask keycards
AT75.A5.KQ63.AK4 : 1S P 2N P 3S P 4N P 5C P -> 5D | 6S
two-over-one weak-notrump
K52.AJ4.Q873.KJ5 -> 1N | 1D
AQ84.K5.QJ73.A96 -> 1D | 1N
A84.K5.AQ73.QJ96 : 1D P 1H P -> 1N | 1N
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 3S | 2D
AQJ84.K5.Q73.A96 : 1S P 2C P -> 2N | 2S
two-over-one strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.KQJ985.854.J5 : 1C -> P | 2H
two-over-one gambling-notrump
54.83.AKQJ974.86 -> 3N | 3D
two-over-one smolen
AQ843.KJ52.T4.83 : 1N P 2C P 2D P -> 3H | 3S
two-over-one support-doubles
AQ4.85.A6.KJ9732 : 1C P 1S 2H -> X | 2S
AQ4.85.A6.KJ9732 : 1C P 1S X -> XX | 2C
two-over-one new-minor
KJ843.A5.K73.T96 : 1C P 1S P 1N P -> 2D | 2N
two-over-one lebensohl
83.54.KJ9742.T96 : 1N 2H -> 2N | P
two-over-one lebensohl-doubles
83.754.KJ974.T96 : 2H X P -> 2N | 3D
two-over-one leaping-michaels
AKJ84.5.AQ9742.6 : 2H -> 4D | 2S
two-over-one landy
AQJ84.KJ974.42.6 : 1N -> 2C | 2D
two-over-one keycards
AK842.KQ5.K3.K96 : 1S P 2N P 3S P 4N P -> 5H | 5D
two-over-one keycards-3014
A9842.KQ5.KQ.KJ6 : 1S P 2N P 3S P 4N P -> 5D | 5C
QJ9842.KQJ.KQ.KQ : 1S P 2N P 3S P 4N P -> 5C | 5D
AQ42.A5.A753.A43 : 1S P 2N P 3S P 4N P 5C P -> 6S | 5N
KQ42.A5.KQJ3.K43 : 1S P 2N P 3S P 4N P 5C P -> 6S | 5S
KJ42.K5.AKQ3.A43 : 1S P 2N P 3S P 4N P 5C P -> 5S | 5D
two-over-one queen-ask
AT75.A5.KQ63.AK4 : 1S P 2N P 3S P 4N P 5C P -> 5D | 6S
two-over-one drury
Q842.KQ5.K93.J96 : P P 1S P -> 2C | 3S
two-over-one inverted-minors
Q84.K5.93.AQJ962 : 1C P -> 2C | 3C
two-over-one splinters
Q842.KQ52.AJ93.5 : 1S P -> 4C | 2N
acol strong-notrump
K52.AJ4.Q873.KJ5 -> 1D | 1N
AQ84.K5.QJ73.A96 -> 1N | 1S
KJ84.Q53.K7.T963 : 1C P 1S P 1N P -> P | 3N
KJ84.Q53.KQ.T963 : 1D P 1S P 1N P -> 2N | 3N
A65.J73.KQ42.Q95 : 1N P -> 3N | 2N
acol strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
acol gambling-notrump
54.83.AKQJ974.86 -> 3N | 3D
acol smolen
AQ843.KQ52.K4.83 : 1N P 2C P 2D P -> 3H | 3S
acol support-doubles
AQ4.85.A6.KJ9732 : 1C P 1S 2H -> X | 2S
acol lebensohl
83.54.KQJ742.T96 : 1N 2H -> 2N | P
acol lebensohl-doubles
83.754.KJ974.T96 : 2H X P -> 2N | 3D
acol leaping-michaels
AKJ84.5.AQ9742.6 : 2H -> 4D | 2S
acol landy
AQJ84.KJ974.42.6 : 1N -> 2C | 2D
acol keycards
AK842.KQ5.K3.K96 : 1S P 3S P 4N P -> 5H | 5D
acol keycards-3014 keycards
K94.4.JT9863.J85 : 1S P 3S P 4N P -> 5D | 5C
QJ9842.KQJ.KQ.KQ : 1S P 3S P 4N P -> 5C | 5D
acol queen-ask keycards
AT75.A5.KQ63.AK4 : 1S P 3S P 4N P 5C P -> 5D | 6S
precision strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.AKJ985.KQ4.Q5 : 1D -> 2H | 1H
light-openings strong-jump-overcalls
93.AKJ985.KQ4.Q5 : 1C -> 2H | 1H
93.KQJ985.854.J5 : 1C -> 1H | 2H
93.KQJ98.8543.J5 : 1C -> 1H | 2H
"""
"""A system, its option and what that needs; then hands with the calls where it is on and off."""


class Probe(NamedTuple):
    """A hand at a place whose call tells whether an option is on."""

    system: str
    option: str
    hand: str
    auction: tuple[str, ...]
    on: str
    off: str

    def call(self, *, is_on: bool) -> str:
        """Call of the hand with the option on or off."""
        return self.on if is_on else self.off


def _blocks() -> dict[tuple[str, str], tuple[tuple[str, ...], list[tuple[str, str, str]]]]:
    found = {}
    for line in _CASES.strip().splitlines():
        if "->" not in line:
            name, option, *needed = line.split()
            rows: list[tuple[str, str, str]] = []
            found[name, option] = (tuple(needed), rows)
        else:
            hand, _, calls = line.partition(" -> ")
            on, _, off = calls.partition(" | ")
            rows.append((hand, on, off))
    return found


BLOCKS = _blocks()
"""By system and option: what that needs, and hands with their calls where it is on and off."""


def _probe(system: str, option: str) -> Probe:
    # a click on an option turns on what it needs: this hand's call is the same without that
    rows = BLOCKS[system, option][1]
    asked, on, off = next(row for row in rows if row[1] != row[2])
    hand, _, auction = asked.partition(" : ")
    return Probe(system, option, hand, tuple(auction.split()), on, off)


PROBES = tuple(_probe(*key) for key in BLOCKS)
"""The first hand of each option that tells whether it is on."""
