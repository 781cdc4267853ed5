"""One registry of questions: each has a described answer, and no route stands beside it."""

import inspect
from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bidcascade.engine.questions.parts.answer_fields import (
    ABSENT,
    answer,
    answer_field,
    answer_of,
    plain,
    with_fields,
)
from bidcascade.engine.questions.parts.answer_parts import FromTable
from bidcascade.engine.questions.registry import QUESTIONS
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app

FILES = {"metrics", "jobResult"}
"""Operations whose answer is a file."""


@answer
class Part:
    value: float = answer_field(description="Mean.", digits=2)


@answer
class Whole:
    part: Part = answer_field(description="One.")
    parts: tuple[Part, ...] = answer_field(description="Some.")
    by_name: dict[str, Part] = answer_field(description="By name.")
    none: Part | None = answer_field(description="Or none.")
    left_out: int | None = answer_field(description="Absent if unknown.", default=ABSENT)


@pytest.fixture(scope="module")
def operations():
    document = create_app(Settings(api_keys_file="")).openapi()
    return {
        operation["operationId"]: (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_no_route_beside_the_registry(operations):
    assert operations.keys() - FILES == QUESTIONS.keys()
    for name, question in QUESTIONS.items():
        method, path, operation = operations[name]
        assert (method, path) == (question.method, question.path), name
        assert operation["summary"] == question.summary, name


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=lambda question: question.name)
def test_a_question_has_an_answer_field_by_field(question):
    assert is_dataclass(question.answer), f"{question.name} has no answer"
    for one in fields(question.served):
        assert one.metadata.get("description"), f"{question.name}: {one.name} is not described"
    assert (question.read is None) == (question.answered is None)
    if question.answered is not None:
        assert question.description, f"{question.name} does not say what is asked"
        assert question.request is not None
        if question.most:
            assert question.most in {one.name for one in fields(question.request)}


def test_a_field_without_description_is_refused():
    class Bare:
        __annotations__ = {"value": int}

    with pytest.raises(TypeError, match=r"expected a description of Bare\.value"):
        answer(Bare)


def test_an_answer_is_made_of_what_was_found():
    part = SimpleNamespace(value=1 / 3, other="left")
    found = SimpleNamespace(part=part, parts=[part, {"value": -0.001}], by_name={"x": part})
    made = answer_of(Whole, found, none=None)
    assert made.parts[1] == Part(value=-0.001)
    assert plain(made) == {
        "part": {"value": 0.33},
        "parts": [{"value": 0.33}, {"value": 0.0}],
        "by_name": {"x": {"value": 0.33}},
        "none": None,
    }
    assert str(plain(made)["parts"][1]["value"]) == "0.0"
    with pytest.raises(AttributeError, match="none"):
        answer_of(Whole, found)


class Pair(NamedTuple):
    first: float
    second: tuple[float, ...]


@answer
class Named:
    source: str = answer_field(description="Where from.", json_name="from")


def test_records_of_what_was_found_are_written_too():
    assert plain([Pair(1 / 3, (0.5,))], digits=1) == [{"first": 0.3, "second": [0.5]}]


def test_a_name_that_python_takes_not():
    assert plain(Named(source="given")) == {"from": "given"}
    schema = TypeAdapter(Named).json_schema()
    assert (schema["required"], schema["properties"]["from"]["type"]) == (["from"], "string")


def test_what_a_service_adds_comes_last():
    served = with_fields(Whole, FromTable)
    assert [one.name for one in fields(served)][-2:] == ["table", "backend"]
    assert (served.__name__, inspect.getdoc(served)) == ("Whole", inspect.getdoc(Whole))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(VALUES)
def test_plain_values_stay_what_they_are(value):
    assert plain(value) == value


@pytest.mark.parametrize("wrong", [{1, 2}, object(), b"1"])
def test_no_value_of_json(wrong):
    with pytest.raises(TypeError, match="expected an answer or a value of JSON"):
        plain(wrong)
