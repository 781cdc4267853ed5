"""What a question may not say: one table for all of them, of a change, the field and the message.

Routes, commands and clients read a question by the same function; how each of them tells what is
wrong stands with its own tests, once.
"""

from typing import Any

import pytest

from bidcascade.engine.questions.registry import QUESTIONS
from tests.support.service import DEAL, GOOD, loaded_app, post, problem_of, write_small_table
from tests.support.systems import SMALL_SYSTEM, compile_few

NORTH, EAST, SOUTH, WEST = DEAL[2:].split()
LEADER = "QJ98.54.K732.T65"
OVER = ["1N", "P", "3N", "P", "P", "P"]
TINY = {"text": "opening:\n  1NT = Strong notrump: 15-17 points, balanced\n"}

ASKED: dict[str, dict[str, Any]] = {
    "auctions": GOOD,
    "bench": {"system": TINY},
    "bid": {"hand": NORTH},
    "compare": {"first": TINY, "second": {"table": "small"}},
    "contractTricks": {"boards": [{"deal": {"deal": DEAL}, "contracts": ["1CN"]}]},
    "doubleDummy": {"deal": {"deal": DEAL}},
    "infer": {"auction": OVER, "layouts": 3, "deals": 500},
    "layouts": {},
    "leads": {"hand": "K52.AQ3.9876.KJ2", "auction": ["1N", "P", "3N"], "dealer": "E"},
    "members": {"deals": GOOD["deals"], "entries": ["1N"]},
    "practiceDeals": {},
    "systemCheck": {"system": TINY},
    "systemDiff": {"old": TINY, "new": TINY},
}
"""Questions that are answered, or need no more than the change for that."""

