"""What programs have learned, and places with their entries, kept from one run to the next.

One file holds what a pair of systems has worked out: a zip of arrays, each with a checksum, and
their description as JSON. Its name says the texts and the code that gave the answers, so what is
read is what would be worked out again; a file that is damaged, or of another version, is as good as
none. Writers replace the file whole, and leave one alone that holds more.
"""

import atexit
import hashlib
import io
import json
import logging
import lzma
import os
import tempfile
import time
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.lib import format as npy

from bidcascade.systems.language.syntax_tree import SystemText

from .bidder import Bidder
from .budget import places_budget
from .cache import cache_folder
from .program import SystemProgram

_logger = logging.getLogger("bidcascade.table")
FOLDER: Final = "places"
SHIPPED: Final = Path(__file__).resolve().parent / "texts" / "places"
"""Files of the systems that come with the package."""
KEPT: Final = 12
"""Files that stay in the cache."""
_WORTH_KEEPING: Final = 100
_LEFT_BEHIND_S: Final = 3600
"""A file that is being written for so long has lost its process."""

_CODE: Final = {
    "kernels": ("alternatives", "intervals", "layout", "lowering", "terms"),
    "kernels/system": ("advance", "arrays", "expand", "questions"),
    "table/language": (
        "expression_grammar", "expressions", "expression_tree", "lowering", "vocabulary",
    ),
    "systems/language": ("phrases",),
    "systems": (
        "conditions", "contexts", "expansion", "facts", "formulas", "knowledge",
        "patterns", "program", "state",
    ),
}  # fmt: skip
"""Modules that decide what a text means, or how that is numbered, by folder."""
_ABOUT: Final = "about.json"
MOST_BYTES: Final = 1 << 32
"""No array in a file is larger than that: a damaged length must not fill the memory."""
_Arrays = dict[str, Any]
_DAMAGE: Final = (
    OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error,
    lzma.LZMAError,
)  # fmt: skip
"""What a damaged zip file may lead to."""


@cache
def code_digest() -> str:
    """Digest of the code that decides what a text means."""
    found = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for folder, names in _CODE.items():
        for name in names:
            found.update((root / folder / f"{name}.py").read_bytes())
    return found.hexdigest()[:16]


CODE: Final = code_digest()
"""Taken when this module is loaded: who has loaded older code must not write under newer's name."""


def text_digest(text: SystemText) -> str:
    """Digest of a system's text with its options, wherever its files lie."""
    parts = [repr(sorted(text.options.items())), *(sha for _, sha in text.files)]
    if not text.files:
        parts.append(repr(text.blocks))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def file_name(dealer_side: SystemText, other_side: SystemText) -> str:
    """Name of the file of two systems."""
    both = " ".join((text_digest(dealer_side), text_digest(other_side), CODE))
    return f"{hashlib.sha256(both.encode()).hexdigest()[:24]}.places"


def write(bidder: Bidder, path: Path, *, shipped: bool = False) -> None:
    """Keep what a bidder has worked out, unless the file holds more already.

    What is shipped leaves the places out and is packed as small as it goes.

    Raises
    ------
    OSError
        If the file cannot be written; what was there stays.
    """
    first, other = bidder.sides
    name = _name_of(bidder)
    arrays: _Arrays = {}
    about: dict[str, Any] = {"name": name, "sides": []}
    # until all is written: these are the arrays in use, not copies
    with _alone(bidder):
        for number, program in enumerate((first,) if other is first else (first, other)):
            learned, described = program.learned()
            about["sides"].append(described)
            arrays |= {f"{number}.{key}": array for key, array in learned.items()}
        if not shipped:
            places = _worked_out(bidder.kept_places())
            arrays |= {f"places.{key}": array for key, array in places.items()}
        about["weight"] = sum(array.nbytes for array in arrays.values())
        known = _about(path, name)
        if known is None or known.get("weight", 0) < about["weight"]:
            _write(path, about, arrays, zipfile.ZIP_LZMA if shipped else zipfile.ZIP_DEFLATED)


def _worked_out(places: _Arrays) -> _Arrays:
    """Leave out places that only have a number: nobody asked what the system says there."""
    known = places["list"] >= 0
    known[0] = True
    numbers = np.cumsum(known, dtype=np.int32) - 1
    parent = places["parent"][known]
    # that of the root is none
    parent[1:] = numbers[parent[1:]]
    return {**places, **{key: places[key][known] for key in ("call", "list")}, "parent": parent}


