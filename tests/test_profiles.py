"""Profiles: what `expand` and GraphQL show of end users, by the project's setting profileFields."""

import pytest

from support.client import OPEN_POLICY, ok, refused
from support.vectors import Space

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "author": {"type": "string", "x-ref": "users"},
        "readers": {"type": "array", "items": {"type": "string", "x-ref": "users"}},
        "deep": {"type": "object", "properties": {"by": {"type": "string", "x-ref": "users"}}},
    },
}


@pytest.fixture
def project(owner):
    return owner.create_project()


@pytest.fixture
def admin(project):
    return project.admin


@pytest.fixture
def ann(project, admin):
    user = project.end_user()
    metadata = {"avatar": "a.png", "secret": "s3cret", "home": {"city": "Bern", "street": "x"}}
    ok(admin.patch(f"/admin/users/{user.id}", {"name": "Ann", "metadata": metadata}), 204)
    return user


@pytest.fixture
def posts(project, admin, ann):
    name = project.collection("posts", schema=SCHEMA)
    document = {"id": "p", "title": "t", "author": ann.id, "readers": ["user_gone", ann.id], "deep": {"by": ann.id}}
    ok(admin.post(f"/admin/collections/{name}/documents", document), 201)
    return name


def set_profile(project, *fields):
    ok(project.owner.patch(f"/control/projects/{project.id}", {"settings": {"profileFields": list(fields)}}), 204)


def one(api, expand="author"):
    return ok(api.get("/posts/p", params={"expand": expand}))["document"]


def graphql(api, query):
    return ok(api.post("/graphql", {"query": query}))


def test_without_the_setting_references_stay_ids(posts, ann, admin):
    assert one(ann)["author"] == ann.id
    assert ann.list("posts", expand="author,readers")[0]["readers"] == ["user_gone", ann.id]
    assert graphql(ann, "{posts{author readers}}")["data"]["posts"] == [
        {"author": ann.id, "readers": ["user_gone", ann.id]}
    ]


def test_the_fields_are_nested_as_in_the_record(project, posts, ann, admin):
    set_profile(project, "metadata.avatar")
    assert one(ann)["author"] == {"id": ann.id, "metadata": {"avatar": "a.png"}}
    set_profile(project, "name", "email", "metadata.home.city")
    whole = {"id": ann.id, "name": "Ann", "email": ann.email, "metadata": {"home": {"city": "Bern"}}}
    shown = one(ann, "author,readers,deep.by")
    assert shown["author"] == whole and shown["deep"]["by"] == whole
    assert shown["readers"] == ["user_gone", whole], "an id that no user has stays an id"
    assert ann.list("posts", expand="author")[0]["author"] == whole
    path = "/admin/collections/posts/documents"
    assert ok(admin.get(path, params={"expand": "author"}))["documents"][0]["author"] == whole
    assert ok(admin.get(f"{path}/p", params={"expand": "author"}))["document"]["author"] == whole
    assert one(ann, "title")["author"] == ann.id
    for other in (project.end_user(), project.api_key("read"), project.api_key("service"), admin):
        assert one(other)["author"] == whole
    set_profile(project)
    assert one(ann)["author"] == ann.id


def test_a_change_of_the_user_is_live(project, posts, ann, admin):
    set_profile(project, "name", "metadata.avatar")
    assert one(ann)["author"]["name"] == "Ann"
    ok(admin.patch(f"/admin/users/{ann.id}", {"name": None, "metadata": {}}), 204)
    assert one(ann)["author"] == {"id": ann.id, "name": None, "metadata": {}}


def test_users_of_another_project_are_nobody(owner, project, posts, admin):
    set_profile(project, "name", "email")
    stranger = owner.create_project().end_user()
    ok(admin.patch("/admin/collections/posts/documents/p", {"author": stranger.id}))
    assert one(admin)["author"] == stranger.id
    ok(admin.patch("/admin/collections/posts/documents/p", {"author": project.owner.id}))
    assert one(admin)["author"] == project.owner.id, "a platform user is no end user"


