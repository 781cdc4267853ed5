"""Conditions become the same in the core as by the definition, and ask the same."""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem
from bidcascade.kernels.core import rows as arrays
from bidcascade.systems.auctions.auction_reader import term_bounds
from bidcascade.systems.language.auctions.patterns import Bindings
from bidcascade.systems.language.tree.syntax_tree import (
    ROLES,
    VARIABLES,
    AllOf,
    AnyOf,
    CallPattern,
    Condition,
    Define,
    NotThis,
    Phrase,
    Range,
    Where,
)
from bidcascade.systems.language.words.phrases import COUNTED, KINDS
from bidcascade.systems.places.formulas import in_range, negation
from bidcascade.systems.places.places import Rules
from bidcascade.systems.rows.structure_rows import StructureRows
from bidcascade.systems.rows.text_rows import TextRows
from bidcascade.systems.system import System
from bidcascade.table.language.expression_tree import And, Expression, Truth
from tests.core.text.asking import number_tags
from tests.core.text.core_texts import (
    CoreText,
    Definition,
    Noted,
    answer_by,
    outcome,
    pointer,
    probe,
    tags,
    text_of,
)
from tests.support.examples import some_in_check
from tests.support.systems import SMALL, SMALL_SYSTEM

SHIPPED = ("sayc", "acol", "two-over-one")
CLASSES = {"M": "HS", "oM": "HS", "m": "CD", "om": "CD"}


# --- what the shipped systems could ask ---------------------------------------------------------


def criteria_in(core: CoreText, number: int) -> tuple[Expression, ...] | None:
    """Criteria of an expression by its number; None where it cannot hold."""
    found = np.zeros(1 << 12, np.int32)
    count = core.call("criteria", number, pointer(found))
    return None if count < 0 else tuple(map(core.expression, found[:count].tolist()))


def criteria_from(expression: Expression) -> tuple[Expression, ...] | None:
    """Criteria as the definition takes them from an expression."""
    if isinstance(expression, Truth):
        return () if expression.value else None
    return expression.operands if isinstance(expression, And) else (expression,)


# --- what they could ask --------------------------------------------------------------------------


def random_bindings(chooser: random.Random, share: float) -> Bindings:
    found = {
        name: chooser.choice(CLASSES.get(name, "CDHS"))
        for name in VARIABLES
        if chooser.random() < share
    }
    return found | ({"n": str(chooser.randint(1, 7))} if chooser.random() < 0.5 else {})


def conditions_of(rules: Rules) -> Iterator[Condition]:
    """Conditions of headers, lines, agreements and definitions."""
    for group in StructureRows(rules, TextRows(rules)).groups:
        yield from group.facts
    for line in rules.places.written_lines():
        for one in (line, *line.variants):
            found = (one.condition, *(agreement.condition for agreement in one.agreements))
            yield from (condition for condition in found if condition is not None)
    for define in rules.defines.values():
        yield define.condition


@pytest.mark.parametrize("name", some_in_check((1,), *SHIPPED))
def test_every_condition_of_a_system(name: str) -> None:
    rules = System.open(name).rules
    number_tags(rules)
    rows = TextRows(rules, tags())
    conditions = list(dict.fromkeys(conditions_of(rules)))
    for condition in conditions:
        rows.condition(condition)
    chooser = random.Random(7)
    definition = Definition(rules.defines)
    with CoreText(rows) as core:
        for condition in conditions:
            for share in (0.3, 0.9, 1, 1):
                bindings = random_bindings(chooser, share)
                answer = answer_by(chooser.randint)
                assert_same(core, definition, condition, bindings, Noted(answer))


