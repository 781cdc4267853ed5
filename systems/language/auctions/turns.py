"""Whose each call of a header is where passes stand bare, as in an auction written call by call.

In a header calls of our side stand bare and those of theirs in parentheses; passes that are left
out are understood. A bare pass right behind a call of ours can only be theirs, so that
``1NT P 2C P`` is read as ``1NT (P) 2C (P)``. Where two readings are left, none is guessed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from bidcascade.systems.language.tree.syntax_tree import AuctionStep, CallPattern, Where

Complain = Callable[[Where, str, str], None]
Steps = tuple[AuctionStep, ...]

MOST_PASSES: Final = 3
"""Passes that an auction may begin with."""
_SEATS: Final = ("", "2nd seat", "3rd seat", "4th seat")
_PASS_OF: Final = {
    theirs: AuctionStep((CallPattern("pass"),), theirs=theirs) for theirs in (False, True)
}


def in_turn(written: Steps, word: str, complain: Complain) -> Steps:
    """Mark the passes of the other side in an auction as theirs.

    Parameters
    ----------
    written
        As it stands behind ``after`` or ``over``.
    word
        This word, for the lines that complaints advise.
    complain
        Called with the place, the message and the advice where it cannot be told whose a call is.

    Examples
    --------
    >>> bid, a_pass = (AuctionStep((CallPattern(*one),)) for one in (("bid", 1, "NT"), ("pass",)))
    >>> [step.theirs for step in in_turn((bid, a_pass, bid, a_pass), "after", print)]
    [False, True, False, True]
    """
    if not any(is_pass(step) for step in written):
        return written
    front = next((number for number, step in enumerate(written) if not is_pass(step)), None)
    if front is None:
        _nobody_bids(written, complain)
        return written
    if front and written[front].any_calls:
        complain(
            _where(written[0]),
            'passes in front of "…" are not counted',
            f'leave them out: "{word} {_text(written[front:])}"',
        )
        return written
    behind = _marked(written[front:])
    skipped = _left_out(behind)
    marked = behind != written[front:]
    is_whole = marked and not any(step.theirs for step in written)
    if is_whole and skipped is not None:
        ours = tuple(step for step in written if not is_pass(step))
        complain(
            _where(skipped),
            f'whose is "{_text((skipped,))}"? Call by call it is their turn, and theirs stands '
            "in parentheses",
            f'write "{word} {_text(_alternating(written[front:]))}", or "{word} {_text(ours)}"',
        )
        return (*written[:front], *behind)
    return (*_front(written, front, word, complain, is_whole=is_whole), *behind)


def is_pass(step: AuctionStep) -> bool:
    """Whether a step of an auction is a pass and nothing else."""
    return bool(step.calls) and all(call.kind == "pass" for call in step.calls)


def filled(written: Sequence[AuctionStep]) -> Iterator[AuctionStep]:
    """Put in the passes that are left out between steps."""
    before: AuctionStep | None = None
    for step in written:
        is_known = before is not None and not before.any_calls and not step.any_calls
        if is_known and before is not None and step.theirs is before.theirs:
            yield _PASS_OF[not step.theirs]
        yield step
        before = step


def _marked(steps: Steps) -> Steps:
    """Mark bare passes behind a call of ours as theirs, from the first bid on."""
    found: list[AuctionStep] = []
    for step in steps:
        is_theirs = is_pass(step) and found and not found[-1].any_calls and not found[-1].theirs
        found.append(replace(step, theirs=True) if is_theirs else step)
    return tuple(found)


def _left_out(steps: Steps) -> AuctionStep | None:
    """First call of ours that follows another one of ours."""
    for before, step in pairwise(steps):
        if not (before.any_calls or step.any_calls or before.theirs or step.theirs):
            return step
    return None


def _front(written: Steps, front: int, word: str, complain: Complain, *, is_whole: bool) -> Steps:
    """Mark each pass before the first bid as ours or theirs."""
    passes, first = written[:front], written[front]
    if not passes:
        return ()
    # call by call: each is of the other side than what follows
    turns = tuple(
        replace(step, theirs=first.theirs is bool((front - number) % 2 == 0))
        for number, step in enumerate(passes)
    )
    fits = all(turn.theirs or not step.theirs for step, turn in zip(passes, turns, strict=True))
    by_turns = turns if fits and front <= MOST_PASSES else None
    bare = tuple(filled((*passes, first)))[:-1]
    as_written = bare if len(bare) <= MOST_PASSES else None
    if by_turns is not None and (is_whole or as_written is None or len(bare) == front):
        return by_turns
    if by_turns is None and as_written is not None:
        return as_written
    rest = written[front:]
    if by_turns is None or as_written is None:
        complain(
            _where(passes[0]),
            "these passes are four with those left out, and end the auction",
            f'write "{word} {_text(rest)}", or at most three passes in front',
        )
        return passes
    complain(
        _where(passes[-1]),
        f"whose is the pass before {_text((first,))}? It is read in two ways",
        f'write "{word} {_text((*by_turns, *rest))}", or "{word} {_text((*as_written, *rest))}"',
    )
    return by_turns


def alternating_text(steps: Steps) -> str:
    """Write an auction in which the sides call by turns, theirs first.

    Examples
    --------
    >>> club, a_pass = (AuctionStep((CallPattern(*one),)) for one in (("bid", 1, "C"), ("pass",)))
    >>> alternating_text((club, a_pass))
    '(1C) Pass'
    """
    return _text(_alternating(steps, first=0))


def _alternating(steps: Steps, first: int = 1) -> Steps:
    """Mark each second step as theirs, from the number of the ``first`` on."""
    return tuple(replace(step, theirs=number % 2 == first) for number, step in enumerate(steps))


def _nobody_bids(written: Steps, complain: Complain) -> None:
    passes = len(tuple(filled(written))) + (not written[-1].theirs)
    by_turns = len(written) if not any(step.theirs for step in written) else passes
    if by_turns <= MOST_PASSES:
        advice = f'for the opening behind passes write "opening, {_SEATS[by_turns]}:"'
    else:
        advice = 'for the opening write "opening:"'
    complain(_where(written[0]), "nobody has bid in this auction", advice)


def _where(step: AuctionStep) -> Where:
    return step.calls[0].where


def _text(steps: Sequence[AuctionStep]) -> str:
    # who has nothing to complain of need not load it
    from bidcascade.systems.language.words.wording import step_text

    return " ".join(map(step_text, steps))
