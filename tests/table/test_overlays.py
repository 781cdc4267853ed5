"""Rules laid over a table, against the same changes made to its rows one rule after the other."""

import json
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidcascade.bridge import (
    CALL_TEXTS,
    Auction,
    InvalidOverlay,
    first_illegal_call,
    format_calls,
    parse_call,
    parse_calls,
)
from bidcascade.table import (
    CAN_COMPLETE,
    BiddingTable,
    Row,
    apply_overlays,
    build_table,
    read_overlay,
)
from bidcascade.table.overlays import remaking
from bidcascade.table.overlays.place_pattern import PlacePattern
from bidcascade.table.overlays.rules import Overlay, OverlayMark, Rule
from tests.support.examples import examples

CALLS = st.sampled_from([0, 0, 0, 1, 2, 3, 4, 7, 10, 37])
EXPRESSIONS = ("HCP >= 12", "SL_S >= 5", "HCP <= 10", "Balanced")
CRITERIA = st.lists(st.sampled_from(EXPRESSIONS), max_size=3, unique=True).map(tuple)
RANKS = st.sampled_from([None, None, 0, 1, 2])
NAMES = st.sampled_from(["", "Stayman"])
WORDS = st.sampled_from(["P", "X", "1C", "1D", "1N", "2H", "?", "*", "...", "1C/1N", "1m", "2M"])


@st.composite
def rows_of_tables(draw: st.DrawFn) -> list[Row]:
    auctions = draw(st.lists(st.lists(CALLS, min_size=1, max_size=6).map(bytes), max_size=25))
    return [
        Row(
            auction[:-1],
            auction[-1],
            draw(NAMES),
            draw(CRITERIA),
            None,
            draw(NAMES),
            draw(RANKS),
            draw(st.sampled_from([(), ("Alert",)])),
            "",
            None,
            "",
        )
        for auction in auctions
    ]


@st.composite
def rules(draw: st.DrawFn, line: int) -> Rule:
    words = draw(st.lists(WORDS, min_size=1, max_size=5))
    if draw(st.booleans()):
        words.insert(0, "P*")
    kind = draw(st.sampled_from(["add", "add", "replace", "remove", "expressions"]))
    if kind == "add":
        words.append(draw(st.sampled_from(["P", "1N", "2H", "X"])))
    at = PlacePattern.parse(" ".join(words))
    exact = at.auction
    if exact is not None and first_illegal_call(exact) is not None:
        at = PlacePattern.parse("P")
    if kind == "expressions":
        chosen = draw(CRITERIA.filter(bool))
        return Rule(draw(st.sampled_from(["add", "remove"])), at, line, expressions=chosen)
    if kind == "remove":
        return Rule("remove", at, line)
    labels = {"name": draw(NAMES), "rank": draw(RANKS), "criteria": draw(CRITERIA)}
    if kind == "add":
        return Rule("add", at, line, **labels)
    given = {key: value for key, value in labels.items() if draw(st.booleans())}
    return Rule("replace", at, line, **(given or {"name": "Gerber"}))


@st.composite
def overlays(draw: st.DrawFn) -> Overlay:
    count = draw(st.integers(0, 4))
    return Overlay(
        OverlayMark("mine.csv", "00"), tuple(draw(rules(line)) for line in range(1, count + 1))
    )


def changed_rows(table: BiddingTable, rule: Rule) -> list[Row]:
    """The definition: the rows of a table after one rule."""
    auctions = {bytes(a): e for e, a in enumerate(table.auctions_of(range(len(table))))}
    rows = list(table.rows())
    origin = {"where": f"mine.csv:{rule.line}", "source": "overlay"}

    def meets(row: Row) -> bool:
        return rule.at.matches([*row.prior, row.call])

    if rule.adds_entry:
        call = rule.at.last_call
        assert call is not None
        exact = rule.at.auction
        places = [b"", *auctions] if exact is None else [bytes(exact[:-1])]
        added = [
            Row(place, call, "", rule.criteria or (), None, rule.name or "", rule.rank, **origin)
            for place in places
            if (exact is not None or rule.at.prior.matches(place))
            and Auction.of(place).is_legal(call)
        ]
        return rows + added
    if rule.kind == "remove" and rule.expressions is None:
        gone = [auction for auction in auctions if rule.at.matches(auction)]
        return [
            row
            for row in rows
            if not any((row.prior + bytes((row.call,))).startswith(a) for a in gone)
        ]
    met = [auction for auction in auctions if rule.at.matches(auction)]
    inserted = [a for a in met if table.is_inserted(auctions[a])]
    if rule.kind == "remove":
        inserted = []
    rows += [Row(a[:-1], a[-1]) for a in inserted]
    after: list[Row] = []
    replaced: set[bytes] = set()
    for row in rows:
        if not meets(row):
            after.append(row)
            continue
        auction = row.prior + bytes((row.call,))
        if rule.expressions is not None:
            if rule.kind == "add":
                extra = [text for text in rule.expressions if text not in row.criteria]
                criteria = (*row.criteria, *extra)
            else:
                criteria = tuple(text for text in row.criteria if text not in rule.expressions)
            new = row._replace(criteria=criteria)
        else:
            labels = {
                name: getattr(rule, name)
                for name in ("name", "rank", "criteria")
                if getattr(rule, name) is not None
            }
            if rule.criteria is not None and auction in replaced:
                continue
            replaced.add(auction)
            new = row._replace(**labels)
        if new != row:
            new = new._replace(**origin)
        elif auction in inserted:
            continue
        after.append(new)
    return after


