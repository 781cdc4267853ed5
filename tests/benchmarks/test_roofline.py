"""Least work and floors, counted by hand on small plans; ceilings of an emulated device."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.engines import get_engine, report
from benchmarks.engines.worker import Timing, first_tests, shape_of
from benchmarks.engines.workloads import Inputs, find_workloads
from benchmarks.gpu import roofline
from benchmarks.gpu.roofline import (
    CEILINGS,
    H200,
    Work,
    device_run,
    measure_ceilings,
    median_run,
    operations_a_test,
    packing_work,
    work_of,
)
from bidcascade.kernels import get_backend
from bidcascade.kernels.cuda_device import Timing as DeviceTiming
from bidcascade.kernels.cuda_device import compiler_options
from bidcascade.kernels.reference import cascade_counts
from tests.check.missing import missing
from tests.support import nvrtc as nvrtc
from tests.support.emulator import emulated_device


def small(name, deals=60):
    (workload,) = find_workloads([name])
    return Inputs.make(workload, entries=1_200, deals=deals, seed=3)


def test_work_of_the_operations():
    plan = small("counts/dense").plan
    assert (plan.packing.lane_words, plan.packing.flag_words) == (1, 1)
    assert operations_a_test(plan) == 8 + 3 + 2
    # 34 bytes in; four hands of two words out
    assert packing_work(plan, 10) == Work(10 * (34 + 64), 10 * 4 * (20 + 24))
    shape = {"tests_per_deal": 5.0, "holding_per_deal": 3.0}
    counts = work_of("counts", plan, 10, shape)
    assert counts == Work(340 + (11 + 8) * 1_200, 1760 + 5 * 10 * 13)
    lists = work_of("entry_lists", plan, 10, shape)
    assert lists == Work(340 + 11 * 1_200 + 4 * 30 + 80, counts.operations)
    assert work_of("hands", plan, 10, {}).bytes == 320
    first = work_of("first", plan, 10, {**shape, "first_tests_per_deal": 2.0})
    assert first == Work(340 + 70, 1760 + 2 * 10 * 13)
    assert work_of("first", plan, 10, shape) is None
    assert work_of("counts", plan, 10, {}) is None


@pytest.mark.slow
def test_tests_are_counted_as_the_definition_makes_them():
    inputs = small("counts/bushy-dense")
    plan, deals = inputs.plan, inputs.deals
    counts = cascade_counts(plan, deals)
    shape = shape_of(plan, deals, counts)
    # a test for each described entry whose parent holds, deal by deal
    tests = 0
    for deal in range(len(deals)):
        reached = cascade_counts(plan, deals.slice(deal, deal + 1))
        above = np.append(reached, np.uint64(1))[plan.parent]
        tests += int((above[plan.node_box > 1] > 0).sum())
    assert shape["tests_per_deal"] == pytest.approx(tests / len(deals), abs=0.06)
    assert shape["holding_per_deal"] == pytest.approx(counts.sum() / len(deals), abs=0.06)


def test_tests_of_mode_first_are_counted_as_one_walks():
    inputs = small("first/bushy-dense", deals=40)
    plan, deals = inputs.plan, inputs.deals
    columns = get_engine("numpy").columns(plan, deals)

    def holds(node, depth, deal):
        (criteria,) = plan.variant_sets[plan.variant_set[node]]
        return deal in columns.deals(columns.criteria(criteria, depth & 3))

    first = get_backend("reference").cascade_first(plan, deals)
    tests = 0
    for deal in range(len(deals)):
        path = []
        node = int(first.entry[deal])
        while node < plan.node_count:
            path.append(node)
            node = int(plan.parent[node])
        siblings = range(plan.root_count)
        for depth, node in enumerate([*reversed(path), None]):
            for sibling in siblings:
                # this table describes every entry; a sibling that holds ends the search
                tests += 1
                if holds(sibling, depth, deal):
                    break
            if node is None:
                break
            begin = int(plan.first_child[node])
            siblings = range(begin, begin + int(plan.child_count[node]))
            if plan.flags[node] & 1:
                break
    assert first_tests(plan, deals) == pytest.approx(tests / len(deals), abs=0.06)


@pytest.fixture
def device(request):
    return emulated_device(request)


def test_ceilings_are_measured(device, monkeypatch):
    monkeypatch.setattr(roofline, "_COPY_BYTES", 1 << 16)
    monkeypatch.setattr(roofline, "_ROUNDS", 2)
    found = measure_ceilings(device)
    assert found.bytes > 0
    assert found.operations > 0
    assert found.source == "measured on emulator"
    # all that was taken is given back
    assert device.free_bytes() == device.memory_bytes


def device_runs():
    return [
        device_run(
            [
                DeviceTiming("copy in", 0.001 * scale, 1000), DeviceTiming("pack_hands", 0.002),
                DeviceTiming("walk", 0.003 * scale), DeviceTiming("walk", 0.001),
                DeviceTiming("copy out", 0.004, 10), DeviceTiming("copy in", 0.001, 500),
            ]
        )
        for scale in (1, 2, 6)
    ]  # fmt: skip


def test_a_run_is_taken_apart():
    assert device_runs()[0] == {
        "copy in": (1500, 0.002),
        "pack_hands": (1, 0.002),
        "walk": (2, 0.004),
        "copy out": (10, 0.004),
    }
    middle = median_run(device_runs())
    assert middle["walk"] == (2, pytest.approx(0.007))
    assert middle["copy in"] == (1500, pytest.approx(0.003))


def test_the_report_holds_a_line_for_each_kernel():
    timing = Timing("counts/dense", "cuda", 1_000_000, measured_deals=1_000_000, runs=[0.02])
    timing.device_runs = device_runs()
    timing.works = {"": Work(4.3e9, 1.7e10), "walk": Work(1e6, 3.4e10)}
    timing.ceilings = H200
    lines = report._device_lines(timing)
    assert lines[0].startswith("cuda on the device, 1,000,000 deals (H200: ")
    (walk,) = (line for line in lines if line.startswith("| walk |"))
    assert walk == "| walk | 2 | 7 ms | 1 M | 34 G | 2 ms | integer operations | 3.5 |"
    (whole,) = (line for line in lines if line.startswith("| all kernels |"))
    assert whole == "| all kernels | 3 | 9 ms | 4.3 G | 17 G | 1 ms | memory | 9 |"
    assert "| pack_hands | 1 | 2 ms | – | – | – | – | – |" in lines
    (copies,) = (line for line in lines if line.startswith("| copies in |"))
    assert copies == "| copies in | – | 3 ms | 1.5 k | – | 0.0 GB/s | | |"
    assert report._device_lines(Timing("counts/dense", "cpu", 10)) == []


@pytest.mark.slow
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_the_ceilings_compile_without_a_warning(architecture):
    reason = nvrtc.why_unavailable()
    if reason is not None:
        missing(reason)
    source = Path(CEILINGS).read_text("utf-8")
    options = [*compiler_options({}), f"--gpu-architecture=sm_{architecture}"]
    able = [one for one in nvrtc.libraries() if one.supports(architecture)]
    assert able
    for compiler in able:
        usage = compiler.compile("ceilings.cu", source, options)
        assert usage.keys() == {"integer_mix", "copy_pairs"}
        assert all(used.spilled_bytes == 0 for used in usage.values())
