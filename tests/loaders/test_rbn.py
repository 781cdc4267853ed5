"""The RBN reader and writer: what the notation says, what is no record, boards there and back."""

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import InvalidInput, format_calls, format_card, format_hand
from bidcascade.loaders import read_deals, read_rbn, sniff, write_rbn
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, HAND_COLUMNS
from bidcascade.loaders.frames.random_deals import random_deals
from bidcascade.loaders.pbn.rbn import read_rbn_text
from bidcascade.loaders.pbn.rbn_records import find_last_record, split_records
from tests.loaders.pbn.support_pieces import limit_pieces, read_cut
from tests.loaders.pbn.test_pbn_writer import rows
from tests.support.examples import examples

HANDS = "W:AKQJ.5432.432.32:5432.AKQJ.765.54:876.876.AKQJ.876:"
OTHERS = "W:AKQJ.5432.432.32:876.876.AKQJ.876:5432.AKQJ.765.54:"
FULL = f"""% RBN, a comment
D 20200131
E Spring Cup:Final
F I
N Kim+Lee:Ann+Bob:O
{{Two lines
of text}}
B 3
H {HANDS}
A SE:1H^1P2H*P:4HA
1 five cards
C 4H:S
P SAT2K:S3H2
R 10+420:5
2 about the play

N Eve+Fay:Guy+Hal:C
A SE:PPPP

"""


def one(text: str) -> dict[str, object]:
    deals, rejects = read_rbn(text.encode())
    assert rejects.rows() == []
    assert deals.schema == DEAL_SCHEMA
    assert deals.height == 1
    return deals.row(0, named=True)


def rejected(text: str) -> list[tuple[int, str]]:
    return read_rbn(text.encode()).rejects.select("record", "reason").rows()


def board(text: str) -> dict[str, object]:
    return one(f"B 1\nH {HANDS}\n{text}")


def calls(text: str) -> str:
    return format_calls(board(f"A NZ:{text}")["auction"])


def test_a_board_and_its_second_table():
    deals, rejects = read_rbn(FULL.encode(), "cup.rbn")
    assert rejects.height == 0
    first, second = deals.rows(named=True)
    assert format_calls(first["auction"]) == "1H P 2H P 4H P P P"
    assert first["announcements"][:3] == ["five cards", "", ""]
    assert first["alerts"][:4] == [True, False, True, False]
    assert first["commentary"] == ["Two lines\nof text"]
    assert first["players"] == ["Kim", "Bob", "Lee", "Ann"]
    assert (first["dealer"], first["vulnerability"], first["room"]) == ("S", "EW", "open")
    assert (first["contract"], first["declarer"]) == ("4H", "S")
    assert (first["tricks"], first["score"], first["event"]) == (10, 420, "Spring Cup: Final")
    assert [first[name] for name in HAND_COLUMNS] == [second[name] for name in HAND_COLUMNS]
    assert (second["contract"], second["score"], second["room"]) == ("Pass", 0, "closed")
    assert second["players"] == ["Eve", "Hal", "Fay", "Guy"]
    assert (second["board"], second["record"], second["commentary"]) == (3, 2, [])


def test_rbx_is_the_same():
    lines = [
        "%{RBX}E{Spring Cup:Final}N{Kim+Lee:Ann+Bob:O}B{3}H{" + HANDS + "}A{SE:1H^1P2H*P:4HA}"
        "1{five cards}C{4H:S}P{SAT2K:S3H2}R{10+420:5}",
        "N{Eve+Fay:Guy+Hal:C}A{SE:PPPP}",
    ]
    rbx = read_deals("\n".join(lines).encode())
    rbn = read_deals(FULL.replace("{Two lines\nof text}\n", "").encode())
    assert rbx.rejects.height == 0
    assert_frame_equal(rbx.deals, rbn.deals)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("A", "P P P P"), ("1NPPP", "1N P P P"), ("1sa", "1S P P P"), ("1N!P2C?", "1N P 2C"),
        ("1CXR:P1DA", "1C X XX P 1D P P P"), ("1C:P:1H", "1C P 1H"), ("1CY", "1C"),
        ("1C^PA", "1C P P P"), ("", ""),
    ],
)  # fmt: skip
def test_auctions(written, expected):
    assert calls(written) == expected


def test_calls_that_are_none():
    row = board("A NZ:1C0S1D")
    assert (format_calls(row["auction"]), row["auction_status"]) == ("1C", "illegal")
    assert row["illegal_tail"] == [255]
    assert board("A NZ:2C1D")["illegal_tail"] == [4]
    assert board("A NZ:1C-2D")["illegal_tail"] == [9]


