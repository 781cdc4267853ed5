"""Handviewer links whose parameters hold hands, auction and play."""

from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from bidcascade.bridge import format_calls, format_card
from bidcascade.loaders import (
    format_handviewer,
    iter_deals,
    read_deals,
    read_handviewer,
    read_lin,
    sniff,
    write_lin,
    write_pbn,
    write_rbn,
)
from bidcascade.loaders.lin.handviewer import find_links, first_link
from tests.support.examples import examples
from tests.support.lin import FRAME_COLUMNS, FRAMES, hand_text, shuffled_hands

NORTH = "SAKQ2HKQJDT98C432"
EAST = "sj1098h1098dj765cj10"
SOUTH = "C765DAKQH765S7654"
WEST = "S3HA432D432CAKQ98"
HANDS = f"n={NORTH}&e={EAST}&s={SOUTH}&w={WEST}"
PAGE = "https://www.bridgebase.com/tools/handviewer.html?"
DEAL = "N:AQT9864.542.J.T8 K73.T6.AQT4.J962 J5.KQ93.K852.Q43 2.AJ87.9763.AK75"
LIN_HANDS = "3SJ5HKQ93DK852CQ43,S2HAJ87D9763CAK75,SAQT9864H542DJCT8,"


def one_deal(query: str) -> dict:
    batch = read_deals(PAGE + query)
    assert batch.rejects.is_empty()
    (row,) = batch.deals.rows(named=True)
    return row


def cards(hand: int) -> str:
    return "".join(format_card(card) for card in range(51, -1, -1) if hand >> card & 1)


def test_all_parameters():
    row = one_deal(
        f"{HANDS}&d=e&v=b&b=12&nn=Kim&en=Lee&sn=Roe,+J&wn=A%20B&tbt=y"
        "&a=P1N!(15-17+(or+14))PP{what+now?}P&p=S3SASJS7HK"
    )
    assert cards(row["north"]) == "SASKSQS2HKHQHJDTD9D8C4C3C2"
    assert cards(row["east"]).startswith("SJSTS9S8HTH9H8")
    assert (row["dealer"], row["vulnerability"], row["board"]) == ("E", "Both", 12)
    assert row["players"] == ["Kim", "Lee", "Roe J", "A B"]
    assert row["auction"] == [0, 7, 0, 0, 0]
    assert row["announcements"] == ["", "15-17 (or 14)", "", "", ""]
    assert row["alerts"] == [False, True, False, False, False]
    assert row["commentary"] == ["what now?"]
    assert (row["contract"], row["declarer"]) == ("1N", "S")
    assert [format_card(card) for card in row["play"]] == ["S3", "SA", "SJ", "S7", "HK"]


def test_play_of_the_right_leader():
    row = one_deal(f"{HANDS}&d=s&a=1NPPP&p=S3SAS8S4{{nice}}HKHTH5HA")
    assert [format_card(card) for card in row["play"]] == [
        "S3",
        "SA",
        "S8",
        "S4",
        "HK",
        "HT",
        "H5",
        "HA",
    ]
    assert row["commentary"] == ["nice"]


@pytest.mark.parametrize("missing", "nesw")
def test_one_hand_may_be_missing(missing):
    parameters = [part for part in HANDS.split("&") if part[0] != missing]
    row, whole = one_deal("&".join(parameters) + "&d=n"), one_deal(HANDS + "&d=n")
    for seat in ("north", "east", "south", "west"):
        assert row[seat] == whole[seat]


def test_a_part_of_a_hand_is_not_enough():
    batch = read_handviewer(f"{PAGE}n={NORTH}&s={SOUTH[:-1]}")
    assert batch.deals.is_empty()
    assert batch.rejects["reason"][0].startswith("expected 13 cards, got 12 in South's hand")


@pytest.mark.parametrize(
    ("value", "vulnerability"),
    [("n", "NS"), ("e", "EW"), ("b", "Both"), ("o", "None"), ("-", "None"), ("none", "None"),
     ("all", "Both"), ("EW", "EW")],
)  # fmt: skip
def test_vulnerability(value, vulnerability):
    assert one_deal(f"{HANDS}&d=n&v={value}&b=1")["vulnerability"] == vulnerability


