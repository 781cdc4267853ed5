"""The own format of a bidding table: a folder of ``.npy`` columns and a ``manifest.json``.

Frames that go with a table (see ``extras``) are Parquet files in its folder ``extras``.

Columns are memory-mapped when the table is opened, so that a table may be larger than the memory,
and compared with the digest: what follows them believes every number. A table is written into a
folder beside the place where it goes, which is renamed at the end: it appears whole or not at all.
"""

import ctypes
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from bidcascade.bridge import CALL_COUNT, InvalidTable
from bidcascade.kernels import PROFILES, UNDESCRIBED_POLICIES
from bidcascade.kernels.machine.npy_files import write_npy
from bidcascade.kernels.number_ranges import blocks
from bidcascade.table.columns import (
    COLUMN_TYPES,
    ENTRY_COLUMNS,
    LABEL_COLUMNS,
    REQUIRED_COLUMNS,
    VARIANT_COLUMNS,
    Column,
    Columns,
    UndescribedPolicy,
    digest_of,
)

from .extras import FOLDER, Extra, open_extras, synced_file, write_extras
from .own_folder import OwnFolder

FORMAT: Final = "bidcascade bidding table"
FORMAT_VERSION: Final = 1
MANIFEST: Final = "manifest.json"
_LONGEST_MANIFEST: Final = 10_000_000
_LONGEST_HEADER: Final = 1024
_HEADER: Final = re.compile(
    rb"\x93NUMPY\x01\x00(..)"
    rb"(\{'descr': '(?P<type>[<|=][iu][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<length>[0-9]{1,18}),\), \} *)",
    re.DOTALL,
)


class Stored(NamedTuple):
    """All that a folder keeps of a table."""

    columns: Columns
    profile: str
    undescribed: UndescribedPolicy
    user_terms: Mapping[str, str]
    source: str
    imported: Mapping[str, int]
    digest: str
    extras: Mapping[str, Extra]
    made_in: OwnFolder | None = None


def write_folder(table: Stored, path: Path, *, overwrite: bool = False) -> None:
    """Write what :meth:`.BiddingTable.save` keeps."""
    if path.exists() and not (overwrite and is_table_folder(path)):
        what = "which is there already" if is_table_folder(path) else "which is no bidding table"
        raise InvalidTable(f"expected a free place for the table, got {str(path)!r}, {what}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with OwnFolder(path.parent, f".{path.name}.", ".partial") as partial:
            _write(table, partial)
            _put_in_place(partial, path)
    except OSError as error:
        raise InvalidTable(
            f"could not write the table to {str(path)!r}: {error.strerror or error}"
        ) from None


def _write(table: Stored, folder: Path) -> None:
    described: dict[str, Any] = {}
    for name in COLUMN_TYPES:
        if name in table.columns:
            column = table.columns[name]
            file = folder / f"{name}.npy"
            if not _link(table.made_in, file):
                with synced_file(file) as stream:
                    write_npy(stream, column)
            described[name] = {"length": len(column), "bytes": file.stat().st_size}
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "entries": len(table.columns["call"]),
        "profile": table.profile,
        "undescribed": table.undescribed,
        "user_terms": table.user_terms,
        "source": table.source,
        "imported": table.imported,
        "digest": table.digest,
        "columns": described,
    }
    if table.extras:
        manifest["extras"] = write_extras(table.extras, folder / FOLDER)
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    with synced_file(folder / MANIFEST) as stream:
        stream.write(f"{text}\n".encode())
    folder.chmod(0o755)


def _link(made_in: OwnFolder | None, file: Path) -> bool:
    """Take over the file that a column is mapped from, if there is one on the same disk."""
    if made_in is None:
        return False
    try:
        file.hardlink_to(made_in.path / file.name)
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
    except OSError:
        return False
    return True