@pytest.mark.parametrize(
    ("text", "dealer", "vulnerability"),
    [
        ("A SN:A", "S", "NS"), ("A eb:A", "E", "Both"), ("A W?:A", "W", "None"),
        ("A 1CA", "W", "None"), ("", "N", "None"), ("A NE", "N", "EW"),
    ],
)  # fmt: skip
def test_dealer_and_vulnerability(text, dealer, vulnerability):
    row = board(text)
    assert (row["dealer"], row["vulnerability"]) == (dealer, vulnerability)


def test_a_card_without_a_suit_is_of_the_suit_led():
    row = board("C 4H:S\nP SA2!8T:SKD7*79;sq")
    assert " ".join(map(format_card, row["play"])) == "SA S2 S8 ST SK D7 S7 S9 SQ"
    assert board("C 4H:S\nP SA2:SK")["play"] == row["play"][:2]
    assert board("C 4H:S\nP SA-8T")["play"] == row["play"][:1]


@pytest.mark.parametrize(
    ("text", "contract", "tricks", "score"),
    [
        ("C 3N:E\nR 9", "3N", 9, -400), ("C 4SX:N\nR 8-300", "4SX", 8, -300),
        ("C 2HR:S\nR 8+640:=", "2HXX", 8, 640), ("C P\nR P", "Pass", None, 0),
        ("R ?+50", None, None, 50), ("C 4S:N:W\nR 99", "4S", None, None),
        ("C rubbish\nR rubbish", None, None, None),
    ],
)  # fmt: skip
def test_results(text, contract, tricks, score):
    row = board(text)
    assert (row["contract"], row["tricks"], row["score"]) == (contract, tricks, score)


def test_names_and_events():
    assert board("N Soloway")["players"] == ["Soloway", "", "", ""]
    assert board("N :+Kay:6:x")["players"] == ["", "Kay", "", ""]
    assert board("N +Roth:GIB 4.0")["players"] == ["", "", "Roth", "GIB 4.0"]
    assert board("N")["players"] is None
    assert board("E Preempts:: Fact:Lesson 1")["event"] == "Preempts: Fact: Lesson 1"
    assert board("E")["event"] is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("W:AKQJ.5432.432.3:5432.AKQJ.765.54:876.876.AKQJ.876:", "expected"),
        ("W:AKQJ.5432.432.323:5432.AKQJ.765.54:876.876.AKQJ.876:", "duplicate card"),
        ("W:AKQJ.5432.432.32:AKQJ.432.765.543:", "duplicate card: "),
        ("W:AKQJ.5432.432.32:5432.AKQJ.765.4:", "expected 13 cards, got 12"),
        ("W:AKQJ.5432.432.32:AKQJ.5432.432.32:876.876.AKQJ.876:", "duplicate card"),
        ("W:A:B:C:D:E:F", "expected"), ("Q:AKQ", "expected"), ("hello", "expected"),
        ("W:1111.1.1.1:::", "expected"), ("", "expected four hands behind the label H, got none"),
    ],
)  # fmt: skip
def test_bad_hands_are_rejects_and_lose_nothing_else(value, reason):
    text = f"B 1\nH {value}\nA NZ:A\n\nB 2\nH {HANDS}\nA EN:A\n\n"
    ((record, why),) = rejected(text)
    assert record == 1
    assert why.startswith(reason)
    assert read_rbn(text.encode()).deals["record"].to_list() == [2]


def test_another_board_without_hands_does_not_take_those_of_the_board_before():
    text = f"B 1\nH {HANDS}\n\nB 2\nA EN:A\n\nA EN:1CA\n\nB 3\nH {HANDS}\n\n"
    none = "expected four hands behind the label H, got none"
    assert rejected(text) == [(2, none), (3, none)]
    assert read_rbn(text.encode()).deals["board"].to_list() == [1, 3]


def test_blank_lines_may_be_missing():
    text = f"B 1\nH {HANDS}\nA NZ:A\nB 2\nH {OTHERS}\nA EN:A\nA EN:1CA"
    assert read_rbn(text.encode()).deals["board"].to_list() == [1, 2, 2]


def test_foreign_lines_are_a_record():
    text = (
        f"B 1\nH {HANDS}\nthese lines\nare foreign\nA NZ:A\n\n?\n\n"
        f"B 2\nH {HANDS}\nI list\nmore of it\n"
    )
    deals, rejects = read_rbn(text.encode())
    assert deals.select("record", "board").rows() == [(1, 1), (4, 2)]
    assert rejects["record"].to_list() == [2, 3]
    assert rejects["text"].to_list() == ["these lines\nare foreign", "?"]
    assert "got 'these lines'" in rejects["reason"][0]
    assert read_rbn(b"H{W:A}rest").rejects["text"].to_list() == ["W:A", "rest"]


