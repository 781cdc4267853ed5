"""Engine ``cuda`` over an emulated device: answers compared, device times told, floors for all."""

import re

import pytest

from benchmarks.engines import get_engine, report, worker
from benchmarks.engines.compare import check
from benchmarks.engines.worker import Job, measure
from benchmarks.engines.workloads import Inputs, find_workloads
from bidcascade.kernels import backend, cuda
from tests.support.emulator import emulated_device


@pytest.fixture
def emulated(request, monkeypatch):
    """The backend ``cuda`` works on the processor."""
    made = cuda.CudaBackend(emulated_device(request))
    monkeypatch.setattr(cuda, "backend_here", lambda: made)
    monkeypatch.setattr(cuda, "why_unavailable", lambda: None)
    monkeypatch.setattr(backend, "find_spec", lambda name: name)
    return made


@pytest.mark.parametrize(
    "name", ["counts/middle", "all/selective", "first/bushy-dense", "evaluate", "features", "deals"]
)
def test_answers_are_compared(emulated, name):
    (workload,) = find_workloads([name])
    inputs = Inputs.make(workload, entries=1_200, deals=100, seed=5)
    engines = [get_engine(one) for one in ("reference", "cuda")]
    for engine in engines:
        assert engine.why_unavailable(workload.operation) is None
        engine.prepare(inputs.plan)
    check(engines, inputs)


@pytest.mark.slow
def test_the_report_tells_time_and_floor_of_each_kernel(emulated, monkeypatch):
    monkeypatch.setattr("benchmarks.gpu.roofline._COPY_BYTES", 1 << 16)
    monkeypatch.setattr("benchmarks.gpu.roofline._ROUNDS", 2)
    monkeypatch.setattr(worker, "_WARM_UP_DEALS", 5)
    shape = {"tests_per_deal": 100.0, "holding_per_deal": 50.0}
    for name, kernel in (("counts/dense", "count_nodes"), ("all/middle", "list_entries")):
        job = Job(name, ["cuda"], 1_200, 90, 1, repeat=1, budget=20, shape=shape)
        timing = measure(job)
        assert len(timing.runs) == len(timing.device_runs) == 1
        lines = report._device_lines(timing)
        assert re.match(r"cuda on the device, 90 deals \(measured on emulator: ", lines[0])
        rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines if "|" in line}
        for row in (kernel, "pack_hands", "all kernels"):
            assert re.search(r"(memory|integer operations) \| [\d.e+,]+ \|$", rows[row]), row
        assert "B/s" in rows["copies in"] or "GB/s" in rows["copies in"]
