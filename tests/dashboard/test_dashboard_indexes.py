"""The indexes of a collection: their sizes, new ones, and why one is refused."""

import pytest
from playwright.sync_api import expect

from support.client import ok

ROUTE = "/admin/collections/orders/indexes"


@pytest.fixture
def project(developer):
    project = developer.create_project("Shop")
    schema = {"properties": {"state": {"type": "string"}, "customer": {"properties": {"city": {"type": "string"}}}}}
    project.collection("orders", schema=schema)
    for n in range(12):
        ok(project.admin.post("/admin/collections/orders/documents", {"state": "open", "number": n}), 201)
    return project


def indexes(project) -> dict:
    return {one["name"]: one for one in ok(project.admin.get(ROUTE))["indexes"]}


def test_indexes_are_created_listed_and_deleted(person, developer, project):
    person.expect_refusals(400, 409)
    person.sign_in(developer, f"/p/{project.slug}/data/orders/indexes")
    person.heading("An index finds documents by their fields without reading all of them")
    person.look()

    person.press("New index")
    dialog = person.page.get_by_role("dialog", name="New index")
    assert person.path().endswith("/data/orders/indexes?new=true")
    expect(dialog.locator('datalist option[value="customer.city"]')).to_be_attached()
    dialog.get_by_role("button", name="Create index").click()
    expect(dialog.get_by_text("Name a field.")).to_be_visible()

    # Two documents of one value: the server's words, what they mean, and the form as it was.
    dialog.get_by_label("Field 1", exact=True).fill("state")
    dialog.get_by_label("Unique", exact=True).check()
    dialog.get_by_role("button", name="Create index").click()
    expect(dialog.get_by_role("alert")).to_contain_text('the index "state_1" cannot be unique')
    expect(dialog.get_by_role("alert")).to_contain_text("Nothing has changed.")
    expect(dialog.get_by_label("Field 1", exact=True)).to_have_value("state")
    assert indexes(project) == {}
    person.look()

    dialog.get_by_label("Unique", exact=True).uncheck()
    dialog.get_by_role("button", name="Add a field").click()
    dialog.get_by_label("Field 2", exact=True).fill("number")
    dialog.get_by_label("Order of field 2").select_option("descending")
    dialog.get_by_text("More options").click()
    dialog.get_by_label("Only documents that match").fill('{"state": ')
    dialog.get_by_role("button", name="Create index").click()
    expect(dialog.get_by_text("This is not a JSON object: line 1")).to_be_visible()
    dialog.get_by_label("Only documents that match").fill('{"state": {"$regex": "o"}}')
    dialog.get_by_role("button", name="Create index").click()
    expect(dialog.get_by_text("must not hold a regular expression")).to_be_visible()
    person.look()
    dialog.get_by_label("Only documents that match").fill('{"number": {"$gt": 4}}')
    dialog.get_by_label("Fields that it holds besides").fill("customer.city")
    dialog.get_by_role("button", name="Create index").click()
    row = person.page.get_by_role("row").filter(has_text="state_1_number_-1")
    expect(row).to_contain_text("holds customer.city")
    assert indexes(project)["state_1_number_-1"] == {
        "name": "state_1_number_-1",
        "keys": {"state": 1, "number": -1},
        "unique": False,
        "partialFilter": {"number": {"$gt": 4}},
        "include": ["customer.city"],
    }
    expect(row.get_by_role("cell").nth(3)).to_have_text("7")
    person.look()

    person.page.get_by_role("button", name="New index").click()
    dialog.get_by_label("Field 1", exact=True).fill("x")
    dialog.get_by_text("More options").click()
    dialog.get_by_label("Name", exact=True).fill("not a name")
    dialog.get_by_role("button", name="Create index").click()
    expect(dialog.get_by_text("must match")).to_be_visible()
    dialog.get_by_label("Name", exact=True).fill("state_1_number_-1")
    dialog.get_by_role("button", name="Create index").click()
    expect(dialog.get_by_role("alert")).to_contain_text("There is an index of this name already.")
    dialog.get_by_role("button", name="Cancel").click()
    person.press("Discard")

    person.press("Delete the index state_1_number_-1")
    person.page.get_by_role("dialog").get_by_role("button", name="Delete index").click()
    person.heading("An index finds documents by their fields without reading all of them")
    assert indexes(project) == {}


def test_by_keyboard_alone(person, developer, project):
    person.sign_in(developer, f"/p/{project.slug}/data/orders/indexes")
    person.heading("An index finds documents by their fields without reading all of them")
    person.tab_to("New index", 60)
    person.key("Enter")
    person.page.get_by_role("dialog", name="New index").wait_for()
    person.has_focus("Field 1")
    person.type("number")
    person.tab_to("Unique")
    person.key("Space")
    person.tab_to("Create index")
    person.key("Enter")
    expect(person.page.get_by_role("row").filter(has_text="number_1")).to_contain_text("unique")
    assert indexes(project)["number_1"]["unique"] is True
    person.tab_to("Delete the index number_1", 60)
    person.key("Enter")
    person.dialogs().wait_for()
    person.key("Escape")
    person.has_focus("Delete the index number_1")


def test_a_viewer_reads_hostile_paths(viewer_at, project):
    path = "<b>state</b>\u202e"
    ok(project.admin.post(ROUTE, {"keys": {path: -1}, "name": "odd", "partialFilter": {path: "<script>"}, "expireAfterSeconds": 60}), 201)
    person = viewer_at(project, "/data/orders/indexes?new=true")
    row = person.page.get_by_role("row").filter(has_text="odd")
    expect(row.locator("bdi").nth(1)).to_have_text(path)
    expect(row).to_contain_text("expires after 60 s")
    assert person.dialogs().count() == 0
    assert person.page.get_by_role("main").get_by_role("button", name="New index").count() == 0
    person.look()
