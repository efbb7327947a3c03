"""Projects on a database of their owner: how it is named, reached, checked and changed."""

import socket
import time

import pytest

from support.certificates import certificate
from support.client import PlatformUser, Project, ok, refused, unique
from support.commands import result, run
from support.fake_mongo import FakeMongo
from support.mongo_server import MongoServer
from support.own_database import PASSWORD, SETTINGS, USER, create, guarded, made

AWAY = "the database could not be reached"


def refused_as(response, message: str) -> None:
    error = refused(response, 400, "VALIDATION", "/mongoUrl")
    assert error["message"] == message and error["details"] == [{"path": "/mongoUrl", "message": message}]


def codes(project: dict) -> list[str]:
    return [warning["code"] for warning in project.get("warnings", [])]


# ---- creating


def test_a_project_takes_a_database_and_shows_what_it_can_do(owner, database):
    project = made(owner, database)
    assert project["byo"] is True
    assert project["byoCapabilities"] == {"changeStreams": True, "preImages": True, "transactions": True}
    assert codes(project) == ["plain-connection"]
    assert all(set(warning) == {"code", "message"} for warning in project["warnings"])
    path = f"/control/projects/{project['id']}"
    assert ok(owner.get(path))["project"] == project
    assert project in ok(owner.get("/control/projects"))["projects"]
    other = owner.create_project()
    assert other.wire["byo"] is False and "byoCapabilities" not in other.wire and "warnings" not in other.wire


def test_a_standalone_server_has_no_streams_and_no_transactions(owner, tmp_path):
    standalone = MongoServer(tmp_path, "--standalone")
    try:
        project = made(owner, f"mongodb://127.0.0.1:{standalone.port}/shop")
        assert project["byoCapabilities"] == {"changeStreams": False, "preImages": True, "transactions": False}
        assert codes(project) == ["no-change-streams", "no-transactions", "plain-connection"]
        # Two names of one server are one database.
        error = refused(create(owner, f"mongodb://127.1:{standalone.port}/shop"), 409, "CONFLICT")
        assert error["message"] == "this database is used already"
    finally:
        standalone.kill()


@pytest.mark.parametrize(
    "url, message",
    [
        ("", "is not a MongoDB connection string"),
        ("http://127.0.0.1/shop", "is not a MongoDB connection string"),
        ("mongodb://127.0.0.1:0/shop", "is not a MongoDB connection string"),
        ("mongodb://127.0.0.1/", "names no database"),
        ("mongodb://127.0.0.1/admin", "names no database"),
        ("mongodb://127.0.0.1/shop?tlsInsecure=true", 'the option "tlsInsecure" is not allowed'),
        ("mongodb://127.0.0.1/shop?w=1", 'the option "w" is not allowed'),
        ("mongodb://8.8.8.8/shop", "needs TLS"),
        ("mongodb://10.0.0.1/shop", "leads to an address that is not allowed"),
        ("mongodb://[::1]/shop?tls=true", "leads to an address that is not allowed"),
        ("mongodb://169.254.169.254/shop?tls=true", "leads to an address that is not allowed"),
        ("mongodb://nothing.invalid/shop?tls=true", AWAY),
        ("mongodb+srv://a.nothing.invalid/shop", AWAY),
    ],
)
def test_addresses_are_refused_by_fixed_texts(owner, url, message):
    refused_as(create(owner, url), message)


def test_what_does_not_respond_could_not_be_reached(owner, mongo):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with FakeMongo() as silent:
        for url in (
            f"mongodb://127.0.0.1:{port}/shop",
            f"mongodb://127.0.0.1:{silent.port}/shop",
            f"mongodb://127.0.0.1:{mongo.port}/shop?tls=true",
            f"mongodb://127.0.0.1:{mongo.port}/shop?replicaSet=other",
        ):
            started = time.monotonic()
            refused_as(create(owner, url), AWAY)
            assert time.monotonic() - started >= 1  # whatever the reason
        assert silent.connections > 0


