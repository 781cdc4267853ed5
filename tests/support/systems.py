"""Small bidding systems for tests, and whole auctions bid call by call with a system."""

from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from hypothesis import strategies as st

from bidcascade.bridge import Auction, InvalidSystem, Seat, Vulnerability
from bidcascade.kernels import DealArrays
from bidcascade.systems import named_systems, open_system, registry
from bidcascade.systems.places.choice import Choice, choose
from bidcascade.systems.places.turn_context import context_at
from bidcascade.systems.reference.place_entries import Expander
from bidcascade.systems.system import System
from bidcascade.systems.tables import compiled_cache
from bidcascade.systems.tables.compile import compile_system
from bidcascade.table import BiddingTable
from tests.support.examples import some_in_check

FIRST_SYSTEMS = ("sayc", "precision")
"""Natural, and with a strong club: what the check asks of every system it asks of these."""
EACH_SYSTEM = some_in_check(
    len(FIRST_SYSTEMS), *FIRST_SYSTEMS, *sorted({*named_systems()} - {*FIRST_SYSTEMS})
)
"""Names of all that come with bidcascade, as parameters."""


def one_system(name: str) -> list[Any]:
    """Names of all that come with bidcascade, of which the check takes one."""
    return some_in_check(1, name, *sorted({*named_systems()} - {name}))


SMALL_SYSTEM = """
system Small natural
-- A natural system for tests: few lines, for every part of the language that tables depend on.

opening:
  2C  = Strong: 22+ points; artificial, forcing, #strong
  1NT = Strong notrump: 15-17 points, balanced; #notrump
  1M  = Five-card major: 12-21 points, 5+ M
  1D  = Diamonds: 12-21 points, 4+ diamonds
  1C  = Clubs: 12-21 points
  2M  = Weak two:
    either Good suit: 6-10 points, exactly 6 M, two of the top three in M, not vulnerable
    or Long suit: 8-10 points, 7+ M

after 1NT:
  2C  = Stayman: 8+ points, 4-card major; artificial, forcing
    2H = Four hearts: 4+ hearts
    2S = Four spades: 4+ spades
    2D = No major: any hand; artificial
  -- 2D stands at two ranks with another call between
  2D  = Weak with diamonds: at most 7 points, 6+ diamonds
  3NT = Game: 10+ points
  2D  = Longer diamonds: 8+ points, 5+ diamonds
  2NT = Invitation: 8-9 points; invitational

after 2C:
  2D = Waiting: any hand; artificial

over (1X):
  1Y = Overcall: 8-16 points, 5+ Y
  Double = Takeout: 12+ points, at most 2 X; takeout, forcing
  2Y = Overcall: 10-16 points, 6+ Y

general:
  when last bid was partner's, partner bid X, not game reached, contested:
    3X = Raise: 4+ X, 10+ points; limited
    2X = Raise: 3+ X, 6+ points; limited
  when last bid was theirs, at most 2-level, vulnerable:
    2X = Competing: 6+ X, 8+ points
  when last bid was theirs, at most 2-level:
    2X = Competing: 6+ X, 6+ points
  when forced, unbid suit X:
    cheapest X = Answer: 4+ X
  when forced:
    cheapest NT = Answer: any hand
"""


BY_SIDES = System.parse("""
system Sides
opening:
  1NT = Notrump: 15-17 points and vulnerable or 12-14 points and not vulnerable, balanced; limited
  3C = Preempt: 6-9 points, 7+ clubs, not vulnerable
  1D = Brave: 8+ points, 6+ diamonds, {Vul_They} or 11+ points
  1H = Hearts: 12+ points, 6+ hearts, vulnerable
  1H = Light hearts: 9+ points, 5+ hearts, not vulnerable
  1S = Spades: 10+ points, 5+ spades
after 1NT:
  2NT = Invitation: 8-9 points and vulnerable or 11-12 points and not vulnerable
""")
"""Calls that mean something else at another vulnerability."""

SMALL = System.parse(SMALL_SYSTEM)
OTHER = System.parse(
    """
opening:
  1NT = Weak notrump: 12-14 points, balanced; limited, #weak
  1X = Natural: 12+ points, 4+ X; shows 12+ points
  2X = Weak: 5-10 points, 6 X; preemptive
after 1X:
  2X = Raise: 6-10 points, 4+ X
over (1NT):
  Double = Penalty: 15+ points; penalty
over (1X):
  1Y = Overcall: 8+ points, 5+ Y
  Double = Takeout: 12+ points, at most 2 X; takeout, forcing
when forced:
  cheapest NT = Waiting: any hand
general:
  Pass = Nothing: at most 5 points
  3NT = Game: 25+ combined points, stopper in their suits
"""
)


