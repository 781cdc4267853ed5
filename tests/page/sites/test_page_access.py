"""The page for everybody: keyboard only, small phones, dark and light, and axe's rules."""

from typing import Any

import pytest

from tests.page.boards.support_archives import ROUTES, FakeArchives, address_of
from tests.page.support_browser import visiting
from tests.support.examples import sized, some_in_check

pytestmark = pytest.mark.slow

HANDS = ["AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876"]
DEAL = (
    "#" + "&".join(f"{seat}={hand}" for seat, hand in zip("nesw", HANDS, strict=True)) + "&dealer=N"
)
OVER = "&auction=1N-P-2C-P-2D-P-2N-P-P-P"
VIEWS = {
    "call": (f"{DEAL}&vul=NS&auction=1N-P", ".close-calls"),
    "end": (f"{DEAL}{OVER}", ".folded"),
    "shown": (f"{DEAL}&vul=EW&auction=1N-P-2C-P&view=shown", ".bars li"),
    "auctions": (f"{DEAL}&view=auctions", ".tree li"),
    "compare": (f"{DEAL}&view=compare", ".compared"),
    "lead": (f"{DEAL}{OVER}&view=lead", "#lead-scoring"),
    "book": (f"{DEAL}&auction=1N-P&view=book", ".candidate"),
    "jobs": ("#view=jobs", "#view > *"),
    "archives": ("#view=archives", "#view > *"),
    "bid": ("#view=bid", ".game-table .box:not([inert])"),
    "practice": ("#view=practice", "#topic"),
    "cards": (f"{DEAL}{OVER}&view=cards", "#view .auction"),
    "handout": ("#view=handout&ask=2!Stayman!sayc!shipped!AAIHAAKyAIEHBQg", ".handout-hand"),
    "boards": ("#view=boards", "#view > *"),
    "systems": ("#view=systems", "#view > *"),
    "unknown": ("#dealer=E&vul=Both", ".candidate"),
}
SHAPES = {
    "desk": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {
        "viewport": {"width": 320, "height": 640}, "color_scheme": "light", "has_touch": True,
        "is_mobile": True, "reduced_motion": "reduce",
    },
}  # fmt: skip


@pytest.mark.parametrize("shape", some_in_check(2, "desk", "phone", "dark"))
def test_every_view_fits_and_follows_the_rules(browser, service, axe, pictures, shape):
    for visit in visiting(browser, service, **SHAPES[shape]):
        # in the check a phone shows the views that a desk does not
        first, step = sized((int(shape == "phone"), 2), (0, 1))
        for name, (fragment, ready) in [*VIEWS.items()][first::step]:
            page = visit.page
            page.goto("about:blank")
            visit.open(fragment)
            page.wait_for_selector(ready)
            page.wait_for_function("() => !document.querySelector('#view[aria-busy]')")
            if name == "call":
                # what is folded follows the rules as well
                page.locator(".all-calls > summary").click()
                page.wait_for_selector(".candidate.made")
            # what explains a view is folded, too
            page.locator("#about > summary").click()
            page.locator("#about-text").wait_for()
            page.screenshot(path=pictures / f"{shape}-{name}.png", full_page=True)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= SHAPES[shape]["viewport"]["width"], name
            # all rules for the whole page take seconds: once is enough for what stays the same
            if shape == "desk":
                assert axe(page, "html" if name == "call" else "#answer") == [], name
            elif shape == "dark":
                root = "html" if name == "call" else "#answer"
                assert axe(page, root, ["color-contrast"]) == [], name
            elif name == "call":
                assert axe(page, "html", ["target-size"]) == [], name


@pytest.mark.parametrize("shape", some_in_check(2, "dark", "phone", "desk"))
def test_boards_of_an_archive_fit_and_follow_the_rules(browser, service, axe, pictures, shape):
    for visit in visiting(browser, service, **SHAPES[shape]):
        page = visit.page
        page.route(ROUTES, FakeArchives().answer)
        asked = {"archive": "club", "auction": "1N P", "by": "sayc", "level": ["HCP_N > 15"]}
        visit.open(address_of(**asked))
        page.get_by_role("button", name="What is it worth?").click()
        page.wait_for_selector(".tiles")
        page.screenshot(path=pictures / f"{shape}-boards.png", full_page=True)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= SHAPES[shape]["viewport"]["width"]
        assert axe(page, "#view") == []


@pytest.mark.parametrize("form", ["Paste", "Write", "Pick cards"])
def test_entering_fits_and_follows_the_rules(browser, service, axe, pictures, form):
    for visit in visiting(browser, service, **SHAPES["phone"]):
        page = visit.open(DEAL).page
        page.get_by_role("button", name="Enter or paste").click()
        page.get_by_role("button", name=form, exact=True).click()
        page.screenshot(path=pictures / f"phone-enter-{form.replace(' ', '-')}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert axe(page, "#enter") == []


def test_dialogs_follow_the_rules(visit, axe, pictures):
    page = visit.open(DEAL).page
    visit.wait_said("North: one notrump")
    page.get_by_role("button", name="Help").click()
    page.screenshot(path=pictures / "help.png")
    assert axe(page, "#help-dialog") == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="What the words mean").click()
    page.screenshot(path=pictures / "words.png")
    assert axe(page, "#words-dialog") == []
    page.keyboard.press("Escape")
    page.evaluate("document.getElementById('key-dialog').showModal()")
    page.screenshot(path=pictures / "key.png")
    assert axe(page, "#key-dialog") == []


