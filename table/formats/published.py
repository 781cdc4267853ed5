"""Rows as the large published tables have them (BSalita/SH_Bidding): a Python literal or a pickle.

A literal is ``NAME = [(index, prior, (call,), description, [expressions]), …]``, also augmented to
nine items. It is read in pieces and row by row; it is text to this module, never Python to run.

A pickle of the same list is a program. The reader allows it to build tuples, lists, dicts, texts,
whole numbers, truth values and None, and refuses it as soon as it names anything else.
"""

import ast
import pickle
import re
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from bidcascade.bridge import CALL_TEXTS, InvalidTable
from bidcascade.table.row import Row, row_of

LONGEST_ROW: Final = 1_000_000
"""Characters a row may have."""

DEEPEST_ROW: Final = 3
"""Levels of brackets a row may have: the row, and a list or tuple in it."""

TABLE_NAME: Final = "bbo_bidding_sequences_table"
"""Name that is written; any name is read."""

FILE_CALLS: Final = ("p", "d", "r", *CALL_TEXTS[3:])
"""Calls as the published files spell them."""

_PIECE: Final = 1 << 18
_HEAD: Final = re.compile(
    r"""(?: \s+ | \#[^\n]*
    | '''(?:[^\\']|\\.|'(?!''))*?''' | \"\"\"(?:[^\\"]|\\.|"(?!""))*?\"\"\" )*+
    (?P<name>[A-Za-z_]\w*) \s* = \s* \[""",
    re.VERBOSE | re.DOTALL,
)
_GAP: Final = re.compile(r"(?:\s+|#[^\n]*\n)*+")
_TEXT: Final = r"(?:'[^'\\\n]*'|\"[^\"\\\n]*\")"
_TEXTS: Final = rf"(?:{_TEXT}(?:,\s?{_TEXT})*+,?)?"
_COMMON_ROW: Final = re.compile(
    rf"\((\d{{1,10}}),\s?\(({_TEXTS})\),\s?\(({_TEXT}),\),\s?({_TEXT}),\s?\[({_TEXTS})\]\)"
)
"""The shape nearly every row has; what does not fit goes through ``ast.literal_eval``."""
_EACH_TEXT: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_TOKEN: Final = re.compile(
    r"""'''(?:[^\\']|\\.|'(?!''))*'''|\"\"\"(?:[^\\"]|\\.|"(?!""))*\"\"\"|'''|\"\"\"
    |'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\#[^\n]*|[()\[\]{}]|['"]""",
    re.VERBOSE | re.DOTALL,
)

_PROTOCOL: Final = 3
"""Last protocol without frames, so that a list can be written piece by piece."""

_PICKLE_HEAD: Final = pickle.dumps([], protocol=_PROTOCOL)[:-1]
"""What a pickled list begins with: protocol, an empty list, and its place in the memo."""

_DAMAGED: Final = (
    pickle.UnpicklingError, EOFError, ValueError, IndexError, KeyError, AttributeError, TypeError,
    AssertionError, OverflowError, MemoryError, RecursionError, struct.error,
)  # fmt: skip
"""What the standard unpickler raises on damaged input."""


def read_literal_rows(path: Path) -> Iterator[Row]:
    """Rows of a Python literal file, read in pieces.

    Raises
    ------
    InvalidTable
        If the file does not hold one list of rows, or ends early; the message names the row.
    """
    with path.open(encoding="utf-8-sig") as file:
        try:
            yield from rows_of_literal(file, path.name)
        except UnicodeDecodeError as error:
            raise InvalidTable(f"{path.name}: expected UTF-8, got {error.reason}") from None


def rows_of_literal(file: IO[str], source: str) -> Iterator[Row]:
    """Rows of an open stream of a Python literal."""
    buffer = _Buffer(file)
    buffer.read_head(source)
    number = 0
    while True:
        place = f"{source}, row {number + 1}"
        if not buffer.skip_gap():
            raise InvalidTable(f"{place}: expected a row or the closing ], got the end of the file")
        following = buffer.text[buffer.at]
        if following == "]":
            buffer.at += 1
            break
        if following != "(":
            raise InvalidTable(f"{place}: expected a row in parentheses, got {buffer.shown()!r}")
        number += 1
        yield buffer.read_row(place)
        if buffer.skip_gap() and buffer.text[buffer.at] == ",":
            buffer.at += 1
        elif not buffer.skip_gap() or buffer.text[buffer.at] != "]":
            raise InvalidTable(f"{place}: expected , or ] behind the row, got {buffer.shown()!r}")
    if buffer.skip_gap():
        raise InvalidTable(
            f"{source}: expected the end of the file behind the closing ], got {buffer.shown()!r}"
        )


