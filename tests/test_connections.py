"""The registry of connections: credentials for other services, of organizations and of projects."""

import concurrent.futures
import re

import pytest

from support.client import PlatformUser, ok, refused, unique
from support.commands import result, run
from support.server import stored_with

FIELDS = {"id", "kind", "scope", "name", "config", "secrets", "createdAt", "updatedAt"}
OWN = "/control/connections"


def of(project) -> str:
    return f"/control/projects/{project.id}/connections"


def body(name=None, **more) -> dict:
    return {"kind": "github", "name": name or unique("Host "), **more}


def made(user, path=OWN, name=None, **more) -> dict:
    return ok(user.post(path, body(name, **more)), 201)["connection"]


def names(user, path=OWN) -> list[str]:
    return [item["name"] for item in ok(user.get(path))["connections"]]


@pytest.fixture
def dev(server, owner) -> PlatformUser:
    """A user with an organization of their own."""
    return PlatformUser(server)


def test_kinds(dev):
    assert ok(dev.get(f"{OWN}/kinds"))["kinds"] == [
        {"kind": "github", "label": "GitHub", "config": ["owner"], "secrets": ["installationId"]}
    ]


def test_of_an_organization(dev):
    organization = ok(dev.get("/control/me"))["organizations"][0]["id"]
    connection = made(dev, name="  Our host ", config={"owner": "acme"}, secrets={"installationId": "471147"})
    assert set(connection) == FIELDS and re.fullmatch(r"conn_[0-9A-Za-z]{20}", connection["id"])
    assert connection["scope"] == {"type": "org", "orgId": organization}
    assert connection["name"] == "Our host" and connection["config"] == {"owner": "acme"}
    assert connection["secrets"] == {"installationId": {"configured": True}}
    assert ok(dev.get(OWN))["connections"] == [connection]
    ok(dev.patch(f"{OWN}/{connection['id']}", {"name": "Theirs", "config": {}, "secrets": {"installationId": ""}}), 204)
    (after,) = ok(dev.get(OWN))["connections"]
    assert after["name"] == "Theirs" and after["config"] == {}
    assert after["secrets"] == {"installationId": {"configured": True}}
    assert after["scope"] == connection["scope"] and after["createdAt"] == connection["createdAt"]
    ok(dev.delete(f"{OWN}/{connection['id']}"), 204)
    assert names(dev) == []
    refused(dev.delete(f"{OWN}/{connection['id']}"), 404)


def test_of_a_project(dev):
    project = dev.create_project()
    shared = made(dev)
    connection = made(dev, of(project))
    assert connection["scope"] == {"type": "project", "projectId": project.id}
    assert connection["config"] == {} and connection["secrets"] == {"installationId": {"configured": False}}
    # The project's own connections come first.
    assert ok(dev.get(of(project)))["connections"] == [connection, shared]
    assert ok(dev.get(OWN))["connections"] == [shared]


def test_secrets_stay_inside(dev):
    project = dev.create_project()
    secret = "never-to-be-seen-again"
    connection = made(dev, of(project), secrets={"installationId": secret})
    ok(dev.patch(f"{OWN}/{connection['id']}", {"secrets": {"installationId": secret + "2"}}), 204)
    answers = [
        dev.get(of(project)),
        dev.get(OWN),
        dev.patch(f"{OWN}/{connection['id']}", {"secrets": {"installationId": {"v": secret}}}),
        project.admin.get("/admin/audit"),
        project.admin.get("/admin/config-export"),
    ]
    assert all(secret not in answer.text for answer in answers)
    entries = ok(project.admin.get("/admin/audit", params={"action": "connection.changed"}))["entries"]
    assert entries[0]["target"] == f"connections/{connection['id']}"
    assert entries[0]["details"]["secretsGiven"] == ["installationId"]
    assert secret not in dev.server.log()
    assert stored_with(dev.server.data, connection["id"]) and not stored_with(dev.server.data, secret)


@pytest.mark.parametrize(
    "wrong, path",
    [
        ({"kind": "gitlab"}, "/kind"),
        ({"kind": ""}, "/kind"),
        ({"kind": None}, "/kind"),
        ({"name": ""}, "/name"),
        ({"name": "   "}, "/name"),
        ({"name": "x" * 65}, "/name"),
        ({"name": "a\u0007"}, "/name"),
        ({"name": 7}, "/name"),
        ({"config": {"host": "x"}}, "/config/host"),
        ({"config": {"owner": 7}}, "/config/owner"),
        ({"config": []}, "/config"),
        ({"secrets": {"token": "x"}}, "/secrets/token"),
        ({"secrets": {"installationId": 7}}, "/secrets/installationId"),
        ({"secrets": "x"}, "/secrets"),
        ({"scope": {"type": "org"}}, "/scope"),
        ({"installationId": "x"}, "/installationId"),
    ],
)
def test_what_is_wrong_is_named(dev, wrong, path):
    project = dev.create_project()
    for place in (OWN, of(project)):
        refused(dev.post(place, {**body(), **wrong}), 400, "VALIDATION", path)
    if path == "/kind":
        return
    connection = made(dev)
    refused(dev.patch(f"{OWN}/{connection['id']}", wrong), 400, "VALIDATION", path)


def test_kind_and_scope_do_not_change(dev):
    connection = made(dev)
    for field in ("kind", "scope", "id"):
        refused(dev.patch(f"{OWN}/{connection['id']}", {field: connection[field]}), 400, "VALIDATION", f"/{field}")


