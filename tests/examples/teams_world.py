"""The people, teams, documents and files of examples/teams that its tests share.

Red and Blue are teams. Ann owns Red, Ben is a viewer of it; Cleo owns Blue, Dan is an editor of it. Eve was an editor
of both and has been removed; a visitor has no token."""

import json

from support.client import Api, EndUser, ok, unique
from support.commands import done
from support.function import http_function

NEAR = [1.0, 0.0]
ROLES = {
    "red": {"ann": "owner", "ben": "viewer"},
    "blue": {"cleo": "owner", "dan": "editor"},
}
OWNERS = {"red": "ann", "blue": "cleo"}
OTHER = {"red": "blue", "blue": "red"}
DENIED = (401, 403, 404)


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


def unchanged(world, collection, id, passing):
    before = world.document(collection, id)
    if passing():
        return True
    assert world.document(collection, id) == before
    return False


def kept(world, path, passing):
    """As `unchanged`, of a file."""
    before = world.stored(path)
    if passing():
        return True
    assert world.stored(path) == before
    return False
