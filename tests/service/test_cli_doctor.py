"""``system doctor``: what another call is worth, and what does not go together."""

import json

import numpy as np
import polars as pl

from bidcascade.loaders import deal_arrays, random_deals
from bidcascade.loaders.pbn_double_dummy import DOUBLE_DUMMY_COLUMNS
from bidcascade.service.cli import BAD_ARGUMENTS, main
from tests.support_deals import possible


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
    out = capsys.readouterr().out
    assert "on 120 deals" in out
    assert "Game at once rash.bidding:2" in out
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (regret,) = (one for one in found["regrets"] if one["line"]["name"] == "Game at once")
    assert (regret["calls"], regret["when"], regret["share"]) == (["P"], "", 1)
    assert regret["unseen"]["decisions"] == 60
    assert regret["unseen"]["mean"] > 3


def test_deals_come_from_one_place(capsys):
    assert (
        main(["system", "doctor", "sayc", "--deals", "9", "--from", "deals.pbn"]) == BAD_ARGUMENTS
    )
    assert "expected --deals or --from, got both" in capsys.readouterr().err
