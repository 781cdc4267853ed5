"""The parts of the command ``gpu``, in their order: what each does, needs and may take.

A part is a process of its own, so that one that hangs or dies takes nothing with it. Parts of tests
are pytest's, the others are functions of ``work``.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

GO = "go"
WORKLOADS = (
    "counts/selective", "counts/middle", "counts/dense", "counts/bushy-dense", "all/selective",
    "parquet/selective", "first/selective", "first/bushy-dense", "evaluate", "features", "deals",
    "one/selective",
)  # fmt: skip
ENGINES = ("cpu", "cuda", "cudf")
SLOW_ENGINES = ("polars", "numpy")
"""The first of them that is there is compared with on :data:`SLOWLY_TIMED`, or on all workloads
where the core is missing: they take a minute each, and a GPU is often there for minutes."""
SLOWLY_TIMED = "counts/selective"

_TESTING = ("pytest", "hypothesis")
_SYSTEMS = ("polars", "lazy_loader", "lark")
_SERVICE = (
    "fastapi",
    "pydantic_settings",
    "uvicorn",
    "httptools",
    "httpx",
    "endplay",
    "pyroaring",
    "rich",
)


@dataclass(frozen=True)
class Part:
    """Something that is done at once, and done again from its beginning if it was broken off.

    Parameters
    ----------
    name : str
    about : str
        For the report.
    limit : float
        Seconds that it may take at most.
    modules : sequence of str
        What has to be installed.
    tests : sequence of str
        Of a part of tests: what pytest is given.
    rehearsed : sequence of str
        The same where the emulator stands for the device, which is slow.
    needs_core : bool
        Whether it asks the core's library, on the processor.
    """

    name: str
    about: str
    limit: float = 470
    modules: Sequence[str] = ()
    tests: Sequence[str] = ()
    rehearsed: Sequence[str] = ()
    needs_core: bool = False

    @property
    def workload(self) -> str | None:
        """Workload that is timed, if one is."""
        return self.name.partition(" ")[2] if self.name.startswith("time ") else None

    def missing(self, path: Sequence[str]) -> list[str]:
        """Modules that are not installed, in their order; folders of ``path`` count as well."""
        before, sys.path[:0] = list(sys.path), path
        try:
            return [one for one in self.modules if find_spec(one) is None]
        finally:
            sys.path[:] = before


_KERNELS = "tests/kernels"
_BACKENDS = f"{_KERNELS}/test_backends.py"
_ON_GPU = "tests/service/gpu"


def _timed(workload: str) -> Part:
    modules = ("polars",) if workload.startswith("parquet/") else ()
    return Part(f"time {workload}", "timed, answers compared first", modules=modules)


PARTS = (
    Part(GO, "device, driver, memory, every kernel compiled, a few answers of each kind", 120),
    Part(
        "kernels",
        "every operation of the backend against the definition",
        modules=_TESTING,
        tests=(_BACKENDS, f"{_KERNELS}/test_cuda_device.py", f"{_KERNELS}/test_cuda_emulator.py"),
        rehearsed=(f"{_BACKENDS}::test_sizes",),
    ),
    Part(
        "answers",
        "the same on all ways through the backend, by chance",
        modules=_TESTING,
        tests=(f"{_KERNELS}/test_cuda_answers.py",),
        rehearsed=(f"{_KERNELS}/test_cuda_answers.py::test_several_plans_on_one_device",),
    ),
    Part(
        "systems",
        "systems bid as on the processor",
        modules=(*_TESTING, *_SYSTEMS),
        tests=(f"{_KERNELS}/test_cuda_systems.py",),
        rehearsed=(f"{_KERNELS}/test_cuda_systems.py::test_words_for_calls",),
        needs_core=True,
    ),
    Part(
        "frames",
        "deals and answers of polars, cudf and device arrays",
        modules=(*_TESTING, *_SYSTEMS),
        tests=(f"{_ON_GPU}/test_frames_on_gpu.py",),
        rehearsed=(f"{_ON_GPU}/test_frames_on_gpu.py",),
        needs_core=True,
    ),
    Part(
        "service",
        "service, jobs, batches, several processes",
        modules=(*_TESTING, *_SYSTEMS, *_SERVICE),
        tests=(f"{_ON_GPU}/test_service_on_gpu.py",),
        rehearsed=(f"{_ON_GPU}/test_service_on_gpu.py",),
        needs_core=True,
    ),
    _timed(SLOWLY_TIMED),
    Part("time systems", "timed, calls compared first", modules=("lazy_loader",), needs_core=True),
    *(_timed(one) for one in WORKLOADS if one != SLOWLY_TIMED),
)

SANITIZER = Part(
    "sanitizer",
    "memory errors and races, by compute-sanitizer",
    modules=_TESTING,
    tests=("tests/kernels/run_sanitizer.sh",),
)
"""Only where it is named: it takes long, and its tool is no part of a driver."""
REHEARSED_WORKLOADS = ("counts/selective", "evaluate")
"""Timed on the emulator."""
