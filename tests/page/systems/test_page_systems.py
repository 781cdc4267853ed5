"""The text of a system on the page: what is wrong with it, what a change does, files of it."""

import io
import random
import re
import zipfile
from urllib.parse import quote

import pytest

from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.system import System
from tests.page.support_browser import put_text, visiting
from tests.support.examples import some_in_check

pytestmark = pytest.mark.slow

STRONG = "1NT = Strong notrump: 15-17"
PAGES = sorted([*shipped_folder().glob("*.bidding"), *shipped_folder().glob("pages/*.bidding")])


def opened(visit, fragment="#view=systems"):
    visit.open(fragment)
    visit.page.wait_for_selector("textarea")
    visit.page.wait_for_function("() => document.querySelector('textarea')?.value.length > 0")
    return visit.page


def typed(page, old, new, after="opening,"):
    """Replace a piece of the text as a writer does."""
    page.evaluate(
        """([old, after]) => {
            const field = document.querySelector("textarea");
            const start = field.value.indexOf(old, field.value.indexOf(after));
            if (start < 0) throw new Error(`no ${old}`);
            field.focus();
            field.setSelectionRange(start, start + old.length);
        }""",
        [old, after],
    )
    page.keyboard.insert_text(new)


def test_a_change_is_followed_to_the_hands(visit):
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "14-16"))
    page.wait_for_selector(".changes li")
    first = page.inner_text(".changes li")
    assert "Strong notrump" in first
    assert "1NT" in first
    # kept under a name of its own, in the address and in the browser
    assert visit.state()["table"] == "my sayc"
    page.reload()
    page.wait_for_selector(".changes li")
    assert STRONG.replace("15-17", "14-16") in page.input_value("textarea")
    page.click("#system-use")
    page.wait_for_selector(".headline")
    assert page.input_value("#table-choice") == "my sayc"
    hand = "AQ32.K32.QJ3.Q32"
    page.goto(f"{visit.url}/#n={hand}&dealer=N&vul=None&table=my%20sayc")
    # only the address changes: what stood before stays until the new answer is drawn
    page.wait_for_function(
        "() => document.querySelector('#view').innerText.includes('Strong notrump')"
    )
    # another system is chosen, and the changes are forgotten
    page.goto(f"{visit.url}/#view=systems&ask=my%20sayc")
    page.click("#system-forget")
    page.wait_for_function(
        "() => !document.querySelector('#system-choice').innerText.includes('my sayc')"
    )
    page.wait_for_function(
        "old => document.querySelector('textarea')?.value.includes(old)", arg=STRONG
    )


def test_many_changes_leave_what_can_be_done_next_in_sight(visit):
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "12-14"))
    page.wait_for_selector(".changes li")
    seen = page.locator(".changes li:visible")
    assert seen.count() == 8
    page.get_by_text("further place").click()
    assert seen.count() > 8


def test_lines_below_a_header_are_indented_while_typing(visit):
    page = opened(visit)
    page.focus("textarea")
    page.keyboard.press("Control+End")
    page.keyboard.type("\nafter 1NT:  -- ours\n2NT = Ours: any hand\n(Double):\n3C = Clubs")
    assert page.input_value("textarea").endswith(
        "\nafter 1NT:  -- ours\n  2NT = Ours: any hand\n  (Double):\n    3C = Clubs"
    )


BALANCED = "n=AK32.K32.Q32.J32&e=QJ4.QJ4.KJ54.Q54&s=T98.A98.A876.K87&w=765.T765.T9.AT96"


def test_every_view_bids_with_the_text_as_it_is(visit):
    """What is changed after *Bid with it* is asked for anew, without a reload."""
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "13-15"))
    page.wait_for_selector(".changes li")
    page.click("#system-use")
    page.wait_for_selector(".headline")
    place = f"{visit.url}/#{BALANCED}&dealer=N&vul=None&table=my%20sayc"
    page.goto(place)
    page.locator(".headline", has_text="1NT").wait_for()
    deal = f'[Dealer "N"]\n[Deal "N:{" ".join(re.findall("=([^&]+)", BALANCED))}"]\n'
    page.evaluate(
        "text => bidcascade('deal/enter_deal.js').usePasted(text)",
        "\n".join(f'[Board "{number}"]\n[Vulnerable "None"]\n{deal}' for number in (1, 2)),
    )
    page.goto(f"{place}&view=boards")
    page.locator(".board-item", has_text="1NT").first.wait_for()
    page.goto(f"{place}&view=systems&ask=my%20sayc")
    page.wait_for_function("() => document.querySelector('textarea')?.value.includes('13-15')")
    typed(page, "13-15", "16-18")
    page.goto(place)
    page.locator(".headline", has_text="1♣").wait_for()
    page.goto(f"{place}&view=card")
    page.locator(".card-part", has_text="16–18").first.wait_for()
    page.goto(f"{place}&view=boards")
    page.locator(".board-item", has_text="1♣").first.wait_for()


