"""Random expressions of the language, and hands to test them on."""

from hypothesis import strategies as st

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
)

NUMBERS = ("HCP", "SL_S", "SL_H", "Total_Points", "Losers", "Longest_Suit", "HCP_D")
TRUTHS = ("Balanced", "Stopper_S", "C_HQ", "Top2of3_C", "Vul_We")
SHAPES = ("4333", "5332", "6421", "A210", "D000")

leaves = st.one_of(
    st.sampled_from(NUMBERS + TRUTHS).map(TermName),
    st.integers(0, 40).map(lambda value: Number(2 * value)),
    st.booleans().map(Truth),
)
pattern_tests = st.builds(
    lambda operator, shape: Comparison(TermName("Pattern"), ((operator, Shape(shape)),)),
    st.sampled_from(("==", "!=")),
    st.sampled_from(SHAPES),
)
quick_trick_tests = st.builds(
    lambda extra, operator, halves: Comparison(
        Sum(TermName("QT"), (("+", TermName(extra)),)), ((operator, Number(halves)),)
    ),
    st.sampled_from(NUMBERS),
    st.sampled_from(COMPARATORS),
    st.integers(0, 40),
)


def chains(operators, operands):
    return st.lists(st.tuples(st.sampled_from(operators), operands), min_size=1, max_size=3).map(
        tuple
    )


def larger(operands):
    several = st.lists(operands, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Negative, operands),
        st.builds(Not, operands),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Product, st.lists(operands, min_size=2, max_size=2).map(tuple)),
        st.builds(Sum, operands, chains("+-", operands)),
        st.builds(Comparison, operands, chains(COMPARATORS, operands)),
    )


expressions = st.recursive(
    st.one_of(leaves, pattern_tests, quick_trick_tests), larger, max_leaves=12
)


@st.composite
def hands(draw):
    cards = draw(st.permutations(range(52)))[:13]
    return sum(1 << card for card in cards)
