"""The engine in the browser reads lines as the reference does: same trees, faults and places."""

import json
import random
import re
from collections import defaultdict
from typing import Any

import pytest

from bidcascade.systems.language.grammar.grammar import parse_conditions, parse_statement
from bidcascade.systems.language.grammar.lark_parser import lark_parser
from bidcascade.systems.language.reading.layout import LogicalLine, RawItem, logical_lines, tree_of
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.tree.syntax_tree import SUIT_WORDS
from bidcascade.systems.language.words.phrases import words_of_terminals
from tests.page.engine.support_engine import as_plain
from tests.support import systems as support_systems

pytestmark = pytest.mark.slow

TEXTS = [
    *(path.read_text("utf-8") for path in sorted(shipped_folder().rglob("*.bidding"))),
    *(text for text in vars(support_systems).values() if isinstance(text, str) and "\n" in text),
]
LINES = list(
    dict.fromkeys(
        line.text
        for text in TEXTS
        for line in logical_lines(text.splitlines(), "", lambda *_: None)
    )
)
EXAMPLES = {
    "NAME": ["Strong notrump", "A b", "Élan vital"], "BARE_NAME": ["Weak two", "Stayman, 5+ cards"],
    "BID": ["1NT", "2om", "nX", "7s", "3n", "2♦", "n♥\ufe0f"], "LEVEL": ["2-level"],
    "NUMBER": ["4", "two", "0", "99", "2.5", "0.25", "٣.٣"], "PLUS": ["4+", "٣+", "9.5+"],
    "CARDED": ["5+-card", "four-card", "4-6-card", "6-4-card", "15-card"],
    "SHAPE": ["4=4=3=2", "5-4-x-x", "4+=x=x=x", "5-5-5-5", "4-4-4-x"], "TAG": ["#strong", "#ü-1"],
    "SPAN": ["4-6", "12 – 14", "9-3", "1.5-2"], "ANY_CALLS": ["…", "..."], "DASH": ["-", "–"],
    "RAW": ["{HCP > 3}", "{ }"], "QUOTED": ['"some words"', '""', '"🂡 ♠"'],
    "REMARK": ["-- a remark", "-- 🂡 --"], "SAYS": ["asks for aces", "shows", "denies 4+ hearts"],
    "TITLE": ["My title", "="], "IDENTIFIER": ["stayman", "weak-notrump"],
    "SUIT": ["hearts", "♦", "♠\ufe0f"], "VALUE": ["11", "3NT or so"], "WORD": ["balanced", "good"],
}  # fmt: skip
"""Texts of the terminals that are patterns."""
ODD = [
    *"()[]{}\"“”—–-+=:;,./\\%&|<>≥½♠♥🂡éß٣²_#\t\u00a0\u200b\ufeff\x85", "...", "--", "15,5", "10.5",
    "4S", "gf", "pts", "ballanced", "herts", "heart", "x", "not (", "1c", "hcp", "''", "0-3", "ten",
]  # fmt: skip


def in_units(told: Any, text: str) -> Any:
    """Positions in a text counted as JavaScript does: a character beyond 65,535 is two."""
    if isinstance(told, list):
        return [in_units(one, text) for one in told]
    if not isinstance(told, dict):
        return told
    return {
        name: len(text[:value].encode("utf-16-le")) // 2
        if name in ("column", "position")
        else in_units(value, text)
        for name, value in told.items()
    }


def expected(found: Any, text: str) -> list[Any]:
    faults = [[one.position, one.message, one.advice] for one in found.faults]
    tree = found.condition if hasattr(found, "condition") else found.statement
    told = in_units([as_plain(tree), [{"position": one[0]} for one in faults]], text)
    return [
        told[0],
        [[one["position"], *rest] for one, (_, *rest) in zip(told[1], faults, strict=True)],
    ]


