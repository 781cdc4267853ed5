"""Hands, terms, expressions and formulas of the browser's engine give what the reference does."""

import json
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import format_hand, parse_hand
from bidcascade.kernels import Context, term_names
from bidcascade.kernels.packing.layout import contexts
from bidcascade.systems.language.tree.syntax_tree import Range
from bidcascade.systems.places import formulas
from bidcascade.systems.places.choice import check_candidates
from bidcascade.systems.system import System
from bidcascade.table.language.explain import ExpressionCheck, HandValues
from bidcascade.table.language.expression_tree import (
    COMPARATORS,
    And,
    Comparison,
    Expression,
    Negative,
    Not,
    Number,
    Or,
    Product,
    Shape,
    Sum,
    TermName,
    Truth,
    depth_of,
    terms_of,
)
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary
from tests.page.engine.support_engine import as_holdings, as_plain
from tests.support.examples import examples, some_in_check
from tests.support.expressions import expressions, hands

pytestmark = pytest.mark.slow

GIB = Vocabulary()
CHOOSER = random.Random(3)
DEALT = [sum(1 << card for card in CHOOSER.sample(range(52), 13)) for _ in range(400)]

READ = """async (load, text) => {
    const {parseExpression} = await load("expressions/expression_reader");
    const {termsOf, depthOf} = await load("expressions/expressions");
    try {
        const found = parseExpression(text);
        return [found.text, [...termsOf(found)], depthOf(found)];
    } catch (error) { return error.message; }
}"""

MAKE = """async (load, given) => {
    const make = await load("expressions/expressions");
    const node = one => one instanceof Array && one[0] in make
        ? make[one[0]](...one.slice(1).map(node)) : one instanceof Array ? one.map(node) : one;
    return [node(given) === node(given), node(given).text,
            (await load("expressions/expression_reader")).parseExpression(node(given).text) ===
            node(given)];
}"""


def said(function: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """What a function gives, or the message of its error."""
    try:
        return function(*given, **options)
    except ValueError as error:
        return str(error)


def as_nodes(expression: Expression) -> list[object]:
    """Name of a constructor of ``expressions.js`` and its arguments."""
    match expression:
        case TermName(name):
            return ["term", name]
        case Number(halves):
            return ["number", halves]
        case Truth(value):
            return ["truth", value]
        case Shape(pattern):
            return ["shape", pattern]
        case Negative(operand) | Not(operand):
            return ["not" if isinstance(expression, Not) else "negative", as_nodes(operand)]
        case Product(operands) | And(operands) | Or(operands):
            return [type(expression).__name__.lower(), [as_nodes(one) for one in operands]]
        case Sum(first, rest) | Comparison(first, rest):
            chain = [[sign, as_nodes(one)] for sign, one in rest]
            return [type(expression).__name__.lower(), as_nodes(first), chain]


# --- hands and terms -----------------------------------------------------------------------------


def test_terms_of_hands(engine):
    names = list(term_names())
    told = engine(
        """async (load, [text, hands]) => {
            const {load: open} = await load("load");
            const system = open(text);
            const [program] = system.bidder().programs;
            const {TERMS} = await load("expressions/vocabulary");
            return [...TERMS.keys()].map(name => [name, program.values(name, hands)]);
        }""",
        ["opening:\n  1C = Test: 12+ points", list(map(as_holdings, DEALT))],
    )
    assert sorted(names) == [name for name, _ in told]
    for name, values in told:
        expected = [HandValues(hand, GIB, Context(1, 0, 0))[name] for hand in DEALT]
        assert values == expected, name


@pytest.mark.parametrize("cards", [13, 5, None])
def test_hands_as_text(engine, cards):
    right = [format_hand(hand) for hand in DEALT[:30]]
    letters = [
        text.replace(".", one) for text, one in zip(right, "SHDC♠♥♦♣-x .1\n" * 3, strict=False)
    ]
    texts = [
        *right, *letters, *(text.lower() + " " for text in right), *(text[1:] for text in right),
        "SAK2HQ3D9876CKJ105", "♠AK2 ♥ Q3 ♦ 9876 ♣KJ105", "AKQJT98765432...", "-.-.-.AKQJ1098765432",
        "AKQ2.-.KQ2.KQJ1032", "SAKHAKSQJ", "H-SAKQJT98765432", "", ".", "....", "xyz", "AA.K.Q.J",
        "K52.AQ3.9876.KJ2é", "S5😀2", "K52 AQ3 9876 KJ2", "♠AK2.♥Q3.♦9876.♣KJ105",
        "S: AK2 H: Q3; D: 9 8 7 6, C: KJ105", "k52. aq3. 98 76. kj2", "A K Q J", "'\"\\\t.x..",
        "– AKQ KQJT98 KJ32",
    ]  # fmt: skip
    told = engine(
        """async (load, [texts, cards]) => {
            const {formatHand, parseHand} = await load("deals/hands");
            return texts.map(text => {
                try { const hand = parseHand(text, cards); return [hand, formatHand(hand)]; }
                catch (error) { return error.message; }
            });
        }""",
        [texts, cards],
    )
    for text, answer in zip(texts, told, strict=True):
        hand = said(parse_hand, text, cards=cards)
        if isinstance(hand, int):
            assert answer == [as_holdings(hand), format_hand(hand)]
        else:
            assert answer == hand


# --- expressions ---------------------------------------------------------------------------------


@given(expression=expressions)
def test_equal_expressions_are_one_node(engine, expression):
    assert engine(MAKE, as_nodes(expression)) == [True, str(expression), True]


def agrees(engine, text):
    expected = said(parse_expression, text)
    if not isinstance(expected, str):
        expected = [str(expected), list(terms_of(expected)), depth_of(expected)]
    assert engine(READ, text) == expected, text


PIECES = [
    "HCP", "SL_S", "Pattern", "Balanced", "15", "2.5", "2.30", "0099", "1234567", "'5332'",
    '"d000"', "'2335'", "'x'", "'5332", "and", "or", "not", "True", "False", "(", ")", "((", "+",
    "-", "*", "<", "<=", "==", "=", "!=", "!", "=>", "&", "|", "# remark", "\n", "\t", "é", "😀",
    ",", "^", "5HCP",
]  # fmt: skip


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=9), blank=st.sampled_from(["", " "]))
def test_texts_of_pieces_read_alike(engine, pieces, blank):
    agrees(engine, blank.join(pieces))


