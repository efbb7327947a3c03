"""Collections and their documents."""

import json

import pytest
from playwright.sync_api import expect

from support.client import ok
from support.dashboard import verify

HOSTILE = '<img src=x onerror="window.hit=1">\u202eevil</script>{{7*7}}'
LARGE = 9_007_199_254_740_993


@pytest.fixture
def bookshop(developer):
    return developer.create_project("Bookshop")


def stored(project, collection: str, id: str) -> dict:
    return ok(project.admin.get(f"/admin/collections/{collection}/documents/{id}"))["document"]


def test_a_collection_from_a_sample_to_its_end(person, developer, bookshop):
    person.expect_refusals(400, 409)
    person.sign_in(developer, f"/p/{bookshop.slug}/data")
    person.heading("A collection holds JSON documents")
    person.look()
    person.page.get_by_role("main").get_by_role("button", name="New collection").last.click()
    person.fill(name="not a name!")
    person.press("Create collection")
    assert person.error_of("name")
    person.fill(name="books")
    person.page.get_by_label("From a sample document").check()
    body = person.page.get_by_label("Sample document", exact=True)
    body.fill("[1]")
    person.press("Create collection")
    expect(person.page.get_by_text("A document is an object")).to_be_visible()
    body.fill(json.dumps({"title": "Fjords", "stars": 5, "tags": ["sea"]}))
    person.look()
    person.press("Create collection")
    person.heading("books")
    expect(person.page.get_by_role("gridcell", name="Fjords")).to_be_visible()
    properties = ok(bookshop.admin.get("/admin/collections/books/schema"))["schema"]["properties"]
    assert properties == {
        "title": {"type": "string"}, "stars": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}},
    }  # fmt: skip

    # All collections with what each holds.
    person.follow("Data")
    row = person.page.get_by_role("row").filter(has_text="books")
    expect(row).to_contain_text("none: nobody gets in")
    expect(row.get_by_role("cell")).to_contain_text(["books", "1", "bytes", "0", "yes"])
    person.look()
    row.get_by_role("link").click()
    person.heading("books")

    person.press("More for books")
    person.page.get_by_role("menuitem", name="Rename…").click()
    person.fill(to="novels")
    person.press("Rename")
    person.heading("novels")
    assert person.path() == f"/p/{bookshop.slug}/data/novels"
    person.press("More for novels")
    person.page.get_by_role("menuitem", name="Delete…").click()
    expect(person.page.get_by_text("1 document, the schema")).to_be_visible()
    person.fill(typed="novel")
    person.press("Delete collection")
    assert person.error_of("typed")
    person.fill(typed="novels")
    person.press("Delete collection")
    person.heading("A collection holds JSON documents")
    assert ok(bookshop.admin.get("/admin/collections"))["collections"] == []


