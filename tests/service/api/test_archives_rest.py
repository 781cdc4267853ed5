"""``/v1/archives``: what archives answer over REST, what is refused, and who may remove them."""

import io
import json

import polars as pl
import pytest

from bidcascade.bridge import InvalidInput, parse_calls
from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.archive.archive import Archive, archives_folder
from bidcascade.engine.archive.board_search import find_boards
from bidcascade.engine.archive.catalogue import CATALOGUE, writing
from bidcascade.engine.archive.upkeep import bid_archive
from bidcascade.engine.questions.archives import (
    ArchiveAnswer,
    ArchiveBoardsAnswer,
    ArchiveNodeAnswer,
    ArchivesAnswer,
    BoardsQuestion,
)
from bidcascade.loaders import random_deals, read_deals, write_deal_parquet
from bidcascade.service.api.http.keys import new_key
from bidcascade.service.api.http.problems import Problem
from bidcascade.service.api.routes import routes_archives
from bidcascade.service.api.shared import archives as api_archives
from tests.support.answers import read_answer
from tests.support.service import ask, loaded_app, problem_of

AUCTIONS = ("1N P P P", "1N P 2C P 2H P P P", "1N P 2C P 2S P P P", "P 1S P P P", "1C P P P")
BOARDS = 60


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Folder of archives: club, which a table bids, and a damaged one."""
    folder = tmp_path_factory.mktemp("archives")
    calls = [parse_calls(AUCTIONS[number % len(AUCTIONS)]) for number in range(BOARDS)]
    deals = random_deals(BOARDS, seed=4).with_columns(
        pl.Series("auction", calls, pl.List(pl.UInt8)),
        pl.Series("event", ["Final", "Semifinal"] * (BOARDS // 2)),
        pl.Series("source", ["club.lin"] * BOARDS),
        pl.Series("players", [["ann", "bob", "cy", "dee"]] * BOARDS),
        pl.Series("contract", ["1N", "2H", "2S", "1S", "1C"] * (BOARDS // len(AUCTIONS))),
        pl.Series("tricks", [7, 8, 6, 7, 6] * (BOARDS // len(AUCTIONS)), pl.UInt8),
    )
    write_deal_parquet(deals, folder / "boards.parquet")
    add_files(folder / "all" / "club", folder / "boards.parquet", jobs=1)
    table = folder / "rows.jsonl"
    table.write_text(json.dumps({"prior": "", "call": "1C", "criteria": ["HCP >= 12"]}) + "\n")
    bid_archive(folder / "all" / "club", str(table), name="rows", all_calls=True)
    damaged = folder / "all" / "damaged"
    damaged.mkdir()
    (damaged / CATALOGUE).write_text("{}")
    return folder / "all"


@pytest.fixture(scope="module")
def app(root, tmp_path_factory):
    return loaded_app(
        tmp_path_factory.mktemp("table"),
        archives_folder=str(root),
        max_request_deals=50,
        max_download_bytes=12_000,
    )


def get(app, path, **headers):
    return ask(app, "GET", f"/v1/archives{path}", headers=headers)


def boards(app, query, name="club"):
    answer = get(app, f"/{name}/boards?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return read_answer(ArchiveBoardsAnswer, answer.content)


def found(root, **asked):
    return find_boards(Archive(root / "club"), BoardsQuestion(**asked)).boards["id"].to_list()


def test_archives_in_numbers(app, root):
    answer = read_answer(ArchivesAnswer, get(app, "").content)
    assert [one.name for one in answer.archives] == ["club"]
    assert "the manifest of a run in 'archive.json'" in answer.damaged["damaged"]
    assert str(root) not in get(app, "").text
    one = read_answer(ArchiveAnswer, get(app, "/club").content)
    assert one == answer.archives[0]
    assert (one.boards, one.sources, one.solved) == (BOARDS, 1, 0)
    assert one.bidders["rows"].boards == BOARDS


def test_commands_and_service_agree_where_archives_are(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_ARCHIVES_FOLDER", str(tmp_path / "kept"))
    assert archives_folder() == tmp_path / "kept"
    assert archives_folder(tmp_path) == tmp_path
    assert loaded_app(tmp_path).state.own.archives._root == tmp_path / "kept"
    monkeypatch.delenv("BIDCASCADE_ARCHIVES_FOLDER")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert archives_folder() == tmp_path / "bidcascade" / "archives"


def test_a_service_without_archives(tmp_path):
    app = loaded_app(tmp_path, archives_folder=str(tmp_path / "none"))
    assert get(app, "").json() == {"archives": [], "damaged": {}}
    problem_of(get(app, "/club"), 404, "unknown-archive")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("", {}),
        ("auction=1N-P-2C&limit=7", {"auction": "1N P 2C", "limit": 7}),
        ("auction=1NT+P+2C+P+2M", {"auction": "1NT P 2C P 2M"}),
        ("auction=1N-P-P-P&exact=true", {"auction": "1N P P P", "exact": True}),
        ("where=HCP_N+%3E%3D+10&where=SL_S_S+%3E+2", {"where": ("HCP_N >= 10", "SL_S_S > 2")}),
        ("dealer=n&vulnerability=all", {"dealer": "N", "vulnerability": "Both"}),
        ("player=BOB&event=semi&source=CLUB", {"event": "semi"}),
        ("contract=2H&result=made", {"contract": "2H", "result": "made"}),
        ("seed=3&limit=9", {"seed": 3, "limit": 9}),
        ("level=next&limit=6", {"level": ("next",), "limit": 6}),
        ("sort=contract&descending=true", {"sort": "contract", "descending": True}),
        ("auction=1C&by=rows", {"auction": "1C", "by": "rows"}),
        ("auction=1C&by=rows&mode=all", {"auction": "1C", "by": "rows", "mode": "all"}),
        # what is empty was not asked
        ("auction=&dealer=&where=&seed=&sort=&level=&contract=", {}),
    ],
)
def test_boards_are_those_of_the_question(app, root, query, asked):
    asked = {"limit": 100, **asked}
    answer = boards(app, query)
    assert [board["id"] for board in answer.boards] == found(root, **asked)
    assert answer.boards
    assert answer.total == find_boards(Archive(root / "club"), BoardsQuestion(**asked)).total


def test_what_is_said_of_a_board(app):
    (board,) = boards(app, "auction=1N-P-2C&limit=1&by=own").boards
    assert board["auction"] == "1N P 2C P 2H P P P"
    assert board["contract"] == "2H"
    assert board["link"].startswith("http")
    (bid,) = boards(app, "auction=1C&by=rows&limit=1&bids=true").boards
    assert bid["auction"] == bid["bid"]
    assert bid["auction"].startswith("1C")


@pytest.mark.parametrize("form", ["lin", "pbn", "parquet"])
def test_boards_as_files(app, root, form, tmp_path):
    answer = get(app, f"/club/boards?auction=1N-P-2C&limit=5&format={form}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == routes_archives.MEDIA_TYPES[form]
    assert answer.headers["content-disposition"] == (f'attachment; filename="club-boards.{form}"')
    assert int(answer.headers["content-length"]) == len(answer.content)
    (tmp_path / f"boards.{form}").write_bytes(answer.content)
    read = read_deals(tmp_path / f"boards.{form}", jobs=1).deals
    expected = find_boards(
        Archive(root / "club"), BoardsQuestion(auction="1N P 2C", limit=5)
    ).boards
    for column in ("north", "east", "south", "west", "dealer", "vulnerability", "auction"):
        assert read[column].to_list() == expected[column].to_list()


def test_a_file_without_boards(app):
    answer = get(app, "/club/boards?auction=7N&limit=5&format=parquet")
    assert answer.status_code == 200, answer.text
    assert pl.read_parquet(io.BytesIO(answer.content)).height == 0


def test_counts(app):
    assert get(app, "/club/counts").json() == {"total": BOARDS}
    assert get(app, "/club/counts?auction=1N-P-2C").json() == {"total": 24}
    assert get(app, "/club/counts?auction=1N-P-2C&event=semi").json() == {"total": 12}
    assert get(app, "/club/counts?auction=7N").json() == {"total": 0}


def test_nodes(app):
    answer = read_answer(ArchiveNodeAnswer, get(app, "/club/nodes?auction=1N-P").content)
    assert (answer.auction, answer.boards, answer.statistics) == ("1N P", 36, None)
    assert [(one.call, one.boards) for one in answer.next] == [("2C", 24), ("P", 12)]
    opened = get(app, "/club/nodes").json()
    assert (opened["auction"], opened["boards"]) == ("", BOARDS)
    assert {one["call"] for one in opened["next"]} == {"1N", "P", "1C"}
    by_rows = get(app, "/club/nodes?by=rows").json()
    assert {one["call"] for one in by_rows["next"]} == {"1C", "P"}


def test_statistics_of_a_node(app):
    said = get(app, "/club/nodes?auction=1N-P&statistics=true").json()["statistics"]
    assert (said["auction"], said["boards"], said["share"]) == ("1N P", 36, 1.0)
    assert get(app, "/club/nodes?statistics=true").json()["statistics"]["boards"] == BOARDS
    assert get(app, "/club/nodes?auction=7N&statistics=true").json()["statistics"] is None


@pytest.mark.parametrize(
    ("query", "field", "reason"),
    [
        ("/boards?auction=8N", "auction", "expected an auction"),
        ("/boards?auction=1N-1C", "auction", "illegal"),
        ("/boards?by=acol", "by", "who bids the archive (own, rows)"),
        ("/boards?where=HCP+%3E+3", "where[0]", "HCP"),
        ("/boards?where=HCP_N+%3E+3&where=__import__('os')", "where[1]", "expected"),
        ("/boards?where=" + "&where=".join(["HCP_N%3E0"] * 33), "where", "at most 32 items"),
        ("/boards?where=" + "9" * 501, "where[0]", "at most 500 characters"),
        ("/boards?dealer=X", "dealer", "expected a seat"),
        ("/boards?vulnerability=X", "vulnerability", "expected"),
        ("/boards?mode=some", "mode", "'first' or 'all'"),
        ("/boards?result=won", "result", "'made' or 'down'"),
        ("/boards?contract=4Z", "contract", "expected a contract such as 4S"),
        ("/boards?limit=0", "limit", "from 1"),
        ("/boards?limit=some", "limit", "whole number"),
        ("/boards?seed=-1", "seed", "from 0"),
        ("/boards?level=suit", "level[0]", "suit"),
        ("/boards?sort=colour", "sort", "expected a column to sort by"),
        ("/boards?sort=board&level=next", "sort", "got both"),
        ("/boards?mode=all", "by", "mode all, got 'own'"),
        ("/boards?mode=all&exact=true&auction=1N", "mode", "expected mode first"),
        ("/boards?auction=1N+any&mode=all&by=rows", "auction", "at most 200 auctions"),
        ("/boards?exact=perhaps", "exact", "true or false"),
        ("/boards?format=csv", "format", "'parquet'"),
        ("/boards?where=HCP_N&colour=red", "colour", "no field of this name"),
        ("/counts?limit=5", "limit", "no field of this name"),
        ("/counts?auction=1N-1N", "auction", "illegal"),
        ("/nodes?auction=1M", "auction", "with all its calls"),
        ("/nodes?by=acol", "by", "who bids"),
        ("?colour=red", "colour", "no parameters"),
    ],
)  # fmt: skip
def test_fields_at_fault(app, query, field, reason):
    body = problem_of(get(app, f"/club{query}"), 422, "invalid-request")
    assert body["errors"][0]["field"] == field
    assert reason in body["errors"][0]["reason"]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("/boards?auction=1NT+P+2M&level=next", "with all its calls"),
    ],
)
def test_questions_that_do_not_fit(app, query, reason):
    assert reason in problem_of(get(app, f"/club{query}"), 422, "invalid-request")["detail"]


def test_limits(app, monkeypatch):
    body = problem_of(get(app, "/club/boards?limit=10001"), 413, "limit-exceeded")
    assert body["errors"][0]["field"] == "limit"
    assert len(boards(app, "limit=10000").boards) == BOARDS
    body = problem_of(get(app, "/club/boards?limit=51&format=pbn"), 413, "limit-exceeded")
    assert "max_request_deals" in body["detail"]
    body = problem_of(get(app, "/club/boards?limit=50&format=pbn"), 413, "limit-exceeded")
    assert "max_download_bytes" in body["detail"]
    problem_of(get(app, "/club/boards", Accept="text/csv"), 406, "not-acceptable")
    problem_of(
        get(app, "/club/boards?limit=5&format=lin", Accept="text/csv"), 406, "not-acceptable"
    )
    archives = app.state.own.archives
    for _ in range(api_archives.MOST_QUESTIONS):
        # as by requests that were given up
        archives._slots.acquire()
    problem_of(get(app, "/club/counts"), 429, "overloaded")
    archives._slots.release(api_archives.MOST_QUESTIONS)
    assert get(app, "/club/counts").status_code == 200
    app.state.own.slots.free, free = 0, app.state.own.slots.free
    try:
        problem_of(get(app, "/club/counts"), 429, "overloaded")
    finally:
        app.state.own.slots.free = free
    assert app.state.own.slots.free == app.state.own.slots.count


@pytest.mark.parametrize("rest", ["", "/boards", "/counts", "/nodes"])
def test_archives_that_are_not_there(app, root, rest):
    body = problem_of(get(app, f"/other{rest}"), 404, "unknown-archive")
    assert "'other'" in body["detail"]
    assert str(root) not in json.dumps(body)
    for name in ("..", ".hidden", "a b", "x" * 65, "%2e%2e", "-", "..%5cclub"):
        answer = get(app, f"/{name}{rest}")
        # an address that leads out of the folder is none of the API
        assert answer.status_code in (404, 422), name
        assert str(root) not in answer.text
    body = problem_of(get(app, f"/.hidden{rest}"), 422, "invalid-request")
    assert body["errors"][0]["field"] == "name"


def test_names_cannot_lead_out_of_the_folder(app, root):
    add = root.parent / "secret"
    add.mkdir()
    (add / CATALOGUE).write_text((root / "club" / CATALOGUE).read_text())
    for name in ("..%2fsecret", "%2e%2e%2fsecret", "club%2f..%2f..%2fsecret"):
        problem_of(get(app, f"/{name}"), 404, "not-found")
    problem_of(ask(app, "DELETE", "/v1/archives/..%2fsecret"), 404, "not-found")
    assert (add / CATALOGUE).exists()


def test_a_damaged_archive_names_no_place(app, root):
    body = problem_of(get(app, "/damaged/boards"), 422, "invalid-request")
    assert "the manifest of a run in 'archive.json'" in body["detail"]
    assert str(root) not in json.dumps(body)


def test_a_system_that_is_gone_names_no_place(app, root, tmp_path):
    """Mode all may have to ask the table again, which is not there any more."""
    folder = root / "gone"
    write_deal_parquet(random_deals(5, seed=1), tmp_path / "few.parquet")
    add_files(folder, tmp_path / "few.parquet", jobs=1)
    table = tmp_path / "table.jsonl"
    table.write_text(json.dumps({"prior": "", "call": "1C", "criteria": ["HCP >= 12"]}) + "\n")
    bid_archive(folder, str(table), name="gone")
    table.unlink()
    with pytest.raises(InvalidInput, match=str(tmp_path)):
        Archive(folder).engine("gone")
    archives = app.state.own.archives
    with pytest.raises(Problem) as caught, archives.opened("gone") as archive:
        archive.engine("gone")
    assert "cannot open 'table.jsonl' to bid the archive" in caught.value.detail
    assert str(tmp_path) not in caught.value.detail
    archives.remove("gone")


def test_removing(app, root, tmp_path):
    write_deal_parquet(random_deals(5, seed=1), tmp_path / "few.parquet")
    folder = root / "few"
    add_files(folder, tmp_path / "few.parquet", jobs=1)
    assert get(app, "/few/counts").json() == {"total": 5}
    with writing(folder):
        problem_of(ask(app, "DELETE", "/v1/archives/few"), 409, "archive-busy")
        # what is being written to can be read
        assert get(app, "/few/counts").json() == {"total": 5}
    answer = ask(app, "DELETE", "/v1/archives/few")
    assert answer.json() == {"removed": 5}
    assert not folder.exists()
    problem_of(get(app, "/few"), 404, "unknown-archive")
    problem_of(ask(app, "DELETE", "/v1/archives/few"), 404, "unknown-archive")
    problem_of(ask(app, "DELETE", "/v1/archives/.few"), 422, "invalid-request")
    # one of the same name is another archive
    write_deal_parquet(random_deals(6, seed=2), tmp_path / "others.parquet")
    add_files(folder, tmp_path / "others.parquet", jobs=1)
    assert get(app, "/few/counts").json() == {"total": 6}
    assert ask(app, "DELETE", "/v1/archives/few").json() == {"removed": 6}


def test_boards_that_come_are_seen_by_two_services(app, root, tmp_path):
    other = loaded_app(tmp_path, archives_folder=str(root))
    write_deal_parquet(random_deals(5, seed=1), tmp_path / "few.parquet")
    write_deal_parquet(random_deals(6, seed=2), tmp_path / "more.parquet")
    add_files(root / "growing", tmp_path / "few.parquet", jobs=1)
    for one in (app, other):
        assert get(one, "/growing/counts").json() == {"total": 5}
    add_files(root / "growing", tmp_path / "more.parquet", jobs=1)
    for one in (app, other):
        assert get(one, "/growing/counts").json() == {"total": 11}
    ask(other, "DELETE", "/v1/archives/growing")
    problem_of(get(app, "/growing/counts"), 404, "unknown-archive")


def test_only_so_many_are_kept_open(root, tmp_path, monkeypatch):
    monkeypatch.setattr(api_archives, "MOST_OPEN", 1)
    app = loaded_app(tmp_path, archives_folder=str(root))
    write_deal_parquet(random_deals(5, seed=1), tmp_path / "few.parquet")
    add_files(root / "second", tmp_path / "few.parquet", jobs=1)
    for name, count in (("club", BOARDS), ("second", 5), ("club", BOARDS)):
        assert get(app, f"/{name}/counts").json() == {"total": count}
        assert len(app.state.own.archives._open) == 1
    ask(app, "DELETE", "/v1/archives/second")


def test_keys(root, tmp_path):
    path = tmp_path / "keys"
    keys = {}
    with path.open("w") as file:
        for role in ("read", "admin"):
            keys[role], key = new_key(role, role)
            file.write(f"{key.line()}\n")
    path.chmod(0o600)
    app = loaded_app(tmp_path, archives_folder=str(root), api_keys_file=str(path))
    reader = {"Authorization": f"Bearer {keys['read']}"}
    problem_of(get(app, "/club"), 401, "unauthorized")
    assert get(app, "/club/counts", **reader).json() == {"total": BOARDS}
    answer = ask(app, "DELETE", "/v1/archives/club", headers=reader)
    problem_of(answer, 403, "forbidden")
