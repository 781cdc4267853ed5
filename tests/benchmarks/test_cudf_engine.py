"""The naive GPU engine: right over stand-ins of its libraries, absent with a reason without."""

import importlib.util
import sys

import numpy as np
import pytest

from benchmarks.engines import cudf_engine, get_engine
from benchmarks.engines.compare import check
from benchmarks.engines.cudf_engine import CudfEngine
from benchmarks.engines.workloads import Inputs, answer, find_workloads
from tests.support.fake_cudf import fake_cudf, fake_cupy


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy())
    monkeypatch.setitem(sys.modules, "cudf", fake_cudf())
    monkeypatch.setattr(cudf_engine, "find_spec", lambda name: name)
    return CudfEngine()


@pytest.mark.parametrize(
    "name", ["counts/bushy-dense", "all/middle", "first/selective", "first/bushy-dense", "evaluate"]
)
@pytest.mark.parametrize("block", [64, 1 << 20])
def test_agrees_with_the_definition(engine, name, block, monkeypatch):
    monkeypatch.setattr(CudfEngine, "block", block)
    (workload,) = find_workloads([name])
    inputs = Inputs.make(workload, entries=1_500, deals=150, seed=5)
    assert engine.why_unavailable(workload.operation) is None
    engine.prepare(inputs.plan)
    check([get_engine("reference"), get_engine("numpy"), engine], inputs)
    assert any(array.any() for array in answer(engine, inputs).values())


def test_tells_the_time_between_two_events(engine):
    inputs = Inputs.make(find_workloads(["counts/dense"])[0], entries=1_000, deals=10, seed=1)
    engine.prepare(inputs.plan)
    with engine.timings() as found:
        engine.counts(inputs.plan, inputs.deals)
    (timing,) = found
    assert 0 < timing.seconds < 60
    np.testing.assert_array_equal(
        engine.counts(inputs.plan, inputs.deals),
        get_engine("reference").counts(inputs.plan, inputs.deals),
    )


def test_says_what_it_has_not(engine):
    assert engine.why_unavailable("hands") == "cudf does not deal"
    assert engine.why_unavailable("features") == "cudf has no features of its own"


def test_a_library_that_does_not_start_is_a_reason(monkeypatch):
    cupy = fake_cupy()

    def no_device():
        raise RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected\nmore")

    cupy.cuda.runtime.getDeviceCount = no_device
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(cudf_engine, "find_spec", lambda name: name)
    assert CudfEngine().why_unavailable("counts") == (
        "cudf does not start: cudaErrorNoDevice: no CUDA-capable device is detected"
    )


@pytest.mark.skipif(importlib.util.find_spec("cudf") is not None, reason="cudf is installed")
def test_absent_with_the_reason():
    assert get_engine("cudf").why_unavailable("counts") == "cudf is not installed"
