"""The best opening lead over layouts that agree with the auction."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from bidcascade.bridge import (
    PASS,
    SUITS,
    Auction,
    Contract,
    IllegalCall,
    InvalidContract,
    InvalidDeal,
    NoSuchDeal,
    Seat,
    TimedOut,
    format_calls,
    format_card,
    format_hand,
    parse_calls,
    parse_contract,
    parse_hand,
    parse_seat,
)
from bidcascade.engine.questions.parts.answer_fields import answer, answer_field, answer_of
from bidcascade.engine.questions.parts.fields import (
    Flag,
    exactly_one,
    invalid_value,
    question,
    question_field,
    read_field,
)
from bidcascade.engine.questions.parts.resources import Resources
from bidcascade.engine.questions.parts.texts import (
    DEALER_FLAG,
    MOST_LAYOUTS,
    AuctionCalls,
    Condition,
    HandText,
    SeatText,
    ThirteenCards,
    VulnerabilityText,
    Word,
    seed_field,
    sides_field,
    strict_field,
    table_field,
    where_field,
)

from .layouts import KNOWN_FLAG, AuctionQuestion, find_layouts, read_circumstances

if TYPE_CHECKING:
    from bidcascade.inference.layouts.meanings import Meanings
    from bidcascade.inference.layouts.result import Layouts
    from bidcascade.inference.leads import LeadScoring, LeadStudy
    from bidcascade.inference.natural_suits import NaturalBid

SHARE_FOR_SAMPLING = 0.5
"""How much of the time may go into finding layouts; the rest is for solving them."""


@question
class LeadsRequest:
    """A hand on lead, and the auction or contract."""

    described = exactly_one(auction=["array", "string"], contract="string")

    hand: ThirteenCards = question_field(
        description="The 13 cards of the leader, as `S.H.D.C`.",
        examples=["K52.AQ3.9876.KJ2"],
        flag=Flag("13 cards of the leader: 'K52.AQ3.9876.KJ2' (S.H.D.C)", "HAND", name="hand"),
    )
    auction: AuctionCalls | None = question_field(
        default=None,
        description="The calls, from the dealer on; the passes that end it may be left out, "
        "all of them.",
        examples=[["1N", "P", "3N"]],
        flag=Flag(
            "the calls, from the dealer on: '1N P 3N'; the passes that end it may be left out, all "
            "of them",
            "AUCTION",
            name="auction",
            many="words",
        ),
    )
    contract: Word | None = question_field(
        default=None,
        description="A contract with its declarer, in place of an auction: the other hands are any "
        "then.",
        examples=["3NE"],
        flag=Flag(
            "a contract such as 3NS in place of an auction: the other hands are any then", "C"
        ),
    )
    dealer: SeatText = question_field(
        default="N", description="`N`, `E`, `S` or `W`.", examples=["E"], flag=DEALER_FLAG
    )
    vulnerability: VulnerabilityText = sides_field()
    scoring: Literal["tricks", "set", "matchpoints", "imps"] = question_field(
        default="tricks",
        description="What leads are judged by: the mean of the defenders' tricks; the chance that "
        "the contract goes down; matchpoints or IMPs against tables where each other card of the "
        "hand is led.",
        examples=["imps"],
        flag=Flag("what a lead is judged by (default: tricks, the mean of the defenders' tricks)"),
    )
    layouts: int = question_field(
        default=100,
        ge=1,
        le=MOST_LAYOUTS,
        description="Deals of the unseen cards that agree with the auction.",
        examples=[100],
        flag=Flag(
            "deals of the unseen cards that are solved (default: 100)", "N", bounds=(1, None)
        ),
    )
    known: dict[Word, HandText] = question_field(
        default={},
        max_length=3,
        description="What is known of other hands, by seat: `x` is a card below the ten, `+` "
        "behind a suit any further cards.",
        examples=[{"W": "AKx+.+.+.-"}],
        flag=KNOWN_FLAG,
    )
    where: tuple[Condition, ...] = where_field("HCP_E >= 15")
    strict: bool = strict_field()
    seed: int = seed_field()
    budget_ms: int | None = question_field(
        default=None,
        ge=1,
        description="Answer after so long with what is solved by then, or when one deal is; most "
        "of the service's time for a request if not given.",
        examples=[2000],
        flag=Flag("answer after so long with what is solved by then", "MS"),
    )
    table: Word | None = table_field()


# --- answers --------------------------------------------------------------------------------------


@answer
class LeadAnswerItem:
    """What one lead is worth over all layouts."""

    card: str = answer_field(description="The highest of its touching cards.", examples=["D9"])
    cards: tuple[str, ...] = answer_field(
        description="All of them: it does not matter which.", examples=[["D9", "D8", "D7", "D6"]]
    )
    value: float = answer_field(description="By the scoring asked for.", examples=[3.19], digits=4)
    low: float | None = answer_field(
        description="Lower end of its 95 % interval; null from fewer than two layouts.",
        examples=[3.0],
        digits=4,
    )
    high: float | None = answer_field(
        description="Upper end of the interval.", examples=[3.38], digits=4
    )
    behind: float = answer_field(
        description="How much less than the best lead, on the same layouts.",
        examples=[0.0],
        digits=4,
    )
    behind_error: float | None = answer_field(
        description="Half the width of its 95 % interval: a lead that is less behind is not told "
        "apart from the best.",
        examples=[0.0],
        digits=4,
    )
    tricks: float = answer_field(
        description="Mean tricks of the defenders.", examples=[3.19], digits=4
    )
    set: float = answer_field(
        description="Share of layouts in which the contract goes down.", examples=[0.09], digits=4
    )
    matchpoints: float = answer_field(
        description="Share of other tables beaten, half for equal ones.", examples=[0.62], digits=4
    )
    imps: float = answer_field(
        description="Mean IMPs against other tables.", examples=[0.57], digits=4
    )
    best_share: float = answer_field(
        description="Share of layouts in which no lead takes more tricks.",
        examples=[0.81],
        digits=4,
    )
    differs: int = answer_field(
        description="In how many layouts it is worth more or less than the best lead; below six "
        "it is not told apart either.",
        examples=[0],
    )


@answer
class LeadLayouts:
    """The layouts behind an answer."""

    asked: int = answer_field(description="Wanted.", examples=[100])
    found: int = answer_field(description="Found.", examples=[100])
    solved: int = answer_field(
        description="Solved in time: the answer is about these.", examples=[100]
    )
    effective_size: float = answer_field(
        description="As many layouts of equal weight tell as much.", examples=[100.0], digits=2
    )
    proposals: int = answer_field(description="Deals that were looked at.", examples=[4096])
    acceptance: float = answer_field(description="Share of them that agree.", examples=[0.024])
    stopped_because: str = answer_field(
        description="`count`: enough were found; `proposals`, `time`: a limit was reached first.",
        examples=["count"],
    )
    relaxed: tuple[str, ...] = answer_field(
        description="Conditions that were given up because too few deals meet them.", examples=[[]]
    )
    notes: tuple[str, ...] = answer_field(
        description="Known hands that would not have made their own calls.", examples=[[]]
    )
    natural: tuple[str, ...] = answer_field(
        description="Bids of a new suit without an agreement, and what they are taken for: four "
        "cards, or a stopper.",
        examples=[["call 7, 3D by S: SL_S_D >= 4 or Stopper_S_D"]],
    )
    seed: int = answer_field(description="Of the layouts.", examples=[0])


@answer
class LeadsAnswer:
    """Leads from best to worst."""

    leads: tuple[LeadAnswerItem, ...] = answer_field(description="The leads, best first.")
    card: str = answer_field(
        description="The card to lead: of those in the best lead's suit that may be as good, the "
        "one that players lead: top of touching honours, fourth best, low from three to an honour. "
        "Where a lead of partner's suit may be as good, it is of that suit.",
        examples=["D6"],
    )
    partner_suits: tuple[str, ...] = answer_field(
        description="Suits that partner has bid and shown.", examples=[["S"]]
    )
    is_partners: bool = answer_field(
        description="Whether the card to lead is of a suit of partner's.", examples=[True]
    )
    leader: str = answer_field(description="Who leads.", examples=["S"])
    hand: HandText = answer_field(description="The leader's hand.", examples=["K52.AQ3.9876.KJ2"])
    contract: str = answer_field(description="The contract with its declarer.", examples=["3NE"])
    scoring: str = answer_field(description="What leads are judged by.", examples=["tricks"])
    decided: bool = answer_field(
        description="Whether no other card that players lead may be as good.",
        examples=[False],
    )
    undecided: tuple[str, ...] = answer_field(
        description="Other cards that may be as good, as far as the solved deals tell: of each "
        "suit those that players lead.",
        examples=[["HA"]],
    )
    layouts: LeadLayouts = answer_field(description="The layouts behind the answer.")
    elapsed_ms: int = answer_field(description="Time it took.", examples=[1840])


# --- what is asked, read --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LeadQuestion(AuctionQuestion):
    """Which card to lead.

    Parameters
    ----------
    hand : int
        Mask of the leader's cards.
    contract : Contract
        Its declarer sits on the leader's right; there are no calls where only this is known.
    scoring : str
    """

    hand: int
    contract: Contract
    scoring: "LeadScoring" = "tricks"

    @property
    def leader(self) -> Seat:
        """Who leads."""
        return Seat((self.contract.declarer + 1) % 4)

    @property
    def circumstances(self) -> dict[str, Any]:
        """Those of the auction; the leader's hand is known."""
        if self.leader in self.known:
            raise InvalidDeal(
                f"expected what is known of other hands than the leader's, {self.leader.letter}"
            )
        # loads arrays, which help does without
        from bidcascade.inference.layouts.known import KnownCards

        known = {**self.known, self.leader: KnownCards(self.hand)}
        return {**super().circumstances, "known": known}


