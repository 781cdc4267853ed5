"""Files of boards on the page: read as the loaders read them, listed, bid, written again."""

import re
import struct
import time
from base64 import b64encode
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidcascade.bridge import VULNERABILITY_WORDS
from bidcascade.loaders import (
    format_handviewer,
    random_deals,
    read_handviewer,
    read_lin,
    read_pbn,
    write_lin,
    write_pbn,
)
from bidcascade.loaders.lin.lin_reference import read_lin_reference
from tests.page.boards.support_boards import boards_of
from tests.page.support_browser import Visit, visiting, without_engine
from tests.support.examples import rows_in_check, some_in_check
from tests.support.lin import LIN_TEXTS

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
MD = "SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,SK95HQ872DA54CKT3"
LIN = (
    "vg|Cup, final,I,7,8,us,0,them,0|\nrs|1NN=,,,3NTS-1,|\n"
    "pn|Ann,Bob,Cay,Dan,Eva,Fay,Gus,Hal|pg||\n"
    f"qx|o7|st||md|3{MD}|sv|b|nt|first|mb|1N!|an|15-17|mb|p|mb|2C|an|Stayman|mb|p|mb|2D|mb|p|"
    "mb|2N|mb|ppp|pg||pc|C3|pc|C4|pc|CA|pc|C2|pg||mc|9|pg||\n"
    f"qx|c7|st||md|3{MD}|sv|b|mb|1C|mb|p|mb|1S|mb|ppp|mc|7|pg||\n"
    f"qx|o8|st||md|4{MD}|sv|o|mb|1S|mb|1H|mb|p|pg||\n"
    f"qx|c8|st||md|4{MD.replace('SK95', 'SKQ5')}|sv|o|mb|p|pg||\n"
    f"qx|o9|st||md|1{MD}|sv|n|mb|p|mb|1Z|pg||\n"
)
PBN = (
    f'% PBN 2.1\n[Event "#"]\n[Event "##Club night"]\n[Board "1"]\n[Deal "N:{" ".join(HANDS)}"]\n'
    '[Dealer "N"]\n[Vulnerable "None"]\n[North "Ann"]\n[Auction "N"]\n1NT =1= Pass 2C $1 =2= Pass\n'
    '2D Pass 3NT {why?} AP\n[Note "1:15 to 17"]\n[Note "2:Stayman; majors"]\n'
    '[Result "9"]\n[Play "E"]\nS5 S6 ST S4\n*\n\n'
    '[Auction "N"]\nPass Pass Pass 1C\nAP\n[Declarer "W"]\n[Contract "1C"]\n[Result "NS 8"]\n\n'
    f'[Board "2"]\n[Event "#"]\n[Dealer "E"]\n[Deal "E:{HANDS[1]} - {HANDS[3]} {HANDS[0]}"]\n'
    '[Contract "4SX"]\n[Declarer "S"]\n[Result "8"]\n[Room "Closed"]\n[Score "NS -300"]\n\n'
    f'[Board "3"]\n[Deal "N:{HANDS[0]} {HANDS[0]} {HANDS[2]} {HANDS[3]}"]\n\n'
    "some words\n"
)
# what files write in ways of their own: marks, words, comments, tags and tables
ODD_LIN = (
    f"sv|Neither|md|3{MD}|ah|Board 2|pn|-,Bob,-,-|mb|-1Dp*1Hp!2D|mb|ppp|pc|C3|pc|C4|up|1|pc|CA|\n"
    f"qx|o4|md|1{MD}|sv|some, and others|mb|1NTppp|mc|7|pg||\nqx|o5|md|1{MD}|sv|N/S|mb|1S|mb|-|\n"
    f"qx|c5|md|1{MD}|sv|?|mb|1Sppp|pc|S2|up|x|pc|S3|up|1|mc|7|\n"
)
DEAL = f'[Deal "N:{" ".join(HANDS)}"]\n'
QUIZ = f'[Deal "N:{HANDS[0]} - {HANDS[2]} -"]\n'
LETTERS = " ".join(
    ".".join(s + h for s, h in zip("SHDC", hand.split("."), strict=True)) for hand in HANDS
)
WRAPPED = "\n".join(HANDS)
ODD_PBN = (
    '[Event "Wrapped"]\n[Board\n"1"]\n[Vulnerable "Nil"]\n[Dealer "4"]\n'
    f'[Deal\n  "N:{WRAPPED}"\n]\n[Contract "4S*"]\n[Declarer "N"]\n[Result "+1"]\n\n'
    '[Board "01"]\n[Contract "3NT"]\n[Declarer "S"]\n[Result "="]\n\n'
    '[Board "2"]\n[Contract "3NT"]\n[Declarer "S"]\n[Result "9"]\n\n'
    f'[Board "3"]\n[Deal "N : {LETTERS}"]\n[Dealer "Nord"]\n[Vulnerable "Maybe"]\n'
    '[Contract "2Q"]\n[Declarer "Ann"]\n[Result "ten"]\n[Score "A+"]\n[North "-"]\n\n'
    f'[Board "4"]\n[Vulnerable "Maybe"]\n{DEAL}[Contract "1NT"]\n[Declarer "N"]\n[Result "7"]\n\n'
    f'[Board "5"]\n{DEAL}{{open\n  [North "Ann"]\n[Auction "N"]\n1C* Pass ** 1D^ Pass\n'
    '1H=1 Pass^2 2C = 2 = Pass *\n2D =3 Pass Pass {open too\nPass\n[Note "1:a"]\n[Note\n"2:b"]\n'
    '[Play "W"]\nC3* CA C4 C2\n*\n\n'
    f'[Board "6"]\n{DEAL}[Auction "N"]\n1C (1) Pass\n\n[Board "7"]\n{DEAL}[Auction "N"]\n^ 1♠ *\n\n'
    f'[Board "8"]\n{DEAL}[ScoreTable "Names_NS\\20L;Contract;Declarer;Result;Multiplicity"]\n'
    ' "North 7; {South}" 4S N = 3\n "a [b] - c" 3NTX S -1 1\n "open ; 3C N 9 1\n\n'
    f'{{ a "; remark}}\n[Board "9"]\n{DEAL}\n\n'
    # cards that are none, tags of another contract, and notes of the game before
    f'[Board "10"]\n{DEAL}[Contract "1NT"]\n[Declarer "N"]\n[Result "7"]\n[Play "E"]\n'
    f'S5 S6 ST S4\nHK xx =1= H3\n*\n{{before}}\n\n[Board "11"]\n{DEAL}[Auction "N"]\n2S AP\n'
    f'[Contract "4H"]\n[Declarer "E"]\n[Result "10"]\n[Score "EW 420"]\n[Play "E"]\n5S\n\n'
    f'[Board "12"]\n{DEAL}[Auction "N"]\n2S X AP\n[Contract "2S"]\n[Declarer "N"]\n[Result "8"]\n\n'
    f'[Board "13"]\n{DEAL}[Auction "N"]\nAP\n[Contract "4S"]\n[Declarer "N"]\n[Score "NS 420"]\n\n'
    f'[Board "14"]\n{DEAL}[Auction "N"]\n1C =1= Pass 1D =2= AP\n[Note "1:strong"]\n'
    f'[Note "2:waiting"]\n[Contract "1D"]\n[Declarer "?"]\n[Play "W"]\nHT =1=\n[Note "1:lead"]\n\n'
    f'[Board "15"]\n{DEAL}[Auction "#"]\n[Note "2:negative"]\n[Play "#"]\n\n'
    f'[Board "16"]\n{DEAL}[Auction "#"]\n\n[Board "17"]\n{DEAL}[Auction "N"]\n1C =1= AP\n'
)
LINK = "https://example.org/v?s=sj876ha65dq93cj94&w=st32ht94djt2ca876&n=saq4hkj3dk876cq52"
ODD_LINKS = "".join(
    f"{LINK}&{parameters}\n"
    for parameters in (
        "d=q&b=2&a=1c*p1d**p", "a=-4SW&v=N/S&b=3", "a=--1dp1h(open&v=maybe&b=4",
        "a=1c!{open&p=s2&v=nil", "d=?&b=2&nn=-&en=-",
    )
)  # fmt: skip
BLANK_LINKS = "".join(
    f"{before}https://example.org/handviewer.html?lin=pn|Kim Ash,Pat O'Neil,A & B,x|md|1{MD}|sv|e"
    f"|ah|Board 3|mb|1N|an|{said}{behind}\n"
    for before, said, behind in (
        ("see ", "15+ or so|mb|p|", ". More"), ("(", "%u0142%F3 x", "|)"),
        ("", "%u0142 %C5%82", "|"), ('"', "15 to 17", '" y'),
        ("x ", "15 to 17", " | and | so"), ("<", "!|mb|p", "|>"),
        ("see ", "15+ or\r\n so|mb|p|\nmb|1H|", ""), ("", "x|\nqx|o2|mb|p|", ""),
    )
)  # fmt: skip
BLANK_LINKS += "".join(
    f"https://example.org/handviewer.html?{value}\n"
    for value in (
        f"lin=%20{quote(quote(f'pn|Kim Ash,b,c,d|md|1{MD}|mb|1N|an|50%ers|'))}",
        f"lin=+{quote(f'pn|Kim Ash,b,c,d|md|1{MD}|mb|1N|an|50%25|').replace('an', '%u0061n')}",
        f"{LINK.partition('?')[2]}&d=e&a=p1c(a%2520%25u0142)",
    )
)
PAGE = (
    '<p><a href="https://www.bridgebase.com/tools/handviewer.html?lin='
    f'{quote(f"qx|o7|md|3{MD}|sv|b|mb|1N!|an|15–17|mb|p|", safe="")}">board 7</a>\n'
    "see also https://example.org/v?s=sj876ha65dq93cj94&w=st32ht94djt2ca876&n=saq4hkj3dk876cq52"
    "&d=e&v=b&b=8&nn=Zoë&a=p1c!(could be two)p1s{hm}&p=s4,s5 for the next\n"
    f"<a onclick=\"hv_popuplin('md|1{MD}|sv|o|ah|Board 9|mb|p|mb|1H|')\">9</a></p>"
)
# hands that are left out
S, W, N, E = MD.split(",")
SOME_LIN = (
    f"qx|o1|md|3{S},,{N},|sv|x|mb|1N!|an|15-17|mb|ppp|nt|good|pc|S5|pc|S6|pc|ST|pg||mc|8|\n"
    f"qx|c1|md|3{S},{W},,{E}|mb|1Nppp|pc|S5|\nqx|o2|md|1,SHDC,{N}|pc|S2|up|1|\n"
    f"qx|c2|md|1{S}|mb|p|mb|1S|mb|1H|\nqx|o3|md|1,,,|mb|p|\nqx|c3|md|1{S},,{S},|\n"
)
PLAYED = '[Declarer "N"]\n[Contract "1NT"]\n[Result "8"]\n[Play "E"]\n'
SOME_PBN = (
    f'[Board "1"]\n[Deal "N:{HANDS[0]} - {HANDS[2]} -"]\n{PLAYED}S5 S6 ST S4\nH2 - - -\n*\n\n'
    f'[Board "2"]\n[Deal "S:- {HANDS[3]} - ..."]\n{PLAYED}- - - -\n*\n\n'
    f'[Board "3"]\n[Deal "N:{HANDS[0]} - {HANDS[2]} -"]\n{PLAYED}{"S5 S6 ST S4 " * 9}\n\n'
    f'[Board "4"]\n[Deal "N:{HANDS[0]} - {HANDS[2]} -"]\n[ScoreTable "Contract;Declarer;Lead"]\n'
    "4S N S5\n3NT S -\n"
)
SOME_LINKS = "".join(
    f"https://example.org/v?{parameters}\n"
    for parameters in (
        f"n={N}&s={S}&d=n&a=1nppp&p=s5s6",
        f"w={W}&b=3",
        f"n={N}&e={E}&s={S}&p=s5",
        f"lin={quote(f'md|2{S},,{N},|mb|p|pc|S5|')}",
    )
)
TEXTS = {
    "LIN": (LIN, read_lin), "PBN": (PBN, read_pbn), "page": (PAGE, read_lin),
    "odd LIN": (ODD_LIN, read_lin), "odd PBN": (ODD_PBN, read_pbn),
    "odd page": (ODD_LINKS + BLANK_LINKS, read_lin),
    "LIN of some hands": (SOME_LIN, read_lin), "PBN of some hands": (SOME_PBN, read_pbn),
    "page of some hands": (SOME_LINKS, read_lin),
}  # fmt: skip


