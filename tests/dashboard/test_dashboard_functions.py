"""Functions: their list, their code with its runs, their tests and versions."""

import json
import re

import pytest
from playwright.sync_api import expect

from support.client import ok
from support.function import Function, database_function, http_function
from support.waiting import wait_until

SAVE = "Save Ctrl S"
RUN = "Run Ctrl Enter"
LOG = "Log"


def code_of(person, name: str):
    return person.page.get_by_role("textbox", name=f"Code of {name}")


def event_of(person):
    return person.page.get_by_role("textbox", name="The event as JSON")


def run_shown(person):
    return person.page.get_by_role("region", name="The run")


def choose(person, label: str, option: str) -> None:
    person.page.get_by_label(label, exact=True).select_option(label=option)


def create(person, template: str, name: str, **fields: str) -> None:
    person.press("New function")
    choose(person, "Start from", template)
    person.fill(name=name, **fields)
    person.press("Create function")
    person.heading(name)


def test_functions_are_made_from_templates_listed_and_enabled(person, developer, project, books):
    person.expect_refusals(400)
    person.sign_in(developer, f"/p/{project.slug}/functions")
    person.heading("No function yet")
    person.look()
    person.press("New function")
    person.fill(name="Not a name", collection="no such!")
    person.press("Create function")
    assert person.error_of("name") and person.error_of("collection")
    person.look()
    person.key("Escape")
    person.press("Discard")
    templates = [
        ("When a document is created", "on-insert", {"collection": books}, "created 1"),
        ("A request: POST", "hook", {"path": "/hook"}, "received"),
        ("At certain times", "hourly", {}, "scheduled at"),
    ]
    # Made without the browser, so that the filters have more to hide.
    http_function(project, "return 1;", "/hello", name="hello")
    person.page.reload()
    person.heading("Functions")
    for template, name, fields, line in templates:
        create(person, template, name, **fields)
        person.page.get_by_role("button", name="Ctrl Enter").first.click()
        expect(run_shown(person)).to_contain_text("success")
        expect(run_shown(person)).to_contain_text(line)
        person.follow("Functions")
        person.heading("Functions")
    rows = person.page.get_by_role("row")
    expect(rows).to_have_count(2 + len(templates))
    expect(rows.filter(has_text="on-insert")).to_contain_text("after each insert in books")
    expect(rows.filter(has_text="hourly")).to_contain_text("every hour (UTC)")
    expect(rows.filter(has_text="hook")).to_contain_text(re.compile(r"1\s*0"))
    person.look()
    choose(person, "Trigger", "Requests")
    expect(rows).to_have_count(3)
    assert person.path().endswith("/functions?trigger=http")
    person.page.get_by_label("Filter functions").fill("POST")
    expect(rows).to_have_count(2)
    person.page.reload()
    expect(rows).to_have_count(2)
    person.page.get_by_role("switch", name="Enabled: hook").click()
    wait_until(lambda: ok(project.admin.get("/admin/functions/hook"))["function"]["enabled"] is False, 10)
    person.page.get_by_label("Filter functions").fill("no such")
    person.heading("No function matches.")
    person.press("Clear the filter")
    expect(rows).to_have_count(2 + len(templates))


@pytest.mark.long(run="journeys")
def test_by_keyboard_alone_from_a_mistake_to_a_run(person, developer, project, books):
    person.expect_refusals(400)
    ok(project.admin.post(f"/admin/collections/{books}/documents", {"id": "b1", "title": "Fjords", "stock": 2**53 + 1}), 201)
    function = database_function(project, books, "return 1;", events=("insert", "update"))
    person.sign_in(developer, f"/p/{project.slug}/functions/{function.name}")
    person.heading(function.name)
    code_of(person, function.name).wait_for()
    person.tab_to(f"Code of {function.name}", 60)
    person.retype("export default (event) => {\n  return `a${ 1 + `b`;\n}\n")
    person.key("Control+s")
    person.alert("line 2, column 23: Unterminated template")
    person.page.get_by_role("button", name="Line 2").wait_for()
    person.look()
    person.tab_to(f"Code of {function.name}", 60)
    person.retype(
        "export default async (event, ctx) => {\n"
        "  const { document } = event.payload ?? event;\n"
        "  console.warn('stock', document.stock);\n"
        f"  await ctx.db.count('{books}', {{}});\n"
        "  return { title: document.title, stock: document.stock };\n};\n",
    )
    person.tab_to("Start from")
    person.type("The document b1")
    expect(event_of(person)).to_contain_text("9007199254740993")
    person.key("Control+Enter")
    expect(run_shown(person)).to_contain_text("success")
    expect(run_shown(person)).to_contain_text("stock 9007199254740993")
    expect(person.page.get_by_text("version 2", exact=True)).to_be_visible()
    assert "run=run_" in person.path()
    person.tab_to("Log1", 60)
    person.key("ArrowRight")
    person.key("Enter")
    expect(person.page.get_by_role("region", name="Result of the run")).to_contain_text('"title": "Fjords"')
    person.key("ArrowRight")
    person.key("Enter")
    expect(run_shown(person).get_by_role("row").filter(has_text="count")).to_contain_text(books)
    person.look()
    assert function.runs()[0]["result"] == {"title": "Fjords", "stock": 2**53 + 1}


