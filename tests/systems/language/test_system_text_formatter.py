"""Layout of systems: what it looks like, that it stays, and that it says the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.language.editing.formatter import format_system_text
from bidcascade.systems.language.reader import read_text
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.words.wording import agreement_text, header_text

UNTIDY = """\


--   A page of prose,
--with two lines.


system   Tiny
define good X=two of the top three in X
opening , 3rd seat:
        1NT=Strong notrump:15-17 points ,balanced;limited   --the range
        1C = 3+ clubs,"usually  four":

        -- above the weak two
        2M= Weak two:5-10 points,( 6 M or 7 M ) ;preemptive
              (Double) :
                   Redouble=Strength: 12+ points,{HCP>=12 and   SL_C  > 1},
                              at most 3 clubs
        Pass = any hand
        -- the end of the openings



convention raise( call 2H,least 6 ):
   after 1H:
     call=Raise: least-9 support points
use raise(least 7)
-- the end
""".replace(":\n\n        --", "\n\n        --")

TIDY = """\
--   A page of prose,
-- with two lines.

system Tiny
define good X = two of the top three in X
opening, 3rd seat:
  1NT = Strong notrump: 15-17 points, balanced; limited  -- the range
  1C  = 3+ clubs, "usually  four"

  -- above the weak two
  2M  = Weak two: 5-10 points, (6 M or 7 M); preemptive
    (Double):
      Redouble = Strength: 12+ points, {HCP>=12 and   SL_C  > 1},
          at most 3 clubs
  Pass = any hand
-- the end of the openings

convention raise(call 2H, least 6):
  after 1H:
    call = Raise: least-9 support points
