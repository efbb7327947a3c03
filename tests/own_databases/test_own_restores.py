"""Restores and moves of projects on their owner's database: what was copied from its changes, and whose database it is."""

import base64

import pymongo
import pytest

from support import mongo_server
from support.backup import read_records
from support.client import Api, PlatformUser, Project, ok, refused
from support.commands import complains, done, result, run
from support.own_database import SETTINGS, as_their_owner, fresh, made, starts
from support.realtime import Live
from support.waiting import wait_until

SECRET = base64.b64encode(bytes(range(100, 132))).decode()
OTHER_SECRET = base64.b64encode(bytes(range(32))).decode()


def deployed(make_server, secret: str = SECRET):
    server = make_server({**SETTINGS, "SERVICE_SECRET": secret}).start()
    return server, PlatformUser(server, "owner@example.com")


def command(name: str, *arguments, server, secret: str = SECRET):
    return run(name, *arguments, data=server.data, settings={"SERVICE_SECRET": secret})


def of(owner: PlatformUser, id: str) -> Project:
    return Project(owner, ok(owner.get(f"/control/projects/{id}"))["project"])


def codes(project: Project) -> list:
    checked = ok(project.owner.post(f"/control/projects/{project.id}/database/check"))
    return [warning["code"] for warning in checked.get("warnings", [])]


def missed(project: Project) -> list:
    """The audit entries of changes that were missed."""
    entries = ok(project.admin.get("/admin/audit", params={"action": "database.changes_missed"}))["entries"]
    return [each for each in entries if each["action"] == "database.changes_missed"]


def reads(project: Project, posts: str, id: str) -> None:
    """Waits until the database is opened, and checks the document."""
    wait_until(lambda: project.admin.get(f"/{posts}/{id}").status_code != 503, 60)
    assert ok(project.admin.get(f"/{posts}/{id}"))["document"]["n"] == 1


def stream_of(backup) -> dict | None:
    """Where the copying of changes continues, in the backup of a project."""
    system = None
    for record in read_records(backup):
        system = record["system"]["name"] if "system" in record else system
        if "document" in record and system == "__own_stream":
            return record["document"]
    return None


@pytest.fixture
def shop(make_server, database):
    """A server, its owner, a project on the database with a document, and a backup of the whole deployment."""
    server, owner = deployed(make_server)
    project = Project(owner, made(owner, database))
    posts = project.collection("posts")
    id = project.admin.create(posts, {"n": 1})["id"]
    with pymongo.MongoClient(database) as client:
        starts(project, client.get_default_database())
    return server, owner, project, id


def test_a_restored_deployment_says_what_it_missed(shop, database, make_server, tmp_path):
    server, _, project, id = shop
    done(command("backup", "--to", tmp_path / "b", server=server))
    server.stop()
    with as_their_owner(database) as theirs:
        theirs.posts.insert_one({"id": "between", "n": 3})
        data = tmp_path / "data"
        restored = make_server({**SETTINGS, "SERVICE_SECRET": SECRET}, data=data)
        done(command("restore", "--from", tmp_path / "b", server=restored))
        assert "no problems" in done(command("check", server=restored))
        restored.start()
        owner = PlatformUser.__new__(PlatformUser)
        Api.__init__(owner, restored)
        owner.email = "owner@example.com"
        owner.login()
        again = of(owner, project.id)
        reads(again, "posts", id)
        wait_until(lambda: len(missed(again)) == 1, 60)
        assert "changes-missed" in codes(again)
        with Live(restored, again.admin.token) as live:
            live.follow("posts")
            theirs.posts.insert_one({"id": "later", "n": 4})
            # Not the one from before.
            assert live.event()["document"]["id"] == "later"
        restored.stop()
        # Once.
        restored.start()
        owner.login()
        again = of(owner, project.id)
        with Live(restored, again.admin.token) as live:
            live.follow("posts")
            theirs.posts.insert_one({"id": "last", "n": 5})
            assert live.event()["document"]["id"] == "last"
        assert len(missed(again)) == 1


@pytest.mark.parametrize("kind", ["project", "whole"])
def test_a_deleted_project_gets_its_database_back(shop, tmp_path, kind):
    server, owner, project, id = shop
    one = ["--project", project.slug]
    done(command("backup", "--to", tmp_path / "b", *(one if kind == "project" else ()), server=server))
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    done(command("restore", "--from", tmp_path / "b", *one, server=server))
    again = of(owner, project.id)
    reads(again, "posts", id)
    wait_until(lambda: len(missed(again)) == 1, 60)
    assert "changes-missed" in codes(again)


