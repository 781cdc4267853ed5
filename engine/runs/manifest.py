"""The manifest of a run: what was asked of which inputs, how far it is, which files count.

Batches, exports, mining, learning, vetting and archives have the same one. It is the truth about
the folder of a run (see ``run_folder``): a file that it does not name is left over from an
interrupted step and counts for nothing. It is replaced as a whole after each step.

    format, format_version, version   of this file; of the package that began the run
    work                              one of WORKS
    table, options, inputs            what was asked: another run is not resumed from it
    position                          where reading goes on
    parts                             what is written, each with its files and their bytes
    state, state_files                what adds up on the way, as values and in files
    results, finished                 files that are written at the end
    totals                            for people: sums over the parts
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from bidcascade.bridge import InvalidInput
from bidcascade.kernels.machine.bounded_files import read_bounded
from bidcascade.loaders.files.whole_files import write_json
from bidcascade.loaders.inputs import Source
from bidcascade.version import package_version

MANIFEST: Final = "manifest.json"
FORMAT: Final = "bidcascade run"
VERSION: Final = 1
WORKS: Final = {
    "batch": "a batch",
    "export": "an export",
    "mining": "a mining run",
    "learning": "a learning run",
    "vetting": "a vetting",
    "archive": "an archive",
}
"""Kinds of runs, and what an error calls each."""
LISTED: Final = "inputs.parquet"
"""File in which a run lists inputs that may be millions: :data:`INPUT_SCHEMA`."""
INPUT_SCHEMA: Final = pl.Schema(
    {"entry": pl.UInt32(), "path": pl.String(), "bytes": pl.UInt64(), "sha256": pl.String()}
)
"""Columns of lists of inputs; ``entry`` is null, for the extra of a table that it becomes."""
_LONGEST: Final = 32 << 20
"""Bytes of a manifest: one of a hundred thousand files has twenty million."""
_MOST_VALUES: Final = 1_000_000
"""Values in it, of which each takes a hundred bytes of memory."""
_FILES_AT_ONCE: Final = 10_000


@dataclass(slots=True)
class RunPosition:
    """Where the next part begins: all that comes before a source is written, and some behind it.

    Parameters
    ----------
    source : int
        Number (from 0) of a source that reading can begin at.
    boards, rejects : int
        How many boards and rejects from there on are written.

    Examples
    --------
    >>> position = RunPosition()
    >>> position.add(0, 500, 3)
    >>> position.add(7, 200, 0)
    >>> position
    RunPosition(source=7, boards=200, rejects=0)
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
class RunPart:
    """One written part: its size, and its files with their lengths in bytes.

    Parameters
    ----------
    number : int
    boards, rejects, rows : int
        Records read, and rows written of them.
    backend : str
        Who worked it out; empty where that makes no difference.
    files : dict of str to int
        Names in the folder, with ``/`` below it, and bytes.
    sums : dict of str to int
        Checksums (CRC-32) of files that are mapped into memory later.
    """

    number: int
    boards: int = 0
    rejects: int = 0
    rows: int = 0
    backend: str = ""
    files: dict[str, int] = field(default_factory=dict)
    sums: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Manifest:
    """What ``manifest.json`` holds.

    Parameters
    ----------
    work : str
        One of :data:`WORKS`.
    table : dict, optional
        What :meth:`bidcascade.engine.Engine.table_info` says of the table or system that is asked.
    options : dict
    inputs : list of dict
        Path, bytes and SHA-256 of each source; the last is null for standard input. Of inputs that
        stand in a file (:data:`LISTED`), that file, how many they are, and a digest of all.
    parts : list of Part
    position : RunPosition
    state : dict
        What adds up on the way, as JSON.
    state_files : dict of str to int
        The same in files, which each step replaces, with their bytes.
    results : dict of str to int
        Files written at the very end, when ``finished`` becomes true.
    """

    work: str
    table: dict[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    inputs: list[Any] = field(default_factory=list)
    parts: list[RunPart] = field(default_factory=list)
    position: RunPosition = field(default_factory=RunPosition)
    state: dict[str, Any] = field(default_factory=dict)
    state_files: dict[str, int] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)
    finished: bool = False
    version: str = field(default_factory=package_version)

    @property
    def boards(self) -> int:
        """Boards of all parts."""
        return sum(part.boards for part in self.parts)

    @property
    def rejects(self) -> int:
        """Records refused so far."""
        return sum(part.rejects for part in self.parts)

    @property
    def rows(self) -> int:
        """Rows of all parts."""
        return sum(part.rows for part in self.parts)

    def named(self, prefix: str) -> Iterator[str]:
        """Files of the parts that begin with a word, in their order."""
        for part in self.parts:
            yield from (name for name in part.files if name.startswith(prefix))

    def files(self) -> dict[str, int]:
        """All files that count, with their lengths in bytes; -1 for a list of inputs."""
        named = {one["path"]: -1 for one in self.inputs if isinstance(one, dict) and "files" in one}
        for part in self.parts:
            named |= part.files
        return named | self.state_files | self.results

    def write(self, folder: Path, name: str = MANIFEST) -> None:
        """Replace the manifest in a folder."""
        head = {"format": FORMAT, "format_version": VERSION}
        totals = {"boards": self.boards, "rejects": self.rejects, "rows": self.rows}
        write_json(head | asdict(self) | {"totals": totals}, folder / name)

    @classmethod
    def read(cls, folder: Path, work: str | None = None, name: str = MANIFEST) -> "Manifest":
        """Read the manifest of a folder.

        Parameters
        ----------
        folder : path
        work : str, optional
            One of :data:`WORKS`, which it must be of.
        name : str
            Of the file.

        Raises
        ------
        InvalidInput
            If it is none, is of other work, or of another version.
        """
        path = folder / name
        value = _read_json(path)
        if (before := _BEFORE.get(str(value.get("format")))) is not None:
            value = before(value)
        if value.pop("format", None) != FORMAT:
            raise InvalidInput(f"expected the manifest of a run in {str(path)!r}")
        version = value.pop("format_version", None)
        if version != VERSION:
            raise InvalidInput(
                f"expected a manifest of version {VERSION} in {str(path)!r}, got {version!r}"
            )
        found = value.get("work")
        if not isinstance(found, str) or found not in WORKS or found != (work or found):
            noun = "a run" if work is None else WORKS[work]
            raise InvalidInput(
                f"expected the manifest of {noun} in {str(path)!r}, got that of "
                f"{WORKS.get(found) or repr(found) if isinstance(found, str) else repr(found)}"
            )
        try:
            del value["totals"]
            parts = [RunPart(**part) for part in value.pop("parts")]
            position = RunPosition(**value.pop("position"))
            return cls(parts=parts, position=position, **value)
        except (TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(f"damaged manifest {str(path)!r}: {error}") from None

    def check_same_run(self, other: "Manifest") -> None:
        """Check that a run to be resumed was asked for the same.

        Raises
        ------
        InvalidInput
            If table, options or inputs differ; says what.
        """
        mine, theirs = self.table or {}, other.table or {}
        for what in ("digest", "profile", "undescribed"):
            if mine.get(what) != theirs.get(what):
                raise _differs(f"table {what}", mine.get(what), theirs.get(what))
        for name in {**self.options, **other.options}:
            before, now = self.options.get(name), other.options.get(name)
            if (before or None) != (now or None):
                raise _differs(f"option {name}", before, now)
        if len(self.inputs) != len(other.inputs):
            raise _differs("number of inputs", len(self.inputs), len(other.inputs))
        for first, given in zip(self.inputs, other.inputs, strict=True):
            if first["sha256"] is None:
                raise _reads_standard_input(self.work)
            if first["path"] != given["path"]:
                raise _differs("input", first["path"], given["path"])
            if first["sha256"] != given["sha256"]:
                if "files" in first:
                    raise InvalidInput(
                        "cannot resume: the inputs are others than those it began with: "
                        f"{first['files']:,} files before, {given['files']:,} now"
                    )
                raise InvalidInput(
                    f"cannot resume: {first['path']!r} has changed since the run began"
                )


def check_comes_again(listed: pl.DataFrame, work: str) -> None:
    """Check that inputs can be read a second time.

    Raises
    ------
    InvalidInput
        If one is standard input.
    """
    if listed["sha256"].has_nulls():
        raise _reads_standard_input(work)


def _reads_standard_input(work: str) -> InvalidInput:
    return InvalidInput(f"{WORKS[work]} that reads standard input cannot be resumed")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LONGEST:
            raise InvalidInput(f"expected a manifest, got {path.stat().st_size} bytes in {path}")
        content = read_bounded(path, _LONGEST)
        if sum(map(content.count, (b",", b"[", b"{"))) > _MOST_VALUES:
            raise InvalidInput(f"expected a manifest of at most {_MOST_VALUES:,} values in {path}")
        value = json.loads(content)
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"cannot read the manifest {str(path)!r}: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"expected the manifest of a run in {str(path)!r}")
    return value


def _batch_before(value: dict[str, Any]) -> dict[str, Any]:
    """Manifest of a batch or export of before, which had a format of its own."""
    counts = value.pop("counts", None)
    is_export = (value.get("options") or {}).get("mode") == "calls"
    head = {"format": FORMAT, "work": "export" if is_export else "batch"}
    # its bytes were not written down
    return value | head | {"state_files": {} if counts is None else {counts: -1}}


def _archive_before(value: dict[str, Any]) -> dict[str, Any]:
    """Catalogue of an archive of before."""
    state = {name: value.pop(name) for name in ARCHIVE_STATE if name in value}
    inputs = value.pop("sources", None)
    head = {"format": FORMAT, "work": "archive", "inputs": inputs, "state": state, "position": {}}
    return value | head


ARCHIVE_STATE: Final = ("bidders", "next_part", "next_id", "double_dummy")
"""What an archive keeps as its state; see ``service.archive.catalogue``."""
_BEFORE: Final = {"bidcascade batch": _batch_before, "bidcascade archive": _archive_before}
"""Formats of earlier versions that are still read."""


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


def list_inputs(sources: Sequence[Source]) -> pl.DataFrame:
    """List sources by name, those with the same contents once: :data:`INPUT_SCHEMA`."""
    # what is named twice, as a file and by its folder perhaps, is one input
    ordered = sorted({source.name: source for source in sources}.values(), key=lambda one: one.name)
    listed = INPUT_SCHEMA.to_frame()
    # an archive may be millions of files: what is a line of a frame is small, a dict is not
    for first in range(0, len(ordered), _FILES_AT_ONCE):
        some = describe_inputs(ordered[first : first + _FILES_AT_ONCE])
        rows = [{"entry": None, **one} for one in some]
        listed.extend(pl.DataFrame(rows, schema=INPUT_SCHEMA))
    # what is read once has no digest, and is nobody's copy
    is_first = pl.col("sha256").is_null() | pl.col("sha256").is_first_distinct()
    return listed.filter(is_first)


def listed_sources(sources: Sequence[Source], listed: pl.DataFrame) -> list[Source]:
    """Give the sources of a list, in its order."""
    named = {source.name: source for source in sources}
    return [named[path] for path in listed["path"]]


def digest_inputs(listed: pl.DataFrame) -> list[dict[str, Any]]:
    """Say in a manifest what a list of inputs holds; the list itself is a file beside it."""
    digest = hashlib.sha256()
    for row in listed.iter_rows():
        digest.update(f"{row}\n".encode())
    return [{"path": LISTED, "files": listed.height, "sha256": digest.hexdigest()}]
