"""Collections and their administration."""

import concurrent.futures

import pytest

from support.client import OPEN_POLICY, ok, refused, unique

RESERVED = [
    "auth",
    "admin",
    "control",
    "storage",
    "graphql",
    "realtime",
    "run",
    "billing",
    "projects",
    "health",
    "ready",
    "openapi.json",
    "jwks.json",
    "users",
    "sessions",
    "roles",
    "functions",
    "webhooks",
    "integrations",
    "buckets",
    "files",
    "audit",
    "__x",
    "__users",
    "system.x",
    "system.users",
]


def test_life(project, admin):
    name = unique("Posts_-")
    response = admin.post("/admin/collections", {"name": name})
    assert response.status_code == 201 and response.content == b""
    assert name in ok(admin.get("/admin/collections"))["collections"]
    refused(admin.post("/admin/collections", {"name": name}), 409, "CONFLICT")
    refused(admin.post("/admin/collections", {"name": name.swapcase()}), 409, "CONFLICT")
    document = ok(admin.post(f"/admin/collections/{name}/documents", {"a": 1}), 201)["document"]
    ok(admin.delete(f"/admin/collections/{name}"), 204)
    assert name not in ok(admin.get("/admin/collections"))["collections"]
    for response in (
        admin.delete(f"/admin/collections/{name}"),
        admin.get(f"/admin/collections/{name}/documents"),
        admin.get(f"/admin/collections/{name}/schema"),
        admin.get(f"/admin/collections/{name}/indexes"),
        admin.get(f"/{name}/{document['id']}"),
        admin.post(f"/{name}", {"a": 1}),
    ):
        refused(response, 404, "NOT_FOUND")
    ok(admin.post("/admin/collections", {"name": name}), 201)
    assert ok(admin.get(f"/admin/collections/{name}/documents")) == {"documents": [], "total": 0}


@pytest.mark.parametrize(
    "name", ["", "1a", "-a", "_a", "a b", "a/b", "a.b", "ä", "a" * 65, "a\u0000b", "a\n", "$a", "../a", "*"]
)
def test_names(admin, name):
    refused(admin.post("/admin/collections", {"name": name}), 400, "VALIDATION", "/name")


@pytest.mark.parametrize("name", ["a", "A", "a1", "a-b_c", "Z" * 64])
def test_good_names(admin, name):
    ok(admin.post("/admin/collections", {"name": name}), 201)
    ok(admin.delete(f"/admin/collections/{name}"), 204)


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_names(project, admin, alice, name):
    before = ok(admin.get("/admin/collections"))
    assert admin.post("/admin/collections", {"name": name}).status_code in (400, 404)
    if not name.startswith(("__", "system.", "openapi", "jwks")):
        refused(admin.post("/admin/collections", {"name": name}), 404, "NOT_FOUND")
    refused(admin.get(f"/admin/collections/{name}/documents"), 404, "NOT_FOUND")
    refused(admin.put(f"/admin/collections/{name}/policy", OPEN_POLICY), 404, "NOT_FOUND")
    if name not in ("storage", "graphql", "realtime", "projects", "health", "ready", "openapi.json", "jwks.json"):
        refused(alice.get(f"/{name}"), 404, "NOT_FOUND")
        refused(alice.get(f"/{name}/x"), 404, "NOT_FOUND")
    assert ok(admin.get("/admin/collections")) == before


def test_unknown_collection(alice, admin):
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/x"), ("PATCH", "/x"), ("PUT", "/x"), ("DELETE", "/x")):
        body = {"json": {"a": 1}} if method in ("POST", "PATCH", "PUT") else {}
        refused(alice.call(method, f"/NoSuchCollection{path}", **body), 404, "NOT_FOUND")
    assert "NoSuchCollection" not in ok(admin.get("/admin/collections"))["collections"]


def test_of_concurrent_creations_one_wins(admin):
    name = unique("race")
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(lambda _: admin.post("/admin/collections", {"name": name}).status_code, range(6)))
    assert sorted(statuses) == [201] + [409] * 5


# ---- rename


