"""Laying rules over a table: overlays in the order given, rules in the order of their files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from bidcascade.bridge import PASS, Auction
from bidcascade.table.bidding_table import BiddingTable
from bidcascade.table.language.criteria import is_satisfiable
from bidcascade.table.language.expressions import parse_expression
from bidcascade.table.row import LONGEST_AUCTION, Row

from .draft import Draft
from .overlaid_table import OverlaidTable
from .place_pattern import ROOT, Path, written
from .reader import read_overlays
from .remaking import remade
from .report import OverlayReport, RuleReport
from .rules import Overlay, OverlayMark, Rule

SOURCE = "overlay"
"""Source of every row that a rule made or changed."""


def apply_overlays(
    table: BiddingTable, overlays: "Sequence[Overlay | FilePath | str]"
) -> OverlaidTable:
    """Lay overlays over a table, which stays as it is.

    Each rule sees what those before it did: overlays in the order given, rules in the order of
    their lines. What each rule met and changed is in the ``report`` of the table that is returned.

    Parameters
    ----------
    table : BiddingTable
        A table that has overlays gets further ones on top.
    overlays : sequence of Overlay or path
        Files, or what :func:`read_overlays` read.

    Raises
    ------
    InvalidOverlay
        If a file or rule is none; with all complaints.

    Examples
    --------
    >>> import tempfile
    >>> from bidcascade.table.build import build_table
    >>> table, _ = build_table([{"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17"]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = FilePath(folder) / "weak.jsonl"
    ...     _ = file.write_text('{"rule": "replace", "at": "1N", "criteria": ["12 <= HCP <= 14"]}')
    ...     weak = apply_overlays(table, [file])
    >>> weak.row(0).criteria, weak.overlays[0].name, weak.report.rules[0].changed
    (('12 <= HCP <= 14',), 'weak.jsonl', 1)
    >>> table.row(0).criteria, weak.digest == table.digest
    (('15 <= HCP <= 17',), False)
    """
    paths = [one for one in overlays if not isinstance(one, Overlay)]
    read = iter(read_overlays(paths, table.vocabulary))
    laid = [one if isinstance(one, Overlay) else next(read) for one in overlays]
    work = _Application(table)
    for overlay in laid:
        work.lay(overlay)
    marks = [*table.overlays, *(overlay.mark for overlay in laid)]
    source = " + ".join([table.source, *(mark.name for mark in marks)])
    made, entry_of = remade(work.draft, source)
    # what an earlier overlay changed stays changed
    places = work.draft.places | table.changed_places
    entries = entry_of[[place for place in places if place != ROOT]].tolist()
    changed = {entry for entry in entries if entry >= 0} | ({ROOT} & places)
    return OverlaidTable(table, made, sorted(changed), marks, work.report)


@dataclass(slots=True)
class _Application:
    table: BiddingTable
    draft: Draft = field(init=False)
    report: OverlayReport = field(default_factory=OverlayReport)
    _checked: dict[tuple[str, ...], str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.draft = Draft(self.table)

    def lay(self, overlay: Overlay) -> None:
        self.report.overlays.append(overlay.mark)
        for rule in overlay.rules:
            done = self.report.begin(overlay, rule)
            if rule.adds_entry:
                self._add(rule, overlay.mark, done)
            elif rule.kind == "remove" and rule.expressions is None:
                self._remove(rule, done)
            else:
                self._change(rule, overlay.mark, done)
            if not (done.added or done.changed or done.removed):
                self._without_effect(rule, done)

    def _without_effect(self, rule: Rule, done: RuleReport) -> None:
        if done.met:
            why = "nothing to change there"
        elif rule.adds_entry:
            why = "no such place"
        else:
            why = "no such entry"
        self._find("without_effect", done, why)

    def _find(self, kind: str, done: RuleReport, detail: str) -> None:
        self.report.findings[kind].add(f"{done.where}: {done.rule}: {detail}")

    # --- adding -------------------------------------------------------------------------------

    def _add(self, rule: Rule, mark: OverlayMark, done: RuleReport) -> None:
        call = rule.at.last_call
        assert call is not None
        exact = rule.at.auction
        if exact is None:
            # all are found before the first one is added to, which is then no place of its own
            for path in list(rule.at.prior.walk(self.draft.calls_behind)):
                if self._is_legal(self.draft.auction(path), call, done):
                    self._add_at(path, call, rule, mark, done)
        elif self._is_legal(bytes(exact[:-1]), call, done):
            path, inserted = self.draft.insert_parents(exact[:-1])
            if inserted:
                found = self.report.findings["missing_parents"]
                found.add(f"{done.where}: {written(exact[:-1])}", inserted)
            self._add_at(path, call, rule, mark, done)

    def _is_legal(self, auction: bytes, call: int, done: RuleReport) -> bool:
        if len(auction) < LONGEST_AUCTION and Auction.of(auction).is_legal(call):
            return True
        self._find("illegal_calls", done, f"after {written(auction)}")
        return False

    def _add_at(
        self, path: Path, call: int, rule: Rule, mark: OverlayMark, done: RuleReport
    ) -> None:
        done.met += 1
        auction = self.draft.auction(path)
        row = Row(
            auction,
            call,
            rule.description or "",
            rule.criteria or (),
            None,
            rule.name or "",
            rule.rank,
            rule.tags or (),
            f"{mark.name}:{rule.line}",
            None,
            SOURCE,
        )
        node = self.draft.find(path[-1], call)
        if node is None:
            self.draft.add(path, call, [row])
            done.added += 1
        else:
            before = self.draft.variants(node)
            self.draft.set_rows((*path, node), [*before, row])
            done.changed += 1
            if before:
                self._find("variants", done, written([*auction, call]))
        self._check(row, done)

    # --- removing -----------------------------------------------------------------------------

    def _remove(self, rule: Rule, done: RuleReport) -> None:
        for path in list(rule.at.walk(self.draft.calls_behind, below_found=False)):
            if path == (ROOT,):
                # the opening itself is no entry; what the pattern stands for is all openings
                for node in list(self.draft.children(ROOT)):
                    self._remove_one((ROOT, node), done)
            else:
                self._remove_one(path, done)

    def _remove_one(self, path: Path, done: RuleReport) -> None:
        done.met += 1
        done.removed += self.draft.count(path[-1])
        self.draft.remove(path)

    # --- changing -----------------------------------------------------------------------------

    def _change(self, rule: Rule, mark: OverlayMark, done: RuleReport) -> None:
        may_change: dict[int, bool] = {}
        for path in self._places(rule):
            node = path[-1]
            done.met += 1
            if rule.expressions is not None and not self._may_change(node, rule, may_change):
                continue
            before = self.draft.variants(node)
            after = self._changed(before or [self._undescribed(path)], rule)
            if after == (before or [self._undescribed(path)]):
                continue
            where = f"{mark.name}:{rule.line}"
            # a variant that stays as it was keeps its origin
            after = [
                row if row in before else row._replace(where=where, source=SOURCE) for row in after
            ]
            self.draft.set_rows(path, after)
            done.changed += 1
            for row in after:
                if row not in before:
                    self._check(row, done)

    def _places(self, rule: Rule) -> Iterator[Path]:
        for path in rule.at.walk(self.draft.calls_behind):
            if path != (ROOT,):
                yield path

    def _may_change(self, node: int, rule: Rule, may_change: dict[int, bool]) -> bool:
        """Whether adding or removing expressions could change an entry; quick for most that not."""
        assert rule.expressions is not None
        if node in self.draft.rows:
            return True
        variant_set = int(self.table.variant_set[node])
        known = may_change.get(variant_set)
        if known is None:
            known = may_change[variant_set] = self._concerns(rule, variant_set)
        return known

    def _concerns(self, rule: Rule, variant_set: int) -> bool:
        assert rule.expressions is not None
        for number in self.table.criteria_of_set(variant_set):
            has = [text in self.table.criteria(number) for text in rule.expressions]
            if not all(has) if rule.kind == "add" else any(has):
                return True
        return False

    def _undescribed(self, path: Path) -> Row:
        """Row that an inserted parent would be; it becomes one if a rule says something of it."""
        auction = self.draft.auction(path)
        return Row(auction[:-1], auction[-1])

    def _changed(self, rows: list[Row], rule: Rule) -> list[Row]:
        if rule.expressions is not None:
            return [self._with_expressions(row, rule, rule.expressions) for row in rows]
        given = {
            name: value
            for name in ("name", "description", "rank", "tags")
            if (value := getattr(rule, name)) is not None
        }
        if rule.criteria is None:
            return [row._replace(**given) for row in rows]
        return [rows[0]._replace(**given, criteria=rule.criteria)]

    @staticmethod
    def _with_expressions(row: Row, rule: Rule, expressions: tuple[str, ...]) -> Row:
        if rule.kind == "add":
            more = tuple(text for text in expressions if text not in row.criteria)
            return row._replace(criteria=row.criteria + more)
        return row._replace(
            criteria=tuple(text for text in row.criteria if text not in expressions)
        )

    def _check(self, row: Row, done: RuleReport) -> None:
        """Warn of a row that cannot hold."""
        vocabulary = self.table.vocabulary
        if row.criteria not in self._checked:
            self._checked[row.criteria] = is_satisfiable(
                [parse_expression(text) for text in row.criteria], vocabulary
            )
        why = self._checked[row.criteria]
        if why is not None:
            self._find("unsatisfiable", done, f"{written([*row.prior, row.call])}: {why}")
        policy = self.table.undescribed
        tests = [text for text in row.criteria if not vocabulary.is_tag(text)]
        if not tests and (policy == "reject" or (policy == "pass" and row.call != PASS)):
            self._find(
                "never_hold", done, f"{written([*row.prior, row.call])}: undescribed: {policy}"
            )