def focused(page: Any) -> str:
    text: str = page.evaluate(
        "(document.activeElement.getAttribute('aria-label') || document.activeElement.id"
        " || document.activeElement.textContent).trim()"
    )
    return text


def test_everything_without_a_mouse(visit):
    """From the first Tab to the reasons for a call, and a whole auction by hand."""
    page = visit.open(DEAL).page
    visit.wait_said("North: one notrump")
    press = page.keyboard.press
    press("Tab")
    assert focused(page) == "skip"
    press("Enter")
    assert focused(page) == "answer"
    assert "view=" not in page.evaluate("location.hash")
    # the first answer's reasons
    for _ in range(30):
        press("Tab")
        if page.evaluate("document.activeElement.matches('#view summary')"):
            break
    press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")
    # the box: one stop of the Tab key, arrows within
    page.locator(".bid[tabindex='0']").focus()
    assert page.locator(".bid[tabindex='0']").count() == 1
    while focused(page) != "one notrump":
        before = focused(page)
        press("ArrowRight")
        if focused(page) == before:
            press("ArrowDown")
            if focused(page) == before:
                press("ArrowLeft")
    press("Enter")
    visit.wait_said("East: ")
    assert visit.auction() == ["1NT"]
    # what was called cannot be called again: the focus went on to what can
    assert page.evaluate("document.activeElement.matches('.bid:not(:disabled)')")
    visible = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert visible == "solid"


def test_shortcuts(visit):
    page = visit.open(DEAL).page
    visit.wait_said("North: one notrump")
    press = page.keyboard.press
    press("1")
    press("n")
    visit.wait_said("East: ")
    press("x")
    visit.wait_said("South: ")
    press("x")
    visit.wait_said("West: ")
    assert visit.auction() == ["1NT", "X", "XX"]
    press("1")
    press("c")
    visit.wait_said("one club is not legal here")
    press("Backspace")
    visit.wait_said("South: ")
    press("p")
    visit.wait_said("West: ")
    press("ArrowLeft")
    press("ArrowLeft")
    visit.wait_said("East: ")
    assert visit.state()["at"] == "1"
    press("b")
    page.wait_for_function("() => !location.hash.includes('at=1')")
    press("Backspace")
    press("a")
    visit.wait_said("The auction is over")
    before = visit.state()["n"]
    press("n")
    visit.wait_said("looked at")
    assert visit.state()["n"] != before
    press("e")
    assert focused(page) == "paste"
    # letters written in a field are letters
    press("p")
    assert page.get_by_label("Paste", exact=True).input_value() == "p"
    assert visit.auction() == []
    press("Escape")
    press("?")
    page.get_by_role("checkbox", name="Keyboard shortcuts").uncheck()
    press("Escape")
    press("p")
    assert visit.auction() == []


def test_dark_and_light(browser, service):
    grounds = {}
    for scheme in ("light", "dark"):
        for visit in visiting(browser, service, color_scheme=scheme):
            page = visit.open(DEAL).page
            grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert grounds["light"] != grounds["dark"]


def test_who_wants_less_motion_gets_none(browser, service):
    for visit in visiting(browser, service, reduced_motion="reduce"):
        page = visit.open(DEAL).page
        moving = page.evaluate(
            """() => {
                const spinner = document.createElement('span');
                spinner.className = 'spinner';
                document.body.append(spinner);
                return getComputedStyle(spinner).animationName;
            }"""
        )
        assert moving == "none"


MEASURE = """() => {
    window.measured = {shift: 0, paint: 0, moved: []};
    const watch = (type, hear) => new PerformanceObserver(
        list => list.getEntries().forEach(hear)).observe({type, buffered: true});
    watch('layout-shift', entry => {
        if (entry.hadRecentInput) return;
        measured.shift += entry.value;
        measured.moved.push(...entry.sources.map(one => one.node?.id || one.node?.className));
    });
    watch('largest-contentful-paint', entry => { measured.paint = entry.startTime; });
}"""


@pytest.mark.parametrize("shape", some_in_check(1, "phone", "desk"))
def test_nothing_is_seen_to_move(browser, service, shape, capsys):
    """Layout shift and largest contentful paint of each view as it is opened."""
    moved = {}
    for name, (fragment, ready) in [*VIEWS.items()][:: sized(2, 1)]:
        for visit in visiting(browser, service, **SHAPES[shape]):
            visit.context.add_init_script(f"({MEASURE})()")
            page = visit.open(fragment).page
            page.wait_for_selector(ready)
            page.wait_for_function("() => !document.querySelector('#view[aria-busy]')")
            page.wait_for_function("() => measured.paint > 0")
            page.wait_for_timeout(300)
            found = page.evaluate("measured")
            with capsys.disabled():
                print(f"{shape} {name}: moved {found['shift']:.4f}, paint {found['paint']:.0f} ms")
            if found["shift"] >= 0.01:
                moved[name] = found["moved"]
    assert moved == {}
