"""Wide frames: the page against the real schema, values by the plain definition, files, results."""

import re
import signal
import subprocess
import time

import numpy as np
import polars as pl
import pytest

from bidcascade.bridge import RANKS, SEATS, SUITS, InvalidExpression, format_hand
from bidcascade.engine import Engine
from bidcascade.engine.runs.columns.wide import WideDeals, widen
from bidcascade.engine.runs.columns.wide_columns import (
    RESULT_SCHEMA,
    term_type,
    wide_terms,
)
from bidcascade.kernels import evaluate_postfix
from bidcascade.loaders import DEAL_SCHEMA, deal_arrays, empty_deals, random_deals, write_pbn
from bidcascade.loaders.pbn.pbn_double_dummy import (
    DOUBLE_DUMMY_COLUMNS,
    double_dummy_columns,
    format_double_dummy_tricks,
)
from bidcascade.service.cli import main
from bidcascade.systems.places.turn_context import context_at
from bidcascade.table import build_table
from bidcascade.table.language.seat_terms import seat_term
from tests.support.cli import command, environment
from tests.support.deals import possible
from tests.support.docs import page_text
from tests.support.service import write_small_table

FRAME = random_deals(30, seed=5)
DEALS = deal_arrays(FRAME)
ROWS = [
    {"prior": "", "call": "1N", "criteria": ["15 <= HCP <= 17", "Balanced", "not C_SA"]},
    {"prior": "1N", "call": "P", "criteria": ["Forcing_One_Round", "SL_S >= SL_H", "Biddable_C"]},
]


@pytest.fixture(scope="module")
def engine():
    return Engine(build_table(ROWS)[0], "cpu")


@pytest.fixture(scope="module")
def wide(engine):
    return widen(engine, FRAME)


@pytest.mark.checkout
@pytest.mark.page("docs/augmented-columns.md")
def test_the_page_names_every_column(engine):
    """Every column of the real schema, with its type, and none that is not there."""
    results = empty_deals().with_columns(
        pl.lit(None, dtype).alias(name) for name, dtype in RESULT_SCHEMA.items()
    )
    found = widen(engine, results)
    named = {}
    for pattern, dtype in re.findall(
        r"^\| `(\w+)` \| ([\w()]+) \|", page_text("docs/augmented-columns.md"), re.MULTILINE
    ):
        for seat in SEATS:
            for suit in SUITS:
                for rank in RANKS:
                    for strain in (*SUITS, "N"):
                        name = re.sub(r"(?<=_)p(?=_|$)", seat, pattern)
                        name = re.sub(r"(?<=_)xR$", suit + rank, name)
                        name = re.sub(r"(?<=_)x$", suit, name)
                        named[re.sub(r"(?<=_)z$", strain, name)] = dtype
    schema = {
        name: kind_of(dtype) for name, dtype in found.schema.items() if name not in DEAL_SCHEMA
    }
    of_expressions = {name for name in schema if " " in name}
    assert {name: schema[name] for name in schema if name not in of_expressions} == named
    assert len(named) == 4 * 153 + len(RESULT_SCHEMA)


def test_expressions_of_the_table(wide):
    found = [name for name in wide.columns if " " in name]
    assert found == [
        *(f"15 <= HCP_{seat} <= 17" for seat in SEATS),
        *(f"not C_{seat}_SA" for seat in SEATS),
        *(f"SL_{seat}_S >= SL_{seat}_H" for seat in SEATS),
    ]
    assert wide["15 <= HCP_N <= 17"].to_list() == [15 <= n <= 17 for n in wide["HCP_N"].to_list()]
    assert not any("Forcing" in name for name in wide.columns)


