"""The hosted pages: what the server sends, and what people do with it in a real browser."""

import gzip
import http.server
import re
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pyotp
import pytest
from playwright.sync_api import expect, sync_playwright

from support.browser import launch, visiting
from support.client import PASSWORD, Api, EndUser, PlatformUser, ok, unique
from support.mail import MailCatcher
from support.oidc_provider import OidcProvider
from support.server import Server

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
}
COLOURS = (
    "slate gray red orange amber yellow lime green emerald teal cyan sky blue indigo violet purple pink rose"
).split()
# A browser beside a sanitized server needs its time.
pytestmark = pytest.mark.timeout(300)
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True}


# ---- the parts


@pytest.fixture(scope="module")
def catcher(tmp_path_factory):
    with MailCatcher(tmp_path_factory.mktemp("mail")) as catcher:
        yield catcher


@pytest.fixture(scope="module")
def server(tmp_path_factory, catcher):
    """Sends its mail to the catcher; a browser is one address, so the limit per address is far away."""
    settings = {
        **catcher.settings,
        "SERVICE_AUTH_RATE_LIMIT": "1000/60",
        "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8",  # the provider of these tests
    }
    server = Server(tmp_path_factory.mktemp("server"), settings).start()
    yield server
    server.stop()


class App(http.server.BaseHTTPRequestHandler):
    """An app of somebody's, on an origin of its own."""

    def do_GET(self):
        body = b"<!doctype html><title>The app</title><link rel=icon href=data:,><h1>The app</h1>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def app():
    """The app's origin."""
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()


@pytest.fixture(scope="module")
def project(owner, app):
    """With a look of its own, and the app among its redirects."""
    project = owner.create_project("Bean & Leaf <Café>")
    ok(owner.patch(f"/control/projects/{project.id}", {"color": "emerald", "icon": "🌱"}), 204)
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [app]}), 204)
    return project


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def visitor(chromium):
    with visiting(chromium) as visitor:
        yield visitor


def get(server, path, **headers):
    return server.http.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def login_address(project, redirect: str = "") -> str:
    query = {"project": project.id, **({"redirect": redirect} if redirect else {})}
    return f"{project.server.url}/auth/login?{urlencode(query)}"


def arrived(visitor, redirect: str) -> str:
    """Waits for the app; the refresh token that came in its fragment."""
    visitor.page.wait_for_url(redirect + "#**")
    fragment = urlsplit(visitor.page.url).fragment
    assert re.fullmatch(r"mb_refresh=[^&=#]+", fragment), fragment
    return fragment.removeprefix("mb_refresh=")


def refresh(project, token: str) -> dict:
    return ok(project.public().post("/auth/refresh", {"refreshToken": token}))


def second_factor(user: EndUser) -> pyotp.TOTP:
    """Switches it on for a signed-in user."""
    totp = pyotp.TOTP(ok(user.post("/auth/mfa/totp/enroll"))["secret"])
    totp.recovery = ok(user.post("/auth/mfa/totp/activate", {"code": totp.now()}))["recoveryCodes"]
    return totp


def next_code(totp: pyotp.TOTP) -> str:
    """The code of the coming step: good already, and not used yet."""
    return totp.at(time.time() + 30)


# ---- what the server sends


@pytest.mark.parametrize("path", ["/auth/login", "/reset-password", "/verify-email", "/examples/oauth"])
def test_headers_of_a_page(server, project, path):
    answer = get(server, path, x_service_project=project.id, accept_encoding="identity")
    assert answer.status_code == 200 and answer.headers["content-type"] == "text/html; charset=utf-8"
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
    assert answer.headers["referrer-policy"] == "no-referrer"
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
    assert len(found) == 2
    for path in found:
        answer = get(server, path, accept_encoding="identity")
        kind = "text/css" if path.endswith(".css") else "text/javascript"
        assert answer.status_code == 200 and answer.headers["content-type"] == f"{kind}; charset=utf-8"
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


