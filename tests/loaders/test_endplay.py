"""The endplay adapter both ways, and endplay as an oracle for the PBN reader."""

from collections import Counter
from typing import Any

import endplay.parsers.pbn as endplay_pbn
import polars as pl
import pytest
from endplay.types import Board, Contract, Deal
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import InvalidDeal
from bidcascade.loaders.endplay_adapter import from_endplay, to_endplay
from bidcascade.loaders.files.encodings import decode_text
from bidcascade.loaders.frames.frame import DEAL_SCHEMA
from bidcascade.loaders.frames.random_deals import random_deals
from bidcascade.loaders.pbn.pbn import read_pbn_text
from tests.support.examples import examples

FULL = """[Event "cup"]
[Board "3"]
[West "w"][North "n"][East "e"][South "s"]
[Dealer "S"]
[Vulnerable "EW"]
[Deal "N:AKQJ.5432.432.32 5432.AKQJ.765.54 876.876.AKQJ.876 T9.T9.T98.AKQJT9"]
[Room "Open"]
[Auction "S"]
1D =1= X Pass 1H
Pass 1NT AP
[Note "1:natural"]
[Result "7"]
[Play "N"]
SA S2 S6 S9
*
"""


def test_boards_come_back():
    (batch,) = read_pbn_text(FULL)
    frame = batch.deals
    (board,) = to_endplay(frame)
    assert (board.board_num, board.dealer.abbr, board.vul.name) == (3, "S", "ew")
    assert [str(bid) for bid in board.auction][:2] == ["1♦!*", "X"]
    assert str(board.contract).startswith("1NT")
    assert board.contract.declarer.abbr == "W"
    where = ["source", "record", "encoding"]
    assert_frame_equal(from_endplay([board]).drop(where), frame.drop(where))


@examples(20)
@given(st.integers(0, 2**64 - 1))
def test_random_deals_come_back(seed):
    frame = random_deals(8, seed)
    again = from_endplay(to_endplay(frame))
    assert again.schema == DEAL_SCHEMA
    same = ["north", "east", "south", "west", "dealer", "vulnerability", "board", "contract"]
    assert_frame_equal(again.select(same), frame.select(same))


def test_passed_out_and_unfinished():
    text = FULL[: FULL.index("[Auction")]
    frames = [
        next(read_pbn_text(f'{text}[Auction "S"]\n{calls}\n')).deals for calls in ("AP", "1C X *")
    ]
    again = from_endplay(to_endplay(pl.concat(frames)))
    # endplay makes a contract of any auction
    assert again["contract"].to_list() == ["Pass", "1CX"]
    assert again["auction_status"].to_list() == ["complete", "unfinished"]
    assert again["score"][0] == 0


def test_refusals():
    with pytest.raises(InvalidDeal, match="neither in board 1"):
        from_endplay([Board(Deal())])
    with pytest.raises(ValueError, match="expected 13 cards"):
        from_endplay([Board(Deal(), board_num=1)])
    assert from_endplay([]).schema == DEAL_SCHEMA


def test_contract_of_the_board_is_taken_as_it_is():
    (board,) = to_endplay(random_deals(1, seed=1))
    board.contract = Contract("4SWX-2")
    row = from_endplay([board]).row(0, named=True)
    assert (row["contract"], row["declarer"], row["tricks"], row["score"]) == ("4SX", "W", 8, 300)


COMPARED = ("north", "east", "south", "west", "dealer", "vulnerability", "board", "auction")
KNOWN_FILE_FAILURES = {
    # the text of endplay's error: what the file holds, all of it legal or harmless
    "Could not convert ^": "an irregularity (^R) in the play",
    "invalid literal for int() with base 10": "XS in an auction, comments in it, Result NS 9 or ^9",
    "Invalid contract string": "one contract that is none (1SHNT)",
    "Section": "# for a tag that the game before lacks",
}


def why_known(ours: dict[str, Any], theirs: dict[str, Any], column: str) -> str | None:
    """Reason of a difference for which endplay is known to be at fault."""
    if column == "dealer" and ours["auction_status"] == "none":
        return "dealer of the last game kept or derived from the number"
    if column == "auction" and ours["auction"][-len(theirs["auction"]) :] == theirs["auction"]:
        return "opening passes left out by the file, put back by us"
    if column in ("contract", "declarer") and ours["auction_status"] == "unfinished":
        return "contract built from an unfinished auction"
    if column == "tricks" and ours["tricks"] is None:
        return "unknown result read as no tricks, or counted from an unfinished play"
    if column == "tricks" and len(ours["play"]) >= 48:
        return "the cards played disagree with the tag"
    return None


@pytest.mark.slow
@pytest.mark.real_data
def test_endplay_agrees_on_real_files(shared_data):
    paths = sorted(path for path in (shared_data / "pbn").rglob("*") if path.is_file())
    compared = 0
    differences: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for path in paths[::2]:
        text, _ = decode_text(path.read_bytes())
        try:
            boards = endplay_pbn.loads(text.replace("\r\n", "\n"))
        except (ValueError, KeyError) as error:
            skipped[
                next(why for text, why in KNOWN_FILE_FAILURES.items() if text in str(error))
            ] += 1
            continue
        if "[ScoreTable" in text:
            skipped["a line of a score table is a row of ours"] += 1
            continue
        (batch,) = read_pbn_text(text)
        if len(boards) != batch.deals.height + batch.rejects.height:
            raise AssertionError(f"{path.name}: endplay reads {len(boards)} boards")
        kept = batch.deals["record"].to_list()
        if any(not any(hand for _, hand in boards[record - 1].deal) for record in kept):
            skipped["deal of the game before not kept for a second table"] += 1
            continue
        theirs = from_endplay(boards[record - 1] for record in kept)
        rows = zip(batch.deals.iter_rows(named=True), theirs.iter_rows(named=True), strict=True)
        for ours, other in rows:
            compared += 1
            for column in (*COMPARED, "contract", "declarer", "tricks"):
                if ours[column] != other[column]:
                    reason = why_known(ours, other, column)
                    assert reason, f"{path.name} {ours['record']}: {column} {ours[column]!r}"
                    differences[reason] += 1
    assert compared > 3000
    assert skipped.total() < len(paths) / 8
    assert differences["the cards played disagree with the tag"] < 20