CALLS = ["1C", "1M", "1NT", "2X", "2NT", "Pass", "Double", "cheapest X", "jump X", "game in M",
         "transfer to 2M", "nX", "Redouble"]  # fmt: skip
CONDITIONS = ["12+ points", "5+ hearts", "balanced", "any hand", "8-11 points, 4+ spades",
              "stopper in their suit", "3+ card support", "25+ combined points",
              "8+ combined cards in hearts", "law of total tricks at 3S", "at most 2 clubs",
              "2+ aces", "1.5+ quick tricks", "2.5+ quick tricks",
              "partner has shown 3+ hearts, 6+ points", "forced", "a 5-card major"]  # fmt: skip
HEADERS = ["opening", "opening, 3rd or 4th seat", "after 1C", "after 1M (any bid)", "over (1M)",
           "after … 2X", "when contested", "when forced", "when they bid X, partner has shown 4+ M",
           "when RHO doubled", "when partner's last call was #mark", "general", "foremost",
           "last resort", "last resort, forced",
           "when I am a passed hand, at most 2-level"]  # fmt: skip
AROUND = ["", "", "", "", "general", "foremost", "last resort"]
AGREEMENTS = ["", "; forcing", "; artificial, #mark", "; limited", "; shows 12+ points",
              "; agrees hearts", "; forcing to game"]  # fmt: skip


@st.composite
def systems(draw: st.DrawFn) -> System:
    """Small systems of all kinds of headers, calls, conditions and agreements."""
    text = []
    for header in draw(st.lists(st.sampled_from(HEADERS), min_size=1, max_size=6)):
        around = draw(st.sampled_from(AROUND))
        pad = "  " if around else ""
        if around:
            text.append(f"{around}:")
        text.append(f"{pad}{header}:")
        for _ in range(draw(st.integers(1, 4))):
            call, condition, said = (
                draw(st.sampled_from(some)) for some in (CALLS, CONDITIONS, AGREEMENTS)
            )
            text.append(f"{pad}  {call} = Line: {condition}{said}")
            if draw(st.integers(0, 4)) == 0:
                text.append(f"{pad}    2NT = Below: {draw(st.sampled_from(CONDITIONS))}")
    try:
        return System.parse("\n".join(text))
    except InvalidSystem:
        # a variable that no header binds, conditions that exclude each other
        return SMALL


LONGEST = "P P P " + " ".join(
    f"{level}{strain} P P X P P XX P P" for level in range(1, 8) for strain in "CDHSN"
).removesuffix(" P")
"""The longest auction that goes on: 317 calls."""


FEW = compiled_cache.SampleSize(150, least=3)


@cache
def sayc_table() -> BiddingTable:
    """Table compiled from sayc by few deals: some 13,000 entries, in a second."""
    return compile_system(open_system("sayc"), deals=2000, least=4)


def compile_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables of systems be compiled from few deals, where their size is of no matter."""
    defaults = {**registry.table_of.__kwdefaults__, "size": FEW}
    monkeypatch.setattr(registry.table_of, "__kwdefaults__", defaults)


_DEFINITIONS: WeakKeyDictionary[System, Expander] = WeakKeyDictionary()


def definition_of(system: System) -> Expander:
    """Places of a system against the one that its text names, by the definition."""
    if system not in _DEFINITIONS:
        _DEFINITIONS[system] = Expander(system.rules, system.opponents.rules)
    return _DEFINITIONS[system]


def choices_call_by_call(expander: Expander, deals: DealArrays, deal: int) -> list[Choice]:
    """Choices of one deal by the definition, to the end."""
    dealer, sides = int(deals.dealer[deal]), int(deals.vulnerability[deal])
    made: list[Choice] = []
    auction = Auction.of(())
    while not auction.is_complete:
        depth = len(auction.calls)
        hand = int(deals.hands[(dealer + depth) % 4, deal])
        vocabulary = expander.sides[depth % 2].vocabulary
        context = context_at(depth, Seat(dealer), Vulnerability(sides))
        made.append(choose(expander.place(auction.calls), hand, context, vocabulary))
        auction = auction.add(made[-1].call)
    return made


def bid_call_by_call(
    system: System, deals: DealArrays, deal: int, expander: Expander | None = None
) -> tuple[int, ...]:
    """Auction of one deal by the definition, call by call."""
    made = choices_call_by_call(expander or definition_of(system), deals, deal)
    return tuple(one.call for one in made)
