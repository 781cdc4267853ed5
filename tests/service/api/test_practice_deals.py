"""``GET /v1/themes`` and ``POST /v1/practice-deals``."""

import pytest

from bidcascade.bridge import parse_deal
from tests.support.service import ask, loaded_app, post, problem_of


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return loaded_app(tmp_path_factory.mktemp("practice"), request_timeout_ms=20_000)


def test_themes_are_listed(app):
    found = ask(app, "GET", "/v1/themes").json()["themes"]
    assert len(found) == 30
    assert found[0]["practises"].endswith(".")


def test_deals_of_themes_are_mixed_and_turned(app):
    body = {"themes": ["stayman", "michaels"], "count": 8, "seat": "N", "seed": 5}
    response = post(app, "/v1/practice-deals", body)
    assert response.status_code == 200, response.text
    found = response.json()
    assert [one["theme"] for one in found["deals"]].count("michaels") == 4
    for one in found["deals"]:
        assert parse_deal(one["deal"])
        assert one["dealer"] == {"stayman": "S", "michaels": "W"}[one["theme"]]
    assert post(app, "/v1/practice-deals", body).json() == found


def test_deals_of_a_script(app):
    script = "dealer east vulnerable ns spades(south) == 13 action tricksy"
    answer = problem_of(post(app, "/v1/practice-deals", {"script": script}), 422, "invalid-request")
    assert answer["errors"][0]["field"] == "script"
    found = post(app, "/v1/practice-deals", {"script": script.partition(" action")[0], "count": 2})
    for one in found.json()["deals"]:
        assert one["deal"].split()[2] == "AKQJT98765432..."
        assert (one["dealer"], one["vulnerability"], one["theme"]) == ("E", "NS", "script")


def test_deals_that_there_are_not(app):
    body = {"script": "hcp(north) > 30 && hcp(south) > 10"}
    problem_of(post(app, "/v1/practice-deals", body), 422, "no-such-deal")


def test_a_search_without_end_ends(tmp_path):
    hasty = loaded_app(tmp_path, request_timeout_ms=1500)
    script = "generate 2000000000 cccc(north) > 9000"
    problem_of(post(hasty, "/v1/practice-deals", {"script": script}), 504, "timeout")
