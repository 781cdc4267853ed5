"""Topics of a table against a plain look at all its rows."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import PASS, format_calls
from bidcascade.table import build_table
from bidcascade.table.inspection.topics import topics_of
from tests.support.systems import sayc_table

LABELS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["", "Stayman", "Weak two", "Nothing"]),
        "tags": st.lists(st.sampled_from(["#a", "#b", "forcing", "#a"]), max_size=3, unique=True),
        "criteria": st.sampled_from([["HCP >= 8"], ["HCP >= 12"], ["SL_H >= 4"], []]),
    }
)
CALLS = st.sampled_from(
    [("", "1N"), ("", "P"), ("1N", "P"), ("1N P", "2C"), ("1N P", "P"), ("1N X", "2C"), ("1N", "X")]
)


def plain(rows):
    """Entries and places of each topic, from the rows themselves."""
    found = defaultdict(set)
    for row in rows:
        topics = {row.name, *(tag for tag in row.tags if tag.startswith("#"))} - {""}
        for topic in topics:
            found[topic].add((row.prior, row.call))
    return {
        topic: (len(of), {prior for prior, _ in of})
        for topic, of in found.items()
        if any(call != PASS for _, call in of)
    }


@given(st.lists(st.tuples(CALLS, LABELS), max_size=12))
def test_topics_are_those_of_the_rows(given_rows):
    rows = [{"prior": prior, "call": call, **labels} for (prior, call), labels in given_rows]
    table, _ = build_table(rows, undescribed="allow")
    found = {one.name: (one.calls, set(one.places)) for one in topics_of(table)}
    assert found == plain(table.rows())


def test_the_shortest_and_quietest_places_come_first():
    topics = {one.name: one for one in topics_of(sayc_table(), most_places=3)}
    places = [format_calls(place) for place in topics["#stayman"].places]
    assert set(places[:2]) == {"1N P", "2N P"}
    assert topics["#fourth-suit"].calls > len(topics["#fourth-suit"].places) == 3
    assert topics["Weak two"].places[0] == b""
    assert list(topics) == sorted(topics)
    assert "forcing" not in topics
