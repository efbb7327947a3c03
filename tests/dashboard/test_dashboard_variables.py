"""The variables of a project."""

from playwright.sync_api import expect

from support.client import ok

HOSTILE = "https://example.com/<img src=x onerror=alert(1)>\u202e{{7*7}}"


def variables(project) -> dict:
    return {one["name"]: one for one in ok(project.admin.get("/admin/variables"))["variables"]}


def test_from_creation_to_the_end(person, developer, project):
    person.expect_refusals(400, 409)
    page = person.page
    person.sign_in(developer, f"/p/{project.slug}/variables")
    person.heading("No variable yet")
    person.look()
    person.tab_to("New variable", 60)
    person.key("Enter")
    page.get_by_role("dialog", name="New variable").wait_for()
    person.has_focus("Name")
    person.key("Tab")
    person.type("https://stock.example.com")
    person.press("Save variable")
    assert person.error_of("name") == "Enter a name."
    person.has_focus("Name")
    person.type("stock url")
    person.key("Enter")
    assert person.error_of("name")
    person.key("Escape")
    expect(page.get_by_text("Discard what you have typed?")).to_be_visible()
    person.press("Go back to it")
    person.fill(name="STOCK_URL")
    person.look()
    person.press("Save variable")
    row = page.get_by_role("row").filter(has_text="STOCK_URL")
    expect(row).to_contain_text("https://stock.example.com")
    assert variables(project)["STOCK_URL"]["value"] == "https://stock.example.com"

    person.press("New variable")
    person.fill(name="STOCK_URL")
    person.press("Save variable")
    assert "change it instead" in person.error_of("name")
    person.fill(name="STOCK_TOKEN")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Value").fill("s3cret\nof two lines")
    dialog.get_by_label("Secret", exact=True).check()
    person.press("Save variable")
    secret = page.get_by_role("row").filter(has_text="STOCK_TOKEN")
    expect(secret).to_contain_text("never shown")
    assert "s3cret" not in page.content()
    assert variables(project)["STOCK_TOKEN"] == {"name": "STOCK_TOKEN", "secret": True, "configured": True}

    # A sealed value is not made plain, and one that is not typed stays.
    person.press("Change STOCK_TOKEN")
    dialog.get_by_label("Secret", exact=True).uncheck()
    person.press("Save variable")
    dialog.locator("textarea[name=value][aria-invalid=true]").wait_for()
    dialog.get_by_label("Value").fill(HOSTILE)
    person.press("Save variable")
    expect(secret).to_contain_text(HOSTILE)
    person.look()

    # An address that secrets are sent to changes only when that is said.
    stock = {"name": "stock", "provider": "http", "config": {"baseUrl": "${STOCK_URL}"}, "secrets": {"authorization": "Bearer x"}}
    ok(project.admin.post("/admin/integrations", stock), 201)
    person.press("Delete STOCK_URL")
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog.get_by_role("alert")).to_contain_text("stock")
    person.key("Escape")
    person.press("Change STOCK_URL")
    dialog.get_by_label("Value").fill("https://other.example.com")
    person.press("Save variable")
    dialog.get_by_label("Secrets may go to another address").check()
    person.look()
    person.press("Save variable")
    expect(row).to_contain_text("https://other.example.com")
    person.press("Delete STOCK_TOKEN")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("STOCK_TOKEN is deleted.")).to_be_visible()
    expect(secret).to_have_count(0)
    assert list(variables(project)) == ["STOCK_URL"]


def test_who_may_only_read(viewer_at, developer, project):
    project.role("variables:read", name="Reader")
    for n in range(9):
        ok(project.admin.put(f"/admin/variables/V{n}", {"value": HOSTILE}), 204)
    person = viewer_at(project, "/variables", role="Reader")
    rows = person.page.get_by_role("row")
    expect(rows).to_have_count(10)
    main = person.page.get_by_role("main")
    assert main.get_by_role("button").all_inner_texts() == ["Show the call"]
    person.page.get_by_label("Filter variables").fill("v3")
    expect(rows).to_have_count(2)
    assert person.path().endswith("?find=v3")
    person.look()
