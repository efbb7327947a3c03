"""link, pull, status, diff, push, types: a project and the folder with its configuration."""

import json
import os
import pty
import re

import pytest

from support.client import ok
from support.commands import complains, done, line_of, result
from support.person import Folder


def configuration_of(project) -> dict:
    exported = ok(project.admin.get("/admin/config-export"))
    exported.pop("exportedAt")
    return exported


def changes(ran, side: str) -> dict:
    return {each["path"]: each["change"] for each in result(ran)[side]}


def test_pull_writes_the_configuration_and_status_finds_nothing(linked):
    files = linked.files()
    assert {"meta.json", "collections/notes.json", "roles.json"} <= set(files)
    assert all(text.endswith("}\n") or text.endswith("]\n") for text in files.values())
    assert json.loads(files["roles.json"])[0] == {"name": "readers", "permissions": ["data:notes:read"]}
    assert (linked.bundle / ".manybase" / ".gitignore").read_text() == "*\n"
    assert "nothing changed" in done(linked.run("status"))
    assert done(linked.run("diff")) == ""
    assert "up to date" in done(linked.run("pull"))
    assert linked.files() == files
    assert done(linked.run("push", "--yes")).endswith("has all of this already\n")


def test_what_is_pushed_comes_back_the_same(linked):
    notes = linked.read("collections/notes.json")
    notes["schema"]["properties"]["stars"] = {"type": "integer"}
    linked.write("collections/notes.json", notes)
    linked.write("collections/tags.json", {"name": "tags", "schema": {"type": "object"}})
    assert changes(linked.run("status", "--json"), "here") == {
        "collections/notes.json": "modified",
        "collections/tags.json": "new",
    }
    shown = done(linked.run("diff"))
    assert "--- server/collections/notes.json\n+++ manybase/collections/notes.json\n@@ " in shown
    assert "--- /dev/null\n+++ manybase/collections/tags.json\n" in shown and '+      "stars": {\n' in shown

    dry = linked.run("push", "--dry-run")
    assert dry.returncode == 2 and "1 to create, 1 to update" in dry.stdout and "stars" in dry.stdout
    assert linked.project.admin.get("/admin/collections/tags/schema").status_code == 404
    planned = linked.run("push", "--dry-run", "--json")
    assert planned.returncode == 2
    plan = json.loads(planned.stdout)
    assert plan["applied"] is False and plan["plan"]["summary"]["create"] == 1
    by_name = {each["name"]: each for each in plan["plan"]["changes"] if each["action"] != "unchanged"}
    assert set(by_name) == {"notes", "tags"} and by_name["notes"]["before"] != by_name["notes"]["after"]

    assert done(linked.run("push", "--yes")).endswith(": 1 created, 1 updated, 0 deleted\n")
    assert "stars" in ok(linked.project.admin.get("/admin/collections/notes/schema"))["schema"]["properties"]
    again = result(linked.run("push", "--dry-run", "--json"))
    assert again["plan"]["summary"]["create"] == again["plan"]["summary"]["update"] == 0
    assert "nothing changed" in done(linked.run("status"))


def test_a_push_never_undoes_what_others_did(linked):
    notes = linked.read("collections/notes.json")
    linked.project.role("data:notes:list", name="listers")
    assert changes(linked.run("status", "--json"), "server") == {"roles.json": "modified"}
    notes["schema"]["properties"]["stars"] = {"type": "integer"}
    linked.write("collections/notes.json", notes)
    said = complains(linked.run("push"), "changed on the server since the last pull (roles.json)")
    assert "pull first" in said and "--force" in said
    dry = linked.run("push", "--dry-run")
    assert dry.returncode == 2 and "would be refused" in dry.stdout
    # A pull would overwrite local changes, so it is refused.
    complains(linked.run("pull"), "collections/notes.json")
    both = json.loads(linked.run("status", "--json").stdout)
    assert both["both"] == []
    done(linked.run("push", "--yes", "--force"))
    assert "listers" in [role["name"] for role in configuration_of(linked.project)["roles"]], "a push deletes nothing"
    assert "modified" not in done(linked.run("pull", "--force"))
    assert [role["name"] for role in linked.read("roles.json")] == ["listers", "readers"]


