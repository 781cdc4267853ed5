"""The PBN reader, trap by trap; the kernel against the plain readers on any tokens."""

import io
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import InvalidInput, format_call, format_card, format_deal, parse_deal
from bidcascade.loaders import play_disagrees, write_pbn
from bidcascade.loaders.frames.frame import DEAL_SCHEMA, HAND_COLUMNS, REJECT_SCHEMA, UNREADABLE
from bidcascade.loaders.pbn.pbn import read_pbn, read_pbn_text
from bidcascade.loaders.pbn.pbn_double_dummy import (
    format_double_dummy_tricks,
    parse_double_dummy_tricks,
    parse_optimum_result_table,
    pbn_tags,
)
from tests.support.bridge import DEALS

# North has the spade honours, East the hearts, South the diamonds, West the clubs
HANDS = ("AKQJ.5432.432.32", "5432.AKQJ.765.54", "876.876.AKQJ.876", "T9.T9.T98.AKQJT9")
DEAL = f'[Deal "N:{" ".join(HANDS)}"]'
MASKS = parse_deal(f"N:{' '.join(HANDS)}").hands


def read(text: str) -> pl.DataFrame:
    """Read text that holds no rejects, with both engines."""
    (batch,) = read_pbn_text(text, source="t")
    (plain,) = read_pbn_text(text, source="t", plain=True)
    assert_frame_equal(batch.deals, plain.deals)
    assert batch.rejects.rows() == []
    assert batch.deals.schema == DEAL_SCHEMA
    return batch.deals


def one(text: str) -> dict[str, Any]:
    frame = read(text)
    assert frame.height == 1
    return frame.row(0, named=True)


def rejected(text: str) -> list[tuple[int, str]]:
    (batch,) = read_pbn_text(text)
    assert batch.rejects.schema == REJECT_SCHEMA
    return batch.rejects.select("record", "reason").rows()


def calls(row: dict[str, Any]) -> str:
    return " ".join(format_call(call) for call in row["auction"])


def board(**tags: str) -> str:
    """Text of one game: the deal, the tags in order, underscore names are sections."""
    lines = [DEAL]
    for name, value in tags.items():
        if name.endswith("_"):
            lines.append(value)
        else:
            lines.append(f'[{name} "{value}"]')
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("turn", range(4))
def test_deal_from_any_seat(turn):
    text = " ".join(HANDS[turn:] + HANDS[:turn])
    row = one(f'[Deal "{"NESW"[turn]}:{text}"]')
    assert tuple(row[name] for name in HAND_COLUMNS) == MASKS
    assert row["dealer"] == "NESW"[turn]
    assert (row["vulnerability"], row["board"], row["auction_status"]) == ("None", None, "none")


@pytest.mark.parametrize("unknown", ["-", "..."])
def test_one_unknown_hand_is_derived(unknown):
    row = one(f'[Deal "N:{HANDS[0]} {HANDS[1]} {unknown} {HANDS[3]}"]')
    assert row["south"] == MASKS[2]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("N:- - - -", "a known hand, got four unknown ones"),
        ("?", "four hands, got none"),
        ("", "four hands, got none"),
        (f"N:{HANDS[0]} {HANDS[0]} {HANDS[2]} {HANDS[3]}", "duplicate card"),
        (f"N:{HANDS[0]} {HANDS[1]} {HANDS[2]} T9.T9.T98.AKQJT", "expected 13 cards, got 12"),
        (f"X:{' '.join(HANDS)}", "expected a seat"),
        (f"N:{' '.join(HANDS[:3])}", "expected four hands"),
        ("N:AKQ1.5432.432.32 - - -", "'1'"),
        (f"N:AKQ1.5432.432.32 {' '.join(HANDS[1:])}", "'1'"),
        ("Random Deal #", "expected"),
    ],
)
def test_bad_deals_are_rejects_and_lose_nothing_else(value, reason):
    (batch,) = read_pbn_text(f'{DEAL}\n\n[Board "2"]\n[Deal "{value}"]\n\n{DEAL}\n')
    assert batch.deals["record"].to_list() == [1, 3]
    assert batch.rejects["record"].to_list() == [2]
    assert reason in batch.rejects["reason"][0]
    assert batch.rejects["text"][0] in (value, f'[Board "2"] [Deal "{value}"]')


def test_ten_as_two_digits_and_any_order():
    assert one(DEAL.replace("T9.T9.T98", "910.109.8910"))["west"] == MASKS[3]


@pytest.mark.parametrize(
    ("text", "name"),
    [("None", "None"), ("Love", "None"), ("-", "None"), ("NS", "NS"), ("EW", "EW"), ("All", "Both"),
     ("Both", "Both"), ("both", "Both"), ("?", "Both"), ("", "Both"), ("Neither", "None"),
     ("Nil", "None"), ("N/S", "NS"), ("E/W", "EW"), ("W-E", "EW"), ("North-South", "NS"),
     (" n-s ", "NS"), ("Nobody", "None"), ("Game all", "Both")],
)  # fmt: skip
def test_vulnerability(text, name):
    row = one(board(Board="4", Vulnerable=text))
    assert (row["vulnerability"], row["commentary"]) == (name, [])


