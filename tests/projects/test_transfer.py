"""Transfers of projects between their Owners."""

import concurrent.futures
import random

import pytest

from support.client import PlatformUser, Project, ok, refused, unique
from support.commands import result, run
from support.mail import Outbox
from support.server import check_data
from support.waiting import wait_until


def transfer(project) -> str:
    return f"/control/projects/{project.id}/transfer"


def offer(user, project, to):
    return user.post(transfer(project), {"userId": to.id})


def accept(user, project):
    return user.post(f"{transfer(project)}/accept")


def wire(user, project) -> dict:
    return ok(user.get(f"/control/projects/{project.id}"))["project"]


def own_organization(user) -> str:
    return ok(user.get("/control/me"))["organizations"][0]["id"]


def pays(payer, project) -> bool:
    return wire(payer, project)["organizationId"] == own_organization(payer)


def environment(owner, root, label: str = "staging") -> Project:
    body = {"environment": label}
    return Project(owner, ok(owner.post(f"/control/projects/{root.id}/environments", body), 201)["project"])


def with_role(project, role: str = "Owner") -> PlatformUser:
    return project.member(role).user


def actions(project) -> list[str]:
    entries = ok(project.admin.get("/admin/audit"))["entries"]
    return [entry["action"] for entry in reversed(entries) if entry["action"].startswith("project.transfer")]


@pytest.fixture
def shop(owner) -> Project:
    return owner.create_project()


@pytest.fixture
def bob(shop) -> PlatformUser:
    """A second Owner of the project."""
    return with_role(shop)


def offers_to(server, user) -> list:
    mails = Outbox(server.data).mails
    return [mail for mail in mails if mail.to == user.email and mail.subject.startswith("Transfer of ")]


def test_an_owner_accepts_a_project_and_its_environments(server, owner, shop, bob):
    stage = environment(owner, shop)
    before = wire(owner, shop)
    assert ok(offer(owner, shop, bob), 202) is None
    assert wire(owner, shop) == before
    (mail,) = wait_until(lambda: offers_to(server, bob), what="no mail about the offer")
    assert owner.email in mail.text and mail.link.startswith(server.url)
    assert "The offer is valid for 7 days." in mail.text

    ok(accept(bob, shop), 204)
    assert wire(owner, shop) == {**before, "organizationId": own_organization(bob)}
    assert pays(bob, stage)
    assert actions(shop) == ["project.transferOffered", "project.transferred"]
    refused(accept(bob, shop), 404, "NOT_FOUND")
    # Tokens from before are still valid, and later environments belong to it.
    ok(shop.admin.get("/admin/collections"))
    assert pays(bob, environment(owner, shop, "qa"))


