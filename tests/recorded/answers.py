"""Answers as they are recorded: what is not the same twice is left out, binary files are read."""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import polars as pl

LEFT_OUT = "…"

_KEYS = (
    "elapsed_ms|elapsed_s|seconds|request_id|version|digest|created|started|ended|bytes|"
    "memory_bytes"
)
_PATTERNS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # what draws a report
        (r"(?s)<style>.*?</style>|<script>.*?</script>|'sha256-[\w+/]+=*'", LEFT_OUT),
        (
            rf'"({_KEYS})":( ?)(?:-?[0-9][0-9.eE+-]*|"[0-9a-zA-Z_.:+ -]*")(?=[,}}\s\]])',
            rf'"\1":\2"{LEFT_OUT}"',
        ),
        (r'"seconds": ?\{[^{}]*\}', f'"seconds": "{LEFT_OUT}"'),
        # digests; not the digits of a number
        (
            r"(?<![.\w])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}|(?=[0-9]*[a-f])[0-9a-f]{16})\b",
            LEFT_OUT,
        ),
        (r"(?m)^bidcascade: .*% done.*\n", ""),
        (r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?", LEFT_OUT),
        # newer versions of Python write choices without quotes
        (
            r"invalid choice: '(.*?)' \(choose from .*?\)",
            r"invalid choice: '\1' (choose from others)",
        ),
        (r"\b\d+(?:\.\d+)? (?:ms|s|µs|min)\b(?! of)", LEFT_OUT),
    )
)


def cleaned(text: str, names: Mapping[str, str]) -> str:
    """Text without what differs from run to run.

    Parameters
    ----------
    text : str
    names : mapping of str to str
        What stands for names that are made anew, as of temporary folders and jobs.
    """
    for name, instead in names.items():
        text = text.replace(name, instead)
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def body_text(kind: str, body: bytes, names: Mapping[str, str]) -> str:
    """Body of an answer: text as it is, tables as their columns and rows."""
    if kind.startswith("application/vnd.apache.arrow.stream"):
        return cleaned(frame_text(pl.read_ipc_stream(io.BytesIO(body))), names)
    if body[:4] == b"PAR1":
        return cleaned(frame_text(pl.read_parquet(io.BytesIO(body))), names)
    if body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(body)) as packed:
            names = packed.namelist()
            return "\n".join(f"{name}: {body_text('', packed.read(name), names)}" for name in names)
    try:
        return cleaned(body.decode(), names)
    except UnicodeDecodeError:
        return f"{len(body)} bytes, sha256 {hashlib.sha256(body).hexdigest()}"


def frame_text(frame: pl.DataFrame) -> str:
    """Columns with their types, and rows as JSON."""
    columns = {name: str(kind) for name, kind in frame.schema.items()}
    rows = (json.dumps(row, ensure_ascii=False, default=_plain) for row in frame.iter_rows())
    return "\n".join((json.dumps(columns), *rows))


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else str(value)


def shape(text: str) -> str:
    """Names and types alone of JSON, or the names of metrics."""
    try:
        value = json.loads(text)
    except ValueError:
        return "\n".join(
            sorted(
                {
                    re.split(r"[ {]", line)[0]
                    for line in text.splitlines()
                    if not line.startswith("#")
                }
            )
        )
    return json.dumps(_shape(value))


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shape(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_shape(one) for one in value[:1]]
    return type(value).__name__
