"""The memory of places: one variable for commands and the service, and longest auctions there."""

import json
import os

import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.service.api.app import create_app
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, DONE, main
from bidcascade.service.engine import Engine
from bidcascade.service.settings import Settings, read_settings
from bidcascade.systems.budget import BUDGET_VARIABLE, DEFAULT_BUDGET, places_budget
from bidcascade.systems.check import check_system
from bidcascade.systems.system import System
from tests.support_service import loaded_app, post
from tests.support_systems import LONGEST, SMALL_SYSTEM

TEXT = """opening:
  1NT = Strong notrump: 15-17 points, balanced
general:
  Pass = Enough: at most 9 points
  Double = Doubled: 10+ points
"""
HAND = "AK52.AQ3.976.KJ2"


@pytest.fixture
def tiny(tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "tiny.bidding"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("written", ["lots", "-1", "1023", "1.5e9"])
def test_a_wrong_budget_is_told(written, tiny, monkeypatch, capsys):
    monkeypatch.setenv(BUDGET_VARIABLE, written)
    told = f"expected a whole number of bytes from 1024, got {written!r}"
    with pytest.raises(InvalidInput) as caught:
        read_settings()
    assert str(caught.value) == f"setting 'places_bytes' ({BUDGET_VARIABLE}): {told}"
    assert main(["system", "check", tiny, "--deals", "10"]) == BAD_INPUT
    assert f"{BUDGET_VARIABLE}: {told}" in capsys.readouterr().err


def test_the_budget_reaches_bidders(monkeypatch):
    monkeypatch.delenv(BUDGET_VARIABLE, raising=False)
    assert Settings().places_bytes == places_budget() == DEFAULT_BUDGET
    for written, expected in (("", DEFAULT_BUDGET), ("70000", 70_000)):
        monkeypatch.setenv(BUDGET_VARIABLE, written)
        assert Settings().places_bytes == expected
        assert System.parse(TEXT).bidder().budget == expected
    create_app(read_settings({"places_bytes": "80000", "backend": "reference"}))
    assert os.environ[BUDGET_VARIABLE] == "80000", "processes of jobs are told"
    assert System.parse(TEXT).bidder().budget == 80_000


def test_a_call_after_317_calls(tiny, capsys):
    assert len(LONGEST.split()) == 317
    answer = Engine.open(tiny, "cpu").bid(HAND, LONGEST)
    assert (answer.call, answer.default_pass) == ("P", True)
    assert main(["bid", HAND, "--auction", LONGEST, "--table", tiny, "--json"]) == DONE
    assert json.loads(capsys.readouterr().out)["call"] == "P"
    assert main(["bid", HAND, "--auction", f"{LONGEST} P P", "--table", tiny]) == BAD_ARGUMENTS
    assert "expected an auction that goes on" in capsys.readouterr().err
    app = loaded_app(table=tiny, backend="cpu")
    asked = {"hand": HAND, "auction": LONGEST.split()}
    assert post(app, "/v1/bid", asked).json()["call"] == "P"
    asked["auction"] = [*LONGEST.split(), "P", "P"]
    answer = post(app, "/v1/bid", asked)
    assert answer.status_code == 422
    assert "over" in answer.json()["detail"]


def test_a_check_ends_where_places_take_more_than_the_budget(monkeypatch):
    """It walks through places and must forget none of them meanwhile."""
    whole = check_system(System.parse(SMALL_SYSTEM), deals=50, seed=1)
    monkeypatch.setenv(BUDGET_VARIABLE, "1024")
    assert check_system(System.parse(SMALL_SYSTEM), deals=50, seed=1) == whole
