"""The claims of tokens that policies name: those of every token, and those of the project's setting tokenClaims."""

import jwt
import pytest

from support.client import OPEN_POLICY, ok, refused
from support.realtime import Live
from support.waiting import wait_until

TEAM = {"list": {"filter": {"team": "$auth.token.team"}}, "read": {"filter": {"team": "$auth.token.team"}}}
KNOWN = ["sub", "sid", "pid", "role", "iss", "aud", "iat", "exp", "email", "emailVerified", "name"]


@pytest.fixture
def project(owner):
    return owner.create_project()


@pytest.fixture
def admin(project):
    return project.admin


def patch_claims(project, *claims):
    return project.owner.patch(f"/control/projects/{project.id}", {"settings": {"tokenClaims": list(claims)}})


def set_claims(project, *claims):
    ok(patch_claims(project, *claims), 204)


def give(project, user, **metadata):
    ok(project.admin.patch(f"/admin/users/{user.id}", {"metadata": metadata}), 204)


def settings_of(project):
    return ok(project.owner.get(f"/control/projects/{project.id}"))["project"]["settings"]


# ---- at save


@pytest.mark.parametrize(
    "policy, pointer",
    [
        ({"read": {"filter": {"team": "$auth.token.team"}}}, "/read/filter/team"),
        ({"list": {"filter": {"$or": [{"a": 1}, {"b": {"$in": "$auth.token.teams"}}]}}}, "/list/filter/$or/1/b/$in"),
        ({"read": {"filter": {"a": "$auth.token.email.domain"}}}, "/read/filter/a"),
        ({"read": {"filter": {"a": "$auth.token.perms"}}}, "/read/filter/a"),
        ({"create": {"validate": "auth.token.team == document.team"}}, "/create/validate"),
        ({"update": {"validate": "has(auth.token.team)"}}, "/update/validate"),
        ({"admin": {"validate": "'team' in auth.token"}}, "/admin/validate"),
        ({"update": {"validate": "auth.token['team'] == 'x'"}}, "/update/validate"),
    ],
    ids=str,
)
@pytest.mark.parametrize("default", [False, True])
def test_an_unknown_claim_is_refused_naming_the_known(project, admin, policy, pointer, default):
    name = "*" if default else project.collection(policy=None)
    error = refused(admin.put(f"/admin/collections/{name}/policy", policy), 400, "VALIDATION", pointer)
    (detail,) = error["details"]
    assert all(claim in detail["message"] for claim in KNOWN)
    assert ok(admin.get(f"/admin/collections/{name}/policy"))["source"] == "default"


def test_known_claims_are_accepted(project, admin):
    name = project.collection(policy=None)
    filters = {f"f{index}": f"$auth.token.{claim}" for index, claim in enumerate(KNOWN)}
    expression = " && ".join(f"has(auth.token.{claim})" for claim in KNOWN)
    policy = {"read": {"filter": filters}, "create": {"validate": expression}}
    ok(admin.put(f"/admin/collections/{name}/policy", policy), 204)
    set_claims(project, "team")
    for claim in ("team", "team.id"):
        ok(admin.put(f"/admin/collections/{name}/policy", {"read": {"filter": {"a": f"$auth.token.{claim}"}}}), 204)


def test_the_times_of_the_token_are_claims(project):
    alice = project.end_user()
    claims = jwt.decode(alice.token, options={"verify_signature": False})
    expression = f"auth.token.iat == {claims['iat']} && auth.token.exp == {claims['exp']}"
    name = project.collection(policy={**OPEN_POLICY, "create": {"validate": expression}})
    alice.create(name, {})


# ---- the setting


@pytest.mark.parametrize(
    "claims, path",
    [
        (["sub"], "/settings/tokenClaims/0"),
        (["role"], "/settings/tokenClaims/0"),
        (["plan", "a.b"], "/settings/tokenClaims/1"),
        (["plan", "plan"], "/settings/tokenClaims/1"),
        ([""], "/settings/tokenClaims/0"),
        (["$x"], "/settings/tokenClaims/0"),
        (["x" * 65], "/settings/tokenClaims/0"),
        ([f"c{n}" for n in range(9)], "/settings/tokenClaims"),
        ([5], "/settings/tokenClaims/0"),
        ("plan", "/settings/tokenClaims"),
    ],
    ids=str,
)
def test_claims_that_cannot_be_set(project, claims, path):
    body = {"settings": {"tokenClaims": claims}}
    refused(project.owner.patch(f"/control/projects/{project.id}", body), 400, "VALIDATION", path)
    assert "tokenClaims" not in settings_of(project)


