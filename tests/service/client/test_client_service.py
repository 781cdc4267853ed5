"""Both clients against a service in a process of its own: every method, and real problems."""

import asyncio
import inspect
import subprocess
from collections.abc import Iterator

import httpx
import polars as pl
import pytest

from bidcascade.bridge import Deal, format_deal
from bidcascade.engine.engine import Engine
from bidcascade.loaders import HAND_COLUMNS, random_deals, read_deals
from bidcascade.service.client import AsyncClient, Client, ServiceError
from tests.service.jobs.support_jobs import archive
from tests.support.docs import run_page
from tests.support.service import DEAL, ready_server, write_small_table

pytestmark = pytest.mark.slow

HAND = "AQ4.KJ3.K876.Q52"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("client")
    (folder / "archives").mkdir()
    (folder / "archives" / "club.lin").write_bytes(archive(30))
    return folder


@pytest.fixture(scope="module")
def server(folder) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    small = write_small_table(folder)
    with ready_server(
        extra_tables=f"small={small}",
        data_folder=folder / "data",
        stream_chunk_deals=20,
        archives_folder=folder / "kept",
        jobs_root=folder / "archives",
        max_request_deals=100,
        max_running_jobs=1,
        backend="cpu",
    ) as server:
        yield server


class Awaited:
    """The client for asyncio with methods that wait: what is asked of one is asked of both."""

    def __init__(self, url, runner):
        self._client = AsyncClient(url)
        self._runner = runner

    def __getattr__(self, name):
        method = getattr(self._client, name)

        def call(*given, **options):
            answer = method(*given, **options)
            return self._runner.run(listed(answer) if inspect.isasyncgen(answer) else answer)

        return call


async def listed(answer):
    return [one async for one in answer]


@pytest.fixture(params=["sync", "async"])
def client(request, server):
    if request.param == "sync":
        with Client(server[0]) as client:
            yield client
        return
    with asyncio.Runner() as runner:
        client = Awaited(server[0], runner)
        yield client
        client.close()


@pytest.fixture(scope="module")
def deals():
    return random_deals(120, seed=7)


@pytest.fixture(scope="module")
def texts(deals):
    return [
        {"deal": format_deal(Deal(row[:4])), "dealer": row[4], "vulnerability": row[5]}
        for row in deals.select(*HAND_COLUMNS, "dealer", "vulnerability").rows()
    ]


def test_one_deal_written_in_each_way(client):
    hands = DEAL.removeprefix("N:").split()
    lin = "md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|sv|o|"
    given = [DEAL, hands, lin, {"hands": hands, "dealer": "E"}]
    results = list(client.auctions(given, mode="first"))
    assert [result["deal"] for result in results] == [0, 1, 2, 3]
    calls = [result["auctions"][0]["calls"] for result in results]
    assert calls[0] == calls[1] == calls[2]
    assert calls[0][0] == "1N"
    assert calls[3][:4] != calls[0][:4]


@pytest.fixture(scope="module")
def expected(deals):
    return Engine.open("sayc", "reference").auctions(deals, limit=5)


def test_more_deals_than_a_request_takes(client, expected, texts):
    results = list(client.auctions(iter(texts), deals_a_request=50, limit=5))
    listed = [
        (result["deal"], " ".join(auction["calls"]), auction["entry"])
        for result in results
        for auction in result["auctions"]
    ]
    assert [result["deal"] for result in results] == list(range(120))
    assert listed == expected.select("deal", "calls", "entry").rows()


@pytest.mark.parametrize("mode", ["first", "all"])
def test_frames(client, deals, texts, mode):
    frame = client.auctions_frame(texts, deals_a_request=50, mode=mode, table="small")
    results = client.auctions(texts, deals_a_request=50, mode=mode, table="small")
    rows = [
        (result["deal"], " ".join(auction["calls"]), auction["completed"])
        for result in results
        for auction in result["auctions"]
    ]
    assert frame.select("deal", "calls", "completed").rows() == rows
    assert frame.schema["deal"] == pl.UInt32
    assert client.auctions_frame([]).is_empty()


def test_a_call_with_its_reasons(client):
    answer = client.bid(HAND, "1N P 2C P", table="sayc")
    assert (answer["call"], answer["forced"]) == ("2D", True)
    assert client.bid(HAND, ["1N", "P", "2C", "P"])["call"] == "2D"
    assert client.bid(HAND, dealer="N")["call"] == "1N"
    assert (
        client.bid(HAND, table="small", candidates=True)["candidates"][0]["name"]
        == "Strong notrump"
    )


def test_who_reaches_auctions(client, deals, texts):
    answer = client.members(texts[:90], ["1N", "1N P"], table="small")
    expected = Engine.open("sayc", "reference")
    assert [one["auction"] for one in answer["members"]] == [["1N"], ["1N", "P"]]
    one = client.members(texts[:90], ["1N"])["members"][0]
    assert one["deals"] == expected.members(deals.head(90), ["1N"])["1N"].arg_true().to_list()


