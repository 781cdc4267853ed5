"""What the announcements of an archive are: kinds, phrases, what was not read."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from bidcascade.table.inspection.announcements import (
    FORMS,
    Announcement,
    is_beginning,
    read_announcement,
    read_part,
    split_parts,
    title_tags,
)
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary

KINDS: Final[dict[str, str]] = {
    "complete": "read whole",
    "truncated": "cut off",
    "dropped": "last part unknown",
    "human": "not in GIB's words",
    "rejected": "two --",
    "empty": "no text",
}
"""What a text can be, in the order of a report."""
MOST_SHOWN: Final = 10
"""Lines of each list that the text of a report has; JSON has them all."""


def kind_of(announcement: Announcement) -> str:
    """Which of :data:`KINDS` an announcement is."""
    if announcement.complete:
        return "complete"
    for kind in ("rejected", "human", "truncated", "dropped"):
        if getattr(announcement, kind):
            return kind
    return "empty"


@dataclass(slots=True)
class AnnouncementTally:
    """How many: distinct texts, and how often they occur; one of them as an example."""

    texts: int = 0
    times: int = 0
    example: str = ""

    def add(self, times: int, example: str) -> None:
        """Count one more distinct text."""
        self.texts += 1
        self.times += times
        self.example = self.example or example


class Tallies(dict[str, AnnouncementTally]):
    """Tallies by text or kind."""

    def __missing__(self, key: str) -> AnnouncementTally:
        return self.setdefault(key, AnnouncementTally())

    def most_frequent_first(self) -> list[tuple[str, AnnouncementTally]]:
        """Order by how often the texts occur, then by text."""
        return sorted(self.items(), key=lambda item: (-item[1].times, item[0]))


@dataclass(slots=True)
class CorpusReport:
    """Texts of a corpus by kind, and what was not read.

    ``parts`` are complete parts of the distinct texts that have a title or at least one phrase of
    GIB, ``parts_read`` those that are such phrases, ``unread`` the others, with numbers written as
    ``n``: GIB phrases that are not known yet, or humans who write as GIB does. What a cut left of a
    last part is no complete part but a tail.
    """

    kinds: Tallies = field(
        default_factory=lambda: Tallies((kind, AnnouncementTally()) for kind in KINDS)
    )
    forms: Tallies = field(
        default_factory=lambda: Tallies((one.phrase, AnnouncementTally()) for one in FORMS)
    )
    parts: int = 0
    parts_read: int = 0
    unread: Tallies = field(default_factory=Tallies)
    tails: Tallies = field(default_factory=Tallies)
    untagged: Tallies = field(default_factory=Tallies)
    humans: Tallies = field(default_factory=Tallies)
    contradictory: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON; every list whole, the most frequent first."""
        lists = {
            name: {text: asdict(tally) for text, tally in getattr(self, name).most_frequent_first()}
            for name in ("forms", "unread", "tails", "untagged", "humans")
        }
        return {
            "kinds": {
                kind: {"meaning": KINDS[kind], **asdict(tally)}
                for kind, tally in self.kinds.items()
            },
            "parts": self.parts,
            "parts_read": self.parts_read,
            **lists,
            "contradictory": dict(sorted(self.contradictory.items())),
        }

    def __str__(self) -> str:
        texts = sum(tally.texts for tally in self.kinds.values())
        times = sum(tally.times for tally in self.kinds.values())
        lines = [f"{texts:,} texts, {times:,} times"]
        for kind, tally in self.kinds.items():
            if tally.texts:
                lines.append(f"  {KINDS[kind]:<20}{tally.texts:>9,} texts {tally.times:>11,} times")
        share = f" ({100 * self.parts_read / self.parts:.2f} %)" if self.parts else ""
        lines.append(f"complete parts {self.parts:,}, read {self.parts_read:,}{share}")
        for title, tallies in (
            ("unread parts", self.unread),
            ("cut parts", self.tails),
            ("titles without a known word", self.untagged),
            ("not in GIB's words", self.humans),
        ):
            if tallies:
                lines.append(f"{title}: {len(tallies):,}")
                for text, tally in tallies.most_frequent_first()[:MOST_SHOWN]:
                    lines.append(f"  {tally.times:>7,}  {text or '(nothing)'}")
        if self.contradictory:
            lines.append(f"texts that no hand fits: {len(self.contradictory):,}")
            for text in sorted(self.contradictory)[:MOST_SHOWN]:
                lines.append(f"  {text}: {self.contradictory[text]}")
        return "\n".join(lines)


def corpus_report(counts: Mapping[str, int]) -> CorpusReport:
    """Read distinct texts, each with how often it occurs."""
    report = CorpusReport()
    vocabulary = Vocabulary()
    for text, times in counts.items():
        found = read_announcement(text)
        kind = kind_of(found)
        report.kinds[kind].add(times, text)
        if kind == "human":
            report.humans[text.strip()].add(times, text)
        elif kind not in ("rejected", "empty") and found.title and not title_tags(found.title):
            report.untagged[found.title].add(times, text)
        if kind not in ("rejected", "empty"):
            _count_parts(report, found, text, times)
        if found.complete and found.expressions:
            reason = is_satisfiable(list(map(parse_expression, found.expressions)), vocabulary)
            if reason is not None:
                report.contradictory[text.strip()] = reason
    return report


def _count_parts(report: CorpusReport, found: Announcement, text: str, times: int) -> None:
    parts = found.parts
    for part in map(read_part, parts):
        if part is not None:
            report.forms[part.form.phrase].add(times, text)
    unread: Iterable[str] = found.dropped
    if found.human:
        title, dashes, criteria = text.strip().rpartition("--")
        written = split_parts(criteria)
        parts = tuple(part for part in written if read_part(part) is not None)
        if not parts and not (dashes and title):
            return
        unread = (
            part for part in written if part and read_part(part) is None and not is_beginning(part)
        )
    elif found.truncated:
        # a completed part has its end in the source text alone
        cut = found.tail or split_parts(text.strip().rpartition("--")[2])[-1]
        if read_part(cut) is None or found.tail:
            report.tails[_numberless(cut)].add(times, text)
            parts = parts if found.tail else parts[:-1] if cut else parts
    report.parts += len(parts)
    report.parts_read += len(parts)
    for text_unread in unread:
        report.parts += 1
        report.unread[_numberless(text_unread)].add(times, text)


def _numberless(part: str) -> str:
    return re.sub(r"\d+", "n", re.sub("![CDHS]", "!x", part))
