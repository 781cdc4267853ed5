"""Zip files as inputs: what is read from them, what is refused, and that nothing is lost."""

import io
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import InvalidInput
from bidcascade.engine.runs.manifest import describe_inputs, list_inputs
from bidcascade.loaders import iter_deals, read_deals, write_deal_parquet
from bidcascade.loaders.frames.random_deals import random_deals
from bidcascade.loaders.inputs import FORMATS_TEXT, find_sources
from tests.loaders.pbn.support_pieces import limit_pieces
from tests.loaders.support_damage import damaged
from tests.support.examples import examples

BOARD = b"qx|o3|md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|sv|e|mb|1nppp|\n"
DEAL = "N:AKQ.AKQ.AKQ.AKQ2 - T98.T987.T98.T98 765.65.765.76543"
PBN = f'[Board "2"]\n[Deal "{DEAL}"]\n'.encode()
RBN = b"B 3\nH W:76.AKQ.T98.98765:AKQ.T98.AKQ.AKQJ:JT98.765.765.432:\n"


def pack(path: Path, *members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def rejects(path: Path) -> dict[str, str]:
    batches = list(iter_deals(path, jobs=1))
    rows = [row for batch in batches for row in batch.rejects.iter_rows()]
    assert all(record is None for _, record, _, _ in rows)
    return {source: reason for source, _, reason, _ in rows}


def test_members_are_sources(tmp_path):
    path = pack(
        tmp_path / "Cup.ZIP",
        ("day 2/B.PBN", PBN),
        ("day 1/deep/a.Lin", BOARD * 2),
        ("c.rbn", RBN),
        ("readme.md", b"#"),
        ("day 1/", b""),
        ("d.txt", DEAL.encode()),
    )
    deals, refused = read_deals(path)
    assert refused.height == 0
    assert deals.select("source", "record").rows() == [
        ("Cup.ZIP/c.rbn", 1), ("Cup.ZIP/d.txt", 1), ("Cup.ZIP/day 1/deep/a.Lin", 1),
        ("Cup.ZIP/day 1/deep/a.Lin", 2), ("Cup.ZIP/day 2/B.PBN", 1),
    ]  # fmt: skip
    (tmp_path / "z.lin").write_bytes(BOARD)
    for named in (tmp_path, str(tmp_path / "*")):
        names = [source.name for source in find_sources(named)]
        assert names == [*sorted({f"{name}" for name in deals["source"]}), "z.lin"]


def test_a_zip_file_named_itself_may_have_any_name(tmp_path):
    path = pack(tmp_path / "download", ("a.lin", BOARD))
    assert read_deals(path).deals["source"].to_list() == ["download/a.lin"]
    text = tmp_path / "text.zip"
    text.write_bytes(BOARD)
    assert read_deals(text).deals["source"].to_list() == ["text.zip"]


def test_members_of_the_same_name_are_told_apart(tmp_path):
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(pack(tmp_path / folder / "x.zip", ("a.lin", BOARD)))
    assert [source.name for source in find_sources(paths)] == [f"{path}/a.lin" for path in paths]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_large_members_are_cut_into_pieces(tmp_path, monkeypatch, method):
    data = b"".join(PBN.replace(b'"2"', b'"%d"' % n) for n in range(1, 200))
    path = pack(tmp_path / "x.zip", ("a.pbn", data), method=method)
    (tmp_path / "a.pbn").write_bytes(data)
    limit_pieces(monkeypatch, 2_000, chunk=700)
    deals = read_deals(path).deals
    assert deals["board"].to_list() == list(range(1, 200))
    alone = read_deals(tmp_path / "a.pbn").deals
    assert_frame_equal(deals.drop("source"), alone.drop("source"))


def test_several_processes_read_the_same(tmp_path):
    path = pack(tmp_path / "x.zip", *((f"{n}.lin", BOARD * n) for n in range(1, 9)))
    assert_frame_equal(read_deals(path, jobs=2).deals, read_deals(path, jobs=1).deals)


def encrypted() -> bytes:
    """A zip file whose entries say that a password is needed."""
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a.lin", BOARD)
        content = bytearray(file.getvalue())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


def test_members_that_are_refused(tmp_path):
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as inner:
            inner.writestr("a.lin", BOARD)
        packed = file.getvalue()
    path = pack(
        tmp_path / "x.zip",
        ("good.lin", BOARD),
        ("in.zip", packed),
        ("hidden.lin", packed),
        ("../up.lin", BOARD),
        ("bomb.lin", bytes(3_000_000)),
        ("prose.txt", b"once upon a time"),
        ("empty.lin", b""),
    )
    found = rejects(path)
    assert f"expected {FORMATS_TEXT}, got other text" in found.pop("x.zip/prose.txt")
    assert "a zip file, which is read by its path only" in found.pop("x.zip/hidden.lin")
    assert found == {
        "x.zip/in.zip": "expected deals, got a zip file within a zip file",
        "x.zip/../up.lin": "expected a name that stays inside, got another",
        "x.zip/bomb.lin": "expected at most 200 bytes for each packed byte, got more",
        "x.zip/empty.lin": "empty",
    }
    assert read_deals(path).deals["source"].to_list() == ["x.zip/good.lin"]


def test_parquet_within_a_zip_file_and_as_bytes(tmp_path):
    write_deal_parquet(random_deals(2, seed=1), tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    path = pack(tmp_path / "x.zip", ("a.parquet", data), ("cut.parquet", data[:-9]))
    assert read_deals(path).deals["board"].to_list() == [1, 2]
    assert read_deals(data).deals["board"].to_list() == [1, 2]
    (reason,) = rejects(path).values()
    assert reason.startswith("x.zip/cut.parquet is cut off")


@pytest.mark.parametrize(
    ("content", "source", "reason"),
    [
        (encrypted(), "x.zip/a.lin", "expected a file without a password"),
        (encrypted()[:-10], "x.zip", "cannot unpack the file: it is cut off, or no zip file"),
        (b"PK\x05\x06" + bytes(18), "x.zip", "expected files of deals in the zip file, got none"),
        (
            b"PK\x05\x06" + bytes(4) + (60_000).to_bytes(2, "little") * 2 + bytes(10), "x.zip",
            "expected at most 10,000 files in a zip file, got 60,000",
        ),
    ],
)  # fmt: skip
def test_zip_files_that_are_refused(tmp_path, content, source, reason):
    (tmp_path / "x.zip").write_bytes(content)
    assert rejects(tmp_path / "x.zip") == {source: reason}
    with pytest.raises(InvalidInput, match="expected deals, got none and 1 rejects"):
        read_deals(tmp_path / "x.zip")


def test_another_method_is_refused(tmp_path):
    path = pack(tmp_path / "x.zip", ("a.lin", BOARD), method=zipfile.ZIP_LZMA)
    assert rejects(path) == {"x.zip/a.lin": "expected it stored or deflated, got another method"}


def test_members_that_share_their_bytes_are_too_many_together(tmp_path):
    """Entries that all say that they begin where the first does, each within the limits."""
    path = pack(tmp_path / "x.zip", *((f"{n:04}.lin", bytes(900_000)) for n in range(5)))
    assert set(rejects(path).values()) == {
        "expected at most 200 bytes for each packed byte, got more"
    }


def test_a_large_member_that_is_damaged_is_refused_and_the_next_one_read(tmp_path, monkeypatch):
    data = b"".join(PBN.replace(b'"2"', b'"%d"' % n) for n in range(1, 200))
    path = pack(tmp_path / "x.zip", ("a.pbn", data), ("b.lin", BOARD), method=zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    content[content.index(b'"199"') + 1] = ord("2")
    path.write_bytes(content)
    limit_pieces(monkeypatch, 2_000, chunk=700)
    batches = list(iter_deals(path, jobs=1))
    (reason,) = [reason for batch in batches for reason in batch.rejects["reason"]]
    assert reason.startswith("cannot read: the zip file is damaged: bad crc-32")
    sources = [source for batch in batches for source in batch.deals["source"]]
    assert sources == ["x.zip/b.lin"]


def test_digests_of_members_and_of_what_is_refused(tmp_path):
    path = pack(
        tmp_path / "x.zip", ("a.lin", BOARD), ("b.lin", BOARD), ("c.zip", b""), ("d.zip", b"")
    )
    about = describe_inputs(find_sources(path))
    assert [entry["bytes"] for entry in about] == [len(BOARD), len(BOARD), 0, 0]
    assert about[0]["sha256"] == about[1]["sha256"]
    assert about[2]["sha256"] != about[3]["sha256"]
    sources = find_sources(path)
    assert list_inputs(sources).height == len(sources) - 1


@examples(150)
@given(st.integers(0, 10_000))
@example(698)  # the name of a file is empty
def test_damaged_zip_files(tmp_path_factory, seed):
    path = tmp_path_factory.mktemp("zip") / "x.zip"
    pack(path, ("a.lin", BOARD * 3), ("b.pbn", PBN), ("c.rbn", RBN))
    path.write_bytes(damaged(path.read_bytes(), random.Random(seed)))
    batches = list(iter_deals(path, jobs=1))
    assert sum(batch.deals.height + batch.rejects.height for batch in batches)
