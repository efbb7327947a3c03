"""References that hold: `x-ref` with `check` and `onDelete`. MB_RACE_ROUNDS sets the number of rounds of the races."""

import concurrent.futures
import os
import threading

import pytest

from support.client import OPEN_POLICY, PlatformUser, ok, refused
from support.function import database_function, http_function
from support.waiting import SLOW, wait_until

ROUNDS = int(os.environ.get("MB_RACE_ROUNDS", "20"))
LONG = pytest.mark.timeout(int((60 + ROUNDS * 3) * SLOW))


def to(collection: str, **more) -> dict:
    return {"type": "string", "x-ref": {"collection": collection, **more}}


def fields(**properties) -> dict:
    return {"type": "object", "properties": properties}


def referring(project, field: dict, name: str | None = None, key: str = "post", policy=OPEN_POLICY) -> str:
    """Creates a collection with the index that an onDelete of its field needs."""
    name = project.collection(name, policy=policy, indexes=[{"keys": {key: 1}}])
    ok(project.admin.put(f"/admin/collections/{name}/schema", fields(**{key: field})), 204)
    return name


def jobs(admin) -> list:
    return ok(admin.get("/admin/jobs", params={"limit": 1000}))["jobs"]


def until_done(admin) -> None:
    wait_until(lambda: not jobs(admin), 60, lambda: f"jobs are not done: {jobs(admin)}")


def ids(admin, collection: str) -> list:
    found = ok(admin.get(f"/admin/collections/{collection}/documents", params={"limit": 1000}))["documents"]
    return [document["id"] for document in found]


@pytest.fixture
def posts(project):
    return project.collection()


# ---- saves


def test_an_index_is_demanded_and_kept(project, admin, posts):
    name = project.collection()
    schema = f"/admin/collections/{name}/schema"
    restrict = fields(post=to(posts, onDelete="restrict"))
    error = refused(admin.put(schema, restrict), 400, "VALIDATION", "/properties/post/x-ref/onDelete")
    assert "post_1" in error["message"]
    assert ok(admin.get(schema))["schema"] is None
    ok(admin.post(f"/admin/collections/{name}/indexes", {"keys": {"post": 1}}), 201)
    ok(admin.put(schema, restrict), 204)
    assert ok(admin.get(schema))["schema"] == restrict
    refused(admin.delete(f"/admin/collections/{name}/indexes/post_1"), 409, "CONFLICT")
    ok(admin.put(schema, fields(post=to(posts, check="exists"))), 204)
    ok(admin.delete(f"/admin/collections/{name}/indexes/post_1"), 204)


@pytest.mark.parametrize(
    "reference, path",
    [
        ({}, ""),
        ({"collection": 5}, ""),
        ({"collection": "Nowhere"}, ""),
        ({"collection": "Posts", "check": "maybe"}, "/check"),
        ({"collection": "Posts", "onDelete": "explode"}, "/onDelete"),
        ({"collection": "Posts", "more": True}, "/more"),
        ({"collection": "users", "check": "readable"}, "/check"),
        ({"collection": "users", "onDelete": "cascade"}, "/onDelete"),
        (["Posts"], ""),
        (7, ""),
    ],
)
def test_bad_references(project, admin, reference, path):
    if "Posts" not in ok(admin.get("/admin/collections"))["collections"]:
        project.collection("Posts")
    name = project.collection(indexes=[{"keys": {"post": 1}}])
    schema = fields(post={"type": "string", "x-ref": reference})
    answer = admin.put(f"/admin/collections/{name}/schema", schema)
    refused(answer, 400, "VALIDATION", "/properties/post/x-ref" + path)
    assert ok(admin.get(f"/admin/collections/{name}/schema"))["schema"] is None


def test_cycles_of_cascades(project, admin):
    a, b, c = (project.collection(indexes=[{"keys": {"post": 1}}]) for _ in range(3))

    def cascade(name, target):
        return admin.put(f"/admin/collections/{name}/schema", fields(post=to(target, onDelete="cascade")))

    ok(cascade(a, b), 204)
    ok(cascade(b, c), 204)
    error = refused(cascade(c, a), 400, "VALIDATION", "/properties/post/x-ref/onDelete")
    assert f'"{c}" -> "{a}" -> "{b}" -> "{c}"' in error["message"]
    refused(cascade(c, c), 400, "VALIDATION", "/properties/post/x-ref/onDelete")
    ok(admin.put(f"/admin/collections/{c}/schema", fields(post=to(a, onDelete="unset"))), 204)


