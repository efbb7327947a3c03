"""A data directory that an earlier version wrote, opened by this one; and by that one again, if MB_EARLIER names it."""

import json
import os
import tarfile

import pytest

from support.client import PASSWORD, Api, ok, refused
from support.commands import done, run
from support.server import Server

from .content import ARCHIVES, END_USER, FILE, NOTES, OWNER, SLUG


@pytest.fixture(params=ARCHIVES, ids=lambda archive: archive.name)
def data(request, tmp_path):
    """The data directory as an earlier version left it."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "data").chmod(0o700)
    return tmp_path / "data"


def look(server: Server, more: int) -> Api:
    """Checks that everything exists, and as many notes as were added since."""
    known = json.loads((server.data / "known.json").read_text())
    admin = Api(server, known["key"])
    control = ok(Api(server).post("/control/auth/login", {"email": OWNER, "password": PASSWORD}))
    (project,) = ok(Api(server, control["accessToken"]).get("/control/projects"))["projects"]
    assert (project["id"], project["slug"]) == (known["project"], SLUG)
    login = ok(Api(server, project=SLUG).post("/auth/login", {"email": END_USER, "password": PASSWORD}))
    ada = Api(server, login["accessToken"])
    notes = ada.list("notes", {"stars": {"$gte": 0}}, limit=100)
    assert sorted(note["stars"] for note in notes) == list(range(len(NOTES) + more))
    refused(ada.post("/notes", {"title": "note 3"}), 409, "CONFLICT")
    refused(ada.post("/notes", {"stars": 3}), 400, "VALIDATION")
    assert [index["name"] for index in ok(admin.get("/admin/collections/notes/indexes"))["indexes"]].count("by-stars") == 1
    if "reply" in known:
        expanded = ok(ada.get(f"/replies/{known['reply']}?expand=note"))["document"]
        assert expanded["note"]["title"] == NOTES[0]["title"]
    assert admin.get("/storage/files/kept.bin").content == FILE
    assert "readers" in [role["name"] for role in ok(admin.get("/admin/roles"))["roles"]]
    assert ok(admin.get("/admin/webhooks/hook"))["webhook"]["url"] == "https://hooks.example/"
    assert ok(admin.get("/admin/integrations/api"))["integration"]["secrets"]["authorization"]["configured"] is True
    assert ok(Api(server).get(f"/run/{SLUG}/counts")) == {"notes": len(NOTES) + more}
    assert "function.created" in [entry["action"] for entry in ok(admin.get("/admin/audit"))["entries"]]
    return ada


def versions(server: Server, ada: Api) -> None:
    """Documents of a release without versions have one tag together, until each is written."""
    admin = Api(server, json.loads((server.data / "known.json").read_text())["key"])
    old, new = ada.list("notes", {"stars": 0})[0], ada.list("notes", {"stars": len(NOTES)})[0]
    path = f"/admin/collections/notes/documents/{old['id']}"
    assert admin.get(path).headers["etag"] == '"0"' != ada.get(f"/notes/{new['id']}").headers["etag"]
    changed = admin.patch(path, {"color": "red"}, headers={"if-match": '"0"'})
    assert ok(changed)["document"]["color"] == "red" and changed.headers["etag"] != '"0"'
    refused(admin.patch(path, {"color": "blue"}, headers={"if-match": '"0"'}), 412, "PRECONDITION_FAILED")


def test_what_an_earlier_version_wrote(data, make_server):
    server = make_server(data=data).start()
    ada = look(server, 0)
    ada.create("notes", {"title": "new", "stars": len(NOTES)})
    versions(server, ada)
    server.stop()
    done(run("check", data=data))
    done(run("audit verify", data=data))
    server.start()
    look(server, 1)
    server.stop()
    if "MB_EARLIER" not in os.environ:
        return
    # Back to the earlier version, as docs/operations.md describes it: on the same format, or refused.
    os.environ["MB_SERVER"], kept = os.environ["MB_EARLIER"], os.environ.get("MB_SERVER")
    try:
        look(server.start(), 1)
        server.stop()
    except AssertionError as ended:
        assert "was written by a newer version" in str(ended)
    finally:
        os.environ.pop("MB_SERVER")
        if kept is not None:
            os.environ["MB_SERVER"] = kept


def keys_of(value) -> set[str]:
    """Returns the keys of all objects in it."""
    if isinstance(value, dict):
        return set(value).union(*(keys_of(each) for each in value.values()))
    return set().union(*(keys_of(each) for each in value)) if isinstance(value, list) else set()


def test_its_configuration_has_nothing_that_was_added_since(data, make_server):
    """Collections, policies, buckets and functions of the earlier form are exported as they were and can be imported;
    what was added since can be used with them, and holds after a restart."""
    server = make_server(data=data).start()
    ada = look(server, 0)
    known = json.loads((data / "known.json").read_text())
    admin = Api(server, known["key"])
    exported = ok(admin.get("/admin/config-export"))
    added = {"variables", "policySets", "policyTests", "settings", "public", "rules", "retry", "timezone", "onDelete"}
    keys = keys_of(exported)
    if "reply" in known:
        replies = next(each for each in exported["collections"] if each["name"] == "replies")
        assert replies["schema"]["properties"]["note"] == {"type": "string", "x-ref": "notes"}
    assert {"schema", "policy", "buckets", "functions", "webhooks"} <= keys and not keys & added
    summary = ok(admin.post("/admin/config-import", exported))["plan"]["summary"]
    assert (summary["create"], summary["update"]) == (0, 0) and summary["unchanged"] >= 6, summary
    assert [file["metadata"] for file in ok(admin.get("/storage/files"))["files"]] == [{}]

    note = ada.list("notes", {"stars": 3})[0]
    ok(admin.post("/admin/collections", {"name": "comments"}), 201)
    ok(admin.put("/admin/collections/comments/policy", {"list": {}, "create": {}}), 204)
    ok(admin.post("/admin/collections/comments/indexes", {"keys": {"note": 1}}), 201)
    # A reference by name, as it was stored before there were others, then one that holds.
    for reference in ("notes", {"collection": "notes", "onDelete": "restrict"}):
        properties = {"note": {"type": "string", "x-ref": reference}}
        ok(admin.put("/admin/collections/comments/schema", {"type": "object", "properties": properties}), 204)
        ada.create("comments", {"note": note["id"]})
    policy = {**next(each for each in exported["collections"] if each["name"] == "notes")["policy"], "delete": {}}
    public = {"list": {"filter": {"stars": 4}}}
    ok(admin.put("/admin/collections/notes/policy", {**policy, "public": public}), 204)
    ok(admin.patch("/admin/storage/buckets/files", {"rules": {"read": {"filter": {"size": len(FILE)}}}}), 204)
    ok(admin.put("/admin/variables/API", {"value": "https://api.example"}), 204)
    for _ in range(2):
        assert [each["note"]["title"] for each in ada.list("comments", expand="note")] == [note["title"]] * 2
        refused(ada.post("/comments", {"note": "none"}), 400, "VALIDATION", "/note")
        refused(ada.delete(f"/notes/{note['id']}"), 409, "CONFLICT")
        assert [each["title"] for each in Api(server, project=SLUG).list("notes")] == ["note 4"]
        assert ada.get("/storage/files/kept.bin").content == FILE
        assert ok(admin.get("/admin/variables"))["variables"][0]["name"] == "API"
        server.stop()
        server.start()


def test_its_backup_is_restored(data, tmp_path, make_server):
    """The backup that an operator makes before an upgrade."""
    done(run("backup", "--to", tmp_path / "kept", "--with-secret", data=data))
    done(run("restore", "--from", tmp_path / "kept", data=tmp_path / "restored"))
    (tmp_path / "restored" / "known.json").write_text((data / "known.json").read_text())
    look(make_server(data=tmp_path / "restored").start(), 0)


def test_what_was_added_since_looks_at_what_it_wrote(data, make_server):
    server = make_server(data=data).start()
    ada = look(server, 0)
    admin = Api(server, json.loads((data / "known.json").read_text())["key"])

    def notes() -> dict:
        return next(each for each in ok(admin.get("/admin/collection-stats"))["collections"] if each["name"] == "notes")

    stats = notes()
    assert (stats["documents"], stats["schema"], stats["policy"]) == (len(NOTES), True, "own")
    assert [index["entries"] for index in stats["indexes"]] == [len(NOTES)] * 2 and stats["lastWriteAt"] is None
    ada.create("notes", {"title": "new"})
    assert notes()["documents"] == len(NOTES) + 1 and notes()["lastWriteAt"]
    found = ok(admin.post("/admin/users/query", {"text": "ADA", "status": "active", "sort": [{"name": 1}]}))
    assert [user["email"] for user in found["users"]] == [END_USER] and found["total"] == 1
    schema = {"type": "object", "required": ["stars"]}
    checked = ok(admin.post("/admin/collections/notes/schema/check", {"schema": schema}))
    assert (checked["checked"], checked["failing"], checked["complete"]) == (len(NOTES) + 1, 1, True)
