"""The command line run in this process and in one of its own, and inputs for it."""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bidcascade.loaders import random_deals, write_deal_parquet, write_lin, write_pbn
from bidcascade.service.cli import COMMANDS, make_parser

PROGRAM = "import sys; from bidcascade.service.cli import main; sys.exit(main())"


def parsers() -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Commands and their actions: the words that name them, and what reads their arguments."""
    for name in COMMANDS:
        for one in make_parser([name])._actions:
            if isinstance(one, argparse._SubParsersAction):
                yield from _below((name,), one.choices[name])


def _below(
    words: tuple[str, ...], parser: argparse.ArgumentParser
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    yield words, parser
    for one in parser._actions:
        if isinstance(one, argparse._SubParsersAction):
            for name, inner in one.choices.items():
                yield from _below((*words, name), inner)


class Ran(NamedTuple):
    """What a run of the command line left."""

    code: int
    out: str
    err: str


NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Environment of a process whose files may not become long (``RLIMIT_FSIZE``).

Python 3.11 does not notice that a module's bytecode was cut off there, and no process can import it
any more.
"""


def environment(**more: str) -> dict[str, str]:
    """Environment of a process that finds the packages where this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


def run_python(program: str, *arguments: object, **more: str) -> Ran:
    """Run a program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment(**more),
        timeout=200,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def command(*arguments: object) -> list[str]:
    """Command that runs ``bidcascade`` in a process of its own."""
    return [sys.executable, "-c", PROGRAM, *(str(one) for one in arguments)]


def run_apart(*arguments: object, **more: str) -> Ran:
    """Run ``bidcascade`` in a process of its own."""
    return run_python(PROGRAM, *arguments, **more)


def write_inputs(folder: Path, boards: int) -> list[Path]:
    """Files of deals of three kinds, with records in between that are none."""
    share = boards // 3
    lin, pbn, parquet = (folder / name for name in ("a.lin", "b.pbn", "c.parquet"))
    write_lin(random_deals(share, seed=1), lin)
    bad = "md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n"
    records = lin.read_text().replace("st||md", bad + "st||md").split(bad)
    # a bad record before every tenth board
    lin.write_text(
        "".join((bad if place % 10 == 1 else "") + record for place, record in enumerate(records))
    )
    write_pbn(random_deals(share, seed=2), pbn)
    pbn.write_text(pbn.read_text() + '\n[Event ""]\n[Board "1"]\n[Deal "N:AK - - -"]\n\n')
    write_deal_parquet(random_deals(boards - 2 * share, seed=3), parquet)
    return [lin, pbn, parquet]
