"""Signing in, and what keeps and ends a session."""

from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest
from playwright.sync_api import expect

from support.client import PASSWORD, PlatformUser, ok
from support.dashboard import Person, another_tab, verify
from support.hosted_pages import next_code


def switch_on(user: PlatformUser, mails) -> pyotp.TOTP:
    """Switches the second factor on; the address is verified first."""
    verify(mails, user)
    totp = pyotp.TOTP(ok(user.post("/control/auth/mfa/totp/enroll"))["secret"])
    totp.recovery = ok(user.post("/control/auth/mfa/totp/activate", {"code": totp.now()}))["recoveryCodes"]
    return totp


def at_second_factor(person: Person, user: PlatformUser, mails) -> pyotp.TOTP:
    """Signs in with the password of a user whose second factor is switched on for it, up to the question for a code."""
    totp = switch_on(user, mails)
    person.go()
    person.fill(email=user.email, password=PASSWORD)
    person.press("Sign in")
    person.heading("Second factor")
    return totp


def test_the_first_visit_is_silent(person):
    """No line in the console, not even the browser's own of a refused request."""
    lines, refused = [], []
    person.context.on("console", lambda message: lines.append(message.text))
    person.context.on("response", lambda each: each.status >= 400 and refused.append((each.status, each.url)))
    for path in ("", "/register", "/account"):
        person.go(path)
        person.page.get_by_role("heading", level=1).wait_for()
        person.page.wait_for_load_state("networkidle")
        assert (lines, refused) == ([], [])
    assert person.page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_by_keyboard_alone(person, developer):
    person.go()
    person.heading("Sign in to Manybase")
    person.has_focus("Email address")
    person.type(developer.email)
    person.tab_to("Password")
    person.type(PASSWORD)
    person.key("Enter")
    person.heading("Projects")
    person.tab_to(f"Account of {developer.email}")
    person.key("Enter")
    person.page.get_by_role("menuitem", name="Your account").wait_for()
    person.look()
    person.key("Escape")
    person.has_focus(f"Account of {developer.email}")
    person.key("Enter")
    person.page.get_by_role("menuitem", name="Sign out").wait_for()
    person.key("End")
    person.key("Enter")
    person.heading("Sign in to Manybase")


def test_a_wrong_password_keeps_the_address(person, developer):
    person.expect_refusals(401)
    person.go()
    person.heading("Sign in to Manybase")
    person.look()
    person.fill(email=developer.email, password="not this one")
    person.press("Sign in")
    person.alert("The address or the password is not right.")
    assert person.page.locator("input[name=email]").input_value() == developer.email
    person.look()
    person.fill(password=PASSWORD)
    person.press("Sign in")
    person.heading("Projects")


def test_too_many_attempts_are_counted_down(make_server, opened):
    server = make_server({"SERVICE_AUTH_RATE_LIMIT": "2/120"}).start()
    user = PlatformUser(server)
    person = opened(server)
    person.expect_refusals(401, 429)
    person.go()
    person.fill(email=user.email, password="wrong")
    for _ in range(2):
        person.press("Sign in")
        person.alert("is not right")
    person.press("Sign in")
    person.alert("Too many attempts.")
    person.look()


def test_a_link_leads_through_the_sign_in(person, developer):
    project = developer.create_project("Deep")
    person.sign_in(developer, f"/p/{project.slug}")
    person.heading("Deep")
    assert person.path() == f"/p/{project.slug}"


@pytest.mark.parametrize("target", ["//example.com/", "https://example.com/", "/%5Cexample.com", "javascript:alert(1)"])
def test_other_addresses_are_no_target(person, developer, target):
    person.sign_in(developer, f"/sign-in?redirect={target}")
    person.heading("Projects")
    assert person.path() in ("", "/")


def test_a_reload_and_another_tab_stay_signed_in(person, developer):
    person.sign_in(developer)
    person.heading("Projects")
    person.page.reload()
    person.heading("Projects")
    stored = person.page.evaluate("[{ ...localStorage }, { ...sessionStorage }, document.cookie]")
    assert stored == [{f"manybase:control:{person.url}/api/v1": "1"}, {}, ""]
    with another_tab(person) as page:
        page.goto(f"{person.url}/dashboard/account")
        page.get_by_role("heading", name="Your account").wait_for()
        # It is the other tab's session, none was opened.
        assert len(ok(developer.get("/control/auth/sessions"))["sessions"]) == 2  # with the developer's own