@pytest.mark.slow
@examples(25, 100)
@given(rows_of_tables(), overlays(), st.sampled_from(["allow", "pass"]))
def test_rules_do_what_they_do_to_rows(rows, overlay, policy):
    table, _ = build_table(rows, undescribed=policy)
    laid = apply_overlays(table, [overlay])
    expected = table
    for rule in overlay.rules:
        expected, _ = build_table(changed_rows(expected, rule), undescribed=policy)
    assert list(laid.rows()) == list(expected.rows())
    assert laid.settled() == expected
    assert laid.columns.keys() == expected.columns.keys()
    for name, column in expected.columns.items():
        assert laid.columns[name].tolist() == column.tolist(), name
    for entry in range(len(laid)):
        assert laid.variants(entry) == expected.variants(entry)
    assert laid.auctions_of(range(len(laid))) == expected.auctions_of(range(len(expected)))
    again, _ = build_table(rows, undescribed=policy)
    assert again == table, "the table below must stay as it is"


@given(rows_of_tables(), overlays())
def test_a_table_that_does_not_fit_the_memory_is_made_on_the_disk(rows, overlay):
    table, _ = build_table(rows)
    laid = apply_overlays(table, [overlay])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remaking, "BLOCK_ROWS", 3)
        patch.setattr(remaking, "ROWS_IN_MEMORY", 5)
        on_disk = apply_overlays(table, [overlay])
    assert on_disk.settled() == laid.settled()
    assert on_disk.changed_places == laid.changed_places
    assert list(on_disk.rows()) == list(laid.rows())


@pytest.mark.slow
@examples(25, 100)
@given(rows_of_tables(), overlays(), overlays())
def test_overlays_lie_on_one_another(rows, one, other):
    table, _ = build_table(rows)
    both = apply_overlays(table, [one, other])
    in_turn = apply_overlays(apply_overlays(table, [one]), [other])
    assert list(both.rows()) == list(in_turn.rows())
    assert both.overlays == in_turn.overlays == (one.mark, other.mark)


@pytest.mark.slow
@examples(25, 100)
@given(rows_of_tables(), overlays())
def test_changed_places_are_those_whose_calls_differ(rows, overlay):
    table, _ = build_table(rows)
    laid = apply_overlays(table, [overlay])

    def place(of: BiddingTable, auction: bytes) -> list[list[Row]]:
        entry = of.find(auction) if auction else None
        if auction and entry is None:
            return []
        return [of.variants(child) for child in of.children(entry)]

    for entry in range(-1, len(laid)):
        auction = bytes(laid.auction_of(entry)) if entry >= 0 else b""
        if entry >= 0 and not laid.children(entry) and laid.row(entry).source:
            # taken away with all below it and added again: what follows is left to the system
            continue
        if place(laid, auction) != place(table, auction):
            assert entry in laid.changed_places


