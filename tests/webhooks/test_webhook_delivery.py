"""Deliveries: their requests, times, order, and log."""

import re
import threading

from support.client import OPEN_POLICY, ok, refused
from support.function import database_function, http_function
from support.realtime import Live
from support.waiting import wait_until

ID = r"[0-9A-Za-z]{20}"
LOG_FIELDS = ["id", "event", "documentId", "status", "attempts", "responseStatus", "durationMs", "at"]


def events_of(received) -> list:
    return [each.body["event"] for each in received]


def test_each_kind_of_change_is_delivered(project, hook):
    made = hook()
    document = made.insert(text="é\u2028", n=9007199254740993)
    ok(made.admin.patch(made.documents(document["id"]), {"$inc": {"n": 1}}), 200)
    ok(made.admin.put(made.documents(document["id"]), {"n": 2}), 200)
    ok(made.admin.delete(made.documents(document["id"])), 204)
    received = made.arrived(4)
    assert events_of(received) == ["insert", "update", "replace", "delete"]
    first = received[0].body
    assert list(first) == ["id", "event", "project", "collection", "documentId", "document", "at"]
    assert re.fullmatch("evt_" + ID, first["id"])
    assert (first["project"], first["collection"], first["documentId"]) == (project.id, made.collection, document["id"])
    assert first["document"] == document
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["at"])
    assert received[1].body["document"]["n"] == 9007199254740994
    assert received[2].body["document"]["n"] == 2 and "text" not in received[2].body["document"]
    assert "document" not in received[3].body and received[3].body["documentId"] == document["id"]
    assert len({each.body["id"] for each in received}) == 4
    assert received[0].headers["content-type"] == "application/json"
    log = made.logged(4)
    assert [entry["event"] for entry in log] == ["delete", "replace", "update", "insert"]
    for entry in log:
        assert list(entry) == LOG_FIELDS
        assert re.fullmatch("dlv_" + ID, entry["id"]) and entry["documentId"] == document["id"]
        assert (entry["status"], entry["attempts"], entry["responseStatus"]) == ("delivered", 1, 200)
        assert entry["durationMs"] >= 0


def test_a_change_that_changes_nothing_is_not_delivered(server, project, alice, hook):
    things = project.collection(policy=OPEN_POLICY)
    made = hook(collection=things)
    function = database_function(project, things, "return event.document.n;")
    before = alice.create(things, {"n": 1, "tags": ["x"]})
    id, mine = before["id"], f"/{things}/{before['id']}"
    type = things[0].upper() + things[1:]
    change = "{$set: {n: 1}, $addToSet: {tags: 'x'}, $unset: {other: 1}}"
    with Live(server, alice.token) as live:
        live.follow(things)
        for api, path, status in ((alice, mine, 204), (made.admin, made.documents(id), 200)):
            for patch in ({}, {"n": 1}, {"updatedAt": "x", "createdAt": 1, "id": "b"}, {"$inc": {"n": 0}}):
                ok(api.patch(path, patch), status)
            ok(api.put(path, {"n": 1, "tags": ["x"]}), status)
        for patch in ("{n: 1}", "{}"):
            query = f'mutation{{update{type}(id: "{id}", patch: {{data: {patch}}}){{updatedAt}}}}'
            answer = ok(alice.post("/graphql", {"query": query}))
            assert answer == {"data": {f"update{type}": {"updatedAt": before["updatedAt"]}}}
        run = http_function(project, f"return await ctx.db.updateMany('{things}', {{}}, {change});").invoke()
        assert run["result"] == {"matchedCount": 1, "modifiedCount": 0}, run
        assert ok(alice.get(mine))["document"] == before
        ok(alice.patch(mine, {"n": 2}), 204)
        event = live.event()
        assert event["document"]["n"] == 2 and event["document"]["updatedAt"] > before["updatedAt"]
    assert [run["result"] for run in function.logged(2)] == [2, 1]
    assert [each.body["document"]["n"] for each in made.arrived(2)] == [1, 2] and len(made.logged(2)) == 2


