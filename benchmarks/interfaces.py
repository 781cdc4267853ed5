"""Whether boards are bid alike however one asks: Python, REST, the page, the kernels of a GPU.

``python -m benchmarks interfaces``: each system bids random boards of all dealers and
vulnerabilities by the engine in this process, by a service on loopback, by the page's engine in
Chromium, and by the kernels of a GPU, or of the emulator where there is none. Compared are each
board's auction, the line that makes each call, and the first auctions of mode ``all`` with their
meanings. It ends with 1 at the first board that is answered otherwise, with 3 where something is
missing. What was compared is kept in the folder of the report: given again, it goes on there.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from bidcascade.bridge import CALL_TEXTS, BackendUnavailable, BidcascadeError
from bidcascade.engine import Engine
from bidcascade.engine.answers import EntryColumns, FrameWriter
from bidcascade.kernels import cuda
from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.loaders.files.whole_files import write_json
from bidcascade.service.client import Client
from bidcascade.systems import named_systems
from bidcascade.systems.auctions.allowed import Listing
from bidcascade.systems.auctions.bidder import FEW
from bidcascade.systems.auctions.program import SystemProgram
from bidcascade.systems.bidding.bidder_protocol import Query
from bidcascade.systems.system import SystemPlaces
from tests.kernels.emulator import build as emulator_build

from .gpu.command import EMULATOR, terminated
from .service.requests import deal_requests
from .tools.browser import Visit, chromium, visiting, why_no_browser
from .tools.machine import environment, gpu
from .tools.programs import RESULTS, table, write_report
from .tools.server import ready_server

NAME = "interfaces"
SYSTEMS = ("sayc", "two-over-one", "acol")
LIMIT = 40
"""Auctions of mode ``all`` that are compared of a board."""
AT_ONCE = 250
_BID, _LINE, _LISTED = "auction", "call", "mode all, auction"

Board = Mapping[str, str]
"""A deal as requests have it."""
BoardAnswers = dict[str, str]
"""What an interface says of a board, by what it is asked."""


class Difference(Exception):
    """A board that is not answered alike; the text shows it."""


class Answers(NamedTuple):
    """What an interface answers about some boards.

    Parameters
    ----------
    bid
        Calls of each board's auction.
    lines
        For each call of it the call that is made there and the line that makes it.
    every
        Auctions of mode ``all``, as the objects of ``results`` of ``POST /v1/auctions``.
    """

    bid: list[list[str]]
    lines: list[list[str]]
    every: list[Any]

    def by_board(self) -> list[BoardAnswers]:
        """All of it as texts."""
        return [
            {_BID: " ".join(calls)}
            | {f"{_LINE} {number}": line for number, line in enumerate(lines, 1)}
            | {"mode all, how many": f"{every['total']}, cut by {every['cut']}"}
            | {f"{_LISTED} {number}": _listed(one) for number, one in enumerate(every["auctions"])}
            for calls, lines, every in zip(*self, strict=True)
        ]


def _listed(auction: Mapping[str, Any]) -> str:
    end = "." if auction["completed"] else " …"
    return f"{' '.join(auction['calls'])}{end} {' / '.join(auction['variants'])}"


def _line(call: str, where: str, name: str) -> str:
    return f"{call}: {where} {name}" if where else f"{call}: no line"


def _lines(
    boards: Sequence[Board], auctions: Sequence[Sequence[str]]
) -> Iterator[list[dict[str, Any]]]:
    """Questions for the calls of each board's auction, fields of ``POST /v1/bid``."""
    for board, calls in zip(boards, auctions, strict=True):
        hands, dealer = board["deal"][2:].split(), "NESW".index(board["dealer"])
        about = {name: board[name] for name in ("dealer", "vulnerability")}
        yield [
            {"hand": hands[(dealer + depth) % 4], "auction": list(calls[:depth]), **about}
            for depth in range(len(calls))
        ]


# --- the interfaces -------------------------------------------------------------------------------


def _auctions(deals: pl.DataFrame, first: pl.DataFrame) -> list[list[str]]:
    """Calls of a frame of mode ``first``."""
    assert first["deal"].to_list() == [*range(deals.height)]
    return [[CALL_TEXTS[call] for call in calls] for calls in first["auction"].to_list()]


def _results(deals: pl.DataFrame, every: pl.DataFrame) -> list[Any]:
    """A frame of mode ``all`` as REST has it."""
    groups = every.group_by("deal", maintain_order=True).agg(pl.all())
    assert groups["deal"].to_list() == [*range(deals.height)]
    return [
        {
            "total": row["total"][0],
            "cut": row["cut"][0],
            "auctions": [
                {"calls": calls.split(), "completed": completed, "variants": variants}
                for calls, completed, variants in zip(
                    row["calls"], row["completed"], row["variants"], strict=True
                )
            ],
        }
        for row in groups.iter_rows(named=True)
    ]