@pytest.mark.slow
@given(st.lists(WORDS, min_size=1, max_size=4), st.booleans(), rows_of_tables())
def test_a_pattern_finds_what_it_matches(words, passes, rows):
    pattern = PlacePattern.parse(" ".join(["P*"] * passes + words))
    table, _ = build_table(rows)

    def behind(node: int) -> Iterable[tuple[int, int]]:
        return (
            (child, int(table.call[child])) for child in table.children(node if node >= 0 else None)
        )

    found = [path[-1] for path in pattern.walk(behind)]
    expected = [entry for entry in range(len(table)) if pattern.matches(table.auction_of(entry))]
    assert sorted(found) == [-1] * pattern.matches([]) + expected
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("1N P *", ["1N P 2C", "1N P 2C P P"], ["1N P", "1N", "P 1N P 2C"]),
        ("1N P ...", ["1N P", "1N P 2C P"], ["1N", "1N X"]),
        ("(P)* 1N", ["1N", "P 1N", "P P P 1N"], ["1C P 1N", "P P P P"]),
        ("P* 1N - (P) - ?", ["1N P 2C", "P P 1N P P"], ["1N P", "1N P 2C P", "1N X 2C"]),
        ("1M P 2M", ["1H P 2H", "1S P 2S"], ["1H P 2S", "1C P 2C"]),
        ("1M P 2oM", ["1H P 2S", "1S P 2H"], ["1H P 2H"]),
        ("1C/1D X", ["1C X", "1D X"], ["1H X", "1C P"]),
    ],
)
def test_patterns(pattern, matching, others):
    read = PlacePattern.parse(pattern)
    assert [text for text in matching if not read.matches(parse_calls(text))] == []
    assert [text for text in others if read.matches(parse_calls(text))] == []


# --- files ---------------------------------------------------------------------------------------

TABLE = [
    {"prior": "", "call": "1N", "name": "Strong", "criteria": ["15 <= HCP <= 17", "Balanced"]},
    {"prior": "", "call": "1C", "criteria": ["HCP >= 12"]},
    {"prior": "1N", "call": "P"},
    {"prior": "1N P", "call": "2C", "name": "Stayman", "criteria": ["HCP >= 8", "SL_H >= 4"]},
    {"prior": "1N P", "call": "3N", "criteria": ["HCP >= 10"]},
    {"prior": "1N P 2C", "call": "P"},
    {"prior": "1N P 2C P", "call": "2D", "criteria": ["SL_H <= 3"]},
]


def small_table() -> BiddingTable:
    return build_table(TABLE, source="small")[0]


def write(folder: Path, *lines: object, name: str = "fixes.jsonl") -> Path:
    file = folder / name
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text(text + "\n", encoding="utf-8")
    return file


def test_a_rule_of_each_kind(tmp_path):
    file = write(
        tmp_path,
        {"rule": "add", "at": "2D", "name": "Weak two", "criteria": ["SL_D >= 6"], "rank": 0},
        {"rule": "add", "at": "1N P *", "expressions": ["HCP<=20"]},
        {"rule": "replace", "at": "1N", "criteria": ["14 <= HCP <= 16"], "comment": "weaker"},
        {"rule": "remove", "at": "1N P 2C", "expressions": ["HCP >= 8"]},
        {"rule": "remove", "at": "1N P 3N"},
    )
    laid = apply_overlays(small_table(), [file])
    described = {
        format_calls(row.prior + bytes((row.call,))): (row.name, row.criteria, row.source)
        for row in laid.rows()
    }
    assert described == {
        "2D": ("Weak two", ("SL_D >= 6",), "overlay"),
        "1N": ("Strong", ("14 <= HCP <= 16",), "overlay"),
        "1C": ("", ("HCP >= 12",), ""),
        "1N P": ("", (), ""),
        "1N P 2C": ("Stayman", ("SL_H >= 4", "HCP <= 20"), "overlay"),
        "1N P 2C P": ("", ("HCP <= 20",), "overlay"),
        "1N P 2C P 2D": ("", ("SL_H <= 3", "HCP <= 20"), "overlay"),
    }
    assert laid.call[0] == parse_call("2D"), "a rank goes before none"
    assert laid.row(0).where == "fixes.jsonl:1"
    numbers = [(rule.met, rule.added, rule.changed, rule.removed) for rule in laid.report.rules]
    assert numbers == [(1, 1, 0, 0), (4, 0, 4, 0), (1, 0, 1, 0), (1, 0, 1, 0), (1, 0, 0, 1)]
    (mark,) = laid.overlays
    assert laid.info()["overlays"] == [{"name": mark.name, "sha256": mark.sha256}]


def test_csv_says_the_same_as_json_lines(tmp_path):
    table = small_table()
    lines = write(
        tmp_path,
        {"rule": "add", "at": "P* 2D", "criteria": ["SL_D >= 6", "5 <= HCP <= 10"], "rank": 3},
        {"rule": "remove", "at": "1N P *"},
    )
    cells = write(
        tmp_path,
        "\ufeffat,rule,rank,criteria,comment",
        "P* 2D,add,3,SL_D >= 6; 5<=HCP<=10,",
        "",
        '1N P *,remove,,,"all, really"',
        name="fixes.csv",
    )
    one, other = (apply_overlays(table, [file]) for file in (lines, cells))
    shown = [[row._replace(where="") for row in laid.rows()] for laid in (one, other)]
    assert shown[0] == shown[1]
    assert next(other.rows()).where == "fixes.csv:2"


