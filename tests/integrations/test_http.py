"""http integrations: requests, responses, and a hostile upstream."""

import threading

import pytest

from support.client import ok, refused
from support.upstream import Upstream, drip, endless, silence
from support.waiting import wait_until


def test_what_is_sent(api, upstream):
    upstream.answers["/v1/orders"] = (200, {}, {})
    one = api(
        {"authorization": "Bearer token", "headers": {"X-Key": "key"}},
        baseUrl=upstream.url + "/v1",
        headers={"Accept": "application/json", "X-Team": "shop"},
    )
    upstream.asked.clear()
    query = {"dry": True, "tag": ["a b", "c&d"]}
    one.result("post", path="/orders", query=query, headers={"x-team": "mine"}, body={"n": 1})
    (asked,) = upstream.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/v1/orders", {"n": 1})
    assert asked.query == {"dry": ["true"], "tag": ["a b", "c&d"]}
    assert asked.headers["authorization"] == "Bearer token" and asked.headers["x-key"] == "key"
    assert asked.headers["x-team"] == "mine" and asked.headers["accept"] == "application/json"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["user-agent"] == "manybase"
    assert asked.headers["host"] == f"127.0.0.1:{upstream.port}"


@pytest.mark.parametrize("op", ["get", "post", "put", "patch", "delete"])
def test_every_operation(api, upstream, op):
    upstream.answers["/op"] = (200, {}, {"done": True})
    upstream.asked.clear()
    assert api().result(op, path="/op")["body"] == {"done": True}
    assert [(each.method, each.raw) for each in upstream.asked] == [(op.upper(), b"")]


@pytest.mark.parametrize(
    "body, kind, raw",
    [
        ("text ä", "text/plain; charset=utf-8", "text ä".encode()),
        ({"a": [1, None]}, "application/json", b'{"a":[1,null]}'),
        ([1.5, "x"], "application/json", b'[1.5,"x"]'),
        (7, "application/json", b"7"),
        (False, "application/json", b"false"),
        (None, None, b""),
    ],
)
def test_bodies(api, upstream, body, kind, raw):
    upstream.answers["/body"] = (200, {}, {})
    upstream.asked.clear()
    api().result("put", path="/body", body=body)
    (asked,) = upstream.asked
    assert (asked.headers.get("content-type"), asked.raw) == (kind, raw)


@pytest.mark.parametrize(
    "kind, sent, body",
    [
        ("application/json", b'{"a":[1,2.5,null,{"$date":"x"}]}', {"a": [1, 2.5, None, {"$date": "x"}]}),
        ("application/vnd.api+json; charset=utf-8", b"[]", []),
        ("application/json", b"{not json", "{not json"),
        ("application/json", b"[" * 5000, "[" * 5000),
        ("text/html", b"<p>", "<p>"),
        ("text/plain", b"\xff\xfe", "//4="),
        ("application/octet-stream", b"abc", "YWJj"),
        ("text/plain", b"", None),
        ("application/json", b"\xef\xbb\xbf{}", "\ufeff{}"),
    ],
)
def test_answers(api, upstream, kind, sent, body):
    upstream.answers["/kind"] = (200, {"content-type": kind}, sent)
    assert api().result("get", path="/kind")["body"] == body


@pytest.mark.parametrize("status", [200, 201, 204, 301, 400, 401, 404, 418, 500, 503])
def test_any_status_is_an_answer(api, upstream, status):
    upstream.answers["/status"] = (status, {"x-a": "1"}, b"")
    answer = api().result("get", path="/status")
    assert answer["status"] == status and answer["headers"]["x-a"] == "1" and answer["body"] is None


# ---- the path


