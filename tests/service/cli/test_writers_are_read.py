"""All that the program writes to a file it reads: a round trip for each writer, by name.

`OUTPUTS` has a row for each option of the command line that names an output, and a test walks over
all options: one without a row fails by its name. Formats that are registered somewhere are walked
over where they are registered.
"""

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from bidcascade.inference.scenarios.script_words import ACTIONS
from bidcascade.loaders import HAND_COLUMNS, random_deals, read_deals, write_deal_parquet
from bidcascade.service.api.routes.routes_archives import MEDIA_TYPES
from bidcascade.service.cli import main
from bidcascade.service.cli.outputs import Output
from bidcascade.service.cli.shared import DEAL_SUFFIXES
from bidcascade.service.cli.systems.notations import _NOTATIONS as NOTATIONS
from bidcascade.systems import open_system
from bidcascade.systems.registry import open_table
from bidcascade.systems.tables.row_files import FORMATS
from tests.support.cli import parsers
from tests.support.examples import rows_in_check, some_in_check

BOARD = ("dealer", "vulnerability", "board")
EVERYTHING = (*BOARD, "auction", "contract", "declarer")
TINY = """system Tiny
option weak-notrump, off:
  opening:
    1NT = Weak: 12-14 points, balanced
without option weak-notrump:
  opening:
    1NT = Strong: 15-17 points, balanced; forcing
opening:
  1C = Other: 12+ points
"""
KEPT = {
    ".parquet": EVERYTHING,
    ".lin": EVERYTHING,
    ".pbn": EVERYTHING,
    ".rbn": EVERYTHING,
    ".txt": EVERYTHING,
    # requests have no auction
    ".jsonl": BOARD,
}
"""What a file of deals carries beside the hands, by its ending."""


def run(*words: object) -> None:
    assert main([*map(str, words)]) == 0, words


def same(path: Path | str, deals: pl.DataFrame, columns: tuple[str, ...] = ()) -> None:
    """Check that a file has the deals, and of these columns what they have."""
    read, rejects = read_deals(path)
    assert rejects.rows() == []
    assert read.select(*HAND_COLUMNS, *columns).rows() == (
        deals.select(*HAND_COLUMNS, *columns).rows()
    )


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.bidding").write_text(TINY)
    return tmp_path


@pytest.fixture
def bid(folder) -> pl.DataFrame:
    """Boards with auctions, in `bid.pbn`."""
    write_deal_parquet(random_deals(6, seed=5), folder / "deals.parquet")
    run("export", "pbn", "deals.parquet", "--bidder", "tiny.bidding", "--out", "bid.pbn")
    return read_deals(folder / "bid.pbn").deals


def endings(capsys, *words: str) -> list[str]:
    """Endings that a command offers for its output, as it says where another one is given."""
    capsys.readouterr()
    assert main([*words, "out.nosuch"]) == 1
    told = capsys.readouterr().err
    found = re.findall(r"\.(\w+)\b(?=,| or |:|$)", told.partition("got")[0])
    assert found, told
    return [f".{one}" for one in found]


# --- files of deals -------------------------------------------------------------------------------


def test_each_kind_of_file_says_what_it_keeps():
    assert sorted(KEPT) == sorted(DEAL_SUFFIXES)


@pytest.mark.parametrize("suffix", DEAL_SUFFIXES)
def test_deals(folder, suffix):
    run("deals", 6, "--seed", 5, "--out", f"out{suffix}")
    same(f"out{suffix}", random_deals(6, seed=5), BOARD)


@pytest.mark.parametrize("suffix", DEAL_SUFFIXES)
def test_load(bid, suffix):
    run("load", "bid.pbn", "--out", f"out{suffix}")
    same(f"out{suffix}", bid, KEPT[suffix])
    # and what is in a folder, or comes through a pipe
    same(Path(f"out{suffix}").read_bytes(), bid, KEPT[suffix])
    Path("all").mkdir()
    Path(f"out{suffix}").rename(f"all/out{suffix}")
    same("all", bid, KEPT[suffix])