class _Buffer:
    """A piece of the file, and the place reached in it."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.text = ""
        self.at = 0

    def fill(self) -> bool:
        """Read another piece behind what is not used yet; false at the end of the file."""
        piece = self._file.read(_PIECE)
        self.text = self.text[self.at :] + piece
        self.at = 0
        return bool(piece)

    def shown(self) -> str:
        return self.text[self.at : self.at + 60]

    def read_head(self, source: str) -> None:
        while True:
            head = _HEAD.match(self.text, self.at)
            if head:
                self.at = head.end()
                return
            if not self.fill() or len(self.text) > LONGEST_ROW:
                raise InvalidTable(
                    f"{source}: expected a Python file with 'name = [' and rows, "
                    f"got {self.shown()!r}"
                )

    def skip_gap(self) -> bool:
        """Go over blanks and comments; false at the end of the file."""
        while True:
            gap = _GAP.match(self.text, self.at)
            self.at = gap.end() if gap else self.at
            # a comment counts only with its line end, which the next piece may bring
            if self.at < len(self.text) and self.text[self.at] != "#":
                return True
            if not self.fill():
                return self.at < len(self.text) and self.text[self.at] != "#"

    def read_row(self, place: str) -> Row:
        common = _COMMON_ROW.match(self.text, self.at)
        if common is None and len(self.text) - self.at < _PIECE:
            self.fill()
            common = _COMMON_ROW.match(self.text, self.at)
        if common is None:
            return self._read_uncommon_row(place)
        self.at = common.end()
        index, prior, call, description, criteria = common.groups()
        return row_of(
            (int(index), _texts_of(prior), call[1:-1], description[1:-1], _texts_of(criteria)),
            place,
        )

    def _read_uncommon_row(self, place: str) -> Row:
        end = self._row_end(place)
        text = self.text[self.at : end]
        self.at = end
        try:
            written = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise InvalidTable(
                f"{place}: expected a tuple of plain values, got {text[:80]!r}"
            ) from None
        return row_of(written, place)

    def _row_end(self, place: str) -> int:
        """Where the row that begins here ends; reads on where it must."""
        scanned, depth = self.at, 0
        while True:
            token = _TOKEN.search(self.text, scanned)
            at_end_of_text = token is None or token.end() == len(self.text)
            # the start of a text without its end
            lone_quote = token is not None and token[0] in ("'", '"', "'''", '"""')
            if at_end_of_text or lone_quote:
                # a text or comment may go on in the next piece
                done = scanned - self.at
                if depth == 1 and token is not None and token[0] == ")":
                    return token.end()
                if len(self.text) - self.at > LONGEST_ROW:
                    raise InvalidTable(
                        f"{place}: expected a row of at most {LONGEST_ROW:,} characters, "
                        f"got a longer one: {self.shown()!r}…"
                    )
                if not self.fill():
                    raise InvalidTable(
                        f"{place}: expected the end of the row, got the end of the file "
                        f"after {self.shown()!r}"
                    )
                scanned = self.at + done
                continue
            assert token is not None
            scanned = token.end()
            if token[0] in "([{":
                depth += 1
                if depth > DEEPEST_ROW:
                    raise InvalidTable(
                        f"{place}: expected lists and tuples in a row, got deeper nesting: "
                        f"{self.shown()!r}"
                    )
            elif token[0] in ")]}":
                depth -= 1
                if depth == 0:
                    return scanned


def _texts_of(written: str) -> list[str]:
    return [single or double for single, double in _EACH_TEXT.findall(written)]


def tuple_of(row: Row) -> tuple[int | None, tuple[str, ...], tuple[str], str, list[str]]:
    r"""Row as the published tuple, with the calls spelt as in the published files.

    Name, rank, tags and place have no part in it.
    """
    prior = tuple(FILE_CALLS[call] for call in row.prior)
    return row.source_index, prior, (FILE_CALLS[row.call],), row.description, list(row.criteria)


def write_literal_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as a Python literal file."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("# (index, prior, (call,), description, [expressions])\n")
        file.write(f"{TABLE_NAME} = [\n")
        for row in rows:
            file.write(f"    {tuple_of(row)!r},\n")
        file.write("]\n")


# The unpickler in C is no choice here: ten bytes that name place 10^9 of its memo make it fill
# gigabytes. The one in Python keeps the memo in a dict and still reads 150,000 rows a second.
class _PlainUnpickler(pickle._Unpickler):
    """Builds plain values only."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise InvalidTable(
            f"expected a pickle of tuples, lists, texts and whole numbers, got one that asks for "
            f"{module[:60]}.{name[:60]}"
        )

    def get_extension(self, code: int) -> NoReturn:
        """Refuse an object named by a number of the extension registry."""
        raise InvalidTable(f"expected a pickle of plain values, got one with extension {code}")

    def persistent_load(self, reference: Any) -> NoReturn:
        raise InvalidTable(
            f"expected a pickle of plain values, got one that refers to {str(reference)[:60]!r}"
        )


def read_pickle_rows(path: Path) -> Iterator[Row]:
    """Rows of a pickle. The whole list is in memory while it is read.

    Raises
    ------
    InvalidTable
        If the file is damaged, asks for anything but plain values, or is no list of rows.
    """
    with path.open("rb") as file:
        try:
            rows = _PlainUnpickler(file).load()
        except InvalidTable as error:
            raise InvalidTable(f"{path.name}: {error}") from None
        except _DAMAGED as error:
            raise InvalidTable(f"{path.name}: expected a whole pickle, got {error}") from None
    if not isinstance(rows, list | tuple):
        raise InvalidTable(f"{path.name}: expected a list of rows, got a {type(rows).__name__}")
    for number, written in enumerate(rows, 1):
        yield row_of(written, f"{path.name}, row {number}")


def write_pickle_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as one pickled list of published tuples, without holding the list in memory."""
    source = iter(rows)
    with path.open("wb") as file:
        file.write(_PICKLE_HEAD)
        while batch := [tuple_of(row) for row in islice(source, 1000)]:
            # a pickled list of up to 1,000 items is a head that makes an empty list, a program that
            # appends the items to it, and a mark for the end: the programs are put together
            file.write(pickle.dumps(batch, protocol=_PROTOCOL)[len(_PICKLE_HEAD) : -1])
        file.write(pickle.STOP)
