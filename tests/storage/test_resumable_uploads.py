"""Resumable uploads: tus 1.0.0 on the paths of the files, with its reference client and by hand."""

import base64
import json
import os
import subprocess

import pytest

from support.bucket import Bucket, blobs
from support.client import Api, PlatformUser, ok, refused
from support.commands import done, run
from support.node_packages import NODE, installed
from support.raw_http import RawConnection
from support.server import ROOT
from support.waiting import SLOW, wait_until

TUS = {"tus-resumable": "1.0.0"}
BYTES = {**TUS, "content-type": "application/offset+octet-stream"}


class Resumable(Bucket):
    """A bucket with resumable uploads."""

    def begin(self, path: str, length: int, by: Api | None = None, content: bytes | None = None, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        more = BYTES if content is not None else TUS
        by = by or self.project.admin
        return by.post(self.url(path), content=content, headers={**more, "upload-length": str(length), **named})

    def address(self, path: str, length: int, by: Api | None = None) -> str:
        """Begins an upload; returns its address below /api/v1."""
        return located(self.begin(path, length, by))

    def send(self, address: str, offset: int, content: bytes, by: Api | None = None, **more):
        headers = {**BYTES, "upload-offset": str(offset)}
        return (by or self.project.admin).patch(address, content=content, headers=headers, **more)

    def ask(self, address: str, by: Api | None = None):
        return (by or self.project.admin).call("HEAD", address, headers=TUS)

    def at(self, address: str) -> int:
        answer = self.ask(address)
        assert answer.status_code == 204, answer
        return int(answer.headers["upload-offset"])


def located(answer) -> str:
    ok(answer, 201)
    return answer.headers["location"].removeprefix("/api/v1")


@pytest.fixture
def shelf(project):
    return Resumable(project)


# ---- the reference client


@pytest.fixture(scope="module")
def tus_client():
    folder = installed(ROOT / "tests" / "support" / "tus", "tus-client")

    def upload(shelf, path: str, content: bytes, **task):
        task |= {
            "endpoint": f"{shelf.project.server.url}/api/v1{shelf.url(path)}",
            "headers": {"authorization": f"Bearer {shelf.project.admin.token}"},
            "content": base64.b64encode(content).decode(),
        }
        ran = subprocess.run(
            [NODE, "upload.mjs"], cwd=folder, input=json.dumps(task), capture_output=True, text=True, timeout=60 * SLOW
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return upload


@pytest.mark.parametrize(
    ("task", "methods"),
    [
        ({}, ["POST", "PATCH"]),
        ({"chunkSize": 100_000}, ["POST", "PATCH", "PATCH", "PATCH"]),
        ({"withCreation": True}, ["POST"]),
        ({"chunkSize": 100_000, "cutAfter": 150_000}, ["POST", "PATCH", "PATCH", "HEAD", "PATCH"]),
    ],
)
def test_with_the_reference_client(shelf, tus_client, task, methods):
    content = os.urandom(250_000)
    result = tus_client(shelf, "a b/ä.png", content, metadata={"filename": "x", "filetype": "image/png"}, **task)
    assert "error" not in result, result
    assert result["methods"] == methods
    answer = shelf.get("a b/ä.png")
    assert answer.content == content and answer.headers["content-type"] == "image/png"
    assert [(each["path"], each["size"]) for each in shelf.list()["files"]] == [("a b/ä.png", 250_000)]


def test_the_reference_client_gives_up(shelf, tus_client, server):
    before = blobs(server.data)
    result = tus_client(shelf, "f", os.urandom(1000), chunkSize=500, cutAfter=500, terminate=True)
    assert "error" not in result, result
    # The file exists: the upload was complete when it was cancelled.
    assert len(shelf.get("f").content) == 1000
    ok(shelf.delete("f"), 204)
    wait_until(lambda: blobs(server.data) == before)


# ---- by hand


def test_in_pieces(shelf, server):
    before = len(blobs(server.data))
    ok(shelf.put("f", b"the old one"), 201)
    content = os.urandom(1_000_000)
    answer = shelf.begin("f", len(content), upload_metadata="filetype dGV4dC9wbGFpbg==,empty")
    assert answer.headers["tus-resumable"] == "1.0.0" and answer.headers["upload-offset"] == "0"
    address = located(answer)
    for offset in range(0, len(content), 250_000):
        assert shelf.get("f").content == b"the old one"
        response = shelf.ask(address)
        assert response.headers["upload-offset"] == str(offset) and response.headers["upload-length"] == "1000000"
        assert response.headers["upload-metadata"] == "filetype dGV4dC9wbGFpbg==,empty"
        assert response.headers["cache-control"] == "no-store" and response.headers["upload-expires"].endswith("GMT")
        answer = shelf.send(address, offset, content[offset : offset + 250_000])
        assert answer.status_code == 204 and answer.headers["upload-offset"] == str(offset + 250_000)
        assert answer.headers["tus-resumable"] == "1.0.0"
    answer = shelf.get("f")
    assert answer.content == content and answer.headers["content-type"] == "text/plain"
    # A client that got no response requests the offset again.
    assert shelf.at(address) == 1_000_000
    assert shelf.send(address, 1_000_000, b"").status_code == 204
    wait_until(lambda: len(blobs(server.data)) == before + 1)
    assert done(run("check", data=server.data))


def test_what_is_possible(shelf, server):
    answer = server.http.request("OPTIONS", f"/api/v1{shelf.url('f')}")
    assert answer.status_code == 204 and answer.headers["tus-version"] == "1.0.0"
    assert answer.headers["tus-extension"].split(",") == ["creation", "creation-with-upload", "expiration", "termination"]
    assert "PATCH" in answer.headers["allow"]
    preflight = {"origin": "https://app.example.com", "access-control-request-method": "PATCH"}
    answer = server.http.request("OPTIONS", f"/api/v1{shelf.url('f')}", headers=preflight)
    assert {"tus-resumable", "upload-offset"} <= set(answer.headers["access-control-allow-headers"].split(", "))
    answer = server.http.get(f"/api/v1{shelf.url('f')}", headers={"origin": "https://app.example.com"})
    assert {"location", "upload-offset"} <= set(answer.headers["access-control-expose-headers"].split(", "))


@pytest.mark.parametrize("version", [None, "0.2.2", "1.0.0 ", "2"])
def test_other_versions(shelf, version):
    address = shelf.address("f", 3)
    headers = {"upload-length": "3", "upload-offset": "0", "content-type": BYTES["content-type"]}
    if version:
        headers["tus-resumable"] = version.strip() + "x"
    admin = shelf.project.admin
    for method, route in (("POST", shelf.url("g")), ("PATCH", address), ("HEAD", address), ("DELETE", address)):
        answer = admin.call(method, route, headers=headers, content=b"abc" if method == "PATCH" else None)
        assert answer.status_code == 412 and answer.headers["tus-version"] == "1.0.0", (method, answer)
    assert shelf.at(address) == 0


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"upload-length": ""}, 400, "INVALID_PARAM"),
        ({"upload-length": "-1"}, 400, "INVALID_PARAM"),
        ({"upload-length": "1.5"}, 400, "INVALID_PARAM"),
        ({"upload-length": "99999999999999999999"}, 400, "INVALID_PARAM"),
        ({"upload-length": "99999999999999"}, 413, "PAYLOAD_TOO_LARGE"),
        ({"upload-metadata": "filetype dGV4dA"}, 400, "INVALID_PARAM"),
        ({"upload-metadata": "filetype dGV4dA=="}, 400, "INVALID_PARAM"),
        ({"upload-metadata": "a,a"}, 400, "INVALID_PARAM"),
        ({"upload-metadata": ",a"}, 400, "INVALID_PARAM"),
        ({"upload-metadata": "a " + "QUJD" * 2000}, 400, "INVALID_PARAM"),
    ],
)
def test_beginnings_that_are_none(shelf, headers, status, code):
    admin = shelf.project.admin
    answer = admin.post(shelf.url("f"), headers={**TUS, "upload-length": "3", **headers})
    refused(answer, status, code)
    assert answer.headers["tus-resumable"] == "1.0.0"