@pytest.mark.parametrize("suffix", DEAL_SUFFIXES)
def test_layouts(folder, suffix):
    run("layouts", "1N P", "--count", 3, "--table", "tiny.bidding", "--out", f"out{suffix}")
    run("layouts", "1N P", "--count", 3, "--table", "tiny.bidding", "--out", "known.parquet")
    same(f"out{suffix}", read_deals("known.parquet").deals, ("dealer", "vulnerability"))


def test_layouts_as_text_and_json(folder, capsys):
    run(
        "layouts",
        "1N P",
        "--count",
        3,
        "--dealer",
        "E",
        "--table",
        "tiny.bidding",
        "--out",
        "x.pbn",
    )
    wanted = read_deals("x.pbn").deals
    for words, columns in ((("--json",), ("dealer", "vulnerability")), ((), ())):
        capsys.readouterr()
        command = ("layouts", "1N P", "--count", 3, "--dealer", "E", "--table", "tiny.bidding")
        run(*command, *words)
        Path("out.txt").write_text(capsys.readouterr().out)
        same("out.txt", wanted, columns)


def test_deals_on_standard_output(folder, monkeypatch, capfdbinary):
    run("deals", 6, "--seed", 5, "--out", "-")
    stdin = io.TextIOWrapper(io.BytesIO(capfdbinary.readouterr().out))
    monkeypatch.setattr(sys, "stdin", stdin)
    run("load", "-", "--out", "out.pbn")
    same("out.pbn", random_deals(6, seed=5), BOARD)


def test_augmented_deals(bid):
    run("augment", "bid.pbn", "--out", "wide.parquet", "--terms", "HCP", "--table", "tiny.bidding")
    same("wide.parquet", bid, EVERYTHING)


def test_auctions_as_text(bid, capsys):
    capsys.readouterr()
    run("auctions", "bid.pbn", "--mode", "first", "--table", "tiny.bidding")
    Path("out.txt").write_text(capsys.readouterr().out)
    same("out.txt", bid, ("dealer", "vulnerability"))


@pytest.mark.parametrize("suffix", DEAL_SUFFIXES)
def test_boards_of_an_archive(bid, capsys, suffix):
    run("archive", "add", "club", "bid.pbn", "--folder", "archives")
    words = ("archive", "boards", "club", "--folder", "archives")
    assert endings(capsys, *words, "--out") == [*DEAL_SUFFIXES]
    run(*words, "--out", f"out{suffix}")
    same(f"out{suffix}", bid, KEPT[suffix])
    for more in ("--json", "--links"):
        capsys.readouterr()
        run(*words, more)
        Path("out.txt").write_text(capsys.readouterr().out)
        same("out.txt", bid, EVERYTHING)


def test_the_service_sends_boards_of_an_archive_as_files_that_are_read():
    assert {f".{name}" for name in MEDIA_TYPES} < {*DEAL_SUFFIXES}


def test_pbn_and_sheets(bid):
    same("bid.pbn", random_deals(6, seed=5), BOARD)
    run("export", "sheets", "bid.pbn", "--out", "sheets.html")
    same("sheets.html", bid, EVERYTHING)


def test_a_log_of_the_table_manager(folder):
    host = ("table-manager", "host", "--ns", "tiny.bidding", "--ew", "engine:sed -u s/.*/P/")
    run(*host, "--card-ms", 0, "--boards", 2, "--log", "match.pbn")
    read, rejects = read_deals("match.pbn", whole=True)
    assert (read.height, rejects.height) == (2, 0)
    assert set(read["auction_status"]) == {"complete"}


def test_answers_are_no_deals_and_that_is_told(bid, capsys):
    run("batch", "bid.pbn", "--out", "answers", "--mode", "first", "--table", "tiny.bidding")
    assert main(["load", "answers", "--out", "out.pbn"]) == 2
    assert "expected a deal frame" in capsys.readouterr().err
    run(
        "batch",
        "bid.pbn",
        "--out",
        "answers",
        "--mode",
        "first",
        "--table",
        "tiny.bidding",
        "--resume",
    )


# --- what scripts of dealer print -----------------------------------------------------------------

