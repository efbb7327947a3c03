"""POST /admin/collections/:name/schema/check: stored documents against a schema that is not saved."""

import pytest

from support.client import PlatformUser, ok, refused, unique

SHORT = {"type": "object", "properties": {"title": {"type": "string", "maxLength": 3}}}


def check(api, collection, schema=SHORT, **more):
    return ok(api.post(f"/admin/collections/{collection}/schema/check", {"schema": schema, **more}))


def documents(api, collection):
    return ok(api.post(f"/admin/collections/{collection}/query", {"limit": 1000}))["documents"]


@pytest.fixture(scope="module")
def posts(project, admin):
    name = project.collection()
    for n in range(60):
        body = {"id": f"p{n:02}", "title": "ok" if n % 2 else "too long", "at": "2026-01-31T09:30:00Z"}
        ok(admin.post(f"/admin/collections/{name}/documents", body), 201)
    return name


def test_counts_and_examples(admin, posts):
    before = documents(admin, posts)
    result = check(admin, posts)
    assert (result["checked"], result["failing"], result["complete"]) == (60, 30, True)
    assert [each["id"] for each in result["examples"]] == [f"p{n:02}" for n in range(0, 40, 2)]
    assert result["examples"][0]["details"] == [
        {"path": "/title", "message": "must be at most 3 characters long"}
    ]
    assert documents(admin, posts) == before
    assert ok(admin.get(f"/admin/collections/{posts}/schema"))["schema"] is None
    assert check(admin, posts, {"type": "object"}) == {"checked": 60, "failing": 0, "examples": [], "complete": True}
    assert check(admin, posts, {}) == {"checked": 60, "failing": 0, "examples": [], "complete": True}


def test_limit(admin, posts):
    result = check(admin, posts, limit=10)
    assert (result["checked"], result["failing"], result["complete"]) == (10, 5, False)
    assert check(admin, posts, limit=60)["complete"] is True
    assert check(admin, posts, limit=100_000)["checked"] == 60


def test_what_passes_can_be_written_and_the_rest_not(project, admin):
    """The check says of each document what a write of it is told once the schema is saved."""
    name = project.collection()
    values = [1, 1.5, "1", None, True, [], {}, "2026-01-31T09:30:00Z", "x" * 10]
    for number, value in enumerate(values):
        ok(admin.post(f"/admin/collections/{name}/documents", {"id": f"d{number}", "v": value}), 201)
    ok(admin.post(f"/admin/collections/{name}/documents", {"id": "none"}), 201)
    schemas = [
        {"type": "object", "properties": {"v": {"type": "integer"}}},
        {"type": "object", "required": ["v"], "properties": {"v": {"type": ["string", "null"], "maxLength": 3}}},
        {"type": "object", "properties": {"v": {"x-bson": "date"}, "n": {"type": "integer"}}},
        {"type": "object", "properties": {"v": {"anyOf": [{"type": "number"}, {"type": "array"}]}}},
        {"type": "object", "properties": {"v": {"default": 5}}, "required": ["v"]},
    ]
    for schema in schemas:
        result = check(admin, name, schema)
        failing = {each["id"]: each["details"] for each in result["examples"]}
        assert result["failing"] == len(failing) > 0
        ok(admin.put(f"/admin/collections/{name}/schema", schema), 204)
        for one in documents(admin, name):
            response = admin.patch(f"/admin/collections/{name}/documents/{one['id']}", {"updatedNow": 1})
            if one["id"] in failing:
                assert refused(response, 400, "VALIDATION").get("details", []) == failing[one["id"]]
        ok(admin.delete(f"/admin/collections/{name}/schema"), 204)


def test_many_documents(project, admin):
    name = project.collection()
    for n in range(900):
        ok(admin.post(f"/admin/collections/{name}/documents", {"n": n}), 201)
    result = check(admin, name, {"type": "object", "properties": {"n": {"maximum": 449}}})
    assert (result["checked"], result["failing"], result["complete"]) == (900, 450, True)
    assert len(result["examples"]) == 20


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strin"},
        {"typo": 1},
        {"properties": {"id": {"x-bson": "objectId"}}},
        {"properties": {"of": {"type": "string", "x-ref": "nowhere"}}},
        {"properties": {"of": {"type": "string", "x-ref": {"collection": "{posts}", "onDelete": "cascade"}}}},
        {"properties": {"title": {"pattern": "("}}},
        {"properties": {"title": {"type": "integer"}}},
    ],
)
def test_refuses_what_a_save_refuses(project, admin, schema):
    name = project.collection(policy={"create": {"validate": "document.title == 'a'"}})
    ok(admin.put(f"/admin/collections/{name}/schema", {"properties": {"title": {"type": "string"}}}), 204)
    saved = admin.put(f"/admin/collections/{name}/schema", schema)
    checked = admin.post(f"/admin/collections/{name}/schema/check", {"schema": schema})
    assert saved.status_code in (400, 409)
    assert (checked.status_code, checked.json()) == (saved.status_code, saved.json())


@pytest.mark.parametrize(
    "body, path",
    [
        ({}, "/schema"),
        ({"schema": "x"}, "/schema"),
        ({"schema": None}, "/schema"),
        ({"schema": {}, "limit": 0}, "/limit"),
        ({"schema": {}, "limit": -1}, "/limit"),
        ({"schema": {}, "limit": 100_001}, "/limit"),
        ({"schema": {}, "limit": "10"}, "/limit"),
        ({"schema": {}, "limit": 1.5}, "/limit"),
        ({"schema": {}, "filter": {}}, "/filter"),
    ],
)
def test_refuses_bad_bodies(admin, posts, body, path):
    refused(admin.post(f"/admin/collections/{posts}/schema/check", body), 400, "VALIDATION", path)


def test_unknown_and_reserved_collections(admin):
    for name in (unique("missing"), "users", "*"):
        refused(admin.post(f"/admin/collections/{name}/schema/check", {"schema": {}}), 404, "NOT_FOUND")


def test_who_may(server, project, posts):
    path = f"/admin/collections/{posts}/schema/check"

    def member(*permissions):
        return project.member(project.role(*permissions), PlatformUser(server))

    for permissions in (["collections:manage"], [f"data:{posts}:read"], ["collections:read", "data:*"]):
        refused(member(*permissions).post(path, {"schema": {}}), 403, "FORBIDDEN")
    assert ok(member("collections:manage", f"data:{posts}:read").post(path, {"schema": {}}))["checked"] == 60
    refused(project.end_user(project.enduser_role("*")).post(path, {"schema": {}}), 403, "FORBIDDEN")
