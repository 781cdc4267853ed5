"""Complaints about a system's text: in bridge words, several at once, with a caret and advice."""

import pytest

from bidcascade.bridge import BidcascadeError, InvalidSystem, parse_call
from bidcascade.systems.language.checks.checks import DEEPEST_DEFINITION
from bidcascade.systems.language.errors import MOST_SHOWN
from bidcascade.systems.language.reader import read_system, read_text
from bidcascade.systems.language.reading import resolver
from bidcascade.systems.language.reading.layout import DEEPEST, LONGEST_LINE
from bidcascade.systems.language.reading.sources import MOST_COMPLAINTS, MOST_LINES
from bidcascade.systems.system import System


def complaints(text, **options):
    with pytest.raises(InvalidSystem) as caught:
        read_text(text, **options)
    return caught.value.complaints


def complaint(text):
    (found,) = complaints(text)
    return found


def pointed_at(found):
    """What stands in the line from the caret on."""
    return found.line_text[found.caret.index("^") :]


# ---------------------------------------------------------------------- the examples of the design
def test_misspelt_name():
    found = complaint("opening:\n  1NT = Strong: 15-17 points, ballanced\n")
    assert found.message == '"ballanced"? did you mean "balanced"'
    assert str(found.where) == "<text>:2"
    assert pointed_at(found) == "ballanced"


@pytest.mark.parametrize(
    ("line", "message", "advice", "caret"),
    [
        ("2C = 5+ heart, 8+ points", 'after "5+" I expect points or a suit, I read "heart"',
         'write "hearts"', "heart,"),
        ("2C = Natural: 8+ points 4 clubs; forcing",
         'two conditions without a comma: "8+ points 4 clubs"',
         'write "8+ points, 4 clubs"', "4 clubs"),
    ],
)  # fmt: skip
def test_what_is_left_out(line, message, advice, caret):
    found = complaint(f"after 1H:\n  {line}\n")
    assert (found.message, found.advice) == (message, advice)
    assert pointed_at(found).startswith(caret)


def test_what_is_no_text_does_not_reach_the_terminal():
    found = complaints("opening:\n  1C = 3+ \x1b[31mclubs\x07\n")
    assert {one.line_text for one in found} == {"  1C = 3+ ?[31mclubs?"}
    assert not {"\x1b", "\x07"} & set("".join(str(one) for one in found))


def test_message_shows_place_advice_line_and_caret():
    with pytest.raises(InvalidSystem) as caught:
        read_text("opening:\n  1H = 5+ heart\n", "mine.bidding")
    assert str(caught.value) == (
        'mine.bidding:2: after "5+" I expect points or a suit, I read "heart" (write "hearts")\n'
        "    1H = 5+ heart\n"
        "            ^"
    )
    assert isinstance(caught.value, BidcascadeError)
    assert isinstance(caught.value, ValueError)


def test_all_bad_lines_are_found_at_once_in_the_order_of_the_file():
    text = """\
openning:
  1C = 3+ clubs
opening:
  1D = 4+ diamond
  1H = 5+ hearts, wild
  1S == 5+ spades
  2C = 22+ points
    1D = 8+ points
  2D = 5-3 points
"""
    found = complaints(text)
    assert [one.where.line for one in found] == [1, 4, 5, 6, 8, 9]


