"""A project's configuration as one document: export, plan, import."""

import json

import pytest

from support.project_configurations import FILE_RULES, FRIENDS, PEOPLE, SETTINGS, VARIABLES, VECTORS, WEBHOOK
from support.project_configurations import export_text, make, summary
from support.client import ok, refused, unique

TOP = ["formatVersion", "exportedAt", "serverVersion", "project", "variables", "collections", "policySets", "roles"]
TOP += ["enduserRoles", "functions", "integrations", "webhooks", "vectors", "buckets", "oauth", "settings"]


@pytest.fixture(scope="module")
def configured(owner):
    project = owner.create_project("Shaped")
    make(project, 1)
    return project


@pytest.fixture
def fresh(owner):
    return owner.create_project()


def importing(api, document, status=200, **params):
    return ok(api.post("/admin/config-import", document, params=params), status)


def test_an_export_is_the_whole_configuration_and_nothing_else(configured):
    response = configured.admin.get("/admin/config-export")
    exported = ok(response)
    assert list(exported) == TOP
    assert exported["formatVersion"] == 1 and exported["project"] == {"name": "Shaped"}
    assert exported["serverVersion"] == ok(configured.admin.get("/health"))["version"]
    assert [each["name"] for each in exported["collections"]] == ["*", "Bare", "line-items", "people", "posts"]
    assert exported["collections"][1] == {"name": "Bare", "indexes": []}
    posts = exported["collections"][4]
    assert list(posts) == ["name", "schema", "policy", "indexes"]
    assert posts["indexes"] == [
        {"name": "fresh", "keys": {"at": 1}, "expireAfterSeconds": 60},
        {"name": "title_1", "keys": {"title": 1}, "unique": True},
    ]
    assert exported["roles"] == [
        {"name": "Auditor", "permissions": []},
        {"name": "Writer", "permissions": ["audit:read", "data:posts:*"]},
    ]
    assert exported["oauth"] == {
        "providers": [
            {"provider": "github", "clientId": "gh", "enabled": False},
            {"provider": "google", "clientId": "abc", "enabled": True},
        ],
        "allowedRedirects": ["https://a.example", "https://b.example"],
    }
    assert exported["buckets"] == [
        {"name": "Archive", "access": "private", "rules": FILE_RULES},
        {"name": "photos", "access": "public"},
    ]
    assert exported["policySets"] == [FRIENDS] and exported["collections"][3]["policy"] == PEOPLE
    assert exported["variables"] == VARIABLES and exported["settings"] == SETTINGS
    assert exported["webhooks"] == [WEBHOOK] and list(exported["webhooks"][0]) == list(WEBHOOK)
    assert exported["vectors"] == [VECTORS]
    assert "very-secret" not in response.text and "whsec_" not in response.text


def test_one_configuration_is_one_text_however_it_came_to_be(owner, configured, fresh):
    for seed in (2, 3):
        other = owner.create_project()
        make(other, seed)
        assert export_text(other.admin) == export_text(configured.admin)
    done = importing(fresh.admin, ok(configured.admin.get("/admin/config-export")))
    assert done["applied"] is True and summary(done)[1:] == (0, 0)
    assert export_text(fresh.admin) == export_text(configured.admin)
    again = importing(fresh.admin, ok(configured.admin.get("/admin/config-export")))
    assert summary(again)[:2] == (0, 0)
    assert all(change["before"] == change["after"] for change in again["plan"]["changes"])


def test_a_dry_run_changes_nothing(configured, fresh):
    before = export_text(fresh.admin)
    entries = ok(fresh.admin.get("/admin/audit"))
    planned = importing(fresh.admin, ok(configured.admin.get("/admin/config-export")), dryRun="1")
    assert set(planned) == {"plan", "problems"} and summary(planned)[0] == 20
    for change in planned["plan"]["changes"]:
        assert list(change) == ["section", "name", "action", "before", "after"]
        assert change["before"] is None and change["after"]
    assert export_text(fresh.admin) == before
    assert ok(fresh.admin.get("/admin/audit")) == entries
    refused(fresh.admin.post("/admin/config-import", {}, params={"dryRun": "yes"}), 400, "INVALID_PARAM")


