"""Clients that are slow, or send what nobody reads: they end, and nobody else notices them."""

import json
import select
import signal
import socket
import threading
import time
from contextlib import ExitStack, suppress

import httpx
import pytest

from benchmarks.tools.server import running_server, wait_until
from bidcascade.service.api.http.open_connections import OpenConnections, room_for
from tests.support.examples import some_in_check
from tests.support.service import GOOD, ready_server, write_small_table

HEAD = b"POST /v1/auctions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SOON_S = 20
"""Far longer than the service waits here, far shorter than for ever."""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with ready_server(
        tmp_path_factory.mktemp("slow"),
        backend="reference",
        receive_timeout_ms=500,
        max_request_bytes=100_000,
        max_concurrent_requests=4,
    ) as (url, _):
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


@pytest.mark.parametrize(
    ("version", "hosts", "status"),
    [
        ("1.1", ["localhost"], 200), ("1.0", [], 200), ("1.0", ["localhost"], 200),
        ("1.1", [], 400), ("1.1", ["localhost", "localhost"], 400),
        ("1.1", ["localhost", "other.example"], 400), ("1.0", ["localhost", "localhost"], 400),
    ],
)  # fmt: skip
def test_the_host_is_named_once(address, version, hosts, status):
    head = f"GET /healthz HTTP/{version}\r\n" + "".join(f"Host: {one}\r\n" for one in hosts)
    with connect(address) as connection:
        connection.sendall(f"{head}Connection: close\r\n\r\n".encode())
        answer = all_of(connection)
    assert int(answer.split()[1]) == status
    assert status == 200 or b"expected the header Host once" in answer


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
    from bidcascade.service.api.http.limits import Slots
    from bidcascade.service.api.http.problems import Problem

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


# --- how many at once ---------------------------------------------------------------------------


class Opened:
    """A connection without a network."""

    def __init__(self):
        self.is_open = True

    def drop(self):
        self.is_open = False


def opened(connections, count):
    found = [Opened() for _ in range(count)]
    for one in found:
        connections.came(one)
    return found


def test_who_has_waited_longest_makes_room():
    connections = OpenConnections(4)
    first = opened(connections, 4)
    connections.works(first[0])
    connections.waits(first[1])
    new = opened(connections, 2)
    assert [one.is_open for one in first] == [True, True, False, False]
    # what is dropped or left twice counts once
    for one in (first[2], first[2], first[3]):
        connections.left(one)
    connections.waits(first[3])
    assert not connections.is_full
    for one in (first[1], *new):
        connections.works(one)
    # everybody is worked for: the newest has a place until another comes, and may ask how all is
    (late,) = opened(connections, 1)
    assert connections.is_full
    (later,) = opened(connections, 1)
    assert (late.is_open, later.is_open) == (False, True)
    connections.works(later)
    assert all(one.is_open for one in (first[0], first[1], *new))
    connections.left(first[0])
    assert not connections.is_full


def test_a_room_fits_the_limit_of_the_process(monkeypatch, caplog):
    resource = pytest.importorskip("resource")
    limits = [1024, 1024]
    monkeypatch.setattr(resource, "getrlimit", lambda which: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda which, new: limits.__setitem__(0, new[0]))
    room = room_for(2000)
    assert room.most + room.backlog <= 1024 - 256
    assert "at most 576 connections, not 2000" in caplog.text
    limits[:] = [256, 100_000]
    assert room_for(2000) == (2000, 2048)
    assert limits[0] == 2000 + 2048 + 256
    limits[:] = [64, 64]
    assert room_for(2000).most >= 16


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))
from bidcascade.service.api.server import serve
from bidcascade.engine.settings import read_settings
serve(read_settings())
"""


@pytest.mark.parametrize(
    "half", some_in_check((1,), HEAD, HEAD + b"Content-Length: 1000\r\n\r\n{", b"")
)
def test_half_sent_requests_leave_room_for_others(half):
    """More of them than the process may have open files: nobody else notices."""
    with running_server(LIMITED, backend="reference", receive_timeout_ms=60_000) as (url, process):
        wait_until(f"{url}/readyz", process)
        port = int(url.rpartition(":")[2])
        with ExitStack() as stack, httpx.Client(base_url=url, timeout=SOON_S) as client:
            held = []
            for number in range(600):
                held.append(stack.enter_context(connect(("", port))))
                with suppress(OSError):
                    held[-1].sendall(half)
                if number % 10 == 0:
                    # a connection of its own each time
                    answer = client.get("/healthz", headers={"Connection": "close"})
                    assert answer.status_code == 200
            assert client.post("/v1/auctions", json=GOOD).status_code == 200
            closed, _, _ = select.select(held[:300], [], [], 0)
            assert len(closed) == 300
            with suppress(ConnectionError):
                assert held[0].recv(100) == b""


@pytest.mark.parametrize("how", [b"", b"\1\0\0\0\0\0\0\0"], ids=["closed", "reset"])
def test_a_client_that_leaves_early_is_no_error(tmp_path, how):
    body = json.dumps(GOOD).encode()
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    upload = request.replace(b"application/json", b"application/octet-stream")
    pages = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20
    table, data = write_small_table(tmp_path), tmp_path / "data"
    with running_server(backend="reference", table=table, data_folder=data) as (url, process):
        wait_until(f"{url}/readyz", process)
        port = int(url.rpartition(":")[2])
        for sent in (HEAD, request[:-9], request, request * 20, pages, upload[:-9]):
            for _ in range(5):
                with connect(("", port)) as connection:
                    if how:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, how)
                    connection.sendall(sent)
        assert httpx.get(f"{url}/healthz").status_code == 200
        process.send_signal(signal.SIGTERM)
        told = process.stderr.read().decode()
    assert "stopp" in told or "ready" in told
    assert "ERROR" not in told
    assert "Traceback" not in told
