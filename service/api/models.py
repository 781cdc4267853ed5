"""The bodies of requests and answers, field by field, as the API's own documentation shows them."""

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from bidcascade.engine.questions.texts import EXAMPLE_DEAL

_EXAMPLE_DIGEST: Final = "5b866c75b9cdc816293e976051f726f88c0544924cfec14bc8c5a833625a4710"
_POINTS: Final = [15, 17]
_LENGTHS: Final = {"C": [2, 5], "D": [2, 5], "H": [2, 5], "S": [2, 5]}


class Body(BaseModel):
    """What every body keeps to: JSON's own types, and no field that nobody knows."""

    model_config = ConfigDict(strict=True, extra="forbid")


BackendName = Literal["reference", "cpu", "cuda"]


class OverlayName(Body):
    """A file of rules laid over a table."""

    name: str = Field(description="Name of the file.", examples=["fixes.jsonl"])
    sha256: str = Field(description="SHA-256 of the file.", examples=[_EXAMPLE_DIGEST])


class TableName(Body):
    """Which bidding table an answer comes from."""

    name: str = Field(description="Its name in this service.", examples=["sayc"])
    digest: str = Field(
        description="SHA-256 of all that the table, or the text of the system, says; equal ones "
        "have equal digests.",
        examples=[_EXAMPLE_DIGEST],
    )
    profile: Literal["gib", "mlbridge"] = Field(
        description="Definitions of the terms that are used.", examples=["gib"]
    )
    undescribed: Literal["allow", "pass", "reject"] = Field(
        description="What holds where an entry has no criteria: every call, only a pass, none.",
        examples=["pass"],
    )
    overlays: list[OverlayName] = Field(
        default=[],
        description="Rules laid over the table, in their order; absent if there are none.",
        examples=[[]],
    )


class AuctionAnswer(Body):
    """One auction of a deal."""

    calls: list[str] = Field(
        description="The calls from the dealer on: `P X XX 1C … 7N`.",
        examples=[["1N", "P", "3N", "P", "P", "P"]],
    )
    completed: bool = Field(description="Whether the auction is over.", examples=[True])
    entry: int | None = Field(
        description="Entry of the table that the auction ends with; null for systems. In mode "
        "`first` passes by default may follow it; null if the first call already is such a pass.",
        examples=[4711],
    )
    variants: list[str] = Field(
        description="Names (or else descriptions) of the entry's meanings that fit the hand.",
        examples=[["Strong notrump"]],
    )


class DealResult(Body):
    """The auctions of one deal."""

    total: int = Field(
        description="How many auctions there are; with `cut` at least so many.", examples=[12]
    )
    truncated: bool = Field(
        description="Whether more auctions hold than are listed.", examples=[False]
    )
    cut: Literal["limit", "depth", "places"] | None = Field(
        default=None,
        description="Mode `all`: why auctions are not listed. `limit`: there are more than that. "
        "`places`, of a system: not every place that they lead to was looked at; there the auction "
        "of mode `first` is listed all the same.",
        examples=[None],
    )
    auctions: list[AuctionAnswer] = Field(
        description="An auction before its continuations, calls in the table's order of priority."
    )


class AuctionsAnswer(Body):
    """One result for each deal asked about."""

    results: list[DealResult] = Field(description="In the order of the deals.")
    table: TableName
    backend: BackendName = Field(
        description="Engine that worked the answer out; all of them give the same.",
        examples=["cpu"],
    )


class ContractShare(Body):
    """A contract that a call leads to."""

    contract: str = Field(description="With its declarer; `Pass` if passed out.", examples=["4SN"])
    share: float = Field(description="Share of the layouts.", examples=[0.62])


class SimulatedCall(Body):
    """What one call is worth."""

    call: str = Field(description="The call.", examples=["2C"])
    line: bool = Field(
        description="Whether a line of the system makes it with this hand; else it is a natural "
        "call.",
        examples=[True],
    )
    mean: float = Field(description="Its worth by the scoring.", examples=[1.25])
    low: float | None = Field(
        description="The worth is between `low` and `high` with 95 %; null from fewer than two "
        "layouts.",
        examples=[0.4],
    )
    high: float | None = Field(description="See `low`.", examples=[2.1])
    behind: float = Field(
        description="How much less it is worth than the best call, on the layouts that both were "
        "tried on.",
        examples=[0.0],
    )
    behind_error: float | None = Field(
        description="Half the width of the interval of `behind`.", examples=[0.0]
    )
    points: float = Field(description="Mean score of the caller's side.", examples=[420.0])
    best_share: float = Field(
        description="Share of its layouts in which no other call scores more.", examples=[0.7]
    )
    layouts: int = Field(
        description="How many it was tried on: fewer than others if it was surely behind.",
        examples=[100],
    )
    contracts: list[ContractShare] = Field(description="The commonest contracts.")


