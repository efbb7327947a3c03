"""Changes that others make in a project's database reach its subscribers and webhooks, once and in order."""

import threading

import pytest

from support.client import OPEN_POLICY, PlatformUser, Project, ok, unique
from support.hook import Hook
from support.mongo_server import MongoServer
from support.own_database import SETTINGS, connected, imported, made, starts
from support.realtime import Live, is_error
from support.waiting import wait_until

def seen(event: dict) -> tuple:
    return event["type"], (event.get("document") or {}).get("n")


def missed(owner, project) -> list[dict]:
    found = ok(owner.get(f"/control/projects/{project.id}"))["project"].get("warnings", [])
    return [each for each in found if each["code"] == "changes-missed"]


# ---- by others


def test_changes_by_others_reach_subscribers_and_webhooks(project, there, receiver):
    orders = imported(project, there, "orders", [{"n": 0}])
    starts(project, there)
    hook = Hook(project, receiver, collection=orders)
    with Live(project.server, project.end_user().token) as live:
        live.follow(orders)
        key = there.orders.insert_one({"n": 1}).inserted_id
        events = [live.event()]
        there.orders.update_one({"_id": key}, {"$set": {"n": 2}})
        events.append(live.event())
        there.orders.replace_one({"_id": key}, {"n": 3})
        there.orders.delete_one({"_id": key})
        events += [live.event(), live.event()]
    assert [seen(event) for event in events] == [("insert", 1), ("update", 2), ("replace", 3), ("delete", None)]
    assert len({event["documentId"] for event in events}) == 1
    assert "_id" not in events[0]["document"] and events[0]["document"]["id"] == events[0]["documentId"]
    sent = hook.arrived(4)
    assert sorted(each.body["event"] for each in sent) == ["delete", "insert", "replace", "update"]


def test_other_collections_stay_invisible(project, there):
    orders = imported(project, there, "orders", [{"n": 0}])
    starts(project, there)
    with Live(project.server, project.end_user().token) as live:
        live.follow(orders)
        there.secrets.insert_one({"n": 1})
        there.orders.insert_one({"n": 2})
        assert seen(live.event()) == ("insert", 2)


def test_hidden_documents_give_no_events(project, there):
    items = imported(project, there, "items", [{"_id": 1}])
    starts(project, there)
    with Live(project.server, project.end_user().token) as live:
        live.follow(items)
        there.items.insert_one({"_id": 2, "n": 1})
        there.items.insert_one({"_id": 3, "id": "three", "n": 2})
        event = live.event()
        assert seen(event) == ("insert", 2) and event["documentId"] == "three"
        # Its own id is known, since it was seen.
        there.items.delete_one({"_id": 3})
        event = live.event()
        assert event["type"] == "delete" and event["documentId"] == "three"


def test_removals_reach_those_who_may_read_everything(project, there):
    """Without pre-images nobody knows who could read the document."""
    mine = {"filter": {"owner": "$auth.uid"}}
    notes = imported(project, there, "notes", [{"owner": "nobody"}], {**OPEN_POLICY, "read": mine, "list": mine})
    orders = imported(project, there, "orders", [{"n": 0}])
    starts(project, there)
    user = project.end_user()
    with Live(project.server, user.token) as live:
        live.follow(notes, id="notes")
        live.follow(orders, id="all")
        live.follow(orders, id="some", filter={"n": 7})
        there.notes.insert_one({"owner": user.id})
        assert live.event("notes")["type"] == "insert"
        there.notes.delete_one({"owner": user.id})
        there.orders.delete_one({"n": 0})
        both = [live.next(), live.next()]
        assert {each["subscription"] for each in both} == {"all", "some"}
        assert {each["event"]["type"] for each in both} == {"delete"}


def test_documents_leave_a_filter(project, there):
    """Without pre-images all who may read everything get a leave: of documents that they did not see, too."""
    orders = imported(project, there, "orders", [{"n": 1}, {"n": 1}])
    starts(project, there)
    with Live(project.server, project.end_user().token) as live:
        live.follow(orders, filter={"n": {"$lt": 5}}, leave=True)
        there.orders.update_one({}, {"$inc": {"n": 1}})
        assert seen(live.event()) == ("update", 2)
        there.orders.update_one({"n": 2}, {"$set": {"n": 7}})
        left = live.event()
        assert left["type"] == "leave"
    with Live(project.server, project.end_user().token) as late:
        late.follow(orders, filter={"n": {"$lt": 5}}, leave=True, after=left["position"])
        there.orders.update_one({"n": 7}, {"$set": {"n": 8}})
        event = late.event()
        assert event["type"] == "leave" and event["documentId"] == left["documentId"]


