"""PBN text cut into games: tag pairs, sections, notes and comments, with inheritance resolved.

Portable Bridge Notation 2.1 (T. Veugen), chapters 2-4: import format. Where files and standard
part, a game is found rather than lost: see :func:`split_games`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# One match a tag pair, comment, escaped line or piece of text; a tag takes the text behind it
# along, because almost always that is a line break or its own section.
_TOKEN = re.compile(
    r"""
      \[[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*"((?:[^"\\\n]|\\.)*)"[ \t]*\]([^\[{;%]*)
    | \[[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*"([^\n]*)"[ \t]*\](?=[ \t]*(?:\n|\Z))  # stray quotes
    | \{([^}]*)(?:\}|\Z)
    | ;([^\n]*)
    | ^%[^\n]*
    | ([^\[{;%]+|[\[%])
    """,
    re.VERBOSE | re.MULTILINE,
)
_ESCAPE = re.compile(r'\\(["\\#?])')
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TAG_IN_COMMENT = re.compile(r"^\[(?:Event|Board|Deal|Auction)[ \t]+\"", re.MULTILINE)

PLAYED_TAGS = frozenset({"Auction", "Play", "Contract", "Declarer", "Result", "Score"})
"""Tags that say what happened with a deal; any of them makes a game of a group of tags."""

_INHERITED_WITHOUT_DEAL = ("Deal", "Board", "Dealer", "Vulnerable", "Event")
_NO_TAGS: dict[str, str] = {}


class Game(NamedTuple):
    """The tags and sections of one game; escapes and inheritance are resolved."""

    number: int
    """1-based number of the record in the text."""
    tags: dict[str, str]
    sections: dict[str, str]
    """Text behind ``Auction``, ``Play`` and the tags that end in ``Table``."""
    notes: dict[str, str]
    """Texts of the ``Note`` tags by number; the auction's win over the play's."""
    comments: list[str]


class FreeText(NamedTuple):
    """A run of lines that is no part of any game."""

    number: int
    text: str


def unescape(text: str) -> str:
    r"""Resolve ``\"`` and ``\\`` (and our writer's ``\#``, ``\?``) in a tag value.

    Other backslashes stay: PBN writes suit signs as ``\S``.

    Examples
    --------
    >>> print(unescape(r"a \"big\" \S fit"))
    a "big" \S fit
    """
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _is_section(name: str) -> bool:
    return name in ("Auction", "Play") or name.endswith("Table")


class _Splitter:
    """State of one pass over a text."""

    def __init__(self) -> None:
        self.number = 0
        self.previous: dict[str, str] = {}
        self.previous_sections: dict[str, str] = {}
        self.lasting: dict[str, str] = {}
        self.free_text: list[str] = []
        self.clear()

    def clear(self) -> None:
        self.tags: dict[str, str] = {}
        self.sections: dict[str, str] = {}
        self.notes: dict[str, str] = {}
        self.play_notes: dict[str, str] = {}
        self.comments: list[str] = []
        self.section = ""
        self.substantial = False
        self.played = False

    def end_game(self) -> Iterator[Game]:
        """Give the game gathered so far, if there is one, and start anew."""
        if self.tags:
            self.number += 1
            yield self.resolve()
        else:
            # comments before the first tag belong to the game that follows
            comments = self.comments
            self.clear()
            self.comments = comments
            return
        self.clear()

    def end_free_text(self) -> Iterator[FreeText]:
        if self.free_text:
            text = "".join(self.free_text).strip()
            self.free_text.clear()
            self.number += 1
            yield FreeText(self.number, text)

    def resolve(self) -> Game:
        """Apply inheritance (PBN 4.8) and undo escapes."""
        given, sections = self.tags, self.sections
        tags: dict[str, str] = dict(self.lasting) if self.lasting else {}
        for name, value in given.items():
            if "\\" in value:
                tags[name] = unescape(value)
            elif value[:1] != "#":
                tags[name] = value
            elif value[:2] == "##":
                self.lasting[name] = tags[name] = value[2:]
            elif name in self.previous:
                tags[name] = self.previous[name]
                if name in self.previous_sections and not sections.get(name, "").strip():
                    sections[name] = self.previous_sections[name]
            else:
                tags[name] = ""
        if "Deal" not in given and self.played and "Deal" in self.previous:
            for name in _INHERITED_WITHOUT_DEAL:
                if name not in given and name in self.previous:
                    tags[name] = self.previous[name]
        self.previous = tags
        self.previous_sections = sections
        notes = self.notes
        if self.play_notes:
            notes = self.play_notes | notes
        return Game(self.number, tags, sections, notes, self.comments)

    def add_note(self, value: str) -> None:
        number, _, text = value.partition(":")
        notes = self.play_notes if self.section == "Play" else self.notes
        notes.setdefault(number.strip(), unescape(text.strip()))


def split_games(text: str) -> Iterator[Game | FreeText]:
    r"""Cut PBN text into games and runs of foreign text, in the order of their ends.

    A blank line ends a game that holds a ``Deal`` or any tag of :data:`PLAYED_TAGS`, except
    that ``Auction``, ``Play`` and the like may follow a bare deal behind a blank line. A tag
    that the game holds already starts the next one, so blank lines between games are not
    needed. A game without ``Deal`` but with something played is another table of the board
    before: it inherits deal, board, dealer, vulnerability and event. ``#`` repeats the value
    of the game before, ``##text`` holds for all games to come that lack the tag.

    Text that is neither tag, section nor comment comes out as :class:`FreeText`, one for all
    lines between two tags, with a record number of its own. A comment that is never closed,
    or that would swallow a game, ends with its line.

    Parameters
    ----------
    text : str
        Decoded text, any line ends.

    Examples
    --------
    >>> games = split_games('[Deal "a"]\n[Board "1"]\n\n[Deal "b"][Note "1: x"] {seen}\n')
    >>> [(game.number, game.tags["Deal"], game.notes) for game in games]
    [(1, 'a', {}), (2, 'b', {'1': 'x'})]
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith("\ufeff"):
        text = text[1:]
    state = _Splitter()
    after_blank = True
    position = 0
    end = len(text)
    while position < end:
        restart = end
        for match in _TOKEN.finditer(text, position):
            name, value, body, odd_name, odd_value, comment, remark, loose = match.groups()
            if odd_name is not None:
                name, value, body = odd_name, odd_value, ""
            if name is not None:
                if name == "Note":
                    state.add_note(value)
                else:
                    if state.free_text:
                        yield from state.end_free_text()
                    tags = state.tags
                    if state.substantial:
                        if name in tags or (
                            after_blank and (state.played or name not in PLAYED_TAGS)
                        ):
                            yield from state.end_game()
                            tags = state.tags
                    elif after_blank and name in tags:
                        yield from state.end_game()
                        tags = state.tags
                    tags[name] = value
                    state.section = ""
                    if name in PLAYED_TAGS:
                        state.substantial = state.played = True
                    elif name == "Deal":
                        state.substantial = True
                    if _is_section(name):
                        state.section = name
                        state.sections[name] = ""
                after_blank = False
                if body == "\n":
                    continue
                loose = body
            if comment is not None:
                if _TAG_IN_COMMENT.search(comment) or match.end() == end and text[end - 1] != "}":
                    # never closed: only this line is the comment
                    line_end = text.find("\n", match.start())
                    line_end = end if line_end < 0 else line_end
                    state.comments.append(text[match.start() + 1 : line_end].strip())
                    restart = line_end
                    break
                if after_blank and state.played:
                    # what stands behind the blank line speaks of the game to come
                    yield from state.end_game()
                if comment := comment.strip():
                    state.comments.append(comment)
                if state.section:
                    state.sections[state.section] += " "
            elif remark is not None:
                if remark := remark.strip():
                    state.comments.append(remark)
            elif loose:
                if state.section:
                    if blank := _BLANK_LINE.search(loose):
                        state.sections[state.section] += loose[: blank.start()]
                        state.section = ""
                        after_blank = True
                        loose = loose[blank.start() :]
                    else:
                        state.sections[state.section] += loose
                        continue
                if loose.isspace():
                    if loose.count("\n") > 1:
                        after_blank = True
                else:
                    state.free_text.append(loose)
                    after_blank = _BLANK_LINE.search(loose) is not None
        position = restart
    yield from state.end_game()
    yield from state.end_free_text()
