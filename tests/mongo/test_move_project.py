"""`manybase move --project`: a project goes into another deployment, of the other engine or the same, or stays as it is."""

import base64
import subprocess
from pathlib import Path

import pymongo
import pytest
from standardwebhooks import Webhook

from support import mongo_server
from support.billing import BILLED
from support.bucket import Bucket
from support.client import Api, PlatformUser, Project, ok, refused
from support.commands import complains, done, environment, line_of, result, run
from support.hook import Hook
from support.ports import free_port
from support.server import Server
from support.waiting import wait_until

pytestmark = pytest.mark.embedded("names the store of each server itself")

SETTINGS = {"SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8"}
OWNER = "owner@example.com"


def address(data: Path) -> str:
    return mongo_server.shared().database_of(data)


class Side:
    """A deployment with an account of OWNER, on the engine that `mongo` says."""

    def __init__(self, make_server, mongo: bool, settings: dict | None = None):
        self.server: Server = make_server({**SETTINGS, **(settings or {})})
        self.data = self.server.data
        self.store = {"MONGO_URL": address(self.data)} if mongo else {}
        self.server.settings |= self.store
        self.server.start()
        self.owner = PlatformUser(self.server, OWNER)

    def as_target(self) -> tuple:
        """The arguments that name this deployment as a target."""
        if self.store:
            return ("--to", self.store["MONGO_URL"], "--to-data", self.data)
        return ("--to", self.data)

    def run(self, command: str, *arguments):
        return run(command, *arguments, data=self.data, settings=self.store)

    def move(self, project: str, target: "Side", *more):
        return self.run("move", "--project", project, *target.as_target(), *more)

    def projects(self) -> dict:
        return {each["slug"]: each for each in ok(self.owner.get("/control/projects"))["projects"]}

    def take(self, id: str) -> Project:
        """The project, once it is resumed here."""
        ok(self.owner.post(f"/control/projects/{id}/resume"), 204)
        return Project(self.owner, ok(self.owner.get(f"/control/projects/{id}"))["project"])

    def restart(self) -> None:
        self.server.start()
        self.owner.login()


def suspend(project: Project) -> None:
    ok(project.owner.post(f"/control/projects/{project.id}/suspend"), 204)


def filled(side: Side) -> Project:
    project = side.owner.create_project("Shop")
    things = project.collection(
        "Things",
        schema={"type": "object", "properties": {"n": {"type": "integer"}}},
        indexes=[{"keys": {"n": 1}, "unique": True}, {"keys": {"tags": -1, "n": 1}, "sparse": True}],
    )
    project.collection("Empty", policy=None)
    for n in range(40):
        project.admin.create(things, {"n": n, "tags": ["a", "b"][: n % 3], "big": 2**53 + 1})
    project.enduser_role("read", name="readers")
    return project


def shown(project: Project, key: Api) -> dict:
    """All that a move has to keep, as the admin plane shows it."""
    admin = project.admin
    key.server = project.server
    return {
        "project": {field: project.wire[field] for field in ("id", "slug", "name", "createdAt")},
        "collections": {
            name: {
                part: ok(admin.get(f"/admin/collections/{name}/{part}", params={"limit": 1000} if last else None))
                for part, last in (("schema", 0), ("policy", 0), ("indexes", 0), ("documents", 1))
            }
            for name in ok(admin.get("/admin/collections"))["collections"]
        },
        "users": ok(admin.get("/admin/users")),
        "roles": ok(admin.get("/admin/enduser-roles")),
        "files": {
            bucket["name"]: admin.get(f"/storage/{bucket['name']}/one.txt").content
            for bucket in ok(admin.get("/admin/storage/buckets"))["buckets"]
        },
        "by key": [document["id"] for document in key.list("Things", limit=1000)],
    }


