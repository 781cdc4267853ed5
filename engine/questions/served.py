"""Answers as a service gives them: with the table they come from, and whether it is warmed up.

OpenAPI describes them from here, and the types of the clients are made of them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .answer_fields import answer, answer_field, with_fields
from .answer_parts import FromTable, OfTable
from .auctions import AuctionsAnswer, MembersAnswer
from .bids import BidAnswer
from .explaining import ExplainAnswer
from .registry import QUESTIONS
from .tables import LintAnswer, NextAnswer, SystemAnswer, TopicsAnswer


@answer
class Warming:
    """What a service adds to answers that get better with time."""

    warming: bool = answer_field(
        description="Whether the service was still warming up: fewer deals are solved in the same "
        "time then.",
        examples=[False],
    )


def _added() -> dict[type, tuple[type, ...]]:
    found: dict[type, tuple[type, ...]] = {
        **dict.fromkeys((AuctionsAnswer, BidAnswer, MembersAnswer), (FromTable,)),
        **dict.fromkeys(
            (ExplainAnswer, LintAnswer, NextAnswer, SystemAnswer, TopicsAnswer), (OfTable,)
        ),
    }
    for one in QUESTIONS.values():
        warming = (Warming,) if one.refined else ()
        found[one.answer] = (*warming, FromTable) if one.from_table else warming
    return found


ADDED: Final[Mapping[type, tuple[type, ...]]] = MappingProxyType(_added())
"""What a service adds to an answer, in order; nothing to those that are not here."""


_SERVED: Final = {kind: with_fields(kind, *added) for kind, added in ADDED.items() if added}


def served(kind: type) -> type:
    """Type of an answer as a service gives it.

    Parameters
    ----------
    kind : type
        An answer.

    Examples
    --------
    >>> from dataclasses import fields
    >>> [one.name for one in fields(served(MembersAnswer))]
    ['members', 'table', 'backend']
    """
    return _SERVED.get(kind, kind)
