"""A system of one's own in a link: as letters and back, damaged ones, and in another browser."""

import base64
import json
import random
import shutil
import subprocess
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from bidcascade.service.cli import DONE, main
from tests.page.boards.test_page_boards import drop
from tests.page.support_browser import visiting
from tests.service.cli.test_cli_page import NO_DEALS

STATIC = Path(__file__).parents[3] / "page" / "static"
SCRIPT = """
const { lettersOfSystem, systemOfLetters } = await import(process.argv[1]);
const told = [];
for (const [does, ...given] of JSON.parse(await new Response(process.stdin).text())) {
  try { told.push(await (does === "write" ? lettersOfSystem : systemOfLetters)(...given)); }
  catch (error) { told.push({ error: error.message }); }
}
console.log(JSON.stringify(told));
"""
TEXT = 'system Mine\nopening:\n  1C = “Größe”: 16+ points  -- "strong"\n'
SYSTEM: dict[str, Any] = {
    "name": "my Größe", "base": "sayc", "main": "mine.bidding",
    "files": {"mine.bidding": TEXT, "page two.bidding": "-- nothing\t\n"},
    "options": {"weak-twos": False}, "whole": 123,
}  # fmt: skip
DAMAGED = "damaged"


def asked(*requests: tuple[Any, ...]) -> list[Any]:
    """What the page's module answers, each a system, letters, None or an error."""
    command = [
        "node",
        "--input-type=module",
        "--eval",
        SCRIPT,
        "--",
        (STATIC / "systems/system_links.js").as_uri(),
    ]
    done = subprocess.run(
        command, input=json.dumps(requests), capture_output=True, text=True, check=True, timeout=60
    )
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def letters_of(content: Any, edition: str = "1.") -> str:
    """Letters as the format says, by another program than the page's."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = zlib.crc32(text).to_bytes(4, "big") + packer.compress(text) + packer.flush()
    return edition + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpacked(letters: str) -> Any:
    packed = base64.urlsafe_b64decode(letters[2:] + "=" * (-len(letters[2:]) % 4))
    text = zlib.decompress(packed[4:], -15)
    assert zlib.crc32(text) == int.from_bytes(packed[:4], "big")
    return json.loads(text)


def with_node(test: Any) -> Any:
    """Mark a test that runs the page's module without a browser."""
    test = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")(test)
    return pytest.mark.checkout(test)


@with_node
def test_letters_are_the_system_again():
    whole = SYSTEM["whole"]
    given = {name: value for name, value in SYSTEM.items() if name != "whole"}
    letters, again = asked(("write", given, whole), ("read", letters_of(SYSTEM)))
    assert again == unpacked(letters) == SYSTEM
    assert letters.removeprefix("1.").replace("-", "").replace("_", "").isalnum()


@with_node
def test_sixty_kilobytes_are_carried_and_no_more():
    text = "\n" * 29_999 + "ö" * 15_000 + "x"
    assert len(text.encode()) == 60_000
    one = {**SYSTEM, "files": {"mine.bidding": text}}
    chance = random.Random(3)
    mixed = "".join(chance.choices([chr(code) for code in range(32, 127)], k=60_000))
    hard = {**SYSTEM, "files": {"mine.bidding": mixed}}
    long = {**SYSTEM, "files": {"mine.bidding": text + "x"}}
    letters, hard_letters, none = asked(("write", one, 1), ("write", hard, 1), ("write", long, 1))
    assert none is None
    assert [found["files"] for found in asked(("read", letters), ("read", hard_letters))] == [
        one["files"],
        hard["files"],
    ]


