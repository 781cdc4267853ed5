"""The table-manager protocol: lines, cards that may be played, matches over loopback, liars."""

import re
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    FULL_DECK,
    Auction,
    EngineFailed,
    InvalidInput,
    Seat,
    Vulnerability,
    cards_of,
    format_call,
)
from bidcascade.inference.card_play.choosing import CardPlayer
from bidcascade.inference.card_play.rules_of_thumb import legal_cards, usual_cards
from bidcascade.inference.card_play.sight import Sight, give_to_seats
from bidcascade.loaders import read_deals, write_pbn
from bidcascade.loaders.frames.play import count_declarer_tricks, trick_winner
from bidcascade.seats.foreign.bidding import bid_out
from bidcascade.seats.foreign.process import ProcessEngine
from bidcascade.seats.foreign.protocol import Reply
from bidcascade.seats.table_manager import host as host_module
from bidcascade.seats.table_manager import lines
from bidcascade.seats.table_manager.connection import LONGEST_LINE, LineConnection
from bidcascade.seats.table_manager.host import TableHost
from bidcascade.seats.table_manager.seat import sit
from tests.support.deals import deals_in_turn, plain_deals
from tests.support.examples import rows_in_check
from tests.support.systems import OTHER, SMALL

DEALS = deals_in_turn(6, 11)
SEATS = st.sampled_from(Seat)


# --- lines ----------------------------------------------------------------------------------------


@given(SEATS, st.integers(0, 37), st.none() | st.text(max_size=30))
def test_calls_are_read_as_they_were_written(seat, call, alert):
    line = lines.format_call_line(lines.CallLine(seat, call, alert))
    found = lines.parse_call_line(line)
    assert (found.seat, found.call) == (seat, call)
    assert (found.alert is None) == (alert is None)
    assert lines.format_call_line(found) == line


@given(SEATS, st.integers(0, 51))
def test_cards_are_read_as_they_were_written(seat, card):
    line = lines.format_card_line(seat, card)
    for text in (line, line.lower(), line[:-2] + line[-2:][::-1]):
        assert lines.parse_card_line(text) == lines.CardLine(seat, card)


@given(st.integers(0, 10**6))
def test_hands_are_read_as_they_were_written(seed):
    for hand in plain_deals(1, seed).hands[:, 0].tolist():
        line = lines.format_cards("EAST's", hand)
        assert lines.parse_cards(line) == lines.parse_cards(line.lower()) == hand


@given(st.integers(1, 10**6), SEATS, st.sampled_from(Vulnerability))
def test_boards_are_read_as_they_were_written(number, dealer, sides):
    board = lines.BoardLine(number, dealer, sides)
    assert lines.parse_board(lines.format_board(board)) == board


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (lines.parse_connecting, "GET / HTTP/1.1"),
        (lines.parse_connecting, 'Connecting "x" as NOBODY using protocol version 18'),
        (lines.parse_connecting, f'Connecting "{"x" * 500}" as NORTH using protocol version 18'),
        (lines.parse_call_line, "NORTH bids 8C"),
        (lines.parse_call_line, "NORTH bids P"),
        (lines.parse_call_line, "NORTH bids"),
        (lines.parse_call_line, "SOUTHWEST passes"),
        (lines.parse_call_line, "SOUTH pa\u017f\u017fes"),  # long s: an s in another case
        (lines.parse_card_line, "NORTH plays \u212aS"),  # the sign of kelvin: a k
        (lines.parse_board, "Board number 1. Dealer NORTH. N/\u017f vulnerable."),
        (lines.parse_card_line, "NORTH plays 1S"),
        (lines.parse_card_line, "NORTH plays AA"),
        (lines.parse_card_line, "NORTH claims 13"),
        (lines.parse_board, "Board number x. Dealer NORTH. Neither vulnerable."),
        (lines.parse_board, "Board number 1. Dealer NORTH. All vulnerable."),
        (lines.parse_claim, "NORTH claims"),
        (lines.parse_claim, "NORTH claims 130"),
        (lines.parse_outcome, "Claim"),
        (lines.parse_cards, "NORTH's cards : S A. H -. D -. C -."),
        (lines.parse_cards, "NORTH's cards : S A A A A A A A A A A A A A. H -. D -. C -."),
        (lines.parse_cards, "NORTH's cards : S 1. H -. D -. C -."),
        (lines.parse_teams, "Teams"),
        (lines.parse_seated, "seated"),
    ],
)
def test_what_is_no_such_line(read, line):
    with pytest.raises(EngineFailed, match="expected") as raised:
        read(line)
    assert len(str(raised.value)) < 400


