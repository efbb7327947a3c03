"""Functions in the admin API: create, read, change, roll back, delete."""

import concurrent.futures
import re

import pytest

from support.client import PlatformUser, ok, refused, unique
from support.commands import done, result, run

FIELDS = ["name", "trigger", "timing", "enabled", "timeoutMs", "code", "flow", "tests"]
FIELDS += ["version", "createdAt", "updatedAt"]
VERSION_FIELDS = ["version", "trigger", "timing", "timeoutMs", "code", "createdAt", "createdBy"]
CRON = {"type": "cron", "schedule": "@monthly"}
CODE = "export default async (event: unknown, ctx: any): Promise<number> => 1;\n"


def http(path=None, method="GET"):
    return {"type": "http", "method": method, "path": path or f"/{unique('p')}"}


def body(**more):
    return {"name": unique("fn"), "trigger": CRON, "code": CODE, **more}


def create(admin, **more):
    return ok(admin.post("/admin/functions", body(**more)), 201)["function"]


def versions(admin, name, **params):
    return ok(admin.get(f"/admin/functions/{name}/versions", params=params))["versions"]


def test_create_shows_the_function(admin):
    given = body(tests=[{"name": "a", "event": {}, "expect": {"status": "success"}}], timeoutMs=500, enabled=False)
    made = ok(admin.post("/admin/functions", given), 201)
    assert list(made) == ["function"]
    function = made["function"]
    assert list(function) == FIELDS
    assert {key: function[key] for key in given} == given
    assert function["timing"] == "post" and function["flow"] is None and function["version"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", function["createdAt"])
    assert ok(admin.get(f"/admin/functions/{given['name']}")) == {"function": function}
    assert function in ok(admin.get("/admin/functions"))["functions"]
    plain = create(admin)
    assert plain["enabled"] is True and plain["timeoutMs"] is None and plain["tests"] == []


@pytest.mark.parametrize(
    "trigger",
    [
        {"type": "database", "collection": "orders", "events": ["insert", "update", "delete"]},
        {"type": "auth", "event": "userCreated"},
        {"type": "storage", "event": "fileUploaded"},
        {"type": "http", "method": "PATCH", "path": "/a/:b/c"},
        {"type": "cron", "schedule": "*/5 9-17 * * 1-5"},
    ],
    ids=lambda trigger: trigger["type"],
)
def test_triggers_are_kept_as_they_are(admin, trigger):
    shuffled = dict(reversed(list(trigger.items())))
    made = create(admin, trigger=shuffled)
    assert made["trigger"] == trigger and list(made["trigger"]) == list(trigger)
    ok(admin.delete(f"/admin/functions/{made['name']}"), 204)


def test_names_are_unique(admin):
    name = create(admin)["name"]
    refused(admin.post("/admin/functions", body(name=name)), 409, "CONFLICT")
    refused(admin.get("/admin/functions/nobody"), 404, "NOT_FOUND")
    refused(admin.patch("/admin/functions/nobody", {"enabled": True}), 404, "NOT_FOUND")
    refused(admin.delete("/admin/functions/nobody"), 404, "NOT_FOUND")
    refused(admin.get("/admin/functions/nobody/versions"), 404, "NOT_FOUND")
    refused(admin.post("/admin/functions/nobody/rollback", {"version": 1}), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "change, path",
    [
        ({"name": "G"}, "/name"),
        ({"name": "g"}, "/name"),
        ({"name": "1st"}, "/name"),
        ({"name": "a_b"}, "/name"),
        ({"name": "a" * 65}, "/name"),
        ({"trigger": {}}, "/trigger/type"),
        ({"trigger": {"type": "timer"}}, "/trigger/type"),
        ({"trigger": {"type": "database", "collection": "orders"}}, "/trigger/events"),
        ({"trigger": {"type": "database", "collection": "users", "events": ["insert"]}}, "/trigger/collection"),
        ({"trigger": {"type": "database", "collection": "a", "events": ["replace"]}}, "/trigger/events/0"),
        ({"trigger": {"type": "auth", "event": "userDeleted"}}, "/trigger/event"),
        ({"trigger": {"type": "storage", "event": "x"}}, "/trigger/event"),
        ({"trigger": http("/head", "HEAD")}, "/trigger/method"),
        ({"trigger": http("/1/2/3/4/5/6/7/8/9")}, "/trigger/path"),
        ({"trigger": http("no/slash")}, "/trigger/path"),
        ({"trigger": http("/a/:b/:b")}, "/trigger/path"),
        ({"trigger": {"type": "cron", "schedule": "61 * * * *"}}, "/trigger/schedule"),
        ({"trigger": {**CRON, "zone": "UTC"}}, "/trigger/zone"),
        ({"timing": "pre"}, "/timing"),
        ({"timing": "later"}, "/timing"),
        ({"timeoutMs": 99}, "/timeoutMs"),
        ({"timeoutMs": 60001}, "/timeoutMs"),
        ({"code": "x" * (256 * 1024 + 1)}, "/code"),
        ({"tests": [{"name": "a", "event": {}, "expect": {}}] * 21}, "/tests"),
        ({"tests": [{"name": "a", "event": {}}]}, "/tests/0/expect"),
        ({"tests": [{"name": "a", "event": {}, "expect": {"status": "fine"}}]}, "/tests/0/expect/status"),
        ({"version": 1}, "/version"),
        ({"runs": "x"}, "/runs"),
    ],
    ids=str,
)
def test_what_a_function_may_not_be(admin, change, path):
    refused(admin.post("/admin/functions", {**body(), **change}), 400, "VALIDATION", path)
    if "name" in change:
        return
    name = create(admin)["name"]
    refused(admin.patch(f"/admin/functions/{name}", change), 400, "VALIDATION", path)
    assert ok(admin.get(f"/admin/functions/{name}"))["function"]["version"] == 1


def test_code_is_needed(admin):
    given = body()
    del given["code"]
    refused(admin.post("/admin/functions", given), 400, "VALIDATION", "/code")


@pytest.mark.parametrize(
    "code, line",
    [
        ("export default async () => {\n  let x = ;\n}", 2),
        ("export default async () => 1", None),
        ("export default (a: number, b?: string) => { type T = {a: 1}; const x = a as unknown as T; return x; }", None),
        ("const x = 1;", 0),
        ("import fs from 'fs';\nexport default () => 1;", 1),
        ("import type { T } from './types';\nexport default (a: T) => 1;", None),
        ("", 0),
    ],
    ids=range(7),
)
def test_syntax_is_checked_at_save(admin, code, line):
    response = admin.post("/admin/functions", body(code=code))
    if line is None:
        ok(response, 201)
        return
    error = refused(response, 400, "VALIDATION", "/code")
    if line:
        assert f"line {line}, column " in error["message"], error


@pytest.mark.parametrize(
    "code, message",
    [
        ("const a = `abc;\nexport default () => 1;\n", "line 1, column 12: Unterminated template"),
        ("export default () => {\n  return `a${ 1 + `b`;\n}\n", "line 2, column 23: Unterminated template"),
        ("export default (e: any) => {\n  const t = 'abc;\n}", "line 2, column 13: Unterminated string constant"),
        ("export default (e: any) => {\n  const o = { a: 1, b: };\n}", "line 2, column 24: Unexpected token"),
        ("export default (e: any) => {", "line 1, column 29: Unexpected token"),
        ("let a: number;\nexport default (e: any) => { let enum = 3; }", "line 2, column 30: Unexpected strict mode reserved word"),
        ("export default (e: any): void => { const yield = 1 }", "line 1, column 42"),
        ("export default async (e: any) => {\n  let await = 1 }", "line 2, column 7: Unexpected reserved word"),
        ("export default (e: string) => { return /(/ }", "line 1, column 40: Invalid regular expression"),
        ("let a: string;\nlet a = 1;\nexport default () => a;", "line 2, column 5: Identifier 'a' has already"),
    ],
    ids=range(10),
)
def test_a_syntax_error_names_its_place(admin, code, message):
    error = refused(admin.post("/admin/functions", body(code=code)), 400, "VALIDATION", "/code")
    assert message in error["message"], error


def test_a_version_is_cut_where_what_runs_is_another(admin):
    name = create(admin)["name"]
    route = f"/admin/functions/{name}"
    collection = {"type": "database", "collection": "orders", "events": ["insert"]}
    for change, version in [
        ({"enabled": False}, 1),
        ({"tests": [{"name": "a", "event": {}, "expect": {}}]}, 1),
        ({"code": CODE}, 1),
        ({"code": CODE + "// more"}, 2),
        ({"trigger": {"schedule": "@monthly", "type": "cron"}}, 2),
        ({"trigger": collection}, 3),
        ({"timing": "pre"}, 4),
        ({"timeoutMs": 100}, 5),
        ({"timeoutMs": 100, "enabled": True}, 5),
        ({"timeoutMs": None}, 6),
        ({}, 6),
    ]:
        ok(admin.patch(route, change), 204)
        assert ok(admin.get(route))["function"]["version"] == version, change
    found = versions(admin, name)
    assert [each["version"] for each in found] == [6, 5, 4, 3, 2, 1]
    assert all(list(each) == VERSION_FIELDS for each in found)
    assert found[5]["code"] == CODE and found[1]["timeoutMs"] == 100 and found[1]["timing"] == "pre"
    assert found[0]["createdBy"].startswith("user_")
    assert [each["version"] for each in versions(admin, name, limit=2)] == [6, 5]
    assert ok(admin.get(f"{route}/versions/3")) == {"version": found[3]}
    for none in ("0", "7", "-1", "x", "1.5", "99999999999999999999"):
        refused(admin.get(f"{route}/versions/{none}"), 404, "NOT_FOUND")


def test_rollback_is_a_new_version(admin):
    first = create(admin, trigger=http(), timeoutMs=700)
    name, route = first["name"], f"/admin/functions/{first['name']}"
    other = {"code": "export default () => 2;", "trigger": CRON, "timeoutMs": None, "enabled": False}
    ok(admin.patch(route, other), 204)
    back = ok(admin.post(f"{route}/rollback", {"version": 1}))
    assert list(back) == ["function"] and back["function"]["version"] == 3
    assert ok(admin.get(route)) == back
    for field in ("code", "trigger", "timing", "timeoutMs"):
        assert back["function"][field] == first[field]
    assert back["function"]["enabled"] is False
    assert [each["version"] for each in versions(admin, name)] == [3, 2, 1]
    refused(admin.post(f"{route}/rollback", {"version": 4}), 404, "NOT_FOUND")
    refused(admin.post(f"{route}/rollback", {"version": 0}), 400, "VALIDATION", "/version")


def test_fifty_versions_are_kept(admin):
    name = create(admin)["name"]
    for n in range(2, 53):
        ok(admin.patch(f"/admin/functions/{name}", {"timeoutMs": 100 + n}), 204)
    found = versions(admin, name)
    assert [each["version"] for each in found] == list(range(52, 2, -1))
    refused(admin.get(f"/admin/functions/{name}/versions/2"), 404, "NOT_FOUND")


def test_concurrent_rollbacks_each_are_a_version(admin):
    name = create(admin)["name"]
    route = f"/admin/functions/{name}"
    ok(admin.patch(route, {"code": "export default () => 2;"}), 204)
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda n: admin.post(f"{route}/rollback", {"version": n % 2 + 1}), range(12)))
    done = [answer.json()["function"]["version"] for answer in answers if answer.status_code == 200]
    assert all(answer.status_code in (200, 409) for answer in answers)
    assert len(done) >= 6 and sorted(done) == list(range(3, 3 + len(done)))
    found = versions(admin, name)
    assert [each["version"] for each in found] == list(range(2 + len(done), 0, -1))
    assert ok(admin.get(route))["function"]["code"] == found[0]["code"]


