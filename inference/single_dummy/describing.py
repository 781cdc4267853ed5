"""A study as plain data and as rows for people."""

from fractions import Fraction
from typing import Any

from bidcascade.bridge import STRAINS, Seat, format_card, format_hand

from .study import Decision, Study

_LARGEST_DENOMINATOR = 10_000


def study_dict(study: Study, *, layouts: bool = True) -> dict[str, Any]:
    """Write a study as JSON can hold it; fractions as text beside their decimals."""
    position = study.position
    found: dict[str, Any] = {
        "ending": ending_text(position.hands),
        "strain": STRAINS[position.strain],
        "declarer": position.declarer.letter,
        "leader": position.leader.letter,
        "trick": [format_card(card) for card in position.trick],
        "dummy_visible": position.dummy_visible,
        "action": format_card(study.action),
        "then": [format_card(card) for card in study.then],
        "ties": str(study.ties),
        "actor": decision_dict(study.actor),
        "before": decision_dict(study.before),
        "after": None if study.after is None else decision_dict(study.after),
        "kept": study.possible_layouts,
        "changes_play": study.changes_play,
        "endings": study.endings,
    }
    if layouts:
        found["layouts"] = [
            {
                "hands": ending_text(study.layouts[:, number].tolist()),
                "chance": fraction_text(chance),
                "weight": fraction_text(weight),
            }
            for number, (chance, weight) in enumerate(
                zip(study.chances, study.weights, strict=True)
            )
        ]
    return found


def decision_dict(decision: Decision) -> dict[str, Any]:
    """Write a decision as JSON can hold it."""
    means = decision.means
    return {
        "seat": decision.seat.letter,
        "layouts": decision.layouts,
        "weight": fraction_text(decision.weight),
        "exact": decision.exact,
        "best": [format_card(card) for card in decision.best],
        "cards": [
            {
                "card": format_card(card),
                "total": fraction_text(total),
                "mean": fraction_text(means[card]),
                "tricks": float(means[card]),
            }
            for card, total in decision.totals.items()
        ],
    }


def fraction_text(value: Fraction) -> str:
    """Write a fraction, or a decimal where the fraction is one of a rounded number."""
    if value.denominator <= _LARGEST_DENOMINATOR:
        return str(value)
    return f"{float(value):.6g}"


def mean_text(value: Fraction) -> str:
    """Write a mean as decimal and, where it is exact and short, as fraction."""
    if value.denominator == 1:
        return str(value)
    decimal = f"{float(value):.3f}"
    return decimal if value.denominator > _LARGEST_DENOMINATOR else f"{decimal} = {value}"


def ending_text(hands: "list[int] | tuple[int, ...]") -> str:
    """Write four hands as PBN, North first."""
    return "N:" + " ".join(map(format_hand, hands))


def step_rows(study: Study) -> list[tuple[str, ...]]:
    """Rows of the study's steps: step, layouts, weight, tricks of declarer's side, best cards."""
    name = study.position.turn.name.capitalize()
    observer = study.before.seat.name.capitalize()
    action = format_card(study.action)
    steps: list[tuple[str, Decision | None]] = [
        (f"{name} to play", study.actor),
        (f"{observer} after {action}, no inference", study.before),
        (f"{observer} after {action}, ties {study.ties}", study.after),
    ]
    return [
        (step, "0", "0", f"{action} is played in none of them", "")
        if decision is None
        else (
            step,
            str(decision.layouts),
            fraction_text(decision.weight),
            ", ".join(
                f"{format_card(card)} {fraction_text(total)}"
                for card, total in decision.totals.items()
            ),
            " ".join(map(format_card, decision.best)),
        )
        for step, decision in steps
    ]


def card_rows(study: Study) -> list[tuple[str, ...]]:
    """Rows of the observer's cards: card, mean without and with inference."""
    before = study.before.means
    after = {} if study.after is None else study.after.means
    return [
        (format_card(card), mean_text(before[card]), mean_text(after[card]) if after else "-")
        for card in before
    ]


def layout_rows(study: Study, most: int | None = None) -> list[tuple[str, ...]]:
    """Rows of the layouts that are left, the likeliest first: hands that are not seen, weight."""
    seen = study.position.after(study.action)
    for card in study.then:
        seen = seen.after(card)
    view = seen.view(seen.turn)
    unseen = [seat for seat in Seat if view.lacking[seat]]
    possible = [number for number, weight in enumerate(study.weights) if weight]
    order = sorted(possible, key=lambda one: -study.weights[one])
    rows: list[tuple[str, ...]] = []
    for number in order[:most]:
        hands = "  ".join(
            f"{seat.letter} {format_hand(int(study.layouts[seat, number]))}" for seat in unseen
        )
        rows.append((hands, fraction_text(study.weights[number])))
    return rows