def test_paths_stay_below_the_address(api, upstream):
    one = api(baseUrl=upstream.url + "/v1/")
    for path, target in [
        ("/a/b", "/v1/a/b"),
        ("a", "/v1/a"),
        ("", "/v1/"),
        ("/@evil.example/", "/v1/@evil.example/"),
        ("@evil.example/", "/v1/@evil.example/"),
        (".evil.example/", "/v1/.evil.example/"),
        (":1/", "/v1/:1/"),
        ("/http://evil.example/", "/v1/http://evil.example/"),
        ("/a%2Fb", "/v1/a%2Fb"),
        ("/ü b", "/v1/%C3%BC%20b"),
        ("/a?x=1&y=//evil.example", "/v1/a?x=1&y=//evil.example"),
    ]:
        upstream.asked.clear()
        one.result("get", path=path)
        assert [each.target for each in upstream.asked] == [target], path


@pytest.mark.parametrize(
    "path",
    """//evil.example/ ///evil.example/ /\\evil.example \\\\evil.example\\ /%2fevil.example %2f%2fevil.example
    %5c%5cevil.example http://evil.example/ HTTPS:evil.example javascript:alert(1) /../admin /.. .. /a/../../b /./a
    /%2e%2e/b /%2E%2e%2Fb /.%2e/b /a%2f..%2f..%2fb /a%5c..%5cb /..;/b /a#b # /% /%zz /%0d%0aHost:evil.example /%00
    /a?b#c /a?%0a""".split()
    + ["/a\r\nHost: evil.example", "/a\tb", "/a\x00", "/a\x7f", "/" + "a" * 9000, "\r\n"],
)
def test_no_notation_leads_elsewhere(api, upstream, path):
    one = api(baseUrl=upstream.url + "/v1")
    upstream.asked.clear()
    refused(one.live("get", path=path), 400, "VALIDATION", "/args/path")
    assert upstream.asked == []


def test_redirects_are_answers(api, upstream):
    with_secret = api({"authorization": "Bearer token"})
    other = Upstream()
    try:
        upstream.answers["/moved"] = (302, {"location": other.url + "/caught"}, b"")
        answer = with_secret.result("get", path="/moved")
        assert answer["status"] == 302 and answer["headers"]["location"] == other.url + "/caught"
        assert other.connections == 0
    finally:
        other.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "x"},
        {"AUTHORIZATION": "x"},
        {"x-key": "x"},
        {"Host": "evil.example"},
        {"Content-Length": "5"},
        {"Transfer-Encoding": "chunked"},
        {"Connection": "x-key"},
        {"Proxy-Authorization": "x"},
        {"x y": "1"},
        {"x-a": "b\r\nx-key: c"},
        {"x-a\r\nx-key": "c"},
        {"x-a:": "c"},
        {"": "c"},
        {"x-a": "ä"},
        {"x-a": 1},
        {f"x-{n}": "1" for n in range(60)},
        {"x-a": "1" * 20_000},
    ],
)
def test_headers_that_are_none(api, upstream, headers):
    one = api({"authorization": "Bearer token", "headers": {"X-Key": "key"}})
    upstream.asked.clear()
    error = refused(one.live("get", path="/", headers=headers), 400, "VALIDATION")
    assert all(detail["path"].startswith("/args/headers") for detail in error["details"])
    assert upstream.asked == []


# ---- allowed addresses


def test_what_is_private_has_to_be_asked_for(integration, upstream):
    upstream.answers["/private"] = (200, {}, {})
    upstream.connections = 0
    one = integration("http", {"baseUrl": upstream.url})
    error = refused(one.live("get", path="/private"), 502, "UPSTREAM_FAILED")
    assert error["message"] == "request failed" and upstream.connections == 0
    one.patch(config={"baseUrl": upstream.url, "allowPrivate": True})
    assert one.result("get", path="/private")["status"] == 200
    # A connection that was opened with allowPrivate is not reused without it.
    one.patch(config={"baseUrl": upstream.url, "allowPrivate": False})
    refused(one.live("get", path="/private"), 502, "UPSTREAM_FAILED")


@pytest.mark.parametrize(
    "address", ["http://127.0.0.2:80", "http://169.254.169.254", "http://10.1.2.3", "http://[::1]:80", "http://0x7f.2"]
)
def test_allow_private_opens_no_more_than_the_deployment(integration, address):
    one = integration("http", {"baseUrl": address, "allowPrivate": True, "timeoutMs": 1000})
    refused(one.live("get", path="/"), 502, "UPSTREAM_FAILED")


