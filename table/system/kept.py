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
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.lib import format as npy

from bidcascade.table.system_text.syntax_tree import SystemText

from .bidder import DEFAULT_BUDGET, Bidder
from .program import SystemProgram

_logger = logging.getLogger("bidcascade.table")
BUDGET_VARIABLE: Final = "BIDCASCADE_PLACES_BYTES"
"""Environment variable: bytes that the places of two systems may take in memory."""
FOLDER: Final = "places"
SHIPPED: Final = Path(__file__).resolve().parent.parent / "systems" / "places"
"""Files of the systems that come with the package."""
KEPT: Final = 12
"""Files that stay in the cache."""
_WORTH_KEEPING: Final = 500

_CODE: Final = {
    "kernels": ("alternatives", "layout", "lowering", "terms"),
    "kernels/system": ("advance", "arrays", "expand", "questions"),
    "table/language": (
        "expression_grammar", "expressions", "expression_tree", "lowering", "vocabulary",
    ),
    "table/system": (
        "cells", "conditions", "contexts", "expansion", "facts", "formulas", "hand_space",
        "needs", "patterns", "program", "scope", "shapes", "state",
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
    """Digest of the code that decides what a text means.

    Examples
    --------
    >>> len(code_digest())
    16
    """
    found = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent.parent
    for folder, names in _CODE.items():
        for name in names:
            found.update((root / folder / f"{name}.py").read_bytes())
    return found.hexdigest()[:16]


CODE: Final = code_digest()
"""Taken when this module is loaded: who has loaded older code must not write under newer's name."""


def text_digest(text: SystemText) -> str:
    """Digest of a system's text with its options, wherever its files lie.

    Examples
    --------
    >>> text_digest(SystemText("Pass", "", {}, ())) == text_digest(SystemText("P", "", {}, ()))
    True
    """
    parts = [repr(sorted(text.options.items())), *(sha for _, sha in text.files)]
    if not text.files:
        parts.append(repr(text.blocks))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def file_name(dealer_side: SystemText, other_side: SystemText) -> str:
    """Name of the file of two systems.

    Examples
    --------
    >>> text = SystemText("Pass", "", {}, ())
    >>> file_name(text, text).endswith(".places")
    True
    """
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
    arrays: _Arrays = {}
    about: dict[str, Any] = {"sides": []}
    with bidder.lock, first.lock, other.lock:
        for number, program in enumerate((first,) if other is first else (first, other)):
            learned, described = program.learned()
            about["sides"].append(described)
            arrays |= {f"{number}.{name}": array for name, array in learned.items()}
        if not shipped:
            arrays |= {f"places.{name}": array for name, array in bidder.kept_places().items()}
    about["weight"] = sum(array.nbytes for array in arrays.values())
    known = _about(path)
    if known is not None and known.get("weight", 0) >= about["weight"]:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with (
            os.fdopen(handle, "wb") as file,
            zipfile.ZipFile(
                file, "w", zipfile.ZIP_LZMA if shipped else zipfile.ZIP_DEFLATED, compresslevel=1
            ) as archive,
        ):
            archive.writestr(_ABOUT, json.dumps(about))
            for key, array in arrays.items():
                with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                    npy.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read(bidder: Bidder, path: Path) -> bool:
    """Take in what a file holds; whether it did.

    Only a bidder whose programs have learned nothing yet can: numbers are those of the file.
    """
    first, other = bidder.sides
    programs = (first,) if other is first else (first, other)
    if any(not program.is_fresh for program in programs):
        return False
    about = _about(path)
    if about is None or len(about["sides"]) != len(programs):
        return False
    try:
        arrays = _arrays(path)
        parts = [_part(arrays, f"{number}.") for number in range(len(programs))]
        places = _part(arrays, "places.")
        with bidder.lock:
            for program, part, described in zip(programs, parts, about["sides"], strict=True):
                program.take(part, described)
            if places:
                bidder.take_places(places)
    except (*_DAMAGE, KeyError, TypeError, IndexError):
        # whatever is wrong with the file, everything in it can be worked out again
        for program in programs:
            program.start_over()
        bidder.start_over()
        return False
    return True


def open_bidder(dealer_side: SystemProgram, other_side: SystemProgram) -> Bidder:
    """Bidder of two systems with what earlier runs have worked out; it keeps more when we end.

    What the package brings along comes first where the cache holds nothing.

    Examples
    --------
    >>> from .system import System
    >>> system = System.parse("opening:" + chr(10) + "  1NT = Strong: 15-17 points, balanced")
    >>> open_bidder(system.program, system.program).count
    1
    """
    from bidcascade.table.registry import cache_folder

    budget = os.environ.get(BUDGET_VARIABLE, "")
    bidder = Bidder(
        dealer_side, other_side, budget=int(budget) if budget.isdigit() else DEFAULT_BUDGET
    )
    texts = dealer_side.rules.text, other_side.rules.text
    place = cache_folder() / FOLDER / file_name(*texts)
    if not read(bidder, place) and dealer_side is other_side:
        read(bidder, SHIPPED / file_name(*texts))
    _open[bidder] = place, _size(bidder)
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
    """Remove all but the latest files of places."""
    found = [(path.stat().st_mtime, path) for path in folder.glob("*.places")]
    for _, path in sorted(found)[:-KEPT]:
        path.unlink(missing_ok=True)


def _size(bidder: Bidder) -> int:
    return sum(side.decisions.count + side.needs.count for side in bidder.sides) + bidder.count


_open: "WeakKeyDictionary[Bidder, tuple[Path, int]]" = WeakKeyDictionary()
atexit.register(keep_all)


def _about(path: Path) -> dict[str, Any] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read(_ABOUT))
        return about if isinstance(about, dict) and isinstance(about["sides"], list) else None
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