# ---- checks


def test_a_missing_document_is_refused_whatever_writes(project, admin, posts):
    alice = project.end_user()
    name = referring(project, to(posts, check="exists"))
    post = alice.create(posts, {})["id"]
    refused(alice.post(f"/{name}", {"post": "none"}), 400, "VALIDATION", "/post")
    comment = alice.create(name, {"post": post})["id"]
    refused(alice.patch(f"/{name}/{comment}", {"post": "none"}), 400, "VALIDATION", "/post")
    refused(alice.put(f"/{name}/{comment}", {"post": "none"}), 400, "VALIDATION", "/post")
    refused(admin.post(f"/admin/collections/{name}/documents", {"post": "none"}), 400, "VALIDATION", "/post")
    kind = name[0].upper() + name[1:]
    query = "mutation($i: %sInput!){create%s(input: $i){id}}" % (kind, kind)
    answer = ok(alice.post("/graphql", {"query": query, "variables": {"i": {"post": "none"}}}))
    assert answer["errors"][0]["extensions"]["code"] == "VALIDATION", answer
    run = http_function(project, f"return await ctx.db.insertOne('{name}', {{post: 'none'}});").invoke()
    assert run["status"] == "error" and "does not exist" in str(run["error"]), run
    assert ids(admin, name) == [comment]


def test_readable_is_what_the_caller_may_read(project):
    alice, bob = project.end_user(), project.end_user()
    owned = {**OPEN_POLICY, "read": {"filter": {"ownerId": "$auth.uid"}}}
    notes = project.collection(policy=owned)
    name = referring(project, {"type": "array", "items": to(notes, check="readable")})
    note = alice.create(notes, {})["id"]
    alice.create(name, {"post": [note]})
    hidden = refused(bob.post(f"/{name}", {"post": [note]}), 400, "VALIDATION", "/post/0")
    assert hidden == refused(bob.post(f"/{name}", {"post": ["none"]}), 400, "VALIDATION", "/post/0")


def test_users_are_checked(project):
    alice = project.end_user()
    name = project.collection(schema=fields(by=to("users", check="exists")))
    alice.create(name, {"by": alice.id})
    refused(alice.post(f"/{name}", {"by": "user_00000000000000000000"}), 400, "VALIDATION", "/by")


# ---- deletions


def test_restrict_names_the_collection_that_refers(project, admin, posts):
    alice = project.end_user()
    name = referring(project, to(posts, onDelete="restrict"))
    post = alice.create(posts, {})["id"]
    comment = alice.create(name, {"post": post})["id"]
    assert name in refused(alice.delete(f"/{posts}/{post}"), 409, "CONFLICT")["message"]
    refused(admin.delete(f"/admin/collections/{posts}/documents/{post}"), 409, "CONFLICT")
    kind = posts[0].upper() + posts[1:]
    answer = ok(alice.post("/graphql", {"query": 'mutation{delete%s(id: "%s")}' % (kind, post)}))
    assert answer["errors"][0]["extensions"]["code"] == "CONFLICT", answer
    run = http_function(project, f"return await ctx.db.deleteMany('{posts}', {{}});").invoke()
    assert run["status"] == "error" and name in str(run["error"]), run
    ok(alice.delete(f"/{name}/{comment}"), 204)
    ok(alice.delete(f"/{posts}/{post}"), 204)
    assert jobs(admin) == []


def test_a_cascade_deletes_with_events(project, admin, posts):
    alice = project.end_user()
    comments = referring(project, to(posts, onDelete="cascade"))
    likes = referring(project, to(comments, onDelete="cascade"), key="comment")
    heard = database_function(project, likes, "return event.documentId;", events=("delete",))
    post = alice.create(posts, {})["id"]
    kept = alice.create(comments, {"post": alice.create(posts, {})["id"]})["id"]
    for n in range(5):
        comment = alice.create(comments, {"post": post})["id"]
        alice.create(likes, {"id": f"like{n}", "comment": comment})
    ok(alice.delete(f"/{posts}/{post}"), 204)
    until_done(admin)
    assert ids(admin, comments) == [kept] and ids(admin, likes) == []
    assert sorted(run["result"] for run in heard.logged(5)) == [f"like{n}" for n in range(5)]