def test_a_text_that_is_not_closed_takes_no_labels():
    row = one(f"B 1\n{{open\nand more\nH {HANDS}\nA NZ:1CA\n{{closed}}\n")
    told = "reader: expected '}' at the end of a text, got '{open'"
    assert row["commentary"] == ["open\nand more", told, "closed"]
    assert row["contract"] == "1C"


def test_words_that_are_none_are_told():
    row = board("N -+-:-+Bob\nA SQ:1CA\nC 1C:S\nR eight")
    assert (row["dealer"], row["vulnerability"], row["score"]) == ("S", "None", None)
    assert row["players"] == ["", "Bob", "", ""]
    assert row["commentary"] == [
        "reader: expected a vulnerability (None, NS, EW or Both) in Vulnerable, got 'Q'",
        "reader: expected tricks from 0 to 13 in Result, got 'eight'",
    ]
    assert board("A E:1CA")["dealer"] == "E"


def test_texts_go_with_the_board_that_follows_and_at_the_end_with_the_last():
    text = f"{{before}}\n\n{{too\n\nB 1\nH {HANDS}\n{{within}}\n\n{{behind}}\n"
    told = "reader: expected '}' at the end of a text, got '{too'"
    assert one(text)["commentary"] == ["before", "too", told, "within", "behind"]
    assert rejected("% RBN\n{only}\n")[0][0] == 1
    foreign = read_rbn(f"B 1\nH {HANDS}\n\nthese lines\n\n{{behind}}\n".encode())
    assert foreign.rejects.select("record", "text").rows() == [(2, "these lines"), (3, "behind")]
    assert read_rbn(b"").deals.height == read_rbn(b"% RBN\n\nE Cup\n").rejects.height == 0


def test_old_signs_of_repetition_are_no_values():
    text = f"N Kim+Lee\nB 1\nH {HANDS}\n\nN#\nB#\nH#\nA NZ:A\n\n"
    deals = read_rbn(text.encode()).deals
    assert deals["players"].to_list() == [["Kim", "", "Lee", ""]] * 2
    assert deals["auction_status"].to_list() == ["none", "complete"]


def test_a_remark_may_look_like_another_file():
    for remark in ('look:\n[Deal "x"]\nend', "look: mb|1S|pg||", "https://x.org/h.html?lin=md|3"):
        deals = random_deals(2, seed=3).with_columns(commentary=[remark])
        file = io.StringIO()
        write_rbn(deals, file)
        again = read_deals(file.getvalue().encode()).deals
        assert again["commentary"].to_list() == [[remark]] * 2


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (FULL.encode(), "rbn"), (b"% RBN\n", "rbn"), (b"%{RBX 1}E{x}", "rbn"),
        (f"{{text}}\nH {HANDS}".encode(), "rbn"), (f"B{{1}}H{{{HANDS}}}".encode(), "rbn"),
        (f"\ufeffH {HANDS}\r\n".encode(), "rbn"), (b"{}", None), (b"H W:hello", None),
        (b"N:AKQ.AKQ.AKQ.AKQ2 - T98.T987.T98.T98 765.65.765.76543", "hands"),
        (f'% RBN\n{{see\n[Deal "x"]\n}}\nH {HANDS}'.encode(), "rbn"),
        (f'H {HANDS}\n{{see\n[Deal "x"]\n}}'.encode(), "rbn"),
        (f"H {HANDS}\n{{see mb|1S|}}".encode(), "rbn"),
        (f'[Deal "x"]\n{{\nH {HANDS}\n}}'.encode(), "pbn"),
        (f"nt|\nH {HANDS}\n|".encode(), "lin"),
    ],
)  # fmt: skip
def test_files_are_told_apart(data, kind):
    assert sniff(data) == kind


def test_large_files_are_cut_between_records(monkeypatch):
    limit_pieces(monkeypatch, 2_000, chunk=500)
    for text in (FULL * 30, "\n".join(f"B{{{n}}}H{{{HANDS}}}\nA{{NZ:A}}" for n in range(1, 60))):
        count, batch = read_cut(io.BytesIO(text.replace("\n", "\r\n").encode()), "x.rbn")
        assert count > 4
        whole = read_rbn(text.encode(), "x.rbn")
        assert_frame_equal(batch.deals, whole.deals)
        assert batch.rejects.height == whole.rejects.height == 0