PRINTED = {
    "printall": HAND_COLUMNS,
    "printew": ("east", "west"),
    "printpbn": HAND_COLUMNS,
    "printcompact": HAND_COLUMNS,
    "printoneline": HAND_COLUMNS,
    "print": HAND_COLUMNS,
    "printes": (),
    "average": (),
    "frequency": (),
    "evalcontract": (),
}
"""Hands that an action prints. None prints the dealer or who is vulnerable, but `printpbn`."""
WRITTEN = [
    ("printall", "printall, evalcontract(NS, x4S, vul)"),
    ("printew", "printew"),
    ("printpbn", "printpbn"),
    ("printcompact", "printcompact"),
    ("printcompact", "printcompact hcp(north) - 12.5"),
    ("printoneline", "printoneline"),
    ("printoneline", "printoneline (hcp(north) - 20)"),
    ("print", "print(north, east, south, west)"),
    ("print", "print(south, north, west)"),
    ("print", "print(north), print(south), print(west)"),
    ("printoneline", 'printes "deal ", printoneline, average "points" hcp(north)'),
    ("printall", 'printall, frequency "points" (hcp(north), 10, 20)'),
]


def test_each_action_has_a_row():
    assert sorted(PRINTED) == sorted(ACTIONS)
    hands = {name for name, seats in PRINTED.items() if seats}
    assert {name for name, _ in WRITTEN} == hands


@pytest.mark.parametrize(
    ("action", "written"),
    rows_in_check(range(0, len(WRITTEN), 2), *WRITTEN),
    ids=[one for _, one in WRITTEN],
)
@pytest.mark.parametrize("condition", some_in_check(1, "hcp(north) > 12", "spades(north) >= 11"))
def test_output_of_scripts(folder, capsys, action, written, condition):
    script = "produce {}\ncondition {}\naction {}\n"
    for number in (1, 5):
        Path("s.dl").write_text(script.format(number, condition, written))
        Path("known.dl").write_text(script.format(number, condition, "printpbn"))
        texts = []
        for name in ("known.dl", "s.dl"):
            capsys.readouterr()
            run("deals", "--script", name, "--seed", 1)
            texts.append(capsys.readouterr().out)
        wanted = read_deals(texts[0].encode()).deals
        read, rejects = read_deals(texts[1].encode())
        assert rejects.rows() == []
        columns = PRINTED[action]
        assert read.select(columns).rows() == wanted.select(columns).rows()
        unknown = [name for name in HAND_COLUMNS if name not in columns]
        assert read.select(unknown).null_count().rows() in ([], [(number,) * len(unknown)])


def test_sheets_of_two_seats_leave_the_others_unknown(folder, capsys):
    Path("s.dl").write_text("produce 5\naction print(north, south)\n")
    run("deals", "--script", "s.dl", "--seed", 1)
    read, rejects = read_deals(capsys.readouterr().out.encode())
    assert (read.height, rejects.height) == (5, 0)
    assert read.select("north", "east", "south", "west").null_count().row(0) == (0, 5, 0, 5)


def test_themes_without_a_file_are_printed(folder, capsys):
    words = ("deals", 3, "--theme", "stayman", "--seed", 3)
    run(*words, "--out", "out.pbn")
    capsys.readouterr()
    run(*words)
    same(capsys.readouterr().out.encode(), read_deals("out.pbn").deals)


@pytest.mark.parametrize(
    "text",
    [
        "x14x14x17Generated 12 hands\nProduced 3 hands\nInitial random seed 1\n",
        "points: 12.3\nGenerated 12 hands\nProduced 3 hands\nInitial random seed 1\n",
        '{"deal": 0, "total": 1}\n',
        '{"rows": []}',
    ],
)
def test_what_has_no_deal_is_told(folder, text):
    read = read_deals
    with pytest.raises(ValueError, match=r"expected deals, got none.*got (?:other text|JSON)"):
        read(text.encode())


