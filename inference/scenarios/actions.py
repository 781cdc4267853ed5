"""What a script does with its deals, written as dealer writes it."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from bidcascade.bridge import (
    Contract,
    LimitExceeded,
    Seat,
    format_hand,
    format_holding,
    is_vulnerable,
    score,
    suit_holding,
)
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.kernels.types import I64, U64
from bidcascade.loaders.frames.random_deals import board_frame
from bidcascade.loaders.pbn.pbn_writer import format_games

from .evaluation import BLOCK, MOST_SOLVED, Evaluation, Values
from .producing import Produced, board_of
from .script_tree import (
    Average,
    Axis,
    EvaluateContract,
    EvaluateContracts,
    Frequency,
    Node,
    Print,
    PrintHands,
    PrintValues,
    Script,
    Tricks,
)

_WIDTH: Final = 20
_A_ROW: Final = 4
_STRAINS: Final = "cdhsn"


def written(
    script: Script, produced: Produced, *, seed: int, solver: DoubleDummy | None = None
) -> Iterator[str]:
    r"""Yield what a script's actions print, in dealer's form, and how many deals there were.

    Actions that print each deal come first, deal by deal in the order of the script; then sheets of
    hands, means and frequencies.

    Raises
    ------
    InvalidScript, LimitExceeded
        As :meth:`.evaluation.Evaluation.values`.

    Examples
    --------
    >>> from bidcascade.inference.scenarios.producing import produce
    >>> from bidcascade.inference.scenarios.script_reader import parse_script
    >>> script = parse_script('produce 3 action average "points" hcp(north) + hcp(south)')
    >>> print("".join(written(script, produce(script, seed=1), seed=1)), end="")
    points: 22
    Generated 3 hands
    Produced 3 hands
    Initial random seed 1
    """
    evaluation = Evaluation(script, solver)
    hands = produced.hands
    one_by_one = [one for one in script.actions if isinstance(one, Print | PrintValues)]
    yield from _deal_by_deal(one_by_one, hands, script, evaluation, seed)
    for action in script.actions:
        match action:
            case PrintHands(seats):
                yield from _sheets(seats, hands)
            case Average(title, value):
                values = _all_values(value, hands, evaluation)
                yield f"{title}: {values.mean():g}\n" if title else f"{values.mean():g}\n"
            case Frequency(title, axes):
                yield f"Frequency {title}:\n"
                yield from _frequency(axes, hands, evaluation)
            case EvaluateContracts():
                yield from _contracts(hands, solver)
            case EvaluateContract():
                yield from _contract(action, hands, evaluation, script)
    if any(isinstance(one, Print) and one.form == "printpbn" for one in script.actions):
        # a file that other programs read ends with its last game
        return
    looked = f"Drew {produced.generated:,}" if produced.is_drawn else None
    yield (
        f"{looked} hands that may meet the condition\n"
        if looked
        else (f"Generated {produced.generated} hands\n")
    )
    yield f"Produced {hands.shape[1]} hands\n"
    yield f"Initial random seed {seed}\n"


def _all_values(node: Node, hands: U64, evaluation: Evaluation) -> Values:
    return np.concatenate(
        [
            evaluation.values(node, hands[:, begin : begin + BLOCK])
            for begin in range(0, hands.shape[1], BLOCK)
        ]
    )


# --- deal by deal ---------------------------------------------------------------------------------


def _deal_by_deal(
    actions: Sequence[Print | PrintValues],
    hands: U64,
    script: Script,
    evaluation: Evaluation,
    seed: int,
) -> Iterator[str]:
    if not actions:
        return
    dealer, sides = board_of(script)
    for begin in range(0, hands.shape[1], BLOCK):
        part = hands[:, begin : begin + BLOCK]
        values: dict[int, list[str]] = {}
        for action in actions:
            items = (action.value,) if isinstance(action, Print) else action.items
            for item in items:
                if item is not None and not isinstance(item, str):
                    found = evaluation.values(item, part).tolist()
                    values[id(item)] = [_shown(one) for one in found]
        for place in range(part.shape[1]):
            deal = [int(one) for one in part[:, place]]
            for action in actions:
                if isinstance(action, PrintValues):
                    yield "".join(
                        one if isinstance(one, str) else values[id(one)][place]
                        for one in action.items
                    )
                    continue
                value = "" if action.value is None else f"{values[id(action.value)][place]}\n"
                number = begin + place + 1
                match action.form:
                    case "printall":
                        yield f"{number:4}.\n{_in_columns(deal)}\n"
                    case "printew":
                        yield f"{_in_columns([deal[Seat.WEST], deal[Seat.EAST]])}\n"
                    case "printcompact":
                        yield "".join(f"{line}\n" for line in _named(deal)) + value
                    case "printoneline":
                        yield f"{' '.join(_named(deal))} {value or chr(10)}"
                    case _:
                        board = board_frame(
                            part[:, place : place + 1],
                            f"random:{seed}",
                            first=number,
                            dealer=dealer,
                            vulnerability=sides,
                        )
                        yield from format_games(board)


def _shown(value: int | float) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _named(deal: Sequence[int]) -> list[str]:
    return [f"{seat.letter.lower()} {format_hand(deal[seat])}" for seat in Seat]


def _in_columns(hands: Sequence[int]) -> str:
    """Hands beside each other, a line a suit."""
    lines = []
    for suit in (3, 2, 1, 0):
        parts = [f"{' '.join(format_holding(suit_holding(one, suit))) or '-'} " for one in hands]
        lines.append("".join(part.ljust(_WIDTH) for part in parts[:-1]) + parts[-1])
    return "".join(f"{line}\n" for line in lines)


def _sheets(seats: Sequence[Seat], hands: U64) -> Iterator[str]:
    """Write a sheet for each seat, four hands beside each other, that ends with a form feed."""
    for seat in seats:
        yield f"\n\n{seat.name.capitalize()} hands:\n\n\n\n"
        for begin in range(0, hands.shape[1], _A_ROW):
            some = hands[seat, begin : begin + _A_ROW].tolist()
            numbers = range(begin + 1, begin + 1 + len(some))
            yield "".join(f"{number:4}.".ljust(_WIDTH) for number in numbers) + "\n"
            yield f"{_in_columns(some)}\n"
        yield "\f"


# --- counts ---------------------------------------------------------------------------------------


def _frequency(axes: Sequence[Axis], hands: U64, evaluation: Evaluation) -> Iterator[str]:
    places = [
        np.clip(_whole(axis.value, hands, evaluation) - axis.low, -1, axis.high - axis.low + 1) + 1
        for axis in axes
    ]
    sizes = [axis.high - axis.low + 3 for axis in axes]
    if len(axes) == 1:
        counts = np.bincount(places[0], minlength=sizes[0]).tolist()
        (axis,) = axes
        if counts[0]:
            yield f"Low\t{counts[0]:8}\n"
        for value, number in zip(range(axis.low, axis.high + 1), counts[1:-1], strict=True):
            yield f"{value:5}\t{number:8}\n"
        if counts[-1]:
            yield f"High\t{counts[-1]:8}\n"
        return
    table = np.bincount(places[0] * sizes[1] + places[1], minlength=sizes[0] * sizes[1])
    table = table.reshape(sizes)
    names = [["Low", *map(str, range(axis.low, axis.high + 1)), "High"] for axis in axes]
    yield "    " + "".join(f"{name:>7}" for name in (*names[1], "Sum")) + "\n"
    for name, row in zip(names[0], table, strict=True):
        label = f"{name:<4}" if name.isalpha() else f"{name:>4}"
        yield label + "".join(f"{one:7}" for one in (*row, row.sum())) + "\n"
    yield "Sum " + "".join(f"{one:7}" for one in (*table.sum(axis=0), table.sum())) + "\n\n"


def _whole(node: Node, hands: U64, evaluation: Evaluation) -> I64:
    """Values of which a number with a point counts as the whole number below it."""
    return np.floor(_all_values(node, hands, evaluation)).astype(np.int64)


def _contract(
    action: EvaluateContract, hands: U64, evaluation: Evaluation, script: Script
) -> Iterator[str]:
    """Mean score of one contract, and how often it is made, by each declarer that it has."""
    contract = Contract(action.level, action.strain, action.doubled, action.seats[0])
    vulnerable = action.vulnerable
    if vulnerable is None:
        vulnerable = is_vulnerable(board_of(script)[1], action.seats[0])
    worth = np.array([score(contract, one, vulnerable=vulnerable) for one in range(14)])
    name = f"{action.level}{_STRAINS[action.strain].upper()}{'X' * action.doubled}"
    sides = "vulnerable" if vulnerable else "not vulnerable"
    for seat in action.seats:
        tricks = _all_values(Tricks(seat, action.strain), hands, evaluation).astype(np.int64)
        made = np.count_nonzero(tricks >= action.level + 6)
        yield (
            f"{action.title or 'Contract'}: {name} by {seat.name.capitalize()}, {sides}: "
            f"{worth[tricks].mean():.1f} on average, made on {made} of {len(tricks)} deals\n"
        )


def _contracts(hands: U64, solver: DoubleDummy | None) -> Iterator[str]:
    """Mean scores of all contracts, by North and by South, at both vulnerabilities."""
    asked = hands.shape[1] * 10
    if solver is None or asked > MOST_SOLVED:
        raise LimitExceeded(
            f"expected at most {MOST_SOLVED // 10:,} deals for evalcontract, got {hands.shape[1]:,}"
            if solver
            else "expected a script without evalcontract: nothing is solved here"
        )
    strains, seats = np.meshgrid(np.arange(5), [int(Seat.NORTH), int(Seat.SOUTH)], indexing="ij")
    tricks = solver.tricks(
        np.repeat(hands, 10, axis=1),
        np.tile(strains.ravel(), hands.shape[1]).astype(np.uint8),
        np.tile(seats.ravel(), hands.shape[1]).astype(np.uint8),
    ).reshape(-1, 5, 2)
    for vulnerable in (False, True):
        yield "Vulnerable\n" if vulnerable else "Not Vulnerable\n"
        yield "     " + "".join(f"{level:<10}" for level in range(1, 8)) + "\n"
        for strain, letter in enumerate(_STRAINS):
            cells = []
            for level in range(1, 8):
                contract = Contract(level, strain, 0, Seat.NORTH)
                worth = np.array([score(contract, one, vulnerable=vulnerable) for one in range(14)])
                north, south = worth[tricks[:, strain]].mean(axis=0)
                cells.append(f"{int(north):4}/{int(south):4} ")
            yield f"{letter}: {''.join(cells)}\n"
        yield "\n"
