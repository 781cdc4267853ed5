"""The page as a folder: from a host whose network goes away, from a disk, and its joined script."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidcascade.bridge import parse_deal
from bidcascade.kernels.core.functions import solve_tables
from bidcascade.page.bundle import bundle
from bidcascade.page.theme_deals import DEALS, theme_deals
from bidcascade.service.cli import DONE, main
from tests.page.support_browser import Visit, open_view, put_text, serving, visiting
from tests.page.test_page_flows import DEAL, SYSTEM_AUCTION, button
from tests.service.cli.test_cli_page import NO_DEALS
from tests.support.examples import some_in_check
from tests.support.systems import SMALL_SYSTEM

pytestmark = pytest.mark.slow

KEPT = "navigator.serviceWorker.ready.then(() => caches.keys())"
TWO_KEPT = """async () => {
    for (let tries = 0; (await caches.keys()).length < 2; tries += 1) {
        if (tries > 200) throw new Error(`kept: ${await caches.keys()}`);
        await new Promise(go => setTimeout(go, 100));
    }
}"""
OWN = "my #1 system"
"""Name of a system whose file has a name that an address cannot hold as it is."""


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> Path:
    """File of a system of one's own."""
    path = tmp_path_factory.mktemp("texts") / f"{OWN}.bidding"
    path.write_text(SMALL_SYSTEM, "utf-8")
    return path


@pytest.fixture(scope="module")
def folder(texts, tmp_path_factory) -> Path:
    """Folder with two systems, which a test that changes it copies."""
    site: Path = tmp_path_factory.mktemp("page") / "site"
    assert main(["page", *NO_DEALS, "--out", str(site), "sayc", str(texts)]) == DONE
    return site


def bids(visit: Visit, address: str) -> None:
    """Bid a deal, have a call explained, and bid by the other system."""
    visit.page.goto(f"{address}{DEAL}&dealer=N&vul=NS")
    visit.wait_said("North: one notrump, Strong notrump")
    button(visit.page, "System's auction").click()
    visit.wait_said("The auction is over: two notrump by North")
    assert visit.auction() == SYSTEM_AUCTION
    visit.page.get_by_role("link", name="two clubs by South", exact=True).click()
    visit.wait_said("South: two clubs")
    assert visit.page.locator(".reason").text_content() == (
        "You have 8 points, 3 hearts and 4 spades. "
        "2♣ wants 8+ points, 4 hearts or 4 spades, at most 5 hearts and at most 5 spades."
    )
    open_view(visit.page, "Shown")
    visit.wait_said("North 15–17 points")
    assert "Strong notrump: 15-17 points" in visit.page.locator(".shown-call").first.text_content()
    open_view(visit.page, "Call")
    visit.page.locator("#table-choice").select_option(OWN)
    button(visit.page, "Clear").click()
    visit.wait_said("North: one notrump, Strong notrump")
    button(visit.page, "System's auction").click()
    visit.wait_said("The auction is over: two diamonds by North")


def edits(visit: Visit) -> None:
    """Change a line of a shipped system, see what hands it changes, and bid with it."""
    visit.page.locator("#table-choice").select_option("sayc")
    open_view(visit.page, "Edit a system")
    visit.page.wait_for_function("() => document.querySelector('textarea')?.value.length > 0")
    field = visit.page.get_by_label("Text of the page", exact=True)
    text = field.input_value()
    assert text.count("Strong notrump: 15-17") == 1
    put_text(field, text.replace("Strong notrump: 15-17", "Strong notrump: 12-14"))
    visit.page.locator(".changes li").first.wait_for()
    button(visit.page, "Bid with it").click()
    visit.page.locator(".headline").wait_for()
    assert visit.page.locator("#table-choice").input_value() == "my sayc"
    visit.page.evaluate("location.hash = '#n=AQ32.K32.QJ3.432&dealer=N&vul=None&table=my%20sayc'")
    visit.wait_said("North: one notrump, Strong notrump")
    # it is there before the first question when the page is opened again
    visit.page.reload()
    visit.wait_said("North: one notrump, Strong notrump")


