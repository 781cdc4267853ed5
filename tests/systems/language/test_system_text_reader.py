"""Reading whole systems: layout, variants, options, conventions, files, the worked example."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidSystem
from bidcascade.systems.digests import text_digest
from bidcascade.systems.language import shipped
from bidcascade.systems.language.editing.formatter import format_system_text
from bidcascade.systems.language.reader import read_system, read_text
from bidcascade.systems.language.reading import sources
from bidcascade.systems.language.reading.sources import MOST_LINES
from bidcascade.systems.language.shipped import shipped_folder
from bidcascade.systems.language.tree.syntax_tree import (
    Agreement,
    Block,
    CallPattern,
    Line,
    Phrase,
    Range,
    Where,
)
from bidcascade.systems.system import System

WORKED_EXAMPLE = """\
system Five-card majors, strong notrump

opening:
  2C  = Strong: 22+ points; artificial, forcing to game
  1NT = Strong notrump: 15-17 points, balanced; limited
  1S  = Five-card major: 12-21 points, 5+ spades, spades at least as long as hearts
  1H  = Five-card major: 12-21 points, 5+ hearts
  1D  = Better minor: 12-21 points, 4+ diamonds, diamonds at least as long as clubs
  1C  = Better minor: 12-21 points, 3+ clubs
  1D  = Forced one diamond: 12-21 points, 4=4=3=2; alert   -- the one hand with three diamonds
  when not vulnerable:
    2M = Weak two: 5-10 points, 6 M, at most 3 oM
  when vulnerable:
    2M = Sound weak two: 7-10 points, 6 M, two of the top three in M, at most 3 oM

after 1NT:
  transfer to 2M = Transfer: 5+ M, M longer than oM; artificial, forcing, announce
    3M = Super-accept: 17 points, 4+ M; invitational
    2M = Transfer completed: any hand
  2C = Stayman: 8+ points, 4 hearts or 4 spades; artificial, forcing, asks for a major
    2H = Four hearts: 4+ hearts
    2S = Four spades: 4+ spades
    2D = No major: any other hand; artificial
  2NT = Invitation: 8-9 points; invitational
  3NT = To play: 10-15 points; sign-off
  (Double):
    Redouble = Business: 8+ points; forcing

over (1m):
  2m = Michaels; artificial, alert
    either Weak: 6-9 points, 5+ hearts, 5+ spades
    or Strong: 17+ points, 5+ hearts, 5+ spades
  1M = Overcall: 8-16 points, 5+ M, 2 of the top 3 in M
  1NT = Strong overcall: 15-18 points, balanced, stopper in m
  Double = Takeout: 12+ points, 3+ hearts and 3+ spades or 17+ points
"""


@pytest.fixture(scope="module")
def example():
    return read_system(WORKED_EXAMPLE, name="example.bidding")


def lines_of(body):
    return [found for found in body if isinstance(found, Line)]


def names_of(text, **options):
    return [line.name for block in read_text(text, **options).blocks for line in block.body]


# ---------------------------------------------------------------------- the worked example
def test_worked_example_blocks(example):
    assert example.title == "Five-card majors, strong notrump"
    assert [block.header.kind for block in example.blocks] == ["opening", "after", "after"]
    opening, after, over = example.blocks
    assert len(lines_of(opening.body)) == 7
    assert [block.header.condition.kind for block in opening.body[7:]] == [
        "not vulnerable",
        "vulnerable",
    ]
    assert after.header.auctions[0][0].calls == (CallPattern("bid", 1, "NT"),)
    assert over.header.auctions[0][0].theirs


def test_worked_example_lines(example):
    after = example.blocks[1].body
    transfer, stayman, _invitation, to_play, doubled = after
    assert transfer.call == CallPattern("transfer", 2, "M")
    assert [line.name for line in transfer.below] == ["Super-accept", "Transfer completed"]
    assert stayman.agreements[2] == Agreement("asks", "for a major")
    assert stayman.below[2].condition == Phrase("any hand")
    assert to_play.agreements == (Agreement("sign-off"),)
    assert isinstance(doubled, Block)
    assert doubled.header.kind == "their call"
    assert doubled.body[0].call == CallPattern("redouble")


def test_worked_example_variants(example):
    michaels = example.blocks[2].body[0]
    assert michaels.name == "Michaels"
    assert michaels.condition is None
    assert michaels.below == ()
    assert [variant.name for variant in michaels.variants] == ["Weak", "Strong"]
    assert michaels.variants[1].condition.parts[0] == Phrase("points", range=Range(17))


def test_worked_example_places_and_remarks(example):
    forced = example.blocks[0].body[6]
    assert forced.where == Where("example.bidding", 10, 3)
    assert forced.condition.parts[1].where == Where("example.bidding", 10, 43)
    assert forced.remark == "the one hand with three diamonds"


def test_worked_example_laid_out_is_the_same_system(example):
    laid_out = format_system_text(WORKED_EXAMPLE)
    assert read_text(laid_out).blocks == example.blocks
    assert format_system_text(laid_out) == laid_out


# ---------------------------------------------------------------------- layout
def test_lines_go_on_after_a_comma_or_a_word_that_joins():
    text = """\
