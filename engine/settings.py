"""All settings of the service in one table: names with units, defaults, limits and help.

Environment variables, command-line defaults, validation and ``docs/settings.md`` come from here.
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bidcascade.bridge import InvalidInput
from bidcascade.systems import named_systems
from bidcascade.systems.auctions.budget import parse_budget
from bidcascade.table import UndescribedPolicy

PREFIX: Final = "BIDCASCADE_"
"""Every setting is read from the environment variable of its name behind this prefix."""

OTHER_VARIABLES: Final = {
    f"{PREFIX}API_KEY": "key that the Python clients send",
    f"{PREFIX}CACHE": "folder for parsed systems, their topics and compiled tables",
    f"{PREFIX}CORE": "build of the core that is loaded instead of the best one: `baseline`, "
    "`x86-64-v3`, `x86-64-v4` or, in a checkout, `sanitized`",
    f"{PREFIX}CUDA_DEVICE": "number of the GPU that the backend cuda uses (0)",
    f"{PREFIX}THREADS": "threads that work at once on the processor, up to 1,024 (one a core)",
    f"{PREFIX}URL": "address of the service that the Python clients ask",
}
"""Variables with the prefix that are read elsewhere."""

TABLE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}")
"""What a table may be called in a request."""

_TextList = Annotated[tuple[str, ...], NoDecode]


class Settings(BaseSettings):
    """Settings of the service, from arguments or else from ``BIDCASCADE_*`` variables.

    Examples
    --------
    >>> settings = Settings(port=0, extra_tables="big=tables/big, old=tables/old")
    >>> settings.table_paths()
    {'sayc': 'sayc', 'big': 'tables/big', 'old': 'tables/old'}
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True
    )

    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on.")
    port: int = Field(
        default=8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one."
    )
    table: str = Field(
        default="sayc",
        min_length=1,
        description="Bidding table for requests that name none: a system of the package, a "
        "system's file (.bidding), a table's folder or file, or name=path.",
    )
    extra_tables: _TextList = Field(
        default=(),
        description="Further tables, separated by commas, each a name or name=path; told of no "
        "table at all, `serve` has every system of the package.",
    )
    overlays: _TextList = Field(
        default=(),
        description="Files of rules, separated by commas, that are laid over the bidding table in "
        "this order; table=path for a table other than the default one.",
    )
    undescribed: _TextList = Field(
        default=(),
        description="What holds where a row has no criteria, for tables that are files of rows: "
        "allow, pass or reject; table=policy for one of them, separated by commas.",
    )
    option: _TextList = Field(
        default=(),
        description="Options of systems' texts that are turned on, separated by commas: NAME, or "
        "NAME=off, for all that have it; table:NAME for one of them.",
    )
    backend: Literal["auto", "reference", "cpu", "cuda"] = Field(
        default="auto", description="Engine; auto takes cuda where it works, else cpu."
    )
    api_keys_file: str = Field(
        default="",
        description="File of API keys, made by `bidcascade api-key`; with it every question needs "
        "one.",
    )
    auth: bool = Field(
        default=True,
        description="Refuse to serve other machines without keys; --no-auth lets everybody ask.",
    )
    mcp: bool = Field(
        default=False,
        description="Answer assistants at /mcp, by the Model Context Protocol; needs the extra "
        "mcp.",
    )
    find_topics: bool = Field(
        default=True,
        description="Find what people can practise with each system before somebody does: seconds "
        "of one processor behind the first start of a version.",
    )
    log_level: Literal["debug", "info", "warning", "error", "critical"] = Field(
        default="info", description="Least severe messages that are written to standard error."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="Lines for people, or one JSON object a line."
    )
    access_log: bool = Field(default=False, description="Write a line for every request.")
    slow_request_ms: int = Field(
        default=1000,
        ge=0,
        description="Requests that take longer get a warning in the log; 0 for none.",
    )
    max_request_bytes: int = Field(
        default=32 << 20, ge=1024, description="Longest request body; longer ones are answered 413."
    )
    max_request_deals: int = Field(
        default=100_000,
        ge=1,
        description="Most deals in one request, or in a file of boards of an archive; more are "
        "answered 413.",
    )
    max_limit_auctions: int = Field(
        default=10_000,
        ge=1,
        description="Largest limit, in auctions a deal, that a request may ask for.",
    )
    max_concurrent_requests: int = Field(
        default=256, ge=1, description="Requests worked on at once; further ones are answered 429."
    )
    max_connections: int = Field(
        default=2000,
        ge=16,
        description="Connections open at once, fewer where the process may have fewer open files; "
        "beyond them the one is closed that has waited longest for its client.",
    )
    max_batch_deals: int = Field(
        default=65_536,
        ge=1,
        description="Most deals of waiting requests that the engine works on at once.",
    )
    max_batch_requests: int = Field(
        default=256, ge=1, description="Most waiting requests that the engine works on at once."
    )
    max_queue_deals: int = Field(
        default=1_000_000,
        ge=1,
        description="Most deals of requests that wait for the engine; further requests are "
        "answered 429.",
    )
    request_timeout_ms: int = Field(
        default=30_000,
        ge=1,
        description="Longest time for reading the body (else 408), and for working on an answer or "
        "on one part of it (else 504).",
    )
    receive_timeout_ms: int = Field(
        default=10_000,
        ge=1,
        description="Longest time for the head of a request and between two pieces of its body, "
        "else 408; the connection is closed then.",
    )
    places_bytes: int = Field(
        default=0,
        ge=0,
        description="Memory for what all systems together know at places of auctions and have "
        "learned from their texts; beyond it half of what one knows at places is dropped, and "
        "worked out again where it is needed; where what was learned takes half of it, the system "
        "that has learned most begins anew. 0 for an eighth of the memory of the machine or its "
        "control group, of which one system takes 384 MiB or an eighth. Each job has as much "
        "again. Commands read the variable too.",
    )
    dd_workers: int = Field(
        default=0,
        ge=0,
        description="Processes that solve deals double dummy, started when they are needed; 0 for "
        "one a core.",
    )
    dd_going_on: int = Field(
        default=4,
        ge=0,
        description="Deals that are solved double dummy to their end when the time of their "
        "request is over, at most so many at once, for whoever asks again; they stand back for "
        "other requests.",
    )
    simulate_double_dummy: bool = Field(
        default=True,
        description="Score simulated calls double dummy; else by the table of tricks.",
    )
    stream_chunk_deals: int = Field(
        default=500, ge=1, description="Deals whose answers are made at once and sent as one part."
    )
    shutdown_grace_s: int = Field(
        default=20,
        ge=0,
        description="Time that running requests get to end when the service is stopped.",
    )
    data_folder: str = Field(
        default="",
        description="Folder for jobs and their files; if not given, the user's data folder, which "
        "is made when the first job comes.",
    )
    archives_folder: str = Field(
        default="",
        description="Folder of the archives; if not given, `archives` in the user's data folder. "
        "Commands read the variable too.",
    )
    max_download_bytes: int = Field(
        default=256 << 20,
        ge=1024,
        description="Longest file of boards of an archive; longer ones are answered 413.",
    )
    jobs_root: str = Field(
        default="",
        description="Folder whose files jobs may read by path; if not given, only uploads.",
    )
    max_upload_bytes: int = Field(
        default=1 << 30,
        ge=1024,
        description="Longest upload for a job; longer ones are answered 413.",
    )
    max_unpacked_bytes: int = Field(
        default=8 << 30,
        ge=1024,
        description="Most bytes that an upload may be unpacked to; more are answered 413.",
    )
    max_data_bytes: int = Field(
        default=64 << 30,
        ge=1024,
        description="Most bytes in the data folder; uploads beyond are answered 507, and jobs that "
        "write more fail.",
    )
    max_running_jobs: int = Field(
        default=2, ge=1, description="Jobs that run at once, each in a process of its own."
    )
    max_queued_jobs: int = Field(
        default=100, ge=0, description="Most jobs that wait; further ones are answered 429."
    )
    job_part_deals: int = Field(
        default=10_000,
        ge=1,
        le=10_000_000,
        description="Most deals of a part of a job: what a stopped job may have to do again.",
    )
    job_retention_hours: int = Field(
        default=168,
        ge=1,
        description="Hours after their end when jobs are removed with their files.",
    )
    cors_origins: _TextList = Field(
        default=(),
        description="Web origins, separated by commas, whose pages may ask; none unless named.",
    )
    allowed_hosts: _TextList = Field(
        default=(),
        description="Names, separated by commas, that the header Host may have besides localhost, "
        "`host` and addresses, else 421; any name if none are given and keys are asked for.",
    )

    trusted_proxies: _TextList = Field(
        default=(),
        description="Addresses or networks, separated by commas, of proxies that are believed whom "
        "they ask for (X-Forwarded-For); none unless named, also not on this machine.",
    )

    @field_validator(
        "extra_tables",
        "overlays",
        "undescribed",
        "option",
        "cors_origins",
        "allowed_hosts",
        "trusted_proxies",
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _check_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            try:
                ip_network(one)
            except ValueError:
                raise ValueError(
                    f"expected addresses or networks such as 10.0.0.0/8, got {one!r}"
                ) from None
        return value

    @field_validator("places_bytes", mode="before")
    @classmethod
    def _budget(cls, value: str | int) -> int:
        return parse_budget(value)

    @field_validator("log_level", "backend", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_tables(self) -> "Settings":
        self.table_paths()
        self.overlay_paths()
        self.undescribed_policies()
        return self

    def table_paths(self) -> dict[str, str]:
        """Names of the tables with what to open for each; the first is the one by default."""
        paths: dict[str, str] = {}
        for written in (self.table, *self.extra_tables):
            name, path = split_table(written)
            if name in paths:
                raise ValueError(f"expected each table once, got {name!r} twice")
            paths[name] = path
        return paths

    def overlay_paths(self) -> dict[str, tuple[str, ...]]:
        """Files of rules for each table that has some, in their order.

        Examples
        --------
        >>> Settings(overlays="fixes.csv,sayc=more.jsonl").overlay_paths()
        {'sayc': ('fixes.csv', 'more.jsonl')}
        """
        names = list(self.table_paths())
        paths: dict[str, tuple[str, ...]] = {}
        for written in self.overlays:
            name, equals, path = written.partition("=")
            if not equals:
                name, path = names[0], written
            if name not in names or not path:
                raise ValueError(
                    f"expected an overlay as path or table=path, with a table of "
                    f"{', '.join(names)}, got {written!r}"
                )
            paths[name] = (*paths.get(name, ()), path)
        return paths

    def undescribed_policies(self) -> dict[str, UndescribedPolicy]:
        """Policy for undescribed entries by table; that of ``""`` is for those not named.

        Examples
        --------
        >>> settings = Settings(extra_tables="a.csv,b.csv", undescribed="reject,b=allow")
        >>> settings.undescribed_policies()
        {'': 'reject', 'b': 'allow'}
        """
        names, policies = list(self.table_paths()), get_args(UndescribedPolicy)
        found: dict[str, UndescribedPolicy] = {}
        for written in self.undescribed:
            name, equals, policy = written.rpartition("=")
            known = next((one for one in policies if one == policy), None)
            if known is None or (bool(equals) and name not in names) or name in found:
                raise ValueError(
                    f"expected undescribed as {', '.join(policies)} or table=policy, "
                    f"with a table of {', '.join(names)}, each once, got {written!r}"
                )
            found[name] = known
        return found


def split_table(written: str) -> tuple[str, str]:
    """Name and path of a table written as a name, a path or ``name=path``.

    A path on its own gives the table the name of its file or folder.
    """
    name, equals, path = written.partition("=")
    if not equals:
        path = written
        name = written if written in named_systems() else Path(written).name.partition(".")[0]
    if not path or TABLE_NAME.fullmatch(name) is None:
        raise ValueError(
            f"expected a table as name=path, with a name of letters, digits, '_', '.' and '-', "
            f"got {written!r}"
        )
    return name, path


def read_settings(given: Mapping[str, Any] | None = None) -> Settings:
    """Read settings from arguments and, for those not given, from the environment.

    Parameters
    ----------
    given : mapping, optional
        Settings by name; ``None`` values count as not given.

    Raises
    ------
    InvalidInput
        If a value is not allowed; the message names the setting, its variable and the value.
    """
    chosen = {name: value for name, value in (given or {}).items() if value is not None}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        raise InvalidInput("; ".join(_complaints(error))) from None


def with_shipped_tables(settings: Settings) -> Settings:
    """Add the other systems of the package where nothing was said about tables.

    Who names a table, or further ones, gets what is named: each more takes seconds and memory.
    """
    if settings.model_fields_set & {"table", "extra_tables"}:
        return settings
    others = tuple(name for name in named_systems() if name != settings.table)
    return settings.model_copy(update={"extra_tables": others})


def _complaints(error: ValidationError) -> Iterable[str]:
    for one in error.errors(include_url=False, include_context=False):
        message = one["msg"].removeprefix("Value error, ")
        if not one["loc"]:
            yield f"settings 'table', 'extra_tables', 'overlays', 'undescribed': {message}"
            continue
        name = str(one["loc"][0]).removeprefix(PREFIX.lower())
        message = message[:1].lower() + message[1:]
        yield f"setting {name!r} ({PREFIX}{name.upper()}): {message}, got {one['input']!r}"


def unknown_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """Environment variables that look like settings and are none, as after a slip in writing."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | OTHER_VARIABLES.keys()
    names = os.environ if environment is None else environment
    return sorted(
        name for name in names if name.upper().startswith(PREFIX) and name.upper() not in known
    )


def default_data_folder() -> Path:
    """Folder for jobs where the settings name none: the user's data folder.

    That is ``$XDG_DATA_HOME/bidcascade`` or ``~/.local/share/bidcascade``, on macOS and Windows the
    usual places there (XDG Base Directory Specification).
    """
    named = os.environ.get("XDG_DATA_HOME")
    if named and Path(named).is_absolute():
        return Path(named) / "bidcascade"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "bidcascade"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "bidcascade"
    return Path.home() / ".local" / "share" / "bidcascade"