def refused_page(answer, status: int) -> str:
    """A page that says why there is none, with all the care of a page."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8" and answer.headers["cache-control"] == "no-store"
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
    assert "location" not in answer.headers and "<form" not in answer.text
    return re.search(r"<h1[^>]*>(.*?)</h1>", answer.text).group(1)


@pytest.mark.parametrize("path", ["/auth/login", "/reset-password", "/verify-email"])
def test_pages_of_no_project(server, project, owner, path):
    owner.create_project()
    assert refused_page(get(server, path), 400) == "This link is incomplete"
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
    # Another project's origins are of no use here, nor on the control plane.
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


# ---- signing in


def test_password(visitor, project, app):
    user = EndUser(project)
    redirect = app + "/back?to=here"
    visitor.open(login_address(project, redirect))
    visitor.heading("Sign in")
    expect(visitor.page).to_have_title("Sign in · Bean & Leaf <Café>")
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    answer = refresh(project, arrived(visitor, redirect))
    sessions = ok(Api(project.server, answer["accessToken"]).get("/auth/sessions"))["sessions"]
    assert any(one["current"] and "Chrom" in one["userAgent"] for one in sessions)


def test_by_keyboard_alone(visitor, project, app):
    user = EndUser(project)
    visitor.open(login_address(project, app))
    expect(visitor.page.get_by_label("E-mail address").locator("visible=true")).to_be_focused()
    keyboard = visitor.page.keyboard
    keyboard.type(user.email)
    keyboard.press("Tab")
    expect(visitor.page.get_by_label("Password").locator("visible=true")).to_be_focused()
    keyboard.type(PASSWORD)
    keyboard.press("Tab")
    expect(visitor.page.get_by_role("button", name="Sign in")).to_be_focused()
    keyboard.press("Tab")
    expect(visitor.page.get_by_role("link", name="Forgotten your password?")).to_be_focused()
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    arrived(visitor, app + "/")


def test_what_is_not_right(visitor, project, app):
    user = EndUser(project)
    visitor.open(login_address(project, app))
    visitor.press("Sign in")
    assert visitor.error_of("email") == "Enter your e-mail address."
    assert visitor.error_of("password") == "Enter a password."
    expect(visitor.page.locator("input[name=email]:visible")).to_be_focused()
    visitor.fill(email=user.email, password="not the right one")
    visitor.press("Sign in")
    visitor.alert("The address or the password is not right.")
    assert visitor.page.locator("[aria-invalid]").count() == 0
    visitor.fill(email="nobody@example.com", password=PASSWORD)
    visitor.press("Sign in")
    visitor.alert("The address or the password is not right.")
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    arrived(visitor, app + "/")


def test_blocked_user(visitor, project, app):
    user = EndUser(project)
    ok(project.admin.post(f"/admin/users/{user.id}/block"), 204)
    visitor.open(login_address(project, app))
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    visitor.alert("This account is blocked.")


def test_without_a_redirect(visitor, project):
    user = EndUser(project)
    visitor.open(login_address(project))
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    visitor.heading("You are signed in")
    before = len(ok(user.get("/auth/sessions"))["sessions"])
    visitor.press("Sign out")
    visitor.alert("You are signed out.")
    assert len(ok(user.get("/auth/sessions"))["sessions"]) == before - 1


def test_platform_user(visitor, server):
    user = PlatformUser(server)
    visitor.open(f"{server.url}/auth/login?{urlencode({'plane': 'control', 'redirect': server.url + '/nowhere'})}")
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.page.route("**/nowhere", lambda route: route.fulfill(status=200, body="here", content_type="text/plain"))
    visitor.press("Sign in")
    token = arrived(visitor, server.url + "/nowhere")
    answer = ok(Api(server).post("/control/auth/refresh", {"refreshToken": token}))
    assert ok(Api(server, answer["accessToken"]).get("/control/me"))["user"]["id"] == user.id


def test_too_often(chromium, make_server):
    server = make_server({"SERVICE_AUTH_RATE_LIMIT": "2/60"}).start()
    PlatformUser(server).create_project()
    with visiting(chromium) as visitor:
        visitor.open(f"{server.url}/auth/login")
        visitor.fill(email="a@example.com", password="something long")
        for _ in range(2):
            visitor.press("Sign in")
            visitor.alert("not right")
        visitor.press("Sign in")
        visitor.alert("That was too often")
        text = visitor.page.get_by_role("alert").inner_text()
        assert re.search(r"Please wait (a second|\d+ seconds), then try again\.", text), text


def test_server_out_of_reach(visitor, project):
    visitor.open(login_address(project))
    visitor.tolerated.append(re.compile("net::ERR_FAILED"))
    visitor.page.route("**/api/v1/auth/login", lambda route: route.abort())
    visitor.fill(email="a@example.com", password="something long")
    visitor.press("Sign in")
    visitor.alert("The server cannot be reached.")
    visitor.page.unroute("**/api/v1/auth/login")
    visitor.press("Sign in")
    visitor.alert("The address or the password is not right.")


def test_a_second_click_while_busy_sends_nothing(visitor, project):
    visitor.open(login_address(project))
    sent = []
    visitor.page.on("request", lambda request: sent.append(request.url) if "/api/" in request.url else None)
    visitor.fill(email="a@example.com", password="something long")
    visitor.page.evaluate("for (let i = 0; i < 5; ++i) document.querySelector('#sign-in button').click()")
    visitor.alert("not right")
    assert len(sent) == 1, sent


# ---- registering


def test_register_confirm_sign_in(visitor, project, app, catcher):
    email = f"{unique('new')}@example.com"
    redirect = app + "/welcome"
    visitor.open(login_address(project, redirect))
    visitor.follow("Create an account")
    visitor.heading("Create an account")
    visitor.fill(name="Ada", email=email, password=PASSWORD)
    visitor.press("Create account")
    visitor.heading("Look into your mail")
    expect(visitor.page.get_by_text(email)).to_be_visible()

    link = catcher.to(email)[0].link
    assert urlsplit(link).path == "/verify-email"
    token = parse_qs(urlsplit(link).query)["token"][0]
    visitor.open(link)
    visitor.heading("Confirm your address")
    assert token not in visitor.page.url and f"project={project.id}" in visitor.page.url
    user = next(one for one in users_of(project) if one["email"] == email)
    assert user["emailVerified"] is False and user["name"] == "Ada"  # looking at the page confirms nothing
    visitor.press("Confirm")
    visitor.heading("Your address is confirmed")
    assert ok(project.admin.get(f"/admin/users/{user['id']}"))["user"]["emailVerified"] is True

    # The way goes on to where it began.
    visitor.follow("Sign in")
    visitor.fill(email=email, password=PASSWORD)
    visitor.press("Sign in")
    refresh(project, arrived(visitor, redirect))

    visitor.open(link)
    visitor.press("Confirm")
    visitor.heading("This link cannot be used any more")


def users_of(project) -> list[dict]:
    return ok(project.admin.get("/admin/users", params={"limit": 1000}))["users"]


def test_register_and_go_on(visitor, project, app):
    email = f"{unique('new')}@example.com"
    visitor.open(login_address(project, app) + "#register")
    visitor.heading("Create an account")
    visitor.fill(email=email, password=PASSWORD)
    visitor.press("Create account")
    visitor.heading("Look into your mail")
    visitor.press("Continue")
    refresh(project, arrived(visitor, app + "/"))
    assert not next(one for one in users_of(project) if one["email"] == email).get("name")


def test_what_is_not_right_in_registering(visitor, project):
    taken = EndUser(project)
    visitor.open(login_address(project) + "#register")
    visitor.fill(email="no address", password=PASSWORD)
    visitor.press("Create account")
    assert visitor.error_of("email").endswith(".")
    visitor.fill(email=f"{unique('new')}@example.com", password="short")
    visitor.press("Create account")
    assert "8 to 256" in visitor.error_of("password")
    assert visitor.page.locator("input[name=email][aria-invalid]").count() == 0
    described = visitor.page.locator("input[name=password]:visible").get_attribute("aria-describedby")
    assert described.split()[0] == "register-rule", "the hint stays beside the error"
    visitor.fill(email=taken.email, password=PASSWORD)
    visitor.press("Create account")
    visitor.alert("There is an account with this address already.")


def test_registering_hidden_addresses(visitor, owner, catcher):
    project = owner.create_project()
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"hideRegistered": True}}), 204)
    taken = EndUser(project)
    visitor.open(login_address(project) + "#register")
    visitor.fill(email=taken.email, password="another good one")
    visitor.press("Create account")
    visitor.heading("Look into your mail")
    visitor.press("Continue")
    visitor.alert("Look into your mail first")
    visitor.heading("Sign in")


def test_invited_to_the_platform(visitor, owner, catcher):
    project = owner.create_project()
    email = f"{unique('invited')}@example.com"
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Editor"}), 201)
    link = catcher.to(email)[0].link
    visitor.open(link)
    visitor.heading("Create an account")
    assert "invite" not in visitor.page.url
    visitor.fill(email=email, password=PASSWORD)
    visitor.press("Create account")
    visitor.heading("Look into your mail")
    members = ok(owner.get(f"/control/projects/{project.id}/members"))["members"]
    assert [one["status"] for one in members if one["email"] == email] == ["active"]


# ---- forgotten passwords


def test_forgotten_password(visitor, project, app, catcher):
    user = EndUser(project)
    redirect = app + "/again"
    visitor.open(login_address(project, redirect))
    visitor.fill(email=user.email)
    visitor.follow("Forgotten your password?")
    visitor.heading("Choose a new password")
    expect(visitor.page.locator("input[name=email]:visible")).to_have_value(user.email)
    visitor.press("Send the link")
    visitor.heading("Look into your mail")

    links = [mail.link for mail in catcher.to(user.email, 2) if "/reset-password?" in mail.link]
    visitor.open(links[0])
    visitor.heading("Choose a new password")
    assert "token" not in visitor.page.url
    visitor.fill(password="short")
    visitor.press("Set the password")
    assert "8 to 256" in visitor.error_of("password")
    visitor.fill(password="an entirely new one")
    visitor.press("Set the password")
    visitor.heading("Your password is set")
    assert user.get("/auth/sessions").status_code == 401

    visitor.follow("Sign in")
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    visitor.alert("The address or the password is not right.")
    visitor.fill(password="an entirely new one")
    visitor.press("Sign in")
    refresh(project, arrived(visitor, redirect))

    visitor.open(links[0])
    visitor.fill(password="yet another new one")
    visitor.press("Set the password")
    visitor.heading("This link cannot be used any more")
    visitor.follow("Send a new link")
    visitor.heading("Choose a new password")
    visitor.fill(email="nobody@example.com")
    visitor.press("Send the link")
    visitor.heading("Look into your mail")


def test_new_link_to_confirm(visitor, project, catcher):
    user = EndUser(project)
    visitor.open(f"{project.server.url}/verify-email?project={project.id}&token=user_00000000000000000000.x")
    visitor.press("Confirm")
    visitor.heading("This link cannot be used any more")
    visitor.fill(email=user.email)
    visitor.press("Send a new link")
    visitor.heading("Look into your mail")
    visitor.open(catcher.to(user.email, 2)[-1].link)
    visitor.press("Confirm")
    visitor.heading("Your address is confirmed")


def test_mailed_pages_without_a_token(visitor, project):
    for path in ("/verify-email", "/reset-password"):
        visitor.open(f"{project.server.url}{path}?project={project.id}")
        visitor.heading("This link cannot be used any more")


def test_platform_user_forgets(visitor, server, catcher):
    user = PlatformUser(server)
    visitor.open(f"{server.url}/auth/login?plane=control#forgot")
    visitor.fill(email=user.email)
    visitor.press("Send the link")
    visitor.heading("Look into your mail")
    link = next(mail.link for mail in catcher.to(user.email, 2) if "/reset-password?" in mail.link)
    visitor.open(link)
    visitor.fill(password="an entirely new one")
    visitor.press("Set the password")
    visitor.heading("Your password is set")
    ok(Api(server).post("/control/auth/login", {"email": user.email, "password": "an entirely new one"}))


# ---- the second factor


def sign_in_half(visitor, user: EndUser, address: str) -> None:
    visitor.open(address)
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    visitor.heading("One more step")


def test_second_factor(visitor, project, app):
    user = EndUser(project)
    totp = second_factor(user)
    sign_in_half(visitor, user, login_address(project, app))
    expect(visitor.page.get_by_label("Code from your authenticator app")).to_be_focused()
    visitor.press("Continue")
    assert visitor.error_of("code") == "Enter the code."
    visitor.fill(code="000000")
    visitor.press("Continue")
    visitor.alert("This code is not right.")
    visitor.fill(code=f" {next_code(totp)} ")
    visitor.press("Continue")
    refresh(project, arrived(visitor, app + "/"))


def test_recovery_code(visitor, project, app):
    user = EndUser(project)
    totp = second_factor(user)
    sign_in_half(visitor, user, login_address(project, app))
    visitor.press("Use a recovery code instead")
    visitor.page.get_by_label("Recovery code", exact=True).fill(totp.recovery[3])
    visitor.press("Continue")
    refresh(project, arrived(visitor, app + "/"))


def test_too_many_wrong_codes_start_again(visitor, project):
    user = EndUser(project)
    second_factor(user)
    sign_in_half(visitor, user, login_address(project))
    for _ in range(5):
        visitor.fill(code="000000")
        visitor.press("Continue")
        visitor.alert("This code is not right.")
        expect(visitor.page.get_by_role("button", name="Continue").locator("visible=true")).not_to_have_attribute(
            "aria-disabled", "true"
        )
    visitor.fill(code="000000")
    visitor.press("Continue")
    visitor.alert("Please start again.")
    visitor.heading("Sign in")


def test_second_factor_of_a_sign_in_elsewhere(visitor, project, app):
    """What an app does with #mb_mfa: it hands it to this page."""
    user = EndUser(project)
    totp = second_factor(user)
    body = {"email": user.email, "password": PASSWORD}
    token = ok(project.public().post("/auth/login", body))["mfaToken"]
    visitor.open(f"{login_address(project, app)}#mb_mfa={token}")
    visitor.heading("One more step")
    assert token not in visitor.page.url
    visitor.fill(code=next_code(totp))
    visitor.press("Continue")
    refresh(project, arrived(visitor, app + "/"))


