"""The engine's modules in a real browser, from a plain file server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.page.support_browser import serving, visiting, write_static_files


@pytest.fixture(scope="session")
def static_url(tmp_path_factory) -> Iterator[str]:
    """Address of the page's files, the engine's core among them."""
    folder: Path = tmp_path_factory.mktemp("static")
    write_static_files(folder)
    with serving(folder) as url:
        yield url


@pytest.fixture(scope="module")
def engine(browser, static_url) -> Iterator[Callable[..., Any]]:
    """Run JavaScript beside the engine: ``engine("async (load, given) => …", given)``.

    ``await load("language/patterns")`` is the module of that name. What comes back is its value; an
    error that is thrown is raised.
    """

    def run(source: str, given: object = None) -> Any:
        return visit.page.evaluate(
            f"""given => ({source})(name => import(`/engine/${{name}}.js`), given)""", given
        )

    visits = visiting(browser, static_url)
    visit = next(visits)
    # an empty page of the same origin: the modules come with their own files alone
    visit.page.goto(f"{static_url}/icon.svg")
    visit.page.evaluate(
        """async () => {
            const { useCore } = await import("/engine/core.js");
            await useCore((await fetch("/engine/core.wasm")).arrayBuffer());
        }"""
    )
    yield run
    assert next(visits, None) is None
