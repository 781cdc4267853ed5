"""A question is written down once: its route, its flags and the client's method say the same."""

import argparse
import json
from dataclasses import MISSING, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from bidcascade.bridge import BidcascadeError
from bidcascade.engine.questions.archives import BoardConditions, BoardsQuestion, NodeQuestion
from bidcascade.engine.questions.bidding.bids import (
    BidRequest,
    SearchRequest,
    SimulateRequest,
)
from bidcascade.engine.questions.bidding.explaining import ExplainQuestion
from bidcascade.engine.questions.deals.auctions import AuctionsRequest, MembersRequest
from bidcascade.engine.questions.deals.practice_deals import PracticeDealsRequest
from bidcascade.engine.questions.inference.infer import InferRequest
from bidcascade.engine.questions.inference.layouts import (
    InterpretRequest,
    LayoutsRequest,
)
from bidcascade.engine.questions.inference.leads import LeadsRequest, read_leads
from bidcascade.engine.questions.parts.fields import (
    Flag,
    check_values,
    question,
    question_field,
    taken,
)
from bidcascade.engine.questions.registry import QUESTIONS
from bidcascade.engine.questions.systems import (
    BenchRequest,
    CompareRequest,
    SystemCheckRequest,
    SystemDiffRequest,
)
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.cli import make_parser
from bidcascade.service.cli.flags import add_flags, question_of
from bidcascade.service.cli.shared import UsageError
from bidcascade.service.client import option_types
from tests.support.cli import run_python

ROUTES = {name: one for name, one in QUESTIONS.items() if one.request is not None}
COMMANDS = {
    BoardsQuestion: ("archive", "boards"),
    NodeQuestion: ("archive", "calls"),
    AuctionsRequest: ("auctions",),
    BidRequest: ("bid",),
    SimulateRequest: ("bid",),
    SearchRequest: ("bid",),
    LayoutsRequest: ("layouts",),
    InterpretRequest: ("interpret",),
    LeadsRequest: ("lead",),
    ExplainQuestion: ("explain",),
    SystemCheckRequest: ("system", "check"),
    SystemDiffRequest: ("system", "diff"),
}
"""Commands that have all flags of a question."""
OPTIONS = {
    BoardsQuestion: ("ArchiveBoardsOptions", {"auction", "format"}),
    BoardConditions: ("ArchiveCountsOptions", {"auction"}),
    ExplainQuestion: ("ExplainOptions", {"auction"}),
    AuctionsRequest: ("AuctionsOptions", {"deals"}),
    MembersRequest: ("MembersOptions", {"deals", "entries"}),
    BidRequest: ("BidOptions", {"hand", "auction"}),
    LayoutsRequest: ("LayoutsOptions", {"auction"}),
    InterpretRequest: ("InterpretOptions", {"auction"}),
    InferRequest: ("InferOptions", {"auction"}),
    LeadsRequest: ("LeadsOptions", {"hand", "auction"}),
    PracticeDealsRequest: ("PracticeDealsOptions", set()),
    SystemCheckRequest: ("SystemCheckOptions", {"system", "opponents"}),
    SystemDiffRequest: ("SystemDiffOptions", {"old", "new"}),
    CompareRequest: ("CompareOptions", {"first", "second", "boards"}),
    BenchRequest: ("BenchOptions", {"system", "against"}),
}
"""Types of the options of the clients' methods, and the fields that are arguments of theirs."""


@pytest.fixture(scope="module")
def document():
    return create_app(Settings(host="127.0.0.1", api_keys_file="")).openapi()


def by_id(table):
    return pytest.mark.parametrize("kind", table, ids=lambda kind: kind.__name__)


@pytest.mark.parametrize("name", ROUTES)
def test_the_description_has_the_fields(document, name):
    kind = ROUTES[name].request
    operation = document["paths"][ROUTES[name].path][ROUTES[name].method]
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        described = {
            one["name"]: {**one["schema"], "description": one["description"]}
            for one in operation["parameters"]
            if one["in"] == "query"
        }
    else:
        title = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert title == kind.__name__
        described = document["components"]["schemas"][title]["properties"]
    assert list(described) == [one.name for one in fields(kind)]
    for one in fields(kind):
        told = described[one.name]
        if "description" in one.metadata:
            assert told["description"] == one.metadata["description"]
        if one.default not in (MISSING, None):
            assert told["default"] == json.loads(json.dumps(one.default))
        for name, key in (("ge", "minimum"), ("le", "maximum")):
            if name in one.metadata:
                places = [told, *told.get("anyOf", ())]
                assert [place[key] for place in places if key in place] == [one.metadata[name]]


