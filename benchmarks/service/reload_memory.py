"""What is left of replaced tables: the service's memory over many reloads.

``python -m benchmarks.service.reload_memory sayc --reloads 50`` copies a system of the package (or
takes any ``*.bidding`` file), changes its text before every reload and prints the resident memory,
then reloads unchanged files. It asks over REST or, with ``--signal``, by SIGHUP. Deals are bid
meanwhile, so that what a table has learned is replaced with it.
"""

import argparse
import json
import shutil
import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from benchmarks.tools.server import ready_server
from bidcascade.systems.language.shipped import file_of, shipped_folder

from .requests import deal_objects

DEALS = 50


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it, and print what came out."""
    parser = argparse.ArgumentParser(prog="benchmarks.service.reload_memory", description=__doc__)
    parser.add_argument("system", nargs="?", default="sayc")
    parser.add_argument("--reloads", type=int, default=50)
    parser.add_argument("--signal", action="store_true", help="reload by SIGHUP, not over REST")
    options = parser.parse_args(arguments)
    deals = deal_objects(DEALS * options.reloads, seed=1)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "texts"
        shutil.copytree(shipped_folder(), folder)
        path = folder / file_of(options.system).name
        if not path.exists():
            shutil.copy(file_of(options.system), path)
        text = path.read_text("utf-8")
        with (
            ready_server(table=f"it={path}") as (url, process),
            httpx.Client(base_url=url, timeout=120) as client,
        ):
            while not client.get("/readyz").json()["warm"]:
                time.sleep(0.2)
            found = {"before": _resident_mb(process.pid), "changed": [], "unchanged": []}

            def reload(*, changed: bool) -> None:
                if not options.signal:
                    assert client.post("/v1/tables/it/reload").json()["changed"] == changed
                    return
                before = client.get("/v1/tables/it").content
                process.send_signal(signal.SIGHUP)
                deadline = time.monotonic() + 120
                while changed and client.get("/v1/tables/it").content == before:
                    assert time.monotonic() < deadline, "the table was not loaded anew"
                    time.sleep(0.05)
                if not changed:
                    time.sleep(1)

            for number in range(options.reloads):
                some = deals[DEALS * number : DEALS * (number + 1)]
                client.post("/v1/auctions", json={"deals": some, "mode": "first"})
                path.write_text(f"{text}\n-- change {number}\n", "utf-8")
                reload(changed=True)
                found["changed"].append(_resident_mb(process.pid))
            for _ in range(5):
                reload(changed=False)
                found["unchanged"].append(_resident_mb(process.pid))
    print(json.dumps(found))


def _resident_mb(process_id: int) -> int:
    for line in Path(f"/proc/{process_id}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) >> 10
    raise ValueError(f"expected the memory of process {process_id}")


if __name__ == "__main__":
    main()