def test_a_word_that_is_no_vulnerability_is_told():
    tags = {"Board": "4", "Contract": "2S", "Declarer": "N", "Result": "8"}
    row = one(board(**tags, Vulnerable="Sometimes"))
    # not that of the board, and no score that would follow from one
    assert (row["vulnerability"], row["tricks"], row["score"]) == ("None", 8, None)
    assert row["commentary"] == [
        "reader: expected a vulnerability (None, NS, EW or Both) in Vulnerable, got 'Sometimes'"
    ]
    assert one(board(**tags, Vulnerable="Sometimes", Score="NS 110"))["score"] == 110
    assert one(board(**tags))["score"] == 110


@pytest.mark.parametrize(("tags", "dealer"), [({}, "N"), ({"Auction": "W", "section_": "AP"}, "W")])
def test_a_word_that_is_no_dealer_is_told(tags, dealer):
    # by the auction, else the hand that the deal begins with: not by the board's number
    row = one(board(Board="3", Dealer="Nord", **tags))
    assert row["dealer"] == dealer
    assert row["commentary"] == ["reader: expected a seat (N, E, S or W) in Dealer, got 'Nord'"]


@pytest.mark.parametrize(
    ("tags", "dealer"),
    [
        ({"Dealer": "S", "Board": "1"}, "S"),
        ({"Dealer": "?", "Board": "2"}, "E"),
        ({"Board": "4"}, "W"),
        ({"Board": "1a"}, "N"),
        ({"Auction": "S", "Board": "1"}, "S"),
        ({"Dealer": "West"}, "W"),
        ({"Dealer": "south", "Board": "1"}, "S"),
        ({"Dealer": "1"}, "S"),
        ({"Dealer": "4"}, "E"),
        ({}, "N"),
    ],
)
def test_dealer(tags, dealer):
    assert one(board(**tags))["dealer"] == dealer


@pytest.mark.parametrize(
    ("value", "number"),
    [("12", 12), ("012", 12), ("", None), ("?", None), ("1a", 1), ("1-2", None), ("0", None)],
)
def test_board_number(value, number):
    assert one(board(Board=value))["board"] == number


@pytest.mark.parametrize(
    ("section", "expected", "status"),
    [
        ("1C AP", "1C P P P", "complete"),
        ("1c all pass", "1C P P P", "complete"),
        ("1NT AC", "1N P P P", "complete"),
        ("AP", "P P P P", "complete"),
        ("1C D R Pass\nPass\tPass", "1C X XX P P P", "complete"),
        ("1C X XX pass\r\npass p", "1C X XX P P P", "complete"),
        ("1C! =1= X? $14 !? 1D!! AP", "1C X 1D P P P", "complete"),
        ("1C=1= X AP", "1C X P P P", "complete"),
        ("1C Pass *", "1C P", "unfinished"),
        ("1C Pass +", "1C P", "unfinished"),
        ("1C Pass", "1C P", "unfinished"),
        ("- - 1C AP", "1C P P P", "complete"),
        ("1C AP -", "1C P P P", "complete"),
        ("1C* Pass 1D** Pass\n2NT Pass Pass Pass", "1C P 1D P 2N P P P", "complete"),
        ("1C * Pass *", "1C P", "unfinished"),
        ("1C+ X AP", "1C X P P P", "complete"),
        ("1C^ X^3 AP", "1C X P P P", "complete"),
        ("1C=1 X =2 AP", "1C X P P P", "complete"),
        ("1C = 1 = X =2 = AP", "1C X P P P", "complete"),
        ("1C AP * =1=", "1C P P P", "complete"),
        ("*", "", "none"),
        ("", "", "none"),
    ],
)
def test_auction(section, expected, status):
    row = one(board(Dealer="S", Auction="S", section_=section))
    assert (calls(row), row["auction_status"]) == (expected, status)
    assert row["dealer"] == "S"
    assert row["illegal_call"] is None
    assert len(row["announcements"]) == len(row["alerts"]) == len(row["auction"])


@pytest.mark.parametrize(
    ("section", "expected", "tail"),
    [
        ("2C ^I 1S Pass", "2C", [6, 0]),
        ("1C ^S - 1S", "1C", [6]),
        ("1C - 1S", "1C", [6]),
        ("1C XS Pass", "1C", [UNREADABLE]),
        ("Pass Pass Pass Pass Pass", "P P P P", [0]),
        ("X", "", [1]),
        ("1C Generated 1000 hands", "1C", [UNREADABLE]),
        ("* 1C Pass", "", [UNREADABLE]),
        ("^ 1C Pass", "", [UNREADABLE]),
        ("1C (1) Pass", "1C", [UNREADABLE]),
        ("1C 1= Pass", "1C", [UNREADABLE]),
    ],
)
def test_illegal_auctions(section, expected, tail):
    row = one(board(Auction="N", section_=section))
    assert (calls(row), row["illegal_tail"]) == (expected, tail)
    assert (row["auction_status"], row["illegal_call"]) == ("illegal", len(row["auction"]))