# ---------------------------------------------------------------------- lines
@pytest.mark.parametrize(
    ("line", "message", "advice", "caret"),
    [
        ("2C = ballanced, 8+ points", '"ballanced"?', "", "ballanced"),
        ("2C = 25+ combined suport points", '"suport"? did you mean "support"', "", "suport"),
        ("2C = stopper in their siut", '"siut"? did you mean "suit"', "", "siut"),
        ("2C = 8+ points; forcin", '"forcin"? did you mean "forcing"', "", "forcin"),
        ("2C = balanced unbalanced", "two conditions without a comma", "balanced, unb", "balanced"),
        ("2C = 11-21 pts", '"11-21 pts" is no condition', 'write "11-21 points"', "11-21"),
        ("2C = Natural, 8+ points", "a name ends with a colon", "colon behind the name", ", 8+"),
        ("2C: 8+ points", 'a call is followed by "="', '"="', ": 8+"),
        ("2C 8+ points", 'after "2C" I expect "="', "", "8+"),
        ("2C = 8+ points,", 'after "," I expect a condition, and the line ends', "", ""),
        ("2C = 8+ points;", "an agreement such as forcing", "", ""),
        ("2C = 8+ points; 4+ clubs", "an agreement", "before the semicolon", "4+ clubs"),
        ("2C =", "a name or a condition, and the line ends", "", ""),
        ("2C = 4+ clubs or hearts", "how many hearts", "4+ clubs or 4+ hearts", "hearts"),
        ("2C = points >= 15", '"points >= 15" is not', '"15+ points"', "points >= 15"),
        ("2C = 9.55 playing tricks", "playing tricks are counted in halves", "2.5", "9.55"),
        ("2C = 1.5-2.25 quick tricks", "quick tricks are counted in halves", "2.5", "1.5-2.25"),
        ("2C = 0 or 1.2 quick tricks", "quick tricks are counted in halves", "2.5", "0 or"),
        ("2C = x playing tricks", '"x playing tricks"?', '"2+ playing tricks"', "x playing"),
        ("2C = many points", '"many points"?', '"2+ points"', "many"),
        ("2C = 14+ playing tricks", "at most 13 playing tricks", "", "14+"),
        ("2C = 8.5 quick tricks", "at most 8 quick tricks", "", "8.5"),
        ("2C = 2.5-1.5 quick tricks", "is an empty range", '"1.5-2.5"', "2.5-1.5"),
        ("2C = 2+ quick tricks, at most 1.5 quick tricks", "no hand has 2+ quick", "or", "at most"),
        ("2C = 9,5 playing tricks", '"9,5" is no number', '"9.5"', "9,5"),
        ("2C = 8+ points, 2,5 quick tricks", '"2,5" is no number', '"2.5"', "2,5"),
        ("2C = 2½ quick tricks", '"2½" is not written here', '"2.5"', "2½"),
        ("2C = 2 ½ quick tricks", '"½" is not written here', '"2.5"', "½"),
        ("2C = 9.5 points", "points are counted in whole numbers", "", "9.5"),
        ("2C = 4.5+ hearts", "cards in a suit are counted in whole numbers", "", "4.5+"),
        ("2C = fewer than 9.5 losers", "losers are counted in whole numbers", "", "fewer"),
        ("2C = partner has shown 9.5+ points", "points are counted in whole", "", "9.5+"),
        ("2C = rule of 20.5", '"20.5" is no whole number', "", "20.5"),
        ("2C = 1.5 of the top 3 in clubs", "honours are counted in whole numbers", "", "1.5"),
        ("2C = 2 of the top 3.5 in clubs", '"3.5" is no whole number', "", "3.5"),
        ("step 1.5 = 8+ points", '"1.5" is no whole number', "", "1.5"),
        ("2C = 4.5-card suit", '"4.5" is no whole number', "halves", "4.5"),
        ('2C = "prose', "never closed", "", '"prose'),
        ("2C = {HCP > 5", "never closed", "", "{HCP"),
        ("2C = (4 clubs", 'expect ")"', "", ""),
        ("2C = 5-3 points", '"5-3" is an empty range', '"3-5"', "5-3"),
        ("2C = 5+ clubs, 5-3 clubs", '"5-3" is an empty range', '"3-5"', "5-3"),
        ("2C = 6-4-card suit", "empty range", "", "6-4"),
        ("2C = fewer than 0 points", "empty range", "", "fewer"),
        ("2C = 14+ clubs", "at most 13 cards in a suit", "", "14+"),
        ("2C = 40+ points", "at most 37 points", "", "40+"),
        ("2C = 5 aces", "at most 4 aces", "", "5 aces"),
        ("2C = 4 of the top 3 in clubs", "cannot be", "", "4 of"),
        ("2C = 5-4-3-2", "add up to 14", "", "5-4-3-2"),
        ("2C = 7=x=x=7", "add up to 14", "", "7=x"),
        ("2C = clubs longer than clubs", "one suit twice", "", "clubs longer"),
        ("2C = 5+ clubs, at most 3 clubs", "no hand has 5+ clubs and at most 3", "or", "at most"),
        ("2C = 8+ points, 4 hearts, 5-7 points", "no hand has 8+ points", "", "5-7"),
        ("2C = 5+ clubs, void in clubs", "no hand has 5+ clubs and void", "", "void"),
        ("2C = balanced, not balanced", "both balanced and not balanced", "", "balanced"),
        ("2C = 5+ hearts, 5+ spades, 4+ clubs", "14 cards together", "", "4+ clubs"),
        ("2C = 4+ clubs, 5 points or 3 clubs, 9+ points", "can never be", "and", "5 points"),
        (
            "2C = vulnerable, 9+ points or not vulnerable, 8+ points",
            "is vulnerable and not",
            "and",
            "not vul",
        ),
        (
            "2C = unfavourable, 4+ clubs or not vulnerable and 5+ clubs",
            "unfavourable and not",
            "and",
            "not vul",
        ),
        ("2C = 5+ X", 'which suit "X" is', '"2X"', "5+ X"),
        ("2M = 5+ m", 'which suit "m" is', "here the suits are M", "5+ m"),
        ("2C = 8+ points; agrees M", 'which suit "M" is', "", "agrees M"),
        ("2C = Balanced", "is read as the name", 'write "balanced"', "2C = Bal"),
        ("1D = 8+ points", "1D is not enough over 1H", "2D", "1D ="),
        ("1H = 8+ points", "1H is not enough over 1H", "2H", "1H ="),
        ("Double = 8+ points", "our own side's bid", "", "Double"),
        ("Redouble = 8+ points", "there is no double", "", "Redouble"),
        ("X = 8+ points", '"X" is no call here', '"Double"', "X ="),
        ("8C = 8+ points", '"8C" is no bid', "level 1-7", "8C"),
        ("transfer 2S = 5+ spades", "I expect a call", '"transfer to"', "transfer"),
        ("either Weak: 5 points", "no call stands above", "under its call", "either"),
        ("use stayman", 'no convention "stayman"', 'include "notrump.bidding"', "stayman"),
        ("use staymann", 'no convention "staymann"', "", "staymann"),
        ("2C = weak: 5-9 points", '"weak" is no name', '"Weak"', "weak"),
        ("2 hearts = 8+ points", '"2 hearts" is no bid', 'write "2H"', "2 hearts"),
        ("two of a major = 8+ points", "no bid", 'write "2M"', "two of"),
        ("2 NT = 8+ points", '"2 NT" is no bid', 'write "2NT"', "2 NT"),
        ("raise = 8+ points", 'I read "raise"', "a call is a bid such as 2M", "raise"),
        ("responses to 1NT:", 'I read "responses"', 'begins with "opening"', "responses"),
        ("define big = 20+ points", "at the left edge", "", "define"),
        ('include "words"', "at the left edge", "", "include"),
        ("without option foo:", 'no option "foo"', "", "foo"),
        ("3NT = I have a fit", "takes two hands", '"we have"', "I have"),
        ("after 1C: 2D = 5+ diamonds", "stands alone in its line", "below it", "2D"),
        ("2C = 8+ points, 4S", "a call, not a number", '"4 spades"', "4S"),
        ("2C = 4S, 8+ points", "a call, not a number", '"4 spades"', "4S"),
        ("2C = 4+ clubs “so”", "not the plain ones", '"', "“"),
        ("2C = 4+ clubs — so", "begins nothing", '"--"', "—"),
        ("2C = 4+ clubs; shows: 4+ clubs", "an agreement", "", "shows"),
        ("over 1C:", "stands in parentheses", "over (", "1C"),
        ("2C = 8+ points; shows 5+ X", 'which suit "X"', "", "5+ X"),
    ],
)
def test_a_bad_line(line, message, advice, caret):
    found = complaints(f"after 1H:\n  {line}\n  3C = 3+ clubs\n")
    one = next((one for one in found if message in one.message), None)
    assert one is not None, [str(other) for other in found]
    assert advice in one.advice
    assert one.where.line == 2
    assert pointed_at(one).startswith(caret)


