"""What a service has compiled: by another process, and only what nobody has compiled before."""

import subprocess
import threading
import time

import httpx
import pytest

from bidcascade.kernels.child_processes import start_module
from bidcascade.service.api import compile_ahead, routes_layouts, warm_up
from tests.support_service import loaded_app, post, problem_of, ready_server

MODULE = "bidcascade.service.api.compile_ahead"


@pytest.mark.parametrize("kept", [True, False])
def test_only_what_is_not_kept_is_compiled(monkeypatch, kept):
    started = []

    def start(module, **options):
        started.append(module)
        child = start_module("bidcascade.loaders.parquet_child", **options)
        child.stdin.close()
        return child

    monkeypatch.setattr(compile_ahead, "is_cached", lambda function: kept)
    monkeypatch.setattr(compile_ahead, "start_module", start)
    tables = loaded_app().state.workplace.tables
    assert warm_up.warm_up_inference(tables)
    assert started == ([] if kept else [MODULE])


def test_without_another_process_it_is_compiled_here(monkeypatch):
    def start(module, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(compile_ahead, "is_cached", lambda function: False)
    monkeypatch.setattr(compile_ahead, "start_module", start)
    assert warm_up.warm_up_inference(loaded_app().state.workplace.tables)


def test_the_process_ends_by_itself_and_with_the_service():
    child = start_module(MODULE, stderr=subprocess.PIPE)
    with child:
        assert child.wait(200) == 0, child.stderr.read()
    assert all(map(compile_ahead.is_cached, compile_ahead._COMPILED))
    gone = start_module(MODULE, stderr=subprocess.DEVNULL)
    gone.communicate(timeout=200)
    assert gone.returncode == 0


QUESTIONS = {
    "/v1/interpret": {"auction": ["1N", "P"]},
    "/v1/layouts": {"auction": ["1N", "P"], "count": 2},
    "/v1/infer": {"auction": ["1N", "P"], "layouts": 2},
    "/v1/leads": {"hand": "K52.AQ3.9876.KJ2", "contract": "3NE", "layouts": 2},
    "/v1/bid": {"hand": "K52.AQ3.9876.KJ2", "simulate": 2},
}


@pytest.mark.parametrize("path", QUESTIONS)
def test_questions_wait_for_what_is_being_compiled(path):
    """Waiting ends in the answer; what does not need it is answered meanwhile."""
    app = loaded_app(table="sayc", backend="auto", dd_workers=1)
    work = app.state.workplace
    work.compiled.clear()
    told = []
    asking = threading.Thread(target=lambda: told.append(post(app, path, QUESTIONS[path])))
    asking.start()
    assert post(app, "/v1/bid", {"hand": "K52.AQ3.9876.KJ2"}).status_code == 200
    assert not told
    work.compiled.set()
    asking.join()
    assert told[0].status_code == 200, told[0].text
    work.double_dummy.close()


@pytest.mark.parametrize("path", QUESTIONS)
def test_who_cannot_wait_longer_is_told_when_to_ask_again(path):
    app = loaded_app(table="sayc", backend="auto", request_timeout_ms=100)
    app.state.workplace.compiled.clear()
    response = post(app, path, QUESTIONS[path])
    problem = problem_of(response, 503, "not-ready")
    assert int(response.headers["Retry-After"]) > 0
    assert "compiled" in problem["detail"]
    assert "request_timeout_ms" not in problem["detail"]


def test_what_takes_too_long_while_it_gets_ready_is_asked_again(monkeypatch):
    app = loaded_app(table="sayc", backend="auto", request_timeout_ms=100)
    monkeypatch.setattr(routes_layouts, "interpretation_dict", lambda found: time.sleep(1))
    app.state.workplace.is_warming = True
    body = QUESTIONS["/v1/interpret"]
    assert "Retry-After" in post(app, "/v1/interpret", body).headers
    app.state.workplace.is_warming = False
    problem_of(post(app, "/v1/interpret", body), 504, "timeout")


@pytest.mark.slow
def test_a_new_installation_answers_at_once(tmp_path, monkeypatch):
    """Nothing is compiled yet: whoever asks first gets an answer, and no sentence for admins."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    with (
        ready_server(table="sayc", dd_workers=1) as (url, _),
        httpx.Client(base_url=url, timeout=120) as client,
    ):
        for path in ("/v1/leads", "/v1/interpret"):
            answer = client.post(path, json=QUESTIONS[path])
            while answer.status_code == 503:
                assert "compiled" in answer.json()["detail"]
                time.sleep(int(answer.headers["Retry-After"]))
                answer = client.post(path, json=QUESTIONS[path])
            assert answer.status_code == 200, answer.text
