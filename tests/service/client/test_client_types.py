"""Clients know every field of the API, and cost little to load."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bidcascade.service.client.write_answer_types import types_of

ROOT = Path(__file__).parents[3]
HEAVY = ("fastapi", "numba", "numpy", "polars", "pyarrow", "pydantic", "starlette", "uvicorn")


@pytest.mark.parametrize("kind", ["answers", "options"])
def test_types_are_those_of_the_api(kind):
    description = ROOT / "docs" / "openapi.json"
    if not description.exists():
        pytest.skip("no docs beside the tests, as when the installed wheel is tested")
    module = f"{kind.removesuffix('s')}_types"
    text = (ROOT / "service" / "client" / f"{module}.py").read_text("utf-8")
    assert text == types_of(json.loads(description.read_text("utf-8")), kind), (
        f"write it anew: python -m bidcascade.service.client.write_answer_types {kind} "
        f"docs/openapi.json > service/client/{module}.py"
    )


def test_loading_the_clients_loads_nothing_of_the_engine():
    code = (
        "import sys, bidcascade.service.client as c; c.Client, c.AsyncClient; "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
