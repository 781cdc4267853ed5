"""All that the page writes it reads, and the program too; what the program writes the page reads.

Walks over the page's views, its ways to save a board and the endings of files of deals: one that is
new has no row here, and fails by its name.
"""

import base64
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bidcascade.inference.scenarios.script_words import PRINTS
from bidcascade.loaders import read_deals
from bidcascade.service.cli import main
from bidcascade.service.cli.shared import DEAL_SUFFIXES
from bidcascade.systems import open_system
from tests.page.boards.support_boards import boards_of
from tests.page.boards.test_page_boards import drop

pytestmark = pytest.mark.slow

ONE_HAND = "#n=K2.A43.KQ876.432&dealer=S&auction=1D-P&table=sayc"
HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
DEAL = "#" + "&".join(f"{seat}={hand}" for seat, hand in zip("nesw", HANDS, strict=True))
PLACE = f"{DEAL}&dealer=E&vul=Both&auction=P-P-P-1N-P-3N-P-P-P"
BOARD = {
    "hands": HANDS,
    "dealer": 1,
    "vulnerability": "Both",
    "seat": 2,
}
VIEWS = {
    "call": f"{PLACE}&at=4&table=acol",
    "shown": f"{PLACE}&at=4&view=shown&eyes=S",
    "auctions": f"{DEAL}&view=auctions",
    "compare": f"{DEAL}&view=compare&with=acol",
    "lead": f"{PLACE}&view=lead",
    "book": "#dealer=N&vul=None&auction=1N-P&table=acol&view=book",
    "card": "#dealer=N&vul=None&table=acol&view=card",
    "boards": f"{DEAL}&view=boards&ask=part",
    "bid": "#dealer=N&vul=None&view=bid&ask={code}",
    "practice": (
        "#dealer=N&vul=None&view=practice&ask="
        "1!Stayman!1N-P~N~None~K52.AQ3.9876.KJ2!~E~Both~AQ4.KJ3.K876.Q52"
    ),
    "handout": "#dealer=N&vul=None&view=handout&ask=2!Stayman!sayc!shipped!AAIHAAKyAIEHBQg",
    "cards": "#dealer=N&vul=None&view=cards&ask={code}~P-P-P-1N-P-3N-P-P-P~N",
    "systems": "#dealer=N&vul=None&view=systems",
    "archives": "#dealer=N&vul=None&auction=1N-P&view=archives",
    "jobs": "#dealer=N&vul=None&view=jobs",
}


@pytest.fixture(scope="module")
def tell(module):
    """State of the page after a text was pasted, or what is told to be wrong; and by an address."""

    def told(text: str) -> Any:
        found = module("deal/enter_deal", "usePasted", text)
        if "error" in found:
            return found["error"]
        return module("state", "state")["value"]

    return told


@pytest.fixture(scope="module")
def shown(module):
    def state(fragment: str) -> Any:
        return module("state", "readFragment", fragment)["value"]["next"]

    return state


@pytest.fixture(scope="module")
def code(module) -> str:
    written: str = module("boards/board_code", "writeBoard", BOARD)["value"]
    return written


