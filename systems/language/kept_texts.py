"""Parsed texts are kept: reading a system again takes a tenth of the time of parsing it.

A kept text is one file of JSON: a checksum, and the tree's objects as rows, each behind those that
it refers to. It is believed only while everything that the parser looked at is as it was: the
files' content, which files are there and which are not, the reader itself. Whatever is wrong with
a kept text, or with the folder, the text is parsed instead.
"""

import gc
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints

from .shipped import file_of, resolved, shipped_folder
from .syntax_tree import Block, Line, SystemText

KEPT: Final = 32
"""Texts that stay in the folder: those used last."""

_NONE: Final = 0
"""Place of None among the objects of a tree."""


def open_text(
    path: str | Path, folder: Path | None, *, options: Mapping[str, bool] | None = None
) -> SystemText:
    """Read a system from a file, or from what was kept of it.

    Parameters
    ----------
    path
        A file, or the name of a system that comes with the package.
    folder
        Where parsed texts are kept; it need not exist, and need not be writable. None keeps none.
    options
        Options of the system to be set, by name.

    Raises
    ------
    InvalidSystem
        With every complaint about the text.
    """
    path = file_of(path)
    place = None
    if folder is not None:
        # the reader's own files and the working folder may be out of reach
        with suppress(OSError):
            place = folder / f"{_key(path, options or {})}.json"
    kept = None if place is None else _kept(place)
    if kept is not None:
        return kept

    # not needed for what was kept
    from .reader import read_files

    text, looked = read_files(path, options)
    if place is not None:
        _keep(place, text, looked)
    return text


