"""Files over HTTP."""

import hashlib
import os

import pytest

from support.bucket import blobs
from support.client import ok, refused
from support.waiting import wait_until


def test_a_file_comes_back_as_it_went(bucket):
    photos = bucket()
    content = os.urandom(300_001)
    file = ok(photos.put("2024/a b/ä.bin", content, kind=None), 201)["file"]
    assert set(file) == {"path", "size", "contentType", "etag", "ownerId", "metadata", "createdAt", "updatedAt"}
    assert (file["path"], file["size"]) == ("2024/a b/ä.bin", len(content))
    assert file["contentType"] == "application/octet-stream"
    answer = photos.get("2024/a b/ä.bin")
    assert answer.status_code == 200 and answer.content == content
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-length"] == str(len(content))
    assert answer.headers["etag"] == file["etag"] and file["etag"].startswith('"')
    assert answer.headers["accept-ranges"] == "bytes"
    assert photos.list()["files"] == [file]


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 262_144, 1_000_000])
def test_any_size(bucket, size):
    any_ = bucket()
    content = os.urandom(size)
    assert ok(any_.put("f", content), 201)["file"]["size"] == size
    assert any_.get("f").content == content


def test_a_chunked_upload(bucket, admin):
    streamed = bucket()
    pieces = [os.urandom(7_000) for _ in range(50)]
    ok(admin.put(streamed.url("f"), content=iter(pieces)), 201)
    assert streamed.get("f").content == b"".join(pieces)


def test_an_overwrite_replaces_and_leaves_nothing_behind(server, bucket):
    over = bucket()
    before = len(blobs(server.data))
    first = ok(over.put("f", b"one"), 201)["file"]
    second = ok(over.put("f", b"two", kind="text/html"), 201)["file"]
    assert second["createdAt"] == first["createdAt"] and second["etag"] != first["etag"]
    assert over.get("f").content == b"two"
    assert over.paths() == ["f"]
    wait_until(lambda: len(blobs(server.data)) == before + 1)
    assert ok(over.delete("f"), 204) is None
    refused(over.get("f"), 404, "NOT_FOUND")
    refused(over.delete("f"), 404, "NOT_FOUND")
    wait_until(lambda: len(blobs(server.data)) == before)


def test_lists_by_prefix_in_order(bucket):
    shelf = bucket()
    paths = ["a/1", "a/2", "a/b/3", "ab", "b", "ä", "Z"]
    for path in paths:
        ok(shelf.put(path), 201)
    assert shelf.paths() == sorted(paths, key=lambda path: path.encode())
    assert shelf.paths(prefix="a/") == ["a/1", "a/2", "a/b/3"]
    assert shelf.paths(prefix="a") == ["a/1", "a/2", "a/b/3", "ab"]
    assert shelf.paths(prefix="ä") == ["ä"]
    assert shelf.paths(prefix="../") == [] and shelf.paths(prefix="x" * 2000) == []
    assert shelf.paths(limit=2, skip=1) == shelf.paths()[1:3]
    assert shelf.paths(limit=0) == []
    assert bucket().paths() == []


@pytest.mark.parametrize("params", [{"limit": "-1"}, {"limit": ""}, {"limit": "x"}, {"skip": "-1"}, {"skip": "1.5"}])
def test_pages_that_are_none(bucket, admin, params):
    refused(admin.get(f"/storage/{bucket().name}", params=params), 400, "INVALID_PARAM")


def test_folders(bucket, admin):
    shelf = bucket()
    route = f"/storage/{shelf.name}"
    assert ok(admin.post(route, {"folder": "docs/2024"}), 201) == {"folder": "docs/2024"}
    ok(admin.post(route, {"folder": "docs/2024"}), 201)
    assert shelf.list() == {"files": [], "folders": ["docs/2024"]}
    assert shelf.list(prefix="other/")["folders"] == []
    ok(shelf.put("docs/2024/a"), 201)
    refused(shelf.delete("docs/2024"), 409, "CONFLICT")
    ok(shelf.delete("docs/2024/a"), 204)
    ok(shelf.delete("docs/2024"), 204)
    assert shelf.list()["folders"] == []
    for folder in ("", "/", "../x", "a//b", "a/./b", "a\\b", "a\n"):
        refused(admin.post(route, {"folder": folder}), 400, "VALIDATION", "/folder")
    refused(admin.post(route, {"folder": 1}), 400, "VALIDATION", "/folder")
    refused(admin.post(route, {}), 400, "VALIDATION", "/folder")