def test_only_what_is_subscribed_to(hook):
    inserts = hook(events=["insert"])
    updates = hook(events=["update"], collection=inserts.collection)
    other = hook()
    document = inserts.insert(n=1)
    ok(inserts.admin.patch(inserts.documents(document["id"]), {"n": 2}), 200)
    ok(inserts.admin.put(inserts.documents(document["id"]), {"n": 3}), 200)
    ok(inserts.admin.delete(inserts.documents(document["id"])), 204)
    other.insert(last=True)
    assert events_of(updates.arrived(2)) == ["update", "replace"]
    assert events_of(inserts.arrived(1)) == ["insert"]
    other.arrived(1)
    assert len(inserts.logged(1)) == 1 and len(updates.logged(2)) == 2 and len(other.logged(1)) == 1


def test_denied_fields_are_there_and_fields_narrow(project, hook):
    denied = {**{name: {} for name in ("list", "create")}, "read": {"deniedReadFields": ["secret"]}}
    whole = hook(collection=project.collection(policy=denied))
    narrow = hook(collection=whole.collection, fields=["lines.sku", "buyer.name", "none"])
    whole.insert(secret="s", buyer={"name": "Ann", "age": 7}, lines=[{"sku": "a", "n": 1}, {"n": 2}], x=1)
    assert whole.arrived()[0].body["document"]["secret"] == "s"
    assert narrow.arrived()[0].body["document"] == {"buyer": {"name": "Ann"}, "lines": [{"sku": "a"}, {}]}


def test_own_headers_are_sent_and_read_again_each_time(hook):
    made = hook(headers={"X-Team": "shop floor", "authorization": "Bearer t"})
    made.insert()
    seen = made.arrived()[0].headers
    assert (seen["x-team"], seen["authorization"]) == ("shop floor", "Bearer t")
    made.patch(headers={"x-team": "other"}, url=made.receiver.url(made.path + "?v=2"))
    made.insert()
    second = made.arrived(2)[1]
    assert second.headers["x-team"] == "other" and "authorization" not in second.headers
    assert second.path.endswith("?v=2")


def test_a_failure_is_tried_again_with_the_same_ids_and_logged_once(hook):
    made = hook()
    made.answer(500, 302, 204)
    made.insert(n=1)
    received = made.arrived(3)
    assert len({each.body["id"] for each in received}) == 1 and len({each.raw for each in received}) == 1
    assert len({each.headers["webhook-id"] for each in received}) == 1
    log = made.logged(1)
    assert len(log) == 1 and list(log[0]) == LOG_FIELDS
    assert (log[0]["status"], log[0]["attempts"], log[0]["responseStatus"]) == ("delivered", 3, 204)
    assert made.receiver.at("/moved") == [], "a redirect was followed"


def test_three_failures_are_the_end(hook):
    refusing, closing, closed = hook(), hook(), hook()
    refusing.answer(404)
    closing.answer(lambda _: None)
    closed.patch(url="http://127.0.0.1:9/")
    for made in (refusing, closing, closed):
        made.insert(n=1)
    for made, status in ((refusing, 404), (closing, None), (closed, None)):
        entry = made.logged(1)[0]
        assert (entry["status"], entry["attempts"], entry["error"]) == ("failed", 3, "request failed")
        assert entry.get("responseStatus") == status
    assert len(refusing.arrived(3)) == 3
    # The next change is delivered.
    refusing.answer(200)
    refusing.insert(n=2)
    assert refusing.logged(2)[0]["status"] == "delivered"


def test_writes_do_not_wait_for_receivers(hook):
    made, gate = hook(), threading.Event()
    made.answer(lambda _: 200 if gate.wait(30) else 500)
    for n in range(30):
        made.insert(n=n)
    made.arrived(1)
    gate.set()
    assert len(made.logged(30)) == 30


def test_a_dead_receiver_delays_no_other(owner, receiver, hook):
    gate = threading.Event()
    blocked = []
    project = owner.create_project()
    for n in range(12):
        made = hook(project=project)
        made.answer(lambda _: 200 if gate.wait(60) else 500)
        blocked.append(made)
        for _ in range(10):
            made.insert(n=n)
    healthy, elsewhere = hook(project=project), hook(project=owner.create_project())
    for made in blocked:
        made.arrived(1)
    for n in range(20):
        healthy.insert(n=n)
        elsewhere.insert(n=n)
    assert len(healthy.arrived(20)) == len(elsewhere.arrived(20)) == 20
    assert len(healthy.logged(20)) == len(elsewhere.logged(20)) == 20
    assert not gate.is_set() and all(made.deliveries() == [] for made in blocked)
    # A receiver that has not responded yet gets one delivery at a time.
    assert all(len(made.receiver.at(made.path)) == 1 for made in blocked)
    gate.set()
    for made in blocked:
        assert len(made.arrived(10)) == 10