# ---------------------------------------------------------------------- players' own words
WHAT_PLAYERS_WRITE = {
    "5+ card minor": "5+-card minor", "a 5 card major": "a 5-card major",
    "no 4 card major": "no 4-card major", "5 card hearts": "5 hearts", "5-card heart": "5 hearts",
    "6 major": "6-card major", "4+ card X": "4+ X", "8+ card fit": "8+-card fit",
    "5+ in every minor": "5+ in both minors", "4+ in all majors": "4+ in both majors",
    "4 in the majors": "4 in both majors", "5+ in either major": "5+ in a major",
    "3+ in all suits": "3+ in every suit", "3+ in each unbid suit": "3+ in every unbid suit",
    "5-5 in the minors": "5+ in both minors", "exactly 4-4 majors": "4 in both majors",
    "at least 5-4 in the majors": "(5+ hearts and 4+ spades) or (4+ hearts and 5+ spades)",
    "5-4 shape": "5+-4+-x-x", "5332": "5-3-3-2", "any 4333": "4-3-3-3",
    "5332 or 4432": "5-3-3-2 or 4-4-3-2",
    "14-16 bal": "14-16 points, balanced", "12-14 balanced": "12-14 points, balanced",
    "15-17 points bal.": "15-17 points, balanced", "6+ unbal": "6+ points, unbalanced",
    "15-17 NT": "15-17 points, balanced", "bal 15-17": "15-17 points, balanced",
    "12-14 bal or 18+ points": "12-14 points and balanced or 18+ points",
    "semi bal": "semi-balanced", "a balanced hand": "balanced",
    "12 to 14 points": "12-14 points", "between 12 and 14 points": "12-14 points",
    "under 10 points": "fewer than 10 points", "up to 9 points": "at most 9 points",
    "5 or more hearts": "5+ hearts", "hearts 5+": "5+ hearts", "5 plus hearts": "5+ hearts",
    "15-17": "15-17 points", "12-14 HCPs": "12-14 points", "7-loser hand": "7 losers",
    "stops their suit": "stopper in their suit", "hearts stopped": "stopper in hearts",
    "heart void": "void in hearts", "short in hearts": "shortness in hearts",
    "A or K in hearts": "ace of hearts or king of hearts", "Q in spades": "queen of spades",
    "2 of top 3 in clubs": "2 of the top 3 in clubs",
    "honour in hearts": "one of the top five in hearts",
    "two honours in hearts": "two of the top five in hearts",
    "unless vulnerable": "not vulnerable",
    "12+ points unless 5+ spades": "12+ points, not 5+ spades",
    "has 5+ hearts": "5+ hearts", "denies a 4-card major": "not a 4-card major",
    "anything": "any hand", "any": "any hand", "everything else": "any other hand",
}  # fmt: skip
"""Words of players, and what to write."""


