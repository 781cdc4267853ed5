"""Conditions joined, in the one form that the tree has: flat, and never with a single part."""

from collections.abc import Iterable, Iterator

from .syntax_tree import AllOf, AnyOf, Condition, NotThis, Phrase


def all_of(parts: Iterable[Condition]) -> Condition:
    """Conditions joined by ``and``."""
    return _joined(AllOf, parts)


def any_of(parts: Iterable[Condition]) -> Condition:
    """Conditions joined by ``or``."""
    return _joined(AnyOf, parts)


def _joined(kind: type[AllOf] | type[AnyOf], parts: Iterable[Condition]) -> Condition:
    flat: list[Condition] = []
    for part in parts:
        if isinstance(part, kind):
            flat += part.parts
        else:
            flat.append(part)
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def phrases_of(condition: Condition | None) -> Iterator[Phrase]:
    """All phrases of a condition, from left to right."""
    if isinstance(condition, Phrase):
        yield condition
    elif isinstance(condition, NotThis):
        yield from phrases_of(condition.part)
    elif condition is not None:
        for part in condition.parts:
            yield from phrases_of(part)
