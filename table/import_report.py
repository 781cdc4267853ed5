"""What an import found: counts and the first examples of each kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

MOST_EXAMPLES: Final = 10
"""Examples kept of each kind of finding."""


@dataclass(slots=True)
class FindingCount:
    """How often something was found, and the first places."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str, times: int = 1) -> None:
        """Count it, and keep the example while there is room."""
        self.count += times
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(example)

    def add_many(self, count: int, examples: Iterable[str]) -> None:
        """Count many at once; ``examples`` is read no further than there is room."""
        self.count += count
        for example in examples:
            if len(self.examples) >= MOST_EXAMPLES:
                break
            self.examples.append(example)


FINDINGS: Final[dict[str, str]] = {
    "orphans": "rows whose prior auction is no row",
    "missing_parents": "missing parents, inserted as undescribed",
    "variants": "rows that repeat an auction, kept as variants",
    "illegal_calls": "rows with an illegal call, dropped",
    "below_completed": "rows below a completed auction, dropped",
    "unknown_terms": "rows with an unknown term",
    "expressions_dropped": "expressions with an unknown term, left out",
    "rejected": "rows with an unknown term, dropped",
    "below_rejected": "rows that only a dropped row leads to, dropped",
    "out_of_order": "rows that stand before the row of their parent",
    "disagreements": "rows whose stated seat, passes, completion or parents are wrong",
}
"""Kinds of findings, in the order of a report, with what each means."""


@dataclass(slots=True)
class ImportReport:
    """What an import read, and what it found.

    ``rows`` were read and ``entries`` came of them. ``findings`` has every kind of
    :data:`FINDINGS`, most with count 0. ``unknown_terms`` says how many rows used each.

    Examples
    --------
    >>> from bidcascade.table.build import build_table
    >>> table, report = build_table([{"prior": "1N P", "call": "2C", "criteria": ["SL_H >= 4"]}])
    >>> print(report)
    1 row read, 3 entries, 1 criteria list, 1 expression
    rows whose prior auction is no row: 1
      row 1: 1N P 2C
    missing parents, inserted as undescribed: 2
      1N
      1N P
    """

    rows: int = 0
    entries: int = 0
    criteria_lists: int = 0
    """Distinct criteria lists that are not empty."""
    expressions: int = 0
    unknown_terms: dict[str, int] = field(default_factory=dict)
    findings: dict[str, FindingCount] = field(
        default_factory=lambda: {kind: FindingCount() for kind in FINDINGS}
    )

    def counts(self) -> dict[str, int]:
        """How often each kind was found, with the number of rows read."""
        return {"rows": self.rows} | {kind: found.count for kind, found in self.findings.items()}

    def __str__(self) -> str:
        lines = [
            f"{counted(self.rows, 'row')} read, {counted(self.entries, 'entry', 'entries')}, "
            f"{counted(self.criteria_lists, 'criteria list')}, "
            f"{counted(self.expressions, 'expression')}"
        ]
        lines += [
            f"rows with the unknown term {name}: {count:,}"
            for name, count in self.unknown_terms.items()
        ]
        return "\n".join([*lines, *finding_lines(self.findings, FINDINGS)])


def finding_lines(findings: Mapping[str, FindingCount], meanings: Mapping[str, str]) -> list[str]:
    """Write findings for people, those of which there are any."""
    lines = []
    for kind, found in findings.items():
        if found.count:
            lines.append(f"{meanings[kind]}: {found.count:,}")
            lines += [f"  {example}" for example in found.examples]
            if found.count > len(found.examples):
                lines.append(f"  … and {found.count - len(found.examples):,} more")
    return lines


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "entry", "entries")
    ('1 row', '2,000 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
