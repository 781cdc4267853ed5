"""Tests of the tests: kernels broken on purpose must not pass for right ones.

Each mutant is one change to the text of a real kernel; where the text has changed so that it cannot
be made any more, its test fails and the mutant must be found anew. Every mutant is looked for
twice: by its answers, with bounds watched and no more, and by the emulator's own eyes.
"""

import importlib
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidcascade.kernels import DealArrays, Plan
from bidcascade.kernels.cuda import CudaBackend
from bidcascade.kernels.cuda_device import source_path
from tests.kernels.emulator.backend import EmulatedBackend
from tests.kernels.emulator.device import Checks, EmulatedDevice, EmulatorFault
from tests.kernels.test_cuda_answers import EDGES, Ways, asked
from tests.support.backends import SOME, assert_same_answers, reference
from tests.support.plans import ASKING_CASES, deal_arrays, random_plan

pytestmark = pytest.mark.slow

SCHEDULES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Change:
    """One change to a kernel file or to a function of the host's part (``module:function``)."""

    place: str
    old: str
    new: str
    changes_nothing: bool = False
    found_by: int = 0
    """Number of the case that is asked first, of :data:`ASKING_CASES`."""

    def applied(self, text: str) -> str:
        """Change a text; a change that cannot be made is none, and must be found anew."""
        found = text.count(self.old)
        if found != 1:
            raise LookupError(f"expected {self.old!r} once in {self.place}, found it {found} times")
        return text.replace(self.old, self.new)

    def __str__(self) -> str:
        return f"{self.place} {self.new.strip() or 'without ' + self.old.strip()}"


@dataclass(frozen=True)
class Mutant(Change):
    """A change to a kernel file, what is asked of it, and what notices it."""

    operation: str = ""
    message: str = ""
    """What the emulator says of it; empty where it is a wrong answer and no more."""


MUTANTS = {
    "missing barrier": Mutant(
        "columns.cu",
        "warp, count);\n        __syncthreads();\n", "warp, count);\n",
        operation="evaluate", message="race: |nothing has written",
    ),
    "missing barrier in a warp": Mutant(
        "counts.cu",
        "    __syncwarp();\n    const u32 deal = lane",
        "    const u32 deal = lane",
        operation="counts", message="race: |nothing has written",
    ),
    "missing barrier before the top": Mutant(
        "counts.cu",
        "        }\n    }\n    __syncthreads();\n\n    u32 top", "        }\n    }\n\n    u32 top",
        operation="counts", message="race: |nothing has written",
    ),
    "missing barrier between levels": Mutant(
        "counts.cu",
        "        __syncthreads();\n    }\n\n    for (u32 first", "    }\n\n    for (u32 first",
        operation="counts", message="race: |nothing has written",
    ),
    "off by one at the tail": Mutant(
        "columns.cu",
        "    return start < count ? (1u << (count - start)) - 1u : 0u;",
        "    return start < count ? (2u << (count - start)) - 1u : 0u;",
        operation="members", message="",
    ),
    "one thread too many": Mutant(
        "features.cu",
        "    if (number >= 4ull * count) return;\n",
        "    if (number > 4ull * count) return;\n",
        operation="evaluate", message="which has |which nothing has written",
    ),
}  # fmt: skip


class MutantDevice(EmulatedDevice):
    """A device whose kernels have a mutant among them."""

    mutant: Mutant | Change | None
    was_compiled = False

    def source(self, file: str) -> str:
        text = super().source(file)
        if self.mutant is None or file != self.mutant.place:
            return text
        self.was_compiled = True
        return self.mutant.applied(text)


def differs(
    folder: Path, mutant: Mutant, plan: Plan, deals: DealArrays, checks: Checks, schedule: int
) -> bool:
    """Whether the mutant's answer is wrong; an emulator's fault is raised."""
    device = MutantDevice(folder, checks=checks, schedule=schedule)
    device.mutant = mutant
    plan.cache.clear()
    backend = CudaBackend(device)
    ask: dict[str, Callable[[CudaBackend], np.ndarray]] = {
        "evaluate": lambda one: one.evaluate(plan, deals).words,
        "counts": lambda one: one.cascade_counts(plan, deals),
        "members": lambda one: one.members(plan, deals, range(plan.node_count)).words,
    }
    with Ways(item_nodes=1).taken():  # so that there is a top
        got, wanted = ask[mutant.operation](backend), ask[mutant.operation](reference)
    assert device.was_compiled
    return not np.array_equal(got, wanted)


def fails(folder: Path, mutant: Mutant, plan: Plan, deals: DealArrays, schedule: int) -> bool:
    """Whether answers differ, or a wrong number was used as an address; nothing else is watched."""
    try:
        return differs(folder, mutant, plan, deals, Checks.BOUNDS, schedule)
    except EmulatorFault:
        return True


def plan_and_deals() -> tuple[Plan, DealArrays]:
    rng = np.random.default_rng(41)
    plan, deals = random_plan(rng, SOME, nodes=200), deal_arrays(rng, 45)
    counts = reference.cascade_counts(plan, deals)
    # a plan that asks: most nodes hold for some of the deals
    assert ((counts > 0) & (counts < 45)).sum() > 150
    return plan, deals