def read_by_page(module: Any, text: str, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = module("files/board_files", "readBoards", text, kind)["value"]
    return found


def same(found: dict[str, Any], batch: Any) -> None:
    """Whether the page has read what the loaders read, and refused as many records."""
    assert found["boards"] == boards_of(batch.deals)
    assert len(found["problems"]) == batch.rejects.height


@pytest.mark.parametrize("name", TEXTS)
def test_boards_are_read_as_the_loaders_read_them(module, name):
    text, read = TEXTS[name]
    batch = read(text.encode())
    assert batch.deals.height >= 3
    kind = module("files/board_files", "kindOf", text)["value"]
    plain = name.removeprefix("odd ").removesuffix(" of some hands")
    assert kind == {"page": "address"}.get(plain, plain.lower())
    same(read_by_page(module, text, kind), batch)


@pytest.mark.parametrize(
    ("more", "told"),
    [("nt|x|" * 20_001, "more than 20,000 parts"), (f"nt|{'x' * (1 << 20)}|", "too long")],
    ids=["parts", "bytes"],
)
def test_records_without_end_are_refused_as_the_loaders_refuse_them(module, more, told):
    text = f"qx|o7|md|3{MD}|mb|1N|{more}qx|c7|md|3{MD}|mb|1S|"
    found = read_by_page(module, text, "lin")
    same(found, read_lin(text.encode()))
    (problem,) = found["problems"]
    assert told in problem["problem"]
    assert (problem["record"], problem["number"], problem["room"]) == (1, 7, "open")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("{x} " * 20_001, "more than 20,000 tags and comments"),
        (f"{{{'x' * (1 << 20)}}}\n", "longer than 1,048,576 letters"),
        (f'[Event "{"x" * 1001}"]\n', "What Event says is too long: 1,001 letters"),
    ],
    ids=["comments", "letters", "value"],
)
def test_games_without_end_are_refused_as_the_loaders_refuse_them(module, more, told):
    text = f'[Board "7"]\n{DEAL}{more}\n\n[Board "8"]\n{DEAL}'
    found = read_by_page(module, text, "pbn")
    same(found, read_pbn(text.encode()))
    (problem,) = found["problems"]
    assert told in problem["problem"]
    assert (problem["record"], problem["number"], problem["room"]) == (1, 7, None)


