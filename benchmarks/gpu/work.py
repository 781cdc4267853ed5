"""What a part that is no test does, in a process of its own.

``python -m benchmarks.gpu.work PART OPTIONS RESULT``: options as JSON, the result's path. It ends
with 0 when the part is done, 1 when answers differ, 3 when the device or something else is not
there or fails; the result says why.
"""

import argparse
import json
import sys
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import get_engine
from benchmarks.engines.compare import Disagreement, check
from benchmarks.engines.measuring import measure_workload
from benchmarks.engines.report import amount_of
from benchmarks.engines.workloads import Inputs, find_workloads
from benchmarks.tools.machine import environment
from benchmarks.tools.programs import timed
from bidcascade.bridge import BackendUnavailable, DeviceFault, OutOfDeviceMemory
from bidcascade.kernels import cuda, get_backend, why_unavailable

from . import systems
from .parts import ENGINES, GO, SLOW_ENGINES, SLOWLY_TIMED

_FIRST_ENTRIES, _FIRST_DEALS = 1_200, 100
_FIRST_WORKLOADS = (
    "counts/selective",
    "all/selective",
    "first/bushy-dense",
    "evaluate",
    "features",
    "deals",
)
_DEAL_BYTES = 2_048
"""Device memory that is asked for by a timed deal, everything included."""
PROBE = "probe"

Found = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Do the part, and write what came of it."""
    name, given, result = arguments
    options = argparse.Namespace(**json.loads(given))
    done: Found
    try:
        code, done = 0, _work(name)(options)
    except (Disagreement, BrokenProcessPool) as error:
        code, done = 1, {"about": str(error)}
    except (BackendUnavailable, DeviceFault, OutOfDeviceMemory, ImportError) as error:
        code, done = 3, {"about": str(error)}
    Path(result).write_text(json.dumps(done), "utf-8")
    print(f"{name}: {done['about']}", flush=True)
    return code


def _work(name: str) -> Callable[[argparse.Namespace], Found]:
    if name == PROBE:
        return probe
    if name == GO:
        return go
    if name == "time systems":
        return _time_systems
    return lambda options: time_workload(name.partition(" ")[2], options)


def probe(_: argparse.Namespace) -> Found:
    """Look whether the device still works."""
    reason = why_unavailable("cuda")
    if reason is not None:
        raise BackendUnavailable(reason)
    backend = cuda.backend_here()
    backend.session.zeros(1, np.uint64)
    backend.session.wait()
    return {"about": backend.session.device.name}


def go(options: argparse.Namespace) -> Found:
    """Find what there is, compile every kernel, compare a few answers of each kind."""
    reason = why_unavailable("cuda")
    if reason is not None:
        raise BackendUnavailable(reason)
    session = cuda.backend_here().session
    # a table of 16 bytes an entry, and deals with all that is made of them
    wanted = _DEAL_BYTES * options.deals + 16 * options.entries
    free = session.device.free_bytes()
    if free < wanted:
        raise OutOfDeviceMemory(
            f"expected {amount_of(wanted)}B of free device memory, got {amount_of(free)}B: other "
            "processes hold it"
        )
    notes = [f"{session.device.name}, {amount_of(free)}B free"]
    core = why_unavailable("cpu")
    notes.append("the core is there" if core is None else f"no core: {core}")
    for name in _FIRST_WORKLOADS:
        (workload,) = find_workloads([name])
        inputs = Inputs.make(
            workload, entries=_FIRST_ENTRIES, deals=_FIRST_DEALS, seed=options.seed
        )
        engines = [get_engine(one) for one in ("reference", "cuda")]
        seconds, _ = timed(lambda engines=engines, plan=inputs.plan: engines[1].prepare(plan))
        check(engines, inputs)
        print(f"{name}: right; compiled in {seconds:.1f} s", flush=True)
    if core is None:
        try:
            systems.compare_systems(systems.deals_of(options.seed, 200), get_backend("cuda"))
            notes.append(f"{systems.SYSTEM} bid on 200 deals")
        except ModuleNotFoundError as error:
            notes.append(f"no system bid: {error.name} is not installed")
    found = environment()
    if found["gpu"] == "none" or options.emulator:
        found["gpu"] = session.device.name.partition(" ")[2]
    return {"about": "go: " + "; ".join(notes), "environment": found, "no_core": core}


def time_workload(name: str, options: argparse.Namespace) -> Found:
    """Compare the engines' answers on a workload, then time them."""
    (workload,) = find_workloads([name])
    engines = [one for one in ENGINES if not (options.emulator and one == "cudf")]

    def is_able(engine: str) -> bool:
        return get_engine(engine).why_unavailable(workload.operation) is None

    if name == SLOWLY_TIMED or not is_able("cpu"):
        engines += [one for one in SLOW_ENGINES if is_able(one)][:1]
    measured = measure_workload(workload, engines, options)
    # an engine that fails says so itself; this one has to be there
    (timing,) = (one for one in measured.timings if one.engine == "cuda")
    if timing.unavailable is not None:
        raise BackendUnavailable(timing.unavailable)
    return {
        "about": "timed",
        "shape": measured.shape,
        "check_deals": measured.check_deals,
        "timings": [asdict(one) for one in measured.timings],
    }


def _time_systems(options: argparse.Namespace) -> Found:
    return {"about": "timed", "systems": systems.time_systems(options)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
