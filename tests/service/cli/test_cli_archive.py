"""Command ``archive``."""

import json
import re
import time
from types import SimpleNamespace

import polars as pl
import pytest

from bidcascade.engine.archive import watching
from bidcascade.engine.archive.archive import Archive
from bidcascade.loaders import read_deals
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main
from bidcascade.service.cli.files import archive as command
from tests.engine.archive.support_archives import played, write_files, write_system


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("inputs"), 120)


@pytest.fixture(scope="module")
def made(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives")
    system = write_system(tmp_path_factory.mktemp("system"))
    assert main(["archive", "add", "club", *map(str, files), "--folder", str(folder)]) == DONE
    bid = ["archive", "bid", "club", str(system), "--all", "--folder", str(folder)]
    assert main([*bid, "--backend", "cpu"]) == DONE
    return folder


def run(made, *arguments):
    return main(["archive", *map(str, arguments), "--folder", str(made)])


def answer(capsys, made, *arguments):
    assert run(made, *arguments, "--json") == DONE
    return json.loads(capsys.readouterr().out)


def test_archives_are_listed_and_shown(made, capsys):
    (one,) = answer(capsys, made, "list")
    assert (one["name"], one["boards"], one["sources"]) == ("club", 120, 3)
    assert answer(capsys, made, "show", "club") == one
    assert one["bidders"]["small"]["modes"] == ["first", "all"]
    assert run(made, "list") == DONE
    assert "club" in capsys.readouterr().out
    assert run(made, "show", "club") == DONE
    assert "small (first, all)" in capsys.readouterr().out


def test_boards_are_printed_counted_and_written(made, tmp_path, capsys):
    found = answer(capsys, made, "boards", "club", "--auction", "1N P", "--by", "small")
    assert found["total"] == len(found["boards"]) > 1
    assert all(one["bid"].startswith("1N P") for one in found["boards"])
    assert all("deal" in one and one["link"].startswith("http") for one in found["boards"])
    asked = ["boards", "club", "--auction", "1N P", "--by", "small"]
    assert answer(capsys, made, *asked, "--count") == {"total": found["total"]}
    assert run(made, *asked, "--count") == DONE
    assert capsys.readouterr().out == f"{found['total']}\n"
    assert run(made, *asked) == DONE
    shown = capsys.readouterr()
    assert "1N P" in shown.out
    assert f"{found['total']} of {found['total']} boards" in shown.err
    assert run(made, *asked, "--links") == DONE
    assert len(capsys.readouterr().out.splitlines()) == found["total"]
    for name in ("a.parquet", "a.lin", "a.pbn"):
        assert run(made, *asked, "--out", tmp_path / name, "--bids") == DONE
        deals = read_deals(tmp_path / name).deals
        assert deals.height == found["total"]
        assert all(auction[:2] == [7, 0] for auction in deals["auction"].to_list())


def test_options_of_a_question_reach_it(made, capsys):
    archive = Archive(made / "club")
    frame = pl.concat([part.boards for part in archive.parts])
    total = answer(capsys, made, "boards", "club", "--dealer", "N", "--count")["total"]
    assert total == frame.filter(dealer="N").height
    found = answer(capsys, made, "boards", "club", "--seed", "3", "--limit", "7")
    assert len(found["boards"]) == 7
    assert found == answer(capsys, made, "boards", "club", "--seed", "3", "--limit", "7")
    found = answer(capsys, made, "boards", "club", "--level", "dealer", "--limit", "8")
    assert sorted(one["class"] for one in found["boards"]) == sorted("NESW" * 2)
    found = answer(
        capsys, made, "boards", "club", "--sort", "tricks", "--descending", "--limit", "1"
    )
    assert found["boards"][0]["tricks"] == frame["tricks"].max()
    for more in (["--result", "made"], ["--contract", "4S"], ["--contract", "3NT"],
                 ["--player", "south1"], ["--event", "cup"], ["--source", "lin"],
                 ["--vul", "NS"],
                 ["--where", "HCP_N >= 12", "--where", "HCP_S >= 8"]):  # fmt: skip
        total = answer(capsys, made, "boards", "club", *more, "--count")["total"]
        assert 0 < total < 120


def test_calls_that_follow(made, capsys):
    found = answer(capsys, made, "calls", "club")
    assert sum(one["boards"] for one in found) == sum(
        int((part.boards["auction"].list.len() > 0).sum()) for part in Archive(made / "club").parts
    )
    assert run(made, "calls", "club", "1N P", "--by", "small") == DONE
    assert "2C" in capsys.readouterr().out
    assert answer(capsys, made, "calls", "club", "7N P P P") == []


def test_the_auctions_of_most_boards_are_printed_first(made, capsys):
    found = answer(capsys, made, "stats", "club", "--least", "10")
    assert run(made, "stats", "club", "--least", "10") == DONE
    printed = re.findall(r" +(\d+) +\d+\.\d%", capsys.readouterr().out)
    wanted = sorted((one["boards"] for one in found), reverse=True)
    assert len(set(printed)) > 1
    assert list(map(int, printed)) == wanted[: len(printed)]


def test_an_auction_that_no_board_has(made, tmp_path, capsys):
    """What is asked for is written, empty, in place of what was there."""
    nowhere = ("club", "7N")
    assert answer(capsys, made, "stats", *nowhere) == []
    assert run(made, "stats", *nowhere) == DONE
    assert "no auction of at least 50 boards" in capsys.readouterr().err
    for name in ("stats.parquet", "stats.html"):
        (tmp_path / name).write_text("old")
        assert run(made, "stats", *nowhere, "--out", tmp_path / name, "--force") == DONE
    some = tmp_path / "some.parquet"
    assert run(made, "stats", "club", "--least", "20", "--out", some) == DONE
    nodes = pl.read_parquet(tmp_path / "stats.parquet")
    assert (nodes.height, nodes.schema) == (0, pl.read_parquet(some).schema)
    assert "<html" in (tmp_path / "stats.html").read_text("utf-8")


def test_a_file_of_boards_is_told_as_json(made, tmp_path, capsys):
    out = tmp_path / "some.lin"
    told = answer(capsys, made, "boards", "club", "--auction", "P", "--limit", "2", "--out", out)
    assert told["written"] == 2 < told["total"]


def test_boards_come_and_go(files, tmp_path, capsys):
    added = answer(capsys, tmp_path, "add", "club", files[0])
    assert added == {"boards": 40, "duplicates": 0, "rejects": 0, "files_known": 0, "in_all": 40}
    assert answer(capsys, tmp_path, "add", "club", *files)["files_known"] == 1
    system = write_system(tmp_path)
    done = answer(capsys, tmp_path, "bid", "club", system, "--as", "ours", "--backend", "cpu")
    assert (done["name"], done["bid"], done["boards"]) == ("ours", 120, 120)
    assert run(tmp_path, "forget", "club", "ours") == DONE
    assert answer(capsys, tmp_path, "show", "club")["bidders"] == {}
    assert answer(capsys, tmp_path, "remove", "club", "--source", files[0].name) == {"removed": 40}
    assert answer(capsys, tmp_path, "remove", "club") == {"removed": 80}
    assert answer(capsys, tmp_path, "list") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "other"], "expected an archive (club), got 'other'"),
        (["show", "../club"], "expected a name of letters"),
        (["boards", "club", "--by", "nobody"], "expected who bids the archive (own, small)"),
        (["boards", "club", "--descending"], "with descending, got none"),
        (["boards", "club", "--mode", "all"], "expected who bids the archive with mode all"),
        (["add", "club", "nowhere.lin"], "nowhere.lin"),
        (["bid", "club", "nothing"], "nothing"),
        (["forget", "club", "nobody"], "expected who bids the archive (small)"),
        (["remove", "club", "--source", "nothing.lin"], "it has none such"),
    ],
)
def test_what_cannot_be_answered(made, capsys, arguments, message):
    assert run(made, *arguments) == BAD_INPUT
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [["boards"], ["boards", "club", "--limit", "0"], ["boards", "club", "--seed", "-1"],
     ["boards", "club", "--mode", "some"], ["add", "club"], ["add", "club", "a", "--watch", "0"],
     ["lose", "club"], ["boards", "club", "--out", "deals.doc"],
     ["boards", "club", "--count", "--out", "deals.lin"], ["boards", "club", "--count", "--links"],
     ["boards", "club", "--links", "--out", "deals.lin"], ["boards", "club", "--links", "--json"],
     ["boards", "club", "--count", "--limit", "3"], ["boards", "club", "--count", "--bids"],
     ["boards", "club", "--count", "--level", "next"]],
)  # fmt: skip
def test_commands_that_are_none(made, arguments):
    try:
        code = run(made, *arguments)
    except SystemExit as left:
        code = left.code
    assert code == BAD_ARGUMENTS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["boards", "club", "--auction", "1Q"], "expected an auction"),
        (["calls", "club", "1N 1C"], "insufficient"),
        (["calls", "club", "1M"], "expected an auction with all its calls"),
        (["boards", "club", "--where", "HCP_N >="], "expected an operand"),
    ],
)
def test_auctions_and_conditions_that_are_none(made, capsys, arguments, message):
    assert run(made, *arguments) in (BAD_ARGUMENTS, BAD_INPUT)
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""


def test_a_folder_is_watched(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "in"
    folder.mkdir()
    seen = []

    def come_and_go(seconds):
        archive = tmp_path / "archives" / "club"
        seen.append((seconds, Archive(archive).catalogue.boards if archive.exists() else None))
        if len(seen) == 1:
            write_files(folder, 30, kinds=1)
        elif len(seen) == 2:
            played(10, 5).write_parquet(folder / "more.parquet")
        elif len(seen) == 3:
            played(10, 6).write_parquet(folder / "more.parquet")
        elif len(seen) == 5:
            raise KeyboardInterrupt

    began = time.time()
    monkeypatch.setattr(command, "time", SimpleNamespace(sleep=come_and_go))
    later = SimpleNamespace(time=lambda: began + 30 * len(seen), monotonic=lambda: 30.0 * len(seen))
    monkeypatch.setattr(watching, "time", later)
    assert run(tmp_path / "archives", "add", "club", folder, "--watch", 30) == 130
    assert seen == [(30, None), (30, 30), (30, 40), (30, 40), (30, 40)]
    err = capsys.readouterr().err
    assert "expected" in err
    assert err.count("--replace") == 1