@pytest.mark.parametrize("said", WHAT_PLAYERS_WRITE)
def test_what_players_write_is_told_as_the_language_has_it(said):
    meant = WHAT_PLAYERS_WRITE[said]
    found = complaint(f"over (1C):\n  2X = Natural: 6+ X, {said}\n")
    assert found.advice == f'write "{meant}"'
    assert f'"{said}"' in found.message
    assert pointed_at(found) == said
    # what is advised is read
    assert read_text(f"over (1C):\n  2X = Natural: 6+ X, {meant}\n").blocks


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("two honours", "say in which suit"),
        ("3 honors", "say in which suit"),
        ("a side ace", "say of which suits"),
        ("4+ cards in a side suit", "name the suit"),
        ("a side suit", "name the suit"),
        ("50%", "a call is made with every hand that fits"),
        ("may have a 5-card major", "leave it out"),
        ("may have a void", "leave it out"),
        ("can be 5-3-3-2", "leave it out"),
        ("could be 5332", "leave it out"),
        ("might have 4+ spades", "leave it out"),
        ("possibly 5 hearts", "leave it out"),
        ("5 card major possible", "leave it out"),
        ("usually balanced", "leave it out"),
        ("any shape", "leave it out"),
        ("any strength", "leave it out"),
        ("any distribution", "leave it out"),
        ("unlimited", "leave it out"),
        ("4 hearts or 4 spades or both", "leave it out"),
        ("weak", "how many points"),
        ("maximum", "how many points"),
        ("12+", '"12+ points", or "12+ hearts" for cards'),
        ("long hearts", "how long"),
        ("a long minor", "how long"),
        ("hearts", '"5+ hearts"'),
        ("both majors", '"4+ in both majors"'),
        ("good 6-card suit", "name the suit"),
        ("stopper", "in which suit"),
        ("no stopper", "in which suit"),
        ("good support", "how many cards"),
        ("AKxxx in hearts", "name the honours"),
        ("4+ in the other major", 'write "oM"'),
        ("two-suiter", "write the suits"),
        ("worth game", "combined points"),
        ("16+ or good 15", "points are whole"),
        ("partner may have a 5-card major", '"partner may have 5 M"'),
        ("partner has shown a balanced hand", "partner has shown 12+ points"),
        ("solid X", '"define solid X = …"'),
        ("wild X oM", '"define wild X Y = …"'),
    ],
)
def test_what_players_write_that_has_no_words_of_its_own_is_explained(said, advice):
    text = f"after 1M:\n  2X = Natural: 6+ X, {said}\n"
    assert advice in complaints(text)[0].advice


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("HCP >= 12", "12+ points"),
        ("hcp>11", "12+ points"),
        ("points <= 9", "at most 9 points"),
        ("HCP < 10", "at most 9 points"),
        ("HCP == 12", "12 points"),
        ("12 <= HCP <= 14", "12-14 points"),
        ("12 ≤ points < 15", "12-14 points"),
        ("SL_S >= 5", "5+ spades"),
        ("hearts ≥ 5", "5+ hearts"),
        ("15 > HCP", "at most 14 points"),
    ],
)
@pytest.mark.parametrize("name", ["", "Natural: ", "Natural: 5+ clubs, "])
def test_comparisons_of_tables_are_told_as_the_language_has_them(name, said, meant):
    found = complaint(f"opening:\n  1C = {name}{said}\n")
    assert (found.message, found.advice) == (f'"{said}" is not written here', f'write "{meant}"')
    assert read_text(f"opening:\n  1C = {name}{meant}\n").blocks


@pytest.mark.parametrize("name", ["X", "M", "oM"])
def test_a_variable_is_no_name(name):
    found = complaint(f"opening:\n  1D = {name}: 12+ points\n")
    assert found.message == f'"{name}" is no name: {name} is a suit variable'


def test_a_percent_sign_is_shown_as_it_stands():
    found = complaint("opening:\n  1H = 5+ hearts 50%\n")
    assert "points or a suit" not in found.message.partition("I read")[2]


@pytest.mark.parametrize("words", ["good X", "decent hearts", "worth a preempt in X", "stopped"])
def test_names_of_the_page_of_words_are_told_with_the_page(words):
    text = f"opening:\n  2X = Natural: 6+ X, {words}\n"
    assert 'include "words.bidding"' in complaint(text).advice
    assert read_text(f'include "words.bidding"\n{text}').blocks


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("GF", "forcing to game"), ("game force", "forcing to game"), ("F1", "forcing"),
        ("forcing 1 round", "forcing"), ("NF", "not forcing"), ("non-forcing", "not forcing"),
        ("inv", "invitational"), ("to play", "sign-off"), ("signoff", "sign-off"),
        ("conventional", "artificial"), ("pre-emptive", "preemptive"), ("alertable", "alert"),
        ("for takeout", "takeout"), ("penalties", "penalty"), ("sets hearts", "agrees hearts"),
    ],
)  # fmt: skip
def test_agreements_in_players_words(said, meant):
    found = complaint(f"opening:\n  2H = Natural: 6+ hearts; limited, {said}\n")
    assert (found.advice, pointed_at(found)) == (f'write "{meant}"', said)
    assert read_text(f"opening:\n  2H = Natural: 6+ hearts; limited, {meant}\n").blocks


