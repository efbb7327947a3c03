"""Integrations in imports, promotion, backups and a change of the master secret. What they have in common with other
resources: tests/config/test_configured_resources.py."""

from support.client import PlatformUser, ok, refused
from support.commands import done, run
from support.configured_resources import Integrations, source_of

RESOURCE = Integrations()
source = source_of(RESOURCE)


def test_an_imported_one_makes_no_call_without_its_secret(owner, source):
    fresh = owner.create_project()
    ok(fresh.admin.post("/admin/config-import", RESOURCE.document(*RESOURCE.exported(source.admin))))
    refused(fresh.admin.post("/admin/integrations/bot/test", {"op": "getMe", "mode": "live"}), 409, "CONFLICT")


def test_a_promotion_to_another_host_is_refused(owner, source):
    stage = ok(owner.post(f"/control/projects/{source.id}/environments", {"environment": "stage"}), 201)["project"]
    before = RESOURCE.exported(source.admin)
    admin = owner.exchange(stage["id"])
    ok(admin.patch("/admin/integrations/api", {"config": {"baseUrl": "https://stage.example"}}), 204)
    promotion = {"fromProjectId": stage["id"], "toProjectId": source.id}
    refused(owner.post("/control/environments/promote", promotion), 400, "VALIDATION", "/integrations/0/config")
    assert RESOURCE.exported(source.admin) == before


def test_a_copy_from_a_backup_calls_nothing_until_it_is_enabled(make_server, upstream, tmp_path):
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


def test_a_changed_master_secret_seals_them_again(make_server, upstream, tmp_path):
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
