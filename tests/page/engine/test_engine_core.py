"""The engine's core in the browser: bytes that are none, other versions, memory that has an end."""

import pytest

from bidcascade.kernels.dealing import deal_hands
from bidcascade.systems.language.text_cache import rows_of_tree
from bidcascade.systems.system import System
from tests.page.engine.support_engine import as_holdings
from tests.page.support_browser import visiting
from tests.support.examples import some_in_check

pytestmark = pytest.mark.slow

USE = """async (load, how) => {
    const { useCore } = await load("core");
    const bytes = new Uint8Array(await (await fetch("/engine/core.wasm")).arrayBuffer());
    const { WebAssembly } = globalThis;
    const given = {
        none: () => { delete globalThis.WebAssembly; return bytes; },
        empty: () => new Uint8Array(),
        cut: () => bytes.slice(0, bytes.length / 2),
        page: () => new TextEncoder().encode("<!doctype html>"),
        absent: () => Promise.reject(new Error("/engine/core.wasm: 404")),
    };
    try {
        await useCore(given[how]());
        return null;
    } catch (error) {
        return [error.name, error.status, error.message];
    } finally {
        globalThis.WebAssembly = WebAssembly;
    }
}"""


@pytest.mark.parametrize("how", ["none", "empty", "cut", "page", "absent"])
def test_what_is_no_core_is_told(engine, how):
    name, status, message = engine(USE, how)
    assert (name, status) == ("NoCore", "missing")
    if how == "none":
        assert message == "this browser has no WebAssembly"
    else:
        assert message.startswith("the engine's core does not start: ")


def test_a_core_of_another_version_is_told(browser, static_url):
    for visit in visiting(browser, static_url):
        visit.page.route(
            "**/core_version.js",
            lambda route: route.fulfill(
                body='export default "0123456789abcdef";', content_type="text/javascript"
            ),
        )
        visit.page.goto(f"{static_url}/icon.svg")
        told = visit.page.evaluate(
            """() => import("/engine/index.js").then(
                () => null, (error) => [error.name, error.status, error.message])"""
        )
        assert told[:2] == ["NoCore", "version"]
        assert told[2].startswith("expected version 0123456789abcdef of the engine's core, got ")


SMALLER = """async (load, [rows, pages]) => {
    const { Core, useCore } = await load("core");
    const { systemOfRows } = await load("language/rows");
    const { System } = await load("bidding/system");
    const bytes = new Uint8Array(await (await fetch("/engine/core.wasm")).arrayBuffer());
    const read = (at) => {
        let [value, shift, end] = [0, 0, at];
        do {
            value |= (bytes[end] & 127) << shift;
            shift += 7;
            end += 1;
        } while (bytes[end - 1] & 128);
        return [value, end];
    };
    // the section of the memory has its least and most pages
    let limited = null;
    for (let at = 8; at < bytes.length;) {
        const [size, start] = read(at + 1);
        if (bytes[at] === 5) {
            const [, least] = read(start + 2);
            const [most, end] = read(least);
            const changed = [];
            // as many bytes as before
            for (let place = least; place < end; place += 1) {
                changed.push((pages >> 7 * (place - least)) & 127 | (place < end - 1 ? 128 : 0));
            }
            limited = bytes.slice();
            limited.set(changed, least);
        }
        at = start + size;
    }
    try {
        await useCore(limited);
        const system = new System(systemOfRows(rows));
        const hand = "AQ4.KJ3.K876.Q52";
        const ask = () => {
            try { return system.bid(hand).call; }
            catch (error) { return `${error.name}: ${error.message}`; }
        };
        const told = [ask(), ask()];
        await useCore(bytes);
        return [...told, ask()];
    } finally {
        await useCore(bytes);
    }
}"""


@pytest.mark.parametrize("pages", some_in_check((1,), 20, 100, 400))
def test_memory_that_does_not_grow_is_told_and_given_back(engine, pages):
    rows = rows_of_tree(System.open("sayc").text)
    first, again, whole = engine(SMALLER, [rows, pages])
    assert first == again
    assert "the engine has no memory left" in first
    # what was asked before does no harm to what comes
    assert whole == "1N"


def test_a_policy_that_forbids_it_is_told(browser, static_url):
    for visit in visiting(browser, static_url):
        visit.page.route(
            "**/empty.html",
            lambda route: route.fulfill(
                body="<!doctype html>",
                content_type="text/html",
                headers={"Content-Security-Policy": "script-src 'self'"},
            ),
        )
        visit.page.goto(f"{static_url}/empty.html")
        told = visit.page.evaluate(
            """() => import("/engine/index.js").then(
                () => null, (error) => [error.name, error.status])"""
        )
        assert told == ["NoCore", "missing"]
        # the browser's own words about its policy
        visit.errors.clear()


def test_deals_of_a_seed_are_those_of_python(engine):
    seeds = [0, 1, 2026, 2**40 + 3, 2**53 - 1]
    told = engine(
        """async (load, seeds) => {
            const { randomDeal } = await load("places/cells");
            return seeds.map(seed => Array.from({ length: 40 }, (_, at) => randomDeal(seed, at)));
        }""",
        seeds,
    )
    for seed, deals in zip(seeds, told, strict=True):
        hands = deal_hands(seed, 0, 40)
        for number, deal in enumerate(deals):
            assert deal == [as_holdings(int(hand)) for hand in hands[:, number]]