def test_without_the_core_neither_pbn_nor_lin_is_read(browser, service):
    for visit in visiting(browser, service):
        visit.page.route("**/core.wasm", lambda route: route.fulfill(status=404))
        found = visit.open("#dealer=N").page.evaluate(
            """async (texts) => {
                const {readBoards} = bidcascade("files/board_files.js");
                return Promise.all(texts.map(async ([kind, text]) => {
                    try { return (await readBoards(text, kind)).boards.length; }
                    catch (error) { return error.message; }
                }));
            }""",
            [["pbn", PBN], ["lin", LIN], ["address", PAGE]],
        )
        assert found[0] == found[1] == found[2]
        assert "does not run WebAssembly on this page, which reads LIN, PBN" in found[0]


def test_words_for_vulnerabilities_are_those_of_the_package(module):
    for word, sides in VULNERABILITY_WORDS.items():
        assert module("bridge/seats", "readVulnerability", word.upper())["value"] == sides.text
    assert module("bridge/seats", "readVulnerability", "maybe")["value"] is None


TOKENS = st.sampled_from(
    ["1C", "1NT", "Pass", "X", "AP", "*", "**", "+", "^", "^S", "^2", "=1", "=2=", "= 1 =", "=",
     "!", "?", "-", "$3", "#", "(1)", "1♠", "7NT", "{", "}", ";", "%", '"', "[", "]", "\n",
     "\n\n", " ", '[Board "1"]', '[Board "2"]', '[Board\n"2"]', DEAL, '[Deal "#"]',
     QUIZ, '[Auction "N"]', '[Auction "#"]', '[Play "E"]', '[Play "#"]', '[Contract "4H"]',
     '[Contract "2S*"]', '[Declarer "N"]', '[Result "-1"]',
     '[Vulnerable "x"]', '[Note "1:a; b"]', '[ScoreTable "Contract;Names_NS"]', '4S "a;b"',
     "C3", "CA", '\n  [North "-"]', "md|1"]
)  # fmt: skip


