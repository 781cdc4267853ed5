"""Options of each shipped system on the page: its tick is what is bid, a click changes it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bidcascade.engine.browser_system import browser_system
from bidcascade.page.page_folder import page_files, write_page
from bidcascade.systems import named_systems, open_system
from bidcascade.systems.language.reader import read_system
from bidcascade.systems.language.reading.options import option_rows
from tests.page.support_browser import Visit, open_view, visiting
from tests.support.examples import sized, some_in_check
from tests.support.options import PROBES
from tests.support.service import ready_server

pytestmark = pytest.mark.slow

SYSTEMS = ("sayc", "two-over-one", "acol", "precision", "light-openings")
CALL = """async ([hand, auction]) => (await bidcascade("api.js").post("/v1/bid", {
    hand, auction, dealer: "N", vulnerability: "None",
    table: document.querySelector("#table-choice").value,
})).call"""
"""The call of the system that the header names, as every view asks for it."""


WAYS = sorted(
    [pytest.param(way, name) for way in ("served", "folder") for name in SYSTEMS],
    # in the check every system once, and both ways
    key=lambda one: (SYSTEMS.index(one.values[1]) % 2 == 0) != (one.values[0] == "served"),
)
"""Where the page comes from, and the system that is switched."""


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("options")
    with ready_server(table=SYSTEMS[0], extra_tables=",".join(SYSTEMS[1:]), data_folder=folder) as (
        url,
        _,
    ):
        yield url


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """The page as files, opened from a disk; it has no topics, which take long to find."""
    site: Path = tmp_path_factory.mktemp("options") / "site"
    systems = [(name, {**browser_system(open_system(name)), "topics": []}) for name in SYSTEMS]
    write_page(dict(page_files(systems, None)), site)
    return site.as_uri() + "/index.html"


@pytest.fixture(params=["served", "folder"])
def opened(request, browser) -> Iterator[Callable[[str], Visit]]:
    """Open the page with a system chosen, at the view of systems."""
    address = request.getfixturevalue(request.param)
    visits = visiting(browser, address.removesuffix("/index.html"), color_scheme="dark")
    visit = next(visits)
    visit.context.set_default_timeout(120_000)

    def show(name: str) -> Visit:
        end = "" if address.endswith(".html") else "/"
        visit.page.goto(f"{address}{end}#view=systems&table={name}")
        visit.page.wait_for_selector(".switches input", state="attached")
        visit.page.click(".switches summary")
        return visit

    yield show
    assert next(visits, None) is None


def ticks(visit: Visit) -> dict[str, bool]:
    found: list[tuple[str, bool]] = visit.page.locator(".switches input").evaluate_all(
        "all => all.map(one => [one.name.slice('option-'.length), one.checked])"
    )
    return dict(found)


def turn(visit: Visit, option: str, *, is_on: bool) -> None:
    """Click an option, and wait until it was turned."""
    # what was said of the option before would end the wait at once
    visit.page.evaluate("document.querySelector('#live').textContent = ''")
    visit.page.click(f".switches input[name='option-{option}']")
    visit.page.wait_for_function(
        """([name, told]) => document.querySelector(`input[name='option-${name}']`).checked
            === told.isOn && document.querySelector("#live").textContent.endsWith(told.said)
            && document.querySelector("#table-choice").value.startsWith("my ")""",
        arg=[option, {"isOn": is_on, "said": ": played." if is_on else ": not played."}],
    )


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("opened", "name"), some_in_check((2, 3), *WAYS), indirect=["opened"])
def test_each_tick_is_what_is_played_and_a_click_changes_it(opened, name):
    assert {*SYSTEMS} == {*named_systems()}
    visit = opened(name)
    rows = {row["name"]: row for row in option_rows(read_system(name))}
    text = {option: row["on"] for option, row in rows.items()}
    assert ticks(visit) == text
    for row in rows.values():
        label = visit.page.locator(".switches label", has_text=row["title"]).filter(
            has=visit.page.locator(f"[name='option-{row['name']}']")
        )
        assert row["about"] in label.inner_text()
    probes = [one for one in PROBES if one.system == name]
    assert {one.option for one in probes} == {*rows}
    for probe in probes[:: sized(4, 1)]:
        asked, is_on = [probe.hand, [*probe.auction]], text[probe.option]
        assert visit.page.evaluate(CALL, asked) == probe.call(is_on=is_on), probe
        turn(visit, probe.option, is_on=not is_on)
        assert visit.page.evaluate(CALL, asked) == probe.call(is_on=not is_on), probe
        turn(visit, probe.option, is_on=is_on)
        assert visit.page.evaluate(CALL, asked) == probe.call(is_on=is_on), probe
        assert ticks(visit) == text
    # a copy of the system that was chosen is chosen now, here and in the header
    assert visit.state()["table"] == f"my {name}"
    assert visit.page.input_value("#table-choice") == f"my {name}"
    assert visit.page.input_value("#system-choice") == f"my {name}"


@pytest.mark.parametrize("opened", some_in_check(1, "folder", "served"), indirect=True)
def test_the_header_and_the_view_are_one_choice(opened):
    visit = opened("acol")
    page = visit.page
    assert page.input_value("#system-choice") == "acol"
    page.select_option("#table-choice", "precision")
    page.wait_for_function("() => document.querySelector('#system-choice')?.value === 'precision'")
    page.wait_for_function("() => document.querySelectorAll('.switches input').length === 1")
    page.select_option("#system-choice", "two-over-one")
    page.wait_for_function("() => document.querySelector('#table-choice').value === 'two-over-one'")
    page.wait_for_function("() => document.querySelectorAll('.switches input').length > 9")
    assert visit.state()["table"] == "two-over-one"
    # a click goes on from there, and is seen on the card and after a reload
    page.click(".switches summary")
    turn(visit, "landy", is_on=False)
    # what is turned off with others is turned on with them
    turn(visit, "keycards", is_on=False)
    assert not ticks(visit)["queen-ask"]
    turn(visit, "queen-ask", is_on=True)
    assert ticks(visit)["keycards"]
    open_view(page, "Convention card")
    off = page.locator(".card-options").nth(1)
    off.wait_for()
    assert "Landy" in off.inner_text()
    page.reload()
    page.locator(".card-options").nth(1).get_by_text("Landy").wait_for()
    open_view(page, "Edit a system")
    page.wait_for_selector(".switches input", state="attached")
    page.wait_for_function("() => document.querySelectorAll('.switches input').length > 9")
    assert ticks(visit)["landy"] is False
    # forgotten, the shipped one is chosen again
    page.click("#system-forget")
    page.wait_for_function("() => document.querySelector('#table-choice').value === 'two-over-one'")
    page.wait_for_function("() => document.querySelector('[name=option-landy]')?.checked")


def test_a_raise_of_diamonds(opened):
    """Bid at the table as a player sees it."""
    visit = opened("sayc")
    page = visit.page
    place = "#n=K2.A43.KQ876.432&dealer=S&vul=None&auction=1D-P&table="
    page.evaluate("address => { location.hash = address; }", f"{place}sayc")
    page.locator(".headline", has_text="3♦").wait_for()
    open_view(page, "Edit a system")
    page.wait_for_selector(".switches input", state="attached")
    page.click(".switches summary")
    turn(visit, "inverted-minors", is_on=True)
    open_view(page, "Deal")
    page.locator(".headline", has_text="2♦").wait_for()
    assert page.input_value("#table-choice") == "my sayc"
