"""What is asked over REST: ``requests.txt`` line by line, and what is drawn in between."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from .drawing import SEATS, VULNERABILITIES, Draw
from .inputs import SYSTEMS, lin_boards

HERE = Path(__file__).parent
TEXTS = {
    "DEAL": "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876",
    "CALM": "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
    "PAGE": 'include "page.bidding"\n\nopening:\n  1N = Ours: 13-15 points, balanced\n',
    "FAULTY": """
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
""",
}
_JSON = {"content-type": "application/json"}
_BYTES = {"content-type": "application/octet-stream"}
_LINES, _ARROW = "application/jsonl", "application/vnd.apache.arrow.stream"
_BAD_BODIES = (
    "",
    "{",
    "[]",
    "null",
    '"text"',
    "12",
    '{"a":NaN}',
    "[" * 300,
    '{"a":1,}',
    "\ufeff{}",
    '{"hand":"é\\ud800"}',
)
_BAD_KINDS = ("text/plain", "", "application/json; charset=latin-1")
_IN_QUERY = ("archiveBoards", "archiveCounts")
"""Operations with the fields of their questions in the query."""

# auctions that go on, and ones that are over
AUCTIONS = tuple(
    line.split()
    for line in """
    1N|1N P|1N P 2C|1N P 2C P|1N P 2C X|1N P 2C P 2H P|1N P 2C P 2D P 2N P|1N P 2D P 2H P
    1N P 2H P 2S P 3N P|1N P 3N P|1N 2S|1N X|1N 2C X|2N P|2C P|2C P 2D P|2C P 2H P
    1S|1S P|1S P 2S P|1S P 2S P 4S P|1S P 2C P|1S P 2C P 2S P|1S P 3S P|1S X|1S X P|1S 2H
    1S 2H X|1S 2H 2S 3H|1H P|1H P 1S P|1H P 1S P 2S P|1H P 1N P 2H P|1H 1S|1H 1S X P|1H X 2H
    1H P 2H 2S|1D P|1D P 1H P|1D P 1H P 1N P|1D P 1H P 2H P|1D P 1S P 2D P|1D 1S|1D X|1C P
    1C P 1H P|1C P 1S P 1N P|1C P 1D P|1C 1H|1C X P 1S|1C 1S X P|P|P P|P P P|P 1H|P P 1S P
    P P P 1D|P 1N P|2H|2H P|2S P P|3C|3D P|1C 1D 1H 1S|1S P 4S X|1C P P X|1D P P 1S
    1H P 4H P P X|4H
    """.replace("\n", "|").split("|")
    if line.strip()
)
COMPLETE = tuple(
    line.split()
    for line in """
    1N P 3N P P P|1S P 2S P P P|1S P 4S P P P|1H P 1S P 2S P P P|1N P 2C P 2H P 4H P P P
    2H P P P|P 1D P 1H P 2H P P P|1C 1S X P 2H P P P|1S P 4S X P P P|3C P P P|1N P P P|P P P P
    """.replace("\n", "|").split("|")
    if line.strip()
)
_BAD_AUCTIONS = (
    "1S 1H", "X", "P P P P 1C", "1N XX", "8C", "1N P P P P", "1Z", "1N-", "pass", "1nt-p",
    "1♠ p 2♠", "P" * 2001, "1N,P", "1M", "{}",
)  # fmt: skip


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


def all_requests(systems: Mapping[str, str]) -> list[Request]:
    """Make all requests, in the order in which they are asked.

    Parameters
    ----------
    systems : mapping of str to str
        Systems of the package that stand for home and away.
    """
    texts = dict(TEXTS)
    for name in SYSTEMS:
        text = (HERE / f"{name}.bidding").read_text("utf-8")
        of_package = f'include "{systems.get(name)}.bidding"\n'
        texts[name.upper()] = of_package if name in systems else text
    lines = (HERE / "requests.txt").read_text("utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    return [one for block in _blocks(lines) for one in _requests_of(block, texts)]


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines with the indented ones below each."""
    block: list[str] = []
    for line in lines:
        if block and not line.startswith(" "):
            yield block
            block = []
        block.append(line)
    yield block


def _requests_of(block: Sequence[str], texts: Mapping[str, str]) -> Iterator[Request]:
    line = block[0]
    if line.startswith("draw "):
        yield from _DRAWN[line.removeprefix("draw ")]()
    elif line.startswith("fields "):
        yield from _of_fields(line.removeprefix("fields "), block[1:], texts)
    else:
        yield _read(line, texts)


