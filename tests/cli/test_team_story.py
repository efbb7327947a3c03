"""Three people, two environments, one repository: the workflow of a team with the command line."""

import json
import subprocess

from support.client import ok
from support.commands import complains, done, result
from support.person import Folder


def names(project, section: str) -> list[str]:
    return [each["name"] for each in ok(project.admin.get("/admin/config-export")).get(section, [])]


def configuration_of(api) -> dict:
    exported = ok(api.get("/admin/config-export"))
    exported.pop("exportedAt")
    exported.pop("project")
    return exported


def test_a_teams_day(person, server, tmp_path_factory):
    ann, bob, eve = person(), person(), person()
    repository = tmp_path_factory.mktemp("repository") / "shop.git"
    subprocess.run(["git", "init", "--bare", "-b", "main", str(repository)], check=True, capture_output=True)

    # Ann creates the project over the API, and an environment of it; Bob and Eve are members.
    shop = ann.user.create_project("Shop")
    shop.collection("orders", schema={"type": "object", "properties": {"total": {"type": "integer"}}})
    shop.role("data:orders:*", name="clerks")
    for somebody in (bob, eve):
        ok(ann.user.post(f"/control/projects/{shop.id}/members", {"email": somebody.email, "role": "Admin"}), 201)
    staging = ok(ann.user.post(f"/control/projects/{shop.id}/environments", {"environment": "staging"}), 201)["project"]
    staging_api = ann.user.exchange(staging["id"])
    assert configuration_of(staging_api) == configuration_of(shop.admin), "an environment begins as a copy"

    # She commits the environment's configuration to a repository.
    hers = Folder(ann, tmp_path_factory.mktemp("hers"))
    hers.git("init", "-b", "main")
    hers.git("remote", "add", "origin", repository)
    done(hers.run("link", "--project", staging["slug"]))
    done(hers.run("pull"))
    hers.git("add", ".")
    hers.git("commit", "-m", "The configuration of the shop")
    hers.git("push", "-u", "origin", "main")
    committed = hers.git("ls-files").split()
    assert "manybase/collections/orders.json" in committed and "manybase/roles.json" in committed
    assert not [path for path in committed if ".manybase" in path], "what is of one machine stays there"

    # Bob and Eve clone it, link it and pull: their files equal the committed ones, byte for byte.
    def clone(somebody) -> Folder:
        folder = Folder(somebody, tmp_path_factory.mktemp("clone") / "shop")
        subprocess.run(["git", "clone", str(repository), str(folder.path)], check=True, capture_output=True)
        done(folder.run("link", "--project", staging["slug"]))
        assert "up to date" in done(folder.run("pull"))
        assert folder.git("status", "--porcelain") == ""
        return folder

    his, eves = clone(bob), clone(eve)

    # Bob adds a collection: a branch, a dry run, a push, a commit.
    his.git("checkout", "-b", "returns")
    schema = {"type": "object", "required": ["order"], "properties": {"order": {"type": "string", "x-ref": "orders"}}}
    his.write("collections/returns.json", {"name": "returns", "schema": schema, "policy": {"read": {}, "list": {}}})
    planned = his.run("push", "--dry-run")
    assert planned.returncode == 2 and "create collections returns" in planned.stdout
    assert done(his.run("push", "--yes")).endswith("1 created, 0 updated, 0 deleted\n")
    done(his.run("pull", "--force"))
    assert "nothing changed" in done(his.run("status"))
    his.git("add", ".")
    his.git("commit", "-m", "Returns")
    his.git("checkout", "main")
    his.git("merge", "returns")
    his.git("push")

    # Eve changed another file concurrently, without Bob's change. Her push is refused and changes nothing.
    orders = eves.read("collections/orders.json")
    orders["schema"]["properties"]["state"] = {"enum": ["open", "paid"]}
    eves.write("collections/orders.json", orders)
    before = configuration_of(staging_api)
    refused = complains(eves.run("push"), "changed on the server since the last pull (collections/returns.json)")
    assert "pull first, or push with --force" in refused and configuration_of(staging_api) == before
    states = result(eves.run("status", "--json"))
    assert [each["path"] for each in states["here"]] == ["collections/orders.json"]
    assert [each["path"] for each in states["server"]] == ["collections/returns.json"]

    # She merges Bob's commit from the repository, then pulls with --force.
    eves.git("add", ".")
    eves.git("commit", "-m", "States of orders")
    eves.git("pull", "--rebase")
    kept = eves.read("collections/orders.json")
    done(eves.run("pull", "--force"))
    assert "state" not in eves.read("collections/orders.json")["schema"]["properties"]
    eves.git("checkout", "manybase")
    assert eves.read("collections/orders.json") == kept
    assert done(eves.run("push", "--yes")).endswith("0 created, 1 updated, 0 deleted\n")
    assert "state" in ok(staging_api.get("/admin/collections/orders/schema"))["schema"]["properties"]
    done(eves.run("pull", "--force"))
    eves.git("commit", "-am", "As the server has it", "--allow-empty")
    eves.git("push")

    # Ann takes all changes and deletes the clerks, which needs a confirmation.
    hers.git("pull")
    done(hers.run("pull", "--force"))
    assert hers.git("status", "--porcelain") == ""
    hers.write("roles.json", [])
    asked = hers.run("push", "--prune", typed="no\n")
    assert asked.returncode == 1 and "delete roles clerks" in asked.stdout
    assert [each["name"] for each in ok(staging_api.get("/admin/roles"))["roles"] if not each["builtIn"]] == ["clerks"]
    pruned = hers.run("push", "--prune", "--yes")
    assert pruned.returncode == 0 and pruned.stdout.endswith("0 created, 0 updated, 1 deleted\n"), pruned
    assert "clerks" not in [each["name"] for each in ok(staging_api.get("/admin/roles"))["roles"]]
    assert "nothing changed" in done(hers.run("status"))
    hers.git("commit", "-am", "No clerks")
    hers.git("push")

    # The same with a webhook, whose secret and state are not part of the folder.
    hook = {"name": "orders", "collection": "orders", "events": ["insert"], "url": "https://hooks.example/"}
    ok(staging_api.post("/admin/webhooks", hook), 201)
    done(hers.run("pull", "--force"))
    assert hers.read("webhooks/orders.json") == {**hook, "headers": {}}
    hers.write("webhooks/orders.json", {**hook, "url": "https://hooks.example/orders"})
    assert done(hers.run("push", "--yes")).endswith("0 created, 1 updated, 0 deleted\n")
    webhook = ok(staging_api.get("/admin/webhooks/orders"))["webhook"]
    assert webhook["url"].endswith("/orders") and webhook["enabled"] is True and webhook["secret"] == {"configured": True}
    assert "nothing changed" in done(hers.run("status"))
    (hers.bundle / "webhooks/orders.json").unlink()
    pruned = hers.run("push", "--prune", "--yes")
    assert "delete webhooks orders" in pruned.stdout and pruned.stdout.endswith("0 updated, 1 deleted\n"), pruned
    assert ok(staging_api.get("/admin/webhooks")) == {"webhooks": []}

    # Promotion needs the role Owner in both. It is planned, checked and applied; it deletes nothing.
    line = ("promote", "--from", staging["slug"], "--to", shop.slug)
    complains(bob.run(*line, "--dry-run"), "role Owner in both")
    production = configuration_of(shop.admin)
    planned = ann.run(*line, "--dry-run")
    assert planned.returncode == 2 and "1 to create, 1 to update" in planned.stdout, planned
    assert "create collections returns" in planned.stdout and '"state"' in planned.stdout
    assert "clerks" not in planned.stdout
    assert configuration_of(shop.admin) == production
    plan = json.loads(ann.run(*line, "--dry-run", "--json").stdout)
    assert plan["applied"] is False and plan["plan"]["summary"]["create"] == 1
    for typed in (None, "", "no\n"):
        asked = ann.run(*line, typed=typed)
        assert asked.returncode == 1 and "not confirmed, nothing was changed" in asked.stderr
        assert "create collections returns" in asked.stdout and configuration_of(shop.admin) == production
    asked = ann.run(*line, "--json")
    assert asked.returncode == 2 and "--yes" in json.loads(asked.stderr)["error"]["message"]
    assert configuration_of(shop.admin) == production
    assert done(ann.run(*line, "--yes")).endswith("1 created, 1 updated\n")
    assert names(shop, "collections") == ["orders", "returns"] and names(shop, "roles") == ["clerks"]
    again = ann.run(*line)
    assert "has all of" in done(again)
    assert ann.run(*line, "--dry-run").returncode == 0

    # A pipeline compares a clone of the repository with the environment: there is nothing to push.
    robot = person(login=False)
    checked = Folder(robot, tmp_path_factory.mktemp("robot") / "shop")
    subprocess.run(["git", "clone", str(repository), str(checked.path)], check=True, capture_output=True)
    key = ok(staging_api.post("/admin/api-keys", {"name": "robot", "scopes": ["admin"]}), 201)["key"]
    given = {"MANYBASE_URL": server.url, "MANYBASE_TOKEN": key}
    assert checked.run("push", "--dry-run", **given).returncode == 0
    assert "export interface Returns {" in done(checked.run("types"))
