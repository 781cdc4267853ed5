"""Notes of PBN files: what made each call, to the end of the auction."""

import polars as pl
import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.engine import Engine
from bidcascade.engine.runs.annotated_boards import RowsOf, annotated_games
from bidcascade.loaders import deal_arrays, random_deals, read_deals, write_lin
from bidcascade.loaders.inputs import find_sources
from bidcascade.loaders.pbn.pbn_double_dummy import BID_SYSTEMS_COLUMN, bid_system_column
from bidcascade.service.jobs.results import _join_parquet
from bidcascade.systems.system import System
from bidcascade.systems.words.call_notes import NO_LINE
from bidcascade.systems.words.describing import agreements_of, description_of

NARROW = """
opening:
  1NT = Strong notrump: 15-17 points, balanced; limited

after 1NT:
  3NT = Game: 10+ points
  3NT = Long suit: 6+ clubs; sign-off
"""


@pytest.fixture(scope="module")
def engine():
    return Engine.open("sayc", "reference")


def annotated(engine, deals, folder):
    """Boards read back, and the answers they were annotated with."""
    with (folder / "club.lin").open("w") as file:
        write_lin(deals, file)
    answers = engine.auctions(deals, mode="first")
    text = "".join(annotated_games(engine, find_sources(folder / "club.lin"), [answers]))
    return read_deals(text.encode()).deals, answers


@pytest.mark.slow
def test_every_call_of_a_system_has_its_line(engine, tmp_path):
    deals = random_deals(40, seed=8)
    boards, answers = annotated(engine, deals, tmp_path)
    assert boards["auction"].equals(answers["auction"])
    for auction, texts in boards.select("auction", "announcements").iter_rows():
        assert len(texts) == len(auction)
        for depth, (call, text) in enumerate(zip(auction, texts, strict=True)):
            place = engine.bidder.places.place(auction[:depth])
            said = [
                "; ".join(
                    part
                    for part in (
                        ": ".join(dict.fromkeys(filter(None, (one.name, description_of(one))))),
                        *agreements_of(one),
                    )
                    if part
                )
                for one in place.entries
                if one.call == call
            ]
            assert text in said


def test_a_call_without_a_line_says_so(tmp_path):
    system = System.parse(NARROW)
    engine = Engine(system, "reference")
    boards, _ = annotated(engine, random_deals(200, seed=2), tmp_path)
    texts = boards["announcements"].explode()
    strong = "Strong notrump: 15-17 points, balanced; limited"
    assert {NO_LINE, strong} <= set(texts)
    assert set(texts) <= {NO_LINE, strong, "Game: 10+ points", "Long suit: 6+ clubs; sign-off"}


def test_auctions_of_another_system_are_refused(engine):
    deals = random_deals(3, seed=1)
    with pytest.raises(InvalidInput, match="expected the auctions that the system bids"):
        engine.bidder.notes(deal_arrays(deals), [(0, 0, 0, 0)] * 3)


def test_rows_come_as_many_as_are_asked_for():
    rows = RowsOf(pl.DataFrame({"deal": [first, first + 1]}) for first in (0, 2, 4))
    assert [rows.take(count)["deal"].to_list() for count in (3, 2, 5, 1)] == [
        [0, 1, 2],
        [3, 4],
        [5],
        [],
    ]


@pytest.mark.slow
def test_the_same_rows_give_the_same_bytes_however_they_were_cut(tmp_path):
    deals = random_deals(300_000, seed=1).select("north", "source", "dealer", "record")
    written = set()
    for cuts in ([], [150_000], [1000, 5000, 90_000]):
        parts = []
        for first, last in zip([0, *cuts], [*cuts, deals.height], strict=True):
            parts.append(tmp_path / f"{first}.parquet")
            deals[first:last].write_parquet(parts[-1])
        _join_parquet(parts, tmp_path / "whole")
        written.add((tmp_path / "whole").read_bytes())
    assert len(written) == 1
    assert pl.read_parquet(tmp_path / "whole").equals(deals)


def test_games_name_the_system(tmp_path):
    mine = Engine(System.parse(NARROW), "reference", name="club's own")
    deals = random_deals(3, seed=8)
    with (tmp_path / "club.lin").open("w") as file:
        write_lin(deals, file)
    answers = mine.auctions(deals, mode="first")
    text = "".join(annotated_games(mine, find_sources(tmp_path / "club.lin"), [answers]))
    told = bid_system_column(text.encode())[BID_SYSTEMS_COLUMN].to_list()
    assert told == [["club's own", "club's own"]] * 3