def test_what_was_imported_is_in_force(fresh):
    importing(
        fresh.admin,
        {
            "formatVersion": 1,
            "collections": [
                {
                    "name": "notes",
                    "schema": {"type": "object", "required": ["text"]},
                    "policy": {operation: {} for operation in ("read", "list", "create")},
                    "indexes": [{"keys": {"text": 1}, "unique": True}],
                }
            ],
            "enduserRoles": [{"name": "Mute", "permissions": ["data:notes:list"]}],
        },
    )
    user, mute = fresh.end_user(), fresh.end_user("Mute")
    user.create("notes", {"text": "a"})
    refused(user.post("/notes", {}), 400, "VALIDATION")
    refused(user.post("/notes", {"text": "a"}), 409, "CONFLICT")
    refused(mute.post("/notes", {"text": "b"}), 403, "FORBIDDEN")
    assert len(mute.list("notes")) == 1


def test_an_import_is_on_record_beside_what_it_did(fresh):
    importing(
        fresh.admin,
        {"formatVersion": 1, "collections": [{"name": "c", "policy": {}}], "roles": [{"name": "R", "permissions": []}]},
    )
    found = ok(fresh.admin.get("/admin/audit"))["entries"]
    assert [each["action"] for each in found][:4] == ["role.created", "policy.set", "collection.create", "config.import"]
    assert found[3]["target"] == "config" and found[3]["details"] == {"create": 2, "update": 0, "unchanged": 0}
    assert len({each["requestId"] for each in found[:4]}) == 1


