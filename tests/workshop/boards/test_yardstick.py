"""Systems on archives: hand-made boards, what must add up, which line is named."""

from threading import Event

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import (
    Auction,
    Cancelled,
    Contract,
    InvalidInput,
    Seat,
    imps,
    parse_calls,
    parse_deal,
    score,
)
from bidcascade.inference.double_dummy.par import par
from bidcascade.inference.double_dummy.table_cache import TableCache
from bidcascade.kernels import DealArrays
from bidcascade.kernels.dealing import deal_hands
from bidcascade.loaders import Batch, deal_frame, empty_rejects, read_deals
from bidcascade.loaders.frames.frame import with_deal_schema
from bidcascade.systems import System
from bidcascade.workshop.boards.call_signs import CALL_SIGNS
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.loss_causes import CAUSES, Ending, cause_of, decisive_calls
from bidcascade.workshop.boards.scored_boards import bootstrap
from bidcascade.workshop.boards.yardstick import MeasuredBoards, archive_of, measure_archive
from tests.inference.double_dummy.support_double_dummy import MadeUp, made_up
from tests.support.systems import SMALL_SYSTEM

SMALL = System.parse(SMALL_SYSTEM, name="small")
ONE_NOTRUMP = "opening:\n  1NT = Strong: 15-17 points, balanced\n"
GAME = System.parse(
    "opening:\n  1NT = Strong: 15-17 points, balanced\nafter 1NT:\n  3NT = Game: 10+ points\n",
    name="game",
)
STRONG_NORTH = parse_deal("N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876")
GAME_VALUES = parse_deal("N:AQ4.KJ3.K876.Q52 K95.Q872.A54.T93 J876.A65.Q93.AK4 T32.T94.JT2.J876")


class NoSolver:
    """Must not be asked."""

    def tables(self, hands, *, cancel=None, timeout_s=None):
        raise AssertionError("all tables are known")


def archive(deals, auctions, **columns) -> MeasuredBoards:
    frame = deal_frame(deals).with_columns(
        auction=pl.Series([list(parse_calls(one)) for one in auctions], dtype=pl.List(pl.UInt8)),
        auction_status=pl.lit("complete"),
        **columns,
    )
    return archive_of(Batch(with_deal_schema(frame, "made.lin"), empty_rejects()))


def random_archive(count: int, auctions) -> MeasuredBoards:
    numbers = np.arange(count)
    deals = DealArrays(
        deal_hands(1, 0, count), (numbers % 4).astype(np.uint8), (numbers // 4 % 4).astype(np.uint8)
    )
    frame = pl.DataFrame(
        {name: deals.hands[seat] for seat, name in enumerate(("north", "east", "south", "west"))}
        | {
            "dealer": ["NESW"[one] for one in deals.dealer],
            "vulnerability": [("None", "NS", "EW", "Both")[one] for one in deals.vulnerability],
            "auction": auctions(deals),
            "auction_status": ["complete"] * count,
        }
    )
    return archive_of(Batch(with_deal_schema(frame), empty_rejects()))


def small_auctions(deals):
    match = SystemMatch(SMALL, SMALL, deals)
    return [list(match.endings.auction(one)) for one in match.ending[0].tolist()]


@pytest.fixture
def cache(tmp_path):
    return TableCache(tmp_path / "tables")


def hands_of(*deals):
    return np.array([deal.hands for deal in deals], np.uint64).T


# --- causes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "par_score", "own", "highest", "cause"),
    [
        (Ending(18, True, True, 0, 480, 990), 980, [28], 18, "missed slam"),
        (Ending(8, True, True, 0, 170, 870), 420, [18], 8, "missed game"),
        # the opponents play, and no game was bid
        (Ending(11, False, True, 0, -110, -470), 420, [18], 8, "missed game"),
        (Ending(20, False, True, 0, -400, -550), 420, [18], 18, "sold out"),
        (Ending(7, False, True, 0, -110, -470), 110, [8], 2, "sold out"),
        (Ending(8, False, False, 0, 50, 100), 110, [10], 5, "let them play"),
        (Ending(8, False, False, 1, 100, 50), 110, [10], 5, "let them play"),
        (Ending(8, False, False, 0, 100, 300), 110, [10], 5, "no double"),
        (Ending(8, False, True, 1, -470, -110), -110, [], 5, "wrong double"),
        (Ending(18, False, True, 0, -620, -790), -500, [20], 5, "missed sacrifice"),
        (Ending(14, True, False, 0, -50, -100), 420, [18], 14, "wrong strain"),
        (Ending(5, True, True, 0, 70, 140), 140, [8, 13], 5, "wrong strain"),
        (Ending(18, True, False, 0, -50, -100), 140, [8, 13], 18, "too high"),
        # the hand belongs to the opponents
        (Ending(18, True, False, 1, -500, -200), -140, [], 18, "too high"),
        (Ending(-1, False, False, 0, 0, 0), 140, [8], -1, "passed out"),
        (Ending(18, True, True, 0, 420, 590), 450, [18], 18, "other"),
    ],
)
def test_causes_told_by_hand(ending, par_score, own, highest, cause):
    assert cause_of(ending, par_score, own, highest) == cause


