"""What a service does before somebody waits for layouts and leads."""

import httpx
import pytest

from bidcascade.bridge import InvalidCall
from bidcascade.service.api.shared import warm_up
from tests.support.service import loaded_app, ready_server

QUESTIONS = {
    "/v1/leads": {"hand": "K52.AQ3.9876.KJ2", "contract": "3NE", "layouts": 2},
    "/v1/interpret": {"auction": ["1N", "P"]},
    "/v1/layouts": {"auction": ["1N", "P"], "count": 2},
    "/v1/infer": {"auction": ["1N", "P"], "layouts": 2},
    "/v1/bid": {"hand": "K52.AQ3.9876.KJ2", "simulate": 2},
}


def test_an_auction_is_interpreted():
    assert warm_up.warm_up_inference(loaded_app().state.own.tables)


def test_what_goes_wrong_is_no_end_of_the_service(monkeypatch):
    def interpret(*_, **options):
        raise InvalidCall("expected an auction of this table")

    monkeypatch.setattr(warm_up, "interpret", interpret)
    assert not warm_up.warm_up_inference(loaded_app().state.own.tables)


@pytest.mark.slow
def test_a_new_installation_answers_at_once(tmp_path, monkeypatch):
    """Nothing is kept from before: whoever asks first gets an answer."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path))
    with (
        ready_server(table="sayc", dd_workers=1) as (url, _),
        httpx.Client(base_url=url, timeout=120) as client,
    ):
        for path, question in QUESTIONS.items():
            answer = client.post(path, json=question)
            assert answer.status_code == 200, answer.text