def test_deals_for_practice(client):
    names = [one["name"] for one in client.themes()["themes"]]
    found = client.practice_deals(themes=names[:2], count=4, seed=1)
    assert sorted({one["theme"] for one in found["deals"]}) == names[:2]


def test_layouts_with_their_worth(client):
    auction = ["1N", "P", "3N", "P", "P", "P"]
    answer = client.infer(auction, layouts=2, deals=100, against="Pass", scoring="matchpoints")
    assert answer["utility"]["contract"] == "3NN"
    assert answer["utility"]["value"] == answer["utility"]["matchpoints"]
    assert answer["rejected"]["dealt"] == 100


def test_systems_by_name_and_as_text(client):
    text = "opening:\n  1NT = Strong: 15-17 points, balanced\n"
    assert client.check_system(text, deals=30)["result"]["deals"] == 30
    (wrong,) = client.check_system(text.replace("balanced", "ballanced"))["complaints"]
    assert (wrong["system"], wrong["line"]) == ("system", 2)
    assert "ballanced" in wrong["message"]
    assert client.diff_systems(text, {"text": text}, deals=30)["result"]["changed"] == 0
    weak = text.replace("15-17", "12-14")
    match = client.compare(text, weak, deals=30, solve=2)["result"]
    assert match["names"] == ["first", "second"]
    assert match["examined"] == len(match["boards"]) == 2
    with pytest.raises(ServiceError) as caught:
        client.compare("small", text)
    assert caught.value.errors[0]["field"] == "first.table"


def test_tables(client):
    found = client.tables()
    assert [table["name"] for table in found["tables"]] == ["sayc", "small"]
    assert client.table("small")["entries"] == 7
    after = client.next("1N-P", "small")
    assert [entry["call"] for entry in after["entries"]] == ["2C", "3N", "P"]
    assert client.explain("1N P 2C", "sayc")["calls"][0]["points"] == [15, 17]
    balancing = client.explain("1C P P 1S", "sayc", dealer="E", vulnerability="NS")["calls"][-1]
    assert balancing["sentence"].startswith("Balancing: 8-15 points,")
    assert client.lint("small", examples=1)["entries"] == 7
    assert client.reload("small")["changed"] is False


def test_inference(client):
    shown = client.interpret("1N P", layouts=20)
    assert shown["hands"]["N"]["shown"]["points"] == [15, 17]
    found = client.layouts("1N P 3N", count=3, known={"N": HAND})
    assert len(found["layouts"]) == 3
    leads = client.leads("K52.Q872.AT4.KT3", "1N P 3N P P P", dealer="N", layouts=2)
    assert leads["contract"] == "3NN"
    assert client.leads("K52.Q872.AT4.KT3", contract="3NN", layouts=2)["leads"]
    *first, last = client.leads_refined("K52.Q872.AT4.KT3", "1N P 3N P P P", layouts=8)
    assert [answer["layouts"]["solved"] for answer in (*first, last)] == [6, 8]
    assert len([card for lead in last["leads"] for card in lead["cards"]]) == 13


