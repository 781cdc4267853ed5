"""The routes of archives as the page sees them, with one board and one node."""

import re
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

ROUTES = re.compile(r"/v1/archives")
HANDS = "AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"
BOARD = {
    "id": 7, "board": 12, "dealer": "N", "vulnerability": "EW", "deal": f"N:{HANDS}",
    "auction": "1N P P P", "contract": "1N", "declarer": "N", "tricks": 8, "score": 120,
    "players": ["Ada", "Bo", "Cy", "<b>Di</b>"], "event": "Club evening", "source": "may.pbn",
    "bid": "1N P 2C P 2D P 2N P P P", "class": "2C", "link": "https://example.org/v?lin=md",
}  # fmt: skip
NODES = {
    "": [("1N", 30), ("P", 70)],
    "1N": [("P", 30)],
    "1N P": [("2C", 12), ("P", 15)],
}
RANGE = {"least": 0, "low": 1, "mean": 3.25, "high": 5, "most": 8}
STATISTICS = {
    "auction": "1N P", "boards": 30, "share": 1.0, "share_of_all": 0.3, "solved": 30,
    **{f"{side}tricks_{strain}": 7.5 for side in ("", "other_") for strain in "CDHSN"},
    "par": -112.4, "finished": 30, "score": -95.0, "imps_par": 0.5, "table_score": None,
    "table_imps_par": None, "table_imps_room": None, "humans": 30, "humans_same": 0.8,
    "contracts": [
        {"contract": "1N", "is_own": False, "share": 0.5, "score": -90.0},
        {"contract": "Pass", "is_own": None, "share": 0.2, "score": 0.0},
        {"contract": "2SX", "is_own": True, "share": 0.1, "score": -300.0},
    ],
    "results": [{"over": over, "share": share} for over, share in [(0, 0.5), (1, 0.3), (-3, 0.2)]],
    "pars": [{"par": par, "share": share} for par, share in [(-90, 0.6), (50, 0.2), (1430, 0.2)]],
    **{f"HCP_{player}": RANGE for player in (1, 2, 3, 4)},
    **{f"SL_{player}_{suit}": RANGE for player in (1, 2, 3, 4) for suit in "SHDC"},
    "humans_instead": [{"call": "X", "share": 0.2}],
}  # fmt: skip


class FakeArchives:
    """Answers for the routes below `/v1/archives`; what was asked is kept."""

    def __init__(self, names: tuple[str, ...] = ("club", "season")) -> None:
        self.names = names
        self.damaged: dict[str, str] = {}
        self.total: int | None = 1
        self.problem: dict[str, Any] | None = None
        self.asked: list[tuple[str, dict[str, list[str]]]] = []

    def answer(self, route: Any) -> None:
        """Answer a request of the page."""
        parts = urlsplit(route.request.url)
        what = parts.path.removeprefix("/v1/archives")
        query = parse_qs(parts.query, strict_parsing=bool(parts.query))
        self.asked.append((what, query))
        if what == "":
            route.fulfill(
                json={
                    "archives": [self._summary(name) for name in self.names],
                    "damaged": self.damaged,
                }
            )
        elif self.problem is not None:
            route.fulfill(status=422, json=self.problem)
        elif what.endswith("/counts"):
            route.fulfill(json={"total": 1234})
        elif what.endswith("/nodes"):
            route.fulfill(json=self._node(query))
        elif "format" in query:
            name = f"club-boards.{query['format'][0]}"
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            route.fulfill(body="md|", headers=headers)
        else:
            route.fulfill(json={"total": self.total, "boards": [BOARD]})

    def _summary(self, name: str) -> dict[str, Any]:
        bidders = {
            "sayc": {"digest": "1", "modes": ["first", "all"], "boards": 100},
            "acol": {"digest": "2", "modes": ["first"], "boards": 100},
        }
        return {"name": name, "boards": 100, "bidders": bidders if name == "club" else {}}

    def _node(self, query: dict[str, list[str]]) -> dict[str, Any]:
        auction = query.get("auction", [""])[0]
        calls = [{"call": call, "boards": boards} for call, boards in NODES.get(auction, [])]
        boards = 30 if auction else 100
        row = STATISTICS if "statistics" in query else None
        return {"auction": auction, "boards": boards, "next": calls, "statistics": row}

    def questions(self, what: str) -> list[dict[str, list[str]]]:
        """Queries that were asked of one route of the archive club."""
        return [query for path, query in self.asked if path == f"/club/{what}"]


def address_of(**asked: Any) -> str:
    """Address of the page with a question."""
    return f"#dealer=N&view=archives&ask={quote(urlencode(asked, doseq=True), safe='')}"
