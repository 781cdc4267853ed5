"""Large PBN files: read piece by piece they give what they give as a whole."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.loaders import iter_deals, pieces, random_deals, read_pbn, write_pbn
from bidcascade.loaders.files.encodings import PartDecoder
from bidcascade.loaders.frames.frame import Batch, join
from bidcascade.loaders.pbn import pbn_tokens
from bidcascade.loaders.pbn.pbn_tokens import find_last_game, normalise, split_games
from tests.loaders.pbn.support_pieces import limit_pieces, read_cut
from tests.support.examples import examples

DEALS = (
    "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
    "E:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
)


class OneWay(io.BytesIO):
    """A stream that cannot be read twice."""

    def seekable(self) -> bool:
        return False


def cut_text(text: str, block: int, tail: int) -> list[pieces.Piece]:
    """Cut a text that is read in blocks; so much of its end is looked at first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE_BYTES", block)
        patch.setattr(pbn_tokens, "TAIL", tail)
        return list(pieces.cut_pbn(io.BytesIO(text.encode()), "x.pbn", b"", PartDecoder()))


def assert_same(data: bytes, at_least: int = 2) -> Batch:
    whole = read_pbn(data, "x.pbn")
    count, batch = read_cut(io.BytesIO(data))
    assert count >= at_least
    assert_frame_equal(batch.deals, whole.deals)
    assert_frame_equal(batch.rejects, whole.rejects)
    return whole


@pytest.fixture
def small_pieces(monkeypatch):
    limit_pieces(monkeypatch, 300)
    monkeypatch.setattr(pbn_tokens, "TAIL", 400)


FULL = "\n".join(
    f'[Event "Cup"]\n[Board "{number}"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{DEALS[0]}"]\n'
    f'[Auction "N"]\n1S =1= Pass 2S Pass\nPass Pass\n[Note "1:natural"]\n'
    for number in range(1, 25)
)
INHERITED = '[Event "##Cup"]\n[Site ""]\n' + "\n".join(
    f'[Board "{number}"]\n[Deal "{"#" if number > 1 else DEALS[0]}"]\n'
    f'[North "{"#" if number > 1 else "Kim"}"]\n'
    f'[Auction "{"#" if number > 2 else "N"}"]\n{"" if number > 2 else "1C =1= Pass Pass Pass"}\n'
    f'{"" if number > 2 else f"""[Note "1:club {number}"]"""}\n'
    for number in range(1, 25)
)
TABLES = "\n".join(
    f'[Event "E{number}"]\n[Board "{number}"]\n[Deal "{DEALS[number % 2]}"]\n'
    f'[Contract "1S"]\n[Declarer "N"]\n[Result "{number % 14}"]\n\n'
    '[Room "Closed"]\n[Contract "2S"]\n[Declarer "N"]\n[Result "9"]\n'
    for number in range(1, 15)
)
NO_EVENT = "\n".join(f'[Dealer "N"]\n[Deal "{DEALS[0]}"]\n{{deal {n}}}\n' for n in range(20))
SITE_FIRST = "\n".join(f'[Site "{n}"]\n[Deal "{DEALS[0]}"]\n[Result "7"]\n' for n in range(20))
NO_BLANK_LINES = "".join(
    f'[Board "{n}"]\n[Deal "{DEALS[n % 2]}"]\n[Auction "E"]\n1N Pass Pass Pass\n'
    for n in range(1, 20)
)
BARE = "".join(f'[Deal "{deal}"]\n' for deal in DEALS * 10)
COMMENTS = "\n".join(
    f'{{before {n}\n\n[Site "not a game"]\n\n}}\n[Event "{n}"]\n[Deal "{DEALS[0]}"]\n{{within}}\n'
    f'[Play "E"]\nHA\n\n; behind {n}\n\n{{more}}\n'
    for n in range(12)
)
BROKEN_COMMENTS = "\n".join(
    f'[Event "{n}"]\n[Deal "{DEALS[0]}"]\n{{never closed {n}\n\n' for n in range(12)
)
FOREIGN = "\n".join(
    f'[Event "{n}"]\n[Deal "{DEALS[0] if n % 3 else "rubbish"}"]\n\nforeign lines {n}\nmore\n'
    for n in range(16)
)
LASTING_LATER = FULL + '\n[Event "##Final"]\n[Deal "#"]\n\n' + FULL.replace('[Event "Cup"]\n', "")
TRAVELLERS = "\n".join(
    f'[Board "{n}"]\n[Deal "{DEALS[n % 2]}"]\n'
    f'[ScoreTable "{"Contract;Score_NS" if n % 3 else "#"}"]\n'
    f"4S 420\n{{remark}}\n- -\n{'lines between' if n % 4 else ''}\n3NT 400\n\nforeign lines {n}\n"
    for n in range(1, 12)
)
TEXTS = {
    "travellers": TRAVELLERS,
    "full": FULL, "inherited": INHERITED, "tables": TABLES, "no event": NO_EVENT,
    "site first": SITE_FIRST, "no blank lines": NO_BLANK_LINES, "bare": BARE,
    "comments": COMMENTS, "broken comments": BROKEN_COMMENTS, "foreign": FOREIGN,
    "lasting later": LASTING_LATER,
}  # fmt: skip


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", TEXTS)
def test_pieces_give_what_the_whole_gives(small_pieces, name, line_end):
    whole = assert_same(TEXTS[name].replace("\n", line_end).encode(), at_least=4)
    assert whole.deals.height >= 10


