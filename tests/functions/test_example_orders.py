"""examples/orders: pushed unchanged, its stored tests, and the processing of an order."""

import shutil

import pytest

from support.client import Api, ok
from support.commands import done
from support.mail import MailCatcher
from support.person import Folder, Person
from support.server import ROOT
from support.upstream import Upstream
from support.waiting import wait_until

FUNCTIONS = ("check-order", "confirm-order", "order-status")


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}


@pytest.fixture(scope="module")
def person(server, tmp_path_factory):
    return Person(server, tmp_path_factory.mktemp("person")).login()


@pytest.fixture(scope="module")
def project(person):
    return person.user.create_project("Orders")


@pytest.fixture(scope="module")
def folder(person, project):
    folder = Folder(person, person.work, project)
    shutil.copytree(ROOT / "examples" / "orders" / "manybase", folder.bundle)
    done(folder.run("link", "--project", project.slug))
    # As its README says.
    done(folder.run("push", "--yes"))
    return folder


def test_what_is_pushed_is_what_is_pulled(folder):
    before = folder.files()
    done(folder.run("pull"))
    assert folder.files() == before


@pytest.mark.parametrize("function", FUNCTIONS)
def test_its_functions_pass_their_tests(folder, project, function):
    report = ok(project.admin.post(f"/admin/functions/{function}/tests/run"))
    assert report["passed"] == 2 and report["failed"] == 0, report


@pytest.mark.parametrize("integration, count", [("mail", 1), ("stock", 2)])
def test_its_integrations_pass_their_tests(folder, project, integration, count):
    report = ok(project.admin.post(f"/admin/integrations/{integration}/tests/run"))
    assert report["passed"] == count and report["failed"] == 0, report


def test_an_order_on_its_way(folder, project, server, tmp_path):
    stock = Upstream()
    stock.answers["/v1/reservations"] = lambda asked, _: (
        (201, {}, {"id": "r-" + asked.headers["idempotency-key"]})
        if all(item["sku"] != "sold-out" for item in asked.body["items"])
        else (409, {}, {})
    )
    try:
        with MailCatcher(tmp_path) as mails:
            places = {
                "stock": {"baseUrl": stock.url + "/v1", "allowPrivate": True},
                "mail": {"from": "The Shop <shop@example.com>", "host": "127.0.0.1", "port": mails.port},
            }
            for name, config in places.items():
                ok(project.admin.patch(f"/admin/integrations/{name}", {"config": config}), 204)
            ok(project.admin.patch("/admin/integrations/stock", {"secrets": {"authorization": "Bearer s"}}), 204)
            buyer, nobody = project.end_user(), Api(server)
            assert buyer.post("/orders", {"email": "ann@example.com", "items": []}).status_code == 400
            for sku, status in (("tea", "reserved"), ("sold-out", "refused")):
                order = buyer.create("orders", {"email": f"{sku}@example.com", "items": [{"sku": sku, "count": 2}]})
                assert order["status"] == "new"
                (mail,) = mails.to(f"{sku}@example.com")
                assert mail.subject == f"Your order {order['id']}"
                path = f"/run/{project.slug}/orders/{order['id']}"
                wait_until(lambda path=path, status=status: ok(nobody.get(path)) == {"status": status})
            assert {asked.headers["authorization"] for asked in stock.asked} == {"Bearer s"}
            # The function's own body, not the API's form of an error.
            unknown = server.http.get(f"/api/v1/run/{project.slug}/orders/none")
            assert (unknown.status_code, unknown.json()) == (404, {"error": "no such order"})
    finally:
        stock.close()
