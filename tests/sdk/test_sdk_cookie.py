"""The control plane's session in a cookie, by the SDK in Chromium, in tabs of the server's own origin."""

import mimetypes

import pytest

from support.browser import visiting
from support.client import PlatformUser, ok
from support.waiting import wait_until

FOLDER = "/sdk-pages/"


@pytest.fixture
def visitor(chromium, server, package, pages):
    """A browser in which the server's origin also has the page of the scenarios."""

    def serve(route):
        name = route.request.url.partition("#")[0].rpartition(FOLDER)[2]
        if not name:
            page = f'<!doctype html><link rel=icon href=data:,><script type=module src="{FOLDER}browser.js"></script>'
            route.fulfill(content_type="text/html", body=page)
            return
        route.fulfill(content_type=mimetypes.guess_type(name)[0], body=(package / "browser" / name).read_bytes())

    with visiting(chromium) as visitor:
        visitor.context.route(f"{server.url}{FOLDER}**", serve)
        open_tab(visitor.page, server)
        yield visitor


@pytest.fixture
def user(server, owner, project) -> PlatformUser:
    """A member of the project, whose sessions a test may end."""
    user = PlatformUser(server)
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": user.email, "role": "Admin"}), 201)
    return user


def open_tab(page, server, fragment: str = ""):
    # Another fragment alone would not load the page again.
    page.goto("about:blank")
    page.goto(f"{server.url}{FOLDER}{fragment}")
    page.wait_for_function("globalThis.step !== undefined")
    page.evaluate("url => step('openControl', { url })", server.url)
    return page


def step(page, name: str, *given, project=None):
    setup = {"url": page.url.partition(FOLDER)[0], "project": project and project.id}
    return page.evaluate("([name, setup, given]) => step(name, setup, ...given)", [name, setup, list(given)])


def stored(page) -> dict:
    return page.evaluate("({ ...localStorage })")


def marker(server) -> str:
    """The key of what tells the tabs that there is a session."""
    return f"manybase:control:{server.url}/api/v1"


def wait_for_event(page, *events: str) -> None:
    wait_until(lambda: step(page, "controlEvents") == list(events), 10, lambda: f"{step(page, 'controlEvents')}")


def test_a_session_of_all_tabs(visitor, server, project, user):
    first = visitor.page
    assert step(first, "restoreControl") is False and step(first, "controlUser") == "UNAUTHENTICATED"
    with first.expect_response("**/control/auth/login") as response:
        step(first, "loginControl", user.email)
    assert "accessToken" in response.value.json() and "refreshToken" not in response.value.json()
    # No script of the page can read what outlives it.
    [cookie] = visitor.context.cookies(f"{server.url}/api/v1/control/auth/refresh")
    assert cookie["httpOnly"] is True and cookie["sameSite"] in ("Strict", "Lax")
    assert first.evaluate("document.cookie") == "" and stored(first) == {marker(server): "1"}
    assert step(first, "controlUser") == user.email and step(first, "rolesOf", project=project) >= 4

    second = open_tab(visitor.context.new_page(), server)
    assert step(second, "restoreControl") is True and step(second, "controlUser") == user.email
    assert step(second, "rolesOf", project=project) >= 4
    open_tab(first, server)
    assert step(first, "restoreControl") is True and step(first, "controlEvents") == []

    step(second, "signOutControl")
    wait_for_event(first, "logout elsewhere")
    wait_for_event(second, "logout")
    assert visitor.context.cookies(f"{server.url}/api/v1/control/auth/refresh") == [] and stored(first) == {}
    assert step(first, "controlUser") == "UNAUTHENTICATED"
    open_tab(first, server)
    assert step(first, "restoreControl") is False


def test_a_visitor_without_a_session_requests_nothing(visitor, server, user):
    requests, lines = [], []
    visitor.context.on("request", lambda each: "/api/" in each.url and requests.append(each.url))
    visitor.context.on("console", lambda message: message.type == "error" and lines.append(message.text))
    page = visitor.page
    assert step(page, "restoreControl") is False
    assert (requests, lines, stored(page)) == ([], [], {})
    # A cookie without its mark is left until the next sign-in.
    step(page, "loginControl", user.email)
    page.evaluate("localStorage.clear()")
    open_tab(page, server)
    requests.clear()
    assert step(page, "restoreControl") is False and requests == []
    step(page, "loginControl", user.email)
    open_tab(page, server)
    assert step(page, "restoreControl") is True and step(page, "controlUser") == user.email
    # After the server ended the session there is one refusal, and none at the next visit.
    assert user.delete("/control/auth/sessions").status_code == 204
    lines.clear()
    for _ in range(2):
        open_tab(page, server)
        assert step(page, "restoreControl") is False and stored(page) == {}
    assert len(lines) == 1 and " 401 " in lines[0]


def test_tabs_renew_the_token_once(visitor, server, user):
    tabs = [visitor.page, open_tab(visitor.context.new_page(), server)]
    step(tabs[0], "loginControl", user.email)
    assert step(tabs[1], "controlUser") == user.email
    refreshes = []
    visitor.context.on("request", lambda each: each.url.endswith("/auth/refresh") and refreshes.append(each.method))
    for tab in tabs:
        tab.evaluate("() => { globalThis.expired = step('expireControl', {}) }")
    for tab in tabs:
        assert tab.evaluate("expired") == [user.email] * 3
    assert 1 <= refreshes.count("POST") <= 2
    for tab in tabs:
        assert step(tab, "controlUser") == user.email


def test_a_session_that_the_server_ends(visitor, server, user):
    first, second = visitor.page, open_tab(visitor.context.new_page(), server)
    step(first, "loginControl", user.email)
    assert step(second, "controlUser") == user.email
    # The user's other session, such as that of another machine, ends it.
    assert user.delete("/control/auth/sessions").status_code == 204
    wait_until(lambda: step(first, "controlUser") == "UNAUTHENTICATED", 10, "the session is revoked")
    wait_for_event(first, "login", "revoked")
    wait_for_event(second, "login elsewhere", "revoked elsewhere")
    assert step(second, "controlUser") == "UNAUTHENTICATED"


def test_a_providers_token_moves_into_the_cookie(visitor, server, user):
    page = open_tab(visitor.page, server, f"#mb_refresh={user.tokens['refreshToken']}")
    assert step(page, "completeControl") == {} and page.url == f"{server.url}{FOLDER}"
    assert step(page, "controlUser") == user.email and step(page, "controlEvents") == ["login"]
    [cookie] = visitor.context.cookies(f"{server.url}/api/v1/control/auth/refresh")
    assert cookie["httpOnly"] is True
    open_tab(page, server)
    assert step(page, "restoreControl") is True and step(page, "controlUser") == user.email