# --- tables, systems, notes, cards ----------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_rows_of_a_table(folder, name):
    criteria = {} if name in ("python", "pickle") else {"name": "Strong"}
    rows = [
        {"prior": [], "call": "1N", "criteria": ["15 <= HCP <= 17"], **criteria},
        {"prior": ["1N"], "call": "P"},
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("table", "import", "rows.jsonl", "--out", "first")
    for ending in FORMATS[name][2]:
        run("table", "export", "first", "--out", f"written{ending}")
        if ending == ".bidding":
            assert open_table(f"written{ending}").rows()
            continue
        run("table", "import", f"written{ending}", "--out", f"again{ending}")
        assert open_table(f"again{ending}").digest == open_table("first").digest


@pytest.mark.parametrize("suffix", NOTATIONS)
def test_notes_and_alerts(folder, capsys, suffix):
    words = ("system", "export", "tiny.bidding")
    assert sorted(endings(capsys, *words, "--out")) == sorted(NOTATIONS)
    run(*words, "--out", f"out{suffix}")
    run("system", "import", f"out{suffix}", "--out", "again.bidding", "--json")
    read = open_system("again.bidding")
    assert read.text.title == "Tiny"
    names = {entry.name for entry in read.expand("").entries}
    assert {"Strong", "Other"} <= names
    strong = next(entry for entry in read.expand("").entries if entry.name == "Strong")
    known = next(e for e in open_system("tiny.bidding").expand("").entries if e.name == "Strong")
    assert strong.criteria == known.criteria
    assert strong.agreements == known.agreements


@pytest.mark.parametrize("suffix", [".html", ".json"])
def test_a_card(folder, capsys, suffix):
    words = ("system", "card", "tiny.bidding", "--out")
    assert sorted(endings(capsys, *words)) == [".html", ".json"]
    run("system", "card", "tiny.bidding", "--option", "weak-notrump", "--out", f"card{suffix}")
    capsys.readouterr()
    hand = "K52.AQ3.9876.KJ2"
    run("bid", hand, "--table", "tiny.bidding", "--option", f"@card{suffix}")
    assert capsys.readouterr().out.startswith("1N  Weak")
    run("bid", hand, "--table", "tiny.bidding")
    assert capsys.readouterr().out.startswith("1C  Other")


def test_a_table_of_a_system(folder):
    run("system", "compile", "tiny.bidding", "--deals", 100, "--out", "table")
    run("table", "info", "table")


# --- every output of the command line -------------------------------------------------------------

OUTPUTS: dict[str, Callable[..., None] | str] = {
    "load --out": test_load,
    "load --rejects": "a report for people and Polars: what could not be read",
    "augment --out": test_augmented_deals,
    "deals --out": test_deals,
    "batch --out": test_answers_are_no_deals_and_that_is_told,
    "archive boards --out": test_boards_of_an_archive,
    "archive stats --out": "a report for people and Polars",
    "export calls --out": "rows for learning, read by Polars and NumPy",
    "export pbn --out": test_pbn_and_sheets,
    "export sheets --out": test_pbn_and_sheets,
    "table import --out": test_rows_of_a_table,
    "table export --out": test_rows_of_a_table,
    "table policy --out": "a table, as table import makes it",
    "table mine --out": "a table, as table import makes it",
    "table mine --rejects": "a report for people and Polars: what could not be read",
    "table learn --out": "a table, as table import makes it",
    "table counts --out": "table counts --previous",
    "table vet --out": "a report for people",
    "system card --out": test_a_card,
    "system book --out": "a report for people; it has the text",
    "system import --out": test_notes_and_alerts,
    "system export --out": test_notes_and_alerts,
    "system tune --out": "the same command goes on from it",
    "system compile --out": test_a_table_of_a_system,
    "compare --out": "a report for people and Polars",
    "bench --out": "a report for people and Polars",
    "table-manager host --log": test_a_log_of_the_table_manager,
    "layouts --out": test_layouts,
    "page --out": "a browser; the same command writes over it",
    "api-key --file": "serve --api-keys-file",
}
"""By option: the test that reads what it writes, or who reads it."""


def test_each_output_of_the_command_line_has_a_reader():
    found = {
        f"{' '.join(words)} {one.option_strings[0]}"
        for words, parser in parsers()
        for one in parser._actions
        if isinstance(one, Output)
    }
    assert sorted(found) == sorted({*OUTPUTS} - {"api-key --file"})
