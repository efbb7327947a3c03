"""manybase test, and the stored tests before push and promote."""

import json

from support.client import ok
from support.commands import done, result
from support.policy_tests import HIDDEN, OWN


def with_policy(folder, policy) -> None:
    notes = folder.read("collections/notes.json")
    folder.write("collections/notes.json", {**notes, "policy": policy, "policyTests": [HIDDEN]})


def rejected(ran, about: str) -> str:
    """Checks that the command failed with a line on standard error for each problem, one of them with `about`."""
    assert ran.returncode == 1, (ran.args, ran.stdout, ran.stderr)
    assert ran.stderr.startswith("manybase: ") and f"\n  {about}: " in ran.stderr, ran.stderr
    return ran.stderr


def test_runs_the_tests_of_the_folder(linked):
    assert "no policy tests" in done(linked.run("test"))
    with_policy(linked, OWN)
    said = done(linked.run("test"))
    assert "passed  notes: strangers see nothing\n" in said and said.endswith("1 passed, 0 failed\n")
    # Nothing was applied.
    assert ok(linked.project.admin.get("/admin/collections/notes/policy-tests"))["tests"] == []

    with_policy(linked, {"read": {}})
    ran = linked.run("test")
    assert ran.returncode == 1
    assert "FAILED  notes: strangers see nothing (expected hidden, got allowed)\n" in ran.stdout
    assert "    permission    passed  {" in ran.stdout and ran.stdout.endswith("0 passed, 1 failed\n")
    told = linked.run("test", "--json")
    assert told.returncode == 1
    report = json.loads(told.stdout)
    assert report["failed"] == 1 and report["results"][0]["got"] == "allowed"
    assert report["project"]["slug"] == linked.project.slug

    notes = linked.read("collections/notes.json")
    linked.write("collections/notes.json", {**notes, "policy": {"fly": {}}})
    assert "/policy/fly" in rejected(linked.run("test"), "collections/notes.json")


def test_a_push_stops_where_a_test_fails(linked):
    with_policy(linked, OWN)
    assert done(linked.run("push", "--yes")).endswith(": 0 created, 1 updated, 0 deleted\n")
    assert done(linked.run("pull")) and linked.read("collections/notes.json")["policyTests"] == [HIDDEN]
    with_policy(linked, {"read": {}})
    for arguments in (["push", "--dry-run"], ["push", "--yes"]):
        said = rejected(linked.run(*arguments), "collections/notes.json")
        assert "strangers see nothing" in said and "--skip-tests" in said
    assert ok(linked.project.admin.get("/admin/collections/notes/policy"))["policy"] == OWN
    assert linked.run("push", "--dry-run", "--skip-tests").returncode == 2
    done(linked.run("push", "--yes", "--skip-tests"))
    assert ok(linked.project.admin.get("/admin/collections/notes/policy"))["policy"] == {"read": {}}


def test_a_promotion_stops_where_a_test_fails(linked, ann):
    project = linked.project
    with_policy(linked, OWN)
    done(linked.run("push", "--yes"))
    made = ok(ann.user.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)["project"]
    ok(ann.user.exchange(made["id"]).put("/admin/collections/notes/policy", {"read": {}}), 204)
    arguments = ["promote", "--from", made["slug"], "--to", project.slug, "--yes"]
    said = rejected(linked.run(*arguments), "/collections/notes/policyTests/0")
    assert "--skip-tests" in said
    assert ok(project.admin.get("/admin/collections/notes/policy"))["policy"] == OWN
    done(linked.run(*arguments, "--skip-tests"))
    assert ok(project.admin.get("/admin/collections/notes/policy"))["policy"] == {"read": {}}
    assert result(linked.run(*arguments, "--skip-tests", "--json"))["plan"]["summary"]["update"] == 0
