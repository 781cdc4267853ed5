"""The catalogue of phrases as data, for the engine that reads in the browser.

``build_backend/language_data.py`` writes it as a module of JavaScript.
"""

import re
from typing import Any

from bidcascade.systems.language.shipped import WORDS, shipped_conventions, shipped_defines
from bidcascade.systems.language.tree.syntax_tree import (
    AGREEMENTS,
    OTHER,
    ROLES,
    SUIT_OF_SIGN,
    SUIT_WORDS,
    VARIABLES,
)
from bidcascade.systems.language.words.phrases import (
    AUCTION,
    BOTH_HANDS,
    COUNTED,
    DESCRIBED,
    HAND,
    KIND_OF_WORDS,
    LENGTHS,
    OF_CARDS,
    PLAYERS_WORDS,
    SAID_BY_WORDS,
    PhraseKind,
    denied_by_no,
    template,
    words_of_terminals,
)
from bidcascade.systems.language.words.rewordings import ADVISED, AGREED, REWORDED

from .call_builder import NUMBER_WORDS


def phrases_data() -> dict[str, Any]:
    """Rows of the catalogue and the words of the tree; a row has what is not empty."""
    kind_of_words: dict[str, dict[str, str]] = {}
    for (terminal, words), kind in KIND_OF_WORDS.items():
        kind_of_words.setdefault(terminal, {})[words] = kind
    return {
        "suitWords": SUIT_WORDS,
        "suitOfSign": SUIT_OF_SIGN,
        "variables": VARIABLES,
        "other": OTHER,
        "roles": ROLES,
        "agreements": AGREEMENTS,
        "numberWords": NUMBER_WORDS,
        "lengths": {name: [found.low, found.high] for name, found in LENGTHS.items()},
        "counted": [_kind(row) for row in COUNTED],
        "hand": [_kind(row) for row in HAND],
        "auction": [_kind(row) for row in AUCTION],
        "bothHands": [_kind(row) for row in BOTH_HANDS],
        "saidByWords": SAID_BY_WORDS,
        "ofCards": OF_CARDS,
        "playersWords": PLAYERS_WORDS,
        "described": DESCRIBED,
        "kindOfWords": kind_of_words,
        "wordsOfTerminals": words_of_terminals(),
        "reworded": REWORDED,
        "advised": ADVISED,
        "agreed": AGREED,
        "wordsPage": WORDS,
        "shippedDefines": sorted(shipped_defines()),
        "shippedConventions": dict(shipped_conventions()),
    }


def _kind(row: PhraseKind) -> dict[str, Any]:
    measure = re.match(r"range ([A-Z_]+)\{", row.forms)
    fields = {
        "kind": row.kind,
        "most": row.most,
        "unit": row.unit,
        "default": row.default,
        "term": row.term,
        "shown": row.shown,
        "halves": row.halves,
        "measure": measure[1] if measure else "",
        "deniedByNo": denied_by_no(row),
        **_templates(row),
    }
    return {name: value for name, value in fields.items() if value}


def _templates(row: PhraseKind) -> dict[str, str]:
    try:
        many, one = template(row), template(row, 1)
    except (KeyError, StopIteration):
        # its words are written by a function of wording.py
        return {}
    return {"template": many, "one": one if one != many else ""}
