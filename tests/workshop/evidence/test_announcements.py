"""Announcements: every form, cuts, humans, canonical text; the texts are written by us."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bidcascade.bridge import parse_hand
from bidcascade.kernels import evaluate_postfix
from bidcascade.table import (
    Vocabulary,
    format_announcement,
    format_expression,
    is_suspected_truncation,
    parse_expression,
    read_announcement,
    to_postfix,
)
from bidcascade.table.inspection.announcements import (
    CUT_LENGTHS,
    FORMS,
    PHRASES,
    completed,
    is_beginning,
    read_part,
    title_tags,
)
from bidcascade.workshop.evidence.announcement_report import KINDS, corpus_report, kind_of

MEANINGS = {
    "4+ !H": ["SL_H >= 4"],
    "4-6 !H": ["SL_H >= 4", "SL_H <= 6"],
    "4- !H": ["SL_H <= 4"],
    "4 !H": ["SL_H == 4"],
    "3-card !C": ["SL_C == 3"],
    "no !S": ["SL_S == 0"],
    "11-21 HCP": ["HCP >= 11", "HCP <= 21"],
    "11+ HCP": ["HCP >= 11"],
    "9- HCP": ["HCP <= 9"],
    "17 HCP": ["HCP == 17"],
    "12+ total points": ["Total_Points >= 12"],
    "9-12 total points": ["Total_Points >= 9", "Total_Points <= 12"],
    "3- losers": ["Losers <= 3"],
    "biddable !D": ["Biddable_D"],
    "rebiddable !D": ["Rebiddable_D"],
    "twice rebiddable !D": ["Twice_Rebiddable_D"],
    "strong rebiddable !D": ["Strong_Rebiddable_D"],
    "solid 6-card !D": ["Solid_D", "SL_D >= 6"],
    "partial stop in !S": ["Partial_Stopper_S"],
    "likely stop in !S": ["Likely_Stopper_S"],
    "stop in !S": ["Stopper_S"],
    "two stops in !S": ["Two_Stoppers_S"],
    "at best partial stop in !S": ["At_Best_Partial_Stopper_S"],
    "at best likely stop in !S": ["At_Best_Likely_Stopper_S"],
    "at best stop in !S": ["At_Best_Stopper_S"],
    "partial stop-likely stop in !S": ["Partial_Stopper_S", "At_Best_Likely_Stopper_S"],
    "likely stop-stop in !S": ["Likely_Stopper_S", "At_Best_Stopper_S"],
    "!CAK": ["C_CA", "C_CK"],
    "no !CAK": ["not C_CA", "not C_CK"],
    "Q+ in !H": ["8 * C_HA + 4 * C_HK + 2 * C_HQ + C_HJ >= 2"],
    "!HKQ+": ["8 * C_HA + 4 * C_HK + 2 * C_HQ + C_HJ >= 6"],
    "forcing": [],
    "forcing to 3N": [],
    "opponents cannot play undoubled below 2N": [],
}
TAGS = {
    "forcing": ("forcing",),
    "forcing to 3N": ("forcing to 3N",),
    "opponents cannot play undoubled below 2N": ("opponents cannot play undoubled below 2N",),
}
WHOLE = sorted(MEANINGS)


@pytest.mark.parametrize("phrase", MEANINGS)
def test_what_a_phrase_means(phrase):
    found = read_announcement(f"Title -- {phrase}")
    assert list(found.expressions) == MEANINGS[phrase]
    assert found.tags == TAGS.get(phrase, ())
    assert found.complete
    assert found.parts == (phrase,)
    for text in found.expressions:
        assert format_expression(parse_expression(text)) == text
        assert to_postfix(parse_expression(text), Vocabulary())


def test_every_form_is_tested():
    assert {read_part(phrase).form for phrase in MEANINGS} == set(FORMS)


@pytest.mark.parametrize(
    ("holding", "holds"),
    [("QJ2", True), ("K32", True), ("A2", True), ("JT9876", False), ("", False)],
)
def test_queen_or_better(holding, holds):
    """``Q+`` is a minimum, not that card."""
    (text,) = read_announcement("Title -- Q+ in !S").expressions
    rest = 13 - len(holding)
    hand = parse_hand(f"{holding}.{'AKQJT98765432'[:rest]}..")
    assert evaluate_postfix(to_postfix(parse_expression(text), Vocabulary()), hand) == holds


@pytest.mark.parametrize("signs", ["♣ ♦ ♥ ♠", r"\C \D \H \S", r"\c \d \h \s", "♣️ ♦️ ♥️ ♠️"])
def test_suits_of_any_sign(signs):
    text = "2+ !C; 2 !D; no !HAK,!SQ; stop in !H"
    other = text
    for suit, sign in zip("CDHS", signs.split(), strict=True):
        other = other.replace(f"!{suit}", sign)
    assert read_announcement(other) == read_announcement(text)
    assert format_announcement(read_announcement(other)) == "2+ !C; 2 !D; no !HAK; !SQ; stop in !H"


def test_bare_suits():
    found = read_announcement("5+ C; stop in H; biddable S")
    assert found.expressions == ("SL_C >= 5", "Stopper_H", "Biddable_S")
    # beside signs, and where it ends the text, H may be what a cut left of HCP
    for text in ("Jump -- 5+ !C; 11-12 H", "Jump -- 11-12 H"):
        found = read_announcement(text)
        assert found.expressions[-2:] == ("HCP >= 11", "HCP <= 12")
        assert found.truncated
    assert read_announcement("Jump -- 4+ H; 5 S").expressions == ("SL_H >= 4", "SL_S == 5")
    assert read_announcement("SA").human


@pytest.mark.parametrize(
    ("text", "expressions", "tail"),
    [
        ("Jump -- 5+ !C; 12+ total poi", ["SL_C >= 5", "Total_Points >= 12"], ""),
        ("Jump -- 5+ !C; 12-14 t", ["SL_C >= 5", "Total_Points >= 12", "Total_Points <= 14"], ""),
        ("Jump -- 5+ !C; 12- HC", ["SL_C >= 5", "HCP <= 12"], ""),
        ("Jump -- 5+ !C; 3 lose", ["SL_C >= 5", "Losers == 3"], ""),
        ("Jump -- 5+ !C; 12-14", ["SL_C >= 5"], "12-14"),
        ("Jump -- 5+ !C; 12-1", ["SL_C >= 5"], "12-1"),
        ("Jump -- 5+ !C; 12-", ["SL_C >= 5"], "12-"),
        ("Jump -- 5+ !C; 12+", ["SL_C >= 5"], "12+"),
        ("Jump -- 5+ !C; 1", ["SL_C >= 5"], "1"),
        ("Jump -- 5+ !C; 3-c", ["SL_C >= 5"], "3-c"),
        ("Jump -- 5+ !C; 3+ !", ["SL_C >= 5"], "3+ !"),
        ("Jump -- 5+ !C; likely stop in !", ["SL_C >= 5"], "likely stop in !"),
        ("Jump -- 5+ !C; partial st", ["SL_C >= 5"], "partial st"),
        ("Jump -- 5+ !C; s", ["SL_C >= 5"], "s"),
        ("Jump -- 5+ !C; forc", ["SL_C >= 5"], "forc"),
        ("Jump -- 5+ !C; forcing to", ["SL_C >= 5"], "forcing to"),
        ("Jump -- 5+ !C; opponents cannot pl", ["SL_C >= 5"], "opponents cannot pl"),
        ("Jump -- 5+ !C; no", ["SL_C >= 5"], "no"),
        ("Jump -- 5+ !C; !", ["SL_C >= 5"], "!"),
        ("Jump -- 5+ !C; ", ["SL_C >= 5"], ""),
        ("Jump -- 1", [], "1"),
        # 38 characters: "no !C" may have been "no !CA"
        ("Jump -- 3+ !C; 4+ !H; 11-21 HCP; no !C", ["SL_C >= 3", "SL_H >= 4", "HCP >= 11",
                                                   "HCP <= 21"], "no !C"),
        # as long: "!CKQ" may have been "!CKQ+"
        ("Raise -- 3+ !D; 4+ !H; 11-21 HCP; !CKQ", ["SL_D >= 3", "SL_H >= 4", "HCP >= 11",
                                                   "HCP <= 21"], "!CKQ"),
    ],
)  # fmt: skip
def test_what_a_cut_leaves(text, expressions, tail):
    found = read_announcement(text)
    assert (list(found.expressions), found.tail) == (expressions, tail)
    assert found.truncated
    assert kind_of(found) == "truncated"


def test_no_more_cards_behind_solid_suits():
    """Behind the honours held, "no !S" is the empty list of those denied, not a void."""
    found = read_announcement("Solid S; maximum -- solid 6-card !S; !SAKQ,no !S; 17+ total points")
    assert found.expressions == (
        "Solid_S",
        "SL_S >= 6",
        "C_SA",
        "C_SK",
        "C_SQ",
        "Total_Points >= 17",
    )
    assert found.complete
    assert read_announcement("x -- !SAKQ; no !H").expressions[-1] == "SL_H == 0"


HUMAN_TEXTS = [
    "2+", "may be short", "alerted", "15-17", "!H", "2+!C", "4+!S", "5+ !s", "GF", "12-14 bal",
    "12+ HCP, 4+ Clubs", "forcing, wide range", "5 cartes et plus", "stark", "¿fuerte?", "強い",
    "tweekleurenspel", "--> 2NT", "--", "p", "s", "5+ !C, 4", "=3", "*", "1", "Stayman", "hcp",
    "3+ !C; natural; 4+ !D", "-- 4+", "; 3+ !C",
]  # fmt: skip


@pytest.mark.parametrize("text", HUMAN_TEXTS)
def test_what_humans_write(text):
    found = read_announcement(f" {text} ")
    assert (found.human, found.expressions, found.tags) == (True, (), ())
    assert found.title == text
    assert format_announcement(found) == text
    assert kind_of(found) == "human"


def test_what_is_left_out():
    found = read_announcement("Cue bid -- 4+ !S; 3+ controls")
    assert (found.expressions, found.dropped) == (("SL_S >= 4",), ("3+ controls",))
    assert kind_of(found) == "dropped"
    found = read_announcement("Cue bid -- 4+ !S -- 12+ HCP")
    assert found.rejected
    assert (found.expressions, found.tags, kind_of(found)) == ((), (), "rejected")


@pytest.mark.parametrize("text", ["", "  ", "No explanation available"])
def test_nothing_said(text):
    found = read_announcement(text)
    assert found.expressions == ()
    assert kind_of(found) == "empty"
    assert format_announcement(found) == text.strip()


def test_a_title_alone():
    found = read_announcement("Stayman -- ")
    assert (found.title, found.tags, found.complete) == ("Stayman", ("Stayman",), True)
    assert format_announcement(found) == "Stayman --"


@pytest.mark.parametrize(
    ("title", "tags"),
    [
        ("One or four key cards", ("key cards 1 or 4",)),
        ("Two or five key cards; queen", ("key cards 2 or 5", "trump queen")),
        ("Odd number of keycards. Void above !D", ("key cards odd", "void above D")),
        ("Blackwood (!H)", ("Blackwood", "trumps H")),
        ("Support for C; no splinter", ("support", "no splinter")),
        ("Support for C; splinter in H", ("support", "splinter in H")),
        ("Cue: limit raise or better", ("cue bid", "limit raise or better")),
        ("No king (below H)", ("no king below H",)),
        ("Non-game-forcing two-over-one", ("not game forcing", "two over one")),
        ("Natural, not forcing", ("natural", "not forcing")),
        ("notrump opener. Could have 5M.", ("notrump opening",)),
        ("TAKEOUT DOUBLE", ("takeout double",)),
        ("Stopper in S, no fit in H.", ("stopper in S",)),
        ("C fit or no S stopper", ("no stopper in S",)),
        ("Unclear", ()),
        ("maximal", ()),
    ],
)
def test_tags_of_titles(title, tags):
    assert title_tags(title) == tags


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_phrase_of_titles_is_found(phrase):
    written = phrase.replace("<suit>", "D")
    assert title_tags(written) == tuple(tag.replace("<suit>", "D") for tag in PHRASES[phrase])


PIECES = st.sampled_from(
    [*WHOLE, "", " ", ";", ",", "; ", "--", " -- ", "…", "2 controls", "may be short", "1", "15-",
     "forc", "12+ total p", "no", "!", "!C", "♠", r"\h", "5 C", "4 H", "no !CA", "07 HCP", "Jump",
     "No explanation available"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=7).map("".join) | st.lists(PIECES, max_size=7).map("; ".join)


@given(TEXTS | st.text(max_size=20) | st.builds("{} -- {}".format, st.text(max_size=8), TEXTS))
def test_canonical_text_reads_as_the_same(text):
    found = read_announcement(text)
    written = format_announcement(found)
    assert read_announcement(written) == found
    assert format_announcement(read_announcement(written)) == written
    assert kind_of(found) in KINDS
    assert found.source_text == text


ANNOUNCEMENTS = st.builds(
    "{}{}".format,
    st.sampled_from(["", "Jump rebid -- ", "Two or five key cards; no queen -- "]),
    st.lists(st.sampled_from(WHOLE), min_size=2, max_size=9).map("; ".join),
)


@given(ANNOUNCEMENTS, st.sampled_from(sorted(CUT_LENGTHS)))
def test_a_cut_text_says_no_more_than_the_whole(text, length):
    """At every length at which texts were cut: what is read is read in the whole text too."""
    # a whole text as long as a cut one may be taken for one
    assume(len(text) not in CUT_LENGTHS)
    cut = read_announcement(text[:length])
    whole = read_announcement(text)
    assert whole.complete
    assert cut.human or cut.expressions == whole.expressions[: len(cut.expressions)]


@given(st.sampled_from(WHOLE), st.data())
def test_beginnings_of_phrases(phrase, data):
    """Every beginning of a phrase is known as one, and only completed to that phrase."""
    begun = phrase[: data.draw(st.integers(1, len(phrase)))].strip()
    if begun != phrase:
        assert is_beginning(begun) or read_part(begun) is not None
    filled = completed(begun)
    assert filled in (None, phrase)


def test_suspected_truncation_goes_by_the_same_forms():
    text = "Jump rebid -- 5+ !S; 15-17 HCP; 16-18 total points; partial stop in !C; par"
    for length in range(len(text) + 1):
        cut = text[:length]
        expected = len(cut.strip()) in CUT_LENGTHS and read_announcement(cut).truncated
        assert is_suspected_truncation(cut) == expected


def test_corpus_report():
    once = (
        "Jump -- 5+ !C; 12+ total poi", "could be short", "Cue bid -- 4+ !S; 3 controls",
        "a -- b -- c", "x -- 3+ !C; 2 !C", "Cue bid -- 5 aces; 4+ !S", "Jump -- 5+ !C; 12",
    )  # fmt: skip
    report = corpus_report({"4+ !S; 6-10 total points": 2, **dict.fromkeys(once, 1)})
    assert {kind: (tally.texts, tally.times) for kind, tally in report.kinds.items()} == {
        "complete": (2, 3), "truncated": (2, 2), "dropped": (1, 1), "human": (2, 2),
        "rejected": (1, 1), "empty": (0, 0),
    }  # fmt: skip
    assert (report.parts, report.parts_read) == (10, 8)
    assert set(report.unread) == {"n controls", "n aces"}
    assert set(report.tails) == {"n+ total poi", "n"}
    assert set(report.untagged) == {"x", "Jump"}
    assert list(report.contradictory) == ["x -- 3+ !C; 2 !C"]
    assert set(report.humans) == {"could be short", "Cue bid -- 5 aces; 4+ !S"}
    value = report.to_dict()
    assert value["kinds"]["complete"] == {
        "meaning": "read whole",
        "texts": 2,
        "times": 3,
        "example": "4+ !S; 6-10 total points",
    }
    assert value["forms"]["<count> <suit>"]["texts"] == 6
    text = str(report)
    assert "  x -- 3+ !C; 2 !C: no hand fits" in text
    assert "complete parts 10, read 8 (80.00 %)" in text
    assert "unread parts: 2" in text
