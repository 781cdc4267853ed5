"""Engines of others over HTTP, in the form of BEN's API: asked by us, and asking us."""

import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    EngineFailed,
    Seat,
    Vulnerability,
    cards_of,
    format_call,
    format_card,
    format_hand,
    parse_calls,
    parse_card,
    parse_contract,
    parse_hand,
)
from bidcascade.engine.settings import Settings
from bidcascade.inference.card_play.rules_of_thumb import legal_cards, usual_cards
from bidcascade.inference.card_play.sight import give_to_seats
from bidcascade.loaders.frames.play import trick_winner
from bidcascade.seats.foreign.ben_form import calls_of_pairs, query_of, vulnerability_of
from bidcascade.seats.foreign.bidding import bid_out
from bidcascade.seats.foreign.engines import ServerEngine, open_foreign
from bidcascade.seats.foreign.protocol import Reply, Turn
from bidcascade.service.api.app import create_app
from bidcascade.service.cli import BAD_ARGUMENTS, NO_BACKEND, main
from bidcascade.systems import open_system
from tests.support.auctions import random_auction
from tests.support.deals import deals_in_turn
from tests.support.service import ask, loaded_app

HAND = "AQ4.KJ3.K876.Q52"
ASKED = {"user": "me", "dealer": "N", "seat": "N", "vul": "", "ctx": "", "hand": HAND}


def turn(calls: str = "") -> Turn:
    return Turn(parse_hand(HAND), Seat.NORTH, Vulnerability.NONE, tuple(parse_calls(calls)))


@contextmanager
def server(answer):
    """Server that gives what a function of the query writes; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            query = {
                name: value[0]
                for name, value in parse_qs(
                    urlsplit(self.path).query, keep_blank_values=True
                ).items()
            }
            status, body = answer(urlsplit(self.path).path, query)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()


@pytest.fixture(scope="module")
def app():
    return loaded_app(backend="cpu", table="sayc", dd_workers=1)


def asked_of(app, path, **query):
    from urllib.parse import urlencode

    return ask(app, "GET", f"{path}?{urlencode(query)}")


# --- the form -------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from(Seat), st.sampled_from(Vulnerability))
def test_questions_say_what_they_are_made_of(seed, dealer, vulnerability):
    calls = random_auction(seed)
    query = query_of(Turn(parse_hand(HAND), dealer, vulnerability, calls))
    assert calls_of_pairs(query["ctx"]) == calls
    assert vulnerability_of(query["vul"]) == vulnerability
    assert (query["dealer"], query["hand"]) == (dealer.letter, HAND)
    assert query["seat"] == Seat((dealer + len(calls)) % 4).letter


# --- as server ------------------------------------------------------------------------------------


def test_the_service_answers_as_the_system_bids(app):
    """Bid deals over both ends of the form: the same as without it."""
    deals = deals_in_turn(12, 4)
    sayc = open_system("sayc")

    def answer(path, query):
        response = asked_of(app, path, **query)
        return response.status_code, response.content

    with server(answer) as url:
        engine = ServerEngine(url)
        assert bid_out(engine, engine, deals) == bid_out(sayc, sayc, deals)
        engine.close()


def test_answers_of_the_form(app):
    answer = asked_of(app, "/bid", **ASKED).json()
    assert (answer["bid"], answer["who"]) == ("1N", "sayc")
    assert answer["explanation"]
    weak = asked_of(app, "/bid", **{**ASKED, "hand": "T32_T94_JT2_J876"}).json()
    assert weak["bid"] == "PASS"
    third = asked_of(app, "/bid", **{**ASKED, "ctx": "----", "seat": "S", "vul": "@v@V"}).json()
    assert third["bid"] == "1N"
    told = asked_of(app, "/explain", **{**ASKED, "ctx": "1N--2C", "seat": "W"}).json()
    assert told["Alert"] is True
    assert told["explanation"]
    assert asked_of(app, "/bid", **{**ASKED, "ctx": "--------"}).json() == {
        "message": "Bidding is over"
    }


def test_what_is_wrong_here_is_said_as_error_too():
    """BEN's client at BBO shows nothing else of an answer that failed."""
    app = create_app(Settings(table="sayc", backend="reference"))
    answer = ask(app, "GET", f"/bid?{urlencode(ASKED)}")
    told = answer.json()
    assert answer.status_code == told["status"] == 503
    assert told["error"] == told["detail"]
    assert answer.headers["Retry-After"]