def compare(engine: Any, lines: list[str]) -> int:
    """Read lines in both; how many of them have nothing wrong."""
    read = json.loads(
        engine(
            """async (load, lines) => {
            const {parseStatement, parseConditions} = await load("language/parser");
            const told = (tree, wrong) => [
                tree, wrong.map(({position, message, advice}) => [position, message, advice]),
            ];
            return JSON.stringify(lines.map(line => {
                const one = parseStatement(line), other = parseConditions(line);
                return [told(one.statement, one.wrong), told(other.condition, other.wrong)];
            }));
        }""",
            lines,
        )
    )
    unlike = []
    for line, (statement, condition) in zip(lines, read, strict=True):
        for found, told in (
            (statement, parse_statement(line)),
            (condition, parse_conditions(line)),
        ):
            if found != expected(told, line):
                unlike.append((line, found, expected(told, line)))
    assert not unlike
    return sum(not parse_statement(line).faults for line in lines)


def test_lines_of_texts(engine):
    assert compare(engine, LINES) > 2000


SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
OF_A_SUIT = re.compile(
    r"(?<![\w+-])([1-7n])([CDHS])(?![\w+])|(clubs|diamonds|hearts|spades)(?![\w'’-])"
)


def with_signs(line: str, chance: random.Random) -> str:
    """A line with signs for suits, in calls or words, and with the mark of an emoji or without."""

    def sign(match: re.Match[str]) -> str:
        letter = match[2] or SUIT_WORDS[match[3]]
        mark = chance.choice(["", "", "\ufe0f"])
        return chance.choice([match[0], f"{match[1] or ''}{SIGNS[letter]}{mark}"])

    return OF_A_SUIT.sub(sign, line)


def test_lines_with_signs_of_suits(engine):
    chance = random.Random(11)
    lines = chance.sample([line for line in LINES if OF_A_SUIT.search(line)], 400)
    changed = [with_signs(line, chance) for line in lines]
    assert sum(one != line for one, line in zip(changed, lines, strict=True)) > 200
    assert compare(engine, changed) > 390


def test_changed_lines(engine):
    """Words dropped, doubled, put in another's place, and letters changed."""
    chance = random.Random(19)
    words = [*(one for phrases in words_of_terminals().values() for one in phrases), *ODD]
    changed = []
    for line in chance.sample(LINES, 800):
        parts = line.split(" ")
        for _ in range(chance.choice((1, 1, 2))):
            place = chance.randrange(len(parts))
            match chance.randrange(5):
                case 0:
                    del parts[place : place + 1]
                case 1:
                    parts.insert(place, chance.choice(parts))
                case 2:
                    parts[place] = chance.choice(words)
                case 3:
                    parts.insert(place, chance.choice(words))
                case _:
                    at = chance.randrange(len(parts[place]) + 1)
                    letter = chance.choice([*ODD, "a", "s", "1", ""])
                    parts[place] = parts[place][:at] + letter + parts[place][at + 1 :]
            parts = parts or [""]
        changed.append(" ".join(parts).strip())
    # many of both kinds: how many depends on the lines of the texts
    assert 50 < compare(engine, changed) < 750


def test_every_rule(engine):
    """Sentences that the grammar makes, each rule of it in some of them."""
    chance = random.Random(91)
    texts = words_of_terminals() | EXAMPLES
    rules = defaultdict(list)
    for rule in lark_parser().rules:
        rules[rule.origin.name].append(rule)
    used = set()

    def sentence(symbol: Any, depth: int) -> str:
        if symbol.is_term:
            text = lark_parser().get_terminal(symbol.name).pattern.value.replace("\\", "")
            return chance.choice(texts.get(symbol.name) or [text])
        # those not yet used first, and short ones where it grows too deep
        choice = sorted(
            rules[symbol.name],
            key=lambda rule: (depth > 12 and len(rule.expansion), rule in used, chance.random()),
        )
        used.add(choice[0])
        return " ".join(sentence(part, depth + 1) for part in choice[0].expansion)

    statement = next(rule.origin for rule in rules["statement"])
    lines = [sentence(statement, 0) for _ in range(1500)]
    assert used >= {rule for rule in lark_parser().rules if not rule.origin.name.startswith("$")}
    assert compare(engine, list(dict.fromkeys(lines))) > 300


