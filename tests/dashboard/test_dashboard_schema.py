"""The schema of a collection: its text with its fields, checked against stored documents before it is saved."""

import json

import pytest
from playwright.sync_api import expect

from support.client import ok

LONGEST = 9_223_372_036_854_775_807
BOOKS = [
    {"id": "fjords", "title": "Fjords", "pages": 120},
    {"id": "long", "title": "A title that is long", "pages": 300},
    {"id": "tides", "title": "Tides", "pages": 80, "author": {"name": "Ada"}},
]
HOSTILE = '<img src=x onerror=alert(1)>\u202egnirts'


@pytest.fixture
def books(project) -> str:
    project.collection("books")
    for book in BOOKS:
        ok(project.admin.post("/admin/collections/books/documents", book), 201)
    return "/admin/collections/books/schema"


def saved(project, route: str):
    return ok(project.admin.get(route))["schema"]


def editor(person, collection: str = "books"):
    return person.page.get_by_role("textbox", name=f"Schema of {collection} as JSON")


def test_a_schema_is_proposed_checked_saved_and_removed(person, developer, project, books):
    person.expect_refusals(400)
    person.sign_in(developer, f"/p/{project.slug}/data/books/schema")
    person.heading("A schema says which fields a document has")
    person.look()

    person.press("Propose one from the documents")
    fields = person.page.get_by_role("region", name="Fields", exact=True)
    expect(fields.get_by_role("row", name="author.name string required")).to_be_visible()
    expect(fields.get_by_role("row", name="pages integer required")).to_be_visible()
    person.look()
    person.press("Save schema")
    expect(person.page.get_by_role("button", name="Remove schema")).to_be_visible()
    assert saved(project, books)["required"] == ["title", "pages"]

    person.write(editor(person), '{\n  "properties": {\n    "title": {\n      "typ": "string"\n    }\n  }\n}')
    person.press("Save schema")
    expect(person.page.get_by_text("Line 4: /properties/title/typ: is not a supported keyword of schemas")).to_be_visible()
    person.look()
    person.write(editor(person), '{\n  "properties": {,}\n}')
    expect(person.page.get_by_text("Line 2:")).to_be_visible()
    expect(fields).to_contain_text("as soon as the text is valid JSON")
    assert "required" in saved(project, books)

    stricter = {"type": "object", "properties": {"title": {"type": "string", "maxLength": 10}, "pages": {"maximum": LONGEST}}}
    person.write(editor(person), json.dumps(stricter, indent=2))
    person.press("Check documents")
    expect(person.page.get_by_text("1 of 3 documents does not fit this schema.")).to_be_visible()
    expect(person.page.get_by_role("row", name="long /title must be at most 10 characters long")).to_be_visible()
    person.look()
    assert "required" in saved(project, books)
    person.press("Save schema")
    dialog = person.page.get_by_role("dialog", name="Save this schema?")
    expect(dialog.get_by_role("link", name="long")).to_be_visible()
    person.look()
    dialog.get_by_role("button", name="Cancel").click()
    person.press("Save schema")
    dialog.get_by_role("button", name="Save it nevertheless").click()
    expect(dialog).to_have_count(0)
    assert saved(project, books) == stricter
    expect(editor(person)).to_contain_text(str(LONGEST))

    # What is typed is not lost by a wrong click, nor by another screen.
    person.write(editor(person), '{"title": "mine"}')
    person.page.get_by_role("link", name="Indexes", exact=True).click()
    question = person.page.get_by_role("dialog", name="Leave this screen?")
    expect(question).to_be_visible()
    person.look()
    person.key("Escape")
    expect(question).to_have_count(0)
    expect(editor(person)).to_contain_text("mine")
    person.press("Discard changes")
    person.page.get_by_role("dialog").get_by_role("button", name="Discard changes").click()
    expect(editor(person)).to_contain_text(str(LONGEST))

    person.press("Remove schema")
    person.page.get_by_role("dialog").get_by_role("button", name="Remove schema").click()
    person.heading("A schema says which fields a document has")
    assert saved(project, books) is None


