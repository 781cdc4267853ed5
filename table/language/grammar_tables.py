"""Tables of a grammar's parser, which lark makes: written to files, so that nobody waits for them.

``build_backend/language_data.py`` writes them; reading a text needs neither this module nor lark.
"""

import json
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from lark import Lark
from lark.lexer import Pattern, PatternStr
from lark.parsers.lalr_analysis import Shift

# how Python reads a pattern has no name that is promised; nothing but this depends on it
_parser: Any = import_module("re._parser")
_compile: Any = import_module("re._compiler").compile


def expression_parser() -> Lark:
    """Parser that lark makes of ``expressions.lark``."""
    grammar = Path(__file__).with_name("expressions.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr")


def tables_of(lark: Lark) -> dict[str, Any]:
    """Tables of a parser, for :mod:`.lalr` and for the driver in the browser.

    - ``terminals``: name, pattern and the letters from blank to ``~`` that it may begin with, in
      the order in which a lexer tries them, then ``$END``. A symbol is a number: terminals first,
      other symbols behind them.
    - ``ignored``: numbers of terminals between words.
    - ``keywords``: terminals by text, for each whose pattern reads them too.
    - ``rules``: the symbol made, how many it is made of, the builder's method (none: what it is
      made of goes on), the number of a layout (none: all parts as they are), and 1 if a single
      part takes its place.
    - ``layouts``: arguments of a method: the number of a part, in a list if its own parts are
      meant, None for one that is left away.
    - ``states``: symbols with the state they lead to, then the rule that is reduced and the number
      of the set of terminals before which it is.
    - ``starts``: first and last state by the name of a start.
    """
    # what lark offers of its tables for other programs is not stable in order
    table, lexer = lark.parser.parser._parse_table, lark.parser.lexer.root_lexer
    # the keywords are found when the scanner is made, which is when it is asked for
    assert lexer.scanner
    terminals = [terminal.name for terminal in lexer.terminals] + ["$END"]
    rules = sorted(
        {rule for row in table.states.values() for act, rule in row.values() if act is not Shift},
        key=str,
    )
    made = sorted({rule.origin.name for rule in rules})
    symbols = {name: number for number, name in enumerate([*terminals, *made])}
    states = _states_in_order(table, symbols)
    sets: dict[tuple[int, ...], int] = {}
    layouts: dict[str, int] = {}
    rows = []
    for state in states:
        shifts, before, reduced = [], [], None
        for name, (action, argument) in _sorted(table.states[state], symbols):
            if action is Shift:
                shifts += [symbols[name], states.get(argument, -1)]
            else:
                assert reduced in (None, argument), "a state reduces one rule"
                before.append(symbols[name])
                reduced = argument
        row: list[Any] = [shifts]
        if reduced is not None:
            row += [rules.index(reduced), sets.setdefault(tuple(before), len(sets))]
        rows.append(row)
    return {
        "terminals": [
            *(
                (terminal.name, _pattern(terminal.pattern), _first_letters(terminal.pattern))
                for terminal in lexer.terminals
            ),
            ("$END", "", ""),
        ],
        "ignored": sorted(symbols[name] for name in lexer.ignore_types),
        "keywords": {
            name: {one.pattern.value: one.name for one in callback.scanner.terminals}
            for name, callback in lexer.callback.items()
        },
        "rules": [_rule(rule, symbols, layouts) for rule in rules],
        "layouts": [json.loads(layout) for layout in layouts],
        "sets": list(sets),
        "states": rows,
        "starts": {
            start: [states[table.start_states[start]], states[table.end_states[start]]]
            for start in table.start_states
        },
    }


def _sorted(row: Mapping[str, Any], symbols: Mapping[str, int]) -> list[tuple[str, Any]]:
    return sorted(row.items(), key=lambda pair: symbols[pair[0]])


