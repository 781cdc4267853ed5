"""Compile the systems that come with the package into the tables that come with it.

Run ``python -m bidcascade.systems.build_compiled`` after a change of a system's text; with
``--anew`` it compiles those as well whose text has not changed. The same texts give the same bytes;
a test compares the folders with the texts.
"""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bidcascade.systems.kept_tables import COMPILED, SHIPPED, SampleSize, compile_to, open_if_fresh
from bidcascade.systems.registry import SYSTEMS, named_systems, open_system


def stale(folder: Path = SYSTEMS / COMPILED) -> list[str]:
    """Names of shipped systems whose table is not that of their text as it stands."""
    return [
        name for name in named_systems() if open_if_fresh(folder / name, SYSTEMS, SHIPPED) is None
    ]


def build(
    folder: Path = SYSTEMS / COMPILED, size: SampleSize = SHIPPED, *, anew: bool = False
) -> Iterator[str]:
    """Compile the systems whose table is out of date, and remove tables without a system.

    Parameters
    ----------
    folder
        Where the tables go, each into a folder of its system's name.
    size
        How far they are grown.
    anew
        Whether those that are up to date are compiled as well.

    Yields
    ------
    str
        What was done, a line for each table.

    Raises
    ------
    InvalidSystem
        If the text of a system cannot be used; with every complaint about it.
    """
    for name in named_systems():
        place = folder / name
        if not anew and open_if_fresh(place, SYSTEMS, size) is not None:
            yield f"{name}: up to date"
            continue
        started = perf_counter()
        table = compile_to(open_system(name), place, size)
        taken = sum(file.stat().st_size for file in place.iterdir())
        yield (
            f"{name}: {len(table):,} entries, {taken / 1e6:.1f} MB, "
            f"{perf_counter() - started:.1f} s, digest {table.digest[:16]}"
        )
    if folder.is_dir():
        for left in sorted(folder.iterdir()):
            if left.name not in named_systems():
                shutil.rmtree(left)
                yield f"{left.name}: removed, there is no such system"


def main() -> None:
    """Run from the command line."""
    for line in build(anew="--anew" in sys.argv[1:]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
