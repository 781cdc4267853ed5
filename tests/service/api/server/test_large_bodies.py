"""Bodies of any length and kind: read in pieces, refused at their first errors, nobody waits."""

import json
import threading
import time
from dataclasses import replace

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import Deal, format_deal
from bidcascade.engine.questions.deals.auctions import AuctionsRequest
from bidcascade.engine.questions.deals.deal_reading import deals_of
from bidcascade.engine.questions.parts.fields import MOST_ERRORS, InvalidFields
from bidcascade.engine.questions.parts.texts import LONGEST_AUCTION
from bidcascade.loaders import HAND_COLUMNS, random_deals
from bidcascade.service.api.http.limits import LONGEST_QUESTION, parse_body
from bidcascade.service.api.http.problems import LONGEST_VALUE, Problem
from bidcascade.service.api.http.problems import problem_of as of_error
from bidcascade.service.api.shared.large_requests import PIECE, read_large
from tests.support.examples import sized, some_in_check
from tests.support.service import DEAL, GOOD, ask, loaded_app, post, problem_of, ready_server

NORTH = DEAL[2:].split()[0]
LARGE = sized(8_000_000, 32_000_000)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return loaded_app(tmp_path_factory.mktemp("tables"))


def any_number(count):
    """Allow any number of deals."""


def in_one_go(body):
    """What a short body with this text is read as."""
    asked = parse_body(AuctionsRequest, body)
    return asked, deals_of(asked.deals)


def read(reader, body):
    """Request and deals of a body, or the status of its problem."""
    try:
        asked, deals = reader(body)
    except Problem as problem:
        return problem.status
    except InvalidFields as error:
        return of_error(error).status
    rest = replace(asked, deals=[])
    return rest, deals.hands.tolist(), deals.dealer.tolist(), deals.vulnerability.tolist()


DEALS = [
    {"deal": DEAL},
    {"hands": DEAL[2:].split(), "dealer": "S"},
    {"deal": DEAL, "lin": None},
    {"lin": "md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|sv|o|"},
]
GOOD_BODIES = st.builds(
    lambda deals, others, first, indent, ascii_only: json.dumps(
        {"deals": deals, **others} if first else {**others, "deals": deals},
        indent=indent,
        ensure_ascii=ascii_only,
    ).encode(),
    st.lists(st.sampled_from(DEALS), min_size=1, max_size=12),
    st.fixed_dictionaries(
        {},
        optional={
            "limit": st.integers(1, 9),
            "mode": st.just("first"),
            "table": st.text(max_size=8),
            "completed_only": st.booleans(),
        },
    ),
    st.booleans(),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)


@given(GOOD_BODIES, st.integers(400, 3000))
def test_pieces_are_read_as_the_whole(body, piece):
    found = read(lambda text: read_large(AuctionsRequest, text, any_number, piece=piece), body)
    assert found == read(in_one_go, body)
    assert not isinstance(found, int)


@given(GOOD_BODIES, st.data())
def test_a_slip_is_found_as_in_the_whole(body, data):
    """What the one reader refuses the other one refuses too, whatever a slip made of the text."""
    place = data.draw(st.integers(0, len(body)))
    gone = data.draw(st.integers(0, 3))
    put = data.draw(st.sampled_from([b"", *(bytes([one]) for one in b'{}[]",:\\ n7')]))
    body = body[:place] + put + body[place + gone :]
    found = read(lambda text: read_large(AuctionsRequest, text, any_number, piece=600), body)
    expected = read(in_one_go, body)
    if isinstance(expected, int):
        assert isinstance(found, int), body
    else:
        assert found == expected


@pytest.mark.parametrize("name", [b"\\deals", b"li\\mit", b"\\u12"])
def test_a_name_with_an_escape_that_is_none_is_no_json(name):
    body = b'{"%b": 1, "deals": [%b]}' % (name, json.dumps(DEALS[0]).encode())
    assert (
        read(lambda text: read_large(AuctionsRequest, text, any_number), body)
        == read(in_one_go, body)
        == 400
    )


def test_names_may_be_written_with_escapes_and_come_twice():
    deal = json.dumps({"deal": DEAL}).encode()
    body = b'{"d\\u0065als":[%b,%b],"limit":5,"limit":7,"deals":[%b]}' % (deal, deal, deal)
    assert read(lambda text: read_large(AuctionsRequest, text, any_number), body) == read(
        in_one_go, body
    )


def test_many_deals_are_all_there(app):
    rows = random_deals(3000, seed=5).select(*HAND_COLUMNS).rows()
    body = json.dumps({"deals": [{"deal": format_deal(Deal(row))} for row in rows]}).encode()
    assert len(body) > 3 * PIECE
    counts = []
    asked, deals = read_large(AuctionsRequest, body, counts.append)
    assert deals.hands.T.tolist() == [list(row) for row in rows]
    assert asked.limit == 100
    assert counts == sorted(counts)
    assert np.diff([0, *counts]).max() <= 1000
    assert counts[-1] == 3000
    answer = ask(app, "POST", "/v1/auctions", content=body)
    assert len(answer.json()["results"]) == 3000


@pytest.mark.parametrize(
    ("change", "field"),
    [({"dealer": 5}, "deals[2500].dealer"), ({"dealer": "Q"}, "deals[2500].dealer"),
     ({"deal": 1}, "deals[2500].deal"), ({"x": [[1]]}, "deals[2500]")],
)  # fmt: skip
def test_a_deal_at_fault_behind_many_is_named(app, change, field):
    deals = [{"deal": DEAL}] * 2500 + [{"deal": DEAL, **change}]
    body = problem_of(post(app, "/v1/auctions", {"deals": deals}), 422, "invalid-request")
    assert [error["field"] for error in body["errors"]] == [field]


