"""Tests of the tests: kernels broken on purpose must not pass for right ones.

Each mutant is one change to the text of a real kernel; where the text has changed so that it cannot
be made any more, its test fails and the mutant must be found anew. Every mutant is looked for
twice: by its answers, with bounds watched and no more, and by the emulator's own eyes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidcascade.kernels import DealArrays, Plan
from bidcascade.kernels.cuda import CudaBackend
from tests.kernels.emulator.backend import EmulatedBackend
from tests.kernels.emulator.device import Checks, EmulatedDevice, EmulatorFault
from tests.support_backends import SOME, reference
from tests.support_plans import deal_arrays, random_plan

pytestmark = pytest.mark.slow

SCHEDULES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Mutant:
    """One change to one kernel file, and what notices it."""

    file: str
    old: str
    new: str
    operation: str
    message: str
    """What the emulator says of it; empty where it is a wrong answer and no more."""

    def applied(self, file: str, text: str) -> str:
        if file != self.file:
            return text
        found = text.count(self.old)
        assert found == 1, f"expected {self.old!r} once in {file}, found it {found} times"
        return text.replace(self.old, self.new)


MUTANTS = {
    "missing barrier": Mutant(
        "columns.cu",
        "= mine[word];\n        __syncthreads();\n", "= mine[word];\n",
        "evaluate", "race: |nothing has written",
    ),
    "missing barrier in a warp": Mutant(
        "counts.cu",
        "    __syncwarp();\n    const u32 deal = lane",
        "    const u32 deal = lane",
        "counts", "race: |nothing has written",
    ),
    "off by one at the tail": Mutant(
        "columns.cu",
        "    return start < count ? (1u << (count - start)) - 1u : 0u;",
        "    return start < count ? (2u << (count - start)) - 1u : 0u;",
        "members", "",
    ),
    "one thread too many": Mutant(
        "features.cu",
        "    if (number >= 4ull * count) return;\n",
        "    if (number > 4ull * count) return;\n",
        "evaluate", "which has |which nothing has written",
    ),
}  # fmt: skip


class MutantDevice(EmulatedDevice):
    """A device whose kernels have a mutant among them."""

    mutant: Mutant
    was_compiled = False

    def source(self, file: str) -> str:
        self.was_compiled |= file == self.mutant.file
        return self.mutant.applied(file, super().source(file))


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
    lost = Mutant("columns.cu", "no such line", "", "evaluate", "")
    with pytest.raises(AssertionError, match="found it 0 times"):
        differs(emulator_folder, lost, plan, deals, Checks.ALL, 0)


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