@settings(max_examples=150)
@given(
    st.sampled_from([DEAL, QUIZ]), st.lists(TOKENS, max_size=40), st.sampled_from([" ", "\n", ""])
)
def test_any_pbn_is_read_alike(module, deal, tokens, between):
    text = deal + between.join(tokens)
    same(read_by_page(module, text, "pbn"), read_pbn(text.encode()))


@settings(max_examples=100)
@given(LIN_TEXTS)
def test_any_lin_is_read_alike(module, text):
    text = text.replace("\0", " ")
    same(read_by_page(module, text, "lin"), read_lin_reference(text))


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


FILE_BYTES = """async (bytes) => {
    const {textOfFile, readBoards} = bidcascade("files/board_files.js");
    const content = Uint8Array.from(atob(bytes), letter => letter.charCodeAt(0));
    try {
        const {text, kind} = await textOfFile(new File([content], "boards.x"));
        return {kind, ...await readBoards(text, kind)};
    } catch (error) { return {error: error.message}; }
}"""


@pytest.mark.parametrize(
    "name",
    ["Gromöller".encode(), "Gromöller".encode("cp1252"), "Jagniewski, Pasław".encode("cp1250"),
     "GromÃ¶ller, Zoë".encode(), "\ufeffŽižkov".encode(), "Λία".encode(), b"Gr\x81\xf6",
     b"M\0ller"],
    ids=["utf-8", "1252", "1250", "twice", "mark", "far", "latin", "nul"],
)  # fmt: skip
def test_names_in_any_encoding(page_of, name):
    head = b"" if name.startswith(b"\xef\xbb\xbf") else b"%%"
    data = b"\xef\xbb\xbf" * (not head) + f"\nqx|o1|md|3{MD}|pn|".encode() + name + b",b,c,d|mb|p|"
    found = page_of.page.evaluate(FILE_BYTES, encoded(data))
    same(found, read_lin(data))


@pytest.fixture(scope="module")
def page_of(browser, service):
    visits = visiting(browser, service)
    yield next(visits).open()
    assert next(visits, None) is None


def test_real_files_are_read_alike(page_of, shared_data):
    """A share of the real files of each folder; every encoding and oddity is among them."""
    boards = 0
    for pattern, read, step in (
        ("lin/**/*.lin", read_lin, 9), ("pbn/**/*.pbn", read_pbn, 4),
        ("faults/*.lin", read_lin, 1), ("faults/*.pbn", read_pbn, 1),
    ):  # fmt: skip
        for path in sorted(shared_data.glob(pattern))[::step]:
            data = path.read_bytes()
            found = page_of.page.evaluate(FILE_BYTES, encoded(data))
            batch = read(data)
            if "error" in found:
                assert batch.deals.height == 0, (path.name, found["error"])
                continue
            same(found, batch)
            boards += batch.deals.height
    assert boards > 2500