def test_a_folder_that_never_pulled_does_not_overwrite(linked, ann, tmp_path_factory, server):
    clone = Folder(ann, tmp_path_factory.mktemp("clone"), linked.project)
    for path, text in linked.files().items():
        (clone.bundle / path).parent.mkdir(parents=True, exist_ok=True)
        (clone.bundle / path).write_text(text)
    line = ("--url", server.url, "--project", linked.project.id)
    # The files are equal, so nothing can be lost.
    done(clone.run("push", "--yes", *line))
    notes = clone.read("collections/notes.json")
    notes["schema"]["properties"]["stars"] = {"type": "integer"}
    clone.write("collections/notes.json", notes)
    clone.write("collections/more.json", {"name": "more"})
    linked.project.collection("others")
    complains(clone.run("push", *line), "changed on the server")
    (clone.bundle / ".manybase" / "pull.json").unlink()
    complains(clone.run("push", *line), "never pulled into this folder")
    assert "more" not in ok(linked.project.admin.get("/admin/collections"))["collections"]
    assert "never pulled" in done(clone.run("status", *line))
    done(clone.run("push", "--yes", "--force", *line))
    assert {"more", "others"} <= set(ok(linked.project.admin.get("/admin/collections"))["collections"])


def test_a_push_that_only_creates_needs_no_force(linked, ann, tmp_path_factory, server):
    linked.project.role("data:notes:list", name="late")
    linked.write("collections/more.json", {"name": "more"})
    assert done(linked.run("push", "--yes")).endswith(": 1 created, 0 updated, 0 deleted\n")
    # Changes of others are still to be pulled, and the next push does not undo them.
    assert changes(linked.run("status", "--json"), "server") == {"roles.json": "modified"} or (
        "late" not in (linked.bundle / "roles.json").read_text()
    )
    done(linked.run("pull"))
    assert "late" in (linked.bundle / "roles.json").read_text()
    # A folder without a pull, with one new entry.
    fresh = Folder(ann, tmp_path_factory.mktemp("fresh"), linked.project)
    fresh.write("meta.json", linked.read("meta.json"))
    fresh.write("collections/fresh.json", {"name": "fresh"})
    line = ("--url", server.url, "--project", linked.project.id)
    done(fresh.run("push", "--yes", *line))
    assert {"collections/notes.json": "new"}.items() <= changes(fresh.run("status", "--json", *line), "server").items()
    done(fresh.run("pull", *line))
    assert {"collections/notes.json", "collections/fresh.json"} <= set(fresh.files())


def test_a_pull_never_deletes_what_was_never_pushed(linked):
    linked.write("collections/mine.json", {"name": "mine"})
    linked.write("functions/mine.json", {"name": "mine"})
    mine = {path: text for path, text in linked.files().items() if "mine" in path}
    linked.project.collection("others")
    for options in ((), ("--force",), ("--yes",)):
        pulled = done(linked.run("pull", *options))
        assert pulled.count("kept      ") == 2 and mine.items() <= linked.files().items(), options
    assert "collections/others.json" in linked.files()
    assert result(linked.run("pull", "--json"))["kept"] == sorted(mine)
    assert set(mine) <= set(changes(linked.run("status", "--json"), "here"))
    # With --delete it is deleted.
    pulled = result(linked.run("pull", "--delete", "--json"))
    assert pulled["removed"] == sorted(mine) and not mine.items() & linked.files().items()


def test_a_pull_names_what_it_deletes_and_asks(linked):
    for name in ("one", "two"):
        linked.project.collection(name)
    done(linked.run("pull"))
    for name in ("one", "two"):
        ok(linked.project.admin.delete(f"/admin/collections/{name}"), 204)
    linked.project.collection("three")
    before = linked.files()
    for typed in (None, "", "no\n", "y\n"):
        ran = linked.run("pull", typed=typed)
        assert ran.returncode == 1 and "not confirmed, nothing was changed" in ran.stderr
        assert ran.stdout == "delete collections/one.json\ndelete collections/two.json\n"
        assert linked.files() == before
    ran = linked.run("pull", "--json")
    assert ran.returncode == 2 and "--delete" in json.loads(ran.stderr)["error"]["message"]
    assert linked.files() == before
    # Changed here and deleted on the server: it is not deleted without --force.
    linked.write("collections/two.json", {"name": "two", "schema": {"type": "object"}})
    complains(linked.run("pull", "--delete"), "collections/two.json")
    code, _ = linked.at_terminal("pull", "--force", answers=["yes\n"])
    assert code == 0 and set(before) - set(linked.files()) == {
        "collections/one.json",
        "collections/two.json",
    }
    assert "collections/three.json" in linked.files() and "nothing changed" in done(linked.run("status"))


def test_other_words_for_the_same_are_no_change(linked):
    path = linked.bundle / "collections" / "notes.json"
    path.write_text(json.dumps(linked.read("collections/notes.json")))
    assert changes(linked.run("status", "--json"), "here") == {"collections/notes.json": "modified"}
    assert done(linked.run("push", "--yes")).endswith("has all of this already\n")
    assert "nothing changed" in done(linked.run("status"))
    assert "\n" not in path.read_text(), "a push leaves the files as they are"


