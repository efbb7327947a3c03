"""Integrations as part of a project's configuration: export, import, environments, promotion, bundles; and their
backups."""

import pytest

from support.client import PlatformUser, ok, refused
from support.commands import done, run
from support.person import Folder, Person

TESTS = [{"name": "t", "op": "get", "args": {"path": "/"}, "stub": {"status": 200}, "expect": {"status": 200}}]
ENTRIES = [
    {
        "name": "api",
        "provider": "http",
        "config": {"baseUrl": "https://api.example.com/v1", "headers": {"a": "1", "x-team": "shop"}},
        "enabled": False,
        "tests": TESTS,
    },
    {"name": "bot", "provider": "bot", "config": {"platform": "slack"}, "enabled": True, "tests": []},
]
SECRETS = {"api": {"authorization": "Bearer secret-of-the-api"}, "bot": {"token": "secret-of-the-bot"}}


def make(admin):
    for entry in reversed(ENTRIES):
        body = {key: value for key, value in entry.items() if key != "tests"}
        ok(admin.post("/admin/integrations", {**body, "secrets": SECRETS[entry["name"]]}), 201)
        ok(admin.patch(f"/admin/integrations/{entry['name']}/tests", {"tests": entry["tests"]}), 204)


def exported(admin) -> dict:
    return ok(admin.get("/admin/config-export"))


def importing(admin, *entries, status=200, **params):
    document = {"formatVersion": 1, "integrations": list(entries)}
    return ok(admin.post("/admin/config-import", document, params=params), status)


def configured(admin) -> set:
    return {
        (each["name"], name)
        for each in ok(admin.get("/admin/integrations"))["integrations"]
        for name, state in each["secrets"].items()
        if state["configured"]
    }


@pytest.fixture
def source(owner):
    project = owner.create_project()
    make(project.admin)
    return project


@pytest.fixture
def fresh(owner):
    return owner.create_project()


def test_an_export_holds_what_is_no_secret_by_name(source):
    answer = source.admin.get("/admin/config-export")
    assert ok(answer)["integrations"] == ENTRIES
    assert "secret-of" not in answer.text and "configured" not in answer.text


def test_an_imported_one_is_as_enabled_as_it_was_and_has_no_secrets(source, fresh):
    document = exported(source.admin)
    planned = ok(fresh.admin.post("/admin/config-import", document, params={"dryRun": "1"}))
    assert planned["plan"]["summary"]["create"] >= 2
    assert ok(fresh.admin.get("/admin/integrations"))["integrations"] == []
    done_ = ok(fresh.admin.post("/admin/config-import", document))
    changes = [each for each in done_["plan"]["changes"] if each["section"] == "integrations"]
    assert [(each["name"], each["action"], each["before"]) for each in changes] == [
        ("api", "create", None),
        ("bot", "create", None),
    ]
    assert configured(fresh.admin) == set()
    assert exported(fresh.admin)["integrations"] == ENTRIES
    refused(fresh.admin.post("/admin/integrations/bot/test", {"op": "getMe", "mode": "live"}), 409, "CONFLICT")
    again = ok(fresh.admin.post("/admin/config-import", document))
    assert again["plan"]["summary"]["create"] == again["plan"]["summary"]["update"] == 0


def test_one_that_stands_keeps_its_secrets(source):
    before = configured(source.admin)
    moved = {**ENTRIES[0], "config": {"baseUrl": "https://api.example.com/b"}}
    changes = importing(source.admin, moved, ENTRIES[1])["plan"]["changes"]
    assert [(each["name"], each["action"]) for each in changes] == [("api", "update"), ("bot", "unchanged")]
    assert configured(source.admin) == before
    assert ok(source.admin.get("/admin/integrations/api"))["integration"]["config"] == moved["config"]


def test_every_problem_is_told_and_nothing_is_done(source):
    before = exported(source.admin)["integrations"]
    document = {
        "formatVersion": 1,
        "integrations": [
            {**ENTRIES[0], "provider": "email", "config": {"from": "a@example.com", "host": "h"}, "tests": []},
            {**ENTRIES[0], "name": "UPPER"},
            {**ENTRIES[0], "name": "twice"},
            {**ENTRIES[0], "name": "twice"},
            {**ENTRIES[0], "name": "secrets", "secrets": {"authorization": "x"}},
            {**ENTRIES[0], "name": "ops", "tests": [{**TESTS[0], "op": "head"}]},
            {"name": "half"},
            7,
        ],
    }
    error = refused(source.admin.post("/admin/config-import", document), 400, "VALIDATION")
    assert {
        "/integrations/0/provider",
        "/integrations/1/name",
        "/integrations/3/name",
        "/integrations/4/secrets",
        "/integrations/5/tests/0/op",
        "/integrations/6/provider",
        "/integrations/7",
    } <= {detail["path"] for detail in error["details"]}
    assert exported(source.admin)["integrations"] == before


