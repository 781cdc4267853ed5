"""The page with its engine in the browser: what the service is still asked, what goes wrong."""

import re
from urllib.parse import urlsplit

import pytest

from bidcascade.kernels.core.library import expected_version
from bidcascade.page.joined_files import ENGINE_SCRIPT, joined_files
from bidcascade.page.static_files import static_files
from tests.page.support_browser import Visit, open_view, visiting
from tests.page.test_page_flows import DEAL, SYSTEM_AUCTION, button
from tests.support.examples import rows_in_check, some_in_check

pytestmark = pytest.mark.slow

LOADED = """async (names) => {
  const { loadEngine } = typeof bidcascade === "undefined"
    ? await import("/static/engine_client.js") : bidcascade("engine_client.js");
  await loadEngine(names);
}"""
ASK = """async ([path, body]) => {
  const { post } = typeof bidcascade === "undefined"
    ? await import("/static/api.js") : bidcascade("api.js");
  try { return await post(path, body); } catch (error) { return error.message; }
}"""
WORKER = "**/engine/bidcascade.js"
MODULE_WORKER = "**/engine/worker.js"
SILENT = "addEventListener('message', () => {});"
NEEDED = {"/v1/interpret"}
"""What is counted over deals that the service finds sooner."""


def asked_since(visit: Visit, number: int) -> set[str]:
    """Paths that were asked of the service."""
    paths = {urlsplit(one).path for one in visit.requests[number:]}
    return {path for path in paths if path.startswith("/v1/")}


@pytest.fixture(
    params=some_in_check((0, 3), "worker", "page", "worker of modules", "page of modules")
)
def loaded(request, visit) -> Visit:
    """Page whose engine is there: in a worker, or beside the page where the worker cannot start."""
    place, _, modules = request.param.partition(" of ")
    if place == "page":
        visit.page.route(MODULE_WORKER if modules else WORKER, lambda route: route.abort())
    visit.open(f"{modules and '?modules'}{DEAL}&dealer=N&vul=NS")
    visit.wait_said("North: one notrump, Strong notrump")
    visit.page.evaluate(LOADED, ["sayc", "acol"])
    return visit


def test_bidding_asks_nothing_of_the_service(loaded):
    page, before = loaded.page, len(loaded.requests)
    button(page, "System's call").click()
    loaded.wait_said("East: pass")
    button(page, "System's auction").click()
    loaded.wait_said("The auction is over: two notrump by North")
    assert loaded.auction() == SYSTEM_AUCTION
    assert "Strong notrump: 15-17 points" in page.locator(".shown-call").first.text_content()
    open_view(page, "Compare")
    loaded.wait_said("They differ at call 1: North calls 1NT in sayc")
    for _ in range(3):
        open_view(page, "Call")
        button(page, "New deal").click()
        page.wait_for_selector(".headline .reason")
        button(page, "System's auction").click()
        loaded.wait_said("The auction is over")
    assert asked_since(loaded, before) <= NEEDED


def test_what_the_engine_does_not_know_is_asked_of_the_service(loaded):
    page, before = loaded.page, len(loaded.requests)
    # where no system has a line it passes, as the service does
    silent = {"hand": "AQ4.KJ3.K876.Q52", "auction": ["7N", "X", "XX"], "table": "sayc"}
    answer = page.evaluate(ASK, ["/v1/bid", silent])
    assert answer["call"] == "P"
    assert asked_since(loaded, before) == set()
    hand = {"hand": "AQ4.KJ3.K876.Q52", "auction": []}
    assert page.evaluate(ASK, ["/v1/bid", {**hand, "simulate": {"layouts": 4}}])["simulation"]
    assert "/v1/bid" in asked_since(loaded, before)
    before = len(loaded.requests)
    said = page.evaluate(ASK, ["/v1/bid", {**hand, "auction": ["1Z"]}])
    assert said.startswith("Something in the request is wrong. Auction[0]: expected a call")
    assert asked_since(loaded, before) == set()


def test_an_engine_that_hangs_leaves_all_to_the_service(visit):
    page = visit.page
    page.route(WORKER, lambda route: route.fulfill(body=SILENT, content_type="text/javascript"))
    visit.open(f"{DEAL}&dealer=N&vul=NS")
    with page.expect_request(WORKER):
        visit.wait_said("North: one notrump, Strong notrump")
    button(page, "System's auction").click()
    visit.wait_said("The auction is over: two notrump by North")
    said = page.evaluate(
        """async () => {
          const { checkSystem } = bidcascade("engine_client.js");
          const now = performance.now.bind(performance);
          const begun = now();
          // half a minute goes by in a second
          performance.now = () => now() + 29 * (now() - begun);
          return checkSystem({ main: "x.bidding", files: {} }).catch((error) => error.message);
        }"""
    )
    assert said == "The answer took too long."


