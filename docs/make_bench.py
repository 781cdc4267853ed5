"""Writes ``bench.md``: the systems of the package, and the page's bot, on the benchmark's boards.

``python -m docs.make_bench`` measures them as they are, and solves boards that are not solved yet.
Rows of other versions stay: they are kept in ``bench.json``, of which the page is made.
"""

import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bidcascade.inference.double_dummy.pool import DoubleDummyPool
from bidcascade.seats.foreign.bidding import Player
from bidcascade.seats.foreign.process import ProcessEngine
from bidcascade.service.reports.bench_report import ResultRow, result_row
from bidcascade.systems import open_system
from bidcascade.systems.registry import named_systems
from bidcascade.version import package_version
from bidcascade.workshop.boards.bench import DEFAULT_BOARDS, bench

DOCS: Final = Path(__file__).parent
ROWS: Final = DOCS / "bench.json"
PAGE: Final = DOCS / "bench.md"
_BOT: Final = "<!-- file: bot.py -->\n```python\n"

_HEAD: Final = """# The benchmark

`bidcascade bench BOT` measures a bidder on fixed boards: those of the bank of solved deals
([compare.md](compare.md#the-bank-of-solved-deals)), which follow from a seed. It plays a team match
against each system of the package, and bids all four seats by itself, where its distance from par
([compare.md](compare.md#systems-against-par)) is told by causes, with boards.
BOT is a foreign engine ([engines.md](engines.md)), a system or a file `.bidding`.

```sh
bidcascade bench sayc --against acol --boards 3 --out bench
```

```text
…
sayc: 3 boards of the held-out part of the bank, seed 0
…
no call that could not be used
…
```

Without `--boards` it is the first 1,000 boards of the part that is held out, by which no text of
the package was tuned; `--seed 1` takes the next 1,000. Boards that are not solved take some 0.2 s
of a core each, once. Calls that are illegal or cannot be read count as passes and are listed; an
engine that ends, or answers too late, ends the benchmark. What it prints, and the files of `--out`
but `times.json`, are the same each time, as far as the bot is; times are told on standard error.

| file of `--out` | what is in it |
| --- | --- |
| `report.html`, `report.md` | all numbers, and boards with links to BBO's handviewer |
| `summary.json` | the same numbers; `--json` prints them |
| `times.json` | seconds, and milliseconds a call |
| `boards.parquet` | a row a board, as `compare --archive` writes it |

`POST /v1/bench` asks the same of a system, a table or a text, over REST; it starts no engines.

The interval of a match, ±, is half that of 95 %. Each score of a match stands by itself: IMPs
double dummy; the same where each contract that fails is doubled; points.

## Results

IMPs a deal against each system, and IMPs from par a board at all four seats (less is better).
`bot.py` is the one of [engines.md](engines.md). `python -m docs.make_bench` writes this table and
keeps the rows of earlier versions; digests are the beginnings of those that `summary.json` has.
"""


def page_of(rows: Iterable[ResultRow]) -> str:
    """Text of the page."""
    told = list(rows)
    opponents = sorted({name for row in told for name in row.matches})
    heads = [
        "version",
        "name",
        "digest",
        "boards",
        *(f"against {name}" for name in opponents),
        "from par",
    ]
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    lines += [
        "| " + " | ".join((
            row.version, row.name, f"`{row.digest[:8]}`", row.boards,
            *(row.matches.get(name, "") for name in opponents), row.par,
        )) + " |"
        for row in told
    ]  # fmt: skip
    return _HEAD + "\n" + "\n".join(lines) + "\n"


def kept_rows() -> list[ResultRow]:
    """Rows that were measured before."""
    if not ROWS.exists():
        return []
    return [ResultRow(**row) for row in json.loads(ROWS.read_text("utf-8"))]


def _measured(bidder: Player, pool: DoubleDummyPool, boards: int) -> ResultRow:
    opponents = [open_system(name) for name in named_systems() if name != bidder.name]
    return result_row(bench(bidder, opponents, pool, boards=boards)[0], package_version())


def main() -> None:
    """Measure, and write rows and page."""
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_BOARDS
    source = (DOCS / "engines.md").read_text("utf-8").partition(_BOT)[2].partition("```")[0]
    with tempfile.TemporaryDirectory() as folder, DoubleDummyPool() as pool:
        script = Path(folder) / "bot.py"
        script.write_text(source, "utf-8")
        new = [_measured(open_system(name), pool, boards) for name in named_systems()]
        with ProcessEngine(["python3", str(script)], name="bot.py") as bot:
            new.append(_measured(bot, pool, boards))
    made = {(row.version, row.name, row.boards) for row in new}
    rows = [row for row in kept_rows() if (row.version, row.name, row.boards) not in made] + new
    text = json.dumps([row._asdict() for row in rows], indent=1, ensure_ascii=False)
    ROWS.write_text(text + "\n", "utf-8")
    PAGE.write_text(page_of(rows), "utf-8")


if __name__ == "__main__":
    main()