def test_a_mended_text_is_asked_again(visit):
    """What its error was says nothing of it any more."""
    page = opened(visit)
    typed(page, "points, balanced", "points, balanced, {HPC > 3}", after=STRONG)
    page.locator("#view .notice.error, .complaints li").first.wait_for()
    page.goto(f"{visit.url}/#{BALANCED}&dealer=N&vul=None&table=my%20sayc")
    page.locator("#view .notice.error", has_text="HPC").wait_for()
    page.goto(f"{visit.url}/#{BALANCED}&view=systems&table=my%20sayc&ask=my%20sayc")
    page.wait_for_function("() => document.querySelector('textarea')?.value.includes('HPC')")
    typed(page, "HPC", "HCP", after=STRONG)
    page.goto(f"{visit.url}/#{BALANCED}&dealer=N&vul=None&table=my%20sayc")
    page.locator(".headline", has_text="1♣").wait_for()


OWN_VIEWS = ["call", "compare", "practice", "shown", "auctions", "book", "bid", "boards"]


@pytest.mark.parametrize("view", some_in_check(1, *OWN_VIEWS))
def test_a_system_of_ones_own_is_there_after_a_reload(visit, view):
    """The first answer is asked for by its name: no view says that there is none."""
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "12-14").replace("Strong", "Weak"))
    page.wait_for_selector(".changes li")
    deal = "n=AQ32.K32.QJ3.432&e=K54.QT9.K54.AT98&s=JT98.A54.A87.K65&w=76.J876.T962.QJ7"
    page.goto(f"{visit.url}/#{deal}&dealer=N&vul=None&table=my%20sayc&view={view}")
    for _ in range(2):
        page.reload()
        page.locator("#view:not([aria-busy]) > *").first.wait_for()
        told = page.inner_text("body")
        assert "There is no" not in told, told
        assert not page.locator(".notice.error").count(), told
    # the list of systems is asked for beside the answer
    page.wait_for_function("() => document.querySelector('#table-choice').value === 'my sayc'")
    if view == "call":
        assert "Weak notrump" in page.inner_text(".headline")


def test_a_text_that_this_browser_does_not_have_is_told(visit):
    page = opened(visit, "#view=systems&ask=my%20system")
    page.get_by_text("This browser has no system “my system”").wait_for()
    assert page.input_value("#system-choice") == "sayc"
    page.select_option("#system-choice", "acol")
    page.get_by_text("This browser has no system").wait_for(state="detached")


SWITCHED = """system Switched

opening:
  1NT = Strong notrump: 15-17 points, balanced

option weak-notrump:                        -- twelve to fourteen
  opening:
    1NT = Weak notrump: 12-14 points, balanced
option weak-twos, on:
  opening:
    2M = Weak two: 5-10 points, 6 M
without option weak-notrump:
  opening:
    1C = Club: 12+ points
"""


def switched(visit, tmp_path):
    page = opened(visit)
    (tmp_path / "switched.bidding").write_text(SWITCHED)
    page.set_input_files("#system-files", tmp_path / "switched.bidding")
    page.wait_for_function("() => document.querySelector('textarea')?.value.includes('Switched')")
    page.locator("#view .notice.info").wait_for()
    page.click(".switches summary")
    return page