@given(expression=expressions, place=st.integers(0, 60), piece=st.sampled_from(["", *PIECES]))
def test_spoilt_expressions_read_alike(engine, expression, place, piece):
    text = str(expression)
    agrees(engine, text[:place] + piece + text[place + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "\n(", "HCP >= 15 # 'strong'\nand", "(" * 64 + "HCP" + ")" * 64, "-" * 70 + "1",
        "(" * 65 + "HCP" + ")" * 65, "HCP + " * 1700 + "HCP", "not " * 64 + "Balanced", "(" * 100,
        "HCP >= 1 and\n\tSL_S >= and HCP" + " or Balanced" * 20, "a" * 80 + " => 3",
        "Pattern == 'é332'", "Pattern == 'A2100'", f"Pattern == '{'5' * 50}'", "'" + "x" * 60,
        "HCP >= 1.50", "QT>=0000002",
    ],
)  # fmt: skip
def test_limits_of_expressions(engine, text):
    agrees(engine, text)


EXPLAIN = """async (load, [text, questions]) => {
    const {load: open} = await load("load");
    const told = work => { try { return work(); } catch (error) { return error.message; } };
    const system = told(() => open(text, {name: "<text>"}));
    if (typeof system === "string") return system;
    return questions.map(([hand, auction, vulnerability]) =>
        told(() => system.bid(hand, auction, {vulnerability}).candidates.map(one => one.criteria)));
}"""
LINES = """opening:
  1C = Test: {%s}
"""


def vulnerability_of(context: Context) -> int:
    """Sides that are vulnerable, North-South first, where North deals."""
    ours = (context.seat - 1) % 2
    return context.vul_we << ours | context.vul_they << (1 - ours)


def explained_alike(engine, text, *questions):
    """Ask for criteria of a line on hands, by seat and vulnerability."""
    written = LINES % text
    told = engine(
        EXPLAIN,
        [
            written,
            [
                [as_holdings(hand), "P " * (context.seat - 1), vulnerability_of(context)]
                for hand, context in questions
            ],
        ],
    )
    system = said(System.parse, written)
    if isinstance(system, str):
        assert told == system
        return
    for (hand, context), answer in zip(questions, told, strict=True):
        expected = said(lambda: explained(system, hand, context))  # noqa: B023
        assert answer == expected, text
        assert json.dumps(answer) == json.dumps(expected), "values come in another order"


def explained(system: System, hand: int, context: Context) -> list[list[ExpressionCheck]]:
    place = system.expand([0] * (context.seat - 1))
    found = check_candidates(place.entries, hand, context, GIB)
    return [list(one.checks) for one in found]


@examples(25, 100)
@given(expression=expressions, hand=hands(), context=st.sampled_from(contexts()))
def test_expressions_on_hands(engine, expression, hand, context):
    explained_alike(engine, str(expression), (hand, context))


@pytest.mark.parametrize("name", some_in_check(range(0, len(GIB.names), 5), *GIB.names))
def test_every_name_on_a_hand(engine, name):
    explained_alike(engine, name, *((hand, Context(3, 1, 0)) for hand in DEALT[:2]))


