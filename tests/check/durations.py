"""How long tests take: written by the whole check, read to start with the files that take longest.

A run of pytest that has the variable ``CHECK_DURATIONS`` adds its seconds to the file of that
name and prints minutes by folder. ``tests/durations.json`` is such a file of a whole check,
replaced now and then.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

VARIABLE = "CHECK_DURATIONS"
KNOWN = Path(__file__).parents[1] / "durations.json"
LEAST_S = 0.5
"""Functions that take less are added up."""
OTHERS = "others"

Seconds = dict[str, dict[str, float]]
"""Seconds by file and function, all parameters and fixtures included."""


def read_durations(path: Path) -> Seconds:
    """Read such a file; nothing where there is none."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def longest_first(items: list[pytest.Item], known: Seconds) -> None:
    """Order tests by the seconds of their files; those of a file stay together, as they were."""
    seconds = {file: sum(tests.values()) for file, tests in known.items()}
    items.sort(key=lambda item: -seconds.get(item.nodeid.partition("::")[0], 0.0))


def summary(durations: Seconds) -> Iterable[str]:
    """Minutes of work by folder, the longest first."""
    folders: dict[str, float] = defaultdict(float)
    for file, tests in durations.items():
        folders[str(Path(file).parent)] += sum(tests.values())
    for folder, seconds in sorted(folders.items(), key=lambda one: -one[1]):
        yield f"{seconds / 60:6.1f} min  {folder}"


class DurationsWriter:
    """Plugin that adds the seconds of a run to a file.

    Parameters
    ----------
    path : Path
        The file; what it holds already is kept, as the check has several runs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seconds: Seconds = defaultdict(lambda: defaultdict(float))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test: its preparation, the test, what follows."""
        file, _, function = report.nodeid.partition("::")
        self._seconds[file][function.partition("[")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the file, and print minutes by folder."""
        written = read_durations(self._path)
        for file, tests in sorted(self._seconds.items()):
            into = written.setdefault(file, {})
            for function, seconds in tests.items():
                name = function if seconds >= LEAST_S else OTHERS
                into[name] = round(into.get(name, 0.0) + seconds, 2)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(dict(sorted(written.items())), indent=1)
        self._path.write_text(f"{text}\n", "utf-8")
        terminalreporter.section(f"minutes of work by folder, in {self._path.name}")
        for line in summary(self._seconds):
            terminalreporter.line(line)
