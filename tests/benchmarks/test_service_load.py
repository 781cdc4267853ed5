"""The load test of the service: its numbers, its report, and one short run against a server."""

import json

import numpy as np
import pytest

from benchmarks.service import deal_objects, markdown, measure, percentiles
from bidcascade.service.deal_requests import deals_of
from bidcascade.service.schemas import DealRequest


def test_percentiles_are_in_milliseconds():
    found = percentiles(np.arange(1, 102) / 1000)
    assert found == {"p50_ms": 51.0, "p90_ms": 91.0, "p99_ms": 100.0, "max_ms": 101.0}


def test_deals_are_what_requests_take():
    objects = deal_objects(20, seed=1)
    deals = deals_of([DealRequest(**one) for one in objects])
    assert [one["dealer"] for one in objects] == ["NESW"[seat] for seat in deals.dealer.tolist()]
    assert objects == deal_objects(20, seed=1)
    assert objects != deal_objects(20, seed=2)


@pytest.fixture(scope="module")
def result():
    return measure(rate=100, seconds=0.2, deals=1200, seed=1, singles=50)


@pytest.mark.slow
def test_a_short_run_has_no_failures(result):
    groups = {name: value for name, value in result.items() if isinstance(value, dict)}
    assert len(groups) == 10
    assert all(value["failures"] == 0 for value in groups.values())
    assert {value.get("requests", 20) for value in groups.values()} <= {20, 50}
    for value in groups.values():
        if "first_byte_ms" in value:
            assert 0 < value["first_byte_ms"] <= value["total_ms"]
            assert value["bytes"] > 10_000
    assert json.loads(json.dumps(result)) == result


@pytest.mark.slow
def test_the_report_has_a_row_for_each_measurement(result):
    lines = markdown(result).splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| ---")]
    assert len(rows) == 2 + 10
    assert lines[-1].startswith("Ready ")
