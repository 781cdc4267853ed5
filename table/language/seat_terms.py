"""Terms with a seat written in: ``HCP_N``, ``SL_N_S``, ``HCP_N + HCP_S >= 25``.

A term speaks of one hand; columns of a frame, and conditions on whole deals, must say whose. The
seat letter follows the term and goes before the suit (or card) it speaks of.
"""

import re
from functools import lru_cache, partial
from typing import Final

from bidcascade.bridge import SEATS, UnknownTerm

from .expression_tree import Expression, format_expression, rename_terms
from .lowering import Lowered, rename_tree_terms
from .vocabulary import Vocabulary

_SUIT_OR_CARD: Final = re.compile(r"_[CDHS][2-9TJQKA]?$")


def seat_term(term: str, seat: str) -> str:
    """Name of a term for the hand of a seat.

    Examples
    --------
    >>> seat_term("HCP", "N"), seat_term("SL_S", "N"), seat_term("C_CT", "W")
    ('HCP_N', 'SL_N_S', 'C_W_CT')
    """
    suit = _SUIT_OR_CARD.search(term)
    if suit is None:
        return f"{term}_{seat}"
    return f"{term[: suit.start()]}_{seat}{suit[0]}"


def seat_expression(expression: Expression, seat: str) -> str:
    """Text of an expression for the hand of a seat.

    Examples
    --------
    >>> from bidcascade.table import parse_expression
    >>> seat_expression(parse_expression("HCP >= 15 and SL_S >= 5"), "E")
    'HCP_E >= 15 and SL_E_S >= 5'
    """
    return format_expression(rename_terms(expression, partial(seat_term, seat=seat)))


class SeatVocabulary(Vocabulary):
    """A vocabulary whose names carry a seat, for conditions on whole deals.

    Parameters
    ----------
    base : Vocabulary
        The terms of one hand.

    Examples
    --------
    >>> SeatVocabulary(Vocabulary()).origin["SL_E_S"]
    ('SL_S', 1)
    """

    def __init__(self, base: Vocabulary) -> None:
        self.base = base
        self.origin: dict[str, tuple[str, int]] = {}
        """Term and seat (0-3) behind each name."""
        super().__init__(base.profile, base.user_terms)
        lowered: dict[str, Lowered] = {}
        for name in base.names:
            for seat, letter in enumerate(SEATS):
                self.origin.setdefault(seat_term(name, letter), (name, seat))
                term = base.lowered_term(name)
                tree = rename_tree_terms(term.tree, partial(seat_term, seat=letter))
                lowered[seat_term(name, letter)] = term._replace(tree=tree)
        self._lowered = lowered

    def lowered_term(self, name: str) -> Lowered:
        """Code of a term with its seat; see :meth:`Vocabulary.lowered_term`."""
        if name in self.base and name not in self._lowered:
            example = seat_term(name, "N")
            raise UnknownTerm(
                f"expected a seat with the term {name!r}, such as {example!r} for North"
            )
        return super().lowered_term(name)

    def is_pattern(self, name: str) -> bool:
        """Tell whether a name is the shape of a seat's hand."""
        own, _ = self.origin.get(name, (name, 0))
        return super().is_pattern(own)


def seat_vocabulary(vocabulary: Vocabulary) -> SeatVocabulary:
    """Give the names of a vocabulary with seats, made once."""
    return _seat_vocabulary(vocabulary.profile, tuple(vocabulary.user_terms.items()))


@lru_cache(maxsize=8)
def _seat_vocabulary(profile: str, user_terms: tuple[tuple[str, str], ...]) -> SeatVocabulary:
    return SeatVocabulary(Vocabulary(profile, dict(user_terms)))