@contextmanager
def without_collections() -> Iterator[None]:
    """Look for no garbage meanwhile: looking takes two thirds of the time of making a tree."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@cache
def _reader_digest() -> str:
    """Digest of all that makes the tree: a new version reads no tree of an old one."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(Path(__file__).parent.iterdir()):
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _key(path: Path, options: Mapping[str, bool]) -> str:
    places = [str(place) for place in (path, path.absolute(), shipped_folder())]
    parts = [_reader_digest(), places, sorted(options.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _kept(place: Path) -> SystemText | None:
    try:
        checksum, _, content = place.read_bytes().partition(b"\n")
        if checksum != _checksum(place, content):
            return None
        record = json.loads(content)
        # files that were not there count too: a new one may be found before those that were
        if any(resolved(Path(path)) != found for path, found in record["looked"]):
            return None
        text = tree_of_rows(record["rows"])
        for path, digest in text.files:
            if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                return None
    except OSError:
        return None
    with suppress(OSError):
        os.utime(place)
    return text


def _keep(place: Path, text: SystemText, looked: Mapping[Path, str | None]) -> None:
    record = {
        "looked": [(str(path), found) for path, found in looked.items()],
        "rows": rows_of_tree(text),
    }
    content = json.dumps(record, separators=(",", ":")).encode()
    # without a cache the text is parsed each time
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(place, content) + b"\n" + content)
            Path(made).replace(place)
        finally:
            Path(made).unlink(missing_ok=True)
        _forget_old(place.parent)


def _checksum(place: Path, content: bytes) -> bytes:
    return hashlib.sha256(place.name.encode() + content).hexdigest().encode()


def _forget_old(folder: Path) -> None:
    """Remove all but the texts that were used last, and what an ended process left behind."""
    found = []
    for path in folder.iterdir():
        # another process may be doing the same
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(found)[:-KEPT]:
        path.unlink(missing_ok=True)


# ---------------------------------------------------------------------- trees as rows
Read = Callable[[Any], Any]


@cache
def _classes() -> dict[type, dict[str, Any]]:
    """Classes of a tree with the types of their fields, those of the reader's memory left out."""
    found: dict[type, dict[str, Any]] = {}

    def walk(annotation: Any) -> None:
        for inner in get_args(annotation):
            walk(inner)
        if is_dataclass(annotation) and isinstance(annotation, type) and annotation not in found:
            hints = get_type_hints(annotation)
            found[annotation] = {f.name: hints[f.name] for f in fields(annotation) if f.init}
            for inner in found[annotation].values():
                walk(inner)

    walk(SystemText)
    return found


class _Number(int):
    """Number of an object's row; what it stands for is told by the type of the field."""

    __slots__ = ()


def rows_of_tree(text: SystemText) -> list[list[Any]]:
    """Objects of a tree as rows ``[class, field, …]``, where a number stands for another object.

    It says how far back that one's row is: ``-1`` is the row before, 0 stands for None. Objects
    that say the same at the same place share a row, but for lines and blocks.
    """
    numbers = {kind: number for number, kind in enumerate(_classes())}
    rows: list[list[Any]] = []
    known: dict[Any, _Number] = {}
    same: dict[tuple[Any, ...], _Number] = {}

    def written(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(written, value))
        if isinstance(value, dict):
            return tuple((name, written(part)) for name, part in value.items())
        if isinstance(value, Path):
            return str(value)
        if type(value) not in numbers:
            return value
        if id(value) not in known:
            known[id(value)] = _row(value)
        return known[id(value)]

    def _row(value: Any) -> _Number:
        kind = type(value)
        row = (numbers[kind], *(_field(value, *field) for field in _classes()[kind].items()))
        if row not in same or kind in (Line, Block):
            here = _Number(len(rows) + 1)
            rows.append(_behind(row, here))
            same[row] = here
        return same[row]

    def _field(value: Any, name: str, annotation: Any) -> Any:
        part = getattr(value, name)
        return _NONE if part is None and _is_object(annotation) else written(part)

    written(text)
    return rows


def _behind(part: Any, here: int) -> Any:
    if isinstance(part, tuple):
        return [_behind(one, here) for one in part]
    return part - here if isinstance(part, _Number) else part


def tree_of_rows(rows: list[list[Any]]) -> SystemText:
    """Make the tree of its rows; the last one is the whole text."""
    objects: list[Any] = [None]
    makers = [
        (kind, tuple(_reader(annotation, objects) for annotation in names.values()))
        for kind, names in _classes().items()
    ]
    for number, *row in rows:
        kind, readers = makers[number]
        objects.append(
            kind(
                *[
                    part if read is None else read(part)
                    for read, part in zip(readers, row, strict=True)
                ]
            )
        )
    text: SystemText = objects[-1]
    return text


def classes_of_rows() -> list[tuple[str, list[tuple[str, Any]]]]:
    """Classes in the order of their numbers with their fields, for a reader of another language.

    A field has its type: ``object`` is another row, ``list`` and ``map`` hold the type of what is
    in them, None is written as it is.
    """

    def told(annotation: Any) -> Any:
        if _is_object(annotation):
            return "object"
        inner = get_args(annotation)
        if get_origin(annotation) is dict:
            return {"map": told(inner[1])}
        return {"list": told(inner[0])} if _refers(annotation) else None

    return [
        (kind.__name__, [(name, told(annotation)) for name, annotation in names.items()])
        for kind, names in _classes().items()
    ]


def _without_none(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (tuple, dict):
        return (annotation,)
    return tuple(part for part in get_args(annotation) or (annotation,) if part is not NoneType)


def _is_object(annotation: Any) -> bool:
    parts = _without_none(annotation)
    return bool(parts) and all(part in _classes() for part in parts)


def _refers(annotation: Any) -> bool:
    return _is_object(annotation) or any(map(_refers, get_args(annotation)))


def _reader(annotation: Any, objects: list[Any]) -> Read | None:
    """Reader of a field of that type; None if it is written as it is."""
    if _is_object(annotation):
        return objects.__getitem__
    kind = _without_none(annotation)[0]
    if kind is Path:
        return lambda part: None if part is None else Path(part)
    if get_origin(kind) not in (dict, tuple):
        return None
    inner = get_args(kind)
    if inner[-1] is not ... and get_origin(kind) is tuple:
        readers = [_reader(one, objects) or _as_it_is for one in inner]
        return lambda part: tuple(read(value) for read, value in zip(readers, part, strict=True))
    read = _reader(inner[1] if get_origin(kind) is dict else inner[0], objects) or _as_it_is
    if get_origin(kind) is dict:
        return lambda part: {name: read(value) for name, value in part}
    return tuple if read is _as_it_is else lambda part: tuple(map(read, part))


def _as_it_is(part: Any) -> Any:
    return part
