"""Files of overlay rules: JSON Lines or CSV, every rule checked, all complaints at once."""

import codecs
import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from bidcascade.bridge import (
    Auction,
    IllegalCall,
    InvalidCall,
    InvalidExpression,
    InvalidOverlay,
)
from bidcascade.table.formats.json_lines import no_key_twice, refuse_constant
from bidcascade.table.language.expressions import parse_expression, terms_of, to_postfix
from bidcascade.table.language.vocabulary import Vocabulary
from bidcascade.table.row import LARGEST_RANK, shown

from .place_pattern import PlacePattern
from .rules import COLUMNS, LABELS, RULE_KINDS, Overlay, OverlayMark, Rule, RuleKind

MOST_COMPLAINTS: Final = 200
"""Complaints that are listed; further ones are counted."""
_MOST_READ: Final = 10_000
"""Complaints, beyond which no more rules are read."""
LARGEST_FILE: Final = 16 << 20
"""Bytes an overlay's file may have; what is larger is a table."""

_LISTS: Final = ("criteria", "expressions", "tags")
_LIST_DIVIDER: Final = ";"
_JSON_ENDINGS: Final = (".jsonl", ".ndjson", ".json")


def read_overlay(path: "Path | str", vocabulary: Vocabulary | None = None) -> Overlay:
    r"""Read a file of rules; see :func:`read_overlays`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "fixes.csv"
    ...     _ = file.write_text("rule,at,criteria\nreplace,1N,15 <= HCP <= 18; Balanced\n")
    ...     read_overlay(file).rules[0].criteria
    ('15 <= HCP <= 18', 'Balanced')
    """
    return read_overlays([path], vocabulary)[0]


def read_overlays(
    paths: "Sequence[Path | str]", vocabulary: Vocabulary | None = None
) -> list[Overlay]:
    """Read files of rules.

    A file is JSON Lines (an object a line) or CSV with a first line of column names; which one its
    ending tells, or else its first character. Lists are divided by semicolons in CSV.

    Parameters
    ----------
    paths : sequence of path
    vocabulary : Vocabulary, optional
        Of the table that they are for: expressions are checked against it.

    Raises
    ------
    InvalidOverlay
        If a file cannot be read or a rule is none; with every complaint, of all files.
    """
    complaints: list[str] = []
    overlays = []
    for path in map(Path, paths):
        content = _content(path, complaints)
        reader = _Reader(path.name, vocabulary, complaints)
        rules = tuple(reader.rules(content, path.suffix.lower()))
        overlays.append(Overlay(OverlayMark(path.name, hashlib.sha256(content).hexdigest()), rules))
    if complaints:
        raise overlay_error(complaints)
    return overlays


def overlay_error(complaints: Sequence[str]) -> InvalidOverlay:
    """Error that lists complaints."""
    listed = [*complaints[:MOST_COMPLAINTS]]
    if len(complaints) > len(listed):
        listed.append(f"… and {len(complaints) - len(listed):,} more")
    return InvalidOverlay("\n".join(listed), complaints)


def _content(path: Path, complaints: list[str]) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            complaints.append(
                f"{path.name}: expected an overlay of at most {LARGEST_FILE:,} bytes, got {size:,}"
            )
            return b""
        return path.read_bytes()
    except OSError as error:
        complaints.append(
            f"expected a file of overlay rules, got {str(path)!r}: {error.strerror or error}"
        )
        return b""


