"""Policies that ask what a caller belongs to: sets, by every way to a document."""

import json

import pytest

from support.client import ok, refused, unique
from support.function import database_function, http_function
from support.realtime import Live, Marker

MEMBERSHIP = {
    "type": "object",
    "required": ["userId", "teamId"],
    "properties": {"userId": {"type": "string"}, "teamId": {"type": "string"}, "role": {"type": "string"}},
}


class Teams:
    """Memberships, tasks that the members of a team see, comments that refer to a task."""

    def __init__(self, project):
        self.project = project
        self.admin = project.admin
        self.set = unique("set").replace("x", "X")
        self.memberships = project.collection(policy=None, schema=MEMBERSHIP, indexes=[{"keys": {"userId": 1}}])
        ok(self.define(), 204)
        mine = {"filter": {"teamId": {"$in": f"$auth.sets.{self.set}"}}}
        validated = {"validate": f"document.teamId in auth.sets.{self.set}"}
        self.tasks = project.collection(
            policy={"read": mine, "list": mine, "create": validated, "update": {**mine, **validated}, "delete": mine}
        )
        self.comments = project.collection(
            policy={"read": {}, "list": {}},
            schema={"type": "object", "properties": {"task": {"type": "string", "x-ref": self.tasks}}},
        )

    def define(self, where=None, collection=None, value="teamId", name=None):
        body = {
            "collection": collection or self.memberships,
            "where": where or {"userId": "$auth.uid"},
            "value": value,
        }
        return self.admin.put(f"/admin/policies/sets/{name or self.set}", body)

    def join(self, user, team: str) -> str:
        path = f"/admin/collections/{self.memberships}/documents"
        return ok(self.admin.post(path, {"userId": user.id, "teamId": team}), 201)["document"]["id"]

    def leave(self, membership: str) -> None:
        ok(self.admin.delete(f"/admin/collections/{self.memberships}/documents/{membership}"), 204)

    def task(self, team: str) -> str:
        path = f"/admin/collections/{self.tasks}/documents"
        return ok(self.admin.post(path, {"teamId": team}), 201)["document"]["id"]


@pytest.fixture(scope="module")
def teams(project):
    return Teams(project)


def by_rest(teams, user, task) -> bool:
    response = user.get(f"/{teams.tasks}/{task}")
    assert response.status_code in (200, 404), response.text
    return response.status_code == 200


def by_list(teams, user, task) -> bool:
    return task in [one["id"] for one in user.list(teams.tasks)]


def by_expand(teams, user, task) -> bool:
    comment = ok(teams.admin.post(f"/admin/collections/{teams.comments}/documents", {"task": task}), 201)["document"]
    found = ok(user.get(f"/{teams.comments}/{comment['id']}", params={"expand": "task"}))["document"]["task"]
    assert found == task or found["id"] == task
    return found != task


def by_graphql(teams, user, task) -> bool:
    field = f"{teams.tasks}ById"
    return ok(user.post("/graphql", {"query": f'{{ {field}(id: "{task}") {{ id }} }}'}))["data"][field] is not None


def by_graphql_list(teams, user, task) -> bool:
    answer = ok(user.post("/graphql", {"query": f"{{ {teams.tasks} {{ id }} }}"}))
    return task in [one["id"] for one in answer["data"][teams.tasks]]


def by_update(teams, user, task) -> bool:
    response = user.patch(f"/{teams.tasks}/{task}", {"seen": unique()})
    assert response.status_code in (204, 404), response.text
    return response.status_code == 204


WAYS = [by_rest, by_list, by_expand, by_graphql, by_graphql_list, by_update]


@pytest.mark.parametrize("way", WAYS)
def test_members_alone_reach_a_document(teams, alice, bob, way):
    team, other = unique("team"), unique("team")
    membership = teams.join(alice, team)
    teams.join(bob, other)
    task = teams.task(team)
    assert way(teams, alice, task)
    assert not way(teams, bob, task)
    joined = teams.join(bob, team)
    assert way(teams, bob, task), "at the next request"
    teams.leave(membership)
    assert not way(teams, alice, task)
    assert way(teams, bob, task)
    teams.leave(joined)
    assert not way(teams, bob, task)


def test_a_write_is_validated_with_the_set(teams, alice):
    team = unique("team")
    refused(alice.post(f"/{teams.tasks}", {"teamId": team}), 403, "FORBIDDEN")
    membership = teams.join(alice, team)
    document = alice.create(teams.tasks, {"teamId": team})
    refused(alice.patch(f"/{teams.tasks}/{document['id']}", {"teamId": unique("team")}), 403, "FORBIDDEN")
    teams.leave(membership)
    refused(alice.post(f"/{teams.tasks}", {"teamId": team}), 403, "FORBIDDEN")
    refused(alice.delete(f"/{teams.tasks}/{document['id']}"), 404, "NOT_FOUND")


