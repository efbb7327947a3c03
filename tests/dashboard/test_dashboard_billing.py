"""The plan of a person and its payment, who pays for a project, and the screens of operators."""

import csv
import io
import json

import pytest
from playwright.sync_api import expect

from support.billing import OPERATOR
from support.client import PASSWORD, PlatformUser, ok, unique
from support.dashboard import verify
from support.payment_provider import billing, deliver, subscribe
from support.waiting import wait_until

HOSTILE = "<img src=x onerror=alert(1)>\u202egnihsilbup"
COSTS = "/control/admin/costs"


@pytest.fixture(scope="module")
def server_settings(mails, payments):
    return {**mails.settings, **payments.settings(SERVICE_OPERATORS=OPERATOR), "SERVICE_AUTH_RATE_LIMIT": "1000/60"}


@pytest.fixture(scope="module")
def owner(server) -> PlatformUser:
    """The operator."""
    return PlatformUser(server, OPERATOR)


@pytest.fixture
def operator(owner, opened, server):
    """The operator's browser at a screen."""
    person = opened(server)

    def at(path: str):
        person.sign_in(owner, path)
        return person

    return at


def at_provider(person, payments) -> None:
    """The payment provider's pages are empty ones here."""
    person.elsewhere.append(payments.url + "/pay/")
    page = "<!doctype html><link rel=icon href=data:,><title>Payment</title><h1>Payment</h1>"
    person.context.route(f"{payments.url}/pay/**", lambda route: route.fulfill(content_type="text/html", body=page))


def confirm(person, title: str, action: str, *texts: str) -> None:
    """Confirms a question that shows these texts, before and after."""
    question = person.page.get_by_role("dialog", name=title, exact=True)
    for text in texts:
        expect(question.get_by_role("table")).to_contain_text(text)
    question.get_by_role("button", name=action, exact=True).click()


def test_a_plan_and_its_payment(person, developer, payments):
    person.expect_refusals(502)
    page = person.page
    project = developer.create_project(HOSTILE)
    ok(developer.post(f"/control/projects/{project.id}/environments", {"environment": "staging"}), 201)
    at_provider(person, payments)
    person.sign_in(developer)
    person.heading("Projects")
    # By keyboard, from the menu to the page of the provider.
    person.tab_to(f"Account of {developer.email}")
    person.key("Enter")
    page.get_by_role("menuitem", name="Plan and billing").wait_for()
    expect(page.get_by_role("menuitem", name="Operate this server")).to_have_count(0)
    person.has_focus("Your account")
    person.key("ArrowDown")
    person.has_focus("Your connections")
    person.key("ArrowDown")
    person.has_focus("Plan and billing")
    person.key("Enter")
    person.heading("Plan and billing")
    main = page.get_by_role("main")
    expect(main).to_contain_text("You have no subscription.")
    expect(main.get_by_text("1 of 3")).to_be_visible()
    used = main.get_by_role("listitem", name=HOSTILE, exact=True)
    expect(used.get_by_role("progressbar", name="Files")).to_be_visible()
    expect(used).to_contain_text("0 of 100,000")
    expect(used.get_by_text("1 of 2")).to_be_visible()
    expect(main.get_by_role("listitem").filter(has_text="staging").get_by_text("Environments")).to_have_count(0)
    expect(main.get_by_role("row").filter(has_text="Free")).to_contain_text("your plan")
    expect(main.get_by_role("row").filter(has_text="Scale")).to_contain_text("1 TiB")
    person.look()
    person.tab_to("Choose Pro", most=80)
    person.key("Enter")
    page.wait_for_url(f"{payments.url}/pay/**")
    assert payments.at("/v1/checkout/sessions")[-1]["form"]["metadata[plan]"] == "pro"

    page.goto(payments.at("/v1/checkout/sessions")[-1]["form"]["cancel_url"])
    person.heading("Plan and billing")
    person.alert("left without a payment")
    # The report of the provider may come after the person.
    page.goto(payments.at("/v1/checkout/sessions")[-1]["form"]["success_url"])
    expect(page.get_by_text("The payment is complete. The plan is in force as soon as")).to_be_visible()
    subscription = subscribe(payments, developer, "pro")
    expect(page.get_by_text("The payment is complete, and the plan is in force.")).to_be_visible()
    expect(main).to_contain_text("Pro, active")
    expect(main).to_contain_text("Paid until")
    expect(main.get_by_role("button", name="Choose Scale")).to_have_count(0)
    assert billing(developer)["source"] == "subscription"
    person.look()
    payments.fault = 500
    person.press("Manage the subscription")
    person.alert("Request")
    payments.fault = None
    person.press("Manage the subscription")
    page.wait_for_url(f"{payments.url}/pay/**")
    changed = payments.change(subscription, status="past_due", cancel_at_period_end=True)
    ok(deliver(developer, payments.subscription_event(changed)), 200)
    page.goto(payments.at("/v1/billing_portal/sessions")[-1]["form"]["return_url"])
    expect(page.get_by_text("is past_due at the payment provider and does not count")).to_be_visible()
    expect(main).to_contain_text("Ends on")
    expect(main.get_by_role("button", name="Choose Scale")).to_be_visible()

    person.go("/account")
    switch = page.get_by_role("switch", name="Send mails about limits")
    expect(switch).to_be_checked()
    person.look()
    switch.click()
    expect(switch).not_to_be_checked()
    assert ok(developer.get("/control/me"))["notifyLimits"] is False


