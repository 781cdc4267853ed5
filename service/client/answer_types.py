"""What the service answers, as ``openapi.json`` has it; written by ``docs/write_files.py``.

What every field means is told there, and at ``/docs`` of a running service.
"""

# ruff: noqa: D101
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Agreed(TypedDict):
    NS: str | None
    EW: str | None


class ArchiveAnswer(TypedDict):
    name: str
    boards: int
    parts: int
    sources: int
    duplicates: int
    rejects: int
    solved: int
    bytes: int
    bidders: dict[str, ArchiveBidderAnswer]


class ArchiveBidderAnswer(TypedDict):
    digest: str
    modes: list[Literal["first", "all"]]
    boards: int


class ArchiveBoardsAnswer(TypedDict):
    total: int | None
    boards: list[dict[str, Any]]


class ArchiveCallAnswer(TypedDict):
    call: str
    boards: int


class ArchiveCountAnswer(TypedDict):
    total: int


class ArchiveNodeAnswer(TypedDict):
    auction: str
    boards: int
    next: list[ArchiveCallAnswer]
    statistics: dict[str, Any] | None


class ArchiveRemovedAnswer(TypedDict):
    removed: int


class ArchivesAnswer(TypedDict):
    archives: list[ArchiveAnswer]
    damaged: dict[str, str]


class AuctionAnswer(TypedDict):
    calls: list[str]
    completed: bool
    entry: int | None
    variants: list[str]


class AuctionValue(TypedDict):
    contract: str
    tricks: int | None
    score: int | None
    imps_to_par: int | None
    imps: list[int | None]


class AuctionsAnswer(TypedDict):
    results: list[DealResult]
    table: TableName
    backend: Literal["reference", "cpu", "cuda"]


class BenchAnswer(TypedDict):
    systems: dict[str, SystemName]
    complaints: list[SystemComplaint]
    result: BenchResult | None


class BenchBoard(TypedDict):
    deal: str
    dealer: str
    vulnerability: str
    board: str
    calls: list[str]
    contract: str
    imps: int


class BenchCause(TypedDict):
    boards: int
    imps: int


class BenchLine(TypedDict):
    where: str
    name: str
    behind: str
    over_them: bool
    cause: str
    boards: int
    imps: int
    examples: list[BenchBoard]


class BenchMatch(TypedDict):
    against: str
    digest: str
    scores: dict[str, EstimateAnswer]
    outcomes: dict[str, EstimateAnswer]


class BenchResult(TypedDict):
    boards: int
    bank: str
    seed: int
    matches: list[BenchMatch]
    from_par: float
    causes: dict[str, BenchCause]
    sanity: list[BenchSign]
    lines: list[BenchLine]


class BenchSign(TypedDict):
    what: str
    boards: int
    possible: int
    share: float | None
    low: float
    high: float


class BidAnswer(TypedDict):
    call: str
    name: str
    description: str
    entry: int | None
    where: str
    candidates: list[CandidateAnswer]
    default_pass: bool
    note: str
    agreements: list[str]
    forced: bool | None
    simulation: NotRequired[SimulationAnswer | None]
    search: NotRequired[SearchAnswer | None]
    table: TableName
    backend: Literal["reference", "cpu", "cuda"]


class CandidateAnswer(TypedDict):
    call: str
    entry: int | None
    name: str
    description: str
    where: str
    holds: bool
    criteria: list[CriterionCheck]
    agreements: list[str]
    taken_by: str | None


class CompareAnswer(TypedDict):
    systems: dict[str, SystemName]
    complaints: list[SystemComplaint]
    result: MatchResult | None


class ContractShare(TypedDict):
    contract: str
    share: float


class ContractTricksAnswer(TypedDict):
    tricks: list[list[int | None]]
    solved_before: int
    missing: int


class CriterionCheck(TypedDict):
    expression: str
    value: Any
    holds: bool


class DealResult(TypedDict):
    total: int
    truncated: bool
    cut: NotRequired[Literal["limit", "depth", "places"] | None]
    auctions: list[AuctionAnswer]


class DoubleDummyAnswer(TypedDict):
    tricks: dict[str, dict[str, int | None]]
    par: ParAnswer | None
    auctions: list[AuctionValue]
    missing: list[MissingResult]
    goes_on: bool


