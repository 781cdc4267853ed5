"""What the texts of an archive are: how many are read whole, and every part that is not."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.language.vocabulary import Vocabulary

from .announcement import Announcement, read_announcement, split_parts
from .forms import FORMS, is_begun, read_part
from .titles import title_tags

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
    """Which of :data:`KINDS` an announcement is.

    Examples
    --------
    >>> kind_of(read_announcement("Jump raise -- 4+ !S; 10-12"))
    'truncated'
    """
    if announcement.complete:
        return "complete"
    for kind in ("rejected", "human", "truncated"):
        if getattr(announcement, kind):
            return kind
    return "dropped" if announcement.dropped else "empty"


@dataclass(slots=True)
class Tally:
    """How many: distinct texts, and how often they occur; one of them as an example."""

    texts: int = 0
    times: int = 0
    example: str = ""

    def add(self, times: int, example: str) -> None:
        """Count one more distinct text."""
        self.texts += 1
        self.times += times
        self.example = self.example or example

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {"texts": self.texts, "times": self.times, "example": self.example}


Tallies = dict[str, Tally]


@dataclass(slots=True)
class CorpusReport:
    """Texts of a corpus by kind, and what was not read.

    Parameters
    ----------
    kinds : dict
        By :data:`KINDS`.
    forms : dict
        Phrases read, by the form they have.
    parts, parts_read : int
        Complete parts of the distinct texts that have a title or at least one phrase of GIB, and
        how many of them are such phrases. What a cut left of a last part is no complete part.
    unread : dict
        The others, with numbers written as ``n``: GIB phrases that are not known yet, or humans
        who write as GIB does.
    tails : dict
        What cuts left of a last part, with numbers written as ``n``.
    untagged : dict
        Titles of which no word is known.
    contradictory : dict
        Whole texts that no hand fits, with the reason.
    humans : Tallies
        Texts of humans (and of other programs) by their text.

    Examples
    --------
    >>> report = corpus_report({"Jump raise -- 4+ !S; 10-12": 3, "could be short": 2})
    >>> report.kinds["truncated"].times, report.kinds["human"].times, list(report.tails)
    (3, 2, ['n-n'])
    """

    kinds: Tallies = field(default_factory=lambda: {kind: Tally() for kind in KINDS})
    forms: Tallies = field(default_factory=lambda: {form.phrase: Tally() for form in FORMS})
    parts: int = 0
    parts_read: int = 0
    unread: Tallies = field(default_factory=dict)
    tails: Tallies = field(default_factory=dict)
    untagged: Tallies = field(default_factory=dict)
    contradictory: dict[str, str] = field(default_factory=dict)
    humans: Tallies = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON; every list whole, the most frequent first."""
        return {
            "kinds": {
                kind: {"meaning": KINDS[kind], **tally.to_dict()}
                for kind, tally in self.kinds.items()
            },
            "parts": self.parts,
            "parts_read": self.parts_read,
            **{
                name: {text: tally.to_dict() for text, tally in _sorted(getattr(self, name))}
                for name in ("forms", "unread", "tails", "untagged", "humans")
            },
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
                for text, tally in _sorted(tallies)[:MOST_SHOWN]:
                    lines.append(f"  {tally.times:>7,}  {text or '(nothing)'}")
        if self.contradictory:
            lines.append(f"texts that no hand fits: {len(self.contradictory):,}")
            for text in sorted(self.contradictory)[:MOST_SHOWN]:
                lines.append(f"  {text}: {self.contradictory[text]}")
        return "\n".join(lines)


def corpus_report(counts: Mapping[str, int]) -> CorpusReport:
    """Read distinct texts, each with how often it occurs.

    Examples
    --------
    >>> texts = {"Preempt -- 7+ !H; 11- HCP; 3+ controls": 2, "4+ !D; 6-10 total points": 1}
    >>> report = corpus_report(texts)
    >>> report.parts, report.parts_read, list(report.unread)
    (5, 4, ['n+ controls'])
    """
    report = CorpusReport()
    vocabulary = Vocabulary()
    for text, times in counts.items():
        found = read_announcement(text)
        kind = kind_of(found)
        report.kinds[kind].add(times, text)
        if kind == "human":
            report.humans.setdefault(text.strip(), Tally()).add(times, text)
        if kind not in ("rejected", "empty"):
            _count_parts(report, found, text, times)
        if (
            kind in ("complete", "truncated", "dropped")
            and found.title
            and not title_tags(found.title)
        ):
            report.untagged.setdefault(found.title, Tally()).add(times, text)
        if found.complete and found.expressions:
            reason = is_satisfiable(list(map(parse_expression, found.expressions)), vocabulary)
            if reason is not None:
                report.contradictory[text.strip()] = reason
    return report


def _count_parts(report: CorpusReport, found: Announcement, text: str, times: int) -> None:
    parts = found.parts
    for part in parts:
        whole = read_part(part)
        if whole is not None:
            report.forms[whole.form.phrase].add(times, text)
    unread: Iterable[str] = found.dropped
    if found.human:
        title, dashes, criteria = text.strip().rpartition("--")
        written = split_parts(criteria)
        parts = tuple(part for part in written if read_part(part) is not None)
        if not parts and not (dashes and title):
            return
        unread = (
            part for part in written if part and read_part(part) is None and not is_begun(part)
        )
    elif found.truncated:
        # a completed part has its end in the source text alone
        cut = found.tail or split_parts(text.strip().rpartition("--")[2])[-1]
        if read_part(cut) is None or found.tail:
            report.tails.setdefault(_numberless(cut), Tally()).add(times, text)
            parts = parts if found.tail else parts[:-1] if cut else parts
    report.parts += len(parts)
    report.parts_read += len(parts)
    for part in unread:
        report.parts += 1
        report.unread.setdefault(_numberless(part), Tally()).add(times, text)


def _numberless(part: str) -> str:
    return re.sub(r"\d+", "n", re.sub("![CDHS]", "!x", part))


def _sorted(tallies: Tallies) -> list[tuple[str, Tally]]:
    return sorted(tallies.items(), key=lambda item: (-item[1].times, item[0]))


def count_texts(texts: Iterable[str]) -> Counter[str]:
    """Count texts, empty ones left out.

    Examples
    --------
    >>> count_texts(["forcing", "", "forcing "])
    Counter({'forcing': 2})
    """
    counts = Counter(texts)
    stripped: Counter[str] = Counter()
    for text, times in counts.items():
        if text.strip():
            stripped[text.strip()] += times
    return stripped
