"""The call for one hand, answered: the system's own, or the one that comes out best when tried."""

from bidcascade.engine.questions.parts.resources import Resources

from .bids import BidAnswer, BidQuestion, SearchRequest, bid_answer


def answer_bid(question: BidQuestion, by: Resources) -> BidAnswer:
    """Call that a bidding table makes with a hand after some calls, and why.

    Each candidate lists its conditions with the hand's own values. With `simulate` the call is the
    one that scores best over deals which agree with the auction, with `search` the system's own
    unless another one is clearly better over them. Where the system has no line for the place it is
    a pass, as in auctions, and `note` says so.
    """
    trial = question.trial
    found = by.bidding_engine.bid(
        question.hand,
        question.calls,
        dealer=question.dealer,
        vulnerability=question.vulnerability,
        words=question.words,
    )
    if trial is None:
        return bid_answer(question, found)
    # load layouts, which a system's own call does without
    from .searched_bid import search_bid
    from .simulated_bid import simulate_bid

    solver = by.solver() if trial.double_dummy and by.tries_double_dummy else None
    if isinstance(trial, SearchRequest):
        best, search = search_bid(question, trial, found, by, solver)
        return bid_answer(question, best, search=search)
    best, simulation = simulate_bid(question, trial, found, by, solver)
    return bid_answer(question, best, simulation=simulation)