def test_the_next_request_follows_whatever_wrote_a_membership(project, admin, alice, bob):
    teams = Teams(project)
    name = teams.memberships
    for team in ("a", "b", "c", "d"):
        teams.task(team)

    def sees() -> str:
        return "".join(task["teamId"] for task in alice.list(teams.tasks))

    def graphql(mutation: str) -> dict:
        answer = ok(admin.post("/graphql", {"query": f"mutation {{ {mutation} }}"}))
        assert "errors" not in answer, answer
        return answer["data"]

    ok(admin.put(f"/admin/collections/{name}/policy", {"create": {}, "read": {}, "update": {}, "delete": {}}), 204)
    of = name[0].upper() + name[1:]
    assert sees() == ""
    made = graphql(f'create{of}(input: {{userId: "{alice.id}", teamId: "a"}}) {{ id }}')[f"create{of}"]["id"]
    assert sees() == "a"
    graphql(f'delete{of}(id: "{made}")')
    assert sees() == ""

    function = http_function(
        project,
        f"""
        const {{ op, user, team }} = ctx.request.query;
        if (op === "insert") return ctx.db.insertOne("{name}", {{ userId: user, teamId: team }});
        if (op === "update") return ctx.db.updateMany("{name}", {{ userId: user }}, {{ $set: {{ teamId: team }} }});
        return ctx.db.deleteMany("{name}", {{ userId: user }});""",
    )
    for op, team, expected in (("insert", "b", "b"), ("insert", "c", "bc"), ("update", "d", "d"), ("delete", "", "")):
        params = {"op": op, "user": alice.id, "team": team}
        ok(admin.get(f"/run/{project.id}{function.path}", params=params))
        assert sees() == expected, op

    # A hook writes another caller's membership than the request asked for.
    code = f'return {{document: {{...event.document, userId: "{alice.id}", teamId: "a"}}}};'
    database_function(project, name, code, ["insert"], timing="pre")
    teams.join(bob, "b")
    assert sees() == "a" and bob.list(teams.tasks) == []


def test_keys_and_members_have_sets_of_their_own(teams, project):
    team = unique("team")
    task = teams.task(team)
    key, member = project.api_key("read"), project.member("Editor")
    refused(key.get(f"/{teams.tasks}/{task}"), 404)
    refused(member.get(f"/{teams.tasks}/{task}"), 404)
    teams.join(key, team)
    ok(key.get(f"/{teams.tasks}/{task}"))
    refused(member.get(f"/{teams.tasks}/{task}"), 404)


def test_sockets_follow_memberships(server, teams, project, alice, bob):
    team = unique("team")
    membership = teams.join(alice, team)
    marker = Marker(project)
    sockets = []
    for user in (alice, bob):
        live = Live(server, user.token)
        marker.follow(live)
        live.follow(teams.tasks)
        sockets.append(live)

    def seen(live) -> list[str]:
        return [one["event"]["documentId"] for one in marker.rest(live)]

    try:
        first = teams.task(team)
        assert seen(sockets[0]) == [first] and seen(sockets[1]) == []
        joined = teams.join(bob, team)
        second = teams.task(team)
        assert seen(sockets[0]) == [second] and seen(sockets[1]) == [second]
        teams.leave(membership)
        third = teams.task(team)
        assert seen(sockets[0]) == [] and seen(sockets[1]) == [third]
        teams.leave(joined)
    finally:
        for live in sockets:
            live.close()


# ---- definitions


def test_a_definition_is_listed_changed_and_deleted(teams, admin):
    name = unique("own").replace("x", "X")
    where = {"userId": "$auth.uid", "role": {"$in": ["owner", "editor"]}}
    ok(teams.define(where, name=name), 204)
    listed = {one["name"]: one for one in ok(admin.get("/admin/policies/sets"))["sets"]}
    assert listed[name] == {"name": name, "collection": teams.memberships, "where": where, "value": "teamId"}
    ok(teams.define(name=name), 204)
    ok(admin.delete(f"/admin/policies/sets/{name}"), 204)
    refused(admin.delete(f"/admin/policies/sets/{name}"), 404, "NOT_FOUND")
    assert name not in [one["name"] for one in ok(admin.get("/admin/policies/sets"))["sets"]]
    actions = [entry["action"] for entry in ok(admin.get("/admin/audit", params={"limit": 20}))["entries"]]
    assert actions.count("policySet.set") >= 2 and actions.count("policySet.delete") == 1