# ---- a hostile upstream


def raw(head: bytes, body: bytes = b"") -> bytes:
    return b"HTTP/1.1 " + head + b"\r\n\r\n" + body


HOSTILE = {
    "silence": silence(30),
    "drip": drip(30),
    "endless": endless,
    "too long": (200, {}, b"x" * ((1 << 20) + 1)),
    "closed": None,
    "nothing": b"",
    "no HTTP": b"SSH-2.0-OpenSSH_9\r\n",
    "half": raw(b"200 OK\r\ncontent-length: 10", b"abc"),
    "bad length": raw(b"200 OK\r\ncontent-length: -1", b"abc"),
    "bad chunks": raw(b"200 OK\r\ntransfer-encoding: chunked", b"zz\r\nabc"),
    "headers without end": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 100_000,
    "one huge header": raw(b"200 OK\r\nx: " + b"y" * 200_000),
    "unknown encoding": raw(b"200 OK\r\ntransfer-encoding: bogus", b"abc"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_harm(server, api, upstream, what):
    upstream.answers["/harm"] = (lambda *_: None) if what == "closed" else HOSTILE[what]
    error = refused(api(timeoutMs=1000).live("get", path="/harm"), 502, "UPSTREAM_FAILED")
    assert error["message"] in ("request failed", "request timed out")
    assert server.alive()


def test_an_answer_of_the_largest_size(api, upstream):
    upstream.answers["/large"] = (200, {"content-type": "text/plain"}, b"x" * (1 << 20))
    assert len(api().result("get", path="/large")["body"]) == 1 << 20


@pytest.mark.parametrize(
    "answer, status",
    [
        (raw(b"200 OK\r\nx-nul: a\x01b\r\nx-latin: caf\xe9\r\n: none\r\nbad name: 1\r\ncontent-length: 0"), 200),
        (raw(b"200 OK\r\ncontent-length: 2\r\n__proto__: x\r\nconstructor: y", b"ok"), 200),
        (raw(b"200 OK\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 0"), 200),
        (raw(b"299 \xff\xfe\r\ncontent-length: 0"), 299),
        (raw(b"100 Continue") + raw(b"200 OK\r\ncontent-length: 0"), 200),
    ],
)
def test_odd_answers_break_nothing(api, upstream, answer, status):
    upstream.answers["/odd"] = answer
    assert api().result("get", path="/odd")["status"] == status


def test_who_waits_holds_up_nobody(api, upstream):
    """A slow upstream uses the slots of its own integration only."""
    upstream.answers["/slow"] = silence(20)
    upstream.answers["/quick"] = (200, {}, {})
    slow, quick = api(timeoutMs=3000), api()
    waiting = [threading.Thread(target=slow.live, args=("get",), kwargs={"path": "/slow"}) for _ in range(8)]
    for thread in waiting:
        thread.start()
    wait_until(lambda: len(upstream.at("/slow")) >= 4)
    assert quick.result("get", path="/quick")["status"] == 200
    assert any(thread.is_alive() for thread in waiting)
    for thread in waiting:
        thread.join()


def test_ten_seconds_at_most(admin, api, upstream):
    refused(
        admin.post(
            "/admin/integrations",
            {"name": "too-slow", "provider": "http", "config": {"baseUrl": upstream.url, "timeoutMs": 10_001}},
        ),
        400,
        "VALIDATION",
        "/config/timeoutMs",
    )
    upstream.answers["/slow"] = silence(30)
    error = refused(api().live("get", path="/slow"), 502, "UPSTREAM_FAILED")
    assert error["message"] == "request timed out"


def test_nothing_of_it_is_kept(api, admin, upstream):
    upstream.answers["/once"] = (200, {}, {"a": 1})
    one = api()
    before = one.read()
    one.result("get", path="/once")
    assert one.read() == before
    assert ok(admin.get("/admin/integrations"))
