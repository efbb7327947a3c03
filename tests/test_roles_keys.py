"""Roles, API keys, and the table of permissions route by route."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest

from support.client import OPEN_POLICY, Api, PlatformUser, ok, refused, unique
from support.routes import ADMIN, BUILT_IN, DATA, END_USER_ROLE, SCOPES, allows, harmless, path_of
from support.waiting import wait_until


# ---- member roles


def test_built_in_roles(admin):
    roles = {role["name"]: role for role in ok(admin.get("/admin/roles"))["roles"]}
    for name, permissions in BUILT_IN.items():
        assert set(roles[name]) == {"name", "permissions", "builtIn"} and roles[name]["builtIn"] is True
        assert set(roles[name]["permissions"]) == set(permissions)


def test_built_in_enduser_role(admin):
    roles = {role["name"]: role for role in ok(admin.get("/admin/enduser-roles"))["enduserRoles"]}
    assert roles["user"]["builtIn"] is True and set(roles["user"]["permissions"]) == set(END_USER_ROLE)


@pytest.mark.parametrize("kind, listing", [("roles", "roles"), ("enduser-roles", "enduserRoles")])
def test_role_life(admin, kind, listing):
    path = f"/admin/{kind}"
    name = unique("Role-")
    role = ok(admin.post(path, {"name": name, "permissions": ["data:posts:read", "audit:read"]}), 201)["role"]
    assert role == {"name": name, "permissions": ["data:posts:read", "audit:read"], "builtIn": False}
    assert ok(admin.get(f"{path}/{name}"))["role"] == role
    assert role in ok(admin.get(path))[listing]
    refused(admin.post(path, {"name": name, "permissions": []}), 409, "CONFLICT")
    refused(admin.post(path, {"name": name.upper(), "permissions": []}), 409, "CONFLICT")
    ok(admin.put(f"{path}/{name}", {"permissions": ["*"]}), 204)
    assert ok(admin.get(f"{path}/{name}"))["role"]["permissions"] == ["*"]
    ok(admin.delete(f"{path}/{name}"), 204)
    for response in (
        admin.get(f"{path}/{name}"),
        admin.delete(f"{path}/{name}"),
        admin.put(f"{path}/{name}", {"permissions": []}),
    ):
        refused(response, 404, "NOT_FOUND")


@pytest.mark.parametrize("kind", ["roles", "enduser-roles"])
@pytest.mark.parametrize("name", ["", "1a", "-a", "a b", "a/b", "a" * 65, "ä", "a.b", "*", "__x"])
def test_role_names(admin, kind, name):
    refused(admin.post(f"/admin/{kind}", {"name": name, "permissions": []}), 400, "VALIDATION", "/name")


@pytest.mark.parametrize(
    "permission", ["", ":", "a::b", "a b", "data:posts:read:more:still", "x" * 300, "a:$b", "á:read"]
)
def test_permission_formats(admin, permission):
    error = refused(
        admin.post("/admin/roles", {"name": unique("r"), "permissions": ["audit:read", permission]}), 400, "VALIDATION"
    )
    assert any(detail["path"].startswith("/permissions") for detail in error["details"])


@pytest.mark.parametrize("name", ["Owner", "Admin", "Editor", "Viewer", "owner", "VIEWER"])
def test_built_in_roles_stay(admin, name):
    before = ok(admin.get("/admin/roles"))
    assert admin.post("/admin/roles", {"name": name, "permissions": []}).status_code in (400, 403, 409)
    assert admin.put(f"/admin/roles/{name}", {"permissions": []}).status_code in (400, 403, 404, 409)
    assert admin.delete(f"/admin/roles/{name}").status_code in (400, 403, 404, 409)
    assert ok(admin.get("/admin/roles")) == before


def test_built_in_enduser_role_stays(admin):
    before = ok(admin.get("/admin/enduser-roles"))
    assert admin.post("/admin/enduser-roles", {"name": "user", "permissions": ["*"]}).status_code in (400, 403, 409)
    assert admin.put("/admin/enduser-roles/user", {"permissions": ["*"]}).status_code in (400, 403, 409)
    assert admin.delete("/admin/enduser-roles/user").status_code in (400, 403, 409)
    assert ok(admin.get("/admin/enduser-roles")) == before


def test_roles_in_use_stay(server, project, admin):
    role = project.role("audit:read")
    user = PlatformUser(server)
    project.member(role, user)
    refused(admin.delete(f"/admin/roles/{role}"), 409, "CONFLICT")
    ok(project.owner.delete(f"/control/projects/{project.id}/members/{user.id}"), 204)
    ok(admin.delete(f"/admin/roles/{role}"), 204)
    enduser_role = project.enduser_role("data:*:read")
    someone = project.end_user(enduser_role)
    refused(admin.delete(f"/admin/enduser-roles/{enduser_role}"), 409, "CONFLICT")
    ok(admin.patch(f"/admin/users/{someone.id}", {"metadata": {}}), 204)
    ok(admin.delete(f"/admin/enduser-roles/{enduser_role}"), 204)


def test_a_role_that_is_promised_stays(server, project, admin):
    role = project.role("audit:read")
    email = f"{unique('invited')}@example.com"
    members = f"/control/projects/{project.id}/members"
    ok(project.owner.post(members, {"email": email, "role": role}), 201)
    refused(admin.delete(f"/admin/roles/{role}"), 409, "CONFLICT")
    PlatformUser(server, email)
    refused(admin.delete(f"/admin/roles/{role}"), 409, "CONFLICT")
    other = project.role("audit:read")
    ok(project.owner.post(members, {"email": f"x{email}", "role": other}), 201)
    ok(project.owner.delete(f"{members}/pending/x{email}"), 204)
    ok(admin.delete(f"/admin/roles/{other}"), 204)


def test_a_grant_beside_the_deletion(server, project, admin):
    """Of a concurrent grant and deletion one is refused: no user keeps a deleted role."""
    members = f"/control/projects/{project.id}/members"
    member, user = project.member("Viewer", PlatformUser(server)).user, project.end_user()
    with ThreadPoolExecutor(2) as pool:
        for round_ in range(20):
            kind = "roles" if round_ % 2 else "enduser-roles"
            role = project.role("audit:read") if round_ % 2 else project.enduser_role("data:*:read")
            if round_ % 2:
                grant = pool.submit(project.owner.patch, f"{members}/{member.id}", {"role": role})
            else:
                grant = pool.submit(admin.patch, f"/admin/users/{user.id}", {"metadata": {"role": role}})
            gone = admin.delete(f"/admin/{kind}/{role}")
            granted = grant.result()
            assert gone.status_code in (204, 409), gone.text
            if gone.status_code == 409:
                ok(granted, 204)
                continue
            # Metadata may contain a name that is not a role; it grants nothing.
            if round_ % 2:
                assert granted.status_code in (400, 404), granted.text
                roles = {item["userId"]: item["role"] for item in ok(project.owner.get(members))["members"]}
                assert roles[member.id] != role


def test_the_two_namespaces_are_apart(project, admin):
    name = unique("both")
    ok(admin.post("/admin/roles", {"name": name, "permissions": ["audit:read"]}), 201)
    ok(admin.post("/admin/enduser-roles", {"name": name, "permissions": ["data:x:read"]}), 201)
    assert ok(admin.get(f"/admin/roles/{name}"))["role"]["permissions"] == ["audit:read"]
    ok(admin.delete(f"/admin/roles/{name}"), 204)
    ok(admin.get(f"/admin/enduser-roles/{name}"))


# ---- permissions by route


def probe(api, route, collection):
    """Returns whether the caller may use the route at all."""
    if route.method == "DELETE" and route.path == "/admin/collections/{collection}":
        collection = "NoSuchCollection"
    if route.method == "DELETE" and route.path.endswith(("/schema", "/policy")):
        collection = "NoSuchCollection"
    response = api.call(route.method, path_of(route, collection), **harmless(route))
    assert response.status_code != 401, f"{route}: {response.text}"
    return response.status_code != 403


HELD = sorted({route.permission.format(collection="Things") for route in ADMIN + DATA}) + [
    "*",
    "data:*",
    "data:*:read",
    "data:Things:*",
    "data:*:*",
    "data:Other:read",
    "data:Thing:read",
    "collections:*",
    "policies:*",
    "roles:*",
    "users:*",
    "keys:*",
    "*:read",
    "*:manage",
    "audit:read",
    "nothing:at:all",
    "data",
    "DATA:*",
    "collections",
    "collections:read:more",
]


@pytest.fixture(scope="module")
def things(project):
    return project.collection("Things", policy={**OPEN_POLICY, "admin": {}})


@pytest.fixture(scope="module")
def holder(server, project, things):
    """A member whose custom role gets other permissions from test to test."""
    role = project.role()
    member = project.member(role, PlatformUser(server))
    member.role = role
    return member


@pytest.mark.parametrize("held", HELD)
def test_table_of_permissions(project, holder, things, held):
    ok(project.admin.put(f"/admin/roles/{holder.role}", {"permissions": [held]}), 204)
    for route in ADMIN + DATA:
        needed = route.permission.format(collection=things)
        assert probe(holder, route, things) == allows([held], needed), f"{held} on {route}, which needs {needed}"


@pytest.mark.parametrize("role", BUILT_IN)
def test_table_for_built_in_roles(project, server, things, role):
    member = project.member(role, PlatformUser(server))
    for route in ADMIN + DATA:
        needed = route.permission.format(collection=things)
        assert probe(member, route, things) == allows(BUILT_IN[role], needed), f"{role} on {route}"


@pytest.mark.parametrize("scope", SCOPES)
def test_table_for_api_keys(project, things, scope):
    key = project.api_key(scope)
    for route in ADMIN + DATA:
        expected = scope in (route.scope, "admin") or (scope == "service" and route.plane == "data")
        assert probe(key, route, things) == expected, f"key of scope {scope} on {route}"


def test_table_for_end_users(project, things):
    user = project.end_user()
    god = project.end_user(project.enduser_role("*"))
    nobody = project.end_user(project.enduser_role())
    for route in ADMIN:
        for api in (user, god, nobody):
            assert not probe(api, route, things), f"an end user on {route}"
    for route in DATA:
        assert probe(user, route, things) and probe(god, route, things)
        assert not probe(nobody, route, things), f"an end user without permissions on {route}"


@pytest.mark.parametrize(
    "held",
    [
        "data:Things:read",
        "data:Things:list",
        "data:Things:create",
        "data:Things:update",
        "data:Things:delete",
        "data:*:read",
        "data:Other:read",
    ],
)
def test_table_for_enduser_roles(project, things, held):
    user = project.end_user(project.enduser_role(held))
    for route in DATA:
        assert probe(user, route, things) == allows([held], route.permission.format(collection=things)), (
            f"{held}, {route}"
        )


@pytest.mark.parametrize("route", ADMIN + DATA, ids=str)
def test_every_route_needs_a_token(server, project, things, route):
    for token in (None, "x", "a.b.c", project.admin.token[:-2], "mb_sk_" + project.id + ".wrong"):
        response = Api(server, token, project.id).call(route.method, path_of(route, things), **harmless(route))
        refused(response, 401, "UNAUTHENTICATED")


# ---- granting


def test_nobody_grants_what_they_do_not_hold(server, project):
    role = project.role("roles:manage", "keys:manage", "users:manage", "data:posts:*")
    member = project.member(role, PlatformUser(server))
    ok(member.post("/admin/roles", {"name": unique("r"), "permissions": ["data:posts:read", "keys:read"]}), 201)
    for permissions in (["*"], ["data:*"], ["data:posts:read", "audit:read"], ["roles:*"], ["data:*:read"]):
        refused(member.post("/admin/roles", {"name": unique("r"), "permissions": permissions}), 403, "FORBIDDEN")
        refused(member.put(f"/admin/roles/{role}", {"permissions": permissions}), 403, "FORBIDDEN")
        refused(
            member.post("/admin/enduser-roles", {"name": unique("r"), "permissions": permissions}), 403, "FORBIDDEN"
        )
    for scopes in (["read"], ["write"], ["admin"], ["storage"]):
        refused(member.post("/admin/api-keys", {"name": "k", "scopes": scopes}), 403, "FORBIDDEN")
    key = project.api_key("admin")
    refused(member.post(f"/admin/api-keys/{key.id}/rotate"), 403, "FORBIDDEN")
    ok(key.get("/admin/collections"))


def test_role_of_a_member_is_a_grant_too(server, project):
    """An Admin may not assign permissions that only the Owner has; a lesser member may not extend a role of others."""
    admin_user, other = PlatformUser(server), PlatformUser(server)
    project.member("Admin", admin_user)
    refused(admin_user.post(f"/control/projects/{project.id}/members", {"email": other.email, "role": "Owner"}), 403)


def test_enduser_role_given_by_who_does_not_hold_it(server, project):
    mighty = project.enduser_role("data:*", "storage:*")
    member = project.member(project.role("users:manage"), PlatformUser(server))
    user = project.end_user()
    refused(member.patch(f"/admin/users/{user.id}", {"metadata": {"role": mighty}}), 403, "FORBIDDEN")
    ok(member.patch(f"/admin/users/{user.id}", {"name": "Other"}), 204)


def test_access_of_a_user_who_holds_more(server, project, admin):
    """A caller who sets the address of an account can take it over by a password reset."""
    strong = project.end_user(project.enduser_role("data:*:admin"))
    support = project.member(project.role("users:read", "users:manage"), PlatformUser(server))
    path = f"/admin/users/{strong.id}"
    before = ok(admin.get(path))["user"]
    for change in (
        {"email": f"{unique('mine')}@example.com"},
        {"emailVerified": not before["emailVerified"]},
        {"metadata": {}},
        {"metadata": {"role": "user"}},
        {"name": "Ann", "email": f"{unique('mine')}@example.com"},
    ):
        refused(support.patch(path, change), 403, "FORBIDDEN")
    for action in ("activate", "deactivate", "block", "reset-mfa"):
        refused(support.post(f"{path}/{action}"), 403, "FORBIDDEN")
    assert ok(admin.get(path))["user"] == before
    ok(strong.get("/auth/sessions"))
    # Fields that give no access to an account; and all fields of users with only the permissions of a registration.
    ok(support.patch(path, {"name": "Ann", "email": before["email"]}), 204)
    weak = f"/admin/users/{project.end_user().id}"
    ok(support.patch(weak, {"email": f"{unique('other')}@example.com", "emailVerified": True}), 204)
    for action in ("block", "deactivate", "activate", "reset-mfa"):
        ok(support.post(f"{weak}/{action}"), 204)


# ---- API keys


def test_key_that_outlives_the_key_that_makes_it(server, project, admin):
    def wire(seconds):
        return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")

    def make(api, until=None, scopes=("admin",)):
        body = {"name": unique("k"), "scopes": list(scopes)} | ({"expiresAt": until} if until else {})
        return api.post("/admin/api-keys", body)

    until = wire(600)
    made = ok(make(admin, until), 201)
    key = Api(server, made["key"])
    longer, endless = ok(make(admin, wire(1200), ["read"]), 201), project.api_key("read")
    refused(make(key), 403, "FORBIDDEN")
    refused(make(key, wire(1200)), 403, "FORBIDDEN")
    for other in (longer["apiKey"]["id"], endless.id):
        refused(key.post(f"/admin/api-keys/{other}/rotate"), 403, "FORBIDDEN")
    ok(endless.get(f"/{project.collection()}"))
    equal = ok(make(key, until), 201)["apiKey"]
    assert equal["expiresAt"] == made["apiKey"]["expiresAt"]
    ok(key.post(f"/admin/api-keys/{equal['id']}/rotate"))
    ok(project.api_key("admin").post(f"/admin/api-keys/{longer['apiKey']['id']}/rotate"))


def test_keys_that_are_none_are_refused_alike(server, owner, project):
    """A key does not show which projects exist, or existed."""
    deleted, suspended = owner.create_project(), owner.create_project()
    key_of_deleted = deleted.api_key("admin").token
    ok(suspended.api_key("admin").get("/admin/collections"))
    ok(owner.delete(f"/control/projects/{deleted.id}"), 204)
    ok(owner.post(f"/control/projects/{suspended.id}/suspend"), 204)
    secret = project.api_key("admin").token.partition(".")[2]
    wrong = "A" * len(secret)
    collection = project.collection()
    keys = [
        key_of_deleted,
        *(f"mb_sk_{id_}.{wrong}" for id_ in (project.id, deleted.id, suspended.id, "proj_" + "0" * 20)),
        f"mb_sk_{project.slug}.{secret}",
        f"mb_sk_proj_{secret}",
        f"mb_sk_{project.id}",
        f"mb_sk_{project.id}.",
        f"mb_sk_.{secret}",
        "mb_sk_",
    ]
    for path in (f"/{collection}", "/admin/collections", "/storage/things"):
        answers = [Api(server, key).get(path) for key in keys]
        assert {answer.status_code for answer in answers} == {401}
        assert len({answer.text for answer in answers}) == 1, [answer.text for answer in answers]
        assert len({answer.headers["www-authenticate"] for answer in answers}) == 1


def test_key_life(server, project, admin):
    collection = project.collection()
    made = ok(admin.post("/admin/api-keys", {"name": "Import", "scopes": ["read", "write"]}), 201)
    assert set(made) == {"apiKey", "key"}
    key = made["apiKey"]
    assert set(key) >= {"id", "name", "scopes", "createdAt"}
    assert set(key) <= {"id", "name", "scopes", "createdAt", "lastUsedAt", "expiresAt"}
    assert re.fullmatch(r"key_[0-9A-Za-z]{20}", key["id"])
    assert re.fullmatch(rf"mb_sk_{project.id}\.[A-Za-z0-9_-]{{20,}}", made["key"])
    listed = [item for item in ok(admin.get("/admin/api-keys"))["apiKeys"] if item["id"] == key["id"]]
    assert len(listed) == 1 and listed[0]["name"] == "Import" and listed[0]["scopes"] == ["read", "write"]
    assert made["key"] not in str(ok(admin.get("/admin/api-keys")))
    api = Api(server, made["key"])
    document = api.create(collection, {"a": 1})
    assert document["ownerId"] == key["id"]
    assert [item["id"] for item in api.list(collection)] == [document["id"]]

    response = admin.post(f"/admin/api-keys/{key['id']}/rotate")
    assert response.status_code in (200, 201)
    rotated = response.json()
    assert set(rotated) == {"apiKey", "key"} and rotated["apiKey"]["id"] == key["id"] and rotated["key"] != made["key"]
    refused(api.get(f"/{collection}"), 401, "UNAUTHENTICATED")
    ok(Api(server, rotated["key"]).get(f"/{collection}"))
    ok(admin.delete(f"/admin/api-keys/{key['id']}"), 204)
    refused(Api(server, rotated["key"]).get(f"/{collection}"), 401, "UNAUTHENTICATED")
    refused(admin.delete(f"/admin/api-keys/{key['id']}"), 404)
    refused(admin.post(f"/admin/api-keys/{key['id']}/rotate"), 404)


@pytest.mark.parametrize("scopes", [["everything"], ["read", "nothing"], [""], ["READ"], ["*"], ["data:*:read"]])
def test_key_scopes(admin, scopes):
    error = refused(admin.post("/admin/api-keys", {"name": "k", "scopes": scopes}), 400, "VALIDATION")
    assert any(detail["path"].startswith("/scopes") for detail in error["details"])


def test_key_that_expires(server, project, admin):
    collection = project.collection()
    until = datetime.now(timezone.utc) + timedelta(seconds=2)
    body = {"name": "k", "scopes": ["read"], "expiresAt": until.isoformat(timespec="milliseconds")}
    made = ok(admin.post("/admin/api-keys", body), 201)
    wire = until.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert made["apiKey"]["expiresAt"] == wire
    api = Api(server, made["key"])
    ok(api.get(f"/{collection}"))
    # Valid until `expiresAt` also in caches, and not longer.
    wait_until(lambda: api.get(f"/{collection}").status_code != 200, 20, interval=0.05)
    assert datetime.now(timezone.utc) >= until
    refused(api.get(f"/{collection}"), 401, "UNAUTHENTICATED")
    listed = {item["id"]: item for item in ok(admin.get("/admin/api-keys"))["apiKeys"]}
    assert listed[made["apiKey"]["id"]]["expiresAt"] == wire
    # A new secret does not make it valid again.
    renewed = admin.post(f"/admin/api-keys/{made['apiKey']['id']}/rotate").json()["key"]
    refused(Api(server, renewed).get(f"/{collection}"), 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("until", ["2001-01-01T00:00:00Z", "tomorrow", 5, "2030-13-01T00:00:00Z", ""])
def test_key_ends_that_are_none(admin, until):
    body = {"name": "k", "scopes": ["read"], "expiresAt": until}
    refused(admin.post("/admin/api-keys", body), 400, "VALIDATION", "/expiresAt")


def test_key_uses_are_noted_once_a_minute(project, admin):
    collection = project.collection()
    key = project.api_key("read")

    def used():
        return next(item for item in ok(admin.get("/admin/api-keys"))["apiKeys"] if item["id"] == key.id)["lastUsedAt"]

    assert used() is None
    ok(key.get(f"/{collection}"))
    first = wait_until(used, 10)
    for _ in range(50):
        ok(key.get(f"/{collection}"))
    # Once a minute on each core, not for each request.
    assert abs(datetime.fromisoformat(used()) - datetime.fromisoformat(first)) < timedelta(seconds=60)


def test_revoked_key_with_requests_under_way(server, project, admin):
    collection = project.collection()
    key = project.api_key("read")
    over = threading.Event()
    responses = []  # (the time of the request, the status)

    def send_requests():
        while not over.is_set():
            begun = time.monotonic()
            responses.append((begun, Api(server, key.token).get(f"/{collection}").status_code))

    def statuses(after: float) -> list[int]:
        return [status for begun, status in responses if begun > after]

    with ThreadPoolExecutor(4) as pool:
        senders = [pool.submit(send_requests) for _ in range(4)]
        try:
            wait_until(lambda: len(responses) >= 40)
            ok(admin.delete(f"/admin/api-keys/{key.id}"), 204)
            revoked = time.monotonic()
            wait_until(lambda: len(statuses(revoked)) >= 40)
        finally:
            over.set()
        for sender in senders:
            sender.result()
    assert set(statuses(0)) == {200, 401}
    assert set(statuses(revoked)) == {401}


def test_keys_of_another_project(server, owner, project):
    other = owner.create_project()
    key = project.api_key("admin")
    refused(key.get("/admin/collections", project=other.id), 400, "PROJECT_MISMATCH")
    moved = key.token.replace(project.id, other.id)
    refused(Api(server, moved).get("/admin/collections"), 401)
    refused(other.admin.delete(f"/admin/api-keys/{key.id}"), 404)
    ok(key.get("/admin/collections"))


def test_keys_are_compared_whole(server, project):
    key = project.api_key("read").token
    for wrong in (
        key[:-1],
        key + "x",
        key.upper(),
        key.replace(".", ""),
        key.replace("mb_sk_", ""),
        key.split(".")[0] + ".",
    ):
        assert Api(server, wrong).get("/admin/collections").status_code == 401


def test_policies_apply_to_keys(project):
    collection = project.collection(policy={**OPEN_POLICY, "delete": {"filter": {"ownerId": "$auth.uid"}}})
    mine, other = project.api_key("read", "write"), project.api_key("read", "write")
    document = mine.create(collection, {"a": 1})
    refused(other.delete(f"/{collection}/{document['id']}"), 404)
    ok(mine.delete(f"/{collection}/{document['id']}"), 204)
    closed = project.collection(policy=None)
    refused(mine.get(f"/{closed}"), 403, "FORBIDDEN")
    refused(project.api_key("admin").get(f"/{closed}"), 403, "FORBIDDEN")