def test_rename_carries_everything(project, admin, alice):
    name, to = unique("old"), unique("new")
    project.collection(
        name,
        schema={"type": "object", "properties": {"n": {"type": "integer"}}},
        indexes=[{"keys": {"n": 1}, "unique": True}],
    )
    document = alice.create(name, {"n": 7})
    config = [ok(admin.get(f"/admin/collections/{name}/{part}")) for part in ("schema", "policy", "indexes")]
    ok(admin.post(f"/admin/collections/{name}/rename", {"to": to}), 204)
    assert [ok(admin.get(f"/admin/collections/{to}/{part}")) for part in ("schema", "policy", "indexes")] == config
    assert ok(alice.get(f"/{to}/{document['id']}"))["document"] == document
    refused(alice.get(f"/{name}/{document['id']}"), 404)
    names = ok(admin.get("/admin/collections"))["collections"]
    assert to in names and name not in names
    refused(alice.post(f"/{to}", {"n": 7}), 409)
    refused(alice.post(f"/{to}", {"n": "x"}), 400)


def test_rename_to_its_own_name_in_other_letters(project, admin):
    name = project.collection(unique("Casing"))
    ok(admin.post(f"/admin/collections/{name}/rename", {"to": name.upper()}), 204)
    assert name.upper() in ok(admin.get("/admin/collections"))["collections"]


def test_rename_gives_no_permission(project, admin):
    name, to = project.collection(), unique("news")
    role = unique("editor")
    ok(admin.post("/admin/roles", {"name": role, "permissions": ["collections:manage", f"data:{to}:*"]}), 201)
    editor = project.member(role)
    message = refused(editor.post(f"/admin/collections/{name}/rename", {"to": to}), 403, "FORBIDDEN")["message"]
    assert "under the new name" in message
    ok(editor.post(f"/admin/collections/{name}/rename", {"to": unique("other")}), 204)


def test_reserved_names_are_listed(admin):
    error = refused(admin.post("/admin/collections", {"name": "users"}), 404, "NOT_FOUND")
    for name in ("admin", "users", "webhooks", "__", "system."):
        assert name in error["message"]


def test_rename_refuses(project, admin):
    name, taken = project.collection(), project.collection()
    refused(admin.post(f"/admin/collections/{name}/rename", {"to": taken}), 409, "CONFLICT")
    refused(admin.post(f"/admin/collections/{name}/rename", {"to": taken.upper()}), 409, "CONFLICT")
    refused(admin.post("/admin/collections/NoSuchCollection/rename", {"to": unique("x")}), 404)
    for to in ("", "a b", "1", "x" * 65):
        refused(admin.post(f"/admin/collections/{name}/rename", {"to": to}), 400, "VALIDATION", "/to")
    assert admin.post(f"/admin/collections/{name}/rename", {"to": "users"}).status_code in (400, 404)


def test_relations_follow_a_rename(project, admin):
    target = project.collection()
    source = project.collection(schema={"type": "object", "properties": {"ref": {"type": "string", "x-ref": target}}})
    one = admin.create(target, {"a": 1})
    admin.create(source, {"ref": one["id"]})
    to = unique("renamed")
    ok(admin.post(f"/admin/collections/{target}/rename", {"to": to}), 204)
    assert ok(admin.get(f"/admin/collections/{source}/schema"))["schema"]["properties"]["ref"]["x-ref"] == to
    (document,) = admin.list(source, expand="ref")
    assert document["ref"]["a"] == 1


# ---- schema and policy as resources


def test_schema_resource(project, admin):
    name = project.collection(policy=None)
    path = f"/admin/collections/{name}/schema"
    assert ok(admin.get(path)) == {"schema": None}
    schema = {"type": "object", "properties": {"title": {"type": "string", "maxLength": 5}}, "required": ["title"]}
    ok(admin.put(path, schema), 204)
    assert ok(admin.get(path)) == {"schema": schema}
    assert list(ok(admin.get(path))["schema"]) == list(schema), "the order of keys is lost"
    ok(admin.delete(path), 204)
    assert ok(admin.get(path)) == {"schema": None}


