"""What the programs without engines share: options, times, tables, reports."""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"


def options(
    about: str | None, arguments: Sequence[str] | None = None, *, subject: str = "", **defaults: Any
) -> argparse.Namespace:
    """Read numbers and words from the command line; a default is one, or one with its help.

    Reports of a ``subject`` lie in its folder.
    """
    parser = argparse.ArgumentParser(description=about)
    defaults |= {"out": (RESULTS / subject, "folder for the results")}
    for name, default in defaults.items():
        value, told = default if isinstance(default, tuple) else (default, None)
        many = {"nargs": "+"} if isinstance(value, list) else {}
        kind = type(value[0] if many else value) if value is not None else int
        kind = Path if issubclass(kind, Path) else kind
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=value, help=told, **many)
    return parser.parse_args(arguments)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the clock, and what came of it."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def table(heads: Iterable[str], rows: Iterable[Iterable[object]], *, left: int = 1) -> list[str]:
    """Lines of a Markdown table; columns behind the first ``left`` hold numbers."""
    heads = list(heads)
    kinds = ["---"] * left + ["---:"] * (len(heads) - left)
    return [f"| {' | '.join(map(cell, row))} |" for row in (heads, kinds, *rows)]


def cell(value: object) -> str:
    """Write a value as it stands in a table."""
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def named(environment: Mapping[str, str]) -> str:
    """Write what a time was measured on in one line."""
    return ", ".join(f"{name}: {value}" for name, value in environment.items())


def write_report(folder: Path, name: str, found: object, lines: Iterable[str]) -> None:
    """Print a report and write it as Markdown, and all that was found as JSON beside it."""
    page = "\n".join([*lines, ""])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(found) + "\n", "utf-8")
    (folder / f"{name}.md").write_text(page, "utf-8")
    print(page)
