"""Clients know every field of the API, and cost little to load."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bidcascade.service.client import AsyncClient, Client
from bidcascade.service.client.write_answer_types import answer_types, option_types

ROOT = Path(__file__).parents[3]
HEAVY = ("fastapi", "numba", "numpy", "polars", "pyarrow", "pydantic", "starlette", "uvicorn")


@pytest.mark.parametrize(("kind", "write"), [("answers", answer_types), ("options", option_types)])
def test_types_are_those_of_the_api(kind, write):
    description = ROOT / "docs" / "openapi.json"
    if not description.exists():
        pytest.skip("no docs beside the tests, as when the installed wheel is tested")
    module = f"{kind.removesuffix('s')}_types"
    text = (ROOT / "service" / "client" / f"{module}.py").read_text("utf-8")
    assert text == write(json.loads(description.read_text("utf-8"))), (
        f"write it anew: python -m bidcascade.service.client.write_answer_types {kind} "
        f"docs/openapi.json > service/client/{module}.py"
    )


def test_both_clients_have_the_same_methods():
    names = [
        {name for name in vars(kind) if not name.startswith("_")} for kind in (Client, AsyncClient)
    ]
    assert names[0] == names[1]
    assert len(names[0]) >= 20


def test_loading_the_clients_loads_nothing_of_the_engine():
    code = (
        "import sys, bidcascade.service.client as c; c.Client, c.AsyncClient; "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