opening:
  1NT = Strong: 15-17 points,   -- the range
      balanced or
        semi-balanced; limited
  1C  = Natural: 3+ clubs
"""
    strong, natural = read_text(text).blocks[0].body
    assert [part.range for part in strong.condition.parts if isinstance(part, Phrase)] == [
        Range(15, 17)
    ]
    assert strong.agreements == (Agreement("limited"),)
    assert strong.condition.parts[1].parts[1].where == Where("<text>", 4, 9)
    assert natural.where.line == 5


@pytest.mark.parametrize("step", [1, 2, 3, 4, 8])
def test_any_step_of_indentation(step):
    text = "\n".join(
        " " * (step * ((len(line) - len(line.lstrip())) // 2)) + line.lstrip()
        for line in WORKED_EXAMPLE.splitlines()
    )
    assert read_text(text).blocks == read_text(WORKED_EXAMPLE).blocks


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ends_of_lines(end, tmp_path):
    path = tmp_path / "example.bidding"
    path.write_bytes("\ufeff".encode() + WORKED_EXAMPLE.replace("\n", end).encode())
    assert read_system(path).blocks == read_text(WORKED_EXAMPLE).blocks


def test_prose_is_the_page_at_the_top():
    text = """\
-- What it plays.
--
-- Weak notrump.

system Tiny
-- not this
opening:
  1C = 3+ clubs
"""
    assert read_text(text).prose == "What it plays.\n\nWeak notrump."


def test_quotes_test_nothing():
    line = read_text('opening:\n  1C = Clubs: 3+ clubs "usually four", "or a good hand"\n')
    (found,) = line.blocks[0].body
    assert found.condition == Phrase("length", range=Range(3), suits=("clubs",))
    assert found.quoted == "usually four or a good hand"


def test_dashes_in_quotes_are_no_remark():
    (found,) = read_text('opening:\n  1C = 3+ clubs "a -- b" -- c\n').blocks[0].body
    assert (found.quoted, found.remark) == ("a -- b", "c")


def test_names_of_two_words_and_suits():
    text = """\
define opening strength = rule of 20 or 13+ points
define good X = two of the top three in X
opening:
  1M = Major: opening strength, 5+ M, good M