def test_contract_of_an_auction_that_went_on_after_its_end():
    row = one(board(Auction="N", section_="1C Pass Pass Pass 1D"))
    assert (row["auction_status"], row["contract"], row["declarer"]) == ("illegal", "1C", "N")


def test_dealer_and_auction_disagree():
    row = one(board(Dealer="N", Auction="E", section_="1H AP"))
    assert (row["dealer"], row["declarer"]) == ("E", "E")


def test_rows_padded_to_west():
    row = one(board(Dealer="E", Auction="W", section_="- - 1H AP"))
    assert (row["dealer"], row["declarer"], calls(row)) == ("E", "E", "1H P P P")


def test_opening_passes_left_out_are_put_back():
    tags = {"Dealer": "N", "Contract": "1H", "Declarer": "E", "Auction": "N"}
    row = one(board(**tags, section_='1H =1= AP\n[Note "1: five"]', Play="S", play_="D2 *"))
    assert (calls(row), row["declarer"], row["dealer"]) == ("P 1H P P P", "E", "N")
    assert row["announcements"] == ["", "five", "", "", ""]
    # without the opening leader's word for it, the auction stands as written
    row = one(board(**tags, section_="1H AP", Play="E", play_="*"))
    assert (calls(row), row["declarer"]) == ("1H P P P", "N")


def test_notes_do_not_leak_into_the_next_board():
    first = board(Auction="N", section_='1C =1= Pass =2= AP\n[Note "1:natural"]\n[Note "2: none:"]')
    second = board(Auction="N", section_="1D =1= AP")
    frame = read(first + "\n" + second)
    assert frame["announcements"].to_list() == [["natural", "none:", "", ""], ["", "", "", ""]]
    assert frame["alerts"].to_list() == [[True, True, False, False], [True, False, False, False]]


def test_notes_of_the_play_are_not_those_of_the_auction():
    auction = '[Auction "N"]\n1C =1= AP\n[Note "1:club"]\n'
    play = '[Play "E"]\nHA =1= *\n[Note "1:ace"]\n'
    for sections in (auction + play, play + auction):
        assert one(DEAL + sections)["announcements"][0] == "club"


def test_several_notes_of_one_call():
    text = board(Auction="N", section_='1C =1= =2= =3= AP\n[Note "1:a"][Note "2:b"]')
    assert one(text)["announcements"][0] == "a; b"


def test_alerts_that_programs_write_in_ways_of_their_own():
    section = "1C* Pass ** 1D^ Pass\n1H=1 Pass^2 2C =2= Pass *\n2D =3 Pass Pass Pass"
    row = one(board(Auction="N", section_=section + '\n[Note "1:a"][Note "2:b"]\n[Note "3:c"]'))
    assert calls(row) == "1C P 1D P 1H P 2C P 2D P P P"
    assert row["alerts"] == [True, True, True, False, True, True, True, True, True, *[False] * 3]
    assert row["announcements"] == ["", "", "", "", "a", "b", "b", "", "c", "", "", ""]


def test_escapes_in_values():
    row = one(board(Event=r"The \"Big\" \\ \S game", North=r"\#1"))
    assert row["event"] == r'The "Big" \ \S game'
    assert row["players"] == ["#1", "", "", ""]
    assert one(board(Event='The "Big" game'))["event"] == 'The "Big" game'


def test_comments_anywhere():
    text = (
        '% escaped [Deal "nothing"]\n{before\nthe game}\n' + DEAL + ' {behind} [Board "3"] ; rest\n'
        '[Auction "N"] {start} 1C {in [brackets]} Pass\n; line\nPass Pass\n%[Board "9"]\n'
        '[Event "{no; comment}"]\n'
    )
    row = one(text)
    assert row["commentary"] == [
        "before\nthe game",
        "behind",
        "rest",
        "start",
        "in [brackets]",
        "line",
    ]
    assert (calls(row), row["board"], row["event"]) == ("1C P P P", 3, "{no; comment}")


def test_comment_between_games_belongs_to_the_next():
    played = '[Contract "Pass"]\n'
    frame = read(f"{DEAL}{played}{{first}}\n\n{{second}}\n{DEAL}")
    assert frame["commentary"].to_list() == [["first"], ["second"]]


@pytest.mark.parametrize("close", ["", "}"])
def test_comment_that_is_not_closed_costs_one_line(close):
    text = f'{DEAL}\n{{never closed\n\n[Board "2"]\n{DEAL}\n; {close}\n'
    frame = read(text)
    assert frame["board"].to_list() == [None, 2]
    told = "reader: expected '}' before the next tag, got '{never closed'"
    assert frame["commentary"][0].to_list() == ["never closed", told]


@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize("close", ["", "\n{closed}", "\n; }"])
def test_a_comment_takes_no_tags(indent, close):
    text = (
        f'{DEAL}\n{{Analysis 3NT\n{indent}[North "a"]\n[Contract "3NT"]\n[Declarer "N"]\n'
        f'[Result "9"]{close}\n'
    )
    row = one(text)
    assert (row["players"], row["contract"], row["tricks"]) == (["a", "", "", ""], "3N", 9)
    told = "reader: expected '}' before the next tag, got '{Analysis 3NT'"
    assert row["commentary"][:2] == ["Analysis 3NT", told]
    # an auction goes on behind the line of the comment
    row = one(board(Auction="N", section_='1C {strong Pass\nPass 1H\n[Site "x"]'))
    assert calls(row) == "1C P 1H"


