"""What is large, strange, or happens at the wrong moment: nothing breaks, and nothing typed is lost."""

import json

import pytest
from playwright.sync_api import expect

from support.client import PASSWORD, PlatformUser, ok
from support.dashboard import another_tab
from support.waiting import wait_until

MEBIBYTE = 1 << 20
TYPED = "typed for a long time"


def nested(depth: int) -> dict:
    inner: dict = {"end": True}
    for _ in range(depth - 1):
        inner = {"in": inner}
    return inner


@pytest.mark.long(run="journeys")
def test_documents_large_deep_wide_and_of_year_9999(person, developer, project, books):
    path = f"/admin/collections/{books}/documents"
    large = {"id": "large", "text": "x" * (MEBIBYTE - 1000)}
    for document in (
        large,
        {"id": "deep", "tree": nested(80)},
        {"id": "wide", **{f"field{n:03}": n for n in range(500)}},
        {"id": "late", "at": "9999-12-31T23:59:59.999Z", "first": "0001-01-01T00:00:00Z"},
    ):
        ok(project.admin.post(path, document), 201)
    person.sign_in(developer, f"/p/{project.slug}/data/{books}")
    grid = person.page.get_by_role("grid")
    expect(grid.get_by_role("gridcell", name="large", exact=True)).to_be_visible()
    for id in ("large", "deep", "wide", "late"):
        person.go(f"/p/{project.slug}/data/{books}?open={id}&tab=json")
        panel = person.page.get_by_role("complementary", name=id)
        expect(panel.get_by_role("textbox", name="JSON")).to_be_visible()
        # Its fields, too.
        panel.get_by_role("tab", name="Form").click()
        expect(panel.get_by_role("button", name="Save")).to_be_visible()
    expect(panel.get_by_role("textbox", name="at", exact=True)).to_have_value("9999-12-31T23:59:59.999Z")
    panel.get_by_role("textbox", name="first", exact=True).fill("later")
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("The document is saved.")).to_be_visible()
    assert ok(project.admin.get(f"{path}/late"))["document"]["first"] == "later"
    assert ok(project.admin.get(f"{path}/large"))["document"]["text"] == large["text"]


@pytest.mark.long(run="journeys")
def test_a_schema_of_500_fields(person, developer, project):
    properties = {f"field{n:03}": {"type": "string", "maxLength": 100} for n in range(500)}
    name = project.collection(schema={"type": "object", "properties": properties})
    ok(project.admin.post(f"/admin/collections/{name}/documents", {"id": "one", "field499": "last"}), 201)
    person.sign_in(developer, f"/p/{project.slug}/data/{name}?open=one")
    panel = person.page.get_by_role("complementary", name="one")
    box = panel.get_by_role("textbox", name="field499", exact=True)
    expect(box).to_have_value("last")
    box.fill("changed")
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("The document is saved.")).to_be_visible()
    assert ok(project.admin.get(f"/admin/collections/{name}/documents/one"))["document"]["field499"] == "changed"
    person.go(f"/p/{project.slug}/data/{name}/schema")
    person.heading(name)
    expect(person.page.get_by_role("main").get_by_text("field499", exact=True).first).to_be_attached()


@pytest.mark.long(run="journeys")
def test_a_thousand_collections(person, developer, project):
    for n in range(1000):
        ok(project.admin.post("/admin/collections", {"name": f"c{n:03}"}), 201)
    person.sign_in(developer, f"/p/{project.slug}/data")
    expect(person.page.get_by_role("main").get_by_role("link", name="c999", exact=True)).to_be_attached()
    person.key("Control+k")
    person.page.get_by_role("combobox").first.fill("c777")
    person.page.get_by_role("option", name="c777").click()
    person.heading("c777")
    assert person.path() == f"/p/{project.slug}/data/c777"