def test_a_comma_is_advised_only_between_conditions():
    found = complaint("opening:\n  2H = 6+ hearts wild\n")
    assert found.advice == 'write "6+ hearts, wild", if "wild" is defined'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("after 1NT 1H:\n  2C = 3+ clubs\n", 1, "1H is not enough over 1NT"),
        ("after 1NT (2C) 2S (2H):\n  3C = 3+ clubs\n", 1, "2H is not enough over 2S"),
        ("after 1H (P) 1S (Redouble):\n  2C = 3+ clubs\n", 1, "there is no double"),
        ("after 1H:\n  2H = 6+ points\n    (2D):\n      3H = 3+ hearts\n", 3, "2D is not enough"),
        ("after 1H:\n  2M = 6+ points\n    2H = 3+ hearts\n", 3, "2H is not enough"),
        ("after 1H (Double):\n  Double = 6+ points\n", 2, "doubled already"),
        ("opening:\n  1C = 3+ clubs\n    Double = 3+ clubs\n", 3, "our own side's bid"),
        ("opening:\n  Double = 3+ clubs\n", 2, "no bid to be doubled"),
        ("(1C):\n  1D = 3+ clubs\n", 1, "below a call of ours"),
        ("opening:\n  (1C):\n    1D = 3+ clubs\n", 2, "below a call of ours"),
        ("opening:\n  1C = 3+ clubs\n    opening:\n      1D = 3+ clubs\n", 3, "below a call"),
        ("opening:\n", 1, "nothing stands below"),
        ("opening:\n1C = 3+ clubs\n", 1, "nothing stands below"),
        ("1C = 3+ clubs\n", 1, "a call stands in a block"),
        ("opening\n  1C = 3+ clubs\n", 1, "a header ends with a colon"),
        ("when X is big:\n  1C = 3+ clubs\n", 1, "expect"),
        ("when 5+ X:\n  1C = 3+ clubs\n", 1, 'which suit "X" is'),
        (
            "opening:\n  1C = 3+ clubs\n    either A weak one: 5 points\n",
            3,
            "conditions of its own",
        ),
        ("define aa = bb\ndefine bb = aa\n", 1, "is defined by itself: aa -> bb -> aa"),
        ("after 1C:\n  convention aa:\n    1D = 4+ diamonds\n", 2, "at the left edge"),
        ("define aa = 3+ clubs\ndefine aa = 4+ clubs\n", 2, "defined already, in line 1"),
        ("define aa X = 3+ Y\n", 1, 'which suit "Y" is'),
        ("define good X = 3+ X\nopening:\n  1C = good\n", 3, "defined with 1 suit, I read 0"),
        ("define aa = 3+ clubs\n  define bb = 3+ clubs\n", 2, "nothing can stand below"),
        ("define points = 3+ clubs\ndefine a = 3+ clubs\n", 2, "cannot be a name"),
        ("define forced hand = 3+ clubs\n", 1, "cannot be a name"),
        ('include "nowhere"\n', 1, 'there is no file "nowhere"'),
        ('include "../nowhere"\n', 1, "leads out of the folder"),
        ('include "/etc/hostname"\n', 1, "leads out of the folder"),
        ("include words.bidding\n", 1, "a file name in quotes"),
        ("foo bar\n", 1, 'a header such as "opening:"'),
    ],
)
def test_a_bad_block(text, line, message):
    found = complaints(text)
    assert any(message in one.message and one.where.line == line for one in found), [
        str(one) for one in found
    ]


def nested_definitions(count, meaning="{}, 12+ points"):
    """A text of definitions, each made of the one above it."""
    lines = ["define made0 = 5+ spades"]
    lines += [f"define made{n} = " + meaning.format(*[f"made{n - 1}"] * 2) for n in range(1, count)]
    return "\n".join((*lines, "opening:", f"  1S = Test: made{count - 1}", ""))


def test_the_deepest_definitions_allowed_are_read_and_bid():
    # the bound of the reader is the one of what reads conditions
    text = read_text(nested_definitions(DEEPEST_DEFINITION))
    assert System(text).bid("AKQJ5.A32.32.432").call == parse_call("1S")


@pytest.mark.parametrize("count", [DEEPEST_DEFINITION + 1, DEEPEST_DEFINITION + 9])
def test_definitions_too_deep_are_told_from_a_circle(count):
    found = complaint(nested_definitions(count))
    assert found.where.line == DEEPEST_DEFINITION + 1
    assert "33 definitions one within another, at most 32" in found.message
    assert "itself" not in str(found)


def test_definitions_that_double_are_refused_at_once():
    found = complaint(nested_definitions(31, "{}, {}"))
    assert found.where.line == 15  # 2**14 conditions
    assert "more than 10,000 conditions" in found.message


def test_a_circle_of_definitions_is_named_once_wherever_it_is_entered():
    circle = "define aa = bb\ndefine bb = cc\ndefine cc = bb, 12+ points\n"
    assert complaint(circle).message == '"bb" is defined by itself: bb -> cc -> bb'


def test_what_a_variable_makes_insufficient_is_no_error():
    text = "after 1NT:\n  2M = 5+ M\n    2X = 4+ X\n  nX = 6+ X\n    transfer to 3M = 5+ M\n"
    assert read_text(text).blocks


@pytest.mark.parametrize(
    "text",
    [
        "when they bid X:\n  Double = 3+ X\n",
        "when unbid suit X, we have an 8-card fit in Y:\n  Double = 3+ X, 3+ Y\n",
        "after 1M (2X):\n  Double = 4+ oM\n    2M = 3+ X\n",
        "define good X = 2 of the top 3 in X\nopening:\n  1M = good oM\n",
    ],
)
def test_variables_that_are_bound(text):
    assert read_text(text).blocks


# ---------------------------------------------------------------------- layout
def test_tabs():
    first, second = complaints("opening:\n\t1C = 3+ clubs\n    1D =\t4+ diamonds\n")
    assert (first.where.line, second.where.line) == (2, 3)
    assert "a tab stands here" in first.message
    assert (first.where.column, second.where.column) == (1, 9)
    assert "\t" not in first.line_text


@pytest.mark.parametrize(
    "character",
    ["\0", "\x0c", "\x85", "\xad", "\u2028", "\u200b", "\u200e", "\u202e", "\u2066", "\ufeff"],
)
def test_characters_that_cannot_be_seen(character):
    found = complaint(f"opening:\n  1C = 3+{character} clubs\n")
    assert "cannot be seen" in found.message
    assert found.where.column == 10


def test_a_remark_turns_nothing_around():
    found = complaint("opening:\n  1C = 3+ clubs -- \u202e sbulc +5\n")
    assert "cannot be seen" in found.message
    assert found.where.column == 20


