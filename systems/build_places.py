"""Let the systems that come with the package learn what random deals ask of them.

Run ``python -m bidcascade.systems.build_places`` after a change of a system's text or of the
code that says what texts mean; a test looks whether that was done. Without these files the first
deals of a new installation teach the same, at some seconds' cost.
"""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Final

from bidcascade.systems.bidder import Bidder
from bidcascade.systems.compile import Sample
from bidcascade.systems.kept_places import SHIPPED, file_name, write
from bidcascade.systems.registry import named_systems, open_system
from bidcascade.systems.system import System

DEALS: Final = 60_000
"""Another deal in a hundred asks something new after so many."""
SEED: Final = 2026


def stale(folder: Path = SHIPPED) -> list[str]:
    """Names of shipped systems without a file of their text and of the code as it stands."""
    return [name for name in named_systems() if not (folder / _name(open_system(name))).is_file()]


def build(folder: Path = SHIPPED, deals: int = DEALS) -> Iterator[str]:
    """Write the files that are missing, and remove those of other texts or other code.

    Yields
    ------
    str
        What was done, a line for each system.
    """
    wanted = set()
    for name in named_systems():
        system = open_system(name)
        path = folder / _name(system)
        wanted.add(path)
        if path.is_file():
            yield f"{name}: up to date"
            continue
        started = perf_counter()
        bidder = Bidder(system.program, system.opponents.program)
        bidder.bid(Sample.random(deals, seed=SEED).deals)
        write(bidder, path, shipped=True)
        yield (
            f"{name}: {system.program.decisions.count:,} decisions, "
            f"{system.program.needs.count:,} conditions, {path.stat().st_size / 1e6:.1f} MB, "
            f"{perf_counter() - started:.1f} s"
        )
    for left in sorted(set(folder.glob("*.places")) - wanted):
        left.unlink()


def _name(system: System) -> str:
    return file_name(system.text, system.opponents.text)


def main() -> None:
    """Run from the command line."""
    for line in build():
        print(line, flush=True)


if __name__ == "__main__":
    main()