def test_dealer_and_vulnerability_follow_from_the_board():
    row = one_deal(f"{HANDS}&b=4")
    assert (row["dealer"], row["vulnerability"]) == ("W", "Both")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("1cd2nrp", [3, 1, 12]),
        ("1CXXXP2NTPPP", [3, 1, 2, 0, 12, 0, 0, 0]),
        ("1c,d,r,p,p,p", [3, 1, 2, 0, 0, 0]),
        ("1cdrppp?", [3, 1, 2, 0, 0, 0]),
        ("-3nw", []),
        ("", []),
    ],
)
def test_auctions(text, calls):
    row = one_deal(f"{HANDS}&d=n&a={text}")
    assert row["auction"] == calls
    # a redouble of one's own bid is no call that counts
    assert row["illegal_tail"] == ([2, 0] if text == "1cd2nrp" else [])


def test_what_is_no_call_ends_the_auction():
    row = one_deal(f"{HANDS}&d=n&a=1c@2c")
    assert (row["auction"], row["illegal_tail"]) == ([3], [255])


@pytest.mark.parametrize(
    ("auction", "calls", "alerts"),
    [
        ("1c*p1d**p", "1C P 1D P", [True, False, True, False]),
        ("-1dp1hp", "1D P 1H P", [False] * 4),
        ("--1n!ppp", "1N P P P", [True, False, False, False]),
    ],
)
def test_marks_of_others_in_an_auction(auction, calls, alerts):
    row = one_deal(f"{HANDS}&d=n&a={auction}")
    assert (format_calls(row["auction"]), row["illegal_tail"]) == (calls, [])
    assert row["alerts"] == alerts


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ("v=maybe&b=4", "a vulnerability (o, n, e or b) in sv, got 'maybe'"),
        ("d=q&b=4", "a seat (N, E, S or W) in d, got 'q'"),
        ("a=-4SW", "an auction in a, got '-4SW'"),
    ],
)
def test_what_is_not_read_is_told(parameters, told):
    row = one_deal(f"{HANDS}&{parameters}")
    assert row["commentary"] == [f"reader: expected {told}"]
    # nor is it what the board's number says
    assert "d=" not in parameters or row["dealer"] == "N"
    assert "v=" not in parameters or row["vulnerability"] == "None"


@pytest.mark.parametrize(
    ("word", "sides"), [("nil", "None"), ("N/S", "NS"), ("ew", "EW"), ("All", "Both")]
)
def test_words_for_vulnerabilities(word, sides):
    assert one_deal(f"{HANDS}&v={word}")["vulnerability"] == sides


def test_bars_and_open_brackets_do_no_harm():
    row = one_deal(f"{HANDS}&d=n&nn=a%7Cb&a=1c!(x%7Cy&p={{never closed")
    assert row["players"][0] == "a/b"
    assert row["announcements"] == ["x/y"]
    assert row["commentary"] == [
        "reader: expected ')' before the end, got '(x/y'",
        "never closed",
        "reader: expected '}' before the end, got '{never closed'",
    ]


def test_links_in_a_page():
    parameters = HANDS + "&d=n&nn=Stephen N&a=1nppp&p={<p>it's &amp; so</p>}"
    escaped = parameters.replace("&", "&amp;").replace("<", "&lt;")
    page = (
        f'<a class="x" href="{PAGE}{escaped}">one</a> <a href="http://example.org/?q=1">no</a>'
        f" <a href='//example.org/h.html?{HANDS}&d=e'>two</a> and {PAGE}{HANDS}&d=s then"
        f" http://example.org/?lin=md%7C3{NORTH[:-1]},,,%7C"
    ).encode()
    assert sniff(page) == "handviewer"
    batch = read_lin(page, "page")
    assert batch.deals["dealer"].to_list() == ["N", "E", "S"]
    assert batch.deals["record"].to_list() == [1, 2, 3]
    assert batch.deals["players"].to_list()[0][0] == "Stephen N"
    assert batch.rejects["record"].to_list() == [4]