@pytest.mark.parametrize(
    "text",
    [
        "Forcing", "Forcing_To_3N and HCP >= 3", "Opponents_Cannot_Play_Undoubled_Below_2N",
        "Hcp >= 3", "stoper_s", "Stop_Spades", "Quick_Tricks", "Shortest_Suit", "Points", "Keys_S",
        "Losers_N", "HCP_N_S", "SL_S_H > 2", "Zyx", "Stop_In_W == 1",
        "SLS", "HCP_S_S", "Aces_S", "Pattern", "Pattern + 1", "'5332'", "Pattern > '5332'",
        "'5332' == Pattern", "Pattern == HCP", "Pattern == '5332' == '4333'", "HCP >= 2.5",
        "QT * 2 >= 3", "HCP * 2.5 == 3", "QT + HCP >= 12.5", "999999 * 999999 >= HCP",
        "(HCP * 58 * 999999) * (HCP * 58 * 999999) == 1",
        "(2000 * 999999) * (2000 * 999999) == HCP", "HCP * 999999 * 999999 * 999999 > 1",
        "HCP * 999999 * SL_S * Aces > 3", "-999999 * 3000 < HCP - 999999 * 3", "QT - 1.5 == -QT",
        "not not Balanced", "not (HCP == 3)", "Balanced == False", "3 < HCP", "True == Balanced",
        "Balanced != 1", "Balanced == 2", "2 <= 3 <= HCP", "not 3", "not QT", "DP >= 3", "LTC",
        "-HCP", "- 2.5 < QT", "(HCP > 3) + (SL_S > 2) >= 1",
        " or ".join(["Likely_Stop_Stop_In_S"] * 130), "Playing_Tricks >= 8.5 and Playing_Tricks",
    ],
)  # fmt: skip
def test_lowering(engine, text):
    explained_alike(engine, text, *((hand, Context(2, 0, 1)) for hand in DEALT[:8]))


# --- formulas ------------------------------------------------------------------------------------


def test_compared_and_within(engine):
    names = [*term_names(), "LTC"]
    asked = [
        (name, operator, value)
        for name in names
        for operator in COMPARATORS
        for value in (-1, 0, 1, 4, 8, 9, 13, 37, 38, 53248)
    ]
    ranges = [
        Range(low, high, also)
        for low, high, also in product(
            (0, 1, 3, 5, 13), (None, 0, 3, 4, 9, 13), ((), (0,), (2, 4), (40,))
        )
    ]
    wanted = [
        (name, one, shift)
        for name in ("HCP", "SL_S", "Balanced", "QT", "Losers", "LTC")
        for one in ranges
        for shift in (0, 2, 14)
    ]
    told = engine(
        """async (load, [asked, wanted]) => {
            const {compared, within} = await load("places/formulas");
            return [[asked, compared], [wanted, within]]
                .map(([given, make]) => given.map(one => make(...one).text));
        }""",
        [asked, [(name, as_plain(one), shift) for name, one, shift in wanted]],
    )
    assert told[0] == [str(formulas.compared(*one)) for one in asked]
    assert told[1] == [str(formulas.within(*one)) for one in wanted]


JOIN = """async (load, texts) => {
    const {parseExpression} = await load("expressions/expression_reader");
    const {conjunction, disjunction, negation} = await load("places/formulas");
    const parts = texts.map(parseExpression);
    return [conjunction(parts), disjunction(parts), negation(conjunction(parts)),
            ...parts.map(negation)].map(one => one.text);
}"""


@given(parts=st.lists(expressions, max_size=5))
def test_joining(engine, parts):
    whole = formulas.conjunction(parts)
    expected = [whole, formulas.disjunction(parts), formulas.negation(whole)]
    expected += map(formulas.negation, parts)
    assert engine(JOIN, list(map(str, parts))) == list(map(str, expected))


def test_shapes(engine):
    fields = ["0", "1", "2", "3", "4", "5", "7", "13", "x", "X", "2+", "4+", "5+"]
    chosen = list(product(fields, repeat=4))
    texts = [
        sign.join(CHOOSER.choice(chosen)) for _ in range(1500) for sign in (CHOOSER.choice("-="),)
    ]
    texts += ["5-3-3", "5-3-3-2-0", "9=5=x=x", "4-4-4-1", "x", "x-x-x-x", "5-5=2-1"]
    told = engine(
        """async (load, texts) => {
            const {builtInShapes, BUILT_IN, shapeExpression} = await load("places/formulas");
            const names = Object.keys(BUILT_IN).map(name => [name, builtInShapes(name).text]);
            return [names, texts.map(text => {
                try { return shapeExpression(text).text; } catch (error) { return error.message; }
            })];
        }""",
        texts,
    )
    assert told[0] == [[name, str(formulas.built_in_shapes(name))] for name in formulas.BUILT_IN]
    for text, answer in zip(texts, told[1], strict=True):
        assert answer == str(said(formulas.shape_expression, text)), text
