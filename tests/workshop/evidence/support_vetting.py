"""Small tables and deals for vetting, and what it should find, worked out in plain Python."""

from collections import Counter
from collections.abc import Sequence

from bidcascade.kernels import DealArrays, evaluate_postfix
from bidcascade.table import BiddingTable, parse_expression, to_postfix
from tests.workshop.evidence.support_evidence import hand_and_context

UNDESCRIBED = "undescribed"


class SlowJudge:
    """One call at a time, by the definitions of the documentation."""

    def __init__(self, table: BiddingTable) -> None:
        self.table = table
        self.codes = {
            text: to_postfix(parse_expression(text), table.vocabulary)
            for text in table.expressions
            if not table.vocabulary.is_tag(text)
        }

    def lists(self, entry: int) -> list[list[str]]:
        """Tests of each criteria list of an entry, one of which must hold."""
        numbers = self.table.criteria_of_set(int(self.table.variant_set[entry]))
        return [
            [text for text in self.table.criteria(number) if text in self.codes]
            for number in numbers
        ]

    def failing(self, tests: list[str], deals: DealArrays, deal: int, seat: int) -> list[str]:
        one = hand_and_context(deals, deal, seat)
        codes, profile = self.codes, self.table.profile
        return [text for text in tests if not evaluate_postfix(codes[text], *one, profile=profile)]

    def holds(self, entry: int, deals: DealArrays, deal: int, seat: int) -> bool:
        policy, is_pass = self.table.undescribed, int(self.table.call[entry]) == 0
        return any(
            not self.failing(tests, deals, deal, seat)
            if tests
            else policy == "allow" or (policy == "pass" and is_pass)
            for tests in self.lists(entry)
        )

    def blocking(self, entry: int, deals: DealArrays, deal: int, seat: int) -> list[str]:
        """What fails of the nearest list of an entry that does not hold."""
        failed = [self.failing(tests, deals, deal, seat) for tests in self.lists(entry) if tests]
        return min(failed, key=len) if failed else [UNDESCRIBED]

    def all(self, deals: DealArrays, auctions: Sequence[Sequence[int]]) -> dict[str, Counter]:
        """Counts of all that a vetting counts, by readable keys."""
        counts = {
            name: Counter()
            for name in ("places", "calls", "instead", "entries", "blocking", "overlaps",
                         "auctions", "stops", "depths", "seats", "holding", "totals")
        }  # fmt: skip
        for deal, calls in enumerate(auctions):
            self._auction(deals, deal, tuple(calls), counts)
        return counts

    def _auction(self, deals, deal, calls, counts) -> None:
        totals = counts["totals"]
        totals["deals"] += 1
        totals["without_auction"] += not calls
        totals["calls"] += len(calls)
        stop, entry, closed = None, None, False
        lacking = []
        for depth, call in enumerate(calls):
            prior = calls[:depth]
            seat = (int(deals.dealer[deal]) + depth) % 4
            siblings = self.table.children(entry)
            held = [one for one in siblings if self.holds(one, deals, deal, seat)]
            own = int(self.table.call[held[0]]) if held else 0
            made = next((one for one in siblings if self.table.call[one] == call), None)
            fits = made in held
            status = (
                "ended"
                if not siblings
                else "agrees"
                if own == call
                else "allowed"
                if fits
                else "missing"
                if made is None
                else "fails"
            )
            counts["places"][prior, status] += 1
            counts["places"][prior, "held"] += fits
            counts["places"][prior, "silent"] += bool(siblings) and not held
            counts["places"][prior, "several"] += len(held) > 1
            counts["depths"][depth, status] += 1
            counts["seats"][seat, status] += 1
            described = made is not None and any(self.lists(made))
            counts["seats"][seat, "described"] += described
            counts["seats"][seat, "described_held"] += described and fits
            counts["calls"][prior, call, "made"] += 1
            counts["calls"][prior, call, "held"] += fits
            counts["calls"][prior, call, "agrees"] += status == "agrees"
            if siblings:
                counts["holding"][len(held), "decisions"] += 1
                if own != call:
                    counts["instead"][prior, call, own, "decisions"] += 1
            for number, one in enumerate(held):
                counts["entries"][one, "held"] += 1
                counts["entries"][one, "first"] += number == 0
                for other in held[number + 1 :]:
                    counts["overlaps"][one, other, "both"] += 1
            if made is not None and not fits:
                reasons = self.blocking(made, deals, deal, seat)
                for reason in reasons:
                    lacking.append((made, reason))
                    counts["blocking"][made, reason, "failed"] += 1
                    counts["blocking"][made, reason, "only"] += len(reasons) == 1
            if not siblings and not any(calls[depth:]):
                # a table that ends passes, and so did they
                totals["beyond"] += len(calls) - depth - 1
                closed = True
                break
            if not fits and stop is None:
                stop = depth
                counts["stops"][prior, call, "deals"] += 1
                counts["stops"][prior, call, "behind"] += len(calls) - depth - 1
            if made is None:
                totals["beyond"] += len(calls) - depth - 1
                break
            entry = made
        else:
            closed, depth = bool(calls), len(calls)
        if closed:
            if len(lacking) == 1:
                counts["blocking"][(*lacking[0], "decides")] += 1
            totals["whole"] += 1
            call = None
        if calls:
            totals["held"] += stop is None
            counts["auctions"][calls[:depth], call, stop, "deals"] += 1
