"""What the page says stands in one file: every text is there, and every one is said."""

import re
from html.parser import HTMLParser
from typing import Final

import pytest

from bidcascade.bridge import VULNERABILITY_WORDS
from bidcascade.kernels.terms import term_names
from bidcascade.page.static_files import static_files
from bidcascade.systems.words.condition_words import WORDS
from tests.page.support_javascript import HOLE, Literal, literals

TEXT_FILE: Final = "texts_en.js"
BUILDERS: Final = {"h": 2, "svg": 2, "put": 1, "clear": 1, "notice": 1, "busy": 0, "table": 0,
                   "say": 0, "tell": 1, "Error": 0, "trail": 0}  # fmt: skip
"""Functions that show strings, from an argument on."""
SHOWN: Final = {"title", "placeholder", "alt", "aria-label"}
"""Properties of elements that are shown or read out."""
PLAIN: Final = {"class", "id", "for", "href", "accept", "d", "viewBox", "aria-describedby"}
"""Properties that are not."""
CODES: Final = {"None", "Both", "Top", "Pass", *(name.removesuffix("_S") for name in term_names())}
"""What the service calls things, in capitals."""
PBN_WORDS: Final = {
    "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
    "All", "Deal", "Scoring", "Declarer", "Contract", "Result", "Score", "Room", "Auction", "Note",
    "Play", "Table", "Multiplicity", *VULNERABILITY_WORDS,
}  # fmt: skip
"""Tags and words of PBN, which are no language, in the modules that read and write it."""
PBN_MODULES: Final = re.compile(r"files/pbn_\w+\.js|boards/board_export\.js|bridge/seats\.js")
ASKING: Final = {"querySelector", "querySelectorAll", "closest", "matches", "setRequestHeader"}
"""Functions of the browser that take names."""
WORDS_OF_NAMES: Final = re.compile(
    r'\[(?:[\w.]+, )?(?:"[\w-]+",?\s*)+\]\.map\(\((?:head|view|name)\)'
)
"""Lists of which texts are made."""
SAID: Final = re.compile(
    r"[A-Za-z]{2,}[,:;.…]? +[a-z]{2,}|^ *[A-Z][a-z]{2,}[.!?…]?$| [a-z]{2,} ?$|^ ?[a-z]{2,} "
    rf"|[a-z]{{2}}[.?!…]$|{HOLE} [a-z]|[a-z]: {HOLE}"
)
"""Words, as far as one can tell from a string alone."""


def modules() -> dict[str, str]:
    """Sources of the page's modules without the texts; the engine says what the package says."""
    return {
        name: file.content.decode()
        for name, file in static_files().items()
        if name.endswith(".js") and name != TEXT_FILE and not name.startswith("engine/")
    }


def texts() -> dict[str, str]:
    source = static_files()[TEXT_FILE].content.decode()
    found = re.findall(r'^ +"(.+?)": "|, "([\w.-]+)": "', source, re.MULTILINE)
    names = [one or other for one, other in found]
    assert len(names) == len(set(names)), "a name stands twice"
    pairs = re.findall(r'"([\w.-]+)": "((?:[^"\\]|\\.)*)",', source)
    assert [name for name, _ in pairs] == names
    return dict(pairs)


def is_said(one: Literal) -> bool:
    """Whether a person sees or hears a string."""
    if one.compared or one.key in PLAIN or one.text in CODES or one.callee in ASKING:
        return False
    # a mistake of ours
    if one.callee == "TypeError":
        return False
    # commands to be typed, and names in the browser's store
    if one.text.startswith("bidcascade"):
        return False
    if one.key in SHOWN:
        return re.search("[A-Za-z]{2}", one.text) is not None
    least = BUILDERS.get(one.callee)
    if least is not None and one.argument >= least and not one.key:
        return re.search("[A-Za-z]{2}", one.text) is not None
    return SAID.search(one.text) is not None


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('h("p", null, "fits")', ["fits"]),
        ('h("p", { class: "soft small" }, phrase("a.b"))', []),
        ('h("p", { class: on ? "place here" : `a ${b ? "c d" : ""}` }, "one", h("b", null, "two"))',
         ["one", "two"]),
        ('h("a", { "aria-label": `go ${place}` })', [f"go {HOLE}"]),
        ('const text = `${number} boards`;', [f"{HOLE} boards"]),
        ('const NAMES = { a: "North" };', ["North"]),
        ('parts.join(" or ")', [" or "]),
        ('if (event.key === "Enter" || /"[a b]"/.test(x)) f("place");  // "not a text"', []),
        ('throw new Error("oops")', ["oops"]),
        ('tell("error", "No file.")', ["No file."]),
    ],
)  # fmt: skip
def test_a_text_in_a_module_is_found(source, said):
    assert [one.text for one in literals(source + "\n") if is_said(one)] == said


@pytest.mark.parametrize("name", sorted(set(modules()) - {"texts.js"}))
def test_no_module_has_a_text_of_its_own(name):
    source = WORDS_OF_NAMES.sub("[].map((head)", modules()[name])
    tags = PBN_WORDS if PBN_MODULES.fullmatch(name) else set()
    own = [
        f"{one.line}: {one.text}"
        for one in literals(source)
        if is_said(one) and one.text not in tags
    ]
    assert own == []


class PageReader(HTMLParser):
    """Texts of the page's own file by the name that stands beside them; others by themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if "aria-label" in told:
            self.found[told.get("data-label") or "nameless"] = told["aria-label"] or ""
        if tag not in {"meta", "link", "img", "input"}:
            self.open.append(told.get("data-phrase") or tag)

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if re.search("[A-Za-z]", data):
            self.found[self.open[-1]] = data


def page_texts() -> dict[str, str]:
    reader = PageReader()
    reader.feed(static_files()["index.html"].content.decode())
    found = reader.found
    # the package's name, and what is said where nothing can be filled in
    assert found.pop("title") == found.pop("h1").strip() == "bidcascade"
    assert found.pop("p").startswith("This page needs JavaScript.")
    return found


def test_the_first_moment_says_what_comes_after():
    own = page_texts()
    assert len(own) > 15
    assert {name: texts()[name] for name in own} == own


def test_the_words_of_conditions_are_those_of_the_package():
    known = texts()
    assert {name: known[name] for name in WORDS} == WORDS


def test_every_text_that_is_asked_for_is_there_and_every_text_is_said():
    known = texts()
    said = set(page_texts())
    # the engine's words of conditions are the page's texts there
    words = static_files()["engine/words/condition_words.js"].content.decode()
    sources = [*modules().values(), words]
    everything = "\n".join(sources)
    for source in sources:
        for one in literals(source):
            if HOLE not in one.text:
                said |= {one.text} & set(known)
            if one.callee not in {"phrase", "phraseNodes"} or one.argument:
                continue
            if HOLE not in one.text:
                assert one.text in known or one.compared or not re.match("[a-z]", one.text), one
                continue
            form = re.compile("(.*)".join(map(re.escape, one.text.split(HOLE))) + "$")
            made = {name: match[1] for name in known if (match := form.match(name))}
            assert made, one
            # what is filled in stands somewhere as a word of its own, or is a term
            said |= {
                name
                for name, part in made.items()
                if not part
                or part in term_names()
                or f"{part}_S" in term_names()
                or re.search(rf"(?<![\w.-]){re.escape(part)}(?![\w-])", everything)
            }
    assert set(known) - said == set()