def test_a_blocked_user_is_still_shown(project, posts, ann, admin):
    set_profile(project, "name")
    ok(admin.post(f"/admin/users/{ann.id}/block"), 204)
    assert one(admin)["author"] == {"id": ann.id, "name": "Ann"}


def test_a_denied_reference_shows_nothing(project, posts, ann, admin):
    set_profile(project, "name")
    policy = {**OPEN_POLICY, "read": {"deniedReadFields": ["author"]}}
    ok(admin.put("/admin/collections/posts/policy", policy), 204)
    assert "author" not in one(ann)
    assert "author" not in ann.list("posts", expand="author")[0]


def test_many_references(project, admin, ann):
    set_profile(project, "name", "email")
    name = project.collection(schema=SCHEMA)
    readers = [ann.id, *[f"user_{n:020}" for n in range(998)], ann.id]
    ok(admin.post(f"/admin/collections/{name}/documents", {"id": "many", "readers": readers}), 201)
    shown = ok(ann.get(f"/{name}/many", params={"expand": "readers"}))["document"]["readers"]
    assert shown[0] == shown[-1] == {"id": ann.id, "name": "Ann", "email": ann.email}
    assert shown[1:-1] == readers[1:-1]


def test_graphql(project, posts, ann):
    set_profile(project, "name", "metadata.home.city")
    query = "{posts{authorId author{id name metadata{home}} readers{name} deep{by{id} byId}}}"
    assert graphql(ann, query)["data"]["posts"] == [
        {
            "authorId": ann.id,
            "author": {"id": ann.id, "name": "Ann", "metadata": {"home": {"city": "Bern"}}},
            "readers": [{"name": "Ann"}],
            "deep": {"by": {"id": ann.id}, "byId": ann.id},
        }
    ]
    for absent in ("email", "passwordHash", "status"):
        assert "errors" in graphql(ann, f"{{posts{{author{{{absent}}}}}}}")
    types = [each["name"] for each in graphql(ann, "{__schema{types{name}}}")["data"]["__schema"]["types"]]
    assert "UserProfile" in types
    set_profile(project)
    assert graphql(ann, "{posts{author}}")["data"]["posts"] == [{"author": ann.id}]


def test_graphql_search(project, ann):
    set_profile(project, "name")
    space = Space(project)
    ok(project.admin.put(f"/admin/collections/{space.collection}/schema", SCHEMA), 204)
    space.put("a", [1, 0, 0, 0], author=ann.id)
    space.hits([1, 0, 0, 0])
    found = graphql(ann, f"{{{space.collection}Search(vector: [1, 0, 0, 0]){{author{{name}}}}}}")
    assert found["data"][f"{space.collection}Search"] == [{"author": {"name": "Ann"}}]


def test_the_description_follows(project, posts, admin):
    def author():
        described = ok(admin.get("/openapi.json"))
        text = described["components"]["schemas"]
        return next(value for name, value in text.items() if name == "Document.posts")["properties"]["author"]

    assert "anyOf" not in author()
    set_profile(project, "name")
    assert "anyOf" in author()


@pytest.mark.parametrize(
    "fields, path",
    [
        (["passwordHash"], "/settings/profileFields/0"),
        (["name", "id"], "/settings/profileFields/1"),
        (["metadata"], "/settings/profileFields/0"),
        (["metadata."], "/settings/profileFields/0"),
        (["metadata.*"], "/settings/profileFields/0"),
        (["metadata.$x"], "/settings/profileFields/0"),
        (["name", "name"], "/settings/profileFields/1"),
        ([f"metadata.f{n}" for n in range(21)], "/settings/profileFields"),
        ([5], "/settings/profileFields/0"),
    ],
    ids=str,
)
def test_fields_that_cannot_be_set(project, fields, path):
    body = {"settings": {"profileFields": fields}}
    refused(project.owner.patch(f"/control/projects/{project.id}", body), 400, "VALIDATION", path)
