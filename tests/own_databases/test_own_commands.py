"""`manybase database check` and `manybase introspect`: a project on its owner's database from the command line."""

import json

import pytest

from support.client import Project, ok
from support.commands import complains, done, result
from support.own_database import as_their_owner, made
from support.person import Folder, Person


@pytest.fixture(scope="module")
def ann(server, tmp_path_factory) -> Person:
    return Person(server, tmp_path_factory.mktemp("ann")).login()


@pytest.fixture
def theirs(database):
    with as_their_owner(database) as theirs:
        yield theirs


@pytest.fixture
def folder(ann, database, theirs, tmp_path) -> Folder:
    """A folder that is linked to a project on the database."""
    project = Project(ann.user, made(ann.user, database))
    folder = Folder(ann, tmp_path, project)
    done(folder.run("link", "--project", project.slug, "--url", ann.server.url))
    return folder


def rows(text: str) -> dict[str, str]:
    """Lines of a table by their first word, with single blanks."""
    return {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines() if line.strip()}


def test_a_check(folder):
    shown = done(folder.run("database check"))
    assert rows(shown)["reached"] == "yes"
    assert "warning: the connection to the database is not encrypted\n" in shown
    checked = result(folder.run("database check", "--json"))
    assert checked["reachable"] is True and set(checked["byoCapabilities"]) == {"changeStreams", "preImages", "transactions"}
    assert (f"change streams  {'works' if checked['byoCapabilities']['changeStreams'] else 'does not work'}\n") in shown
    assert "mongodb://" not in shown + json.dumps(checked)


def test_other_projects_have_none(ann):
    project = ann.user.create_project()
    complains(ann.run("database check", "--project", project.slug), "no database of its own")
    complains(ann.run("introspect", "--project", project.slug), "manybase: ")


def test_the_list_and_a_report(folder, theirs):
    assert done(folder.run("introspect")) == "the database has no collections\n"
    theirs.orders.insert_many([{"total": n, "note": "secret-value"} for n in range(60)])
    theirs["odd\x1bname"].insert_one({})
    theirs.create_collection("recent", viewOn="orders", pipeline=[])
    shown = done(folder.run("introspect"))
    assert rows(shown)["orders"].endswith("can be imported") and rows(shown)["orders"].startswith("60 ")
    assert rows(shown)["recent"] == "- - cannot be imported: view"
    assert "odd?name" in shown and "\x1b" not in shown
    listed = result(folder.run("introspect", "--json"))["collections"]
    assert {"orders", "recent"} <= {one["name"] for one in listed}

    shown = done(folder.run("introspect", "orders", "--sample", "50"))
    assert rows(shown)["sampled"] == "50" and rows(shown)["total"] == "int all"
    assert rows(shown)["ids"] == "0 with, 60 without"
    assert "info: 60 documents have no id (at /id)\n" in shown and "secret-value" not in shown
    report = result(folder.run("introspect", "orders", "--json"))
    assert report["verdict"] == "needs-backfill" and report["sampled"] == 60


def test_an_import_and_ids(folder, theirs, tmp_path):
    admin = folder.project.admin
    theirs.orders.insert_many([{"total": n} for n in range(60)])
    schema = {"type": "object", "required": ["total"]}
    (tmp_path / "orders.schema.json").write_text(json.dumps(schema))
    shown = done(folder.run("introspect import", "orders", "--name", "purchases", "--schema", "orders.schema.json"))
    assert shown.startswith("imported orders as purchases into ") and "`manybase introspect backfill orders`" in shown
    assert ok(admin.get("/admin/collections/purchases/schema"))["schema"] == schema
    assert theirs.orders.count_documents({"id": {"$exists": True}}) == 0

    filled = folder.run("introspect backfill", "orders", "--limit", "25")
    assert done(filled) == "gave an id to 60 documents of orders\n"
    assert theirs.orders.count_documents({"id": {"$type": "string"}}) == 60
    entries = ok(admin.get("/admin/audit", params={"action": "introspect.backfilled"}))["entries"]
    assert sorted(one["details"]["modified"] for one in entries) == [10, 25, 25]
    again = result(folder.run("introspect backfill", "orders", "--json"))
    assert (again["matched"], again["modified"], again["remaining"]) == (0, 0, 0)
    assert rows(done(folder.run("introspect", "orders")))["verdict"].startswith("ready: ")


def test_an_import_without_a_schema(folder, theirs):
    theirs.orders.insert_one({"id": "one"})
    imported = result(folder.run("introspect import", "orders", "--schema", "none", "--json"))
    assert imported["collection"] == "orders" and imported["project"]["slug"] == folder.project.slug
    assert ok(folder.project.admin.get("/admin/collections/orders/schema"))["schema"] is None
    complains(folder.run("introspect import", "orders"), "imported")


def test_what_is_wrong(folder, theirs, tmp_path):
    theirs.orders.insert_many([{"id": 5}, {"id": 6}])
    ran = folder.run("introspect import", "orders")
    assert ran.returncode == 1 and "id-not-string: some documents have an id that is not a string" in ran.stderr
    (tmp_path / "list.json").write_text("[]")
    complains(folder.run("introspect import", "orders", "--schema", "list.json"), "list.json is not a JSON object")
    assert folder.run("introspect import", "orders", "--schema", "missing.json").returncode == 1
    for wrong in ("0", "1001", "x", "1.5"):
        complains(folder.run("introspect", "orders", "--sample", wrong), "--sample must be a whole number", code=2)
    complains(folder.run("introspect backfill", "orders", "--limit", "10001"), "--limit must be a whole number", code=2)
    complains(folder.run("introspect", "--sample", "5"), "name one", code=2)
    complains(folder.run("introspect", "nothing"), "manybase: ")
    assert folder.run("introspect import").returncode == 2
