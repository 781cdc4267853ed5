"""What the PBN writer writes, the reader reads back, for any boards."""

import io
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import (
    VULNERABILITIES,
    Auction,
    Deal,
    InvalidInput,
    Seat,
    board_dealer,
    is_vulnerable,
    score,
)
from bidcascade.loaders import read_deals, write_lin, write_rbn
from bidcascade.loaders.frames.frame import (
    DEAL_SCHEMA,
    HAND_COLUMNS,
    UNREADABLE,
    is_alert_alone,
)
from bidcascade.loaders.frames.play import declarer_tricks, trick_winner
from bidcascade.loaders.frames.random_deals import random_deals
from bidcascade.loaders.pbn.pbn import read_pbn, read_pbn_text
from bidcascade.loaders.pbn.pbn_writer import format_games, write_pbn
from tests.support.bridge import DEALS
from tests.support.examples import examples

LETTERS = st.characters(
    codec="utf-8",
    exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs"),
    exclude_characters="\ufeff\x85",
)
WORDS = st.text(LETTERS | st.just(" "), max_size=20).map(str.strip)
ANNOUNCED = WORDS.filter(lambda text: not is_alert_alone(text))
REMARKS = st.one_of(
    WORDS.filter(bool),
    st.lists(WORDS.filter(bool), min_size=2, max_size=3)
    .map("\n".join)
    .filter(lambda text: "}" not in text and "\n[" not in text and text[0] != "["),
).filter(lambda text: text[0] != "[")


@st.composite
def auctions(draw: st.DrawFn, dealer: Seat) -> tuple[Auction, list[int]]:
    """An auction, likely to end, and perhaps calls that are out of place behind it."""
    auction = Auction(dealer)
    for _ in range(draw(st.integers(0, 24))):
        if auction.is_complete:
            break
        calls = [0, *list(auction.legal_calls())[:8]]
        auction = auction.add(draw(st.sampled_from(calls)))
    if auction.calls and draw(st.booleans()):
        while not auction.is_complete:
            auction = auction.add(0)
    tail = draw(st.just([]) | st.lists(st.integers(0, 37), max_size=3))
    if tail and draw(st.booleans()):
        tail = [*tail, UNREADABLE]
    return auction, tail


