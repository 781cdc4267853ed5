"""What LIN means, one rule a test; all texts are ours."""

from urllib.parse import quote

import pytest

from bidcascade.bridge import format_calls, format_card, parse_deal, parse_hand
from bidcascade.loaders import read_handviewer, read_lin, read_lin_files
from bidcascade.loaders.lin.lin import NO_DEAL_REASON
from bidcascade.loaders.lin.lin_reference import parse_md
from bidcascade.loaders.lin.lin_signs import looks_like_handviewer, looks_like_lin
from tests.support.lin import GRAND_SLAM

HANDS = GRAND_SLAM[1:]
SOUTH, WEST, NORTH, EAST = HANDS.split(",")
MD = f"md|{GRAND_SLAM}|"


def one(text: str) -> dict[str, object]:
    """The only row that a LIN text gives."""
    batch = read_lin(text.encode())
    assert batch.rejects.rows() == []
    (row,) = batch.deals.rows(named=True)
    return row


def auction(text: str) -> str:
    return format_calls(one(text)["auction"])


def reasons(text: str) -> list[str]:
    batch = read_lin(text.encode())
    assert batch.deals.is_empty()
    return batch.rejects["reason"].to_list()


def _reader_remarks(played: str) -> list[str]:
    remarks: list[str] = one(f"md|1{HANDS}|mb|1Sppp|{played}")["commentary"]
    return [remark.removeprefix("reader: expected ") for remark in remarks]


def test_cards_and_claims_that_cannot_be_read_are_told():
    what = "cards such as SA in pc, or their number in up, got "
    for played, shown in (("pc| ZZ |pc|YY|", "ZZ"), ("pc|SA|pc|HKé|up|x|", "HKé"), ("up|x|", "x")):
        assert _reader_remarks(played) == [f"{what}'{shown}'"]
    for claims, shown in (("mc|=|mc|9|mc|x|", "="), ("mc|14|", "14"), ("mc| all |", "all")):
        assert _reader_remarks(claims) == [f"tricks from 0 to 13 in mc, got '{shown}'"]
    assert _reader_remarks("pc|SA||pc||mc||mc|?|mc|7|pc|?|up||pc||") == []
    # what stands behind a card that is not known is not read
    assert _reader_remarks("pc|?|pc|?|pc|SA|pc|HK|") == [f"{what}'SA'"]
    assert _reader_remarks("mc|x|nt|hello|pc|ZZ|") == [
        "hello",
        f"{what}'ZZ'",
        "tricks from 0 to 13 in mc, got 'x'",
    ]


@pytest.mark.parametrize(
    ("digit", "dealer"), [("1", "S"), ("2", "W"), ("3", "N"), ("4", "E"), ("", "N"), ("0", "N")]
)
def test_dealer_digit(digit, dealer):
    row = one(f"md|{digit}{HANDS}|")
    assert row["dealer"] == dealer
    assert row["south"] == parse_hand("AKQJT98765432...")
    assert row["west"] == parse_hand(".AKQJT98765432..")
    assert row["north"] == parse_hand("..AKQJT98765432.")
    assert row["east"] == parse_hand("...AKQJT98765432")


def test_dealer_and_vulnerability_of_the_board_number_where_the_file_is_silent():
    row = one(f"qx|o7|md|{HANDS}|")
    assert (row["board"], row["dealer"], row["vulnerability"]) == (7, "S", "Both")
    row = one(f"md|{HANDS}|sv|?|ah|Board 4|")
    assert (row["dealer"], row["vulnerability"]) == ("W", "Both")


@pytest.mark.parametrize(
    ("word", "sides"),
    [("none", "None"), ("Neither", "None"), ("N/S", "NS"), ("ew", "EW"), ("both", "Both"),
     ("ALL", "Both"), (" w ", "EW"), ("", "EW"), ("?", "EW")],
)  # fmt: skip
def test_words_for_vulnerabilities(word, sides):
    row = one(f"qx|o3|md|1{HANDS}|sv|{word}|")
    assert (row["vulnerability"], row["commentary"]) == (sides, [])


