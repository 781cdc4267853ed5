"""Jobs of a service: what is asked of one, and how it stands."""

from typing import Literal

from bidcascade.engine.questions.parts.answer_fields import answer, answer_field
from bidcascade.engine.questions.parts.fields import question, question_field
from bidcascade.engine.questions.parts.texts import TABLE_TEXT, Word

ResultForm = Literal["parquet", "jsonl", "pbn"]
JobMode = Literal["first", "all", "counts", "par", "archive"]
MODE_TEXT = (
    "`first`: the one auction that the table bids for each board. `all`: every auction that it "
    "allows. `counts`: how many boards reach each entry of the table. `par`: how far from par the "
    "boards end as a system bids them, and as the players did. `archive`: the boards come into an "
    "archive of the service."
)
ARCHIVE_TEXT = "Mode `archive`: name of the archive, which is made if it is not there."
BESIDE_TEXT = "Mode `par`: other systems of the service, measured on the same boards."
MOST_BESIDE = 9
RESULT_TEXT = (
    "Forms of the files to download: `parquet`, `jsonl` (JSON Lines), `pbn` (mode `first`: the "
    "boards with the table's auction, its calls explained). Modes `par` and `archive` have files "
    "of their own."
)
COMPLETED_TEXT = "Mode `all`: only auctions that are complete."
LIMIT_TEXT = "Mode `all`: at most so many auctions of a board; of a system 1,000 if not given."
DEPTH_TEXT = "Mode `all`: only auctions of at most so many calls."
MOST_LISTED = 2**31 - 1
TEXT_TEXT = (
    "Modes `first` and `all`: the hands as text as well (`hands`), and in Parquet of mode `first` "
    "the auctions (`calls`, `source_calls`)."
)


@question
class JobRequest:
    """A job about files that lie on the server."""

    path: str = question_field(
        min_length=1,
        max_length=1000,
        description="A file, a folder or a pattern below the folder of the setting `jobs_root`, "
        "with `/` between the parts.",
        examples=["season/*.lin"],
    )
    table: Word | None = question_field(default=None, description=TABLE_TEXT, examples=["sayc"])
    mode: JobMode = question_field(default="first", description=MODE_TEXT, examples=["first"])
    beside: tuple[Word, ...] = question_field(
        default=(), max_length=MOST_BESIDE, description=BESIDE_TEXT, examples=[[]]
    )
    archive: Word | None = question_field(default=None, description=ARCHIVE_TEXT, examples=[None])
    completed_only: bool = question_field(
        default=False, description=COMPLETED_TEXT, examples=[False]
    )
    limit: int | None = question_field(
        default=None, ge=1, le=MOST_LISTED, description=LIMIT_TEXT, examples=[100]
    )
    max_depth: int | None = question_field(
        default=None, ge=1, le=MOST_LISTED, description=DEPTH_TEXT, examples=[8]
    )
    text: bool = question_field(default=False, description=TEXT_TEXT, examples=[False])
    # a list where one at least is wanted, as of deals
    result: list[ResultForm] = question_field(
        default=("parquet",),
        min_length=1,
        max_length=3,
        description=RESULT_TEXT,
        examples=[["parquet", "pbn"]],
    )


# --- answers --------------------------------------------------------------------------------------


@answer
class JobProgress:
    """How far a job is."""

    boards: int = answer_field(description="Boards answered so far.", examples=[200_000])
    of: int | None = answer_field(
        description="Boards in all; null while that is not known, as of LIN and PBN.",
        examples=[1_000_000],
    )
    rejects: int = answer_field(description="Records so far that are no deals.", examples=[3])


@answer
class JobResult:
    """A file to download from `/v1/jobs/{id}/results/{name}`."""

    name: str = answer_field(description="Its name.", examples=["auctions.parquet"])
    bytes: int = answer_field(description="Its length.", examples=[7_340_032])
    media_type: str = answer_field(
        description="Its media type.", examples=["application/vnd.apache.parquet"]
    )


@answer
class JobAnswer:
    """A job as it stands."""

    id: str = answer_field(description="Its id.", examples=["5f0c1d3a9b2e4c77"])
    state: Literal["queued", "running", "done", "failed", "cancelled"] = answer_field(
        description="`queued` and `running` go on, also after the service was started anew; the "
        "others are the end.",
        examples=["running"],
    )
    table: str = answer_field(
        description="Bidding table that it is answered from; empty with mode `archive`.",
        examples=["sayc"],
    )
    digest: str = answer_field(
        description="Digest of the table or system when the job came; empty with mode `archive`.",
        examples=["05b8a1f2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abc"],
    )
    mode: JobMode = answer_field(description="What is asked of it.", examples=["first"])
    beside: tuple[str, ...] = answer_field(description=BESIDE_TEXT, examples=[["acol"]])
    archive: str | None = answer_field(
        description="Mode `archive`: the archive that the boards come into.", examples=["club"]
    )
    input: str = answer_field(
        description="Name of the upload, or the path below `jobs_root`.", examples=["season.zip"]
    )
    created: str = answer_field(
        description="When it came (UTC, RFC 3339).", examples=["2026-05-02T19:30:00.125Z"]
    )
    started: str | None = answer_field(
        description="When it was first begun.", examples=["2026-05-02T19:30:00.250Z"]
    )
    ended: str | None = answer_field(
        description="When it ended; it is removed `job_retention_hours` later.",
        examples=["2026-05-02T19:31:10.500Z"],
    )
    progress: JobProgress = answer_field(description="How far it is.")
    results: tuple[JobResult, ...] = answer_field(description="Files to download, once it is done.")
    error: str | None = answer_field(
        description="Why it failed.", examples=["expected deals, got none and 1 rejects"]
    )


@answer
class JobsAnswer:
    """Some jobs, the newest first."""

    jobs: tuple[JobAnswer, ...] = answer_field(description="The jobs.")
    next: str | None = answer_field(
        description="Parameter `next` of the request for those that follow; null at the end.",
        examples=["MTc"],
    )
