"""Documents of projects on a database of their owner."""

import re
import threading

import bson
import pytest

from support.client import ok, refused
from support.own_database import imported
from support.realtime import Live

COVER = re.compile(r"[A-Za-z0-9_-]{22}")


# ---- collections made here


def test_a_document_is_stored_in_the_owners_database(project, there):
    posts = project.collection("posts")
    created = project.admin.create(posts, {"title": "Hello", "n": 2**60})
    assert COVER.fullmatch(created["id"])
    stored = there.posts.find_one()
    assert isinstance(stored["_id"], bson.ObjectId)
    assert stored["id"] == created["id"] and stored["title"] == "Hello" and stored["n"] == 2**60
    assert set(stored) == {"_id", "id", "title", "n", "createdAt", "updatedAt", "ownerId"}
    assert ok(project.admin.get(f"/{posts}/{created['id']}"))["document"] == created
    ok(project.admin.patch(f"/{posts}/{created['id']}", {"$set": {"title": "Changed"}}), 204)
    assert there.posts.find_one()["title"] == "Changed"
    assert there.posts.find_one()["_id"] == stored["_id"]
    ok(project.admin.delete(f"/{posts}/{created['id']}"), 204)
    assert there.posts.count_documents({}) == 0


def test_clients_choose_ids_once(project):
    posts = project.collection("posts")
    ok(project.admin.post(f"/{posts}", {"id": "mine", "n": 1}), 201)
    refused(project.admin.post(f"/{posts}", {"id": "mine", "n": 2}), 409, "CONFLICT")
    assert ok(project.admin.get(f"/{posts}/mine"))["document"]["n"] == 1


def test_lists_are_in_the_order_of_creation_and_exact(project):
    posts = project.collection("posts")
    for n in range(30):
        ok(project.admin.post(f"/{posts}", {"n": n, "even": n % 2 == 0}), 201)
    page = ok(project.admin.post(f"/{posts}/query", {"limit": 10, "skip": 5, "total": True}))
    assert [each["n"] for each in page["documents"]] == list(range(5, 15)) and page["total"] == 30
    page = ok(project.admin.post(f"/{posts}/query", {"filter": {"even": True, "n": {"$gte": 10}}, "total": True}))
    assert [each["n"] for each in page["documents"]] == list(range(10, 30, 2)) and page["total"] == 10
    one = page["documents"][0]["id"]
    assert [each["n"] for each in project.admin.list(posts, filter={"id": one})] == [10]
    assert [each["n"] for each in project.admin.list(posts, filter={"id": {"$in": [one, "nothing"]}})] == [10]


@pytest.mark.parametrize("sort", [None, [{"even": -1}], [{"n": 1}], [{"missing": 1}, {"n": -1}]])
def test_pages_hold_each_document_once(project, sort):
    posts = project.collection("posts")
    for n in range(25):
        ok(project.admin.post(f"/{posts}", {"n": n, "even": n % 2 == 0}), 201)
    seen, after = [], None
    while True:
        body = {"limit": 7, **({"sort": sort} if sort else {}), **({"after": after} if after else {})}
        page = ok(project.admin.post(f"/{posts}/query", body))
        seen += [each["n"] for each in page["documents"]]
        after = page.get("next")
        if not after:
            break
    assert sorted(seen) == list(range(25))


def test_writes_of_one_document_lose_nothing(project):
    counters = project.collection("counters")
    counter = project.admin.create(counters, {"n": 0})["id"]
    failures = []

    def add():
        for _ in range(10):
            response = project.admin.patch(f"/{counters}/{counter}", {"$inc": {"n": 1}})
            if response.status_code != 204:
                failures.append(response.text)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures
    assert ok(project.admin.get(f"/{counters}/{counter}"))["document"]["n"] == 40


def test_a_condition_on_the_version_is_checked(project, there):
    posts = project.collection("posts")
    created = project.admin.post(f"/{posts}", {"n": 1})
    id, etag = ok(created, 201)["document"]["id"], created.headers["etag"]
    there.posts.update_one({"id": id}, {"$set": {"n": 2}})
    refused(project.admin.patch(f"/{posts}/{id}", {"$set": {"n": 3}}, headers={"if-match": etag}), 412)
    fresh = project.admin.get(f"/{posts}/{id}").headers["etag"]
    ok(project.admin.patch(f"/{posts}/{id}", {"$set": {"n": 3}}, headers={"if-match": fresh}), 204)


