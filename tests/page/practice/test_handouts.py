"""Handouts: their code, a sheet of a theme in a browser, files read back, a class's link."""

import json
import re
import shutil
import subprocess
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from bidcascade.loaders import read_deals
from bidcascade.loaders.lin.page_links import page_boards
from tests.page.boards.support_boards import boards_of
from tests.page.support_browser import Visit, visiting
from tests.page.test_bid import said_in_view
from tests.support.examples import some_in_check

STATIC = Path(str(files("bidcascade.page"))) / "static"
HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
NODE = """
globalThis.localStorage = { getItem: () => null, setItem() {} };
const { readHandout, writeHandout } = await import(`${process.argv[1]}/games/handout_code.js`);
const { pageBoards } = await import(`${process.argv[1]}/files/page_links.js`);
const { boardsOf } = await import(`${process.argv[1]}/games/handout_maker.js`);
const { linOf, pbnOf } = await import(`${process.argv[1]}/boards/board_export.js`);
const given = JSON.parse(process.argv[2]);
const code = typeof given === "string" ? given : writeHandout(given);
const found = { code };
try {
  found.read = readHandout(code);
  const boards = boardsOf(found.read.topic, found.read.questions);
  [found.lin, found.pbn] = [linOf(boards), pbnOf(boards)];
} catch (error) {
  found.error = error.message;
}
found.links = pageBoards(`view=practice&ask=${encodeURIComponent(code)}`);
console.log(JSON.stringify(found));
"""
WHOLE = {"calls": ["1N", "P"], "dealer": 0, "vulnerability": "NS", "hand": HANDS[2], "hands": HANDS}
ALONE = {"calls": [], "dealer": 3, "vulnerability": "Both", "hand": "AKQJT98765432..."}

node = [
    pytest.mark.checkout,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
]


def in_node(given: Any) -> dict[str, Any]:
    """What the page's modules make of a handout, or of a text."""
    command = [
        "node",
        "--input-type=module",
        "--eval",
        NODE,
        "--",
        STATIC.as_uri(),
        json.dumps(given),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def handout(questions: list[dict[str, Any]], system: str = "sayc") -> dict[str, Any]:
    return {"topic": "Stayman", "system": system, "isOwn": system != "sayc", "questions": questions}


@pytest.mark.parametrize(
    "given",
    [handout([WHOLE]), handout([ALONE, WHOLE, ALONE], "my sayc"), handout([WHOLE, ALONE] * 32)],
)
class TestCode:
    pytestmark = node

    def test_it_is_read_back(self, given):
        found = in_node(given)
        assert found["read"] == given
        # 64 hands are an address that every program takes
        assert len(found["code"]) < 40 + 24 * len(given["questions"])

    def test_the_package_reads_the_same_boards(self, given):
        found = in_node(given)
        query = f"view=practice&ask={found['code']}".encode()
        assert list(page_boards(query)) == found["links"]
        assert len(found["links"]) == len(given["questions"])

    def test_files_are_read_back(self, given, tmp_path):
        found = in_node(given)
        for name in ("lin", "pbn"):
            path = tmp_path / f"handout.{name}"
            path.write_text(found[name], "utf-8")
            assert questions_in(path) == given["questions"]


def questions_in(path: Path) -> list[dict[str, Any]]:
    """Questions of a file's boards, as the package reads it: the hand whose turn it is."""
    found = []
    for number, one in enumerate(boards_of(read_deals(path).deals), 1):
        hands, dealer = one["hands"], one["dealer"]
        assert one["number"] == number
        question = {name: one[name] for name in ("calls", "dealer", "vulnerability")}
        question["hand"] = hands[(dealer + len(one["calls"])) % 4]
        found.append({**question, "hands": hands} if all(hands) else question)
    return found


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("2!Stayman!sayc!shipped!AAAA", "hand 1 is not whole"),
        ("2!Stayman!sayc!shipped!", "no handout"),
        ("2!Stayman!sayc!others!AAAA", "no handout"),
        ("2!Stayman!!own!AAAA", "no handout"),
        ("2!Stayman!sayc!shipped!*", "no handout"),
        ("3!Stayman", "version"),
    ],
)
class TestBroken:
    pytestmark = node

    def test_what_is_none_says_so(self, text, error):
        found = in_node(text)
        assert error in found["error"]
        assert found["links"] == []
        assert list(page_boards(f"view=practice&ask={text}".encode())) == []


