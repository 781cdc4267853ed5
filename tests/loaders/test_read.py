"""Reading from anywhere: inputs, sniffing, pieces of large files, processes."""

import io
import os
import re
import tracemalloc
import zipfile
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import InvalidInput
from bidcascade.loaders import (
    iter_deals,
    pieces,
    random_deals,
    read,
    read_deals,
    read_lin,
    sniff,
    write_deal_parquet,
    write_lin,
    write_pbn,
)
from bidcascade.loaders.frames.frame import Batch, empty_deals, empty_rejects
from bidcascade.loaders.inputs import FORMATS_TEXT, find_sources
from bidcascade.loaders.text.hand_text import read_hand_text
from bidcascade.loaders.text.json_deals import read_json_deals
from tests.loaders.pbn.support_pieces import limit_pieces, read_cut
from tests.support.examples import examples
from tests.support.lin import GRAND_SLAM, played_boards

MD = f"md|{GRAND_SLAM}|"
HAND_LINE = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


@pytest.fixture
def folder(tmp_path):
    """Four deals as LIN, PBN, Parquet and text, one of them deeper and in upper case."""
    deals = random_deals(4, seed=11)
    (tmp_path / "deep").mkdir()
    write_lin(deals, tmp_path / "a.lin")
    write_pbn(deals, tmp_path / "deep" / "B.PBN")
    write_deal_parquet(deals, tmp_path / "c.parquet")
    (tmp_path / "d.txt").write_text(f"{HAND_LINE}\n")
    (tmp_path / "notes.md").write_text("no deals")
    return tmp_path


def test_a_folder(folder):
    batch = read_deals(folder, jobs=1)
    sources = batch.deals["source"].unique(maintain_order=True).to_list()
    assert {str(Path(name)) for name in ("a.lin", "d.txt", "deep/B.PBN")} <= {*sources}
    assert batch.deals.height == 13
    assert batch.rejects.is_empty()


def test_archives_in_a_folder_are_left_alone(folder):
    before = [source.name for source in find_sources(folder)]
    archive = folder / "archives" / "club"
    (archive / "parts").mkdir(parents=True)
    (archive / "archive.json").write_text("{}")
    (archive / "boards-1.parquet").write_bytes(b"PAR1")
    (archive / "parts" / "x.lin").write_text("md|")
    assert [source.name for source in find_sources(folder)] == before
    # one that is named itself is read
    assert [source.name for source in find_sources(archive)] == ["boards-1.parquet", "parts/x.lin"]


def test_paths_patterns_and_order(folder):
    names = [folder / "deep" / "B.PBN", str(folder / "*.lin")]
    deals = read_deals(names).deals
    assert deals["source"].unique(maintain_order=True).to_list() == ["B.PBN", "a.lin"]
    everywhere = [source.name for source in find_sources(str(folder / "**" / "*.PBN"))]
    assert everywhere == [str(Path("deep") / "B.PBN")]


def test_names_of_sources_say_nothing_of_the_machine(folder, monkeypatch):
    for named in (folder, str(folder), folder / "deep" / ".."):
        names = [source.name for source in find_sources(named)]
        assert names == ["a.lin", "c.parquet", "d.txt", str(Path("deep") / "B.PBN")]
    assert [source.name for source in find_sources(f"{folder}/dee*")] == [str(Path("deep/B.PBN"))]
    monkeypatch.chdir(folder)
    assert [source.name for source in find_sources(["deep", "deep/B.PBN", "*.lin"])] == [
        "B.PBN",
        str(Path("deep/B.PBN")),
        "a.lin",
    ]
    # a source that was found is found again
    assert find_sources(find_sources(folder)) == find_sources(folder)