def _write(path: Path, about: Mapping[str, Any], arrays: _Arrays, compression: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with (
            os.fdopen(handle, "wb") as file,
            zipfile.ZipFile(file, "w", compression, compresslevel=1) as archive,
        ):
            archive.writestr(_ABOUT, json.dumps(about))
            for key, array in arrays.items():
                with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                    npy.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
        Path(made).replace(path)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise


def read(bidder: Bidder, path: Path, *, only: SystemProgram | None = None) -> bool:
    """Take in what a file holds; whether it did. One that turns out damaged is removed.

    Only a bidder whose programs have learned nothing yet can: numbers are those of the file. With
    ``only``, the file is one of a system against itself, and what this side learned is taken.
    """
    first, other = bidder.sides if only is None else (only, only)
    programs = (first,) if other is first else (first, other)
    about = _about(path, file_name(first.rules.text, other.rules.text))
    if about is None:
        return False
    with _alone(bidder):
        if not all(program.is_fresh for program in programs):
            return False
        try:
            arrays = _arrays(path)
            parts = [_part(arrays, f"{number}.") for number in range(len(programs))]
            places = _part(arrays, "places.")
            for program, part, described in zip(programs, parts, about["sides"], strict=True):
                program.take(part, described)
            if places and only is None:
                bidder.take_places(places)
        except (*_DAMAGE, KeyError, TypeError, IndexError):
            # whatever is wrong with the file, everything in it can be worked out again
            for program in programs:
                program.start_over()
            bidder.start_over()
            if path.parent != SHIPPED:
                # it says that it holds much, and what is worked out again would not replace it
                with suppress(OSError):
                    path.unlink()
            return False
    return True


def open_bidder(dealer_side: SystemProgram, other_side: SystemProgram) -> Bidder:
    """Bidder of two systems with what earlier runs have worked out; it keeps more when we end.

    Where the cache holds nothing of the two, it takes what each has learned against itself, there
    or before the package was made.
    """
    bidder = Bidder(dealer_side, other_side, budget=places_budget())
    place, folders = None, [SHIPPED]
    # a user without a home keeps nothing
    with suppress(RuntimeError):
        place = cache_folder() / FOLDER / _name_of(bidder)
        folders.insert(0, place.parent)
    if place is None or not read(bidder, place):
        for program in dict.fromkeys(bidder.sides):
            alone = file_name(program.rules.text, program.rules.text)
            any(read(bidder, folder / alone, only=program) for folder in folders)
    if place is not None:
        _open[bidder] = place, _size(bidder)
        _held.append(bidder)
    return bidder


def keep_all() -> None:
    """Keep what open bidders have worked out since they were opened, if it is worth it."""
    for bidder, (place, before) in list(_open.items()):
        size = _size(bidder)
        if size > 1.05 * before + _WORTH_KEEPING:
            try:
                write(bidder, place)
                forget_old(place.parent)
            except OSError as error:
                # a cache that cannot be written costs time, not answers
                _logger.debug("%s cannot be written: %s", place, error)
            _open[bidder] = place, size


def forget_old(folder: Path) -> None:
    """Remove all but the latest files of places, and what an ended process left behind."""
    found = []
    for path in folder.glob("*.places*"):
        # another process may be doing the same
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime, path))
    whole = sorted(one for one in found if one[1].suffix == ".places")
    ended = [one for one in found if one not in whole and time.time() - one[0] > _LEFT_BEHIND_S]
    for _, path in (*whole[:-KEPT], *ended):
        path.unlink(missing_ok=True)


@contextmanager
def _alone(bidder: Bidder) -> Iterator[None]:
    """Let nobody else use a bidder and its programs meanwhile."""
    with ExitStack() as held:
        held.enter_context(bidder.lock)
        # in one order, whichever side is whose
        for program in sorted(bidder.sides, key=id):
            held.enter_context(program.lock)
        yield


def _name_of(bidder: Bidder) -> str:
    first, other = bidder.sides
    return file_name(first.rules.text, other.rules.text)


def _size(bidder: Bidder) -> int:
    learned = sum(side.decisions.count + side.needs.count for side in bidder.sides)
    # a place is worked out again in less time than it is written and read
    return learned + bidder.count // 8


_open: "WeakKeyDictionary[Bidder, tuple[Path, int]]" = WeakKeyDictionary()
_held: deque[Bidder] = deque(maxlen=4)
"""The latest ones stay until the process ends: a command has let go of its system by then."""
atexit.register(keep_all)


def _about(path: Path, name: str) -> dict[str, Any] | None:
    """Read what a file describes; None if it is damaged or not of the texts and code of a name."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read(_ABOUT))
        return about if isinstance(about, dict) and about["name"] == name else None
    except (*_DAMAGE, KeyError):
        return None


def _arrays(path: Path) -> _Arrays:
    found = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename == _ABOUT:
                continue
            if member.file_size > MOST_BYTES:
                raise ValueError(f"expected arrays below 4 GiB, got {member.file_size}")
            # reading to the end is what checks the checksum
            content = io.BytesIO(archive.read(member))
            array = npy.read_array(content, allow_pickle=False)
            found[member.filename.removesuffix(".npy")] = array
    return found


def _part(arrays: Mapping[str, Any], prefix: str) -> _Arrays:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
