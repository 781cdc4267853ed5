"""Writes what is made of the language's grammars, words and rows, for those who only read it.

``python build_backend/language_data.py`` writes the tables by which the parsers read, modules of
data for the page's engine and, in a checkout, the grammar by which editors colour. Every build
runs it. It imports packages of the sources, so it needs what they import.
"""

import json
from importlib.util import find_spec
from typing import Any, Final

from client_types import ROOT, show_packages, write_files

NEEDED: Final = ("lark", "lazy_loader", "numpy")
"""Modules that making the data imports, by ``[build-system] requires`` of ``pyproject.toml``."""


def check_needed() -> None:
    """Complain where a module is missing.

    Raises
    ------
    ModuleNotFoundError
        Which says what was expected.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"expected {', '.join(NEEDED)}, which make the tables of the grammars, got no "
            f"{', '.join(missing)}; without build isolation install what [build-system] in "
            "pyproject.toml requires first"
        )


def written_files() -> dict[str, str]:
    """Texts of the files by their path in the checkout."""
    from bidcascade.systems.book.convention_card import card_data
    from bidcascade.systems.language.grammar.editor_grammar import textmate_grammar
    from bidcascade.systems.language.grammar.engine_data import phrases_data
    from bidcascade.systems.language.grammar.lark_parser import lark_parser
    from bidcascade.systems.rows.browser_rows import rows_data
    from bidcascade.systems.words.condition_words import WORDS
    from bidcascade.table.language.grammar_tables import expression_parser, tables_of

    expressions, bidding = tables_of(expression_parser()), tables_of(lark_parser())
    files = {
        "page/static/engine/expressions/expression_grammar_data.js": module_of(expressions),
        "page/static/engine/language/grammar_data.js": module_of(bidding),
        "page/static/engine/language/phrases_data.js": module_of(phrases_data()),
        "page/static/engine/language/tree_data.js": tree_module(),
        "page/static/engine/rows/rows_data.js": module_of(rows_data()),
        "page/static/engine/words/card_data.js": module_of(card_data()),
        "page/static/engine/words/condition_words_data.js": module_of(WORDS),
        "systems/language/grammar/bidding.json": as_json(bidding) + "\n",
        "table/language/expressions.json": as_json(expressions) + "\n",
    }
    # neither an sdist nor what an image is built of has the editors
    if (ROOT / "editors").is_dir():
        colours = json.dumps(textmate_grammar(), ensure_ascii=False, indent=2)
        files["editors/vscode/syntaxes/bidding.tmLanguage.json"] = colours + "\n"
    return files


def module_of(data: object) -> str:
    """JavaScript module of data for the page's engine."""
    return f"// Written by build_backend/language_data.py\nexport default {as_json(data)};\n"


def tree_module() -> str:
    """JavaScript module that makes the objects of a tree of their rows, a function for each class.

    Objects that are written as they are read have one shape, which a browser makes soonest.
    """
    from bidcascade.systems.language.text_cache import classes_of_rows

    lines = ["// Written by build_backend/language_data.py", "export default ["]
    for name, fields in classes_of_rows():
        parts = [f"type: {as_json(name)}"]
        for place, (field, told) in enumerate(fields, 1):
            first, *words = field.split("_")
            own = first + "".join(map(str.title, words))
            parts.append(f"{own}: {_read_part(f'row[{place}]', told)}")
        lines.append(
            f"  [{as_json(name)}, {len(fields)}, (row, at) => ({{ {', '.join(parts)} }})],"
        )
    return "\n".join([*lines, "];", ""])


def _read_part(part: str, told: Any) -> str:
    """Expression that reads a part of a row, as ``classes_of_rows`` tells its type."""
    if told == "object":
        return f"at({part})"
    if told is None:
        return part
    if "map" in told:
        inner = _read_part("one", told["map"])
        return (
            f"new Map({part})"
            if inner == "one"
            else (f"new Map({part}.map(([name, one]) => [name, {inner}]))")
        )
    return f"{part}.map((one) => {_read_part('one', told['list'])})"


def as_json(data: object) -> str:
    """JSON of data for a file that programs alone read."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    check_needed()
    show_packages("bidcascade")
    write_files(written_files())