def test_tags_over_lines():
    wrapped = DEAL.replace("[Deal", "[Deal\n ").replace('"]', '"\n]')
    row = one(f'[Board\n"7"]\n{wrapped}\n[\n  Event "e"\n]\n[Auction\n "N"]\n1C AP\n')
    assert (row["board"], row["event"], calls(row)) == (7, "e", "1C P P P")
    # where a value is broken, too
    row = one(DEAL.replace(" ", "\n   ").replace("Deal\n   ", "Deal ") + '[Event "a\n b"]')
    assert tuple(row[name] for name in HAND_COLUMNS) == MASKS
    assert row["event"] == "a b"
    # a quote that is missing does not take the tags behind it
    (batch,) = read_pbn_text(f'[Site "x]\n[Event "e"]\n{DEAL}\n[Board "3"]\n')
    assert batch.deals.select("event", "board").rows() == [("e", 3)]
    assert batch.rejects["text"].to_list() == ['[Site "x]']


@pytest.mark.parametrize(
    "hand", ["S{}.H{}.D{}.C{}", "S.{}.H.{}.D.{}.C.{}", "s{}h{}d{}c{}", "{}.{}.{}.{}"]
)
def test_hands_with_letters_of_suits(hand):
    text = " ".join(hand.format(*one.split(".")) for one in HANDS)
    row = one(f'[Deal "N:{text}"]')
    assert tuple(row[name] for name in HAND_COLUMNS) == MASKS


def test_suits_with_letters_in_any_order():
    rest = " ".join(HANDS[1:])
    row = one(f'[Deal "N : D432.SAKQJ.C32.H5432 {rest}"]')
    assert tuple(row[name] for name in HAND_COLUMNS) == MASKS
    # a letter at one suit says nothing of the others
    ((_, reason),) = rejected(f'[Deal "N:SAKQJ.5432.432.32 {rest}"]')
    assert "expected a hand" in reason


def test_tags_in_any_order_and_several_on_a_line():
    row = one(f'[Result "9"][Contract "3NT"] [Declarer "S"]\t[Board "1"] {DEAL}')
    assert (row["contract"], row["declarer"], row["tricks"]) == ("3N", "S", 9)
    assert row["score"] == 400


def test_games_without_blank_lines_between():
    games = "".join(
        f'[Event "e{n}"]\n[Board "{n}"]\n{DEAL}\n[Auction "N"]\nAP\n' for n in range(1, 4)
    )
    assert read(games)["event"].to_list() == ["e1", "e2", "e3"]


def test_repeated_tag_is_ignored():
    row = one(f'[Room "Open"]\n{DEAL}\n[Room "IMP"]\n[Auction "N"]\n1C AP\n[Room "Closed"]\n')
    assert (row["room"], calls(row)) == ("open", "1C P P P")
    row = one(f'[ActionTable "a"]\n1\n[ActionTable "b"]\n2\n{DEAL}\n[Event "x"]\n')
    assert row["event"] == "x"


def test_blank_line_within_a_game():
    frame = read(
        f'[Event "e"]\n\n[Board "7"]\n{DEAL}\n\n[Auction "N"]\n1C AP\n\n[Board "8"]\n{DEAL}'
    )
    assert frame["board"].to_list() == [7, 8]
    assert frame["auction"].list.len().to_list() == [4, 0]
    assert frame["event"].to_list() == ["e", None]


def test_second_table_without_deal():
    frame = read(
        f'[Event "cup"]\n[Board "5"]\n[Dealer "N"]\n[Vulnerable "NS"]\n{DEAL}\n[North "a"]\n'
        '[Contract "2H"]\n[Declarer "N"]\n[Result "8"]\n\n[Contract "1NT"]\n[Declarer "W"]\n'
        '[Result "6"]\n'
    )
    assert frame["board"].to_list() == [5, 5]
    assert frame["vulnerability"].to_list() == ["NS", "NS"]
    assert frame["score"].to_list() == [110, 50]
    assert frame["event"].to_list() == ["cup", "cup"]
    assert frame["players"].to_list() == [["a", "", "", ""], None]


SECOND = '[Contract "1NT"]\n[Declarer "W"]\n[Result "6"]\n'


@pytest.mark.parametrize(
    "tags", ['[Board "5"]\n', '[Board "05"]\n', '[Board "#"]\n', '[Board "?"]\n', ""]
)
def test_a_game_of_the_same_board_without_deal_has_its_hands(tags):
    frame = read(f'[Board "5"]\n{DEAL}\n[Contract "2H"]\n\n{tags}{SECOND}')
    assert frame["north"].to_list() == [MASKS[0]] * 2


