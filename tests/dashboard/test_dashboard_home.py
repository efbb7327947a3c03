"""The home of a project: its first steps, and what happened in it."""

import httpx
import pytest
from playwright.sync_api import expect

from support.client import ok


@pytest.fixture
def at_home(person, developer):
    project = developer.create_project("Bookshop")
    person.sign_in(developer, f"/p/{project.slug}")
    person.heading("Bookshop")
    person.project = project
    return person


def test_the_first_steps(at_home, server):
    person, project = at_home, at_home.project
    person.expect_refusals(400)
    progress = person.page.get_by_text("of 5 done")
    expect(progress).to_have_text("0 of 5 done")
    person.look()

    person.press("Create a collection")
    person.fill(name="not a name!")
    person.press("Create collection")
    assert person.error_of("name")
    person.look()
    person.fill(name="books")
    person.key("Enter")
    expect(progress).to_have_text("1 of 5 done")

    person.press("Say who may read it")
    person.page.get_by_role("dialog").get_by_label("Each user their own documents").wait_for()
    person.look()
    person.press("Save policy")
    expect(progress).to_have_text("2 of 5 done")
    policy = ok(project.admin.get("/admin/collections/books/policy"))["policy"]
    assert policy["read"] == {"filter": {"ownerId": "$auth.uid"}} and set(policy) == {"read", "list", "create", "update", "delete"}

    person.press("Add a document")
    body = person.page.get_by_role("dialog").get_by_label("JSON")
    body.fill("{")
    person.press("Add document")
    expect(person.page.get_by_text("This is not JSON")).to_be_visible()
    body.fill("[1]")
    person.press("Add document")
    expect(person.page.get_by_text("A document is an object")).to_be_visible()
    person.look()
    body.fill('{"title": "Fjords"}')
    person.press("Add document")
    expect(progress).to_have_text("3 of 5 done")
    assert project.admin.get("/admin/collections/books/documents").json()["documents"][0]["title"] == "Fjords"

    person.press("Create an API key")
    person.page.get_by_role("dialog").get_by_label("Name").fill("build server")
    person.press("Create key")
    person.page.get_by_role("button", name="I have copied it").wait_for()
    key = person.page.get_by_role("dialog").locator("pre").inner_text().strip()
    person.look()
    person.press("the line for .env")
    expect(person.page.get_by_role("dialog").locator("pre")).to_have_text(f"MANYBASE_KEY={key}")
    person.press("I have copied it")
    expect(progress).to_have_text("4 of 5 done")
    assert key not in person.page.content()

    found = httpx.get(f"{server.url}/api/v1/books", headers={"authorization": f"Bearer {key}"})
    assert found.status_code == 200
    person.page.reload()
    expect(person.page.get_by_text("Requests", exact=True)).to_be_visible()
    expect(person.page.get_by_role("heading", name="First steps")).to_have_count(0)
    expect(person.page.get_by_role("region", name="Latest changes")).to_contain_text("policy.set")
    person.look()


@pytest.mark.parametrize("choice, operations", [
    ("Signed-in users read, nobody writes", {"read", "list"}),
    ("Signed-in users read and write all", {"read", "list", "create", "update", "delete"}),
])  # fmt: skip
def test_other_policies_to_start_with(at_home, choice, operations):
    person, project = at_home, at_home.project
    ok(project.admin.post("/admin/collections", {"name": "lists"}), 201)
    person.page.reload()
    person.press("Say who may read it")
    person.page.get_by_role("dialog").get_by_label(choice).check()
    person.press("Save policy")
    expect(person.page.get_by_text("The policy of lists is saved.")).to_be_visible()
    assert set(ok(project.admin.get("/admin/collections/lists/policy"))["policy"]) == operations


def open_by_keyboard(person, step: str, dialog: str) -> None:
    person.tab_to(step)
    person.key("Enter")
    person.page.get_by_role("dialog", name=dialog).wait_for()


def test_by_keyboard_alone(at_home):
    person = at_home
    open_by_keyboard(person, "Create a collection", "New collection")
    person.has_focus("Name")
    person.type("notes")
    person.key("Enter")
    expect(person.page.get_by_text("1 of 5 done")).to_be_visible()
    open_by_keyboard(person, "Say who may read it", "Who may read notes?")
    person.key("ArrowDown")
    person.tab_to("Save policy")
    person.key("Enter")
    expect(person.page.get_by_text("2 of 5 done")).to_be_visible()


def test_a_viewer_is_offered_nothing_that_would_be_refused(viewer_at, developer):
    project = developer.create_project("Shared")
    person = viewer_at(project, "")
    person.heading("Shared")
    person.page.get_by_text("of 5 done").wait_for()
    assert person.page.get_by_role("main").get_by_role("button", name="Create a collection").count() == 0
    person.look()


def test_a_page_left_while_it_reads(at_home):
    person, page = at_home, at_home.page
    person.project.collection("books")
    page.route("**/admin/collections/books/policy", lambda route: None)
    page.route("**/admin/api-keys", lambda route: None)
    for _ in range(3):
        with page.expect_request("**/admin/api-keys"), page.expect_request("**/admin/collections/books/policy"):
            person.go(f"/p/{person.project.slug}")
        person.follow("Members")
        person.heading("Members")
    # What ends with the page is no error: the person's console is looked at when the test ends.


def test_the_calls_behind_the_page(at_home):
    person = at_home
    person.press("Show the call")
    dialog = person.page.get_by_role("dialog", name="The calls of this page")
    dialog.get_by_role("button", name="curl").first.click()
    expect(dialog.locator("pre").first).to_contain_text("/api/v1/admin/collections")
    expect(dialog.locator("pre").first).to_contain_text("Bearer $TOKEN")
    person.look()


def test_tools_lead_to_the_project(at_home):
    person, project = at_home, at_home.project
    link = person.page.get_by_role("link", name="API reference")
    assert link.get_attribute("href") == f"{person.url}/p/{project.id}/docs"
    assert httpx.get(link.get_attribute("href")).status_code == 200
