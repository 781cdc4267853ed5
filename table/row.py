"""One row of a bidding table, and the check of rows that come from outside.

A row is written in one of two ways: as the published tuple ``(index, prior, (call,), description,
[expressions])`` (nine items in the augmented form), or as an object with named keys.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from bidcascade.bridge import CALL_TEXTS, InvalidCall, InvalidTable, parse_call, parse_calls

LONGEST_AUCTION: Final = 319
"""Calls of the longest legal auction: three passes, then each bid passed, passed, doubled … ."""

LARGEST_INDEX: Final = 0xFFFFFFFE
LARGEST_RANK: Final = 0x7FFFFFFE
LARGEST_COUNT: Final = 0xFFFFFFFE

KEYS: Final = (
    "index",
    "prior",
    "call",
    "name",
    "description",
    "criteria",
    "rank",
    "tags",
    "where",
    "count",
    "source",
)
"""Keys of a row that is written as an object; ``prior`` and ``call`` must be there."""


class Augmentation(NamedTuple):
    """The four further items of the augmented tuple, as the file states them."""

    leading_passes: int
    is_completed: bool
    prior_indices: tuple[int, ...]
    seat: int


class Row(NamedTuple):
    """One row: a call after a prior auction, with what it means.

    ``prior`` and ``call`` are call codes, ``criteria`` expression texts that must all hold;
    ``where`` is the file and line of a system that the row was compiled from. Nothing is
    checked here.

    Examples
    --------
    >>> from bidcascade.bridge import parse_call, parse_calls
    >>> row = Row(bytes(parse_calls("1N P")), parse_call("2C"), "Stayman", ("SL_H >= 4",))
    >>> row.call, list(row.prior)
    (8, [7, 0])
    """

    prior: bytes
    call: int
    description: str = ""
    criteria: tuple[str, ...] = ()
    source_index: int | None = None
    """The row's ``index`` where it came from."""
    name: str = ""
    rank: int | None = None
    tags: tuple[str, ...] = ()
    where: str = ""
    # the key of the row formats; the method of tuples that it hides is of no use to a row
    count: int | None = None  # type: ignore[assignment]
    """How often the call was made there, in a table mined from auctions."""
    source: str = ""
    """What kind of text says what the call means: ``announcement``, ``note``, ``learned`` …."""
    augmentation: Augmentation | None = None


def values_of(row: Row) -> tuple[Any, ...]:
    """Values of a row as files have them, in the order of :data:`KEYS`."""
    return (
        row.source_index, [CALL_TEXTS[call] for call in row.prior], CALL_TEXTS[row.call], row.name,
        row.description, list(row.criteria), row.rank, list(row.tags), row.where, row.count,
        row.source,
    )  # fmt: skip


_CODES: Final[dict[str, int]] = {
    spelling: code
    for code, text in enumerate(CALL_TEXTS)
    for spelling in {text, text.lower(), text + "T" if text.endswith("N") else text}
} | {"D": 1, "d": 1, "R": 2, "r": 2}
"""The common spellings; the others go the slower way through :func:`parse_call`."""


def row_of(written: object, place: str) -> Row:
    """Check one row that was read from a file or handed over, in either way of writing.

    Parameters
    ----------
    written : Row, tuple, list or mapping
        The row.
    place : str
        Where it stood, for the message: ``"row 17"``.

    Raises
    ------
    InvalidTable
        If it is no row; the message says what was expected and where.
    """
    if isinstance(written, Row):
        return written
    if isinstance(written, tuple | list):
        return _row_of_tuple(written, place)
    if isinstance(written, Mapping):
        return _row_of_mapping(written, place)
    raise InvalidTable(f"{place}: expected a tuple or an object, got {shown(written)}")


def _row_of_tuple(items: Sequence[Any], place: str) -> Row:
    if len(items) not in (5, 9):
        raise InvalidTable(
            f"{place}: expected 5 items (index, prior, (call,), description, expressions) "
            f"or 9, got {len(items)}: {shown(items)}"
        )
    index, prior, call, description, criteria = items[:5]
    if isinstance(call, tuple | list):
        if len(call) != 1:
            raise InvalidTable(f"{place}: expected one call, got {shown(call)}")
        call = call[0]
    return Row(
        _prior(prior, place),
        _call(call, place),
        _text(description, "description", place),
        _texts(criteria, "expressions", place),
        _number(index, "index", LARGEST_INDEX, place),
        augmentation=_augmentation(items[5:], place) if len(items) == 9 else None,
    )


