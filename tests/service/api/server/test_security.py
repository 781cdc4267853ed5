"""Keys and roles, and a service that opens itself to nobody by accident."""

import stat

import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from bidcascade.service.api.http.keys import ApiKey, ApiKeys, is_private, new_key
from bidcascade.service.cli import main
from tests.support.service import GOOD, ask, loaded_app, post, problem_of


def main_of(*words):
    return main(list(words))


@pytest.fixture
def keys(tmp_path):
    """File of keys, a key for reading, a key for everything."""
    path = tmp_path / "keys"
    reader, read = new_key("reader", "read")
    owner, admin = new_key("owner", "admin")
    path.write_text(f"# keys\n\n{read.line()}\n{admin.line()}  # mine\n", "utf-8")
    path.chmod(0o600)
    return path, reader, owner


@pytest.fixture
def app(tmp_path, keys):
    return loaded_app(tmp_path, backend="cpu", host="0.0.0.0", api_keys_file=str(keys[0]))


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def test_questions_need_a_key(app, keys):
    _, reader, owner = keys
    body = problem_of(post(app, "/v1/auctions", GOOD), 401, "unauthorized")
    assert "no key" in body["detail"]
    for header in (bearer("bc_wrong"), bearer(""), {"Authorization": f"Basic {reader}"}):
        answer = post(app, "/v1/auctions", GOOD, **header)
        problem_of(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == 'Bearer realm="bidcascade"'
        assert "wrong" not in answer.text
    for key in (reader, owner):
        assert post(app, "/v1/auctions", GOOD, **bearer(key)).status_code == 200
        assert ask(app, "GET", "/v1/tables", headers=bearer(key)).status_code == 200
    # what does not exist is not told to strangers
    problem_of(ask(app, "GET", "/v1/secret"), 401, "unauthorized")


@pytest.mark.parametrize(
    "path",
    ["/healthz", "/readyz", "/metrics", "/docs", "/docs/static/swagger-ui.css", "/openapi.json"],
)
def test_what_machines_and_browsers_ask_first_is_open(app, path):
    assert ask(app, "GET", path).status_code == 200


def test_only_admins_load_tables_anew(app, keys):
    _, reader, owner = keys
    path = "/v1/tables/small/reload"
    problem_of(ask(app, "POST", path), 401, "unauthorized")
    problem_of(ask(app, "POST", path, headers=bearer(reader)), 403, "forbidden")
    answer = ask(app, "POST", path, headers=bearer(owner))
    assert answer.status_code == 200
    assert answer.json()["changed"] is False
    assert answer.json()["table"]["name"] == "small"


def test_loading_anew_over_rest(tmp_path):
    app = loaded_app(tmp_path, backend="cpu")
    path = tmp_path / "small.jsonl"
    before = app.state.own.tables.get().digest
    good = path.read_text("utf-8")
    path.write_text(good.replace("SL_H >= 4", "SL_H >= 5"), "utf-8")
    answer = ask(app, "POST", "/v1/tables/small/reload")
    assert answer.json()["changed"] is True
    after = answer.json()["table"]["digest"]
    assert after != before
    path.write_text(good.replace("HCP >= 9", "HPC >= 9"), "utf-8")
    body = problem_of(ask(app, "POST", "/v1/tables/small/reload"), 409, "reload-failed")
    assert "HPC" in body["errors"][0]["reason"]
    assert post(app, "/v1/auctions", GOOD).headers["bidcascade-table-digest"] == after
    problem_of(ask(app, "POST", "/v1/tables/large/reload"), 404, "unknown-table")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "bridge.example"])
def test_other_machines_are_served_only_if_somebody_says_so(host, keys, caplog):
    with pytest.raises(InvalidInput, match="--no-auth"):
        create_app(Settings(host=host))
    create_app(Settings(host=host, api_keys_file=str(keys[0])))
    assert not caplog.records
    create_app(Settings(host=host, auth=False))
    assert "everybody" in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_this_machine_is_served_without_keys(host):
    create_app(Settings(host=host))


def test_keys_and_no_auth_contradict_each_other(keys):
    with pytest.raises(InvalidInput, match="got both"):
        create_app(Settings(api_keys_file=str(keys[0]), auth=False))


def test_serve_says_what_is_missing(capsys):
    assert main_of("serve", "--host", "0.0.0.0", "--port", "0") == 1
    assert "--no-auth" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected keys in keys, got none"),
        ("# only a remark\n", "got none"),
        ("club read\n", "line 1: expected NAME ROLE SHA256"),
        ("a read b c d\n", "line 1: expected NAME ROLE SHA256"),
        (f"\nclub owner {'0' * 64}\n", "line 2: expected a role of read, admin, got 'owner'"),
        (f"club read {'0' * 63}\n", "64 hexadecimal digits, got 63 characters"),
        (f"club read {'X' * 64}\n", "64 hexadecimal digits"),
        (f"club read {'0' * 64}\nclub admin {'1' * 64}\n", "line 2: expected a name once"),
    ],
)
def test_bad_files_of_keys(tmp_path, text, reason):
    path = tmp_path / "keys"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInput) as caught:
        ApiKeys.read(path)
    assert reason in str(caught.value)


def test_keys_are_not_kept(keys):
    path, reader, owner = keys
    assert reader not in path.read_text("utf-8")
    known = ApiKeys.read(path)
    assert len(known) == 2
    assert known.find(owner) == ApiKey("owner", "admin", known.find(owner).digest)
    assert known.find("") is None
    assert known.find("\udcff") is None
    assert is_private(path)
    path.chmod(0o666)
    assert not is_private(path)


def test_new_keys_have_a_name_and_a_role():
    with pytest.raises(InvalidInput, match="letters, digits"):
        new_key("two words", "read")
    with pytest.raises(InvalidInput, match="a role of read, admin"):
        new_key("club", "owner")
    assert new_key("club", "read")[0] != new_key("club", "read")[0]


def test_api_key_command(tmp_path, capsys):
    path = tmp_path / "keys"
    assert main_of("api-key", "club", "--file", str(path)) == 0
    assert main_of("api-key", "me", "--role", "admin", "--file", str(path)) == 0
    first, second = capsys.readouterr().out.split()
    known = ApiKeys.read(path)
    assert (known.find(first).role, known.find(second).role) == ("read", "admin")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert main_of("api-key", "club", "--file", str(path)) == 2
    assert "'club'" in capsys.readouterr().err
    assert len(ApiKeys.read(path)) == 2