class EntryAnswer(TypedDict):
    call: str
    entry: int | None
    completed: bool
    can_complete: bool
    inserted: bool
    next: int
    variants: list[VariantAnswer]


class EntryMembers(TypedDict):
    auction: list[str]
    total: int
    deals: list[int]


class EstimateAnswer(TypedDict):
    value: float | None
    low: float | None
    high: float | None


class ExplainAnswer(TypedDict):
    auction: list[str]
    calls: list[ExplainedCallAnswer]
    forced: bool
    game_forced: bool
    agreed_suit: str | None
    next_calls: list[OfferedCallAnswer]
    table: TableName


class ExplainedCallAnswer(TypedDict):
    call: str
    player: int
    sentence: str
    known: bool
    agreements: list[str]
    hand_types: list[HandTypeAnswer]
    points: list[int]
    every_points: list[int]
    lengths: dict[str, list[int]]
    also: dict[str, list[int]]
    share: float


class FieldErrorAnswer(TypedDict):
    field: str
    value: Any
    reason: str


class FindingAnswer(TypedDict):
    meaning: str
    count: int
    examples: list[dict[str, Any]]


class HandTypeAnswer(TypedDict):
    name: str
    where: str
    share: float
    points: list[int]
    lengths: dict[str, list[int]]


class HealthAnswer(TypedDict):
    status: Literal["ok"]
    version: str


class InferAnswer(TypedDict):
    auction: list[str]
    dealer: str
    vulnerability: str
    report: LayoutReport
    table: TableName
    backend: Literal["reference", "cpu", "cuda"]
    layouts: list[InferredLayout]
    rejected: RejectedDeals | None
    utility: UtilityAnswer | None


class InferredLayout(TypedDict):
    deal: str
    weight: float
    tricks: NotRequired[int | None]
    points: NotRequired[int | None]


class InterpretAnswer(TypedDict):
    auction: list[str]
    dealer: str
    vulnerability: str
    report: LayoutReport
    table: TableName
    backend: Literal["reference", "cpu", "cuda"]
    known: list[str]
    calls: list[ExplainedCallAnswer]
    forced: bool
    game_forced: bool
    agreed: Agreed
    hands: dict[str, InterpretedHand]
    next_player: str | None
    next_calls: list[NextCall]


class InterpretedHand(TypedDict):
    shown: Shown
    points: list[float]
    mean_points: float
    points_range: list[int]
    lengths: dict[str, list[float]]
    mean_lengths: dict[str, float]
    length_ranges: dict[str, list[int]]
    shapes: list[list[str | float]]
    cards: dict[str, float]
    honours: dict[str, dict[str, float]]
    stoppers: dict[str, float]
    keycards: list[float] | None


class JobAnswer(TypedDict):
    id: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    table: str
    digest: str
    mode: Literal["first", "all", "counts", "par", "archive"]
    beside: list[str]
    archive: str | None
    input: str
    created: str
    started: str | None
    ended: str | None
    progress: JobProgress
    results: list[JobResult]
    error: str | None


class JobProgress(TypedDict):
    boards: int
    of: int | None
    rejects: int


class JobResult(TypedDict):
    name: str
    bytes: int
    media_type: str


class JobsAnswer(TypedDict):
    jobs: list[JobAnswer]
    next: str | None


class Layout(TypedDict):
    deal: str
    weight: float


class LayoutReport(TypedDict):
    proposals: int
    accepted: int
    acceptance: float
    effective_size: float
    relaxed: list[str]
    notes: list[str]
    stopped_because: Literal["count", "proposals", "time", "cancelled"]
    seed: int
    seconds: float


class LayoutsAnswer(TypedDict):
    auction: list[str]
    dealer: str
    vulnerability: str
    report: LayoutReport
    table: TableName
    backend: Literal["reference", "cpu", "cuda"]
    layouts: list[Layout]


class LeadAnswerItem(TypedDict):
    card: str
    cards: list[str]
    value: float
    low: float | None
    high: float | None
    behind: float
    behind_error: float | None
    differs: int
    tricks: float
    set: float
    matchpoints: float
    imps: float
    best_share: float


class LeadLayouts(TypedDict):
    asked: int
    found: int
    solved: int
    effective_size: float
    proposals: int
    acceptance: float
    stopped_because: str
    relaxed: list[str]
    notes: list[str]
    seed: int


