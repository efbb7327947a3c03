"""Flows: functions that are drawn as graphs, on a canvas and as a list."""

import json

import pytest
from playwright.sync_api import expect

from support.client import ok
from support.waiting import wait_until

MARKUP = "<img src=x onerror=alert(1)> \u202egnp.exe"


def draw(project, name: str, nodes: list, edges: list, **more) -> str:
    """Creates a flow of nodes (id, type, data) and edges (source, target, branch); returns its route."""
    flow = {
        "nodes": [{"id": id, "type": type, "data": data} for id, type, data in nodes],
        "edges": [
            {"id": f"e{at}", "source": source, "target": target, **({"branch": branch} if branch else {})}
            for at, (source, target, branch) in enumerate(edges)
        ],
    }
    body = {"name": name, "trigger": {"type": "http", "method": "GET", "path": f"/{name}"}, "flow": flow, **more}
    ok(project.admin.post("/admin/functions", body), 201)
    return f"/admin/functions/{name}"


def read(project, route: str) -> dict:
    return ok(project.admin.get(route))["function"]


def ways(function: dict) -> set:
    return {(edge["source"], edge["target"], edge.get("branch")) for edge in function["flow"]["edges"]}


def node(person, id: str):
    return person.page.locator(f'.react-flow__node[data-id="{id}"]')


def centre(locator) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(person, start: tuple[float, float], end: tuple[float, float]) -> None:
    mouse = person.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
    mouse.move(*end, steps=4)
    mouse.up()


def tab(person, name: str) -> None:
    person.tab_to(name, 90)


@pytest.mark.long(run="journeys")
def test_a_flow_is_made_by_keyboard_alone(person, developer, project, books):
    person.expect_refusals(400)
    page = person.page
    ok(project.admin.post(f"/admin/collections/{books}/documents", {"id": "b1", "title": "Fjords"}), 201)
    person.sign_in(developer, f"/p/{project.slug}/functions")
    person.heading("No function yet")
    tab(person, "New function")
    person.key("Enter")
    page.get_by_role("dialog", name="New function").wait_for()
    tab(person, "Start from")
    person.type("A request: G")
    tab(person, "Name")
    person.type("count-books")
    tab(person, "Path")
    person.type("/count")
    tab(person, "Draw it as a flow")
    person.key("Space")
    person.key("Enter")
    person.heading("count-books")
    node(person, "respond").wait_for()
    person.look()

    # Between the trigger and the response; then what it does.
    tab(person, "Add a node")
    person.key("Enter")
    page.get_by_role("menuitem", name="Find documents").wait_for()
    person.type("Find")
    person.key("Enter")
    person.has_focus("Add a node after find")
    tab(person, "Find documents find")
    person.key("Enter")
    page.get_by_role("region", name="Settings of find").wait_for()
    wait_until(lambda: page.evaluate("document.activeElement.tagName") == "H2", 10)
    tab(person, "Filter as JSON of find")
    person.retype('{"title": ')
    page.get_by_role("button", name="Line 1").wait_for()
    person.key("Control+s")
    person.alert('node "find" Filter as JSON: this is not JSON')
    person.retype('{"title": {"$exists": true}}')
    person.key("Control+s")
    person.alert('node "find" collection: is required')
    expect(page.get_by_role("group", name="Find documents find, refused")).to_be_visible()
    person.look()
    tab(person, 'node "find" collection: is required')
    person.key("Enter")
    tab(person, "Collection")
    assert person.error_of("collection")
    person.type(books)
    tab(person, "Rename…")
    person.key("Enter")
    expect(page.get_by_role("dialog", name="Rename the node find").locator("input[name=id]")).to_be_focused()
    person.retype("respond")
    person.key("Enter")
    assert person.error_of("id")
    person.retype("all-books")
    person.key("Enter")
    page.get_by_role("region", name="Settings of all-books").wait_for()

    # What the response says, and a condition in front of it: its ways are chosen from lists.
    tab(person, "Respond respond")
    person.key("Enter")
    tab(person, "Body as JSON of respond")
    person.retype('{"books": "{{ size(found) }}"}')
    tab(person, "Find documents all-books")
    person.key("Space")
    for type, added in (("Condition", "condition"), ("Stop", "stop")):
        tab(person, f"Add a node after {'all-books' if added == 'condition' else 'condition'}")
        person.key("Enter")
        item = page.get_by_role("menuitem", name=type)
        item.wait_for()
        person.type(type)
        expect(item).to_be_focused()
        person.key("Enter")
        person.has_focus(f"Add a node after {added}")
    tab(person, "Condition condition")
    person.key("Enter")
    tab(person, "Expression of condition")
    person.retype("size(found) == 0")
    tab(person, "true: continues with")
    person.type("Stop")
    tab(person, "false: continues with")
    person.type("Respond")
    tab(person, "Stop stop")
    person.key("Space")
    person.key("ArrowRight")
    person.key("Control+Enter")
    expect(page.get_by_role("region", name="The run")).to_contain_text("success")
    function = read(project, "/admin/functions/count-books")
    assert ways(function) == {
        ("start", "all-books", None),
        ("all-books", "condition", None),
        ("condition", "stop", "true"),
        ("condition", "respond", "false"),
    }
    assert all("position" in each for each in function["flow"]["nodes"])
    assert ok(project.admin.get("/admin/functions/count-books/logs"))["runs"][0]["result"] == {"status": 200, "body": {"books": 1}}

    # A removed node is passed by, and comes back.
    tab(person, "Condition condition")
    person.key("Delete")
    expect(page.locator(".react-flow__node")).to_have_count(4)
    expect(page.get_by_role("group", name="Find documents all-books")).to_be_focused()
    person.key("Control+z")
    expect(page.locator(".react-flow__node")).to_have_count(5)


