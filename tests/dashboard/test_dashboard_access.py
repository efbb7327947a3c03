"""Who may call a project: API keys, end users, roles, and ways to sign in."""

import re

import pytest
from playwright.sync_api import expect

from support.client import PASSWORD, EndUser, PlatformUser, ok
from support.dashboard import verify
from support.hosted_pages import second_factor

HOSTILE = "<img src=x onerror=alert(1)> \u202eevil {{7*7}}"


@pytest.fixture
def open_at(person, developer, project):
    """Opens a screen of the project."""

    def at(path: str, title: str):
        person.sign_in(developer, f"/p/{project.slug}/{path}")
        person.heading(title)
        return person

    return at


def dialog(person, name: str):
    found = person.page.get_by_role("dialog", name=name, exact=True)
    found.wait_for()
    return found


def choose(person, label: str, option: str) -> None:
    person.page.get_by_role("main").get_by_label(label, exact=True).select_option(label=option)


def test_keys(open_at, project):
    person = open_at("keys", "API keys")
    person.expect_refusals(400)
    expect(person.page.get_by_text("A key lets a server call this project")).to_be_visible()
    person.look()
    person.press("New key")
    form = dialog(person, "New API key")
    assert person.path() == f"/p/{project.slug}/keys?new=true"
    form.get_by_role("button", name="Create key").click()
    assert person.error_of("name")
    person.fill(name=HOSTILE)
    form.get_by_label("Read and write everything past policies").check()
    expect(form.get_by_label("Read documents")).not_to_be_checked()
    form.get_by_label("Read documents").check()
    form.get_by_label("Read documents").uncheck()
    form.get_by_role("button", name="Create key").click()
    person.alert("Choose what it may do.")
    form.get_by_label("Administer the project").check()
    form.get_by_label("It expires").select_option(label="At the end of a day")
    form.get_by_role("button", name="Create key").click()
    assert person.error_of("day") == "Choose a day in the future."
    person.look()
    # Typed text is kept by the first Escape.
    person.key("Escape")
    expect(form.get_by_text("Discard what you have typed?")).to_be_visible()
    person.has_focus("Go back to it")
    person.key("Escape")
    expect(form.get_by_label("Name", exact=True)).to_have_value(HOSTILE)
    form.get_by_label("It expires").select_option(label="In 90 days")
    form.get_by_role("button", name="Create key").click()

    shown = dialog(person, "Your new key")
    raw = shown.locator("pre").inner_text().strip()
    person.look()
    person.press("the line for .env")
    expect(shown.locator("pre")).to_have_text(f"MANYBASE_KEY={raw}")
    person.press("a call to try it")
    expect(shown.locator("pre")).to_contain_text(f"Bearer {raw}")
    expect(shown.locator("pre")).to_contain_text("/api/v1/admin/collections")
    person.key("Escape")
    expect(shown.get_by_text("It is not shown again.")).to_be_visible()
    person.press("Go back to it")
    person.press("I have copied it")
    row = person.page.get_by_role("row").filter(has_text="evil")
    expect(row).to_contain_text("administer all")
    expect(row).to_contain_text("in 89 days")
    assert raw not in person.page.content()
    assert project.admin.get("/admin/collections", token=raw).status_code == 200
    person.look()

    row.get_by_role("button", name="New secret for").click()
    dialog(person, "Give this key a new secret?").get_by_role("button", name="New secret", exact=True).click()
    renewed = dialog(person, "Your new key").locator("pre").inner_text().strip()
    person.press("I have copied it")
    assert project.admin.get("/admin/collections", token=raw).status_code == 401
    assert project.admin.get("/admin/collections", token=renewed).status_code == 200
    row.get_by_role("button", name="Revoke").click()
    person.look()
    dialog(person, "Revoke this key?").get_by_role("button", name="Revoke", exact=True).click()
    expect(person.page.get_by_role("heading", name="No key yet")).to_be_visible()
    assert project.admin.get("/admin/collections", token=renewed).status_code == 401


