"""Deliveries over stops and kills, and webhooks of projects that are restored from a backup."""

import threading

import pytest
from standardwebhooks.webhooks import Webhook

from support.bucket import Bucket
from support.client import Api, PlatformUser, ok
from support.commands import done, run
from support.hook import Hook
from support.raw_http import RawConnection

ALLOW = {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}


@pytest.fixture
def deployment(make_server, receiver):
    """A server of its own, and a webhook."""
    server = make_server(ALLOW).start()
    owner = PlatformUser(server)
    project = owner.create_project()
    return server, owner, project, Hook(project, receiver)


def test_a_stop_while_an_upload_and_a_delivery_hang(deployment):
    server, _, project, hook = deployment
    bucket = Bucket(project)
    opened = threading.Event()
    hook.answer(lambda _: 200 if opened.wait(60) else 500)
    hook.insert(n=1)
    hook.arrived(1)
    head = f"PUT /api/v1{bucket.url('f')} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {project.admin.token}\r\n"
    with RawConnection(server, 60) as uploading:
        uploading.send(head.encode() + b"content-length: 1000000\r\nexpect: 100-continue\r\n\r\n")
        assert uploading.read_answer(head_only=True).status == 100
        uploading.send(b"a" * 500_000)
        server.stop(40)
    opened.set()
    server.start()
    assert bucket.get("f").status_code == 404


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_what_waits_is_delivered_after_a_restart(deployment, how):
    server, _, project, hook = deployment
    project.admin.token = hook.admin.token = project.api_key("admin").token
    hook.answer(500, 200)
    hook.insert(n=1)
    first = hook.arrived(1)[0]
    for n in range(2, 6):
        hook.insert(n=n)
    getattr(server, how)()
    hook.answer(200)
    server.start()
    log = hook.logged(5)
    assert len(log) == 5 and {entry["status"] for entry in log} == {"delivered"}
    received = hook.receiver.at(hook.path)
    assert sorted({each.body["document"]["n"] for each in received}) == [1, 2, 3, 4, 5]
    again = [each for each in received[1:] if each.body["document"]["n"] == 1]
    assert {each.body["id"] for each in again} == {first.body["id"]} and {each.raw for each in again} == {first.raw}
    Webhook(hook.secret).verify(again[-1].raw, again[-1].headers)
    hook.insert(n=6)
    assert len(hook.logged(6)) == 6


def test_a_copy_from_a_backup_says_nothing_until_it_is_enabled(deployment, tmp_path):
    server, owner, project, hook = deployment
    hook.insert(n=1)
    hook.logged(1)
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, data=server.data))
    done(run("restore", "--from", backup, "--project", project.slug, "--as", "the-copy", data=server.data))
    copied = next(each for each in ok(owner.get("/control/projects"))["projects"] if each["slug"] == "the-copy")
    admin = owner.exchange(copied["id"])
    webhook = ok(admin.get(hook.route))["webhook"]
    assert webhook["enabled"] is False and webhook["secret"] == {"configured": True}
    assert ok(admin.get(f"{hook.route}/deliveries")) == {"deliveries": []}
    ok(admin.post(hook.documents(), {"n": 2}), 201)
    ok(admin.patch(hook.route, {"enabled": True}), 204)
    ok(admin.post(hook.documents(), {"n": 3}), 201)
    delivery = hook.arrived(2)[1]
    assert (delivery.body["project"], delivery.body["document"]["n"]) == (copied["id"], 3)
    Webhook(hook.secret).verify(delivery.raw, delivery.headers)
    hook.insert(n=4)
    assert [each.body["project"] for each in hook.arrived(3)] == [project.id, copied["id"], project.id]
    assert hook.read()["enabled"] is True


def test_a_copy_and_its_original_lose_nothing_to_each_other(deployment, tmp_path):
    """Both have the webhook's id, and their logs have the same ids of deliveries."""
    server, owner, project, hook = deployment
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, data=server.data))
    done(run("restore", "--from", backup, "--project", project.slug, "--as", "the-copy", data=server.data))
    copied = next(each for each in ok(owner.get("/control/projects"))["projects"] if each["slug"] == "the-copy")
    admin = owner.exchange(copied["id"])
    ok(admin.patch(hook.route, {"enabled": True}), 204)
    opened = threading.Event()
    hook.answer(lambda _: 200 if opened.wait(30) else 500)
    for n in range(20):
        ok(admin.post(hook.documents(), {"n": n}), 201)
        hook.insert(n=n)
    opened.set()
    deliveries = [(each.body["project"], each.body["document"]["n"]) for each in hook.arrived(40)]
    assert sorted(deliveries) == sorted((each, n) for each in (project.id, copied["id"]) for n in range(20))


def test_a_project_that_comes_back_brings_them_disabled(deployment, tmp_path):
    server, owner, project, hook = deployment
    hook.insert(n=1)
    hook.logged(1)
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, data=server.data))
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    done(run("restore", "--from", backup, "--project", project.slug, data=server.data))
    hook.admin.token = owner.exchange(project.id).token
    assert hook.read()["enabled"] is False
    hook.insert(n=2)
    hook.patch(enabled=True)
    hook.insert(n=3)
    assert [each.body["document"]["n"] for each in hook.arrived(2)] == [1, 3]


def test_a_whole_deployment_goes_on_where_it_was(deployment, make_server, tmp_path):
    server, _, project, hook = deployment
    key = project.api_key("admin").token
    hook.answer(500)
    hook.insert(n=1)
    hook.arrived(1)
    backup = tmp_path / "backup"
    done(run("backup", "--to", backup, "--with-secret", data=server.data))
    server.stop()
    data = tmp_path / "restored"
    done(run("restore", "--from", backup, data=data))
    seen = len(hook.receiver.at(hook.path))
    hook.answer(200)
    restored = make_server(ALLOW, data=data).start()
    hook.admin = Api(restored, key)
    assert hook.logged(1)[0]["status"] == "delivered"
    again = hook.receiver.at(hook.path)[seen:]
    assert [each.body["document"]["n"] for each in again] == [1]
    Webhook(hook.secret).verify(again[0].raw, again[0].headers)
    hook.insert(n=2)
    assert len(hook.logged(2)) == 2
