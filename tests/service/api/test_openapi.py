"""The description of the API: complete, with examples that hold."""

import json
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, get_type_hints

import pytest
from pydantic import TypeAdapter

from bidcascade.engine import questions
from bidcascade.engine.questions.bidding.bids import BidRequest
from bidcascade.engine.questions.deals.auctions import AuctionsRequest, DealRequest
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.api.http.problems import KINDS, MEDIA_TYPE
from tests.support.service import ask, loaded_app

MODULES = [
    import_module(one.name) for one in walk_packages(questions.__path__, f"{questions.__name__}.")
]
QUESTIONS = [
    kind
    for module in MODULES
    for kind in vars(module).values()
    if hasattr(kind, "__pydantic_config__") and kind.__module__ == module.__name__
]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return json.loads(json.dumps(create_app(Settings()).openapi()))


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def test_operations_are_named(document):
    names = [operation["operationId"] for *_, operation in operations(document)]
    assert len(names) == len(set(names))
    assert all(operation["summary"] for *_, operation in operations(document))


def test_every_field_is_described(document):
    bare = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, described in schema["properties"].items()
        if "$ref" not in described and not described.get("description")
    ]
    assert not bare
    assert all(schema["description"] for schema in document["components"]["schemas"].values())


@pytest.mark.parametrize("kind", QUESTIONS, ids=lambda kind: kind.__name__)
def test_examples_of_questions_hold(kind):
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        examples = one.metadata.get("examples", ())
        # what is made of questions is described by them
        if not any(kind.__name__ in str(hints[one.name]) for kind in QUESTIONS):
            assert examples, f"{kind.__name__}.{one.name} has no example"
        for example in examples:
            TypeAdapter(hints[one.name]).validate_json(json.dumps(example))


def test_answers_are_all_in_the_document(document):
    # parts that others are made of are described with them
    parts = {base.__name__ for kind in QUESTIONS for base in kind.__mro__[1:]}
    found = {kind.__name__ for kind in QUESTIONS if kind.__name__.endswith("Answer")}
    assert found - parts <= document["components"]["schemas"].keys()


def test_errors_are_problems(document):
    for method, path, operation in operations(document):
        statuses = set(operation["responses"]) - {"200", "202", "204"}
        assert {"406", "500"} <= statuses, (method, path)
        assert statuses <= {str(kind.status) for kind in KINDS.values()}
        for status in statuses:
            (content,) = operation["responses"][status]["content"].items()
            assert content == (
                MEDIA_TYPE,
                {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}},
            )


def test_bodies_and_forms_are_described(document):
    operation = document["paths"]["/v1/auctions"]["post"]
    (body,) = operation["requestBody"]["content"].items()
    reference = {"$ref": "#/components/schemas/AuctionsRequest"}
    assert body == ("application/json", {"schema": reference})
    assert set(operation["responses"]["200"]["content"]) == {
        "application/json",
        "application/jsonl",
        "application/vnd.apache.arrow.stream",
    }


def test_references_lead_somewhere(document):
    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for inner in value.values():
                yield from references(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from references(inner)

    names = {reference.rpartition("/")[2] for reference in references(document)}
    assert names <= document["components"]["schemas"].keys()


@pytest.mark.slow
def test_the_examples_of_requests_are_answered():
    app = loaded_app()
    for kind, path in ((AuctionsRequest, "/v1/auctions"), (BidRequest, "/v1/bid")):
        body = {one.name: one.metadata["examples"][0] for one in fields(kind)}
        assert ask(app, "POST", path, body=body).status_code == 200
    for name in ("deal", "hands", "lin"):
        deal = {name: DealRequest.__dataclass_fields__[name].metadata["examples"][0]}
        answer = ask(app, "POST", "/v1/auctions", body={"deals": [deal], "mode": "first"})
        assert answer.json()["results"][0]["auctions"][0]["calls"][0] == "1N"
