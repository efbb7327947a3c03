"""Connections: those of a project, and those of the person's own organization."""

import re

from playwright.sync_api import expect

from support.client import PlatformUser, ok

OWN = "/control/connections"
HOSTILE = "<img src=x onerror=alert(1)>\u202egnp"
SECRET = "very-secret-471147"


def of(project) -> str:
    return f"/control/projects/{project.id}/connections"


def stored(user, path: str) -> dict:
    return {one["name"]: one for one in ok(user.get(path))["connections"]}


def row(person, name: str):
    return person.page.get_by_role("row").filter(has_text=name)


def test_by_keyboard_from_creation_to_the_end(person, developer, project):
    page = person.page
    person.expect_refusals(400, 409)
    person.sign_in(developer, f"/p/{project.slug}/connections")
    person.heading("A connection is a credential for another service")
    person.look()
    person.tab_to("New connection", 60)
    person.key("Enter")
    dialog = page.get_by_role("dialog", name="New connection")
    person.has_focus("Kind")
    assert person.path().endswith("?new=true")
    person.key("Tab")
    person.type("  ")
    person.tab_to("Account or organization")
    person.type("a" * 201)
    person.tab_to("Id of the installation")
    page.keyboard.insert_text("7" * 5000)
    person.key("Enter")

    # Each mistake is shown at its field, and nothing that was typed is lost.
    assert person.error_of("name") == "must be 1 to 64 characters"
    person.has_focus("Name")
    assert "1 to 200 characters" in person.error_of('"config/owner"')
    assert "at most 4096" in person.error_of('"secrets/installationId"')
    expect(dialog.get_by_label("Account or organization")).to_have_value("a" * 201)
    person.look()
    person.key("Escape")
    expect(page.get_by_text("Discard what you have typed?")).to_be_visible()
    person.key("Enter")
    person.fill(name=HOSTILE)
    dialog.get_by_label("Account or organization").fill(" acme ")
    dialog.get_by_label("Id of the installation").fill(SECRET)
    person.key("Enter")
    expect(person.dialogs()).to_have_count(0)
    made = stored(developer, of(project))[HOSTILE]
    assert made["config"] == {"owner": "acme"} and made["secrets"] == {"installationId": {"configured": True}}
    expect(row(person, HOSTILE)).to_contain_text("installationId set")
    expect(row(person, HOSTILE)).to_contain_text("this project")
    assert page.evaluate("document.querySelectorAll('main img').length") == 0
    person.look()

    # A name is taken once, whatever its letters; another is typed in its place.
    person.press("New connection")
    person.fill(name=HOSTILE.upper())
    person.press("Create connection")
    assert "use another name" in person.error_of("name")
    person.fill(name="Second")
    person.press("Create connection")
    expect(row(person, "Second")).to_contain_text("installationId not set")

    # A secret that is not typed stays, and a changed configuration replaces the old one.
    page.get_by_role("button", name=f"Change {HOSTILE}").click()
    change = page.get_by_role("dialog", name=f"Connection {HOSTILE}")
    assert f"open={made['id']}" in person.path()
    expect(change.get_by_label("Id of the installation")).to_have_value("")
    expect(change.get_by_label("Id of the installation")).to_have_accessible_description(re.compile("One is stored"))
    person.look()
    person.fill(name="second")
    person.press("Save connection")
    assert "use another name" in person.error_of("name")
    person.fill(name="Host")
    change.get_by_label("Account or organization").fill("")
    person.press("Save connection")
    expect(row(person, "Host")).to_contain_text("installationId set")
    changed = stored(developer, of(project))["Host"]
    assert changed["config"] == {} and changed["secrets"] == {"installationId": {"configured": True}}
    person.has_focus("Change Host")
    assert SECRET not in page.content()
    person.press("Show the call")
    expect(page.get_by_role("dialog").locator("pre").first).to_contain_text(f'control.listProjectConnections("{project.id}")')
    person.key("Escape")
    person.press("Delete Second")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Second is deleted.")).to_be_visible()
    expect(row(person, "Second")).to_have_count(0)
    assert list(stored(developer, of(project))) == ["Host"]

    # Who changed what is in the audit log, and the screen is found by its letter and by its name.
    person.follow("Who changed what")
    expect(page.get_by_role("button", name="connection.removed")).to_be_visible()
    expect(page.get_by_role("button", name="connection.created")).to_have_count(2)
    page.get_by_role("heading", level=1).click()
    person.type("gn")
    person.heading("Connections")
    person.key("Control+k")
    page.get_by_role("combobox", name="Search or jump to").fill("your conn")
    page.get_by_role("option", name="Your connections").click()
    page.wait_for_url("**/account/connections")


