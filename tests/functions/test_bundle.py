"""Functions as part of a project's configuration: export, import, bundle, environments, promotion."""

import json

import pytest

from support.client import ok, refused
from support.commands import done
from support.flow import flow
from support.person import Folder, Person

GREET = {
    "name": "greet",
    "trigger": {"type": "http", "method": "GET", "path": "/hi/:name"},
    "code": "export default async (event: { params: { name: string } }) => `hi ${event.params.name}`;\n",
}
GUARD = {
    "name": "guard",
    "trigger": {"type": "database", "collection": "orders", "events": ["insert", "update"]},
    "timing": "pre",
    "timeoutMs": 500,
    "enabled": False,
    "code": "export default () => undefined;",
    "tests": [
        {"name": "passes", "event": {"at": {"$date": "2026-01-31T09:30:00.000Z"}}, "expect": {"status": "success"}}
    ],
}
DRAWN = {
    "name": "drawn",
    "trigger": {"type": "cron", "schedule": "@monthly"},
    "flow": flow([("t", "trigger"), ("say", "log", {"message": "hi {{ event.type }}"})], "t say"),
}
ALL = [DRAWN, GREET, GUARD]
KEYS = ["name", "trigger", "timing", "code", "enabled", "timeoutMs"]


def make(admin):
    return [ok(admin.post("/admin/functions", each), 201) for each in reversed(ALL)]


def exported(admin) -> dict:
    shape = ok(admin.get("/admin/config-export"))
    shape.pop("exportedAt")
    return shape


def importing(admin, *functions, status=200, **params):
    document = {"formatVersion": 1, "functions": list(functions)}
    return ok(admin.post("/admin/config-import", document, params=params), status)


def actions(answer) -> dict:
    return {each["name"]: each["action"] for each in answer["plan"]["changes"] if each["section"] == "functions"}


@pytest.fixture
def source(owner):
    project = owner.create_project()
    make(project.admin)
    return project


@pytest.fixture
def fresh(owner):
    return owner.create_project()


def test_an_export_holds_them_by_name_with_keys_in_order(source):
    drawn, greet, guard = exported(source.admin)["functions"]
    assert list(drawn) == [*KEYS, "flow"] and list(greet) == KEYS and list(guard) == [*KEYS, "tests"]
    assert greet == {**GREET, "timing": "post", "enabled": True, "timeoutMs": None}
    assert guard == {**GUARD, "code": GUARD["code"] + "\n"}
    assert drawn["flow"] == DRAWN["flow"] and drawn["code"].startswith("// Generated")


def test_an_import_makes_the_same_and_a_second_one_nothing(source, fresh):
    document = exported(source.admin)
    answer = ok(fresh.admin.post("/admin/config-import", document))
    assert actions(answer) == {"drawn": "create", "greet": "create", "guard": "create"}
    there = exported(fresh.admin)
    assert json.dumps(there["functions"]) == json.dumps(document["functions"])
    again = ok(fresh.admin.post("/admin/config-import", document))
    assert set(actions(again).values()) == {"unchanged"}
    assert ok(fresh.admin.get("/admin/functions/greet"))["function"]["version"] == 1
    ok(source.admin.post("/admin/config-import", document))
    assert ok(source.admin.get("/admin/functions/guard"))["function"]["version"] == 1
    run = ok(fresh.admin.post("/admin/functions/drawn/invoke", {}))["run"]
    assert run["status"] == "success" and run["logs"][0]["message"] == "hi manual"


def test_an_import_changes_what_is_named_and_leaves_what_is_not_said(source):
    importing(source.admin, {**GREET, "code": "export default () => 2;\n"})
    greet = ok(source.admin.get("/admin/functions/greet"))["function"]
    assert greet["version"] == 2 and greet["code"] == "export default () => 2;\n"
    assert len(ok(source.admin.get("/admin/functions"))["functions"]) == 3
    plain = {key: GUARD[key] for key in ("name", "trigger", "timing", "code", "tests")}
    assert actions(importing(source.admin, plain)) == {"guard": "unchanged"}
    assert actions(importing(source.admin, {**plain, "timeoutMs": None})) == {"guard": "update"}
    guard = ok(source.admin.get("/admin/functions/guard"))["function"]
    assert guard["timeoutMs"] is None and guard["enabled"] is False and guard["version"] == 2


def test_every_problem_is_told_and_nothing_is_done(source):
    before = exported(source.admin)
    document = {
        "formatVersion": 1,
        "functions": [
            {**GREET, "name": "Loud"},
            {**GREET, "name": "broken", "trigger": DRAWN["trigger"], "code": "export default ("},
            {**GREET, "name": "other"},
            {**DRAWN, "name": "drawn-b", "flow": {"nodes": [], "edges": []}},
            {**GUARD, "timing": "post", "version": 3},
            {"name": "none", "trigger": DRAWN["trigger"]},
            {**GUARD, "name": "twice"},
            {**GUARD, "name": "twice"},
            7,
        ],
    }
    error = refused(source.admin.post("/admin/config-import", document), 400, "VALIDATION")
    assert {detail["path"] for detail in error["details"]} == {
        "/functions/0/name",
        "/functions/1/code",
        "/functions/2/trigger/path",
        "/functions/3/flow/nodes",
        "/functions/4/version",
        "/functions/5/code",
        "/functions/7/name",
        "/functions/8",
    }
    assert exported(source.admin) == before


