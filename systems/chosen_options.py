"""Options of systems as words of a command: ``weak-notrump``, ``acol:strong-two=off``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bidcascade.bridge import InvalidSystem

from .registry import is_system, open_system

_SWITCHES: Final = {
    "on": True, "yes": True, "true": True, "1": True,
    "off": False, "no": False, "false": False, "0": False,
}  # fmt: skip


def chosen_options(
    words: Sequence[str], systems: "Sequence[tuple[str, str | Path]]"
) -> list[dict[str, bool]]:
    """Options of some systems, from words such as ``weak-notrump`` and ``acol:strong-two=off``.

    Parameters
    ----------
    words : sequence of str
        ``NAME``, ``NAME=on`` or ``NAME=off``, for the systems that have it; with ``SYSTEM:`` in
        front for that one, by its name or by its number from 1 on. ``@FILE`` are all options of a
        card that :func:`~bidcascade.systems.book.convention_card.print_card` wrote.
    systems : sequence of (str, str or Path)
        Name and what :func:`.registry.open_system` opens for it; those that are no systems have
        no options.

    Returns
    -------
    list of dict
        For each of the systems what ``options`` of :func:`.registry.open_system` take.

    Raises
    ------
    InvalidSystem
        If no system has the option, there is none of that name, or a card is of another text.

    Examples
    --------
    >>> chosen_options([], [("sayc", "sayc"), ("acol", "acol")])
    [{}, {}]
    """
    chosen: list[dict[str, bool]] = [{} for _ in systems]
    for word in words:
        whose, at, card = word.partition("@")
        if at and (not whose or whose.endswith(":")):
            _take_card(card, whose[:-1], systems, chosen)
            continue
        named, equals, value = word.partition("=")
        whose, _, name = named.rpartition(":")
        if not name or (equals and value.lower() not in _SWITCHES):
            raise InvalidSystem(f"expected an option as [SYSTEM:]NAME[=on|=off], got {word!r}")
        there: list[str] = []
        found = False
        for number, (system, path) in enumerate(systems):
            if not _is_meant(whose, number, system, path):
                continue
            # one that the text lacks is no mistake while another one has it
            has = open_system(path).text.options
            there += (one for one in has if one not in there)
            if name in has:
                chosen[number][name] = _SWITCHES[value.lower()] if equals else True
                found = True
        if not found:
            from .language.errors import nearest

            near = nearest(name, there)
            names = ", ".join(system for system, path in systems if is_system(path)) or "none"
            raise InvalidSystem(
                f"expected an option of the system{'s' * (len(systems) > 1)} {names} "
                f"({', '.join(sorted(there)) or 'none'}), got {word!r}"
                + (f"; did you mean {near!r}" if near else "")
            )
    return chosen


def _is_meant(whose: str, number: int, system: str, path: "str | Path") -> bool:
    return is_system(path) and whose in ("", system, str(path), str(number + 1))


def _take_card(
    card: str,
    whose: str,
    systems: "Sequence[tuple[str, str | Path]]",
    chosen: list[dict[str, bool]],
) -> None:
    """Take the options of a card for the one system that it is of."""
    from .book.convention_card import options_of_card

    meant = [
        number
        for number, (system, path) in enumerate(systems)
        if _is_meant(whose, number, system, path)
    ]
    if len(meant) != 1:
        raise InvalidSystem(
            f"expected one system for the card {card!r}, as SYSTEM:@FILE, got {len(meant)}"
        )
    chosen[meant[0]] |= options_of_card(card, systems[meant[0]][1])