def test_a_seat_and_vulnerability_as_the_client_at_bbo_writes_them(app):
    """It says of both sides whether they are vulnerable: ``@n`` and ``@N`` that they are not."""
    assert vulnerability_of("@n@V") == Vulnerability.EW
    assert vulnerability_of("@v@N") == Vulnerability.NS
    query = {**ASKED, "user": "NRobot", "dealno": "7", "vul": "@n@N", "tournament": "MP"}
    assert ask(app, "GET", f"/bid?{urlencode(query)}").json()["bid"] == "1N"


def test_a_lead(app):
    query = {**ASKED, "hand": "QJ98.54.K732.T65", "seat": "E", "ctx": "1N--3N------"}
    answer = asked_of(app, "/lead", **query).json()
    assert answer["card"][0] in "SHDC"
    assert len(answer["card"]) == 2
    wrong = asked_of(app, "/lead", **{**query, "seat": "S"}).json()
    assert wrong == {"message": "Not this player to lead"}
    app.state.own.double_dummy.close()


PLAY = {
    **ASKED, "hand": "QJ98.54.K732.T65", "seat": "E", "ctx": "1N--3N------",
    "dummy": "K2.AQT8.QJ5.K742", "played": "",
}  # fmt: skip


def test_whole_boards_are_played_by_asking_for_each_card(app):
    """Ask for each card of each player but the lead: what the rules choose, all 52 once."""
    deals = deals_in_turn(2, 9)
    for number in range(2):
        hands = [int(deals.hands[seat, number]) for seat in range(4)]
        texts = [format_hand(one) for one in hands]
        played = [next(cards_of(hands[1]))]
        while len(played) < 52:
            trick, turn = [], 1
            for card in played:
                trick.append(card)
                turn = (turn + 1) % 4
                if len(trick) == 4:
                    turn = (turn + trick_winner(trick, 3)) % 4
                    trick = []
            # North declares four spades, South is dummy
            seat = 0 if turn == 2 else turn
            answer = asked_of(
                app,
                "/play",
                dealer="N",
                seat="NESW"[seat],
                vul="",
                ctx="4S------",
                hand=texts[seat],
                dummy=texts[2],
                played="".join(map(format_card, played)),
                budget_ms=0,
            ).json()
            card = parse_card(answer["card"])
            assert answer["why"]
            assert hands[turn] >> card & 1
            assert answer["player"] == (turn - 1) % 4
            gone = sum(1 << one for one in played)
            other = 0 if turn == 2 else 2
            usual = usual_cards(
                hands[turn] & ~gone,
                trick,
                3,
                gone,
                declares=turn % 2 == 0,
                other=hands[other] & ~gone,
            )
            assert card == usual[0]
            played.append(card)
        assert sorted(played) == list(range(52))


