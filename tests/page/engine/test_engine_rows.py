"""The rows that the browser's engine gives to the core are those that Python gives, to the word."""

import numpy as np
import pytest
from hypothesis import given

from bidcascade.systems.language.text_cache import rows_of_tree, tree_of_rows
from bidcascade.systems.language.tree.syntax_tree import Define
from bidcascade.systems.places.places import Rules
from bidcascade.systems.rows.structure_rows import StructureRows
from bidcascade.systems.rows.text_rows import TextRows
from bidcascade.systems.system import System
from tests.core.text.core_texts import text_of
from tests.core.text.test_core_conditions import phrases
from tests.support.examples import examples
from tests.support.systems import SMALL, one_system, systems

pytestmark = pytest.mark.slow

ROWS = """async (load, [given, shared]) => {
    const { systemOfRows } = await load("language/rows");
    const { Rules } = await load("places/places");
    const { TextRows } = await load("rows/text_rows");
    const { StructureRows } = await load("rows/structure_rows");
    const all = given.map((rows) => new Rules(systemOfRows(rows)));
    const digest = async (words) => {
        const bytes = await crypto.subtle.digest("SHA-256", words);
        return Array.from(new Uint8Array(bytes), one => one.toString(16).padStart(2, "0")).join("");
    };
    const made = [];
    const tags = new Map();
    for (const rules of all) {
        const text = new TextRows(rules, shared ? tags : undefined);
        const structure = new StructureRows(rules, text).words();
        made.push([text.words(), structure]);
    }
    if (given.length === 1 && made[0][0].length + made[0][1].length < 1e5) {
        return made.map((one) => one.map((words) => Array.from(words)));
    }
    return Promise.all(made.map((one) => Promise.all(one.map(digest))));
}"""


def rows_of(one, tags=None):
    """Words of text and structure, as the core takes them."""
    # parts that say the same at the same place are one object there
    rules = Rules(tree_of_rows(rows_of_tree(one.text)))
    text = TextRows(rules, tags)
    structure = StructureRows(rules, text).words()
    return text.words(), structure


def digests(words):
    from hashlib import sha256

    return [sha256(np.ascontiguousarray(one, "<i4").tobytes()).hexdigest() for one in words]


def rows_agree(engine, one):
    told = engine(ROWS, [[rows_of_tree(one.text)], False])[0]
    words = rows_of(one)
    expected = digests(words) if isinstance(told[0], str) else [part.tolist() for part in words]
    assert told == expected


@pytest.mark.parametrize("name", one_system("light-openings"))
def test_rows_of_shipped_systems(engine, name):
    rows_agree(engine, System.open(name))


def test_systems_that_play_each_other_share_tags(engine):
    pair = [System.open(name) for name in ("sayc", "acol")]
    told = engine(ROWS, [[rows_of_tree(one.text) for one in pair], True])
    tags: dict[str, int] = {}
    assert told == [digests(rows_of(one, tags)) for one in pair]


@examples(20, 60)
@given(one=systems())
def test_rows_of_made_systems(engine, one):
    rows_agree(engine, one)


PHRASE_TEXTS = [
    "14+ points, 5+ hearts, void in spades", "longest suit is hearts", "2 of the top 3 in X",
    "rule of 20", "rule of 15", "{HCP + SL_S >= 15}", "{LTC <= 7 or Stop_In_S}", "5-4-x-x",
    "4=4=3=2", "unbalanced", "semi-balanced", "6+-card suit", "king of hearts", "favourable",
    "stopper in their suits", "2 keycards", "0 or 4 aces", "5 points", "not vulnerable",
]  # fmt: skip


@pytest.mark.parametrize("phrase", PHRASE_TEXTS)
def test_rows_of_phrases(engine, phrase):
    rows_agree(engine, System.parse(f"opening:\n  1X = Test: {phrase}\n"))


@examples(25, 100)
@given(phrase=phrases())
def test_rows_of_any_phrase(engine, phrase):
    rows = rows_of_tree(text_of({"asked": Define("asked", (), phrase)}).text)
    one = Rules(tree_of_rows(rows))
    told, complaints = engine(
        """async (load, rows) => {
            const { systemOfRows } = await load("language/rows");
            const { Rules } = await load("places/places");
            const { TextRows } = await load("rows/text_rows");
            const text = new TextRows(new Rules(systemOfRows(rows)));
            const refused = (await load("rows/rows_data")).default.complaints.slice(2)
                .map((_, number) => text.error(2, 0, 2 + number).message);
            return [Array.from(text.words()), refused];
        }""",
        rows,
    )
    text = TextRows(one)
    assert told == text.words().tolist()
    for number, told in enumerate(complaints, 2):
        # Python shows the line behind it
        assert told
        assert str(text.error(2, 0, number)).startswith(told)


def test_a_text_with_tags_of_nobody(engine):
    rows_agree(engine, SMALL)