def test_options_of_a_text_are_switches(visit, tmp_path):
    """Turned on and off they change what the text bids, here and after a reload."""
    page = switched(visit, tmp_path)
    boxes = page.locator(".switches input")
    assert boxes.evaluate_all("all => all.map(one => [one.name, one.checked])") == [
        ["option-weak-notrump", False],
        ["option-weak-twos", True],
    ]
    page.get_by_label("Weak notrump").check()
    page.wait_for_selector(".changes li")
    assert "Weak notrump" in page.inner_text(".changes")
    # what is turned back is as the text has it
    page.get_by_label("Weak notrump").uncheck()
    page.wait_for_function("() => document.querySelector('#view .notice.info')")
    page.get_by_label("Weak notrump").check()
    page.wait_for_selector(".changes li")
    page.reload()
    page.wait_for_function("() => document.querySelector('textarea')?.value.includes('Switched')")
    page.click(".switches summary")
    assert page.get_by_label("Weak notrump").is_checked()
    page.click("#system-use")
    page.wait_for_selector(".headline")
    name = page.input_value("#table-choice")
    page.goto(f"{visit.url}/#n=AQ32.K32.QJ3.432&dealer=N&vul=None&table={quote(name)}")
    page.wait_for_function(
        "() => document.querySelector('#view').innerText.includes('Weak notrump')"
    )


def test_a_turned_option_that_the_text_loses_is_no_mistake(visit, tmp_path):
    page = switched(visit, tmp_path)
    page.get_by_label("Weak twos").uncheck()
    page.wait_for_selector(".changes li")
    typed(page, "option weak-twos, on:", "option other, on:", after="system")
    page.locator(".switches input[name=option-other]").wait_for(state="attached")
    page.wait_for_function("() => document.querySelector('#view .notice.info')")
    assert not page.locator(".complaints li").count()


def test_what_stands_out_is_asked_with_the_options(visit, tmp_path):
    page = switched(visit, tmp_path)
    page.get_by_label("Weak notrump").check()
    page.wait_for_selector(".changes li")
    with page.expect_request("**/v1/systems/check") as asked:
        page.click("#system-check")
    assert asked.value.post_data_json["system"]["options"] == {"weak-notrump": True}
    page.locator("#view details:not(.switches)").first.wait_for()


def test_leads_by_a_system_of_ones_own(visit):
    """The service knows what it was made from, and the page says so."""
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "14-16"))
    page.wait_for_selector(".changes li")
    hands = "n=AQ32.K32.QJ3.432&e=K54.QT9.K54.AT98&s=JT98.A54.A87.K65&w=76.J876.T962.QJ7"
    auction = "auction=P-P-1C-P-1N-P-P-P"
    page.goto(f"{visit.url}/#{hands}&dealer=W&vul=None&table=my%20sayc&view=lead&{auction}")
    page.get_by_text("The service does not know my sayc").wait_for()
    page.get_by_role("button", name="Find the best lead").click()
    page.wait_for_selector("table.numeric tbody tr, .notice.error")
    assert "There is no" not in page.inner_text("#view")


def test_a_forgotten_system_is_offered_no_more(visit):
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "12-14"))
    page.wait_for_selector(".changes li")
    offered = "() => [...document.querySelectorAll('#table-choice option')].map(one => one.value)"
    page.wait_for_function(f"() => ({offered})().includes('my sayc')")
    page.click("#system-use")
    page.wait_for_selector(".headline")
    page.goto(f"{visit.url}/#view=systems&ask=my%20sayc")
    page.click("#system-forget")
    page.wait_for_function(f"() => !({offered})().includes('my sayc')")


def test_what_is_wrong_is_marked_where_it_stands(visit):
    page = opened(visit)
    typed(page, "points, balanced", "points, balansed", after=STRONG)
    page.wait_for_selector(".complaints li")
    assert '"balansed"? did you mean "balanced"' in page.inner_text(".complaints")
    assert page.inner_text(".shades .wrong") == "balansed"
    typed(page, "balansed", "balanced", after=STRONG)
    page.wait_for_selector(".complaints li", state="detached")
    # on another page of it too: the complaint leads there
    page.select_option("#system-page", "slam.bidding")
    page.evaluate("document.querySelector('textarea').setSelectionRange(0, 0)")
    page.focus("textarea")
    page.keyboard.insert_text("nonsense\n")
    page.wait_for_selector(".complaints li")
    page.select_option("#system-page", "sayc.bidding")
    page.click(".complaints button")
    assert page.input_value("#system-page") == "slam.bidding"
    place = "(({selectionStart: start}) => start)(document.querySelector('textarea'))"
    assert page.evaluate(place) == 0


