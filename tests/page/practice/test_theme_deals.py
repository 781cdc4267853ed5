"""Deals of themes for the page as a folder: each meets its theme, and is read as a link is."""

import numpy as np

from bidcascade.inference.scenarios.evaluation import Evaluation
from bidcascade.inference.scenarios.producing import board_of
from bidcascade.inference.scenarios.themes import themes
from bidcascade.loaders import HAND_COLUMNS, read_deals
from bidcascade.page.theme_deals import theme_deals


def test_every_theme_has_deals_that_meet_it():
    found = {one["name"]: one for one in theme_deals(3)}
    assert list(found) == list(themes())
    for name, theme in themes().items():
        links = "\n".join(f"#view=bid&ask={code}" for code in found[name]["deals"])
        deals = read_deals(links.encode()).deals
        assert len(deals) == 3
        hands = np.array([deals[column].to_list() for column in HAND_COLUMNS], np.uint64)
        assert Evaluation(theme.script, None).holds(theme.script.condition, hands).all(), name
        assert set(deals["dealer"]) == {board_of(theme.script)[0].letter}


def test_they_are_the_same_each_time():
    theme_deals.cache_clear()
    first = theme_deals(2)
    theme_deals.cache_clear()
    assert theme_deals(2) == first
