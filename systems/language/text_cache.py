"""Parsed texts are cached: reading a system again takes a hundredth of the time of parsing it.

A cached text is one file: a checksum, and a line of JSON for each object of the tree, behind those
that it refers to. It is believed only while everything that the parser looked at is as it was: the
files' content, which files are there and which are not, the reader itself. Whatever is wrong with
a cached text, or with the folder, the text is parsed instead.
"""

import gc
import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from operator import attrgetter
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints

import numpy as np

from bidcascade.kernels.machine.caches import cached_file, write_cached_file

from .shipped import file_of, resolved, shipped_folder
from .tree.syntax_tree import MADE_LATER, Block, Line, SystemText

MOST_CACHED: Final = 32
"""Texts that stay in the folder: those used last."""

_OURS: Final = re.compile(r"[0-9a-f]{64}\.json(\.|$)")
_NONE: Final = 0
"""Place of None among the objects of a tree."""


def open_text(
    path: str | Path, folder: Path | None, *, options: Mapping[str, bool] | None = None
) -> SystemText:
    """Read a system from a file, or from the cache.

    Parameters
    ----------
    path
        A file, or the name of a system that comes with the package.
    folder
        Where parsed texts are cached; it need not exist or be writable. None caches none.
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
    cached = None if place is None else _cached(place)
    if cached is not None:
        return cached

    # not needed for a cached text
    from .reader import read_files

    text, looked = read_files(path, options)
    if place is not None:
        _store(place, text, looked)
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
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__":
            content = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _key(path: Path, options: Mapping[str, bool]) -> str:
    places = [str(place) for place in (path, path.absolute(), shipped_folder())]
    parts = [_reader_digest(), places, sorted(options.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _cached(place: Path) -> SystemText | None:
    try:
        content = cached_file(place)
        if content is None:
            return None
        looked, _, rows = content.partition(b"\n")
        # files that were not there count too: a new one may be found before those that were
        if any(resolved(Path(path)) != found for path, found in json.loads(looked)):
            return None
        text = _CachedTree(rows, place.stem).text()
        for path, digest in text.files:
            if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                return None
    except OSError:
        return None
    with suppress(OSError):
        os.utime(place)
    return text


def _store(place: Path, text: SystemText, looked: Mapping[Path, str | None]) -> None:
    numbers: dict[int, int] = {}
    lines = [[(str(path), found) for path, found in looked.items()], *rows_of_tree(text, numbers)]
    content = _lines(lines)
    # without a cache the text is parsed each time
    write_cached_file(place, content, _OURS, MOST_CACHED)
    object.__setattr__(text, "rows", _CachedTree(b"", place.stem, numbers))


_encode: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_scan: Final = json.JSONDecoder().raw_decode
"""Reads what begins at a place of a text."""


def _lines(rows: list[list[Any]]) -> bytes:
    return "\n".join(map(_encode, rows)).encode()


# ---------------------------------------------------------------------- trees as rows
Read = Callable[[Any], Any]
Numbering = Callable[[Any], int]
Parts = list[tuple[int, Callable[..., Any]]]
Makers = list[tuple[Callable[..., Any], tuple[Read | None, ...]]]


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


def rows_of_tree(text: SystemText, known: dict[int, int] | None = None) -> list[list[Any]]:
    """Objects of a tree as rows ``[class, field, …]``, where a number stands for another object.

    It says how far back that one's row is: ``-1`` is the row before, 0 stands for None. Objects
    that say the same at the same place share a row, but for lines and blocks.

    Parameters
    ----------
    text
        The tree.
    known
        Where the number of each object's row is put, from 1, by the object's identity.
    """
    rows: list[list[Any]] = []
    known = {} if known is None else known
    same: dict[tuple[Any, ...], int] = {}

    def number_of(value: Any) -> int:
        """Find the number of an object's row, from 1; 0 for None."""
        if value is None:
            return _NONE
        number = known.get(id(value))
        if number is None:
            number = known[id(value)] = written(value)
        return number

    def written(value: Any) -> int:
        kind = type(value)
        read, writers, behind = plans[kind]
        row = read(value)
        for place, write in writers:
            row[place] = write(row[place])
        key = (kind, *row)
        number = same.get(key)
        if number is None or kind in (Line, Block):
            number = same[key] = len(rows) + 1
            for place, moved in behind:
                row[place] = moved(row[place], number)
            rows.append([numbers[kind], *row])
        return number

    numbers = {kind: number for number, kind in enumerate(_classes())}
    plans = {kind: _plan(names, number_of) for kind, names in _classes().items()}
    number_of(text)
    return rows


