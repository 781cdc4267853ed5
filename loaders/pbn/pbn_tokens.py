"""PBN text cut into games: tag pairs, sections, notes and comments, with inheritance resolved.

Portable Bridge Notation 2.1 (T. Veugen), chapters 2-4: import format. Where files and standard
part, a game is found rather than lost: see :func:`split_games`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from bidcascade.loaders.frames.frame import reader_remark
from bidcascade.loaders.limits import LONGEST_RECORD, LONGEST_VALUE, MOST_TOKENS

# A group that comes again takes a kilobyte of memory each time unless it gives nothing back.
_LINE = r'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+'

# Stray quotes, up to where another tag begins: what is never closed is then searched once.
_STRAY = r'[^\n\[]*(?:\[(?!\s*[A-Za-z][A-Za-z0-9_]*\s*")[^\n\[]*){0,1000}'


def _token(text: str, most: str = "") -> re.Pattern[str]:
    """One match a tag pair, comment, escaped line or piece of text, as ``text`` describes it."""
    # a tag takes the text behind it along, because almost always that is a line break or its own
    # section; it may stand on several lines (chapter 3), its value too in some files
    behind, alone = (f"{{0,{most}}}", f"{{1,{most}}}") if most else ("*", "+")
    name = r"\[\s*([A-Za-z][A-Za-z0-9_]*)\s*"
    return re.compile(
        rf"""
          {name}"({_LINE})"\s*\]({text}{behind})
        | {name}"(
              {_STRAY}(?="[ \t]*\][ \t]*(?:\n|\Z))
            | {_LINE}(?:\n[ \t]*+(?=[^\[\n]){_LINE}){{1,1000}}
          )"\s*\]
        | (\{{)
        | ;([^\n]*)
        | ^%[^\n]*
        | ({text}{alone}|[\[%])
        """,
        re.VERBOSE | re.MULTILINE,
    )


_TOKEN = _token(r"[^\[{;%]")
# What a row has in quotes is text, whatever it holds; a quote that is never closed ends with the
# line, as pbn_travellers reads it.
_TABLE_TOKEN = _token(rf'(?:[^\[{{;%"]++|"{_LINE}(?:"|\\?(?=\n|\Z)))', "1000")
_ESCAPE = re.compile(r'\\(["\\#])')
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_OVER_LINES = re.compile(r"[ \t]*\n[ \t]*")
# No comment goes on beyond such a line: what starts one and does not end before it is broken.
_GAME_TAG = re.compile(r"\[(?:Event|Board|Deal|Auction)[ \t]+\"")
TAG_LINE = re.compile(r"^[ \t]*\[\s*[A-Za-z][A-Za-z0-9_]*\s*\"", re.MULTILINE)
_ZEROS = re.compile(rb"\b0+(?=\d)")

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
    travellers: Sequence[tuple[str, str]] = ()
    """Lines of its score tables, each with the name that :attr:`tags` has the columns under."""
    traveller_offset: int = 1
    """By how much the number of the first of them is above the game's."""
    refusal: str = ""
    """Why it is not read: it is beyond a limit; it has the first of its tags then."""


class Inheritance(NamedTuple):
    """What a game takes from those before it: all one needs to know to start reading there."""

    tags: dict[str, str]
    """Tags of the game before, for ``#`` and for another table of its board."""
    sections: dict[str, str]
    """Sections of the game before."""
    lasting: dict[str, str]
    """Values given by ``##``."""
    comments: tuple[str, ...]
    """Comments in front of the game."""
    notes: tuple[dict[str, str], dict[str, str]] = ({}, {})
    """Notes of the game before: those of its auction, and those of its play."""


class FreeText(NamedTuple):
    """A run of lines that is no part of any game."""

    number: int
    text: str


def unescape(text: str) -> str:
    r"""Resolve ``\"`` and ``\\`` (and our writer's ``\#``) in a tag value.

    Other backslashes stay: PBN writes suit signs as ``\S``.
    """
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


_OTHER, _OPENING, _DEAL, _PLAYED, _SECTION, _PLAYED_SECTION, _NOTE = range(7)
_OPENING_TAGS = frozenset(
    {"Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable"}
)


def _kind(name: str) -> int:
    if name in PLAYED_TAGS:
        return _PLAYED_SECTION if name in ("Auction", "Play") else _PLAYED
    if name in _OPENING_TAGS:
        return _OPENING
    if name.endswith("Table"):
        return _SECTION
    return {"Deal": _DEAL, "Note": _NOTE}.get(name, _OTHER)


class _Splitter:
    """State of one pass over a text."""

    def __init__(self, text: str, before: Inheritance | None) -> None:
        if before is None:
            before = Inheritance({}, {}, {}, ())
        self.plain_values = not before.lasting and '"#' not in text and _ESCAPE.search(text) is None
        self.number = 0
        self.previous = before.tags
        self.previous_sections = before.sections
        self.previous_notes = before.notes
        self.lasting = before.lasting.copy()
        self.free_text: list[str] = []
        self.free_text_number = 0
        self.pending: list[str] = list(before.comments)
        self.game_start = 0
        self.comments_before = before.comments
        self.clear()

    def inheritance(self) -> Inheritance:
        """Give what the game gathered at present takes from those before it."""
        return Inheritance(
            self.previous,
            self.previous_sections,
            self.lasting,
            self.comments_before,
            self.previous_notes,
        )

    def clear(self) -> None:
        self.game_number = 0
        self.tags: dict[str, str] = {}
        self.sections: dict[str, str] = {}
        self.parts: dict[str, list[str]] = {}
        """What the sections are made of."""
        self.notes: dict[str, str] = {}
        self.play_notes: dict[str, str] = {}
        self.comments = self.pending
        self.pending = []
        self.substantial = False
        self.played = False
        self.tokens = 0
        self.too_long = ""

    def has_room(self) -> bool:
        """Count a token; whether the game may have so many."""
        self.tokens += 1
        return self.tokens <= MOST_TOKENS

    def refusal(self, end: int) -> str:
        """Why the game that ends there is beyond a limit; empty where it is not."""
        if end - self.game_start > LONGEST_RECORD:
            return f"expected a game of at most {LONGEST_RECORD:,} characters, got more"
        if self.tokens > MOST_TOKENS:
            return f"expected at most {MOST_TOKENS:,} tags and comments in a game, got more"
        if self.too_long:
            name, length = self.too_long, len(self.tags[self.too_long])
            return (
                f"expected a value of at most {LONGEST_VALUE:,} characters in {name}, "
                f"got {length:,}"
            )
        return ""

    def is_next_game(self, name: str, kind: int, *, after_blank: bool) -> bool:
        """Whether a tag belongs to the game after the one gathered so far."""
        if name in self.tags and kind not in (_OTHER, _SECTION):
            return self.substantial or after_blank
        return (
            after_blank
            and self.substantial
            and (self.played or kind not in (_PLAYED, _PLAYED_SECTION))
        )

    def is_other_board(self, board: str) -> bool:
        """Whether a ``Board`` tag names another board than the game before."""
        number, before = (
            _ZEROS.sub(b"", text.strip().encode().lower())
            for text in (board, self.previous.get("Board", ""))
        )
        return number not in (b"", b"?", b"-", before)

    def end_game(self, end: int) -> Game:
        """Give the game gathered so far, and start anew with the tag at ``end``."""
        refusal = self.refusal(end)
        self.game_start = end
        self.comments_before = tuple(self.pending)
        for name, parts in self.parts.items():
            self.sections[name] = "".join(parts)
        if refusal:
            self.sections = {}
        # before sections are inherited: the lines of another board are no results of this one
        travellers = _travellers(self.sections) if "ScoreTable" in self.sections else ()
        tags = self.tags if self.plain_values else self.resolve()
        if (
            self.played
            and "Deal" not in tags
            and "Deal" in self.previous
            and not self.is_other_board(tags.get("Board", ""))
        ):
            for name in _INHERITED_WITHOUT_DEAL:
                if name not in self.tags and name in self.previous:
                    tags[name] = self.previous[name]
        notes = self.play_notes | self.notes if self.play_notes else self.notes
        game = Game(
            self.game_number,
            tags,
            self.sections,
            notes,
            self.comments,
            travellers,
            self.number + 1 - self.game_number,
            refusal,
        )
        self.number += len(travellers)
        self.previous = tags
        self.previous_sections = self.sections
        self.previous_notes = self.notes, self.play_notes
        self.clear()
        return game

    def end_free_text(self) -> FreeText:
        text = "".join(self.free_text).strip()
        self.free_text.clear()
        return FreeText(self.free_text_number, text)

    def resolve(self) -> dict[str, str]:
        """Apply ``#`` and ``##`` (PBN 4.8) and undo escapes."""
        tags = self.lasting.copy()
        for name, value in self.tags.items():
            if "\\" in value:
                tags[name] = unescape(value)
            elif value[:1] != "#":
                tags[name] = value
            elif value[:2] == "##":
                self.lasting[name] = tags[name] = value[2:]
            elif name in self.previous:
                tags[name] = self.previous[name]
                if name in self.previous_sections and not self.sections.get(name, "").strip():
                    self.sections[name] = self.previous_sections[name]
                    # what the section refers to by number
                    if name == "Auction":
                        self.notes = self.previous_notes[0] | self.notes
                    elif name == "Play":
                        self.play_notes = self.previous_notes[1] | self.play_notes
            else:
                tags[name] = ""
        return tags

    def add_note(self, value: str, section: str) -> None:
        number, _, text = value.partition(":")
        notes = self.play_notes if section == "Play" else self.notes
        notes.setdefault(number.strip(), unescape(text.strip()))


def _travellers(sections: dict[str, str]) -> list[tuple[str, str]]:
    return [
        (name, line)
        for name in ("ScoreTable", "repeated ScoreTable")
        for line in sections.get(name, "").split("\n")
        if line.strip()
    ]


def split_games(
    text: str, before: Inheritance | None = None, *, goes_on: bool = False
) -> Iterator[Game | FreeText]:
    r"""Cut PBN text into games and runs of foreign text, in the order of their ends.

    A blank line ends a game that holds a ``Deal`` or any tag of :data:`PLAYED_TAGS`, except
    that ``Auction``, ``Play`` and the like may follow a bare deal behind a blank line. A tag of
    PBN's basic set (names, board, deal, contract …) that the game holds already starts the next
    one, so blank lines between games are not needed; other repeated tags are ignored. A game
    without ``Deal`` but with something played is another table of the board before, unless it
    names another board: it inherits deal, board, dealer, vulnerability and event. Each line of a
    ``ScoreTable`` is a record behind its game's. ``#`` repeats the value of the game before,
    ``##text`` holds for all games to come that lack the tag. A tag may stand on several lines.

    Text that is neither tag, section nor comment comes out as :class:`FreeText`, one for all
    lines between two tags, with a record number of its own. A comment that is never closed,
    or that would swallow a tag, ends with its line; the comment behind it tells so.

    Parameters
    ----------
    text : str
        Decoded text, any line ends.
    before : Inheritance, optional
        What is inherited from a text before this one, as :func:`find_last_game` gives it.
    goes_on : bool
        Another text follows, which :func:`find_last_game` has cut off.
    """
    if before is None and text.startswith("\ufeff"):
        text = text[1:]
    text = normalise(text)
    state = _Splitter(text, before)
    yield from _walk(state, text)
    if goes_on:
        # as the next game's first tag would do
        if state.free_text:
            yield state.end_free_text()
        yield state.end_game(len(text))
        return
    if state.tags:
        state.comments += state.pending
        yield state.end_game(len(text))
    if state.free_text:
        yield state.end_free_text()
    elif not state.number and state.comments:
        # nothing but braces and what is in them: JSON, as a rule
        yield FreeText(1, text.strip())


def normalise(text: str) -> str:
    """Let all lines end with a line feed only, and take NUL out of a text."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", " ")


def _walk(state: _Splitter, text: str, *, cut_off: bool = False) -> Iterator[Game | FreeText]:
    """Yield the records that end in a text; the state holds what has not ended."""
    # if the text is cut off anywhere, a comment that does not end in it ends the walk: whether it
    # is broken is known only by what follows
    kinds: dict[str, int] = {}
    tags = state.tags
    section = last_section = ""
    after_blank = True
    closing = tag_line = -1  # the first of each from the last brace on
    token = _TOKEN
    position = 0
    while position < len(text):
        restart = len(text)
        for match in token.finditer(text, position):
            name, value, loose = match.group(1, 2, 3)
            if name is None:
                name, value, brace, remark, loose = match.group(4, 5, 6, 7, 8)
                if value is not None and "\n" in value:
                    value = _OVER_LINES.sub(" ", value)
            if name is not None:
                kind = kinds.get(name)
                if kind is None:
                    kind = kinds[name] = _kind(name)
                if kind == _NOTE:
                    if state.has_room():
                        state.add_note(value, last_section)
                else:
                    if state.free_text:
                        yield state.end_free_text()
                    if (after_blank or name in tags) and state.is_next_game(
                        name, kind, after_blank=after_blank
                    ):
                        yield state.end_game(match.start())
                        tags = state.tags
                        last_section = ""
                    elif state.pending:
                        state.comments += state.pending
                        state.pending = []
                    if not tags:
                        state.number += 1
                        state.game_number = state.number
                    repeated = name in tags
                    has_room = state.has_room()
                    if not repeated and has_room:
                        tags[name] = value
                        if len(value) > LONGEST_VALUE and kind not in (_OTHER, _SECTION):
                            state.too_long = name
                    section = ""
                    if kind >= _DEAL:
                        if kind != _SECTION:
                            state.substantial = True
                            state.played = state.played or kind != _DEAL
                        if kind >= _SECTION:
                            last_section = name
                            section = f"repeated {name}" if repeated else name
                            if kind == _SECTION and repeated:
                                if value in (tags[name], "#") or not has_room:
                                    section = name
                                else:
                                    tags.setdefault(section, value)
                            if has_room:
                                state.sections.setdefault(section, "")
                    if (kind == _SECTION) != (token is _TABLE_TOKEN):
                        after_blank = False
                        token = _TABLE_TOKEN if kind == _SECTION else _TOKEN
                        restart = match.end() if loose in (None, "\n") else match.start(3)
                        break
                after_blank = False
                if loose == "\n" or loose is None:
                    continue
            elif brace is not None or remark is not None:
                comment = remark
                if brace is not None:
                    at = match.start()
                    if closing < at:
                        closing = _find(text, "}", at)
                    if tag_line < at:
                        found = TAG_LINE.search(text, at)
                        tag_line = len(text) if found is None else found.start()
                    first = min(closing, tag_line)
                    if first == len(text) and cut_off:
                        return
                    is_open = closing > tag_line or first == len(text)
                    if is_open or _GAME_TAG.match(text, at + 1):
                        # never closed, or only behind tags it would swallow
                        is_open = True
                        restart = _find(text, "\n", at)
                        comment = text[at + 1 : restart]
                    else:
                        restart = closing + 1
                        comment = text[at + 1 : closing]
                # what stands behind the blank line speaks of the game to come, if one comes
                comments = state.pending if after_blank and state.played else state.comments
                if (comment := comment.strip()) and state.has_room():
                    comments.append(comment)
                if brace is not None and is_open and state.has_room():
                    remark = reader_remark("'}' before the next tag", f"{{{comment}")
                    if comments[-1:] != [remark]:
                        comments.append(remark)
                if brace is not None:
                    break
                continue
            if not loose:
                continue
            if section:
                blank = (
                    _BLANK_LINE.search(loose)
                    if "\n\n" in loose or "\n " in loose or "\n\t" in loose
                    else None
                )
                parts = state.parts.setdefault(section, [])
                if blank is None:
                    parts.append(loose)
                    continue
                parts.append(loose[: blank.start()])
                section = ""
                after_blank = True
                if token is _TABLE_TOKEN:
                    # a quote is one no longer
                    token = _TOKEN
                    restart = match.start(3 if match[3] else 8) + blank.start()
                    break
                loose = loose[blank.start() :]
            if not loose.isspace():
                if not state.free_text:
                    state.number += 1
                    state.free_text_number = state.number
                state.free_text.append(loose)
                after_blank = _BLANK_LINE.search(loose) is not None
            elif loose.count("\n") > 1:
                after_blank = True
        position = restart


def _find(text: str, what: str, first: int) -> int:
    """Place of a letter from ``first`` on; the text's length if there is none."""
    place = text.find(what, first)
    return len(text) if place < 0 else place


# What a game may start with, behind a blank line.
_CANDIDATE = re.compile(
    r"\n[ \t]*\n(?=\[(?:"
    + "|".join((*sorted(_OPENING_TAGS), "Deal"))
    + r')[ \t]+"[^"\\\n]*"[ \t]*\])'
)

TAIL = 1 << 16
"""How much of a long text is looked at first for the start of its last game."""


def find_last_game(text: str, before: Inheritance | None = None) -> tuple[int, Inheritance]:
    r"""Where the last game of the beginning of a text starts, and what it inherits.

    The text up to there and the text from there on, each read with :func:`split_games`, give
    what the whole gives, whatever follows.

    Parameters
    ----------
    text : str
        Whole lines, as :func:`normalise` leaves them.
    before : Inheritance, optional
        What the text itself inherits.

    Returns
    -------
    start : int
        Position of the first tag of the last game; 0 if no game is known to end in the text.
    inheritance : Inheritance
    """
    first = _sure_start(text)
    if first:
        lasting = {} if before is None else before.lasting
        start, inheritance = _last_game(text[first:], Inheritance({}, {}, lasting, ()), whole=True)
        if start:
            return first + start, inheritance
    return _last_game(text, before, whole=False)


def _last_game(text: str, before: Inheritance | None, *, whole: bool) -> tuple[int, Inheritance]:
    """Do what :func:`find_last_game` does, by walking through the text."""
    # if asked for whole games, 0 is returned where a game might inherit tags from before
    state = _Splitter(text, before)
    for record in _walk(state, text, cut_off=True):
        if whole and isinstance(record, Game) and "Deal" not in record.tags:
            return 0, state.inheritance()
    return state.game_start, state.inheritance()


def _sure_start(text: str) -> int:
    """Start of a game near the end that is sure whatever stands before; 0 if none is."""
    # the games before need not be read then; an opening tag behind a blank line starts a game if
    # the lines from another such place to there make up one game, and would do so behind any other
    # lines too: if they belong to a game begun before, that one has no deal nor anything played
    # yet, so only a tag of the opening ones behind the deal could be its second; nothing is sure
    # where values may be inherited by ``#``
    if len(text) < 4 * TAIL or '"#' in text:
        return 0
    found = [match.end() for match in islice(_CANDIDATE.finditer(text, len(text) - TAIL), 2)]
    if len(found) < 2:
        return 0
    start, end = found
    part = text[start:end]
    records = list(split_games(part, Inheritance({}, {}, {}, ()), goes_on=True))
    if len(records) != 1 or not isinstance(records[0], Game):
        return 0
    kinds = [_kind(name) for name in records[0].tags]
    deciding = [kind in (_DEAL, _PLAYED, _PLAYED_SECTION) for kind in kinds]
    if True not in deciding or _OPENING in kinds[deciding.index(True) :]:
        return 0
    return end