@pytest.mark.parametrize("start", ["qx|o4|md|1{}|sv|{}|", "sv|{1}|md|1{0}|ah|Board 4|"])
def test_a_word_that_is_no_vulnerability_is_told(start):
    text = start.format(HANDS, "maybe") + "nt|well|mb|1Sppp|mc|7|"
    row = one(text)
    # not that of the board, and no score that would follow from one
    assert (row["board"], row["vulnerability"]) == (4, "None")
    assert (row["contract"], row["tricks"], row["score"]) == ("1S", 7, None)
    assert row["commentary"] == [
        "well",
        "reader: expected a vulnerability (o, n, e or b) in sv, got 'maybe'",
    ]
    # a text as long as this is read by the kernel
    many = read_lin((text * 60).encode()).deals
    assert many.drop("record").unique().rows(named=True) == [
        {name: value for name, value in row.items() if name != "record"}
    ]


@pytest.mark.parametrize(
    ("tokens", "play"),
    [
        ("pc|SA|pc|HK|up|1|pc|HQ|", "SA HQ"), ("pc|SA|pc|HK|up|2|", ""), ("up|3|pc|SA|", "SA"),
        ("pc|SAHK|pg||UP| 1 |pc|DJ|", "SA DJ"), ("pc|SA|up|9|pc|HK|", "HK"), ("pc|SA|up|0|", "SA"),
        # which cards stand is not known then
        ("pc|SA|up|x|pc|HK|", "SA"), ("pc|SA|up||pc|HK|", "SA"), ("pc|SA|pc|?|up|1|pc|HK|", "SA"),
    ],
)  # fmt: skip
def test_cards_taken_back(tokens, play):
    row = one(f"md|1{HANDS}|mb|1Sppp|{tokens}")
    assert " ".join(map(format_card, row["play"])) == play


def test_cards_of_the_board_before_are_not_taken_back():
    batch = read_lin(f"md|1{HANDS}|mb|1Sppp|pc|SA|md|1{HANDS}|mb|1Sppp|up|3|pc|HK|".encode())
    assert batch.deals["play"].list.len().to_list() == [1, 1]


@pytest.mark.parametrize(
    ("tokens", "calls", "tail"),
    [
        ("mb|-1Dp1Hp2Dppp|", "1D P 1H P 2D P P P", []), ("mb|-|mb|--|mb|1Dp|", "1D P", []),
        ("mb|1D|mb|-|mb|p|", "1D", [255, 0]), ("mb|- 1D - p|", "1D", [255]),
    ],
)  # fmt: skip
def test_seats_before_dealers(tokens, calls, tail):
    row = one(f"md|1{HANDS}|{tokens}")
    assert (format_calls(row["auction"]), row["illegal_tail"]) == (calls, tail)


def test_names_that_are_none():
    assert one(f"pn|-,-,---,-|md|1{HANDS}|")["players"] is None
    assert one(f"pn|Ann,-,-,Dan|md|1{HANDS}|")["players"] == ["", "Dan", "Ann", ""]


@pytest.mark.parametrize(
    "parts",
    [
        (SOUTH, WEST, NORTH, ""),
        (SOUTH, WEST, NORTH),
        (SOUTH, "", NORTH, EAST),
        (SOUTH, WEST, NORTH, EAST, ""),
        ("", WEST, NORTH, EAST),
        (SOUTH.lower(), WEST, NORTH, ""),
        ("S2345678910JQKA", WEST, NORTH, "SHDC"),
        (" S AKQJT98765432\n", WEST, NORTH, EAST),
        ("CDHSAKQJT98765432", WEST, NORTH, EAST),
        ("S23456789TJQKA", "SHAKQJT98765432", "DAKQJT98765432", "S-H-D-CAKQJT98765432"),
    ],
)
def test_spellings_of_one_deal(parts):
    hands, dealer = parse_md("3" + ",".join(parts))
    assert dealer == 0
    deal = parse_deal("S:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    assert hands == deal.hands
    row = one(f"md|3{','.join(parts)}|")
    assert tuple(row[seat] for seat in ("north", "east", "south", "west")) == deal.hands


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "empty md value"),
        ("3", "expected a known hand, got four unknown ones in '3'"),
        (f"3{SOUTH.replace('2', '')},{WEST},{NORTH},{EAST}", "expected 13 cards, got 12 in South"),
        (f"3{SOUTH.replace('2', 'A')},{WEST},{NORTH},{EAST}", "duplicate card: SA is twice"),
        (f"3{SOUTH},{SOUTH},{NORTH},", "duplicate card: S2 is in two hands"),
        (f"3{SOUTH},{WEST},{NORTH},{EAST},S2", "expected four hands, got 5"),
        (f"3{SOUTH}S,{WEST},{NORTH},{EAST}", "suit S comes twice"),
        (f"3x{SOUTH},{WEST},{NORTH},{EAST}", "got 'X' in South's hand"),
        ("*1", "got '*'"),
    ],
)
def test_broken_deals_are_rejected_with_what_is_wrong(value, reason):
    batch = read_lin(f"qx|o1|md|{value}|mb|p|".encode(), "file.lin")
    assert batch.deals.is_empty()
    ((source, record, why, text),) = batch.rejects.rows()
    assert (source, record, text) == ("file.lin", 1, value)
    assert reason in why