@pytest.mark.parametrize(
    "digits",
    ["\uff11\uff15", "\u0661\u0665", "\u0967\u096b", "1\uff15", "\U0001d7cf"],
    ids=["fullwidth", "Arabic-Indic", "Devanagari", "mixed", "bold"],
)
def test_digits_of_other_scripts(digits):
    """Python reads them as numbers, the browser and many people do not."""
    found = complaint(f"opening:\n  1NT = Strong: {digits}-17 points\n")
    assert f"a digit of another script stands here ({digits.strip('1')[0]!r})" == found.message
    assert found.where.column == 17 + digits.startswith("1")
    assert complaint(f"opening:\n  1C = 3+ clubs, {{HCP >= {digits}}}\n").where.line == 2
    quoted = f'opening:\n  1NT = Strong: 15-17 points "{digits} of them" -- {digits}\n'
    assert read_text(quoted).blocks


def test_tabs_in_comments_are_nobodys_business():
    assert read_text("opening:\n\t-- a comment\n  1C = 3+ clubs  --\tso\n").blocks


def test_indentation_that_fits_no_line_above():
    found = complaint("after 1C:\n    1D = 4+ diamonds\n  1H = 4+ hearts\n    1S = 4+ spades\n")
    assert (found.where.line, pointed_at(found)) == (3, "1H = 4+ hearts")
    assert found.advice == "indent it by 0 or 4, as the lines that it goes with"


def test_a_first_line_that_is_indented():
    text = "  opening:\n    1C = 3+ clubs\n"
    assert "the first line is indented" in complaint(text).message
    assert "the first line is indented" in complaint(text + "after 1C:\n  1D = any hand\n").message


def test_steps_without_end():
    lines = ["opening:"] + [" " * depth + f"{depth}C = 3+ clubs" for depth in range(1, 9)]
    lines += [" " * depth + "Pass = 3+ clubs" for depth in range(9, 500)]
    assert any("steps deep" in one.message for one in complaints("\n".join(lines)))
    assert len(lines) > DEEPEST


def test_a_line_without_end():
    text = "opening:\n  1C = " + "3+ clubs or " * LONGEST_LINE + "balanced\n"
    assert f"at most {LONGEST_LINE:,} characters" in complaints(text)[-1].message


@pytest.mark.parametrize("deep", ["not " * 2000 + "balanced", "(" * 2000 + "balanced" + ")" * 2000])
def test_nesting_without_end(deep):
    assert "parentheses" in complaint(f"opening:\n  1C = {deep}\n").message


@pytest.mark.slow
def test_more_bad_lines_than_anyone_mends():
    text = "opening:\n" + "".join(f"  1C = {number} frogs\n" for number in range(MOST_LINES - 2))
    found = complaints(text)
    assert len(found) == MOST_COMPLAINTS
    with pytest.raises(InvalidSystem, match=f"and {MOST_COMPLAINTS - MOST_SHOWN} more$"):
        read_text(text)


@pytest.mark.parametrize("more", ["  1C = 3+ clubs\n", "\n", "    3+ clubs,\n", "use nothing\n"])
def test_fifty_thousand_lines_are_refused_at_once(more):
    found = complaint("opening:\n  1C = 3+ clubs,\n" + more * 50_000)
    assert f"at most {MOST_LINES:,} lines in all its files" in found.message


