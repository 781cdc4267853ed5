"""``python -m benchmarks gpu``: parts in turn, each a process; what is done stays done.

Ends with 0 when all is done and right, 1 when answers differ or a test fails, 2 for arguments, 3
when something is missing, the device is lost or the time is over: one line says what.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.tools.machine import machine_kind, sources_digest
from benchmarks.tools.programs import RESULTS

from .parts import GO, PARTS, REHEARSED_WORKLOADS, SANITIZER, Part
from .state import Outcome, State
from .summary import write_summary
from .work import PROBE

ROOT = Path(__file__).resolve().parents[2]
LANGUAGE_DATA = ROOT / "build_backend" / "language_data.py"
EMULATOR = ROOT / "tests" / "kernels" / "emulator" / "on_path"
LOG = "log.txt"
DEFAULT_OUT = Path("out") / "gpu"
_PROBE_SECONDS = 60.0
_LEAST_SECONDS = 20.0
"""With less time left no part is begun."""
_NAMES = [*(part.name for part in PARTS), SANITIZER.name]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    options = _parser().parse_args(arguments)
    for name, (full, rehearsed) in _SIZES.items():
        if getattr(options, name) is None:
            setattr(options, name, rehearsed if options.emulator else full)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that are not done yet."""
    options = parse(arguments)
    if options.wheels is not None and not [*options.wheels.glob("*.whl")]:
        print(f"error: expected wheels in {options.wheels}, got none", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as site:
        try:
            if options.wheels is not None:
                _install(options.wheels, Path(site))
            with terminated():
                return _Run(options, Path(site)).parts()
        except _Ended as ended:
            print(f"error: {ended}", file=sys.stderr)
            return ended.code


@contextlib.contextmanager
def terminated() -> Iterator[None]:
    """Let the end of this process be that of the one that it waits for."""
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Ended(Exception):
    """The command is over before its end; the text says why."""

    def __init__(self, why: str, code: int = 3) -> None:
        super().__init__(why)
        self.code = code


class _Run:
    """The parts in turn, with the time that is left for them."""

    def __init__(self, options: argparse.Namespace, site: Path) -> None:
        self.options = options
        self.latest = time.monotonic() + 60 * options.minutes
        self.folder: Path = options.out or DEFAULT_OUT
        self.path = [str(EMULATOR)] * options.emulator + [str(site), str(ROOT / ".typings")]
        self.path += [str(ROOT)]
        sizes = {name: getattr(options, name) for name in _SIZES}
        device = self._ask(PROBE, _PROBE_SECONDS)
        if device.status != "done":
            raise _Ended(f"no GPU to measure: {device.about}")
        # in a checkout that was never built; where lark is missing it was, or systems are left out
        self._run([sys.executable, "-B", str(LANGUAGE_DATA)], _PROBE_SECONDS)
        mark = {"sources": sources_digest(), "device": device.about, **sizes}
        self.state, why = State.read(self.folder, mark)
        if why:
            print(f"{why}: every part is done again", flush=True)

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return self.latest - time.monotonic()

    def parts(self) -> int:
        """Do what is not done yet."""
        chosen = [part for part in (*PARTS, SANITIZER) if self._is_chosen(part)]
        for part in chosen:
            if self.state.is_done(part.name):
                print(f"{part.name}: done before", flush=True)
                continue
            if self.left < _LEAST_SECONDS:
                self._report()
                raise _Ended(self._over(chosen))
            outcome = self._do(part)
            if part.name == GO and outcome.status == "done":
                # whatever a machine before this one was
                self.state.environment = outcome.result.pop("environment")
            self.state.keep(part.name, outcome)
            print(f"{part.name}: {outcome.status}, {outcome.about}", flush=True)
            self._report()
            self._look_whether_to_go_on(part, outcome, chosen)
        return self._end(chosen)

    def _is_chosen(self, part: Part) -> bool:
        named = self.options.parts
        if part.name == GO or part.name in named:
            return True
        if part is SANITIZER or (named and part.name.partition(" ")[0] not in named):
            return False
        rehearsed = part.workload in (None, "systems", *REHEARSED_WORKLOADS)
        return rehearsed or not self.options.emulator

    def _look_whether_to_go_on(self, part: Part, outcome: Outcome, chosen: list[Part]) -> None:
        if outcome.status == "done":
            return
        if part.name == GO:
            raise _Ended(f"no go: {outcome.about}", 1 if outcome.status == "wrong" else 3)
        if self.left < _LEAST_SECONDS and outcome.status == "stopped":
            raise _Ended(self._over(chosen))
        if outcome.result.get("not_installed"):
            return
        lost = self._ask(PROBE, _PROBE_SECONDS)
        if lost.status != "done":
            # what failed on a device that is gone says nothing of the answers
            outcome.status = "missing" if outcome.status == "wrong" else outcome.status
            self.state.keep(part.name, outcome)
            self._report()
            raise _Ended(f"the device is lost in {part.name}: {lost.about}; {self._kept(chosen)}")

    def _over(self, chosen: list[Part]) -> str:
        return f"the time of {self.options.minutes:g} minutes is over; {self._kept(chosen)}"

    def _kept(self, chosen: list[Part]) -> str:
        done = sum(self.state.is_done(part.name) for part in chosen)
        return f"{done} of {len(chosen)} parts are done and kept in {self.folder}, go on from there"

    def _end(self, chosen: list[Part]) -> int:
        bad = {"wrong": [], "missing": [], "stopped": []}
        for part in chosen:
            outcome = self.state.outcomes[part.name]
            if outcome.status != "done":
                bad[outcome.status].append(f"{part.name} ({outcome.about})")
        if bad["wrong"]:
            raise _Ended(f"wrong: {', '.join(bad['wrong'])}", 1)
        if left := bad["missing"] + bad["stopped"]:
            raise _Ended(f"not done: {', '.join(left)}")
        print(f"all is right; the report is in {self._report()}")
        return 0

    def _report(self) -> Path:
        """Write the report of what there is; return its folder."""
        folder = self.folder
        environment = self.state.environment
        if environment and self.options.out is None and not self.options.emulator:
            name = f"{environment['date']}-{machine_kind(environment)}"
            folder = RESULTS / name / "gpu"
        if environment:
            write_summary(folder, self.state, _command(self.options), self.options)
        return folder

    # --- one part ---

    def _do(self, part: Part) -> Outcome:
        absent = part.missing(self.path)
        if absent:
            about = f"not installed: {', '.join(absent)}"
            return Outcome("missing", about, result={"not_installed": absent})
        no_core = self.state.outcomes[GO].result.get("no_core") if part.name != GO else None
        if part.needs_core and no_core:
            return Outcome("missing", no_core, result={"not_installed": ["core"]})
        print(f"{part.name}: {part.about}", flush=True)
        if part is SANITIZER:
            return self._sanitize(part)
        return self._test(part) if part.tests else self._ask(part.name, part.limit)

    def _ask(self, name: str, limit: float) -> Outcome:
        """Do a part that is no test, see ``work``."""
        with tempfile.TemporaryDirectory() as scratch:
            result = Path(scratch) / "result.json"
            known = ("emulator", "deals", "entries", "repeat", "budget", "seed")
            given = json.dumps({one: getattr(self.options, one) for one in known})
            words = ["-m", "benchmarks.gpu.work", name, given, str(result)]
            code, seconds = self._run([sys.executable, *words], limit)
            try:
                found = json.loads(result.read_text("utf-8"))
                about = found.pop("about")
            except (OSError, ValueError, KeyError):
                found, about = {}, f"the process ended with {code}, {LOG} says why"
        if code is None:
            return Outcome("stopped", f"after {seconds:.0f} s", seconds)
        status = {0: "done", 3: "missing"}.get(code, "wrong")
        return Outcome(status, about, seconds, found)

    def _test(self, part: Part) -> Outcome:
        tests = part.rehearsed if self.options.emulator else part.tests
        with tempfile.TemporaryDirectory() as scratch:
            results = Path(scratch) / "results.xml"
            words = [
                "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *_PYTEST, "-m", "gpu", "-q",
                f"--junitxml={results}", "-o", f"cache_dir={scratch}", *tests,
            ]  # fmt: skip
            if self.options.emulator:
                words.append("--hypothesis-profile=sanitizer")
            code, seconds = self._run([sys.executable, *words], part.limit, _NO_PLUGINS)
            if code is None:
                return Outcome("stopped", f"after {seconds:.0f} s", seconds)
            try:
                counts, reasons = read_results(results)
            except (OSError, ET.ParseError):
                return Outcome("wrong", f"pytest ended with {code}, {LOG} says why", seconds)
        about = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        status = "done" if counts["passed"] else "missing"
        if code not in (0, 5):
            status = "wrong"
        return Outcome(status, about or "no tests", seconds, {"reasons": reasons, **counts})

    def _sanitize(self, part: Part) -> Outcome:
        code, seconds = self._run(
            ["bash", *part.tests], part.limit, {"PYTHON": sys.executable, **_NO_PLUGINS}
        )
        if code is None:
            return Outcome("stopped", f"after {seconds:.0f} s", seconds)
        ends = {
            0: ("done", "memcheck and racecheck are clean"),
            2: ("missing", "compute-sanitizer is not on the PATH"),
        }
        status, about = ends.get(code, ("wrong", f"the tools found something, {LOG} says what"))
        absent = {"not_installed": ["compute-sanitizer"]} if code == 2 else {}
        return Outcome(status, about, seconds, absent)

    def _run(
        self, words: list[str], limit: float, more: Mapping[str, str] | None = None
    ) -> tuple[int | None, float]:
        """Run a process in the time that is left; its exit status, None if it was stopped."""
        environment = {one: os.environ[one] for one in os.environ if one != "CI"}
        before = [environment["PYTHONPATH"]] if environment.get("PYTHONPATH") else []
        environment |= {"PYTHONPATH": os.pathsep.join([*self.path, *before]), **(more or {})}
        self.folder.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        with (self.folder / LOG).open("ab") as log:
            log.write(f"\n== {' '.join(words)}\n".encode())
            log.flush()
            process = subprocess.Popen(
                words,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(max(1.0, min(limit, self.left)))
            except subprocess.TimeoutExpired:
                code = None
            finally:
                # what it started, too; also when this process is interrupted
                if process.returncode is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        return code, time.monotonic() - start


_PYTEST = (
    # plugins need not be there, and those of other packages have nothing to say; what newer
    # versions of packages warn of is no fault of the answers
    "-p", "_hypothesis_pytestplugin", "-o", "addopts=", "-W", "default", "--strict-markers",
    "--import-mode=importlib", "-ra", "-o", "faulthandler_timeout=200",
)  # fmt: skip
_NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def read_results(path: Path) -> tuple[dict[str, int], list[str]]:
    """Count tests that passed, failed and were skipped, and tell why, from pytest's XML."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    reasons: dict[str, None] = {}
    for case in ET.parse(path).getroot().iter("testcase"):
        bad = [one for one in case if one.tag in ("failure", "error")]
        skipped = case.find("skipped")
        if bad:
            counts["failed"] += 1
            reasons[f"failed: {case.get('name')}: {_first_line(bad[0].get('message'))}"] = None
        elif skipped is not None:
            counts["skipped"] += 1
            reasons[f"skipped: {_first_line(skipped.get('message'))}"] = None
        else:
            counts["passed"] += 1
    return counts, [*reasons]


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def _install(wheels: Path, site: Path) -> None:
    """Unpack wheels into a folder of this run."""
    words = ["install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", str(site)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, *map(str, sorted(wheels.glob("*.whl")))],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["pip failed"]
        raise _Ended(f"the wheels in {wheels} do not install: {told[0]}")


def _command(options: argparse.Namespace) -> str:
    words = ["python -m benchmarks gpu", *(["--emulator"] if options.emulator else [])]
    words += [f"--{name} {getattr(options, name):g}" for name in _SIZES]
    return " ".join(words)


_SIZES = {
    "deals": (1_000_000, 256), "entries": (2_000_000, 1_200), "repeat": (5, 1),
    "budget": (5.0, 1.0), "seed": (1, 1),
}  # fmt: skip
"""Of a GPU, and of the emulator."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks gpu",
        description="Show that a GPU answers right, time it, and write a report. Parts that are "
        "done stay done: give the command again to go on.",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"folder for state, log and report; by default {DEFAULT_OUT}, and the report below "
        "benchmarks/results",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=[*_NAMES, "time"],
        metavar="PART",
        default=[],
        help=f"some of {', '.join(name for name in _NAMES if ' ' not in name)}, 'time', or one "
        "that is timed",
    )
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="carried packages")
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="time for all of it (default: 10)"
    )
    parser.add_argument(
        "--emulator", action="store_true", help="rehearse: the processor stands for the GPU"
    )
    told = {"deals": "random deals", "entries": "of a table", "repeat": "timed runs",
            "budget": "seconds that one run may take", "seed": "of tables and deals"}  # fmt: skip
    for name, (full, rehearsed) in _SIZES.items():
        parser.add_argument(
            f"--{name}", type=type(full), help=f"{told[name]} (default: {full}; {rehearsed} there)"
        )
    return parser