def wait_for_workers(visit: Visit, count: int) -> None:
    """Wait until so many workers are left; the browser tells of their end a little later."""
    for _ in range(200):
        if len(visit.page.workers) == count:
            return
        visit.page.wait_for_timeout(50)
    assert len(visit.page.workers) == count


def test_themes_and_handouts_need_no_service(browser, folder):
    visits = visiting(browser, folder.as_uri())
    visit = next(visits)
    page = visit.page
    page.goto(f"{folder.as_uri()}/index.html#view=practice&dealer=N")
    page.get_by_label("Theme", exact=True).select_option(label="Weak twos")
    page.get_by_label("Hands for a class of the theme").fill("6")
    page.get_by_role("button", name="Handout of the theme").click()
    page.locator(".handout-sheet.answers .handout-hand").nth(5).wait_for(timeout=90_000)
    names = page.locator(".handout-sheet.answers").inner_text()
    assert "Weak two" in names
    # other hands each time, all of the folder's
    deals = page.evaluate("globalThis.bidcascadeThemes.map((one) => one.deals.length)")
    assert len(deals) == len(theme_deals())
    assert set(deals) == {DEALS}
    assert next(visits, None) is None


@pytest.mark.parametrize("has_workers", some_in_check(1, True, False))
def test_a_deal_is_solved_without_a_service(browser, folder, has_workers):
    visits = visiting(browser, folder.as_uri())
    visit = next(visits)
    if not has_workers:
        visit.context.add_init_script("delete globalThis.Worker")
    page = visit.page
    page.goto(f"{folder.as_uri()}/index.html{DEAL}&dealer=N&vul=NS&auction=1N-P-3N-P-P-P")
    visit.wait_said("The auction is over")
    button(page, "Double dummy").click()
    page.get_by_text("Par: ").wait_for()
    rows = [
        [int(cell) for cell in row.locator("td").all_text_contents()]
        for row in page.locator(".tricks tbody tr").all()
    ]
    hands = dict(part.split("=") for part in DEAL.removeprefix("#").split("&"))
    deal = parse_deal("N:" + " ".join(hands[seat] for seat in "nesw"))
    table = solve_tables(np.array(deal.hands, np.uint64)[:, None])[0].reshape(4, 5)
    assert rows == [table[seat, ::-1].tolist() for seat in (0, 2, 1, 3)]
    assert "Contract: 3NT by North: " in page.locator("#double-dummy").text_content()
    # the engine that solved ends, that which bids does not
    wait_for_workers(visit, int(has_workers))
    button(page, "Hide double dummy").click()
    page.locator(".tricks").wait_for(state="detached")
    # nothing is left of work that nobody waits for
    button(page, "Double dummy").click()
    button(page, "Hide double dummy").click()
    page.wait_for_function("() => !document.querySelector('.tricks, #double-dummy .busy')")
    wait_for_workers(visit, int(has_workers))
    assert next(visits, None) is None


def test_a_browser_without_webassembly_says_so(browser, folder):
    visits = visiting(browser, folder.as_uri())
    visit = next(visits)
    visit.context.add_init_script("delete globalThis.Worker; delete globalThis.WebAssembly")
    visit.page.goto(f"{folder.as_uri()}/index.html{DEAL}&dealer=N&vul=NS")
    button(visit.page, "Double dummy").click()
    told = visit.page.locator("#double-dummy .notice.error")
    told.wait_for()
    assert "WebAssembly" in told.text_content()
    assert next(visits, None) is None


@pytest.mark.parametrize("has_workers", [True, False])
def test_from_a_disk(browser, folder, has_workers):
    visits = visiting(browser, folder.as_uri())
    visit = next(visits)
    if not has_workers:
        visit.context.add_init_script("delete globalThis.Worker")
    bids(visit, f"{folder.as_uri()}/index.html")
    assert len(visit.page.workers) == has_workers
    assert next(visits, None) is None