def test_prune_names_everything_and_asks(linked):
    project = linked.project
    project.enduser_role("data:notes:read", name="guests")
    project.role("data:notes:read", name="busy")
    project.member("busy")
    done(linked.run("pull"))
    linked.write("roles.json", [])
    (linked.bundle / "enduser-roles.json").unlink()
    (linked.bundle / "collections" / "notes.json").unlink()
    assert done(linked.run("push", "--yes")).endswith("has all of this already\n")

    dry = linked.run("push", "--prune", "--dry-run")
    named = re.findall(r"^delete (\S+) (\S+)$", dry.stdout, re.M)
    assert dry.returncode == 2 and named == [("roles", "busy"), ("roles", "readers"), ("enduserRoles", "guests")]
    before = configuration_of(project)
    for typed in ("", "no\n", "y\n", "YES\n"):
        ran = linked.run("push", "--prune", typed=typed)
        assert ran.returncode == 1 and "not confirmed, nothing was changed" in ran.stderr
        assert re.findall(r"^delete (\S+) (\S+)$", ran.stdout, re.M) == named
    ran = linked.run("push", "--prune", "--json")
    assert ran.returncode == 2 and "--yes" in json.loads(ran.stderr)["error"]["message"]
    assert configuration_of(project) == before

    # An answer that comes from elsewhere than a terminal is none.
    ran = linked.run("push", "--prune", typed="yes\n")
    assert ran.returncode == 1 and "there is no terminal" in ran.stderr and configuration_of(project) == before
    code, shown = linked.at_terminal("push", "--prune", answers=["no\n"])
    assert code == 1 and "not confirmed, nothing was changed" in shown and configuration_of(project) == before
    code, shown = linked.at_terminal("push", "--prune", answers=["yes\n"])
    assert code == 1 and "1 could not be deleted" in shown and "roles/busy" in shown
    after = configuration_of(project)
    assert [role["name"] for role in after["roles"]] == ["busy"] and not after.get("enduserRoles")
    assert "notes" in [each["name"] for each in after["collections"]], "collections are never pruned"
    for member in ok(project.owner.get(f"/control/projects/{project.id}/members"))["members"]:
        if member["role"] == "busy":
            ok(project.owner.delete(f"/control/projects/{project.id}/members/{member['userId']}"), 204)
    pruned = result(linked.run("push", "--prune", "--yes", "--json"))
    assert pruned["pruned"] == [{"section": "roles", "name": "busy"}]
    assert not configuration_of(project).get("roles")


def test_a_push_asks_before_it_changes_anything(linked):
    admin = linked.project.admin
    code = "export default async () => {{\n  return {};\n}};\n"
    (linked.bundle / "functions").mkdir(exist_ok=True)
    (linked.bundle / "functions/greet.ts").write_text(code.format(1))
    linked.write(
        "functions/greet.json",
        {"name": "greet", "trigger": {"type": "cron", "schedule": "@daily"}, "codeFile": "greet.ts"},
    )
    before = configuration_of(linked.project)
    for typed in (None, "", "yes\n"):
        ran = linked.run("push", typed=typed)
        assert ran.returncode == 1 and "there is no terminal" in ran.stderr and "--yes" in ran.stderr
        assert "create functions greet" in ran.stdout and configuration_of(linked.project) == before
    ran = linked.run("push", "--json")
    assert ran.returncode == 2 and "--yes" in json.loads(ran.stderr)["error"]["message"]
    status, shown = linked.at_terminal("push", answers=["no\n"])
    assert status == 1 and "not confirmed, nothing was changed" in shown and configuration_of(linked.project) == before
    status, shown = linked.at_terminal("push", answers=["yes\n"])
    assert status == 0 and "1 created" in shown and "greet" in str(ok(admin.get("/admin/functions")))

    # Code is shown by its lines.
    done(linked.run("pull"))
    (linked.bundle / "functions/greet.ts").write_text(code.format(2))
    dry = linked.run("push", "--dry-run")
    assert dry.returncode == 2 and "update functions greet\ncode of greet\n@@ -1,3 +1,3 @@\n" in dry.stdout
    assert "\n-  return 1;\n+  return 2;\n" in dry.stdout
    done(linked.run("push", "--yes"))