def test_two_functions_never_answer_one_route(admin):
    path = f"/{unique('r')}"
    first = create(admin, trigger=http(path + "/:id"))
    refused(admin.post("/admin/functions", body(trigger=http(path + "/:name"), enabled=False)), 409, "CONFLICT")
    create(admin, trigger=http(path + "/new"))
    other = create(admin, trigger=http(path + "/:id", "POST"))
    refused(admin.patch(f"/admin/functions/{other['name']}", {"trigger": http(path + "/:x")}), 409, "CONFLICT")
    ok(admin.delete(f"/admin/functions/{first['name']}"), 204)
    ok(admin.patch(f"/admin/functions/{other['name']}", {"trigger": http(path + "/:x")}), 204)
    refused(admin.post("/admin/functions", body(trigger=http(path + "/:id"))), 409, "CONFLICT")
    ok(admin.post("/admin/functions", body(trigger=http(path + "/:id", "POST"))), 201)


def test_of_two_at_the_same_time_one_gets_the_route(admin):
    path = f"/{unique('r')}"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: admin.post("/admin/functions", body(trigger=http(path))), range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


def test_permissions(project):
    name = create(project.admin)["name"]
    route = f"/admin/functions/{name}"
    reader = project.member(project.role("functions:read"))
    manager = project.member(project.role("functions:manage"))
    nobody = project.member(project.role("webhooks:manage"))
    for api in (reader, manager):
        ok(api.get("/admin/functions"))
        ok(api.get(f"{route}/versions/1"))
    refused(reader.patch(route, {"enabled": False}), 403, "FORBIDDEN")
    refused(reader.post("/admin/functions", body()), 403, "FORBIDDEN")
    refused(reader.post(f"{route}/rollback", {"version": 1}), 403, "FORBIDDEN")
    refused(nobody.get("/admin/functions"), 403, "FORBIDDEN")
    ok(manager.patch(route, {"enabled": False}), 204)
    ok(manager.delete(route), 204)


