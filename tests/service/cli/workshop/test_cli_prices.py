"""Command ``system prices``: its table, its JSON, honest errors."""

import json

import numpy as np
import pytest

from bidcascade.inference.double_dummy.solved_deals import bank_hands
from bidcascade.inference.double_dummy.table_cache import user_tables
from bidcascade.service.cli import BAD_ARGUMENTS, BAD_INPUT, main

TEXT = """
option weak, on:
  opening:
    1NT = Weak notrump: 12-14 points, balanced
option spades:
  opening:
    1S = Spades: 10+ points, 5+ spades
opening:
  1NT = Strong notrump: 15-17 points, balanced
  1C = Anything else: 12+ points
"""


@pytest.fixture
def text(tmp_path, monkeypatch):
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "switched.bidding").write_text(TEXT)
    (tmp_path / "bare.bidding").write_text("opening:\n  1C = Any: 0+ points\n")


def solve(count):
    cache = user_tables()
    tricks = np.random.default_rng(2).integers(5, 11, (count, 20)).astype(np.int8)
    cache.add(bank_hands(count), tricks)


@pytest.mark.usefixtures("text")
def test_options_stand_with_what_they_gain(capsys):
    solve(300)
    assert main(["system", "prices", "switched.bidding", "--bank", "all", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["bank"], told["deals"]) == ("all", 300)
    values = [one["imps"]["value"] for one in told["options"]]
    assert values == sorted(values, reverse=True)
    assert {one["option"]: one["is_on"] for one in told["options"]} == {
        "weak": True,
        "spades": False,
    }
    for one in told["options"]:
        assert one["imps"]["margin"] > 0
        assert {"defended_imps", "blind_imps", "other_auctions", "other_contracts"} <= set(one)
    assert main(["system", "prices", "switched.bidding"]) == 0
    out, err = capsys.readouterr()
    assert "of the bank (open)" in out
    assert "perfect defence" in out
    assert "no deal was led against" in err
    assert main(["system", "prices", "switched.bidding", "--deals", "20", "--workers", "1"]) == 0
    assert "on 20 deals\n" in capsys.readouterr().out
    # an option set for all of them, and turned round for its own
    assert main(["system", "prices", "switched.bidding", "--option", "spades", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert all(one["is_on"] for one in told["options"])


@pytest.mark.usefixtures("text")
def test_what_cannot_be_priced_is_said(tmp_path, capsys):
    prices = ["system", "prices", "switched.bidding"]
    assert main(prices) == BAD_INPUT
    assert "'bidcascade bank' solves them" in capsys.readouterr().err
    assert main([*prices, "--bank", "half"]) == BAD_ARGUMENTS
    assert "expected --bank open, held-out, all, got 'half'" in capsys.readouterr().err
    assert main([*prices, "--bank", "open", "--deals", "9"]) == BAD_ARGUMENTS
    assert "got --deals and --bank" in capsys.readouterr().err
    assert main([*prices, "--lead-layouts", "5"]) == BAD_ARGUMENTS
    assert main([*prices, "--option", "strong"]) == BAD_ARGUMENTS
    assert "(spades, weak), got 'strong'" in capsys.readouterr().err
    file = tmp_path / "cache" / "double-dummy" / "tables.bin"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"bank" * 40)
    assert main(prices) == BAD_INPUT
    assert "160 bytes that are no tables" in capsys.readouterr().err
    solve(5)
    assert main(["system", "prices", "bare.bidding"]) == BAD_INPUT
    assert "expected a system with options, got 'bare.bidding'" in capsys.readouterr().err