def _states_in_order(table: Any, symbols: Mapping[str, int]) -> dict[int, int]:
    """Give the states numbers that do not follow from the order of sets."""
    found = dict.fromkeys(table.start_states.values())
    queue = list(found)
    for state in queue:
        for name, (action, argument) in _sorted(table.states[state], symbols):
            if action is Shift and name != "$END" and argument not in found:
                found[argument] = None
                queue.append(argument)
    return {state: number for number, state in enumerate(found)}


def _rule(rule: Any, symbols: Mapping[str, int], layouts: dict[str, int]) -> list[Any]:
    nones = rule.options.empty_indices or [False] * len(rule.expansion)
    layout: list[Any] = []
    parts = iter(enumerate(rule.expansion))
    for is_none in nones:
        if is_none:
            layout.append(None)
            continue
        number, part = next(parts)
        if part.is_term:
            if rule.options.keep_all_tokens or not part.filter_out:
                layout.append(number)
        else:
            layout.append([number] if part.name.startswith("_") else number)
    inlined = rule.origin.name.startswith("_")
    items = [
        symbols[rule.origin.name],
        len(rule.expansion),
        "" if inlined else rule.alias or rule.origin.name,
    ]
    expands = bool(rule.options.expand1 and not rule.alias)
    if expands or layout != list(range(len(rule.expansion))):
        items.append(layouts.setdefault(json.dumps(layout), len(layouts)))
    return [*items, 1] if expands else items


def _pattern(pattern: Pattern) -> str:
    r"""Pattern for Python and JavaScript: ``\w``, ``\d`` and ``\s`` stand in brackets alone."""
    if isinstance(pattern, PatternStr):
        return _SYNTAX.sub(r"\\\g<0>", pattern.value)
    found = re.sub(r"\[\^\\W([^]]*)\]", r"(?![\1])\\w", pattern.value)
    # behind a word
    found = found.replace(r"\b", r"(?!\w)").replace(r"\S", r"[^\s]")
    return _PIECES.sub(_in_brackets, found)


def _first_letters(pattern: Pattern) -> str:
    """Printable letters of ASCII that a text may begin with which a pattern reads."""
    text = re.escape(pattern.value) if isinstance(pattern, PatternStr) else pattern.value
    letters, may_be_empty = _first(_parser.parse(text))
    assert not may_be_empty
    return "".join(sorted(letters))


def _first(pieces: Any) -> tuple[set[str], bool]:
    """First letters of parts of a pattern, one behind the other, and whether all may be empty."""
    # what is looked at ahead narrows nothing: that some letters are too many does no harm
    found: set[str] = set()
    for kind, about in pieces:
        may_be_empty = False
        match str(kind):
            case "BRANCH":
                branches = [_first(branch) for branch in about[1]]
                found |= set().union(*(letters for letters, _ in branches))
                may_be_empty = any(empty for _, empty in branches)
            case "SUBPATTERN":
                letters, may_be_empty = _first(about[3])
                found |= letters
            case "MAX_REPEAT" | "MIN_REPEAT":
                letters, may_be_empty = _first(about[2])
                found |= letters
                may_be_empty |= about[0] == 0
            case "ASSERT" | "ASSERT_NOT" | "AT":
                may_be_empty = True
            case _:
                one = _compile(_parser.SubPattern(pieces.state, [(kind, about)]))
                found |= {letter for letter in map(chr, range(32, 127)) if one.match(letter)}
        if not may_be_empty:
            return found, False
    return found, True


def _in_brackets(piece: re.Match[str]) -> str:
    if piece[0] == ".":
        return r"[^\n]"
    if piece[0] == "(":
        return "(?:"
    return f"[{piece[0]}]" if piece[0] in (r"\w", r"\d", r"\s") else piece[0]


_SYNTAX: Final = re.compile(r"[\\^$.*+?()[\]{}|/]")
_PIECES: Final = re.compile(r"\\.|\[(?:\\.|[^]\\])*\]|\.|\((?!\?)")
