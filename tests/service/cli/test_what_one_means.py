"""What people write first: names for what they name, deals as text, one error where it is none."""

from pathlib import Path

import pytest

from bidcascade import Engine, read_deals
from bidcascade.bridge import InvalidHand, InvalidInput, UnknownTable, parse_deal, parse_hand
from bidcascade.inference import KnownCards, interpret, sample_layouts
from bidcascade.loaders import deal_frame, frame_of, random_deals, write_lin
from bidcascade.systems import open_system, open_table
from bidcascade.table import build_table

DEAL = "N:AQ4.KJ3.K876.Q52 K95.Q872.A54.KT3 J876.A65.Q93.J94 T32.T94.JT2.A876"
LIN = "md|3SJ876HA65DQ93CJ94,ST32HT94DJT2CA876,SAQ4HKJ3DK876CQ52,|"
HAND = "AQ4.KJ3.K876.Q52"


@pytest.fixture(scope="module")
def engine():
    return Engine("sayc")


def test_an_engine_takes_a_name_or_a_path(engine, tmp_path):
    assert engine.name == "sayc"
    assert engine.digest == Engine.open("sayc").digest
    assert engine.opened_from == ("sayc", {})
    text = tmp_path / "mine.bidding"
    text.write_text("opening:\n  1NT = Strong: 15-17 points, balanced\n")
    for mine in (Engine(text), Engine(str(text)), Engine.open(text)):
        assert mine.bid(HAND).name == "Strong"
        assert mine.name == str(text)
    with pytest.raises(UnknownTable, match="expected a table's name"):
        Engine("saic")


@pytest.mark.parametrize("held", [5, None, ["sayc"], b"sayc"])
def test_an_engine_of_something_else_is_told(held):
    with pytest.raises(TypeError, match="expected a bidding table or a system, got"):
        Engine(held)


@pytest.mark.parametrize("opened", [Engine.open, open_table])
def test_an_option_that_does_not_exist_is_told(opened, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("prior,call,criteria\n,1N,HCP >= 15\n")
    with pytest.raises(TypeError, match="got 'option'; did you mean 'options'"):
        opened("sayc", option={})
    with pytest.raises(TypeError, match="for 'sayc', got 'undescribed'"):
        opened("sayc", undescribed="allow")
    with pytest.raises(TypeError, match="got 'profil'; did you mean 'profile'"):
        opened(rows, profil="gib")
    build_table([{"prior": "", "call": "1N"}])[0].save(tmp_path / "table")
    with pytest.raises(TypeError, match="got 'profile'"):
        opened(tmp_path / "table", profile="gib")


def test_the_backend_misspelt_is_told():
    with pytest.raises(TypeError, match="got 'backnd'; did you mean 'backend'"):
        Engine.open("sayc", backnd="cpu")


def ways(folder):
    """Names of one and the same deal."""
    frame = deal_frame([parse_deal(DEAL)])
    write_lin(frame, folder / "club.lin")
    yield from (frame, frame.lazy(), DEAL, DEAL.encode(), [DEAL], LIN, f'[Deal "{DEAL}"]')
    yield from (read_deals(DEAL), parse_deal(DEAL), [parse_deal(DEAL)], (DEAL,))
    yield from (folder / "club.lin", str(folder / "club.lin"), [folder / "club.lin"])


def test_deals_are_what_names_them(engine, tmp_path):
    frame = deal_frame([parse_deal(DEAL)])
    bid, count = engine.auctions(frame, mode="first")["contract"].to_list(), engine.counts(frame)
    for deals in ways(tmp_path):
        assert frame_of(deals).select("north", "east").equals(frame.select("north", "east"))
        assert engine.auctions(deals, mode="first")["contract"].to_list() == bid
        assert engine.auctions(deals, limit=3).height == 3
        assert engine.counts(deals)["calls"].to_list() == count["calls"].to_list()
        assert engine.members(deals, "1N").columns == ["1N"]
        assert engine.evaluate(deals, ["HCP >= 15"]).row(0) == (True, False, False, False)
        assert len(list(engine.iter_auctions(deals, mode="first"))) == 1
        assert engine.variants(deals, engine.auctions(deals, limit=1))


@pytest.mark.parametrize("deals", [5, None, {"north": [1]}, [5], [DEAL, parse_deal(DEAL)]])
def test_what_names_no_deals_is_told(engine, deals):
    with pytest.raises(InvalidInput, match=r"expected .*\bdeals?\b"):
        engine.auctions(deals)


def test_a_text_that_is_no_deal_is_told(engine):
    with pytest.raises(InvalidInput, match="expected 13 cards, got 12"):
        engine.auctions(DEAL.replace("Q52", "Q5"))
    with pytest.raises(InvalidInput, match=r"'club\.lin': no such file"):
        read_deals("club.lin")


def test_a_file_whose_name_looks_like_a_deal_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_lin(random_deals(3, seed=1), "md|3|.lin")
    assert read_deals("md|3|.lin").deals.height == 3
    assert read_deals(["md|3|.lin", DEAL, LIN]).deals.height == 5


def test_an_auction_is_text_or_calls(engine):
    for auction in (["1N", "P"], ("1N", 0), "1N P", "1N-P", [7, "P"]):
        assert engine.explain(auction).auction == "1N P"
        assert engine.expand(auction).calls == (7, 0)
        assert engine.bid(HAND.replace("AQ4", "Q42").replace("K876", "A876"), auction).call


@pytest.mark.parametrize("source", ["sayc", open_system("sayc")])
def test_layouts_take_the_name_of_a_system(source, tmp_path):
    assert interpret(source, ["1N", "P"], layouts=10).auction == "1N P"
    assert len(sample_layouts(source, "1N", count=3)) == 3


def test_layouts_of_something_else_are_told(engine):
    with pytest.raises(TypeError, match="expected a system, a bidding table or the name of one"):
        sample_layouts(engine, "1N", count=3)


@pytest.mark.parametrize(
    "text", ["AQ4 KJ3 K876 Q52", "aq4  kj3\tk876 q52", "AQ4. KJ3. K876. Q52", " AQ4 KJ3 K876 Q52 "]
)
def test_a_hand_with_blanks(engine, text):
    assert engine.bid(text).call == engine.bid(HAND).call
    assert KnownCards.parse(text).cards == parse_hand(HAND)
    assert KnownCards.parse("AQ4 KJx K8xx +").lengths == KnownCards.parse("AQ4.KJx.K8xx.+").lengths
    with pytest.raises(InvalidHand, match="expected a hand such as"):
        engine.bid("AQ4 KJ3 K876")


def test_a_path_is_no_text():
    with pytest.raises(InvalidInput, match="no such file"):
        read_deals(Path(DEAL))
