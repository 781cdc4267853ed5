"""What ``benchmarks.checkouts`` runs in a checkout: a line of input is a question to a table.

It runs as a script in the checkout's root and takes whatever ``bidcascade`` and ``benchmarks`` are
there, so it names only what older versions have too.
"""

import hashlib
import sys
import time

import numpy as np

from benchmarks.tables import named_table, random_deals
from bidcascade.kernels import get_backend


def answer(backend, plan, deals, mode, *, is_kept):
    """Arrays that answer a question; lists of entries are read and dropped if they are not kept."""
    if mode == "counts":
        return [backend.cascade_counts(plan, deals)]
    if mode == "first":
        found = backend.cascade_first(plan, deals)
        return [found.entry, found.passes]
    arrays = []
    step = 1 if mode == "one" else len(deals)
    for start in range(0, len(deals), step):
        for part in backend.cascade_all(plan, deals.slice(start, start + step)):
            if is_kept:
                arrays += [part.entries, part.totals]
    return arrays


def main():
    """Answer questions (mode, table, entries, deals, "keep" or "drop" answers) line by line.

    Each gets the seconds of the processor and a digest of what was kept.
    """
    backend, plans = get_backend("cpu"), {}
    for line in sys.stdin:
        mode, name, entries, count, what = line.split()
        if name not in plans:
            plans = {name: named_table(name, int(entries)).plan()}
            answer(backend, plans[name], random_deals(3000), "counts", is_kept=True)
        deals = random_deals(int(count))
        start = time.process_time()
        arrays = answer(backend, plans[name], deals, mode, is_kept=what == "keep")
        seconds = time.process_time() - start
        digest = hashlib.sha256()
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        print(seconds, digest.hexdigest(), flush=True)


if __name__ == "__main__":
    main()