def test_a_document_is_written_shown_and_changed(person, developer, bookshop):
    person.expect_refusals(400, 404)
    bookshop.collection("people")
    name = bookshop.collection("books", schema={
        "type": "object",
        "properties": {"title": {"type": "string", "maxLength": 80}, "author": {"type": "string", "x-ref": "people"}, "stars": {"type": "integer"}},
    })  # fmt: skip
    ok(bookshop.admin.post("/admin/collections/people/documents", {"id": "ada", "name": "Ada"}), 201)
    person.sign_in(developer, f"/p/{bookshop.slug}/data/{name}")
    person.heading("No document yet.")
    person.look()
    person.press("New document")
    person.write(person.page.get_by_role("textbox", name="JSON"), '{"title"')
    person.key("Control+s")
    person.alert("This is not JSON")
    person.key("Escape")
    person.page.get_by_role("dialog", name="Leave this screen?").wait_for()
    person.press("Go back to it")
    document = {"id": "b1", "title": HOSTILE, "author": "ada", "stars": LARGE, "gone": None, "long": "x" * 400, "more": {"a": [1, True]}}
    person.write(person.page.get_by_role("textbox", name="JSON"), json.dumps(document))
    person.look()
    person.press("Add document")
    expect(person.page.get_by_role("complementary", name="b1")).to_be_visible()
    grid = person.page.get_by_role("grid")
    expect(grid.get_by_role("gridcell", name=str(LARGE))).to_be_visible()
    expect(grid.get_by_role("gridcell", name="null")).to_be_visible()
    expect(grid.get_by_role("gridcell", name="x" * 256 + "…")).to_be_attached()
    expect(grid.get_by_role("gridcell", name='{"a":[1,true]}')).to_be_attached()
    expect(person.page.get_by_role("textbox", name="stars")).to_have_value(str(LARGE))
    assert stored(bookshop, name, "b1")["stars"] == LARGE
    person.look()

    person.page.get_by_role("textbox", name="stars").fill("many")
    person.press("Save")
    assert person.error_of("stars") == "This is not a number."
    person.page.get_by_role("textbox", name="stars").fill(str(LARGE + 2))
    person.page.get_by_role("textbox", name="title").fill("y" * 81)
    person.press("Save")
    assert person.error_of("title")
    person.page.get_by_role("textbox", name="title").fill("Fjords")
    with person.page.expect_request(lambda request: request.method == "PATCH") as sent:
        person.press("Save")
    assert json.loads(sent.value.post_data) == {"$set": {"title": "Fjords", "stars": LARGE + 2}}
    expect(person.page.get_by_text("The document is saved.")).to_be_visible()

    person.page.get_by_role("tab", name="JSON").click()
    changed = stored(bookshop, name, "b1")
    ok(bookshop.admin.patch(f"/admin/collections/{name}/documents/b1", {"other": 1}))
    del changed["long"]
    person.write(person.page.get_by_role("textbox", name="JSON"), json.dumps(changed))
    person.press("Save")
    person.alert("Someone has changed this document since you opened it.")
    with person.page.expect_response(lambda response: response.request.method == "PATCH"):
        person.press("Save")
    after = stored(bookshop, name, "b1")
    assert after["other"] == 1 and "long" not in after and after["stars"] == LARGE + 2

    person.page.get_by_role("tab", name="Form").click()
    person.follow("Open ada of people")
    person.heading("people")
    expect(person.page.get_by_role("textbox", name="name")).to_have_value("Ada")
    person.press("Delete this document")
    person.press("Delete")
    person.heading("No document yet.")
    assert bookshop.admin.get("/admin/collections/people/documents/ada").status_code == 404
    assert person.page.evaluate("window.hit") is None


@pytest.fixture(scope="module")
def shelf(owner):
    """A project with a collection of three pages of documents."""
    project = owner.create_project("Shelf")
    name = project.collection("books")
    for number in range(250):
        ok(project.admin.post(f"/admin/collections/{name}/documents", {"id": f"b{number:03}", "number": number, "even": number % 2 == 0}), 201)
    return project


def test_the_grid_by_keyboard_alone(person, owner, shelf):
    person.sign_in(owner, f"/p/{shelf.slug}/data/books")
    grid = person.page.get_by_role("grid", name="Documents of books")
    expect(grid.get_by_role("gridcell", name="b000")).to_be_visible()
    expect(grid).to_have_attribute("aria-rowcount", "251")
    person.tab_to("Documents of books", 60)
    person.key("Control+End")
    expect(grid.get_by_role("gridcell", name="b249")).to_be_visible()
    expect(grid.get_by_role("gridcell", name="b000")).to_have_count(0)
    person.key("Control+Home")
    expect(grid.get_by_role("gridcell", name="b000")).to_be_visible()
    person.key("Space")
    person.key("Control+ArrowDown")
    expect(grid.get_by_role("gridcell", name="b249")).to_be_visible()
    person.key("ArrowUp")
    person.key("Enter")
    person.page.get_by_role("complementary", name="b248").wait_for()
    person.has_focus("b248")
    person.key("Escape")
    person.has_focus("Documents of books")
    assert person.path() == f"/p/{shelf.slug}/data/books"
    person.key("Shift+Space")
    expect(person.page.get_by_text("249 selected")).to_be_visible()
    person.look()


