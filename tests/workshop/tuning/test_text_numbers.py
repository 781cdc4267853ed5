"""Numbers of a text's conditions: found where they stand, written back with all else as it was."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput
from bidcascade.systems import System
from bidcascade.workshop.tuning.text_numbers import (
    NumberChange,
    OpenText,
    moves_of,
    numbers_of,
    with_changes,
)
from tests.support.examples import examples
from tests.support.systems import one_system

TEXT = """-- A system of 2 pages.
define strong = 16+ points

opening, 1st or 2nd seat:
  2D  = Strong 20: strong, at most 4 losers; shows 20+ points   -- 20 or so
  2C  = Strong 22; shows 22+ points
    either Balanced: 22-24 points, balanced
    or Long: 20+ points, {Playing_Tricks >= 9}, 8.5+ playing tricks, exactly 6 spades
  1NT = Notrump: 15-17 points, balanced
  1C  = Club: 12-14 points, 3+ clubs, 2 or 4 hearts
  use weak(suit hearts, least 6)
  use weak(suit spades, least 5)

convention weak(suit hearts, least 6):
  jump suit = Weak: 5-10 points, least+ suit, 6+ suit

after 1NT 2NT, partner has shown 8+ points:
  3NT = Game: fewer than 6 spades,
    25+ combined points, two kings
"""


def found(text):
    return list(numbers_of(System.parse(text, name="a.bidding").text, {"a.bidding": text}))


def test_numbers_of_conditions_are_found_and_no_others():
    numbers = {one.place: one for one in found(TEXT)}.values()
    assert [(one.line, one.value, one.kind, one.end) for one in numbers] == [
        (2, 16, "points", "low"), (5, 4, "losers", "high"), (7, 22, "points", "low"),
        (7, 24, "points", "high"), (8, 20, "points", "low"), (8, 6, "length spades", "exact"),
        (9, 15, "points", "low"), (9, 17, "points", "high"), (10, 12, "points", "low"),
        (10, 14, "points", "high"), (10, 3, "length clubs", "low"),
        (15, 5, "points", "low"), (15, 10, "points", "high"), (15, 6, "length spades", "low"),
        (18, 6, "length spades", "high"), (19, 25, "combined points", "low"),
    ]  # fmt: skip
    lines = TEXT.split("\n")
    for one in numbers:
        assert lines[one.line - 1].startswith(str(one.value), one.column - 1)
    assert {one.name for one in numbers if one.line == 7} == {"Strong 22, Balanced"}


@examples(25, 100)
@given(st.dictionaries(st.integers(0, 40), st.sampled_from([-2, -1, 1, 2])))
def test_only_numbers_change(steps):
    numbers = [*{one.place: one for one in found(TEXT)}.values()]
    changes = [
        NumberChange(number, number.value + steps[place])
        for place, number in enumerate(numbers)
        if place in steps
    ]
    written = with_changes({"a.bidding": TEXT}, changes)["a.bidding"]
    assert re.sub(r"\d+", "#", written) == re.sub(r"\d+", "#", TEXT)
    before, after = (list(map(int, re.findall(r"\d+", text))) for text in (TEXT, written))
    assert sum(one != other for one, other in zip(before, after, strict=True)) == len(changes)
    back = [change._replace(value=change.number.value) for change in changes]
    # columns move with the digits, so what is there is found anew
    places = {(one.line, one.kind, one.end, one.name): one for one in _lenient(written)}
    undone = [
        NumberChange(places[key], change.value)
        for change in back
        if (key := (change.number.line, change.number.kind, change.number.end, change.number.name))
        in places
    ]
    if len(undone) == len(back):
        assert with_changes({"a.bidding": written}, undone)["a.bidding"] == TEXT


def _lenient(text):
    try:
        return found(text)
    except ValueError:
        return []


def test_another_number_there_is_said():
    number = found(TEXT)[0]
    with pytest.raises(InvalidInput, match=r"expected the number 16 in a\.bidding, line 2, column"):
        with_changes({"a.bidding": TEXT.replace("16+", "17+")}, [NumberChange(number, 15)])


def test_ends_that_meet_and_lines_of_one_name_move_together():
    text = """opening:
  1NT = Strong: 15-17 points, balanced
  1C = Club: 12-14 points
  2H = Weak two: 5-10 points, 6 hearts
  2S = Weak two: 5-10 points, 6 spades
"""
    moves = [
        {(one.number.line, one.number.value, one.value) for one in move}
        for move in moves_of(found(text), [1])
    ]
    assert {(3, 14, 15), (2, 15, 16)} in moves
    assert {(4, 5, 6), (5, 5, 6)} in moves
    assert {(4, 6, 7), (5, 6, 7)} in moves
    assert {(2, 17, 18)} in moves
    assert len({frozenset(move) for move in moves}) == len(moves)
    assert not moves_of(found("opening:\n  1C = Any: 0+ points\n"), [-1, -2])


def test_files_are_read_again_with_other_numbers(tmp_path):
    (tmp_path / "page.bidding").write_bytes(b"opening:\r\n  1NT = Strong: 15-17 points  -- 15\r\n")
    main = tmp_path / "main.bidding"
    main.write_bytes('\ufeffsystem Main\ninclude "page.bidding"\ninclude "words.bidding"'.encode())
    text = OpenText(main)
    assert text.system().name == "main"
    (number, *_) = (one for one in text.numbers() if one.file == "page.bidding")
    changed = text.changed([NumberChange(number, 14)], text.paths)
    assert changed.content("page.bidding") == (
        b"opening:\r\n  1NT = Strong: 14-17 points  -- 15\r\n"
    )
    assert changed.content("main.bidding") == main.read_bytes()
    assert changed.system().digest != text.system().digest
    assert text.texts["page.bidding"].startswith("opening:\r\n  1NT = Strong: 15")
    # another system's page of that name is another file
    assert (
        OpenText("sayc").changed([NumberChange(number, 14)], text.paths).texts
        == OpenText("sayc").texts
    )


@pytest.mark.parametrize("name", one_system("precision"))
def test_shipped_texts_have_their_numbers(name):
    text = OpenText(name)
    numbers = {one.place: one for one in text.numbers()}.values()
    assert len(numbers) > 500
    same = text.changed([NumberChange(one, one.value) for one in numbers], text.paths)
    assert same.texts == text.texts


def test_includes_by_folder_are_refused(tmp_path):
    (tmp_path / "sub").mkdir()
    for folder, low in ((tmp_path, 12), (tmp_path / "sub", 13)):
        (folder / "page.bidding").write_text(f"opening:\n  1C = Club: {low}+ points\n")
    main = tmp_path / "main.bidding"
    main.write_text('include "sub/page.bidding"\ninclude "page.bidding"\n')
    with pytest.raises(InvalidInput, match="expected files of different names"):
        OpenText(main)