class LeadsAnswer(TypedDict):
    card: str
    leads: list[LeadAnswerItem]
    leader: str
    hand: str
    contract: str
    scoring: str
    decided: bool
    undecided: list[str]
    warming: bool
    layouts: LeadLayouts
    elapsed_ms: int
    table: TableName
    backend: Literal["reference", "cpu", "cuda"]


class LineShareAnswer(TypedDict):
    call: str
    name: str
    where: str
    chosen: int
    fits: int
    taken: dict[str, int]


class LintAnswer(TypedDict):
    entries: int
    deals: int | None
    findings: dict[str, FindingAnswer]
    table: TableName


class MatchBoard(TypedDict):
    number: int
    deal: str
    dealer: str
    vulnerability: str
    kind: str
    weight: float
    imps: int
    divergence: str | None
    tables: list[MatchTable]


class MatchDivergence(TypedDict):
    where: str
    examined: int
    share: EstimateAnswer
    imps: EstimateAnswer
    effect: EstimateAnswer


class MatchResult(TypedDict):
    names: list[str]
    deals: int
    same: int
    differs: int
    examined: int
    solved: int
    imps: EstimateAnswer
    defended_imps: EstimateAnswer
    points: EstimateAnswer
    outcomes: dict[str, EstimateAnswer]
    divergences: list[MatchDivergence]
    boards: list[MatchBoard]


class MatchTable(TypedDict):
    calls: list[str]
    contract: str
    tricks: int | None
    score: int | None


class MeanAnswer(TypedDict):
    value: float
    low: float | None
    high: float | None


class MembersAnswer(TypedDict):
    members: list[EntryMembers]
    table: TableName
    backend: Literal["reference", "cpu", "cuda"]


class MissingResult(TypedDict):
    declarer: str
    strain: str


class NextAnswer(TypedDict):
    auction: list[str]
    entry: int | None
    completed: bool
    forced: bool | None
    entries: list[EntryAnswer]
    table: TableName


class NextCall(TypedDict):
    call: str
    name: str
    chance: float


class OfferedCallAnswer(TypedDict):
    call: str
    name: str
    where: str


class OptionAnswer(TypedDict):
    name: str
    title: str
    about: str
    on: bool
    within: dict[str, bool]


class OverlayName(TypedDict):
    name: str
    sha256: str


class ParAnswer(TypedDict):
    score: int
    contracts: list[str]


class PlaceSharesAnswer(TypedDict):
    auction: str
    deals: int
    lines: list[LineShareAnswer]
    default_pass: int
    forced: bool


class PracticeDeal(TypedDict):
    deal: str
    dealer: str
    vulnerability: str
    theme: str


class PracticeDealsAnswer(TypedDict):
    deals: list[PracticeDeal]
    looked_at: int