def test_indexes_are_made_there_and_refuse(project, there):
    posts = project.collection("posts", indexes=({"keys": {"slug": 1}, "unique": True},))
    assert there.posts.index_information()["mb_slug_1"]["unique"]
    ok(project.admin.post(f"/{posts}", {"slug": "a"}), 201)
    error = refused(project.admin.post(f"/{posts}", {"slug": "a"}), 409, "CONFLICT")
    assert "slug_1" in error["message"] and "mb_" not in error["message"]
    ok(project.admin.delete(f"/admin/collections/{posts}/indexes/slug_1"), 204)
    assert "mb_slug_1" not in there.posts.index_information()
    ok(project.admin.post(f"/{posts}", {"slug": "a"}), 201)
    refused(project.admin.post(f"/admin/collections/{posts}/indexes", {"keys": {"slug": 1}, "unique": True}), 409)


def test_a_collection_that_is_there_is_not_made_again(project, there):
    there.orders.insert_one({"n": 1})
    refused(project.admin.post("/admin/collections", {"name": "orders"}), 409, "CONFLICT")
    assert there.orders.count_documents({}) == 1


def test_policies_decide_on_documents_there(project, there):
    mine = {"filter": {"ownerId": "$auth.uid"}}
    policy = {"read": mine, "list": mine, "create": {}, "update": mine}
    notes = project.collection("notes", policy=policy)
    ann, bob = project.end_user(), project.end_user()
    note = ann.create(notes, {"text": "mine"})
    assert there.notes.find_one()["ownerId"] == ann.id
    assert len(ann.list(notes)) == 1 and bob.list(notes) == []
    refused(bob.get(f"/{notes}/{note['id']}"), 404, "NOT_FOUND")
    refused(bob.patch(f"/{notes}/{note['id']}", {"$set": {"text": "theirs"}}), 404, "NOT_FOUND")


def test_subscribers_hear_of_writes_made_here(project):
    posts = project.collection("posts")
    with Live(project.server, project.end_user().token) as live:
        live.follow(posts)
        created = project.admin.create(posts, {"n": 1})
        event = live.event()
        assert event["type"] == "insert" and event["document"] == created
        ok(project.admin.delete(f"/{posts}/{created['id']}"), 204)
        assert live.event()["type"] == "delete"


@pytest.mark.parametrize(
    "body, code",
    [({"_id": 1}, "INVALID_BODY"), ({"_id": {"$oid": "65f1a2b3c4d5e6f708192a3b"}, "n": 1}, "INVALID_BODY")],
)
def test_the_key_there_cannot_be_written(project, there, body, code):
    posts = project.collection("posts")
    refused(project.admin.post(f"/{posts}", body), 400, code)
    id = project.admin.create(posts, {"n": 1})["id"]
    refused(project.admin.patch(f"/{posts}/{id}", {"$set": body}), 400, code)
    assert there.posts.count_documents({}) == 1


def test_the_key_there_cannot_be_filtered_sorted_or_indexed_by(project):
    posts = project.collection("posts")
    refused(project.admin.get(f"/{posts}", params={"filter": '{"_id":1}'}), 400, "INVALID_FILTER")
    refused(project.admin.get(f"/{posts}", params={"filter": '{"$or":[{"_id.a":1},{"n":1}]}'}), 400, "INVALID_FILTER")
    refused(project.admin.post(f"/{posts}/query", {"sort": [{"_id": 1}]}), 400, "INVALID_FILTER")
    refused(project.admin.post(f"/admin/collections/{posts}/indexes", {"keys": {"_id": 1}}), 400, "INVALID_FILTER")


# ---- imported collections