# ---- providers


@pytest.fixture(scope="module")
def provider(server):
    provider = OidcProvider().start(f"{server.url}/api/v1/auth/oauth/oidc-acme/callback")
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def with_provider(owner, app, provider):
    """A project whose users may sign in with the provider."""
    project = owner.create_project()
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [app]}), 204)
    client = {"clientId": "shop", "clientSecret": provider.secret("shop"), "issuer": provider.issuer, "enabled": True}
    ok(project.admin.put("/admin/auth/oauth/providers/oidc-acme", client), 204)
    off = {"clientId": "x", "clientSecret": "y", "enabled": False}
    ok(project.admin.put("/admin/auth/oauth/providers/google", off), 204)
    return project


def leave_to(visitor, provider) -> None:
    """From the login page to the provider's pages, which are not ours to judge."""
    visitor.check()
    visitor.tolerated.append(re.compile(""))
    visitor.follow("Continue with acme")
    visitor.page.wait_for_url(provider.issuer + "/**")


def sign_in_with_provider(visitor, provider, name: str) -> None:
    """From the login page to the end of the provider's own pages."""
    leave_to(visitor, provider)
    visitor.page.locator("input[name=login]").fill(name)
    visitor.page.locator("input[name=password]").fill("any")
    visitor.page.locator("button[type=submit]").click()
    visitor.page.get_by_text("Continue").click()