# --- in a browser -------------------------------------------------------------------------------

browser_tests = pytest.mark.slow


def made(visit: Visit, address: str, label: str, size: int) -> Any:
    """Page of a handout of a theme or topic."""
    page = visit.open(address).page
    # the topics beside the themes are found from many deals first
    page.locator("#theme").wait_for(timeout=120_000)
    page.locator("#theme").select_option(label=label)
    page.get_by_label("Hands for a class of the theme").fill(str(size))
    page.get_by_role("button", name="Handout of the theme").click()
    page.locator(".handout-sheet.answers .handout-hand").nth(size - 1).wait_for()
    return page


@browser_tests
def test_a_sheet_of_a_theme(visit, browser, service, pictures, tmp_path):
    page = made(visit, "#view=practice", "Stayman", 8)
    code = visit.state()["ask"]
    sheets = page.locator(".handout-sheet")
    assert [sheets.nth(place).locator(".handout-hand").count() for place in (0, 1)] == [8, 8]
    hands = sheets.first.inner_text()
    assert hands.count("Your call:") == 8
    # two pages beside each other
    first, second = (sheets.nth(place).bounding_box() for place in (0, 1))
    assert first["x"] + first["width"] <= second["x"]
    page.screenshot(path=pictures / "handout.png", full_page=True)
    # the answers are those that practice gives
    calls = page.evaluate(
        """async (code) => {
            const { readSet } = bidcascade("games/practice_sets.js");
            const { post } = bidcascade("api.js");
            const { callText } = bidcascade("format.js");
            const found = [];
            for (const { hand, calls, dealer, vulnerability } of readSet(code).questions) {
                const about = { hand, auction: calls, dealer: "NESW"[dealer], vulnerability };
                found.push(callText((await post("/v1/bid", { ...about, words: true })).call));
            }
            return found;
        }""",
        code,
    )
    answers = sheets.nth(1).locator(".handout-hand .big-text").all_inner_texts()
    assert answers == calls
    # hands without answers, and back
    page.get_by_label("Show", exact=True).select_option(label="hands only")
    assert [sheets.nth(place).is_visible() for place in (0, 1)] == [True, False]
    page.get_by_label("Show", exact=True).select_option(label="hands and answers")
    assert sheets.nth(1).is_visible()
    # files that the package reads back
    questions = page.evaluate(
        "(code) => bidcascade('games/practice_sets.js').readSet(code).questions", code
    )
    for name in ("PBN", "LIN"):
        with page.expect_download() as download:
            page.locator(".handout-tools").get_by_role("button", name=f"{name} of").click()
        path = tmp_path / f"handout.{name.lower()}"
        download.value.save_as(path)
        assert questions_in(path) == questions
    # on paper: hands on one page, answers on their own
    pdf = pictures / "handout.pdf"
    page.pdf(path=pdf, format="A4")
    link = page.evaluate("(code) => bidcascade('games/handout.js').classLink(code)", code)
    assert len(link) < 600
    for other in visiting(browser, service):
        other.page.goto(link)
        other.page.wait_for_selector(".game-table")
        assert "hand 1 of 8" in said_in_view(other.page)
        shown = re.sub(r"\s", "", other.page.locator(".own-hand dl").inner_text())
        printed = page.locator(".handout-sheet.hands .handout-hand dl").first.inner_text()
        assert shown == re.sub(r"\s", "", printed)


@browser_tests
def test_a_link_to_a_system_that_is_not_here_says_so(visit):
    visit.open("#view=practice")
    for system, own, said in (
        ("my club", "own", "Load it under Systems first"),
        ("precision-of-theirs", "shipped", "a system that this page does not have"),
    ):
        code = visit.page.evaluate(
            """([system, isOwn, hand]) => bidcascade("games/handout_code.js").writeHandout({
                topic: "Ours", system, isOwn,
                questions: [{ calls: [], dealer: 0, vulnerability: "None", hand }],
            })""",
            [system, own == "own", HANDS[0]],
        )
        visit.page.goto(f"{visit.url}/#view=practice&ask={code}")
        visit.page.wait_for_selector(f"text={said}")
        assert system in said_in_view(visit.page)
        assert visit.page.locator(".game-table").count() == 0


