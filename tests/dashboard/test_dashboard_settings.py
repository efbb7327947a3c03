"""The settings and the members of a project."""

import pytest
from playwright.sync_api import expect

from support.client import PlatformUser, ok
from support.dashboard import verify

HOSTILE = "<img src=x onerror=alert(1)>\u202egnihsilbup"


@pytest.fixture
def colleague(owner, server, mails):
    """Makes platform users with a verified address."""

    def make(name: str | None = None) -> PlatformUser:
        user = PlatformUser(server, name=name)
        verify(mails, user)
        return user

    return make


def read(developer, project_id: str) -> dict:
    return ok(developer.get(f"/control/projects/{project_id}"))["project"]


def test_the_settings(person, developer):
    person.expect_refusals(400)
    project = developer.create_project("Bookshop")
    page = person.page
    person.sign_in(developer, f"/p/{project.slug}/settings")
    person.heading("Settings")
    person.look()

    # The server's problems are at their fields, and what was typed stays.
    person.fill(name=" ", icon="not one")
    page.get_by_label("Allowed origins").fill("https://app.example.com\nhttps://app.example.com/path")
    person.press("Save settings")
    assert "1 to 100 characters" in person.error_of("name")
    assert "single emoji" in person.error_of("icon")
    expect(page.get_by_text("Line 2, https://app.example.com/path: must be an origin")).to_be_visible()
    person.fill(name=HOSTILE, icon="🌱", maxFileSize="a lot")
    person.press("Save settings")
    assert "a number with a unit" in person.error_of("maxFileSize")
    person.look()
    # Leaving with unsaved changes raises a question.
    person.follow("Members")
    page.get_by_role("dialog", name="Leave this screen?").wait_for()
    person.look()
    person.key("Escape")
    expect(person.dialogs()).to_have_count(0)
    assert page.locator("input[name=icon]").input_value() == "🌱"

    person.fill(maxFileSize="1.5 MiB")
    page.get_by_label("Allowed origins").fill("https://app.example.com\n\n")
    page.get_by_label("emerald").check(force=True)
    page.get_by_label("Hide who is registered").check()
    page.get_by_label("Rotate refresh tokens").set_checked(False)
    page.get_by_label("Claims of tokens").fill("plan")
    page.get_by_label("Profile fields").fill("name\nmetadata.team")
    page.get_by_label("Run the tests of functions as well").check()
    person.press("Save settings")
    expect(page.get_by_text("The settings are saved.")).to_be_visible()
    wire = read(developer, project.id)
    assert (wire["name"], wire["icon"], wire["color"], wire["maxFileSize"]) == (HOSTILE, "🌱", "emerald", 1_572_864)
    assert wire["settings"] == {
        "allowedOrigins": ["https://app.example.com"],
        "hideRegistered": True,
        "rotateRefreshTokens": False,
        "tokenClaims": ["plan"],
        "profileFields": ["metadata.team", "name"],
        "requireTests": True,
    }
    expect(page.get_by_role("banner").locator("bdi", has_text=HOSTILE)).to_be_visible()
    person.press("Save settings")
    expect(page.get_by_text("Nothing has changed.")).to_be_visible()
    # Saved changes are nothing to lose.
    person.follow("Members")
    person.heading("Members")


