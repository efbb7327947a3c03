"""A data directory that an earlier version wrote, opened by this one; and by that one again, if MB_EARLIER names it."""

import json
import os
import tarfile

import pytest

from support.client import PASSWORD, Api, ok, refused
from support.commands import done, run
from support.server import Server

from .content import ARCHIVE, END_USER, FILE, NOTES, OWNER, SLUG


@pytest.fixture
def data(tmp_path):
    """The data directory as the earlier version left it."""
    with tarfile.open(ARCHIVE) as archive:
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
    assert admin.get("/storage/files/kept.bin").content == FILE
    assert "readers" in [role["name"] for role in ok(admin.get("/admin/roles"))["roles"]]
    assert ok(admin.get("/admin/webhooks/hook"))["webhook"]["url"] == "https://hooks.example/"
    assert ok(admin.get("/admin/integrations/api"))["integration"]["secrets"]["authorization"]["configured"] is True
    assert ok(Api(server).get(f"/run/{SLUG}/counts")) == {"notes": len(NOTES) + more}
    assert "function.created" in [entry["action"] for entry in ok(admin.get("/admin/audit"))["entries"]]
    return ada


def test_what_an_earlier_version_wrote(data, make_server):
    server = make_server(data=data).start()
    look(server, 0).create("notes", {"title": "new", "stars": len(NOTES)})
    server.stop()
    done(run("check", data=data))
    done(run("audit verify", data=data))
    server.start()
    look(server, 1)
    server.stop()
    if "MB_EARLIER" not in os.environ:
        return
    # Back to the earlier version, as docs/operations.md describes it for the same format.
    os.environ["MB_SERVER"], kept = os.environ["MB_EARLIER"], os.environ.get("MB_SERVER")
    try:
        look(server.start(), 1)
        server.stop()
    finally:
        os.environ.pop("MB_SERVER")
        if kept is not None:
            os.environ["MB_SERVER"] = kept


def test_its_backup_is_restored(data, tmp_path, make_server):
    """The backup that an operator makes before an upgrade."""
    done(run("backup", "--to", tmp_path / "kept", "--with-secret", data=data))
    done(run("restore", "--from", tmp_path / "kept", data=tmp_path / "restored"))
    (tmp_path / "restored" / "known.json").write_text((data / "known.json").read_text())
    look(make_server(data=tmp_path / "restored").start(), 0)
