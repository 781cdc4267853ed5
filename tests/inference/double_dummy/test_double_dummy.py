"""Double dummy: answers against plain minimax and published tables, symmetries, the cache."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidDeal, parse_deal
from bidcascade.inference.double_dummy import DoubleDummyPool, default_pool, table_place
from bidcascade.inference.double_dummy.abstract_solver import NO_CARD, SolverBoards, check_boards
from bidcascade.inference.double_dummy.answer_cache import AnswerCache
from bidcascade.inference.double_dummy.canonical import canonical
from bidcascade.kernels.types import U64
from tests.inference.double_dummy.support_double_dummy import deal_ending, minimax_plays
from tests.support.examples import examples, sized

DEAL = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"


@pytest.fixture(scope="module")
def pool() -> Iterator[DoubleDummyPool]:
    with DoubleDummyPool(workers=2) as made:
        yield made


@pytest.fixture(scope="module")
def forgetful() -> Iterator[DoubleDummyPool]:
    """A pool that solves everything anew."""
    with DoubleDummyPool(workers=1, cache_entries=0) as made:
        yield made


def masks(*hands: int) -> U64:
    return np.array(hands, np.uint64).reshape(4, -1)


def deal_masks(text: str) -> U64:
    return masks(*parse_deal(text).hands)


def no_trick(count: int) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    return np.full((count, 3), NO_CARD, np.uint8)


# --- against the definition ----------------------------------------------------------------------


@examples(60)
@given(
    seed=st.integers(0, 2**32),
    cards=st.integers(1, 3),
    strain=st.integers(0, 4),
    first=st.integers(0, 3),
    played=st.integers(0, 3),
)
def test_endings_are_as_minimax_plays_them(forgetful, seed, cards, strain, first, played):
    rng = np.random.default_rng(seed)
    hands = deal_ending(rng, cards)
    trick: list[int] = []
    for place in range(played):
        legal = minimax_plays(hands, strain, first, tuple(trick))
        card = list(legal)[int(rng.integers(len(legal)))]
        hands[(first + place) % 4] ^= 1 << card
        trick.append(card)
    expected = minimax_plays(hands, strain, first, tuple(trick))
    on_table = np.array([trick + [NO_CARD] * (3 - played)], np.uint8)
    answer = forgetful.plays(masks(*hands), strain, first, on_table)[0]
    assert {card: int(answer[card]) for card in np.flatnonzero(answer >= 0)} == expected
    if not played:
        assert np.array_equal(forgetful.leads(masks(*hands), strain, first)[0], answer)
        declarer = (first - 1) % 4
        tricks = forgetful.tricks(masks(*hands), strain, declarer)[0]
        assert tricks == cards - max(expected.values())
        assert forgetful.tables(masks(*hands))[0, table_place(declarer, strain)] == tricks


def test_a_known_deal(pool):
    """Solved by hand-independent programs: 8 tricks in spades for East-West, 6 at notrump."""
    table = pool.tables(deal_masks(DEAL))[0]
    # strains C D H S N, the same for both partners
    north_south, east_west = [7, 5, 6, 5, 6], [5, 7, 6, 8, 6]
    expected = [*north_south, *east_west, *north_south, *east_west]
    expected[table_place(1, 2)] = expected[table_place(3, 2)] = 6
    assert table.tolist() == expected


def test_nothing_asked_nothing_answered(pool):
    none = np.zeros((4, 0), np.uint64)
    assert pool.tables(none).shape == (0, 20)
    assert pool.leads(none, 4, 0).shape == (0, 52)
    assert pool.tricks(none, [], []).shape == (0,)


def test_a_call_with_many_sizes_of_hands(pool):
    rng = np.random.default_rng(5)
    endings = [deal_ending(rng, 1 + number % 4) for number in range(40)]
    hands = np.array(endings, np.uint64).T
    strains = rng.integers(0, 5, 40)
    leaders = rng.integers(0, 4, 40)
    together = pool.leads(hands, strains, leaders)
    for number in range(40):
        alone = pool.leads(hands[:, [number]], strains[number], leaders[number])
        assert np.array_equal(alone[0], together[number])


# --- symmetries ----------------------------------------------------------------------------------


@st.composite
def boards(draw: st.DrawFn, most: int = 13) -> SolverBoards:
    cards = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    hands = deal_ending(rng, cards)
    first = draw(st.integers(0, 3))
    played = draw(st.integers(0, 3))
    trick = []
    for place in range(played):
        held = [card for card in range(52) if hands[(first + place) % 4] >> card & 1]
        trick.append(held[int(rng.integers(len(held)))])
        hands[(first + place) % 4] ^= 1 << trick[-1]
    on_table = np.array([trick + [NO_CARD] * (3 - played)], np.uint8)
    return check_boards(masks(*hands), draw(st.integers(0, 4)), first, on_table)


def moved(mask: int, place: dict[int, int]) -> int:
    return sum(1 << place[card] for card in range(52) if mask >> card & 1)


def transformed(board: SolverBoards, place: dict[int, int], strain: int, turn: int) -> SolverBoards:
    hands = [0] * 4
    for seat in range(4):
        hands[(seat + turn) % 4] = moved(int(board.hands[seat, 0]), place)
    trick = [[place.get(int(card), NO_CARD) for card in board.trick[0]]]
    first = (int(board.first[0]) + turn) % 4
    return check_boards(masks(*hands), strain, first, np.array(trick, np.uint8))


def renaming(strain: int, suits: list[int]) -> tuple[dict[int, int], int]:
    """Where each card goes, and the strain, when suits are renamed."""
    place = {card: 13 * suits[card // 13] + card % 13 for card in range(52)}
    return place, 4 if strain == 4 else suits[strain]


@given(board=boards(), suits=st.permutations(range(4)), turn=st.integers(0, 3))
def test_equal_keys_after_a_symmetry(board, suits, turn):
    place, strain = renaming(int(board.strain[0]), suits)
    other = transformed(board, place, strain, turn)
    one, two = canonical(board), canonical(other)
    assert one.keys == two.keys
    everything = int(np.bitwise_or.reduce(board.hands[:, 0]))
    in_play = [card for card in range(52) if everything >> card & 1]
    # cards with the same place are the same card, unless two suits are alike in all hands
    if len({suit_signature(board, suit) for suit in range(4)}) == 4:
        for card in in_play:
            assert one.places[0, card] == two.places[0, place[card]]
    assert len({int(one.places[0, card]) for card in in_play}) == len(in_play)


def suit_signature(board: SolverBoards, suit: int) -> tuple[object, ...]:
    holdings = [int(hand) >> 13 * suit & 8191 for hand in board.hands[:, 0]]
    present = 0
    for holding in holdings:
        present |= holding
    trick = [int(card) for card in board.trick[0] if card != NO_CARD and card // 13 == suit]
    ranks = [rank for rank in range(13) if present >> rank & 1 or 13 * suit + rank in trick]
    return (
        *(
            tuple(index for index, rank in enumerate(ranks) if holding >> rank & 1)
            for holding in holdings
        ),
        tuple(
            (ranks.index(int(card) % 13), place)
            for place, card in enumerate(board.trick[0])
            if card != NO_CARD and card // 13 == suit
        ),
        int(board.strain[0]) == suit,
    )


@given(board=boards(most=9), data=st.data())
def test_equal_keys_after_gaps_are_closed_or_opened(board, data):
    everything = int(np.bitwise_or.reduce(board.hands[:, 0]))
    everything |= sum(1 << int(card) for card in board.trick[0] if card != NO_CARD)
    place = {}
    for suit in range(4):
        cards = [13 * suit + rank for rank in range(13) if everything >> 13 * suit + rank & 1]
        ranks = data.draw(st.sets(st.integers(0, 12), min_size=len(cards), max_size=len(cards)))
        place |= dict(zip(cards, (13 * suit + rank for rank in sorted(ranks)), strict=True))
    other = transformed(board, place, int(board.strain[0]), 0)
    assert canonical(board).keys == canonical(other).keys


@examples(40)
@given(board=boards(most=5), suits=st.permutations(range(4)), turn=st.integers(0, 3))
def test_symmetries_do_not_change_answers(forgetful, board, suits, turn):
    place, strain = renaming(int(board.strain[0]), suits)
    other = transformed(board, place, strain, turn)
    one = forgetful.plays(*board)[0]
    two = forgetful.plays(*other)[0]
    assert all(one[card] == two[place[card]] for card in range(52))


def test_equal_keys_have_equal_answers():
    """Endings of few cards in two suits: many share a key, and all of those a value."""
    rng = np.random.default_rng(3)
    values: dict[bytes, int] = {}
    shared = 0
    for _ in range(600):
        cards = rng.permutation([0, 1, 2, 3, 39, 40, 41, 42]).tolist()
        hands = [sum(1 << card for card in cards[seat::4]) for seat in range(4)]
        strain, first = int(rng.choice([0, 2, 3, 4])), int(rng.integers(4))
        key = canonical(check_boards(masks(*hands), strain, first)).keys[0]
        value = max(minimax_plays(hands, strain, first).values())
        shared += key in values
        assert values.setdefault(key, value) == value
    assert shared > 30


def test_left_and_right_are_not_the_same(forgetful):
    """Exchanging East and West changes who plays after whom: KJ plays before AQ or after it."""
    behind = masks(*(1 << a | 1 << b for a, b in ((51, 49), (50, 48), (39, 40), (0, 1))))
    before = behind[[0, 3, 2, 1]]
    one, two = (check_boards(hands, 4, 2) for hands in (behind, before))
    assert canonical(one).keys != canonical(two).keys
    assert forgetful.leads(*one[:3]).max() != forgetful.leads(*two[:3]).max()


# --- the cache -----------------------------------------------------------------------------------


def test_a_deal_turned_and_renamed_is_known():
    hands = deal_masks(DEAL)
    with DoubleDummyPool(workers=1) as pool:
        first = pool.leads(hands, 3, 0)
        misses = pool.state.misses
        # spades become clubs, clubs hearts, hearts spades; North becomes West
        place = {card: 13 * (2, 1, 3, 0)[card // 13] + card % 13 for card in range(52)}
        turned = masks(*(moved(int(hands[(seat + 1) % 4, 0]), place) for seat in range(4)))
        second = pool.leads(turned, 0, 3)
        assert pool.state.misses == misses
        assert all(second[0, place[card]] == first[0, card] for card in range(52))
        # the best of all leads is what the contract takes
        assert pool.tricks(hands, 3, 3)[0] == 13 - first.max()
        assert pool.state.misses == misses


def test_known_tables_are_not_solved():
    hands = np.array([deal_ending(np.random.default_rng(seed), 13) for seed in (1, 2)], np.uint64).T
    tables = np.random.default_rng(0).integers(0, 14, (2, 20))
    with DoubleDummyPool(workers=1) as pool:
        pool.add_tables(hands, tables)
        assert np.array_equal(pool.tables(hands), tables)
        strains, declarers = np.array([2, 4]), np.array([3, 0])
        assert pool.tricks(hands, strains, declarers).tolist() == [tables[0, 17], tables[1, 4]]
        assert pool.state.processes == ()
        with pytest.raises(ValueError, match="expected tables as int8"):
            pool.add_tables(hands, tables[:1])
        with pytest.raises(ValueError, match="from 0 to the cards of a hand"):
            pool.add_tables(hands, tables + 14)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=60), st.integers(0, 5))
def test_the_cache_is_bounded_and_right(uses, entries):
    cache = AnswerCache(entries)
    for number, all_cards in uses:
        key = bytes([number])
        if all_cards:
            cards = cache.cards(key)
            assert cards in (None, bytes([number, 0, 255]))
            if cards is None:
                cache.store(key, bytes([number, 0, 255]))
        else:
            assert cache.value(key) in (None, number)
            cache.store(key, number)
            assert cache.value(key) == (number if entries else None)
        assert len(cache) <= entries
    cache.clear()
    assert len(cache) == 0


# --- what is no question -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "strain", "first", "message"),
    [
        ([1, 2, 4, 4], 4, 0, "a card in one hand only, in deal 0"),
        ([1, 2, 4, 24], 4, 0, "as many cards in each hand, in deal 0"),
        ([0, 0, 0, 0], 4, 0, "hands of 1-13 cards, in deal 0"),
        ([1, 2, 4, 1 << 52], 4, 0, "hands of the 52 cards, in deal 0"),
        ([1, 2, 4, 8], 5, 0, "strain of 0-4, got 5"),
        ([1, 2, 4, 8], 4, -1, "a seat of 0-3, got -1"),
        ([1, 2, 4, 8], [9], 0, "strain of 0-4, got 9 in deal 0"),
    ],
)
def test_deals_that_are_none(pool, hands, strain, first, message):
    with pytest.raises(InvalidDeal, match=message):
        pool.leads(masks(*hands), strain, first)


@pytest.mark.parametrize(
    ("trick", "message"),
    [
        ([NO_CARD, 3, NO_CARD], "a trick without gaps"),
        ([60, NO_CARD, NO_CARD], "cards of 0-51"),
        ([0, NO_CARD, NO_CARD], "a card in one hand only"),
        ([20, NO_CARD, NO_CARD], "as many cards in each hand"),
    ],
)
def test_tricks_that_are_none(pool, trick, message):
    with pytest.raises(InvalidDeal, match=message):
        pool.plays(masks(1, 2, 4, 8), 4, 0, np.array([trick], np.uint8))


def test_arrays_that_do_not_fit(pool):
    with pytest.raises(ValueError, match=r"uint64\[4, n\], got int64"):
        pool.tables(np.zeros((4, 1), np.int64))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="for 1 deals or one for all"):
        pool.leads(masks(1, 2, 4, 8), [4, 4], 0)
    with pytest.raises(ValueError, match="whole numbers"):
        pool.leads(masks(1, 2, 4, 8), 4.0, 0)
    with pytest.raises(ValueError, match=r"uint8\[1, 3\]"):
        pool.plays(masks(1, 2, 4, 8), 4, 0, no_trick(2))
    with pytest.raises(ValueError, match="at least one worker"):
        DoubleDummyPool(0)
    with pytest.raises(ValueError, match="cache entries from 0 on"):
        DoubleDummyPool(1, cache_entries=-1)
    assert default_pool() is default_pool()


# --- against published results -------------------------------------------------------------------


def published(folder: Path, name: str) -> Iterator[tuple[str, int, int, list[int], list[int]]]:
    """Deal, trump, leader, all leads and table of each board of a file of DDS."""
    deal, trump, first, leads = "", 0, 0, list[int]()
    for line in (folder / "dd" / "dds" / name).read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "PBN":
            numbers, deal, _ = rest.split('"')
            trump, first = (int(number) for number in numbers.split()[2:4])
        elif word == "FUT":
            leads = [int(number) for number in rest.split()]
        elif word == "TABLE":
            yield deal, trump, first, leads, [int(number) for number in rest.split()]


def check_published(pool: DoubleDummyPool, folder: Path, name: str, count: int | None) -> None:
    found = list(itertools.islice(published(folder, name), count))
    hands = np.concatenate([deal_masks(deal) for deal, *_ in found], axis=1)
    # strains there are S H D C N
    strains = [3, 2, 1, 0, 4]
    tables = pool.tables(hands)
    trumps = np.array([strains[trump] for _, trump, *_ in found])
    leaders = np.array([first for _, _, first, *_ in found])
    leads = pool.leads(hands, trumps, leaders)
    for number, (_, _, _, answers, table) in enumerate(found):
        for strain in range(5):
            for declarer in range(4):
                published_tricks = table[4 * strain + declarer]
                assert tables[number, table_place(declarer, strains[strain])] == published_tricks
        cards = answers[0]
        suits, ranks, equals, scores = (answers[1 + part * cards :][:cards] for part in range(4))
        expected = np.full(52, -1)
        for suit, rank, equal, score in zip(suits, ranks, equals, scores, strict=True):
            for place in range(2, 15):
                if place == rank or equal >> place & 1:
                    expected[13 * strains[suit] + place - 2] = score
        assert np.array_equal(leads[number], expected)


@pytest.mark.slow
def test_published_tables_and_leads(pool, shared_data):
    check_published(pool, shared_data, "list10.txt", None)


@pytest.mark.slow
def test_many_published_tables_and_leads(pool, shared_data):
    check_published(pool, shared_data, "list100.txt", sized(15, 50))