@pytest.mark.parametrize(
    ("first", "blank"), [('[Board "5"]\n', "\n"), ('[Board "B6"]\n', ""), ("", "\n")]
)
def test_a_game_of_another_board_without_deal_has_no_hands(first, blank):
    text = f'{first}{DEAL}\n[Contract "2H"]\n{blank}[Board "6"]\n{SECOND}\n{SECOND}'
    # nor has the next, which is another table of that one
    reason = "expected a [Deal] tag with four hands, got none"
    assert rejected(text) == [(2, reason), (3, reason)]
    # but a deal that is repeated by its sign is told
    assert read(text.replace('[Board "6"]', '[Board "6"]\n[Deal "#"]')).height == 3


def test_inheritance():
    frame = read(
        f'[Event "##season"]\n[Site "x"]\n[Board "1"]\n{DEAL}\n\n[Event "#"]\n[Deal "#"]'
        f'\n\n[Event "other"]\n[Board "3"]\n{DEAL}\n\n[Board "4"]\n{DEAL}\n\n[Event "#"]\n{DEAL}'
    )
    assert frame["event"].to_list() == ["season", "season", "other", "season", "season"]
    assert frame["north"].to_list() == [MASKS[0]] * 5


def test_inherited_auction():
    frame = read(board(Auction="N", section_="1C AP") + "\n" + board(Auction="#"))
    assert frame["auction"].to_list() == [[3, 0, 0, 0]] * 2


def test_notes_are_inherited_with_their_section():
    notes = '[Note "1:strong"]\n[Note "2:waiting"]'
    first = board(
        Auction="N",
        section_="1C =1= Pass 1D =2= AP",
        notes_=notes,
        Contract="1D",
        Declarer="S",
        Play="W",
        play_="HA =1=",
        after_='[Note "1:lead"]',
    )
    same, own = board(Auction="#", Play="#"), board(Auction="#", own_='[Note "2:negative"]')
    other = board(Auction="N", section_="1C =1= AP")
    frame = read("\n".join((first, same, own, same, other, board(Play="#"))))
    texts = ["strong", "", "waiting", "", "", ""]
    negative = [*texts[:2], "negative", *texts[3:]]
    assert frame["announcements"].to_list() == [texts, texts, negative, negative, [""] * 4, []]
    assert frame["alerts"].to_list()[1] == [True, False, True, False, False, False]


def test_inheriting_from_a_rejected_board():
    assert [record for record, _ in rejected('[Deal "N:x"]\n\n[Deal "#"]\n')] == [1, 2]


def test_free_text_is_a_record_of_its_own():
    text = f"Generated 2 hands\nTime 0.1\n\n{DEAL}\n\nFrequency:\n 1 2\n\n{DEAL}\nProduced 2\n"
    (batch,) = read_pbn_text(text)
    assert batch.deals["record"].to_list() == [2, 4]
    assert batch.rejects["record"].to_list() == [1, 3, 5]
    assert batch.rejects["text"].to_list() == [
        "Generated 2 hands\nTime 0.1",
        "Frequency:\n 1 2",
        "Produced 2",
    ]
    assert "got 'Generated 2 hands'" in batch.rejects["reason"][0]


@pytest.mark.parametrize(
    "data", [b"<html><body>404</body></html>", b'{"deals": []}', bytes(range(256)), b"qx|o1|md|1|"]
)
def test_not_pbn(data):
    batch = read_pbn(data, "page")
    assert batch.deals.height == 0
    assert batch.rejects.height >= 1
    assert batch.rejects["source"][0] == "page"


@pytest.mark.parametrize("data", [b"", b"\n\n", b"% PBN 2.1\n", b"\xef\xbb\xbf"])
def test_no_records(data):
    batch = read_pbn(data)
    assert batch.deals.height == batch.rejects.height == 0
    assert (batch.deals.schema, batch.rejects.schema) == (DEAL_SCHEMA, REJECT_SCHEMA)


def test_game_without_deal():
    ((record, reason),) = rejected('[Event "x"]\n[Contract "3NT"]\n')
    assert record == 1
    assert "[Deal]" in reason


@pytest.mark.parametrize(
    ("codec", "name"), [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("latin-1", "cp1252")]
)
def test_encoding_is_detected_not_believed(codec, name):
    text = "%Content-type: text/x-pbn; charset=ISO-8859-1\r\n" + board(North="Lévy")
    row = read_pbn(text.encode(codec)).deals.row(0, named=True)
    assert (row["players"][0], row["encoding"]) == ("Lévy", name)


@pytest.mark.parametrize(
    ("result", "tricks"),
    [("9", 9), ("^9", 9), ("NS 9", 9), ("EW 9", 4), ("EW 9 NS 4", 4), ("", None), ("?", None),
     ("14", None), ("0", 0), ("nine", None), ("+1", 10), ("=", 9), ("-3", 6), ("-10", None)],
)  # fmt: skip
def test_result(result, tricks):
    row = one(board(Contract="3NT", Declarer="^N", Result=result))
    assert (row["tricks"], row["declarer"]) == (tricks, "N")
    assert (row["score"] is None) == (tricks is None)
    told = [f"reader: expected tricks from 0 to 13 in Result, got '{result}'"]
    assert row["commentary"] == (told if tricks is None and result not in ("", "?") else [])