def test_two_files_never_have_the_same_name(folder):
    (folder / "other").mkdir()
    write_lin(random_deals(2, seed=1), folder / "other" / "a.lin")
    files = [folder / "a.lin", folder / "other" / "a.lin"]
    assert [source.name for source in find_sources(files)] == [str(file) for file in files]
    assert [source.name for source in find_sources([files[0], files[0]])] == ["a.lin", "a.lin"]
    deals = read_deals(files).deals
    assert deals.select("source", "record").unique().height == deals.height


def test_missing_paths_and_empty_patterns_name_themselves(tmp_path):
    # as a path it is the folder one is in
    with pytest.raises(InvalidInput, match="expected a file, a folder or a pattern, got an empty"):
        read_deals("")
    with pytest.raises(InvalidInput, match=r"nowhere\.lin.*no such file"):
        read_deals(tmp_path / "nowhere.lin")
    with pytest.raises(InvalidInput, match=r"pattern.*\*\.lin"):
        read_deals(str(tmp_path / "*.lin"))
    with pytest.raises(InvalidInput, match="expected a path"):
        read_deals("x" * 5000)


def test_nothing_usable_says_why(tmp_path):
    with pytest.raises(InvalidInput, match="no board in"):
        read_deals(tmp_path)
    (tmp_path / "empty.lin").touch()
    with pytest.raises(InvalidInput, match=r"first reject: .*empty\.lin: empty"):
        read_deals(tmp_path)
    (tmp_path / "zero.lin").write_text("vg|x|pg||")
    with pytest.raises(InvalidInput, match="no board in"):
        read_deals(tmp_path / "zero.lin")
    (batch,) = iter_deals(tmp_path)
    assert batch.rejects["reason"].to_list() == ["empty"]


def test_bad_files_do_not_stop_the_good_ones(folder):
    (folder / "b.lin").write_bytes(b"\x00\x01\x02")
    (folder / "e.parquet").write_bytes(b"PAR1 but no more")
    (folder / "f.txt").write_text("<html>lost</html>")
    batch = read_deals(folder)
    assert batch.deals.height == 13
    reasons = dict(batch.rejects.select("source", "reason").rows())
    assert "binary" in reasons["b.lin"]
    assert "cut off" in reasons["e.parquet"]
    assert "HTML" in reasons["f.txt"]
    with pytest.raises(InvalidInput, match="first reject"):
        read_deals(folder, rejects="raise")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_are_rejects(folder):
    (folder / "a.lin").chmod(0)
    batch = read_deals(folder)
    assert batch.deals.height == 9
    assert "cannot read" in batch.rejects["reason"][0]


def test_bytes_links_and_standard_input(monkeypatch):
    deals = read_deals([MD.encode(), f"{HAND_LINE}\n".encode()]).deals
    assert deals["source"].to_list() == ["bytes 1", "bytes 2"]
    assert read_deals(f"https://example.org/?lin={MD}").deals.height == 1
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(MD.encode() * 3)))
    assert read_deals("-").deals["source"].to_list() == ["standard input"] * 3


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", None),
        (b" \r\n", None),
        (b"PAR1....", "parquet"),
        (b"vg|x|pg||", "lin"),
        (b"\xef\xbb\xbfpn|a,b,c,d|", "lin"),
        (b"% PBN 2.1\n", "pbn"),
        (b'\xef\xbb\xbf[Event "x"]', "pbn"),
        (b'dealer output\n\n[Deal "N:..."]', "pbn"),
        (b'[Event "x"]\n{ pg|as LIN| }', "pbn"),
        (b'nt|[Event "x"]|', "lin"),
        (b"http://x.org/h.html?lin=md%7C", "handviewer"),
        (b"<a href='http://x.org/h.html?lin=md%7C'>", "handviewer"),
        (HAND_LINE.encode(), "hands"),
        (b"K52.AQ3.9876.KJ2", "hands"),
        (b"SK52HAQ3D9876CKJ2", "hands"),
        (b"SK52.HAQ3.D9876.CKJ2", "hands"),
        (b"S.K52.H.AQ3.D.9876.C.KJ2", "hands"),
        (b"AK10.Q.J1098765.-", None),
        (b'[Event\n"x"\n]', "pbn"),
        (b'{"deals": []}', None),
        (b'["a|b|"]', None),
        (b"<html><body>pg|</body></html>", None),
        (b"\x7fELF\0\0", None),
        (b"Just a letter. With dots... and so on.", None),
    ],
)
def test_sniff(data, kind):
    assert sniff(data) == kind