def test_all_problems_at_once_each_by_its_file(linked):
    before = configuration_of(linked.project)
    linked.write("collections/a.json", {"name": "a", "schema": {"type": "strnig"}})
    linked.write("collections/b.json", {"name": "b", "policy": {"raed": {}}})
    linked.write("roles.json", [{"name": "Owner", "permissions": ["*"]}])
    ran = linked.run("push")
    assert ran.returncode == 1 and "nothing was changed" in ran.stderr
    for file in ("collections/a.json: /schema", "collections/b.json: /policy", "roles.json: Owner:"):
        assert f"\n  {file}" in ran.stderr, ran.stderr
    error = json.loads(linked.run("push", "--json").stderr)["error"]
    assert error["code"] == "VALIDATION" and len(error["details"]) >= 3
    assert configuration_of(linked.project) == before


def test_every_broken_file_at_once(linked):
    (linked.bundle / "roles.json").write_text("[{")
    (linked.bundle / "collections" / "x.json").write_text("[]")
    (linked.bundle / "collections" / "y.json").symlink_to("/etc/hostname")
    ran = linked.run("push")
    assert ran.returncode == 1 and "symbolic link" in ran.stderr
    (linked.bundle / "collections" / "y.json").unlink()
    for command in ("push", "types"):
        ran = linked.run(command)
        assert ran.returncode == 1 and ran.stdout == ""
        assert "is invalid: fix the files named below" in ran.stderr.splitlines()[0]
        assert {line.strip().split(":")[0] for line in ran.stderr.splitlines()[1:]} == {
            "roles.json",
            "collections/x.json",
        }
    # status names the broken file, and a pull replaces it.
    assert "collections/x.json" in changes(linked.run("status", "--json"), "here")
    done(linked.run("pull", "--force", "--delete"))
    done(linked.run("types"))


def test_foreign_files_are_left_alone_and_what_is_gone_goes(linked):
    (linked.bundle / "README.md").write_text("ours")
    linked.project.collection("passing")
    done(linked.run("pull"))
    assert (linked.bundle / "collections" / "passing.json").exists()
    ok(linked.project.admin.delete("/admin/collections/passing"), 204)
    pulled = result(linked.run("pull", "--json", "--delete"))
    assert pulled["removed"] == ["collections/passing.json"] and pulled["foreign"] == ["README.md"]
    assert not (linked.bundle / "collections" / "passing.json").exists()
    assert (linked.bundle / "README.md").read_text() == "ours"
    assert "README.md" in done(linked.run("status"))


def test_two_folders_for_two_projects(ann, server, tmp_path):
    one, two = ann.user.create_project(), ann.user.create_project()
    for folder, project in (("one", one), ("deep/two/", two)):
        done(ann.run("link", "--dir", folder, "--project", project.slug, "--url", server.url, cwd=tmp_path))
        done(ann.run("pull", "--dir", folder, cwd=tmp_path))
    assert json.loads((tmp_path / "one" / "meta.json").read_text())["project"]["name"] == one.wire["name"]
    assert result(ann.run("status", "--json", "--dir", "deep/two", cwd=tmp_path))["project"]["id"] == two.id
    # MANYBASE_PROJECT takes precedence over the link, --project over both.
    ran = ann.run("diff", "--json", "--dir", "one", cwd=tmp_path, MANYBASE_PROJECT=two.id)
    assert result(ran)["project"]["id"] == two.id
    ran = ann.run("diff", "--json", "--dir", "one", "--project", one.slug, cwd=tmp_path, MANYBASE_PROJECT=two.id)
    assert result(ran)["project"]["id"] == one.id


def test_types(linked, tmp_path):
    text = done(linked.run("types"))
    assert "export interface Notes {" in text and "  title: string;\n" in text and "  due?: string;\n" in text
    assert "export interface Schema {\n  read: Collections;\n" in text
    assert result(linked.run("types", "--json"))["types"] == text
    done(linked.run("types", "--out", "types.ts"))
    assert (tmp_path / "types.ts").read_text() == text
    # Only the folder is read: no call to a server.
    linked.write("collections/tags.json", {"name": "my-tags", "schema": {"type": "object"}})
    (linked.bundle / "collections" / "tags.json").rename(linked.bundle / "collections" / "my-tags.json")
    assert '"my-tags": MyTags;' in done(linked.run("types", HOME="/nowhere"))


@pytest.mark.parametrize("colour", [True, False])
def test_colours_only_on_a_terminal(linked, colour):
    linked.project.role("data:notes:list", name="late")
    shown = on_terminal(linked, "diff", {} if colour else {"NO_COLOR": "1"})
    assert ("\033[31m" in shown) is colour and "late" in shown
    assert "\033[" not in done(linked.run("diff"))


def on_terminal(folder, command: str, more: dict) -> str:
    """The output of a command on a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder.path)
        line = line_of(command)
        kept = {"PATH": os.environ["PATH"], "HOME": str(folder.person.home), "TERM": "xterm"}
        os.execvpe(line[0], line, {**kept, **more})
    shown = b""
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode()
