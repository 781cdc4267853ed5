"""A question about an auction: what it shows, or layouts that fit it; and the answers as JSON."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bidcascade.bridge import Seat, Vulnerability, format_calls, format_hand
from bidcascade.inference import KnownCards, interpret, sample_layouts
from bidcascade.inference.interpretation import Interpretation
from bidcascade.inference.layouts.result import Layouts
from bidcascade.inference.layouts.sampling import DEFAULT_TIME_LIMIT_S
from bidcascade.inference.layouts.steps import Source


@dataclass(frozen=True, slots=True)
class AuctionQuestion:
    """What is asked about an auction.

    Parameters
    ----------
    calls : tuple of int
    dealer, vulnerability
    known : mapping of Seat to KnownCards
    where : sequence of str
        Conditions on whole deals.
    layouts : int
        How many.
    seed : int
    strict : bool
        Every call is the one that the system makes; else it is among those that hold.
    """

    calls: tuple[int, ...]
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    known: Mapping[Seat, KnownCards] = field(default_factory=dict)
    where: Sequence[str] = ()
    layouts: int = 100
    seed: int = 0
    strict: bool = True


def find_layouts(
    source: Source,
    question: AuctionQuestion,
    *,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    cancel: threading.Event | None = None,
) -> Layouts:
    """Sample what is asked for; see :func:`bidcascade.inference.sample_layouts`."""
    return sample_layouts(
        source, question.calls, count=question.layouts, dealer=question.dealer,
        vulnerability=question.vulnerability, known=question.known, where=question.where,
        seed=question.seed, strict=question.strict, time_limit_s=time_limit_s, cancel=cancel,
    )  # fmt: skip


def find_interpretation(
    source: Source,
    question: AuctionQuestion,
    *,
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    cancel: threading.Event | None = None,
) -> Interpretation:
    """Interpret what is asked for; see :func:`bidcascade.inference.interpret`."""
    return interpret(
        source, question.calls, layouts=question.layouts, dealer=question.dealer,
        vulnerability=question.vulnerability, known=question.known, where=question.where,
        seed=question.seed, strict=question.strict, time_limit_s=time_limit_s, cancel=cancel,
    )  # fmt: skip


def layouts_dict(question: AuctionQuestion, layouts: Layouts) -> dict[str, Any]:
    """Layouts as plain values for JSON, each as PBN text with its weight.

    Examples
    --------
    >>> from bidcascade.systems import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> question = AuctionQuestion((7,), layouts=2)
    >>> found = layouts_dict(question, find_layouts(system, question))
    >>> found["layouts"][0]["deal"][:2], found["report"]["accepted"]
    ('N:', 2)
    """
    return {
        "auction": format_calls(question.calls).split(),
        "dealer": layouts.dealer.letter,
        "vulnerability": layouts.vulnerability.text,
        "layouts": [
            {"deal": deal_text(hands), "weight": round(weight, 6)}
            for hands, weight in zip(
                layouts.hands.T.tolist(), layouts.weights.tolist(), strict=True
            )
        ],
        "report": report_dict(layouts.report.to_dict()),
    }


def interpretation_dict(found: Interpretation) -> dict[str, Any]:
    """Interpretation as plain values for JSON."""
    answer = found.to_dict()
    answer["report"] = report_dict(answer["report"])
    return answer


def report_dict(report: dict[str, Any]) -> dict[str, Any]:
    """Report with its numbers rounded, and what was relaxed as sentences."""
    return {
        **report,
        "acceptance": round(report["acceptance"], 8),
        "effective_size": round(report["effective_size"], 2),
        "relaxed": [one["sentence"] for one in report["relaxed"]],
        "seconds": round(report["seconds"], 4),
    }


def deal_text(hands: Sequence[int]) -> str:
    """PBN text of four hands, North's first.

    Examples
    --------
    >>> deal_text([0x1FFF << 13 * suit for suit in range(4)])[:20]
    'N:...AKQJT98765432 .'
    """
    return "N:" + " ".join(map(format_hand, hands))