@pytest.mark.parametrize("from_mongo, to_mongo", [(False, True), (True, False), (False, False)])
def test_a_project_goes_there_and_back(make_server, receiver, from_mongo, to_mongo):
    source, target = Side(make_server, from_mongo), Side(make_server, to_mongo)
    project = filled(source)
    user, key = project.end_user(), project.api_key("read", "write")
    ok(Bucket(project).put("one.txt", b"bytes"), 201)
    hook = Hook(project, receiver, collection="Things")
    before = shown(project, key)
    target.server.stop()
    complains(source.move(project.slug, target), "is not suspended")
    suspend(project)
    report = result(source.move(project.slug, target, "--json"))
    assert report["id"] == project.id and report["engine"] == ("mongodb" if to_mongo else "embedded")
    assert report["counts"]["collections"] == 2 and report["members"] == 1 and report["unreadable"] == 0
    assert "no problems" in done(target.run("check"))
    target.restart()
    assert target.projects()["shop"]["status"] == source.projects()["shop"]["status"] == "suspended"
    moved = target.take(project.id)
    assert shown(moved, key) == before
    # Sessions, keys and sealed secrets hold under the target's secret.
    user.server = target.server
    ok(user.post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}, token=None))
    hook.admin = moved.admin
    assert hook.read()["enabled"] is False
    hook.patch(enabled=True)
    refused(key.post("/Things", {"n": 3}), 409)
    made = key.create("Things", {"n": 1000})
    delivery = hook.arrived(1)[0]
    Webhook(hook.secret).verify(delivery.raw, delivery.headers)
    ok(key.delete(f"/Things/{made['id']}"), 204)
    hook.patch(enabled=False)

    # Back, where the project is live until it is deleted.
    target.server.stop()
    complains(target.move(project.slug, source), "a server runs on")
    source.server.stop()
    complains(target.move(project.slug, source), "is in the target already")
    source.restart()
    ok(source.owner.delete(f"/control/projects/{project.id}"), 204)
    source.server.stop()
    text = done(target.move(project.slug, source))
    assert "40 documents" not in text and "all were compared" in text
    assert "no problems" in done(source.run("check"))
    source.restart()
    assert shown(source.take(project.id), key) == before
    # Nothing ran at the target, so its project was suspended by the move.
    target.restart()
    assert target.projects()["shop"]["status"] == "suspended"