def test_what_the_work_finds_wrong_is_marked_like_all_else(visit):
    """An expression that no hand can be tested by is found where its place is worked out."""
    page = opened(visit)
    typed(page, "points, balanced", "points, balanced, {Pattern}", after=STRONG)
    page.wait_for_selector(".complaints li")
    assert "in {Pattern}: expected Pattern in a comparison" in page.inner_text(".complaints")
    assert page.locator(".shades .wrong").count() == 1
    assert page.get_attribute("textarea", "aria-invalid") == "true"
    assert not page.locator("#view .notice").count()
    page.click("#system-better")
    page.locator("#view .notice", has_text="1 mistake in the system.").wait_for()
    # nor is it bid with
    page.click("#system-use")
    page.wait_for_function("() => document.querySelectorAll('#view .notice.error').length === 2")
    assert visit.state()["view"] == "systems"
    line = page.inner_text(".complaints button")
    assert re.fullmatch(r"sayc\.bidding, line \d+", line), line
    page.select_option("#system-page", "slam.bidding")
    page.click(".complaints button")
    assert page.input_value("#system-page") == "sayc.bidding"
    typed(page, ", {Pattern}", "", after=STRONG)
    page.wait_for_selector(".complaints li", state="detached")
    assert page.get_attribute("textarea", "aria-invalid") == "false"


def test_what_the_service_finds_wrong_is_marked_too(visit):
    page = opened(visit)
    page.route(
        "**/v1/systems/check",
        lambda route: route.fulfill(
            json={
                "result": None,
                "complaints": [
                    {
                        "system": "system",
                        "file": "system",
                        "line": 3,
                        "column": 2,
                        "message": "expected more",
                        "advice": "",
                    },
                ],
            }
        ),
    )
    page.click("#system-check")
    page.wait_for_selector(".complaints li")
    assert page.inner_text(".complaints li") == "sayc.bidding, line 3 expected more"


SMALL = f"""opening, 1st, 2nd, 3rd or 4th seat:
  {STRONG} points, balanced
  1C = Clubs: 12+ points
after 1NT:
  3NT = To play: 10+ points
"""
"""Ten thousand deals take a moment by it."""


def with_small_text(visit):
    page = opened(visit)
    put_text(page.locator("textarea"), SMALL)
    return page


def test_a_click_at_once_behind_typing_is_not_lost(visit):
    """What was typed is checked first, and does not end what was asked for."""
    page = with_small_text(visit)
    typed(page, STRONG, STRONG.replace("15-17", "13-15"))
    page.click("#system-many")
    page.get_by_text("of 10,000 random deals changes").wait_for(timeout=100_000)
    assert page.locator(".changes li").count()
    assert not page.get_by_text("Stopped").count()


def test_what_was_found_out_about_another_text_goes(visit):
    """Below a text stands nothing of the text before."""
    page = with_small_text(visit)
    typed(page, STRONG, STRONG.replace("15-17", "13-15"))
    page.wait_for_selector(".changes li")
    found = page.get_by_text("of 10,000 random deals changes")
    page.click("#system-many")
    found.wait_for(timeout=100_000)
    typed(page, "13-15", "16-18")
    found.wait_for(state="detached")
    # nor what was about to be found out
    page.click("#system-better")
    page.get_by_text("The new version plays against the old one").wait_for()
    typed(page, "16-18", "12-14")
    page.get_by_text("The new version plays against the old one").wait_for(state="detached")
    page.wait_for_selector(".changes li")
    assert not page.get_by_text("Stopped").count()


def test_ten_thousand_deals_can_be_stopped(visit):
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "16-18"))
    page.wait_for_selector(".changes li")
    page.click("#system-many")
    page.wait_for_function("() => Number(document.querySelector('#view progress').value) > 0")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()
    assert page.locator(".changes li").count() > 0


ENDLESS = """import "/static/engine/worker.js?own";
addEventListener("message", ({ data }) => {
  while (JSON.stringify(data).includes("-- without end"));
});
"""


def test_a_text_without_end_stops_the_engine_and_not_the_page(visit):
    """No text that keeps the core at work so long is known; the engine's thread is kept instead."""
    visit.page.route(
        re.compile(r"/engine/bidcascade\.js$"),
        lambda route: route.fulfill(body=ENDLESS, content_type="text/javascript"),
    )
    page = opened(visit)
    whole = page.input_value("textarea")
    # ten seconds pass for the page while one does
    page.evaluate("const now = performance.now(); performance.now = () => now + 10 * Date.now()")
    put_text(page.locator("textarea"), f"{whole}\n-- without end\n")
    page.get_by_text("The answer took too long.").wait_for(timeout=90_000)
    page.evaluate("delete performance.now")
    changed = whole.replace(STRONG, STRONG.replace("15-17", "14-16"))
    put_text(page.locator("textarea"), changed)
    page.wait_for_selector(".changes li")


