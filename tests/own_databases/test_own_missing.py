"""Collections of a project that its database does not have any more, until they are there again."""

import pytest

from support.client import PlatformUser, Project, ok, refused
from support.function import Function
from support.mongo_server import MongoServer
from support.own_database import connected, fresh, imported, made
from support.realtime import Live, is_error
from support.waiting import wait_until

MISSING = "the collection is missing in the project's database"


def checked(project) -> list[dict]:
    return ok(project.owner.post(f"/control/projects/{project.id}/database/check"))["warnings"]


def missing(warnings: list[dict]) -> list[str]:
    return [each["message"].split('"')[1] for each in warnings if each["code"] == "collection-missing"]


def shown(project) -> list[str]:
    return missing(ok(project.owner.get(f"/control/projects/{project.id}"))["project"].get("warnings", []))


def ends(live: Live, id: str) -> None:
    """The subscription ends; a gap may come before."""
    while (message := live.next())["type"] == "gap":
        pass
    is_error(message, "NOT_FOUND", id)


def followed(project, there, collection: str) -> Live:
    """A socket that follows the collection, once changes that others make are seen."""
    live = Live(project.server, project.end_user().token)
    live.follow(collection)

    def arrives() -> bool:
        there[collection].insert_one({"n": 0})
        try:
            return live.next(0.5)["type"] == "event"
        except TimeoutError:
            return False

    wait_until(arrives, 60, "changes that others make are not followed")
    return live


def test_a_collection_that_is_dropped_is_not_found_until_it_is_there_again(project, there):
    orders, notes = imported(project, there, "orders", [{"n": 1}]), imported(project, there, "notes", [{"n": 1}])
    reader = Function(project, f"return await ctx.db.find('{orders}', {{}});", {"type": "http", "method": "GET", "path": "/all"})
    writer = Function(project, f"return await ctx.db.insertOne('{orders}', {{}});", {"type": "http", "method": "GET", "path": "/add"})
    user = project.end_user()
    with followed(project, there, orders) as live:
        there[orders].drop()
        ends(live, "s")
        for api in (user, project.admin):
            for response in (
                api.get(f"/{orders}"),
                api.get(f"/{orders}/some"),
                api.post(f"/{orders}", {"n": 2}),
                api.patch(f"/{orders}/some", {"$set": {"n": 2}}),
                api.delete(f"/{orders}/some"),
            ):
                assert refused(response, 404, "NOT_FOUND")["message"] == MISSING
        refused(project.admin.post(f"/admin/collections/{orders}/indexes", {"keys": {"n": 1}}), 404, "NOT_FOUND")
        assert "errors" in project.admin.post("/graphql", {"query": "{ orders { id } }"}).json()
        for function in (reader, writer):
            assert MISSING in str(function.invoke())
        # Nothing has made it again; others and the configuration are as they were.
        assert orders not in there.list_collection_names()
        ok(user.get(f"/{notes}"))
        assert orders in str(ok(project.admin.get("/admin/collections")))
        wait_until(lambda: shown(project) == [orders], 60)
        live.say({"type": "subscribe", "id": "late", "collection": orders})
        live.error("FORBIDDEN", "late")

        there[orders].insert_one({"n": 3})
        assert missing(checked(project)) == [] and shown(project) == []
        assert [each["n"] for each in project.admin.list(orders)] == [3]
        live.follow(orders, id="again")
        there[orders].insert_one({"n": 4})
        while (event := live.event("again"))["document"]["n"] != 4:
            assert event["document"]["n"] == 3
    ok(project.admin.post(f"/{orders}", {"n": 5}), 201)
    assert len(reader.invoke()["result"]) == 3


@pytest.mark.long(run="waits")
def test_the_first_document_shows_that_it_is_there_again(project, there):
    orders = imported(project, there, "orders", [{"n": 1}])
    with followed(project, there, orders) as live:
        there[orders].drop()
        ends(live, "s")
    there[orders].insert_one({"n": 2})
    # A second probe of a project waits for up to half a minute.
    wait_until(lambda: project.admin.get(f"/{orders}").status_code == 200, 90)


def test_a_collection_that_is_renamed_there_is_missing(project, there):
    orders = imported(project, there, "orders", [{"n": 1}])
    with followed(project, there, orders) as live:
        there[orders].rename("archive")
        ends(live, "s")
    assert missing(checked(project)) == [orders]
    there["archive"].rename(orders)
    assert missing(checked(project)) == []
    ok(project.admin.get(f"/{orders}"))


def test_it_keeps_its_configuration_and_can_be_deleted(project, there):
    orders = imported(project, there, "orders", [{"n": 1}])
    there[orders].drop()
    assert missing(checked(project)) == [orders]
    ok(project.admin.put(f"/admin/collections/{orders}/schema", {"type": "object"}), 204)
    refused(project.admin.get(f"/{orders}"), 404, "NOT_FOUND")
    ok(project.admin.post(f"/admin/collections/{orders}/rename", {"to": "sales"}), 204)
    refused(project.admin.get("/sales"), 404, "NOT_FOUND")
    assert missing(checked(project)) == ["sales"]
    ok(project.admin.delete("/admin/collections/sales"), 204)
    assert missing(checked(project)) == []
    project.collection(orders)
    ok(project.admin.get(f"/{orders}"))


def test_dropping_the_data_of_a_collection_here_deletes_it(project, there):
    orders = imported(project, there, "orders", [{"n": 1}])
    with followed(project, there, orders) as live:
        ok(project.admin.delete(f"/admin/collections/{orders}", params={"data": "drop"}), 204)
        ends(live, "s")
    assert missing(checked(project)) == [] and orders not in there.list_collection_names()


def test_without_change_streams_a_check_finds_it(owner, tmp_path):
    standalone = MongoServer(tmp_path, "--standalone")
    try:
        url = fresh(standalone).replace("?replicaSet=secantus", "")
        project = Project(owner, made(owner, url))
        with connected(url) as client:
            there = client.get_default_database()
            orders = imported(project, there, "orders", [{"n": 1}])
            with Live(project.server, project.end_user().token) as live:
                live.follow(orders)
                there[orders].drop()
                assert missing(checked(project)) == [orders]
                ends(live, "s")
            there.create_collection(orders)
            assert missing(checked(project)) == []
            assert project.admin.list(orders) == []
    finally:
        standalone.kill()


@pytest.mark.long(run="waits")
def test_a_pass_finds_it_without_a_check(make_server, server_settings, tmp_path):
    """The first pass comes a minute after the start."""
    standalone = MongoServer(tmp_path, "--standalone")
    try:
        server = make_server(server_settings).start()
        owner = PlatformUser(server)
        url = fresh(standalone).replace("?replicaSet=secantus", "")
        project = Project(owner, made(owner, url))
        with connected(url) as client:
            orders = imported(project, client.get_default_database(), "orders", [{"n": 1}])
            client.get_default_database()[orders].drop()
        wait_until(lambda: project.admin.get(f"/{orders}").status_code == 404, 120)
        assert shown(project) == [orders]
    finally:
        standalone.kill()
