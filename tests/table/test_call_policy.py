"""Policies: probabilities of calls become their order; what is no policy is refused by line."""

import json
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import CALL_TEXTS, InvalidTable, format_calls, parse_calls
from bidcascade.engine import Engine
from bidcascade.loaders import random_deals
from bidcascade.service.cli import BAD_INPUT, main
from bidcascade.table import apply_overlays, build_table, open_folder
from bidcascade.table.call_policy import ranks_of, read_call_policy, rules_of, with_call_policy
from tests.support.examples import examples
from tests.support.service import SMALL_ROWS
from tests.support.systems import compile_few
from tests.support.tables import made_up_rows


@pytest.fixture(scope="module")
def table():
    return build_table(SMALL_ROWS)[0]


def siblings(table, auction=""):
    calls = parse_calls(auction)
    return [
        CALL_TEXTS[table.call[entry]]
        for entry in table.children(table.find(calls) if calls else None)
    ]


def coded(policy):
    return {
        bytes(parse_calls(auction)): {CALL_TEXTS.index(call): value for call, value in one.items()}
        for auction, one in policy.items()
    }


def test_falling_probability_then_the_old_order(table):
    assert siblings(table, "1N P") == ["2C", "3N", "P"]
    ranked, report = with_call_policy(table, coded({"1N P": {"P": 0.25, "3N": 0.5}}))
    assert siblings(ranked, "1N P") == ["3N", "P", "2C"]
    assert siblings(ranked) == siblings(table)
    assert (report.places, report.calls) == (1, 2)
    assert str(report).startswith("2 calls ranked at 1 place\n")
    # equals, and what is never called, stand as before
    ranked, _ = with_call_policy(table, coded({"1N P": {"P": 0.5, "2C": 0.5, "3N": 0.0}}))
    assert siblings(ranked, "1N P") == ["2C", "P", "3N"]


def test_what_the_table_does_not_have_is_counted(table):
    policy = coded({"1C": {"1H": 1.0}, "1N P": {"4N": 0.5, "2C": 0.1}, "1N P P": {"X": 1.0}})
    ranked, report = with_call_policy(table, policy)
    found = {kind: (one.count, one.examples) for kind, one in report.findings.items()}
    assert found == {
        "unknown_auctions": (1, ["1C"]),
        "unknown_calls": (2, ["1N P 4N", "1N P P X"]),
        "without_row": (0, []),
        "any_hand": (0, []),
    }
    assert ranked == with_call_policy(table, coded({"1N P": {"2C": 0.1}}))[0]
    assert "auctions of the policy that the table does not have: 1\n  1C" in str(report)


def test_calls_without_a_row_stay_behind():
    table, _ = build_table(
        [{"prior": "1C", "call": "1D"}, {"prior": "", "call": "P"}, {"prior": "", "call": "1N"}]
    )
    assert siblings(table) == ["P", "1N", "1C"]
    ranked, report = with_call_policy(table, coded({"": {"1C": 0.9, "1N": 0.1}}))
    assert siblings(ranked) == ["1N", "P", "1C"]
    assert report.findings["without_row"].examples == ["1C"]


@st.composite
def policies(draw):
    """A made-up table, and probabilities of some of its calls and of others."""
    table, _ = build_table(made_up_rows(200, draw(st.integers(0, 1 << 20))))
    policy = {}
    for _ in range(draw(st.integers(1, 4))):
        entry = draw(st.integers(-1, len(table) - 1))
        prior = bytes(table.auction_of(entry)) if entry >= 0 else b""
        calls = draw(st.lists(st.integers(0, 37), unique=True, min_size=1, max_size=20))
        weights = draw(st.lists(st.integers(0, 3), min_size=len(calls), max_size=len(calls)))
        total = max(1, sum(weights))
        policy[prior] = {call: one / total for call, one in zip(calls, weights, strict=True)}
    return table, policy


@examples(60)
@given(policies())
def test_only_the_order_changes(drawn):
    table, policy = drawn
    ranked, _ = with_call_policy(table, policy)

    def said(one):
        return sorted(
            (row.prior, row.call, row.criteria, row.name, row.description) for row in one.rows()
        )

    assert said(ranked) == said(table)
    for entry in range(-1, len(table)):
        prior = bytes(table.auction_of(entry)) if entry >= 0 else b""
        before = [int(table.call[one]) for one in table.children(entry if prior else None)]
        there = ranked.find(prior) if prior else None
        after = [int(ranked.call[one]) for one in ranked.children(there)]
        chances = policy.get(prior, {})
        # sorting keeps the order of equals
        assert after == sorted(
            before, key=lambda call: (call not in chances, -chances.get(call, 0))
        )
    # laid over the table as rules it is the same order
    ranks, _ = ranks_of(table, policy)
    rules = "".join(json.dumps(rule) + "\n" for rule in rules_of(ranks))
    assert rules.count("\n") == sum(map(len, ranks.values()))