def test_who_pays_for_a_project(person, opened, server, developer, mails, viewer_at):
    verify(mails, other := PlatformUser(server, name=HOSTILE))
    project = developer.create_project("Moved")
    page = person.page
    person.sign_in(developer, f"/p/{project.slug}/settings")
    panel = page.get_by_role("region", name="Who pays", exact=True)
    expect(panel).to_contain_text("You pay for this project")
    expect(panel).to_contain_text("make that person an Owner first")
    expect(panel.get_by_role("button", name="Offer to another Owner")).to_have_count(0)
    project.member("Owner", other)
    page.reload()
    dialog = page.get_by_role("dialog", name="Offer to another Owner")

    def offer() -> None:
        person.press("Offer to another Owner")
        dialog.get_by_role("button", name="Offer", exact=True).click()
        expect(panel).to_contain_text(f"({other.email}), open until")

    person.press("Offer to another Owner")
    expect(dialog.get_by_role("table")).to_contain_text("once accepted")
    person.look()
    person.key("Escape")
    offer()
    person.press("Withdraw the offer")
    confirm(person, "Withdraw the offer?", "Withdraw the offer", other.email, "none")
    expect(panel.get_by_role("button", name="Withdraw the offer")).to_have_count(0)
    offer()

    accepting = opened(server)
    accepting.sign_in(other, f"/p/{project.slug}/settings")
    expect(accepting.page.get_by_text("This project is offered to you.")).to_be_visible()
    accepting.look()
    accepting.press("Accept")
    confirm(accepting, "Accept this project?", "Accept", "another Owner", "you")
    expect(accepting.page.get_by_text("You pay for this project and")).to_be_visible()
    assert [one["id"] for one in billing(other)["projects"]] == [project.id]
    # Any Owner may take it back.
    page.reload()
    expect(panel).to_contain_text("Another person pays")
    person.press("Pay for it yourself")
    confirm(person, "Pay for this project?", "Pay for it yourself", "another Owner", "you")
    expect(panel).to_contain_text("You pay for this project")
    assert billing(other)["projects"] == []

    viewer = viewer_at(project, "/settings")
    viewer.heading("Settings")
    expect(viewer.page.get_by_role("region", name="Who pays")).to_have_count(0)
    for path in ("/operator/users", "/operator/costs"):
        viewer.go(path)
        viewer.heading("There is nothing at this address")


