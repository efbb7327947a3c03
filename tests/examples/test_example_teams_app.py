"""The web app of examples/teams: two people and a team, from the first account to the last sign-out."""

import re
import time

import pyotp
import pytest

from support.browser import visiting
from support.client import PASSWORD, EndUser, ok, unique
from support.example_app import inspect
from support.waiting import wait_until

EXAMPLE = "teams"
LONG = "Averylongwordwithoutaplacetobreak" * 4
RED = f"Red {LONG[:70]}"
XSS = "<img src=x onerror=\"document.title='taken'\">"
REFUSED = re.compile("Failed to load resource: the server responded with a status of 4")


@pytest.fixture(scope="module")
def server_settings() -> dict:
    return {"SERVICE_AUTH_RATE_LIMIT": "100000/60"}  # all people have one address


@pytest.fixture
def ann(chromium, app):
    with visiting(chromium) as visitor:
        visitor.tolerated = []
        yield visitor


@pytest.fixture
def ben(chromium, app):
    with visiting(chromium) as visitor:
        visitor.tolerated = []
        yield visitor


def create_account(visitor, name: str) -> None:
    """On the view of the sign-in."""
    visitor.press("Create an account")
    visitor.heading("Create an account")
    visitor.fill(name=name, email=f"{unique('user')}@example.com", password=PASSWORD)
    visitor.press("Create account")
    visitor.page.get_by_role("button", name="Sign out").wait_for()


def sign_up(visitor, app, name: str) -> None:
    visitor.open(app.url)
    create_account(visitor, name)


def sign_in(visitor, app, email: str) -> None:
    visitor.open(app.url)
    visitor.fill(email=email, password=PASSWORD)
    visitor.press("Sign in")


def create_team(visitor, name: str) -> str:
    visitor.heading("Your teams")
    visitor.fill(name=name)
    visitor.press("Create team")
    visitor.heading(name)
    return visitor.page.url.rpartition("/")[2]


def column(visitor, name: str):
    return visitor.page.get_by_role("region", name=name, exact=True)


def card(visitor, where: str, title: str):
    return column(visitor, where).get_by_role("listitem").filter(has_text=title)


def invite(visitor, role: str) -> str:
    visitor.follow("People")
    visitor.page.get_by_label("Role", exact=True).select_option(role)
    visitor.press("Create a link")
    shown = visitor.page.get_by_label("Link of the invitation")
    shown.wait_for()
    return shown.input_value()


def accept(visitor, link: str, team: str) -> None:
    visitor.open(link)
    visitor.heading("Join a team")
    visitor.press("Join the team")
    visitor.heading(team)


