"""The parser that lark makes of ``bidding.lark``; ``bidding.json`` has its tables.

``build_backend/language_data.py`` writes them; reading a text needs neither this module nor lark.
"""

import re
from functools import cache
from typing import Final

from lark import Lark
from lark.lexer import PatternRE, TerminalDef

from bidcascade.systems.language.words.phrases import grammar_text

_WORDS: Final = re.compile(r"[A-Za-z0-9 (?:|)'’-]*[A-Za-z][A-Za-z0-9 (?:|)'’-]*")
_NOT_IN_A_WORD: Final = r"(?![\w'’-])"


@cache
def lark_parser() -> Lark:
    """Return the parser; it is made once, in about 0.2 s."""
    return Lark(
        grammar_text(),
        parser="lalr",
        start=["statement", "conditions", "agreements"],
        edit_terminals=whole_words,
        maybe_placeholders=True,
    )


def whole_words(terminal: TerminalDef) -> None:
    """Make a quoted word of the grammar stand for the whole word, with any number of blanks.

    ``"at most"`` becomes a pattern that reads ``at  most`` and not ``at mostly``. Patterns that
    the grammar writes between slashes stay as they are.
    """
    text = terminal.pattern.value.replace("\\ ", " ").replace("\\-", "-")
    if not _WORDS.fullmatch(text):
        return
    if isinstance(terminal.pattern, PatternRE) and not text.startswith("(?:"):
        return
    words = text.replace(" ", " +")
    terminal.pattern = PatternRE(f"(?:{words}){_NOT_IN_A_WORD}")
    terminal.priority = max(terminal.priority, 2)
