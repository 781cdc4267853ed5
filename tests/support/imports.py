"""Imports of tables whose rows go to the disk, as a command that can be disturbed."""

import random
import sys
from pathlib import Path

from bidcascade.systems import export_table, import_table
from bidcascade.table import Row
from bidcascade.table.build import build_table

SPILLING = """
import sys
from bidcascade.systems.tables import row_files
row_files.import_table.__kwdefaults__["rows_in_memory"] = 500
from bidcascade.service.cli import main
sys.exit(main())
"""
"""The command line, for which few rows are many."""


def write_rows(path: Path, rows: int, seed: int = 1) -> str:
    """Write rows of many auctions to a file; the digest of their table."""
    chance = random.Random(seed)
    made = []
    for number in range(rows):
        auction, last = bytearray(), 2
        for _ in range(chance.randrange(1, 8)):
            call = chance.choice((0, last + chance.randrange(1, 4)))
            auction.append(min(call, 37))
            last = max(last, auction[-1])
        made.append(Row(bytes(auction[:-1]), auction[-1], f"text {number % 70}", ("HCP >= 12",)))
    table, _ = build_table(made)
    export_table(table, path)
    return import_table(path)[0].digest


def import_command(rows: Path, out: Path) -> list[str]:
    """Import rows, more than are kept in memory, into a folder."""
    return [
        sys.executable,
        "-c",
        SPILLING,
        "table",
        "import",
        str(rows),
        "--out",
        str(out),
        "--force",
    ]