def test_a_change_takes_the_permission_of_integrations(source):
    member = source.member(source.role("config:manage", "integrations:read"))
    changed = {"formatVersion": 1, "integrations": [{**ENTRIES[0], "enabled": True}]}
    refused(member.post("/admin/config-import", changed), 403, "FORBIDDEN")
    ok(member.post("/admin/config-import", {"formatVersion": 1, "integrations": ENTRIES}))


def test_environments_and_promotion_carry_them_without_secrets(owner, source):
    stage = ok(owner.post(f"/control/projects/{source.id}/environments", {"environment": "stage"}), 201)["project"]
    assert not stage.get("warnings"), stage
    admin = owner.exchange(stage["id"])
    assert exported(admin)["integrations"] == ENTRIES
    assert configured(admin) == set()
    ok(admin.patch("/admin/integrations/api", {"config": {"baseUrl": "https://stage.example"}}), 204)
    held = configured(source.admin)
    promotion = {"fromProjectId": stage["id"], "toProjectId": source.id}
    refused(owner.post("/control/environments/promote", promotion), 400, "VALIDATION", "/integrations/0/config")
    assert exported(source.admin)["integrations"] == ENTRIES
    changed = {"baseUrl": ENTRIES[0]["config"]["baseUrl"] + "/stage"}
    ok(admin.patch("/admin/integrations/api", {"config": changed}), 204)
    ok(owner.post("/control/environments/promote", promotion))
    assert ok(source.admin.get("/admin/integrations/api"))["integration"]["config"] == changed
    assert configured(source.admin) == held


def test_a_bundle_carries_and_prunes_them(server, owner, tmp_path):
    person = Person(server, tmp_path).login()
    project = person.user.create_project()
    make(project.admin)
    folder = Folder(person, person.work, project)
    done(folder.run("link", "--project", project.slug))
    done(folder.run("pull"))
    assert folder.read("integrations/api.json") == ENTRIES[0] and folder.read("integrations/bot.json") == ENTRIES[1]
    assert not any("secret" in text for name, text in folder.files().items() if name.startswith("integrations/"))
    (folder.bundle / "integrations/bot.json").unlink()
    folder.write("integrations/api.json", {**ENTRIES[0], "enabled": True})
    done(folder.run("push", "--yes"))
    held = {each["name"]: each["enabled"] for each in ok(project.admin.get("/admin/integrations"))["integrations"]}
    assert held == {"api": True, "bot": True}
    assert configured(project.admin) == {("api", "authorization"), ("bot", "token")}
    done(folder.run("push", "--prune", "--yes"))
    assert [each["name"] for each in ok(project.admin.get("/admin/integrations"))["integrations"]] == ["api"]


def test_a_copy_from_a_backup_reaches_nobody_until_it_is_enabled(make_server, upstream, tmp_path):
    server = make_server({"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}).start()
    owner = PlatformUser(server)
    project = owner.create_project()
    secret = "Bearer secret-of-the-copy"
    body = {
        "name": "api",
        "provider": "http",
        "config": {"baseUrl": upstream.url, "allowPrivate": True},
        "secrets": {"authorization": secret},
    }
    ok(project.admin.post("/admin/integrations", body), 201)
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, data=server.data))
    done(run("restore", "--from", backup, "--project", project.slug, "--as", "the-copy", data=server.data))
    copied = next(each for each in ok(owner.get("/control/projects"))["projects"] if each["slug"] == "the-copy")
    admin = owner.exchange(copied["id"])
    integration = ok(admin.get("/admin/integrations/api"))["integration"]
    assert integration["enabled"] is False and integration["secrets"]["authorization"] == {"configured": True}
    # The secret was copied, and is bound to the copy now.
    upstream.answers["/copy"] = (200, {}, {})
    upstream.asked.clear()
    ok(admin.post("/admin/integrations/api/test", {"op": "get", "args": {"path": "/copy"}, "mode": "live"}))
    assert [each.headers["authorization"] for each in upstream.asked] == [secret]
    assert ok(project.admin.get("/admin/integrations/api"))["integration"]["enabled"] is True


def test_a_changed_master_secret_seals_them_anew(make_server, upstream, tmp_path):
    server = make_server({"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}).start()
    project = PlatformUser(server).create_project()
    key = project.api_key("admin")
    body = {
        "name": "api",
        "provider": "http",
        "config": {"baseUrl": upstream.url, "allowPrivate": True},
        "secrets": {"authorization": "Bearer kept"},
    }
    ok(key.post("/admin/integrations", body), 201)
    server.stop()
    done(run("keys reseal", data=server.data))
    server.start()
    upstream.answers["/rotated"] = (200, {}, {})
    upstream.asked.clear()
    ok(key.post("/admin/integrations/api/test", {"op": "get", "args": {"path": "/rotated"}, "mode": "live"}))
    assert [each.headers["authorization"] for each in upstream.asked] == ["Bearer kept"]
