"""Conditions joined, in the one form that the tree has: flat, and never with a single part."""

from collections.abc import Iterable, Iterator

from .syntax_tree import AllOf, AnyOf, Condition, NotThis, Phrase


def all_of(parts: Iterable[Condition]) -> Condition:
    """Conditions joined by ``and``."""
    flat: list[Condition] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, AllOf) else (part,))
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(parts: Iterable[Condition]) -> Condition:
    """Conditions joined by ``or``."""
    flat: list[Condition] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, AnyOf) else (part,))
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def phrases_of(condition: Condition | None) -> Iterator[Phrase]:
    """All phrases of a condition, from left to right."""
    if isinstance(condition, Phrase):
        yield condition
    elif isinstance(condition, NotThis):
        yield from phrases_of(condition.part)
    elif condition is not None:
        for part in condition.parts:
            yield from phrases_of(part)