def test_removals_are_judged_by_pre_images(project, there):
    mine = {"filter": {"owner": "$auth.uid"}}
    # A collection that was made here has them.
    notes = project.collection("notes", {**OPEN_POLICY, "read": mine, "list": mine})
    starts(project, there)
    user, other = project.end_user(), project.end_user()
    there.notes.insert_many([{"owner": user.id}, {"owner": other.id}])
    with Live(project.server, user.token) as live:
        live.follow(notes)
        there.notes.delete_one({"owner": other.id})
        there.notes.delete_one({"owner": user.id})
        there.notes.insert_one({"owner": user.id})
        events = [live.event()["type"]]
        while events[-1] != "insert" or "delete" not in events:
            events.append(live.event()["type"])
    assert events.count("delete") == 1


def test_a_backfill_gives_no_events(project, there):
    orders = imported(project, there, "orders", [{"n": 1}, {"n": 2}, {"_id": 3, "n": 3}])
    starts(project, there)
    with Live(project.server, project.end_user().token) as live:
        live.follow(orders)
        done = ok(project.admin.post(f"/admin/introspect/{orders}/backfill", {}))
        assert done["modified"] == 3 and done["remaining"] == 0
        there.orders.insert_one({"n": 4})
        assert seen(live.event()) == ("insert", 4)


def test_a_collection_that_is_dropped_there_is_a_gap_to_the_others(project, there):
    orders = imported(project, there, "orders", [{"n": 1}])
    notes = imported(project, there, "notes", [{"n": 1}])
    starts(project, there)
    with Live(project.server, project.end_user().token) as live:
        live.follow(notes)
        there[orders].drop()
        assert live.next()["type"] == "gap"


def test_removals_without_a_usable_id_are_counted(project, owner, there):
    items = imported(project, there, "items", [{"_id": n, "id": f"own{n}"} for n in range(4)])
    starts(project, there)

    def counted() -> list[str]:
        found = ok(owner.get(f"/control/projects/{project.id}"))["project"].get("warnings", [])
        return [each["message"] for each in found if each["code"] == "deletes-missed"]

    with Live(project.server, project.end_user().token) as live:
        live.follow(items)
        there.items.update_one({"_id": 0}, {"$set": {"n": 1}})
        assert seen(live.event()) == ("update", 1)
        there.items.delete_one({"_id": 0})
        assert live.event()["documentId"] == "own0"
        assert counted() == []
        there.items.delete_many({"_id": {"$in": [1, 2]}})
        wait_until(lambda: counted() and "2 of them" in counted()[0])
        there.items.delete_one({"_id": 3})
        wait_until(lambda: "3 of them" in counted()[0])
        checked = ok(owner.post(f"/control/projects/{project.id}/database/check"))["warnings"]
        assert counted()[0] in [each["message"] for each in checked]
        # None of these was sent.
        there.items.insert_one({"n": 2})
        assert seen(live.event()) == ("insert", 2)


# ---- by both


def test_writes_made_here_come_once_and_in_the_databases_order(project, there):
    counters = project.collection("counters")
    starts(project, there)
    id = project.admin.create(counters, {"n": 0, "theirs": 0})["id"]
    stop = threading.Event()

    def outside():
        while not stop.is_set():
            there.counters.update_one({}, {"$inc": {"theirs": 1}})
            stop.wait(0.002)

    with Live(project.server, project.end_user().token) as live:
        live.follow(counters)
        thread = threading.Thread(target=outside)
        thread.start()
        try:
            written = [project.admin.patch(f"/{counters}/{id}", {"$inc": {"n": 1}}).status_code for _ in range(30)]
        finally:
            stop.set()
            thread.join()
        assert set(written) <= {204, 409}
        ok(project.admin.patch(f"/{counters}/{id}", {"$set": {"last": True}}), 204)
        theirs = there.counters.find_one()["theirs"]
        made = written.count(204)
        states, updates = [], 0
        while updates < theirs + made + 1:
            event = live.event()
            assert event["type"] in ("insert", "update")
            states.append(event["document"])
            updates += event["type"] == "update"
    # One event for each change, and none with an older state than the one before, whoever made them.
    steps = [(each["n"], each["theirs"]) for each in states]
    for before, after in zip(steps, steps[1:]):
        assert before[0] <= after[0] and before[1] <= after[1], steps
    assert steps[-1] == (made, theirs) and states[-1]["last"] is True


