"""A call that is searched: the system's own, unless another one is clearly better over layouts."""

from dataclasses import fields, replace

from bidcascade.bridge import parse_call
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.inference.double_dummy.abstract_solver import DoubleDummy
from bidcascade.inference.search import (
    DEFAULT_BUDGET_MS,
    DEFAULT_LAYOUTS,
    Search,
    SearchQuestion,
    SearchRules,
    search_call,
)
from bidcascade.systems.bidding.bid_answer import BidAnswer

from .bids import BidQuestion, SearchRequest, SimulateRequest
from .simulated_bid import with_call


def search_bid(
    question: BidQuestion,
    wish: SearchRequest,
    answer: BidAnswer,
    by: Resources,
    solver: DoubleDummy | None,
) -> tuple[BidAnswer, Search]:
    """Search a call; where there is nothing to search it is the one that the system makes.

    Parameters
    ----------
    question : BidQuestion
    wish : SearchRequest
        How it is searched.
    answer : BidAnswer
        What the engine answers without a search.
    by : Resources
        The wish's own budget counts beside their time limit.
    solver : DoubleDummy, optional
        Without one, tricks are by the table of tricks.

    Returns
    -------
    tuple of BidAnswer and Search
        The answer with the call to make and a note that says why, and the search.

    Raises
    ------
    BidcascadeError
        As :func:`~bidcascade.inference.search.search_call` does.
    """
    engine = by.bidding_engine
    searched = SearchQuestion(
        question.hand,
        question.calls,
        parse_call(answer.call),
        question.dealer,
        question.vulnerability,
        forced=bool(answer.forced),
        layouts=DEFAULT_LAYOUTS if wish.layouts is None else wish.layouts,
        seed=wish.seed,
    )
    found = search_call(
        engine.bidder.meanings,
        engine.bidder,
        searched,
        rules_of(wish),
        solver,
        time_limit_s=by.within_budget(budget_of(wish)),
        cancel=by.cancel,
    )
    if found.differs:
        missed = next(one.missed for one in found.candidates if one.call == found.call)
        text = "no line makes it" if missed is None else f"its line is missed by {missed}"
        how = f"search: {found.why}"
        best = with_call(engine, answer, question.calls, found.call, how, f"{text}; made")
        return best, found
    note = "; ".join(filter(None, (answer.note, f"search: {found.why}")))
    return replace(answer, note=note), found


def budget_of(wish: SearchRequest | SimulateRequest) -> int | None:
    """Milliseconds after which a wish is answered with what is known by then; none without end.

    Examples
    --------
    >>> budget_of(SearchRequest()), budget_of(SearchRequest(layouts=50))
    (1000, None)
    """
    if isinstance(wish, SearchRequest) and wish.budget_ms is None and wish.layouts is None:
        return DEFAULT_BUDGET_MS
    return wish.budget_ms


def rules_of(wish: SearchRequest) -> SearchRules:
    """Rules that a wish gives; what it leaves out is as :class:`SearchRules` has it.

    Examples
    --------
    >>> rules_of(SearchRequest(margin=1.0)).margin, rules_of(SearchRequest()).errors
    (1.0, 1.0)
    """
    names = {one.name for one in fields(SearchRules)} & {one.name for one in fields(wish)}
    given = {name: getattr(wish, name) for name in names}
    # a command has an empty list where a flag was not given
    return replace(
        SearchRules(), **{name: one for name, one in given.items() if one not in (None, ())}
    )