def _row_of_mapping(row: Mapping[Any, Any], place: str) -> Row:
    get = row.get
    known = (
        ("prior" in row)
        + ("call" in row)
        + ("index" in row)
        + ("name" in row)
        + ("description" in row)
        + ("criteria" in row)
        + ("rank" in row)
        + ("tags" in row)
        + ("where" in row)
        + ("count" in row)
        + ("source" in row)
    )
    if known != len(row):
        stranger = next(key for key in row if key not in KEYS)
        raise InvalidTable(
            f"{place}: expected only the keys {', '.join(KEYS)}, got {shown(stranger)}"
        )
    for key in ("prior", "call"):
        if key not in row:
            raise InvalidTable(f"{place}: expected a key {key!r}, got {shown(row)}")
    name, tags, where, source = get("name"), get("tags"), get("where"), get("source")
    return Row(
        _prior(row["prior"], place),
        _call(row["call"], place),
        _text(get("description"), "description", place),
        _texts(get("criteria"), "criteria", place),
        _number(get("index"), "index", LARGEST_INDEX, place),
        _text(name, "name", place) if name else "",
        _number(get("rank"), "rank", LARGEST_RANK, place),
        _texts(tags, "tags", place) if tags else (),
        _text(where, "where", place) if where else "",
        _number(get("count"), "count", LARGEST_COUNT, place),
        _text(source, "source", place) if source else "",
    )


def _prior(prior: Any, place: str) -> bytes:
    if isinstance(prior, bytes):
        return prior
    try:
        if isinstance(prior, str):
            codes = bytes(parse_calls(prior))
        elif isinstance(prior, tuple | list):
            try:
                codes = bytes([_CODES[call] for call in prior])
            except (KeyError, TypeError):
                codes = bytes([_call(call, place) for call in prior])
        else:
            raise InvalidTable(f"{place}: expected a list of calls, got {shown(prior)}")
    except InvalidCall as error:
        raise InvalidTable(f"{place}: {error}") from None
    if len(codes) >= LONGEST_AUCTION:
        raise InvalidTable(
            f"{place}: expected an auction of at most {LONGEST_AUCTION} calls, got {len(codes) + 1}"
        )
    return codes


def _call(call: Any, place: str) -> int:
    if not isinstance(call, str):
        raise InvalidTable(f"{place}: expected a call as text, got {shown(call)}")
    code = _CODES.get(call)
    if code is not None:
        return code
    try:
        return parse_call(call)
    except InvalidCall as error:
        raise InvalidTable(f"{place}: {error}") from None


def _text(text: Any, what: str, place: str) -> str:
    if text is None:
        return ""
    if isinstance(text, str):
        return text
    raise InvalidTable(f"{place}: expected a text as {what}, got {shown(text)}")


def _texts(texts: Any, what: str, place: str) -> tuple[str, ...]:
    if not texts:
        if texts is None or isinstance(texts, tuple | list):
            return ()
    elif isinstance(texts, tuple | list) and all(isinstance(text, str) for text in texts):
        return tuple(texts)
    raise InvalidTable(f"{place}: expected a list of texts as {what}, got {shown(texts)}")


def _number(number: Any, what: str, largest: int, place: str) -> int | None:
    if number is None:
        return None
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= largest:
        return number
    raise InvalidTable(
        f"{place}: expected a whole number 0 to {largest} as {what}, got {shown(number)}"
    )


def _augmentation(items: Sequence[Any], place: str) -> Augmentation:
    passes, completed, indices, seat = items
    if not (
        type(passes) is int
        and type(completed) is bool
        and type(seat) is int
        and isinstance(indices, tuple | list)
        and all(type(index) is int for index in indices)
    ):
        raise InvalidTable(
            f"{place}: expected passes, completed, prior indices and seat as the last four items, "
            f"got {shown(items)}"
        )
    return Augmentation(passes, completed, tuple(indices), seat)


def shown(value: object) -> str:
    """Representation of a value from outside, cut to what fits a message."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= 80 else text[:80] + "…"
