"""The README is true: its picture is what is answered; commands and settings are named."""

import html
import importlib.util
import re
import shlex

import pytest

from bidcascade.engine.settings import Settings
from bidcascade.service.cli import COMMANDS, make_parser
from tests.support.docs import CHECKOUT, blocks_of, commands_of, matches, page_text

pytestmark = pytest.mark.checkout


def test_every_command_is_named():
    page = page_text("docs/command-line.md")
    named = set(re.findall(r"^\| `bidcascade ([\w-]+)", page, re.MULTILINE))
    assert named == set(COMMANDS)
    for command in ("table", "system"):
        parser = make_parser([command])
        actions = next(
            action.choices[command]._subparsers._group_actions[0].choices
            for action in parser._subparsers._group_actions
        )
        row = re.search(rf"^\| `bidcascade {command} ([\w\\|-]+)`", page, re.MULTILINE)
        assert set(row[1].split("\\|")) == set(actions)


def test_every_setting_is_explained():
    page = page_text("docs/settings.md")
    explained = set(re.findall(r"^\| `(\w+)` \| `BIDCASCADE_", page, re.MULTILINE))
    assert explained == set(Settings.model_fields)


def test_settings_are_read_from_the_named_variables(monkeypatch):
    monkeypatch.setenv("BIDCASCADE_MAX_REQUEST_DEALS", "7")
    assert Settings().max_request_deals == 7


def test_all_shell_blocks_are_run_or_marked():
    kinds = {
        words[0]
        for block in blocks_of(page_text("README.md"))
        if block.language == "sh" and not block.mark
        for words in commands_of(block.body)
    }
    assert kinds == {"curl", "bidcascade"}


@pytest.fixture(scope="module")
def picture_maker():
    spec = importlib.util.spec_from_file_location("make_answer", CHECKOUT / "docs/make_answer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(picture: str) -> list[str]:
    """Lines of text in a picture, from top to bottom, blank ones left out."""
    lines: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(
        r'<text [^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', picture
    ):
        lines.setdefault(float(y), []).append((float(x), html.unescape(text)))
    joined = (
        "".join(text for _, text in sorted(pieces)).replace("\xa0", " ").rstrip()
        for _, pieces in sorted(lines.items())
    )
    return [line for line in joined if line]


def ends_of(picture: str) -> list[tuple[float, float]]:
    """Where each piece of text stands, and where its last sign ends."""
    pieces = re.findall(
        r'<text [^>]*?x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"[^>]*>([^<]*)<', picture
    )
    found = []
    for x, y, length, written in pieces:
        text = html.unescape(written).replace("\xa0", " ")
        if text.strip():
            found.append((float(y), float(x) + float(length) * len(text.rstrip()) / len(text)))
    return found


@pytest.mark.slow
def test_picture_shows_what_is_answered_today(picture_maker):
    shown = text_of(page_text("docs/answer.svg"))
    printed = [line.plain.rstrip() for line in picture_maker.screen()]
    assert shown == [line for line in printed if line], "run docs/make_answer.py"
    commands = [shlex.split(line)[1:] for line in shown if line.startswith("$ ")]
    assert commands == [["bidcascade", *words] for words in picture_maker.COMMANDS]


@pytest.mark.slow
def test_picture_is_self_contained(picture_maker):
    picture = picture_maker.draw(picture_maker.screen())
    assert re.findall(r"https?://[^\"') ]+", picture) == ["http://www.w3.org/2000/svg"]
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture).groups())
    places = ends_of(picture)
    # the text begins 18 units from the left and 14 from the top
    assert max(y for y, _ in places) + 14 < height - 8
    assert max(x for _, x in places) + 18 < width - 8


def test_what_a_page_shows_is_compared():
    assert matches("1N … P\n", "1N P 2C P \n")
    assert not matches("1N P", "1N P 2C")
    assert matches('{"a": …, "b": 2}', '{"a":[1],"b":2}', "json")
    assert list(commands_of("bidcascade bid \\\n  X --auction '1N\nP'\n")) == [
        ["bidcascade", "bid", "X", "--auction", "1N\nP"]
    ]
