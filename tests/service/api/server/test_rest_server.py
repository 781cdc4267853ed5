"""The service as a process: start, streams, bodies without a length, and an orderly end."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from benchmarks.tools.server import running_server, wait_until
from bidcascade.bridge import Deal, format_deal
from bidcascade.loaders import HAND_COLUMNS, random_deals
from tests.support.docs import CHECKOUT
from tests.support.examples import some_in_check
from tests.support.service import DEAL, GOOD, problem_of, ready_server

pytestmark = pytest.mark.slow

MANY = 2_500


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    with ready_server(max_request_bytes=4_000_000, stream_chunk_deals=100) as server:
        yield server


@pytest.fixture(scope="module")
def many_deals() -> bytes:
    """Request of many different deals."""
    rows = random_deals(MANY, seed=3).select(*HAND_COLUMNS).rows()
    deals = [{"deal": format_deal(Deal(row))} for row in rows]
    return json.dumps({"deals": deals, "mode": "all"}).encode()


def test_a_question_is_answered(server):
    url, _ = server
    answer = httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=60)
    assert answer.json()["results"][0]["auctions"][0]["calls"][0] == "1N"
    assert "server" not in answer.headers


@pytest.mark.checkout
def test_the_check_of_ci_passes(server):
    script = CHECKOUT / ".ci" / "ask_service.py"
    run = subprocess.run(
        [sys.executable, str(script), server[0], "60"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("the service bids 1N")


@pytest.mark.parametrize("accept", some_in_check(1, "application/json", "application/jsonl"))
def test_long_answers_begin_before_they_are_done(server, many_deals, accept):
    """An answer of 27 MB does not fit any buffer: it is still being made when its begin is read."""
    url, _ = server
    headers = {"Accept": accept, "Content-Type": "application/json"}
    with httpx.stream(
        "POST", f"{url}/v1/auctions", content=many_deals, headers=headers, timeout=60
    ) as answer:
        assert answer.status_code == 200
        assert "content-length" not in answer.headers
        pieces = answer.iter_raw()
        first = next(pieces)
        # meanwhile others are answered
        assert httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=60).status_code == 200
        content = first + b"".join(pieces)
    assert len(content) > 10_000_000
    if accept == "application/json":
        assert len(json.loads(content)["results"]) == MANY
    else:
        lines = content.splitlines()
        assert [json.loads(line)["deal"] for line in lines] == list(range(MANY))


def test_a_client_that_leaves_is_noticed(server, many_deals):
    url, _ = server
    for _ in range(3):
        headers = {"Accept": "application/jsonl", "Content-Type": "application/json"}
        with httpx.stream(
            "POST", f"{url}/v1/auctions", content=many_deals, headers=headers, timeout=60
        ) as answer:
            next(answer.iter_raw())
    assert httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=60).status_code == 200


def test_bodies_without_a_length(server):
    url, _ = server

    def pieces(count):
        yield b'{"mode": "first", "deals": ['
        for number in range(count):
            yield b"," * bool(number) + json.dumps({"deal": DEAL}).encode() + b" " * 1000
        yield b"]}"

    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{url}/v1/auctions", content=pieces(3), headers=headers, timeout=60)
    assert len(answer.json()["results"]) == 3
    answer = httpx.post(f"{url}/v1/auctions", content=pieces(5000), headers=headers, timeout=60)
    problem_of(answer, 413, "body-too-large")
    assert httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=60).status_code == 200


@pytest.mark.parametrize(
    "body", [b"[" * 10_000 + b"]" * 10_000, b'{"a":' * 10_000, b'{"limit": NaN}', b"\x00" * 1000]
)
def test_hostile_bodies(server, body):
    url, _ = server
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{url}/v1/auctions", content=body, headers=headers, timeout=60)
    problem_of(answer, 400, "malformed-json")
    assert httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=60).status_code == 200


def test_half_a_body_is_no_failure_of_the_service(tmp_path):
    head = (
        b"POST /v1/auctions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\n\r\n"
    )
    with ready_server(tmp_path, max_concurrent_requests=2) as (url, process):
        address = urlsplit(url)
        for _ in range(5):
            with socket.create_connection((address.hostname, address.port)) as connection:
                connection.sendall(head + b'{"deals":')
        # each of them gives its place back as soon as the server has seen it go
        for _ in range(200):
            answer = httpx.post(f"{url}/v1/auctions", json=GOOD, timeout=60)
            if answer.status_code == 200:
                break
            problem_of(answer, 429, "overloaded")
            time.sleep(0.05)
        assert answer.status_code == 200
        process.send_signal(signal.SIGTERM)
        process.wait(150)
        assert b"Traceback" not in process.stderr.read()


def test_start_and_end(many_deals):
    """It listens before the tables are loaded; a running answer is finished before the end."""
    with running_server(table="sayc", shutdown_grace_s=60) as (url, process):
        seen = wait_until(f"{url}/healthz", process)
        assert set(seen) <= {0, 200}
        seen = wait_until(f"{url}/readyz", process)
        assert set(seen) <= {200, 503}
        headers = {"Accept": "application/jsonl", "Content-Type": "application/json"}
        with httpx.stream(
            "POST", f"{url}/v1/auctions", content=many_deals, headers=headers, timeout=60
        ) as answer:
            pieces = answer.iter_raw()
            first = next(pieces)
            process.send_signal(signal.SIGTERM)
            rest = b"".join(pieces)
        assert (first + rest).count(b"\n") == MANY
        assert process.wait(150) in (0, -signal.SIGTERM)
        assert b"Traceback" not in process.stderr.read()


def test_a_table_that_does_not_exist_ends_the_process():
    with running_server(table="culbertson") as (_, process):
        assert process.wait(150) != 0
        told = process.stderr.read()
        assert b"expected a table's name (" in told
        assert b"or the path of one, got 'culbertson'" in told