def test_provider(visitor, with_provider, app, provider):
    name = unique("ada")
    visitor.open(login_address(with_provider, app + "/in"))
    assert visitor.page.get_by_role("link", name="Continue with").count() == 1, "only those that are switched on"
    sign_in_with_provider(visitor, provider, name)
    answer = refresh(with_provider, arrived(visitor, app + "/in"))
    user = next(one for one in users_of(with_provider) if one["email"] == f"{name}@example.com")
    assert user["emailVerified"] is True and answer["accessToken"]


def test_provider_with_unproven_address(visitor, with_provider, app, provider):
    visitor.open(login_address(with_provider, app + "/in"))
    sign_in_with_provider(visitor, provider, unique("un"))
    visitor.page.wait_for_url(app + "/in#**")
    assert urlsplit(visitor.page.url).fragment == "mb_error=email_unverified"


def test_provider_without_javascript(chromium, with_provider, app, provider):
    with visiting(chromium, java_script_enabled=False) as visitor:
        visitor.open(login_address(with_provider, app))
        leave_to(visitor, provider)


def test_no_providers_where_they_could_lead_nowhere(server, with_provider):
    assert "Continue with" not in get(server, f"/auth/login?project={with_provider.id}").text


# ---- fragments


@pytest.mark.parametrize(
    "reason, words",
    [
        ("access_denied", "You stopped signing in at the provider."),
        ("invalid_state", "Signing in took too long or was started in another window."),
        ("provider_error", "The provider did not answer as it should."),
        ("email_unverified", "The provider has not confirmed your address."),
        ("provider_disabled", "This way of signing in is not available."),
        ("user_blocked", "This account is blocked."),
        ("%3Cb%3Eodd%3C%2Fb%3E", "Signing in did not work."),
    ],
)
def test_reasons_in_words(visitor, project, reason, words):
    visitor.open(f"{login_address(project)}#mb_error={reason}")
    visitor.alert(words)
    assert "#" not in visitor.page.url and visitor.page.locator("#alert b").count() == 0


