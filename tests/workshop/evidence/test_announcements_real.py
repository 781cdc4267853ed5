"""The announcement reader on real texts: the published table, a large corpus, archives."""

import ast
import json

import pytest

from bidcascade.table import format_announcement, read_announcement
from bidcascade.table.inspection.announcements import (
    CUT_LENGTHS,
    is_beginning,
    lin_length,
    read_part,
    split_parts,
)
from bidcascade.workshop.evidence.announcement_report import corpus_report, kind_of
from bidcascade.workshop.evidence.announcement_texts import collect_texts

LOST_HONOURS = {
    (("C_CQ",), "♣Q"), (("C_DQ",), "♦Q"), (("C_HQ",), "♥Q"), (("C_SQ",), "♠Q"),
    (("C_DA",), "♦A"), (("not C_CA",), "no ♣A"), (("not C_SA",), "no ♠A"),
    (("not C_CA", "not C_CK"), "no ♣AK"), (("not C_DA", "not C_DK"), "no ♦AK"),
}  # fmt: skip
"""Parts which the published lists lack, and what they mean."""


CORPUS = "table/announcements.jsonl"


@pytest.fixture(scope="module")
def corpus(shared_data):
    """Kept text and superseded ones, by place."""
    lines = (shared_data / CORPUS).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_published_rows(shared_data):
    """Every described row gives the published list, apart from the nine honour parts it lost."""
    text = (shared_data / "table" / "bbo_bidding_sequences_table.py.txt").read_text("utf-8")
    rows = ast.literal_eval(text[text.index("[\n") :])
    described = [(text, published) for _, _, _, text, published in rows if published]
    assert len(described) == 159
    lost = []
    for text, published in described:
        found = read_announcement(text)
        assert kind_of(found) in ("complete", "truncated")
        honours = [
            (one, part)
            for part in map(str.strip, text.rpartition("--")[2].split(";"))
            for one in [tuple(read_announcement(f"x -- {part}").expressions)]
            if one and "C_" in one[0]
        ]
        lost += honours
        without = [
            one for one in found.expressions if not one.removeprefix("not ").startswith("C_")
        ]
        assert without == published, text
        assert len(found.expressions) == len(published) + sum(len(one) for one, _ in honours)
    assert len(lost) == 9
    assert set(lost) == LOST_HONOURS


@pytest.mark.slow
def test_nearly_every_complete_part_is_read(shared_data):
    """Parts of all texts that GIB wrote, told by a title or a phrase; those not read are listed."""
    report = corpus_report(collect_texts([str(shared_data / CORPUS)]).counts)
    assert report.parts > 36_000
    unread = report.parts - report.parts_read
    assert unread <= report.parts / 100, report.unread
    assert sum(tally.texts for tally in report.unread.values()) == unread
    assert report.kinds["rejected"].texts == 0


def criteria_of(text):
    """Criteria with suits of one sign; titles of one call are sometimes spelled in two ways."""
    return "; ".join(split_parts(text.strip().rpartition("--")[2]))


@pytest.mark.slow
def test_no_cut_text_contradicts_its_kept_twin(corpus):
    """Superseded texts that are cut off against the text kept for the same call.

    Where the texts agree up to the cut, the expressions of the shorter are the first ones of the
    longer. The few others differ in whole parts before the cut: GIB of another version, or another
    situation; what they say is what they say.
    """
    agreeing = differing = 0
    for row in corpus:
        whole = read_announcement(row["kept"])
        for text in row["superseded"]:
            cut = read_announcement(text)
            if not cut.truncated:
                continue
            if not criteria_of(row["kept"]).startswith(criteria_of(text)):
                differing += 1
                continue
            agreeing += 1
            assert cut.expressions == whole.expressions[: len(cut.expressions)], (text, row["kept"])
    assert agreeing > 2_700
    assert differing < agreeing / 100


def test_no_beginning_of_a_text_contradicts_it(corpus):
    """All pairs of texts of one call, cut or not, of which one is the beginning of the other."""
    compared = 0
    for row in corpus:
        texts = {row["kept"].strip(), *map(str.strip, row["superseded"])}
        for short in texts:
            found = read_announcement(short)
            for long in texts:
                if len(short) < len(long) and long.startswith(short) and found.expressions:
                    whole = read_announcement(long)
                    compared += 1
                    assert found.expressions == whole.expressions[: len(found.expressions)]
    assert compared > 2_500


@pytest.mark.slow
def test_texts_cut_by_us(corpus):
    """Every whole text of the corpus, cut at each length at which texts were cut."""
    checked = 0
    for text in sorted({row["kept"].strip() for row in corpus}):
        whole = read_announcement(text)
        if not whole.complete:
            continue
        for length in sorted(CUT_LENGTHS):
            if length < len(text):
                cut = read_announcement(text[:length])
                checked += 1
                assert cut.human or cut.expressions == whole.expressions[: len(cut.expressions)]
    assert checked > 5_000


def test_canonical_texts(corpus):
    for row in corpus:
        for text in (row["kept"], *row["superseded"]):
            found = read_announcement(text)
            assert read_announcement(format_announcement(found)) == found, text


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["lin/vugraph", "lin/oddities", "lin/misc", "pbn/bba"])
def test_humans_give_no_criteria(shared_data, folder):
    """Of people's (and other programs') texts only those in GIB's very words are read.

    In these folders nobody was announced by GIB; about one text of a hundred is such a phrase
    (``8-15 HCP``, ``3 !S``) and means what GIB would mean.
    """
    counts = collect_texts([str(shared_data / folder)]).counts
    assert len(counts) > 20
    taken = {text for text in counts if read_announcement(text).expressions}
    for text in taken:
        if "--" not in text and lin_length(text) < min(CUT_LENGTHS):
            assert kind_of(read_announcement(text)) == "complete"
            assert all(read_part(part) for part in read_announcement(text).parts)
            assert not is_beginning(text)
    assert len(taken) <= max(1, len(counts) // 50), sorted(taken)


@pytest.mark.slow
def test_robots_in_archives(shared_data):
    """All that GIB wrote in the boards of robots is read."""
    inputs = [str(shared_data / "lin" / "gib"), str(shared_data / "pbn" / "gib_notes")]
    report = corpus_report(collect_texts(inputs).counts)
    assert report.kinds["complete"].texts > 500
    assert report.parts_read == report.parts
