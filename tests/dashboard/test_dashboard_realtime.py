"""The inspector of the changes of a collection, as the server sends them."""

import json
import re

from playwright.sync_api import expect

from support.client import ok

HOSTILE = "<img src=x onerror=alert(1)>\u202egnp"
LARGE = 2**53 + 1
FILTER = "Filter"


def status(person):
    return person.page.get_by_role("region", name="Received, newest first").get_by_role("status").first


def lines(person):
    return person.page.get_by_role("list", name="Received, newest first").get_by_role("listitem")


def test_from_the_first_change_to_a_filter(person, developer, project):
    page = person.page
    person.sign_in(developer, f"/p/{project.slug}/api")
    person.follow("Realtime")
    page.get_by_text("Programs call the documents of a collection").wait_for()
    person.look()
    books = project.collection("books")
    project.collection("notes")
    documents = f"/admin/collections/{books}/documents"
    page.reload()
    page.get_by_label("Collection").select_option(books)
    expect(status(person)).to_contain_text("not started")
    person.look()
    person.press("Start")
    expect(status(person)).to_contain_text("live")

    # A change is shown as it happens, with its document as text, exactly.
    ok(project.admin.post(documents, {"id": "b1", "title": HOSTILE, "stars": LARGE}), 201)
    first = lines(person).filter(has_text="b1")
    expect(first).to_contain_text("insert")
    person.press("Details of insert b1")
    box = page.get_by_role("textbox", name="The document b1")
    expect(box).to_contain_text(f'"stars": {LARGE}')
    expect(box).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.evaluate("document.querySelectorAll('main img').length") == 0
    expect(first.get_by_role("link", name="b1")).to_have_attribute("href", re.compile(rf"/p/{project.slug}/data/books/documents/b1$"))
    person.look()
    ok(project.admin.delete(f"{documents}/b1"), 204)
    deleted = lines(person).filter(has_text="delete")
    expect(deleted).to_contain_text("b1")
    assert deleted.get_by_role("link").count() == 0
    person.press("Details of delete b1")
    expect(deleted).to_contain_text("The document was deleted.")

    # What is followed is changed while nothing is: mistakes of the form at their field, those that the server finds below it.
    expect(page.get_by_label("Collection")).to_be_disabled()
    person.press("Stop")
    person.has_focus("Start")
    for name in ("insert: created", "update: fields changed", "replace: replaced as a whole", "delete: deleted"):
        page.get_by_label(name).uncheck()
    person.press("Start")
    assert person.error_of("insert") == "Choose at least one."
    page.get_by_label("insert: created").check()
    page.get_by_label("update: fields changed").check()
    box = page.get_by_role("textbox", name=FILTER)
    person.write(box, '{"stars": ')
    person.press("Start")
    page.get_by_role("button", name="Line 1: the text ends too early").wait_for()
    person.look()
    person.write(box, '{"stars": {"$foo": 4}}')
    person.press("Start")
    person.alert("$foo")
    expect(status(person)).to_contain_text("not started")
    person.write(box, '{"stars": {"$gte": 4}}')
    person.press("Start")
    expect(status(person)).to_contain_text("live")
    assert "events=insert%2Cupdate" in person.path() and "filter=" in person.path()
    person.press("Clear")
    expect(lines(person)).to_have_count(0)
    ok(project.admin.post(documents, {"id": "few", "stars": 1}), 201)
    ok(project.admin.post(documents, {"id": "b2", "stars": 5}), 201)
    ok(project.admin.post(documents, {"id": "b3", "stars": 5}), 201)
    ok(project.admin.patch(f"{documents}/b3", {"stars": 2}))
    expect(lines(person)).to_have_count(3)
    expect(lines(person).nth(0)).to_contain_text("leave")
    expect(lines(person).nth(2)).to_contain_text("b2")
    person.press("Details of leave b3")
    expect(lines(person).nth(0)).to_contain_text("no longer matches the filter")
    person.look()

    # The code does the same, a link opens the document, and the address leads back to the same form.
    person.press("Show the call")
    code = page.get_by_role("dialog").locator("pre")
    expect(code).to_contain_text('filter: {"stars": {"$gte": 4}},\n  leave: true,')
    page.get_by_role("dialog").get_by_role("button", name="WebSocket").click()
    expect(code).to_contain_text('{"type":"subscribe","id":"1","collection":"books","admin":true')
    person.key("Escape")
    lines(person).nth(2).get_by_role("link").click()
    page.wait_for_url("**/data/books/documents/**")
    page.go_back()
    expect(page.get_by_label("insert: created")).to_be_checked()
    expect(page.get_by_label("delete: deleted")).not_to_be_checked()
    expect(box).to_contain_text('"$gte": 4')