def test_lin_parameter_wins():
    links = find_links(f"{PAGE}lin=md|1{NORTH},,,|&n={NORTH}".encode())
    assert [link.lin for link in links] == [f"md|1{NORTH},,,|".encode()]


def test_several_links_on_a_line():
    line = f"{PAGE}{HANDS}&d=n {PAGE}{HANDS}&d=w\n{PAGE}{HANDS}&d=s"
    assert read_handviewer(line).deals["dealer"].to_list() == ["N", "W", "S"]


@pytest.mark.parametrize(
    "piece",
    [
        "?lin=pn|a b ",
        "?lin=a|b c|dd|",
        "'?lin=an|x ",
        "//a",
        '"//a',
        "http://a/?n=",
        '"//a?n=S',
        "x http://h?a ",
        "?lin=)",
    ],
)
def test_what_is_no_link_costs_time_in_proportion(piece):
    assert len(find_links(piece.encode() * 30_000)) <= 30_000


def test_what_closes_a_link_costs_time_in_proportion():
    assert find_links(f"{PAGE}lin=md{').' * 500_000}".encode())[0].lin == b"md"


def test_a_link_with_blanks_in_it():
    assert one_deal(f"{HANDS}&nn=Stephen N&d=n")["players"][0] == "Stephen N"


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("see ", "."), ("(", ")"), ("[this hand](", ")."), ("[", "],"), ("<p>(", ").</p>"),
        ("see (", ")?"), ("{", "};"), ("<", ">."), ('"', '".'), ("", "."), ("a [b](", ")\n"),
    ],
)  # fmt: skip
def test_what_closes_a_sentence_or_brackets_is_no_part_of_a_link(before, behind):
    queries = {
        f"{HANDS}&d=n&a=1nppp&v=b": ("Both", [7, 0, 0, 0], [""] * 4),
        f"{HANDS}&v=b&d=n&a=1n(15-17)ppp": ("Both", [7, 0, 0, 0], ["15-17", "", "", ""]),
        f"{HANDS}&v=b&d=n&a=1n(15-17)": ("Both", [7], ["15-17"]),
        f"{HANDS}&v=b&d=n&a=1n!": ("Both", [7], [""]),
        f"{HANDS}&v=b&d=n&a=1n(15%29ppp%29": ("Both", [7, 0, 0, 0], ["15", "", "", ""]),
        f"lin=md|{LIN_HANDS}|sv|b|mb|1N|mb|ppp|mc|8": ("Both", [7, 0, 0, 0], [""] * 4),
        f"lin={quote(f'md|{LIN_HANDS}|mb|1Nppp|mc|8|sv|b')}": ("None", [7, 0, 0, 0], [""] * 4),
        f"lin={quote(f'md|{LIN_HANDS}|sv|b|mb|1N')}&b=1": ("Both", [7], [""]),
    }
    for query, (vulnerability, auction, announcements) in queries.items():
        (row,) = read_handviewer(f"{before}{PAGE}{query}{behind}").deals.rows(named=True)
        assert row["vulnerability"] == vulnerability
        assert (row["auction"], row["announcements"]) == (auction, announcements)
        assert row["tricks"] == (8 if "mc" in query else None)
        assert row["commentary"] == []


BARE_LIN = f"md|{LIN_HANDS}|sv|e|ah|Board 3|mb|p|mb|1H|an|4+ hearts, 11-20|mb|p|mb|2H|"


@pytest.mark.parametrize(
    ("before", "behind"),
    [("", ""), ("see ", ". More"), ('<a href="', '">x</a>'), ("(", ")"), ("x ", " | and | so"),
     ("<p>", "</p>"), ("", "\nnext line|mb|p|")],
)  # fmt: skip
@pytest.mark.parametrize("bar", ["|", "%7C", "%7c"])
def test_blanks_in_the_lin_of_a_link(before, behind, bar):
    names = "Kim Ash,Pat O'Neil,A & B,Lou Mary Roe"
    link = f"{PAGE}lin=pn|{names}|{BARE_LIN}".replace("|", bar)
    batch = read_handviewer(f"{before}{link}{behind}")
    assert batch.rejects.is_empty()
    (row,) = batch.deals.rows(named=True)
    assert row["players"] == ["A & B", "Lou Mary Roe", "Kim Ash", "Pat O'Neil"]
    assert (row["board"], format_calls(row["auction"])) == (3, "P 1H P 2H")
    assert row["announcements"] == ["", "4+ hearts, 11-20", "", ""]