def test_the_log_follows_and_a_run_is_repeated(person, developer, project, books):
    hostile = "\\u001b[31m<img src=x onerror=alert(1)> \\u202e" + "x" * 3000
    function = database_function(project, books, f"console.error('{hostile}'); throw new Error('</script> no stock');", events=("insert",))
    person.sign_in(developer, f"/p/{project.slug}/functions/{function.name}")
    person.page.get_by_text("Has not run yet.").wait_for()
    person.look()
    ok(project.admin.post(f"/admin/collections/{books}/documents", {"id": "b1"}), 201)
    expect(run_shown(person)).to_contain_text("</script> no stock")
    expect(run_shown(person)).to_contain_text("␛[31m<img src=x onerror=alert(1)>")
    assert "x" * 2500 not in run_shown(person).inner_text()
    run_shown(person).get_by_role("button", name=re.compile("^Show all of it")).click()
    assert "x" * 3000 in run_shown(person).inner_text()
    person.look()
    assert person.page.evaluate("document.querySelectorAll('main img, main script').length") == 0
    function.patch(code="export default (event) => event.documentId;")
    person.press("Run again")
    expect(run_shown(person)).to_contain_text("attempt 2")
    person.press("the attempt before")
    expect(run_shown(person)).to_contain_text("no stock")
    person.page.get_by_label("Start from").select_option(index=2)
    expect(person.page.get_by_text("The server has kept the event of this run.")).to_be_visible()
    person.press(RUN)
    expect(run_shown(person)).to_contain_text("success")
    assert function.runs()[0]["result"] == "b1" and function.runs()[0]["retryOf"]
    person.go(f"/p/{project.slug}/functions/{function.name}?run=run_0")
    person.page.get_by_text("This run is not in the log.").wait_for()


def test_tests_versions_and_settings(person, developer, project, books):
    person.expect_refusals(400)
    function = Function(project, "return event.document.title.trim();", {"type": "database", "collection": books, "events": ["insert"]})
    person.sign_in(developer, f"/p/{project.slug}/functions/{function.name}")
    page = person.page
    event = {"type": "database", "event": "insert", "collection": books, "documentId": "1", "document": {"id": "1", "title": " Fjords "}}
    event_of(person).wait_for()
    person.write(event_of(person), "[1,")
    person.press("Keep as a test…")
    person.alert("This is not JSON")
    person.write(event_of(person), json.dumps(event))
    person.press("Keep as a test…")
    page.get_by_role("dialog", name="New test").get_by_role("textbox", name="The test as JSON").wait_for()
    person.look()
    person.press("Save test")
    expect(person.dialogs()).to_have_count(0)
    page.get_by_role("tab", name="Tests").click()
    person.press("New test")
    case = {"name": "<b>fails</b>", "event": event, "expect": {"status": "success", "result": "Peaks"}}
    box = page.get_by_role("dialog").get_by_role("textbox", name="The test as JSON")
    person.write(box, json.dumps({**case, "expect": {"status": "fine"}}))
    person.press("Save test")
    person.alert("/tests/1/expect/status")
    person.write(box, json.dumps(case))
    person.press("Save test")
    person.press("Run all")
    expect(page.get_by_text("1 of 2 tests failed")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Peaks")
    person.look()
    page.get_by_role("button", name="Delete <b>fails</b>").click()
    person.press("Delete test")
    person.press("Run all")
    expect(page.get_by_text("1 test passed")).to_be_visible()

    person.press("Change")
    page.get_by_label("delete", exact=True).check()
    page.get_by_label("Attempts").fill("99")
    person.press("Save")
    assert person.error_of("attempts")
    person.look()
    page.get_by_label("Attempts").fill("3")
    page.get_by_label("Time limit in milliseconds").fill("500")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("for at most 500 ms")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("after each insert or delete in books")
    expect(page.get_by_role("main")).to_contain_text("at most 3 attempts")

    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="version 1").click()
    expect(page.get_by_text("Its code is the current one.")).to_be_visible()
    function.patch(code="export default () => 'other';")
    page.reload()
    page.get_by_role("group", name="Version 1, compared with the current code").wait_for()
    expect(page.get_by_role("group", name="Version 1, compared")).to_contain_text("other")
    person.look()
    person.press("Restore version 1…")
    person.press("Restore")
    expect(page.get_by_text("version 4", exact=True).first).to_be_visible()
    assert "trim" in ok(project.admin.get(function.route))["function"]["code"]

    person.press("Delete…")
    page.get_by_label(f"Type {function.name} to confirm").fill("another")
    person.press("Delete function")
    assert person.error_of("typed")
    page.get_by_label(f"Type {function.name} to confirm").fill(function.name)
    person.press("Delete function")
    person.heading("No function yet")
    assert project.admin.get(function.route).status_code == 404


