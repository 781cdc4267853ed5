"""The command ``interfaces``: systems bid alike by Python, REST, page and kernels, a few boards."""

import json

import pytest

from benchmarks import __main__ as benchmarks_main
from benchmarks import interfaces
from benchmarks.interfaces import Difference, check
from benchmarks.service.requests import deal_objects
from benchmarks.tools.browser import why_no_browser
from tests.check.missing import missing
from tests.kernels.emulator import build

BOARDS = deal_objects(2, seed=1)
TOLD = {"auction": "1N P P P", "call 1": "1N: x.bidding:3 Strong", "call 2": "P: no line"}


@pytest.mark.slow
def test_a_system_bids_alike_by_every_interface(tmp_path, capsys):
    for reason in (why_no_browser(), build.why_unavailable()):
        if reason is not None:
            missing(reason)
    words = ["interfaces", "--boards", "66", "--systems", "sayc", "--out", str(tmp_path)]
    assert benchmarks_main.main(words) == 0, capsys.readouterr().err
    found = json.loads((tmp_path / "interfaces.json").read_text("utf-8"))
    told = found["systems"]["sayc"]
    counts = [*told["answers"].values()]
    assert (told["boards"], [*told["answers"]]) == (66, ["engine", "REST", "page", "kernels"])
    assert counts == [counts[0]] * 4
    assert counts[0]["auctions"] == 66
    assert counts[0]["calls"] > 400
    assert counts[0]["of mode all"] > 2000
    page = (tmp_path / "interfaces.md").read_text("utf-8")
    assert page.count("| sayc | ") == 4
    assert [one.name for one in tmp_path.iterdir() if "so-far" in one.name] == []


def test_a_board_that_is_answered_otherwise_is_shown():
    answers = {name: [TOLD, TOLD] for name in ("engine", "REST")}
    check("sayc", BOARDS, answers)
    with pytest.raises(Difference) as error:
        check(
            "sayc", BOARDS, {**answers, "page": [TOLD, TOLD | {"call 2": "X: x.bidding:9 Penalty"}]}
        )
    head, place, *said = str(error.value).splitlines()
    north = BOARDS[1]["deal"][2:].split()[0]
    assert head.startswith(f"sayc is answered otherwise: /#n={north}&e=")
    assert head.endswith("&dealer=E&vul=NS&auction=1N&table=sayc")
    assert place == "  call 2, after 1N"
    assert said == [
        "    engine  P: no line",
        "    REST    P: no line",
        "    page    X: x.bidding:9 Penalty",
    ]


def test_what_one_interface_does_not_tell_is_no_difference():
    """Kernels tell no line of calls behind as many as are listed."""
    short = {name: TOLD[name] for name in ("auction", "call 1")}
    check("sayc", BOARDS, {"engine": [TOLD, TOLD], "kernels": [short, short]})


@pytest.mark.parametrize(("error", "code"), [(Difference("other"), 1), (RuntimeError("gone"), 3)])
def test_how_it_ends(tmp_path, monkeypatch, capsys, error, code):
    def fail(options):
        raise error

    monkeypatch.setattr(interfaces, "compare", fail)
    monkeypatch.setattr(interfaces, "why_missing", lambda: None)
    assert interfaces.main(["--out", str(tmp_path)]) == code
    assert capsys.readouterr().err == f"error: {error}\n"


def test_what_is_missing_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(interfaces, "why_no_browser", lambda: "no Chromium")
    assert interfaces.main([]) == 3
    assert capsys.readouterr().err == "error: no Chromium\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--boards", "64"], "expected more than 64 boards: a device leaves fewer alone, got '64'"),
        (["--boards", "many"], "invalid"),
        (["--systems", "dutch"], "invalid choice: 'dutch'"),
    ],
)
def test_arguments_that_are_none(capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        interfaces.main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_what_was_compared_of_other_files_or_boards_is_compared_again(tmp_path):
    options = interfaces.parse(["--out", str(tmp_path)])
    kept = tmp_path / "so-far.json"
    found = interfaces.so_far(kept, options)
    found["systems"]["sayc"] = {"boards": 250, "answers": {}}
    kept.write_text(json.dumps(found))
    assert interfaces.so_far(kept, options) == found
    options.seed = 2
    assert interfaces.so_far(kept, options)["systems"] == {}
    kept.write_text("{")
    assert interfaces.so_far(kept, options)["systems"] == {}


@pytest.mark.parametrize("boards", [65, 250, 251, 2_500])
def test_a_device_gets_so_many_boards_that_it_bids_them(boards):
    spans = interfaces._spans(boards)
    assert (spans[0][0], spans[-1][1]) == (0, boards)
    assert all(64 < end - start <= interfaces.AT_ONCE for start, end in spans)
