"""What the API's description lets through, the service takes: spellings, one of several, counts."""

import importlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bidcascade.bridge import parse_call, parse_seat, parse_vulnerability
from bidcascade.engine.questions.parts.texts import CallText, SeatText, VulnerabilityText
from tests.check.missing import missing
from tests.support.service import DEAL, ask, loaded_app

# the validator comes with the extra fuzz
pytestmark = pytest.mark.slow

HAND = "K52.AQ3.9876.KJ2"
HANDS = DEAL.removeprefix("N:").split()
SPELLINGS = {
    parse_seat: (SeatText, ("N", "e", "South", "west"), ("", "Q", "NE", "Nord")),
    parse_vulnerability: (
        VulnerabilityText, ("None", "NS", "ew", "N-S", "Both", "All", "love", "-"), ("we", "X"),
    ),
    parse_call: (
        CallText, ("P", "pass", "X", "xx", "D", "dbl", "Rdbl", "1C", "7NT", "3n", "2♠"),
        ("", "8C", "0N", "XXX", "1NN", "1 C"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("read", SPELLINGS, ids=lambda read: read.__name__)
def test_spellings_that_are_described_are_read(read):
    described, good, bad = SPELLINGS[read]
    pattern = TypeAdapter(described).json_schema()["pattern"]
    matching = st.from_regex(pattern, fullmatch=True)

    @given(matching)
    def all_are_read(text):
        read(text)

    all_are_read()
    validator = validator_of({"type": "string", "pattern": pattern})
    assert [text for text in good if not validator.is_valid(text)] == []
    assert [text for text in bad if validator.is_valid(text)] == []


def validator_of(schema):
    try:
        return importlib.import_module("jsonschema_rs").Draft202012Validator(schema)
    except ImportError:
        missing("schemathesis is not installed: pip install -e '.[fuzz]'")


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return loaded_app(tmp_path_factory.mktemp("described"))


def asked(**deal):
    return "/v1/auctions", {"deals": [deal]}


REFUSED = [
    asked(),
    asked(dealer="N"),
    asked(deal=None),
    asked(deal=DEAL, hands=HANDS),
    asked(deal=DEAL, lin="md|3S|"),
    asked(hands=HANDS[:3]),
    asked(hands=[]),
    asked(deal=DEAL, dealer="Q"),
    asked(deal=DEAL, vulnerability="we"),
    ("/v1/bid", {"hand": "hello"}),
    ("/v1/bid", {"hand": "K52.AQ3.9876"}),
    ("/v1/bid", {"hand": HAND, "dealer": ""}),
    ("/v1/bid", {"hand": HAND, "auction": ["8C"]}),
    ("/v1/bid", {"hand": HAND, "auction": 5}),
    ("/v1/layouts", {"auction": ["1Z"]}),
    ("/v1/interpret", {"auction": [], "dealer": "NE"}),
    ("/v1/leads", {"hand": HAND, "auction": ["8C"]}),
    ("/v1/leads", {"hand": HAND}),
    ("/v1/leads", {"hand": HAND, "auction": ["1N", "P", "P", "P"], "contract": "1NN"}),
]
TAKEN = [
    asked(deal=DEAL),
    asked(deal=DEAL, hands=None, dealer="e", vulnerability="All"),
    asked(hands=HANDS),
    ("/v1/bid", {"hand": HAND, "auction": "1N-P"}),
    ("/v1/bid", {"hand": "SK52HAQ3D9876CKJ2", "auction": ["1NT", "pass"], "dealer": "South"}),
    ("/v1/bid", {"hand": "AK.-.QJT98765432.-"}),
]


@pytest.mark.parametrize(("path", "body"), [*REFUSED, *TAKEN], ids=lambda value: str(value)[:70])
def test_the_description_refuses_what_the_service_refuses(app, path, body):
    document = json.loads(json.dumps(app.openapi()))
    content = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    described = validator_of({**content["schema"], "components": document["components"]})
    answer = ask(app, "POST", path, body=body)
    assert answer.is_success == ((path, body) in TAKEN), answer.text
    assert described.is_valid(body) == answer.is_success
