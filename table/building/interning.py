"""Texts, expressions and criteria lists by number: each distinct one is checked and kept once."""

from collections import Counter
from typing import Final, Literal, TypeAlias

from bidcascade.bridge import InvalidExpression, InvalidTable, UnknownTerm
from bidcascade.table.language.expressions import parse_expression, terms_of, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary

UnknownPolicy: TypeAlias = Literal["error", "drop", "reject-entry"]
UNKNOWN_POLICIES: Final[tuple[UnknownPolicy, ...]] = ("error", "drop", "reject-entry")

REJECTED: Final = -1
"""Number given to a criteria list whose row must not become an entry."""


class TextInterner:
    """Numbers for texts; the empty text is number 0."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def number(self, text: str, row: int) -> int:
        """Give the number of a text; raises InvalidTable if UTF-8 cannot hold it."""
        known = self.numbers.get(text)
        if known is not None:
            return known
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidTable(
                f"row {row}: expected text that UTF-8 can hold, got {text[:60]!r}: {error.reason}"
            ) from None
        return self.numbers.setdefault(text, len(self.numbers))

    @property
    def texts(self) -> list[str]:
        """All texts by number."""
        return list(self.numbers)


class TagInterner:
    """Numbers for sets of tags, kept in the order written; no tags is number 0."""

    def __init__(self, texts: TextInterner) -> None:
        self._texts = texts
        self._numbers: dict[tuple[str, ...], int] = {(): 0}
        self.sets: list[tuple[int, ...]] = [()]

    def number(self, tags: tuple[str, ...], row: int) -> int:
        """Give the number of a set of tags."""
        known = self._numbers.get(tags)
        if known is not None:
            return known
        self.sets.append(tuple(self._texts.number(tag, row) for tag in tags))
        return self._numbers.setdefault(tags, len(self._numbers))


class CriteriaInterner:
    """Numbers for criteria lists as written, after a check of every expression.

    Parameters
    ----------
    vocabulary : Vocabulary
        The terms there are.
    unknown : {"error", "drop", "reject-entry"}
        What an unknown term does: an error that names all of them (raised by :meth:`finish`),
        the expression is left out, or the row is refused.
    """

    def __init__(self, vocabulary: Vocabulary, unknown: UnknownPolicy) -> None:
        if unknown not in UNKNOWN_POLICIES:
            raise InvalidTable(
                f"expected unknown to be one of {', '.join(UNKNOWN_POLICIES)}, got {unknown!r}"
            )
        self.vocabulary = vocabulary
        self.unknown = unknown
        self.expressions: dict[str, int] = {}
        """Canonical text to number."""
        self.lists: dict[tuple[int, ...], int] = {(): 0}
        """Criteria list (expression numbers in the order written) to number; 0 is empty."""
        self.unknown_terms: Counter[str] = Counter()
        """Rows in which each unknown term stands."""
        self.first_rows: dict[str, int] = {}
        """Number of the row in which each unknown term stood first."""
        self.rows_with_unknown = 0
        self.expressions_dropped = 0
        self.with_unknown: dict[tuple[str, ...], tuple[str, ...]] = {}
        """Criteria lists as written that hold unknown terms, with those expressions."""
        self._by_text: dict[str, int | tuple[str, ...]] = {}
        self._written: dict[tuple[str, ...], int] = {(): 0}

    def number(self, criteria: tuple[str, ...], row: int, times: int = 1) -> int:
        """Give the number of a criteria list, or :data:`REJECTED`; ``times`` rows have it.

        Raises
        ------
        InvalidExpression
            If an expression does not parse; the message names the row.
        """
        known = self._written.get(criteria)
        if known is None:
            known = self._written[criteria] = self._intern(criteria, row)
        if self.with_unknown and criteria in self.with_unknown:
            self._count_unknown(criteria, row, times)
        return known

    def _intern(self, criteria: tuple[str, ...], row: int) -> int:
        numbers: list[int] = []
        refused: list[str] = []
        for text in criteria:
            number = self._expression(text, row)
            if isinstance(number, int):
                numbers.append(number)
            else:
                refused.append(text)
        if refused:
            self.with_unknown[criteria] = tuple(refused)
            if self.unknown != "drop":
                return REJECTED
        return self.lists.setdefault(tuple(numbers), len(self.lists))

    def _expression(self, text: str, row: int) -> int | tuple[str, ...]:
        """Give the number of an expression, or the unknown terms in it."""
        known = self._by_text.get(text)
        if known is None:
            try:
                expression = parse_expression(text)
                missing = tuple(t for t in terms_of(expression) if t not in self.vocabulary)
                if not missing:
                    to_postfix(expression, self.vocabulary)
            except UnknownTerm:
                raise
            except InvalidExpression as error:
                raise InvalidExpression(f"row {row}: {error}") from None
            known = missing or self.expressions.setdefault(str(expression), len(self.expressions))
            self._by_text[text] = known
        return known

    def _count_unknown(self, criteria: tuple[str, ...], row: int, times: int) -> None:
        refused = self.with_unknown[criteria]
        self.rows_with_unknown += times
        if self.unknown == "drop":
            self.expressions_dropped += len(refused) * times
        names = {name for text in refused for name in self._unknown_in(text)}
        for name in sorted(names):
            self.unknown_terms[name] += times
            self.first_rows.setdefault(name, row)

    def _unknown_in(self, text: str) -> tuple[str, ...]:
        known = self._by_text[text]
        return () if isinstance(known, int) else known

    def finish(self) -> None:
        """Raise UnknownTerm with all unknown names, if they are an error and there are any."""
        if self.unknown != "error" or not self.unknown_terms:
            return
        listed = []
        for name, count in self.unknown_terms.most_common():
            nearest = self.vocabulary.nearest(name)
            hint = f", did you mean {nearest!r}?" if nearest else ""
            listed.append(f"{name!r} (rows: {count:,}, first row {self.first_rows[name]}{hint})")
        raise UnknownTerm(f"expected terms of the vocabulary, got {'; '.join(listed)}")
