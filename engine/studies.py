"""What a card says about the hands that are not seen: a study of an ending as an answer."""

from typing import TYPE_CHECKING

from bidcascade.bridge import STRAINS, format_card

from .questions.parts.answer_fields import answer, answer_field, answer_of

if TYPE_CHECKING:
    from bidcascade.inference.single_dummy import Study
    from bidcascade.inference.single_dummy.study import Decision

_FRACTION = "As a fraction, or a decimal where that is one of a rounded number."


@answer
class CardMean:
    """What a card is worth in tricks of declarer's side."""

    card: str = answer_field(description="The card.", examples=["SA"])
    total: str = answer_field(
        description=f"Sum over the layouts, by weight. {_FRACTION}", examples=["11/2"]
    )
    mean: str = answer_field(description=f"Mean. {_FRACTION}", examples=["11/4"])
    tricks: float = answer_field(description="The mean as a number.", examples=[2.75])


@answer
class DecisionAnswer:
    """A player's cards, judged over layouts."""

    seat: str = answer_field(
        description="Whose cards they are; declarer chooses for dummy.", examples=["S"]
    )
    layouts: int = answer_field(description="How many layouts have a weight.", examples=[2])
    weight: str = answer_field(description=f"Sum of their weights. {_FRACTION}", examples=["3/2"])
    exact: bool = answer_field(
        description="Whether these are all layouts there are, not a sample.", examples=[True]
    )
    best: tuple[str, ...] = answer_field(
        description="Cards with the best mean.", examples=[["SA", "SK"]]
    )
    cards: tuple[CardMean, ...] = answer_field(description="All cards that may be played.")


@answer
class StudiedLayout:
    """A layout as the observer sees it."""

    hands: str = answer_field(
        description="As PBN, behind the cards that were played.",
        examples=["N:J.Q.A. Q..K.QJ A.K.J. .AJ.Q.A"],
    )
    chance: str = answer_field(
        description=f"That the card is played in it. {_FRACTION}", examples=["1/2"]
    )
    weight: str = answer_field(
        description=f"Weight before the card, times that chance. {_FRACTION}", examples=["1/2"]
    )


@answer
class StudyAnswer:
    """A card studied: the decision of who played it, and of who sees it."""

    ending: str = answer_field(
        description="Hands before the card, as PBN.",
        examples=["N:KJ.Q.A. Q..K.QJ A.K.J.K .AJ.Q.A"],
    )
    strain: str = answer_field(description="Letter of the strain.", examples=["N"])
    declarer: str = answer_field(description="For whose side tricks count.", examples=["S"])
    leader: str = answer_field(description="Who has led to the trick.", examples=["W"])
    trick: tuple[str, ...] = answer_field(description="Cards before it.", examples=[["HA"]])
    dummy_visible: bool = answer_field(description="Whether dummy is down.", examples=[True])
    action: str = answer_field(description="The card.", examples=["SA"])
    then: tuple[str, ...] = answer_field(
        description="Cards played after it, before the observer's turn.", examples=[[]]
    )
    ties: str = answer_field(
        description="What a player does with equally good cards.", examples=["share"]
    )
    actor: DecisionAnswer = answer_field(
        description="The cards of who played it, with the hand that he has."
    )
    before: DecisionAnswer = answer_field(
        description="The observer's cards over all layouts, without inference."
    )
    after: DecisionAnswer | None = answer_field(
        description="With inference; null if no layout explains the card."
    )
    kept: int = answer_field(description="Layouts in which the card has a chance.", examples=[2])
    changes_play: bool = answer_field(
        description="Whether the inference changes the best cards.", examples=[True]
    )
    endings: int = answer_field(
        description="Double-dummy problems that were solved.", examples=[120]
    )
    layouts: tuple[StudiedLayout, ...] = answer_field(description="With their weights.")


def study_answer(found: "Study") -> StudyAnswer:
    """Make an answer of a study."""
    from bidcascade.inference.single_dummy.describing import ending_text, fraction_text

    position = found.position
    return answer_of(
        StudyAnswer,
        found,
        ending=ending_text(position.hands),
        strain=STRAINS[position.strain],
        declarer=position.declarer.letter,
        leader=position.leader.letter,
        trick=tuple(map(format_card, position.trick)),
        dummy_visible=position.dummy_visible,
        action=format_card(found.action),
        then=tuple(map(format_card, found.then)),
        ties=str(found.ties),
        actor=_decision(found.actor),
        before=_decision(found.before),
        after=None if found.after is None else _decision(found.after),
        kept=found.possible_layouts,
        layouts=tuple(
            StudiedLayout(
                hands=ending_text(hands),
                chance=fraction_text(chance),
                weight=fraction_text(weight),
            )
            for hands, chance, weight in zip(
                found.layouts.T.tolist(), found.chances, found.weights, strict=True
            )
        ),
    )


def _decision(found: "Decision") -> DecisionAnswer:
    from bidcascade.inference.single_dummy.describing import fraction_text

    means = found.means
    return answer_of(
        DecisionAnswer,
        found,
        seat=found.seat.letter,
        weight=fraction_text(found.weight),
        best=tuple(map(format_card, found.best)),
        cards=tuple(
            CardMean(
                card=format_card(card),
                total=fraction_text(total),
                mean=fraction_text(means[card]),
                tricks=float(means[card]),
            )
            for card, total in found.totals.items()
        ),
    )
