"""Command ``page``: the folder that it writes, and where it writes nothing."""

import base64
import gzip
import json
import re

import numpy as np
import pytest

from bidcascade.inference.double_dummy.solved_deals import bank_hands, unpack_tables
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main
from bidcascade.systems import named_systems
from bidcascade.systems.language.text_cache import tree_of_rows
from bidcascade.systems.system import System
from tests.support.examples import sized
from tests.support.systems import SMALL_SYSTEM

MOST_BYTES = 1_500_000
"""Page, engine and a system as they come through the network."""
NO_DEALS = ("--solved-deals", "0")
"""Most tests are not about them."""
FILES = {
    "bidcascade.css", "bidcascade.js", "icon-192.png", "icon-512.png", "icon.svg", "index.html",
    "manifest.webmanifest", "sw.js", "themes.js",
}  # fmt: skip


@pytest.fixture
def mine(tmp_path):
    """File of a system with a quotation mark and a line that a script must not trip over."""
    path = tmp_path / "my system.bidding"
    title = "system It's \\ </script> mine"
    path.write_text(SMALL_SYSTEM.replace("system Small natural", title), "utf-8")
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "site"


def names(folder) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def system_in(folder, name: str):
    """What the script of a system sets, read as a browser would."""
    text = (folder / f"systems/{name}.js").read_text("utf-8")
    said = re.fullmatch(
        r"\(globalThis\.bidcascadeSystems \?\?= \{\}\)\[(\".*?\")\] = (.*);\n", text
    )
    system = json.loads(said[2])
    return json.loads(said[1]), system | {"rows": json.loads(system["rows"])}


def test_the_folder(mine, folder, capsys):
    assert main(["page", *NO_DEALS, "--out", str(folder), str(mine)]) == DONE
    assert names(folder) == FILES | {"systems/my system.js"}
    assert "wrote the page to" in capsys.readouterr().err
    name, said = system_in(folder, "my system")
    assert name == said["name"] == "my system"
    assert said["title"] == r"It's \ </script> mine"
    assert said["texts"] == {"my system.bidding": mine.read_text("utf-8")}
    assert tree_of_rows(said["rows"]).blocks == System.open(mine).text.blocks
    assert str(folder.parent) not in json.dumps(said)
    page = (folder / "index.html").read_text("utf-8")
    # nothing of a service
    assert not re.search(r'(href|src)="(/|http)', page)
    listed = re.search(r'data-offline="(.*?)"', page)[1].replace("&quot;", '"')
    assert [one["name"] for one in json.loads(listed)] == ["my system"]
    assert json.loads(listed)[0]["digest"] == System.open(mine).digest
    worker = (folder / "sw.js").read_text("utf-8")
    cached = set(json.loads(re.search(r"const FILES = (.*);", worker)[1]))
    assert cached == FILES - {"index.html", "sw.js"} | {"./", "systems/my%20system.js"}


def test_the_same_again_is_the_same_and_what_is_gone_goes(mine, folder):
    assert main(["page", *NO_DEALS, "--out", str(folder), str(mine)]) == DONE
    first = {name: (folder / name).read_bytes() for name in names(folder)}
    (folder / "systems/old.js").write_text("")
    (folder / "CNAME").write_text("example.org")
    assert main(["page", *NO_DEALS, "--out", str(folder), str(mine), "--force"]) == DONE
    assert {name: (folder / name).read_bytes() for name in first} == first
    assert names(folder) == {*first, "CNAME"}
    mine.write_text(mine.read_text("utf-8").replace("mine", "yours"), "utf-8")
    assert main(["page", *NO_DEALS, "--out", str(folder), str(mine), "--force"]) == DONE
    # the service worker has another version
    assert (folder / "sw.js").read_bytes() != first["sw.js"]