def test_a_beginning_without_a_length(shelf):
    refused(shelf.project.admin.post(shelf.url("f"), headers=TUS), 400, "INVALID_PARAM")
    deferred = {**TUS, "upload-defer-length": "1"}
    refused(shelf.project.admin.post(shelf.url("f"), headers=deferred), 400, "INVALID_PARAM")
    refused(shelf.begin("a//b", 3), 400, "INVALID_PARAM")


def test_pieces_that_do_not_fit(shelf):
    address = shelf.address("f", 10)
    admin = shelf.project.admin
    for offset in (1, 5, 10):
        refused(shelf.send(address, offset, b"x"), 409, "CONFLICT")
    for offset in ("", "-1", "x", "1e3"):
        answer = admin.patch(address, content=b"x", headers={**BYTES, "upload-offset": offset})
        refused(answer, 400, "INVALID_PARAM")
    refused(admin.patch(address, content=b"x", headers=BYTES), 400, "INVALID_PARAM")
    octets = {**BYTES, "upload-offset": "0", "content-type": "application/octet-stream"}
    refused(admin.patch(address, content=b"x", headers=octets), 415, "UNSUPPORTED_MEDIA_TYPE")
    refused(shelf.send(address, 0, b"12345678901"), 413, "PAYLOAD_TOO_LARGE")
    chunked = admin.patch(address, content=iter([b"12345", b"678901"]), headers={**BYTES, "upload-offset": "0"})
    assert chunked.status_code == 413 and chunked.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"
    assert shelf.at(address) == 0
    assert shelf.send(address, 0, b"").headers["upload-offset"] == "0"
    assert shelf.send(address, 0, b"1234567890").status_code == 204
    assert shelf.get("f").content == b"1234567890"
    refused(shelf.send(address, 0, b"x"), 409, "CONFLICT")
    refused(shelf.send(address, 10, b"x"), 413, "PAYLOAD_TOO_LARGE")


