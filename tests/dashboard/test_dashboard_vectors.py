"""The vector fields of a collection, the state of their embeddings, and a search to try."""

import pytest
from playwright.sync_api import expect

from support.client import ok
from support.embeddings import DIMENSIONS

ROUTE = "/admin/collections/notes/vector-config"
DOCUMENTS = "/admin/collections/notes/documents"
AUTOMATIC = {"name": "meaning", "dimensions": DIMENSIONS, "mode": "auto", "source": {"fields": ["title"]}}


@pytest.fixture(scope="module")
def server_settings(server_settings, embeddings):
    return {**server_settings, **embeddings.settings()}


@pytest.fixture
def project(developer):
    project = developer.create_project("Notes")
    project.collection("notes", policy={"read": {}, "list": {}}, schema={"properties": {"title": {"type": "string"}}})
    return project


def config(project) -> dict:
    return ok(project.admin.get(ROUTE))["config"]


def test_documents_with_their_vectors(person, developer, project):
    person.expect_refusals(400, 404)
    for id, vector in {"east": [1, 0, 0], "north": [0, 1, 0], "both": [1, 1, 0]}.items():
        ok(project.admin.post(DOCUMENTS, {"id": id, "title": id.title(), "at": vector, "n": 2**60}), 201)
    ok(project.admin.post(DOCUMENTS, {"id": "bare", "title": "Bare"}), 201)
    person.sign_in(developer, f"/p/{project.slug}/data/notes/vectors")
    person.heading("A vector field finds documents by meaning instead of by words")
    person.look()

    person.press("Add vector field")
    dialog = person.page.get_by_role("dialog", name="New vector field")
    dialog.get_by_label("Name", exact=True).fill("id")
    dialog.get_by_text("Count them in a vector").first.click()
    dialog.locator("textarea[name=sample]").fill("[0.1, 0.2, 3e-1]")
    expect(dialog.get_by_text("It has 3 numbers.")).to_be_visible()
    expect(dialog.get_by_label("Dimensions")).to_have_value("3")
    dialog.get_by_role("button", name="Add vector field").click()
    assert person.error_of("name")
    person.look()
    dialog.get_by_label("Name", exact=True).fill("at")
    dialog.get_by_role("button", name="Add vector field").click()
    expect(dialog).to_have_count(0)
    assert config(project) == {"fields": [{"name": "at", "dimensions": 3, "metric": "cosine", "mode": "manual"}]}
    field = person.page.get_by_role("region", name="at", exact=True)
    expect(field).to_contain_text("ready")
    expect(field).to_contain_text("Vectors3")

    search = person.page.get_by_role("region", name="Search", exact=True)
    search.get_by_role("button", name="Search", exact=True).click()
    expect(search.get_by_text("Enter a vector, or take that of a document.")).to_be_visible()
    search.get_by_label("Id of a document").fill("bare")
    person.key("Enter")
    expect(search.get_by_text("This document has no vector in this field.")).to_be_visible()
    search.get_by_label("Id of a document").fill("east")
    person.key("Enter")
    expect(search.get_by_label("Vector", exact=True)).to_have_value("[1, 0, 0]")
    search.get_by_role("button", name="Search", exact=True).click()
    rows = search.get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_contain_text("1.0000")
    expect(rows.nth(1)).to_contain_text(f'"n": {2**60}')
    expect(rows.nth(2)).to_contain_text("both")
    person.look()
    search.get_by_label("Filter").fill('{"title": "North"}')
    search.get_by_role("button", name="Search", exact=True).click()
    expect(rows).to_have_count(2)
    search.get_by_label("Vector", exact=True).fill("[1, 2]")
    search.get_by_role("button", name="Search", exact=True).click()
    expect(search.get_by_role("alert")).to_contain_text("/vector")
    person.look()

    person.press("Change the vector field at")
    dialog = person.page.get_by_role("dialog", name="Vector field at")
    dialog.get_by_label("Metric").select_option("euclidean distance")
    expect(dialog.get_by_text("Another metric or graph builds the index again.")).to_be_visible()
    dialog.get_by_text("The graph").click()
    dialog.get_by_label("Neighbours of each vector (m)").fill("1")
    dialog.get_by_role("button", name="Save vector field").click()
    assert person.error_of("m")
    person.look()
    dialog.get_by_label("Neighbours of each vector (m)").fill("8")
    dialog.get_by_role("button", name="Save vector field").click()
    expect(dialog).to_have_count(0)
    assert config(project)["fields"][0]["index"] == {"m": 8}

    person.press("Remove the vector field at")
    person.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    person.heading("A vector field finds documents by meaning instead of by words")
    assert config(project) is None


def test_texts_that_the_server_embeds_by_keyboard_alone(person, developer, project, embeddings):
    for id, title in {"a": "the patience of fishermen", "b": "engines of ships", "c": "a garden in spring"}.items():
        ok(project.admin.post(DOCUMENTS, {"id": id, "title": title}), 201)
    embeddings.gate.clear()
    person.sign_in(developer, f"/p/{project.slug}/data/notes/vectors")
    person.heading("A vector field finds documents by meaning instead of by words")
    person.tab_to("Add vector field", 60)
    person.key("Enter")
    person.page.get_by_role("dialog", name="New vector field").wait_for()
    person.has_focus("Name")
    person.type("meaning")
    person.key("Tab")
    person.key("ArrowDown")
    person.tab_to("Fields of the text")
    person.type("title")
    person.tab_to("Dimensions")
    person.type(str(DIMENSIONS))
    person.tab_to("Add vector field")
    person.key("Enter")
    field = person.page.get_by_role("region", name="meaning", exact=True)
    expect(field).to_contain_text("Embedded: 0 of 3 documents")
    person.look()
    embeddings.gate.set()
    expect(field).to_contain_text("Embedded: 3 of 3 documents", timeout=20_000)
    person.tab_to("Text", 60)
    person.type("engines of ships")
    person.key("Enter")
    rows = person.page.get_by_role("region", name="Search", exact=True).get_by_role("row")
    expect(rows.nth(1)).to_contain_text("engines of ships")
    assert "text=engines" in person.path()
    person.look()
    # The address leads others to the same search.
    person.page.reload()
    expect(rows.nth(1)).to_contain_text("engines of ships")
    assert config(project)["fields"][0]["source"] == {"fields": ["title"]}


def test_a_viewer_searches_hostile_texts(viewer_at, project):
    hostile = "<img src=x onerror=alert(1)> \u202e{{7*7}}"
    ok(project.admin.post(DOCUMENTS, {"id": "h", "title": hostile}), 201)
    source = {"fields": ["title"], "template": "<script>{{title}}</script>"}
    ok(project.admin.put(ROUTE, {"fields": [{**AUTOMATIC, "source": source}]}), 204)
    person = viewer_at(project, "/data/notes/vectors")
    field = person.page.get_by_role("region", name="meaning", exact=True)
    expect(field).to_contain_text("<script>{{title}}</script>")
    expect(field).to_contain_text("Embedded: 1 of 1 document")
    search = person.page.get_by_role("region", name="Search", exact=True)
    search.get_by_label("Text", exact=True).fill(hostile)
    person.key("Enter")
    expect(search.get_by_role("row").nth(1)).to_contain_text("onerror=alert(1)")
    assert person.page.get_by_role("main").get_by_role("button", name="Add vector field").count() == 0
    assert field.get_by_role("button").count() == 0
    person.look()
    assert person.page.locator("main img").count() == 0