def test_files_go_out_and_come_back(visit, tmp_path):
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "13-15"))
    page.wait_for_selector(".changes li")
    with page.expect_download() as one:
        page.click("#system-save-page")
    assert one.value.suggested_filename == "sayc.bidding"
    with page.expect_download() as all_of_them:
        page.click("#system-save-all")
    saved = tmp_path / "mine.zip"
    all_of_them.value.save_as(saved)
    with zipfile.ZipFile(saved) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "mine")
    mine = System.open(tmp_path / "mine" / "sayc.bidding")
    assert mine.bid("AQ32.K32.QJ3.Q32").entry.name == "Strong notrump"
    page.click("#system-forget")
    page.wait_for_function(
        "() => !document.querySelector('#system-choice').innerText.includes('my sayc')"
    )
    page.set_input_files("#system-files", saved)
    page.wait_for_function("() => document.querySelector('#system-choice').value === 'my sayc'")
    page.wait_for_function("() => document.querySelector('textarea')?.value.includes('13-15')")
    # a packed one too
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/other.bidding", "system Other\nopening:\n  1C = All: any hand\n")
    page.set_input_files("#system-files", tmp_path / "packed.zip")
    page.wait_for_function(
        "() => document.querySelector('textarea')?.value.startsWith('system Other')"
    )


@pytest.mark.parametrize("title", ["system Alone\n\n", ""])
def test_a_text_of_ones_own_is_opened_alone(visit, tmp_path, title):
    """And not beside the pages of the system that was shown, unless it includes them."""
    page = opened(visit)
    shown = "() => [...document.querySelectorAll('#system-page option')].map((one) => one.value)"
    assert len(page.evaluate(shown)) > 10
    text = f"{title}opening:\n  1C = Club: 12+ points\n  1D = Diamond: 8-11 points\n"
    (tmp_path / "alone.bidding").write_text(text)
    page.set_input_files("#system-files", tmp_path / "alone.bidding")
    page.wait_for_function("text => document.querySelector('textarea')?.value === text", arg=text)
    assert page.evaluate(shown) == ["alone.bidding"]
    # changes are told against the text as it was opened
    page.locator("#view .notice.info").wait_for()
    typed(page, "8-11", "7-11", after="opening")
    page.wait_for_selector(".changes li")
    assert "Diamond" in page.inner_text(".changes")
    put_text(page.locator("textarea"), text + 'include "doubles.bidding"\n')
    page.wait_for_function(f"() => ({shown})().length === 3")
    assert page.evaluate(shown) == ["alone.bidding", "doubles.bidding", "words.bidding"]
    with page.expect_download() as all_of_them:
        page.click("#system-save-all")
    all_of_them.value.save_as(tmp_path / "alone.zip")
    with zipfile.ZipFile(tmp_path / "alone.zip") as archive:
        assert sorted(archive.namelist()) == ["alone.bidding", "doubles.bidding", "words.bidding"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("deal.pbn", b"[Deal]", "None of these files is a system;"),
        ("broken.zip", b"PK\x03\x04 and no more", "cannot be read: its end is missing."),
        ("long.bidding", b"x" * 2_000_001, "These files are too long for a system."),
    ],
)  # fmt: skip
def test_wrong_files_are_refused(visit, tmp_path, name, content, told):
    page = opened(visit)
    (tmp_path / name).write_bytes(content)
    page.set_input_files("#system-files", tmp_path / name)
    page.locator(".notice.error").get_by_text(told).wait_for()
    assert "sayc" in page.input_value("#system-choice")


def test_a_browser_that_keeps_nothing_says_so(visit):
    visit.page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };"
    )
    page = opened(visit)
    typed(page, STRONG, STRONG.replace("15-17", "14-16"))
    page.wait_for_selector(".changes li")
    page.get_by_text("This browser keeps nothing more").wait_for()