def test_opponents_come_along(mine, folder, tmp_path):
    ours = tmp_path / "ours.bidding"
    ours.write_text(f'opponents play "{mine.name}"\n{SMALL_SYSTEM}', "utf-8")
    assert main(["page", *NO_DEALS, "--out", str(folder), str(ours)]) == DONE
    assert system_in(folder, "ours")[1]["opponents"] == "my system"
    assert system_in(folder, "my system")[1]["opponents"] is None


def test_nothing_is_written_where_something_is_wrong(mine, folder, tmp_path, capsys):
    mine.write_text(SMALL_SYSTEM.replace("15-17 points", "15-17 pionts"), "utf-8")
    assert main(["page", *NO_DEALS, "--out", str(folder), "sayc", str(mine)]) == BAD_INPUT
    assert "pionts" in capsys.readouterr().err
    assert main(["page", *NO_DEALS, "--out", str(folder), "nosuch"]) == BAD_ARGUMENTS
    other = tmp_path / "other"
    other.mkdir()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.bidding").write_text(SMALL_SYSTEM, "utf-8")
    twice = [str(tmp_path / name / "same.bidding") for name in ("a", "b")]
    assert main(["page", *NO_DEALS, "--out", str(folder), *twice]) == BAD_ARGUMENTS
    assert "two that are called 'same'" in capsys.readouterr().err
    assert not folder.exists()


def test_other_folders_stay_as_they_are(mine, folder, capsys):
    folder.mkdir()
    (folder / ".git").mkdir()
    (folder / "index.html").write_text("mine")
    assert main(["page", *NO_DEALS, "--out", str(folder), str(mine)]) == BAD_INPUT
    assert "expected an empty folder, or one that this command has" in capsys.readouterr().err
    assert names(folder) == {"index.html"}
    assert main(["page", *NO_DEALS, "--out", str(mine), str(mine)]) == BAD_INPUT
    (folder / "index.html").unlink()
    assert main(["page", *NO_DEALS, "--out", str(folder), str(mine)]) == DONE


def test_solved_deals_come_along(mine, folder, tmp_path, monkeypatch, capsys):
    """What was solved before is taken, the rest is solved and kept for the next time."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    tables = np.arange(6)[:, None] + np.arange(20)[None] % 7
    user_tables().add(bank_hands(6), tables.astype(np.int8))
    command = [
        "page",
        "--out",
        str(folder),
        "--workers",
        "1",
        str(mine),
        "--force",
        "--solved-deals",
    ]

    def solved():
        text = (folder / "solved-deals.js").read_text("utf-8")
        said = re.fullmatch(r'globalThis\.bidcascadeSolvedDeals = "(.*)";\n', text)
        return unpack_tables(base64.b64decode(said[1]))

    assert main([*command, "5"]) == DONE
    assert "solves" not in capsys.readouterr().err
    assert (solved() == tables[:5]).all()
    assert 'data-solved="5"' in (folder / "index.html").read_text("utf-8")
    assert '"solved-deals.js"' in (folder / "sw.js").read_text("utf-8")
    assert main([*command, "8"]) == DONE
    told = capsys.readouterr().err
    assert "solves 2 deals, about 0 s" in told
    assert "kept for the next time" in told
    assert (solved()[:6] == tables).all()
    assert len(solved()) == 8
    assert (user_tables().find(bank_hands(8)) == solved()).all()
    assert main([*command, "0"]) == DONE
    assert not (folder / "solved-deals.js").exists()
    assert "data-solved" not in (folder / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_all_that_comes_with_a_system_is_small(folder):
    # that which is the largest, or all that there are
    asked = sized(["two-over-one"], [])
    assert main(["page", *NO_DEALS, "--out", str(folder), *asked]) == DONE
    packed = {name: len(gzip.compress((folder / name).read_bytes(), 9)) for name in names(folder)}
    systems = {name: packed.pop(name) for name in tuple(packed) if name.startswith("systems/")}
    assert set(systems) == {f"systems/{name}.js" for name in asked or named_systems()}
    assert sum(packed.values()) + max(systems.values()) <= MOST_BYTES