def test_values_are_inherited_over_cuts(small_pieces):
    batch = assert_same(INHERITED.encode(), at_least=4)
    assert set(batch.deals["event"]) == {"Cup"}
    assert {players[0] for players in batch.deals["players"]} == {"Kim"}
    assert set(batch.deals["contract"]) == {"1C"}
    assert batch.deals["north"].n_unique() == 1


@pytest.mark.parametrize("size", [40, 97, 256, 700])
@pytest.mark.parametrize("name", TEXTS)
def test_wherever_the_blocks_end(name, size):
    """What is read does not depend on where blocks end, nor on how much is looked at first."""
    text = TEXTS[name]
    parts = cut_text(text, size, size)
    assert "".join(part.text for part in parts) == text
    games = [
        record._replace(number=0)
        for part in parts
        for record in split_games(part.text, part.before, goes_on=part.goes_on)
    ]
    assert games == [record._replace(number=0) for record in split_games(text)]


LINES = st.sampled_from([
    '[Event "a"]', '[Event "#"]', '[Event "##b"]', '[Site "s"]', '[Date "#"]', '[Board "1"]',
    '[Deal "x"]', '[Deal "y"]', '\n[Event "c"]\n[Deal "z"]', '\n[Board "2"]', '\n[Date "d"]',
    '[Deal "#"]', '[Dealer "S"]', '[North "##Kim"]',
    '[Auction "N"]', "1N Pass", "Pass Pass", '[Auction "#"]', '[Note "1:x"]', '[Play "E"]', "SA",
    '[Contract "1N"]', '[Result "7"]', '[Room "Open"]', '[OptimumResultTable "x"]', "N 7",
    '[ScoreTable "Contract;Score_NS"]', '[ScoreTable "#"]', '[ScoreTable "Score_EW"]', "4S 420",
    "-", "{", "}", "{ remark }", "; remark", "% line", "", "", "", "", "foreign", '{[Event "c"]}',
    '[Odd "a"b"]',
    '[Mark "\\"#"]', '[Mark "z', "[", " ",
    "[Board", '"3"]', '[Deal\n"w"]', '[Site "one', 'two"]', "]", '  [South "x"]',
    '4S "a;b{c"', '4S "d', "{open", '[Names\n\n"x" ]',
])  # fmt: skip


LINES_WITHOUT_INHERITANCE = LINES.filter(lambda line: '"#' not in line)


@pytest.mark.slow
@given(
    st.lists(LINES, max_size=60) | st.lists(LINES_WITHOUT_INHERITANCE, min_size=20, max_size=100),
    st.integers(1, 200) | st.integers(200, 900),
    st.sampled_from([3, 20, 60, 120, 1 << 16]),
)
@examples(400)
@example(["{", "", '[Event "a"]', '[Deal "x"]', "", '[Board "1"]', "}"], 10, 3)
def test_any_lines_in_any_blocks(lines, block, tail):
    text = "\n".join(lines)
    parts = cut_text(text, block, tail)
    assert "".join(part.text for part in parts) == text
    records = [list(split_games(part.text, part.before, goes_on=part.goes_on)) for part in parts]
    whole = list(split_games(text))
    numbered, count = [], 0
    for part in records:
        numbered += [record._replace(number=record.number + count) for record in part]
        # lines of score tables are records too
        count += sum(1 + len(getattr(record, "travellers", ())) for record in part)
    assert numbered == whole


GAMES = st.sampled_from([
    '\n[Event "c"]\n[Deal "z"]', '\n[Board "2"]\n[Deal "p"]',
    '\n[Date "d"]\n[Event "f"]\n[Deal "q"]',
    '\n[Site "d"]\n[Deal "q"]\n[Auction "N"]\n1C', '\n[Date "k"]', "", "{\n\n[Site]\n\n}",
])  # fmt: skip