class SimulatedLayouts(Body):
    """The layouts behind a simulation."""

    asked: int = Field(description="How many were asked for.", examples=[100])
    found: int = Field(description="How many were found.", examples=[100])
    used: int = Field(description="On how many the best call was scored.", examples=[100])
    effective_size: float = Field(
        description="As many layouts of equal weight tell as much.", examples=[100.0]
    )
    acceptance: float = Field(description="Share of dealt layouts that fit.", examples=[0.31])
    relaxed: list[str] = Field(description="What was given up to find them.", examples=[[]])
    notes: list[str] = Field(
        description="Calls that the known hand would not have made.", examples=[[]]
    )
    seed: int = Field(description="Which random numbers.", examples=[0])


class SimulationAnswer(Body):
    """Calls from best to worst, by simulation."""

    best: str = Field(description="The best call.", examples=["2C"])
    compared_with: str = Field(
        description="The call that `imps` and `matchpoints` are against: the system's own, or a "
        "pass.",
        examples=["2C"],
    )
    scoring: Literal["imps", "matchpoints", "points"] = Field(
        description="What calls are judged by.", examples=["imps"]
    )
    tricks_by: Literal["double dummy", "table of tricks"] = Field(
        description="Where the tricks come from.", examples=["double dummy"]
    )
    stopped_because: Literal["layouts", "decided", "time"] = Field(
        description="All layouts were used, one call is clear of all others, or time was over.",
        examples=["layouts"],
    )
    solved: int = Field(description="Contracts that were solved double dummy.", examples=[126])
    candidates: list[SimulatedCall] = Field(description="The calls that were tried.")
    layouts: SimulatedLayouts
    elapsed_ms: int = Field(description="Time that it took.", examples=[950])


class SearchOutcome(Body):
    """A contract that a searched call ends in."""

    contract: str = Field(description="With its declarer; `Pass` if passed out.", examples=["4SN"])
    layouts: float = Field(description="In how many layouts, by weight.", examples=[80.0])
    made: float = Field(
        description="In how many of them it is made; by the table of tricks what may be expected.",
        examples=[61.4],
    )


class SearchedCallAnswer(Body):
    """What one call is worth against the system's own."""

    call: str = Field(description="The call.", examples=["4S"])
    missed: int | None = Field(
        description="Points by which the hand misses its line: 0 if one holds; null for a pass "
        "that no line makes.",
        examples=[1],
    )
    gain: float = Field(
        description="IMPs a layout more than the system's own call.", examples=[1.24]
    )
    error: float | None = Field(
        description="Standard error of that; null from fewer than two layouts.", examples=[0.31]
    )
    points: float = Field(description="Mean score of the caller's side.", examples=[310.0])
    outcomes: list[SearchOutcome] = Field(description="The commonest contracts.")


class SearchedLayouts(Body):
    """The layouts behind a search."""

    asked: int = Field(description="How many at most.", examples=[100])
    used: int = Field(description="How many were used.", examples=[100])
    seed: int = Field(description="Which random numbers.", examples=[0])


class SearchAnswer(Body):
    """The call that a search makes, and why."""

    call: str = Field(description="The call to make.", examples=["4S"])
    own: str = Field(description="The system's call.", examples=["3S"])
    kind: Literal["opening", "uncontested", "slam", "competitive", "defensive"] = Field(
        description="What kind of decision it is.", examples=["uncontested"]
    )
    why: str = Field(
        description="In plain words: what both calls are worth, or why nothing was searched.",
        examples=["not searched: no other line is near"],
    )
    candidates: list[SearchedCallAnswer] = Field(
        description="The system's call, then the others from best to worst; none if nothing was "
        "searched."
    )
    layouts: SearchedLayouts
    solved: int = Field(
        description="Layouts of which contracts were solved double dummy.", examples=[0]
    )
    stopped_because: Literal["layouts", "decided", "time", "not searched"] = Field(
        description="All layouts were used, no other call could come out ahead, time was over, or "
        "there was nothing to search.",
        examples=["layouts"],
    )
    elapsed_ms: int = Field(description="Time that it took.", examples=[180])


