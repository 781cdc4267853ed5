"""Files of Full Disclosure become systems: records both ways, what is understood, what is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import InvalidInput, InvalidSystem
from bidcascade.systems.checking.diff import diff_systems
from bidcascade.systems.notations.alerts import alerts_of, write_bss
from bidcascade.systems.notations.bss_reader import read_bss
from bidcascade.systems.notations.full_disclosure import (
    DISPOSITIONS,
    LONGEST,
    Card,
    DisclosedCall,
    is_bss,
    parse_bss,
    print_bss,
)
from bidcascade.systems.system import System
from tests.support.examples import examples

EVERYTHING = """\
*00{Everything once}=NYYYYYYFive-card majors\\nand a strong club
$stock.bss
001C=YYYYYYY50816+ hcp
001CP1D=YYYYYYY5080--7 hcp
001CP1D1H=NYYYYYY008
001CP1D1HD=NYYYYYY418+ hcp, takeout
001H=NYYYYYY05811--15 hcp
001HP2H=NYYYYYY4386--9 support points
001HP2N=YYYYYYY6Raise with four trumps. 4+!h, 12+ hcp
001HP3S=YNNYYYY001Splinter. 4+!h, 10--13 hcp, 0--1!s
001S=NYYYYYY058
551N=NYYYYYY012--14
661N=NYYYYYY015--17
551NP2D=YYYYYYYA08Transfer. 5+!h
551NP2DP2H=NYYYYYY0085+ !H or 2+ !H
551NP2C=YYYYYYYD08Stayman
551NP2CP2D=NYYYYYY028At most 3!h, at most 3!s
122D=YYYYYYYB08Multi: 5-10 points, 6 !H; or 5-10 points, 6 !S; artificial
*001N=NYYYYYY0
*001NPP2C=YYYYYYY0085+!h, 4+!s, 8+ hcp
*001ND=NYYYYYY0Penalty. 15+ hcp
*001D1H=NYYYYYY0588--15 hcp
*001N{12-14}D=NYYYYYY015+ hcp
+rkc.bss
%BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBABABABABABABABABAB
"""


def test_everything_once():
    found = read_bss(EVERYTHING)
    text = found.text
    system = System.parse(text)
    assert text.startswith("-- Five-card majors and a strong club\nsystem Everything once\n")
    lines = [line.strip() for line in text.splitlines()]
    for expected in (
        "1C = 16+ hcp; artificial, forcing",
        "1D = 0-7 hcp; artificial, forcing",
        "(1H):",
        "Double = 18+ hcp; takeout, invitational",
        "1H = 11-15 hcp, 5+ hearts",
        "2NT = Raise: four trumps, 4+ hearts, 12+ hcp; artificial, forcing to game",
        "1S = 5+ spades",
        "opening, 1st or 2nd seat, not vulnerable:",
        "opening, 3rd or 4th seat, vulnerable:",
        "2D = Multi; artificial",
        "either 5-10 points, 6 hearts",
        "2C = 5+ hearts, 4+ spades, 8+ hcp; artificial",
        "1H = 8-15 hcp, 5+ hearts",
    ):
        assert expected in lines, expected
    # outcomes and codes that no agreement says stay words
    (splinter,) = [line for line in lines if "Splinter" in line]
    assert '"still open: hearts, spades, notrump, defence undoubled"' in splinter
    # the lengths of the record bound what the description leaves open
    assert any(line.startswith("2D = ") and "2+ diamonds" in line for line in lines)
    assert system.expand("1C P 1D 1H").entries
    told = {one.text: one.reason for one in found.unread}
    assert told["$stock.bss"] == "the stock card that it changes is not at hand"
    assert told["+rkc.bss"] == "the convention's file is not at hand"
    assert "leads and signals" in told["%" + "B" * 40 + "AB" * 9]
    assert told["1ND=15+ hcp"] == "it holds for one meaning of their call alone"
    assert told["1NP2C=Stayman"] == "no condition was read"
    assert (found.rows, found.understood) == (19, 17)


def test_the_file_with_everything_is_written_as_it_was():
    assert print_bss(parse_bss(EVERYTHING)) == EVERYTHING
    assert parse_bss("\ufeff" + EVERYTHING.replace("\n", "\r\n")) == parse_bss(EVERYTHING)


CALLS = st.sampled_from(
    [f"{level}{strain}" for level in (1, 3, 7) for strain in "CDHSN"] + [*"PDR"]
)
WORDS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=30).map(str.strip)
TEXTS = WORDS.map(lambda text: text.lstrip("0123456789").strip().replace("\\", ""))


@st.composite
def records(draw):
    calls = tuple(draw(st.lists(CALLS, min_size=1, max_size=6)))
    suit = len(calls[-1]) == 2 and calls[-1][-1] != "N"
    length = st.integers(0, LONGEST)
    qualified = draw(
        st.dictionaries(
            st.integers(0, len(calls) - 1),
            TEXTS.filter(lambda text: not {*"{}="} & {*text}),
            max_size=2,
        )
    )
    return DisclosedCall(
        calls,
        draw(TEXTS),
        draw(st.booleans()),
        draw(st.sampled_from(["0", *DISPOSITIONS])),
        (draw(length), draw(length)) if suit else None,
        draw(st.booleans()),
        draw(st.integers(0, 6)),
        draw(st.integers(0, 8)),
        tuple(sorted(qualified.items())),
        tuple(draw(st.lists(st.booleans(), min_size=6, max_size=6))),
    )


@examples(25, 100)
@given(st.lists(records(), max_size=5), TEXTS)
def test_any_records_read_as_they_are_written(rows, title):
    card = Card(title.replace("{", "(").replace("}", ")"), records=tuple(rows))
    written = print_bss(card)
    assert is_bss(written)
    again = parse_bss(written)
    assert not again.unknown
    assert again == card
    # whatever they say, a system comes of it
    found = read_bss(written)
    if found.understood:
        System.parse(found.text)
    else:
        with pytest.raises(InvalidSystem, match="the text has no line of a system"):
            System.parse(found.text)


OURS = """\
system Ours