def test_unset_removes_fields_and_elements(project, admin, posts):
    alice = project.end_user()
    one = referring(project, to(posts, onDelete="unset"))
    many = referring(project, {"type": "array", "items": to(posts, onDelete="unset")})
    gone, stays = (alice.create(posts, {})["id"] for _ in range(2))
    alice.create(one, {"id": "a", "post": gone, "text": "x"})
    alice.create(many, {"id": "b", "post": [gone, stays, gone]})
    ok(alice.delete(f"/{posts}/{gone}"), 204)
    until_done(admin)
    document = ok(alice.get(f"/{one}/a"))["document"]
    assert "post" not in document and document["text"] == "x" and document["updatedAt"] > document["createdAt"]
    assert ok(alice.get(f"/{many}/b"))["document"]["post"] == [stays]


def test_a_job_that_is_refused_is_shown(project, admin, posts):
    """A unique index does not take two documents without their reference."""
    alice = project.end_user()
    name = project.collection(indexes=[{"keys": {"post": 1, "n": 1}, "unique": True}])
    ok(admin.put(f"/admin/collections/{name}/schema", fields(post=to(posts, onDelete="unset"))), 204)
    post, other = (alice.create(posts, {})["id"] for _ in range(2))
    alice.create(name, {"id": "a", "post": post, "n": 1})
    blocking = alice.create(name, {"n": 1})["id"]
    ok(alice.delete(f"/{posts}/{post}"), 204)
    job = wait_until(lambda: next((job for job in jobs(admin) if "error" in job), None))
    assert set(job) == {"id", "kind", "collection", "documentId", "state", "done", "error", "createdAt"}
    assert (job["kind"], job["collection"], job["documentId"], job["done"]) == ("unset", posts, post, 0)
    assert job["state"] in ("waiting", "running") and "post_1_n_1" in job["error"]
    refused(admin.post(f"/admin/jobs/{job['id']}/retry"), 409, "CONFLICT")
    refused(admin.post("/admin/jobs/job_00000000000000000000/retry"), 404, "NOT_FOUND")
    refused(alice.get("/admin/jobs"), 403)
    assert jobs(admin)[:1] == ok(admin.get("/admin/jobs", params={"limit": 1}))["jobs"]
    assert ok(admin.get("/admin/jobs", params={"skip": 1000}))["jobs"] == []
    ok(alice.delete(f"/{name}/{blocking}"), 204)
    until_done(admin)
    assert "post" not in ok(alice.get(f"/{name}/a"))["document"]
    ok(alice.delete(f"/{posts}/{other}"), 204)
    until_done(admin)


# ---- configuration


def test_an_import_brings_both_sides(owner, project):
    target = owner.create_project()
    document = {
        "formatVersion": 1,
        "collections": [
            {
                "name": "comments",
                "schema": fields(post=to("posts", check="readable", onDelete="cascade")),
                "indexes": [{"keys": {"post": 1}}],
            },
            {"name": "posts", "policy": OPEN_POLICY},
        ],
    }
    ok(target.admin.post("/admin/config-import", document))
    exported = ok(target.admin.get("/admin/config-export"))
    schema = next(each for each in exported["collections"] if each["name"] == "comments")["schema"]
    assert schema["properties"]["post"]["x-ref"] == {"check": "readable", "collection": "posts", "onDelete": "cascade"}
    assert ok(target.admin.post("/admin/config-import", exported))["plan"]["summary"]["update"] == 0
    without = {**document, "collections": [{**document["collections"][0], "name": "others", "indexes": []}]}
    refused(
        target.admin.post("/admin/config-import", without),
        400,
        "VALIDATION",
        "/collections/0/schema/properties/post/x-ref/onDelete",
    )
    back = {
        "name": "posts",
        "schema": fields(by=to("comments", onDelete="cascade")),
        "indexes": [{"keys": {"by": 1}}],
    }
    error = refused(
        target.admin.post("/admin/config-import", {"formatVersion": 1, "collections": [back]}),
        400,
        "VALIDATION",
        "/collections/0/schema/properties/by/x-ref/onDelete",
    )
    assert "cycle" in str(error)
    # Both sides change at once: the cascade turns round.
    turned = [back, {"name": "comments", "schema": fields(post=to("posts", check="exists"))}]
    ok(target.admin.post("/admin/config-import", {"formatVersion": 1, "collections": turned}))
    staging = ok(owner.post(f"/control/projects/{target.id}/environments", {"environment": "staging"}), 201)
    copied = ok(owner.exchange(staging["project"]["id"]).get("/admin/config-export"))
    assert copied["collections"] == ok(target.admin.get("/admin/config-export"))["collections"]