class CriterionCheck(Body):
    """One condition, with the hand's own value."""

    expression: str = Field(description="The condition.", examples=["SL_H >= 4"])
    value: Any = Field(
        description="The hand's value of the term; where the condition names several, each by "
        "name; null where there is nothing to measure.",
        examples=[3],
    )
    holds: bool = Field(description="Whether the hand meets it.", examples=[False])


class CandidateAnswer(Body):
    """One meaning of a call that may be made here."""

    call: str = Field(description="The call.", examples=["2C"])
    entry: int | None = Field(
        description="Entry of the table; null for a line of a system.",
        examples=[534],
    )
    name: str = Field(description="Its name, empty if it has none.", examples=["Stayman"])
    description: str = Field(
        description="What it means.", examples=["Asks for a four-card major; 8+ HCP"]
    )
    where: str = Field(
        description="File and line of the text or rules that it is from, else empty.",
        examples=["sayc.bidding:31"],
    )
    holds: bool = Field(description="Whether the hand meets all conditions.", examples=[False])
    criteria: list[CriterionCheck] = Field(description="Its conditions, joined by AND.")
    agreements: list[str] = Field(
        description="What is agreed about it: `forcing`, `artificial`, `#stayman` …; in a table "
        "of no system the row's tags.",
        examples=[["artificial", "forcing", "#stayman"]],
    )
    taken_by: str | None = Field(
        description="The earlier candidate that makes the call although this one holds as well; "
        "else null.",
        examples=["1N Strong notrump (sayc.bidding:12)"],
    )


class BidAnswer(Body):
    """The call that the table or its system makes, and every candidate with its conditions."""

    call: str = Field(description="The call.", examples=["3N"])
    name: str = Field(description="Name of the rule, empty if none.", examples=["To play"])
    description: str = Field(
        description="What the rule says.", examples=["Game on points, no major; 10-15 HCP"]
    )
    entry: int | None = Field(
        description="Entry of the table; null where the table does not have the call, and of a "
        "system.",
        examples=[537],
    )
    where: str = Field(
        description="File and line of the text or rules that it is from, else empty.",
        examples=["sayc.bidding:31"],
    )
    candidates: list[CandidateAnswer] = Field(
        description="All meanings of the calls at this place, in order of priority: the first one "
        "that holds is made."
    )
    default_pass: bool = Field(
        description="Whether it is a pass because no candidate holds.", examples=[False]
    )
    note: str = Field(description="Why it is a pass by default, else empty.", examples=[""])
    agreements: list[str] = Field(
        description="What is agreed about the call: `forcing`, `artificial`, `#stayman` …; in a "
        "table of no system the row's tags.",
        examples=[["artificial", "forcing", "#stayman"]],
    )
    forced: bool | None = Field(
        description="Whether partner's call asks for an answer; null where the table is of no "
        "system.",
        examples=[False],
    )
    simulation: SimulationAnswer | None = Field(
        default=None,
        description="How the call was simulated; absent where it was not. `call` is then the best "
        "one, and `note` says so.",
    )
    search: SearchAnswer | None = Field(
        default=None,
        description="How the call was searched; absent where it was not. `call` is then the one "
        "that the search makes, and `note` says why.",
    )
    table: TableName
    backend: BackendName = Field(
        description="Engine of the service; one call is explained by the definition itself.",
        examples=["cpu"],
    )


class OptionAnswer(Body):
    """An option of a system's text, in players' words."""

    name: str = Field(description="Its name, for `options` of requests.", examples=["weak-notrump"])
    title: str = Field(description="What players call it.", examples=["Weak notrump"])
    about: str = Field(
        description="A line of what it is; may be empty.",
        examples=["One notrump opens 12-14 balanced; 15-17 rebid in notrump"],
    )
    on: bool = Field(
        description="Whether it holds: it is on, and its lines count.", examples=[False]
    )
    within: dict[str, bool] = Field(
        description="Options that its lines stand in, and whether each has to be on for that. Who "
        "turns the option on turns them with it.",
        examples=[{}],
    )