@pytest.mark.parametrize("name", [name for name in MUTANTS if name != "one thread too many"])
def test_a_mutant_gives_other_answers(emulator_folder, name):
    plan, deals = plan_and_deals()
    found = [fails(emulator_folder, MUTANTS[name], plan, deals, schedule) for schedule in SCHEDULES]
    assert any(found)


@pytest.mark.parametrize("name", [name for name in MUTANTS if MUTANTS[name].message])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_mutant_is_seen_in_every_order(emulator_folder, name, schedule):
    plan, deals = plan_and_deals()
    with pytest.raises(EmulatorFault, match=MUTANTS[name].message):
        differs(emulator_folder, MUTANTS[name], plan, deals, Checks.ALL, schedule)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_kernels_themselves_pass(emulator_folder, schedule):
    plan, deals = plan_and_deals()
    for checks in (Checks.BOUNDS, Checks.ALL):
        backend = EmulatedBackend(
            emulator_folder, device_options={"checks": checks, "schedule": schedule}
        )
        np.testing.assert_array_equal(
            backend.cascade_counts(plan, deals), reference.cascade_counts(plan, deals)
        )
        np.testing.assert_array_equal(
            backend.evaluate(plan, deals).words, reference.evaluate(plan, deals).words
        )
        everyone = range(plan.node_count)
        np.testing.assert_array_equal(
            backend.members(plan, deals, everyone).words,
            reference.members(plan, deals, everyone).words,
        )


def test_a_mutant_that_cannot_be_made_is_told(emulator_folder):
    plan, deals = plan_and_deals()
    lost = Mutant("columns.cu", "no such line", "", operation="evaluate")
    with pytest.raises(LookupError, match="found it 0 times"):
        differs(emulator_folder, lost, plan, deals, Checks.ALL, 0)


EDGE_CHANGES = [
    # comparisons
    Change("counts.cu", "if (size <= WARP) {", "if (size <= WARP + 1) {", found_by=4),
    Change("counts.cu", "left <= WARP) {", "left <= WARP + 1) {", found_by=5),
    Change("counts.cu", "all.word[word] = start + 32 <= deals",
           "all.word[word] = start + 32 < deals", found_by=2),
    Change("counts.cu", "for (; top < end;", "for (; top <= end;"),
    Change("counts.cu", "if (sizes[node.y] != 0)", "if (sizes[node.y] > 1)"),
    Change("counts.cu", "if (left != 0 && place", "if (left > 1 && place"),
    Change("counts.cu", "is_live = item < item_count", "is_live = item <= item_count"),
    Change("first.cu", "auction.next >= end_node", "auction.next > end_node", found_by=1),
    Change("columns.cu", "parent < 0 ? exist", "parent <= 0 ? exist"),
    Change("lists.cu", "while (k < end_node && at < end)", "while (k <= end_node && at < end)"),
    Change("columns.cu", "LANE_BITS = 7;", "LANE_BITS = 4;"),
    Change("columns.cu", "~in_high)) |", "in_high)) |"),
    Change("counts.cu", "if (count > 2)", "if (count > 3)"),
    Change("bidcascade.kernels.gpu.tables.node_windows:NodeRecords._near",
           "four | five <<", "five | four <<",
           changes_nothing=True),  # AND in any order, and what is missing repeats the last
    # edges
    Change("counts.cu", "size == WARP ? ALL_LANES : lanes_below(size)",
           "lanes_below(size)", found_by=2),
    Change("counts.cu", "left == WARP ? ALL_LANES : lanes_below(left)",
           "lanes_below(left)", found_by=4),
    Change("counts.cu", "end = node.y;", "end = run.y;", found_by=1),
    Change("counts.cu", " && place != NOT_COUNTED)", ")"),
    Change("counts.cu", "own[(1 + top) * WARP] = set", "own[top * WARP] = set"),
    Change("counts.cu", "parent = own[node.y * WARP]", "parent = own[0]"),
    Change("bidcascade.kernels.gpu.tables.forest:Top.of", "np.searchsorted(nodes, parents) + 1",
           "np.searchsorted(nodes, parents)"),
    Change("bidcascade.kernels.gpu.tables.forest:Top.of",
           "renumbered[sets_above(runs[~is_top, 0])]",
           "sets_above(runs[~is_top, 0]).astype(np.uint32)"),
    Change("bidcascade.kernels.gpu.tables.node_windows:DeviceWindow.bring",
           "places < 0", "places <= 0"),
    Change("counts.cu", "if (level < lanes_from) lanes_from = LEVELS;", "", found_by=4),
    Change("counts.cu", "bits[word] |= some[word];", "bits[word] = some[word];"),
    Change("entries.cu", "node == nodes ? deals : 0", "node >= nodes ? deals : 0"),
    Change("lists.cu", "if (is_last) total +=", "total +="),
    Change("first.cu", "(auction.has_bid ? 3 : 4)", "3"),
    # barriers
    Change("counts.cu", "    __syncwarp();\n    const u32 deal =", "    const u32 deal ="),
    Change("features.cu", "found[keys[item]], 1u);\n        }\n    }\n    __syncthreads();",
           "found[keys[item]], 1u);\n        }\n    }"),
    # running sums, and who comes where
    Change("counts.cu", "__popc(lanes & lanes_below(lane))", "__popc(lanes)"),
    Change("counts.cu", "live_count * split / splits);", "live_count * split / splits) + 1;"),
    Change("counts.cu", "live_count * (split + 1) / splits", "live_count * split / splits"),
    Change("counts.cu", "if (lane >= step) sum", "if (lane > step) sum"),
    Change("entries.cu", "totals[threadIdx.x] - total;", "totals[threadIdx.x];"),
    Change("features.cu", "sums[key] - own;", "sums[key];"),
    Change("bidcascade.kernels.gpu.tables.forest:_running",
           "before - np.repeat", "before + np.repeat"),
    # room
    Change("entries.cu", "place < room &&", "place <= room &&"),
    Change("lists.cu", "const u64 end = ends[deal];", "const u64 end = ends[deal] + 1;"),
    Change("bidcascade.kernels.gpu.tables.counts:Counter.count",
           "-(-chunk.count //", "(chunk.count //"),
    Change("bidcascade.kernels.gpu.tables.lists:ListWalker._window", "listed_from[first - 1]",
           "listed_from[first]", found_by=1),
    Change("bidcascade.kernels.gpu.tables.node_windows:NodeRecords.__init__",
           "np.where(used < singles, used",
           "np.where(used <= singles, used"),
    # siblings have one pass at most, so the first is the last
    Change("first.cu", "== 0 && auction.pass_node == NONE)", "== 0)", changes_nothing=True),
    # 32 deals may stay words of bits as well as lanes
    Change("counts.cu", "if (size <= WARP) {", "if (size < WARP) {", changes_nothing=True),
    # a set of no deals is not asked for again
    Change("counts.cu", "if (left != 0) own[", "own[", changes_nothing=True),
    # more or fewer blocks of threads share a block of deals
    Change("bidcascade.kernels.gpu.tables.counts:splits_for", "-WAVES *", "-2 * WAVES *",
           changes_nothing=True),
]  # fmt: skip


