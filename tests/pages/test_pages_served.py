"""The responses of the server for pages."""

import gzip
import re
from urllib.parse import urlencode

import pytest

from support.client import ok
from support.hosted_pages import contrast, get
from support.server import ROOT

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
}
COLOURS = (
    "slate gray red orange amber yellow lime green emerald teal cyan sky blue indigo violet purple pink rose"
).split()
# A browser and a sanitized server take long.
pytestmark = pytest.mark.timeout(300)


# ---- responses


@pytest.mark.parametrize("path", ["/auth/login", "/reset-password", "/verify-email", "/examples/oauth"])
def test_headers_of_a_page(server, project, path):
    answer = get(server, path, x_service_project=project.id, accept_encoding="identity")
    assert answer.status_code == 200 and answer.headers["content-type"] == "text/html; charset=utf-8"
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == ("no-store" if path in ("/reset-password", "/verify-email") else "no-cache")
    assert "set-cookie" not in answer.headers

    head = server.http.head(path, headers={"x-service-project": project.id, "accept-encoding": "identity"})
    assert head.status_code == 200 and head.content == b""
    assert head.headers["content-length"] == answer.headers["content-length"]

    tag = answer.headers["etag"]
    unchanged = get(server, path, x_service_project=project.id, if_none_match=f'"other", {tag}')
    assert unchanged.status_code == 304 and unchanged.content == b"" and unchanged.headers["etag"] == tag
    assert get(server, path, x_service_project=project.id, if_none_match='"other"').status_code == 200
    assert server.http.post(path, headers={"x-service-project": project.id}).status_code == 405


def test_pages_are_compressed_when_asked(server, project):
    path = f"/auth/login?project={project.id}"
    with server.http.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip" and "accept-encoding" in answer.headers["vary"]
    plain = get(server, path, accept_encoding="identity")
    assert gzip.decompress(raw) == plain.content and len(raw) < len(plain.content) / 2


def test_a_page_looks_like_its_project(server, owner, project):
    html = get(server, f"/auth/login?project={project.slug}").text
    assert "Bean &amp; Leaf &lt;Café&gt;" in html and "<Café>" not in html
    assert "🌱" in html and 'class="accent-emerald"' in html and f'data-project="{project.id}"' in html
    tag = get(server, f"/auth/login?project={project.id}").headers["etag"]
    plain = owner.create_project()
    html = get(server, f"/auth/login?project={plain.id}")
    assert 'class="accent-default"' in html.text and html.headers["etag"] != tag
    assert "Manybase" in get(server, "/auth/login?plane=control").text


def assets_of(server, path: str) -> list[str]:
    return re.findall(r'(?:src|href)="(/auth/assets/[^"]+)"', get(server, path).text)


def test_assets_are_kept_for_ever(server, project):
    found = assets_of(server, f"/auth/login?project={project.id}")
    assert len(found) == 4
    for path in found:
        answer = get(server, path, accept_encoding="identity")
        kinds = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
        assert answer.status_code == 200 and answer.headers["content-type"] == kinds[path.rpartition(".")[2]]
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert server.http.head(path).status_code == 200
        again = get(server, path, if_none_match=answer.headers["etag"])
        assert again.status_code == 304 and again.content == b""


def test_only_assets_of_this_version_are_there(server, project):
    version = assets_of(server, f"/auth/login?project={project.id}")[0].split("/")[3]
    assert get(server, f"/auth/assets/{version}/api.js").status_code == 200
    for path in (
        f"/auth/assets/{version}/login.html",
        f"/auth/assets/{version}/swagger-ui.js.gz",
        f"/auth/assets/{version}/none.js",
        f"/auth/assets/{version}/..%2Fpages.css",
        f"/auth/assets/{version}/",
        f"/auth/assets/{version}",
        "/auth/assets/0000000000000000/api.js",
        "/auth/assets/api.js",
        "/auth",
        "/examples",
        "/examples/oauth/",
        "/auth/login/",
    ):
        answer = get(server, path)
        assert answer.status_code == 404 and answer.json()["error"]["code"] == "NOT_FOUND", path


BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_home_for_browsers(server):
    answer = server.http.get("/", headers=BROWSER)
    assert answer.status_code == 200 and answer.headers["content-type"] == "text/html; charset=utf-8"
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY and "accept" in answer.headers["vary"]
    links = re.findall(r'<a href="([^"]+)"', answer.text)
    assert links == ["/docs", "/graphiql", "/dashboard"]
    for path in links:
        assert server.http.get(path, headers=BROWSER).status_code == 200, path
    assert server.http.get("/", headers={**BROWSER, "if-none-match": answer.headers["etag"]}).status_code == 304
    icon = server.http.get(re.search(r'rel="icon" href="([^"]+)"', answer.text).group(1))
    assert icon.status_code == 200 and icon.headers["content-type"] == "image/svg+xml" and b"<svg" in icon.content
    head = server.http.head("/", headers={**BROWSER, "accept-encoding": "identity"})
    assert head.status_code == 200 and head.content == b""
    # Other clients get the usual response.
    for headers in ({}, {"accept": "application/json"}, {"accept": "*/*"}):
        answer = server.http.get("/", headers=headers)
        assert answer.status_code == 404 and answer.json()["error"]["code"] == "NOT_FOUND"
    assert server.http.post("/", headers=BROWSER).json()["error"]["code"] == "NOT_FOUND"


def test_pages_that_are_not_there(server):
    for path in ("/nowhere", "/docs/", "/auth", "/favicon.ico", "/apis", "/" + "x" * 1000, "/<script>alert(1)</script>"):
        answer = server.http.get(path, headers=BROWSER)
        assert refused_page(answer, 404) == "There is nothing here" and 'href="/"' in answer.text, path
        assert "alert(1)" not in answer.text and 'rel="icon"' in answer.text
        assert server.http.get(path).json()["error"]["code"] == "NOT_FOUND", path
    # The API responds with JSON to browsers too.
    for path in ("/api", "/api/v1/x/y/z", "/api/nowhere"):
        assert server.http.get(path, headers=BROWSER).json()["error"]["code"] == "NOT_FOUND", path