@pytest.mark.parametrize(
    ("value", "points"),
    [("NS 50", 50), ("EW 50", -50), ("NS +90", 90), ("NS-50", -50), ("+420", -420), ("-100", 100),
     ("NS 50 EW -50", 50), ("", -420), ("A+", -420)],
)  # fmt: skip
def test_score(value, points):
    row = one(board(Contract="4S", Declarer="W", Result="10", Score=value))
    assert row["score"] == points


@pytest.mark.parametrize(
    ("value", "name"),
    [("4S", "4S"), ("4SX", "4SX"), ("4Sx", "4SX"), ("4SXX", "4SXX"), ("4SR", "4SXX"),
     ("4S*", "4SX"), ("4S**", "4SXX"), ("3NT*", "3NX"),
     ("4SD", "4SX"), ("3NT", "3N"), ("3NTX", "3NX"), ("3n", "3N"),
     ("Pass", "Pass"), ("Passed out", "Pass"), ("?", None), ("8C", None)],
)  # fmt: skip
def test_contract_tag(value, name):
    row = one(board(Contract=value, Declarer="E"))
    assert row["contract"] == name
    assert row["declarer"] == (None if name == "Pass" else "E")
    told = ["reader: expected a contract such as 4SX in Contract, got '8C'"]
    assert row["commentary"] == (told if value == "8C" else [])


def test_other_words_that_are_none_are_told():
    row = one(board(Contract="4S", Declarer="Ann", Score="A+"))
    assert row["commentary"] == [
        "reader: expected a seat (N, E, S or W) in Declarer, got 'Ann'",
        "reader: expected a score such as NS 420 in Score, got 'A+'",
    ]
    assert one(board(Declarer="?", Score="", Contract="-"))["commentary"] == []


@pytest.mark.parametrize("name", ["-", "?", "", "---"])
def test_names_that_are_none(name):
    assert one(board(North=name, East=name))["players"] is None
    assert one(board(North=name, East="Bob"))["players"] == ["", "Bob", "", ""]


def test_passed_out():
    row = one(board(Auction="N", section_="AP", Contract="Pass", Declarer="S", Result=""))
    assert (row["contract"], row["declarer"], row["tricks"], row["score"]) == (
        "Pass",
        None,
        None,
        0,
    )


@pytest.mark.parametrize(
    ("contract", "declarer", "said"),
    [
        ("4H", "E", "4H by E"), ("2S", "E", "2S by E"), ("4H", "N", "4H by N"),
        ("4H", "?", "4H"), ("?", "E", "by E"), ("Pass", "", "Pass"), ("2HXX", "^N", "2HXX by N"),
    ],
)  # fmt: skip
def test_tags_of_another_contract_than_the_auction_give_no_result(contract, declarer, said):
    tags = {"Contract": contract, "Declarer": declarer, "Result": "10", "Score": "NS 420"}
    row = one(board(Auction="N", section_="2S AP", **tags) + "{before}\n")
    assert (row["contract"], row["declarer"], row["tricks"]) == ("2S", "N", None)
    assert row["score"] is None
    remark = f"reader: expected the contract of the auction (2S by N), got '{said}'"
    assert row["commentary"] == ["before", remark]


def test_tags_that_lose_a_double_or_say_less_speak_of_the_same_contract():
    for contract, declarer in (("2S", "N"), ("2SX", "N"), ("2S", "?"), ("?", "N"), ("2S", "^N")):
        tags = {"Contract": contract, "Declarer": declarer, "Result": "10"}
        for section, score in (("2S X AP", 670), ("2S AP", 170)):
            row = one(board(Auction="N", section_=section, **tags))
            assert (row["tricks"], row["score"], row["commentary"]) == (10, score, [])
    tags = {"Contract": "4S", "Declarer": "N", "Result": "10", "Score": "NS 420"}
    row = one(board(Auction="N", section_="AP", **tags))
    assert (row["contract"], row["tricks"], row["score"]) == ("Pass", None, 0)
    assert row["commentary"] == [
        "reader: expected the contract of the auction (Pass), got '4S by N'"
    ]
    assert one(board(Auction="N", section_="2S *", **tags))["tricks"] == 10


def test_contract_of_the_auction_stands_unless_irregular():
    row = one(board(Auction="N", section_="1C X AP", Contract="1C", Declarer="E"))
    assert (row["contract"], row["declarer"]) == ("1CX", "N")
    row = one(board(Auction="N", section_="1C X AP", Contract="1C", Declarer="^S"))
    assert (row["contract"], row["declarer"]) == ("1CX", "S")


def cards(row: dict[str, Any]) -> str:
    return " ".join(format_card(card) for card in row["play"])