def test_signing_out_reaches_all_tabs(person, developer):
    person.sign_in(developer)
    with another_tab(person) as page:
        page.goto(f"{person.url}/dashboard/account")
        page.get_by_role("heading", name="Your account").wait_for()
        person.page.get_by_role("button", name="Account of").click()
        person.page.get_by_role("menuitem", name="Sign out").click()
        person.heading("Sign in to Manybase")
        page.get_by_role("heading", name="Sign in to Manybase").wait_for()
        page.reload()
        page.get_by_role("heading", name="Sign in to Manybase").wait_for()
    assert len(ok(developer.get("/control/auth/sessions"))["sessions"]) == 1


def test_a_session_that_was_ended_elsewhere(person, developer):
    person.expect_refusals(401)
    project = developer.create_project("Elsewhere")
    person.sign_in(developer)
    person.heading("Projects")
    ok(developer.delete("/control/auth/sessions"), 204)
    person.page.get_by_role("link", name="Elsewhere").click()
    person.heading("Sign in to Manybase")
    person.fill(email=developer.email, password=PASSWORD)
    person.press("Sign in")
    person.heading("Elsewhere")
    assert person.path() == f"/p/{project.slug}"


def test_a_role_that_changes_meanwhile(person, developer, server, mails):
    """The first refusal shows what the new role may do, without a reload."""
    project = developer.create_project("Shared")
    project.collection("people")
    editor = PlatformUser(server)
    verify(mails, editor)
    project.member("Editor", editor)
    person.expect_refusals(403)
    person.sign_in(editor, f"/p/{project.slug}/data")
    person.press("New collection")
    person.fill(name="books")
    ok(developer.patch(f"/control/projects/{project.id}/members/{editor.id}", {"role": "Viewer"}), 204)
    person.press("Create collection")
    dialog = person.page.get_by_role("dialog", name="New collection")
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    person.press("Discard")
    expect(person.page.get_by_role("button", name="New collection")).to_have_count(0)
    person.look()


def test_signing_in_opens_the_other_tabs(person, developer):
    person.go()
    person.heading("Sign in to Manybase")
    with another_tab(person) as page:
        page.goto(f"{person.url}/dashboard/account")
        page.get_by_role("heading", name="Sign in to Manybase").wait_for()
        person.sign_in(developer)
        page.get_by_role("heading", name="Your account").wait_for()


def test_another_person_in_another_tab(person, developer, server):
    other = PlatformUser(server, name="Bo Lind")
    person.sign_in(developer, "/account")
    expect(person.page.get_by_role("main")).to_contain_text(developer.email)
    with another_tab(person) as page:
        # A browser that lost the mark of its session asks for the password.
        person.page.evaluate("localStorage.clear()")
        page.goto(f"{person.url}/dashboard/account")
        page.get_by_role("heading", name="Sign in to Manybase").wait_for()
        page.locator("input[name=email]").fill(other.email)
        page.locator("input[name=password]").fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.get_by_role("heading", name="Your account").wait_for()
        expect(person.page.get_by_role("main")).to_contain_text(other.email)
        expect(person.page.get_by_role("main")).not_to_contain_text(developer.email)


# ---- providers


@pytest.fixture
def at_provider(make_server, mails, opened):
    """A browser at a server with a provider, whose page sends it back at once: with what the test puts into `result`."""
    settings = {f"SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_{name}": "dashboard" for name in ("ID", "SECRET")}
    server = make_server({**mails.settings, **settings}).start()
    person = opened(server)
    person.user = PlatformUser(server)
    person.result = f"refresh={person.user.tokens['refreshToken']}"

    def start(route):
        [back] = parse_qs(urlsplit(route.request.url).query)["redirect"]
        assert back.startswith(f"{server.url}/dashboard/sign-in")
        route.fulfill(status=302, headers={"location": f"{back}#mb_{person.result}"})

    person.context.route("**/control/auth/oauth/github/start?*", start)
    return person


