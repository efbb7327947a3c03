"""The responses of the server for the dashboard."""

import gzip
import re

import pytest

from support.hosted_pages import get
from support.wire import Wire

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "worker-src 'self' blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
}
PATHS = ["/dashboard", "/dashboard/", "/dashboard/sign-in", "/dashboard/p/books/data/x%20y?filter=%7B%7D&new=true", "/dashboard/index.html"]
ASSET = re.compile(r'"(/[^"]*/assets/[^"]+)"')


def assets_of(server, root: str = "") -> list[str]:
    found = ASSET.findall(get(server, "/dashboard").text)
    assert len(found) >= 4 and all(one.startswith(f"{root}/dashboard/assets/") for one in found)
    return [one.removeprefix(root) for one in found]


@pytest.mark.parametrize("path", PATHS)
def test_the_page_is_the_same_at_every_address(server, path):
    answer = get(server, path)
    assert answer.status_code == 200 and answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text == get(server, "/dashboard").text
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["permissions-policy"] == "camera=(), microphone=(), geolocation=(), clipboard-write=(self)"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert server.http.head(path).headers["etag"] == answer.headers["etag"]
    known = get(server, path, if_none_match=answer.headers["etag"])
    assert known.status_code == 304 and known.content == b""
    assert set(known.headers["content-security-policy"].split("; ")) == POLICY


def test_the_page_has_nothing_inline(server):
    page = get(server, "/dashboard").text
    assert "{{" not in page and "style=" not in page and "<style" not in page and "://" not in page
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))
    assert re.search(r'<meta name="manybase-root" content=""', page)


def test_the_first_paint_waits_for_no_module(server):
    """The mark is in the page itself; before it the browser loads the script of the colours and the styles alone."""
    page = get(server, "/dashboard").text
    assert page.index('<div id="root">') < page.index('<svg class="opening"') < page.index("</body>")
    blocking = [tag for tag in re.findall(r"<script[^>]*>", page) if 'type="module"' not in tag]
    assert len(blocking) == 1 and "/scheme-" in blocking[0]
    assert len(re.findall(r'<link rel="stylesheet"', page)) <= 4


def test_assets_are_kept_for_ever(server):
    for path in assets_of(server):
        plain = get(server, path, accept_encoding="identity")
        assert plain.status_code == 200 and plain.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert plain.headers["x-content-type-options"] == "nosniff" and "content-encoding" not in plain.headers
        with server.http.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
            raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip" and gzip.decompress(raw) == plain.content
        assert answer.headers["etag"] != plain.headers["etag"]
        assert get(server, path, if_none_match=answer.headers["etag"], accept_encoding="gzip").status_code == 304


@pytest.mark.parametrize("name", ["assets", "assets/", "assets/none.js", "assets/index.html", "assets/x/y", "assets/..%2Findex.html", "sdk", "sdk/none"])
def test_files_that_do_not_exist(server, name):
    answer = get(server, f"/dashboard/{name}")
    assert answer.status_code == 404 and answer.json()["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/dashboard", "/dashboard/", "/dashboard/p/books", "/dashboard/assets/x.js"])
def test_other_methods(server, method, path):
    answer = server.http.request(method, path)
    assert answer.status_code == 405 and "GET" in answer.headers["allow"]


def test_the_sign_in_page_needs_few_bytes(person):
    wire = Wire(person.page)
    person.go("/sign-in")
    person.heading("Sign in to Manybase")
    wire.settle()
    assert wire.kilobytes <= 285 and wire.requests <= 35, wire.bytes


def test_below_the_path_of_the_base_url(make_server):
    """A proxy serves the server below a path, which it removes."""
    server = make_server({"SERVICE_BASE_URL": "https://example.com/backend"}).start()
    assert '<meta name="manybase-root" content="/backend"' in get(server, "/dashboard/p/x").text
    for path in assets_of(server, "/backend"):
        assert get(server, path).status_code == 200


def test_without_the_control_plane_there_is_none(make_server):
    server = make_server({"SERVICE_CONTROL": "off"}).start()
    assert get(server, "/dashboard").status_code == 404
    assert get(server, "/dashboard/sign-in").status_code == 404
    assert get(server, "/dashboard/sdk/manybase.mjs").status_code == 200