def test_jobs_from_begin_to_end(client, folder, tmp_path):
    seen = []
    begun = client.submit(folder / "archives" / "club.lin", table="small", result=["jsonl"])
    job = client.wait(begun["id"], progress=seen.append, every_s=0.05, timeout_s=60)
    assert (job["state"], job["input"]) == ("done", "club.lin")
    assert seen[-1] == job == client.job(job["id"])
    assert job["progress"]["boards"] == 30
    target = client.download(job["id"], "auctions.jsonl", tmp_path)
    assert target == tmp_path / "auctions.jsonl"
    assert len(pl.read_ndjson(target)) == 30
    named = client.download(job["id"], "rejects.jsonl", tmp_path / "mine.jsonl")
    assert named.read_bytes() == b""
    with pytest.raises(ServiceError, match="unknown-result"):
        client.download(job["id"], "x.parquet", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["auctions.jsonl", "mine.jsonl"]
    assert client.cancel(job["id"]) is None
    with pytest.raises(ServiceError) as caught:
        client.job(job["id"])
    assert (caught.value.status, caught.value.kind) == (404, "unknown-job")


def test_jobs_of_paths_are_listed_and_cancelled(client):
    begun = [client.submit_path("*.lin", mode="counts", table="small") for _ in range(2)]
    assert [job["id"] for job in client.jobs()][:2] == [job["id"] for job in reversed(begun)]
    with pytest.raises(ServiceError, match=r"to end within 0 s, it is (queued|running)"):
        client.wait(begun[1]["id"], timeout_s=0)
    cancelled = client.cancel(begun[1]["id"])
    assert cancelled["state"] in ("cancelled", "running")
    assert client.wait(begun[1]["id"], every_s=0.05, timeout_s=60)["state"] == "cancelled"
    assert client.wait(begun[0]["id"], every_s=0.05, timeout_s=60)["state"] == "done"
    for job in begun:
        client.cancel(job["id"])


def test_archives_from_begin_to_end(client, folder, tmp_path):
    begun = client.submit(
        folder / "archives" / "club.lin", mode="archive", archive="club", name="club.lin"
    )
    assert client.wait(begun["id"], every_s=0.05, timeout_s=100)["state"] == "done"
    assert [one["name"] for one in client.archives()["archives"]] == ["club"]
    assert client.archive("club")["boards"] == 30
    conditions = {"where": ["HCP_N >= 8", "HCP_N <= 14"], "dealer": None}
    found = client.archive_boards("club", limit=3, seed=1, **conditions)
    assert len(found["boards"]) == 3
    count = client.archive_counts("club", **conditions)["total"]
    assert 3 < count < 30
    assert client.archive_counts("club", ["1N", "P"])["total"] == 0
    path = client.download_boards("club", tmp_path / "strong.pbn", limit=50, **conditions)
    assert read_deals(path, jobs=1).deals.height == count
    with pytest.raises(ServiceError) as caught:
        client.download_boards("club", tmp_path / "strong.csv")
    assert caught.value.errors[0]["field"] == "format"
    assert [path.name for path in tmp_path.iterdir()] == ["strong.pbn"]
    node = client.archive_nodes("club", statistics=True)
    assert (node["boards"], node["next"], node["statistics"]["boards"]) == (30, [], 30)
    assert client.delete_archive("club") == {"removed": 30}
    with pytest.raises(ServiceError, match="unknown-archive"):
        client.archive("club")
    client.cancel(begun["id"])


def test_the_service_itself(client):
    assert client.health()["status"] == "ok"
    assert client.ready()["tables"] == ["sayc", "small"]
    assert "bidcascade_requests_total" in client.metrics()


def test_problems_are_raised(client):
    with pytest.raises(ServiceError) as caught:
        client.bid("AQ4.KJ3.K876.Q5")
    error = caught.value
    assert (error.status, error.kind, error.errors[0]["field"]) == (422, "invalid-request", "hand")
    assert error.request_id
    for ask, kind in (
        (lambda: client.table("x"), "unknown-table"),
        (lambda: client.explain("1N", "small"), "no-system"),
        (lambda: client.auctions_frame([DEAL] * 101), "too-many-deals"),
        (lambda: list(client.auctions(["N:"])), "invalid-request"),
        (lambda: client.submit_path("../x.lin"), "invalid-request"),
    ):
        with pytest.raises(ServiceError, match=kind):
            ask()


def test_keys(server):
    """A key goes with every request."""
    with pytest.raises(ServiceError, match="expected an answer from"):
        Client("http://127.0.0.1:1", api_key="bc_1").ready()
    seen = []

    def hook(request):
        seen.append(request.headers.get("authorization"))
        return httpx.Response(200, json={})

    with Client(server[0], api_key="bc_1", transport=httpx.MockTransport(hook)) as client:
        client.ready()
        client.bid(HAND)
    assert seen == ["Bearer bc_1"] * 2


@pytest.mark.checkout
@pytest.mark.page("docs/clients.md")
def test_examples_of_the_page_run_and_print_what_is_shown(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIDCASCADE_URL", server[0])
    assert {"curl", "python", "deals"} <= set(run_page("docs/clients.md"))


def test_a_long_answer_may_be_left(server, texts):
    """A long answer that nobody reads to its end does not hold the connection."""
    with Client(server[0]) as client:
        for result in client.auctions(texts[:50]):
            assert result["deal"] == 0
            break
        assert client.health()["status"] == "ok"


def test_a_deal_solved_and_what_a_table_is_about(client):
    auctions = ["1N P 3N P P P", ["P"] * 4]
    answer = client.double_dummy(DEAL, auctions=auctions)
    assert answer["par"] == {"score": 120, "contracts": ["2N-N=", "1N-N+1"]}
    assert [one["contract"] for one in answer["auctions"]] == ["3NN", "Pass"]
    board = {"deal": DEAL, "contracts": ["3NN"]}
    assert client.contract_tricks(boards=[board])["tricks"] == [[8]]
    with pytest.raises(ServiceError, match=r"boards\[0\]\.contract: .*did you mean contracts"):
        client.contract_tricks(boards=[{**board, "contract": "3NN"}])
    topics = {one["topic"]: one["places"] for one in client.topics("sayc")["topics"]}
    assert ["1N", "P"] in topics["#stayman"]
    card = client.card("sayc")
    assert card["title"] == "Standard American Yellow Card"
    assert [one["page"] for one in card["sections"]] == [1] * 6 + [2] * 10
    system = client.system("sayc")
    assert system["title"] == "Standard American Yellow Card"
    assert "notrump.bidding" in system["texts"]