def test_play_rows_are_columns_of_seats():
    tags = {"Contract": "1NT", "Declarer": "N", "Play": "E"}
    # East wins the first trick; the second row starts again with East's column, South's card led
    row = one(board(**tags, play_="HA H6 H9 H2\nHK H7 HT H3\nD5 - C9 D4\n*"))
    assert cards(row) == "HA H6 H9 H2 HK H7 HT H3 D5"
    # West takes the second trick, so the third is written in the same columns but led by West
    row = one(board(**tags, play_="C4 C6 CA C2\nC5 C7 CK C3\nS2 C8 CQ D2\n"))
    assert cards(row) == "C4 C6 CA C2 CK C3 C5 C7 CQ D2 S2 C8"


@pytest.mark.parametrize(
    ("play", "read_as", "unread"),
    [
        ("1. HA H6 H9 H2\n2. HK H7", "", "1. HA H6 H9 H2 2. HK H7"),
        ("AH 6H 9H 2H", "", "AH 6H 9H 2H"),
        ("HA H6 H9 H2\nHK xx H3", "HA H6 H9 H2 HK", "xx H3"),
        ("HA S1", "HA", "S1"),
        ("HA H6 - - $5 ^R *", "HA H6", None),
    ],
)
def test_play_that_cannot_be_read_is_told(play, read_as, unread):
    row = one(board(Contract="1NT", Declarer="N", Play="E", play_=play) + "{before}\n")
    assert cards(row) == read_as
    told = f"reader: expected cards such as SA in Play, got '{unread}'"
    assert row["commentary"] == ["before", *([] if unread is None else [told])]


def test_play_with_trumps_and_irregularities():
    tags = {"Declarer": "W", "Play": "N", "play_": "C2 ^R S5 $1 =1= C6 CA\nC3 C4 - - +"}
    # East ruffs, so East leads; without trumps West would
    assert cards(one(board(Contract="1S", **tags))) == "C2 S5 C6 CA C4"
    assert cards(one(board(Contract="1NT", **tags))) == "C2 S5 C6 CA"


