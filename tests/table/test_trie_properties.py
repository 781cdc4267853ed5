"""The trie against a dictionary of auctions: made-up rows, legal and illegal, in any order."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import CALL_TEXTS, Auction, first_illegal_call
from bidcascade.table import CAN_COMPLETE, NONE_U32, BiddingTable, Row, build_table
from tests.support.examples import examples

# few calls, so that auctions meet, and enough to be illegal in every way
CALLS = st.sampled_from([0, 0, 0, 1, 2, 3, 4, 7, 37])
AUCTIONS = st.lists(st.lists(CALLS, min_size=1, max_size=9).map(bytes), max_size=40)
RANKS = st.sampled_from([None, None, 0, 1, 2])
CRITERIA = st.sampled_from([(), ("HCP >= 12",), ("SL_S >= 5", "HCP <= 10"), ("Balanced",)])
TEXTS = st.sampled_from(["", " ", "inserted", "5+ ♠; 8-10 HCP", 'quoted "\'" \\ text', "\n"])


@st.composite
def tables_of_rows(draw: st.DrawFn) -> list[Row]:
    return [
        Row(
            auction[:-1],
            auction[-1],
            draw(TEXTS),
            draw(CRITERIA),
            draw(st.sampled_from([None, 0, 7, 461_681_309])),
            draw(st.sampled_from(["", "Stayman"])),
            draw(RANKS),
            draw(st.sampled_from([(), ("Alert",), ("Forcing", "Alert")])),
            draw(st.sampled_from(["", "sayc.bidding:31"])),
        )
        for auction in draw(AUCTIONS)
    ]


def legal(auction: bytes) -> bool:
    return first_illegal_call(auction) is None


def auctions_in(table: BiddingTable) -> list[bytes]:
    return [bytes(table.auction_of(entry)) for entry in range(len(table))]


def with_parents(auctions: Iterable[bytes]) -> set[bytes]:
    return {auction[:length] for auction in auctions for length in range(1, len(auction) + 1)}


@given(tables_of_rows())
def test_entries_are_the_legal_auctions_and_their_parents(rows):
    table, report = build_table(rows)
    written = [row.prior + bytes((row.call,)) for row in rows]
    kept = [auction for auction in written if legal(auction)]
    assert sorted(auctions_in(table)) == sorted(with_parents(kept))
    counts = report.counts()
    assert counts["rows"] == len(rows)
    assert counts["illegal_calls"] + counts["below_completed"] == len(rows) - len(kept)
    assert counts["variants"] == len(kept) - len(set(kept))
    assert counts["missing_parents"] == len(with_parents(kept) - set(kept))
    assert counts["orphans"] == sum(len(a) > 1 and a[:-1] not in set(kept) for a in kept)


@examples(25, 100)
@given(tables_of_rows())
def test_places_lead_to_each_other(rows):
    table, _ = build_table(rows)
    auctions = auctions_in(table)
    assert table.auctions_of(range(len(table))) == auctions
    for entry, auction in enumerate(auctions):
        assert table.find(auction) == entry
        assert table.depths[entry] == len(auction) - 1
        parent = int(table.parents[entry])
        assert parent == (NONE_U32 if len(auction) == 1 else table.find(auction[:-1]))
        assert [auctions[child][:-1] for child in table.children(entry)] == [auction] * len(
            table.children(entry)
        )
        below = [n for n, other in enumerate(auctions) if other[:-1].startswith(auction)]
        assert list(table.below(entry)) == below
        state = Auction.of(auction)
        assert table.is_completed(entry) == state.is_complete
        completed_below = [n for n in [entry, *below] if table.is_completed(n)]
        assert table.can_complete(entry) == bool(completed_below)
        assert bool(table.flags[entry] & CAN_COMPLETE) == bool(completed_below)
    assert table.find(b"\x25\x25") is None


@examples(25, 100)
@given(tables_of_rows())
def test_siblings_stand_in_order_of_rank_then_file(rows):
    table, _ = build_table(rows)
    last = len(rows)
    first: dict[bytes, tuple[int, int]] = {}
    for number, row in enumerate(rows):
        auction = row.prior + bytes((row.call,))
        key = (999 if row.rank is None else row.rank, number)
        first[auction] = min(first.get(auction, (1000, last)), key)
    for entry in [None, *range(len(table))]:
        siblings = [bytes(table.auction_of(child)) for child in table.children(entry)]
        keys = [first.get(auction, (1000, last)) for auction in siblings]
        assert keys == sorted(keys)


@examples(25, 100)
@given(tables_of_rows())
def test_rows_of_a_table_make_the_same_table(rows):
    table, _ = build_table(rows)
    again, report = build_table(table.rows())
    assert again.digest == table.digest
    assert again == table
    assert list(again.rows()) == list(table.rows())
    assert report.counts()["illegal_calls"] == 0
    kept = [row for row in rows if legal(row.prior + bytes((row.call,)))]
    assert sorted(table.rows(), key=repr) == sorted(kept, key=repr)


@examples(25, 100)
@given(tables_of_rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_matters_only_among_siblings(rows, shuffler):
    ranked = [row._replace(rank=number) for number, row in enumerate(rows)]
    shuffled = ranked.copy()
    shuffler.shuffle(shuffled)
    table, _ = build_table(ranked)
    other, _ = build_table(shuffled)
    inserted = any(table.is_inserted(entry) for entry in range(len(table)))
    if not inserted:
        assert table == other
    assert sorted(auctions_in(table)) == sorted(auctions_in(other))


def test_a_table_without_rows():
    table, report = build_table([])
    assert (len(table), table.root_count, report.rows) == (0, 0, 0)
    assert table.find([0]) is None
    assert list(table.rows()) == []
    assert table.children() == range(0)
    assert table.plan().node_count == 0


def test_digest_tells_what_is_said_and_not_how_it_was_read():
    rows = [Row(b"", 7, "15-17", ("HCP >= 15",), 0), Row(b"\x07", 0, "", (), 1)]
    table, _ = build_table(rows, source="a file")
    assert build_table(rows, source="another")[0].digest == table.digest
    assert build_table(reversed(rows))[0].digest == table.digest
    different = [
        build_table(rows, undescribed="allow")[0],
        build_table(rows, profile="mlbridge")[0],
        build_table(rows, user_terms={"Points": "HCP"})[0],
        build_table([rows[0]._replace(description="15-18"), rows[1]])[0],
        build_table([rows[0]._replace(criteria=("HCP >= 14",)), rows[1]])[0],
        build_table([rows[0]._replace(source_index=3), rows[1]])[0],
        build_table([rows[0]._replace(rank=1), rows[1]])[0],
        build_table(rows[:1])[0],
    ]
    assert len({table.digest, *(other.digest for other in different)}) == len(different) + 1


def test_every_spelling_of_calls_is_read():
    spellings = [
        ("1N", "d", "r"),
        ("1NT", "D", "R"),
        ("1n", "X", "XX"),
        ("1nt", "x", "xx"),
        ("1N", "Dbl", "Redouble"),
    ]
    tables = [
        build_table(
            [
                {"prior": [], "call": bid},
                {"prior": [bid], "call": double},
                {"prior": [bid, double], "call": redouble},
                {"prior": [bid, double, redouble], "call": "Pass"},
            ]
        )[0]
        for bid, double, redouble in spellings
    ]
    assert len(set(tables)) == 1
    assert [CALL_TEXTS[call] for call in tables[0].auction_of(3)] == ["1N", "X", "XX", "P"]
