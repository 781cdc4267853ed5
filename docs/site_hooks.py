"""What the site has besides the files of this folder: pages from elsewhere in the repository.

Pages link to each other and to files by paths in the repository, so that the links work where the
repository is browsed. For the site each linked file outside of ``docs`` becomes a page too, at the
same path: Markdown as it is, other text as code below ``source/``, folders as lists. Pages about
the REST service and Python are written from what the service and the packages say of themselves,
the page of pictures is the one that ``make_pictures.py`` has made. ``openapi.json`` lies beside the
pages. ``mkdocs.yml`` names this file; the navigation's ``FOLDER/*`` are filled in here.
"""

import ast
import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from site_rest import openapi_document, rest_page

ROOT = Path(__file__).resolve().parents[1]
DOCS = Path(__file__).resolve().parent
FIRST_PAGES = ("CHANGELOG.md", "benchmarks/README.md", "benchmarks/results", "systems/texts")
"""Files and folders outside of ``docs`` that the navigation leads to; links lead to the others."""
LISTED = {".md", ".bidding", ".cases"}
"""Files that the page of a folder lists."""
BEHIND = ("source/", "systems/texts/", "benchmarks/results/", "CHANGELOG.md", "decisions")
"""Pages that stand behind all others in what a search finds."""
PICTURES = {".svg", ".png"}
MADE = ROOT / "build" / "pictures"
NONE_MADE = """# Pictures of the page

Not made when this site was built. `python -m docs.make_pictures` makes them, or `nox -s pictures`.
"""
LANGUAGES = {".py": "python", ".yml": "yaml", ".json": "json", ".toml": "toml", ".cu": "cpp"}

_FENCE = re.compile(r"^(?P<fence>```+).*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"(?P<before>!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()(?P<path>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)"
)
_FILE_NAME = re.compile(r"^<!-- file: (?P<name>\S+) -->\n```(?P<language>\w*)$", re.MULTILINE)
_TIGHT_LIST = re.compile(
    r"^(?!\s*(?:[-*] |\d+\. ))(?P<line>\S.*)\n(?=(?:[-*]|\d+\.) )", re.MULTILINE
)
_BRACKETS = re.compile(r"\] \[(?=[^\]]*\](?!\())")
"""Brackets behind brackets, which Markdown takes for a link by reference."""
_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):<code>~?(?:[a-z_]+\.)*")
"""Names in docstrings that say what they are names of."""


class Repository:
    """Which file of the repository is which page of the site."""

    def __init__(self) -> None:
        self.page_of: dict[str, str] = {}
        self.text_of: dict[str, str] = {}
        self.pictures: set[str] = set()
        self.titles: dict[str, str] = {}
        pages = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
        for page in pages.values():
            self.page_of[f"docs/{page}"] = page
        for path, page in pages.items():
            text = path.read_text("utf-8")
            self.titles[page] = text.partition("\n")[0].removeprefix("# ")
            self._follow(f"docs/{page}", text)
        for name in FIRST_PAGES:
            self.add(name)
        document = openapi_document()
        self.text_of["rest-api.md"] = rest_page(document)
        self.text_of["openapi.json"] = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        shown = MADE / "pictures.md"
        self.text_of["pictures.md"] = shown.read_text("utf-8") if shown.exists() else NONE_MADE
        for package in packages():
            self.text_of[f"python/{package.removeprefix('bidcascade.')}.md"] = (
                f"# `{package}`\n\n::: {package}\n    options:\n      show_root_heading: false\n"
                "      show_root_toc_entry: false\n"
            )

    def add(self, name: str) -> None:
        """Make a page of a file or folder, and of all that it links to."""
        path = ROOT / name
        if name in self.page_of or not path.exists() or name.startswith("docs/"):
            return
        if path.is_dir():
            self.page_of[name] = f"{name}/index.md"
            inside = sorted(file for file in path.rglob("*") if file.suffix in LISTED)
            links = "\n".join(
                f"- [{file.relative_to(path)}]({file.relative_to(path)})" for file in inside
            )
            text = f"# Files in `{name}`\n\n{links}\n"
            self.page_of[f"{name}/"] = self.page_of[name]
        elif path.suffix == ".md":
            self.page_of[name] = name
            text = path.read_text("utf-8")
        elif path.suffix in PICTURES:
            self.page_of[name] = name
            self.pictures.add(name)
            return
        else:
            player_reads = path.suffix in LISTED
            self.page_of[name] = f"{name}.md" if player_reads else f"source/{name}.md"
            language = LANGUAGES.get(path.suffix, "text")
            title = path.name if player_reads else f"`{name}`"
            body = path.read_text("utf-8").rstrip("\n")
            text = f"# {title}\n\n````{language}\n{body}\n````\n"
            self.text_of[self.page_of[name]] = text
            return
        self.text_of[self.page_of[name]] = text
        self._follow(f"{name}/index.md" if path.is_dir() else name, text)

    def _follow(self, name: str, text: str) -> None:
        for match in _LINK.finditer(_FENCE.sub("", text)):
            if "://" not in match["path"]:
                self.add(resolved(name, match["path"]))


