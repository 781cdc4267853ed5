"""Deals of themes and scripts as an answer."""

import threading
from typing import Any

from bidcascade.bridge import BidcascadeError, InvalidScript, parse_seat
from bidcascade.engine.questions.deals.practice_deals import (
    PracticeDeal,
    PracticeDealsAnswer,
    PracticeDealsRequest,
    ThemeAnswer,
    ThemesAnswer,
)
from bidcascade.engine.questions.inference.layouts import deal_text
from bidcascade.engine.questions.parts.answer_fields import answer_of
from bidcascade.engine.questions.parts.fields import invalid_value, read_each, read_field
from bidcascade.inference.scenarios.deal_sets import DealSetPart, make_set, parts_of_script
from bidcascade.inference.scenarios.script_reader import parse_script
from bidcascade.inference.scenarios.themes import theme_named, themes
from bidcascade.loaders.frames.frame import HAND_COLUMNS

_SCRIPT = "script"


def answer_themes() -> ThemesAnswer:
    """Name the themes and say what is practised with each."""
    return ThemesAnswer(themes=tuple(answer_of(ThemeAnswer, one) for one in themes().values()))


def answer_practice_deals(
    request: PracticeDealsRequest,
    *,
    until: float = float("inf"),
    cancel: threading.Event | None = None,
) -> PracticeDealsAnswer:
    """Answer a question for deals.

    Raises
    ------
    InvalidInput, InvalidScript
        If not just one of themes and script is given, or it cannot be read.
    NoSuchDeal, TimedOut, Cancelled, LimitExceeded
        As :func:`~bidcascade.inference.scenarios.deal_sets.make_set`.
    """
    parts = _parts(request)
    seat = read_field(parse_seat, request.seat, "seat")
    try:
        made = make_set(
            parts, request.count, seed=request.seed, seat=seat, until=until, cancel=cancel
        )
    except InvalidScript as error:
        # a value may be found wrong on a deal alone
        if request.script is not None:
            error.field, error.value = _SCRIPT, request.script[:80]
        raise
    rows = made.frame("practice").iter_rows(named=True)
    return PracticeDealsAnswer(deals=tuple(map(_deal, rows)), looked_at=made.generated)


def _parts(request: PracticeDealsRequest) -> list[DealSetPart]:
    if (request.themes is None) == (request.script is None) or request.themes == ():
        raise invalid_value("themes", request.themes, "expected themes or a script")
    if request.script is not None:
        script = read_field(parse_script, request.script, _SCRIPT)
        if script.needs_solver:
            reason = "expected a script without tricks: nothing is solved here"
            raise invalid_value(_SCRIPT, request.script[:80], reason)
        try:
            return parts_of_script(script, _SCRIPT)
        except BidcascadeError as error:
            error.field, error.value = _SCRIPT, request.script[:80]
            raise
    named = dict.fromkeys(request.themes or ())
    found = read_each(theme_named, list(named), "themes")
    share = 100 / len(found)
    return [part for one in found for part in parts_of_script(one.script, one.name, share)]


def _deal(row: dict[str, Any]) -> PracticeDeal:
    deal = deal_text([row[name] for name in HAND_COLUMNS])
    return answer_of(PracticeDeal, row, deal=deal, theme=row["event"])