def test_a_flow_is_drawn_by_pointer_and_becomes_code(person, developer, project):
    person.expect_refusals(400)
    route = draw(
        project,
        "drawn",
        [
            ("start", "trigger", {}),
            ("each", "forEach", {"items": "[1, 2]", "as": "item"}),
            ("say", "log", {"message": "item {{ item }}"}),
            ("own", "code", {"code": "vars.item = 7;"}),
            ("end", "respond", {"status": 202}),
        ],
        [("start", "each", ""), ("each", "say", "each"), ("say", "own", ""), ("own", "each", ""), ("each", "end", "done")],
    )
    person.sign_in(developer, f"/p/{project.slug}/functions/drawn")
    page = person.page
    person.follow("Open the graph")
    node(person, "say").wait_for()
    person.look()
    say = centre(node(person, "say"))
    drag(person, say, (say[0] + 96, say[1]))
    wait_until(lambda: centre(node(person, "say"))[0] > say[0] + 64, 10)

    # From the dot below one node to that above another; then the connection is removed.
    drag(person, centre(node(person, "say").locator(".source")), centre(node(person, "end").locator(".target")))
    page.get_by_role("region", name="Settings of say").wait_for()
    expect(page.get_by_label("Continues with")).to_have_value("end")
    person.press("Save Ctrl S")
    person.alert("is reached from inside of a forEach and from outside of it")
    expect(page.get_by_role("group", name="Respond end, refused")).to_be_visible()
    person.look()
    begin, end = centre(node(person, "start").locator(".source")), centre(node(person, "each").locator(".target"))
    page.mouse.click((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    person.press("Remove the connection")
    person.press("Undo")
    person.press("Undo")
    page.get_by_role("tab", name="List").click()
    listed = page.get_by_role("list", name="The nodes as the flow runs").get_by_role("listitem")
    expect(listed.nth(1)).to_contain_text("each: say, done: end")
    expect(listed.nth(2)).to_contain_text("→ own")
    listed.filter(has_text="vars.item").click()
    box = page.get_by_role("textbox", name="Code of own")
    box.wait_for()
    person.write(box, "vars.item = 1;\nvars.item = (;\n")
    person.press("Save Ctrl S")
    page.get_by_role("button", name="Line 2: ").wait_for()
    person.look()
    person.write(box, "vars.item = 1;")
    person.press("Save and send Ctrl Enter")
    expect(page.get_by_role("region", name="The run")).to_contain_text("item 2")
    page.get_by_role("tab", name="Code", exact=True).click()
    expect(page.get_by_role("textbox", name="Generated code of drawn")).to_contain_text("for (const item of")
    person.look()
    page.get_by_role("tab", name="Canvas").click()
    person.press("Arrange")
    expect(page.get_by_text("that of your changes is made when they are saved")).to_be_visible()
    person.press("Save Ctrl S")
    expect(page.get_by_role("button", name="Turn it into code…")).to_be_visible()
    function = read(project, route)
    assert ways(function) == {("start", "each", None), ("each", "say", "each"), ("say", "own", None), ("own", "each", None), ("each", "end", "done")}
    assert not any("position" in each for each in function["flow"]["nodes"])
    person.press("Turn it into code…")
    person.press("Turn into code")
    expect(page.get_by_role("textbox", name="Code of drawn")).to_contain_text("for (const item of")
    assert read(project, route)["flow"] is None
    person.go(f"/p/{project.slug}/functions/drawn/flow")
    person.heading("This function is code")
    person.look()


@pytest.mark.long(run="journeys")
def test_what_is_typed_into_a_flow_is_kept(person, developer, project):
    message = f"{MARKUP} {{{{ event.type }}}}"
    route = draw(project, "typed", [("start", "trigger", {}), ("say", "log", {"message": message})], [("start", "say", "")])
    person.sign_in(developer, f"/p/{project.slug}/functions/typed/flow?node=say")
    page = person.page
    box = page.get_by_role("textbox", name="Message of say")
    expect(box).to_contain_text("<img src=x")
    expect(node(person, "say")).to_contain_text("<img src=x")
    assert page.evaluate("document.querySelectorAll('main img').length") == 0
    person.look()
    person.write(box, "mine {{ event }}")
    flow = read(project, route)["flow"]
    flow["nodes"][1]["data"]["message"] = "theirs"
    ok(project.admin.patch(route, {"flow": flow}), 204)
    person.key("Control+s")
    person.alert("was saved by another person")
    person.press("Compare the two")
    expect(page.get_by_role("group", name="Yours, compared with theirs")).to_contain_text("theirs")
    person.key("Escape")
    person.follow("Functions")
    person.press("Go back to it")
    expect(box).to_contain_text("mine")
    page.get_by_role("tab", name="Event").click()
    page.get_by_role("textbox", name="The event as JSON").wait_for()
    person.look()
    person.press("Save mine as the next version")
    wait_until(lambda: read(project, route)["flow"]["nodes"][1]["data"]["message"] == "mine {{ event }}", 10)
    expect(page.get_by_role("alert").filter(has_text="another person")).to_have_count(0)
    person.press("Show the call")
    dialog = page.get_by_role("dialog", name="The calls of this page")
    dialog.get_by_role("button", name="curl").first.click()
    expect(dialog.locator("pre").first).to_contain_text("mine {{ event }}")


def test_a_viewer_reads_a_flow(viewer_at, project):
    nodes = [("start", "trigger", {}), ("find", "find", {"collection": "books", "filter": {"n": 2**53 + 1}, "as": "found"})]
    route = draw(project, "read", nodes, [("start", "find", "")])
    ok(project.admin.post(f"{route}/invoke", {"payload": None}))
    person = viewer_at(project, "/functions/read/flow?node=find")
    main = person.page.get_by_role("main")
    expect(main.get_by_role("textbox", name="Filter as JSON of find")).to_contain_text(str(2**53 + 1))
    expect(main.get_by_role("textbox", name="Filter as JSON of find")).to_have_attribute("aria-readonly", "true")
    expect(main.get_by_label("Collection", exact=True)).to_have_attribute("readonly", "")
    expect(main.get_by_label("Continues with")).to_be_disabled()
    for name in ("Save Ctrl S", "Undo", "Rename…", "Remove", "Turn it into code…", "Add a node after find"):
        assert main.get_by_role("button", name=name, exact=True).count() == 0, name
    assert main.get_by_role("button", name="Ctrl Enter").count() == 0
    person.look()
    node(person, "find").focus()
    person.key("Space")
    person.key("Delete")
    person.key("ArrowDown")
    assert main.locator(".react-flow__node").count() == 2
    person.go(f"/p/{project.slug}/functions/read/flow?view=list&side=code")
    expect(main.get_by_role("textbox", name="Generated code of read")).to_contain_text(json.dumps("books"))
    person.look()
