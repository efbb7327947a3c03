"""`expand`: references between documents, replaced by the documents."""

import pytest

from support.client import OPEN_POLICY, ok, refused


@pytest.fixture(scope="module")
def library(project, admin):
    """books -> authors (one, a list, nested), authors -> publishers."""

    def ref(to):
        return {"type": "string", "x-ref": to}

    project.collection("publishers")
    project.collection(
        "authors",
        policy={**OPEN_POLICY, "read": {"filter": {"public": True}, "deniedReadFields": ["secret"]}},
        schema={"type": "object", "properties": {"publisher": ref("publishers")}},
    )
    project.collection(
        "books",
        schema={
            "type": "object",
            "properties": {
                "author": ref("authors"),
                "coauthors": {"type": "array", "items": ref("authors")},
                "note": {"type": "string"},
                "deep": {"type": "object", "properties": {"editor": ref("authors")}},
                "parts": {"type": "array", "items": {"type": "object", "properties": {"by": ref("authors")}}},
            },
        },
    )
    make = project.api_key("admin")
    make.create("publishers", {"id": "house", "name": "House"})
    for name, public in (("ada", True), ("bob", True), ("hidden", False)):
        ok(
            admin.post(
                "/admin/collections/authors/documents",
                {"id": name, "public": public, "secret": "s", "publisher": "house", "name": name.title()},
            ),
            201,
        )
    make.create(
        "books",
        {
            "id": "one",
            "author": "ada",
            "coauthors": ["bob", "hidden", "missing", "ada"],
            "note": "ada",
            "deep": {"editor": "bob"},
            "parts": [{"by": "ada"}, {"by": "hidden"}, {}],
        },
    )
    make.create("books", {"id": "two", "author": "hidden"})
    make.create("books", {"id": "three"})
    return "books"


def names(documents):
    return [item["name"] if isinstance(item, dict) else item for item in documents]


@pytest.mark.parametrize("through", ["read", "list"])
def test_expand(alice, library, through):
    def book(expand, name="one"):
        if through == "read":
            return ok(alice.get(f"/books/{name}", params={"expand": expand}))["document"]
        return next(item for item in alice.list("books", expand=expand) if item["id"] == name)

    assert book("")["author"] == "ada"
    author = book("author")["author"]
    assert author["name"] == "Ada" and author["id"] == "ada"
    assert "secret" not in author, "a denied field was included"
    assert author["publisher"] == "house", "expand goes one level"
    assert names(book("coauthors")["coauthors"]) == ["Bob", "hidden", "missing", "Ada"]
    assert book("author", "two")["author"] == "hidden", "a document that cannot be read stays an id"
    assert "author" not in book("author", "three")
    assert book("deep.editor")["deep"]["editor"]["name"] == "Bob"
    assert [names([part["by"]])[0] if "by" in part else None for part in book("parts.by")["parts"]] == [
        "Ada",
        "hidden",
        None,
    ]
    both = book("author,deep.editor")
    assert both["author"]["name"] == "Ada" and both["deep"]["editor"]["name"] == "Bob"
    for nothing in ("note", "nothing", "deep", "author.publisher.x", "parts.0.by", "$where", ",,,", "id", "a" * 3000):
        assert book(nothing)["note"] == "ada"


def test_expand_needs_the_permission_too(project, library):
    reader = project.end_user(project.enduser_role("data:books:read", "data:books:list"))
    assert ok(reader.get("/books/one", params={"expand": "author"}))["document"]["author"] == "ada"


def test_expand_into_a_collection_without_a_policy(project, admin, alice):
    closed = project.collection(policy=None)
    ok(admin.post(f"/admin/collections/{closed}/documents", {"id": "x", "secret": 1}), 201)
    source = project.collection(schema={"type": "object", "properties": {"to": {"type": "string", "x-ref": closed}}})
    alice.create(source, {"to": "x"})
    assert alice.list(source, expand="to")[0]["to"] == "x"


