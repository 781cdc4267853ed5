"""Every error that bidcascade raises on purpose, as one tree.

    BidcascadeError
    ├── InvalidCard          (ValueError)  a rank or suit that does not exist
    ├── InvalidHand          (ValueError)  not 13 distinct cards, or text that is no hand
    ├── InvalidDeal          (ValueError)  hands that overlap, a wrong dealer or vulnerability
    │   └── NoSuchDeal                     no deal meets what is known of it and asked of it
    ├── InvalidCall          (ValueError)  text or a code that is no call
    ├── InvalidContract      (ValueError)  a contract or a number of tricks that does not exist
    ├── IllegalCall          (ValueError)  a call that the auction does not allow
    ├── InvalidExpression    (ValueError)  a bidding-table expression that does not parse
    │   └── UnknownTerm      (LookupError) a term that the vocabulary lacks
    ├── InvalidTable         (ValueError)  a bidding table or file of one that cannot be used
    │   ├── InvalidOverlay   (ValueError)  rules laid over a table that cannot be used
    │   └── UnknownAuction   (LookupError) an auction that a bidding table does not have
    ├── InvalidSystem        (ValueError)  a bidding system's text that cannot be used
    ├── InvalidScript        (ValueError)  a script of wanted deals that cannot be used
    ├── InvalidInput         (ValueError)  a file or stream that holds no usable deals
    ├── LimitExceeded        (ValueError)  a request above a limit
    ├── UnknownTable         (LookupError) no bidding table of that name
    ├── NoSystem             (LookupError) a question that only a system answers
    ├── BackendUnavailable   (RuntimeError) the engine asked for cannot run here
    │   └── ForkedProcess                  a fork without the threads that frames need
    ├── DeviceFault          (RuntimeError) the device failed while it worked
    ├── DoubleDummyFailed    (RuntimeError) deals that the double-dummy solver could not solve
    ├── EngineFailed         (RuntimeError) a foreign engine that gave no call that can be used
    ├── TimedOut             (TimeoutError) work that was not done in the time given for it
    ├── Cancelled            (RuntimeError) work that was given up because its caller said so
    └── OutOfDeviceMemory    (MemoryError) not even the smallest share of the work fits the device

A message says what was expected, the offending value and where it stood; lower case, no full stop.
"""

import re
from collections.abc import Iterable
from typing import Any

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Text with signs that a terminal would do as they say written as escapes.

    Line ends and tabs stay.

    Examples
    --------
    >>> print(visible("\x1b[31mred.lin"))
    \x1b[31mred.lin
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class BidcascadeError(Exception):
    """Root of all errors raised by bidcascade.

    Attributes
    ----------
    field : str
        Field of a question that is at fault, as ``where[1]``; empty where no question was asked.
    value : object
        What the field holds.
    """

    field: str = ""
    value: object = None


class InvalidCard(BidcascadeError, ValueError):
    """A rank or suit that does not exist."""


class InvalidHand(BidcascadeError, ValueError):
    """Text or a mask that is not a hand of 13 distinct cards."""


class InvalidDeal(BidcascadeError, ValueError):
    """Hands that overlap, or a dealer or vulnerability that does not exist."""


class NoSuchDeal(InvalidDeal):
    """No deal meets what is known of it and asked of it, or none was found among those tried."""


class InvalidCall(BidcascadeError, ValueError):
    """Text or a code that is no call."""


class InvalidContract(BidcascadeError, ValueError):
    """A contract, or a number of tricks in one, that does not exist."""


class IllegalCall(BidcascadeError, ValueError):
    """A call that the auction so far does not allow."""


class InvalidExpression(BidcascadeError, ValueError):
    """An expression that does not parse; the message carries the position."""


class UnknownTerm(InvalidExpression, LookupError):
    """A term that the vocabulary lacks; the message names the nearest known one."""


class InvalidTable(BidcascadeError, ValueError):
    """A bidding table, or a file of one, that cannot be used."""


class InvalidOverlay(InvalidTable):
    """Rules laid over a table that cannot be used; the message lists all complaints, a line each.

    ``complaints`` are those lines, each with file and line of the rule.
    """

    def __init__(self, message: str, complaints: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.complaints: tuple[str, ...] = tuple(complaints)


class UnknownAuction(InvalidTable, LookupError):
    """An auction that a bidding table does not have; the message says where it leaves the table."""


class InvalidSystem(BidcascadeError, ValueError):
    """A text of a bidding system that cannot be used; the message carries file and line.

    ``complaints`` are all that were found, each with its place, message, the line, a caret and
    advice (:class:`bidcascade.systems.language.errors.Complaint`); the message shows them in turn.
    """

    def __init__(self, message: str, complaints: Iterable[Any] = ()) -> None:
        super().__init__(message)
        self.complaints: tuple[Any, ...] = tuple(complaints)


class InvalidScript(BidcascadeError, ValueError):
    """A script of wanted deals that cannot be used; the message carries line and column."""


class InvalidInput(BidcascadeError, ValueError):
    """A file or stream that holds no usable deals."""


class LimitExceeded(BidcascadeError, ValueError):
    """A request that asks for more than a stated limit."""


class UnknownTable(BidcascadeError, LookupError):
    """No bidding table of that name."""


class NoSystem(BidcascadeError, LookupError):
    """A question that only a system answers, asked of a table of rows or of one with overlays."""


class BackendUnavailable(BidcascadeError, RuntimeError):
    """The engine asked for cannot run on this machine; the message says why."""


class ForkedProcess(BackendUnavailable):
    """A process that was forked from one which had worked with frames; spawned ones can go on."""


class DeviceFault(BidcascadeError, RuntimeError):
    """The device failed while it worked; there is no answer, not even a part of one."""


class DoubleDummyFailed(BidcascadeError, RuntimeError):
    """Deals that the double-dummy solver could not solve.

    ``deals`` are their numbers in the question; ``answers`` is what the call would have returned,
    with -1 in their places, or ``None`` where the solver could not work at all.
    """

    def __init__(self, message: str, deals: Iterable[int] = (), answers: Any = None) -> None:
        super().__init__(message)
        self.deals: tuple[int, ...] = tuple(deals)
        self.answers = answers


class EngineFailed(BidcascadeError, RuntimeError):
    """A foreign engine that gave no call that can be used; the message says where and why.

    ``fault`` is its kind: ``no start``, ``ended``, ``too late``, ``unreadable``, ``illegal`` or
    ``too much``.
    """

    def __init__(self, message: str, fault: str = "unreadable") -> None:
        super().__init__(message)
        self.fault = fault


class TimedOut(BidcascadeError, TimeoutError):
    """Work that was not done in the time given for it."""


class Cancelled(BidcascadeError, RuntimeError):
    """Work that was given up because its caller said so."""


class OutOfDeviceMemory(BidcascadeError, MemoryError):
    """Not even the smallest share of the work fits the device's free memory."""