def test_content_types(bucket):
    kinds = bucket()
    for kind in ("text/plain; charset=utf-8", "image/svg+xml", "application/vnd.x+json"):
        ok(kinds.put("f", kind=kind), 201)
        assert kinds.get("f").headers["content-type"] == kind
    for kind in ("nonsense", "a/b/c", "text/", "/plain", "te xt/plain", "x/" + "y" * 300):
        refused(kinds.put("g", kind=kind), 400, "INVALID_PARAM")
    refused(kinds.get("g"), 404)


@pytest.mark.parametrize(
    ("kind", "inert"),
    [
        ("image/png", True),
        ("audio/mpeg", True),
        ("video/mp4", True),
        ("text/plain; charset=utf-8", True),
        ("application/json", True),
        ("image/svg+xml", False),
        ("IMAGE/SVG+XML", False),
        ("text/html", False),
        ("Text/HTML; charset=utf-8", False),
        ("text/xml", False),
        ("application/xhtml+xml", False),
        ("application/javascript", False),
        ("application/octet-stream", False),
    ],
)
def test_nothing_runs_in_a_browser(bucket, kind, inert):
    public = bucket("public")
    ok(public.put("x/page", b"<script>alert(1)</script>", kind=kind), 201)
    for answer in (public.get("x/page"), public.get("x/page", by=public.project.public())):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == "sandbox"
        disposition = answer.headers.get("content-disposition", "")
        assert (disposition == "") == inert and (inert or disposition.startswith("attachment"))


# ---- conditional requests and ranges


def test_not_modified(bucket):
    shelf = bucket()
    etag = ok(shelf.put("f"), 201)["file"]["etag"]
    for condition in (etag, f'"other", {etag}', "*", f"W/{etag}"):
        answer = shelf.get("f", headers={"if-none-match": condition})
        assert answer.status_code == 304 and answer.headers["etag"] == etag
    assert shelf.get("f", headers={"if-none-match": '"other"'}).content == b"hello"
    changed = shelf.get("f").headers["last-modified"]
    assert shelf.get("f", headers={"if-modified-since": changed}).status_code == 304
    assert shelf.get("f", headers={"if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"}).status_code == 200
    assert shelf.get("f", headers={"if-modified-since": "yesterday"}).status_code == 200


CONTENT = bytes(range(256)) * 400


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=0-99", 0, 99),
        ("bytes=100-", 100, len(CONTENT) - 1),
        ("bytes=-100", len(CONTENT) - 100, len(CONTENT) - 1),
        (f"bytes=-{10**9}", 0, len(CONTENT) - 1),
        (f"bytes=5-{10**30}", 5, len(CONTENT) - 1),
        ("Bytes = 1 - 2", 1, 2),
        (f"bytes={len(CONTENT) - 1}-", len(CONTENT) - 1, len(CONTENT) - 1),
    ],
)
def test_a_part(bucket, asked, first, last):
    shelf = bucket()
    ok(shelf.put("f", CONTENT), 201)
    answer = shelf.get("f", headers={"range": asked})
    assert answer.status_code == 206
    assert answer.content == CONTENT[first : last + 1]
    assert answer.headers["content-range"] == f"bytes {first}-{last}/{len(CONTENT)}"


@pytest.mark.parametrize(
    "asked", ["bytes=5-2", "bytes=a-b", "bytes=", "bytes", "lines=1-2", "bytes=0-1,4-5", "bytes=-"]
)
def test_what_is_no_range_gives_all(bucket, asked):
    shelf = bucket()
    ok(shelf.put("f", CONTENT), 201)
    answer = shelf.get("f", headers={"range": asked})
    assert answer.status_code == 200 and answer.content == CONTENT


