"""``/v1/systems/…`` and ``/v1/compare``: as the library answers; texts that are wrong or greedy."""

import os
import sys
import tempfile
import threading
import time

import pytest

from bidcascade.bridge import Deal, LimitExceeded, TimedOut, format_calls, format_deal, imps
from bidcascade.engine.questions.systems import (
    BenchAnswer,
    CompareAnswer,
    SystemCheckAnswer,
    SystemDiffAnswer,
)
from bidcascade.inference.double_dummy import DoubleDummyPool
from bidcascade.loaders import HAND_COLUMNS, deal_arrays, random_deals
from bidcascade.service.jobs import system_questions
from bidcascade.service.jobs.system_questions import ask_process
from bidcascade.systems.checking.check import check_system
from bidcascade.systems.checking.diff import diff_systems
from bidcascade.systems.system import System
from bidcascade.workshop.boards.bench import bench
from bidcascade.workshop.boards.compare import SystemMatch
from bidcascade.workshop.boards.compare_summary import summarize
from bidcascade.workshop.boards.scored_boards import Budget
from tests.support.answers import read_answer
from tests.support.examples import sized
from tests.support.service import ask, loaded_app, post, problem_of, write_small_table
from tests.support.systems import SMALL_SYSTEM, compile_few

CHANGED = SMALL_SYSTEM.replace("1NT = Strong notrump: 15-17", "1NT = Weak notrump: 12-14")
WRONG = SMALL_SYSTEM.replace("15-17 points", "15-17 pionts")
TINY = "opening:\n  1NT = Strong notrump: 15-17 points, balanced\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("systems")


