"""Clients: what is asked again and what is not, and how errors are told; nothing is sent."""

import asyncio
import inspect
import io
import json

import httpx
import polars as pl
import pytest

from bidcascade.service.client import AsyncClient, Client, Retries, ServiceError, clients

USUAL = Retries()
DEAL = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"
BUSY = {
    "type": "urn:bidcascade:problem:overloaded", "title": "Too many requests are being worked on",
    "status": 429, "detail": "expected at most 1 request", "instance": "/healthz",
    "request_id": "r1", "errors": [],
}  # fmt: skip
FINE = {"status": "ok", "version": "0"}


class Service:
    """Gives some answers one after the other, and remembers the requests."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.bodies = []
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        self.bodies.append(request.content)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def busy(after="0", status=429):
    headers = {} if after is None else {"Retry-After": after}
    return httpx.Response(status, json={**BUSY, "status": status}, headers=headers)


def fine():
    return httpx.Response(200, json=FINE)


@pytest.fixture(params=["sync", "async"])
def call(request, monkeypatch):
    """Calls a method of one of the clients with a service of ours; the waits are kept."""
    waits = []

    async def no_sleep(seconds):
        waits.append(seconds)

    monkeypatch.setattr(clients.time, "sleep", waits.append)
    monkeypatch.setattr(clients.asyncio, "sleep", no_sleep)

    def sync_call(service, method, *given, retries=USUAL, **options):
        with Client("http://a", transport=httpx.MockTransport(service), retries=retries) as client:
            answer = getattr(client, method)(*given, **options)
            return list(answer) if inspect.isgenerator(answer) else answer

    def async_call(service, method, *given, retries=USUAL, **options):
        async def run():
            transport = httpx.MockTransport(service)
            async with AsyncClient("http://a", transport=transport, retries=retries) as client:
                answer = getattr(client, method)(*given, **options)
                if inspect.isasyncgen(answer):
                    return [one async for one in answer]
                return await answer

        return asyncio.run(run())

    chosen = sync_call if request.param == "sync" else async_call
    chosen.waits = waits
    return chosen


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again(call, status):
    service = Service(busy("2", status), busy("0", status), fine())
    assert call(service, "health") == FINE
    assert call.waits == [2, 0]
    assert len(service.requests) == 3


def test_not_more_often_than_said(call):
    service = Service(*(busy() for _ in range(9)))
    with pytest.raises(ServiceError) as caught:
        call(service, "health", retries=Retries(most=2))
    assert len(service.requests) == 3
    assert (caught.value.status, caught.value.kind) == (429, "overloaded")
    assert (caught.value.retry_after, caught.value.request_id) == (0, "r1")


@pytest.mark.parametrize(
    ("answer", "retries"),
    [(("31",), USUAL), ((None,), USUAL), (("0",), None), (("0", 500), USUAL), (("soon",), USUAL)],
)
def test_what_is_not_asked_again(call, answer, retries):
    service = Service(busy(*answer))
    with pytest.raises(ServiceError):
        call(service, "health", retries=retries)
    assert len(service.requests) == 1
    assert call.waits == []


def test_a_date_may_be_given(call):
    service = Service(busy("Thu, 01 Jan 1970 00:00:00 GMT"), fine())
    assert call(service, "health") == FINE
    assert call.waits == [0]


@pytest.mark.parametrize("now", [0.0, 4e9])
def test_a_date_is_one_by_the_clock_of_the_service(monkeypatch, now):
    monkeypatch.setattr(clients.time, "time", lambda: now)
    day = "Thu, 26 Nov 2026"
    headers = {"Date": f"{day} 08:00:00 GMT", "Retry-After": f"{day} 08:00:07 GMT"}
    assert clients._retry_after(headers) == 7
    headers["Date"] = "yesterday"
    assert clients._retry_after(headers) == max(0, 1795680007 - now)


def test_archives_are_sent_again_from_where_they_stood(call):
    file = io.BytesIO(b"heading" + b"x" * 600_000)
    file.seek(7)
    service = Service(busy(), httpx.Response(202, json={"id": "1"}))
    assert call(service, "submit", file, name="a.lin", result=["pbn", "jsonl"]) == {"id": "1"}
    assert service.bodies == [b"x" * 600_000] * 2
    assert service.requests[0].url.params == httpx.QueryParams(
        {"name": "a.lin", "result": "pbn,jsonl"}
    )


def test_what_can_be_read_once_is_sent_once(call):
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    service = Service(busy(), fine())
    with pytest.raises(ServiceError, match="overloaded"):
        call(service, "submit", Pipe(b"x"))
    assert len(service.requests) == 1


def test_fields_at_fault_are_told(call):
    error = {"field": "hand", "value": "A", "reason": "expected 13 cards, got 1"}
    problem = {**BUSY, "type": "urn:bidcascade:problem:invalid-request", "errors": [error]}
    with pytest.raises(ServiceError) as caught:
        call(Service(httpx.Response(422, json=problem)), "bid", "A")
    assert caught.value.errors == [error]
    assert str(caught.value) == "422 invalid-request: expected at most 1 request"


def test_answers_of_others_are_told(call):
    with pytest.raises(ServiceError, match=r"502 http: .* '<h1>Bad gateway</h1>'") as caught:
        call(Service(httpx.Response(502, text="<h1>Bad gateway</h1>")), "health")
    assert caught.value.request_id is None


@pytest.mark.parametrize("method", ["health", "auctions_frame", "auctions"])
def test_a_page_in_place_of_an_answer_is_told(call, method):
    """As a network gives that wants a password first: status 200, and no answer of ours."""
    given = () if method == "health" else ([DEAL],)
    page = httpx.Response(200, html="<h1>Welcome</h1>\n")
    with pytest.raises(ServiceError, match=r"200 http: .* '<h1>Welcome</h1>'"):
        call(Service(page), method, *given)


@pytest.mark.parametrize("method", ["auctions_frame", "auctions"])
def test_deals_at_fault_have_their_numbers_among_all(call, method):
    lines = "".join(f"{json.dumps({'deal': number})}\n" for number in range(2))
    stream = io.BytesIO()
    pl.DataFrame({"deal": [0, 1]}).cast(pl.UInt32).write_ipc_stream(stream)
    fine = (
        httpx.Response(200, text=lines)
        if method == "auctions"
        else httpx.Response(
            200,
            content=stream.getvalue(),
            headers={"Content-Type": "application/vnd.apache.arrow.stream"},
        )
    )
    error = {"field": "deals[1].deal", "value": "x", "reason": "expected a deal, got 'x'"}
    problem = {
        **BUSY,
        "type": "urn:bidcascade:problem:invalid-request",
        "errors": [error],
        "detail": "deals[1].deal: expected a deal, got 'x'",
    }
    service = Service(fine, httpx.Response(422, json=problem))
    with pytest.raises(ServiceError, match=r"deals\[3\]\.deal: expected a deal") as caught:
        call(service, method, [DEAL] * 3 + ["x"], deals_a_request=2)
    assert [one["field"] for one in caught.value.errors] == ["deals[3].deal"]


@pytest.mark.parametrize(
    ("method", "given", "options", "sent"),
    [
        ("double_dummy", (DEAL,), {"auctions": ["1N-P-P P", ["1N"]]},
         {"deal": {"deal": DEAL}, "auctions": [["1N", "P", "P", "P"], ["1N"]]}),
        ("contract_tricks", (), {"boards": [{"deal": DEAL, "contracts": ["3NN"]}]},
         {"boards": [{"deal": {"deal": DEAL}, "contracts": ["3NN"]}]}),
        ("compare", ("sayc", "acol"), {"boards": [DEAL]},
         {"first": {"table": "sayc"}, "second": {"table": "acol"}, "boards": [{"deal": DEAL}]}),
        ("bench", ("sayc",), {"against": ["acol", "a\nb"]},
         {"system": {"table": "sayc"}, "against": [{"table": "acol"}, {"text": "a\nb"}]}),
        ("check_system", ("sayc",), {"opponents": "acol"},
         {"system": {"table": "sayc"}, "opponents": {"table": "acol"}}),
    ],
)  # fmt: skip
def test_deals_auctions_and_systems_are_written_alike_everywhere(
    call, method, given, options, sent
):
    service = Service(fine())
    call(service, method, *given, **options)
    assert json.loads(service.bodies[0]) == sent


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (httpx.ConnectError("refused"), "no-answer"),
        (httpx.RemoteProtocolError("broken off"), "no-answer"),
        (httpx.ReadTimeout("too slow"), "timeout"),
    ],
)
def test_no_answer_is_told(call, failure, kind):
    with pytest.raises(ServiceError, match="http://a") as caught:
        call(Service(failure), "health")
    assert (caught.value.status, caught.value.kind) == (0, kind)


def test_missing_lines_are_noticed():
    line = {"deal": 0, "total": 0, "truncated": False, "auctions": []}
    for text in (f"{json.dumps(line)}\n", f"{json.dumps(line)}\n{json.dumps(line)}"):
        service = Service(httpx.Response(200, text=text))
        with Client(transport=httpx.MockTransport(service)) as client:
            results = client.auctions(["N:- - - -"] * 2)
            assert next(results) == line
            with pytest.raises(ServiceError, match="expected 2 lines, got 1"):
                next(results)


def test_address_and_key_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("BIDCASCADE_URL", "http://bridge.example/club/")
    monkeypatch.setenv("BIDCASCADE_API_KEY", "bc_1")
    service = Service(fine(), fine())
    with Client(transport=httpx.MockTransport(service)) as client:
        client.health()
    with Client("http://b", api_key="bc_2", transport=httpx.MockTransport(service)) as client:
        client.health()
    assert [str(request.url) for request in service.requests] == [
        "http://bridge.example/club/healthz",
        "http://b/healthz",
    ]
    assert [request.headers["authorization"] for request in service.requests] == [
        "Bearer bc_1",
        "Bearer bc_2",
    ]


@pytest.mark.parametrize("name", ["a/../b", "a b?c#d", "ä"])
def test_names_stay_one_part_of_the_path(call, name):
    service = Service(httpx.Response(200, json={}))
    call(service, "table", name)
    assert service.requests[0].url.path == f"/v1/tables/{name}"
    assert service.requests[0].url.raw_path.count(b"/") == 3
    with pytest.raises(ValueError, match="expected a name"):
        call(service, "table", "..")
