"""Files in an S3-compatible store: the same behaviour as on the disk."""

import os
import socket

import pytest

from support.bucket import Bucket, blobs
from support.client import PlatformUser, ok, refused
from support.commands import result, run
from support.raw_http import RawConnection
from support.s3_server import S3Server
from support.waiting import SLOW, wait_until


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    server = S3Server(tmp_path_factory.mktemp("s3"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def server_settings(s3):
    return s3.settings


@pytest.mark.parametrize("size", [0, 1, 300_000, (5 << 20) - 1, 5 << 20, (5 << 20) + 1, (20 << 20) + 7])
def test_any_size(server, s3, bucket, size):
    shelf = bucket()
    content = os.urandom(size)
    ok(shelf.put("f", content), 201)
    answer = shelf.get("f")
    assert answer.content == content and answer.headers["content-length"] == str(size)
    assert s3.uploads() == 0 and blobs(server.data) == []


def test_parts_of_it(bucket):
    shelf = bucket()
    content = os.urandom(3_000_000)
    etag = ok(shelf.put("f", content), 201)["file"]["etag"]
    for first, last in ((0, 0), (1_048_570, 1_048_580), (2_999_999, 2_999_999), (5, 2_500_000)):
        answer = shelf.get("f", headers={"range": f"bytes={first}-{last}"})
        assert answer.status_code == 206 and answer.content == content[first : last + 1]
    assert shelf.get("f", headers={"if-none-match": etag}).status_code == 304
    assert shelf.project.admin.call("HEAD", shelf.url("f")).headers["content-length"] == "3000000"


def test_too_large_leaves_nothing(owner, s3, bucket):
    project = owner.create_project()
    ok(owner.patch(f"/control/projects/{project.id}", {"maxFileSize": 10 << 20}), 204)
    shelf = bucket(project=project)
    before = s3.keys()
    pieces = (b"x" * (1 << 20) for _ in range(11))
    assert project.admin.put(shelf.url("f"), content=pieces).status_code == 413
    assert s3.keys() == before and s3.uploads() == 0


def test_a_resumable_upload(server, s3, bucket, admin):
    shelf = bucket()
    before = len(s3.keys())
    content = os.urandom((20 << 20) + 7)
    tus = {"tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream"}
    begun = admin.post(shelf.url("f"), headers={"tus-resumable": "1.0.0", "upload-length": str(len(content))})
    address = begun.headers["location"].removeprefix("/api/v1")
    for first, last in ((0, 1), (1, 9 << 20), (9 << 20, len(content))):
        ok(admin.patch(address, content=content[first:last], headers={**tus, "upload-offset": str(first)}), 204)
    assert shelf.get("f").content == content
    wait_until(lambda: len(s3.keys()) == before + 1)
    assert s3.uploads() == 0 and blobs(server.data) == []


def test_a_store_that_is_away(make_server, tmp_path):
    s3 = S3Server(tmp_path)
    server = make_server(s3.settings).start()
    shelf = Bucket(PlatformUser(server).create_project())
    ok(shelf.put("f", b"there"), 201)
    s3.close()
    refused(shelf.put("f", b"new"), 503, "UNAVAILABLE")
    assert shelf.list()["files"][0]["size"] == 5
    report = result(run("check", "--json", data=server.data))
    assert report["problems"] == [] and report["files"] == 1


def test_over_tls(make_server, tmp_path):
    s3 = S3Server(tmp_path, tls=True)
    try:
        shelf = Bucket(PlatformUser(make_server(s3.settings).start()).create_project())
        content = os.urandom((20 << 20) + 7)
        ok(shelf.put("f", content), 201)
        assert shelf.get("f").content == content and len(s3.keys()) == 1 and s3.uploads() == 0
        # A store with an untrusted certificate is not used.
        strange = {name: value for name, value in s3.settings.items() if name != "SSL_CERT_FILE"}
        shelf = Bucket(PlatformUser(make_server(strange).start()).create_project())
        refused(shelf.put("f", b"new"), 503, "UNAVAILABLE")
        assert len(s3.keys()) == 1
    finally:
        s3.close()


@pytest.mark.parametrize(
    "missing", ["SERVICE_S3_ENDPOINT", "SERVICE_S3_BUCKET", "SERVICE_S3_ACCESS_KEY", "SERVICE_S3_SECRET_KEY"]
)
def test_all_settings_are_needed(tmp_path, s3, missing):
    settings = {name: value for name, value in s3.settings.items() if name != missing}
    ran = run("serve", settings={**settings, "SERVICE_DATA_DIR": str(tmp_path / "data")})
    assert ran.returncode != 0 and missing in ran.stderr


def test_a_stop_while_the_store_does_not_answer(make_server, s3):
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        server = make_server({**s3.settings, "SERVICE_S3_ENDPOINT": endpoint}).start()
        project = PlatformUser(server).create_project()
        shelf = Bucket(project)
        head = f"PUT /api/v1{shelf.url('f')} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {project.admin.token}\r\n"
        with RawConnection(server, 60) as uploading:
            uploading.send(head.encode() + b"content-length: 5\r\n\r\nhello")
            silent.settimeout(30 * SLOW)
            # The server also opens other connections to the store.
            called = [silent.accept()[0]]
            while not called[-1].recv(10).startswith(b"PUT"):
                called.append(silent.accept()[0])
            server.stop(60)
        for each in called:
            each.close()