def test_filter_sort_and_columns_are_kept(person, owner, shelf):
    person.expect_refusals(400)
    person.sign_in(owner, f"/p/{shelf.slug}/data/books")
    grid = person.page.get_by_role("grid")
    first = grid.get_by_role("row").nth(1)
    grid.get_by_role("button", name="number").click()
    grid.get_by_role("button", name="number").click()
    expect(first).to_contain_text("b249")
    person.press("Add condition")
    person.page.get_by_role("combobox", name="Field").fill("number")
    person.page.get_by_role("combobox", name="Condition").select_option("<")
    person.page.get_by_role("textbox", name="Value").fill("7")
    person.look()
    person.press("Apply")
    expect(person.page.get_by_text("7 documents")).to_be_visible()
    expect(first).to_contain_text("b006")
    person.press("Filter as JSON")
    person.write(person.page.get_by_role("textbox", name="Filter as JSON"), '{"number": {"$lt": 7}, "even": true}')
    person.press("Apply")
    expect(person.page.get_by_text("4 documents")).to_be_visible()
    person.press("Remove the condition even is true")
    expect(person.page.get_by_text("7 documents")).to_be_visible()
    person.press("Columns")
    person.page.get_by_role("checkbox", name="even").uncheck()
    person.press("Apply")
    expect(grid.get_by_role("columnheader", name="even")).to_have_count(0)
    person.page.reload()
    expect(first).to_contain_text("b006")
    expect(grid.get_by_role("columnheader", name="number")).to_have_attribute("aria-sort", "descending")
    expect(grid.get_by_role("columnheader", name="even")).to_have_count(0)
    person.page.get_by_role("button", name="Show the call").last.click()
    person.press("curl")
    curl = person.page.get_by_role("dialog").locator("pre").first
    expect(curl).to_contain_text('"filter":{"number":{"$lt":7}}')
    person.key("Escape")
    person.press("Add condition")
    person.page.get_by_role("combobox", name="Field").fill("number")
    person.page.get_by_role("combobox", name="Condition").select_option("matches")
    person.page.get_by_role("textbox", name="Value").fill("(")
    person.press("Apply")
    person.page.get_by_role("alert").wait_for()
    person.look()


def test_a_range_is_deleted_after_its_number_is_typed(person, owner, shelf):
    name = shelf.collection("drafts")
    for number in range(30):
        ok(shelf.admin.post(f"/admin/collections/{name}/documents", {"id": f"d{number:02}"}), 201)
    person.sign_in(owner, f"/p/{shelf.slug}/data/{name}")
    rows = person.page.get_by_role("grid").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("d00")
    rows.nth(2).get_by_role("gridcell", name="Select").click()
    rows.nth(3).get_by_role("gridcell", name="Select").click()
    expect(person.page.get_by_text("2 selected")).to_be_visible()
    person.press("Delete…")
    person.press("Delete")
    expect(person.page.get_by_text("28 documents")).to_be_visible()
    expect(rows.nth(1)).to_contain_text("d00")
    rows.nth(1).get_by_role("gridcell", name="Select").click()
    person.page.get_by_role("grid").focus()
    person.key("Control+End")
    person.key("Shift+Space")
    expect(person.page.get_by_text("28 selected")).to_be_visible()
    person.press("Delete…")
    person.fill(typed="27")
    person.press("Delete")
    assert person.error_of("typed")
    person.fill(typed="28")
    person.look()
    person.press("Delete")
    person.heading("No document yet.")
    assert ok(shelf.admin.get(f"/admin/collections/{name}/documents"))["total"] == 0


def test_who_may_only_read_is_offered_nothing_else(person, developer, shelf, mails):
    verify(mails, developer)
    shelf.member("Viewer", developer)
    person.sign_in(developer, f"/p/{shelf.slug}/data/books?open=b007")
    panel = person.page.get_by_role("complementary", name="b007")
    expect(panel.get_by_role("textbox", name="number")).to_be_disabled()
    for name in ("New collection", "More for books", "New document", "Delete this document", "Save"):
        expect(person.page.get_by_role("button", name=name)).to_have_count(0)
    # What may be read may be copied.
    person.key("Escape")
    grid = person.page.get_by_role("grid")
    grid.get_by_role("gridcell", name="b003").click()
    person.page.get_by_role("complementary", name="b003").wait_for()
    person.key("Escape")
    grid.get_by_role("row").nth(1).get_by_role("gridcell", name="Select").click()
    expect(person.page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    expect(person.page.get_by_role("button", name="Delete…")).to_have_count(0)
    grid.focus()
    person.key("ArrowRight")
    person.key("Enter")
    person.page.get_by_role("complementary").filter(has_text="Form").wait_for()
    expect(grid.get_by_role("textbox")).to_have_count(0)
    person.look()