def test_a_board_without_md_is_rejected_with_its_text():
    batch = read_lin(f"qx|o1|mb|1C|pg||qx|c1|{MD}".encode())
    assert batch.rejects.rows() == [("", 1, NO_DEAL_REASON, "qx|o1|mb|1C|pg||")]
    assert batch.deals["record"].to_list() == [2]


def test_a_mark_behind_the_deal_is_no_board():
    assert auction(f"qx|o1|{MD}sv|o|md|*1|mb|1C|") == "1C"


def test_two_deals_without_qx_are_two_boards():
    batch = read_lin(f"pn|a,b,c,d|{MD}mb|1C|{MD}mb|1D|".encode())
    assert batch.deals["auction"].to_list() == [[3], [4]]
    assert batch.deals["players"].to_list() == [["c", "d", "a", "b"]] * 2


def test_call_spellings():
    calls = ["p", "1c", "D", "XX", "PASS", "1NT", "DBL", "r", "2s", "x", "R", "3N"]
    text = MD + "".join(f"mb|{call}|" for call in calls)
    assert auction(text) == "P 1C X XX P 1N X XX 2S X XX 3N"


def test_packed_calls_and_quiz_marks():
    assert auction(f"{MD}mb|1nppp|") == "1N P P P"
    assert auction(f"{MD}mb|1C2C|mb|p?|mb|?|mb||mb|3c|") == "1C 2C P 3C"


def test_alerts():
    row = one(f"{MD}mb|1C!|mb|p|mb|2D!!|mb|1d|")
    assert row["alerts"] == [True, False, True]


def test_an_announcement_of_the_mark_alone_is_an_alert():
    row = one(f"{MD}an|!|mb|1C|an|!|mb|p|an| * ! |mb|1H|an|!|an|4+|mb|1S|an|! 4+|mb|p|an||")
    assert row["alerts"] == [True, True, True, False, False]
    assert row["announcements"] == ["", "", "4+", "! 4+", ""]
    assert row["commentary"] == ["!"]


def test_results_of_many_boards_are_found_wherever_they_stand():
    results = ["", *(f"{1 + board % 7}NN=" for board in range(5000))]
    text = f"vg|x,1,I,1,3000,a,0,b,0|rs|{','.join(results)}|"
    wanted = [2501, 1, 700, 513, 2502, 512, 2999]
    boards = "".join(f"qx|o{board}|{MD}" for board in wanted)
    contracts = read_lin((text + boards).encode()).deals["contract"].to_list()
    found = [results[2 * board - 2 : 2 * board - 1] for board in wanted]
    assert contracts == [one[0][:2] if one and one[0] else None for one in found]


def test_announcements_belong_to_the_call_before_them():
    row = one(f"{MD}mb|p|mb|1N|an|15-17|nt|good|mb|2C!|an|Stay\r\nman |an|no 4M|mb|p|an||")
    assert row["announcements"] == ["", "15-17", "Stayman; no 4M", ""]
    assert row["commentary"] == ["good"]


def test_an_announcement_before_the_first_call_is_commentary():
    row = one(f"{MD}an|early|mb|1C|at| hello |nt||")
    assert row["announcements"] == [""]
    assert row["commentary"] == ["early", "hello"]


