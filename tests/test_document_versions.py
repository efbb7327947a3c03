"""Versions of documents: etag, if-none-match, if-match, if-none-match: * on PUT, prefer (docs/api.md)."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.client import OPEN_POLICY, Api, PlatformUser, ok, refused
from support.commands import done, run

TAG = re.compile(r'^"[0-9a-f]{1,16}"$')
FAILED = (412, "PRECONDITION_FAILED")
WRITERS = 50
PREFER = {"prefer": "return=representation"}


@pytest.fixture(scope="module")
def notes(project):
    return project.collection()


def tag_of(response) -> str:
    tag = response.headers["etag"]
    assert TAG.match(tag), tag
    assert "authorization" in response.headers.get_list("vary", split_commas=True)
    return tag


def current(api: Api, path: str) -> str:
    response = api.get(path)
    ok(response)
    return tag_of(response)


def at_once(calls) -> list:
    """The responses of calls that are sent at the same time."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def both_planes(project, notes, alice):
    """Yields a caller and its path of a new document, on the data plane and on the admin plane."""
    for api, base in ((alice, f"/{notes}"), (project.admin, f"/admin/collections/{notes}/documents")):
        yield api, f"{base}/{ok(api.post(base, {'n': 1}), 201)['document']['id']}"


# ---- reading


def test_each_version_has_a_tag_of_its_own(project, notes, alice, bob):
    made = alice.post(f"/{notes}", {"n": 1})
    path = f"/{notes}/{ok(made, 201)['document']['id']}"
    tags = [tag_of(made)]
    assert current(alice, path) == current(bob, path) == tags[0]
    for body in ({"n": 2}, {"n": 3}, {"n": 2}):
        response = alice.patch(path, body)
        ok(response, 204)
        tags.append(tag_of(response))
        assert current(alice, path) == tags[-1]
    ok(alice.put(path, {"n": 4}), 204)
    tags.append(current(alice, path))
    assert len(set(tags)) == len(tags)
    # Changes that leave the document as it was.
    response = alice.patch(path, {"n": 4})
    assert tag_of(response) == tags[-1] == current(alice, path)
    ok(alice.put(path, {"n": 4}), 204)
    assert current(alice, path) == tags[-1]
    # A document of the same contents under the same id.
    ok(alice.delete(path), 204)
    assert tag_of(alice.post(f"/{notes}", {"id": path.rpartition("/")[2], "n": 2})) not in tags


def test_not_modified(project, notes, alice):
    for api, path in both_planes(project, notes, alice):
        tag = current(api, path)
        for value in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            response = api.get(path, headers={"if-none-match": value})
            assert response.status_code == 304 and not response.content, value
            assert tag_of(response) == tag
            assert api.call("HEAD", path, headers={"if-none-match": value}).status_code == 304
        for value in ('"x"', tag.strip('"'), "", 'W/"x"'):
            assert ok(api.get(path, headers={"if-none-match": value}))["document"]["n"] == 1
        ok(api.patch(path, {"n": 2}), 204 if path.startswith(f"/{notes}") else 200)
        assert ok(api.get(path, headers={"if-none-match": tag}))["document"]["n"] == 2


def test_lists_and_expanded_documents_have_none(project, alice):
    authors = project.collection()
    posts = project.collection(schema={"type": "object", "properties": {"by": {"type": "string", "x-ref": authors}}})
    author = alice.create(authors, {"name": "Ann"})
    path = f"/{posts}/{alice.create(posts, {'by': author['id']})['id']}"
    assert "etag" not in alice.get(f"/{posts}").headers
    for value in ("by", "other"):
        response = alice.get(path, params={"expand": value}, headers={"if-none-match": "*"})
        assert ok(response)["document"]["id"] and "etag" not in response.headers


def test_versions_through_a_proxy(project, notes, alice):
    """Each header that a response depends on is in `vary`; a change is not stored."""
    path = f"/{notes}/{alice.create(notes, {'text': 'x' * 5000})['id']}"
    response = alice.get(path, headers={"origin": "https://app.example"})
    assert {"authorization", "accept-encoding"} <= set(response.headers.get_list("vary", split_commas=True))
    assert "etag" in response.headers["access-control-expose-headers"]
    changed = alice.patch(path, {"n": 1}, headers=PREFER)
    assert changed.headers["cache-control"] == "no-store" and tag_of(changed) == current(alice, path)
    preflight = alice.call("OPTIONS", path, headers={"origin": "https://app.example", "access-control-request-method": "PUT"})
    for name in ("if-match", "if-none-match", "prefer"):
        assert name in preflight.headers["access-control-allow-headers"]