def test_the_digest_tells_the_overlay_and_nothing_else_changes_it(tmp_path):
    table = small_table()
    file = write(tmp_path, {"rule": "remove", "at": "1C"})
    laid = apply_overlays(table, [file])
    assert laid.digest == apply_overlays(small_table(), [file]).digest
    other = write(tmp_path, {"rule": "remove", "at": "1C", "comment": "why"}, name="other.jsonl")
    digests = {table.digest, laid.digest, apply_overlays(table, [other]).digest}
    digests |= {
        apply_overlays(table, [file, other]).digest,
        apply_overlays(table, [other, file]).digest,
    }
    assert len(digests) == 5
    assert apply_overlays(table, []).overlays == ()


def test_what_meets_nothing_is_told(tmp_path):
    file = write(
        tmp_path,
        {"rule": "replace", "at": "2N", "criteria": ["HCP >= 20"]},
        {"rule": "remove", "at": "1C", "expressions": ["HCP >= 13"]},
        {"rule": "add", "at": "1S P 2C", "criteria": ["HCP >= 10", "HCP <= 8"]},
        {"rule": "add", "at": "1N P ? P 1H"},
        {"rule": "add", "at": "1N", "criteria": ["HCP >= 25"]},
        {"rule": "replace", "at": "1N P 3N", "criteria": []},
    )
    report = apply_overlays(small_table(), [file]).report
    assert {kind: found.examples for kind, found in report.findings.items()} == {
        "without_effect": [
            "fixes.jsonl:1: replace 2N: no such entry",
            "fixes.jsonl:2: remove 1C HCP >= 13: nothing to change there",
            "fixes.jsonl:4: add 1N P ? P 1H: no such place",
        ],
        "illegal_calls": ["fixes.jsonl:4: add 1N P ? P 1H: after 1N P 2C P"],
        "missing_parents": ["fixes.jsonl:3: 1S P"],
        "variants": ["fixes.jsonl:5: add 1N: 1N"],
        "unsatisfiable": [
            "fixes.jsonl:3: add 1S P 2C: 1S P 2C: no hand fits HCP >= 10 and HCP <= 8"
        ],
        "never_hold": ["fixes.jsonl:6: replace 1N P 3N: 1N P 3N: undescribed: pass"],
    }
    assert report.findings["missing_parents"].count == 2
    assert "rules that met no entry, or changed none: 3" in str(report)
    assert report.rules[0].where == "fixes.jsonl:1"


BAD_LINES = {
    "not json": "expected a JSON object",
    "[1, 2]": "expected an object, got [1, 2]",
    '{"rule": "add", "at": "1N", "criterai": []}': "expected only the keys",
    '{"rule": "add", "rule": "remove", "at": "1N"}': "the key 'rule' is there twice",
    '{"at": "1N"}': "expected a key 'rule' (add, replace, remove), got none",
    '{"rule": "delete", "at": "1N"}': "expected a rule of add, replace, remove, got 'delete'",
    '{"rule": "remove"}': "expected a key 'at'",
    '{"rule": "remove", "at": 7}': "expected an auction or a pattern as 'at', got 7",
    '{"rule": "remove", "at": ""}': "got an empty text",
    '{"rule": "remove", "at": "1N 9C"}': "got '9C'",
    '{"rule": "remove", "at": "1N P*"}': "expected 'P*' only in front",
    '{"rule": "add", "at": "1N 1C"}': "call 2, '1C', is illegal after 1N: insufficient",
    '{"rule": "remove", "at": "1N", "criteria": ["Balanced"]}': "without criteria, got one with it",
    '{"rule": "remove", "at": "1N", "rank": 1}': "without rank",
    '{"rule": "replace", "at": "1N"}': "expected one of name, description, criteria, rank, tags",
    '{"rule": "replace", "at": "1N", "expressions": ["Balanced"]}': "expected criteria in a rule",
    '{"rule": "add", "at": "1N", "expressions": ["HCP >= 1"], "rank": 1}': "expressions alone",
    '{"rule": "add", "at": "1N", "expressions": []}': "expected at least one expression",
    '{"rule": "add", "at": "1N ?"}': "expected one call at the end",
    '{"rule": "add", "at": "1N", "criteria": ["HPC >= 15"]}': "got 'HPC' in 'HPC >= 15', did you",
    '{"rule": "add", "at": "1N", "criteria": ["HCP >="]}': "got the end in 'HCP >='",
    '{"rule": "add", "at": "1N", "criteria": [15]}': "expected a list of texts as criteria",
    '{"rule": "add", "at": "1N", "name": 7}': "expected a text as name, got 7",
    '{"rule": "add", "at": "1N", "rank": -1}': "expected a whole number 0 to",
    '{"rule": "add", "at": "1N", "rank": true}': "expected a whole number 0 to",
    '{"rule": "add", "at": "1N", "tags": "Alert"}': "expected a list of texts as tags",
    '{"rule": "add", "at": "1N", "name": "\\ud800"}': "expected text that UTF-8 can hold",
    "[" * 100_000: "nested too deeply",
}