@pytest.mark.parametrize(
    ("text", "calls", "said"),
    [
        (f"{PAGE}{{}}mb|1N then he passed", "1N", []),
        (f"{PAGE}{{}}mb|1N|an|15-17 or so", "1N", ["15-17 or so"]),
        (f"see {PAGE}{{}}mb|1N|an|15-17 or so", "1N", ["15-17"]),
        (f"{PAGE}{{}}mb|1N| and | so |mb|P|", "1N", [""]),
        (f"{PAGE}{{}}mb|1N| mb|P|", "1N P", ["", ""]),
        (f"'{PAGE}{{}}mb|1N|an|15 to 17' mb|P|", "1N", ["15 to 17"]),
        (f'"{PAGE}{{}}mb|1N|an|o\'ne"', "1N", ["o'ne"]),
    ],
)
def test_where_the_lin_of_a_link_ends(text, calls, said):
    (row,) = read_handviewer(text.format(f"lin=md|{LIN_HANDS}|")).deals.rows(named=True)
    assert format_calls(row["auction"]) == calls
    assert row["announcements"] == (said or [""])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n  "])
@pytest.mark.parametrize(
    ("first", "behind", "calls", "said"),
    [
        ("mb|1N|", "mb|P|", "1N P", ["", ""]),
        ("mb|1N|an|15-17 or", "so, maybe|mb|P|", "1N P", ["15-17 or so, maybe", ""]),
        ("mb|1N|", "see below", "1N", [""]),
        ("mb|1N|", f"md|{LIN_HANDS}|mb|P|", "1N", [""]),
        ("mb|1N|", "qx|o2|mb|P|", "1N", [""]),
        ("mb|1N", "too much|mb|P|", "1N", [""]),
    ],
)
def test_a_link_that_a_mail_has_wrapped(end, first, behind, calls, said):
    text = f"{PAGE}lin=md|{LIN_HANDS}|{first}{end}{behind}"
    row = read_handviewer(f"see {text}").deals.row(0, named=True)
    assert format_calls(row["auction"]) == calls
    assert [" ".join(one.split()) for one in row["announcements"]] == said


@pytest.mark.parametrize("start", ["", " ", "%20", "+"])
def test_links_that_are_escaped_twice(start):
    lin = f"pn|Kim Ash,b,c,d|md|{LIN_HANDS}|mb|1N|an|15-17, no 50%ers \u0142|"
    once = quote(lin)
    for value in (once, quote(once), once.replace("%C5%82", "%u0142")):
        row = read_handviewer(f"{PAGE}lin={start}{value}").deals.row(0, named=True)
        assert row["players"][2] == "Kim Ash"
        assert row["announcements"] == ["15-17, no 50%ers \u0142"]
    row = one_deal(f"{HANDS}&d=n&nn={quote(quote('Kim Ash'))}&a={quote(quote('1n(a b)ppp'))}")
    assert (row["players"][0], row["announcements"][0]) == ("Kim Ash", "a b")


def test_two_links_with_blanks_in_a_line():
    one = f"{PAGE}lin=pn|Kim Ash,b,c,d|md|{LIN_HANDS}|mb|1N"
    deals, rejects = read_handviewer(f"{one} {one}|an|a b|")
    assert (deals["announcements"].to_list(), rejects.height) == ([[""], ["a b"]], 0)
    assert [players[2] for players in deals["players"].to_list()] == ["Kim Ash", "Kim Ash"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("%u0142adne%20kiery", "ładne kiery"),
        ("%u0141%F3d%u017a", "Łódź"),
        ("%uD83D%uDE00+x", "😀 x"),
        ("%u04", "%u04"),
        ("%C5%82adne", "ładne"),
    ],
)
def test_signs_that_older_pages_wrote(value, text):
    row = one_deal(f"{HANDS}&d=n&nn={value}&a=1N({value})ppp")
    assert (row["players"][0], row["announcements"][0]) == (text, text)
    (row,) = read_handviewer(f"{PAGE}lin=md|{LIN_HANDS}|mb|1N|an|{value}|").deals.rows(named=True)
    assert row["announcements"] == [text]