# ---- changing


def test_a_change_of_another_version_is_refused(project, notes, alice):
    for api, path in both_planes(project, notes, alice):
        old = current(api, path)
        ok(api.put(path, {"n": 2}, headers={"if-match": f'"x", {old}'}), 200 if "admin" in path else 204)
        tag = current(api, path)
        assert tag != old
        for headers in ({"if-match": old}, {"if-match": f"W/{tag}"}, {"if-none-match": tag}, {"if-none-match": f"W/{tag}"}):
            refused(api.patch(path, {"n": 3}, headers=headers), *FAILED)
            refused(api.put(path, {"n": 3}, headers=headers), *FAILED)
            refused(api.delete(path, headers=headers), *FAILED)
        refused(api.patch(path, {"n": 3}, headers={"if-none-match": "*"}), *FAILED)
        assert current(api, path) == tag and ok(api.get(path))["document"]["n"] == 2
        ok(api.patch(path, {"n": 4}, headers={"if-match": "*", "if-none-match": old}), 200 if "admin" in path else 204)
        ok(api.delete(path, headers={"if-match": current(api, path)}), 204)
        refused(api.delete(path, headers={"if-match": "*"}), 404, "NOT_FOUND")
        refused(api.patch(path, {"n": 3}, headers={"if-match": tag}), 404, "NOT_FOUND")


def test_malformed_conditions(project, notes, alice):
    for api, path in both_planes(project, notes, alice):
        tag = current(api, path)
        for header in ("if-match", "if-none-match"):
            for value in ("", "abc", '"abc', "*, *", f"{tag} {tag}", f"*, {tag}", "w/" + tag):
                for call in (
                    lambda: api.patch(path, {"n": 2}, headers={header: value}),
                    lambda: api.put(path, {"n": 2}, headers={header: value}),
                    lambda: api.delete(path, headers={header: value}),
                ):
                    assert header in refused(call(), 400, "INVALID_PARAM")["message"]
        assert current(api, path) == tag


