"""Make ``answer.svg``, the picture in the README: what the command line answers, as it prints it.

Run ``python docs/make_answer.py`` from the root of the checkout, with bidcascade installed. A
test compares the text of the picture with what the commands print.
"""

import io
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from bidcascade.service.cli import main

DEAL = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.T93 J876.A65.Q93.KJ4 T32.T94.JT2.A876"
COMMANDS = (
    ["auctions", DEAL, "--completed"],
    ["bid", "AQ4.KJ3.K876.Q52", "--auction", "1N P 2C P", "--explain"],
)
PICTURE = Path(__file__).with_name("answer.svg")
WIDTH = 106

_THEME = TerminalTheme(
    (250, 250, 248),
    (36, 41, 47),
    [(36, 41, 47), (180, 35, 24), (17, 99, 41), (125, 78, 0),
     (5, 80, 174), (130, 80, 223), (27, 124, 131), (110, 119, 129)],
)  # fmt: skip

# as rich's own form, without the fonts that it would fetch from the network
_FORM = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" \
xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Two commands and their answers">
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
{styles}
</style>
<defs>{lines}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#fafaf8" stroke="#d0d7de"/>
<g transform="translate(18, 14)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def answer(words: list[str]) -> str:
    """Return what a command prints.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    with redirect_stdout(io.StringIO()) as printed:
        code = main(words)
    if code:
        raise RuntimeError(f"expected exit code 0, got {code} from bidcascade {shlex.join(words)}")
    return printed.getvalue().strip("\n")


def screen() -> list[Text]:
    """Return the commands and their answers, line by line."""
    lines: list[Text] = []
    for words in COMMANDS:
        if lines:
            lines.append(Text())
        command = shlex.join(["bidcascade", *words])
        lines.append(Text.assemble(("$ ", "white"), (command, "bold")))
        lines += [Text(line) for line in answer(words).splitlines()]
    return lines


def draw(lines: list[Text]) -> str:
    """Return lines as SVG; a line wider than the picture goes on in the next one."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    for line in lines:
        console.print(line, highlight=False)
    picture = console.export_svg(theme=_THEME, code_format=_FORM, unique_id="answer")
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(screen()), "utf-8")
    sys.stdout.write(f"{PICTURE.name} written\n")
