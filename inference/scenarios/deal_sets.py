"""Sets of deals for practice: kinds of deals in stated shares, mixed, turned to a seat."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidcascade.bridge import InvalidScript, LimitExceeded, NoSuchDeal, Seat
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.layouts.sampling import deal_where
from bidcascade.inference.layouts.searching import SearchLimits
from bidcascade.kernels.dealing import GAMMA, mixed, mixed_words
from bidcascade.kernels.types import U64
from bidcascade.loaders.frames.random_deals import board_frame

from .producing import MOST_GENERATED, Produced, Progress, board_of, produce
from .script_tree import ALWAYS, And, Node, Not, Script

THEME_SEAT: Final = Seat.SOUTH
"""Who holds what is practised in a theme, until the set is turned."""
BY_BOARD: Final = -1
"""Vulnerability that is that of the board number."""
MOST_IN_SET: Final = 100_000
_CENT: Final = 1e-6


class DealSetPart(NamedTuple):
    """Deals of one kind.

    Attributes
    ----------
    name
        What the deals are called.
    percent
        How many per cent of the set they are.
    script
        What they meet; of ``where`` nothing but dealer and vulnerability.
    where
        Conditions on deals that they meet instead.
    kind
        The name that the script gave them, if they are some of its deals.
    """

    name: str
    percent: float
    script: Script
    where: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True)
class DealSet:
    """Deals with what each of them is for.

    Attributes
    ----------
    hands : uint64 [4, n]
    dealers : int64 [n]
    sides : int64 [n]
        Vulnerabilities; -1 for that of the board number.
    kinds : int64 [n]
        Places in ``names``.
    names
        What the kinds of deals are called.
    generated
        Deals looked at.
    """

    hands: U64
    dealers: NDArray[np.int64]
    sides: NDArray[np.int64]
    kinds: NDArray[np.int64]
    names: tuple[str, ...]
    generated: int

    def __len__(self) -> int:
        return int(self.hands.shape[1])

    def turned(self, turns: int) -> "DealSet":
        """Give every hand to the seat so many quarter turns on, the deal and its sides with it.

        Examples
        --------
        >>> from bidcascade.inference.scenarios.script_reader import parse_script
        >>> script = parse_script("hearts(south) == 13")
        >>> found = make_set([DealSetPart("hearts", 100, script)], 1, seed=1).turned(1)
        >>> int(found.hands[3, 0]) == 0x1FFF << 26, found.dealers.tolist()
        (True, [1])
        """
        # 0-3 are none, NS, EW and both: an odd turn changes NS and EW
        odd = np.array([0, 2, 1, 3])
        sides = np.where(self.sides < 0, self.sides, odd[self.sides]) if turns % 2 else self.sides
        return replace(
            self,
            hands=np.roll(self.hands, turns % 4, axis=0),
            sides=sides,
            dealers=(self.dealers + turns) % 4,
        )

    def shuffled(self, seed: int) -> "DealSet":
        """Mix the deals; the same seed gives the same order."""
        start = np.uint64(mixed(seed ^ GAMMA))
        order = np.argsort(mixed_words(start + np.arange(len(self), dtype=np.uint64)))
        return replace(
            self,
            hands=np.ascontiguousarray(self.hands[:, order]),
            dealers=self.dealers[order],
            sides=self.sides[order],
            kinds=self.kinds[order],
        )

    def frame(self, source: str) -> pl.DataFrame:
        """Give a deal frame of numbered boards; ``event`` is the kind of each."""
        frame = board_frame(self.hands, source, dealer=self.dealers, vulnerability=self.sides)
        names = pl.Series("event", self.names, dtype=pl.String)
        return frame.with_columns(names.gather(self.kinds.astype(np.uint32)).alias("event"))


def allotted(percents: Sequence[float], count: int) -> list[int]:
    """Share a number of deals out, exactly as far as whole deals can be.

    Raises
    ------
    InvalidScript
        If the shares are not 100 % together.

    Examples
    --------
    >>> allotted([40, 60], 50), allotted([50, 30, 20], 16)
    ([20, 30], [8, 5, 3])
    """
    total = sum(percents)
    if abs(total - 100) > 0.5 or any(one <= 0 for one in percents):
        raise InvalidScript(f"expected shares above 0 of 100 % together, got {total:g} %")
    exact = [one * count / total for one in percents]
    found = [int(one + _CENT) for one in exact]
    # what is left goes to those who are furthest below their share
    for place in sorted(range(len(exact)), key=lambda one: found[one] - exact[one]):
        if sum(found) < count:
            found[place] += 1
    return found


def parts_of_script(
    script: Script, name: str, percent: float = 100, shares: Sequence[tuple[float, str]] = ()
) -> list[DealSetPart]:
    """Give the kinds of deals of a script; itself if neither it nor ``shares`` names some.

    A deal of a kind is of no other kind that has a share, so that the shares are exact.

    Raises
    ------
    InvalidScript
        If a share is of a name that the script does not define.
    """
    wanted = list(shares) or [(one.percent, one.name) for one in script.shares]
    if not wanted:
        return [DealSetPart(name, percent, script)]
    for _, kind in wanted:
        if kind not in script.names:
            known = ", ".join(script.names) or "none"
            raise InvalidScript(f"expected a name that the script defines ({known}), got {kind!r}")
    allotted([one for one, _ in wanted], 1)
    kinds = [script.names[kind] for _, kind in wanted]
    return [
        DealSetPart(
            name,
            own * percent / 100,
            _with(script, node, [one for one in kinds if one is not node]),
            kind=kind,
        )
        for (own, kind), node in zip(wanted, kinds, strict=True)
    ]


def parts_of_conditions(shares: Sequence[tuple[float, str]], script: Script) -> list[DealSetPart]:
    """Give kinds of deals that conditions on deals tell apart; no deal meets two of them."""
    texts = [text for _, text in shares]
    return [
        DealSetPart(
            text, percent, script, (text, *(f"not ({one})" for one in texts if one != text))
        )
        for percent, text in shares
    ]


def _with(script: Script, kind: Node, others: Sequence[Node]) -> Script:
    conditions = (script.condition, kind, *(Not(one) for one in others))
    return replace(script, condition=And(tuple(one for one in conditions if one != ALWAYS)))


def make_set(
    parts: Sequence[DealSetPart],
    count: int,
    *,
    seed: int,
    seat: Seat = THEME_SEAT,
    most: int | None = None,
    solver: DoubleDummy | None = None,
    until: float = float("inf"),
    cancel: threading.Event | None = None,
    report: Progress | None = None,
) -> DealSet:
    """Make a set of deals, of each kind its share, mixed where there are several.

    Parameters
    ----------
    parts
        Kinds of deals with their shares, 100 % together.
    count
        Deals of the set.
    seat
        Who gets what the scripts say of South.
    seed, most, solver, until, cancel, report
        As :func:`.producing.produce`; ``most`` is for each kind.

    Raises
    ------
    InvalidScript, LimitExceeded
        If the shares are not 100 % together, or the set is too large.
    NoSuchDeal, TimedOut, Cancelled
        If not enough deals of some kind are found: a set in part would not have its shares.

    Examples
    --------
    >>> from bidcascade.inference.scenarios.script_reader import parse_script
    >>> script = parse_script("strong = hcp(south) > 15  weak = hcp(south) < 6")
    >>> parts = parts_of_script(script, "one", shares=[(75, "strong"), (25, "weak")])
    >>> len(make_set(parts, 8, seed=1)), [part.percent for part in parts]
    (8, [75.0, 25.0])
    """
    if not 1 <= count <= MOST_IN_SET:
        raise LimitExceeded(f"expected 1 to {MOST_IN_SET:,} deals of a set, got {count:,}")
    numbers = allotted([part.percent for part in parts], count)
    found: list[tuple[int, Produced]] = []
    for place, (part, number) in enumerate(zip(parts, numbers, strict=True)):
        if not number:
            continue
        # kinds of one script would begin with the same deals
        own = seed if len(parts) == 1 else mixed((seed + (place + 1) * GAMMA) % 2**64)
        try:
            if part.where:
                made = _dealt_where(part, number, own, most, until, cancel)
            else:
                made = produce(
                    part.script,
                    seed=own,
                    count=number,
                    most=most,
                    solver=solver,
                    until=until,
                    cancel=cancel,
                    report=report,
                )
        except NoSuchDeal as error:
            raise NoSuchDeal(f"{part.kind or part.name}: {error}") from None
        if made.hands.shape[1] < number:
            raise _too_few(part, number, made)
        found.append((place, made))
    sizes = [made.hands.shape[1] for _, made in found]
    boards = [board_of(parts[place].script) for place, _ in found]
    sides = [
        BY_BOARD if parts[place].script.vulnerability is None else int(board[1])
        for (place, _), board in zip(found, boards, strict=True)
    ]
    names = tuple(dict.fromkeys(part.name for part in parts))
    made_set = DealSet(
        np.concatenate([made.hands for _, made in found], axis=1),
        np.repeat([int(dealer) for dealer, _ in boards], sizes),
        np.repeat(sides, sizes),
        np.repeat([names.index(parts[place].name) for place, _ in found], sizes),
        names,
        sum(made.generated for _, made in found),
    )
    if len(found) > 1:
        made_set = made_set.shuffled(seed)
    return made_set.turned(seat - THEME_SEAT)


def _dealt_where(
    part: DealSetPart,
    count: int,
    seed: int,
    most: int | None,
    until: float,
    cancel: threading.Event | None,
) -> Produced:
    limits = SearchLimits(most or MOST_GENERATED, until, cancel)
    parts = list(deal_where(part.where, count=count, seed=seed, limits=limits))
    hands = np.concatenate([one for one, _ in parts], axis=1)
    return Produced(hands, parts[-1][1], is_drawn=True)


def _too_few(part: DealSetPart, count: int, made: Produced) -> NoSuchDeal:
    return NoSuchDeal(
        f"expected {count:,} deals of {part.kind or part.name}, got {made.hands.shape[1]:,} among "
        f"{made.generated:,}; let more be looked at"
    )
