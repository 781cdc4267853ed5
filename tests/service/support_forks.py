"""Works with frames, forks, and lets each child try one thing; prints what became of it."""

import os
import signal
import sys
import traceback
from pathlib import Path

from bidcascade import Engine, read_deals
from bidcascade.engine.archive.archive import Archive
from bidcascade.inference import interpret
from bidcascade.loaders import (
    deal_arrays,
    deal_frame,
    random_deals,
    read_deal_parquet,
    read_lin,
    read_pbn,
    read_rbn,
    write_deal_parquet,
)
from bidcascade.systems.checking.check import check_system

PATIENCE_S = 30
LIN = b"md|3SAKQJT98765432HDC,SHAKQJT98765432DC,SHDAKQJT98765432C,|"

engine = Engine.open("sayc")
deals = random_deals(5_000, seed=1)
arrays = deal_arrays(deals)
engine.auctions(deals, mode="first").group_by("contract").len()

WITH_FRAMES = {
    "auctions": lambda: engine.auctions(deals, mode="first"),
    "mode all": lambda: engine.auctions(deals.head(20)),
    "iter_entries": lambda: list(engine.iter_entries(deals.head(20))),
    "counts": lambda: engine.counts(deals),
    "members": lambda: engine.members(arrays, ["1N"]),
    "evaluate": lambda: engine.evaluate(deals, ["HCP >= 12"]),
    "random_deals": lambda: random_deals(5_000, seed=2),
    "deal_frame": lambda: deal_frame([]),
    "read_deals": lambda: read_deals(LIN),
    "read_lin": lambda: read_lin(LIN),
    "read_pbn": lambda: read_pbn(b"% PBN"),
    "read_rbn": lambda: read_rbn(b"H N:"),
    "read_deal_parquet": lambda: read_deal_parquet("deals.parquet"),
    "write_deal_parquet": lambda: write_deal_parquet(deals, "more.parquet"),
    "archive": lambda: Archive(Path("archive")),
}
WITHOUT = {
    "bid": lambda: engine.bid("K52.AQ3.9876.KJ2", "1N P"),
    "explain": lambda: engine.explain("1N P"),
    "check_system": lambda: check_system(engine.system, deals=500),
    "another system": lambda: Engine.open("acol").bid("K52.AQ3.9876.KJ2", "1N P"),
    # on the pool of threads of the kernels, which a child makes anew
    "interpret": lambda: interpret(engine.system, "1N P", layouts=50),
}


def tried(work):
    """What became of some work in a child: nothing, the name of its error, or its signal."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(PATIENCE_S)
        try:
            work()
            told = "done"
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            if type(error).__name__ != "ForkedProcess":
                traceback.print_exc()
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return told or f"ended by signal {status}"


for name, work in {**WITH_FRAMES, **WITHOUT}.items():
    kind = "frames" if name in WITH_FRAMES else "none"
    print(f"{kind}\t{name}\t{tried(work)}")
    sys.stdout.flush()