def resolved(name: str, path: str) -> str:
    """Path in the repository of a link in a file."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def packages() -> list[str]:
    """Find the packages that say in ``__all__`` what is public, the outer ones first."""
    found = []
    for folder in (
        "bridge",
        "loaders",
        "table",
        "systems",
        "inference",
        "page",
        "engine",
        "seats",
        "workshop",
        "service",
        "kernels",
    ):
        for init in sorted((ROOT / folder).rglob("__init__.py")):
            body = ast.parse(init.read_text("utf-8")).body
            targets = [
                name
                for one in body
                if isinstance(one, ast.Assign)
                for name in ast.walk(one.targets[0])
            ]
            if any(isinstance(name, ast.Name) and name.id == "__all__" for name in targets):
                parts = init.parent.relative_to(ROOT).parts
                found.append(".".join(("bidcascade", *parts)))
    return found


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the navigation's ``FOLDER/*``."""
    repository = Repository()
    config.extra["repository"] = repository
    config.nav = filled(config.nav, repository.text_of)
    return config


def filled(nav: Any, pages: dict[str, str]) -> Any:
    """Navigation in which ``FOLDER/*`` is the list of the pages in the folder."""
    if isinstance(nav, dict):
        return {title: filled(item, pages) for title, item in nav.items()}
    if isinstance(nav, list):
        return [filled(item, pages) for item in nav]
    if not nav.endswith("/*"):
        return nav
    folder = nav.removesuffix("*")
    return [{nav_title(page.removeprefix(folder)): page} for page in in_order(pages, folder)]


def in_order(pages: dict[str, str], folder: str) -> list[str]:
    """Pages in a folder: packages as they were found, others by name, the list of files last."""
    found = [page for page in pages if page.startswith(folder)]
    if folder == "python/":
        return found
    return sorted(found, key=lambda page: (page == f"{folder}index.md", page.count("/"), page))


def nav_title(path: str) -> str:
    """Title in the navigation: the path without what all have in common."""
    title = re.sub(r"(/report)?(\.bidding)?\.md$", "", path)
    return "all files" if title == "index" else title


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that do not lie in ``docs``."""
    repository: Repository = config.extra["repository"]
    for uri, text in repository.text_of.items():
        files.append(File.generated(config, uri, content=text))
    for name in repository.pictures:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for picture in MADE.glob("*.png"):
        name = f"pictures/{picture.name}"
        # those of docs/pictures are there
        if files.get_file_from_path(name) is None:
            files.append(File.generated(config, name, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to pages of the site, and write what GitHub understands so that Markdown does."""
    repository: Repository = config.extra["repository"]
    uri = page.file.src_uri
    if uri.startswith(BEHIND):
        page.meta["search"] = {"boost": 0.1}
    name = next((name for name, target in repository.page_of.items() if target == uri), uri)
    if repository.page_of.get(name) == f"{name}/index.md":
        name = f"{name}/index.md"

    def led(match: re.Match[str]) -> str:
        target = repository.page_of.get(resolved(name, match["path"]))
        if target is None or "://" in match["path"]:
            return match[0]
        before = match["before"]
        if before == f"[{posixpath.basename(match['path'])}](":
            before = f"[{repository.titles.get(target, before[1:-2])}]("
        path = posixpath.relpath(target, posixpath.dirname(uri) or ".")
        return f"{before}{path}{match['anchor'] or ''})"

    def prose(text: str) -> str:
        text = _BRACKETS.sub(r"] \\[", _LINK.sub(led, text))
        return _TIGHT_LIST.sub(r"\g<line>\n\n", text)

    titled = _FILE_NAME.sub(r'```\g<language> title="\g<name>"', markdown)
    parts, end = [], 0
    for fence in _FENCE.finditer(titled):
        parts += [prose(titled[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, prose(titled[end:])])


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show names in docstrings without what Sphinx would read."""
    return _ROLE.sub("<code>", html) if page.file.src_uri.startswith("python/") else html


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Name the search for those who listen to the page."""
    return output.replace(
        'class="md-search" data-md', 'aria-label="Search" class="md-search" data-md'
    )
