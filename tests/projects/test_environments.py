"""Environments of a project, and promotion between those of a family."""

import pytest

from support.client import Api, PlatformUser, Project, fresh_address, ok, refused, unique


def environments(project) -> str:
    return f"/control/projects/{project.id}/environments"


def make(owner, root, label: str, **more) -> Project:
    return Project(owner, ok(owner.post(environments(root), {"environment": label, **more}), 201)["project"])


def actions(project, prefix: str) -> list[str]:
    entries = ok(project.admin.get("/admin/audit"))["entries"]
    return [entry["action"] for entry in reversed(entries) if entry["action"].startswith(prefix)]


# ---- creating


def test_an_environment_is_a_project_with_a_parent(owner):
    root = owner.create_project(unique("Shop "))
    ok(owner.patch(f"/control/projects/{root.id}", {"maxFileSize": 12345, "icon": "🚀", "color": "red"}), 204)
    ok(owner.patch(f"/control/projects/{root.id}", {"settings": {"hideRegistered": True}}), 204)
    wire = ok(owner.post(environments(root), {"environment": "staging", "color": "teal"}), 201)["project"]
    assert wire["parentId"] == root.id and wire["environment"] == "staging" and wire["warnings"] == []
    assert wire["name"] == f"{root.wire['name']} (staging)" and wire["slug"] == f"{root.slug}-staging"
    assert wire["status"] == "active" and wire["role"] == "Owner" and wire["byo"] is False
    assert (wire["color"], wire["icon"], wire["maxFileSize"]) == ("teal", "🚀", 12345)
    assert wire["settings"]["hideRegistered"] is True
    assert wire["organizationId"] == root.wire["organizationId"]

    seen = ok(owner.get(f"/control/projects/{wire['id']}"))["project"]
    assert seen == {name: value for name, value in wire.items() if name != "warnings"}
    listed = {item["id"]: item for item in ok(owner.get("/control/projects"))["projects"]}
    assert listed[wire["id"]] == seen
    assert listed[root.id]["parentId"] is None and listed[root.id]["environment"] is None
    assert actions(root, "environment.") == ["environment.created"]


