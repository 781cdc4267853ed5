"""What may be written next in a text: the words of the language in their places, and its names."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bidcascade.systems.language.grammar.grammar import following, parse_statement
from bidcascade.systems.language.grammar.suggestions import BUILT_IN
from bidcascade.systems.language.reading.layout import LogicalLine, in_remark, logical_lines
from bidcascade.systems.language.tree.statements import ConventionStatement
from bidcascade.systems.language.words.phrases import KIND_OF_WORDS, detail_of, words_of_terminals

from .names import NamePlace

CompletionKind = Literal["word", "condition", "convention", "parameter", "option", "tag", "file"]

_MOST_WORDS: Final = 8
"""Words that one phrase of the language has at most, and one more."""
_WORD_START: Final = re.compile(r"(?<![\w'’-])(?=[\w#])")
_SEPARATOR: Final = re.compile(r'[,;:=(){}"]')
_FILE: Final = re.compile(r'\s*(?:include|opponents play)\s+"([^"]*)$')
_AGREEMENT_VERBS: Final = ("asks", "shows", "denies")
_IDENTIFIERS: Final[tuple[tuple[re.Pattern[str], CompletionKind], ...]] = (
    (re.compile(r"use\s+$"), "convention"),
    (re.compile(r"(?:without\s+)?option\s+$"), "option"),
)
_PARAMETER: Final = re.compile(r"use\s+([\w-]+)\s*\((?:[^()]*,)?\s*$")


@dataclass(frozen=True, slots=True)
class Completion:
    """Something that may be written at a place.

    Parameters
    ----------
    column
        From 1; where what is replaced begins.
    text
        What to write from there on.
    kind
        ``word`` for words of the language, else what the name stands for.
    detail
        What it means, in few words; may be empty.
    """

    column: int
    text: str
    kind: CompletionKind
    detail: str = ""


def proposals(
    text: str, line: int, column: int, names: Iterable[NamePlace] = (), files: Iterable[str] = ()
) -> list[Completion]:
    r"""List what may stand at a place of a text, first what goes furthest with what stands there.

    Parameters
    ----------
    text
    line, column
        Of the cursor, from 1.
    names
        Those that the system knows: what defines them is proposed.
    files
        Files that it may include.

    Examples
    --------
    >>> text = "opening:\n  1NT = Strong notrump: 15-17 points, bal"
    >>> [(one.text, one.column) for one in proposals(text, 2, 42)]
    [('balancing', 39), ('balanced', 39)]
    """
    lines = text.replace("\r\n", "\n").split("\n")[:line]
    if len(lines) < line:
        return []
    before = lines[-1][: column - 1]
    named = _FILE.match(before)
    if named is not None:
        start = column - len(named[1])
        return [Completion(start, one, "file") for one in files if one.startswith(named[1])]
    if in_remark(before):
        return []
    # a letter in the cursor's place: a line with nothing behind it is read too
    lines[-1] = f"{before}q"
    logical = logical_lines(lines, "", lambda *_: None)
    if not logical:
        return []
    here = logical[-1]
    words = _parameters(logical)
    first = column - (len(here.text) - 1)
    known = list(names)
    found: dict[str, Completion] = {}
    for cut in _cuts(here.text[:-1]):
        head, typed = _head(here, cut, words), here.text[cut:-1]
        for one in _following(head, typed, known):
            found.setdefault(one.text, Completion(first + cut, one.text, one.kind, one.detail))
    return list(found.values())


def _parameters(logical: list[LogicalLine]) -> Mapping[str, str]:
    """Values of the parameters of the convention that the last line stands in."""
    if not logical[-1].indent:
        return {}
    edge = next((one for one in reversed(logical) if not one.indent), None)
    statement = None if edge is None else parse_statement(edge.text).statement
    if not isinstance(statement, ConventionStatement):
        return {}
    return {one.name: one.value for one in statement.parameters if one.value is not None}


def _head(here: LogicalLine, cut: int, words: Mapping[str, str]) -> str:
    head = LogicalLine(here.text[:cut], here.indent, here.file, here.pieces)
    return head.with_words(words).text if words else head.text


def _cuts(text: str) -> Iterator[int]:
    """Beginnings of the last words, the longest way back first; then the end, if one begins."""
    # nothing that is proposed goes over a separator
    separators = [one.end() for one in _SEPARATOR.finditer(text)]
    edge = separators[-1] if separators else 0
    starts = [one.start() for one in _WORD_START.finditer(text, edge)]
    yield from starts[-_MOST_WORDS:]
    # behind "22+" a space comes first
    if not text or not re.match(r"[\w+#'’-]", text[-1]):
        yield len(text)


def _following(head: str, typed: str, names: list[NamePlace]) -> Iterator[Completion]:
    terminals = following(head)
    wanted = typed.casefold()
    if not terminals:
        return
    for terminal, phrases in words_of_terminals().items():
        if terminal not in terminals:
            continue
        listed: set[str] = set()
        for words in phrases:
            kind = KIND_OF_WORDS.get((terminal, words), "")
            # of words for the same the first stands for all, until one of them is begun
            is_new = bool(typed) or not kind or kind not in listed
            listed.add(kind)
            if is_new and words.casefold().startswith(wanted) and words != typed:
                yield Completion(0, words, "word", detail_of(kind))
    if "SAYS" in terminals:
        yield from (Completion(0, one, "word") for one in _AGREEMENT_VERBS if one.startswith(typed))
    for kind, name, detail in _names(head, terminals, names):
        if name.casefold().startswith(wanted) and name != typed:
            yield Completion(0, name, kind, detail)


def _names(
    head: str, terminals: frozenset[str], names: list[NamePlace]
) -> Iterator[tuple[CompletionKind, str, str]]:
    """Names that may follow, by what stands before them."""
    wanted: set[CompletionKind] = set()
    scope = ""
    if "WORD" in terminals and (not head.startswith("define") or "=" in head):
        wanted.add("condition")
        yield from (("condition", one, "") for one in sorted(BUILT_IN))
    if "TAG" in terminals:
        wanted.add("tag")
    if "IDENTIFIER" in terminals:
        wanted |= {kind for pattern, kind in _IDENTIFIERS if pattern.fullmatch(head)}
        used = _PARAMETER.fullmatch(head)
        if used is not None:
            wanted.add("parameter")
            scope = used[1]
    for one in names:
        if one.kind in wanted and one.defines and one.scope == scope:
            yield one.kind, f"#{one.name}" if one.kind == "tag" else one.name, ""
