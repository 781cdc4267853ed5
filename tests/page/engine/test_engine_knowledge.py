"""Sets of cells and choices of the browser's engine are those of the reference."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, BidcascadeError
from bidcascade.systems import open_system
from bidcascade.systems.places import knowledge
from bidcascade.systems.places.one_deal import in_one_deal
from bidcascade.systems.places.places import Place
from bidcascade.systems.reference.place_entries import Expander
from bidcascade.systems.system import System
from bidcascade.table.language.expression_tree import COMPARATORS, Expression
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.lowering import tree_of
from bidcascade.table.language.vocabulary import Vocabulary
from tests.page.engine.support_engine import HEX, as_hex
from tests.support.examples import examples, sized
from tests.support.expressions import expressions
from tests.support.systems import definition_of

pytestmark = pytest.mark.slow

GIB = Vocabulary()
CHOOSER = random.Random(5)
NAMES = [name for name in GIB.names if name != "Pattern"]


def random_places(expander: Expander, count: int) -> list[Place]:
    """Places of random auctions: mostly calls of the system, now and then another legal one."""
    found: list[Place] = []
    for _ in range(count):
        auction = Auction()
        while not auction.is_complete and len(auction.calls) < 14:
            place = expander.place(auction.calls)
            found.append(place)
            known = [entry.call for entry in place.entries]
            legal = list(auction.legal_calls())
            calls = known if known and CHOOSER.random() < 0.8 else legal[:12]
            auction = auction.add(CHOOSER.choice(calls))
    return found


@pytest.fixture(scope="module")
def places() -> list[Place]:
    """Places of some hundred auctions of SAYC."""
    return random_places(Expander(open_system("sayc").rules), 150)


@pytest.fixture(scope="module")
def criteria(places) -> list[Expression]:
    """All criteria of the places, each once."""
    return list(
        dict.fromkeys(one for place in places for entry in place.entries for one in entry.criteria)
    )


def random_test(chooser: random.Random) -> str:
    """Comparison of terms of all kinds."""
    one, two = chooser.choice(NAMES), chooser.choice(NAMES)
    operator = chooser.choice(COMPARATORS)
    low, high = GIB.range(one)
    value = chooser.randint(low, high) // GIB.scale(one)
    return chooser.choice([
        one, f"{one} {operator} {value}", f"{one} {operator} {two}", f"{value} {operator} {one}",
        f"{one} + {two} {operator} {value}", f"2 * {one} - {two} {operator} {value}",
        f"Pattern {chooser.choice(['==', '!='])} '{chooser.choice(['5332', '4441', '7321'])}'",
    ])  # fmt: skip


def random_criterion(chooser: random.Random) -> Expression:
    """Some tests joined, of which some are denied."""
    while True:
        tests = [
            chooser.choice(["", "", "", "not "]) + f"({random_test(chooser)})"
            for _ in range(chooser.randint(1, 4))
        ]
        text = tests[0]
        for test in tests[1:]:
            text = f"({text}) {chooser.choice(['and', 'and', 'or'])} {test}"
        expression = parse_expression(text)
        try:
            tree_of(expression, GIB)
        except BidcascadeError:
            continue
        return expression


RANDOM = [random_criterion(CHOOSER) for _ in range(400)]

CONSTRAINTS = f"""async (load, text) => {{
    {HEX}
    const {{load: open}} = await load("load");
    const inCells = cells => asHex(cells).slice(0, 560 * 38 / 4);
    return open(text, {{name: "<text>"}}).expand([]).entries.map(({{name, constraint}}) =>
        [name, inCells(constraint.can), inCells(constraint.must), asHex(constraint.proportion)]);
}}"""


def constraints_agree(engine, tested):
    """Compare the cells, and the shares of them, that lines with criteria have."""
    lines = [f"  1C = Test {number}: {{{one}}}" for number, one in enumerate(tested)]
    text = "\n".join(["opening:", *lines])
    told = engine(CONSTRAINTS, text)
    entries = definition_of(System.parse(text)).place(()).entries
    assert [name for name, *_ in told] == [one.name for one in entries]
    for one, (_, can, must, shares) in zip(entries, told, strict=True):
        bounds = knowledge.bounds(one.expression, GIB)
        assert [can, must] == list(map(as_hex, bounds)), str(one.expression)
        parts = np.frombuffer(bytes.fromhex(shares))
        expected = knowledge.proportion(one.expression, GIB).ravel()
        assert np.abs(parts - expected).max() < 1e-12, str(one.expression)


def test_cells_of_sayc(engine, criteria):
    assert len(criteria) > 300
    constraints_agree(engine, criteria[:: sized(12, 1)])


def test_cells_of_random_criteria(engine):
    constraints_agree(engine, RANDOM[:: sized(4, 1)])


def test_cells_of_factors(engine):
    texts = [
        "14 * Losers <= 90", "2 * Losers != 7", "2 * Losers == 7", "-3 * Losers + 6 * Aces > 7",
        "6 - 2 * Kings < 1", "4 * Losers - 6 * Controls >= 9", "2 * Losers + 2 * Controls != 14",
        "0 * Losers == 0", "3 * Vul_We >= 2", "2 * HCP - 4 * Seat <= 9", "not (3 * Losers >= 20)",
        "Losers - Losers + HCP > 3", "Losers * Controls > 9",
    ]  # fmt: skip
    constraints_agree(engine, [parse_expression(text) for text in texts])


@examples(25, 100)
@given(expression=expressions)
def test_cells_of_any_expression(engine, expression):
    try:
        tree_of(expression, GIB)
    except BidcascadeError:
        with pytest.raises(Exception, match="expected"):
            engine(CONSTRAINTS, f"opening:\n  1C = Test: {{{expression}}}")
    else:
        constraints_agree(engine, [expression])


# --- sets of cells -------------------------------------------------------------------------------


@st.composite
def sets_of_cells(draw: st.DrawFn) -> int:
    """Cells by criteria, single cells, some at random, or none."""
    cells = draw(
        st.sampled_from(
            [
                lambda: knowledge.bounds(draw(st.sampled_from(RANDOM)), GIB)[
                    draw(st.integers(0, 1))
                ],
                lambda: 1 << draw(st.integers(0, 560 * 38 - 1)),
                lambda: sum(
                    1 << one for one in draw(st.sets(st.integers(0, 560 * 38 - 1), max_size=9))
                ),
                lambda: random.Random(draw(st.integers())).getrandbits(560 * 38),
                lambda: 0,
            ]
        )
    )()
    return cells & knowledge.EVERYTHING


@given(one=sets_of_cells(), two=sets_of_cells())
def test_sets(engine, one, two):
    told = engine(
        f"""async (load, texts) => {{
            {HEX}
            const know = await load("places/cells");
            const [one, two] = texts.map(ofHex);
            const sets = [know.intersect(one, two), know.union(one, two), know.without(one, two)];
            const filled = [one, two, ...sets].filter(cells => !know.isEmpty(cells));
            return {{
                sets: sets.map(asHex),
                hulls: filled.map(know.hull),
                shares: [know.share(one), know.share(two)],
            }};
        }}""",
        [as_hex(one), as_hex(two)],
    )
    sets = [one & two, one | two, one & ~two]
    filled = [cells for cells in (one, two, *sets) if cells]
    assert told["sets"] == list(map(as_hex, sets))
    assert told["hulls"] == [
        {"points": list(points), "lengths": list(map(list, lengths))}
        for points, lengths in map(knowledge.hull, filled)
    ]
    assert told["shares"] == [knowledge.share(one), knowledge.share(two)]


def test_all_hands(engine):
    told = engine(
        """async (load) => {
            const know = await load("places/cells");
            const { LENGTHS, POINTS } = await load("places/shapes");
            const hands = know.handsOfCells();
            let wrong = "";
            try { know.hull(new Uint32Array(666)); } catch (error) { wrong = error.message; }
            return [LENGTHS, POINTS, Array.from(hands), wrong];
        }"""
    )
    with pytest.raises(ValueError, match="expected") as error:
        knowledge.hull(0)
    hands = knowledge.HANDS.ravel().tolist()
    assert told == [knowledge.LENGTHS.tolist(), knowledge.POINTS, hands, str(error.value)]


def test_hands_of_one_deal(engine):
    hulls = [
        [knowledge.hull(cells) for cells in chosen if cells]
        for chosen in (
            [knowledge.bounds(CHOOSER.choice(RANDOM), GIB).can for _ in range(4)]
            for _ in range(200)
        )
    ]
    deals = [deal for deal in hulls if len(deal) == 4]
    plain = [[{"points": points, "lengths": lengths} for points, lengths in deal] for deal in deals]
    told = engine(
        "async (load, deals) => deals.map((await load('places/one_deal')).inOneDeal)", plain
    )
    for deal, answer in zip(deals, told, strict=True):
        assert answer == [
            {"points": list(points), "lengths": list(map(list, lengths))}
            for points, lengths in in_one_deal(deal)
        ]