def _read(line: str, texts: Mapping[str, str]) -> Request:
    asked, _, header = line.partition(" | ")
    operation, method, path, *body = asked.split(" ", 3)
    headers = dict([header.split(": ", 1)]) if header else {}
    if body:
        value = _expanded(json.loads(body[0]), texts)
        return _post(operation, path, value, **headers)
    return Request(operation, method, path, "" if method == "POST" else None, headers)


def _expanded(value: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"\$([A-Z]+)", lambda found: texts[found[1]], value)
    if isinstance(value, list):
        return [_expanded(one, texts) for one in value]
    if isinstance(value, dict):
        if value.keys() == {"times"}:
            return value["times"][0] * value["times"][1]
        return {name: _expanded(one, texts) for name, one in value.items()}
    return value


def _of_fields(head: str, values: Sequence[str], texts: Mapping[str, str]) -> Iterator[Request]:
    operation, path, rest = head.split(" ", 2)
    written, end = json.JSONDecoder().raw_decode(rest)
    base = _expanded(written, texts)
    make: Callable[..., Request] = _get if operation in _IN_QUERY else _post
    for line in values:
        name, listed = line.removeprefix("  ").removeprefix("! ").split(" ", 1)
        for value in _expanded(json.loads(listed), texts):
            yield make(operation, path, {**base, name: value})
    needed, _, bodies = rest[end:].removeprefix(" needs ").partition(" bodies ")
    if not bodies:
        return
    yield make(operation, path, {**base, "unknown": 1})
    for name in needed.split():
        yield make(operation, path, {one: base[one] for one in base if one != name})
    draw = Draw(f"bodies of {operation}")
    for body in draw.some(_BAD_BODIES, int(bodies)):
        yield Request(operation, "POST", path, body, _JSON)
    good = _post(operation, path, base)
    yield replace(good, headers={"content-type": draw.one(_BAD_KINDS)})
    yield replace(good, headers={**_JSON, "accept": draw.one(("text/html", "image/png;q=0.5"))})


def _post(operation: str, path: str, body: object, accept: str = "", **headers: str) -> Request:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    sent = {**_JSON, **({"accept": accept} if accept else {})}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(operation, "POST", path, content, sent)


def _get(operation: str, path: str, query: Mapping[str, Any], *, wait: bool = False) -> Request:
    return Request(operation, "GET", path + _query(query), wait=wait)


def _query(query: Mapping[str, Any]) -> str:
    parts = [
        (name, str(one).lower() if isinstance(one, bool) else one)
        for name, value in query.items()
        for one in (value if isinstance(value, list) else [value])
    ]
    return f"?{urlencode(parts)}" if parts else ""


# --- drawn ----------------------------------------------------------------------------------------


def _tables() -> Iterator[Request]:
    draw = Draw("tables")
    rests = ("", "/topics", "/system", "/lint", "/next", "/explain")
    operations = {rest: f"table{rest[1:].title()}" for rest in rests}
    for name in ("home", "away", "rows", "none", "a%20b", "HOME", "..%2Fhome"):
        for rest, operation in operations.items():
            path = f"/v1/tables/{name}{rest}"
            yield Request(operation, "GET", path)
            if name in ("home", "rows"):
                yield Request(operation, "GET", f"{path}?unknown=1")
                yield Request(operation, "GET", path, headers={"accept": "text/csv"})
    for name in ("home", "rows"):
        for examples in (0, 1, 3, 1000, 1001, -1, "x", ""):
            yield _get("tableLint", f"/v1/tables/{name}/lint", {"examples": examples})
    asked: list[tuple[str, str]] = []
    for number, calls in enumerate((*AUCTIONS, *COMPLETE)):
        text = draw.one(("-", " ", "-")).join(calls)
        asked += [(name, text) for name in (("home", "away") if number % 3 == 0 else ("home",))]
    places = ("1N", "1N-P", "1N-P-2C-P", "1S-P-2S-P", "1S X", "1C", "P", "1N-P-3N-P-P-P", "2C")
    asked += [("rows", text) for text in places] + [("home", text) for text in _BAD_AUCTIONS]
    for name, text in asked:
        for rest in ("next", "explain"):
            yield _get(operations[f"/{rest}"], f"/v1/tables/{name}/{rest}", {"auction": text})