@pytest.mark.long(run="journeys")
def test_a_role_that_may_read_one_collection(viewer_at, project):
    name = project.collection("books")
    project.collection("secrets")
    ok(project.admin.post("/admin/collections/books/documents", {"id": "b1", "title": "Fjords"}), 201)
    role = project.role("collections:read", "data:books:read", "data:books:list", name="Librarian")
    person = viewer_at(project, f"/data/{name}", role)
    expect(person.page.get_by_role("gridcell", name="Fjords")).to_be_visible()
    assert person.page.get_by_role("button", name="New document").count() == 0
    person.go(f"/p/{project.slug}/data/secrets")
    expect(person.page.get_by_role("main")).to_contain_text("data:secrets:list")
    for area in ("", "/policies", "/functions", "/files", "/users", "/webhooks", "/audit", "/settings"):
        person.go(f"/p/{project.slug}{area}")
        person.page.get_by_role("heading", level=1).wait_for()
        person.page.wait_for_load_state("networkidle")
    person.look()


def test_a_project_that_another_tab_deletes(person, developer, project, books):
    person.expect_refusals(401, 403, 404)
    person.sign_in(developer, f"/p/{project.slug}/data/{books}?new=true")
    box = person.page.get_by_role("textbox", name="JSON")
    person.write(box, json.dumps({"title": TYPED}))
    ok(developer.delete(f"/control/projects/{project.id}"), 204)
    person.press("Add document")
    expect(person.page.get_by_role("alert").first).to_be_visible()
    # What was typed is there to be copied.
    expect(box).to_contain_text(TYPED)
    person.go(f"/p/{project.slug}")
    person.heading("There is nothing at this address")


def test_a_server_that_restarts_while_a_document_is_saved(make_server, opened, mails):
    server = make_server({**mails.settings}).start()
    developer = PlatformUser(server)
    project = developer.create_project("Bookshop")
    name = project.collection("books")
    ok(project.admin.post(f"/admin/collections/{name}/documents", {"id": "b1", "title": "Fjords"}), 201)
    person = opened(server)
    person.expect_refusals(502, 503)
    person.sign_in(developer, f"/p/{project.slug}/data/{name}?open=b1")
    panel = person.page.get_by_role("complementary", name="b1")
    panel.get_by_role("textbox", name="title").fill("Fjords and lakes")
    server.kill()
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_role("alert").first).to_be_visible()
    expect(panel.get_by_role("textbox", name="title")).to_have_value("Fjords and lakes")
    person.problems = [one for one in person.problems if "ERR_CONNECTION_REFUSED" not in one]
    server.start()
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("The document is saved.")).to_be_visible()
    assert ok(project.admin.get(f"/admin/collections/{name}/documents/b1"))["document"]["title"] == "Fjords and lakes"
    person.problems = [one for one in person.problems if "ERR_CONNECTION_REFUSED" not in one]


@pytest.mark.parametrize("where", ["form", "editor"])
def test_a_session_that_ends_while_something_is_typed(person, developer, project, books, where):
    person.expect_refusals(401)
    ok(project.admin.post(f"/admin/collections/{books}/documents", {"id": "b1", "title": "Fjords"}), 201)
    person.sign_in(developer, f"/p/{project.slug}/data/{books}?open=b1")
    panel = person.page.get_by_role("complementary", name="b1")
    if where == "form":
        box = panel.get_by_role("textbox", name="title")
        box.fill(TYPED)
    else:
        panel.get_by_role("tab", name="JSON").click()
        box = panel.get_by_role("textbox", name="JSON")
        document = ok(project.admin.get(f"/admin/collections/{books}/documents/b1"))["document"]
        person.write(box, json.dumps({**document, "title": TYPED}))
    ok(developer.delete("/control/auth/sessions"), 204)
    # The page would load again to show the sign-in; the browser asks first, and the text stays.
    questions = []
    person.page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    panel.get_by_role("button", name="Save").click()
    wait_until(lambda: person.page.evaluate("true") and questions == ["beforeunload"], 30)
    expect(box).to_have_value(TYPED) if where == "form" else expect(box).to_contain_text(TYPED)
    # After a sign-in in another tab it is saved.
    with another_tab(person) as tab:
        tab.goto(f"{person.url}/dashboard/sign-in")
        tab.locator("input[name=email]").fill(developer.email)
        tab.locator("input[name=password]").fill(PASSWORD)
        tab.get_by_role("button", name="Sign in", exact=True).click()
        tab.get_by_role("banner").wait_for()
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("The document is saved.")).to_be_visible()
    developer.login()
    assert ok(developer.exchange(project.id).get(f"/admin/collections/{books}/documents/b1"))["document"]["title"] == TYPED