def test_suspend_resume_and_delete_by_keyboard(person, developer):
    project = developer.create_project("Short lived")
    staging = ok(developer.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)["project"]
    page = person.page
    person.sign_in(developer, f"/p/{project.slug}/settings")
    person.heading("Settings")
    # A project with environments is not deleted: they are listed.
    expect(page.get_by_role("button", name="Delete project")).to_have_count(0)
    expect(page.get_by_text("cannot be deleted while it has environments")).to_be_visible()
    page.get_by_role("link", name=staging["name"]).click()
    person.heading("Settings")
    assert person.path() == f"/p/{staging['slug']}/settings"

    person.tab_to("Suspend", most=120)
    person.key("Enter")
    page.get_by_role("dialog", name="Suspend the project?").wait_for()
    person.look()
    person.key("Escape")
    person.has_focus("Suspend")
    person.key("Enter")
    # The button that opens the dialog has the same name as the one in it.
    page.get_by_role("dialog", name="Suspend the project?").wait_for()
    person.tab_to("Suspend")
    person.key("Enter")
    expect(page.get_by_text("The project is suspended. Resumed")).to_be_visible()
    assert [read(developer, one)["status"] for one in (project.id, staging["id"])] == ["active", "suspended"]
    # What would be refused is not offered.
    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation.get_by_role("link", name="Audit")).to_have_count(0)
    expect(navigation.get_by_role("link", name="Members")).to_be_visible()
    person.tab_to("Resume", most=120)
    person.key("Enter")
    page.get_by_role("dialog", name="Resume the project?").wait_for()
    person.tab_to("Resume")
    person.key("Enter")
    expect(page.get_by_text("The project is resumed.")).to_be_visible()
    expect(navigation.get_by_role("link", name="Audit")).to_be_visible()

    person.tab_to("Delete project", most=120)
    person.key("Enter")
    dialog = page.get_by_role("dialog", name=f"Delete {staging['name']}?")
    dialog.wait_for()
    person.has_focus(f"Type {staging['slug']} to confirm")
    person.type("another")
    person.key("Enter")
    expect(dialog.get_by_text("This is not the same text.")).to_be_visible()
    person.look()
    page.get_by_role("textbox", name=f"Type {staging['slug']} to confirm").fill("")
    person.type(staging["slug"])
    person.key("Enter")
    person.heading("Projects")
    expect(page.get_by_text(f"{staging['name']} is deleted.")).to_be_visible()
    assert developer.get(f"/control/projects/{staging['id']}").status_code == 404
    page.get_by_role("link", name="Short lived").click()
    person.follow("Settings")
    expect(page.get_by_role("button", name="Delete project")).to_be_visible()


def test_the_members(person, developer, colleague, mails):
    person.expect_refusals(400, 409)
    project = developer.create_project("Team")
    project.role("data:*:read", name="Writer")
    known = colleague(HOSTILE)
    page = person.page
    person.sign_in(developer, f"/p/{project.slug}/members")
    person.heading("Members")
    rows = page.get_by_role("row")
    expect(rows.filter(has_text=developer.email)).to_contain_text("you")
    expect(rows.filter(has_text=developer.email)).to_contain_text("The last Owner")
    person.look()

    person.press("Invite a member")
    assert person.path().endswith("/members?new=true")
    dialog = page.get_by_role("dialog", name="Invite a member")
    dialog.get_by_label("Email address").fill("no address")
    dialog.get_by_role("button", name="Invite").click()
    assert person.error_of("email")
    person.look()
    # Escape does not lose what was typed.
    person.key("Escape")
    page.get_by_role("alertdialog").wait_for()
    person.key("Escape")
    expect(dialog.get_by_label("Email address")).to_have_value("no address")
    dialog.get_by_label("Email address").fill("new@example.com")
    dialog.get_by_label("Role").select_option("Writer")
    dialog.get_by_role("button", name="Invite").click()
    expect(page.get_by_text("An invitation to new@example.com is on its way.")).to_be_visible()
    pending = rows.filter(has_text="new@example.com")
    expect(pending).to_contain_text("invited")
    expect(page.get_by_text(f"{person.url}/dashboard/register")).to_be_visible()
    person.press("Send the invitation to new@example.com again")
    assert len(mails.to("new@example.com", 2)) == 2

    person.press("Invite a member")
    dialog.get_by_label("Email address").fill(known.email)
    dialog.get_by_label("Role").select_option("Admin")
    dialog.get_by_role("button", name="Invite").click()
    expect(page.get_by_text(f"{known.email} is a member now.")).to_be_visible()
    row = rows.filter(has_text=known.email)
    expect(row.locator("bdi", has_text=HOSTILE)).to_be_visible()
    # Active members come first.
    expect(rows.last).to_contain_text("new@example.com")
    person.look()

    person.press(f"Change the role of {known.email}")
    page.get_by_role("dialog").get_by_label("Role", exact=True).select_option("Owner")
    person.look()
    person.press("Save role")
    expect(row).to_contain_text("Owner")
    expect(page.get_by_text("The last Owner")).to_have_count(0)

    # Two Owners that leave at once: the server says why the second stays.
    person.press(f"Change the role of {developer.email}")
    page.get_by_role("dialog").get_by_label("Role", exact=True).wait_for()
    ok(developer.patch(f"/control/projects/{project.id}/members/{known.id}", {"role": "Viewer"}), 204)
    page.get_by_role("dialog").get_by_label("Role", exact=True).select_option("Viewer")
    person.press("Save role")
    person.alert("a project needs at least one Owner")
    person.press("Cancel")
    person.press("Discard")

    page.reload()
    person.press(f"Remove {known.email}")
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text(f"{known.email} is removed.")).to_be_visible()
    expect(row).to_have_count(0)
    person.press("Cancel the invitation of new@example.com")
    page.get_by_role("dialog").get_by_role("button", name="Cancel invitation").click()
    expect(page.get_by_text("The invitation of new@example.com is cancelled.")).to_be_visible()
    expect(pending).to_have_count(0)
    assert [one["email"] for one in ok(developer.get(f"/control/projects/{project.id}/members"))["members"]] == [developer.email]


