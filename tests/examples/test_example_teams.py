"""examples/teams: its README word for word, and each way to a document, file and membership crossed with each caller.

Red and Blue are teams. Ann owns Red, Ben is a viewer of it; Cleo owns Blue, Dan is an editor of it. Eve was an editor
of both and has been removed; a visitor has no token."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from support.client import Api, EndUser, ok, refused, unique
from support.commands import done
from support.function import http_function
from support.realtime import Live, Marker
from support.server import ROOT
from support.waiting import wait_until
from support.walkthrough import fenced, section



EXAMPLE = "teams"
TUS = {"tus-resumable": "1.0.0"}
BYTES = {**TUS, "content-type": "application/offset+octet-stream"}
NEAR = [1.0, 0.0]
RANKS = ("nobody", "viewer", "editor", "owner")
ROLES = {
    "red": {"ann": "owner", "ben": "viewer"},
    "blue": {"cleo": "owner", "dan": "editor"},
}
OWNERS = {"red": "ann", "blue": "cleo"}
OTHER = {"red": "blue", "blue": "red"}
DENIED = (401, 403, 404)


def test_its_walk_through(make_server, walk):
    server = make_server({"SERVICE_TRUSTED_PROXIES": None}).start()  # as ./run does
    output = "".join(block.output for block in walk(server, EXAMPLE))
    assert '"passed":4,"failed":0' in output
    assert '"assignee":{"id"' in output and '"name":"ben"' in output
    assert '{"what":"changed","title":"Buy tea","who":{"name":"ann"}' in output


# ---- the world of the matrix


class World:
    """Two teams with a task, a comment and a file each, and who is in them."""

    def __init__(self, folder, project):
        self.project, self.admin, self.server = project, project.admin, project.server
        self.run = f"/api/v1/run/{project.slug}"
        # Search needs vectors, which the example does not have.
        tasks = folder.read("collections/tasks.json")
        tasks["schema"]["properties"]["place"] = {"type": "array", "items": {"type": "number"}}
        folder.write("collections/tasks.json", tasks)
        folder.write("vectors/tasks.json", {"collection": "tasks", "fields": [{"name": "place", "dimensions": 2}]})
        done(folder.run("variables set", "APP_URL", "--value", "https://app.example.com"))
        done(folder.run("push", "--yes"))
        people = ("ann", "ben", "cleo", "dan", "eve")
        self.people: dict[str, Api] = {name: EndUser(project) for name in people}
        self.people["visitor"] = project.public()
        self.ids = {name: self.people[name].id for name in people}
        self.teams = {team: self.found(owner) for team, owner in OWNERS.items()}
        for name, team, role in (
            ("ben", "red", "viewer"),
            ("dan", "blue", "editor"),
            ("eve", "red", "editor"),
            ("eve", "blue", "editor"),
        ):
            self.join(self.people[name], self.link(team, role))
        self.tasks = {team: self.task(team) for team in ROLES}
        self.files = {team: self.file(team) for team in ROLES}
        self.comments = {team: self.comment(team) for team in ROLES}
        self.astray = self.plant()
        for team, owner in OWNERS.items():
            membership = self.membership(team, "eve")
            ok(self.people[owner].delete(f"/memberships/{membership}"), 204)

    # Endpoints of functions have bodies of their own, so they are not called by Api.
    def call(self, caller: Api, path: str, body: dict):
        headers = {"authorization": f"Bearer {caller.token}"} if caller.token else {}
        return self.server.http.post(f"{self.run}{path}", json=body, headers=headers)

    def found(self, owner: str) -> str:
        return ok(self.call(self.people[owner], "/teams", {"name": unique("Team")}), 201)["id"]

    def link(self, team: str, role: str = "viewer") -> str:
        path = f"/teams/{self.teams[team]}/invitations"
        made = ok(self.call(self.people[OWNERS[team]], path, {"role": role}), 201)
        assert made["link"] == f"https://app.example.com/join#{made['token']}"
        return made["token"]

    def join(self, caller: Api, token: str) -> None:
        ok(self.call(caller, "/join", {"token": token}), 201)

    def membership(self, team: str, name: str) -> str:
        filter = {"teamId": self.teams[team], "userId": self.ids[name]}
        (found,) = self.people[OWNERS[team]].list("memberships", filter)
        return found["id"]

    def task(self, team: str, **more) -> str:
        owner = self.people[OWNERS[team]]
        body = {"teamId": self.teams[team], "title": unique("task"), "place": NEAR, **more}
        return owner.create("tasks", body)["id"]

    def comment(self, team: str, task: str | None = None) -> str:
        body = {"task": task or self.tasks[team], "teamId": self.teams[team], "text": "…"}
        return self.people[OWNERS[team]].create("comments", body)["id"]

    def plant(self) -> dict[str, str]:
        """Comments of a team on a task of the other, as only faulty code could write them."""
        code = "return await ctx.db.insertOne('comments', ctx.request.body);"
        function = http_function(self.project, code, method="POST")
        planted = {}
        for team, other in OTHER.items():
            body = {"task": self.tasks[team], "teamId": self.teams[other], "text": "astray"}
            planted[team] = ok(self.server.http.post(f"{self.run}{function.path}", json=body))["id"]
        function.delete()
        return planted

    def path(self, team: str, task: str | None = None, name: str | None = None) -> str:
        return f"/storage/attachments/{self.teams[team]}/{task or self.tasks[team]}/{name or unique('file')}"

    def tagged(self, team: str) -> dict:
        return {"content-type": "text/plain", "x-service-metadata": json.dumps({"team": self.teams[team]})}

    def file(self, team: str) -> str:
        path = self.path(team)
        ok(self.people[OWNERS[team]].put(path, content=b"hello", headers=self.tagged(team)), 201)
        return path

    def stored(self, path: str) -> tuple:
        """What the administrators see of a file."""
        answer = self.admin.get(path)
        if answer.status_code == 404:
            return ()
        bucket, at = path.removeprefix("/storage/").split("/", 1)
        (listed,) = ok(self.admin.get(f"/storage/{bucket}", params={"prefix": at}))["files"]
        return answer.content, listed["metadata"], listed["etag"]

    def document(self, collection: str, id: str) -> dict | None:
        answer = self.admin.get(f"/admin/collections/{collection}/documents/{id}")
        return ok(answer)["document"] if answer.status_code == 200 else None

    def count(self, collection: str, team: str) -> int:
        params = {"filter": json.dumps({"teamId": self.teams[team]})}
        return ok(self.admin.get(f"/admin/collections/{collection}/documents", params=params))["total"]


@pytest.fixture(scope="module")
def world(folder, project):
    return World(folder, project)


@pytest.fixture(scope="module")
def marker(project):
    return Marker(project)


def passed(answer, *statuses: int) -> bool:
    """Returns whether a call succeeded; a refusal must be one of the known ones."""
    assert answer.status_code in (*statuses, *DENIED), (answer.status_code, answer.text)
    return answer.status_code in statuses


def queried(caller: Api, text: str):
    """Returns the data of a GraphQL request, None if it is refused or a part of it is."""
    answer = caller.post("/graphql", {"query": text})
    if answer.status_code == 401:
        return None
    body = ok(answer)
    for error in body.get("errors", []):
        # A caller without the rule does not even see the field.
        assert error["extensions"]["code"] in ("FORBIDDEN", "NOT_FOUND", "INVALID_BODY", "VALIDATION"), error
    return None if body.get("errors") else body["data"]


# ---- ways to a task: each returns whether the caller reached that of the team


def get(world, caller, team):
    return passed(caller.get(f"/tasks/{world.tasks[team]}"), 200)


def list_all(world, caller, team):
    answer = caller.get("/tasks", params={"limit": 1000})
    return passed(answer, 200) and world.tasks[team] in [each["id"] for each in answer.json()["documents"]]


def list_filtered(world, caller, team):
    answer = caller.get("/tasks", params={"filter": json.dumps({"teamId": world.teams[team]})})
    return passed(answer, 200) and answer.json()["documents"] != []


def expand(world, caller, team):
    """By a comment of the team on its task."""
    answer = caller.get(f"/comments/{world.comments[team]}", params={"expand": "task"})
    return passed(answer, 200) and isinstance(answer.json()["document"]["task"], dict)


def expand_astray(world, caller, team):
    """By a comment of the other team: those who can read it get the id of the task and nothing of it."""
    answer = caller.get(f"/comments/{world.astray[team]}", params={"expand": "task"})
    if passed(answer, 200):
        return answer.json()["document"]["task"] != world.tasks[team]
    return False


def expand_team(world, caller, team):
    answer = caller.get(f"/tasks/{world.tasks[team]}", params={"expand": "teamId"})
    return passed(answer, 200) and "name" in answer.json()["document"]["teamId"]


def graphql_by_id(world, caller, team):
    data = queried(caller, f'{{ tasksById(id: "{world.tasks[team]}") {{ title }} }}')
    return bool(data and data["tasksById"])


def graphql_list(world, caller, team):
    data = queried(caller, "{ tasks(limit: 1000) { id } }")
    return bool(data and world.tasks[team] in [each["id"] for each in data["tasks"]])


def graphql_count(world, caller, team):
    data = queried(caller, f'{{ tasksCount(filter: {{id: "{world.tasks[team]}"}}) }}')
    return bool(data and data["tasksCount"])


def graphql_relation(world, caller, team):
    data = queried(caller, f'{{ commentsById(id: "{world.astray[team]}") {{ task {{ title }} }} }}')
    return bool(data and data["commentsById"] and data["commentsById"]["task"])


def search(world, caller, team):
    filter = {"teamId": world.teams[team]}
    answer = caller.post("/tasks/search", {"vector": NEAR, "limit": 1000, "filter": filter})
    return passed(answer, 200) and world.tasks[team] in [each["id"] for each in answer.json()["results"]]


def graphql_search(world, caller, team):
    data = queried(caller, "{ tasksSearch(vector: [1, 0], limit: 1000) { id } }")
    return bool(data and world.tasks[team] in [each["id"] for each in data["tasksSearch"]])


# ---- writes of tasks and comments: "no" also means that nothing has changed


def unchanged(world, collection, id, passing):
    before = world.document(collection, id)
    if passing():
        return True
    assert world.document(collection, id) == before
    return False


def create(world, caller, team):
    before = world.count("tasks", team)
    if passed(caller.post("/tasks", {"teamId": world.teams[team], "title": "new"}), 201):
        return True
    assert world.count("tasks", team) == before
    return False


def update(world, caller, team):
    task = world.task(team)
    return unchanged(world, "tasks", task, lambda: passed(caller.patch(f"/tasks/{task}", {"state": "done"}), 204))


def replace(world, caller, team):
    task = world.task(team)
    body = {"teamId": world.teams[team], "title": "other"}
    return unchanged(world, "tasks", task, lambda: passed(caller.put(f"/tasks/{task}", body), 204))


def delete(world, caller, team):
    task = world.task(team)
    return unchanged(world, "tasks", task, lambda: passed(caller.delete(f"/tasks/{task}"), 204))


def graphql_create(world, caller, team):
    before = world.count("tasks", team)
    text = f'mutation {{ createTasks(input: {{teamId: "{world.teams[team]}", title: "new"}}) {{ id }} }}'
    if queried(caller, text):
        return True
    assert world.count("tasks", team) == before
    return False


def graphql_update(world, caller, team):
    task = world.task(team)
    text = f'mutation {{ updateTasks(id: "{task}", patch: {{state: "done"}}) {{ id }} }}'
    return unchanged(world, "tasks", task, lambda: bool(queried(caller, text)))


def graphql_delete(world, caller, team):
    task = world.task(team)
    text = f'mutation {{ deleteTasks(id: "{task}") }}'
    return unchanged(world, "tasks", task, lambda: bool(queried(caller, text)))


def move_in(world, caller, team):
    """A task of the other team becomes one of this team."""
    task = world.task(OTHER[team])
    body = {"teamId": world.teams[team]}
    return unchanged(world, "tasks", task, lambda: passed(caller.patch(f"/tasks/{task}", body), 204))


def comment(world, caller, team):
    body = {"task": world.tasks[team], "teamId": world.teams[team], "text": "hi"}
    return passed(caller.post("/comments", body), 201)


def comment_from_outside(world, caller, team):
    """A comment of the other team on a task of this one. It gets one answer, whether there is such a task or not."""
    before = world.count("comments", OTHER[team])
    answers = [
        caller.post("/comments", {"task": task, "teamId": world.teams[OTHER[team]], "text": "hi"})
        for task in (world.tasks[team], "none")
    ]
    errors = [(answer.status_code, answer.json()["error"]) for answer in answers if answer.status_code != 201]
    if len(errors) == 2:
        assert errors[0] == errors[1]
    assert world.count("comments", OTHER[team]) == before
    return len(errors) < 2


def edit_comment_of_others(world, caller, team):
    id = world.comment(team)
    if caller is world.people[OWNERS[team]]:
        return False  # it is theirs
    return unchanged(world, "comments", id, lambda: passed(caller.patch(f"/comments/{id}", {"text": "x"}), 204))


def delete_comment_of_others(world, caller, team):
    id = world.comment(team)
    return unchanged(world, "comments", id, lambda: passed(caller.delete(f"/comments/{id}"), 204))


def activity(world, caller, team):
    answer = caller.get("/activity", params={"filter": json.dumps({"teamId": world.teams[team]})})
    return passed(answer, 200) and answer.json()["documents"] != []


def write_activity(world, caller, team):
    body = {"teamId": world.teams[team], "task": world.tasks[team], "what": "deleted", "at": "2026-01-31T09:30:00Z"}
    return passed(caller.post("/activity", body), 201)


# ---- ways to a file


def file_get(world, caller, team):
    return passed(caller.get(world.files[team]), 200)


def file_head(world, caller, team):
    return passed(caller.call("HEAD", world.files[team]), 200)


def file_range(world, caller, team):
    return passed(caller.get(world.files[team], headers={"range": "bytes=0-1"}), 206)


def file_list(world, caller, team):
    answer = caller.get("/storage/attachments", params={"prefix": f"{world.teams[team]}/"})
    return passed(answer, 200) and answer.json()["files"] != []


def file_list_all(world, caller, team):
    answer = caller.get("/storage/attachments", params={"limit": 1000})
    at = world.files[team].removeprefix("/storage/attachments/")
    return passed(answer, 200) and at in [file["path"] for file in answer.json()["files"]]


def file_sign(world, caller, team):
    answer = caller.get(world.files[team], params={"sign": 60})
    if not passed(answer, 200) or "url" not in answer.json():
        return False
    parts = urlsplit(answer.json()["url"])
    assert Api(world.server).get(f"{parts.path}?{parts.query}").content == b"hello"
    return True


def kept(world, path, passing):
    """As `unchanged`, of a file."""
    before = world.stored(path)
    if passing():
        return True
    assert world.stored(path) == before
    return False


def file_put(world, caller, team):
    path = world.path(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"new", headers=world.tagged(team)), 201))


def file_put_into_other_metadata(world, caller, team):
    """Below the path of the team, with the metadata of the other."""
    path = world.path(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"x", headers=world.tagged(OTHER[team])), 201))


def file_put_untagged(world, caller, team):
    path = world.path(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"new"), 201))


def file_overwrite(world, caller, team):
    path = world.file(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"new"), 201))


def file_tag(world, caller, team):
    path = world.file(team)
    body = {"metadata": {"team": world.teams[team], "seen": True}}
    return kept(world, path, lambda: passed(caller.patch(path, body), 204))


def file_take(world, caller, team):
    """A file of the team gets the metadata of the other."""
    path = world.file(team)
    body = {"metadata": {"team": world.teams[OTHER[team]]}}
    return kept(world, path, lambda: passed(caller.patch(path, body), 204))


def file_delete(world, caller, team):
    path = world.file(team)
    return kept(world, path, lambda: passed(caller.delete(path), 204))


def begin(world, caller, path, team):
    tag = base64.b64encode(json.dumps({"team": world.teams[team]}).encode()).decode()
    headers = {**TUS, "upload-length": "3", "upload-metadata": f"metadata {tag}"}
    answer = caller.post(path, headers=headers)
    return answer.headers["location"].removeprefix("/api/v1") if passed(answer, 201) else None


def send(caller, address):
    return passed(caller.patch(address, content=b"new", headers={**BYTES, "upload-offset": "0"}), 204)


def tus_create(world, caller, team):
    path = world.path(team)

    def uploads():
        address = begin(world, caller, path, team)
        return address is not None and send(caller, address)

    return kept(world, path, uploads)


def tus_overwrite(world, caller, team):
    path = world.file(team)

    def uploads():
        address = begin(world, caller, path, team)
        return address is not None and send(caller, address)

    return kept(world, path, uploads)


def tus_of_others(world, caller, team):
    """The upload that the owner of the team has begun."""
    path = world.path(team)
    owner = world.people[OWNERS[team]]
    address = begin(world, owner, path, team)
    if caller is owner:
        return False  # it is theirs
    assert not passed(caller.call("HEAD", address, headers=TUS), 204)
    return kept(world, path, lambda: send(caller, address))


# ---- ways into a team


def members(world, caller, team):
    answer = caller.get("/memberships", params={"filter": json.dumps({"teamId": world.teams[team]})})
    return passed(answer, 200) and answer.json()["documents"] != []


def make_oneself_member(world, caller, team):
    body = {"teamId": world.teams[team], "userId": getattr(caller, "id", "x"), "role": "owner"}
    before = world.count("memberships", team)
    joined = passed(caller.post("/memberships", body), 201)
    text = ", ".join(f"{name}: {json.dumps(value)}" for name, value in body.items())
    joined = joined or bool(queried(caller, f"mutation {{ createMemberships(input: {{{text}}}) {{ id }} }}"))
    assert world.count("memberships", team) == before
    return joined


def someone(world, team) -> str:
    """A membership of another person, who joins for it."""
    user = world.project.end_user()
    world.join(user, world.link(team))
    (found,) = user.list("memberships", {"userId": user.id})
    return found["id"]


def set_role(world, caller, team):
    id = someone(world, team)
    return unchanged(
        world, "memberships", id, lambda: passed(caller.patch(f"/memberships/{id}", {"role": "editor"}), 204)
    )


def move_member(world, caller, team):
    id = someone(world, OTHER[team])
    body = {"teamId": world.teams[team]}
    return unchanged(world, "memberships", id, lambda: passed(caller.patch(f"/memberships/{id}", body), 204))


def remove_member(world, caller, team):
    id = someone(world, team)
    return unchanged(world, "memberships", id, lambda: passed(caller.delete(f"/memberships/{id}"), 204))


def invite(world, caller, team):
    before = world.count("invitations", team)
    answer = world.call(caller, f"/teams/{world.teams[team]}/invitations", {"role": "viewer"})
    if passed(answer, 201):
        return True
    assert world.count("invitations", team) == before
    return False


def read_invitations(world, caller, team):
    world.link(team)
    answer = caller.get("/invitations", params={"filter": json.dumps({"teamId": world.teams[team]})})
    if not passed(answer, 200):
        return False
    assert "tokenHash" not in answer.text
    return answer.json()["documents"] != []


def write_invitation(world, caller, team):
    body = {"teamId": world.teams[team], "role": "editor", "tokenHash": unique(), "invitedBy": world.ids[OWNERS[team]]}
    return passed(caller.post("/invitations", {**body, "expiresAt": "2100-01-01T00:00:00Z"}), 201)


def rename_team(world, caller, team):
    id = world.teams[team]
    return unchanged(world, "teams", id, lambda: passed(caller.patch(f"/teams/{id}", {"name": unique("Team")}), 204))


# What a caller must be in the team at least. `None`: nobody may.
WAYS = {
    "viewer": [
        get, list_all, list_filtered, expand, expand_team, graphql_by_id, graphql_list, graphql_count, search,
        graphql_search, comment, activity, file_get, file_head, file_range, file_list, file_list_all, file_sign,
        members,
    ],
    "editor": [
        create, update, replace, delete, graphql_create, graphql_update, graphql_delete, file_put, file_overwrite,
        file_tag, file_delete, tus_create, tus_overwrite,
    ],
    "owner": [delete_comment_of_others, set_role, remove_member, invite, read_invitations, rename_team],
    None: [
        expand_astray, graphql_relation, move_in, comment_from_outside, edit_comment_of_others, write_activity,
        file_put_into_other_metadata, file_put_untagged, file_take, tus_of_others, make_oneself_member, move_member,
        write_invitation,
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