def _plan(names: Mapping[str, Any], number_of: Numbering) -> tuple[Read, Parts, Parts]:
    """How objects of a class are written: all fields, parts with numbers, numbers of rows back."""
    get = attrgetter(*names)
    read: Read = (lambda value: [*get(value)]) if len(names) > 1 else lambda value: [get(value)]
    writers = [_writer(annotation, number_of) for annotation in names.values()]
    written = [(place, writer) for place, writer in enumerate(writers) if writer is not None]
    return (
        read,
        [(place, write) for place, (write, _) in written],
        [(place, behind) for place, (_, behind) in written if behind is not None],
    )


def _writer(
    annotation: Any, number_of: Numbering
) -> "tuple[Read, Callable[..., Any] | None] | None":
    """How a field of that type is written, and how its numbers are moved; None: as it is."""
    if _is_object(annotation):
        return number_of, lambda part, here: part and part - here
    kind, *_ = _without_none(annotation)
    if kind is Path:
        return lambda part: None if part is None else str(part), None
    if get_origin(kind) not in (dict, tuple):
        return None
    inner = get_args(kind)
    if get_origin(kind) is tuple and inner[-1] is not ...:
        assert not any(map(_refers, inner))
        return lambda part: tuple(str(one) if isinstance(one, Path) else one for one in part), None
    of = _writer(inner[1] if get_origin(kind) is dict else inner[0], number_of)
    write, behind = of or (_as_it_is, None)
    if get_origin(kind) is dict:
        return (
            lambda part: tuple((name, write(one)) for name, one in part.items()),
            behind and (lambda part, here: [(name, behind(one, here)) for name, one in part]),
        )
    if of is None:
        return None
    return (
        lambda part: tuple(map(write, part)),
        behind and (lambda part, here: [behind(one, here) for one in part]),
    )


def tree_of_rows(rows: list[list[Any]]) -> SystemText:
    """Make the tree of its rows; the last one is the whole text."""
    return _CachedTree(_lines(rows)).text()