def scripts_of_another_version() -> dict[str, str]:
    """Engine's script as it is, but for the version of the core that it belongs to."""
    text = joined_files()[ENGINE_SCRIPT].content.decode()
    version = f"{expected_version():016x}"
    assert text.count(version) == 1
    return {"body": text.replace(version, "0"), "content_type": "text/javascript"}


@pytest.mark.parametrize(
    ("begin", "path", "answer", "said"),
    rows_in_check(
        (0, 2),
        ("", "core.wasm", {"status": 404}, "does not run WebAssembly on this page"),
        ("", "core.wasm", {"body": b"\0asm"}, "does not run WebAssembly on this page"),
        ("", "bidcascade.js", None, "are of different versions: load the page anew"),
        (
            "?modules",
            "core_version.js",
            {"body": 'export default "0";', "content_type": "text/javascript"},
            "are of different versions: load the page anew",
        ),
    ),
)
def test_a_page_without_its_core_says_so_and_asks_the_service(visit, begin, path, answer, said):
    answer = answer or scripts_of_another_version()
    visit.page.route(f"**/engine/{path}", lambda route: route.fulfill(**answer))
    visit.open(f"{begin}{DEAL}&dealer=N&vul=NS")
    visit.wait_said("North: one notrump, Strong notrump")
    visit.page.evaluate(LOADED, ["sayc", "acol"])
    visit.page.wait_for_selector(f"#messages :text('{said}')")
    before = len(visit.requests)
    button(visit.page, "System's auction").click()
    visit.wait_said("The auction is over: two notrump by North")
    assert "/v1/auctions" in asked_since(visit, before)


def test_systems_of_ones_own(loaded):
    files = {"mine.bidding": "system Mine\n\nopening:\n  1S = Always: 0+ points\n"}
    loaded.page.evaluate(
        """async (files) => {
          const { keepOwn } = typeof bidcascade === "undefined"
            ? await import("/static/systems/own_systems.js") : bidcascade("systems/own_systems.js");
          keepOwn({ name: "mine", base: "sayc", main: "mine.bidding", files });
        }""",
        files,
    )
    before = len(loaded.requests)
    loaded.page.evaluate("location.hash += '&table=mine'")
    loaded.wait_said("North: one spade, Always")
    open_view(loaded.page, "Shown")
    loaded.wait_said("North 0–")
    open_view(loaded.page, "System book")
    loaded.wait_said("2 calls for North in mine.")
    assert asked_since(loaded, before) <= {"/v1/tables", "/v1/tables/sayc/system"}


def files_asked(visit: Visit) -> list[str]:
    """Paths of the page's files that were asked for, but for its picture."""
    paths = [urlsplit(one).path for one in visit.requests]
    return sorted(path for path in paths if path.startswith("/static/") and path[-4:] != ".svg")


def test_the_page_comes_in_a_few_files(visit):
    visit.open(f"{DEAL}&dealer=N&vul=NS")
    visit.wait_said("North: one notrump, Strong notrump")
    visit.page.evaluate(LOADED, ["sayc"])
    assert files_asked(visit) == [
        f"/static/{name}"
        for name in ("bidcascade.css", "bidcascade.js", "engine/bidcascade.js", "engine/core.wasm")
    ]


def test_who_develops_loads_the_files_as_they_were_written(visit):
    visit.open(f"?modules{DEAL}&dealer=N&vul=NS")
    visit.wait_said("North: one notrump, Strong notrump")
    # the address of the next state keeps the wish
    button(visit.page, "System's call").click()
    visit.wait_said("East: pass")
    assert urlsplit(visit.page.url).query == "modules"
    asked = files_asked(visit)
    assert not [name for name in asked if "bidcascade" in name]
    own = {
        f"/static/{name}" for name in static_files() if re.fullmatch(r"(?!engine/)[\w/]+\.js", name)
    }
    assert own <= set(asked)


def test_the_page_is_drawn_before_the_engine_comes(browser, service):
    for visit in visiting(browser, service, viewport={"width": 1280, "height": 900}):
        visit.open(f"{DEAL}&dealer=N&vul=NS")
        drawn, begun = visit.page.evaluate(
            """async () => {
              const first = (type, test) => new Promise((resolve) => {
                new PerformanceObserver((list) => list.getEntries().filter(test).map(resolve))
                  .observe({ type, buffered: true });
              });
              const { startTime } = await first("resource", ({ name }) => name.endsWith("/system"));
              const entries = await new Promise((resolve) => {
                new PerformanceObserver((list) => resolve(list.getEntries()))
                  .observe({ type: "largest-contentful-paint", buffered: true });
              });
              return [entries.at(-1).startTime, startTime];
            }"""
        )
        assert drawn < begun
