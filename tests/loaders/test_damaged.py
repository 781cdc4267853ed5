"""Damaged files: every record a board or a reject, no traceback, no wait without end."""

import json
import random
import time
from collections import Counter

import polars as pl
import pytest

from bidcascade.bridge import BidcascadeError, InvalidInput
from bidcascade.engine.runs.batches.batch_inputs import Inputs
from bidcascade.engine.runs.deal_files import deal_sink
from bidcascade.engine.runs.manifest import RunPosition
from bidcascade.loaders import (
    DEAL_SCHEMA,
    REJECT_SCHEMA,
    Batch,
    deal_arrays,
    iter_deal_parquet,
    iter_deals,
    play_disagrees,
    random_deals,
    read_deal_parquet,
    read_deals,
    whole_deals,
    write_deal_parquet,
    write_lin,
    write_pbn,
    write_rbn,
)
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import join, reader_remarks
from bidcascade.loaders.inputs import find_sources
from bidcascade.loaders.lin.lin import read_lin
from bidcascade.loaders.lin.lin_reference import read_lin_reference
from bidcascade.loaders.lin.lin_signs import looks_like_handviewer, looks_like_lin
from bidcascade.loaders.parquet import checksums as checksums_module
from bidcascade.loaders.parquet import parquet_decoder
from bidcascade.service.cli import main
from bidcascade.table.call_policy import read_call_policy
from bidcascade.table.overlays.recount import Recount
from tests.loaders.pbn.support_pieces import limit_pieces
from tests.loaders.support_damage import damaged
from tests.support.examples import sized

KINDS = ("lin", "pbn", "rbn", "parquet")
LONGEST_S = 5.0
WRITERS = {"lin": write_lin, "pbn": write_pbn, "rbn": write_rbn, "parquet": write_deal_parquet}


def together(batches) -> Batch:
    return join(list(batches))


def check(path, whole: Batch) -> str:
    """Read a damaged file and say what came of it."""
    begin = time.monotonic()
    batch = together(iter_deals(path))
    assert time.monotonic() - begin < LONGEST_S, path
    assert batch.deals.schema == DEAL_SCHEMA
    assert batch.rejects.schema == REJECT_SCHEMA
    deal_arrays(whole_deals(batch).deals)
    records = pl.concat([batch.deals["record"], batch.rejects["record"].drop_nulls()])
    if path.suffix == ".lin":
        assert records.is_unique().all()
        check_twin(path)
    if path.suffix == ".parquet" and batch.deals.height:
        # what the checksums let through is what was written
        assert batch.deals.equals(whole.deals)
    if not batch.deals.height:
        return "refused" if batch.rejects.height else "empty"
    return "boards and rejects" if batch.rejects.height else "boards"


def check_twin(path) -> None:
    data = path.read_bytes()
    if looks_like_lin(data) and not looks_like_handviewer(data):
        text, encoding = decode_text(data)
        batch, plain = read_lin(data, path.name), read_lin_reference(text, path.name, encoding)
        assert batch.deals.equals(plain.deals)
        assert batch.rejects.equals(plain.rejects)


def damaged_files(folder, wholes, count):
    """Write damaged files beside one another, the whole ones in turn; what became of each."""
    chance = random.Random(20)
    found: Counter[str] = Counter()
    read = [together(iter_deals(whole)) for whole in wholes]
    for number in range(count):
        whole = wholes[number % len(wholes)]
        path = folder / f"{number:03}{whole.suffix}"
        path.write_bytes(damaged(whole.read_bytes(), chance))
        found[check(path, read[number % len(wholes)])] += 1
    return found