def _bid() -> Iterator[Request]:
    draw = Draw("bid")
    for number in range(330):
        body: dict[str, Any] = {"hand": draw.hand(), "auction": draw.one(AUCTIONS)}
        if number % 2:
            body["vulnerability"] = draw.one(VULNERABILITIES)
        if number % 3:
            body["dealer"] = draw.one(SEATS)
        body |= draw.one(({}, {}, {"table": "home"}, {"table": "home"}, {"table": "away"}))
        yield _post("bid", "/v1/bid", body)
    for number in range(70):
        openings = {"hand": draw.hand()}
        of_rows = {"auction": draw.one(AUCTIONS[:20]), "table": "rows"}
        yield _post("bid", "/v1/bid", openings | (of_rows if number % 3 == 0 else {}))


def _auctions() -> Iterator[Request]:
    draw = Draw("auctions")
    path = "/v1/auctions"
    ways: tuple[dict[str, Any], ...] = (
        {"mode": "first"},
        {"mode": "first"},
        {"mode": "all", "limit": 4},
        {"limit": 2, "completed_only": True},
    )
    for number in range(190):
        body: dict[str, Any] = {"deals": [draw.deal_request() for _ in range(1 + draw.below(4))]}
        body |= draw.one(ways)
        body |= draw.one(({}, {"table": "home"}, {"table": "away"}, {"table": "rows"}))
        yield _post("auctions", path, body, accept=("", _LINES, "", _ARROW)[number % 4])
    for accept in ("", _LINES, _ARROW):
        for table in ("home", "rows"):
            for mode in ("first", "all"):
                body = {"deals": [draw.deal_request() for _ in range(60)], "mode": mode}
                body |= {"table": table, "limit": 20}
                yield _post("auctions", path, body, accept=accept)


def _members() -> Iterator[Request]:
    draw = Draw("members")
    for number in range(80):
        entries = [" ".join(one) for one in draw.some(AUCTIONS, 1 + draw.below(5))]
        deals = [draw.deal_request() for _ in range(1 + draw.below(8))]
        body = {"deals": deals, "entries": entries}
        body |= draw.one(({}, {"table": "home"}, {"table": "away"}))
        yield _post("members", "/v1/members", body, accept=("", "", _ARROW)[number % 3])


def _about_auctions(operation: str, count: int, field: str, most: int) -> Iterator[Request]:
    draw = Draw(operation)
    for _ in range(count):
        calls = draw.one((*AUCTIONS, *COMPLETE))
        # deals for a call that no line allows are long sought: weak openings have a vulnerability
        is_weak = calls[0] >= "2" and calls[0] != "P"
        vulnerability = "None" if is_weak else draw.one(VULNERABILITIES)
        dealer, seed = draw.one(SEATS), draw.below(1000)
        body: dict[str, Any] = {"auction": calls}
        body |= draw.one(({}, {"dealer": dealer}, {"seed": seed}, {"vulnerability": vulnerability}))
        condition = draw.one(("HCP_N >= 13", "HCP_N + HCP_S >= 20", "SL_S_N >= 3", "HCP_W < 15"))
        body |= draw.one(({}, {}, {"strict": False}, {"table": "away"}, {"where": [condition]}))
        body |= draw.one(({}, {}, {}, {"known": {draw.one(SEATS): draw.hand()}}))
        body |= {"deals": 1000} if operation == "infer" else {}
        yield _post(operation, f"/v1/{operation}", {**body, field: 1 + draw.below(most)})


def _leads() -> Iterator[Request]:
    draw = Draw("leads")
    for _ in range(8):
        body = {"hand": draw.hand(), "auction": draw.one(COMPLETE[:5]), "layouts": 2}
        yield _post("leads", "/v1/leads", {**body, "seed": draw.below(99)})


def _double_dummy() -> Iterator[Request]:
    draw = Draw("double dummy")
    for _ in range(16):
        body = {"deal": draw.deal_request(calm=True)}
        body["auctions"] = draw.some(COMPLETE, draw.below(4))
        yield _post("doubleDummy", "/v1/double-dummy", body)