# --- cards ----------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(0, 4))
def test_a_whole_deal_is_played_by_the_laws(seed, strain):
    hands = plain_deals(1, seed).hands[:, 0].tolist()
    declarer = seed % 4
    dummy, leader, gone = (declarer + 2) % 4, (declarer + 1) % 4, 0
    for _ in range(13):
        trick: list[int] = []
        for position in range(4):
            seat = (leader + position) % 4
            declares = seat % 2 == declarer % 2
            other = hands[declarer if seat == dummy else dummy]
            card, *_ = usual_cards(hands[seat], trick, strain, gone, declares=declares, other=other)
            assert card in legal_cards(hands[seat], trick)
            hands[seat] &= ~(1 << card)
            gone |= 1 << card
            trick.append(card)
        leader = (leader + trick_winner(trick, strain)) % 4
    assert gone == FULL_DECK


# --- a table --------------------------------------------------------------------------------------


BY_RULES = CardPlayer(None, budget_ms=0)


def seated(host, seat, player, team, results, cards=BY_RULES, *, claims=False):
    def run():
        try:
            results[seat] = sit(
                "127.0.0.1",
                host.port,
                seat,
                player,
                team=team,
                wait_s=30,
                cards=cards,
                claims=claims,
            )
        except EngineFailed as error:
            results[seat] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def match(deals, players, cards=BY_RULES, *, seats_claim=False, **options):
    """Play deals between systems North-South and East-West; the host, and what seats told."""
    results: dict[Seat, object] = {}
    with TableHost(deals, **options) as host:
        threads = [
            seated(
                host,
                seat,
                players[seat % 2],
                f"team {seat % 2}",
                results,
                cards,
                claims=seats_claim,
            )
            for seat in Seat
        ]
        host.seat_all(30)
        host.play()
        for thread in threads:
            thread.join(30)
    return host, results


def test_two_programs_play_boards_over_loopback(tmp_path):
    host, results = match(DEALS, (SMALL, OTHER), first_board=5)
    assert results == dict.fromkeys(Seat, len(DEALS))
    # each side reads the other's calls as its own
    alone = bid_out_apart(SMALL, OTHER, DEALS)
    assert [one.calls for one in host.boards] == alone
    frame = host.frame("closed")
    write_pbn(frame, tmp_path / "log.pbn")
    again = read_deals(tmp_path / "log.pbn", whole=True).deals
    for name in ("north", "auction", "contract", "declarer", "tricks", "score", "play", "players"):
        assert again[name].to_list() == frame[name].to_list(), name
    assert again["board"].to_list() == list(range(5, 5 + len(DEALS)))
    assert set(again["room"].to_list()) == {"closed"}
    for one in host.boards:
        auction = Auction.of(one.calls, int(DEALS.dealer[one.number]))
        if auction.contract is None:
            assert one.cards == ()
            continue
        assert sorted(one.cards) == list(range(52))
        declarer = auction.contract.declarer
        assert one.tricks == count_declarer_tricks(
            list(one.cards), int(declarer), auction.contract.strain
        )