def test_routes_may_change_hands(server, fresh):
    def http(name, path, n):
        trigger = {"type": "http", "method": "GET", "path": path}
        return {"name": name, "trigger": trigger, "code": f"export default () => {n};\n"}

    def call(path):
        return server.http.get(f"/api/v1/run/{fresh.slug}{path}").json()

    importing(fresh.admin, http("aa", "/1", 1), http("bb", "/2", 2))
    assert (call("/1"), call("/2")) == (1, 2)
    turned = [http("aa", "/2", 1), http("bb", "/1", 2)]
    assert actions(importing(fresh.admin, *turned)) == {"aa": "update", "bb": "update"}
    assert (call("/1"), call("/2")) == (2, 1)
    assert actions(importing(fresh.admin, *turned)) == {"aa": "unchanged", "bb": "unchanged"}


def test_a_change_takes_the_permission_of_functions(source):
    member = source.member(source.role("config:manage", "functions:read"))
    changed = {"formatVersion": 1, "functions": [{**GREET, "code": "export default () => 3;"}]}
    refused(member.post("/admin/config-import", changed), 403, "FORBIDDEN")
    ok(member.post("/admin/config-import", {"formatVersion": 1, "functions": [GREET]}))


def test_environments_and_promotion_carry_them(owner, source):
    stage = ok(owner.post(f"/control/projects/{source.id}/environments", {"environment": "stage"}), 201)["project"]
    assert not stage.get("warnings"), stage
    admin = owner.exchange(stage["id"])
    assert exported(admin)["functions"] == exported(source.admin)["functions"]
    ok(admin.patch("/admin/functions/greet", {"code": "export default () => 'staged';"}), 204)
    body = {"fromProjectId": stage["id"], "toProjectId": source.id}
    ok(owner.post("/control/environments/promote", body))
    greet = ok(source.admin.get("/admin/functions/greet"))["function"]
    assert greet["code"] == "export default () => 'staged';\n" and greet["version"] == 2


# ---- the command line


@pytest.fixture
def folder(source, tmp_path, server):
    """A folder with the project's bundle in it."""
    person = Person(server, tmp_path / "person").login()
    folder = Folder(person, tmp_path / "shop", source)
    folder.path.mkdir()
    ok(source.owner.post(f"/control/projects/{source.id}/members", {"email": person.email, "role": "Admin"}), 201)
    done(folder.run("link", "--project", source.slug, "--url", server.url))
    done(folder.run("pull"))
    return folder


def test_a_bundle_has_two_files_for_each(folder):
    files = {path: text for path, text in folder.files().items() if path.startswith("functions/")}
    names = ("drawn", "greet", "guard")
    assert sorted(files) == [f"functions/{name}.{end}" for name in names for end in ("json", "ts")]
    greet = json.loads(files["functions/greet.json"])
    assert list(greet) == ["name", "trigger", "timing", "codeFile", "enabled", "timeoutMs"]
    assert greet["codeFile"] == "greet.ts" and greet["timeoutMs"] is None
    assert files["functions/greet.ts"] == GREET["code"]
    assert files["functions/guard.ts"] == GUARD["code"] + "\n"
    assert files["functions/drawn.ts"].startswith("// Generated from this function's flow. Edits are ignored on push")
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in files.values())
    assert "nothing changed" in done(folder.run("status"))
    assert done(folder.run("push")).endswith("has all of this already\n")


def test_what_is_pushed_is_what_runs(folder):
    admin = folder.project.admin
    (folder.bundle / "functions/greet.ts").write_text("export default () => 'pushed';")
    guard = folder.read("functions/guard.json")
    del guard["timeoutMs"]
    guard["enabled"] = True
    folder.write("functions/guard.json", guard)
    new = {"name": "fresh", "trigger": DRAWN["trigger"], "codeFile": "fresh.ts"}
    folder.write("functions/fresh.json", new)
    (folder.bundle / "functions/fresh.ts").write_text("export default (): number => 5;\n\n")
    done(folder.run("push"))
    assert ok(admin.post("/admin/functions/fresh/invoke", {}))["run"]["result"] == 5
    assert ok(admin.get("/admin/functions/greet"))["function"]["code"] == "export default () => 'pushed';\n"
    guard = ok(admin.get("/admin/functions/guard"))["function"]
    assert guard["enabled"] is True and guard["timeoutMs"] == 500
    done(folder.run("pull"))
    assert folder.files()["functions/fresh.ts"] == "export default (): number => 5;\n"
    assert folder.read("functions/guard.json")["timeoutMs"] == 500


def test_edits_of_compiled_code_are_ignored(folder):
    (folder.bundle / "functions/drawn.ts").write_text("export default () => 'edited';\n")
    assert done(folder.run("push")).endswith("has all of this already\n")
    assert ok(folder.project.admin.get("/admin/functions/drawn"))["function"]["code"].startswith("// Generated")
    drawn = folder.read("functions/drawn.json")
    drawn["flow"]["nodes"][1]["data"]["message"] = "ho"
    folder.write("functions/drawn.json", drawn)
    done(folder.run("push"))
    assert 'console.info("ho");' in ok(folder.project.admin.get("/admin/functions/drawn"))["function"]["code"]


def test_pruning_deletes_functions(folder):
    for end in ("json", "ts"):
        (folder.bundle / f"functions/greet.{end}").unlink()
    done(folder.run("push"))
    assert ok(folder.project.admin.get("/admin/functions/greet"))
    done(folder.run("push", "--prune", "--yes"))
    refused(folder.project.admin.get("/admin/functions/greet"), 404, "NOT_FOUND")
    assert "nothing changed" in done(folder.run("status"))


def test_broken_code_is_told_with_its_file(folder):
    (folder.bundle / "functions/greet.ts").write_text("export default (;\n")
    ran = folder.run("push")
    assert ran.returncode != 0 and "functions/greet" in ran.stderr and "line 1" in ran.stderr, ran.stderr