def test_of_an_organization(person, developer, project, viewer_at):
    ok(developer.post(of(project), {"kind": "github", "name": "Of the shop"}), 201)
    page = person.page
    person.sign_in(developer, "/account")
    person.press(f"Account of {developer.email}")
    page.get_by_role("menuitem", name="Your connections").click()
    person.heading("A connection is a credential for another service")
    person.look()
    person.press("New connection")
    dialog = page.get_by_role("dialog", name="New connection")
    person.fill(name=HOSTILE)
    dialog.get_by_label("Account or organization").fill(HOSTILE)
    dialog.get_by_label("Id of the installation").fill(SECRET)
    person.press("Create connection")
    expect(row(person, HOSTILE)).to_contain_text("installationId set")
    assert list(stored(developer, OWN)) == [HOSTILE]
    person.look()

    # In the project they are read only, with the way to where the person changes them.
    person.go(f"/p/{project.slug}/connections")
    expect(row(person, "Of the shop").get_by_role("button")).to_have_count(2)
    expect(row(person, HOSTILE)).to_contain_text("GitHub")
    expect(row(person, HOSTILE).get_by_role("button")).to_have_count(0)
    person.look()
    row(person, HOSTILE).get_by_role("link", name="your organization").click()
    person.heading("Your connections")
    page.get_by_role("button", name=f"Change {HOSTILE}").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Ours")
    person.press("Save connection")
    expect(row(person, "Ours")).to_be_visible()

    # Who may only read sees all of them, and is offered no change.
    for n in range(6):
        ok(developer.post(OWN, {"kind": "github", "name": f"{HOSTILE} {n}", "config": {"owner": f"acme-{n}"}}), 201)
    viewer = viewer_at(project, f"/connections?new=true&open={stored(developer, of(project))['Of the shop']['id']}")
    main = viewer.page.get_by_role("main")
    expect(main.get_by_role("row")).to_have_count(9)
    expect(row(viewer, "Ours")).to_contain_text("its organization")
    assert main.get_by_role("button").all_inner_texts() == ["Show the call"]
    assert main.get_by_role("link").all_inner_texts() == ["Who changed what"] and viewer.dialogs().count() == 0
    viewer.page.get_by_label("Filter connections").fill("ACME-3")
    expect(main.get_by_role("row")).to_have_count(2)
    assert "find=ACME-3" in viewer.path() and SECRET not in viewer.page.content()
    viewer.look()

    person.press("Delete Ours")
    person.look()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Ours is deleted.")).to_be_visible()
    assert "Ours" not in stored(developer, OWN)


def test_switched_off(make_server, opened):
    server = make_server({"SERVICE_CONNECTIONS": "off"}).start()
    developer = PlatformUser(server)
    project = developer.create_project("Plain")
    person = opened(server)
    person.sign_in(developer, f"/p/{project.slug}/connections")
    page = person.page
    for path in (f"/p/{project.slug}/connections", "/account/connections"):
        person.go(path)
        person.heading("There are no connections")
        expect(page.get_by_text("SERVICE_CONNECTIONS is off")).to_be_visible()
        person.look()
    page.go_back()
    person.heading("Connections")
    rail = page.get_by_role("navigation", name="Main")
    expect(rail.get_by_role("link", name="Members")).to_be_visible()
    assert rail.get_by_role("link", name="Connections").count() == 0
    person.press(f"Account of {developer.email}")
    page.get_by_role("menuitem", name="Your account").wait_for()
    assert page.get_by_role("menuitem", name="Your connections").count() == 0