def _contract_tricks() -> Iterator[Request]:
    draw = Draw("contract tricks")
    contracts = ("3NN", "4SE", "4HXS", "1NW", "5CXXN", "7NS")
    for _ in range(16):
        boards = [
            {
                "deal": draw.deal_request(calm=True),
                "contracts": draw.some(contracts, draw.below(4)),
            }
            for _ in range(1 + draw.below(3))
        ]
        yield _post("contractTricks", "/v1/double-dummy/tricks", {"boards": boards})


def _practice_deals() -> Iterator[Request]:
    draw = Draw("practice")
    themes = (
        "stayman", "jacoby-transfers", "overcalls", "preempts", "weak-twos", "takeout-doubles",
        "notrump-openings", "reverses", "blackwood",
    )  # fmt: skip
    for number in range(30):
        body: dict[str, Any] = {"themes": draw.some(themes, 1 + draw.below(2)), "seed": number}
        body |= {"count": 1 + draw.below(3), **draw.one(({}, {"seat": draw.one(SEATS)}))}
        yield _post("practiceDeals", "/v1/practice-deals", body)


def _compare() -> Iterator[Request]:
    draw = Draw("compare")
    boards = [draw.deal_request(calm=True) for _ in range(6)]
    base = {"first": {"table": "home"}, "second": {"table": "away"}}
    yield _post("compare", "/v1/compare", {**base, "boards": boards, "solve": 6})
    yield _post("compare", "/v1/compare", {**base, "boards": boards[:3], "solve": 1, "seed": 1})


def _foreign() -> Iterator[Request]:
    draw = Draw("foreign")

    def pairs(calls: Sequence[str]) -> str:
        return "".join({"P": "--", "X": "Db", "XX": "Rd"}.get(call, call) for call in calls)

    for number in range(45):
        calls, dealer = draw.one(AUCTIONS), draw.below(4)
        query = {
            "hand": draw.hand().replace(".", draw.one("._")),
            "seat": SEATS[(dealer + len(calls)) % 4],
            "dealer": SEATS[dealer],
            "vul": draw.one(("", "NS", "EW", "BOTH")),
            "ctx": pairs(calls),
        }
        yield _get("foreignBid", "/bid", query | ({} if number % 5 else {"table": "away"}))
    for calls in (*AUCTIONS[::4], *COMPLETE[:3]):
        yield _get("foreignExplain", "/explain", {"dealer": "N", "vul": "", "ctx": pairs(calls)})
    good = {"hand": "AQ4.KJ3.K876.Q52", "seat": "N", "dealer": "N", "vul": "", "ctx": ""}
    for change in (
        {"seat": "E"}, {"hand": "x"}, {"dealer": "X"}, {"vul": "x"}, {"ctx": "1"},
        {"ctx": "1S1H"}, {"table": "none"}, {"ctx": "1N------"}, {"ctx": "--" * 3000},
    ):  # fmt: skip
        yield _get("foreignBid", "/bid", {**good, **change})
        yield _get("foreignExplain", "/explain", {**good, **change})
    for name in good:
        yield _get("foreignBid", "/bid", {one: good[one] for one in good if one != name})
    lead = {**good, "hand": "KQJ95.A3.T876.52", "seat": "E", "ctx": "1N--3N------"}
    for change in ({}, {"seat": "W"}, {"ctx": "1N--3N"}, {"hand": "x"}, {"ctx": "--------"}):
        yield _get("foreignLead", "/lead", {**lead, **change})
    # all but the last trick is played, so that a card is found at once
    played = "".join(f"{suit}{rank}" for rank in "AKQJT9876543" for suit in "SHDC")
    play = {**lead, "hand": "2...", "dummy": "..2.", "seat": "N", "played": played}
    for change in (
        {}, {"seat": "S"}, {"dummy": ""}, {"played": ""}, {"played": "SASA"}, {"played": "XX"},
        {"budget_ms": "x"}, {"seed": "-1"},
    ):  # fmt: skip
        yield _get("foreignPlay", "/play", {**play, **change})


def _archive_nodes() -> Iterator[Request]:
    for number, calls in enumerate(AUCTIONS[:40:2]):
        query = {"auction": "-".join(calls), "by": ("own", "home")[number % 2]}
        query["statistics"] = number % 4 < 2
        yield _get("archiveNodes", "/v1/archives/club/nodes", query)
    by_rows = {"by": "rows", "auction": "1N", "statistics": True}
    yield _get("archiveNodes", "/v1/archives/club/nodes", by_rows)


