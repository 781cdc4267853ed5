"""Command ``system tune``: better numbers for the conditions of a system's text."""

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bidcascade.engine.questions.parts.answer_fields import plain
from bidcascade.service.cli import shared
from bidcascade.service.cli.outputs import add_output, holds_files, report_folder

if TYPE_CHECKING:
    from bidcascade.workshop.tuning.text_numbers import NumberChange, OpenText
    from bidcascade.workshop.tuning.tuner import Trial, TrialTally, Tuner

_PLACE: Final = re.compile(r"(?P<file>.+?)(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?")
_JOURNAL: Final = "tries.jsonl"
_REPORT: Final = "report.json"


def configure_tune(action: Callable[..., argparse.ArgumentParser], system_help: str) -> None:
    """Arguments of ``system tune``."""
    tune = action("tune", "look for better numbers in a system's conditions", tune_system)
    add = tune.add_argument
    add("system", metavar="SYSTEM", help=system_help)
    shared.add_system_option(tune)
    add_output(
        tune,
        "--out",
        required=True,
        metavar="DIR",
        check=report_folder,
        is_there=_holds_something_else,
        help="folder for the texts with other numbers, the report and the tries made: a search "
        "that was ended goes on from these, with --force none does",
    )
    add(
        "--also",
        action="append",
        default=[],
        metavar="SYSTEM",
        help="a system that reads some of the same files and may not be hurt; may be given "
        "several times",
    )
    add(
        "--only",
        action="append",
        default=[],
        metavar="FILE[:LINE[-LINE]]",
        help="look at the numbers of a file, or of some lines of it; may be given several times",
    )
    add(
        "--keep",
        action="append",
        default=[],
        metavar="FILE[:LINE[-LINE]]",
        help="leave these alone, as what a booklet says; may be given several times",
    )
    add(
        "--kind",
        action="append",
        default=[],
        metavar="KIND",
        help="look at what counts this, as points, 'combined points' or length; may be given "
        "several times (default: all)",
    )
    add(
        "--tries",
        default="all",
        metavar="B",
        help="how many changes are tried, or for how long (90s, 8h) (default: all, until a round "
        "has found nothing)",
    )
    add(
        "--deals",
        type=shared.whole_number(1, 2**31 - 1),
        metavar="N",
        help="random deals that a change is screened on by estimated tricks (default: 120,000)",
    )
    add(
        "--solve",
        type=shared.whole_number(1),
        metavar="N",
        help="deals with other contracts that are solved at most to judge what is left "
        "(default: 400)",
    )
    add(
        "--held-out",
        action="store_true",
        help="judge all changes together on the held-out part of the bank (bidcascade bank): once, "
        "at the end",
    )
    shared.add_lead_options(tune)
    add(
        "--seed",
        type=shared.whole_number(0, 2**62),
        default=1,
        metavar="S",
        help="of random deals (default: 1)",
    )
    shared.add_workers_option(tune)


def _holds_something_else(folder: Path) -> bool:
    return holds_files(folder) and not (folder / _JOURNAL).is_file()


