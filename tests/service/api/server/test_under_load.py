"""The service while many ask: nothing accepted is lost, too much is refused, and it recovers."""

import asyncio
import functools
import json

import httpx
import pytest

from benchmarks.service.requests import deal_objects
from benchmarks.service.service_load import alone, questions, until_stopped, with_reloads
from benchmarks.tools.http_client import Connection, at_rate
from tests.support.service import GOOD, ready_server, write_small_table

pytestmark = pytest.mark.slow


@pytest.fixture
def serve(tmp_path):
    """Start a server of the small table: its port and process."""
    table = f"sayc={write_small_table(tmp_path)}"
    return functools.partial(ready_server, table=table, backend="cpu")


def port_of(url):
    return int(url.rpartition(":")[2])


def test_sigterm_loses_no_accepted_request(serve):
    with serve() as (url, process):
        port = port_of(url)
        found = asyncio.run(until_stopped(port, questions(200, 1), process, 1.0))
    assert found["lost"] == 0
    assert found["answered"][200] > 50
    assert set(found["answered"]) <= {200, 503}


def test_loading_anew_fails_no_request(serve):
    with serve() as (url, _):
        port = port_of(url)
        asked = questions(300, 2)
        expected = asyncio.run(alone(port, asked))
        found = asyncio.run(with_reloads(port, asked, 100, expected, 4))
    assert found["statuses"] == {200: 300}
    assert found["reloads"] == {200: 4}
    assert found["wrong"] == 0


def test_too_much_is_refused_and_the_service_recovers(serve):
    with serve(max_concurrent_requests=200, max_queue_deals=500) as (url, _):
        port = port_of(url)
        few = questions(50, 3)
        expected = asyncio.run(alone(port, few))
        large = json.dumps({"deals": deal_objects(400, 4), "mode": "all"}).encode()
        found = asyncio.run(at_rate(port, [("/v1/auctions", large)] * 150, 5000))
        assert set(found["statuses"]) == {200, 429}
        again = asyncio.run(at_rate(port, few, 20, expected))
    assert again["statuses"] == {200: 50}
    assert again["wrong"] == 0


def test_a_client_that_leaves_is_forgotten(serve):
    with serve() as (url, _):
        port = port_of(url)
        large = json.dumps({"deals": deal_objects(2000, 5), "mode": "all"}).encode()

        async def leave():
            for _ in range(20):
                connection = await Connection.open("127.0.0.1", port)
                task = asyncio.create_task(connection.request("POST", "/v1/auctions", large))
                await asyncio.sleep(0.01)
                task.cancel()
                await connection.close()
            async with await Connection.open("127.0.0.1", port) as connection:
                for _ in range(200):
                    answer = await connection.request("GET", "/metrics", accept="text/plain")
                    lines = answer.body.decode().splitlines()
                    numbers = dict(line.split() for line in lines if line.startswith("bidcascade"))
                    running = float(numbers["bidcascade_running_requests"])
                    if running == 1 and float(numbers["bidcascade_queue_deals"]) == 0:
                        return
                    await asyncio.sleep(0.05)
            raise AssertionError(f"{running} requests are still being answered")

        asyncio.run(leave())


FALTERING = """
from bidcascade.service.api.server import serve
from bidcascade.service.api.shared.loaded_table import LoadedTable
from bidcascade.engine.settings import read_settings


def end(self, payloads):
    raise SystemExit("the engine's thread ends")


LoadedTable.bid = end
serve(read_settings())
"""


def test_a_service_whose_engine_died_ends_with_an_error(tmp_path):
    with ready_server(tmp_path, program=FALTERING, backend="cpu") as (url, process):
        good = httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=150)
        assert good.status_code == 200
        bad = httpx.post(
            f"{url}/v1/bid", json={"hand": "AQ4.KJ3.K876.Q52", "auction": []}, timeout=30
        )
        assert bad.status_code == 503
        assert process.wait(150) not in (0, None)
        assert b"engine's thread ended" in process.stderr.read()
