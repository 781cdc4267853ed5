"""What a service does before somebody waits for layouts and leads."""

from bidcascade.bridge import InvalidCall
from bidcascade.service.api import warm_up
from tests.support_service import loaded_app


def test_an_auction_is_interpreted():
    assert warm_up.warm_up_inference(loaded_app().state.workplace.tables)


def test_what_goes_wrong_is_no_end_of_the_service(monkeypatch):
    def interpret(*_, **options):
        raise InvalidCall("expected an auction of this table")

    monkeypatch.setattr(warm_up, "interpret", interpret)
    assert not warm_up.warm_up_inference(loaded_app().state.workplace.tables)