use raise(least 7)
-- the end
"""


def test_layout():
    assert format_system_text(UNTIDY) == TIDY


def test_layout_stays():
    assert format_system_text(TIDY) == TIDY


def test_layout_says_the_same():
    untidy, tidy = read_text(UNTIDY), read_text(TIDY)
    assert untidy.blocks == tidy.blocks
    assert untidy.defines == tidy.defines


@pytest.mark.parametrize("text", ["", "\n\n", "   \n"])
def test_nothing(text):
    assert format_system_text(text) == ""


def test_only_comments():
    assert format_system_text("\n-- one\n\n\n--two\n\n") == "-- one\n\n-- two\n"


def test_names_are_laid_out_as_they_are_read():
    text = "opening:\n  1C = Weak ,or  strong ( or both ):3+ clubs;shows 5+ points ;asks( all )\n"
    laid_out = format_system_text(text)
    assert laid_out.split("\n")[1] == (
        "  1C = Weak, or strong (or both): 3+ clubs; shows 5+ points; asks(all)"
    )
    name = read_text(text.replace(" ;asks( all )", "")).blocks[0].body[0].name
    assert name == "Weak, or strong (or both)"


def test_what_cannot_be_laid_out():
    with pytest.raises(InvalidSystem, match="a tab stands here"):
        format_system_text("opening:\n\t1C = 3+ clubs\n")
    with pytest.raises(InvalidSystem, match="no line above it is"):
        format_system_text("opening:\n    1C = 3+ clubs\n  1D = 4+ diamonds\n")


def test_lines_that_do_not_read_are_laid_out_all_the_same():
    assert format_system_text("opening:\n   1C=3+ clubbs\n") == "opening:\n  1C = 3+ clubbs\n"


def test_shipped_systems_keep_what_they_say():
    for path in sorted(shipped_folder().rglob("*.bidding")):
        text = path.read_text("utf-8")
        laid_out = format_system_text(text)
        assert format_system_text(laid_out) == laid_out, path.name
        words, same = (
            [line.split() for line in one.splitlines() if line.strip()] for one in (text, laid_out)
        )
        assert words == same, path.name


CALLS = ("1C", "1NT", "Pass", "Double", "transfer to 2M", "2X", "cheapest NT")
MEANINGS = (
    "Natural: 8+ points, 4 hearts or 4 spades; forcing",
    "5+ clubs  -- a remark",
    'Quoted; natural, alert "a, b;  c"',
    "{HCP >= 15},balanced",
    "any hand;forcing,#tag",
)
lines = st.builds(
    lambda depth, call, meaning, blanks: (depth, f"{call}{blanks}={blanks}{meaning}"),
    st.integers(0, 3),
    st.sampled_from(CALLS),
    st.sampled_from(MEANINGS),
    st.sampled_from(("", " ", "   ")),
)
comments = st.sampled_from(((0, "--x"), (0, "-- y"), (2, "--- z"), (1, "")))


@given(body=st.lists(st.one_of(lines, lines, comments), max_size=25), step=st.integers(1, 5))
def test_any_layout_becomes_the_same_system(body, step):
    text, deepest = ["when forced, X is a major:", f"{' ' * step}2M = 5+ M"], 1
    for depth, words in body:
        if words.startswith("--") or not words:
            text.append(" " * depth + words)
            continue
        deepest = min(depth + 1, deepest + 1)
        text.append(" " * (step * deepest) + words)
    before = "\n".join(text)
    after = format_system_text(before)
    assert format_system_text(after) == after
    assert outcome(before) == outcome(after)


def outcome(text):
    """Tree of a text, or its complaints without their places in the lines."""
    try:
        return read_text(text).blocks
    except InvalidSystem as error:
        return [complaint.message for complaint in error.complaints]


HEADERS = (
    "opening:", "opening, 3rd seat:", "after 1NT:",
    "after 1m (Pass) 1M/1NT (any bid) or 1H, forced:", "after … 4NT (Double):", "(2X):",
    "(2C) or (2D), vulnerable:", "general:", "general, forced:",
    "when they bid X, unbid suit Y:",
)  # fmt: skip


@pytest.mark.parametrize("text", HEADERS)
def test_headers_in_words(text):
    block = f"{text}\n  Pass = any hand\n"
    if text.startswith("("):
        block = "after 1C:\n  " + block.replace("\n  ", "\n    ")
    found = read_text(block).blocks[0]
    header = found.body[0].header if text.startswith("(") else found.header
    assert header_text(header) == text


AGREEMENTS = (
    "forcing", "forcing to game", "not forcing", "sign-off", "puppet to 2S", "relay to 2NT",
    "transfer to 3D", "agrees M", "asks for aces", "shows 4+ hearts", "denies a stopper",
    "#stayman", 'announce "15-17"',
)  # fmt: skip


@pytest.mark.parametrize("text", AGREEMENTS)
def test_agreements_in_words(text):
    line = read_text(f"after 1M:\n  2C = 8+ points; {text}\n").blocks[0].body[0]
    (agreement,) = line.agreements
    assert agreement_text(agreement) == text


SIGNED = """system Mine ♥

opening:
  2♦ = Weak ♦: 5+♦, "♦ x", ♦ is longest; shows 5+ ♦, #two  -- ♥
    2♥\ufe0f = A relay; puppet to 2♠
      either Some ♥: 6+♥\ufe0f
      or More: 5+ ♥, at most 3 ♠
after 1♠ (2♥) or 1m (2♣/2♦):
  3♣ = 5+♣, 4+ ♠
"""
LETTERED = """system Mine ♥

opening:
  2D = Weak ♦: 5+ diamonds, "♦ x", diamonds is longest; shows 5+ diamonds, #two  -- ♥
    2H = A relay; puppet to 2S
      either Some ♥: 6+ hearts
      or More: 5+ hearts, at most 3 spades
after 1S (2H) or 1m (2C/2D):
  3C = 5+ clubs, 4+ spades
"""


def test_signs_of_suits_become_letters_and_words():
    assert format_system_text(SIGNED) == LETTERED
    assert read_text(SIGNED).blocks == read_text(LETTERED).blocks
