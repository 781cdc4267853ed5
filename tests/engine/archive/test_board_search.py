"""Questions to archives are answered as a full pass over all boards answers them."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bidcascade.bridge import (
    Auction,
    BidcascadeError,
    IllegalCall,
    InvalidCall,
    InvalidContract,
    InvalidExpression,
    InvalidInput,
    UnknownTerm,
    format_call,
)
from bidcascade.engine.archive import board_search
from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.archive.archive import BOARD_SCHEMA, Archive
from bidcascade.engine.archive.bidding import ArchiveEngine
from bidcascade.engine.archive.board_search import count_boards, find_boards, next_calls
from bidcascade.engine.archive.upkeep import bid_archive
from bidcascade.engine.questions.archives import BoardsQuestion, NodeQuestion
from bidcascade.systems import open_system
from bidcascade.systems.auctions.allowed import members
from bidcascade.systems.words.auction_patterns import read_auction
from tests.engine.archive.support_archives import (
    all_boards,
    cut_small,
    points,
    spades,
    write_files,
    write_system,
)
from tests.support.examples import examples
from tests.support.systems import bid_call_by_call, definition_of

WRITTEN = ["", "P", "P P", "1N", "1N P", "1N P 2C", "1C P", "1D X", "1C P 1H", "P 1S P 2S",
           "1M P 2M", "1X P 1Y", "1M …", "… Double", "any any 1X", "1NT (P) 2C", "1X (Double)",
           "1N P 2C P 2M", "1C/1D P 1M", "P P P P", "1N …", "7N", "2C P P"]  # fmt: skip
WHERE = {
    "HCP_N >= 15": lambda row: points(row["north"]) >= 15,
    "SL_N_S + SL_S_S >= 8": lambda row: spades(row["north"]) + spades(row["south"]) >= 8,
    "HCP_E < HCP_W": lambda row: points(row["east"]) < points(row["west"]),
}


class Whole:
    """An archive in parts of 90 boards, and all that may be asked about it."""

    def __init__(self, folder):
        add_files(folder / "club", write_files(folder / "in", 300))
        system = write_system(folder)
        bid_archive(folder / "club", str(system), all_calls=True, backend="cpu")
        bid_archive(folder / "club", "sayc", backend="cpu")
        self.archive = Archive(folder / "club")
        self.boards, self.deals = all_boards(self.archive)
        self.rows = self.boards.rows(named=True)
        self.own = [bytes(row["auction"] or ()) for row in self.rows]
        self.systems = {
            name: open_system(path) for name, path in (("small", str(system)), ("sayc", "sayc"))
        }
        self.bid = {"own": self.own}
        expander = definition_of(self.systems["small"])
        self.bid["small"] = [
            bytes(bid_call_by_call(self.systems["small"], self.deals, row, expander))
            for row in range(len(self.rows))
        ]
        # of so many lines the definition takes its time; other tests compare it
        sayc = ArchiveEngine("sayc", "cpu").bid(self.deals)["auction"]
        self.bid["sayc"] = [bytes(one) for one in sayc]

    def fits(self, question):
        """Numbers of the boards that fit, by a pass over all of them."""
        asked = read_auction(question.auction, exact=question.exact)
        if question.mode == "all":
            named = asked.named(board_search.MOST_NAMED)
            bidder = self.systems[question.by].bidder()
            allowed = members(bidder, self.deals, [tuple(one) for one in named])
            fits = np.any([np.zeros(len(self.rows), np.bool_), *allowed], axis=0).tolist()
        elif question.auction or question.exact:
            auctions = self.bid[question.by]
            fits = [bool(one) and asked.matches(one, exact=question.exact) for one in auctions]
        else:
            fits = [True] * len(self.rows)
        return [row for row, one in enumerate(self.rows) if fits[row] and self.holds(question, one)]

    def holds(self, question, row):
        for name in ("dealer", "vulnerability", "contract"):
            wanted = getattr(question, name)
            if wanted is not None and row[name] != wanted:
                return False
        for text, words in (
            (question.player, row["players"] or []),
            (question.event, [row["event"] or ""]),
            (question.source, [row["source"] or ""]),
        ):
            if text is not None and not any(text.lower() in word.lower() for word in words):
                return False
        if question.result is not None:
            if row["tricks"] is None or row["contract"] in (None, "Pass"):
                return False
            made = row["tricks"] >= int(row["contract"][0]) + 6
            if made != (question.result == "made"):
                return False
        return all(WHERE[text](row) for text in question.where)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, 90)
        whole = Whole(tmp_path_factory.mktemp("questions"))
    assert len(whole.archive.parts) >= 4
    return whole


CONDITIONS = st.fixed_dictionaries(
    {},
    optional={
        "where": st.lists(st.sampled_from([*WHERE]), max_size=2, unique=True).map(tuple),
        "dealer": st.sampled_from("NESW"),
        "vulnerability": st.sampled_from(["None", "NS", "EW", "Both"]),
        "player": st.sampled_from(["south1", "ünal", "h2", "nobody", "West\nNorth"]),
        "event": st.sampled_from(["cup 0", "Cup", "none"]),
        "source": st.sampled_from(["file0", "PBN", "."]),
        "contract": st.sampled_from(["4S", "3N", "Pass"]),
        "result": st.sampled_from(["made", "down"]),
    },
)
ASKED = st.builds(
    lambda auction, who, exact, more: BoardsQuestion(
        auction, who[0], who[1], exact and who[1] == "first", **more
    ),
    st.sampled_from(WRITTEN),
    st.sampled_from([("own", "first"), ("small", "first"), ("sayc", "first"), ("small", "all")]),
    st.sampled_from([False, False, True]),
    CONDITIONS,
)


def is_possible(whole, question):
    if question.mode == "all":
        assume(read_auction(question.auction).named(board_search.MOST_NAMED) is not None)


@given(ASKED, st.sampled_from([1, 7, 90, 1000]), st.sampled_from([1, 3, 1 << 14]))
@settings(examples(25, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_first_boards_that_fit(whole, question, limit, piece):
    is_possible(whole, question)
    wanted = whole.fits(question)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board_search, "_PIECE", piece)
        found = find_boards(whole.archive, replace(question, limit=limit))
    assert found.boards["id"].to_list() == whole.boards["id"][wanted[:limit]].to_list()
    assert found.boards.select(BOARD_SCHEMA.names()).equals(whole.boards[wanted[:limit]])
    assert found.total in (None, len(wanted))
    if len(wanted) < limit or not (question.has_conditions or question.mode == "all"):
        assert found.total == len(wanted)
    assert count_boards(whole.archive, question) == len(wanted)
    bids = found.boards["bid"].to_list()
    if question.by == "own":
        assert bids == [None] * len(bids)
    else:
        assert bids == [[*whole.bid[question.by][row]] for row in wanted[:limit]]


@given(ASKED, st.integers(0, 2**63 - 1), st.sampled_from([1, 5, 40, 1000]))
@settings(examples(25, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_boards_by_chance(whole, question, seed, limit):
    is_possible(whole, question)
    wanted = whole.boards["id"][whole.fits(question)].to_list()
    asked = replace(question, seed=seed, limit=limit)
    found = find_boards(whole.archive, asked)
    ids = found.boards["id"].to_list()
    assert len({*ids}) == len(ids) == min(limit, len(wanted))
    assert {*ids} <= {*wanted}
    assert found.total in (None, len(wanted))
    if len(wanted) < limit or not question.has_conditions:
        assert found.total == len(wanted)
    # fewer boards are the first of more, and what does not fit has no part in the order
    more = find_boards(whole.archive, replace(asked, limit=1000)).boards["id"].to_list()
    assert more[:limit] == ids
    every = find_boards(whole.archive, BoardsQuestion(seed=seed, limit=1000)).boards["id"].to_list()
    assert [one for one in every if one in {*wanted}] == more


@given(
    ASKED,
    st.sampled_from(
        ["id", "board", "tricks", "event", "contract", "dealer", "room", "file", "score"]
    ),
    st.booleans(),
    st.sampled_from([1, 8, 1000]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_boards_in_the_order_of_a_column(whole, question, column, descending, limit):
    is_possible(whole, question)
    found = find_boards(
        whole.archive, replace(question, sort=column, descending=descending, limit=limit)
    )
    frame = whole.boards[whole.fits(question)]
    ranks = frame[column].to_physical().to_list()
    known = [row for row, one in enumerate(ranks) if one is not None]
    # Python's sort is stable, and keeps that with reverse
    known.sort(key=ranks.__getitem__, reverse=descending)
    order = known + [row for row, one in enumerate(ranks) if one is None]
    assert found.boards["id"].to_list() == frame["id"][order[:limit]].to_list()
    assert found.total == frame.height


def class_of(whole, question, row):
    one = whole.rows[row]
    (first, *more) = question.level
    if first in ("dealer", "vulnerability"):
        return one[first]
    if first == "contract":
        if question.by == "own":
            return one["contract"]
        contract = Auction.of(whole.bid[question.by][row]).contract
        return "Pass" if contract is None else contract.name
    if first == "next":
        asked = read_auction(question.auction)
        auction = whole.bid[question.by][row]
        rest = auction[len(asked.prefix) :]
        return format_call(rest[0]) if rest else None
    return next((text for text in (first, *more) if WHERE[text](one)), None)


@given(
    ASKED,
    st.sampled_from(
        [
            ("next",),
            ("contract",),
            ("dealer",),
            ("vulnerability",),
            ("HCP_N >= 15", "HCP_E < HCP_W"),
        ]
    ),
    st.sampled_from([1, 9, 1000]),
    st.sampled_from([None, 3]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_boards_in_equal_shares(whole, question, level, limit, seed):
    is_possible(whole, question)
    asked = replace(question, level=level, limit=limit, seed=seed)
    if level == ("next",):
        pattern = read_auction(question.auction, exact=question.exact)
        if pattern.regex is not None or question.mode == "all":
            with pytest.raises(InvalidInput, match="expected an auction with all its calls"):
                find_boards(whole.archive, asked)
            return
    classes = {row: class_of(whole, asked, row) for row in whole.fits(question)}
    classes = {whole.rows[row]["id"]: one for row, one in classes.items() if one is not None}
    found = find_boards(whole.archive, asked)
    shown = dict(zip(found.boards["id"], found.boards["class"], strict=True))
    assert len(shown) == found.boards.height == min(limit, len(classes))
    assert shown.items() <= classes.items()
    assert found.total == len(classes)
    sizes, shares = Counter(classes.values()), Counter(shown.values())
    # a class has less than another one only where it has no more
    most = max(shares.values(), default=0)
    assert all(shares[one] >= most - 1 or shares[one] == sizes[one] for one in sizes)


@pytest.mark.parametrize("by", ["own", "small", "sayc"])
@pytest.mark.parametrize("auction", ["", "P", "1C P", "1N P 2C P", "7N"])
def test_calls_that_follow(whole, by, auction):
    prefix = read_auction(auction).prefix
    behind = Counter(
        format_call(one[len(prefix)])
        for one in whole.bid[by]
        if len(one) > len(prefix) and one.startswith(prefix)
    )
    found = next_calls(whole.archive, NodeQuestion(auction, by))
    assert dict(found) == behind
    assert [count for _, count in found] == sorted(behind.values(), reverse=True)


def test_a_contract_in_any_spelling(whole):
    for contract, name in (("3NT", "3N"), ("3ntx", "3NX"), ("4s", "4S"), ("pass", "Pass")):
        asked = BoardsQuestion(contract=contract, limit=1000)
        wanted = find_boards(whole.archive, replace(asked, contract=name))
        assert find_boards(whole.archive, asked).boards["id"].equals(wanted.boards["id"])
        assert count_boards(whole.archive, asked) == len(wanted.boards)
    expected = "expected a contract such as 4S, 3NX or Pass, got '8N'"
    with pytest.raises(InvalidContract, match=expected) as caught:
        count_boards(whole.archive, BoardsQuestion(contract="8N"))
    assert caught.value.field == "contract"


def test_a_sample_does_not_depend_on_the_parts(whole, tmp_path):
    files = [whole.archive.folder.parent / "in" / f"file{number}" for number in range(3)]
    paths = [
        file.with_suffix(end)
        for file, end in zip(files, (".parquet", ".lin", ".pbn"), strict=False)
    ]
    add_files(tmp_path / "one", paths)
    one = Archive(tmp_path / "one")
    assert len(one.parts) == 1
    for question in (
        BoardsQuestion(seed=5, limit=20),
        BoardsQuestion("1X", seed=1, where=("HCP_N >= 15",)),
        BoardsQuestion(level=("dealer",), limit=10, seed=3),
    ):
        here, there = find_boards(whole.archive, question), find_boards(one, question)
        assert here.boards.drop("bid").equals(there.boards.drop("bid"))


def test_each_board_is_as_likely(whole):
    counts = np.zeros(300, np.int64)
    for seed in range(400):
        ids = (
            find_boards(whole.archive, BoardsQuestion(seed=seed, limit=30)).boards["id"].to_numpy()
        )
        counts[ids] += 1
    # 40 of 400 draws each; the sum of squares is about that of 300 binomial numbers
    spread = ((counts - 40) ** 2).sum() / (400 * 0.1 * 0.9)
    assert 220 < spread < 390


def test_conditions_are_looked_at_in_pieces(whole, monkeypatch):
    monkeypatch.setattr(board_search, "_PIECE", 8)
    monkeypatch.setattr(board_search, "_LARGEST_PIECE", 16)
    largest = 0
    holds = board_search.DealCondition.holds

    def watched(self, backend, deals):
        nonlocal largest
        largest = max(largest, len(deals))
        return holds(self, backend, deals)

    monkeypatch.setattr(board_search.DealCondition, "holds", watched)
    question = BoardsQuestion("…", where=("HCP_N >= 15",), limit=1000)
    assert count_boards(whole.archive, question) == len(whole.fits(question))
    assert find_boards(whole.archive, question).total == len(whole.fits(question))
    assert largest == 16


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"mode": "every"}, "expected a mode of first, all, got 'every'"),
        ({"dealer": "X"}, "expected a seat"),
        ({"vulnerability": "some"}, "expected a vulnerability"),
        ({"result": "even"}, "expected a result of made, down"),
        ({"limit": 0}, "expected a limit from 1, got 0"),
        ({"limit": 1_000_001}, "expected a limit"),
        ({"where": ("HCP_N > 1",) * 33}, "expected at most 32 of where, got 33"),
        ({"level": ("dealer",), "sort": "board"}, "expected equal shares"),
        ({"sort": "mood"}, "expected a column to sort by"),
        ({"sort": "players"}, "expected a column"),
        ({"sort": "auction"}, "expected a column of single values"),
        ({"by": "nobody"}, r"expected who bids the archive \(own, small, sayc\), got 'nobody'"),
        ({"mode": "all"}, "expected who bids the archive with mode all, got 'own'"),
        ({"mode": "all", "by": "sayc"}, "archive bid with --all makes its index"),
        ({"mode": "all", "by": "small", "exact": True}, "expected mode first"),
        ({"mode": "all", "by": "small", "auction": "any"}, "expected at most 200 auctions"),
        (
            {"mode": "all", "by": "small", "auction": "any bid any bid any bid"},
            "expected at most 200 auctions",
        ),
    ],
)
def test_questions_that_cannot_be_asked(whole, asked, message):
    with pytest.raises(BidcascadeError, match=message):
        find_boards(whole.archive, BoardsQuestion(**asked))


def test_auctions_and_terms_that_are_none(whole):
    with pytest.raises(UnknownTerm, match="expected a seat with the term 'HCP'"):
        find_boards(whole.archive, BoardsQuestion(where=("HCP >= 15",)))
    with pytest.raises(InvalidExpression):
        find_boards(whole.archive, BoardsQuestion(level=("HCP_N >= 15", "HCP_N >=")))
    with pytest.raises(UnknownTerm, match="next"):
        find_boards(whole.archive, BoardsQuestion(level=("next", "dealer")))
    with pytest.raises(InvalidCall):
        find_boards(whole.archive, BoardsQuestion("1Q"))
    with pytest.raises(IllegalCall):
        count_boards(whole.archive, BoardsQuestion("1N 1C"))
    with pytest.raises(InvalidInput, match="expected an auction with all its calls"):
        next_calls(whole.archive, NodeQuestion("1M P"))


def test_a_writer_meanwhile_is_noticed(tmp_path, monkeypatch):
    """The files that a question is about are taken away by a writer; it is asked again."""
    files = write_files(tmp_path / "in", 60)
    add_files(tmp_path / "club", files[:1])
    archive = Archive(tmp_path / "club")
    begun = board_search._Search.first

    def overtaken(self):
        if archive.catalogue.boards == 20:
            add_files(tmp_path / "club", files[1:])
        return begun(self)

    monkeypatch.setattr(board_search._Search, "first", overtaken)
    assert find_boards(archive, BoardsQuestion()).boards["id"].to_list() == list(range(60))
    (part,) = archive.parts
    (archive.folder / f"boards-{part.files.number:05}.arrow").unlink()
    archive = Archive(tmp_path / "club")
    with pytest.raises(InvalidInput, match=r"expected 'boards-\d+.arrow' .*got no file"):
        find_boards(archive, BoardsQuestion())
