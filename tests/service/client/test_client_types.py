"""Clients cost little to load."""

import subprocess
import sys

HEAVY = ("fastapi", "numpy", "polars", "pyarrow", "pydantic", "starlette", "uvicorn")


def test_loading_the_clients_loads_nothing_of_the_engine():
    code = (
        "import sys, bidcascade.service.client as c; c.Client, c.AsyncClient; "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
