"""The end of the server: what a client had sent by then is answered."""

import asyncio
import gc
import socket
import threading

import pytest
import uvicorn

from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.api.in_process import until_loaded
from bidcascade.service.api.server import OrderlyServer
from bidcascade.service.api.shared import collection
from bidcascade.service.api.shared.collection import giving_back
from bidcascade.service.api.shared.loaded_table import LoadedTable
from tests.support.service import write_small_table

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def answer_on(client):
    found = b""
    while not found.endswith(b"}") and (piece := client.recv(1 << 16)):
        found += piece
    return found


def test_what_was_sent_before_the_end_is_answered(tmp_path):
    table = write_small_table(tmp_path)
    app = create_app(Settings(table=f"small={table}", backend="reference"))

    async def scenario():
        server = OrderlyServer(uvicorn.Config(app, port=0, log_config=None))
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.sendall(REQUEST)
            first = await asyncio.to_thread(answer_on, client)
            # sent, but not yet read by the server when it is told to close
            client.sendall(REQUEST)
            await server.shutdown()
            second = await asyncio.to_thread(answer_on, client)
        server.should_exit = True
        await task
        return first, second

    first, second = asyncio.run(asyncio.wait_for(scenario(), 120))
    assert first.startswith(b"HTTP/1.1 200 ")
    assert second.startswith(b"HTTP/1.1 200 ")


def running(*names):
    return [one.name for one in threading.enumerate() if one.name in names]


def test_the_end_waits_for_the_table_that_is_warmed_up_and_for_no_other(tmp_path, monkeypatch):
    """A thread inside the core at the end of the interpreter takes the process down."""
    begun, stopping, warmed = threading.Event(), threading.Event(), []
    table = write_small_table(tmp_path)
    two = {"table": f"one={table}", "extra_tables": f"two={table}"}
    app = create_app(Settings(**two, backend="reference"))
    monkeypatch.setattr(gc, "freeze", lambda: None)

    def warm_up(one):
        begun.set()
        assert stopping.wait(60)
        warmed.append(one.name)

    monkeypatch.setattr(LoadedTable, "warm_up", warm_up)

    async def scenario():
        async with app.router.lifespan_context(app):
            assert await asyncio.to_thread(begun.wait, 60)
            asyncio.get_running_loop().call_later(0.1, stopping.set)

    asyncio.run(asyncio.wait_for(scenario(), 120))
    assert warmed == ["one"]
    assert not running("load-tables", "free-memory")
    assert not app.state.own.tables.is_warm


def test_an_application_for_one_question_warms_nothing_up(tmp_path, monkeypatch):
    table = write_small_table(tmp_path)
    app = create_app(Settings(table=str(table), backend="reference"), warm_up=False)
    monkeypatch.setattr(LoadedTable, "warm_up", lambda one: pytest.fail("warmed up"))

    async def scenario():
        async with app.router.lifespan_context(app):
            await until_loaded(app)

    asyncio.run(asyncio.wait_for(scenario(), 120))
    assert not running("load-tables")


def test_nothing_is_dropped_any_more_at_the_end(monkeypatch):
    begun, stopping, dropped = threading.Event(), threading.Event(), []
    monkeypatch.setattr(collection, "_LOOK_S", 0.01)

    def forget():
        begun.set()
        assert stopping.wait(60)
        dropped.append(True)

    with giving_back(forget):
        assert begun.wait(60)
        threading.Timer(0.1, stopping.set).start()
    assert dropped
    assert not running("free-memory")