def written(frame: pl.DataFrame) -> dict[str, str]:
    """What the package writes."""
    lin, pbn = StringIO(), StringIO()
    write_lin(frame, lin)
    write_pbn(frame, pbn)
    links = "".join(f"{link}\n" for link in format_handviewer(frame))
    return {"linOf": lin.getvalue(), "pbnOf": pbn.getvalue(), "linksText": links}


@pytest.mark.parametrize("name", TEXTS)
def test_exports_are_what_the_package_writes(module, name):
    text, read = TEXTS[name]
    deals = read(text.encode()).deals
    boards = read_by_page(module, text, module("files/board_files", "kindOf", text)["value"])[
        "boards"
    ]
    assert {
        way: module("boards/board_export", way, boards)["value"] for way in written(deals)
    } == written(deals)


def test_what_is_exported_is_read_back_equal(module):
    boards = read_by_page(module, LIN, "lin")["boards"]
    back = {
        "linOf": lambda text: read_lin(text.encode()),
        "pbnOf": lambda text: read_pbn(text.encode()),
        "linksText": read_handviewer,
    }
    for way, read in back.items():
        again = boards_of(read(module("boards/board_export", way, boards)["value"]).deals)
        for board, other in zip(boards, again, strict=True):
            kept = {**board, "record": other["record"]}
            if way == "pbnOf":
                # PBN keeps no call behind one that could not be read
                assert kept == other
            else:
                assert kept == other, way


def test_pictures_and_exports_of_real_files(page_of, shared_data):
    path = sorted((shared_data / "lin" / "vugraph").glob("*.lin"))[5]
    deals = read_lin(path.read_bytes()).deals
    found = page_of.page.evaluate(
        """async (bytes) => {
            const files = bidcascade("files/board_files.js");
            const out = bidcascade("boards/board_export.js");
            const pictures = bidcascade("boards/board_picture.js");
            const content = Uint8Array.from(atob(bytes), letter => letter.charCodeAt(0));
            const {text, kind} = await files.textOfFile(new File([content], "x"));
            const {boards} = await files.readBoards(text, kind);
            return {linOf: out.linOf(boards), pbnOf: out.pbnOf(boards),
                    linksText: out.linksText(boards), svgs: boards.map(pictures.svgText)};
        }""",
        encoded(path.read_bytes()),
    )
    svgs = found.pop("svgs")
    assert found == written(deals)
    assert len(svgs) == deals.height > 10
    for text in svgs:
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"


# what people do


def drop(visit: Visit, files: dict[str, str | bytes]) -> None:
    """Drop files on the page."""
    given = [
        (name, encoded(text if isinstance(text, bytes) else text.encode()))
        for name, text in files.items()
    ]
    visit.page.evaluate(
        """files => {
            const data = new DataTransfer();
            for (const [name, bytes] of files) {
                const content = Uint8Array.from(atob(bytes), one => one.charCodeAt(0));
                data.items.add(new File([content], name));
            }
            document.body.dispatchEvent(new DragEvent('drop', {
                dataTransfer: data, bubbles: true, cancelable: true,
            }));
        }""",
        given,
    )


def items(visit: Visit) -> Any:
    return visit.page.locator(".board-item")


def test_a_file_is_dropped_and_its_boards_are_listed(visit):
    visit.open("#dealer=N")
    drop(visit, {"match.lin": LIN})
    visit.wait_said("4 boards. The system bids differently on")
    assert items(visit).count() == 4
    first = items(visit).first
    text = first.inner_text()
    for told in ("Board 7 (open room)", "N Cay, E Dan, S Ann, W Bob", "Cup, final",
                 "North deals, vulnerable: Everybody", "2NT by North"):  # fmt: skip
        assert told in text
    assert "+1" in first.locator(".contract").first.inner_text()
    # both rooms have names of their own
    assert "N Gus, E Hal, S Eva, W Fay" in items(visit).nth(1).inner_text()
    # alerts and announcements are there for everybody, folded
    assert first.locator(".note-mark").all_text_contents() == ["1", "2"]
    first.get_by_text("2 calls explained").click()
    assert first.locator(".notes li").first.inner_text().replace("\n", " ").endswith("15-17")
    first.get_by_text("Play: 4 cards").click()
    first.locator(".tricks-played").wait_for()
    assert first.locator(".tricks-played li").all_text_contents() == [
        "♣clubs3 ♣clubs4 ♣clubsA ♣clubs2"
    ]
    # an impossible auction is told, and shown up to there
    third = items(visit).nth(2)
    assert "1H is not a legal call after 1S." in third.inner_text()
    assert "There is something that is no call after P." in items(visit).nth(3).inner_text()
    # a board that cannot be read is told with its number and what is wrong
    visit.page.get_by_text("1 board could not be read").click()
    told = visit.page.locator("details.error").inner_text()
    assert "Board 8 (closed room): ♠Q is there twice: with N and E." in told