def test_damaged_zip_files_are_told(visit):
    """No bytes make more than an error."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.bidding", "opening:\n  1C = All: any hand\n" * 40)
        archive.writestr("two.bidding", "-- nothing")
    whole = packed.getvalue()
    rng = random.Random(4)
    damaged = [whole[:cut] for cut in range(0, len(whole), 7)]
    for _ in range(150):
        bytes_ = bytearray(whole)
        bytes_[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        damaged.append(bytes(bytes_))
    told = visit.open().page.evaluate(
        """async (files) => {
            const { textsOfZip } = bidcascade("files/zip_files.js");
            return Promise.all(files.map((one) => textsOfZip(Uint8Array.from(one)).then(
                (texts) => [...texts.values()], (error) => error.message,
            )));
        }""",
        [list(one) for one in [whole, *damaged]],
    )
    texts = told[0]
    assert texts == ["opening:\n  1C = All: any hand\n" * 40, "-- nothing"]
    # what is not told is of no weight, such as a date: the texts are right
    assert all(isinstance(one, str) or set(one) <= set(texts) for one in told[1:])
    assert sum(isinstance(one, str) for one in told[1:]) > len(damaged) / 2


def test_colours_lose_no_letter(visit):
    lines = [line for path in PAGES for line in path.read_text("utf-8").splitlines()]
    lines.append("  1NT = Strong notrump: 15-17 points, balanced; #notrump  -- a remark")
    coloured = visit.open().page.evaluate(
        """async (lines) => lines.map(bidcascade("systems/bidding_text.js").colours)""", lines
    )
    assert ["".join(text for _, text in pieces) for pieces in coloured] == lines
    kinds = {text: kind for kind, text in coloured[-1]}
    assert kinds["1NT"] == "call"
    assert kinds["Strong notrump"] == "name"
    assert kinds["15-17"] == "number"
    assert kinds["#notrump"] == "tag"
    assert kinds["-- a remark"] == "remark"


def test_the_page_can_be_taken_along(visit, browser, tmp_path):
    """What is downloaded bids from a disk."""
    page = opened(visit)
    with page.expect_download(timeout=100_000) as waiting:
        page.get_by_text("Download the page").click()
    waiting.value.save_as(tmp_path / "page.zip")
    with zipfile.ZipFile(tmp_path / "page.zip") as packed:
        packed.extractall(tmp_path)
    site = (tmp_path / "bidcascade-page").as_uri()
    visits = visiting(browser, site)
    alone = next(visits).page
    alone.goto(f"{site}/index.html#n=AQ32.K32.QJ3.432&dealer=N")
    alone.wait_for_selector(".headline")
    assert "Strong notrump" in alone.inner_text("#view")
    assert next(visits, None) is None


def test_what_stands_out(visit, tmp_path):
    """The service checks the text with its pages, against what the other side is said to play."""
    page = opened(visit)
    texts = {
        "mine.bidding": 'system Mine\ninclude "answers"\nopening:\n'
        "  1NT = Strong notrump: 15-17 points, balanced\n",
        "answers.bidding": "after 1NT:\n  2C = Stayman: 8+ points; forcing\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    page.set_input_files("#system-files", [str(tmp_path / name) for name in texts])
    page.wait_for_function(
        "() => document.querySelector('textarea')?.value.startsWith('system Mine')"
    )
    page.select_option("#system-opponents", "acol")
    with page.expect_request("**/v1/systems/check") as asked:
        page.click("#system-check")
    body = asked.value.post_data_json
    assert body["system"] == {
        "text": texts["mine.bidding"],
        "pages": {"answers.bidding": texts["answers.bidding"]},
        "options": {},
    }
    assert body["opponents"] == {"table": "acol"}
    page.get_by_text("things to look at on 2,000 random deals").wait_for(timeout=100_000)
    page.get_by_text("Forced to call, and no line fits").click()
    assert "Stayman" in page.locator("details[open]").inner_text()
    # it can be stopped
    page.select_option("#system-opponents", "")
    page.click("#system-check")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()


TWICE = """system Mine

opening:
  1NT = Strong notrump: 15-17 points, balanced
  2D = Weak two: 5-10 points, 6+ diamonds
    2NT = Ask: 15+ points; forcing
    3D = Raise: 3+ diamonds
after 2D:
  2S = Own suit: 5+ spades, 10+ points
"""
MULTI = """  2D = Multi: 5-10 points, 6+ hearts or 6+ spades; artificial
    2H = Pass or correct: any hand
