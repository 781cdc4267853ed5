"""Real LIN files: nothing is lost, rejects make sense, and endplay agrees where it is right."""

import re
from collections import Counter

import polars as pl
import pytest

from bidcascade.loaders import Batch, read_lin, read_lin_files

pytestmark = pytest.mark.real_data

BOARD_START = re.compile(rb"(?:^|[|\r\n])(qx|md)\|")
REASONS = {
    "no md token": 86,
    "expected four hands, got an empty md": 81,
    "expected a known hand, got four unknown ones": 93,
    "expected 13 cards": 21,
    "expected suit letters": 7,
}


def count_records(data: bytes) -> int:
    """Boards that a file starts: each ``qx``, and each ``md`` that no ``qx`` came right before.

    ``md`` values that are marks (``*1``) behind a deal are no boards.
    """
    count = 0
    has_open_qx = False
    for match in BOARD_START.finditer(data):
        if match[1] == b"qx":
            count += 1
            has_open_qx = True
        elif has_open_qx:
            has_open_qx = False
        elif data[match.end() : match.end() + 1] not in (b"*", b"^"):
            count += 1
    return count


@pytest.fixture(scope="module")
def real(shared_data) -> tuple[dict[str, bytes], Batch]:
    folder = shared_data / "lin"
    files = {
        str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*.lin"))
    }
    return files, read_lin_files([(data, name) for name, data in files.items()])


def test_records_in_are_boards_and_rejects_out(real):
    files, batch = real
    found = Counter(batch.deals["source"].to_list()) + Counter(batch.rejects["source"].to_list())
    expected = Counter({name: count_records(data) for name, data in files.items()})
    assert found == +expected
    assert sum(expected.values()) > 11_000


def test_every_file_alone_gives_the_same(real):
    files, batch = real
    for name, data in list(files.items())[::7]:
        alone = read_lin(data, name)
        assert batch.deals.filter(source=name).equals(alone.deals)
        assert batch.rejects.filter(source=name).equals(alone.rejects)


def test_reject_reasons(real):
    _, batch = real
    reasons = batch.rejects["reason"].to_list()
    for reason in reasons:
        assert any(reason.startswith(known) for known in REASONS), reason
    for known in REASONS:
        assert any(reason.startswith(known) for reason in reasons), known
    # all rejects come from the files collected for such oddities
    folders = batch.rejects["source"].str.split("/").list.first().unique().to_list()
    assert set(folders) == {"oddities", "vugraph_commentary"}


def test_deals_are_whole(real):
    _, batch = real
    hands = ["north", "east", "south", "west"]
    counts = batch.deals.select(pl.col(hand).bitwise_count_ones() for hand in hands)
    assert counts.unique().rows() == [(13, 13, 13, 13)]
    union = batch.deals.select(pl.reduce(lambda a, b: a | b, pl.col(hands)).alias("all"))
    assert union["all"].unique().to_list() == [(1 << 52) - 1]


def test_tricks_from_cards_and_claims_and_results_agree(real):
    """Where 52 cards were played, the result list of the same file is a second witness."""
    files, batch = real
    boards = batch.deals.filter(
        pl.col("play").list.len() == 52,
        pl.col("tricks").is_not_null(),
        pl.col("room").is_not_null(),
    )
    agree = total = 0
    for row in boards.select(
        "source", "board", "room", "contract", "declarer", "tricks"
    ).iter_rows():
        source, board, room, contract, declarer, tricks = row
        result = result_of(files[source], board, room)
        if result is not None and result[:2] == (contract, declarer):
            total += 1
            agree += result[2] == tricks
    assert total > 800
    assert agree / total > 0.97


def result_of(data: bytes, board: int, room: str) -> tuple[str, str, int] | None:
    text = data.decode("latin-1")
    event, results = re.search(r"vg\|([^|]*)", text), re.search(r"rs\|([^|]*)", text)
    if event is None or results is None:
        return None
    first = event[1].split(",")[-6]
    entries = results[1].split(",")
    place = 2 * (board - int(first)) + (room == "closed") if first.isdigit() else -1
    if not 0 <= place < len(entries):
        return None
    match = re.fullmatch(r"(\d)(C|D|H|S|N)([NESW])(x*)(=|[+-]\d+)", entries[place].strip())
    if match is None:
        return None
    tricks = int(match[1]) + 6 + (0 if match[5] == "=" else int(match[5]))
    return match[1] + match[2] + match[4].upper(), match[3], tricks


CLEAN = ("gib/endplay_example1.lin", "misc/sample.lin", "misc/human_misc.lin")


@pytest.mark.parametrize("name", CLEAN)
def test_endplay_agrees_on_single_table_files(shared_data, name):
    lin = pytest.importorskip("endplay.parsers.lin")
    data = (shared_data / "lin" / name).read_bytes()
    ours = read_lin(data).deals
    lines = [line for line in data.decode("utf-8").splitlines() if line.startswith("pn|")]
    assert len(lines) == ours.height > 0
    for row, line in zip(ours.iter_rows(named=True), lines, strict=True):
        # endplay fails on plays that are not whole tricks, so it gets deal and auction only
        (board,) = lin.loads(line.partition("pc|")[0])
        for number, seat in enumerate(("north", "east", "south", "west")):
            assert row[seat] == sum(_bit(card) for card in board.deal[_seats()[number]])
        assert row["dealer"] == board.dealer.abbr
        assert row["auction"] + row["illegal_tail"] == [_call(bid) for bid in board.auction]
        said = [(bid.announcement or "").strip() for bid in board.auction]
        assert [_plain(text) for text in row["announcements"]] == [_plain(text) for text in said]
        assert row["alerts"] == [bool(bid.alertable) for bid in board.auction]


def _seats():
    types = pytest.importorskip("endplay.types")
    return (types.Player.north, types.Player.east, types.Player.south, types.Player.west)


def _bit(card) -> int:
    return 1 << 13 * "♣♦♥♠".index(card.suit.abbr) + "23456789TJQKA".index(card.rank.abbr)


def _call(bid) -> int:
    if hasattr(bid, "penalty"):
        return ("passed", "doubled", "redoubled").index(bid.penalty.name)
    strain = ("clubs", "diamonds", "hearts", "spades", "nt").index(bid.denom.name)
    return 3 + 5 * (bid.level - 1) + strain


def _plain(text: str) -> str:
    """Suit signs, which endplay puts for ``!H``, as ``!h``."""
    for sign, letter in zip("♣♦♥♠", "cdhs", strict=True):
        text = text.replace(sign, f"!{letter}")
    return re.sub(r"![CDHS]", lambda match: match[0].lower(), text)