def test_frames_of_a_given_size():
    data = [f"{MD}mb|{level}C|".encode() * 3 for level in (1, 2, 3)]
    batches = list(iter_deals([*data, b"<html>"], chunk_deals=4))
    assert [batch.deals.height for batch in batches] == [4, 4, 1]
    assert sum(batch.rejects.height for batch in batches) == 1
    together = pl.concat([batch.deals for batch in batches])
    assert_frame_equal(together, read_deals([*data, b"<html>"]).deals)
    with pytest.raises(InvalidInput, match="at least one deal"):
        next(iter_deals(b"", chunk_deals=0))


def test_progress():
    seen: list[tuple[int, int, int]] = []
    read_deals([MD.encode(), b"", MD.encode()], progress=lambda *numbers: seen.append(numbers))
    assert seen[-1] == (3, 3, 2)


# --- large files, with small limits so that a few boards are large ------------------------------


@pytest.fixture
def small_limits(monkeypatch):
    limit_pieces(monkeypatch, 1500, 700, 300)
    monkeypatch.setattr(pieces, "WHOLE_BYTES", 1000)


VUGRAPH = (
    "vg|Cup,R1,I,1,9,A,0,B,0|rs|1CN=,2CN=,3CN=,4CN=,5CN=,6CN=,7CN=|pn|a,b,c,d,é,f,g,h|pg||\n"
    + "".join(
        f"qx|{room}{board}|{MD}sv|n|nt|tom: qx or md|pg||\n"
        for board in range(1, 8)
        for room in "oc"
    )
    + f"pn|k,l,m,n|ah|12|sv|b|{MD}mb|1C|{MD}qx|o1|mb|p|pg||"
)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_large_lin_file_is_read_as_if_in_one_piece(small_limits, encoding):
    data = (VUGRAPH * 3).encode(encoding)
    count, batch = read_cut(io.BytesIO(data), "s")
    whole = read_lin(data, "s")
    assert count > 4
    # a piece of ASCII only is called utf-8 whatever the rest is in
    assert_frame_equal(batch.deals.drop("encoding"), whole.deals.drop("encoding"))
    assert_frame_equal(batch.rejects, whole.rejects)
    assert whole.deals["contract"].null_count() < whole.deals.height


@given(st.lists(played_boards(), min_size=4, max_size=8).map("".join))
@examples(20)
def test_any_large_lin_file(text):
    with pytest.MonkeyPatch.context() as patch:
        limit_pieces(patch, 900, 400, 300)
        _, batch = read_cut(io.BytesIO(text.encode()), "s")
        whole = read_lin(text.encode(), "s")
        assert_frame_equal(batch.deals, whole.deals)
        assert_frame_equal(batch.rejects, whole.rejects)


def test_large_hand_text(small_limits):
    count, batch = read_cut(io.BytesIO(f"{HAND_LINE}\n".encode() * 100))
    assert count > 3
    assert batch.deals.height == 100