def test_the_setting_is_absent_until_it_is_set(project):
    assert "tokenClaims" not in settings_of(project) and "profileFields" not in settings_of(project)
    set_claims(project, *[f"c{n}" for n in range(8)])
    assert len(settings_of(project)["tokenClaims"]) == 8
    set_claims(project)
    assert "tokenClaims" not in settings_of(project)


def test_a_claim_is_the_value_in_metadata_and_live(project, admin):
    set_claims(project, "team", "level", "teams")
    name = project.collection(
        policy={
            **TEAM,
            "create": {"validate": "auth.token.level > 2"},
            "update": {"filter": {"team": {"$in": "$auth.token.teams"}}},
        }
    )
    for team in ("red", "blue"):
        ok(admin.post(f"/admin/collections/{name}/documents", {"id": team, "team": team}), 201)
    alice = project.end_user()
    refused(alice.get(f"/{name}"), 403, "FORBIDDEN")
    give(project, alice, team="red", level=3, teams=["blue"])
    assert [each["id"] for each in alice.list(name)] == ["red"]
    alice.create(name, {"team": "red"})
    ok(alice.patch(f"/{name}/blue", {"n": 1}), 204)
    refused(alice.patch(f"/{name}/red", {"n": 1}), 404, "NOT_FOUND")
    # The same token, with another value in the record.
    give(project, alice, team="blue", level=1, teams=[])
    assert [each["id"] for each in alice.list(name)] == ["blue"]
    refused(alice.post(f"/{name}", {"team": "blue"}), 403, "FORBIDDEN")
    refused(alice.patch(f"/{name}/blue", {"n": 2}), 403, "FORBIDDEN")
    # Keys and members have no claims.
    for other in (project.admin, project.api_key("read")):
        refused(other.get(f"/{name}"), 403, "FORBIDDEN")


@pytest.mark.parametrize("value", [None, "", {}, [], {"x": "red"}, ["red"]], ids=str)
def test_values_that_do_not_resolve_deny(project, admin, value):
    set_claims(project, "team")
    name = project.collection(policy=TEAM)
    alice = project.end_user()
    give(project, alice, team=value)
    refused(alice.get(f"/{name}"), 403, "FORBIDDEN")


def test_open_sockets_follow_a_changed_claim(server, project, admin):
    set_claims(project, "team")
    name = project.collection(policy=TEAM)
    path = f"/admin/collections/{name}/documents"
    alice = project.end_user()
    give(project, alice, team="red")
    with Live(server, alice.token) as live:
        live.follow(name)
        ok(admin.post(path, {"id": "r1", "team": "red"}), 201)
        assert live.event()["documentId"] == "r1"
        give(project, alice, team="blue")
        ok(admin.post(path, {"id": "r2", "team": "red"}), 201)
        ok(admin.post(path, {"id": "b1", "team": "blue"}), 201)
        assert live.event()["documentId"] == "b1"


def test_a_claim_in_use_is_not_removed(project, admin):
    set_claims(project, "team", "plan")
    name = project.collection(policy=TEAM)
    answer = patch_claims(project, "plan")
    error = refused(answer, 409, "CONFLICT", "/settings/tokenClaims")
    assert name in error["message"] and '"team"' in error["message"]
    assert settings_of(project)["tokenClaims"] == ["plan", "team"]
    set_claims(project, "team")
    ok(admin.put(f"/admin/collections/{name}/policy", OPEN_POLICY), 204)
    ok(admin.put("/admin/collections/*/policy", {"read": TEAM["read"]}), 204)
    refused(patch_claims(project), 409, "CONFLICT")
    ok(admin.delete("/admin/collections/*/policy"), 204)
    set_claims(project)
    # Whoever may not change settings is told so, not what uses the claim.
    viewer = project.member("Viewer").user
    refused(viewer.patch(f"/control/projects/{project.id}", {"settings": {"tokenClaims": []}}), 403, "FORBIDDEN")


