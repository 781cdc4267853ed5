"""``system doctor``: what another call is worth, and what does not go together."""

import json

import numpy as np
import polars as pl

from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.loaders.pbn.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.service.cli import BAD_ARGUMENTS, INTERRUPTED, main
from tests.support.deals import possible


def test_what_another_call_is_worth(tmp_path, capsys):
    """Three notrump on any hand, where nobody takes more than six tricks."""
    deals, six = random_deals(140, 4), np.full((140, 20), 6)
    may_be = (possible(six, deal_arrays(deals).hands) == six).all(axis=1)
    tables = [pl.Series(name, np.full(120, 6, np.int8)) for name in DOUBLE_DUMMY_COLUMNS]
    deals.filter(may_be)[:120].with_columns(tables).write_parquet(tmp_path / "deals.parquet")
    text = tmp_path / "rash.bidding"
    text.write_text("opening:\n  3NT = Game at once: any hand\n", "utf-8")
    arguments = ["system", "doctor", str(text), "--from", str(tmp_path / "deals.parquet")]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    # before it begins, and after a first part; no terminal is needed
    assert "120 deals, 120 of them solved before" in err
    assert "for the others" in err
    assert "on 120 deals" in out
    assert "Game at once rash.bidding:2" in out
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (regret,) = (one for one in found["regrets"] if one["line"]["name"] == "Game at once")
    assert (regret["calls"], regret["when"], regret["share"]) == (["P"], "", 1)
    assert regret["unseen"]["decisions"] == 60
    assert regret["unseen"]["mean"] > 3


def test_ctrl_c_ends_with_the_findings_so_far(monkeypatch, capsys):
    from bidcascade.workshop.boards.doctor import Examiner

    look_at, parts = Examiner.look_at, []

    def interrupted(self, deals, tables):
        if parts:
            raise KeyboardInterrupt
        parts.append(len(deals))
        look_at(self, deals, tables)

    def solved(hands, *_, **__):
        return np.full((hands.shape[1], 20), 7, np.int8)

    monkeypatch.setattr(Examiner, "look_at", interrupted)
    monkeypatch.setattr("bidcascade.inference.double_dummy.table_cache.solved_tables", solved)
    assert main(["system", "doctor", "sayc", "--deals", "90", "--json"]) == INTERRUPTED
    out, err = capsys.readouterr()
    assert json.loads(out)["deals"] == parts[0]
    assert f"interrupted: the findings of {parts[0]} of 90 deals" in err


def test_ctrl_c_before_the_first_part(monkeypatch, tmp_path, capsys):
    # nothing is solved yet
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("bidcascade.inference.double_dummy.table_cache.solved_tables", interrupted)
    assert main(["system", "doctor", "sayc", "--deals", "9"]) == INTERRUPTED
    out, err = capsys.readouterr()
    told = "bidcascade: error: interrupted; deals that were solved are kept for the next run"
    assert (out, err.splitlines()[-1]) == ("", told)


def test_deals_come_from_one_place(capsys):
    for more in (["--from", "deals.pbn"], ["--bank", "open"]):
        assert main(["system", "doctor", "sayc", "--deals", "9", *more]) == BAD_ARGUMENTS
        assert f"expected --deals, --from or --bank, got --deals and {more[0]}" in (
            capsys.readouterr().err
        )
