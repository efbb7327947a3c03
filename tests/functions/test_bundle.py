"""Functions in imports, and their files in a bundle. What they have in common with other resources:
tests/config/test_configured_resources.py."""

import json

import pytest

from support.client import ok
from support.commands import done
from support.configured_resources import Functions, source_of
from support.person import Folder, Person

RESOURCE = Functions()
DRAWN, GREET, GUARD = RESOURCE.drawn, RESOURCE.greet, RESOURCE.guard


def importing(admin, *functions, status=200, **params):
    document = {"formatVersion": 1, "functions": list(functions)}
    return ok(admin.post("/admin/config-import", document, params=params), status)


def actions(answer) -> dict:
    return {each["name"]: each["action"] for each in answer["plan"]["changes"] if each["section"] == "functions"}


source = source_of(RESOURCE)


@pytest.fixture
def fresh(owner):
    return owner.create_project()


def test_an_imported_flow_runs(source, fresh):
    importing(fresh.admin, *RESOURCE.exported(source.admin))
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
    done(folder.run("push", "--yes"))
    assert ok(admin.post("/admin/functions/fresh/invoke", {}))["run"]["result"] == 5
    assert ok(admin.get("/admin/functions/greet"))["function"]["code"] == "export default () => 'pushed';\n"
    guard = ok(admin.get("/admin/functions/guard"))["function"]
    assert guard["enabled"] is True and guard["timeoutMs"] == 500
    done(folder.run("pull"))
    assert folder.files()["functions/fresh.ts"] == "export default (): number => 5;\n"
    assert folder.read("functions/guard.json")["timeoutMs"] == 500


def test_edits_of_compiled_code_are_ignored(folder):
    (folder.bundle / "functions/drawn.ts").write_text("export default () => 'edited';\n")
    assert done(folder.run("push", "--yes")).endswith("has all of this already\n")
    assert ok(folder.project.admin.get("/admin/functions/drawn"))["function"]["code"].startswith("// Generated")
    drawn = folder.read("functions/drawn.json")
    drawn["flow"]["nodes"][1]["data"]["message"] = "ho"
    folder.write("functions/drawn.json", drawn)
    done(folder.run("push", "--yes"))
    assert 'console.info("ho");' in ok(folder.project.admin.get("/admin/functions/drawn"))["function"]["code"]


def test_broken_code_is_reported_with_its_file(folder):
    (folder.bundle / "functions/greet.ts").write_text("export default (;\n")
    ran = folder.run("push")
    assert ran.returncode != 0 and "functions/greet" in ran.stderr and "line 1" in ran.stderr, ran.stderr
