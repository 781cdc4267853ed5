"""A reader of HTML pages for tests: nesting, ids, texts of tables, and what must not be there."""

from html.parser import HTMLParser

from bidcascade.loaders.lin.handviewer_writer import HANDVIEWER

_VOID = {"br", "meta", "line", "rect", "circle"}


class PageReader(HTMLParser):
    """Reads a page; every element must be closed in the order in which it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        """Innermost element and text."""
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}"
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in _VOID or (tag == "rect" and not self.get_starttag_text().endswith("/>")):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.append((self.open[-1], data))
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def check_page(text: str) -> PageReader:
    """Read a page and check what every page must keep to; the reader is returned."""
    page = PageReader(text)
    tags = [tag for tag, _ in page.tags]
    assert len(page.ids) == len(set(page.ids)), "an id twice"
    assert not {"script", "link", "iframe", "img", "object", "form", "base"} & set(tags)
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("style", "src", "action", "formaction"), (tag, name)
            if name == "href" and not value.startswith(f"{HANDVIEWER}?lin="):
                assert value.startswith("#"), value
                assert value[1:] in page.ids
            if name in ("aria-labelledby", "aria-describedby"):
                assert set(value.split()) <= set(page.ids), value
    assert tags.count("caption") == tags.count("table")
    assert tags.count("title") >= 1 + tags.count("svg")
    assert tags.count("h1") == 1
    assert ("html", {"lang": "en"}) in page.tags
    policies = [a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'sha256-")
    return page