@pytest.mark.parametrize(
    ("calls", "status", "legal", "at", "tail"),
    [
        ("", "none", [], None, []),
        ("1C p p", "unfinished", [3, 0, 0], None, []),
        ("1C p p p", "complete", [3, 0, 0, 0], None, []),
        ("p p p p", "complete", [0, 0, 0, 0], None, []),
        ("1S 1H p", "illegal", [6], 1, [5, 0]),
        ("1C p p p 1D", "illegal", [3, 0, 0, 0], 4, [4]),
        ("d p", "illegal", [], 0, [1, 0]),
        ("1C p d", "illegal", [3, 0], 2, [1]),
        ("1C d p r", "illegal", [3, 1, 0], 3, [2]),
        ("1C !h p", "illegal", [3], 1, [255, 0]),
    ],
)
def test_auction_status(calls, status, legal, at, tail):
    row = one(MD + "".join(f"mb|{call}|" for call in calls.split()))
    assert row["auction_status"] == status
    assert row["auction"] == legal
    assert row["illegal_call"] == at
    assert row["illegal_tail"] == tail
    assert len(row["alerts"]) == len(row["announcements"]) == len(legal)


def test_contract_and_score():
    row = one(f"qx|c1|{MD}sv|n|mb|p|mb|1S|mb|p|mb|4S|mb|d|mb|p|mb|p|mb|p|mc|9|mc|8|")
    assert (row["contract"], row["declarer"], row["tricks"], row["score"]) == ("4SX", "E", 8, 300)
    row = one(f"{MD}sv|n|" + "mb|p|" * 4 + "mc|7|")
    assert (row["contract"], row["declarer"], row["tricks"], row["score"]) == (
        "Pass",
        None,
        None,
        0,
    )


def played(cards: str) -> str:
    return "".join(f"pc|{card}|" for card in cards.split())


RANKS = "23456789TJQKA"
FULL_PLAY = " ".join(f"S{rank} H{rank} D{rank} C{rank}" for rank in RANKS)
"""South leads a spade each time; without trumps each wins."""


@pytest.mark.parametrize("count", [52, 51, 50, 49, 48])
def test_tricks_are_counted_from_the_cards(count):
    # East declares 1NT; South leads and takes all
    cards = " ".join(FULL_PLAY.split()[:count])
    row = one(f"{MD}mb|p|mb|1N|mb|p|mb|p|mb|p|{played(cards)}mc|13|")
    assert (row["declarer"], row["tricks"], row["score"]) == ("E", 0, 350)
    assert len(row["play"]) == count


def test_a_claim_counts_where_the_play_is_not_complete_or_not_of_these_hands():
    calls = "mb|p|mb|1N|mb|p|mb|p|mb|p|"
    assert one(f"{MD}{calls}{played('S2 H2 D2 C2')}mc|4|")["tricks"] == 4
    wrong = FULL_PLAY.replace("C2", "CA", 1)
    assert one(f"{MD}{calls}{played(wrong)}mc|4|")["tricks"] == 4
    assert one(f"{MD}{calls}{played(wrong)}")["tricks"] is None


def test_the_play_ends_at_text_that_is_no_card():
    row = one(f"{MD}pc|s2|pc|h10|pc|zz|pc|d2|")
    assert row["play"] == [39, 34]


def test_results_fill_in_what_auction_and_claim_lack():
    head = "vg|Cup,Final,I,3,4,Reds,0,Blues,0|rs|PASS,4SEx-1,,|pn|a,b,c,d|pg||"
    batch = read_lin(f"{head}qx|o3|{MD}qx|c3|{MD}sv|o|qx|o4|{MD}".encode())
    columns = batch.deals.select("contract", "declarer", "tricks", "score")
    assert columns.rows() == [("Pass", None, None, 0), ("4SX", "E", 9, 100), (None,) * 4]
    assert set(batch.deals["event"]) == {"Cup,Final"}
    # a result that contradicts the auction is not used
    row = one(f"{head}qx|c3|{MD}mb|1C|mb|p|mb|p|mb|p|")
    assert (row["contract"], row["tricks"]) == ("1C", None)


def test_rooms_and_names_last():
    names = "pn|s1,w1,n1,e1,s2,w2,n2,e2|"
    deals = read_lin(f"{names}qx|o1|{MD}qx|c1|{MD}pg||pn|a,b,c,d|qx|o2|{MD}".encode()).deals
    assert deals["room"].to_list() == ["open", "closed", "open"]
    assert deals["board"].to_list() == [1, 1, 2]
    assert deals["players"].to_list() == [
        ["n1", "e1", "s1", "w1"],
        ["n2", "e2", "s2", "w2"],
        ["c", "d", "a", "b"],
    ]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("M, X,w,n,e", ["n", "e", "M, X", "w"]),
        ("a,b,c,d,e,f, F,g,h", ["c", "d", "a", "b"]),
        ("s,w,n,e,,,,,", ["n", "e", "s", "w"]),
        ("s,w", ["", "", "s", "w"]),
        (",,,", None),
    ],
)
def test_names_with_commas(value, names):
    assert one(f"pn|{value}|{MD}")["players"] == names