def refused_page(answer, status: int) -> str:
    """Checks an error page, which has the same headers as other pages; returns its heading."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8" and answer.headers["cache-control"] == "no-store"
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
    assert "location" not in answer.headers and "<form" not in answer.text
    return re.search(r"<h1[^>]*>(.*?)</h1>", answer.text).group(1)


@pytest.mark.parametrize("path", ["/auth/login", "/reset-password", "/verify-email"])
def test_pages_of_no_project(server, project, owner, path):
    owner.create_project()
    page = get(server, path)
    assert refused_page(page, 400) == "This link is incomplete"
    # The page says what is missing, and does not name existing projects.
    assert "?project=notes" in page.text and project.id not in page.text and project.slug not in page.text
    for odd in ("proj_00000000000000000000", "no-such-project", "a b", "../x", "x" * 500, "%3Cscript%3E"):
        answer = get(server, f"{path}?project={odd}")
        assert refused_page(answer, 404) == "There is nothing here"
        assert "script>alert" not in answer.text and "no-such-project" not in answer.text
    for odd in ("project=%ff", "project=%", "plane=data&project=" + project.id, "plane=Control"):
        assert refused_page(get(server, f"{path}?{odd}"), 400) == "This link cannot be used"


def test_pages_of_projects_that_are_away(server, owner):
    paused = owner.create_project("Paused and Secret")
    ok(owner.post(f"/control/projects/{paused.id}/suspend"), 204)
    answer = get(server, f"/auth/login?project={paused.id}")
    assert refused_page(answer, 403) == "This app is paused" and "Secret" not in answer.text
    ok(owner.delete(f"/control/projects/{paused.id}"), 204)
    assert refused_page(get(server, f"/auth/login?project={paused.id}"), 404) == "There is nothing here"


def test_no_control_pages_without_a_control_plane(make_server):
    server = make_server({"SERVICE_CONTROL": "off"}).start()
    for path in ("/auth/login", "/reset-password", "/verify-email"):
        assert refused_page(get(server, f"{path}?plane=control"), 404) == "There is nothing here"


@pytest.mark.parametrize(
    "make",
    [
        lambda app: app.replace("http:", "https:"),
        lambda app: "https://evil.example/",
        lambda app: app.replace("127.0.0.1", "127.0.0.1.evil.example"),
        lambda app: app.replace("127.0.0.1", "localhost"),
        lambda app: app + "0/",
        lambda app: app.rsplit(":", 1)[0] + "/",
        lambda app: app.replace("://", "://user@"),
        lambda app: app.replace("://", "://evil.example\\@"),
        lambda app: app + "\\@evil.example/",
        lambda app: app + "/#mb_refresh=x",
        lambda app: app + "/ /",
        lambda app: app + "/\n",
        lambda app: "HTTP" + app[4:],
        lambda app: "//" + app.split("//")[1],
        lambda app: "/back",
        lambda app: "javascript:alert(1)//" + app,
        lambda app: "data:text/html,x",
        lambda app: app + "/" + "a" * 2048,
    ],
)
def test_redirects_that_are_refused(server, project, app, make):
    query = urlencode({"project": project.id, "redirect": make(app)})
    assert refused_page(get(server, f"/auth/login?{query}"), 400) == "This link cannot be used"


def test_redirects_that_are_taken(server, project, app):
    for redirect in (app, app + "/", app + "/back?x=1&y=%22%3E", app + "?a=b"):
        answer = get(server, f"/auth/login?{urlencode({'project': project.id, 'redirect': redirect})}")
        assert answer.status_code == 200 and f'data-redirect="{redirect.replace("&", "&amp;")}"' in answer.text
    # The project's redirect is not valid for another project, nor on the control plane.
    other = project.owner.create_project()
    for query in ({"project": other.id, "redirect": app}, {"plane": "control", "redirect": app}):
        refused_page(get(server, f"/auth/login?{urlencode(query)}"), 400)
    own = get(server, f"/auth/login?{urlencode({'plane': 'control', 'redirect': server.url + '/x'})}")
    assert own.status_code == 200


def test_base_url_with_a_path(make_server):
    server = make_server()
    server.port = 0
    server.spawn()
    server.wait_ready()
    server.stop()
    server.settings["SERVICE_BASE_URL"] = f"http://127.0.0.1:{server.port}/behind/a/proxy"
    server.start()
    html = get(server, "/auth/login?plane=control").text
    assert 'data-root="/behind/a/proxy"' in html and 'src="/behind/a/proxy/auth/assets/' in html
    assert 'href="/auth' not in html


# ---- colours


def test_every_colour_is_readable():
    sheet = (ROOT / "src/pages/assets/colours.css").read_text()
    light, dark = sheet.split("@media (prefers-color-scheme: dark)")[:2]
    for part in (light, dark.split("\n}\n")[0]):
        named = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part.split(".accent-")[0]))
        accents = dict(re.findall(r"\.accent-(\w+) \{ --accent: (#[0-9a-f]{6}); \}", part))
        assert set(accents) == set(COLOURS)
        for name, accent in {**accents, "default": named["accent"]}.items():
            for ground in (named["on-accent"], named["sheet"]):
                assert contrast(accent, ground) >= 4.5, f"{name} {accent} on {ground}: {contrast(accent, ground):.2f}"
        for text in ("text", "quiet", "bad"):
            assert contrast(named[text], named["sheet"]) >= 4.5, text
        assert contrast(named["bad"], named["bad-ground"]) >= 4.5
        assert contrast(named["line"], named["sheet"]) >= 3, "edges of fields"
