"""Signing in on the hosted page, in a real browser."""

import re
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from support.browser import visiting
from support.client import PASSWORD, Api, EndUser, PlatformUser, ok, unique
from support.hosted_pages import arrived, get, login_address, next_code, refresh, second_factor, sign_in_half, users_of

# A browser and a sanitized server take long.
pytestmark = pytest.mark.timeout(300)


# ---- sign-in


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


def test_the_first_account_needs_the_set_up_code(chromium, make_server):
    server = make_server().start()
    code = server.setup_code()["setupCode"]
    with visiting(chromium) as visitor:
        visitor.open(f"{server.url}/auth/login?plane=control#register")
        visitor.fill(email="first@example.com", password=PASSWORD)
        visitor.press("Create account")
        assert visitor.error_of("setupCode") == "Enter the set-up code."
        visitor.fill(setupCode="wrong")
        visitor.press("Create account")
        assert visitor.error_of("setupCode") == "Is not the set-up code."
        visitor.fill(setupCode=f" {code} ")
        visitor.press("Create account")
        visitor.heading("Look into your mail")
    assert ok(Api(server).get("/control/setup-status"))["needsSetup"] is False
    with visiting(chromium) as visitor:
        visitor.open(f"{server.url}/auth/login?plane=control#register")
        visitor.heading("Create an account")
        assert visitor.page.locator("[name=setupCode]").count() == 0


def test_registration_by_invitation_only(chromium, make_server):
    server = make_server({"SERVICE_CONTROL_REGISTRATION": "invited"}).start()
    PlatformUser(server)
    with visiting(chromium) as visitor:
        visitor.open(f"{server.url}/auth/login?plane=control#register")
        visitor.fill(email="stranger@example.com", password=PASSWORD)
        visitor.press("Create account")
        visitor.alert("Registration is by invitation only.")
    with visiting(chromium) as visitor:
        visitor.open(f"{server.url}/auth/login?plane=control#mb_error=access_denied")
        visitor.alert("registration here needs one")


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


# ---- the second factor


def test_second_factor(visitor, project, app):
    user = EndUser(project)
    totp = second_factor(project, user)
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
    totp = second_factor(project, user)
    sign_in_half(visitor, user, login_address(project, app))
    visitor.press("Use a recovery code instead")
    visitor.page.get_by_label("Recovery code", exact=True).fill(totp.recovery[3])
    visitor.press("Continue")
    refresh(project, arrived(visitor, app + "/"))


def test_too_many_wrong_codes_start_again(visitor, project):
    user = EndUser(project)
    second_factor(project, user)
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
    """An app that gets #mb_mfa redirects the browser to this page."""
    user = EndUser(project)
    totp = second_factor(project, user)
    body = {"email": user.email, "password": PASSWORD}
    token = ok(project.public().post("/auth/login", body))["mfaToken"]
    visitor.open(f"{login_address(project, app)}#mb_mfa={token}")
    visitor.heading("One more step")
    assert token not in visitor.page.url
    visitor.fill(code=next_code(totp))
    visitor.press("Continue")
    refresh(project, arrived(visitor, app + "/"))


# ---- providers


def leave_to(visitor, provider) -> None:
    """From the login page to the provider's pages, which are not checked."""
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


def test_provider_with_unverified_address(visitor, with_provider, app, provider):
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
        ("provider_error", "The provider returned an invalid response."),
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
    """The writer of a link can put their own token into it: it must not be sent to the app."""
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
