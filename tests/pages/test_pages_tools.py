"""The developer tools, /docs and /graphiql, with and without a project: the responses of the server, and
accessibility."""

import gzip
import re

import pytest
from playwright.sync_api import expect

from support.browser import visiting
from support.client import ok
from support.hosted_pages import brightness, get
from support.tool_pages import TOOLS, addresses, give, open_graphiql, open_reference, using

# A browser and a sanitized server take long.
pytestmark = pytest.mark.timeout(300)
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True}
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
}


# ---- responses


def test_headers(server, project):
    for path in [*addresses(), *addresses(project), f"/p/{project.slug}/docs"]:
        answer = get(server, path, accept_encoding="identity")
        assert answer.status_code == 200 and answer.headers["content-type"] == "text/html; charset=utf-8", path
        assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
        assert answer.headers["referrer-policy"] == "no-referrer" and answer.headers["cache-control"] == "no-cache"
        assert answer.headers["x-content-type-options"] == "nosniff" and "set-cookie" not in answer.headers
        head = server.http.head(path, headers={"accept-encoding": "identity"})
        assert head.status_code == 200 and head.headers["content-length"] == answer.headers["content-length"]
        again = get(server, path, if_none_match=answer.headers["etag"])
        assert again.status_code == 304 and again.content == b""
        assert server.http.post(path).status_code == 405


def test_they_look_like_their_project(server, project):
    for tool in TOOLS:
        html = get(server, f"/p/{project.id}{tool}").text
        assert "Bean &amp; Leaf &lt;Café&gt;" in html and "<Café>" not in html and "🌱" in html
        assert "accent-emerald" in html and f'data-project="{project.id}"' in html
        assert f'href="/p/{project.id}/docs"' in html and f'href="/p/{project.id}/graphiql"' in html
        html = get(server, tool).text
        assert "Manybase" in html and 'data-project=""' in html and 'href="/docs"' in html


def heading(answer) -> str:
    return re.search(r"<h1[^>]*>(.*?)</h1>", answer.text).group(1)


def test_of_no_project(server, owner):
    paused = owner.create_project("Paused and Secret")
    ok(owner.post(f"/control/projects/{paused.id}/suspend"), 204)
    for tool in TOOLS:
        for odd in ("proj_00000000000000000000", "no-such-project", "a%20b", "x" * 500, "%3Cscript%3E"):
            answer = get(server, f"/p/{odd}{tool}")
            assert answer.status_code == 404 and heading(answer) == "There is nothing here", odd
            assert answer.headers["cache-control"] == "no-store" and "no-such-project" not in answer.text
        answer = get(server, f"/p/{paused.id}{tool}")
        assert answer.status_code == 403 and heading(answer) == "This app is paused" and "Secret" not in answer.text
        assert get(server, tool).status_code == 200
    ok(owner.delete(f"/control/projects/{paused.id}"), 204)
    assert get(server, f"/p/{paused.id}/docs").status_code == 404
    for path in ("/p", f"/p/{paused.id}", "/p/docs", "/docs/", "/docs/x", "/graphiql/x", "/p/x/y", "/p//docs"):
        answer = get(server, path)
        assert answer.status_code == 404 and answer.json()["error"]["code"] == "NOT_FOUND", path


def test_parts_are_compressed_once(server):
    for tool in TOOLS:
        paths = re.findall(r'(?:src|href)="(/auth/assets/[^"]+)"', get(server, tool).text)
        folder = paths[0].rsplit("/", 1)[0]
        paths.append(f"{folder}/{'swagger-ui' if tool == '/docs' else 'graphiql'}.js")
        assert len(paths) == 7 and any(path.endswith("licenses.txt") for path in paths)
        for path in paths:
            plain = get(server, path, accept_encoding="identity")
            assert plain.status_code == 200 and "content-encoding" not in plain.headers, path
            assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
            with server.http.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
                raw = b"".join(answer.iter_raw())
            if len(plain.content) > 1024:
                assert answer.headers["content-encoding"] == "gzip" and answer.headers["vary"] == "accept-encoding"
                assert gzip.decompress(raw) == plain.content and int(answer.headers["content-length"]) == len(raw)
            for known in (plain, answer):
                asked = known.request.headers["accept-encoding"]
                again = get(server, path, accept_encoding=asked, if_none_match=known.headers["etag"])
                assert again.status_code == 304 and again.content == b"" and again.headers["etag"] == known.headers["etag"]
                assert "content-encoding" not in again.headers
        large, small = get(server, paths[-1], accept_encoding="identity"), get(server, paths[-1], accept_encoding="gzip")
        assert large.headers["etag"] != small.headers["etag"], "two forms are two things"
        assert get(server, paths[-1], accept_encoding="gzip;q=0").headers.get("content-encoding") is None


def test_base_url_with_a_path(make_server):
    server = make_server()
    server.port = 0
    server.spawn()
    server.wait_ready()
    server.stop()
    server.settings["SERVICE_BASE_URL"] = f"http://127.0.0.1:{server.port}/behind/a/proxy"
    server.start()
    for tool in TOOLS:
        html = get(server, tool).text
        assert 'data-root="/behind/a/proxy"' in html and f'href="/behind/a/proxy{tool}"' in html
        assert 'href="/auth' not in html and 'src="/auth' not in html


# ---- accessibility


@pytest.mark.parametrize("scheme, of_project", [("light", False), ("dark", True)])
def test_for_everybody(chromium, server, project, scheme, of_project):
    with using(chromium, server, color_scheme=scheme) as visitor:
        found = []
        for path in addresses(project if of_project else None):
            (open_reference if path.endswith("docs") else open_graphiql)(visitor, server.url + path)
            give(visitor, "nonsense")
            visitor.page.get_by_role("button", name="Forget").wait_for()
            found += [f"{path}: {one}" for one in visitor.accessibility(leaving_out="#tool")]
            ground = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (brightness(ground) > 0.8) == (scheme == "light"), path
        assert not found, "\n".join(found)


def test_phones(chromium, server, project):
    with using(chromium, server, **PHONE) as visitor:
        for path in addresses(project):
            (open_reference if path.endswith("docs") else open_graphiql)(visitor, server.url + path)
            assert visitor.overflow() == 0, path


def test_without_javascript(chromium, server):
    with visiting(chromium, java_script_enabled=False) as visitor:
        for tool in TOOLS:
            visitor.open(server.url + tool)
            expect(visitor.page.locator("#no-script")).to_be_visible()