def read_leads(request: LeadsRequest) -> LeadQuestion:
    """Read a question about the opening lead.

    Raises
    ------
    BidcascadeError
        That names the field at fault.
    """
    hand = read_field(parse_hand, request.hand, "hand")
    dealer = read_field(parse_seat, request.dealer, "dealer")
    # an auction without calls is none
    if bool(request.auction) == (request.contract is not None):
        raise invalid_value(
            "auction", request.auction, "expected an auction or a contract, and not both"
        )
    calls: tuple[int, ...] = ()
    if request.auction:
        calls = read_field(parse_calls, " ".join(request.auction), "auction")
        contract = read_field(lambda some: contract_of(some, dealer), calls, "auction")
        calls = whole_auction(calls, dealer)
    else:
        contract = read_field(parse_contract, request.contract or "", "contract")
    leader = Seat((contract.declarer + 1) % 4)
    others = f"what is known of other hands than the leader's, {leader.letter}, each once"
    return LeadQuestion(
        hand=hand,
        contract=contract,
        calls=calls,
        scoring=request.scoring,
        layouts=request.layouts,
        **read_circumstances(request, {leader: hand}, others),
    )


def contract_of(calls: Sequence[int], dealer: Seat) -> Contract:
    """Contract that an auction ends in; the passes behind it may be left out, all of them.

    Raises
    ------
    IllegalCall
        If the auction is not legal, or not over: some passes behind the last bid are no end.
    InvalidContract
        If nobody has bid, or all have passed.
    """
    auction = Auction.of(calls, dealer)
    contract = auction.contract
    if contract is None:
        raise InvalidContract(
            f"expected an auction that ends in a contract, got {format_calls(calls)!r}"
        )
    if calls[-1] == PASS and not auction.is_complete:
        raise IllegalCall(
            f"expected an auction that is over, got {format_calls(calls)!r}, where "
            f"{auction.seat_to_act.name.capitalize()} is to call"
        )
    return contract


