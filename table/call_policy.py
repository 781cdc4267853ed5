"""A policy laid into a table: how probable calls are becomes the order in which they are tried."""

import csv
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from bidcascade.bridge import (
    CALL_COUNT,
    PASS,
    Auction,
    IllegalCall,
    InvalidCall,
    InvalidInput,
    InvalidTable,
    format_call,
    format_calls,
    parse_call,
    parse_calls,
)
from bidcascade.kernels.machine.bounded_files import bounded_lines
from bidcascade.kernels.machine.caches import bounded_cache
from bidcascade.loaders.parquet.parquet_decoder import decode_parquet

from .bidding_table import BiddingTable
from .build import build_table
from .columns import INSERTED
from .formats.json_lines import LONGEST_LINE, refuse_constant
from .import_report import FindingCount, counted, finding_lines
from .row import Row, shown

COLUMNS: Final = ("auction", "call", "probability")
FINDINGS: Final[dict[str, str]] = {
    "unknown_auctions": "auctions of the policy that the table does not have",
    "unknown_calls": "calls of the policy that the table does not have there",
    "without_row": "calls of the policy that are no row of the table: left behind the others",
    "any_hand": "calls that hold for any hand before others, which are so never made",
}
"""Kinds of findings, in the order of a report, with what each means."""
_SUM_OVER_ONE: Final = 1e-6
"""So much may rounded probabilities of one auction add up to above 1."""

CallPolicy = Mapping[bytes, Mapping[int, float]]
"""Probabilities of calls by auction, as call codes."""


@dataclass(slots=True)
class CallPolicyReport:
    """What a policy did to a table: places and calls that it ranked, and what it did not find."""

    places: int = 0
    calls: int = 0
    findings: dict[str, FindingCount] = field(
        default_factory=lambda: {kind: FindingCount() for kind in FINDINGS}
    )

    def __str__(self) -> str:
        head = f"{counted(self.calls, 'call')} ranked at {counted(self.places, 'place')}"
        return "\n".join([head, *finding_lines(self.findings, FINDINGS)])


def read_call_policy(path: "Path | str") -> CallPolicy:
    r"""Read a policy: rows of auction, call and probability.

    Parameters
    ----------
    path : path
        ``.csv`` with a line of column names, ``.jsonl`` with an object a line, or ``.parquet``.
        Auction and call are texts (``1N P``; nothing for the opening) or, but for CSV, call codes.

    Raises
    ------
    InvalidTable
        If it cannot be read, a row is none, an auction or call is illegal, a probability is no
        number from 0 to 1, a call has two, or those of an auction add up to more than 1.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "policy.csv"
    ...     _ = file.write_text("auction,call,probability\n1N P,2C,0.25\n1N P,3N,0.5\n")
    ...     read_call_policy(file)
    {b'\x07\x00': {8: 0.25, 17: 0.5}}
    """
    path = Path(path)
    policy: dict[bytes, dict[int, float]] = {}
    for place, auction, call, probability in _rows(path):
        try:
            calls = _calls(auction)
            code = _call(call)
            # says why, where it is illegal
            _auction(calls).add(code)
        except (InvalidCall, IllegalCall) as error:
            raise InvalidTable(f"{place}: {error}") from None
        value = _probability(probability, place)
        chances = policy.setdefault(calls, {})
        if code in chances:
            raise InvalidTable(
                f"{place}: expected each call once, got {format_call(code)} "
                f"after {_named(calls)} twice"
            )
        chances[code] = value
    for calls, chances in policy.items():
        total = math.fsum(chances.values())
        if total > 1 + _SUM_OVER_ONE:
            raise InvalidTable(
                f"{path.name}: expected probabilities that add up to at most 1 "
                f"after {_named(calls)}, got {total:.6g}"
            )
    return policy


def _named(calls: bytes) -> str:
    return repr(format_calls(calls)) if calls else "no call"


class _Written(NamedTuple):
    place: str
    auction: Any
    call: Any
    probability: Any


def _rows(path: Path) -> Iterator[_Written]:
    readers = {
        ".csv": _of_csv, ".jsonl": _of_json, ".ndjson": _of_json, ".json": _of_json,
        ".parquet": _of_parquet, ".pq": _of_parquet,
    }  # fmt: skip
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InvalidTable(
            f"expected a policy with the ending {', '.join(readers)}, got {path.name!r}"
        )
    try:
        yield from reader(path)
    except UnicodeDecodeError:
        raise InvalidTable(f"{path.name}: expected UTF-8, got other bytes") from None
    except OSError as error:
        raise InvalidTable(f"cannot read the policy {str(path)!r}: {error.strerror}") from None


def _check_columns(names: list[str], place: str) -> None:
    if sorted(names) != sorted(COLUMNS):
        raise InvalidTable(
            f"{place}: expected the columns {', '.join(COLUMNS)}, got {shown(', '.join(names))}"
        )


def _of_csv(path: Path) -> Iterator[_Written]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = bounded_lines(file, LONGEST_LINE, path.name, InvalidTable)
        reader = csv.DictReader(lines, strict=True)
        try:
            _check_columns([*(reader.fieldnames or ())], path.name)
            for row in reader:
                place = f"{path.name}, line {reader.line_num}"
                if None in row or None in row.values():
                    raise InvalidTable(f"{place}: expected {len(COLUMNS)} cells, got more or less")
                yield _Written(place, *(row[name] for name in COLUMNS))
        except csv.Error as error:
            raise InvalidTable(f"{path.name}, line {reader.line_num + 1}: {error}") from None


