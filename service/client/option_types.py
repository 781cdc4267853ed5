"""What may be asked, as ``openapi.json`` has it; written by ``docs/write_files.py``.

What every field means is told there, and at ``/docs`` of a running service.
"""

# ruff: noqa: D101
from __future__ import annotations

from typing import Literal, TypedDict


class ArchiveBoardsOptions(TypedDict, total=False):
    by: str
    mode: Literal["first", "all"]
    exact: bool
    where: list[str]
    dealer: str | None
    vulnerability: str | None
    player: str | None
    event: str | None
    source: str | None
    contract: str | None
    result: Literal["made", "down"] | None
    limit: int
    seed: int | None
    level: list[str]
    sort: str | None
    descending: bool
    bids: bool


class ArchiveCountsOptions(TypedDict, total=False):
    by: str
    mode: Literal["first", "all"]
    exact: bool
    where: list[str]
    dealer: str | None
    vulnerability: str | None
    player: str | None
    event: str | None
    source: str | None
    contract: str | None
    result: Literal["made", "down"] | None


class AuctionsOptions(TypedDict, total=False):
    table: str | None
    mode: Literal["all", "first"]
    completed_only: bool
    limit: int


class BenchOptions(TypedDict, total=False):
    boards: int
    seed: int
    bank: Literal["held-out", "open", "all"]


class BidOptions(TypedDict, total=False):
    dealer: str
    vulnerability: str
    table: str | None
    simulate: SimulateRequest | bool | int | None
    search: SearchRequest | bool | int | None


class BoardContracts(TypedDict, total=False):
    deal: DealRequest
    contracts: list[str]


class CompareOptions(TypedDict, total=False):
    deals: int
    seed: int
    solve: int
    budget_ms: int | None


class DealRequest(TypedDict, total=False):
    deal: str | None
    hands: list[str] | None
    lin: str | None
    dealer: str | None
    vulnerability: str | None


class InferOptions(TypedDict, total=False):
    dealer: str
    vulnerability: str
    known: dict[str, str]
    where: list[str]
    strict: bool
    seed: int
    table: str | None
    layouts: int
    deals: int
    contract: str | None
    lead: str | None
    against: str | None
    scoring: Literal["points", "imps", "matchpoints"]
    budget_ms: int | None


class InterpretOptions(TypedDict, total=False):
    dealer: str
    vulnerability: str
    known: dict[str, str]
    where: list[str]
    strict: bool
    seed: int
    table: str | None
    layouts: int


class JobOptions(TypedDict, total=False):
    table: str | None
    mode: Literal["first", "all", "counts", "par", "archive"]
    beside: list[str]
    archive: str | None
    completed_only: bool
    limit: int | None
    max_depth: int | None
    text: bool
    result: list[Literal["parquet", "jsonl", "pbn"]]


class LayoutsOptions(TypedDict, total=False):
    dealer: str
    vulnerability: str
    known: dict[str, str]
    where: list[str]
    strict: bool
    seed: int
    table: str | None
    count: int


class LeadsOptions(TypedDict, total=False):
    contract: str | None
    dealer: str
    vulnerability: str
    scoring: Literal["tricks", "set", "matchpoints", "imps"]
    layouts: int
    known: dict[str, str]
    where: list[str]
    strict: bool
    seed: int
    budget_ms: int | None
    table: str | None


class MembersOptions(TypedDict, total=False):
    table: str | None


class PracticeDealsOptions(TypedDict, total=False):
    themes: list[str] | None
    script: str | None
    count: int
    seat: str
    seed: int


class SearchRequest(TypedDict, total=False):
    layouts: int | None
    budget_ms: int | None
    kinds: list[Literal["opening", "uncontested", "slam", "competitive", "defensive"]] | None
    margin: float | None
    errors: float | None
    doubled: bool
    double_dummy: bool
    seed: int


class SimulateRequest(TypedDict, total=False):
    layouts: int
    scoring: Literal["imps", "matchpoints", "points"]
    budget_ms: int | None
    double_dummy: bool
    seed: int


class SystemCheckOptions(TypedDict, total=False):
    deals: int
    seed: int
    auctions: list[str]
    least: int


class SystemChoice(TypedDict, total=False):
    text: str | None
    pages: dict[str, str]
    table: str | None
    options: dict[str, bool]


class SystemDiffOptions(TypedDict, total=False):
    deals: int
    seed: int
    show: int
