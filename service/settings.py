"""All settings of the service in one table: names with units, defaults, limits and help.

Environment variables, command-line defaults, validation and ``docs/settings.md`` come from here.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bidcascade.bridge import InvalidInput
from bidcascade.table import named_systems

PREFIX: Final = "BIDCASCADE_"
"""Every setting is read from the environment variable of its name behind this prefix."""

OTHER_VARIABLES: Final = {
    f"{PREFIX}CACHE": "folder for compiled bidding tables",
    f"{PREFIX}CUDA_DEVICE": "number of the GPU that the backend cuda uses (0)",
    f"{PREFIX}CUDA_VARIANT": "how the backend cuda walks a table: hybrid, lists, frontier or walk",
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
        default=(), description="Further tables, separated by commas, each a name or name=path."
    )
    backend: Literal["auto", "reference", "cpu", "cuda"] = Field(
        default="auto", description="Engine; auto takes cuda where it works, else cpu."
    )
    log_level: Literal["debug", "info", "warning", "error", "critical"] = Field(
        default="info", description="Least severe messages that are written to standard error."
    )
    access_log: bool = Field(default=False, description="Write a line for every request.")
    max_request_bytes: int = Field(
        default=32 << 20, ge=1024, description="Longest request body; longer ones are answered 413."
    )
    max_request_deals: int = Field(
        default=100_000, ge=1, description="Most deals in one request; more are answered 413."
    )
    max_limit_auctions: int = Field(
        default=10_000,
        ge=1,
        description="Largest limit, in auctions a deal, that a request may ask for.",
    )
    max_concurrent_requests: int = Field(
        default=256, ge=1, description="Requests worked on at once; further ones are answered 429."
    )
    request_timeout_ms: int = Field(
        default=30_000,
        ge=1,
        description="Longest time for reading the body (else 408), and for working on an answer or "
        "on one part of it (else 504).",
    )
    stream_chunk_deals: int = Field(
        default=500, ge=1, description="Deals whose answers are made at once and sent as one part."
    )
    shutdown_grace_s: int = Field(
        default=20,
        ge=0,
        description="Time that running requests get to end when the service is stopped.",
    )
    cors_origins: _TextList = Field(
        default=(),
        description="Web origins, separated by commas, whose pages may ask; none unless named.",
    )

    @field_validator("extra_tables", "cors_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("log_level", "backend", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_tables(self) -> "Settings":
        self.table_paths()
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


def split_table(written: str) -> tuple[str, str]:
    """Name and path of a table written as a name, a path or ``name=path``.

    A path on its own gives the table the name of its file or folder.

    Examples
    --------
    >>> split_table("sayc"), split_table("tables/precision.jsonl"), split_table("p=tables/x")
    (('sayc', 'sayc'), ('precision', 'tables/precision.jsonl'), ('p', 'tables/x'))
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

    Examples
    --------
    >>> read_settings({"port": 8123, "host": None}).port
    8123
    >>> read_settings({"port": 123456})
    Traceback (most recent call last):
    ...
    bidcascade.bridge.errors.InvalidInput: setting 'port' (BIDCASCADE_PORT): input should be less \
than or equal to 65535, got 123456
    """
    chosen = {name: value for name, value in (given or {}).items() if value is not None}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        raise InvalidInput("; ".join(_complaints(error))) from None


def _complaints(error: ValidationError) -> Iterable[str]:
    for one in error.errors(include_url=False, include_context=False):
        message = one["msg"].removeprefix("Value error, ")
        if not one["loc"]:
            yield f"settings 'table', 'extra_tables': {message}"
            continue
        name = str(one["loc"][0]).removeprefix(PREFIX.lower())
        message = message[:1].lower() + message[1:]
        yield f"setting {name!r} ({PREFIX}{name.upper()}): {message}, got {one['input']!r}"


def unknown_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """Environment variables that look like settings and are none, as after a slip in writing.

    Examples
    --------
    >>> unknown_variables({"BIDCASCADE_PROT": "80", "BIDCASCADE_PORT": "80", "PATH": ""})
    ['BIDCASCADE_PROT']
    """
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | OTHER_VARIABLES.keys()
    names = os.environ if environment is None else environment
    return sorted(
        name for name in names if name.upper().startswith(PREFIX) and name.upper() not in known
    )


def settings_page() -> str:
    """Page of all settings, ``docs/settings.md``.

    Examples
    --------
    >>> print(settings_page().splitlines()[0])
    # Settings
    """
    lines = [
        "# Settings",
        "",
        "Written from `service/settings.py` by `python -m bidcascade.service.settings`. What the "
        "command line says goes before the environment variable, that before the default.",
        "",
        "| setting | variable | default | values | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    properties = Settings.model_json_schema()["properties"]
    for name, field in Settings.model_fields.items():
        cells = (
            f"`{name}`",
            f"`{PREFIX}{name.upper()}`",
            _default_text(field.default),
            _values_text(properties[name]),
            str(field.description),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "Also read from the environment:", "", "| variable | meaning |", "| --- | --- |"]
    lines += (f"| `{name}` | {meaning} |" for name, meaning in OTHER_VARIABLES.items())
    return "\n".join([*lines, ""])


def _default_text(value: object) -> str:
    if value == ():
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"


def _values_text(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "boolean":
        return "`true`, `false`"
    if schema["type"] == "integer":
        low, high = schema["minimum"], schema.get("maximum")
        return f"{low} to {high}" if high is not None else f"from {low}"
    return "list" if schema["type"] == "array" else "text"


if __name__ == "__main__":
    print(settings_page(), end="")
