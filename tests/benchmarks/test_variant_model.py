"""What the candidates have to do is counted right; the prediction follows from it."""

import numpy as np
import pytest

from benchmarks.engines import VARIANTS, get_engine
from benchmarks.roofline import Load
from benchmarks.variant_model import (
    block_load,
    box_columns,
    predicted_seconds,
    sampled_load,
    sort_keys,
)
from benchmarks.workloads import Inputs, find_workloads
from bidcascade.bridge import parse_deal
from bidcascade.kernels import DealArrays

COUNT = get_engine("numpy").counts


def small(name, deals):
    (workload,) = find_workloads([name])
    inputs = Inputs.make(workload, entries=1_200, deals=deals, seed=3)
    return inputs.plan, inputs.deals


def test_a_block_is_counted_as_it_would_be_walked():
    plan, deals = small("counts/bushy-dense", 70)
    load = block_load(plan, deals, COUNT)
    columns = box_columns(plan)
    visits = wide_visits = steps = wide = narrow = tests = survivors = 0
    counts = COUNT(plan, deals)
    stack = [(node, len(deals)) for node in range(plan.root_count)]
    while stack:
        node, above = stack.pop()
        visits += 1
        steps += len(range(0, above, 32))
        tests += above
        if above > 32:
            wide_visits += 1
            wide += columns[node]
        else:
            narrow += columns[node]
        left = int(counts[node])
        survivors += left
        if left:
            first = int(plan.first_child[node])
            stack += [(child, left) for child in range(first, first + plan.child_count[node])]
    assert load == Load(visits, wide_visits, steps, wide, narrow, tests, survivors)
    assert wide > 0 < narrow


def test_columns_are_criteria_on_different_lanes_and_flags():
    plan, _ = small("counts/bushy-dense", 1)
    columns = box_columns(plan)
    # a lower and an upper bound of one term are one column
    for node in range(0, plan.node_count, 97):
        (criteria,) = plan.variant_sets[plan.variant_set[node]]
        terms = {plan.expressions[number][0] for number in plan.criteria[criteria]}
        assert columns[node] == len(terms)


def test_keys_sort_by_points_and_longest_suit():
    deal = parse_deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -")
    hands = np.array([deal.hands] * 2, np.uint64).T.copy()
    deals = DealArrays(hands, np.array([0, 3], np.uint8), np.zeros(2, np.uint8))
    # ten points; 13 spades from North, 13 clubs from West
    assert sort_keys(deals).tolist() == [10 * 32 + 3 * 8 + 7, 10 * 32 + 7]


def test_a_sample_stands_for_all():
    plan, deals = small("counts/dense", 512)
    whole = sampled_load(plan, deals, 64, COUNT)
    order = np.argsort(sort_keys(deals), kind="stable")
    visits = 0.0
    for start in range(0, 512, 64):
        chosen = order[start : start + 64]
        part = DealArrays(deals.hands[:, chosen], deals.dealer[chosen], deals.vulnerability[chosen])
        visits += block_load(plan, part, COUNT).visits
    assert whole.visits == visits
    some = sampled_load(plan, deals, 64, COUNT, sample=256)
    assert some.tests == pytest.approx(whole.tests, rel=0.5)


def test_predictions_rise_with_the_load():
    less, more = Load(10, 5, 20, 30, 40, 500, 50), Load(20, 10, 40, 60, 80, 1000, 100)
    for variant in VARIANTS:
        low, high = (predicted_seconds(variant, load, 2048) for load in (less, more))
        assert 0 < low < high
        assert high == pytest.approx(2 * low)
    with pytest.raises(ValueError, match="'best'"):
        predicted_seconds("best", less, 2048)
