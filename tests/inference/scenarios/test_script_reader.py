"""Scripts read into trees, and what is said of those that cannot be read."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidScript, Seat, Vulnerability
from bidcascade.inference.scenarios.script_reader import parse_script, read_script
from bidcascade.inference.scenarios.script_tree import (
    And,
    Average,
    Binary,
    Conditional,
    EvaluateContract,
    EvaluateContracts,
    Frequency,
    Measure,
    Print,
    PrintHands,
    PrintValues,
    ScriptNumber,
    Share,
    Tricks,
)
from bidcascade.inference.scenarios.script_words import KEYWORDS

EVERYTHING = """# A title
# What is practised
/* a comment of
   two lines */
generate 10000
produce    25   // as the manual has it
vulnerable EW
dealer     west
pointcount 6 4 2 1
altcount 9 0 0 0 0 1
predeal    south SAQ542, HKJ87, D32, CAK
predeal    spades(north)==3, hearts(east) == 2
strong = hcp(west, spades) + pt9(west) > 11 and not clubs(west) >= 3
choice = strong ? 1 : tricks(north, notrumps) < 9 ? 2 : -3
# share 40 strong
condition  strong || choice == 2 && shape(north, any 4333 + 54xx, x5xx - any 0xxx)
action     printall, printew, printpbn, printcompact, printoneline hcp(north),
           print(east, west), printes("n ", hcp(north), \\n), printcompact(clubs(west)),
           average "points" hcp(north), average imps(score(vul, x3N, 9) - score(nv, x4S, 10)),
           frequency "two" (aces(north), 0, 4, hcp(north), -5, 30), evalcontract,
