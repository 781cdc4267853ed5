"""Figures of the pages: each is read from a committed report and stands with its work.

In a page the text of a figure stands between two comments, and so does a table or a block of code::

    bids them in <!-- figure: batch -->8.4 s<!-- end -->

    <!-- figures: how-fast -->

    | work | … |

    <!-- end -->

``docs/write_files.py`` fills them in. :data:`FIGURES` says of each name which report it is read
from, how it is written, and which words of the report's work must stand in the same paragraph or
row; :data:`BLOCKS` has what stands by itself. A report is a file of ``benchmarks/results``.
"""

import json
import math
import re
import statistics
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from bidcascade.kernels.gpu.tables.node_windows import RECORD_BYTES
from bidcascade.systems.auctions.bidder import FEW

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks/results"
COUNTS: Final = "2026-11-20-epyc-2-cores/counts"
OTHERS: Final = "2026-11-20-epyc-2-cores/others"
H100: Final = "2026-11-27-nvidia-h100-80gb-hbm3/gpu"

_INLINE: Final = re.compile(
    r"<!-- figure: (?P<name>[^>]*?) -->(?P<text>.*?)<!-- end -->", re.DOTALL
)
_BLOCK: Final = re.compile(
    r"^<!-- figures: (?P<name>[^>]*?) -->\n(?P<text>.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL
)
_MARK: Final = re.compile(r"<!-- (?:figures?: [^>]*?|end) -->")

Report = Mapping[str, Any]


class FigureError(ValueError):
    """A marker names what is not there, or stands where its work is not named."""


class Figure(NamedTuple):
    """What one figure is.

    Parameters
    ----------
    report : str
        Path below ``benchmarks/results``, without the ending.
    text : callable
        What stands on the page, of the report.
    work : callable
        Words that must stand in the same paragraph or row, of the report.
    """

    report: str
    text: Callable[[Any], str]
    work: Callable[[Any], tuple[str, ...]]