"""
    system = read_text(text)
    assert system.defines["good"].suits == ("X",)
    assert system.blocks[0].body[0].condition.parts[2] == Phrase("named", text="good", suits=("M",))


def test_balanced_is_there_unless_it_is_defined():
    assert read_text("opening:\n  1NT = balanced\n").defines["balanced"].where.line == 0
    text = "define balanced = 4-3-3-3\nopening:\n  1NT = balanced\n"
    assert read_text(text).defines["balanced"].condition == Phrase("shape", text="4-3-3-3")


def test_shows_reads_as_a_condition_where_it_can():
    text = "opening:\n  2D = 18+ points; shows 5+ hearts, denies a good hand, asks for aces\n"
    shows, denies, asks = read_text(text).blocks[0].body[0].agreements
    assert shows.condition == Phrase("length", range=Range(5), suits=("hearts",))
    assert shows.condition.where == Where("<text>", 2, 26)
    assert (denies.condition, denies.text) == (None, "a good hand")
    assert asks.text == "for aces"


def test_agreements():
    text = """\
after 1M:
  2S = 8+ points; relay to 2NT, puppet to 3C, transfer to 3D, agrees M, #raise, alert "heavy"
  3C = 8+ points; forcing for one round, game forcing
"""
    first, second = read_text(text).blocks[0].body
    assert first.agreements == (
        Agreement("relay", call=CallPattern("bid", 2, "NT")),
        Agreement("puppet", call=CallPattern("bid", 3, "C")),
        Agreement("transfer", call=CallPattern("bid", 3, "D")),
        Agreement("agrees", suit="M"),
        Agreement("tag", "raise"),
        Agreement("alert", "heavy"),
    )
    assert [agreement.kind for agreement in second.agreements] == ["forcing", "forcing to game"]


def test_headers():
    text = """\
opening, 3rd or 4th seat, not vulnerable:
  1C = 3+ clubs
after 1m (P) 1M/1NT (any bid) or 1H, when they bid X, forced:
  Double = 3+ X
after … 4NT (Double or 5C):
  Pass = no aces
when we are a passed hand:
  over (1M):
    2M = 5+ oM
general:
  Pass = any hand
"""
    opening, after, dots, when, general = read_text(text).blocks
    assert [part.kind for part in opening.header.condition.parts] == ["seat", "not vulnerable"]
    first, second = after.header.auctions
    assert [step.theirs for step in first] == [False, True, False, True]
    assert [call.strain for call in first[2].calls] == ["M", "NT"]
    assert second[0].calls == (CallPattern("bid", 1, "H"),)
    assert [part.kind for part in after.header.condition.parts] == ["bid", "forced"]
    assert dots.header.auctions[0][0].any_calls
    assert len(dots.header.auctions[0][2].calls) == 2
    assert when.header.condition == Phrase("passed hand", who="we")
    assert when.body[0].header.auctions[0][0].theirs
    assert general.header.kind == "general"


# ---------------------------------------------------------------------- options
OPTIONS = """\
option weak-notrump:
  opening:
    1NT = Weak: 12-14 points, balanced
without option weak-notrump:
  opening:
    1NT = Strong: 15-17 points, balanced
opening:
  1C = Clubs: 3+ clubs
  option multi, on:
    2D = Multi: 6+-card major
"""


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["Strong", "Clubs", "Multi"]),
        ({"weak-notrump": True}, ["Weak", "Clubs", "Multi"]),
        ({"weak-notrump": True, "multi": False}, ["Weak", "Clubs"]),
    ],
)
def test_options(options, names):
    assert names_of(OPTIONS, options=options) == names
    assert read_text(OPTIONS, options=options).options == {
        "weak-notrump": False,
        "multi": True,
        **options,
    }


def test_an_option_may_hold_a_hand_type():
    text = """\
opening:
  2D = Multi
    either Weak: 5-10 points, 6+-card major
    option strong-too:
      or Strong: 20+ points, 4-4-4-1