def _jobs() -> Iterator[Request]:
    path = "/v1/jobs"
    boards = lin_boards(6, "job").encode()
    bad = b"md|3SAKQ,HAKQ,DAKQ,|mb|1C|pg||\n"
    form = "\r\n".join(
        [
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}'
            for name, value in (("mode", "first"), ("result", "jsonl"), ("table", "away"))
        ]
        + ['--b\r\nContent-Disposition: form-data; name="file"; filename="a.lin"\r\n']
        + [boards.decode(), "--b--\r\n"]
    )
    of_form = {"content-type": "multipart/form-data; boundary=b"}

    def upload(query: Mapping[str, Any], content: bytes = boards) -> Request:
        return Request("jobCreate", "POST", path + _query(query), content, _BYTES)

    listed = {"path": "boards.lin", "mode": "all", "limit": 1, "max_depth": 2, "table": "home"}
    # how it is begun, and which files it has
    begun: tuple[tuple[Request, str], ...] = (
        (
            upload(
                {
                    "mode": "first",
                    "result": "parquet,jsonl,pbn",
                    "name": "club night.lin",
                    "table": "home",
                },
                boards + bad,
            ),
            "auctions.parquet auctions.jsonl auctions.pbn rejects.jsonl none.txt",
        ),
        (
            upload(
                {
                    "mode": "all",
                    "limit": 3,
                    "completed_only": True,
                    "text": True,
                    "result": "jsonl,parquet",
                    "table": "rows",
                }
            ),
            "auctions.parquet boards.parquet auctions.jsonl entries.parquet",
        ),
        (upload({"mode": "counts", "result": "jsonl"}), "counts.jsonl counts.parquet"),
        (
            upload({"mode": "par", "beside": "away"}, lin_boards(3, "par", calm=True).encode()),
            "par.parquet report.md report.html",
        ),
        (upload({"mode": "archive", "archive": "added"}), "added.json"),
        (_post("jobCreate", path, {"path": "boards.lin"}), "auctions.parquet"),
        (
            _post("jobCreate", path, {**listed, "result": ["jsonl"], "text": True}),
            "auctions.jsonl",
        ),
        (Request("jobCreate", "POST", path, form.encode(), of_form), "auctions.jsonl"),
    )
    for number, (request, files) in enumerate(begun):
        yield request
        yield _get("job", f"{path}/{{job:{number}}}", {}, wait=True)
        for name in files.split():
            yield _get("jobResult", f"{path}/{{job:{number}}}/results/{name}", {})
    for query in (
        {"mode": "none"}, {"result": "csv"}, {"result": "pbn", "mode": "all"}, {"limit": 5},
        {"limit": 0, "mode": "all"}, {"completed_only": True}, {"table": "none"},
        {"beside": "away"}, {"archive": "x"}, {"mode": "archive"}, {"unknown": 1},
        {"mode": "archive", "archive": "x", "text": True}, {"mode": "par", "result": "jsonl"},
        {"mode": "par", "table": "rows"}, {"mode": "par", "beside": "rows"}, {"text": "x"},
        {"max_depth": "x", "mode": "all"}, {"text": True, "mode": "counts"}, {"name": "x" * 201},
        {"beside": ",".join("x" * 10)},
    ):  # fmt: skip
        yield upload(query)
    yield upload({"name": "bad.lin"}, b"nothing that is a deal\n")
    yield upload({}, b"")
    for kind in ("text/plain", "application/gzip", "multipart/form-data"):
        yield replace(upload({}), headers={"content-type": kind})
    other = form.replace('name="mode"', 'name="other"').encode()
    yield Request("jobCreate", "POST", path, other, of_form)


_DRAWN: dict[str, Callable[[], Iterator[Request]]] = {
    "tables": _tables,
    "bid": _bid,
    "auctions": _auctions,
    "members": _members,
    "interpret": lambda: _about_auctions("interpret", 60, "layouts", 20),
    "layouts": lambda: _about_auctions("layouts", 60, "count", 10),
    "infer": lambda: _about_auctions("infer", 15, "layouts", 6),
    "leads": _leads,
    "doubleDummy": _double_dummy,
    "contractTricks": _contract_tricks,
    "practiceDeals": _practice_deals,
    "compare": _compare,
    "foreign": _foreign,
    "archiveNodes": _archive_nodes,
    "jobs": _jobs,
}
