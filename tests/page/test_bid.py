"""Play against the system in a real browser: a whole board, mistakes, and what may go wrong."""

import json
import re
from typing import Any

import pytest

from bidcascade.bridge import format_hand
from bidcascade.loaders import HAND_COLUMNS, random_deals
from tests.page.support_browser import Visit, no_compiler_words, visiting, without_engine
from tests.support.examples import some_in_check

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
BOARD = {"hands": HANDS, "dealer": 0, "vulnerability": "None", "seat": 2}
SHAPES = {
    "desk": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "desk-dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "phone-dark": {
        "viewport": {"width": 320, "height": 640}, "is_mobile": True, "has_touch": True,
        "color_scheme": "dark", "reduced_motion": "reduce",
    },
}  # fmt: skip
FULL = (
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
)
FORBIDDEN = (
    "Object.defineProperty(window, 'localStorage', "
    "{ get() { throw new DOMException('no', 'SecurityError'); } });"
)


@pytest.fixture(scope="module")
def code(module) -> str:
    """The board as the text of its link."""
    text: str = module("boards/board_code", "writeBoard", BOARD)["value"]
    return text


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def call(visit: Visit, name: str) -> None:
    """Make a call in the box when it is one's turn."""
    visit.page.locator(".game-table .box:not([inert])").wait_for()
    visit.page.locator(".game-table").get_by_role("button", name=name, exact=True).click()


def begin(visit: Visit, code: str) -> Any:
    page = visit.open(f"#view=bid&ask={code}").page
    visit.wait_said("Your call")
    return page


def said_in_view(page: Any) -> str:
    text: str = page.locator("#view").inner_text()
    return text


def test_a_whole_board(visit, code):
    page = begin(visit, code)
    # the own hand alone, and nothing about the deal
    assert "J 8 7 6".replace(" ", "") in page.locator(".own-hand").text_content()
    assert page.locator("#view .seat, .tricks").count() == 0
    assert page.locator("#board").is_hidden()
    unfold = page.locator("summary", has_text="What the calls meant")
    unfold.click()
    page.wait_for_selector("text=Strong notrump: 15-17 points")
    # links in it must not show what the others hold
    links = page.eval_on_selector_all("#view .call-link", "all => all.map(one => one.href)")
    assert links
    assert not any(HANDS[0] in one for one in links)
    call(visit, "two clubs")
    visit.wait_said("North: two diamonds. East: pass. Your call")
    # keys do as well as the mouse
    page.keyboard.press("2")
    page.keyboard.press("n")
    visit.wait_said("The auction is over: two notrump by North")
    assert page.locator("#view .seat").count() == 4
    page.wait_for_selector("text=You bid this hand as the system does.")
    assert page.locator(".own-call .met").count() == 2
    # nobody is told too early
    assert page.locator(".tricks").count() == 0
    assert "not asked" in page.locator("#evening-score ~ *").first.text_content()
    button(page, "Show the result").click()
    page.wait_for_selector(".tricks")
    text = said_in_view(page)
    assert "No swing against the system's auction." in text
    assert "The system bids this deal in the same way." in text
    assert "Par: 120 points for North-South" in text
    assert page.locator("#evening-score").text_content() == "1 board, 0 IMPs against the system"
    no_compiler_words(text)
    # the evening is there after the page was closed
    page.reload()
    page.wait_for_selector("#evening-score")
    assert page.locator("#view .seat").count() == 4
    button(page, "Next board").click()
    page.wait_for_selector(".game-table")
    assert visit.state()["ask"] != code
    page.get_by_role("link", name="Board 1").click()
    page.wait_for_selector(".own-call")
    assert visit.state()["ask"] == code


def test_a_mistake_is_told_with_its_reason(visit, code):
    page = begin(visit, code)
    call(visit, "three notrump")
    visit.wait_said("The auction is over: three notrump by North")
    page.wait_for_selector(".own-call .missed")
    first = page.locator(".own-call").first
    assert "the system bids 2♣" in first.text_content()
    assert re.search(r"3NT.* wants .*\d+.*points", first.text_content()), first.text_content()
    first.locator("summary").click()
    page.wait_for_selector(".own-call .kinds li")
    assert "points" in first.locator(".kinds").text_content()
    button(page, "Show the result").click()
    page.wait_for_selector(".tricks")
    assert "You lose 5 IMPs against the system's auction." in said_in_view(page)
    assert "−5 IMPs" in page.locator("#evening-score").text_content()
    page.locator("summary", has_text="The system's own auction").click()
    parting = page.locator(".place.parting")
    assert parting.text_content().startswith("2♣")
    no_compiler_words(said_in_view(page))
    # bid again, the other auction takes its place
    button(page, "Bid it again").click()
    call(visit, "pass")
    visit.wait_said("The auction is over")
    page.wait_for_selector(".own-call")
    assert page.locator("#evening-score ~ * tbody tr").count() == 1