def test_operators_change_plans_of_users(operator, owner):
    user = PlatformUser(owner.server, name=HOSTILE)
    person = operator("/operator")
    person.expect_refusals(400)
    page = person.page
    person.heading("Users")
    assert person.path() == "/operator/users"
    rows = page.get_by_role("row")
    expect(rows.filter(has_text=owner.email)).to_contain_text("super-admin")
    person.look()
    # By keyboard: found, opened, granted, with before and after.
    person.tab_to("A part of the address, name or id", most=60)
    person.type(user.email.upper())
    expect(rows).to_have_count(2)
    person.tab_to(user.email)
    person.key("Enter")
    panel = page.get_by_role("complementary", name=user.email)
    expect(panel).to_contain_text(HOSTILE.split("\u202e")[0])
    expect(panel).to_contain_text("as far as it goes, none is pinned")
    person.look()
    person.tab_to("Plan", most=60)
    person.type("Scale")
    person.tab_to("Grant the plan")
    person.key("Enter")
    question = page.get_by_role("dialog", name=f"Grant a plan to {user.email}?")
    expect(question.get_by_role("table")).to_contain_text("$0.00")
    expect(question.get_by_role("table")).to_contain_text("$199.00")
    person.look()
    person.key("Escape")
    expect(question).to_have_count(0)
    assert billing(user)["plan"]["slug"] == "free"
    person.has_focus("Grant the plan")
    person.key("Enter")
    confirm(person, f"Grant a plan to {user.email}?", "Grant the plan", "Free", "Scale")
    expect(page.get_by_text(f"{user.email} has the plan Scale.")).to_be_visible()
    assert (billing(user)["plan"]["slug"], billing(user)["source"]) == ("scale", "grant")

    # Limits: bad input stays at its field, leaving asks, what is pinned comes from the audit record.
    person.fill(vectors="many", maxProjects="9007199254740992")
    person.press("Pin the limits")
    assert "whole number" in person.error_of("vectors")
    person.fill(vectors="Unlimited")
    person.press("Pin the limits")
    assert "too large" in person.error_of("maxProjects")
    person.key("Escape")
    page.get_by_role("dialog", name="Leave this screen?").wait_for()
    person.key("Escape")
    expect(person.dialogs()).to_have_count(0)
    person.fill(maxProjects="9,007,199,254,740,991", storageBytes="1.5 KiB")
    person.press("Pin the limits")
    confirm(person, f"Change the limits of {user.email}?", "Pin the limits", "1 TiB (of the plan)", "1536 bytes", "unlimited")
    expect(panel).to_contain_text(f"They were last pinned by {owner.email}")
    limits = billing(user)["limits"]
    assert (limits["maxProjects"], limits["storageBytes"], limits["vectors"]) == (2**53 - 1, 1536, None)
    expect(panel.locator("input[name=maxProjects]")).to_have_value("9,007,199,254,740,991")
    person.press("Clear all")
    confirm(person, f"Clear the limits of {user.email}?", "Clear all", "1536 bytes", "1 TiB (of the plan)")
    expect(panel).to_contain_text(f"They were last cleared by {owner.email}")
    assert billing(user)["limits"]["storageBytes"] == 1 << 40

    # The plans themselves.
    page.get_by_role("complementary").get_by_role("button", name="Close").click()
    person.follow("Plans")
    person.heading("Plans")
    person.look()
    person.press("Change Pro")
    assert person.path() == "/operator/plans?plan=pro"
    dialog = page.get_by_role("dialog", name="Change the plan Pro", exact=True)
    person.fill(name="x" * 101, priceUsdMonthly="a lot")
    person.press("Review the change")
    assert "a number from 0" in person.error_of("priceUsdMonthly")
    person.look()
    person.fill(priceUsdMonthly="29.99", vectors="2,000,000")
    person.press("Review the change")
    confirm(person, "Change the plan Pro for all who have it?", "Save plan", "$25.00", "$29.99", "1,000,000", "2,000,000")
    assert "1 to 100 characters" in person.error_of("name")
    person.fill(name=HOSTILE)
    dialog.get_by_label("Leave out those who hold the plan").check()
    person.press("Review the change")
    confirm(person, "Change the plan Pro for all who have it?", "Save plan", HOSTILE, "yes")
    expect(dialog).to_have_count(0)
    expect(rows.filter(has_text="$29.99")).to_contain_text(HOSTILE)
    plan = next(one for one in ok(owner.get("/control/admin/plans"))["plans"] if one["slug"] == "pro")
    assert (plan["name"], plan["priceUsdMonthly"], plan["limits"]["vectors"], plan["grandfather"]) == (HOSTILE, 29.99, 2_000_000, True)
    person.look()

    # What a use costs.
    person.follow("Cost model")
    person.heading("Cost model")
    person.look()
    person.fill(currency="usd", storageGiBMonth="0.03")
    person.press("Review the change")
    confirm(person, "Change the cost model?", "Save the cost model", "0.025", "0.03", "usd")
    assert "three capital letters" in person.error_of("currency")
    person.fill(currency="USD", thousandConnectionHours="2000000000")
    person.press("Review the change")
    confirm(person, "Change the cost model?", "Save the cost model", "2000000000")
    assert "from 0 to" in person.error_of("thousandConnectionHours")
    person.fill(thousandConnectionHours="0.05")
    person.press("Review the change")
    confirm(person, "Change the cost model?", "Save the cost model", "0.03")
    expect(page.get_by_text("The cost model is saved.")).to_be_visible()
    person.fill(gib="10", runs="2,500,000", vectors="400000", connections="20")
    person.press("Calculate")
    # 0.3 + 1 + 1 + 0.73, and a fifth.
    calculator = page.get_by_role("region", name="Calculator")
    expect(calculator.get_by_role("status")).to_contain_text("$3.03")
    expect(calculator.get_by_role("status")).to_contain_text("$3.636")
    expect(rows.filter(has_text="Free")).to_contain_text("over its limits")
    expect(rows.filter(has_text="Scale")).to_contain_text("$195.97")
    assert "gib=10" in person.path()
    person.fill(gib="-1")
    person.press("Calculate")
    assert "from 0 on" in person.error_of("gib")
    person.look()