@pytest.mark.parametrize("profile", ["gib", "mlbridge"])
def test_values_by_the_reference(profile):
    table, _ = build_table(ROWS, profile=profile, user_terms={"Strength": "HCP + SL_S"})
    found = widen(Engine(table, "cpu"), FRAME)
    vocabulary = table.vocabulary
    assert "Strength_N" in found.columns
    for name in wide_terms(vocabulary):
        lowered = vocabulary.lowered_term(name)
        for seat, letter in enumerate(SEATS):
            column = found[seat_term(name, letter)]
            assert column.dtype == term_type(name, vocabulary)
            values = []
            for deal in range(FRAME.height):
                dealer, sides = int(DEALS.dealer[deal]), int(DEALS.vulnerability[deal])
                context = context_at((seat - dealer) % 4, dealer, sides)
                hand = int(DEALS.hands[seat, deal])
                value = evaluate_postfix(lowered.code, hand, context, profile=profile)
                values.append(f"{value:X}" if name == "Pattern" else value / lowered.scale)
            assert column.to_list() == values, name


def test_cards_and_shapes(wide):
    for seat, letter in enumerate(SEATS):
        for deal in range(FRAME.height):
            spades, hearts, diamonds, clubs = format_hand(int(DEALS.hands[seat, deal])).split(".")
            row = wide.row(deal, named=True)
            lengths = (len(one) for one in (spades, hearts, diamonds, clubs))
            assert row[f"Shape_{letter}"] == "=".join(map(str, lengths))
            for suit, held in zip("SHDC", (spades, hearts, diamonds, clubs), strict=True):
                cards = {rank for rank in RANKS if row[f"C_{letter}_{suit}{rank}"]}
                assert cards == set(held)
    assert wide.select(FRAME.columns).equals(FRAME)


def test_further_columns(engine):
    found = widen(engine, FRAME, terms=["LTC", "HCP"], expressions=["HCP >= 12"], auctions=["1N"])
    assert found.columns[-9:] == [
        *(f"SL_{seat}_S >= SL_{seat}_H" for seat in SEATS),
        *(f"HCP_{seat} >= 12" for seat in SEATS),
        "1N",
    ]
    assert found["LTC_N"].to_list() == found["Losers_N"].to_list()
    table, _ = build_table(ROWS, user_terms={"Shape": "SL_S"})
    with pytest.raises(InvalidExpression, match="'Shape_N', which is there already"):
        widen(Engine(table), FRAME)


def kind_of(dtype):
    """Type as the page writes it."""
    return f"List({dtype.inner})" if isinstance(dtype, pl.List) else str(dtype)


TRICKS = tuple(possible(np.arange(20)[None] % 13, deal_arrays(FRAME.head(1)).hands)[0].tolist())


def write_results(path, frame):
    """PBN file of some deals; the first has double-dummy tricks, the second par, the last junk."""
    with path.open("w", encoding="utf-8") as stream:
        write_pbn(frame, stream)
    games = path.read_text("utf-8").rstrip().split("\n\n")
    tags = [
        f'[DoubleDummyTricks "{format_double_dummy_tricks(TRICKS)}"]',
        '[OptimumScore "EW 620"]',
    ]
    games[0] += "\n" + tags[0]
    games[1] += "\n" + tags[1]
    games[-1] += '\n[OptimumScore "none"]\n[DoubleDummyTricks "7"]'
    path.write_text("\n\n".join(games) + "\n", "utf-8")