def assert_same(
    core: CoreText, definition: Definition, condition: Condition, bindings: Bindings, noted: Noted
) -> None:
    """Compare expression or error, questions in order, bounds and the opposite of one condition."""
    number = core.rows.condition(condition)
    expected = outcome(lambda: definition.lower(condition, bindings, noted))
    again = Noted(lambda row: noted.asked[row.tobytes()])
    found = outcome(lambda: core.lower(number, bindings, again))
    assert list(again.asked) == list(noted.asked)
    if isinstance(found, str):
        assert found == expected
        return
    assert core.expression(found) == expected
    assert core.expression(core.call("negation", found)) == negation(expected)
    assert criteria_in(core, found) == criteria_from(expected)
    for promised in (False, True):
        assert np.array_equal(
            core.term_bounds(found, promised=promised), bounds_row(expected, promised=promised)
        )


def bounds_row(expression: Expression, *, promised: bool) -> Any:
    """Bounds of terms as rows of needs have them."""
    row = np.full((len(arrays.TERMS), 2), (-arrays.WIDEST, arrays.WIDEST), np.int16)
    for name, bounds in term_bounds(expression, promised=promised).items():
        if name in arrays.TERMS:
            row[arrays.TERMS.index(name)] = np.clip(bounds, -arrays.WIDEST, arrays.WIDEST)
    return row


# --- what no shipped system asks ------------------------------------------------------------------

WORDS = (*VARIABLES, *VARIABLES, "clubs", "hearts", "S", *ROLES, "nobody's suit")
TEXTS = {
    "honour": ("ace", "king", "ten", "deuce"),
    "shape": ("4=4=3=2", "5-4-x-x", "5+-3-3-2", "4=4=4=4", "6-x-x-x", "4-4-4"),
    "raw": (
        "HCP + SL_S >= 15", "HCP >= 3 and True", "not (SL_S > SL_H or Balanced)",
        "Stop_In_S or Nonsense >= 2", "Forcing_One_Round", "12 <= HCP < 15 and QT >= 2.5",
        "Pattern == '5332' or -HCP * 2 < 3", "HCP >=", "SL_S != 4", "HCP >= 3 or False",
    ),
    "named": (
        "balanced", "unbalanced", "semi-balanced", "good", "either", "round", "ping", "rich",
        "unknown words", "good", "either", "rich",
    ),
    "last call": (
        "bid", "raise", "double", "pass", "#forcing", "#strong", "forcing", "limited", "nothing",
        "jump shift",
    ),
    "last bid": ("", "#strong", "#nobody's"),
    "has called": ("#strong", "strong", "#nobody's"),
    "has shown": ("", *(row.kind for row in COUNTED)),
    "may have": ("", *(row.kind for row in COUNTED)),
}  # fmt: skip
TWO_SUITS = ("longer", "stronger", "at least as long", "ranks above", "same suit")

RANGES = st.builds(
    Range,
    st.integers(0, 30),
    st.none() | st.integers(0, 40),
    st.lists(st.integers(0, 70), max_size=3).map(tuple),
)
PATTERNS = st.builds(
    CallPattern,
    st.sampled_from(("bid", "bid", "cheapest", "jump", "double jump", "game", "transfer", "pass",
                     "double", "any", "any bid")),
    st.none() | st.integers(0, 7),
    st.none() | st.sampled_from((*WORDS, "NT")),
)  # fmt: skip


