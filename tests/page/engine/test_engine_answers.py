"""The engine's answers to the page's questions, against those of the service."""

import re
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from bidcascade import page
from bidcascade.bridge import Deal, Seat, Vulnerability, format_deal, format_hand
from bidcascade.loaders import HAND_COLUMNS, random_deals
from tests.support.examples import sized

pytestmark = pytest.mark.slow

SYSTEMS = ["sayc", "acol"]
DEALS = 10
UNREAD = {"entry", "table", "backend", "next", "source_index", "source", "inserted", "can_complete"}
"""What compiled tables alone know, and the page does not read."""
HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
START = """async (load, systems) => {
  const { receiver } = await load("operations");
  const waiting = new Map();
  const heard = [];
  const receive = receiver((message) => {
    heard.push(message);
    if ("progress" in message) return;
    waiting.get(message.id)(message);
    waiting.delete(message.id);
  });
  let number = 0;
  globalThis.ask = (ask, given) => new Promise((resolve) => {
    number += 1;
    waiting.set(number, resolve);
    receive({ id: number, ask, given });
  });
  globalThis.heard = heard;
  for (const [name, { rows }] of Object.entries(systems)) {
    const { error } = await globalThis.ask("open", { name, system: { rows } });
    if (error) throw new Error(error.message);
  }
}"""


@pytest.fixture(scope="module")
def systems(service) -> dict[str, Any]:
    """Systems as the service gives them to the page."""
    return {
        name: httpx.get(f"{service}/v1/tables/{name}/system").raise_for_status().json()
        for name in SYSTEMS
    }


@pytest.fixture(scope="module")
def ask(engine, systems):
    """Ask the engine by a message."""
    engine(START, systems)

    def asked(what: str, given: object) -> dict[str, Any]:
        return engine("(load, [what, given]) => ask(what, given)", [what, given])

    return asked


@pytest.fixture(scope="module")
def both(ask, service):
    """Answers of the service and of the engine to one question, as far as the page reads them."""

    def answers(method: str, path: str, body: object = None) -> list[Any]:
        response = httpx.request(method, f"{service}{path}", json=body, timeout=60)
        told = response.json()
        if response.is_error:
            errors = [{name: one[name] for name in ("field", "reason")} for one in told["errors"]]
            told = {
                **{name: told[name] for name in ("status", "title", "detail")},
                "errors": errors,
            }
        found = ask("answer", {"method": method, "path": path, "body": body})
        error = found.get("error")
        mine = {"status": error["status"], **error["problem"]} if error else found["value"]
        return [_read(told), _read(mine)]

    return answers