"""
    (multi,) = read_text(text).blocks[0].body
    assert [variant.name for variant in multi.variants] == ["Weak"]
    (multi,) = read_text(text, options={"strong-too": True}).blocks[0].body
    assert [variant.name for variant in multi.variants] == ["Weak", "Strong"]


def test_no_break_spaces_are_spaces():
    assert names_of("opening:\n\u00a0 1C = Clubs:\u00a03+ clubs\n") == ["Clubs"]


def test_an_option_without_lines_sets_it():
    assert names_of(OPTIONS + "option weak-notrump, on\n")[0] == "Weak"


def test_an_option_that_is_not_there():
    with pytest.raises(InvalidSystem, match=r"multi, weak-notrump.*'mult'.*did you mean 'multi'"):
        read_text(OPTIONS, options={"mult": True})


# ---------------------------------------------------------------------- conventions
CONVENTION = """\
convention stayman(opening 1NT, game):
  after opening:
    ask = Stayman: game+ points or game-15 points "game stays"; #game-ask -- game stays
      2D = No major: any other hand
"""


def test_parameters_take_the_place_of_words():
    text = CONVENTION.replace("ask =", "2C =") + "use stayman(game 10)\n"
    (block,) = read_text(text).blocks
    assert block.header.auctions[0][0].calls == (CallPattern("bid", 1, "NT"),)
    (stayman,) = block.body
    assert [part.range for part in stayman.condition.parts] == [Range(10), Range(10, 15)]
    assert (stayman.quoted, stayman.remark) == ("game stays", "game stays")
    assert stayman.agreements == (Agreement("tag", "game-ask"),)
    assert stayman.below[0].name == "No major"


def test_a_convention_is_used_as_often_as_wanted():
    text = """\
convention raise(call, least 6):
  call = Raise: least-9 support points
use both
convention both:
  after 1H:
    use raise(call 2H)
    2NT = Strong: 13+ points
      use weak
  after 1S:
    use raise(call 2S, least 7)
convention weak:
  3C = Weak: at most 12 points
"""
    hearts, spades = read_text(text).blocks
    raise_, strong = hearts.body
    assert raise_.condition.range == Range(6, 9)
    assert strong.below[0].name == "Weak"
    assert spades.body[0].call == CallPattern("bid", 2, "S")
    assert spades.body[0].condition.range == Range(7, 9)


def test_places_in_a_convention_are_those_of_its_text():
    text = """\
convention raise(call):
  after 1H:
    call = Raise: 6-9 points, 3+ hearts
use raise(call 2H)
"""
    (line,) = read_text(text).blocks[0].body
    assert line.where == Where("<text>", 3, 5)
    assert line.call.where == Where("<text>", 3, 5)
    assert line.condition.parts[1].where == Where("<text>", 3, 31)


# ---------------------------------------------------------------------- files
def write(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.bidding").write_text(text, encoding="utf-8")


def test_includes_stand_in_their_place(tmp_path):
    write(
        tmp_path,
        main='opening:\n  1C = First: 3+ clubs\ninclude "other"\nopening:\n  1H = Last: big hand\n',
        other="""\
-- other page
system Other
define big hand = 20+ points
opening:
  1D = Second: 4+ diamonds
""",
    )
    system = read_system(tmp_path / "main.bidding")
    assert [block.body[0].name for block in system.blocks] == ["First", "Second", "Last"]
    assert system.blocks[1].body[0].where.file == "other.bidding"
    assert system.title == "Other"
    assert [path.name for path, _ in system.files] == ["main.bidding", "other.bidding"]
    content = (tmp_path / "other.bidding").read_bytes()
    assert system.files[1][1] == hashlib.sha256(content).hexdigest()


def test_what_includes_a_file_changes_its_definitions_conventions_and_options(tmp_path):
    write(
        tmp_path,
        base="""\
define strong = 15+ points
convention two clubs-less:
  2C = never
option gadget:
  opening:
    2D = Gadget: 6+-card major
opening:
  1NT = Notrump: strong
""".replace("two clubs-less", "gadgets").replace("never", "Base gadget: 22+ points"),
        mine="""\
include "base.bidding"
define strong = 16+ points
option gadget, on
convention gadgets:
  2C = My gadget: 20+ points
opening:
  use gadgets