def test_no_state_steps_back_where_both_write_many_documents(project, there):
    rows = project.collection("rows")
    starts(project, there)
    ids = [project.admin.create(rows, {"k": k, "ours": 0, "theirs": 0})["id"] for k in range(5)]
    stop = threading.Event()

    def outside():
        while not stop.is_set():
            for k in range(5):
                there.rows.update_one({"k": k}, {"$inc": {"theirs": 1}})
            there.rows.update_many({}, {"$inc": {"theirs": 1}})

    states: dict[str, list[dict]] = {}
    with Live(project.server, project.end_user().token) as live:
        live.follow(rows)
        thread = threading.Thread(target=outside)
        thread.start()
        try:
            for n in range(60):
                response = project.admin.patch(f"/{rows}/{ids[n % 5]}", {"$inc": {"ours": 1}})
                assert response.status_code in (204, 409)
        finally:
            stop.set()
            thread.join()
        end = project.admin.create(rows, {"k": "end"})["id"]
        while (event := live.event())["documentId"] != end:
            states.setdefault(event["documentId"], []).append(event["document"])
    for id, seen_states in states.items():
        for before, after in zip(seen_states, seen_states[1:]):
            assert before["ours"] <= after["ours"] and before["theirs"] <= after["theirs"], seen_states
        assert seen_states[-1] == ok(project.admin.get(f"/{rows}/{id}"))["document"]


def test_a_document_that_is_made_again_and_again(project, there):
    """Its removals look the same."""
    posts = project.collection("posts")
    starts(project, there)
    id = project.admin.create(posts, {"n": 0})["id"]
    with Live(project.server, project.end_user().token) as live:
        live.follow(posts)
        for n in range(1, 8):
            ok(project.admin.delete(f"/{posts}/{id}"), 204)
            ok(project.admin.post(f"/{posts}", {"id": id, "n": n}), 201)
        events = [seen(live.event()) for _ in range(14)]
        ok(project.admin.post(f"/{posts}", {"n": "end"}), 201)
        assert seen(live.event()) == ("insert", "end")
    assert events == [each for n in range(1, 8) for each in (("delete", None), ("insert", n))]


def test_without_change_streams_only_writes_made_here_are_seen(owner, tmp_path):
    standalone = MongoServer(tmp_path, "--standalone")
    try:
        address = f"mongodb://127.0.0.1:{standalone.port}/shop"
        project = Project(owner, made(owner, address))
        posts = project.collection("posts")
        with connected(address) as client, Live(project.server, project.end_user().token) as live:
            live.follow(posts)
            id = project.admin.create(posts, {"n": 1})["id"]
            client.get_default_database().posts.update_one({}, {"$set": {"n": 2}})
            ok(project.admin.patch(f"/{posts}/{id}", {"$inc": {"n": 10}}), 204)
            ok(project.admin.delete(f"/{posts}/{id}"), 204)
            assert [seen(live.event()) for _ in range(3)] == [("insert", 1), ("update", 12), ("delete", None)]
    finally:
        standalone.kill()


# ---- over crashes, suspensions and losses


@pytest.fixture
def apart(make_server, database):
    """A server of this test's own, with a project on the database."""
    server = make_server(SETTINGS).start()
    project = Project(PlatformUser(server), made(PlatformUser(server), database))
    return server, project


@pytest.mark.parametrize("rounds", [3])
def test_kill_9_loses_and_doubles_nothing(make_server, database, there, receiver, rounds):
    server = make_server(SETTINGS).start()
    owner = PlatformUser(server)
    project = Project(owner, made(owner, database))
    orders = project.collection("orders")
    hook = Hook(project, receiver, collection=orders, events=["insert"])
    starts(project, there)
    n = 0
    for _ in range(rounds):
        stop = threading.Event()
        written: list[int] = []

        def outside(begin=n + 1000, stop=stop, written=written):
            while not stop.is_set():
                there.orders.insert_one({"n": begin + len(written)})
                written.append(begin + len(written))

        thread = threading.Thread(target=outside)
        thread.start()
        for _ in range(10):
            ok(project.admin.post(f"/{orders}", {"n": n}), 201)
            n += 1
        server.kill()
        stop.set()
        thread.join()
        # While no server runs.
        there.orders.insert_one({"n": n + 100_000})
        n += len(written) + 2000
        server.start()
    there.orders.insert_one({"n": -1})
    expected = sorted(each["n"] for each in there.orders.find())

    def delivered() -> dict:
        # A delivery that was under way as the server was killed is sent again under its id.
        return {each.body["id"]: each.body["document"]["n"] for each in receiver.at(hook.path)}

    wait_until(lambda: len(delivered()) >= len(expected) and -1 in delivered().values(), 60, "events are missing")
    assert sorted(delivered().values()) == expected


