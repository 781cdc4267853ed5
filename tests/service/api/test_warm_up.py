"""What a service has compiled: by another process, and only what nobody has compiled before."""

import subprocess

import pytest

from bidcascade.kernels.child_processes import start_module
from bidcascade.service.api import compile_ahead, warm_up
from tests.support_service import loaded_app

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