@pytest.mark.parametrize("nested", [40, 41])
def test_nesting(engine, nested):
    compare(engine, [f"1C = Deep: {'not (' * (nested // 2)}balanced", f"1C = {'not ' * nested}x"])


# ---------------------------------------------------------------------- the lines of a file
LAYOUTS = [
    *TEXTS,
    "  1C = Indented\n    1D = Below\n1H = Left\n   1S = Between\n  1NT = There",
    "opening:\n  1C = Tab:\t3+ clubs\n\t1D = Tab first\n  1H = Unseen \x07: 3+ \x85 hearts -- \x07",
    "opening:\n  1C = Goes on:\n  12+ points,\n      3+ clubs or\n   -- not a part\n  4+ clubs,",
    '1C = "🂡🂡": 12+ points,\n    "🂡", 3+ clubs and\n      balanced\t-- 🂡',
    'a = "open,\n   b or\n      c" -- d,\n   e',
    "\n".join(f"{' ' * depth}1C = Deep" for depth in range(65)),
    f"1C = Long: {'12+ points, ' * 900}\n1D = {'x' * 20_000}\n2C = {'🂡' * 10_000}",
    f"1C = Long: {'12+ points, ' * 600}\n  {'12+ points, ' * 400}\n   3+ clubs\n1D = Next: 4+",
    "\u00a01C = Wide blanks:\u00a0\u2003 12+ points,\u3000\n\u2003\u2003 3+ clubs\u2028",
]
WORDS = {"points": "total points", "clubs": "🂡", "M": "hearts", "12": "13", "or": ""}


def told(line: LogicalLine) -> list[Any]:
    places = range(0, len(line.text) + 1, max(len(line.text) // 20, 1))
    return [line.text, line.indent, [[line.where(at).line, line.where(at).column] for at in places]]


def nested(items: list[RawItem]) -> list[Any]:
    return [[item.line.text, nested(item.below)] for item in items]


def laid_out(text: str) -> list[Any]:
    complaints: list[Any] = []

    def complain(where: Any, message: str, advice: str) -> None:
        complaints.append([where.file, where.line, where.column, message, advice])

    lines = logical_lines(text.split("\n"), "x.bidding", complain)
    changed = [line.with_words(WORDS) for line in lines]
    return [
        *([told(one) for one in found] for found in (lines, changed)),
        nested(tree_of(lines, complain)),
        complaints,
    ]


def test_lines_of_files(engine):
    read = json.loads(
        engine(
            """async (load, [texts, words]) => {
            const {logicalLines, treeOf} = await load("language/layout");
            const told = line => {
                const signs = [...line.text], step = Math.max(Math.floor(signs.length / 20), 1);
                const places = [];
                for (let at = 0; at <= signs.length; at += step) {
                    const {line: number, column} = line.where(signs.slice(0, at).join("").length);
                    places.push([number, column]);
                }
                return [line.text, line.indent, places];
            };
            const nested = items => items.map(({line, below}) => [line.text, nested(below)]);
            return JSON.stringify(texts.map(text => {
                const complaints = [];
                const complain = ({file, line, column}, message, advice) =>
                    complaints.push([file, line, column, message, advice]);
                const lines = logicalLines(text.split("\\n"), "x.bidding", complain);
                const changed = lines.map(line => line.withWords(new Map(Object.entries(words))));
                return [
                    lines.map(told), changed.map(told), nested(treeOf(lines, complain)), complaints,
                ];
            }));
        }""",
            [LAYOUTS, WORDS],
        )
    )
    for text, found in zip(LAYOUTS, read, strict=True):
        assert found == laid_out(text), text[:200]