def test_play_of_all_cards_counts_tricks_whatever_the_result_says():
    # spades from the top by North, then hearts by East …: nobody follows after the fourth round
    left = [[card for card in range(52) if mask >> card & 1] for mask in MASKS]
    rows_ = []
    leader = 1
    for _ in range(13):
        trick = {}
        for offset in range(4):
            seat = (leader + offset) % 4
            suit = [c for c in left[seat] if trick and c // 13 == trick[leader] // 13]
            card = max(suit or left[seat])
            left[seat].remove(card)
            trick[seat] = card
        rows_.append(" ".join(format_card(trick[(1 + offset) % 4]) for offset in range(4)))
        led = trick[leader] // 13
        leader = max(trick, key=lambda seat: trick[seat] if trick[seat] // 13 == led else -1)
    tags = {"Contract": "1NT", "Declarer": "N", "Result": "0", "Play": "E"}
    whole = one(board(**tags, play_="\n".join(rows_)))
    assert len(whole["play"]) == 52
    assert whole["tricks"] > 0
    # the last trick is forced
    twelve = one(board(**tags, play_="\n".join(rows_[:12])))
    assert (len(twelve["play"]), twelve["tricks"]) == (48, whole["tricks"])
    eleven = one(board(**tags, play_="\n".join(rows_[:11]) + "\n*"))
    assert (len(eleven["play"]), eleven["tricks"]) == (44, 0)


@pytest.mark.parametrize(
    ("play", "read_as"),
    [
        ("HA H6 H9 H2 HA", "HA H6 H9 H2"),
        # kept in the first trick alone, where it tells of other hands
        ("HA HK", "HA HK"),
        ("HA H6 H9 H2 HK HQ", "HA H6 H9 H2 HK"),
        ("- HA HK", "HA HK"),
        ("HA H6 nonsense H9", "HA H6"),
        ("- H6 H9 H2", ""),
        ("*", ""),
        ("", ""),
        ("h10 HA H6 H2", "HA H6 HT H2"),
        ("HA* H6 H9 H2 * HK * *", "HA H6 H9 H2 HK"),
        ("HA=1 H6 ^ H9^2 H2 +", "HA H6 H9 H2"),
    ],
)
def test_play_that_stops(play, read_as):
    row = one(board(Contract="1NT", Declarer="N", Play="E", play_=play))
    assert cards(row) == read_as


def test_play_of_other_hands_is_seen():
    tags = {"Contract": "1NT", "Declarer": "N", "Play": "E"}
    plays = ["HA H6 H9 H2", "HA HK DA CA", "HA H6 H9 H2 HK HQ"]
    boards = "\n".join(board(**tags, play_=play) for play in plays)
    deals = read_pbn(boards.encode()).deals
    assert play_disagrees(deals).to_list() == [False, True, False]
    with io.StringIO() as text:
        write_pbn(deals, text)
        again = read_pbn(text.getvalue().encode()).deals
    assert again["play"].to_list() == deals["play"].to_list()


def test_play_without_contract_has_no_order():
    assert one(board(Play="E", play_="HA H6 H9 H2"))["play"] == []


def test_other_tables_and_tags():
    rows_ = "".join(f"{seat} {strain} 7\n" for seat in "NESW" for strain in ("NT", *"SHDC"))
    table = '[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\n' + rows_
    text = f'{DEAL}\n[DoubleDummyTricks "77667775576677566775"]\n{table}\n[Deal "?"]\n'
    (batch,) = read_pbn_text(text)
    tags = pbn_tags(text.encode(), ["DoubleDummyTricks", "OptimumResultTable"])
    joined = batch.deals.join(tags, on="record")
    assert joined["DoubleDummyTricks"].to_list() == ["77667775576677566775"]
    assert parse_optimum_result_table(joined["OptimumResultTable"][0]) == (7,) * 20
    assert tags.height == 2


@given(st.lists(st.integers(0, 13), min_size=20, max_size=20))
def test_double_dummy_tricks_read_back(tricks):
    assert list(parse_double_dummy_tricks(format_double_dummy_tricks(tricks))) == tricks


@pytest.mark.parametrize("text", ["", "7" * 19, "7" * 21, "e" + "7" * 19, "7 " * 10])
def test_bad_double_dummy_tricks(text):
    with pytest.raises(InvalidInput, match="expected 20 hexadecimal digits"):
        parse_double_dummy_tricks(text)


@pytest.mark.parametrize("text", ["", "N NT 7", "N NT 14", "N X 7", "NN NT 7", "N NT 7 " * 20])
def test_bad_optimum_result_table(text):
    with pytest.raises(InvalidInput, match="expected"):
        parse_optimum_result_table(text)


CALL_TOKENS = st.sampled_from(
    ["P", "Pass", "pass", "X", "x", "D", "XX", "R", "AP", "1C", "1NT", "2S", "3n", "7NT", "=1=",
     "=2=", "=300=", "==", "*", "+", "-", "^I", "^S", "$1", "!", "1C!", "XS", "é", "0C", "1X",
     "All", "allpass", "1C*", "**", "^", "^2", "=1", "=", "1D=2", "P**"]
)  # fmt: skip
CARD_TOKENS = st.one_of(
    st.integers(0, 51).map(format_card),
    st.sampled_from(["-", "*", "+", "^R", "=1=", "$3", "h10", "sa", "S1", "foo", "!", "**", "=1"]),
)


@given(
    DEALS,
    st.lists(CALL_TOKENS, max_size=20),
    st.lists(CARD_TOKENS, max_size=60),
    st.sampled_from(["?", "Pass", "1C", "3NTX", "7SXX"]),
    st.sampled_from(["N", "^E", "?", "S"]),
    st.sampled_from("NESW?"),
)
def test_kernel_equals_plain_readers(deal, bids, plays, contract, declarer, leader):
    text = (
        f'[Deal "{format_deal(deal)}"][Contract "{contract}"][Declarer "{declarer}"]\n'
        f'[Auction "{deal.dealer.letter}"]\n{" ".join(bids)}\n[Note "1:x"][Note "300:y"]\n'
        f'[Play "{leader}"]\n{" ".join(plays)}\n'
    )
    read(text)


@given(st.text(st.sampled_from('[]{};%"\n\\ #:DealAuctionN1CP-*.'), max_size=200))
def test_any_text_is_read(text):
    (batch,) = read_pbn_text(text)
    records = [*batch.deals["record"], *batch.rejects["record"]]
    assert sorted(records) == list(range(1, len(records) + 1))


def test_batches_are_the_whole():
    text = "\n".join(board(Board=str(number)) for number in range(1, 8)) + "\nfree text\n"
    batches = list(read_pbn_text(text, boards_per_batch=3))
    assert [batch.deals.height for batch in batches] == [3, 3, 1]
    assert [batch.rejects.height for batch in batches] == [0, 0, 1]
    whole = read_pbn(text.encode())
    assert_frame_equal(pl.concat([batch.deals for batch in batches]), whole.deals)


@pytest.mark.parametrize("digits", ["0" * 5000, "9" * 5000])
def test_numbers_of_thousands_of_digits(digits):
    table = "Contract;Declarer;Result;Multiplicity"
    line = f"4S N NS{digits}8 {digits}1"
    text = board(Auction="N", section_="1C AP", AlertedCalls=f"{digits}1 x")
    frame = read(f'{text.rstrip()}\n[ScoreTable "{table}"]\n{line}\n')
    is_nought = digits[0] == "0"
    assert frame["alerts"].to_list()[0] == [is_nought, False, False, False]
    assert frame["tricks"].to_list()[1] == (8 if is_nought else None)
    assert frame["commentary"].list.len().to_list()[1] == (0 if is_nought else 2)


def test_hands_as_lin_has_them_may_name_nobody():
    hands = "J876.A65.Q93.J94,T32.T94.JT2.A876,AQ4.KJ3.K876.Q52,"
    for section in ("1C AP", "1C (1) AP"):
        (batch,) = read_pbn_text(f'[Deal "{hands}"]\n[Auction "?"]\n{section}\n')
        assert batch.deals["dealer"].to_list() == ["N"]


@pytest.mark.parametrize("seat", ["\u017f", "^\u017f"])
def test_letters_beyond_ascii_are_no_seats(seat):
    frame = read(board(Dealer=seat))
    assert "a seat (N, E, S or W) in Dealer" in frame["commentary"].to_list()[0][0]