def test_lines_of_included_files_are_counted(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.bidding").write_text("\n" * (MOST_LINES // 2))
    (tmp_path / "all.bidding").write_text('include "one"\ninclude "two"\n')
    with pytest.raises(InvalidSystem, match=r"^two\.bidding: a system has at most"):
        read_system(tmp_path / "all.bidding")


@pytest.mark.slow
def test_a_line_that_goes_on_without_end():
    # each line was looked at together with all before it: minutes for these
    text = "opening:\n  1C = 3+ clubs or\n" + "    3+ clubs or\n" * (MOST_LINES - 5)
    assert f"at most {LONGEST_LINE:,} characters, those" in complaints(text)[0].message


# ---------------------------------------------------------------------- conventions and options
@pytest.mark.parametrize(
    ("parameters", "use", "message", "advice", "line", "caret"),
    [
        ("call, game", "call 2H", '"raise" needs a value for "game"', 'write "use raise(game …)"',
         4, "raise(call 2H)"),
        ("call 2H", "cal 3H", '"raise" has no parameter "cal"', 'did you mean "call"', 4, "cal"),
        # shown where it is used
        ("call 2H", "call 9H", '"9H" is no bid, as used in <text>:4', "", 3, "call = 6+ points"),
    ],
)  # fmt: skip
def test_bad_parameters(parameters, use, message, advice, line, caret):
    found = complaint(
        f"convention raise({parameters}):\n  after 1H:\n    call = 6+ points\nuse raise({use})\n"
    )
    assert (found.message, found.where.line) == (message, line)
    assert advice in found.advice
    assert pointed_at(found).startswith(caret)


def test_a_convention_that_uses_itself():
    text = "convention a:\n  use b\nconvention b:\n  use a\nopening:\n  1C = 3+ clubs\n  use a\n"
    assert complaint(text).message == "a convention uses itself: a -> b -> a"


def test_a_hand_type_in_a_convention():
    text = (
        "convention a:\n  either Weak: 5 points\nafter 1C:\n  2C = Two ways: any hand\n    use a\n"
    )
    assert "a hand type stands below its call" in complaint(text).message


def test_a_convention_that_nothing_uses_is_read_too():
    assert "did you mean" in complaint("convention a:\n  after 1C:\n    1D = 4+ diamnds\n").message


def test_conventions_that_multiply_without_end(monkeypatch):
    monkeypatch.setattr(resolver, "MOST_STATEMENTS", 5_000)
    text = "".join(f"convention c{n}:\n  use c{n + 1}\n  use c{n + 1}\n" for n in range(30))
    text += "convention c30:\n  1C = 3+ clubs\nopening:\n  use c0\n"
    found = complaints(text)
    assert any("at most 5,000 lines" in one.message for one in found)


# ---------------------------------------------------------------------- lines without effect
_QUIET = {
    "opening:\n  1NT = Strong notrump\n":
        ('"Strong notrump" has no condition, so that any hand would make the call',
         'say which hands do, such as "Strong notrump: 12+ points", or write "any hand"'),
    "opening:\n  1NT = Strong, 15-17 points: balanced\n":
        ('"15-17 points" stands before the colon, in the name, where it tests nothing',
         'write the colon sooner: "Strong: …"'),
    "opening:\n  2C = Strong: 22+ points, forcing\n":
        ('"forcing" is said of the call, not of the hand',
         'write it behind a semicolon: "; forcing"'),
    "opening:\n  2C = Strong: 22+ points, agrees hearts\n":
        ('"agrees hearts" is said of the call, not of the hand',
         'write it behind a semicolon: "; agrees hearts"'),
    "opening:\n  1H = Rule: rule of 20; shows 12+ pointss\n":
        ('"shows 12+ pointss" promises nothing: "pointss"? did you mean "points"', ""),
    "opening:\n  1H = Rule: rule of 20; shows 5+ hearts and ballanced\n":
        ('"ballanced"? did you mean "balanced"', ""),
    "opening:\n  1C = Any: 2NT is at most the 1-level\n":
        ("only the cheapest bid and jumps have a level that the auction decides",
         'write "cheapest X is at most the 2-level", or "2X is available"'),
    "after 1C:\n  after 1D:\n    2C = Stayman: 8+ points\n":
        ("this auction stands within another one, which it takes the place of",
         'write the whole of it in one header, such as "after 1C 1D:"'),
    "option weak:\nopening:\n  1C = 3+ clubs\n":
        ('nothing stands below the option "weak"', "indent its lines under it"),
    "opening:\n  without option a:\n  1C = 3+ clubs\noption a:\n  opening:\n    2C = 3+ clubs\n":
        ('nothing stands below the option "a"', "indent its lines under it"),
    "option weak-twos:\n  opening:\n    2H = 6+ hearts\noption weak-tows, on\n":
        ('there is no option "weak-tows"', 'did you mean "weak-twos"'),
    "option loud, on\n": ('there is no option "loud"', 'begin a block "option loud:"'),
    "opening:\n  1C = Many: {HPC >= 12}\n":
        ("in {HPC >= 12}: unknown term 'HPC'; did you mean 'HCP'?", ""),
    "opening:\n  1C = Many: {HCP_N >= 12}\n":
        ("in {HCP_N >= 12}: unknown term 'HCP_N'; a term is about the bidder's own hand, write "
         "'HCP'", ""),
    "opening:\n  1C = Many: 3+ clubs or {HCP >}\n":
        ("in {HCP >}: expected an operand at character 6, got the end", ""),
    # what is off, and what nothing uses
    "option weak:\n  opening:\n    1D = Nat: {HPC >= 12}\nopening:\n  1C = 3+ clubs\n":
        ("in {HPC >= 12}: unknown term 'HPC'; did you mean 'HCP'?", ""),
    "option weak:\n  opening:\n    1D = Nat: ballanced\nopening:\n  1C = 3+ clubs\n":
        ('"ballanced"? did you mean "balanced"', ""),
    "option weak:\n  when ballanced:\n    general:\n      1D = 3+ diamonds\n":
        ('"ballanced"? did you mean "balanced"', ""),
    "opening:\n  1D = Two\n    option a:\n      either Ab: ballanced\n    either 3+ diamonds\n":
        ('"ballanced"? did you mean "balanced"', ""),
    "convention a(least 5):\n  after 1C:\n    1D = least+ diamonds, ballanced\n":
        ('"ballanced"? did you mean "balanced"', ""),
}  # fmt: skip


@pytest.mark.parametrize("text", _QUIET)
def test_what_would_have_no_effect_is_told(text):
    found = complaint(text)
    message, advice = _QUIET[text]
    assert found.message == message
    assert found.advice == advice or (not advice and found.message.startswith('"ballanced"'))


@pytest.mark.parametrize(
    "text",
    [
        "opening:\n  1D = Two ways\n    either 3+ diamonds\n",
        'opening:\n  1D = Anything "at all"\n  1H = Nothing:\n  1S = any hand\n',
        "opening:\n  2D = Both, 5+ cards each: 5+ hearts, 5+ spades\n",
        "opening:\n  1H = Rule: rule of 20; shows a fair hand, forcing\n",
        "over (1H):\n  cheapest X = 5+ X, cheapest X is at most the 2-level, 2X is available\n",
        "general:\n  after 1C:\n    1D = 4+ diamonds\n",
        "option two, off\nwithout option two:\n  opening:\n    2C = 3+ clubs\n",
    ],
)
def test_what_has_an_effect_is_read(text):
    assert read_text(text).blocks


def test_a_call_whose_hand_types_are_all_off_is_none():
    text = (
        "opening:\n  2D = Multi\n    option weak:\n      either Weak: 6 hearts\n"
        "    2H = Pass or correct: any hand\n  1C = Any: any hand\n"
    )
    calls = {value: _openings(text, weak=value) for value in (False, True)}
    assert calls == {False: ["1C"], True: ["2D", "1C"]}


def _openings(text, **options):
    (block,) = read_text(text, options=options).blocks
    return [f"{line.call.level}{line.call.strain}" for line in block.body]


# ---------------------------------------------------------------------- files
@pytest.mark.parametrize("text", ["", "\n\n", "-- a remark\n", "system Mine\n"])
def test_a_text_without_a_line_is_no_system(text):
    found = complaint(text)
    assert (found.where.line, found.message) == (1, "the text has no line of a system")


def test_a_second_title(tmp_path):
    line = "opening:\n  1C = 3+ clubs\n"
    found = complaint(f"system Mine\n{line}system Yours\n")
    assert (found.where.line, found.message) == (4, "the system has its title already, in line 1")
    # that of an included system is another one's
    (tmp_path / "mine.bidding").write_text('system Mine\ninclude "other"\n')
    (tmp_path / "other.bidding").write_text(f"system Other\n{line}")
    assert read_system(tmp_path / "mine.bidding").title == "Mine"


def test_who_includes_a_file_decides_what_its_names_mean(tmp_path):
    own = "define good X = four of the top five in X\n"
    pages = {
        "words": "define good X = two of the top three in X\n"
        "convention two:\n  opening:\n    2C = 5+ clubs\n",
        "page": 'include "words"\n',
        "first": own + 'include "page"\n',
        "last": 'include "page"\n' + own,
        "between": 'include "words"\n' + own + 'include "page"\n',
    }
    for name, text in pages.items():
        (tmp_path / f"{name}.bidding").write_text(text)
    for name in ("first", "last", "between"):
        good = read_system(tmp_path / f"{name}.bidding").defines["good"]
        assert good.where.file == f"{name}.bidding"
    (tmp_path / "mine.bidding").write_text(
        'convention two:\n  opening:\n    2D = 5+ diamonds\nuse two\ninclude "words"\n'
    )
    (block,) = read_system(tmp_path / "mine.bidding").blocks
    assert block.body[0].call.strain == "D"


def test_of_files_beside_each_other_the_first_decides(tmp_path):
    (tmp_path / "one.bidding").write_text("define good X = 5+ X\n")
    (tmp_path / "two.bidding").write_text("\ndefine good X = 4+ X\n")
    for first, other in (("one", "two"), ("two", "one")):
        (tmp_path / "all.bidding").write_text(f'include "{first}"\ninclude "{other}"\n')
        good = read_system(tmp_path / "all.bidding").defines["good"]
        assert good.where.file == f"{first}.bidding"


def test_files_that_include_each_other(tmp_path):
    (tmp_path / "one.bidding").write_text('include "two"\n')
    (tmp_path / "two.bidding").write_text('-- a page\ninclude "one"\n')
    with pytest.raises(InvalidSystem) as caught:
        read_system(tmp_path / "one.bidding")
    (found,) = caught.value.complaints
    assert found.message == ('"one" includes itself: one.bidding -> two.bidding -> one.bidding')
    assert (found.where.file, found.where.line) == ("two.bidding", 2)


def test_a_file_that_is_no_utf8(tmp_path):
    path = tmp_path / "old.bidding"
    path.write_bytes("system Für\nopening:\n".encode("latin-1"))
    with pytest.raises(InvalidSystem) as caught:
        read_system(path)
    (found,) = caught.value.complaints
    assert found.message == "byte 0xfc is no UTF-8"
    assert found.advice == "save the file as UTF-8"
    assert (found.where.line, found.where.column) == (1, 9)


@pytest.mark.parametrize("name", ["a" * 5_000, "", ".", "a/b"])
def test_names_that_no_file_has(name):
    assert "there is no file" in complaint(f'include "{name}"\n').message


@pytest.mark.parametrize("name", ["a" * 5_000, "a\0b", "", ".", "a/b"])
def test_paths_that_no_file_has(name):
    with pytest.raises(InvalidSystem, match="cannot be read"):
        read_system(name)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InvalidSystem, match=r"nowhere\.bidding: the file cannot be read"):
        read_system(tmp_path / "nowhere.bidding")


def test_complaints_about_an_included_file_name_it(tmp_path):
    (tmp_path / "one.bidding").write_text('include "two"\nopening:\n  1C = 3+ club\n')
    (tmp_path / "two.bidding").write_text("opening:\n  1D = 4+ diamond\n")
    with pytest.raises(InvalidSystem) as caught:
        read_system(tmp_path / "one.bidding")
    first, second = caught.value.complaints
    assert (first.where.file, first.where.line) == ("one.bidding", 3)
    assert (second.where.file, second.where.line) == ("two.bidding", 2)


def test_near_files_are_suggested(tmp_path):
    (tmp_path / "one.bidding").write_text('include "words-of-mne"\n')
    (tmp_path / "words-of-mine.bidding").write_text("")
    with pytest.raises(InvalidSystem, match=r'did you mean "words-of-mine\.bidding"'):
        read_system(tmp_path / "one.bidding")