def test_without_a_network_after_the_first_visit(browser, folder):
    with serving(folder) as url:
        visits = visiting(browser, url)
        visit = next(visits)
        visit.open()
        visit.page.evaluate(KEPT)
    # the host is gone, too
    visit.context.set_offline(True)
    bids(visit, f"{url}/")
    bids(visit, f"{url}/index.html")
    edits(visit)
    assert next(visits, None) is None


def test_a_new_version_takes_the_place_of_the_old_one(browser, folder, texts, tmp_path):
    folder = Path(shutil.copytree(folder, tmp_path / "site"))
    # a host tells versions apart by the second
    os.utime(folder / "sw.js", (0, 0))
    with serving(folder) as url:
        visits = visiting(browser, url)
        visit = next(visits)
        visit.open()
        old = visit.page.evaluate(KEPT)
        assert main(["page", *NO_DEALS, "--out", str(folder), str(texts), "--force"]) == DONE
        # it is looked for while the old one is shown, and there when that was closed
        visit.open("?")
        visit.page.evaluate(TWO_KEPT)
        kept = []
        for _ in range(20):
            # the browser takes its time to see that the old one is closed
            visit.page.close()
            visit.page = visit.context.new_page()
            kept = visit.open().page.evaluate(KEPT)
            if len(kept) == 1:
                break
        assert len(kept) == 1
        assert kept != old
        options = visit.page.locator("#table-choice option")
        options.first.wait_for(state="attached")
        assert options.all_text_contents() == [OWN]
        assert next(visits, None) is None


# --- the joined script ----------------------------------------------------------------------------

MODULES = {
    "main.js": """
import { log } from "./log.js";
import "./effect.js";
import data from "./deep/data.js";
import * as ring from "./ring.js";
import { counted as count, twice } from "./again.js";
export async function told() {
  const late = await import("./late.js");
  const again = await import("./late.js");
  return [...log, data.deep, ring.even(4), count, twice(3), late.here, again === late];
}
export function odd(n) { return n > 0 && ring.even(n - 1); }
globalThis.told = told();
""",
    "log.js": "export const log = [];\n",
    "effect.js": 'import { log } from "./log.js";\nlog.push("effect");\n',
    "deep/data.js": 'import { log } from "../log.js";\nlog.push("data");\n'
    'export default { "deep": "found" };\n',
    "ring.js": 'import { odd } from "./main.js";\nexport { even };\n'
    "function even(n) { return n === 0 || odd(n - 1); }\n",
    "again.js": 'export { count as counted } from "./count.js";\nexport * from "./count.js";\n',
    "count.js": "const count = 1;\nexport { count };\nexport class Never {}\n"
    "export function twice(n) { return 2 * n; }\n",
    "late.js": 'import { log } from "./log.js";\nlog.push("late");\n'
    "export const here = log.length;\n",
}


@pytest.fixture
def empty(browser) -> Iterator[Any]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_joined_script_does_what_its_modules_do(empty):
    text = bundle(MODULES, ["main.js"], "run")
    told = empty.evaluate(f'() => {{ {text} run("main.js"); return told; }}')
    empty.route(
        "**/*",
        lambda route: route.fulfill(
            body=MODULES.get(route.request.url.partition("test/")[2], ""),
            content_type="text/javascript" if route.request.url.endswith("js") else "text/html",
        ),
    )
    empty.goto("http://modules.test/")
    assert told == empty.evaluate("import('/main.js').then(() => told)")
    assert told == ["effect", "data", "late", "found", True, 1, 6, 3, True]


def test_a_script_of_one_entry_leaves_out_what_that_does_not_need(empty):
    run = bundle(MODULES, ["main.js", "count.js"], "run")
    count = empty.evaluate(f"() => {{ {run} return run('count.js', true); }}")
    assert "twice" in count
    assert "effect" not in count
    assert empty.evaluate("text => (0, eval)(text)", count) is None
    told = empty.evaluate(f"() => {{ {run} (0, eval)(run('main.js', true)); return told; }}")
    assert told == ["effect", "data", "late", "found", True, 1, 6, 3, True]