def test_claims_end_the_play_and_stand_in_the_log(tmp_path):
    """The same calls and cards as without claims, and the same tricks, with fewer cards."""
    deals = deals_in_turn(12, 3)
    plain, _ = match(deals, (SMALL, OTHER))
    host, results = match(deals, (SMALL, OTHER), seats_claim=True, claims=True)
    assert results == dict.fromkeys(Seat, len(deals))
    claimed = [one for one in host.boards if one.claim is not None]
    assert claimed
    for one, whole in zip(host.boards, plain.boards, strict=True):
        assert one.calls == whole.calls
        assert whole.cards[: len(one.cards)] == one.cards
        assert (one.tricks, one.score) == (whole.tricks, whole.score)
        assert (one.claim is None) == (len(one.cards) in (0, 52))
    write_pbn(host.frame(), tmp_path / "log.pbn")
    again = read_deals(tmp_path / "log.pbn", whole=True).deals
    for name in ("play", "tricks", "score", "commentary"):
        assert again[name].to_list() == host.frame()[name].to_list(), name
    assert f"claims {claimed[0].claim.tricks}" in again["commentary"][claimed[0].number][0]


def test_where_no_claims_are_taken_every_card_is_played():
    plain, _ = match(DEALS, (SMALL, OTHER))
    host, results = match(DEALS, (SMALL, OTHER), seats_claim=True)
    assert results == dict.fromkeys(Seat, len(DEALS))
    assert [one.cards for one in host.boards] == [one.cards for one in plain.boards]


class Alone:
    """A system that does not know which system the other side plays."""

    def __init__(self, system):
        self._system, self.name, self.seconds, self.asked = system, system.name, 0.0, 0
        self.digest = system.digest

    def answers(self, turns, deals=None):
        from bidcascade.seats.foreign.bidding import call_of

        return [call_of(self._system, turn) for turn in turns]


def bid_out_apart(north_south, east_west, deals):
    both = [Alone(north_south), Alone(east_west)]
    found = []
    for number in range(len(deals)):
        one = deals.slice(number, number + 1)
        first = int(one.dealer[0]) % 2
        found += bid_out(both[first], both[1 - first], one)
    return found


def test_seats_choose_cards_by_layouts():
    """What each seat sees is what a player of the whole deal sees: the same cards."""
    deals = deals_in_turn(6, 11).slice(1, 2)
    cards = CardPlayer(SMALL, budget_ms=10**7, layouts=4)
    host, results = match(deals, (SMALL, SMALL), cards)
    assert results == dict.fromkeys(Seat, 1)
    (board,) = host.boards
    auction = Auction.of(board.calls, int(deals.dealer[0]))
    declarer = auction.contract.declarer
    for number in (0, 1, 2, 17, 30):
        turn = give_to_seats(board.cards[:number], auction.contract).turn
        seat = declarer if turn == (declarer + 2) % 4 else turn
        sight = Sight(
            auction,
            Vulnerability(int(deals.vulnerability[0])),
            seat,
            int(deals.hands[seat, 0]),
            int(deals.hands[(declarer + 2) % 4, 0]) if number else None,
            board.cards[:number],
        )
        assert cards.choose(sight).card == board.cards[number]


def test_an_engine_takes_a_seat():
    with ProcessEngine("sed -u -e 's/^.* [NESW] [A-Za-z]*$/1N balanced/' -e t -e s/.*/P/") as opens:
        results: dict[Seat, object] = {}
        deals = plain_deals(2, 3)
        with TableHost(deals) as host:
            threads = [
                seated(host, seat, opens if seat == Seat.NORTH else SMALL, "NS"[seat % 2], results)
                for seat in Seat
            ]
            host.seat_all(30)
            boards = host.play()
            for thread in threads:
                thread.join(30)
    assert [format_call(one.calls[0]) for one in boards] == ["1N", "1N"]
    assert boards[0].alerts[0] == "balanced"
    assert results[Seat.NORTH] == 2


def test_no_deals():
    with pytest.raises(InvalidInput, match="deals to play"):
        TableHost(plain_deals(0, 1))


def test_no_table_manager():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(EngineFailed, match="expected a table manager at"):
        sit("127.0.0.1", port, Seat.NORTH, SMALL)


# --- clients that fail ----------------------------------------------------------------------------