@pytest.mark.parametrize(
    "change, path",
    [
        ({"name": "Teams"}, "/name"),
        ({"name": "my-teams"}, "/name"),
        ({"collection": "nowhere"}, "/collection"),
        ({"where": {"userId": "$auth.uid", "n": {"$gt": 1}}}, "/where/n"),
        ({"where": {"userId": "$auth.uid", "role": "$auth.role"}}, "/where/role"),
        ({"where": {"userId": "$auth.uid", "teamId": {"$in": "$auth.sets.other"}}}, "/where/teamId"),
        ({"where": {"role": "owner"}}, "/where"),
        ({"where": {"teamId": "$auth.uid"}}, "/where"),
        ({"value": "a..b"}, "/value"),
    ],
)
def test_definitions_that_are_refused(teams, admin, change, path):
    before = ok(admin.get("/admin/policies/sets"))
    refused(teams.define(**{"name": unique("bad").replace("x", "X"), **change}), 400, "VALIDATION", path)
    assert ok(admin.get("/admin/policies/sets")) == before


def test_the_error_names_the_missing_index(teams, admin):
    error = refused(teams.define({"teamId": "$auth.uid"}, name="noIndex"), 400, "VALIDATION", "/where")
    assert '{"teamId": 1}' in error["message"]


def test_what_a_policy_names_must_exist_and_stays(teams, admin):
    refused(admin.delete(f"/admin/policies/sets/{teams.set}"), 409, "CONFLICT")
    refused(admin.delete(f"/admin/collections/{teams.memberships}/indexes/userId_1"), 409, "CONFLICT")
    refused(admin.delete(f"/admin/collections/{teams.memberships}"), 409, "CONFLICT")
    for rule, path in (
        ({"filter": {"a": {"$in": "$auth.sets.unknown"}}}, "/read/filter/a/$in"),
        ({"filter": {"a": f"$auth.sets.{teams.set}"}}, "/read/filter/a"),
    ):
        refused(admin.put(f"/admin/collections/{teams.comments}/policy", {"read": rule}), 400, "VALIDATION", path)
    policy = {"create": {"validate": "'a' in auth.sets.unknown"}}
    refused(admin.put(f"/admin/collections/{teams.comments}/policy", policy), 400, "VALIDATION", "/create/validate")


def test_who_may_define(teams, project, alice):
    viewer = project.member("Viewer")
    ok(viewer.get("/admin/policies/sets"))
    body = {"collection": teams.memberships, "where": {"userId": "$auth.uid"}, "value": "teamId"}
    refused(viewer.put("/admin/policies/sets/byViewer", body), 403)
    refused(viewer.delete(f"/admin/policies/sets/{teams.set}"), 403)
    refused(alice.get("/admin/policies/sets"), 403)


def test_the_configuration_carries_sets(owner, teams, admin, alice):
    exported = ok(admin.get("/admin/config-export"))
    assert teams.set in [one["name"] for one in exported["policySets"]]
    copy = owner.create_project()
    ok(copy.admin.post("/admin/config-import", exported))
    again = ok(copy.admin.get("/admin/config-export"))
    for section in ("collections", "policySets"):
        assert json.dumps(again[section], sort_keys=True) == json.dumps(exported[section], sort_keys=True)
    user = copy.end_user()
    path = f"/admin/collections/{teams.memberships}/documents"
    ok(copy.admin.post(path, {"userId": user.id, "teamId": "t"}), 201)
    user.create(teams.tasks, {"teamId": "t"})
    refused(user.post(f"/{teams.tasks}", {"teamId": "u"}), 403)


def test_an_import_refuses_sets_that_cannot_be_read(owner):
    target = owner.create_project()

    def refuses(path: str, **sections) -> None:
        document = {"formatVersion": 1, **sections}
        for params in ({"dryRun": "1"}, {}):
            refused(target.admin.post("/admin/config-import", document, params=params), 400, "VALIDATION", path)

    collections = [{"name": "m"}, {"name": "x", "policy": {"read": {"filter": {"a": {"$in": "$auth.sets.teams"}}}}}]
    good = {"name": "teams", "collection": "m", "where": {"userId": "$auth.uid"}, "value": "t"}
    refuses("/policySets/0/where", policySets=[{**good, "where": {}}])
    refuses("/policySets/0/collection", policySets=[good])
    refuses("/policySets/0/where", collections=collections, policySets=[good])
    refuses("/collections/1/policy/read/filter/a/$in", collections=collections)
    assert ok(target.admin.get("/admin/collections"))["collections"] == []
    indexed = [{"name": "m", "indexes": [{"keys": {"userId": 1}}]}, collections[1]]
    ok(target.admin.post("/admin/config-import", {"formatVersion": 1, "collections": indexed, "policySets": [good]}))


def test_a_project_without_sets_exports_none(owner):
    assert "policySets" not in ok(owner.create_project().admin.get("/admin/config-export"))
