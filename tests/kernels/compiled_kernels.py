"""``python -m tests.kernels.compiled_kernels``: what each kernel takes of each generation of cards.

Compiles every kernel by NVRTC for compute capability 7.5 to 12.0, without a device, and writes the
table of registers and occupancy. Exit 1 where a kernel has a warning or spills registers, 3 where
there is no NVRTC.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bidcascade.bridge import FULL_DECK
from bidcascade.kernels.cuda_device import compiler_options, source_text
from bidcascade.kernels.gpu.systems.system_places import PLACES_DEFINES
from bidcascade.kernels.gpu.systems.system_tables import DEFINES
from bidcascade.kernels.gpu.systems.systems import LISTS_DEFINES
from bidcascade.kernels.gpu.tables.tables import (
    feature_defines,
    first_defines,
    thread_staging,
    word_defines,
)
from tests.support.nvrtc import ARCHITECTURES, CompileError, Usage, libraries, why_unavailable

REPORT = Path(__file__).parents[2] / "benchmarks/results/gpu/kernels.md"

WORDS = ((1, 1), (3, 6))
"""Lane and flag words of a hand: the least, and more than the published tables need."""

Defines = Mapping[str, int]
SYSTEMS: list[tuple[str, Defines]] = [
    ("system_walk.cu", DEFINES),
    ("system_places.cu", PLACES_DEFINES),
    ("system_lists.cu", LISTS_DEFINES),
]


def kernel_variants(lane_words: int = 1, flag_words: int = 1) -> list[tuple[str, Defines]]:
    """Files with ``#define``s to compile them with, every file at least once."""
    words = word_defines(lane_words, flag_words)
    found: list[tuple[str, Defines]] = [
        ("features.cu", feature_defines(lane_words, flag_words, stack)) for stack in (0, 5)
    ]
    found += [("columns.cu", {"BLOCK_WORDS": 32 * lane}) for lane in (1, 2, 4)]
    found += [("counts.cu", {"WORDS_A_LANE": lane, "LEVELS": 24}) for lane in (1, 2, 4)]
    found += [("first.cu", first_defines(lane_words, flag_words)), ("lists.cu", words)]
    return [*found, ("entries.cu", {}), ("dealing.cu", {})]


def variants() -> list[tuple[str, Defines]]:
    distinct: dict[tuple[str, tuple[tuple[str, int], ...]], Defines] = {}
    for words in WORDS:
        for file, defines in kernel_variants(*words):
            distinct.setdefault((file, tuple(sorted(defines.items()))), defines)
    return [(file, defines) for (file, _), defines in distinct.items()] + [
        ("frames.cu", {"FULL_DECK": FULL_DECK}),
        *SYSTEMS,
    ]


def spelled(file: str, defines: Defines) -> str:
    if file in dict(SYSTEMS):
        return file  # its numbers are sizes of rows, always the same
    numbers = [f"{name}={value}" for name, value in defines.items() if not name.startswith("OP_")]
    return " ".join([file, *numbers])


class Card(NamedTuple):
    """What a multiprocessor has, by the CUDA programming guide's table of capabilities."""

    warps: int
    blocks: int
    shared_bytes: int


CARDS = {
    75: Card(32, 16, 64 << 10), 80: Card(64, 32, 164 << 10), 86: Card(48, 16, 100 << 10),
    89: Card(48, 24, 100 << 10), 90: Card(64, 32, 228 << 10), 100: Card(64, 32, 228 << 10),
    120: Card(48, 24, 100 << 10),
}  # fmt: skip
THREADS = {
    "sort_starts": 1024, "walk_top": 512, "deal_hands": 128, "advance_rows": 64,
    "expand_places": 64, "show_cells": 128, "fill_ranges": 128, "gather_items": 128,
    "keep_sets": 128, "keep_rows": 128,
}  # fmt: skip
"""Of a block, where they are not 256."""
REGISTERS = 1 << 16


def occupancy(card: Card, entry: str, used: Usage, defines: Defines) -> float:
    """Share of a multiprocessor's warps that can be there at once."""
    threads, shared = THREADS.get(entry, 256), used.shared_bytes
    if entry in ("first_auctions", "list_totals", "list_entries"):
        words = defines["LANE_WORDS"] + defines["FLAG_WORDS"]
        threads, staged = thread_staging(card.shared_bytes, words)
        shared += staged
    warps = threads // 32
    # registers are given to warps by 256, and 1 KiB of shared memory goes with each block
    by_registers = REGISTERS // (-(-32 * used.registers // 256) * 256) // warps
    by_shared = card.shared_bytes // (shared + 1024)
    return min(card.blocks, card.warps // warps, by_registers, by_shared) * warps / card.warps


def report() -> tuple[str, bool]:
    """Table as Markdown, and whether no kernel spills."""
    compiler = libraries()[-1]
    rows: dict[tuple[str, str], list[str]] = {}
    clean = True
    for architecture in ARCHITECTURES:
        for file, defines in variants():
            options = [*compiler_options(defines), f"--gpu-architecture=sm_{architecture}"]
            for entry, used in compiler.compile(file, source_text(file), options).items():
                share = occupancy(CARDS[architecture], entry, used, defines)
                spilled = f", {used.spilled_bytes} B spilled" * bool(used.spilled_bytes)
                clean &= not used.spilled_bytes
                cell = f"{used.registers} / {share:.0%}{spilled}"
                rows.setdefault((spelled(file, defines), entry), []).append(cell)
    lines = [
        "# Kernels as machine code",
        "",
        f"`python -m tests.kernels.compiled_kernels`, {compiler}: registers of a thread / share of "
        "a multiprocessor's warps that can be there at once. No kernel has a warning"
        " or spills registers.",
        "",
        "| file | kernel | " + " | ".join(f"sm_{one}" for one in ARCHITECTURES) + " |",
        "|" + " --- |" * (2 + len(ARCHITECTURES)),
        *(f"| {file} | {entry} | {' | '.join(cells)} |" for (file, entry), cells in rows.items()),
    ]
    return "\n".join(lines) + "\n", clean


def main() -> int:
    """Write the report."""
    reason = why_unavailable()
    if reason is not None:
        print(f"error: {reason}", file=sys.stderr)
        return 3
    try:
        text, clean = report()
    except CompileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if not clean:
        print(f"{text}error: expected no kernel to spill registers", file=sys.stderr)
        return 1
    REPORT.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
