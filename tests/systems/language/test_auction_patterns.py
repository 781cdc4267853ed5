"""Auctions as people ask for them: the definition, its regular expression and what it names."""

from itertools import product
from math import prod

import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from bidcascade.bridge import Auction, IllegalCall, InvalidCall, format_calls, parse_calls
from bidcascade.engine.archive.postings import Postings, posting_frame
from bidcascade.systems.words.auction_patterns import read_auction
from tests.support.examples import examples

WRITTEN = ["P", "X", "1C", "1N", "2C", "2H", "1M", "2M", "2oM", "1m", "2X", "2Y", "nX", "nY",
           "any", "any bid", "…", "1C/1D", "2M/3M", "Double", "Pass", "2NT"]  # fmt: skip
PATTERNS = st.one_of(
    st.lists(st.sampled_from(WRITTEN), max_size=5).map(" ".join),
    st.lists(st.tuples(st.sampled_from(WRITTEN), st.booleans()), min_size=1, max_size=4).map(
        lambda steps: " ".join(f"({call})" if theirs else call for call, theirs in steps)
    ),
)


@st.composite
def auctions(draw: st.DrawFn) -> bytes:
    """Legal auctions that stay low, so that patterns fit some of them."""
    auction = Auction.of(())
    for choice in draw(st.lists(st.integers(0, 6), max_size=7)):
        if auction.is_complete:
            break
        auction = auction.add([*auction.legal_calls()][:7][choice % 7 if choice else 0])
    return bytes(auction.calls)


def read(pattern, *, exact=False):
    try:
        return read_auction(pattern, exact=exact)
    except (InvalidCall, IllegalCall):
        assume(False)


@examples(25, 100)
@given(st.lists(auctions(), max_size=12), PATTERNS, st.booleans())
@example([b"\7\0\x08\0\x0a\0", b"\0\7\0\x08", b""], "1N P 2C P 2M", True)
@example([b"\0\0\7", b"\7\x0a", b"\7\0\x0a\n"], "1N (P) 2H", False)
@example([b"\7\0", b"\7\0\0"], "1N P …", True)
def test_definition_expression_and_rows_agree(calls, pattern, exact):
    asked = read(pattern, exact=exact)
    series = pl.Series([[*one] for one in calls], dtype=pl.List(pl.UInt8))
    postings = Postings(posting_frame(series), len(calls))
    wanted = [row for row, one in enumerate(calls) if one and asked.matches(one, exact=exact)]
    assert postings.rows_of(asked).tolist() == wanted
    assert postings.count(asked) == len(wanted)
    assert all(calls[row].startswith(asked.prefix) for row in wanted)
    if asked.regex is None:
        assert wanted == [
            row for row, one in enumerate(calls) if one and one.startswith(asked.prefix)
        ]


@given(st.lists(auctions(), max_size=12), auctions())
def test_next_calls_are_counted(calls, prefix):
    series = pl.Series([[*one] for one in calls], dtype=pl.List(pl.UInt8))
    postings = Postings(posting_frame(series), len(calls))
    longer = [one for one in calls if len(one) > len(prefix) and one.startswith(prefix)]
    behind = [one[len(prefix)] for one in longer]
    assert postings.next_calls(prefix) == {call: behind.count(call) for call in sorted({*behind})}
    assert [*postings.next_calls(prefix)] == sorted({*behind})
    assert postings.auctions_of(postings.rows(0, len(postings.auctions))).to_list() == [
        [*one] for one in calls if one
    ]


@examples(25, 100)
@given(PATTERNS)
@example("1M (P) 2M")
@example("1X P 1X")
@example("any bid any bid any bid")
def test_named_auctions_are_all_that_fit(pattern):
    asked = read(pattern)
    named = asked.named(10**6)
    longest = max(map(len, asked.steps))
    assume(longest <= 3)
    if named is None:
        # calls are left open, or there are too many ways to begin
        assert any(
            None in steps or prod(map(len, steps)) > 5_000 or 38 in map(len, steps)
            for steps in asked.steps
        )
        return
    found = set()
    for passes in range(4 if asked.leading_passes else 1):
        for steps in asked.steps:
            known = [one for one in steps if one is not None]
            for calls in product(*known):
                whole = bytes([*bytes(passes), *calls])
                try:
                    Auction.of(whole)
                except IllegalCall:
                    continue
                found.add(whole)
    assert named == sorted(found)
    assert all(asked.matches(one) for one in named)
    assert asked.named(len(named)) == named
    if named:
        assert asked.named(len(named) - 1) is None


@given(auctions())
def test_an_auction_names_itself(calls):
    asked = read_auction(format_calls(calls))
    assert (asked.prefix, asked.regex, asked.named(1)) == (calls, None, [calls])
    assert tuple(parse_calls(format_calls(calls))) == tuple(calls)


@pytest.mark.parametrize(
    ("pattern", "calls", "fits"),
    [
        ("1NT P 2C P 2M", "1N P 2C P 2H P", True),
        ("1NT P 2C P 2M", "P 1N P 2C P 2H", False),
        ("1NT (P) 2C (P) 2M", "P P 1N P 2C P 2S", True),
        ("1NT 2C 2M", "1N P 2C P 2S", False),
        ("1M (2m) Double", "1S 2D X P", True),
        ("1M (2m) Double", "1S 2H X P", False),
        ("1M P 2M", "1S P 2H", False),
        ("1X P 1Y P 2X", "1C P 1H P 2C", True),
        ("1X P 1Y P 2X", "1C P 1H P 2H", False),
        ("1C … 3N", "1C P 1D P 3N P P P", True),
        ("1C … 3N", "1D P 3N P P P", False),
        ("nX P nX", "1C P 2C", False),
    ],
)
def test_patterns_that_players_write(pattern, calls, fits):
    assert read_auction(pattern).matches(bytes(parse_calls(calls))) is fits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1N 1C", "insufficient"),
        ("P P P P 1C", "over"),
        ("1Q", "expected an auction .*got '1Q'"),
        ("1N P:", "expected an auction"),
        ("1N\nopening:", "expected an auction"),
        ("1N; 2C P", "expected an auction"),
        ("1NT ((P) 2C", "expected an auction"),
        ("1M (2m) X …", '"X" is no call here .write "Double"'),
        ("1N P jump 2S", "expected"),
        ("1H P jump S", "expected"),
        ("1H P cheapest X", "expected"),
        ("1C P their suit", "expected"),
        ("P " * 251, "at most 500 letters, got 502"),
        ("\0", "expected an auction"),
    ],
)
def test_what_is_no_auction_is_refused(text, message):
    with pytest.raises((InvalidCall, IllegalCall), match=message):
        read_auction(text)


def test_long_patterns_end_soon():
    every = [bytes([3, 0, 3 + 5 * level]) for level in range(1, 7)]
    postings = Postings(posting_frame(pl.Series([[*one] for one in every])), len(every))
    many = read_auction(" ".join(["any bid"] * 60))
    assert many.named(200) is None
    assert postings.rows_of(many).tolist() == []
    for pattern in (" ".join(["…"] * 200) + " 7N", " ".join(["nX nY nZ nW 1M 1m"] * 25)):
        assert postings.count(read_auction(pattern)) == 0
