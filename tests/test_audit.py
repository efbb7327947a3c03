"""The audit log: its entries, who may read it, and that anonymous requests cannot fill it."""

import re
import time

import pyotp
import pytest

from support.client import PASSWORD, Api, PlatformUser, fresh_address, ok, refused, unique
from support.waiting import wait_until

ENTRY = {"id", "at", "action", "actor", "target", "ip", "requestId", "details"}
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


def entries(admin: Api, **params) -> list[dict]:
    found = ok(admin.get("/admin/audit", params=params))
    assert set(found) == {"entries"}
    return found["entries"]


def newest(admin: Api, action: str, **params) -> dict:
    found = entries(admin, action=action, **params)
    assert found, f"no entry {action}; there are {[each['action'] for each in entries(admin, limit=200)]}"
    return found[0]


@pytest.fixture
def fresh(owner):
    """A project of this test's own."""
    return owner.create_project()


def test_fields_and_order(fresh):
    user = fresh.end_user()
    ok(fresh.admin.post(f"/admin/users/{user.id}/block"), 204)
    found = entries(fresh.admin)
    assert [each["at"] for each in found] == sorted((each["at"] for each in found), reverse=True)
    for each in found:
        assert set(each) == ENTRY and TIME.match(each["at"]) and each["id"].startswith("aud_")
        assert set(each["actor"]) <= {"kind", "id", "email"} and each["requestId"]
    block = found[0]
    assert block["action"] == "user.block" and block["target"] == f"users/{user.id}"
    assert block["actor"] == {"kind": "member", "id": fresh.owner.id, "email": fresh.owner.email}
    assert found[-1]["action"] == "project.created"


def test_filters(fresh):
    ann, ben = fresh.end_user(), fresh.end_user()
    for user in (ann, ben):
        ok(fresh.admin.post(f"/admin/users/{user.id}/block"), 204)
        ok(fresh.admin.post(f"/admin/users/{user.id}/activate"), 204)
    admin = fresh.admin
    assert {each["action"] for each in entries(admin, action="user.*")} == {"user.block", "user.activate"}
    assert [each["target"] for each in entries(admin, action="user.block")] == [f"users/{u.id}" for u in (ben, ann)]
    assert entries(admin, action="user") == [] == entries(admin, action="use.*")
    assert {each["action"] for each in entries(admin, target=f"users/{ann.id}")} == {
        "login.succeeded",
        "user.block",
        "user.activate",
    }
    assert {each["actor"]["id"] for each in entries(admin, actor=fresh.owner.id)} == {fresh.owner.id}
    assert entries(admin, actor=ann.id)[0]["action"] == "login.succeeded"
    every = entries(admin)
    assert entries(admin, limit=2) == every[:2] and entries(admin, limit=2, skip=2) == every[2:4]
    assert entries(admin, limit=0) == [] and entries(admin, skip=10_000) == []
    middle = every[2]["at"]
    assert entries(admin, **{"from": middle}) == [each for each in every if each["at"] >= middle]
    assert entries(admin, to=middle) == [each for each in every if each["at"] <= middle]
    assert entries(admin, to="2020-01-01T00:00:00Z") == []
    assert entries(admin, **{"from": middle, "to": middle, "action": every[2]["action"]})[0]["at"] == middle


@pytest.mark.parametrize(
    "params",
    [
        {"limit": "-1"},
        {"limit": ""},
        {"limit": "ten"},
        {"skip": "1.5"},
        {"from": "yesterday"},
        {"from": ""},
        {"to": "2026-13-01T00:00:00Z"},
        {"to": "1700000000000"},
        {"action": ""},
        {"action": ".*"},
        {"action": "a" * 300},
        {"actor": ""},
        {"target": "x" * 300},
        {"target": "a\0b"},
    ],
    ids=str,
)
def test_bad_parameters(admin, params):
    refused(admin.get("/admin/audit", params=params), 400, "INVALID_PARAM")


def test_odd_parameters_find_nothing(admin):
    for params in ({"action": "$ne"}, {"actor": '{"$gt":""}'}, {"target": "../.."}, {"action": "user.block.*"}):
        assert entries(admin, **params) == []
    assert len(entries(admin, limit=10**9)) <= 200


def test_who_reads(server, fresh):
    assert fresh.public().get("/admin/audit").status_code == 401
    assert fresh.end_user().get("/admin/audit").status_code == 403
    assert fresh.member(fresh.role("users:*")).get("/admin/audit").status_code == 403
    assert fresh.api_key("read", "write").get("/admin/audit").status_code == 403
    for api in (fresh.member(fresh.role("audit:read")), fresh.api_key("admin"), fresh.member("Admin")):
        assert entries(api)
    # The entries of another project are not visible.
    other = PlatformUser(server).create_project()
    assert entries(other.admin, target=f"projects/{fresh.id}") == []


# ---- recorded actions