@pytest.mark.parametrize("plane", ["data", "admin"])
def test_of_many_writers_with_one_version_one_wins(project, notes, alice, plane):
    base = f"/{notes}" if plane == "data" else f"/admin/collections/{notes}/documents"
    api = alice if plane == "data" else project.admin
    path = f"{base}/{ok(api.post(base, {'n': -1}), 201)['document']['id']}"
    for first in range(0, 5 * WRITERS, WRITERS):  # each writes another value: an equal one changes no version
        headers = {"if-match": current(api, path)}
        numbers = range(first, first + WRITERS)
        patches = [lambda n=n: api.patch(path, {"n": n}, headers=headers) for n in numbers[: WRITERS // 2]]
        puts = [lambda n=n: api.put(path, {"n": n}, headers=headers) for n in numbers[WRITERS // 2 :]]
        responses = at_once(patches + puts)
        won = [n for n, response in enumerate(responses) if response.status_code < 300]
        assert len(won) == 1, [response.status_code for response in responses]
        for n, response in enumerate(responses):
            if n not in won:
                refused(response, *FAILED)
        assert ok(api.get(path))["document"]["n"] == first + won[0]


def test_of_many_that_delete_a_version_one_wins(notes, alice):
    path = f"/{notes}/{alice.create(notes, {})['id']}"
    headers = {"if-match": current(alice, path)}
    statuses = [each.status_code for each in at_once([lambda: alice.delete(path, headers=headers)] * 20)]
    assert statuses.count(204) == 1 and statuses.count(404) == 19, statuses


def test_what_a_caller_may_not_see_is_404_whatever_the_version(project, alice, bob):
    own = {"filter": {"ownerId": "$auth.uid"}}
    notes = project.collection(policy={**OPEN_POLICY, "read": own, "update": own, "delete": own})
    path = f"/{notes}/{alice.create(notes, {'n': 1})['id']}"
    tag = current(alice, path)
    for headers in ({"if-match": tag}, {"if-match": '"1"'}, {"if-match": "*"}, {"if-none-match": tag}):
        for call in (
            lambda: bob.get(path, headers=headers),
            lambda: bob.patch(path, {"n": 2}, headers=headers),
            lambda: bob.put(path, {"n": 2}, headers=headers),
            lambda: bob.delete(path, headers=headers),
        ):
            refused(call(), 404, "NOT_FOUND")
    read_only = project.collection(policy={"read": {}, "create": {}})
    path = f"/{read_only}/{alice.create(read_only, {})['id']}"
    refused(alice.patch(path, {"n": 2}, headers={"if-match": '"1"'}), 403, "FORBIDDEN")
    refused(alice.delete(path, headers={"if-match": current(alice, path)}), 403, "FORBIDDEN")
    assert current(alice, path)


def test_hidden_fields_neither_show_nor_change_the_tag(project, alice):
    notes = project.collection(policy={**OPEN_POLICY, "read": {"deniedReadFields": ["secret"]}})
    made = ok(project.admin.post(f"/admin/collections/{notes}/documents", {"n": 1, "secret": "s"}), 201)["document"]
    path, admin_path = f"/{notes}/{made['id']}", f"/admin/collections/{notes}/documents/{made['id']}"
    tag = current(alice, path)
    assert tag == current(project.admin, admin_path)
    shown = alice.patch(path, {"n": 2}, headers={"if-match": tag, **PREFER})
    document = ok(shown)["document"]
    assert document["n"] == 2 and "secret" not in document
    assert tag_of(shown) == current(project.admin, admin_path)
    # A guess at a hidden value is a write, whether it is right or not.
    for guess in ("s", "wrong"):
        before = current(alice, path)
        ok(alice.patch(path, {"secret": guess}), 204)
        assert current(alice, path) != before
    refused(alice.patch(path, {"secret": "x"}, headers={"if-match": tag}), *FAILED)


# ---- creating by PUT


def test_put_creates_where_there_is_nothing(project, notes, alice, bob):
    create = {"if-none-match": "*"}
    path = f"/{notes}/put-1"
    made = alice.put(path, {"id": "other", "n": 1}, headers=create)
    document = ok(made, 201)["document"]
    assert (document["id"], document["n"], document["ownerId"]) == ("put-1", 1, alice.id)
    assert tag_of(made) == current(alice, path)
    refused(alice.put(path, {"n": 2}, headers=create), *FAILED)
    refused(bob.put(path, {"n": 2}, headers=create), *FAILED)
    refused(alice.put(f"/{notes}/put-2", {"n": 2}), 404, "NOT_FOUND")
    refused(alice.put(f"/{notes}/put-2", {"n": 2}, headers={"if-match": "*", **create}), *FAILED)
    refused(alice.put(f"/{notes}/not.an.id", {}, headers=create), 400, "VALIDATION", "/id")
    assert ok(alice.get(path))["document"] == document

    admin_path = f"/admin/collections/{notes}/documents/put-3"
    made = project.admin.put(admin_path, {"n": 1}, headers=create)
    assert ok(made, 201)["document"]["id"] == "put-3" and tag_of(made)
    refused(project.admin.put(admin_path, {"n": 1}, headers=create), *FAILED)


def test_put_creates_by_the_rule_of_create(project, alice):
    create = {"if-none-match": "*"}
    no_create = project.collection(policy={"read": {}, "update": {}})
    refused(alice.put(f"/{no_create}/a", {}, headers=create), 403, "FORBIDDEN")
    fields = project.collection(
        policy={"read": {}, "create": {"allowedWriteFields": ["n"]}, "update": {"allowedWriteFields": ["m"]}},
        schema={"type": "object", "properties": {"n": {"type": "integer"}}},
    )
    refused(alice.put(f"/{fields}/a", {"m": 1}, headers=create), 403, "FORBIDDEN")
    refused(alice.put(f"/{fields}/a", {"n": "text"}, headers=create), 400, "VALIDATION", "/n")
    ok(alice.put(f"/{fields}/a", {"n": 1}, headers=create), 201)
    # Of a member, update alone is not enough.
    name = project.collection()
    role = project.role(f"data:{name}:update", f"data:{name}:read")
    member = project.member(role)
    refused(member.put(f"/admin/collections/{name}/documents/a", {}, headers=create), 403, "FORBIDDEN")
    key = project.api_key("read", "write")
    ok(key.put(f"/{name}/a", {"n": 1}, headers=create), 201)
    refused(project.public().put(f"/{name}/b", {}, headers=create), 401, "UNAUTHENTICATED")


def test_of_many_that_create_by_put_one_wins(notes, alice):
    for round in range(5):
        path = f"/{notes}/race-{round}"
        create = {"if-none-match": "*"}
        responses = at_once([lambda n=n: alice.put(path, {"n": n}, headers=create) for n in range(WRITERS)])
        made = [n for n, response in enumerate(responses) if response.status_code == 201]
        assert len(made) == 1, [response.status_code for response in responses]
        for n, response in enumerate(responses):
            if n not in made:
                refused(response, *FAILED)
        assert ok(alice.get(path))["document"]["n"] == made[0]


# ---- prefer


def test_the_document_is_returned_where_the_client_prefers_it(project, notes, alice):
    for api, path in both_planes(project, notes, alice):
        for call in (api.patch, api.put):
            response = call(path, {"n": 5}, headers=PREFER)
            assert ok(response)["document"] == ok(api.get(path))["document"]
            assert response.headers["preference-applied"] == "return=representation"
            assert tag_of(response) == current(api, path)
        ignored = api.patch(path, {"n": 6}, headers={"prefer": "return=minimal"})
        ok(ignored, 200 if "admin" in path else 204)
        assert "preference-applied" not in ignored.headers
    path = f"/{notes}/{alice.create(notes, {})['id']}"
    put = alice.put(path, {"n": 1})
    # The body of a PUT is not what was stored.
    assert ok(put, 204) is None and "etag" not in put.headers
    large = alice.patch(path, {"text": "x" * 600_000}, headers=PREFER)
    assert len(ok(large)["document"]["text"]) == 600_000 and tag_of(large) == current(alice, path)


def test_the_document_is_not_returned_to_a_caller_who_may_not_read_it(project, alice):
    notes = project.collection(policy={**OPEN_POLICY, "read": {"filter": {"open": True}}})
    path = f"/{notes}/{alice.create(notes, {'open': False})['id']}"
    response = alice.patch(path, {"n": 1}, headers=PREFER)
    assert ok(response, 204) is None and "preference-applied" not in response.headers
    opened = ok(alice.patch(path, {"open": True}, headers=PREFER))["document"]
    assert opened["open"] is True
    assert ok(alice.put(path, {"open": False}, headers=PREFER), 204) is None
    blind = project.collection(policy={"create": {}, "update": {}})
    path = f"/{blind}/{alice.create(blind, {})['id']}"
    assert ok(alice.patch(path, {"n": 1}, headers=PREFER), 204) is None


# ---- over time


@pytest.mark.embedded("a restore on MongoDB gives documents new versions")
def test_versions_survive_a_restart_and_a_restore(make_server, tmp_path):
    # The issuer of tokens stays the same after a restore on another address.
    settings = {"SERVICE_BASE_URL": "https://api.example.com"}
    server = make_server(settings).start()
    owner = PlatformUser(server)
    project = owner.create_project()
    notes = project.collection("notes")
    alice = project.end_user()
    paths = [f"/notes/{alice.create(notes, {'n': n})['id']}" for n in range(20)]
    tags = {path: current(alice, path) for path in paths}
    assert len(set(tags.values())) == len(paths)
    server.stop()
    done(run("check", data=server.data))
    done(run("backup", "--to", tmp_path / "kept", "--with-secret", data=server.data))
    server.start()
    assert {path: current(alice, path) for path in paths} == tags
    ok(alice.patch(paths[0], {"n": 99}, headers={"if-match": tags[paths[0]]}), 204)
    refused(alice.patch(paths[0], {"n": 98}, headers={"if-match": tags[paths[0]]}), *FAILED)
    server.stop()

    done(run("restore", "--from", tmp_path / "kept", data=tmp_path / "restored"))
    other = make_server(settings, data=tmp_path / "restored").start()
    again = Api(other, alice.token)
    # The backup's documents with their versions, also the one that was changed after it.
    assert {path: current(again, path) for path in paths} == tags
    ok(again.patch(paths[0], {"n": 1}, headers={"if-match": tags[paths[0]]}), 204)
    other.stop()
    done(run("check", data=tmp_path / "restored"))
