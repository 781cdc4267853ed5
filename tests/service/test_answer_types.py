"""The types of the clients say what the service answers and takes."""

import json
import shutil
import subprocess
import sys
from typing import get_type_hints, is_typeddict

import pytest

from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.client import answer_types, option_types
from tests.support.docs import CHECKOUT


def types_in(module):
    """Typed dictionaries of a module by name."""
    return {
        name: one
        for name, one in vars(module).items()
        if is_typeddict(one) and one.__module__ == module.__name__
    }


@pytest.fixture(scope="module")
def schemas():
    document = create_app(Settings(host="127.0.0.1", api_keys_file="")).openapi()
    return json.loads(json.dumps(document))["components"]["schemas"]


def test_every_answer_has_its_type(schemas):
    asked = {name for name in schemas if name.endswith("Request")}
    assert set(schemas) - asked == {*types_in(answer_types), "BoardContracts", "SystemChoice"}
    assert {"BoardContracts", "SystemChoice"} <= set(types_in(option_types))


@pytest.mark.parametrize("name", types_in(answer_types))
def test_an_answer_has_the_described_fields(schemas, name):
    kind, described = types_in(answer_types)[name], schemas[name]
    assert set(get_type_hints(kind)) == set(described["properties"])
    # a field with a default is not required, but one that is always written is in the type
    assert set(described["required"]) <= kind.__required_keys__
    absent = kind.__optional_keys__
    assert all("default" in described["properties"][field] for field in absent)


def write_types(folder, file, before, added):
    """Write the types in a copy of what they are made of, with lines added to a file."""
    for name in ("bridge", "engine/questions", "build_backend"):
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / name, folder / name, ignore=without)
    (folder / "service/client").mkdir(parents=True)
    changed = folder / "engine/questions" / file
    head, found, rest = changed.read_text("utf-8").partition(before)
    assert found
    changed.write_text(f"{head}{found}{added}{rest}", "utf-8")
    command = [sys.executable, "-I", str(folder / "build_backend/client_types.py")]
    return subprocess.run(command, capture_output=True, text=True)


def write_with_field(folder, field):
    """Write the types in a copy whose answers have a further field."""
    text = (CHECKOUT / "engine/questions/inference/leads.py").read_text("utf-8")
    begin = text.index("class LeadLayouts:\n")
    before = text[begin : text.index('"""\n\n', begin)] + '"""\n\n'
    return write_types(folder, "inference/leads.py", before, f"    {field}\n")


@pytest.mark.checkout
def test_a_further_question_is_a_method_of_the_clients(tmp_path):
    row = (
        'Question(name="leadCount", path="/v1/lead-count", summary="How many", says="A number.", '
        "request=LeadsRequest, answer=ThemesAnswer),"
    )
    ran = write_types(
        tmp_path, "registry.py", "_ROWS: Final[tuple[Question[Any, Any, Any], ...]] = (\n", row
    )
    assert ran.returncode == 0, ran.stderr
    methods = "service/client/question_methods.py"
    here = (CHECKOUT / methods).read_text("utf-8")
    head, _, rest = (tmp_path / methods).read_text("utf-8").partition("    def lead_count(\n")
    added, _, rest = rest.partition("\n    @operation\n")
    assert head + rest == here
    assert "auction: Calls | None = None" in added
    assert "**options: Unpack[options_of.LeadsOptions]" in added
    assert 'Question("POST", "/v1/lead-count", body=body)' in added


@pytest.mark.checkout
def test_a_further_field_is_in_the_types_that_a_build_writes(tmp_path):
    ran = write_with_field(
        tmp_path, 'hcp: tuple[int, ...] | None = answer_field(description="Of hands.")'
    )
    assert ran.returncode == 0, ran.stderr
    here = (CHECKOUT / "service/client/answer_types.py").read_text("utf-8")
    there = (tmp_path / "service/client/answer_types.py").read_text("utf-8")
    assert there == here.replace(
        "class LeadLayouts(TypedDict):\n",
        "class LeadLayouts(TypedDict):\n    hcp: list[int] | None\n",
    )
    options = "service/client/option_types.py"
    assert (tmp_path / options).read_bytes() == (CHECKOUT / options).read_bytes()


@pytest.mark.checkout
def test_a_field_that_json_has_no_value_for_is_named(tmp_path):
    ran = write_with_field(tmp_path, 'hcp: set[int] = answer_field(description="Of the hand.")')
    assert "LeadLayouts.hcp: expected a type that JSON has a value for, got set[int]" in ran.stderr
    assert ran.returncode == 1
    assert not list((tmp_path / "service/client").iterdir())
