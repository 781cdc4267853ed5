"""What is asked over REST: each operation, each field with several values, and what is refused."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from .drawing import SEATS, VULNERABILITIES, Draw
from .inputs import SHIPPED, lin_boards

HERE = Path(__file__).parent
JSON = "application/json"
JSON_LINES = "application/jsonl"
ARROW = "application/vnd.apache.arrow.stream"
BYTES = "application/octet-stream"


@dataclass(frozen=True)
class Request:
    """One request; ``{job:2}`` in its path stands for the id of the third job that began."""

    operation: str
    method: str
    path: str
    content: str | bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: bool = False
    """Whether it is repeated until a job has ended."""

    def described(self) -> str:
        """Describe what is asked in a line."""
        shown = self.content
        if isinstance(shown, bytes):
            shown = f"{len(shown)} bytes"
        sent = " ".join(f"{name}: {value}" for name, value in self.headers.items())
        return " ".join(part for part in (self.method, self.path, shown, sent) if part)


def auctions(text: str) -> list[str]:
    return text.split()


AUCTIONS = tuple(
    auctions(line)
    for line in """
1N
1N P
1N P 2C
1N P 2C P
1N P 2C X
1N P 2C P 2H P
1N P 2C P 2D P 2N P
1N P 2D P 2H P
1N P 2H P 2S P 3N P
1N P 3N P
1N 2S
1N X
1N 2C X
2N P
2C P
2C P 2D P
2C P 2H P
1S
1S P
1S P 2S P
1S P 2S P 4S P
1S P 2C P
1S P 2C P 2S P
1S P 3S P
1S X
1S X P
1S 2H
1S 2H X
1S 2H 2S 3H
1H P
1H P 1S P
1H P 1S P 2S P
1H P 1N P 2H P
1H 1S
1H 1S X P
1H X 2H
1H P 2H 2S
1D P
1D P 1H P
1D P 1H P 1N P
1D P 1H P 2H P
1D P 1S P 2D P
1D 1S
1D X
1C P
1C P 1H P
1C P 1S P 1N P
1C P 1D P
1C 1H
1C X P 1S
1C 1S X P
P
P P
P P P
P 1H
P P 1S P
P P P 1D
P 1N P
2H
2H P
2S P P
3C
3D P
1C 1D 1H 1S
1S P 4S X
1C P P X
1D P P 1S
1H P 4H P P X
4H
""".strip().splitlines()
)
COMPLETE = tuple(
    auctions(line)
    for line in """
