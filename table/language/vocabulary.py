"""The vocabulary: which names an expression may use, and what each of them means.

Besides the terms that kernels compute there are aliases (``Stop_In_S``), terms of the user's own
(``Playing_Strength = HCP + SL_S``) and tags: remarks about the auction such as
``Forcing_One_Round``, which an entry carries and no hand is tested by.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from bidcascade.bridge import InvalidExpression, InvalidTable, UnknownTerm
from bidcascade.kernels import PROFILES, term_is_boolean, term_names, term_range

from .expression_tree import terms_of
from .expressions import KEYWORDS, parse_expression
from .lowering import Lowered, lower
from .term_catalogue import ALIASES, FAMILIES, SUIT_NAMES

_TAG: Final = re.compile(
    r"Forcing(_[A-Za-z0-9]+)*|Opponents_Cannot_Play_Undoubled_Below_[1-7](C|D|H|S|NT?)"
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WITH_SEAT: Final = re.compile(r"(.+)_[NEW](?:_([CDHS]))?|(.+)_S_([CDHS])")

TermKind = Literal["number", "truth value", "alias", "user term", "tag"]


@dataclass(frozen=True, slots=True)
class TermDescription:
    """What a name means, for people.

    Parameters
    ----------
    low, high : float or None
        Smallest and largest value; None for a tag.
    definition : str
        The expression an alias or user term stands for, else empty.
    difference : str
        How the mlbridge profile differs from gib, else empty.
    """

    name: str
    kind: TermKind
    meaning: str
    low: float | None = None
    high: float | None = None
    definition: str = ""
    difference: str = ""
    source: str = ""


class Vocabulary:
    """The terms of one definition profile, with aliases and the user's own terms.

    Parameters
    ----------
    profile : str
        ``gib`` or ``mlbridge``.
    user_terms : mapping of str to str
        Name to formula over other terms, in any order, without a circle.

    Raises
    ------
    InvalidTable
        If the profile does not exist.
    InvalidExpression
        If a user term's name is taken or malformed, or its formula does not parse or is circular.
    UnknownTerm
        If a formula names a term that is neither known nor defined.

    Examples
    --------
    >>> vocabulary = Vocabulary(user_terms={"Playing_Strength": "HCP + SL_S"})
    >>> "Playing_Strength" in vocabulary, "Stop_In_C" in vocabulary, "Hcp" in vocabulary
    (True, True, False)
    >>> vocabulary.range("Playing_Strength")
    (0, 50)
    """

    def __init__(self, profile: str = "gib", user_terms: Mapping[str, str] | None = None) -> None:
        if profile not in PROFILES:
            raise InvalidTable(f"expected a profile of {', '.join(PROFILES)}, got {profile!r}")
        self.profile = profile
        self.user_terms: Mapping[str, str] = dict(user_terms or {})
        # profile and user's terms decide all meanings
        self._meanings = profile, frozenset(self.user_terms.items())
        self._lowered = {name: _kernel_term(name, profile) for name in term_names(profile)}
        for name, formula in _alias_formulas().items():
            self._lowered[name] = lower(parse_expression(formula), self)
        self._define(self.user_terms)

    def _define(self, user_terms: Mapping[str, str]) -> None:
        """Lower the user's terms, those first that others are made of."""
        if not user_terms:
            return
        from graphlib import CycleError, TopologicalSorter

        parts: dict[str, list[str]] = {}
        for name, formula in user_terms.items():
            self._check_new_name(name)
            try:
                used = terms_of(parse_expression(formula))
            except InvalidExpression as error:
                raise InvalidExpression(f"user term {name!r}: {error}") from None
            parts[name] = [part for part in used if part in user_terms]
        try:
            order = list(TopologicalSorter(parts).static_order())
        except CycleError as error:
            circle = " -> ".join(reversed(error.args[1]))
            raise InvalidExpression(f"expected user terms without a circle, got {circle}") from None
        for name in order:
            try:
                self._lowered[name] = lower(parse_expression(user_terms[name]), self)
            except UnknownTerm as error:
                raise UnknownTerm(f"user term {name!r}: {error}") from None
            except InvalidExpression as error:
                raise InvalidExpression(f"user term {name!r}: {error}") from None

    def _check_new_name(self, name: str) -> None:
        if not _NAME.fullmatch(name) or name in KEYWORDS:
            raise InvalidExpression(
                f"expected a user term's name of letters, digits and _, got {name!r}"
            )
        if name in self._lowered or self.is_tag(name):
            raise InvalidExpression(
                f"expected a new name for a user term, got {name!r}, which is known already"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._meanings == other._meanings

    def __hash__(self) -> int:
        return hash(self._meanings)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._lowered or self.is_tag(name))

    def __repr__(self) -> str:
        return f"Vocabulary({self.profile!r}, user_terms={dict(self.user_terms)!r})"

    @property
    def names(self) -> tuple[str, ...]:
        """All names but tags: kernel terms, aliases, user terms."""
        return tuple(self._lowered)

    def is_tag(self, name: str) -> bool:
        """Tell whether a name is a remark about the auction, never a test of a hand.

        Examples
        --------
        >>> Vocabulary().is_tag("Opponents_Cannot_Play_Undoubled_Below_2N")
        True
        """
        return _TAG.fullmatch(name) is not None

    def is_pattern(self, name: str) -> bool:
        """Tell whether a name is a hand's shape, which compares with shapes alone.

        Examples
        --------
        >>> Vocabulary().is_pattern("Pattern")
        True
        """
        return name == "Pattern"

    def lowered_term(self, name: str) -> Lowered:
        """Tree of a term for the kernels, with unit and bounds.

        Raises
        ------
        UnknownTerm
            If the name is unknown; the message names the nearest known one.
        InvalidExpression
            If the name is a tag.
        """
        lowered = self._lowered.get(name)
        if lowered is not None:
            return lowered
        if self.is_tag(name):
            raise InvalidExpression(
                f"expected a term, got {name!r}, a remark about the auction "
                "that can only stand on its own"
            )
        raise UnknownTerm(f"unknown term {name!r}{self._suggestion(name)}")

    def _suggestion(self, name: str) -> str:
        nearest = self.nearest(name)
        with_seat = _WITH_SEAT.fullmatch(name[:100])
        if with_seat:
            suit = with_seat[2] or with_seat[4]
            own = (with_seat[1] or with_seat[3]) + (f"_{suit}" if suit else "")
            if own in self:
                return f"; a term is about the bidder's own hand, write {own!r}"
        return f"; did you mean {nearest!r}?" if nearest else ""

    def nearest(self, name: str) -> str | None:
        """Known name that looks most like ``name``, or None if none does.

        Examples
        --------
        >>> Vocabulary().nearest("stoper_s")
        'Stopper_S'
        """
        from difflib import get_close_matches

        by_lower = {known.lower(): known for known in self._lowered}
        close = get_close_matches(name[:100].lower(), by_lower, n=1, cutoff=0.6)
        return by_lower[close[0]] if close else None

    def range(self, name: str) -> tuple[int, int]:
        """Smallest and largest value of a term in the kernels' unit (``QT`` counts halves).

        Examples
        --------
        >>> Vocabulary().range("QT")
        (0, 16)
        """
        lowered = self.lowered_term(name)
        return lowered.low, lowered.high

    def scale(self, name: str) -> int:
        """2 for a term that the kernels count in halves, else 1."""
        return self.lowered_term(name).scale

    def is_boolean(self, name: str) -> bool:
        """Tell whether a term is a truth value."""
        return self.lowered_term(name).boolean

    def describe(self, name: str) -> TermDescription:
        """Explain a name to people.

        Examples
        --------
        >>> Vocabulary().describe("SL_S").meaning
        'number of cards in spades'
        """
        if self.is_tag(name):
            return TermDescription(name, "tag", "remark about the auction; no test of a hand")
        lowered = self.lowered_term(name)
        low, high = lowered.low / lowered.scale, lowered.high / lowered.scale
        if name in self.user_terms:
            formula = self.user_terms[name]
            return TermDescription(name, "user term", formula, low, high, formula, "", "user")
        formula = _alias_formulas().get(name, "")
        if formula:
            return TermDescription(
                name, "alias", f"same as {formula}", low, high, formula, "", _alias_source(name)
            )
        family = next(family for family in FAMILIES if name in family.names)
        suit = SUIT_NAMES.get(name[2:3] if family.stem == "C" else name[-1:], "")
        return TermDescription(
            name,
            "truth value" if lowered.boolean else "number",
            family.meaning.replace("{suit}", suit),
            low,
            high,
            "",
            family.mlbridge,
            family.source,
        )


def parse_user_terms(text: str) -> dict[str, str]:
    """Read the user's terms: lines ``Name = formula``, with ``#`` comments.

    Raises
    ------
    InvalidExpression
        If a line has another form or a name comes twice; the message carries the line number.
    """
    user_terms: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        name, equals, formula = content.partition("=")
        name, formula = name.strip(), formula.strip()
        if not equals or not _NAME.fullmatch(name) or not formula or formula.startswith("="):
            raise InvalidExpression(
                f"line {number}: expected a term such as 'Strength = HCP + SL_S', got {line!r}"
            )
        if name in user_terms:
            raise InvalidExpression(f"line {number}: user term {name!r} is defined twice")
        user_terms[name] = formula
    return user_terms


def _kernel_term(name: str, profile: str) -> Lowered:
    low, high = term_range(name, profile)
    scale = 2 if name in ("QT", "Playing_Tricks") else 1
    return Lowered(("term", name), 1, scale, low, high, term_is_boolean(name))


@cache
def _alias_formulas() -> dict[str, str]:
    return {name: formula for alias in ALIASES for name, formula in alias.spelled_out().items()}


def _alias_source(name: str) -> str:
    return next(alias.source for alias in ALIASES if name in alias.spelled_out())
