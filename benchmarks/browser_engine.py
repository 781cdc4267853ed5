"""The engine in a browser: is it the reference, how long takes a call, how many places a second.

Run ``python -m benchmarks.browser_engine`` from the repository's root with the packages on the path
and Chromium and playwright installed. Deals are bid by the definition and by the engine, half of
them with a call put in that the system does not make; every place, state, meaning and choice must
be equal. Then another page, which has loaded nothing, bids deals that it has not seen, and the page
as a folder is opened from the disk until its first call is drawn.
"""

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from bidcascade.engine.browser_system import browser_system
from bidcascade.page.page_folder import page_files, write_page
from bidcascade.systems import named_systems
from bidcascade.systems.language.text_cache import rows_of_tree
from bidcascade.systems.reference.place_entries import Expander
from bidcascade.systems.system import System
from tests.page.engine.support_places import (
    assert_engine_agrees,
    bid_by_reference,
    deals_of,
    forced_calls,
)
from tests.support.deals import mixed_deals

from .tools.browser import chromium, serving, visiting, write_static_files
from .tools.machine import environment
from .tools.programs import options, table, write_report

SEED = 20_261_125
_TIMED = """async (name, deals) => {
    const start = performance.now();
    const load = (module) => import(`/engine/${module}.js`);
    const names = ["index", "calls"];
    const asked = fetch(`/${name}.json`).then((answer) => answer.json());
    const [{ load: loadSystem }, { Auction }, rows] =
        await Promise.all([...names.map(load), asked]);
    const system = loadSystem(rows);
    const bidder = system.bidder();
    const known = new Set();
    const times = [];
    let first = null;
    for (const { hands, contexts } of deals) {
        let auction = new Auction();
        while (!auction.isComplete) {
            const { calls } = auction;
            const seat = calls.length % 4;
            const asked = performance.now();
            const [entry] = bidder.chosen(calls, [hands[seat]], contexts[seat]);
            const answered = performance.now();
            const key = calls.join();
            if (first !== null && !known.has(key)) times.push(answered - asked);
            known.add(key);
            first ??= answered - start;
            auction = auction.add(entry?.call ?? 0);
        }
    }
    const fresh = times.sort((one, other) => one - other);
    const at = (share) => fresh[Math.min(fresh.length - 1, Math.floor(share * fresh.length))];
    const total = fresh.reduce((sum, time) => sum + time, 0);
    return {
        first, median: at(0.5), most: at(0.95), worst: fresh.at(-1), places: times.length,
        second: (1000 * fresh.length) / total,
    };
}"""


_DRAWN = """new Promise((tell) => {
    const isDrawn = () => document.querySelector("#view .headline") !== null;
    const told = () => requestAnimationFrame(() => setTimeout(() => tell(performance.now())));
    if (isDrawn()) told();
    const watch = new MutationObserver(() => {
        if (!isDrawn()) return;
        watch.disconnect();
        told();
    });
    watch.observe(document, { childList: true, subtree: true });
})"""
"""Milliseconds since the page was asked for when the first call stands there."""
_DEAL = "n=AK52.AQ3.976.KJ2&dealer=N&vul=None"