1N P 3N P P P
1S P 2S P P P
1S P 4S P P P
1H P 1S P 2S P P P
1N P 2C P 2H P 4H P P P
2H P P P
P 1D P 1H P 2H P P P
1C 1S X P 2H P P P
1S P 4S X P P P
3C P P P
1N P P P
P P P P
""".strip().splitlines()
)
ILLEGAL = (["1S", "1H"], ["X"], ["P", "P", "P", "P", "1C"], ["1N", "XX"], ["8C"], ["1N", "P", "P", "P", "P"])
EXPRESSIONS = ("HCP_N >= 15", "HCP_N + HCP_S >= 22", "SL_S_N >= 5", "SL_H_E <= 2", "HCP_W < 12")
CONTRACTS = ("3NN", "4SE", "4HXS", "1NW", "5CXXN", "7NS")
BAD_BODIES: tuple[str, ...] = ("", "{", "[]", "null", '"text"', "12", '{"a":NaN}', "[" * 300, '{"a":1,}', "\ufeff{}", '{"hand":"é\\ud800"}')


class Requests:
    """Puts requests together in a fixed order."""

    def __init__(self, *, shipped: bool) -> None:
        self.made: list[Request] = []
        texts = [
            f'include "{SHIPPED[name]}.bidding"\n' if shipped else (HERE / f"{name}.bidding").read_text("utf-8")
            for name in ("home", "away")
        ]
        self.home, self.away = texts

    def get(self, operation: str, path: str, *, method: str = "GET", wait: bool = False, accept: str = "", **query: object) -> None:
        parts = [
            (name, _query_text(one))
            for name, value in query.items()
            for one in (value if isinstance(value, list) else [value])
        ]
        target = path + (f"?{urlencode(parts)}" if parts else "")
        headers = {"accept": accept} if accept else {}
        self.made.append(Request(operation, method, target, headers=headers, wait=wait))

    def post(self, operation: str, path: str, body: object, *, accept: str = "", **headers: str) -> None:
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        self.send(operation, path, content, accept=accept, **headers)

    def send(self, operation: str, path: str, content: str | bytes, *, kind: str = JSON, accept: str = "", **headers: str) -> None:
        sent = {"content-type": kind} if kind else {}
        if accept:
            sent["accept"] = accept
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        self.made.append(Request(operation, "POST", path, content, sent))

    def each_field(self, operation: str, path: str, base: Mapping[str, Any], fields: Mapping[str, Sequence[Any]]) -> None:
        """Give each value of each field on its own."""
        for name, values in fields.items():
            for value in values:
                self.post(operation, path, {**base, name: value})

    def refusals(self, operation: str, path: str, base: Mapping[str, Any], wrong: Mapping[str, Sequence[Any]], needed: Sequence[str] = (), bodies: int = 4) -> None:
        """Give wrong values of each field, an unknown field, and bodies that cannot be read."""
        self.each_field(operation, path, base, wrong)
        self.post(operation, path, {**base, "unknown": 1})
        for required in needed:
            self.post(operation, path, {name: one for name, one in base.items() if name != required})
        draw = Draw(f"bodies of {operation}")
        for body in draw.some(BAD_BODIES, bodies):
            self.send(operation, path, body)
        good = json.dumps(dict(base))
        self.send(operation, path, good, kind=draw.one(("text/plain", "", "application/x-www-form-urlencoded", "application/json; charset=latin-1")))
        self.send(operation, path, good, accept=draw.one(("text/html", "image/png;q=0.5")))


def _query_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def all_requests(*, shipped: bool) -> list[Request]:
    """Make all requests, in the order in which they are asked."""
    made = Requests(shipped=shipped)
    for part in (_service, _tables, _bid, _auctions, _members, _interpret, _layouts, _infer, _leads,
                 _double_dummy, _contract_tricks, _practice, _systems, _compare, _bench, _foreign,
                 _archives, _jobs, _reload):
        part(made)
    return made.made


def _service(made: Requests) -> None:
    for operation, path in (("health", "/healthz"), ("ready", "/readyz"), ("metrics", "/metrics"), ("openapi", "/openapi.json")):
        made.get(operation, path)
        made.get(operation, path, method="DELETE")
    made.get("health", "/healthz", unknown=1)
    made.get("health", "/readyz", accept="image/png")
    for path in ("/v2/bid", "/v1", "/v1/bid/", "/v1/nothing"):
        made.get("unknown", path)
        made.post("unknown", path, {})
    for path in ("/v1/bid", "/v1/auctions", "/v1/leads", "/v1/compare"):
        made.get("unknown", path)
        made.get("unknown", path, method="PUT")


def _tables(made: Requests) -> None:
    names = ("home", "away", "rows")
    draw = Draw("tables")
    made.get("tables", "/v1/tables")
    made.get("tables", "/v1/tables", accept="application/json;q=0.3, text/html;q=0.9")
    made.get("tables", "/v1/tables", accept="text/html")
    made.get("tables", "/v1/tables", unknown="x")
    for name in (*names, "none", "a b", "HOME", "..%2Fhome"):
        path = f"/v1/tables/{name}"
        made.get("table", path)
        made.get("tableTopics", f"{path}/topics")
        made.get("tableSystem", f"{path}/system")
        made.get("tableLint", f"{path}/lint")
        made.get("tableNext", f"{path}/next")
        made.get("tableExplain", f"{path}/explain")
    for name in names:
        path = f"/v1/tables/{name}"
        for rest in ("", "/topics", "/system", "/lint", "/next", "/explain"):
            operation = {"": "table"}.get(rest, f"table{rest[1:].title()}")
            made.get(operation, path + rest, unknown=1)
            made.get(operation, path + rest, accept="text/csv")
        for examples in (0, 1, 3, 1000, 1001, -1, "x", ""):
            made.get("tableLint", f"{path}/lint", examples=examples)
    for number, calls in enumerate((*AUCTIONS, *COMPLETE)):
        for operation, rest in (("tableNext", "next"), ("tableExplain", "explain")):
            for name in ("home", "away") if number % 4 == 0 else ("home",):
                separator = draw.one(("-", " ", "-"))
                made.get(operation, f"/v1/tables/{name}/{rest}", auction=separator.join(calls))
    for text in ("1N", "1N-P", "1N-P-2C-P", "1S-P-2S-P", "1S X", "1C", "P", "1N-P-3N-P-P-P", "2C"):
        made.get("tableNext", "/v1/tables/rows/next", auction=text)
        made.get("tableExplain", "/v1/tables/rows/explain", auction=text)
    wrong = [" ".join(calls) for calls in ILLEGAL]
    for text in (*wrong, "1Z", "1N-", "pass", "1nt-p", "1♠ p 2♠", "P" * 2001, "1N,P", "1M", "{}"):
        made.get("tableNext", "/v1/tables/home/next", auction=text)
        made.get("tableExplain", "/v1/tables/home/explain", auction=text)


def _bid(made: Requests) -> None:
    draw = Draw("bid")
    path = "/v1/bid"
    for number in range(250):
        body: dict[str, Any] = {"hand": draw.hand(), "auction": draw.one(AUCTIONS)}
        if number % 2:
            body["vulnerability"] = draw.one(VULNERABILITIES)
        if number % 3:
            body["dealer"] = draw.one(SEATS)
        body |= draw.one(({}, {}, {"table": "home"}, {"table": "home"}, {"table": "away"}))
        made.post("bid", path, body)
    for _ in range(50):
        made.post("bid", path, {"hand": draw.hand()})
    for _ in range(25):
        made.post("bid", path, {"hand": draw.hand(), "auction": draw.one(AUCTIONS[:20]), "table": "rows"})
    base = {"hand": "AQ4.KJ3.K876.Q52"}
    made.each_field("bid", path, base, {
        "hand": ["aq4.kj3.k876.q52", "AQ4 KJ3 K876 Q52", "SAQ4HKJ3DK876CQ52", "-.AKQJT98765432.-.-", "AQ104.KJ3.K87.Q52"],
        "auction": [[], ["P"], ["p", "Pass", "1nt"], ["1♠"], ["1S", "Dbl", "Rdbl"], *COMPLETE[:3]],
        "dealer": ["N", "w", "East", "south"],
        "vulnerability": ["None", "all", "ns", "Love", "o", "-", "EW"],
        "table": ["home", "away", "rows", None],
    })
    wrong: dict[str, list[Any]] = {
        "hand": ["", "AKQ", "AKQ.AKQ.AKQ.AKQ2", "AAQ.KJ3.K876.Q52", 5, None, ["A"], "A" * 201, "AQ4.KJ3.K876.Q5X", "AQ4.KJ3.K876.Q5"],
        "auction": [*ILLEGAL, "1N", ["1N", 3], None, ["P"] * 400, [""], {"0": "P"}],
        "dealer": ["X", "", 1, None, "NS", "N" * 65],
        "vulnerability": ["X", 0, None, "both sides"],
        "table": ["none", "", 7, "a/b", "x" * 65],
        "simulate": ["yes", 0, 1001, 1.5, {"layouts": 0}, {"layouts": "5"}, {"scoring": "tricks"}, {"unknown": 1}, {"seed": -1}, {"double_dummy": 1}, []],
        "search": ["yes", 0, 1001, {"layouts": 0}, {"kinds": ["none"]}, {"kinds": "slam"}, {"margin": -1}, {"margin": 101}, {"errors": "x"}, {"doubled": "no"}, {"unknown": 1}],
    }
    made.refusals("bid", path, base, wrong, needed=("hand",), bodies=11)
    made.post("bid", path, {**base, "simulate": {"layouts": 5}, "search": {"layouts": 5}})
    made.post("bid", path, {**base, "simulate": {"layouts": 5}, "table": "rows"})
    made.post("bid", path, {**base, "search": {"layouts": 5}, "table": "rows"})
    tried = {"hand": "KQ4.KJ93.K876.52", "auction": ["1S", "P"]}
    for body in ({**tried}, {**tried, "auction": ["1N", "P"]}, {"hand": draw.hand(), "auction": ["1C", "1S"]}, {"hand": draw.hand(), "auction": []}):
        for wish in (False, None, 4, {"layouts": 5}, {"layouts": 5, "scoring": "points", "double_dummy": False},
                     {"layouts": 6, "scoring": "matchpoints", "double_dummy": False}, {"layouts": 20, "double_dummy": False, "seed": 3},
                     {"layouts": 30, "scoring": "imps", "double_dummy": False, "seed": 4}):
            made.post("bid", path, {**body, "simulate": wish})
        for wish in (False, None, 4, {"layouts": 5}, {"layouts": 6, "kinds": ["opening", "uncontested", "slam", "competitive", "defensive"]},
                     {"layouts": 6, "kinds": []}, {"layouts": 6, "margin": 0, "errors": 0}, {"layouts": 8, "margin": 0.5, "errors": 1.5, "doubled": True},
                     {"layouts": 5, "seed": 9}, {"layouts": 3, "double_dummy": True, "kinds": ["opening", "uncontested"]}):
            made.post("bid", path, {**body, "search": wish})


def _auctions(made: Requests) -> None:
    draw = Draw("auctions")
    path = "/v1/auctions"
    for number in range(150):
        body: dict[str, Any] = {"deals": [draw.deal_request() for _ in range(1 + draw.below(4))]}
        body |= draw.one(({"mode": "first"}, {"mode": "first"}, {"mode": "all", "limit": 4}, {"limit": 2, "completed_only": True}))
        body |= draw.one(({}, {"table": "home"}, {"table": "away"}, {"table": "rows"}))
        made.post("auctions", path, body, accept=("", JSON_LINES, "", ARROW)[number % 4])
    for accept in ("", JSON_LINES, ARROW):
        for table in ("home", "rows"):
            for mode in ("first", "all"):
                body = {"deals": [draw.deal_request() for _ in range(60)], "mode": mode, "table": table, "limit": 20}
                made.post("auctions", path, body, accept=accept)
    deal = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"
    base = {"deals": [{"deal": deal}]}
    made.each_field("auctions", path, base, {
        "deals": [[{"deal": deal, "dealer": "e", "vulnerability": "both"}], [{"deal": '[Deal "' + deal + '"]'}],
                  [{"hands": ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]}]],
        "mode": ["all", "first"], "completed_only": [False, True], "limit": [1, 3, 100], "table": ["home", "rows", None],
    })
    wrong: dict[str, list[Any]] = {
        "deals": [[], None, "x", [5], [{}], [{"deal": deal, "lin": "x"}], [{"deal": "N:A"}], [{"deal": deal, "dealer": "X"}],
                  [{"deal": deal, "vulnerability": 3}], [{"deal": deal}, {"deal": deal.replace("A", "K")}], [{"deal": deal, "board": 1}],
                  [{"hands": ["AQ4.KJ3.K876.Q52"]}], [{"hands": ["A", "K", "Q", "J"]}], [{"lin": "md|3SAKQ|"}], [{"lin": ""}], [{"deal": 5}],
                  [{"deal": "x" * 201}]],
        "mode": ["none", 1, None, "ALL"], "completed_only": ["yes", 1, None], "limit": [0, -1, 10_001, "5", 1.5, None],
        "table": ["none", 1, ""],
    }
    made.refusals("auctions", path, base, wrong, needed=("deals",), bodies=8)
    for accept in (JSON_LINES, ARROW):
        made.post("auctions", path, {**base, "limit": 0}, accept=accept)
        made.post("auctions", path, {"deals": [{"deal": "x"}]}, accept=accept)


def _members(made: Requests) -> None:
    draw = Draw("members")
    path = "/v1/members"
    for number in range(70):
        entries: list[Any] = [" ".join(one) for one in draw.some(AUCTIONS, 1 + draw.below(5))]
        body: dict[str, Any] = {"deals": [draw.deal_request() for _ in range(1 + draw.below(8))], "entries": entries}
        body |= draw.one(({}, {"table": "home"}, {"table": "away"}))
        made.post("members", path, body, accept=("", "", ARROW)[number % 3])
    deals = [draw.deal_request() for _ in range(5)]
    made.each_field("members", path, {"deals": deals, "entries": ["1N"], "table": "rows"}, {
        "entries": [[0], [0, 1, 2, 3], ["1N", 2, "1S P 2S"], ["1N P 2C"], ["7N"], [99], [-1], ["1N P 2D P"]],
    })
    wrong: dict[str, list[Any]] = {
        "deals": [[], None, [{}], [{"deal": "x"}]],
        "entries": [[], None, "1N", [None], [1.5], ["1S 1H"], ["x"], ["1N"] * 101, [True], [3], ["P" * 2001]],
        "table": ["none", 1],
    }
    made.refusals("members", path, {"deals": deals, "entries": ["1N"]}, wrong, needed=("deals", "entries"))


_ABOUT_AUCTION: dict[str, list[Any]] = {
    "auction": [[], ["1N", "P", "2C", "P"], ["1S", "P", "2S", "P", "4S", "P", "P", "P"]],
    "dealer": ["N", "E", "south"],
    "vulnerability": ["None", "Both", "ew"],
    "known": [{"E": "QJ98.54.K732.T65"}, {"W": "AKx+.+.+.-"}, {"n": "AQ4.KJ3.K876.Q52", "S": "J876.A65.Q93.J94"}],
    "where": [["HCP_N + HCP_S >= 25"], ["SL_S_E >= 4", "HCP_E <= 9"]],
    "strict": [True, False],
    "seed": [0, 5, 2**53],
    "table": ["home", "away", None],
}
_WRONG_ABOUT_AUCTION: dict[str, list[Any]] = {
    "auction": [*ILLEGAL[:3], "1N", None, [1]],
    "dealer": ["X", None, 2],
    "vulnerability": ["X", 5],
    "known": [{"X": "AKQ"}, {"N": "AKQ.AKQ.AKQ.AKQJT"}, {"N": 5}, None, [], {"N": "A+.A+.+.+", "E": "A+.+.+.+"}],
    "where": [["HCP_N >="], ["NONE_N > 1"], "HCP_N > 1", [5], ["HCP >= 12"], ["1"] * 33, ["HCP_N > 38"]],
    "strict": ["yes", None, 0],
    "seed": [-1, 2**53 + 1, "1", 0.5],
    "table": ["none", 1, "rows"],
}


def _asked_about_auction(draw: Draw) -> dict[str, Any]:
    calls = draw.one((*AUCTIONS, *COMPLETE))
    body: dict[str, Any] = {"auction": calls}
    # deals for a call that no line allows are long sought: the weak openings are for one vulnerability
    vulnerability = draw.one(VULNERABILITIES) if calls[0] < "2" or calls[0] == "P" else "None"
    body |= draw.one(({}, {"dealer": draw.one(SEATS)}, {"seed": draw.below(1000)}, {"vulnerability": vulnerability}))
    body |= draw.one(({}, {}, {"strict": False}, {"table": "away"}, {"where": [draw.one(EXPRESSIONS)]}))
    body |= draw.one(({}, {}, {}, {"known": {draw.one(SEATS): draw.hand()}}))
    return body


def _interpret(made: Requests) -> None:
    draw = Draw("interpret")
    path = "/v1/interpret"
    for _ in range(50):
        made.post("interpret", path, {**_asked_about_auction(draw), "layouts": 1 + draw.below(20)})
    base = {"auction": ["1H", "P"], "layouts": 10}
    made.each_field("interpret", path, base, {**_ABOUT_AUCTION, "layouts": [1, 40]})
    made.refusals("interpret", path, base, {**_WRONG_ABOUT_AUCTION, "layouts": [0, -1, 10**7, "5", None]}, bodies=2)


def _layouts(made: Requests) -> None:
    draw = Draw("layouts")
    path = "/v1/layouts"
    for _ in range(50):
        made.post("layouts", path, {**_asked_about_auction(draw), "count": 1 + draw.below(10)})
    base = {"auction": ["1H", "P"], "count": 3}
    made.each_field("layouts", path, base, {**_ABOUT_AUCTION, "count": [1, 12]})
    made.refusals("layouts", path, base, {**_WRONG_ABOUT_AUCTION, "count": [0, 10**7, "5", None]}, bodies=2)


def _infer(made: Requests) -> None:
    draw = Draw("infer")
    path = "/v1/infer"
    for _ in range(15):
        made.post("infer", path, {**_asked_about_auction(draw), "layouts": 1 + draw.below(6), "deals": 1000})
    base = {"auction": ["1N", "P", "3N", "P", "P", "P"], "layouts": 4, "deals": 500}
    made.each_field("infer", path, base, {
        **_ABOUT_AUCTION, "layouts": [1, 8], "deals": [0, 3000], "contract": ["3NN", "4HX"], "lead": ["SA", "H5"],
        "against": ["4SE", "2N"], "scoring": ["points", "imps", "matchpoints"],
    })
    both = {**base, "contract": "3NN", "against": "4HN"}
    made.each_field("infer", path, both, {"scoring": ["points", "imps", "matchpoints"], "lead": ["SQ", "d3", "♥T"], "layouts": [2]})
    made.refusals("infer", path, base, {
        **_WRONG_ABOUT_AUCTION, "layouts": [0, 1001, "x"], "deals": [-1, 100_001], "contract": ["8N", 5, "3NZ"], "lead": ["XX", 5, "1S"],
        "against": ["x"], "scoring": ["tricks", 1], "budget_ms": [0, "x"],
    }, bodies=2)


def _leads(made: Requests) -> None:
    draw = Draw("leads")
    path = "/v1/leads"
    for _ in range(8):
        made.post("leads", path, {"hand": draw.hand(), "auction": draw.one(COMPLETE[:5]), "layouts": 2, "seed": draw.below(99)})
    base = {"hand": "KQJ95.A3.T876.52", "auction": ["1N", "P", "3N", "P", "P", "P"], "layouts": 2}
    alone = {"hand": "KQJ95.A3.T876.52", "contract": "3NN", "layouts": 2}
    made.each_field("leads", path, base, {**_ABOUT_AUCTION, "auction": [["1N", "P", "P", "P"], ["1S", "P", "4S"]], "scoring": ["tricks", "set", "matchpoints", "imps"], "layouts": [1, 5],
                                          "known": [{"W": "AKx+.+.+.-"}, {"S": "A+.+.+.+"}]})
    made.each_field("leads", path, alone, {"contract": ["3NN", "4SXE", "7CW", "1NXXS"], "scoring": ["set", "imps"], "where": [["HCP_N >= 15"]]})
    made.refusals("leads", path, base, {
        **_WRONG_ABOUT_AUCTION, "hand": ["", "AKQ", 5, None], "auction": [["1N"], ["P", "P", "P", "P"], ["1S", "1H"], "x"],
        "contract": ["3NN", "9N", 5], "scoring": ["points", 5], "layouts": [0, 1001, "5"], "budget_ms": [0, "x"],
    }, needed=("hand", "auction"), bodies=2)


def _double_dummy(made: Requests) -> None:
    draw = Draw("double dummy")
    path = "/v1/double-dummy"
    for _ in range(12):
        deal = {"deal": draw.calm_deal(), "dealer": draw.one(SEATS), "vulnerability": draw.one(VULNERABILITIES)}
        made.post("doubleDummy", path, {"deal": deal, "auctions": draw.some(COMPLETE, draw.below(4))})
    calm = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    base = {"deal": {"deal": calm}}
    made.each_field("doubleDummy", path, base, {
        "deal": [{"deal": calm, "vulnerability": "NS"}, {"deal": calm, "dealer": "E"}, {"hands": calm[2:].split()}],
        "auctions": [[], [["1N", "P", "P", "P"]], [["7N", "X", "P", "P", "P"], ["P", "P", "P", "P"]], [["7S", "P", "P", "P"]]],
    })
    made.refusals("doubleDummy", path, base, {
        "deal": [{}, None, "x", {"deal": "N:A"}, {"deal": calm, "lin": "x"}, [], {"deal": calm, "dealer": "X"}, {"deal": "N:AKQJT98765432... - - -"}],
        "auctions": [[["1N"]], [["1S", "1H"]], [[]], ["1N"], None, [["P"]] * 9, [["P", "P", "P", "P"]] * 9],
    }, needed=("deal",), bodies=4)


def _contract_tricks(made: Requests) -> None:
    draw = Draw("contract tricks")
    path = "/v1/double-dummy/tricks"
    for _ in range(14):
        boards = [{"deal": {"deal": draw.calm_deal()}, "contracts": draw.some(CONTRACTS, draw.below(4))} for _ in range(1 + draw.below(3))]
        made.post("contractTricks", path, {"boards": boards})
    calm = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    base = {"boards": [{"deal": {"deal": calm}, "contracts": ["3NN"]}]}
    made.each_field("contractTricks", path, base, {
        "boards": [[{"deal": {"deal": calm}, "contracts": ["7SN", "7HE", "1NW"]}], [{"deal": {"deal": calm, "vulnerability": "all"}, "contracts": []}]],
    })
    one = base["boards"][0]
    made.refusals("contractTricks", path, base, {
        "boards": [[], None, [{}], [{**one, "contracts": ["9N"]}], [{**one, "contracts": [5]}], [{**one, "contracts": None}], [{**one, "deal": {}}],
                   [{**one, "unknown": 1}], [one] * 101, [{**one, "contracts": ["3N"]}], [{**one, "contracts": ["3NN"] * 21}], [{**one, "contracts": ["Pass"]}]],
    }, needed=("boards",), bodies=4)


_SCRIPT = """
# a balanced South with a fit
produce 3
condition hcp(south) >= 12 && shape(south, any 4333 + any 4432) && spades(north) >= 4
action printall
"""


def _practice(made: Requests) -> None:
    draw = Draw("practice")
    for accept in ("", "text/html"):
        made.get("themes", "/v1/themes", accept=accept)
    made.get("themes", "/v1/themes", unknown=1)
    path = "/v1/practice-deals"
    themes = ("stayman", "jacoby-transfers", "overcalls", "preempts", "weak-twos", "takeout-doubles", "notrump-openings", "reverses", "blackwood")
    for number in range(30):
        body = {"themes": draw.some(themes, 1 + draw.below(2)), "count": 1 + draw.below(3), "seed": number}
        body |= draw.one(({}, {"seat": draw.one(SEATS)}))
        made.post("practiceDeals", path, body)
    base = {"themes": ["stayman"], "count": 2}
    made.each_field("practiceDeals", path, base, {"themes": [["blackwood"], ["stayman", "overcalls"], []], "count": [1, 5], "seat": ["N", "west"], "seed": [1, 2**53]})
    scripts = (_SCRIPT, "condition hcp(north) > 20", "hcp(south) == 0", "produce 2\ncondition losers(east) < 5", "x = spades(north)\ncondition x > 6")
    made.each_field("practiceDeals", path, {"count": 2}, {"script": scripts})
    made.each_field("practiceDeals", path, {"script": _SCRIPT}, {"seed": [1, 2], "seat": ["N", "E"], "count": [1, 3]})
    made.post("practiceDeals", path, {**base, "script": _SCRIPT})
    made.post("practiceDeals", path, {})
    made.refusals("practiceDeals", path, base, {
        "themes": [["none"], "stayman", [5], ["stayman"] * 11], "count": [0, 1001, "1", None], "seat": ["X", 5], "seed": [-1, 2**53 + 1, "x"],
    }, bodies=3)
    made.each_field("practiceDeals", path, {"count": 1}, {"script": ["", "condition", "condition hcp(south)) > 1", "produce x", "nonsense(1)", "condition hcp(south) > 40", 5, "x" * 50_001]})


def _choices(made: Requests) -> list[dict[str, Any]]:
    return [
        {"table": "away"}, {"text": made.home, "options": {"weak-notrump": True}},
        {"text": 'include "page.bidding"\n\nopening:\n  1N = Ours: 13-15 points, balanced\n', "pages": {"page.bidding": made.away}},
    ]


# what needs no process of its own to be refused
_WRONG_CHOICES: list[Any] = [
    {}, None, "home", [], {"table": "none"}, {"table": "rows"}, {"table": "home", "text": ""}, {"table": "home", "pages": {"p.bidding": ""}},
    {"table": "home", "options": {"weak-notrump": 1}}, {"text": 5}, {"text": "", "unknown": 1}, {"text": "", "pages": {"../p.bidding": ""}},
    {"text": "", "pages": {"p.bidding": 5}},
]
_FAULTY = """
include "none.bidding"
opening:
  1NT = Strong: 15-17 pionts, balanced
  1H = Hearts: 5+ heart
  1S = Spades: 8+ points 5+ spades
   2C = Bad indent: 5+ clubs
  1M = Other letter: 5+ m
  1C = Impossible: 40+ points
  1D
