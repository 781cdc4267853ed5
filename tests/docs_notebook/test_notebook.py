"""The notebook runs from its first cell to its last, and is kept without what cells printed."""

import importlib.util
import json
import runpy

import pytest

from tests.support_docs import page_text
from tests.support_missing import missing

NOTEBOOK = "docs/notebook.ipynb"

pytestmark = pytest.mark.checkout


@pytest.fixture(scope="module")
def cells():
    notebook = json.loads(page_text(NOTEBOOK))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    return notebook["cells"]


@pytest.mark.slow
def test_every_cell_runs(cells, tmp_path, monkeypatch, capsys):
    """The code of all cells in order, as one program in a folder of its own."""
    if importlib.util.find_spec("matplotlib") is None:
        missing("matplotlib is not installed: pip install -e '.[docs]'")
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(codes) >= 6
    program = tmp_path / "notebook.py"
    ran = [f"{code}\nprint('ran cell {number}')\n" for number, code in enumerate(codes)]
    program.write_text("\n".join(ran), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names = runpy.run_path(str(program))
    names["plt"].close("all")
    printed = capsys.readouterr().out
    assert printed.count("ran cell") == len(codes)
    assert "2D - No major" in printed
    assert names["deals"].height == names["auctions"].height == 1000
    assert names["contracts"]["boards"].sum() == 1000
    assert names["explanation"].calls[0].points == (15, 17)
    assert all(names["shown"].hands[seat].mean_points > 0 for seat in "NESW")
    # what a picture is: a file of some size with the begin of a PNG
    picture = (tmp_path / "auction.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def test_nothing_that_was_printed_is_kept(cells):
    names = [cell["id"] for cell in cells]
    assert len(set(names)) == len(names)
    for cell in cells:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None), cell["id"]
        else:
            assert "".join(cell["source"]).strip(), cell["id"]