def test_changes_of_one_document_are_delivered_in_order(hook):
    made = hook()
    # The first delivery of each document is refused once: later changes of the document wait.
    made.answer(503, 200, 503, 200, 200)
    documents = [made.insert(n=0) for _ in range(3)]
    for n in range(1, 6):
        for document in documents:
            ok(made.admin.patch(made.documents(document["id"]), {"n": n}), 200)
    made.logged(18, seconds=60)
    for document in documents:
        sent = [each.body for each in made.receiver.at(made.path)]
        delivered = [body["document"]["n"] for body in sent if body["documentId"] == document["id"]]
        assert sorted(set(delivered)) == list(range(6))
        assert [n for i, n in enumerate(delivered) if n not in delivered[:i]] == list(range(6)), delivered
        assert delivered == sorted(delivered), delivered


def test_the_log_holds_fifty(hook):
    made = hook()
    for n in range(60):
        made.insert(n=n)
    made.arrived(60)
    made.logged(50)
    last = made.receiver.at(made.path)[-1].body["documentId"]
    while last not in [entry["documentId"] for entry in made.deliveries()]:
        pass
    log = made.deliveries()
    assert len(log) == 50 and len({entry["id"] for entry in log}) == 50
    # Deliveries that were made at the same time are logged in any order.
    wait_until(lambda: made.deliveries(limit=7) == made.deliveries()[:7], 20, "the newest seven are others")
    assert made.deliveries(limit=0) == []
    assert len(made.deliveries(limit=1000)) == 50
    refused(made.admin.get(f"{made.route}/deliveries", params={"limit": "x"}), 400, "INVALID_PARAM")


def test_what_is_disabled_or_deleted_in_the_meantime_gets_nothing(hook):
    disabled, deleted, again = hook(), hook(), hook()
    for made in (disabled, deleted, again):
        made.answer(500)
        made.insert(n=1)
        made.arrived(1)
    disabled.patch(enabled=False)
    ok(deleted.admin.delete(deleted.route), 204)
    # Disabling and enabling again drops the waiting deliveries.
    again.patch(enabled=False)
    again.patch(enabled=True)
    again.answer(200)
    document = again.insert(n=2)
    assert [entry["documentId"] for entry in again.logged(1)] == [document["id"]]
    disabled.insert(n=2)
    disabled.answer(200)
    disabled.patch(enabled=True)
    late = disabled.insert(n=3)
    assert [entry["documentId"] for entry in disabled.logged(1)] == [late["id"]]
    assert [each.body["document"]["n"] for each in disabled.receiver.at(disabled.path)][-1] == 3
    assert {each.body["document"]["n"] for each in disabled.receiver.at(disabled.path)} == {1, 3}
    assert len(deleted.receiver.at(deleted.path)) == 1


def test_a_new_one_under_an_old_name_is_another(hook):
    first = hook(name="reused")
    first.insert(n=1)
    first.logged(1)
    ok(first.admin.delete(first.route), 204)
    second = hook(name="reused", collection=first.collection)
    assert second.deliveries() == []
    second.insert(n=2)
    assert len(second.logged(1)) == 1


def test_a_new_one_hears_only_of_what_comes(project, hook):
    collection = project.collection()
    for n in range(5):
        ok(project.admin.post(f"/admin/collections/{collection}/documents", {"n": n}), 201)
    made = hook(collection=collection)
    made.insert(n=9)
    assert [each.body["document"]["n"] for each in made.arrived(1)] == [9]
    moved = project.collection()
    ok(project.admin.post(f"/admin/collections/{moved}/documents", {"n": 10}), 201)
    made.patch(collection=moved)
    made.insert(n=11)
    ok(project.admin.post(f"/admin/collections/{moved}/documents", {"n": 12}), 201)
    made.logged(2)
    assert [each.body["document"]["n"] for each in made.arrived(2)] == [9, 12]


