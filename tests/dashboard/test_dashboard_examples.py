"""New projects that begin with an example."""

import re
from pathlib import Path

from playwright.sync_api import expect

from support.client import Project, ok

ROOT = Path(__file__).resolve().parents[2]


def projects_of(developer) -> dict[str, Project]:
    return {one["name"]: Project(developer, one) for one in ok(developer.get("/control/projects"))["projects"]}


def test_a_project_with_an_example(person, developer):
    page = person.page
    person.expect_refusals(400)
    person.sign_in(developer)
    person.press("Create your first project")
    dialog = page.get_by_role("dialog", name="New project")
    dialog.get_by_label("With the example Orders").check()
    dialog.get_by_label("STOCK_URL").wait_for()
    person.look()

    # A value that the example cannot use: the project is not created twice, and what was typed stays.
    person.fill(name="Shop")
    dialog.get_by_label("STOCK_URL").fill("not an address")
    dialog.get_by_label("STOCK_TOKEN").fill("s3cret")
    person.press("Create project")
    expect(dialog).to_contain_text("The project Shop is created; the example is not in it yet.")
    person.alert("baseUrl")
    person.look()
    dialog.get_by_label("STOCK_URL").fill("https://stock.example.com")
    person.press("Add the example")
    person.heading("Shop")
    made = page.get_by_role("region", name="From the example Orders")
    for name in ("orders", "check-order", "confirm-order", "order-status"):
        expect(made.get_by_role("link", name=name, exact=True)).to_be_visible()
    unset = made.get_by_role("link", name="MAIL_FROM, MAIL_HOST, MAIL_PORT", exact=True)
    expect(unset).to_have_attribute("href", re.compile("/variables$"))
    person.look()
    shop = projects_of(developer)["Shop"]
    assert ok(shop.admin.get("/admin/collections"))["collections"] == ["orders"]
    variables = {one["name"]: one for one in ok(shop.admin.get("/admin/variables"))["variables"]}
    assert variables["STOCK_URL"]["value"] == "https://stock.example.com" and not variables["MAIL_HOST"]["configured"]
    assert variables["STOCK_TOKEN"] == {"name": "STOCK_TOKEN", "secret": True, "configured": True}
    code = ok(shop.admin.get("/admin/functions/confirm-order"))["function"]["code"]
    assert code.strip() == (ROOT / "examples/orders/manybase/functions/confirm-order.ts").read_text().strip()

    # It says what there is now, and can be put away.
    ok(shop.admin.delete("/admin/functions/order-status"), 204)
    page.reload()
    expect(made.get_by_role("link", name="check-order")).to_be_visible()
    expect(made.get_by_role("link", name="order-status")).to_have_count(0)
    made.get_by_role("link", name="Close").click()
    expect(made).to_have_count(0)
    assert person.path() == f"/p/{shop.slug}"

    for choice, link, path in (("Blog", "posts", "/data/posts"), ("Teams", "attachments", "/files/attachments")):
        person.go("/?new=true")
        person.fill(name=f"My {choice}")
        page.get_by_label(f"With the example {choice}").check()
        person.press("Create project")
        person.heading(f"My {choice}")
        page.get_by_role("region", name=f"From the example {choice}").get_by_role("link", name=link, exact=True).click()
        page.wait_for_url(re.compile(re.escape(path)))
    assert len(projects_of(developer)) == 3


def test_an_empty_project_by_keyboard(person, developer):
    person.sign_in(developer, "/?new=true")
    person.has_focus("Name")
    person.type("By hand")
    person.key("Escape")
    person.page.get_by_role("alertdialog").get_by_role("button", name="Go back to it").wait_for()
    person.key("Enter")
    person.tab_to("Cancel")
    person.key("Enter")
    person.has_focus("Go back to it")
    person.key("Enter")
    person.tab_to("Create project")
    person.key("Enter")
    person.heading("By hand")
    expect(person.page.get_by_text("0 of 5 done")).to_be_visible()
    assert person.page.get_by_role("region", name="From the example").count() == 0