def test_a_certificate_is_verified(make_server, tmp_path):
    file, key = certificate(tmp_path, "database")
    mongo = MongoServer(tmp_path, "--tls-cert-file", str(file), "--tls-key-file", str(key))
    url = f"mongodb://127.0.0.1:{mongo.port}/shop?tls=true"
    try:
        refused_as(create(PlatformUser(make_server(SETTINGS).start()), url), AWAY)
        owner = PlatformUser(make_server({**SETTINGS, "SSL_CERT_FILE": str(file)}).start())
        # The certificate is that of another host.
        refused_as(create(owner, url.replace("127.0.0.1", "127.0.0.2")), AWAY)
        project = Project(owner, made(owner, url))
        assert codes(project.wire) == []
        posts = project.collection("posts")
        created = project.admin.create(posts, {"n": 1})
        assert project.admin.list(posts) == [created]
    finally:
        mongo.kill()


def test_names_that_lead_to_refused_addresses_could_not_be_reached(make_server):
    """Nothing is listed here: the name "localhost" leads inside, whether something listens there or not."""
    server = make_server({"SERVICE_BYO": "on"}).start()
    owner = PlatformUser(server)
    with FakeMongo() as inside:
        refused_as(create(owner, f"mongodb://localhost:{inside.port}/shop?tls=true"), AWAY)
        refused_as(create(owner, f"mongodb://localhost:{inside.port}/shop"), "needs TLS")
        refused_as(create(owner, f"mongodb://127.0.0.1:{inside.port}/shop"), "leads to an address that is not allowed")
        assert inside.connections == 0


def test_hosts_that_a_server_names_are_checked_too(make_server):
    server = make_server({"SERVICE_BYO": "on", "SERVICE_OUTBOUND_ALLOW": "127.0.0.1/32"}).start()
    owner = PlatformUser(server)
    hello = {"ismaster": False, "secondary": True, "setName": "rs0", "maxWireVersion": 17, "minWireVersion": 0}
    with FakeMongo({"ismaster": True}, host="127.0.0.2") as inside, FakeMongo() as named, FakeMongo() as naming:
        hosts = [f"127.0.0.1:{naming.port}", f"127.0.0.1:{named.port}", f"127.0.0.2:{inside.port}"]
        naming.hello = {**hello, "hosts": hosts, "me": hosts[0]}
        refused_as(create(owner, f"mongodb://127.0.0.1:{naming.port}/shop?replicaSet=rs0"), AWAY)
        assert named.connections > 0 and inside.connections == 0


@pytest.mark.parametrize("wire", [3, 8])
def test_old_servers_are_not_supported(owner, wire):
    with FakeMongo({"ismaster": True, "isWritablePrimary": True, "maxWireVersion": wire, "minWireVersion": 0}) as old:
        refused_as(create(owner, f"mongodb://127.0.0.1:{old.port}/shop"), "the database's version is not supported")