def test_the_service_goes_away_in_the_middle(visit, code):
    without_engine(visit)
    page = begin(visit, code)
    page.route("**/v1/bid", lambda route: route.abort())
    call(visit, "two clubs")
    visit.wait_said("The service cannot be reached")
    assert page.locator(".game-table .place .call").count() == 3
    # nothing is lost, not even when the page is opened again meanwhile
    page.reload()
    page.get_by_role("alert").wait_for()
    assert page.locator(".game-table .place .call").count() == 3
    page.unroute("**/v1/bid")
    button(page, "Try again").click()
    visit.wait_said("North: two diamonds. East: pass. Your call")
    # one board is under way: whoever comes back without its link finds it
    page.goto("about:blank")
    visit.open("#view=bid")
    page.wait_for_function("code => location.hash.includes(code)", arg=code)
    page.wait_for_function("() => document.querySelectorAll('.game-table .place .call').length > 4")


def test_double_dummy_fails_and_is_asked_again(visit, code):
    page = begin(visit, code)
    call(visit, "three notrump")
    page.wait_for_selector(".own-call")
    page.route("**/v1/double-dummy", lambda route: route.fulfill(status=503, json={}))
    button(page, "Show the result").click()
    page.get_by_role("alert").wait_for()
    page.unroute("**/v1/double-dummy")
    button(page, "Try again").click()
    page.wait_for_selector(".tricks")


@pytest.mark.parametrize("script", [FULL, FORBIDDEN], ids=["full", "forbidden"])
def test_a_browser_that_keeps_nothing(browser, service, code, script):
    for visit in visiting(browser, service):
        visit.page.add_init_script(script)
        page = begin(visit, code)
        call(visit, "three notrump")
        page.wait_for_selector(".own-call")
        assert "This browser keeps nothing here" in said_in_view(page)
        button(page, "Show the result").click()
        page.wait_for_selector(".tricks")
        # as long as the page is there, so is the score
        button(page, "Next board").click()
        page.wait_for_selector(".game-table")
        assert "−5 IMPs" in page.locator("#evening-score").text_content()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "null",
        "7",
        '{"version":2,"value":{}}',
        '{"version":1,"value":{"boards":3}}',
        '{"version":1,"value":{"current":null,"boards":[{"code":"1x","table":"","calls":[]}]}}',
        '{"version":1,"value":{"current":{"code":"CODE","table":"","calls":["1S","1H"]},"boards":[]}}',
    ],
)
def test_what_another_version_kept_is_put_aside(visit, code, text):
    kept = text.replace("CODE", code)
    visit.page.add_init_script(
        f"if (!sessionStorage.seen) {{ sessionStorage.seen = 1; "
        f"localStorage.setItem('bidcascade.evening', {json.dumps(kept)}); }}"
    )
    page = begin(visit, code)
    assert "It was put aside" in said_in_view(page)
    assert page.evaluate("localStorage.getItem('bidcascade.evening.aside')") == kept
    call(visit, "three notrump")
    page.wait_for_selector("#evening-score")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2abcdefghijklmnopqrs", "another version of the page (2)"),
        ("1abc", "“1abc” is no board"),
        ("1AAAAAAAAAAAAAAAAAAA", "is no board"),
        ("1<script>", "is no board"),
    ],
)
def test_links_that_are_no_board(visit, text, told):
    page = visit.open(f"#view=bid&ask={text}").page
    visit.wait_said(told)
    assert told in page.locator("#view .notice.error").text_content()
    button(page, "Deal a new board").click()
    page.wait_for_selector(".game-table")


