"""``GET /page.zip``: the folder that ``bidcascade page`` writes, from a service."""

import base64
import io
import json
import re
import zipfile

import pytest

from bidcascade.inference.double_dummy.solved_deals import bank_hands, unpack_tables
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.page.page_folder import FOLDER
from bidcascade.service.cli import DONE, main
from tests.inference.support_double_dummy import made_up
from tests.support_service import ask, loaded_app, problem_of, write_small_table
from tests.support_systems import SMALL_SYSTEM


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
