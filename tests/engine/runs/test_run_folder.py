"""The folder of a run: its manifest as it was written, who holds it, what is left of a failure."""

import json
from dataclasses import fields

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs.manifest import WORKS, Manifest, RunPart, RunPosition
from bidcascade.engine.runs.run_folder import FolderBusy, RunFolder
from tests.support.examples import examples

COUNTS = st.integers(0, 2**53)
FILES = st.dictionaries(st.text("abc-_/0", min_size=1, max_size=8), COUNTS, max_size=3)
VALUES = st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | COUNTS | st.text())
MANIFESTS = st.builds(
    Manifest,
    work=st.sampled_from(sorted(WORKS)),
    table=st.none() | VALUES,
    options=VALUES,
    inputs=st.lists(st.none() | VALUES, max_size=2),
    parts=st.lists(
        st.builds(RunPart, COUNTS, COUNTS, COUNTS, COUNTS, st.text(), FILES, FILES), max_size=3
    ),
    position=st.builds(RunPosition, COUNTS, COUNTS, COUNTS),
    state=VALUES,
    state_files=FILES,
    results=FILES,
    finished=st.booleans(),
    version=st.text(),
)


@examples(100)
@given(MANIFESTS)
def test_a_manifest_is_read_as_it_was_written(tmp_path_factory, manifest):
    folder = tmp_path_factory.mktemp("run")
    manifest.write(folder)
    assert Manifest.read(folder, manifest.work) == manifest
    named = {"format", "format_version", "totals", *(one.name for one in fields(Manifest))}
    assert json.loads((folder / "manifest.json").read_text()).keys() == named


@pytest.mark.parametrize("work", WORKS)
def test_a_run_of_other_work_is_not_taken_up(tmp_path, work):
    Manifest(work).write(tmp_path)
    for other in WORKS:
        if other != work:
            with pytest.raises(
                InvalidInput, match=f"of {WORKS[other]} in .* got that of {WORKS[work]}"
            ):
                RunFolder(tmp_path, other, ()).resume(Manifest(other))


def frame():
    return pl.DataFrame({"deal": [1]})


def test_what_counts_for_nothing_is_removed_and_what_is_not_ours_stays(tmp_path):
    place = RunFolder(tmp_path, "export", ("rows-*.parquet", "aside/*.parquet"))
    run, part = Manifest("export"), RunPart(0)
    with place.held():
        for name in ("rows-0.parquet", "aside/rows-0.parquet"):
            place.put(frame(), name, part)
        run.parts.append(part)
        place.write(run)
        for name in ("rows-1.parquet", "aside/rows-1.parquet"):
            place.put(frame(), name, RunPart(1))
    for name in ("notes.txt", "aside/notes.txt", ".rows-2.parquet.7.partial", "aside/.a.partial"):
        (tmp_path / name).write_text("")
    assert place.resume(Manifest("export")) == run
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    own = {"rows-0.parquet", "aside/rows-0.parquet", "manifest.json", ".lock"}
    assert left == {*own, "notes.txt", "aside/notes.txt"}
    (tmp_path / "aside/rows-0.parquet").write_text("cut")
    with pytest.raises(InvalidInput, match=r"'aside/rows-0.parquet' .* got 3 bytes instead of"):
        place.resume(Manifest("export"))
    place.remove()
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {".lock", "notes.txt", "aside/notes.txt"}


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("boards", [None, 0, 3])
def test_what_is_left_of_a_run_that_fails(tmp_path, whole, boards):
    place = RunFolder(tmp_path / "run", "mining", ("*.parquet",), whole=whole)

    def fail():
        with place.held():
            if boards is not None:
                place.write(Manifest("mining", parts=[RunPart(0, boards)]))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert place.is_started == (boards == 3 or (boards == 0 and not whole))
    assert place.path.exists() == place.is_started


@pytest.mark.parametrize("stranger", ["notes.txt", "aside/notes.txt", "manifest.json"])
def test_a_folder_of_somebody_else_is_not_taken_for_one_that_goes(tmp_path, stranger):
    place = RunFolder(tmp_path / "run", "learning", ("*.arrow",), whole=True)
    file = place.path / stranger
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    # left over from a run that was killed
    (place.path / "boards-0.arrow").touch()
    refused = pytest.raises(InvalidInput, match=r"a learning run alone|the manifest of a run")
    with refused, place.held():
        pass
    assert file.read_text() == "{}"
    file.unlink()
    with place.held():
        place.remove()
    assert not place.path.exists()


def test_one_process_at_a_time(tmp_path):
    place = RunFolder(tmp_path / "run", "learning", ())
    with (
        place.held(),
        pytest.raises(FolderBusy, match="another process is working in"),
        place.held(),
    ):
        pass
    assert not place.path.exists()
