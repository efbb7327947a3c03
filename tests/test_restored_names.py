"""Projects that are restored from a backup after their collections were renamed: webhooks, functions and references
follow the collection, whatever its name was."""

import json

import pytest

from support.backup import read_records, write_records
from support.client import Api, Project, ok, refused
from support.commands import done, result, run
from support.function import database_function
from support.hook import Hook

EXPLAIN = {"x-service-explain": "1"}
OWNED = {"list": {"filter": {"ownerId": "$auth.uid"}}, "create": {}}


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}


def rename(project: Project, name: str, to: str) -> None:
    ok(project.admin.post(f"/admin/collections/{name}/rename", {"to": to}), 204)


def backed_up(project: Project, to, whole: bool = False) -> None:
    done(run("backup", "--to", to, *(() if whole else ("--project", project.id)), data=project.owner.server.data))


def copied(project: Project, backup, slug: str) -> Api:
    """Returns an owner's token of the copy."""
    line = ("restore", "--from", backup, "--project", project.id, "--as", slug, "--json")
    return project.owner.exchange(result(run(*line, data=project.owner.server.data))["id"])


def again(project: Project, backup) -> Api:
    """Restores the project under its own id."""
    ok(project.owner.delete(f"/control/projects/{project.id}"), 204)
    done(run("restore", "--from", backup, "--project", project.id, data=project.owner.server.data))
    return project.owner.exchange(project.id)


def put(api: Api, collection: str, **document) -> None:
    ok(api.post(f"/admin/collections/{collection}/documents", document), 201)


@pytest.mark.parametrize("how", ["one project", "whole", "own id"])
def test_who_follows_a_renamed_collection(owner, receiver, tmp_path, how):
    project = owner.create_project()
    posts = project.collection("posts")
    hook = Hook(project, receiver, collection=posts)
    post = database_function(project, posts, "console.log('n', event.document.n);", ["insert"])
    pre = database_function(project, posts, "return {document: {...event.document, seen: true}};", ["insert"], timing="pre")
    rename(project, posts, "drafts")
    rename(project, "drafts", "articles")
    # The webhook and the function do not follow this new collection.
    project.collection("posts")
    # The function's first version has the old name.
    post.patch(code="export default async () => console.log('other');")
    backup = tmp_path / "b"
    backed_up(project, backup, how == "whole")
    admin = again(project, backup) if how == "own id" else copied(project, backup, f"copy-{how.replace(' ', '-')}")

    hook.admin = post.admin = pre.admin = admin
    assert hook.read()["collection"] == "articles"
    function = ok(admin.post(f"{post.route}/rollback", {"version": 1}))["function"]
    assert function["trigger"]["collection"] == "articles" and function["enabled"] is False
    for each in (hook, post, pre):
        each.patch(enabled=True)
    put(admin, "posts", n=1)
    put(admin, "articles", n=2)
    [delivery] = hook.arrived(1)
    assert (delivery.body["collection"], delivery.body["document"]["n"]) == ("articles", 2)
    assert delivery.body["document"]["seen"] is True
    [ran] = post.logged(1)
    assert (ran["status"], [line["message"] for line in ran["logs"]]) == ("success", ["n 2"])
    # They also follow the next rename.
    ok(admin.post("/admin/collections/articles/rename", {"to": "papers"}), 204)
    put(admin, "papers", n=3)
    put(admin, "posts", n=4)
    assert hook.arrived(2)[1].body["collection"] == "papers"
    assert len(post.logged(2)) == 2
    # So does a version.
    ok(admin.post("/admin/collections", {"name": "articles"}), 201)
    function = ok(admin.post(f"{post.route}/rollback", {"version": 1}))["function"]
    assert function["trigger"]["collection"] == "papers"


def referring(to: str) -> dict:
    return {"type": "object", "properties": {"by": {"type": "string", "x-ref": to}}}


def reference(api: Api, collection: str) -> str:
    return ok(api.get(f"/admin/collections/{collection}/schema"))["schema"]["properties"]["by"]["x-ref"]


def numbers_that_shift(project: Project) -> None:
    """The collections of a copy have other numbers, since indexes use some of them."""
    for name in ("authors", "others", "more"):
        project.collection(name)
    ok(project.admin.post("/admin/collections/authors/indexes", {"keys": {"n": 1}}), 201)


