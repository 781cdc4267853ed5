"""A report as one HTML file: what it says as JSON, and the modules and styles that draw it.

The file asks for nothing: not the network, no file beside it. Its content security policy lets in
one script and one style sheet, by their digests, and no text that becomes markup.
"""

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from .bundle import bundle

DATA: Final = "report"
"""Id of the element that has the JSON."""
_ENTRY: Final = "report/report.js"
_RUN: Final = "run"
_STYLES: Final = ("static/styles/base.css", "static/styles/card.css", "report/report.css")
_SHARED: Final = ("dom.js", "systems/card_sheet.js")
"""Modules of the page that reports have too."""
_NO_SCRIPT: Final = (
    "The script in this file draws the report; it asks for nothing from a network. Without "
    f"JavaScript the same stands as JSON in this file, in the element “{DATA}”, and most commands "
    "print their numbers with --json."
)


class _Drawing(NamedTuple):
    """What is the same in every report."""

    script: str
    style: str
    policy: str


def report_html(
    report: Mapping[str, Any], title: str, metadata: Iterable[tuple[str, str]] = ()
) -> str:
    r"""Write a report as one file; the same text for the same report.

    Parameters
    ----------
    report
        What ``report/report.js`` draws: title, subtitle, and sections of blocks. Anything beside
        these is for programs.
    title
        Of the window.
    metadata
        Names and contents that programs read from the head of the file.

    Raises
    ------
    ValueError
        If the report holds a number that JSON has not, such as infinity.

    Examples
    --------
    >>> text = report_html({"title": "</script>", "subtitle": "", "sections": []}, "A report")
    >>> '<script type="application/json" id="report">{"title":"\\u003c/script>"' in text
    True
    """
    drawing = _drawing()
    content = json.dumps(report, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # nothing in it ends the element, or begins a comment
    content = content.replace("<", r"\u003c")
    told = "".join(
        f'<meta name="{html.escape(name)}" content="{html.escape(text)}">\n'
        for name, text in metadata
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{drawing.policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
{told}<title>{html.escape(title)}</title>
<style>{drawing.style}</style>
</head>
<body>
<noscript><p>{html.escape(_NO_SCRIPT)}</p></noscript>
<script type="application/json" id="{DATA}">{content}</script>
<script>{drawing.script}</script>
</body>
</html>
"""


@cache
def _drawing() -> _Drawing:
    package = files(__package__)
    sources = {
        **{
            name: package.joinpath("static", *name.split("/")).read_text("utf-8")
            for name in _SHARED
        },
        **{
            f"report/{one.name}": one.read_text("utf-8")
            for one in package.joinpath("report").iterdir()
            if one.name.endswith(".js")
        },
    }
    script = f'{bundle(sources, [_ENTRY], _RUN)}{_RUN}("{_ENTRY}");\n'
    style = "".join(package.joinpath(*name.split("/")).read_text("utf-8") for name in _STYLES)
    for text in (script, style):
        if "</s" in text or "<!--" in text:
            raise ValueError("expected a script and a style sheet that end no element")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return _Drawing(script, style, policy)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
