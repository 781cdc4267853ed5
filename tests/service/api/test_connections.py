"""Clients that are slow, or send what nobody reads: they end, and nobody else notices them."""

import json
import select
import signal
import socket
import threading
import time
from contextlib import ExitStack

import httpx
import pytest

from tests.support_service import GOOD, ready_server

HEAD = b"POST /v1/auctions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SOON_S = 20
"""Far longer than the service waits here, far shorter than for ever."""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with ready_server(
        tmp_path_factory.mktemp("slow"), backend="reference", receive_timeout_ms=500,
        max_request_bytes=100_000, max_concurrent_requests=4,
    ) as (url, _):  # fmt: skip
        yield "localhost", int(url.rpartition(":")[2])


def connect(address):
    return socket.create_connection(("127.0.0.1", address[1]), timeout=SOON_S)


def all_of(connection):
    """What comes until the service closes the connection."""
    found = b""
    while piece := connection.recv(1 << 16):
        found += piece
    return found


def problem(answer):
    """Status and kind of a raw answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    told = json.loads(body)
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head.lower()
    return int(head.split()[1]), told["type"].rpartition(":")[2]


@pytest.mark.parametrize(
    ("sent", "status", "kind"),
    [
        *((half, 408, "head-too-slow") for half in (b"G", HEAD, HEAD + b"X-More: ", b"\r\n")),
        (HEAD + b"X: " + b"y" * 70_000, 431, "head-too-large"),
        (b"\x16\x03\x01 hello\r\n\r\n", 400, "bad-request"),
        (HEAD + b"Content-Length: 1000\r\n\r\n{", 408, "body-too-slow"),
        # refused unread
        (HEAD + b"Content-Length: 99999999999\r\n\r\n[", 413, "body-too-large"),
    ],
)
def test_what_is_no_whole_request_ends(address, sent, status, kind):
    with connect(address) as connection:
        connection.sendall(sent)
        assert problem(all_of(connection)) == (status, kind)


def test_a_connection_that_says_nothing_ends(address):
    with connect(address) as connection:
        assert all_of(connection) == b""


def test_a_head_that_drips_gets_no_more_time(address):
    end = time.monotonic() + SOON_S
    with connect(address) as connection:
        connection.sendall(HEAD)
        while not select.select([connection], [], [], 0.05)[0]:
            assert time.monotonic() < end
            connection.sendall(b"X: y\r\n")
        assert problem(all_of(connection)) == (408, "head-too-slow")


def test_a_head_behind_an_answer_ends_too(address):
    with connect(address) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /heal")
        assert problem(all_of(connection)) == (408, "head-too-slow")


def chunks(total):
    """A body in chunks, without an end."""
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    return [chunk] * (total // 0x10000)


def test_a_refused_body_is_not_read_on(address):
    """The answer comes while the client sends, and its own system stops it soon after."""
    sent = 0
    with connect(address) as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            for chunk in chunks(200 << 20):
                connection.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
    assert sent < 50 << 20


def test_the_answer_is_read_by_who_is_still_sending(address):
    with connect(address) as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(chunks(300_000)))
        time.sleep(0.5)
        for chunk in chunks(300_000):
            connection.sendall(chunk)
        assert problem(all_of(connection)) == (413, "body-too-large")


def test_a_connection_goes_on_after_an_error_whose_body_was_read(address):
    with httpx.Client(base_url=f"http://localhost:{address[1]}") as client:
        refused = client.post("/v1/auctions", json={"deals": []})
        assert refused.status_code == 422
        assert "connection" not in refused.headers
        body = json.dumps(GOOD).encode()
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with connect(address) as connection:
        # two at once: the second waits for the answer to the first
        connection.sendall(request + request)
        found = b""
        while found.count(b'"backend":"reference"}') < 2:
            found += connection.recv(1 << 16)
        assert found.count(b"HTTP/1.1 200") == 2


@pytest.mark.parametrize("half", [b"", b"Content-Length: 1000\r\n\r\n{", b"Expect: 100-contin"])
def test_slow_clients_take_no_place_from_others(address, half):
    with ExitStack() as stack, httpx.Client(base_url=f"http://localhost:{address[1]}") as client:
        for _ in range(50):
            connection = stack.enter_context(connect(address))
            connection.sendall(HEAD + half)
        for _ in range(20):
            assert client.post("/v1/auctions", json=GOOD, timeout=60).status_code == 200


@pytest.mark.slow
def test_256_slow_clients_beside_200_requests_a_second(tmp_path):
    with ready_server(tmp_path, backend="cpu") as (url, _):
        port = int(url.rpartition(":")[2])
        ended = threading.Event()

        def be_slow():
            """Begin a body, send a little of it, and begin anew when the service closes."""
            while not ended.is_set():
                with connect(("", port)) as connection:
                    connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
                    try:
                        while not ended.wait(1):
                            connection.sendall(b" ")
                    except OSError:
                        pass

        threads = [threading.Thread(target=be_slow) for _ in range(256)]
        for thread in threads:
            thread.start()
        statuses = []
        try:
            with httpx.Client(base_url=url) as client:
                begun = time.monotonic()
                for number in range(1000):
                    time.sleep(max(0.0, begun + number / 200 - time.monotonic()))
                    answer = client.post("/v1/auctions", json=GOOD, timeout=60)
                    statuses.append(answer.status_code)
        finally:
            ended.set()
            for thread in threads:
                thread.join()
    assert set(statuses) == {200}


def test_one_client_does_not_get_all_slots():
    from bidcascade.service.api.limits import Slots
    from bidcascade.service.api.problems import Problem

    slots = Slots(8)
    with ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(slots.taken("192.0.2.1"))
        with pytest.raises(Problem, match=r"at most 6 requests at once .* from one client"):
            stack.enter_context(slots.taken("192.0.2.1"))
        take = stack.enter_context(slots.taken("192.0.2.2"))
        take(1)
        with pytest.raises(Problem, match="at most 8 requests"):
            take(1)
    assert slots.free == 8
    with slots.taken("192.0.2.1"):
        assert slots.free == 7


@pytest.mark.slow
def test_requests_that_outlast_the_grace_are_told(tmp_path):
    with ready_server(tmp_path, backend="reference", shutdown_grace_s=1) as (url, process):
        with connect(("localhost", int(url.rpartition(":")[2]))) as connection:
            connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            assert problem(all_of(connection)) == (503, "not-ready")
        assert process.wait(150) in (0, -signal.SIGTERM)
