"""How programs call a project: the calls that the screen shows work as they are."""

import json
import os
import subprocess

from playwright.sync_api import expect

from support.client import ok

SCHEMA = {
    "type": "object",
    "required": ["title"],
    "properties": {"title": {"type": "string"}, "stars": {"type": "integer", "minimum": 3}, "place": {"type": "object"}},
    "additionalProperties": False,
}


def shown(person, title: str, language: str) -> str:
    return person.page.get_by_role("region", name=f"{title}: {language}").inner_text()


def test_the_calls_that_are_shown_work(person, developer):
    project = developer.create_project("Bookshop")
    page = person.page
    person.sign_in(developer, f"/p/{project.slug}/api")
    page.get_by_text("Programs call the documents of a collection").wait_for()
    person.look()
    notes = project.collection("notes")
    books = project.collection("books-old", schema=SCHEMA)
    key = project.api_key("service")
    page.reload()
    page.get_by_label("Collection").select_option(books)
    expect(page.get_by_role("region", name="Set up: for end users")).to_contain_text(f'project: "{project.slug}"')
    person.press("for a server")
    expect(page.get_by_role("region", name="Set up: for a server")).to_contain_text("apiKey: process.env.MANYBASE_KEY")
    expect(page.get_by_role("region", name="Create a document: TypeScript")).to_contain_text('{"title": "text", "stars": 3}')
    person.look()
    assert person.path().endswith(f"?collection={books}")

    # With a key in place of $KEY, each call does what its title says.
    page.get_by_role("tab", name="curl").click()
    environment = {**os.environ, "KEY": key.token}

    def run(title: str, **replaced: str) -> str:
        text = shown(person, title, "curl")
        for old, new in replaced.items():
            text = text.replace(old.replace("_", "-"), new)
        ran = subprocess.run(["bash", "-c", text + " --silent --fail"], env=environment, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    made = json.loads(run("Create a document"))["document"]
    assert (made["title"], made["stars"]) == ("text", 3)
    assert [one["id"] for one in json.loads(run("List documents"))["documents"]] == [made["id"]]
    assert json.loads(run("Read a document", some_id=made["id"]))["document"]["id"] == made["id"]
    run("Change a document", some_id=made["id"])
    run("Delete a document", some_id=made["id"])
    assert json.loads(run("List documents"))["documents"] == []

    # The same in GraphQL, with a schema and without one.
    page.get_by_role("tab", name="GraphQL").click()
    for collection in (books, notes):
        page.get_by_label("Collection").select_option(collection)
        expect(page.get_by_role("region", name="List documents: GraphQL")).to_contain_text(f"{collection.replace('-', '_')}(filter")

        def send(title: str, id: str = "") -> dict:
            answer = ok(key.post("/graphql", {"query": shown(person, title, "GraphQL").replace("some-id", id)}))
            assert "errors" not in answer, answer
            return next(iter(answer["data"].values()))

        one = send("Create a document")["id"]
        assert [each["id"] for each in send("List documents")] == [one]
        assert send("Read a document", one)["id"] == send("Change a document", one)["id"] == one
        assert send("Delete a document", one) is True
    person.look()

    expect(page.get_by_role("link", name="GraphiQL")).to_have_count(2)
    with page.expect_download() as started:
        person.press("Download")
    assert started.value.suggested_filename == "manybase-types.ts"
    assert "interface BooksOld" in started.value.path().read_text()
    person.press("Show the call")
    expect(page.get_by_role("dialog").locator("pre").first).to_contain_text("admin.getTypes()")


def test_a_viewer_by_keyboard(viewer_at, developer):
    project = developer.create_project("Bookshop")
    project.collection("books")
    project.collection("notes")
    person = viewer_at(project, "/api?collection=notes&language=graphql")
    expect(person.page.get_by_role("region", name="List documents: GraphQL")).to_contain_text("notes(filter")
    person.look()
    person.tab_to("Collection", 60)
    person.type("books")
    expect(person.page.get_by_role("region", name="List documents: GraphQL")).to_contain_text("books(filter")
    person.tab_to("GraphQL")
    person.key("ArrowLeft")
    person.key("Enter")
    expect(person.page.get_by_role("region", name="List documents: curl")).to_contain_text("/api/v1/books?limit=20")
    assert person.path().endswith("?collection=books&language=curl")