def test_an_admin_changes_no_owner_and_leaves(server, opened, developer, colleague):
    project = developer.create_project("Led by another")
    admin = colleague()
    project.member("Admin", admin)
    person = opened(server)
    person.sign_in(admin, f"/p/{project.slug}/members")
    person.heading("Members")
    page = person.page
    expect(page.get_by_role("row").filter(has_text=developer.email)).to_contain_text("Only an Owner changes an Owner.")
    person.press("Invite a member")
    roles = page.get_by_role("dialog").get_by_label("Role").locator("option")
    expect(roles).to_have_text(["Admin", "Editor", "Viewer"])
    person.key("Escape")
    person.press("Leave")
    page.get_by_role("dialog", name="Leave this project?").get_by_role("button", name="Leave").click()
    person.heading("Projects")
    expect(page.get_by_text("You have left Led by another.")).to_be_visible()
    # An Admin does not delete.
    other = developer.create_project("Kept")
    other.member("Admin", admin)
    person.go(f"/p/{other.slug}/settings")
    expect(page.get_by_role("button", name="Suspend")).to_be_visible()
    expect(page.get_by_role("button", name="Delete project")).to_have_count(0)


def test_a_viewer_is_offered_nothing_that_would_be_refused(server, opened, developer, colleague):
    project = developer.create_project("Shared")
    ok(developer.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)
    viewer = colleague()
    project.member("Viewer", viewer)
    person = opened(server)
    page = person.page
    refused = []
    page.on("response", lambda response: response.status >= 400 and refused.append(response.url))
    person.sign_in(viewer, f"/p/{project.slug}/settings")
    person.heading("Settings")
    expect(page.get_by_text("Owners and Admins of the project change its settings.")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("textbox")).to_have_count(0)
    person.look()
    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation.get_by_role("link", name="Configuration")).to_have_count(0)
    offered = {
        "Environments": ["Show the call"],
        "Members": ["Show the call"],
        "Audit": ["Show the call", "Filter", "Refresh"],
        "Usage": ["Show the call", "Read again"],
    }
    for name, buttons in offered.items():
        navigation.get_by_role("link", name=name).click()
        person.heading(name)
        page.wait_for_load_state("networkidle")
        person.look()
        main = page.get_by_role("main").get_by_role("button")
        names = [one.get_attribute("aria-label") or one.inner_text() for one in main.all()]
        assert [one for one in names if one not in buttons and "." not in one] == [], name
    person.go(f"/p/{project.slug}/configuration")
    expect(page.get_by_role("alert")).to_contain_text("config:manage")
    person.look()
    person.go(f"/p/{project.slug}/environments/promote")
    expect(page.get_by_role("alert")).to_contain_text("There is nothing to promote to")
    assert refused == []
