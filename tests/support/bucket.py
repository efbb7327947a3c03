"""A bucket of a project, and the files of a server on the disk."""

from pathlib import Path
from urllib.parse import quote

from support.client import Api, Project, ok, unique


class Bucket:
    def __init__(self, project: Project, access: str = "private"):
        self.project = project
        self.name = unique("b")
        self.made = ok(project.admin.post("/admin/storage/buckets", {"name": self.name, "access": access}), 201)

    def url(self, path: str) -> str:
        return f"/storage/{self.name}/{quote(path)}"

    def put(self, path: str, content: bytes = b"hello", by: Api | None = None, kind: str | None = "text/plain", **more):
        headers = {"content-type": kind} if kind else {}
        return (by or self.project.admin).put(self.url(path), content=content, headers=headers, **more)

    def get(self, path: str, by: Api | None = None, **more):
        return (by or self.project.admin).get(self.url(path), **more)

    def delete(self, path: str, by: Api | None = None, **more):
        return (by or self.project.admin).delete(self.url(path), **more)

    def paths(self, by: Api | None = None, **params):
        return [file["path"] for file in self.list(by, **params)["files"]]

    def list(self, by: Api | None = None, **params) -> dict:
        return ok((by or self.project.admin).get(f"/storage/{self.name}", params=params))


def blobs(data: Path) -> list[Path]:
    """Returns the files of a server on the disk, of complete files and of uploads in progress."""
    return sorted(path for path in (data / "files").rglob("*") if path.is_file())