def test_policy_resource(project, admin):
    name = project.collection(policy=None)
    path = f"/admin/collections/{name}/policy"
    assert ok(admin.get(path))["source"] == "default"
    policy = {"read": {"filter": {"ownerId": "$auth.uid"}}, "list": {}, "create": {"validate": "true"}}
    ok(admin.put(path, policy), 204)
    assert ok(admin.get(path)) == {"policy": policy, "source": "own"}
    ok(admin.delete(path), 204)
    assert ok(admin.get(path))["source"] == "default"
    refused(admin.put("/admin/collections/NoSuchCollection/policy", policy), 404)


def test_inherited_policy(owner):
    project = owner.create_project()
    admin, user = project.admin, project.end_user()
    bare = project.collection(policy=None)
    own = project.collection(policy={"list": {}})
    refused(user.get(f"/{bare}"), 403)
    ok(admin.put("/admin/collections/*/policy", OPEN_POLICY), 204)
    assert ok(admin.get(f"/admin/collections/{bare}/policy")) == {"policy": OPEN_POLICY, "source": "inherited"}
    assert ok(admin.get(f"/admin/collections/{own}/policy"))["source"] == "own"
    assert "*" not in ok(admin.get("/admin/collections"))["collections"]
    user.create(bare, {"a": 1})
    refused(user.post(f"/{own}", {"a": 1}), 403)
    ok(admin.delete("/admin/collections/*/policy"), 204)
    refused(user.get(f"/{bare}"), 403)
    assert ok(admin.get(f"/admin/collections/{bare}/policy"))["source"] == "default"


# ---- documents through /admin


def test_admin_documents(project, admin):
    name = project.collection(policy=None)
    path = f"/admin/collections/{name}/documents"
    made = [ok(admin.post(path, {"n": n}), 201)["document"] for n in range(5)]
    body = ok(admin.get(path))
    assert set(body) == {"documents", "total"} and body["total"] == 5
    assert [item["n"] for item in body["documents"]] == [0, 1, 2, 3, 4]
    page = ok(admin.get(path, params={"limit": 2, "skip": 1, "filter": '{"n": {"$gt": 0}}'}))
    assert [item["n"] for item in page["documents"]] == [2, 3] and page["total"] == 4
    one = f"{path}/{made[0]['id']}"
    patched = ok(admin.patch(one, {"n": 10, "m": 1}))["document"]
    assert (patched["n"], patched["m"]) == (10, 1) and patched["id"] == made[0]["id"]
    assert ok(admin.patch(one, {"$inc": {"n": 5}, "$unset": {"m": ""}}))["document"]["n"] == 15
    replaced = ok(admin.put(one, {"other": True}))["document"]
    assert replaced["other"] is True and "n" not in replaced and replaced["createdAt"] == made[0]["createdAt"]
    assert ok(admin.get(one))["document"] == replaced
    ok(admin.delete(one), 204)
    for response in (admin.get(one), admin.delete(one), admin.patch(one, {"a": 1}), admin.put(one, {"a": 1})):
        refused(response, 404, "NOT_FOUND")
    assert ok(admin.get(path))["total"] == 4
    refused(admin.put(f"{path}/{made[1]['id']}", {"$set": {"a": 1}}), 400, "INVALID_BODY")


def test_admin_skips_the_policy_but_not_the_schema(project, admin, alice):
    name = project.collection(
        policy={**OPEN_POLICY, "create": {"validate": "false"}, "read": {"deniedReadFields": ["secret"]}},
        schema={"type": "object", "properties": {"n": {"type": "integer"}}},
    )
    path = f"/admin/collections/{name}/documents"
    document = ok(admin.post(path, {"n": 1, "secret": "s", "ownerId": alice.id}), 201)["document"]
    assert document["secret"] == "s" and document["ownerId"] == alice.id
    refused(admin.post(path, {"n": "x"}), 400, "VALIDATION", "/n")
    refused(admin.patch(f"{path}/{document['id']}", {"n": "x"}), 400, "VALIDATION", "/n")
    assert "secret" not in ok(alice.get(f"/{name}/{document['id']}"))["document"]