def test_two_people_and_a_team(ann, ben, app):
    # Ann's account and team.
    ann.open(app.url)
    ann.heading("Sign in")
    inspect(ann)
    create_account(ann, "Ann")
    ann.page.get_by_text("You are in no team yet.").wait_for()
    inspect(ann)
    create_team(ann, RED)
    ann.page.get_by_text("Nothing to do.").wait_for()
    ann.page.locator(".live[data-status=live]").wait_for()
    inspect(ann)

    # Ben opens a link without an account, makes one, and joins.
    link = invite(ann, "editor")
    assert link.startswith(f"{app.url}/join#")
    inspect(ann)
    ben.open(link)
    ben.page.get_by_text("You were invited to a team. Sign in").wait_for()
    create_account(ben, "Ben")
    ben.heading("Join a team")
    inspect(ben)
    ben.press("Join the team")
    ben.heading(RED)
    ben.page.locator(".live[data-status=live]").wait_for()
    ann.page.reload()
    ann.heading(f"People of {RED}")
    assert ann.page.get_by_label("Role of Ben").input_value() == "editor"
    ann.page.get_by_text("No open invitations.").wait_for()

    # A task that Ann adds comes to Ben; his move comes to her. Both ways to move work.
    ann.follow("Board")
    ann.fill(title=f"Buy tea {XSS}")
    ann.press("Add")
    card(ben, "Open", f"Buy tea {XSS}").wait_for()
    ben.page.get_by_role("button", name="Mark done").click()
    card(ann, "Done", f"Buy tea {XSS}").wait_for()
    assert card(ann, "Open", "Buy tea").count() == 0
    # The focus stays with the task that was moved.
    card(ben, "Done", "Buy tea").wait_for()
    assert ben.page.evaluate("document.activeElement.textContent").startswith("Reopen")
    card(ann, "Done", "Buy tea").drag_to(column(ann, "Open"))
    card(ben, "Open", "Buy tea").wait_for()
    ann.fill(title=LONG)
    ann.page.keyboard.press("Enter")
    card(ben, "Open", LONG).wait_for()
    ben.page.get_by_text(f"Ann created “{LONG}”").wait_for()
    inspect(ben)

    # Files: uploaded by one, opened by the other.
    for one in (ann, ben):
        one.page.get_by_role("link", name="Buy tea").click()
        one.page.get_by_role("heading", level=1, name="Buy tea").wait_for()
    data = b"green\n" * 1000
    # The bytes are held back until the progress was seen.
    held = []
    ann.page.route(
        "**/api/v1/**", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_()
    )
    file = {"name": "täs & more.txt", "mimeType": "text/plain", "buffer": data}
    ann.page.get_by_label("Add files").set_input_files(file)
    ann.page.get_by_role("progressbar", name="Upload of täs & more.txt").wait_for()
    for _ in range(100):
        if not held:
            ann.page.wait_for_timeout(50)
    inspect(ann)
    held[0].continue_()
    ann.page.unroute("**/api/v1/**")
    ann.page.get_by_role("button", name="Open täs & more.txt").wait_for()
    assert ann.page.get_by_text("6 kB").is_visible()
    ben.page.reload()
    with ben.page.expect_popup() as opened:
        ben.page.get_by_role("button", name="Open täs & more.txt").click()
    opened.value.wait_for_load_state()
    assert "sig" in opened.value.url and ben.page.request.get(opened.value.url).body() == data
    opened.value.close()

    # Comments come by themselves, and leave so.
    ben.page.get_by_label("Comment", exact=True).fill(f"Which? {XSS}")
    ben.press("Send")
    said = ann.page.get_by_role("region", name="Comments").get_by_role("listitem").filter(has_text=f"Which? {XSS}")
    said.wait_for()
    assert "Ben" in said.inner_text()
    inspect(ann)
    said.get_by_role("button").click()
    ben.page.get_by_text("No comments yet.").wait_for()

    # The file is removed, with a question first.
    ann.page.once("dialog", lambda dialog: dialog.accept())
    ann.page.get_by_role("button", name="Delete täs & more.txt").click()
    ann.page.get_by_text("No files yet.").wait_for()
    assert ann.page.locator("main img").count() == 0

    # Signing out ends what is shown, in all tabs.
    tab = ann.context.new_page()
    tab.goto(app.url)
    tab.get_by_role("heading", name="Your teams").wait_for()
    ann.press("Sign out")
    ann.heading("Sign in")
    tab.get_by_role("heading", name="Sign in").wait_for()


def member_of(app, project, visitor, role: str):
    """A person in the browser who is a member of a new team, and its owner, who is not in a browser."""
    owner, team = EndUser(project), unique("Team")
    run = f"/api/v1/run/{project.slug}"
    headers = {"authorization": f"Bearer {owner.token}"}
    made = ok(project.server.http.post(f"{run}/teams", json={"name": team}, headers=headers), 201)["id"]
    invited = project.server.http.post(f"{run}/teams/{made}/invitations", json={"role": role}, headers=headers)
    sign_up(visitor, app, unique("Cleo"))
    accept(visitor, ok(invited, 201)["link"], team)
    return owner, made


def test_a_change_of_someone_else_is_not_overwritten(ann, app, project):
    owner, team = member_of(app, project, ann, "editor")
    task = owner.create("tasks", {"teamId": team, "title": "Tea"})["id"]
    ann.tolerated.append(REFUSED)  # 412
    ann.page.get_by_role("link", name="Tea", exact=True).click()
    ann.heading("Tea")
    ok(owner.patch(f"/tasks/{task}", {"title": "Green tea"}), 204)
    ann.page.get_by_label("Title").fill("Black tea")
    ann.press("Save")
    ann.alert("It is now “Green tea”, open, assigned to nobody.")
    inspect(ann)
    assert owner.get(f"/tasks/{task}").json()["document"]["title"] == "Green tea"
    ann.press("Use their version")
    ann.heading("Green tea")
    assert ann.page.get_by_label("Title").input_value() == "Green tea"
    # Once more, and this time the own version counts.
    ok(owner.patch(f"/tasks/{task}", {"title": "Herbal tea"}), 204)
    ann.page.get_by_label("Title").fill("Black tea")
    ann.page.get_by_label("State").select_option("done")
    ann.press("Save")
    ann.alert("It is now “Herbal tea”")
    ann.press("Save mine")
    ann.heading("Black tea")
    found = owner.get(f"/tasks/{task}").json()["document"]
    assert (found["title"], found["state"]) == ("Black tea", "done")
    # Without a conflict it just saves.
    ann.page.get_by_label("Assigned to").select_option(index=1)
    ann.press("Save")
    wait_until(lambda: "assignee" in owner.get(f"/tasks/{task}").json()["document"])
    ann.page.get_by_label("Assigned to").select_option("")
    ann.press("Save")
    wait_until(lambda: "assignee" not in owner.get(f"/tasks/{task}").json()["document"])
    ann.page.once("dialog", lambda dialog: dialog.accept())
    ann.press("Delete task")
    ann.page.get_by_text("Nothing is done yet.").wait_for()


