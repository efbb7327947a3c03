"""All pages: accessible, small, with a dark scheme, without requests to other origins; and the example app."""

import re

import pytest
from playwright.sync_api import expect

from support.browser import visiting
from support.client import PASSWORD, EndUser, ok
from support.hosted_pages import brightness, login_address

# A browser and a sanitized server take long.
pytestmark = pytest.mark.timeout(300)
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True}


# ---- the example


def test_example(visitor, server, owner):
    project = owner.create_project()
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [server.url]}), 204)
    user = EndUser(project)
    visitor.open(f"{server.url}/examples/oauth?project={project.slug}")
    visitor.heading("Signing in, as an app does it")
    visitor.fill(way="page")
    visitor.press("Sign in")
    visitor.heading("Sign in")
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    visitor.heading("Signed in")
    assert "#" not in visitor.page.url
    expect(visitor.page.locator("#result-user")).to_have_text(user.id)
    expect(visitor.page.locator("#result-project")).to_have_text(project.id)
    visitor.press("Sign out")
    visitor.alert("You are signed out.")


# ---- accessibility


def all_views(visitor, server, project, app):
    """Opens every page and view that needs no mail; yields its name."""
    login = login_address(project, app)
    for name, address in (
        ("sign in", login),
        ("register", login + "#register"),
        ("forgot", login + "#forgot"),
        ("error", login + "#mb_error=provider_error"),
        ("second factor", login + "#mb_mfa=x"),
        ("signed in", login + "#mb_refresh=x"),
        ("control", f"{server.url}/auth/login?plane=control"),
        ("invited", f"{server.url}/auth/login?plane=control&invite=x"),
        ("reset", f"{server.url}/reset-password?project={project.id}&token=x"),
        ("reset, unusable", f"{server.url}/reset-password?project={project.id}"),
        ("verify", f"{server.url}/verify-email?project={project.id}&token=x"),
        ("verify, unusable", f"{server.url}/verify-email?project={project.id}"),
        ("example", f"{server.url}/examples/oauth"),
        ("home", f"{server.url}/"),
        ("missing", f"{server.url}/nowhere"),
        ("problem", f"{server.url}/auth/login?project=none-such"),
    ):
        visitor.open("about:blank")
        visitor.open(address)
        visitor.page.locator("h1:visible").wait_for()
        yield name
    visitor.open("about:blank")
    visitor.open(login + "#register")
    visitor.fill(email="x", password="x")
    visitor.press("Create account")
    visitor.error_of("email")
    yield "errors beside fields"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(chromium, server, project, app, scheme):
    with visiting(chromium, color_scheme=scheme, reduced_motion="reduce") as visitor:
        found = [f"{name}: {one}" for name in all_views(visitor, server, project, app) for one in visitor.accessibility()]
    assert not found, "\n".join(found)


def test_phones(chromium, server, project, app):
    with visiting(chromium, **PHONE) as visitor:
        wide = {name: more for name in all_views(visitor, server, project, app) if (more := visitor.overflow())}
        assert not wide, f"wider than the window, by pixels: {wide}"


def test_long_names_fit(chromium, owner):
    project = owner.create_project("W" * 100)
    with visiting(chromium, **PHONE) as visitor:
        visitor.open(login_address(project))
        visitor.heading("Sign in")
        assert visitor.overflow() == 0


def test_dark_differs_and_is_not_empty(chromium, project):
    grounds, pictures = {}, {}
    for scheme in ("light", "dark"):
        with visiting(chromium, color_scheme=scheme) as visitor:
            visitor.open(login_address(project))
            visitor.heading("Sign in")
            pictures[scheme] = visitor.page.screenshot()
            style = "getComputedStyle(document.querySelector('main'))"
            grounds[scheme] = visitor.page.evaluate(f"[{style}.backgroundColor, {style}.color]")
    assert all(len(picture) > 5_000 for picture in pictures.values())
    assert pictures["light"] != pictures["dark"]
    assert brightness(grounds["light"][0]) > 0.8 > 0.2 > brightness(grounds["dark"][0])


def test_nothing_moves_where_motion_is_reduced(chromium, project):
    with visiting(chromium, reduced_motion="reduce") as visitor:
        visitor.open(login_address(project))
        visitor.heading("Sign in")
        moving = "[...document.querySelectorAll('*')].filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0)"
        assert visitor.page.evaluate(moving + ".length") == 0


def test_without_javascript(chromium, project):
    with visiting(chromium, java_script_enabled=False) as visitor:
        visitor.open(login_address(project))
        # By element: the search by text skips <noscript>.
        expect(visitor.page.locator("noscript p")).to_be_visible()
        assert visitor.page.locator("noscript p").text_content().startswith("This page needs JavaScript.")
        assert visitor.page.locator("form:visible").count() == 0


def test_nothing_from_elsewhere(visitor, server, project):
    asked = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    visitor.open(login_address(project))
    visitor.heading("Sign in")
    assert asked and all(url.startswith(server.url + "/") for url in asked), asked


def test_pages_cannot_be_framed(visitor, project, app):
    visitor.tolerated.append(re.compile("frame-ancestors"))
    visitor.open(app)
    visitor.page.evaluate("(url) => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }",
                          login_address(project))
    visitor.page.wait_for_timeout(500)
    assert all("Sign in" not in frame.content() for frame in visitor.page.frames[1:])