@browser_tests
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_link_turns_the_page_to_its_system(visit):
    code = in_node(handout([WHOLE], "acol") | {"isOwn": False})["code"]
    visit.open(f"#view=practice&ask={code}")
    visit.page.wait_for_selector(".game-table")
    assert visit.page.locator("#table-choice").input_value() == "acol"


@browser_tests
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_link_for_the_class_says_where_it_works(visit):
    page = visit.open(f"#view=handout&ask={in_node(handout([WHOLE]))['code']}").page
    page.evaluate("() => { navigator.clipboard.writeText = async () => {}; }")
    page.get_by_role("button", name="Copy the link for the class").click()
    page.locator("#messages .notice", has_text="works on this computer only").wait_for()


@browser_tests
def test_a_handout_of_boards(visit):
    page = visit.open("#view=boards").page
    deal = "N:" + " ".join(HANDS)
    page.evaluate(
        "(text) => bidcascade('deal/enter_deal.js').usePasted(text)",
        f'[Board "1"]\n[Dealer "N"]\n[Vulnerable "NS"]\n[Deal "{deal}"]\n\n'
        f'[Board "2"]\n[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{deal}"]\n\n',
    )
    page.goto(f"{visit.url}/#view=boards")
    page.locator(".handout-row").get_by_role("button", name="Handout").click()
    page.locator(".handout-sheet.answers .handout-hand").nth(1).wait_for()
    hands = page.locator(".handout-sheet.hands .handout-hand")
    # South's first turn: after North's opening, and as dealer
    assert ["South to call" in text for text in hands.all_inner_texts()] == [True, True]
    assert "1NT Pass" in hands.first.inner_text().replace("\n", " ")


COUNTED = """async ([theme, size]) => {
    const { themesOf, themeQuestions } = bidcascade("games/practice_themes.js");
    const { post } = bidcascade("api.js");
    const about = (await themesOf()).find((one) => one.name === theme);
    const { deals } = await post("/v1/practice-deals", { themes: [theme], count: size, seed: 5 });
    const plain = deals.map(({ deal, dealer, vulnerability }) => ({ deal, dealer, vulnerability }));
    const asking = { deals: plain, mode: "first", table: "sayc" };
    const { results } = await post("/v1/auctions", asking);
    const firsts = results.map(({ auctions: [{ calls }] }, place) => {
        const turn = (2 - "NESW".indexOf(deals[place].dealer) + 4) % 4;
        return [calls.slice(0, turn).join("-"), calls[turn]];
    });
    const asked = [];
    for (const one of await themeQuestions(about, "sayc", undefined, size)) {
        const { hand, calls, dealer, vulnerability } = one;
        const place = { hand, auction: calls, dealer: "NESW"[dealer], vulnerability };
        asked.push([calls.join("-"), (await post("/v1/bid", { ...place, table: "sayc" })).call]);
    }
    return { firsts, asked };
}"""


@browser_tests
@pytest.mark.parametrize(
    "theme",
    some_in_check(
        2,
        "stayman",
        "weak-twos",
        "jacoby-transfers",
        "notrump-overcalls",
        "strong-two-clubs",
        "takeout-doubles",
        "two-over-one",
    ),
)
def test_a_theme_does_not_give_its_call_away(visit, theme):
    """Where a theme's deals make its calls at South's first turn, about half of the hands do."""
    page = visit.open("#view=bid").page
    page.set_default_timeout(120_000)
    found = page.evaluate(COUNTED, [theme, 60])
    made = Counter(call for _, call in found["firsts"])
    calls = {(place, call) for place, call in found["firsts"] if call != "P"}
    # by the deals alone the call was known
    assert made["P"] <= 0.1 * sum(made.values()), made
    places = {place for place, _ in calls}
    asked = [(place, call) for place, call in found["asked"] if place in places]
    assert len(found["asked"]) >= 50
    assert len(asked) >= 12
    share = sum(one in calls for one in asked) / len(asked)
    assert 0.3 <= share <= 0.7, (share, Counter(asked))
