"""What is wrong or worth a look in a bidding table, as a report; nothing is changed or refused."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidcascade.bridge import InvalidTable, format_calls
from bidcascade.kernels.packing.intervals import left_by, narrow
from bidcascade.kernels.packing.literals import MIRRORED
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.columns import CAN_COMPLETE, INSERTED, NONE_U32, Column, list_at
from bidcascade.table.import_report import counted
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expressions import (
    Comparison,
    Expression,
    Number,
    TermName,
    parse_expression,
)
from bidcascade.table.table_plan import criteria_lists

from .truncation import is_suspected_truncation

MOST_EXAMPLES: Final = 20
"""Examples given of each kind of finding, unless asked otherwise."""

KINDS: Final[dict[str, str]] = {
    "unsatisfiable": "rows that no hand can fit",
    "contradictory_bounds": "rows with bounds of one term that exclude each other",
    "variants": "entries with several variants",
    "repeated_variants": "variants that repeat another one's criteria",
    "inserted": "missing parents, inserted as undescribed",
    "dropped_at_import": "rows dropped at import",
    "undescribed": "entries without criteria",
    "undescribed_bids": "entries without criteria that are no pass",
    "dead_ends": "entries from which no auction of the table is completed",
    "tags": "rows with terms about the auction, which are no tests",
    "truncated": "descriptions that look cut off",
    "announced_truncated": "mined entries whose announcement was cut off",
    "announced_dropped": "mined entries whose announcement has a part that is no phrase",
    "announced_human": "mined entries that only a human's text describes",
    "contradicted": "mined entries that another announcement of the call contradicts",
    "never_reached": "entries that no deal reaches",
    "never_chosen": "entries that some deal reaches and none chooses",
    "without_call": "places where hands have no valid call but pass",
}
"""Kinds of findings in the order of a report; the last three come from :func:`lint_on_deals`."""

_ON_DEALS: Final = ("never_reached", "never_chosen", "without_call")
_TAGS_OF_MINED: Final = {
    "announced_truncated": "truncated",
    "announced_dropped": "dropped",
    "announced_human": "human",
    "contradicted": "contradicted",
}
"""Kinds that are entries with a tag, where mining set it."""


@dataclass(slots=True)
class LintFinding:
    """One kind of finding: how many, and examples."""

    count: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class LintReport:
    """Findings of a lint by kind, see :data:`KINDS`; ``entries`` is the size of the table.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([
    ...     {"prior": "", "call": "1C", "criteria": ["SL_C >= 4", "SL_C == 3"]}])
    >>> print(lint(table))
    1 entry
    rows that no hand can fit: 1
      1C: no hand fits SL_C >= 4 and SL_C == 3
    rows with bounds of one term that exclude each other: 1
      1C: SL_C
    entries from which no auction of the table is completed: 1
      1C
    """

    entries: int
    findings: dict[str, LintFinding] = field(default_factory=dict)
    deals: int | None = None

    def __str__(self) -> str:
        lines = [counted(self.entries, "entry", "entries")]
        if self.deals is not None:
            lines[0] += f", {counted(self.deals, 'deal')}"
        for kind, found in self.findings.items():
            if not found.count:
                continue
            lines.append(f"{KINDS[kind]}: {found.count:,}")
            for example in found.examples:
                place = example.get("auction", "")
                detail = str(example.get("detail", ""))
                lines.append(f"  {place}{': ' if place and detail else ''}{detail}")
            if found.count > len(found.examples) > 0:
                lines.append(f"  … and {found.count - len(found.examples):,} more")
        return "\n".join(lines)


def lint(table: BiddingTable, *, examples: int = MOST_EXAMPLES) -> LintReport:
    """Look a table over; every distinct criteria list and description is looked at once.

    Of a mined table the examples are the calls that were made most often.

    Parameters
    ----------
    examples : int
        Most examples of each kind.

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> criteria = ["SL_C >= 4", "SL_C == 3"]
    >>> table, _ = build_table([{"prior": [], "call": "1C", "criteria": criteria}])
    >>> lint(table).findings["unsatisfiable"].count
    1
    """
    report = LintReport(
        len(table), {kind: LintFinding() for kind in KINDS if kind not in _ON_DEALS}
    )
    rows = _Rows(table, examples)
    _lint_criteria(table, rows, report)
    _lint_texts(table, rows, report)
    _lint_variants(table, report, examples)
    flags, undescribed = table.flags, table.variant_set == 0
    by_entry = {
        "inserted": (flags & INSERTED) != 0,
        "undescribed": undescribed,
        "undescribed_bids": undescribed & (table.call != 0),
        "dead_ends": (flags & CAN_COMPLETE) == 0,
        **_with_tags(table),
    }
    for kind, mask in by_entry.items():
        entries = np.flatnonzero(mask)
        if "count" in table.columns:
            entries = _most_first(entries, table.columns["count"])
        shows_times = kind in _TAGS_OF_MINED
        detail = _times_made(table, entries[:examples].tolist() if shows_times else [])
        report.findings[kind] = _of_entries(table, entries, examples, detail)
    dropped = {
        kind: table.imported.get(kind, 0)
        for kind in ("illegal_calls", "below_completed", "rejected", "below_rejected")
    }
    report.findings["dropped_at_import"] = LintFinding(
        sum(dropped.values()),
        [{"detail": f"{kind}: {count:,}"} for kind, count in dropped.items() if count],
    )
    return report


def _with_tags(table: BiddingTable) -> "dict[str, NDArray[np.bool_]]":
    """Mined entries by what is the matter with their announcement."""
    columns = table.columns
    if "tags" not in columns or "source" not in columns:
        return {}
    mined = np.array([text in ("announcement", "note") for text in table.texts], np.bool_)
    is_mined = mined[columns["source"]]
    sets = [
        {
            table.texts[text]
            for text in list_at(columns["tag_offsets"], columns["tag_texts"], number)
        }
        for number in range(len(columns["tag_offsets"]) - 1)
    ]
    return {
        kind: np.array([tag in tags for tags in sets], np.bool_)[columns["tags"]] & is_mined
        for kind, tag in _TAGS_OF_MINED.items()
    }


def _times_made(table: BiddingTable, with_text: list[int]) -> Callable[[int], str]:
    """Say how often an entry was made; for some, how often with the text that describes it."""
    if "count" not in table.columns:
        return lambda entry: ""
    counts = table.columns["count"]
    texts = table.extra("announcements") if with_text else None
    times: dict[int, int] = {}
    if texts is not None and {"entry", "count", "kept"} <= set(texts.columns):
        of_these = texts.filter(texts["kept"] & texts["entry"].is_in(with_text))
        times = dict(zip(of_these["entry"], of_these["count"], strict=True))

    def detail(entry: int) -> str:
        if counts[entry] == NONE_U32:
            return ""
        text = f"made {counted(int(counts[entry]), 'time')}"
        if entry in times:
            text += f", {times[entry]:,} with this text: {table.description(entry)}"
        return text

    return detail


class _Rows:
    """The rows of a table as columns: first variants of all entries, then the further ones."""

    def __init__(self, table: BiddingTable, examples: int) -> None:
        columns = table.columns
        first_lists = columns["set_criteria"][columns["set_offsets"][:-1]]
        self.table = table
        self.examples = examples
        self.criteria: Column = np.concatenate(
            [first_lists[columns["variant_set"]], columns["variant_criteria"]]
        )
        self.description: Column = np.concatenate(
            [columns["description"], columns["variant_description"]]
        )

    def entry(self, row: int) -> int:
        size = len(self.table)
        return row if row < size else int(self.table.columns["variant_entry"][row - size])

    def finding(
        self, numbers: Column, wanted: "NDArray[np.bool_]", detail: Callable[[int], str]
    ) -> LintFinding:
        """Rows whose number (of a list or text) is wanted, with the detail of that number."""
        rows = np.flatnonzero(wanted[numbers])
        return LintFinding(
            len(rows),
            [
                _example(self.table, self.entry(row), detail(int(numbers[row])))
                for row in rows[: self.examples].tolist()
            ],
        )


def _lint_criteria(table: BiddingTable, rows: _Rows, report: LintReport) -> None:
    vocabulary = table.vocabulary
    parsed = [parse_expression(text) for text in table.expressions]
    is_tag = [isinstance(one, TermName) and vocabulary.is_tag(one.name) for one in parsed]
    lists = criteria_lists(table.columns)
    unsatisfiable: dict[int, str] = {}
    contradictory: dict[int, str] = {}
    tagged: dict[int, str] = {}
    for number, numbers in enumerate(lists):
        tests = [parsed[one] for one in numbers if not is_tag[one]]
        reason = is_satisfiable(tests, vocabulary)
        if reason is not None:
            unsatisfiable[number] = reason
            terms = contradictory_terms(tests)
            if terms:
                contradictory[number] = ", ".join(terms)
        if len(tests) < len(numbers):
            tagged[number] = ", ".join(str(parsed[one]) for one in numbers if is_tag[one])
    for kind, found in (
        ("unsatisfiable", unsatisfiable),
        ("contradictory_bounds", contradictory),
        ("tags", tagged),
    ):
        wanted = np.zeros(len(lists), dtype=np.bool_)
        wanted[list(found)] = True
        report.findings[kind] = rows.finding(rows.criteria, wanted, found.__getitem__)


def contradictory_terms(expressions: Iterable[Expression]) -> list[str]:
    """Terms whose bounds by constants exclude each other."""
    bounds: dict[str, tuple[int, int]] = {}
    for expression in expressions:
        for term, operator, halves in _bounds_in(expression):
            # values are whole or halves, which are whole numbers here
            narrow(bounds, term, left_by(operator, halves))
    return [term for term, (low, high) in bounds.items() if low > high]


def _bounds_in(expression: Expression) -> Iterator[tuple[str, str, int]]:
    """Each comparison of a term with a number, also within a chain, in halves."""
    if not isinstance(expression, Comparison):
        return
    left = expression.first
    for operator, right in expression.rest:
        if isinstance(left, TermName) and isinstance(right, Number):
            yield left.name, operator, right.halves
        elif isinstance(left, Number) and isinstance(right, TermName):
            yield right.name, MIRRORED[operator], left.halves
        left = right


def _lint_texts(table: BiddingTable, rows: _Rows, report: LintReport) -> None:
    used = np.zeros(len(table.texts), dtype=np.bool_)
    used[rows.description] = True
    cut = np.zeros(len(table.texts), dtype=np.bool_)
    for number in np.flatnonzero(used).tolist():
        cut[number] = is_suspected_truncation(table.texts[number])
    report.findings["truncated"] = rows.finding(rows.description, cut, table.texts.__getitem__)


def _lint_variants(table: BiddingTable, report: LintReport, examples: int) -> None:
    entries = np.unique(table.columns["variant_entry"])
    report.findings["variants"] = _of_entries(table, entries, examples)
    repeated = report.findings["repeated_variants"]
    for entry in entries.tolist():
        written = [row.criteria for row in table.variants(entry)]
        times = len(written) - len(set(written))
        if times:
            repeated.count += times
            if len(repeated.examples) < examples:
                repeated.examples.append(_example(table, entry))


def counts_through(table: BiddingTable, deepest: "NDArray[Any]") -> "NDArray[np.int64]":
    """How many deals' auctions go through each entry, from the deepest entry of each.

    Parameters
    ----------
    deepest : uint32[deals]
        Last entry of each deal's auction, 0xFFFFFFFF where it has none, as the kernels' mode
        ``first`` gives it.

    Examples
    --------
    >>> import numpy as np
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1C"}, {"prior": "1C", "call": "P"}])
    >>> counts_through(table, np.array([1, 0, 1, 0xFFFFFFFF])).tolist()
    [3, 2]
    """
    through = np.zeros(len(table), dtype=np.int64)
    current = deepest[deepest != NONE_U32]
    while len(current):
        through += np.bincount(current, minlength=len(table))
        current = table.parents[current]
        current = current[current != NONE_U32]
    return through


def lint_on_deals(
    table: BiddingTable,
    counts_all: "NDArray[Any]",
    counts_first: "NDArray[Any]",
    deals: int,
    *,
    examples: int = MOST_EXAMPLES,
) -> LintReport:
    """Look a table over with what the kernels counted on a sample of deals.

    Parameters
    ----------
    counts_all : int[entries]
        How many deals reach each entry when every call that holds is made (mode ``all``).
    counts_first : int[entries]
        How many deals' one auction (mode ``first``) goes through each entry; see
        :func:`counts_through`.
    deals : int
        Deals in the sample.

    Returns
    -------
    LintReport
        Entries never reached and never chosen, worst first; and the places where deals are lost:
        their auction comes there and ends in a pass the table does not have. Each place has the
        ``overlap``: how many calls hold at it on average.

    Raises
    ------
    InvalidTable
        If the counts are not one for each entry.

    Examples
    --------
    >>> from bidcascade.table import build_table
    >>> table, _ = build_table([{"prior": [], "call": call} for call in ("1C", "P")])
    >>> report = lint_on_deals(table, np.array([0, 10]), np.array([0, 10]), 10)
    >>> report.findings["never_reached"].count
    1
    """
    for counts in (counts_all, counts_first):
        if counts.shape != (len(table),):
            raise InvalidTable(
                f"expected counts of {len(table)} entries, got an array of shape {counts.shape}"
            )
    report = LintReport(len(table), deals=deals)
    never = np.flatnonzero(counts_all == 0)
    report.findings["never_reached"] = _of_entries(table, never, examples)
    not_chosen = np.flatnonzero((counts_all > 0) & (counts_first == 0))
    report.findings["never_chosen"] = _of_entries(
        table,
        _most_first(not_chosen, counts_all),
        examples,
        lambda entry: f"{int(counts_all[entry]):,} deals",
    )
    _lint_places(table, counts_all, counts_first, deals, report, examples)
    return report


def _lint_places(
    table: BiddingTable,
    counts_all: "NDArray[Any]",
    counts_first: "NDArray[Any]",
    deals: int,
    report: LintReport,
    examples: int,
) -> None:
    """Places where deals go through a parent and through none of its children."""
    # place 0 is the opening; place ``e + 1`` is what follows entry ``e``
    # the children of the opening are the entries from 0, as if it were an entry itself
    starts = np.concatenate([[0], table.first_child.astype(np.int64)])
    counts = np.concatenate([[table.root_count], table.child_count.astype(np.int64)])
    through = np.concatenate([[deals], counts_first.astype(np.int64)])
    sums = np.concatenate([[0], np.cumsum(counts_first.astype(np.int64))])
    onward = sums[starts + counts] - sums[starts]
    lost = np.where(counts > 0, through - onward, 0)
    places = _most_first(np.flatnonzero(lost > 0), lost)
    all_sums = np.concatenate([[0], np.cumsum(counts_all.astype(np.int64))])
    held = all_sums[starts + counts] - all_sums[starts]
    reached = np.concatenate([[deals], counts_all.astype(np.int64)])
    finding = LintFinding(len(places))
    for place in places[:examples].tolist():
        where = "opening" if place == 0 else format_calls(table.auction_of(place - 1))
        overlap = float(held[place] / reached[place]) if reached[place] else 0.0
        finding.examples.append(
            {
                "entry": place - 1 if place else None,
                "auction": where,
                "deals": int(lost[place]),
                "overlap": round(overlap, 3),
                "detail": f"{int(lost[place]):,} of {int(through[place]):,} deals, "
                f"{overlap:.2f} calls hold on average",
            }
        )
    report.findings["without_call"] = finding


def _most_first(numbers: "NDArray[np.int64]", counts: "NDArray[Any]") -> "NDArray[np.int64]":
    """Order numbers by their counts, the largest first."""
    return numbers[np.argsort(-counts[numbers].astype(np.int64), kind="stable")]


def _of_entries(
    table: BiddingTable,
    entries: "NDArray[Any]",
    examples: int,
    detail: Callable[[int], str] = lambda entry: "",
) -> LintFinding:
    return LintFinding(
        len(entries),
        [_example(table, entry, detail(entry)) for entry in entries[:examples].tolist()],
    )


def _example(table: BiddingTable, entry: int, detail: str = "") -> dict[str, Any]:
    example: dict[str, Any] = {"entry": entry, "auction": format_calls(table.auction_of(entry))}
    if detail:
        example["detail"] = detail
    return example
