"""What the service does when its device fails, is full or is missing: never half an answer.

The backend is a fake: it calls itself ``cuda``, answers as the definition does, and fails when it
is told to.
"""

import pytest

from bidcascade import kernels
from bidcascade.bridge import BackendUnavailable, DeviceFault, OutOfDeviceMemory
from bidcascade.engine import engine
from bidcascade.engine.settings import Settings
from bidcascade.kernels import cuda_device, device_frames, get_backend, why_unavailable
from bidcascade.service import cli
from bidcascade.service.api.app import create_app
from bidcascade.service.api.shared import tables
from bidcascade.service.cli import NO_BACKEND, exit_code, info, main
from bidcascade.systems.bidding import table_bidder
from tests.support.cli import run_apart
from tests.support.service import DEAL, GOOD, ask, loaded_app, post, problem_of, write_small_table

FAULT = "kernel 'walk_lists' failed: an illegal memory access was encountered"
FULL = "expected 4096 bytes for 1 deal, the device has 100 free"


class FakeCuda:
    """Answers as ``reference`` until it is told what to raise."""

    NAME = "cuda"

    def __init__(self) -> None:
        self._real = get_backend("reference")
        self.raises: Exception | None = None
        self.after_deals = 0

    def __getattr__(self, name: str) -> object:
        function = getattr(self._real, name)
        if not name.startswith("cascade"):
            return function

        def called(plan, deals, **options):
            if self.raises is not None:
                if self.after_deals <= 0:
                    raise self.raises
                self.after_deals -= len(deals)
            return function(plan, deals, **options)

        return called


@pytest.fixture
def fake(monkeypatch):
    backend = FakeCuda()
    monkeypatch.setattr(table_bidder, "get_backend", lambda name="auto": backend)
    for module in (engine, tables):
        monkeypatch.setattr(module, "backend_name", lambda name="auto": name)
    return backend


@pytest.fixture
def app(fake, tmp_path):
    return loaded_app(tmp_path, backend="cuda", stream_chunk_deals=2)


def test_a_fault_is_a_503_and_the_end_of_readiness(app, fake, caplog):
    assert ask(app, "GET", "/readyz").json()["backend"] == "cuda"
    good = post(app, "/v1/auctions", GOOD)
    assert good.status_code == 200
    fake.raises = DeviceFault(FAULT)
    body = problem_of(post(app, "/v1/auctions", GOOD), 503, "device-fault")
    assert body["detail"] == FAULT
    # the device would answer again, but what it says cannot be trusted
    fake.raises = None
    for answer in (post(app, "/v1/auctions", GOOD), ask(app, "GET", "/readyz")):
        assert problem_of(answer, 503, "not-ready")["detail"] == FAULT
    assert ask(app, "GET", "/healthz").status_code == 200
    (line,) = (one for one in caplog.records if one.levelname == "CRITICAL")
    assert FAULT in line.getMessage()


def test_a_fault_met_while_tables_are_warmed_up(app, fake):
    tables = app.state.own.tables
    fake.raises = DeviceFault(FAULT)
    with pytest.raises(DeviceFault):
        tables.warm_up()
    assert (tables.state, tables.is_warm) == ("failed", False)
    fake.raises = None
    assert problem_of(ask(app, "GET", "/readyz"), 503, "not-ready")["detail"] == FAULT


def test_a_fault_met_by_the_readiness_check(app, fake):
    fake.raises = DeviceFault(FAULT)
    problem_of(ask(app, "GET", "/readyz"), 503, "device-fault")
    fake.raises = None
    assert problem_of(ask(app, "GET", "/readyz"), 503, "not-ready")["detail"] == FAULT


@pytest.mark.parametrize("accept", ["application/json", "application/jsonl"])
def test_a_fault_in_the_middle_of_a_stream_breaks_it_off(app, fake, accept):
    """Parts are on their way already: the answer must not end as if it were whole."""
    many = {**GOOD, "deals": GOOD["deals"] * 6}
    whole = post(app, "/v1/auctions", many, Accept=accept)
    assert whole.status_code == 200
    fake.raises, fake.after_deals = DeviceFault(FAULT), 2
    # raised in the server, which closes the connection without the end of the body
    with pytest.raises(DeviceFault, match="illegal memory access"):
        post_raising(app, many, accept)
    assert problem_of(ask(app, "GET", "/readyz"), 503, "not-ready")["detail"] == FAULT