def test_only_at_its_own_place(shelf, owner):
    address = shelf.address("f", 3)
    id = address.partition("upload=")[2]
    for elsewhere in (shelf.url("g"), shelf.url("f") + "x"):
        refused(shelf.send(f"{elsewhere}?upload={id}", 0, b"abc"), 404, "NOT_FOUND")
    refused(shelf.send(f"{shelf.url('f')}?upload=upl_none", 0, b"abc"), 404, "NOT_FOUND")
    refused(shelf.send(shelf.url("f"), 0, b"abc"), 404, "NOT_FOUND")
    assert shelf.ask(f"{Resumable(shelf.project).url('f')}?upload={id}").status_code == 404
    key = shelf.project.api_key("storage")
    for other in (key, shelf.project.end_user()):
        assert shelf.ask(address, by=other).status_code == 404
        refused(shelf.send(address, 0, b"abc", by=other), 404, "NOT_FOUND")
        refused(other.delete(address, headers=TUS), 404, "NOT_FOUND")
    assert shelf.at(address) == 0
    assert Api(shelf.project.server).post(shelf.url("f"), headers={**TUS, "upload-length": "3"}).status_code in (400, 401)


def test_of_end_users(shelf):
    ada, bob = shelf.project.end_user(), shelf.project.end_user()
    ok(shelf.send(shelf.address("mine", 3, by=ada), 0, b"abc", by=ada), 204)
    assert shelf.get("mine", by=ada).content == b"abc"
    refused(shelf.begin("mine", 3, by=bob), 403, "FORBIDDEN")
    # The first upload that completes owns the path.
    first, second = shelf.address("both", 3, by=ada), shelf.address("both", 3, by=bob)
    ok(shelf.send(second, 0, b"bob", by=bob), 204)
    refused(shelf.send(first, 0, b"ada", by=ada), 403, "FORBIDDEN")
    assert shelf.get("both", by=bob).content == b"bob"


def test_an_empty_file(shelf):
    answer = shelf.begin("empty", 0)
    address = located(answer)
    assert shelf.get("empty").content == b"" and shelf.at(address) == 0