@st.composite
def phrases(draw: st.DrawFn) -> Phrase:
    """Phrases of all kinds, most of them as a text has them."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    usual = 2 if kind in TWO_SUITS else 1
    count = usual if draw(st.integers(0, 9)) else draw(st.integers(0, 3))
    if kind in TEXTS or "points" in kind or "keycards" in kind or kind == "fit":
        count = draw(st.integers(0, 2))
    return Phrase(
        kind,
        range=draw(RANGES) if draw(st.integers(0, 9)) else None,
        suits=tuple(draw(st.sampled_from(WORDS)) for _ in range(count)),
        count=draw(st.sampled_from((None, 7, 8, 15, 18, 20, 22, 23))),
        of=draw(st.sampled_from((None, 1, 2, 3, 5, 6))),
        who=draw(st.sampled_from((None, "me", "partner", "LHO", "RHO", "we", "they", "nobody"))),
        call=draw(st.none() | PATTERNS),
        text=draw(st.sampled_from(TEXTS.get(kind, ("",)))),
        where=draw(st.sampled_from((Where("", 0), Where("a.bidding", 3), Where("a.bidding", 4)))),
    )


CONDITIONS = st.recursive(
    phrases(),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: AllOf(tuple(parts))),
        st.lists(inner, max_size=4).map(lambda parts: AnyOf(tuple(parts))),
        st.builds(NotThis, inner),
    ),
    max_leaves=8,
)


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Define]:
    """Definitions, of which one uses itself and two each other."""

    def named(name: str, *suits: str) -> Phrase:
        return Phrase("named", suits=suits, text=name, where=Where("d.bidding", 9))

    made = {
        "good": Define("good", ("X",), draw(CONDITIONS)),
        "either": Define("either", ("M", "m"), AnyOf((named("good", "M"), draw(phrases())))),
        "rich": Define("rich", (), draw(phrases())),
        "round": Define("round", ("X",), AllOf((draw(phrases()), named("round", "X")))),
        "ping": Define("ping", (), AnyOf((named("pong"), draw(phrases())))),
        "pong": Define("pong", (), NotThis(named("ping"))),
    }
    kept = draw(st.sets(st.sampled_from(sorted(made))))
    return {name: made[name] for name in made if name in kept}


BINDINGS = st.dictionaries(st.sampled_from(VARIABLES), st.sampled_from("CDHS"), max_size=8).flatmap(
    lambda found: st.sampled_from([found, {**found, "n": "3"}])
)
MISTAKES = (KeyError, ValueError, TypeError, IndexError, OverflowError, AttributeError)
"""What the definition makes of phrases that no text has."""


@given(condition=CONDITIONS, defines=definitions(), bindings=BINDINGS, data=st.data())
def test_any_condition(
    condition: Condition, defines: dict[str, Define], bindings: Bindings, data: st.DataObject
) -> None:
    chooser = random.Random(data.draw(st.integers(0, 1 << 32)))
    number_tags(SMALL.rules)
    rows = TextRows(text_of(defines), tags())
    rows.condition(condition)
    noted = Noted(answer_by(chooser.randint))
    with CoreText(rows) as core:
        try:
            assert_same(core, Definition(defines), condition, bindings, noted)
        except MISTAKES:
            again = Noted(lambda row: noted.asked[row.tobytes()])
            with pytest.raises(InvalidSystem):
                core.lower(rows.condition(condition), bindings, again)
            assert list(again.asked) == list(noted.asked)


@pytest.mark.parametrize(
    ("kind", "game", "levels"),
    [
        ("pays over theirs", 0, {2, 3, 4, 5}),
        ("pays over theirs", 1, {4, 5, 6}),
        ("doubling pays", 0, {4, 5}),
    ],
)
def test_what_pays(kind: str, game: int, levels: set[int]) -> None:
    """All levels and strains, over part scores and over games, whatever has been shown."""
    chooser = random.Random(game)
    usual = answer_by(chooser.randint)
    contract, definition = 0, Definition({})

    def answer(row: Any) -> int:
        match arrays.KINDS[row["kind"]]:
            case "level of bid":
                return contract
            case "game reached":
                return game
            case _:
                return usual(row)

    condition = Phrase(kind, call=CallPattern("bid", 2, "hearts"))
    rows = TextRows(text_of({}))
    rows.condition(condition)
    weighed = set()
    with CoreText(rows) as core:
        for level, strain in product(range(1, 8), range(1, 6)):
            contract = 8 * level + strain
            for _ in range(10):
                noted = Noted(answer)
                assert_same(core, definition, condition, {}, noted)
                found = outcome(lambda noted=noted: definition.lower(condition, {}, noted))
                assert isinstance(found, str) == (strain == 5)
                if strain != 5 and str(found) != "False":
                    weighed.add((level, "> -" in str(found)))
    assert {level for level, _ in weighed} == levels
    # bounds of both signs; a double needs more than anybody has shown
    signs = {False, True} if kind == "pays over theirs" else {False}
    assert {is_negative for _, is_negative in weighed} == signs


def test_every_kind_has_rows() -> None:
    """A phrase of the catalogue is lowered, or is a fact that can be asked."""
    for kind in KINDS:
        suits = ("X", "Y")[: 2 if kind in TWO_SUITS else 1]
        call, text = CallPattern("bid", 2, "C"), TEXTS.get(kind, ("",))[0]
        phrase = Phrase(kind, Range(1), suits, 20, 3, "partner", call, text)
        rows = TextRows(text_of({}))
        number = rows.condition(phrase)
        with CoreText(rows) as core:
            bindings = {"X": "H", "Y": "C"}
            core.expression(core.lower(number, bindings, lambda row: 0))


def test_equal_conditions_are_one() -> None:
    def condition(line: int, points: int = 12) -> Condition:
        return AllOf((Phrase("points", Range(points), where=Where("a", line)), Phrase("forced")))

    rows = TextRows(text_of({"strong": Define("strong", (), condition(0))}))
    first, same, other = map(rows.condition, (condition(1), condition(2), condition(3, 13)))
    part = rows.condition(AnyOf((condition(4), Phrase("forced"))))
    assert rows.condition(None) == -1
    with CoreText(rows) as core:
        # messages of a definition, and of a part, have places of their own
        assert [core.call("subject", number) for number in (first, same, other, part)] == [
            first,
            first,
            other,
            part,
        ]
    assert rows.call_pattern(CallPattern("bid", 2, "M", Where("a", 1))) == rows.call_pattern(
        CallPattern("bid", 2, "M", Where("a", 2))
    )


def test_names_have_formulas() -> None:
    text = "Stop_In_S and Forcing_One_Round and Nonsense >= 2"
    rows = TextRows(text_of({}))
    rows.condition(Phrase("raw", text=text))
    assert set(rows.names[-3:]) == {"Stop_In_S", "Forcing_One_Round", "Nonsense"}
    kinds = {row[0] for row in rows._sections["names"].rows}
    assert kinds == {0, 1, 2}


@pytest.mark.parametrize("depth", [31, 32, 33, 300])
def test_definitions_within_one_another(depth: int) -> None:
    defines = {
        f"d{number}": Define(f"d{number}", (), Phrase("named", text=f"d{number + 1}"))
        for number in range(depth)
    }
    defines[f"d{depth}"] = Define(f"d{depth}", (), Phrase("points", Range(12)))
    condition = Phrase("named", text="d0")
    rows = TextRows(text_of(defines))
    rows.condition(condition)
    with CoreText(rows) as core:
        noted = Noted(lambda row: 0)
        assert_same(core, Definition(defines), condition, {}, noted)


def test_what_would_take_for_ever() -> None:
    every = ("every suit", "every suit")
    defines = {
        f"d{number}": Define(
            f"d{number}", ("X", "Y"), Phrase("named", suits=every, text=f"d{number + 1}")
        )
        for number in range(12)
    }
    defines["d12"] = Define("d12", ("X", "Y"), Phrase("longer", suits=("X", "Y")))
    nested: Condition = Phrase("forced")
    for _ in range(200):
        nested = NotThis(nested)
    defines["deep"] = Define("deep", (), AllOf((nested, nested)))
    defines["deeper"] = Define("deeper", (), AnyOf((Phrase("named", text="deep"), nested)))
    rows = TextRows(text_of(defines))
    endless = rows.condition(Phrase("named", suits=every, text="d0"))
    deeper = rows.condition(defines["deeper"].condition)
    deepest = rows.condition(NotThis(AllOf((NotThis(defines["deeper"].condition), nested))))
    with CoreText(rows) as core:
        with pytest.raises(InvalidSystem, match="expected a condition of fewer parts"):
            core.lower(endless, {}, lambda row: 1)
        assert str(core.expression(core.lower(deeper, {}, lambda row: 0))) == "False"
        assert str(core.expression(core.lower(deepest, {}, lambda row: 0))) == "True"
    nested = Phrase("named", text="deep")
    for _ in range(200):
        nested = NotThis(nested)
    rows = TextRows(text_of({**defines, "deep": Define("deep", (), NotThis(NotThis(nested)))}))
    with CoreText(rows) as core, pytest.raises(InvalidSystem, match="of fewer parts"):
        core.lower(rows.condition(nested), {}, lambda row: 1)


def test_wide_conditions() -> None:
    parts = tuple(Phrase("raw", text=f"HCP + SL_S >= {number % 700}") for number in range(2000))
    condition = AllOf((AnyOf(parts), *parts))
    rows = TextRows(text_of({}))
    rows.condition(condition)
    with CoreText(rows) as core:
        found = core.expression(core.lower(rows.condition(condition), {}, lambda row: 0))
        assert found == Definition({}).lower(condition, {}, lambda row: 0)


@given(value=st.integers(-3, 15), wanted=RANGES)
def test_ranges(value: int, wanted: Range) -> None:
    high = 1 << 30 if wanted.high is None else wanted.high
    also = np.array(wanted.also, np.int32)
    found = probe().is_in_range(value, wanted.low, high, pointer(also), len(also))
    assert bool(found) == in_range(value, wanted)


# --- rows that are no text's ----------------------------------------------------------------------


def rows_of(text: str) -> Any:
    rules = System.parse(text).rules
    rows = TextRows(rules)
    StructureRows(rules, rows)
    return rows.words()


def accepted(words: Any, seed: int = 1) -> int:
    from ctypes import c_uint64

    copied = np.ascontiguousarray(words, np.int32)
    return int(probe().try_rows(pointer(copied), c_uint64(len(copied)), c_uint64(seed)))


FULL_SYSTEM = (
    SMALL_SYSTEM
    + """
