"""Texts that an editor holds: what is wrong in them, where names come from, new names."""

import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.systems.language.editing.edited_texts import EditedTexts
from bidcascade.systems.language.shipped import shipped_folder

SYSTEM = """\
include "page.bidding"
opening:
  1H = Hearts: 12+ points, good hearts; #major
after 1H:
  2H = Raise: 3+ hearts, when partner's last call was #major
"""
PAGE = """\
-- Suits worth a bid.
define good X = 5+ X
define better X = 6+ X
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own.bidding").write_text(
        SYSTEM.replace(", when partner's last call was #major", "")
    )
    (tmp_path / "page.bidding").write_text(PAGE)
    (tmp_path / "other.bidding").write_text(
        'include "page.bidding"\nopening:\n  1S = Spades: good spades\n'
    )
    return tmp_path.resolve()


def named(found):
    return [(one.path.name, one.place.line, one.place.column) for one in found]


def test_what_is_wrong_is_told_as_it_is_written(folder):
    texts, own = EditedTexts(), folder / "own.bidding"
    assert not any(texts.complaints(own).values())
    texts.hold(own, texts.text(own).replace("12+ points", "12+ point,"))
    (found,) = texts.complaints(own)[own]
    assert (found.where.line, found.where.file) == (3, "own.bidding")
    texts.let_go(own)
    assert not any(texts.complaints(own).values())


def test_a_page_is_judged_by_the_systems_that_include_it(folder):
    texts, page = EditedTexts(), folder / "page.bidding"
    assert not any(texts.complaints(page).values())
    texts.hold(page, PAGE.replace("good X", "goods X"))
    found = texts.complaints(page)
    assert {path.name: len(some) for path, some in found.items()} == {
        "own.bidding": 1,
        "other.bidding": 1,
        "page.bidding": 0,
    }


def test_a_name_is_found_where_it_is_defined(folder):
    texts = EditedTexts()
    own = folder / "own.bidding"
    assert named(texts.definitions(own, 3, 28)) == [("page.bidding", 2, 8)]
    assert named(texts.definitions(own, 1, 12)) == [("page.bidding", 1, 1)]
    assert texts.definitions(own, 3, 20) == []
    assert named(texts.same_names(own, texts.name_at(own, 3, 28))) == [
        ("own.bidding", 3, 28),
        ("other.bidding", 3, 16),
        ("page.bidding", 2, 8),
    ]


def test_a_name_of_the_package_is_found_in_its_page(folder):
    texts, own = EditedTexts(), folder / "own.bidding"
    texts.hold(own, 'include "words.bidding"\nopening:\n  1H = Hearts: good hearts\n')
    (found,) = texts.definitions(own, 3, 16)
    assert found.path == (shipped_folder() / "pages" / "words.bidding").resolve()


def test_what_a_name_means_is_its_line_with_the_remark_above(folder):
    texts, own = EditedTexts(), folder / "own.bidding"
    assert texts.meaning(own, 3, 28) == (
        "```bidding\n-- Suits worth a bid.\ndefine good X = 5+ X\n```\n\npage.bidding:2"
    )
    assert texts.meaning(own, 1, 12) == "Suits worth a bid."
    texts.hold(own, "opening:\n  1NT = Strong: balanced, rule of 20\n")
    assert "4-3-3-3 or 4-4-3-2 or 5-3-3-2" in texts.meaning(own, 2, 20)
    assert texts.meaning(own, 2, 30) == "`rule of 20`  \nrule of; 15, 18 to 22"
    assert texts.meaning(own, 2, 4) == texts.meaning(own, 9, 1) == ""


def test_a_new_name_is_put_in_all_texts_that_have_it(folder):
    texts, own = EditedTexts(), folder / "own.bidding"
    edits = texts.renamed(own, 3, 28, "fine")
    found = {path.name: [(one.line, one.column) for one, _ in some] for path, some in edits.items()}
    assert found == {
        "own.bidding": [(3, 28)],
        "other.bidding": [(3, 16)],
        "page.bidding": [(2, 8)],
    }
    assert {new for some in edits.values() for _, new in some} == {"fine"}


@pytest.mark.parametrize(
    ("line", "column", "new", "reason"),
    [
        (3, 28, "better", "expected a new name, got 'better', which is there already"),
        (3, 28, "hearts", "expected texts that read with the name 'hearts'"),
        (3, 28, "Big", "expected texts that read with the name 'Big'"),
        (3, 28, "", "expected texts that read with the name ''"),
        (3, 20, "fine", "expected a name that the text defines at this place, got none"),
        (1, 12, "fine", "expected a name that the text defines at this place, got none"),
    ],
)
def test_a_name_that_cannot_be_is_refused(folder, line, column, new, reason):
    with pytest.raises(InvalidInput) as error:
        EditedTexts().renamed(folder / "own.bidding", line, column, new)
    assert str(error.value).startswith(reason)


def test_a_name_of_the_package_or_of_the_language_is_not_changed(folder):
    texts, own = EditedTexts(), folder / "own.bidding"
    texts.hold(own, 'include "words.bidding"\nopening:\n  1H = Hearts: good hearts, balanced\n')
    with pytest.raises(
        InvalidInput, match=r"of your own texts, got 'good', which words\.bidding has"
    ):
        texts.renamed(own, 3, 16, "fine")
    texts.hold(own, "opening:\n  1N = Flat: 15+ points, balanced\n")
    with pytest.raises(InvalidInput, match="that the text defines, got 'balanced'"):
        texts.renamed(own, 2, 28, "even")


def test_no_name_is_changed_in_texts_that_do_not_read(folder):
    texts, own = EditedTexts(), folder / "own.bidding"
    texts.hold(
        folder / "other.bidding", 'include "page.bidding"\nopening:\n  1S = Spades: god spades\n'
    )
    with pytest.raises(InvalidInput, match=r"before a name can be changed, got other\.bidding:3"):
        texts.renamed(own, 3, 28, "fine")


def test_proposals_have_the_names_of_included_pages(folder):
    texts, own = EditedTexts(), folder / "own.bidding"
    text = 'include "page.bidding"\nopening:\n  1H = Hearts: b'
    texts.hold(own, text)
    assert {"better", "balanced"} <= {one.text for one in texts.proposals(own, 3, 17)}
    texts.hold(own, 'include "pa')
    assert [one.text for one in texts.proposals(own, 1, 12)] == ["page.bidding"]
