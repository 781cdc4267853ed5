"""The page of the API, ``/docs``: there without a network, every operation on it, one tried."""

import pytest

pytestmark = pytest.mark.slow


def test_an_operation_is_tried_from_the_page(visit, pictures):
    page = visit.open("docs").page
    page.wait_for_selector(".opblock")
    page.screenshot(path=pictures / "docs.png")
    document = page.request.get(f"{visit.url}/openapi.json").json()
    operations = sum(len(methods) for methods in document["paths"].values())
    assert page.locator(".opblock").count() == operations > 15
    block = page.locator("#operations-answers-bid")
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Try it out").click()
    block.get_by_role("button", name="Execute").click()
    status = block.locator(".live-responses-table .response-col_status").last
    status.wait_for()
    assert status.inner_text().startswith("200")
    assert '"call"' in block.locator(".live-responses-table").inner_text()