def test_an_offer_is_still_open_after_a_restart(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    shop = owner.create_project()
    bob = with_role(shop)
    ok(offer(owner, shop, bob), 202)
    server.stop()
    server.start()
    ok(accept(bob, shop), 204)
    assert pays(bob, shop)


def test_only_the_user_who_got_the_offer_accepts(server, owner, shop, bob):
    cleo, viewer, stranger = with_role(shop), with_role(shop, "Viewer"), PlatformUser(server)
    refused(accept(bob, shop), 404, "NOT_FOUND")
    ok(offer(owner, shop, bob), 202)
    for other in (owner, cleo, viewer, stranger):
        refused(accept(other, shop), 404, "NOT_FOUND")
    # A further offer replaces it.
    ok(offer(bob, shop, cleo), 202)
    refused(accept(bob, shop), 404, "NOT_FOUND")
    ok(accept(cleo, shop), 204)
    assert pays(cleo, shop)


def test_only_owners_offer_and_withdraw(server, owner, shop, bob):
    for role in ("Admin", "Editor", "Viewer", shop.role("*")):
        member = with_role(shop, role)
        refused(offer(member, shop, bob), 403, "FORBIDDEN")
        refused(offer(member, shop, member), 403, "FORBIDDEN")
        refused(member.delete(transfer(shop)), 403, "FORBIDDEN")
    stranger = PlatformUser(server)
    for response in (
        offer(stranger, shop, bob),
        offer(stranger, shop, stranger),
        accept(stranger, shop),
        stranger.delete(transfer(shop)),
    ):
        refused(response, 404, "NOT_FOUND")
    for token in (None, shop.admin.token, shop.api_key("admin").token):
        refused(owner.post(transfer(shop), {"userId": bob.id}, token=token), 401)
        refused(owner.post(f"{transfer(shop)}/accept", token=token), 401)
        refused(owner.delete(transfer(shop), token=token), 401)
    assert actions(shop) == []


def test_to_users_who_cannot_have_it(server, owner, shop, bob):
    admin, stranger = with_role(shop, "Admin"), PlatformUser(server)
    for user_id in (admin.id, stranger.id, "user_00000000000000000000", "", "x" * 10_000, bob.email, shop.id):
        refused(owner.post(transfer(shop), {"userId": user_id}), 400, "VALIDATION", "/userId")
    refused(owner.post(transfer(shop), {}), 400, "VALIDATION", "/userId")
    refused(owner.post(transfer(shop), {"userId": None}), 400, "VALIDATION", "/userId")
    refused(owner.post(transfer(shop), {"userId": bob.id, "more": 1}), 400, "VALIDATION", "/more")
    assert "pays for the project already" in refused(offer(bob, shop, owner), 409, "CONFLICT")["message"]
    refused(owner.delete(transfer(shop)), 404, "NOT_FOUND")


def test_withdrawn_by_any_owner(owner, shop, bob):
    refused(owner.delete(transfer(shop)), 404, "NOT_FOUND")
    for who in (owner, bob):
        ok(offer(owner, shop, bob), 202)
        ok(who.delete(transfer(shop)), 204)
        refused(who.delete(transfer(shop)), 404, "NOT_FOUND")
        refused(accept(bob, shop), 404, "NOT_FOUND")
    assert actions(shop) == ["project.transferOffered", "project.transferWithdrawn"] * 2
    assert pays(owner, shop)


def test_ends_with_the_role_of_either_user(owner, shop, bob):
    members = f"/control/projects/{shop.id}/members"
    ok(offer(owner, shop, bob), 202)
    ok(owner.patch(f"{members}/{bob.id}", {"role": "Admin"}), 204)
    ok(owner.patch(f"{members}/{bob.id}", {"role": "Owner"}), 204)
    refused(accept(bob, shop), 404, "NOT_FOUND")

    ok(offer(owner, shop, bob), 202)
    ok(bob.delete(f"{members}/{owner.id}"), 204)
    refused(accept(bob, shop), 404, "NOT_FOUND")
    ok(offer(bob, shop, bob), 204)
    assert pays(bob, shop)


def test_ends_with_the_project(owner, shop, bob, server, tmp_path):
    ok(offer(owner, shop, bob), 202)
    result(run("backup", "--to", tmp_path / "b", "--project", shop.slug, "--json", data=server.data))
    ok(owner.delete(f"/control/projects/{shop.id}"), 204)
    refused(accept(bob, shop), 404, "NOT_FOUND")
    restoring = ("--from", tmp_path / "b", "--project", shop.slug, "--owner", bob.email, "--json")
    result(run("restore", *restoring, data=server.data))
    refused(accept(bob, shop), 404, "NOT_FOUND")
    # It is still the project of the user who paid for it.
    assert pays(owner, shop)


def test_an_owner_takes_it_at_once(owner, shop, bob):
    cleo = with_role(shop)
    stage = environment(owner, shop)
    ok(offer(owner, shop, cleo), 202)
    assert ok(offer(bob, shop, bob), 204) is None
    assert pays(bob, shop) and pays(bob, stage)
    refused(accept(cleo, shop), 404, "NOT_FOUND")
    # Once more changes nothing.
    ok(offer(bob, shop, bob), 204)
    assert actions(shop) == ["project.transferOffered", "project.transferred"]


def test_environments_move_with_their_root_alone(owner, shop, bob):
    stage = environment(owner, shop)
    for response in (
        offer(owner, stage, bob),
        offer(bob, stage, bob),
        accept(bob, stage),
        owner.delete(transfer(stage)),
    ):
        assert "environment" in refused(response, 400, "VALIDATION")["message"]
    assert pays(owner, stage)


def test_while_suspended(owner, shop, bob):
    ok(owner.post(f"/control/projects/{shop.id}/suspend"), 204)
    ok(offer(owner, shop, bob), 202)
    ok(accept(bob, shop), 204)
    assert wire(bob, shop)["status"] == "suspended" and pays(bob, shop)


def test_without_billing_no_limit_is_met(owner, server):
    bob = PlatformUser(server)
    for _ in range(5):
        bob.create_project()
        project = owner.create_project()
        project.member("Owner", bob)
        ok(offer(bob, project, bob), 204)
        assert pays(bob, project)


def test_connections_of_an_organization_need_its_owner(owner, shop, bob):
    stage = environment(owner, shop)
    names = {owner: unique("Of owner "), bob: unique("Of bob ")}
    for user, name in names.items():
        ok(user.post("/control/connections", {"kind": "github", "name": name}), 201)

    def shown(project) -> list[str]:
        listed = ok(bob.get(f"/control/projects/{project.id}/connections"))["connections"]
        return [item["name"] for item in listed if item["name"] in names.values()]

    assert shown(shop) == shown(stage) == [names[owner]]
    ok(bob.patch(f"/control/projects/{shop.id}/members/{owner.id}", {"role": "Admin"}), 204)
    assert shown(shop) == shown(stage) == []
    ok(offer(bob, shop, bob), 204)
    assert shown(shop) == shown(stage) == [names[bob]]


def test_a_family_stays_in_one_organization(make_server):
    """Acceptance, a take, a withdrawal and new environments at the same time."""
    server = make_server().start()
    owner, bob, cleo = (PlatformUser(server) for _ in range(3))
    chance = random.Random(5)
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        for _ in range(20):
            project = owner.create_project()
            for user in (bob, cleo):
                project.member("Owner", user)
            families = [project, environment(owner, project, "first")]
            ok(offer(owner, project, bob), 202)
            environments = f"/control/projects/{project.id}/environments"
            calls = [
                lambda: accept(bob, project),
                lambda: offer(cleo, project, cleo),
                lambda: owner.delete(transfer(project)),
                lambda: owner.post(environments, {"environment": "second"}),
                lambda: owner.post(environments, {"environment": "third"}),
            ]
            chance.shuffle(calls)
            responses = [future.result() for future in [pool.submit(call) for call in calls]]
            assert {response.status_code for response in responses} <= {201, 204, 404, 409}
            made = [Project(owner, response.json()["project"]) for response in responses if response.status_code == 201]
            organizations = {wire(owner, each)["organizationId"] for each in families + made}
            assert len(organizations) == 1 and own_organization(owner) not in organizations
            refused(accept(bob, project), 404, "NOT_FOUND")
    server.stop()
    checked = check_data(server.data)
    assert checked.returncode == 0, checked.stdout + checked.stderr
