"""Bytes on the wire: invalid, conflicting, oversized, pipelined or slow requests."""

import concurrent.futures
import json
import socket
import time

import pytest

from support.client import Api, unique
from support.raw_http import RawConnection, raw
from support.waiting import SLOW

HEALTH = b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n"


def still_serves(server):
    assert Api(server).get("/health").status_code == 200


BROKEN = {
    "nonsense": b"\x00\x01\x02\x03\xff\xfe\r\n\r\n",
    "tls hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n",
    "http2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "http 0.9": b"GET /api/v1/health\r\n\r\n",
    "unknown version": b"GET /api/v1/health HTTP/3.7\r\nhost: x\r\n\r\n",
    "no target": b"GET  HTTP/1.1\r\nhost: x\r\n\r\n",
    "space in target": b"GET /api/v1/he alth HTTP/1.1\r\nhost: x\r\n\r\n",
    "NUL in target": b"GET /api/v1/\x00health HTTP/1.1\r\nhost: x\r\n\r\n",
    "header without colon": b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\nbroken\r\n\r\n",
    "space before colon": b"GET /api/v1/health HTTP/1.1\r\nhost : x\r\n\r\n",
    "empty header name": b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n: v\r\n\r\n",
    "NUL in a header": b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\na: b\x00c\r\n\r\n",
    "bare CR in a header": b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\na: b\rc\r\n\r\n",
    "folded header": b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n",
    "two lengths": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x",
    "length and chunked": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n"
    b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunked not last": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, gzip\r\n\r\n"
    b"0\r\n\r\n",
    "unknown encoding": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\n",
    "negative length": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
    "length with plus": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: +2\r\n\r\n{}",
    "length in hex": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 0x2\r\n\r\n{}",
    "length list": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2, 3\r\n\r\n{}",
    "length beyond 64 bits": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: "
    b"99999999999999999999999\r\n\r\n{}",
    "chunk size in words": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "chunk size beyond 64 bits": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\nffffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "chunk longer than said": b"POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_requests(server, what):
    """400 (or another 4xx, or 501/505) and the connection closes; never the response of a valid request."""
    with RawConnection(server) as connection:
        answer = connection.send(BROKEN[what] + HEALTH).read_answer()
        if answer is not None:
            assert 400 <= answer.status < 500 or answer.status in (501, 505), answer
            assert answer.headers["x-content-type-options"] == "nosniff"
            if answer.body:
                assert set(json.loads(answer.body)) == {"error"}
            assert connection.closed_within(5), "the connection stays open after a broken request"
    still_serves(server)


def test_http_11_needs_a_host(server):
    answer = raw(server, b"GET /api/v1/health HTTP/1.1\r\n\r\n")
    assert answer.status in (200, 400)


@pytest.mark.parametrize(
    "version, header, stays",
    [
        ("1.1", "", True),
        ("1.1", "connection: close\r\n", False),
        ("1.1", "connection: Close\r\n", False),
        ("1.0", "", False),
        ("1.0", "connection: keep-alive\r\n", True),
    ],
)
def test_keep_alive(server, version, header, stays):
    with RawConnection(server) as connection:
        request = f"GET /api/v1/health HTTP/{version}\r\nhost: x\r\n{header}\r\n".encode()
        assert connection.send(request).read_answer().status == 200
        if stays:
            assert connection.send(request).read_answer().status == 200
        else:
            assert connection.closed_within(5)


def test_pipelined_requests_are_answered_in_order(server):
    with RawConnection(server) as connection:
        ids = [unique("pipe-") for _ in range(50)]
        connection.send(
            b"".join(
                (
                    f"GET /api/v1/{'health' if n % 2 else 'control/me'} HTTP/1.1\r\n"
                    f"host: x\r\nx-request-id: {given}\r\n\r\n"
                ).encode()
                for n, given in enumerate(ids)
            )
        )
        for n, given in enumerate(ids):
            answer = connection.read_answer()
            assert answer.headers["x-request-id"] == given
            assert answer.status == (200 if n % 2 else 401)


def test_pipelined_bodies(server):
    body = b'{"email": "a@b.example", "password": "12345678"}'
    post = (
        b"POST /api/v1/control/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        b"x-forwarded-for: 203.0.113.9\r\ncontent-length: %d\r\n\r\n" % len(body)
    ) + body
    with RawConnection(server) as connection:
        connection.send((post + HEALTH) * 3)
        assert [connection.read_answer().status for _ in range(6)] == [401, 200] * 3


def test_a_request_byte_by_byte(server):
    with RawConnection(server) as connection:
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in HEALTH:
            connection.send(bytes([byte]))
        assert connection.read_answer().status == 200


def test_chunked_bodies(server):
    body = b'{"email": "a@b.example", "password": "12345678"}'
    chunks = b"".join(b"%x;ext=1\r\n%s\r\n" % (len(body[n : n + 7]), body[n : n + 7]) for n in range(0, len(body), 7))
    with RawConnection(server) as connection:
        connection.send(
            b"POST /api/v1/control/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"x-forwarded-for: 203.0.113.10\r\n"
            b"transfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\ntrailer: x\r\n\r\n" + HEALTH
        )
        assert connection.read_answer().status == 401
        assert connection.read_answer().status == 200


def test_chunked_body_beyond_the_limit(server):
    with RawConnection(server) as connection:
        connection.send(
            b"POST /api/v1/control/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        for _ in range(40):
            connection.send(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        connection.send(b"0\r\n\r\n")
        answer = connection.read_answer()
        assert answer is None or answer.status == 413
        assert answer is None or json.loads(answer.body)["error"]["code"] == "PAYLOAD_TOO_LARGE"
        assert connection.closed_within(5)
    still_serves(server)


def test_announced_body_beyond_the_limit_is_refused_before_it_comes(server):
    with RawConnection(server) as connection:
        connection.send(
            b"POST /api/v1/control/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"content-length: 1000000000\r\n\r\n"
        )
        answer = connection.read_answer()
        assert answer.status == 413
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert connection.closed_within(5)


def test_expect_100_continue(server):
    body = b'{"email": "a@b.example", "password": "12345678"}'
    with RawConnection(server) as connection:
        connection.send(
            b"POST /api/v1/control/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"x-forwarded-for: 203.0.113.11\r\nexpect: 100-continue\r\ncontent-length: %d\r\n\r\n" % len(body)
        )
        first = connection.read_answer(head_only=True)
        assert first.status == 100
        assert connection.send(body).read_answer().status == 401


@pytest.mark.parametrize(
    "head",
    [
        b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n" + b"".join(b"h%d: v\r\n" % n for n in range(2000)) + b"\r\n",
        b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\nlong: " + b"x" * 100_000 + b"\r\n\r\n",
        b"GET /api/v1/health?" + b"x" * 100_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
    ids=["many headers", "long header", "long target"],
)
def test_head_too_large(server, head):
    with RawConnection(server) as connection:
        answer = connection.send(head).read_answer()
        assert answer is None or answer.status in (431, 414)
        if answer is not None:
            assert answer.headers["x-request-id"]
        assert connection.closed_within(5)
    still_serves(server)


def test_endless_head_is_cut(server):
    with RawConnection(server, seconds=5) as connection:
        connection.send(b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n")
        for n in range(300):
            connection.send(b"header-%d: %s\r\n" % (n, b"y" * 1000))
        answer = connection.read_answer()
        assert answer is None or answer.status == 431
        assert connection.closed_within(5)


@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/x%00y",
        "/api/v1/%",
        "/api/v1/%zz",
        "/api/v1/%ff",
        "/api/v1/%c0%af",
        "/api/v1/%ed%a0%80",
        "/api/v1/" + "a" * 5000,
        "/api/v1/" + "a/" * 500,
        "/api/v1/a%2fb",
        "/api/v1/.",
        "/api/v1/..",
        "/api/v1/%2e%2e/x",
    ],
)
def test_odd_paths(server, target):
    answer = raw(server, f"GET {target} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    assert answer.status in (400, 401, 404), answer


@pytest.mark.parametrize(
    "query",
    [
        "?",
        "?&&&",
        "?=",
        "?a",
        "?a=%zz",
        "?filter=%ff",
        "?limit=1&limit=2",
        "?" + "&".join(f"a{n}=1" for n in range(500)),
        "??",
        "?a=%00",
    ],
)
def test_odd_queries(server, query):
    answer = raw(server, f"GET /api/v1/health{query} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    assert answer.status in (200, 400), answer
    answer = raw(server, f"GET /api/v1/posts{query} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    assert answer.status in (400, 401), answer


def test_absolute_form_and_foreign_hosts(server):
    assert raw(server, b"GET http://evil.example/api/v1/health HTTP/1.1\r\nhost: evil.example\r\n\r\n").status in (
        200,
        400,
        404,
    )
    assert raw(server, b"OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n").status < 500


@pytest.mark.parametrize(
    "value",
    [
        "Bearer",
        "Bearer ",
        "Bearer  x",
        "bearer x",
        "Basic YTpi",
        "x",
        "Bearer " + "y" * 8000,
        "Bearer a.b.c",
        "Bearer ..",
        "Bearer mb_sk_",
        "Bearer mb_sk_x.y",
        "Bearer \xff\xfe",
    ],
)
def test_odd_authorization(server, value):
    head = b"GET /api/v1/posts HTTP/1.1\r\nhost: x\r\nauthorization: " + value.encode("latin-1") + b"\r\n\r\n"
    answer = raw(server, head)
    assert answer.status in (400, 401), answer


def test_half_closed_connections_still_get_their_answer(server):
    with RawConnection(server) as connection:
        connection.send(HEALTH)
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.read_answer().status == 200
        assert connection.closed_within(5)


def test_clients_that_go_away_in_the_middle(server):
    for cut in (1, 10, len(HEALTH) - 1, len(HEALTH)):
        for _ in range(10):
            with RawConnection(server) as connection:
                connection.send(HEALTH[:cut])
                linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    still_serves(server)


def test_many_connections_at_once(server):
    connections = [RawConnection(server) for _ in range(300)]
    try:
        for connection in connections:
            connection.send(HEALTH)
        assert all(connection.read_answer().status == 200 for connection in connections)
    finally:
        for connection in connections:
            connection.socket.close()


def slow_head(server):
    with RawConnection(server, seconds=30) as connection:
        connection.send(b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n")
        for _ in range(60):
            connection.socket.settimeout(0.25 * SLOW)
            try:
                if not connection.socket.recv(4096):
                    return True
            except TimeoutError:
                connection.send(b"x: y\r\n")
            except ConnectionError:
                return True
        return False


def silent(server):
    with RawConnection(server, seconds=30) as connection:
        connection.send(b"GET /api/v1/hea")
        return connection.closed_within(15)


@pytest.mark.slow
def test_slow_heads_are_cut_and_hold_nobody_up(server):
    """A head must be complete within 10 s, however slowly its bytes arrive; other requests are served during that
    time."""
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        slow = [pool.submit(slow_head, server) for _ in range(10)] + [pool.submit(silent, server) for _ in range(10)]
        began = time.monotonic()
        while time.monotonic() - began < 3:
            still_serves(server)
        assert all(one.result() for one in slow)


def test_readers_that_stall_hold_nobody_up(server, project):
    collection = project.collection()
    for _ in range(10):
        project.admin.create(collection, {"text": "x" * 100_000})
    request = (
        f"GET /api/v1/{collection} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {project.admin.token}\r\n\r\n".encode()
    )
    stalled = [RawConnection(server) for _ in range(20)]
    try:
        for connection in stalled:
            connection.send(request * 10)
        for _ in range(20):
            still_serves(server)
            assert len(project.admin.list(collection)) == 10
    finally:
        for connection in stalled:
            connection.socket.close()
