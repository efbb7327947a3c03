"""What works while the database of a project's owner is away, takes no writes, or has lost a capability."""

import pymongo
import pytest

from support.bucket import Bucket
from support.client import PlatformUser, Project, ok, refused
from support.function import Function
from support.mongo_server import MongoServer
from support.own_database import PASSWORD, USER, guarded, made
from support.realtime import Live
from support.waiting import wait_until

AWAY = "the project's database cannot be reached"
READ_ONLY = "the project's database takes no writes at present"


def codes(project: dict) -> list[str]:
    return [warning["code"] for warning in project.get("warnings", [])]


def warned(project) -> list[str]:
    return codes(ok(project.owner.get(f"/control/projects/{project.id}"))["project"])


def checked(project) -> list[str]:
    return codes(ok(project.owner.post(f"/control/projects/{project.id}/database/check")))


def unavailable(response, message: str = AWAY) -> None:
    error = refused(response, 503, "UNAVAILABLE")
    assert error["message"] == message and response.headers["retry-after"] == "5"


@pytest.fixture
def mongo(tmp_path):
    """A server of the test's own."""
    server = MongoServer(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def project(owner, mongo):
    return Project(owner, made(owner, f"mongodb://127.0.0.1:{mongo.port}/shop?replicaSet=secantus"))


# ---- read-only


def test_a_database_that_takes_no_writes_is_read_and_heals(owner, mongo):
    roles = [{"role": "readWrite", "db": "shop"}]
    root = {"createUser": "root", "pwd": "root", "roles": [{"role": "root", "db": "admin"}]}
    mongo.run("admin", root, {"createUser": USER, "pwd": PASSWORD, "roles": roles})
    mongo.stop()
    mongo.start("--auth")

    def grant(role: str) -> None:
        with pymongo.MongoClient(f"mongodb://root:root@127.0.0.1:{mongo.port}/?directConnection=true") as client:
            client.admin.command("updateUser", USER, roles=[{"role": role, "db": "shop"}])
        # A connection that is logged in keeps the rights that it had.
        mongo.stop()
        mongo.start("--auth")

    project = Project(owner, made(owner, guarded(mongo)))
    posts = project.collection("posts")
    id = project.admin.create(posts, {"n": 1})["id"]
    assert "read-only" not in warned(project)
    grant("read")
    wait_until(lambda: project.admin.get(f"/{posts}/{id}").status_code == 200)
    unavailable(project.admin.post(f"/{posts}", {"n": 2}), READ_ONLY)
    unavailable(project.admin.patch(f"/{posts}/{id}", {"$set": {"n": 2}}), READ_ONLY)
    unavailable(project.admin.delete(f"/{posts}/{id}"), READ_ONLY)
    assert [each["n"] for each in project.admin.list(posts)] == [1]
    # It shows without a check.
    wait_until(lambda: "read-only" in warned(project))
    assert ok(owner.post(f"/control/projects/{project.id}/database/check"))["reachable"] is True
    grant("readWrite")
    wait_until(lambda: project.admin.post(f"/{posts}", {"n": 2}).status_code == 201)
    assert "read-only" not in checked(project) and "read-only" not in warned(project)


def test_refused_commands_alone_make_no_warning(project, mongo):
    """A command is refused, yet the probe finds all rights."""
    posts = project.collection("posts")
    failing = {"failCommands": ["insert"], "errorCode": 13}
    mongo.run("admin", {"configureFailPoint": "failCommand", "mode": "alwaysOn", "data": failing})
    unavailable(project.admin.post(f"/{posts}", {"n": 1}), READ_ONLY)
    mongo.run("admin", {"configureFailPoint": "failCommand", "mode": "off"})
    ok(project.admin.post(f"/{posts}", {"n": 1}), 201)
    assert "read-only" not in checked(project)


def test_a_read_that_is_refused_says_nothing_of_writes(project, mongo):
    posts = project.collection("posts")
    failing = {"failCommands": ["find"], "errorCode": 13}
    mongo.run("admin", {"configureFailPoint": "failCommand", "mode": "alwaysOn", "data": failing})
    unavailable(project.admin.get(f"/{posts}"))
    mongo.run("admin", {"configureFailPoint": "failCommand", "mode": "off"})
    ok(project.admin.get(f"/{posts}"))


# ---- a capability that is lost


@pytest.mark.parametrize("code", [20, 263])
def test_lost_transactions_are_found_without_a_check(owner, mongo, code):
    project = Project(owner, made(owner, f"mongodb://127.0.0.1:{mongo.port}/shop"))
    posts = project.collection("posts")
    assert "no-transactions" not in warned(project)
    mongo.stop()
    mongo.start("--standalone")
    wait_until(lambda: project.admin.get(f"/{posts}").status_code == 200)
    assert "no-transactions" not in warned(project)
    # As a server does that has no transactions.
    failing = {"failCommands": ["insert"], "errorCode": code}
    mongo.run("admin", {"configureFailPoint": "failCommand", "mode": {"times": 1}, "data": failing})
    unavailable(project.admin.post(f"/{posts}", {"n": 1}))
    wait_until(lambda: "no-transactions" in warned(project))
    assert ok(owner.get(f"/control/projects/{project.id}"))["project"]["byoCapabilities"]["transactions"] is False
    ok(project.admin.post(f"/{posts}", {"n": 1}), 201)


# ---- away


def test_what_works_while_the_database_is_away(project, mongo, owner):
    posts = project.collection("posts", indexes=({"keys": {"n": 1}},))
    id = project.admin.create(posts, {"n": 1})["id"]
    user = project.end_user()
    function = Function(project, "return 42;", {"type": "http", "method": "GET", "path": "/answer"})
    with Live(project.server, user.token) as live:
        live.follow(posts)
        mongo.stop()
        unavailable(project.admin.get(f"/{posts}/{id}"))
        unavailable(project.admin.get(f"/{posts}"))
        unavailable(project.admin.post(f"/{posts}", {"n": 2}))
        unavailable(project.admin.patch(f"/{posts}/{id}", {"$set": {"n": 2}}))
        unavailable(project.admin.get("/admin/introspect"))
        assert "errors" in project.admin.post("/graphql", {"query": "{ posts { id } }"}).json()
        # The control plane, sign in, configuration, and functions that touch no document.
        project.end_user()
        user.login()
        assert ok(owner.get(f"/control/projects/{project.id}"))["project"]["byo"] is True
        assert "not-reachable" in checked(project)
        assert "not-reachable" in warned(project)
        ok(project.admin.put(f"/admin/collections/{posts}/policy", {"list": {}, "read": {}, "create": {}}), 204)
        assert ok(project.admin.get(f"/admin/collections/{posts}/indexes"))["indexes"] == [
            {"name": "n_1", "keys": {"n": 1}, "unique": False, "managed": True}
        ]
        assert function.invoke()["result"] == 42
        # Others, and the deployment, notice nothing.
        ok(owner.create_project().admin.get("/admin/collections"))
        assert project.server.http.get("/api/v1/ready").status_code == 200
        assert project.server.http.get("/api/v1/health").status_code == 200
        live.say({"type": "subscribe", "id": "late", "collection": posts})
        live.error("UNAVAILABLE", "late")
        mongo.start()
        wait_until(lambda: project.admin.get(f"/{posts}").status_code == 200)
        # The subscription is still open.
        created = project.admin.create(posts, {"n": 3})
        assert live.event()["document"] == created
    assert "not-reachable" not in checked(project)


def test_functions_and_files_while_the_database_is_away(project, mongo, owner):
    """ctx.db fails clearly and storage works; another project on another database of its own notices nothing."""
    posts = project.collection("posts")
    project.admin.create(posts, {"n": 1})
    shelf = Bucket(project)
    calls = {
        "find": f"return await ctx.db.find('{posts}', {{}});",
        "insert": f"return await ctx.db.insertOne('{posts}', {{n: 2}});",
        "update": f"return await ctx.db.updateMany('{posts}', {{}}, {{$set: {{n: 3}}}});",
        "caught": f"try {{ await ctx.db.count('{posts}', {{}}); }} catch (error) {{ return error.message; }}",
    }
    functions = {
        name: Function(project, code, {"type": "http", "method": "GET", "path": f"/{name}"}) for name, code in calls.items()
    }
    plain = owner.create_project()
    others = plain.collection()
    mongo.stop()
    for name in ("find", "insert", "update"):
        run = functions[name].invoke()
        assert run["status"] != "success" and AWAY in str(run), run
    assert functions["caught"].invoke()["result"] == AWAY
    assert shelf.put("a.txt", b"kept").status_code in (200, 201)
    assert shelf.get("a.txt").content == b"kept" and shelf.paths() == ["a.txt"]
    ok(shelf.delete("a.txt"), 204)
    ok(plain.admin.post(f"/{others}", {"n": 1}), 201)
    mongo.start()
    wait_until(lambda: project.admin.get(f"/{posts}").status_code == 200)
    assert [each["n"] for each in functions["find"].invoke()["result"]] == [1]


# ---- indexes


@pytest.mark.parametrize("killed", [True, False])
def test_an_index_that_could_not_be_dropped_there_is_dropped_later(make_server, server_settings, mongo, killed):
    server = make_server(server_settings).start()
    owner = PlatformUser(server)
    url = f"mongodb://127.0.0.1:{mongo.port}/shop?replicaSet=secantus"
    project = Project(owner, made(owner, url))
    posts = project.collection("posts", indexes=({"keys": {"slug": 1}, "unique": True}, {"keys": {"n": 1}}))
    with pymongo.MongoClient(url, directConnection=True) as client:
        client.shop.posts.create_index("theirs", name="mb_theirs")
    mongo.stop()
    for name in ("slug_1", "n_1"):
        unavailable(project.admin.delete(f"/admin/collections/{posts}/indexes/{name}"))
    if killed:
        server.kill()
    mongo.start()
    if killed:
        server.start()
    wait_until(lambda: project.admin.get(f"/{posts}").status_code == 200)
    # One of the same name is made in its place.
    ok(project.admin.post(f"/admin/collections/{posts}/indexes", {"keys": {"n": 1}, "unique": True}), 201)
    with pymongo.MongoClient(url, directConnection=True) as client:
        assert client.shop.posts.index_information()["mb_n_1"]["unique"] is True
        assert "mb_slug_1" in client.shop.posts.index_information()
        ok(owner.post(f"/control/projects/{project.id}/database/check"))
        assert set(client.shop.posts.index_information()) == {"_id_", "mb_id", "mb_n_1", "mb_theirs"}
    for n in range(2):
        ok(project.admin.post(f"/{posts}", {"slug": "same", "n": n}), 201)