def play_some(draw: st.DrawFn, deal: Deal, declarer: int, strain: int) -> list[int]:
    """Cards in a legal order, as far as they are drawn."""
    left = [[card for card in range(52) if hand >> card & 1] for hand in deal.hands]
    leader = (declarer + 1) % 4
    played: list[int] = []
    for _ in range(draw(st.sampled_from([0, 1, 5, 48, 50, 52]))):
        seat = (leader + len(played)) % 4
        trick = played[len(played) - len(played) % 4 :]
        follow = [card for card in left[seat] if trick and card // 13 == trick[0] // 13]
        card = draw(st.sampled_from(follow or left[seat]))
        left[seat].remove(card)
        played.append(card)
        if len(played) % 4 == 0:
            leader = (leader + trick_winner(played[-4:], strain)) % 4
    return played


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    deal = draw(DEALS)
    auction, tail = draw(auctions(deal.dealer))
    count = len(auction.calls)
    status = "illegal" if tail else "none" if not count else "complete"
    if count and not tail and not auction.is_complete:
        status = "unfinished"
    contract = auction.contract if auction.is_complete else None
    tricks = points = None
    played: list[int] = []
    if contract is not None:
        tricks = draw(st.none() | st.integers(0, 13))
        played = play_some(draw, deal, contract.declarer, contract.strain)
        counted = declarer_tricks(played, deal.hands, contract.declarer, contract.strain)
        tricks = tricks if counted is None else counted
        if tricks is not None:
            vulnerable = is_vulnerable(deal.vulnerability, contract.declarer)
            points = score(contract, tricks, vulnerable=vulnerable)
            points = -points if contract.declarer % 2 else points
    elif auction.is_complete:
        points = 0
    known = WORDS.filter(lambda name: name != "?" and (not name or name.strip("-")))
    names = draw(st.none() | st.lists(known, min_size=4, max_size=4).filter(any))
    return {
        **dict(zip(HAND_COLUMNS, deal.hands, strict=True)),
        "dealer": deal.dealer.letter,
        "vulnerability": VULNERABILITIES[deal.vulnerability],
        "board": draw(st.none() | st.integers(1, 999)),
        "room": draw(st.sampled_from([None, "open", "closed"])),
        "auction": list(auction.calls),
        "auction_status": status,
        "illegal_call": count if tail else None,
        "illegal_tail": tail,
        "announcements": draw(st.lists(ANNOUNCED, min_size=count, max_size=count)),
        "alerts": draw(st.lists(st.booleans(), min_size=count, max_size=count)),
        "commentary": draw(st.lists(REMARKS, max_size=2)),
        "contract": None if not auction.is_complete else contract.name if contract else "Pass",
        "declarer": None if contract is None else contract.declarer.letter,
        "tricks": tricks,
        "score": points if points is not None else None,
        "play": played,
        "players": names,
        "event": draw(st.none() | WORDS.filter(lambda text: text not in ("", "?"))),
    }


def written(frame: pl.DataFrame) -> str:
    with io.StringIO() as file:
        write_pbn(frame, file)
        return file.getvalue()


@examples(60)
@given(st.lists(rows(), max_size=4))
def test_frames_read_back(boards):
    frame = pl.DataFrame(
        [
            board | {"source": "f", "record": number, "encoding": "utf-8"}
            for number, board in enumerate(boards, start=1)
        ],
        schema=DEAL_SCHEMA,
        orient="row",
    )
    # text, not bytes: random letters may look like a file that was encoded twice
    (batch,) = read_pbn_text(written(frame), source="f")
    assert batch.rejects.rows() == []
    assert_frame_equal(batch.deals, frame)


def test_bare_deals_read_back(tmp_path):
    frame = random_deals(40, seed=5)
    file = tmp_path / "deals.pbn"
    write_pbn(frame, file)
    deals = read_pbn(file.read_bytes()).deals
    same = [*HAND_COLUMNS, "dealer", "vulnerability", "board", "auction_status", "contract"]
    assert_frame_equal(deals.select(same), frame.select(same))
    assert deals["dealer"][5] == board_dealer(6).letter


def test_required_columns():
    frame = random_deals(1, seed=5)
    with pytest.raises(InvalidInput, match=r"got no \['dealer'\]"):
        list(format_games(frame.drop("dealer")))
    with pytest.raises(InvalidInput, match="null in row 0"):
        list(format_games(frame.with_columns(dealer=pl.lit(None, frame.schema["dealer"]))))


@pytest.mark.parametrize("write", [write_lin, write_pbn, write_rbn])
@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("auction", [99, 0, 0], r"call codes of 0 to 37 in column 'auction', got \[99, 0, 0\]"),
        ("auction", [7, None, 0], "call codes of 0 to 37 in column 'auction'"),
        ("auction", "1N P P P", "expected the types of a deal frame"),
        ("players", ["a", "b", "c"], "four names in column 'players'.* in row 0"),
        ("announcements", ["x"], "a text a call in column 'announcements'"),
        ("alerts", [True], "true or false a call in column 'alerts'"),
        ("play", [77], "cards of 0 to 51 in column 'play'"),
        ("tricks", 99, "0 to 13 in column 'tricks', got 99"),
        ("contract", "8S", "a contract such as '4SX' in column 'contract', got '8S'"),
    ],
)
def test_values_that_a_deal_frame_has_not(tmp_path, write, column, value, message):
    frame = random_deals(2, seed=5).with_columns(pl.lit([7, 0, 0, 0]).alias("auction"))
    frame = frame.with_columns(pl.lit(value).alias(column))
    with pytest.raises(InvalidInput, match=message):
        write(frame, tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("write", [write_lin, write_pbn, write_rbn])
def test_null_names_and_remarks_are_empty(tmp_path, write):
    frame = random_deals(1, seed=5).with_columns(
        players=pl.lit(["N", None, "S", "W"]), commentary=pl.lit(["a", None])
    )
    write(frame, tmp_path / "out")
    deals = read_deals(tmp_path / "out").deals
    assert deals["players"].to_list() == [["N", "", "S", "W"]]
    assert deals["commentary"].to_list()[0][0] == "a"
