"""The account: its second factor, sessions and colours."""

import pyotp
import pytest
from playwright.sync_api import expect

from support.client import PASSWORD, ok
from support.dashboard import verify
from support.hosted_pages import next_code


@pytest.fixture
def at_account(person, developer):
    person.sign_in(developer, "/account")
    person.heading("Your account")
    return person


def test_look(at_account, developer, mails):
    person = at_account
    expect(person.page.get_by_role("main")).to_contain_text(developer.email)
    person.page.get_by_text("this one").wait_for()
    person.look()
    person.press("Send the link again")
    expect(person.page.get_by_text(f"A link is on its way to {developer.email}.")).to_be_visible()
    mails.to(developer.email, 2)


def test_sessions(at_account, developer):
    person = at_account
    rows = person.page.get_by_role("region", name="Where you are signed in.").get_by_role("row")
    expect(rows).to_have_count(3)
    developer.login()
    person.page.reload()
    expect(rows).to_have_count(4)
    person.page.get_by_role("button", name="End the session of").first.click()
    expect(rows).to_have_count(3)
    person.press("Sign out everywhere else")
    expect(rows).to_have_count(2)
    assert developer.get("/control/me").status_code == 401
    expect(person.page.get_by_role("button", name="Sign out everywhere else")).to_have_count(0)


def test_the_password(at_account, developer):
    person = at_account
    person.expect_refusals(400, 401)
    person.tab_to("Change the password", 60)
    person.key("Enter")
    person.has_focus("Current password")
    person.look()
    person.fill(current="not it", password="another-long-one")
    person.key("Enter")
    assert person.error_of("current") == "This is not your password."
    person.fill(current=PASSWORD, password="short")
    person.key("Enter")
    assert person.error_of("password")
    person.fill(password="another-long-one")
    person.key("Enter")
    expect(person.page.get_by_text("The password is changed.")).to_be_visible()
    person.has_focus("Change the password")
    # This session goes on, the others are ended.
    person.page.reload()
    person.heading("Your account")
    assert developer.get("/control/me").status_code == 401
    body = {"email": developer.email, "password": "another-long-one"}
    ok(developer.post("/control/auth/login", body, token=None))


@pytest.mark.long(run="journeys")
def test_a_hostile_client_is_text(at_account, developer):
    person = at_account
    agent = "<img src=x onerror=alert(1)> \u202e Firefox"
    body = {"email": developer.email, "password": PASSWORD}
    ok(developer.post("/control/auth/login", body, token=None, headers={"user-agent": agent.encode()}))
    person.page.reload()
    expect(person.page.get_by_text("Firefox")).to_be_visible()
    person.look()


def test_second_factor_on_and_off(server, opened, developer, mails):
    verify(mails, developer)
    person = opened(server)
    person.expect_refusals(400)
    person.sign_in(developer, "/account")
    person.press("Switch on")
    dialog = person.page.get_by_role("dialog")
    dialog.get_by_text("Key for the app").wait_for()
    totp = pyotp.TOTP(dialog.locator("code").inner_text())
    assert totp.secret in dialog.get_by_role("link", name="Open in an authenticator app").get_attribute("href")
    person.look()
    person.fill(code="000000")
    dialog.get_by_role("button", name="Switch on").click()
    assert person.error_of("code")
    person.fill(code=totp.now())
    dialog.get_by_role("button", name="Switch on").click()
    person.page.get_by_role("dialog", name="Recovery codes").wait_for()
    assert len(person.page.get_by_role("dialog").locator("pre").inner_text().split()) >= 8
    person.look()
    person.press("I have kept them")
    expect(person.page.get_by_text("Signing in needs a code")).to_be_visible()
    person.press("Switch off")
    person.fill(code=next_code(totp))
    person.page.get_by_role("dialog").get_by_role("button", name="Switch off").click()
    expect(person.page.get_by_text("The second factor is off.")).to_be_visible()
    assert ok(developer.get("/control/me"))["user"]["mfaEnabled"] is False


def test_colours(at_account):
    person = at_account
    page = person.page

    def expect_scheme(name: str) -> None:
        expect(page.locator("html")).to_have_attribute("data-scheme", name)

    expect_scheme("light")
    page.get_by_label("Dark").check()
    expect_scheme("dark")
    page.goto(f"{person.url}/dashboard/account", wait_until="commit")
    expect_scheme("dark")
    expect(page.get_by_label("Dark")).to_be_checked()
    page.get_by_label("As the system").check()
    expect_scheme("light")
    page.emulate_media(color_scheme="dark")
    expect_scheme("dark")
    assert page.evaluate("Object.keys(localStorage)") == [f"manybase:control:{person.url}/api/v1"]
