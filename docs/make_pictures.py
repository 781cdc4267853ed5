"""Make the pictures of the page in the browser: every view, on two screens, light and dark.

Run ``python -m docs.make_pictures`` from the root of the checkout, with bidcascade's extra
``browser``, Pillow and Chromium installed; ``--only call --full`` looks at one view in its whole
length. The pictures go to ``build/pictures`` with the page that shows them, where the site finds
both. ``--keep`` replaces the few in ``docs/pictures``, which other pages show and git keeps. Deals,
auctions and seeds are fixed, and what tells of the time is replaced, so that a picture changes only
when the page does (leads also where a machine is too busy to solve all their deals).
"""

import argparse
import io
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import httpx
import polars as pl
from PIL import Image

from benchmarks.tools.browser import Visit, chromium, visiting
from benchmarks.tools.server import ready_server
from bidcascade.engine.archive.bidding import ArchiveEngine
from bidcascade.loaders import deal_arrays, format_lin, random_deals, write_lin
from bidcascade.service.cli import DONE
from bidcascade.service.cli import main as command

KEPT: Final = Path(__file__).with_name("pictures")
MADE: Final = Path(__file__).parents[1] / "build" / "pictures"
COLOURS: Final = 96
BOARDS: Final = 100

HANDS: Final = ("AQ4.KJ3.K876.Q52", "K95.Q872.A54.KT3", "J876.A65.Q93.J94", "T32.T94.JT2.A876")
DEAL: Final = "#" + "&".join(
    [*(f"{seat}={hand}" for seat, hand in zip("nesw", HANDS, strict=True)), "dealer=N", "vul=NS"]
)
AUCTION: Final = "1N-P-2C-P-2D-P-2N-P-P-P"
SET: Final = "1!Stayman!1N-P~N~None~K52.AQ83.9876.J2!1N-P~S~NS~Q7.K852.AJ43.965"


class Width(NamedTuple):
    """A screen: how wide, how much of a page is shown, and what makes it that screen."""

    pixels: int
    most: int
    options: dict[str, Any]


WIDTHS: Final = {
    "desk": Width(1280, 900, {}),
    "phone": Width(390, 1200, {"is_mobile": True, "has_touch": True}),
}
SCHEMES: Final = ("light", "dark")


def button(visit: Visit, name: str) -> Any:
    """Button of a name."""
    return visit.page.get_by_role("button", name=name, exact=True)


def call(visit: Visit) -> None:
    """Show a call with its reason."""
    visit.open(f"{DEAL}&auction={AUCTION}&at=2")
    visit.page.wait_for_selector(".close-calls")


def shown(visit: Visit) -> None:
    """Show what an auction has shown."""
    visit.open(f"{DEAL}&auction={AUCTION}&at=6&view=shown")
    visit.page.wait_for_selector(".hand-card svg")


def auctions(visit: Visit) -> None:
    """Show all auctions of the deal."""
    visit.open(f"{DEAL}&view=auctions")
    visit.page.wait_for_selector("#view .tree, #view ul")


def compare(visit: Visit) -> None:
    """Show the auctions of two systems."""
    visit.open(f"{DEAL}&view=compare")
    visit.wait_said("differ")


def lead(visit: Visit) -> None:
    """Show leads, best first."""
    visit.open(f"{DEAL}&auction={AUCTION}&view=lead")
    button(visit, "Find the best lead").click()
    visit.page.wait_for_selector("#view table")


def book(visit: Visit) -> None:
    """Show a place of the system book."""
    visit.open(f"{DEAL}&auction=1N-P&view=book")
    visit.page.wait_for_selector("#view .candidates")


def boards(visit: Visit) -> None:
    """Show boards that were pasted."""
    visit.open(f"{DEAL}&view=boards")
    lin = "".join(format_lin(made_up_boards(12)))
    visit.page.evaluate(
        """async text => bidcascade("deal/enter_deal.js").usePasted(text, () => {})""", lin
    )
    visit.page.wait_for_selector("#view .board-parts .place")


def card(visit: Visit) -> None:
    """Show the convention card."""
    visit.open("#view=card")
    visit.page.wait_for_selector(".card-sheet")


