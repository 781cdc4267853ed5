"""Archives: time, memory and bytes to add, bid and index boards; how fast questions are answered.

Run ``python -m benchmarks.files.archives`` from the repository's root with the packages on the
path. Boards are random deals; ``sayc`` bids them, and a copy of its text with one line changed bids
them again. Each step runs in a process of its own, whose peak resident size is reported. Questions
are asked in one process: each of some random nodes once to open what it needs, then again for the
time, which is the median and the longest. The answers are compared with a full pass over all
boards. Statistics are those of boards with made-up double-dummy tables: solving real ones takes a
tenth of a second each and has no part in the time.
"""

import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from benchmarks.tools.machine import environment, in_a_process, peak_mib
from benchmarks.tools.programs import options, table, timed, write_report
from bidcascade.bridge import format_calls
from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.archive.archive import Archive
from bidcascade.engine.archive.board_search import find_boards
from bidcascade.engine.archive.upkeep import bid_archive, solve_archive
from bidcascade.engine.questions.archives import BoardsQuestion
from bidcascade.loaders import random_deals, write_deal_parquet
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.service.jobs.data_folder import folder_size
from bidcascade.systems.registry import SYSTEMS
from bidcascade.workshop.boards.archive_statistics import statistics as node_statistics

CHUNK: Final = 1_000_000
CHANGED: Final = ("1NT = Strong notrump: 15-17 points", "1NT = Strong notrump: 15-18 points")
"""The line of sayc that is changed: its strong notrump."""
CONDITIONS: Final = (
    ("two terms", "HCP_N >= 15 and SL_N_S >= 5"),
    ("two terms, rare", "HCP_N >= 28 and SL_N_S >= 6"),
)


def add(root: Path, boards: int) -> dict[str, Any]:
    """Add random boards from Parquet files of a million each."""
    files = []
    for number, first in enumerate(range(0, boards, CHUNK)):
        path = root / f"deals-{boards}-{number}.parquet"
        write_deal_parquet(random_deals(min(CHUNK, boards - first), 1000 + number), path)
        files.append(path)
    seconds, _ = timed(lambda: add_files(root / str(boards), files))
    return {"step": "add", "seconds": seconds}


def bid(root: Path, boards: int, text: str, *, all_calls: bool) -> dict[str, Any]:
    """Let the system bid them, or index mode all as well."""
    seconds, done = timed(
        lambda: bid_archive(root / str(boards), text, name="sayc", all_calls=all_calls)
    )
    return {"step": "index mode all" if all_calls else "bid", "seconds": seconds, "bid": done.bid}


def changed_text(root: Path) -> str:
    """Path of a copy of sayc in which one line is another."""
    folder = root / "changed"
    shutil.copytree(SYSTEMS, folder, ignore=shutil.ignore_patterns("compiled", "places"))
    path = folder / "sayc.bidding"
    text = path.read_text("utf-8")
    if CHANGED[0] not in text:
        raise ValueError(f"expected a line with {CHANGED[0]!r} in sayc")
    path.write_text(text.replace(*CHANGED, 1), "utf-8")
    return str(path)


def change(root: Path, boards: int, *, anew: bool) -> dict[str, Any]:
    """Let the changed text bid, in the place of the old one or under a name of its own."""
    text = str(root / "changed" / "sayc.bidding")
    name = "anew" if anew else "sayc"
    seconds, _ = timed(lambda: bid_archive(root / str(boards), text, name=name, all_calls=True))
    return {"step": "one line changed" if not anew else "the same, built anew", "seconds": seconds}


def same_index(root: Path, boards: int) -> bool:
    """Whether what was gone on from is what was built anew."""
    archive = Archive(root / str(boards))
    digest = archive.digest("sayc")
    for part in archive.parts:
        first, second = (part.postings(name, digest) for name in ("sayc", "anew"))
        nodes, others = (part.allowed(name, digest) for name in ("sayc", "anew"))
        if not (
            first.auctions.equals(second.auctions)
            and (first.order == second.order).all()
            and list(nodes.items()) == list(others.items())
        ):
            return False
    return True


def questions(root: Path, boards: int, asked: int) -> list[dict[str, Any]]:
    """Ask for 500 boards of random nodes, with conditions too, and of mode all."""
    archive = Archive(root / str(boards))
    digest = archive.digest("sayc")
    random = np.random.default_rng(1)
    auctions = archive.parts[0].postings("sayc", digest).auctions
    nodes = []
    for number in random.integers(0, len(auctions), asked).tolist():
        calls = auctions[number]
        nodes.append(format_calls(calls[: int(random.integers(1, len(calls) + 1))]))
    found = [
        measure("node", archive, [BoardsQuestion(auction=node, by="sayc") for node in nodes]),
        measure(
            "node, by chance", archive,
            [BoardsQuestion(auction=node, by="sayc", seed=1) for node in nodes],
        ),
        measure("pattern", archive, [
            BoardsQuestion(auction=text, by="sayc")
            for text in ("1NT P 2C P 2M …", "1M P 2N", "1m (1M) Double", "2M (3m) …")
        ]),
    ]  # fmt: skip
    for name, where in CONDITIONS:
        rooted = [
            BoardsQuestion(auction=node, by="sayc", where=(where,)) for node in ["", "1C", *nodes]
        ]
        found.append(measure(f"node, {name}", archive, rooted))
    allowed = [BoardsQuestion(auction=node, by="sayc", mode="all") for node in nodes]
    found.append(measure("node, mode all", archive, allowed))
    check(archive, nodes, digest)
    return found