def check_ways_agree(folder, capfd) -> None:
    """Hold the command and the reader of jobs against each other on a folder."""
    alone = together(iter_deals(folder))
    capfd.readouterr()
    words = ["load", str(folder), "--out", str(folder.parent / "out.parquet"), "--force"]
    assert main([*words, "--json"]) == 0
    out, err = capfd.readouterr()
    disagree = int(play_disagrees(alone.deals).sum())
    numbers = {"boards": alone.deals.height, "rejects": alone.rejects.height}
    numbers["unread"] = len(reader_remarks(alone.deals))
    assert json.loads(out) == numbers | {"play_disagrees": disagree, "contracts_lost": 0}
    assert "Traceback" not in err
    assert "panicked" not in err
    # jobs need all four hands
    alone = whole_deals(alone)
    chunks = list(Inputs(find_sources(folder), 1000, 1).chunks(RunPosition()))
    assert pl.concat([chunk.deals for chunk in chunks]).equals(alone.deals)
    assert pl.concat([chunk.rejects for chunk in chunks]).equals(alone.rejects)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(kind, tmp_path, capfd):
    whole = tmp_path / f"whole.{kind}"
    WRITERS[kind](random_deals(40, seed=3), whole)
    folder = tmp_path / "damaged"
    folder.mkdir()
    found = damaged_files(folder, [whole], 40)
    assert found["refused"] < 40
    (folder / f"whole.{kind}").write_bytes(whole.read_bytes())
    check_ways_agree(folder, capfd)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_real_files(kind, tmp_path, shared_data, capfd):
    if kind in ("parquet", "rbn"):
        whole = tmp_path / f"whole.{kind}"
        files = sorted((shared_data / "lin" / "vugraph").glob("*.lin"))[:20]
        # of the size that the other files have
        WRITERS[kind](read_deals(files).deals.head(100), whole)
        wholes = [whole]
    else:
        files = sorted((shared_data / kind).rglob(f"*.{kind}"))
        wholes = [file for file in files if 0 < file.stat().st_size < 200_000]
        wholes = wholes[:: sized(9, 3)]
    folder = tmp_path / "damaged"
    folder.mkdir()
    found = damaged_files(folder, wholes, sized(80, 200))
    with capfd.disabled():
        print(f"\n{kind}: {dict(found)}")
    (folder / wholes[0].name).write_bytes(wholes[0].read_bytes())
    check_ways_agree(folder, capfd)


# --- NUL bytes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["lin", "pbn"])
@pytest.mark.parametrize("nul", [b"\0", b"\0" * 5000])
def test_boards_before_and_after_a_nul_live(kind, nul, tmp_path):
    path = tmp_path / f"a.{kind}"
    WRITERS[kind](random_deals(500, seed=4), path)
    data = path.read_bytes()
    half = len(data) // 2
    batch = read_deals(data[:half] + nul + data[half:])
    assert batch.deals.height >= 499
    assert batch.deals.height + batch.rejects.height in (500, 501)
    for place in (0, len(data)):
        assert read_deals(data[:place] + nul + data[place:]).deals.height >= 499


def test_a_nul_in_a_large_file(tmp_path, monkeypatch):
    limit_pieces(monkeypatch, 1500, 700, 300)
    path = tmp_path / "a.lin"
    write_lin(random_deals(50, seed=4), path)
    data = path.read_bytes()
    path.write_bytes(data[:4000] + b"\0" + data[4000:])
    assert read_deals(path).deals.height >= 49


def test_text_in_sixteen_bits_says_so():
    (reject,) = together(iter_deals("qx|o1|md|".encode("utf-16"))).rejects.rows(named=True)
    assert "UTF-16" in reject["reason"]


# --- Parquet -----------------------------------------------------------------------------------


@pytest.fixture
def deals():
    return random_deals(500, seed=5)


def test_a_file_that_ends_the_process_is_refused_and_the_next_one_read(
    tmp_path, deals, monkeypatch
):
    path = tmp_path / "a.parquet"
    write_deal_parquet(deals, path)
    # a module that ends without an answer
    monkeypatch.setattr(parquet_decoder, "_decoders", parquet_decoder.Decoders("__future__"))
    with pytest.raises(InvalidInput, match=r"a\.parquet .*the process .* ended with status 0"):
        read_deal_parquet(path)
    monkeypatch.undo()
    assert read_deal_parquet(path).deals.height == 500