def test_names_are_unique_in_a_scope(dev):
    project, other = dev.create_project(), dev.create_project()
    made(dev, of(project), "Host")
    for name in ("Host", " host ", "HOST"):
        refused(dev.post(of(project), body(name)), 409, "CONFLICT")
    made(dev, of(other), "Host")
    own = made(dev, OWN, "Host")
    second = made(dev, OWN, "Second")
    refused(dev.patch(f"{OWN}/{second['id']}", {"name": "hOST"}), 409, "CONFLICT")
    ok(dev.patch(f"{OWN}/{own['id']}", {"name": "HOST"}), 204)
    made(PlatformUser(dev.server), OWN, "Host")


def test_of_concurrent_creates_one_gets_the_name(dev):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: dev.post(OWN, body("Same" if i % 2 else "SAME")), range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
    assert len(names(dev)) == 1


def test_a_scope_is_full_at_100(dev):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: dev.post(OWN, body(f"c{i}")), range(110)))
    assert sorted(answer.status_code for answer in answers) == [201] * 100 + [409] * 10
    ok(dev.delete(f"{OWN}/{ok(dev.get(OWN))['connections'][0]['id']}"), 204)
    made(dev)


def test_a_caller_without_permission_finds_nothing(server, dev):
    project = dev.create_project()
    connection = made(dev, of(project), "Ours")
    own = made(dev, OWN, "Mine")
    for role in ("Owner", "Admin", "Editor", "Viewer", None):
        other = PlatformUser(server)
        if role:
            ok(dev.post(f"/control/projects/{project.id}/members", {"email": other.email, "role": role}), 201)
            assert names(other, of(project)) == ["Ours", "Mine"]
        else:
            refused(other.get(of(project)), 404, "NOT_FOUND")
        if role in ("Owner", "Admin"):
            theirs = made(other, of(project))
            ok(other.patch(f"{OWN}/{connection['id']}", {"config": {"owner": "x"}}), 204)
            ok(other.delete(f"{OWN}/{theirs['id']}"), 204)
        else:
            refused(other.post(of(project), body()), 404, "NOT_FOUND")
            refused(other.patch(f"{OWN}/{connection['id']}", {"name": "X"}), 404, "NOT_FOUND")
            refused(other.delete(f"{OWN}/{connection['id']}"), 404, "NOT_FOUND")
        refused(other.patch(f"{OWN}/{own['id']}", {"name": "X"}), 404, "NOT_FOUND")
        refused(other.delete(f"{OWN}/{own['id']}"), 404, "NOT_FOUND")
        assert names(other) == []
    for gone in ("conn_" + "0" * 20, "x", project.id):
        refused(dev.patch(f"{OWN}/{gone}", {"name": "X"}), 404, "NOT_FOUND")
    for token in (None, project.admin.token):
        refused(dev.get(OWN, token=token), 401)
        refused(dev.post(of(project), body(), token=token), 401)


def test_of_a_suspended_and_of_a_deleted_project(dev):
    project = dev.create_project()
    connection = made(dev, of(project), "Ours")
    ok(dev.post(f"/control/projects/{project.id}/suspend"), 204)
    ok(dev.patch(f"{OWN}/{connection['id']}", {"name": "Own"}), 204)
    assert names(dev, of(project)) == ["Own"]
    ok(dev.delete(f"/control/projects/{project.id}"), 204)
    refused(dev.get(of(project)), 404)
    refused(dev.patch(f"{OWN}/{connection['id']}", {"name": "X"}), 404)
    assert names(dev) == []


def test_in_no_backup_of_a_project(dev, tmp_path):
    project = dev.create_project()
    made(dev, of(project), "In none", secrets={"installationId": "4711471147"})
    result(run("backup", "--to", tmp_path / "b", "--project", project.slug, "--json", data=dev.server.data))
    stored = (tmp_path / "b" / "project.bson").read_bytes()
    assert project.slug.encode() in stored and b"__connections" not in stored
    copying = ("--project", project.slug, "--as", "a-copy", "--json")
    result(run("restore", "--from", tmp_path / "b", *copying, data=dev.server.data))
    copy = next(p for p in ok(dev.get("/control/projects"))["projects"] if p["slug"] == "a-copy")
    assert names(dev, f"/control/projects/{copy['id']}/connections") == []


def test_a_project_that_comes_back_has_them_again(dev, tmp_path):
    project = dev.create_project()
    made(dev, of(project), "Kept")
    result(run("backup", "--to", tmp_path / "b", "--project", project.slug, "--json", data=dev.server.data))
    ok(dev.delete(f"/control/projects/{project.id}"), 204)
    result(run("restore", "--from", tmp_path / "b", "--project", project.slug, "--json", data=dev.server.data))
    assert names(dev, of(project)) == ["Kept"]
    refused(dev.post(of(project), body("kept")), 409)


def test_environments_have_none_of_their_parent(dev):
    project = dev.create_project()
    made(dev, of(project))
    made(dev, OWN, "Shared")
    staging = ok(dev.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)["project"]
    assert names(dev, f"/control/projects/{staging['id']}/connections") == ["Shared"]


def test_switched_off(make_server):
    server = make_server({"SERVICE_CONNECTIONS": "off"}).start()
    dev = PlatformUser(server)
    project = dev.create_project()
    assert ok(dev.get("/control/setup-status"))["connectionsEnabled"] is False
    for path in (OWN, f"{OWN}/kinds", of(project)):
        assert refused(dev.get(path), 404)["message"] == "connections are not enabled on this deployment"
    for answer in (dev.post(OWN, body()), dev.post(of(project), body()), dev.delete(f"{OWN}/x")):
        assert refused(answer, 404)["message"] == "connections are not enabled on this deployment"
