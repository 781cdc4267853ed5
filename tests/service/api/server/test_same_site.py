"""Pages of other sites, which a browser on this machine shows, get nothing done here."""

import asyncio
import functools
import time

import httpx
import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.settings import Settings, read_settings
from bidcascade.service.api import server
from bidcascade.service.api.http.keys import new_key
from tests.support.service import GOOD, ask, loaded_app, post, problem_of

RELOAD = "/v1/tables/small/reload"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def make(tmp_path):
    """Make an application of the small table."""
    return functools.partial(loaded_app, tmp_path)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "LOCALHOST.",
        "127.0.0.1:8000",
        "[::1]:8000",
        "[::1]",
        "192.0.2.7",
    ],
)
def test_names_that_lead_here(make, host):
    assert ask(make(), "GET", "/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["bridge.example", "bridge.example:8000", "localhost.example", "127.0.0.1.example", "["]
)
def test_names_that_another_site_could_have(make, host):
    for method, path in (("GET", "/"), ("GET", "/v1/tables"), ("POST", RELOAD)):
        answer = ask(make(), method, path, headers={"Host": host})
        assert "allowed_hosts" in problem_of(answer, 421, "wrong-host")["detail"]


def test_further_names_are_a_setting(make, tmp_path):
    app = make(allowed_hosts="bridge.example, Club.example")
    for host in ("bridge.example", "club.example:80", "localhost"):
        assert ask(app, "GET", "/healthz", headers={"Host": host}).status_code == 200
    problem_of(ask(app, "GET", "/healthz", headers={"Host": "x.example"}), 421, "wrong-host")
    # a page has no key: with keys the name does not matter, unless somebody says so
    keys = tmp_path / "keys"
    keys.write_text(f"{new_key('club', 'read')[1].line()}\n", "utf-8")
    app = make(api_keys_file=str(keys))
    assert ask(app, "GET", "/healthz", headers={"Host": "x.example"}).status_code == 200
    app = make(api_keys_file=str(keys), allowed_hosts="bridge.example")
    problem_of(ask(app, "GET", "/healthz", headers={"Host": "x.example"}), 421, "wrong-host")


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://other.example"}, {"Origin": "null"}, {"Origin": "http://localhost:1"},
     {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
     {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}],
)  # fmt: skip
def test_other_sites_do_not_write(make, headers):
    app = make()
    problem_of(ask(app, "POST", RELOAD, headers=headers), 403, "cross-site")
    answer = ask(app, "POST", "/v1/auctions", body=GOOD, headers=headers)
    problem_of(answer, 403, "cross-site")
    problem_of(ask(app, "DELETE", "/v1/jobs/1", headers=headers), 403, "cross-site")
    # what a link leads to is shown
    assert ask(app, "GET", "/", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://localhost"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://behind-a-proxy.example"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://club.example"},
    ],
)
def test_who_may_write(make, headers):
    app = make(cors_origins="https://club.example")
    assert ask(app, "POST", RELOAD, headers=headers).status_code == 200
    answer = ask(app, "POST", "/v1/auctions", body=GOOD, headers=headers)
    assert answer.status_code == 200


def test_a_page_of_a_named_origin_sends_a_key(make, tmp_path):
    key, entry = new_key("club", "read")
    keys = tmp_path / "keys"
    keys.write_text(f"{entry.line()}\n", "utf-8")
    app = make(api_keys_file=str(keys), cors_origins="https://club.example")
    origin = {"Origin": "https://club.example"}
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    # what a browser asks first carries no key, and must be answered with 200
    answer = ask(app, "OPTIONS", "/v1/auctions", headers={**origin, **asked})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://club.example"
    assert "authorization" in answer.headers["access-control-allow-headers"].lower()
    other = ask(
        app, "OPTIONS", "/v1/auctions", headers={"Origin": "https://other.example", **asked}
    )
    assert "access-control-allow-origin" not in other.headers
    headers = {**origin, "Sec-Fetch-Site": "cross-site", "Authorization": f"Bearer {key}"}
    answer = ask(app, "POST", "/v1/auctions", body=GOOD, headers=headers)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://club.example"
    # the page can read why it was refused
    answer = ask(app, "POST", "/v1/auctions", body=GOOD, headers=origin)
    problem_of(answer, 401, "unauthorized")
    assert answer.headers["access-control-allow-origin"] == "https://club.example"