# ---- in the configuration


def importing(api, **sections):
    return ok(api.post("/admin/config-import", {"formatVersion": 1, **sections}))


def test_policies_and_settings_come_together(owner, project, admin):
    posts = {"name": "posts", "policy": TEAM}
    sections = {"collections": [posts], "settings": {"tokenClaims": ["team"], "profileFields": ["name"]}}
    body = {"formatVersion": 1, "collections": [posts]}
    pointer = "/collections/0/policy/list/filter/team"
    refused(admin.post("/admin/config-import", body), 400, "VALIDATION", pointer)
    done = importing(admin, **sections)
    assert done["plan"]["summary"]["create"] == 3
    exported = ok(admin.get("/admin/config-export"))
    assert exported["settings"] == {"profileFields": ["name"], "tokenClaims": ["team"]}
    assert importing(admin, **sections)["plan"]["summary"] == {"create": 0, "update": 0, "unchanged": 3}
    # Removed while the policy stays: a problem; together with the policy: applied.
    body = {"formatVersion": 1, "settings": {"tokenClaims": []}}
    refused(admin.post("/admin/config-import", body), 400, "VALIDATION", "/settings/tokenClaims")
    importing(admin, collections=[{"name": "posts", "policy": OPEN_POLICY}], settings={"tokenClaims": []})
    assert ok(admin.get("/admin/config-export"))["settings"] == {"profileFields": ["name"]}
    entries = ok(admin.get("/admin/audit", params={"action": "project.changed"}))["entries"]
    assert entries and entries[0]["target"] == f"projects/{project.id}"


def test_settings_need_their_permission(project):
    body = {"formatVersion": 1, "settings": {"tokenClaims": ["plan"]}}
    for held in (["config:manage"], ["config:manage", "auth:config:read", "policies:manage"]):
        refused(project.member(project.role(*held)).post("/admin/config-import", body), 403, "FORBIDDEN")
    member = project.member(project.role("config:manage", "auth:config:write"))
    ok(member.post("/admin/config-import", body))
    assert settings_of(project)["tokenClaims"] == ["plan"]


def test_other_settings_stay_with_the_project(project, admin):
    ok(project.owner.patch(f"/control/projects/{project.id}", {"settings": {"hideRegistered": True}}), 204)
    assert "settings" not in ok(admin.get("/admin/config-export"))
    body = {"formatVersion": 1, "settings": {"hideRegistered": False}}
    refused(admin.post("/admin/config-import", body), 400, "VALIDATION", "/settings/hideRegistered")


def test_environments_and_promotions_carry_them(owner, project, admin):
    importing(admin, collections=[{"name": "posts", "policy": TEAM}], settings={"tokenClaims": ["team"]})
    made = ok(owner.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)["project"]
    staging = owner.exchange(made["id"])

    def copied():
        return ok(staging.get("/admin/config-export")).get("settings")

    assert wait_until(copied, 20, "the environment has no settings") == {"tokenClaims": ["team"]}
    importing(staging, settings={"tokenClaims": ["team", "plan"], "profileFields": ["name"]})
    promotion = {"fromProjectId": made["id"], "toProjectId": project.id}
    ok(owner.post("/control/environments/promote", promotion))
    assert ok(admin.get("/admin/config-export"))["settings"] == {
        "profileFields": ["name"],
        "tokenClaims": ["plan", "team"],
    }


def test_rules_of_buckets_name_claims_too(project, admin):
    rules = {"read": {"filter": {"path": "$auth.token.folder"}}}
    set_claims(project)
    refused(admin.post("/admin/storage/buckets", {"name": "claimed", "rules": rules}), 400, "VALIDATION", "/rules/read/filter/path")
    set_claims(project, "folder")
    ok(admin.post("/admin/storage/buckets", {"name": "claimed", "rules": rules}), 201)
    assert "claimed" in refused(patch_claims(project), 409, "CONFLICT", "/settings/tokenClaims")["message"]
    ok(admin.patch("/admin/storage/buckets/claimed", {"rules": None}), 204)
    set_claims(project)