@pytest.mark.parametrize("renamed", [True, False])
def test_what_a_schema_refers_to(owner, tmp_path, renamed):
    project = owner.create_project()
    numbers_that_shift(project)
    project.collection("posts", schema=referring("more"))
    project.collection("gone")
    project.collection("stays", schema=referring("gone"))
    ok(project.admin.delete("/admin/collections/gone"), 204)
    wanted = "more"
    if renamed:
        rename(project, "more", "writers")
        project.collection("more")
        wanted = "writers"
    put(project.admin, wanted, id="ann")
    put(project.admin, "posts", id="first", by="ann")
    backed_up(project, tmp_path / "b")
    copy = copied(project, tmp_path / "b", f"copy-{renamed}".lower())
    assert (reference(copy, "posts"), reference(copy, "stays")) == (wanted, "gone")
    [found] = copy.list("posts", {}, expand="by")
    assert found["by"]["id"] == "ann"
    ok(copy.post(f"/admin/collections/{wanted}/rename", {"to": "people"}), 204)
    assert reference(copy, "posts") == "people"


@pytest.mark.parametrize("how", ["copy", "own id"])
def test_sets_are_those_of_the_restored_documents(owner, tmp_path, how):
    project = owner.create_project()
    numbers_that_shift(project)
    project.collection("memberships", indexes=[{"keys": {"userId": 1}}])
    teams = {"collection": "memberships", "where": {"userId": "$auth.uid"}, "value": "team"}
    ok(project.admin.put("/admin/policies/sets/teams", teams), 204)
    project.collection("tasks", policy={"list": {"filter": {"team": {"$in": "$auth.sets.teams"}}}})
    rename(project, "memberships", "members")
    project.collection("memberships")
    key = project.api_key("read")
    put(project.admin, "members", id="one", userId=key.id, team="red")
    for team in ("red", "blue"):
        put(project.admin, "tasks", team=team)
    backed_up(project, tmp_path / "b")
    ok(project.admin.patch("/admin/collections/members/documents/one", {"team": "blue"}))
    assert [task["team"] for task in key.list("tasks")] == ["blue"]

    admin = again(project, tmp_path / "b") if how == "own id" else copied(project, tmp_path / "b", "copy-of-sets")
    [found] = ok(admin.get("/admin/policies/sets"))["sets"]
    assert found["collection"] == "members"
    if how == "own id":
        assert [task["team"] for task in key.list("tasks")] == ["red"]
        ok(admin.patch("/admin/collections/members/documents/one", {"team": "blue"}))
        assert [task["team"] for task in key.list("tasks")] == ["blue"]
    refused(admin.delete("/admin/collections/members/indexes/userId_1"), 409, "CONFLICT")
    refused(admin.delete("/admin/policies/sets/teams"), 409, "CONFLICT")


def rewrite(backup, change) -> None:
    records = read_records(backup)
    for record in records:
        change(record)
    write_records(backup, records)


def test_numbers_in_a_backup_of_an_earlier_version_mean_nothing(owner, tmp_path):
    project = owner.create_project()
    numbers_that_shift(project)
    project.collection("posts", schema=referring("more"))
    backup = tmp_path / "b"
    backed_up(project, backup)

    def bind(record):
        if (record.get("collection") or {}).get("name") == "posts":
            # The first collection of a restored project has this number.
            record["collection"]["config"]["refs"] = [{"name": "more", "number": 1000}]

    rewrite(backup, bind)
    assert reference(copied(project, backup, "of-earlier"), "posts") == "more"


@pytest.mark.embedded("indexes of MongoDB hold keys only")
@pytest.mark.parametrize("whose", ["own", "default"])
def test_indexes_hold_the_owner_from_the_start(owner, tmp_path, whose):
    project = owner.create_project()
    if whose == "default":
        ok(project.admin.put("/admin/collections/*/policy", OWNED), 204)
    things = project.collection("things", policy=OWNED if whose == "own" else None, indexes=[{"keys": {"shelf": 1}}])
    users = [project.end_user() for _ in range(4)]
    for n in range(40):
        ok(users[n % 4].post(f"/{things}", {"shelf": 1, "n": n}), 201)
    backed_up(project, tmp_path / "b")
    copy = copied(project, tmp_path / "b", f"held-{whose}")
    found = ok(
        copy.get(
            f"/admin/collections/{things}/documents",
            params={"filter": json.dumps({"shelf": 1, "ownerId": users[1].id})},
            headers=EXPLAIN,
        )
    )
    assert (found["total"], found["explain"]["documentsExamined"]) == (10, 10)
    assert "no problems" in done(run("check", data=owner.server.data))