@pytest.fixture(scope="module")
def app(folder):
    (folder / "small.bidding").write_text(SMALL_SYSTEM, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIDCASCADE_CACHE", str(folder / "cache"))
        patch.setattr(tempfile, "tempdir", str(folder))
        compile_few(patch)
        yield loaded_app(
            table=str(folder / "small.bidding"),
            extra_tables=f"rows={write_small_table(folder)}",
            backend="cpu",
            request_timeout_ms=250_000,
            dd_workers=1,
        )


SWITCHED = """opening:
  option keys "Key cards: 3014", off:  -- The answers
    1C = 12+ points
    option queen, on:
      1D = 12+ points
  1NT = Strong notrump: 15-17 points, balanced
"""


@pytest.mark.parametrize(
    ("options", "held"),
    [({}, []), ({"keys": True}, ["keys", "queen"]), ({"queen": True}, ["keys", "queen"])],
)
def test_an_answer_tells_which_options_hold(app, options, held):
    body = {"system": {"text": SWITCHED, "options": options}, "deals": 4}
    answer = read_answer(SystemCheckAnswer, post(app, "/v1/systems/check", body).content)
    told = answer.systems["system"].options
    assert [(one.name, one.title, one.about, one.within) for one in told] == [
        ("keys", "Key cards: 3014", "The answers", {}),
        ("queen", "Queen", "", {"keys": True}),
    ]
    assert [one.name for one in told if one.on] == held


def test_options_against_each_other_are_told(app):
    options = {"queen": True, "keys": False}
    body = {"system": {"text": SWITCHED, "options": options}, "deals": 4}
    answer = read_answer(SystemCheckAnswer, post(app, "/v1/systems/check", body).content)
    assert answer.result is None
    assert "expected option 'keys' on, got it off" in answer.complaints[0].message


def test_tables_tell_their_options(folder):
    (folder / "switched.bidding").write_text(SWITCHED, "utf-8")
    app = loaded_app(
        table=str(folder / "switched.bidding"),
        extra_tables=f"rows={write_small_table(folder)}",
        backend="cpu",
        option="switched:queen",
    )
    switched, rows = ask(app, "GET", "/v1/tables").json()["tables"]
    assert [(one["name"], one["on"]) for one in switched["options"]] == [
        ("keys", True),
        ("queen", True),
    ]
    assert rows["options"] == []
    system = ask(app, "GET", "/v1/tables/switched/system").json()
    assert system["options"] == {"keys": True, "queen": True}


def files_of(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def test_a_text_is_checked_and_nothing_is_kept(app, folder):
    before = files_of(folder)
    body = {"system": {"text": SMALL_SYSTEM}, "deals": 300, "seed": 4, "auctions": ["", "1N P"]}
    response = post(app, "/v1/systems/check", body)
    assert response.status_code == 200, response.text
    answer = read_answer(SystemCheckAnswer, response.content)
    assert answer.complaints == []
    assert files_of(folder) == before
    wanted = check_system(
        System.parse(SMALL_SYSTEM, name="system"), deals=300, seed=4, auctions=["", "1N P"]
    )
    found = answer.result
    assert [one.text for one in found.findings] == [one.text for one in wanted.findings]
    assert found.findings_total == len(wanted.findings)
    assert (found.expanded, found.entries) == (wanted.expanded, wanted.entries)
    assert dict(enumerate(found.by_depth)) == wanted.by_depth
    assert [place.auction for place in found.places] == ["", "1N P"]
    for place, other in zip(found.places, wanted.places, strict=True):
        assert [(one.call, one.chosen, one.fits, one.taken, one.where) for one in place.lines] == [
            (one.call, one.chosen, one.fits, one.taken, one.where) for one in other.lines
        ]


def test_what_is_wrong_in_a_text_is_told_by_its_place(app):
    response = post(app, "/v1/systems/check", {"system": {"text": WRONG}})
    assert response.status_code == 200, response.text
    answer = read_answer(SystemCheckAnswer, response.content)
    assert answer.result is None
    (one,) = answer.complaints
    assert (one.system, one.file, one.line) == ("system", "system", 7)
    assert WRONG.split("\n")[6][one.column - 1 :].startswith("pionts")
    assert "pionts" in one.message
    wrong = ("{Foo > 3}", "{HCP >= }", "{HCP > 3 and (}", "{1/0}")
    for braces in wrong[: sized(1, 4)]:
        text = f"opening:\n  1NT = Strong: 15-17 points,\n    balanced, {braces}\n"
        for path, body in (
            ("systems/check", {"system": {"text": text}, "deals": 10}),
            ("systems/diff", {"old": {"table": "small"}, "new": {"text": text}, "deals": 10}),
            ("compare", {"first": {"text": text}, "second": {"table": "small"}, "deals": 10}),
        ):
            answer = post(app, f"/v1/{path}", body)
            assert answer.status_code == 200, answer.text
            (one,) = answer.json()["complaints"]
            system = next(name for name, choice in body.items() if choice == {"text": text})
            assert (one["system"], one["line"], one["column"]) == (system, 3, 15)
            assert braces[1:-1].strip() in one["message"]
    body = {"old": {"text": WRONG}, "new": {"text": "\n\n1N\n"}}
    both = read_answer(SystemDiffAnswer, post(app, "/v1/systems/diff", body).content)
    assert {one.system for one in both.complaints} == {"old", "new"}
    body = {"system": {"text": TINY, "options": {"none such": True}}}
    (one,) = post(app, "/v1/systems/check", body).json()["complaints"]
    assert one["line"] == 0
    assert "none such" in one["message"]


@pytest.mark.parametrize("word", ["include", "opponents play"])
def test_a_text_reads_nothing_of_this_machine(app, folder, word):
    secret = folder / "secret.bidding"
    secret.write_text("opening:\n  1NT = Hidden: 15-17 points\n", "utf-8")
    up = os.path.relpath(secret, System.open("sayc").text.files[0][0].parent)
    files = [str(secret), up, "../texts/sayc.bidding", "../../../etc/passwd", "/etc/passwd",
             "secret", "secret.bidding", "~/secret.bidding"]  # fmt: skip
    lines = [f'{word} "{file}"\n' for file in files]
    answer = post(app, "/v1/systems/check", {"system": {"text": "".join(lines) + TINY}})
    assert answer.status_code == 200, answer.text
    complaints = answer.json()["complaints"]
    assert [one["line"] for one in complaints] == [*range(1, len(files) + 1)]
    for one in complaints:
        assert one["file"] == "system"
        assert "leads out of the folder" in one["message"] or "there is no file" in one["message"]
    assert "Hidden" not in answer.text
    assert "root:" not in answer.text


def test_a_text_may_include_what_is_shipped(app):
    body = {"system": {"text": f'include "sayc"\n{TINY}'}, "deals": 5}
    answer = post(app, "/v1/systems/check", body).json()
    assert answer["complaints"] == []
    (opening,) = answer["result"]["places"]
    files = {line["where"].partition(":")[0] for line in opening["lines"]}
    assert "sayc.bidding" in files


def test_two_texts_and_where_they_part(app):
    body = {"old": {"table": "small"}, "new": {"text": CHANGED}, "deals": 400, "show": 3}
    response = post(app, "/v1/systems/diff", body)
    assert response.status_code == 200, response.text
    found = read_answer(SystemDiffAnswer, response.content).result
    old = System.parse(SMALL_SYSTEM, name="small.bidding")
    wanted = diff_systems(old, System.parse(CHANGED, name="new"), deals=400)
    assert (found.deals, found.changed) == (400, wanted.changed)
    assert found.changes_total == len(wanted.changes)
    assert [(one.auction, one.old, one.new, one.deals, one.old_rule) for one in found.changes] == [
        (one.auction, one.old, one.new, one.deals, one.old_rule) for one in wanted.changes[:3]
    ]


def test_a_match(app):
    body = {"first": {"text": CHANGED}, "second": {"table": "small"}, "deals": 60, "solve": 8}
    response = post(app, "/v1/compare", body)
    assert response.status_code == 200, response.text
    found = read_answer(CompareAnswer, response.content).result
    assert found.names == ["first", "small"]
    answer = response.json()
    assert {name: one["name"] for name, one in answer["systems"].items()} == {
        "first": "first",
        "second": "small",
    }
    assert answer["systems"]["first"]["title"] == "Small natural"
    digests = {one["digest"] for one in answer["systems"].values()}
    assert len(digests) == 2
    assert found.same + found.differs == found.deals == 60
    assert found.examined == len(found.boards) == 8
    assert found.imps.low <= found.imps.value <= found.imps.high
    deals = deal_arrays(random_deals(60, 2026))
    match = SystemMatch(System.parse(CHANGED), System.parse(SMALL_SYSTEM), deals, seed=2026)
    assert found.differs == len(match.order)
    assert {one.number for one in found.boards} == set(match.order[:8].tolist())
    for board in found.boards:
        endings = match.ending[:, board.number].tolist()
        assert [table.calls for table in board.tables] == [
            format_calls(match.endings.auction(one)).split() for one in endings
        ]
        assert board.imps == imps(board.tables[0].score - board.tables[1].score)


def test_a_match_on_given_boards(app):
    deals = random_deals(6, seed=3)
    boards = [
        {"deal": format_deal(Deal(row[:4])), "dealer": row[4], "vulnerability": row[5]}
        for row in deals.select(*HAND_COLUMNS, "dealer", "vulnerability").rows()
    ]
    body = {"first": {"text": CHANGED}, "second": {"table": "small"}, "boards": boards}
    response = post(app, "/v1/compare", body)
    assert response.status_code == 200, response.text
    found = read_answer(CompareAnswer, response.content).result
    assert [one.deal for one in found.boards] == [one["deal"] for one in boards]
    assert [one.dealer for one in found.boards] == [one["dealer"] for one in boards]
    assert sum(one.imps for one in found.boards) == pytest.approx(6 * found.imps.value, abs=1e-3)
    match = SystemMatch(
        System.parse(CHANGED), System.parse(SMALL_SYSTEM), deal_arrays(deals), seed=2026
    )
    match.work_out(None, Budget(deals=0))
    assert summarize(match).kinds == {"same": found.same, "differs": found.differs}
    assert [one.kind for one in found.boards] == [
        ("same", "differs")[kind] for kind in match.kind.tolist()
    ]


def test_a_system_on_fixed_boards(app):
    """The numbers of the command, and the same ones again."""
    body = {"system": {"text": CHANGED}, "against": [{"table": "small"}], "boards": 3}
    response = post(app, "/v1/bench", body)
    assert response.status_code == 200, response.text
    assert post(app, "/v1/bench", body).content == response.content
    answer = read_answer(BenchAnswer, response.content)
    assert answer.complaints == []
    assert set(answer.systems) == {"system", "against[0]"}
    found = answer.result
    with DoubleDummyPool(1) as pool:
        wanted, _ = bench(System.parse(CHANGED), [System.parse(SMALL_SYSTEM)], pool, boards=3)
    assert (found.boards, found.bank, found.seed) == (3, "held-out", 0)
    (match,) = found.matches
    assert match.scores["imps"].value == pytest.approx(
        wanted.matches[0].scores["imps"].value, abs=1e-3
    )
    tally = wanted.yardstick.systems[0]
    assert found.from_par == pytest.approx(tally.imps, abs=1e-3)
    assert sum(one.imps for one in found.causes.values()) == sum(
        one.imps for one in tally.causes.values()
    )
    assert [(one.cause, one.imps) for one in found.lines] == [
        (one.cause, one.imps) for one in tally.lines
    ]


def test_a_bench_of_a_text_that_is_wrong(app):
    body = {"system": {"table": "small"}, "against": [{"text": WRONG}], "boards": 1}
    answer = read_answer(BenchAnswer, post(app, "/v1/bench", body).content)
    assert answer.result is None
    assert answer.complaints[0].system == "against[0]"


@pytest.mark.parametrize(
    ("path", "body", "status", "kind", "field"),
    [
        ("systems/check", {"system": {"table": "none"}}, 404, "unknown-table", ""),
        ("systems/check", {"system": {"text": "x" * (1 << 20)}}, 413, "body-too-large", ""),
        ("compare", {"first": {"text": TINY}, "second": {"table": "small"}, "deals": 5001}, 413,
         "limit-exceeded", "deals"),
        ("compare", {"first": {"text": TINY}, "second": {"table": "small"}, "solve": 501}, 413,
         "limit-exceeded", "solve"),
        ("bench", {"system": {"table": "engine:sh"}}, 404, "unknown-table", ""),
    ],
)  # fmt: skip
def test_what_is_refused(app, path, body, status, kind, field):
    problem = problem_of(post(app, f"/v1/{path}", body), status, kind)
    if field:
        assert problem["errors"][0]["field"] == field
    if kind == "limit-exceeded":
        assert "a job" in problem["detail"]


def test_time_is_limited_and_so_are_questions_at_once(app, folder):
    brief = loaded_app(folder, backend="cpu", request_timeout_ms=50)
    answer = post(brief, "/v1/systems/check", {"system": {"text": SMALL_SYSTEM}})
    problem_of(answer, 504, "timeout")
    slots = app.state.own.system_questions
    with slots.taken("elsewhere") as more:
        more(2)
        with slots.taken("somebody"):
            answer = post(app, "/v1/systems/check", {"system": {"text": TINY}})
    problem_of(answer, 429, "overloaded")
    assert slots.free == slots.count


def test_a_process_that_is_not_wanted_any_more_is_killed(monkeypatch):
    children = []

    class Noted(system_questions.Child):
        def __init__(self, start):
            super().__init__(start)
            children.append(self)

    monkeypatch.setattr(system_questions, "Child", Noted)
    systems = {"system": {"text": SMALL_SYSTEM, "options": {}}}
    given = {"deals": 20_000, "seed": 1, "auctions": [""], "least": 1}
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    with pytest.raises(system_questions.Cancelled):
        ask_process("check", systems, given, time_limit_s=100, cancel=cancel)
    with pytest.raises(TimedOut):
        ask_process("check", systems, given, time_limit_s=0.2, cancel=threading.Event())
    time.sleep(0.1)
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child.process_id, 0)


def test_memory_is_limited():
    systems = {"system": {"text": SMALL_SYSTEM, "options": {}}}
    given = {"deals": 50, "seed": 1, "auctions": [""], "least": 1}
    cancel = threading.Event()

    def ask(**limits):
        return ask_process("check", systems, given, time_limit_s=100, cancel=cancel, **limits)

    answer = ask()
    # places are forgotten and worked out again
    assert ask(places_bytes=1024) == answer
    with pytest.raises(LimitExceeded, match="answer of at most 1,000 bytes, got"):
        ask(answer_bytes=1000)
    if sys.platform == "linux":
        # wherever it runs out: at a library, at an array, in the core
        for megabytes in (100, 40, 140, 220)[: sized(1, 4)]:
            with pytest.raises(LimitExceeded, match="less memory"):
                ask(memory_bytes=megabytes << 20)


@pytest.mark.slow
def test_a_match_ends_when_its_time_is_over(app):
    body = {"first": {"text": CHANGED}, "second": {"table": "small"}, "deals": 2000, "solve": 500}
    found = post(app, "/v1/compare", {**body, "budget_ms": 1}).json()["result"]
    assert (found["deals"], found["examined"], found["boards"]) == (2000, 0, [])
    assert found["imps"]["value"] is None
    assert found["outcomes"]["other_contract"]["value"] > 0


def test_pages_that_a_text_includes_come_with_it(app):
    """A changed page counts, under the name of one that is shipped too; complaints name it."""
    text = 'include "notrump"\nopening:\n  1NT = Strong notrump: 15-17 points, balanced\n'
    page = "after 1NT:\n  2C = Mine: 8+ points\n"
    body = {
        "system": {"text": text, "pages": {"notrump.bidding": page}},
        "deals": 500,
        "auctions": ["1N P"],
    }
    (place,) = post(app, "/v1/systems/check", body).json()["result"]["places"]
    assert [(one["name"], one["where"]) for one in place["lines"]] == [
        ("Mine", "notrump.bidding:2")
    ]
    wrong = {"text": text, "pages": {"notrump.bidding": page.replace("points", "pionts")}}
    (one,) = post(app, "/v1/systems/check", {**body, "system": wrong}).json()["complaints"]
    assert (one["system"], one["file"], one["line"]) == ("system", "notrump.bidding", 2)
    # one text, whose pages differ
    new = {"text": text, "pages": {"notrump.bidding": page.replace("8+", "6+")}}
    found = post(app, "/v1/systems/diff", {"old": body["system"], "new": new, "deals": 2000}).json()
    assert found["result"]["changed"] > 0
    assert len({one["digest"] for one in found["systems"].values()}) == 2
    match = {"first": new, "second": body["system"], "deals": 300, "solve": 2}
    assert post(app, "/v1/compare", match).json()["result"]["differs"] > 0


@pytest.mark.parametrize("file", ["/etc/passwd", "../secret", "../../../etc/passwd", "secret"])
def test_pages_read_nothing_of_this_machine(app, folder, file):
    (folder / "secret.bidding").write_text("opening:\n  1NT = Hidden: 15-17 points\n", "utf-8")
    system = {"text": 'include "mine"\n' + TINY, "pages": {"mine.bidding": f'include "{file}"\n'}}
    answer = post(app, "/v1/systems/check", {"system": system})
    (one,) = answer.json()["complaints"]
    assert (one["file"], one["line"]) == ("mine.bidding", 1)
    assert "Hidden" not in answer.text


@pytest.mark.parametrize(
    "system",
    [
        {"text": TINY, "pages": {"../a.bidding": ""}},
        {"text": TINY, "pages": {"a.txt": ""}},
        {"table": "small", "pages": {"a.bidding": ""}},
    ],
)
def test_wrong_pages_are_refused(app, system):
    answer = post(app, "/v1/systems/check", {"system": system})
    problem = problem_of(answer, 422, "invalid-request")
    assert problem["errors"][0]["field"].startswith("system.pages")


def test_a_system_is_checked_against_opponents(app):
    """As `system check --opponents` does it: only its own calls are reported."""
    rash = "opening:\n  1NT = Anything: 0+ points\n"
    body = {"system": {"text": SMALL_SYSTEM}, "deals": 300, "seed": 4, "auctions": [""]}
    alone = post(app, "/v1/systems/check", body).json()["result"]
    told = post(app, "/v1/systems/check", {**body, "opponents": {"text": rash}}).json()
    assert set(told["systems"]) == {"system", "opponents"}
    wanted = check_system(
        System.parse(SMALL_SYSTEM, name="system"),
        deals=300,
        seed=4,
        opponents=System.parse(rash, name="opponents"),
    )
    found = told["result"]
    assert found["expanded"] == wanted.expanded != alone["expanded"]
    assert [one["text"] for one in found["findings"]] == [one.text for one in wanted.findings]
    wrong = {"text": rash.replace("points", "pionts")}
    (one,) = post(app, "/v1/systems/check", {**body, "opponents": wrong}).json()["complaints"]
    assert one["system"] == "opponents"
