"""One name for one thing: options of different commands that have the same name mean the same."""

import argparse
from collections import defaultdict
from typing import Final

import pytest

from tests.support.cli import parsers

NUMBERS: Final = {"N", "K"}
OTHERS: Final = {
    "--claims": "who hosts allows what who sits does",
    "--count": "how many layouts are wanted; of an archive's boards only how many there are",
    "--exact": "of an auction and of a study: nothing beyond it, nothing left out",
    "--meanings": "a system that reads an auction; columns of what calls mean",
    "--out": "a file or a folder",
    "--play": "a card; a column about cards played",
    "--share": "of all boards; of boards of a kind",
    "--source": "of an archive a part of a file's name, or the file; where rows are from",
    "--table": "any table; where a text is explained a system",
}
"""Options whose values differ by command, and why that is clear from the command."""


@pytest.fixture(scope="module")
def values() -> dict[str, dict[str, set[str]]]:
    """Commands by what an option takes, by option."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for words, parser in parsers():
        for one in parser._actions:
            if one.metavar == "VALUE":
                # a setting says in its text what it takes
                continue
            takes = "nothing" if one.nargs == 0 else str(one.metavar or "a word of a list")
            for flag in one.option_strings:
                found[flag]["N" if takes in NUMBERS else takes].add(" ".join(words))
    return found


def test_an_option_takes_the_same_in_every_command(values):
    differ = {flag: dict(takes) for flag, takes in values.items() if len(takes) > 1}
    assert {flag: takes for flag, takes in differ.items() if flag not in OTHERS} == {}


def test_an_option_has_one_name():
    for words, parser in parsers():
        for one in parser._actions:
            if not isinstance(one, argparse.BooleanOptionalAction | argparse._HelpAction):
                assert len(one.option_strings) <= 1, (words, one.option_strings)


def test_old_names_are_gone(values):
    gone = {"--overwrite", "--hand", "--vulnerability", "--depth", "--random"}
    assert not gone & {*values}