""",
    )
    system = read_system(tmp_path / "mine.bidding")
    assert [block.body[0].name for block in system.blocks] == ["Gadget", "Notrump", "My gadget"]
    assert system.defines["strong"].condition.range == Range(16)


def test_a_file_that_two_others_include_stands_there_once(tmp_path):
    write(
        tmp_path,
        main='include "one"\ninclude "two"\n',
        one='include "words"\nopening:\n  1C = big\n',
        two='include "words"\nopening:\n  1D = big\n',
        words="define big = 20+ points\n",
    )
    system = read_system(tmp_path / "main.bidding")
    assert [path.stem for path, _ in system.files] == ["main", "one", "words", "two"]


def test_shipped_systems_are_found_by_name(tmp_path, monkeypatch):
    for module in (sources, shipped):
        monkeypatch.setattr(module, "shipped_folder", lambda: tmp_path)
    write(tmp_path, base="opening:\n  1C = Clubs: 3+ clubs\n")
    assert names_of('include "base"\n') == ["Clubs"]
    assert read_system("base").files[0][0] == tmp_path / "base.bidding"


def test_folder_of_shipped_systems_is_there():
    assert shipped_folder().is_dir()


def test_opponents_are_a_file(tmp_path):
    write(tmp_path, main='opponents play "acol"\nopening:\n  1C = 3+ clubs\n', acol="system Acol\n")
    assert read_system(tmp_path / "main.bidding").opponents == tmp_path / "acol.bidding"


# ---------------------------------------------------------------------- size
@pytest.mark.slow
def test_as_many_lines_as_a_system_may_have():
    lines = ["opening:"]
    for n in range(MOST_LINES - 1):
        lines.append(f"  1C = Number {n}: {n % 9}-{n % 9 + 9} points, 3+ clubs")
    (block,) = read_text("\n".join(lines)).blocks
    assert len(block.body) == MOST_LINES - 1
    assert block.body[-1].where.line == MOST_LINES


def outcome(text):
    """Blocks of a text, or the complaints about it."""
    try:
        return read_text(text).blocks
    except InvalidSystem as error:
        return error.complaints


@given(st.text(max_size=200))
def test_any_text_is_read_or_complained_of(text):
    found = outcome(text)
    assert all(isinstance(one, Block) or one.message for one in found)


@given(
    st.lists(
        st.sampled_from([*WORKED_EXAMPLE.split(), "\n", "\n  ", "\n    ", "(", "not", "{", '"']),
        max_size=60,
    )
)
def test_shuffled_words_are_read_or_complained_of(words):
    found = outcome(" ".join(words))
    assert all(isinstance(one, Block) or one.caret.endswith("^") for one in found)


def test_a_text_that_includes_pages_has_a_digest_of_its_own():
    """What stands in no file counts as what stands in one, or kept tables would be another's."""
    texts = [
        f'include "words"\n{define}opening:\n  1NT = Strong notrump: {points} points\n'
        for points in ("15-17", "12-14")
        for define in ("", "define good X = 2+ aces\n")
    ]
    systems = [System.parse(text) for text in texts]
    assert len({one.digest for one in systems}) == len(texts)
    assert len({text_digest(one.text) for one in systems}) == len(texts)
    assert System.parse(texts[0]).digest == systems[0].digest


def test_given_pages_are_read_in_place_of_shipped_ones():
    pages = {"notrump.bidding": "after 1NT:\n  2C = Mine: 8+ points\n"}
    text = 'include "notrump"\nopening:\n  1NT = Strong notrump: 15-17 points\n'
    system = System.parse(text, pages=pages)
    assert [one.name for one in system.expand("1N P").entries] == ["Mine"]
    assert system.digest != System.parse(text).digest
    # a page that includes itself, and one of another name
    with pytest.raises(InvalidSystem, match="includes itself"):
        System.parse('include "a"\n', pages={"a.bidding": 'include "a"\n'})
    both = {"a.bidding": 'include "b"\n', "b.bidding": "opening:\n  1C = Clubs: 12+ points\n"}
    assert System.parse('include "a"\n', pages=both).expand("").entries[0].name == "Clubs"