def test_pauses_and_interruptions_by_keyboard(person, developer, project, books):
    page = person.page
    documents = f"/admin/collections/{books}/documents"
    sockets = []
    blocked = []

    def connect(socket):
        if blocked:
            socket.close()
        else:
            socket.connect_to_server()
            sockets.append(socket)

    page.route_web_socket(re.compile("/api/v1/realtime"), connect)
    person.sign_in(developer, f"/p/{project.slug}/api/realtime")
    page.get_by_role("textbox", name=FILTER).wait_for()
    person.tab_to("Start", 60)
    person.key("Enter")
    expect(status(person)).to_contain_text("live")
    person.has_focus("Stop")
    ok(project.admin.post(documents, {"id": "b1"}), 201)
    expect(lines(person)).to_have_count(1)

    # What happens in a pause comes when it ends.
    person.tab_to("Pause")
    person.key("Enter")
    expect(status(person)).to_contain_text("paused")
    person.has_focus("Continue")
    ok(project.admin.post(documents, {"id": "b2"}), 201)
    ok(project.admin.put(f"{documents}/b1", {"title": "Fjords"}))
    person.look()
    expect(lines(person)).to_have_count(1)
    person.key("Enter")
    expect(lines(person)).to_have_count(3)
    expect(lines(person).nth(0)).to_contain_text("replace")
    expect(status(person)).to_contain_text("live")

    # The same without a connection, which is said.
    blocked.append(True)
    sockets[-1].close()
    expect(status(person)).to_contain_text("offline")
    ok(project.admin.post(documents, {"id": "b3"}), 201)
    person.look()
    expect(lines(person)).to_have_count(3)
    blocked.clear()
    expect(lines(person)).to_have_count(4)
    expect(status(person)).to_contain_text("live")
    for note in ("gap", "reset"):
        # The second subscription of the client that was interrupted.
        sockets[-1].send(json.dumps({"type": note, "id": "2", "position": "p"}))
    expect(lines(person).nth(0)).to_contain_text("permissions or claims of the caller have changed")
    expect(lines(person).nth(1)).to_contain_text("Changes before this one may be missing")
    person.look()

    # The last 200 lines are kept.
    for n in range(200):
        ok(project.admin.post(documents, {"id": f"n{n}"}), 201)
    expect(page.get_by_text("6 older ones were dropped")).to_be_visible()
    expect(lines(person)).to_have_count(200)
    expect(lines(person).nth(0)).to_contain_text("n199")
    person.tab_to("Clear")
    person.key("Enter")
    expect(lines(person)).to_have_count(0)


def test_who_may_not_follow_is_told_what_is_missing(viewer_at, developer):
    project = developer.create_project("Bookshop")
    project.collection("books")
    project.collection("notes")
    person = viewer_at(project, "/api/realtime?collection=books")
    person.alert("data:books:admin")
    main = person.page.get_by_role("main")
    assert [main.get_by_role("button", name=name).count() for name in ("Start", "Show the call")] == [0, 0]
    person.look()

    # A role that may follow one collection alone begins with that one; documents that it may not read are not linked.
    project.role("collections:read", "data:notes:admin", name="Follower")
    follower = viewer_at(project, "/api/realtime", role="Follower")
    expect(follower.page.get_by_label("Collection")).to_have_value("notes")
    follower.press("Start")
    expect(status(follower)).to_contain_text("live")
    ok(project.admin.post("/admin/collections/notes/documents", {"id": "n1"}), 201)
    expect(lines(follower)).to_contain_text("n1")
    assert lines(follower).get_by_role("link").count() == 0
    follower.press("Stop")
    follower.page.get_by_label("Collection").select_option("books")
    follower.alert("data:books:admin")