def test_names_in_a_code_page():
    row = one_deal(f"{HANDS}&d=n&nn=Gr%F6m")
    assert (row["players"][0], row["encoding"]) == ("Gröm", "cp1252")


def test_links_in_remarks_of_other_files_are_not_what_the_file_is():
    link = f"{PAGE}{HANDS}&d=n"
    assert sniff(f'[Event "x"]\n{{see {link}}}\n[Deal "x"]\n'.encode()) == "pbn"
    assert sniff(f'[Event "x"]\n{{see {PAGE}lin=md|3,,,|}}\n'.encode()) == "pbn"
    assert sniff(f"qx|o1|md|3,,,|nt|{link}|".encode()) == "lin"
    assert first_link(b"http://example.org/?answer=42") == -1


LINKS = [
    f"{PAGE}lin={quote(f'md|{LIN_HANDS}|mb|1N|mb|ppp|mc|8|')}",
    f"{PAGE}lin=md|{LIN_HANDS}|sv|o|mb|1N|",
    f"{PAGE}n={NORTH}&e={EAST}&s={SOUTH}&d=n",
]


@pytest.mark.parametrize("link", LINKS)
def test_boards_beside_a_quoted_link_are_read(link):
    game = f'[Board "1"]\n[Deal "{DEAL}"]\n'
    for text in (f"{{ {link} }}\n{game}", f"% {link}\n\n{game}", f"{game}{{ {link} }}\n"):
        assert sniff(text.encode()) == "pbn"
        assert read_deals(text.encode()).deals["board"].to_list() == [1]
    hands = "H W:2.AJ87.9763.AK75:AQT9864.542.J.T8:K73.T6.AQT4.J962:\n"
    for text in (f"B 1\n{hands}{{see {link}}}\n", f"{{see {link}}}\nB 1\n{hands}"):
        for header in ("", "% RBN\n"):
            assert sniff(f"{header}{text}".encode()) == "rbn"
            assert read_deals(f"{header}{text}".encode()).deals["board"].to_list() == [1]
    for line in (DEAL, LIN_HANDS, LIN_HANDS.rstrip(",")):
        for text in (f"{line}\n{link}\n", f"see {link}\n{line}\n"):
            deals, rejects = read_deals(text.encode())
            assert (deals["record"].to_list(), rejects.height) == ([1, 2], 0)
    assert sniff(f"You hold K52.AQ3.9876.KJ2, see {link}".encode()) == "handviewer"


def test_boards_of_a_file_that_quotes_a_link_come_through_every_format(tmp_path):
    lin = "".join(
        f"qx|o{board}|md|{LIN_HANDS}|sv|o|nt|see {LINKS[0]}|mb|2S|mb|ppp|mc|8|pg||\n"
        for board in (1, 2, 3)
    )
    deals = read_deals(lin.encode()).deals
    for write, name in ((write_rbn, "x.rbn"), (write_pbn, "x.pbn"), (write_lin, "x.lin")):
        write(deals, tmp_path / name)
        assert_frame_equal(
            read_deals(tmp_path / name).deals.select(FRAME_COLUMNS), deals.select(FRAME_COLUMNS)
        )


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="|()"), max_size=20).map(
    lambda text: " ".join(text.split())
)


@given(st.integers(0, 10_000), TEXT, TEXT, st.sampled_from([quote, quote_plus]))
def test_what_is_put_into_a_link_comes_out(seed, name, explanation, escape):
    hands = shuffled_hands(seed)
    query = "&".join(
        f"{seat}={escape(hand_text(hand, seed))}" for seat, hand in zip("swne", hands, strict=True)
    )
    query += f"&sn={escape(name)}&d=s&a={escape('1N!(' + explanation + ')PPP')}"
    (row,) = read_handviewer(PAGE + query).deals.rows(named=True)
    masks = [sum(1 << card for card in hand) for hand in hands]
    assert [row[seat] for seat in ("south", "west", "north", "east")] == masks
    assert row["auction"] == [7, 0, 0, 0]