class Client:
    """A client by hand."""

    def __init__(self, port, seat, team="x"):
        opened = socket.create_connection(("127.0.0.1", port), 10)
        self.lines = LineConnection(opened, "the host")
        self.name = lines.NAMES[seat]
        self.say(lines.format_connecting(lines.Connecting(team, seat)))

    def say(self, line):
        self.lines.write(line, 10)

    def hear(self):
        return self.lines.read(10)

    def to_the_auction(self):
        for ready in ("ready for teams", "ready to start", "ready for deal", "ready for cards"):
            self.hear()
            if ready == "ready for deal":
                pass
            self.say(f"{self.name} {ready}")
        self.hear()


@contextmanager
def table_with(odd, *, call_s=10.0):
    """Table of three seats of ours and one, at South, that a function plays; what the host says."""
    deals = plain_deals(2, 5)
    with TableHost(deals, call_s=call_s) as host:
        results: dict[Seat, object] = {}
        passes = Alone(SMALL)
        for seat in (Seat.NORTH, Seat.EAST, Seat.WEST):
            team = "x" if seat % 2 == 0 else "y"
            seated(host, seat, passes, team, results)

        def run():
            with_client = Client(host.port, Seat.SOUTH)
            try:
                odd(with_client)
            except (EngineFailed, OSError):
                pass
            finally:
                with_client.lines.close()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        host.seat_all(30)
        yield host
    thread.join(30)


def stays(client, line):
    """Say a line, and stay until the host ends the session: the seat of who leaves is freed."""
    client.say(line)
    while True:
        client.hear()


def flood(client):
    client.to_the_auction()
    while True:
        client.lines._socket.sendall(b"x" * 65536)


def flood_of_lines(client):
    client.to_the_auction()
    while True:
        client.say("SOUTH ready for everything")


def illegal(client):
    client.to_the_auction()
    for turn in ("NORTH", "EAST"):
        client.say(f"SOUTH ready for {turn}'s bid")
        client.hear()
    client.say("SOUTH redoubles")


def other_seat(client):
    client.to_the_auction()
    for turn in ("NORTH", "EAST"):
        client.say(f"SOUTH ready for {turn}'s bid")
        client.hear()
    client.say("WEST bids 7NT")


@pytest.mark.parametrize(
    ("odd", "fault", "message"),
    [
        (lambda client: time.sleep(3), "too late", "got none from SOUTH"),
        (Client.to_the_auction, "ended", "from SOUTH"),
        (flood, "too much", "a longer one from SOUTH"),
        (flood_of_lines, "unreadable", "ready for NORTH's bid"),
        (illegal, "illegal", "no double to redouble from SOUTH"),
        (other_seat, "unreadable", "expected its own call"),
        (lambda client: stays(client, "SOUTH ready to win"), "unreadable", "from SOUTH"),
        (lambda client: stays(client, "\x00\xff" * 10), "unreadable", "from SOUTH"),
    ],
    ids=["hangs", "leaves", "floods", "floods lines", "illegal", "other seat", "order", "binary"],
)
def test_a_client_that_fails_ends_the_session_and_is_named(odd, fault, message):
    call_s = 1.0 if fault == "too late" else 10.0
    with table_with(odd, call_s=call_s) as host, pytest.raises(EngineFailed) as raised:
        host.play()
    assert raised.value.fault == fault
    assert message in str(raised.value)
    assert host.boards == []


def test_a_liar_at_the_cards_is_found():
    """South, who is on lead or declares, plays a card that it has not, or revokes."""
    deals = plain_deals(1, 5)
    south = int(deals.hands[2, 0])
    foreign_card = next(card for card in range(52) if not south >> card & 1)

    def lie(client):
        client.to_the_auction()
        auction = Auction(Seat.NORTH)
        while not auction.is_complete:
            if auction.seat_to_act == Seat.SOUTH:
                client.say("SOUTH passes")
                auction = auction.add(0)
            else:
                client.say(f"SOUTH ready for {lines.NAMES[auction.seat_to_act]}'s bid")
                auction = auction.add(lines.parse_call_line(client.hear()).call)
        for number in range(1, 14):
            # whoever plays, South says that it plays a card of others
            client.say(lines.format_card_line(Seat.SOUTH, foreign_card))
            client.say(f"SOUTH ready for NORTH's card to trick {number}")

    with table_with(lie) as host, pytest.raises(EngineFailed) as raised:
        host.play()
    assert "board 1: " in str(raised.value)
    assert "SOUTH" in str(raised.value)