def test_expand_of_a_denied_field(project, alice, library):
    source = project.collection(
        policy={**OPEN_POLICY, "read": {"deniedReadFields": ["to"]}},
        schema={"type": "object", "properties": {"to": {"type": "string", "x-ref": "authors"}}},
    )
    document = alice.create(source, {"to": "ada"})
    assert "to" not in ok(alice.get(f"/{source}/{document['id']}", params={"expand": "to"}))["document"]
    assert "to" not in alice.list(source, expand="to")[0]


def test_expand_through_admin(admin, library):
    path = "/admin/collections/books/documents"
    document = ok(admin.get(f"{path}/one", params={"expand": "author,coauthors"}))["document"]
    assert document["author"]["secret"] == "s" and names(document["coauthors"]) == ["Bob", "Hidden", "missing", "Ada"]
    assert ok(admin.get(path, params={"expand": "author"}))["documents"]


def test_relation_to_a_collection_that_is_not(project, admin, alice):
    target = project.collection()
    source = project.collection(schema={"type": "object", "properties": {"to": {"type": "string", "x-ref": target}}})
    ok(admin.delete(f"/admin/collections/{target}"), 204)
    alice.create(source, {"to": "x"})
    assert alice.list(source, expand="to")[0]["to"] == "x"


def test_hidden_documents_do_not_show_their_size(project, admin, alice):
    """A reader without access to the targets gets their ids, however large they are; a reader with access gets 413."""
    giants = project.collection(policy={**OPEN_POLICY, "read": {"filter": {"public": True}}})
    ids = [f"giant{n}" for n in range(20)]
    for each in ids:
        ok(admin.post(f"/admin/collections/{giants}/documents", {"id": each, "text": "x" * 1_000_000}), 201)
    source = project.collection(
        schema={"type": "object", "properties": {"all": {"type": "array", "items": {"type": "string", "x-ref": giants}}}}
    )
    made = alice.create(source, {"all": ids})
    assert ok(alice.get(f"/{source}/{made['id']}", params={"expand": "all"}))["document"]["all"] == ids
    refused(
        admin.get(f"/admin/collections/{source}/documents/{made['id']}", params={"expand": "all"}),
        413,
        "PAYLOAD_TOO_LARGE",
    )


def test_too_many_targets(project, alice, library):
    source = project.collection(
        schema={
            "type": "object",
            "properties": {"all": {"type": "array", "items": {"type": "string", "x-ref": "authors"}}},
        }
    )
    few = alice.create(source, {"all": [f"n{n}" for n in range(4000)]})
    many = alice.create(source, {"all": [f"n{n}" for n in range(4001)]})
    same = alice.create(source, {"all": ["ada"] * 5000})
    params = {"expand": "all"}
    assert len(ok(alice.get(f"/{source}/{few['id']}", params=params))["document"]["all"]) == 4000
    refused(alice.get(f"/{source}/{many['id']}", params=params), 413, "PAYLOAD_TOO_LARGE")
    everywhere = ok(alice.get(f"/{source}/{same['id']}", params=params))["document"]["all"]
    assert {item["name"] for item in everywhere} == {"Ada"} and len(everywhere) == 5000


def test_references_through_arrays_of_arrays(project, alice, library):
    game = {"players": {"type": "array", "items": {"type": "string", "x-ref": "authors"}}}
    teams = {"type": "array", "items": {"type": "object", "properties": game}}
    source = project.collection(
        schema={
            "type": "object",
            "properties": {"rounds": {"type": "array", "items": {"type": "object", "properties": {"teams": teams}}}},
        }
    )
    rounds = [{"teams": [{"players": ["ada", "none"]}, {}]}, {"teams": []}, {"teams": [{"players": ["bob", "ada"]}]}]
    made = alice.create(source, {"rounds": rounds})
    document = ok(alice.get(f"/{source}/{made['id']}", params={"expand": "rounds.teams.players"}))["document"]
    shown = [[names(team.get("players", [])) for team in each["teams"]] for each in document["rounds"]]
    assert shown == [[["Ada", "none"], []], [], [["Bob", "Ada"]]]
