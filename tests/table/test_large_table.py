"""A table of millions of rows: import in bounded memory, own format, opening."""

import pytest

from bidcascade.systems import import_table
from bidcascade.table import BiddingTable, lint
from tests.support.cli import run_python
from tests.support.tables import write_made_up_table

pytestmark = pytest.mark.slow

ROWS = 350_000
MOST_MEMORY = 230_000_000
"""Bytes an import of these rows may use at its peak: seven million took less than 1.5 GB."""

IMPORT = """
import resource, sys, time
from pathlib import Path
from bidcascade.systems import import_table
start = time.perf_counter()
table, report = import_table(sys.argv[1])
seconds = time.perf_counter() - start
table.save(sys.argv[2])
status = Path("/proc/self/status")
if status.is_file():
    # ru_maxrss would begin with what the process that started this one held
    peak = next(int(line.split()[1]) for line in status.read_text().splitlines()
                if line.startswith("VmHWM:")) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(report.rows, report.entries, round(seconds, 2), peak, table.digest)
"""


def test_a_made_up_table_is_sound(tmp_path):
    rows = write_made_up_table(tmp_path / "rows.jsonl", 20_000)
    table, report = import_table(tmp_path / "rows.jsonl")
    assert report.counts() == {**dict.fromkeys(report.counts(), 0), "rows": rows}
    assert len(table) == rows > 20_000
    assert 0.70 < (table.variant_set == 0).mean() < 0.90
    entries = range(0, len(table), 97)
    for entry, auction in zip(entries, table.auctions_of(entries), strict=True):
        assert table.find(auction) == entry
        assert bytes(table.auction_of(entry)) == auction
    assert table.plan().node_count == rows


def test_many_rows_import_in_bounded_memory(tmp_path):
    """Run with ``-m slow -s`` to see the figures."""
    rows = write_made_up_table(tmp_path / "rows.jsonl", ROWS)
    assert rows > ROWS
    ran = run_python(IMPORT, tmp_path / "rows.jsonl", tmp_path / "table")
    assert ran.code == 0, ran.err
    read, entries, seconds, peak, digest = ran.out.split()
    size = sum(path.stat().st_size for path in (tmp_path / "table").iterdir())
    print(f"{rows:,} rows, {seconds} s, peak {int(peak) / 1e6:,.0f} MB, {size / 1e6:,.0f} MB kept")
    assert int(read) == int(entries) == rows
    assert int(peak) < MOST_MEMORY
    # about a dozen bytes for the trie, eight for description and index
    assert size < 24 * rows
    table = BiddingTable.open(tmp_path / "table", verify=True)
    assert table.digest == digest
    assert len(table) == rows
    assert lint(table, examples=1).findings["inserted"].count == 0