@cache
def report_of(name: str) -> Report:
    """Read a report: a JSON file, or the folder of a run of engines.

    Of a folder it is ``environment``, and ``results`` by workload and engine.

    Raises
    ------
    FigureError
        If there is no such report.
    """
    file, folder = RESULTS / f"{name}.json", RESULTS / name
    if file.is_file():
        found: Report = json.loads(file.read_text("utf-8"))
        return found
    if not (folder / "results.jsonl").is_file():
        raise FigureError(f"expected a report below {RESULTS.relative_to(ROOT)}, got {name!r}")
    results: dict[str, dict[str, Any]] = {}
    for line in (folder / "results.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        results.setdefault(row["workload"], {})[row["engine"]] = row
    return {
        "environment": json.loads((folder / "environment.json").read_text("utf-8")),
        "results": results,
    }


def time_text(seconds: float) -> str:
    """Write a time with two digits.

    >>> [time_text(one) for one in (382, 68, 8.37, 0.118, 0.00058, 0.0000178)]
    ['6.4 min', '68 s', '8.4 s', '120 ms', '0.58 ms', '18 µs']
    """
    units = (("min", 1 / 60, 2), ("s", 1, 1), ("ms", 1e3, 0.1), ("µs", 1e6, 0))
    told = ((rounded(seconds * factor), least, unit) for unit, factor, least in units)
    value, _, unit = next(one for one in told if one[0] >= one[1])
    return f"{value:,.1f} {unit}" if 1 <= value < 10 else f"{value:,g} {unit}"


def rounded(value: float, digits: int = 2) -> float:
    """Round to some digits: 118 is 120 with two."""
    return float(f"{value:.{digits - 1}e}")


def range_text(*seconds: float) -> str:
    """Write the least and the most time, the unit once if it is the same.

    >>> range_text(0.0108, 0.014), range_text(0.118, 2.16)
    ('11 to 14 ms', '120 ms to 2.2 s')
    """
    (low, unit), (high, other) = (time_text(one).split() for one in (min(seconds), max(seconds)))
    return f"{low} to {high} {other}" if unit == other else f"{low} {unit} to {high} {other}"


def rate_text(rate: float) -> str:
    """Write a rate with two digits.

    >>> rate_text(1360456), rate_text(7.28)
    ('1,400,000', '7.3')
    """
    value = rounded(rate)
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def size_text(size: float, unit: str = "GB") -> str:
    """Write bytes with two digits, as GB or GiB, MB or MiB.

    >>> size_text(9324843660), size_text(14607327232, "GiB"), size_text(34001888, "MB")
    ('9.3 GB', '14 GiB', '34 MB')
    """
    factor = {"GB": 1e9, "GiB": 2**30, "MB": 1e6, "MiB": 2**20}[unit]
    value = rounded(size / factor)
    return f"{value:,.1f} {unit}" if value < 10 else f"{value:,.0f} {unit}"


def link_text(name: str, page: str) -> str:
    """Link from a page to a report, with the commit that was measured, and its day if told."""
    folder = "../" if page.startswith("docs/") else ""
    told = f"{name}/report.md" if (RESULTS / name).is_dir() else f"{name}.md"
    environment = report_of(name)["environment"]
    commit = environment["commit"].split()[0]
    day = f", {environment['date']}" if "date" in environment else ""
    return f"[{commit[:8]}]({folder}benchmarks/results/{told}){day}"


def machine_text(name: str) -> str:
    """Cores and processor, and the GPU if there is one, that a report was measured on."""
    found = report_of(name)["environment"]
    processor = found["cpu"].replace("(R)", "").removesuffix(" Processor")
    gpu = "" if found["gpu"] == "none" else f"{found['gpu'].split(',')[0]}, "
    return f"{gpu}{found['cores']} cores of {processor}"


def cores_text(found: Report) -> str:
    """Cores of a report's machine as a sentence has them."""
    cores: str = found["environment"]["cores"]
    return f"{'two' if cores == '2' else cores} cores"


def table_text(*rows: tuple[str, ...]) -> str:
    """Table of Markdown, of which the first row is the head."""
    head, *others = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{' --- |' * len(rows[0])}", *others])


def _batch(found: Report, kind: str = "seconds") -> float:
    """Seconds of the batch of all deals of the report on systems."""
    seconds: float = found["commands"][f"batch of {found['deals']:,} deals"][kind]
    return seconds


def _counts(name: str, engine: str, *tables: str) -> list[float]:
    """Median seconds of counts of tables."""
    results = report_of(name)["results"]
    return [results[f"counts/{one}"][engine]["median"] for one in tables]


def _holding(name: str, *tables: str) -> str:
    """How many entries hold for a deal: the least and the most."""
    results = report_of(name)["results"]
    found = [
        round(next(iter(results[f"counts/{one}"].values()))["table"]["holding_per_deal"])
        for one in tables
    ]
    return f"{min(found):,} to {max(found):,}"


def _counted(name: str, workload: str = "counts/selective") -> tuple[int, int]:
    """Deals of a workload, and entries of its table."""
    found = next(iter(report_of(name)["results"][workload].values()))
    return found["deals"], found["table"]["entries"]


def _at_half(found: Report, kind: str) -> tuple[str, Report]:
    """Rate at half of the highest, and what was measured at it."""
    name = next(name for name in found["results"] if re.fullmatch(rf"{kind}, \d+/s", name))
    return name.partition(", ")[2].removesuffix("/s"), found["results"][name]


def _question(found: Report, question: str, boards: int) -> Report:
    """Find the times of a question asked of an archive of so many boards."""
    for one in found["questions"]:
        if (one["question"], one["boards"]) == (question, boards):
            return one
    raise KeyError(f"{question}, {boards:,} boards")


def _step(found: Report, step: str, boards: int) -> Report:
    """Find what a step took for an archive of so many boards."""
    for one in found["steps"]:
        if (one["step"], one["boards"]) == (step, boards):
            return one
    raise KeyError(f"{step}, {boards:,} boards")


def _layouts(found: Report, auction: str) -> float:
    """Seconds until the layouts after an auction, seen by the leader, are there."""
    for one in found["auctions"]:
        if one["auction"] == auction:
            return one["leader"]["median_ms"] / 1000
    raise KeyError(auction)


def _learned(found: Report, case: str) -> Report:
    """Find what one case of learning took."""
    for one in found["results"]:
        if one["case"] == case:
            return one
    raise KeyError(case)


def _per_call(found: Report) -> float:
    """Seconds of the processor that bounds take for a call."""
    one = _learned(found, "bounds: 10 lanes, 37 flags")
    return one["CPU s"] / one["calls"]


def _batch_rate(found: Report, mode: str) -> int:
    """Boards that the batch's own process takes in for a second of its processor."""
    rate: int = found["cluster"][mode]["boards per CPU second of the batch's process"]
    return rate


def _of_cards(found: list[Report], cards: int) -> Report:
    """Find the times of endings of so many cards."""
    return next(one for one in found if one["cards"] == cards)


def _over_floor(found: Report, table: str) -> float:
    """Divide the time of all kernels of counts by the least that the device needs for the work."""
    one = found["results"][f"counts/{table}"]["cuda"]
    (size, operations), most = one["works"][""], one["ceilings"]
    return _kernels(one) / max(size / most["bytes"], operations / most["operations"])


def _kernels(one: Report) -> float:
    """Seconds of all kernels in the run that took them as long as the median."""
    runs = (
        sum(seconds for name, (_, seconds) in run.items() if not name.startswith("copy"))
        for run in one["device_runs"]
    )
    return statistics.median(runs)


def _system_rate() -> float:
    """Divide new deals that a batch bids by `sayc` by the seconds of its processor."""
    systems = report_of("bidding/systems")
    rate: float = systems["deals"] / _batch(systems, "of the processor")
    return rate


_RATE: Final = "boards per CPU second"
_RULES: Final = "66,000 groups: bounds and rules of the 349"
_COMPARE: Final = "compare sayc acol, 100,000 deals, no double dummy"
_WORKER: Final = "mode first, table and its system"
_STAYMAN: Final = "1N P 2C P 2H P 3N P P P"

FIGURES: Final[Mapping[str, Figure]] = {
    # archives
    "archive-question": Figure(
        "files/archives",
        lambda found: time_text(_question(found, "node", 10_000_000)["median ms"] / 1000),
        lambda found: ("ten million",),
    ),
    "nodes-count": Figure(
        "files/archives",
        lambda found: f"{found['nodes']['nodes']:,}",
        lambda found: (f"{found['nodes']['boards']:,} solved boards",),
    ),
    "nodes-time": Figure(
        "files/archives",
        lambda found: time_text(found["nodes"]["seconds"]),
        lambda found: (f"{found['nodes']['boards']:,} solved boards",),
    ),
    "allowed-index-time": Figure(
        "files/archives",
        lambda found: time_text(_step(found, "index mode all", 1_000_000)["seconds"]),
        lambda found: ("a million boards",),
    ),
    "allowed-index-bytes": Figure(
        "files/archives",
        lambda found: rate_text(
            _step(found, "index mode all", 1_000_000)["bytes a board"]
            - _step(found, "bid", 1_000_000)["bytes a board"]
        ),
        lambda found: ("a million boards", "bytes a board"),
    ),
    "allowed-index-question": Figure(
        "files/archives",
        lambda found: time_text(_question(found, "node, mode all", 1_000_000)["median ms"] / 1000),
        lambda found: ("a million boards",),
    ),
    # systems
    "start": Figure(
        "bidding/systems",
        lambda found: time_text(found["commands"]["serve, until it is ready"]["seconds"]),
        lambda found: (cores_text(found),),
    ),
    "new-place": Figure(
        "bidding/systems",
        lambda found: time_text(found["systems"]["sayc"]["us of a core a new place"] / 1e6),
        lambda found: ("`sayc`", "a core"),
    ),
    "new-deal": Figure(
        "bidding/systems",
        lambda found: time_text(1 / found["systems"]["sayc"]["fresh, deals/s"]),
        lambda found: ("bidding", cores_text(found)),
    ),
    "compare": Figure(
        "bidding/systems",
        lambda found: time_text(found["commands"][_COMPARE]["seconds"]),
        lambda found: ("100,000 deals of `sayc` and `acol`", "two cores"),
    ),
    "diff": Figure(
        "bidding/systems",
        lambda found: time_text(
            found["commands"][f"system diff of one line, {found['deals']:,} deals"]["seconds"]
        ),
        lambda found: (f"{found['deals']:,} deals", "`diff` of one line"),
    ),
    # double dummy
    "solve-deal": Figure(
        "inference/solver",
        lambda found: time_text(found["seconds"]["DDS (endplay)"][0]),
        lambda found: ("deal", "core"),
    ),
    "solve-deal-most": Figure(
        "inference/solver",
        lambda found: time_text(found["seconds"]["DDS (endplay)"][3]),
        lambda found: (f"{found['deals']:,} random deals",),
    ),
    "solve-rate": Figure(
        "inference/double_dummy",
        lambda found: rate_text(found["solving"]["tables"]["median"]),
        lambda found: (cores_text(found),),
    ),
    "contract-rate": Figure(
        "inference/double_dummy",
        lambda found: " to ".join(
            rate_text(found["solving"][f"single contracts, {strain}"]["median"])
            for strain in ("notrump", "spades")
        ),
        lambda found: ("contracts", "two cores"),
    ),
    # layouts, cards, endings
    "layouts": Figure(
        "inference/layouts",
        lambda found: time_text(_layouts(found, _STAYMAN)),
        lambda found: (f"{found['layouts']} layouts", _STAYMAN),
    ),
    "card-median": Figure(
        "inference/card_play",
        lambda found: time_text(found["times"]["clock"][0] / 1000),
        lambda found: (f"{found['times']['cards']:,} cards",),
    ),
    "card-most": Figure(
        "inference/card_play",
        lambda found: time_text(found["times"]["clock"][1] / 1000),
        lambda found: (f"{found['times']['cards']:,} cards",),
    ),
    **{
        f"ending-{cards}": Figure(
            "inference/single_dummy",
            lambda found, cards=cards: time_text(_of_cards(found["endings"], cards)["us"] / 1e6),
            lambda found, word=word: ("all cards of the player to lead", word),
        )
        for cards, word in ((4, "four"), (5, "five"), (6, "six"), (7, "seven"))
    },
    # learning
    "bounds-call": Figure(
        "evidence/learning",
        lambda found: time_text(_per_call(found)),
        lambda found: ("bounds", "a call"),
    ),
    "rules-time": Figure(
        "evidence/learning",
        lambda found: time_text(_learned(found, _RULES)["CPU s"]),
        lambda found: (f"{_learned(found, _RULES)['groups']:,} calls", "349", "processor"),
    ),
    # the installation
    "installation-size": Figure(
        "installation",
        lambda found: size_text(found["installations"]["bidcascade"]["bytes"]),
        lambda found: ("installation",),
    ),
    "client-size": Figure(
        "installation",
        lambda found: size_text(found["installations"]["bidcascade-client"]["bytes"], "MB"),
        lambda found: ("`pip install bidcascade-client`",),
    ),
    "zig-size": Figure(
        "installation",
        lambda found: size_text(found["zig bytes"], "MB"),
        lambda found: ("pip fetches zig",),
    ),
    # large tables
    "import-time": Figure(
        "tables/scale",
        lambda found: time_text(found["import"]["seconds"]),
        lambda found: (f"{found['import']['found']['entries']:,} entries",),
    ),
    "import-memory": Figure(
        "tables/scale",
        lambda found: size_text(found["import"]["anonymous"], "GiB"),
        lambda found: (f"{found['import']['found']['entries']:,} entries", "mapped"),
    ),
    "import-disk": Figure(
        "tables/scale",
        lambda found: size_text(found["import"]["disk"], "GiB"),
        lambda found: (f"{found['import']['found']['entries']:,} entries", "disk"),
    ),
    "made-table": Figure(
        COUNTS,
        lambda found: range_text(
            *_counts(COUNTS, "cpu", "selective", "dense", "bushy-selective", "bushy-dense")
        ),
        lambda found: ("two cores", f"{_counted(COUNTS)[0]:,} deals", f"{_counted(COUNTS)[1]:,}"),
    ),
    "prepare": Figure(
        COUNTS,
        lambda found: time_text(found["results"]["counts/selective"]["cpu"]["prepare"]),
        lambda found: (f"{_counted(COUNTS)[1]:,} entries",),
    ),
    "counts-memory": Figure(
        COUNTS,
        lambda found: size_text(max(one["cpu"]["peak"] for one in found["results"].values()), "GB"),
        lambda found: (f"{_counted(COUNTS)[1]:,} entries",),
    ),
    # a card
    "floor-most": Figure(
        H100,
        lambda found: f"{rounded(_over_floor(found, 'selective')):g}",
        lambda found: ("selective", "kernels"),
    ),
    "floor-least": Figure(
        H100,
        lambda found: f"{rounded(_over_floor(found, 'dense')):g}",
        lambda found: ("dense", "kernels"),
    ),
    # clusters
    "cluster-ratio": Figure(
        "service/scale_out",
        lambda found: rate_text(_batch_rate(found, "first") / _system_rate()),
        lambda found: ("a system", "`first`"),
    ),
    "cluster-table-ratio": Figure(
        "service/scale_out",
        lambda found: rate_text(
            _batch_rate(found, "first") / found["worker"]["mode first, table"][_RATE]
        ),
        lambda found: ("a table", "`first`"),
    ),
    "cluster-batch-first": Figure(
        "service/scale_out",
        lambda found: time_text(1 / _batch_rate(found, "first")),
        lambda found: ("a board", "`first`"),
    ),
    "cluster-batch-all": Figure(
        "service/scale_out",
        lambda found: time_text(1 / _batch_rate(found, "all")),
        lambda found: ("a board", "`all`"),
    ),
    "cluster-memory": Figure(
        "service/scale_out",
        lambda found: size_text(found["worker"]["mode all, table"]["peak MiB"] * 2**20),
        lambda found: ("parts of 100,000 deals", "`all`", "the table"),
    ),
    "cluster-rows": Figure(
        "service/scale_out",
        lambda found: rate_text(found["worker"]["mode all, table"]["rows a board"]),
        lambda found: ("auctions a deal", "`all`"),
    ),
}
"""Figures in the text of pages, by their names."""


def how_fast(page: str) -> str:
    """Table of README: each row with its work, its machine and its report."""
    tails, systems = report_of("service/service_load-tails"), report_of("bidding/systems")
    scale, archives = report_of("tables/scale"), report_of("files/archives")
    rate, known = _at_half(tails, "known")
    deals, entries = _counted(COUNTS)
    on_device, of_table = _counted(H100)
    tables, timed = ("selective", "dense", "bushy-selective", "bushy-dense"), ("selective", "dense")
    node = _question(archives, "node", 10_000_000)
    sayc = systems["systems"]["sayc"]

    def row(work: str, time: str, report: str) -> tuple[str, ...]:
        return work, time, machine_text(report), link_text(report, page)

    return table_text(
        ("work", "time", "machine", "report of"),
        row(
            f"a deal that was met before, bid to the end over REST, {rate} requests a second",
            f"{time_text(known['p50_ms'] / 1e3)} (median), 99 of 100 within "
            f"{time_text(known['p99_ms'] / 1e3)}",
            "service/service_load-tails",
        ),
        row(
            f"{systems['deals']:,} new deals bid to the end by `sayc`, files read and written",
            time_text(_batch(systems)),
            "bidding/systems",
        ),
        row(
            f"{systems['deals']:,} deals that `sayc` has met before, in memory",
            time_text(systems["deals"] / sayc["known, deals/s"]),
            "bidding/systems",
        ),
        row(
            f"an auction found in an archive of {node['boards']:,} boards",
            f"{time_text(node['median ms'] / 1e3)} (median)",
            "files/archives",
        ),
        row(
            f"{deals:,} deals counted at every entry of a table of {entries:,}, "
            f"{_holding(COUNTS, *tables)} of which hold for a deal",
            range_text(*_counts(COUNTS, "cpu", *tables)),
            COUNTS,
        ),
        row(
            f"{on_device:,} deals counted at every entry of a table of {of_table:,}, "
            f"{_holding(H100, *timed)} of which hold for a deal; "
            "deals and counts copied from and to the host",
            range_text(*_counts(H100, "cuda", *timed)),
            H100,
        ),
        row(
            f"{scale['deals']:,} deals counted at every entry of a table of "
            f"{scale['import']['found']['entries']:,}, once it is imported",
            time_text(scale["counts"]["seconds"]),
            "tables/scale",
        ),
        row("the import of that table", time_text(scale["import"]["seconds"]), "tables/scale"),
    )


def worth_a_card(page: str) -> str:
    """Table of docs/gpu.md: what a card is worth, by kind of work."""
    tails, systems = report_of("service/service_load-tails"), report_of("bidding/systems")
    scale, layouts = report_of("tables/scale"), report_of("inference/layouts")
    double_dummy, others = report_of("inference/double_dummy"), report_of(OTHERS)["results"]
    deals, entries = _counted(H100)
    tables = ("selective", "middle", "dense")
    rate, known = _at_half(tails, "known")
    sayc, match = systems["systems"]["sayc"], systems["commands"][_COMPARE]
    processor, card = (_counts(H100, engine, *tables) for engine in ("cpu", "cuda"))
    copied = report_of(H100)["results"]["counts/selective"]["cuda"]["device_runs"][0]
    ratios = [one / other for one, other in zip(processor, card, strict=True)]
    two = _counts(COUNTS, "cpu", "selective", "dense")
    large = scale["import"]["found"]["entries"]
    none, open_question = "none", "not measured"
    listed, listed_of = _counted(OTHERS, "all/selective")
    lists = [others[f"{one}/selective"]["cpu"]["median"] for one in ("first", "all")]
    cores = report_of(H100)["environment"]["cores"]
    return table_text(
        ("kind of work", "two cores", "H100", "memory of the card", "worth a card?"),
        (
            f"one hand or deal over REST ({link_text('service/service_load-tails', page)}: "
            f"{rate} requests a second)",
            f"{time_text(known['p50_ms'] / 1e3)} a deal",
            f"the processor answers up to {FEW} deals of a system",
            none,
            "no",
        ),
        (
            f"{systems['deals']:,} new deals bid by `sayc`, files read and written "
            f"({link_text('bidding/systems', page)})",
            time_text(_batch(systems)),
            open_question,
            open_question,
            open_question,
        ),
        (
            f"{systems['deals']:,} deals that `sayc` has met before, in memory "
            f"({link_text('bidding/systems', page)})",
            time_text(systems["deals"] / sayc["known, deals/s"]),
            open_question,
            open_question,
            open_question,
        ),
        (
            "100,000 deals of `sayc` and `acol` compared, no double dummy "
            f"({link_text('bidding/systems', page)})",
            time_text(match["seconds"]),
            open_question,
            open_question,
            open_question,
        ),
        (
            f"{deals:,} deals counted at a table of {entries:,} entries, "
            f"{_holding(H100, *tables)} of which hold for a deal "
            f"({link_text(COUNTS, page)}, {link_text(H100, page)})",
            f"{range_text(*two)}; {cores} cores of the card's machine {range_text(*processor)}",
            f"{range_text(*card)}, copies of the host included; the first question "
            f"{time_text(_prepared(H100, tables))} more",
            f"{size_text(entries * RECORD_BYTES, 'MB')} for entries, "
            f"{size_text(copied['copy in'][0], 'MB')} of deals, "
            f"{size_text(copied['copy out'][0], 'MB')} of counts",
            f"yes, if one table is asked again and again: {rounded(min(ratios)):g} to "
            f"{rounded(max(ratios)):g} times as fast as {cores} cores, and as fast as two cores in "
            f"all from {_worth_from()} questions on",
        ),
        (
            f"{listed:,} deals at such a table: bid to one auction, or all entries listed"
            f" ({link_text(OTHERS, page)})",
            range_text(*lists),
            open_question,
            f"{size_text(listed_of * RECORD_BYTES, 'MB')} for entries, and the lists",
            open_question,
        ),
        (
            f"{scale['deals']:,} deals counted at a table of {large:,} entries "
            f"({link_text('tables/scale', page)})",
            time_text(scale["counts"]["seconds"]),
            open_question,
            f"at most {size_text(large * RECORD_BYTES)} for entries; less in windows",
            open_question,
        ),
        (
            f"{layouts['layouts']} layouts that fit `{_STAYMAN}`, seen by the leader "
            f"({link_text('inference/layouts', page)})",
            time_text(_layouts(layouts, _STAYMAN)),
            "the processor deals them",
            none,
            "no",
        ),
        (
            f"a lead over {double_dummy['leads']['layouts']} layouts "
            f"({link_text('inference/double_dummy', page)})",
            time_text(sorted(double_dummy["leads"]["last_ms"])[1] / 1e3),
            "the processor solves them",
            none,
            "no",
        ),
        (
            f"tricks of all contracts, double dummy ({link_text('inference/double_dummy', page)})",
            f"{rate_text(double_dummy['solving']['tables']['median'])} deals a second",
            "the processor solves them",
            none,
            "no",
        ),
    )


def _worth_from() -> int:
    """Find how many questions to one table take a card no longer than two cores, all in all."""
    cpu = report_of(COUNTS)["results"]["counts/selective"]["cpu"]
    card = report_of(H100)["results"]["counts/selective"]["cuda"]
    more, less = card["prepare"] - cpu["prepare"], cpu["median"] - card["median"]
    return math.ceil(more / less)


def _prepared(name: str, tables: tuple[str, ...]) -> float:
    """Seconds that a device takes once a table, at most."""
    results = report_of(name)["results"]
    return max(results[f"counts/{one}"]["cuda"]["prepare"] for one in tables)


def counts_on_a_card(page: str) -> str:
    """Table of docs/gpu.md: counts, by engine."""
    results, rows = report_of(H100)["results"], []
    for name in ("selective", "middle", "dense"):
        found = results[f"counts/{name}"]
        rows.append(
            (
                f"counts, {name}: {found['cpu']['table']['holding_per_deal']:,.0f} entries hold",
                *(time_text(found[engine]["median"]) for engine in ("polars", "cpu", "cuda")),
                time_text(_kernels(found["cuda"])),
            )
        )
    return table_text(
        ("work", "polars", "`cpu`", "`cuda`, from host to host", "of it kernels"), *rows
    )


def published_size(page: str) -> str:
    """Table of docs/gpu.md: the published pipeline, and the same on two cores."""
    found = report_of("tables/scale")
    rows, counts = found["import"], found["counts"]
    peak = max(found[part]["peak"] for part in ("rows", "import", "counts", "first", "dense"))
    apart = max(found[part]["anonymous"] for part in ("rows", "import", "counts", "first", "dense"))
    million = 1_000_000
    return table_text(
        ("", "published", f"here, measured ({link_text('tables/scale', page)})"),
        ("machine", "a GPU, 180 GB of memory", f"{machine_text('tables/scale')}, with other work"),
        (
            "entries, deals",
            "461,681,310, 16 M",
            f"{rows['found']['entries']:,}, {found['deals'] // million} M",
        ),
        (
            "import of the rows",
            "–",
            f"{time_text(rows['seconds'])}, {size_text(rows['disk'], 'GiB')} of disk",
        ),
        (
            "all deals against all entries",
            "2.8 h + 25 min",
            f"{time_text(counts['seconds'])}, {time_text(counts['steps']['count'])} of them for "
            "counting",
        ),
        ("each deal bid to its one auction", "–", time_text(found["first"]["seconds"])),
        (
            "memory at most",
            "180 GB",
            f"{size_text(peak, 'GiB')}, {size_text(apart, 'GiB')} without mapped files",
        ),
        (
            "whole auctions that hold a deal",
            "1,523",
            f"{counts['found']['completed']:,.0f}; where undescribed entries hold, "
            f"{found['dense']['found']['completed']:,.0f} (1 M deals, "
            f"{time_text(found['dense']['seconds'])})",
        ),
    )


def counts_by_engine(page: str) -> str:
    """Table of docs/engine.md: counts, by engine."""
    results, rows = report_of(COUNTS)["results"], []
    for name in ("selective", "dense", "bushy-selective", "bushy-dense"):
        found = results[f"counts/{name}"]
        table = found["cpu"]["table"]
        rows.append(
            (
                name,
                f"{table['holding_per_deal']:,.0f}",
                f"{table['tests_per_deal']:,.0f}",
                *(
                    time_text(found[engine]["seconds_for_all_deals"])
                    for engine in ("cpu", "lists", "polars", "polars-columns")
                ),
            )
        )
    heads = ("counts", "holding per deal", "tests per deal", "cpu")
    return table_text(
        (*heads, "plain list walk", "polars, tuned", "polars, a column an entry"), *rows
    )


def work_by_engine(page: str) -> str:
    """Table of docs/engine.md: other work, by engine."""
    results = report_of(OTHERS)["results"]
    rows = [
        (what, *(time_text(results[name][engine]["seconds_for_all_deals"]) for engine in ENGINES))
        for what, name in (
            ("mode `all`, selective", "all/selective"),
            ("the same written to Parquet", "parquet/selective"),
            ("mode `first`, selective", "first/selective"),
            ("349 expressions on four hands", "evaluate"),
            ("one deal, mode `all`, warm", "one/selective"),
        )
    ]
    return table_text(("work", *ENGINES), *rows)


ENGINES: Final = ("cpu", "polars")


def cost_of_a_board(page: str) -> str:
    """Table of docs/scale-out.md: what a board costs a worker and the batch."""
    found = report_of("service/scale_out")
    deals = report_of("bidding/systems")["deals"]
    workers = {
        "worker, mode `first`, a table alone": "mode first, table",
        "worker, mode `all`, a table alone": "mode all, table",
        f"worker, mode `first`, a system, {deals:,} new deals": _WORKER,
    }
    rows = [
        (
            what,
            rate_text(_system_rate() if name == _WORKER else found["worker"][name][_RATE]),
            f"{found['worker'][name]['rows a board']:,.0f}",
            f"{found['worker'][name]['bytes sent a board']:,.0f}",
            f"{found['worker'][name]['bytes answered a board']:,.0f}",
        )
        for what, name in workers.items()
    ]
    rows += [
        (f"the batch's own process, mode `{mode}`", rate_text(_batch_rate(found, mode)), "", "", "")
        for mode in ("first", "all")
    ]
    heads = ("boards a CPU second", "rows a board", "bytes sent a board", "bytes answered a board")
    return table_text(("", *heads), *rows)


def plan_of_a_cluster(page: str) -> str:
    """Write the example of docs/scale-out.md: a thousand million deals by the report's rates."""
    found = report_of("service/scale_out")["worker"]
    session = [
        ">>> deals = 1_000_000_000",
        ">>> def plan(rate, back, cores, sent=58, link=1.25e9):",
        '...     """Hours of all cores, GB on the wire, minutes of one 10 Gbit/s link."""',
        "...     work, moved = deals / rate / cores, deals * (sent + back)",
        "...     return round(work / 3600, 2), round(moved / 1e9), round(moved / link / 60, 1)",
    ]
    for name, cores in (("mode first, table", 4), ("mode all, table", 4), (_WORKER, 16)):
        measured = _system_rate() if name == _WORKER else found[name][_RATE]
        rate, back = int(rounded(measured)), round(found[name]["bytes answered a board"])
        work, moved = 1e9 / rate / cores, 1e9 * (58 + back)
        told = round(work / 3600, 2), round(moved / 1e9), round(moved / 1.25e9 / 60, 1)
        session += [
            f">>> plan(rate={rate:_}, back={back}, cores={cores})  # {_kind(name)}",
            f"{told}",
        ]
    return "\n".join(["```pycon", *session, "```"])


def _kind(name: str) -> str:
    return "mode first, a system" if name == _WORKER else name


def single_dummy_times(page: str) -> str:
    """Table of docs/single-dummy.md: exact studies."""
    found = {one["cards"]: one for one in report_of("inference/single_dummy")["studies"]}
    sizes = {4: "70 × 35", 5: "252 × 126", 6: "924 × 462"}
    return table_text(
        ("cards", "layouts of the actor × of the observer", "processor's time"),
        *((str(cards), sizes[cards], time_text(one["s"])) for cards, one in found.items()),
    )


BLOCKS: Final[Mapping[str, Callable[[str], str]]] = {
    "how-fast": how_fast,
    "worth-a-card": worth_a_card,
    "counts-on-a-card": counts_on_a_card,
    "published-size": published_size,
    "counts-by-engine": counts_by_engine,
    "work-by-engine": work_by_engine,
    "cost-of-a-board": cost_of_a_board,
    "plan-of-a-cluster": plan_of_a_cluster,
    "single-dummy-times": single_dummy_times,
}
"""Tables and examples that are written whole, by their names."""


def filled(text: str, page: str) -> str:
    """Text of a page with its figures as the reports have them.

    Parameters
    ----------
    text : str
    page : str
        Path of the page in the repository.

    Raises
    ------
    FigureError
        If a marker names no figure or stands alone, a report lacks what the figure is read from,
        or words of the report's work do not stand in the figure's paragraph or row.
    """

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        where = f"{page}:{_line(text, match.start())}"
        if name not in BLOCKS:
            raise FigureError(f"expected figures of docs/figures.py, got {name!r} ({where})")
        try:
            written = BLOCKS[name](page)
        except (KeyError, IndexError) as error:
            raise FigureError(
                f"expected a report that has {error} for figures {name!r} ({where})"
            ) from error
        return f"<!-- figures: {name} -->\n\n{written}\n\n<!-- end -->"

    def inline(match: re.Match[str]) -> str:
        where = f"{page}:{_line(whole, match.start())}"
        return f"<!-- figure: {match['name']} -->{figure_text(match['name'], where)}<!-- end -->"

    whole = _BLOCK.sub(block, text)
    found = _INLINE.sub(inline, whole)
    for match in _INLINE.finditer(found):
        _check_place(found, match, page)
    left = _MARK.search(_BLOCK.sub("", _INLINE.sub("", found)))
    if left:
        raise FigureError(f"expected a marker and its end, got {left[0]!r} alone ({page})")
    return found


def _check_place(text: str, match: re.Match[str], page: str) -> None:
    """Complain of a marker that begins a line, or has not the work of its report beside it."""
    name, where = match["name"], f"{page}:{_line(text, match.start())}"
    if not text[: match.start()].rpartition("\n")[2].strip():
        raise FigureError(f"expected words before a marker on its line, got none ({where})")
    figure = FIGURES[name]
    around = " ".join(_MARK.sub("", paragraph(text, match.start())).split())
    try:
        work = figure.work(report_of(figure.report))
    except (KeyError, IndexError) as error:
        raise FigureError(
            f"expected {figure.report} to have {error} for figure {name!r} ({where})"
        ) from error
    for word in work:
        if word not in around:
            raise FigureError(
                f"expected {word!r}, the work of figure {name!r}, beside it, got {around!r} "
                f"({where})"
            )


def figure_text(name: str, where: str) -> str:
    """Text of one figure.

    Raises
    ------
    FigureError
        If there is none of that name, or its report lacks what it is read from.
    """
    if name not in FIGURES:
        raise FigureError(f"expected a figure of docs/figures.py, got {name!r} ({where})")
    figure = FIGURES[name]
    try:
        return figure.text(report_of(figure.report))
    except (KeyError, IndexError) as error:
        raise FigureError(
            f"expected {figure.report} to have {error} for figure {name!r} ({where})"
        ) from error


def paragraph(text: str, at: int) -> str:
    """Paragraph of a place, or its row if that is in a table, or its item in a list."""
    start = text.rfind("\n\n", 0, at) + 2 if "\n\n" in text[:at] else 0
    end = text.find("\n\n", at)
    row = text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)]
    if row.startswith("|"):
        return row
    items = re.split(r"^(?=[*-] )", text[start : end if end >= 0 else None], flags=re.MULTILINE)
    for item in items:
        start += len(item)
        if at < start:
            return item
    return items[-1]


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def pages() -> list[str]:
    """Pages that have markers, by their paths in the repository."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [
        path.relative_to(ROOT).as_posix()
        for path in found
        if "<!-- figure" in path.read_text("utf-8")
    ]


def filled_pages() -> dict[str, str]:
    """Texts of all pages that have figures, as they are written."""
    return {page: filled((ROOT / page).read_text("utf-8"), page) for page in pages()}