class TableAnswer(TableName):
    """A bidding table in numbers, which are null of a system: it is not counted out."""

    default: bool = Field(
        description="Whether requests that name no table use this one.", examples=[True]
    )
    source: str = Field(
        description="Where its rows are from, or which system it is.",
        examples=["system sayc"],
    )
    system: str | None = Field(
        description="Title of the system, null if it is of none.",
        examples=["Standard American Yellow Card"],
    )
    options: list[OptionAnswer] = Field(
        description="Options of the system's text in its order; empty if it is of none."
    )
    reload_errors: list[str] = Field(
        description="Why it could not be loaded anew, with file and line; what answers is the "
        "last good one. Empty if all is well.",
        examples=[[]],
    )
    entries: int | None = Field(description="Calls in their auctions.", examples=[27832])
    openings: int | None = Field(description="Entries without a call before.", examples=[17])
    variants: int | None = Field(description="Meanings beyond an entry's first.", examples=[381])
    described: int | None = Field(description="Entries with criteria.", examples=[8308])
    undescribed_entries: int | None = Field(description="Entries without.", examples=[19524])
    inserted: int | None = Field(
        description="Entries that no row stood for, put in because a row names them.", examples=[0]
    )
    completed: int | None = Field(description="Entries that end an auction.", examples=[6432])
    criteria_lists: int | None = Field(description="Distinct lists of criteria.", examples=[576])
    expressions: int | None = Field(description="Distinct expressions.", examples=[209])
    texts: int | None = Field(description="Distinct texts.", examples=[647])
    bytes: int | None = Field(description="Size of its arrays.", examples=[617446])
    extras: list[str] = Field(
        description="Names of the frames that go with it, as after mining.",
        examples=[["announcements"]],
    )
    user_terms: dict[str, str] = Field(
        description="Terms of its own, with their formulas.", examples=[{"Strength": "HCP + SL_S"}]
    )


class TablesAnswer(Body):
    """The bidding tables of this service."""

    tables: list[TableAnswer] = Field(description="The default table first.")
    backend: BackendName = Field(description="Engine of the service.", examples=["cpu"])


class ReloadAnswer(Body):
    """A table that was loaded anew."""

    changed: bool = Field(
        description="Whether its digest is another one than before.", examples=[True]
    )
    table: TableName = Field(description="The table that answers from now on.")


class VariantAnswer(Body):
    """One meaning of an entry."""

    name: str = Field(description="Its name, empty if none.", examples=["Stayman"])
    description: str = Field(
        description="What it means.", examples=["Asks for a four-card major; 8+ HCP"]
    )
    criteria: list[str] = Field(
        description="Conditions, joined by AND; none: undescribed.",
        examples=[["HCP >= 8", "SL_H == 4 or SL_S == 4"]],
    )
    rank: int | None = Field(description="Rank that its row gave, null if none.", examples=[None])
    tags: list[str] = Field(description="Tags of its row.", examples=[["forcing"]])
    where: str = Field(
        description="File and line of the text or rules that it is from, else empty.",
        examples=["sayc.bidding:31"],
    )
    source_index: int | None = Field(
        description="Index that its row gave, null if none.", examples=[None]
    )
    count: int | None = Field(
        description="How often the call was made, in a mined table, else null.", examples=[None]
    )
    source: str = Field(
        description="What its meaning was taken from, as `announcement`; empty if its row does "
        "not say.",
        examples=[""],
    )


class EntryAnswer(Body):
    """One call that may follow."""

    call: str = Field(description="The call.", examples=["2C"])
    entry: int | None = Field(
        description="Entry of the table; null for a line of a system.",
        examples=[534],
    )
    completed: bool = Field(description="Whether it ends the auction.", examples=[False])
    can_complete: bool = Field(
        description="Whether the table goes on from here to the end of some auction.",
        examples=[True],
    )
    inserted: bool = Field(
        description="Whether no row stood for it and it was put in for a row below.",
        examples=[False],
    )
    next: int = Field(
        description="How many calls may follow it.",
        examples=[4],
    )
    variants: list[VariantAnswer] = Field(description="Its meanings; it holds if one does.")