RIGHT = letters_of(SYSTEM)
OTHER = {
    "": DAMAGED,
    "1.": DAMAGED,
    "1.AAA": DAMAGED,
    "no letters at all": DAMAGED,
    RIGHT[:-1] + "!": DAMAGED,
    RIGHT[: len(RIGHT) // 2]: DAMAGED,
    RIGHT.removeprefix("1."): DAMAGED,
    "2." + RIGHT[2:]: "later edition",
    "1." + "A" * 100_000: "too long",
    letters_of(b"x" * 50_000_000): "too long",
    letters_of(b"\xff\xfe"): "no system",
    letters_of(b"{"): "no system",
    **{
        letters_of(content): "no system"
        for content in [
            None, [], "text", {}, {**SYSTEM, "name": ""}, {**SYSTEM, "name": "x" * 81},
            {**SYSTEM, "name": "a\u202eb"}, {**SYSTEM, "name": ["a"]}, {**SYSTEM, "base": 1},
            {**SYSTEM, "main": "../mine.bidding"}, {**SYSTEM, "main": "mine.js"},
            {**SYSTEM, "files": {"a/b.bidding": ""}}, {**SYSTEM, "files": {"__proto__": ""}},
            {**SYSTEM, "files": {"a.bidding": None}}, {**SYSTEM, "files": []},
            {**SYSTEM, "options": {"weak": "on"}}, {**SYSTEM, "options": None},
            {**SYSTEM, "whole": "1"},
        ]
    },
}  # fmt: skip
"""Letters that are no system, and what is told of them."""


@with_node
def test_damaged_letters_are_told_in_a_sentence():
    for told, wanted in zip(asked(*(("read", one) for one in OTHER)), OTHER.values(), strict=True):
        assert wanted in told["error"]
        assert told["error"].endswith(".")
    # a letter that was changed anywhere: never another text
    chance = random.Random(5)
    changed = []
    for _ in range(300):
        place = chance.randrange(2, len(RIGHT))
        letter = chance.choice("ABCxyz019-_")
        if RIGHT[place] != letter:
            changed.append(RIGHT[:place] + letter + RIGHT[place + 1 :])
    for told in asked(*(("read", one) for one in changed)):
        # the last letter has bits that nothing is made of
        assert told == SYSTEM or "error" in told


# --- from one browser to another ------------------------------------------------------------------

STRONG = "1NT = Strong notrump: 15-17"
HAND = "AQ32.K32.QJ3.432"
PLACE = f"n={HAND}&dealer=N&vul=None"
COPIED = "() => globalThis.copied"


def copied(visit: Any, button: str = "#share") -> str:
    """The link that a button of the page copies."""
    page = visit.page
    page.evaluate("""() => {
        globalThis.copied = "";
        navigator.clipboard.writeText = async (text) => { globalThis.copied = text; };
    }""")
    page.click(button)
    page.wait_for_function(COPIED)
    link = page.evaluate(COPIED)
    assert isinstance(link, str)
    return link


def kept(page: Any) -> list[dict[str, Any]]:
    """Systems that a browser keeps."""
    found = page.evaluate("() => JSON.parse(localStorage.getItem('bidcascade.systems'))")
    return found["value"] if found else []


def write_weak(visit: Any) -> None:
    """Make a system of one's own, with a weak notrump."""
    page = visit.open("#view=systems").page
    page.wait_for_function("() => document.querySelector('textarea')?.value.length > 0")
    page.evaluate(
        """([old, fresh]) => {
            const field = document.querySelector("textarea");
            field.value = field.value.replace(old, fresh);
            field.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        [STRONG, "1NT = Weak notrump: 12-14"],
    )
    page.wait_for_function("() => location.hash.includes('my%20sayc')")
    page.goto(f"{visit.url}/#{PLACE}&table=my%20sayc")
    page.locator(".headline", has_text="Weak notrump").wait_for()


@pytest.mark.slow
def test_a_system_goes_to_another_browser(visit, browser, service):
    write_weak(visit)
    link = copied(visit)
    assert "&system=1." in link
    (mine,) = kept(visit.page)
    for other in visiting(browser, service):
        page = other.open(f"#{link.partition('#')[2]}").page
        page.locator(".headline", has_text="Weak notrump").wait_for()
        page.get_by_text("The system “my sayc” came with the link").wait_for()
        assert kept(page) == [mine]
        assert "system=" not in page.url
        assert page.input_value("#table-choice") == "my sayc"
        # again: it is there already
        page.goto(link)
        page.locator(".headline", has_text="Weak notrump").wait_for()
        page.wait_for_function("() => !location.hash.includes('system=')")
        assert kept(page) == [mine]
        # and where another one has its name, none is written over
        page.evaluate("""() => {
            const all = JSON.parse(localStorage.getItem("bidcascade.systems"));
            const name = Object.keys(all.value[0].files)[0];
            all.value[0].files[name] += "-- mine\\n";
            localStorage.setItem("bidcascade.systems", JSON.stringify(all));
        }""")
        page.goto(f"{other.url}/#{PLACE}")
        page.goto(link)
        page.get_by_text("so it is called “my sayc 2”").wait_for()
        assert sorted(one["name"] for one in kept(page)) == ["my sayc", "my sayc 2"]
        assert page.input_value("#table-choice") == "my sayc 2"
        page.locator(".headline", has_text="Weak notrump").wait_for()
        # its name is that of a system of the page: it hides none
        page.goto(
            f"{other.url}/#{PLACE}&table=sayc&system={letters_of({**SYSTEM, 'name': 'sayc'})}"
        )
        page.get_by_text("so it is called “sayc 2”").wait_for()
        page.get_by_text("it may bid otherwise than where the link was made").wait_for()


@pytest.mark.slow
def test_a_system_is_sent_from_where_it_is_written(visit):
    write_weak(visit)
    visit.page.goto(f"{visit.url}/#view=systems&table=my%20sayc")
    link = copied(visit, "#view button:text-is('Copy link')")
    assert "view=systems&table=my%20sayc&system=1." in link


@pytest.mark.slow
def test_a_damaged_link_loses_nothing(visit):
    write_weak(visit)
    link = copied(visit)
    before = kept(visit.page)
    bomb = letters_of(b"x" * 50_000_000)
    start = link.partition("&system=")[0]
    for broken, told in (
        (link[:-40], "is damaged"),
        (f"{start.replace('my%20sayc', 'yours')}&system={bomb}", "is too long"),
        (f"{start}&system={letters_of({**SYSTEM, 'base': 'nosuch'})}", "which is not here"),
        (start + "&system=1.AAAA" * 5, "4 systems at most"),
    ):
        visit.open("#dealer=N")
        page = visit.page
        page.goto(broken)
        page.locator("#messages .error", has_text=told).wait_for()
        # one sentence, and the rest of the link is shown
        assert page.locator("#messages .notice").count() == 1
        assert "There is no" not in page.inner_text("#messages")
        assert HAND in page.url
        page.locator(".headline", has_text="1").wait_for()
        assert kept(page) == before


@pytest.mark.slow
def test_a_long_system_goes_as_a_file(visit, browser, service, tmp_path):
    write_weak(visit)
    page = visit.page
    page.evaluate("""() => {
        const all = JSON.parse(localStorage.getItem("bidcascade.systems"));
        const name = Object.keys(all.value[0].files)[0];
        all.value[0].files[name] += "-- a remark that is long\\n".repeat(3000);
        localStorage.setItem("bidcascade.systems", JSON.stringify(all));
    }""")
    page.reload()
    page.locator(".headline", has_text="Weak notrump").wait_for()
    assert "system=" not in copied(visit)
    with page.expect_download() as one:
        page.get_by_role("button", name="Save the system", exact=True).click()
    saved = tmp_path / one.value.suggested_filename
    one.value.save_as(saved)
    assert saved.name == "my sayc.zip"
    with zipfile.ZipFile(saved) as archive:
        assert "sayc.bidding" in archive.namelist()
        assert archive.testzip() is None
    for other in visiting(browser, service):
        other.open("#dealer=N")
        drop(other, {saved.name: saved.read_bytes()})
        other.page.wait_for_function(
            "() => document.querySelector('textarea')?.value.includes('Weak notrump: 12-14')"
        )
        assert other.page.input_value("#table-choice") == "my sayc"


@pytest.mark.slow
def test_in_a_folder_without_a_service(browser, tmp_path):
    site = tmp_path / "site"
    assert main(["page", *NO_DEALS, "--out", str(site), "sayc"]) == DONE
    one = {
        **SYSTEM,
        "name": "mine",
        "main": "mine.bidding",
        "options": {},
        "files": {
            "mine.bidding": "system Mine\nopening:\n  1NT = Any notrump: any hand\n",
        },
    }
    for visit in visiting(browser, site.as_uri()):
        visit.page.goto(f"{visit.url}/index.html#{PLACE}&table=mine&system={letters_of(one)}")
        visit.page.locator(".headline", has_text="Any notrump").wait_for()
        assert [each["name"] for each in kept(visit.page)] == ["mine"]
