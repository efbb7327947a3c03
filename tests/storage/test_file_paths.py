"""Paths in every notation: with `..`, empty, not UTF-8. Names are never used as paths on the disk, and are refused
nevertheless."""

import http.client
import json

import pytest

from support.bucket import blobs
from support.client import ok

BAD = [
    "..",
    ".",
    "../x",
    "a/../b",
    "a/..",
    "./a",
    "%2e%2e",
    "%2E%2e/x",
    "a/%2e%2e/b",
    ".%2e/x",
    "..%2f..%2fetc%2fpasswd",
    "a%2f..%2fb",
    "..%5c..%5cx",
    "a%5cb",
    "%252e%252e/x",
    "%252e%252e%252fx",
    "%25252e%25252e/x",
    "a//b",
    "a%2f%2fb",
    "a/",
    "%2fetc/passwd",
    "a%00b",
    "a%0ab",
    "a%0d%0ab",
    "a%7fb",
    "a%2500b",
    "%c0%ae%c0%ae/x",
    "%e0%80%ae/x",
    "a%ff",
    "a%",
    "a%4",
    "a%zz",
    "x" * 901,
]


def send(server, method: str, target: str, token: str | None, content: bytes | None = None) -> tuple[int, str]:
    """Sends the target unchanged, since other clients resolve dots. Returns status and the error's code."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    connection.request(method, target, content, headers)
    answer = connection.getresponse()
    body = json.loads(answer.read() or b"{}")
    connection.close()
    return answer.status, body.get("error", {}).get("code", "")


@pytest.mark.parametrize("path", BAD)
def test_refused_by_every_method(server, admin, project, bucket, path):
    shelf = bucket("public")
    before = blobs(server.data)
    route = f"/api/v1/storage/{shelf.name}/{path}"
    allowed = {(400, "INVALID_PARAM"), (404, "NOT_FOUND")}
    assert send(server, "PUT", route, admin.token, b"x") in allowed
    for query in ("", "?sign=60"):
        assert send(server, "GET", route + query, admin.token) in allowed
    assert send(server, "DELETE", route, admin.token) in allowed
    assert send(server, "GET", f"{route}?project={project.id}", None) == (404, "NOT_FOUND")
    assert shelf.list() == {"files": [], "folders": []} and blobs(server.data) == before


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ("a%2fb", "a/b"),
        ("a%20b", "a b"),
        ("a+b", "a+b"),
        ("...", "..."),
        ("..a/b..", "..a/b.."),
        (".hidden", ".hidden"),
        ("%C3%A4", "ä"),
        ("100%25", "100%"),
        ("a:b", "a:b"),
        ("con", "con"),
        ("__proto__", "__proto__"),
        ("$where", "$where"),
        ("x" * 900, "x" * 900),
        ("%F0%9F%98%80", "\U0001f600"),
    ],
)
def test_what_a_path_may_be(admin, bucket, sent, path):
    shelf = bucket()
    assert ok(admin.put(f"/storage/{shelf.name}/{sent}", content=b"x"), 201)["file"]["path"] == path
    assert admin.get(f"/storage/{shelf.name}/{sent}").content == b"x"
    assert shelf.paths() == [path]