def test_a_reason_without_a_project(visitor, server, project, owner):
    owner.create_project()
    visitor.open(f"{server.url}/auth/login#mb_error=invalid_state")
    visitor.heading("Signing in did not work")
    expect(visitor.page.get_by_text("Please start again.")).to_be_visible()
    assert "#" not in visitor.page.url


def test_a_token_in_the_fragment_is_not_sent_on(visitor, project, app):
    """Who can make a link can put a token of their own into it: it must not become the app's."""
    visitor.open(f"{login_address(project, app)}#mb_refresh=somebody-elses")
    visitor.heading("You are signed in")
    assert visitor.page.url == login_address(project, app)


def test_views_have_addresses(visitor, project):
    visitor.open(login_address(project))
    visitor.follow("Create an account")
    visitor.heading("Create an account")
    visitor.follow("Sign in")
    visitor.heading("Sign in")
    visitor.follow("Forgotten your password?")
    visitor.heading("Choose a new password")
    expect(visitor.page.get_by_role("heading", name="Choose a new password")).to_be_focused()
    visitor.page.go_back()
    visitor.heading("Sign in")
    for odd in ("#second-factor", "#signed-in", "#nothing", "#%"):
        visitor.open("about:blank")
        visitor.open(login_address(project) + odd)
        visitor.heading("Sign in")


