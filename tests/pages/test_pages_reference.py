"""/docs: the reference, from the server's own OpenAPI document."""

import re

import pytest
from playwright.sync_api import expect

from support.client import ok, unique
from support.hosted_pages import brightness
from support.tool_pages import give, open_reference, said, stored, using

# A browser and a sanitized server take long.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def visitor(chromium, server):
    with using(chromium, server) as visitor:
        yield visitor


def open_operation(visitor, spec: dict, route: str):
    """Opens the GET operation of a route."""
    path = next(one for one in spec["paths"] if one.removeprefix("/api/v1") == route)
    visitor.page.locator(f'.opblock-tag[data-tag="{spec["paths"][path]["get"]["tags"][0]}"]').click()
    operation = visitor.page.locator(f'.opblock-get:has([data-path="{path}"])')
    operation.locator(".opblock-summary-control").click()
    return operation


def try_it(operation) -> str:
    """Sends the request from the page; returns the response."""
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    operation.locator(".live-responses-table").wait_for()
    return operation.locator(".live-responses-table").inner_text()


def test_reference(visitor, server, project):
    open_reference(visitor, f"{server.url}/docs")
    expect(said(visitor)).to_contain_text("What every project has.")
    spec = ok(project.public().get("/openapi.json"))
    operation = open_operation(visitor, spec, "/health")
    assert '"version"' in try_it(operation)
    # What it refers to is shown, with its name.
    operation.get_by_role("tab", name="Schema").last.click()
    expect(operation).to_contain_text("Error")
    assert "$ref" not in operation.inner_text()
    assert not any("authorization" in request.headers for request in visitor.asked)
    assert visitor.page.get_by_role("button", name="Authorize").count() == 0, "the bar has the token"


def test_reference_of_a_project(visitor, server, project, admin):
    collection = unique("teas")
    ok(admin.post("/admin/collections", {"name": collection}), 201)
    ok(admin.put(f"/admin/collections/{collection}/policy", {"list": {}}), 204)
    open_reference(visitor, f"{server.url}/p/{project.id}/docs")
    expect(said(visitor)).to_contain_text("What every project has.")
    assert visitor.page.get_by_text(collection).count() == 0

    give(visitor, admin.token)
    expect(said(visitor)).to_have_text("With the collections of this project.")
    spec = ok(admin.get(f"/projects/{project.id}/openapi.json"))
    answer = try_it(open_operation(visitor, spec, f"/{collection}"))
    assert "200" in answer and '"documents"' in answer, answer
    asked = next(one for one in visitor.asked if one.url.split("?")[0] == f"{server.url}/api/v1/{collection}")
    assert asked.headers["authorization"] == f"Bearer {admin.token}" and asked.headers["x-service-project"] == project.id

    # The token lasts until the tab is closed or it is forgotten. The address names the open operation, with "_" in it.
    visitor.tolerated.append(re.compile("Deprecated: escaping deep link whitespace"))
    visitor.page.reload()
    expect(said(visitor)).to_have_text("With the collections of this project.")
    local, session = stored(visitor)
    assert admin.token not in local and admin.token in session and admin.token not in visitor.page.url
    visitor.press("Forget")
    expect(said(visitor)).to_contain_text("What every project has.")
    assert admin.token not in "".join(stored(visitor))
    expect(visitor.page.get_by_label("Token or API key")).to_be_focused()


def test_reference_with_a_token_that_opens_nothing(visitor, server, project, alice):
    open_reference(visitor, f"{server.url}/p/{project.id}/docs")
    for token, code in ((alice.token, "403 FORBIDDEN"), ("nonsense", "401 UNAUTHENTICATED")):
        give(visitor, token)
        visitor.alert(code)
        expect(said(visitor)).to_contain_text("What every project has.")
    visitor.press("Forget")
    expect(visitor.page.get_by_role("alert")).to_have_text("")


def test_tokens_stay_with_their_project(visitor, server, project, owner):
    open_reference(visitor, f"{server.url}/p/{project.id}/docs")
    give(visitor, project.admin.token)
    expect(said(visitor)).to_have_text("With the collections of this project.")
    visitor.asked.clear()
    open_reference(visitor, f"{server.url}/p/{owner.create_project().id}/docs")
    assert visitor.asked and not any("authorization" in request.headers for request in visitor.asked)


def test_the_reference_is_dark_where_all_is(chromium, server):
    grounds = []
    for scheme in ("light", "dark"):
        with using(chromium, server, color_scheme=scheme) as visitor:
            open_reference(visitor, f"{server.url}/docs")
            ground = "getComputedStyle(document.querySelector('.opblock-tag')).color"
            grounds.append(brightness(visitor.page.evaluate(ground)))
    assert grounds[0] < 0.2 and grounds[1] > 0.5, grounds
