"""Entries in words: the condition of a line with the suits that it means at its place."""

from dataclasses import replace

from bidcascade.systems.language.auctions.patterns import Bindings, is_variable, letter_of
from bidcascade.systems.language.tree.joining import all_of
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    AllOf,
    AnyOf,
    CallPattern,
    Condition,
    NotThis,
    Phrase,
)
from bidcascade.systems.language.words.phrases import FACTS
from bidcascade.systems.language.words.wording import condition_text
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.systems.rows.text_rows import STANDS_FOR
from bidcascade.table.language.term_catalogue import SUIT_NAMES


def description_of(entry: PlaceEntry) -> str:
    r"""Kind and condition of an entry as a player reads them; empty where it asks nothing."""
    return _words(entry)[0]


def _words(entry: PlaceEntry) -> tuple[str, tuple[str, ...]]:
    """Words of an entry; made once, for they are the same for every hand."""
    if entry.words is None:
        condition = None if entry.condition is None else _without_facts(entry.condition)
        text = ""
        if condition is not None:
            text = condition_text(bound_condition(condition, entry.bindings))
        if entry.kind and entry.kind != entry.name:
            text = f"{entry.kind}: {text}" if text else entry.kind
        words = tuple(agreement_words(one, entry.bindings) for one in entry.agreements)
        # no part of what the entry is; frozen for all else
        object.__setattr__(entry, "words", (text, words))
    assert entry.words is not None
    return entry.words


def _without_facts(condition: Condition) -> Condition | None:
    """Keep what a condition asks of the hand, not what the auction has decided already."""
    if isinstance(condition, AllOf):
        parts = [part for one in condition.parts if (part := _without_facts(one)) is not None]
        return all_of(parts) if parts else None
    inner = condition.part if isinstance(condition, NotThis) else condition
    is_fact = isinstance(inner, Phrase) and inner.kind in FACTS - STANDS_FOR.keys()
    return None if is_fact else condition


def agreements_of(entry: PlaceEntry) -> tuple[str, ...]:
    """Agreements of an entry as texts, ``#tags`` with their sign."""
    return _words(entry)[1]


def tags_of(entry: PlaceEntry) -> tuple[str, ...]:
    """Those of :func:`agreements_of` that are tags; no other words of the entry are made."""
    return tuple(
        agreement_words(one, entry.bindings) for one in entry.agreements if one.kind == "tag"
    )


def agreement_words(agreement: Agreement, bindings: Bindings) -> str:
    """Words of one agreement, with its suits in place."""
    if agreement.kind == "tag":
        return f"#{agreement.text}"
    if agreement.condition is not None:
        return f"{agreement.kind} {condition_text(bound_condition(agreement.condition, bindings))}"
    if agreement.suit is not None:
        return f"{agreement.kind} {_suit(agreement.suit, bindings)}"
    return f"{agreement.kind} {agreement.text}".strip()


def bound_condition(condition: Condition, bindings: Bindings) -> Condition:
    """Replace the variables of a condition by the suits that they are bound to."""
    if isinstance(condition, AllOf | AnyOf):
        return type(condition)(tuple(bound_condition(part, bindings) for part in condition.parts))
    if isinstance(condition, NotThis):
        return NotThis(bound_condition(condition.part, bindings))
    return replace(
        condition,
        suits=tuple(_suit(word, bindings) for word in condition.suits),
        call=None if condition.call is None else _call(condition.call, bindings),
    )


def _suit(word: str, bindings: Bindings) -> str:
    letter = letter_of(word, bindings) if is_variable(word) else None
    return SUIT_NAMES.get(letter or "", word)


def _call(call: CallPattern, bindings: Bindings) -> CallPattern:
    strain = call.strain
    if strain is not None and is_variable(strain):
        letter = letter_of(strain, bindings)
        strain = {"N": "NT"}.get(letter or "", letter or strain)
    level = int(bindings["n"]) if call.level == 0 and "n" in bindings else call.level
    return replace(call, level=level, strain=strain)