# ---- races and crashes


@LONG
@pytest.mark.parametrize("action", ["restrict", "cascade"])
def test_a_deletion_beside_an_insert_leaves_no_orphan(project, admin, action):
    alice = project.end_user()
    posts = project.collection()
    name = referring(project, to(posts, onDelete=action))
    outcomes = set()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for n in range(ROUNDS):
            alice.create(posts, {"id": f"p{n}"})
            barrier = threading.Barrier(3)

            def call(make, barrier=barrier):
                barrier.wait()
                return make()

            deletion = pool.submit(call, lambda n=n: alice.delete(f"/{posts}/p{n}"))
            inserts = [
                pool.submit(call, lambda n=n, i=i: alice.post(f"/{name}", {"id": f"c{n}-{i}", "post": f"p{n}"}))
                for i in range(2)
            ]
            deleted = deletion.result().status_code
            made = sorted(each.result().status_code for each in inserts)
            outcomes.add((deleted, *made))
            assert deleted in ((204, 409) if action == "restrict" else (204,))
            assert set(made) <= {201, 400}
            if action == "restrict":
                assert (deleted == 409) == (201 in made), (deleted, made)
    until_done(admin)
    left = set(ids(admin, posts))
    found = ok(admin.get(f"/admin/collections/{name}/documents", params={"limit": 1000}))["documents"]
    referred = {each["post"] for each in found}
    assert referred <= left, f"orphans: {referred - left}; {outcomes}"
    if action == "restrict" and ROUNDS >= 100:
        assert {outcome[0] for outcome in outcomes} == {204, 409}, "neither side always comes first"


def test_a_schema_that_begins_to_restrict_beside_deletions(project, admin):
    """Once the save has returned, no deletion misses the new referrer."""
    alice = project.end_user()
    for n in range(min(ROUNDS, 50)):
        posts = project.collection()
        name = project.collection(indexes=[{"keys": {"post": 1}}])
        alice.create(posts, {"id": "p"})
        stop = threading.Event()

        def churn(posts=posts, stop=stop):
            n = 0
            while not stop.is_set():
                alice.create(posts, {"id": f"x{n}"})
                ok(alice.delete(f"/{posts}/x{n}"), 204)
                n += 1

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            churning = pool.submit(churn)
            try:
                ok(admin.put(f"/admin/collections/{name}/schema", fields(post=to(posts, onDelete="restrict"))), 204)
                alice.create(name, {"post": "p"})
                refused(alice.delete(f"/{posts}/p"), 409, "CONFLICT")
            finally:
                stop.set()
            churning.result()


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_a_cascade_continues_after_a_restart(make_server, how):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    admin = project.admin
    admin.token = project.api_key("admin").token
    posts = project.collection("posts")
    referring(project, to(posts, onDelete="cascade"), "comments")
    ok(admin.post("/admin/collections/posts/documents", {"id": "p"}), 201)
    fill = "for (let n = 0; n < 350; n++) await ctx.db.insertOne('comments', {post: 'p'});"
    assert http_function(project, fill, timeoutMs=30000).invoke()["status"] == "success"
    ok(admin.delete("/admin/collections/posts/documents/p"), 204)
    getattr(server, how)()
    server.start()
    until_done(admin)
    assert ids(admin, "comments") == []