@pytest.mark.parametrize(
    ("read", "message"),
    [(read_call_policy, "cannot read the policy"), (Recount.read, "expected a file of counts")],
)
def test_whatever_users_give_is_decoded_in_another_process_first(
    tmp_path, monkeypatch, read, message
):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"auction": ["1N"], "call": ["P"], "probability": [0.5]}).write_parquet(path)
    monkeypatch.setattr(parquet_decoder, "_decoders", parquet_decoder.Decoders("__future__"))
    with pytest.raises(BidcascadeError, match=rf"{message}.* .*a\.parquet.* ended with status 0"):
        read(path)


def test_the_process_may_die_while_nothing_is_asked(tmp_path, deals):
    path = tmp_path / "a.parquet"
    write_deal_parquet(deals, path)
    assert read_deal_parquet(path).deals.height == 500
    process = parquet_decoder._decoders._kept.process
    process.kill()
    process.wait(30)
    assert read_deal_parquet(path).deals.height == 500


def test_one_process_serves_all_parts(tmp_path, deals):
    path = tmp_path / "a.parquet"
    write_deal_parquet(deals, path)
    parts = iter_deal_parquet(path, rows=100)
    processes = [
        (next(parts).deals.height, parquet_decoder._decoders._kept.process) for _ in range(5)
    ]
    assert {height for height, _ in processes} == {100}
    assert len({process.pid for _, process in processes}) == 1


def rewritten(path, frame) -> None:
    """Write other rows with the checksums of those that are there."""
    frame.write_parquet(path, statistics=False, metadata=pl.read_parquet_metadata(path))


@pytest.mark.parametrize(
    ("column", "other"),
    [
        ("board", pl.col("board") + 1),
        ("north", pl.col("east")),
        ("source", pl.lit("elsewhere")),
        ("dealer", pl.lit("N", DEAL_SCHEMA["dealer"])),
        ("event", pl.lit("")),
    ],
)
def test_what_differs_from_what_was_written_is_named(tmp_path, deals, column, other, monkeypatch):
    monkeypatch.setattr(checksums_module, "BLOCK_ROWS", 200)
    path = tmp_path / "a.parquet"
    write_deal_parquet(deals, path)
    last = pl.int_range(pl.len()) == 450
    rewritten(path, deals.with_columns(pl.when(last).then(other).otherwise(column).alias(column)))
    message = rf"a\.parquet is damaged: column '{column}' of rows 401 to 500 is not as"
    with pytest.raises(InvalidInput, match=message):
        read_deal_parquet(path)


def test_rows_that_are_missing_are_noticed(tmp_path, deals):
    path = tmp_path / "a.parquet"
    write_deal_parquet(deals, path)
    rewritten(path, deals.head(499))
    with pytest.raises(InvalidInput, match="expected 500 rows, got 499"):
        read_deal_parquet(path)


def test_rows_that_another_program_wrote_have_no_checksums(tmp_path, deals):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    write_deal_parquet(deals, path)
    parquet.write_table(parquet.read_table(path).slice(0, 10), path)
    assert read_deal_parquet(path).deals.height == 10
    read_deals(path).deals.head(5).write_parquet(path)
    assert read_deal_parquet(path).deals.height == 5


@pytest.mark.parametrize("sizes", [(), (0,), (3,), (199, 1), (200,), (201,), (150, 150, 0, 200)])
def test_checksums_of_frames_written_as_they_come(tmp_path, deals, sizes, monkeypatch):
    monkeypatch.setattr(checksums_module, "BLOCK_ROWS", 200)
    path, whole = tmp_path / "a.parquet", tmp_path / "whole.parquet"
    first = 0
    with deal_sink(str(path)) as write:
        write(deals.clear())
        for size in sizes:
            write(deals.slice(first, size))
            first += size
    assert read_deal_parquet(path).deals.height == first
    write_deal_parquet(deals.head(first), whole)
    sums = [json.loads(pl.read_parquet_metadata(file)["bidcascade rows"]) for file in (path, whole)]
    assert sums[0] == sums[1]