def test_every_problem_is_reported_and_nothing_changes(fresh):
    before = export_text(fresh.admin)
    document = {
        "formatVersion": 1,
        "color": "red",
        "collections": [{"name": "good"}, {"name": "auth"}, {"name": "x", "schema": {"type": "thing"}}],
        "roles": [{"name": "viewer", "permissions": []}],
        "oauth": {"providers": [{"provider": "google", "clientId": "a", "enabled": True, "clientSecret": "s"}]},
        "buckets": [{"name": "b", "access": "open"}],
        "vectors": [{"collection": "good"}],
    }
    for params in ({}, {"dryRun": "1"}):
        error = refused(fresh.admin.post("/admin/config-import", document, params=params), 400, "VALIDATION")
        assert {detail["path"] for detail in error["details"]} == {
            "/color",
            "/collections/1/name",
            "/collections/2/schema/type",
            "/roles/0/name",
            "/oauth/providers/0/clientSecret",
            "/buckets/0/access",
            "/vectors/0/fields",
        }
    assert export_text(fresh.admin) == before
    for body in ("[]", "5", "", '{"formatVersion": 1, "formatVersion": 1}', '{"formatVersion": 1e999}'):
        answer = fresh.admin.post("/admin/config-import", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, body


def test_a_failure_on_the_way_names_the_thing_and_the_next_import_goes_on(fresh):
    admin = fresh.admin
    name = fresh.collection()
    for _ in range(2):
        ok(admin.post(f"/admin/collections/{name}/documents", {"same": 1}), 201)
    document = {
        "formatVersion": 1,
        "collections": [
            {"name": "first", "policy": {"read": {}}},
            {"name": name, "indexes": [{"keys": {"same": 1}, "unique": True}]},
        ],
        "roles": [{"name": "Later", "permissions": []}],
    }
    error = refused(admin.post("/admin/config-import", document), 409, "CONFLICT")
    assert f"collections/{name}" in error["message"]
    assert ok(admin.get("/admin/collections/first/policy"))["source"] == "own"
    refused(admin.get("/admin/roles/Later"), 404)
    found = ok(admin.get(f"/admin/collections/{name}/documents"))["documents"]
    ok(admin.delete(f"/admin/collections/{name}/documents/{found[0]['id']}"), 204)
    assert summary(importing(admin, document)) == (1, 1, 1)
    assert summary(importing(admin, document)) == (0, 0, 3)


def test_large_documents(fresh):
    many = {"formatVersion": 1, "roles": [{"name": f"r{i}", "permissions": ["audit:read"] * 99} for i in range(5000)]}
    assert len(json.dumps(many)) > 5 << 20
    refused(fresh.admin.post("/admin/config-import", many), 400, "VALIDATION", "/roles")
    too_much = '{"formatVersion": 1, "x": "' + "y" * (16 << 20) + '"}'
    answer = fresh.admin.post("/admin/config-import", content=too_much, headers={"content-type": "application/json"})
    refused(answer, 413, "PAYLOAD_TOO_LARGE")


# ---- permissions

NEEDED = {
    "collections": ({"collections": [{"name": "new"}]}, ["collections:manage"]),
    "policies": ({"collections": [{"name": "*", "policy": {}}]}, ["policies:manage"]),
    "roles": ({"roles": [{"name": "R", "permissions": ["audit:read"]}]}, ["roles:manage", "audit:read"]),
    "enduserRoles": ({"enduserRoles": [{"name": "R", "permissions": []}]}, ["roles:manage"]),
    "oauth": (
        {"oauth": {"allowedRedirects": ["https://x.example"]}},
        ["auth:config:read", "auth:config:write"],
    ),
    "settings": ({"settings": {"profileFields": ["name"]}}, ["auth:config:write"]),
}


@pytest.mark.parametrize("what", NEEDED)
def test_each_change_takes_its_own_permission(owner, what):
    project = owner.create_project()
    sections, needed = NEEDED[what]
    document = {"formatVersion": 1, **sections}
    for left_out in needed:
        role = project.role("config:manage", *[each for each in needed if each != left_out])
        member = project.member(role)
        before = export_text(project.admin)
        for params in ({}, {"dryRun": "1"}):
            refused(member.post("/admin/config-import", document, params=params), 403, "FORBIDDEN")
        assert export_text(project.admin) == before
    member = project.member(project.role("config:manage", *needed))
    assert summary(importing(member, document))[0] == 1


def test_who_may_export_and_import_at_all(owner):
    project = owner.create_project()
    body = {"formatVersion": 1}
    for allowed in (project.admin, project.member("Admin"), project.api_key("admin")):
        ok(allowed.get("/admin/config-export"))
        ok(allowed.post("/admin/config-import", body))
    outsiders = [project.member(role) for role in ("Editor", "Viewer", project.role("roles:manage", name=unique("r")))]
    outsiders += [project.api_key("read", "write", "storage", "functions"), project.end_user()]
    for other in outsiders:
        refused(other.get("/admin/config-export"), 403, "FORBIDDEN")
        refused(other.post("/admin/config-import", body), 403, "FORBIDDEN")
    refused(project.public().get("/admin/config-export"), 401, "UNAUTHENTICATED")
    refused(project.public().post("/admin/config-import", body), 401, "UNAUTHENTICATED")


# ---- environments


def test_an_environment_gets_the_configuration_and_a_promotion_brings_changes_back(owner):
    parent = owner.create_project("Parent")
    make(parent, 4)
    made = ok(owner.post(f"/control/projects/{parent.id}/environments", {"environment": "staging"}), 201)["project"]
    message = "variables have no value here until they are set: STOCK_KEY, STOCK_URL"
    assert made["warnings"] == [{"code": "not-copied", "message": message}]
    staging = owner.exchange(made["id"])
    assert export_text(staging) == export_text(parent.admin)
    google = ok(staging.get("/admin/auth/oauth"))["providers"][1]
    assert google["provider"] == "google" and google["clientSecret"] == {"configured": False}

    ok(staging.post("/admin/collections", {"name": "added"}), 201)
    ok(staging.delete("/admin/collections/Bare"), 204)
    ok(staging.put("/admin/roles/Auditor", {"permissions": ["audit:read"]}), 204)
    body = {"fromProjectId": made["id"], "toProjectId": parent.id}
    before = export_text(parent.admin)
    planned = ok(owner.post("/control/environments/promote", body, params={"dryRun": "1"}))
    assert export_text(parent.admin) == before
    changed = {c["name"]: c for c in planned["plan"]["changes"] if c["action"] != "unchanged"}
    assert set(changed) == {"added", "Auditor"} and "Bare" not in str(planned)
    assert changed["Auditor"]["before"]["permissions"] == [] and changed["Auditor"]["action"] == "update"
    done = ok(owner.post("/control/environments/promote", body))
    assert done["applied"] is True and done["plan"] == planned["plan"]
    names = ok(parent.admin.get("/admin/collections"))["collections"]
    assert "added" in names and "Bare" in names
    google = ok(parent.admin.get("/admin/auth/oauth"))["providers"][1]
    assert google["clientSecret"] == {"configured": True}


def test_an_import_applies_only_the_plan_that_was_seen(project):
    document = {"formatVersion": 1, "roles": [{"name": "Writer", "permissions": ["data:posts:*"]}]}
    def digest() -> str:
        return project.admin.post("/admin/config-import", document, params={"dryRun": "1"}).headers["plan-digest"]

    seen = digest()
    project.role("data:posts:read", name="Writer")
    error = refused(project.admin.post("/admin/config-import", document, params={"plan": seen}), 409, "CONFLICT")
    assert "plan it again" in error["message"]
    standing = next(each for each in ok(project.admin.get("/admin/roles"))["roles"] if each["name"] == "Writer")
    assert standing["permissions"] == ["data:posts:read"]
    now = digest()
    assert now != seen and importing(project.admin, document, plan=now)["applied"] is True
    refused(project.admin.post("/admin/config-import", document, params={"plan": now}), 409, "CONFLICT")
