"""The command ``lead``: what it prints, as JSON, under a budget, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from bidcascade.bridge import DoubleDummyFailed
from bidcascade.service.cli import BAD_ARGUMENTS, NO_BACKEND, exit_code, main, make_parser
from tests.support_service import write_small_table

HAND = "K52.AQ3.9876.KJ2"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_small_table(tmp_path_factory.mktemp("tables")))


def lead(table: str, *arguments: str) -> int:
    return main(["lead", HAND, *arguments, "--table", table, "--backend", "cpu"])


def test_what_is_printed(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lead(table, "1N P 3N", "--dealer", "E", "--layouts", "5", "--scoring", "set") == 0
    out, errors = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "S leads against 3NE, by set"
    assert lines[2].split()[:5] == ["lead", "tricks", "set", "matchpoints", "IMPs"]
    assert {line.split("  ")[0].strip() for line in lines[4:14]} == {
        "D9 D8 D7 D6", "HA", "HQ", "H3", "SK", "S5", "S2", "CK", "CJ", "C2",
    }  # fmt: skip
    assert lines[-1].startswith("5 of 5 layouts solved: lead ")
    assert lines[-1][28:30] in {"D6", "HA", "HQ", "H3", "SK", "S2", "CK", "C2"}
    # the small table has no line for opener's partner's last pass
    assert "call 4, P by S" not in errors


def test_json_has_what_rest_has(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lead(table, "--contract", "4SXN", "--layouts", "2", "--json", "--seed", "3") == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (answer["leader"], answer["contract"], answer["scoring"]) == ("E", "4SXN", "tricks")
    assert answer["layouts"]["seed"] == 3
    assert answer["table"]["name"] == table
    assert len(answer["leads"]) == 10


def test_a_budget_and_further_knowledge(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--contract", "3NS", "--layouts", "500", "--budget-ms", "2500", "--loose"]
    known = ["--known", "N:AJ+.+.+.-", "--where", "HCP_S >= 15", "--where", "SL_S_S >= 4"]
    assert lead(table, *arguments, *known, "--json") == 0
    layouts = json.loads(capsys.readouterr().out)["layouts"]
    assert 1 <= layouts["solved"] < 500


def test_a_budget_that_is_over_at_once(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lead(table, "1N P 3N", "--dealer", "E", "--budget-ms", "1") == 0
    out, _ = capsys.readouterr()
    assert "\n1 of " in out
    assert "layouts solved: lead " in out
    assert "; not decided, as far as they tell as good may be " in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected an auction or --contract, and not both"),
        (["1N", "--contract", "3NE"], "expected an auction or --contract, and not both"),
        (["P P P P"], "an auction that ends in a contract"),
        (["1N 1C"], "insufficient"),
        (["1N P"], "expected an auction that is over, got '1N P', where South is to call"),
        (["1N P 3N P P"], "expected an auction that is over"),
        (["--contract", "8NE"], "expected a contract such as"),
        (["1N P 3N", "--known", "W:K+.+.+.+"], "SK in W and in another hand"),
        (["--contract", "3NE", "--known", "S:K+.+.+.+"], "other hands than the leader's, S"),
        (["--contract", "3NE", "--where", "HCP_N >="], "expected an operand"),
        (["--contract", "3NE", "--layouts", "0"], "a whole number of at least 1"),
    ],
)
def test_what_is_refused(
    table: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lead(table, *arguments) == BAD_ARGUMENTS
    out, errors = capsys.readouterr()
    assert out == ""
    assert message in errors
    assert errors.count("\n") == 1


def test_a_hand_that_is_none(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lead", "K52.AQ3", "1N", "--table", table]) == BAD_ARGUMENTS
    assert "expected" in capsys.readouterr().err


def test_a_solver_that_fails_is_no_bad_input() -> None:
    assert exit_code(DoubleDummyFailed("deal 3 ended the solver 3 times", [3])) == NO_BACKEND


@pytest.mark.parametrize("command", ["interpret", "layouts", "lead"])
def test_conditions_add_up_in_every_command(command: str) -> None:
    words = [command, "--known", "N:A+.+.+.-", *(["QJT94.K32.76.982"] if command == "lead" else [])]
    given = [*words, "1N P 3N", "--where", "HCP_N >= 15", "--where", "HCP_S >= 9"]
    options = make_parser(given).parse_args(given)
    assert options.auction == "1N P 3N"
    assert options.known == ["N:A+.+.+.-"]
    assert options.where == ["HCP_N >= 15", "HCP_S >= 9"]