class _CachedTree:
    """Rows of a tree, of which an object is made when it is first asked for.

    Most who open a system ask for a few of its lines. To make all objects at once is quicker than
    to make one after the other.

    Parameters
    ----------
    rows
        Each a line of JSON; the last one is the text's own.
    key
        What tells them from those of all other texts.
    numbers
        Of rows that are not there, by the identity of the objects that they were made of.
    """

    def __init__(self, rows: bytes, key: str = "", numbers: dict[int, int] | None = None) -> None:
        self.key = key
        self._rows = rows.decode("ascii")
        ends = np.flatnonzero(np.frombuffer(rows, np.uint8) == ord("\n"))
        self._starts: list[int] = [0, *(ends + 1).tolist()]
        self._text_row = self._row(len(self._starts))[1:] if rows else []
        self._objects: list[Any] = [None] * len(self._starts)
        self._numbers = numbers or {}
        self._here = 0
        # who asks at the same time gets the same objects
        self._lock = threading.RLock()

    def text(self) -> SystemText:
        """Make the text, all but what is made later."""
        text = SystemText.__new__(SystemText)
        object.__setattr__(text, "rows", self)
        for name in _classes()[SystemText]:
            if name not in MADE_LATER:
                object.__setattr__(text, name, self.part(name))
        return text

    def part(self, name: str) -> Any:
        """Give what a field of the text holds."""
        if name == "blocks":
            self._make_all()
        names = _classes()[SystemText]
        read = _reader(names[name], self._behind)
        with self._lock:
            self._here = len(self._objects)
            part = self._text_row[[*names].index(name)]
            return part if read is None else read(part)

    def block_files(self) -> set[str] | None:
        """Give the files that the headers of top-level blocks stand in; None of made blocks."""
        with self._lock:
            if not self._rows:
                return None
            blocks = self._text_row[[*_classes()[SystemText]].index("blocks")]
            here = len(self._objects)
            wheres = (self._referred(here + back, "header", "where") for back in blocks)
            return {self._object(where).file for where in wheres}

    def line(self, number: int) -> Line | None:
        """Give the line of a row; None where the rows are not there, as of a text just parsed."""
        with self._lock:
            return self._object(number) if number < len(self._objects) else None

    def number_of(self, part: object) -> int:
        """Give the number of the row that an object was made of; 0 if it was made of none."""
        if not self._numbers:
            with self._lock:
                made = enumerate(self._objects)
                self._numbers = {id(one): number for number, one in made if one is not None}
        return self._numbers.get(id(part), _NONE)

    def _behind(self, back: int) -> Any:
        """Object that the row which is read refers to."""
        return self._object(self._here + back) if back else None

    @cached_property
    def _makers(self) -> "Makers":
        return _makers(self._behind)

    def _row(self, number: int) -> list[Any]:
        row: list[Any] = _scan(self._rows, self._starts[number - 1])[0]
        return row

    def _referred(self, number: int, *names: str) -> int:
        """Follow fields from an object to another one; the number of that."""
        for name in names:
            kind, *parts = self._row(number)
            number += parts[[*[*_classes().values()][kind]].index(name)]
        return number

    def _object(self, number: int) -> Any:
        found = self._objects[number]
        if found is None and number:
            around, self._here = self._here, number
            found = self._objects[number] = _made(self._makers, self._row(number))
            self._numbers[id(found)] = number
            self._here = around
        return found

    def _make_all(self) -> None:
        """Make what is not made yet."""
        with self._lock:
            if not self._rows:
                return
            there, objects = self._objects, [None]
            makers = _makers(objects.__getitem__)
            with without_collections():
                rows = json.loads(f"[{self._rows.replace(chr(10), ',')}]")[:-1]
                for row, made in zip(rows, there[1:], strict=True):
                    objects.append(_made(makers, row) if made is None else made)
            self._objects, self._rows, self._numbers = objects, "", {}
            self._starts = []


def _makers(find: Read) -> Makers:
    """How objects are made of rows, by the numbers of their classes; ``find`` finds another one."""
    return [
        (kind, tuple(_reader(annotation, find) for annotation in names.values()))
        for kind, names in _classes().items()
    ]


def _made(makers: Makers, row: list[Any]) -> Any:
    number, *parts = row
    kind, readers = makers[number]
    return kind(
        *[part if read is None else read(part) for read, part in zip(readers, parts, strict=True)]
    )


def classes_of_rows() -> list[tuple[str, list[tuple[str, Any]]]]:
    """Classes in the order of their numbers with their fields, for a reader of another language.

    A field has its type: ``object`` is another row, ``list`` and ``map`` hold the type of what is
    in them, None is written as it is.
    """

    def type_of(annotation: Any) -> Any:
        if _is_object(annotation):
            return "object"
        inner = get_args(annotation)
        if get_origin(annotation) is dict:
            return {"map": type_of(inner[1])}
        return {"list": type_of(inner[0])} if _refers(annotation) else None

    return [
        (kind.__name__, [(name, type_of(annotation)) for name, annotation in names.items()])
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


def _reader(annotation: Any, find: Read) -> Read | None:
    """Reader of a field of that type; None if it is written as it is."""
    if _is_object(annotation):
        return find
    kind = _without_none(annotation)[0]
    if kind is Path:
        return lambda part: None if part is None else Path(part)
    if get_origin(kind) not in (dict, tuple):
        return None
    inner = get_args(kind)
    if inner[-1] is not ... and get_origin(kind) is tuple:
        readers = [_reader(one, find) or _as_it_is for one in inner]
        return lambda part: tuple(read(value) for read, value in zip(readers, part, strict=True))
    read = _reader(inner[1] if get_origin(kind) is dict else inner[0], find) or _as_it_is
    if get_origin(kind) is dict:
        return lambda part: {name: read(value) for name, value in part}
    return tuple if read is _as_it_is else lambda part: tuple(map(read, part))


def _as_it_is(part: Any) -> Any:
    return part