class _Reader:
    def __init__(self, name: str, vocabulary: Vocabulary | None, complaints: list[str]) -> None:
        self._name = name
        self._vocabulary = vocabulary
        self._complaints = complaints
        self._line = 0

    def rules(self, content: bytes, ending: str) -> Iterator[Rule]:
        try:
            text = content.removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError as error:
            self._line = content.count(b"\n", 0, error.start) + 1
            self._complain(f"expected UTF-8, got byte {content[error.start]:#x}")
            return
        is_json = ending in _JSON_ENDINGS or (ending != ".csv" and text.lstrip()[:1] in ("", "{"))
        objects = self._of_json(text) if is_json else self._of_csv(text)
        for written in objects:
            if len(self._complaints) >= _MOST_READ:
                self._complain("what follows was not read")
                return
            rule = self._rule(written)
            if rule is not None:
                yield rule

    def _complain(self, message: str) -> None:
        place = f"{self._name}:{self._line}" if self._line else self._name
        self._complaints.append(f"{place}: {message}")

    # --- formats ----------------------------------------------------------------------------

    def _of_json(self, text: str) -> Iterator[Mapping[str, Any]]:
        decode = json.JSONDecoder(
            parse_constant=refuse_constant, object_pairs_hook=no_key_twice
        ).decode
        for self._line, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                written = decode(line)
            except RecursionError:
                self._complain("expected one object, got one nested too deeply")
                continue
            except ValueError as error:
                self._complain(f"expected a JSON object, got {shown(line.strip())}: {error}")
                continue
            if not isinstance(written, dict):
                self._complain(f"expected an object, got {shown(written)}")
                continue
            strangers = [key for key in written if key not in COLUMNS]
            if strangers:
                self._complain(
                    f"expected only the keys {', '.join(COLUMNS)}, "
                    f"got {', '.join(map(shown, strangers))}"
                )
                continue
            yield written

    def _of_csv(self, text: str) -> Iterator[Mapping[str, Any]]:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header: list[str] | None = None
        while True:
            # a record may go over several lines: it is named by its first one
            self._line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                self._complain(f"expected CSV, got what is none: {error}")
                return
            if cells is None:
                return
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = [cell.strip() for cell in cells]
                if not self._check_header(header):
                    return
                continue
            if len(cells) != len(header):
                self._complain(f"expected {len(header)} cells, got {len(cells)}")
                continue
            written: dict[str, Any] = {}
            for key, cell in zip(header, cells, strict=True):
                if cell.strip():
                    written[key] = self._cell(key, cell.strip())
            yield written

    def _check_header(self, header: list[str]) -> bool:
        if len(header) > 2 * len(COLUMNS):
            self._complain(f"expected at most {len(COLUMNS)} columns, got {len(header):,}")
            return False
        strangers = [name for name in header if name not in COLUMNS]
        twice = sorted({name for name in header if header.count(name) > 1})
        missing = [name for name in ("rule", "at") if name not in header]
        if strangers:
            self._complain(
                f"expected only the columns {', '.join(COLUMNS)}, "
                f"got {', '.join(map(shown, strangers))}"
            )
        if twice:
            self._complain(f"expected each column once, got {', '.join(map(shown, twice))} twice")
        if missing and not strangers:
            self._complain(f"expected a column {missing[0]!r}, got {', '.join(header)}")
        return not (strangers or twice or missing)

    def _cell(self, key: str, cell: str) -> Any:
        if key in _LISTS:
            return [part.strip() for part in cell.split(_LIST_DIVIDER) if part.strip()]
        if key == "rank":
            return int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 12 else cell
        return cell

    # --- one rule ---------------------------------------------------------------------------

    def _rule(self, written: Mapping[str, Any]) -> Rule | None:
        given = {key: value for key, value in written.items() if value is not None}
        before = len(self._complaints)
        kind = given.get("rule")
        if kind not in RULE_KINDS:
            self._complain(
                f"expected a rule of {', '.join(RULE_KINDS)}, got {shown(kind)}"
                if "rule" in given
                else f"expected a key 'rule' ({', '.join(RULE_KINDS)}), got none"
            )
        at = self._place(given)
        values: dict[str, Any] = {}
        for key in ("name", "description", "comment"):
            if key in given and not isinstance(given[key], str):
                self._complain(f"expected a text as {key}, got {shown(given[key])}")
            elif key in given and not _fits_utf8(given[key]):
                self._complain(f"expected text that UTF-8 can hold as {key}")
        for key in _LISTS:
            if key in given:
                values[key] = self._texts(key, given[key])
        rank = given.get("rank")
        if rank is not None and not (type(rank) is int and 0 <= rank <= LARGEST_RANK):
            self._complain(
                f"expected a whole number 0 to {LARGEST_RANK} as rank, got {shown(rank)}"
            )
        for key in ("criteria", "expressions"):
            if values.get(key) is not None:
                values[key] = self._canonical(values[key])
        if kind in RULE_KINDS:
            self._check_parts(cast("RuleKind", kind), given, at)
        if len(self._complaints) > before or at is None:
            return None
        return Rule(
            cast("RuleKind", kind),
            at,
            self._line,
            name=given.get("name"),
            description=given.get("description"),
            rank=rank,
            **values,
        )

    def _place(self, given: Mapping[str, Any]) -> PlacePattern | None:
        written = given.get("at")
        if isinstance(written, list) and all(isinstance(call, str) for call in written):
            written = " ".join(written)
        if not isinstance(written, str):
            self._complain(
                f"expected an auction or a pattern as 'at', got {shown(written)}"
                if "at" in given
                else "expected a key 'at' with an auction or a pattern, got none"
            )
            return None
        try:
            at = PlacePattern.parse(written)
            if at.auction is not None:
                Auction.of(at.auction)
        except (InvalidCall, IllegalCall) as error:
            self._complain(str(error))
            return None
        return at

    def _texts(self, key: str, value: object) -> tuple[str, ...] | None:
        if isinstance(value, str) and key != "tags":
            value = [value]
        if isinstance(value, list) and all(isinstance(text, str) for text in value):
            texts = tuple(value)
            if all(map(_fits_utf8, texts)):
                return texts
        self._complain(f"expected a list of texts as {key}, got {shown(value)}")
        return None

    def _canonical(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        found = []
        for text in texts:
            try:
                expression = parse_expression(text)
                if self._vocabulary is not None:
                    terms = tuple(terms_of(expression))
                    self._check_terms(text, terms)
                    if all(term in self._vocabulary for term in terms):
                        to_postfix(expression, self._vocabulary)
                found.append(str(expression))
            except InvalidExpression as error:
                self._complain(str(error).partition("\n")[0] + f" in {shown(text)}")
        return tuple(dict.fromkeys(found))

    def _check_terms(self, text: str, terms: Sequence[str]) -> None:
        assert self._vocabulary is not None
        for name in terms:
            if name not in self._vocabulary:
                nearest = self._vocabulary.nearest(name)
                hint = f", did you mean {nearest!r}?" if nearest else ""
                self._complain(
                    f"expected a term of the vocabulary, got {name!r} in {shown(text)}{hint}"
                )

    def _check_parts(
        self, kind: RuleKind, given: Mapping[str, Any], at: PlacePattern | None
    ) -> None:
        labels = [key for key in LABELS if key in given]
        if "expressions" in given:
            if kind == "replace":
                self._complain("expected criteria in a rule 'replace', got expressions")
            elif labels:
                self._complain(
                    f"expected expressions alone in a rule {kind!r} for them, got {labels[0]} too"
                )
            elif not given["expressions"]:
                self._complain("expected at least one expression, got none")
        elif kind == "remove" and labels:
            self._complain(f"expected a rule 'remove' without {labels[0]}, got one with it")
        elif kind == "replace" and not labels:
            self._complain(f"expected one of {', '.join(LABELS)} to replace, got none")
        elif kind == "add" and at is not None and at.last_call is None:
            self._complain(
                f"expected one call at the end for an entry that is added, got {at.text!r}"
            )


def _fits_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
