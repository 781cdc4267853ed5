"""Batches of many deals by the shipped systems, and the page's engine beside them, as digests.

``python -m tests.recorded.batch OUT.json`` takes some minutes: a proof between two checkouts, which
no check runs. ``--compare BEFORE.json AFTER.json`` names what differs; needs Node for the page.
"""

import argparse
import contextlib
import hashlib
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .drawing import SEATS, VULNERABILITIES, Draw

SYSTEMS = ("sayc", "two-over-one", "acol", "precision", "light-openings")
_FEW = 500
"""Deals of which all auctions are listed, and which the page's engine bids, by each system."""
_IN_NODE = """
import { readFileSync } from "node:fs";
const [folder, rows, deals] = process.argv.slice(-3);
const { load } = await import(`${folder}/engine/index.js`);
const system = load(JSON.parse(readFileSync(rows)).rows, {});
for (const [hands, dealer, vulnerability] of JSON.parse(readFileSync(deals))) {
  console.log(system.auction(hands, { dealer, vulnerability }).join(" "));
}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded.batch", description=__doc__)
    add = parser.add_argument
    add("out", nargs="?", type=Path, metavar="OUT.json", help="the digests that are written")
    add("--deals", type=int, default=100_000, metavar="N")
    add("--compare", nargs=2, type=Path, metavar="DIGESTS")
    options = parser.parse_args()
    if options.compare:
        return _compare(*options.compare)
    if not options.out:
        parser.error("expected OUT.json or --compare")
    with tempfile.TemporaryDirectory() as folder:
        found = record(Path(folder), options.deals)
    options.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return int(any(one["differ"] for one in found["page"].values()))


def record(folder: Path, count: int) -> dict[str, Any]:
    """Digests of what each system bids, and how many auctions of the page's engine are others."""
    from .__main__ import prepare

    prepare(folder)
    deals = _deals(count)
    many, few = folder / "many.pbn", folder / "few.pbn"
    for path, some in ((many, deals), (few, deals[:_FEW])):
        path.write_text("".join(map(_board, some)), "utf-8")
    found: dict[str, Any] = {"deals": count, "first": {}, "all": {}, "page": {}}
    for system in SYSTEMS:
        first = folder / f"{system}-first"
        _command("batch", many, "--out", first, "--mode", "first", "--table", system, "--jobs", "1")
        found["first"][system] = _digests(first)
        every = folder / f"{system}-all"
        _command(
            "batch",
            few,
            "--out",
            every,
            "--mode",
            "all",
            "--limit",
            "20",
            "--table",
            system,
            "--jobs",
            "1",
        )
        found["all"][system] = _digests(every)
        found["page"][system] = _page(folder, system, deals[:_FEW], first)
        print(f"{system}: {found['page'][system]['differ']} of {_FEW} differ on the page")
    return found


def _deals(count: int) -> list[tuple[list[str], str, str]]:
    draw = Draw("batch")
    return [(draw.hands(), SEATS[number % 4], draw.one(VULNERABILITIES)) for number in range(count)]


def _board(deal: tuple[list[str], str, str]) -> str:
    hands, dealer, vulnerability = deal
    vulnerable = "All" if vulnerability == "Both" else vulnerability
    text = f"N:{' '.join(hands)}"
    return f'[Dealer "{dealer}"]\n[Vulnerable "{vulnerable}"]\n[Deal "{text}"]\n\n'


def _command(*words: object) -> bytes:
    from bidcascade.service.cli import main as run

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    err = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(word) for word in words])
    if code:
        raise SystemExit(err.getvalue())
    return out.buffer.getvalue()  # type: ignore[attr-defined, no-any-return]


def _digests(folder: Path) -> dict[str, str]:
    """Digest of each column of each kind of file of a batch."""
    return {
        f"{kind} {column}": hashlib.sha256(values.encode()).hexdigest()[:16]
        for kind in ("auctions", "boards", "entries")
        for column, values in _columns(folder, kind)
    }


def _columns(folder: Path, kind: str) -> Iterator[tuple[str, str]]:
    import polars as pl

    paths = sorted(folder.rglob(f"{kind}*.parquet"))
    if paths:
        for column in (frame := pl.concat([pl.read_parquet(path) for path in paths])).columns:
            yield column, frame.select(column).write_ndjson()


def _page(
    folder: Path, system: str, deals: list[tuple[list[str], str, str]], first: Path
) -> dict[str, Any]:
    """How many auctions the page's engine bids otherwise, and the digest of what it bids."""
    import polars as pl

    from bidcascade.bridge import CALL_TEXTS
    from bidcascade.page.static_files import static_files

    pages = folder / "page"
    for name, file in static_files().items():
        path = pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    # the engine is a package of modules
    (pages / "package.json").write_text('{"type": "module"}', "utf-8")
    rows, asked = folder / f"{system}.json", folder / "asked.json"
    rows.write_bytes(_command("get", f"/v1/tables/{system}/system", "--table", system))
    asked.write_text(json.dumps(deals), "utf-8")
    bid = subprocess.run(
        ["node", "--input-type=module", "--eval", _IN_NODE, "--", pages, rows, asked],
        capture_output=True,
        text=True,
        check=False,
    )
    if bid.returncode:
        raise SystemExit(bid.stderr)
    mine = bid.stdout.splitlines()
    paths = sorted(first.rglob("auctions*.parquet"))
    calls = pl.concat([pl.read_parquet(path) for path in paths])["auction"].head(len(deals))
    theirs = [" ".join(CALL_TEXTS[call] for call in auction) for auction in calls.to_list()]
    differ = sum(one != other for one, other in zip(mine, theirs, strict=True))
    return {"differ": differ, "calls": hashlib.sha256(bid.stdout.encode()).hexdigest()[:16]}


def _compare(before: Path, after: Path) -> int:
    old, new = (json.loads(path.read_text("utf-8")) for path in (before, after))
    differing = [
        f"{part} {system}: {name}"
        for part in ("first", "all", "page")
        for system in SYSTEMS
        for name in dict.fromkeys([*old[part][system], *new[part][system]])
        if old[part][system].get(name) != new[part][system].get(name)
    ]
    print("\n".join(differing))
    print(f"{old['deals']:,} deals before, {new['deals']:,} after, {len(differing)} digests differ")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
