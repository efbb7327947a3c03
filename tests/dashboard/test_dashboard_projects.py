"""The list of projects, and the way between them."""

import re

import pytest
from playwright.sync_api import expect

from support.client import PASSWORD, ok

# Names that people could choose, and that a page must show as text.
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "{{7*7}} ${7*7}",
    "javascript:alert(1)",
    "\u202egnihsilbup",
    "__proto__",
    "W" * 100,
]


def test_the_first_project_by_keyboard_alone(person, developer):
    person.expect_refusals(400)
    person.sign_in(developer)
    person.heading("Projects")
    expect(person.page.get_by_text("A project is a backend")).to_be_visible()
    person.look()
    person.tab_to("Create your first project")
    person.key("Enter")
    person.page.get_by_role("dialog", name="New project").wait_for()
    assert person.path() == "/?new=true"
    person.key("Escape")
    expect(person.page.get_by_role("dialog")).to_have_count(0)
    expect(person.page.get_by_role("button", name="Create your first project")).to_be_focused()
    person.key("Enter")
    person.page.get_by_role("dialog", name="New project").wait_for()
    person.key("Enter")
    assert person.error_of("name")
    person.look()
    person.type("By keyboard")
    person.key("Enter")
    person.heading("By keyboard")
    expect(person.page.get_by_text("By keyboard is created.")).to_be_visible()


def test_the_list(person, developer, owner):
    project = developer.create_project("Bookshop")
    ok(developer.patch(f"/control/projects/{project.id}", {"color": "emerald", "icon": "🌱"}), 204)
    ok(developer.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)
    off = developer.create_project("Paused")
    ok(developer.post(f"/control/projects/{off.id}/suspend"), 204)
    for n in range(6):
        developer.create_project(f"Other {n}")
    person.sign_in(developer)
    person.heading("Projects")
    cards = person.page.get_by_role("main").get_by_role("listitem")
    expect(cards).to_have_count(8)
    expect(cards.filter(has_text="Paused")).to_contain_text("suspended")
    expect(cards.filter(has_text="Bookshop")).to_contain_text("Owner")
    person.look()
    person.page.get_by_label("Filter projects").fill("OTHER")
    expect(cards).to_have_count(6)
    assert person.path() == "/?find=OTHER"
    person.page.reload()
    expect(cards).to_have_count(6)
    person.page.get_by_label("Filter projects").fill("nothing such")
    expect(person.page.get_by_role("heading", name="No project has this text in its name.")).to_be_visible()
    person.look()
    person.press("Clear")
    expect(cards).to_have_count(8)
    cards.filter(has_text="Bookshop").get_by_role("link", name="staging").click()
    expect(person.page.get_by_role("banner")).to_contain_text("staging")
    person.look()


@pytest.mark.long(run="journeys")
def test_switching_by_keyboard(person, developer):
    for name in ("Alpha", "Beta", "Gamma"):
        developer.create_project(name)
    person.sign_in(developer)
    person.page.get_by_role("link", name="Alpha").click()
    person.heading("Alpha")
    person.tab_to("Project Alpha: switch")
    person.key("Enter")
    person.page.get_by_role("menuitem", name="Gamma").wait_for()
    person.look()
    person.type("g")
    person.key("Enter")
    person.heading("Gamma")
    assert person.page.title().startswith("Gamma")
    person.page.go_back()
    person.heading("Alpha")


def test_a_suspended_project_says_so(person, developer):
    person.expect_refusals(403)
    project = developer.create_project("Paused")
    ok(developer.post(f"/control/projects/{project.id}/suspend"), 204)
    person.sign_in(developer, f"/p/{project.slug}")
    person.heading("Paused")
    person.alert("This project is suspended")
    person.look()


@pytest.mark.parametrize("path", ["/p/no-such-project", "/no/such/page"])
def test_addresses_that_name_nothing(person, developer, path):
    person.sign_in(developer)
    person.heading("Projects")
    person.go(path)
    person.heading("There is nothing at this address")
    person.look()
    person.follow("To the projects")
    person.heading("Projects")


@pytest.mark.long(run="journeys")
def test_hostile_names_are_text(person, developer):
    projects = [developer.create_project(name) for name in HOSTILE]
    person.sign_in(developer)
    person.heading("Projects")
    for project in projects:
        name = person.page.get_by_role("main").get_by_role("link").filter(has_text=project.slug)
        expect(name.locator("bdi")).to_have_text(project.wire["name"])
    person.look()
    for project in (projects[0], projects[4], projects[6]):
        person.go(f"/p/{project.slug}")
        expect(person.page.get_by_role("heading", level=1)).to_have_text(project.wire["name"])
        person.page.get_by_text("First steps").wait_for()
        person.look()
    assert person.page.evaluate("document.querySelectorAll('main img, main script').length") == 0


def test_the_menu_of_small_screens(person, developer):
    project = developer.create_project("Small")
    person.page.set_viewport_size({"width": 360, "height": 740})
    person.sign_in(developer, f"/p/{project.slug}")
    person.heading("Small")
    expect(person.page.get_by_role("navigation")).to_have_count(0)
    person.press("Open the menu")
    expect(person.page.get_by_role("dialog", name="Small").get_by_role("link", name="Home")).to_be_visible()
    person.look()
    person.key("Escape")
    expect(person.page.get_by_role("button", name="Open the menu")).to_be_focused()


def test_the_calls_are_listed_without_secrets(person, developer):
    person.sign_in(developer)
    person.heading("Projects")
    person.press("Activity: the calls of this page")
    dialog = person.page.get_by_role("dialog", name="Activity")
    expect(dialog).to_contain_text("POST /control/auth/login")
    expect(dialog).to_contain_text("GET /control/projects")
    assert PASSWORD not in dialog.inner_text() and "eyJ" not in dialog.inner_text()
    person.look()


def test_a_failure_of_the_server_is_shown_with_its_request(person, developer):
    developer.create_project("Failing")
    person.sign_in(developer)
    person.heading("Projects")
    body = '{"error": {"code": "INTERNAL", "message": "the disk is on fire"}}'
    headers = {"x-request-id": "req-7", "content-type": "application/json"}
    person.page.route("**/api/v1/admin/collections", lambda route: route.fulfill(status=500, body=body, headers=headers))
    person.tolerated.append(re.compile("status of 500"))
    person.page.get_by_role("link", name="Failing").click()
    person.alert("the disk is on fire")
    expect(person.page.get_by_role("alert")).to_contain_text("req-7")
    person.look()
    person.page.unroute("**/api/v1/admin/collections")
    person.press("Try again")
    person.page.get_by_text("First steps").wait_for()