def tune_system(options: argparse.Namespace) -> int:
    """Try changes until the budget is spent, and write what was found."""
    from bidcascade.service.cli import DONE, INTERRUPTED

    shared.check_lead_options(options)
    if options.lead_budget and not options.held_out:
        raise shared.UsageError("expected --lead-budget with --held-out, where leads are made")
    only, keep = ([_Place.parse(one) for one in given] for given in (options.only, options.keep))

    from bidcascade.engine.runs.progress import progress_bar
    from bidcascade.inference.double_dummy.pool import DoubleDummyPool
    from bidcascade.inference.double_dummy.table_cache import user_tables
    from bidcascade.inference.double_dummy.trick_cache import user_tricks
    from bidcascade.loaders import deal_arrays, random_deals
    from bidcascade.systems.checking.cases import read_cases
    from bidcascade.workshop.boards.scored_boards import Budget
    from bidcascade.workshop.tuning.text_numbers import KINDS_OF_NUMBERS, OpenText
    from bidcascade.workshop.tuning.tuner import SCREENED, SOLVED, Tuner, TuningPlan

    _check_kinds(options.kind, KINDS_OF_NUMBERS)
    budget = shared.read_argument(Budget.parse, options.tries)
    names = [options.system, *options.also]
    chosen = shared.chosen_options(options, *names)
    text, *others = (OpenText(name, options=one) for name, one in zip(names, chosen, strict=True))
    _check_places(text, only=options.only, keep=options.keep)
    beside = {
        one.name: next(iter(one.paths.values())).with_suffix(".cases") for one in (text, *others)
    }
    cases = {name: read_cases(path) for name, path in beside.items() if path.is_file()}

    def may_change(change: "NumberChange") -> bool:
        number = change.number
        return (
            (not only or any(place.holds(number.file, number.line) for place in only))
            and not any(place.holds(number.file, number.line) for place in keep)
            and (not options.kind or number.counts in options.kind)
        )

    out, code = Path(options.out), DONE
    if options.force:
        (out / _JOURNAL).unlink(missing_ok=True)
    with DoubleDummyPool(options.workers, is_background=True) as pool:
        tuner = Tuner(
            text,
            lambda count, seed: deal_arrays(random_deals(count, seed)),
            pool,
            TuningPlan(options.seed, options.deals or SCREENED, solved=options.solve or SOLVED),
            others=others,
            cases=cases,
            chosen=may_change,
            journal=out / _JOURNAL,
            tables=user_tables(),
            tricks=user_tricks(),
        )
        shared.note(
            f"{len(tuner.moves()):,} changes to try; tries are kept in {str(out / _JOURNAL)!r}, "
            "and Ctrl-C ends with what was found so far"
        )
        final = None
        try:
            with progress_bar("tune") as bar:
                _search(tuner, budget, bar)
            if options.held_out:
                final = _judge(tuner, pool, options)
        except KeyboardInterrupt:
            code = INTERRUPTED
            shared.note(f"interrupted: {len(tuner.trials):,} changes were tried")
    written = _write(tuner, out)
    report = _report(tuner, final, written)
    (out / _REPORT).write_text(_json(report), encoding="utf-8")
    if options.json:
        shared.print_json(report)
    else:
        _print(tuner, final, written, out)
    return code


class _Place(NamedTuple):
    """Lines of a file that an argument names."""

    file: str
    first: int
    last: float

    @classmethod
    def parse(cls, text: str) -> "_Place":
        found = _PLACE.fullmatch(text)
        if found is None:
            raise shared.UsageError(f"expected FILE, FILE:LINE or FILE:LINE-LINE, got {text!r}")
        first = int(found["first"] or 0)
        last = float(found["last"] or found["first"] or "inf")
        return cls(found["file"], first, last)

    def holds(self, file: str, line: int) -> bool:
        return file in (self.file, f"{self.file}.bidding") and self.first <= line <= self.last


def _check_kinds(kinds: Sequence[str], known: Sequence[str]) -> None:
    for kind in kinds:
        if kind not in known:
            raise shared.UsageError(f"expected --kind {', '.join(known)}, got {kind!r}")


def _check_places(text: "OpenText", **given: Sequence[str]) -> None:
    """Raise where an argument names no line: what it was to protect would be changed."""
    for flag, places in given.items():
        for one in places:
            place = _Place.parse(one)
            lines = (
                (name, line)
                for name, content in text.texts.items()
                for line in range(1, content.count("\n") + 2)
            )
            if not any(place.holds(*line) for line in lines):
                files = ", ".join(sorted(text.texts))
                raise shared.UsageError(
                    f"expected --{flag} with lines of a file that {text.name!r} reads ({files}), "
                    f"got {one!r}"
                )


def _search(tuner: "Tuner", budget: Any, bar: Callable[[int, int, int], None]) -> None:
    """Try changes; those that an earlier run tried count among them, and take no time."""
    started = monotonic()
    if budget.deals == 0:
        return
    for trial in tuner.run():
        done = len(tuner.trials)
        bar(done, max(done, budget.deals or len(tuner.moves_left) + done), done)
        if trial.judged is not None:
            shared.note(f"{'; '.join(trial.changes)}: {trial.verdict}")
        if budget.deals is not None and done >= budget.deals:
            return
        if budget.seconds is not None and monotonic() - started >= budget.seconds:
            return


def _judge(tuner: "Tuner", pool: Any, options: argparse.Namespace) -> dict[str, Any] | None:
    """Play the text as found against the one given, on deals that nothing was tried on."""
    from bidcascade.inference.double_dummy.solved_deals import HELD_OUT
    from bidcascade.service.cli.matches.matches import match_deals
    from bidcascade.workshop.boards.blind_leads import LEAD_LAYOUTS, BlindLeader, user_leads
    from bidcascade.workshop.boards.compare import SystemMatch
    from bidcascade.workshop.boards.compare_summary import MatchSample, blind_estimate
    from bidcascade.workshop.boards.scored_boards import Budget

    if not tuner.kept:
        return None
    deals, known = match_deals(None, HELD_OUT, 0, 0)
    match = SystemMatch(tuner.text.system(), tuner.before.system(), deals)
    match.work_out(pool, Budget(), known)
    if options.lead_budget:
        leader = BlindLeader(pool, user_leads(), options.lead_layouts or LEAD_LAYOUTS)
        match.lead_out(leader, shared.read_argument(Budget.parse, options.lead_budget))
    results = MatchSample.of_results(match)
    return {
        "deals": len(match), "other_contracts": len(match.order),
        "imps": plain(results.mean(match.imps.astype(float))),
        "defended_imps": plain(results.mean(match.defended_imps.astype(float))),
        "blind_imps": plain(blind_estimate(match)), "led": int(match.led.sum()),
    }  # fmt: skip