def _put_in_place(partial: Path, path: Path) -> None:
    if not path.exists():
        partial.rename(path)
        return
    if _exchange(partial, path):
        return
    # a folder cannot be renamed over another one: the old one steps aside first
    aside = partial.with_suffix(".replaced")
    path.rename(aside)
    try:
        partial.rename(path)
    except OSError:
        aside.rename(path)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one step, in whose middle nothing can end; False: cannot."""
    # ``renameat2`` with ``RENAME_EXCHANGE`` of Linux
    if sys.platform != "linux":
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        rename = ctypes.CDLL(None).renameat2
    except AttributeError:
        return False
    return bool(rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)


def is_table_folder(path: Path) -> bool:
    """Whether a folder looks like a table of this format, of whatever version."""
    try:
        head = json.loads((path / MANIFEST).read_bytes()[:_LONGEST_MANIFEST])
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(head, dict) and head.get("format") == FORMAT


def read_folder(path: Path, *, verify: bool = True) -> Stored:
    """Read what :meth:`.BiddingTable.open` opens."""
    manifest = _read_manifest(path)
    columns = {
        name: _open_column(path, name, described) for name, described in manifest["columns"].items()
    }
    _check_lengths(path, columns, manifest["entries"])
    table = Stored(
        columns,
        manifest["profile"],
        manifest["undescribed"],
        manifest["user_terms"],
        manifest["source"],
        manifest["imported"],
        manifest["digest"],
        open_extras(path, manifest.get("extras", {}), manifest["entries"]),
    )
    if verify:
        _verify(path, table)
    return table


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        raw = (path / MANIFEST).read_bytes()
    except OSError as error:
        raise InvalidTable(
            f"expected a folder of a bidding table with a {MANIFEST}, got {str(path)!r}: "
            f"{error.strerror or error}"
        ) from None
    try:
        manifest = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidTable(f"{path.name}/{MANIFEST}: expected JSON, got {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InvalidTable(
            f"{path.name}/{MANIFEST}: expected the format {FORMAT!r}, got {str(manifest)[:60]!r}"
        )
    if manifest.get("version") != FORMAT_VERSION:
        raise InvalidTable(
            f"{path.name}: expected format version {FORMAT_VERSION}, "
            f"got {str(manifest.get('version'))[:60]!r}; export the table with the release that "
            "wrote it and import the rows"
        )
    expected: dict[str, type] = {
        "entries": int, "profile": str, "undescribed": str, "user_terms": dict, "source": str,
        "imported": dict, "digest": str, "columns": dict,
    }  # fmt: skip
    for key, kind in expected.items():
        if not isinstance(manifest.get(key), kind):
            raise InvalidTable(
                f"{path.name}/{MANIFEST}: expected {key!r} as {kind.__name__}, "
                f"got {str(manifest.get(key))[:60]!r}"
            )
    for key, kind in (("user_terms", str), ("imported", int)):
        for name, value in manifest[key].items():
            if not isinstance(value, kind):
                raise InvalidTable(
                    f"{path.name}/{MANIFEST}: expected {key!r} as {kind.__name__} by name, "
                    f"got {name!r}: {str(value)[:60]!r}"
                )
    for key, known in (("profile", PROFILES), ("undescribed", UNDESCRIBED_POLICIES)):
        if manifest[key] not in known:
            raise InvalidTable(
                f"{path.name}/{MANIFEST}: expected {key!r} as one of {', '.join(known)}, "
                f"got {manifest[key]!r}"
            )
    missing = sorted(REQUIRED_COLUMNS - manifest["columns"].keys())
    strangers = sorted(manifest["columns"].keys() - COLUMN_TYPES.keys())
    if missing or strangers:
        raise InvalidTable(
            f"{path.name}/{MANIFEST}: expected the columns of a table, "
            f"got {', '.join(strangers) or 'none'} too many "
            f"and {', '.join(missing) or 'none'} missing"
        )
    return manifest


def _open_column(path: Path, name: str, described: Any) -> Column:
    file = path / f"{name}.npy"
    kind = np.dtype(COLUMN_TYPES[name])
    try:
        length, size = int(described["length"]), int(described["bytes"])
    except (TypeError, KeyError, ValueError, OverflowError):
        raise InvalidTable(
            f"{path.name}/{MANIFEST}: expected length and bytes of the column {name!r}, "
            f"got {str(described)[:60]!r}"
        ) from None
    try:
        found = file.stat().st_size
        if found != size:
            raise InvalidTable(
                f"{path.name}/{file.name}: expected {size:,} bytes, got {found:,}: "
                "the file is cut off or was changed"
            )
        column = _mapped(file)
    except FileNotFoundError:
        raise InvalidTable(f"{path.name}: expected a file {file.name}, got none") from None
    except (OSError, ValueError) as error:
        raise InvalidTable(f"{path.name}/{file.name}: expected a column, got {error}") from None
    if column.dtype != kind or column.shape != (length,):
        raise InvalidTable(
            f"{path.name}/{file.name}: expected {length:,} values of {kind}, "
            f"got {column.shape} of {column.dtype}"
        )
    # a plain view: indexing a memmap object is slower, and every slice of it is one again
    plain: Column = column.view(np.ndarray)
    return plain


def _mapped(file: Path) -> Column:
    """Map a file of one dimension in numpy's own format (NEP 1)."""
    # numpy's readers take other formats too, and evaluate the header of a damaged file
    with file.open("rb") as stream:
        found = _HEADER.fullmatch(stream.read(_LONGEST_HEADER).partition(b"\n")[0])
        if found is None or int.from_bytes(found[1], "little") != len(found[2]) + 1:
            raise ValueError("no header of numpy's format")
        begin, size = found.end() + 1, os.fstat(stream.fileno()).st_size
    dtype, length = np.dtype(found["type"].decode()), int(found["length"])
    if begin + length * dtype.itemsize != size:
        raise ValueError(f"a header of {length:,} values of {dtype} in {size:,} bytes")
    # numpy cannot map a file without values
    return np.memmap(file, dtype, "r", begin, (length,)) if length else np.empty(0, dtype)