def compare(browser: Any, url: str, name: str, auctions: int) -> dict[str, int]:
    """Bid by definition and engine; raises where they differ."""
    system = System.open(name)
    expander = Expander(system.rules)
    found = {"auctions": 0, "places": 0}
    seen: set[str] = set()
    for visit in visiting(browser, url):
        visit.page.goto(f"{url}/index.html")
        visit.page.evaluate("import('/engine/index.js').then(() => {})")

        def engine(source: str, given: object = None, page: Any = visit.page) -> Any:
            return page.evaluate(
                f"given => ({source})(name => import(`/engine/${{name}}.js`), given)", given
            )

        for seed in range(SEED, SEED + auctions // 200):
            deals = mixed_deals(100, seed)
            bid = bid_by_reference(expander, deals, [{}] * 100)
            put_in = [
                forced_calls(seed + deal, [call for call, *_ in made])
                for deal, made in enumerate(bid.choices)
            ]
            for expected in (bid, bid_by_reference(expander, deals, put_in)):
                assert_engine_agrees(engine, [("one", system), ("other", system)], expected)
                found["auctions"] += len(expected.choices)
                seen.update(expected.places)
    return found | {"places": len(seen)}


def measure(browser: Any, url: str, name: str, deals: int) -> dict[str, float]:
    """Times of a page that has loaded nothing: milliseconds, places and places a second."""
    for visit in visiting(browser, url):
        visit.page.goto(f"{url}/index.html")
        told = visit.page.evaluate(
            f"([name, deals]) => ({_TIMED})(name, deals)",
            [name, deals_of(mixed_deals(deals, SEED - 1))],
        )
    return {
        "first call, ms": round(told["first"]),
        "a call, median ms": round(told["median"], 2),
        "95 %": round(told["most"], 2),
        "worst": round(told["worst"], 1),
        "fresh places": told["places"],
        "fresh places a second": round(told["second"]),
    }


def from_disk(browser: Any, folder: Path, visits: int) -> dict[str, float]:
    """Times from opening the page as a folder, of one system, until its first call is drawn."""
    times = []
    for _ in range(visits):
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script(f"globalThis.firstCall = {_DRAWN}")
        page.goto(f"{folder.as_uri()}/index.html#{_DEAL}")
        times.append(page.evaluate("firstCall"))
        context.close()
    return {
        "first call from disk, ms": round(statistics.median(times)),
        "least": round(min(times)),
        "most": round(max(times)),
    }


def main() -> None:
    """Run and write ``browser_engine.md`` and ``browser_engine.json`` to the results."""
    given = options(
        __doc__,
        auctions=(3_100, "auctions of each system that are compared"),
        deals=(1_000, "deals that are timed"),
        visits=(20, "times that the page is opened from the disk"),
        systems=(sorted(named_systems()), "systems by name"),
    )
    told: dict[str, Any] = {"environment": environment(), "deals": given.deals}
    told |= {"visits": given.visits, "systems": {}}
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = Path(temporary)
        write_static_files(folder)
        (folder / "index.html").write_text("<!doctype html><link rel=icon href=data:,>")
        with serving(folder) as url:
            for name in given.systems:
                rows = json.dumps(rows_of_tree(System.open(name).text), separators=(",", ":"))
                (folder / f"{name}.json").write_text(rows)
                site = folder / f"site-{name}"
                write_page(dict(page_files([(name, browser_system(System.open(name)))])), site)
                times = from_disk(browser, site, given.visits)
                times |= measure(browser, url, name, given.deals)
                equal = compare(browser, url, name, given.auctions)
                told["systems"][name] = {
                    **{f"equal {what}": count for what, count in equal.items()},
                    **times,
                }
        told["browser"] = browser.version
    write_report(given.out, "browser_engine", told, page(told))


def page(told: dict[str, Any]) -> list[str]:
    """Results as Markdown."""
    systems = told["systems"]
    columns = list(next(iter(systems.values())))
    return [
        "# The engine in a browser",
        "",
        f"`python -m benchmarks.browser_engine`; Chromium {told['browser']}, "
        f"{told['environment']['cpu']}, {told['environment']['cores']} cores. Equal are the places "
        "(entries in order with criteria, states, knowledge, meanings, words) and the choices of "
        "whole auctions, half of them with a call that the system does not make. The first call "
        "from disk is that of the page as a folder, from when it is asked for until it is drawn, "
        f"median of {told['visits']} visits that keep nothing. The other first call "
        "counts from before the modules and the system's rows are fetched from loopback; the "
        f"others are those at {told['deals']:,} deals' fresh places.",
        "",
        *table(("system", *columns), ([name, *one.values()] for name, one in systems.items())),
    ]


if __name__ == "__main__":
    main()