def test_lines_of_large_hand_text_keep_their_numbers(small_limits):
    deal = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -\n"
    text = f"# a comment\n{deal}\n\nno deal\r\n{deal}# another\n\n" * 400
    count, (deals, rejects) = read_cut(io.BytesIO(text.encode()), "x")
    assert count > 3
    wanted = read_hand_text(text.encode(), "x")
    assert deals["record"].to_list() == wanted.deals["record"].to_list()
    assert rejects.rows() == wanted.rejects.rows()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_hands_beside_each_other_are_not_cut_apart(small_limits, end):
    rows = ["J T 9 4             A 5 3 2", "Q 6 2               8 7 3",
            "A 8 5               J 4", "K 7 3               T 6 5 4"]  # fmt: skip
    text = (end.join(f"{row} " for row in rows) + 2 * end) * 100
    count, (deals, rejects) = read_cut(io.BytesIO(text.encode()), "x")
    assert count > 3
    assert (deals["record"].to_list(), rejects.height) == (list(range(1, 500, 5)), 0)


def test_lines_of_large_json_keep_their_numbers(small_limits):
    deal = '{"deal": "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -"}\n'
    text = f"{deal}\n{{none\n{deal}{{none\n\n" * 60
    count, (deals, rejects) = read_cut(io.BytesIO(text.encode()), "x")
    assert count > 3
    wanted = read_json_deals(text.encode(), "x")
    assert deals["record"].to_list() == wanted.deals["record"].to_list()
    assert rejects.rows() == wanted.rejects.rows()


def test_a_large_parquet_file_is_read_in_parts(small_limits, monkeypatch, tmp_path):
    monkeypatch.setattr(pieces, "ROWS_PER_PART", 3)
    deals = random_deals(100, seed=13)
    write_deal_parquet(deals, tmp_path / "x.parquet")
    batches = list(iter_deals(tmp_path / "x.parquet", chunk_deals=3))
    assert max(batch.deals.height for batch in batches) == 3
    together = pl.concat([batch.deals for batch in batches])
    assert_frame_equal(together.select("north", "dealer"), deals.select("north", "dealer"))


