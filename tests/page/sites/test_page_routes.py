"""The page's files: what is served, how, and that nothing else is."""

import gzip
import re

import httpx
import pytest

from bidcascade.engine.settings import Settings
from bidcascade.page import joined_files as joined
from bidcascade.page.content_policy import CONTENT_SECURITY_POLICY
from bidcascade.page.joined_files import joined_files
from bidcascade.page.static_files import StaticFile, static_files
from bidcascade.service.api.app import create_app
from bidcascade.service.api.http.keys import new_key
from tests.support.service import ask, problem_of


@pytest.fixture(scope="module")
def app():
    return create_app(Settings(backend="reference"))


def policy() -> dict[str, list[str]]:
    return {part.split()[0]: part.split()[1:] for part in CONTENT_SECURITY_POLICY.split("; ")}


def test_the_page_is_served(app):
    answer = ask(app, "GET", "/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert answer.text.startswith("<!doctype html>")
    head = ask(app, "HEAD", "/")
    assert head.status_code == 200
    assert not head.content


def test_the_policy_allows_nothing_inline_and_nobody_else():
    rules = policy()
    assert rules["default-src"] == ["'none'"]
    assert rules["style-src"] == rules["connect-src"] == ["'self'"]
    # the engine's core is WebAssembly; no text becomes a script
    assert rules["script-src"] == ["'self'", "'wasm-unsafe-eval'"]
    assert rules["require-trusted-types-for"] == ["'script'"]
    assert not {"unsafe-inline", "unsafe-eval", "*", "data:", "http", "https"} & {
        value.strip("'") for values in rules.values() for value in values
    }


@pytest.mark.parametrize("name", sorted({*static_files(), *joined_files()} - {"index.html"}))
def test_every_file_is_served(app, name):
    file = (static_files() | joined_files())[name]
    plain = ask(app, "GET", f"/static/{name}", headers={"Accept-Encoding": "identity"})
    assert plain.content == file.content
    assert plain.headers["x-content-type-options"] == "nosniff"
    assert plain.headers["vary"] == "Accept-Encoding"
    packed = ask(app, "GET", f"/static/{name}", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == file.content
    assert gzip.decompress(file.compressed) == file.content
    assert plain.headers["etag"] != packed.headers["etag"]


@pytest.mark.parametrize(
    ("address", "files"), [("/", joined_files()), ("/?modules", static_files())]
)
def test_the_page_is_there_joined_and_as_it_was_written(app, address, files):
    answer = ask(app, "GET", address)
    assert answer.content == files["index.html"].content
    named = re.findall(r'(?:src|href)="/static/([\w./]+)"', answer.text)
    assert {"icon.svg", "main.js" if files is static_files() else "bidcascade.js"} <= set(named)
    assert set(named) <= {*files, "icon.svg"}


def test_a_newer_page_has_other_tags(monkeypatch):
    before = joined_files()
    changed = static_files() | {"main.js": StaticFile.of(b"// newer\n", "text/javascript")}
    monkeypatch.setattr(joined, "static_files", lambda: changed)
    after = joined.joined_files.__wrapped__()
    other = [name for name in before if before[name].digest != after[name].digest]
    assert other == ["bidcascade.js"]


def test_what_the_browser_has_is_not_sent_again(app):
    etag = ask(app, "GET", "/").headers["etag"]
    assert etag != ask(app, "GET", "/?modules").headers["etag"]
    for known in (etag, f'"x", {etag}', f"W/{etag}", "*"):
        answer = ask(app, "GET", "/", headers={"If-None-Match": known})
        assert answer.status_code == 304
        assert not answer.content
        assert answer.headers["etag"] == etag
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert ask(app, "GET", "/", headers={"If-None-Match": '"x"'}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "..%2fapp.py", "%2e%2e/app.py", "%2e%2e%2f%2e%2e%2fsettings.py", "%2fetc%2fpasswd",
        "..%5capp.py", "main.js%00.css", "main.js/", "./main.js%2f..", "", "index.html",
        "__init__.py", "MAIN.JS",
    ],
)  # fmt: skip
def test_no_path_leads_elsewhere(app, path):
    # as it is written: httpx would tidy some of them up
    answer = ask(app, "GET", httpx.URL("http://localhost", raw_path=f"/static/{path}".encode()))
    assert answer.status_code == 404
    assert b"import" not in answer.content


def test_only_reading(app):
    problem_of(ask(app, "POST", "/"), 405, "method-not-allowed")
    problem_of(ask(app, "DELETE", "/static/main.js"), 405, "method-not-allowed")


def test_the_page_names_all_its_modules():
    page = static_files()["index.html"].content.decode()
    named = set(re.findall(r'"/static/([\w./]+)"', page))
    # those of the engine come when it is asked, most of them in its worker
    others = {name for name in static_files() if not name.startswith("engine/")}
    assert named == others - {"index.html"}
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\son\w+=", page)


def test_modules_write_no_markup_and_ask_nobody_else():
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
        # nobody is asked at the hand viewer's address: it is written for the person to use
        r"|https?://(?!www\.w3\.org/2000/svg|www\.bridgebase\.com/tools/handviewer\.html)"
    )
    for name, file in static_files().items():
        if name.endswith((".js", ".css")):
            assert not forbidden.search(file.content.decode()), name


def test_no_key_is_needed_for_the_page(tmp_path):
    _, entry = new_key("club", "read")
    keys = tmp_path / "keys"
    keys.write_text(entry.line(), "utf-8")
    keys.chmod(0o600)
    app = create_app(Settings(backend="reference", api_keys_file=str(keys)))
    assert ask(app, "GET", "/").status_code == 200
    assert ask(app, "GET", "/static/main.js").status_code == 200
    problem_of(ask(app, "GET", "/v1/tables"), 401, "unauthorized")
