"""A study as texts and as rows for people."""

from fractions import Fraction

from bidcascade.bridge import Seat, format_card, format_hand

from .study import Decision, Study

_LARGEST_DENOMINATOR = 10_000


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
