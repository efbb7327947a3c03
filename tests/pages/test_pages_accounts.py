"""Registration and forgotten passwords, with their mails."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from support.client import PASSWORD, Api, EndUser, PlatformUser, ok, unique
from support.hosted_pages import arrived, login_address, refresh, users_of

# A browser and a sanitized server take long.
pytestmark = pytest.mark.timeout(300)


# ---- registration


def test_register_confirm_sign_in(visitor, project, app, mails):
    email = f"{unique('new')}@example.com"
    redirect = app + "/welcome"
    visitor.open(login_address(project, redirect))
    visitor.follow("Create an account")
    visitor.heading("Create an account")
    visitor.fill(name="Ada", email=email, password=PASSWORD)
    visitor.press("Create account")
    visitor.heading("Look into your mail")
    expect(visitor.page.get_by_text(email)).to_be_visible()

    link = mails.to(email)[0].link
    assert urlsplit(link).path == "/verify-email"
    token = parse_qs(urlsplit(link).query)["token"][0]
    visitor.open(link)
    visitor.heading("Confirm your address")
    assert token not in visitor.page.url and f"project={project.id}" in visitor.page.url
    user = next(one for one in users_of(project) if one["email"] == email)
    assert user["emailVerified"] is False and user["name"] == "Ada"  # opening the page verifies nothing
    visitor.press("Confirm")
    visitor.heading("Your address is confirmed")
    assert ok(project.admin.get(f"/admin/users/{user['id']}"))["user"]["emailVerified"] is True

    # The flow returns to the app that started it.
    visitor.follow("Sign in")
    visitor.fill(email=email, password=PASSWORD)
    visitor.press("Sign in")
    refresh(project, arrived(visitor, redirect))

    visitor.open(link)
    visitor.press("Confirm")
    visitor.heading("This link cannot be used any more")


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
    assert described.split()[0] == "register-rule", "the hint stays next to the error"
    visitor.fill(email=taken.email, password=PASSWORD)
    visitor.press("Create account")
    visitor.alert("There is an account with this address already.")


def test_registering_hidden_addresses(visitor, owner, mails):
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


def test_invited_to_the_platform(visitor, owner, mails):
    project = owner.create_project()
    email = f"{unique('invited')}@example.com"
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Editor"}), 201)
    link = mails.to(email)[0].link
    visitor.open(link)
    visitor.heading("You are invited")
    assert "invite" not in visitor.page.url
    visitor.fill(password=PASSWORD)
    visitor.press("Accept the invitation")
    visitor.heading("You are signed in")
    members = ok(owner.get(f"/control/projects/{project.id}/members"))["members"]
    assert [one["status"] for one in members if one["email"] == email] == ["active"]
    visitor.open(link)
    visitor.fill(password=PASSWORD)
    visitor.press("Accept the invitation")
    visitor.alert("This invitation was used")
    visitor.heading("Sign in")


# ---- forgotten passwords


def test_forgotten_password(visitor, project, app, mails):
    user = EndUser(project)
    redirect = app + "/again"
    visitor.open(login_address(project, redirect))
    visitor.fill(email=user.email)
    visitor.follow("Forgotten your password?")
    visitor.heading("Choose a new password")
    expect(visitor.page.locator("input[name=email]:visible")).to_have_value(user.email)
    visitor.press("Send the link")
    visitor.heading("Look into your mail")

    visitor.open(mails.leading_to("/reset-password", user.email, 2).link)
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

    visitor.open(mails.leading_to("/reset-password", user.email, 2).link)
    visitor.fill(password="yet another new one")
    visitor.press("Set the password")
    visitor.heading("This link cannot be used any more")
    visitor.follow("Send a new link")
    visitor.heading("Choose a new password")
    visitor.fill(email="nobody@example.com")
    visitor.press("Send the link")
    visitor.heading("Look into your mail")


def test_new_link_to_confirm(visitor, project, mails):
    user = EndUser(project)
    visitor.open(f"{project.server.url}/verify-email?project={project.id}&token=user_00000000000000000000.x")
    visitor.press("Confirm")
    visitor.heading("This link cannot be used any more")
    visitor.fill(email=user.email)
    visitor.press("Send a new link")
    visitor.heading("Look into your mail")
    visitor.open(mails.leading_to("/verify-email", user.email, 2).link)
    visitor.press("Confirm")
    visitor.heading("Your address is confirmed")


def test_mailed_pages_without_a_token(visitor, project):
    for path in ("/verify-email", "/reset-password"):
        visitor.open(f"{project.server.url}{path}?project={project.id}")
        visitor.heading("This link cannot be used any more")


def test_platform_user_forgets(visitor, server, mails):
    user = PlatformUser(server)
    visitor.open(f"{server.url}/auth/login?plane=control#forgot")
    visitor.fill(email=user.email)
    visitor.press("Send the link")
    visitor.heading("Look into your mail")
    visitor.open(mails.leading_to("/reset-password", user.email, 2).link)
    visitor.fill(password="an entirely new one")
    visitor.press("Set the password")
    visitor.heading("Your password is set")
    ok(Api(server).post("/control/auth/login", {"email": user.email, "password": "an entirely new one"}))