def post_raising(app, body, accept):
    import asyncio

    import httpx

    async def request():
        transport = httpx.ASGITransport(app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post("/v1/auctions", json=body, headers={"accept": accept})

    try:
        return asyncio.run(request())
    except RuntimeError as error:
        # how starlette says that an error came when the answer had begun
        if error.__cause__ is not None and not isinstance(error, DeviceFault):
            raise error.__cause__ from None
        raise


def test_too_little_memory_is_a_503_and_no_more(app, fake):
    fake.raises = OutOfDeviceMemory(FULL)
    body = problem_of(post(app, "/v1/auctions", GOOD), 503, "out-of-device-memory")
    assert body["detail"] == FULL
    fake.raises = None
    assert post(app, "/v1/auctions", GOOD).status_code == 200
    assert ask(app, "GET", "/readyz").status_code == 200


def test_a_missing_backend_is_told_by_readiness(monkeypatch, tmp_path):
    reason = "backend 'cuda' cannot run here: no driver"

    def absent(name="auto"):
        raise BackendUnavailable(reason)

    monkeypatch.setattr(tables, "backend_name", absent)
    app = create_app(Settings(table=f"small={write_small_table(tmp_path)}", backend="cuda"))
    with pytest.raises(BackendUnavailable):
        app.state.own.tables.load()
    for answer in (ask(app, "GET", "/readyz"), post(app, "/v1/auctions", GOOD)):
        assert problem_of(answer, 503, "not-ready")["detail"] == reason
    assert ask(app, "GET", "/healthz").status_code == 200


def test_errors_of_a_device_are_exit_3():
    for error in (DeviceFault(FAULT), OutOfDeviceMemory(FULL), BackendUnavailable("no driver")):
        assert exit_code(error) == NO_BACKEND
    assert exit_code(MemoryError()) == 2


@pytest.mark.parametrize("error", [DeviceFault(FAULT), OutOfDeviceMemory(FULL)])
def test_a_command_tells_what_the_device_did(fake, error, tmp_path, capsys):
    fake.raises = error
    table = str(write_small_table(tmp_path))
    assert main(["auctions", DEAL, "--backend", "cuda", "--table", table]) == NO_BACKEND
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"bidcascade: error: {error}\n"
    assert cli._message(MemoryError()) == "not enough memory"


def test_info_tells_the_truth_without_a_device(capsys):
    if why_unavailable("cuda") is None:
        pytest.skip("here is a device")
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    reason = why_unavailable("cuda")
    assert f"  cuda           missing: {reason}\n" in out
    assert "  auto           cpu\n" in out
    assert f"  gpu            none: {reason}\n" in out


def test_info_tells_the_truth_with_a_device(monkeypatch):
    class FakeDevice:
        name = "cuda:0 NVIDIA Test"

        def free_bytes(self):
            return 3 << 30

    monkeypatch.setattr(cuda_device, "cupy_device", lambda number: FakeDevice())
    monkeypatch.setattr(kernels, "why_unavailable", lambda name: None)
    monkeypatch.setattr(device_frames, "why_no_cudf", lambda: "cudf is not installed")
    found = info.collect_info()
    assert found["auto"] == "cuda"
    assert found["device"] == {
        "gpu": "cuda:0 NVIDIA Test",
        "free memory": "3.0 GiB",
        "cudf frames": "missing: cudf is not installed",
    }


@pytest.mark.slow
@pytest.mark.skipif(why_unavailable("cuda") is None, reason="here is a device")
def test_asked_for_and_absent_is_exit_3_with_the_reason():
    reason = why_unavailable("cuda")
    assert reason
    for words in (
        ("auctions", GOOD["deals"][0]["deal"]),
        ("serve", "--port", "0"),
        ("get", "/readyz"),
    ):
        ran = run_apart(*words, "--backend", "cuda")
        assert ran.code == 3, ran
        assert ran.err.splitlines()[-1] == (
            f"bidcascade: error: backend 'cuda' cannot run here: {reason}"
        )