def test_a_board_of_the_list_opens_where_the_auctions_part(visit):
    page = visit.open("#dealer=N").page
    drop(visit, {"match.lin": LIN})
    visit.wait_said("4 boards. The system bids differently on")
    second = items(visit).nth(1)
    assert second.locator(".parting").count() == 2
    second.get_by_role("link", name="Open Board 7 (closed room), at the table").click()
    visit.wait_said("North: one notrump")
    assert visit.state()["at"] == "0"
    assert visit.state()["auction"] == "1C-P-1S-P-P-P"
    # the other board of the same deal has its own auction
    assert "Board 7 (closed room) (2 of 4)" in page.locator("#boards").inner_text()
    page.get_by_role("button", name="Board before").click()
    page.wait_for_function("() => location.hash.includes('2C')")
    assert page.evaluate("document.activeElement.id") == "board-before"
    # the way through the list leads to that call too
    page.get_by_role("button", name="Next board").click()
    page.wait_for_function("() => location.hash.includes('at=0')")
    page.get_by_role("button", name="Board before").click()
    page.wait_for_function("() => !location.hash.includes('at=')")
    # what came with the board stays with it
    call = page.get_by_role("link", name="two clubs by South, Stayman")
    assert call.locator(".note-mark").text_content() == "2"
    assert "Stayman" in page.locator("#auction .notes").inner_text()
    # and not with another auction
    call.click()
    page.get_by_role("button", name="one notrump", exact=True).is_disabled()
    page.get_by_role("button", name="two diamonds", exact=True).click()
    page.wait_for_function(
        "() => !document.querySelector('#auction .notes').textContent.includes('Stayman')"
    )
    assert "15-17" in page.locator("#auction .notes").inner_text()
    page.get_by_role("link", name="All boards").click()
    page.wait_for_selector(".board-item")
    assert items(visit).count() == 4


def test_only_boards_where_the_system_parts(visit):
    page = visit.open("#dealer=N").page
    drop(visit, {"club.pbn": PBN})
    visit.wait_said("3 boards. The system bids differently on")
    page.get_by_label("Show").select_option("where the system bids differently")
    page.wait_for_function("() => location.hash.includes('only')")
    page.wait_for_selector("text=of the 3 bid so far")
    shown = items(visit).count()
    assert 0 < shown < 3
    assert page.locator(".board-item .badge.fair").count() == shown
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.board-item').length === 3")


def many(number: int) -> str:
    text = StringIO()
    write_lin(random_deals(number, seed=3), text)
    return text.getvalue().replace("pg||", "mb|p|mb|p|mb|p|mb|p|pg||")


def test_five_thousand_boards(visit):
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    text = many(5000)
    # between slices the page does what waits: the longest is far below the whole
    whole, longest = page.evaluate(
        """async text => {
            const {kindOf, readBoards} = bidcascade("files/board_files.js");
            const times = [performance.now()];
            const {boards} = await readBoards(text, kindOf(text), {
                tell: () => times.push(performance.now()),
            });
            if (boards.length !== 5000) throw new Error(boards.length);
            times.push(performance.now());
            const slices = times.slice(1).map((time, place) => time - times[place]);
            return [times.at(-1) - times[0], Math.max(...slices)];
        }""",
        text,
    )
    assert longest < max(200, whole / 2)
    start = time.perf_counter()
    drop(visit, {"many.lin": text})
    page.wait_for_selector(".board-item")
    seconds = time.perf_counter() - start
    assert seconds < 20
    assert items(visit).count() == 50
    assert page.locator("#view h3").inner_text().startswith("5,000 boards")
    page.get_by_role("navigation", name="Pages of boards", exact=True).get_by_text(
        "Next page"
    ).click()
    page.wait_for_selector("text=Page 2 of 100")
    assert "Board 51" in items(visit).first.inner_text()
    visit.wait_said("5,000 boards. The system bids differently on")
    page.get_by_role("button", name=re.compile("Bid 4,9[05]0 more")).click()
    stop = page.get_by_role("button", name="Stop")
    stop.wait_for()
    page.wait_for_function("() => document.querySelector('#boards-rest progress').value >= 100")
    stop.click()
    visit.wait_said("boards bid.")
    assert page.evaluate("document.activeElement.id") == "boards-which"


def test_how_far_it_is_stays_where_the_list_is_drawn_anew(visit):
    held = []
    visit.page.route("**/v1/auctions", lambda route: held.append(route))
    without_engine(visit)
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    drop(visit, {"many.lin": many(200)})
    page.wait_for_selector(".board-item")
    page.get_by_role("button", name="Bid 200 more").click()
    page.locator("#boards-rest progress").wait_for()
    while len(held) < 2:
        page.wait_for_timeout(50)
    # the page's own boards are bid: the list is drawn anew
    held[0].continue_()
    page.wait_for_selector(".board-item .part, .board-parts .place")
    assert page.locator("#boards-rest progress").count() == 1
    page.get_by_role("button", name="Stop").click()
    page.locator("#boards-rest progress").wait_for(state="detached")
    for route in held[1:]:
        route.abort()