class ProblemAnswer(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[FieldErrorAnswer]


class ReadyAnswer(TypedDict):
    status: Literal["ready"]
    backend: Literal["reference", "cpu", "cuda"]
    tables: list[str]
    started_in_ms: int
    warm: bool
    warmed: int
    reload_errors: dict[str, list[str]]


class RejectedCall(TypedDict):
    number: int
    call: str
    seat: str
    known: bool
    first: int
    any: int


class RejectedDeals(TypedDict):
    dealt: int
    fit: int
    calls: list[RejectedCall]


class ReloadAnswer(TypedDict):
    changed: bool
    table: TableName


class SearchAnswer(TypedDict):
    call: str
    own: str
    kind: Literal["opening", "uncontested", "slam", "competitive", "defensive"]
    why: str
    candidates: list[SearchedCallAnswer]
    layouts: SearchedLayouts
    solved: int
    stopped_because: Literal["layouts", "decided", "time", "not searched"]
    elapsed_ms: int


class SearchOutcome(TypedDict):
    contract: str
    layouts: float
    made: float


class SearchedCallAnswer(TypedDict):
    call: str
    missed: int | None
    gain: float
    error: float | None
    points: float
    outcomes: list[SearchOutcome]


class SearchedLayouts(TypedDict):
    asked: int
    used: int
    seed: int


class Shown(TypedDict):
    points: list[int]
    every_points: list[int]
    lengths: dict[str, list[int]]
    also: dict[str, list[int]]
    calls: list[str]


class SimulatedCall(TypedDict):
    call: str
    line: bool
    mean: float
    low: float | None
    high: float | None
    behind: float
    behind_error: float | None
    points: float
    best_share: float
    layouts: int
    contracts: list[ContractShare]


class SimulatedLayouts(TypedDict):
    asked: int
    found: int
    used: int
    effective_size: float
    acceptance: float
    relaxed: list[str]
    notes: list[str]
    seed: int


class SimulationAnswer(TypedDict):
    best: str
    compared_with: str
    scoring: Literal["imps", "matchpoints", "points"]
    tricks_by: Literal["double dummy", "table of tricks"]
    stopped_because: Literal["layouts", "decided", "time"]
    solved: int
    candidates: list[SimulatedCall]
    layouts: SimulatedLayouts
    elapsed_ms: int


class SystemAnswer(TypedDict):
    name: str
    title: str
    digest: str
    rows: list[list[Any]]
    texts: dict[str, str]
    options: dict[str, bool]
    opponents: str | None
    table: TableName


class SystemChange(TypedDict):
    auction: str
    old: str
    new: str
    old_rule: str
    new_rule: str
    deals: int
    examples: list[str]


class SystemCheckAnswer(TypedDict):
    systems: dict[str, SystemName]
    complaints: list[SystemComplaint]
    result: SystemCheckResult | None


class SystemCheckResult(TypedDict):
    deals: int
    places: list[PlaceSharesAnswer]
    findings: list[SystemFinding]
    findings_total: int
    expanded: int
    entries: int
    by_depth: list[int]


class SystemComplaint(TypedDict):
    system: str
    file: str
    line: int
    column: int
    message: str
    advice: str


class SystemDiffAnswer(TypedDict):
    systems: dict[str, SystemName]
    complaints: list[SystemComplaint]
    result: SystemDiffResult | None


class SystemDiffResult(TypedDict):
    deals: int
    changed: int
    changes: list[SystemChange]
    changes_total: int


class SystemFinding(TypedDict):
    kind: str
    text: str
    deals: int
    examples: list[str]


class SystemName(TypedDict):
    name: str
    title: str
    digest: str
    options: list[OptionAnswer]


class TableAnswer(TypedDict):
    name: str
    digest: str
    profile: Literal["gib", "mlbridge"]
    undescribed: Literal["allow", "pass", "reject"]
    overlays: NotRequired[list[OverlayName]]
    default: bool
    source: str
    system: str | None
    options: list[OptionAnswer]
    reload_errors: list[str]
    entries: int | None
    openings: int | None
    variants: int | None
    described: int | None
    undescribed_entries: int | None
    inserted: int | None
    completed: int | None
    criteria_lists: int | None
    expressions: int | None
    texts: int | None
    bytes: int | None
    extras: list[str]
    user_terms: dict[str, str]


class TableName(TypedDict):
    name: str
    digest: str
    profile: Literal["gib", "mlbridge"]
    undescribed: Literal["allow", "pass", "reject"]
    overlays: NotRequired[list[OverlayName]]


class TablesAnswer(TypedDict):
    tables: list[TableAnswer]
    backend: Literal["reference", "cpu", "cuda"]


class ThemeAnswer(TypedDict):
    name: str
    title: str
    practises: str


class ThemesAnswer(TypedDict):
    themes: list[ThemeAnswer]


class TopicAnswer(TypedDict):
    topic: str
    calls: int
    places: list[list[str]]
    examples: list[TopicDeal]


class TopicDeal(TypedDict):
    deal: str
    dealer: str
    vulnerability: str
    auction: list[str]


class TopicsAnswer(TypedDict):
    topics: list[TopicAnswer]
    table: TableName


class UtilityAnswer(TypedDict):
    contract: str
    scoring: Literal["points", "imps", "matchpoints"]
    value: MeanAnswer
    tricks: MeanAnswer
    points: MeanAnswer
    imps: MeanAnswer | None
    matchpoints: MeanAnswer | None
    made: float
    chances: list[float]
    solved: int


class VariantAnswer(TypedDict):
    name: str
    description: str
    criteria: list[str]
    rank: int | None
    tags: list[str]
    where: str
    source_index: int | None
    count: int | None
    source: str