def measure(name: str, archive: Archive, asked: Sequence[BoardsQuestion]) -> dict[str, Any]:
    """Ask some questions, each once before it is timed."""
    seconds, boards = [], []
    for question in asked:
        find_boards(archive, question)
        taken, answer = timed(lambda question=question: find_boards(archive, question))
        seconds.append(taken)
        boards.append(answer.boards.height)
    return {
        "question": name, "asked": len(asked), "median ms": 1000 * statistics.median(seconds),
        "longest ms": 1000 * max(seconds), "median boards": statistics.median(boards),
    }  # fmt: skip


def check(archive: Archive, nodes: Sequence[str], digest: str) -> None:
    """Compare totals with a full pass over what is bid."""
    texts = []
    for part in archive.parts:
        auctions = part.postings("sayc", digest).auctions_of(
            np.arange(part.files.boards, dtype="u4")
        )
        texts.append(auctions.list.eval(pl.element().cast(pl.String)).list.join(" ") + " ")
    every = pl.concat(texts)
    from bidcascade.bridge import parse_calls

    for node in nodes:
        prefix = "".join(f"{call} " for call in parse_calls(node))
        expected = int(every.str.starts_with(prefix).sum())
        total = find_boards(archive, BoardsQuestion(auction=node, by="sayc")).total
        if total != expected:
            raise ValueError(f"expected {expected} boards of {node!r}, got {total}")


def of_nodes(root: Path, boards: int) -> dict[str, Any]:
    """Work out statistics of all nodes with 50 boards, of boards that are solved."""
    folder = root / "solved"
    path = root / "solved.parquet"
    write_deal_parquet(random_deals(boards, 5), path)
    add_files(folder, path)
    bid_archive(folder, "sayc")

    def solve(frame: pl.DataFrame) -> pl.DataFrame:
        tricks = np.random.default_rng(1).integers(0, 14, (frame.height, 20)).astype(np.uint8)
        columns = [pl.Series(name, tricks[:, at]) for at, name in enumerate(DOUBLE_DUMMY_COLUMNS)]
        par = pl.Series("Par_NS", np.full(frame.height, 420, np.int32))
        contracts = pl.Series("Par_Contracts", [["4S-NS"]], pl.List(pl.String))
        return pl.DataFrame([*columns, par, contracts.new_from_index(0, frame.height)])

    solve_archive(folder, solve)
    seconds, nodes = timed(lambda: node_statistics(Archive(folder), by="sayc", least=50))
    return {"boards": boards, "nodes": nodes.height, "seconds": seconds, "MiB peak": peak_mib()}


def step(
    work: Callable[..., dict[str, Any]], root: Path, boards: int, **named: Any
) -> dict[str, Any]:
    """Do a step in this process; with the memory it took and the bytes that are there then."""
    found = work(root, boards, **named)
    return {
        "boards": boards,
        **found,
        "MiB peak": peak_mib(),
        "bytes a board": folder_size(root / str(boards)) / boards,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    given = options(
        __doc__,
        arguments,
        subject="files",
        boards=[1_000_000, 10_000_000],
        change_at_most=(1_000_000, "boards of archives whose system is changed as well"),
        asked=(100, "random nodes"),
        solved=(100_000, "boards of the statistics"),
    )
    found = environment()
    steps, asked = [], []
    same: dict[int, bool] = {}
    with tempfile.TemporaryDirectory(prefix="bidcascade-archives-") as name:
        root = Path(name)
        changed_text(root)
        for boards in given.boards:
            steps.append(in_a_process(step, add, root, boards))
            for all_calls in (False, True):
                steps.append(
                    in_a_process(step, bid, root, boards, text="sayc", all_calls=all_calls)
                )
            asked += [
                {"boards": boards, **one}
                for one in in_a_process(questions, root, boards, given.requests)
            ]
            if boards <= given.change_at_most:
                for anew in (False, True):
                    steps.append(in_a_process(step, change, root, boards, anew=anew))
                same[boards] = in_a_process(same_index, root, boards)
            shutil.rmtree(root / str(boards))
        nodes = in_a_process(of_nodes, root, given.solved)
    heads = ("boards", "step", "seconds", "MiB peak", "bytes a board")
    question_heads = ("boards", "question", "asked", "median ms", "longest ms", "median boards")
    lines = [
        "# Archives",
        "", "Made by `python -m benchmarks.files.archives`; what is measured is said there.",
        "", f"{found['cpu']}, {found['cores']} cores, {found['memory']}, {found['system']}, Python "
        f"{found['python']}, numpy {found['numpy']}, polars {found['polars']}, load "
        f"{found['load']}, commit {found['commit']}",
        "", *table(heads, ([_short(one[head]) for head in heads] for one in steps), left=2),
        "", "Bytes are those of all files of the archive. The index of a changed text is that "
        "built anew: " + ", ".join(f"{'yes' if one else 'NO'} ({boards:,} boards)"
                                   for boards, one in same.items()) + ".",
        "", "Questions for 500 boards, warm:", "",
        *table(
            question_heads, ([_short(one[head]) for head in question_heads] for one in asked),
            left=2,
        ),
        "", f"Statistics of all {nodes['nodes']:,} nodes with 50 of {nodes['boards']:,} solved "
        f"boards: {nodes['seconds']:.1f} s, {nodes['MiB peak']:,.0f} MiB at most.",
    ]  # fmt: skip
    told = {"environment": found, "steps": steps, "questions": asked, "same": same, "nodes": nodes}
    write_report(given.out, "archives", told, lines)


def _short(value: object) -> object:
    return round(value, 1) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
