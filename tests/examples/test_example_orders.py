"""examples/orders: its README word for word, its stored tests, and the processing of an order."""

import pytest

from support.client import Api, ok
from support.commands import done
from support.mail import MailCatcher
from support.ports import free_port
from support.upstream import Upstream
from support.waiting import wait_until

EXAMPLE = "orders"
FUNCTIONS = ("check-order", "confirm-order", "order-status")
ALLOW = {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1/32"}


@pytest.fixture(scope="module")
def server_settings():
    return ALLOW


@pytest.mark.slow
def test_its_walk_through(make_server, walk):
    server = make_server({"SERVICE_TRUSTED_PROXIES": None, **ALLOW}).start()  # as its README starts it
    ports = ("STAGING_STOCK", "STAGING_MAIL", "PRODUCTION_STOCK", "PRODUCTION_MAIL")
    made = walk(server, EXAMPLE, **{name: str(free_port()) for name in ports})
    output = [block.output for block in made]
    whole = "".join(output)
    assert "refused, as it should be" in whole and "exit code 1" in whole and whole.endswith("the same\n")
    assert whole.count('"passed":2,"failed":0') == 3
    # Each environment calls its own services.
    names = ("staging", "production")
    services = {name: next(text for text in output if text.startswith(f"[{name}]")) for name in names}
    assert "MAIL FROM:<staging@example.com>" in services["staging"]
    assert "MAIL FROM:<shop@example.com>" in services["production"]
    assert all(": 201\n" in text and ": 401\n" not in text for text in services.values())
    # The failed run and the one that repeated it.
    assert '"status":"error"' in services["staging"] and '"attempt":2,"retryOf":' in services["staging"]
    # Changed code is shown by lines.
    assert whole.count('+    text: reserved ? "Thank you! It leaves today."') == 2
    for secret in ("staging-secret", "production-secret"):
        assert secret not in whole and secret not in "".join(block.errors for block in made)


@pytest.fixture(scope="module")
def pushed(folder, project):
    values = {"MAIL_FROM": "The Shop <shop@example.com>", "MAIL_HOST": "127.0.0.1", "MAIL_PORT": "25"}
    for name, value in {**values, "STOCK_URL": "http://127.0.0.1:9"}.items():
        done(folder.run("variables set", name, "--value", value))
    done(folder.run("variables set", "STOCK_TOKEN", "--secret", "--stdin", typed="s\n"))
    done(folder.run("push", "--yes"))
    return folder


def test_what_is_pushed_is_what_is_pulled(pushed):
    before = pushed.files()
    done(pushed.run("pull"))
    assert pushed.files() == before


@pytest.mark.parametrize("function", FUNCTIONS)
def test_its_functions_pass_their_tests(pushed, project, function):
    report = ok(project.admin.post(f"/admin/functions/{function}/tests/run"))
    assert report["passed"] == 2 and report["failed"] == 0, report


@pytest.mark.parametrize("integration, count", [("mail", 1), ("stock", 2)])
def test_its_integrations_pass_their_tests(pushed, project, integration, count):
    report = ok(project.admin.post(f"/admin/integrations/{integration}/tests/run"))
    assert report["passed"] == count and report["failed"] == 0, report


def test_an_order_on_its_way(pushed, project, server, tmp_path):
    stock = Upstream()
    stock.answers["/v1/reservations"] = lambda asked, _: (
        (201, {}, {"id": "r-" + asked.headers["idempotency-key"]})
        if all(item["sku"] != "sold-out" for item in asked.body["items"])
        else (409, {}, {})
    )
    try:
        with MailCatcher(tmp_path) as mails:
            for name, value in {"STOCK_URL": stock.url, "MAIL_PORT": str(mails.port)}.items():
                ok(project.admin.put(f"/admin/variables/{name}", {"value": value}), 204)
            secrets = {"secrets": {"authorization": "Bearer ${STOCK_TOKEN}"}}
            ok(project.admin.patch("/admin/integrations/stock", secrets), 204)
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