def test_a_renamed_collection_goes_on_under_its_new_name(project, hook):
    made = hook()
    ok(project.admin.post(f"/admin/collections/{made.collection}/rename", {"to": made.collection + "_new"}), 204)
    made.collection += "_new"
    made.insert(n=1)
    assert made.arrived()[0].body["collection"] == made.collection
    # After a drop it follows a new collection of that name.
    ok(project.admin.delete(f"/admin/collections/{made.collection}"), 204)
    ok(project.admin.post("/admin/collections", {"name": made.collection}), 201)
    made.insert(n=2)
    assert made.arrived(2)[1].body["document"]["n"] == 2


def test_the_test_delivery_is_immediate_and_signed(project, hook):
    made = hook(enabled=False)
    delivery = ok(made.admin.post(f"{made.route}/test"))["delivery"]
    assert list(delivery) == LOG_FIELDS
    assert (delivery["event"], delivery["documentId"], delivery["status"]) == ("test", None, "delivered")
    assert delivery["attempts"] == 1
    body = made.receiver.at(made.path)[0].body
    assert list(body) == ["id", "event", "project", "collection", "documentId", "document", "at"]
    assert (body["event"], body["documentId"], body["document"]) == ("test", None, None)
    assert body["collection"] == made.collection
    made.answer(418)
    failed = ok(made.admin.post(f"{made.route}/test"))["delivery"]
    assert (failed["status"], failed["responseStatus"], failed["error"]) == ("failed", 418, "request failed")
    assert made.deliveries() == [failed, delivery]
    assert len(made.receiver.at(made.path)) == 2


def test_a_failed_test_delivery_logs_its_cause(server, hook):
    made = hook(enabled=False)
    made.patch(url="http://no-such-host.invalid/")
    assert ok(made.admin.post(f"{made.route}/test"))["delivery"]["status"] == "failed"
    line = server.logged(made.name)
    assert "webhook delivery failed" in line and "cause" in line


def test_a_delivery_can_be_made_again(hook):
    made = hook()
    made.answer(500)
    document = made.insert(text="kept")
    first = made.logged(1)[0]
    ok(made.admin.patch(made.documents(document["id"]), {"text": "other"}), 200)
    made.logged(2)
    made.answer(200)
    again = ok(made.admin.post(f"{made.route}/deliveries/{first['id']}/redeliver"))["delivery"]
    assert (again["event"], again["documentId"], again["status"]) == ("insert", document["id"], "delivered")
    assert again["id"] != first["id"] and again["attempts"] == 1
    sent = made.receiver.at(made.path)
    assert sent[-1].raw == sent[0].raw and sent[-1].headers["webhook-id"] == sent[0].headers["webhook-id"]
    assert [entry["id"] for entry in made.deliveries()][0] == again["id"] and len(made.deliveries()) == 3
    refused(made.admin.post(f"{made.route}/deliveries/dlv_{'0' * 20}/redeliver"), 404, "NOT_FOUND")
    other = hook()
    refused(made.admin.post(f"{other.route}/deliveries/{first['id']}/redeliver"), 404, "NOT_FOUND")


def test_a_whole_document_fits(hook):
    made = hook()
    text = "\x01" * 900_000  # each of them is six characters in JSON
    document = made.insert(text="small")
    ok(made.admin.patch(made.documents(document["id"]), {"$set": {"a": "x" * 500_000}}), 200)
    ok(made.admin.patch(made.documents(document["id"]), {"$set": {"b": text[:80_000]}}), 200)
    assert made.arrived(3)[2].body["document"]["b"] == text[:80_000]
    assert [entry["status"] for entry in made.logged(3)] == ["delivered"] * 3


def test_the_trace_of_a_request_goes_with_what_it_causes(project, hook):
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    copies = hook()
    made = hook()
    replaced = hook(collection=made.collection, headers={"Traceparent": "mine"})
    code = f"if (event.document.n === 1) await ctx.db.insertOne('{copies.collection}', {{of: event.documentId}});"
    database_function(project, made.collection, code)
    ok(made.admin.post(made.documents(), {"n": 1}, headers={"traceparent": trace}), 201)
    assert made.arrived(1)[0].headers["traceparent"] == trace
    assert replaced.arrived(1)[0].headers["traceparent"] == "mine"
    assert copies.arrived(1)[0].headers["traceparent"] == trace
    for wrong in (None, "nonsense", trace.upper(), trace + "-more"):
        ok(made.admin.post(made.documents(), {"n": 2}, headers={"traceparent": wrong} if wrong else {}), 201)
    assert all("traceparent" not in each.headers for each in made.arrived(5)[1:])