class Endless(io.RawIOBase):
    """A stream that never ends and counts what was taken from it."""

    def __init__(self, head: bytes, fill: bytes) -> None:
        self.head, self.fill, self.taken = head, fill, 0

    def read(self, size: int = -1) -> bytes:
        assert size >= 0
        self.taken += size
        data = (self.head + self.fill * (size // len(self.fill) + 1))[:size]
        self.head = self.head[size:]
        return data


@pytest.mark.parametrize("fill", [b"\0\xff", b"noise ", b"no|"])
def test_endless_garbage_is_refused_after_its_beginning(fill):
    stream = Endless(b"", fill)
    (piece,) = pieces.cut_stream(stream, "noise")
    assert stream.taken <= pieces.HEAD_BYTES
    batch = pieces.read_piece(piece)
    assert f"expected {FORMATS_TEXT}, got" in batch.rejects["reason"][0]


@pytest.mark.parametrize("head", [MD.encode() * 30, b'[Event "x"]\n[Deal ""]\n' * 30])
def test_garbage_behind_boards_is_refused_in_bounded_memory(monkeypatch, head):
    limit_pieces(monkeypatch, 1 << 12)
    monkeypatch.setattr(pieces, "LONGEST_RECORD", 1 << 14)
    monkeypatch.setattr(pieces, "MOST_PASSED_OVER", 1 << 16)
    stream = Endless(head, b"noise ")
    cut = list(pieces.cut_stream(stream, "noise"))
    assert "expected a board within" in cut[-1].refusal
    assert stream.taken < 1 << 18


@pytest.mark.parametrize(
    ("ending", "board", "sizes"),
    [
        ("lin", f"{MD}mb|1C|mb|p|nt|{'x' * 2000}|pg||\n", (1 << 20, 1 << 19, 1 << 16)),
        ("pbn", f'[Deal "{HAND_LINE}"]\n[North "#"]\n{{{"x" * 500}}}\n', (1 << 17,)),
    ],
)
@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(monkeypatch, tmp_path, ending, board, sizes):
    """Peak of Python's allocations while a file and its quadruple are read."""
    limit_pieces(monkeypatch, *sizes)
    peaks = []
    for count in (2_000, 8_000):
        path = tmp_path / f"{count}.{ending}"
        path.write_text(board * count)
        tracemalloc.start()
        boards = sum(batch.deals.height for batch in iter_deals(path, chunk_deals=1000))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert boards == count
    assert peaks[1] < 1.25 * peaks[0]


# --- processes ---------------------------------------------------------------------------------


def test_processes_give_what_one_gives(folder, monkeypatch):
    monkeypatch.setattr(pieces, "WHOLE_BYTES", 600)
    for number in range(6):
        write_lin(random_deals(2, seed=number), folder / f"x{number}.lin")
    alone = read_deals(folder, jobs=1)
    seen: list[tuple[int, int, int]] = []
    together = read_deals(folder, jobs=2, progress=lambda *numbers: seen.append(numbers))
    assert_frame_equal(together.deals, alone.deals)
    assert_frame_equal(together.rejects, alone.rejects)
    assert seen == sorted(seen)
    assert seen[-1] == (10, 10, 25)
    with pytest.raises(InvalidInput, match="at least one process"):
        read_deals(folder, jobs=0)


def die(piece: pieces.Piece) -> Batch:
    """Stands for ``read_piece``; a source named so kills its process."""
    if any(source.name == "killer" for source in piece.sources):
        os._exit(9)
    names = [source.name for source in piece.sources]
    deals = random_deals(len(names), seed=1).with_columns(source=pl.Series(names))
    return Batch(deals.select(empty_deals().columns), empty_rejects())


@pytest.mark.slow
def test_a_process_that_dies_costs_one_file(monkeypatch):
    monkeypatch.setattr(read, "read_piece", die)
    groups = [["a", "b"], ["c", "killer", "d"], ["e"]]
    given_pieces = [
        pieces.Piece([SimpleNamespace(name=name) for name in group]) for group in groups
    ]
    results = list(read.read_in_processes(iter(given_pieces), 2))
    assert [piece for piece, _ in results] == given_pieces
    deals = [name for _, batch in results for name in batch.deals["source"].to_list()]
    assert deals == ["a", "b", "c", "d", "e"]
    rejects = pl.concat([batch.rejects for _, batch in results])
    assert rejects["source"].to_list() == ["killer"]
    assert re.search("died", rejects["reason"][0])


def test_names_that_are_no_utf8(tmp_path):
    """Linux takes any bytes; what is written down of them is text."""
    folder = tmp_path / "in"
    below = folder / os.fsdecode(b"\xe9t\xe9")
    below.mkdir(parents=True)
    deals = random_deals(3, seed=1)
    write_lin(deals, folder / "good.lin")
    write_lin(deals, below / os.fsdecode(b"sp\xfc.lin"))
    write_deal_parquet(deals.drop("source"), tmp_path / "a.parquet")
    (tmp_path / "a.parquet").rename(below / os.fsdecode(b"\xff.parquet"))
    with zipfile.ZipFile(below / os.fsdecode(b"\xfe.zip"), "w") as archive:
        archive.write(folder / "good.lin", "inside.lin")
    read = read_deals(folder)
    assert read.deals.height == 12
    names = [
        "good.lin",
        r"\xe9t\xe9/sp\xfc.lin",
        r"\xe9t\xe9/\xfe.zip/inside.lin",
        r"\xe9t\xe9/\xff.parquet",
    ]
    assert sorted(read.deals["source"].unique()) == sorted(names)
    (alone,) = find_sources(below / os.fsdecode(b"sp\xfc.lin"))
    assert alone.name == r"sp\xfc.lin"
    # one that is called as another is shown
    write_lin(deals, folder / r"sp\xfc.lin")
    both = find_sources([alone, *find_sources(folder / r"sp\xfc.lin")])
    assert len({source.name for source in both}) == 2
    with pytest.raises(InvalidInput, match=r"no\\udcff"):
        find_sources(os.fsdecode(b"no\xff.lin"))