def test_the_configuration_is_copied_and_nothing_else(owner):
    root = owner.create_project()
    root.collection("posts", schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    ok(root.admin.post("/admin/collections/posts/indexes", {"keys": {"n": 1}, "unique": True}), 201)
    role = root.role("audit:read", "collections:read")
    enduser_role = root.enduser_role("data:posts:read")
    user, key = root.end_user(), root.api_key("read", "write")
    key.create("posts", {"n": 1})

    stage = make(owner, root, "staging")
    for path in ("", "/schema", "/policy", "/indexes"):
        path = f"/admin/collections{'/posts' if path else ''}{path}"
        assert ok(stage.admin.get(path)) == ok(root.admin.get(path)), path
    for path, name in (("roles", role), ("enduser-roles", enduser_role)):
        there = ok(root.admin.get(f"/admin/{path}/{name}"))
        assert ok(stage.admin.get(f"/admin/{path}/{name}")) == there
    assert ok(stage.admin.get("/admin/collections/posts/documents"))["documents"] == []
    assert ok(stage.admin.get("/admin/users"))["users"] == []
    assert ok(stage.admin.get("/admin/api-keys"))["apiKeys"] == []
    # A credential of one project is not valid for the other.
    refused(key.get("/posts", project=stage.id), 400, "PROJECT_MISMATCH")
    refused(user.get("/posts", project=stage.id), 400, "PROJECT_MISMATCH")
    stage.api_key("write").create("posts", {"n": 2})
    assert len(ok(root.admin.get("/admin/collections/posts/documents"))["documents"]) == 1


@pytest.mark.parametrize(
    "label", ["", "a", "Staging", "1st", "-qa", "a_b", "a b", "a.b", "qä", "x" * 17, "qa\n", "a/b"]
)
def test_labels_have_a_format(owner, project, label):
    refused(owner.post(environments(project), {"environment": label}), 400, "VALIDATION", "/environment")


@pytest.mark.parametrize(
    "body, at",
    [
        ({}, "/environment"),
        ({"environment": None}, "/environment"),
        ({"environment": 5}, "/environment"),
        ({"environment": ["qa"]}, "/environment"),
        ({"environment": "prod"}, "/environment"),
        ({"environment": "production"}, "/environment"),
        ({"environment": "qa", "color": "#ff0000"}, "/color"),
        ({"environment": "qa", "color": "beige"}, "/color"),
        ({"environment": "qa", "color": 1}, "/color"),
        ({"environment": "qa", "mongoUrl": "mongodb://x"}, "/mongoUrl"),
        ({"environment": "qa", "name": "x"}, "/name"),
    ],
)
def test_bad_bodies(owner, project, body, at):
    refused(owner.post(environments(project), body), 400, "VALIDATION", at)
    assert not [item for item in ok(owner.get("/control/projects"))["projects"] if item["parentId"] == project.id]


def test_labels_are_unique_among_the_live_ones(owner):
    root, other = owner.create_project(), owner.create_project()
    first = make(owner, root, "staging")
    refused(owner.post(environments(root), {"environment": "staging"}), 409, "CONFLICT")
    make(owner, other, "staging")
    make(owner, root, "qa")
    ok(owner.post(f"/control/projects/{first.id}/suspend"), 204)
    refused(owner.post(environments(root), {"environment": "staging"}), 409, "CONFLICT")
    ok(owner.delete(f"/control/projects/{first.id}"), 204)
    again = make(owner, root, "staging")
    assert again.id != first.id and again.slug != first.slug


def test_of_a_suspended_root(owner):
    root = owner.create_project()
    root.collection("posts")
    ok(owner.post(f"/control/projects/{root.id}/suspend"), 204)
    stage = make(owner, root, "staging")
    assert stage.wire["status"] == "active" and stage.wire["warnings"] == []
    assert ok(stage.admin.get("/admin/collections"))["collections"] == ["posts"]


def test_no_nesting(owner):
    stage = make(owner, owner.create_project(), "staging")
    refused(owner.post(environments(stage), {"environment": "deeper"}), 400, "VALIDATION")


def test_owners_of_the_root_only(server, owner):
    root = owner.create_project()
    refused(PlatformUser(server).post(environments(root), {"environment": "qa"}), 404, "NOT_FOUND")
    for role in ("Admin", "Editor", "Viewer", root.role("*")):
        member = root.member(role).user
        refused(member.post(environments(root), {"environment": "qa"}), 403, "FORBIDDEN")
    for token in (None, root.admin.token, root.api_key("admin").token):
        refused(Api(server, token).post(environments(root), {"environment": "qa"}), 401, "UNAUTHENTICATED")
    other = root.member("Owner").user
    assert ok(other.post(environments(root), {"environment": "qa"}), 201)["project"]["role"] == "Owner"


def test_members_come_along(server, owner):
    root = owner.create_project()
    role = root.role("audit:read")
    people = {name: root.member(name).user for name in ("Owner", "Admin", "Viewer", role)}
    invited = f"{unique('later')}@example.com"
    ok(owner.post(f"/control/projects/{root.id}/members", {"email": invited, "role": "Editor"}), 201)
    stage = make(owner, root, "staging")

    def members(project):
        listed = ok(owner.get(f"/control/projects/{project.id}/members"))["members"]
        return [(item["email"], item["role"], item["status"], item["userId"]) for item in listed]

    assert members(stage) == members(root) and len(members(root)) == 6
    for name, user in people.items():
        assert ok(user.get(f"/control/projects/{stage.id}"))["project"]["role"] == name
    # The custom role was copied, with its permissions.
    ok(people[role].exchange(stage.id).get("/admin/audit"))
    refused(people[role].exchange(stage.id).get("/admin/collections"), 403)

    # From here on the members are separate; an invited user joins both.
    ok(owner.delete(f"/control/projects/{root.id}/members/{people['Viewer'].id}"), 204)
    ok(people["Viewer"].get(f"/control/projects/{stage.id}"))
    later = PlatformUser(server, email=invited)
    assert {item["projectId"] for item in ok(later.get("/control/me"))["memberships"]} == {root.id, stage.id}
    assert all(status == "active" for _, _, status, _ in members(stage))


# ---- suspending and deleting


def test_an_environment_does_not_become_the_project_where_none_is_named(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    root = owner.create_project()
    root.collection("posts")
    make(owner, root, "staging")
    assert ok(Api(server, root.api_key("read").token).get("/posts"))["documents"] == []
    body = {"email": "somebody@example.com", "password": "correct horse battery"}
    user = ok(Api(server).post("/auth/register", body), 201)["user"]
    assert [item["id"] for item in ok(root.admin.get("/admin/users"))["users"]] == [user["id"]]


def test_environments_are_suspended_one_by_one(owner):
    root = owner.create_project()
    stage, qa = make(owner, root, "staging"), make(owner, root, "qa")
    ok(owner.post(f"/control/projects/{stage.id}/suspend"), 204)
    refused(stage.admin.get("/admin/collections"), 403, "PROJECT_SUSPENDED")
    ok(root.admin.get("/admin/collections"))
    ok(qa.admin.get("/admin/collections"))
    ok(owner.post(f"/control/projects/{stage.id}/resume"), 204)
    ok(owner.post(f"/control/projects/{root.id}/suspend"), 204)
    refused(root.admin.get("/admin/collections"), 403, "PROJECT_SUSPENDED")
    ok(stage.admin.get("/admin/collections"))


def test_a_root_stays_while_its_environments_do(owner):
    root = owner.create_project()
    stage, qa = make(owner, root, "staging"), make(owner, root, "qa")
    for environment in (stage, qa):
        refused(owner.delete(f"/control/projects/{root.id}"), 409, "CONFLICT")
        ok(owner.post(f"/control/projects/{environment.id}/suspend"), 204)
        refused(owner.delete(f"/control/projects/{root.id}"), 409, "CONFLICT")
        ok(owner.delete(f"/control/projects/{environment.id}"), 204)
        refused(owner.get(f"/control/projects/{environment.id}"), 404)
    assert actions(root, "environment.deleted") == ["environment.deleted"] * 2
    ok(owner.delete(f"/control/projects/{root.id}"), 204)


# ---- promotion


def promote(owner, source, target, dry_run: bool = False, **more):
    body = {"fromProjectId": source if isinstance(source, str) else source.id}
    body["toProjectId"] = target if isinstance(target, str) else target.id
    params = {"dryRun": "1"} if dry_run else {}
    return owner.post("/control/environments/promote", body, params=params, **more)


def changes_of(answer: dict) -> dict:
    return {(change["section"], change["name"]): change for change in answer["plan"]["changes"]}


def test_promotion_is_planned_shown_and_applied(owner):
    root = owner.create_project()
    root.collection("posts", schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    stage = make(owner, root, "staging")
    kept = root.collection("kept")
    stage.collection("extra")
    ok(stage.admin.put("/admin/collections/posts/schema", {"type": "object", "required": ["title"]}), 204)

    before = ok(root.admin.get("/admin/collections"))
    planned = ok(promote(owner, stage, root, dry_run=True))
    changes = changes_of(planned)
    assert changes["collections", "extra"]["action"] == "create"
    changed = changes["collections", "posts"]
    assert changed["action"] == "update" and changed["before"] != changed["after"]
    assert ("collections", kept) not in changes, "what is only in the target is no part of the plan"
    assert ok(root.admin.get("/admin/collections")) == before
    assert ok(root.admin.get("/admin/collections/posts/schema"))["schema"]["properties"]
    assert actions(root, "environment.promoted") == []

    applied = ok(promote(owner, stage, root))
    assert applied["applied"] is True and applied["plan"] == planned["plan"]
    assert ok(root.admin.get("/admin/collections/posts/schema"))["schema"] == {"type": "object", "required": ["title"]}
    assert set(ok(root.admin.get("/admin/collections"))["collections"]) == {"posts", "extra", kept}
    for project in (root, stage):
        assert actions(project, "environment.promoted") == ["environment.promoted"]
    again = ok(promote(owner, stage, root))["plan"]
    assert {change["action"] for change in again["changes"]} <= {"unchanged"}
    # Between siblings too.
    qa = make(owner, root, "qa")
    ok(promote(owner, qa, stage))
    assert kept in ok(stage.admin.get("/admin/collections"))["collections"]


def test_a_promotion_applies_only_the_plan_that_was_seen(owner):
    root = owner.create_project()
    stage = make(owner, root, "staging")
    stage.collection("extra")
    seen = promote(owner, stage, root, dry_run=True).headers["plan-digest"]
    assert promote(owner, stage, root, dry_run=True).headers["plan-digest"] == seen
    stage.collection("more")
    body = {"fromProjectId": stage.id, "toProjectId": root.id}
    refused(owner.post("/control/environments/promote", body, params={"plan": seen}), 409, "CONFLICT")
    assert "extra" not in ok(root.admin.get("/admin/collections"))["collections"]
    now = promote(owner, stage, root, dry_run=True).headers["plan-digest"]
    assert ok(owner.post("/control/environments/promote", body, params={"plan": now}))["applied"] is True
    for odd in ("", "x", now.upper(), now + "0"):
        refused(owner.post("/control/environments/promote", body, params={"plan": odd}), 400, "INVALID_PARAM")


def test_promotion_outside_the_family(owner):
    root, other = owner.create_project(), owner.create_project()
    stage = make(owner, root, "staging")
    cousin = make(owner, other, "staging")
    for source, target in ((stage, other), (other, stage), (stage, cousin), (root, other), (root, root)):
        for dry_run in (True, False):
            refused(promote(owner, source, target, dry_run), 400, "VALIDATION", "/toProjectId")


def test_promotion_is_for_owners_of_both(server, owner):
    root = owner.create_project()
    stage = make(owner, root, "staging")
    user = PlatformUser(server)
    members = {project.id: f"/control/projects/{project.id}/members" for project in (root, stage)}
    real = refused(promote(user, stage, root), 404, "NOT_FOUND")
    assert refused(promote(user, "proj_00000000000000000000", root), 404, "NOT_FOUND") == real
    ok(owner.post(members[stage.id], {"email": user.email, "role": "Owner"}), 201)
    refused(promote(user, stage, root), 404, "NOT_FOUND")
    refused(promote(user, root, stage), 404, "NOT_FOUND")
    ok(owner.post(members[root.id], {"email": user.email, "role": "Admin"}), 201)
    for dry_run in (True, False):
        refused(promote(user, stage, root, dry_run), 403, "FORBIDDEN")
        refused(promote(user, root, stage, dry_run), 403, "FORBIDDEN")
    ok(owner.patch(f"{members[root.id]}/{user.id}", {"role": "Owner"}), 204)
    ok(promote(user, stage, root))


def test_promotion_between_active_projects(owner):
    root = owner.create_project()
    stage = make(owner, root, "staging")
    for project in (root, stage):
        ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
        for dry_run in (True, False):
            refused(promote(owner, stage, root, dry_run), 403, "PROJECT_SUSPENDED")
        ok(owner.post(f"/control/projects/{project.id}/resume"), 204)
    ok(owner.delete(f"/control/projects/{stage.id}"), 204)
    refused(promote(owner, stage, root), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "body", [{}, {"fromProjectId": "x"}, {"toProjectId": "x"}, {"fromProjectId": 1, "toProjectId": []}]
)
def test_promotion_of_bad_bodies(owner, body):
    refused(owner.post("/control/environments/promote", body), 400, "VALIDATION")


def test_promotion_of_odd_ids(owner, project):
    for odd in ("", "proj_", "proj_" + "x" * 5000, project.slug, "#2", "proj_\x00", "../" + project.id):
        refused(promote(owner, odd, project), 404, "NOT_FOUND")
        refused(promote(owner, project, odd), 404, "NOT_FOUND")


def test_promotion_of_bad_queries(owner, project):
    body = {"fromProjectId": project.id, "toProjectId": project.id}
    for text in ("yes", "", "2", "true"):
        answer = owner.post(f"/control/environments/promote?dryRun={text}", body, address=fresh_address())
        refused(answer, 400, "INVALID_PARAM")