def test_decisive_calls_are_those_of_the_loser():
    calls = parse_calls("1N P 3N P P X P P P")
    assert decisive_calls("too high", calls, 0) == [2]
    assert decisive_calls("wrong double", calls, 1) == [5]
    assert decisive_calls("missed slam", calls, 0) == [8, 6, 4, 2, 0]


# --- boards by hand -------------------------------------------------------------------------------


def test_boards_worked_out_by_hand(cache):
    tables = np.full((2, 20), 4, np.int8)
    tables[0, [4, 14]] = 8
    tables[1, [4, 14]] = 9
    tables[:, 5:10] = tables[:, 15:20] = 5
    cache.add(hands_of(STRONG_NORTH, GAME_VALUES), tables)
    told, frame = measure_archive(
        [GAME],
        archive([STRONG_NORTH, GAME_VALUES], ["1N P P P", "P P P P"]),
        NoSolver(),
        cache=cache,
        seed=3,
    )
    # 1NT+2 is the par of the first deal; the second one makes 3NT
    assert frame["par_score"].to_list() == [120, 400]
    assert frame["contract_players"].to_list() == ["1N N", "Pass"]
    assert frame["contract_game"].to_list() == ["1N N", "3N N"]
    assert frame["score_game"].to_list() == [120, 400]
    assert frame["imps_players"].to_list() == [0, 9]
    assert frame["cause_players"].to_list() == [None, "passed out"]
    assert told.players.imps == 4.5
    assert told.systems[0].imps == 0
    assert told.systems[0].difference.value == -4.5
    assert told.systems[0].games == (1, 1)
    assert told.systems[0].par_games == (1, 1)
    assert told.players.par_games == (0, 1)
    assert told.players.passed_out == 1
    assert told.systems[0].lines == ()


def test_the_line_of_the_decisive_call(cache):
    """Three notrump goes down: the line that bid it; it is missed: the pass that no line made."""
    down = np.tile(np.array([4, 4, 4, 4, 6], np.int8), (2, 4))
    down[1, [4, 14]] = 9
    down[:, [9, 19]] = 4
    cache.add(hands_of(GAME_VALUES, STRONG_NORTH), down)
    deals = archive([GAME_VALUES, STRONG_NORTH], ["P P P P", "P P P P"])
    told, frame = measure_archive([GAME], deals, NoSolver(), cache=cache)
    assert frame["contract_game"].to_list() == ["3N N", "1N N"]
    lines = {one.cause: one for one in told.systems[0].lines}
    assert set(lines) == {"too high", "missed game"}
    high, missed = lines["too high"], lines["missed game"]
    assert high.decisive == (("game:4", "Game"), ("", ""), False)
    # opener's last pass was no choice, responder's was
    assert missed.decisive == (("", ""), ("game:2", "Strong"), False)
    assert frame["line_game"].to_list() == ["game:4", ""]
    assert frame["behind_game"].to_list() == ["", "game:2"]
    assert (high.boards, high.imps, high.players_imps) == (1, frame["imps_game"][0], 0)
    (example,) = high.examples
    assert example.auction == tuple(parse_calls("1N P 3N P P P"))
    assert example.players_contract == "Pass"
    assert example.imps == frame["imps_game"][0]


def test_rooms_of_a_deal_share_the_auction(cache):
    both = archive([STRONG_NORTH] * 2, ["1N P P P", "P P P P"], room=pl.Series(["open", "closed"]))
    solver = MadeUp()
    told, frame = measure_archive([GAME, GAME], both, solver, cache=cache)
    assert (told.boards, told.deals, solver.asked) == (2, 1, [1])
    assert frame["contract_game"].to_list() == frame["contract_game-2"].to_list() == ["1N N"] * 2
    assert [one.name for one in told.systems] == ["game", "game-2"]
    assert frame["deal"].to_list() == [0, 0]


def test_what_is_left_out_is_counted():
    notrump = [7, 0, 0, 0]
    frame = pl.concat([deal_frame([STRONG_NORTH])] * 7).with_columns(
        auction=pl.Series(
            [[0] * 4, [0] * 4, [7], [], [0] * 4, [0] * 4, notrump], dtype=pl.List(pl.UInt8)
        ),
        auction_status=pl.Series(
            ["complete", "complete", "unfinished", "none", "illegal", "complete", "complete"]
        ),
        room=pl.Series(["open", "open", "open", "open", "open", "closed", "open"]),
        declarer=pl.Series([None] * 6 + ["N"]),
        # the ace of spades is declarer's
        play=pl.Series([None] * 6 + [[51]], dtype=pl.List(pl.UInt8)),
    )
    found = archive_of(Batch(with_deal_schema(frame), empty_rejects()))
    assert found.boards["room"].to_list() == ["open", "closed"]
    assert found.left_out == {
        "unreadable record": 0, "no auction": 1, "unfinished auction": 1, "illegal auction": 1,
        "play disagrees": 1, "repeated record": 1,
    }  # fmt: skip
    wanted = (
        r"complete auctions, got none \(no auction: 1, unfinished auction: 1, illegal auction: 1\)"
    )
    with pytest.raises(InvalidInput, match=wanted):
        archive_of(Batch(with_deal_schema(frame[2:5]), empty_rejects()))