def _read(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {name: _read(one) for name, one in answer.items() if name not in UNREAD}
    if isinstance(answer, list):
        return [_read(one) for one in answer]
    return pytest.approx(answer) if isinstance(answer, float) else answer


def _questions(seed: int) -> list[dict[str, Any]]:
    frame = random_deals(DEALS, seed=seed)
    return [
        {"deal": format_deal(Deal(row[:4])), "dealer": row[4], "vulnerability": row[5]}
        for row in frame.select(*HAND_COLUMNS, "dealer", "vulnerability").rows()
    ]


@pytest.fixture(scope="module")
def places(service) -> list[tuple[str, dict[str, Any], list[str]]]:
    """Places of auctions that systems bid, some with a call in them that nobody expects."""
    rng = np.random.default_rng(3)
    found = []
    for seed, table in enumerate(SYSTEMS):
        deals = _questions(seed)
        body = {"deals": deals, "mode": "first", "table": table}
        results = httpx.post(f"{service}/v1/auctions", json=body).json()["results"]
        for deal, result in zip(deals, results, strict=True):
            calls = result["auctions"][0]["calls"]
            depth = int(rng.integers(len(calls)))
            found.append((table, deal, calls[:depth]))
        found.append((table, deals[0], ["1N", "2D", "X", "3C"]))
        found.append((table, deals[1], ["7N"]))
    return found


@pytest.mark.parametrize("table", SYSTEMS)
def test_the_same_auctions_are_bid(both, table):
    theirs, mine = both(
        "POST", "/v1/auctions", {"deals": _questions(sized(6, 20)), "mode": "first", "table": table}
    )
    assert mine == theirs


def test_the_same_call_for_the_same_reasons(both, places):
    phrases = set()
    for table, deal, calls in places:
        dealer = "NESW".index(deal["dealer"])
        hand = deal["deal"][2:].split()[(dealer + len(calls)) % 4]
        body = {
            "hand": hand, "auction": calls, "dealer": deal["dealer"],
            "vulnerability": deal["vulnerability"], "table": table, "simulate": False,
            "candidates": True,
        }  # fmt: skip
        theirs, mine = both("POST", "/v1/bid", body)
        assert mine == theirs, body
        assert "words" not in str(mine)
        theirs, mine = both("POST", "/v1/bid", body | {"words": True})
        assert mine == theirs, body
        phrases |= {
            one["text"]
            for candidate in mine["candidates"]
            for criterion in candidate["criteria"]
            for one in criterion.get("words", ())
        }
    assert "good hearts" in phrases


@pytest.mark.parametrize("what", ["explain", "next"])
def test_the_same_meanings(both, places, what):
    for table, _, calls in places:
        theirs, mine = both("GET", f"/v1/tables/{table}/{what}?auction={'-'.join(calls)}")
        assert mine == theirs, calls


def test_the_same_auctions_are_allowed(both):
    body = {"deals": _questions(31)[:2], "mode": "all", "table": "sayc"}
    for limit in (7, 60):
        theirs, mine = both("POST", "/v1/auctions", {**body, "limit": limit})
        assert mine == theirs


BID = {"hand": HANDS[0], "auction": ["1N"], "table": "sayc"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/bid", {**BID, "hand": "AQ4.KJ3.K876.Q5"}),
        ("/v1/bid", {**BID, "hand": "AQ4.KJ3.K876"}),
        ("/v1/bid", {**BID, "auction": ["1N", "1C"]}),
        ("/v1/bid", {**BID, "auction": ["1Z"]}),
        ("/v1/bid", {**BID, "auction": ["P", "P", "P", "P"]}),
        ("/v1/bid", {**BID, "dealer": "Q"}),
        ("/v1/bid", {**BID, "vulnerability": "me"}),
        (
            "/v1/auctions",
            {"deals": [{"deal": f"N:{' '.join([HANDS[0]] * 2)} - -"}], "table": "sayc"},
        ),
        ("/v1/auctions", {"deals": [{"deal": f"N:{' '.join([HANDS[0]] * 4)}"}], "table": "sayc"}),
        ("/v1/tables/sayc/explain?auction=1N-1C", None),
        ("/v1/tables/sayc/explain?auction=what", None),
    ],
)
def test_bad_input_is_told_alike(both, path, body):
    theirs, mine = both("POST" if body else "GET", path, body)
    assert theirs["status"] == 422
    assert mine == theirs


def test_what_is_not_there_is_told(ask):
    def told(method: str, path: str, body: object = None) -> tuple[str, str]:
        error = ask("answer", {"method": method, "path": path, "body": body})["error"]
        return error["kind"], error["message"]

    assert told("POST", "/v1/bid", {**BID, "table": "dutch"}) == (
        "unknown-table",
        "expected one of sayc, acol, got 'dutch'",
    )
    assert told("POST", "/v1/leads", {})[0] == "not-found"
    assert told("GET", "/v1/tables/sayc/lint")[0] == "not-found"
    assert told("POST", "/v1/bid", {**BID, "hand": 7})[0] == "invalid-request"
    assert told("POST", "/v1/layouts", {"table": "sayc", "count": 0})[0] == "invalid-request"
    assert "expected one of" in ask("shout", {})["error"]["message"]


def test_layouts_fit_the_auction(ask, service):
    calls = ["1N", "P", "2C", "P", "2H", "P"]
    question = {
        "auction": calls,
        "dealer": "E",
        "vulnerability": "NS",
        "table": "sayc",
        "count": 40,
        "seed": 9,
    }
    about = {"method": "POST", "path": "/v1/layouts", "body": question}
    found = ask("answer", about)["value"]
    assert len(found["layouts"]) == 40
    assert found["report"]["stopped_because"] == "count"
    deals = [
        {"deal": one["deal"], "dealer": "E", "vulnerability": "NS"} for one in found["layouts"]
    ]
    body = {"deals": deals, "mode": "first", "table": "sayc"}
    results = httpx.post(f"{service}/v1/auctions", json=body).json()["results"]
    assert all(one["auctions"][0]["calls"][:6] == calls for one in results)
    assert len({one["deal"] for one in deals}) == 40
    assert ask("answer", about)["value"]["layouts"] == found["layouts"]


def test_hands_look_as_the_service_says(ask, service):
    question = {
        "auction": "1S P 2S P", "dealer": "S", "vulnerability": "None", "table": "sayc",
        "layouts": 2000, "known": {"S": "AKQ52.K3.876.Q52"}, "seed": 1,
    }  # fmt: skip
    theirs = httpx.post(f"{service}/v1/interpret", json=question, timeout=60).json()
    mine = ask("answer", {"method": "POST", "path": "/v1/interpret", "body": question})["value"]
    assert mine["known"] == ["S"]
    assert mine["next_player"] == "S"
    assert mine["next_calls"][0]["call"] == theirs["next_calls"][0]["call"]
    assert mine["next_calls"][0]["chance"] == pytest.approx(1)
    for seat, hand in theirs["hands"].items():
        own = mine["hands"][seat]
        assert own["shown"]["points"] == hand["shown"]["points"]
        assert own["mean_points"] == pytest.approx(hand["mean_points"], abs=0.4)
        for suit in "SHDC":
            mean = hand["mean_lengths"][suit]
            assert own["mean_lengths"][suit] == pytest.approx(mean, abs=0.25)
            assert own["stoppers"][suit] == pytest.approx(hand["stoppers"][suit], abs=0.08)
        assert sum(own["points"]) == pytest.approx(1)
        assert own["keycards"] is not None if hand["keycards"] else own["keycards"] is None


