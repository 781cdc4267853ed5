"""Options of a text: which of them hold, what they are called, and what they depend on.

The one definition of it for commands, service and page; ``engine/language/options.js`` of the page
is the same. An option *holds* if it is on and some of its lines count: one whose lines all stand
within another option that is off is not played, whatever is said of it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.errors import nearest
from bidcascade.systems.language.grammar.grammar import parse_statement
from bidcascade.systems.language.tree.statements import Item, OptionStatement, UseStatement
from bidcascade.systems.language.tree.syntax_tree import OptionWords, SystemText

from .layout import RawItem

MOST_PLACES: Final = 10_000
"""Places of options that are looked at, those in conventions counted wherever they are used."""

_WORDS: Final = ("off", "on")
_STARTS: Final = ("option ", "without option ", "use ")

Around = tuple[tuple[str, bool], ...]
"""Options that lines stand in, the outermost first, and whether each has to be on."""


class OptionPlace(NamedTuple):
    """Lines that an option decides about, and the options that they stand in themselves."""

    name: str
    around: Around


class Node(NamedTuple):
    """An option's lines, or a convention that is used (``uses``), with what stands below."""

    name: str
    is_on: bool
    below: "tuple[Node, ...]"
    has_lines: bool = False
    uses: bool = False


def nodes_of(items: Iterable[Item]) -> tuple[Node, ...]:
    """Options and uses of conventions among statements."""
    found: list[Node] = []
    for item in items:
        below = nodes_of(item.below) if item.below else ()
        found += _node(item.statement, below, has_lines=item.had_below)
    return tuple(found)


def raw_nodes(items: Iterable[RawItem]) -> tuple[Node, ...]:
    """Find the same in the body of a convention, which is read where it is used."""
    found: list[Node] = []
    for raw in items:
        below = raw_nodes(raw.below) if raw.below else ()
        read = raw.line.text.startswith(_STARTS)
        statement = parse_statement(raw.line.text).statement if read else None
        found += _node(statement, below, has_lines=bool(raw.below))
    return tuple(found)


def _node(statement: object, below: tuple[Node, ...], *, has_lines: bool) -> tuple[Node, ...]:
    if isinstance(statement, OptionStatement):
        return (Node(statement.name, not statement.without, below, has_lines),)
    if isinstance(statement, UseStatement):
        return (Node(statement.name, is_on=True, below=(), uses=True),)
    return below


def places_of(nodes: Iterable[Node], bodies: Mapping[str, tuple[Node, ...]]) -> list[OptionPlace]:
    """Places of options in the order of the text; ``bodies`` are those of conventions by name."""
    matters = {name for name in bodies if _has_options(name, bodies, set())}
    found: list[OptionPlace] = []

    def walk(some: Iterable[Node], around: Around, using: tuple[str, ...]) -> None:
        for node in some:
            if len(found) >= MOST_PLACES:
                return
            if node.uses:
                if node.name in matters and node.name not in using:
                    walk(bodies[node.name], around, (*using, node.name))
                continue
            if node.has_lines:
                found.append(OptionPlace(node.name, around))
            walk(node.below, (*around, (node.name, node.is_on)), using)

    walk(nodes, (), ())
    return found


def _has_options(name: str, bodies: Mapping[str, tuple[Node, ...]], seen: set[str]) -> bool:
    waiting = [name]
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        for node in _flat(bodies.get(here, ())):
            if not node.uses:
                return True
            waiting.append(node.name)
    return False


def _flat(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _flat(node.below)


# ---------------------------------------------------------------------- what the text says
def stated_options(
    statements: Iterable[OptionStatement], included: Callable[[str], frozenset[str]]
) -> tuple[dict[str, bool], dict[str, OptionWords]]:
    """Say which options the text has on, and what it calls them.

    Who includes a file has the say over what stands in it, wherever the ``include`` stands. Of
    several statements that are left the last one says whether the option is on, and the first one
    what it is called.

    Parameters
    ----------
    statements
        All of a text without ``without option``, in the order in which they were read.
    included
        Names of all files that a file includes, itself or by others.
    """
    by_name: dict[str, list[OptionStatement]] = {}
    for one in statements:
        by_name.setdefault(one.name, []).append(one)
    values: dict[str, bool] = {}
    words: dict[str, OptionWords] = {}
    for name, some in by_name.items():
        deciding = _having_the_say([one for one in some if one.default is not None], included)
        values[name] = bool(deciding and deciding[-1].default)
        titled = [one for one in some if one.title] or [one for one in some if one.remark]
        telling = (_having_the_say(titled, included) or some)[0]
        words[name] = OptionWords(
            telling.title or title_of(name), telling.remark, {}, some[0].where
        )
    return values, words


def _having_the_say(
    statements: list[OptionStatement], included: Callable[[str], frozenset[str]]
) -> list[OptionStatement]:
    files = set(map(attrgetter("where.file"), statements))
    under = {file for file in files if any(file in included(other) for other in files - {file})}
    return [one for one in statements if one.where.file not in under]


def title_of(name: str) -> str:
    """Make a title of a name that has none.

    Examples
    --------
    >>> title_of("weak-notrump")
    'Weak notrump'
    """
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]


