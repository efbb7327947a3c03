"""The plan's limit of stored bytes."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.billing import OPERATOR, Payer
from support.bucket import Bucket, blobs
from support.client import PlatformUser, ok, refused
from support.commands import done, result, run
from support.function import Function
from support.raw_http import RawConnection
from support.waiting import wait_until

TUS = {"tus-resumable": "1.0.0"}
BYTES = {**TUS, "content-type": "application/offset+octet-stream"}


class LimitedBucket(Bucket):
    """A bucket whose project may store 1000 bytes at first."""

    def __init__(self, owner):
        self.owner = owner
        super().__init__(owner.create_project())
        self.limit(1000)

    def limit(self, size: int | None) -> None:
        self.owner.pin(storageBytes=size)

    def put_chunked(self, path: str, content: bytes):
        return self.project.admin.put(self.url(path), content=iter([content[:100], content[100:]]))

    def begin(self, path: str, length: int, content: bytes | None = None):
        headers = {**(TUS if content is None else BYTES), "upload-length": str(length)}
        return self.project.admin.post(self.url(path), content=content, headers=headers)

    def address(self, path: str, length: int) -> str:
        """Begins a resumable upload; returns its address below /api/v1."""
        answer = self.begin(path, length)
        ok(answer, 201)
        return answer.headers["location"].removeprefix("/api/v1")

    def send(self, address: str, offset: int, content: bytes):
        return self.project.admin.patch(address, content=content, headers={**BYTES, "upload-offset": str(offset)})

    def sizes(self) -> dict:
        return {file["path"]: file["size"] for file in self.list()["files"]}


@pytest.fixture
def shelf(make_payer):
    return LimitedBucket(make_payer())


def full(response, use: int, limit: int = 1000) -> None:
    """Checks the refusal, and the limit and the use that it states."""
    message = refused(response, 403, "PLAN_LIMIT")["message"]
    assert message.startswith("plan limit: storageBytes: the plan Free "), message
    assert f"allows {limit} " in message and message.endswith(f"in use are {use}"), message


@pytest.mark.parametrize("way", ["put", "put_chunked"])
def test_up_to_the_limit_exactly(shelf, way):
    put = getattr(shelf, way)
    ok(put("a", b"a" * 600), 201)
    full(put("b", b"b" * 401), 600)
    ok(put("b", b"b" * 400), 201)
    full(put("c", b"c"), 1000)
    ok(put("empty", b""), 201)
    assert shelf.sizes() == {"a": 600, "b": 400, "empty": 0}
    shelf.limit(1001)
    ok(put("c", b"c"), 201)


def test_a_declared_length_is_refused_before_the_body(shelf):
    head = (
        f"PUT /api/v1{shelf.url('f')} HTTP/1.1\r\nhost: x\r\ncontent-length: 1001\r\n"
        f"authorization: Bearer {shelf.project.admin.token}\r\n\r\n"
    )
    with RawConnection(shelf.project.server) as connection:
        answer = connection.send(head.encode()).read_answer()
    assert answer.status == 403 and b"PLAN_LIMIT" in answer.body, answer


def test_a_refused_upload_leaves_nothing(shelf, server):
    before = blobs(server.data)
    full(shelf.put("f", b"x" * 1001), 0)
    full(shelf.put_chunked("f", b"x" * 1001), 0)
    assert blobs(server.data) == before
    refused(shelf.get("f"), 404, "NOT_FOUND")


def test_the_size_of_a_file_is_limited_first(shelf):
    ok(shelf.owner.patch(f"/control/projects/{shelf.project.id}", {"maxFileSize": 500}), 204)
    refused(shelf.put("f", b"x" * 1001), 413, "PAYLOAD_TOO_LARGE")
    refused(shelf.put_chunked("f", b"x" * 501), 413, "PAYLOAD_TOO_LARGE")
    refused(shelf.begin("f", 1001), 413, "PAYLOAD_TOO_LARGE")
    ok(shelf.put("a", b"x" * 500), 201)
    ok(shelf.put("b", b"x" * 500), 201)
    full(shelf.put("c", b"x" * 500), 1000)
    refused(shelf.put("c", b"x" * 501), 413, "PAYLOAD_TOO_LARGE")


def test_an_overwrite_counts_what_it_adds(shelf):
    ok(shelf.put("a", b"a" * 900), 201)
    ok(shelf.put("a", b"b" * 900), 201)
    ok(shelf.put_chunked("a", b"c" * 1000), 201)
    full(shelf.put("a", b"d" * 1001), 1000)
    full(shelf.put_chunked("a", b"d" * 1001), 1000)
    assert shelf.get("a").content == b"c" * 1000
    ok(shelf.put("a", b"e" * 300), 201)
    ok(shelf.put("b", b"b" * 700), 201)
    admin = shelf.project.admin
    ok(admin.patch(shelf.url("a"), {"metadata": {"n": 1}}), 204)
    full(shelf.put("c", b"c"), 1000)


def test_a_deleted_file_makes_space(shelf):
    ok(shelf.put("a", b"a" * 1000), 201)
    full(shelf.put("b", b"b"), 1000)
    ok(shelf.delete("a"), 204)
    ok(shelf.put("b", b"b" * 1000), 201)


def test_a_lower_limit_deletes_nothing(shelf):
    ok(shelf.put("a", b"a" * 600), 201)
    ok(shelf.put("b", b"b" * 300), 201)
    shelf.limit(100)
    assert shelf.get("a").content == b"a" * 600
    full(shelf.put("c", b"c"), 900, 100)
    full(shelf.put("a", b"a" * 601), 900, 100)
    ok(shelf.put("a", b"d" * 600), 201)
    ok(shelf.put_chunked("a", b"e" * 500), 201)
    full(shelf.begin("a", 501), 800, 100)
    ok(shelf.send(shelf.address("a", 500), 0, b"f" * 500), 204)
    assert shelf.get("a").content == b"f" * 500
    ok(shelf.delete("a"), 204)
    full(shelf.put("c", b"c"), 300, 100)
    ok(shelf.delete("b"), 204)
    ok(shelf.put("c", b"c" * 100), 201)


def test_null_is_unlimited(shelf):
    full(shelf.put("f", b"x" * 1001), 0)
    shelf.limit(None)
    ok(shelf.put("f", b"x" * 100_000), 201)
    ok(shelf.put_chunked("g", b"x" * 100_000), 201)
    ok(shelf.send(shelf.address("h", 100_000), 0, b"x" * 100_000), 204)
    shelf.limit(300_001)
    full(shelf.put("i", b"xx"), 300_000, 300_001)
    ok(shelf.put("i", b"x"), 201)


def test_a_limit_of_nothing(shelf):
    shelf.limit(0)
    full(shelf.put("f", b"x"), 0, 0)
    full(shelf.begin("f", 1), 0, 0)
    ok(shelf.put("f", b""), 201)


# ---- resumable uploads


def test_an_unfinished_upload_counts_its_whole_length(shelf):
    answer = shelf.begin("f", 1001)
    full(answer, 0)
    assert answer.headers["tus-resumable"] == "1.0.0"
    address = shelf.address("f", 600)
    full(shelf.put("g", b"g" * 401), 600)
    full(shelf.put_chunked("g", b"g" * 401), 600)
    full(shelf.begin("g", 401), 600)
    ok(shelf.send(address, 0, b"a" * 200), 204)
    full(shelf.begin("g", 401), 600)
    ok(shelf.put("g", b"g" * 400), 201)
    ok(shelf.send(address, 200, b"b" * 400), 204)
    assert shelf.sizes() == {"f": 600, "g": 400}
    full(shelf.begin("h", 1), 1000)
    full(shelf.begin("h", 1, b"h"), 1000)


def test_an_upload_over_a_file(shelf):
    ok(shelf.put("f", b"a" * 900), 201)
    full(shelf.begin("f", 1001), 900)
    address = shelf.address("f", 1000)
    # Both count until its end.
    full(shelf.put("g", b"g"), 1900)
    ok(shelf.send(address, 0, b"b" * 1000), 204)
    assert shelf.sizes() == {"f": 1000}
    full(shelf.put("g", b"g"), 1000)


def test_an_upload_that_began_may_end(shelf):
    address = shelf.address("f", 600)
    shelf.limit(10)
    ok(shelf.send(address, 0, b"a" * 300), 204)
    ok(shelf.send(address, 300, b"b" * 300), 204)
    assert shelf.sizes() == {"f": 600}


def test_a_cancelled_upload_makes_space(shelf):
    address = shelf.address("f", 1000)
    ok(shelf.send(address, 0, b"a" * 300), 204)
    full(shelf.put("g", b"g"), 1000)
    ok(shelf.project.admin.delete(address, headers=TUS), 204)
    ok(shelf.put("g", b"g" * 1000), 201)


def test_a_deleted_bucket_makes_space(shelf):
    other = Bucket(shelf.project)
    ok(shelf.put("a", b"a" * 500), 201)
    shelf.address("b", 500)
    full(other.put("f", b"x"), 1000)
    ok(shelf.project.admin.delete(f"/admin/storage/buckets/{shelf.name}"), 204)
    wait_until(lambda: other.put("f", b"x" * 1000).status_code == 201)


def test_what_is_stored_counts_after_a_restart(make_server, server_settings):  # noqa: F811
    server = make_server(server_settings).start()
    shelf = LimitedBucket(Payer(PlatformUser(server, OPERATOR)))
    ok(shelf.put("a", b"a" * 500), 201)
    address = shelf.address("b", 300)
    server.kill()
    server.start()
    full(shelf.put("c", b"c" * 201), 800)
    ok(shelf.send(address, 0, b"b" * 300), 204)
    ok(shelf.put("c", b"c" * 200), 201)
    full(shelf.put("d", b"d"), 1000)


# ---- others that write files


def test_functions(shelf):
    code = (
        "try { await ctx.storage.write(event.payload.bucket, event.payload.path, new Uint8Array(event.payload.size));"
        " return 'written'; } catch (error) { return [error.code, error.message]; }"
    )
    function = Function(shelf.project, code, {"type": "http", "method": "POST", "path": "/write"})

    def write(path: str, size: int):
        return function.invoke({"bucket": shelf.name, "path": path, "size": size})["result"]

    assert write("a", 600) == "written"
    error, message = write("b", 401)
    assert error == "PLAN_LIMIT" and message.startswith("plan limit: storageBytes: "), message
    assert write("b", 400) == "written"
    assert write("a", 500) == "written"
    assert shelf.sizes() == {"a": 500, "b": 400}


def test_a_restore_is_not_refused(shelf, server, tmp_path):
    content = os.urandom(900)
    ok(shelf.put("f", content), 201)
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, "--project", shelf.project.slug, data=server.data))
    shelf.limit(100)
    line = ["--from", backup, "--project", shelf.project.slug, "--as", f"{shelf.project.slug}-copy"]
    copied = result(run("restore", *line, "--owner", shelf.owner.email, "--json", data=server.data))
    copy = shelf.owner.exchange(copied["id"])
    assert shelf.get("f", by=copy).content == content
    full(shelf.put("g", b"g", by=copy), 900, 100)
    ok(shelf.put("f", b"smaller", by=copy), 201)


# ---- many at once


@pytest.mark.parametrize("way", ["put", "resumable", "both"])
def test_many_at_once_fill_the_limit_exactly(shelf, way):
    unit, units, uploads, rounds = 10, 100, 200, 5

    def upload(path: str) -> int:
        resumable = way == "resumable" or (way == "both" and path.endswith("0"))
        response = shelf.begin(path, unit, b"x" * unit) if resumable else shelf.put(path, b"x" * unit)
        if response.status_code != 201:
            message = refused(response, 403, "PLAN_LIMIT")["message"]
            assert message.startswith("plan limit: "), message
        return response.status_code

    for limit in range(units * unit, (rounds + 1) * units * unit, units * unit):
        shelf.limit(limit)
        with ThreadPoolExecutor(32) as pool:
            statuses = list(pool.map(upload, [f"{limit}/{number}" for number in range(uploads)]))
        assert statuses.count(201) == units
        full(shelf.put("more", b"x"), limit, limit)


def test_overwrites_at_once_of_a_full_project(shelf):
    ok(shelf.put("f", b"x" * 1000), 201)
    with ThreadPoolExecutor(4) as pool:
        responses = list(pool.map(lambda number: shelf.put("f", bytes([65 + number]) * 1000), range(4)))
    assert {response.status_code for response in responses} == {201}
    assert shelf.sizes() == {"f": 1000}