def test_topics_have_their_places(ask):
    about = {"method": "GET", "path": "/v1/tables/sayc/topics"}
    topics = {one["topic"]: one for one in ask("answer", about)["value"]["topics"]}
    for topic, place in (("#stayman", ["1N", "P"]), ("Weak two", [])):
        assert place in topics[topic]["places"], topic


def test_the_same_card(both):
    theirs, mine = both("GET", "/v1/tables/acol/card")
    assert mine == theirs
    assert {one["page"] for one in mine["sections"]} == {1, 2}


def test_texts_are_checked(ask, systems):
    texts = systems["sayc"]["texts"]
    main = next(iter(texts))
    assert ask("check", {"main": main, "files": texts})["value"] == {
        "complaints": [],
        "title": systems["sayc"]["title"],
        "meanings": [],
    }
    wrong = {**texts, main: texts[main] + "\nopening:\n  1NT = Strange: 15-17 pionts\n"}
    (complaint,) = ask("check", {"main": main, "files": wrong})["value"]["complaints"]
    assert complaint["where"]["file"] == main
    assert "pionts" in complaint["message"]


SMALL = "system Small\n\nopening:\n  1NT = Strong: {}-17 points, balanced\n"


def test_differences_are_counted(ask, engine):
    one, other = (
        {"main": "small.bidding", "files": {"small.bidding": SMALL.format(low)}} for low in (15, 16)
    )
    question = {"old": one, "new": other, "deals": 3000, "seed": 2026}
    found = ask("differences", question)["value"]
    (change,) = [one for one in found["changes"] if not one["calls"]]
    assert (change["old"], change["new"]) == ("1N", "P")
    assert change["old_rule"] == "Strong (small.bidding:4)"
    assert change["new_rule"] == "no line fits"
    hands = random_deals(3000, 2026, dealer=Seat.NORTH, vulnerability=Vulnerability.NONE)
    points = [
        sum("JQKA".index(card) + 1 for card in format_hand(hand) if card in "JQKA")
        for hand in hands["north"].to_list()
    ]
    shapes = [sorted(map(len, format_hand(hand).split("."))) for hand in hands["north"].to_list()]
    balanced = ([3, 3, 3, 4], [2, 3, 4, 4], [2, 3, 3, 5])
    assert change["deals"] == sum(
        count == 15 and shape in balanced for count, shape in zip(points, shapes, strict=True)
    )
    example = change["examples"][0]
    assert sum("JQKA".index(card) + 1 for card in example["hands"][0] if card in "JQKA") == 15
    assert ask("differences", {**question, "new": one})["value"]["changes"] == []


def test_examples_of_the_package_do_what_they_say(engine):
    """The README's blocks run as they stand; what they log is what stands behind them."""
    source = (Path(page.__file__).parent / "static" / "engine" / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```js\n(.*?)^```", source, re.MULTILINE | re.DOTALL)
    code = re.sub(r"^import .*\n", "", "".join(blocks), flags=re.MULTILINE)
    said = re.findall(r"(?:; |^)// (.+)$", code, re.MULTILINE)
    logged = engine(
        f"""async (load_) => {{
          const {{ load, InvalidSystem }} = await load_("index");
          const said = [];
          const text = (one) => (typeof one === "string" ? one : JSON.stringify(one));
          const console = {{ log: (...parts) => said.push(parts.map(text).join(" ")) }};
          {code}
          return said;
        }}"""
    )
    as_json = [re.sub(r"([{,] ?)(\w+):", r'\1"\2":', one) for one in said]
    squeezed = [re.sub(r"\s", "", one) for one in logged]
    assert squeezed == [re.sub(r"\s", "", one) for one in as_json]
    assert len(said) == 6


@pytest.mark.parametrize("word", ["N/S", "East-West", "game all", "Neither", "w/e", "we", ""])
def test_words_for_a_vulnerability_are_read_alike(both, word):
    theirs, mine = both("POST", "/v1/bid", {**BID, "vulnerability": word})
    assert theirs.get("status", 200) == (422 if word in ("we", "") else 200)
    assert mine == theirs
