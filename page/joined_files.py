"""The page with its modules joined to one script, and its styles to one sheet.

So the service sends it, and so a folder of the page has it. The files themselves are there too: the
service's address ``/?modules`` loads them one by one, as they were written.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from .bundle import bundle
from .static_files import MEDIA_TYPES, PAGE, StaticFile, static_files

SCRIPT: Final = "bidcascade.js"
STYLE: Final = "bidcascade.css"
ENGINE_SCRIPT: Final = "engine/bidcascade.js"
"""The engine of a service's page in one script; beside the core, which it asks for."""
WORKER: Final = "engine/worker.js"
"""Module that the engine's thread begins with."""
NAME: Final = "bidcascade"
"""Function of the joined script: of the path of a module that has run it gives the exports."""
_MAIN: Final = "main.js"
_BESIDE: Final = "engine/operations.js"
"""Module of the engine that a page loads where it can have no worker."""


@cache
def joined_files() -> Mapping[str, StaticFile]:
    """Join page, scripts and style that the service sends instead of the single files, by path."""
    sources = module_sources()
    about = "// The page's modules in one script; /?modules loads them one by one.\n"
    page = bundle(sources, [_MAIN], NAME, left=[_BESIDE])
    found = {
        PAGE: joined_page(f"/static/{STYLE}", [f"/static/{SCRIPT}"]),
        SCRIPT: f'{about}{page}globalThis.bidcascadeEngineScript = "/static/{ENGINE_SCRIPT}";\n'
        f'{NAME}("{_MAIN}");\n',
        ENGINE_SCRIPT: f'{bundle(sources, [WORKER], NAME)}{NAME}("{WORKER}");\n',
        STYLE: joined_style(),
    }
    return {
        name: StaticFile.of(text.encode(), MEDIA_TYPES[name.rpartition(".")[2]])
        for name, text in found.items()
    }


def module_sources() -> dict[str, str]:
    """Text of all modules by their path."""
    return {
        name: file.content.decode() for name, file in static_files().items() if name.endswith(".js")
    }


def joined_style() -> str:
    """Text of the page's style sheets, in the order in which it names them."""
    page = static_files()[PAGE].content.decode()
    names = re.findall(r'<link rel="stylesheet" href="/static/(.*)">', page)
    return "".join(static_files()[name].content.decode() for name in names)


def joined_page(style: str, scripts: Iterable[str]) -> str:
    """Text of the page, which loads a style sheet and scripts of these addresses in order.

    Raises
    ------
    ValueError
        If the page's own file is written otherwise than is read here.
    """
    page = static_files()[PAGE].content.decode()
    page = re.sub(r'<link rel="(?:modulepreload|stylesheet)".*\n', "", page)
    loaded = [f'<link rel="stylesheet" href="{style}">']
    loaded += (f'<script defer src="{script}"></script>' for script in scripts)
    return replaced(
        page, f'<script type="module" src="/static/{_MAIN}"></script>', "\n".join(loaded)
    )


def replaced(page: str, old: str, new: str) -> str:
    """Text of the page with a part that must be there written otherwise."""
    if old not in page:
        raise ValueError(f"expected {old!r} in {PAGE}")
    return page.replace(old, new)