def change_function(monkeypatch: pytest.MonkeyPatch, change: Change) -> None:
    """Give a function of the host's part other code, wherever it has been imported."""
    module, _, name = change.place.partition(":")
    named: Any = reduce(getattr, name.split("."), importlib.import_module(module))
    function = getattr(named, "__func__", named)  # of a class method
    text = textwrap.dedent(inspect.getsource(function))
    found: dict[str, Any] = {}
    exec(change.applied(text), function.__globals__, found)
    made = found[function.__name__]
    monkeypatch.setattr(function, "__code__", getattr(made, "__func__", made).__code__)


def edge_cases_pass(folder: Path, change: Change) -> bool:
    """Whether all answers are right where warps, words and windows end, bounds watched only."""
    edges = EDGES
    if change.changes_nothing:
        # all cases, or those of many deals, would be too long a wait
        edges = [(case, ways) for case, ways in EDGES if case in ASKING_CASES[:-1:2]]
    # the case that is known to find it goes first
    for case, ways in sorted(edges, key=lambda edge: edge[0] != ASKING_CASES[change.found_by]):
        options = ways.device_options | {"checks": Checks.BOUNDS}
        device = MutantDevice(folder, **options)
        device.mutant = change if change.place.endswith(".cu") else None
        backend = CudaBackend(device, **ways.options)
        try:
            with ways.taken():
                assert_same_answers(backend, *asked(case))
        except Exception:  # whatever the host made of it
            return False
    return True


@pytest.mark.parametrize(
    "change",
    [
        # every sixth in the check: the cases that find them run there, each in a way that finds it
        pytest.param(
            change,
            id=str(change),
            marks=[pytest.mark.full] * (change.changes_nothing or number % 6 > 0),
        )
        for number, change in enumerate(EDGE_CHANGES)
    ],
)
def test_the_edges_find_a_change(emulator_folder, monkeypatch, change):
    if change.place.endswith(".cu"):
        change.applied(source_path(change.place).read_text("utf-8"))
    else:
        change_function(monkeypatch, change)
    assert edge_cases_pass(emulator_folder, change) == change.changes_nothing


class ForgetfulDevice(EmulatedDevice):
    """A device that never lets a stream wait for another: host code that forgot to ask."""

    def wait(self, stream: Any, event: Any) -> None:
        pass


@pytest.mark.parametrize("operation", ["features", "cascade_counts", "cascade_first", "evaluate"])
def test_streams_that_do_not_wait_are_seen(emulator_folder, operation):
    plan, deals = plan_and_deals()
    backend = CudaBackend(ForgetfulDevice(emulator_folder), most_deals=64)
    with pytest.raises(EmulatorFault, match="neither waits for the other"):
        getattr(backend, operation)(plan, deals)