def test_every_bad_rule_is_named_with_file_and_line(tmp_path):
    file = write(tmp_path, *BAD_LINES)
    with pytest.raises(InvalidOverlay) as caught:
        apply_overlays(small_table(), [tmp_path / "gone.csv", file])
    complaints = caught.value.complaints
    assert "gone.csv" in complaints[0]
    assert "expected a file of overlay rules" in complaints[0]
    assert len(complaints) == 1 + len(BAD_LINES)
    for number, (complaint, expected) in enumerate(
        zip(complaints[1:], BAD_LINES.values(), strict=True), 1
    ):
        assert complaint.startswith(f"fixes.jsonl:{number}: "), complaint
        assert expected in complaint
        assert len(complaint) < 700
    assert str(caught.value).count("\n") == len(BAD_LINES)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rule,at,colour\nadd,1N,red\n", "fixes.csv:1: expected only the columns rule, at"),
        ("rule,at,at\nadd,1N,1C\n", "fixes.csv:1: expected each column once, got 'at' twice"),
        ("rule,name\nadd,x\n", "fixes.csv:1: expected a column 'at', got rule, name"),
        ("rule,at\nadd\n", "fixes.csv:2: expected 2 cells, got 1"),
        ('rule,at\n"add\nx",1N\nadd,1N 1C\n', "fixes.csv:4: call 2, '1C', is illegal"),
        ('rule,at\nadd,"1N\n', "fixes.csv:2: expected CSV"),
        ("rule,at,rank\nadd,1N,first\n", "fixes.csv:2: expected a whole number"),
    ],
)
def test_bad_csv(tmp_path, text, complaint):
    file = tmp_path / "fixes.csv"
    file.write_text(text)
    with pytest.raises(InvalidOverlay) as caught:
        read_overlay(file)
    assert any(one.startswith(complaint) for one in caught.value.complaints), caught.value


def test_bytes_that_are_no_text(tmp_path):
    file = tmp_path / "fixes.jsonl"
    file.write_bytes(b'{"rule": "remove", "at": "1N"}\n\xff\n')
    with pytest.raises(InvalidOverlay, match=r"fixes\.jsonl:2: expected UTF-8, got byte 0xff"):
        read_overlay(file)


def test_a_saved_table_with_overlays_is_a_table_of_its_own(tmp_path):
    frame = pl.DataFrame(
        {"entry": [0, 1, 2], "rate": [0.1, 0.2, 0.3]},
        schema={"entry": pl.UInt32, "rate": pl.Float64},
    )
    table = small_table().with_extra("rates", frame)
    file = write(tmp_path, {"rule": "remove", "at": "1C"}, {"rule": "add", "at": "2N", "rank": 0})
    laid = apply_overlays(table, [file])
    laid.save(tmp_path / "kept")
    kept = BiddingTable.open(tmp_path / "kept", verify=True)
    assert list(kept.rows()) == list(laid.rows())
    assert kept.source == "small + fixes.jsonl"
    assert kept.overlays == ()
    # 1N was entry 0 and 1N P entry 2; 2N stands before them, 1C is gone
    extra = kept.extra("rates")
    assert extra is not None
    assert extra.rows() == [(1, 0.1), (2, 0.3)]
    with_other = laid.with_extra("other", frame)
    assert with_other.overlays == laid.overlays
    assert with_other.extras == ("other", "rates")


def test_can_complete_follows_what_is_below(tmp_path):
    file = write(tmp_path, {"rule": "add", "at": "1N P 3N P P P"})
    table = small_table()
    laid = apply_overlays(table, [file])
    for text, can in (("1N", 1), ("1N P", 1), ("1N P 3N", 1), ("1N P 2C", 0), ("1C", 0)):
        entry = laid.find(parse_calls(text))
        assert entry is not None
        assert bool(laid.flags[entry] & CAN_COMPLETE) == bool(can), text
    gone = apply_overlays(laid, [write(tmp_path, {"rule": "remove", "at": "1N P 3N P"})])
    assert not (gone.flags & CAN_COMPLETE).any()
    assert CALL_TEXTS[gone.call[0]] == "1N"
