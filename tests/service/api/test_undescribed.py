"""The policy for undescribed entries is chosen when tables are loaded, for all or for one."""

import pytest

from bidcascade.bridge import InvalidInput, InvalidTable
from bidcascade.engine.engine import Engine
from bidcascade.engine.settings import Settings, read_settings
from bidcascade.service.api.shared.tables import Tables
from tests.service.jobs.support_jobs import archive, jobs_app, upload, wait_for
from tests.support.service import GOOD, ask, loaded_app, post, write_small_table


def policies(app):
    tables = ask(app, "GET", "/v1/tables").json()["tables"]
    return {table["name"]: table["undescribed"] for table in tables}


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("", {"small": "pass", "other": "pass"}),
        ("reject", {"small": "reject", "other": "reject"}),
        ("other=allow", {"small": "pass", "other": "allow"}),
        ("reject,other=allow", {"small": "reject", "other": "allow"}),
    ],
)
def test_tables_say_what_was_chosen(tmp_path, chosen, expected):
    path = write_small_table(tmp_path)
    app = loaded_app(tmp_path, extra_tables=f"other={path}", undescribed=chosen)
    assert policies(app) == expected
    digests = set()
    for name, policy in expected.items():
        engine = Engine.open(str(path), "reference", undescribed=policy)
        asked = {**GOOD, "table": name, "mode": "all"}
        answer = post(app, "/v1/auctions", asked).json()
        assert answer["table"]["undescribed"] == policy
        assert answer["table"]["digest"] == engine.table.digest
        digests.add(engine.table.digest)
    assert len(digests) == len(set(expected.values()))
    assert app.state.own.tables.reload_all()
    assert policies(app) == expected


def test_systems_have_none_and_folders_have_their_own(tmp_path):
    folder = tmp_path / "saved"
    path = write_small_table(tmp_path)
    Engine.open(str(path), "reference", undescribed="allow").table.save(folder)
    app = loaded_app(tmp_path, extra_tables=f"saved={folder}", undescribed="reject")
    assert policies(app) == {"small": "reject", "saved": "allow"}
    for name, what in (("saved", str(folder)), ("sayc", "sayc")):
        tables = Tables({name: what}, "reference", undescribed={name: "pass"})
        with pytest.raises(InvalidTable, match=f"only for a file of rows, got {name}=pass"):
            tables.load()
        assert tables.state == "failed"


@pytest.mark.parametrize("written", ["some", "none=pass", "sayc=", "=pass", "pass,reject", "a=b=c"])
def test_slips(written):
    with pytest.raises(InvalidInput, match="expected undescribed as allow, pass, reject"):
        read_settings({"undescribed": written})
    assert Settings().undescribed_policies() == {}


def test_a_job_has_the_policy_of_its_table(tmp_path):
    app = jobs_app(tmp_path, undescribed="small=allow")
    try:
        begun = upload(app, archive(5), "?mode=all&result=jsonl").json()
        job = wait_for(app, begun["id"])
        assert job["state"] == "done", job
        assert job["digest"] == app.state.own.tables.get().digest
    finally:
        app.state.own.jobs.close()