def test_boards_are_read_as_they_are_written(module):
    for number, row in enumerate(random_deals(20, seed=7).select(*HAND_COLUMNS).rows()):
        board = {
            "hands": [format_hand(hand) for hand in row],
            "dealer": number % 4,
            "seat": number // 5,
            "vulnerability": ("None", "NS", "EW", "Both")[number // 2 % 4],
        }
        text = module("boards/board_code", "writeBoard", board)["value"]
        assert module("boards/board_code", "readBoard", text)["value"] == board
        assert re.fullmatch(r"1[\w-]{19}", text)


def test_the_evening_is_bounded(module, code):
    over = ["P", "P", "P", "P"]
    module("games/evening", "storeCalls", code, "", over)
    for number in range(105):
        module("games/evening", "storeCalls", code, f"table-{number}", over)
    assert module("games/evening", "callsOf", code, "table-104")["value"] == over
    assert module("games/evening", "callsOf", code, "")["value"] == []


def test_a_game_has_its_own_keys(visit, code):
    page = begin(visit, code)
    before = visit.state()
    for key in ("n", "b", "a", "e", "Backspace", "ArrowLeft"):
        page.keyboard.press(key)
    assert visit.state() == before
    page.keyboard.press("x")
    visit.wait_said("double is not legal here")
    assert visit.state() == before


def test_the_deal_tells_double_dummy_when_asked(visit):
    deal = "#" + "&".join(f"{seat}={hand}" for seat, hand in zip("nesw", HANDS, strict=True))
    page = visit.open(f"{deal}&dealer=N&auction=1N-P-3N-P-P-P").page
    visit.wait_said("The auction is over")
    assert page.locator(".tricks").count() == 0
    button(page, "Double dummy").click()
    page.wait_for_selector(".tricks")
    text = page.locator("#double-dummy").text_content()
    assert "Contract: 3NT by North: 8 tricks, 1 down, 50 points for East-West" in text
    assert "5 IMPs better than par for East-West" in text
    # another deal is not told
    button(page, "New deal").click()
    page.wait_for_function("() => !document.querySelector('.tricks')")


@pytest.mark.parametrize("shape", some_in_check(2, "desk", "phone-dark", "desk-dark", "phone"))
def test_play_fits_and_follows_the_rules(browser, service, axe, pictures, code, shape):
    for visit in visiting(browser, service, **SHAPES[shape]):
        page = begin(visit, code)
        page.screenshot(path=pictures / f"{shape}-bid-bidding.png", full_page=True)
        call(visit, "three notrump")
        page.wait_for_selector(".own-call .missed")
        page.locator(".own-call summary").first.click()
        button(page, "Show the result").click()
        page.wait_for_selector(".tricks")
        page.wait_for_selector(".own-call .kinds li")
        page.wait_for_selector(".shown-call")
        page.screenshot(path=pictures / f"{shape}-bid-end.png", full_page=True)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= SHAPES[shape]["viewport"]["width"]
        assert axe(page, "#view") == []


def test_a_board_without_a_mouse(visit, code):
    page = begin(visit, code)
    page.locator(".game-table .bid[tabindex='0']").focus()
    press = page.keyboard.press

    def focused() -> str:
        name: str = page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")
        return name

    for key in ("ArrowDown", "ArrowLeft", "ArrowDown", "ArrowUp", "ArrowRight"):
        press(key)
    assert focused()
    page.locator(".game-table").get_by_role("button", name="two clubs", exact=True).focus()
    press("Enter")
    visit.wait_said("North: two diamonds. East: pass. Your call")
    # the focus comes back to the box after the others have called
    assert page.evaluate("document.activeElement.matches('.game-table .bid:not(:disabled)')")
    press("p")
    visit.wait_said("The auction is over")
    assert page.evaluate("document.activeElement.matches('.scene')")
    press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Next board"


ACTING = "Only boards on which I have something to bid"


def test_only_boards_on_which_one_has_to_act_are_dealt(visit):
    page = visit.open("#view=bid").page
    page.get_by_label(ACTING).check()
    for _ in range(5):
        before = visit.state()["ask"]
        button(page, "Deal a new board").click()
        page.wait_for_function("before => !location.hash.includes(before)", arg=before)
        page.locator(".game-table .box").wait_for()
        own = page.evaluate(
            """async code => {
                const { readBoard } = bidcascade("boards/board_code.js");
                const { ownAuction } = bidcascade("answers/compare.js");
                const board = readBoard(code);
                const calls = await ownAuction(board, "");
                return calls.filter((_, index) => (board.dealer + index) % 4 === board.seat);
            }""",
            visit.state()["ask"],
        )
        assert set(own) - {"P"}, own
    # the wish is remembered
    page.reload()
    assert page.get_by_label(ACTING).is_checked()


def test_where_no_board_has_a_call_to_make_that_is_told(visit):
    without_engine(visit)
    page = visit.open("#view=bid").page
    page.locator(".game-table .box").wait_for()
    page.get_by_label(ACTING).check()
    asked = []

    def passes(route: Any) -> None:
        deals = route.request.post_data_json["deals"]
        asked.append(len(deals))
        route.fulfill(json={"results": [{"auctions": [{"calls": ["P"] * 4}]} for _ in deals]})

    page.route("**/v1/auctions", passes)
    before = visit.state()["ask"]
    button(page, "Deal a new board").click()
    page.wait_for_selector("text=Of 200 deals there was none on which the system has a call")
    assert sum(asked) == 200
    assert visit.state()["ask"] != before