# ---- the example


def test_example(visitor, server, owner):
    project = owner.create_project()
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [server.url]}), 204)
    user = EndUser(project)
    visitor.open(f"{server.url}/examples/oauth?project={project.slug}")
    visitor.heading("Signing in, as an app does it")
    visitor.fill(way="page")
    visitor.press("Sign in")
    visitor.heading("Sign in")
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    visitor.heading("Signed in")
    assert "#" not in visitor.page.url
    expect(visitor.page.locator("#result-user")).to_have_text(user.id)
    expect(visitor.page.locator("#result-project")).to_have_text(project.id)
    visitor.press("Sign out")
    visitor.alert("You are signed out.")


# ---- for everybody


def all_views(visitor, server, project, app):
    """Every page and view that can be reached without a mail; yields its name."""
    login = login_address(project, app)
    for name, address in (
        ("sign in", login),
        ("register", login + "#register"),
        ("forgot", login + "#forgot"),
        ("error", login + "#mb_error=provider_error"),
        ("second factor", login + "#mb_mfa=x"),
        ("signed in", login + "#mb_refresh=x"),
        ("control", f"{server.url}/auth/login?plane=control"),
        ("reset", f"{server.url}/reset-password?project={project.id}&token=x"),
        ("reset, unusable", f"{server.url}/reset-password?project={project.id}"),
        ("verify", f"{server.url}/verify-email?project={project.id}&token=x"),
        ("verify, unusable", f"{server.url}/verify-email?project={project.id}"),
        ("example", f"{server.url}/examples/oauth"),
        ("problem", f"{server.url}/auth/login?project=none-such"),
    ):
        visitor.open("about:blank")
        visitor.open(address)
        visitor.page.locator("h1:visible").wait_for()
        yield name
    visitor.open("about:blank")
    visitor.open(login + "#register")
    visitor.fill(email="x", password="x")
    visitor.press("Create account")
    visitor.error_of("email")
    yield "errors beside fields"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(chromium, server, project, app, scheme):
    with visiting(chromium, color_scheme=scheme, reduced_motion="reduce") as visitor:
        found = [f"{name}: {one}" for name in all_views(visitor, server, project, app) for one in visitor.accessibility()]
    assert not found, "\n".join(found)


