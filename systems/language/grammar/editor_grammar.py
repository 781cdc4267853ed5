"""The words of the language as a TextMate grammar, by which editors colour texts.

The form is https://macromates.com/manual/en/language_grammars, read by VS Code and others.
``build_backend/language_data.py`` writes it to ``editors/vscode``. Faults are found by the language
server.
"""

import re
from typing import Any, Final

from bidcascade.systems.language.words.phrases import (
    KIND_OF_WORDS,
    grammar_text,
    words_of_terminals,
)

SCOPE: Final = "source.bidding"
_SHAPE_OF_TEXT: Final = re.compile(r"^([A-Z_]+)(?:\.-?\d+)?: /(.*)/$", re.MULTILINE)
_OPENERS: Final = (
    "OPENING", "AFTER", "OVER", "WHEN", "GENERAL", "SYSTEM", "INCLUDE", "OPPONENTS_PLAY",
    "CONVENTION", "USE", "WITHOUT", "OPTION", "DEFINE",
)  # fmt: skip
_JOINING: Final = ("EITHER", "OR", "AND", "NOT")
_CALLS: Final = (
    "PASS", "DOUBLE", "REDOUBLE", "ANY_BID", "CHEAPEST", "JUMP", "DOUBLE_JUMP",
    "GAME_IN", "STEP", "NOTRUMP",
)  # fmt: skip
_AGREEMENTS: Final = ("AGREEMENT", "TRANSFER_TO", "PUPPET_TO", "RELAY_TO", "AGREES")
_SUITS: Final = ("SUIT", "VARIABLE", "ROLE", "SINGULAR", "MAJOR", "MINOR")
_NUMBERS: Final = ("SHAPE", "CARDED", "LEVEL", "SPAN", "PLUS", "NUMBER")


def textmate_grammar() -> dict[str, Any]:
    """Grammar of the language's words, from the tables that texts are read by.

    Examples
    --------
    >>> textmate_grammar()["scopeName"]
    'source.bidding'
    """
    shapes = dict(_SHAPE_OF_TEXT.findall(grammar_text()))
    name = f"{shapes['NAME']}|{shapes['BARE_NAME']}"
    phrases = {terminal for terminal, _ in KIND_OF_WORDS}
    patterns = [
        _piece("comment.line.double-dash", shapes["REMARK"]),
        {
            "match": rf"((?<!=)=(?!=)|^\s*{_words('EITHER', 'OR')})\s*({name})",
            "captures": {
                "1": {"name": "keyword.operator.bidding"},
                "2": {"name": "entity.name.function.bidding"},
            },
        },
        _piece("keyword.control", rf"^\s*(?:{_words('WITHOUT')}\s+)?{_words(*_OPENERS)}"),
        _piece("string.quoted.double", shapes["QUOTED"]),
        _piece("meta.embedded.expression", shapes["RAW"]),
        _piece("entity.name.tag", shapes["TAG"]),
        _piece("storage.modifier", rf"{_words(*_AGREEMENTS)}|\b(?:asks|shows|denies)\b"),
        _piece("support.constant.suit", _words(*_SUITS)),
        _piece("support.function.phrase", _words(*sorted(phrases - {*_CALLS}))),
        # behind the phrases that they stand in
        _piece("constant.other.call", rf"(?<![\w+]){shapes['BID']}"),
        _piece("constant.other.call", _words(*_CALLS)),
        _piece("constant.numeric", rf"(?<![\w+=-])(?:{'|'.join(shapes[one] for one in _NUMBERS)})"),
        _piece("keyword.operator", _words(*_JOINING)),
        _piece("keyword.operator", "(?<!=)=(?!=)"),
    ]
    return {
        "name": "bidding",
        "comment": "Written by build_backend/language_data.py",
        "scopeName": SCOPE,
        "fileTypes": ["bidding"],
        "patterns": patterns,
    }


def _piece(scope: str, match: str) -> dict[str, str]:
    return {"name": f"{scope}.bidding", "match": match}


def _words(*terminals: str) -> str:
    """Pattern of the words of terminals, the longest first, as whole words."""
    known = words_of_terminals()
    words = sorted(
        {word for one in terminals for word in known[one]}, key=lambda one: (-len(one), one)
    )
    pattern = "|".join(re.escape(word).replace(r"\ ", " ") for word in words)
    return rf"(?<![\w'’-])(?:{pattern})(?![\w'’-])"