def _check_lengths(path: Path, columns: Columns, entries: int) -> None:
    variants = len(columns["variant_entry"])
    for group, length in (
        ((*ENTRY_COLUMNS, *LABEL_COLUMNS), entries),
        (tuple(VARIANT_COLUMNS), variants),
    ):
        for name in group:
            if name in columns and len(columns[name]) != length:
                raise InvalidTable(
                    f"{path.name}: expected {length:,} values in column {name!r}, "
                    f"got {len(columns[name]):,}"
                )
    for stem, values in _LISTS.items():
        offsets = columns[f"{stem}_offsets"]
        if not len(offsets) or int(offsets[-1]) != len(columns[values]):
            raise InvalidTable(
                f"{path.name}: expected {stem}_offsets to end at {len(columns[values]):,}, "
                f"got {int(offsets[-1]) if len(offsets) else 'no values'}"
            )


_LISTS: Final = {
    "expression": "expression_bytes",
    "criteria": "criteria_expressions",
    "set": "set_criteria",
    "text": "text_bytes",
    "tag": "tag_texts",
}

_POINTERS: Final = {
    "variant_set": "set", "description": "text", "name": "text", "where": "text", "tags": "tag",
    "variant_criteria": "criteria", "variant_description": "text", "variant_name": "text",
    "variant_where": "text", "variant_tags": "tag", "criteria_expressions": "expression",
    "set_criteria": "criteria", "tag_texts": "text",
}  # fmt: skip
"""Columns whose values are numbers of something interned."""


def _verify(path: Path, table: Stored) -> None:
    columns = table.columns
    entries = len(columns["call"])
    found = digest_of(columns, table.profile, table.undescribed, table.user_terms)
    if found != table.digest:
        raise InvalidTable(
            f"{path.name}: expected the digest {table.digest[:64]}, got {found}: "
            "the table is damaged or was changed"
        )
    # a digest says nothing about a table that was made to be wrong
    for stem in _LISTS:
        offsets = columns[f"{stem}_offsets"]
        if any(
            (np.diff(offsets[_and_next(block)].astype(np.int64)) < 0).any()
            for block in blocks(len(offsets))
        ):
            raise InvalidTable(f"{path.name}: expected ascending {stem}_offsets")
    for name, stem in _POINTERS.items():
        limit = len(columns[f"{stem}_offsets"]) - 1
        if name in columns and len(columns[name]) and int(columns[name].max()) >= limit:
            raise InvalidTable(
                f"{path.name}: expected values below {limit:,} in column {name!r}, "
                f"got {int(columns[name].max()):,}"
            )
    for name, limit in (("call", CALL_COUNT), ("variant_entry", entries)):
        if len(columns[name]) and int(columns[name].max()) >= limit:
            raise InvalidTable(
                f"{path.name}: expected values below {limit:,} in column {name!r}, "
                f"got {int(columns[name].max()):,}"
            )
    for block in blocks(entries):
        ends = columns["first_child"][block].astype(np.int64) + columns["child_count"][block]
        if int(ends.max()) > entries:
            raise InvalidTable(f"{path.name}: expected children below {entries:,}")


def _and_next(block: slice) -> slice:
    return slice(block.start, block.stop + 1)
