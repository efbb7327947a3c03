"""Accepting an invitation at the dashboard."""

from playwright.sync_api import expect

from support.client import ok


def test_an_invitation_is_accepted(person, developer, mails):
    person.expect_refusals(400)
    project = developer.create_project("Joined")
    email = "invited@example.com"
    ok(developer.post(f"/control/projects/{project.id}/members", {"email": email, "role": "Editor"}), 201)
    link = mails.leading_to("/auth/login", email).link
    person.go("/register")
    person.follow("Accept an invitation")
    person.heading("Accept an invitation")
    person.has_focus("Link of the invitation")
    person.look()
    person.fill(token="not a link", password="x")
    person.press("Accept")
    assert "not the link" in person.error_of("token")
    person.fill(token=f"{person.url}/auth/login?plane=control&invite=wrong", password="long enough to count")
    person.press("Accept")
    assert person.error_of("token")
    person.look()
    person.fill(token=link)
    person.press("Accept")
    person.heading("Projects")
    expect(person.page.get_by_role("link", name="Joined")).to_be_visible()
    person.go(f"/p/{project.slug}/members")
    expect(person.page.get_by_role("row").filter(has_text=email)).to_contain_text("Editor")
    # The link works once.
    assert developer.post("/control/auth/invites/accept", {"token": link.split("invite=")[1], "password": "another password"}).status_code == 400