def whole_auction(calls: Sequence[int], dealer: Seat) -> tuple[int, ...]:
    """Auction with the passes that end it."""
    auction = Auction.of(calls, dealer)
    while not auction.is_complete:
        auction = auction.add(PASS)
    return auction.calls


# --- answering ------------------------------------------------------------------------------------


def answer_leads(question: LeadQuestion, by: Resources) -> Iterator[LeadsAnswer]:
    """Best opening lead of a hand against a contract, over deals that agree with the auction.

    Each deal is solved double dummy for every lead. With `budget_ms` the answer comes after that
    time from as many deals as are solved by then; one is waited for in any case. Whoever accepts
    `application/jsonl` gets a line as soon as a few deals are solved, and better ones after it.
    """
    for study, layouts, natural in _studies(question, by):
        yield _answer(question, study, layouts, natural)


def _studies(
    question: LeadQuestion, by: Resources
) -> "Iterator[tuple[LeadStudy, Layouts, Sequence[NaturalBid]]]":
    """Study the leads again and again, on more and more layouts."""
    # load arrays, which help does without
    from bidcascade.inference.leads import refine_leads
    from bidcascade.inference.natural_suits import partner_suits

    started = time.monotonic()
    meanings, natural = _natural_bids(question, by)
    suits: tuple[int, ...] = ()
    if meanings is not None:
        position = (question.leader - question.dealer) % 4
        suits = partner_suits(meanings, question.calls, position, natural)
    try:
        layouts = _layouts(question, by, started, natural)
    except NoSuchDeal:
        # what was taken for natural was none
        if not natural:
            raise
        layouts, natural = _layouts(question, by, started, ()), ()
    spent = time.monotonic() - started
    for study in refine_leads(
        layouts.hands,
        question.contract,
        by.solver(),
        weights=layouts.weights,
        vulnerability=question.vulnerability,
        scoring=question.scoring,
        time_limit_s=None if by.time_limit_s is None else max(0.0, by.time_limit_s - spent),
        patience_s=None if by.patience_s is None else max(0.0, by.patience_s - spent),
        cancel=by.cancel,
    ):
        found = replace(study, seconds=study.seconds + spent, partner_suits=suits)
        yield found, layouts, natural


