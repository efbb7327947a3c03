"""Dead-lettered jobs: operators list, retry and delete them; their payload is never shown."""

import pytest

from support.client import PASSWORD, Api, PlatformUser, ok, refused, unique
from support.waiting import wait_until

DEAD = "/control/jobs/dead"


@pytest.fixture(scope="module")
def server_settings(mails):
    return {"SERVICE_OPERATORS": "on", **mails.settings}


def dead(owner, count: int) -> list:
    wait_until(lambda: len(ok(owner.get(DEAD))["jobs"]) == count)
    return ok(owner.get(DEAD))["jobs"]


@pytest.fixture
def refused_mail(owner, project, mails):
    """Returns the address of a mail that was refused permanently, and the job that was to send it."""
    assert mails.to(owner.user["email"])  # so that no other mail is refused
    before = len(ok(owner.get(DEAD))["jobs"])
    address = f"{unique()}@example.com"
    mails.reply = "550 no such user"
    ok(project.public().post("/auth/register", {"email": address, "password": PASSWORD}), 201)
    job = dead(owner, before + 1)[0]
    mails.reply = None
    yield address, job


def test_they_are_listed_without_what_they_carry(owner, project, refused_mail):
    address, job = refused_mail
    assert set(job) == {"id", "kind", "project", "attempts", "error", "createdAt", "failedAt"}
    assert (job["kind"], job["project"], job["attempts"]) == ("mail", project.id, 1)
    assert job["error"] and address not in str(job)
    assert job["createdAt"] <= job["failedAt"]
    assert ok(owner.get(DEAD, params={"limit": 1, "skip": 0}))["jobs"] == [job]
    assert job not in ok(owner.get(DEAD, params={"skip": 1}))["jobs"]
    refused(owner.get(DEAD, params={"limit": "many"}), 400, "INVALID_PARAM")


def test_one_is_tried_again(owner, mails, refused_mail):
    address, job = refused_mail
    ok(owner.post(f"{DEAD}/{job['id']}/retry"), 204)
    assert mails.to(address)
    refused(owner.post(f"{DEAD}/{job['id']}/retry"), 404, "NOT_FOUND")
    entries = ok(owner.get("/control/audit", params={"limit": 5}))["entries"]
    entry = next(entry for entry in entries if entry["action"] == "job.retry")
    assert (entry["target"], entry["actor"]["id"]) == (f"jobs/{job['id']}", owner.user["id"])


def test_one_is_forgotten(owner, mails, refused_mail):
    address, job = refused_mail
    ok(owner.delete(f"{DEAD}/{job['id']}"), 204)
    assert job not in ok(owner.get(DEAD))["jobs"]
    refused(owner.delete(f"{DEAD}/{job['id']}"), 404, "NOT_FOUND")
    refused(owner.post(f"{DEAD}/{job['id']}/retry"), 404, "NOT_FOUND")
    assert not [mail for mail in mails.mails if mail.to == address]


def test_for_operators_only(server, owner, project, refused_mail):
    _, job = refused_mail
    other = PlatformUser(server)
    for call in (
        lambda api: api.get(DEAD),
        lambda api: api.post(f"{DEAD}/{job['id']}/retry"),
        lambda api: api.delete(f"{DEAD}/{job['id']}"),
    ):
        refused(call(other), 403, "FORBIDDEN")
        for token in (None, project.admin.token, project.api_key("admin").token):
            refused(call(Api(server, token)), 401, "UNAUTHENTICATED")
    assert job in ok(owner.get(DEAD))["jobs"]
