"""The first minute of a service: it is told what is waited for, and an answer comes."""

import json
from typing import Any

import pytest

from tests.page.support_browser import visiting
from tests.support.service import ready_server

pytestmark = pytest.mark.slow

LEAD = "#view=lead&n=K52.AQ3.9876.KJ2&dealer=W&vul=None&auction=1N-P-3N-P-P-P"


def test_the_first_lead_of_a_new_installation(browser, tmp_path, monkeypatch):
    """Nothing is kept from before, and nothing has to be compiled."""
    monkeypatch.setenv("BIDCASCADE_CACHE", str(tmp_path / "cache"))
    with ready_server(table="sayc", dd_workers=1) as (url, _):
        visits = visiting(browser, url)
        page = next(visits).open(LEAD).page
        page.get_by_role("button", name="Find the best lead").click()
        page.locator("#view table.numeric tbody tr").first.wait_for(timeout=300_000)
        assert "request_timeout_ms" not in page.inner_text("body")
        assert not page.locator(".notice.error").count()
        assert next(visits, None) is None


def test_what_is_waited_for_is_said_where_one_waits(visit):
    page = visit.page
    tries = []
    detail = "expected a service that is ready, the bidding tables are being loaded"
    problem = {"type": "urn:bidcascade:problem:not-ready", "title": "Not ready", "detail": detail}

    def later(route: Any) -> None:
        tries.append(route.request.url)
        if len(tries) > 2:
            route.continue_()
        else:
            body = json.dumps({**problem, "status": 503, "errors": []})
            route.fulfill(status=503, body=body, content_type="application/problem+json")

    page.route("**/v1/leads", later)
    visit.open(LEAD)
    page.get_by_role("button", name="Find the best lead").click()
    page.locator(".busy", has_text="systems are being loaded").wait_for()
    page.locator("#view table.numeric tbody tr").first.wait_for(timeout=60_000)
    # rows come before all layouts are solved
    page.locator(".ready-text").wait_for(state="detached", timeout=60_000)
    visit.page.unroute("**/v1/leads")