def _of_json(path: Path) -> Iterator[_Written]:
    # objects as pairs, so that a key that is there twice is seen
    decode = json.JSONDecoder(parse_constant=refuse_constant, object_pairs_hook=tuple).decode
    with path.open(encoding="utf-8-sig") as file:
        lines = bounded_lines(file, LONGEST_LINE, path.name, InvalidTable)
        for number, line in enumerate(lines, start=1):
            place = f"{path.name}, line {number}"
            if not line.strip():
                continue
            try:
                row = decode(line)
            except (ValueError, RecursionError) as error:
                raise InvalidTable(f"{place}: expected a JSON object, got {error}") from None
            if not isinstance(row, tuple):
                raise InvalidTable(f"{place}: expected a JSON object, got {shown(row)}")
            _check_columns([name for name, _ in row], place)
            yield _Written(place, *(dict(row)[name] for name in COLUMNS))


def _of_parquet(path: Path) -> Iterator[_Written]:
    try:
        frame = decode_parquet(path, path.name).frame
    except InvalidInput as error:
        raise InvalidTable(f"cannot read the policy {str(path)!r}: {error}") from None
    _check_columns(frame.columns, path.name)
    for number, row in enumerate(frame.select(COLUMNS).iter_rows(), start=1):
        yield _Written(f"{path.name}, row {number}", *row)


@bounded_cache(1 << 12)
def _auction(calls: bytes) -> Auction:
    return Auction.of(calls)


_parsed = bounded_cache(1 << 14)(parse_calls)


def _calls(written: object) -> bytes:
    if isinstance(written, str):
        return bytes(_parsed(written))
    if isinstance(written, list | bytes):
        return bytes(map(_call, written))
    raise InvalidCall(f"expected an auction as text or codes, got {shown(written)}")


def _call(written: object) -> int:
    if isinstance(written, str):
        return parse_call(written)
    if isinstance(written, int) and not isinstance(written, bool) and 0 <= written < CALL_COUNT:
        return written
    raise InvalidCall(f"expected a call as text or as a code 0-37, got {shown(written)}")


def _probability(written: object, place: str) -> float:
    value = math.nan
    if isinstance(written, str | float | int) and not isinstance(written, bool):
        with suppress(ValueError):
            value = float(written)
    if not 0 <= value <= 1:
        raise InvalidTable(f"{place}: expected a probability from 0 to 1, got {shown(written)}")
    return value


def with_call_policy(
    table: BiddingTable, policy: CallPolicy
) -> tuple[BiddingTable, CallPolicyReport]:
    """Let calls be tried in the order of their probability, at every place that a policy names.

    What holds for a hand stays the same, so the call that is made is the most probable one that
    holds. Calls that the policy does not name come behind those that it does, in their old order,
    which also decides between equals.

    Parameters
    ----------
    table : BiddingTable
        Stays as it is. Extras stay behind, as in an export: entries get other numbers.
    policy : mapping
        What :func:`read_call_policy` gives.

    Examples
    --------
    >>> from .build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N"}, {"prior": "", "call": "2N"}])
    >>> ranked, report = with_call_policy(table, {b"": {12: 0.75, 7: 0.25}})
    >>> [row.call for row in ranked.rows()], str(report)
    ([12, 7], '2 calls ranked at 1 place')
    """
    ranks, report = ranks_of(table, policy)

    def rows() -> Iterator[Row]:
        for row in table.rows():
            order = ranks.get(row.prior)
            yield row if order is None else row._replace(rank=order[row.call])

    ranked, _ = build_table(
        rows(),
        profile=table.profile,
        undescribed=table.undescribed,
        user_terms=table.user_terms,
        source=table.source,
    )
    return ranked, report


def rules_of(ranks: Mapping[bytes, Mapping[int, int]]) -> Iterator[dict[str, Any]]:
    """Write ranks as rules of an overlay, which can be laid over a system as well.

    Examples
    --------
    >>> list(rules_of({b"": {7: 0}}))
    [{'rule': 'replace', 'at': '1N', 'rank': 0}]
    """
    for prior, order in ranks.items():
        for call, rank in order.items():
            yield {"rule": "replace", "at": format_calls([*prior, call]), "rank": rank}


def ranks_of(
    table: BiddingTable, policy: CallPolicy
) -> tuple[dict[bytes, dict[int, int]], CallPolicyReport]:
    """Ranks of all calls at the places of a table that a policy names, by auction."""
    report = CallPolicyReport()
    found = {prior: _order(table, prior, chances, report) for prior, chances in policy.items()}
    return {prior: order for prior, order in found.items() if order}, report


def _order(
    table: BiddingTable, prior: bytes, chances: Mapping[int, float], report: CallPolicyReport
) -> dict[int, int]:
    """Rank of each call that has a row at a place; none where the policy names none of them."""
    parent = table.find(prior) if prior else None
    if prior and parent is None:
        report.findings["unknown_auctions"].add(format_calls(prior))
        return {}
    children = {int(table.call[entry]): entry for entry in table.children(parent)}
    written = [call for call, entry in children.items() if not table.flags[entry] & INSERTED]
    for call in chances:
        kind = "unknown_calls" if call not in children else "without_row"
        if call not in written:
            report.findings[kind].add(format_calls([*prior, call]))
    named = [call for call in written if call in chances]
    if not named:
        return {}
    report.places += 1
    report.calls += len(named)
    named.sort(key=lambda call: -chances[call])
    order = [*named, *(call for call in written if call not in chances)]
    holds_anyway = {"allow": {*order}, "pass": {PASS}, "reject": set()}[table.undescribed]
    for call in order[:-1]:
        if call in holds_anyway and not table.variant_set[children[call]]:
            report.findings["any_hand"].add(format_calls([*prior, call]))
    return {call: rank for rank, call in enumerate(order)}
