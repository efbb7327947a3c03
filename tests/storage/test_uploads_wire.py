"""Uploads and downloads as bytes on the wire: interrupted at any byte, stalled, of a wrong length, with invalid chunks,
pipelined."""

import json
import os
import random
import socket

import pytest

from support.bucket import Bucket
from support.client import unique
from support.raw_http import RawConnection
from support.waiting import wait_until

HEALTH = b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n"
OLD = b"the old content"


class Wire(Bucket):
    """A bucket whose requests are raw bytes."""

    def __init__(self, project):
        super().__init__(project)
        self.server = project.server
        self.token = project.admin.token

    def head(self, method: str, path: str, *headers: str) -> bytes:
        lines = [f"{method} /api/v1/storage/{self.name}/{path} HTTP/1.1", "host: x", *headers]
        return "\r\n".join([*lines, f"authorization: Bearer {self.token}"]).encode() + b"\r\n\r\n"

    def write(self, path: str, body: bytes, *headers: str) -> bytes:
        return self.head("PUT", path, f"content-length: {len(body)}", *headers) + body

    def write_chunked(self, path: str, body: bytes, size: int) -> bytes:
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
        return self.head("PUT", path, "transfer-encoding: chunked") + chunks + b"0\r\n\r\n"

    def read(self, path: str) -> bytes:
        return self.head("GET", path)

    def content(self, path: str) -> bytes | None:
        answer = self.get(path)
        return None if answer.status_code == 404 else answer.content

    def connect(self) -> RawConnection:
        return RawConnection(self.server)


@pytest.fixture(scope="module")
def wire(project):
    return Wire(project)


def stored(answer, size: int) -> None:
    assert answer is not None, "the connection ended without a response"
    assert answer.status == 201, answer
    assert json.loads(answer.body)["file"]["size"] == size


def wires(wire, path: str, body: bytes) -> dict:
    return {"sized": wire.write(path, body), "chunked": wire.write_chunked(path, body, 7)}


@pytest.mark.parametrize("kind", ["sized", "chunked"])
def test_a_cut_at_any_byte_leaves_the_old_file(wire, kind):
    path = unique("cut")
    with wire.connect() as connection:
        stored(connection.send(wire.write(path, OLD)).read_answer(), len(OLD))
    sent = wires(wire, path, b"a new one, of another length")[kind]
    head = sent.index(b"\r\n\r\n") + 4
    rng = random.Random(3)
    # Every position in the body, some in the head.
    for cut in [*rng.sample(range(head), 8), *range(head, len(sent))]:
        with wire.connect() as connection:
            connection.send(sent[:cut])
            if cut % 2:  # some clients end their sending first, others just close
                connection.socket.shutdown(socket.SHUT_WR)
                answer = connection.read_answer()
                assert answer is None or answer.status in (400, 408), answer
        assert wire.content(path) == OLD, cut
    with wire.connect() as connection:
        stored(connection.send(sent).read_answer(), 28)
    assert wire.content(path) == b"a new one, of another length"


