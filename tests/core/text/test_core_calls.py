"""Call patterns stand for the same calls in the core as by the definition."""

import ctypes
import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.auctions.patterns import (
    Bindings,
    all_bindings,
    fixed_call,
    letter_of,
    match_call,
)
from bidcascade.systems.language.tree.syntax_tree import (
    ROLES,
    VARIABLES,
    AuctionStep,
    CallPattern,
)
from bidcascade.systems.places.contexts import LineGroup
from bidcascade.systems.reference.place_entries import below_bindings
from bidcascade.systems.rows.text_rows import TextRows
from tests.core.text.core_texts import (
    STRAINS,
    CoreText,
    Definition,
    Noted,
    answer_by,
    outcome,
    packed,
    pointer,
    probe,
    text_of,
    unpacked,
)

CALLS = range(38)
WORDS = (
    "C",
    "D",
    "H",
    "S",
    "NT",
    "clubs",
    "diamonds",
    "hearts",
    "spades",
    *VARIABLES,
    *ROLES,
    "nobody's suit",
)
PATTERNS = (
    *(CallPattern(kind) for kind in ("pass", "double", "redouble", "any", "any bid")),
    *(
        CallPattern(kind, level, strain)
        for kind in ("bid", "transfer")
        for level in range(8)
        for strain in WORDS
    ),
    *(CallPattern("bid", None, strain) for strain in WORDS),
    *(
        CallPattern(kind, None, strain)
        for kind in ("cheapest", "jump", "double jump", "game")
        for strain in WORDS
    ),
)
"""Every call pattern that a text can have, and some more."""


@pytest.fixture(scope="module")
def core() -> Iterator[CoreText]:
    rows = TextRows(text_of({}))
    assert [rows.call_pattern(one) for one in PATTERNS] == list(range(len(PATTERNS)))
    with CoreText(rows) as opened:
        yield opened


def some_bindings(chooser: random.Random) -> Bindings:
    """Bindings of some variables, also such as no text has together."""
    share = chooser.choice((0, 0.2, 0.5, 1))
    found = {name: chooser.choice("CDHS") for name in VARIABLES if chooser.random() < share}
    return found | ({"n": str(chooser.randint(1, 7))} if chooser.random() < 0.4 else {})


def test_patterns_match_calls(core: CoreText) -> None:
    chooser = random.Random(3)
    for number, pattern in enumerate(PATTERNS):
        for _ in range(12):
            bindings = some_bindings(chooser)
            for call in CALLS:
                bound = ctypes.c_uint32(packed(bindings))
                matches = core.call("match", number, call, ctypes.byref(bound))
                expected = match_call(pattern, call, bindings)
                assert unpacked(bound.value) == (bindings if expected is None else expected)
                assert bool(matches) == (expected is not None), (pattern, call, bindings)


def test_fixed_calls(core: CoreText) -> None:
    for number, pattern in enumerate(PATTERNS):
        expected = fixed_call(pattern)
        assert core.call("fixed", number) == (-1 if expected is None else expected)


def test_patterns_make_calls(core: CoreText) -> None:
    chooser = random.Random(4)
    definition = Definition({})
    errors = 0
    for number, pattern in enumerate(PATTERNS):
        for _ in range(40):
            bindings = some_bindings(chooser)
            noted = Noted(answer_by(chooser.randint))
            expected = outcome(lambda: definition.pattern_calls(pattern, bindings, noted))  # noqa: B023
            again = Noted(lambda row: noted.asked[row.tobytes()])  # noqa: B023
            found = outcome(lambda: core.pattern_calls(number, bindings, again))  # noqa: B023
            assert found == expected, (pattern, bindings)
            assert list(again.asked) == list(noted.asked)
            errors += isinstance(found, str)
    assert errors > 0


def test_letters(core: CoreText) -> None:
    chooser = random.Random(5)
    for word in WORDS:
        number = core.rows.word(word)
        for _ in range(40):
            bindings = some_bindings(chooser)
            expected = letter_of(word, bindings)
            found = core.call("letter", number, packed(bindings))
            assert found == (0 if expected is None else STRAINS.index(expected) + 1)


@given(
    names=st.lists(st.sampled_from(VARIABLES), max_size=4),
    seed=st.integers(0, 1 << 32),
)
def test_ways_to_bind(names: list[str], seed: int) -> None:
    bindings = some_bindings(random.Random(seed))
    variables = np.array([VARIABLES.index(name) for name in names], np.int32)
    found = np.zeros(256, np.uint32)
    count = probe().ways_to_bind(pointer(variables), len(names), packed(bindings), pointer(found))
    assert list(map(unpacked, found[:count].tolist())) == list(all_bindings(names, bindings))


def test_groups_below_a_line(core: CoreText) -> None:
    chooser = random.Random(6)
    for _ in range(3000):
        bindings, call = some_bindings(chooser), chooser.choice(CALLS)
        numbers = [chooser.randrange(len(PATTERNS)) for _ in range(chooser.randint(1, 3))]
        step = AuctionStep(tuple(PATTERNS[number] for number in numbers), theirs=True)
        is_pass = chooser.random() < 0.1
        group = LineGroup((), None, None if is_pass else step, False, (), (), (0, 0, 0, 0), 0)
        expected = below_bindings(group, bindings, call)
        bound = ctypes.c_uint32(packed(bindings))
        some = None if is_pass else pointer(np.array(numbers, np.int32))
        matches = core.call("match_below", some, len(numbers), call, ctypes.byref(bound))
        assert (unpacked(bound.value) if matches else None) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        CallPattern("bid", 8, "C"),
        CallPattern("bid", -1, "C"),
        CallPattern("leap", 2, "C"),
    ],
)
def test_no_call(pattern: CallPattern) -> None:
    with pytest.raises(InvalidSystem, match="expected a call"):
        TextRows(text_of({})).call_pattern(pattern)


@pytest.mark.parametrize("number", [-1, len(PATTERNS), 1 << 30])
def test_no_pattern(core: CoreText, number: int) -> None:
    with pytest.raises(InvalidSystem, match="expected a condition of the text"):
        core.pattern_calls(number, {}, lambda row: 0)


def test_no_answer(core: CoreText) -> None:
    number = PATTERNS.index(CallPattern("bid", 2, "their suits"))
    for answer in (-1, 7, 8, 1 << 20, 2**31 - 1):
        with pytest.raises(InvalidSystem, match="answers of a place"):
            core.pattern_calls(number, {}, lambda row: answer)  # noqa: B023
    cheapest = PATTERNS.index(CallPattern("bid", 0, "X"))
    for answer in (2**31 - 1, 38, 37):
        assert core.pattern_calls(cheapest, {}, lambda row: answer) == []  # noqa: B023
    assert len(core.pattern_calls(cheapest, {}, lambda row: -(2**31))) == 28