def test_a_range_outside_is_refused(bucket):
    shelf = bucket()
    ok(shelf.put("f", CONTENT), 201)
    ok(shelf.put("empty", b""), 201)
    for path, asked, size in (
        ("f", f"bytes={len(CONTENT)}-", len(CONTENT)),
        ("f", "bytes=-0", len(CONTENT)),
        ("empty", "bytes=0-", 0),
    ):
        answer = shelf.get(path, headers={"range": asked})
        refused(answer, 416)
        assert answer.headers["content-range"] == f"bytes */{size}"


def test_if_range(bucket):
    shelf = bucket()
    etag = ok(shelf.put("f", CONTENT), 201)["file"]["etag"]
    changed = shelf.get("f").headers["last-modified"]
    for condition, status in ((etag, 206), (changed, 206), (f"W/{etag}", 200), ('"other"', 200), ("nonsense", 200)):
        answer = shelf.get("f", headers={"range": "bytes=0-1", "if-range": condition})
        assert answer.status_code == status, condition
    ok(shelf.put("f", CONTENT + b"!"), 201)
    answer = shelf.get("f", headers={"range": "bytes=0-1", "if-range": etag})
    assert answer.status_code == 200 and answer.content == CONTENT + b"!"


def test_head(bucket, admin):
    shelf = bucket()
    file = ok(shelf.put("f", CONTENT), 201)["file"]
    answer = admin.call("HEAD", shelf.url("f"), headers={"range": "bytes=0-1"})
    assert answer.status_code == 200 and answer.content == b""
    assert answer.headers["content-length"] == str(len(CONTENT)) and answer.headers["etag"] == file["etag"]
    assert admin.call("HEAD", shelf.url("none")).status_code == 404


# ---- limits


def test_max_file_size(owner, bucket):
    small = owner.create_project()
    ok(owner.patch(f"/control/projects/{small.id}", {"maxFileSize": 1000}), 204)
    shelf = bucket(project=small)
    ok(shelf.put("f", b"x" * 1000), 201)
    refused(shelf.put("f", b"y" * 1001), 413, "PAYLOAD_TOO_LARGE")
    streamed = small.admin.put(shelf.url("f"), content=iter([b"z" * 600, b"z" * 600]))
    assert streamed.status_code == 413
    assert shelf.get("f").content == b"x" * 1000


def test_unknown_buckets(admin):
    refused(admin.get("/storage/none"), 404, "NOT_FOUND")
    refused(admin.put("/storage/none/f", content=b"x"), 404, "NOT_FOUND")
    refused(admin.post("/storage/none", {"folder": "a"}), 404, "NOT_FOUND")
    refused(admin.delete("/storage/none/f"), 404, "NOT_FOUND")
    refused(admin.get("/storage/..%2fx/f"), 404, "NOT_FOUND")


def test_suspended(owner, bucket):
    project = owner.create_project()
    shelf = bucket("public", project=project)
    ok(shelf.put("f"), 201)
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    refused(shelf.get("f"), 403, "PROJECT_SUSPENDED")
    refused(shelf.put("f"), 403, "PROJECT_SUSPENDED")
    refused(shelf.get("f", by=project.public()), 403, "PROJECT_SUSPENDED")
    ok(owner.post(f"/control/projects/{project.id}/resume"), 204)
    assert shelf.get("f").content == b"hello"


def test_counted_as_storage(owner, bucket):
    project = owner.create_project()
    shelf = bucket(project=project)
    ok(shelf.put("f"), 201)
    shelf.get("f")
    refused(shelf.get("g"), 404)
    assert ok(project.admin.get("/admin/metrics"))["planes"]["storage"] == {"ok": 2, "error": 1}


def test_the_bytes_on_the_disk_are_the_file(server, bucket):
    shelf = bucket()
    content = os.urandom(50_000)
    ok(shelf.put("some/name.html", content), 201)
    held = [path for path in blobs(server.data) if path.read_bytes() == content]
    assert len(held) == 1 and "name" not in str(held[0])
    assert hashlib.sha256(content).hexdigest()[:32] in ok(shelf.put("some/name.html", content), 201)["file"]["etag"]