def test_each_view_has_a_row(visit):
    visit.open("#dealer=N")
    assert sorted(visit.page.evaluate("bidcascade('state.js').VIEWS")) == sorted(VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_the_link_of_a_view_is_read_where_it_is_pasted(tell, shown, code, service, view):
    fragment = VIEWS[view].format(code=code)
    tell(f"{service}/#dealer=W")
    assert tell(f"{service}/{fragment}") == shown(fragment)
    assert shown(fragment)["view"] == view


FORMS = {
    "the address": "{url}/{link}",
    "another host": "https://bridge.example/page/{link}",
    "a file": "file:///C:/Users/Kim/site/index.html{link}",
    "the part behind the host": "{link}",
    "modules": "{url}/?modules{link}",
    "in brackets": "Which call? ({url}/{link})",
    "in a sentence": "Dear all,\nsee {url}/{link}. What do you bid?\nPat",
    "in a mail": "Hello,\n> look: <{url}/{link}>\nBye",
    "in HTML": '<a href="{url}/{html}">link</a>',
    "broken over lines": "{url}/{broken}\nBye",
    "encoded": "{url}/{encoded}",
    "wrapped by a mail service": "https://safe.example/?url=http%3A%2F%2Fh%2F{wrapped}&data=05",
    "encoded in parts": "{url}/{parts}",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_link_is_read_in_any_form(tell, shown, service, form):
    hash_free = ONE_HAND[1:]
    encoded = hash_free.replace("=", "%3D").replace("&", "%26")
    text = FORMS[form].format(
        url=service,
        link=ONE_HAND,
        html=ONE_HAND.replace("&", "&amp;"),
        broken=ONE_HAND.replace("&auction", "\n&auction"),
        encoded=f"#{encoded}",
        wrapped=f"%23{encoded}",
        parts=ONE_HAND.replace("-", "%2D").replace(".", "%2E"),
    )
    tell(f"{service}/#dealer=W")
    assert tell(text) == shown(ONE_HAND)
    read, rejects = read_deals(text.encode())
    assert rejects.rows() == []
    (board,) = boards_of(read)
    assert board["hands"] == ["K2.A43.KQ876.432", "", "", ""]
    assert (board["dealer"], board["calls"]) == (2, ["1D", "P"])


def test_games_and_practice_sets_are_boards_for_the_program(code):
    read = read_deals(VIEWS["bid"].format(code=code).encode()).deals
    (board,) = boards_of(read)
    assert (board["hands"], board["dealer"], board["vulnerability"]) == (HANDS, 1, "Both")
    (board,) = boards_of(read_deals(VIEWS["cards"].format(code=code).encode()).deals)
    assert (board["hands"], board["calls"][-4:]) == (HANDS, ["3N", "P", "P", "P"])
    first, second = boards_of(read_deals(VIEWS["practice"].encode()).deals)
    assert (first["hands"], first["calls"]) == (["", "", "K52.AQ3.9876.KJ2", ""], ["1N", "P"])
    assert (second["hands"], second["dealer"]) == (["", HANDS[0], "", ""], 1)


def test_several_links_are_boards(module, service):
    text = f"{service}/{ONE_HAND}\n{service}/{PLACE}\n"
    found = module("deal/pasting", "readPasted", text)["value"]
    assert found["boards"] == boards_of(read_deals(text.encode()).deals)
    assert len(found["boards"]) == 2


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("#n=K2.A43.KQ876.43&dealer=S", "The link cannot be read in full: A hand has 13 cards"),
        ("#n=K2.A43.KQ876.432&dealer=S&auction=1S-1H", "1H is not legal there"),
        ("#dealer=N&view=nosuch", "names no view of this page"),
    ],
)
def test_what_is_wrong_with_a_link_is_told(tell, service, link, told):
    assert told in tell(f"{service}/{link}")


def test_a_link_is_pasted_by_hand(visit):
    page = visit.open("#dealer=W").page
    page.get_by_role("button", name="Enter or paste").click()
    page.locator("#paste").fill(f"{visit.url}/{ONE_HAND}")
    page.locator("#use-paste").click()
    page.wait_for_function("() => location.hash.includes('auction=1D-P')")
    assert visit.state()["n"] == "K2.A43.KQ876.432"
    assert visit.state()["table"] == "sayc"
    assert visit.auction() == ["1♦", "Pass"]
    assert page.locator("#enter-panel").is_hidden()


# --- what the program writes ----------------------------------------------------------------------

PAGE_READS = {
    ".lin": True,
    ".pbn": True,
    ".txt": True,
    ".jsonl": True,
    # bidcascade load makes one of the others of these
    ".parquet": False,
    ".rbn": False,
}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """Files of deals in all forms, and what scripts print."""
    folder = tmp_path_factory.mktemp("written")
    for suffix in DEAL_SUFFIXES:
        assert main(["deals", "6", "--seed", "5", "--out", str(folder / f"deals{suffix}")]) == 0
    assert (
        main(["export", "sheets", str(folder / "deals.pbn"), "--out", str(folder / "s.html")]) == 0
    )
    return folder


def test_each_kind_of_file_is_read_or_refused():
    assert sorted(PAGE_READS) == sorted(DEAL_SUFFIXES)


def of_file(module, path: Path) -> Any:
    """What the page reads in a file's text."""
    return module("deal/pasting", "readPasted", path.read_text("utf-8"))


@pytest.mark.parametrize("suffix", [one for one, is_read in PAGE_READS.items() if is_read])
def test_files_of_deals(module, written, suffix):
    found = of_file(module, written / f"deals{suffix}")["value"]
    assert found["boards"] == boards_of(read_deals(written / f"deals{suffix}").deals)
    assert found["problems"] == []


def test_sheets_of_boards(module, written):
    found = of_file(module, written / "s.html")["value"]
    assert found["boards"] == boards_of(read_deals(written / "s.html").deals)
    assert len(found["boards"]) == 6


@pytest.mark.parametrize("action", [*PRINTS, "print(north, south, east, west)"])
@pytest.mark.parametrize("number", [1, 3])
def test_output_of_scripts(module, tmp_path, capsys, action, number):
    (tmp_path / "s.dl").write_text(f"produce {number}\naction {action}\n")
    assert main(["deals", "--script", str(tmp_path / "s.dl"), "--seed", "1"]) == 0
    text = capsys.readouterr().out.strip()
    found = module("deal/pasting", "readPasted", text)["value"]
    known = boards_of(read_deals(text.encode()).deals)
    assert [one["hands"] for one in found["boards"]] == [one["hands"] for one in known]
    assert [one["record"] for one in found["boards"]] == [one["record"] for one in known]
    assert found["problems"] == []
    assert len(found["boards"]) == number


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_layouts(module, capsys, words):
    assert main(["layouts", "1N P", "--count", "3", "--dealer", "E", *words]) == 0
    text = capsys.readouterr().out
    found = module("deal/pasting", "readPasted", text)["value"]
    assert found["boards"] == boards_of(read_deals(text.encode()).deals)
    assert len(found["boards"]) == 3


