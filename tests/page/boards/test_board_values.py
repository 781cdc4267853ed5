"""What results are worth on the page, what calls cost, and which boards are listed."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import (
    Auction,
    Seat,
    format_call,
    imps,
    is_vulnerable,
    score,
)
from bidcascade.bridge import Vulnerability as Sides
from bidcascade.inference.double_dummy.par import par_results

STATIC = Path(__file__).parents[3] / "page" / "static"
SCRIPT = """
globalThis.localStorage = { getItem: () => null, setItem() {} };
const [, path, what, given] = process.argv;
const module = await import(path);
console.log(JSON.stringify(JSON.parse(given).map((one) => module[what](...one))));
"""
HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]

pytestmark = [
    pytest.mark.checkout,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
]


def answers(module: str, function: str, *given: list[Any]) -> list[Any]:
    """What a function of one of the page's modules gives for each list of arguments."""
    command = ["node", "--input-type=module", "--eval", SCRIPT, "--",
               (STATIC / module).as_uri(), function, json.dumps(given)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    found: list[Any] = json.loads(done.stdout)
    return found


def board(**facts: Any) -> dict[str, Any]:
    return {
        "hands": HANDS, "dealer": 0, "vulnerability": "None", "number": 1, "calls": [], "tail": [],
        "contract": None, "declarer": None, "tricks": None, "score": None, "players": None,
    } | facts  # fmt: skip


def test_results_of_one_deal_are_compared():
    scores = [420, 420, 450, -50, None, 420]
    boards = [board(score=one) for one in scores]
    # the last one is of another deal, one result alone
    boards[-1]["hands"] = [HANDS[1], HANDS[0], *HANDS[2:]]
    (found,) = answers("games/board_values.js", "comparedResults", [boards])
    # 0, -1 and 10 IMPs; half a point and one
    assert found[0] == found[1] == {"results": 4, "imps": 3, "matchpoints": 1.5}
    assert found[2] == {"results": 4, "imps": 13 / 3, "matchpoints": 3}
    assert found[3] == {"results": 4, "imps": -31 / 3, "matchpoints": 0}
    assert found[4:] == [None, None]
    two = [board(score=620), board(score=-100)]
    (found,) = answers("games/board_values.js", "comparedResults", [two])
    assert [one["imps"] for one in found] == [12, -12]
    # the same cards with others vulnerable are another board; so are cards that are not known
    two[1]["vulnerability"] = "NS"
    unknown = [board(score=1, hands=[HANDS[0], "", "", ""])] * 2
    assert answers("games/board_values.js", "comparedResults", [two], [unknown]) == [
        [None, None],
        [None, None],
    ]


def tricks_of(table: Any) -> dict[str, dict[str, int]]:
    """Tricks by declarer and strain, of 20 numbers as the solver gives them."""
    rows = np.asarray(table).reshape(4, 5).tolist()
    return {
        seat: dict(zip("CDHSN", row, strict=True)) for seat, row in zip("NESW", rows, strict=True)
    }


GAME = [8, 8, 8, 10, 9]
"""Tricks of North-South: four spades and three notrump are made, and nothing of East-West."""


COSTS = {
    "1S-P-4S-P-P-P": [0, 0, 0, 0, 0, 0],
    # North's pass leaves 420 and takes 170
    "1S-P-2S-P-P-P": [0, 0, 0, 0, 6, 0],
    # the last who could bid
    "P-P-P-P": [0, 0, 9, 0],
    # one down doubled is what five spades are worth; undoubled it is an IMP less
    "1S-P-5S-P-P-P": [0, 0, 11, 0, 0, 1],
    "1S-P-5S-X-P-P-P": [0, 0, 11, 0, 0, 0, 0],
    # a double of what is made gives 880, and who does not redouble leaves it at 590
    "1S-P-4S-X-P-P-P": [0, 0, 0, 10, 0, 0, 5],
}


def test_what_each_call_costs():
    tricks = tricks_of([GAME, [13 - one for one in GAME]] * 2)
    given = [[board(calls=auction.split("-")), tricks] for auction in COSTS]
    found = answers("games/call_losses.js", "callLosses", *given)
    assert dict(zip(COSTS, found, strict=True)) == COSTS


def random_auction(rng: np.random.Generator, dealer: int) -> Auction:
    auction = Auction(Seat(dealer))
    while not auction.is_complete:
        legal = [call for call in range(38) if auction.is_legal(call)]
        auction = auction.add(int(rng.choice(legal[:6])))
    return auction


def test_losses_add_up_to_what_the_contract_is_worth_against_par():
    rng = np.random.default_rng(5)
    boards = []
    expected = []
    for _ in range(200):
        ours = rng.integers(0, 14, 5)
        pairs = [ours, 13 - ours]
        table = np.clip([pairs[seat % 2] + rng.integers(-1, 2, 5) for seat in range(4)], 0, 13)
        dealer, sides = int(rng.integers(4)), Sides(int(rng.integers(4)))
        auction = random_auction(rng, dealer)
        points, _ = par_results(table.reshape(1, 20), dealer, sides)
        contract = auction.contract
        worth = 0
        facts: dict[str, Any] = {"contract": "Pass", "score": 0}
        if contract is not None:
            taken = int(table[contract.declarer, contract.strain])
            vulnerable = is_vulnerable(sides, contract.declarer)
            sign = -1 if contract.declarer % 2 else 1
            worth = sign * score(contract, taken, vulnerable=vulnerable)
            # one trick is lost in the play, if there is one
            made = max(taken - 1, 0)
            facts = {
                "contract": str(contract)[:-1],
                "declarer": str(contract)[-1],
                "tricks": made,
                "score": sign * score(contract, made, vulnerable=vulnerable),
            }
        one = board(
            dealer=dealer,
            vulnerability=("None", "NS", "EW", "Both")[sides],
            calls=[format_call(call) for call in auction.calls],
            **facts,
        )
        par = int(points[0])
        boards.append([one, tricks_of(table), {"score": par, "contracts": []}])
        expected.append((imps(worth - par), imps(facts["score"] - par), contract is None))
    for found, (at_best, at_table, passed_out) in zip(
        answers("games/board_values.js", "boardWorth", *boards), expected, strict=True
    ):
        assert min(found["calls"]) >= 0
        ours, theirs = found["lost"]
        assert sum(found["calls"]) == ours + theirs
        assert theirs - ours == at_best
        assert found["toPar"] == at_table
        if passed_out:
            assert found["play"] is None
        else:
            assert found["play"]["imps"] == at_table - at_best
            assert found["play"]["tricks"] in (-1, 0)


def test_what_is_not_known_is_not_said():
    tricks = tricks_of([GAME, [13 - one for one in GAME]] * 2)
    par = {"score": 420, "contracts": []}
    none = {"par": par, "toPar": None, "calls": None, "lost": None, "play": None}
    unfinished = board(calls=["1S", "P"])
    only_result = board(contract="4S", declarer="N", tricks=11, score=450)
    assert answers(
        "games/board_values.js", "boardWorth", [unfinished, tricks, par], [only_result, tricks, par]
    ) == [none, {**none, "toPar": 1, "play": {"tricks": 1, "imps": 1}}]


ROWS: list[dict[str, Any]] = [
    {"number": 2, "score": 420, "lost": [0, 3], "imps": 5, "players": ["Ann", "Eva", "Bob", "F"]},
    {"number": 1, "score": -50, "lost": [9, 0], "imps": -5, "players": ["Eva", "Ann", "F", "Bob"]},
    {"number": None, "score": None, "lost": None, "imps": None, "players": None},
    {"number": 3, "score": 100, "lost": [1, 2], "imps": 0, "players": ["Ann L", None, "Di", None]},
]  # fmt: skip


CHOICES = {
    "": [0, 1, 2, 3],
    "only=part": [1, 3],
    "sort=number": [1, 0, 3, 2],
    "sort=result": [0, 3, 1, 2],
    "sort=result&side=EW": [1, 3, 0, 2],
    "sort=others": [0, 3, 1, 2],
    "sort=loss": [1, 0, 3, 2],
    "sort=loss&side=EW": [0, 3, 1, 2],
    "player=ann": [0, 1, 3],
    "player=ann&only=part": [1, 3],
    "loss=3": [0, 1, 3],
    "loss=3&side=NS": [1],
    # East declared the second board, North the others
    "loss=1&side=declarer": [3],
    # Ann sits North, East, North
    "loss=1&player=ann&side=own": [3],
    "player=ann&side=own&sort=result": [0, 3, 1],
    # whose it is nobody says
    "side=own&loss=1": [],
    "sort=nonsense&loss=-4&page=x&side=me": [0, 1, 2, 3],
}


def test_boards_are_chosen_and_ordered():
    rows = [
        {
            "one": board(
                number=row["number"],
                score=row["score"],
                players=row["players"],
                declarer="E" if index == 1 else "N",
            ),
            "index": index,
            "isParted": index in (1, 3),
            "worth": row["lost"] and {"lost": row["lost"]},
            "compared": None if row["imps"] is None else {"imps": row["imps"]},
        }
        for index, row in enumerate(ROWS)
    ]
    filters = "boards/board_filter.js"
    requests = answers(filters, "readRequest", *[[asked] for asked in CHOICES])
    found = answers(filters, "chosenBoards", *[[rows, request] for request in requests])
    places = [[row["index"] for row in chosen] for chosen in found]
    assert dict(zip(CHOICES, places, strict=True)) == CHOICES
    written = answers(filters, "writeRequest", *[[request] for request in requests])
    assert answers(filters, "readRequest", *[[text] for text in written]) == requests