@pytest.mark.long(run="journeys")
def test_what_is_typed_is_kept(person, developer, project):
    person.expect_refusals(404)
    function = http_function(project, "return { body: ctx.request.query.name ?? 'unknown' };", "/hello/:id")
    person.sign_in(developer, f"/p/{project.slug}/functions/{function.name}")
    page = person.page
    box = code_of(person, function.name)
    box.wait_for()
    event_of(person).wait_for()
    person.write(event_of(person), '{"type": "http", "path": "/hello/7", "query": {"name": "Ann"}}')
    person.press("Send the request Ctrl Enter")
    expect(run_shown(person)).to_contain_text("a request")
    page.get_by_role("tab", name="Result").click()
    expect(page.get_by_role("region", name="Result of the run")).to_contain_text("Ann")
    person.write(event_of(person), '{"type": "http", "path": "/elsewhere"}')
    person.key("Control+Enter")
    person.alert("The endpoint responded with 404")
    mine = "export default () => 'mine';"
    person.write(box, mine)
    function.patch(code="export default () => 'theirs';")
    person.key("Control+s")
    person.alert("was saved by another person")
    person.press("Compare the two")
    expect(page.get_by_role("group", name="Yours, compared with theirs")).to_contain_text("theirs")
    person.look()
    person.key("Escape")
    person.follow("Functions")
    person.press("Go back to it")
    expect(box).to_contain_text("mine")
    page.get_by_role("tab", name="Tests").click()
    page.get_by_text("Yours has changes that are not saved.").wait_for()
    page.get_by_role("tab", name="Code", exact=True).click()
    expect(box).to_contain_text("mine")
    person.press("Save mine as the next version")
    wait_until(lambda: ok(project.admin.get(function.route))["function"]["code"] == mine, 10)
    expect(page.get_by_role("alert").filter(has_text="another person")).to_have_count(0)
    person.write(box, "export default () => 'lost';")
    person.follow("Functions")
    person.press("Discard")
    person.heading("Functions")


@pytest.mark.long(run="journeys")
def test_a_flow_is_read_until_it_is_code(person, developer, project):
    flow = {
        "nodes": [{"id": "start", "type": "trigger", "data": {}}, {"id": "say", "type": "log", "data": {"message": "hello"}}],
        "edges": [{"id": "e1", "source": "start", "target": "say"}],
    }
    body = {"name": "drawn", "trigger": {"type": "http", "method": "GET", "path": "/drawn"}, "flow": flow}
    ok(project.admin.post("/admin/functions", body), 201)
    person.sign_in(developer, f"/p/{project.slug}/functions/drawn")
    expect(code_of(person, "drawn")).to_have_attribute("aria-readonly", "true")
    assert person.page.get_by_role("button", name=SAVE).count() == 0
    person.look()
    person.press("Turn it into code…")
    person.press("Turn into code")
    person.page.get_by_role("button", name=SAVE).wait_for()
    assert ok(project.admin.get("/admin/functions/drawn"))["function"]["flow"] is None


@pytest.mark.long(run="journeys")
def test_a_viewer_is_offered_nothing_that_would_be_refused(viewer_at, project, books):
    function = database_function(project, books, "return 1;", tests=[{"name": "one", "event": {}, "expect": {"status": "success"}}])
    function.invoke()
    person = viewer_at(project, "/functions")
    main = person.page.get_by_role("main")
    expect(person.page.get_by_role("row")).to_have_count(2)
    assert main.get_by_role("switch").count() == 0 and main.get_by_role("button", name="New function").count() == 0
    person.look()
    person.follow(function.name)
    code_of(person, function.name).wait_for()
    expect(run_shown(person)).to_contain_text("success")
    expect(code_of(person, function.name)).to_have_attribute("aria-readonly", "true")
    for name in (RUN, SAVE, "Change", "Delete…", "Keep as a test…", "Run again"):
        assert main.get_by_role("button", name=name, exact=True).count() == 0, name
    person.look()
    person.page.get_by_role("tab", name="Tests").click()
    main.get_by_text("not run").wait_for()
    assert main.get_by_role("button", name="Run all").count() == 0
    person.page.get_by_role("tab", name="Versions").click()
    main.get_by_role("button", name="version 1").click()
    main.get_by_text("Its code is the current one.").wait_for()
    assert main.get_by_role("button", name="Restore").count() == 0
    person.press("Show the call")
    dialog = person.page.get_by_role("dialog", name="The calls of this page")
    dialog.get_by_role("button", name="curl").first.click()
    expect(dialog.locator("pre").first).to_contain_text(f"/api/v1/admin/functions/{function.name}")