@pytest.mark.parametrize(
    ("value", "number"),
    [("Board 12", 12), ("12", 12), ("O12", 12), ("board #3", 3), ("Segment 3", None), ("", None)],
)
def test_board_numbers(value, number):
    assert one(f"{MD}ah|{value}|")["board"] == number


@pytest.mark.parametrize(
    ("value", "text"),
    [("o", "None"), ("0", "None"), ("-", "None"), ("O", "None"), ("n", "NS"), ("N", "NS"),
     ("s", "NS"), ("e", "EW"), ("E", "EW"), ("w", "EW"), ("b", "Both"), ("B", "Both"),
     ("?", "None"), ("", "None")],
)  # fmt: skip
def test_vulnerability(value, text):
    assert one(f"{MD}sv|{value}|")["vulnerability"] == text


def test_comments_and_lost_bars_cost_nothing_else():
    assert auction(f"%% by hand | yes\nqx|o1|{MD}\n%% more\nmb|1C|mb|p|") == "1C P"
    assert auction(f"{MD}sv|o|some text without a key|st||mb|1C|mb|p|") == "1C P"


def test_files_without_boards_give_nothing():
    for text in ("", " \r\n", "vg|Cup,,I,1,4,A,0,B,0|\r\npn|a,b,c,d|pg||", "nt|lesson|pg||"):
        batch = read_lin(text.encode())
        assert batch.deals.is_empty()
        assert batch.rejects.is_empty()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"pn": "a|b|"}', "JSON"),
        (b"<!DOCTYPE html><p>404 pg|</p>", "HTML"),
        (b"\x89PNG\0\0qx|o1|", "binary"),
        (b"North passed throughout.", "other text"),
    ],
)
def test_what_is_no_lin_is_refused_as_a_whole(data, kind):
    batch = read_lin(data, "x.lin")
    ((source, record, reason, text),) = batch.rejects.rows()
    assert (source, record) == ("x.lin", None)
    assert kind in reason
    assert text[1:4] in data.decode("latin-1")
    assert not looks_like_lin(data)


def test_handviewer_links():
    lin = f"pn|a b,c,d,e|{MD}sv|o|ah|Board 2|mb|1C!|an|3+ clubs, 11–21|mb|p|"
    encoded = quote(lin).replace("%20", "+")
    link = f"https://example.org/tools/handviewer.html?bbo=y&lin={encoded}&x=1"
    text = f"two links: <a href='{link}'>one</a>\nand {link} end"
    batch = read_handviewer(text, "page")
    assert batch.deals["record"].to_list() == [1, 2]
    assert batch.deals["players"].to_list() == [["d", "e", "a b", "c"]] * 2
    assert batch.deals["announcements"].to_list() == [["3+ clubs, 11–21", ""]] * 2
    assert looks_like_handviewer(text.encode())
    assert read_lin(text.encode(), "page").deals.equals(batch.deals)


def test_a_link_with_bars_as_they_are():
    assert read_lin(f"http://example.org/?lin=st||{MD}mb|1N|".encode()).deals.height == 1


def test_text_without_a_link():
    assert "lin= parameter" in read_handviewer("no link").rejects["reason"][0]


def test_a_link_quoted_in_a_remark_does_not_hide_the_boards():
    assert read_lin(f"{MD}nt|see http://example.org/?lin=md|pg||".encode()).deals.height == 1


def test_several_files_in_order_with_their_encodings():
    files = [
        (f"pn|Gröm,b,c,d|{MD}".encode("cp1252"), "one"),
        (b"<html>", "two"),
        (f"pn|Gröm,b,c,d|{MD}".encode(), "three"),
    ]
    batch = read_lin_files(files)
    assert batch.deals.select("source", "encoding").rows() == [
        ("one", "cp1252"),
        ("three", "utf-8"),
    ]
    assert [names[2] for names in batch.deals["players"].to_list()] == ["Gröm", "Gröm"]
    assert batch.rejects["source"].to_list() == ["two"]
    assert reasons("<html>")[0].startswith("expected LIN tokens")
