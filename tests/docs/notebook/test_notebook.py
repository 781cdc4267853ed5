"""The notebook runs from its first cell to its last, and is kept with what cells show."""

import importlib.util
import json

import pytest

from tests.check.missing import missing
from tests.support.docs import page_text

NOTEBOOK = "docs/notebook.ipynb"

pytestmark = pytest.mark.checkout


@pytest.fixture(scope="module")
def notebook():
    kept = json.loads(page_text(NOTEBOOK))
    assert (kept["nbformat"], kept["nbformat_minor"]) == (4, 5)
    return kept


@pytest.mark.slow
@pytest.mark.page(NOTEBOOK)
def test_every_cell_shows_what_is_kept(notebook, monkeypatch):
    """Pictures, which depend on the fonts that are there, are compared by their kind alone."""
    if importlib.util.find_spec("matplotlib") is None:
        missing("matplotlib is not installed: pip install -e '.[docs]'")
    from docs.run_notebook import run_notebook

    monkeypatch.setenv("MPLBACKEND", "Agg")
    kept = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = run_notebook(notebook)
    assert len(kept) >= 6
    assert without_pictures(shown) == without_pictures(kept), "run: python -m docs.run_notebook"


def without_pictures(cells):
    return [
        [
            {
                **one,
                "data": {
                    kind: one["data"][kind]
                    for kind in one.get("data", ())
                    if not kind.startswith("image")
                },
            }
            if "data" in one
            else one
            for one in outputs
        ]
        for outputs in cells
    ]


@pytest.mark.page(NOTEBOOK)
def test_every_cell_is_kept_with_what_it_shows(notebook):
    cells = notebook["cells"]
    names = [cell["id"] for cell in cells]
    assert len(set(names)) == len(names)
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    for number, cell in enumerate(codes, 1):
        assert cell["outputs"], cell["id"]
        assert cell["execution_count"] == number, cell["id"]
    kinds = [kind for cell in codes for one in cell["outputs"] for kind in one.get("data", ())]
    assert {"text/plain", "text/html", "image/png"} <= set(kinds)
    for cell in cells:
        if cell["cell_type"] == "markdown":
            assert "".join(cell["source"]).strip(), cell["id"]
