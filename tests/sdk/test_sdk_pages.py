"""The SDK in Chromium: the scenarios that run in pages, hooks, tabs of one browser, sign-in by redirect and popup."""

import re
from contextlib import contextmanager

import pytest

from support.browser import visiting
from support.client import ok, unique
from support.oidc_provider import OidcProvider
from support.sdk_package import scenarios

# The others need a server's own network, or the admin plane from its own origin.
IN_PAGES = [name for name in scenarios("scenarios") if not name.startswith(("faults", "planes"))]
OF_PAGES = scenarios("pages")


@contextmanager
def tab_of_app(chromium, pages):
    """A browser's tab with the app."""
    with visiting(chromium) as visitor:
        # Scenarios provoke failures of all kinds; each checks what follows from them.
        visitor.tolerated.append(re.compile("Failed to load resource|WebSocket connection|manybase:"))
        open_tab(visitor.page, pages)
        yield visitor


@pytest.fixture
def visitor(chromium, pages):
    with tab_of_app(chromium, pages) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def scenario_page(chromium, pages):
    """One tab for all scenarios, which run one after another in it, as in Node.js in one process."""
    with tab_of_app(chromium, pages) as visitor:
        yield visitor


def open_tab(page, address):
    page.goto(address)
    page.wait_for_function("globalThis.step !== undefined")
    return page


def step(page, setup, name, *given):
    return page.evaluate("([name, setup, given]) => step(name, setup, ...given)", [name, setup, list(given)])


@pytest.mark.parametrize("name", IN_PAGES + OF_PAGES)
def test_in_chromium(scenario_page, setup, name):
    error = scenario_page.page.evaluate("([name, setup]) => run(name, setup)", [name, setup])
    problems = list(scenario_page.problems)
    scenario_page.problems.clear()
    assert error is None, error
    assert not problems, problems


def test_two_tabs_share_a_session(visitor, pages, setup):
    first, second = visitor.page, open_tab(visitor.context.new_page(), pages)
    email = f"{unique('user')}@example.com"
    for tab in (first, second):
        step(tab, setup, "open")
    step(first, setup, "register", email)
    step(first, setup, "login", email)
    step(second, setup, "waitFor", email)
    # Both renew at the same time, in each only once; the session is not lost.
    refreshes = []
    visitor.context.on("request", lambda each: each.url.endswith("/auth/refresh") and refreshes.append(each.method))
    for tab in (first, second):
        tab.evaluate("setup => { globalThis.expired = step('expire', setup) }", setup)
    for tab in (first, second):
        assert tab.evaluate("expired") == [1, 1, 1]
    assert 1 <= refreshes.count("POST") <= 2
    step(second, setup, "logout")
    step(first, setup, "waitFor", None)
    step(first, setup, "login", email)
    step(second, setup, "waitFor", email)
    assert step(second, setup, "seen") == ["login", "logout", "login"]
    # A reload restores the session.
    open_tab(second, pages)
    step(second, setup, "open")
    assert step(second, setup, "user") == email and step(second, setup, "sessions") == 1


@pytest.fixture(scope="module")
def provider(server, project, setup):
    """A provider whose users the project accepts."""
    provider = OidcProvider().start(f"{server.url}/api/v1/auth/oauth/oidc-acme/callback")
    client = {"clientId": "shop", "clientSecret": provider.secret("shop"), "issuer": provider.issuer, "enabled": True}
    ok(project.admin.put("/admin/auth/oauth/providers/oidc-acme", client), 204)
    yield provider
    provider.stop()


def sign_in_at(page, provider, name: str) -> None:
    """Through the provider's own pages."""
    page.wait_for_url(provider.issuer + "/**")
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.get_by_text("Continue").click()


def test_sign_in_by_redirect(visitor, pages, setup, provider):
    page = visitor.page
    step(page, setup, "open")
    address = step(page, setup, "oauthUrl", "oidc-acme")
    page.goto(address)
    sign_in_at(page, provider, unique("ada"))
    page.wait_for_url(f"{pages}/#mb_refresh=*")
    page.wait_for_function("globalThis.step !== undefined")
    step(page, setup, "open")
    user = step(page, setup, "complete")
    assert user.startswith("user_") and page.url == f"{pages}/"
    assert step(page, setup, "sessions") == 1


def test_a_sign_in_that_the_tab_did_not_begin_is_refused(visitor, pages, setup, provider):
    """A link with another account's token must not sign a visitor in to it."""
    page = open_tab(visitor.context.new_page(), f"{pages}/#mb_refresh=other")
    step(page, setup, "open")
    assert "did not begin" in step(page, setup, "complete") and page.url == f"{pages}/"
    assert step(page, setup, "user") is None


def test_sign_in_by_popup(visitor, pages, setup, provider):
    page = visitor.page
    step(page, setup, "open")
    with visitor.context.expect_page() as opened:
        page.evaluate("setup => { globalThis.signedIn = step('popup', setup, 'oidc-acme') }", setup)
    popup = opened.value
    sign_in_at(popup, provider, unique("bob"))
    popup.wait_for_url(f"{pages}/**")
    popup.wait_for_function("globalThis.step !== undefined")
    with popup.expect_event("close"):
        popup.evaluate("setup => { step('open', setup).then(() => step('complete', setup)) }", setup)
    user = page.evaluate("signedIn")
    assert user["id"].startswith("user_") and user["stored"] == user["id"]
    assert step(page, setup, "sessions") == 1
