"""Rows as JSON Lines: one object (or one published tuple as a list) a line, UTF-8.

``{"prior": ["1N", "P"], "call": "2C", "name": "Stayman", "criteria": ["SL_H >= 4"]}``; further
keys are ``index``, ``description``, ``rank``, ``tags``, ``where``, ``count`` and ``source``. A key
that is not known is an error: a mistyped ``criteria`` would otherwise leave an entry without any.
So is a key that is there twice.
"""

import codecs
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from bidcascade.bridge import InvalidTable
from bidcascade.table.row import KEYS, Row, row_of, values_of

LONGEST_LINE: Final = 1_000_000
"""Bytes a line may have."""


def read_json_rows(path: Path) -> Iterator[Row]:
    """Rows of a JSON Lines file, read line by line; blank lines are passed over.

    Raises
    ------
    InvalidTable
        If a line is no row; the message names the line.
    """
    with path.open("rb") as file:
        yield from rows_of_lines(file, path.name)


def rows_of_lines(file: IO[bytes], source: str) -> Iterator[Row]:
    """Rows of an open JSON Lines stream."""
    decode = json.JSONDecoder(parse_constant=refuse_constant, object_pairs_hook=no_key_twice).decode
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if len(line) > LONGEST_LINE:
            raise InvalidTable(
                f"{source}, line {number}: expected a line of at most {LONGEST_LINE:,} bytes, "
                f"got a longer one: {line[:60]!r}…"
            )
        if not line.strip():
            continue
        try:
            written = decode(line.decode())
        except UnicodeDecodeError as error:
            raise InvalidTable(
                f"{source}, line {number}: expected UTF-8, got byte {line[error.start]:#x} "
                f"at {error.start}"
            ) from None
        except RecursionError:
            raise InvalidTable(
                f"{source}, line {number}: expected one object, got one nested too deeply: "
                f"{line[:60]!r}…"
            ) from None
        except ValueError as error:
            raise InvalidTable(
                f"{source}, line {number}: expected a JSON object, got {line[:60]!r}: {error}"
            ) from None
        yield row_of(written, f"{source}, line {number}")


def write_json_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as JSON Lines; keys without a value are left out."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(encode(row_object(row)) + "\n")


def row_object(row: Row) -> dict[str, Any]:
    r"""Row as an object with the keys of JSON Lines.

    Examples
    --------
    >>> row_object(Row(b"\x07\x00", 8, "", ("SL_H >= 4",), name="Stayman"))
    {'prior': ['1N', 'P'], 'call': '2C', 'name': 'Stayman', 'criteria': ['SL_H >= 4']}
    """
    return {
        key: value
        for key, value in zip(KEYS, values_of(row), strict=True)
        # of numbers, 0 says something
        if value or value == 0 or key == "prior"
    }


def refuse_constant(text: str) -> NoReturn:
    """Refuse ``NaN`` and the like, which Python's reader would take."""
    raise ValueError(f"{text} is no JSON")


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; Python's reader would keep the last of two with one key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return found