def by_engine(system: str, deals: pl.DataFrame, boards: Sequence[Board]) -> list[BoardAnswers]:
    """Ask the engine in this process."""
    engine = _engine(system, "cpu")
    bid = _auctions(deals, engine.auctions(deals, mode="first"))
    every = _results(deals, engine.auctions(deals, mode="all", limit=LIMIT))
    lines = []
    for questions in _lines(boards, bid):
        answers = [engine.bid(**one) for one in questions]
        lines.append([_line(one.call, one.where, one.name) for one in answers])
    return Answers(bid, lines, every).by_board()


@cache
def _engine(system: str, backend: str) -> Engine:
    return Engine.open(system, backend)


class ByKernels:
    """Asks the kernels of a GPU, or of the emulator, in a process of its own."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool
        self.device = pool.submit(_device_name).result()

    @classmethod
    @contextmanager
    def ready(cls) -> Iterator["ByKernels"]:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, context, initializer=_find_device) as pool:
            yield cls(pool)

    def begin(self, system: str, deals: pl.DataFrame) -> Callable[[], list[BoardAnswers]]:
        """Ask; gives what waits for the answer."""
        return self._pool.submit(_of_kernels, system, deals).result


def _find_device() -> None:
    if gpu() is None:
        sys.path.insert(0, str(EMULATOR))


def _device_name() -> str:
    reason = cuda.why_unavailable()
    if reason is not None:
        raise BackendUnavailable(reason)
    return cuda.backend_here().session.device.name


def _of_kernels(system: str, deals: pl.DataFrame) -> list[BoardAnswers]:
    engine, query = _engine(system, "cuda"), Query("all", limit=LIMIT)
    bid = _auctions(deals, engine.auctions(deals, mode="first"))
    writer = _WithLines(EntryColumns(engine.bidder), query)
    every = _results(deals, pl.concat(engine.answers(deal_arrays(deals), query, writer)))
    lines = []
    for deal, calls in enumerate(bid):
        codes = bytes(map(CALL_TEXTS.index, calls))
        # all that lead to the auction come first in the list
        beginnings = (codes[: depth + 1] for depth in range(min(len(codes), LIMIT)))
        lines.append([writer.lines[deal, one] for one in beginnings])
    return Answers(bid, lines, every).by_board()


class _WithLines(FrameWriter):
    """Writes frames, and keeps which line makes the last call of each auction."""

    def __init__(self, columns: EntryColumns, query: Query) -> None:
        super().__init__(columns, query)
        self.lines: dict[tuple[int, bytes], str] = {}

    def allowed(self, places: SystemPlaces, found: Listing, first_deal: int) -> pl.DataFrame:
        """Write what a system allows."""
        auctions = places.ending_with(found.place, found.call)
        for deal, (begin, end) in enumerate(pairwise(found.offsets.tolist()), first_deal):
            for number in range(begin, end):
                calls = auctions[number]
                held = found.held[found.held_offsets[number] : found.held_offsets[number + 1]]
                program = places.sides[(len(calls) - 1) & 1]
                self.lines[deal, calls] = _line_there(calls[-1], program, held[:1].tolist())
        return super().allowed(places, found, first_deal)


def _line_there(call: int, program: SystemProgram, entry: Sequence[int]) -> str:
    where, name = (str(program.where(entry[0])), program.name(entry[0])) if entry else ("", "")
    return _line(CALL_TEXTS[call], where, name)


def by_rest(client: Client, system: str, boards: Sequence[Board]) -> list[BoardAnswers]:
    """Ask the service."""
    deals = [dict(one) for one in boards]
    first = client.auctions(deals, table=system, mode="first")
    bid = [one["auctions"][0]["calls"] for one in first]
    every = [*client.auctions(deals, table=system, mode="all", limit=LIMIT)]
    lines = []
    for questions in _lines(boards, bid):
        answers = [client.bid(**one, table=system) for one in questions]
        lines.append([_line(one["call"], one["where"], one["name"]) for one in answers])
    return Answers(bid, lines, every).by_board()


class ByPage:
    """Asks the engine of the service's page, in a worker of Chromium, by the page's messages."""

    def __init__(self, visit: Visit, systems: Sequence[str]) -> None:
        self._page = visit.open().page
        self._page.evaluate(_START_ENGINE, list(systems))

    def __call__(self, system: str, boards: Sequence[Board]) -> list[BoardAnswers]:
        """Ask about boards."""
        about = {"deals": [dict(one) for one in boards], "table": system}
        first, listed = self._answers(
            "/v1/auctions", [{**about, "mode": "first"}, {**about, "mode": "all", "limit": LIMIT}]
        )
        bid = [one["auctions"][0]["calls"] for one in first["results"]]
        lines = []
        for questions in _lines(boards, bid):
            answers = self._answers("/v1/bid", [{**one, "table": system} for one in questions])
            lines.append([_line(one["call"], one["where"], one["name"]) for one in answers])
        return Answers(bid, lines, listed["results"]).by_board()

    def _answers(self, path: str, bodies: Sequence[dict[str, Any]]) -> list[Any]:
        answers: list[Any] = self._page.evaluate(_ANSWERS, [path, bodies])
        return answers


_START_ENGINE = """async (names) => {
    const { ownScript } = bidcascade("frame/own_scripts.js");
    const worker = new Worker(ownScript("/static/engine/worker.js"), { type: "module" });
    const waiting = new Map();
    worker.onmessage = ({ data: { id, value, error, progress } }) => {
        if (progress !== undefined) return;
        const { resolve, reject } = waiting.get(id);
        if (error) reject(new Error(error.message));
        else resolve(value);
        waiting.delete(id);
    };
    let id = 0;
    globalThis.askEngine = (ask, given) => new Promise((resolve, reject) => {
        id += 1;
        waiting.set(id, { resolve, reject });
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage({ id, ask, given });
    });
    for (const name of names) {
        const answer = await fetch(`/v1/tables/${encodeURIComponent(name)}/system`);
        const { rows } = await answer.json();
        await askEngine("open", { name, system: { rows } });
    }
}"""
_ANSWERS = """async ([path, bodies]) => {
    const answers = [];
    for (const body of bodies) {
        answers.push(await askEngine("answer", { method: "POST", path, body }));
    }
    return answers;
}"""


# --- comparing ------------------------------------------------------------------------------------


def check(
    system: str, boards: Sequence[Board], answers: Mapping[str, Sequence[BoardAnswers]]
) -> None:
    """Compare what interfaces say of boards.

    Raises
    ------
    Difference
        At the first place of a board where two of them say different things.
    """
    for deal, board in enumerate(boards):
        by_interface = {name: every[deal] for name, every in answers.items()}
        for what in dict.fromkeys(what for one in by_interface.values() for what in one):
            found = {name: one[what] for name, one in by_interface.items() if what in one}
            if len({*found.values()}) > 1:
                raise Difference(_shown(system, board, what, found, by_interface))


def _shown(
    system: str,
    board: Board,
    what: str,
    found: Mapping[str, str],
    by_interface: Mapping[str, BoardAnswers],
) -> str:
    hands = zip("nesw", board["deal"][2:].split(), strict=True)
    parts = [f"{seat}={hand}" for seat, hand in hands]
    parts += [f"dealer={board['dealer']}", f"vul={board['vulnerability']}"]
    place = what
    if what.startswith(_LINE):
        depth = int(what.removeprefix(_LINE)) - 1
        before = next(iter(by_interface.values()))[_BID].split()[:depth]
        parts.append(f"auction={'-'.join(before)}")
        place += f", after {' '.join(before) or 'nothing'}"
    width = max(map(len, found))
    return "\n".join(
        [
            f"{system} is answered otherwise: /#{'&'.join(parts)}&table={system}",
            f"  {place}",
            *(f"    {name:{width}}  {answer}" for name, answer in found.items()),
        ]
    )


def _counted(answers: Sequence[BoardAnswers]) -> dict[str, int]:
    """How many answers there are of each kind."""
    kinds = {"auctions": _BID, "calls": _LINE, "of mode all": _LISTED}
    return {
        kind: sum(what.startswith(begin) for one in answers for what in one)
        for kind, begin in kinds.items()
    }


def _add(
    system: dict[str, Any], boards: int, answers: Mapping[str, Sequence[BoardAnswers]]
) -> None:
    system["boards"] += boards
    for name, counted in answers.items():
        counts = system["answers"].setdefault(name, {})
        for kind, count in _counted(counted).items():
            counts[kind] = counts.get(kind, 0) + count


def _spans(boards: int) -> list[tuple[int, int]]:
    """Boards that are asked about at once; never so few that a device leaves them alone."""
    parts = -(-boards // AT_ONCE)
    return list(pairwise(part * boards // parts for part in range(parts + 1)))


def compare(options: argparse.Namespace) -> dict[str, Any]:
    """Ask and compare what is not compared yet; all that was compared."""
    kept = options.out / f"{NAME}-so-far.json"
    found = so_far(kept, options)
    with ExitStack() as opened:
        settings = {"table": options.systems[0], "extra_tables": ",".join(options.systems[1:])}
        url, _ = opened.enter_context(ready_server(**settings))
        client = opened.enter_context(Client(url))
        kernels = opened.enter_context(ByKernels.ready())
        browser = opened.enter_context(chromium())
        found |= {"kernels": kernels.device, "browser": browser.version}
        for visit in visiting(browser, url):
            by_page = ByPage(visit, options.systems)
            # in turn, so that a run that is ended has compared some boards of each
            for (start, end), system in product(_spans(options.boards), options.systems):
                counted = found["systems"].setdefault(system, {"boards": 0, "answers": {}})
                if end <= counted["boards"]:
                    continue
                deals = random_deals(end - start, options.seed, first=start + 1)
                boards, started = deal_requests(deals), time.monotonic()
                wait = kernels.begin(system, deals)
                answers = {
                    "engine": by_engine(system, deals, boards),
                    "REST": by_rest(client, system, boards),
                    "page": by_page(system, boards),
                    "kernels": wait(),
                }
                check(system, boards, answers)
                _add(counted, end - start, answers)
                write_json(found, kept)
                spent = time.monotonic() - started
                print(f"{system}: {end:,} boards alike, {spent:.0f} s", flush=True)
    kept.unlink(missing_ok=True)
    return found


def so_far(kept: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Read what was compared before of the same files and boards, else nothing."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    about = environment()
    mark = {name: about[name] for name in ("commit", "sources")}
    mark |= {"boards": options.boards, "seed": options.seed}
    try:
        found: dict[str, Any] = json.loads(kept.read_text("utf-8"))
    except (OSError, ValueError):
        found = {}
    if found.get("mark") != mark:
        found = {"mark": mark, "environment": about, "systems": {}}
    return found


def page(found: Mapping[str, Any]) -> list[str]:
    """Results as Markdown."""
    mark = found["mark"]
    rows = [
        (system, name, counted["boards"], *counts.values(), 0)
        for system, counted in found["systems"].items()
        for name, counts in counted["answers"].items()
    ]
    heads = ("system", "asked by", "boards", "auctions", "calls with their lines",
             "auctions of mode all", "differences")  # fmt: skip
    return [
        "# Interfaces", "",
        f"`python -m benchmarks {NAME} --boards {mark['boards']} --seed {mark['seed']} --systems "
        f"{' '.join(found['systems'])}`: random boards of all dealers and vulnerabilities, bid by "
        "each system in four ways. Compared are the auction that is bid, the line that makes each "
        f"of its calls, the first {LIMIT} auctions of mode `all` with what their last calls mean, "
        "and how many there are. "
        "The command ends at the first difference.", "",
        "* engine: the package, in one process",
        "* REST: a service on loopback, asked by the package's client",
        "* page: the engine of the service's page, WebAssembly in a worker of Chromium "
        f"{found['browser']}",
        f"* kernels: those for a GPU, on {found['kernels']}", "",
        f"Commit {found['environment']['commit']}.", "",
        *table(heads, rows, left=2),
    ]  # fmt: skip


# --- the command ----------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 all alike, 1 a board is answered otherwise, 2 arguments, 3 cannot run."""
    options = parse(arguments)
    reason = why_missing()
    if reason is not None:
        print(f"error: {reason}", file=sys.stderr)
        return 3
    try:
        with terminated():
            found = compare(options)
    except (Difference, BidcascadeError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1 if isinstance(error, Difference) else 3
    write_report(options.out, NAME, found, page(found))
    return 0


def why_missing() -> str | None:
    """Say what it wants and does not find, or ``None``."""
    return why_no_browser() or (emulator_build.why_unavailable() if gpu() is None else None)


def _boards(text: str) -> int:
    value = int(text.replace("_", ""))
    if value <= FEW:
        raise argparse.ArgumentTypeError(
            f"expected more than {FEW} boards: a device leaves fewer alone, got {text!r}"
        )
    return value


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {NAME}", description=__doc__)
    parser.add_argument(
        "--boards", type=_boards, default=2_500, help="of each system (default: 2500)"
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=sorted(named_systems()),
        default=SYSTEMS,
        metavar="NAME",
        help=f"by name (default: {' '.join(SYSTEMS)})",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the boards")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the report")
    return parser.parse_args(arguments)
