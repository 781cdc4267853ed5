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


def answer(backend, plan, deals, mode):
    """Arrays that answer a question."""
    if mode == "counts":
        return [backend.cascade_counts(plan, deals)]
    if mode == "first":
        found = backend.cascade_first(plan, deals)
        return [found.entry, found.passes]
    if mode == "one":
        for number in range(len(deals)):
            list(backend.cascade_all(plan, deals.slice(number, number + 1)))
        return []
    return [
        array for part in backend.cascade_all(plan, deals) for array in (part.entries, part.totals)
    ]


def main():
    """Answer questions (mode, table, entries, deals) with seconds of the processor and a digest."""
    backend, plans = get_backend("cpu"), {}
    for line in sys.stdin:
        mode, name, entries, count = line.split()
        if name not in plans:
            plans = {name: named_table(name, int(entries)).plan()}
            answer(backend, plans[name], random_deals(3000), "counts")
        deals = random_deals(int(count))
        start = time.process_time()
        arrays = answer(backend, plans[name], deals, mode)
        seconds = time.process_time() - start
        digest = hashlib.sha256()
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        print(seconds, digest.hexdigest(), flush=True)


if __name__ == "__main__":
    main()
