"""Pages of nodes: well formed whatever the statistics hold, and what they say."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput, parse_calls
from bidcascade.loaders import random_deals
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.service.reports import node_report
from bidcascade.service.reports.node_report import node_page, nodes_page
from bidcascade.service.reports.report_page import page_html, page_markdown
from bidcascade.workshop.boards.node_statistics import node_statistics
from tests.service.reports.support_pages import check_page
from tests.support.examples import examples

BID = ["1N P 3N P P P", "1N P 2C P 2D P 2N P P P", "1S X XX P P P", "P P P P", "1N P 2C", None]


def statistics(bid=BID, humans=None, *, solved=True):
    """Statistics of all nodes of some auctions; the dealer's side always takes nine tricks."""

    def series(texts):
        calls = [None if one is None else parse_calls(one) for one in texts]
        return pl.Series(calls, dtype=pl.List(pl.UInt8))

    boards = random_deals(len(bid), seed=1)
    if solved:
        sides = {"N": "NS", "S": "NS", "E": "EW", "W": "EW"}
        boards = boards.with_columns(
            pl.when(pl.col("dealer").cast(pl.String).is_in(list(sides[name[3]])))
            .then(9)
            .otherwise(4)
            .cast(pl.UInt8)
            .alias(name)
            for name in DOUBLE_DUMMY_COLUMNS
        ).with_columns(Par_NS=pl.lit(400, pl.Int16))
    return node_statistics(
        boards, series(bid), least=1, humans=None if humans is None else series(humans)
    )


@examples(10, 30)
@given(
    st.lists(st.sampled_from(BID), min_size=1, max_size=6), st.booleans(), st.booleans(), st.data()
)
def test_pages_of_any_node_are_well_formed(bid, solved, compared, data):
    humans = data.draw(st.permutations(bid)) if compared else None
    nodes = statistics(bid, humans, solved=solved)
    calls = parse_calls(data.draw(st.sampled_from(nodes["auction"].to_list())))
    for page in (node_page(nodes, calls, "<made>"), nodes_page(nodes, "<made>")):
        check_page(page_html(page))
        assert "None" not in page_markdown(page)


def test_a_node_is_told():
    page = node_page(statistics(), parse_calls("1N P 2C"), "made boards")
    headings = [section.heading for section in page.sections]
    assert (page.title, page.subtitle) == ("What is 1N P 2♣ worth?", "2 boards of made boards")
    assert headings == [
        "Summary",
        "Contracts",
        "Tricks",
        "Hands",
        "Next calls",
        "How this was worked out",
    ]
    rows = check_page(page_html(page)).rows
    # the way there: three of six boards opened one notrump
    assert next(row for row in rows if row[0] == "1N")[1:3] == ["3", "50.0 %"]
    # two notrump by the dealer's side with nine tricks
    assert ["2N", "by this side", "100 %"] in [row[:3] for row in rows]
    assert ["notrump", "9.00", "4.00"] in rows
    assert ["P", "50.0 %", "1"] in [row[:3] for row in rows]


def test_what_the_players_did_is_told():
    humans = ["1N P 2C", "1N P 3N", "1S P", "1C", "1N P 2C", None]
    text = page_markdown(node_page(statistics(humans=humans), parse_calls("1N P 2C"), "boards"))
    assert "On 2 of the 2 boards the players came to 1N P. 2♣ was their call on 50.0 %" in text
    assert "| 3N | 50.0 % |" in text
    root = page_markdown(node_page(statistics(humans=humans), (), "boards"))
    assert root.startswith("# Before the first call")
    assert "players" not in root
    opened = page_markdown(node_page(statistics(humans=humans), parse_calls("P"), "boards"))
    assert "On 1 of the 1 boards the players opened the auction. P was their call on 0 %" in opened


def test_without_tables_nothing_is_said_of_tricks():
    nodes = statistics(solved=False)
    page = node_page(nodes, parse_calls("1N"), "boards")
    assert "Tricks" not in [section.heading for section in page.sections]
    heads = check_page(page_html(nodes_page(nodes, "boards"))).rows[0]
    assert heads == ["auction", "boards", "share", "points", "next"]


def test_only_the_nodes_of_most_boards_are_listed(monkeypatch):
    monkeypatch.setattr(node_report, "MOST_NODES", 3)
    page = nodes_page(statistics(), "boards")
    assert page.subtitle.startswith("3 of ")
    rows = check_page(page_html(page)).rows
    assert [row[0] for row in rows[1:]] == ["opening", "1N", "1N P"]


def test_what_is_no_node_is_named():
    with pytest.raises(InvalidInput, match="expected a node that the statistics have, got '2N'"):
        node_page(statistics(), parse_calls("2N"), "boards")
    with pytest.raises(InvalidInput, match=r"got none named \['par'\]"):
        nodes_page(statistics().drop("par"), "boards")