def test_a_card_is_played_by_layouts_with_its_reason(app):
    """Declarer leads near the end; cards that were played may be left out of the hands."""
    contract = parse_contract("4SN")
    hands = [int(one) for one in deals_in_turn(2, 9).hands[:, 0]]
    played = []
    while True:
        state = give_to_seats(played, contract)
        legal = legal_cards(hands[state.turn] & ~state.hands[state.turn], state.trick)
        is_declarers = state.turn % 2 == 0 and not state.trick
        if len(played) >= 24 and is_declarers and len(legal) > 1:
            break
        played.append(legal[0])
    query = {
        "dealer": "N",
        "seat": "N",
        "vul": "",
        "ctx": "4S------",
        "budget_ms": 9000,
        "played": "".join(map(format_card, played)),
    }
    whole = [format_hand(hands[seat]) for seat in (0, 2)]
    left = [
        ".".join(
            "".join(format_card(card)[1] for card in cards_of(hand & 0x1FFF << 13 * suit))
            for suit in (3, 2, 1, 0)
        )
        for hand in (hands[seat] & ~state.hands[seat] for seat in (0, 2))
    ]
    answers = [
        asked_of(app, "/play", **query, hand=hand, dummy=dummy).json()
        for hand, dummy in (whole, left)
    ]
    assert answers[0] == answers[1]
    answer = answers[0]
    assert (answer["who"], answer["player"]) == ("sayc", (state.turn - 1) % 4)
    assert " the contract in " in answer["why"]
    assert answer["card"] in map(format_card, legal)
    assert answer["candidates"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"dummy": ""}, {"message": "No dummy provided"}),
        ({"seat": "S"}, {"message": "Called as dummy or with wrong dealer / seat"}),
    ],
)
def test_plays_that_are_none(app, change, told):
    assert asked_of(app, "/play", **{**PLAY, "played": "SQ", **change}).json() == told


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        ("/play", PLAY, "the opening lead"),
        ("/play", {**PLAY, "played": "SQSQ"}, "each card once"),
        ("/play", {**PLAY, "played": "S1"}, "expected"),
        ("/play", {**PLAY, "played": "SQ", "seat": "W"}, "a question of S"),
        ("/play", {**PLAY, "played": "SQ", "seat": "N", "hand": "AQ4.KJ3.K876"}, "four suits"),
        ("/play", {**PLAY, "played": "SQ", "seat": "N", "hand": PLAY["dummy"]}, "different"),
        ("/play", {**PLAY, "played": "SQ", "ctx": "1N--"}, "an auction that is over"),
        (
            "/play",
            {**PLAY, "played": "SQ", "seat": "N", "hand": "A43.KJ3.A964.Q93", "budget_ms": "-1"},
            "'budget_ms'",
        ),
        (
            "/play",
            {**PLAY, "played": "SQ", "seat": "N", "hand": "A43.KJ3.A964.Q93", "seed": "one"},
            "'seed'",
        ),
        ("/play", {**PLAY, "played": "SQ", "seat": "N", "hand": "AQ.KJ3.K876.Q52"}, "13 cards"),
        (
            "/play",
            {
                **PLAY,
                "played": "SQ",
                "seat": "N",
                "hand": "A3.KJ93.K964.Q93",
                "dummy": "Q2.AQT8.QJ5.K742",
            },
            "played by E",
        ),
        ("/bid", {"hand": None}, "'hand' in the query"),
        ("/bid", {"hand": "AKQ"}, "expected"),
        ("/bid", {"hand": "AQx.KJ3.K876.Q52"}, "expected"),
        ("/bid", {"dealer": "Q"}, "expected"),
        ("/bid", {"seat": "E"}, "'seat' N"),
        ("/bid", {"seat": None}, "'seat' in the query"),
        ("/bid", {"ctx": "1N1C", "seat": "S"}, "illegal"),
        ("/bid", {"ctx": "1N-", "seat": "S"}, "pairs of letters"),
        ("/bid", {"ctx": "--" * 3000, "seat": "S"}, "at most 4096"),
        ("/bid", {"table": "unknown"}, "a table of this service"),
        ("/explain", {}, "at least one call"),
        ("/explain", {"ctx": "9C"}, "pairs of letters"),
        ("/lead", {"ctx": "--------"}, "expected"),
        ("/lead", {"ctx": "1N--"}, "an auction that is over"),
    ],
)
def test_what_is_wrong_is_said_as_error(app, path, change, message):
    query = {name: value for name, value in {**ASKED, **change}.items() if value is not None}
    response = asked_of(app, path, **query)
    assert response.status_code == 400
    assert message in response.json()["error"]


# --- as client ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "reply"),
    [
        (200, b'{"bid": "PASS"}', Reply(0)),
        (200, b'{"bid": "1N", "explanation": "15-17", "candidates": []}', Reply(7, "15-17")),
        (200, b'{"bid": "x", "explanation": 3}', Reply(1)),
        (200, b'{"message": "Bidding is over"}', "JSON with a call as 'bid'"),
        (200, b"[]", "JSON with a call"),
        (200, b"[" * 100_000, "JSON with a call"),
        (200, b"<html>", "got '<html>'"),
        (200, b"\xff\xfe{\x00", "JSON with a call"),
        (200, b'{"bid": "8C"}', "expected a call"),
        (400, b'{"error": "no"}', "status 200, got 400"),
        (503, b"", "status 200, got 503"),
    ],
)
def test_answers_of_a_server(status, body, reply):
    with server(lambda path, query: (status, body)) as url:
        engine = open_foreign(f"engine:{url}/")
        found = engine.answers([turn()], [4])[0]
        engine.close()
    if isinstance(reply, Reply):
        assert found == reply
    else:
        assert isinstance(found, EngineFailed)
        assert reply in str(found)
        assert str(found).startswith("deal 4, AQ4.KJ3.K876.Q52, dealer N")


def test_a_server_that_sends_without_end():
    with (
        server(lambda path, query: (200, b" " * (2 << 20))) as url,
        pytest.raises(EngineFailed, match="at most 1,048,576 bytes") as raised,
    ):
        ServerEngine(url).answers([turn()])
    assert raised.value.fault == "too much"


