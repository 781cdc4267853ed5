"""What calls mean, written for programs that alert."""

import re

import pytest

from bidcascade.systems.notations.alerts import alerts_of, write_bboalert, write_bss
from bidcascade.systems.system import System

TEXT = """\
system Ours, {mostly}

opening:
  1NT = Strong notrump: 15-17 points, balanced
  1M = Five-card major: 12-21 points, 5+ M; forcing
after 1NT:
  transfer to 2M = Transfer: 5+ M; artificial, transfer
  Pass = Weak: at most 9 points
over (1M):
  Double = Takeout, with a name that is far too long for the field of a call: 12+ points
  Pass = Nothing: any hand
after 1M (Double):
  Redouble = Values: 10+ points
"""


@pytest.fixture(scope="module")
def alerts():
    return list(alerts_of(System.parse(TEXT), deals=1500))


def test_records_of_bboalert(alerts):
    first, *records = write_bboalert(alerts, "Ours, {mostly}").splitlines()
    assert first == "BBOalert,Ours; {mostly}"
    fields = [one.split(",") for one in records]
    # no comma in a text, and the tokens of calls are of two characters
    assert {len(one) for one in fields} == {3}
    assert all(re.fullmatch(r"[+]?|(?:[1-7][CDHSN]|--|Db|Rd)*", one[0]) for one in fields)
    assert next(one for one in fields if one[0] == "")[1:] == [
        "1N",
        "Strong notrump: 15-17 points; balanced",
    ]
    before = ""
    told = {}
    for context, call, text in fields:
        before = before if context == "+" else context
        told[before, call] = text
    assert told["1N--", "2D"].startswith("Transfer: ")
    assert "5+ !H" in told["1N--", "2D"]
    assert told["1HDb", "Rd"].startswith("Values: 10+ points")
    # what is too long goes into the chat
    short, sign, rest = told["1H", "Db"].partition("#")
    assert len(short) <= 39
    assert sign
    assert f"{short} {rest}".startswith("Takeout; with a name that is far too long for the field")


def test_records_of_full_disclosure(alerts):
    first, *records = write_bss(alerts, "Ours, {mostly}").splitlines()
    assert first == "*00{Ours, (mostly)}=NYYYYYY"
    assert "001N=NYYYYYY0Strong notrump: 15-17 points, balanced" in records
    assert any(one.startswith("001NP2D=YYYYYYYA0") and "!H" in one for one in records)
    assert any(one.startswith("001H=NYYYYYY558Five-card major") for one in records)
    # they opened
    assert any(one.startswith("*001HD=NYYYYYY0Takeout") for one in records)
    assert all(one.startswith(("00", "*00")) for one in records)


def test_auctions_of_few_deals_and_behind_first_passes_are_left_out(alerts):
    system = System.parse(TEXT)
    assert not any(one.auction[:1] == (0,) for one in alerts)
    assert len(list(alerts_of(system, deals=300, least=200))) < len(alerts)
    assert {one.auction for one in alerts_of(system, deals=3, least=4)} == {()}