def _write(tuner: "Tuner", out: Path) -> list[str]:
    """Write the texts that have other numbers; names of their files."""
    from bidcascade.loaders.files.whole_files import whole_file

    out.mkdir(parents=True, exist_ok=True)
    changed = [name for name, text in tuner.text.texts.items() if text != tuner.before.texts[name]]
    for name in tuner.before.texts:
        if name in changed:
            with whole_file(out / name) as partial:
                partial.write_bytes(tuner.text.content(name))
        else:
            (out / name).unlink(missing_ok=True)
    return changed


def _report(tuner: "Tuner", final: dict[str, Any] | None, written: Sequence[str]) -> dict[str, Any]:
    return {
        "system": tuner.before.name, "tried": len(tuner.trials), "kept": len(tuner.kept),
        "files": list(written), "held_out": final,
        "trials": [_trial_dict(one) for one in tuner.trials],
    }  # fmt: skip


def _trial_dict(trial: "Trial") -> dict[str, Any]:
    return {
        "changes": list(trial.changes), "verdict": trial.verdict, "told": trial.reason,
        "screened": _tally_dict(trial.screened), "judged": _tally_dict(trial.judged),
        "others": {name: _tally_dict(tally) for name, tally in trial.others.items()},
    }  # fmt: skip


def _tally_dict(tally: "TrialTally | None") -> dict[str, Any] | None:
    from bidcascade.workshop.tuning.tuner import SCORERS

    if tally is None:
        return None
    found: dict[str, Any] = {"deals": sum(tally.deals), "other_contracts": tally.differ}
    for number, scorer in enumerate(SCORERS):
        found[scorer] = {
            name: {"gain": tally.mean(number, half), "error": tally.error(number, half)}
            for name, half in (("all", None), ("first half", 0), ("second half", 1))
        }
    return found


def _json(report: dict[str, Any]) -> str:
    import json

    return json.dumps(report, indent=1) + "\n"


def _print(tuner: "Tuner", final: dict[str, Any] | None, written: Sequence[str], out: Path) -> None:
    tried = len(tuner.trials)
    print(
        f"{tuner.before.name}: {tried:,} changes tried, {len(tuner.kept):,} kept; IMPs a deal with "
        "the standard error, and on either half"
    )
    verdicts = {one.verdict for one in tuner.trials}
    shown = [one for one in tuner.trials if one.judged is not None]
    shared.print_table(
        ("change", "verdict", "stage", "double dummy", "perfect defence", "other contracts"),
        [row for trial in shown for row in _rows(trial)],
    )
    for verdict in sorted(verdicts):
        count = sum(one.verdict == verdict for one in tuner.trials)
        print(f"{count:,} {verdict}")
    if final is not None:
        parts = {
            "double dummy": "imps",
            "perfect defence": "defended_imps",
            "blind lead": "blind_imps",
        }
        text = ", ".join(
            f"{final[key]['value']:+.4f} ± {final[key]['margin'] or 0:.4f} {name}"
            for name, key in parts.items()
            if final[key]["value"] is not None
        )
        print(
            f"all together on {final['deals']:,} deals of the bank (held-out), "
            f"{final['other_contracts']:,} contracts changed, with 95 %: {text}"
        )
    print(f"{', '.join(written) or 'no text'} written to {str(out)!r}, all tries to {_REPORT}")


def _rows(trial: "Trial") -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for stage, tally in (("estimated", trial.screened), ("solved", trial.judged)):
        if tally is not None:
            rows.append(
                (
                    "; ".join(trial.changes), trial.verdict, stage, _gain(tally, 0),
                    _gain(tally, 1), f"{tally.differ:,} of {sum(tally.deals):,}",
                )
            )  # fmt: skip
    return rows


def _gain(tally: "TrialTally", scorer: int) -> str:
    halves = " ".join(f"{tally.mean(scorer, half):+.4f}" for half in range(2))
    return f"{tally.mean(scorer):+.4f} ± {tally.error(scorer):.4f} ({halves})"
