"""``GET /page.zip``: the folder that ``bidcascade page`` writes, from a service."""

import asyncio
import base64
import io
import json
import re
import threading
import zipfile
from typing import Any

import pytest
from fastapi import FastAPI

from bidcascade.bridge import BackendUnavailable
from bidcascade.engine.settings import Settings
from bidcascade.inference.double_dummy.solved_deals import bank_hands, unpack_tables
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.page.page_folder import FOLDER
from bidcascade.service.api.app import create_app
from bidcascade.service.cli import DONE, main
from bidcascade.systems.bidding.system_bidder import SystemBidder
from tests.inference.double_dummy.support_double_dummy import made_up
from tests.support.service import ask, loaded_app, problem_of, write_small_table
from tests.support.systems import SMALL_SYSTEM


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small.bidding").write_text(SMALL_SYSTEM, "utf-8")
    (tmp_path / "other.bidding").write_text(f'opponents play "small.bidding"\n{SMALL_SYSTEM}')
    return tmp_path


def files_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = packed.namelist()
        assert all(name.startswith(f"{FOLDER}/") for name in names)
        return {name.removeprefix(f"{FOLDER}/"): packed.read(name) for name in names}


def test_it_is_what_the_command_writes(folder):
    app = loaded_app(table=str(folder / "other.bidding"), backend="auto")
    app.state.own.solved_tables = TableCache()
    response = ask(app, "GET", "/page.zip")
    assert response.headers["content-type"] == "application/zip"
    assert f'filename="{FOLDER}.zip"' in response.headers["content-disposition"]
    command = ["page", str(folder / "other.bidding"), "--solved-deals", "0", "--out"]
    assert main([*command, str(folder / "site")]) == DONE
    site = folder / "site"
    written = {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file()
    }
    assert files_of(response.content) == written
    # the system that it plays against comes along
    assert {"systems/other.js", "systems/small.js"} < written.keys()


def test_solved_deals_come_along_as_far_as_there_are_some(folder):
    app = loaded_app(table=str(folder / "small.bidding"), backend="auto")
    hands, cache = bank_hands(20), TableCache()
    cache.add(hands, made_up(hands))
    app.state.own.solved_tables = cache
    files = files_of(ask(app, "GET", "/page.zip").content)
    said = re.fullmatch(rb'globalThis.bidcascadeSolvedDeals = (".*");\n', files["solved-deals.js"])
    assert (unpack_tables(base64.b64decode(json.loads(said[1]))) == made_up(hands)).all()


def test_a_service_of_tables_has_no_such_folder(folder):
    app = loaded_app(table=f"rows={write_small_table(folder)}")
    problem_of(ask(app, "GET", "/page.zip"), 404, "no-system")
    problem_of(ask(app, "GET", "/page.zip?x=1"), 422, "invalid-request")


class Downloading:
    """An answer to a request for the folder; ``is_begun`` is set by its first bytes."""

    def __init__(self, app: FastAPI) -> None:
        self.messages: list[Any] = []
        self.is_begun = threading.Event()
        self._app = app

    @property
    def content(self) -> bytes:
        return b"".join(one.get("body", b"") for one in self.messages)

    @property
    def is_whole(self) -> bool:
        return self.messages[-1].get("more_body") is False

    def run(self) -> None:
        """Take it in to its end."""

        asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> dict[str, Any]:
            if (one := next(asked, None)) is None:
                await asyncio.Event().wait()
            assert one is not None
            return one

        async def send(message: Any) -> None:
            self.messages.append(message)
            if message.get("body"):
                self.is_begun.set()

        path = "/page.zip"
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
            "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
            "root_path": "", "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1),
            "server": ("localhost", 80), "state": {},
        }  # fmt: skip
        asyncio.run(self._app(scope, receive, send))


def test_what_is_made_comes_before_what_is_not(folder, monkeypatch):
    app = loaded_app(table=str(folder / "small.bidding"), backend="auto")
    got, topics, seen = Downloading(app), SystemBidder.topics, []

    def later(bidder, **options):
        seen.append(got.is_begun.wait(60))
        return topics(bidder, **options)

    monkeypatch.setattr(SystemBidder, "topics", later)
    got.run()
    assert seen == [True]
    assert got.is_whole
    first, *_, last = files_of(got.content)
    assert (first, last) == ("bidcascade.js", "sw.js")


def test_what_goes_wrong_in_between_leaves_no_whole_answer(folder, monkeypatch):
    app = loaded_app(table=str(folder / "small.bidding"), backend="auto")

    def broken(_bidder, **_options):
        raise BackendUnavailable("expected a core, got none")

    monkeypatch.setattr(SystemBidder, "topics", broken)
    got = Downloading(app)
    with pytest.raises(RuntimeError, match="already started"):
        got.run()
    assert got.content
    assert not got.is_whole


def test_it_begins_while_the_tables_are_loaded(folder):
    app = create_app(Settings(table=str(folder / "small.bidding"), backend="auto"))
    got, tables, seen = Downloading(app), app.state.own.tables, []

    def load():
        seen.append(got.is_begun.wait(60))
        tables.load()

    loading = threading.Thread(target=load)
    loading.start()
    got.run()
    loading.join()
    assert seen == [True]
    assert got.is_whole
    assert "systems/small.js" in files_of(got.content)


def test_a_text_that_has_changed_is_told_before_anything_comes(folder):
    app = loaded_app(table=str(folder / "small.bidding"), backend="auto")
    (folder / "small.bidding").write_text("opening:\n  1C = any hand\n", "utf-8")
    problem_of(ask(app, "GET", "/page.zip"), 409, "files-changed")