define good X = two of the top three in X, 5+ X
define fine M m = good M or stopper in m, {HCP + SL_S >= 15 or Stop_In_S}

when they bid X, partner has shown 4+ M or partner may have 3+ aces, we have a fit in M:
  2NT = Many tests: good M, fine M clubs, X longer than M, M is longest outside their suits
  3NT = Both hands: 25+ combined points, 2 or 4 combined keycards, 8+ combined cards in M
  4M  = Levels: enough points for 4M, law of total tricks at 4M, game is remote, 4=4=3=2
  5M  = Over theirs: 5M pays over theirs
"""
)


def test_a_text_is_read() -> None:
    words = rows_of(FULL_SYSTEM)
    assert accepted(words) > 0
    for length in (0, 1, 13, 14, 15, len(words) - 1):
        assert accepted(words[:length]) == -1
    assert accepted(np.append(words, 0)) == -1


def test_changed_rows_do_no_harm() -> None:
    words = rows_of(FULL_SYSTEM)
    chooser = random.Random(11)
    limits = words[1] + 2 * 151
    refused = 0
    for seed in range(4000):
        changed = words.copy()
        for _ in range(chooser.randint(1, 4)):
            # the limits of terms are many words and hold no places
            first = 0 if chooser.randint(0, 9) == 0 else limits
            place = chooser.randrange(first, len(words))
            changed[place] = chooser.choice(
                (changed[place] + 1, changed[place] - 1, -1, 0, 1, 2, chooser.randint(-200, 200),
                 chooser.randint(-(2**31), 2**31 - 1), words[chooser.randrange(len(words))])
            )  # fmt: skip
        refused += accepted(changed, seed) < 0
    assert 1000 < refused < 4000