def test_a_refused_move_is_taken_back(ann, app, project):
    owner, team = member_of(app, project, ann, "editor")
    ann.tolerated.append(REFUSED)  # 404
    owner.create("tasks", {"teamId": team, "title": "Tea"})
    move = card(ann, "Open", "Tea").get_by_role("button")
    move.wait_for()
    (membership,) = owner.list("memberships", {"teamId": team, "role": "editor"})
    ok(owner.patch(f"/memberships/{membership['id']}", {"role": "viewer"}), 204)
    move.click()
    ann.page.locator("#error").filter(has_text=re.compile(r"\w")).wait_for()
    card(ann, "Open", "Tea").wait_for()
    assert card(ann, "Done", "Tea").count() == 0
    inspect(ann)


def test_a_viewer(ann, app, project):
    owner, team = member_of(app, project, ann, "viewer")
    owner.create("tasks", {"teamId": team, "title": "Tea"})
    card(ann, "Open", "Tea").wait_for()
    assert ann.page.locator("main").get_by_role("button").count() == 0
    inspect(ann)
    ann.page.get_by_role("link", name="Tea", exact=True).click()
    ann.heading("Tea")
    assert ann.page.get_by_label("Add files").count() == 0 and ann.page.get_by_label("Title").count() == 0
    inspect(ann)
    ann.follow("People")
    ann.page.get_by_role("button", name="Leave the team").wait_for()
    assert ann.page.get_by_role("heading", name="Invitations").count() == 0
    inspect(ann)
    # Removed by the owner while the board is shown: nothing of the team is left on it.
    ann.follow("Board")
    card(ann, "Open", "Tea").wait_for()
    (membership,) = owner.list("memberships", {"teamId": team, "role": "viewer"})
    ok(owner.delete(f"/memberships/{membership['id']}"), 204)
    card(ann, "Open", "Tea").wait_for(state="detached")
    ann.tolerated.append(REFUSED)  # 404
    ann.page.reload()
    ann.heading("Not found")
    inspect(ann)


def test_owners_change_roles_and_withdraw_links(ann, ben, app):
    sign_up(ann, app, "Ann")
    create_team(ann, "Green")
    accept_by = invite(ann, "viewer")
    sign_up(ben, app, "Ben")
    accept(ben, accept_by, "Green")
    link = invite(ann, "viewer")
    ann.press("Withdraw")
    ann.page.get_by_text("No open invitations.").wait_for()
    ben.tolerated.append(REFUSED)  # 404
    ben.open(link)
    ben.press("Join the team")
    ben.alert("this link does not work (any more)")
    ann.page.reload()
    ann.page.get_by_label("Role of Ben").select_option("editor")
    ann.page.get_by_role("status").filter(has_text="Ben is editor now.").wait_for()
    # The last owner stays one, and the page says why.
    ann.tolerated.append(REFUSED)  # 400
    ann.page.get_by_label("Role of Ann").select_option("viewer")
    ann.alert("a team needs an owner")
    assert ann.page.get_by_label("Role of Ann").input_value() == "owner"
    ann.page.once("dialog", lambda dialog: dialog.accept())
    ann.press("Remove Ben")
    ann.page.get_by_label("Role of Ben").wait_for(state="detached")


def test_the_second_factor(ann, app, project):
    user = EndUser(project)
    secret = ok(user.post("/auth/mfa/totp/enroll"))["secret"]
    codes = pyotp.TOTP(secret)
    # With the code of the step before, so that the present one is unused.
    ok(user.post("/auth/mfa/totp/activate", {"code": codes.at(time.time() - 30)}))
    ann.tolerated.append(REFUSED)
    ann.open(app.url)
    ann.fill(email=user.email, password="a wrong one")
    ann.press("Sign in")
    ann.page.locator("form [role=alert]").filter(has_text=re.compile(r"\w")).wait_for()
    inspect(ann)
    sign_in(ann, app, user.email)
    ann.heading("Second factor")
    inspect(ann)
    ann.fill(code=codes.now())
    ann.press("Continue")
    ann.heading("Your teams")
    # The session is still there after a reload.
    ann.page.reload()
    ann.heading("Your teams")
