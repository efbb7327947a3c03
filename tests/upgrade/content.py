"""The content of the data directories of earlier versions: data-<number>.tar.xz, oldest first.

`MB_SERVER=/path/to/earlier/manybase .venv/bin/python tests/upgrade/content.py` writes the next one next to this file:
run it with the binary of each release, so that the next release is tested with its data.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.client import PASSWORD, Api, PlatformUser, ok
from support.server import Server

FOLDER = Path(__file__).resolve().parent
ARCHIVES = sorted(FOLDER.glob("data-*.tar.xz"))
OWNER = "owner@example.com"
END_USER = "ada@example.com"
SLUG = "upgraded"
FILE = b"kept bytes \x00\xff" * 500
NOTES = [{"title": f"note {number}", "stars": number} for number in range(20)]
FUNCTION = "export default async (event: any, ctx: any) => ({ notes: await ctx.db.count('notes', {}) });"


def make(server: Server) -> None:
    owner = PlatformUser(server, OWNER)
    project = owner.create_project("Upgraded")
    assert project.slug == SLUG
    project.collection(
        "notes",
        schema={"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}},
        policy={"read": {"filter": {"ownerId": "$auth.uid"}}, "list": {"filter": {"ownerId": "$auth.uid"}}, "create": {}},
        indexes=[{"keys": {"stars": -1}, "name": "by-stars"}, {"keys": {"title": 1}, "unique": True}],
    )
    admin = project.admin
    project.role("data:notes:read", name="readers")
    ok(admin.post("/admin/storage/buckets", {"name": "files"}), 201)
    ok(admin.put("/storage/files/kept.bin", content=FILE, headers={"content-type": "application/octet-stream"}), 201)
    hook = {"name": "hook", "collection": "notes", "events": ["delete"], "url": "https://hooks.example/"}
    ok(admin.post("/admin/webhooks", hook), 201)
    code = {"name": "counts", "trigger": {"type": "http", "method": "GET", "path": "/counts"}, "code": FUNCTION}
    ok(admin.post("/admin/functions", code), 201)
    integration = {"name": "api", "provider": "http", "config": {"baseUrl": "https://api.example/"}}
    ok(admin.post("/admin/integrations", {**integration, "secrets": {"authorization": "Bearer s"}}), 201)
    key = ok(admin.post("/admin/api-keys", {"name": "kept", "scopes": ["admin", "read"]}), 201)["key"]
    user = Api(server, project=project.id)
    body = {"email": END_USER, "password": PASSWORD}
    ok(user.post("/auth/register", body), 201)
    ada = Api(server, ok(user.post("/auth/login", body))["accessToken"])
    notes = [ada.create("notes", note) for note in NOTES]
    project.collection(
        "replies",
        schema={"type": "object", "properties": {"note": {"type": "string", "x-ref": "notes"}}},
        policy={"read": {}, "create": {}},
    )
    reply = ada.create("replies", {"note": notes[0]["id"]})
    (server.data / "known.json").write_text(json.dumps({"key": key, "project": project.id, "reply": reply["id"]}))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder)).start()
        try:
            make(server)
        finally:
            server.stop()
        # Preallocated log files are mostly empty, and RocksDB's own log is not needed.
        for path in server.data.rglob("LOG*"):
            path.unlink()
        archive = FOLDER / f"data-{len(ARCHIVES) + 1}.tar.xz"
        line = ["tar", "--sort=name", "--owner=0", "--group=0", "--mtime=2026-01-01", "-cJf", str(archive), "data"]
        subprocess.run(line, cwd=folder, check=True)
    print(f"{archive}: {archive.stat().st_size} bytes")


if __name__ == "__main__":
    main()