def test_what_is_refused(make_server, tmp_path):
    source, target = Side(make_server, False), Side(make_server, True)
    project = filled(source)
    suspend(project)
    taken = target.owner.create_project("Shop")
    before = target.projects()
    there = target.as_target()

    def refuse(message: str, *arguments, code: int = 1) -> None:
        complains(source.run("move", *arguments), message, code=code)
        assert source.projects()["shop"]["status"] == "suspended"

    one = ("--project", "shop")
    refuse("a server runs on", *one, *there)
    target.server.stop()
    refuse("the slug shop is another project's", *one, *there)
    refuse("there is no project nobodys", "--project", "nobodys", *there)
    refuse("--owner needs --project", "--to", tmp_path / "d", "--owner", OWNER, code=2)
    refuse("--to-data needs --project", *there, code=2)
    refuse("either --to or --to-file", *one, code=2)
    refuse("with --to-data", *one, "--to", target.store["MONGO_URL"], code=2)
    refuse("only for a target with an address", *one, "--to", target.data, "--to-data", target.data, code=2)
    refuse("same data directory", *one, "--to", source.data)
    refuse("same data directory", *one, "--to", target.store["MONGO_URL"], "--to-data", source.data)
    refuse("there is no directory", *one, "--to", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    refuse("there is no deployment in", *one, "--to", tmp_path / "empty")
    url = address(tmp_path / "another")
    refuse("there is no store in", *one, "--to", url, "--to-data", target.data)
    # It is still empty.
    refuse("there is no store in", *one, "--to", url, "--to-data", target.data)
    refuse("--to: ", *one, "--to", url + "&w=0", "--to-data", target.data, code=2)
    other = tmp_path / "secret"
    other.write_text(base64.b64encode(bytes(range(32))).decode() + "\n")
    refuse("the secret of the target", *one, *there, "--to-secret-file", other)
    (tmp_path / "mine").mkdir()
    bare = ("--to", target.store["MONGO_URL"], "--to-data", tmp_path / "mine")
    refuse("the secret of the target", *one, *bare)
    # All that is missing is another slug.
    refuse("the slug shop", *one, *bare, "--to-secret-file", target.data / "secret")
    target.restart()
    assert target.projects() == before
    ok(target.owner.delete(f"/control/projects/{taken.id}"), 204)
    assert "no problems" in done(target.run("check"))


def test_who_owns_it_there(make_server):
    source, target = Side(make_server, False), Side(make_server, False)
    boss = PlatformUser(source.server, "boss@example.com")
    project = boss.create_project("Theirs")
    project.member("Viewer", source.owner)
    suspend(project)
    target.server.stop()
    complains(source.move("theirs", target), "no owner of the project (boss@example.com) has an account here")
    complains(source.move("theirs", target, "--owner", "nobody@example.com"), "no account here")
    # The server of the source runs the command, in another directory.
    (target.data.parent / "target").write_text(target.data.name + "\n")
    named = ("--to-file", "target", "--owner", OWNER, "--json")
    report = result(run("move", "--project", "theirs", *named, data=source.data, cwd=target.data.parent))
    assert (report["members"], report["invited"]) == (1, 1)
    target.restart()
    assert target.projects()["theirs"]["role"] == "Owner"


@pytest.mark.parametrize("to_mongo", [False, True])
def test_it_counts_for_the_plan_of_its_owner_there(make_server, to_mongo):
    source, target = Side(make_server, False, BILLED), Side(make_server, to_mongo, BILLED)
    project = filled(source)
    suspend(project)
    target.owner.create_project("Taken")

    def allow(projects: int) -> None:
        limits = {"limits": {"maxProjects": projects}}
        ok(target.owner.put(f"/control/admin/users/{target.owner.id}/limits", limits), 204)
        target.server.stop()

    allow(1)
    complains(source.move("shop", target), "plan limit: maxProjects: ")
    assert "no problems" in done(target.run("check"))
    assert source.projects()["shop"]["status"] == "suspended"
    target.restart()
    assert list(target.projects()) == ["taken"]
    allow(2)
    done(source.move("shop", target))
    target.restart()
    assert sorted(target.projects()) == ["shop", "taken"]
    assert len(target.take(project.id).admin.list("Things", limit=1000)) == 40


def test_without_a_server_it_is_suspended_at_the_end(make_server):
    source, target = Side(make_server, False), Side(make_server, True)
    project = filled(source)
    source.server.stop()
    target.server.stop()
    done(source.move(project.id, target))
    source.restart()
    assert source.projects()["shop"]["status"] == "suspended"
    target.restart()
    assert target.projects()["shop"]["status"] == "suspended"
    assert len(target.take(project.id).admin.list("Things", limit=1000)) == 40


def test_two_at_once_into_one_target(make_server):
    """Two projects both arrive; of one project one move does, and the other says why it does not."""
    sources = [Side(make_server, False) for _ in range(2)]
    target = Side(make_server, True)
    projects = [each.owner.create_project(name) for each, name in zip(sources, ("First", "Second"))]
    for each in projects:
        things = each.collection("Things")
        each.fill(things, 300, lambda n: {"n": n})
        suspend(each)
    target.server.stop()

    def begin(source: Side, project: Project) -> subprocess.Popen:
        line = line_of("move", "--project", project.slug, *target.as_target(), data=source.data)
        return subprocess.Popen(line, env=environment(source.data, source.store), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    moves = [begin(source, project) for source, project in zip(sources, projects)]
    for each in moves:
        out, error = each.communicate(timeout=120)
        assert each.returncode == 0, (out, error)
    target.restart()
    for each in projects:
        assert len(target.take(each.id).admin.list("Things", limit=1000)) == 300
    target.server.stop()

    # The same one, out of a database that no server has open, so that two commands can read it.
    home = Side(make_server, True)
    project = home.owner.create_project("Third")
    project.fill(project.collection("Things"), 300, lambda n: {"n": n})
    suspend(project)
    home.server.stop()
    ended = [each.communicate(timeout=120) + (each.returncode,) for each in [begin(home, project) for _ in range(2)]]
    assert sorted(code for *_, code in ended) == [0, 1], ended
    error = next(error for _, error, code in ended if code == 1).decode()
    assert "is in the target already" in error or "during the restore" in error, error
    assert "no problems" in done(target.run("check"))
    target.restart()
    assert len(target.take(project.id).admin.list("Things", limit=1000)) == 300


def begun_in(target: Side) -> None:
    """Waits until documents of a moved project are written."""
    if target.store:
        name = target.store["MONGO_URL"].split("/")[3].split("?")[0]
        with pymongo.MongoClient(target.store["MONGO_URL"]) as client:
            wait_until(lambda: any(each.startswith(f"{name}_p") for each in client.list_database_names()), 60)
        return
    log = target.data / "store"
    size = sum(each.stat().st_size for each in log.glob("*.log"))
    wait_until(lambda: sum(each.stat().st_size for each in log.glob("*.log")) > size + 100_000, 60)


def test_a_database_that_cannot_be_written(make_server, tmp_path):
    mongo = mongo_server.MongoServer(tmp_path)
    try:
        roles = {"root": "root", "reader": "readAnyDatabase"}
        for user, role in roles.items():
            mongo.run("admin", {"createUser": user, "pwd": "pwd", "roles": [{"role": role, "db": "admin"}]})
        source, target = Side(make_server, False), Side(make_server, False)
        project = source.owner.create_project("Shop")
        suspend(project)
        target.server.stop()

        def url(user: str) -> str:
            return f"mongodb://{user}:pwd@127.0.0.1:{mongo.port}/t?replicaSet=secantus&authSource=admin"

        done(target.run("move", "--to", url("root")))
        mongo.stop()
        mongo.start("--auth")
        line = ("move", "--project", "shop", "--to-data", target.data, "--to")
        complains(source.run(*line, url("reader")), "--to: ")
        complains(source.run(*line, url("nobody")), "--to: ")
        done(source.run(*line, url("root")))
        mongo.stop()
        target.server.settings |= {"MONGO_URL": url("root")}
        mongo.start("--auth")
        target.restart()
        assert target.projects()["shop"]["status"] == "suspended"
        target.server.stop()
    finally:
        mongo.kill()


def test_a_database_that_cannot_be_reached(make_server):
    source, target = Side(make_server, False), Side(make_server, False)
    project = filled(source)
    suspend(project)
    target.server.stop()
    url = f"mongodb://127.0.0.1:{free_port()}/t?replicaSet=secantus"
    complains(source.run("move", "--project", "shop", "--to", url, "--to-data", target.data), "--to: the database does not respond")
    assert source.projects()["shop"]["status"] == "suspended"
    # What the directory itself has is as it was, and the project is moved nowhere else.
    target.restart()
    assert target.projects() == {}
    ok(source.owner.post(f"/control/projects/{project.id}/resume"), 204)
    assert len(project.admin.list("Things", limit=1000)) == 40


@pytest.mark.long(run="mongo_pair")
@pytest.mark.parametrize("to_mongo", [True, False])
def test_a_killed_move_of_a_project_leaves_none(make_server, to_mongo):
    source, target = Side(make_server, True), Side(make_server, to_mongo)
    project = source.owner.create_project("Shop")
    project.fill(project.collection("Things"), 2000, lambda n: {"n": n, "pad": "x" * 300})
    suspend(project)
    source.server.stop()
    target.server.stop()
    moving = subprocess.Popen(
        line_of("move", "--project", "shop", *target.as_target(), data=source.data),
        env=environment(source.data, source.store),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    begun_in(target)
    moving.kill()
    assert moving.wait() != 0
    assert "no problems" in done(source.run("check"))
    assert "no problems" in done(target.run("check"))
    target.restart()
    assert target.projects() == {}
    target.server.stop()
    assert "all were compared" in done(source.move("shop", target))
    target.restart()
    assert len(target.take(project.id).admin.list("Things", limit=1000, skip=1500)) == 500