"""


def test_everything_is_read():
    script = parse_script(EVERYTHING)
    assert (script.generate, script.produce, script.dealer) == (10_000, 25, Seat.WEST)
    assert script.vulnerability == Vulnerability.EW
    assert script.points[:5] == (6, 4, 2, 1, 0)
    assert script.counts[9] == (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert [mask.bit_count() for mask in script.cards] == [0, 0, 13, 0]
    assert script.lengths[Seat.NORTH][3] == 3
    assert script.lengths[Seat.EAST][2] == 2
    assert set(script.names) == {"strong", "choice"}
    assert isinstance(script.names["choice"], Conditional)
    assert script.shares == (Share(40, "strong"),)
    assert script.remarks == ("A title", "What is practised")
    assert [type(one) for one in script.actions] == [
        Print, Print, Print, Print, Print, PrintHands, PrintValues, Print, Average, Average,
        Frequency, EvaluateContracts,
    ]  # fmt: skip
    assert script.actions[4] == Print("printoneline", Measure("hcp", Seat.NORTH))
    assert script.needs_solver


def test_the_words_of_a_name_are_shared():
    script = parse_script("x = hcp(north) > 3  x && x")
    assert isinstance(script.condition, And)
    first, second = script.condition.operands
    assert first is second


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("1 - 2 - 3", "(1 - 2) - 3"),
        ("!0 + 3", "(!0) + 3"),
        ("1 < 2 == 1", "(1 < 2) == 1"),
        ("1 || 0 && 0", "1 || (0 && 0)"),
        ("1 ? 2 : 0 ? 3 : 4", "1 ? 2 : (0 ? 3 : 4)"),
        ("not 1 and 0", "(!1) && 0"),
        ("spade(north) > 1", "spades(north) > 1"),
        ("top4(north)", "pt7(north)"),
        ("tens(west, clubs)", "pt0(west, club)"),
        ("shape(north, 4333, 3433)", "shape(north, 4333 + 3433)"),
        ("shape(north, 4333 3433)", "shape(north, 4333 + 3433)"),
        ("condition hcp(north) condition aces(north)", "aces(north)"),
    ],
)
def test_expressions_bind_as_in_c(text, same):
    assert parse_script(text).condition == parse_script(same).condition


def test_the_first_number_stands_and_the_last_condition():
    script = parse_script("produce 5 produce 6 generate 50 generate 60 1 condition 2")
    assert (script.produce, script.generate, script.condition) == (5, 50, ScriptNumber(2))


def test_a_condition_behind_an_action_is_none_of_it():
    script = parse_script("action printoneline\nhcp(north) > 3")
    assert script.actions == (Print("printoneline"),)
    assert isinstance(script.condition, Binary)


@pytest.mark.parametrize(
    ("text", "value"),
    [("11.5", 11.5), (".5", 0.5), ("12.", 12), ("-2.25", -2.25), ("13.0", 13)],
)
def test_numbers_with_a_point(text, value):
    condition = parse_script(text).condition
    assert condition == ScriptNumber(value)
    assert isinstance(condition.value, type(value))


def test_cards_may_count_parts_of_a_point():
    script = parse_script("pointcount 4.5 3 1.5 .75 0.25 altcount 0 1.5")
    assert script.points[:6] == (4.5, 3, 1.5, 0.75, 0.25, 0)
    assert script.counts[0][:2] == (1.5, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(NS, x4S, vul)", EvaluateContract("", (Seat.NORTH, Seat.SOUTH), 4, 3, 0, True)),
        ("(ew, x3N, nv)", EvaluateContract("", (Seat.EAST, Seat.WEST), 3, 4, 0, False)),
        ("(south, x2Hx, nv)", EvaluateContract("", (Seat.SOUTH,), 2, 2, 1, False)),
        ('"game" (north, x5Cxx, vul)', EvaluateContract("game", (Seat.NORTH,), 5, 0, 2, True)),
        ('("game", x5C, NS)', EvaluateContract("game", (Seat.NORTH, Seat.SOUTH), 5, 0, 0, None)),
        ("(x4S, vul, south)", EvaluateContract("", (Seat.SOUTH,), 4, 3, 0, True)),
        ("(nv, x4Sx, EW)", EvaluateContract("", (Seat.EAST, Seat.WEST), 4, 3, 1, False)),
        ("(NS, x3NT, EW)", EvaluateContract("", (Seat.NORTH, Seat.SOUTH), 3, 4, 0, False)),
        ("(west, z3Nxx, ew)", EvaluateContract("", (Seat.WEST,), 3, 4, 2, True)),
        ("(EW, 4S, both)", EvaluateContract("", (Seat.EAST, Seat.WEST), 4, 3, 0, True)),
        ("(none, 3nt, east)", EvaluateContract("", (Seat.EAST,), 3, 4, 0, False)),
        ("(1C)", EvaluateContract("", (Seat.NORTH, Seat.SOUTH), 1, 0, 0, None)),
        ("", EvaluateContracts()),
        ("()", EvaluateContracts()),
    ],
)
def test_contracts_that_are_evaluated(text, expected):
    script = parse_script(f"action evalcontract{text}, printall")
    assert script.actions == (expected, Print("printall"))
    assert script.needs_solver


def test_whole_numbers_may_have_a_point():
    script = parse_script(
        "produce 20.0 predeal spades(north) == 5. both = 3 vulnerable both "
        "action frequency (hcp(north), 0.0, 37.00)"
    )
    assert (script.produce, script.lengths[0][3], script.names["both"].value) == (20, 5, 3)
    assert script.vulnerability == Vulnerability.BOTH
    assert script.actions[0].axes[0][1:] == (0, 37)


def test_tricks():
    assert parse_script("tricks(west, spades)").condition == Tricks(Seat.WEST, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hcp(north >= 3", "line 1, column 11: expected ')', got '>='"),
        ("hcp(nort) > 3", "line 1, column 5: expected one of north, east, south, west, got 'nort'"
         "; did you mean 'north'?"),
        ("\n\n loosers(north) > 3", "line 3, column 2: expected a function, got 'loosers'; did "
         "you mean 'losers'?"),
        ("strong && 1", "line 1, column 1: expected a name that is defined, got 'strong'"),
        ("x = 1 x = 2", "line 1, column 7: expected a name that is not defined yet, got 'x'"),
        ("clubs = 3", "line 1, column 1: expected a name that is no word of the language and no "
         "cards, got 'clubs'"),
        ("SA = 3", "line 1, column 1: expected a name that is no word of the language and no "
         "cards, got 'SA'"),
        ("action printal", "line 1, column 8: expected an action, got 'printal'; did you mean "
         "'printall'?"),
        ("produce 0", "line 1, column 9: expected a number from 1 to 10,000,000 behind produce, "
         "got 0"),
        ("produce 10.5", "line 1, column 9: expected a whole number, got '10.5'"),
        ("hcp(north) > 1.2.3", "line 1, column 15: expected a word, a number or a sign of the "
         "language, got '.'"),
        ("hcp(north) > 9999999999.5", "line 1, column 14: expected a number up to 2,147,483,647 of "
         "at most 16 signs, got '9999999999.5'"),
        ("action evalcontract(NS, x4S, vul, nv)", "line 1, column 35: expected one contract, a "
         "side or declarer, and vul or nv, got 'nv'"),
        ("action evalcontract(NS, x8S, vul)", "line 1, column 25: expected a contract such as x3N "
         "or x4Sx, got 'x8S'"),
        ("action evalcontract(NS, vul)", "line 1, column 28: expected a contract such as x3N or "
         "x4Sx, got ')'"),
        ("produce many", "line 1, column 9: expected a number, got 'many'"),
        ("produce 99999999999", "line 1, column 9: expected a number up to 2,147,483,647, got "
         "'99999999999'"),
        ("shape(north, 4334)", "line 1, column 14: expected lengths of 13 cards together, got "
         "'4334'"),
        ("shape(north, any 433)", "line 1, column 18: expected a shape such as 5332 or 54xx, got "
         "'433'"),
        ("hascard(north, SA)", "line 1, column 16: expected a card such as KH, got 'SA'"),
        ("predeal north SAK, south SA", "line 1, column 26: expected cards that North does not "
         "hold yet, got 'SA'"),
        ("predeal north SAKQJT98765432, HA", "line 1, column 31: expected at most 13 cards of a "
         "hand, got 'HA'"),
        ("predeal 3", "line 1, column 9: expected a seat or a suit behind predeal, got '3'"),
        ("altcount 10 1 2", "line 1, column 10: expected a count from 0 to 9, got 10"),
        ("pointcount 1 2 3 4 5 6 7 8 9 1 1 1 1 1", "line 1, column 38: expected at most 13 "
         "numbers, the ace's first, got '1'"),
        ("frequency (hcp(north), 5, 3)", "line 1, column 1: expected a command, a definition or a "
         "condition, got 'frequency'"),
        ("action frequency (hcp(north), 5, 3)", "line 1, column 31: expected a bound that is not "
         "below the first, and at most 1000 values, got 5 to 3"),
        ("score(vul, x8N, 9)", "line 1, column 12: expected a contract such as x3N or x4Sx, "
         "got 'x8N'"),
        ("hcp(north) = 3", "line 1, column 12: expected a command, a definition or a condition, "
         "got '='"),
        ("1 ? 2", "line 1, column 6: expected ':', got the end"),
        ("/* never", "line 1, column 1: expected '*/' behind '/*', got '/*'"),
        ('action average "x', "line 1, column 16: expected a closing '\"', got '\"'"),
        ("hcp(north) & 3", "line 1, column 12: expected a word, a number or a sign of the "
         "language, got '&'"),
        ("condition", "line 1, column 10: expected a number, a function, a name or '(', got the "
         "end"),
        ("x = 3\n# share 40 y", "line 2, column 1: expected a name that the script defines, got "
         "'y'"),
        ("(" * 41 + "1" + ")" * 41, "line 1, column 41: expected at most 40 levels of brackets, "
         "got more"),
        ("import os", "line 1, column 1: expected a name that is defined, got 'import'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(text, message):
    with pytest.raises(InvalidScript) as caught:
        parse_script(text)
    assert str(caught.value) == message


def test_expressions_that_grow_are_refused():
    doubled = "x0 = hcp(north)\n" + "".join(f"x{n} = x{n - 1} + x{n - 1}\n" for n in range(1, 40))
    with pytest.raises(InvalidScript, match="at most 20,000 parts"):
        parse_script(doubled)
    with pytest.raises(InvalidScript, match="150 levels"):
        parse_script("1" + " + 1" * 200)
    with pytest.raises(InvalidScript, match="200,000 characters"):
        parse_script(" " * 200_001)
    # alternatives in a row are no levels
    parse_script(" || ".join(["hcp(north) > 3"] * 500))


def test_older_encodings_are_read(tmp_path):
    path = tmp_path / "old.dl"
    path.write_bytes("# für Anfänger\nhcp(north) > 12".encode("latin-1"))
    assert read_script(path).remarks == ("für Anfänger",)
    path.write_bytes(b"\xef\xbb\xbfhcp(north) > 12\r\n")
    assert isinstance(read_script(path).condition, Binary)
    path.write_bytes("hcp(north) > 12".encode("utf-16"))
    with pytest.raises(InvalidScript, match=r"old\.dl"):
        read_script(path)
    path.write_bytes(bytes(range(256)))
    with pytest.raises(InvalidScript, match=r"as text in 'old\.dl'"):
        read_script(path)


WORDS = st.sampled_from(
    sorted(KEYWORDS)
    + list("()=+-*/%!?:,<>")
    + ["&&", "||", "==", "4333", "x5xx", "12", "SAK", "KH", "x3N", "name", '"text"', "\\n", "# c\n"]
)


@given(st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=60))
def test_anything_is_read_or_refused(text):
    with suppress(InvalidScript):
        parse_script(text)
