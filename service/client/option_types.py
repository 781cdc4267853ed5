"""What may be asked, as ``openapi.json`` has it; written by ``write_answer_types``.

What every field means is told there, and at ``/docs`` of a running service.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class AuctionsOptions(TypedDict, total=False):
    """Deals, and which of their auctions to list."""

    table: str | None
    mode: Literal["all", "first"]
    completed_only: bool
    limit: int


class BidOptions(TypedDict, total=False):
    """A hand and the auction so far."""

    dealer: str
    vulnerability: str
    table: str | None
    simulate: SimulateRequest | bool | None


class DealRequest(TypedDict, total=False):
    """One deal; its cards stand in exactly one of `deal`, `hands` and `lin`."""

    deal: str | None
    hands: list[str] | None
    lin: str | None
    dealer: str | None
    vulnerability: str | None


class InterpretOptions(TypedDict, total=False):
    """An auction to interpret."""

    dealer: str
    vulnerability: str
    known: dict[str, str]
    where: list[str]
    strict: bool
    seed: int
    table: str | None
    layouts: int


class JobOptions(TypedDict, total=False):
    """A job about files that lie on the server."""

    table: str | None
    mode: Literal["first", "all", "counts"]
    completed_only: bool
    text: bool
    result: list[Literal["parquet", "jsonl", "pbn"]]


class LayoutsOptions(TypedDict, total=False):
    """Layouts asked for."""

    dealer: str
    vulnerability: str
    known: dict[str, str]
    where: list[str]
    strict: bool
    seed: int
    table: str | None
    count: int


class LeadsOptions(TypedDict, total=False):
    """A hand on lead, and the auction or contract."""

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


class SimulateRequest(TypedDict, total=False):
    """How the call is to be simulated."""

    layouts: int
    scoring: Literal["imps", "matchpoints", "points"]
    budget_ms: int | None
    double_dummy: bool
    seed: int