def test_the_list_stays_in_the_tab_and_says_where_it_cannot(browser, service):
    for visit in visiting(browser, service):
        page = visit.open("#dealer=N").page
        drop(visit, {"club.pbn": PBN})
        visit.wait_said("3 boards.")
        page.reload()
        visit.wait_said("3 boards.")
        assert "store is full" not in page.locator("#view").inner_text()
        page.get_by_role("button", name="Empty the list").click()
        visit.wait_said("Drop files of boards anywhere")
        assert page.evaluate("sessionStorage.length") == 0
        # a store that is full
        page.evaluate("sessionStorage.setItem('other', 'x'.repeat(5_200_000))")
        drop(visit, {"many.lin": many(400)})
        visit.wait_said("400 boards.")
        assert "store is full or forbidden" in page.locator("#view .notice.info").inner_text()
        page.evaluate("sessionStorage.clear()")
        # a store of another version
        page.evaluate("sessionStorage.setItem('bidcascade.boards', '{\"no\": 1}')")
        page.reload()
        visit.wait_said("Drop files of boards anywhere")


def test_a_store_that_is_forbidden(browser, service):
    for visit in visiting(browser, service):
        visit.page.add_init_script(
            "Object.defineProperty(window, 'sessionStorage', {get() { throw new Error('no'); }});"
        )
        visit.open("#dealer=N")
        drop(visit, {"club.pbn": PBN})
        visit.wait_said("3 boards.")
        assert "store is full or forbidden" in visit.page.locator("#view .notice.info").inner_text()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    rows_in_check(
        (0, 3, 6, 8),
        ("photo.png", b"\x89PNG\0\0\0\1\2\3\4\5\6", "photo.png is no text."),
        ("empty.lin", b"", "empty.lin is empty."),
        ("letter.txt", b"Dear partner,\nwhere were you?", "letter.txt holds no boards"),
        ("half.lin", b"qx|o1|md|3SAKQ,,,|", "South: A hand has 13 cards"),
        ("more.lin", f"md|3{MD.replace('SJ876', 'SJ8765')}|".encode(), "has 14: ♠J8765 ♥A65"),
        ("many.pbn", f'[Deal "N:{" ".join([*HANDS, HANDS[0]])}"]'.encode(), "this one has 5"),
        ("twice.lin", f"md|3{MD.replace('SK95', 'SKA5')}|".encode(), "♠A is there twice"),
        ("none.lin", b"qx|o1|pg||", "The board has no hands"),
        ("one.lin", f"md|3{MD}|mb|1S|mb|1H|".encode(), "1H is not a legal call after 1S."),
        ("other.txt", b"https://example.org/v?version=9#board", "no deal in this address"),
    ),
)
def test_bad_files_are_told(visit, name, content, told):
    visit.open("#dealer=N")
    visit.page.wait_for_selector("#view > *")
    drop(visit, {name: content})
    visit.page.wait_for_selector("#messages [role=alert]")
    assert told in visit.page.locator("#messages").inner_text()


def test_a_bad_file_among_others(visit):
    visit.open("#dealer=N")
    visit.page.wait_for_selector("#view > *")
    drop(visit, {"photo.png": b"\x89PNG\0\0\0\1\2\3\4", "club.pbn": PBN, "match.lin": LIN})
    visit.wait_said("7 boards.")
    visit.page.get_by_text("4 boards could not be read").click()
    told = visit.page.locator("details.error").inner_text()
    assert "photo.png is no text." in told
    assert "match.lin, Board 8" in told


def saved(visit: Visit, button: Any) -> tuple[str, bytes]:
    with visit.page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_boards_are_saved(visit):
    page = visit.open("#dealer=N").page
    drop(visit, {"match.lin": LIN})
    visit.wait_said("4 boards")
    deals = read_lin(LIN.encode()).deals
    name, content = saved(visit, page.get_by_role("button", name="PBN of the list"))
    assert name == "boards.pbn"
    assert content.decode() == written(deals)["pbnOf"]
    # chosen ones only
    items(visit).nth(1).get_by_role("checkbox").check()
    page.wait_for_selector("text=Save 1 chosen board:")
    name, content = saved(visit, page.get_by_role("button", name="LIN of the list"))
    assert (name, content.decode()) == ("board-7-closed-room.lin", written(deals[1:2])["linOf"])
    item = items(visit).first
    item.locator("summary", has_text="Save").click()
    name, content = saved(visit, item.get_by_role("button", name="PNG picture"))
    assert name == "board-7-open-room.png"
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    assert width == 1280
    assert height > 900
    assert len(content) > 20_000
    name, content = saved(visit, item.get_by_role("button", name="SVG picture"))
    root = ElementTree.fromstring(content)
    told = "".join(root.itertext())
    for text in (
        "Board 7 (open room)",
        "North Cay",
        "A Q 4",
        "Stayman",
        "2NT by North +1",
        "15-17",
    ):
        assert text in told
    assert not [one for one in root.iter() if "href" in " ".join(one.keys())]


