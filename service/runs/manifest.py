"""The manifest of a batch job: what was asked of which inputs, and which parts are written.

It is the truth about the folder: a file that it does not name is left over from an interrupted run
and counts for nothing. It is replaced as a whole after each part.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from bidcascade.bridge import InvalidInput
from bidcascade.loaders.inputs import Source
from bidcascade.loaders.whole_files import write_json
from bidcascade.service.version import package_version

MANIFEST: Final = "manifest.json"
FORMAT: Final = "bidcascade batch"
VERSION: Final = 1
_LONGEST: Final = 1 << 30


@dataclass(slots=True)
class Position:
    """Where the next part begins: all that comes before a source is written, and some behind it.

    Parameters
    ----------
    source : int
        Number (from 0) of a source that reading can begin at.
    boards, rejects : int
        How many boards and rejects from there on are written.

    Examples
    --------
    >>> position = Position()
    >>> position.add(0, 500, 3)
    >>> position.add(7, 200, 0)
    >>> position
    Position(source=7, boards=200, rejects=0)
    """

    source: int = 0
    boards: int = 0
    rejects: int = 0

    def add(self, source: int, boards: int, rejects: int) -> None:
        """Count boards and rejects read from a source on; all that comes before it is counted."""
        if source != self.source:
            self.source, self.boards, self.rejects = source, 0, 0
        self.boards += boards
        self.rejects += rejects


@dataclass(slots=True)
class Part:
    """One written part: its size, and its files with their lengths in bytes."""

    number: int
    boards: int
    rejects: int
    rows: int
    backend: str
    files: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Manifest:
    """What ``manifest.json`` holds.

    ``inputs`` has path, bytes and SHA-256 of each source; the last is null for standard input.
    ``counts`` names the file with the sums so far in mode ``counts``. ``results`` are the files
    written at the very end, when ``finished`` becomes true.
    """

    table: dict[str, Any]
    options: dict[str, Any]
    inputs: list[dict[str, Any]]
    parts: list[Part] = field(default_factory=list)
    position: Position = field(default_factory=Position)
    counts: str | None = None
    results: dict[str, int] = field(default_factory=dict)
    finished: bool = False
    version: str = field(default_factory=package_version)

    @property
    def boards(self) -> int:
        """Boards answered so far."""
        return sum(part.boards for part in self.parts)

    @property
    def rejects(self) -> int:
        """Records refused so far."""
        return sum(part.rejects for part in self.parts)

    @property
    def rows(self) -> int:
        """Rows of answers so far."""
        return sum(part.rows for part in self.parts)

    def files(self) -> dict[str, int]:
        """All files that count, with their lengths in bytes."""
        named = {name: size for part in self.parts for name, size in part.files.items()}
        return named | self.results

    def write(self, folder: Path) -> None:
        """Replace the manifest in a folder."""
        head = {"format": FORMAT, "format_version": VERSION}
        totals = {"boards": self.boards, "rejects": self.rejects, "rows": self.rows}
        write_json(head | asdict(self) | {"totals": totals}, folder / MANIFEST)

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read the manifest of a folder.

        Raises
        ------
        InvalidInput
            If it is none, or of another version.
        """
        path = folder / MANIFEST
        value = read_state(path, "manifest", "a batch", FORMAT, "format_version", VERSION)
        try:
            parts = [_part(part) for part in value.pop("parts")]
            position = Position(**value.pop("position"))
            del value["totals"]
            # batches of before: parts of one size, and no auctions of the sources
            options = value.pop("options")
            options.setdefault("text", None)
            options.pop("part_deals", None)
            return cls(options=options, parts=parts, position=position, **value)
        except (TypeError, KeyError) as error:
            raise InvalidInput(f"damaged manifest {str(path)!r}: {error}") from None

    def check_same_job(self, other: "Manifest") -> None:
        """Check that a run to be resumed was asked for the same.

        Raises
        ------
        InvalidInput
            If table, options or inputs differ; says what.
        """
        for what in ("digest", "profile", "undescribed"):
            if self.table[what] != other.table[what]:
                raise _differs(f"table {what}", self.table[what], other.table[what])
        # batches of before do not have all options
        for name in {**self.options, **other.options}:
            before, now = self.options.get(name), other.options.get(name)
            if (before or None) != (now or None):
                raise _differs(f"option {name}", before, now)
        if len(self.inputs) != len(other.inputs):
            raise _differs("number of inputs", len(self.inputs), len(other.inputs))
        for first, given in zip(self.inputs, other.inputs, strict=True):
            if first["sha256"] is None:
                raise InvalidInput("a batch that reads standard input cannot be resumed")
            if first["path"] != given["path"]:
                raise _differs("input", first["path"], given["path"])
            if first["sha256"] != given["sha256"]:
                raise InvalidInput(
                    f"cannot resume: {first['path']!r} has changed since the batch began"
                )


def read_state(
    path: Path, noun: str, of: str, form: str, version_name: str, version: int
) -> dict[str, Any]:
    """Read what a folder of interrupted work says about itself, without format and version.

    Raises
    ------
    InvalidInput
        If it cannot be read, or is something else or of another version.
    """
    try:
        if path.stat().st_size > _LONGEST:
            raise InvalidInput(f"expected a {noun}, got {path.stat().st_size} bytes in {path}")
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"cannot read the {noun} {str(path)!r}: {error}") from None
    if not isinstance(value, dict) or value.pop("format", None) != form:
        raise InvalidInput(f"expected the {noun} of {of} in {str(path)!r}")
    if value.pop(version_name, None) != version:
        raise InvalidInput(f"expected a {noun} of version {version} in {str(path)!r}")
    return value


def _part(value: dict[str, Any]) -> Part:
    """Part as it is written; ``left_table`` is what batches of before counted."""
    known = {**value}
    known.pop("left_table", None)
    return Part(**known)


def _differs(what: str, before: object, now: object) -> InvalidInput:
    return InvalidInput(f"cannot resume with another {what}: {before!r} before, {now!r} now")


def describe_inputs(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Path, bytes and SHA-256 of each source; sizes and digests of what is read once are null."""
    return [
        {
            "path": source.name,
            "bytes": None if source.is_stream else source.size,
            "sha256": _sha256(source),
        }
        for source in sources
    ]


def _sha256(source: Source) -> str | None:
    if source.is_stream:
        return None
    refusal = source.refusal
    try:
        if not refusal:
            with source.open() as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        if source.member is None:
            raise InvalidInput(f"cannot read {source.name!r}: {error.strerror}") from None
        refusal = str(error.strerror)
    # a reject of its own, whatever others are refused for
    return hashlib.sha256(f"{source.name}\n{refusal}".encode()).hexdigest()


def distinct_sources(sources: Sequence[Source]) -> tuple[list[Source], int]:
    """Order sources by name, those with the same contents once; and say how many were left out."""
    ordered = sorted(sources, key=lambda source: source.name)
    found: dict[str, Source] = {}
    for number, (source, about) in enumerate(zip(ordered, describe_inputs(ordered), strict=True)):
        # what can be read only once has no digest
        found.setdefault(about["sha256"] or f"input {number}", source)
    return list(found.values()), len(ordered) - len(found)