def _natural_bids(
    question: LeadQuestion, by: Resources
) -> "tuple[Meanings | None, tuple[NaturalBid, ...]]":
    """Tell what calls mean, and which bids are taken as natural; neither of a contract alone."""
    from bidcascade.inference.layouts.meanings import meanings_of, steps_by
    from bidcascade.inference.natural_suits import natural_bids

    if not question.calls:
        return None, ()
    meanings = meanings_of(by.source)
    return meanings, natural_bids(steps_by(meanings, question.calls, question.dealer))


def _layouts(
    question: LeadQuestion, by: Resources, started: float, natural: "Sequence[NaturalBid]"
) -> "Layouts":
    """Layouts that fit, in half of the time; a few at least."""
    from bidcascade.inference.layouts.sampling import DEFAULT_TIME_LIMIT_S
    from bidcascade.inference.leads import FIRST_LAYOUTS

    asked = replace(question, where=(*question.where, *(one.condition for one in natural)))
    limit = DEFAULT_TIME_LIMIT_S
    if by.time_limit_s is not None:
        limit = min(limit, SHARE_FOR_SAMPLING * by.time_limit_s)
    try:
        return find_layouts(asked, replace(by, time_limit_s=limit))
    except TimedOut:
        left = (by.patience_s or 0.0) - (time.monotonic() - started)
        if left <= 0:
            raise
        few = replace(asked, layouts=min(asked.layouts, FIRST_LAYOUTS))
        return find_layouts(few, replace(by, time_limit_s=min(left, DEFAULT_TIME_LIMIT_S)))


def _answer(
    question: LeadQuestion,
    study: "LeadStudy",
    layouts: "Layouts",
    natural: "Sequence[NaturalBid]",
) -> LeadsAnswer:
    return LeadsAnswer(
        leads=tuple(
            answer_of(
                LeadAnswerItem,
                lead,
                card=format_card(lead.card),
                cards=tuple(map(format_card, lead.cards)),
            )
            for lead in study.leads
        ),
        card=format_card(study.card),
        partner_suits=tuple(SUITS[suit] for suit in study.partner_suits),
        is_partners=study.is_partners,
        leader=question.leader.letter,
        hand=format_hand(question.hand),
        contract=str(question.contract),
        scoring=study.scoring,
        decided=study.is_decided,
        undecided=tuple(map(format_card, study.undecided)),
        layouts=answer_of(
            LeadLayouts,
            layouts.report,
            asked=question.layouts,
            found=len(layouts),
            solved=study.layouts,
            effective_size=study.effective_size,
            relaxed=tuple(map(str, layouts.report.relaxed)),
            natural=tuple(map(str, natural)),
        ),
        elapsed_ms=round(1000 * study.seconds),
    )