def test_the_link_of_a_board_is_copied(browser, service):
    for visit in visiting(browser, service, permissions=["clipboard-read", "clipboard-write"]):
        page = visit.open(
            f"#n={HANDS[0]}&e={HANDS[1]}&s={HANDS[2]}&w={HANDS[3]}&dealer=E&vul=EW&auction=P-P-P-1N"
        ).page
        page.locator("#saving summary").click()
        page.locator("#saving").get_by_role("button", name="Copy viewer link").click()
        visit.wait_said("The link is copied.")
        link = page.evaluate("navigator.clipboard.readText()")
        (board,) = boards_of(read_handviewer(link).deals)
        assert (board["hands"], board["dealer"], board["vulnerability"]) == (HANDS, 1, "EW")
        assert board["calls"] == ["P", "P", "P", "1N"]


@pytest.mark.parametrize("shape", some_in_check(1, "desk", "phone", "dark"))
def test_boards_fit_and_follow_the_rules(browser, service, axe, pictures, shape):
    options: dict[str, Any] = {
        "desk": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
        "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
        "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    }[shape]
    for visit in visiting(browser, service, **options):
        page = visit.open("#dealer=N").page
        drop(visit, {"match.lin": LIN, "club.pbn": PBN})
        visit.wait_said("7 boards.")
        for summary in page.locator("#view summary").all():
            summary.click()
        page.wait_for_selector(".board-item:last-child button")
        page.screenshot(path=pictures / f"{shape}-board-list.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
        assert axe(page, "#view") == []
        name, content = saved(visit, items(visit).first.get_by_role("button", name="PNG picture"))
        (pictures / f"{shape}-{name}").write_bytes(content)
        items(visit).first.get_by_role("link", name="at the table").click()
        page.wait_for_selector("#auction .note-mark")
        page.locator("#saving summary").click()
        page.wait_for_function("() => !document.querySelector('#view[aria-busy]')")
        page.screenshot(path=pictures / f"{shape}-board-open.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
        assert axe(page, "#board") == []


def test_calls_stand_apart_where_there_is_no_room(browser, service):
    gaps = """() => [...document.querySelectorAll(".board-item tbody tr")].flatMap((row) => {
        const calls = [...row.querySelectorAll(".call")].map((one) => one.getBoundingClientRect());
        return calls.slice(1).map((one, place) => one.left - calls[place].right);
    })"""
    for visit in visiting(browser, service, viewport={"width": 320, "height": 700}):
        visit.open("#dealer=N")
        drop(visit, {"match.lin": LIN})
        visit.wait_said("4 boards.")
        assert min(visit.page.evaluate(gaps)) > 3


def test_an_empty_list_leads_to_a_field_to_paste_into(visit):
    page = visit.open("#dealer=N&view=boards").page
    page.locator("#view").get_by_role("button", name="Enter or paste").click()
    page.wait_for_function("() => document.activeElement.id === 'paste'")
    page.locator("#paste").fill(LIN)
    page.get_by_role("button", name="Use what is pasted").click()
    visit.wait_said("4 boards.")


def test_the_list_without_a_mouse(visit):
    page = visit.open("#dealer=N&view=boards").page
    page.get_by_role("button", name="Choose files").wait_for()
    with page.expect_file_chooser() as waiting:
        page.get_by_role("button", name="Choose files").focus()
        page.keyboard.press("Enter")
    waiting.value.set_files([{"name": "m.lin", "mimeType": "text/plain", "buffer": LIN.encode()}])
    visit.wait_said("4 boards.")
    item = items(visit).first
    item.get_by_role("checkbox").focus()
    page.keyboard.press("Space")
    page.wait_for_selector("text=Save 1 chosen board:")
    assert page.evaluate("document.activeElement.type") == "checkbox"
    for name in ("2 calls explained", "Play: 4 cards"):
        summary = item.get_by_text(name)
        summary.focus()
        page.keyboard.press("Enter")
        assert summary.evaluate("node => node.parentElement.open")


def test_texts_of_several_boards_are_pasted(visit):
    page = visit.open("#dealer=N").page
    page.wait_for_selector("#view > *")
    page.get_by_role("button", name="Enter or paste").click()
    page.get_by_label("Paste", exact=True).fill(PAGE)
    page.get_by_role("button", name="Use what is pasted").click()
    visit.wait_said("3 boards.")
    names = [name.strip() for name in page.locator("h4 label").all_inner_texts()]
    assert names == ["Board 7 (open room)", "Board 8", "Board 9"]