def test_sign_ins(fresh):
    user = fresh.end_user()
    admin = fresh.admin
    login = newest(admin, "login.succeeded", actor=user.id)
    assert login["actor"]["kind"] == "user" and login["target"] == f"users/{user.id}"
    assert login["details"]["method"] == "password" and login["details"]["session"].startswith("sess_")
    where = fresh_address()
    known = {"email": user.email, "password": "not the password"}
    unknown = {"email": f"{unique('nobody')}@example.com", "password": "not the password"}
    for body in (known, unknown):
        response = fresh.public().post("/auth/login", body, address=where)
        refused(response, 401, "INVALID_CREDENTIALS")
        failed = newest(admin, "login.failed")
        assert failed["details"] == {"method": "password", "reason": "credentials", "email": body["email"]}
        assert failed["actor"] == {"kind": "anonymous", "id": ""} and failed["target"] == "users"
        assert failed["ip"] == where and failed["requestId"] == response.headers["x-request-id"]
    ok(admin.post(f"/admin/users/{user.id}/block"), 204)
    refused(fresh.public().post("/auth/login", {"email": user.email, "password": PASSWORD}), 403, "USER_BLOCKED")
    assert newest(admin, "login.failed")["details"]["reason"] == "blocked"
    assert all(PASSWORD not in str(each) and "not the password" not in str(each) for each in entries(admin, limit=200))


def test_second_factors(fresh):
    user, admin = fresh.end_user(), fresh.admin
    app = pyotp.TOTP(ok(user.post("/auth/mfa/totp/enroll"))["secret"])
    recovery = ok(user.post("/auth/mfa/totp/activate", {"code": app.at(time.time() - 30)}))["recoveryCodes"]
    assert newest(admin, "mfa.activate")["actor"] == {"kind": "user", "id": user.id, "email": user.email}

    def second(code):
        token = ok(fresh.public().post("/auth/login", {"email": user.email, "password": PASSWORD}))["mfaToken"]
        return fresh.public().post("/auth/mfa/verify", {"mfaToken": token, "code": code})

    before = len(entries(admin, action="login.succeeded"))
    refused(second("not one"), 401, "INVALID_CREDENTIALS")
    failed = newest(admin, "login.failed")
    assert failed["details"] == {"method": "mfa", "reason": "code"}
    assert failed["actor"] == {"kind": "user", "id": user.id} and failed["target"] == f"users/{user.id}"
    ok(second(recovery[0]))
    assert newest(admin, "login.succeeded")["details"]["method"] == "mfa"
    # The first factor alone is not a sign-in.
    assert len(entries(admin, action="login.succeeded")) == before + 1
    assert newest(admin, "mfa.recovery_used")["target"] == f"users/{user.id}"
    ok(admin.post(f"/admin/users/{user.id}/reset-mfa"), 204)
    assert newest(admin, "mfa.reset")["actor"]["kind"] == "member"
    assert all(code not in str(entries(admin, limit=200)) for code in recovery)


def test_addresses_are_cut(fresh):
    body = {"email": "ü" * 5000 + "@example.com", "password": "not the password"}
    assert fresh.public().post("/auth/login", body).status_code == 401
    assert newest(fresh.admin, "login.failed")["details"]["email"] == "ü" * 254


def test_failed_sign_ins_do_not_fill_the_disk(fresh):
    for number in range(80):
        body = {"email": f"stranger{number}@example.com", "password": "not the password"}
        assert fresh.public().post("/auth/login", body).status_code == 401
    taken = len(entries(fresh.admin, action="login.failed", limit=200))
    # 60 at once, then one in six seconds.
    assert 60 <= taken < 80

    def another_is_recorded() -> bool:
        fresh.public().post("/auth/login", {"email": "late@example.com", "password": "not the password"})
        return len(entries(fresh.admin, action="login.failed", limit=200)) > taken

    wait_until(another_is_recorded, interval=0.5)
    assert newest(fresh.admin, "login.failed")["details"]["omitted"] > 0


def test_sessions(fresh):
    user = fresh.end_user()
    admin = fresh.admin
    one, two = user.login(), user.login()
    other = Api(fresh.server, one["accessToken"])
    sessions = [each for each in ok(user.get("/auth/sessions"))["sessions"] if not each["current"]]
    ok(user.delete(f"/auth/sessions/{sessions[0]['id']}"), 204)
    revoked = newest(admin, "session.revoked")
    assert revoked["details"] == {"session": sessions[0]["id"]} and revoked["actor"] == {"kind": "user", "id": user.id}
    ok(user.delete("/auth/sessions"), 204)
    assert newest(admin, "session.revokedAll")["details"] == {"sessions": 1}
    assert other.get("/auth/sessions").status_code == 401
    ok(fresh.public().post("/auth/logout", {"refreshToken": two["refreshToken"]}), 204)
    ended = newest(admin, "session.ended")
    assert ended["target"] == f"users/{user.id}"
    # A call that changes nothing has no entry.
    ok(fresh.public().post("/auth/logout", {"refreshToken": two["refreshToken"]}), 204)
    assert len(entries(admin, action="session.ended")) == 1


