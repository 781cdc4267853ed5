"""Nothing is overwritten without `--force`, by any option that names an output.

The rows are made of the parsers: whoever adds an output has it here.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from bidcascade.loaders import random_deals, read_deals, write_lin
from bidcascade.page.page_folder import SERVICE_WORKER
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main
from bidcascade.service.cli.outputs import Output
from bidcascade.table.stored import storage
from tests.support.cli import parsers
from tests.support.systems import SMALL_SYSTEM

ADDS = "api-key --file"
"""Names what is added to."""
NAMES = ("--out", "--log", "--rejects", "--file")


class Named(NamedTuple):
    """An option of a command."""

    words: tuple[str, ...]
    parser: argparse.ArgumentParser
    option: argparse.Action


OUTPUTS = [
    Named(words, parser, one)
    for words, parser in parsers()
    for one in parser._actions
    if isinstance(one, Output)
]


def test_options_with_the_name_of_an_output_are_outputs():
    named = {
        f"{' '.join(words)} {flag}"
        for words, parser in parsers()
        for one in parser._actions
        for flag in one.option_strings
        if flag in NAMES
    }
    found = {f"{' '.join(one.words)} {one.option.option_strings[0]}" for one in OUTPUTS}
    assert found == named - {ADDS}
    assert len(found) > 25


def value_of(option: argparse.Action) -> str:
    """A word that an argument takes; what it names is not there."""
    if option.choices:
        return str(next(iter(option.choices)))
    return "3" if option.type is not None else "nowhere.lin"


def arguments(one: Named) -> list[str]:
    """Arguments that can be read, but of which no work can be done."""
    given = list(one.words)
    for option in one.parser._actions:
        if option is one.option or not option.required:
            continue
        flags = option.option_strings[:1]
        value = value_of(option)
        if isinstance(option, Output):
            value = f"other{suffix_for(option)}"
        given += [*flags, value]
    return given


def suffix_for(option: Output) -> str:
    """Ending that an output of files may have; a folder has none."""
    for suffix in (".parquet", ".pbn", ".html", ".csv", ".bidding"):
        try:
            option.check(f"new{suffix}")
        except ValueError:
            continue
        return suffix
    raise AssertionError(option)


def put_there(one: Named, folder: Path) -> Path:
    """Make what the command would replace."""
    assert isinstance(one.option, Output)
    path = folder / f"there{suffix_for(one.option)}"
    if one.option.metavar == "FILE":
        path.write_text("mine")
        return path
    path.mkdir()
    if one.words in {("batch",), ("export", "calls")}:
        (folder / "small.bidding").write_text(SMALL_SYSTEM)
        write_lin(random_deals(3, seed=1), folder / "few.lin")
        more = ["--bidder"] if one.words == ("export", "calls") else ["--mode", "first", "--table"]
        words = [*one.words, str(folder / "few.lin"), *more, str(folder / "small.bidding")]
        assert main([*words, "--out", str(path)]) == DONE
    elif one.words == ("page",):
        (path / SERVICE_WORKER).write_text("// Written by `bidcascade page`.\n")
    elif one.words == ("system", "book"):
        for name in ("print.html", "index.html"):
            (path / name).write_text("mine")
    elif one.words == ("table", "vet"):
        (path / "summary.json").write_text("{}")
    elif one.words[0] in {"compare", "bench"} or one.words == ("system", "tune"):
        (path / "letter.txt").write_text("mine")
    else:
        (path / "manifest.json").write_text(f'{{"format": "{storage.FORMAT}"}}')
    return path


def contents(path: Path) -> dict[str, bytes]:
    found = path.rglob("*") if path.is_dir() else [path]
    return {str(one): one.read_bytes() for one in found if one.is_file()}


@pytest.mark.parametrize(
    "one",
    OUTPUTS,
    ids=[" ".join([*one.words, one.option.option_strings[0]]) for one in OUTPUTS],
)
def test_what_is_there_stays(one, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    there = put_there(one, tmp_path)
    before = contents(tmp_path)
    flag = one.option.option_strings[0]
    words = [*arguments(one), flag, there.name]
    capsys.readouterr()
    assert main(words) == BAD_INPUT
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"expected a free place for {flag}, got {there.name!r}, which is there; " in told
    assert told.endswith("--force replaces it\n")
    assert contents(tmp_path) == before


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.bidding").write_text(SMALL_SYSTEM)
    write_lin(random_deals(3, seed=1), "few.lin")
    return tmp_path


def test_force_replaces_a_file(folder):
    Path("out.pbn").write_text("mine")
    words = ["load", "few.lin", "--out", "out.pbn"]
    assert main(words) == BAD_INPUT
    assert main([*words, "--force"]) == DONE
    assert read_deals("out.pbn").deals.height == 3
    # a link that leads nowhere is something, too
    Path("link.pbn").symlink_to("gone.pbn")
    assert main(["load", "few.lin", "--out", "link.pbn"]) == BAD_INPUT


def test_what_failed_under_force_leaves_what_was_there(folder):
    Path("out.pbn").write_text("mine")
    assert main(["load", "nowhere.lin", "--out", "out.pbn", "--force"]) == BAD_INPUT
    assert Path("out.pbn").read_text() == "mine"


def test_standard_output_is_nothing_that_is_there(folder, capfdbinary):
    Path("-").write_text("mine")
    assert main(["deals", "2", "--seed", "1", "--out", "-"]) == DONE
    assert capfdbinary.readouterr().out[:4] == b"PAR1"


def test_one_place_is_no_place_for_two_outputs(folder, capsys):
    assert main(["load", "few.lin", "--out", "a.parquet", "--rejects", "./a.parquet"]) == (
        BAD_ARGUMENTS
    )
    assert "expected two outputs" in capsys.readouterr().err


@pytest.mark.parametrize("first", [("batch", "--mode", "first"), ("export", "calls")])
def test_a_run_begins_anew_under_force(folder, capsys, first):
    bidder = "--bidder" if first[0] == "export" else "--table"
    words = [*first, "few.lin", bidder, "small.bidding", "--out", "out"]
    assert main(words) == DONE
    whole = contents(folder / "out")
    # a run that is done stays as it is
    assert main([*words, "--resume"]) == DONE
    assert contents(folder / "out") == whole
    Path("out/letter.txt").write_text("mine")
    write_lin(random_deals(5, seed=2), "few.lin")
    assert main(words) == BAD_INPUT
    assert main([*words, "--force"]) == DONE
    pattern = "calls-*.parquet" if first[0] == "export" else "auctions-*.parquet"
    assert pl.read_parquet(f"out/{pattern}")["deal"].n_unique() == 5
    assert Path("out/letter.txt").read_text() == "mine"


def test_force_takes_no_table_for_a_run(folder, capsys):
    assert main(["system", "compile", "small.bidding", "--deals", "50", "--out", "table"]) == DONE
    before = contents(folder / "table")
    words = ["batch", "few.lin", "--table", "small.bidding", "--mode", "first"]
    assert main([*words, "--out", "table", "--force"]) == BAD_INPUT
    assert contents(folder / "table") == before
    assert main(["system", "compile", "small.bidding", "--out", "few.lin", "--force"]) == BAD_INPUT
    assert "which is no bidding table" in capsys.readouterr().err
