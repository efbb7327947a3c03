"""examples/teams: its README word for word, and each way to a document, file and membership (teams_*.py) crossed with each
caller."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import teams_documents as documents
import teams_files as files
import teams_members as members
from support.client import Api, ok, refused
from support.commands import done
from support.realtime import Live, Marker
from support.server import ROOT
from support.waiting import wait_until
from support.walkthrough import fenced, section
from teams_world import OWNERS, ROLES, World

EXAMPLE = "teams"
RANKS = ("nobody", "viewer", "editor", "owner")


def test_its_walk_through(make_server, walk):
    server = make_server({"SERVICE_TRUSTED_PROXIES": None}).start()  # as ./run does
    output = "".join(block.output for block in walk(server, EXAMPLE))
    assert '"passed":4,"failed":0' in output
    assert '"assignee":{"id"' in output and '"name":"ben"' in output
    assert '{"what":"changed","title":"Buy tea","who":{"name":"ann"}' in output


@pytest.fixture(scope="module")
def world(folder, project):
    return World(folder, project)


@pytest.fixture(scope="module")
def marker(project):
    return Marker(project)


# What a caller must be in the team at least. `None`: nobody may.
WAYS = {
    "viewer": [
        documents.get, documents.list_all, documents.list_filtered, documents.expand, documents.expand_team,
        documents.graphql_by_id, documents.graphql_list, documents.graphql_count, documents.search,
        documents.graphql_search, documents.comment, documents.activity, files.file_get, files.file_head,
        files.file_range, files.file_list, files.file_list_all, files.file_sign, members.members,
    ],
    "editor": [
        documents.create, documents.update, documents.replace, documents.delete, documents.graphql_create,
        documents.graphql_update, documents.graphql_delete, files.file_put, files.file_overwrite, files.file_tag,
        files.file_delete, files.tus_create, files.tus_overwrite,
    ],
    "owner": [
        documents.delete_comment_of_others, members.set_role, members.remove_member, members.invite,
        members.read_invitations, members.rename_team,
    ],
    None: [
        documents.expand_astray, documents.graphql_relation, documents.move_in, documents.comment_from_outside,
        documents.edit_comment_of_others, documents.write_activity, files.file_put_into_other_metadata,
        files.file_put_untagged, files.file_take, files.tus_of_others, members.make_oneself_member,
        members.move_member, members.write_invitation,
    ],
}  # fmt: skip
CALLERS = ("ann", "ben", "cleo", "dan", "eve", "visitor")


@pytest.mark.parametrize("team", ROLES)
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("way, needed", [(way, needed) for needed, ways in WAYS.items() for way in ways])
def test_who_reaches_what(world, way, needed, caller, team):
    rank = RANKS.index(ROLES[team].get(caller, "nobody"))
    expected = needed is not None and rank >= RANKS.index(needed)
    assert way(world, world.people[caller], team) is expected


@pytest.mark.parametrize("team", ROLES)
def test_whose_sockets_hear_of_what(world, marker, team):
    """One change of each kind; each person's socket gets it, or nothing."""
    sockets = {}
    refusal = {"type": "auth", "anonymous": True}
    with Live(world.server, query=f"?project={world.project.slug}") as live:
        live.say(refusal)
        live.error("AUTH_FAILED")
    try:
        for name in CALLERS[:-1]:
            live = sockets[name] = Live(world.server, world.people[name].token)
            marker.follow(live)
            live.follow("tasks", id="all")
            live.follow("tasks", id="open", filter={"state": "open"}, fields=["title"], leave=True)
        owner = world.people[OWNERS[team]]
        task = world.task(team)
        ok(owner.patch(f"/tasks/{task}", {"state": "done"}), 204)
        ok(owner.delete(f"/tasks/{task}"), 204)
        expected = {"all": ["insert", "update", "delete"], "open": ["insert", "leave"]}
        for name, live in sockets.items():
            heard = {"all": [], "open": []}
            for message in marker.rest(live):
                heard[message["subscription"]].append(message["event"]["type"])
                assert message["event"]["documentId"] == task
            assert heard == (expected if name in ROLES[team] else {"all": [], "open": []}), name
    finally:
        for live in sockets.values():
            live.close()


def test_the_messages_of_its_readme(world, marker):
    """What the README says that a socket gets, until the end of the membership."""
    ann, ben = world.people["ann"], world.project.end_user()
    world.join(ben, world.link("red"))
    (block,) = fenced(section((ROOT / "examples/teams/README.md").read_text(), "Realtime"), "json")
    lines = block.replace("$BEN", ben.token).replace("$RED", world.teams["red"]).splitlines()
    with Live(world.server) as live:
        for line, reply in zip(lines, ({"type": "auth_ok"}, {"type": "subscribed", "id": "tasks"}), strict=True):
            live.say(line)
            assert live.next() == reply
        task = world.task("red")
        assert live.event("tasks")["type"] == "insert"
        ok(ann.patch(f"/tasks/{task}", {"state": "done"}), 204)
        assert live.event("tasks")["type"] == "leave"
        marker.follow(live)
        (membership,) = ben.list("memberships", {"userId": ben.id})
        ok(ann.delete(f"/memberships/{membership['id']}"), 204)
        world.task("red")
        assert marker.rest(live) == [{"type": "reset", "id": "tasks"}]


# ---- links