def test_changes_are_audited_without_code(project):
    project.admin.post("/admin/functions", body(name="audited", code=CODE + "// a secret thought"))
    ok(project.admin.patch("/admin/functions/audited", {"timeoutMs": 300}), 204)
    ok(project.admin.post("/admin/functions/audited/rollback", {"version": 1}))
    ok(project.admin.delete("/admin/functions/audited"), 204)
    response = project.admin.get("/admin/audit", params={"limit": 1000})
    entries = [each for each in ok(response)["entries"] if each["target"] == "functions/audited"]
    assert [each["action"] for each in reversed(entries)] == [
        "function.created",
        "function.changed",
        "function.rolledBack",
        "function.deleted",
    ]
    assert "a secret thought" not in response.text


def test_a_renamed_collection_is_followed(project):
    collection, other = project.collection(), unique("renamed")
    name = create(
        project.admin, trigger={"type": "database", "collection": collection, "events": ["insert"]}, timing="pre"
    )["name"]
    ok(project.admin.post(f"/admin/collections/{collection}/rename", {"to": other}), 204)
    function = ok(project.admin.get(f"/admin/functions/{name}"))["function"]
    assert function["trigger"]["collection"] == other and function["version"] == 1


def test_a_version_change_takes_effect_on_the_next_run(project):
    made = create(project.admin, code="export default () => 1;")
    route = f"/admin/functions/{made['name']}"
    for n in range(2, 6):
        assert ok(project.admin.post(f"{route}/invoke", {}))["run"]["result"] == n - 1
        ok(project.admin.patch(route, {"code": f"export default () => {n};"}), 204)
    ok(project.admin.post(f"{route}/rollback", {"version": 1}))
    assert ok(project.admin.post(f"{route}/invoke", {}))["run"]["result"] == 1


