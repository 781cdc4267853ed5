"""Processes of our own run nothing that lies in the folder they are started from."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bidcascade.kernels.machine.child_processes import import_path, safe_spawning, start_module
from bidcascade.loaders import random_deals, write_deal_parquet, write_lin
from bidcascade.table.formats.parquet import write_parquet_rows
from bidcascade.table.row import Row
from tests.support.cli import PROGRAM, environment

TRAP = """
import os, pathlib
with pathlib.Path(__file__).with_name("ran.txt").open("a") as told:
    told.write(f"{__file__} in {os.getpid()}\\n")
raise SystemExit("a file of the current folder was run")
"""
PACKAGES = ["bidcascade", "numpy", "polars", "pyarrow", "dask", "distributed"]


@pytest.fixture
def trapped(tmp_path):
    """Folder with a file of the name of everything that might be imported, and deals."""
    for name in (*sys.stdlib_module_names, *PACKAGES):
        (tmp_path / f"{name}.py").write_text(TRAP)
    deals = random_deals(6, seed=3)
    write_deal_parquet(deals, tmp_path / "deals.parquet")
    write_lin(deals, tmp_path / "deals.lin")
    return tmp_path


def run(folder, program, *arguments, **more):
    """Run a program as a console script is: without the folder it is called in."""
    environs = environment(**more)
    # that of the tests too, which no installed package brings along
    paths = [str(Path(__file__).absolute().parents[2]), *import_path()]
    paths = [path for path in paths if path != str(folder)]
    environs |= {"PYTHONPATH": os.pathsep.join(paths), "HOME": str(folder / "home")}
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.pop(0)\n{program}", *map(str, arguments)],
        cwd=folder,
        env=environs,
        capture_output=True,
        text=True,
        timeout=250,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    ran = folder / "ran.txt"
    assert not ran.exists(), ran.read_text()
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_reads_deals(trapped):
    run(trapped, PROGRAM, "load", "deals.parquet", "--out", "out.parquet")
    run(
        trapped, PROGRAM, "load", "deals.lin", "deals.parquet", "--jobs", 2, "--out", "out2.parquet"
    )
    assert (trapped / "out2.parquet").stat().st_size > 0


def test_archives_and_solvers(trapped):
    folder = trapped / "archives"
    run(trapped, PROGRAM, "archive", "add", "--folder", folder, "mine", "deals.parquet")
    run(trapped, PROGRAM, "archive", "solve", "--folder", folder, "mine", "--workers", 2)


def test_what_imports_rows(trapped):
    write_parquet_rows([Row(b"", 7, "Strong", ("HCP >= 15",))], trapped / "rows.parquet")
    run(trapped, PROGRAM, "table", "import", "rows.parquet", "--out", "table")
    assert (trapped / "table" / "manifest.json").exists()


SERVICE = """
import sys
from pathlib import Path
from tests.service.jobs.support_jobs import jobs_app, upload, wait_for
from tests.support.service import post

app = jobs_app(Path.cwd() / "service")
work = app.state.own
system = {"text": "opening:\\n  1NT = Strong: 15-17 points, balanced\\n"}
found = post(app, "/v1/systems/check", {"system": system, "deals": 10})
assert found.status_code == 200, found.text
begun = upload(app, Path("deals.lin").read_bytes(), "?mode=first")
assert begun.status_code == 202, begun.text
assert wait_for(app, begun.json()["id"])["state"] == "done"
"""


def test_questions_and_jobs_of_the_service(trapped):
    (trapped / "service").mkdir()
    run(trapped, SERVICE)


def test_workers_of_a_cluster(trapped):
    pytest.importorskip("distributed")
    run(
        trapped,
        PROGRAM,
        "batch",
        "deals.lin",
        "--table",
        "sayc",
        "--devices",
        "0,1",
        "--backend",
        "cpu",
        "--out",
        "answers",
    )


def test_the_folder_python_puts_first_is_not_handed_on(tmp_path):
    program = (
        "from bidcascade.kernels.machine.child_processes import import_path\n"
        "import os; print(os.getcwd() in import_path())"
    )
    folder = str(tmp_path)
    for named, expected in (([], "False"), ([folder], "True"), ([""], "False")):
        paths = os.pathsep.join([*filter(None, sys.path), *named])
        said = subprocess.run(
            [sys.executable, "-c", f"import os, sys; sys.path.insert(0, os.getcwd())\n{program}"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout.strip() == expected, named


def test_the_environment_is_as_it_was(monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with safe_spawning(), safe_spawning():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert "PYTHONSAFEPATH" not in os.environ
    monkeypatch.setenv("PYTHONSAFEPATH", "yes")
    with safe_spawning():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ["PYTHONSAFEPATH"] == "yes"


def test_a_child_works_in_no_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    child = start_module("bidcascade.loaders.parquet.parquet_child")
    try:
        assert os.path.realpath(f"/proc/{child.pid}/cwd") != str(tmp_path)
    finally:
        child.communicate()