def test_results_of_pbn_and_parquet(tmp_path, capsys):
    small = str(write_small_table(tmp_path))
    write_results(tmp_path / "results.pbn", FRAME.head(4))
    FRAME.slice(4, 3).write_parquet(tmp_path / "none.parquet")
    tabled = FRAME.slice(7, 3).with_columns(
        pl.Series("Par_NS", [1, None, -3]),
        pl.Series("DD_W_N", [3, 4, 5]),
        pl.Series("Par_Contracts", [["4SX-EW-1"], None, []]),
        # a row that is no deal goes with its results
        north=pl.when(pl.col("board") == 9).then(0).otherwise("north").cast(pl.UInt64),
    )
    tabled.write_parquet(tmp_path / "some.parquet")
    inputs = [str(tmp_path / name) for name in ("results.pbn", "none.parquet", "some.parquet")]
    out = tmp_path / "wide.parquet"
    assert main(["augment", *inputs, "--wide", "--out", str(out), "--table", small]) == 0
    assert "9 boards, 1 rejects, 2 results unread" in capsys.readouterr().err
    found = pl.read_parquet(out)
    assert found.columns[-22:] == list(RESULT_SCHEMA)
    assert (found.schema["DD_N_C"], found.schema["Par_NS"]) == (pl.UInt8, pl.Int16)
    assert found.select(DOUBLE_DUMMY_COLUMNS).row(0) == TRICKS
    assert found["Par_NS"].to_list() == [None, -620, None, None, None, None, None, 1, -3]
    assert found["DD_W_N"].to_list() == [TRICKS[19], None, None, None, None, None, None, 3, 5]
    assert found["Par_Contracts"].to_list() == [*[None] * 7, ["4SX-EW-1"], []]
    expected = pl.concat([FRAME.head(8), FRAME.slice(9, 1)])
    assert found["north"].to_list() == expected["north"].to_list()


def test_chunks_are_one_frame(tmp_path, engine):
    """The same rows in the same order, whatever the size of the chunks."""
    write_results(tmp_path / "results.pbn", FRAME.head(4))
    FRAME.slice(4, 10).write_parquet(tmp_path / "some.parquet")
    inputs = [str(tmp_path / "results.pbn"), str(tmp_path / "some.parquet")]
    whole = pl.concat(batch.deals for batch in WideDeals(inputs).batches())
    for chunk in (1, 3, 5):
        batches = list(WideDeals(inputs).batches(chunk_deals=chunk))
        assert all(batch.deals.height <= chunk for batch in batches)
        assert pl.concat(batch.deals for batch in batches).equals(whole)
        assert WideDeals(inputs).empty().schema == whole.schema
    parts = [widen(engine, batch.deals) for batch in WideDeals(inputs).batches(chunk_deals=3)]
    assert pl.concat(parts).equals(widen(engine, whole))


def test_without_results_there_are_no_columns(tmp_path, engine):
    FRAME.write_parquet(tmp_path / "deals.parquet")
    deals = WideDeals([str(tmp_path / "deals.parquet")])
    assert not deals.has_results
    assert not set(RESULT_SCHEMA) & set(widen(engine, deals.empty()).columns)


def test_optimum_result_tables():
    rows = "\n".join(f"{seat} {strain} 7" for seat in "NESW" for strain in ("NT", *"SHDC"))
    text = f'[Deal "x"]\n[OptimumResultTable "Declarer;Denomination;Result"]\n{rows}\n'
    found, unread = double_dummy_columns(text.encode())
    assert (found.select(DOUBLE_DUMMY_COLUMNS).row(0), unread) == ((7,) * 20, 0)
    # one result is no table
    found, unread = double_dummy_columns(b'[Deal "x"]\n[OptimumResultTable "a"]\nW C 9\n')
    assert (found["DD_W_C"].to_list(), unread) == ([None], 1)


@pytest.mark.slow
def test_nothing_is_left_of_an_interrupted_run(tmp_path):
    """Killed by a signal while it writes: what was at the place stays, nothing half is added."""
    random_deals(800_000, seed=3).write_parquet(tmp_path / "deals.parquet")
    out = tmp_path / "wide.parquet"
    out.write_bytes(b"as it was")
    arguments = [
        "augment",
        tmp_path / "deals.parquet",
        "--wide",
        "--force",
        "--out",
        out,
        "--table",
    ]
    with subprocess.Popen(
        command(*arguments, write_small_table(tmp_path)), env=environment(), stderr=subprocess.PIPE
    ) as run:
        deadline = time.monotonic() + 150
        while not list(tmp_path.glob(".wide.parquet.*/*")) and time.monotonic() < deadline:
            assert run.poll() is None
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    assert run.returncode == 130
    assert not list(tmp_path.glob(".*"))
    assert out.read_bytes() == b"as it was"
