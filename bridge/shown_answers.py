"""How answers show themselves: as one line at a prompt, as tables in a notebook."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any, Final, cast

LONGEST_LINE: Final = 200
"""Characters of an answer's ``repr`` at most."""
MOST_ROWS: Final = 25
"""Rows of a table in a notebook; a line below says how many more there are."""
_LONGEST_VALUE: Final = 48
_PLAIN: Final = (str, int, float, bool, type(None))


class ShownAnswer:
    """Base of dataclasses that answer a question; they are made with ``repr=False``.

    The line at a prompt names what is plain and counts what is long; fields that are as they were
    not given are left out. A notebook shows the same and what is in them. All of it is in the
    fields.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True, repr=False)
    ... class Found(ShownAnswer):
    ...     call: str
    ...     layouts: tuple[int, ...]
    ...     note: str = ""
    >>> Found("3N", tuple(range(100)))
    Found(call='3N', layouts=<100>)
    """

    __slots__ = ()

    def _shown(self) -> dict[str, object]:
        """Give what is shown, by name: the fields."""
        return {
            one.name: getattr(self, one.name)
            for one in fields(cast(Any, self))
            if one.repr and not _is_default(one, getattr(self, one.name))
        }

    def __repr__(self) -> str:
        start, end = f"{type(self).__name__}(", ")"
        fields = ", ".join(f"{name}={short(value)}" for name, value in self._shown().items())
        room = LONGEST_LINE - len(start) - len(end)
        return f"{start}{fields if len(fields) <= room else fields[: room - 1] + '…'}{end}"

    def _repr_html_(self) -> str:
        shown = self._shown()
        long = {name: value for name, value in shown.items() if _rows(value)}
        plain = [(name, value) for name, value in shown.items() if name not in long]
        tables = [_html(type(self).__name__, ("", ""), plain)] if plain or not long else []
        tables += [_html(name, *_table(value)) for name, value in long.items()]
        return "".join(tables)


def short(value: object) -> str:
    """Write a value in one line of a few words: what is long is counted.

    Examples
    --------
    >>> short("Stayman"), short((15, 17)), short([0] * 100), short({"N": "AKQ"})
    ("'Stayman'", '(15, 17)', '<100>', "{'N': 'AKQ'}")
    """
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, str):
        cut = value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"
        return repr(cut)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, _PLAIN):
        return repr(value)
    if (shape := getattr(value, "shape", None)) is not None:
        return f"<{' × '.join(map(str, shape))}>"
    if isinstance(value, ShownAnswer):
        return f"<{type(value).__name__}>"
    if isinstance(value, Collection):
        return _whole(value) or f"<{len(value):,}>"
    text = str(value)
    one_line = len(text) <= _LONGEST_VALUE and "\n" not in text
    return text if one_line else f"<{type(value).__name__}>"


def _whole(value: "Collection[object]") -> str:
    """Write a short collection of plain values in whole; else nothing."""
    inside = [*value, *value.values()] if isinstance(value, Mapping) else list(value)
    if len(inside) > _LONGEST_VALUE or not all(
        isinstance(one, _PLAIN) or (isinstance(one, tuple) and len(one) <= 2) for one in inside
    ):
        return ""
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE and "\n" not in text else ""


def _is_default(one: "Field[Any]", value: object) -> bool:
    if one.default is not MISSING:
        return bool(value == one.default)
    return one.default_factory is not MISSING and value == one.default_factory()


# --- in a notebook --------------------------------------------------------------------------------


def _rows(value: object) -> "Sequence[object] | Mapping[Any, object]":
    """Give what is shown as a table of its own: records, or records by name; else nothing."""
    if isinstance(value, Mapping):
        return value if value and all(map(_is_record, value.values())) else {}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value if value and all(map(_is_record, value)) else ()
    return ()


def _is_record(value: object) -> bool:
    return is_dataclass(value) or isinstance(value, Mapping) or hasattr(value, "_fields")


def _record(value: Any) -> Mapping[str, object]:
    if isinstance(value, ShownAnswer):
        return value._shown()
    if isinstance(value, Mapping):
        return value
    if hasattr(value, "_fields"):
        return cast("Mapping[str, object]", value._asdict())
    return {one.name: getattr(value, one.name) for one in fields(value) if one.repr}


def _table(value: Any) -> tuple[list[str], "list[list[object]]"]:
    """Columns and rows of records."""
    named = isinstance(value, Mapping)
    records = [_record(one) for one in (value.values() if named else value)]
    columns = list(dict.fromkeys(name for record in records for name in record))
    rows = [[record.get(name, "") for name in columns] for record in records]
    if named:
        return ["", *columns], [[name, *row] for name, row in zip(value, rows, strict=True)]
    return columns, rows


def _html(caption: str, columns: Iterable[str], rows: "Sequence[Iterable[object]]") -> str:
    from html import escape

    heads = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>"
        for row in rows[:MOST_ROWS]
    )
    left = len(rows) - MOST_ROWS
    more = f"<p>{left:,} more</p>" if left > 0 else ""
    top = f"<thead><tr>{heads}</tr></thead>" if any(columns) else ""
    return f"<table><caption>{escape(caption)}</caption>{top}<tbody>{lines}</tbody></table>{more}"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if isinstance(value, str) else short(value)