def test_definitions_survive_a_restart(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    admin = owner.create_project().admin
    create(admin, name="stays", timeoutMs=400)
    ok(admin.patch("/admin/functions/stays", {"timeoutMs": 500}), 204)
    before = ok(admin.get("/admin/functions")), versions(admin, "stays")
    server.stop()
    server.start()
    assert (ok(admin.get("/admin/functions")), versions(admin, "stays")) == before


def test_a_restored_copy_does_nothing_until_it_is_enabled(make_server, tmp_path):
    server = make_server().start()
    owner = PlatformUser(server)
    project = owner.create_project()
    create(project.admin, name="answers", trigger=http("/answer"), code="export default () => 42;")
    ok(project.admin.patch("/admin/functions/answers", {"timeoutMs": 500}), 204)
    things = project.collection()
    follows = {"type": "database", "collection": things, "events": ["insert"]}
    create(project.admin, name="follows", trigger=follows)
    ok(project.admin.post(f"/admin/collections/{things}/rename", {"to": "others"}), 204)
    ok(project.admin.delete("/admin/collections/others"), 204)
    project.collection("first")
    run_here = server.http.get(f"/api/v1/run/{project.slug}/answer")
    assert run_here.json() == 42
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, "--project", project.slug, data=server.data))
    line = ("restore", "--from", backup, "--project", project.id, "--as", "a-copy", "--json")
    copy = owner.exchange(result(run(*line, data=server.data))["id"])
    was = ok(project.admin.get("/admin/functions/answers"))["function"]
    function = ok(copy.get("/admin/functions/answers"))["function"]
    assert function == {**was, "enabled": False}
    assert versions(copy, "answers") == versions(project.admin, "answers")
    assert ok(copy.get("/admin/functions/answers/logs"))["runs"] == []
    assert server.http.get("/api/v1/run/a-copy/answer").status_code == 404
    ok(copy.patch("/admin/functions/answers", {"enabled": True}), 204)
    assert server.http.get("/api/v1/run/a-copy/answer").json() == 42
    # The numbers of collections differ in the copy.
    back = ok(copy.post("/admin/functions/follows/rollback", {"version": 1}))["function"]
    assert back["trigger"] == follows
