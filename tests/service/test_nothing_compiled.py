"""A system is answered from its text: the service and the commands compile no table for it."""

import json

import pytest

from bidcascade.loaders import random_deals, write_deal_parquet
from bidcascade.service.cli import main
from bidcascade.systems.tables import compiled_cache
from tests.support.cli import run_python
from tests.support.service import GOOD, ask, loaded_app, post
from tests.support.systems import SMALL_SYSTEM, compile_few

HAND = "K52.AQ32.J876.Q2"
HEAVY = {"scipy", "polars", "pyarrow", "endplay", "matplotlib", "lark", "fastapi", "rich"}


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    compile_few(monkeypatch)
    path = tmp_path / "club.bidding"
    path.write_text(SMALL_SYSTEM, "utf-8")
    return path


@pytest.fixture
def compiled(monkeypatch):
    """Systems that somebody compiled."""
    asked, compile_as_ever = [], compiled_cache.compiled

    def compiled(system, size):
        asked.append(system.name)
        return compile_as_ever(system, size)

    monkeypatch.setattr(compiled_cache, "compiled", compiled)
    return asked


def test_the_service_compiles_nothing(path, compiled):
    app = loaded_app(table=str(path), backend="cpu")
    tables = app.state.own.tables
    tables.warm_up()
    path.write_text(SMALL_SYSTEM.replace("15-17", "14-16"), "utf-8")
    assert tables.reload("club")
    many = {**GOOD, "mode": "all", "limit": 5}
    for accept in ("application/json", "application/jsonl", "application/vnd.apache.arrow.stream"):
        for body in (GOOD, many):
            assert post(app, "/v1/auctions", body, Accept=accept).status_code == 200
    for path_, body in (
        ("/v1/bid", {"hand": HAND, "auction": ["1N", "P"]}),
        ("/v1/bid", {"hand": HAND, "auction": ["1N", "P"], "simulate": {"layouts": 20}}),
        ("/v1/bid", {"hand": HAND, "auction": ["1N", "P"], "search": 24}),
        ("/v1/members", {"deals": GOOD["deals"], "entries": ["1N P 2C"]}),
        ("/v1/layouts", {"auction": ["1N", "P"], "count": 5}),
        ("/v1/interpret", {"auction": ["1N", "P"], "layouts": 20}),
    ):
        answer = post(app, path_, body)
        assert answer.status_code == 200, answer.text
    for what in ("", "/next?auction=1N-P", "/explain?auction=1N-P", "/topics", "/system"):
        answer = ask(app, "GET", f"/v1/tables/club{what}")
        assert answer.status_code == 200, answer.text
    described = ask(app, "GET", "/v1/tables").json()["tables"][0]
    assert described["system"] == "Small natural"
    assert described["source"] == "system club"
    assert {described[name] for name in ("entries", "openings", "bytes")} == {None}
    assert ask(app, "GET", "/metrics").status_code == 200
    assert not compiled

    report = ask(app, "GET", "/v1/tables/club/lint").json()
    assert report["entries"] > 100
    assert compiled == ["club"], "who asks for rows gets them"
    assert report["table"]["digest"] == described["digest"]


@pytest.mark.parametrize("table", ["sayc", "club.bidding"])
def test_one_call_of_a_system_loads_nothing_heavy(path, table):
    """In a process of its own, with an empty cache, and with what the first one left there."""
    program = (
        "import sys; from bidcascade.service.cli import main; main()\n"
        f"print(*({HEAVY!r} & {{name.partition('.')[0] for name in sys.modules}}))"
    )
    options = [] if table == "sayc" else ["--table", path.with_name(table)]
    for _ in range(2):
        told = run_python(program, "bid", HAND, "--auction", "1N P", *options)
        assert (told.code, told.out[:3]) == (0, "2C "), told.err
        assert told.out.splitlines()[1:] == [""]


def test_the_commands_compile_nothing(path, compiled, tmp_path, capsys):
    deals = tmp_path / "deals.parquet"
    write_deal_parquet(random_deals(30, seed=1), deals)
    table = ["--table", str(path)]
    for command in (
        ["bid", HAND, "--auction", "1N P", "--explain"],
        ["auctions", GOOD["deals"][0]["deal"], "--limit", "5"],
        ["auctions", GOOD["deals"][0]["deal"], "--mode", "first", "--json"],
        ["explain", "1N P 2C"],
        ["interpret", "1N P", "--layouts", "20"],
        ["layouts", "1N P", "--count", "5"],
        ["augment", str(deals), "--out", str(tmp_path / "w.parquet"), "--auctions", "1N P 2C"],
        ["batch", str(deals), "--out", str(tmp_path / "first"), "--mode", "first"],
        ["batch", str(deals), "--out", str(tmp_path / "all"), "--mode", "all"],
        ["export", "calls", str(deals), "--out", str(tmp_path / "rows"), "--bidder", str(path)],
    ):
        assert main([*command, *table]) == 0, capsys.readouterr().err
    assert not compiled

    counts = ["batch", str(deals), "--out", str(tmp_path / "counts"), "--mode", "counts", "--json"]
    capsys.readouterr()
    assert main([*counts, *table]) == 0
    told = json.loads(capsys.readouterr().out)
    assert compiled == ["club"]
    assert main(["table", "info", str(path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows["entries"] > 100
    assert compiled == ["club"], "it is kept"
    assert told["table"]["digest"] != rows["digest"], "of the text, and of the rows"