def test_rules_give_the_same_order(table, tmp_path):
    policy = coded({"1N P": {"P": 0.25, "3N": 0.5}, "": {"P": 0.9}})
    ranks, _ = ranks_of(table, policy)
    file = tmp_path / "rules.jsonl"
    file.write_text("".join(json.dumps(rule) + "\n" for rule in rules_of(ranks)))
    laid = apply_overlays(table, [file])
    ranked, _ = with_call_policy(table, policy)
    frame = random_deals(200, seed=1)
    for mode in ("first", "all"):
        answers = [Engine(one, "cpu").auctions(frame, mode=mode) for one in (laid, ranked)]
        assert answers[0].equals(answers[1])
    assert siblings(laid) == siblings(ranked) == ["P", "1N"]


def test_a_policy_for_a_system(tmp_path, capsys, monkeypatch):
    compile_few(monkeypatch)
    policy = tmp_path / "policy.csv"
    policy.write_text("auction,call,probability\n,1C,0.2\n")
    rules = tmp_path / "rules.jsonl"
    assert main(["table", "policy", "sayc", str(policy), "--out", str(rules)]) == 0
    assert "1 call ranked at 1 place" in capsys.readouterr().out
    engine = Engine.open("sayc", "cpu", overlays=[str(rules)])
    hand = "AQ4.KJ3.K876.Q52"
    assert Engine.open("sayc", "cpu").bid(hand).call == "1N"
    assert engine.bid(hand).call == "1C"
    # elsewhere the system goes on
    assert engine.bid("K95.Q872.A54.KT3", "1C P P X P 2C P").candidates


def test_calls_of_any_hand_are_told_where_they_hide_others():
    rows = [{"prior": "", "call": "1N", "criteria": ["HCP >= 15"]}, {"prior": "", "call": "P"}]
    table, _ = build_table(rows)
    _, report = with_call_policy(table, coded({"": {"P": 0.6, "1N": 0.4}}))
    assert report.findings["any_hand"].examples == ["P"]
    for policy, rejected in (({"P": 0.1, "1N": 0.4}, "pass"), ({"P": 1.0}, "reject")):
        other, _ = build_table(rows, undescribed=rejected)
        _, report = with_call_policy(other, coded({"": policy}))
        assert report.findings["any_hand"].count == 0


# --- files ----------------------------------------------------------------------------------------

ROWS = [("", "1N", 0.5), ("1N P", "2C", 0.25), ("1N P", "3N", 0.75)]
READ = {b"": {7: 0.5}, b"\x07\x00": {8: 0.25, 17: 0.75}}


def test_every_format_reads_the_same(tmp_path):
    frame = pl.DataFrame(ROWS, schema=["auction", "call", "probability"], orient="row")
    frame.write_csv(tmp_path / "a.csv")
    frame.write_ndjson(tmp_path / "a.jsonl")
    frame.write_parquet(tmp_path / "a.parquet")
    codes = pl.DataFrame(
        {
            "auction": pl.Series(
                [list(parse_calls(one)) for one, _, _ in ROWS], dtype=pl.List(pl.UInt8)
            ),
            "call": [CALL_TEXTS.index(call) for _, call, _ in ROWS],
            "probability": [value for _, _, value in ROWS],
        }
    )
    codes.write_parquet(tmp_path / "b.parquet")
    codes.write_ndjson(tmp_path / "b.jsonl")
    texts = frame.with_columns(pl.col("auction").str.split(" "))
    texts.filter(pl.col("auction").list.first() != "").write_parquet(tmp_path / "c.parquet")
    for name in ("a.csv", "a.jsonl", "a.parquet", "b.parquet", "b.jsonl"):
        assert read_call_policy(tmp_path / name) == READ, name
    assert read_call_policy(tmp_path / "c.parquet") == {b"\x07\x00": READ[b"\x07\x00"]}


def json_row(auction="1N", call="P", probability=0.5, **more):
    return json.dumps({"auction": auction, "call": call, "probability": probability, **more})