def test_users_are_found(open_at, project):
    role = project.enduser_role("data:*:read", name="writer")
    for address, name in (("ada@example.com", "Ada Marsh"), ("emil@example.com", "Émile"), ("evil@example.com", HOSTILE)):
        ok(project.admin.post("/admin/users", {"email": address, "password": PASSWORD, "name": name}), 201)
    blocked = EndUser(project, role, email="zoe@example.com")
    ok(project.admin.post(f"/admin/users/{blocked.id}/block"), 204)
    for n in range(60):
        ok(project.admin.post("/admin/users", {"email": f"many{n}@example.com", "password": PASSWORD}), 201)

    person = open_at("users", "Users")
    rows = person.page.get_by_role("table").locator("tbody").get_by_role("row")
    expect(person.page.get_by_text("64 users")).to_be_visible()
    expect(rows).to_have_count(50)
    person.press("Load more")
    expect(rows).to_have_count(64)
    expect(rows.filter(has_text=HOSTILE)).to_have_count(1)
    person.look()
    find = person.page.get_by_label("Address or name begins with")
    find.fill("emile")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("emil@example.com")
    find.fill("")
    choose(person, "Status", "blocked")
    expect(rows).to_have_count(1)
    choose(person, "Role", "writer")
    choose(person, "Order", "By name")
    assert person.path() == f"/p/{project.slug}/users?status=blocked&role=writer&sort=name"
    person.page.reload()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("zoe@example.com")
    choose(person, "Address", "Verified address")
    expect(person.page.get_by_role("heading", name="No user fits these filters")).to_be_visible()
    person.look()
    person.press("Clear the filters")
    expect(person.page.get_by_text("64 users")).to_be_visible()


def test_the_life_of_a_user(open_at, project):
    project.enduser_role("data:*:read", name="writer")
    person = open_at("users", "Users")
    person.expect_refusals(400, 409)
    expect(person.page.get_by_text("People who use your app appear here")).to_be_visible()
    person.look()
    person.press("New user")
    form = dialog(person, "New user")
    person.fill(email="not an address")
    person.press("Generate")
    password = form.get_by_label("Password", exact=True).input_value()
    form.get_by_role("button", name="Create user").click()
    assert person.error_of("email")
    person.look()
    person.fill(email="ada@example.com", name="Ada")
    form.get_by_role("button", name="Create user").click()
    expect(dialog(person, "The password of the new user").locator("pre")).to_have_text(password)
    person.press("I have copied it")
    panel = person.page.get_by_role("complementary", name="ada@example.com")
    panel.wait_for()
    ok(project.public().post("/auth/login", {"email": "ada@example.com", "password": password}))
    person.look()

    # Only what was changed is sent, and large numbers stay as they are.
    metadata = panel.get_by_role("textbox", name="Metadata")
    person.write(metadata, '{\n  "plan" 1}')
    panel.get_by_role("button", name="Save").click()
    expect(panel.get_by_role("button", name="Line 2: : is expected here")).to_be_visible()
    person.write(metadata, "[1]")
    panel.get_by_role("button", name="Save").click()
    expect(panel.get_by_text("Metadata is an object")).to_be_visible()
    person.write(metadata, '{"plan": 9007199254740993}')
    panel.get_by_label("Role").select_option("writer")
    person.key("Escape")
    dialog(person, "Leave this screen?")
    person.press("Go back to it")
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("The user is saved.")).to_be_visible()
    user = ok(project.admin.get("/admin/users"))["users"][0]
    assert user["metadata"] == {"plan": 9007199254740993, "role": "writer"} and user["name"] == "Ada"
    ok(project.admin.post("/admin/users", {"email": "bob@example.com", "password": PASSWORD}), 201)
    panel.get_by_label("Address", exact=True).fill("bob@example.com")
    panel.get_by_role("button", name="Save").click()
    assert person.error_of("email")
    panel.get_by_label("Address", exact=True).fill("ada@example.com")
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("Nothing was changed.")).to_be_visible()

    status = lambda: ok(project.admin.get(f"/admin/users/{user['id']}"))["user"]["status"]  # noqa: E731
    for button, title, result in (
        ("Block", "Block this user?", "blocked"),
        ("Activate", "Activate this user?", "active"),
        ("Deactivate", "Deactivate this user?", "inactive"),
    ):
        panel.get_by_role("button", name=button, exact=True).click()
        dialog(person, title).get_by_role("button", name=button, exact=True).click()
        expect(person.page.get_by_text(f"ada@example.com is {result}.")).to_be_visible()
        assert status() == result
    person.look()

    other = project.end_user()
    second_factor(project, other)
    person.go(f"/p/{project.slug}/users/{other.id}")
    person.press("Reset the second factor")
    dialog(person, "Reset the second factor?").get_by_role("button", name="Reset the second factor").click()
    expect(person.page.get_by_text(f"The second factor of {other.email} is off.")).to_be_visible()
    assert not ok(project.admin.get(f"/admin/users/{other.id}"))["user"]["mfaEnabled"]
    expect(person.page.get_by_role("button", name="Reset the second factor")).to_have_count(0)
    person.key("Escape")
    expect(person.page.get_by_role("complementary")).to_have_count(0)
    assert person.path() == f"/p/{project.slug}/users"