def test_through_a_provider(at_provider):
    person = at_provider
    person.go("/account")
    person.press("Continue with GitHub")
    person.heading("Your account")
    assert "mb_" not in person.page.url
    stored = person.page.evaluate("[{ ...localStorage }, { ...sessionStorage }]")
    assert stored == [{f"manybase:control:{person.url}/api/v1": "1"}, {}]
    person.page.reload()
    person.heading("Your account")


def test_a_provider_that_refuses(at_provider):
    person = at_provider
    person.result = "error=user_blocked"
    person.go("/account")
    person.press("Continue with GitHub")
    person.alert("This account is blocked.")
    assert person.path() == "/sign-in?redirect=%2Faccount"
    person.look()


def test_the_second_factor_after_a_provider(at_provider, mails):
    person = at_provider
    totp = switch_on(person.user, mails)
    body = {"email": person.user.email, "password": PASSWORD}
    person.result = f"mfa={ok(person.user.post('/control/auth/login', body, token=None))['mfaToken']}"
    person.go("/account")
    person.press("Continue with GitHub")
    person.heading("Second factor")
    person.fill(code=next_code(totp))
    person.press("Verify")
    person.heading("Your account")


def test_a_token_of_a_sign_in_that_did_not_begin_here(at_provider):
    """A link with another account's token must not sign a visitor in to it."""
    person = at_provider
    person.go(f"/sign-in#mb_{person.result}")
    person.alert("Signing in did not work.")
    assert person.path() == "/sign-in"
    person.go()
    person.heading("Sign in to Manybase")


# ---- second factor


def test_second_factor(person, developer, mails):
    person.expect_refusals(401)
    totp = at_second_factor(person, developer, mails)
    person.has_focus("Code")
    person.look()
    person.type("000000")
    person.key("Enter")
    assert "not right" in person.error_of("code")
    person.fill(code=next_code(totp))
    person.press("Verify")
    person.heading("Projects")


def test_a_pasted_code_is_sent_at_once(person, developer, mails):
    totp = at_second_factor(person, developer, mails)
    person.page.evaluate(
        """code => {
          const data = new DataTransfer();
          data.setData("text", code.slice(0, 3) + " " + code.slice(3));
          document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
        }""",
        next_code(totp),
    )
    person.heading("Projects")


def test_recovery_code(person, developer, mails):
    totp = at_second_factor(person, developer, mails)
    person.press("Use a recovery code")
    person.look()
    person.fill(code=totp.recovery[0])
    person.press("Verify")
    person.heading("Projects")


def test_the_second_factor_has_no_address_of_its_own(person):
    person.go("/second-factor")
    person.heading("Sign in to Manybase")


# ---- accounts


def test_register_then_continue(person, mails):
    person.go("/register")
    person.heading("Create your account")
    person.look()
    email = f"new-{id(person)}@example.com"
    person.fill(email=email, password=PASSWORD)
    person.press("Create an account")
    person.heading("Look into your mail")
    person.look()
    assert mails.leading_to("/verify-email", email)
    person.press("Continue")
    person.heading("Projects")


def test_registration_by_invitation_only(make_server, opened, mails):
    server = make_server({**mails.settings, "SERVICE_CONTROL_REGISTRATION": "invited"}).start()
    PlatformUser(server)
    person = opened(server)
    person.expect_refusals(403)
    person.go("/register")
    person.fill(email="uninvited@example.com", password=PASSWORD)
    person.press("Create an account")
    person.alert("Registration is by invitation only.")


def test_forgotten_password(person, developer, mails):
    person.go()
    person.heading("Sign in to Manybase")
    person.follow("Forgotten your password?")
    person.heading("Choose a new password")
    person.look()
    person.fill(email=developer.email)
    person.press("Send the link")
    expect(person.page.get_by_text(f"If there is an account for {developer.email}")).to_be_visible()
    mails.leading_to("/reset-password", developer.email, 2)
    person.follow("Back to the sign-in")
    person.heading("Sign in to Manybase")
    assert person.page.locator("input[name=email]").input_value() == developer.email