@given(st.binary(max_size=60))
def test_any_query_gives_a_deal_or_a_reject(query):
    batch = read_lin(PAGE.encode() + b"n=SAK&" + query)
    assert batch.deals.height + batch.rejects.height >= 1


# --- links that are written -----------------------------------------------------------------------


@examples(25, 100)
@given(FRAMES)
def test_links_are_read_back(frame):
    links = list(format_handviewer(frame))
    assert len(links) == frame.height
    for link in links:
        # nothing ends it early, in whatever text it stands
        assert not set(link) & set(" \n\"'<>&|()[]")
    if links:
        batch = read_handviewer("see " + ", ".join(f"<{link}>" for link in links))
        assert batch.rejects.is_empty()
        assert_frame_equal(batch.deals.select(FRAME_COLUMNS), frame)


def test_a_remark_may_have_line_breaks():
    frame = read_deals(f"{PAGE}{HANDS}&d=s&v=n&b=7&a=1N!(a+%2B+b%26c)PPP&p=S3SA").deals
    frame = frame.with_columns(commentary=["one|\ntwo\nthree"])
    (link,) = format_handviewer(frame)
    again = read_handviewer(link).deals
    where = ("source", "record", "encoding", "commentary")
    assert_frame_equal(again.drop(where), frame.drop(where))
    assert again["commentary"].to_list() == [["one/\ntwo\nthree"]]


LIN = "pn|a,b,c,d|st||md|3SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3,SJ876HA65DQ93CJ94,|ah|Board 3|mb|1n|"
PERCENT = quote(LIN)


def boards_of(page: str) -> list[int]:
    deals, rejects = read_deals(page.encode())
    assert rejects.height == 0
    return deals["board"].to_list()


@pytest.mark.parametrize(
    "call",
    [
        f"hv_popuplin('{PERCENT}');this.style.color='red';",
        f"hv_popuplin('{LIN}')", f"hv_popuplin(&#39;{PERCENT}&#39;)",
        f"hv_popuplin(&quot;{LIN}&quot;)", f"hv_popuplin(\\'{PERCENT}\\')",
        f"hv_popuplin('{LIN.replace('pn|a', 'pn|O%27a')}')",
    ],
)  # fmt: skip
def test_calls_in_pages_of_hand_records(call):
    """A row names its board twice: a link without hands, and a call with them."""
    place = "https://www.bridgebase.com/tools/handviewer.html?bbo=y&amp;myhand=M-1-2"
    row = f'<td><a href="{place}" onclick="{call}">Movie</a></td>'
    assert sniff(f"<html>{row}".encode()) == "handviewer"
    assert boards_of(f"<html><table>{row}\n{row}</table>") == [3, 3]


def test_a_link_and_the_call_beside_it_are_one_board():
    link = f'<a href="/handviewer.html?lin={PERCENT}" onclick="hv_popuplin(\'{PERCENT}\')">x</a>'
    assert boards_of(f"<html>{link}</html>") == [3]
    assert boards_of(f"<html>{link}{link}</html>") == [3, 3]


def test_scripts_of_a_page_do_not_hide_its_links():
    page = f"<html><script>var x = a||st|b;</script><a href='/handviewer.html?lin={PERCENT}'></a>"
    assert boards_of(page) == [3]


def test_links_in_json():
    assert boards_of(f'{{"url": "https://x/handviewer.html?bbo=y\\u0026lin={PERCENT}"}}') == [3]


def test_a_page_without_links_is_refused_as_before():
    (batch,) = iter_deals(b"<html><script>var x = a||st|b; function hv_popuplin(lin) {}</script>")
    assert "got HTML or XML" in batch.rejects["reason"][0]


def test_calls_without_an_end_cost_time_in_proportion():
    assert len(find_links(b"hv_popuplin('" * 50_000)) == 1