def test_a_role_by_keyboard_alone(open_at, project):
    ok(project.admin.post("/admin/collections", {"name": "posts"}), 201)
    person = open_at("roles", "Roles")
    person.expect_refusals(400, 409)
    person.page.get_by_role("link", name="Editor").wait_for()
    person.look()
    person.tab_to("Copy Viewer", 60)
    person.key("Enter")
    dialog(person, "New role")
    assert person.path() == f"/p/{project.slug}/roles?new=true&copy=Viewer"
    person.has_focus("Name")
    person.type("Owner")
    person.key("Enter")
    assert person.error_of("name")
    person.page.keyboard.press("Control+a")
    person.type("Helper")
    person.key("Enter")
    person.heading("Helper")
    cell = person.page.get_by_role("checkbox", name="posts: read, through data:*:read")
    expect(cell).to_be_checked()
    expect(cell).to_be_disabled()
    person.look()
    person.tab_to("posts: update", 60)
    person.key("Space")
    person.tab_to("Files: write", 60)
    person.key("Space")
    expect(person.page.get_by_text("2 changes")).to_be_visible()
    person.tab_to("Permission", 60)
    person.type("data:po*:read")
    person.key("Enter")
    assert person.error_of("permission")
    person.page.keyboard.press("Control+a")
    person.type("reports:manage")
    person.key("Enter")
    person.page.get_by_role("button", name="Remove reports:manage").wait_for()
    person.look()
    person.tab_to("Save")
    person.key("Enter")
    expect(person.page.get_by_text("The role Helper is saved.")).to_be_visible()
    viewer = ok(project.admin.get("/admin/roles/Viewer"))["role"]["permissions"]
    added = ["data:posts:update", "storage:write", "reports:manage"]
    assert ok(project.admin.get("/admin/roles/Helper"))["role"]["permissions"] == viewer + added
    words = person.page.get_by_role("region", name="What this role can do", exact=True)
    expect(words).to_contain_text("every collection: list, read")
    expect(words).to_contain_text("posts: update")
    person.press("Delete")
    dialog(person, "Delete this role?").get_by_role("button", name="Delete").click()
    expect(person.page.get_by_text("The role Helper is deleted.")).to_be_visible()


def test_end_user_roles(open_at, project):
    person = open_at("roles?of=users", "Roles")
    person.expect_refusals(409)
    expect(person.page.get_by_role("tab", name="End users")).to_have_attribute("aria-selected", "true")
    person.page.get_by_role("link", name="user", exact=True).click()
    person.heading("user")
    expect(person.page.get_by_role("checkbox", name="All collections: read")).to_be_disabled()
    expect(person.page.get_by_role("checkbox", name="Files: change")).to_have_count(0)
    person.look()
    person.press("Copy to edit")
    form = dialog(person, "New role")
    expect(form.get_by_label("It begins with")).to_have_value("user")
    person.fill(name="writer")
    form.get_by_role("button", name="Create role").click()
    person.heading("writer")
    person.page.get_by_role("checkbox", name="All collections: delete").uncheck()
    person.follow("Users")
    dialog(person, "Leave this screen?")
    person.press("Go back to it")
    person.press("Save")
    expect(person.page.get_by_text("The role writer is saved.")).to_be_visible()
    permissions = ok(project.admin.get("/admin/enduser-roles/writer"))["role"]["permissions"]
    assert "data:*:delete" not in permissions and "data:*:update" in permissions

    user = project.end_user("writer")
    person.press("Delete")
    asked = dialog(person, "Delete this role?")
    asked.get_by_role("button", name="Delete").click()
    person.alert("a user has this role")
    expect(asked.get_by_role("listitem")).to_have_text(user.email)
    person.look()
    ok(project.admin.patch(f"/admin/users/{user.id}", {"metadata": {}}), 204)
    asked.get_by_role("button", name="Delete").click()
    person.heading("Roles")
    expect(person.page.get_by_text("The role writer is deleted.")).to_be_visible()
    assert person.path() == f"/p/{project.slug}/roles?of=users"
    expect(person.page.get_by_role("link", name="writer")).to_have_count(0)