opening:
  1NT = Strong notrump: 15-17 points, balanced
  2D = Multi; artificial, forcing
    either Weak: 5-10 points, 6 hearts
    or Strong: 20-22 points, 6+ spades
  1M = Five-card major: 12-21 points, 5+ M; forcing
after 1NT:
  transfer to 2M = Transfer: 5+ M; artificial, transfer
  Pass = Weak: at most 9 points
over (1M):
  Double = Takeout: 12+ points
  Pass = Nothing: any hand
after 1M (Double):
  Redouble = 10+ points
"""


def test_what_we_write_reads_as_the_same_system():
    system = System.parse(OURS)
    written = write_bss(alerts_of(system, deals=3000, least=1), "Ours")
    found = read_bss(written)
    assert found.understood == found.rows
    assert not found.unread
    assert diff_systems(system, System.parse(found.text), deals=3000).changed == 0


@pytest.mark.slow
def test_most_of_sayc_is_understood_when_it_comes_back():
    written = write_bss(alerts_of(System.open("sayc"), deals=1000), "Standard")
    assert print_bss(parse_bss(written)) == written
    found = read_bss(written)
    assert found.rows > 1900
    assert found.understood > 0.98 * found.rows
    System.parse(found.text)


@pytest.mark.parametrize(
    "text", ["", "1N 15--17 bal\n", "*00{cut", "\x00*00{x}=NYYYYYY", "*01{x}=NYYYYYY"]
)
def test_other_files_are_refused(text):
    assert not is_bss(text)
    with pytest.raises(InvalidInput, match=r"card\.bss:1: expected a card's header"):
        read_bss(text, "card.bss")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("001H=NYYY", "it is no record"),
        ("091H=NYYYYYY058", "it is no record"),
        ("008H=NYYYYYY058", '"8H" is no call'),
        ("001HP=2H=NYYYYYY058", "it is no record"),
        ("00=NYYYYYY0", "it has no call"),
        ("001H=NYYYYYY0", "the least and most cards of its suit are missing"),
        ("001H=NYYYYYY052text", "its least cards are more than its most"),
        ("001H=NYYYYYY058at most 3 !H", "no hand has at most 3 hearts and 5+ hearts"),
        ("001HP1C=NYYYYYY05812+ hcp", "illegal"),
        ("001HP2HPPPP=NYYYYYY012+ hcp", "illegal"),
        ("*001H=NYYYYYY058their call", "it tells of a call of theirs"),
    ],
)
def test_a_record_that_says_nothing_is_listed(line, reason):
    found = read_bss(f"*00{{x}}=NYYYYYY\n002N=NYYYYYY020-21 bal\n{line}\n")
    assert "2NT = 20-21 points, balanced" in found.text
    System.parse(found.text)
    assert found.understood == 1
    assert any(one.line == 3 and reason in one.reason for one in found.unread), found.unread


def test_a_card_that_contradicts_itself_is_told():
    found = read_bss(
        "*00{x}=NYYYYYY\n001H=NYYYYYY05812+ hcp\n001H=NYYYYYY05812+ hcp\n001H=NYYYYYY04812+ hcp\n"
    )
    assert (found.rows, found.understood) == (2, 1)
    (again,) = found.unread
    assert (again.line, again.reason) == (4, "it was told before, otherwise")
