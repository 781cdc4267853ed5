"""Commands that are a choice of engines, workloads and limits: ``gpu`` and ``variants``."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.engines.choice import VARIANTS


@dataclass(frozen=True)
class Preset:
    """Defaults of a command; what the command line says goes before them."""

    about: str
    engines: Sequence[str]
    workloads: Sequence[str]
    repeat: int
    budget: float


PRESETS = {
    "gpu": Preset(
        "polars and the cpu backend against the GPU: cuda, and cudf as the naive way there",
        # numpy is what a machine without numba and polars has to compare with
        ("cpu", "cuda", "numpy", "polars", "cudf"),
        (
            "counts/selective", "counts/middle", "counts/dense", "counts/bushy-dense",
            "all/selective", "parquet/selective", "first/selective", "first/bushy-dense",
            "evaluate", "features", "deals", "one/selective",
        ),
        repeat=5,
        budget=5.0,
    ),
    "variants": Preset(
        "the candidates for counts on the GPU against each other",
        # numpy is there to compare the answers with, on a bare machine too
        (*(f"cuda:{variant}" for variant in VARIANTS), "numpy"),
        ("counts",),
        repeat=7,
        budget=5.0,
    ),
}  # fmt: skip


def apply_preset(options: argparse.Namespace) -> None:
    """Fill in what the command line left open."""
    preset = PRESETS.get(options.what)
    if preset is None:
        options.repeat = options.repeat or 5
        options.budget = options.budget or 60.0
        return
    options.engine = options.engine or list(preset.engines)
    options.workload = options.workload or list(preset.workloads)
    options.repeat = options.repeat or preset.repeat
    options.budget = options.budget or preset.budget
