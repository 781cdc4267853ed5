"""Writes the pages that follow from the code; :func:`written_files` names them.

Run ``python docs/write_files.py`` with bidcascade installed. A test compares the files with what is
written here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl
from figures import filled_pages

from bidcascade.engine.runs.columns.wide_columns import DISTRIBUTION_POINTS, term_type
from bidcascade.engine.settings import OTHER_VARIABLES, PREFIX, Settings
from bidcascade.systems.language.words.phrases import page as phrases_page
from bidcascade.table import Vocabulary
from bidcascade.table.language.term_catalogue import FAMILIES, TermFamily
from bidcascade.table.language.vocabulary_page import vocabulary_markdown

ROOT: Final = Path(__file__).parents[1]


def written_files() -> dict[str, str]:
    """Texts of all files by their path in the checkout."""
    return {
        "docs/augmented-columns.md": augmented_columns_page(),
        "docs/settings.md": settings_page(),
        "docs/terms.md": vocabulary_markdown(),
        "systems/language/phrases.md": phrases_page(),
        **filled_pages(),
    }


def settings_page() -> str:
    """Page of all settings."""
    lines = [
        "# Settings",
        "",
        "Written from `engine/settings.py` by `docs/write_files.py`. What the "
        "command line says goes before the environment variable, that before the default.",
        "",
        "| setting | variable | default | values | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    properties = Settings.model_json_schema()["properties"]
    for name, field in Settings.model_fields.items():
        cells = (
            f"`{name}`",
            f"`{PREFIX}{name.upper()}`",
            _default_text(field.default),
            _values_text(properties[name]),
            str(field.description),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "Also read from the environment:", "", "| variable | meaning |", "| --- | --- |"]
    lines += (f"| `{name}` | {meaning} |" for name, meaning in OTHER_VARIABLES.items())
    return "\n".join([*lines, ""])


def _default_text(value: object) -> str:
    if value == ():
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"


def _values_text(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "boolean":
        return "`true`, `false`"
    if schema["type"] == "integer":
        low, high = schema["minimum"], schema.get("maximum")
        return f"{low} to {high}" if high is not None else f"from {low}"
    return "list" if schema["type"] == "array" else "text"


def augmented_columns_page() -> str:
    """Page of the columns of augmented deals; what stands around its first table stays."""
    vocabulary = Vocabulary()
    rows = [
        _row(_pattern(family), term_type(family.names[0], vocabulary), _meaning(family))
        for family in FAMILIES
    ]
    points = "distribution points: what `Total_Points` has beyond `HCP`"
    rows.append(_row("DP_p", term_type(DISTRIBUTION_POINTS, vocabulary), points))
    lengths = "lengths of spades, hearts, diamonds and clubs: `5=3=3=2`"
    rows.append(_row("Shape_p", pl.String(), lengths))
    rows.append("| a term of the table's own | by its values | its formula |\n")
    page = (ROOT / "docs/augmented-columns.md").read_text("utf-8")
    head, rule, behind = page.partition("| --- | --- | --- |\n")
    return head + rule + "".join(rows) + behind[behind.index("\n\n") + 1 :]


def _pattern(family: TermFamily) -> str:
    if family.stem == "C":
        return "C_p_xR"
    return f"{family.stem}_p" if family.names == (family.stem,) else f"{family.stem}_p_x"


def _meaning(family: TermFamily) -> str:
    if family.stem == "Pattern":
        return "the four lengths, longest first: `5332` (A to D for 10 to 13)"
    return family.meaning.replace("{suit}", "x")


def _row(pattern: str, dtype: pl.DataType, meaning: str) -> str:
    return f"| `{pattern}` | {dtype} | {meaning} |\n"


if __name__ == "__main__":
    for name, text in written_files().items():
        (ROOT / name).write_text(text, "utf-8")
