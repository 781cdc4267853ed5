"""Jobs for tests: archives written by us, an application that takes them, waiting for their end."""

import io
import os
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bidcascade.loaders import random_deals, write_deal_parquet, write_lin, write_pbn
from bidcascade.service.jobs import child
from tests.support.service import ask, loaded_app

UPLOAD = {"Content-Type": "application/octet-stream"}


def archive(count: int, kind: str = "lin", seed: int = 1) -> bytes:
    """File of random boards."""
    deals = random_deals(count, seed=seed)
    text = io.StringIO()
    (write_lin if kind == "lin" else write_pbn)(deals, text)
    return text.getvalue().encode()


def parquet_archive(folder: Path, count: int, seed: int = 1) -> bytes:
    """Parquet file of random boards."""
    path = folder / "archive.parquet"
    write_deal_parquet(random_deals(count, seed=seed), path)
    content = path.read_bytes()
    path.unlink()
    return content


def jobs_app(folder: Path, **settings: Any) -> FastAPI:
    """Application with the small table and a data folder of its own, its tables loaded."""
    return loaded_app(folder, **{"data_folder": str(folder / "data"), **settings})


def upload(app: FastAPI, content: bytes, query: str = "", **headers: str) -> httpx.Response:
    """Begin a job with an archive."""
    return ask(app, "POST", f"/v1/jobs{query}", content=content, headers={**UPLOAD, **headers})


def wait_for(app: FastAPI, job_id: str, *states: str, seconds: float = 200) -> dict[str, Any]:
    """Wait until a job has ended, or is in one of some states."""
    wanted = states or ("done", "failed", "cancelled")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = ask(app, "GET", f"/v1/jobs/{job_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        if found["state"] in wanted:
            return found
        assert found["state"] in ("queued", "running"), found
        time.sleep(0.05)
    raise AssertionError(f"the job is still {found}")


def download(app: FastAPI, job_id: str, name: str) -> bytes:
    """One file of a job."""
    answer = ask(app, "GET", f"/v1/jobs/{job_id}/results/{name}")
    assert answer.status_code == 200, answer.text
    return answer.content


def use_module(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let jobs be done by a module of the tests, which children find only where it is named."""
    monkeypatch.setattr(child, "MODULE", f"{__package__}.{name}")
    root = str(Path(__file__).absolute().parents[3])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