# ---------------------------------------------------------------------- what is chosen
def chosen_values(
    stated: Mapping[str, bool], places: Iterable[OptionPlace], chosen: Mapping[str, bool]
) -> dict[str, bool]:
    """Values of all options where some are chosen.

    One that is turned on turns those on (or off) within which its lines stand.

    Raises
    ------
    InvalidSystem
        If there is no such option, or those around it are chosen otherwise.
    """
    values, fixed = dict(stated), dict(chosen)
    for name in chosen:
        if name not in stated:
            near = nearest(name, stated)
            there = ", ".join(sorted(stated)) or "none"
            raise InvalidSystem(
                f"expected an option of the system ({there}), got {name!r}"
                + (f"; did you mean {near!r}" if near else "")
            )
    values |= fixed
    around: dict[str, list[Around]] = {}
    for place in places:
        around.setdefault(place.name, []).append(place.around)
    turned_on = sorted(one for one, is_on in chosen.items() if is_on)
    for name in turned_on:
        ways = around.get(name, [()])
        if any(_counts(way, values) for way in ways):
            continue
        possible = next((way for way in ways if _may_count(way, fixed)), ())
        values |= possible
        fixed |= possible
    for name in turned_on:
        ways = around.get(name, [()])
        if any(_counts(way, values) for way in ways):
            continue
        # a place that wants an option both on and off is none
        against = (one for way in ways if _may_count(way, {}) for one in way)
        for other, is_on in against:
            if values.get(other, False) is not is_on:
                raise InvalidSystem(
                    f"expected option {other!r} {_WORDS[is_on]}, got it {_WORDS[not is_on]}: "
                    f"option {name!r}, which is on, stands within it"
                )
    return values


def _counts(around: Around, values: Mapping[str, bool]) -> bool:
    return all(values.get(name, False) is is_on for name, is_on in around)


def _may_count(around: Around, fixed: Mapping[str, bool]) -> bool:
    needed = dict(around)
    return all(fixed.get(name, is_on) is is_on for name, is_on in around) and all(
        needed[name] is is_on for name, is_on in around
    )


def held_options(values: Mapping[str, bool], places: Iterable[OptionPlace]) -> dict[str, bool]:
    """Which options hold, of all that the text has."""
    reached: dict[str, bool] = {}
    for place in places:
        reached[place.name] = reached.get(place.name, False) or _counts(place.around, values)
    return {name: is_on and reached.get(name, True) for name, is_on in values.items()}


def within_of(places: Iterable[OptionPlace]) -> dict[str, dict[str, bool]]:
    """Name the options that each one's lines stand in; none where some stand by themselves."""
    found: dict[str, dict[str, bool]] = {}
    for name, around in places:
        known = found.setdefault(name, dict(around))
        if known and not around:
            found[name] = {}
    return found


def option_rows(text: SystemText) -> list[dict[str, Any]]:
    """Say all of the options of a text, as service, command and page tell it.

    Returns
    -------
    list of dict
        ``name``; ``title`` and ``about``, what players call it and a line of what it is; ``on``,
        whether it holds; ``within``, the options that its lines stand in, by name.
    """
    return [
        {
            "name": name,
            "title": words.title,
            "about": words.about,
            "on": text.options[name],
            "within": dict(words.within),
        }
        for name, words in text.option_words.items()
    ]


def turned(
    chosen: Mapping[str, bool], words: Mapping[str, OptionWords], name: str, *, is_on: bool
) -> dict[str, bool]:
    """Turn an option on or off: those choices are left out that it makes impossible.

    Examples
    --------
    >>> from bidcascade.systems.language.tree.syntax_tree import NOWHERE
    >>> words = {"queen-ask": OptionWords("Queen", "", {"keycards": True}, NOWHERE)}
    >>> turned({"queen-ask": True}, words, "keycards", is_on=False)
    {'keycards': False}
    """
    within = {one: found.within for one, found in words.items()}
    needed = {**(within.get(name, {}) if is_on else {}), name: is_on}

    def agrees(one: str) -> bool:
        others = within.get(one, {})
        return all(others.get(other, wanted) is wanted for other, wanted in needed.items())

    kept = {
        one: needed.get(one, value) for one, value in chosen.items() if not value or agrees(one)
    }
    return kept | {name: is_on}