class NextAnswer(Body):
    """The entries at one place of a table."""

    auction: list[str] = Field(description="The calls so far.", examples=[["1N", "P"]])
    entry: int | None = Field(
        description="Entry that these calls end with; null before the first call, and of a system.",
        examples=[529],
    )
    completed: bool = Field(description="Whether the auction is over.", examples=[False])
    forced: bool | None = Field(
        description="Whether partner's call asks for an answer; null where the table is of no "
        "system.",
        examples=[False],
    )
    entries: list[EntryAnswer] = Field(description="In order of priority.")
    table: TableName


class HandTypeAnswer(Body):
    """One kind of hand that makes a call."""

    name: str = Field(description="Of its line, empty if none.", examples=["Strong notrump"])
    where: str = Field(description="File and line.", examples=["sayc.bidding:12"])
    share: float = Field(
        description="Part of the hands that fit what the player has shown, 0 to 1.", examples=[1.0]
    )
    points: list[int] = Field(description="Least and most points.", examples=[_POINTS])
    lengths: dict[str, list[int]] = Field(
        description="Least and most cards of each suit.", examples=[_LENGTHS]
    )


class ExplainedCallAnswer(Body):
    """One call, and what its player has shown with it and before."""

    call: str = Field(description="The call.", examples=["1N"])
    player: int = Field(description="Who made it, counted from the dealer.", examples=[0])
    sentence: str = Field(
        description="What a player would say if asked.",
        examples=["Strong notrump: 15-17 points, balanced"],
    )
    known: bool = Field(description="Whether the system has a line for it.", examples=[True])
    agreements: list[str] = Field(
        description="`forcing`, `artificial`, `#stayman` …", examples=[["limited"]]
    )
    hand_types: list[HandTypeAnswer] = Field(description="The kinds of hand that make this call.")
    points: list[int] = Field(
        description="Least and most points that are promised now.", examples=[_POINTS]
    )
    every_points: list[int] = Field(
        description="Least and most points of all hands that call so, of light ones with long "
        "suits too.",
        examples=[_POINTS],
    )
    lengths: dict[str, list[int]] = Field(
        description="Least and most cards of each suit that are known now.", examples=[_LENGTHS]
    )
    also: dict[str, list[int]] = Field(
        description="Bounds of further terms.", examples=[{"Aces": [1, 1]}]
    )
    share: float = Field(
        description="Part of all hands that fit what the player has shown, 0 to 1.", examples=[0.04]
    )


class OfferedCallAnswer(Body):
    """One call that the next player may choose."""

    call: str = Field(description="The call.", examples=["2C"])
    name: str = Field(description="Of its first line.", examples=["Stayman"])
    where: str = Field(description="File and line.", examples=["notrump.bidding:8"])


class ExplainAnswer(Body):
    """An auction explained call by call."""

    auction: list[str] = Field(description="The calls.", examples=[["1N", "P"]])
    calls: list[ExplainedCallAnswer] = Field(description="Each with what it has shown.")
    forced: bool = Field(description="Whether the next player may not pass.", examples=[False])
    game_forced: bool = Field(
        description="Whether the next player's side has to reach game.", examples=[False]
    )
    agreed_suit: str | None = Field(
        description="Trumps of the next player's side as far as agreed, `C D H S`.", examples=["H"]
    )
    next_calls: list[OfferedCallAnswer] = Field(
        description="What the next player has to choose from, in order of priority."
    )
    table: TableName


class SystemAnswer(Body):
    """A system as the engine of the browser reads it."""

    name: str = Field(description="Of the table.", examples=["sayc"])
    title: str = Field(description="Of the system.", examples=["Standard American Yellow Card"])
    digest: str = Field(
        description="SHA-256 of all that the text says, as that of a table over which nothing is "
        "laid.",
        examples=[_EXAMPLE_DIGEST],
    )
    rows: list[list[Any]] = Field(
        description="The tree of its text: objects `[class, field, …]`, in which the number of a "
        "row, from 1, stands for its object. The last one is the system.",
        examples=[[[8, "sayc.bidding", 24, 3]]],
    )
    texts: dict[str, str] = Field(
        description="All files that were read, by name, the system's own first.",
        examples=[{"sayc.bidding": "system Standard American Yellow Card"}],
    )
    options: dict[str, bool] = Field(
        description="Options of the text, and whether they hold.", examples=[{}]
    )
    opponents: str | None = Field(
        description="Table that the text names for the other side; null if it names none.",
        examples=[None],
    )
    table: TableName