def test_a_revoke_is_no_card_that_may_be_played():
    deals = plain_deals(1, 5)
    with TableHost(deals) as host:
        hand = int(deals.hands[0, 0])
        cards = list(cards_of(hand))
        led = cards[0] // 13
        revoke = next(card for card in cards if card // 13 != led)
        here, there = socket.socketpair()
        host._seated[Seat.NORTH] = LineConnection(here, "NORTH (x)")
        line = lines.format_card_line(Seat.NORTH, revoke)
        table_card = next(card for card in range(13 * led, 13 * led + 13) if card not in cards)
        with pytest.raises(EngineFailed, match="a revoke from NORTH"):
            host._card(line, Seat.NORTH, Seat.NORTH, hand, [table_card])
        there.close()


def test_strangers_are_sent_away_and_the_table_fills(monkeypatch):
    """Connect 1,000 times, silent or with nonsense; then four players sit down, and a late one."""
    monkeypatch.setattr(host_module, "_HELLO_S", 1.0)
    with TableHost(plain_deals(1, 2)) as host:
        seating = threading.Thread(target=host.seat_all, args=(60,), daemon=True)
        seating.start()
        strangers = []
        for number in range(1000):
            strangers.append(socket.create_connection(("127.0.0.1", host.port), 30))
            with suppress(OSError):
                # who was sent away meanwhile cannot say anything
                strangers[number // 2].sendall(
                    [b"\xff" * 5000, b"GET / HTTP/1.1\r\n\r\n", b"", b"NORTH"][number % 4]
                )
        results: dict[Seat, object] = {}
        threads = [seated(host, seat, SMALL, "NS"[seat % 2], results) for seat in Seat]
        seating.join(70)
        late = Client(host.port, Seat.NORTH, "intruder")
        host.play()
        for thread in threads:
            thread.join(30)
        late.lines.close()
        for one in strangers:
            one.close()
    assert results == dict.fromkeys(Seat, 1)


# --- claims that are none -------------------------------------------------------------------------


@contextmanager
def claiming_table(claims=True):
    """Table where East declares 3NT, and South, who is played by hand, is to lead."""
    deals = plain_deals(1, 5)
    with TableHost(deals, call_s=10, claims=claims) as host:
        results: dict[Seat, object] = {}
        for seat, player in (
            (Seat.NORTH, FirstThen(0)),
            (Seat.EAST, FirstThen(15)),
            (Seat.WEST, FirstThen(0)),
        ):
            seated(host, seat, player, "x" if seat % 2 == 0 else "y", results)
        client: list[Client] = []

        def sit_down():
            client.append(Client(host.port, Seat.SOUTH))

        sitting = threading.Thread(target=sit_down, daemon=True)
        sitting.start()
        host.seat_all(30)
        sitting.join(30)
        raised: list[EngineFailed] = []

        def run():
            try:
                host.play()
            except EngineFailed as error:
                raised.append(error)

        playing = threading.Thread(target=run, daemon=True)
        playing.start()
        south = client[0]
        south.to_the_auction()
        for turn in (Seat.NORTH, Seat.EAST, None, Seat.WEST, Seat.NORTH):
            if turn is None:
                south.say("SOUTH passes")
            else:
                south.say(f"SOUTH ready for {lines.NAMES[turn]}'s bid")
                south.hear()
        # 'SOUTH to lead'
        assert "lead" in south.hear()
        yield host, south, int(deals.hands[2, 0]), raised
        south.lines.close()
        playing.join(30)


class FirstThen:
    """Makes one call first, and passes then."""

    def __init__(self, call):
        self.call, self.name, self.digest, self.seconds, self.asked = call, "one", "", 0.0, 0

    def answers(self, turns, deals=None):
        return [Reply(self.call if len(turn.calls) < 4 else 0, "") for turn in turns]


def lead(south, hand):
    """Lead the lowest card, and see dummy."""
    card = next(cards_of(hand))
    south.say(lines.format_card_line(Seat.SOUTH, card))
    south.say("SOUTH ready for dummy")
    lines.parse_cards(south.hear())
    return card


def test_a_claim_before_dummy_is_seen_is_refused():
    with claiming_table() as (_, south, hand, raised):
        south.say("SOUTH claims 13")
        assert not lines.parse_outcome(south.hear())
        lead(south, hand)
    # South leaves then
    assert "from SOUTH" in str(raised[0])


def test_a_claim_out_of_turn_is_refused_and_the_play_goes_on():
    with claiming_table() as (_, south, hand, raised):
        lead(south, hand)
        south.say("SOUTH claims 1")
        assert south.hear() == "Claim refused: out of turn"
        south.say("SOUTH ready for dummy's card to trick 1")
        assert lines.parse_card_line(south.hear()).seat == Seat.WEST
        south.say("SOUTH claims 1")
        assert south.hear().endswith("out of turn")
        # once for each card
        south.say("SOUTH claims 1")
        with suppress(EngineFailed):
            south.hear()
    assert "ready for" in str(raised[0])
    assert "from SOUTH" in str(raised[0])


@pytest.mark.parametrize(
    ("line", "message"),
    rows_in_check(
        (0, 3),
        ("SOUTH claims 14", "of at most 12 tricks"),
        ("SOUTH claims", "a line 'SEAT claims N'"),
        ("SOUTH claims all", "a line 'SEAT claims N'"),
        ("NORTH claims 1", "a claim of SOUTH's own"),
    ),
)
def test_claims_that_cannot_be_end_the_session(line, message):
    with claiming_table() as (_, south, hand, raised):
        play_to_souths_turn(south, hand)
        south.say(line)
        with suppress(EngineFailed):
            south.hear()
    assert message in str(raised[0])


def play_to_souths_turn(south, hand):
    """Follow to the tricks as the laws ask until South leads to one or plays after others."""
    card = lead(south, hand)
    trick, leader = [card], Seat.SOUTH
    for turn in (Seat.WEST, Seat.NORTH, Seat.EAST):
        whose = "dummy" if turn == Seat.WEST else lines.NAMES[turn]
        south.say(f"SOUTH ready for {whose}'s card to trick 1")
        trick.append(lines.parse_card_line(south.hear()).card)
    leader = Seat((leader + trick_winner(trick, 4)) % 4)
    trick = []
    for place in range(4):
        turn = Seat((leader + place) % 4)
        if turn == Seat.SOUTH:
            if not place:
                assert "lead" in south.hear()
            return
        whose = "dummy" if turn == Seat.WEST else lines.NAMES[turn]
        south.say(f"SOUTH ready for {whose}'s card to trick 2")
        trick.append(lines.parse_card_line(south.hear()).card)


def test_a_false_claim_is_refused_and_a_card_is_played_then():
    with claiming_table() as (host, south, hand, raised):
        play_to_souths_turn(south, hand)
        south.say("SOUTH claims 12")
        assert not lines.parse_outcome(south.hear())
        # a second one is no card
        south.say("SOUTH claims 12")
        with suppress(EngineFailed):
            south.hear()
    assert "a line 'SEAT plays AS'" in str(raised[0])
    assert host.boards == []


def test_a_claim_that_nobody_answers_is_too_late():
    """Three seats by hand are asked; one of them says nothing."""
    deals = plain_deals(1, 5)
    with TableHost(deals, call_s=1, claims=True) as host:
        ends = {}
        for seat in Seat:
            here, there = socket.socketpair()
            host._seated[seat] = LineConnection(here, f"{lines.NAMES[seat]} (x)")
            ends[seat] = LineConnection(there, "the host")
        claim = lines.ClaimLine(Seat.NORTH, 3)
        ends[Seat.EAST].write(lines.format_verdict(Seat.EAST, accepts=True), 5)
        with pytest.raises(EngineFailed, match="got none from WEST") as raised:
            host._accepted(claim, int(deals.hands[0, 0]), Seat.SOUTH)
        assert raised.value.fault == "too late"
        for one in ends.values():
            one.close()


@given(SEATS, st.integers(0, 13), st.booleans())
def test_claims_are_read_as_they_were_written(seat, tricks, accepts):
    claim = lines.ClaimLine(seat, tricks)
    line = lines.format_claim(claim)
    assert lines.is_claim(line)
    assert lines.parse_claim(line) == lines.parse_claim(f"{line.lower()} tricks.") == claim
    assert lines.parse_verdict(lines.format_verdict(seat, accepts=accepts), seat) is accepts


def test_an_empty_table_is_told():
    message = "none at NORTH, EAST, SOUTH, WEST"
    with TableHost(plain_deals(1, 2)) as host, pytest.raises(EngineFailed, match=message):
        host.seat_all(0.2)


def told_once(port, seat, team):
    """What a program hears first, which goes then."""
    client = Client(port, seat, team)
    heard = client.hear()
    client.lines.close()
    return heard


def seat_some(host, timeout_s):
    """Seat whoever comes in the time."""
    with suppress(EngineFailed):
        host.seat_all(timeout_s)


def test_the_seat_of_a_program_that_has_gone_is_free_and_a_refusal_is_told():
    with TableHost(plain_deals(1, 2)) as host:
        seating = threading.Thread(target=host.seat_all, args=(30,), daemon=True)
        seating.start()
        gone = [Client(host.port, Seat.NORTH, "gone"), Client(host.port, Seat.SOUTH, "gone")]
        for one in gone:
            one.hear()
        refused = told_once(host.port, Seat.NORTH, "x")
        assert refused == "Not seated: expected a free seat, got NORTH, taken by 'gone'"
        gone[0].say("NORTH ready for teams")
        for one in gone:
            one.lines.close()
        clients = [Client(host.port, seat, "xy"[seat % 2]) for seat in Seat]
        for seat, one in zip(Seat, clients, strict=True):
            assert lines.parse_seated(one.hear()) == seat
        seating.join(30)
        assert not seating.is_alive()
        assert host.teams == {0: "x", 1: "y", 2: "x", 3: "y"}
        for one in clients:
            one.lines.close()


def test_who_leaves_before_the_teams_is_replaced_and_later_nobody():
    with TableHost(plain_deals(1, 2), call_s=10) as host:
        playing = threading.Thread(target=play_out, args=(host,), daemon=True)
        playing.start()
        clients = [Client(host.port, seat, "xy"[seat % 2]) for seat in Seat]
        for one in clients:
            one.hear()
        # East was ready before it left, North was not
        clients[Seat.EAST].say("EAST ready for teams")
        for seat in (Seat.EAST, Seat.NORTH):
            clients[seat].lines.close()
            clients[seat] = Client(host.port, seat, "xy"[seat % 2])
        for seat in (Seat.NORTH, Seat.EAST):
            assert lines.parse_seated(clients[seat].hear()) == seat
        for seat, one in zip(Seat, clients, strict=True):
            one.say(f"{lines.NAMES[seat]} ready for teams")
        for one in clients:
            assert lines.parse_teams(one.hear()) == ("x", "y")
        told = told_once(host.port, Seat.WEST, "y")
        assert told == "Not seated: expected a free seat, got a session of 'x' and 'y' under way"
        for one in clients:
            one.lines.close()
        playing.join(30)
        assert not playing.is_alive()


def play_out(host):
    """Seat four programs and play until they leave."""
    host.seat_all(30)
    with suppress(EngineFailed):
        host.play()


def test_seating_ends_when_it_is_not_wanted_any_more():
    with TableHost(plain_deals(1, 2)) as host, pytest.raises(EngineFailed, match="got none at"):
        host.seat_all(3600, is_wanted=lambda: False)


def test_another_team_opposite_is_told_so():
    with TableHost(plain_deals(1, 2)) as host:
        seating = threading.Thread(target=seat_some, args=(host, 1), daemon=True)
        seating.start()
        first = Client(host.port, Seat.NORTH, "a")
        first.hear()
        refused = told_once(host.port, Seat.SOUTH, "b")
        assert refused == "Not seated: expected the team 'a' at SOUTH, as opposite, got 'b'"
        stranger = socket.create_connection(("127.0.0.1", host.port), 10)
        stranger.sendall(b"hello\r\n")
        told = LineConnection(stranger, "the host").read(10)
        assert told.startswith("Not seated: expected a line such as")
        stranger.close()
        seating.join(10)
        first.lines.close()


@pytest.mark.parametrize(
    "line",
    [
        "EAST passes Infos. 0-11 points",
        "EAST passes. Infos. 0-11",
        "EAST passes (weak)",
        "East passes. no values",
        "EAST passes, weak",
        "EAST passes - weak",
        "EAST passes Comment: 0-11",
        "EAST passes 0-11",
    ],
)
def test_remarks_behind_a_call_are_no_alerts(line):
    assert lines.parse_call_line(line) == lines.CallLine(Seat.EAST, 0)


@pytest.mark.parametrize(
    ("line", "alert"),
    [
        ("EAST bids 2C Alert Stayman", "Stayman"),
        ("EAST bids 2C Alert: Stayman", "Stayman"),
        ("EAST bids 2C. Alerts. Stayman", "Stayman"),
        ("EAST bids 2 C Alerted Stayman", "Stayman"),
        ("EAST bids 2C! Stayman", "Stayman"),
        ("EAST bids 2C *", ""),
        ("EAST bids 2C Stayman! Alert. ", None),
    ],
)
def test_alerts_of_other_programs(line, alert):
    assert lines.parse_call_line(line) == lines.CallLine(Seat.EAST, 8, alert)


@pytest.mark.parametrize(
    "line",
    ["EAST plays TS.", "EAST plays 10S", "east plays s10 .", "EAST plays TS Infos. last one"],
)
def test_cards_of_other_programs(line):
    assert lines.parse_card_line(line) == lines.CardLine(Seat.EAST, 47)


def test_lines_of_other_programs():
    for end in ("", ".", " .", "!"):
        lines.check_ready(f"EAST ready for teams{end}", Seat.EAST, "for teams")
    for between in ("", ".", ",", ";", " -"):
        assert lines.parse_teams(f'Teams : N/S : "a"{between} E/W : "b"') == ("a", "b")
    connecting = 'Connecting "club" as EAST using protocol version 18.'
    assert lines.parse_connecting(connecting) == lines.Connecting("club", Seat.EAST)
    teams = lines.format_teams("sayc N", "club")
    assert re.findall(r'N/S : "([^"]+)" E/W : "([^"]+)"', teams) == [("sayc N", "club")]
    assert lines.parse_teams('Teams : N/S : "a". E/W : "b"') == ("a", "b")


def test_seats_for_whoever_asks_for_any():
    with TableHost(plain_deals(1, 2)) as host:
        seating = threading.Thread(target=host.seat_all, args=(30,), daemon=True)
        seating.start()
        clients = []
        given = []
        for team in ("a", "b", "b", "a"):
            opened = socket.create_connection(("127.0.0.1", host.port), 10)
            connection = LineConnection(opened, "the host")
            connection.write(lines.format_connecting(lines.Connecting(team, None)), 10)
            given.append(lines.parse_seated(connection.read(10)))
            clients.append(connection)
        seating.join(30)
        for connection in clients:
            connection.close()
    assert given == [Seat.NORTH, Seat.EAST, Seat.WEST, Seat.SOUTH]
    assert host.teams == {0: "a", 1: "b", 2: "a", 3: "b"}


@pytest.mark.parametrize("sent", [b"x" * (LONGEST_LINE + 1), b"x" * LONGEST_LINE + b"\n"])
def test_lines_that_are_too_long(sent):
    here, there = socket.socketpair()
    with here, there:
        there.sendall(sent)
        with pytest.raises(EngineFailed, match="at most 1024 bytes"):
            LineConnection(here, "them").read(5)


def test_blank_lines_and_any_ends_of_lines():
    here, there = socket.socketpair()
    with here, there:
        there.sendall(b"\r\n\n one \r\ntwo\n")
        connection = LineConnection(here, "them")
        assert [connection.read(5), connection.read(5)] == ["one", "two"]