def test_a_cut_first_upload_leaves_nothing(wire):
    path = unique("never")
    for sent in wires(wire, path, b"x" * 300_000).values():
        for cut in (len(sent) - 1, len(sent) // 2, 400):
            with wire.connect() as connection:
                connection.send(sent[:cut])
    assert wire.content(path) is None
    assert path not in wire.paths()


def test_a_stall_holds_up_nobody(wire):
    path, body = unique("stall"), b"0123456789" * 20_000
    sent = wire.write(path, body)
    stalled = [wire.connect() for _ in range(40)]
    for number, connection in enumerate(stalled):
        connection.send(sent[: len(sent) - 1 - number * 5000])
    assert wire.content(path) is None
    with wire.connect() as connection:
        stored(connection.send(sent).read_answer(), len(body))
        assert connection.send(wire.read(path)).read_answer().body == body
    # A stalled upload that continues is stored like any other.
    stored(stalled[0].send(sent[-1:]).read_answer(), len(body))
    for connection in stalled:
        connection.socket.close()
    assert wire.content(path) == body


def test_an_upload_in_single_bytes(wire):
    path, body = unique("bytes"), b"one by one"
    for sent in wires(wire, path, body).values():
        with wire.connect() as connection:
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for at in range(len(sent)):
                connection.send(sent[at : at + 1])
            stored(connection.read_answer(), len(body))
        assert wire.content(path) == body


def test_what_follows_the_stated_length_is_the_next_request(wire):
    path = unique("long")
    with wire.connect() as connection:
        connection.send(wire.head("PUT", path, "content-length: 3") + b"abcdef\r\n\r\n")
        stored(connection.read_answer(), 3)
        assert connection.read_answer().status == 400
        assert connection.closed_within(5)
    assert wire.content(path) == b"abc"


LENGTHS = ["-1", "+3", "0x3", "3, 3", "3.0", "", "99999999999999999999999", "9223372036854775808", "abc"]


@pytest.mark.parametrize("length", LENGTHS)
def test_wrong_lengths(wire, length):
    path = unique("length")
    with wire.connect() as connection:
        answer = connection.send(wire.head("PUT", path, f"content-length: {length}") + b"abc" + HEALTH).read_answer()
        assert answer.status in (400, 413), answer
        assert connection.closed_within(5)
    assert wire.content(path) is None


CHUNKS = {
    "no size": b"\r\nabc\r\n0\r\n\r\n",
    "words": b"zz\r\nabc\r\n0\r\n\r\n",
    "negative": b"-3\r\nabc\r\n0\r\n\r\n",
    "prefixed": b"0x3\r\nabc\r\n0\r\n\r\n",
    "space before": b" 3\r\nabc\r\n0\r\n\r\n",
    "beyond 64 bits": b"fffffffffffffffff\r\nabc\r\n0\r\n\r\n",
    "longer than said": b"3\r\nabcd\r\n0\r\n\r\n",
    "shorter than said": b"3\r\nab\r\n0\r\n\r\n",
    "line feeds alone": b"3\nabc\n0\n\n",
    "no end of a chunk": b"3\r\nabc0\r\n\r\n",
    "control in an extension": b"3;a=\x01\r\nabc\r\n0\r\n\r\n",
    "broken trailer": b"3\r\nabc\r\n0\r\nbad trailer\r\n\r\n",
    "endless framing": b"1;" + b"a" * 15_000 + b"\r\nx\r\n" + b"1;" + b"a" * 15_000 + b"\r\nx\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("what", CHUNKS)
def test_nonsense_chunks(wire, what):
    """Also after valid chunks: nothing is stored, and the bytes after them are not read as a request."""
    path = unique("chunks")
    with wire.connect() as connection:
        connection.send(wire.head("PUT", path, "transfer-encoding: chunked") + b"4\r\ngood\r\n" + CHUNKS[what] + HEALTH)
        answer = connection.read_answer()
        assert answer.status == 400, answer
        assert connection.closed_within(10)
    assert wire.content(path) is None


def test_chunks_with_extensions_and_trailers(wire):
    path = unique("extended")
    chunks = b'3;name="a;b"\r\nabc\r\n03\r\ndef\r\n0;last\r\nx-sum: 1\r\nx-more: 2\r\n\r\n'
    with wire.connect() as connection:
        connection.send(wire.head("PUT", path, "transfer-encoding: chunked") + chunks + wire.read(path))
        stored(connection.read_answer(), 6)
        assert connection.read_answer().body == b"abcdef"


def test_the_client_is_asked_to_go_on(wire):
    path = unique("asked")
    with wire.connect() as connection:
        connection.send(wire.head("PUT", path, "content-length: 5", "expect: 100-continue"))
        assert connection.read_answer().status == 100
        stored(connection.send(b"hello").read_answer(), 5)
        connection.send(wire.write(path, b"did not wait", "expect: 100-continue"))
        stored(connection.read_answer(), 12)


def test_the_client_is_not_asked_where_it_is_refused(wire):
    good = f"authorization: Bearer {wire.token}"
    for sent, status in [
        (wire.head("PUT", "x", "content-length: 5", "expect: 100-continue").replace(good.encode(), b"x-no: 1"), 401),
        (wire.head("PUT", "x", "content-length: 5", "expect: 100-continue").replace(b"Bearer ", b"Bearer x"), 401),
        (wire.head("PUT", "..%2fx", "content-length: 5", "expect: 100-continue"), 400),
    ]:
        with wire.connect() as connection:
            answer = connection.send(sent).read_answer()
            assert answer.status in (status, 404), answer
            assert answer.headers["connection"] == "close"
            assert connection.send(HEALTH).read_answer() is None


def test_a_refusal_does_not_wait_for_the_body(wire):
    sent = wire.head("PUT", "x", "content-length: 1000000000").replace(b"Bearer ", b"Bearer x")
    with wire.connect() as connection:
        assert connection.send(sent).read_answer().status == 401
        assert connection.closed_within(10)


def test_one_who_sends_all_of_it_still_sees_the_refusal(wire):
    sent = wire.head("PUT", "x", "content-length: 20000000").replace(b"Bearer ", b"Bearer x")
    with wire.connect() as connection:
        assert connection.send(sent + b"x" * 20_000_000).read_answer().status == 401


def test_pipelined_requests_are_answered_in_order(wire):
    name, body, large = unique("pipe"), b"first", random.Random(4).randbytes(300_000)
    sent = (
        HEALTH
        + wire.write(name, body)
        + wire.read(name)
        + wire.write_chunked(name, large, 10_000)
        + wire.read(name)
        + wire.head("DELETE", name)
        + wire.read(name)
        + HEALTH
    )
    with wire.connect() as connection:
        connection.send(sent)
        assert connection.read_answer().status == 200
        stored(connection.read_answer(), len(body))
        assert connection.read_answer().body == body
        stored(connection.read_answer(), len(large))
        assert connection.read_answer().body == large
        assert connection.read_answer().status == 204
        assert connection.read_answer().status == 404
        assert connection.read_answer().status == 200


def test_a_refused_short_upload_keeps_its_connection(wire):
    sent = wire.write("x", b"y" * 5000).replace(b"Bearer ", b"Bearer x")
    with wire.connect() as connection:
        connection.send(sent + HEALTH + sent + HEALTH)
        assert [connection.read_answer().status for _ in range(4)] == [401, 200, 401, 200]


def test_a_download_that_nobody_takes_is_let_go(wire):
    path, body = unique("large"), b"z" * 20_000_000
    with wire.connect() as connection:
        stored(connection.send(wire.write(path, body)).read_answer(), len(body))
    before = open_files(wire.server)
    for _ in range(20):
        with wire.connect() as connection:
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.send(wire.read(path))
            assert connection.socket.recv(100)
    wait_until(lambda: open_files(wire.server) <= before + 2, 10, "descriptors of files or sockets stay open")
    with wire.connect() as connection:
        assert connection.send(wire.read(path)).read_answer().body == body


def open_files(server) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))