"""


OWN_NAME = """system Mine
define headed X = ace of X or king of X
define guarded X = 3+ X

opening:
  1NT = Mine: 15-17 points, headed hearts, 33+ combined points at best
"""


def test_a_name_that_a_text_defines_anew_keeps_its_own_words(visit, tmp_path):
    page = opened(visit)
    (tmp_path / "mine.bidding").write_text(OWN_NAME)
    page.set_input_files("#system-files", tmp_path / "mine.bidding")
    page.wait_for_function(
        "text => document.querySelector('textarea')?.value === text", arg=OWN_NAME
    )
    page.click("#system-use")
    page.wait_for_selector(".headline, .candidate")
    page.goto(f"{visit.url}/#dealer=N&view=book&table={visit.state()['table']}")
    description = page.locator(".candidate .description").first
    description.wait_for()
    assert description.inner_text() == (
        "15-17 points, headed hearts, 33+ combined points opposite a maximum"
    )


def test_a_second_meaning_is_told_beside_its_line(visit, tmp_path, pictures):
    """And whose the answers are; one button takes the old line out, another brings it back."""
    page = opened(visit)
    (tmp_path / "mine.bidding").write_text(TWICE)
    page.set_input_files("#system-files", tmp_path / "mine.bidding")
    page.wait_for_function("text => document.querySelector('textarea')?.value === text", arg=TWICE)
    page.locator("#view .notice.info").wait_for()
    assert page.locator(".meanings li").count() == 0
    # the new line stands above the old one
    put_text(page.locator("textarea"), TWICE.replace("  1NT", f"{MULTI}  1NT"))
    told = page.locator(".meanings li")
    told.wait_for()
    assert "2D, “Multi”, is also “Weak two” in line 7" in told.inner_text()
    assert "Answers to “Multi”: 2H (line 5)" in told.inner_text()
    assert "Answers to “Weak two”: 2NT (line 8), 3D (line 9)" in told.inner_text()
    assert "Answers to both, Multi and Weak two: 2S (line 11)" in told.inner_text()
    shown = page.locator(".shades").inner_text().split("\n")
    assert shown[3].endswith("artificial  ← 2D is also Weak two, line 7")
    page.screenshot(path=pictures / "double-meanings.png", full_page=True)
    told.get_by_role("button", name="line 7", exact=True).click()
    caret = "() => document.querySelector('textarea').selectionStart"
    with_both = page.input_value("textarea")
    assert with_both[page.evaluate(caret) :].startswith("2D = Weak two")
    page.get_by_role("button", name="Take “Weak two” out", exact=True).click()
    page.wait_for_function("() => !document.querySelector('textarea').value.includes('Weak two')")
    left = page.input_value("textarea")
    assert "Ask" not in left
    assert "Own suit" in left
    page.locator(".meanings li").wait_for(state="detached")
    page.get_by_role("button", name="Put it back", exact=True).click()
    assert page.input_value("textarea") == with_both
    page.locator(".meanings li").wait_for()
    page.get_by_role("button", name="Take “Weak two” out", exact=True).click()
    page.wait_for_function("left => document.querySelector('textarea').value === left", arg=left)
    page.keyboard.press("Control+z")
    page.wait_for_function(
        "both => document.querySelector('textarea').value === both", arg=with_both
    )


@pytest.mark.parametrize(
    ("line", "left"),
    [
        (2, "a:\n  3\nb:\n  5\n    6\n\n  8\n"),
        (5, "a:\n  2\n  3\nb:\n  8\n"),
        (8, "a:\n  2\n  3\nb:\n  5\n    6\n\n"),
    ],
)  # fmt: skip
def test_what_goes_with_a_line(module, line, left):
    text = "a:\n  2\n  3\nb:\n  5\n    6\n\n  8\n"
    rows = module("systems/double_meanings", "rowsOf", text, line)["value"]
    lines = text.split("\n")
    del lines[rows["from"] - 1 : rows["to"]]
    assert "\n".join(lines).replace("\n\n", "\n") == left.replace("\n\n", "\n")


def test_a_header_goes_with_its_last_line(module):
    text = "x:\n  1\n\nwhen y:\n  z:\n    -- remark\n    6\n      7\n\nw:\n  11\n"
    assert module("systems/double_meanings", "rowsOf", text, 7)["value"] == {"from": 4, "to": 8}