def test_phones(chromium, server, project, app):
    with visiting(chromium, **PHONE) as visitor:
        wide = {name: more for name in all_views(visitor, server, project, app) if (more := visitor.overflow())}
        assert not wide, f"wider than the window, by pixels: {wide}"


def test_long_names_fit(chromium, owner):
    project = owner.create_project("W" * 100)
    with visiting(chromium, **PHONE) as visitor:
        visitor.open(login_address(project))
        visitor.heading("Sign in")
        assert visitor.overflow() == 0


def test_dark_differs_and_is_not_empty(chromium, project):
    grounds, pictures = {}, {}
    for scheme in ("light", "dark"):
        with visiting(chromium, color_scheme=scheme) as visitor:
            visitor.open(login_address(project))
            visitor.heading("Sign in")
            pictures[scheme] = visitor.page.screenshot()
            style = "getComputedStyle(document.querySelector('main'))"
            grounds[scheme] = visitor.page.evaluate(f"[{style}.backgroundColor, {style}.color]")
    assert all(len(picture) > 5_000 for picture in pictures.values())
    assert pictures["light"] != pictures["dark"]
    assert brightness(grounds["light"][0]) > 0.8 > 0.2 > brightness(grounds["dark"][0])


def test_nothing_moves_where_motion_is_reduced(chromium, project):
    with visiting(chromium, reduced_motion="reduce") as visitor:
        visitor.open(login_address(project))
        visitor.heading("Sign in")
        moving = "[...document.querySelectorAll('*')].filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0)"
        assert visitor.page.evaluate(moving + ".length") == 0


def test_without_javascript(chromium, project):
    with visiting(chromium, java_script_enabled=False) as visitor:
        visitor.open(login_address(project))
        # By element: the search by text passes over <noscript>.
        expect(visitor.page.locator("noscript p")).to_be_visible()
        assert visitor.page.locator("noscript p").text_content().startswith("This page needs JavaScript.")
        assert visitor.page.locator("form:visible").count() == 0


def test_nothing_from_elsewhere(visitor, server, project):
    asked = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    visitor.open(login_address(project))
    visitor.heading("Sign in")
    assert asked and all(url.startswith(server.url + "/") for url in asked), asked


def test_pages_cannot_be_framed(visitor, project, app):
    visitor.tolerated.append(re.compile("frame-ancestors"))
    visitor.open(app)
    visitor.page.evaluate("(url) => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }",
                          login_address(project))
    visitor.page.wait_for_timeout(500)
    assert all("Sign in" not in frame.content() for frame in visitor.page.frames[1:])


# ---- colours


def channels(colour: str) -> list[float]:
    if colour.startswith("#"):
        return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]


def brightness(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((brightness(one), brightness(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_colour_is_readable():
    sheet = (Path(__file__).resolve().parent.parent / "src/pages/assets/pages.css").read_text()
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
