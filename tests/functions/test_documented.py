"""The examples of docs/functions.md are true."""

import json
import re

import pytest

from support.client import EndUser, ok
from support.function import Function, database_function, http_function
from support.server import ROOT

PAGE = (ROOT / "docs" / "functions.md").read_text()
JSON = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
EVENTS = {
    (each["type"], each.get("event")): each for each in JSON if isinstance(each.get("type"), str) and "name" not in each
}
HANDLERS = [code for code in re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL) if "export default" in code]


def fields_of(value):
    """Returns the names and types of an event's fields; documents of collections are the user's own."""
    if isinstance(value, dict):
        return {
            key: fields_of(each) if key not in ("document", "previous", "params", "payload") else each is not None
            for key, each in value.items()
        }
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value):
        return "time"
    return type(value).__name__


@pytest.fixture(scope="module")
def happened(project, admin):
    """Each kind of event, as a handler received it."""
    orders = project.collection("orders")
    function = database_function(project, orders, "return event;")
    greet = Function(project, "return event;", {"type": "auth", "event": "userCreated"})
    echo = http_function(project, "return event;", "/orders/:id")
    route = f"/admin/collections/{orders}/documents"
    ok(admin.post(route, {"id": "o1", "total": 10}), 201)
    ok(admin.patch(f"{route}/o1", {"total": 12}))
    ok(admin.put(f"{route}/o1", {"total": 15}))
    ok(admin.delete(f"{route}/o1"), 204)
    ok(admin.patch(f"/admin/users/{EndUser(project).id}", {"name": "Ann"}), 204)
    ok(
        admin.post("/admin/users", {"email": "ann@example.com", "password": "correct horse battery", "name": "Ann"}),
        201,
    )
    watch = Function(project, "return event;", {"type": "storage", "event": "fileUploaded"})
    ok(admin.post("/admin/storage/buckets", {"name": "photos"}), 201)
    ok(admin.put("/storage/photos/2026/holiday.jpg", content=b"x", headers={"content-type": "image/jpeg"}), 201)
    got = [run["result"] for run in function.logged(4)]
    got.append(watch.logged(1)[0]["result"])
    got.append(greet.logged(2)[0]["result"])
    got.append(echo.invoke({"anything": 1})["result"])
    got.append(ok(project.public().get(f"/run/{project.slug}/orders/o1")))
    return {(each["type"], each.get("event")): each for each in got}


def test_every_event_is_shown():
    kinds = {
        "database": ["insert", "update", "replace", "delete"],
        "auth": ["userCreated"],
        "storage": ["fileUploaded"],
        "http": [None],
        "cron": [None],
        "manual": [None],
    }
    assert {(kind, event) for kind, events in kinds.items() for event in events} <= set(EVENTS)


@pytest.mark.parametrize("kind", [each for each in EVENTS if each[0] != "cron"], ids=str)
def test_an_event_is_as_it_is_shown(happened, kind):
    assert fields_of(happened[kind]) == fields_of(EVENTS[kind])
    if kind[0] in ("http", "manual"):
        assert happened[kind] == EVENTS[kind]


def test_the_cron_example_is_a_schedule_that_is_taken(project):
    made = Function(project, "return 1;", {"type": "cron", "schedule": EVENTS["cron", None]["schedule"]}, enabled=False)
    assert made.made["enabled"] is False


@pytest.mark.parametrize("code", HANDLERS)
def test_a_handler_that_is_shown_runs(project, code):
    if "visits" in code:
        project.collection("visits")
    event = {"event": "insert", "document": {"total": 1}}
    function = http_function(project, code)
    function.patch(tests=[{"name": "shown", "event": event, "expect": {}}])
    assert function.run_tests()["results"][0]["failures"] == []


def test_the_test_case_that_is_shown_passes(project):
    case = next(each for each in JSON if "expect" in each)
    if not ok(project.admin.get("/admin/collections"))["collections"].count("orders"):
        project.collection("orders")
    function = http_function(
        project,
        """const order = await ctx.db.findOne("orders", {id: event.payload.order});
        await ctx.db.updateMany("orders", {id: order.id}, {$set: {done: true}});
        await ctx.integrations.call("mailer", "send", {to: "ann@example.com"});
        return {total: order.total};""",
    )
    report = function.run_tests([case])
    assert report["passed"] == 1, report