def test_users_roles_and_keys(fresh):
    admin = fresh.admin
    made = ok(admin.post("/admin/users", {"email": f"{unique()}@example.com", "password": PASSWORD}), 201)["user"]
    assert newest(admin, "user.created")["target"] == f"users/{made['id']}"
    role = fresh.enduser_role("data:*:read", name="reader")
    created = newest(admin, "role.created")
    assert created["target"] == "enduser-roles/reader" and created["details"] == {"permissions": ["data:*:read"]}
    ok(admin.patch(f"/admin/users/{made['id']}", {"name": "Ann", "metadata": {"role": role}}), 204)
    assert newest(admin, "user.changed")["details"] == {"fields": ["name", "metadata"], "role": "reader"}
    refused(admin.delete(f"/admin/enduser-roles/{role}"), 409)
    assert entries(admin, action="role.deleted") == []
    fresh.role("audit:read", name="auditor")
    ok(admin.put("/admin/roles/auditor", {"permissions": ["users:read"]}), 204)
    assert newest(admin, "role.changed")["details"] == {"permissions": ["users:read"]}
    ok(admin.delete("/admin/roles/auditor"), 204)
    assert newest(admin, "role.deleted")["target"] == "roles/auditor"
    key = ok(admin.post("/admin/api-keys", {"name": "ci", "scopes": ["read"]}), 201)
    assert newest(admin, "key.created")["details"] == {"name": "ci", "scopes": ["read"]}
    raw = [key["key"], ok(admin.post(f"/admin/api-keys/{key['apiKey']['id']}/rotate"))["key"]]
    ok(admin.delete(f"/admin/api-keys/{key['apiKey']['id']}"), 204)
    for action in ("key.created", "key.rotated", "key.revoked"):
        assert newest(admin, action)["target"] == f"api-keys/{key['apiKey']['id']}"
    assert all(secret.split(".")[1] not in str(entries(admin, limit=200)) for secret in raw)


def test_configuration(fresh):
    admin = fresh.admin
    name = fresh.collection(schema={"type": "object"}, indexes=[{"keys": {"n": 1}}])
    ok(admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": ["https://app.example.com"]}), 204)
    ok(fresh.owner.patch(f"/control/projects/{fresh.id}", {"settings": {"hideRegistered": True}}), 204)
    ok(fresh.owner.post(f"/control/projects/{fresh.id}/suspend"), 204)
    ok(fresh.owner.post(f"/control/projects/{fresh.id}/resume"), 204)
    member = PlatformUser(fresh.server)
    body = {"email": member.email, "role": "Viewer"}
    added = ok(fresh.owner.post(f"/control/projects/{fresh.id}/members", body), 201)
    ok(fresh.owner.patch(f"/control/projects/{fresh.id}/members/{added['member']['userId']}", {"role": "Editor"}), 204)
    ok(fresh.owner.delete(f"/control/projects/{fresh.id}/members/{added['member']['userId']}"), 204)
    fresh.owner.post(f"/control/projects/{fresh.id}/members", {"email": f"{unique()}@example.com", "role": "Viewer"})
    ok(admin.delete(f"/admin/collections/{name}"), 204)
    recorded = {each["action"] for each in entries(admin, limit=200)}
    assert {
        "collection.create",
        "collection.delete",
        "schema.set",
        "policy.set",
        "index.create",
        "oauth.redirects",
        "project.created",
        "project.changed",
        "project.suspended",
        "project.resumed",
        "member.added",
        "member.changed",
        "member.removed",
        "member.invited",
    } <= recorded


# ---- the instance


def test_control_plane(make_server):
    server = make_server({"SERVICE_OPERATORS": "on"}).start()
    boss, other = PlatformUser(server), PlatformUser(server)
    refused(other.post("/control/auth/login", {"email": boss.email, "password": "wrong"}, token=None), 401)
    refused(other.get("/control/audit"), 403)
    assert Api(server).get("/control/audit").status_code == 401
    found = ok(boss.get("/control/audit"))["entries"]
    assert [each["action"] for each in found] == ["login.failed", "login.succeeded", "login.succeeded"]
    assert found[1]["actor"] == {"kind": "platform", "id": other.id}
    assert ok(boss.get("/control/audit", params={"actor": boss.id}))["entries"] == found[2:]
    refused(boss.get("/control/audit", params={"limit": "x"}), 400, "INVALID_PARAM")


def test_without_operators_there_is_none(owner):
    refused(owner.get("/control/audit"), 404, "NOT_FOUND")


def test_switched_off(make_server):
    server = make_server({"SERVICE_AUDIT": "off", "SERVICE_OPERATORS": "on"}).start()
    boss = PlatformUser(server)
    project = boss.create_project()
    refused(project.admin.get("/admin/audit"), 404, "NOT_FOUND")
    refused(boss.get("/control/audit"), 404, "NOT_FOUND")