def test_json_that_is_half_known_is_told(module):
    known = '{"deal": "N:' + " ".join(HANDS) + '", "dealer": "N"}\n'
    text = f'{known}{{"deal": "N:AQ4 K95"}}\n{known}no JSON\n'
    found = module("deal/pasting", "readPasted", text)["value"]
    read, rejects = read_deals(text.encode())
    assert (len(found["boards"]), len(found["problems"])) == (read.height, rejects.height) == (2, 2)
    assert [one["record"] for one in found["problems"]] == rejects["record"].to_list() == [2, 4]


def test_files_are_dropped(visit, written, tmp_path):
    page = visit.open("#dealer=N").page
    for suffix, is_read in PAGE_READS.items():
        drop(visit, {f"deals{suffix}": (written / f"deals{suffix}").read_bytes()})
        if is_read:
            visit.wait_said("6 boards")
        else:
            page.locator("#messages .error").wait_for()
        page.goto(f"{visit.url}/#dealer=N")
    (tmp_path / "link.txt").write_text(f"{visit.url}/{ONE_HAND}\n")
    drop(visit, {"link.txt": (tmp_path / "link.txt").read_bytes()})
    page.wait_for_function("() => location.hash.includes('auction=1D-P')")
    (tmp_path / "hands.txt").write_text("\n".join(HANDS))
    drop(visit, {"hands.txt": (tmp_path / "hands.txt").read_bytes()})
    page.wait_for_function(f"() => location.hash.includes('n={HANDS[0]}')")


# --- what the page saves --------------------------------------------------------------------------

SAVED = {
    "lin": ("boards/board_export", "linOf", True),
    "pbn": ("boards/board_export", "pbnOf", True),
    "link": ("boards/board_export", "linksText", True),
    "svg": ("boards/board_picture", "svgText", False),
}
"""Ways to save a board that can be read, with who writes them and whether of many at once."""


def test_each_way_of_saving_has_a_row(visit):
    visit.open("#dealer=N")
    ways = visit.page.evaluate("bidcascade('boards/board_saving.js').ALL_WAYS")
    # a PNG is a picture alone, and told to be no text
    assert sorted(ways) == sorted([*SAVED, "png"])


@pytest.mark.parametrize("way", SAVED)
def test_a_saved_board_is_read_again(module, way):
    name, function, many = SAVED[way]
    text = f"{PLACE}&dealer=E".encode()
    (board,) = boards_of(read_deals(text).deals)
    saved = module(name, function, [board] if many else board)["value"]
    (again,) = module("deal/pasting", "readPasted", saved)["value"]["boards"]
    (read,) = boards_of(read_deals(saved.encode()).deals)
    for name in ("hands", "dealer", "vulnerability", "calls", "contract", "declarer"):
        assert again[name] == read[name] == board[name]


def test_a_system_saved_as_zip_has_the_options_that_were_turned(visit, tmp_path):
    text = (
        'system Mine\ninclude "page.bidding"\nopening:\n  1C = Club: 12+ points\n'
        "option quiet:\n  opening:\n    2C = Strong: 20+ points\n"
    )
    page = "option weak, off\noption weak:\n  opening:\n    1NT = Weak: 12-14 points, balanced\n"
    texts = {"mine.bidding": text, "page.bidding": page}
    visit.open("#dealer=N")
    packed = visit.page.evaluate(
        """async ([texts, options]) => {
            const { withOptions } = bidcascade('systems/saved_texts.js');
            const saved = withOptions(new Map(Object.entries(texts)), options);
            const packed = await bidcascade('files/zip_files.js').zipOf(saved).arrayBuffer();
            return btoa(String.fromCharCode(...new Uint8Array(packed)));
        }""",
        [texts, {"weak": True, "quiet": True}],
    )
    (tmp_path / "mine.zip").write_bytes(base64.b64decode(packed))
    assert zipfile.ZipFile(tmp_path / "mine.zip").namelist() == [*texts]
    system = open_system(tmp_path / "mine.zip")
    assert system.text.options == {"weak": True, "quiet": True}
    assert {entry.name for entry in system.expand("").entries} == {"Club", "Strong", "Weak"}
    assert main(["system", "show", str(tmp_path / "mine.zip"), ""]) == 0
