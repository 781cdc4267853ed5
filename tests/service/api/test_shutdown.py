"""The end of the server: what a client had sent by then is answered."""

import asyncio
import socket

import uvicorn

from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.api.server import OrderlyServer
from tests.support_service import write_small_table

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
