"""Sets of cells and choices of the browser's engine are those of the reference."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, BidcascadeError
from bidcascade.kernels.layout import contexts
from bidcascade.systems import knowledge, open_system
from bidcascade.systems.choice import check_candidates, choose
from bidcascade.systems.one_deal import in_one_deal
from bidcascade.systems.places import Place
from bidcascade.systems.reference.expansion import Expander
from bidcascade.table.language.expression_tree import COMPARATORS, Expression
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.lowering import tree_of
from bidcascade.table.language.vocabulary import Vocabulary
from tests.support_expressions import expressions, hands
from tests.web.engine.support_engine import HEX, as_context, as_hex, as_holdings

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

BOUNDS = f"""async (load, texts) => {{
    {HEX}
    const {{bounds}} = await load("knowledge");
    const {{parseExpression}} = await load("expression_reader");
    return texts.map(text => {{
        const {{can, must}} = bounds(parseExpression(text));
        return [asHex(can), asHex(must)];
    }});
}}"""


def bounds_agree(engine, tested):
    told = engine(BOUNDS, list(map(str, tested)))
    for one, cells in zip(tested, told, strict=True):
        assert cells == list(map(as_hex, knowledge.bounds(one, GIB))), str(one)


def test_bounds_of_sayc(engine, criteria):
    assert len(criteria) > 300
    bounds_agree(engine, criteria)


def test_bounds_of_random_criteria(engine):
    bounds_agree(engine, RANDOM)


def test_bounds_of_factors(engine):
    texts = [
        "14 * Losers <= 90", "2 * Losers != 7", "2 * Losers == 7", "-3 * Losers + 6 * Aces > 7",
        "6 - 2 * Kings < 1", "4 * Losers - 6 * Controls >= 9", "2 * Losers + 2 * Controls != 14",
        "0 * Losers == 0", "3 * Vul_We >= 2", "2 * HCP - 4 * Seat <= 9", "not (3 * Losers >= 20)",
        "Losers - Losers + HCP > 3", "Losers * Controls > 9",
    ]  # fmt: skip
    bounds_agree(engine, [parse_expression(text) for text in texts])


@given(expression=expressions)
def test_bounds_of_any_expression(engine, expression):
    try:
        tree_of(expression, GIB)
    except BidcascadeError:
        with pytest.raises(Exception, match="expected"):
            engine(BOUNDS, [str(expression)])
    else:
        bounds_agree(engine, [expression])


def test_proportions(engine, criteria):
    tested = [*CHOOSER.sample(criteria, 100), *RANDOM[:100]]
    told = engine(
        f"""async (load, texts) => {{
            {HEX}
            const {{proportion}} = await load("knowledge");
            const {{parseExpression}} = await load("expression_reader");
            return texts.map(text => asHex(proportion(parseExpression(text))));
        }}""",
        list(map(str, tested)),
    )
    for one, text in zip(tested, told, strict=True):
        parts = np.frombuffer(bytes.fromhex(text))
        assert np.abs(parts - knowledge.proportion(one, GIB).ravel()).max() < 1e-12, str(one)


# --- sets of cells -------------------------------------------------------------------------------


@st.composite
def sets_of_cells(draw: st.DrawFn) -> int:
    """Cells by criteria, single cells, some at random, or none."""
    cells = draw(st.sampled_from([
        lambda: knowledge.bounds(draw(st.sampled_from(RANDOM)), GIB)[draw(st.integers(0, 1))],
        lambda: 1 << draw(st.integers(0, 560 * 38 - 1)),
        lambda: sum(1 << one for one in draw(st.sets(st.integers(0, 560 * 38 - 1), max_size=9))),
        lambda: random.Random(draw(st.integers())).getrandbits(560 * 38),
        lambda: 0,
    ]))()  # fmt: skip
    return cells & knowledge.EVERYTHING


@given(one=sets_of_cells(), two=sets_of_cells(), names=st.lists(st.sampled_from(GIB.names)),
       expression=st.sampled_from(RANDOM))  # fmt: skip
def test_sets(engine, one, two, names, expression):
    told = engine(
        f"""async (load, [texts, names, text]) => {{
            {HEX}
            const know = await load("knowledge");
            const {{parseExpression}} = await load("expression_reader");
            const [one, two] = texts.map(ofHex);
            const sets = [know.intersect(one, two), know.union(one, two), know.without(one, two)];
            const filled = [one, two, ...sets].filter(cells => !know.isEmpty(cells));
            return {{
                sets: sets.map(asHex),
                same: [know.sameCells(one, two), know.sameCells(one, ofHex(texts[0]))],
                hulls: filled.map(know.hull),
                shares: [know.share(one), know.share(two, one), know.share(one, two)],
                fitting: sets.map(cells => know.shareOf(parseExpression(text), cells)),
                ranges: filled.map(cells => names.map(name => know.termRange(cells, name))),
            }};
        }}""",
        [[as_hex(one), as_hex(two)], names, str(expression)],
    )
    sets = [one & two, one | two, one & ~two]
    filled = [cells for cells in (one, two, *sets) if cells]
    assert told["sets"] == list(map(as_hex, sets))
    assert told["same"] == [one == two, True]
    assert told["hulls"] == [
        {"points": list(points), "lengths": list(map(list, lengths))}
        for points, lengths in map(knowledge.hull, filled)
    ]
    assert told["shares"] == [
        knowledge.share(one), knowledge.share(two, one), knowledge.share(one, two)
    ]  # fmt: skip
    expected = [knowledge.share_of(expression, cells, GIB) for cells in sets]
    assert told["fitting"] == pytest.approx(expected, abs=1e-9)
    assert told["ranges"] == [
        [list(knowledge.term_range(cells, name, GIB)) for name in names] for cells in filled
    ]


def test_everything(engine):
    told = engine(
        f"""async (load) => {{
            {HEX}
            const know = await load("knowledge");
            const empty = know.without(know.EVERYTHING, know.EVERYTHING);
            const wrong = [() => know.hull(empty), () => know.termRange(empty, "HCP"),
                           () => know.termRange(know.EVERYTHING, "Forcing")];
            return [asHex(know.EVERYTHING), know.LENGTHS, Array.from(know.HANDS),
                    [know.SHAPES, know.POINTS], wrong.map(one => {{
                        try {{ return one(); }} catch (error) {{ return error.message; }}
                    }})];
        }}"""
    )
    assert told[0] == as_hex(knowledge.EVERYTHING)
    assert told[1] == knowledge.LENGTHS.tolist()
    assert told[2] == knowledge.HANDS.ravel().tolist()
    assert told[3] == [knowledge.SHAPES, knowledge.POINTS]
    wrong = []
    for asked in (
        lambda: knowledge.hull(0),
        lambda: knowledge.term_range(0, "HCP", GIB),
        lambda: knowledge.term_range(knowledge.EVERYTHING, "Forcing", GIB),
    ):
        with pytest.raises(ValueError, match="expected") as error:
            asked()
        wrong.append(str(error.value))
    assert told[4] == wrong


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
    told = engine("async (load, deals) => deals.map((await load('one_deal')).inOneDeal)", plain)
    for deal, answer in zip(deals, told, strict=True):
        assert answer == [
            {"points": list(points), "lengths": list(map(list, lengths))}
            for points, lengths in in_one_deal(deal)
        ]


# --- choices -------------------------------------------------------------------------------------


@given(data=st.data(), hand=hands(), context=st.sampled_from(contexts()))
def test_choices(engine, places, data, hand, context):
    place = data.draw(st.sampled_from(places))
    entries = [
        {"call": entry.call, "criteria": list(map(str, entry.criteria))} for entry in place.entries
    ]
    told = engine(
        """async (load, [entries, forced, hand, context]) => {
            const {checkCandidates, choose} = await load("choice");
            const {parseExpression} = await load("expression_reader");
            for (const entry of entries) entry.criteria = entry.criteria.map(parseExpression);
            const number = entry => entry && entries.indexOf(entry);
            const {call, entry, forced: must} = choose({entries, forced}, hand, context);
            const checked = checkCandidates(entries, hand, context).map(one =>
                [number(one.entry), one.holds, one.checks, number(one.takenBy)]);
            return [call, number(entry), must, checked];
        }""",
        [entries, place.forced, as_holdings(hand), as_context(context)],
    )

    def number(entry):
        return None if entry is None else place.entries.index(entry)

    choice = choose(place, hand, context, GIB)
    assert told[:3] == [choice.call, number(choice.entry), choice.forced]
    assert told[3] == [
        [number(one.entry), one.holds, list(one.checks), number(one.taken_by)]
        for one in check_candidates(place.entries, hand, context, GIB)
    ]