def bid(visit: Visit) -> None:
    """Bid a board, and show what the system says to it."""
    board = {"hands": HANDS, "dealer": 0, "vulnerability": "None", "seat": 2}
    code = visit.open().page.evaluate(
        """async board => bidcascade("boards/board_code.js").writeBoard(board)""", board
    )
    visit.open(f"#view=bid&ask={code}")
    visit.page.locator(".game-table .box:not([inert])").wait_for()
    button(visit, "three notrump").click()
    visit.page.wait_for_selector(".own-call .missed")
    visit.page.wait_for_selector("text=Strong notrump: 15-17 points")


def cards(visit: Visit) -> None:
    """Declare a hand, with dummy's card to play."""
    visit.open(f"{DEAL}&auction=1N-P-3N-P-P-P")
    button(visit, "Play it out").click()
    button(visit, "Declare as North").click()
    visit.page.locator(".card-button").first.wait_for()


def practice(visit: Visit) -> None:
    """Miss a hand of Stayman."""
    visit.open(f"#view=practice&ask={quote(SET)}")
    visit.page.locator(".game-table .box:not([inert])").wait_for()
    button(visit, "two notrump").click()
    visit.page.wait_for_selector(".verdict")


def systems(visit: Visit) -> None:
    """Change a line of a system, and show the hands that it changes."""
    visit.open("#view=systems")
    text = visit.page.locator("#view textarea")
    text.wait_for()
    text.fill(text.input_value().replace("or 12+ points", "or 13+ points", 1))
    text.evaluate("one => { one.setSelectionRange(0, 0); one.scrollTop = 0; }")
    visit.page.wait_for_selector(".changes li")


def archives(visit: Visit) -> None:
    """Show boards of an archive."""
    asked = quote("archive=club&auction=1N P&by=sayc")
    visit.open(f"#view=archives&ask={asked}")
    visit.page.wait_for_selector(".trail")
    button(visit, "What is it worth?").click()
    visit.page.wait_for_selector(".tiles")


def jobs(visit: Visit) -> None:
    """Show jobs that were sent."""
    visit.open("#view=jobs")
    visit.page.wait_for_selector(".job.done")


VIEWS: Final[dict[Callable[[Visit], None], str]] = {
    call: "a call, why it is made, and what came close",
    shown: "what the calls have shown",
    auctions: "all auctions of a deal",
    compare: "two systems on a deal",
    lead: "opening leads, best first",
    book: "the book of a system, call by call",
    card: "the convention card of a system",
    boards: "boards that were pasted, beside what the system bids",
    bid: "a board that was bid against the system, and its mistake",
    cards: "a hand played out, with dummy's card to play",
    practice: "a hand of Stayman that was missed",
    systems: "a system's text with a line changed, and the hands that are bid differently",
    archives: "boards of an archive, what follows, what it is worth",
    jobs: "jobs that were sent",
}


def picture_name(view: str, width: str, scheme: str) -> str:
    """Name of a picture's file."""
    return f"{view}-{width}-{scheme}.png"


def pictures_page() -> str:
    """Text of the page that shows all pictures."""
    kinds = [(of, scheme) for of in WIDTHS for scheme in SCHEMES]
    heads = " | ".join(f"{of}, {scheme}" for of, scheme in kinds)
    rows = [
        f"| {caption} | "
        + " | ".join(
            f"![{caption}: {of}, {scheme}](pictures/{picture_name(view.__name__, of, scheme)})"
            for of, scheme in kinds
        )
        + " |"
        for view, caption in VIEWS.items()
    ]
    return (
        "# Pictures of the page\n\n"
        "Every view of [the page in the browser](web.md) on a desk and its answer on a phone. The\n"
        "boards are made up. `python -m docs.make_pictures` makes the pictures and this page.\n\n"
        f"| view | {heads} |\n|{' --- |' * (1 + len(kinds))}\n" + "\n".join(rows) + "\n"
    )


# --- what the pictures show -----------------------------------------------------------------------


def made_up_boards(count: int) -> pl.DataFrame:
    """Random boards of a club evening, bid by Acol."""
    frame = random_deals(count, seed=8)
    return frame.with_columns(
        ArchiveEngine("acol", "cpu").bid(deal_arrays(frame))["auction"],
        pl.int_range(1, count + 1).cast(frame["board"].dtype).alias("board"),
        pl.lit(["Ada", "Bo", "Cy", "Di"], frame["players"].dtype).alias("players"),
        pl.lit("Club evening").alias("event"),
    )