REFUSALS: dict[str, list[tuple[dict[str, Any], str, str]]] = {
    "bid": [
        ({"hand": NORTH[:-1]}, "hand", "expected 13 cards, got 12"),
        ({"hand": "AAKQJT9876543..."}, "hand", "rank A comes twice"),
        ({"hand": "AKQ.AKQ.AKQ"}, "hand", "four suits"),
        ({"hand": ""}, "hand", "expected a hand"),
        ({"hand": 3}, "hand", "expected text"),
        ({"auction": ["1S", "1H"]}, "auction[1]", "insufficient: not above 1S"),
        ({"auction": ["X"]}, "auction[0]", "no bid to double"),
        ({"auction": ["1N", "P", "8C"]}, "auction[2]", "expected a call"),
        ({"auction": ["P", "P", "P", "P"]}, "auction",
         "expected an auction that goes on, got 'P P P P'"),
        ({"auction": ["1C", "P", "P", "P", "1D"]}, "auction[4]", "the auction is over"),
        ({"auction": 5}, "auction", "expected a list"),
        ({"auction": "1N Q"}, "auction[1]", "expected a call"),
        ({"auction": [1]}, "auction[0]", "expected text"),
        ({"auction": ["P"] * 320}, "auction", "at most 319"),
        ({"dealer": "X"}, "dealer", "expected a seat"),
        ({"dealer": None}, "dealer", "expected text"),
        ({"vulnerability": "NSEW"}, "vulnerability", "expected a vulnerability"),
        ({"call": "1N"}, "call", "no field of this name"),
        ({"search": True, "simulate": True}, "search", "simulated or searched, not both"),
        ({"search": 0}, "search", "true, false, a number from 1 to 1,000 or an object, got 0"),
        ({"search": 1001}, "search", "or an object, got 1001"),
        ({"search": 0.5}, "search", "or an object, got 0.5"),
        ({"search": "x"}, "search", 'or an object, got "x"'),
        ({"search": [1]}, "search", "or an object, got [1]"),
        ({"search": {"layouts": 0}}, "search.layouts", "expected a number from 1"),
        ({"search": {"layouts": 10**6}}, "search.layouts", "expected a number up to 1000"),
        ({"search": {"budget_ms": -1}}, "search.budget_ms", "expected a number from 0"),
        ({"search": {"kinds": [1]}}, "search.kinds[0]", "expected 'opening', "),
        ({"search": {"kinds": ["endgame"]}}, "search.kinds[0]", "expected 'opening', "),
        ({"search": {"bool": 1}}, "search.bool", "expected no field of this name"),
        ({"search": {"seeds": 1}}, "search.seeds", "of this name; did you mean seed?"),
        ({"search": {"margin": -1}}, "search.margin", "expected a number from 0"),
        ({"search": {"margin": 101}}, "search.margin", "expected a number up to 100"),
        ({"search": {"errors": -1}}, "search.errors", "expected a number from 0"),
        ({"simulate": 0}, "simulate", "or an object, got 0"),
        ({"simulate": -1}, "simulate", "or an object, got -1"),
        ({"simulate": 10**9}, "simulate", "or an object, got 1000000000"),
        ({"simulate": "20"}, "simulate", 'or an object, got "20"'),
        ({"simulate": 2.5}, "simulate", "1 to 1,000 or an object, got 2.5"),
        ({"simulate": {"layouts": 0}}, "simulate.layouts", "expected a number from 1"),
        ({"simulate": {"layouts": 10**6}}, "simulate.layouts", "expected a number up to 1000"),
        ({"simulate": {"scoring": 1}}, "simulate.scoring", "expected 'imps', "),
        ({"simulate": {"scoring": "rubber"}}, "simulate.scoring", "expected 'imps', "),
        ({"simulate": {"budget_ms": 0}}, "simulate.budget_ms", "expected a number from 1"),
        ({"simulate": {"deals": 5}}, "simulate.deals", "expected no field of this name"),
    ],
    "leads": [
        ({"hand": "K52.AQ3.9876.KJ"}, "hand", "expected 13 cards"),
        ({"auction": ["1N", "P", "1D"]}, "auction", "insufficient"),
        ({"auction": ["P", "P", "P", "P"]}, "auction", "ends in a contract"),
        ({"auction": ["8N"]}, "auction", "'8N'"),
        ({"auction": ["1N", "P", "3N", "P"]}, "auction",
         "got '1N P 3N P', where East is to call"),
        ({"auction": ["1C", "P", "P"]}, "auction", "an auction that is over"),
        ({"auction": None}, "auction", "expected an auction or a contract"),
        ({"auction": []}, "auction", "and not both"),
        ({"contract": "3NE"}, "auction", "and not both"),
        ({"auction": [], "contract": "9N"}, "contract", "expected a contract"),
        ({"dealer": "X"}, "dealer", "expected a seat"),
        ({"vulnerability": "maybe"}, "vulnerability", "expected a vulnerability"),
        ({"layouts": 0}, "layouts", "expected a number from 1"),
        ({"layouts": 1001}, "layouts", "expected a number up to 1000"),
        ({"scoring": "fun"}, "scoring", "'tricks', 'set', 'matchpoints' or 'imps'"),
        ({"budget_ms": 0}, "budget_ms", "expected a number from 1"),
        ({"seed": -1}, "seed", "expected a number from 0"),
        ({"known": {"S": "A+.+.+.+"}}, "known.S", "other hands than the leader's"),
        ({"known": {"N": "A+.+.+"}}, "known.N", "expected four suits"),
        ({"known": {"Q": "A+.+.+.+"}}, "known.Q", "expected a seat"),
        ({"known": {"N": "K+.+.+.+"}}, "known", "expected every card in one hand, got SK"),
        ({"where": ["HCP"]}, "where[0]", "expected a seat with the term"),
    ],
    "infer": [
        ({"contract": "8NN"}, "contract", "expected a contract such as"),
        ({"against": "3X"}, "against", "expected a contract such as"),
        ({"scoring": "imps"}, "against", "expected a contract"),
        ({"scoring": "fun"}, "scoring", "'points', 'imps' or 'matchpoints'"),
        ({"auction": ["1N"], "scoring": "imps", "against": "Pass"}, "against", "with a contract"),
        ({"lead": "SQ"}, "lead", "the leader, E, holds"),
        ({"lead": "SA", "known": {"E": LEADER}}, "lead", "the leader, E, holds"),
        ({"lead": "Q", "known": {"E": LEADER}}, "lead", "expected a card"),
        ({"auction": ["1N"], "lead": "SQ"}, "lead", "with a contract"),
        ({"auction": ["1N"], "against": "Pass"}, "against", "with a contract"),
        ({"auction": ["1N", "1C"]}, "auction", "insufficient"),
        ({"deals": 100_001}, "deals", "up to 100000"),
        ({"layouts": 1001}, "layouts", "up to 1000"),
        ({"known": {"E": "A"}}, "known.E", "expected a hand"),
    ],
    "layouts": [
        ({"count": 0}, "count", "expected a number from 1"),
        ({"auction": ["1N", "1C"]}, "auction", "insufficient"),
        ({"auction": ["P", "P", "P", "P", "1C"]}, "auction", "the auction is over"),
        ({"auction": ["1Z"]}, "auction", "expected a call"),
        ({"dealer": "Q"}, "dealer", "expected a seat"),
        ({"known": {"Q": LEADER}}, "known.Q", "expected a seat"),
        ({"known": {"N": "AK"}}, "known.N", "expected a hand"),
        ({"known": {"N": LEADER, "n": LEADER}}, "known.n", "each seat once"),
        ({"known": {"N": LEADER, "E": LEADER}}, "known", "expected every card in one hand"),
        ({"known": {"E": "AK.+.+.+", "S": "A.+.+.+"}}, "known",
         "expected every card in one hand, got SA in S"),
        ({"where": ["HCP_N >"]}, "where[0]", "expected an operand"),
        ({"where": ["HCP_N >= 10", "HCP_E >= foo"]}, "where[1]", "unknown term 'foo'"),
    ],
    "doubleDummy": [
        ({"auctions": [OVER, ["1N", "P"]]}, "auctions[1]", "expected an auction that is over"),
        ({"auctions": [OVER, []]}, "auctions[1]", "expected an auction that is over"),
        ({"auctions": [OVER, ["1N", "1C", "P", "P", "P"]]}, "auctions[1]", "insufficient"),
        ({"auctions": [OVER, ["1N", "P", "P", "P", "P"]]}, "auctions[1]", "the auction is over"),
        ({"auctions": [OVER, ["1Z"]]}, "auctions[1]", "expected a call"),
        ({"deal": {}}, "deal", "in one of the fields"),
        ({"deal": {"deal": DEAL[:-1]}}, "deal.deal", "expected 13 cards, got 12"),
        ({"deal": {"lin": "md|3S|"}}, "deal.lin", "expected a known hand"),
        ({"deal": {"deal": DEAL, "dealer": "Q"}}, "deal.dealer", "expected a seat"),
    ],
    "contractTricks": [
        ({"boards": [{"deal": {"deal": DEAL}, "contracts": ["1CN", "8CN"]}]},
         "boards[0].contracts[1]", "expected a contract such as"),
        ({"boards": [{"deal": {"deal": DEAL}, "contracts": ["1CN"]},
                     {"deal": {"deal": "N:A"}, "contracts": ["1CN"]}]},
         "boards[1].deal", "expected four hands"),
    ],
    "auctions": [
        ({"deals": []}, "deals", "at least 1 items, got 0"),
        ({"deals": {}}, "deals", "expected a list"),
        ({"deals": None}, "deals", "expected a list"),
        ({"limit": -1}, "limit", "from 1"),
        ({"limit": 0}, "limit", "from 1"),
        ({"limit": 501}, "limit", "up to 500"),
        ({"limit": 10**30}, "limit", "up to 500"),
        ({"limit": 2.5}, "limit", "whole number"),
        ({"limit": "5"}, "limit", "whole number"),
        ({"limit": True}, "limit", "whole number"),
        ({"limit": None}, "limit", "whole number"),
        ({"mode": "best"}, "mode", "'all' or 'first'"),
        ({"completed_only": "yes"}, "completed_only", "true or false"),
        ({"completed_only": 1}, "completed_only", "true or false"),
        ({"table": 7}, "table", "expected text"),
        ({"tabel": "sayc"}, "tabel", "of this name; did you mean table?"),
    ],
    "members": [
        ({"entries": []}, "entries", "at least 1 items"),
        ({"entries": ["1N"] * 101}, "entries", "at most 100 items"),
        ({"entries": ["1N", "2D"]}, "entries[1]", "expected an auction of the table"),
        ({"entries": [7]}, "entries[0]", "got 7"),
        ({"entries": ["no"]}, "entries[0]", "'no'"),
        ({"entries": [""]}, "entries[0]", "expected an auction of the table"),
        ({"entries": ["1N 1C"], "table": "small"}, "entries[0]", "call 2, '1C', is illegal"),
        ({"entries": [""], "table": "small"}, "entries[0]", "at least one call"),
        ({"entries": ["1N", -1]}, "entries[1]",
         "expected a number from 0 or an auction as text, got -1"),
        ({"entries": ["1N", True]}, "entries[1]",
         "expected a number from 0 or an auction as text, got true"),
        ({"entries": ["1N", "P" * 2001]}, "entries[1]", "expected at most 2000 characters"),
        ({"deals": [{"deal": "N:A"}]}, "deals[0].deal", "expected four hands"),
    ],
    "practiceDeals": [
        ({}, "themes", "expected themes or a script"),
        ({"themes": []}, "themes", "expected themes or a script"),
        ({"themes": ["stayman"], "script": "1"}, "themes", "expected themes or a script"),
        ({"themes": ["stayman", "staymen"]}, "themes[1]", "expected a theme"),
        ({"themes": ["stayman"], "seat": "Q"}, "seat", "expected a seat"),
        ({"themes": ["stayman"], "count": 0}, "count", "from 1"),
        ({"script": "hcp(north) >"}, "script", "expected a number, a function"),
        ({"script": "tricks(north, clubs) > 5"}, "script", "expected a script without tricks"),
        ({"script": "# share 40 x\nx = 1"}, "script", "expected shares above 0"),
        ({"script": "hcp(north) / 0"}, "script", "a divisor other than 0"),
    ],
    "systemCheck": [
        ({"system": {}}, "system", "expected a text or a table, and not both"),
        ({"system": {**TINY, "table": "small"}}, "system", "a text or a table, and not both"),
        ({"system": {"table": "rows"}}, "system.table", "expected a system without overlays"),
        ({"system": {"text": "x" * (1 << 18) + "y"}}, "system.text", "at most 262144"),
        ({"system": {"text": "x", "options": [1]}}, "system.options", "expected an object"),
        ({"system": {"text": "x", "options": {"bool": 1}}}, "system.options.bool",
         "expected true or false"),
        ({"system": {"text": "x", "pages": {"../p.bidding": "y"}}}, "system.pages",
         "expected a file name without folders that ends in .bidding"),
        ({"deals": 20_001}, "deals", "up to 20000"),
        ({"auctions": ["1N 1C"]}, "auctions[0]", "insufficient"),
    ],
    "systemDiff": [
        ({"new": None}, "new", "expected an object"),
    ],
    "compare": [
        ({"boards": [{"deal": "N:A"}]}, "boards[0].deal", "expected four hands"),
    ],
    "bench": [
        ({"system": {"table": "rows"}}, "system.table", "expected a system without overlays"),
        ({"against": []}, "against", "at least 1 items"),
        ({"against": [{"table": "rows"}]}, "against[0].table", "a system without overlays"),
        ({"boards": 0}, "boards", "from 1"),
        ({"boards": 1001}, "boards", "up to 1000"),
        ({"bank": "mine"}, "bank", "'held-out', "),
    ],
}  # fmt: skip
"""By question: what is changed, the field at fault, words of the message."""


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("refusals")
    (folder / "small.bidding").write_text(SMALL_SYSTEM, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDCASCADE_CACHE", str(folder / "cache"))
        compile_few(patch)
        yield loaded_app(
            table=f"rows={write_small_table(folder)}",
            extra_tables=str(folder / "small.bidding"),
            backend="cpu",
            max_request_deals=2000,
            max_limit_auctions=500,
            request_timeout_ms=250_000,
        )


@pytest.mark.parametrize(
    ("name", "change", "field", "reason"),
    [(name, *row) for name, rows in REFUSALS.items() for row in rows],
    ids=lambda one: str(one)[:50],
)
def test_the_field_at_fault_is_named(app, name, change, field, reason):
    answer = post(app, QUESTIONS[name].path, ASKED[name] | change)
    problem = problem_of(answer, 422, "invalid-request")
    (error,) = problem["errors"]
    assert error["field"] == field
    assert reason in error["reason"]
    assert problem["detail"].startswith(f"{field}: ")
    slots = app.state.own.slots
    assert slots.free == slots.count


def test_the_largest_number_of_auctions_is_none_of_them(app):
    assert post(app, "/v1/auctions", GOOD | {"mode": "all", "limit": 500}).status_code == 200


def test_every_question_with_a_body_has_refusals():
    bodies = {
        name for name, one in QUESTIONS.items() if one.method == "post" and one.request is not None
    }
    # a job is a form, and its mode says which question it asks
    assert bodies - REFUSALS.keys() == {"interpret", "jobCreate"}