def test_a_link_makes_one_membership(world):
    users = [world.project.end_user() for _ in range(6)]
    token = world.link("red")
    before = world.count("memberships", "red")
    with ThreadPoolExecutor(len(users)) as pool:
        answers = list(pool.map(lambda user: world.call(user, "/join", {"token": token}).status_code, users))
    assert sorted(answers) == [201, 404, 404, 404, 404, 404]
    assert world.count("memberships", "red") == before + 1


def test_links_that_do_not_work(world, admin):
    user = world.project.end_user()

    def refuses(token, status: int = 404, caller: Api = user) -> None:
        before = {team: world.count("memberships", team) for team in ROLES}
        assert world.call(caller, "/join", {"token": token}).status_code == status
        assert {team: world.count("memberships", team) for team in ROLES} == before

    for token in ("", "x", None, 1, {"$ne": ""}, {"$exists": True}, []):
        refuses(token)
    refuses(world.link("red"), 401, world.people["visitor"])
    # A key is no person, whatever it may do.
    refuses(world.link("red"), 401, world.project.api_key("admin"))
    refuses(world.link("red"), 409, world.people["ben"])

    # One that an owner has deleted, one that has expired, one of an owner who is one no more.
    def last() -> dict:
        return world.people["ann"].list("invitations", {"teamId": world.teams["red"]}, limit=1000)[-1]

    token = world.link("red")
    ok(world.people["ann"].delete(f"/invitations/{last()['id']}"), 204)
    refuses(token)
    token = world.link("red")
    route = f"/admin/collections/invitations/documents/{last()['id']}"
    ok(admin.patch(route, {"expiresAt": "2020-01-01T00:00:00Z"}))
    refuses(token)
    second = world.project.end_user()
    world.join(second, world.link("red", "editor"))
    (membership,) = second.list("memberships", {"userId": second.id})
    ok(world.people["ann"].patch(f"/memberships/{membership['id']}", {"role": "owner"}), 204)
    invited = world.call(second, f"/teams/{world.teams['red']}/invitations", {"role": "editor"})
    token = ok(invited, 201)["token"]
    ok(world.people["ann"].delete(f"/memberships/{membership['id']}"), 204)
    refuses(token)
    refuses(token, caller=second)


def test_the_last_owner_stays(world):
    ann = world.people["ann"]
    hers = world.membership("red", "ann")
    refused(ann.delete(f"/memberships/{hers}"), 400, "VALIDATION")
    refused(ann.patch(f"/memberships/{hers}", {"role": "editor"}), 400, "VALIDATION")
    ben = world.membership("red", "ben")
    ok(ann.patch(f"/memberships/{ben}", {"role": "owner"}), 204)
    ok(ann.patch(f"/memberships/{ben}", {"role": "viewer"}), 204)
    viewer = world.project.end_user()
    world.join(viewer, world.link("red"))
    (membership,) = viewer.list("memberships", {"userId": viewer.id})
    ok(viewer.delete(f"/memberships/{membership['id']}"), 204)
    assert viewer.list("tasks") == []


def test_a_comment_belongs_to_the_team_of_its_task(world):
    """Also for a member of both teams, who may read the task and write into either team."""
    both = world.project.end_user()
    for team in ROLES:
        world.join(both, world.link(team))
    body = {"task": world.tasks["red"], "teamId": world.teams["blue"], "text": "hi"}
    refused(both.post("/comments", body), 400, "VALIDATION")
    both.create("comments", {**body, "teamId": world.teams["red"]})


def test_the_end_of_a_team(world):
    """All of it goes, and nothing of another team."""
    dora = world.project.end_user()
    team = ok(world.call(dora, "/teams", {"name": "Green"}), 201)["id"]
    task = dora.create("tasks", {"teamId": team, "title": "t"})["id"]
    dora.create("comments", {"task": task, "teamId": team, "text": "c"})
    ok(world.call(dora, f"/teams/{team}/invitations", {"role": "viewer"}), 201)
    path = f"/storage/attachments/{team}/{task}/a.txt"
    ok(dora.put(path, content=b"x", headers={"x-service-metadata": json.dumps({"team": team})}), 201)
    wait_until(lambda: len(dora.list("activity", {"teamId": team})) == 2, what="the activity is not recorded")
    refused(world.people["ann"].delete(f"/teams/{team}"), 404)
    others = world.count("tasks", "red")
    ok(dora.delete(f"/teams/{team}"), 204)
    params = {"filter": json.dumps({"teamId": team})}

    def left() -> dict[str, int]:
        names = ("tasks", "comments", "memberships", "invitations", "activity")
        lists = {name: ok(world.admin.get(f"/admin/collections/{name}/documents", params=params)) for name in names}
        return {name: found["total"] for name, found in lists.items() if found["total"]}

    wait_until(lambda: left() == {}, what=lambda: f"left: {left()}")
    wait_until(lambda: world.admin.get(path).status_code == 404, what="the file is left")
    assert world.count("tasks", "red") == others


def test_what_is_pushed_is_what_is_pulled(world, folder):
    """The world has changed the tasks, and has collections of its own."""
    done(folder.run("pull"))
    pulled = folder.files()
    source = ROOT / "examples/teams/manybase"
    for file in source.rglob("*.*"):
        name = file.relative_to(source).as_posix()
        if file.is_file() and not name.startswith(".") and name != "collections/tasks.json":
            assert name == "meta.json" or pulled[name] == file.read_text(), name
