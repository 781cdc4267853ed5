"""The expression language: text to tree to text, lowering against a second evaluator, errors."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidExpression, UnknownTerm, parse_hand
from bidcascade.kernels import evaluate_postfix, term_value
from bidcascade.kernels.packing.literals import Interval, literals_of, to_tree
from bidcascade.table.language.expression_tree import (
    COMPARATORS,
    And,
    Comparison,
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
)
from bidcascade.table.language.expressions import (
    DEEPEST_NESTING,
    LONGEST_TEXT,
    format_expression,
    parse_expression,
    parse_with_grammar,
    to_postfix,
)
from bidcascade.table.language.vocabulary import Vocabulary
from tests.support.expressions import NUMBERS, expressions, hands

GIB = Vocabulary()

# --- text and tree ----------------------------------------------------------------


@given(expressions)
def test_parse_undoes_print(expression):
    text = format_expression(expression)
    assert text == str(expression)
    assert parse_expression(text) == expression
    assert parse_with_grammar(text) == expression


@given(st.sampled_from(NUMBERS), st.sampled_from(COMPARATORS), st.integers(0, 999_999))
def test_short_cut_agrees_with_the_grammar(name, operator, number):
    for text in (f"{name}{operator}{number}", f"  {name}  {operator}\t{number} ", f" {name}"):
        assert parse_expression(text) == parse_with_grammar(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("HCP>=15", "HCP >= 15"),
        ("HCP >= 015", "HCP >= 15"),
        ("15<=HCP<=17", "15 <= HCP <= 17"),
        ("HCP >= 15 & SL_S >= 5", "HCP >= 15 and SL_S >= 5"),
        ("HCP >= 15 | Balanced & not Solid_S", "HCP >= 15 or Balanced and not Solid_S"),
        ("(HCP >= 15 | Balanced) & Solid_S", "(HCP >= 15 or Balanced) and Solid_S"),
        ("((Balanced))", "Balanced"),
        ("not (Balanced)", "not Balanced"),
        ("(not Balanced) == True", "(not Balanced) == True"),
        ("HCP - (SL_S - 2)", "HCP - (SL_S - 2)"),
        ("(HCP - SL_S) - 2", "(HCP - SL_S) - 2"),
        ("(HCP + SL_S) * 2 >= 30", "(HCP + SL_S) * 2 >= 30"),
        ("--3 < HCP", "--3 < HCP"),
        ("QT >= 2.50", "QT >= 2.5"),
        ("QT >= 2.0", "QT >= 2"),
        ('Pattern == "a210"', "Pattern == 'A210'"),
        ("HCP >= 15  # strong", "HCP >= 15"),
        ("HCP\n  >= # the points\n 15", "HCP >= 15"),
        ("android", "android"),
        ("not_a_keyword and Trueish", "not_a_keyword and Trueish"),
        ("Balanced==True", "Balanced == True"),
    ],
)
def test_canonical_text(text, canonical):
    assert str(parse_expression(text)) == canonical


def test_and_binds_tighter_than_or_and_both_looser_than_comparisons():
    tree = parse_expression("HCP >= 5 | HCP <= 3 & SL_S == 4")
    assert tree == Or(
        (
            Comparison(TermName("HCP"), ((">=", Number(10)),)),
            And(
                (
                    Comparison(TermName("HCP"), (("<=", Number(6)),)),
                    Comparison(TermName("SL_S"), (("==", Number(8)),)),
                )
            ),
        )
    )


# --- errors ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 1, ["an operand", "the end"]),
        ("  # only a comment", 19, ["an operand"]),
        ("HCP >=", 7, ["an operand", "the end"]),
        ("HCP >= >= 3", 8, ["an operand", "'>='"]),
        ("HCP = 15", 5, ["a comparison", "written =="]),
        ("HCP 15", 5, ["a comparison", "'15'"]),
        ("(HCP >= 3", 10, ["')'", "the end"]),
        ("HCP >= 3)", 9, ["the end", "')'"]),
        ("HCP >= 8 (SL_H >= 4)", 10, ["'and'", "'('"]),
        ("HCP ≥ 3", 5, ["a comparison", "'≥'"]),
        ("HCP / 2", 5, ["a comparison", "'/'"]),
        ("Balanced and", 13, ["an operand"]),
        ("HCP >= ٣", 8, ["an operand"]),
    ],
)
def test_syntax_error_says_where_and_what_was_expected(text, position, words):
    with pytest.raises(InvalidExpression, match=f"at character {position},") as caught:
        parse_expression(text)
    message = str(caught.value)
    for word in words:
        assert word in message
    if text and not text.lstrip().startswith("#"):
        _, shown, caret = message.split("\n")
        assert shown == f"  {text}"
        assert caret.index("^") == position + 1


def test_caret_stands_under_the_place_in_a_long_or_later_line():
    text = "HCP >= 3 and\n" + "Balanced and " * 20 + "@"
    with pytest.raises(InvalidExpression) as caught:
        parse_expression(text)
    _, shown, caret = str(caught.value).split("\n")
    assert len(shown) <= 82
    assert shown[caret.index("^")] == "@"


@pytest.mark.parametrize("text", ["QT >= 2.25", "QT >= 2.05", "HCP >= 1000000", "QT >= 0.55"])
def test_numbers_out_of_range(text):
    with pytest.raises(InvalidExpression, match=r"expected an? (integer|number)"):
        parse_expression(text)


@pytest.mark.parametrize("text", ["'533'", "'5333'", "'53320'", "'abcd'", "'53-2'", "'٥٣٣٢'"])
def test_bad_patterns(text):
    with pytest.raises(InvalidExpression, match="expected a hand pattern"):
        parse_expression(f"Pattern == {text}")


def test_pattern_in_suit_order_is_refused_with_the_sorted_one():
    with pytest.raises(InvalidExpression, match="'5431', got '1435'"):
        parse_expression("Pattern == '1435'")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 4_999 + "1" + ")" * 4_999,
        "(" * 10_000 + "1" + ")" * 10_000,
        "not " * 2_000 + "Balanced",
        "-" * 9_000 + "1",
        "(" * 9_000,
        "HCP " * 300_000,
    ],
    ids=["parentheses", "20,000 characters", "not", "minus", "open", "megabyte"],
)
def test_deep_or_huge_texts_are_refused(text):
    with pytest.raises(InvalidExpression, match=r"expected (at most|an expression of at most)"):
        parse_expression(text)


def test_long_flat_text_parses():
    text = " or ".join(["SL_S >= 5"] * 700)
    assert len(text) < LONGEST_TEXT
    assert len(parse_expression(text).operands) == 700
    assert depth_of(parse_expression("(" * DEEPEST_NESTING + "HCP" + ")" * DEEPEST_NESTING)) == 1


# --- lowering ----------------------------------------------------------------


def value_by_tree(expression, hand):
    """Second reading of the language: exact fractions, straight from the tree."""
    match expression:
        case TermName("QT"):
            return Fraction(term_value("QT", hand), 2)
        case TermName("Top2of3_C"):
            return Fraction(term_value("Top3_C", hand) >= 2)
        case TermName(name):
            return Fraction(term_value(name, hand))
        case Number(halves):
            return Fraction(halves, 2)
        case Truth(value):
            return Fraction(value)
        case Shape(pattern):
            return Fraction(int(pattern, 16))
        case Negative(operand):
            return -value_by_tree(operand, hand)
        case Not(operand):
            return Fraction(value_by_tree(operand, hand) == 0)
        case And(operands):
            return Fraction(all(value_by_tree(operand, hand) for operand in operands))
        case Or(operands):
            return Fraction(any(value_by_tree(operand, hand) for operand in operands))
        case Product(factors):
            product = Fraction(1)
            for factor in factors:
                product *= value_by_tree(factor, hand)
            return product
        case Sum(first, rest):
            total = value_by_tree(first, hand)
            for sign, operand in rest:
                total += value_by_tree(operand, hand) * (1 if sign == "+" else -1)
            return total
        case Comparison(first, rest):
            left = value_by_tree(first, hand)
            for operator, operand in rest:
                right = value_by_tree(operand, hand)
                if not {
                    "<": left < right, "<=": left <= right, "==": left == right,
                    "!=": left != right, ">=": left >= right, ">": left > right,
                }[operator]:  # fmt: skip
                    return Fraction(0)
                left = right
            return Fraction(1)
    raise AssertionError(expression)


@given(expressions, hands())
def test_lowered_code_means_what_the_tree_means(expression, hand):
    code = to_postfix(expression, GIB)
    assert evaluate_postfix(code, hand) == int(value_by_tree(expression, hand) != 0)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("HCP >= 15", ("HCP", 15, ">=")),
        ("15 <= HCP", ("HCP", 15, ">=")),
        ("not HCP < 15", ("HCP", 15, ">=")),
        ("HCP >= 10 + 5", ("HCP", 15, ">=")),
        ("15 <= HCP <= 17", ("HCP", 15, ">=", "HCP", 17, "<=", "and")),
        ("Balanced == True", ("Balanced",)),
        ("Balanced != False", ("Balanced",)),
        ("Balanced == False", ("Balanced", "not")),
        ("not not Balanced", ("Balanced",)),
        ("SL_S >= SL_H", ("SL_S", "SL_H", ">=")),
        ("SL_S", ("SL_S", 0, "!=")),
        ("QT >= 2.5", ("QT", 5, ">=")),
        ("QT >= 2", ("QT", 4, ">=")),
        ("-0.5 <= QT - 1 <= 0.5", ("QT", 2, "-", -1, ">=", "QT", 2, "-", 1, "<=", "and")),
        ("HCP + QT >= 12.5", ("HCP", 2, "*", "QT", "+", 25, ">=")),
        ("Pattern == '5332'", ("Pattern", 0x5332, "==")),
        ("'A210' != Pattern", ("Pattern", 0xA210, "!=")),
        ("Stop_In_S", ("Stopper_S",)),
        ("Top2of3_H", ("Top3_H", 2, ">=")),
        ("True", (1,)),
        ("2 > 3", (0,)),
        ("Forcing_To_3N", (1,)),
    ],
)
def test_code(text, code):
    assert to_postfix(parse_expression(text), GIB) == code


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("HCP >= 2.5", "a half only beside quick tricks"),
        ("HCP + 0.5 >= 2", "a half only beside quick tricks"),
        ("QT * 2 >= 5", "no product with quick tricks"),
        ("HCP * 1.5 >= 5", "no product with quick tricks or halves"),
        ("Pattern >= '5332'", "Pattern == or !="),
        ("Pattern == 5332", "Pattern == or !="),
        ("HCP == '5332'", "Pattern == or !="),
        ("Pattern", "such as Pattern == '5332'"),
        ("'5332'", "on its own"),
        ("Pattern + 1 >= 3", "such as Pattern == '5332'"),
        ("not Forcing_One_Round", "can only stand on its own"),
        ("Forcing_One_Round == True", "can only stand on its own"),
        ("HCP and Opponents_Cannot_Play_Undoubled_Below_2N", "can only stand on its own"),
        ("999999 * 999999 > HCP", "values within"),
        ("HCP * HCP * HCP * HCP * HCP * HCP * HCP > 0", "values within"),
        (" + ".join(["HCP"] * 400) + " > 3", "operations"),
    ],
)
def test_what_cannot_be_lowered(text, words):
    with pytest.raises(InvalidExpression, match=words):
        to_postfix(parse_expression(text), GIB)


def test_nested_chains_do_not_explode():
    text = "HCP"
    for _ in range(30):
        text = f"0 <= ({text}) <= 1"
    with pytest.raises(InvalidExpression, match="operations"):
        to_postfix(parse_expression(text), GIB)


def test_largest_code_is_within_reach_of_recursive_readers():
    hand = parse_hand("AKQJT98765432...")
    code = to_postfix(parse_expression(" + ".join(["HCP"] * 249) + " == 2490"), GIB)
    assert evaluate_postfix(code, hand) == 1
    assert literals_of(to_tree(code)) == [Interval((("HCP", 1),), 10, 10)]
    for word in ("and", "or"):
        code = to_postfix(parse_expression(f" {word} ".join(["SL_S >= SL_H"] * 125)), GIB)
        assert literals_of(to_tree(code))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Stoper_S", "did you mean 'Stopper_S'"),
        ("hcp", "did you mean 'HCP'"),
        ("HCP_N", "write 'HCP'"),
        ("SL_N_S", "write 'SL_S'"),
        ("SL_S_H", "write 'SL_H'"),
    ],
)
def test_unknown_term_names_the_nearest(name, hint):
    with pytest.raises(UnknownTerm, match=f"unknown term '{name}'; .*{hint}"):
        to_postfix(parse_expression(f"{name} >= 2"), GIB)


def test_unknown_term_without_a_neighbour():
    with pytest.raises(UnknownTerm, match=r"^unknown term 'Zebra'$"):
        to_postfix(parse_expression("Zebra"), GIB)


# --- the published expressions ----------------------------------------------------------------


@pytest.mark.real_data
def test_published_expressions_parse_print_and_lower(shared_data):
    texts = (shared_data / "table" / "bbo_bidding_expressions.txt").read_text("utf-8").split("\n")
    assert len(texts) == 349
    for profile in ("gib", "mlbridge"):
        vocabulary = Vocabulary(profile)
        codes = set()
        for text in texts:
            expression = parse_expression(text)
            assert str(expression) == text
            assert parse_with_grammar(text) == expression
            codes.add(to_postfix(expression, vocabulary))
        assert len(codes) == 349


@pytest.mark.real_data
def test_published_terms_are_known(shared_data):
    names = (shared_data / "table" / "bbo_bidding_vocabulary.txt").read_text("utf-8").split()
    assert len(names) == 55
    for profile in ("gib", "mlbridge"):
        vocabulary = Vocabulary(profile)
        assert all(name in vocabulary for name in names)
        assert [name for name in names if vocabulary.is_tag(name)] == [
            "Opponents_Cannot_Play_Undoubled_Below_2N"
        ]