class TopicDeal(Body):
    """A deal on which a call of a topic is made."""

    deal: str = Field(description="PBN text, North's hand first.", examples=[EXAMPLE_DEAL])
    dealer: str = Field(description="Who dealt.", examples=["N"])
    vulnerability: str = Field(description="Who is vulnerable.", examples=["None"])
    auction: list[str] = Field(
        description="The calls after which the system makes it.", examples=[["1N", "P"]]
    )


class TopicAnswer(Body):
    """What some calls have in common."""

    topic: str = Field(description="A tag, or the name of calls.", examples=["#stayman"])
    calls: int = Field(description="Entries of the table that have it.", examples=[77])
    places: list[list[str]] = Field(
        description="Auctions after which such a call may come, the shortest first; some of them.",
        examples=[[["1N", "P"], ["2N", "P"]]],
    )
    examples: list[TopicDeal] = Field(
        description="Random deals on which a system makes such a call, few or none of those that "
        "are rare; of a table none.",
    )


class TopicsAnswer(Body):
    """What a table is about."""

    topics: list[TopicAnswer] = Field(description="By name, tags first.")
    table: TableName


class FindingAnswer(Body):
    """Findings of one kind."""

    meaning: str = Field(description="What is found.", examples=["rows that no hand can fit"])
    count: int = Field(description="How often.", examples=[1])
    examples: list[dict[str, Any]] = Field(
        description="Some of the places, with `entry`, `auction` and `detail` as far as known.",
        examples=[[{"entry": 3, "auction": "1C", "detail": "no hand fits HCP >= 9 and HCP < 9"}]],
    )


class LintAnswer(Body):
    """What is wrong or worth a look in a table."""

    entries: int = Field(description="Entries looked at.", examples=[27832])
    deals: int | None = Field(description="Deals it was tried on, null if none.", examples=[None])
    findings: dict[str, FindingAnswer] = Field(description="Findings by kind.")
    table: TableName


class HealthAnswer(Body):
    """The process is there."""

    status: Literal["ok"] = Field(description="Always `ok`.", examples=["ok"])
    version: str = Field(description="Version of bidcascade.", examples=["0.1.0"])


class ReadyAnswer(Body):
    """The service answers, and answers right."""

    status: Literal["ready"] = Field(description="Always `ready`.", examples=["ready"])
    backend: BackendName = Field(description="Engine that gave the known answer.", examples=["cpu"])
    tables: list[str] = Field(description="Tables that are loaded.", examples=[["sayc"]])
    started_in_ms: int = Field(
        description="From the start of loading to ready, in milliseconds.", examples=[2150]
    )
    warm: bool = Field(
        description="Whether each kind of question was answered once. Until then answers may take "
        "a little longer; on a GPU some wait for its kernels to be compiled.",
        examples=[True],
    )
    warmed: int = Field(
        description="How many of the tables answer at full speed already.", examples=[1]
    )
    reload_errors: dict[str, list[str]] = Field(
        description="Tables that could not be loaded anew, with the reasons; their last good "
        "versions answer.",
        examples=[{}],
    )


class FieldErrorAnswer(Body):
    """One field at fault."""

    field: str = Field(description="Where it stands.", examples=["deals[0].hands[2]"])
    value: Any = Field(description="What it holds, shortened.", examples=["AKQ.AKQ.AKQ.AKQ"])
    reason: str = Field(
        description="Why that is wrong.",
        examples=["expected 13 cards, got 12 in hand 'AKQ.AKQ.AKQ.AKQ'"],
    )


class ProblemAnswer(Body):
    """An error (RFC 9457)."""

    type: str = Field(
        description="Kind of problem.", examples=["urn:bidcascade:problem:invalid-request"]
    )
    title: str = Field(
        description="The kind in words.", examples=["Something in the request is wrong"]
    )
    status: int = Field(description="The HTTP status.", examples=[422])
    detail: str = Field(
        description="What went wrong this time.",
        examples=["deals[0].hands[2]: expected 13 cards, got 12 in hand 'AKQ.AKQ.AKQ.AKQ'"],
    )
    instance: str = Field(description="Path of the request.", examples=["/v1/auctions"])
    request_id: str = Field(
        description="Header `X-Request-Id` of request or answer.", examples=["8f2c1e0a9b7d6c54"]
    )
    errors: list[FieldErrorAnswer] = Field(
        description="The fields at fault, at most 20; empty where no field is."
    )
