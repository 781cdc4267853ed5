"""Double dummy as it is defined, plain minimax over the cards; and a solver that makes it up."""

from pathlib import Path

import numpy as np

from bidcascade.bridge import Cancelled
from bidcascade.inference.double_dummy import solver_process

NOTRUMP = 4


def minimax_plays(
    hands: list[int], strain: int, first: int, trick: tuple[int, ...] = ()
) -> dict[int, int]:
    """Tricks from here on of the side to play, after each card it may play.

    Parameters
    ----------
    hands
        Masks of the cards still held, N E S W.
    strain
        0-4 = C D H S N.
    first
        Who led to the trick, or is to lead.
    trick
        Cards played to it.
    """
    mover = (first + len(trick)) % 4
    cards = [card for card in range(52) if hands[mover] >> card & 1]
    if trick:
        following = [card for card in cards if card // 13 == trick[0] // 13]
        cards = following or cards
    results = {}
    for card in cards:
        left = list(hands)
        left[mover] ^= 1 << card
        played = (*trick, card)
        if len(played) < 4:
            after = minimax_plays(left, strain, first, played)
            total = sum(mask.bit_count() for mask in left) + len(played)
            results[card] = total // 4 - max(after.values())
            continue
        winner = (first + _winning_place(played, strain)) % 4
        won = int(winner % 2 == mover % 2)
        remaining = left[winner].bit_count()
        if remaining:
            best = max(minimax_plays(left, strain, winner).values())
            won += best if winner % 2 == mover % 2 else remaining - best
        results[card] = won
    return results


def _winning_place(trick: tuple[int, ...], strain: int) -> int:
    def power(card: int) -> tuple[bool, bool, int]:
        suit = card // 13
        return (suit == strain, suit == trick[0] // 13, card % 13)

    return max(range(4), key=lambda place: power(trick[place]))


def deal_ending(rng: np.random.Generator, cards: int) -> list[int]:
    """Four hands of so many cards each, at random."""
    chosen = rng.choice(52, 4 * cards, replace=False).tolist()
    return [sum(1 << card for card in chosen[seat::4]) for seat in range(4)]


def faulty_solver(folder: Path, what_happens: str) -> Path:
    """Write a solver that is as ours but for what happens before a deal is solved.

    Parameters
    ----------
    what_happens : str
        Statements in Python that see the deal as ``deal`` (the solver's 24 numbers).
    """
    script = folder / "faulty_solver.py"
    source = Path(solver_process.__file__)
    body = "\n".join(f"    {line}" for line in what_happens.splitlines())
    script.write_text(
        "import ctypes, os, signal, sys, time\n"
        f"names = {{'__name__': 'solver'}}\n"
        f"exec(compile(open({str(source)!r}).read(), 'solver', 'exec'), names)\n"
        "load = ctypes.CDLL\n"
        f"def before(deal):\n{body}\n"
        "class Library:\n"
        "    def __init__(self, path):\n"
        "        self.library = load(path)\n"
        "        self.SetResources = self.library.SetResources\n"
        "        self.SolveBoard = Entry(self.library.SolveBoard)\n"
        "class Entry:\n"
        "    def __init__(self, function): self.__dict__['function'] = function\n"
        "    def __setattr__(self, name, value): setattr(self.function, name, value)\n"
        "    def __call__(self, deal, *others):\n"
        "        before(list(deal.ints))\n"
        "        return self.function(deal, *others)\n"
        "ctypes.CDLL = Library\n"
        "names['main'](sys.argv[1], int(sys.argv[2]))\n"
    )
    return script


class MadeUp:
    """Tables from the cards by arithmetic; notes how many deals each call asks for."""

    def __init__(self, most: int | None = None) -> None:
        self.asked: list[int] = []
        self.most = most

    def tables(self, hands, *, cancel=None, timeout_s=None):
        if self.most is not None and len(self.asked) >= self.most:
            raise Cancelled("enough")
        self.asked.append(hands.shape[1])
        return made_up(hands)

    def tricks(self, hands, strain, declarer, *, cancel=None, timeout_s=None):
        return self.tables(hands)[np.arange(hands.shape[1]), 5 * declarer + strain]


def made_up(hands) -> np.ndarray:
    mixed = (hands[0] * np.uint64(0x9E3779B97F4A7C15)) ^ (hands[1] >> np.uint64(7))
    shifts = np.arange(10, dtype=np.uint64) * np.uint64(3) + np.uint64(20)
    north_south = 4 + (mixed[:, None] >> shifts[None, :5] & np.uint64(7)).astype(np.int8)
    side = np.minimum(north_south, 13)
    return np.concatenate([side, 13 - side, side, 13 - side], axis=1).astype(np.int8)
