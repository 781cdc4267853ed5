"""What rules did when they were laid over a table: each rule in numbers, and what is odd."""

from dataclasses import dataclass, field
from typing import Final

from bidcascade.table.import_report import FindingCount, counted, finding_lines

from .rules import Overlay, OverlayMark, Rule

FINDINGS: Final[dict[str, str]] = {
    "without_effect": "rules that met no entry, or changed none",
    "illegal_calls": "places where an entry to be added would be an illegal call",
    "missing_parents": "missing parents, inserted as undescribed",
    "variants": "entries that were there already and got a further variant",
    "unsatisfiable": "criteria that no hand can fit",
    "never_hold": "entries without criteria, which the table's policy does not let hold",
}
"""Kinds of findings, in the order of a report, with what each means."""


@dataclass(slots=True)
class RuleReport:
    """What one rule did.

    Parameters
    ----------
    where : str
        File and line.
    rule : str
        The rule in short.
    met : int
        Entries that it speaks of; for an entry to be added, the places behind which it belongs.
    added, changed, removed : int
        Entries, in the latter case with those below.
    """

    where: str
    rule: str
    met: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0


@dataclass(slots=True)
class OverlayReport:
    """What overlays did to a table."""

    overlays: list[OverlayMark] = field(default_factory=list)
    rules: list[RuleReport] = field(default_factory=list)
    findings: dict[str, FindingCount] = field(
        default_factory=lambda: {kind: FindingCount() for kind in FINDINGS}
    )

    def begin(self, overlay: Overlay, rule: Rule) -> RuleReport:
        """Start the account of a rule."""
        one = RuleReport(f"{overlay.mark.name}:{rule.line}", str(rule))
        self.rules.append(one)
        return one

    def total(self, what: str) -> int:
        """Sum over the rules of ``added``, ``changed`` or ``removed``."""
        return sum(getattr(rule, what) for rule in self.rules)

    def __str__(self) -> str:
        lines = [
            f"{counted(len(self.rules), 'rule')}, "
            f"{counted(self.total('added'), 'entry', 'entries')} added, "
            f"{self.total('changed'):,} changed, {self.total('removed'):,} removed"
        ]
        return "\n".join([*lines, *finding_lines(self.findings, FINDINGS)])