def test_a_suspended_project_gets_later_what_changed_meanwhile(project, owner, there, receiver):
    orders = imported(project, there, "orders", [{"n": 0}])
    hook = Hook(project, receiver, collection=orders)
    starts(project, there)
    path = f"/control/projects/{project.id}"
    ok(owner.post(f"{path}/suspend"), 204)
    there.orders.insert_one({"n": 1})
    there.orders.insert_one({"n": 2})
    ok(owner.post(f"{path}/resume"), 204)
    there.orders.insert_one({"n": 3})
    assert sorted(each.body["document"]["n"] for each in hook.arrived(3)) == [1, 2, 3]
    assert missed(owner, project) == []


def test_a_lost_past_is_a_gap_and_a_warning(owner, tmp_path, receiver):
    mongo = MongoServer(tmp_path)
    try:
        address = f"mongodb://127.0.0.1:{mongo.port}/shop?replicaSet=secantus"
        project = Project(owner, made(owner, address))
        with connected(address) as client, Live(project.server, project.end_user().token) as live:
            there = client.get_default_database()
            orders = imported(project, there, "orders", [{"n": 0}])
            hook = Hook(project, receiver, collection=orders)
            starts(project, there)
            live.follow(orders)
            there.orders.insert_one({"n": 0})
            before = live.event()["position"]
            # ChangeStreamHistoryLost
            client.admin.command(
                {
                    "configureFailPoint": "failCommand",
                    "mode": {"times": 1},
                    "data": {"failCommands": ["getMore"], "errorCode": 286},
                }
            )
            assert live.next()["type"] == "gap"
            there.orders.insert_one({"n": 1})
            assert seen(live.event()) == ("insert", 1)
            assert [each.body["document"]["n"] for each in hook.arrived(2)] == [0, 1]
            # Those who were away get it, too.
            with Live(project.server, project.end_user().token) as late:
                late.follow(orders, after=before)
                assert late.next()["type"] == "gap"
                assert seen(late.event()) == ("insert", 1)
        [warning] = missed(owner, project)
        [entry] = ok(project.admin.get("/admin/audit", params={"action": "database.changes_missed"}))["entries"]
        assert entry["details"]["since"] in warning["message"] and entry["actor"]["kind"] == "server"
        checked = ok(owner.post(f"/control/projects/{project.id}/database/check"))
        assert warning in checked["warnings"]
    finally:
        mongo.kill()


def test_a_database_that_is_dropped_is_a_gap(project, owner, there):
    orders = imported(project, there, "orders", [{"n": 0}])
    starts(project, there)
    with Live(project.server, project.end_user().token) as live:
        live.follow(orders)
        there.client.drop_database(there.name)
        while (message := live.next())["type"] == "gap":
            pass
        is_error(message, "NOT_FOUND", "s")
        wait_until(lambda: missed(owner, project), 30, "nobody says that changes were missed")


def test_another_database_is_a_gap_and_is_followed(project, owner, there, mongo):
    orders = imported(project, there, "orders", [{"n": 0}])
    starts(project, there)
    other = f"mongodb://127.0.0.1:{mongo.port}/{unique('d')}?replicaSet=secantus"
    with connected(other) as client, Live(project.server, project.end_user().token) as live:
        live.follow(orders)
        client.get_default_database().create_collection("orders")
        marks = [each for each in there.list_collection_names() if each != "orders"]
        for name in marks:
            client.get_default_database().create_collection(name)
        ok(owner.patch(f"/control/projects/{project.id}", {"mongoUrl": other}), 204)
        assert live.next()["type"] == "gap"
        there.orders.insert_one({"n": 1})
        client.get_default_database().orders.insert_one({"n": 2})
        assert seen(live.event()) == ("insert", 2)
    assert missed(owner, project) == []
