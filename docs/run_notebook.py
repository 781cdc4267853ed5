"""Runs ``notebook.ipynb`` from its first cell to its last, and keeps what the cells show.

Run ``python -m docs.run_notebook`` from the root of the checkout, with ``bidcascade[bench]``
installed, after a cell or what it shows has changed. A test compares the outputs with those kept.
"""

import ast
import base64
import io
import json
import os
import runpy
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any, Final

NOTEBOOK: Final = Path(__file__).with_name("notebook.ipynb")
_DOTS_PER_INCH: Final = 60

Output = dict[str, Any]


def run_notebook(notebook: dict[str, Any]) -> list[list[Output]]:
    """Run the code cells as one program, in a folder of its own, and give what each one shows.

    That is what it prints, the value of an expression that ends it, as text and where it has one
    as HTML, and the figures that it leaves open: what a notebook's own program keeps.
    """
    os.environ["MPLBACKEND"] = "Agg"
    sources = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    shown = _Shown()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "notebook.py"
        program.write_text("\n".join(map(_program, sources)), "utf-8")
        with chdir(folder), redirect_stdout(shown.printed):
            runpy.run_path(str(program), {"_shown": shown})
    return shown.cells


def _program(source: str) -> str:
    """Write a cell as part of a program that hands on its last expression's value."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = ast.unparse(last) if last is not None else "None"
    return f"{ast.unparse(tree)}\n_shown.end_cell({value})\n"


class _Shown:
    """What cells show, one after the other."""

    def __init__(self) -> None:
        self.printed = io.StringIO()
        self.cells: list[list[Output]] = []

    def end_cell(self, value: object) -> None:
        outputs: list[Output] = []
        if text := self.printed.getvalue():
            outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
            self.printed.seek(0)
            self.printed.truncate()
        if value is not None:
            data = {"text/plain": _lines(repr(value))}
            if hasattr(value, "_repr_html_"):
                data["text/html"] = _lines(value._repr_html_())
            outputs.append({
                "output_type": "execute_result", "execution_count": len(self.cells) + 1,
                "data": data, "metadata": {},
            })  # fmt: skip
        self.cells.append(outputs + _figures())


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _figures() -> list[Output]:
    """Take the figures that are open as pictures, and close them."""
    from matplotlib import pyplot

    outputs: list[Output] = []
    for number in pyplot.get_fignums():
        picture = io.BytesIO()
        # without the program's version, which would change the file
        figure = pyplot.figure(number)
        figure.savefig(picture, dpi=_DOTS_PER_INCH, metadata={"Software": None})
        data = {"image/png": base64.b64encode(picture.getvalue()).decode()}
        outputs.append({"output_type": "display_data", "data": data, "metadata": {}})
    pyplot.close("all")
    return outputs


def main() -> None:
    """Run the notebook and write it with its outputs."""
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(cells, run_notebook(notebook), strict=True), 1):
        cell.update(execution_count=number, outputs=outputs)
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