@pytest.mark.slow
@given(
    st.lists(GAMES | LINES_WITHOUT_INHERITANCE | GAMES, min_size=15, max_size=60).map("\n".join),
    st.sampled_from([40, 80, 150]),
)
@examples(300)
def test_what_is_sure_at_the_end_is_what_walking_finds(text, tail):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pbn_tokens, "TAIL", tail)
        found = find_last_game(f"{text}\n")
        patch.setattr(pbn_tokens, "TAIL", 1 << 20)
        assert found == find_last_game(f"{text}\n")


def test_a_game_in_sight_of_the_end_is_found_without_walking(monkeypatch):
    """The games before the tail are not walked through where none is inherited from."""
    walked: list[int] = []
    walk = pbn_tokens._walk

    def watched(state, text, **options):
        walked.append(len(text))
        return walk(state, text, **options)

    monkeypatch.setattr(pbn_tokens, "_walk", watched)
    monkeypatch.setattr(pbn_tokens, "TAIL", 1000)
    text = FULL * 10
    start, inheritance = find_last_game(text)
    assert sum(walked) < 2500
    assert text[start:].startswith('[Event "Cup"]\n[Board "24"]')
    assert inheritance.tags["Board"] == "23"


def test_text_without_a_game_is_refused(monkeypatch):
    limit_pieces(monkeypatch, 200)
    monkeypatch.setattr(pieces, "LONGEST_RECORD", 2000)
    monkeypatch.setattr(pbn_tokens, "LONGEST_RECORD", 2000)
    data = (
        f'[Event "x"]\n\n[Deal "{DEALS[0]}"]\n[Event "y"]\n'.encode() + b"no end of words\n" * 999
    )
    _, batch = read_cut(io.BytesIO(data))
    _, batch = read_cut(io.BytesIO(data))
    assert batch.deals["event"].to_list() == ["x"]
    assert batch.rejects["reason"][0] == "expected a game of at most 2,000 characters, got more"
    assert batch.rejects["text"].to_list()[0] == '[Event "y"]'
    assert batch.rejects["record"].to_list() == [2, 3]
    _, batch = read_cut(io.BytesIO(b'[Event "x"] ' + b"no end of a line " * 999))
    assert batch.rejects["reason"][0] == "expected a game of at most 2,000 characters, got more"


@pytest.mark.parametrize("page", ["utf-8", "utf-8-sig", "cp1252", "cp1250", "utf-8 twice"])
def test_all_pieces_are_read_in_one_encoding(small_pieces, page):
    name = "Łukasz Małgor" if page == "cp1250" else "Grömöller"
    text = FULL.replace("Cup", "Cup é", 1) + FULL + FULL.replace("Cup", name)
    data = text.encode() if page == "utf-8 twice" else text.encode(page)
    if page == "utf-8 twice":
        data = data.decode("latin-1").encode()
    whole = assert_same(data, at_least=4)
    assert set(whole.deals["encoding"]) == {page}
    assert name in whole.deals["event"].to_list()
    _, batch = read_cut(OneWay(data))
    if page != "cp1250":
        # a code page seen later than its first letters can only be guessed from those
        assert_frame_equal(batch.deals.drop("encoding"), whole.deals.drop("encoding"))
    assert batch.deals["encoding"][-1] == page


@pytest.mark.slow
def test_a_large_file_in_processes(small_pieces, tmp_path):
    write_pbn(random_deals(30, seed=3), tmp_path / "x.pbn")
    alone, together = (join(list(iter_deals(tmp_path / "x.pbn", jobs=jobs))) for jobs in (1, 2))
    assert alone.deals.height == 30
    assert_frame_equal(alone.deals, together.deals)


def test_braces_cost_time_in_proportion():
    """Each of many braces that nothing closes is done with once, not looked for to the end."""
    text = '[Deal "x"]\n' + "{\n" * 50_000
    (game,) = split_games(text)
    assert game.comments == ["reader: expected '}' before the next tag, got '{'"]


def test_normalise():
    assert normalise("a\r\nb\rc\n\0") == "a\nb\nc\n "


@pytest.mark.slow
def test_real_files_in_pieces(shared_data, monkeypatch):
    limit_pieces(monkeypatch, 4000)
    monkeypatch.setattr(pbn_tokens, "TAIL", 900)
    cut = 0
    for path in sorted((shared_data / "pbn").rglob("*")):
        if not path.is_file() or path.stat().st_size > 600_000:
            continue
        data = path.read_bytes()
        whole = read_pbn(data, "x.pbn")
        count, batch = read_cut(io.BytesIO(data))
        cut += count > 1
        assert batch.deals.equals(whole.deals), path.name
        assert batch.rejects.equals(whole.rejects), path.name
    assert cut > 100