def test_forms_do_not_load_tables_anew(make):
    app = make()
    for media_type in (FORM, "multipart/form-data; boundary=x", "text/plain"):
        for content in (None, b"a=b"):
            answer = ask(app, "POST", RELOAD, content=content, headers={"Content-Type": media_type})
            problem_of(answer, 415, "unsupported-media-type")
    assert post(app, RELOAD, {}).status_code == 200


def test_the_page_of_the_api_may_do_what_the_page_may(make):
    app = make()
    page = ask(app, "GET", "/").headers["content-security-policy"].split("; ")
    api = ask(app, "GET", "/docs").headers["content-security-policy"].split("; ")
    assert "unsafe" not in " ".join(api)
    for part in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert part in page
        assert part in api


@pytest.fixture
def locked(make, tmp_path):
    """Application with keys, and a key."""
    key, entry = new_key("club", "read")
    keys = tmp_path / "keys"
    keys.write_text(f"{entry.line()}\n", "utf-8")
    return make(api_keys_file=str(keys), max_concurrent_requests=1), key


@pytest.mark.slow
def test_wrong_keys_are_slowed_down(locked):
    app, _ = locked
    begun = time.monotonic()
    for _ in range(9):
        answer = ask(app, "GET", "/v1/tables", headers={"Authorization": "Bearer bc_wrong"})
        problem_of(answer, 401, "unauthorized")
    assert time.monotonic() - begun > 1.5


def test_wrong_keys_take_nothing_from_right_ones(locked):
    app, key = locked

    async def among_others():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            wrong = [
                asyncio.create_task(
                    client.post("/v1/auctions", json=GOOD, headers={"Authorization": "Bearer x"})
                )
                for _ in range(100)
            ]
            await asyncio.sleep(0.05)
            answer = await client.post(
                "/v1/auctions", json=GOOD, headers={"Authorization": f"Bearer {key}"}
            )
            waiting = sum(not task.done() for task in wrong)
            for task in wrong:
                task.cancel()
            await asyncio.gather(*wrong, return_exceptions=True)
        return answer.status_code, waiting

    status, waiting = asyncio.run(among_others())
    assert status == 200
    assert waiting > 50


def served_with(monkeypatch, **settings):
    """What uvicorn is to run."""
    configs = []

    class Server:
        def __init__(self, config):
            configs.append(config)

        def run(self):
            pass

    monkeypatch.setattr(server, "OrderlyServer", Server)
    monkeypatch.setattr(server.signal, "signal", lambda *given: None)
    server.serve(Settings(backend="reference", **settings))
    (config,) = configs
    config.load()
    return config


def client_behind(config, forwarded):
    """Whom the application takes for the client of a request from this machine."""
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["client"][0])

    wrapped = config.loaded_app
    while not hasattr(wrapped, "app") or "ProxyHeaders" not in type(wrapped).__name__:
        wrapped = getattr(wrapped, "app", None)
        if wrapped is None:
            return "127.0.0.1"
    wrapped.app = app
    headers = [(b"x-forwarded-for", forwarded)]
    scope = {"type": "http", "client": ("127.0.0.1", 1), "headers": headers, "scheme": "http"}
    asyncio.run(wrapped(scope, None, None))
    return seen[0]


def test_nobody_says_who_the_client_is_unless_named(monkeypatch, tmp_path):
    """Else every try of a key would be that of somebody new."""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    monkeypatch.setenv("BIDCASCADE_DATA_FOLDER", str(tmp_path))
    assert client_behind(served_with(monkeypatch), b"192.0.2.9") == "127.0.0.1"
    other = served_with(monkeypatch, trusted_proxies="10.0.0.0/8")
    assert client_behind(other, b"192.0.2.9") == "127.0.0.1"
    named = served_with(monkeypatch, trusted_proxies="127.0.0.1, 10.0.0.0/8")
    assert client_behind(named, b"198.51.100.1, 192.0.2.9, 10.1.2.3") == "192.0.2.9"
    with pytest.raises(InvalidInput, match=r"trusted_proxies.*expected addresses or networks"):
        read_settings({"trusted_proxies": "127.0.0.1,nginx"})