def test_ways_to_sign_in(open_at, project, server):
    person = open_at("sign-in-methods", "Sign-in")
    person.expect_refusals(400)
    callback = f"{server.url}/api/v1/auth/oauth/github/callback"
    expect(person.page.get_by_text(callback)).to_be_visible()
    person.look()
    person.press("Set up GitHub")
    form = dialog(person, "Sign-in with GitHub")
    expect(form.get_by_text(callback)).to_be_visible()
    form.get_by_role("button", name="Save").click()
    assert person.error_of("clientId")
    person.fill(clientId="abc", clientSecret="s3cret")
    person.look()
    form.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("GitHub is saved.")).to_be_visible()

    stored = lambda: {one["provider"]: one for one in ok(project.admin.get("/admin/auth/oauth"))["providers"]}  # noqa: E731
    person.press("Edit GitHub")
    expect(form.get_by_text("Kept. Type another one to replace it.")).to_be_visible()
    expect(form.get_by_label("Client secret")).to_have_value("")
    person.fill(clientId="def")
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    assert stored()["github"] == {"provider": "github", "clientId": "def", "enabled": True, "clientSecret": {"configured": True}}
    person.page.get_by_role("switch", name="Sign-in with GitHub").click()
    expect(person.page.get_by_text("Sign-in with GitHub is off.")).to_be_visible()
    assert not stored()["github"]["enabled"] and stored()["github"]["clientSecret"]["configured"]

    person.press("Add an OpenID provider")
    form = dialog(person, "New OpenID provider")
    person.fill(name="Acme Inc", issuer="ftp://x", clientId="abc", clientSecret="s3cret")
    form.get_by_role("button", name="Save").click()
    assert "lower-case letter" in person.error_of("name")
    person.fill(name="acme")
    form.get_by_role("button", name="Save").click()
    assert person.error_of("issuer")
    person.look()
    person.fill(issuer="https://login.example.com")
    form.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("oidc-acme/callback")).to_be_visible()
    person.press("Edit acme")
    person.fill(issuer="https://other.example.com")
    person.alert("The issuer is another one")
    person.key("Escape")
    person.press("Discard")
    assert stored()["oidc-acme"]["issuer"] == "https://login.example.com"

    expect(person.page.get_by_text("No origin yet")).to_be_visible()
    person.fill(allowedRedirects="example.com/path")
    person.press("Add")
    assert person.error_of("allowedRedirects")
    person.fill(allowedRedirects="https://app.example.com")
    person.press("Add")
    expect(person.page.get_by_role("list", name="Allowed redirects")).to_contain_text("https://app.example.com")
    person.fill(allowedRedirects="https://app.example.com")
    person.press("Add")
    assert "in the list" in person.error_of("allowedRedirects")
    person.look()
    person.press("Remove https://app.example.com")
    expect(person.page.get_by_text("No origin yet")).to_be_visible()
    assert ok(project.admin.get("/admin/auth/oauth"))["allowedRedirects"] == []


def member(server, mails, project, role: str) -> PlatformUser:
    user = PlatformUser(server)
    verify(mails, user)
    project.member(role, user)
    return user


# The words on buttons that change something.
CHANGES = re.compile(r"New |Save|Add|Copy|Revoke|Block|Deactivate|Activate|Delete|Edit|Set up|Remove")


@pytest.mark.long(run="journeys")
def test_a_viewer_and_a_narrow_role(server, opened, project, mails):
    project.api_key("read")
    project.enduser_role("storage:read", name="strong")
    strong = project.end_user("strong")
    viewer = member(server, mails, project, "Viewer")
    project.role("users:manage", "roles:read", "keys:manage", "data:*:read", "data:*:list", name="Desk")
    desk = member(server, mails, project, "Desk")

    def refusals(person) -> list:
        refused = []
        person.page.on("response", lambda response: response.status == 403 and refused.append(response.url))
        return refused

    person = opened(server)
    refused = refusals(person)
    person.sign_in(viewer, f"/p/{project.slug}")
    person.heading("Bookshop")
    for path in ("keys", f"users/{strong.id}", "roles", "roles/members/Editor", "sign-in-methods"):
        person.go(f"/p/{project.slug}/{path}")
        person.page.get_by_role("heading", level=1).wait_for()
        person.page.wait_for_load_state("networkidle")
        person.look()
        words = person.page.get_by_role("main").get_by_role("button").all_inner_texts()
        assert "Show the call" in words and not any(CHANGES.match(one) for one in words), (path, words)
        assert person.page.get_by_role("main").get_by_role("switch").count() == 0
    assert refused == []

    person = opened(server)
    refused = refusals(person)
    person.sign_in(desk, f"/p/{project.slug}/users/{strong.id}")
    panel = person.page.get_by_role("complementary", name=strong.email)
    expect(panel.get_by_text("holds permissions that yours lacks")).to_be_visible()
    expect(panel.get_by_label("Address", exact=True)).to_be_disabled()
    expect(panel.get_by_role("button", name="Block")).to_have_count(0)
    panel.get_by_label("Name", exact=True).fill("Strong")
    panel.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("The user is saved.")).to_be_visible()
    person.go(f"/p/{project.slug}/keys?new=true")
    form = dialog(person, "New API key")
    expect(form.get_by_label("Read documents")).to_be_visible()
    expect(form.get_by_role("checkbox")).to_have_count(1)
    person.go(f"/p/{project.slug}/sign-in-methods")
    person.alert("lacks the permission auth:config:read")
    for path, needed in (("schema", "collections:read"), ("policy", "policies:read")):
        person.go(f"/p/{project.slug}/data/posts/{path}")
        person.alert(f"lacks the permission {needed}")
    assert refused == []