# --- what must add up -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Players bid 400 deals as the small system does; beside it one that opens notrump only."""
    boards = random_archive(400, small_auctions)
    cache = TableCache(tmp_path_factory.mktemp("cache") / "tables")
    return (*measure_archive([SMALL, GAME], boards, MadeUp(), cache=cache), boards)


def test_a_system_that_bids_as_the_players_is_as_far_from_par(measured):
    told, frame, _ = measured
    small, game = told.systems
    assert small.difference == (0.0, 0.0, 0.0)
    for name in ("imps", "games", "slams", "par_games", "doubled", "passed_out", "causes"):
        assert getattr(small, name) == getattr(told.players, name)
    # what calls mean is not known of players' calls
    assert small.sanity[: -len(CALL_SIGNS)] == told.players.sanity
    last = [(one.what, one.among) for one in small.sanity[-len(CALL_SIGNS) :]]
    assert last == [*CALL_SIGNS]
    assert (frame["auction_small"] == frame["auction_players"]).all()
    low, high = game.difference[1:]
    assert low < game.difference.value < high
    assert game.difference.value == pytest.approx(game.imps - told.players.imps)
    # the first system is as the players here
    assert (small.less_first, game.less_first) == (None, game.difference)


def test_losses_add_up(measured):
    told, frame, _ = measured
    for one in told.systems:
        total = int(frame[f"imps_{one.name}"].cast(pl.Int64).sum())
        assert sum(loss.imps for loss in one.causes.values()) == total
        assert sum(line.imps for line in one.lines) == total
        assert sum(loss.per_board for loss in one.causes.values()) == pytest.approx(one.imps)
        lost = int((frame[f"imps_{one.name}"] > 0).sum())
        assert sum(loss.boards for loss in one.causes.values()) == lost
        assert sum(line.boards for line in one.lines) == lost
        assert frame[f"line_{one.name}"].count() == lost


def test_losses_are_those_of_the_laws(measured):
    _, frame, boards = measured
    tables = made_up(boards.deals.hands)[boards.deal]
    for row, table in zip(frame.iter_rows(named=True), tables, strict=True):
        dealer = Seat("NESW".index(row["dealer"]))
        sides = ("None", "NS", "EW", "Both").index(row["vulnerability"])
        contract: Contract | None = Auction.of(row["auction_small"], dealer).contract
        points = 0
        if contract is not None:
            side = contract.declarer % 2
            points = score(
                contract,
                int(table[5 * contract.declarer + contract.strain]),
                vulnerable=bool(sides >> side & 1),
            ) * (1 - 2 * side)
        assert row["score_small"] == points
        assert row["par_score"] == par(table, dealer, sides).score
        assert row["imps_small"] == abs(imps(points - row["par_score"]))
        assert (row["cause_small"] is None) == (row["imps_small"] == 0)


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
    st.lists(st.floats(-24, 24), min_size=8, max_size=8),
    st.integers(0, 9),
)
def test_bootstrap(cluster, values, seed):
    array, which = np.array(values), np.unique(cluster, return_inverse=True)[1]
    found = bootstrap(array, which, seed)
    assert found == bootstrap(array, which, seed)
    assert found.value == pytest.approx(array.mean())
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    if len(set(cluster)) == 1:
        assert found.low == pytest.approx(found.high)


def test_boards_of_a_match(shared_data, cache):
    batch = read_deals(
        [shared_data / "lin/vugraph/10036.lin", shared_data / "lin/vugraph/1641.lin"]
    )
    found = archive_of(batch)
    told, frame = measure_archive([SMALL], found, MadeUp(), cache=cache)
    assert told.boards + sum(told.left_out.values()) == batch.deals.height + batch.rejects.height
    assert told.deals < told.boards == frame.height
    # contracts as the records have them
    assert frame["contract_players"].str.split(" ").list.first().to_list() == (
        found.boards["contract"].to_list()
    )
    assert told.systems[0].imps == pytest.approx(
        sum(loss.per_board for loss in told.systems[0].causes.values())
    )


def test_every_cause_has_its_words():
    assert all(text and not text.endswith(".") for text in CAUSES.values())


def test_both_sides_play_the_system(cache):
    """Also one whose text names opponents."""
    named = System.parse('opponents play "sayc"\n\n' + ONE_NOTRUMP, name="named")
    plain = System.parse(ONE_NOTRUMP, name="plain")
    boards = archive([STRONG_NORTH, GAME_VALUES], ["P P P P", "P P P P"])
    _, frame = measure_archive([named, plain], boards, MadeUp(), cache=cache)
    assert (frame["auction_named"] == frame["auction_plain"]).all()


def test_a_measurement_is_cancelled(cache):
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        measure_archive(
            [GAME], archive([STRONG_NORTH], ["P P P P"]), MadeUp(), cache=cache, cancel=stop
        )