def test_servers_of_another_protocol_are_not_supported(owner):
    with FakeMongo(raw=b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n") as other:
        refused_as(create(owner, f"mongodb://127.0.0.1:{other.port}/shop"), "the database's version is not supported")


def test_credentials_and_rights_are_checked(owner, guarded_mongo):
    refused_as(create(owner, guarded(guarded_mongo, password="wrong")), "the database refused the credentials")
    refused_as(create(owner, guarded(guarded_mongo, user="unknown")), "the database refused the credentials")
    for user, database in (("reader", "shop"), ("nobody", "shop"), (USER, "other")):
        refused_as(
            create(owner, guarded(guarded_mongo, user=user, database=database)),
            "the user may not read and write this database",
        )
    refused_as(
        create(owner, f"mongodb://127.0.0.1:{guarded_mongo.port}/shop"), "the user may not read and write this database"
    )
    assert made(owner, guarded(guarded_mongo))["byoCapabilities"]["preImages"] is False


def test_a_database_is_used_once(owner, database, mongo, server):
    first = made(owner, database)
    for user in (owner, PlatformUser(server)):
        for url in (database, database.replace("?", "?appName=other&"), database.replace("127.0.0.1", "127.1")):
            error = refused(create(user, url), 409, "CONFLICT")
            assert error["message"] == "this database is used already" and "details" not in error
    # A deleted project uses it no more.
    ok(owner.delete(f"/control/projects/{first['id']}"), 204)
    made(owner, database)


def test_the_store_of_the_deployment_is_used_already(make_server, mongo):
    name = unique("m")
    url = f"mongodb://127.0.0.1:{mongo.port}/{name}?replicaSet=secantus"
    server = make_server({**SETTINGS, "MONGO_URL": url}).start()
    owner = PlatformUser(server)
    for taken in (name, f"{name}_p7", name.upper()):
        refused(create(owner, url.replace(f"/{name}?", f"/{taken}?")), 409, "CONFLICT")
    made(owner, url.replace(f"/{name}?", f"/{name}x?"))


def test_it_may_be_switched_off(make_server, database):
    server = make_server({**SETTINGS, "SERVICE_BYO": "off"}).start()
    refused(create(PlatformUser(server), database), 403, "FORBIDDEN")


# ---- changing


def test_another_address_of_the_same_database(owner, database, mongo):
    project = made(owner, database)
    path = f"/control/projects/{project['id']}"
    ok(owner.patch(path, {"mongoUrl": database.replace("127.0.0.1", "127.1")}), 204)
    ok(owner.patch(path, {"mongoUrl": database, "name": "Renamed"}), 204)
    assert ok(owner.get(path))["project"] == {**project, "name": "Renamed"}
    other = made(owner, f"mongodb://127.0.0.1:{mongo.port}/{unique('d')}?replicaSet=secantus")
    error = refused(owner.patch(f"/control/projects/{other['id']}", {"mongoUrl": database}), 409, "CONFLICT")
    assert error["message"] == "this database is used already"
    for url in (None, "", "mongodb://127.0.0.1/"):
        refused(owner.patch(path, {"mongoUrl": url}), 400, "VALIDATION", "/mongoUrl")
    refused(owner.patch(path, {"mongoUrl": database}, params={"force": "2"}), 400, "INVALID_PARAM")


def test_a_projects_kind_cannot_change(owner, database):
    project = owner.create_project()
    error = refused(owner.patch(f"/control/projects/{project.id}", {"mongoUrl": database}), 409, "CONFLICT")
    assert error["message"] == "a project's kind cannot change"
    refused(owner.post(f"/control/projects/{project.id}/database/check"), 404, "NOT_FOUND")


def test_only_owners_change_it(owner, database, server):
    project = made(owner, database)
    path = f"/control/projects/{project['id']}"
    admin, viewer, stranger = PlatformUser(server), PlatformUser(server), PlatformUser(server)
    for user, role in ((admin, "Admin"), (viewer, "Viewer")):
        ok(owner.post(f"{path}/members", {"email": user.email, "role": role}), 201)
    for user in (admin, viewer):
        refused(user.patch(path, {"mongoUrl": database}), 403, "FORBIDDEN")
    refused(stranger.patch(path, {"mongoUrl": database}), 404, "NOT_FOUND")
    ok(admin.post(f"{path}/database/check"))
    refused(viewer.post(f"{path}/database/check"), 403, "FORBIDDEN")
    refused(stranger.post(f"{path}/database/check"), 404, "NOT_FOUND")


# ---- checking, and what stays


def test_a_check_tells_whether_it_can_be_reached(owner, tmp_path):
    mongo = MongoServer(tmp_path)
    project = made(owner, f"mongodb://127.0.0.1:{mongo.port}/shop?replicaSet=secantus")
    path = f"/control/projects/{project['id']}"
    found = ok(owner.post(f"{path}/database/check"))
    assert found == {
        "byoCapabilities": project["byoCapabilities"],
        "warnings": project["warnings"],
        "reachable": True,
    }
    mongo.stop()
    away = ok(owner.post(f"{path}/database/check"))
    assert away["reachable"] is False and away["byoCapabilities"] == project["byoCapabilities"]
    assert codes(away) == ["plain-connection", "not-reachable"]
    assert ok(owner.get(path))["project"]["warnings"] == away["warnings"]
    mongo.start()
    assert ok(owner.post(f"{path}/database/check")) == found
    mongo.kill()


def test_it_stays_over_a_restart_suspension_and_the_rotation_of_the_secret(make_server, database):
    server = make_server({"SERVICE_BYO": "on", "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8"}).start()
    owner = PlatformUser(server)
    project = made(owner, database)
    path = f"/control/projects/{project['id']}"
    posts = Project(owner, project).collection("posts")
    created = owner.exchange(project["id"]).create(posts, {"n": 1})
    for rotates in (False, True):
        server.stop()
        if rotates:
            report = result(run("keys reseal", "--json", data=server.data))
            assert report["values"] >= 1 and report["unreadable"] == 0
        server.start()
        owner.login()
        shown = ok(owner.get(path))["project"]
        assert (shown["byo"], shown["byoCapabilities"]) == (True, project["byoCapabilities"])
        assert ok(owner.post(f"{path}/database/check"))["reachable"] is True
        # Ids that stand for keys there are under a key of the project's own.
        assert owner.exchange(project["id"]).list(posts) == [created]
        refused(create(owner, database), 409, "CONFLICT")
    ok(owner.post(f"{path}/suspend"), 204)
    assert ok(owner.get(path))["project"]["byo"] is True
    ok(owner.post(f"{path}/resume"), 204)
    assert ok(owner.post(f"{path}/database/check"))["reachable"] is True


def test_environments_do_not_inherit_it(owner, database):
    project = made(owner, database)
    created = ok(owner.post(f"/control/projects/{project['id']}/environments", {"environment": "staging"}), 201)["project"]
    assert created["byo"] is False and codes(created) == ["database-not-inherited"]


# ---- secrets


def test_no_part_of_the_address_leaves_the_server(owner, guarded_mongo, server):
    """Neither in responses, nor in the audit record, nor in the log."""
    name = "marked-database"
    attempts = [
        guarded(guarded_mongo, password="marked-wrong"),
        guarded(guarded_mongo, database=name),
        f"mongodb://{USER}:{PASSWORD}@127.0.0.1:1/{name}",
        f"mongodb://{USER}:{PASSWORD}@marked-host.invalid/{name}?tls=true",
        f"mongodb://{USER}:{PASSWORD}@127.0.0.1/{name}?marked=1&appName=marked-value",
        f"mongodb://{USER}:{PASSWORD}@127.0.0.1/{name}?authSource=marked-value&w=marked-value",
        f"mongodb://{USER}:mark/ed@127.0.0.1/{name}",
    ]
    texts = [create(owner, url).text for url in attempts]
    for project in ok(owner.get("/control/projects"))["projects"]:
        path = f"/control/projects/{project['id']}"
        texts += [owner.get(path).text, owner.post(f"{path}/database/check").text]
        if project["byo"]:
            api = owner.exchange(project["id"])
            texts.append(api.get("/admin/audit").text)
            texts.append(api.get("/admin/config-export").text)
            created = [entry for entry in api.get("/admin/audit").json()["entries"] if entry["action"] == "project.created"]
            assert [entry["details"] for entry in created] == [{"byo": True}]
    texts.append(server.log_path.read_text())
    for text in texts:
        for part in ("marked-", PASSWORD, "mark/ed", "mongodb://", f":{guarded_mongo.port}"):
            assert part not in text, (part, text[:2000])