def test_fields_by_keyboard_alone(person, developer, project, books):
    ok(project.admin.put(books, {"type": "object", "properties": {"title": {"type": "string", "minLength": 1}}}), 204)
    project.collection("people")
    person.sign_in(developer, f"/p/{project.slug}/data/books/schema")
    expect(editor(person)).to_contain_text("minLength")
    person.tab_to("Add field", 80)
    person.key("Enter")
    dialog = person.page.get_by_role("dialog", name="New field")
    dialog.wait_for()
    person.has_focus("Name")
    person.tab_to("Add field")
    person.key("Enter")
    expect(dialog.get_by_text("A field needs a name.")).to_be_visible()
    person.has_focus("Name")
    person.type("author")
    person.tab_to("Type")
    person.type("Reference")
    expect(dialog.get_by_label("Collection")).to_have_value("books")
    person.tab_to("Collection")
    person.type("people")
    person.tab_to("Required")
    person.key("Space")
    person.look()
    person.key("Escape")
    expect(person.page.get_by_role("alertdialog")).to_contain_text("Discard what you have typed?")
    person.key("Enter")
    person.tab_to("Add field")
    person.key("Enter")
    expect(dialog).to_have_count(0)
    person.has_focus("Add field")
    expect(person.page.get_by_role("row", name="author string required refers to people")).to_be_visible()
    assert "author" not in saved(project, books)["properties"]

    person.tab_to("Change the field title", 80)
    person.key("Enter")
    person.page.get_by_role("dialog", name="Field title").wait_for()
    person.tab_to("Allowed values")
    person.type("Fjords")
    person.tab_to("Change field")
    person.key("Enter")
    person.has_focus("Change the field title")
    person.tab_to("Schema of books as JSON", 80)
    person.key("Control+s")
    dialog = person.page.get_by_role("dialog", name="Save this schema?")
    expect(dialog).to_contain_text("3 of 3 documents do not fit")
    person.tab_to("Save it nevertheless")
    person.key("Enter")
    expect(person.page.get_by_role("button", name="Remove schema")).to_be_visible()
    assert saved(project, books) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "enum": ["Fjords"]},
            "author": {"type": "string", "x-ref": "people"},
        },
        "required": ["author"],
    }


def test_the_schema_of_another_person_is_not_overwritten_unseen(person, developer, project, books):
    ok(project.admin.put(books, {"properties": {"title": {"type": "string"}}}), 204)
    person.sign_in(developer, f"/p/{project.slug}/data/books/schema")
    person.write(editor(person), '{"title": "mine"}')
    ok(project.admin.put(books, {"title": "theirs"}), 204)
    person.press("Save schema")
    dialog = person.page.get_by_role("dialog", name="Save this schema?")
    expect(dialog).to_contain_text("Another person has saved this schema")
    expect(dialog.get_by_role("group", name="Their schema and yours")).to_contain_text("theirs")
    person.look()
    dialog.get_by_role("button", name="Cancel").click()
    expect(editor(person)).to_contain_text("mine")
    assert saved(project, books) == {"title": "theirs"}


def test_a_viewer_reads_hostile_names(viewer_at, project, books):
    ok(project.admin.put(books, {"properties": {HOSTILE: {"type": "string", "description": HOSTILE, "enum": [HOSTILE]}}}), 204)
    person = viewer_at(project, "/data/books/schema")
    fields = person.page.get_by_role("region", name="Fields", exact=True)
    expect(fields.locator("bdi").first).to_have_text(HOSTILE)
    expect(editor(person)).to_have_attribute("aria-readonly", "true")
    assert person.page.get_by_role("main").get_by_role("button", name="Save schema").count() == 0
    assert person.page.get_by_role("main").get_by_role("button", name="Add field").count() == 0
    person.look()
    ok(project.admin.delete(books), 204)
    person.page.reload()
    expect(person.page.get_by_text("This collection has none: its documents are any JSON objects.")).to_be_visible()
    assert person.page.locator("main img").count() == 0