def test_documents_without_an_id_are_read_and_written_by_their_cover(project, there):
    orders = imported(project, there, "orders", [{"n": n} for n in range(3)])
    listed = project.admin.list(orders)
    assert [each["n"] for each in listed] == [0, 1, 2]
    assert all(COVER.fullmatch(each["id"]) and set(each) == {"id", "n"} for each in listed)
    first = listed[0]["id"]
    assert ok(project.admin.get(f"/{orders}/{first}"))["document"] == listed[0]
    key = there.orders.find_one({"n": 0})["_id"]
    assert str(key) not in project.admin.get(f"/{orders}").text
    ok(project.admin.patch(f"/{orders}/{first}", {"$set": {"n": 10}}), 204)
    stored = there.orders.find_one({"_id": key})
    assert stored["n"] == 10 and stored["id"] == first and "createdAt" not in stored
    refused(project.admin.post(f"/{orders}", {"id": "mine"}), 409, "CONFLICT")


def test_documents_with_other_keys_are_shown_where_they_have_an_id(project, there):
    items = imported(
        project,
        there,
        "items",
        [{"_id": "sku-1", "n": 1}, {"_id": 7, "n": 2}, {"_id": 8, "id": "eight", "n": 3}, {"_id": "not an id", "n": 4}],
    )
    page = ok(project.admin.post(f"/{items}/query", {"total": True}))
    assert [(each["id"], each["n"]) for each in page["documents"]] == [("eight", 3), ("sku-1", 1)] and page["total"] == 2
    assert ok(project.admin.get(f"/{items}/sku-1"))["document"]["n"] == 1
    ok(project.admin.patch(f"/{items}/eight", {"$set": {"n": 30}}), 204)
    assert there.items.find_one({"_id": 8})["n"] == 30
    refused(project.admin.get(f"/{items}/7"), 404, "NOT_FOUND")


def test_values_without_a_form_in_json_stay(project, there):
    stamp, pattern = bson.Timestamp(5, 6), bson.Regex("^a", "i")
    things = imported(project, there, "things", [{"stamp": stamp, "re": pattern, "low": bson.MinKey(), "nan": float("nan"), "n": 1}])
    shown = project.admin.list(things)[0]
    assert shown["stamp"] == {"$timestamp": {"t": 5, "i": 6}}
    assert shown["re"] == {"$regularExpression": {"pattern": "^a", "options": "i"}}
    assert shown["nan"] is None and shown["low"] == {"$minKey": 1}
    ok(project.admin.patch(f"/{things}/{shown['id']}", {"$set": {"n": 2}}), 204)
    stored = there.things.find_one()
    assert stored["stamp"] == stamp and stored["re"] == pattern and stored["low"] == bson.MinKey() and stored["n"] == 2
    error = refused(project.admin.put(f"/{things}/{shown['id']}", {"n": 3}), 409, "CONFLICT")
    assert "/stamp" in error["message"]
    assert there.things.find_one()["n"] == 2


def test_an_outside_change_is_never_overwritten_blindly(project, there):
    orders = imported(project, there, "orders", [{"n": 0, "theirs": 0}])
    id = project.admin.list(orders)[0]["id"]
    stop = threading.Event()

    def outside():
        while not stop.is_set():
            there.orders.update_one({}, {"$inc": {"theirs": 1}})

    thread = threading.Thread(target=outside)
    thread.start()
    try:
        written = [project.admin.patch(f"/{orders}/{id}", {"$inc": {"n": 1}}).status_code for _ in range(20)]
    finally:
        stop.set()
        thread.join()
    assert set(written) <= {204, 409}
    assert there.orders.find_one()["n"] == written.count(204)


def test_large_documents_are_read_and_do_not_grow(project, there):
    blobs = imported(project, there, "blobs", [{"text": "x" * (3 << 20), "n": 1}])
    id = ok(project.admin.get(f"/{blobs}"))["documents"][0]["id"]
    ok(project.admin.patch(f"/{blobs}/{id}", {"$set": {"n": 2}}), 204)
    refused(project.admin.patch(f"/{blobs}/{id}", {"$set": {"more": "y" * 1000}}), 413)
    ok(project.admin.patch(f"/{blobs}/{id}", {"$set": {"text": "short"}}), 204)
    assert there.blobs.find_one()["text"] == "short"
