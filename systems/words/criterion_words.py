"""Criteria in words: phrases of a line beside the formulas that they became.

A phrase such as ``good hearts`` is lowered to a formula of single cards and top honours, from which
nobody would read it back. So it travels with the criterion, with the part that it stands for. What
is counted (points, cards of a suit) needs no such words: its formula says the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.auctions.patterns import Bindings, letter_of
from bidcascade.systems.language.shipped import WORDS
from bidcascade.systems.language.tree.joining import phrases_of
from bidcascade.systems.language.tree.syntax_tree import (
    OTHER,
    AllOf,
    AnyOf,
    Condition,
    Define,
    NotThis,
    Phrase,
)
from bidcascade.systems.language.words.phrases import (
    KINDS,
    OF_CARDS,
    PLAYERS_WORDS,
    SAID_BY_WORDS,
    denied_by_no,
)
from bidcascade.systems.language.words.wording import call_text, condition_text
from bidcascade.systems.places.formulas import conjunction, disjunction, negation
from bidcascade.systems.places.places import PlaceEntry
from bidcascade.table.language.expression_tree import (
    And,
    Expression,
    Or,
    Truth,
    operands_of,
    terms_of,
)
from bidcascade.table.language.term_catalogue import FAMILIES, SUIT_NAMES

from .describing import bound_condition

Lower = Callable[[Condition, Bindings], Expression]
"""Gives the expression that a condition becomes at a place, under bindings."""

_DEEPEST: Final = 32
"""Definitions within definitions, as in the core."""
_SUIT_OF: Final = {
    name: name.removeprefix(family.stem)[1]
    for family in FAMILIES
    if family.names != (family.stem,)
    for name in family.names
}
"""Suit letters of the terms that have one."""


class PhraseWords(NamedTuple):
    """A phrase of a line with its suit put in, and the expression that it became."""

    text: str
    expression: Expression


def words_of_criteria(
    entry: PlaceEntry, defines: Mapping[str, Define], lower: Lower
) -> dict[Expression, list[PhraseWords]]:
    """Find the phrases that criteria of an entry are made of; none for what formulas say.

    Parameters
    ----------
    entry
    defines
        Of the system that the entry is of.
    lower
        Gives what a condition becomes at the entry's place.

    Examples
    --------
    >>> from bidcascade.systems.system import System
    >>> system = System.parse('''
    ... include "words.bidding"
    ... opening:
    ...   2H = Weak two: 6-10 points, 6 hearts, good hearts
    ... ''')
    >>> reader = system.reader()
    >>> found = words_of_criteria(
    ...     system.place(()).entries[0],
    ...     system.rules.defines,
    ...     lambda condition, bindings: reader.lowered(condition, (), bindings))
    >>> [(str(one), [words.text for words in some]) for one, some in found.items()]
    [('Top3_H >= 2 or Top5_H >= 3', ['good hearts'])]
    """
    if entry.phrases is None:
        # no part of what the entry is; frozen for all else
        found = _phrases_of(entry, _Phrases(defines, lower, entry.criteria, SAID_BY_WORDS))
        object.__setattr__(entry, "phrases", found)
    assert entry.phrases is not None
    return entry.phrases


def _phrases_of(entry: PlaceEntry, walk: "_Phrases") -> dict[Expression, list[PhraseWords]]:
    """Phrases by the criteria of an entry that they are part of."""
    found: dict[Expression, list[PhraseWords]] = {}
    if entry.condition is not None:
        for words in walk.of(entry.condition, entry.bindings):
            for criterion in criteria_with(words.expression, entry.criteria):
                known = found.setdefault(criterion, [])
                if words not in known:
                    known.append(words)
    return found


def honours_of(entry: PlaceEntry, defines: Mapping[str, Define], lower: Lower) -> tuple[str, ...]:
    """Words for the honours of suits that an entry asks for, beside points and cards of suits.

    Parameters are those of :func:`words_of_criteria`.
    """
    walk = _Phrases(defines, lower, entry.criteria, (*SAID_BY_WORDS, *OF_CARDS))
    return tuple(
        text
        for criterion, some in _phrases_of(entry, walk).items()
        if (text := _honours_text(criterion, [one for one in some if _is_of_honours(one)]))
    )


def _is_of_honours(words: PhraseWords) -> bool:
    return all(name.startswith(_HONOURS) for name in terms_of(words.expression))


def _honours_text(criterion: Expression, some: Sequence[PhraseWords]) -> str:
    """Words for a criterion that is phrases, one or several joined by "or"; else empty."""
    for words in some:
        whole = words.expression
        if criterion == whole or (isinstance(whole, And) and criterion in whole.operands):
            return words.text
    left = list(criterion.operands) if isinstance(criterion, Or) else []
    texts = []
    for words in some:
        whole = words.expression
        parts = whole.operands if isinstance(whole, Or) else (whole,)
        is_whole = isinstance(criterion, Or) and all(part in criterion.operands for part in parts)
        covered = [
            one
            for one in left
            if (is_whole and one in parts) or (isinstance(one, And) and whole in one.operands)
        ]
        if covered:
            texts.append(words.text)
            left = [one for one in left if one not in covered]
            if not left:
                return " or ".join(texts)
    return ""


_HONOURS: Final = ("Top", "C_")
"""Beginnings of the names of terms that look at honours of one suit."""


class _Phrases:
    """Walks a condition and the definitions that it names."""

    def __init__(
        self,
        defines: Mapping[str, Define],
        lower: Lower,
        criteria: Sequence[Expression],
        kinds: Sequence[str],
    ) -> None:
        """Kinds are those whose words are told where they stand by themselves."""
        self._kinds = kinds
        self._defines = defines
        self._lower = lower
        self._criteria = criteria

    def of(
        self, condition: Condition, bindings: Bindings, *, denied: bool = False, depth: int = 0
    ) -> Iterator[PhraseWords]:
        """Phrases that are told by their words; ``denied`` is whether they stand behind "not"."""
        match condition:
            case AllOf(parts) | AnyOf(parts):
                for part in parts:
                    yield from self.of(part, bindings, denied=denied, depth=depth)
            case NotThis(part):
                yield from self.of(part, bindings, denied=not denied, depth=depth)
            case Phrase(kind="named", text=name) if name in self._defines:
                yield from self._named(condition, bindings, denied=denied, depth=depth)
            case Phrase(kind=kind) if kind in self._kinds:
                yield from self._told(condition, bindings, denied=denied)

    def _named(
        self, phrase: Phrase, bindings: Bindings, *, denied: bool, depth: int
    ) -> Iterator[PhraseWords]:
        """Words of a name where players have some, else of what it is made of."""
        define = self._defines[phrase.text]
        if _players_words(define) or self._is_of_cards(define):
            told = list(self._told(phrase, bindings, denied=denied))
            yield from told
            if any(criteria_with(one.expression, self._criteria) for one in told):
                return
        letters = [letter_of(word, bindings) for word in phrase.suits]
        if depth == _DEEPEST or len(letters) != len(define.suits):
            return
        inner = dict(bindings)
        for name, letter in zip(define.suits, letters, strict=True):
            if letter is None:
                return
            inner.pop(OTHER.get(name, ""), None)
            inner[name] = letter
        yield from self.of(define.condition, inner, denied=denied, depth=depth + 1)

    def _is_of_cards(self, define: Define, depth: int = 0) -> bool:
        """Whether a definition looks at cards of its one suit alone."""
        return (
            len(define.suits) == 1
            and depth < _DEEPEST
            and all(
                one.suits == define.suits
                and (
                    one.kind in OF_CARDS
                    or (
                        one.kind == "named"
                        and one.text in self._defines
                        and self._is_of_cards(self._defines[one.text], depth + 1)
                    )
                )
                for one in phrases_of(define.condition)
            )
        )

    def _told(self, phrase: Phrase, bindings: Bindings, *, denied: bool) -> Iterator[PhraseWords]:
        """Words of a phrase; where its suit is a role, those of each suit that it stands for."""
        try:
            expression = self._lower(phrase, bindings)
        except InvalidSystem:
            # beside what decided the condition it was not lowered
            return
        if denied:
            expression = negation(expression)
        if isinstance(expression, Truth):
            return
        bound = bound_condition(phrase, bindings)
        assert isinstance(bound, Phrase)
        is_role = len(phrase.suits) == 1 and letter_of(phrase.suits[0], bindings) is None
        for letter, part in (_by_suit(expression) if is_role else {"": expression}).items():
            suits = (SUIT_NAMES[letter],) if letter else bound.suits
            yield PhraseWords(self._text(replace(bound, suits=suits), denied=denied), part)

    def _text(self, phrase: Phrase, *, denied: bool) -> str:
        """Words of a phrase as players say them, else as the text has them, with their article."""
        if phrase.kind == "named":
            words = _players_words(self._defines[phrase.text])
        else:
            words = PLAYERS_WORDS.get(phrase.kind, "")
        if words and not (denied and words.startswith("the ")):
            call = "" if phrase.call is None else call_text(phrase.call)
            told = words.format(suit="".join(phrase.suits), call=call)
            if not denied:
                return told
            return f"no {told[2:]}" if told.startswith("a ") else f"not {told}"
        if denied:
            return condition_text(NotThis(phrase))
        has_article = denied_by_no(KINDS[phrase.kind]) and phrase.kind != "two stoppers"
        return f"{'a ' * has_article}{condition_text(phrase)}"


def _players_words(define: Define) -> str:
    return PLAYERS_WORDS.get(define.name, "") if define.where.file == WORDS else ""


def _by_suit(expression: Expression) -> dict[str, Expression]:
    """Split an expression by the suits of its parts; whole, for no suit, where one has not one."""
    is_joined = isinstance(expression, And | Or)
    found: dict[str, list[Expression]] = {}
    for part in operands_of(expression) if is_joined else (expression,):
        suits = {_SUIT_OF.get(term, "") for term in terms_of(part)}
        found.setdefault(suits.pop() if len(suits) == 1 else "", []).append(part)
    if "" in found:
        return {"": expression}
    join = conjunction if isinstance(expression, And) else disjunction
    return {letter: join(parts) for letter, parts in found.items()}


def criteria_with(part: Expression, criteria: Sequence[Expression]) -> list[Expression]:
    """Give those of some criteria, which must all hold, that an expression is part of.

    Examples
    --------
    >>> from bidcascade.table.language.expressions import parse_expression
    >>> criteria = [parse_expression(one) for one in ("C_HA or C_HK or HCP >= 15", "SL_H >= 5")]
    >>> [str(one) for one in criteria_with(parse_expression("C_HA or C_HK"), criteria)]
    ['C_HA or C_HK or HCP >= 15']
    """
    if isinstance(part, And) and set(part.operands) <= set(criteria):
        return list(part.operands)
    return [one for one in criteria if _contains(one, part)]


def _contains(whole: Expression, part: Expression) -> bool:
    if whole == part:
        return True
    both_and = isinstance(whole, And) and isinstance(part, And)
    if both_and or (isinstance(whole, Or) and isinstance(part, Or)):
        joined, wanted = operands_of(whole), operands_of(part)
        if all(one in joined for one in wanted):
            return True
    return any(_contains(one, part) for one in operands_of(whole))