def test_too_many_deals_are_not_all_read(tmp_path):
    few = loaded_app(tmp_path, max_request_deals=1500)
    body = {"deals": GOOD["deals"] * 2500}
    detail = problem_of(post(few, "/v1/auctions", body), 413, "too-many-deals")["detail"]
    assert "got 2,0" in detail or "got 1," in detail


@pytest.mark.parametrize("path", ["/v1/bid", "/v1/layouts", "/v1/interpret", "/v1/leads"])
def test_questions_about_one_hand_are_short(app, path):
    body = b'{"hand":"%b"}' % (b"A" * LONGEST_QUESTION)
    detail = problem_of(ask(app, "POST", path, content=body), 413, "body-too-large")["detail"]
    assert "65,536 bytes" in detail


def test_the_longest_auction_fits_a_question(app):
    body = {"hand": NORTH, "auction": ["   1NT   "] * LONGEST_AUCTION, "table": "small"}
    answer = ask(app, "POST", "/v1/bid", content=json.dumps(body, indent=40).encode())
    problem_of(answer, 422, "invalid-request")


@pytest.mark.parametrize("length", [100, 3000])
def test_many_unknown_names_are_not_all_told(app, length):
    names = {f"name{number}": number for number in range(length)}
    for body in ({"hand": NORTH, **names}, {"hand": NORTH, "simulate": names}):
        found = problem_of(post(app, "/v1/bid", body), 422, "invalid-request")
        assert len(found["errors"]) == MOST_ERRORS


def test_nothing_long_comes_back(app):
    """A name, a value or a path: at most 200 characters of it."""
    long = "x" * 5000
    for answer in (
        post(app, "/v1/bid", {"hand": NORTH, long: 1}), post(app, "/v1/bid", {"hand": long}),
        post(app, "/v1/bid", {"hand": NORTH, "auction": [long]}),
        post(app, "/v1/bid", {"hand": NORTH, "dealer": long}),
        post(app, "/v1/auctions", {**GOOD, "table": long}),
        post(app, "/v1/auctions", {"deals": [{"deal": long}]}),
        post(app, "/v1/auctions", {"deals": [{"hands": [long] * 4}]}),
        post(app, "/v1/layouts", {"auction": ["1N"], "known": {"N": long}}),
        post(app, "/v1/layouts", {"auction": ["1N"], "known": {long: "A"}}),
        post(app, "/v1/layouts", {"auction": ["1N"], "where": [long]}),
        post(app, "/v1/leads", {"hand": NORTH, "contract": long}),
        ask(app, "GET", f"/{long}"), ask(app, "POST", f"/v1/tables/{long}/lint"),
    ):  # fmt: skip
        assert answer.status_code in (404, 405, 422)
        assert "x" * (LONGEST_VALUE + 1) not in answer.text


def filled(unit, head=b"", tail=b""):
    """Body of many megabytes of the same."""
    return head + (unit * (LARGE // len(unit)))[:-1] + tail


HOSTILE = {
    "names": lambda: b"{" + b",".join(b'"k%07d":1' % one for one in range(LARGE // 13)) + b"}",
    "names in a deal": lambda: (
        b'{"deals":[{' + b",".join(b'"k%07d":1' % one for one in range(LARGE // 13)) + b"}]}"
    ),
    "a text": lambda: filled(b"A", b'{"hand":"', b'"}'),
    "a text as deal": lambda: filled(b"A", b'{"deals":[{"deal":"', b'"}]}'),
    "escapes": lambda: filled(b"\\u2660", b'{"deals":[{"deal":"', b'"}]}'),
    "lists": lambda: filled(b"[[[[]]]],", b'{"deals":[', b"]}"),
    "numbers": lambda: filled(b"1,", b'{"deals":[', b"]}"),
    "a number": lambda: filled(b"9", b'{"limit":', b"}"),
    "calls": lambda: filled(b'"P",', b'{"hand":"x","auction":[', b"]}"),
    "empty deals": lambda: filled(b"{},", b'{"deals":[', b"]}"),
    "no JSON": lambda: filled(b"\x93\x01 x"),
    "blanks": lambda: filled(b" "),
    "commas": lambda: filled(b",", b'{"deals":[', b"]}"),
    "brackets": lambda: filled(b"["),
    "backslashes": lambda: filled(b"\\", b'{"deals":["', b"]}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", some_in_check(range(0, len(HOSTILE), 2), *HOSTILE))
def test_nobody_waits_for_a_large_body(kind, slow_server):
    """Read in one piece some of them stopped the whole service for a minute."""
    body = HOSTILE[kind]()
    sent = []

    def send(path):
        try:
            answer = httpx.post(
                f"{slow_server}{path}",
                content=body,
                timeout=120,
                headers={"Content-Type": "application/json"},
            )
            sent.append(answer.status_code)
        except httpx.WriteError:
            # refused before it was sent
            sent.append(413)

    with httpx.Client(timeout=120) as client:
        for path in ("/v1/auctions", "/v1/bid"):
            thread = threading.Thread(target=send, args=(path,))
            thread.start()
            longest = 0.0
            while thread.is_alive():
                begun = time.monotonic()
                assert client.get(f"{slow_server}/healthz").status_code == 200
                longest = max(longest, time.monotonic() - begun)
            thread.join()
            assert longest < 2
    assert set(sent) <= {400, 413, 422}
    assert len(sent) == 2


@pytest.fixture(scope="module")
def slow_server(tmp_path_factory):
    with ready_server(tmp_path_factory.mktemp("large"), backend="reference") as (url, _):
        yield url