HEAD = "auction,call,probability\n"
NOT_CSV = [
    ("1N,P,1.5", "p.csv, line 2: expected a probability from 0 to 1, got '1.5'"),
    ("1N,P,-0.1", "got '-0.1'"),
    ("1N,P,nan", "got 'nan'"),
    ("1N,P,inf", "got 'inf'"),
    ("1N,P,", "got ''"),
    ("1N,P,half", "got 'half'"),
    ("1N,P,0.5\n1N,Pass,0.5", "line 3: expected each call once, got P after '1N' twice"),
    (",P,0.6\n,1C,0.5", "p.csv: expected probabilities that add up to at most 1 after no call, "),
    ("1N,1C,1", "line 2: call 2, '1C', is illegal after 1N"),
    ("1N P P P,1C,1", "line 2: call 5, '1C', is illegal"),
    ("hello,1C,1", "line 2: expected a call"),
    ("1N,hello,1", "line 2: expected a call"),
    ("1N,P", "line 2: expected 3 cells"),
    ("1N,P,1,2", "line 2: expected 3 cells"),
    ('"1N"x,P,1', "line 2: "),
]
NOT_JSON = [
    (json_row(probability=True), "line 1: expected a probability from 0 to 1, got True"),
    (json_row(probability=None), "got None"),
    (json_row(probability=math.nan), "NaN is no JSON"),
    (json_row(call=38), "expected a call as text or as a code 0-37, got 38"),
    (json_row(call=True), "expected a call as text or as a code 0-37, got True"),
    (json_row(auction=7), "expected an auction as text or codes, got 7"),
    (json_row(auction=None), "expected an auction as text or codes, got None"),
    (json_row(auction=[[7]]), "expected a call as text or as a code"),
    (json_row(auction=["1N", {}]), "expected a call as text or as a code"),
    (json_row(count=3), "line 1: expected the columns"),
    ("\n" + json_row()[:-1] + ', "call": "P"}', "line 2: expected the columns"),
    ("[1, 2]", "line 1: expected a JSON object, got [1, 2]"),
    ("{", "line 1: expected a JSON object"),
    ("[" * 100_000, "line 1: expected a JSON object"),
]
NO_POLICY = [
    *(("p.csv", HEAD + text, message) for text, message in NOT_CSV),
    *(("p.jsonl", text, message) for text, message in NOT_JSON),
    ("p.csv", "auction,call\n", "p.csv: expected the columns auction, call, probability, got "),
    ("p.csv", "auction,call,probability,count\n", "expected the columns"),
    ("p.csv", "", "expected the columns"),
    ("p.parquet", "PAR1 not", "cannot read the policy"),
    ("p.txt", "", "expected a policy with the ending .csv, "),
]


@pytest.mark.parametrize("number", range(len(NO_POLICY)))
def test_files_that_are_no_policy(tmp_path, number):
    name, text, message = NO_POLICY[number]
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidTable) as caught:
        read_call_policy(tmp_path / name)
    assert message in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidTable, match=r"cannot read the policy '.*p.csv': No such file"):
        read_call_policy(tmp_path / "p.csv")
    (tmp_path / "p.csv").write_bytes(b"auction,call,probability\n\xff,P,1\n")
    with pytest.raises(InvalidTable, match=r"p\.csv: expected UTF-8"):
        read_call_policy(tmp_path / "p.csv")
    pl.DataFrame({"auction": ["1N"], "call": ["P"], "probability": [math.nan]}).write_parquet(
        tmp_path / "p.parquet"
    )
    with pytest.raises(InvalidTable, match=r"p.parquet, row 1: expected a probability .* got nan"):
        read_call_policy(tmp_path / "p.parquet")


def test_rounded_probabilities_may_add_up_to_a_little_more(tmp_path):
    calls = [CALL_TEXTS[code] for code in range(3, 38)]
    rows = "".join(f",{call},{1 / 35 + 1e-9:.12f}\n" for call in calls)
    (tmp_path / "p.csv").write_text("auction,call,probability\n" + rows)
    assert len(read_call_policy(tmp_path / "p.csv")[b""]) == 35


def test_the_command(tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps(row)}\n" for row in SMALL_ROWS))
    policy = tmp_path / "policy.csv"
    policy.write_text("auction,call,probability\n1N P,P,0.9\n1N P,7C,0.1\n")
    words = ["table", "policy", str(rows), str(policy), "--out", str(tmp_path / "out")]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    made = open_folder(tmp_path / "out", verify=True)
    assert told["digest"] == made.digest
    assert (told["places"], told["calls"]) == (1, 1)
    assert siblings(made, "1N P") == ["P", "2C", "3N"]
    assert told["findings"]["unknown_calls"]["examples"] == [format_calls(parse_calls("1N P 7C"))]
    assert main(words) == BAD_INPUT
    assert "out" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    policy.write_text("auction,call,probability\n1N P,P,2\n")
    assert main([*words, "--force"]) == BAD_INPUT
    assert "policy.csv, line 2: expected a probability" in capsys.readouterr().err