def test_given_up(shelf, server):
    before = blobs(server.data)
    address = shelf.address("f", 10)
    ok(shelf.send(address, 0, b"12345"), 204)
    assert len(blobs(server.data)) == len(before) + 1
    answer = shelf.project.admin.delete(address, headers=TUS)
    assert answer.status_code == 204 and answer.headers["tus-resumable"] == "1.0.0"
    assert shelf.ask(address).status_code == 404
    refused(shelf.send(address, 5, b"67890"), 404, "NOT_FOUND")
    refused(shelf.project.admin.delete(address, headers=TUS), 404, "NOT_FOUND")
    wait_until(lambda: blobs(server.data) == before)
    refused(shelf.get("f"), 404, "NOT_FOUND")


def test_a_smaller_limit(owner):
    project = owner.create_project()
    ok(owner.patch(f"/control/projects/{project.id}", {"maxFileSize": 1000}), 204)
    shelf = Resumable(project)
    refused(shelf.begin("f", 1001), 413, "PAYLOAD_TOO_LARGE")
    ok(shelf.begin("f", 1000, content=b"x" * 1000), 201)
    assert shelf.get("f").content == b"x" * 1000


# ---- interruptions


def patch_head(shelf, address: str, offset: int, length: int) -> bytes:
    lines = [f"PATCH /api/v1{address} HTTP/1.1", "host: x", f"authorization: Bearer {shelf.project.admin.token}"]
    lines += [f"{name}: {value}" for name, value in BYTES.items()]
    return "\r\n".join([*lines, f"upload-offset: {offset}", f"content-length: {length}", "", ""]).encode()


def test_what_came_before_a_cut_is_kept(shelf, server):
    content = os.urandom(300_000)
    address = shelf.address("f", len(content))
    sent = 0
    for cut in (1, 70_000, 200_000):
        with RawConnection(server) as connection:
            connection.send(patch_head(shelf, address, sent, len(content) - sent) + content[sent:cut])
        wait_until(lambda cut=cut: shelf.at(address) == cut)
        sent = cut
    ok(shelf.send(address, sent, content[sent:]), 204)
    assert shelf.get("f").content == content


def test_after_a_kill(make_server):
    server = make_server({}).start()
    owner = PlatformUser(server)
    shelf = Resumable(owner.create_project())
    ok(owner.patch(f"/control/projects/{shelf.project.id}", {"maxFileSize": 1 << 30}), 204)
    shelf.project.admin.token = shelf.project.api_key("admin").token
    content = os.urandom(1 << 20) * 80
    address = shelf.address("f", len(content))
    ok(shelf.send(address, 0, content[: 1 << 20]), 204)
    with RawConnection(server, seconds=30) as connection:
        connection.send(patch_head(shelf, address, 1 << 20, len(content) - (1 << 20)) + content[1 << 20 : 70 << 20])
        # The bytes of one large request are also stored in steps.
        wait_until(lambda: shelf.at(address) > 1 << 20)
        server.kill()
    server.start()
    offset = shelf.at(address)
    assert 65 << 20 <= offset < 66 << 20
    ok(shelf.send(address, offset, content[offset:]), 204)
    assert shelf.get("f").content == content
    wait_until(lambda: len(blobs(server.data)) == 1)


def test_not_in_a_copy(make_server, tmp_path):
    server = make_server({}).start()
    owner = PlatformUser(server)
    shelf = Resumable(owner.create_project())
    address = shelf.address("f", 10)
    ok(shelf.send(address, 0, b"12345"), 204)
    done(run("backup", "--to", tmp_path / "backup", data=server.data))
    restored = run(
        "restore", "--from", tmp_path / "backup", "--project", shelf.project.slug, "--as", "copy", data=server.data
    )
    done(restored)
    copied = next(each for each in ok(owner.get("/control/projects"))["projects"] if each["slug"] == "copy")
    assert owner.exchange(copied["id"]).call("HEAD", address, headers=TUS).status_code == 404
    ok(shelf.send(address, 5, b"67890"), 204)
    assert shelf.get("f").content == b"1234567890"