def test_a_copy_needs_a_database_of_its_own(shop, mongo, tmp_path):
    server, owner, project, id = shop
    done(command("backup", "--to", tmp_path / "b", "--project", project.slug, server=server))
    line = ("--from", tmp_path / "b", "--project", project.slug, "--as", "copy", "--json")
    report = result(command("restore", *line, server=server))
    copy = of(owner, report["id"])
    assert copy.wire["byo"] is True
    refused(copy.admin.get("/posts"), 503, "UNAVAILABLE")
    refused(owner.post(f"/control/projects/{copy.id}/database/check"), 409, "CONFLICT")
    refused(copy.admin.get("/posts"), 503, "UNAVAILABLE")
    with as_their_owner(fresh(mongo)) as theirs:
        theirs.posts.insert_one({"id": "own", "n": 7})
        url = f"mongodb://127.0.0.1:{mongo.port}/{theirs.name}?replicaSet=secantus"
        ok(owner.patch(f"/control/projects/{copy.id}", {"mongoUrl": url}, params={"force": "1"}), 204)
        assert [each["n"] for each in copy.admin.list("posts")] == [7]
    # The original is as it was.
    reads(project, "posts", id)


@pytest.mark.parametrize("same_secret", [True, False])
def test_another_deployment_asks_for_the_address_it_cannot_read(shop, database, make_server, tmp_path, same_secret):
    server, _, project, id = shop
    done(command("backup", "--to", tmp_path / "b", "--project", project.slug, server=server))
    server.stop()
    secret = SECRET if same_secret else OTHER_SECRET
    other, owner = deployed(make_server, secret)
    done(command("restore", "--from", tmp_path / "b", "--project", project.slug, server=other, secret=secret))
    there = of(owner, project.id)
    assert there.wire["byo"] is True
    if not same_secret:
        refused(there.admin.get("/posts"), 503, "UNAVAILABLE")
        checked = ok(owner.post(f"/control/projects/{there.id}/database/check"))
        assert checked["reachable"] is False
        assert "not-reachable" in [warning["code"] for warning in checked["warnings"]]
        ok(owner.patch(f"/control/projects/{there.id}", {"mongoUrl": database}), 204)
    reads(there, "posts", id)


@pytest.mark.embedded("names the store of each server itself")
@pytest.mark.parametrize("to_mongo", [False, True])
def test_a_moved_project_loses_no_change(shop, database, make_server, tmp_path, to_mongo):
    server, owner, project, id = shop
    target, there = deployed(make_server, OTHER_SECRET)
    target.stop()
    arguments = ("--to", target.data)
    if to_mongo:
        url = mongo_server.shared().database_of(target.data)
        done(command("move", "--to", url, server=target, secret=OTHER_SECRET))
        target.settings |= {"MONGO_URL": url}
        arguments = ("--to", url, "--to-data", target.data)
    secret = tmp_path / "secret"
    secret.write_text(OTHER_SECRET)
    line = ("move", "--project", project.slug, *arguments, "--to-secret-file", secret)
    complains(command(*line, server=server), "is not suspended")
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    done(command("backup", "--to", tmp_path / "before", "--project", project.slug, server=server))
    done(command(*line, server=server))
    target.start()
    there.login()
    settings = {"SERVICE_SECRET": OTHER_SECRET, **({"MONGO_URL": target.settings["MONGO_URL"]} if to_mongo else {})}
    done(run("backup", "--to", tmp_path / "after", "--project", project.slug, data=target.data, settings=settings))
    token = stream_of(tmp_path / "before")["token"]
    assert token and stream_of(tmp_path / "after")["token"] == token
    with as_their_owner(database) as theirs:
        theirs.posts.insert_one({"id": "between", "n": 3})
        ok(there.post(f"/control/projects/{project.id}/resume"), 204)
        moved = of(there, project.id)
        reads(moved, "posts", id)
        assert "changes-missed" not in codes(moved)
        with Live(target, moved.admin.token) as live:
            live.follow("posts")
            theirs.posts.insert_one({"id": "later", "n": 4})
            wait_until(lambda: live.event()["document"]["id"] == "later", 60)
        assert missed(moved) == []
