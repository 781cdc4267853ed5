"""Layers: the announced table comes back exactly, entries stay where they are, AND is AND."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidTable, parse_calls
from bidcascade.kernels import Context, evaluate_postfix
from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems import open_table
from bidcascade.table import build_table, parse_expression, to_postfix
from bidcascade.workshop.evidence.layers import ANNOUNCED, CONTRADICTION, on_layer
from bidcascade.workshop.evidence.learning import BOUNDS, RULES
from tests.support.examples import examples

CRITERIA = (
    [], ["HCP >= 12"], ["HCP <= 11", "SL_S >= 5"], ["Balanced", "Forcing_One_Round"],
    ["HCP >= 15 or SL_S >= 6"], ["15 <= HCP <= 17", "Balanced"],
)  # fmt: skip
AUCTIONS = ("1N", "1N P", "1N P 2C", "1N P 2D", "1S", "1S P 2S", "P", "P P", "1S X", "1H X", "1D P")


@st.composite
def tables(draw):
    """A table with variants, ranks, tags and inserted parents, that has learned."""
    rows = []
    chosen = draw(st.lists(st.sampled_from(AUCTIONS), min_size=1, max_size=12))
    for auction in chosen:
        *prior, call = auction.split()
        rows.append(
            {
                "prior": prior,
                "call": call,
                "criteria": draw(st.sampled_from(CRITERIA)),
                "description": draw(st.sampled_from(["", "strong", "weak"])),
                "rank": draw(st.sampled_from([None, 1, 2])),
                "tags": draw(st.sampled_from([(), ("forcing",)])),
                "count": draw(st.sampled_from([None, 20])),
                "source": draw(st.sampled_from(["", "announcement", "note"])),
            }
        )
    table, _ = build_table(
        rows, source="a test", undescribed=draw(st.sampled_from(["allow", "pass"]))
    )
    entries = sorted(draw(st.sets(st.integers(0, len(table) - 1))))
    bounds, rules = [], []
    for entry in entries:
        low = draw(st.integers(0, 20))
        bounds.append((entry, low, draw(st.integers(low, 37)), 0, draw(st.integers(3, 13))))
        if draw(st.booleans()):
            rules.append((entry, draw(st.sampled_from(["Balanced", "SL_S <= 5", "HCP >= 13"]))))
    schema = {
        "entry": pl.UInt32,
        "HCP_low": pl.Int16,
        "HCP_high": pl.Int16,
        "SL_S_low": pl.Int16,
        "SL_S_high": pl.Int16,
    }
    table = table.with_extra(BOUNDS, pl.DataFrame(bounds, schema=schema, orient="row"))
    if rules:
        schema = {"entry": pl.UInt32, "expression": pl.String}
        table = table.with_extra(RULES, pl.DataFrame(rules, schema=schema, orient="row"))
    return table


LANES = ("HCP", "SL_S")


@examples(25)
@given(table=tables(), layer=st.sampled_from(["learned", "merged"]))
def test_the_announced_table_comes_back_exactly(table, layer):
    layered = on_layer(table, layer, lanes=LANES).table
    back = on_layer(layered, "announced").table
    assert back.digest == table.digest
    assert list(back.rows()) == list(table.rows())
    assert back.info() == table.info()
    assert back.extras == table.extras
    assert on_layer(table, "announced").table is table
    # a layer is put on the announced table, not on another layer
    other = "learned" if layer == "merged" else "merged"
    there = on_layer(layered, other, lanes=LANES)
    direct = on_layer(table, other, lanes=LANES)
    assert there.table.digest == direct.table.digest
    assert there.to_dict() == direct.to_dict()


@examples(25)
@given(table=tables(), layer=st.sampled_from(["learned", "merged"]))
def test_entries_and_their_labels_stay(table, layer):
    layered = on_layer(table, layer, lanes=LANES).table
    every = range(len(table))
    assert layered.auctions_of(every) == table.auctions_of(every)
    assert layered.extra(BOUNDS).equals(table.extra(BOUNDS))
    for entry in every:
        before, after = table.variants(entry), layered.variants(entry)
        assert len(before) == len(after)
        for one, other in zip(before, after, strict=True):
            assert one.description == other.description
            assert (one.rank, one.count, one.source_index) == (
                other.rank,
                other.count,
                other.source_index,
            )
            if other.source not in ("learned", "merged"):
                assert (one.criteria, one.source) == (other.criteria, other.source)


def fits(criteria, hand, vocabulary):
    return all(
        evaluate_postfix(to_postfix(parse_expression(text), vocabulary), hand, Context())
        for text in criteria
        if not vocabulary.is_tag(text)
    )


@examples(15)
@given(table=tables(), seed=st.integers(0, 99))
def test_merged_criteria_are_both_and_learned_ones_are_the_learned(table, seed):
    merged = on_layer(table, "merged", lanes=LANES)
    learned = on_layer(table, "learned", lanes=LANES)
    hands = deal_hands(seed, 0, 10).reshape(-1).tolist()
    rows = table.extra(BOUNDS).rows(named=True)
    rules = table.extra(RULES)
    contradictory = {line.partition(":")[0] for line in merged.contradictions}
    for row in rows:
        entry = row["entry"]
        texts = [
            f"HCP >= {row['HCP_low']}",
            f"HCP <= {row['HCP_high']}",
            f"SL_S <= {row['SL_S_high']}",
        ]
        if rules is not None:
            texts += rules.filter(entry=entry)["expression"].to_list()
        for before, both, only in zip(
            table.variants(entry),
            merged.table.variants(entry),
            learned.table.variants(entry),
            strict=True,
        ):
            for hand in hands:
                shown = fits(texts, hand, table.vocabulary)
                announced = fits(before.criteria, hand, table.vocabulary)
                if CONTRADICTION not in only.tags:
                    assert fits(only.criteria, hand, table.vocabulary) == shown
                if CONTRADICTION in both.tags:
                    assert both.criteria == before.criteria
                    assert not (shown and announced)
                else:
                    assert fits(both.criteria, hand, table.vocabulary) == (shown and announced)
    tagged = sum(
        CONTRADICTION in row.tags
        for entry in range(len(table))
        for row in merged.table.variants(entry)
    )
    assert tagged == len(merged.contradictions) >= len(contradictory)


def learned_table(criteria, bounds, rules=(), **row):
    table, _ = build_table([{"prior": "", "call": "1N", "criteria": criteria, **row}])
    frame = pl.DataFrame({"entry": [0], **bounds}, schema_overrides={"entry": pl.UInt32})
    table = table.with_extra(BOUNDS, frame)
    if rules:
        frame = pl.DataFrame({"entry": [0] * len(rules), "expression": list(rules)})
        table = table.with_extra(RULES, frame.cast({"entry": pl.UInt32}))
    return table


def test_a_contradiction_is_reported_and_the_announced_criteria_stay():
    table = learned_table(["HCP >= 20"], {"HCP_low": [15], "HCP_high": [17]}, source="note")
    merged = on_layer(table, "merged", lanes=["HCP"])
    assert merged.contradictions == ("1N: no hand fits HCP >= 20 and HCP <= 17",)
    row = merged.table.row(0)
    assert (row.criteria, row.tags, row.source) == (("HCP >= 20",), (CONTRADICTION,), "note")
    assert merged.to_dict() == {
        "layer": "merged",
        "entries_on_learned": 0,
        "entries_on_both": 0,
        "contradictions": list(merged.contradictions),
    }
    learned = on_layer(table, "learned", lanes=["HCP"])
    assert learned.table.row(0).criteria == ("HCP >= 15", "HCP <= 17")
    assert learned.table.row(0).source == "learned"


@pytest.mark.parametrize(
    ("bounds", "rules", "criteria"),
    [
        # what follows is left out, and what excludes nothing
        (
            {"HCP_low": [15], "HCP_high": [17], "SL_C_low": [2], "SL_C_high": [13]},
            ["Balanced", "HCP >= 14", "SL_S >= 1"],
            ("HCP >= 15", "HCP <= 17", "Balanced"),
        ),
        # one value is an equation, and halves are halves
        (
            {"SL_S_low": [5], "SL_S_high": [5], "QT_low": [1.5], "QT_high": [8.0]},
            [],
            ("SL_S == 5", "QT >= 1.5"),
        ),
    ],
)
def test_learned_criteria(bounds, rules, criteria):
    lanes = [name.removesuffix("_low") for name in bounds if name.endswith("_low")]
    layered = on_layer(learned_table([], bounds, rules), "learned", lanes=lanes)
    assert layered.table.row(0).criteria == criteria


def test_nothing_new_changes_nothing():
    table = learned_table(["HCP >= 15"], {"HCP_low": [12], "HCP_high": [37]})
    merged = on_layer(table, "merged", lanes=["HCP"])
    assert merged.table.digest == table.digest
    assert ANNOUNCED not in merged.table.extras
    assert merged.merged == 0


def test_inserted_entries_get_learned_criteria_and_lose_them_again():
    table, _ = build_table([{"prior": "1N P", "call": "2C"}, {"prior": "1S", "call": "P"}])
    assert table.is_inserted(0)
    bounds = pl.DataFrame({"entry": [0, 2], "HCP_low": [15, 8], "HCP_high": [17, 20]})
    table = table.with_extra(BOUNDS, bounds.cast({"entry": pl.UInt32}))
    layered = on_layer(table, "learned", lanes=["HCP"]).table
    assert not layered.is_inserted(0)
    assert layered.row(0).criteria == ("HCP >= 15", "HCP <= 17")
    assert on_layer(layered, "announced").table.digest == table.digest


def test_an_inserted_entry_stays_among_its_siblings():
    rows = [{"prior": prior, "call": "P"} for prior in ("1N", "1S", "1H")]
    table, _ = build_table([*rows, {"prior": "", "call": "1C", "rank": 3}])
    bounds = pl.DataFrame({"entry": [2], "HCP_low": [15], "HCP_high": [17]})
    table = table.with_extra(BOUNDS, bounds.cast({"entry": pl.UInt32}))
    assert table.is_inserted(2)
    layered = on_layer(table, "learned", lanes=["HCP"]).table
    assert layered.auctions_of(range(len(table))) == table.auctions_of(range(len(table)))
    assert [layered.row(entry).criteria for entry in range(4)].count(()) == 3
    assert on_layer(layered, "announced").table.digest == table.digest


def test_layers_are_kept_in_the_folder(tmp_path):
    table = learned_table(["HCP >= 12"], {"HCP_low": [15], "HCP_high": [17]}, ["Balanced"])
    on_layer(table, "merged", lanes=["HCP"]).table.save(tmp_path / "merged")
    opened = open_table(tmp_path / "merged")
    assert opened.row(0).criteria == ("HCP >= 12", "HCP >= 15", "HCP <= 17", "Balanced")
    assert opened.row(0).source == "merged"
    assert opened.find(parse_calls("1N")) == 0
    back = on_layer(opened, "announced").table
    assert back.digest == table.digest
    assert back.extras == (BOUNDS, RULES)
    assert np.array_equal(back.call, table.call)


@pytest.mark.parametrize(
    ("layer", "lanes", "complaint"),
    [
        ("mixed", ["HCP"], "a layer of announced, learned, merged"),
        ("learned", ["SL_H"], "learned bounds of 'SL_H'"),
        ("learned", ["Balanced"], "number term"),
    ],
)
def test_what_cannot_be_a_layer_is_refused(layer, lanes, complaint):
    table = learned_table([], {"HCP_low": [15], "HCP_high": [17]})
    with pytest.raises(InvalidTable, match=complaint):
        on_layer(table, layer, lanes=lanes)


def test_a_table_that_has_not_learned_has_no_layers():
    table, _ = build_table([{"prior": "", "call": "1N"}])
    with pytest.raises(InvalidTable, match="has learned"):
        on_layer(table, "learned")
    assert on_layer(table, "announced").table is table