def test_a_line_without_an_end_is_refused(monkeypatch):
    limit_pieces(monkeypatch, 2_000, chunk=500)
    monkeypatch.setattr("bidcascade.loaders.pieces.LONGEST_RECORD", 5_000)
    monkeypatch.setattr("bidcascade.loaders.pbn.rbn_records.LONGEST_RECORD", 5_000)
    text = f"B 1\nH {HANDS}\nA {'P' * 20_000}\n\n{FULL}"
    _, batch = read_cut(io.BytesIO(text.encode()), "x.rbn")
    assert batch.rejects.select("record", "reason").rows() == [
        (1, "expected a record of at most 5,000 characters, got more")
    ]
    assert batch.deals["record"].to_list() == list(
        range(2, 2 + read_rbn(FULL.encode()).deals.height)
    )


LINES = st.sampled_from([
    "E Cup", "E", "N a+b:c+d:O", "B 1", "B 2", f"H {HANDS}", f"H {OTHERS}", "H",
    "A NZ:1CA", "C 1C:N", "P SA", "R 7", "1 note", "{text", "more}", "{text}", "{", "}", "% remark",
    "foreign", "I a", "#", "N#", "", "", "", "", f"B{{3}}H{{{HANDS}}}", "A{SE:A}{text}", "A{",
    "%{x}", " ", "\t",
])  # fmt: skip


@examples(200)
@given(st.lists(LINES, max_size=40).map("\n".join), st.integers(0, 300))
def test_boards_are_the_same_wherever_a_text_is_cut(text, place):
    start, heading = find_last_record(text[:place])
    first = list(split_records(text[:start], goes_on=True))
    parts = [*first, *split_records(text[start:], heading)]
    assert reader_remark(parts) == reader_remark(split_records(text))


def reader_remark(records) -> list[tuple[object, ...]]:
    """Boards without their texts: one behind the last board of a part goes with another board."""
    return [(record.labels, record.notes) for record in records if record.labels]


@examples(100)
@given(st.text(st.sampled_from("HABNCP W:.;{}%\n#AKQ123^*-+?"), max_size=200) | st.text())
def test_any_text_gives_boards_or_rejects(text):
    (batch,) = read_rbn_text(text)
    records = [*batch.deals["record"], *batch.rejects["record"]]
    assert sorted(records) == list(range(1, len(records) + 1))


def as_rbn_holds_it(row: dict[str, object]) -> dict[str, object]:
    """What a board looks like after RBN: see :func:`.write_rbn`."""
    texts: list[str] = row["announcements"]
    known = list(dict.fromkeys(text for text in texts if text))[:9]
    pairs = zip(row["alerts"], texts, strict=True)
    remarks = [text.replace("}\n", ")\n") for text in row["commentary"]]
    names = row["players"]
    if names is not None:
        names = [name.replace(":", "/").replace("+", "&") for name in names]
    return row | {
        "announcements": [text if text in known else "" for text in texts],
        "alerts": [alert or bool(text) for alert, text in pairs],
        "commentary": remarks,
        "players": names,
    }


@examples(100)
@given(st.lists(rows(), max_size=4))
def test_frames_read_back(boards):
    frames = [
        pl.DataFrame(
            [
                board | {"source": "f", "record": number, "encoding": "utf-8"}
                for number, board in enumerate(each, start=1)
            ],
            schema=DEAL_SCHEMA,
            orient="row",
        )
        for each in (boards, map(as_rbn_holds_it, boards))
    ]
    with io.StringIO() as file:
        write_rbn(frames[0], file)
        text = file.getvalue()
    (batch,) = read_rbn_text(text, source="f")
    assert batch.rejects.rows() == []
    assert_frame_equal(batch.deals, frames[1])


def test_bare_deals_read_back(tmp_path):
    frame = random_deals(40, seed=5)
    write_rbn(frame, tmp_path / "deals.rbn")
    deals = read_deals(tmp_path / "deals.rbn").deals
    same = [*HAND_COLUMNS, "dealer", "vulnerability", "board", "auction_status", "contract"]
    assert_frame_equal(deals.select(same), frame.select(same))
    assert format_hand(deals["west"][0]) in (tmp_path / "deals.rbn").read_text()


def test_remarks_keep_their_lines_and_braces():
    remarks = ["{a} \n  b}}", "x}\ny", "{", "}", " \n "]
    frame = random_deals(1, seed=5).with_columns(commentary=pl.Series([remarks]))
    with io.StringIO() as file:
        write_rbn(frame, file)
        deals = read_rbn(file.getvalue().encode()).deals
    assert deals["commentary"].to_list() == [["{a)\n  b}}", "x)\ny", "{", "}"]]


def test_required_columns():
    with pytest.raises(InvalidInput, match=r"got no \['dealer'\]"):
        write_rbn(random_deals(1, seed=5).drop("dealer"), io.StringIO())