@contextmanager
def raw_server(talk):
    """Server that does what a function does with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def serve():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    talk(connection, ended)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            ended.set()
            listening.shutdown(socket.SHUT_RDWR)


def drip(connection, ended):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    while not ended.wait(0.05):
        try:
            connection.sendall(b" ")
        except OSError:
            return


@pytest.mark.parametrize(
    ("talk", "fault"),
    [
        (lambda connection, ended: ended.wait(30), "too late"),
        (drip, "too late"),
        (lambda connection, ended: None, "ended"),
        (lambda connection, ended: connection.sendall(b"nonsense\r\n\r\n"), "ended"),
    ],
    ids=["silent", "drip", "closing", "nonsense"],
)
def test_a_server_that_fails(talk, fault):
    with raw_server(talk) as url:
        engine = ServerEngine(url, timeout_s=0.5)
        with pytest.raises(EngineFailed, match=r"deal 0, .* from the engine '127") as raised:
            engine.answers([turn()])
        engine.close()
    assert raised.value.fault == fault


@pytest.mark.parametrize(
    "url", ["http://", "http://:80", "http://a:port", "http://[", "http://a/?bid=1"]
)
def test_what_is_no_address(url):
    with pytest.raises(EngineFailed, match="expected an address"):
        open_foreign(f"engine:{url}")


# --- commands -------------------------------------------------------------------------------------


def test_a_bot_is_asked_and_simulated(capsys):
    passes = "engine:sed -u s/.*/P/"
    assert main(["bid", HAND, "--table", "engine:sed -u 's/.*/1N any hand/'"]) == 0
    assert capsys.readouterr().out == "1N  any hand\n"
    command = ["bid", HAND, "--table", passes, "--auction", "1N P", "--json"]
    assert main([*command, "--simulate", "20", "--tricks", "table"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["call"] == "3N"
    assert told["simulation"]["compared_with"] == "P"
    # partner passes whatever the others call
    contracts = {
        one["call"]: [contract["contract"] for contract in one["contracts"]]
        for one in told["simulation"]["candidates"]
    }
    assert contracts["3N"] == ["3NN"]
    assert contracts["P"] == ["1NN"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["bid", HAND, "--table", "engine:sed -u s/.*/9C/"], NO_BACKEND, "expected a call"),
        (["bid", HAND, "--table", "engine:no-such-bot"], NO_BACKEND, "a program to start"),
        (["bid", HAND, "--table", "engine:x", "--explain"], BAD_ARGUMENTS, "--explain"),
        (["bid", f"N:{HAND} - - -", "--table", "engine:x"], BAD_ARGUMENTS, "expected one hand"),
        (["bid", HAND, "--table", "engine:x", "--auction", "P P P P"], BAD_ARGUMENTS, "auction"),
        (["compare", "engine:sed -u s/.*/XX/", "sayc", "--deals", "3"], NO_BACKEND, "deal 0, "),
        (["compare", "engine:", "sayc", "--deals", "3"], NO_BACKEND, "a command"),
    ],
)
def test_what_fails_is_one_line(arguments, code, message, capsys):
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert not out
    assert message in err
    assert err.count("\n") == 1


def test_bots_play_a_match_and_are_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    opens = "engine:sed -u -e 's/^.* [NESW] [A-Za-z]*$/1N/' -e t -e s/.*/P/"
    match = ["compare", opens, "engine:sed -u s/.*/P/", "--deals", "20", "--dd-budget", "3"]
    assert main([*match, "--workers", "1"]) == 0
    assert "sed (1) against sed (2), 20 deals" in capsys.readouterr().out
    (tmp_path / "played.pbn").write_text(
        '[Dealer "N"]\n[Vulnerable "None"]\n'
        '[Deal "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.T93 J876.A65.Q93.AK4 T32.T94.JT2.J876"]\n'
        '[Auction "N"]\n1NT Pass 2NT Pass\nPass Pass\n'
    )
    assert main(["compare", opens, "--archive", "played.pbn", "--workers", "1", "--out", "m"]) == 0
    out = capsys.readouterr().out
    # its last choice was the opening: the other side's pass is the call that lost
    assert format_call(7) in out
    report = (tmp_path / "m" / "report.md").read_text()
    assert "as sed bid it" in report or "lost nothing" in report