def fill(url: str, folder: Path) -> None:
    """Make an archive and a job of made-up boards."""
    file = folder / "evening.lin"
    write_lin(made_up_boards(BOARDS), file)
    for action in (["add", "club", str(file)], ["bid", "club", "sayc"], ["solve", "club"]):
        if command(["archive", *action, "--folder", str(folder / "archives")]) != DONE:
            raise SystemExit(f"bidcascade archive {action[0]} failed")
    query = {"name": file.name, "mode": "first", "result": "parquet,pbn"}
    httpx.post(
        f"{url}/v1/jobs",
        params=query,
        content=file.read_bytes(),
        headers={"Content-Type": "application/octet-stream"},
    ).raise_for_status()


def wait_until_warm(browser: Any, url: str) -> None:
    """Wait until the page no longer tells that systems are being made ready."""
    for visit in visiting(browser, url):
        visit.open().page.wait_for_selector(".ready", state="detached", timeout=600_000)


def steady(route: Any) -> None:
    """Answer with times that are the same each time."""
    response = route.fetch()
    text = response.text()
    for name, value in (
        ("elapsed_ms", "2500"),
        ("seconds", "0.1"),
        ("created", '"2026-01-01T20:00:00Z"'),
    ):
        text = re.sub(rf'("{name}":\s*)("[^"]*"|[\d.]+)', rf"\g<1>{value}", text)
    route.fulfill(response=response, body=text)


def make_picture(
    browser: Any, url: str, view: Callable[[Visit], None], width: Width, scheme: str, most: int
) -> Image.Image:
    """One view on one screen, from its top, in few colours."""
    options = {"color_scheme": scheme, "reduced_motion": "reduce", "timezone_id": "UTC"}
    viewport = {"width": width.pixels, "height": 900}
    visits = visiting(browser, url, viewport=viewport, **options, **width.options)
    visit = next(visits)
    visit.context.set_default_timeout(120_000)
    visit.page.route(re.compile("/v1/(interpret|jobs|leads)"), steady)
    view(visit)
    visit.page.wait_for_function(
        "() => !document.querySelector('.busy, [aria-busy], .stale, .ready')"
    )
    visit.page.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
    top = 0
    # on a phone the answer stands below the deal and its auction
    below = visit.page.locator("#board:visible + #answer")
    if width.pixels < 600 and below.count():
        height = visit.page.evaluate("document.documentElement.scrollHeight")
        visit.page.set_viewport_size({"width": width.pixels, "height": height})
        top = round(below.bounding_box()["y"]) - 8
    whole = Image.open(io.BytesIO(visit.page.screenshot(full_page=True)))
    visit.page.unroute_all(behavior="ignoreErrors")
    for _ in visits:
        pass
    shown = (0, top, width.pixels, min(whole.height, top + most))
    return in_few_colours(whole.convert("RGB").crop(shown))


def in_few_colours(picture: Image.Image) -> Image.Image:
    """Picture in its commonest colours, so that grounds and letters stay what they are."""
    found = picture.getcolors(picture.width * picture.height)
    assert found is not None
    # a red sign is small, but says something
    weighed = sorted(found, key=lambda one: -one[0] * (1 + max(one[1]) - min(one[1])))
    commonest = [colour for _, colour in weighed[:COLOURS]]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in commonest for part in colour])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def main(arguments: list[str]) -> None:
    """Make all pictures, or some."""
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("--only", nargs="*", default=[], help="names of views")
    parser.add_argument("--full", action="store_true", help="whole pages, however long")
    parser.add_argument("--out", type=Path, default=MADE, help="folder")
    parser.add_argument("--keep", action="store_true", help="replace the pictures that git keeps")
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        settings = {"data_folder": folder / "data", "archives_folder": folder / "archives"}
        with (
            ready_server(table="sayc", extra_tables="acol", **settings) as (url, _),
            chromium() as browser,
        ):
            fill(url, folder)
            wait_until_warm(browser, url)
            for view in VIEWS:
                if asked.only and view.__name__ not in asked.only:
                    continue
                for of, width in WIDTHS.items():
                    for scheme in SCHEMES:
                        most = 20_000 if asked.full else width.most
                        picture = make_picture(browser, url, view, width, scheme, most)
                        file = asked.out / picture_name(view.__name__, of, scheme)
                        picture.save(file, optimize=True)
                        print(file, *picture.size, file.stat().st_size)
    if not asked.only:
        (asked.out / "pictures.md").write_text(pictures_page(), "utf-8")
    for kept in KEPT.iterdir() if asked.keep else ():
        shutil.copyfile(asked.out / kept.name, kept)


if __name__ == "__main__":
    main(sys.argv[1:])