@by_id(COMMANDS)
def test_the_command_has_the_flags(kind):
    parser = make_parser(COMMANDS[kind])
    for word in COMMANDS[kind]:
        (actions,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
        parser = actions.choices[word]
    there = {one.dest: one for one in parser._actions}
    flagged = {name: one for name, one in taken(kind).items() if one.flag is not None}
    assert flagged
    for name, one in flagged.items():
        assert there[name].help == one.flag.help
        if one.flag.name is None:
            assert there[name].option_strings == [f"--{name.replace('_', '-')}"]


def test_help_loads_no_models():
    """The fields of questions are read without pydantic, which takes as long as help itself."""
    code = (
        "import sys; from bidcascade.service.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*(name for name in ('numpy', 'polars', 'pydantic') if name in sys.modules))"
    )
    for words in COMMANDS.values():
        told = run_python(code, *words, "--help")
        assert told.out.splitlines()[-1] == "", words


@by_id(OPTIONS)
def test_the_client_has_the_options(kind):
    name, arguments = OPTIONS[kind]
    options = getattr(option_types, name)
    assert options.__optional_keys__ == {one.name for one in fields(kind)} - arguments


# --- the form itself ------------------------------------------------------------------------------


@question
class Sample:
    """A question of each kind of field."""

    place: str = question_field(default="", flag=Flag("where", "PLACE", name="place"))
    mode: str = question_field(default="first", flag=Flag("how"))
    count: int = question_field(default=7, ge=1, le=9, flag=Flag("how many", "N"))
    limit: int = question_field(default=3, ge=1, flag=Flag("at most", "N", default=None))
    seed: int | None = question_field(default=None, ge=0, flag=Flag("of chance", "S"))
    exact: bool = question_field(default=False, flag=Flag("ends there"))
    strict: bool = question_field(
        default=True, flag=Flag("less strict", name="--loose", turns_off=True)
    )
    where: tuple[str, ...] = question_field(
        default=(), max_length=2, flag=Flag("condition", "EXPR")
    )
    level: tuple[str, ...] = question_field(
        default=(), max_length=2, flag=Flag("class", "C", many="behind")
    )
    hidden: str = question_field(default="over REST alone")


WORDS = st.text("abc", min_size=1, max_size=3)
SAMPLES = st.builds(
    Sample,
    place=WORDS,
    mode=WORDS,
    count=st.integers(1, 9),
    limit=st.integers(1, 9),
    seed=st.none() | st.integers(0, 9),
    exact=st.booleans(),
    strict=st.booleans(),
    where=st.lists(WORDS, max_size=2).map(tuple),
    level=st.lists(WORDS, max_size=2).map(tuple),
)


def parsed(words):
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_flags(parser, Sample)
    return parser.parse_args(words)


def words_of(sample):
    words = [sample.place, "--mode", sample.mode, "--count", f"{sample.count}"]
    words += ["--limit", f"{sample.limit}"]
    words += [] if sample.seed is None else ["--seed", f"{sample.seed}"]
    words += ["--exact"] * sample.exact + ["--loose"] * (not sample.strict)
    words += [word for text in sample.where for word in ("--where", text)]
    return words + (["--level", *sample.level] if sample.level else [])


@given(SAMPLES)
def test_flags_and_json_ask_the_same(sample):
    check_values(sample)
    assert question_of(Sample, parsed(words_of(sample))) == sample
    told = {one.name: getattr(sample, one.name) for one in fields(sample)}
    assert TypeAdapter(Sample).validate_json(json.dumps(told)) == sample


def test_what_is_not_given():
    assert question_of(Sample, parsed([])) == Sample()
    # what a command says stands behind what was given, and before the question's own
    assert question_of(Sample, parsed([]), limit=5).limit == 5
    assert question_of(Sample, parsed(["--limit", "6"]), limit=5).limit == 6
    assert question_of(Sample, parsed([]), hidden="by the command").hidden == "by the command"


@pytest.mark.parametrize(
    ("name", "value"),
    [("count", 0), ("count", 10), ("limit", 0), ("seed", -1), ("where", ("a",) * 3)],
)
def test_values_out_of_bounds(name, value):
    sample = Sample(**{name: value})
    with pytest.raises(BidcascadeError, match=name) as caught:
        check_values(sample)
    assert (caught.value.field, caught.value.value) == (name, value)
    with pytest.raises(ValidationError):
        TypeAdapter(Sample).validate_json(json.dumps({name: value}))
    if isinstance(value, int):
        with pytest.raises((argparse.ArgumentError, UsageError), match="whole number"):
            parsed([f"--{name}", f"{value}"])


HAND = "K52.AQ3.9876.KJ2"


def test_fields_that_nobody_knows():
    with pytest.raises(ValidationError, match="colour"):
        TypeAdapter(Sample).validate_json('{"colour": "red"}')


def test_an_auction_without_calls_leaves_a_contract_alone():
    assert read_leads(LeadsRequest(HAND, (), "3NE")).calls == ()