after 1S 1H:
  2C = Clubs: 5+ clubs
use nothing
define good X = good X
"""


def _systems(made: Requests) -> None:
    # each answer takes a process of its own, so several fields change at once
    path = "/v1/systems/check"
    base: dict[str, Any] = {"system": {"table": "home"}, "deals": 60}
    for body in (
        {"system": {"table": "home"}, "deals": 100, "seed": 0, "auctions": ["1N P", "1S"], "least": 5},
        {"system": {"table": "home"}, "deals": 1, "auctions": [], "opponents": {"table": "away"}},
        {"system": _choices(made)[1], "deals": 50, "seed": 7, "opponents": None, "least": 1},
        {"system": _choices(made)[2], "deals": 50, "opponents": {"text": made.home}},
        {"system": {"text": _FAULTY}}, {"system": {"text": made.away, "options": {"none": True}}}, {"system": {"text": ""}},
        {**base, "opponents": {"text": "opening:\n  1C = Clubs: 3 clobs\n"}}, {**base, "auctions": ["1S 1H"]},
    ):
        made.post("systemCheck", path, body)
    made.refusals("systemCheck", path, base, {
        "system": _WRONG_CHOICES, "opponents": [{}, {"table": "none"}], "deals": [0, 20_001, "5"], "seed": [-1, "x"],
        "auctions": ["1N", [5], None, [""] * 21], "least": [0, "x"],
    }, needed=("system",), bodies=2)
    path = "/v1/systems/diff"
    base = {"old": {"table": "home"}, "new": {"table": "away"}, "deals": 60}
    for body in (
        {**base, "deals": 100, "seed": 0, "show": 3}, {"old": _choices(made)[1], "new": {"table": "home"}, "deals": 100, "show": 100},
        {"old": {"text": made.away}, "new": _choices(made)[2], "deals": 50, "seed": 7}, {**base, "new": {"text": _FAULTY}},
    ):
        made.post("systemDiff", path, body)
    made.refusals("systemDiff", path, base, {
        "old": _WRONG_CHOICES[:8], "new": _WRONG_CHOICES[:6], "deals": [0, 50_001], "seed": [-1], "show": [0, 201],
    }, needed=("old", "new"), bodies=2)


def _compare(made: Requests) -> None:
    draw = Draw("compare")
    path = "/v1/compare"
    base: dict[str, Any] = {"first": {"table": "home"}, "second": {"table": "away"}, "deals": 20, "solve": 0}
    boards = [{"deal": draw.calm_deal(), "dealer": "N", "vulnerability": "None"} for _ in range(6)]
    for body in (
        {**base, "deals": 40, "seed": 0}, {**base, "boards": boards, "solve": 6}, {**base, "boards": boards[:3], "solve": 1, "seed": 1},
        {"first": _choices(made)[1], "second": _choices(made)[2], "deals": 20, "solve": 0, "seed": 7, "boards": None}, {**base, "second": {"text": _FAULTY}},
        {**base, "second": {"table": "home"}, "deals": 5, "solve": 5},
    ):
        made.post("compare", path, body)
    made.refusals("compare", path, base, {
        "first": _WRONG_CHOICES[:9], "second": [{}], "deals": [0, 5001, "x"], "boards": [[], [{}], "x", [{"deal": "x"}]], "seed": [-1],
        "solve": [-1, 501, "x"], "budget_ms": [0, "x"],
    }, needed=("first", "second"), bodies=2)


def _bench(made: Requests) -> None:
    path = "/v1/bench"
    base = {"system": {"table": "home"}, "against": [{"table": "away"}], "boards": 2}
    made.post("bench", path, base)
    made.post("bench", path, {"system": _choices(made)[1], "against": [{"table": "home"}, {"table": "away"}], "boards": 1, "seed": 1, "bank": "open"})
    made.refusals("bench", path, {"system": {"table": "home"}, "against": [{"table": "away"}]}, {
        "system": _WRONG_CHOICES[:8], "against": [[], {}, [{}], [{"table": "none"}], [{"table": "away"}] * 6], "boards": [0, 1001, "x"], "seed": [-1, 2**31], "bank": ["none", 5],
    }, needed=("system",), bodies=2)


def _foreign(made: Requests) -> None:
    draw = Draw("foreign")

    def pairs(calls: Sequence[str]) -> str:
        return "".join({"P": "--", "X": "Db", "XX": "Rd"}.get(call, call) for call in calls)

    for number in range(45):
        calls, dealer = draw.one(AUCTIONS), draw.below(4)
        query = {"hand": draw.hand().replace(".", draw.one("._")), "seat": SEATS[(dealer + len(calls)) % 4], "dealer": SEATS[dealer], "vul": draw.one(("", "NS", "EW", "BOTH")), "ctx": pairs(calls)}
        if number % 5 == 0:
            query["table"] = "away"
        made.get("foreignBid", "/bid", **query)
    for calls in (*AUCTIONS[::4], *COMPLETE[:3]):
        made.get("foreignExplain", "/explain", dealer="N", vul="", ctx=pairs(calls))
    good = {"hand": "AQ4.KJ3.K876.Q52", "seat": "N", "dealer": "N", "vul": "", "ctx": ""}
    for change in ({"seat": "E"}, {"hand": "x"}, {"dealer": "X"}, {"vul": "x"}, {"ctx": "1"}, {"ctx": "1S1H"}, {"table": "none"}, {"ctx": "1N------"}, {"ctx": "--" * 3000}):
        made.get("foreignBid", "/bid", **{**good, **change})
        made.get("foreignExplain", "/explain", **{**good, **change})
    for missing in good:
        made.get("foreignBid", "/bid", **{name: value for name, value in good.items() if name != missing})
    lead = {"hand": "KQJ95.A3.T876.52", "seat": "E", "dealer": "N", "vul": "", "ctx": "1N--3N------"}
    for change in ({}, {"seat": "W"}, {"ctx": "1N--3N"}, {"hand": "x"}, {"ctx": "--------"}):
        made.get("foreignLead", "/lead", **{**lead, **change})
    played = "".join(f"{suit}{rank}" for rank in "AKQJT9876543" for suit in "SHDC")
    play = {"hand": "2...", "dummy": "..2.", "seat": "N", "dealer": "N", "vul": "", "ctx": "1N--3N------", "played": played}
    for change in ({}, {"seat": "S"}, {"dummy": ""}, {"played": ""}, {"played": "SASA"}, {"played": "XX"}, {"budget_ms": "x"}, {"seed": "-1"}):
        made.get("foreignPlay", "/play", **{**play, **change})


def _archives(made: Requests) -> None:
    made.get("archives", "/v1/archives")
    made.get("archives", "/v1/archives", unknown=1)
    made.get("archives", "/v1/archives", accept="text/html")
    for name in ("club", "small", "none", "a b", "..%2Fclub"):
        path = f"/v1/archives/{name}"
        made.get("archive", path)
        made.get("archiveBoards", f"{path}/boards", limit=2)
        made.get("archiveCounts", f"{path}/counts")
        made.get("archiveNodes", f"{path}/nodes")
    conditions: dict[str, list[Any]] = {
        "auction": ["1N", "1N-P-2C", "1NT P …", "1M P 2M", "P", "1H (1S)"],
        "by": ["own", "home", "rows"],
        "mode": ["first", "all"],
        "exact": [False, True],
        "where": ["HCP_N >= 15", ["HCP_N >= 10", "SL_S_S > 2"]],
        "dealer": ["N", "east"],
        "vulnerability": ["None", "all"],
        "player": ["ann", "BOB"],
        "event": ["final", "semi"],
        "source": ["boards", "none"],
        "contract": ["1N", "4S", "3NTX", "Pass"],
        "result": ["made", "down"],
    }
    listed: dict[str, list[Any]] = {
        "limit": [1, 3], "seed": [0, 5], "level": ["next", ["next", "next"]], "sort": ["HCP_N", "id"], "descending": [True, False], "bids": [True, False],
        "format": ["json", "lin", "pbn", "parquet"],
    }
    wrong: dict[str, list[Any]] = {
        "auction": ["1S-1H", "1Z", "x" * 501], "by": ["none", "x" * 65], "mode": ["none"], "exact": ["x"], "where": ["HCP_N >=", "NONE > 1", "HCP > 1"], "dealer": ["X"],
        "vulnerability": ["X"], "player": ["x" * 201], "contract": ["9N"], "result": ["x"], "unknown": [1],
    }
    wrong_listed: dict[str, list[Any]] = {"limit": [0, "x", 10**6], "seed": [-1, "x"], "level": ["none", "x" * 501], "sort": ["NONE"], "descending": ["x"], "bids": ["x"], "format": ["csv"]}
    path = "/v1/archives/club"
    for operation, rest, asked in (("archiveBoards", "boards", (conditions, listed, wrong, wrong_listed)), ("archiveCounts", "counts", (conditions, wrong))):
        limit = {"limit": 2} if rest == "boards" else {}
        for name, values in chain.from_iterable(some.items() for some in asked):
            for value in values:
                made.get(operation, f"{path}/{rest}", **{**limit, name: value})
    made.get("archiveBoards", f"{path}/boards", by="home", auction="1N", bids=True, limit=5)
    made.get("archiveBoards", f"{path}/boards", by="rows", mode="all", auction="1N P", bids=True, limit=5)
    made.get("archiveBoards", f"{path}/boards", sort="HCP_N", descending=True, limit=4)
    made.get("archiveBoards", f"{path}/boards", where=["HCP_N >= 15", "SL_S_N >= 3"], vulnerability="None", limit=3, bids=True)
    for number, calls in enumerate(AUCTIONS[:40:2]):
        made.get("archiveNodes", f"{path}/nodes", auction="-".join(calls), by=("own", "home")[number % 2], statistics=number % 4 < 2)
    for query in ({"by": "rows", "auction": "1N"}, {"by": "none"}, {"auction": "1S 1H"}, {"statistics": "x"}, {"unknown": 1}, {"statistics": True, "by": "home"}):
        made.get("archiveNodes", f"{path}/nodes", **query)
    made.get("archiveDelete", "/v1/archives/none", method="DELETE")
    made.get("archiveDelete", "/v1/archives/a b", method="DELETE")
    made.get("archiveDelete", "/v1/archives/small", method="DELETE", unknown=1)
    made.get("archiveDelete", "/v1/archives/small", method="DELETE")
    made.get("archiveDelete", "/v1/archives/small", method="DELETE")
    made.get("archives", "/v1/archives")


def _jobs(made: Requests) -> None:
    path = "/v1/jobs"
    boards = lin_boards(6, "job").encode()
    bad = b"md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n"
    made.get("jobs", path)
    begun = [
        ({"mode": "first", "result": "parquet,jsonl,pbn", "name": "club night.lin", "table": "home"}, boards + bad, ("auctions.parquet", "auctions.jsonl", "auctions.pbn", "rejects.jsonl")),
        ({"mode": "all", "limit": 3, "completed_only": True, "text": True, "result": "jsonl,parquet", "table": "rows"}, boards, ("auctions.parquet", "boards.parquet", "auctions.jsonl", "entries.parquet")),
        ({"mode": "counts", "result": "jsonl"}, boards, ("counts.jsonl",)),
        ({"mode": "par", "beside": "away"}, lin_boards(3, "par", calm=True).encode(), ()),
        ({"mode": "archive", "archive": "added"}, boards, ()),
    ]
    for number, (query, content, files) in enumerate(begun):
        made.send("jobCreate", f"{path}?{urlencode({name: _query_text(one) for name, one in query.items()})}", content, kind=BYTES)
        one = f"{path}/{{job:{number}}}"
        made.get("job", one, wait=True)
        for name in (*files, "none.txt", "par.parquet"):
            made.get("jobResult", f"{one}/results/{quote(name)}")
    made.get("archive", "/v1/archives/added")
    made.get("archiveDelete", "/v1/archives/added", method="DELETE")
    for body in ({"path": "boards.lin"}, {"path": "boards.lin", "mode": "all", "limit": 1, "max_depth": 2, "result": ["jsonl"], "table": "home", "text": True}):
        number += 1
        made.post("jobCreate", path, body)
        one = f"{path}/{{job:{number}}}"
        made.get("job", one, wait=True)
        made.get("jobResult", f"{one}/results/auctions.jsonl")
    number += 1
    form = "\r\n".join(
        [f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in (("mode", "first"), ("result", "jsonl"), ("table", "away"))]
        + ['--b\r\nContent-Disposition: form-data; name="file"; filename="a.lin"\r\n\r\n' + boards.decode(), "--b--\r\n"]
    )
    made.send("jobCreate", path, form.encode(), kind="multipart/form-data; boundary=b")
    one = f"{path}/{{job:{number}}}"
    made.get("job", one, wait=True)
    made.get("jobResult", f"{one}/results/auctions.jsonl")
    for query in ({}, {"limit": 3}, {"limit": 100}, {"limit": 0}, {"limit": 101}, {"next": "x"}, {"next": "MTc"}, {"unknown": 1}):
        made.get("jobs", path, **query)
    for query in ({"mode": "none"}, {"result": "csv"}, {"result": "pbn", "mode": "all"}, {"limit": 5}, {"limit": 0, "mode": "all"}, {"completed_only": True}, {"table": "none"}, {"beside": "away"},
                  {"archive": "x"}, {"mode": "archive"}, {"mode": "archive", "archive": "x", "text": True}, {"mode": "par", "result": "jsonl"}, {"mode": "par", "table": "rows"},
                  {"mode": "par", "beside": "rows"}, {"max_depth": "x", "mode": "all"}, {"text": True, "mode": "counts"}, {"text": "x"}, {"name": "x" * 201}, {"unknown": 1}, {"beside": ",".join("x" * 10)}):
        made.send("jobCreate", f"{path}?{urlencode({name: _query_text(one) for name, one in query.items()})}", boards, kind=BYTES)
    made.send("jobCreate", path, boards, kind="text/plain")
    made.send("jobCreate", f"{path}?name=bad.lin", b"nothing that is a deal\n", kind=BYTES)
    made.send("jobCreate", path, boards, kind="application/gzip")
    made.send("jobCreate", path, b"", kind=BYTES)
    made.send("jobCreate", path, form.replace('name="mode"', 'name="other"').encode(), kind="multipart/form-data; boundary=b")
    made.send("jobCreate", path, form.encode(), kind="multipart/form-data")
    made.refusals("jobCreate", path, {"path": "boards.lin", "mode": "first"}, {
        "path": ["none.lin", "/etc/passwd", "../boards.lin", "", 5], "mode": ["none", 1], "beside": ["x", ["away"]], "archive": [5, "x"], "completed_only": [1], "limit": [0, "x"], "max_depth": [0],
        "text": ["x"], "result": [[], ["csv"], "parquet"], "table": ["none"],
    }, bodies=3)
    for id_ in ("0" * 16, "x", "{job:0}"):
        made.get("job", f"{path}/{id_}", unknown=1)
        made.get("job", f"{path}/{id_}", accept="text/html")
        made.get("jobResult", f"{path}/{id_}/results/none")
    for id_ in ("0" * 16, "x", "{job:0}", "{job:0}"):
        made.get("jobDelete", f"{path}/{id_}", method="DELETE")
    made.get("job", f"{path}/{{job:0}}")
    made.get("jobs", path, limit=2)


def _reload(made: Requests) -> None:
    for name in ("home", "rows", "none", "a b"):
        made.send("tableReload", f"/v1/tables/{name}/reload", "", kind="")
    made.send("tableReload", "/v1/tables/rows/reload", "{}")
    made.send("tableReload", "/v1/tables/rows/reload", "x", kind="text/plain")
    made.send("tableReload", "/v1/tables/rows/reload?unknown=1", "", kind="")
    made.get("tableReload", "/v1/tables/rows/reload")