def test_costs_jobs_operators_and_the_audit_record(operator, owner, server, developer, mails):
    project = developer.create_project("=1+1" + HOSTILE)
    # What projects use is read at each start.
    server.stop()
    server.start()
    mails.to(developer.email)
    mails.reply = "550 " + HOSTILE.split("\u202e")[0]
    for _ in range(2):
        ok(project.public().post("/auth/register", {"email": f"{unique()}@example.com", "password": PASSWORD}), 201)
    wait_until(lambda: len(ok(owner.get("/control/jobs/dead"))["jobs"]) == 2)
    mails.reply = None
    person = operator("/operator/costs")
    person.expect_refusals(400, 409)
    page = person.page
    rows = page.get_by_role("row")
    person.heading("Costs")
    wait_until(lambda: page.reload() and rows.filter(has_text="=1+1").count() == 1, what="no costs of the project")
    person.look()
    with page.expect_download() as download:
        person.press("Download as CSV")
    assert download.value.suggested_filename.startswith("costs-20")
    lines = list(csv.DictReader(io.StringIO(download.value.path().read_text(), newline="")))
    assert [line["name"] for line in lines if line["id"] == project.id] == ["'=1+1" + HOSTILE]
    person.fill(**{"from": "2026-01-01", "to": "2020-01-01"})
    person.press("Show")
    person.alert("Request")
    assert person.path().startswith("/operator/costs?from=2026-01-01")
    person.fill(**{"from": "2020-01-01"})
    person.press("Show")
    person.heading("No readings in these days")

    person.follow("Jobs")
    person.heading("Jobs")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text=project.id)).to_have_count(2)
    person.look()
    page.get_by_role("button", name="Retry mail").first.click()
    confirm(person, "Retry this job?", "Retry", "dead-lettered", "queued")
    expect(rows).to_have_count(2)
    page.get_by_role("button", name="Delete mail").click()
    person.look()
    confirm(person, "Delete this job?", "Delete", "dead-lettered", "deleted")
    person.heading("No dead-lettered job")

    person.follow("Operators")
    person.heading("Operators")
    expect(rows.filter(has_text=OPERATOR)).to_contain_text("you")
    person.press("Add an operator")
    assert person.path() == "/operator/operators?new=true"
    person.fill(email="no address")
    person.press("Review")
    confirm(person, "Give no address all rights on this server?", "Add the operator", "usual user")
    assert person.error_of("email")
    person.look()
    person.fill(email="new@example.com")
    person.press("Review")
    confirm(person, "Give new@example.com all rights on this server?", "Add the operator", "usual user")
    expect(rows.filter(has_text="new@example.com")).to_contain_text("invited")
    person.look()
    person.press("Revoke the invitation of new@example.com")
    confirm(person, "Revoke the invitation of new@example.com?", "Revoke", "open", "none")
    expect(rows.filter(has_text="new@example.com")).to_have_count(0)

    page.get_by_role("main").get_by_role("link", name="Audit").click()
    person.heading("Audit")
    expect(rows.filter(has_text="operator.inviteCancelled")).to_be_visible()
    person.look()
    page.get_by_label("Action").fill("job.*")
    person.key("Enter")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="job.retry").click()
    expect(page.get_by_role("complementary", name="job.retry")).to_contain_text(owner.email)
    # All pages of users are read where one is searched.
    users = [{**owner.user, "id": f"user_{n}", "email": f"u{n}@example.com", "platformRole": "user"} for n in range(200)]
    page.route("**/control/admin/users?limit=200&skip=0", lambda route: route.fulfill(body=json.dumps({"users": users})))
    page.route("**/control/admin/users?limit=200&skip=200", lambda route: route.continue_(url=f"{server.url}/api/v1/control/admin/users"))
    person.go("/operator/users")
    expect(page.get_by_role("search").get_by_role("status")).to_have_text("200 users so far")
    person.press("Load more")
    expect(page.get_by_role("button", name="Load more")).to_have_count(0)
    person.go(f"/operator/users?find={developer.email}")
    expect(rows.filter(has_text=developer.email)).to_be_visible()
    person.go(f"/operator/users/{developer.id}")
    expect(page.get_by_role("complementary", name=developer.email)).to_be_visible()
    page.get_by_label("A part of the address").fill("none has this")
    person.heading("No user fits")


def test_without_billing(make_server, opened):
    server = make_server({"SERVICE_OPERATORS": OPERATOR, "SERVICE_AUTH_RATE_LIMIT": "1000/60"}).start()
    person = opened(server)
    person.expect_refusals(404)
    person.sign_in(user := PlatformUser(server, OPERATOR), "/operator/users")
    person.heading("Users")
    page = person.page
    areas = page.get_by_role("navigation", name="Operate this server").get_by_role("link")
    expect(areas).to_have_text(["Users", "Operators", "Jobs", "Audit"])
    page.get_by_role("link", name=user.email).click()
    panel = page.get_by_role("complementary", name=user.email)
    expect(panel).to_contain_text("Second factor")
    expect(panel.get_by_role("button", name="Grant the plan")).to_have_count(0)
    page.get_by_role("banner").get_by_role("button", name="Account of").click()
    expect(page.get_by_role("menuitem", name="Operate this server")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Plan and billing")).to_have_count(0)
    for path in ("/account/billing", "/operator/plans", "/operator/cost-model", "/operator/costs"):
        person.go(path)
        person.heading("There is nothing at this address")
    person.go("/account")
    person.heading("Your account")
    expect(page.get_by_role("switch")).to_have_count(0)
